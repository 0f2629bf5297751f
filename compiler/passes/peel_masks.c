// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Peels the iteration in which a loop's mask is false for some elements, so that the loop itself
// needs no mask and its accesses are wide whatever the bound is:
//
//   scf.for %i = 0 to %K step 32 {                  %whole = %K - %K mod 32
//     %m = %r < splat(%K - %i)      (%r < 32)       scf.for %i = 0 to %whole step 32 {
//     tt.load %p, %m                          →       tt.load %p, true
//   }                                               }
//                                                   scf.for %i = %whole to %K step 32 {
//                                                     as before
//                                                   } {tt.num_stages = 1}
//
// The same is done for `%i + %r < %K`, and for a counter of blocks, `%r < %K - 32·%i`. The second
// loop executes the remaining iterations, so the result is correct for any bounds. Where the upper
// bound is the mask's, at most one iteration remains, which becomes a branch; with a dot it stays a
// loop, which the passes for loops with dots keep from needing more registers than the first. A
// loop is peeled only if an access becomes wider: with a bound that is known to be divisible, masks
// are already constant in groups; and only if the kernel with both loops fits the instruction
// cache.
//
// Note that neither %K − %i nor %i + %r may wrap where the mask is assumed to be true. In the first
// loop %i + 32 ≤ %K, and %i is not negative: a loop that starts at a negative number at run time
// executes no iteration there.
#include "analysis/axis/axis_info.h"
#include "analysis/axis/mask_order.h"
#include "analysis/dot_chain.h"
#include "analysis/machine/code_size.h"
#include "analysis/range/integer_range.h"
#include "analysis/waves/uniformity.h"
#include "builder/compare.h"
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "passes/loops/for_loop.h"
#include "passes/pass.h"
#include "passes/rewrite/branch.h"
#include "passes/rewrite/tile_ops.h"

#include <stdlib.h>

enum { LOWER, UPPER, STEP, CARRIED, MAX_MASKS = 16, DEPTH = 12 };

static const char PEELED[] = "kiln.peeled"; // on comparisons, while the loop is cloned

typedef struct peeling {
    MlirOperation loop;
    const kiln_range_analysis_t *ranges;
    const kiln_axis_analysis_t *axis;
    int64_t step;
    MlirOperation masks[MAX_MASKS]; // comparisons that are true in whole iterations
    int count;
    MlirValue bound; // of all of them
    int64_t factor;  // of the induction variable in all of them
    bool gets_wider; // some access becomes wider
} peeling_t;

// Masks -------------------------------------------------------------------------------------------

static bool is_outside(const peeling_t *p, MlirValue value)
{
    return !kiln_is_inside(p->loop, value);
}

static MlirValue induction(const peeling_t *p)
{
    return mlirBlockGetArgument(kiln_op_body(p->loop, 0), 0);
}

// Whether the scalar is the induction variable times a positive constant.
static bool is_linear(const peeling_t *p, MlirValue value, int64_t *out_factor)
{
    MlirOperation op;
    *out_factor = 1;
    if (mlirValueEqual(value, induction(p)))
        return true;
    if (kiln_value_op(value, &op) != KILN_OP_ARITH_MULI)
        return false;
    for (int i = 0; i < 2; i++)
        if (mlirValueEqual(kiln_op_operand(op, i), induction(p)) &&
            kiln_ir_constant_int(kiln_op_operand(op, 1 - i), out_factor))
            return *out_factor > 0;
    return false;
}

typedef struct mask {
    MlirValue bound; // the mask is `rest` + factor · i < bound
    int64_t factor;
    MlirValue rest;
} mask_t;

// rest < splat(bound − factor · i)
static bool match_difference(const peeling_t *p, MlirValue left, MlirValue right, mask_t *out)
{
    MlirOperation op;
    MlirValue limit = kiln_ir_scalar_of(right);
    if (mlirValueIsNull(limit) || kiln_value_op(limit, &op) != KILN_OP_ARITH_SUBI)
        return false;
    out->bound = kiln_op_operand(op, 0);
    out->rest = left;
    return is_outside(p, out->bound) && is_linear(p, kiln_op_operand(op, 1), &out->factor);
}

