// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces carried integers that every iteration returns to their initial constant, such as the
// slot of a ring of buffers in a loop that was unrolled by the number of slots:
//
//   scf.for … iter_args(%slot = 0)                          scf.for …
//     %a = (%slot + 1 < 2) ? %slot + 1 : 0        →           uses of 0 and 1
//     %b = (%a + 1 < 2) ? %a + 1 : 0
//     scf.yield %b
//
// The value is evaluated: if an iteration that begins with the constant ends with it, all do.
#include "builder/compare.h"
#include "passes/loops/for_loop.h"

enum { FIRST_CARRIED = 3, MAX_STEPS = 64 };

typedef struct evaluation {
    MlirValue argument;
    int64_t initial;
    int steps; // left
} evaluation_t;

static int64_t wrap(int64_t value, MlirType type)
{
    const int unused = 64 - kiln_type_bits(type);
    return (int64_t)((uint64_t)value << unused) >> unused;
}

static bool compare(kiln_cmpi_t predicate, int64_t a, int64_t b, int64_t *out)
{
    switch (predicate) {
    case KILN_CMPI_EQ:
        *out = a == b;
        return true;
    case KILN_CMPI_NE:
        *out = a != b;
        return true;
    case KILN_CMPI_SLT:
        *out = a < b;
        return true;
    case KILN_CMPI_SGE:
        *out = a >= b;
        return true;
    default:
        return false; // rings need no others
    }
}

// Sets *out to the value of a scalar integer; false if it is not known.
static bool evaluate(evaluation_t *e, MlirValue value, int64_t *out)
{
    int64_t a, b;
    MlirOperation op;
    const MlirType type = mlirValueGetType(value);
    *out = e->initial;
    if (mlirValueEqual(value, e->argument))
        return true;
    if (!mlirTypeIsAInteger(type) || kiln_type_bits(type) > 64 || e->steps-- <= 0)
        return false;
    if (kiln_ir_constant_int(value, out))
        return true;
    switch (kiln_value_op(value, &op)) {
    case KILN_OP_ARITH_ADDI:
    case KILN_OP_ARITH_SUBI:
        if (!evaluate(e, kiln_op_operand(op, 0), &a) || !evaluate(e, kiln_op_operand(op, 1), &b))
            return false;
        if (kiln_op_kind(op) == KILN_OP_ARITH_SUBI)
            b = (int64_t)-(uint64_t)b;
        *out = wrap((int64_t)((uint64_t)a + (uint64_t)b), type);
        return true;
    case KILN_OP_ARITH_CMPI:
        return evaluate(e, kiln_op_operand(op, 0), &a) && evaluate(e, kiln_op_operand(op, 1), &b) &&
               compare((kiln_cmpi_t)kiln_ir_int_attr(op, "predicate", KILN_CMPI_NONE), a, b, out);
    case KILN_OP_ARITH_SELECT:
        return evaluate(e, kiln_op_operand(op, 0), &a) &&
               evaluate(e, kiln_op_operand(op, a ? 1 : 2), out);
    default:
        return false;
    }
}

void kiln_for_fold_cycles(MlirOperation loop)
{
    MlirBlock body = kiln_op_body(loop, 0);
    MlirOperation yield = kiln_block_terminator(body);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); i++) {
        MlirValue initial = mlirOperationGetOperand(loop, FIRST_CARRIED + i);
        evaluation_t e = {.argument = mlirBlockGetArgument(body, i + 1), .steps = MAX_STEPS};
        int64_t next;
        if (!mlirTypeIsAInteger(mlirValueGetType(initial)) ||
            !kiln_ir_constant_int(initial, &e.initial) ||
            !evaluate(&e, mlirOperationGetOperand(yield, i), &next) || next != e.initial)
            continue;
        kiln_value_replace(e.argument, initial);
        kiln_value_replace(mlirOperationGetResult(loop, i), initial);
        mlirOperationSetOperand(yield, i, e.argument);
    }
}
