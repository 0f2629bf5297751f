// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Policies for the schedule of a step (step_schedule.h). Each changes the schedule that the ones
// before it have left, and leaves it as it is if it has nothing to gain.
#ifndef KILN_STEP_POLICIES_H
#define KILN_STEP_POLICIES_H

#include <stdint.h>

#include "passes/steps/step_schedule.h"

typedef struct kiln_step_kernel {
    int waves;          // of a workgroup
    uint64_t lds_bytes; // of the kernel's buffers
    bool is_apart;      // whether the text already lets waves run apart (amdg.cond_barrier)
} kiln_step_kernel_t;

// Let the waves of a SIMD take turns on its units (take_turns.c).
kiln_status_t kiln_take_turns(const kiln_step_kernel_t *kernel, kiln_step_schedule_t *io);

// Keep stores to LDS behind the arithmetic before them (hold_back_stores.c).
kiln_status_t kiln_hold_back_stores(const kiln_step_kernel_t *kernel, kiln_step_schedule_t *io);

#endif
