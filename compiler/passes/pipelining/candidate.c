// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries the candidates that policies propose for a loop's schedule: writes each into the loop,
// reads it back, which checks its dependences, and takes it out again unless it fits the machine.
#include "passes/pipelining/candidate.h"

#include <stdlib.h>

#include "analysis/machine/co_residency.h"
#include "analysis/machine/code_size.h"
#include "analysis/machine/loop_registers.h"
#include "analysis/machine/step_cycles.h"
#include "analysis/plan/allocation.h"
#include "analysis/plan/scratch.h"
#include "base/gfx942.h"
#include "passes/loops/for_loop.h"

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

// The bytes that a workgroup needs in the loop.
static uint64_t lds_bytes(const kiln_loop_schedule_t *schedule, uint64_t other_buffers,
                          int num_warps)
{
    uint64_t bytes = other_buffers + kiln_largest_scratch(schedule->loop, num_warps, NULL, NULL);
    for (int b = 0; b < schedule->buffer_count; b++)
        bytes += (uint64_t)schedule->buffers[b].slots *
                 bytes_of_buffer(schedule->ops[schedule->buffers[b].op].op);
    return bytes;
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
                              .unroll = 1,
                              .enough_workgroups = UINT_MAX,
                              .most_registers = UINT_MAX};
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

// Whether the busiest unit has more to do in a step of the candidate, or a step takes longer than
// where as many workgroups as before share a compute unit: their waves hide each other's latencies,
// so beside a wave that takes the time of one alone, each further one adds only what the busiest
// unit has to do for it.
static bool takes_longer(const kiln_loop_schedule_t *schedule, const kiln_candidate_t *candidate,
                         unsigned workgroups)
{
    const kiln_step_cycles_t before = kiln_step_cycles(schedule->loop, candidate->num_warps);
    const int64_t busy = kiln_step_cycles_least(&before),
                  own = (int64_t)workgroups * candidate->num_warps / KILN_GFX942_SIMDS,
                  waves = own > 1 ? own : 1;
    kiln_step_cycles_t after = before;
    after.vector += candidate->vector_cycles;
    return kiln_step_cycles_least(&after) > busy ||
           candidate->cycles * waves > candidate->cycles_alone + (waves - 1) * busy;
}

// The workgroups that are enough for the candidate: those before, or as many fewer as it is faster.
static unsigned enough_workgroups(const kiln_candidate_t *candidate, unsigned before)
{
    const int64_t alone = candidate->cycles_alone,
                  part = alone ? (before * candidate->cycles + alone - 1) / alone : before;
    return part < candidate->enough_workgroups ? (unsigned)part : candidate->enough_workgroups;
}

// A loop, and what is known of it between policies.
typedef struct subject {
    MlirOperation loop;
    unsigned waiting;       // registers that accepted candidates have added
    uint64_t other_buffers; // bytes of LDS
} subject_t;

// Sets *out_workgroups to the number that fits on a compute unit by the candidate, which is in the
// loop; 0 if it is too small, if the candidate violates a dependence, or if it takes longer. Sets
// *out_waiting to the registers that the loop needs in addition by it.
static kiln_status_t count_workgroups(const kiln_loop_schedule_t *schedule,
                                      const kiln_candidate_t *candidate, const subject_t *subject,
                                      unsigned *out_workgroups, unsigned *out_waiting)
{
    const int num_warps = candidate->num_warps;
    kiln_loop_schedule_t own;
    kiln_status_t status = kiln_loop_schedule_read(schedule->loop, &own);
    *out_workgroups = 0;
    if (status && kiln_status_code(status) != KILN_STATUS_INVALID_INPUT)
        return status;
    if (status) { // memory that another operation may write: it stays in its place
        kiln_status_free(status);
        return KILN_OK;
    }
    const unsigned registers = kiln_loop_registers_with_operands(schedule->loop, num_warps);
    *out_waiting = subject->waiting + more_registers(schedule, candidate) + candidate->addresses;
    const unsigned before = kiln_co_resident_workgroups(
                       registers + subject->waiting,
                       lds_bytes(schedule, subject->other_buffers, num_warps), num_warps),
                   after = kiln_co_resident_workgroups(
                       registers + *out_waiting, lds_bytes(&own, subject->other_buffers, num_warps),
                       num_warps);
    if (after >= enough_workgroups(candidate, before) &&
        registers + *out_waiting <= candidate->most_registers &&
        !takes_longer(schedule, candidate, before))
        *out_workgroups = after;
    kiln_loop_schedule_free(&own);
    return KILN_OK;
}

