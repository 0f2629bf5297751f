// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the clock says of one launch of a point, for whoever asks why it errs.
#ifndef KILN_BENCH_CLOCK_LAUNCH_H
#define KILN_BENCH_CLOCK_LAUNCH_H

#include "kiln/sim.h"

// Prints the prediction, the busy shares of the units, and for each instruction of the replayed
// waves the cycles that they waited before it.
void clock_launch_print(const kiln_sim_result_t *result, const kiln_sim_prediction_t *prediction);

#endif
