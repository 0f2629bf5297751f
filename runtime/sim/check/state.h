// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State that the checks share: facts about instructions, shadow state of waves and workgroups, and
// findings.
//
// All of it is attached to launches, host threads and workgroups in the slots of observers
// (run/observe.h). A workgroup's storage, with its shadow state, is reused for the next one.
#ifndef KILN_SIM_CHECK_STATE_H
#define KILN_SIM_CHECK_STATE_H

#include "check/check.h"

typedef struct check_facts {
    bool known;
    const kiln_sim_footprint_t *uses; // its registers
    uint64_t clean_path;              // hazard: no finding after this sequence of instructions
    uint64_t produces, consumes;      // rules of check/hazard.def in which it can take part
    bool is_matrix, is_xdl;
    uint8_t clause;      // check_clause_t
    uint8_t passes;      // of matrix instructions
    bool has_state;      // undefined: results are defined whatever the sources
    bool writes_part;    // undefined: may leave bytes or lanes of its destination unchanged
    bool moves_relative; // registers are selected by M0
    bool is_gws;
    bool spins; // polls in a loop
} check_facts_t;

// The outstanding load whose destination a register is.
typedef struct check_pending {
    const kiln_sim_inst_t *inst;
    uint64_t lanes;
    uint32_t ticket;
} check_pending_t;

// Past instructions that can be the producer of a hazard.
enum { CHECK_PRODUCERS = 32, CHECK_MATRIX_WINDOW = 20, CHECK_PLAIN_WINDOW = 6, CHECK_PATH = 32 };

typedef struct check_producer {
    const kiln_sim_inst_t *inst;
    uint32_t clock; // after it
} check_producer_t;

// Kinds of memory instructions that issue as one clause when consecutive. check/clause.c.
typedef enum check_clause {
    CHECK_CLAUSE_NONE,
    CHECK_CLAUSE_SCALAR,
    CHECK_CLAUSE_VECTOR
} check_clause_t;

enum { CHECK_CLAUSE_LENGTH = 19, CHECK_SHORT_CLAUSE = 5 };

// A direct load to LDS. check/direct.c.
typedef struct check_direct {
    const kiln_sim_inst_t *inst;
    uint64_t lanes; // that it writes
    uint32_t ticket;
    uint32_t at; // LDS address of lane 0; the others follow, one dword each
} check_direct_t;

enum { CHECK_DIRECT = 64 }; // maximum of vmcnt

typedef struct check_wave {
    // hazard: `clock` counts wait states.
    uint32_t clock, matrix_clock, producer_count;
    check_producer_t producers[CHECK_PRODUCERS];
    uint64_t path; // hash of the latest CHECK_PATH instructions
    uint32_t path_insts[CHECK_PATH], path_length;
    const kiln_sim_inst_t
        *clause[CHECK_CLAUSE_LENGTH]; // the latest instructions, if they form a clause
    uint8_t clause_kind, clause_length;
    // wait: operations are numbered per queue and complete if their number is at most `done`.
    uint32_t issued[KILN_SIM_QUEUE_COUNT], done[KILN_SIM_QUEUE_COUNT];
    const kiln_sim_inst_t *last;          // the latest instruction
    uint32_t flat_done[2];                // by vmcnt and by lgkmcnt
    uint32_t direct_count;                // number of direct loads to LDS
    uint8_t queue_of[KILN_SIM_REGISTERS]; // kiln_sim_queue_t of the pending load, or none
    check_pending_t pending[KILN_SIM_REGISTERS];
    check_direct_t direct[CHECK_DIRECT];
} check_wave_t;

struct check_race;
struct check_alias;

struct kiln_sim_group_checks {
    struct check_race *race;  // NULL if that check is off, or without LDS
    uint8_t *lds_written;     // a mark for each written byte; NULL if `undefined` is off
    uint8_t *scratch_written; // likewise, by wave and lane
    check_wave_t *waves;
    struct check_global_wave *global_waves; // by wave; NULL if `global-race` is off
    struct check_alias_wave *alias_waves;   // by wave; NULL if kiln_sim_launch_alias is
    struct check_shadow *shadows;           // by wave; NULL if `undefined` is off
    const kiln_sim_launch_t *launch;
    uint64_t index;                  // of the workgroup
    uint64_t finding_count;          // number of findings
    struct check_findings *findings; // check/report.c; NULL if there are none
};

struct kiln_sim_thread_checks {
    check_facts_t *facts; // by kiln_sim_inst_t.index
    size_t fact_count;
    struct check_trial *trial;     // check/undefined_compute.c
    bool packed_seen, packed_kept; // check/hazard.c; seen: kept is valid
};

static inline struct kiln_sim_launch_checks *kiln_sim_check_launch(const kiln_sim_launch_t *launch)
{
    return launch->observed[KILN_SIM_PLACE_CHECKS];
}

static inline struct kiln_sim_thread_checks *kiln_sim_check_thread(const kiln_sim_thread_t *thread)
{
    return thread->observed[KILN_SIM_PLACE_CHECKS];
}

static inline struct kiln_sim_group_checks *kiln_sim_check_group(const kiln_sim_workgroup_t *group)
{
    return group->observed[KILN_SIM_PLACE_CHECKS];
}

// check/facts.c
void kiln_sim_check_facts_fill(check_facts_t *facts, const kiln_sim_inst_t *inst,
                               const kiln_sim_footprint_t *uses);
