// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector instructions with one source: isa/vop1.def, and the helpers its expressions use.
//
// Float to integer conversions saturate and convert NaN to 0, where C leaves the result undefined.
#include "exec/valu.h"

static inline uint32_t reverse_bits(uint32_t v)
{
    v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
    v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
    v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(v);
}

// Number of zero bits above the highest one bit; all ones for 0.
static inline uint32_t first_high_bit(uint32_t v)
{
    return v ? (uint32_t)__builtin_clz(v) : UINT32_MAX;
}
static inline uint32_t first_low_bit(uint32_t v)
{
    return v ? (uint32_t)__builtin_ctz(v) : UINT32_MAX;
}

static inline int32_t f32_to_i32(float a)
{
    const float inside = a >= 0x1p31f    ? 0x1.fffffep30f
                         : a >= -0x1p31f ? a
                         : a != a        ? 0.0f
                                         : -0x1p31f;
    return a >= 0x1p31f ? INT32_MAX : (int32_t)inside;
}

static inline uint32_t f32_to_u32(float a)
{
    const float positive = a >= 0.0f ? a : 0.0f; // NaN too
    const float bounded = positive < 0x1p32f ? positive : 0x1.fffffep31f;
    const uint32_t high = bounded >= 0x1p31f;
    const uint32_t value = (uint32_t)(int32_t)(high ? bounded - 0x1p31f : bounded) | high << 31;
    return positive >= 0x1p32f ? UINT32_MAX : value;
}

// Does not depend on the host's rounding mode, as adding and subtracting 2^23 would.
static inline float to_nearest_even_f32(float a)
{
    const float down = floorf(a), part = a - down;
    const float half = floorf(down * 0.5f) * 2.0f == down ? down : down + 1.0f;
    const float value = part < 0.5f    ? down
                        : part > 0.5f  ? down + 1.0f
                        : part == 0.5f ? half
                                       : a; // inf and NaN: a
    return copysignf(value, a);
}

static inline double to_nearest_even_f64(double a)
{
    const double down = floor(a), part = a - down;
    const double half = floor(down * 0.5) * 2.0 == down ? down : down + 1.0;
    const double value = part < 0.5 ? down : part > 0.5 ? down + 1.0 : part == 0.5 ? half : a;
    return copysign(value, a);
}

static inline float fraction_f32(float a, float largest)
{
    const float part = a - floorf(a);
    return part > largest ? largest : part;
}

static inline double fraction_f64(double a)
{
    const double part = a - floor(a);
    return part > 0x1.fffffffffffffp-1 ? 0x1.fffffffffffffp-1 : part;
}

// frexp of f16 and f32 values, which are never subnormal in f64: mantissa in [0.5, 1), exponent 0
// for 0, inf and NaN.
static inline int32_t exponent_of(uint32_t f32_bits, double a)
{
    const int32_t exponent = (int32_t)(kiln_bits_of_f64(a) >> 52 & 0x7ff) - 1022;
    return (f32_bits & 0x7fffffffu) == 0 || (f32_bits & 0x7f800000u) == 0x7f800000u ? 0 : exponent;
}

static inline double mantissa_of(double a)
{
    const uint64_t bits = kiln_bits_of_f64(a);
    const double mantissa = kiln_f64_of_bits((bits & 0x800fffffffffffffu) | 0x3fe0000000000000u);
    return a == 0.0 || a - a != 0.0 ? a : mantissa;
}

static inline int32_t frexp_exponent_f64(double a)
{
    int exponent = 0;
    if (a - a == 0.0)
        (void)frexp(a, &exponent);
    return exponent;
}

static inline double mantissa_of_f64(double a)
{
    int exponent = 0;
    return a - a == 0.0 ? frexp(a, &exponent) : a;
}

static inline uint64_t pair_of_fp8(uint32_t a, kiln_fp8_format_t format)
{
    return (uint64_t)kiln_bits_of_f32(kiln_fp8_to_f32((uint8_t)(a >> 8), format)) << 32 |
           kiln_bits_of_f32(kiln_fp8_to_f32((uint8_t)a, format));
}

static void run_nop(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    (void)wave, (void)inst;
}

// The first active lane, or lane 0 if there is none.
static void run_readfirstlane(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    uint32_t temp[KILN_GFX942_LANES];
    const unsigned lane = wave->exec ? (unsigned)__builtin_ctzll(wave->exec) : 0;
    wave->sgpr[inst->dst.reg] = kiln_sim_source_row(wave, &inst->src[0], 0, temp)[lane];
}

