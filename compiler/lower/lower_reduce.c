// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tt.reduce: within a thread, then within a wave by moves between lanes, then across waves through LDS, where each
// thread reads the waves' partial results of just the elements that it needs, in the layout of the result.
//
//   whole wave:   quad_perm ×2, row_half_mirror, row_ror:8, row_bcast:15, row_bcast:31, then lane 63 is read
//   part of it:   lane XOR 1, 2, 4, …  for the lane bits that run along the axis
//
// The region that combines two elements is lowered once for each combination.
// The thing one gets wrong: bits of registers, lanes and warps that hold copies must not be combined, or a sum counts
// twice.
#include "lower_combine.h"

enum { DPP_ROW_BCAST15 = 0x142, DPP_ROW_BCAST31 = 0x143 };

typedef struct reduction {
    MlirOperation op;
    int operands;
    uint32_t axis_registers, copy_registers, axis_lanes, axis_warps; // masks of bits
    int axis_warp_count;
    bool convert;          // registers or lanes run diagonally to the axis, so operands are first given another layout
    kiln_layout_t source;  // of the operands when they are combined
    kiln_layout_t partial; // after the lanes: register bits that are left, over the result's elements (rank 1)
    kiln_layout_t result;  // likewise
    kiln_wave_exchange_t exchange; // element · waves + wave
} reduction_t;

static uint32_t without_axis(uint32_t flat, int shift, int bits)
{
    uint32_t low = (1u << shift) - 1;
    return (flat & low) | (flat >> bits & ~low);
}

static bool runs_diagonally(const kiln_layout_t *layout, uint32_t axis_mask)
{
    for (int place = 0; place < KILN_PLACES; place++)
        for (int i = 0; i < layout->bits[place]; i++)
            if ((layout->basis[place][i] & axis_mask) && (layout->basis[place][i] & ~axis_mask))
                return true;
    return false;
}

static kiln_status_t plan_reduction(kiln_lowering_t *l, MlirOperation op, reduction_t *out)
{
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 0)),
             result_type = mlirValueGetType(mlirOperationGetResult(op, 0));
    const kiln_layout_t *source = kiln_lower_layout(l, type);
    const kiln_layout_t *result = kiln_type_is_tensor(result_type) ? kiln_lower_layout(l, result_type) : NULL;
    if (!source || (kiln_type_is_tensor(result_type) && !result))
        return kiln_lower_take_failure(l);
    int axis = (int)kiln_ir_int_attr(op, "axis", 0), shift = kiln_layout_shift(source, axis),
        bits = source->log2_shape[axis];
    uint32_t axis_mask = ((1u << bits) - 1) << shift;
    *out = (reduction_t){.op = op, .operands = (int)mlirOperationGetNumOperands(op), .exchange.op = op};
    if (out->operands > KILN_MAX_COMBINED)
        return kiln_lower_unsupported(op, "more than %d operands", KILN_MAX_COMBINED);
    out->convert = runs_diagonally(source, axis_mask);
    out->source = out->convert ? kiln_layout_straighten(source) : *source;
    source = &out->source;
    uint32_t copies[KILN_PLACES], *axis_bits[KILN_PLACES] = {&out->axis_registers, &out->axis_lanes, &out->axis_warps};
    kiln_layout_t *partial = &out->partial, *write = &out->exchange.write;
    partial->rank = write->rank = 1;
    for (int d = 0; d < source->rank; d++)
        partial->log2_shape[0] = (uint8_t)(partial->log2_shape[0] + (d == axis ? 0 : source->log2_shape[d]));
    for (int place = 0; place < KILN_PLACES; place++) {
        copies[place] = kiln_layout_free_bits(source, (kiln_place_t)place);
        for (int i = 0; i < source->bits[place]; i++) {
            uint32_t basis = source->basis[place][i], left = without_axis(basis & ~axis_mask, shift, bits);
            bool is_copy = copies[place] >> i & 1, along = (basis & axis_mask) != 0;

            if (along && !is_copy)
                *axis_bits[place] |= 1u << i;
            if (place == KILN_REGISTER && (along || is_copy))
                continue;
            partial->basis[place][partial->bits[place]++] = left;
        }
    }
    out->copy_registers = copies[KILN_REGISTER];
    out->axis_warp_count = __builtin_popcount(out->axis_warps);

    if (result) {
        out->result = *result;
        out->result.rank = 1;
        out->result.log2_shape[0] = partial->log2_shape[0];
    } else {
        out->result.rank = 1;
        out->result.bits[KILN_LANE] = partial->bits[KILN_LANE];
        out->result.bits[KILN_WARP] = partial->bits[KILN_WARP];
    }
    // In LDS the waves' results for one element stand side by side.
    *write = *partial;
    write->log2_shape[0] = (uint8_t)(partial->log2_shape[0] + out->axis_warp_count);
    int wave = 0;
    for (int place = 0; place < KILN_PLACES; place++)
        for (int i = 0; i < write->bits[place]; i++) {
            write->basis[place][i] <<= out->axis_warp_count;
            if (place == KILN_WARP && (out->axis_warps >> i & 1))
                write->basis[place][i] |= 1u << wave++;
        }
    kiln_layout_t *read = &out->exchange.read;
    *read = out->result;
    read->log2_shape[0] = write->log2_shape[0];
    read->bits[KILN_REGISTER] = (uint8_t)(out->result.bits[KILN_REGISTER] + out->axis_warp_count);
    for (int i = 0; i < out->axis_warp_count; i++)
        read->basis[KILN_REGISTER][i] = 1u << i;
    for (int i = 0; i < out->result.bits[KILN_REGISTER]; i++)
        read->basis[KILN_REGISTER][i + out->axis_warp_count] = out->result.basis[KILN_REGISTER][i]
                                                               << out->axis_warp_count;
    for (int place = KILN_LANE; place <= KILN_WARP; place++)
        for (int i = 0; i < read->bits[place]; i++)
            read->basis[place][i] <<= out->axis_warp_count;
    return KILN_OK;
}

