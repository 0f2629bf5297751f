// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuses two loops, of which the inner one runs at least once. fuse_loops.c shows the result. If the
// inner loop's bounds follow the outer index, n − 1 is carried, and both are computed where the
// next tile begins:
//
//   n − 1, j = T == n − 1 and another tile comes ? (count(i + S) − 1, l(i + S)) : (n − 1, j + s)
//
// Pitfall: the prologue's branch must not depend on the epilogue's, or no load could run ahead.
#include "passes/loops/fuse_loops.h"

#include <stdlib.h>
#include <string.h>

#include "builder/op_facts.h"
#include "passes/loops/for_loop.h"
#include "passes/rewrite/branch.h"
#include "passes/rewrite/clones.h"
#include "passes/rewrite/tile_ops.h"

enum { LOWER, UPPER, STEP, CARRIED };

// Carried values ----------------------------------------------------------------------------------

typedef enum start {
    START_PASSED, // with a carried value of the outer loop, which gets the result
    START_FIXED,  // with a value that does not depend on the outer iteration
    START_FRESH,  // with a new value in each outer iteration
} start_t;

// The fused loop carries T, i and j, n − 1 if that changes, then `outer` values, `inner` values,
// and results of the prologue.
enum { ITERATION, OUTER_INDEX, INNER_INDEX, INDEXES, LAST_ITERATION = INDEXES };

typedef struct fusion {
    MlirOperation outer, inner;
    MlirBlock body, inner_body;
    intptr_t outer_count, inner_count;
    start_t *start;   // of each value that the inner loop carries
    intptr_t *passed; // START_PASSED: the outer loop's value
    bool *is_passed;  // of each value that the outer loop carries
    MlirOperation *prologue;
    bool *is_recomputed; // recomputed in every iteration
    intptr_t prologue_count;
    MlirValue *kept; // results of other prologue operations that are used after the prologue
    intptr_t kept_count;
    intptr_t first_outer, first_inner, first_kept, count; // positions in the list of carried values
    bool follows;                                         // the inner loop's bounds change
    MlirValue last_iteration,
        total; // n − 1 if it is constant, and the total number of iterations: i64
    MlirValue *initial, *args, *next; // lists of carried values
    kiln_clones_t now;
    bool out_of_memory;
} fusion_t;

static bool is_cheap(kiln_op_t kind)
{
    return kiln_op_has(kind, KILN_REPEATS) || kiln_op_has(kind, KILN_PLAIN);
}

// Returns the index of the operation in the prologue, or −1.
static intptr_t in_prologue(const fusion_t *f, MlirOperation op)
{
    for (intptr_t i = 0; i < f->prologue_count; i++)
        if (mlirOperationEqual(f->prologue[i], op))
            return i;
    return -1;
}

static intptr_t made_by(const fusion_t *f, MlirValue value)
{
    return mlirValueIsABlockArgument(value) ? -1 : in_prologue(f, mlirOpResultGetOwner(value));
}

static bool may_be_recomputed(const fusion_t *f, MlirOperation op)
{
    bool is_recomputed = is_cheap(kiln_op_kind(op)) && mlirOperationGetNumRegions(op) == 0;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && is_recomputed; i++) {
        MlirValue operand = mlirOperationGetOperand(op, i);
        intptr_t from = made_by(f, operand);
        is_recomputed =
            from < 0 || f->is_recomputed[from] || !kiln_type_is_tensor(mlirValueGetType(operand));
    }
    return is_recomputed;
}

// Returns the operation directly in the outer loop's body that is or contains this one.
static MlirOperation in_body(const fusion_t *f, MlirOperation op)
{
    while (!mlirOperationEqual(kiln_op_parent(op), f->outer))
        op = kiln_op_parent(op);
    return op;
}

// Whether the value is used outside the prologue's branch.
static bool is_kept(const fusion_t *f, MlirValue value)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        intptr_t number = in_prologue(f, in_body(f, user));
        if (mlirOperationEqual(user, f->inner) || (number >= 0 && !f->is_recomputed[number]))
            continue; // the branch itself yields initial values
        return true;
    }
    return false;
}

