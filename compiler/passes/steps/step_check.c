// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that a schedule of a step computes what the body computes: values come before their uses,
// accesses of memory that conflict keep their order, and only dots whose operands are read from LDS
// are cut, together with these reads.
//
// One step never overlaps another, so nothing is to be checked between iterations.
#include <stdlib.h>

#include "analysis/memory/effects.h"
#include "analysis/waves/waves.h"
#include "base/array.h"
#include "passes/pipelining/schedule.h"
#include "passes/steps/dot_slices.h"
#include "passes/steps/step_schedule.h"

typedef struct listed {
    kiln_access_t access;
    int op;
} listed_t;

typedef struct check {
    const kiln_step_schedule_t *schedule;
    int (*place)[KILN_MAX_SLICES]; // of each slice of each operation, in the order of the step
    int op;                        // that is checked
    listed_t *accesses;            // of all operations
    int access_count;
    size_t access_capacity;
    kiln_status_t status;
} check_t;

static kiln_status_t fault(const check_t *c, int op, const char *what)
{
    return kiln_status_at_op(kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                              "the schedule of the step violates a dependence: %s",
                                              what),
                             c->schedule->ops[op].op);
}

static int first_place(const check_t *c, int op)
{
    return c->place[op][0];
}

static int last_place(const check_t *c, int op)
{
    return c->place[op][c->schedule->ops[op].slices - 1];
}

// Values ------------------------------------------------------------------------------------------

static int owner_of(const check_t *c, MlirValue value)
{
    return mlirValueIsABlockArgument(value)
               ? -1
               : kiln_step_find(c->schedule, mlirOpResultGetOwner(value));
}

static bool check_operand(MlirValue operand, void *user)
{
    check_t *c = user;
    const int from = owner_of(c, operand);
    if (from < 0 || from == c->op)
        return true;
    const int slices = c->schedule->ops[c->op].slices;
    bool holds = last_place(c, from) < first_place(c, c->op);
    if (slices > 1 && c->schedule->ops[from].slices == slices) {
        holds = true;
        for (int s = 0; s < slices; s++)
            holds = holds && c->place[from][s] < c->place[c->op][s];
    }
    if (!holds)
        c->status = fault(c, c->op, "a value is used in a cluster before the one that defines it");
    return !c->status;
}

// Cuts --------------------------------------------------------------------------------------------

static bool is_cut_alike(const check_t *c, MlirOperation op, int slices)
{
    const int index = kiln_step_find(c->schedule, op);
    return index >= 0 && c->schedule->ops[index].slices == slices;
}

static kiln_status_t check_cut(const check_t *c, int waves)
{
    const kiln_step_op_t *op = &c->schedule->ops[c->op];
    int operand;
    MlirOperation dot = kiln_op_kind(op->op) == KILN_OP_TT_DOT
                            ? op->op
                            : kiln_step_dot_of_read(op->op, &operand),
                  reads[2];
    kiln_dot_measure_t measure;
    if (op->slices == 1)
        return KILN_OK;
    if (mlirOperationIsNull(dot) || !is_cut_alike(c, dot, op->slices) ||
        !kiln_dot_reads(dot, reads) || !is_cut_alike(c, reads[0], op->slices) ||
        !is_cut_alike(c, reads[1], op->slices) || !kiln_dot_measure(dot, waves, &measure) ||
        !kiln_dot_may_be_cut(&measure, op->slices))
        return kiln_status_at_op(
            kiln_status_make(
                KILN_STATUS_INVALID_INPUT,
                "%s: cannot be cut into %d slices; expected a dot and the reads of its "
                "two operands from LDS, which nothing else uses, of at least one matrix "
                "instruction along K for each slice",
                KILN_LOOP_CLUSTER, op->slices),
            op->op);
    for (int s = 1; s < op->slices; s++)
        if (c->place[c->op][s] < c->place[c->op][s - 1])
            return fault(c, c->op, "a slice is in a cluster before that of the slice before it");
    return KILN_OK;
}

// Memory ------------------------------------------------------------------------------------------

static MlirWalkResult list_access(MlirOperation op, void *user)
{
    check_t *c = user;
    kiln_access_t access = kiln_op_access(op);
    if ((access.effects & ~KILN_CLAIMS) == 0)
        return MlirWalkResultAdvance;
    if (!KILN_ARRAY_RESERVE(&c->accesses, &c->access_capacity, (size_t)c->access_count + 1)) {
        c->status = kiln_status_out_of_memory();
        return MlirWalkResultInterrupt;
    }
    c->accesses[c->access_count++] = (listed_t){access, c->op};
    return MlirWalkResultAdvance;
}

static kiln_status_t check_memory(check_t *c)
{
    for (c->op = 0; c->op < c->schedule->count && !c->status; c->op++)
        kiln_walk(c->schedule->ops[c->op].op, MlirWalkPreOrder, list_access, c);
    for (int i = 0; i < c->access_count && !c->status; i++)
        for (int j = i + 1; j < c->access_count && !c->status; j++) {
            const listed_t *before = &c->accesses[i], *after = &c->accesses[j];
            if (before->op != after->op && last_place(c, before->op) > first_place(c, after->op) &&
                kiln_accesses_conflict(&before->access, &after->access))
                c->status = fault(c, after->op,
                                  "memory is accessed in a cluster before that of an "
                                  "access on which it depends");
        }
    return c->status;
}

static kiln_status_t check_all(check_t *c, int waves)
{
    for (c->op = 0; c->op < c->schedule->count && !c->status; c->op++) {
        c->status = check_cut(c, waves);
        if (!c->status)
            kiln_visit_operands(c->schedule->ops[c->op].op, check_operand, c);
    }
    return c->status ? c->status : check_memory(c);
}

static MlirModule module_of(MlirOperation op)
{
    for (MlirOperation parent = op; !mlirOperationIsNull(parent); parent = kiln_op_parent(parent))
        op = parent;
    return mlirModuleFromOperation(op);
}

kiln_status_t kiln_step_schedule_check(const kiln_step_schedule_t *schedule)
{
    int waves, count;
    kiln_step_item_t *items;
    KILN_TRY(kiln_waves_of_module(module_of(schedule->loop), &waves));
    KILN_TRY(kiln_step_list(schedule, &items, &count));
    check_t check = {.schedule = schedule};
    check.place = calloc((size_t)schedule->count + 1, sizeof *check.place);
    kiln_status_t status = check.place ? KILN_OK : kiln_status_out_of_memory();
    for (int i = 0; i < count && check.place; i++)
        check.place[items[i].op][items[i].slice] = i;
    if (!status)
        status = check_all(&check, waves);
    free(check.accesses);
    free(check.place);
    free(items);
    return status;
}
