// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that memory should bind, against its peak: ./dev bench kernels --roof [WORD...]
//
// kernels/roof.json lists calls (kernel_call.h) with the `bytes` that must come from HBM, and the
// percentage of its peak that is the `goal`. Each is predicted with the settings in its `sweep`.
// Lists of slots for mixtures of experts ({folder}/slots) are made of its `route`.
#ifndef BENCH_ROOF_BAR_H
#define BENCH_ROOF_BAR_H

#include <stdbool.h>

// Prints a line for each call whose name contains one of the words (all, if there are none). False,
// with a message on stderr, if a file cannot be written; a failure of Kiln ends the program.
bool roof_bar_compare(char **words, int count);

#endif
