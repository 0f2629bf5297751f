// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds one step of an expanded loop: clones each operation of the active stages, with its
// operands resolved for the iteration of its stage.
//
// Clones that must not run if there is no such iteration are masked, or go into branches.
#include <stdlib.h>

#include "analysis/memory/effects.h"
#include "passes/pipelining/step.h"
#include "passes/rewrite/tile_ops.h"

// Clones ------------------------------------------------------------------------------------------

typedef struct operands {
    kiln_step_t *step;
    int stage;
    kiln_clones_t map;
} operands_t;

static bool resolve_operand(MlirValue operand, void *user)
{
    operands_t *o = user;
    if (mlirValueIsNull(kiln_clones_find(&o->map, operand))) {
        MlirValue to = kiln_step_resolve(o->step, operand, o->stage);
        if (!mlirValueEqual(to, operand))
            kiln_clones_put(&o->map, operand, to);
    }
    return true;
}

static void take_off(MlirOperation op, const char *name)
{
    mlirOperationRemoveDiscardableAttributeByName(op, mlirStringRefCreateFromCString(name));
}

static void remember(kiln_step_t *s, MlirOperation from, MlirOperation copy)
{
    take_off(copy, KILN_LOOP_STAGE);
    take_off(copy, KILN_LOOP_CLUSTER);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(from); i++)
        kiln_clones_put(&s->made, mlirOperationGetResult(from, i), mlirOperationGetResult(copy, i));
}

// Clones an operation with a mask so that it takes effect only if `guard` holds.
static void copy_masked(kiln_step_t *s, MlirOperation op, operands_t *operands, MlirValue guard)
{
    enum { MAX_OPERANDS = 8, MAX_ATTRIBUTES = 24 };
    kiln_ir_t ir = s->ir;
    ir.loc = mlirOperationGetLocation(op);
    int mask_group = 0, shape_group = 0;
    kiln_op_mask(kiln_op_kind(op), &mask_group, &shape_group);
    MlirType shape = mlirValueGetType(kiln_op_segment(op, shape_group));
    if (kiln_type_is_tensor(shape))
        guard =
            kiln_ir_unary(&ir, KILN_OP_TT_SPLAT,
                          kiln_type_with_element(shape, mlirIntegerTypeGet(ir.context, 1)), guard);
    MlirValue mask = kiln_op_segment(op, mask_group), values[MAX_OPERANDS];
    mask = mlirValueIsNull(mask) ? guard
                                 : kiln_ir_binary(&ir, KILN_OP_ARITH_ANDI, guard,
                                                  kiln_clones_get(&operands->map, mask));
    MlirAttribute old = kiln_ir_attr(op, "operandSegmentSizes");
    int32_t sizes[MAX_OPERANDS] = {0};
    int groups = mlirAttributeIsNull(old) ? mask_group + 1 : (int)mlirDenseArrayGetNumElements(old),
        count = 0;
    for (int g = 0; g < groups; g++) {
        MlirValue value = g == mask_group ? mask : kiln_op_segment(op, g);
        if (mlirValueIsNull(value))
            continue;
        sizes[g] = 1;
        values[count++] = g == mask_group ? mask : kiln_clones_get(&operands->map, value);
    }
    MlirNamedAttribute attributes[MAX_ATTRIBUTES];
    int attribute_count = 0;
    MlirNamedAttribute segments = kiln_ir_named(ir.context, "operandSegmentSizes",
                                                mlirDenseI32ArrayGet(ir.context, groups, sizes));
    if (!mlirAttributeIsNull(old))
        attributes[attribute_count++] = segments;
    for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op) && attribute_count < MAX_ATTRIBUTES;
         i++) {
        MlirNamedAttribute attribute = mlirOperationGetAttribute(op, i);
        if (!mlirIdentifierEqual(attribute.name, segments.name))
            attributes[attribute_count++] = attribute;
    }
    MlirType result =
        mlirOperationGetNumResults(op) ? mlirValueGetType(kiln_op_result(op, 0)) : (MlirType){NULL};
    kiln_ir_op_t copy = {.kind = kiln_op_kind(op),
                         .operand_count = count,
                         .operands = values,
                         .result_count = (int)mlirOperationGetNumResults(op),
                         .results = &result,
                         .attribute_count = attribute_count,
                         .attributes = attributes};
    remember(s, op, kiln_ir_create(&ir, &copy));
}

static void store_to_slot(kiln_step_t *s, int index, operands_t *operands)
{
    const kiln_scheduled_op_t *alloc = &s->schedule->ops[index];
    if (mlirOperationGetNumOperands(alloc->op) == 0)
        return;
    kiln_ir_t ir = s->ir;
    ir.loc = mlirOperationGetLocation(alloc->op);
    int buffer = kiln_loop_schedule_buffer(s->schedule, kiln_op_result(alloc->op, 0));
    MlirValue values[] = {kiln_clones_get(&operands->map, kiln_op_operand(alloc->op, 0)),
                          kiln_step_slot(s, buffer, alloc->stage)};
    kiln_ir_op_t store = {.kind = KILN_OP_TTG_LOCAL_STORE, .operand_count = 2, .operands = values};
    kiln_ir_create(&ir, &store);
}

