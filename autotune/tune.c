// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search: takes candidates in rounds that search.c chooses, within a round in order while other
// threads compile ahead, and stores each sample before it continues.
//
// A wrong result is never ranked, however cheap. A candidate whose result was not computed, because
// the simulator's clock is `only`, is ranked. Of equal launches only the first is executed.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/require.h"
#include "build.h"
#include "contend.h"
#include "estimates.h"
#include "evaluate.h"
#include "group.h"
#include "key.h"
#include "problem.h"
#include "search.h"
#include "space.h"
#include "store.h"
#include "tell.h"

typedef struct trial {
    kiln_resources_t resources;
    kiln_cost_t cost;            // measured in this search; else all 0
    kiln_tune_record_t recalled; // owns strings
    kiln_hash_t launch;
    size_t index;
    bool is_launched; // `launch` is set, and no earlier candidate has the same
    bool has_reason;  // the sample's reason is from malloc
} trial_t;

struct kiln_tune_result {
    kiln_tune_sample_t *samples; // in the order of candidates; point into the arrays below
    trial_t *trials;
    kiln_tune_candidate_t *candidates;
    kiln_tune_sample_t *ranked;
    size_t count;
    kiln_cost_kind_t kind;
    bool lost_device;
};

typedef struct search {
    const kiln_tune_problem_t *problem;
    kiln_tune_result_t *result;
    kiln_steps_t steps;
    kiln_tune_own_key_t own;
    kiln_tune_key_t key;      // of samples
    kiln_tune_store_t *store; // NULL: none, or it failed
    kiln_teller_t teller;
    char *kernel;
    bool *chosen, *skipped; // by candidate: in the round; not in it
    kiln_search_t *choice;
    size_t good, tried, planned;
    double begin_ms;
    bool is_over, is_interrupted;
    const trial_t *twin; // of the current candidate
    kiln_cost_t rival;   // the least measured cost of this search; else all 0
} search_t;

// Samples -----------------------------------------------------------------------------------------

