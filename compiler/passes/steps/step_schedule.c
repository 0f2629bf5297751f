// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules of steps: their attributes, their clusters, their order.
#include "passes/steps/step_schedule.h"

#include <stdlib.h>

#include "base/array.h"
#include "passes/pipelining/schedule.h"

bool kiln_step_is_scheduled(MlirOperation loop)
{
    return kiln_op_kind(loop) == KILN_OP_SCF_FOR &&
           !mlirAttributeIsNull(kiln_ir_attr(loop, KILN_LOOP_FENCES));
}

void kiln_step_schedule_free(kiln_step_schedule_t *schedule)
{
    free(schedule->ops);
    free(schedule->clusters);
    *schedule = (kiln_step_schedule_t){.count = 0};
}

kiln_status_t kiln_step_add_cluster(kiln_step_schedule_t *schedule, kiln_step_cluster_t cluster)
{
    if (!KILN_ARRAY_RESERVE(&schedule->clusters, &schedule->cluster_capacity,
                            (size_t)schedule->cluster_count + 1))
        return kiln_status_out_of_memory();
    schedule->clusters[schedule->cluster_count++] = cluster;
    return KILN_OK;
}

static kiln_status_t list_ops(kiln_step_schedule_t *s)
{
    MlirOperation yield = kiln_block_terminator(s->body);
    int count = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(s->body); !mlirOperationEqual(op, yield);
         op = mlirOperationGetNextInBlock(op))
        count++;
    s->ops = calloc((size_t)count + 1, sizeof *s->ops);
    if (!s->ops)
        return kiln_status_out_of_memory();
    for (MlirOperation op = mlirBlockGetFirstOperation(s->body); s->count < count;
         op = mlirOperationGetNextInBlock(op))
        s->ops[s->count++] = (kiln_step_op_t){.op = op, .slices = 1};
    return KILN_OK;
}

kiln_status_t kiln_step_schedule_create(MlirOperation loop, kiln_step_schedule_t *out)
{
    *out = (kiln_step_schedule_t){.loop = loop, .body = kiln_op_body(loop, 0), .wave_groups = 1};
    kiln_status_t status = list_ops(out);
    if (!status)
        status = kiln_step_add_cluster(out, (kiln_step_cluster_t){0, KILN_NO_FENCE, false});
    if (status)
        kiln_step_schedule_free(out);
    return status;
}

int kiln_step_find(const kiln_step_schedule_t *schedule, MlirOperation op)
{
    for (int i = 0; i < schedule->count; i++)
        if (mlirOperationEqual(schedule->ops[i].op, op))
            return i;
    return -1;
}

kiln_status_t kiln_step_split(kiln_step_schedule_t *schedule, int op, int may_cross)
{
    const int cluster = schedule->ops[op].cluster[0];
    const kiln_step_cluster_t made = {schedule->clusters[cluster].priority, may_cross, false};
    KILN_TRY(kiln_step_add_cluster(schedule, made));
    for (int c = schedule->cluster_count - 1; c > cluster + 1; c--)
        schedule->clusters[c] = schedule->clusters[c - 1];
    schedule->clusters[cluster + 1] = made;
    for (int i = 0; i < schedule->count; i++)
        for (int s = 0; s < schedule->ops[i].slices; s++) {
            int *own = &schedule->ops[i].cluster[s];
            // Slices come last in a cluster.
            *own += *own > cluster || (*own == cluster && (i >= op || schedule->ops[i].slices > 1));
        }
    return KILN_OK;
}

// Order -------------------------------------------------------------------------------------------

