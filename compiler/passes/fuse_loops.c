// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuses a loop marked with tt.flatten and the loop inside it, so that the inner loop can start its
// next run while the last one ends: schedule_loops then overlaps the first loads of a tile with the
// tile before it.
//
//   scf.for %i = L to U step S {                     scf.for %t = 0 to N · n {     N, n: iterations of both
//     prologue(%i)                                     if (T == 0) prologue(i)
//     %r = scf.for %j = l to u step s          →       body(i, j)
//       body(%i, %j)                                   if (T == n − 1) epilogue(i)
//     epilogue(%i, %r)                                 T, i, j = T < n − 1 ? (T + 1, i, j + s) : (0, i + S, l)
//   } {tt.flatten}                                   }
//
// If n is unknown, the fused loop is in a branch for n > 0, so that the body needs no check; the
// other branch holds the old loop without the inner one. If the body has a dot, the condition also
// requires n ≤ most, and the other branch holds the old loops: the gain is that loads run
// num_stages − 1 iterations ahead of each tile, the cost is T, i and j in each iteration
// (docs/layouts.md has numbers for both).
//
// If the inner loop's bounds are arithmetic of %i, a loop before the nest sums n and finds its
// minimum and maximum for both conditions (fuse_bounds.c). That is done only for loops with a dot,
// since only their loads run ahead.
//
// Cheap operations of the prologue are recomputed in every iteration, so that addresses that are
// sums stay sums; results of the others are carried. An initial value of the inner loop that does
// not depend on %i is restored in the epilogue's branch, after the last use.
//
// In a nest of three loops, all bounds must be known before the outermost one.
#include "passes/loops/fuse_loops.h"
#include "analysis/dot_chain.h"
#include "analysis/range/integer_range.h"

#include "builder/op_facts.h"
#include "passes/loops/for_loop.h"
#include "passes/pass.h"
#include "passes/pipelining/schedule.h"
#include "passes/rewrite/branch.h"
#include "passes/rewrite/clones.h"
#include "passes/rewrite/tile_ops.h"

enum { LOWER, UPPER, STEP, CARRIED, MAX_LEVELS = 8 };

static void report_unflattened(const kiln_pass_context_t *context, MlirOperation loop,
                               const char *why)
{
    if (context->refused)
        context->refused(loop, why, context->refused_user);
}

// The nest ----------------------------------------------------------------------------------------

typedef struct nest {
    MlirOperation loops[MAX_LEVELS]; // from the outside, each directly in the one before
    int depth;
    bool follows; // two loops, where the inner one's bounds depend on the outer index
} nest_t;

// Returns the only loop directly inside this one; null if there is none or more than one.
static MlirOperation only_inner(MlirOperation loop, int *out_count)
{
    MlirOperation found = {NULL};
    *out_count = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(kiln_op_body(loop, 0));
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
        if (kiln_op_kind(op) == KILN_OP_SCF_FOR) {
            found = op;
            ++*out_count;
        }
    return *out_count == 1 ? found : (MlirOperation){NULL};
}

// Scalar arithmetic that may be executed even if the loop has no iterations.
static bool can_leave(MlirOperation op)
{
    int64_t divisor;
    if (kiln_op_has(kiln_op_kind(op), KILN_DIVIDES))
        return kiln_ir_constant_int(kiln_op_operand(op, 1), &divisor) && divisor > 0;
    return kiln_op_has(kiln_op_kind(op), KILN_PLAIN);
}

// `seen` holds the values already proved available before the loop: operands are shared, so without
// it the recursion could be exponential.
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

