// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What recorded waves did: for each the instructions that it executed, in order, and where its accesses reached.
//
// What a reader gets wrong: lines are numbers of 128-byte lines of device memory, lds_cycles what LDS itself takes with its
// conflicts (timing/cost.h). An access is one entry of `accesses` for each instruction that kiln_timing_is_access names, in order.
#ifndef KILN_TIMING_STREAM_H
#define KILN_TIMING_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct kiln_timing_access {
    uint32_t first_line; // into the stream's lines
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
    uint64_t *lines;
    size_t line_count, line_capacity;
} kiln_timing_stream_t;

// Of one workgroup.
typedef struct kiln_timing_group {
    uint64_t id;
    bool recorded;     // seen to its end
    bool steps_wanted; // and local accesses; else the others are enough
    unsigned wave_count;
    kiln_timing_stream_t *waves;
} kiln_timing_group_t;

// False: out of memory.
bool kiln_timing_stream_step(kiln_timing_stream_t *stream, uint32_t index);
kiln_timing_access_t *
kiln_timing_stream_access(kiln_timing_stream_t *stream); // zeroed, behind the others; NULL: no memory
bool kiln_timing_stream_line(kiln_timing_stream_t *stream, kiln_timing_access_t *access, uint64_t line);
void kiln_timing_stream_free(kiln_timing_stream_t *stream);

#endif
