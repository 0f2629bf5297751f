// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One step of an expanded loop: each operation of the stages that it does is copied, with what its stage's iteration has
// in the place of its operands.
//
// Copies that must not happen where there is no such iteration go into branches, as many beside each other as can; what
// is needed of them outside comes out as the branch's results. The thing one gets wrong: what is made in a branch and
// remembered (a slot, an index) is not there behind it.
#include <stdlib.h>
#include <string.h>

#include "passes/loop_effects.h"
#include "passes/loop_expand.h"
#include "passes/tile_ops.h"

typedef struct step {
    kiln_expansion_t *e;
    const kiln_loop_schedule_t *schedule;
    kiln_ir_t ir; // where copies go
    kiln_step_phase_t phase;
    int number;
    MlirValue induction; // of the new loop
    const MlirValue *before;
    kiln_clones_t made;            // values of the loop → their copies in this step
    MlirValue *next;               // carried values that were made
    MlirValue *guards;             // of each stage: whether there is its iteration; null where that is sure
    MlirValue *inductions, *slots; // remembered: of each stage; of each buffer and stage
    // The branch that is open
    bool is_open;
    int open_stage;
    kiln_ir_t outside;
    MlirBlock then;
    bool *is_inside; // of each operation
    bool *has_begun; // of each stage
    bool *is_passed; // of each carried value: passed on in it
    MlirValue *kept; // inductions and slots as they were
} step_t;

MlirValue kiln_expand_add_times(const kiln_ir_t *ir, MlirValue value, MlirValue step, int times)
{
    if (times == 0)
        return value;
    MlirValue factor = kiln_ir_const_int(ir, mlirValueGetType(step), times);
    MlirValue product = times == 1 ? step : kiln_ir_binary(ir, KILN_OP_ARITH_MULI, step, factor);
    return kiln_ir_binary(ir, KILN_OP_ARITH_ADDI, value, product);
}

// Iterations -----------------------------------------------------------------------------------------------------

static bool is_active(const step_t *s, int stage)
{
    if (s->phase == KILN_STEP_LOOP)
        return true;
    return s->phase == KILN_STEP_BEFORE ? stage <= s->number : stage > s->number;
}

// The iteration that the stage does: before the loop as it is, behind it of the last S that there are.
static int iteration(const step_t *s, int stage)
{
    return s->phase == KILN_STEP_BEFORE ? s->number - stage : s->schedule->stages - 1 + s->number - stage;
}

// Whether there is an iteration `number`; null where that is sure.
static MlirValue guard_of(const step_t *s, int number)
{
    enum { UNSIGNED_LESS = 6 };
    const kiln_expansion_t *e = s->e;
    if (e->trip_count > number)
        return (MlirValue){NULL};
    return kiln_tile_compare(&s->ir, e->is_unsigned ? (kiln_compare_t)UNSIGNED_LESS : KILN_COMPARE_SLT,
                             kiln_expand_add_times(&s->ir, e->lower, e->step, number), e->upper);
}

static MlirValue induction_of(step_t *s, int stage)
{
    kiln_expansion_t *e = s->e;
    MlirValue *known = &s->inductions[stage];
    if (!mlirValueIsNull(*known))
        return *known;
    if (s->phase == KILN_STEP_BEFORE)
        *known = kiln_expand_add_times(&s->ir, e->lower, e->step, iteration(s, stage));
    else if (e->induction_at[stage] < 0)
        *known = s->induction;
    else
        *known = kiln_expand_add_times(&s->ir, s->before[e->induction_at[stage]], e->step,
                                       s->phase == KILN_STEP_BEHIND ? s->number : 0);
    return *known;
}

// Slots ----------------------------------------------------------------------------------------------------------