static void read_prologue(fusion_t *f)
{
    intptr_t results = 0;
    MlirOperation first = mlirBlockGetFirstOperation(f->body);
    for (MlirOperation op = first; !mlirOperationEqual(op, f->inner);
         op = mlirOperationGetNextInBlock(op)) {
        f->prologue_count++;
        results += mlirOperationGetNumResults(op);
    }
    f->prologue = calloc((size_t)f->prologue_count + 1, sizeof *f->prologue);
    f->is_recomputed = calloc((size_t)f->prologue_count + 1, sizeof *f->is_recomputed);
    f->kept = calloc((size_t)results + 1, sizeof *f->kept);
    f->out_of_memory |= !f->prologue || !f->is_recomputed || !f->kept;
    if (f->out_of_memory)
        return;
    MlirOperation op = first;
    for (intptr_t i = 0; i < f->prologue_count; i++, op = mlirOperationGetNextInBlock(op)) {
        f->prologue[i] = op;
        f->is_recomputed[i] = may_be_recomputed(f, op);
    }
    for (intptr_t i = 0; i < f->prologue_count; i++)
        for (intptr_t r = 0; r < mlirOperationGetNumResults(f->prologue[i]) && !f->is_recomputed[i];
             r++)
            if (is_kept(f, mlirOperationGetResult(f->prologue[i], r)))
                f->kept[f->kept_count++] = mlirOperationGetResult(f->prologue[i], r);
}

// Returns the index of the outer loop's value that only passes through the inner one, or −1.
static intptr_t find_passed(const fusion_t *f, intptr_t k)
{
    MlirValue initial = mlirOperationGetOperand(f->inner, CARRIED + k);
    if (!mlirValueIsABlockArgument(initial) ||
        !mlirBlockEqual(mlirBlockArgumentGetOwner(initial), f->body))
        return -1;
    intptr_t m = mlirBlockArgumentGetArgNumber(initial) - 1;
    MlirOpOperand use = mlirValueGetFirstUse(initial);
    bool is_passed = m >= 0 && mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)) &&
                     mlirValueEqual(mlirOperationGetOperand(kiln_block_terminator(f->body), m),
                                    mlirOperationGetResult(f->inner, k));
    return is_passed ? m : -1;
}

static void read_starts(fusion_t *f)
{
    for (intptr_t k = 0; k < f->inner_count; k++) {
        f->passed[k] = find_passed(f, k);
        f->start[k] = f->passed[k] >= 0 ? START_PASSED
                      : kiln_is_inside(f->outer, mlirOperationGetOperand(f->inner, CARRIED + k))
                          ? START_FRESH
                          : START_FIXED;
        if (f->start[k] == START_PASSED)
            f->is_passed[f->passed[k]] = true;
    }
}

static MlirValue one_less(const kiln_ir_t *ir, MlirValue value)
{
    return kiln_ir_binary(ir, KILN_OP_ARITH_SUBI, value,
                          kiln_ir_const_int(ir, mlirValueGetType(value), 1));
}

static void list_initial(fusion_t *f, const kiln_ir_t *ir)
{
    MlirType i64 = mlirIntegerTypeGet(ir->context, 64);
    f->initial[ITERATION] = kiln_ir_const_int(ir, i64, 0);
    f->initial[OUTER_INDEX] = kiln_op_operand(f->outer, LOWER);
    f->initial[INNER_INDEX] = kiln_op_operand(f->inner, LOWER);
    if (f->follows) {
        kiln_bounds_t first;
        f->out_of_memory |=
            !kiln_bounds_at(ir, f->outer, f->inner, f->initial[OUTER_INDEX], &first);
        f->initial[INNER_INDEX] = first.lower;
        f->initial[LAST_ITERATION] = one_less(ir, first.rounds);
    }
    for (intptr_t m = 0; m < f->outer_count; m++)
        f->initial[f->first_outer + m] = mlirOperationGetOperand(f->outer, CARRIED + m);
    for (intptr_t k = 0; k < f->inner_count; k++) {
        MlirValue start = mlirOperationGetOperand(f->inner, CARRIED + k);
        f->initial[f->first_inner + k] =
            f->start[k] == START_PASSED  ? mlirOperationGetOperand(f->outer, CARRIED + f->passed[k])
            : f->start[k] == START_FIXED ? start
                                         : kiln_tile_nothing(ir, mlirValueGetType(start));
    }
    for (intptr_t p = 0; p < f->kept_count; p++)
        f->initial[f->first_kept + p] = kiln_tile_nothing(ir, mlirValueGetType(f->kept[p]));
}

// The body of the fused loop ----------------------------------------------------------------------

static void put_outer_values(const fusion_t *f, kiln_clones_t *clones)
{
    kiln_clones_put(clones, mlirBlockGetArgument(f->body, 0), f->args[OUTER_INDEX]);
    for (intptr_t m = 0; m < f->outer_count; m++)
        kiln_clones_put(clones, mlirBlockGetArgument(f->body, m + 1), f->args[f->first_outer + m]);
}

