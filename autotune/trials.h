// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A search while it runs, and what it does with one candidate: trials.c tries, stores and recalls
// it; tune.c decides which are tried and ranks them.
#ifndef KILN_AUTOTUNE_TRIALS_H
#define KILN_AUTOTUNE_TRIALS_H

#include "base/hash.h"
#include "build.h"
#include "diagnostic_filter.h"
#include "held_clock.h"
#include "key.h"
#include "search.h"

// How many more registers than the best candidate one may keep in memory to be launched by a guided
// search.
enum { KILN_TRIALS_TOLERATED_SPILLS = 64 };

// The registers of a lane that are in memory: those that the allocator spills, or all of scratch.
static inline unsigned kiln_trials_spills(const kiln_resources_t *resources)
{
    const unsigned scratch = resources->scratch_bytes_per_lane / 4;
    return resources->vgpr_spills > scratch ? resources->vgpr_spills : scratch;
}

typedef struct kiln_trial {
    kiln_resources_t resources;
    kiln_cost_t cost;            // measured in this search; else all 0
    kiln_tune_record_t recalled; // owns strings
    kiln_hash_t launch;
    size_t index;
    bool is_launched;   // `launch` is set, and no earlier candidate has the same
    bool has_reason;    // the sample's reason is from malloc
    bool is_left_out;   // it was compiled and not launched, as it spills (trials.c)
    bool has_contended; // it was measured in turn with others, and `cost` is from before that
} kiln_trial_t;

struct kiln_tune_result {
    kiln_tune_sample_t *samples; // in the order of candidates; point into the arrays below
    kiln_trial_t *trials;
    kiln_tune_candidate_t *candidates;
    kiln_tune_sample_t *ranked;
    size_t count;
    kiln_cost_kind_t kind;
    bool lost_device;
};

typedef struct kiln_trials {
    const kiln_tune_problem_t *problem;
    kiln_tune_result_t *result;
    kiln_steps_t steps;
    kiln_tune_own_key_t own;
    kiln_tune_key_t key;      // of samples
    kiln_tune_store_t *store; // NULL: none, or it failed
    bool stores;              // writes to it, as it was not opened for reading only
    kiln_diagnostic_filter_t filter;
    char *kernel;
    bool *chosen, *skipped; // by candidate: in the round; not in it
    kiln_search_t *choice;
    size_t good, tried, planned;
    double begin_ms;
    bool is_over, is_interrupted;
    size_t current;                // candidate
    const kiln_trial_t *duplicate; // of the current candidate
    bool leaves_out;               // the current candidate
    kiln_held_clock_t *clock;      // NULL: none, or not needed yet
    kiln_cost_t fastest;           // the least measured cost of this search; else all 0
} kiln_trials_t;

// Compiles and evaluates a candidate: its sample has the verdict. Fails only for reasons that are
// not a property of the candidate.
kiln_status_t kiln_trials_try(kiln_trials_t *search, kiln_tune_builder_t *builder, size_t index);

// Stores a sample, unless it was left out: another search may try it.
kiln_status_t kiln_trials_put_sample(kiln_trials_t *search, size_t index);

// If it can report a warning, the search continues without its store. Takes the status.
kiln_status_t kiln_trials_disable_store(kiln_trials_t *search, kiln_status_t status);

// Takes the usable samples of all candidates from the store.
kiln_status_t kiln_trials_recall(kiln_trials_t *search);

// Notes that a candidate that was not executed is right, with this error, or why it is wrong (takes
// the status), and so are those with the same code.
kiln_status_t kiln_trials_confirm(kiln_trials_t *search, size_t index, double error);
kiln_status_t kiln_trials_refute(kiln_trials_t *search, size_t index, kiln_status_t why);

// Deletes unverified results of the candidates that were executed: they compute different results,
// and it is unknown which are right. Verified results had another reference, and stay.
kiln_status_t kiln_trials_doubt(kiln_trials_t *search);

// Stores the best of the ranked samples, and deletes stored results that are wrong.
kiln_status_t kiln_trials_remember(kiln_trials_t *search);

#endif
