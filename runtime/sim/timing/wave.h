// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a replayed wave: its position in its stream, when its registers are ready, and its
// outstanding operations.
//
// Loads do not make registers busy. As on the machine, only s_waitcnt waits for them; the
// simulator's checks detect code that lacks a wait.
#ifndef KILN_TIMING_WAVE_H
#define KILN_TIMING_WAVE_H

#include "kiln/sim.h"
#include "timing/fetch.h"
#include "timing/op.h"

enum { KILN_TIMING_MAX_VM = 64, KILN_TIMING_MAX_LGKM = 64 };

// The completion cycles of a counter's outstanding operations.
typedef struct kiln_timing_counter {
    uint64_t done[KILN_TIMING_MAX_VM];
    uint32_t op[KILN_TIMING_MAX_VM]; // index of the instruction that determines it
    unsigned count;
} kiln_timing_counter_t;

typedef struct kiln_timing_wave {
    const kiln_timing_stream_t *stream;
    struct kiln_timing_slot *slot; // its workgroup's (timing/unit.h)
    size_t step, access;           // next ones
    size_t memory;                 // number of non-local accesses so far
    unsigned number, simd;         // in its workgroup
    unsigned place;                // its index among the SIMD's waves
    uint64_t age;                  // number of waves that began before it
    uint32_t life;                 // its number in the timeline
    uint64_t ready; // earliest cycle of the next instruction; `reason` says why not earlier
    uint64_t issued, free_at; // issue of the last instruction, and the cycle after it
    kiln_sim_stall_t reason;
    uint32_t awaited; // VMCNT, LGKMCNT: index of the instruction that the next one waits for
    kiln_timing_fetch_t fetch;
    bool jumps; // the next instruction does not follow the last one in memory
    unsigned priority;
    bool at_barrier, ended;
    kiln_timing_counter_t vm, lgkm;
    uint64_t registers[KILN_SIM_REGISTERS]; // cycle from which each can be read
    // Cycle from which scalar instructions can read each scalar register.
    uint64_t scalars[KILN_SIM_REGISTERS - KILN_SIM_FIRST_SGPR];
} kiln_timing_wave_t;

void kiln_timing_wave_begin(kiln_timing_wave_t *wave, const kiln_timing_stream_t *stream,
                            uint64_t now);

// Computes when the wave's next instruction, `op`, could issue if every port were free.
void kiln_timing_wave_prepare(kiln_timing_wave_t *wave, const kiln_timing_op_t *op, uint64_t image,
                              kiln_timing_scalar_t *scalar, const kiln_timing_map_t *map);
// Marks the registers that an instruction writes as ready at that cycle.
void kiln_timing_wave_write(kiln_timing_wave_t *wave, const kiln_timing_op_t *op, uint64_t at);
// Adds an outstanding operation, which completes at that cycle, to the instruction's counters.
void kiln_timing_wave_count(kiln_timing_wave_t *wave, const kiln_timing_op_t *op, uint64_t done);

#endif
