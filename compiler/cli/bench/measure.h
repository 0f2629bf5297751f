// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of a kernel's launch, or of a sequence of them, for `kiln bench`.
#ifndef KILN_CLI_BENCH_MEASURE_H
#define KILN_CLI_BENCH_MEASURE_H

#include "kiln/arguments.h"
#include "kiln/jit.h"
#include "kiln/tune.h"

// How launches are measured on a GPU, from the flags.
typedef struct kiln_bench_plan {
    bool cold, cold_code, has_warmup;
    uint64_t warmup;   // --warmup, if has_warmup
    uint64_t iters;    // --iters; 0: not given
    uint64_t rotating; // --rotating, in MiB; 0: not given
} kiln_bench_plan_t;

// Rejects what has no effect on the device.
kiln_status_t kiln_bench_plan_check(const kiln_bench_plan_t *plan, const kiln_device_t *device);

typedef struct kiln_bench_launch {
    const kiln_jit_kernel_t *kernel;
    kiln_jit_call_t call;
    // While pointers are moved from copy to copy: the call's own arguments, and moved ones.
    const kiln_jit_argument_t *arguments;
    kiln_jit_argument_t *moved;
} kiln_bench_launch_t;

// Fails if the grid is empty.
kiln_status_t kiln_bench_launch_check(const kiln_bench_launch_t *launch);

// Launches once and returns the predicted or estimated cost.
kiln_status_t kiln_bench_simulate(kiln_device_t *device, kiln_bench_launch_t *launch,
                                  kiln_cost_t *out_cost);

// Measures the launches on a GPU, one after the other as a whole, many times, each time from the
// same contents of buffers.
kiln_status_t kiln_bench_measure(kiln_device_t *device, kiln_arguments_t *arguments,
                                 kiln_bench_launch_t *launches, size_t count,
                                 const kiln_bench_plan_t *plan, kiln_cost_t *out_cost);

#endif
