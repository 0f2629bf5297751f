// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the checks share: footprints of instructions, shadow state of waves and workgroups, and findings.
//
// Registers have one number here: rows of the vector register file (0-511), then scalar registers by operand code.
//
// What a reader gets wrong: a footprint belongs to an instruction, not to its execution; which lanes take part is known
// only when it runs.
#ifndef KILN_SIM_CHECK_STATE_H
#define KILN_SIM_CHECK_STATE_H

#include "check/check.h"

enum { CHECK_SGPR = KILN_SIM_VGPR_ROWS, CHECK_REGISTERS = KILN_SIM_VGPR_ROWS + KILN_SIM_SGPR_COUNT };

// How an operand is used: bits, because rules name several at once.
enum {
    CHECK_READ_AB = 1 << 0,      // a source; of matrix instructions: A, B, or the indices
    CHECK_READ_C = 1 << 1,       // of matrix instructions: the accumulator
    CHECK_READ_DATA = 1 << 2,    // what a store or an atomic sends to memory
    CHECK_READ_ADDRESS = 1 << 3, // of memory instructions
    CHECK_READ_LANE = 1 << 4,    // a lane number, of v_readlane and v_writelane
    CHECK_READ_CROSS = 1 << 5,   // source 0 of v_readlane and v_readfirstlane
    CHECK_READ_MASK = 1 << 6,    // VCC of v_div_fmas
    CHECK_READS = 0x7f,
    CHECK_WRITE = 1 << 7,
    // Of use to the wait-state rules alone, beside one of the above or on a span of its own:
    CHECK_KEPT = 1 << 8, // a destination of which a part, or some lanes, keep what they were
    CHECK_DPP = 1 << 9,  // vector registers of a DPP instruction, but for what it writes
    CHECK_ZERO = 1 << 10 // VCC and EXEC, where VCCZ and EXECZ are read
};

typedef struct check_span {
    uint16_t first, role;
    uint8_t count;
} check_span_t;

// Counters that an instruction raises, and so the order in which it may finish.
typedef enum check_queue {
    CHECK_QUEUE_NONE,
    CHECK_QUEUE_VM,   // vmcnt, in order
    CHECK_QUEUE_LDS,  // lgkmcnt, in order
    CHECK_QUEUE_SMEM, // lgkmcnt, in any order
    CHECK_QUEUE_FLAT, // both, in any order
    CHECK_QUEUE_COUNT
} check_queue_t;

typedef struct check_footprint {
    bool known;
    uint8_t count;  // of spans; reads come first
    uint8_t queue;  // check_queue_t
    bool is_wait;   // s_waitcnt
    bool all_lanes; // reads its vector sources whatever EXEC says
    check_span_t spans[10];
    uint64_t clean_path;         // hazard: behind these instructions it is in order
    uint64_t produces, consumes; // rules of check/hazard.def in which it can take part
    bool is_matrix, is_xdl;
    uint8_t clause;      // check_clause_t
    uint8_t wait_states; // that issuing it takes
    uint8_t passes;      // of matrix instructions
    uint8_t lds_bytes;   // of one lane's access; 0: it is no access to LDS
    uint8_t lds_access;  // kiln_sim_access_t
    uint8_t lds_parts;   // 2: read2 and write2
    uint16_t lds_scale;  // of their offsets
    uint8_t lds_form;    // check/access.h: how lanes' addresses are formed
    bool crossbar;       // LDS instructions that only move values between lanes
    bool has_state;      // undefined: results are defined whatever the sources
    bool writes_part;    // undefined: may leave bytes or lanes of its destination as they were
    bool moves_relative; // registers picked by M0
    bool is_gws;
    bool spins;            // polls in a loop of its own
    uint8_t memory_bytes;  // of one lane's access to device memory that is followed; 0: none
    uint8_t memory_access; // kiln_sim_access_t
    bool is_format;        // its bytes are those of a data format
} check_footprint_t;

// Who has a register as the destination of a load that may not have returned.
typedef struct check_pending {
    const kiln_sim_inst_t *inst;
    uint64_t lanes;
    uint32_t ticket;
} check_pending_t;

// Past instructions that a hazard may start from.
enum { CHECK_PRODUCERS = 32, CHECK_MATRIX_WINDOW = 20, CHECK_PLAIN_WINDOW = 6, CHECK_PATH = 32 };

typedef struct check_producer {
    const kiln_sim_inst_t *inst;
    uint32_t clock; // behind it
} check_producer_t;

// Memory instructions that issue as one clause when they follow each other. check/clause.c.
typedef enum check_clause { CHECK_CLAUSE_NONE, CHECK_CLAUSE_SCALAR, CHECK_CLAUSE_VECTOR } check_clause_t;

enum { CHECK_CLAUSE_LENGTH = 19, CHECK_SHORT_CLAUSE = 5 };

// A load straight to LDS. check/direct.c.
typedef struct check_direct {
    const kiln_sim_inst_t *inst;
    uint64_t lanes; // that it writes
    uint32_t ticket;
    uint32_t at; // lane 0's place in LDS; the others follow, a dword each
} check_direct_t;

enum { CHECK_DIRECT = 64 }; // vmcnt counts no more

