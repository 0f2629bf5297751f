// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expands a scheduled loop except for its steps: the carried values, LDS, the new loop.
#include "passes/pipelining/expand.h"
#include "base/array.h"
#include "passes/loops/for_loop.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/memory/effects.h"
#include "passes/rewrite/branch.h"
#include "passes/rewrite/tile_ops.h"

enum { LOWER, UPPER, STEP, FIRST_CARRIED };

// Carried values ----------------------------------------------------------------------------------

typedef struct queue_builder {
    kiln_expansion_t *e;
    int stage; // of the user
} queue_builder_t;

static bool need_queue(kiln_expansion_t *e, MlirValue value, int length)
{
    int at = kiln_pointer_map_get(&e->queue_of, value.ptr);
    if (at < 0) {
        at = e->queue_count;
        e->out_of_memory |= !KILN_ARRAY_RESERVE(&e->queues, &e->queue_capacity, (size_t)at + 1) ||
                            !kiln_pointer_map_put(&e->queue_of, value.ptr, at);
        if (e->out_of_memory)
            return false;
        e->queues[e->queue_count++] = (kiln_queue_t){value, 0, 0};
    }
    if (e->queues[at].length < length)
        e->queues[at].length = length;
    return true;
}

// Records that the stage needs the value: its age there, or that the stage needs the induction
// variable.
static bool need(MlirValue value, void *user)
{
    queue_builder_t *b = user;
    kiln_expansion_t *e = b->e;
    const kiln_loop_schedule_t *s = e->schedule;
    if (mlirValueIsABlockArgument(value)) {
        if (!mlirBlockEqual(mlirBlockArgumentGetOwner(value), s->body))
            return true;
        int carried = kiln_loop_schedule_carried(s, value);
        if (carried < 0) {
            if (b->stage > 0)
                e->induction_at[b->stage] = 0;
            return true;
        }
        int age = b->stage - s->carried_stage[carried];
        return age <= 0 || need_queue(e, value, age);
    }
    int from = kiln_pointer_map_get(&s->index_of, mlirOpResultGetOwner(value).ptr);
    if (from >= 0 && kiln_loop_schedule_recomputes(s, value)) {
        while (kiln_loop_schedule_buffer(s, value) < 0)
            value = kiln_op_operand(mlirOpResultGetOwner(value), 0);
        e->is_used[kiln_loop_schedule_buffer(s, value) * s->stages + b->stage] = true;
        return true;
    }
    if (from < 0 || s->ops[from].stage >= b->stage)
        return true;
    return need_queue(e, value, b->stage - s->ops[from].stage);
}

static int by_definition(const kiln_loop_schedule_t *s, MlirValue value)
{
    int carried = kiln_loop_schedule_carried(s, value);
    return carried >= 0 ? carried - s->carried_count
                        : kiln_pointer_map_get(&s->index_of, mlirOpResultGetOwner(value).ptr);
}

// Sorts queues in the order of the loop, so that their order does not depend on which user came
// first.
static void sort_queues(kiln_expansion_t *e)
{
    for (int i = 1; i < e->queue_count; i++)
        for (int j = i; j > 0 && by_definition(e->schedule, e->queues[j].value) <
                                     by_definition(e->schedule, e->queues[j - 1].value);
             j--) {
            kiln_queue_t other = e->queues[j];
            e->queues[j] = e->queues[j - 1];
            e->queues[j - 1] = other;
        }
    for (int q = 0; q < e->queue_count; q++)
        e->out_of_memory |= !kiln_pointer_map_put(&e->queue_of, e->queues[q].value.ptr, q);
}

