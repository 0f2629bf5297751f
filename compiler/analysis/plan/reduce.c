// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans a reduction; see combine.h.
//
// A layout whose registers or lanes run diagonally to the axis cannot be reduced place by place;
// operands are first converted to one without diagonals. A region that does not commute also needs
// a single bit of the axis in each place, and copies that hold the same element in the same place.
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

// Whether a bit of a place changes several bits of the axis, or copies an element of another place:
// threads would then see the elements in different orders.
static bool hides_order(const kiln_layout_t *layout, uint32_t axis_mask)
{
    for (int place = 0; place < KILN_PLACES; place++) {
        uint32_t copies = kiln_layout_free_bits(layout, (kiln_place_t)place);
        for (int i = 0; i < layout->bits[place]; i++) {
            uint32_t along = layout->basis[place][i] & axis_mask;
            if ((along & (along - 1)) || (along && (copies >> i & 1)))
                return true;
        }
    }
    return false;
}

// Finds the steps in the order of the axis, and the bits left for after the exchange.
static void order_steps(kiln_reduction_t *out, int shift, int bits)
{
    const kiln_layout_t *layout = &out->source;
    for (int b = shift; b < shift + bits; b++)
        for (int place = 0; place < KILN_PLACES; place++)
            for (int i = 0; i < layout->bits[place]; i++) {
                if (layout->basis[place][i] != 1u << b)
                    continue;
                if (place == KILN_WARP && !out->late_bits)
                    out->late_bits = shift + bits - b;
                if (!out->late_bits)
                    out->steps[out->step_count++] = (kiln_place_bit_t){(kiln_place_t)place, i};
            }
}

static int operand_bits(const kiln_reduction_t *reduction, int operand)
{
    return kiln_type_bits(mlirValueGetType(mlirOperationGetOperand(reduction->op, operand)));
}

// Whether each lane should read one of the waves' partial results, for lanes to combine: if the
// results of an element are so many that a lane would read LDS more than once, while all waves do
// so at the same time, and neighbouring lanes hold copies of the result. Moves within a row of 16
// lanes take as long as other instructions.
static bool reads_by_lanes(const kiln_reduction_t *reduction)
{
    enum { ROW_BITS = 4, READ_BITS = 128 };
    const kiln_layout_t *result = &reduction->result;
    int bits = 0;
    if (reduction->in_order || reduction->late_bits > ROW_BITS ||
        reduction->late_bits > result->bits[KILN_LANE])
        return false;
    for (int b = 0; b < reduction->late_bits; b++)
        if (result->basis[KILN_LANE][b])
            return false;
    for (int i = 0; i < reduction->operands; i++)
        if (operand_bits(reduction, i) > bits)
            bits = operand_bits(reduction, i);
    return bits << reduction->late_bits > READ_BITS;
}

// Sets the layout in which partial results are read.
static void plan_read(kiln_reduction_t *out)
{
    kiln_layout_t *read = &out->exchange.read;
    *read = out->result;
    read->log2_shape[0] = out->exchange.write.log2_shape[0];
    for (int place = 0; place < KILN_PLACES; place++)
        for (int i = 0; i < read->bits[place]; i++)
            read->basis[place][i] <<= out->late_bits;
    out->late_in_lanes = reads_by_lanes(out);
    for (int i = 0; i < out->late_bits && out->late_in_lanes; i++)
        read->basis[KILN_LANE][i] = 1u << i;
    if (out->late_in_lanes)
        return;
    for (int i = read->bits[KILN_REGISTER]; i-- > 0;)
        read->basis[KILN_REGISTER][i + out->late_bits] = read->basis[KILN_REGISTER][i];
    for (int i = 0; i < out->late_bits; i++)
        read->basis[KILN_REGISTER][i] = 1u << i;
    read->bits[KILN_REGISTER] = (uint8_t)(read->bits[KILN_REGISTER] + out->late_bits);
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
    out->in_order = !kiln_reduction_commutes(op);
    out->convert =
        runs_diagonally(source, axis_mask) || (out->in_order && hides_order(source, axis_mask));
    out->source = out->convert ? kiln_layout_straighten(source) : *source;
    source = &out->source;
    if (out->in_order)
        order_steps(out, shift, bits);
    int first_late = shift + bits - out->late_bits; // bit of the flat index
    uint32_t late_mask = axis_mask >> first_late << first_late, copies[KILN_PLACES],
             *axis_bits[] = {&out->axis_registers, &out->axis_lanes, &out->axis_warps};
    kiln_layout_t *partial = &out->partial, *write = &out->exchange.write;
    partial->rank = write->rank = 1;
    for (int d = 0; d < source->rank; d++)
        partial->log2_shape[0] =
            (uint8_t)(partial->log2_shape[0] + (d == axis ? 0 : source->log2_shape[d]));
    uint32_t late[KILN_PLACES][32]; // index of the partial result that a bit of `partial` selects
    int wave = 0;
    for (int place = 0; place < KILN_PLACES; place++) {
        copies[place] = kiln_layout_free_bits(source, (kiln_place_t)place);
        for (int i = 0; i < source->bits[place]; i++) {
            uint32_t basis = source->basis[place][i],
                     left = without_axis(basis & ~axis_mask, shift, bits),
                     index = (basis & late_mask) >> first_late;
            bool is_copy = copies[place] >> i & 1, along = (basis & axis_mask) != 0;

            if (along && !is_copy && !index)
                *axis_bits[place] |= 1u << i;
            if (place == KILN_REGISTER && ((along && !index) || is_copy))
                continue;
            if (place == KILN_WARP && along && !is_copy && !out->in_order)
                index = 1u << wave++;
            late[place][partial->bits[place]] = index;
            partial->basis[place][partial->bits[place]++] = left;
        }
    }
    out->copy_registers = copies[KILN_REGISTER];
    if (!out->in_order)
        out->late_bits = wave;

    if (kiln_type_is_tensor(result_type)) {
        KILN_TRY(kiln_layout_of_type(result_type, num_warps, &out->result));
        out->result.rank = 1;
        out->result.log2_shape[0] = partial->log2_shape[0];
    } else {
        out->result.rank = 1;
        out->result.bits[KILN_LANE] = partial->bits[KILN_LANE];
        out->result.bits[KILN_WARP] = partial->bits[KILN_WARP];
    }
    // In LDS the partial results for one element are adjacent.
    *write = *partial;
    write->log2_shape[0] = (uint8_t)(partial->log2_shape[0] + out->late_bits);
    for (int place = 0; place < KILN_PLACES; place++)
        for (int i = 0; i < write->bits[place]; i++)
            write->basis[place][i] = write->basis[place][i] << out->late_bits | late[place][i];
    plan_read(out);
    return KILN_OK;
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
    if (reduction->late_bits ||
        !kiln_type_is_tensor(mlirValueGetType(mlirOperationGetResult(reduction->op, 0))))
        return 0;
    return kiln_layout_conversion_scratch(&reduction->partial, &reduction->result,
                                          operand_bits(reduction, operand));
}

uint32_t kiln_reduction_scratch(const kiln_reduction_t *reduction)
{
    uint32_t bytes = reduction->late_bits ? kiln_wave_exchange_scratch(&reduction->exchange) : 0;
    for (int i = 0; i < reduction->operands; i++) {
        uint32_t before = kiln_reduction_scratch_before(reduction, i),
                 after = kiln_reduction_scratch_after(reduction, i);
        bytes = bytes > before ? bytes : before;
        bytes = bytes > after ? bytes : after;
    }
    return bytes;
}
