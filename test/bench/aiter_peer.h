// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AITER's assembly kernels beside the examples: ./dev bench kernels --aiter=CHECKOUT [WORD...]
//
// kernels/aiter/*.json list problems. For each, AITER's prebuilt objects that solve it are
// predicted (clock/aiter/peers.py describes their launches), and the example with each of its
// settings in `sweep`, by the same clock, both after launches of the same kernel. The fastest of
// each count. An example of several kernels has `steps`, whose times are added.
#ifndef BENCH_AITER_PEER_H
#define BENCH_AITER_PEER_H

#include <stdbool.h>

// Prints a line for each problem whose name contains one of the words (all, if there are none), and
// the geometric means of the ratios. `checkout` is one of ROCm/aiter. False, with a message on
// stderr, if a problem cannot be compared; a failure of Kiln ends the program.
bool aiter_peer_compare(const char *checkout, char **words, int count);

#endif
