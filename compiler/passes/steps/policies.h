// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Policies for the schedule of a step (policies.def). They only propose: which proposal a loop gets
// is decided by what they are predicted to take (step_pace.h).
#ifndef KILN_STEP_POLICIES_H
#define KILN_STEP_POLICIES_H

#include <stdint.h>

#include "passes/steps/step_schedule.h"

typedef struct kiln_step_kernel {
    int waves;          // of a workgroup
    uint64_t lds_bytes; // of a workgroup's buffers
    bool is_apart;      // whether the text already lets waves run apart (amdg.cond_barrier)
} kiln_step_kernel_t;

// Changes the schedule, which is the body's order, into variant number `variant`, from 0. Sets
// *out_applies to whether the policy proposes it; if not, the schedule is of no use.
#define KILN_STEP_POLICY(function, variants, what)                                                 \
    kiln_status_t function(const kiln_step_kernel_t *kernel, int variant,                          \
                           kiln_step_schedule_t *io, bool *out_applies);
#include "passes/steps/policies.def"
#undef KILN_STEP_POLICY

// Keeps stores to LDS behind the arithmetic before them, in any schedule (hold_back_stores.c).
kiln_status_t kiln_hold_back_stores(kiln_step_schedule_t *io);

#endif