static bool needs_branch(const fusion_t *f)
{
    bool needed = f->kept_count > 0;
    for (intptr_t k = 0; k < f->inner_count; k++)
        needed |= f->start[k] == START_FRESH;
    for (intptr_t i = 0; i < f->prologue_count; i++)
        needed |= !kiln_op_may_be_erased(f->prologue[i]);
    return needed;
}

// if (T == 0) prologue; and the operations that are recomputed in every iteration.
static void build_prologue(fusion_t *f, const kiln_ir_t *ir)
{
    for (intptr_t k = 0; k < f->inner_count; k++)
        f->next[f->first_inner + k] = f->args[f->first_inner + k];
    if (needs_branch(f)) {
        kiln_branch_t b;
        kiln_clones_t inside = {0};
        MlirValue first =
            kiln_ir_compare(ir, KILN_CMPI_EQ, f->args[ITERATION], f->initial[ITERATION]);
        f->out_of_memory |= !kiln_branch_open(&b, ir, first, f->inner_count + f->kept_count);
        if (f->out_of_memory)
            return;
        put_outer_values(f, &inside);
        for (intptr_t i = 0; i < f->prologue_count; i++) {
            b.then_ir.loc = mlirOperationGetLocation(f->prologue[i]);
            kiln_clone(&b.then_ir, f->prologue[i], &inside);
        }
        for (intptr_t k = 0; k < f->inner_count; k++)
            if (f->start[k] == START_FRESH)
                kiln_branch_yield(
                    &b, kiln_clones_get(&inside, mlirOperationGetOperand(f->inner, CARRIED + k)),
                    f->args[f->first_inner + k]);
        for (intptr_t p = 0; p < f->kept_count; p++)
            kiln_branch_yield(&b, kiln_clones_get(&inside, f->kept[p]), f->args[f->first_kept + p]);
        MlirOperation made = kiln_branch_close(&b, ir);
        intptr_t at = 0;
        for (intptr_t k = 0; k < f->inner_count; k++)
            if (f->start[k] == START_FRESH)
                f->next[f->first_inner + k] = mlirOperationGetResult(made, at++);
        for (intptr_t p = 0; p < f->kept_count; p++) {
            f->next[f->first_kept + p] = mlirOperationGetResult(made, at);
            kiln_clones_put(&f->now, f->kept[p], mlirOperationGetResult(made, at++));
        }
        f->out_of_memory |= !kiln_clones_free(&inside);
    }
    for (intptr_t i = 0; i < f->prologue_count; i++)
        if (f->is_recomputed[i])
            kiln_clone(ir, f->prologue[i], &f->now);
}

static void build_inner(fusion_t *f, const kiln_ir_t *ir)
{
    kiln_clones_put(&f->now, mlirBlockGetArgument(f->inner_body, 0), f->args[INNER_INDEX]);
    for (intptr_t k = 0; k < f->inner_count; k++)
        kiln_clones_put(&f->now, mlirBlockGetArgument(f->inner_body, k + 1),
                        f->next[f->first_inner + k]);
    MlirOperation yield = kiln_block_terminator(f->inner_body);
    for (MlirOperation op = mlirBlockGetFirstOperation(f->inner_body);
         !mlirOperationEqual(op, yield); op = mlirOperationGetNextInBlock(op))
        kiln_clone(ir, op, &f->now);
    for (intptr_t k = 0; k < f->inner_count; k++) {
        MlirValue value = kiln_clones_get(&f->now, mlirOperationGetOperand(yield, k));
        kiln_clones_put(&f->now, mlirOperationGetResult(f->inner, k), value);
        f->next[f->first_inner + k] = value;
    }
}