// (slot + by) mod slots, for slot < slots and by < slots. membar.c knows the form where by is 1.
static MlirValue slot_after(const kiln_ir_t *ir, MlirValue slot, int by, int slots)
{
    MlirType type = mlirValueGetType(slot);
    if (by == 0)
        return slot;
    MlirValue moved = kiln_ir_binary(ir, KILN_OP_ARITH_ADDI, slot, kiln_ir_const_int(ir, type, by));
    MlirValue count = kiln_ir_const_int(ir, type, slots);
    MlirValue inside = kiln_tile_compare(ir, KILN_COMPARE_SLT, moved, count);
    MlirValue wrapped = by == 1 ? kiln_ir_const_int(ir, type, 0) : kiln_ir_binary(ir, KILN_OP_ARITH_SUBI, moved, count);
    return kiln_tile_select(ir, inside, moved, wrapped);
}

// The slot number that the stage's iteration has. The list has that of the iteration which stage 0 does.
static MlirValue slot_number(const step_t *s, int slots, int stage)
{
    const kiln_expansion_t *e = s->e;
    if (slots == 1)
        return e->zero;
    if (s->phase == KILN_STEP_BEFORE)
        return kiln_ir_const_int(&s->ir, mlirValueGetType(e->zero), iteration(s, stage) % slots);
    int ring = 0, ahead = s->schedule->stages - 1 - stage + (s->phase == KILN_STEP_BEHIND ? s->number : 0);
    while (e->ring_slots[ring] != slots)
        ring++;
    return slot_after(&s->ir, s->before[e->ring_at[ring]], ahead % slots, slots);
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

static MlirValue slot_of(step_t *s, int buffer, int stage)
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

// Operands -------------------------------------------------------------------------------------------------------

static MlirValue queued(const step_t *s, MlirValue value, int age)
{
    const kiln_queue_t *queue = &s->e->queues[kiln_pointer_map_get(&s->e->queue_of, value.ptr)];
    return s->before[queue->at + queue->length - age];
}

static MlirValue resolve(step_t *s, MlirValue value, int stage);

// The carried value that the next iteration begins with: the first begins with what the loop is given.
static MlirValue next_of(step_t *s, int carried)
{
    int stage = s->schedule->carried_stage[carried];
    if (!is_active(s, stage))
        return s->before[carried];
    if (!mlirValueIsNull(s->next[carried]))
        return s->next[carried];
    return resolve(s, kiln_loop_schedule_yield(s->schedule, carried), stage);
}

// What a value of the old loop is for the stage's iteration.
static MlirValue resolve(step_t *s, MlirValue value, int stage)
{
    const kiln_loop_schedule_t *schedule = s->schedule;
    if (mlirValueIsABlockArgument(value)) {
        if (!mlirBlockEqual(mlirBlockArgumentGetOwner(value), schedule->body))
            return value;
        int carried = kiln_loop_schedule_carried(schedule, value);
        if (carried < 0)
            return induction_of(s, stage);
        int age = stage - schedule->carried_stage[carried];
        return age < 0 ? next_of(s, carried) : age == 0 ? s->before[carried] : queued(s, value, age);
    }
    int from = kiln_pointer_map_get(&schedule->index_of, mlirOpResultGetOwner(value).ptr);
    if (from < 0)
        return value;
    int buffer = kiln_loop_schedule_buffer(schedule, value), age = stage - schedule->ops[from].stage;
    if (buffer >= 0)
        return slot_of(s, buffer, stage);
    if (age == 0)
        return kiln_clones_find(&s->made, value);
    if (!kiln_type_is_memdesc(mlirValueGetType(value)) || !kiln_loop_schedule_remakes(schedule, value))
        return queued(s, value, age);
    kiln_clones_t map = {0};
    MlirOperation view = schedule->ops[from].op;
    kiln_clones_put(&map, kiln_op_operand(view, 0), resolve(s, kiln_op_operand(view, 0), stage));
    MlirOperation copy = kiln_clone(&s->ir, view, &map);
    s->e->out_of_memory |= !kiln_clones_free(&map);
    return kiln_op_result(copy, 0);
}

// Copies ---------------------------------------------------------------------------------------------------------

typedef struct operands {
    step_t *step;
    int stage;
    kiln_clones_t map;
} operands_t;

static bool resolve_operand(MlirValue operand, void *user)
{
    operands_t *o = user;
    if (mlirValueIsNull(kiln_clones_find(&o->map, operand))) {
        MlirValue to = resolve(o->step, operand, o->stage);
        if (!mlirValueEqual(to, operand))
            kiln_clones_put(&o->map, operand, to);
    }
    return true;
}

static void take_off(MlirOperation op, const char *name)
{
    mlirOperationRemoveDiscardableAttributeByName(op, mlirStringRefCreateFromCString(name));
}

static void remember(step_t *s, MlirOperation from, MlirOperation copy)
{
    take_off(copy, KILN_LOOP_STAGE);
    take_off(copy, KILN_LOOP_CLUSTER);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(from); i++)
        kiln_clones_put(&s->made, mlirOperationGetResult(from, i), mlirOperationGetResult(copy, i));
}

