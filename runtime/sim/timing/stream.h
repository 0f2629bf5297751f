// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recording of a wave: the instructions that it executed, in order, and the lines of its
// accesses.
//
// An instruction in a loop mostly touches the same pattern of lines again at another address. An
// access therefore stores its first line, and the distances of the others from it are stored once
// in the stream for all accesses with this pattern.
//
// Lines are numbers of 128-byte lines of device memory. lds_cycles are the cycles of the LDS
// itself, including conflicts (run/cost.h). `accesses` has one entry for each executed instruction
// for which kiln_timing_is_access holds, in order.
#ifndef KILN_TIMING_STREAM_H
#define KILN_TIMING_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/gfx942.h"

// Where scratch is placed, in bytes from the arena's base: beyond the arena's memory, and within
// the 1 TB in which tags are unique (timing/tags.h). All co-resident waves together have at most 78
// GB.
#define KILN_TIMING_SCRATCH (1ull << 38)
#define KILN_TIMING_SCRATCH_BYTES (1ull << 37)

// Maximum number of lines of an access: a lane touches at most 255 bytes, in three lines, and as
// many of scratch.
enum { KILN_TIMING_STREAM_LINES = 512 };

typedef struct kiln_timing_access {
    uint64_t base;  // the first line
    uint32_t shape; // index of its lines' distances from base in the stream
    uint16_t line_count;
    uint16_t halves;                       // distinct 64-byte halves of lines
    uint16_t lookups, least_lookups;       // loads: cycles of run/machine.h
    uint16_t lds_cycles;                   // 0: no access to LDS
    uint16_t bytes;                        // of all lanes, in units of 4, rounded up
    uint8_t lane_bytes;                    // per lane
    uint8_t phase;                         // of the first lane's address in its line
    bool local;                            // only LDS, or scalar: companions do not make it
    bool scalar, writes, atomic, bypasses; // bypasses: not looked up in the L1
    bool ascends;     // of an atomic: each lane's address is beyond the one's before
    bool spread;      // supposed to look its lines up evenly (timing/without.c)
    bool spread_sets; // then, also supposed to use all sets of the L1
    bool joined;      // supposed to be a part of the access before it (timing/without.c)
    uint16_t of;      // supposed to touch fewer lines: the number of those that it has; otherwise 0
    uint32_t delay; // of memory: cycles from issue until it was complete, in the last replay of the
                    // launch as it is
} kiln_timing_access_t;

// Of one wave.
typedef struct kiln_timing_stream {
    uint32_t *steps; // indices of instructions
    size_t step_count, step_capacity;
    kiln_timing_access_t *accesses;
    size_t access_count, access_capacity;
    size_t memory_count; // number of accesses that are not local
    size_t line_count;   // of all accesses
    uint64_t *distances; // of accesses' lines from their first, modulo 2^64
    size_t distance_count, distance_capacity;
    struct kiln_timing_recent *recent; // recently used patterns; NULL: none yet
} kiln_timing_stream_t;

// Of one workgroup.
typedef struct kiln_timing_group {
    uint64_t id;
    bool recorded;    // until its end
    bool needs_steps; // and local accesses; otherwise only memory accesses
    unsigned wave_count;
    kiln_timing_stream_t *waves;
} kiln_timing_group_t;

// Returns the recorded number of an access's line. One that is supposed to touch fewer lines
// touches some that lie evenly among its own: of rows that begin within a line, those of all rows,
// which the next access would not find in the L1.
static inline unsigned kiln_timing_recorded_line(const kiln_timing_access_t *access,
                                                 unsigned number)
{
    return access->of ? number * access->of / access->line_count : number;
}

static inline uint64_t kiln_timing_stream_line(const kiln_timing_stream_t *stream,
                                               const kiln_timing_access_t *access, unsigned number)
{
    return access->base + stream->distances[access->shape + number];
}

// False if memory is exhausted.
bool kiln_timing_stream_step(kiln_timing_stream_t *stream, uint32_t index);
kiln_timing_access_t *kiln_timing_stream_access(
    kiln_timing_stream_t *stream); // zeroed, at the end; NULL if memory is exhausted
// Adds a line to the last access unless the access has it already.
bool kiln_timing_stream_add(kiln_timing_stream_t *stream, kiln_timing_access_t *access,
                            uint64_t line);

// Adds the lines that the lanes (at least one) access: for each of them `bytes` bytes (at least
// one) from address at[lane] - arena on.
bool kiln_timing_stream_lanes(kiln_timing_stream_t *stream, kiln_timing_access_t *access,
                              const uint64_t at[KILN_GFX942_LANES], uint64_t arena, uint64_t lanes,
                              unsigned bytes);
// Likewise, for lanes whose pattern of addresses has this key. Recently used patterns are cached.
bool kiln_timing_stream_pattern(kiln_timing_stream_t *stream, kiln_timing_access_t *access,
                                const uint64_t key[2], const uint64_t at[KILN_GFX942_LANES],
                                uint64_t arena, uint64_t lanes, unsigned bytes);
// Clears the accesses but keeps the steps.
void kiln_timing_stream_forget(kiln_timing_stream_t *stream);
void kiln_timing_stream_free(kiln_timing_stream_t *stream);

#endif
