// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's cost of predicting. The goals: a candidate of a 4096³ GEMM in 300 ms on one core; a
// recorded workgroup at most four times as long as one that is only executed.
#ifndef KILN_BENCH_CLOCK_SPEED_H
#define KILN_BENCH_CLOCK_SPEED_H

#include <stdbool.h>

// Prints both numbers for examples/gemm.tile.c in f16. False, with a message on stderr, on failure.
bool clock_speed_print(void);

#endif
