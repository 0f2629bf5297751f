// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes one loop of a loop that asks for it by tt.flatten and the one in it, so that the next round of the inner loop
// can begin while the last one ends: schedule_loops then overlaps a tile's first loads with the tile before it.
//
//   scf.for %i = L to U step S {                     scf.for %t = 0 to N · n {     N, n: iterations of both
//     prologue(%i)                                     if (T == 0) prologue(i)
//     %r = scf.for %j = l to u step s          →       body(i, j)
//       body(%i, %j)                                   if (T == n − 1) epilogue(i)
//     epilogue(%i, %r)                                 T, i, j = T < n − 1 ? (T + 1, i, j + s) : (0, i + S, l)
//   } {tt.flatten}                                   }
//
// With unknown n the whole stands in a branch for n > 0, so that nothing is asked about the body; in the other branch is
// the old loop without the inner one. Where the body has a dot, the branch asks for n ≤ most, too, and in the other are
// the old loops: what is gained is loads that run num_stages − 1 iterations ahead of each tile, what is paid are T, i and
// j in each iteration (docs/layouts.md has both in numbers).
//
// Where the inner loop's bounds are arithmetic of %i, a loop in front of the nest adds up n and finds the least and the
// greatest, for both questions (fuse_bounds.c); that is done for loops with a dot only, since nothing else runs ahead.
//
// Cheap operations of the prologue are computed in every iteration, where addresses that are sums stay sums; what others
// give is carried. An inner loop's initial value is put back by the epilogue's branch, behind the last use, where it does
// not depend on %i.
//
// The thing one gets wrong: of a nest of three, all bounds must be known before the outermost loop.
#include "passes/fuse_loops.h"

#include "passes/branch.h"
#include "passes/clones.h"
#include "passes/for_loop.h"
#include "passes/loop_schedule.h"
#include "passes/pass.h"
#include "passes/tile_ops.h"

enum { LOWER, UPPER, STEP, CARRIED, MOST_LEVELS = 8 };

static void give_up(const kiln_pass_context_t *context, MlirOperation loop, const char *why)
{
    if (context->refused)
        context->refused(loop, why, context->refused_user);
}

// The nest ---------------------------------------------------------------------------------------------------------

typedef struct nest {
    MlirOperation loops[MOST_LEVELS]; // from the outside, each directly in the one before
    int depth;
    bool follows; // two loops, of which the inner one's bounds are computed of the outer one's index
} nest_t;

// The only loop that is directly in this one; null where there is none or more than one.
static MlirOperation only_inner(MlirOperation loop, int *out_count)
{
    MlirOperation found = {NULL};
    *out_count = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(kiln_op_body(loop, 0)); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        if (kiln_op_kind(op) == KILN_OP_SCF_FOR) {
            found = op;
            ++*out_count;
        }
    return *out_count == 1 ? found : (MlirOperation){NULL};
}

// Scalar arithmetic that may be done though the loop has no iterations.
static bool can_leave(MlirOperation op)
{
    int64_t divisor;
    switch (kiln_op_kind(op)) {
    case KILN_OP_ARITH_DIVSI:
    case KILN_OP_ARITH_DIVUI:
    case KILN_OP_ARITH_REMSI:
    case KILN_OP_ARITH_REMUI:
        return kiln_ir_constant_int(kiln_op_operand(op, 1), &divisor) && divisor > 0;
    default:
        return kiln_is_plain_arithmetic(kiln_op_kind(op));
    }
}

// `seen` has what is known to leave: operands are shared, and there are many ways to each.
static bool leaves_with(MlirOperation loop, MlirValue value, bool move, kiln_clones_t *seen)
{
    if (!kiln_is_inside(loop, value) || !mlirValueIsNull(kiln_clones_find(seen, value)))
        return true;
    if (mlirValueIsABlockArgument(value))
        return false;
    MlirOperation op = mlirOpResultGetOwner(value);
    if (!can_leave(op))
        return false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (!leaves_with(loop, mlirOperationGetOperand(op, i), move, seen))
            return false;
    kiln_clones_put(seen, value, value);
    if (move)
        mlirOperationMoveBefore(op, loop);
    return true;
}

// Whether the value is, or can be computed, in front of the loop; `move` does it.
static bool leaves(MlirOperation loop, MlirValue value, bool move)
{
    kiln_clones_t seen = {0};
    bool all = leaves_with(loop, value, move, &seen);
    kiln_clones_free(&seen); // where memory was short, some were asked more than once
    return all;
}

static bool counts_in_integers(MlirOperation loop)
{
    MlirType type = mlirValueGetType(kiln_op_operand(loop, LOWER));
    return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) <= 64;
}

static bool bounds_leave(MlirOperation outermost, MlirOperation loop, bool move)
{
    bool all = counts_in_integers(loop);
    for (int i = LOWER; i <= STEP && all; i++)
        all = leaves(outermost, kiln_op_operand(loop, i), move);
    return all;
}

