// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries the candidates that policies propose for a loop's schedule: writes each into the loop,
// reads it back, which checks its dependences, and takes it out again unless it fits the machine.
#include "passes/pipelining/candidate.h"

#include <stdlib.h>

#include "analysis/machine/code_size.h"
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

// What accepted candidates have added to a loop.
typedef struct added {
    unsigned registers;
    int64_t vector_cycles;
} added_t;

// A loop, and what is known of it between policies.
typedef struct subject {
    MlirOperation loop;
    int num_warps, waves_per_eu;
    added_t added;
    int64_t code_bytes; // of the kernel, when the policy is asked
    const other_lds_t *other;
} subject_t;

// Sets *out to the pace of the loop's schedule `own` with what has been added to the loop.
static kiln_status_t find_pace(const kiln_loop_schedule_t *own, const subject_t *subject,
                               const added_t *added, kiln_step_pace_t *out)
{
    const int num_warps = subject->num_warps;
    const unsigned early = kiln_loop_registers_read_early(subject->loop, num_warps),
                   late = kiln_loop_registers_with_operands(subject->loop, num_warps);
    const kiln_step_need_t need = {early + added->registers, late + added->registers,
                                   lds_bytes(own, subject->other, num_warps), added->vector_cycles,
                                   subject->waves_per_eu};
    return kiln_step_pace(own, num_warps, &need, out);
}

static void set_unroll(MlirOperation loop, int unroll)
{
    if (unroll > 1)
        kiln_ir_set_int_attr(loop, KILN_LOOP_UNROLL, unroll);
    else
        mlirOperationRemoveDiscardableAttributeByName(
            loop, mlirStringRefCreateFromCString(KILN_LOOP_UNROLL));
}

// Whether the candidate, whose schedule is in the loop, makes more code than fits the instruction
// cache.
static bool is_too_large(const subject_t *subject, const kiln_candidate_t *candidate)
{
    const int unroll = (int)kiln_ir_int_attr(subject->loop, KILN_LOOP_UNROLL, 1);
    if (candidate->unroll > 1)
        set_unroll(subject->loop, candidate->unroll);
    const bool is = kiln_code_bytes(subject->loop, subject->num_warps) > subject->code_bytes &&
                    !kiln_code_fits(subject->loop, subject->num_warps, 0);
    set_unroll(subject->loop, unroll);
    return is;
}

// A proposal, and the pace of the loop by it.
typedef struct proposal {
    kiln_candidate_t candidate;
    added_t added;
    kiln_step_pace_t pace; // without waves if the loop cannot have this schedule
} proposal_t;

// Measures the proposal in the loop, which it leaves there.
static kiln_status_t measure(const kiln_loop_schedule_t *schedule, const subject_t *subject,
                             proposal_t *io)
{
    const kiln_candidate_t *candidate = &io->candidate;
    const added_t *old = &subject->added;
    kiln_loop_schedule_t own;
    kiln_loop_schedule_write(schedule, candidate->stage, candidate->cluster, candidate->last_stage);
    kiln_status_t status = kiln_loop_schedule_read(subject->loop, &own);
    if (status && kiln_status_code(status) != KILN_STATUS_INVALID_INPUT)
        return status;
    if (status) { // memory that another operation may write: it stays in its place
        kiln_status_free(status);
        return KILN_OK;
    }
    io->added =
        (added_t){old->registers + more_registers(schedule, candidate) + candidate->addresses,
                  old->vector_cycles + candidate->vector_cycles};
    if (!is_too_large(subject, candidate))
        status = find_pace(&own, subject, &io->added, &io->pace);
    kiln_loop_schedule_free(&own);
    return status;
}

typedef struct policy {
    kiln_status_t (*propose)(const kiln_loop_schedule_t *schedule, kiln_candidate_t *io,
                             bool *out_applies);
    int variants;
} policy_t;

// Whether the schedule of a proposal replaces that of the other one.
static bool is_better(const proposal_t *own, const proposal_t *other)
{
    return own->candidate.is_for_memory ? !kiln_step_pace_is_faster(&other->pace, &own->pace)
                                        : kiln_step_pace_is_faster(&own->pace, &other->pace);
}

// Keeps the better one of a policy's variant and *best.
static kiln_status_t try_variant(const policy_t *policy, int variant,
                                 const kiln_loop_schedule_t *schedule, const subject_t *subject,
                                 proposal_t *best)
{
    proposal_t own = {.pace = {.waves = 0}};
    bool applies = false;
    kiln_status_t status = create(schedule, subject->num_warps, &own.candidate);
    own.candidate.variant = variant;
    if (!status)
        status = policy->propose(schedule, &own.candidate, &applies);
    if (!status && applies)
        status = measure(schedule, subject, &own);
    if (!status && own.pace.waves > 0 && is_better(&own, best)) {
        const proposal_t slower = *best;
        *best = own;
        own = slower;
    }
    release(&own.candidate);
    return status;
}

// Gives the loop the fastest of its schedule and the policy's variants.
static kiln_status_t ask(const policy_t *policy, subject_t *io)
{
    kiln_loop_schedule_t schedule;
    proposal_t best = {.added = io->added};
    io->code_bytes = kiln_code_bytes(io->loop, io->num_warps);
    KILN_TRY(kiln_loop_schedule_read(io->loop, &schedule));
    kiln_status_t status = create(&schedule, io->num_warps, &best.candidate);
    if (!status)
        status = find_pace(&schedule, io, &io->added, &best.pace);
    for (int variant = 0; variant < policy->variants && !status; variant++)
        status = try_variant(policy, variant, &schedule, io, &best);
    if (!status) {
        const kiln_candidate_t *own = &best.candidate;
        kiln_loop_schedule_write(&schedule, own->stage, own->cluster, own->last_stage);
        io->added = best.added;
        if (own->unroll > 1)
            set_unroll(io->loop, own->unroll);
    }
    release(&best.candidate);
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

kiln_status_t kiln_candidates_choose(MlirModule module, int num_warps, int waves_per_eu,
                                     const MlirOperation *except, int except_count)
{
    static const policy_t policies[] = {
#define KILN_POLICY(function, variants, what) {function, variants},
#include "passes/pipelining/policies.def"
#undef KILN_POLICY
    };
    kiln_loops_t loops;
    other_lds_t other = {0, 0};
    kiln_status_t status =
        kiln_loops_collect(module, MlirWalkPreOrder, kiln_loop_is_scheduled, &loops);
    int count = 0;
    for (int i = 0; i < loops.count; i++)
        if (!is_among(loops.ops[i], except, except_count))
            loops.ops[count++] = loops.ops[i];
    loops.count = count;
    for (int i = 0; i < loops.count; i++)
        close_loop(loops.ops[i]);
    if (loops.count > 0) {
        MlirOperation all = mlirModuleGetOperation(module);
        kiln_walk(all, MlirWalkPreOrder, add_buffer, &other.buffers);
        other.scratch = kiln_largest_scratch(all, num_warps, NULL, NULL);
    }
    for (int i = 0; i < loops.count; i++) {
        subject_t subject = {loops.ops[i], num_warps, waves_per_eu, {0, 0}, 0, &other};
        for (size_t p = 0; p < sizeof policies / sizeof *policies && !status; p++)
            status = ask(&policies[p], &subject);
    }
    open_loops(&loops, num_warps);
    free(loops.ops);
    return status;
}
