// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries one candidate of a search, and stores its sample.
//
// A wrong result is never ranked, however cheap. A candidate whose result was not computed, because
// the simulator's clock is `only`, is ranked. Of equal launches only the first is executed. A
// guided search does not launch candidates that keep many more registers in memory than the best
// one so far.
#include "trials.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "evaluate.h"
#include "store.h"

// Samples -----------------------------------------------------------------------------------------

// Records why a sample is rejected, and takes ownership of the status. False if the host's memory
// is exhausted, which is not a property of the candidate.
static bool reject(kiln_trials_t *search, size_t index, kiln_tune_verdict_t verdict,
                   kiln_status_t status)
{
    kiln_tune_sample_t *sample = &search->result->samples[index];
    char *reason =
        kiln_status_is_out_of_memory(status) ? NULL : strdup(kiln_status_message(status));
    kiln_status_free(status);
    sample->verdict = verdict;
    sample->reason = reason ? reason : "";
    search->result->trials[index].has_reason = reason != NULL;
    return reason != NULL;
}

// Costs of different kinds are not compared: the first correct candidate determines the kind.
static kiln_status_t check_kind(kiln_trials_t *search, kiln_cost_kind_t kind)
{
    if (search->good == 0)
        search->result->kind = kind;
    if (kind == search->result->kind)
        return KILN_OK;
    return kiln_status_make(
        KILN_STATUS_UNSUPPORTED,
        "its cost is in %s, which cannot be compared with the others' in %s: the simulator cannot "
        "predict the time of workgroups that wait for others",
        kiln_cost_kind_name(kind), kiln_cost_kind_name(search->result->kind));
}

// Copies the results of an earlier candidate with the same launch.
static kiln_status_t copy_duplicate(kiln_trials_t *search, size_t index)
{
    kiln_tune_sample_t *sample = &search->result->samples[index];
    const kiln_tune_sample_t *duplicate = &search->result->samples[search->duplicate->index];
    sample->same_as = duplicate->candidate;
    sample->verdict = duplicate->verdict;
    sample->cost = duplicate->cost;
    sample->error = duplicate->error;
    sample->bound = duplicate->bound;
    sample->clock_mhz = duplicate->clock_mhz;
    search->good += duplicate->verdict == KILN_TUNE_OK;
    if (duplicate->verdict == KILN_TUNE_OK)
        return KILN_OK;
    char *reason = strdup(duplicate->reason);
    if (!reason)
        return kiln_status_out_of_memory();
    sample->reason = reason;
    search->result->trials[index].has_reason = true;
    return KILN_OK;
}

static const kiln_trial_t *find_duplicate(const kiln_trials_t *search, kiln_hash_t launch)
{
    for (size_t i = 0; i < search->result->count; i++) {
        const kiln_trial_t *trial = &search->result->trials[i];
        if (trial->is_launched && trial->launch.low == launch.low &&
            trial->launch.high == launch.high)
            return trial;
    }
    return NULL;
}

static const kiln_trial_t *best_so_far(const kiln_trials_t *search)
{
    const kiln_tune_result_t *result = search->result;
    size_t best = result->count;
    for (size_t i = 0; i < result->count; i++)
        if (result->samples[i].verdict == KILN_TUNE_OK && result->samples[i].cost > 0 &&
            (best == result->count || result->samples[i].cost < result->samples[best].cost))
            best = i;
    return best < result->count ? &result->trials[best] : NULL;
}

// Whether a guided search need not launch the current candidate. One with more waves on a SIMD than
// the best may spill for their sake.
static bool must_be_slow(const kiln_trials_t *search)
{
    const kiln_trial_t *best = best_so_far(search);
    const kiln_resources_t *own = &search->result->trials[search->current].resources;
    return search->problem->strategy == KILN_TUNE_GUIDED && best &&
           own->occupancy <= best->resources.occupancy &&
           kiln_trials_spills(own) >
               kiln_trials_spills(&best->resources) + KILN_TRIALS_TOLERATED_SPILLS;
}

// Whether the compiled candidate is not launched.
static bool is_settled(kiln_hash_t launch, void *user)
{
    kiln_trials_t *search = user;
    search->duplicate = find_duplicate(search, launch);
    search->leaves_out = !search->duplicate && must_be_slow(search);
    return search->duplicate || search->leaves_out;
}

