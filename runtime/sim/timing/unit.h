// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compute unit: four SIMDs with their waves, which issue to LDS, vector memory and scalar memory.
//
// Each SIMD is visited every four cycles. It issues at most one instruction per port, from
// different waves, by priority and then by age. At issue, an instruction sends its requests to
// other units, which return the cycle of completion. The model therefore needs no events: it visits
// only cycles in which something can issue and skips the others.
//
// Units serve requests in the order of the calls, which is the order of issue. The choice of the
// next wave does not depend on the effects of its instruction, so the instruction can be executed
// between kiln_timing_unit_next and kiln_timing_unit_issue (timing/order.h).
#ifndef KILN_TIMING_UNIT_H
#define KILN_TIMING_UNIT_H

#include "timing/lds.h"
#include "timing/plan.h"
#include "timing/timeline.h"
#include "timing/wave.h"

enum {
    KILN_TIMING_WAVES = 8,
    KILN_TIMING_GROUP_WAVES = 16,
    KILN_TIMING_SIMDS = 4,
    // Exempt waves take no slots: these may be all but one of each workgroup's waves.
    KILN_TIMING_SIMD_WAVES = KILN_TIMING_WAVES * KILN_TIMING_GROUP_WAVES
};

// A place for a workgroup.
typedef struct kiln_timing_slot {
    kiln_timing_group_t *group; // NULL: free
    unsigned own;               // its number in the plan
    unsigned live_waves, arrived;
    uint64_t begun;
    kiln_timing_wave_t waves[KILN_TIMING_GROUP_WAVES];
} kiln_timing_slot_t;

typedef struct kiln_timing_simd {
    kiln_timing_wave_t *waves[KILN_TIMING_SIMD_WAVES]; // oldest first
    uint64_t ready[KILN_TIMING_SIMD_WAVES]; // of each, side by side, since each visit looks at all
                                            // of them; UINT64_MAX: it waits at a barrier, or
                                            // is held
    unsigned count, placed; // placed: those that take one of its KILN_TIMING_WAVES places
    uint64_t wake;          // earliest cycle in which something may be issued
    uint64_t valu_free, matrix_free;
    double matrix_until;                     // matrix_free, with the fraction of a cycle
    uint64_t paired;                         // cycle in which a pairing instruction started alone
    uint64_t valu_busy, matrix_busy;         // cycles
    uint64_t power_busy[KILN_TIMING_POWERS]; // cycles of instructions, by kind
} kiln_timing_simd_t;

// A SIMD's turn to issue in this cycle. It lasts until none of its waves can issue.
typedef struct kiln_timing_visit {
    bool open;
    unsigned simd, used; // used: set of ports
    uint64_t wake;       // earliest cycle in which the other waves may issue
} kiln_timing_visit_t;

// What a unit does about the time that memory takes: computes it; also keeps it in the recording;
// or takes what was kept, and leaves L1, L2 and fabric out (timing/without.c).
typedef enum kiln_timing_memory {
    KILN_TIMING_MEMORY_COMPUTED,
    KILN_TIMING_MEMORY_KEPT,
    KILN_TIMING_MEMORY_RECALLED
} kiln_timing_memory_t;

typedef struct kiln_timing_unit {
    const kiln_timing_op_t *ops;   // by index of instruction
    const kiln_timing_op_t *plain; // those of waves below `from_wave` in a workgroup
    unsigned from_wave;
    kiln_timing_memory_t memory;
    uint64_t (*stalls)[KILN_SIM_STALLS]; // by index of instruction: cycles of waves; may be NULL
    uint64_t *waited;    // by index of instruction: cycles that waves waited for it; may be NULL
    uint64_t *set_waits; // likewise: cycles that its accesses' misses waited for a place in their
                         // set of the L1, in the launch itself
    uint64_t image;      // device address of the code object
    double longer[KILN_TIMING_POWERS]; // of matrix instructions (kiln_timing_matrix_longer)
    const kiln_timing_map_t *map;
    const kiln_timing_parameters_t *measured; // NULL: the constants
    kiln_timing_simd_t simds[KILN_TIMING_SIMDS];
    kiln_timing_lds_t lds;
    kiln_timing_l1_t l1;
    kiln_timing_l2_t l2;
    kiln_timing_scalar_t scalar;
    kiln_timing_visit_t visit;
    uint64_t ages, now, issued;
    kiln_timing_timeline_t *timeline; // may be NULL
    // Called before and after each memory access that a wave issues, so that the companions of its
    // workgroup make theirs. Bit i % 64 of `missed`: recorded line i goes to the L2. Both callbacks
    // may be NULL.
    void (*follow)(void *user, const kiln_timing_wave_t *wave, uint64_t now, uint64_t missed,
                   bool after);
    // Called when a workgroup has ended; its slot is free.
    void (*ended)(void *user, kiln_timing_slot_t *slot, uint64_t now);
    void *user;
} kiln_timing_unit_t;

// `l2_bytes` is KILN_GFX942_L2_BYTES if all compute units of an XCD are modeled to use the L2.
bool kiln_timing_unit_open(kiln_timing_unit_t *unit, uint64_t l2_bytes, double ghz, double gb_s,
                           unsigned xcds);
void kiln_timing_unit_close(kiln_timing_unit_t *unit);
// Puts a workgroup into a slot. Its waves may issue from cycle `now` on.
void kiln_timing_unit_start(kiln_timing_unit_t *unit, kiln_timing_slot_t *slot, uint64_t now);
// The wave that issues the next instruction, at unit->now. Returns the same wave until it issues;
// NULL if no wave can issue any more.
kiln_timing_wave_t *kiln_timing_unit_next(kiln_timing_unit_t *unit);
// Issues the instruction. The wave's next step and this instruction's accesses must be known.
void kiln_timing_unit_issue(kiln_timing_unit_t *unit, kiln_timing_wave_t *wave);
// Holds a wave that waits for something outside of the unit, and resumes it.
void kiln_timing_unit_hold(kiln_timing_unit_t *unit, const kiln_timing_wave_t *wave);
void kiln_timing_unit_release(kiln_timing_unit_t *unit, kiln_timing_wave_t *wave);
// Runs until no wave is left. False if the waves deadlock.
bool kiln_timing_unit_run(kiln_timing_unit_t *unit);

#endif
