// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds trends along use-def chains; see trend.h.
#include "analysis/trend.h"

#include "builder/ir.h"
#include "builder/op_facts.h"

enum { LOWER, UPPER, STEP, MAX_STEPS = 1000 };

typedef struct search {
    int axis, steps;
} search_t;

static kiln_trend_t trend_of(search_t *search, MlirValue value);

static kiln_trend_t opposite(kiln_trend_t trend)
{
    return trend == KILN_TREND_RISES   ? KILN_TREND_FALLS
           : trend == KILN_TREND_FALLS ? KILN_TREND_RISES
                                       : trend;
}

// The trend of a number that rises with each of two numbers.
static kiln_trend_t joined(kiln_trend_t a, kiln_trend_t b)
{
    return a == KILN_TREND_NONE || a == b ? b : b == KILN_TREND_NONE ? a : KILN_TREND_UNKNOWN;
}

static kiln_trend_t operand(search_t *search, MlirOperation op, int index)
{
    return trend_of(search, kiln_op_operand(op, index));
}

// NONE if no operand depends on the program id, else UNKNOWN.
static kiln_trend_t of_operands(search_t *search, MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (trend_of(search, mlirOperationGetOperand(op, i)) != KILN_TREND_NONE)
            return KILN_TREND_UNKNOWN;
    return KILN_TREND_NONE;
}

// Whether a value is a condition as a number, which is at most 1: cdiv adds one to a quotient.
static bool is_condition(MlirValue value)
{
    MlirOperation op;
    const kiln_op_t kind = kiln_value_op(value, &op);
    return (kind == KILN_OP_ARITH_EXTSI || kind == KILN_OP_ARITH_EXTUI) &&
           kiln_type_bits(mlirValueGetType(kiln_op_operand(op, 0))) == 1;
}

static kiln_trend_t addend(search_t *search, MlirOperation op, int index)
{
    return is_condition(kiln_op_operand(op, index)) ? KILN_TREND_NONE : operand(search, op, index);
}

// A minimum with a number that falls is usually the rest of the last program: all others do as
// much as the other operand says.
static kiln_trend_t minimum(search_t *search, MlirOperation op)
{
    const kiln_trend_t a = operand(search, op, 0), b = operand(search, op, 1);
    return a != b && (a == KILN_TREND_FALLS || b == KILN_TREND_FALLS) ? KILN_TREND_UNKNOWN
                                                                      : joined(a, b);
}

// The trend of a product, a quotient or a shift, whose operand number `by` is the factor, the
// divisor or the distance: that of the other operand, if the factor has none.
static kiln_trend_t scaled(search_t *search, MlirOperation op, int by)
{
    int64_t constant;
    if (operand(search, op, by) != KILN_TREND_NONE)
        return KILN_TREND_UNKNOWN;
    const kiln_trend_t trend = operand(search, op, 1 - by);
    const bool is_negative =
        kiln_ir_constant_int(kiln_op_operand(op, by), &constant) && constant < 0;
    return is_negative ? opposite(trend) : trend;
}

// A result of scf.if: what its branches yield, if the condition does not depend on the program id.
static kiln_trend_t yielded(search_t *search, MlirOperation branch, int result)
{
    if (operand(search, branch, 0) != KILN_TREND_NONE)
        return KILN_TREND_UNKNOWN;
    return joined(operand(search, kiln_block_terminator(kiln_op_body(branch, 0)), result),
                  operand(search, kiln_block_terminator(kiln_op_body(branch, 1)), result));
}

// Whether a value without an operation is an argument of the kernel.
static bool is_argument(MlirValue value)
{
    const MlirBlock block = mlirBlockArgumentGetOwner(value);
    const MlirOperation owner = mlirBlockGetParentOperation(block);
    return kiln_op_kind(owner) == KILN_OP_TT_FUNC && kiln_func_is_public(owner) &&
           mlirBlockEqual(block, kiln_op_body(owner, 0));
}