static int operand_bits(const reduction_t *reduction, int operand)
{
    return kiln_type_bits(mlirValueGetType(mlirOperationGetOperand(reduction->op, operand)));
}

// Bytes of LDS for giving an operand the layout that is reduced, and a result its own.
static uint32_t conversion_before(kiln_lowering_t *l, const reduction_t *reduction, int operand)
{
    if (!reduction->convert)
        return 0;
    const kiln_layout_t *given =
        kiln_lower_layout(l, mlirValueGetType(mlirOperationGetOperand(reduction->op, operand)));
    return given ? kiln_lower_convert_scratch(l, given, &reduction->source, operand_bits(reduction, operand)) : 0;
}

static uint32_t conversion_after(kiln_lowering_t *l, const reduction_t *reduction, int operand)
{
    if (reduction->axis_warp_count || !kiln_type_is_tensor(mlirValueGetType(mlirOperationGetResult(reduction->op, 0))))
        return 0;
    return kiln_lower_convert_scratch(l, &reduction->partial, &reduction->result, operand_bits(reduction, operand));
}

uint32_t kiln_lower_reduce_scratch(kiln_lowering_t *l, MlirOperation op)
{
    reduction_t reduction;
    kiln_status_t status = plan_reduction(l, op, &reduction);
    if (status) {
        kiln_status_free(status); // the handler reports it
        return 0;
    }

    uint32_t bytes = reduction.axis_warp_count ? kiln_wave_exchange_scratch(l, &reduction.exchange) : 0;
    for (int i = 0; i < reduction.operands; i++) {
        uint32_t before = conversion_before(l, &reduction, i), after = conversion_after(l, &reduction, i);
        bytes = bytes > before ? bytes : before;
        bytes = bytes > after ? bytes : after;
    }
    return bytes;
}

// Combination
// ------------------------------------------------------------------------------------------------------------------------------------

// values[n][operand] of 2^bits neighbours to values[0], pairwise, so that chains are short and the lower index comes
// first.
static kiln_status_t combine_tree(kiln_lowering_t *l, const reduction_t *reduction, kiln_tuple_t *values,
                                  uint32_t count)
{
    for (uint32_t step = 1; step < count; step *= 2)
        for (uint32_t i = 0; i + step < count; i += 2 * step)
            KILN_TRY(kiln_combine(l, reduction->op, values[i], values[i + step], values[i]));
    return KILN_OK;
}

