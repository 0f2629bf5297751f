// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The events of a launch, for checks, traces, profiles and clocks.
//
// An observer is a table of callbacks. It decides for each workgroup whether to watch it. The waves
// of a watched workgroup run in a separate loop; all others run in the plain one, which does not
// know about observers. Handlers of memory instructions report which bytes their lanes access once
// they have computed the addresses and before any byte is moved, so that observers need not compute
// them again.
//
// Pitfalls: an observer must not change the state of a wave or memory, which would change the
// program's behavior. A launch that fails ends at any point: instructions without `executed`,
// workgroups whose last event is their end.
//
// Threads: the callbacks of one workgroup come from one thread, in order; different workgroups may
// run concurrently, unless the observer is in_order. For each launch, thread and workgroup, an
// observer has a state pointer, initially NULL, which the begin callbacks may set and which is
// passed to the others.
#ifndef KILN_SIM_OBSERVE_H
#define KILN_SIM_OBSERVE_H

#include "run/machine.h"

// The bytes that the lanes of a memory instruction access. Lanes that are in no set access nothing.
typedef struct kiln_sim_accesses {
    // LDS: active lanes whose bytes are inside the workgroup's LDS, with their offsets; outside:
    // active lanes beyond its end. Two parts: read2, write2 and the like. Device memory and LDS at
    // once: FLAT by lane, and loads directly to LDS.
    uint8_t lds_parts, lds_bytes, lds_kind; // 0 parts: no LDS; kiln_sim_access_t
    uint64_t lds_lanes[2], lds_outside[2];
    uint32_t lds_at[2][KILN_GFX942_LANES];
    // Device memory and scratch memory: bytes per lane; 0: neither.
    uint8_t bytes, kind;
    bool is_buffer;
    uint64_t lanes;      // active lanes whose bytes are all accessed
    uint64_t partial;    // lanes whose end a buffer descriptor cuts off: lane_bytes are accessed
    uint64_t cut;        // lanes that a descriptor cuts off entirely
    uint64_t misaligned; // lanes of an unaligned format access: the low address bits are ignored
    uint64_t torn; // lanes with a dword (or a smaller element) that the descriptor cuts in two:
                   // none of it is accessed
    uint8_t lane_bytes[KILN_GFX942_LANES];
    alignas(64) uint64_t at[KILN_GFX942_LANES]; // of lanes and partial; cut: as if not cut
    uint64_t base, end;                         // of a buffer without index: the descriptor's range
    const uint8_t *format;  // of a format access: bits of its four components; else NULL
    uint64_t scratch_lanes; // and where their bytes begin in the lane's scratch memory
    uint32_t scratch_at[KILN_GFX942_LANES];
    // Scalar memory: number of dwords, and their address including the operands' two low bits,
    // which the machine ignores.
    uint64_t scalar_at;
    uint32_t scalar_dwords;
    // This access's contribution to the launch's statistics (run/cost.h).
    uint32_t lines64, lines128, lookups, least_lookups, lds_cycles;
    const kiln_sim_pattern_t *pattern; // of the lanes in device memory; NULL: none, or several
} kiln_sim_accesses_t;

typedef enum kiln_sim_interest {
    KILN_SIM_FAILS, // out of memory: the launch fails
    KILN_SIM_SKIPS, // the workgroup is not watched
    KILN_SIM_WATCHES
} kiln_sim_interest_t;

// Any callback may be NULL. `user` is the pointer given at registration.
typedef struct kiln_sim_observer {
    bool in_order; // workgroups must run one after another, on one thread, in dispatch order
    bool thorough; // if a workgroup fails, those before it run to their end

    bool (*launch_begin)(void *user, const kiln_sim_launch_t *launch,
                         void **state); // false: out of memory
    void (*launch_end)(void *user, const kiln_sim_launch_t *launch, void *state);
    bool (*thread_begin)(void *user, kiln_sim_thread_t *thread,
                         void **state); // false: out of memory
    void (*thread_end)(void *user, kiln_sim_thread_t *thread, void *state);

    // The waves have their initial registers. *state is what the previous workgroup in this storage
    // left there, or NULL. If this callback is NULL, all workgroups are watched.
    kiln_sim_interest_t (*group_begin)(void *user, kiln_sim_workgroup_t *group,
                                       kiln_sim_wave_t *waves, void **state);
    // The workgroup has ended, or the launch has failed. Also called if it is not watched.
    void (*group_end)(void *user, kiln_sim_workgroup_t *group, void *state);
    // The workgroup's storage is freed.
    void (*group_free)(void *user, kiln_sim_workgroup_t *group, void *state);

    // Before an instruction. `as_run` has the registers that M0 selects (otherwise it is inst), and
    // is NULL if MODE.VSKIP skips it. wave->exec holds the active lanes, inst->footprint its
    // registers and counters.
    void (*instruction)(void *user, kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                        const kiln_sim_inst_t *as_run);
    // During an instruction: the memory that it accesses, before any byte is moved. Not for lanes
    // that fault.
    void (*access)(void *user, kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                   const kiln_sim_accesses_t *accesses);
    // After an instruction, in reverse order of observers.
    void (*executed)(void *user, kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                     const kiln_sim_inst_t *as_run);

    // All waves that have not ended wait at a barrier and are about to continue.
    void (*barrier)(void *user, kiln_sim_wave_t *waves, unsigned count);
    // `busy` has executed as many instructions as a wave may, or is in a loop that it will not
    // leave.
    void (*limit)(void *user, kiln_sim_wave_t *waves, unsigned count, kiln_sim_wave_t *busy);
    // The launch fails here, with the reason. lane < 0: no particular lane.
    void (*fault)(void *user, kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, int lane,
                  const char *what);
} kiln_sim_observer_t;