static kiln_status_t leave_out(kiln_trials_t *search, size_t index)
{
    const kiln_tune_result_t *result = search->result;
    const kiln_trial_t *best = best_so_far(search);
    kiln_status_t why = kiln_status_make(
        KILN_STATUS_UNSUPPORTED,
        "not launched: it keeps %u registers in memory, and the best one so far, %s, %u",
        kiln_trials_spills(&result->trials[index].resources),
        result->candidates[best - result->trials].config, kiln_trials_spills(&best->resources));
    search->result->trials[index].is_left_out = true;
    return reject(search, index, KILN_TUNE_REJECTED, why) ? KILN_OK : kiln_status_out_of_memory();
}

// A measurement may end early if it is slower than the cheapest one of this search.
static void note_cost(kiln_trials_t *search, kiln_trial_t *trial, const kiln_cost_t *cost)
{
    if (cost->kind != KILN_COST_MEASURED_NANOSECONDS)
        return;
    trial->cost = *cost;
    if (search->fastest.timed == 0 || cost->value < search->fastest.value)
        search->fastest = *cost;
}

static kiln_status_t evaluate(kiln_trials_t *search, size_t index, const kiln_tune_build_t *build)
{
    kiln_tune_sample_t *sample = &search->result->samples[index];
    kiln_trial_t *trial = &search->result->trials[index];
    kiln_tune_finding_t finding;
    search->current = index;
    search->duplicate = NULL;
    search->leaves_out = false;
    kiln_status_t status =
        kiln_tune_evaluate(search->problem, sample->candidate, build->kernels, build->count,
                           search->fastest.slowest, search->clock, is_settled, search, &finding);
    search->result->lost_device |= finding.is_lost;
    if (search->duplicate) {
        trial->launch = finding.launch;
        return copy_duplicate(search, index);
    }
    if (search->leaves_out)
        return leave_out(search, index);
    trial->launch = finding.launch;
    trial->is_launched = finding.launch.low || finding.launch.high;
    sample->cost = finding.cost.value;
    sample->error = finding.error;
    sample->bound = finding.cost.bound ? finding.cost.bound : "";
    sample->clock_mhz = finding.cost.clock_mhz;
    if (!status)
        status = check_kind(search, finding.cost.kind);
    if (!status) {
        note_cost(search, trial, &finding.cost);
        search->good++;
        return KILN_OK;
    }
    return reject(search, index,
                  kiln_status_code(status) == KILN_STATUS_MISMATCH ? KILN_TUNE_WRONG
                                                                   : KILN_TUNE_REJECTED,
                  status)
               ? KILN_OK
               : kiln_status_out_of_memory();
}

// No call would find a result without the kernel's name.
static kiln_status_t name_kernel(kiln_trials_t *search, const kiln_kernel_t *kernel)
{
    if (kiln_steps_is_sequence(&search->steps))
        return kiln_steps_name(&search->steps, &search->kernel);
    search->kernel = strdup(kiln_kernel_name(kernel));
    return search->kernel ? KILN_OK : kiln_status_out_of_memory();
}

kiln_status_t kiln_trials_try(kiln_trials_t *search, kiln_tune_builder_t *builder, size_t index)
{
    kiln_tune_sample_t *sample = &search->result->samples[index];
    kiln_tune_build_t build;
    KILN_TRY(kiln_tune_builder_take(builder, index, &build));
    kiln_status_t status = search->problem->diagnostic
                               ? kiln_diagnostic_filter_replay(&search->filter, build.diagnostics)
                               : KILN_OK;
    sample->compile_ms = build.compile_ms;
    if (!status && build.kernels) {
        search->result->trials[index].resources =
            kiln_steps_resources(build.kernels, build.count, &sample->stages_made);
        if (!search->kernel)
            status = name_kernel(search, build.kernels[0]);
        if (!status)
            status = evaluate(search, index, &build);
    } else if (!status) {
        if (!reject(search, index, KILN_TUNE_REJECTED, build.failure))
            status = kiln_status_out_of_memory();
        build.failure = KILN_OK;
    }
    kiln_tune_build_free(&build);
    return status;
}

// Later verdicts ----------------------------------------------------------------------------------

static bool has_code_of(const kiln_trials_t *search, size_t index, size_t other)
{
    const kiln_tune_result_t *result = search->result;
    return other == index || result->samples[other].same_as == &result->candidates[index];
}