static kiln_status_t combine_lanes(kiln_lowering_t *l, const reduction_t *reduction, LLVMValueRef *values)
{
    uint32_t lanes = reduction->axis_lanes;
    bool whole_wave = lanes == KILN_WAVE_SIZE - 1;
    for (uint32_t bit = 1; bit < KILN_WAVE_SIZE; bit *= 2) {
        kiln_tuple_t moved;
        if (!(lanes & bit))
            continue;
        for (int i = 0; i < reduction->operands; i++) {
            if (whole_wave && bit >= 16)
                moved[i] =
                    kiln_emit_dpp(l, values[i], bit == 16 ? DPP_ROW_BCAST15 : DPP_ROW_BCAST31, bit == 16 ? 0xa : 0xc);
            else // four lanes that agree already may be met in any order, and XOR 7 is one DPP
                moved[i] = kiln_emit_xor_lane(l, values[i], bit == 4 && (lanes & 3) == 3 ? 7 : bit);
        }
        KILN_TRY(kiln_combine(l, reduction->op, values, moved, values));
    }
    for (int i = 0; whole_wave && i < reduction->operands; i++)
        values[i] = kiln_emit_read_lane(l, values[i], KILN_WAVE_SIZE - 1);
    return KILN_OK;
}

static kiln_status_t combine_warps(kiln_lowering_t *l, const reduction_t *reduction, LLVMValueRef **partial,
                                   kiln_tile_t **results)
{
    uint32_t waves = 1u << reduction->axis_warp_count, count = kiln_layout_registers(&reduction->result);
    LLVMValueRef *loaded[KILN_MAX_COMBINED];
    if (reduction->convert)
        kiln_emit_barrier(l); // the conversion may have used the same scratch
    for (int i = 0; i < reduction->operands; i++)
        loaded[i] = KILN_LOWER_ARRAY(l, LLVMValueRef, count * waves);
    KILN_TRY(kiln_exchange_between_waves(l, &reduction->exchange, partial, loaded));
    uint32_t copies = kiln_layout_free_bits(&reduction->result, KILN_REGISTER);
    kiln_tuple_t values[16];
    for (uint32_t r = 0; r < count; r++) {
        for (uint32_t w = 0; w < waves; w++)
            for (int i = 0; i < reduction->operands; i++)
                values[w][i] = loaded[i][r * waves + w];
        if (!(r & copies))
            KILN_TRY(combine_tree(l, reduction, values, waves));
        for (int i = 0; i < reduction->operands; i++)
            results[i]->values[r] =
                r & copies ? results[i]->values[kiln_layout_twin(&reduction->result, r)] : values[0][i];
    }
    return KILN_OK;
}

static kiln_status_t place_results(kiln_lowering_t *l, const reduction_t *reduction, LLVMValueRef **partial,
                                   kiln_tile_t **results)
{
    uint32_t count = kiln_layout_registers(&reduction->partial);
    for (int i = 0; i < reduction->operands; i++) {
        kiln_tile_t held = {.type = results[i]->type,
                            .count = count,
                            .element = results[i]->element,
                            .values = partial[i],
                            .block = LLVMGetInsertBlock(l->builder)};

        if (results[i]->layout && conversion_after(l, reduction, i) && (i || reduction->convert))
            kiln_emit_barrier(l);
        if (results[i]->layout)
            KILN_TRY(kiln_lower_convert(l, reduction->op, &held, &reduction->partial, results[i], &reduction->result));
        else
            results[i]->values[0] =
                reduction->axis_lanes == KILN_WAVE_SIZE - 1 ? partial[i][0] : kiln_emit_uniform(l, partial[i][0]);
    }
    return KILN_OK;
}

kiln_status_t kiln_lower_reduce(kiln_lowering_t *l, MlirOperation op)
{
    reduction_t reduction;
    KILN_TRY(plan_reduction(l, op, &reduction));
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
        if (i && conversion_before(l, &reduction, i))
            kiln_emit_barrier(l);
        KILN_TRY(kiln_convert_operand(l, op, sources[i], sources[i]->layout, &reduction.source, &sources[i]));
    }
    uint32_t kept =
        (kiln_layout_registers(&reduction.source) - 1) & ~reduction.axis_registers & ~reduction.copy_registers;
    kiln_tuple_t *values = kiln_lower_arena_alloc(l->arena, sizeof(kiln_tuple_t) * along);
    for (uint32_t r = 0; r < left; r++) {
        for (uint32_t n = 0; n < along; n++)
            for (int i = 0; i < reduction.operands; i++)
                values[n][i] = kiln_tile_value(
                    l, sources[i], kiln_spread_bits(r, kept) | kiln_spread_bits(n, reduction.axis_registers));
        KILN_TRY(combine_tree(l, &reduction, values, along));
        KILN_TRY(combine_lanes(l, &reduction, values[0]));
        for (int i = 0; i < reduction.operands; i++)
            partial[i][r] = values[0][i];
    }
    if (reduction.axis_warp_count)
        KILN_TRY(combine_warps(l, &reduction, partial, results));
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
