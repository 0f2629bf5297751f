// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clock's rules (clock.h): how they weigh instructions and describe their findings.
#ifndef KILN_CLI_CLOCK_RULES_H
#define KILN_CLI_CLOCK_RULES_H

#include "base/string.h"
#include "findings.h"
#include "kiln/jit.h"
#include "kiln/runtime.h"

// For each instruction the index of the first one of its class.
typedef struct kiln_clock_classes {
    size_t *loop, *source, *place, *name; // same loop; source line; loop, line and column; loop and
                                          // mnemonic
    unsigned *kinds;                      // of each instruction, KILN_INSTRUCTION_*
    // By the first instruction of a class.
    bool *has_matrix, *takes_lanes;          // of a loop; takes_lanes: one by one, for an atomic
    bool *mostly_counts;                     // of a loop
    bool *has_atomic, *has_order, *converts; // of a source line; converts: f64
    unsigned *atomic_column;                 // of a source line: of its last atomic
    bool *divides, *by_constant, *has_parts; // of a place
} kiln_clock_classes_t;

// Predicts the launch once more under a supposition. Of the prediction, findings use microseconds
// and infinity_cache_bytes.
typedef kiln_status_t kiln_clock_replayer_t(void *user, const kiln_sim_supposition_t *supposition,
                                            kiln_sim_prediction_t *prediction);

typedef struct kiln_clock_search {
    kiln_clock_replayer_t *replay;
    void *replay_user;
    const kiln_jit_kernel_t *code;      // NULL in a profile, which lacks its resources
    const char *kernel, *name, *source; // name and text of the source file
    kiln_sim_line_t *lines;             // the instructions
    size_t count;
    kiln_clock_classes_t classes;
    uint64_t wave_cycles;          // of all replayed waves
    bool has_dots;                 // has matrix instructions
    bool has_unpipelined;          // a finding reports a loop that is not pipelined
    kiln_sim_launch_stats_t stats; // workgroups, compute_units, and for findings of the compiler
                                   // workgroups_per_cu and waves_per_workgroup
    kiln_sim_prediction_t prediction;
    kiln_findings_t *findings;
} kiln_clock_search_t;

// Finds what the lines, stats and prediction show, and replays the launch. The caller frees
// search->classes, also after a failure.
kiln_status_t kiln_clock_search(kiln_clock_search_t *search);

#define KILN_MIN_REPORTED_GAIN 0.05 // gain as a fraction of the launch

// clock_places.c. Fills in file, line and column in the form of the compiler's diagnostics; finds
// the kernel's declaration in the source (its name before a parenthesis, since an instruction of
// the declaration may not exist); checks whether an instruction is on the finding's line.
void kiln_clock_set_place(const kiln_clock_search_t *search, const kiln_sim_line_t *line,
                          kiln_found_t *found);
void kiln_clock_set_declaration(const kiln_clock_search_t *search, kiln_found_t *found);
bool kiln_clock_is_at(const kiln_found_t *found, const kiln_sim_line_t *line);

// Returns the gain of another prediction, and the gain under a supposition.
kiln_gain_t kiln_clock_gain(const kiln_clock_search_t *search, const kiln_sim_prediction_t *then,
                            const char *without);
kiln_status_t kiln_clock_replay(const kiln_clock_search_t *search,
                                const kiln_sim_supposition_t *supposition, const char *without,
                                kiln_gain_t *out);
// clock_gains.c: the gains of the compiler's findings. clock_whole.c: findings of the launch as a
// whole.
kiln_status_t kiln_clock_add_gains(const kiln_clock_search_t *search);
kiln_status_t kiln_clock_find_whole(const kiln_clock_search_t *search);
// clock_repeats.c: loads that read again what the same wave has loaded before.
kiln_status_t kiln_clock_find_repeats(const kiln_clock_search_t *search);