static void set_unroll(MlirOperation loop, int unroll)
{
    if (unroll > 1)
        kiln_ir_set_int_attr(loop, KILN_LOOP_UNROLL, unroll);
    else
        mlirOperationRemoveDiscardableAttributeByName(
            loop, mlirStringRefCreateFromCString(KILN_LOOP_UNROLL));
}

// Whether the candidate, which is in the loop, makes more code than fits the instruction cache.
static bool is_too_large(const kiln_loop_schedule_t *schedule, int num_warps, int64_t bytes_before)
{
    return kiln_code_bytes(schedule->loop, num_warps) > bytes_before &&
           !kiln_code_fits(schedule->loop, num_warps, 0);
}

static kiln_status_t try_candidate(const kiln_loop_schedule_t *schedule, kiln_candidate_t *own,
                                   subject_t *io)
{
    const int unroll = (int)kiln_ir_int_attr(schedule->loop, KILN_LOOP_UNROLL, 1);
    const int64_t bytes = kiln_code_bytes(schedule->loop, own->num_warps);
    unsigned workgroups, waiting;
    kiln_loop_schedule_write(schedule, own->stage, own->cluster, own->last_stage);
    KILN_TRY(count_workgroups(schedule, own, io, &workgroups, &waiting));
    if (own->unroll > 1)
        set_unroll(schedule->loop, own->unroll);
    if (workgroups == 0 || is_too_large(schedule, own->num_warps, bytes)) {
        for (int op = 0; op < schedule->count; op++) {
            own->stage[op] = schedule->ops[op].stage;
            own->cluster[op] = schedule->ops[op].cluster;
        }
        kiln_loop_schedule_write(schedule, own->stage, own->cluster, schedule->stages - 1);
        set_unroll(schedule->loop, unroll);
        return KILN_OK;
    }
    io->waiting = waiting;
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

static void close_loop(MlirOperation loop)
{
    mlirOperationSetDiscardableAttributeByName(loop,
                                               mlirStringRefCreateFromCString(KILN_LOOP_IS_CLOSED),
                                               mlirUnitAttrGet(mlirOperationGetContext(loop)));
}

// Lets the last iterations of closed loops follow the loops as far as the instruction cache allows.
static void open_loops(const kiln_loops_t *loops, int num_warps)
{
    for (int i = 0; i < loops->count; i++) {
        MlirOperation loop = loops->ops[i];
        if (mlirOperationRemoveDiscardableAttributeByName(
                loop, mlirStringRefCreateFromCString(KILN_LOOP_IS_CLOSED)) &&
            !kiln_code_fits(loop, num_warps, 0))
            close_loop(loop);
    }
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
    uint64_t other_buffers = 0;
    kiln_status_t status =
        kiln_loops_collect(module, MlirWalkPreOrder, kiln_loop_is_scheduled, &loops);
    int count = 0;
    for (int i = 0; i < loops.count; i++)
        if (!is_among(loops.ops[i], except, except_count))
            loops.ops[count++] = loops.ops[i];
    loops.count = count;
    for (int i = 0; i < loops.count; i++)
        close_loop(loops.ops[i]);
    if (loops.count)
        kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, add_buffer, &other_buffers);
    for (int i = 0; i < loops.count; i++) {
        subject_t subject = {loops.ops[i], 0, other_buffers};
        for (size_t p = 0; p < sizeof policies / sizeof *policies && !status; p++)
            status = ask(policies[p], &subject, num_warps);
    }
    open_loops(&loops, num_warps);
    free(loops.ops);
    return status;
}
