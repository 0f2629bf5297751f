// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A wave's instruction buffer: two windows of 32 bytes of its code. When the wave has issued the last instruction of one, the window
// behind the other is asked of the instruction cache.
//
// What a reader gets wrong: an instruction that lies in two windows keeps the first until it is issued, so of a run of 8-byte
// instructions that begins 4 bytes off, each fourth one comes a slot late. Where they begin at multiples of 8, none does.
#ifndef KILN_TIMING_FETCH_H
#define KILN_TIMING_FETCH_H

#include "timing/scalar.h"

typedef struct kiln_timing_fetch {
    uint64_t window;   // the number of the first: device address / KILN_TIMING_FETCH_WINDOW
    uint64_t there[2]; // cycle from which it is there, and that of the next
} kiln_timing_fetch_t;

// Fills the buffer anew: the wave goes on at this device address, which it knows at `asked`, in cycle `from` at the earliest.
void kiln_timing_fetch_jump(kiln_timing_fetch_t *fetch, kiln_timing_scalar_t *scalar, uint64_t asked, uint64_t from,
                            uint64_t address, const kiln_timing_map_t *map);
// The cycle from which the instruction at this device address is there as a whole. It is the one behind that which was issued at `issued`.
uint64_t kiln_timing_fetch_next(kiln_timing_fetch_t *fetch, kiln_timing_scalar_t *scalar, uint64_t issued,
                                uint64_t address, unsigned size, const kiln_timing_map_t *map);

#endif