static kiln_trend_t trend_of(search_t *search, MlirValue value)
{
    MlirOperation op;
    const kiln_op_t kind = kiln_value_op(value, &op);
    if (search->steps++ >= MAX_STEPS)
        return KILN_TREND_UNKNOWN;
    if (mlirOperationIsNull(op))
        return is_argument(value) ? KILN_TREND_NONE : KILN_TREND_UNKNOWN;
    switch (kind) {
    case KILN_OP_TT_GET_PROGRAM_ID:
        return kiln_ir_int_attr(op, "axis", 0) == search->axis ? KILN_TREND_RISES : KILN_TREND_NONE;
    case KILN_OP_ARITH_ADDI:
        return joined(addend(search, op, 0), addend(search, op, 1));
    case KILN_OP_ARITH_SUBI:
        return joined(addend(search, op, 0), opposite(addend(search, op, 1)));
    case KILN_OP_ARITH_MINSI:
    case KILN_OP_ARITH_MINUI:
        return minimum(search, op);
    case KILN_OP_ARITH_MAXSI:
    case KILN_OP_ARITH_MAXUI:
        return joined(operand(search, op, 0), operand(search, op, 1));
    case KILN_OP_ARITH_MULI: {
        const kiln_trend_t trend = scaled(search, op, 1);
        return trend == KILN_TREND_UNKNOWN ? scaled(search, op, 0) : trend;
    }
    case KILN_OP_ARITH_DIVSI:
    case KILN_OP_ARITH_DIVUI:
    case KILN_OP_ARITH_CEILDIVSI:
    case KILN_OP_ARITH_CEILDIVUI:
    case KILN_OP_ARITH_FLOORDIVSI:
    case KILN_OP_ARITH_SHLI:
    case KILN_OP_ARITH_SHRSI:
    case KILN_OP_ARITH_SHRUI:
        return scaled(search, op, 1);
    case KILN_OP_ARITH_EXTSI:
    case KILN_OP_ARITH_EXTUI:
        return is_condition(value) ? of_operands(search, op) : operand(search, op, 0);
    case KILN_OP_ARITH_TRUNCI:
    case KILN_OP_ARITH_INDEX_CAST:
    case KILN_OP_ARITH_INDEX_CASTUI:
        return operand(search, op, 0);
    case KILN_OP_ARITH_SELECT:
        return operand(search, op, 0) == KILN_TREND_NONE
                   ? joined(operand(search, op, 1), operand(search, op, 2))
                   : KILN_TREND_UNKNOWN;
    case KILN_OP_SCF_IF:
        return yielded(search, op, (int)mlirOpResultGetResultNumber(value));
    default: // what it computes or loads depends on its operands alone
        return mlirOperationGetNumRegions(op) == 0 &&
                       (kiln_op_effects(op) & ~(KILN_READS_GLOBAL | KILN_CLAIMS)) == 0
                   ? of_operands(search, op)
                   : KILN_TREND_UNKNOWN;
    }
}

kiln_trend_t kiln_trend(MlirValue value, int axis)
{
    return trend_of(&(search_t){.axis = axis}, value);
}

static MlirValue without_casts(MlirValue value)
{
    MlirOperation op;
    for (kiln_op_t kind = kiln_value_op(value, &op);
         kind == KILN_OP_ARITH_EXTSI || kind == KILN_OP_ARITH_EXTUI ||
         kind == KILN_OP_ARITH_INDEX_CAST || kind == KILN_OP_ARITH_INDEX_CASTUI;
         kind = kiln_value_op(value, &op))
        value = kiln_op_operand(op, 0);
    return value;
}

// Whether the loop starts at a multiple of the program id and takes larger steps: iterations are
// divided among the programs, so trip counts differ by at most one.
static bool divides_iterations(MlirOperation loop, int axis)
{
    MlirOperation op;
    int64_t step, factor = 1;
    MlirValue first = without_casts(kiln_op_operand(loop, LOWER));
    if (kiln_value_op(first, &op) == KILN_OP_ARITH_MULI) {
        const int by = kiln_ir_constant_int(kiln_op_operand(op, 1), &factor) ? 1 : 0;
        first = without_casts(kiln_op_operand(op, 1 - by));
    }
    return kiln_value_op(first, &op) == KILN_OP_TT_GET_PROGRAM_ID &&
           kiln_ir_int_attr(op, "axis", 0) == axis &&
           !(kiln_ir_constant_int(kiln_op_operand(loop, STEP), &step) && step <= factor);
}

kiln_trend_t kiln_trip_trend(MlirOperation loop, int axis)
{
    const kiln_trend_t lower = kiln_trend(kiln_op_operand(loop, LOWER), axis),
                       upper = kiln_trend(kiln_op_operand(loop, UPPER), axis),
                       step = kiln_trend(kiln_op_operand(loop, STEP), axis);
    return step == KILN_TREND_NONE && !divides_iterations(loop, axis)
               ? joined(upper, opposite(lower))
               : KILN_TREND_UNKNOWN;
}