static int step_index(const kiln_step_t *s)
{
    int last = s->schedule->stages - 1;
    return s->phase == KILN_STEP_BEFORE ? s->number
           : s->phase == KILN_STEP_LOOP ? last
                                        : last + 1 + s->number;
}

static void copy_unmasked(kiln_step_t *s, int index, operands_t *operands)
{
    MlirOperation op = s->schedule->ops[index].op;
    kiln_op_t kind = kiln_op_kind(op);
    MlirOperation copy = kiln_clone(&s->ir, op, &operands->map);
    remember(s, op, copy);
    if (kind == KILN_OP_TTG_ASYNC_WAIT || kind == KILN_OP_AMDG_ASYNC_WAIT) {
        int num = s->e->waits->num[index * s->e->waits->steps + step_index(s)];
        mlirOperationSetInherentAttributeByName(
            copy,
            mlirStringRefCreateFromCString(kind == KILN_OP_TTG_ASYNC_WAIT ? "num" : "num_inst"),
            kiln_ir_i32_attr(s->ir.context, num));
    }
}

// Computes the slots that a stage uses before its first operation.
static void begin_stage(kiln_step_t *s, int stage)
{
    for (int b = 0; b < s->schedule->buffer_count && !s->has_begun[stage]; b++)
        if (s->e->is_used[b * s->schedule->stages + stage])
            kiln_step_slot(s, b, stage);
    s->has_begun[stage] = true;
}

typedef enum guarding { UNCONDITIONAL, MASKED, IN_BRANCH, OMITTED } guarding_t;

static void copy_op(kiln_step_t *s, int index, guarding_t guarding)
{
    const kiln_scheduled_op_t *op = &s->schedule->ops[index];
    kiln_op_t kind = kiln_op_kind(op->op);
    begin_stage(s, op->stage);
    bool is_buffers = (kind == KILN_OP_TTG_LOCAL_ALLOC &&
                       kiln_loop_schedule_buffer(s->schedule, kiln_op_result(op->op, 0)) >= 0);
    if (kind == KILN_OP_TTG_LOCAL_DEALLOC &&
        kiln_loop_schedule_recomputes(s->schedule, kiln_op_operand(op->op, 0)))
        return; // slots live as long as the loop
    operands_t operands = {.step = s, .stage = op->stage};
    kiln_visit_operands(op->op, resolve_operand, &operands);
    if (is_buffers)
        store_to_slot(s, index, &operands);
    else if (guarding == MASKED)
        copy_masked(s, op->op, &operands, s->guards[op->stage]);
    else
        copy_unmasked(s, index, &operands);
    s->e->out_of_memory |= !kiln_clones_free(&operands.map);
}

// The step ----------------------------------------------------------------------------------------

static bool result_is_used(const kiln_step_t *s, int carried)
{
    return kiln_value_has_uses(mlirOperationGetResult(s->schedule->loop, carried));
}

// Whether the operation defines a carried value that is a used result of the loop.
static bool makes_result(const kiln_step_t *s, MlirOperation op)
{
    for (int i = 0; i < s->schedule->carried_count; i++) {
        MlirValue value = kiln_loop_schedule_yield(s->schedule, i);
        if (!mlirValueIsABlockArgument(value) &&
            mlirOperationEqual(mlirOpResultGetOwner(value), op) && result_is_used(s, i))
            return true;
    }
    return false;
}

// Whether the access writes no LDS except a buffer allocated in the loop, where the iteration has
// its own slot.
static bool writes_own(const kiln_step_t *s, const kiln_access_t *access)
{
    if (!(access->effects & KILN_WRITES_LDS))
        return true;
    return !mlirValueIsNull(access->lds) && !mlirValueIsABlockArgument(access->lds) &&
           kiln_pointer_map_get(&s->schedule->index_of, mlirOpResultGetOwner(access->lds).ptr) >= 0;
}

// Whether the operation may run for an iteration that does not exist: it has no effect except on a
// free slot, and it terminates.
static bool is_speculatable(const kiln_step_t *s, MlirOperation op)
{
    kiln_access_t access = kiln_op_access(op);
    int harmless = KILN_READS_LDS | KILN_ASYNC |
                   (writes_own(s, &access) ? access.effects & KILN_WRITES_LDS : 0);
    return !kiln_op_may_not_terminate(op) && (kiln_op_effects(op) & ~harmless) == 0;
}

static guarding_t guarding_of(const kiln_step_t *s, MlirOperation op, int stage)
{
    int mask, shape;
    if (mlirValueIsNull(s->guards[stage]))
        return UNCONDITIONAL;
    if (s->phase == KILN_STEP_AFTER || makes_result(s, op))
        return IN_BRANCH;
    if (kiln_op_effects(op) == KILN_CLAIMS && mlirOperationGetNumResults(op) == 0)
        return OMITTED; // the claim applies only to existing iterations
    kiln_access_t access = kiln_op_access(op);
    if (kiln_op_mask(kiln_op_kind(op), &mask, &shape) && !(access.effects & KILN_ORDERED))
        return writes_own(s, &access) ? MASKED : IN_BRANCH; // a masked copy still writes
    return is_speculatable(s, op) ? UNCONDITIONAL : IN_BRANCH;
}