// Records why a sample is rejected, and takes ownership of the status. False if the host's memory
// is exhausted, which is not a property of the candidate.
static bool reject(search_t *search, size_t index, kiln_tune_verdict_t verdict,
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
static kiln_status_t check_kind(search_t *search, kiln_cost_kind_t kind)
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
static kiln_status_t copy_twin(search_t *search, size_t index)
{
    kiln_tune_sample_t *sample = &search->result->samples[index];
    const kiln_tune_sample_t *twin = &search->result->samples[search->twin->index];
    sample->same_as = twin->candidate;
    sample->verdict = twin->verdict;
    sample->cost = twin->cost;
    sample->error = twin->error;
    sample->bound = twin->bound;
    search->good += twin->verdict == KILN_TUNE_OK;
    if (twin->verdict == KILN_TUNE_OK)
        return KILN_OK;
    char *reason = strdup(twin->reason);
    if (!reason)
        return kiln_status_out_of_memory();
    sample->reason = reason;
    search->result->trials[index].has_reason = true;
    return KILN_OK;
}

static bool find_twin(kiln_hash_t launch, void *user)
{
    search_t *search = user;
    search->twin = NULL;
    for (size_t i = 0; i < search->result->count && !search->twin; i++) {
        const trial_t *trial = &search->result->trials[i];
        if (trial->is_launched && trial->launch.low == launch.low &&
            trial->launch.high == launch.high)
            search->twin = trial;
    }
    return search->twin != NULL;
}

// A measurement may end early if it is slower than the cheapest one of this search.
static void note_cost(search_t *search, trial_t *trial, const kiln_cost_t *cost)
{
    if (cost->kind != KILN_COST_MEASURED_NANOSECONDS)
        return;
    trial->cost = *cost;
    if (search->rival.timed == 0 || cost->value < search->rival.value)
        search->rival = *cost;
}

static kiln_status_t evaluate(search_t *search, size_t index, const kiln_tune_build_t *build)
{
    kiln_tune_sample_t *sample = &search->result->samples[index];
    trial_t *trial = &search->result->trials[index];
    kiln_tune_finding_t finding;
    search->twin = NULL;
    kiln_status_t status =
        kiln_tune_evaluate(search->problem, sample->candidate, build->kernels, build->count,
                           search->rival.slowest, find_twin, search, &finding);
    search->result->lost_device |= finding.is_lost;
    if (search->twin) {
        trial->launch = finding.launch;
        return copy_twin(search, index);
    }
    trial->launch = finding.launch;
    trial->is_launched = finding.launch.low || finding.launch.high;
    sample->cost = finding.cost.value;
    sample->error = finding.error;
    sample->bound = finding.cost.bound ? finding.cost.bound : "";
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
static kiln_status_t name_kernel(search_t *search, const kiln_kernel_t *kernel)
{
    if (kiln_steps_is_sequence(&search->steps))
        return kiln_steps_name(&search->steps, &search->kernel);
    search->kernel = strdup(kiln_kernel_name(kernel));
    return search->kernel ? KILN_OK : kiln_status_out_of_memory();
}

static kiln_status_t try_candidate(search_t *search, kiln_tune_builder_t *builder, size_t index)
{
    kiln_tune_sample_t *sample = &search->result->samples[index];
    kiln_tune_build_t build;
    KILN_TRY(kiln_tune_builder_take(builder, index, &build));
    kiln_status_t status =
        search->problem->diagnostic ? kiln_tell_new(&search->teller, build.told) : KILN_OK;
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

// The store ---------------------------------------------------------------------------------------

// If it can report a warning, the search continues without its store.
static kiln_status_t lose_store(search_t *search, kiln_status_t status)
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
    return KILN_OK;
}

static kiln_status_t put_sample(search_t *search, size_t index)
{
    const kiln_tune_sample_t *sample = &search->result->samples[index];
    const trial_t *trial = &search->result->trials[index];
    char launch[33] = "";
    if (!search->store)
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
        .time = (int64_t)time(NULL)};
    kiln_status_t status = kiln_store_put_sample(search->store, &record);
    return status ? lose_store(search, status) : KILN_OK;
}

// Takes a usable sample from the store if there is one. A candidate that was found wrong is tried
// again, since the reference may have changed.
static kiln_status_t recall(search_t *search, size_t index)
{
    trial_t *trial = &search->result->trials[index];
    kiln_tune_sample_t *sample = &search->result->samples[index];
    bool found;
    KILN_TRY(kiln_store_find_sample(search->store, &search->key, search->problem->conditions,
                                    sample->candidate->config, &trial->recalled, &found));
    const kiln_tune_record_t *row = &trial->recalled;
    if (!found)
        return KILN_OK;
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
    trial->resources = row->resources;
    sample->verdict = row->verdict;
    sample->reason = row->reason;
    sample->bound = row->bound;
    sample->cost = row->cost;
    sample->error = row->error;
    sample->compile_ms = row->compile_ms;
    sample->stages_made = row->stages_made;
    sample->is_recalled = true;
    return KILN_OK;
}

// Stores the best result and deletes stored results that this search found wrong, even if no
// candidate is right. A new cost of the stored configuration replaces its old one.
static kiln_status_t remember(search_t *search)
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

// The search --------------------------------------------------------------------------------------

static int by_rank(const void *a, const void *b)
{
    const kiln_tune_sample_t *x = a, *y = b;
    if (x->verdict != y->verdict)
        return x->verdict < y->verdict ? -1 : 1;
    if (x->verdict == KILN_TUNE_OK && x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    if (x->verdict == KILN_TUNE_UNTRIED && x->modelled_ns != y->modelled_ns)
        return x->modelled_ns < y->modelled_ns ? -1 : 1;
    if (x->resources->occupancy !=
        y->resources->occupancy) // higher occupancy hides latency that a bound does not include
        return x->resources->occupancy > y->resources->occupancy ? -1 : 1;
    return x->candidate < y->candidate ? -1 : 1; // equal ones in the order of the axes
}

// Adds a combination of the axes if it is a candidate.
static kiln_status_t add_candidate(search_t *search, size_t combination)
{
    const kiln_tune_problem_t *problem = search->problem;
    kiln_tune_result_t *result = search->result;
    const size_t i = result->count;
    bool is_candidate;
    KILN_TRY(kiln_space_candidate(problem->axes, problem->axis_count, combination,
                                  &result->candidates[i]));
    kiln_status_t status = kiln_space_admits(problem, &result->candidates[i], &is_candidate);
    if (status || !is_candidate) {
        kiln_space_candidate_free(&result->candidates[i]);
        return status;
    }
    result->trials[i].index = i;
    result->samples[i] = (kiln_tune_sample_t){.candidate = &result->candidates[i],
                                              .verdict = KILN_TUNE_UNTRIED,
                                              .resources = &result->trials[i].resources,
                                              .reason = "",
                                              .bound = ""};
    result->count++;
    return KILN_OK;
}

// Creates the samples, of which none has been tried yet.
static kiln_status_t begin(search_t *search)
{
    const kiln_tune_problem_t *problem = search->problem;
    size_t count = 0;
    KILN_TRY(kiln_space_size(problem->axes, problem->axis_count, &count));
    kiln_tune_result_t *result = search->result = calloc(1, sizeof *result);
    search->chosen = calloc(count, sizeof *search->chosen);
    search->skipped = calloc(count, sizeof *search->skipped);
    if (result) {
        result->samples = calloc(count, sizeof *result->samples);
        result->ranked = calloc(count, sizeof *result->ranked);
        result->trials = calloc(count, sizeof *result->trials);
        result->candidates = calloc(count, sizeof *result->candidates);
    }
    if (!result || !search->chosen || !search->skipped || !result->samples || !result->ranked ||
        !result->trials || !result->candidates)
        return kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES,
                                "out of memory for %zu tuning candidates", count);
    for (size_t i = 0; i < count; ++i)
        KILN_TRY(add_candidate(search, i));
    if (result->count == 0)
        return kiln_status_make(KILN_STATUS_USAGE, "no combination of the axes is admitted");
    if (problem->shard_count)
        KILN_TRY(kiln_space_keep_shard(result->candidates, &result->count, problem->shard,
                                       problem->shard_count));
    count = result->count;
    if (!problem->store)
        return KILN_OK;
    KILN_TRY(kiln_tune_key_make(problem, &search->steps, &search->own));
    search->store = problem->store;
    search->key = (kiln_tune_key_t){.kernel = search->own.kernel,
                                    .problem = search->own.problem,
                                    .device = kiln_device_key(problem->device),
                                    .arguments = problem->arguments,
                                    .fixed = search->own.fixed};
    for (size_t i = 0; i < count && problem->recall != KILN_TUNE_RECALL_NONE; i++)
        KILN_TRY(recall(search, i));
    return KILN_OK;
}

static void show_progress(search_t *search, size_t index)
{
    const kiln_tune_problem_t *problem = search->problem;
    search->result->samples[index].order = search->tried - 1;
    if (problem->progress)
        problem->progress(&search->result->samples[index], search->tried, search->planned,
                          problem->user);
}

// Whether the search must end before its next candidate.
static bool must_end(search_t *search)
{
    const kiln_tune_problem_t *problem = search->problem;
    const bool is_late =
        problem->time_limit_ms > 0 && kiln_now_ms() - search->begin_ms > problem->time_limit_ms;
    search->is_interrupted = search->result->lost_device ||
                             (problem->is_cancelled && problem->is_cancelled(problem->user));
    return search->is_over = search->is_interrupted || is_late;
}

// Tries the candidates of a round.
static kiln_status_t visit(search_t *search, kiln_tune_builder_t *builder)
{
    for (size_t i = 0; i < search->result->count && !search->is_over; ++i) {
        if (!search->chosen[i] || must_end(search))
            continue;
        search->result->samples[i].verdict = KILN_TUNE_OK;
        KILN_TRY(try_candidate(search, builder, i));
        KILN_TRY(put_sample(search, i));
        search->tried++;
        show_progress(search, i);
    }
    return KILN_OK;
}

static size_t count_recalled(const kiln_tune_result_t *result)
{
    size_t count = 0;
    for (size_t i = 0; i < result->count; i++)
        count += result->samples[i].is_recalled;
    return count;
}

// Visits rounds until there is none left.
static kiln_status_t explore(search_t *search)
{
    const kiln_tune_result_t *result = search->result;
    const size_t recalled = count_recalled(result);
    size_t count;
    if (kiln_tune_wants_estimates(search->problem))
        KILN_TRY(kiln_tune_estimate_all(search->problem, result->candidates, result->count,
                                        result->samples));
    KILN_TRY(kiln_search_create(search->problem, result->candidates, result->samples, result->count,
                                &search->choice));
    const size_t budget = kiln_search_budget(search->choice), left = result->count - recalled;
    search->planned = recalled + (budget < left ? budget : left);
    for (size_t i = 0; i < result->count; i++)
        if (result->samples[i].is_recalled) {
            search->tried++;
            show_progress(search, i);
        }
    while (!search->is_over) {
        kiln_tune_builder_t *builder = NULL;
        KILN_TRY(kiln_search_next(search->choice, search->chosen, &count));
        if (count == 0)
            break;
        for (size_t i = 0; i < result->count; i++)
            search->skipped[i] = !search->chosen[i];
        kiln_status_t status =
            kiln_tune_builder_create(search->problem, &search->steps, result->candidates,
                                     search->skipped, result->count, &builder);
        if (!status)
            status = visit(search, builder);
        kiln_tune_builder_release(builder);
        KILN_TRY(status);
    }
    return KILN_OK;
}

// Contenders --------------------------------------------------------------------------------------

// Measures the best candidates once more, in turn, as their order may be noise or a drift of the
// device's clock.
static kiln_status_t compare_contenders(search_t *search)
{
    kiln_tune_result_t *result = search->result;
    const kiln_tune_sample_t *best[KILN_CONTENDERS];
    size_t count = 0;
    memcpy(result->ranked, result->samples, result->count * sizeof *result->samples);
    qsort(result->ranked, result->count, sizeof *result->ranked, by_rank);
    for (size_t i = 0; i < result->count && count < KILN_CONTENDERS; i++) {
        const kiln_tune_sample_t *sample = &result->ranked[i];
        const trial_t *trial = &result->trials[sample->candidate - result->candidates];
        if (sample->verdict == KILN_TUNE_OK && trial->cost.timed &&
            trial->cost.fastest <= search->rival.slowest) // it has not clearly lost
            best[count++] = sample;
    }
    if (count < 2)
        return KILN_OK;
    const kiln_tune_candidate_t *candidates[KILN_CONTENDERS];
    double costs[KILN_CONTENDERS];
    for (size_t i = 0; i < count; i++)
        candidates[i] = best[i]->candidate;
    kiln_status_t status = kiln_contend(search->problem, &search->steps, candidates, count, costs,
                                        &result->lost_device);
    if (result->lost_device) { // the first measurements are all that there will be
        kiln_status_free(status);
        return KILN_OK;
    }
    KILN_TRY(status);
    for (size_t i = 0; i < count; i++) {
        const size_t index = (size_t)(candidates[i] - result->candidates);
        result->samples[index].cost = costs[i];
        KILN_TRY(put_sample(search, index));
    }
    for (size_t i = 0; i < result->count; i++) // those with the code of a contender
        for (size_t j = 0; j < count; j++)
            if (result->samples[i].same_as == candidates[j]) {
                result->samples[i].cost = costs[j];
                KILN_TRY(put_sample(search, i));
            }
    return KILN_OK;
}

// Shared candidates -------------------------------------------------------------------------------

// Tries one candidate. Other processes are busy with others, so one thread compiles it.
static kiln_status_t try_alone(search_t *search, size_t index)
{
    kiln_tune_problem_t problem = *search->problem;
    kiln_tune_builder_t *builder;
    problem.jobs = 1;
    memset(search->chosen, 0, search->result->count * sizeof *search->chosen);
    memset(search->skipped, 1, search->result->count * sizeof *search->skipped);
    search->chosen[index] = true;
    search->skipped[index] = false;
    KILN_TRY(kiln_tune_builder_create(&problem, &search->steps, search->result->candidates,
                                      search->skipped, search->result->count, &builder));
    kiln_status_t status = visit(search, builder);
    kiln_tune_builder_release(builder);
    return status;
}

// Shows a candidate of another rank.
static void tell_other(const search_t *search, const kiln_group_turn_t *turn)
{
    static const kiln_resources_t none;
    const kiln_tune_problem_t *problem = search->problem;
    if (turn->index >= search->result->count)
        return;
    const kiln_tune_sample_t sample = {.candidate = &search->result->candidates[turn->index],
                                       .verdict = turn->verdict,
                                       .reason = turn->reason,
                                       .bound = "",
                                       .cost = turn->cost,
                                       .error = NAN,
                                       .resources = &none};
    if (problem->progress)
        problem->progress(&sample, turn->done, turn->total, problem->user);
}

static kiln_status_t take_turns(search_t *search)
{
    const kiln_tune_problem_t *problem = search->problem;
    const kiln_tune_sample_t *tried = NULL;
    kiln_group_turn_t turn = {.what = KILN_GROUP_TRY};
    while (turn.what != KILN_GROUP_END) {
        KILN_TRY(kiln_group_next(problem->group, tried, &turn));
        tried = NULL;
        if (turn.what == KILN_GROUP_TELL)
            tell_other(search, &turn);
        if (turn.what != KILN_GROUP_TRY)
            continue;
        search->tried = turn.done;
        search->planned = turn.total;
        KILN_TRY(try_alone(search, turn.index));
        if (search->is_over)
            break;
        tried = &search->result->samples[turn.index];
    }
    return KILN_OK;
}

// Tries the candidates that the group gives to this process. One that is in hand when the search
// must end is not tried.
static kiln_status_t explore_shared(search_t *search)
{
    const kiln_tune_problem_t *problem = search->problem;
    const kiln_tune_result_t *result = search->result;
    KILN_TRY(kiln_group_begin(problem->group, problem, &search->key, result->candidates,
                              result->samples, result->count));
    kiln_status_t status = take_turns(search);
    kiln_group_end(problem->group);
    return status;
}

// The end -----------------------------------------------------------------------------------------

// The failure if no candidate is right, with the reason of the first candidate that was tried,
// which is the most informative.
static kiln_status_t none_is_right(const search_t *search)
{
    const kiln_tune_sample_t *first = search->result->samples;
    while (first->verdict == KILN_TUNE_UNTRIED)
        first++;
    return kiln_status_make(
        KILN_STATUS_MISMATCH,
        "none of %zu candidates compiled and computed the correct result; %s: %s", search->tried,
        first->candidate->config, first->reason);
}

// Ranks the samples, and stores the best.
static kiln_status_t finish(search_t *search)
{
    const kiln_tune_problem_t *problem = search->problem;
    kiln_tune_result_t *result = search->result;
    kiln_status_t failure = KILN_OK;
    const bool is_whole = search->tried == result->count;
    const bool is_part = problem->group != NULL; // others may have better candidates
    if (!is_part && search->good == 0 && search->tried && (is_whole || !search->is_interrupted))
        failure = none_is_right(search);
    else if (problem->accept)
        failure = problem->accept(problem->user);
    memcpy(result->ranked, result->samples, result->count * sizeof *result->samples);
    qsort(result->ranked, result->count, sizeof *result->ranked, by_rank);
    const bool is_refused = failure && search->good > 0;
    kiln_status_t status = KILN_OK;
    if (search->store && search->kernel && !is_refused && !is_part)
        status = remember(search);
    if (status && !failure)
        status = lose_store(search, status);
    if (!failure)
        return status;
    kiln_status_free(status);
    return failure;
}

kiln_status_t kiln_tune(const kiln_tune_problem_t *problem, kiln_tune_result_t **out_result)
{
    KILN_REQUIRE_OUT(out_result);
    kiln_tune_problem_t taken;
    kiln_compile_options_t options;
    KILN_TRY(kiln_tune_take(__func__, problem, &taken, &options));
    KILN_REQUIRE_THAT(taken.prepare && taken.verify, "problem->%s is NULL",
                      taken.prepare ? "verify" : "prepare");
    KILN_REQUIRE_THAT(!taken.group || taken.store, "problem->%s is NULL", "store");
    search_t search = {.problem = &taken,
                       .teller = {.handler = taken.diagnostic, .user = taken.diagnostic_user},
                       .begin_ms = kiln_now_ms()};
    KILN_REQUIRE_THAT(taken.then_count == 0 || taken.prepare_step, "problem->%s is NULL",
                      "prepare_step");
    kiln_status_t status = kiln_steps_make(__func__, &taken, &search.steps);
    if (!status)
        status = begin(&search);
    if (!status)
        status = taken.group ? explore_shared(&search) : explore(&search);
    if (!status && search.rival.timed && !search.is_interrupted && !search.result->lost_device &&
        !taken.group)
        status = compare_contenders(&search);
    if (!status)
        status = finish(&search);
    kiln_teller_free(&search.teller);
    kiln_tune_key_free(&search.own);
    kiln_steps_free(&search.steps);
    kiln_search_release(search.choice);
    free(search.kernel);
    free(search.chosen);
    free(search.skipped);
    if (status)
        kiln_tune_result_release(search.result);
    else
        *out_result = search.result;
    return status;
}

// Results -----------------------------------------------------------------------------------------

size_t kiln_tune_result_count(const kiln_tune_result_t *result)
{
    return result ? result->count : 0;
}

const kiln_tune_sample_t *kiln_tune_result_sample(const kiln_tune_result_t *result, size_t index)
{
    return index < kiln_tune_result_count(result) ? &result->ranked[index] : NULL;
}

kiln_cost_kind_t kiln_tune_result_cost_kind(const kiln_tune_result_t *result)
{
    return result ? result->kind : KILN_COST_ESTIMATED_CYCLES;
}

bool kiln_tune_result_lost_device(const kiln_tune_result_t *result)
{
    return result && result->lost_device;
}

void kiln_tune_result_release(kiln_tune_result_t *result)
{
    if (!result)
        return;
    for (size_t i = 0; i < result->count; ++i) { // 0 if the arrays are incomplete
        kiln_space_candidate_free(&result->candidates[i]);
        kiln_store_sample_free(&result->trials[i].recalled);
        if (result->trials[i].has_reason)
            free((char *)(uintptr_t)result->samples[i].reason);
    }
    free(result->samples);
    free(result->ranked);
    free(result->trials);
    free(result->candidates);
    free(result);
}
