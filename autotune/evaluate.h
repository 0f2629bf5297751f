// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates a candidate: its launch, its cost, and whether its results are right.
#ifndef KILN_AUTOTUNE_EVALUATE_H
#define KILN_AUTOTUNE_EVALUATE_H

#include "base/hash.h"
#include "kiln/tune.h"

// The result of evaluating a candidate.
typedef struct kiln_tune_finding {
    kiln_hash_t launch; // of the code object, grid, block and argument values
    kiln_cost_t cost;
    double error; // NaN if not executed
    bool is_lost; // the device executes nothing more
} kiln_tune_finding_t;

// Loads and prepares a candidate. If `is_known` returns true for the launch's hash, this is all;
// otherwise launches and verifies the candidate. A failure is the reason why the candidate is wrong
// (MISMATCH) or rejected.
kiln_status_t kiln_tune_evaluate(const kiln_tune_problem_t *problem,
                                 const kiln_tune_candidate_t *candidate,
                                 const kiln_kernel_t *kernel,
                                 bool (*is_known)(kiln_hash_t launch, void *user), void *user,
                                 kiln_tune_finding_t *out_finding);

// A launch, and a function that is called before each launch and whose time is not measured.
typedef struct kiln_cost_launch {
    kiln_status_t (*launch)(void *user);
    void *user;
    kiln_status_t (*restore)(void *user); // NULL: none
    void *restore_user;
} kiln_cost_launch_t;

// kiln_cost_of_restored_launch with a limit for the time of a launch on a GPU (0: none). A launch
// that exceeds it is DEVICE and sets *out_is_lost.
kiln_status_t kiln_cost_of_launch_within(double limit_ms, kiln_device_t *device,
                                         kiln_stream_t *stream, const kiln_cost_launch_t *launch,
                                         kiln_cost_t *out_cost, bool *out_is_lost);

// Waits for the work of a stream, on a GPU no longer than the limit (0: none). Longer work is
// DEVICE and sets *out_is_lost.
kiln_status_t kiln_tune_wait(double limit_ms, kiln_device_t *device, kiln_stream_t *stream,
                             bool *out_is_lost);

#endif
