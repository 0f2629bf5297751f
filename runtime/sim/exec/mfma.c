// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix instructions: rows and the order of operations.
//
// EXEC is ignored. C is first moved to D, where the sum accumulates, so A and B are saved if they
// overlap D.
#include "exec/mfma.h"
#include "base/gfx942_matrix.h"

void KILN_SIM_V(kiln_mfma_execute)(const kiln_mfma_shape_t *shape,
                                   const kiln_mfma_options_t *options, const uint32_t *a,
                                   const uint32_t *b, uint32_t *d)
{
    const bool is_chain = shape->a == KILN_MFMA_F64 || shape->a == KILN_MFMA_F32 ||
                          shape->a == KILN_MFMA_I8 || options->mode == KILN_MFMA_FAST;
    if (!is_chain && (KILN_SIM_V(kiln_mfma_sum_fixed)(shape, options, a, b, d) ||
                      KILN_SIM_V(kiln_mfma_sum_narrow)(shape, options, a, b, d)))
        return;
    kiln_mfma_elements_t left, right;
    KILN_SIM_V(kiln_mfma_unpack_a)(shape, options, a, &left);
    KILN_SIM_V(kiln_mfma_unpack_b)(shape, options, b, &right);
    if (is_chain)
        KILN_SIM_V(kiln_mfma_sum)(shape, options, &left, &right, d);
    else
        KILN_SIM_V(kiln_mfma_sum_exact)(shape, &left, &right, d);
}

