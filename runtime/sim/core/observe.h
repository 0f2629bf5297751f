// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens while a launch runs, as one stream of events, for whoever wants to watch: checks, traces, profiles, clocks.
//
// Idea: an observer is a table of callbacks. For each workgroup it is asked whether it watches this one; the waves of a
// workgroup that somebody watches run in a loop of their own, all others in the plain one, which knows nothing of
// observers. Handlers of memory instructions tell where their lanes reach when they have found out, and before any byte
// moves: nobody has to work it out a second time.
//
// What a reader gets wrong: an observer watches and takes no part. What it changes of a wave or of memory changes the
// program. And a launch that fails ends in the middle: instructions without `executed`, workgroups whose last event is
// their end.
//
// Threads: the callbacks of one workgroup come from one thread, in order; different workgroups may run at once, unless the
// observer is in_order. State of a launch, a thread and a workgroup is the observer's own: a pointer each, NULL at first,
// which the begin callbacks may set and the others are given.
#ifndef KILN_SIM_OBSERVE_H
#define KILN_SIM_OBSERVE_H

#include "core/machine.h"

// Where the lanes of one memory instruction reach. Lanes that are in no set access nothing.
typedef struct kiln_sim_accesses {
    // LDS: active lanes whose bytes lie inside, and their offsets; outside: active lanes beyond the workgroup's bytes. Two
    // parts: read2, write2 and the like. Device memory and LDS at once: FLAT by lane, and loads straight to LDS.
    uint8_t lds_parts, lds_bytes, lds_kind; // 0 parts: no LDS; kiln_sim_access_t
    uint64_t lds_lanes[2], lds_outside[2];
    uint32_t lds_at[2][KILN_SIM_LANES];
    // Device memory, and scratch: bytes of a lane; 0: neither.
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
    const uint8_t *format;                   // of a format access: bits of its four components; NULL: it is none
    uint64_t scratch_lanes;                  // and where their bytes begin in the lane's own scratch
    uint32_t scratch_at[KILN_SIM_LANES];
    // Scalar memory: dwords that are accessed, and where; in the two low bits is what the operands have there, and the
    // machine drops.
    uint64_t scalar_at;
    uint32_t scalar_dwords;
    // What the launch's statistics count for it (timing/cost.h).
    uint32_t lines64, lines128, lds_cycles;
    const kiln_sim_pattern_t *pattern; // of the lanes in device memory; NULL: there are none, or several
} kiln_sim_accesses_t;

typedef enum kiln_sim_interest {
    KILN_SIM_FAILS, // out of memory: the launch fails
    KILN_SIM_SKIPS, // the workgroup's events are not wanted
    KILN_SIM_WATCHES
} kiln_sim_interest_t;

// Any callback may be NULL. `user` is what the observer was registered with.
typedef struct kiln_sim_observer {
    bool in_order; // workgroups must run one after another, on one thread, in dispatch order
    bool thorough; // where a workgroup fails, those in front of it run to their end

    bool (*launch_begin)(void *user, const kiln_sim_launch_t *launch, void **state); // false: out of memory
    void (*launch_end)(void *user, const kiln_sim_launch_t *launch, void *state);
    bool (*thread_begin)(void *user, kiln_sim_thread_t *thread, void **state); // false: out of memory
    void (*thread_end)(void *user, kiln_sim_thread_t *thread, void *state);

    // The waves have their initial registers. *state is what the storage's last workgroup left there, or NULL. NULL callback:
    // all workgroups are watched.
    kiln_sim_interest_t (*group_begin)(void *user, kiln_sim_workgroup_t *group, kiln_sim_wave_t *waves, void **state);
    // It is over, or the launch has failed. Called also where it is not watched.
    void (*group_end)(void *user, kiln_sim_workgroup_t *group, void *state);
    // Its storage goes.
    void (*group_free)(void *user, kiln_sim_workgroup_t *group, void *state);

    // Before an instruction; `as_run` has the registers that M0 selects (else it is inst), and is NULL where MODE.VSKIP skips
    // it. wave->exec holds the active lanes, inst->footprint its registers and counters.
    void (*instruction)(void *user, kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const kiln_sim_inst_t *as_run);
    // In the middle of it: where it reaches memory, before a byte moves. Not for lanes that fault.
    void (*access)(void *user, kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const kiln_sim_accesses_t *accesses);
    // Behind it, in the opposite order of observers.
    void (*executed)(void *user, kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const kiln_sim_inst_t *as_run);

    // All waves that have not ended wait at a barrier, and are about to go on.
    void (*barrier)(void *user, kiln_sim_wave_t *waves, unsigned count);
    // `busy` has executed as many instructions as one wave may, or is in a loop that it will not leave.
    void (*limit)(void *user, kiln_sim_wave_t *waves, unsigned count, kiln_sim_wave_t *busy);
    // The launch fails here, with the reason: lane < 0: no lane in particular.
    void (*fault)(void *user, kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, int lane, const char *what);
} kiln_sim_observer_t;

