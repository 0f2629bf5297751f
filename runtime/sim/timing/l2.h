// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The L2 of one XCD: its contents, its bandwidth, and its requests to the fabric.
//
// All compute units of the XCD use it, the replayed one and its companions (timing/plan.h), each
// with its own addresses. Hits and misses are therefore those of the whole die.
#ifndef KILN_TIMING_L2_H
#define KILN_TIMING_L2_H

#include "timing/fabric.h"

enum { KILN_TIMING_L2_WAYS = 16 };

// Where a line is before the launch touches it.
typedef struct kiln_timing_place {
    bool in_mall, in_l2, on_host;               // in_l2: of this XCD
    double sharers;                             // number of XCDs that read the line, at least 1
    const kiln_timing_neighbours_t *neighbours; // distances of the other XCDs' lines; may be NULL
    bool elsewhere; // if programs that share data were on one XCD, this XCD would not read the line
} kiln_timing_place_t;

// Finds the place of each line of a launch.
typedef struct kiln_timing_map kiln_timing_map_t;
struct kiln_timing_map {
    kiln_timing_place_t (*find)(const kiln_timing_map_t *map, uint64_t line);
};

// The lines that were in the L2 before a launch and that it has used: by a hash, the number of the
// replay in the upper 16 bits and the line. Replays use it one after the other.
typedef struct kiln_timing_first {
    uint64_t *slots; // NULL: none yet
    uint64_t replay; // from 1
} kiln_timing_first_t;

typedef struct kiln_timing_l2 {
    kiln_timing_tags_t tags;
    kiln_timing_fabric_t fabric;
    double free_at;                           // of all channels together
    double channels[KILN_GFX942_L2_CHANNELS]; // of each channel
    bool near; // supposed: programs that share data are on one XCD (timing/without.c)
    kiln_timing_tag_t elsewhere; // then, a line that this XCD would not read
    bool spread;                 // supposed: lines take the channels in turn (timing/without.c)
    unsigned channel;            // whose turn is next
    bool waited;                 // some line has waited for its channel
    kiln_timing_first_t *first;  // NULL: no lines were in the L2 before the launch
    size_t first_count;
    double late; // fraction of the written lines that are in the L2 until the launch ends
    uint64_t reads, writes, atomics, hits; // lines
    const struct kiln_timing_parameters *measured;
} kiln_timing_l2_t;

bool kiln_timing_l2_open(kiln_timing_l2_t *l2, uint64_t bytes, double ghz, double gb_s,
                         unsigned xcds);
void kiln_timing_l2_close(kiln_timing_l2_t *l2);
// Makes lines whose place is in_l2 hits when the launch first uses them. False if memory is
// exhausted.
bool kiln_timing_l2_keep(kiln_timing_l2_t *l2, kiln_timing_first_t *first);
void kiln_timing_first_free(kiln_timing_first_t *first);

// A compute unit reads a line. Returns the cycle at which its data is back at the compute unit.
uint64_t kiln_timing_l2_read(kiln_timing_l2_t *l2, uint64_t now, uint64_t line,
                             const kiln_timing_map_t *map);
// Counts `times` more reads of the line that was just read, at the same moment.
void kiln_timing_l2_reread(kiln_timing_l2_t *l2, uint64_t line, unsigned times);
// Writes a line or half of it. Returns the cycle at which the compute unit receives the
// acknowledgment.
uint64_t kiln_timing_l2_write(kiln_timing_l2_t *l2, uint64_t now, uint64_t line,
                              const kiln_timing_map_t *map);
uint64_t kiln_timing_l2_atomic(kiln_timing_l2_t *l2, uint64_t now, uint64_t line,
                               const kiln_timing_map_t *map);
// Puts a line in the cache before the launch, as an earlier launch may have left it.
void kiln_timing_l2_warm(kiln_timing_l2_t *l2, uint64_t line);

#endif