// A copy of an operation with a mask that only does its work where `guard` holds.
static void copy_masked(step_t *s, MlirOperation op, operands_t *operands, MlirValue guard)
{
    enum { MOST_OPERANDS = 8, MOST_ATTRIBUTES = 24 };
    kiln_ir_t ir = s->ir;
    ir.loc = mlirOperationGetLocation(op);
    int mask_group = 0, shape_group = 0;
    kiln_op_mask(kiln_op_kind(op), &mask_group, &shape_group);
    MlirType shape = mlirValueGetType(kiln_op_segment(op, shape_group));
    if (kiln_type_is_tensor(shape))
        guard = kiln_ir_unary(&ir, KILN_OP_TT_SPLAT, kiln_type_with_element(shape, mlirIntegerTypeGet(ir.context, 1)),
                              guard);
    MlirValue mask = kiln_op_segment(op, mask_group), values[MOST_OPERANDS];
    mask = mlirValueIsNull(mask)
               ? guard
               : kiln_ir_binary(&ir, KILN_OP_ARITH_ANDI, guard, kiln_clones_get(&operands->map, mask));
    MlirAttribute old = kiln_ir_attr(op, "operandSegmentSizes");
    int32_t sizes[MOST_OPERANDS] = {0};
    int groups = mlirAttributeIsNull(old) ? mask_group + 1 : (int)mlirDenseArrayGetNumElements(old), count = 0;
    for (int g = 0; g < groups; g++) {
        MlirValue value = g == mask_group ? mask : kiln_op_segment(op, g);
        if (mlirValueIsNull(value))
            continue;
        sizes[g] = 1;
        values[count++] = g == mask_group ? mask : kiln_clones_get(&operands->map, value);
    }
    MlirNamedAttribute attributes[MOST_ATTRIBUTES];
    int attribute_count = 0;
    MlirNamedAttribute segments =
        kiln_ir_named(ir.context, "operandSegmentSizes", mlirDenseI32ArrayGet(ir.context, groups, sizes));
    if (!mlirAttributeIsNull(old))
        attributes[attribute_count++] = segments;
    for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op) && attribute_count < MOST_ATTRIBUTES; i++) {
        MlirNamedAttribute attribute = mlirOperationGetAttribute(op, i);
        if (!mlirIdentifierEqual(attribute.name, segments.name))
            attributes[attribute_count++] = attribute;
    }
    MlirType result = mlirOperationGetNumResults(op) ? mlirValueGetType(kiln_op_result(op, 0)) : (MlirType){NULL};
    kiln_ir_op_t copy = {.kind = kiln_op_kind(op),
                         .operand_count = count,
                         .operands = values,
                         .result_count = (int)mlirOperationGetNumResults(op),
                         .results = &result,
                         .attribute_count = attribute_count,
                         .attributes = attributes};
    remember(s, op, kiln_ir_create(&ir, &copy));
}