// rest + splat(factor · i) < splat(bound)
static bool match_sum(const peeling_t *p, MlirValue left, MlirValue right, mask_t *out)
{
    MlirOperation op;
    out->bound = kiln_ir_scalar_of(right);
    for (int depth = DEPTH; depth > 0; depth--) {
        kiln_op_t kind = kiln_value_op(left, &op);
        if (kind != KILN_OP_TT_BROADCAST && kind != KILN_OP_TT_EXPAND_DIMS)
            break;
        left = kiln_op_operand(op, 0);
    }
    if (mlirValueIsNull(out->bound) || !is_outside(p, out->bound) ||
        kiln_value_op(left, &op) != KILN_OP_ARITH_ADDI)
        return false;
    for (int i = 0; i < 2; i++) {
        MlirValue start = kiln_ir_scalar_of(kiln_op_operand(op, i));
        out->rest = kiln_op_operand(op, 1 - i);
        if (!mlirValueIsNull(start) && is_linear(p, start, &out->factor))
            return true;
    }
    return false;
}

// The largest advance per iteration: it must be a number of the induction variable's type.
static int64_t max_per_step(const peeling_t *p)
{
    const int bits = kiln_type_bits(mlirValueGetType(induction(p)));
    return bits < 32 ? (INT64_C(1) << (bits - 1)) - 1 : INT32_MAX;
}

static bool match(const peeling_t *p, MlirOperation op, mask_t *out)
{
    if (kiln_op_kind(op) != KILN_OP_ARITH_CMPI ||
        !kiln_type_is_tensor(mlirValueGetType(kiln_op_operand(op, 0))))
        return false;
    const kiln_cmpi_t predicate = kiln_cmpi_of(op);
    if (predicate != KILN_CMPI_SLT && predicate != KILN_CMPI_SGT)
        return false;
    MlirValue less = kiln_op_operand(op, predicate == KILN_CMPI_SGT),
              more = kiln_op_operand(op, predicate == KILN_CMPI_SLT);
    if (!match_difference(p, less, more, out) && !match_sum(p, less, more, out))
        return false;
    return mlirTypeEqual(mlirValueGetType(out->bound), mlirValueGetType(induction(p))) &&
           out->factor <= max_per_step(p) / p->step;
}

// Whether the mask is true for all elements while one more step stays within its bound, that is,
// whether all elements are less than the loop's step.
static bool is_true_in_whole_steps(const peeling_t *p, const mask_t *mask)
{
    const kiln_range_t rest = kiln_range_of(p->ranges, mask->rest);
    return rest.bits && rest.signed_min >= 0 && rest.signed_max < mask->factor * p->step;
}

static bool has_mask(const peeling_t *p)
{
    mask_t mask;
    MlirBlock body = kiln_op_body(p->loop, 0);
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        if (match(p, op, &mask))
            return true;
    return false;
}

static void collect_masks(peeling_t *p)
{
    MlirBlock body = kiln_op_body(p->loop, 0);
    for (MlirOperation op = mlirBlockGetFirstOperation(body);
         !mlirOperationIsNull(op) && p->count < MAX_MASKS; op = mlirOperationGetNextInBlock(op)) {
        mask_t mask;
        if (!match(p, op, &mask) || !is_true_in_whole_steps(p, &mask))
            continue;
        if (!p->count) {
            p->bound = mask.bound;
            p->factor = mask.factor;
        }
        if (mlirValueEqual(mask.bound, p->bound) && mask.factor == p->factor)
            p->masks[p->count++] = op;
    }
}

// Gain --------------------------------------------------------------------------------------------

// The constancy of a mask along a dimension where the comparisons are true.
static int64_t constancy_when_peeled(const peeling_t *p, MlirValue mask, int dim, int depth)
{
    MlirOperation op;
    kiln_op_t kind = kiln_value_op(mask, &op);
    for (int i = 0; i < p->count; i++)
        if (!mlirOperationIsNull(op) && mlirOperationEqual(op, p->masks[i]))
            return kiln_axis_mask_alignment(p->axis, (MlirValue){NULL}, dim);
    if (depth > 0 && kind == KILN_OP_ARITH_ANDI) {
        const int64_t a = constancy_when_peeled(p, kiln_op_operand(op, 0), dim, depth - 1),
                      b = constancy_when_peeled(p, kiln_op_operand(op, 1), dim, depth - 1);
        return a < b ? a : b;
    }
    if (depth > 0 && kind == KILN_OP_TT_BROADCAST &&
        kiln_type_dim(mlirValueGetType(kiln_op_operand(op, 0)), dim) ==
            kiln_type_dim(mlirValueGetType(mask), dim))
        return constancy_when_peeled(p, kiln_op_operand(op, 0), dim, depth - 1);
    if (depth > 0 && kind == KILN_OP_TT_EXPAND_DIMS) {
        const int axis = (int)kiln_ir_int_attr(op, "axis", 0);
        if (axis != dim)
            return constancy_when_peeled(p, kiln_op_operand(op, 0), dim > axis ? dim - 1 : dim,
                                         depth - 1);
    }
    return kiln_axis_mask_alignment(p->axis, mask, dim);
}

