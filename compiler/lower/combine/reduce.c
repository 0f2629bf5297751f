// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tt.reduce: within a thread, then within a wave by moves between lanes, then across waves through
// LDS, where each thread reads the waves' partial results of just the elements that it needs, in
// the layout of the result, or one of them for lanes to combine.
//
//   whole wave:   quad_perm ×2, row_half_mirror, row_ror:8, row_bcast:15, row_bcast:31, then lane 63 is read
//   part of it:   lane XOR 1, 2, 4, …  for the lane bits that run along the axis
//
// These steps swap the arguments of the region in half of the lanes, and combine bits of registers
// before bits of lanes. If the region is not known to commute, neighbours along the axis are
// combined, then pairs of these, and so on, wherever they are, and each lane selects which of its
// own and the moved value comes first.
//
// The region that combines two elements is lowered once for each combination. Note that bits of
// registers, lanes and waves that hold copies must not be combined, or a sum counts twice.
#include "combine.h"
#include "layout/rearrange.h"
#include "lower/emit.h"
#include "lower/layouts/convert.h"
#include "lower/tile.h"

enum { DPP_ROW_BCAST15 = 0x142, DPP_ROW_BCAST31 = 0x143 };

// Combination -------------------------------------------------------------------------------------

// values[n][operand] of 2^bits neighbours to values[0], pairwise, so that chains are short and the
// lower index comes first.
static kiln_status_t combine_tree(kiln_lowering_t *l, const kiln_reduction_t *reduction,
                                  kiln_tuple_t *values, uint32_t count)
{
    for (uint32_t step = 1; step < count; step *= 2)
        for (uint32_t i = 0; i + step < count; i += 2 * step)
            KILN_TRY(kiln_combine(l, reduction->op, values[i], values[i + step], values[i]));
    return KILN_OK;
}

// Whether a packed instruction computes two neighbouring elements of the value.
static bool is_packed(MlirValue value)
{
    MlirOperation op;
    const kiln_op_t kind = kiln_value_op(value, &op);
    return (kind == KILN_OP_ARITH_ADDF || kind == KILN_OP_ARITH_SUBF ||
            kind == KILN_OP_ARITH_MULF || kind == KILN_OP_MATH_FMA) &&
           kiln_type_bits(mlirValueGetType(value)) <= 32;
}

// Whether a packed instruction combines two pairs of values.
static bool combines_pairs(const kiln_reduction_t *reduction)
{
    MlirBlock block = kiln_op_body(reduction->op, 0);
    MlirOperation first = mlirBlockGetFirstOperation(block);
    const kiln_op_t kind = kiln_op_kind(first);
    return reduction->operands == 1 && (kind == KILN_OP_ARITH_ADDF || kind == KILN_OP_ARITH_MULF) &&
           kiln_type_bits(mlirValueGetType(kiln_op_result(first, 0))) == 32 &&
           mlirOperationEqual(mlirOperationGetNextInBlock(first), kiln_block_terminator(block));
}

// The same where the order does not matter, if values that are neighbours are in a pair of
// registers: the two of a pair are combined last, and until then one instruction combines both.
static kiln_status_t combine_pairs(kiln_lowering_t *l, const kiln_reduction_t *reduction,
                                   kiln_tuple_t *values, uint32_t count)
{
    const bool is_packed = combines_pairs(reduction) && count > 2;
    LLVMValueRef one = kiln_emit_i32(l, 1), zero = kiln_emit_i32(l, 0);
    for (uint32_t i = 0; i < count && is_packed; i += 2) {
        LLVMTypeRef pair = LLVMVectorType(LLVMTypeOf(values[i][0]), 2);
        LLVMValueRef first =
            LLVMBuildInsertElement(l->builder, LLVMGetPoison(pair), values[i][0], zero, "");
        values[i][0] = LLVMBuildInsertElement(l->builder, first, values[i + 1][0], one, "");
    }
    for (uint32_t step = 2; step < count; step *= 2)
        for (uint32_t i = 0; i < count; i += 2 * step)
            for (uint32_t half = 0; half < (is_packed ? 1 : 2); half++)
                KILN_TRY(kiln_combine(l, reduction->op, values[i + half], values[i + half + step],
                                      values[i + half]));
    if (is_packed) {
        values[1][0] = LLVMBuildExtractElement(l->builder, values[0][0], one, "");
        values[0][0] = LLVMBuildExtractElement(l->builder, values[0][0], zero, "");
    }
    return count > 1 ? kiln_combine(l, reduction->op, values[0], values[1], values[0]) : KILN_OK;
}

static kiln_status_t combine_registers(kiln_lowering_t *l, const kiln_reduction_t *reduction,
                                       kiln_tuple_t *values, uint32_t count)
{
    return is_packed(kiln_op_operand(reduction->op, 0)) ? combine_pairs(l, reduction, values, count)
                                                        : combine_tree(l, reduction, values, count);
}

