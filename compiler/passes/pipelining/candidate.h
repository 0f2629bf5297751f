// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates for the schedule of a loop: other stages and clusters of its operations, as a policy
// proposes them (policies.def). A candidate replaces the loop's schedule if it preserves all
// dependences (schedule.h), if its copies of the loop's body leave the kernel's code within the
// instruction cache, and if a compute unit, with as many workgroups as fit on it with what waits
// for later stages in registers and LDS, executes more steps per time (step_model.h).
//
// A policy only computes numbers; it changes no IR.
#ifndef KILN_LOOP_CANDIDATE_H
#define KILN_LOOP_CANDIDATE_H

#include "passes/pipelining/schedule.h"

typedef struct kiln_candidate {
    int variant; // of the policy, from 0
    int num_warps;
    int *stage, *cluster; // of each operation of the schedule; at first, its own
    int last_stage;
    int unroll;            // steps in an iteration of the expanded loop; 1 at first
    int64_t vector_cycles; // that a step takes in addition; 0 at first
    unsigned addresses;    // registers of addresses that become invariant in the loop; 0 at first
    bool is_for_memory; // values wait longer for memory, whose latency depends on the launch: the
                        // candidate is taken unless it is slower
} kiln_candidate_t;

// Sets *out_applies to whether the policy proposes `io`.
#define KILN_POLICY(function, variants, what)                                                      \
    kiln_status_t function(const kiln_loop_schedule_t *schedule, kiln_candidate_t *io,             \
                           bool *out_applies);
#include "passes/pipelining/policies.def"
#undef KILN_POLICY

// Asks all policies about each scheduled loop of the module but the given ones, and closes loops
// (expand.h) until the kernel's code fits the instruction cache.
kiln_status_t kiln_candidates_choose(MlirModule module, int num_warps, int waves_per_eu,
                                     const MlirOperation *except, int except_count);

#endif