// LLVM's disassembler also accepts other sources.
static bool comes_from_vgpr(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    if (inst->src[0].kind != KILN_SIM_OP_VGPR)
        kiln_sim_wave_fault(wave, inst, -1, "the source must be a vector register");
    return inst->src[0].kind == KILN_SIM_OP_VGPR;
}

static void run_swap(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    if (!comes_from_vgpr(wave, inst))
        return;
    uint32_t old[KILN_GFX942_LANES];
    uint32_t *const d = wave->vgpr[inst->dst.reg], *const s = wave->vgpr[inst->src[0].reg];
    memcpy(old, d, sizeof old);
    kiln_valu_write(d, s, wave->exec);
    kiln_valu_write(s, old, wave->exec);
}

static void run_accvgpr_mov(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    if (comes_from_vgpr(wave, inst))
        kiln_valu_write(wave->vgpr[inst->dst.reg], wave->vgpr[inst->src[0].reg], wave->exec);
}

#define VOP1(name, D, A, ...) KILN_VALU_LOOP(name, D, A, none, none, __VA_ARGS__)
#define TRANS VOP1
#define VOP1_SELECT VOP1
#define QUARTER VOP1
#define VOP1_OWN(name, D, A, flags, handler)
#include "isa/vop1.def"

enum {
#define VOP1(name, ...) INDEX_##name,
#define TRANS VOP1
#define VOP1_SELECT VOP1
#define QUARTER VOP1
#define VOP1_OWN(name, ...)
#include "isa/vop1.def"
};

static const kiln_valu_core_t cores[] = {
#define VOP1(name, D, A, ...) {loop_##name, NULL, KILN_VALU_FLOATNESS(D, A, none, none)},
#define TRANS VOP1
#define VOP1_SELECT VOP1
#define QUARTER VOP1
#define VOP1_OWN(name, ...)
#include "isa/vop1.def"
};

static void run(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    KILN_SIM_V(kiln_valu_run)(wave, inst, &cores[inst->row->info]);
}

static void run_modified(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    KILN_SIM_V(kiln_valu_run_modified)(wave, inst, &cores[inst->row->info]);
}

static const kiln_sim_row_t rows[] = {
#define VOP1(name, D, A, ...)                                                                      \
    KILN_VALU_ROW(#name, run_##name, INDEX_##name, KILN_SIM_VOP1, KILN_SIM_CLASS_VALU,             \
                  KILN_GFX942_VALU_CYCLES, D, A, none, none, 0)
#define VOP1_SELECT(name, D, A, ...)                                                               \
    KILN_VALU_ROW(#name, run_##name, INDEX_##name, KILN_SIM_VOP1, KILN_SIM_CLASS_VALU,             \
                  KILN_GFX942_VALU_CYCLES, D, A, none, none, KILN_SIM_ROW_SDWA_SELECTS)
#define TRANS(name, D, A, ...)                                                                     \
    KILN_VALU_ROW(#name, run_##name, INDEX_##name, KILN_SIM_VOP1, KILN_SIM_CLASS_TRANS,            \
                  KILN_GFX942_TRANS_CYCLES, D, A, none, none, 0)
#define QUARTER(name, D, A, ...)                                                                   \
    KILN_VALU_ROW(#name, run_##name, INDEX_##name, KILN_SIM_VOP1, KILN_SIM_CLASS_VALU,             \
                  KILN_GFX942_TRANS_CYCLES, D, A, none, none, 0)
#define VOP1_OWN(name, D, A, flags, handler)                                                       \
    {#name,                                                                                        \
     handler,                                                                                      \
     NULL,                                                                                         \
     KILN_SIM_VOP1,                                                                                \
     KILN_SIM_CLASS_VALU,                                                                          \
     KILN_GFX942_VALU_CYCLES,                                                                      \
     KILN_VALU_T_##D,                                                                              \
     {KILN_VALU_T_##A, 0, 0},                                                                      \
     flags,                                                                                        \
     0},
#include "isa/vop1.def"
};

extern const kiln_sim_rows_t KILN_SIM_V(kiln_sim_rows_vop1);
const kiln_sim_rows_t KILN_SIM_V(kiln_sim_rows_vop1) = {rows, sizeof rows / sizeof rows[0]};
