// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What launches leave behind in the L2 and in the Infinity Cache, and what XCDs share: by allocation, for the launch that is replayed.
//
// Idea: whole allocations are kept in the order of their last use, each with the bytes that a launch touches of it. What fits a
// cache behind the last use is there.
#ifndef KILN_TIMING_WARMTH_H
#define KILN_TIMING_WARMTH_H

#include "core/memory.h"
#include "timing/l1.h"
#include "timing/plan.h"

typedef struct kiln_timing_used {
    uint64_t number; // of the allocation
    uint64_t bytes;
    bool is_code;
    bool in_l2; // nobody else has flushed it since
} kiln_timing_used_t;

typedef struct kiln_timing_region {
    uint64_t first, last; // lines
    uint64_t number;
    bool is_code, is_host;
    double bytes; // that the whole launch touches
    double sharers;
    double in_mall;              // share of its lines that a launch before left there
    bool in_l2;                  // and whether all that it touched is in the L2, too
    uint64_t lines, shared;      // recorded; and by how many XCDs, added up
    kiln_timing_others_t others; // where the workgroups beside it on other XCDs are
} kiln_timing_region_t;

typedef struct kiln_timing_warmth {
    kiln_timing_map_t map;         // of the launch
    kiln_timing_region_t *regions; // ascending
    size_t region_count;
    double bytes;             // of all regions
    kiln_timing_used_t *used; // the last one first
    size_t used_count, used_capacity;
} kiln_timing_warmth_t;

// Looks at what was recorded of a launch. False: out of memory.
bool kiln_timing_warmth_begin(kiln_timing_warmth_t *warmth, const kiln_timing_plan_t *plan,
                              const kiln_sim_memory_t *memory);
// In place of what was left: the launch itself has just run (warm), or others that read and wrote a lot (cold).
// False: out of memory.
bool kiln_timing_warmth_assume(kiln_timing_warmth_t *warmth, bool warm);
// The launch is over: what it touched was used last.
bool kiln_timing_warmth_end(kiln_timing_warmth_t *warmth);
// Forgets the data that launches have left in the L2, and in the Infinity Cache, too, as somebody who reads and writes a lot in
// between would let it. Code stays.
void kiln_timing_warmth_flush(kiln_timing_warmth_t *warmth, bool infinity_cache);
void kiln_timing_warmth_free(kiln_timing_warmth_t *warmth);

#endif
