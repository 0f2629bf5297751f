// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the order in which the steps of loops do their work: which operations lie in which
// cluster, where dots are cut, at which clusters waves wait for each other, and with which priority
// they run (steps/step_schedule.h). expand_steps carries it out.
//
//   scf.for … {                                 scf.for … {
//     %a = ttg.local_load %x                      %a = ttg.local_load %x      {loop.cluster = 0}
//     %b = ttg.local_load %y             →        %b = ttg.local_load %y      {loop.cluster = 0}
//     %d = tt.dot %a, %b, %c                      %d = tt.dot %a, %b, %c      {loop.cluster = 0}
//     ttg.local_store %z, %x                      ttg.local_store %z, %x      {loop.cluster = 1}
//   }                                           } {loop.fences = array<-1, 0>}
//
// Policies propose schedules (steps/policies.def), and the fastest is taken, by the time that the
// waves which fit on a SIMD are predicted to need (steps/step_pace.h). In each, the body's order
// included, stores stay behind the arithmetic before them. A loop whose text has a schedule keeps
// it.
#include <stdlib.h>

#include "analysis/plan/allocation.h"
#include "analysis/waves/waves.h"
#include "passes/loops/for_loop.h"
#include "passes/pass.h"
#include "passes/steps/step_pace.h"

typedef struct policy {
    kiln_status_t (*propose)(const kiln_step_kernel_t *kernel, int variant,
                             kiln_step_schedule_t *io, bool *out_applies);
    int variants;
} policy_t;

static const policy_t policies[] = {
#define KILN_STEP_POLICY(function, variants, what) {function, variants},
#include "passes/steps/policies.def"
#undef KILN_STEP_POLICY
};

typedef struct proposal {
    kiln_step_schedule_t schedule;
    kiln_step_time_t time; // without waves if the loop cannot have this schedule
} proposal_t;

static bool is_faster(const kiln_step_time_t *a, const kiln_step_time_t *b)
{
    return b->waves == 0 || a->cycles * b->waves < b->cycles * a->waves;
}

// Whether the time is less by more than predictions err: by 9 % in the mean (docs/results.md).
static bool is_surely_faster(const kiln_step_time_t *a, const kiln_step_time_t *b)
{
    enum { PARTS = 11 };
    const kiln_step_time_t less = {b->cycles * (PARTS - 1), b->waves * PARTS};
    return a->waves > 0 && is_faster(a, &less);
}

// Keeps the faster one of a policy's variant and *io.
static kiln_status_t try_variant(const kiln_step_kernel_t *kernel, const policy_t *policy,
                                 int variant, MlirOperation loop, proposal_t *io)
{
    proposal_t own = {.time = {0, 0}};
    bool applies = false;
    KILN_TRY(kiln_step_schedule_create(loop, &own.schedule));
    kiln_status_t status = policy->propose(kernel, variant, &own.schedule, &applies);
    if (!status && applies)
        status = kiln_hold_back_stores(&own.schedule);
    if (!status && applies)
        status = kiln_step_time(kernel, &own.schedule, &own.time);
    if (!status && own.time.waves > 0 && is_faster(&own.time, &io->time)) {
        const proposal_t slower = *io;
        *io = own;
        own = slower;
    }
    kiln_step_schedule_free(&own.schedule);
    return status;
}

static kiln_status_t schedule(const kiln_step_kernel_t *kernel, MlirOperation loop)
{
    proposal_t body = {.time = {0, 0}}, best = {.time = {0, 0}};
    KILN_TRY(kiln_step_schedule_create(loop, &body.schedule));
    kiln_status_t status = kiln_hold_back_stores(&body.schedule);
    for (size_t p = 0; p < sizeof policies / sizeof *policies; p++)
        for (int variant = 0; variant < policies[p].variants && !status; variant++)
            status = try_variant(kernel, &policies[p], variant, loop, &best);
    if (!status && best.time.waves > 0)
        status = kiln_step_time(kernel, &body.schedule, &body.time);
    const kiln_step_schedule_t *chosen =
        is_surely_faster(&best.time, &body.time) ? &best.schedule : &body.schedule;
    if (!status && chosen->cluster_count > 1)
        status = kiln_step_schedule_write(chosen);
    kiln_step_schedule_free(&best.schedule);
    kiln_step_schedule_free(&body.schedule);
    return status;
}

static bool is_unscheduled_loop(MlirOperation op)
{
    return kiln_op_kind(op) == KILN_OP_SCF_FOR && !kiln_step_is_scheduled(op);
}

static MlirWalkResult find_cond_barrier(MlirOperation op, void *found)
{
    *(bool *)found |= kiln_op_kind(op) == KILN_OP_AMDG_COND_BARRIER;
    return *(bool *)found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Buffers that are not live at the same time, as those of two versions of a loop, share bytes.
// Scratch is not counted: share_lds may find room for it in these.
static kiln_status_t find_lds(MlirModule module, kiln_step_kernel_t *io)
{
    kiln_allocation_t *allocation;
    KILN_TRY(kiln_allocation_create(module, io->waves, &allocation));
    io->lds_bytes = kiln_allocation_buffer_bytes(allocation);
    kiln_allocation_destroy(allocation);
    return KILN_OK;
}

kiln_status_t kiln_schedule_steps(const kiln_pass_context_t *context, MlirModule module)
{
    (void)context;
    kiln_loops_t loops;
    kiln_step_kernel_t kernel = {.lds_bytes = 0};
    KILN_TRY(kiln_waves_of_module(module, &kernel.waves));
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, find_cond_barrier,
              &kernel.is_apart);
    kiln_status_t status =
        kiln_loops_collect(module, MlirWalkPreOrder, is_unscheduled_loop, &loops);
    if (!status && loops.count > 0)
        status = find_lds(module, &kernel);
    for (int i = 0; i < loops.count && !status; i++)
        status = schedule(&kernel, loops.ops[i]);
    free(loops.ops);
    return status;
}