// values[register][operand] along the axis's bits, the lowest first. The results are in the
// registers whose step bits are 0, of all lanes.
static kiln_status_t combine_in_order(kiln_lowering_t *l, const kiln_reduction_t *reduction,
                                      kiln_tuple_t *values)
{
    uint32_t registers = kiln_layout_registers(&reduction->source),
             done = reduction->copy_registers;
    for (int s = 0; s < reduction->step_count; s++) {
        const kiln_place_bit_t *step = &reduction->steps[s];
        const uint32_t bit = 1u << step->bit;
        if (step->place == KILN_REGISTER)
            done |= bit;
        LLVMValueRef is_upper = NULL;
        if (step->place == KILN_LANE) {
            is_upper = LLVMBuildAnd(l->builder, l->lane, kiln_emit_i32(l, bit), "");
            is_upper = LLVMBuildICmp(l->builder, LLVMIntNE, is_upper, kiln_emit_i32(l, 0), "");
        }
        for (uint32_t r = 0; r < registers; r++) {
            kiln_tuple_t first, second;
            if (r & done)
                continue;
            for (int i = 0; i < reduction->operands; i++) {
                first[i] = values[r][i];
                if (!is_upper) {
                    second[i] = values[r | bit][i];
                    continue;
                }
                LLVMValueRef moved = kiln_emit_xor_lane(l, first[i], bit);
                second[i] = LLVMBuildSelect(l->builder, is_upper, first[i], moved, "");
                first[i] = LLVMBuildSelect(l->builder, is_upper, moved, first[i], "");
            }
            KILN_TRY(kiln_combine(l, reduction->op, first, second, values[r]));
        }
    }
    return KILN_OK;
}

static kiln_status_t combine_lanes(kiln_lowering_t *l, const kiln_reduction_t *reduction,
                                   LLVMValueRef *values)
{
    uint32_t lanes = reduction->axis_lanes;
    bool whole_wave = lanes == KILN_GFX942_LANES - 1;
    for (uint32_t bit = 1; bit < KILN_GFX942_LANES; bit *= 2) {
        kiln_tuple_t moved;
        if (!(lanes & bit))
            continue;
        for (int i = 0; i < reduction->operands; i++) {
            if (whole_wave && bit >= 16)
                // Only lane 63 must be correct, so rows that receive nothing or the wrong row need
                // no masking.
                moved[i] =
                    kiln_emit_dpp(l, values[i], bit == 16 ? DPP_ROW_BCAST15 : DPP_ROW_BCAST31);
            else // four lanes that already agree may be combined in any order, and XOR 7 is one DPP
                moved[i] = kiln_emit_xor_lane(l, values[i], bit == 4 && (lanes & 3) == 3 ? 7 : bit);
        }
        KILN_TRY(kiln_combine(l, reduction->op, values, moved, values));
    }
    for (int i = 0; whole_wave && i < reduction->operands; i++)
        values[i] = kiln_emit_read_lane(l, values[i], KILN_GFX942_LANES - 1);
    return KILN_OK;
}

// Combines the waves' partial results, which neighbouring lanes have read; all lanes get the
// result.
static kiln_status_t combine_late_lanes(kiln_lowering_t *l, const kiln_reduction_t *reduction,
                                        LLVMValueRef *values)
{
    for (uint32_t bit = 1; bit < 1u << reduction->late_bits; bit *= 2) {
        kiln_tuple_t moved;
        for (int i = 0; i < reduction->operands; i++)
            moved[i] = kiln_emit_xor_lane(l, values[i], bit == 4 ? 7 : bit);
        KILN_TRY(kiln_combine(l, reduction->op, values, moved, values));
    }
    return KILN_OK;
}

static kiln_status_t combine_waves(kiln_lowering_t *l, const kiln_reduction_t *reduction,
                                   LLVMValueRef **partial, kiln_tile_t **results)
{
    // Partial results that a lane reads for an element.
    uint32_t waves = reduction->late_in_lanes ? 1 : 1u << reduction->late_bits,
             count = kiln_layout_registers(&reduction->result);
    LLVMValueRef *loaded[KILN_MAX_COMBINED];
    if (reduction->convert)
        kiln_emit_barrier(l); // the conversion may have used the same scratch
    for (int i = 0; i < reduction->operands; i++)
        loaded[i] = KILN_LOWER_ARRAY(l, LLVMValueRef, count * waves);
    KILN_TRY(kiln_exchange_between_waves(l, &reduction->exchange, partial, loaded));
    uint32_t copies = kiln_layout_free_bits(&reduction->result, KILN_REGISTER);
    kiln_tuple_t *values = kiln_lower_arena_alloc(l->arena, sizeof(kiln_tuple_t) * waves);
    for (uint32_t r = 0; r < count; r++) {
        for (uint32_t w = 0; w < waves; w++)
            for (int i = 0; i < reduction->operands; i++)
                values[w][i] = loaded[i][r * waves + w];
        if (!(r & copies) && reduction->late_in_lanes)
            KILN_TRY(combine_late_lanes(l, reduction, values[0]));
        else if (!(r & copies))
            KILN_TRY(reduction->in_order ? combine_tree(l, reduction, values, waves)
                                         : combine_pairs(l, reduction, values, waves));
        for (int i = 0; i < reduction->operands; i++)
            results[i]->values[r] =
                r & copies
                    ? results[i]->values[kiln_layout_canonical_register(&reduction->result, r)]
                    : values[0][i];
    }
    return KILN_OK;
}