kiln_status_t kiln_trials_confirm(kiln_trials_t *search, size_t index, double error)
{
    for (size_t i = 0; i < search->result->count; i++) {
        if (!has_code_of(search, index, i))
            continue;
        search->result->samples[i].error = error;
        KILN_TRY(kiln_trials_put_sample(search, i));
    }
    return KILN_OK;
}

kiln_status_t kiln_trials_refute(kiln_trials_t *search, size_t index, kiln_status_t why)
{
    kiln_status_t status = KILN_OK;
    for (size_t i = 0; i < search->result->count && !status; i++) {
        if (!has_code_of(search, index, i))
            continue;
        kiln_status_t copy = kiln_status_make(KILN_STATUS_MISMATCH, "%s", kiln_status_message(why));
        status = reject(search, i, KILN_TUNE_WRONG, copy) ? kiln_trials_put_sample(search, i)
                                                          : kiln_status_out_of_memory();
        search->good--;
    }
    kiln_status_free(why);
    return status;
}

// The store ---------------------------------------------------------------------------------------

// If it can report a warning, the search continues without its store.
kiln_status_t kiln_trials_disable_store(kiln_trials_t *search, kiln_status_t status)
{
    const kiln_tune_problem_t *problem = search->problem;
    if (kiln_status_code(status) != KILN_STATUS_IO || !problem->diagnostic)
        return status;
    char *text = kiln_status_format(status);
    const kiln_diagnostic_t warning = {.severity = KILN_SEVERITY_WARNING,
                                       .message = text ? text : kiln_status_message(status)};
    problem->diagnostic(&warning, problem->diagnostic_user);
    free(text);
    kiln_status_free(status);
    search->store = NULL;
    search->stores = false;
    return KILN_OK;
}

kiln_status_t kiln_trials_put_sample(kiln_trials_t *search, size_t index)
{
    const kiln_tune_sample_t *sample = &search->result->samples[index];
    const kiln_trial_t *trial = &search->result->trials[index];
    char launch[33] = "";
    if (!search->stores || trial->is_left_out)
        return KILN_OK;
    if (trial->launch.low || trial->launch.high)
        kiln_hash_format(trial->launch, launch);
    const kiln_tune_record_t record = {
        .struct_size = sizeof record,
        .key = search->key,
        .code = kiln_code_id(),
        .config = sample->candidate->config,
        .kind = search->result->kind,
        .cost = sample->verdict == KILN_TUNE_OK ? sample->cost : 0,
        .trust = sample->verdict == KILN_TUNE_OK && !isnan(sample->error) ? KILN_TUNE_VERIFIED
                                                                          : KILN_TUNE_UNVERIFIED,
        .symbol = search->kernel ? search->kernel : "",
        .conditions = search->problem->conditions,
        .verdict = sample->verdict,
        .reason = sample->reason,
        .bound = sample->bound,
        .error = sample->error,
        .compile_ms = sample->compile_ms,
        .resources = trial->resources,
        .stages_made = sample->stages_made,
        .launch = launch,
        .time = (int64_t)time(NULL),
        .clock_mhz = sample->clock_mhz};
    kiln_status_t status = kiln_store_put_sample(search->store, &record);
    return status ? kiln_trials_disable_store(search, status) : KILN_OK;
}

// Takes a sample of the store if it is usable. A candidate that was found wrong is tried again,
// since the reference may have changed.
static kiln_status_t recall(kiln_trials_t *search, size_t index, const kiln_tune_record_t *row)
{
    kiln_trial_t *trial = &search->result->trials[index];
    kiln_tune_sample_t *sample = &search->result->samples[index];
    if (row->verdict == KILN_TUNE_OK) {
        kiln_status_t other = check_kind(search, row->kind);
        kiln_status_free(other);
        if (other)
            return KILN_OK;
        search->good++;
    } else if (row->verdict != KILN_TUNE_REJECTED &&
               !(row->verdict == KILN_TUNE_WRONG &&
                 search->problem->recall == KILN_TUNE_RECALL_WRONG)) {
        return KILN_OK;
    }
    if (!search->kernel && *row->symbol && !(search->kernel = strdup(row->symbol)))
        return kiln_status_out_of_memory();
    KILN_TRY(kiln_store_sample_copy(row, &trial->recalled));
    trial->resources = row->resources;
    sample->verdict = row->verdict;
    sample->reason = trial->recalled.reason;
    sample->bound = trial->recalled.bound;
    sample->cost = row->cost;
    sample->error = row->error;
    sample->compile_ms = row->compile_ms;
    sample->stages_made = row->stages_made;
    sample->clock_mhz = row->clock_mhz;
    sample->is_recalled = true;
    return KILN_OK;
}

