// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's monotonic clock, for measuring durations. Its origin is unspecified.
#ifndef KILN_BASE_CLOCK_H
#define KILN_BASE_CLOCK_H

#include <time.h>

static inline double kiln_now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

#endif
