// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans a reduction; see combine.h.
//
// A layout whose registers or lanes run diagonally to the axis cannot be reduced place by place;
// operands are first converted to one without diagonals.
#include "analysis/plan/combine.h"

#include "builder/ir.h"
#include "layout/rearrange.h"

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

kiln_status_t kiln_plan_reduction(MlirOperation op, int num_warps, kiln_reduction_t *out)
{
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 0)),
             result_type = mlirValueGetType(mlirOperationGetResult(op, 0));
    *out = (kiln_reduction_t){
        .op = op, .operands = (int)mlirOperationGetNumOperands(op), .exchange.op = op};
    if (out->operands > KILN_MAX_COMBINED)
        return kiln_op_unsupported(op, "more than %d operands", KILN_MAX_COMBINED);
    KILN_TRY(kiln_layout_of_type(type, num_warps, &out->given));
    const kiln_layout_t *source = &out->given;
    int axis = (int)kiln_ir_int_attr(op, "axis", 0), shift = kiln_layout_shift(source, axis),
        bits = source->log2_shape[axis];
    uint32_t axis_mask = ((1u << bits) - 1) << shift;
    out->convert = runs_diagonally(source, axis_mask);
    out->source = out->convert ? kiln_layout_straighten(source) : *source;
    source = &out->source;
    uint32_t copies[KILN_PLACES],
        *axis_bits[KILN_PLACES] = {&out->axis_registers, &out->axis_lanes, &out->axis_warps};
    kiln_layout_t *partial = &out->partial, *write = &out->exchange.write;
    partial->rank = write->rank = 1;
    for (int d = 0; d < source->rank; d++)
        partial->log2_shape[0] =
            (uint8_t)(partial->log2_shape[0] + (d == axis ? 0 : source->log2_shape[d]));
    for (int place = 0; place < KILN_PLACES; place++) {
        copies[place] = kiln_layout_free_bits(source, (kiln_place_t)place);
        for (int i = 0; i < source->bits[place]; i++) {
            uint32_t basis = source->basis[place][i],
                     left = without_axis(basis & ~axis_mask, shift, bits);
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

    if (kiln_type_is_tensor(result_type)) {
        KILN_TRY(kiln_layout_of_type(result_type, num_warps, &out->result));
        out->result.rank = 1;
        out->result.log2_shape[0] = partial->log2_shape[0];
    } else {
        out->result.rank = 1;
        out->result.bits[KILN_LANE] = partial->bits[KILN_LANE];
        out->result.bits[KILN_WARP] = partial->bits[KILN_WARP];
    }
    // In LDS the waves' results for one element are adjacent.
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

static int operand_bits(const kiln_reduction_t *reduction, int operand)
{
    return kiln_type_bits(mlirValueGetType(mlirOperationGetOperand(reduction->op, operand)));
}

uint32_t kiln_reduction_scratch_before(const kiln_reduction_t *reduction, int operand)
{
    if (!reduction->convert)
        return 0;
    return kiln_layout_conversion_scratch(&reduction->given, &reduction->source,
                                          operand_bits(reduction, operand));
}

uint32_t kiln_reduction_scratch_after(const kiln_reduction_t *reduction, int operand)
{
    if (reduction->axis_warp_count ||
        !kiln_type_is_tensor(mlirValueGetType(mlirOperationGetResult(reduction->op, 0))))
        return 0;
    return kiln_layout_conversion_scratch(&reduction->partial, &reduction->result,
                                          operand_bits(reduction, operand));
}

uint32_t kiln_reduction_scratch(const kiln_reduction_t *reduction)
{
    uint32_t bytes =
        reduction->axis_warp_count ? kiln_wave_exchange_scratch(&reduction->exchange) : 0;
    for (int i = 0; i < reduction->operands; i++) {
        uint32_t before = kiln_reduction_scratch_before(reduction, i),
                 after = kiln_reduction_scratch_after(reduction, i);
        bytes = bytes > before ? bytes : before;
        bytes = bytes > after ? bytes : after;
    }
    return bytes;
}
