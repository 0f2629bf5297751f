// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts how many groups each wait of an expanded loop may leave in flight. Groups complete in the
// order in which they were committed, so the number is that of the groups committed after the last
// one that the wait needs. It is counted by simulating short loops of every length and taking the
// minimum.
#include "passes/pipelining/async.h"

#include <limits.h>
#include <stdlib.h>

#include "analysis/memory/effects.h"

// The group that a wait needs: the one that `commit` made `distance` iterations earlier. commit −1:
// all groups.
typedef struct target {
    int commit, distance;
} target_t;

typedef struct counter {
    const kiln_loop_schedule_t *schedule;
    kiln_async_waits_t *waits;
    int *commits, commit_count; // operations of the loop
    bool has_inner_commits;
    target_t *targets; // of one wait
    int target_count;
    int *issued; // [commit][iteration]: groups issued up to and including this one
    int iterations;
} counter_t;

static bool is_kind(const kiln_loop_schedule_t *s, int op, kiln_op_t kind)
{
    return kiln_op_kind(s->ops[op].op) == kind;
}

static bool is_copy(kiln_op_t kind)
{
    return kind == KILN_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL ||
           kind == KILN_OP_AMDG_BUFFER_LOAD_TO_LOCAL;
}

static bool is_wait(const kiln_loop_schedule_t *s, int op)
{
    return is_kind(s, op, KILN_OP_TTG_ASYNC_WAIT) || is_kind(s, op, KILN_OP_AMDG_ASYNC_WAIT);
}

static kiln_status_t broken(const kiln_loop_schedule_t *s, int op, const char *what)
{
    return kiln_status_at_op(
        kiln_status_make(KILN_STATUS_INVALID_INPUT,
                         "the schedule violates a dependence: in stage %d, cluster %d, %s",
                         s->ops[op].stage, s->ops[op].cluster, what),
        s->ops[op].op);
}

static int commit_number(const counter_t *c, int op)
{
    for (int i = 0; i < c->commit_count; i++)
        if (c->commits[i] == op)
            return i;
    return -1;
}

// Targets -----------------------------------------------------------------------------------------

// Finds the group of a token. Returns false if the token comes from before the loop.
static bool find_group(const counter_t *c, MlirValue token, target_t *out)
{
    const kiln_loop_schedule_t *s = c->schedule;
    *out = (target_t){-1, 0};
    int carried = kiln_loop_schedule_carried(s, token);
    while (carried >= 0 && out->distance <= s->carried_count) {
        token = kiln_loop_schedule_yield(s, carried);
        carried = kiln_loop_schedule_carried(s, token);
        out->distance++;
    }
    if (carried >= 0 || mlirValueIsABlockArgument(token))
        return false;
    int op = kiln_pointer_map_get(&s->index_of, mlirOpResultGetOwner(token).ptr);
    if (op < 0 || is_wait(s, op))
        return false;
    out->commit = commit_number(c, op);
    return true;
}

// Without tokens: the newest group that the old loop waits for with `num`.
static target_t nth_latest(const counter_t *c, int wait, int num)
{
    int before = 0;
    while (before < c->commit_count && c->commits[before] < wait)
        before++;
    if (num < before)
        return (target_t){before - 1 - num, 0};
    num -= before;
    return (target_t){c->commit_count - 1 - num % c->commit_count, 1 + num / c->commit_count};
}

static void find_targets(counter_t *c, int wait)
{
    MlirOperation op = c->schedule->ops[wait].op;
    c->target_count = 0;
    if (c->has_inner_commits || kiln_op_kind(op) != KILN_OP_TTG_ASYNC_WAIT) {
        c->targets[c->target_count++] = (target_t){-1, 0};
        return;
    }
    if (mlirOperationGetNumOperands(op) == 0 && c->commit_count > 0)
        c->targets[c->target_count++] = nth_latest(c, wait, (int)kiln_ir_int_attr(op, "num", 0));
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (find_group(c, mlirOperationGetOperand(op, i), &c->targets[c->target_count]))
            c->target_count++;
}

// Checks ------------------------------------------------------------------------------------------

