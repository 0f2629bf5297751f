// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resolves values of the old loop for a stage's iteration: iterations and induction variables,
// slots of buffers, values that wait in queues.
#include "passes/pipelining/step.h"
#include "passes/rewrite/tile_ops.h"

// Iterations --------------------------------------------------------------------------------------

bool kiln_step_is_active(const kiln_step_t *s, int stage)
{
    if (s->phase == KILN_STEP_LOOP)
        return true;
    if (s->phase == KILN_STEP_AFTER)
        return stage > s->number;
    return s->e->is_single ? stage == s->number : stage <= s->number;
}

int kiln_step_iteration(const kiln_step_t *s, int stage)
{
    return s->phase == KILN_STEP_BEFORE ? s->number - stage
                                        : s->schedule->stages - 1 + s->number - stage;
}

MlirValue kiln_step_guard(const kiln_step_t *s, int number)
{
    if (s->e->trip_count > number)
        return (MlirValue){NULL};
    return kiln_expand_has_iteration(s->e, &s->ir, number);
}

static MlirValue induction_of(kiln_step_t *s, int stage)
{
    kiln_expansion_t *e = s->e;
    MlirValue *known = &s->inductions[stage];
    if (!mlirValueIsNull(*known))
        return *known;
    if (s->phase == KILN_STEP_BEFORE)
        *known = kiln_expand_add_times(&s->ir, e->lower, e->step, kiln_step_iteration(s, stage));
    else if (e->induction_at[stage] < 0)
        *known = s->induction;
    else
        *known = kiln_expand_add_times(&s->ir, s->before[e->induction_at[stage]], e->step,
                                       s->phase == KILN_STEP_AFTER ? s->number : 0);
    return *known;
}

// Slots -------------------------------------------------------------------------------------------

MlirValue kiln_step_slot_after(const kiln_ir_t *ir, MlirValue slot, int by, int slots)
{
    MlirType type = mlirValueGetType(slot);
    if (by == 0)
        return slot;
    MlirValue moved = kiln_ir_binary(ir, KILN_OP_ARITH_ADDI, slot, kiln_ir_const_int(ir, type, by));
    MlirValue count = kiln_ir_const_int(ir, type, slots);
    MlirValue inside = kiln_ir_compare(ir, KILN_CMPI_SLT, moved, count);
    MlirValue wrapped = by == 1 ? kiln_ir_const_int(ir, type, 0)
                                : kiln_ir_binary(ir, KILN_OP_ARITH_SUBI, moved, count);
    return kiln_tile_select(ir, inside, moved, wrapped);
}

// Returns the slot number of the stage's iteration. The list holds the slot number of the iteration
// that stage 0 executes.
static MlirValue slot_number(const kiln_step_t *s, int slots, int stage)
{
    const kiln_expansion_t *e = s->e;
    if (slots == 1)
        return e->zero;
    if (s->phase == KILN_STEP_BEFORE)
        return kiln_ir_const_int(&s->ir, mlirValueGetType(e->zero),
                                 kiln_step_iteration(s, stage) % slots);
    int ring = 0,
        ahead = s->schedule->stages - 1 - stage + (s->phase == KILN_STEP_AFTER ? s->number : 0);
    while (e->ring_slots[ring] != slots)
        ring++;
    return kiln_step_slot_after(&s->ir, s->before[e->ring_at[ring]], ahead % slots, slots);
}

static MlirType one_slot(MlirType all)
{
    int64_t shape[KILN_MAX_RANK + 1];
    int rank = kiln_memdesc_rank(all) - 1;
    for (int d = 0; d < rank; d++)
        shape[d] = kiln_memdesc_dim(all, d + 1);
    return kiln_memdesc_type(rank, shape, kiln_memdesc_element(all), kiln_memdesc_encoding(all),
                             kiln_shared_memory_attr(mlirTypeGetContext(all)), true, NULL);
}

MlirValue kiln_step_slot(kiln_step_t *s, int buffer, int stage)
{
    MlirValue *known = &s->slots[buffer * s->schedule->stages + stage];
    if (!mlirValueIsNull(*known))
        return *known;
    MlirValue all = s->e->buffers[buffer];
    MlirValue operands[] = {all, slot_number(s, s->schedule->buffers[buffer].slots, stage)};
    MlirType type = one_slot(mlirValueGetType(all));
    kiln_ir_op_t op = {.kind = KILN_OP_TTG_MEMDESC_INDEX,
                       .operand_count = 2,
                       .operands = operands,
                       .result_count = 1,
                       .results = &type};
    kiln_ir_t at = s->ir;
    at.loc = mlirOperationGetLocation(s->schedule->ops[s->schedule->buffers[buffer].op].op);
    *known = kiln_op_result(kiln_ir_create(&at, &op), 0);
    return *known;
}

// Operands ----------------------------------------------------------------------------------------

static MlirValue queued(const kiln_step_t *s, MlirValue value, int age)
{
    const kiln_queue_t *queue = &s->e->queues[kiln_pointer_map_get(&s->e->queue_of, value.ptr)];
    return s->before[queue->at + queue->length - age];
}

MlirValue kiln_step_next(kiln_step_t *s, int carried)
{
    int stage = s->schedule->carried_stage[carried];
    if (!kiln_step_is_active(s, stage))
        return s->before[carried];
    if (!mlirValueIsNull(s->next[carried]))
        return s->next[carried];
    return kiln_step_resolve(s, kiln_loop_schedule_yield(s->schedule, carried), stage);
}

MlirValue kiln_step_resolve(kiln_step_t *s, MlirValue value, int stage)
{
    const kiln_loop_schedule_t *schedule = s->schedule;
    if (mlirValueIsABlockArgument(value)) {
        if (!mlirBlockEqual(mlirBlockArgumentGetOwner(value), schedule->body))
            return value;
        int carried = kiln_loop_schedule_carried(schedule, value);
        if (carried < 0)
            return induction_of(s, stage);
        int age = stage - schedule->carried_stage[carried];
        return age < 0    ? kiln_step_next(s, carried)
               : age == 0 ? s->before[carried]
                          : queued(s, value, age);
    }
    int from = kiln_pointer_map_get(&schedule->index_of, mlirOpResultGetOwner(value).ptr);
    if (from < 0)
        return value;
    int buffer = kiln_loop_schedule_buffer(schedule, value),
        age = stage - schedule->ops[from].stage;
    if (buffer >= 0)
        return kiln_step_slot(s, buffer, stage);
    if (age == 0)
        return kiln_clones_find(&s->made, value);
    if (!kiln_type_is_memdesc(mlirValueGetType(value)) ||
        !kiln_loop_schedule_recomputes(schedule, value))
        return queued(s, value, age);
    kiln_clones_t map = {0};
    MlirOperation view = schedule->ops[from].op;
    kiln_clones_put(&map, kiln_op_operand(view, 0),
                    kiln_step_resolve(s, kiln_op_operand(view, 0), stage));
    MlirOperation copy = kiln_clone(&s->ir, view, &map);
    s->e->out_of_memory |= !kiln_clones_free(&map);
    return kiln_op_result(copy, 0);
}
