// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The uncertainty of a prediction: the interval that contains the times of most measured kernels
// whose predictions are similar in length and bound (timing/errors.def).
//
// The interval describes how far a predicted time may be from the device's. Two predictions of one
// kernel share most of their error, so their order is more certain than the intervals suggest.
#ifndef KILN_TIMING_INTERVAL_H
#define KILN_TIMING_INTERVAL_H

#include "kiln/sim.h"

// The bound of a kernel: the matrix or vector units, memory from LDS to HBM, or nothing, if all
// units are busy for less than half of the time.
typedef enum kiln_timing_bound {
    KILN_TIMING_BOUND_COMPUTE,
    KILN_TIMING_BOUND_MEMORY,
    KILN_TIMING_BOUND_LATENCY
} kiln_timing_bound_t;

kiln_timing_bound_t kiln_timing_bound_of(const kiln_sim_prediction_t *prediction);

// Fills in the prediction's min_microseconds, max_microseconds and similar_points from its
// microseconds and its utilization.
void kiln_timing_interval_fill(kiln_sim_prediction_t *prediction);

#endif