// Puts an observer into a place of the machine, from its next launch on; table NULL: takes away who is there. The places are
// asked in order; those from KILN_SIM_PLACE_OTHERS on are free.
enum {
    KILN_SIM_PLACE_CHECKS,
    KILN_SIM_PLACE_TRACE,
    KILN_SIM_PLACE_PROFILE,
    KILN_SIM_PLACE_CLOCK,
    KILN_SIM_PLACE_ORDER,
    KILN_SIM_PLACE_OTHERS
};
void kiln_sim_machine_observe(kiln_sim_machine_t *machine, unsigned place, const kiln_sim_observer_t *table,
                              void *user);

// ---- for the machinery: each hands the event on to those who want it

// Of all observers of the machine. False: out of memory.
bool kiln_sim_observe_launch_begin(kiln_sim_launch_t *launch);
void kiln_sim_observe_launch_end(kiln_sim_launch_t *launch);
bool kiln_sim_observe_thread_begin(kiln_sim_thread_t *thread);
void kiln_sim_observe_thread_end(kiln_sim_thread_t *thread);
bool kiln_sim_observe_group_begin(kiln_sim_thread_t *thread, kiln_sim_workgroup_t *group, kiln_sim_wave_t *waves);
void kiln_sim_observe_group_end(kiln_sim_thread_t *thread, kiln_sim_workgroup_t *group);
void kiln_sim_observe_group_free(kiln_sim_thread_t *thread, kiln_sim_workgroup_t *group);

// Of those that watch the workgroup.
void kiln_sim_observe_instruction(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const kiln_sim_inst_t *as_run);
void kiln_sim_observe_executed(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const kiln_sim_inst_t *as_run);
void kiln_sim_observe_barrier(kiln_sim_wave_t *waves, unsigned count);
void kiln_sim_observe_limit(kiln_sim_wave_t *waves, unsigned count, kiln_sim_wave_t *busy);
void kiln_sim_observe_fault(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, int lane, const char *what);

// ---- for handlers of memory instructions, where wave->thread->watch is set: they fill what they know, and tell it

struct kiln_sim_watch {
    const kiln_sim_inst_t *inst; // that the loop executes; handlers may work on a copy
    // Memory handlers tell where lanes reach, of LDS only which lanes, and leave it at that (core/slice.h).
    bool moves_nothing;
    kiln_sim_dynamic_counts_t counted; // when the last access was told
    uint64_t patterns;                 // likewise
    kiln_sim_accesses_t accesses;      // empty between two
};

// A turn of the wave begins: it is found out whether anybody wants its accesses.
void kiln_sim_watch_begin(kiln_sim_wave_t *wave);

// One part of an access to LDS at address + offset, in 32 bits; `inside`: the lanes whose bytes are there.
void kiln_sim_watch_lds(kiln_sim_wave_t *wave, unsigned part, kiln_sim_access_t kind, unsigned bytes,
                        const uint32_t address[KILN_SIM_LANES], uint32_t offset, uint64_t lanes, uint64_t inside);
// The same without the addresses, where nobody wants to know them.
void kiln_sim_watch_lds_lanes(kiln_sim_wave_t *wave, unsigned part, kiln_sim_access_t kind, unsigned bytes,
                              uint64_t lanes, uint64_t inside);
// One lane of it.
void kiln_sim_watch_lds_lane(kiln_sim_wave_t *wave, kiln_sim_access_t kind, unsigned bytes, unsigned lane,
                             uint32_t offset);
// The stores of a load straight to LDS, at lane * 4 + first.
void kiln_sim_watch_lds_row(kiln_sim_wave_t *wave, uint64_t first, uint64_t lanes);
// Device memory: lanes at base + offset, or anywhere.
void kiln_sim_watch_span(kiln_sim_wave_t *wave, kiln_sim_access_t kind, unsigned bytes, uint64_t base,
                         const uint32_t offset[KILN_SIM_LANES], uint64_t lanes);
void kiln_sim_watch_lanes(kiln_sim_wave_t *wave, kiln_sim_access_t kind, unsigned bytes,
                          const uint64_t at[KILN_SIM_LANES], uint64_t lanes);
void kiln_sim_watch_scratch(kiln_sim_wave_t *wave, kiln_sim_access_t kind, unsigned bytes, unsigned lane,
                            uint32_t offset);
void kiln_sim_watch_scalar(kiln_sim_wave_t *wave, kiln_sim_access_t kind, uint64_t at, unsigned dwords);

// Hands on what has been filled.
void kiln_sim_watch_tell(kiln_sim_wave_t *wave);

#endif