// The widest access in any dimension, with the mask as it is or as it would be.
static int64_t width(const peeling_t *p, MlirOperation op, bool is_peeled)
{
    const bool is_load = kiln_op_kind(op) == KILN_OP_TT_LOAD;
    MlirValue pointers = kiln_op_operand(op, 0), mask = kiln_op_segment(op, is_load ? 1 : 2),
              none = {NULL};
    int64_t best = 1;
    for (int dim = 0; dim < kiln_type_rank(mlirValueGetType(pointers)); dim++) {
        const kiln_axis_access_t access = kiln_axis_access_along(
            p->axis, pointers, none, is_load ? KILN_AXIS_SHARED : KILN_AXIS_DISTINCT, dim);
        const int64_t masked = is_peeled ? constancy_when_peeled(p, mask, dim, DEPTH)
                                         : kiln_axis_mask_alignment(p->axis, mask, dim);
        const int64_t all = access.elements * access.repeat, one = all < masked ? all : masked;
        best = one > best ? one : best;
    }
    return best;
}

static MlirWalkResult find_wider(MlirOperation op, void *user)
{
    peeling_t *p = user;
    kiln_op_t kind = kiln_op_kind(op);
    if (kind != KILN_OP_TT_LOAD && kind != KILN_OP_TT_STORE)
        return MlirWalkResultAdvance;
    MlirValue mask = kiln_op_segment(op, kind == KILN_OP_TT_LOAD ? 1 : 2);
    p->gets_wider |= !mlirValueIsNull(mask) && kiln_type_is_tensor(mlirValueGetType(mask)) &&
                     width(p, op, true) > width(p, op, false);
    return p->gets_wider ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// The two loops -----------------------------------------------------------------------------------

static MlirValue extreme(const kiln_ir_t *ir, kiln_op_t kind, MlirValue a, MlirValue b)
{
    return mlirValueEqual(a, b) ? a : kiln_ir_binary(ir, kind, a, b);
}

// Where the whole iterations end: a value of the induction variable, or the upper bound; the lower
// bound if there are none.
static MlirValue end_of_whole(const peeling_t *p, const kiln_ir_t *ir)
{
    MlirValue lower = kiln_op_operand(p->loop, LOWER), upper = kiln_op_operand(p->loop, UPPER);
    MlirType type = mlirValueGetType(lower);
    if (p->factor == 1) { // lower + (end − lower) / step · step, for lower ≤ end
        MlirValue end = extreme(ir, KILN_OP_ARITH_MINSI, p->bound, upper);
        MlirValue length = kiln_ir_binary(
            ir, KILN_OP_ARITH_SUBI, kiln_ir_binary(ir, KILN_OP_ARITH_MAXSI, end, lower), lower);
        // A product is known to be a multiple of the step.
        MlirValue step = kiln_ir_const_int(ir, type, p->step),
                  steps = kiln_ir_binary(ir, KILN_OP_ARITH_DIVUI, length, step);
        MlirValue last = kiln_ir_binary(ir, KILN_OP_ARITH_ADDI, lower,
                                        kiln_ir_binary(ir, KILN_OP_ARITH_MULI, steps, step));
        if (kiln_is_known_non_negative(p->ranges, lower))
            return last;
        return kiln_tile_select(
            ir, kiln_ir_compare(ir, KILN_CMPI_SLT, lower, kiln_ir_const_int(ir, type, 0)), lower,
            last);
    }
    // From 0: bound / (factor · step) · step
    MlirValue bound =
        kiln_ir_binary(ir, KILN_OP_ARITH_MAXSI, p->bound, kiln_ir_const_int(ir, type, 0));
    MlirValue blocks = kiln_ir_binary(ir, KILN_OP_ARITH_DIVUI, bound,
                                      kiln_ir_const_int(ir, type, p->factor * p->step));
    MlirValue end =
        kiln_ir_binary(ir, KILN_OP_ARITH_MULI, blocks, kiln_ir_const_int(ir, type, p->step));
    return kiln_ir_binary(ir, KILN_OP_ARITH_MINSI, end, upper);
}

static MlirWalkResult assume_true(MlirOperation op, void *user)
{
    (void)user;
    if (!kiln_ir_int_attr(op, PEELED, 0))
        return MlirWalkResultAdvance;
    kiln_ir_t ir = kiln_ir_before(op);
    MlirValue truth = kiln_op_result(op, 0);
    kiln_value_replace(truth, kiln_ir_const_int(&ir, mlirValueGetType(truth), 1));
    mlirOperationRemoveDiscardableAttributeByName(op, mlirStringRefCreateFromCString(PEELED));
    return MlirWalkResultAdvance;
}

// Whether the loop counts the blocks of `factor` numbers below the bound: its upper bound is
// (bound + factor − 1) / factor, rounded towards zero. Where the sum wraps, both are negative.
static bool counts_blocks(const peeling_t *p)
{
    MlirOperation quotient, sum;
    int64_t divisor, added;
    return kiln_value_op(kiln_op_operand(p->loop, UPPER), &quotient) == KILN_OP_ARITH_DIVSI &&
           kiln_ir_constant_int(kiln_op_operand(quotient, 1), &divisor) && divisor == p->factor &&
           kiln_value_op(kiln_op_operand(quotient, 0), &sum) == KILN_OP_ARITH_ADDI &&
           mlirValueEqual(kiln_op_operand(sum, 0), p->bound) &&
           kiln_ir_constant_int(kiln_op_operand(sum, 1), &added) && added == p->factor - 1;
}

// Whether at most one iteration remains. With a counter of blocks, from q · step to
// ⌈bound / factor⌉, where bound < (q + 1) · factor · step.
static bool is_one_iteration_left(const peeling_t *p)
{
    if (p->factor != 1)
        return counts_blocks(p);
    return mlirValueEqual(kiln_op_operand(p->loop, UPPER), p->bound) &&
           kiln_is_known_non_negative(p->ranges, kiln_op_operand(p->loop, LOWER));
}

static void mark_rest(MlirOperation op)
{
    mlirOperationSetDiscardableAttributeByName(op, mlirStringRefCreateFromCString(KILN_PEELED_REST),
                                               mlirUnitAttrGet(mlirOperationGetContext(op)));
}

// Replaces the loop, which has one iteration or none, by a branch.
static kiln_status_t make_branch(MlirOperation loop)
{
    const int count = (int)mlirOperationGetNumResults(loop);
    MlirValue lower = kiln_op_operand(loop, LOWER);
    kiln_ir_t ir = kiln_ir_before(loop);
    kiln_branch_t branch;
    MlirValue *values = calloc((size_t)count + 1, sizeof *values);
    for (int i = 0; i < count && values; i++)
        values[i] = kiln_op_operand(loop, CARRIED + i);
    MlirValue runs = kiln_ir_compare(&ir, KILN_CMPI_SLT, lower, kiln_op_operand(loop, UPPER));
    bool is_made = values && kiln_branch_open(&branch, &ir, runs, count);
    if (is_made) {
        is_made = kiln_for_copy_body(&branch.then_ir, loop, lower, values);
        for (int i = 0; i < count; i++)
            kiln_branch_yield(&branch, values[i], kiln_op_operand(loop, CARRIED + i));
        MlirOperation made = kiln_branch_close(&branch, &ir);
        mark_rest(made);
        for (int i = 0; i < count; i++)
            kiln_value_replace(kiln_op_result(loop, i), kiln_op_result(made, i));
        kiln_op_erase(loop);
    }
    free(values);
    return is_made ? KILN_OK : kiln_status_out_of_memory();
}

// The clone executes whole iterations, the loop itself or a branch in its place the remaining ones.
static kiln_status_t peel(const peeling_t *p)
{
    const bool is_branch = is_one_iteration_left(p) && !kiln_has_dot(p->loop);
    const MlirStringRef mark = mlirStringRefCreateFromCString(PEELED);
    kiln_ir_t ir = kiln_ir_before(p->loop);
    MlirValue end = end_of_whole(p, &ir);
    for (int i = 0; i < p->count; i++)
        mlirOperationSetDiscardableAttributeByName(p->masks[i], mark,
                                                   kiln_ir_i32_attr(ir.context, 1));
    MlirOperation whole = mlirOperationClone(p->loop);
    for (int i = 0; i < p->count; i++)
        mlirOperationRemoveDiscardableAttributeByName(p->masks[i], mark);
    mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(p->loop), p->loop, whole);
    mlirOperationSetOperand(whole, UPPER, end);
    kiln_walk(whole, MlirWalkPreOrder, assume_true, NULL);
    mlirOperationSetOperand(p->loop, LOWER, end);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(p->loop); i++)
        mlirOperationSetOperand(p->loop, CARRIED + i, mlirOperationGetResult(whole, i));
    if (is_branch)
        return make_branch(p->loop);
    mlirOperationSetDiscardableAttributeByName(
        p->loop, mlirStringRefCreateFromCString("tt.num_stages"), kiln_ir_i32_attr(ir.context, 1));
    mark_rest(p->loop);
    return KILN_OK;
}