typedef struct kiln_clock_rule {
    kiln_warning_id_t id;
    enum { KILN_CLOCK_BY_LINE, KILN_CLOCK_BY_LOOP } by;
    unsigned without; // KILN_SIM_WITHOUT_*
    // The cost of an instruction; 0: none. Weights are fractions of the sum of `whole` over all
    // instructions, or, if that is NULL, of the cycles of all waves.
    uint64_t (*weigh)(const kiln_clock_search_t *search, const kiln_sim_line_t *line);
    uint64_t (*whole)(const kiln_clock_search_t *search, const kiln_sim_line_t *line);
    // Describes the finding. `group` holds the instructions' indices.
    void (*see)(const kiln_clock_search_t *search, const size_t *group, size_t count,
                kiln_string_t *out);
    const char *(*advise)(const kiln_clock_search_t *search,
                          const kiln_sim_line_t *heaviest); // may be NULL
    const char *gain_without;
    bool is_bound;  // following the advice gains at most that
    unsigned every; // of a mnemonic, every n-th instruction keeps the cost; 0: none
    unsigned of;    // KILN_INSTRUCTION_*, only of these kinds; 0: of all
    // Whether following the advice leaves half of the cost, and what is assumed then; may be NULL.
    bool (*leaves_half)(const kiln_clock_search_t *search, const kiln_sim_line_t *heaviest);
    const char *half_without;
    // Of `without`, what cannot gain for a group; may be NULL.
    unsigned (*hidden)(const kiln_clock_search_t *search, const size_t *group, size_t count);
} kiln_clock_rule_t;

extern const kiln_clock_rule_t kiln_clock_rules[];
extern const size_t kiln_clock_rule_count;

// clock_classes.c. Classifies the instructions; after a failure, too, free the classes.
kiln_status_t kiln_clock_classify(kiln_clock_search_t *search);
void kiln_clock_classes_free(kiln_clock_classes_t *classes);
// Whether the instruction is of one of these kinds, KILN_INSTRUCTION_*.
bool kiln_clock_is(const kiln_clock_search_t *search, const kiln_sim_line_t *line, unsigned kinds);
// Whether the instruction's loop has matrix instructions of its own, and whether its source line
// and column have instructions of a division in that loop.
bool kiln_clock_has_matrix(const kiln_clock_search_t *search, const kiln_sim_line_t *line);
bool kiln_clock_divides(const kiln_clock_search_t *search, const kiln_sim_line_t *line);
// Whether that division is by a constant, of which LLVM has made a multiplication.
bool kiln_clock_divides_by_constant(const kiln_clock_search_t *search, const kiln_sim_line_t *line);
// Whether the instruction's source line has an atomic, and one that orders other accesses.
bool kiln_clock_has_atomic(const kiln_clock_search_t *search, const kiln_sim_line_t *line);
// Whether it is one of the atomic's instructions: those of the line have its column.
bool kiln_clock_is_of_atomic(const kiln_clock_search_t *search, const kiln_sim_line_t *line);
// Whether it is in a loop in which LLVM combines the values of an atomic's lanes, and whether it is
// one of the atomic's instructions there.
bool kiln_clock_has_lane_loop(const kiln_clock_search_t *search, const kiln_sim_line_t *line);
bool kiln_clock_combines_lanes(const kiln_clock_search_t *search, const kiln_sim_line_t *line);
bool kiln_clock_has_order(const kiln_clock_search_t *search, const kiln_sim_line_t *line);
// Whether the instruction's source line converts to or from f64.
bool kiln_clock_converts(const kiln_clock_search_t *search, const kiln_sim_line_t *line);
// Whether waves spend more than half of their time in its loop on the counter and branches.
bool kiln_clock_mostly_counts(const kiln_clock_search_t *search, const kiln_sim_line_t *line);
// Whether the instruction's place has wide accesses and, in a branch, narrow ones of the same
// bytes.
bool kiln_clock_has_parts(const kiln_clock_search_t *search, const kiln_sim_line_t *line);
// Whether the instruction's loop is in another one.
bool kiln_clock_is_nested(const kiln_clock_search_t *search, const kiln_sim_line_t *line);

#endif
