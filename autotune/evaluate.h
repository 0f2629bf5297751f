// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates a candidate: its launches, their cost, and whether the results are right.
#ifndef KILN_AUTOTUNE_EVALUATE_H
#define KILN_AUTOTUNE_EVALUATE_H

#include "base/hash.h"
#include "held_clock.h"
#include "kiln/tune.h"

// Loaded candidates -------------------------------------------------------------------------------

// A candidate whose kernels are loaded, with their launches. Everything else is borrowed.
typedef struct kiln_loaded {
    const kiln_tune_problem_t *problem;
    const kiln_tune_candidate_t *candidate;
    kiln_kernel_t *const *kernels;
    struct kiln_loaded_step *steps;
    size_t count;
} kiln_loaded_t;

// Makes the launches by the problem's callbacks, which also write the buffers' initial contents;
// later calls write them again. Nothing is loaded yet.
kiln_status_t kiln_loaded_prepare(const kiln_tune_problem_t *problem,
                                  const kiln_tune_candidate_t *candidate,
                                  kiln_kernel_t *const *kernels, size_t count,
                                  kiln_loaded_t *out_loaded);
kiln_status_t kiln_loaded_prepare_again(kiln_loaded_t *loaded);
kiln_status_t kiln_loaded_load(kiln_loaded_t *loaded);
// After a device was lost, the code must not be unloaded: HIP would wait for the launch forever.
typedef enum kiln_loaded_fate { KILN_LOADED_UNLOAD, KILN_LOADED_LEAVE } kiln_loaded_fate_t;
void kiln_loaded_free(kiln_loaded_t *loaded, kiln_loaded_fate_t fate);

// Enqueues one of the launches; `loaded` is a kiln_loaded_t. One on an empty grid does nothing.
kiln_status_t kiln_loaded_launch(void *loaded, size_t step);
bool kiln_loaded_is_empty(void *loaded, size_t step);
kiln_stream_t *kiln_loaded_stream(const kiln_loaded_t *loaded);

// Candidates --------------------------------------------------------------------------------------

// The result of evaluating a candidate.
typedef struct kiln_tune_finding {
    kiln_hash_t launch; // of the code objects, grids, blocks and argument values
    kiln_cost_t cost;
    double error; // NaN if not executed
    bool is_lost; // the device executes nothing more
} kiln_tune_finding_t;

// Prepares a candidate. If `is_known` returns true for the launches' hash, this is all; otherwise
// launches and verifies the candidate. A failure is the reason why the candidate is wrong
// (MISMATCH) or rejected. `best_slowest` is as for
// kiln_cost_launch_t.
kiln_status_t kiln_tune_evaluate(const kiln_tune_problem_t *problem,
                                 const kiln_tune_candidate_t *candidate,
                                 kiln_kernel_t *const *kernels, size_t count, double best_slowest,
                                 kiln_held_clock_t *clock,
                                 bool (*is_known)(kiln_hash_t launch, void *user), void *user,
                                 kiln_tune_finding_t *out_finding);

// Costs -------------------------------------------------------------------------------------------

// One or more launches in a stream, and functions whose time is not measured.
typedef struct kiln_cost_launch {
    kiln_status_t (*launch)(void *user, size_t step);
    bool (*is_empty)(void *user, size_t step); // whether it launches nothing; NULL: none does
    void *user;
    size_t step_count;
    kiln_status_t (*restore)(void *user); // called before each repetition of the launches
    void *restore_user;
    kiln_status_t (*begin)(void *user); // called before each turn of kiln_cost_in_turn; takes
                                        // `user`
    // The slowest launch of the best candidate, in nanoseconds; 0: there is none. A measurement
    // ends early once some launches were all slower.
    double best_slowest;
    kiln_held_clock_t *clock; // NULL: the clock stays unknown
} kiln_cost_launch_t;

// kiln_cost_of_restored_launch with a limit for the time of a launch on a GPU (0: none). A launch
// that exceeds it is DEVICE and sets *out_is_lost.
kiln_status_t kiln_cost_of_launch_within(double limit_ms, kiln_device_t *device,
                                         kiln_stream_t *stream, const kiln_cost_launch_t *launch,
                                         kiln_cost_t *out_cost, bool *out_is_lost);

// Measures several candidates on a GPU in turn, one launch of each in every round, so that a drift
// of the device's clock affects all of them. A launch that is not timed comes first in each turn:
// it finds the caches as others leave them. costs[i] is that of launches[i]; the clock is that of
// the first one.
kiln_status_t kiln_cost_in_turn(double limit_ms, kiln_device_t *device, kiln_stream_t *stream,
                                const kiln_cost_launch_t *launches, size_t count,
                                kiln_cost_t *costs, bool *out_is_lost);

// Waits for the work of a stream, on a GPU no longer than the limit (0: none). Longer work is
// DEVICE and sets *out_is_lost.
kiln_status_t kiln_tune_wait(double limit_ms, kiln_device_t *device, kiln_stream_t *stream,
                             bool *out_is_lost);

#endif