// if (T == n − 1) epilogue, and the initial values of the inner loop.
static void build_epilogue(fusion_t *f, const kiln_ir_t *ir, MlirValue last)
{
    MlirOperation yield = kiln_block_terminator(f->body),
                  first = mlirOperationGetNextInBlock(f->inner);
    kiln_branch_t b;
    f->out_of_memory |= !kiln_branch_open(&b, ir, last, f->outer_count + f->inner_count);
    if (f->out_of_memory)
        return;
    for (MlirOperation op = first; !mlirOperationEqual(op, yield);
         op = mlirOperationGetNextInBlock(op)) {
        b.then_ir.loc = mlirOperationGetLocation(op);
        kiln_clone(&b.then_ir, op, &f->now);
    }
    for (intptr_t m = 0; m < f->outer_count; m++)
        if (!f->is_passed[m])
            kiln_branch_yield(&b, kiln_clones_get(&f->now, mlirOperationGetOperand(yield, m)),
                              f->args[f->first_outer + m]);
    for (intptr_t k = 0; k < f->inner_count; k++)
        if (f->start[k] == START_FIXED)
            kiln_branch_yield(&b, mlirOperationGetOperand(f->inner, CARRIED + k),
                              f->next[f->first_inner + k]);
    MlirOperation made = kiln_branch_close(&b, ir);
    intptr_t at = 0;
    for (intptr_t m = 0; m < f->outer_count; m++)
        f->next[f->first_outer + m] =
            f->is_passed[m] ? f->args[f->first_outer + m] : mlirOperationGetResult(made, at++);
    for (intptr_t k = 0; k < f->inner_count; k++)
        if (f->start[k] == START_FIXED)
            f->next[f->first_inner + k] = mlirOperationGetResult(made, at++);
}

// Computes the bounds of the next tile in a separate branch, since its first loads may depend on
// them.
static void step_bounds(fusion_t *f, const kiln_ir_t *ir, MlirValue last, MlirValue iteration,
                        const MlirValue *stepped)
{
    kiln_branch_t b;
    kiln_bounds_t bounds;
    MlirValue comes = kiln_ir_compare(ir, KILN_CMPI_ULT, iteration, one_less(ir, f->total));
    MlirValue another = kiln_ir_binary(ir, KILN_OP_ARITH_ANDI, last, comes);
    f->out_of_memory |= !kiln_branch_open(&b, ir, another, 2);
    if (f->out_of_memory)
        return;
    f->out_of_memory |=
        !kiln_bounds_at(&b.then_ir, f->outer, f->inner, stepped[OUTER_INDEX], &bounds);
    kiln_branch_yield(&b, one_less(&b.then_ir, bounds.rounds), f->args[LAST_ITERATION]);
    kiln_branch_yield(&b, bounds.lower, stepped[INNER_INDEX]);
    MlirOperation made = kiln_branch_close(&b, ir);
    f->next[LAST_ITERATION] = mlirOperationGetResult(made, 0);
    f->next[INNER_INDEX] = mlirOperationGetResult(made, 1);
}

// Steps T, i and j; `iteration` counts all iterations from 0.
static void step_indexes(fusion_t *f, const kiln_ir_t *ir, MlirValue last, MlirValue iteration)
{
    MlirValue one = kiln_ir_const_int(ir, mlirValueGetType(iteration), 1);
    const MlirValue steps[] = {one, kiln_op_operand(f->outer, STEP),
                               kiln_op_operand(f->inner, STEP)};
    MlirValue stepped[INDEXES];
    for (int i = 0; i < INDEXES; i++)
        stepped[i] = kiln_ir_binary(ir, KILN_OP_ARITH_ADDI, f->args[i], steps[i]);
    f->next[ITERATION] = kiln_tile_select(ir, last, f->initial[ITERATION], stepped[ITERATION]);
    f->next[OUTER_INDEX] = kiln_tile_select(ir, last, stepped[OUTER_INDEX], f->args[OUTER_INDEX]);
    if (f->follows)
        step_bounds(f, ir, last, iteration, stepped);
    else
        f->next[INNER_INDEX] =
            kiln_tile_select(ir, last, f->initial[INNER_INDEX], stepped[INNER_INDEX]);
}

static void build_body(fusion_t *f, MlirBlock block, MlirLocation loc)
{
    kiln_ir_t ir = kiln_ir_at_end(block, loc);
    for (intptr_t i = 0; i < f->count; i++)
        f->args[i] = mlirBlockGetArgument(block, i + 1);
    put_outer_values(f, &f->now);
    build_prologue(f, &ir);
    if (f->out_of_memory)
        return;
    build_inner(f, &ir);
    MlirValue last_iteration = f->follows ? f->args[LAST_ITERATION] : f->last_iteration;
    MlirValue last = kiln_ir_compare(&ir, KILN_CMPI_EQ, f->args[ITERATION], last_iteration);
    build_epilogue(f, &ir, last);
    if (f->out_of_memory)
        return;
    step_indexes(f, &ir, last, mlirBlockGetArgument(block, 0));
    kiln_ir_op_t yield = {
        .kind = KILN_OP_SCF_YIELD, .operand_count = (int)f->count, .operands = f->next};
    kiln_ir_create(&ir, &yield);
}

