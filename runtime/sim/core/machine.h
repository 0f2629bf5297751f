// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What scalar, control and memory handlers need beyond a wave: the launch they belong to and the host thread's
// counters.
//
// What a reader gets wrong: counters are per host thread and summed at the end of the launch. Static costs are not
// counted while executing at all: an instruction's count is multiplied with its row's costs afterwards.
#ifndef KILN_SIM_MACHINE_H
#define KILN_SIM_MACHINE_H

#include "core/error.h"
#include "core/isa.h"
#include "core/memory.h"
#include "core/program.h"

typedef struct kiln_sim_launch kiln_sim_launch_t;
typedef struct kiln_sim_thread kiln_sim_thread_t;

typedef enum kiln_sim_access { KILN_SIM_LOAD, KILN_SIM_STORE, KILN_SIM_ATOMIC } kiln_sim_access_t;

// An address pattern's cost: LDS cycles, or 64- and 128-byte lines. See timing/cost.h.
typedef struct kiln_sim_cost {
    uint64_t key[2];
    uint32_t cost[2];
} kiln_sim_cost_t;

// A pattern of lanes' addresses: those lanes, and a key that tells it from all others, where the first lane has the same place in its line.
typedef struct kiln_sim_pattern {
    uint64_t key[2], lanes;
    uint64_t number; // how many were counted before
} kiln_sim_pattern_t;

#define KILN_SIM_COST_BITS 12 // of the table's sets

typedef struct kiln_sim_dynamic_counts {
    uint64_t lds_cycles, lds_conflict_cycles, lds_bytes;
    uint64_t bytes[3];          // by kiln_sim_access_t: asked for by active lanes
    uint64_t lines64, lines128; // distinct lines touched, summed over instructions
} kiln_sim_dynamic_counts_t;

// What executing takes, of the parts of a compute unit that work beside each other.
typedef enum kiln_sim_unit {
    KILN_SIM_UNIT_VALU, // transcendental instructions, too
    KILN_SIM_UNIT_MFMA,
    KILN_SIM_UNIT_SALU, // SMEM and branches, too
    KILN_SIM_UNIT_VMEM,
    KILN_SIM_UNIT_OTHER, // nothing, or what addresses tell: timing/cost.h
    KILN_SIM_UNITS
} kiln_sim_unit_t;

typedef struct kiln_sim_price {
    uint8_t unit, cycles; // of one execution by one wave
} kiln_sim_price_t;

typedef struct kiln_sim_work {
    uint64_t cycles[KILN_SIM_UNITS], lds_cycles, lines64;
} kiln_sim_work_t;

typedef struct kiln_sim_place {
    uint64_t base, size;
} kiln_sim_place_t;

enum { KILN_SIM_RECENT = 4 };

struct kiln_sim_thread {
    kiln_sim_launch_t *launch;
    uint64_t image;        // device address of the code object
    uint64_t *counts;      // executions, by kiln_sim_inst_t.index, in the turn of the workgroup that runs
    size_t reachable;      // instructions that the thread may have come to
    size_t count_capacity; // of counts, and of what timing/work.c makes of them:
    kiln_sim_price_t *prices;
    size_t priced;
    uint64_t *known_counts, known_cycles[KILN_SIM_UNITS]; // of the last turns, which were alike
    size_t known;                                         // instructions then
    uint64_t alike, *totals;                              // so many turns; and those before them
    kiln_sim_work_t all, slowest;                         // of all turns; the most that one of the workgroups took
    struct kiln_sim_group *spare; // core/run.c: a finished workgroup's storage, also from an earlier launch
    kiln_sim_dynamic_counts_t dynamic;
    uint64_t waited;                          // the most cycles that a wave waited for the clock (core/clock.c)
    uint64_t ticks[KILN_SIM_CLASS_COUNT];     // core/run.c: host time by class, where it is asked for
    kiln_sim_place_t recent[KILN_SIM_RECENT]; // allocations that accesses hit lately
    unsigned recent_next;                     // which of them is replaced next
    struct kiln_sim_watch *watch;             // core/observe.h; NULL where nobody wants to know of accesses
    struct kiln_sim_watch *watch_storage;
    void *observed[KILN_SIM_PLACES]; // what observers keep for the thread
    bool special_modes;              // running in the loop that looks at MODE.GPR_IDX_EN and MODE.VSKIP
    kiln_sim_pattern_t pattern;      // of lanes' addresses, the last one whose lines were counted
    kiln_sim_cost_t costs[1 << KILN_SIM_COST_BITS][2]; // timing/cost.h
};

