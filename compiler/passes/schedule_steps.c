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
// The policies are asked in turn (steps/policies.h). A loop whose text has such a schedule keeps
// it, and one for which no policy has anything to gain gets none.
#include <stdlib.h>

#include "analysis/machine/co_residency.h"
#include "analysis/waves/waves.h"
#include "passes/loops/for_loop.h"
#include "passes/pass.h"
#include "passes/steps/policies.h"

typedef kiln_status_t (*policy_t)(const kiln_step_kernel_t *kernel, kiln_step_schedule_t *io);

static const policy_t policies[] = {kiln_take_turns, kiln_hold_back_stores};

static kiln_status_t schedule(const kiln_step_kernel_t *kernel, MlirOperation loop)
{
    kiln_step_schedule_t own;
    KILN_TRY(kiln_step_schedule_create(loop, &own));
    kiln_status_t status = KILN_OK;
    for (size_t p = 0; p < sizeof policies / sizeof *policies && !status; p++)
        status = policies[p](kernel, &own);
    if (!status && own.cluster_count > 1)
        status = kiln_step_schedule_write(&own);
    kiln_step_schedule_free(&own);
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

kiln_status_t kiln_schedule_steps(const kiln_pass_context_t *context, MlirModule module)
{
    (void)context;
    kiln_loops_t loops;
    kiln_step_kernel_t kernel = {.lds_bytes = kiln_buffer_bytes(module)};
    KILN_TRY(kiln_waves_of_module(module, &kernel.waves));
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, find_cond_barrier,
              &kernel.is_apart);
    kiln_status_t status =
        kiln_loops_collect(module, MlirWalkPreOrder, is_unscheduled_loop, &loops);
    for (int i = 0; i < loops.count && !status; i++)
        status = schedule(&kernel, loops.ops[i]);
    free(loops.ops);
    return status;
}