// Lays out the list of carried values.
static bool plan(kiln_expansion_t *e)
{
    const kiln_loop_schedule_t *s = e->schedule;
    e->induction_at = malloc((size_t)s->stages * sizeof *e->induction_at);
    e->ring_slots = calloc((size_t)s->buffer_count + 1, sizeof *e->ring_slots);
    e->ring_at = calloc((size_t)s->buffer_count + 1, sizeof *e->ring_at);
    e->buffers = calloc((size_t)s->buffer_count + 1, sizeof *e->buffers);
    e->is_used = calloc((size_t)s->buffer_count * (size_t)s->stages + 1, sizeof *e->is_used);
    e->rest = calloc((size_t)s->stages, sizeof *e->rest);
    if (!e->rest || !e->induction_at || !e->ring_slots || !e->ring_at || !e->buffers || !e->is_used)
        return false;
    for (int stage = 0; stage < s->stages; stage++)
        e->induction_at[stage] = -1;
    for (int i = 0; i < s->count; i++)
        if (!kiln_visit_operands(s->ops[i].op, need, &(queue_builder_t){e, s->ops[i].stage}))
            return false;
    for (int i = 0; i < s->carried_count; i++)
        if (!need(kiln_loop_schedule_yield(s, i), &(queue_builder_t){e, s->carried_stage[i]}))
            return false;
    sort_queues(e);
    e->total = s->carried_count;
    for (int q = 0; q < e->queue_count; q++) {
        e->queues[q].at = e->total;
        e->total += e->queues[q].length;
    }
    for (int stage = s->stages - 1; stage > 0; stage--)
        if (e->induction_at[stage] >= 0)
            e->induction_at[stage] = e->total++;
    for (int b = 0; b < s->buffer_count; b++) {
        int ring = 0, slots = s->buffers[b].slots;
        while (ring < e->ring_count && e->ring_slots[ring] != slots)
            ring++;
        if (slots > 1 && ring == e->ring_count) {
            e->ring_slots[ring] = slots;
            e->ring_at[e->ring_count++] = e->total++;
        }
    }
    return !e->out_of_memory;
}

// LDS ---------------------------------------------------------------------------------------------

static MlirType mutable_type(MlirType memdesc)
{
    int64_t shape[KILN_MAX_RANK], alloc_shape[KILN_MAX_RANK];
    int rank = kiln_memdesc_rank(memdesc), alloc_rank = kiln_memdesc_alloc_rank(memdesc);
    for (int d = 0; d < rank; d++)
        shape[d] = kiln_memdesc_dim(memdesc, d);
    for (int d = 0; d < alloc_rank; d++)
        alloc_shape[d] = kiln_memdesc_alloc_dim(memdesc, d);
    return kiln_memdesc_type(rank, shape, kiln_memdesc_element(memdesc),
                             kiln_memdesc_encoding(memdesc),
                             kiln_shared_memory_attr(mlirTypeGetContext(memdesc)), true,
                             alloc_rank == rank ? alloc_shape : NULL);
}

// Every iteration writes a slot, so none of its views may be immutable.
static void make_mutable(MlirValue memdesc)
{
    if (!kiln_memdesc_is_mutable(mlirValueGetType(memdesc)))
        mlirValueSetType(memdesc, mutable_type(mlirValueGetType(memdesc)));
    for (MlirOpOperand use = mlirValueGetFirstUse(memdesc); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        if (kiln_op_is_view(kiln_op_kind(user)))
            make_mutable(kiln_op_result(user, 0));
    }
}

static void allocate(kiln_expansion_t *e, const kiln_ir_t *ir)
{
    const kiln_loop_schedule_t *s = e->schedule;
    for (int b = 0; b < s->buffer_count; b++) {
        MlirOperation alloc = s->ops[s->buffers[b].op].op;
        MlirValue one = kiln_op_result(alloc, 0);
        make_mutable(one);
        MlirType type = mlirValueGetType(one);
        int64_t shape[KILN_MAX_RANK + 1] = {s->buffers[b].slots};
        int rank = kiln_memdesc_rank(type);
        for (int d = 0; d < rank; d++)
            shape[d + 1] = kiln_memdesc_dim(type, d);
        MlirType all = kiln_memdesc_type(rank + 1, shape, kiln_memdesc_element(type),
                                         kiln_memdesc_encoding(type),
                                         kiln_shared_memory_attr(ir->context), true, NULL);
        kiln_ir_t at = *ir;
        at.loc = mlirOperationGetLocation(alloc);
        kiln_ir_op_t op = {.kind = KILN_OP_TTG_LOCAL_ALLOC, .result_count = 1, .results = &all};
        e->buffers[b] = kiln_op_result(kiln_ir_create(&at, &op), 0);
    }
}

// The new loop ------------------------------------------------------------------------------------

// Whether the loop can be closed: stages · step fits the induction variable's type, and no wait
// counts the copies of each step.
static bool may_close(const kiln_loop_schedule_t *s)
{
    int64_t step;
    if (!kiln_ir_constant_int(kiln_op_operand(s->loop, STEP), &step) || step < 1 ||
        kiln_type_bits(mlirValueGetType(kiln_op_operand(s->loop, STEP))) < 32 ||
        step > INT32_MAX / s->stages)
        return false;
    for (int i = 0; i < s->count; i++)
        if (kiln_op_effects(s->ops[i].op) & KILN_ASYNC)
            return false;
    return true;
}

