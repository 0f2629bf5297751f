// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predicts how fast a compute unit executes the steps of a loop by a schedule of its step.
//
// Fences and barriers cut a step into sections. LLVM reads the operands of a dot ahead of it, and
// places what else lies in a section between matrix instructions, but for arithmetic with the dot's
// result. So a wave takes for a section the reads of its dots' operands, then the time of the
// busiest of its units, matrix, vector, or memory (LDS and the L1), and then that arithmetic. The
// waves of a SIMD share its units:
//
//   of one workgroup     they meet at barriers, so they need the same unit at the same time: a
//                        section takes its time for each of them
//   in two wave groups   one is in the part between two barriers that the other has left: both
//                        take the longer time, or that of a unit that both need
//   of two workgroups    the second one adds what its busiest unit has to do
//   of more, or if       there is always one with work for the busiest unit: the SIMD takes what
//   they have priorities that has to do for all of them, if it is longer than a step of one
//
// A barrier takes the latency of LDS twice: what was written is complete, and what comes next is
// read.
#ifndef KILN_STEP_PACE_H
#define KILN_STEP_PACE_H

#include "passes/steps/policies.h"

typedef struct kiln_step_time {
    int64_t cycles; // for a step of each wave of a SIMD
    unsigned waves; // on the SIMD
} kiln_step_time_t;

// Predicts a step that is executed by the schedule. Fails only when out of memory.
kiln_status_t kiln_step_time(const kiln_step_kernel_t *kernel, const kiln_step_schedule_t *schedule,
                             kiln_step_time_t *out);

#endif