static void store_to_slot(step_t *s, int index, operands_t *operands)
{
    const kiln_scheduled_op_t *alloc = &s->schedule->ops[index];
    if (mlirOperationGetNumOperands(alloc->op) == 0)
        return;
    kiln_ir_t ir = s->ir;
    ir.loc = mlirOperationGetLocation(alloc->op);
    int buffer = kiln_loop_schedule_buffer(s->schedule, kiln_op_result(alloc->op, 0));
    MlirValue values[] = {kiln_clones_get(&operands->map, kiln_op_operand(alloc->op, 0)),
                          slot_of(s, buffer, alloc->stage)};
    kiln_ir_op_t store = {.kind = KILN_OP_TTG_LOCAL_STORE, .operand_count = 2, .operands = values};
    kiln_ir_create(&ir, &store);
}

static int step_index(const step_t *s)
{
    int last = s->schedule->stages - 1;
    return s->phase == KILN_STEP_BEFORE ? s->number : s->phase == KILN_STEP_LOOP ? last : last + 1 + s->number;
}

static void copy_plainly(step_t *s, int index, operands_t *operands)
{
    MlirOperation op = s->schedule->ops[index].op;
    kiln_op_t kind = kiln_op_kind(op);
    MlirOperation copy = kiln_clone(&s->ir, op, &operands->map);
    remember(s, op, copy);
    if (kind == KILN_OP_TTG_ASYNC_WAIT || kind == KILN_OP_AMDG_ASYNC_WAIT) {
        int num = s->e->waits->num[index * s->e->waits->steps + step_index(s)];
        mlirOperationSetInherentAttributeByName(
            copy, mlirStringRefCreateFromCString(kind == KILN_OP_TTG_ASYNC_WAIT ? "num" : "num_inst"),
            kiln_ir_i32_attr(s->ir.context, num));
    }
}

// The slots that a stage uses are found when it begins.
static void begin_stage(step_t *s, int stage)
{
    for (int b = 0; b < s->schedule->buffer_count && !s->has_begun[stage]; b++)
        if (s->e->is_used[b * s->schedule->stages + stage])
            slot_of(s, b, stage);
    s->has_begun[stage] = true;
}

typedef enum way { PLAINLY, MASKED, IN_BRANCH } way_t;

static void copy_op(step_t *s, int index, way_t way)
{
    const kiln_scheduled_op_t *op = &s->schedule->ops[index];
    kiln_op_t kind = kiln_op_kind(op->op);
    begin_stage(s, op->stage);
    bool is_buffers =
        (kind == KILN_OP_TTG_LOCAL_ALLOC && kiln_loop_schedule_buffer(s->schedule, kiln_op_result(op->op, 0)) >= 0);
    if (kind == KILN_OP_TTG_LOCAL_DEALLOC && kiln_loop_schedule_remakes(s->schedule, kiln_op_operand(op->op, 0)))
        return; // slots are there as long as the loop
    operands_t operands = {.step = s, .stage = op->stage};
    kiln_visit_operands(op->op, resolve_operand, &operands);
    if (is_buffers)
        store_to_slot(s, index, &operands);
    else if (way == MASKED)
        copy_masked(s, op->op, &operands, s->guards[op->stage]);
    else
        copy_plainly(s, index, &operands);
    s->e->out_of_memory |= !kiln_clones_free(&operands.map);
}

// Branches -------------------------------------------------------------------------------------------------------

static size_t remembered(const step_t *s)
{
    return (size_t)s->schedule->stages * (size_t)(s->schedule->buffer_count + 1);
}

static void open_branch(step_t *s, int stage)
{
    s->is_open = true;
    s->open_stage = stage;
    s->outside = s->ir;
    s->then = mlirBlockCreate(0, NULL, NULL);
    s->ir = kiln_ir_at_end(s->then, s->ir.loc);
    memset(s->is_inside, 0, (size_t)s->schedule->count);
    memset(s->is_passed, 0, (size_t)s->schedule->carried_count);
    memcpy(s->kept, s->inductions, remembered(s) * sizeof *s->kept);
}

