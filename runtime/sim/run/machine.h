// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State for scalar, control and memory handlers in addition to a wave: its launch and the host
// thread's counters.
//
// Counters are per host thread and summed at the end of the launch. Static costs are not counted
// during execution: they are computed afterwards from an instruction's execution count and its
// row's costs.
#ifndef KILN_SIM_MACHINE_H
#define KILN_SIM_MACHINE_H

#include "decode/isa.h"
#include "decode/program.h"
#include "memory/memory.h"
#include "sim/port/error.h"

typedef struct kiln_sim_launch kiln_sim_launch_t;
typedef struct kiln_sim_thread kiln_sim_thread_t;

typedef enum kiln_sim_access { KILN_SIM_LOAD, KILN_SIM_STORE, KILN_SIM_ATOMIC } kiln_sim_access_t;

// An address pattern's cost: LDS cycles; or 64- and 128-byte lines, and cycles of the L1 with and
// without conflicts. See run/cost.h.
typedef struct kiln_sim_cost {
    uint64_t key[2];
    uint32_t cost[4];
} kiln_sim_cost_t;

// A pattern of lanes' addresses: the active lanes, and a key that identifies the pattern among
// those whose first lane has the same offset in its line.
typedef struct kiln_sim_pattern {
    uint64_t key[2], lanes;
    uint64_t number; // number of patterns counted before
} kiln_sim_pattern_t;

#define KILN_SIM_COST_BITS 12 // log2 of the number of sets in the table

typedef struct kiln_sim_dynamic_counts {
    uint64_t lds_cycles, lds_conflict_cycles, lds_bytes;
    uint64_t bytes[3];               // by kiln_sim_access_t: requested by active lanes
    uint64_t lines64, lines128;      // distinct lines touched, summed over instructions
    uint64_t lookups, least_lookups; // cycles of the L1, and without conflicts, likewise
} kiln_sim_dynamic_counts_t;

// Units of a compute unit that work in parallel.
typedef enum kiln_sim_unit {
    KILN_SIM_UNIT_VALU, // also transcendental instructions
    KILN_SIM_UNIT_MFMA,
    KILN_SIM_UNIT_SALU, // also SMEM and branches
    KILN_SIM_UNIT_VMEM,
    KILN_SIM_UNIT_OTHER, // nothing, or dependent on addresses: run/cost.h
    KILN_SIM_UNITS
} kiln_sim_unit_t;

typedef struct kiln_sim_price {
    uint8_t unit, cycles; // cost of one execution by one wave
} kiln_sim_price_t;

typedef struct kiln_sim_work {
    uint64_t cycles[KILN_SIM_UNITS], lds_cycles, lines64;
} kiln_sim_work_t;

typedef struct kiln_sim_place {
    uint64_t base, size;
    bool read_only;
    bool is_unfilled; // waits for its contents (memory/later.c), which only moving data needs
} kiln_sim_place_t;

enum { KILN_SIM_RECENT = 4 };

struct kiln_sim_thread {
    kiln_sim_launch_t *launch;
    uint64_t image;        // device address of the code object
    uint64_t *counts;      // executions, by kiln_sim_inst_t.index, in the current workgroup's turn
    size_t reachable;      // instructions that the thread may have reached
    size_t count_capacity; // of counts, and of the arrays of timing/work.c:
    kiln_sim_price_t *prices;
    size_t priced;
    uint64_t *known_counts, known_cycles[KILN_SIM_UNITS]; // of the latest turns, all equal
    size_t known;                                         // reachable instructions at that time
    uint64_t equal_turns, *totals; // number of these turns; sum of all turns before them
    kiln_sim_work_t all, slowest;  // sum of all turns; maximum of a workgroup
    struct kiln_sim_group
        *spare; // run/run.c: storage of a finished workgroup, possibly of an earlier launch
    kiln_sim_dynamic_counts_t dynamic;
    uint64_t waited; // maximum of the cycles that a wave waited for the clock (run/read_clock.c)
    uint64_t ticks[KILN_SIM_CLASS_COUNT];     // run/run.c: host time by class, if requested
    kiln_sim_place_t recent[KILN_SIM_RECENT]; // recently accessed allocations
    unsigned recent_next;                     // the one to replace next
    struct kiln_sim_watch *watch;             // run/observe.h; NULL if no observer wants accesses
    struct kiln_sim_watch *watch_storage;
    void *observed[KILN_SIM_PLACES]; // what observers keep for the thread
    bool special_modes;         // running in the loop that checks MODE.GPR_IDX_EN and MODE.VSKIP
    kiln_sim_pattern_t pattern; // the latest one whose lines were counted
    kiln_sim_cost_t costs[1 << KILN_SIM_COST_BITS][2]; // run/cost.h
};

// ---- control, for handlers