// Whether the value is available, or can be computed, before the loop; `move` hoists it.
static bool leaves(MlirOperation loop, MlirValue value, bool move)
{
    kiln_clones_t seen = {0};
    bool all = leaves_with(loop, value, move, &seen);
    kiln_clones_free(&seen); // out of memory: values were visited repeatedly
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

// Returns the reason why the inner loop's iterations are not counted before the nest; null if they
// are. Only loads of dots run ahead.
static const char *why_not_counted(MlirOperation outer, MlirOperation inner)
{
    int loops;
    only_inner(inner, &loops);
    if (loops || !kiln_has_dot(inner))
        return "this loop is not flattened: the inner loop has variable bounds and no dot";
    if (!counts_in_integers(inner) || !leaves(outer, kiln_op_operand(inner, STEP), false) ||
        !kiln_bounds_follow(outer, inner))
        return "this loop is not flattened: the inner loop's bounds are not a function of this "
               "loop's index";
    return NULL;
}

static nest_t find_nest(const kiln_pass_context_t *context, MlirOperation outermost)
{
    nest_t nest = {.loops = {outermost}, .depth = counts_in_integers(outermost)};
    int count = 0;
    while (nest.depth && nest.depth < MAX_LEVELS) {
        MlirOperation inner = only_inner(nest.loops[nest.depth - 1], &count);
        bool fits = !mlirOperationIsNull(inner) && bounds_leave(outermost, inner, false);
        if (nest.depth == 1 && count > 1)
            report_unflattened(context, outermost,
                               "this loop is not flattened: it contains several loops");
        else if (nest.depth == 1 && count && !fits) {
            const char *why_not = why_not_counted(outermost, inner);
            if (why_not)
                report_unflattened(context, outermost, why_not);
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

// The pass ----------------------------------------------------------------------------------------

// The number of iterations as i64.
static MlirValue count_of(const kiln_ir_t *ir, MlirOperation loop)
{
    MlirType i64 = mlirIntegerTypeGet(ir->context, 64);
    int64_t known = kiln_loop_trip_count(loop);
    if (known >= 0)
        return kiln_ir_const_int(ir, i64, known);
    MlirValue count = kiln_for_count(ir, loop);
    return mlirTypeEqual(mlirValueGetType(count), i64)
               ? count
               : kiln_ir_unary(ir, KILN_OP_ARITH_EXTUI, i64, count);
}

// Returns the loop of the given level in a copy of the nest.
static MlirOperation level_of(MlirOperation outermost, int level)
{
    int count;
    for (; level > 0; level--)
        outermost = only_inner(outermost, &count);
    return outermost;
}

// Trip count of each loop, i64.
typedef struct counts {
    MlirValue of[MAX_LEVELS];
    kiln_bounds_counts_t changing; // of the inner loop of a nest with `follows`
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

// Fuses the nest from the inside out.
static bool fuse_all(MlirOperation outermost, const nest_t *nest, const counts_t *counts,
                     const kiln_ir_t *before)
{
    if (nest->follows)
        return !mlirOperationIsNull(kiln_fuse_pair(
            outermost, level_of(outermost, 1), (MlirValue){NULL}, counts->changing.total, before));
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

// Rewrites the nest for the case that its innermost body never runs.
static void drop_innermost(MlirOperation outermost, int depth)
{
    MlirOperation loop = level_of(outermost, depth - 1);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); i++)
        kiln_value_replace(mlirOperationGetResult(loop, i),
                           mlirOperationGetOperand(loop, CARRIED + i));
    kiln_op_erase(loop);
    mlirOperationRemoveDiscardableAttributeByName(
        outermost, mlirStringRefCreateFromCString(KILN_LOOP_FLATTEN));
}

// The largest trip count of the innermost loop for which fusion pays; 0 for no limit.
static int64_t max_rounds(const kiln_pass_context_t *context, const nest_t *nest)
{
    MlirOperation innermost = nest->loops[nest->depth - 1];
    int64_t stages = kiln_ir_int_attr(innermost, "tt.num_stages", context->options->num_stages);
    return kiln_has_dot(innermost) ? 2 * (stages > 1 ? stages : 1) - 1 : 0;
}

static MlirValue both(const kiln_ir_t *ir, MlirValue one, MlirValue other)
{
    return mlirValueIsNull(one) ? other : kiln_ir_binary(ir, KILN_OP_ARITH_ANDI, one, other);
}

// At least one iteration, and at most `max`.
static MlirValue in_between(const kiln_ir_t *ir, MlirValue min, MlirValue greatest, int64_t max)
{
    MlirType i64 = mlirIntegerTypeGet(ir->context, 64);
    MlirValue some = kiln_ir_compare(ir, KILN_CMPI_NE, min, kiln_ir_const_int(ir, i64, 0));
    if (!max)
        return some;
    return both(ir, some,
                kiln_ir_compare(ir, KILN_CMPI_ULT, greatest, kiln_ir_const_int(ir, i64, max + 1)));
}

// Changing bounds are checked over the whole outer loop, which must have an iteration so that they
// have a first value.
static MlirValue changing_condition(const kiln_ir_t *ir, const kiln_bounds_counts_t *counts,
                                    int64_t max)
{
    MlirValue zero = kiln_ir_const_int(ir, mlirIntegerTypeGet(ir->context, 64), 0);
    return both(ir, kiln_ir_compare(ir, KILN_CMPI_NE, counts->total, zero),
                in_between(ir, counts->min, counts->greatest, max));
}

// Tests that the product of both trip counts fits 64 bits; null if that is known.
static MlirValue product_fits(const kiln_ir_t *ir, MlirValue a, MlirValue b)
{
    const kiln_range_t x = kiln_range_nearby(a), y = kiln_range_nearby(b);
    const bool is_known = (unsigned __int128)x.unsigned_max * y.unsigned_max <= UINT64_MAX;
    return is_known
               ? (MlirValue){NULL}
               : kiln_ir_compare(ir, KILN_CMPI_EQ, kiln_ir_binary(ir, KILN_OP_TT_MULHIUI, a, b),
                                 kiln_ir_const_int(ir, mlirValueGetType(a), 0));
}

// Returns the condition under which the nest is fused; null if it always holds. Sets *out_never if
// it never holds, and *out_runs if the innermost loop may run even though the condition is false.
static MlirValue find_condition(const kiln_ir_t *ir, const nest_t *nest, const counts_t *counts,
                                int64_t max, bool *out_never, bool *out_runs)
{
    *out_never = false;
    *out_runs = max > 0;
    if (nest->follows)
        return changing_condition(ir, &counts->changing, max);
    MlirValue all = {NULL};
    for (int level = 1; level < nest->depth; level++) {
        int64_t known = kiln_loop_trip_count(nest->loops[level]),
                here = level == nest->depth - 1 ? max : 0;
        *out_never |= known == 0 || (here && known > here);
        if (known < 0)
            all = both(ir, all, in_between(ir, counts->of[level], counts->of[level], here));
    }
    MlirValue rounds = counts->of[nest->depth - 1];
    for (int level = nest->depth - 2; level >= 0 && !*out_never; level--) {
        MlirValue fits = product_fits(ir, counts->of[level], rounds);
        if (!mlirValueIsNull(fits))
            all = both(ir, all, fits);
        *out_runs |= !mlirValueIsNull(fits);
        if (level > 0)
            rounds = kiln_ir_binary(ir, KILN_OP_ARITH_MULI, counts->of[level], rounds);
    }
    return all;
}

static kiln_status_t flatten(const kiln_pass_context_t *context, MlirOperation outermost)
{
    nest_t nest = find_nest(context, outermost);
    mlirOperationRemoveDiscardableAttributeByName(
        outermost, mlirStringRefCreateFromCString(KILN_LOOP_FLATTEN));
    if (nest.depth < 2)
        return KILN_OK;
    kiln_ir_t ir = kiln_ir_before(outermost);
    counts_t counts;
    bool never, runs;
    int64_t max = max_rounds(context, &nest);
    if (!read_counts(&ir, &nest, &counts))
        return kiln_status_out_of_memory();
    MlirValue condition = find_condition(&ir, &nest, &counts, max, &never, &runs);
    if (never)
        return KILN_OK;
    if (mlirValueIsNull(condition))
        return fuse_all(outermost, &nest, &counts, &ir) ? KILN_OK : kiln_status_out_of_memory();
    kiln_branch_t b;
    kiln_clones_t copies = {0};
    intptr_t results = mlirOperationGetNumResults(outermost);
    if (!kiln_branch_open(&b, &ir, condition, results))
        return kiln_status_out_of_memory();
    MlirOperation sides[] = {kiln_clone(&b.then_ir, outermost, &copies),
                             kiln_clone(&b.else_ir, outermost, &copies)};
    if (!runs)
        drop_innermost(sides[1], nest.depth);
    for (intptr_t i = 0; i < results; i++)
        kiln_branch_yield(&b, mlirOperationGetResult(sides[0], i),
                          mlirOperationGetResult(sides[1], i));
    MlirOperation made = kiln_branch_close(&b, &ir);
    for (intptr_t i = 0; i < results; i++)
        kiln_value_replace(mlirOperationGetResult(outermost, i), mlirOperationGetResult(made, i));
    kiln_op_erase(outermost);
    kiln_ir_t inside = kiln_ir_before(sides[0]);
    bool fits = fuse_all(sides[0], &nest, &counts, &inside);
    fits &= kiln_clones_free(&copies);
    return fits ? KILN_OK : kiln_status_out_of_memory();
}

static MlirWalkResult find_request(MlirOperation op, void *user)
{
    bool matches = kiln_op_kind(op) == KILN_OP_SCF_FOR &&
                   !mlirAttributeIsNull(kiln_ir_attr(op, KILN_LOOP_FLATTEN));
    *(MlirOperation *)user = matches ? op : (MlirOperation){NULL};
    return matches ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// From the outside in: several loops of a nest may be marked.
kiln_status_t kiln_fuse_loops(const kiln_pass_context_t *context, MlirModule module)
{
    for (;;) {
        MlirOperation loop = {NULL};
        kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, find_request, &loop);
        if (mlirOperationIsNull(loop))
            return KILN_OK;
        KILN_TRY(flatten(context, loop));
    }
}