// Whether an operation outside of the branch uses the value.
static bool is_needed_outside(const step_t *s, MlirValue value)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        int user = kiln_loop_schedule_owner(s->schedule, mlirOpOperandGetOwner(use));
        if (user >= 0 && !s->is_inside[user])
            return true;
    }
    return false;
}

// Something of the type for where there is no iteration. Numbers are no poison: masks are made of them.
static MlirValue nothing(const kiln_ir_t *ir, MlirType type)
{
    MlirType element = kiln_type_element(type);
    if (mlirTypeIsAInteger(element) || mlirTypeIsAIndex(element))
        return kiln_ir_const_int(ir, type, 0);
    if (mlirTypeIsAFloat(element))
        return kiln_ir_const_float(ir, type, 0);
    if (kiln_type_is_ptr(element)) {
        MlirValue null = kiln_ir_const_int(ir, kiln_type_with_element(type, mlirIntegerTypeGet(ir->context, 64)), 0);
        return kiln_ir_unary(ir, KILN_OP_TT_INT_TO_PTR, type, null);
    }
    kiln_ir_op_t poison = {.kind = KILN_OP_UB_POISON, .result_count = 1, .results = &type};
    return kiln_op_result(kiln_ir_create(ir, &poison), 0);
}

static void create_yield(const kiln_ir_t *ir, int count, const MlirValue *values)
{
    kiln_ir_op_t yield = {.kind = KILN_OP_SCF_YIELD, .operand_count = count, .operands = values};
    kiln_ir_create(ir, &yield);
}

typedef struct results {
    MlirValue *of; // values of the old loop; null for carried ones that are passed on
    int *carried;  // numbers, or −1
    MlirValue *values, *otherwise;
    MlirType *types;
    int count;
} results_t;

static bool make_room(const step_t *s, results_t *r)
{
    size_t room = (size_t)s->schedule->carried_count + 1;
    for (int i = 0; i < s->schedule->count; i++)
        room += s->is_inside[i] ? (size_t)mlirOperationGetNumResults(s->schedule->ops[i].op) : 0;
    r->of = calloc(room, sizeof *r->of);
    r->carried = calloc(room, sizeof *r->carried);
    r->values = calloc(room, sizeof *r->values);
    r->otherwise = calloc(room, sizeof *r->otherwise);
    r->types = calloc(room, sizeof *r->types);
    return r->of && r->carried && r->values && r->otherwise && r->types;
}

static void add_result(results_t *r, MlirValue of, int carried, MlirValue value, MlirValue otherwise)
{
    int at = r->count++;
    r->of[at] = of;
    r->carried[at] = carried;
    r->values[at] = value;
    r->otherwise[at] = otherwise;
    r->types[at] = mlirValueGetType(value);
}

static int inside_operation(const step_t *s, MlirValue value)
{
    int op = mlirValueIsABlockArgument(value)
                 ? -1
                 : kiln_pointer_map_get(&s->schedule->index_of, mlirOpResultGetOwner(value).ptr);
    return op >= 0 && s->is_inside[op] ? op : -1;
}

// What is needed outside: carried values, which stay as they were where there is no iteration, then others.
static void collect_results(step_t *s, const kiln_ir_t *otherwise, results_t *r)
{
    const kiln_loop_schedule_t *schedule = s->schedule;
    for (int i = 0; i < schedule->carried_count; i++)
        if (s->is_passed[i] || inside_operation(s, kiln_loop_schedule_yield(schedule, i)) >= 0)
            add_result(r, (MlirValue){NULL}, i, next_of(s, i), s->before[i]);
    for (int p = 0; p < schedule->count; p++) {
        int i = schedule->order[p];
        MlirOperation op = schedule->ops[i].op;
        for (intptr_t k = 0; s->is_inside[i] && k < mlirOperationGetNumResults(op); k++) {
            MlirValue value = mlirOperationGetResult(op, k), made = kiln_clones_find(&s->made, value);
            if (!mlirValueIsNull(made) && is_needed_outside(s, value))
                add_result(r, value, -1, made, nothing(otherwise, mlirValueGetType(made)));
        }
    }
}