MlirOperation kiln_step_dot_of_read(MlirOperation read, int *out_operand)
{
    const MlirOperation none = {NULL};
    if (kiln_op_kind(read) != KILN_OP_TTG_LOCAL_LOAD)
        return none;
    MlirOpOperand use = mlirValueGetFirstUse(kiln_op_result(read, 0));
    if (mlirOpOperandIsNull(use) || !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
        return none;
    *out_operand = (int)mlirOpOperandGetOperandNumber(use);
    MlirOperation dot = mlirOpOperandGetOwner(use);
    return kiln_op_kind(dot) == KILN_OP_TT_DOT && *out_operand < 2 ? dot : none;
}

// The place of an item: its cluster; in that, whole operations, then slices by their number; of
// these, the reads of the operands, then the dot.
typedef struct place {
    kiln_step_item_t item;
    int cluster, slice, part;
} place_t;

static int by_place(const void *a, const void *b)
{
    const place_t *x = a, *y = b;
    const int difference[] = {x->cluster - y->cluster, x->slice - y->slice, x->part - y->part,
                              x->item.op - y->item.op};
    for (size_t i = 0; i < sizeof difference / sizeof *difference; i++)
        if (difference[i])
            return difference[i];
    return 0;
}

static place_t place_of(const kiln_step_schedule_t *s, int op, int slice)
{
    enum { DOT = 2 };
    place_t place = {{op, slice}, s->ops[op].cluster[slice], -1, 0};
    if (s->ops[op].slices == 1)
        return place;
    place.slice = slice;
    place.part = DOT;
    kiln_step_dot_of_read(s->ops[op].op, &place.part);
    return place;
}

kiln_status_t kiln_step_list(const kiln_step_schedule_t *schedule, kiln_step_item_t **out,
                             int *out_count)
{
    size_t count = 0;
    for (int i = 0; i < schedule->count; i++)
        count += (size_t)schedule->ops[i].slices;
    place_t *places = calloc(count + 1, sizeof *places);
    *out = calloc(count + 1, sizeof **out);
    *out_count = 0;
    if (!places || !*out) {
        free(places);
        free(*out);
        *out = NULL;
        return kiln_status_out_of_memory();
    }
    for (int i = 0; i < schedule->count; i++)
        for (int s = 0; s < schedule->ops[i].slices; s++)
            places[(*out_count)++] = place_of(schedule, i, s);
    qsort(places, count, sizeof *places, by_place);
    for (size_t i = 0; i < count; i++)
        (*out)[i] = places[i].item;
    free(places);
    return KILN_OK;
}

// Attributes --------------------------------------------------------------------------------------

static kiln_status_t wrong(MlirOperation op, const char *name, const char *expected)
{
    return kiln_status_at_op(
        kiln_status_make(KILN_STATUS_INVALID_INPUT, "%s: expected %s", name, expected), op);
}

static kiln_status_t read_cluster(const kiln_step_schedule_t *s, int index)
{
    kiln_step_op_t *op = &s->ops[index];
    MlirAttribute attribute = kiln_ir_attr(op->op, KILN_LOOP_CLUSTER);
    const bool is_array =
        !mlirAttributeIsNull(attribute) && mlirAttributeIsADenseI32Array(attribute);
    if (is_array) {
        const intptr_t slices = mlirDenseArrayGetNumElements(attribute);
        if (slices < 1 || slices > KILN_MAX_SLICES)
            return wrong(op->op, KILN_LOOP_CLUSTER, "1 to 16 slices");
        op->slices = (int)slices;
    }
    const kiln_step_op_t *before = index ? &s->ops[index - 1] : NULL;
    const int otherwise = before ? before->cluster[before->slices - 1] : 0;
    for (int i = 0; i < op->slices; i++) {
        op->cluster[i] = is_array ? mlirDenseI32ArrayGetElement(attribute, i)
                                  : kiln_ir_clamped_attr(op->op, KILN_LOOP_CLUSTER, otherwise);
        if (op->cluster[i] < 0 || op->cluster[i] >= s->cluster_count)
            return wrong(op->op, KILN_LOOP_CLUSTER,
                         "numbers from 0, less than that of the loop's " KILN_LOOP_FENCES);
    }
    return KILN_OK;
}

// Returns the number of the loop's array; 0 if it has none. −1 if it has another length.
static int32_t element_of(MlirOperation loop, const char *name, int index, int count)
{
    MlirAttribute attribute = kiln_ir_attr(loop, name);
    if (mlirAttributeIsNull(attribute))
        return 0;
    if (!mlirAttributeIsADenseI32Array(attribute) ||
        mlirDenseArrayGetNumElements(attribute) != count)
        return -1;
    return mlirDenseI32ArrayGetElement(attribute, index);
}

static kiln_status_t read_clusters(kiln_step_schedule_t *s)
{
    enum { ALL_BITS = 0x7ff };
    MlirAttribute fences = kiln_ir_attr(s->loop, KILN_LOOP_FENCES);
    if (!mlirAttributeIsADenseI32Array(fences) || mlirDenseArrayGetNumElements(fences) < 1)
        return wrong(s->loop, KILN_LOOP_FENCES, "an array<i32: …> with a number for each cluster");
    const int count = (int)mlirDenseArrayGetNumElements(fences);
    for (int c = 0; c < count; c++) {
        const int32_t priority = element_of(s->loop, KILN_LOOP_PRIORITIES, c, count),
                      barrier = element_of(s->loop, KILN_LOOP_BARRIERS, c, count),
                      fence = mlirDenseI32ArrayGetElement(fences, c);
        const bool is_end = c == 0 || c == count - 1;
        if (priority < 0 || priority > KILN_MAX_PRIORITY || (is_end && priority > 0))
            return wrong(
                s->loop, KILN_LOOP_PRIORITIES,
                "as many numbers from 0 to 3 as clusters, and 0 for the first and the last");
        if ((barrier & ~1) || (c == 0 && barrier))
            return wrong(s->loop, KILN_LOOP_BARRIERS,
                         "as many numbers as clusters, each 0 or 1, and 0 for the first");
        if (fence < KILN_NO_FENCE || fence > ALL_BITS || (c == 0 && fence != KILN_NO_FENCE))
            return wrong(
                s->loop, KILN_LOOP_FENCES,
                "-1 or bits of rocdl.sched.barrier for each cluster, and -1 for the first");
        KILN_TRY(kiln_step_add_cluster(s, (kiln_step_cluster_t){priority, fence, barrier}));
    }
    const int64_t groups = kiln_ir_int_attr(s->loop, KILN_LOOP_WAVE_GROUPS, 1);
    s->wave_groups = (int)groups;
    return groups == 1 || groups == 2 ? KILN_OK : wrong(s->loop, KILN_LOOP_WAVE_GROUPS, "1 or 2");
}

kiln_status_t kiln_step_schedule_read(MlirOperation loop, kiln_step_schedule_t *out)
{
    *out = (kiln_step_schedule_t){.loop = loop, .body = kiln_op_body(loop, 0)};
    kiln_status_t status = list_ops(out);
    if (!status)
        status = read_clusters(out);
    for (int i = 0; i < out->count && !status; i++)
        status = read_cluster(out, i);
    if (!status)
        status = kiln_step_schedule_check(out);
    if (status)
        kiln_step_schedule_free(out);
    return status;
}

static void set(MlirOperation op, const char *name, MlirAttribute value)
{
    mlirOperationSetDiscardableAttributeByName(op, mlirStringRefCreateFromCString(name), value);
}

typedef int32_t (*member_t)(const kiln_step_cluster_t *cluster);

static int32_t priority_of(const kiln_step_cluster_t *cluster)
{
    return cluster->priority;
}

static int32_t fence_of(const kiln_step_cluster_t *cluster)
{
    return cluster->may_cross;
}

static int32_t barrier_of(const kiln_step_cluster_t *cluster)
{
    return cluster->has_barrier;
}

// Sets an array of a member of all clusters; `otherwise`: no array is needed if all equal it.
static kiln_status_t set_array(const kiln_step_schedule_t *s, const char *name, member_t member,
                               int32_t otherwise)
{
    int32_t *values = calloc((size_t)s->cluster_count + 1, sizeof *values);
    bool differs = false;
    if (!values)
        return kiln_status_out_of_memory();
    for (int c = 0; c < s->cluster_count; c++) {
        values[c] = member(&s->clusters[c]);
        differs |= values[c] != otherwise;
    }
    if (differs)
        set(s->loop, name,
            mlirDenseI32ArrayGet(mlirOperationGetContext(s->loop), s->cluster_count, values));
    free(values);
    return KILN_OK;
}

kiln_status_t kiln_step_schedule_write(const kiln_step_schedule_t *schedule)
{
    enum { ALWAYS = INT32_MIN };
    for (int i = 0; i < schedule->count; i++) {
        const kiln_step_op_t *op = &schedule->ops[i];
        if (op->slices == 1)
            kiln_ir_set_int_attr(op->op, KILN_LOOP_CLUSTER, op->cluster[0]);
        else
            set(op->op, KILN_LOOP_CLUSTER,
                mlirDenseI32ArrayGet(mlirOperationGetContext(op->op), op->slices, op->cluster));
    }
    KILN_TRY(set_array(schedule, KILN_LOOP_FENCES, fence_of, ALWAYS));
    KILN_TRY(set_array(schedule, KILN_LOOP_PRIORITIES, priority_of, 0));
    KILN_TRY(set_array(schedule, KILN_LOOP_BARRIERS, barrier_of, 0));
    if (schedule->wave_groups > 1)
        kiln_ir_set_int_attr(schedule->loop, KILN_LOOP_WAVE_GROUPS, schedule->wave_groups);
    return KILN_OK;
}

void kiln_step_remove_cluster(MlirOperation op)
{
    mlirOperationRemoveDiscardableAttributeByName(
        op, mlirStringRefCreateFromCString(KILN_LOOP_CLUSTER));
}

void kiln_step_remove_clusters(MlirOperation loop)
{
    static const char *const NAMES[] = {KILN_LOOP_FENCES, KILN_LOOP_PRIORITIES, KILN_LOOP_BARRIERS,
                                        KILN_LOOP_WAVE_GROUPS};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        mlirOperationRemoveDiscardableAttributeByName(loop,
                                                      mlirStringRefCreateFromCString(NAMES[i]));
}