// Stops the wave; it continues at `resume`.
static inline void kiln_sim_wave_stop(kiln_sim_wave_t *wave, kiln_sim_stop_t stop,
                                      const kiln_sim_inst_t *resume)
{
    wave->stop = stop;
    wave->resume = resume;
    wave->next = NULL;
}

static inline void kiln_sim_wave_end(kiln_sim_wave_t *wave)
{
    kiln_sim_wave_stop(wave, KILN_SIM_STOP_END, NULL);
}

// PC as the program sees it: the address of the instruction after inst.
static inline uint64_t kiln_sim_next_pc(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    return wave->thread->image + inst->address + inst->size;
}

// Jumps to a device address and decodes the code there if needed.
void kiln_sim_wave_jump(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, uint64_t pc);

// Fails the launch because the wave has reached KILN_SIM_LIMIT.
void kiln_sim_wave_limit(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst);

// Allocates the counts of `count` instructions.
bool kiln_sim_thread_reserve(kiln_sim_thread_t *thread, size_t count);

// Returns what to execute: the instruction, a copy in *storage with the registers that M0 selects,
// or NULL if it is skipped.
const kiln_sim_inst_t *kiln_sim_wave_resolve(const kiln_sim_wave_t *wave,
                                             const kiln_sim_inst_t *inst, kiln_sim_inst_t *storage);

// Called after a change of MODE: leaves the fast loop if the new mode needs the special one.
void kiln_sim_wave_mode_changed(kiln_sim_wave_t *wave);

// s_sendmsg. The host handles the interrupts by which hostcalls notify it.
void kiln_sim_wave_message(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst);

// run/read_clock.c: core clock cycles as s_memtime returns them at this read. Deterministic: four
// per instruction of this wave, plus those in which it slept or waited for the clock; or the cycles
// of the launch's order (run/order.h).
uint64_t kiln_sim_wave_clock(kiln_sim_wave_t *wave, const kiln_sim_inst_t *look);

// ---- memory, for handlers

// Whether [address, address + bytes) lies in one allocation that kernels may access in this way:
// memory that the program registered as read-only can only be loaded from. The first function
// searches the table of allocations; the second one tries recent allocations first.
bool kiln_sim_check_address_uncached(kiln_sim_thread_t *thread, kiln_sim_access_t access,
                                     uint64_t address, uint64_t bytes);
static inline bool kiln_sim_check_address(kiln_sim_thread_t *thread, kiln_sim_access_t access,
                                          uint64_t address, uint64_t bytes)
{
    for (unsigned i = 0; i < KILN_SIM_RECENT; i++) {
        const kiln_sim_place_t *recent = &thread->recent[i];
        if (address - recent->base < recent->size &&
            recent->size - (address - recent->base) >= bytes && !recent->is_unfilled)
            return access == KILN_SIM_LOAD || !recent->read_only;
    }
    return kiln_sim_check_address_uncached(thread, access, address, bytes);
}

// The same for one lane. The machine has no atomics smaller than a dword, so smaller ones compare
// and swap the surrounding dword, which may extend past the end of an allocation. This is valid
// because memory is allocated in larger units.
static inline bool kiln_sim_check_lane_address(kiln_sim_thread_t *thread,
                                               const kiln_sim_inst_t *inst,
                                               kiln_sim_access_t access, uint64_t address,
                                               uint64_t bytes)
{
    bool is_dword_swap = access == KILN_SIM_ATOMIC && bytes == 4 && inst->src[1].dwords == 2;
    return kiln_sim_check_address(thread, access, address,
                                  is_dword_swap && address % 4 == 0 ? 1 : bytes);
}

// Fails the launch because of an access outside all allocations; reports the nearest one.
void kiln_sim_wave_fault_address(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, int lane,
                                 kiln_sim_access_t access, uint64_t address, uint64_t bytes);

// ---- counting

// Computes the costs that run/cost.h caches. Lane i accesses address[i] + offset, or base +
// offset[i].
uint32_t kiln_sim_lds_cycles(const uint32_t address[KILN_GFX942_LANES], uint32_t offset,
                             uint64_t mask, unsigned bytes, kiln_sim_access_t access);
void kiln_sim_distinct_lines(uint64_t base, const uint32_t offset[KILN_GFX942_LANES], uint64_t mask,
                             unsigned bytes, uint32_t cost[2]);
// The cycles in which the L1 looks up what a load reads, and their number if no two lanes were in
// each other's way. It serves 16 lanes at a time, or 4 if lanes read more than a dword each; of
// dwords, those of a quad only if they are adjacent, else a quad at a time. Lines of one time that
// share a tag RAM take turns, and so do 8-byte words of wide lanes that share one of 8 banks.
void kiln_sim_lookup_cycles(uint64_t base, const uint32_t offset[KILN_GFX942_LANES], uint64_t mask,
                            unsigned bytes, uint32_t cost[2]);

#endif