static bool has_token(MlirOperation load)
{
    return mlirOperationGetNumOperands(load) > 1;
}

typedef struct read_search {
    const kiln_loop_schedule_t *schedule;
    bool found;
} read_search_t;

// A read without a token of a buffer that a copy in the loop may write.
static MlirWalkResult find_read(MlirOperation op, void *user)
{
    read_search_t *search = user;
    if (kiln_op_kind(op) != KILN_OP_TTG_LOCAL_LOAD || has_token(op))
        return MlirWalkResultAdvance;
    kiln_access_t read = kiln_op_access(op);
    for (int i = 0; i < search->schedule->count && !search->found; i++) {
        MlirOperation copy = search->schedule->ops[i].op;
        kiln_access_t write = kiln_op_access(copy);
        search->found = is_copy(kiln_op_kind(copy)) && kiln_accesses_conflict(&read, &write);
    }
    return search->found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Checks that such a read stays after the waits that preceded it.
static kiln_status_t check_reads(const kiln_loop_schedule_t *s, int wait)
{
    for (int i = 0; i < s->count; i++) {
        read_search_t search = {s, false};
        kiln_walk(s->ops[i].op, MlirWalkPreOrder, find_read, &search);
        if (search.found && !kiln_loop_schedule_holds(s, wait, i, wait < i ? 0 : 1))
            return broken(s, i, "LDS is read before the wait for its asynchronous copies");
    }
    return KILN_OK;
}

static kiln_status_t check_wait(const counter_t *c, int wait)
{
    for (int t = 0; t < c->target_count; t++)
        if (c->targets[t].commit >= 0 &&
            !kiln_loop_schedule_holds(c->schedule, c->commits[c->targets[t].commit], wait,
                                      c->targets[t].distance))
            return broken(c->schedule, wait,
                          "a group of asynchronous copies is waited for before it is committed");
    return check_reads(c->schedule, wait);
}

// A copy whose token no commit takes belongs to the next group that is committed.
static kiln_status_t check_copy(const counter_t *c, int copy)
{
    const kiln_loop_schedule_t *s = c->schedule;
    if (kiln_value_has_uses(kiln_op_result(s->ops[copy].op, 0)) || c->commit_count == 0)
        return KILN_OK;
    int next = 0;
    while (next < c->commit_count && c->commits[next] < copy)
        next++;
    int distance = next == c->commit_count ? 1 : 0;
    return kiln_loop_schedule_holds(s, copy, c->commits[distance ? 0 : next], distance)
               ? KILN_OK
               : broken(s, copy, "a copy follows the commit of its group");
}

// Counting ----------------------------------------------------------------------------------------

// Maps a step of the expansion to its index among the steps before the loop, the loop, and the
// steps after it, for a loop of `length` iterations.
static int step_index(int step, int length, int last_stage)
{
    if (step < last_stage)
        return step;
    if (step < length)
        return last_stage;
    return last_stage + 1 + step - (length > last_stage ? length : last_stage);
}

static int groups_left(const counter_t *c, int iteration, int issued)
{
    int newest = 0; // groups from before the loop are older than all of its own
    for (int t = 0; t < c->target_count; t++) {
        const target_t *target = &c->targets[t];
        if (target->commit < 0)
            return 0;
        int made = iteration - target->distance;
        int number = made < 0 ? 0 : c->issued[target->commit * c->iterations + made];
        if (number > newest)
            newest = number;
    }
    return issued - newest;
}

// Whether the group is committed before the loop even if there is no such iteration, as an empty
// group. That holds for all groups whose tokens are not used after the loop.
static bool is_committed_anyway(const kiln_loop_schedule_t *s, int commit)
{
    MlirValue token = kiln_op_result(s->ops[commit].op, 0);
    for (MlirOpOperand use = mlirValueGetFirstUse(token); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
        if (kiln_loop_schedule_owner(s, mlirOpOperandGetOwner(use)) < 0)
            return false;
    return true;
}

static void count_one(counter_t *c, int wait, int length)
{
    const kiln_loop_schedule_t *s = c->schedule;
    int last = s->stages - 1, issued = 0, steps = last + (length > last ? length : last);
    for (int step = 0; step < steps; step++) {
        for (int p = 0; p < s->count; p++) {
            int op = s->order[p], iteration = step - s->ops[op].stage;
            int commit = commit_number(c, op);
            if (iteration >= length && step < last && commit >= 0)
                issued += is_committed_anyway(s, op);
            if (iteration < 0 || iteration >= length)
                continue;
            if (commit >= 0)
                c->issued[commit * c->iterations + iteration] = ++issued;
            int *num = &c->waits->num[op * c->waits->steps + step_index(step, length, last)];
            if (op == wait) {
                int left = groups_left(c, iteration, issued);
                *num = left < *num ? left : *num;
            }
        }
    }
}

static kiln_status_t count_wait(counter_t *c, int wait)
{
    int *num = &c->waits->num[wait * c->waits->steps];
    int given = (int)kiln_ir_int_attr(c->schedule->ops[wait].op, "num", 0), farthest = 0;
    for (int t = 0; t < c->target_count; t++)
        farthest = c->targets[t].distance > farthest ? c->targets[t].distance : farthest;
    if (c->target_count == 0 && c->commit_count == 0) { // no group is committed in this loop
        for (int i = 0; i < c->waits->steps; i++)
            num[i] = given;
        return KILN_OK;
    }
    c->iterations = 2 * c->schedule->stages + farthest + 2;
    free(c->issued);
    c->issued = calloc((size_t)c->iterations * (size_t)(c->commit_count + 1), sizeof *c->issued);
    if (!c->issued)
        return kiln_status_out_of_memory();
    for (int i = 0; i < c->waits->steps; i++)
        num[i] = INT_MAX;
    for (int length = 1; length <= c->iterations; length++)
        count_one(c, wait, length);
    for (int i = 0; i < c->waits->steps; i++)
        if (num[i] == INT_MAX)
            num[i] = 0;
    return KILN_OK;
}

static MlirWalkResult find_commit(MlirOperation op, void *user)
{
    *(int *)user += kiln_op_kind(op) == KILN_OP_TTG_ASYNC_COMMIT_GROUP;
    return MlirWalkResultAdvance;
}

static kiln_status_t count(counter_t *c)
{
    const kiln_loop_schedule_t *s = c->schedule;
    intptr_t max = 1;
    for (int i = 0; i < s->count; i++) {
        int commits = 0;
        kiln_walk(s->ops[i].op, MlirWalkPreOrder, find_commit, &commits);
        if (is_kind(s, i, KILN_OP_TTG_ASYNC_COMMIT_GROUP))
            c->commits[c->commit_count++] = i;
        else if (commits > 0)
            c->has_inner_commits = true;
        if (mlirOperationGetNumOperands(s->ops[i].op) > max)
            max = mlirOperationGetNumOperands(s->ops[i].op);
    }
    c->targets = calloc((size_t)max + 1, sizeof *c->targets);
    if (!c->targets)
        return kiln_status_out_of_memory();
    for (int i = 0; i < s->count; i++) {
        if (is_copy(kiln_op_kind(s->ops[i].op)))
            KILN_TRY(check_copy(c, i));
        if (!is_wait(s, i))
            continue;
        find_targets(c, i);
        KILN_TRY(check_wait(c, i));
        KILN_TRY(count_wait(c, i));
    }
    return KILN_OK;
}

kiln_status_t kiln_async_waits_count(const kiln_loop_schedule_t *schedule, kiln_async_waits_t *out)
{
    out->steps = 2 * schedule->stages - 1;
    out->num = calloc((size_t)schedule->count * (size_t)out->steps + 1, sizeof *out->num);
    counter_t c = {.schedule = schedule,
                   .waits = out,
                   .commits = calloc((size_t)schedule->count + 1, sizeof(int))};
    kiln_status_t status = out->num && c.commits ? count(&c) : kiln_status_out_of_memory();
    free(c.commits);
    free(c.targets);
    free(c.issued);
    if (status)
        kiln_async_waits_free(out);
    return status;
}

void kiln_async_waits_free(kiln_async_waits_t *waits)
{
    free(waits->num);
    waits->num = NULL;
}
