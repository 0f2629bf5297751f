// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of the L2 and of the Infinity Cache before a launch, and the sharing between XCDs, per
// allocation.
//
// Whole allocations are ordered by their last use. Each has the number of bytes of it that a launch
// touches: by all XCDs for the Infinity Cache, by one XCD for its L2. Data is in a cache if it fits
// together with everything that was used after it. Workgroup i runs on XCD i mod 8, so a repeated
// launch finds in each L2 the lines that its workgroups there touched, except for lines that
// another XCD has written; a launch that touches other lines finds its L2's share of them.
#ifndef KILN_TIMING_CACHE_STATE_H
#define KILN_TIMING_CACHE_STATE_H

#include "memory/memory.h"
#include "timing/l1.h"
#include "timing/plan.h"

typedef struct kiln_timing_used {
    uint64_t number; // of the allocation; 0: freed memory, or that of other work
    double bytes;
    double xcd_bytes; // that one XCD touched
    double kept;      // fraction of these that no other XCD wrote
    uint64_t pattern; // of the lines that the XCD touched
    bool is_code;
    bool in_l2; // not flushed since by other work
} kiln_timing_used_t;

typedef struct kiln_timing_region {
    uint64_t first, last; // lines
    uint64_t number;
    bool is_code, is_host;
    double bytes;     // touched by the whole launch
    double xcd_bytes; // touched by one XCD
    double sharers;
    double needed;         // of the lines that one XCD touches, the fraction that it would fetch if
                           // programs that share lines were on the same XCD
    double in_mall, in_l2; // fraction of its lines that earlier launches left there
    uint64_t pattern;      // a hash of the lines of the first recorded workgroup
    uint64_t lines, shared; // recorded lines; sum over them of the XCDs that share them
    uint64_t taken;         // recorded lines that another XCD writes
    uint64_t half, all;     // distinct lines of half of the first XCD's recorded rows, and all
    kiln_timing_neighbours_t neighbours; // distances of the neighbouring workgroups on other XCDs
} kiln_timing_region_t;

typedef struct kiln_timing_cache_state {
    kiln_timing_map_t map;         // of the launch
    kiln_timing_region_t *regions; // in ascending order
    size_t region_count;
    unsigned xcds;
    double bytes, xcd_bytes;  // of all regions
    kiln_timing_used_t *used; // most recently used first
    size_t used_count, used_capacity;
} kiln_timing_cache_state_t;

// The place of a launch's kernel arguments in device memory: the start of their allocation, and how
// many of its bytes they take. The host has just written them, so no cache holds them.
typedef struct kiln_timing_arguments {
    uint64_t at, bytes; // 0: they are in host memory
} kiln_timing_arguments_t;

// Analyzes the recorded workgroups of a launch. False if memory is exhausted.
bool kiln_timing_cache_state_begin(kiln_timing_cache_state_t *cache_state,
                                   const kiln_timing_plan_t *plan, const kiln_sim_memory_t *memory,
                                   const kiln_timing_arguments_t *arguments);
// Replaces the tracked state by the state after the launch itself has run and, unless `warm`, other
// launches have then read and written a lot, so that only its code is left. False if memory is
// exhausted.
bool kiln_timing_cache_state_assume(kiln_timing_cache_state_t *cache_state, bool warm);
// Whether earlier launches left any line of the launch in the XCD's L2.
bool kiln_timing_cache_state_has_l2(const kiln_timing_cache_state_t *cache_state);
// The part of what XCDs fetch that they would not if programs that share lines were on the same
// one.
double kiln_timing_cache_state_shared(const kiln_timing_cache_state_t *cache_state);
// The fraction of the lines that an XCD writes which are in its L2 until the launch ends; and the
// number of lines that it then holds.
double kiln_timing_cache_state_late(const kiln_timing_cache_state_t *cache_state);
double kiln_timing_cache_state_held(const kiln_timing_cache_state_t *cache_state);
// Called after the launch: marks the memory that it touched as most recently used.
bool kiln_timing_cache_state_end(kiln_timing_cache_state_t *cache_state);
// As if other work had used `bytes` of device memory: drops all data that launches left in the L2,
// and from the Infinity Cache what these bytes replace. Code stays.
void kiln_timing_cache_state_flush(kiln_timing_cache_state_t *cache_state, uint64_t bytes);
void kiln_timing_cache_state_free(kiln_timing_cache_state_t *cache_state);

#endif