// The pass ----------------------------------------------------------------------------------------

static MlirWalkResult find_loop(MlirOperation op, void *user)
{
    int *loops = user;
    *loops += kiln_op_kind(op) == KILN_OP_SCF_FOR || kiln_op_kind(op) == KILN_OP_SCF_WHILE;
    return MlirWalkResultAdvance;
}

// An innermost loop with a constant step that does not start at a negative constant. Loops that
// fuse_loops will merge into one are not peeled.
static bool is_candidate(MlirOperation op)
{
    int loops = 0;
    int64_t step, lower;
    if (kiln_op_kind(op) != KILN_OP_SCF_FOR || kiln_ir_int_attr(op, "unsignedCmp", 0) ||
        !mlirTypeIsAInteger(mlirValueGetType(kiln_op_operand(op, LOWER))) ||
        !kiln_ir_constant_int(kiln_op_operand(op, STEP), &step) || step < 1 || step > INT32_MAX ||
        (kiln_ir_constant_int(kiln_op_operand(op, LOWER), &lower) && lower < 0))
        return false;
    for (MlirOperation at = op; !mlirOperationIsNull(at); at = kiln_op_parent(at))
        if (!mlirAttributeIsNull(kiln_ir_attr(at, "tt.flatten")))
            return false;
    const int64_t trips = kiln_loop_trip_count(op);
    kiln_walk(op, MlirWalkPreOrder, find_loop, &loops);
    return loops == 1 && (trips < 0 || trips > 1);
}