// Why no loop before the nest counts how often the inner loop runs; null where one does. Only loads of dots run ahead.
static const char *why_not_counted(MlirOperation outer, MlirOperation inner)
{
    int loops;
    only_inner(inner, &loops);
    if (loops || !kiln_has_dot(inner))
        return "this loop is not flattened: the bounds of the loop in it change, and it has no dot";
    if (!counts_in_integers(inner) || !leaves(outer, kiln_op_operand(inner, STEP), false) ||
        !kiln_bounds_follow(outer, inner))
        return "this loop is not flattened: the bounds of the loop in it are no arithmetic of this loop's index";
    return NULL;
}

static nest_t find_nest(const kiln_pass_context_t *context, MlirOperation outermost)
{
    nest_t nest = {.loops = {outermost}, .depth = counts_in_integers(outermost)};
    int count = 0;
    while (nest.depth && nest.depth < MOST_LEVELS) {
        MlirOperation inner = only_inner(nest.loops[nest.depth - 1], &count);
        bool fits = !mlirOperationIsNull(inner) && bounds_leave(outermost, inner, false);
        if (nest.depth == 1 && count > 1)
            give_up(context, outermost, "this loop is not flattened: there are several loops in it");
        else if (nest.depth == 1 && count && !fits) {
            const char *why_not = why_not_counted(outermost, inner);
            if (why_not)
                give_up(context, outermost, why_not);
            nest.follows = fits = !why_not;
        }
        if (!fits)
            break;
        nest.loops[nest.depth++] = inner;
        if (nest.follows)
            break;
    }
    return nest;
}

// The pass ---------------------------------------------------------------------------------------------------------

// As i64.
static MlirValue count_of(const kiln_ir_t *ir, MlirOperation loop)
{
    MlirType i64 = mlirIntegerTypeGet(ir->context, 64);
    int64_t known = kiln_loop_trip_count(loop);
    if (known >= 0)
        return kiln_ir_const_int(ir, i64, known);
    MlirValue count = kiln_for_count(ir, loop);
    return mlirTypeEqual(mlirValueGetType(count), i64) ? count : kiln_ir_unary(ir, KILN_OP_ARITH_EXTUI, i64, count);
}

// The same loop of a copy of the nest.
static MlirOperation level_of(MlirOperation outermost, int level)
{
    int count;
    for (; level > 0; level--)
        outermost = only_inner(outermost, &count);
    return outermost;
}

// How often each loop runs, i64.
typedef struct counts {
    MlirValue of[MOST_LEVELS];
    kiln_bounds_counts_t changing; // of the inner loop of a nest that follows
} counts_t;

static bool read_counts(const kiln_ir_t *ir, const nest_t *nest, counts_t *out)
{
    MlirOperation outermost = nest->loops[0];
    for (int level = 0; level < nest->depth; level++) {
        if (nest->follows && level > 0) {
            leaves(outermost, kiln_op_operand(nest->loops[level], STEP), true);
            return kiln_bounds_count(ir, outermost, nest->loops[level], &out->changing);
        }
        bounds_leave(outermost, nest->loops[level], true);
        out->of[level] = count_of(ir, nest->loops[level]);
    }
    return true;
}

// Fuses the nest from the inside.
static bool fuse_all(MlirOperation outermost, const nest_t *nest, const counts_t *counts, const kiln_ir_t *before)
{
    if (nest->follows)
        return !mlirOperationIsNull(
            kiln_fuse_pair(outermost, level_of(outermost, 1), (MlirValue){NULL}, counts->changing.total, before));
    MlirValue rounds = counts->of[nest->depth - 1];
    for (int level = nest->depth - 2; level >= 0; level--) {
        MlirValue total = kiln_ir_binary(before, KILN_OP_ARITH_MULI, counts->of[level], rounds);
        MlirOperation outer = level_of(outermost, level),
                      made = kiln_fuse_pair(outer, level_of(outer, 1), rounds, total, before);
        if (mlirOperationIsNull(made))
            return false;
        rounds = total;
    }
    return true;
}

// The nest where its innermost body is never reached.
static void drop_innermost(MlirOperation outermost, int depth)
{
    MlirOperation loop = level_of(outermost, depth - 1);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); i++)
        kiln_value_replace(mlirOperationGetResult(loop, i), mlirOperationGetOperand(loop, CARRIED + i));
    kiln_op_erase(loop);
    mlirOperationRemoveDiscardableAttributeByName(outermost, mlirStringRefCreateFromCString(KILN_LOOP_FLATTEN));
}

// How many iterations the innermost loop may have for the nest to gain; 0 where there is no such bound.
static int64_t most_rounds(const kiln_pass_context_t *context, const nest_t *nest)
{
    MlirOperation innermost = nest->loops[nest->depth - 1];
    int64_t stages = kiln_ir_int_attr(innermost, "tt.num_stages", context->options->num_stages);
    return kiln_has_dot(innermost) ? 2 * (stages > 1 ? stages : 1) - 1 : 0;
}

