// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Protects loops that MLIR's canonicalizer would miscount (codegen/workarounds.def: trip_counts).
// Up to LLVM 22 it treats the distance between the constant bounds of a signed loop, and a constant
// step even of an unsigned loop, as signed numbers of the loop's type: a distance or step of 2^(n −
// 1) or more becomes negative, and the loop is deleted as if it never ran. Such loops first count
// their iterations in i64:
//
//   scf.for %i = %lower to %upper step %s : i32            %n = number of iterations, as i64
//     body(%i)                                      →      scf.for %k = 0 to %n step 1 : i64
//                                                            body(%lower + %k · %s)
//
// Bounds may become constant only while the canonicalizer runs, so the pass considers whether they
// may fold to constants. Loops whose distance and step are proved to be small, or whose bounds
// cannot fold to constants, are unchanged.
#include <stdlib.h>

#include "analysis/range/integer_range.h"
#include "passes/loops/for_loop.h"
#include "passes/pass.h"

enum { LOWER, UPPER, STEP, CARRIED, DEPTH = 6 };

static bool may_become_constant(MlirValue value, int depth);

static bool both_may(MlirOperation op, int first, int depth)
{
    return may_become_constant(kiln_op_operand(op, first), depth - 1) &&
           may_become_constant(kiln_op_operand(op, first + 1), depth - 1);
}

static bool may_become_constant(MlirValue value, int depth)
{
    MlirOperation op;
    kiln_op_t kind = kiln_value_op(value, &op);
    const kiln_range_t range = kiln_range_nearby(value);
    if (depth == 0 || (range.bits && range.signed_min == range.signed_max))
        return true;
    if (mlirValueIsABlockArgument(value)) // an operation may be folded to one of its operands
        return kiln_op_kind(mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value))) !=
               KILN_OP_TT_FUNC;
    switch (kind) {
    case KILN_OP_TT_LOAD:
    case KILN_OP_AMDG_BUFFER_LOAD:
    case KILN_OP_TT_ATOMIC_RMW:
    case KILN_OP_TT_ATOMIC_CAS:
    case KILN_OP_TT_GET_PROGRAM_ID:
    case KILN_OP_TT_GET_NUM_PROGRAMS:
        return false;
    case KILN_OP_ARITH_EXTSI:
    case KILN_OP_ARITH_EXTUI:
    case KILN_OP_ARITH_TRUNCI:
        return may_become_constant(kiln_op_operand(op, 0), depth - 1);
    case KILN_OP_ARITH_ADDI:
    case KILN_OP_ARITH_MULI: // a single operand that decides the result, such as zero, gives a
                             // range of one number
    case KILN_OP_ARITH_ANDI:
    case KILN_OP_ARITH_MINSI:
    case KILN_OP_ARITH_MAXSI:
    case KILN_OP_ARITH_MINUI:
    case KILN_OP_ARITH_MAXUI:
        return both_may(op, 0, depth);
    case KILN_OP_ARITH_SELECT:
        return both_may(op, 1, depth) || (may_become_constant(kiln_op_operand(op, 0), depth - 1) &&
                                          (may_become_constant(kiln_op_operand(op, 1), depth - 1) ||
                                           may_become_constant(kiln_op_operand(op, 2), depth - 1)));
    case KILN_OP_ARITH_SUBI: // x − x is zero
        return mlirValueEqual(kiln_op_operand(op, 0), kiln_op_operand(op, 1)) ||
               both_may(op, 0, depth);
    default:
        return true;
    }
}

// upper = lower + constant also gives a constant distance.
static bool is_offset(MlirValue upper, MlirValue lower)
{
    MlirOperation op;
    int64_t constant;
    if (kiln_value_op(upper, &op) != KILN_OP_ARITH_ADDI)
        return false;
    for (int i = 0; i < 2; i++)
        if (mlirValueEqual(kiln_op_operand(op, i), lower) &&
            kiln_ir_constant_int(kiln_op_operand(op, 1 - i), &constant))
            return true;
    return false;
}