// Copies the outer loop's hints, without those about arguments that the fused loop lacks; the inner
// loop's hints fill the gaps.
static void settle_hints(const fusion_t *f, MlirOperation fused)
{
    const MlirOperation from[] = {f->inner, f->outer};
    for (int l = 0; l < 2; l++)
        for (intptr_t i = 0; i < mlirOperationGetNumDiscardableAttributes(from[l]); i++) {
            MlirNamedAttribute hint = mlirOperationGetDiscardableAttribute(from[l], i);
            MlirStringRef name = mlirIdentifierStr(hint.name);
            bool is_of_argument = false;
            for (size_t at = 0; at + 4 <= name.length; at++)
                is_of_argument |= memcmp(name.data + at, "_arg", 4) == 0;
            if (is_of_argument ||
                mlirStringRefEqual(name, mlirStringRefCreateFromCString(KILN_LOOP_FLATTEN)))
                mlirOperationRemoveDiscardableAttributeByName(fused, name);
            else
                mlirOperationSetDiscardableAttributeByName(fused, name, hint.attribute);
        }
}

static void replace_outer(fusion_t *f, MlirOperation fused)
{
    for (intptr_t m = 0; m < f->outer_count; m++) {
        intptr_t at = f->first_outer + m;
        for (intptr_t k = 0; k < f->inner_count && f->is_passed[m]; k++)
            if (f->passed[k] == m)
                at = f->first_inner + k;
        kiln_value_replace(mlirOperationGetResult(f->outer, m), mlirOperationGetResult(fused, at));
    }
    kiln_op_erase(f->outer);
}

static bool make_room(fusion_t *f)
{
    f->start = calloc((size_t)f->inner_count + 1, sizeof *f->start);
    f->passed = calloc((size_t)f->inner_count + 1, sizeof *f->passed);
    f->is_passed = calloc((size_t)f->outer_count + 1, sizeof *f->is_passed);
    if (!f->start || !f->passed || !f->is_passed)
        return false;
    read_starts(f);
    read_prologue(f);
    f->first_outer = f->follows ? LAST_ITERATION + 1 : INDEXES;
    f->first_inner = f->first_outer + f->outer_count;
    f->first_kept = f->first_inner + f->inner_count;
    f->count = f->first_kept + f->kept_count;
    f->initial = calloc((size_t)f->count, sizeof *f->initial);
    f->args = calloc((size_t)f->count, sizeof *f->args);
    f->next = calloc((size_t)f->count, sizeof *f->next);
    return !f->out_of_memory && f->initial && f->args && f->next;
}

MlirOperation kiln_fuse_pair(MlirOperation outer, MlirOperation inner, MlirValue rounds,
                             MlirValue total, const kiln_ir_t *before)
{
    fusion_t f = {.outer = outer,
                  .inner = inner,
                  .body = kiln_op_body(outer, 0),
                  .inner_body = kiln_op_body(inner, 0),
                  .outer_count = mlirOperationGetNumResults(outer),
                  .inner_count = mlirOperationGetNumResults(inner),
                  .follows = mlirValueIsNull(rounds),
                  .total = total};
    MlirOperation fused = {NULL};
    f.out_of_memory = !make_room(&f);
    if (!f.out_of_memory) {
        static const char *const NOTHING[] = {NULL};
        kiln_ir_t ir = kiln_ir_before(outer);
        list_initial(&f, before);
        MlirValue one = kiln_ir_const_int(before, mlirIntegerTypeGet(ir.context, 64), 1);
        if (!f.follows)
            f.last_iteration = one_less(before, rounds);
        kiln_for_t what = {.lower = f.initial[ITERATION],
                           .upper = total,
                           .step = one,
                           .is_unsigned = true,
                           .initial = f.initial,
                           .count = f.count,
                           .like = outer,
                           .left_out = NOTHING};
        fused = kiln_for_create(&ir, &what);
        f.out_of_memory = mlirOperationIsNull(fused);
        if (!f.out_of_memory) {
            settle_hints(&f, fused);
            build_body(&f, kiln_op_body(fused, 0), ir.loc);
        }
    }
    f.out_of_memory |= !kiln_clones_free(&f.now);
    if (!f.out_of_memory)
        replace_outer(&f, fused);
    void *const lists[] = {f.start, f.passed,  f.is_passed, f.prologue, f.is_recomputed,
                           f.kept,  f.initial, f.args,      f.next};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]);
    return f.out_of_memory ? (MlirOperation){NULL} : fused;
}
