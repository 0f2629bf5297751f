// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The L2 of one XCD: what it holds, how many bytes a cycle it moves, and what it asks of the fabric.
//
// What a reader gets wrong: all compute units of the XCD come here, the one that is replayed and its companions (timing/plan.h),
// each with its own addresses, so hits and misses are those of the whole die.
#ifndef KILN_TIMING_L2_H
#define KILN_TIMING_L2_H

#include "timing/fabric.h"

// What is known of a line before the launch touches it.
typedef struct kiln_timing_place {
    bool in_mall, in_l2, on_host;
    double sharers;                     // XCDs that want the line, at least 1
    const kiln_timing_others_t *others; // where the others are meanwhile; may be NULL
} kiln_timing_place_t;

// Where the lines of a launch lie.
typedef struct kiln_timing_map kiln_timing_map_t;
struct kiln_timing_map {
    kiln_timing_place_t (*find)(const kiln_timing_map_t *map, uint64_t line);
};

typedef struct kiln_timing_l2 {
    kiln_timing_tags_t tags;
    kiln_timing_fabric_t fabric;
    double free_at;                           // of all channels together
    double channels[KILN_GFX942_L2_CHANNELS]; // and of each
    uint64_t reads, writes, atomics, hits;    // lines
} kiln_timing_l2_t;

bool kiln_timing_l2_open(kiln_timing_l2_t *l2, uint64_t bytes, double ghz, double gb_s, unsigned xcds);
void kiln_timing_l2_close(kiln_timing_l2_t *l2);

// A line that a compute unit asks for; the cycle at which its data is back at the compute unit.
uint64_t kiln_timing_l2_read(kiln_timing_l2_t *l2, uint64_t now, uint64_t line, const kiln_timing_map_t *map);
// A line that was the last one read, so many times more, at the same moment.
void kiln_timing_l2_read_again(kiln_timing_l2_t *l2, uint64_t line, unsigned times);
// A line, or a half of it, that is written; the cycle at which the compute unit knows.
uint64_t kiln_timing_l2_write(kiln_timing_l2_t *l2, uint64_t now, uint64_t line, const kiln_timing_map_t *map);
uint64_t kiln_timing_l2_atomic(kiln_timing_l2_t *l2, uint64_t now, uint64_t line, const kiln_timing_map_t *map);
// Lets the line lie there from the start, as a launch before may have left it.
void kiln_timing_l2_warm(kiln_timing_l2_t *l2, uint64_t line);

#endif
