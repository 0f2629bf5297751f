// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed instructions: isa/vop3p.def.
//
// Pitfalls: op_sel selects the halves for the low result, op_sel_hi those for the high one, so "no
// modifiers" is op_sel 0 and op_sel_hi all ones. In v_fma_mix the same bits have a different
// meaning: op_sel_hi means that a source is f16, op_sel selects its half, and neg_hi is abs.
#include <fenv.h>

#include "exec/valu_dot.h"

#define PACKED(name, V, T, n, ...) PACKED_##n(name, T, __VA_ARGS__)
#define PACKED_2(name, T, ...) KILN_VALU_LOOP(name, T, T, T, none, __VA_ARGS__)
#define PACKED_3(name, T, ...) KILN_VALU_LOOP(name, T, T, T, T, __VA_ARGS__)
#define PACKED_CLAMPED(name, V, T, n, ...) PACKED_CLAMPED_##n(name, T, __VA_ARGS__)
#define PACKED_CLAMPED_2(name, T, ...)                                                             \
    KILN_VALU_LOOP(name, T, T, T, none, __VA_ARGS__)                                               \
    KILN_VALU_SATURATING_LOOP(name, T, T, T, none, __VA_ARGS__)
#define PACKED_CLAMPED_3(name, T, ...)                                                             \
    KILN_VALU_LOOP(name, T, T, T, T, __VA_ARGS__)                                                  \
    KILN_VALU_SATURATING_LOOP(name, T, T, T, T, __VA_ARGS__)
#define DOT(name, D, V, C, saturates, ...)                                                         \
    KILN_VALU_LOOP(name, D, none, none, C, __VA_ARGS__)                                            \
    DOT_SATURATING_##saturates(name, D, C, __VA_ARGS__)
#define DOT_SATURATING_0(name, D, C, ...)
#define DOT_SATURATING_1(name, D, C, ...)                                                          \
    KILN_VALU_SATURATING_LOOP(name, D, none, none, C, __VA_ARGS__)
#define VOP3P_OWN(name, D, A, B, C, flags, handler)
#include "isa/vop3p.def"

enum {
#define PACKED(name, ...) INDEX_##name,
#define PACKED_CLAMPED PACKED
#define DOT PACKED
#define VOP3P_OWN(name, ...)
#include "isa/vop3p.def"
};

#define SATURATE_0(name) NULL
#define SATURATE_1(name) saturate_##name

