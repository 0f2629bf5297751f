// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes ranges under a mask; see masked_range.h. Comparisons of the mask become facts: a value,
// its place, its range. Facts are propagated to operands as far as the operations can be inverted;
// ranges are then recomputed forwards from them.
//
// The number of paths through a value's operands is unbounded, so steps are counted. When none are
// left, the result is the range that holds everywhere.
#include "analysis/range/masked_range.h"

#include "analysis/range/program_bound.h"
#include "builder/compare.h"
#include "builder/op_facts.h"

enum { MAX_STEPS = 400, MAX_OPERANDS = 4, MASK_DEPTH = 16, VALUE_DEPTH = 24 };

static const kiln_place_t scalar_place; // of rank 0

static kiln_range_t masked_range(kiln_masked_ranges_t *masked, MlirValue value,
                                 const kiln_place_t *place, int depth);

// Facts -------------------------------------------------------------------------------------------

static bool fits(int bits, int64_t value)
{
    return bits >= 64 || (value >= -(INT64_C(1) << (bits - 1)) && value < INT64_C(1) << (bits - 1));
}

// The range of a value to which a constant is added, if that sum does not wrap for any number of
// the range.
static bool range_before_addition(MlirOperation op, const kiln_range_t *sum, kiln_range_t *out)
{
    int64_t constant, min, max;
    if (!kiln_ir_constant_int(kiln_op_operand(op, 1), &constant))
        return false;
    if (kiln_op_kind(op) == KILN_OP_ARITH_SUBI && __builtin_sub_overflow(0, constant, &constant))
        return false;
    if (__builtin_sub_overflow(sum->signed_min, constant, &min) ||
        __builtin_sub_overflow(sum->signed_max, constant, &max) || !fits(sum->bits, min) ||
        !fits(sum->bits, max))
        return false;
    *out = kiln_range_of_signed(sum->bits, min, max);
    return true;
}

static void add_fact(kiln_masked_ranges_t *masked, MlirValue value, const kiln_place_t *place,
                     kiln_range_t range)
{
    kiln_place_t at = *place;
    for (int depth = VALUE_DEPTH; depth > 0 && masked->count < KILN_MASK_MAX_FACTS; depth--) {
        MlirOperation op;
        const kiln_op_t kind = kiln_value_op(value, &op);
        masked->facts[masked->count++] = (kiln_mask_fact_t){value, at, range};
        if (kind == KILN_OP_ARITH_ADDI || kind == KILN_OP_ARITH_SUBI) {
            if (!range_before_addition(op, &range, &range))
                return;
        } else if (kind == KILN_OP_ARITH_EXTSI) {
            // The value cannot be outside the operand's type.
            const kiln_range_t all = kiln_range_full(mlirValueGetType(kiln_op_operand(op, 0)));
            if (range.signed_min > all.signed_max || range.signed_max < all.signed_min)
                return;
            range = kiln_range_of_signed(
                all.bits, range.signed_min > all.signed_min ? range.signed_min : all.signed_min,
                range.signed_max < all.signed_max ? range.signed_max : all.signed_max);
        } else if (mlirOperationIsNull(op) || !kiln_place_of_operand(op, &at, &at)) {
            return;
        }
        value = kiln_op_operand(op, 0);
    }
}

static void collect(kiln_masked_ranges_t *masked, MlirValue mask, const kiln_place_t *place,
                    int depth)
{
    MlirOperation op;
    kiln_place_t inner;
    const kiln_op_t kind = kiln_value_op(mask, &op);
    if (mlirOperationIsNull(op) || depth == 0)
        return;
    if (kind == KILN_OP_ARITH_ANDI) {
        collect(masked, kiln_op_operand(op, 0), place, depth - 1);
        collect(masked, kiln_op_operand(op, 1), place, depth - 1);
    } else if (kiln_place_of_operand(op, place, &inner)) {
        collect(masked, kiln_op_operand(op, 0), &inner, depth - 1);
    } else if (kind == KILN_OP_ARITH_CMPI) {
        const kiln_cmpi_t predicate = kiln_cmpi_of(op);
        for (int i = 0; i < 2 && predicate != KILN_CMPI_NONE; i++) {
            MlirValue value = kiln_op_operand(op, i), other = kiln_op_operand(op, 1 - i);
            masked->steps = MAX_STEPS;
            const kiln_range_t bound = masked_range(masked, other, place, VALUE_DEPTH),
                               before = kiln_range_of(masked->ranges, value);
            if (before.bits && bound.bits)
                add_fact(masked, value, place,
                         kiln_range_where(
                             &before, i == 0 ? predicate : kiln_cmpi_mirrored(predicate), &bound));
        }
    }
}

