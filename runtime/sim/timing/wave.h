// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A wave that is replayed: where it is in its stream, when its registers are ready, what it still waits for.
//
// What a reader gets wrong: loads do not make registers busy. As on the machine, only s_waitcnt waits for them; that code which
// forgets it is wrong is found by the checks.
#ifndef KILN_TIMING_WAVE_H
#define KILN_TIMING_WAVE_H

#include "kiln/sim.h"
#include "timing/fetch.h"
#include "timing/op.h"

enum { KILN_TIMING_VM_MOST = 64, KILN_TIMING_LGKM_MOST = 64 };

// Operations of a counter that may still be under way: the cycles at which they are done.
typedef struct kiln_timing_counter {
    uint64_t done[KILN_TIMING_VM_MOST];
    unsigned count;
} kiln_timing_counter_t;

typedef struct kiln_timing_wave {
    const kiln_timing_stream_t *stream;
    struct kiln_timing_slot *slot; // its workgroup's (timing/unit.h)
    size_t step, access;           // next ones
    size_t memory;                 // of the accesses so far those that were not local
    unsigned number, simd;         // in its workgroup
    uint64_t age;                  // waves that began before it
    uint32_t life;                 // in the timeline
    uint64_t ready;                // earliest cycle of the next instruction, and why not earlier
    uint64_t issued, free_at;      // the last instruction, and behind it
    kiln_sim_stall_t reason;
    kiln_timing_fetch_t fetch;
    bool jumps; // the next instruction does not lie behind the last
    unsigned priority;
    bool at_barrier, ended;
    bool held; // waits for something outside of the unit
    kiln_timing_counter_t vm, lgkm;
    uint64_t registers[KILN_SIM_REGISTERS]; // cycle from which each may be read
} kiln_timing_wave_t;

void kiln_timing_wave_begin(kiln_timing_wave_t *wave, const kiln_timing_stream_t *stream, uint64_t now);

// Finds out when its next instruction, which is `op`, could be issued if every port were free.
void kiln_timing_wave_prepare(kiln_timing_wave_t *wave, const kiln_timing_op_t *op, uint64_t image,
                              kiln_timing_scalar_t *scalar, const kiln_timing_map_t *map);
// The registers that an instruction writes are ready at that cycle.
void kiln_timing_wave_write(kiln_timing_wave_t *wave, const kiln_timing_op_t *op, uint64_t at);
// An operation of the instruction's counters will be done at that cycle.
void kiln_timing_wave_count(kiln_timing_wave_t *wave, const kiln_timing_op_t *op, uint64_t done);

#endif