// Builds the new loop. `values` is the list before the loop on entry and the list after it on
// return; `lists` has room for two.
static void build_loop(kiln_expansion_t *e, const kiln_ir_t *ir, MlirValue *values,
                       MlirValue *lists)
{
    static const char *const LEFT_OUT[] = {KILN_LOOP_LAST_STAGE, KILN_LOOP_IS_CLOSED,
                                           "tt.num_stages", NULL};
    int total = e->total;
    MlirValue lower = e->lower, upper = e->upper;
    if (!e->is_closed)
        kiln_expand_bounds(e, ir, &lower, &upper);
    kiln_for_t what = {.lower = lower,
                       .upper = upper,
                       .step = e->step,
                       .is_unsigned = kiln_for_is_unsigned(e->schedule->loop),
                       .initial = values,
                       .count = total,
                       .like = e->schedule->loop,
                       .left_out = LEFT_OUT};
    MlirOperation made = kiln_for_create(ir, &what);
    e->out_of_memory |= mlirOperationIsNull(made);
    if (e->out_of_memory)
        return;
    MlirBlock block = kiln_op_body(made, 0);
    MlirValue *before = lists, *after = lists + total;
    for (int i = 0; i < total; i++) {
        before[i] = mlirBlockGetArgument(block, i + 1);
        values[i] = mlirOperationGetResult(made, i);
    }
    kiln_ir_t inside = kiln_ir_at_end(block, ir->loc);
    MlirValue induction = mlirBlockGetArgument(block, 0);
    if (e->is_closed) {
        e->rest_of_loop = kiln_ir_binary(&inside, KILN_OP_ARITH_SUBI, upper, induction);
        induction = kiln_expand_add_times(&inside, induction, e->step, e->schedule->stages - 1);
    }
    kiln_expand_step(e, &inside, KILN_STEP_LOOP, 0, induction, before, after);
    if (e->out_of_memory)
        return;
    kiln_ir_op_t yield = {.kind = KILN_OP_SCF_YIELD, .operand_count = total, .operands = after};
    kiln_ir_create(&inside, &yield);
}

// Builds the steps of a phase. `values` is updated from step to step; `next` has room for a list.
static void build_steps(kiln_expansion_t *e, const kiln_ir_t *ir, kiln_step_phase_t phase,
                        MlirValue *values, MlirValue *next)
{
    for (int number = 0; number + 1 < e->schedule->stages && !e->out_of_memory; number++) {
        kiln_expand_step(e, ir, phase, number, (MlirValue){NULL}, values, next);
        memcpy(values, next, (size_t)e->total * sizeof *values);
    }
}

// Steps before the loop if iterations are absent ----------------------------------------------------
//
// Masked loads of absent iterations take time although they load nothing. A loop inside another one
// pays for them again and again, so with more than two stages it tests for a second iteration
// first:
//
//   load a(0) if it exists             if iteration 1 exists:  load a(0), a(1), a(2) if each exists
//   load a(1) if it exists      →      else:                   load a(0) if it exists
//   load a(2) if it exists
//
// Loads of a side begin before the first of them is waited for, as without the branch.

// Whether the value may be the result of a branch: it is not an address or index, of which the
// compiler would know less.
static bool may_join(MlirValue value)
{
    MlirOperation op;
    kiln_value_op(value, &op);
    return mlirTypeIsAFloat(kiln_type_element(mlirValueGetType(value))) ||
           (!mlirOperationIsNull(op) && kiln_op_loads_tensor(op));
}

static bool is_repeated(MlirOperation loop)
{
    MlirOperation at = kiln_op_parent(loop);
    while (!mlirOperationIsNull(at) && !kiln_op_has(kiln_op_kind(at), KILN_LOOPS))
        at = kiln_op_parent(at);
    return !mlirOperationIsNull(at);
}

static bool tests_for_second(const kiln_expansion_t *e)
{
    const kiln_loop_schedule_t *s = e->schedule;
    bool may = s->stages > 2 && e->trip_count < 0 && is_repeated(s->loop);
    for (int i = 0; i < s->count; i++) // waits for copies count those of all iterations
        may &= !(kiln_op_effects(s->ops[i].op) & KILN_ASYNC);
    for (int i = 0; i < s->carried_count; i++)
        may &= s->carried_stage[i] == s->stages - 1 || may_join(kiln_loop_schedule_yield(s, i));
    for (int q = 0; q < e->queue_count; q++)
        may &= may_join(e->queues[q].value);
    return may;
}

