// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search: takes candidates in rounds that search.c chooses, within a round in order while other
// threads compile ahead, and stores each sample before it continues (trials.c).
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/require.h"
#include "base/string.h"
#include "contend.h"
#include "estimates.h"
#include "group.h"
#include "problem.h"
#include "space.h"
#include "store.h"
#include "trials.h"

// The search --------------------------------------------------------------------------------------

static int by_rank(const void *a, const void *b)
{
    const kiln_tune_sample_t *x = a, *y = b;
    if (x->verdict != y->verdict)
        return x->verdict < y->verdict ? -1 : 1;
    if (x->verdict == KILN_TUNE_OK && x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    if (x->verdict == KILN_TUNE_UNTRIED && x->modelled_ns != y->modelled_ns)
        return y->modelled_ns == 0 || (x->modelled_ns > 0 && x->modelled_ns < y->modelled_ns) ? -1
                                                                                              : 1;
    if (x->resources->occupancy !=
        y->resources->occupancy) // higher occupancy hides latency that a bound does not include
        return x->resources->occupancy > y->resources->occupancy ? -1 : 1;
    return x->candidate < y->candidate ? -1 : 1; // equal ones in the order of the axes
}

// Makes the samples of all candidates, of which none has been tried yet.
static kiln_status_t add_candidates(kiln_trials_t *search, kiln_space_walk_t *walk)
{
    kiln_tune_result_t *result = search->result;
    for (bool found = walk->count > 0; found;) {
        const size_t i = result->count;
        KILN_TRY(kiln_space_walk_next(walk, &result->candidates[i], &found));
        if (!found)
            break;
        result->trials[i].index = i;
        result->samples[i] = (kiln_tune_sample_t){.candidate = &result->candidates[i],
                                                  .verdict = KILN_TUNE_UNTRIED,
                                                  .resources = &result->trials[i].resources,
                                                  .reason = "",
                                                  .bound = ""};
        result->count++;
    }
    return KILN_OK;
}

static kiln_status_t make_candidates(kiln_trials_t *search, kiln_space_walk_t *walk)
{
    const size_t count = walk->count + 1;
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
                                "out of memory for %zu tuning candidates", walk->count);
    KILN_TRY(add_candidates(search, walk));
    return result->count
               ? KILN_OK
               : kiln_status_make(KILN_STATUS_USAGE, "no combination of the axes is admitted");
}

// Creates the samples, and takes those that the store has.
static kiln_status_t begin(kiln_trials_t *search)
{
    const kiln_tune_problem_t *problem = search->problem;
    kiln_space_walk_t walk;
    kiln_status_t status = kiln_space_walk_begin(problem, &walk);
    if (!status)
        status = make_candidates(search, &walk);
    kiln_space_walk_free(&walk);
    KILN_TRY(status);
    kiln_tune_result_t *result = search->result;
    if (problem->shard_count)
        KILN_TRY(kiln_space_keep_shard(result->candidates, &result->count, problem->shard,
                                       problem->shard_count));
    if (!problem->store)
        return KILN_OK;
    KILN_TRY(kiln_tune_key_make(problem, &search->steps, &search->own));
    search->store = problem->store;
    search->stores = kiln_store_is_writable(problem->store);
    search->key = (kiln_tune_key_t){.kernel = search->own.kernel,
                                    .problem = search->own.problem,
                                    .device = kiln_device_key(problem->device),
                                    .arguments = problem->arguments,
                                    .fixed = search->own.fixed};
    return problem->recall == KILN_TUNE_RECALL_NONE ? KILN_OK : kiln_trials_recall(search);
}

static void show_progress(kiln_trials_t *search, size_t index)
{
    const kiln_tune_problem_t *problem = search->problem;
    search->result->samples[index].order = search->tried - 1;
    if (problem->progress)
        problem->progress(&search->result->samples[index], search->tried, search->planned,
                          problem->user);
}

// Whether the search must end before its next candidate.
static bool must_end(kiln_trials_t *search)
{
    const kiln_tune_problem_t *problem = search->problem;
    const bool is_late =
        problem->time_limit_ms > 0 && kiln_now_ms() - search->begin_ms > problem->time_limit_ms;
    search->is_interrupted = search->result->lost_device ||
                             (problem->is_cancelled && problem->is_cancelled(problem->user));
    return search->is_over = search->is_interrupted || is_late;
}

// Whether a candidate was only compiled.
static bool is_unlaunched(const kiln_trials_t *search, size_t index)
{
    return search->result->samples[index].same_as || search->result->trials[index].is_left_out;
}