static void close_branch(step_t *s)
{
    if (!s->is_open)
        return;
    results_t results = {0};
    MlirBlock otherwise = mlirBlockCreate(0, NULL, NULL);
    kiln_ir_t inside = s->ir, other = kiln_ir_at_end(otherwise, s->ir.loc);
    bool fits = make_room(s, &results);
    s->e->out_of_memory |= !fits;
    if (fits)
        collect_results(s, &other, &results);
    create_yield(&inside, results.count, results.values);
    create_yield(&other, results.count, results.otherwise);
    MlirRegion regions[] = {mlirRegionCreate(), mlirRegionCreate()};
    mlirRegionAppendOwnedBlock(regions[0], s->then);
    mlirRegionAppendOwnedBlock(regions[1], otherwise);
    kiln_ir_op_t branch = {.kind = KILN_OP_SCF_IF,
                           .operand_count = 1,
                           .operands = &s->guards[s->open_stage],
                           .result_count = results.count,
                           .results = results.types,
                           .region_count = 2,
                           .regions = regions};
    s->ir = s->outside;
    MlirOperation made = kiln_ir_create(&s->ir, &branch);
    for (int i = 0; i < results.count; i++) {
        if (results.carried[i] >= 0)
            s->next[results.carried[i]] = mlirOperationGetResult(made, i);
        else
            kiln_clones_put(&s->made, results.of[i], mlirOperationGetResult(made, i));
    }
    memcpy(s->inductions, s->kept, remembered(s) * sizeof *s->kept);
    s->is_open = false;
    free(results.of);
    free(results.carried);
    free(results.values);
    free(results.otherwise);
    free(results.types);
}

// The step -------------------------------------------------------------------------------------------------------

static bool result_is_used(const step_t *s, int carried)
{
    return kiln_value_has_uses(mlirOperationGetResult(s->schedule->loop, carried));
}

// Whether the operation makes a carried value that the loop ends with.
static bool makes_result(const step_t *s, MlirOperation op)
{
    for (int i = 0; i < s->schedule->carried_count; i++) {
        MlirValue value = kiln_loop_schedule_yield(s->schedule, i);
        if (!mlirValueIsABlockArgument(value) && mlirOperationEqual(mlirOpResultGetOwner(value), op) &&
            result_is_used(s, i))
            return true;
    }
    return false;
}