static const kiln_mfma_shape_t shapes[] = {
#define GFX942_MFMA(name, n, k, blocks, a, b, d, passes)                                           \
    {n, k, blocks, KILN_MFMA_##a, KILN_MFMA_##b, 0},
#define GFX942_SMFMAC(name, n, k, blocks, a, b, d, passes)                                         \
    {n, k, blocks, KILN_MFMA_##a, KILN_MFMA_##b, 1},
#include "base/gfx942.def"
};

static void move_accumulator(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, bool negate)
{
    const kiln_sim_operand_t *const c = &inst->src[2];
    uint32_t *const d = wave->vgpr[inst->dst.reg];
    const bool is_f64 = shapes[inst->row->info].a == KILN_MFMA_F64;
    if (c->kind == KILN_SIM_OP_VGPR) {
        if (c->reg != inst->dst.reg)
            memmove(d, wave->vgpr[c->reg], sizeof(uint32_t) * KILN_GFX942_LANES * inst->dst.dwords);
    } else {
        for (unsigned r = 0; r < inst->dst.dwords; r++)
            for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
                d[r * KILN_GFX942_LANES + lane] =
                    (uint32_t)(is_f64 && (r & 1) ? c->value >> 32 : c->value);
    }
    for (unsigned r = 1; negate && r < inst->dst.dwords; r += 2)
        for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
            d[r * KILN_GFX942_LANES + lane] ^= 0x80000000u;
}

// Saves an operand that the move of C to D would overwrite.
static const uint32_t *save(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                            const kiln_sim_operand_t *operand, uint32_t *copy)
{
    const uint32_t *const lanes = wave->vgpr[operand->reg];
    if (operand->reg + operand->dwords <= inst->dst.reg ||
        inst->dst.reg + inst->dst.dwords <= operand->reg)
        return lanes;
    return memcpy(copy, lanes, sizeof *lanes * KILN_GFX942_LANES * operand->dwords);
}

static void clamp_overflow(uint32_t *d, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        d[i] = (d[i] & 0x7fffffffu) == 0x7f800000u ? d[i] - 1 : d[i];
}

static void run(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    const kiln_mfma_shape_t *const shape = &shapes[inst->row->info];
    if (inst->src[0].kind != KILN_SIM_OP_VGPR || inst->src[1].kind != KILN_SIM_OP_VGPR ||
        (shape->sparse && inst->src[2].kind != KILN_SIM_OP_VGPR)) {
        kiln_sim_wave_fault(wave, inst, -1, "a matrix operand must be in vector registers");
        return;
    }
    const kiln_mfma_options_t options = {
        .mode = wave->fast_mfma ? KILN_MFMA_FAST : KILN_MFMA_EXACT,
        .cbsz = inst->cbsz,
        .abid = inst->abid,
        .blgp = inst->blgp,
        .clamp = inst->clamp,
        .fp16_ovfl = (wave->mode & KILN_SIM_MODE_FP16_OVFL) != 0,
        .flush_f32_inputs = !(wave->mode >> KILN_SIM_MODE_DENORM_F32_SHIFT & 1),
        .index = shape->sparse ? wave->vgpr[inst->src[2].reg] : NULL,
    };
    const uint32_t *a = wave->vgpr[inst->src[0].reg], *b = wave->vgpr[inst->src[1].reg];
    uint32_t *const d = wave->vgpr[inst->dst.reg], copies[2][4 * KILN_GFX942_LANES];
    const bool negate = shape->a == KILN_MFMA_F64 && (inst->blgp & 4);
    if (!shape->sparse &&
        (negate || inst->src[2].kind != KILN_SIM_OP_VGPR || inst->src[2].reg != inst->dst.reg)) {
        a = save(wave, inst, &inst->src[0], copies[0]);
        b = save(wave, inst, &inst->src[1], copies[1]);
        move_accumulator(wave, inst, negate);
    }
    KILN_SIM_V(kiln_mfma_execute)(shape, &options, a, b, d);
    if (options.clamp && options.fp16_ovfl && shape->a != KILN_MFMA_F64 && shape->a != KILN_MFMA_I8)
        clamp_overflow(d, KILN_GFX942_LANES * inst->dst.dwords);
}

enum {
#define GFX942_MFMA(name, ...) INDEX_##name,
#define GFX942_SMFMAC(name, ...) INDEX_##name,
#include "base/gfx942.def"
};

#define TYPE_OF(dwords)                                                                            \
    ((dwords) == 1    ? KILN_SIM_T_U32                                                             \
     : (dwords) == 2  ? KILN_SIM_T_U64                                                             \
     : (dwords) == 4  ? KILN_SIM_T_B128                                                            \
     : (dwords) == 8  ? KILN_SIM_T_B256                                                            \
     : (dwords) == 16 ? KILN_SIM_T_B512                                                            \
                      : KILN_SIM_T_B1024)
// C may be an inline constant, whose representation depends on the type.
#define TYPE_OF_C(n, blocks, d)                                                                    \
    (KILN_GFX942_BITS_##d == 64 ? ((n) == 4 ? KILN_SIM_T_F64 : KILN_SIM_T_V4F64)                   \
                                : TYPE_OF(KILN_GFX942_DWORDS(n, n, blocks, d)))

#define ROW(name, n, k, kept, blocks, a, b, d, c, passes, flags)                                   \
    {#name,                                                                                        \
     run,                                                                                          \
     NULL,                                                                                         \
     KILN_SIM_MAI,                                                                                 \
     KILN_SIM_CLASS_MFMA,                                                                          \
     KILN_GFX942_MFMA_PASS_CYCLES * (passes),                                                      \
     TYPE_OF_C(n, blocks, d),                                                                      \
     {TYPE_OF(KILN_GFX942_DWORDS(n, kept, blocks, a)),                                             \
      TYPE_OF(KILN_GFX942_DWORDS(n, k, blocks, b)), c},                                            \
     flags,                                                                                        \
     INDEX_##name},

static const kiln_sim_row_t rows[] = {
#define GFX942_MFMA(name, n, k, blocks, a, b, d, passes)                                           \
    ROW(name, n, k, k, blocks, a, b, d, TYPE_OF_C(n, blocks, d), passes, 0)
#define GFX942_SMFMAC(name, n, k, blocks, a, b, d, passes)                                         \
    ROW(name, n, k, (k) / 2, blocks, a, b, d, KILN_SIM_T_U32, passes, KILN_SIM_ROW_DST_IS_SRC)
#include "base/gfx942.def"
};

extern const kiln_sim_rows_t KILN_SIM_V(kiln_sim_rows_mfma);
const kiln_sim_rows_t KILN_SIM_V(kiln_sim_rows_mfma) = {rows, sizeof rows / sizeof rows[0]};