static const kiln_valu_core_t cores[] = {
#define PACKED(name, V, T, ...) {loop_##name, NULL, KILN_VALU_IS_FLOAT_##T},
#define PACKED_CLAMPED(name, ...) {loop_##name, saturate_##name, 0},
#define DOT(name, D, V, C, saturates, ...)                                                         \
    {loop_##name, SATURATE_##saturates(name), KILN_VALU_HALVES | KILN_VALU_FLOATNESS(D, V, V, C)},
#define VOP3P_OWN(name, ...)
#include "isa/vop3p.def"
};

static void run_packed(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    KILN_SIM_V(kiln_valu_run_packed)(wave, inst, &cores[inst->row->info]);
}

static void run(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    KILN_SIM_V(kiln_valu_run)(wave, inst, &cores[inst->row->info]);
}

static void run_modified(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    KILN_SIM_V(kiln_valu_run_modified)(wave, inst, &cores[inst->row->info]);
}

// Reads a source of v_fma_mix as f32 bits. A constant already has this form.
static const uint32_t *mix_source(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                  unsigned n, uint32_t *temp)
{
    const kiln_sim_operand_t *const op = &inst->src[n];
    const bool is_f16 = (inst->op_sel_hi >> n & 1) && op->kind != KILN_SIM_OP_CONST;
    const unsigned shift = inst->op_sel >> n & 1 ? 16 : 0;
    const uint32_t *const row = kiln_sim_source_row(wave, op, 0, temp);
    const uint32_t clear = op->neg_hi ? 0x80000000u : 0,
                   flip = op->mods & KILN_SIM_NEG ? 0x80000000u : 0;
    const bool flush = !(wave->mode >> KILN_SIM_MODE_DENORM_F32_SHIFT & 1);
    for (unsigned i = 0; i < KILN_GFX942_LANES; i++) {
        const uint32_t bits =
            is_f16 ? kiln_bits_of_f32(kiln_f16_to_f32((uint16_t)(row[i] >> shift))) : row[i];
        temp[i] =
            ((flush && (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits) & ~clear) ^ flip;
    }
    return temp;
}

static void mix(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, float *result)
{
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    uint32_t temp[3][KILN_GFX942_LANES];
    const uint32_t *const a = mix_source(wave, inst, 0, temp[0]);
    const uint32_t *const b = mix_source(wave, inst, 1, temp[1]);
    const uint32_t *const c = mix_source(wave, inst, 2, temp[2]);
    const unsigned rounding = wave->mode >> KILN_SIM_MODE_ROUND_F32_SHIFT & 3;
    const bool flush = !(wave->mode >> KILN_SIM_MODE_DENORM_F32_SHIFT & 2);
    const bool dx10 = wave->mode & KILN_SIM_MODE_DX10_CLAMP;
    if (rounding)
        fesetround(modes[rounding]);
    for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
        result[i] =
            kiln_fma_f32(kiln_f32_of_bits(a[i]), kiln_f32_of_bits(b[i]), kiln_f32_of_bits(c[i]));
    if (rounding)
        fesetround(FE_TONEAREST);
    for (unsigned i = 0; flush && i < KILN_GFX942_LANES; i++)
        result[i] = kiln_flush_f32(result[i]);
    for (unsigned i = 0; inst->clamp && i < KILN_GFX942_LANES; i++)
        result[i] = result[i] != result[i] ? (dx10 ? 0.0f : result[i])
                                           : kiln_bound_f32(result[i], 0.0f, 1.0f);
}

static void run_mix(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    float result[KILN_GFX942_LANES];
    uint32_t bits[KILN_GFX942_LANES];
    mix(wave, inst, result);
    memcpy(bits, result, sizeof bits);
    kiln_valu_write(wave->vgpr[inst->dst.reg], bits, wave->exec);
}

static void mix_half(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, unsigned shift)
{
    alignas(64) float result[KILN_GFX942_LANES];
    uint32_t bits[KILN_GFX942_LANES];
    uint32_t *const d = wave->vgpr[inst->dst.reg];
    const kiln_valu_t x = {
        .round16 = (kiln_round_t)(wave->mode >> KILN_SIM_MODE_ROUND_F64_F16_SHIFT & 3),
        .overflow16 =
            wave->mode & KILN_SIM_MODE_FP16_OVFL ? KILN_OVERFLOW_CLAMP : KILN_OVERFLOW_IEEE,
    };
    mix(wave, inst, result);
    kiln_valu_round_f16(result, bits, &x);
    for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
        bits[i] = (d[i] & ~(0xffffu << shift)) | bits[i] << shift;
    kiln_valu_write(d, bits, wave->exec);
}

static void run_mix_low(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    mix_half(wave, inst, 0);
}
static void run_mix_high(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    mix_half(wave, inst, 16);
}

// The low dword comes from the first source, the high one from the second; op_sel selects the dword
// of each source.
static void run_pk_mov(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    uint32_t result[2][KILN_GFX942_LANES], temp[KILN_GFX942_LANES];
    for (unsigned n = 0; n < 2; n++)
        memcpy(result[n], kiln_sim_source_row(wave, &inst->src[n], inst->op_sel >> n & 1, temp),
               sizeof result[n]);
    for (unsigned n = 0; n < 2; n++)
        kiln_valu_write(wave->vgpr[inst->dst.reg + n], result[n], wave->exec);
}

static void run_move(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    uint32_t temp[KILN_GFX942_LANES];
    kiln_valu_write(wave->vgpr[inst->dst.reg], kiln_sim_source_row(wave, &inst->src[0], 0, temp),
                    wave->exec);
}

#define ROW(name, handler, modified, index, D, A, B, C, flags)                                     \
    {#name,                                                                                        \
     handler,                                                                                      \
     modified,                                                                                     \
     KILN_SIM_VOP3P,                                                                               \
     KILN_SIM_CLASS_VALU,                                                                          \
     KILN_GFX942_VALU_CYCLES,                                                                      \
     KILN_VALU_T_##D,                                                                              \
     {KILN_VALU_T_##A, KILN_VALU_T_##B, C},                                                        \
     flags,                                                                                        \
     index},
#define C_2(V) KILN_SIM_T_NONE
#define C_3(V) KILN_VALU_T_##V

static const kiln_sim_row_t rows[] = {
#define PACKED(name, V, T, n, ...) ROW(name, run_packed, NULL, INDEX_##name, V, V, V, C_##n(V), 0)
#define PACKED_CLAMPED PACKED
#define DOT(name, D, V, C, ...)                                                                    \
    ROW(name, run, run_modified, INDEX_##name, D, V, V, KILN_VALU_T_##C, 0)
#define VOP3P_OWN(name, D, A, B, C, flags, handler)                                                \
    ROW(name, handler, NULL, 0, D, A, B, KILN_VALU_T_##C, flags)
#include "isa/vop3p.def"
};

extern const kiln_sim_rows_t KILN_SIM_V(kiln_sim_rows_vop3p);
const kiln_sim_rows_t KILN_SIM_V(kiln_sim_rows_vop3p) = {rows, sizeof rows / sizeof rows[0]};