static MlirWalkResult find_loop(MlirOperation op, void *user)
{
    kiln_op_t kind = kiln_op_kind(op);
    *(bool *)user |= kind == KILN_OP_SCF_FOR || kind == KILN_OP_SCF_WHILE || kind == KILN_OP_SCF_EXECUTE_REGION;
    return *(bool *)user ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Whether the access writes no LDS but a buffer that the loop makes, which is the iteration's own.
static bool writes_own(const step_t *s, const kiln_access_t *access)
{
    if (!(access->effects & KILN_WRITES_LDS))
        return true;
    return !mlirValueIsNull(access->lds) && !mlirValueIsABlockArgument(access->lds) &&
           kiln_pointer_map_get(&s->schedule->index_of, mlirOpResultGetOwner(access->lds).ptr) >= 0;
}

// Whether the operation may be done for an iteration that there is not: it has no effect but on a slot that is free, and
// ends.
static bool may_run_in_vain(const step_t *s, MlirOperation op)
{
    bool has_loop = false;
    kiln_walk(op, MlirWalkPreOrder, find_loop, &has_loop);
    kiln_access_t access = kiln_op_access(op);
    int harmless = KILN_READS_LDS | KILN_ASYNC | (writes_own(s, &access) ? access.effects & KILN_WRITES_LDS : 0);
    return !has_loop && (kiln_op_effects(op) & ~harmless) == 0;
}

static way_t way_of(const step_t *s, MlirOperation op, int stage)
{
    int mask, shape;
    if (mlirValueIsNull(s->guards[stage]))
        return PLAINLY;
    if (s->phase == KILN_STEP_BEHIND || makes_result(s, op))
        return IN_BRANCH;
    kiln_access_t access = kiln_op_access(op);
    if (kiln_op_mask(kiln_op_kind(op), &mask, &shape) && !(access.effects & KILN_ORDERED))
        return writes_own(s, &access) ? MASKED : IN_BRANCH; // a masked copy writes what it fills in
    return may_run_in_vain(s, op) ? PLAINLY : IN_BRANCH;
}

// Guards of the stages that need one in this step.
static void make_guards(step_t *s)
{
    if (s->phase == KILN_STEP_LOOP)
        return;
    for (int stage = 0; stage < s->schedule->stages; stage++)
        if (is_active(s, stage))
            s->guards[stage] = guard_of(s, iteration(s, stage));
}

// Carried values that no operation makes are passed on last.
static void pass_on(step_t *s)
{
    const kiln_loop_schedule_t *schedule = s->schedule;
    for (int i = 0; i < schedule->carried_count; i++) {
        MlirValue value = kiln_loop_schedule_yield(schedule, i);
        int stage = schedule->carried_stage[i];
        bool is_made = !mlirValueIsABlockArgument(value) &&
                       kiln_pointer_map_get(&schedule->index_of, mlirOpResultGetOwner(value).ptr) >= 0;
        if (is_made || !is_active(s, stage) || mlirValueIsNull(s->guards[stage]) ||
            (s->phase == KILN_STEP_BEFORE && !result_is_used(s, i)))
            continue;
        if (s->is_open && s->open_stage != stage)
            close_branch(s);
        if (!s->is_open)
            open_branch(s, stage);
        s->is_passed[i] = true;
    }
}

static void finish(step_t *s, MlirValue *after)
{
    kiln_expansion_t *e = s->e;
    const kiln_loop_schedule_t *schedule = s->schedule;
    for (int i = 0; i < schedule->carried_count; i++)
        after[i] = next_of(s, i);
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
            after[at] = s->phase == KILN_STEP_LOOP ? kiln_ir_binary(&s->ir, KILN_OP_ARITH_ADDI, s->before[at], e->step)
                                                   : s->before[at];
    }
    for (int r = 0; r < e->ring_count; r++)
        after[e->ring_at[r]] = s->phase == KILN_STEP_LOOP
                                   ? slot_after(&s->ir, s->before[e->ring_at[r]], 1, e->ring_slots[r])
                                   : s->before[e->ring_at[r]];
}

void kiln_expand_step(kiln_expansion_t *e, const kiln_ir_t *ir, kiln_step_phase_t phase, int number,
                      MlirValue induction, const MlirValue *before, MlirValue *after)
{
    const kiln_loop_schedule_t *schedule = e->schedule;
    step_t s = {.e = e,
                .schedule = schedule,
                .ir = *ir,
                .phase = phase,
                .number = number,
                .induction = induction,
                .before = before};
    size_t kept = remembered(&s), carried = (size_t)schedule->carried_count, stages = (size_t)schedule->stages;
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
            if (!is_active(&s, stage))
                continue;
            way_t way = way_of(&s, schedule->ops[i].op, stage);
            if (s.is_open && (way != IN_BRANCH || s.open_stage != stage))
                close_branch(&s);
            if (way == IN_BRANCH && !s.is_open)
                open_branch(&s, stage);
            s.is_inside[i] = s.is_open;
            copy_op(&s, i, way);
        }
        pass_on(&s);
        close_branch(&s);
        finish(&s, after);
    }
    free(values);
    free(flags);
    e->out_of_memory |= !kiln_clones_free(&s.made);
}
