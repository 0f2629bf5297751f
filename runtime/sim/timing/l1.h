// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector memory of a compute unit: the texture addresser, which takes instructions in order, and
// the 32 KB L1.
//
// Loads and stores occupy the address path at 16 or 4 lanes per cycle and the data path at 64 bytes
// per cycle, whichever takes longer. Of a load, lanes of one cycle that need the same tag RAM or
// bank take turns (run/machine.h); a store takes a cycle for each half line. Accesses of 8 bytes
// per lane therefore reach half of the bandwidth. A miss occupies one of a limited number of
// entries until its data returns, which bounds the bandwidth of one compute unit.
#ifndef KILN_TIMING_L1_H
#define KILN_TIMING_L1_H

#include "timing/l2.h"
#include "timing/parameters.h"
#include "timing/stream.h"

typedef struct kiln_timing_l1 {
    kiln_timing_tags_t tags;
    kiln_timing_l2_t *l2;
    uint64_t free_at;                        // of the address and data paths
    uint64_t queued[KILN_TIMING_VMEM_QUEUE]; // ring: when the last instructions leave the queue
    uint64_t missing[KILN_TIMING_L1_MISSES]; // when each miss entry becomes free
    unsigned next, next_queued;
    uint64_t busy, hits, misses;
    uint64_t set_wait; // the longest that a miss of the last access waited for its set
    const kiln_timing_parameters_t *measured;
} kiln_timing_l1_t;

bool kiln_timing_l1_open(kiln_timing_l1_t *l1, kiln_timing_l2_t *l2);
void kiln_timing_l1_close(kiln_timing_l1_t *l1);

// The cycle from which the L1 accepts another instruction.
uint64_t kiln_timing_l1_accepts(const kiln_timing_l1_t *l1);

// Bit i % 64 is set if line i, or another line with this bit, would go to the L2.
uint64_t kiln_timing_l1_would_miss(kiln_timing_l1_t *l1, const kiln_timing_access_t *access,
                                   const uint64_t *lines);

// Executes an access to `lines` at this cycle. Returns the cycle at which it completes: data in
// registers, or stores acknowledged.
uint64_t kiln_timing_l1_access(kiln_timing_l1_t *l1, uint64_t now,
                               const kiln_timing_access_t *access, const uint64_t *lines,
                               const kiln_timing_map_t *map);

// Cycles that the tag RAMs need for an access, and would need if its lines were spread evenly over
// them.
uint64_t kiln_timing_l1_tag_cycles(const kiln_timing_access_t *access, const uint64_t *lines);
uint64_t kiln_timing_l1_min_tags(const kiln_timing_access_t *access);
// Cycles in which the access occupies the path: the most of those of its tags, addresses and data.
uint64_t kiln_timing_l1_cycles(const kiln_timing_access_t *access, const uint64_t *lines);

#endif
