// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the lanes of a memory instruction reach, for the checks that look at bytes: LDS offsets and device addresses.
//
// Idea: worked out once before the instruction runs, whatever its form (DS, FLAT, global, buffer, straight to LDS), so
// that races, bounds and definedness each need one loop over lanes.
//
// What a reader gets wrong: this restates what exec/*.c do; it never decides what is accessed. Lanes that will fault, or
// that the machine drops, are in neither set.
#ifndef KILN_SIM_CHECK_ACCESS_H
#define KILN_SIM_CHECK_ACCESS_H

#include "check/state.h"

// How the LDS addresses of lanes are formed.
enum {
    CHECK_LDS_ADDRESS, // VGPR + offset
    CHECK_LDS_PAIR,    // two accesses: read2 and write2
    CHECK_LDS_LANES,   // M0 + offset + lane * 4: addtid, and loads straight to LDS
    CHECK_LDS_COUNTER  // offset: append and consume
};

typedef struct check_access {
    // LDS: active lanes whose bytes lie inside, and their offsets; outside: active lanes beyond the workgroup's bytes.
    uint8_t lds_parts, lds_bytes, lds_kind; // 0 parts: no LDS; kiln_sim_access_t
    uint64_t lds_lanes[2], lds_outside[2];
    uint32_t lds_at[2][KILN_SIM_LANES];
    // Device memory.
    uint8_t bytes, kind;
    bool is_buffer;
    uint64_t lanes;   // active lanes of which all bytes are accessed
    uint64_t partial; // lanes of which a buffer descriptor cuts the end off: lane_bytes are left
    uint64_t cut;     // lanes that a descriptor cuts off wholly
    uint64_t bent;    // lanes of a format access that is not aligned: its low address bits are ignored
    uint64_t torn; // lanes of which the descriptor cuts a dword (or a smaller element) in two: none of it is accessed
    uint8_t lane_bytes[KILN_SIM_LANES];
    alignas(64) uint64_t at[KILN_SIM_LANES]; // of lanes and partial; cut: where it would have been
    uint64_t base, end;                      // of a buffer without index: the descriptor's range
    const uint8_t *format;                   // of a format access: bits of its components; NULL: it is none
    // Scratch: lanes whose bytes lie inside of their own, and where they begin there.
    uint64_t scratch_lanes;
    uint32_t scratch_at[KILN_SIM_LANES];
} check_access_t;

// Where a scalar instruction reads or writes memory: as much as its descriptor allows.
typedef struct check_scalar_access {
    uint64_t at;
    unsigned dwords; // 0: none, or s_scratch_*, which is not followed
    bool is_buffer;
} check_scalar_access_t;

check_scalar_access_t kiln_sim_check_scalar_access(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst);

// What does not change from one execution to the next; part of filling a footprint.
void kiln_sim_check_access_fill(check_footprint_t *footprint, const kiln_sim_inst_t *inst);

// Fills *access. False where the instruction accesses neither LDS nor device memory with lanes of its own.
bool kiln_sim_check_access_find(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const check_footprint_t *f,
                                check_access_t *access);

#endif