typedef struct recall_state {
    kiln_trials_t *search;
    size_t *by_config; // candidates in the order of their configurations; NULL before the first row
} recall_state_t;

static int by_config(const void *a, const void *b, void *user)
{
    const kiln_tune_candidate_t *candidates = user;
    return strcmp(candidates[*(const size_t *)a].config, candidates[*(const size_t *)b].config);
}

static kiln_status_t recall_row(const kiln_tune_record_t *row, void *user)
{
    recall_state_t *state = user;
    const kiln_tune_result_t *result = state->search->result;
    if (!state->by_config) {
        if (!(state->by_config = malloc((result->count + 1) * sizeof *state->by_config)))
            return kiln_status_out_of_memory();
        for (size_t i = 0; i < result->count; i++)
            state->by_config[i] = i;
        qsort_r(state->by_config, result->count, sizeof *state->by_config, by_config,
                result->candidates);
    }
    for (size_t low = 0, high = result->count; low < high;) {
        const size_t middle = low + (high - low) / 2, index = state->by_config[middle];
        const int order = strcmp(row->config, result->candidates[index].config);
        if (order == 0)
            return recall(state->search, index, row);
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return KILN_OK;
}

kiln_status_t kiln_trials_recall(kiln_trials_t *search)
{
    recall_state_t state = {.search = search};
    kiln_status_t status = kiln_store_find_samples(search->store, &search->key,
                                                   search->problem->conditions, recall_row, &state);
    free(state.by_config);
    return status;
}

kiln_status_t kiln_trials_doubt(kiln_trials_t *search)
{
    const kiln_tune_result_t *result = search->result;
    kiln_tune_key_t key = search->key;
    key.kernel = search->kernel;
    for (size_t i = 0; i < result->count; i++)
        if (result->samples[i].verdict == KILN_TUNE_OK ||
            result->samples[i].verdict == KILN_TUNE_WRONG)
            KILN_TRY(kiln_store_doubt(search->store, &key, result->samples[i].candidate->config));
    return KILN_OK;
}

// Stores the best result and deletes stored results that this search found wrong, even if no
// candidate is right. A new cost of the stored configuration replaces its old one.
kiln_status_t kiln_trials_remember(kiln_trials_t *search)
{
    const kiln_tune_result_t *result = search->result;
    const kiln_tune_sample_t *best = result->ranked;
    kiln_tune_key_t key = search->key;
    char *stored = NULL;
    kiln_cost_kind_t kind;
    double cost;
    key.kernel = search->kernel;
    for (size_t i = 0; i < result->count; i++)
        if (result->ranked[i].verdict == KILN_TUNE_WRONG)
            KILN_TRY(
                kiln_tune_store_reject(search->store, &key, result->ranked[i].candidate->config));
    kiln_status_t status = kiln_tune_store_get(search->store, &key, &stored, &kind, &cost);
    if (kiln_status_code(status) == KILN_STATUS_NOT_FOUND) {
        kiln_status_free(status);
        status = KILN_OK;
    }
    for (size_t i = 0; i < result->count && stored && !status; i++) {
        const kiln_tune_sample_t *sample = &result->ranked[i];
        if (sample->verdict == KILN_TUNE_OK && strcmp(sample->candidate->config, stored) == 0)
            status = kiln_tune_store_put(search->store, &key, stored, result->kind, sample->cost,
                                         isnan(sample->error) ? KILN_TUNE_UNVERIFIED
                                                              : KILN_TUNE_VERIFIED);
    }
    free(stored);
    if (status || best->verdict != KILN_TUNE_OK)
        return status;
    return kiln_tune_store_put(search->store, &key, best->candidate->config, result->kind,
                               best->cost,
                               isnan(best->error) ? KILN_TUNE_UNVERIFIED : KILN_TUNE_VERIFIED);
}
