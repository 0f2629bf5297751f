// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the loop that a schedule describes. With S + 1 stages:
//
//   S steps before the loop:      step t does stage s for iteration t − s, if t ≥ s and that iteration exists
//   the loop, from iteration S:   each step does all stages; stage s is s iterations late
//   S steps after the loop:       step e does the stages above e, for the last iterations
//
// A loop marked KILN_LOOP_IS_CLOSED does the last iterations itself, which saves the code of the
// steps after it: it has a step for each iteration, in which the stages before the last one skip
// iterations that do not exist, as they do before the loop.
//
// One list of values passes from step to step as the new loop's carried values: those of the old
// loop, each at the iteration of the stage that defines it; queues of values that later stages
// need, oldest first; the old induction variable for each later stage that needs it; the current
// slot number for each number of slots.
//
// The loop may have fewer than S iterations. Then the new loop has none, and the steps outside it
// must skip the missing iterations: loads and stores by masks, other effects and everything after
// the loop by branches. Operations without effects are computed before and in the loop whether
// needed or not.
#ifndef KILN_LOOP_EXPAND_H
#define KILN_LOOP_EXPAND_H

#include "passes/pipelining/async.h"
#include "passes/pipelining/schedule.h"
#include "passes/rewrite/clones.h"

typedef enum kiln_step_phase {
    KILN_STEP_BEFORE,
    KILN_STEP_LOOP,
    KILN_STEP_AFTER
} kiln_step_phase_t;

typedef struct kiln_queue {
    MlirValue value;
    int length, at; // its part of the list
} kiln_queue_t;

typedef struct kiln_expansion {
    const kiln_loop_schedule_t *schedule;
    const kiln_async_waits_t *waits;
    MlirValue lower, upper, step;
    bool out_of_memory;
    int64_t trip_count; // −1 if unknown
    bool is_single;     // before the loop: no iteration but the first exists
    bool is_closed;
    MlirValue rest_of_loop; // in a closed loop: from the last stage's iteration to the upper bound
    // Caches of iterations.c, filled before the first step that needs them.
    MlirValue upper_from_zero, *rest;
    int rest_count;
    MlirValue *buffers; // all slots of each of the schedule's buffers
    bool *is_used;      // [buffer][stage]: by an operation other than its local_alloc
    MlirValue zero;     // i32
    kiln_queue_t *queues;
    int queue_count;
    size_t queue_capacity;
    kiln_pointer_map_t queue_of; // value → its queue
    int *induction_at;           // position in the list for each stage, or −1
    int *ring_slots, *ring_at;   // for each number of slots above 1: the number, its position
    int ring_count, total;       // length of the list
} kiln_expansion_t;

// Builds one step. `before` is the list at its start, `after` receives the list at its end; they do
// not overlap. In the loop `induction` is the new loop's variable.
void kiln_expand_step(kiln_expansion_t *e, const kiln_ir_t *ir, kiln_step_phase_t phase, int number,
                      MlirValue induction, const MlirValue *before, MlirValue *after);

// Returns value + step · times, which may wrap.
MlirValue kiln_expand_add_times(const kiln_ir_t *ir, MlirValue value, MlirValue step, int times);

// Whether the loop has an iteration of this number, which is less than the number of stages; and
// the new loop's bounds.
MlirValue kiln_expand_has_iteration(kiln_expansion_t *e, const kiln_ir_t *ir, int number);
void kiln_expand_bounds(kiln_expansion_t *e, const kiln_ir_t *ir, MlirValue *out_lower,
                        MlirValue *out_upper);

// Whether the iteration `by` after that of the last stage exists, in a step of a closed loop.
MlirValue kiln_expand_has_later(const kiln_expansion_t *e, const kiln_ir_t *ir, int by);

// Replaces the loop by its expansion. The caller keeps ownership of the schedule.
kiln_status_t kiln_expand_loop(const kiln_loop_schedule_t *schedule);

#endif
