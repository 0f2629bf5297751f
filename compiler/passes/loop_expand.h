// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building the loop that a schedule asks for. With S + 1 stages:
//
//   S steps before the loop:      step t does stage s for iteration t − s, where t ≥ s and there is that iteration
//   the loop, from iteration S:   each step does all stages; stage s is s iterations behind
//   S steps behind the loop:      step e does the stages above e, for the last iterations
//
// What goes from step to step is one list of values, the new loop's carried ones: those of the old loop, each at the
// iteration of the stage that makes it; queues of values that later stages need, the oldest first; the old induction
// variable for each later stage that needs it; the number of the current slot for each number of slots.
//
// The thing one gets wrong: the loop may do fewer than S iterations. Then the new loop does none, and every step outside
// of it must leave out what is not there: loads and stores by masks, other effects and all that is behind the loop by
// branches. What has no effect is computed before the loop whether needed or not.
#ifndef KILN_LOOP_EXPAND_H
#define KILN_LOOP_EXPAND_H

#include "passes/clones.h"
#include "passes/loop_async.h"
#include "passes/loop_schedule.h"

typedef enum kiln_step_phase { KILN_STEP_BEFORE, KILN_STEP_LOOP, KILN_STEP_BEHIND } kiln_step_phase_t;

typedef struct kiln_queue {
    MlirValue value;
    int length, at; // its part of the list
} kiln_queue_t;

typedef struct kiln_expansion {
    const kiln_loop_schedule_t *schedule;
    const kiln_async_waits_t *waits;
    MlirValue lower, upper, step;
    bool is_unsigned, out_of_memory;
    int64_t trip_count; // −1 where it is not known
    MlirValue *buffers; // of each of the schedule's, all its slots
    bool *is_used;      // [buffer][stage]: by something other than its local_alloc
    MlirValue zero;     // of i32
    kiln_queue_t *queues;
    int queue_count;
    kiln_pointer_map_t queue_of; // value → its queue
    int *induction_at;           // of each stage: its part of the list, or −1
    int *ring_slots, *ring_at;   // for each number of slots above 1: what it is, its part of the list
    int ring_count, total;       // of the list
} kiln_expansion_t;

// One step. `before` is the list at its begin, `after` receives the list at its end; they don't overlap. For the loop
// `induction` is the new loop's variable.
void kiln_expand_step(kiln_expansion_t *e, const kiln_ir_t *ir, kiln_step_phase_t phase, int number,
                      MlirValue induction, const MlirValue *before, MlirValue *after);

// value + step · times
MlirValue kiln_expand_add_times(const kiln_ir_t *ir, MlirValue value, MlirValue step, int times);

// Replaces the loop by its expansion. Takes nothing: the schedule stays the caller's.
kiln_status_t kiln_expand_loop(const kiln_loop_schedule_t *schedule);

#endif