typedef struct check_wave {
    // hazard: the clock counts wait states.
    uint32_t clock, matrix_clock, producer_count;
    check_producer_t producers[CHECK_PRODUCERS];
    uint64_t path; // the latest CHECK_PATH instructions in one number
    uint32_t path_insts[CHECK_PATH], path_length;
    const kiln_sim_inst_t *clause[CHECK_CLAUSE_LENGTH]; // the latest instructions, where they are of one clause
    uint8_t clause_kind, clause_length;
    // wait: operations are numbered by queue; one is over when its number is not above `done`.
    uint32_t issued[CHECK_QUEUE_COUNT], done[CHECK_QUEUE_COUNT];
    const kiln_sim_inst_t *last;       // the latest instruction
    uint32_t flat_done[2];             // by vmcnt and by lgkmcnt
    uint32_t direct_count;             // of loads straight to LDS
    uint8_t queue_of[CHECK_REGISTERS]; // check_queue_t of the pending load, or none
    check_pending_t pending[CHECK_REGISTERS];
    check_direct_t direct[CHECK_DIRECT];
} check_wave_t;

struct check_race;

struct check_access;

struct kiln_sim_group_checks {
    struct check_race *race;  // NULL where that check is off, or there is no LDS
    uint8_t *lds_written;     // a mark for each byte that somebody has written; NULL where `undefined` is off
    uint8_t *scratch_written; // the same, lane by lane of each wave
    check_wave_t *waves;
    struct check_global_wave *global_waves; // by wave; NULL where `global-race` is off
    struct check_shadow *shadows;           // by wave; NULL where `undefined` is off
    kiln_sim_launch_t *launch;              // NULL before the first workgroup
    uint64_t index;                         // of the workgroup
    uint64_t told;                          // findings so far
    struct check_findings *findings;        // check/report.c; NULL where there are none
};

struct kiln_sim_thread_checks {
    check_footprint_t *footprints; // by kiln_sim_inst_t.index
    size_t footprint_count;
    struct check_access *access;   // of the instruction that is looked at
    struct check_trial *trial;     // check/undefined_compute.c
    bool packed_seen, packed_kept; // check/hazard.c: it was looked; most places keep a wait state
};

check_footprint_t *kiln_sim_check_footprint(kiln_sim_thread_t *thread, const kiln_sim_inst_t *inst);
// Fills a footprint from the decoded operands.
void kiln_sim_check_footprint_fill(check_footprint_t *footprint, const kiln_sim_inst_t *inst);

static inline check_wave_t *kiln_sim_check_wave(const kiln_sim_wave_t *wave)
{
    return &wave->group->checks->waves[wave->index];
}

// Prints a register's name: "v12", "a3", "s7", "vcc_lo".
void kiln_sim_check_register_name(unsigned number, char *text, size_t size);

// Notes a finding of a check (KILN_SIM_CHECK_INDEX_*) at inst; `other` is the other access or NULL; lane < 0: none in
// particular. The first at a place keeps its words, later ones are counted.
void kiln_sim_check_found(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const kiln_sim_inst_t *other, int lane,
                          unsigned check, const char *format, ...) __attribute__((format(printf, 6, 7), cold));

// When a workgroup is over: what it found joins what the launch found.
void kiln_sim_check_findings_end(struct kiln_sim_group_checks *group);

// check/wait.c
void kiln_sim_check_wait(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const check_footprint_t *footprint);

// check/direct.c. Behind kiln_sim_check_wait; of accesses to LDS.
void kiln_sim_check_direct(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const check_footprint_t *footprint,
                           const struct check_access *access);

// check/undefined.c
void kiln_sim_check_undefined(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const check_footprint_t *footprint,
                              const struct check_access *access);
void kiln_sim_check_undefined_begin(kiln_sim_wave_t *wave);
void kiln_sim_check_undefined_fill(check_footprint_t *footprint, const kiln_sim_inst_t *inst);
size_t kiln_sim_check_trial_size(void);

// check/memory.c. Here and below, access is NULL where an instruction's lanes access nothing that is followed.
void kiln_sim_check_memory(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const struct check_access *access);

// check/race.c. kiln_sim_check_race comes behind kiln_sim_check_wait, which numbers the operation.
struct check_race *kiln_sim_check_race_new(uint32_t lds_size, unsigned wave_count);
void kiln_sim_check_race_free(struct check_race *race);
void kiln_sim_check_race_begin(struct check_race *race);
void kiln_sim_check_race(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const check_footprint_t *footprint,
                         const struct check_access *access);
void kiln_sim_check_race_barrier(kiln_sim_workgroup_t *group);

// check/global.c: of a launch, and of a workgroup's waves.
struct check_global *kiln_sim_check_global_new(void);
void kiln_sim_check_global_free(struct check_global *global);
struct check_global_wave *kiln_sim_check_global_waves(unsigned count);
void kiln_sim_check_global_waves_free(struct check_global_wave *waves, unsigned count);
void kiln_sim_check_global_begin(struct check_global_wave *waves, uint64_t group, unsigned count);
void kiln_sim_check_global(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const check_footprint_t *footprint,
                           const struct check_access *access);
void kiln_sim_check_global_barrier(kiln_sim_workgroup_t *group);
// check/report.c: the launch's; NULL where `global-race` is off.
struct check_global *kiln_sim_launch_global(const kiln_sim_launch_t *launch);

// check/barrier.c: a wave that waits, while another has ended.
void kiln_sim_check_barrier(kiln_sim_wave_t *first_waiting, const kiln_sim_wave_t *ended);

// check/line.cpp: "file:line" of an address of the code object's file; "" where it has no line table.
#endif
