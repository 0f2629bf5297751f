// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long the kiln command takes for whole searches.
#ifndef KILN_BENCH_TUNE_BARS_H
#define KILN_BENCH_TUNE_BARS_H

void bench_tune_bars(void);

#endif
