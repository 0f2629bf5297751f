// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries the candidates that policies propose for a loop's schedule: writes each into the loop,
// reads it back, which checks its dependences, and takes it out again unless it fits the machine.
#include "passes/pipelining/candidate.h"

#include <stdlib.h>

#include "analysis/machine/loop_registers.h"
#include "analysis/plan/allocation.h"
#include "analysis/plan/scratch.h"
#include "passes/loops/for_loop.h"
#include "passes/pipelining/step_model.h"

// Registers ---------------------------------------------------------------------------------------

typedef struct wait {
    const kiln_loop_schedule_t *schedule;
    const kiln_candidate_t *candidate;
    int before, after; // stages for which the results of an operation wait
} wait_t;

static bool find_wait(int op, int user, MlirValue value, bool is_later, void *context)
{
    (void)value;
    wait_t *w = context;
    const kiln_scheduled_op_t *ops = w->schedule->ops;
    const int before = ops[user].stage - ops[op].stage - is_later,
              after = w->candidate->stage[user] - w->candidate->stage[op] - is_later;
    w->before = before > w->before ? before : w->before;
    w->after = after > w->after ? after : w->after;
    return true;
}

// Registers by which the values that wait for later stages become more.
static unsigned more_registers(const kiln_loop_schedule_t *schedule,
                               const kiln_candidate_t *candidate)
{
    int count = 0;
    for (int op = 0; op < schedule->count; op++) {
        MlirOperation operation = schedule->ops[op].op;
        wait_t wait = {schedule, candidate, 0, 0};
        kiln_loop_schedule_visit_uses(schedule, op, find_wait, &wait);
        for (intptr_t r = 0; r < mlirOperationGetNumResults(operation); r++)
            count += (wait.after - wait.before) *
                     (int)kiln_value_registers(mlirOperationGetResult(operation, r),
                                               candidate->num_warps);
    }
    return count > 0 ? (unsigned)count : 0;
}

// LDS ---------------------------------------------------------------------------------------------

static uint64_t bytes_of_buffer(MlirOperation alloc)
{
    uint64_t bytes = 0;
    return kiln_memdesc_bytes(mlirValueGetType(kiln_op_result(alloc, 0)), &bytes) ? bytes : 0;
}

// Adds the size of a buffer that no scheduled loop allocates.
static MlirWalkResult add_buffer(MlirOperation op, void *user)
{
    uint64_t *bytes = user;
    MlirOperation at = op;
    while (!mlirOperationIsNull(at) && !kiln_loop_is_scheduled(at))
        at = kiln_op_parent(at);
    if (kiln_op_kind(op) == KILN_OP_TTG_LOCAL_ALLOC && mlirOperationIsNull(at))
        *bytes += bytes_of_buffer(op);
    return MlirWalkResultAdvance;
}

// Bytes that a kernel needs besides the buffers of a loop.
typedef struct other_lds {
    uint64_t buffers; // outside of scheduled loops
    uint64_t scratch; // of any operation
} other_lds_t;

// The bytes that a workgroup needs: in the loop, or for an operation elsewhere.
static uint64_t lds_bytes(const kiln_loop_schedule_t *schedule, const other_lds_t *other,
                          int num_warps)
{
    uint64_t bytes = kiln_largest_scratch(schedule->loop, num_warps, NULL, NULL);
    for (int b = 0; b < schedule->buffer_count; b++)
        bytes += (uint64_t)schedule->buffers[b].slots *
                 bytes_of_buffer(schedule->ops[schedule->buffers[b].op].op);
    return other->buffers + (bytes > other->scratch ? bytes : other->scratch);
}

// Candidates --------------------------------------------------------------------------------------

static kiln_status_t create(const kiln_loop_schedule_t *schedule, int num_warps,
                            kiln_candidate_t *out)
{
    const size_t count = (size_t)schedule->count + 1;
    *out = (kiln_candidate_t){.num_warps = num_warps,
                              .stage = calloc(count, sizeof *out->stage),
                              .cluster = calloc(count, sizeof *out->cluster),
                              .last_stage = schedule->stages - 1,
                              .unroll = 1};
    if (!out->stage || !out->cluster)
        return kiln_status_out_of_memory();
    for (int op = 0; op < schedule->count; op++) {
        out->stage[op] = schedule->ops[op].stage;
        out->cluster[op] = schedule->ops[op].cluster;
    }
    return KILN_OK;
}

static void release(kiln_candidate_t *candidate)
{
    free(candidate->stage);
    free(candidate->cluster);
}

typedef struct lowering {
    const kiln_loop_schedule_t *schedule;
    const bool *is_ahead;
    int *stage;
    int limit; // of what the user needs
    bool changed;
} lowering_t;

static bool lower_operand(MlirValue value, void *user)
{
    lowering_t *l = user;
    int carried = kiln_loop_schedule_carried(l->schedule, value);
    for (int room = l->schedule->carried_count; carried >= 0 && room > 0; room--) {
        value = kiln_loop_schedule_yield(l->schedule, carried);
        carried = kiln_loop_schedule_carried(l->schedule, value);
    }
    if (mlirValueIsABlockArgument(value))
        return true;
    const int from = kiln_loop_schedule_owner(l->schedule, mlirOpResultGetOwner(value));
    if (from >= 0 && l->is_ahead[from] && l->stage[from] > l->limit) {
        l->stage[from] = l->limit;
        l->changed = true;
    }
    return true;
}