// Creates guards for the stages that need one in this step.
static void make_guards(kiln_step_t *s)
{
    const int last = s->schedule->stages - 1;
    if (s->phase == KILN_STEP_LOOP) {
        for (int stage = 0; stage < last && s->e->is_closed; stage++)
            s->guards[stage] = kiln_expand_has_later(s->e, &s->ir, last - stage);
        return;
    }
    for (int stage = 0; stage <= last; stage++)
        if (kiln_step_is_active(s, stage))
            s->guards[stage] = kiln_step_guard(s, kiln_step_iteration(s, stage));
}

// Carried values that no operation defines are passed on last.
static void pass_on(kiln_step_t *s)
{
    const kiln_loop_schedule_t *schedule = s->schedule;
    for (int i = 0; i < schedule->carried_count; i++) {
        MlirValue value = kiln_loop_schedule_yield(schedule, i);
        int stage = schedule->carried_stage[i];
        bool is_made =
            !mlirValueIsABlockArgument(value) &&
            kiln_pointer_map_get(&schedule->index_of, mlirOpResultGetOwner(value).ptr) >= 0;
        if (is_made || !kiln_step_is_active(s, stage) || mlirValueIsNull(s->guards[stage]) ||
            (s->phase != KILN_STEP_AFTER && !result_is_used(s, i)))
            continue;
        if (s->is_open && s->open_stage != stage)
            kiln_step_close_branch(s);
        if (!s->is_open)
            kiln_step_open_branch(s, stage);
        s->is_passed[i] = true;
    }
}

static void finish(kiln_step_t *s, MlirValue *after)
{
    kiln_expansion_t *e = s->e;
    const kiln_loop_schedule_t *schedule = s->schedule;
    for (int i = 0; i < schedule->carried_count; i++)
        after[i] = kiln_step_next(s, i);
    for (int q = 0; q < e->queue_count; q++) {
        const kiln_queue_t *queue = &e->queues[q];
        int carried = kiln_loop_schedule_carried(schedule, queue->value);
        for (int i = 0; i + 1 < queue->length; i++)
            after[queue->at + i] = s->before[queue->at + i + 1];
        after[queue->at + queue->length - 1] =
            carried >= 0 ? s->before[carried] : kiln_clones_find(&s->made, queue->value);
    }
    for (int stage = 0; stage < schedule->stages; stage++) {
        int at = e->induction_at[stage];
        if (at >= 0)
            after[at] = s->phase == KILN_STEP_LOOP
                            ? kiln_ir_binary(&s->ir, KILN_OP_ARITH_ADDI, s->before[at], e->step)
                            : s->before[at];
    }
    for (int r = 0; r < e->ring_count; r++)
        after[e->ring_at[r]] =
            s->phase == KILN_STEP_LOOP
                ? kiln_step_slot_after(&s->ir, s->before[e->ring_at[r]], 1, e->ring_slots[r])
                : s->before[e->ring_at[r]];
}

void kiln_expand_step(kiln_expansion_t *e, const kiln_ir_t *ir, kiln_step_phase_t phase, int number,
                      MlirValue induction, const MlirValue *before, MlirValue *after)
{
    const kiln_loop_schedule_t *schedule = e->schedule;
    kiln_step_t s = {.e = e,
                     .schedule = schedule,
                     .ir = *ir,
                     .phase = phase,
                     .number = number,
                     .induction = induction,
                     .before = before};
    size_t kept = kiln_step_remembered(&s), carried = (size_t)schedule->carried_count,
           stages = (size_t)schedule->stages;
    MlirValue *values = calloc(carried + stages + 2 * kept + 1, sizeof *values);
    bool *flags = calloc((size_t)schedule->count + carried + stages, sizeof *flags);
    e->out_of_memory |= !values || !flags;
    if (!e->out_of_memory) {
        s.next = values;
        s.guards = s.next + carried;
        s.inductions = s.guards + stages;
        s.slots = s.inductions + stages;
        s.kept = s.inductions + kept;
        s.is_inside = flags;
        s.is_passed = flags + schedule->count;
        s.has_begun = s.is_passed + carried;
        make_guards(&s);
        for (int p = 0; p < schedule->count; p++) {
            int i = schedule->order[p], stage = schedule->ops[i].stage;
            if (!kiln_step_is_active(&s, stage))
                continue;
            guarding_t guarding = guarding_of(&s, schedule->ops[i].op, stage);
            if (guarding == OMITTED)
                continue;
            if (s.is_open && (guarding != IN_BRANCH || s.open_stage != stage))
                kiln_step_close_branch(&s);
            if (guarding == IN_BRANCH && !s.is_open)
                kiln_step_open_branch(&s, stage);
            s.is_inside[i] = s.is_open;
            copy_op(&s, i, guarding);
        }
        pass_on(&s);
        kiln_step_close_branch(&s);
        finish(&s, after);
    }
    free(values);
    free(flags);
    e->out_of_memory |= !kiln_clones_free(&s.made);
}