// Tries the candidates of a round.
static kiln_status_t visit(kiln_trials_t *search, kiln_tune_builder_t *builder)
{
    for (size_t i = 0; i < search->result->count && !search->is_over; ++i) {
        if (!search->chosen[i] || must_end(search))
            continue;
        search->result->samples[i].verdict = KILN_TUNE_OK;
        KILN_TRY(kiln_trials_try(search, builder, i));
        KILN_TRY(kiln_trials_put_sample(search, i));
        search->tried++;
        if (is_unlaunched(search, i) && search->choice && kiln_search_refund(search->choice) &&
            search->planned < search->result->count)
            search->planned++;
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

// Takes at most half of the time, so that there is some left to try candidates.
static kiln_status_t estimate(kiln_trials_t *search)
{
    kiln_tune_result_t *result = search->result;
    const double limit = search->problem->time_limit_ms;
    return kiln_tune_uses_estimates(search->problem)
               ? kiln_tune_estimate_all(search->problem, result->candidates, result->count,
                                        limit > 0 ? search->begin_ms + limit / 2 : 0,
                                        result->samples)
               : KILN_OK;
}

// Begins a guided search with what was best for the nearest problem in the store.
static kiln_status_t begin_with_near(kiln_trials_t *search)
{
    const kiln_tune_key_t *key = &search->key;
    const kiln_tune_result_t *result = search->result;
    kiln_tune_match_t match = {.struct_size = sizeof match};
    if (!search->store || search->problem->strategy != KILN_TUNE_GUIDED)
        return KILN_OK;
    const kiln_jit_tune_request_t request = {.struct_size = sizeof request,
                                             .kernel = key->kernel,
                                             .problem = key->problem,
                                             .device = key->device,
                                             .arguments = key->arguments,
                                             .settings = search->own.settings.items,
                                             .setting_count = search->own.settings.count};
    kiln_status_t status = kiln_tune_find(&request, search->store, KILN_TUNE_USE_NEAR, &match);
    for (size_t i = 0; i < result->count && !status; i++)
        if (strcmp(result->candidates[i].config, match.config) == 0)
            kiln_search_begin_with(search->choice, i);
    free(match.config);
    free(match.arguments);
    if (!status || kiln_status_is_out_of_memory(status))
        return status;
    kiln_status_free(status); // nothing is stored; or a read error, which the search will report
    return KILN_OK;
}

// Visits rounds until there is none left.
static kiln_status_t explore(kiln_trials_t *search)
{
    const kiln_tune_result_t *result = search->result;
    const size_t recalled = count_recalled(result);
    size_t count;
    KILN_TRY(estimate(search));
    KILN_TRY(kiln_search_create(search->problem, result->candidates, result->samples, result->count,
                                &search->choice));
    KILN_TRY(begin_with_near(search));
    const size_t budget = kiln_search_budget(search->choice), left = result->count - recalled;
    search->planned = recalled + (budget < left ? budget : left);
    for (size_t i = 0; i < result->count; i++)
        if (result->samples[i].is_recalled) {
            search->tried++;
            show_progress(search, i);
        }
    while (!search->is_over && !must_end(search)) {
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

static void rank(kiln_tune_result_t *result)
{
    memcpy(result->ranked, result->samples, result->count * sizeof *result->samples);
    qsort(result->ranked, result->count, sizeof *result->ranked, by_rank);
}

// The best candidates that this search has measured and that have not clearly lost. Returns their
// number; 0 if the best one was among contenders before.
static size_t choose_contenders(kiln_trials_t *search,
                                const kiln_tune_candidate_t *candidates[KILN_CONTENDERS])
{
    kiln_tune_result_t *result = search->result;
    size_t count = 0;
    rank(result);
    for (size_t i = 0; i < result->count && count < KILN_CONTENDERS; i++) {
        const kiln_tune_sample_t *sample = &result->ranked[i];
        const kiln_trial_t *trial = &result->trials[sample->candidate - result->candidates];
        if (sample->verdict != KILN_TUNE_OK || !trial->cost.timed)
            continue;
        if (count == 0 && trial->has_contended)
            return 0;
        if (count == 0 || trial->has_contended || trial->cost.fastest <= search->fastest.slowest)
            candidates[count++] = sample->candidate;
    }
    return count;
}

// Sets the cost of a contender, and of those with the same code.
static kiln_status_t set_cost(kiln_trials_t *search, const kiln_tune_candidate_t *candidate,
                              const kiln_cost_t *cost)
{
    const kiln_tune_result_t *result = search->result;
    const size_t index = (size_t)(candidate - result->candidates);
    result->trials[index].has_contended = true;
    for (size_t i = 0; i < result->count; i++)
        if (i == index || result->samples[i].same_as == candidate) {
            result->samples[i].cost = cost->value;
            result->samples[i].clock_mhz = cost->clock_mhz;
            KILN_TRY(kiln_trials_put_sample(search, i));
        }
    return KILN_OK;
}

// Measures the best candidates once more, in turn, as their order may be noise or a drift of the
// device's clock. If their new costs are higher than the old one of another candidate, that one is
// measured with them, until the best one is a contender.
static kiln_status_t compare_contenders(kiln_trials_t *search)
{
    const kiln_tune_problem_t *problem = search->problem;
    const kiln_tune_candidate_t *candidates[KILN_CONTENDERS];
    kiln_cost_t costs[KILN_CONTENDERS];
    for (;;) {
        const size_t count = choose_contenders(search, candidates);
        if (count < 2 || (problem->is_cancelled && problem->is_cancelled(problem->user)))
            return KILN_OK;
        kiln_status_t status = kiln_contend(problem, &search->steps, candidates, count,
                                            search->clock, costs, &search->result->lost_device);
        if (search->result->lost_device) { // the first measurements are all that there will be
            kiln_status_free(status);
            return KILN_OK;
        }
        KILN_TRY(status);
        for (size_t i = 0; i < count; i++)
            KILN_TRY(set_cost(search, candidates[i], &costs[i]));
    }
}

// Shared candidates -------------------------------------------------------------------------------

// Tries one candidate. Other processes are busy with others, so one thread compiles it.
static kiln_status_t try_alone(kiln_trials_t *search, size_t index)
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
static void report_other(const kiln_trials_t *search, const kiln_group_turn_t *turn)
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

static kiln_status_t take_turns(kiln_trials_t *search)
{
    const kiln_tune_problem_t *problem = search->problem;
    const kiln_tune_sample_t *tried = NULL;
    kiln_group_turn_t turn = {.what = KILN_GROUP_TRY};
    while (turn.what != KILN_GROUP_END) {
        KILN_TRY(kiln_group_next(problem->group, tried, &turn));
        tried = NULL;
        if (turn.what == KILN_GROUP_REPORT)
            report_other(search, &turn);
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

// Tries the candidates that the group gives to this process. The current one is not tried if the
// search must end.
static kiln_status_t explore_shared(kiln_trials_t *search)
{
    const kiln_tune_problem_t *problem = search->problem;
    const kiln_tune_result_t *result = search->result;
    if (kiln_tune_group_rank(problem->group) == 0) // which gives out candidates by them
        KILN_TRY(estimate(search));
    KILN_TRY(kiln_group_begin(problem->group, problem, &search->key, result->candidates,
                              result->samples, result->count));
    kiln_status_t status = take_turns(search);
    kiln_group_end(problem->group);
    return status;
}

// The end -----------------------------------------------------------------------------------------

// The failure if no candidate is right, with the reason of the first candidate that was tried,
// which is the most informative.
static kiln_status_t none_is_right(const kiln_trials_t *search)
{
    const kiln_tune_sample_t *first = search->result->samples;
    while (first->verdict == KILN_TUNE_UNTRIED)
        first++;
    return kiln_status_make(
        KILN_STATUS_MISMATCH,
        "none of %zu candidates compiled and computed the correct result; %s: %s", search->tried,
        first->candidate->config, first->reason);
}

// Asks the caller to verify a candidate.
static kiln_status_t confirm(kiln_trials_t *search, size_t index)
{
    const kiln_tune_problem_t *problem = search->problem;
    double error = NAN;
    kiln_status_t status =
        problem->confirm(&search->result->candidates[index], &error, problem->confirm_user);
    if (kiln_status_code(status) == KILN_STATUS_MISMATCH)
        return kiln_trials_refute(search, index, status);
    if (status || isnan(error))
        return status;
    return kiln_trials_confirm(search, index, error);
}

// Where nothing was executed, has the best candidate verified, and before it the first and the last
// one: these differ most in their values, which shows whether the values change the results.
static kiln_status_t confirm_best(kiln_trials_t *search)
{
    kiln_tune_result_t *result = search->result;
    rank(result);
    if (!search->problem->confirm || search->good == 0 || !isnan(result->ranked[0].error))
        return KILN_OK;
    size_t first = result->count, last = 0;
    for (size_t i = 0; i < result->count; i++)
        if (result->samples[i].verdict == KILN_TUNE_OK && !result->samples[i].same_as) {
            first = first < i ? first : i;
            last = i;
        }
    KILN_TRY(confirm(search, first));
    if (last != first)
        KILN_TRY(confirm(search, last));
    for (;;) {
        rank(result);
        const size_t best = (size_t)(result->ranked[0].candidate - result->candidates);
        const kiln_tune_sample_t *sample = &result->samples[best];
        const bool is_asked = best == first || best == last;
        if (sample->verdict != KILN_TUNE_OK || !isnan(sample->error) || is_asked)
            return KILN_OK;
        KILN_TRY(confirm(search, best));
        if (sample->verdict == KILN_TUNE_OK) // whether or not it could be verified
            return KILN_OK;
    }
}

// Ranks the samples, and stores the best.
static kiln_status_t finish(kiln_trials_t *search)
{
    const kiln_tune_problem_t *problem = search->problem;
    kiln_tune_result_t *result = search->result;
    kiln_status_t failure = KILN_OK;
    const bool is_whole = search->tried == result->count;
    const bool is_part = problem->group != NULL; // others may have better candidates
    kiln_status_t unconfirmed = is_part || result->lost_device ? KILN_OK : confirm_best(search);
    if (unconfirmed && search->stores && search->kernel && !kiln_tune_is_host_failure(unconfirmed))
        kiln_status_free(kiln_trials_doubt(search));
    KILN_TRY(unconfirmed);
    if (!is_part && search->good == 0 && search->tried && (is_whole || !search->is_interrupted))
        failure = none_is_right(search);
    else if (problem->accept)
        failure = problem->accept(problem->user);
    rank(result);
    const bool is_refused = failure && search->good > 0;
    kiln_status_t status = KILN_OK;
    if (search->stores && search->kernel && is_refused)
        status = kiln_trials_doubt(search);
    else if (search->stores && search->kernel && !is_part)
        status = kiln_trials_remember(search);
    if (status && !failure)
        status = kiln_trials_disable_store(search, status);
    if (!failure)
        return status;
    kiln_status_free(status);
    return failure;
}

// The conditions of samples include the limits: what is rejected by one may be within another. On a
// GPU that of a launch is one. (That of the simulator is one of its options.)
static kiln_status_t add_limits(kiln_tune_problem_t *problem, char **out_conditions)
{
    const uint32_t instructions = problem->options->max_instructions;
    const bool is_simulated = kiln_device_properties(problem->device)->kind == KILN_DEVICE_SIM;
    kiln_string_t text = {0};
    kiln_string_append(&text, problem->conditions);
    if (problem->launch_limit_ms > 0 && !is_simulated)
        kiln_string_appendf(&text, " launch_limit_ms:%" PRId64, (int64_t)problem->launch_limit_ms);
    if (instructions != KILN_TUNE_MAX_INSTRUCTIONS)
        kiln_string_appendf(&text, " max_instructions:%" PRIu32, instructions);
    *out_conditions = kiln_string_take(&text);
    if (!*out_conditions)
        return kiln_status_out_of_memory();
    problem->conditions = *out_conditions;
    return KILN_OK;
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
    kiln_trials_t search = {.problem = &taken,
                            .filter = {.handler = taken.diagnostic, .user = taken.diagnostic_user},
                            .begin_ms = kiln_now_ms()};
    KILN_REQUIRE_THAT(taken.then_count == 0 || taken.prepare_step, "problem->%s is NULL",
                      "prepare_step");
    char *conditions;
    KILN_TRY(add_limits(&taken, &conditions));
    kiln_status_t status = kiln_steps_make(__func__, &taken, &search.steps);
    if (!status)
        status = begin(&search);
    if (!status)
        status = kiln_held_clock_create(taken.device, &search.clock);
    if (!status)
        status = taken.group ? explore_shared(&search) : explore(&search);
    if (!status && search.fastest.timed && !search.is_interrupted && !search.result->lost_device &&
        !taken.group)
        status = compare_contenders(&search);
    if (!status)
        status = finish(&search);
    if (!search.result || !search.result->lost_device) // HIP would wait for the launch
        kiln_held_clock_release(search.clock);
    kiln_diagnostic_filter_free(&search.filter);
    kiln_tune_key_free(&search.own);
    kiln_steps_free(&search.steps);
    kiln_search_release(search.choice);
    free(search.kernel);
    free(search.chosen);
    free(search.skipped);
    free(conditions);
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
