// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a number changes with a program id. In causal attention, for example, the trip count of the
// loop over keys rises with the number of the block of queries.
//
// The answer guides costs only. It assumes that arithmetic does not wrap and that arguments, and
// what is loaded from addresses without the program id, are positive.
#ifndef KILN_TREND_H
#define KILN_TREND_H

#include <mlir-c/IR.h>

typedef enum kiln_trend {
    KILN_TREND_NONE,  // does not depend on the program id
    KILN_TREND_RISES, // stays or rises with it
    KILN_TREND_FALLS,
    KILN_TREND_UNKNOWN,
} kiln_trend_t;

// The trend of an integer with tt.get_program_id of `axis` (0 … 2).
kiln_trend_t kiln_trend(MlirValue value, int axis);

// The trend of an scf.for's number of iterations.
kiln_trend_t kiln_trip_trend(MlirOperation loop, int axis);

#endif