// Whether the scalar is greater than `min` if the mask is true.
static bool is_more(void *user, MlirValue scalar, int64_t min)
{
    kiln_masked_ranges_t *masked = user;
    const kiln_range_t range = kiln_masked_range_of(masked, scalar, &scalar_place);
    return range.bits && range.signed_min > min;
}

// Bounds the program ids for which the mask is true anywhere.
static void bound_programs(kiln_masked_ranges_t *masked, MlirOperation function)
{
    MlirBlock block = kiln_op_body(function, 0);
    int64_t max = -1;
    for (MlirOperation op = mlirBlockIsNull(block) ? (MlirOperation){NULL}
                                                   : mlirBlockGetFirstOperation(block);
         !mlirOperationIsNull(op) && masked->count < KILN_MASK_MAX_FACTS;
         op = mlirOperationGetNextInBlock(op)) {
        if (kiln_op_kind(op) != KILN_OP_TT_GET_PROGRAM_ID || kiln_ir_int_attr(op, "axis", 0) != 0)
            continue;
        const kiln_range_t all = kiln_range_of(masked->ranges, kiln_op_result(op, 0));
        if (max < 0)
            max = kiln_program_bound_where(function, all.signed_max, is_more, masked);
        if (max < all.signed_max)
            add_fact(masked, kiln_op_result(op, 0), &scalar_place,
                     kiln_range_of_signed(all.bits, 0, max));
    }
}

void kiln_masked_ranges_begin(const kiln_range_analysis_t *ranges, MlirOperation access,
                              MlirValue mask, kiln_masked_ranges_t *out)
{
    *out = (kiln_masked_ranges_t){.ranges = ranges};
    kiln_place_t place;
    if (mlirValueIsNull(mask) || !kiln_place_begin(mask, &place))
        return;
    collect(out, mask, &place, MASK_DEPTH);
    MlirOperation function = access;
    while (!mlirOperationIsNull(function) && kiln_op_kind(function) != KILN_OP_TT_FUNC)
        function = kiln_op_parent(function);
    if (out->count > 0 && !mlirOperationIsNull(function))
        bound_programs(out, function);
}

// Ranges ------------------------------------------------------------------------------------------

static kiln_range_t computed(kiln_masked_ranges_t *masked, MlirOperation op,
                             const kiln_range_t *all, const kiln_place_t *place, int depth)
{
    kiln_range_t operands[MAX_OPERANDS] = {{0}};
    const intptr_t count = mlirOperationGetNumOperands(op);
    kiln_place_t inner;
    if (kiln_place_of_operand(op, place, &inner))
        return masked_range(masked, kiln_op_operand(op, 0), &inner, depth);
    if (!kiln_op_has(kiln_op_kind(op), KILN_ELEMENTWISE) || count > MAX_OPERANDS ||
        mlirOperationGetNumResults(op) != 1 || mlirOperationGetNumRegions(op) > 0)
        return *all;
    for (intptr_t i = 0; i < count; i++) {
        MlirValue operand = mlirOperationGetOperand(op, i);
        const bool is_scalar = !kiln_type_is_tensor(mlirValueGetType(operand));
        operands[i] = masked_range(masked, operand, is_scalar ? &scalar_place : place, depth);
    }
    return kiln_range_transfer(op, 0, operands, 1);
}

static kiln_range_t masked_range(kiln_masked_ranges_t *masked, MlirValue value,
                                 const kiln_place_t *place, int depth)
{
    MlirOperation op;
    kiln_range_t range = kiln_range_of(masked->ranges, value);
    if (!range.bits || range.signed_min == range.signed_max)
        return range;
    for (int i = 0; i < masked->count; i++)
        if (mlirValueEqual(masked->facts[i].value, value) &&
            kiln_place_equal(&masked->facts[i].place, place))
            range = kiln_range_meet(&range, &masked->facts[i].range);
    kiln_value_op(value, &op);
    if (mlirOperationIsNull(op) || depth == 0 || --masked->steps < 0)
        return range;
    const kiln_range_t anew = computed(masked, op, &range, place, depth - 1);
    return anew.bits == range.bits ? kiln_range_meet(&range, &anew) : range;
}

kiln_range_t kiln_masked_range_of(kiln_masked_ranges_t *masked, MlirValue value,
                                  const kiln_place_t *place)
{
    masked->steps = MAX_STEPS;
    return masked_range(masked, value, place, VALUE_DEPTH);
}