// Registers an observer in a place of the machine, starting with its next launch; table NULL
// removes the observer there. Observers are called in order of their places. Places from
// KILN_SIM_PLACE_OTHERS on are free for use.
enum {
    KILN_SIM_PLACE_CHECKS,
    KILN_SIM_PLACE_TRACE,
    KILN_SIM_PLACE_PROFILE,
    KILN_SIM_PLACE_CLOCK,
    KILN_SIM_PLACE_ORDER,
    KILN_SIM_PLACE_OTHERS
};
void kiln_sim_machine_observe(kiln_sim_machine_t *machine, unsigned place,
                              const kiln_sim_observer_t *table, void *user);

// ---- internal: each passes an event on to the observers that want it

// To all observers of the machine. False: out of memory.
bool kiln_sim_observe_launch_begin(kiln_sim_launch_t *launch);
void kiln_sim_observe_launch_end(kiln_sim_launch_t *launch);
bool kiln_sim_observe_thread_begin(kiln_sim_thread_t *thread);
void kiln_sim_observe_thread_end(kiln_sim_thread_t *thread);
bool kiln_sim_observe_group_begin(kiln_sim_thread_t *thread, kiln_sim_workgroup_t *group,
                                  kiln_sim_wave_t *waves);
void kiln_sim_observe_group_end(kiln_sim_thread_t *thread, kiln_sim_workgroup_t *group);
void kiln_sim_observe_group_free(kiln_sim_thread_t *thread, kiln_sim_workgroup_t *group);

// To those that watch the workgroup.
void kiln_sim_observe_instruction(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                  const kiln_sim_inst_t *as_run);
void kiln_sim_observe_executed(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                               const kiln_sim_inst_t *as_run);
void kiln_sim_observe_barrier(kiln_sim_wave_t *waves, unsigned count);
void kiln_sim_observe_limit(kiln_sim_wave_t *waves, unsigned count, kiln_sim_wave_t *busy);
void kiln_sim_observe_fault(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, int lane,
                            const char *what);

// ---- for handlers of memory instructions, if wave->thread->watch is set: they fill in the
// accesses, then report them

struct kiln_sim_watch {
    const kiln_sim_inst_t *inst; // executed by the loop; handlers may work on a copy
    // Memory handlers only report the accesses, for LDS only the lanes, and move no data
    // (decode/slice.h).
    bool moves_nothing;
    kiln_sim_dynamic_counts_t counted; // when the last access was reported
    uint64_t patterns;                 // likewise
    kiln_sim_accesses_t accesses;      // empty between two accesses
};

// Called at the start of a wave's turn: determines whether an observer wants its accesses.
void kiln_sim_watch_begin(kiln_sim_wave_t *wave);

// One part of an LDS access at address + offset, in 32 bits. `inside`: the lanes whose bytes are
// inside the workgroup's LDS.
void kiln_sim_watch_lds(kiln_sim_wave_t *wave, unsigned part, kiln_sim_access_t kind,
                        unsigned bytes, const uint32_t address[KILN_GFX942_LANES], uint32_t offset,
                        uint64_t lanes, uint64_t inside);
// The same without addresses, if no observer wants them.
void kiln_sim_watch_lds_lanes(kiln_sim_wave_t *wave, unsigned part, kiln_sim_access_t kind,
                              unsigned bytes, uint64_t lanes, uint64_t inside);
// One lane of an LDS access.
void kiln_sim_watch_lds_lane(kiln_sim_wave_t *wave, kiln_sim_access_t kind, unsigned bytes,
                             unsigned lane, uint32_t offset);
// The stores of a load directly to LDS, at lane * 4 + first.
void kiln_sim_watch_lds_row(kiln_sim_wave_t *wave, uint64_t first, uint64_t lanes);
// Device memory: lanes at base + offset, or at any addresses.
void kiln_sim_watch_span(kiln_sim_wave_t *wave, kiln_sim_access_t kind, unsigned bytes,
                         uint64_t base, const uint32_t offset[KILN_GFX942_LANES], uint64_t lanes);
void kiln_sim_watch_lanes(kiln_sim_wave_t *wave, kiln_sim_access_t kind, unsigned bytes,
                          const uint64_t at[KILN_GFX942_LANES], uint64_t lanes);
void kiln_sim_watch_scratch(kiln_sim_wave_t *wave, kiln_sim_access_t kind, unsigned bytes,
                            unsigned lane, uint32_t offset);
void kiln_sim_watch_scalar(kiln_sim_wave_t *wave, kiln_sim_access_t kind, uint64_t at,
                           unsigned dwords);

// Reports the accesses that were filled in.
void kiln_sim_watch_notify(kiln_sim_wave_t *wave);

#endif