check_facts_t *kiln_sim_check_facts_recompute(struct kiln_sim_thread_checks *checks,
                                              const kiln_sim_inst_t *inst);

// The facts of an instruction of the program; NULL if memory is exhausted.
static inline check_facts_t *kiln_sim_check_facts(kiln_sim_thread_t *thread,
                                                  const kiln_sim_inst_t *inst)
{
    struct kiln_sim_thread_checks *c = kiln_sim_check_thread(thread);
    bool known = inst->index < c->fact_count && c->facts[inst->index].known;
    return known ? &c->facts[inst->index] : kiln_sim_check_facts_recompute(c, inst);
}

static inline check_wave_t *kiln_sim_check_wave(const kiln_sim_wave_t *wave)
{
    return &kiln_sim_check_group(wave->group)->waves[wave->index];
}

// Adds a finding of a check (KILN_SIM_CHECK_INDEX_*) at inst. `other` is the other access or NULL;
// lane is -1 if none is to blame. The first finding at a location determines the message; later
// ones are counted.
void kiln_sim_check_found(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                          const kiln_sim_inst_t *other, int lane, unsigned check,
                          const char *format, ...) __attribute__((format(printf, 6, 7), cold));

// Called at the end of a workgroup: joins its findings to the launch's.
void kiln_sim_check_findings_end(struct kiln_sim_group_checks *group);

// check/report.c: the observer's functions for launches.
bool kiln_sim_checks_begin(void *user, const kiln_sim_launch_t *launch, void **state);
void kiln_sim_checks_end(void *user, const kiln_sim_launch_t *launch, void *state);

// check/wait.c
void kiln_sim_check_wait(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                         const check_facts_t *facts);

// check/direct.c. For accesses to LDS; call it after kiln_sim_check_wait.
void kiln_sim_check_direct(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                           const check_facts_t *facts, const kiln_sim_accesses_t *access);

// check/undefined.c: before an instruction, and when it accesses memory.
void kiln_sim_check_undefined(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                              const check_facts_t *facts);
void kiln_sim_check_undefined_memory(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                     const kiln_sim_accesses_t *access);
void kiln_sim_check_undefined_begin(kiln_sim_wave_t *wave);
void kiln_sim_check_undefined_fill(check_facts_t *facts, const kiln_sim_inst_t *inst);
size_t kiln_sim_check_trial_size(void);

// check/memory.c
void kiln_sim_check_fault(void *user, kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, int lane,
                          const char *what);
void kiln_sim_check_memory(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                           const kiln_sim_accesses_t *access);

// check/race.c. Call kiln_sim_check_race after kiln_sim_check_wait, which numbers the operation.
struct check_race *kiln_sim_check_race_new(uint32_t lds_size, unsigned wave_count);
void kiln_sim_check_race_free(struct check_race *race);
void kiln_sim_check_race_begin(struct check_race *race);
void kiln_sim_check_race(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                         const check_facts_t *facts, const kiln_sim_accesses_t *access);
void kiln_sim_check_race_barrier(kiln_sim_workgroup_t *group);

// check/global.c: state of a launch, and of a workgroup's waves.
struct check_global *kiln_sim_check_global_new(void);
void kiln_sim_check_global_free(struct check_global *global);
struct check_global_wave *kiln_sim_check_global_waves(unsigned count);
void kiln_sim_check_global_waves_free(struct check_global_wave *waves, unsigned count);
void kiln_sim_check_global_begin(struct check_global_wave *waves, uint64_t group, unsigned count);
void kiln_sim_check_global(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                           const check_facts_t *facts);
void kiln_sim_check_global_access(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                  const kiln_sim_accesses_t *access);
void kiln_sim_check_global_barrier(kiln_sim_workgroup_t *group);
// check/report.c: the launch's state; NULL if `global-race` is off.
struct check_global *kiln_sim_launch_global(const kiln_sim_launch_t *launch);

// check/alias.c: state of a launch, and of a workgroup's waves. False if memory is exhausted. *out
// is NULL if no two arguments point into one allocation.
bool kiln_sim_check_alias_new(const kiln_sim_launch_t *launch, struct check_alias **out);
void kiln_sim_check_alias_free(struct check_alias *alias);
struct check_alias_wave *kiln_sim_check_alias_waves(unsigned count);
void kiln_sim_check_alias_begin(const kiln_sim_launch_t *launch, struct check_alias_wave *waves,
                                unsigned count);
void kiln_sim_check_alias(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                          const kiln_sim_footprint_t *uses);
void kiln_sim_check_alias_access(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                 const kiln_sim_accesses_t *access);
// check/report.c: creates the launch's state when its one thread begins, since the arguments are
// available only then. False if memory is exhausted.
bool kiln_sim_launch_alias_begin(const kiln_sim_launch_t *launch);
// The launch's state; NULL if `alias` is off or no arguments share an allocation.
struct check_alias *kiln_sim_launch_alias(const kiln_sim_launch_t *launch);

// check/barrier.c: for a wave that waits after another has ended.
void kiln_sim_check_barrier(kiln_sim_wave_t *first_waiting, const kiln_sim_wave_t *ended);

// Called when a workgroup waits at a barrier and one of its waves has reached the limit of
// instructions.
void kiln_sim_check_barrier_stuck(const kiln_sim_wave_t *waves, unsigned count,
                                  kiln_sim_wave_t *busy);
#endif