// ---- control, for handlers

// Stops the wave; it goes on at `resume`.
static inline void kiln_sim_wave_stop(kiln_sim_wave_t *wave, kiln_sim_stop_t stop, const kiln_sim_inst_t *resume)
{
    wave->stop = stop;
    wave->resume = resume;
    wave->next = NULL;
}

static inline void kiln_sim_wave_end(kiln_sim_wave_t *wave)
{
    kiln_sim_wave_stop(wave, KILN_SIM_STOP_END, NULL);
}

// PC as the program sees it: the address of the instruction behind inst.
static inline uint64_t kiln_sim_next_pc(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    return wave->thread->image + inst->address + inst->size;
}

// Goes to a device address, decoding there if nobody has been there yet.
void kiln_sim_wave_jump(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, uint64_t pc);

// Fails the launch because the wave has reached KILN_SIM_LIMIT.
void kiln_sim_wave_limit(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst);

// Makes room for the counts of `count` instructions.
bool kiln_sim_thread_reserve(kiln_sim_thread_t *thread, size_t count);

// What to execute: the instruction, a copy in *storage with the registers that M0 selects, or NULL where it is skipped.
const kiln_sim_inst_t *kiln_sim_wave_resolve(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                             kiln_sim_inst_t *storage);

// After a change of MODE: leaves the fast loop where the new mode needs the special one.
void kiln_sim_wave_mode_changed(kiln_sim_wave_t *wave);

// s_sendmsg. The host listens to interrupts, by which hostcalls ring.
void kiln_sim_wave_message(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst);

// core/clock.c: core clock cycles as s_memtime shows them at this look. Deterministic: four per instruction of this wave, and those in which it
// slept or waited for the clock; or those of the launch's order (core/order.h).
uint64_t kiln_sim_wave_clock(kiln_sim_wave_t *wave, const kiln_sim_inst_t *look);

// ---- memory, for handlers

// True where [address, address + bytes) lies in one allocation. The second one looks into the table of all of them.
bool kiln_sim_check_address_anew(kiln_sim_thread_t *thread, uint64_t address, uint64_t bytes);
static inline bool kiln_sim_check_address(kiln_sim_thread_t *thread, uint64_t address, uint64_t bytes)
{
    for (unsigned i = 0; i < KILN_SIM_RECENT; i++) {
        const kiln_sim_place_t *recent = &thread->recent[i];
        if (address - recent->base < recent->size && recent->size - (address - recent->base) >= bytes)
            return true;
    }
    return kiln_sim_check_address_anew(thread, address, bytes);
}

// The same for one lane. The machine has no atomics of less than a dword, so what is smaller is compared and swapped with
// the dword around it, which may reach beyond the end of an allocation: memory is handed out in larger units.
static inline bool kiln_sim_check_lane_address(kiln_sim_thread_t *thread, const kiln_sim_inst_t *inst,
                                               kiln_sim_access_t access, uint64_t address, uint64_t bytes)
{
    bool is_dword_swap = access == KILN_SIM_ATOMIC && bytes == 4 && inst->src[1].dwords == 2;
    return kiln_sim_check_address(thread, address, is_dword_swap && address % 4 == 0 ? 1 : bytes);
}

// Fails the launch for an access that is outside of all allocations; names the nearest one.
void kiln_sim_wave_fault_address(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, int lane, kiln_sim_access_t access,
                                 uint64_t address, uint64_t bytes);

// ---- counting

// Computes what timing/cost.h looks up. Lane i is at base + offset[i].
uint32_t kiln_sim_lds_cycles(const uint32_t address[KILN_SIM_LANES], uint64_t mask, unsigned bytes,
                             kiln_sim_access_t access);
void kiln_sim_distinct_lines(uint64_t base, const uint32_t offset[KILN_SIM_LANES], uint64_t mask, unsigned bytes,
                             uint32_t cost[2]);

#endif
