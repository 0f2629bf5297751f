// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What predicting costs the host (issue: a candidate of a 4096³ GEMM in 300 ms on one core; a recorded workgroup four times a functional one).
#ifndef KILN_BENCH_CLOCK_SPEED_H
#define KILN_BENCH_CLOCK_SPEED_H

#include <stdbool.h>

// Prints both numbers, of examples/gemm.tile.c in f16. False, with a message on stderr, where it cannot.
bool clock_speed_print(void);

#endif