static bool may_be_miscounted(MlirOperation loop)
{
    if (kiln_op_kind(loop) != KILN_OP_SCF_FOR ||
        kiln_type_bits(mlirValueGetType(kiln_op_operand(loop, LOWER))) > 64)
        return false;
    MlirValue first = kiln_op_operand(loop, LOWER), end = kiln_op_operand(loop, UPPER);
    const kiln_range_t lower = kiln_range_nearby(first), upper = kiln_range_nearby(end);
    MlirType type = mlirValueGetType(first);
    int64_t max = mlirTypeIsAInteger(type)
                      ? (int64_t)((UINT64_C(1) << (kiln_type_bits(type) - 1)) - 1)
                      : INT64_MAX;
    if (kiln_for_is_unsigned(loop)) {
        MlirValue step = kiln_op_operand(loop, STEP);
        if (kiln_range_nearby(step).signed_min <= 0 && may_become_constant(step, DEPTH))
            return true;
        return (lower.signed_min < 0 || upper.signed_min < 0) && is_offset(end, first);
    }
    if (lower.signed_min >= 0 || (__int128)upper.signed_max - lower.signed_min <= max)
        return false;
    return is_offset(end, first) ||
           (may_become_constant(first, DEPTH) && may_become_constant(end, DEPTH));
}

// Returns the number of iterations in the type that the new loop counts in. A loop of more than
// 2^63 iterations does not end in practice.
static MlirValue count_of(const kiln_ir_t *ir, MlirOperation loop)
{
    MlirType i64 = mlirIntegerTypeGet(ir->context, 64);
    MlirValue count = kiln_for_count(ir, loop);
    if (mlirTypeIsAInteger(mlirValueGetType(count)) && kiln_type_bits(mlirValueGetType(count)) < 64)
        return kiln_ir_unary(ir, KILN_OP_ARITH_EXTUI, i64, count);
    return kiln_ir_binary(ir, KILN_OP_ARITH_MINUI, count,
                          kiln_ir_const_int(ir, mlirValueGetType(count), INT64_MAX));
}

static kiln_status_t count(MlirOperation loop)
{
    static const char *const LEFT_OUT[] = {"tt.divisibility_arg0", "tt.contiguity_arg0",
                                           "tt.constancy_arg0", NULL};
    intptr_t carried = mlirOperationGetNumResults(loop);
    MlirValue *values = calloc((size_t)carried + 1, sizeof *values);
    if (!values)
        return kiln_status_out_of_memory();
    kiln_ir_t ir = kiln_ir_before(loop);
    MlirValue lower = kiln_op_operand(loop, LOWER), step = kiln_op_operand(loop, STEP),
              upper = count_of(&ir, loop);
    for (intptr_t i = 0; i < carried; i++)
        values[i] = mlirOperationGetOperand(loop, CARRIED + i);
    kiln_for_t what = {.lower = kiln_ir_const_int(&ir, mlirValueGetType(upper), 0),
                       .upper = upper,
                       .step = kiln_ir_const_int(&ir, mlirValueGetType(upper), 1),
                       .initial = values,
                       .count = carried,
                       .like = loop,
                       .left_out = LEFT_OUT};
    MlirOperation made = kiln_for_create(&ir, &what);
    bool fits = !mlirOperationIsNull(made);
    if (fits) {
        MlirBlock block = kiln_op_body(made, 0);
        kiln_ir_t inside = kiln_ir_at_end(block, ir.loc);
        MlirValue index = mlirBlockGetArgument(block, 0);
        if (!mlirTypeEqual(mlirValueGetType(index), mlirValueGetType(lower)))
            index = kiln_ir_unary(&inside, KILN_OP_ARITH_TRUNCI, mlirValueGetType(lower), index);
        index = kiln_ir_binary(&inside, KILN_OP_ARITH_ADDI, lower,
                               kiln_ir_binary(&inside, KILN_OP_ARITH_MULI, index, step));
        for (intptr_t i = 0; i < carried; i++)
            values[i] = mlirBlockGetArgument(block, i + 1);
        fits = kiln_for_copy_body(&inside, loop, index, values);
        kiln_ir_op_t yield = {
            .kind = KILN_OP_SCF_YIELD, .operand_count = (int)carried, .operands = values};
        kiln_ir_create(&inside, &yield);
        for (intptr_t i = 0; i < carried; i++)
            kiln_value_replace(mlirOperationGetResult(loop, i), mlirOperationGetResult(made, i));
        kiln_op_erase(loop);
    }
    free(values);
    return fits ? KILN_OK : kiln_status_out_of_memory();
}

// In post-order, so that inner loops are rewritten before they are copied.
kiln_status_t kiln_count_loops(MlirModule module)
{
    kiln_loops_t loops;
    kiln_status_t status = kiln_loops_collect(module, MlirWalkPostOrder, may_be_miscounted, &loops);
    for (int i = 0; i < loops.count && !status; i++)
        status = count(loops.ops[i]);
    free(loops.ops);
    return status;
}
