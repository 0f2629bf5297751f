// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch costs: measured on a GPU, bounded from below on the simulator.
#ifndef KILN_AUTOTUNE_COST_H
#define KILN_AUTOTUNE_COST_H

#include "kiln/tune.h"

typedef struct kiln_cost {
    kiln_cost_kind_t kind;
    double value;      // estimated cycles or measured nanoseconds
    const char *bound; // on the simulator: the unit that the estimate comes from; else NULL
} kiln_cost_t;

kiln_cost_kind_t kiln_cost_kind_of_device(const kiln_device_t *device);

// Launches and costs: `launch` puts one launch into `stream`. On the simulator one launch, whose counts are exact. On a
// GPU warm-up launches, then the median of many timed one by one.
kiln_status_t kiln_cost_of_launch(kiln_device_t *device, kiln_stream_t *stream, kiln_status_t (*launch)(void *user),
                                  void *user, kiln_cost_t *out_cost);

#endif
