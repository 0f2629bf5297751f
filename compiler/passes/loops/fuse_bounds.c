// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds of an inner loop that change with each iteration of the outer loop: arithmetic of the
// outer index and of values defined before the loop.
//
//   scf.for %i = L to U step S {                   %total, %least, %greatest = scf.for %i = L to U step S {
//     %u = f(%i)                                     … count(l, f(%i), s)
//     scf.for %j = l to %u step s          →       }
//
// Note that f must be evaluated only for indices that the outer loop has, since f may divide by
// them.
#include "passes/loops/fuse_loops.h"

#include "builder/op_facts.h"
#include "passes/loops/for_loop.h"
#include "passes/rewrite/clones.h"
#include "passes/rewrite/tile_ops.h"

enum { LOWER, UPPER, STEP };

static bool is_arithmetic(kiln_op_t kind)
{
    return kiln_op_has(kind, KILN_PLAIN) || kiln_op_has(kind, KILN_DIVIDES);
}

static bool is_index(MlirOperation outer, MlirValue value)
{
    return mlirValueEqual(value, mlirBlockGetArgument(kiln_op_body(outer, 0), 0));
}

// `seen` holds the values already proved to follow: operands are shared, so without it the
// recursion could be exponential.
static bool follows(MlirOperation outer, MlirValue value, kiln_clones_t *seen)
{
    if (!kiln_is_inside(outer, value) || is_index(outer, value) ||
        !mlirValueIsNull(kiln_clones_find(seen, value)))
        return true;
    if (mlirValueIsABlockArgument(value))
        return false;
    MlirOperation op = mlirOpResultGetOwner(value);
    bool all = is_arithmetic(kiln_op_kind(op));
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && all; i++)
        all = follows(outer, mlirOperationGetOperand(op, i), seen);
    if (all)
        kiln_clones_put(seen, value, value);
    return all;
}

bool kiln_bounds_follow(MlirOperation outer, MlirOperation inner)
{
    kiln_clones_t seen = {0};
    bool both = follows(outer, kiln_op_operand(inner, LOWER), &seen) &&
                follows(outer, kiln_op_operand(inner, UPPER), &seen);
    kiln_clones_free(&seen); // out of memory: values were visited repeatedly
    return both;
}

// Recomputes the value for the index that the clones map the outer one to.
static MlirValue again(const kiln_ir_t *ir, MlirOperation outer, MlirValue value,
                       kiln_clones_t *clones)
{
    if (!kiln_is_inside(outer, value) || !mlirValueIsNull(kiln_clones_find(clones, value)))
        return kiln_clones_get(clones, value);
    MlirOperation op = mlirOpResultGetOwner(value);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        again(ir, outer, mlirOperationGetOperand(op, i), clones);
    kiln_clone(ir, op, clones);
    return kiln_clones_get(clones, value);
}

bool kiln_bounds_at(const kiln_ir_t *ir, MlirOperation outer, MlirOperation inner, MlirValue index,
                    kiln_bounds_t *out)
{
    kiln_clones_t clones = {0};
    kiln_clones_put(&clones, mlirBlockGetArgument(kiln_op_body(outer, 0), 0), index);
    out->lower = again(ir, outer, kiln_op_operand(inner, LOWER), &clones);
    MlirValue upper = again(ir, outer, kiln_op_operand(inner, UPPER), &clones);
    out->rounds = kiln_for_count_between(ir, inner, out->lower, upper);
    MlirType i64 = mlirIntegerTypeGet(ir->context, 64);
    if (!mlirTypeEqual(mlirValueGetType(out->rounds), i64))
        out->rounds = kiln_ir_unary(ir, KILN_OP_ARITH_EXTUI, i64, out->rounds);
    return kiln_clones_free(&clones);
}

bool kiln_bounds_count(const kiln_ir_t *ir, MlirOperation outer, MlirOperation inner,
                       kiln_bounds_counts_t *out)
{
    enum { TOTAL, MIN, GREATEST, COUNT };
    MlirType i64 = mlirIntegerTypeGet(ir->context, 64);
    MlirValue zero = kiln_ir_const_int(ir, i64, 0);
    const MlirValue initial[COUNT] = {zero, kiln_ir_const_int(ir, i64, INT64_MAX), zero};
    const kiln_op_t kinds[COUNT] = {KILN_OP_ARITH_ADDI, KILN_OP_ARITH_MINUI, KILN_OP_ARITH_MAXUI};
    kiln_for_t what = {.lower = kiln_op_operand(outer, LOWER),
                       .upper = kiln_op_operand(outer, UPPER),
                       .step = kiln_op_operand(outer, STEP),
                       .is_unsigned = kiln_for_is_unsigned(outer),
                       .initial = initial,
                       .count = COUNT};
    MlirOperation loop = kiln_for_create(ir, &what);
    if (mlirOperationIsNull(loop))
        return false;
    MlirBlock body = kiln_op_body(loop, 0);
    kiln_ir_t inside = kiln_ir_at_end(body, ir->loc);
    kiln_bounds_t bounds;
    bool fits = kiln_bounds_at(&inside, outer, inner, mlirBlockGetArgument(body, 0), &bounds);
    MlirValue next[COUNT];
    for (int i = 0; i < COUNT; i++)
        next[i] =
            kiln_ir_binary(&inside, kinds[i], mlirBlockGetArgument(body, 1 + i), bounds.rounds);
    kiln_ir_op_t yield = {.kind = KILN_OP_SCF_YIELD, .operand_count = COUNT, .operands = next};
    kiln_ir_create(&inside, &yield);
    out->total = mlirOperationGetResult(loop, TOTAL);
    out->min = mlirOperationGetResult(loop, MIN);
    out->greatest = mlirOperationGetResult(loop, GREATEST);
    return fits;
}
