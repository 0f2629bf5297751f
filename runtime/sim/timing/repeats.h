// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds loads of a launch that read again what its wave has loaded before, and could have kept.
#ifndef KILN_TIMING_REPEATS_H
#define KILN_TIMING_REPEATS_H

#include "timing/op.h"
#include "timing/plan.h"

// Of an instruction, by its index in the program.
typedef struct kiln_timing_repeat {
    uint64_t place; // set by the caller: the same for instructions of the same place; 0: no place
    uint64_t count; // loads that read what another place's instruction has loaded
    uint32_t first; // such an instruction, if count is not 0
    uint64_t kept;  // dwords per lane that a wave would keep of what this instruction loads first
} kiln_timing_repeat_t;

// For the replayed workgroups. Two loads read the same bytes if they have the same first line, the
// same first byte in it and the same pattern of lines, halves of lines and bytes. False if memory
// is exhausted.
bool kiln_timing_repeats_find(const kiln_timing_plan_t *plan, const kiln_timing_op_t *ops,
                              kiln_timing_repeat_t *repeats);

#endif