// Whether all barriers that are needed could still be placed. The loop must be executed by all
// waves alike, since its body may need barriers; and where it is in control flow that not all waves
// execute, it must write nothing, since the accesses of the second loop may need a barrier after
// those of the first.
static kiln_status_t find_allowed(const kiln_pass_context_t *context, MlirModule module,
                                  const peeling_t *p, bool *out)
{
    kiln_uniformity_t *uniformity;
    KILN_TRY(kiln_uniformity_create(module, context->options->num_warps, &uniformity));
    const bool writes = kiln_op_effects(p->loop) & (KILN_WRITES_GLOBAL | KILN_ORDERED);
    *out = (kiln_is_same_in_all_waves(uniformity, p->bound) ||
            kiln_divergence_of_regions(uniformity, p->loop) != KILN_UNIFORM) &&
           (!writes || kiln_is_executed_by_all_waves(uniformity, p->loop));
    kiln_uniformity_destroy(uniformity);
    return KILN_OK;
}

static kiln_status_t visit_loop(const kiln_pass_context_t *context, MlirModule module,
                                MlirOperation loop)
{
    MlirOperation root = mlirModuleGetOperation(module);
    peeling_t p = {.loop = loop};
    int64_t lower;
    kiln_axis_analysis_t *axis = NULL;
    const bool from_zero = kiln_ir_constant_int(kiln_op_operand(loop, LOWER), &lower) && lower == 0;
    kiln_ir_constant_int(kiln_op_operand(loop, STEP), &p.step);
    if (!has_mask(&p))
        return KILN_OK;
    KILN_TRY(kiln_axis_analysis_create(root, &axis));
    p.axis = axis;
    p.ranges = kiln_axis_ranges(axis);
    collect_masks(&p);
    if (p.count && (p.factor == 1 || from_zero))
        kiln_walk(loop, MlirWalkPreOrder, find_wider, &p);
    bool is_allowed = false;
    const int num_warps = context->options->num_warps;
    kiln_status_t status = KILN_OK;
    if (p.gets_wider && kiln_code_fits(loop, num_warps, kiln_code_bytes(loop, num_warps)))
        status = find_allowed(context, module, &p, &is_allowed);
    if (!status && is_allowed)
        status = peel(&p);
    kiln_axis_analysis_destroy(axis);
    return status;
}

kiln_status_t kiln_peel_masks(const kiln_pass_context_t *context, MlirModule module)
{
    kiln_loops_t loops;
    kiln_status_t status = kiln_loops_collect(module, MlirWalkPreOrder, is_candidate, &loops);
    for (int i = 0; i < loops.count && !status; i++)
        status = visit_loop(context, module, loops.ops[i]);
    free(loops.ops);
    return status;
}
