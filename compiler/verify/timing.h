// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of launches, on a GPU and as the simulator predicts them, by the same events.
#ifndef KILN_VERIFY_TIMING_H
#define KILN_VERIFY_TIMING_H

#include "verify/verify.h"

// The simulator that predicts; opened on first use, and owned by the context.
kiln_status_t kiln_verify_predictor(kiln_verify_context_t *context, kiln_device_t **out_device);

// Microseconds from an event before the launch to one after it: the median of `runs` launches that
// follow warm-up launches: one if `runs` is 1, else some milliseconds of them.
kiln_status_t kiln_verify_time(kiln_device_t *device, kiln_function_t *function,
                               const kiln_launch_t *launch, unsigned runs,
                               double *out_microseconds);

// Runs to time on that GPU: one if it is a simulator, whose times do not vary.
unsigned kiln_verify_runs(const kiln_verify_context_t *context);

// Sets verdict and times; they are close within `tolerance` (of 1).
void kiln_verify_judge_times(kiln_verify_result_t *result, double measured, double predicted,
                             const char *unit, double tolerance);

#endif
