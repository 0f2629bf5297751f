// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector memory of a compute unit: the addresser that takes instructions in order, and the 32 KB of the L1 behind it.
//
// What a reader gets wrong: loads and stores take the address path for 16 or 4 lanes a cycle and the data path for 64 bytes a cycle,
// whichever is longer; one that touches many half lines takes a cycle for each. Accesses of 8 bytes a lane so get half of the
// bandwidth. What misses holds one of the places for outstanding misses until its data is back, which bounds the bandwidth that one
// compute unit can draw.
#ifndef KILN_TIMING_L1_H
#define KILN_TIMING_L1_H

#include "timing/l2.h"
#include "timing/parameters.h"
#include "timing/stream.h"

typedef struct kiln_timing_l1 {
    kiln_timing_tags_t tags;
    kiln_timing_l2_t *l2;
    uint64_t free_at;                        // of address and data path
    uint64_t queued[KILN_TIMING_VMEM_QUEUE]; // until when the last instructions stand in front of it, in turn
    uint64_t missing[KILN_TIMING_L1_MISSES]; // until when each place is taken
    unsigned next, next_queued;
    uint64_t busy, hits, misses;
} kiln_timing_l1_t;

bool kiln_timing_l1_open(kiln_timing_l1_t *l1, kiln_timing_l2_t *l2);
void kiln_timing_l1_close(kiln_timing_l1_t *l1);

// The cycle from which another instruction may be issued to it.
uint64_t kiln_timing_l1_accepts(const kiln_timing_l1_t *l1);

// Bit i % 64 is set where line i, or one that shares its bit, would go to the L2.
uint64_t kiln_timing_l1_would_miss(kiln_timing_l1_t *l1, const kiln_timing_access_t *access, const uint64_t *lines);

// An access of `lines` at this cycle; returns when all of it is done: data in registers, stores known.
uint64_t kiln_timing_l1_access(kiln_timing_l1_t *l1, uint64_t now, const kiln_timing_access_t *access,
                               const uint64_t *lines, const kiln_timing_map_t *map);

#endif
