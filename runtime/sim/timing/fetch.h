// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A wave's instruction buffer: two windows of 32 bytes of its code. When the wave has issued the
// last instruction of a window, the window after the other one is requested from the instruction
// cache.
//
// An instruction that crosses two windows keeps the first until it is issued. In a run of 8-byte
// instructions that begins 4 bytes off a multiple of 8, every fourth instruction is therefore one
// slot late.
#ifndef KILN_TIMING_FETCH_H
#define KILN_TIMING_FETCH_H

#include "timing/scalar.h"

typedef struct kiln_timing_fetch {
    uint64_t window;       // number of the first window: device address / KILN_TIMING_FETCH_WINDOW
    uint64_t available[2]; // cycles from which it and the next one are available
} kiln_timing_fetch_t;

// Refills the buffer after a jump to this device address, which is known at cycle `requested`. The
// first window is available in cycle `from` at the earliest.
void kiln_timing_fetch_jump(kiln_timing_fetch_t *fetch, kiln_timing_scalar_t *scalar,
                            uint64_t requested, uint64_t from, uint64_t address,
                            const kiln_timing_map_t *map);
// The cycle from which the whole instruction at this device address is available. It follows the
// one that was issued at `issued`.
uint64_t kiln_timing_fetch_next(kiln_timing_fetch_t *fetch, kiln_timing_scalar_t *scalar,
                                uint64_t issued, uint64_t address, unsigned size,
                                const kiln_timing_map_t *map);

#endif