static kiln_status_t place_results(kiln_lowering_t *l, const kiln_reduction_t *reduction,
                                   LLVMValueRef **partial, kiln_tile_t **results)
{
    uint32_t count = kiln_layout_registers(&reduction->partial);
    for (int i = 0; i < reduction->operands; i++) {
        kiln_tile_t held = {.type = results[i]->type,
                            .count = count,
                            .element = results[i]->element,
                            .values = partial[i],
                            .block = LLVMGetInsertBlock(l->builder)};

        if (results[i]->layout && kiln_reduction_scratch_after(reduction, i) &&
            (i || reduction->convert))
            kiln_emit_barrier(l);
        if (results[i]->layout)
            KILN_TRY(kiln_lower_convert(l, reduction->op, &held, &reduction->partial, results[i],
                                        &reduction->result));
        else
            results[i]->values[0] =
                reduction->axis_lanes == KILN_GFX942_LANES - 1 && !reduction->in_order
                    ? partial[i][0]
                    : kiln_emit_uniform(l, partial[i][0]);
    }
    return KILN_OK;
}

kiln_status_t kiln_lower_reduce(kiln_lowering_t *l, MlirOperation op)
{
    kiln_reduction_t reduction;
    KILN_TRY(kiln_plan_reduction(op, l->num_waves, &reduction));
    kiln_tile_t *sources[KILN_MAX_COMBINED], *results[KILN_MAX_COMBINED];
    LLVMValueRef *partial[KILN_MAX_COMBINED];
    uint32_t left = kiln_layout_registers(&reduction.partial),
             along = 1u << __builtin_popcount(reduction.axis_registers);
    for (int i = 0; i < reduction.operands; i++) {
        if (!(sources[i] = kiln_lower_operand(l, op, i)) ||
            !(results[i] = kiln_tile_create(l, mlirValueGetType(mlirOperationGetResult(op, i)))))
            return KILN_OK;
        partial[i] = KILN_LOWER_ARRAY(l, LLVMValueRef, left);
    }

    for (int i = 0; i < reduction.operands && reduction.convert; i++) {
        if (i && kiln_reduction_scratch_before(&reduction, i))
            kiln_emit_barrier(l);
        KILN_TRY(kiln_convert_operand(l, op, sources[i], sources[i]->layout, &reduction.source,
                                      &sources[i]));
    }
    uint32_t kept = (kiln_layout_registers(&reduction.source) - 1) & ~reduction.axis_registers &
                    ~reduction.copy_registers;
    kiln_tuple_t *values = kiln_lower_arena_alloc(l->arena, sizeof(kiln_tuple_t) * along);
    if (reduction.in_order) {
        uint32_t registers = kiln_layout_registers(&reduction.source);
        values = kiln_lower_arena_alloc(l->arena, sizeof(kiln_tuple_t) * registers);
        for (uint32_t r = 0; r < registers; r++)
            for (int i = 0; i < reduction.operands; i++)
                values[r][i] = kiln_tile_value(l, sources[i], r);
        KILN_TRY(combine_in_order(l, &reduction, values));
        for (uint32_t r = 0; r < left; r++)
            for (int i = 0; i < reduction.operands; i++)
                partial[i][r] = values[kiln_spread_bits(r, kept)][i];
    }
    for (uint32_t r = 0; r < left && !reduction.in_order; r++) {
        for (uint32_t n = 0; n < along; n++)
            for (int i = 0; i < reduction.operands; i++)
                values[n][i] = kiln_tile_value(l, sources[i],
                                               kiln_spread_bits(r, kept) |
                                                   kiln_spread_bits(n, reduction.axis_registers));
        KILN_TRY(combine_registers(l, &reduction, values, along));
        KILN_TRY(combine_lanes(l, &reduction, values[0]));
        for (int i = 0; i < reduction.operands; i++)
            partial[i][r] = values[0][i];
    }
    if (reduction.late_bits)
        KILN_TRY(combine_waves(l, &reduction, partial, results));
    else
        KILN_TRY(place_results(l, &reduction, partial, results));
    for (int i = 0; i < reduction.operands; i++) {
        results[i]->block = LLVMGetInsertBlock(l->builder);
        if (!results[i]->layout && kiln_type_is_ptr(results[i]->type))
            kiln_lower_root_pointer(l, results[i], results[i]->values[0], false);
        kiln_lower_bind_result(l, op, i, results[i]);
    }
    return KILN_OK;
}
