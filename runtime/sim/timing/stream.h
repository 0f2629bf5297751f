// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What recorded waves did: for each the instructions that it executed, in order, and where its accesses reached.
//
// Idea: an instruction of a loop mostly reaches the same shape of lines again, further on. So an access has its first line, and how far
// the others are from it stands once in the stream, for all accesses of that shape.
//
// What a reader gets wrong: lines are numbers of 128-byte lines of device memory, lds_cycles what LDS itself takes with its
// conflicts (timing/cost.h). An access is one entry of `accesses` for each instruction that kiln_timing_is_access names, in order.
#ifndef KILN_TIMING_STREAM_H
#define KILN_TIMING_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Where scratch lies, in bytes from the arena on: behind what that has, and within the 1 TB that tags tell apart (timing/tags.h). All waves that are
// resident at once have no more than 78 GB.
#define KILN_TIMING_SCRATCH (1ull << 38)
#define KILN_TIMING_SCRATCH_BYTES (1ull << 37)

// Of an access no more than so many lines: lanes reach 255 bytes at most, which are in three lines, and as many of scratch.
enum { KILN_TIMING_STREAM_LANES = 64, KILN_TIMING_STREAM_LINES = 512 };

typedef struct kiln_timing_access {
    uint64_t base;  // the first line
    uint32_t shape; // where the stream's distances of its lines from that begin
    uint16_t line_count;
    uint16_t halves;                       // distinct 64-byte halves of lines
    uint16_t lds_cycles;                   // 0: it does not come to LDS
    uint16_t bytes;                        // of all lanes, in units of 4 rounded up
    uint8_t lane_bytes;                    // of a lane
    bool local;                            // LDS alone, or scalar: no companion makes it
    bool scalar, writes, atomic, bypasses; // bypasses: the L1 is not asked
} kiln_timing_access_t;

// Of one wave.
typedef struct kiln_timing_stream {
    uint32_t *steps; // indices of instructions
    size_t step_count, step_capacity;
    kiln_timing_access_t *accesses;
    size_t access_count, access_capacity;
    size_t memory_count; // of the accesses those that are not local
    size_t line_count;   // of all accesses
    uint64_t *distances; // of accesses' lines from the first, modulo 2^64
    size_t distance_count, distance_capacity;
    struct kiln_timing_recent *recent; // patterns that were met last; NULL: none yet
} kiln_timing_stream_t;

// Of one workgroup.
typedef struct kiln_timing_group {
    uint64_t id;
    bool recorded;     // seen to its end
    bool steps_wanted; // and local accesses; else the others are enough
    unsigned wave_count;
    kiln_timing_stream_t *waves;
} kiln_timing_group_t;

static inline uint64_t kiln_timing_stream_line(const kiln_timing_stream_t *stream, const kiln_timing_access_t *access,
                                               unsigned number)
{
    return access->base + stream->distances[access->shape + number];
}

// False: out of memory.
bool kiln_timing_stream_step(kiln_timing_stream_t *stream, uint32_t index);
kiln_timing_access_t *
kiln_timing_stream_access(kiln_timing_stream_t *stream); // zeroed, behind the others; NULL: no memory
// Adds a line to the last access, where it does not have it.
bool kiln_timing_stream_add(kiln_timing_stream_t *stream, kiln_timing_access_t *access, uint64_t line);

// Adds the lines in which those lanes, at least one, have so many bytes, at least one, each at at[lane] - arena.
bool kiln_timing_stream_lanes(kiln_timing_stream_t *stream, kiln_timing_access_t *access,
                              const uint64_t at[KILN_TIMING_STREAM_LANES], uint64_t arena, uint64_t lanes,
                              unsigned bytes);
// The same of lanes whose pattern has that key; knows those that were met last.
bool kiln_timing_stream_pattern(kiln_timing_stream_t *stream, kiln_timing_access_t *access, const uint64_t key[2],
                                const uint64_t at[KILN_TIMING_STREAM_LANES], uint64_t arena, uint64_t lanes,
                                unsigned bytes);
// Forgets accesses, and not the steps.
void kiln_timing_stream_forget(kiln_timing_stream_t *stream);
void kiln_timing_stream_free(kiln_timing_stream_t *stream);

#endif