static MlirValue both(const kiln_ir_t *ir, MlirValue one, MlirValue other)
{
    return mlirValueIsNull(one) ? other : kiln_ir_binary(ir, KILN_OP_ARITH_ANDI, one, other);
}

// Not never, and seldom enough.
static MlirValue in_between(const kiln_ir_t *ir, MlirValue least, MlirValue greatest, int64_t most)
{
    MlirType i64 = mlirIntegerTypeGet(ir->context, 64);
    MlirValue some = kiln_tile_compare(ir, KILN_COMPARE_NE, least, kiln_ir_const_int(ir, i64, 0));
    if (!most)
        return some;
    return both(ir, some, kiln_tile_compare(ir, KILN_COMPARE_SLT, greatest, kiln_ir_const_int(ir, i64, most + 1)));
}

// Bounds that change are asked of the whole loop, which must not be empty then: so that they have a first value.
static MlirValue changing_condition(const kiln_ir_t *ir, const kiln_bounds_counts_t *counts, int64_t most)
{
    MlirValue zero = kiln_ir_const_int(ir, mlirIntegerTypeGet(ir->context, 64), 0);
    return both(ir, kiln_tile_compare(ir, KILN_COMPARE_NE, counts->total, zero),
                in_between(ir, counts->least, counts->greatest, most));
}

// What the nest is fused by; null where that is known, *out_never where it is known not to be so.
static MlirValue find_condition(const kiln_ir_t *ir, const nest_t *nest, const counts_t *counts, int64_t most,
                                bool *out_never)
{
    *out_never = false;
    if (nest->follows)
        return changing_condition(ir, &counts->changing, most);
    MlirValue all = {NULL};
    for (int level = 1; level < nest->depth; level++) {
        int64_t known = kiln_loop_trip_count(nest->loops[level]), here = level == nest->depth - 1 ? most : 0;
        *out_never |= known == 0 || (here && known > here);
        if (known < 0)
            all = both(ir, all, in_between(ir, counts->of[level], counts->of[level], here));
    }
    return all;
}

static kiln_status_t flatten(const kiln_pass_context_t *context, MlirOperation outermost)
{
    nest_t nest = find_nest(context, outermost);
    mlirOperationRemoveDiscardableAttributeByName(outermost, mlirStringRefCreateFromCString(KILN_LOOP_FLATTEN));
    if (nest.depth < 2)
        return KILN_OK;
    kiln_ir_t ir = kiln_ir_before(outermost);
    counts_t counts;
    bool never;
    int64_t most = most_rounds(context, &nest);
    if (!read_counts(&ir, &nest, &counts))
        return kiln_status_out_of_memory();
    MlirValue condition = find_condition(&ir, &nest, &counts, most, &never);
    if (never)
        return KILN_OK;
    if (mlirValueIsNull(condition))
        return fuse_all(outermost, &nest, &counts, &ir) ? KILN_OK : kiln_status_out_of_memory();
    kiln_branch_t b;
    kiln_clones_t copies = {0};
    intptr_t results = mlirOperationGetNumResults(outermost);
    if (!kiln_branch_open(&b, &ir, condition, results))
        return kiln_status_out_of_memory();
    MlirOperation ways[] = {kiln_clone(&b.yes, outermost, &copies), kiln_clone(&b.no, outermost, &copies)};
    if (!most)
        drop_innermost(ways[1], nest.depth);
    for (intptr_t i = 0; i < results; i++)
        kiln_branch_gives(&b, mlirOperationGetResult(ways[0], i), mlirOperationGetResult(ways[1], i));
    MlirOperation made = kiln_branch_close(&b, &ir);
    for (intptr_t i = 0; i < results; i++)
        kiln_value_replace(mlirOperationGetResult(outermost, i), mlirOperationGetResult(made, i));
    kiln_op_erase(outermost);
    kiln_ir_t inside = kiln_ir_before(ways[0]);
    bool fits = fuse_all(ways[0], &nest, &counts, &inside);
    fits &= kiln_clones_free(&copies);
    return fits ? KILN_OK : kiln_status_out_of_memory();
}

static MlirWalkResult find_wish(MlirOperation op, void *user)
{
    bool wants = kiln_op_kind(op) == KILN_OP_SCF_FOR && !mlirAttributeIsNull(kiln_ir_attr(op, KILN_LOOP_FLATTEN));
    *(MlirOperation *)user = wants ? op : (MlirOperation){NULL};
    return wants ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// From the outside: a nest may be asked for at several of its loops.
kiln_status_t kiln_fuse_loops(const kiln_pass_context_t *context, MlirModule module)
{
    for (;;) {
        MlirOperation loop = {NULL};
        kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, find_wish, &loop);
        if (mlirOperationIsNull(loop))
            return KILN_OK;
        KILN_TRY(flatten(context, loop));
    }
}
