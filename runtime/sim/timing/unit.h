// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compute unit: four SIMDs with their waves, which issue to LDS, vector memory and scalar memory.
//
// Idea: each SIMD is visited every four cycles, and issues at most one instruction for each port, from different waves, those of
// higher priority and the older ones first. Whatever an instruction asks of another unit is asked when it is issued, and that unit
// answers when it will be done; so there are no events, only cycles in which something can be issued, and those between them
// are skipped.
//
// What a reader gets wrong: units answer in the order in which they are asked, which is the order of issue. And who issues next does not
// depend on what it does, so it can be executed between kiln_timing_unit_next and kiln_timing_unit_issue (timing/order.h).
#ifndef KILN_TIMING_UNIT_H
#define KILN_TIMING_UNIT_H

#include "timing/lds.h"
#include "timing/plan.h"
#include "timing/timeline.h"
#include "timing/wave.h"

enum { KILN_TIMING_WAVES = 8, KILN_TIMING_GROUP_WAVES = 16, KILN_TIMING_SIMDS = 4 };

// A workgroup's place.
typedef struct kiln_timing_slot {
    kiln_timing_group_t *group; // NULL: free
    unsigned own;               // its number in the plan
    unsigned living, arrived;
    uint64_t begun;
    kiln_timing_wave_t waves[KILN_TIMING_GROUP_WAVES];
} kiln_timing_slot_t;

typedef struct kiln_timing_simd {
    kiln_timing_wave_t *waves[KILN_TIMING_WAVES]; // the oldest first
    unsigned count;
    uint64_t wake; // earliest cycle in which something may be issued
    uint64_t valu_free, matrix_free;
    uint64_t paired;                         // cycle in which one that pairs has started alone
    uint64_t valu_busy, matrix_busy;         // cycles
    uint64_t power_busy[KILN_TIMING_POWERS]; // cycles of those that draw power
} kiln_timing_simd_t;

// A SIMD's turn to issue in this cycle, which lasts until none of its waves can.
typedef struct kiln_timing_visit {
    bool open;
    unsigned simd, used; // ports
    uint64_t wake;       // earliest cycle in which those may issue that can't now
} kiln_timing_visit_t;

typedef struct kiln_timing_unit {
    const kiln_timing_op_t *ops;         // by index of instruction
    uint64_t (*stalls)[KILN_SIM_STALLS]; // by index of instruction: cycles of waves; NULL: nobody wants them
    uint64_t image;                      // device address of the code object
    const kiln_timing_map_t *map;
    kiln_timing_simd_t simds[KILN_TIMING_SIMDS];
    kiln_timing_lds_t lds;
    kiln_timing_l1_t l1;
    kiln_timing_l2_t l2;
    kiln_timing_scalar_t scalar;
    kiln_timing_visit_t visit;
    uint64_t ages, now, issued;
    kiln_timing_timeline_t *timeline; // NULL: nobody wants it
    // Told of each access to memory that a wave issues, before and behind: the companions of its workgroup do theirs. Bit i % 64 of
    // `missed`: line i goes to the L2. Both may be NULL.
    void (*follow)(void *user, const kiln_timing_wave_t *wave, uint64_t now, uint64_t missed, bool behind);
    // A workgroup has ended: its slot is free.
    void (*ended)(void *user, kiln_timing_slot_t *slot, uint64_t now);
    void *user;
} kiln_timing_unit_t;

// With an L2 of so many bytes, which are KILN_GFX942_L2_BYTES where all compute units of an XCD go to it.
bool kiln_timing_unit_open(kiln_timing_unit_t *unit, uint64_t l2_bytes, double ghz, double gb_s, unsigned xcds);
void kiln_timing_unit_close(kiln_timing_unit_t *unit);
// Puts a workgroup into a slot; its waves may issue from that cycle on.
void kiln_timing_unit_start(kiln_timing_unit_t *unit, kiln_timing_slot_t *slot, uint64_t now);
// The wave that issues the next instruction, at unit->now; the same again until it is issued. NULL: no wave can any more.
kiln_timing_wave_t *kiln_timing_unit_next(kiln_timing_unit_t *unit);
// Issues it. From here on the wave's step behind it must be known, and what it accesses.
void kiln_timing_unit_issue(kiln_timing_unit_t *unit, kiln_timing_wave_t *wave);
// A wave that was `held` may go on.
void kiln_timing_unit_let_go(kiln_timing_unit_t *unit, kiln_timing_wave_t *wave);
// Goes on until no wave is left. False: the waves wait for each other for ever.
bool kiln_timing_unit_run(kiln_timing_unit_t *unit);

#endif
