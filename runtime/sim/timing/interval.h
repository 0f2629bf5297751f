// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How sure a prediction is: the interval in which most measured kernels were whose prediction is
// like it in length and in what bounds them (timing/errors.def).
//
// The interval says how far a predicted time may be from the device's. Two predictions of one
// kernel share most of their error, so their order is surer than the interval tells.
#ifndef KILN_TIMING_INTERVAL_H
#define KILN_TIMING_INTERVAL_H

#include "kiln/sim.h"

// What bounds a kernel: the matrix or vector units, memory from LDS to HBM, or none of them, if all
// are busy for less than half of the time.
typedef enum kiln_timing_bound {
    KILN_TIMING_BOUND_COMPUTE,
    KILN_TIMING_BOUND_MEMORY,
    KILN_TIMING_BOUND_LATENCY
} kiln_timing_bound_t;

kiln_timing_bound_t kiln_timing_bound_of(const kiln_sim_prediction_t *prediction);

// Fills in least_microseconds, most_microseconds and similar_points from its microseconds and its
// utilization.
void kiln_timing_interval_tell(kiln_sim_prediction_t *prediction);

#endif