// Builds the steps before the loop, in a branch for each case. `values` is updated; `lists` has
// room for two.
static void build_cases(kiln_expansion_t *e, const kiln_ir_t *ir, MlirValue *values,
                        MlirValue *lists)
{
    const size_t bytes = (size_t)e->total * sizeof *values;
    MlirValue *single = malloc(bytes + 1);
    kiln_branch_t branch;
    for (int number = e->schedule->stages - 1; number > 1; number--)
        kiln_expand_has_iteration(e, ir, number); // what it caches must precede the branch
    if (!single || !kiln_branch_open(&branch, ir, kiln_expand_has_iteration(e, ir, 1), e->total)) {
        e->out_of_memory = true;
        free(single);
        return;
    }
    memcpy(single, values, bytes);
    build_steps(e, &branch.then_ir, KILN_STEP_BEFORE, values, lists);
    e->is_single = true;
    build_steps(e, &branch.else_ir, KILN_STEP_BEFORE, single, lists);
    e->is_single = false;
    for (int i = 0; i < e->total && !e->out_of_memory; i++)
        if (!mlirValueIsNull(values[i]) && !mlirValueEqual(values[i], single[i]))
            kiln_branch_yield(&branch, values[i],
                              mlirValueIsNull(single[i])
                                  ? kiln_tile_nothing(&branch.else_ir, mlirValueGetType(values[i]))
                                  : single[i]);
    MlirOperation made = kiln_branch_close(&branch, ir);
    for (int i = 0, result = 0; i < e->total && !e->out_of_memory; i++)
        if (!mlirValueIsNull(values[i]) && !mlirValueEqual(values[i], single[i]))
            values[i] = mlirOperationGetResult(made, result++);
    free(single);
}

static void start_values(const kiln_expansion_t *e, const kiln_ir_t *ir, MlirValue *values)
{
    const kiln_loop_schedule_t *s = e->schedule;
    for (int i = 0; i < s->carried_count; i++)
        values[i] = kiln_op_operand(s->loop, FIRST_CARRIED + i);
    // Induction variables of the iterations that the stages execute in the loop's first step.
    for (int stage = 1; stage < s->stages; stage++)
        if (e->induction_at[stage] >= 0)
            values[e->induction_at[stage]] =
                kiln_expand_add_times(ir, e->lower, e->step, s->stages - 1 - stage);
    for (int r = 0; r < e->ring_count; r++)
        values[e->ring_at[r]] = e->zero;
}

static void build(kiln_expansion_t *e, MlirValue *values, MlirValue *lists)
{
    MlirOperation loop = e->schedule->loop;
    kiln_ir_t ir = kiln_ir_before(loop);
    e->zero = kiln_ir_const_int(&ir, mlirIntegerTypeGet(ir.context, 32), 0);
    start_values(e, &ir, values);
    allocate(e, &ir);
    if (tests_for_second(e))
        build_cases(e, &ir, values, lists);
    else
        build_steps(e, &ir, KILN_STEP_BEFORE, values, lists);
    if (!e->out_of_memory)
        build_loop(e, &ir, values, lists);
    if (!e->is_closed)
        build_steps(e, &ir, KILN_STEP_AFTER, values, lists);
    for (int i = 0; i < e->schedule->carried_count && !e->out_of_memory; i++)
        kiln_value_replace(mlirOperationGetResult(loop, i), values[i]);
    if (!e->out_of_memory)
        kiln_op_erase(loop);
}

kiln_status_t kiln_expand_loop(const kiln_loop_schedule_t *schedule)
{
    MlirOperation loop = schedule->loop;
    kiln_async_waits_t waits;
    KILN_TRY(kiln_async_waits_count(schedule, &waits));
    kiln_expansion_t e = {.schedule = schedule,
                          .waits = &waits,
                          .lower = kiln_op_operand(loop, LOWER),
                          .upper = kiln_op_operand(loop, UPPER),
                          .step = kiln_op_operand(loop, STEP),
                          .trip_count = kiln_loop_trip_count(loop),
                          .is_closed =
                              !mlirAttributeIsNull(kiln_ir_attr(loop, KILN_LOOP_IS_CLOSED)) &&
                              may_close(schedule)};
    e.out_of_memory = !plan(&e);
    size_t total = (size_t)e.total + 1;
    MlirValue *lists = calloc(total * 3, sizeof *lists);
    e.out_of_memory |= !lists;
    if (!e.out_of_memory)
        build(&e, lists, lists + total);
    free(lists);
    free(e.buffers);
    free(e.is_used);
    free(e.rest);
    free(e.queues);
    free(e.induction_at);
    free(e.ring_slots);
    free(e.ring_at);
    kiln_pointer_map_free(&e.queue_of);
    kiln_async_waits_free(&waits);
    return e.out_of_memory ? kiln_status_out_of_memory() : KILN_OK;
}