void kiln_candidate_write_late(const kiln_loop_schedule_t *schedule, const bool *is_ahead,
                               kiln_candidate_t *io)
{
    for (lowering_t l = {schedule, is_ahead, io->stage, 0, true}; l.changed;) {
        l.changed = false;
        for (int op = 0; op < schedule->count; op++) {
            const bool writes = kiln_op_kind(schedule->ops[op].op) == KILN_OP_TTG_LOCAL_ALLOC;
            l.limit = io->stage[op] - writes;
            kiln_visit_operands(schedule->ops[op].op, lower_operand, &l);
        }
    }
}

// What accepted candidates have added to a loop.
typedef struct added {
    unsigned registers;
    int64_t vector_cycles;
} added_t;

// A loop, and what is known of it between policies.
typedef struct subject {
    MlirOperation loop;
    added_t added;
    const other_lds_t *other;
} subject_t;

// Sets *out_accepted to whether the candidate, which is in the loop, is to replace its schedule,
// and *out_added to what the loop then needs in addition.
static kiln_status_t judge(const kiln_loop_schedule_t *schedule, const kiln_candidate_t *candidate,
                           const subject_t *subject, bool *out_accepted, added_t *out_added)
{
    const int num_warps = candidate->num_warps;
    kiln_loop_schedule_t own;
    kiln_status_t status = kiln_loop_schedule_read(schedule->loop, &own);
    *out_accepted = false;
    if (status && kiln_status_code(status) != KILN_STATUS_INVALID_INPUT)
        return status;
    if (status) { // memory that another operation may write: it stays in its place
        kiln_status_free(status);
        return KILN_OK;
    }
    const unsigned early = kiln_loop_registers_read_early(schedule->loop, num_warps),
                   late = kiln_loop_registers_with_operands(schedule->loop, num_warps);
    const added_t *old = &subject->added;
    *out_added =
        (added_t){old->registers + more_registers(schedule, candidate) + candidate->addresses,
                  old->vector_cycles + candidate->vector_cycles};
    const kiln_step_need_t need = {early + old->registers, late + old->registers,
                                   lds_bytes(schedule, subject->other, num_warps),
                                   old->vector_cycles},
                           own_need = {early + out_added->registers, late + out_added->registers,
                                       lds_bytes(&own, subject->other, num_warps),
                                       out_added->vector_cycles};
    kiln_step_pace_t before, after;
    status = kiln_step_pace(schedule, num_warps, &need, &before);
    if (!status)
        status = kiln_step_pace(&own, num_warps, &own_need, &after);
    *out_accepted = !status && after.waves > 0 && kiln_step_pace_is_faster(&after, &before);
    kiln_loop_schedule_free(&own);
    return status;
}

static kiln_status_t try_candidate(const kiln_loop_schedule_t *schedule, kiln_candidate_t *own,
                                   subject_t *io)
{
    bool is_accepted;
    added_t added;
    kiln_loop_schedule_write(schedule, own->stage, own->cluster, own->last_stage);
    KILN_TRY(judge(schedule, own, io, &is_accepted, &added));
    if (!is_accepted) {
        for (int op = 0; op < schedule->count; op++) {
            own->stage[op] = schedule->ops[op].stage;
            own->cluster[op] = schedule->ops[op].cluster;
        }
        kiln_loop_schedule_write(schedule, own->stage, own->cluster, schedule->stages - 1);
        return KILN_OK;
    }
    io->added = added;
    if (own->unroll > 1)
        kiln_ir_set_int_attr(schedule->loop, KILN_LOOP_UNROLL, own->unroll);
    return KILN_OK;
}

typedef kiln_status_t (*policy_t)(const kiln_loop_schedule_t *schedule, kiln_candidate_t *io,
                                  bool *out_applies);

static kiln_status_t ask(policy_t policy, subject_t *io, int num_warps)
{
    kiln_loop_schedule_t schedule;
    kiln_candidate_t candidate;
    bool applies = false;
    KILN_TRY(kiln_loop_schedule_read(io->loop, &schedule));
    kiln_status_t status = create(&schedule, num_warps, &candidate);
    if (!status)
        status = policy(&schedule, &candidate, &applies);
    if (!status && applies)
        status = try_candidate(&schedule, &candidate, io);
    release(&candidate);
    kiln_loop_schedule_free(&schedule);
    return status;
}

static bool is_among(MlirOperation op, const MlirOperation *list, int count)
{
    for (int i = 0; i < count; i++)
        if (mlirOperationEqual(op, list[i]))
            return true;
    return false;
}

kiln_status_t kiln_candidates_choose(MlirModule module, int num_warps, const MlirOperation *except,
                                     int except_count)
{
    static const policy_t policies[] = {
#define KILN_POLICY(function, what) function,
#include "passes/pipelining/policies.def"
#undef KILN_POLICY
    };
    kiln_loops_t loops;
    other_lds_t other = {0, 0};
    kiln_status_t status =
        kiln_loops_collect(module, MlirWalkPreOrder, kiln_loop_is_scheduled, &loops);
    if (loops.count > 0) {
        MlirOperation all = mlirModuleGetOperation(module);
        kiln_walk(all, MlirWalkPreOrder, add_buffer, &other.buffers);
        other.scratch = kiln_largest_scratch(all, num_warps, NULL, NULL);
    }
    for (int i = 0; i < loops.count; i++) {
        subject_t subject = {loops.ops[i], {0, 0}, &other};
        const bool is_asked = !is_among(subject.loop, except, except_count);
        for (size_t p = 0; p < sizeof policies / sizeof *policies && is_asked && !status; p++)
            status = ask(policies[p], &subject, num_warps);
    }
    free(loops.ops);
    return status;
}
