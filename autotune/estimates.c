// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates all candidates of a search by the model.
//
// The program depends on the constants, so it is read again for each combination of them, which
// takes milliseconds; the options then vary for microseconds each. Candidates are therefore put in
// order by their constants, and works are made in batches, so that few are in memory at once.
//
// A limit of time may end this before all candidates have estimates. Structures are therefore
// visited by a stride near the golden section of their number: wherever the visits end, they are
// spread over all values of all constants.
#include "estimates.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "kiln/tune_model.h"
#include "problem.h"
#include "space.h"

enum {
    BATCH = 64,
    MAX_GUIDED = 2048 // combinations of constants that a guided search has estimated: seconds
};

typedef struct place {
    size_t structure; // number of the combination of constants
    size_t candidate;
} place_t;

typedef struct estimation {
    const kiln_tune_problem_t *problem;
    const kiln_tune_candidate_t *candidates;
    kiln_tune_sample_t *samples;
    place_t *places; // in the order of structures
    size_t count;
    size_t *starts; // places where structures begin, and the end of the last
    size_t structure_count, stride, visited;
    double end_ms; // 0: no limit
    // The batch:
    size_t firsts[BATCH], ends[BATCH]; // places of structures
    kiln_work_t *works[BATCH];
    kiln_status_t failures[BATCH];
    size_t batch_count, next;
    kiln_session_t **sessions; // one for each thread that has run
    size_t session_count, session_next;
    pthread_mutex_t mutex;
    kiln_status_t first_failure; // the first reason why there is no estimate
    bool has_estimate;
} estimation_t;

bool kiln_tune_uses_estimates(const kiln_tune_problem_t *problem)
{
    // A sequence has no estimate, so a guided search does without.
    return problem->strategy == KILN_TUNE_MODEL ||
           (problem->strategy == KILN_TUNE_GUIDED && problem->plan && problem->then_count == 0);
}

// Structures --------------------------------------------------------------------------------------

static int by_structure(const void *a, const void *b)
{
    const place_t *x = a, *y = b;
    if (x->structure != y->structure)
        return x->structure < y->structure ? -1 : 1;
    return (x->candidate > y->candidate) - (x->candidate < y->candidate);
}

static bool is_option(const char *name)
{
    return kiln_compile_option_find(name, strlen(name)) != NULL;
}

static size_t structure_of(const kiln_tune_problem_t *problem,
                           const kiln_tune_candidate_t *candidate)
{
    size_t number = 0;
    for (size_t a = 0; a < problem->axis_count; a++) {
        const kiln_tune_axis_t *axis = &problem->axes[a];
        size_t value = 0;
        if (is_option(axis->name))
            continue;
        while (axis->values[value] != candidate->settings[a].value)
            value++;
        number = number * axis->value_count + value;
    }
    return number;
}

static void sort_places(estimation_t *e)
{
    for (size_t i = 0; i < e->count; i++)
        e->places[i] = (place_t){structure_of(e->problem, &e->candidates[i]), i};
    qsort(e->places, e->count, sizeof *e->places, by_structure);
}

// Works -------------------------------------------------------------------------------------------

// Reads the program with the constants of a candidate. Its options, which need not be valid, are
// those of one candidate only.
static kiln_status_t make_work(const estimation_t *e, kiln_session_t *session, size_t candidate,
                               kiln_work_t **out_work)
{
    kiln_tune_candidate_t constants = e->candidates[candidate];
    kiln_setting_t *settings = calloc(constants.setting_count + 1, sizeof *settings);
    if (!settings)
        return kiln_status_out_of_memory();
    size_t count = 0;
    for (size_t i = 0; i < constants.setting_count; i++)
        if (!is_option(constants.settings[i].name))
            settings[count++] = constants.settings[i];
    constants.settings = settings;
    constants.setting_count = count;
    kiln_compile_options_t options;
    kiln_setting_t *defines;
    kiln_status_t status = kiln_tune_candidate_options(e->problem, &constants, &options, &defines);
    options.warning_count = 0; // warnings are reported with the candidates
    if (!status)
        status = kiln_work_create(session, &e->problem->source, &options, out_work);
    free(defines);
    free(settings);
    return status;
}

// Takes structures of the batch until there are none left.
static void *work(void *user)
{
    estimation_t *e = user;
    pthread_mutex_lock(&e->mutex);
    kiln_session_t **session = &e->sessions[e->session_next++];
    while (e->next < e->batch_count) {
        const size_t i = e->next++;
        pthread_mutex_unlock(&e->mutex);
        e->failures[i] = *session ? KILN_OK : kiln_session_create(session);
        if (!e->failures[i])
            e->failures[i] =
                make_work(e, *session, e->places[e->firsts[i]].candidate, &e->works[i]);
        pthread_mutex_lock(&e->mutex);
    }
    pthread_mutex_unlock(&e->mutex);
    return NULL;
}

// Keeps the first reason, and returns failures that are not a property of a candidate.
static kiln_status_t note_failure(estimation_t *e, kiln_status_t failure)
{
    if (!failure || kiln_status_is_out_of_memory(failure))
        return failure;
    if (e->first_failure)
        kiln_status_free(failure);
    else
        e->first_failure = failure;
    return KILN_OK;
}

// Estimates ---------------------------------------------------------------------------------------

static kiln_status_t measure(const estimation_t *e, const kiln_tune_candidate_t *candidate,
                             const kiln_work_t *program, kiln_workload_t **out_workload)
{
    const kiln_tune_problem_t *problem = e->problem;
    kiln_launch_t launch;
    kiln_work_launch_t counted;
    kiln_launch_initialize(&launch);
    kiln_work_launch_initialize(&counted);
    KILN_TRY(problem->plan(candidate, kiln_work_kernel(program), &launch, problem->user));
    memcpy(counted.grid, launch.grid, sizeof counted.grid);
    counted.args = launch.args;
    kiln_tune_device_dies(kiln_device_properties(problem->device), &counted.dies,
                          &counted.die_units);
    return kiln_work_measure(program, &counted, out_workload);
}

static kiln_status_t estimate(estimation_t *e, size_t candidate, const kiln_workload_t *workload)
{
    kiln_compile_options_t options;
    kiln_setting_t *defines;
    kiln_tune_estimate_t estimated = {.struct_size = sizeof estimated};
    kiln_status_t status =
        kiln_tune_candidate_options(e->problem, &e->candidates[candidate], &options, &defines);
    if (!status)
        status = kiln_tune_estimate(workload, &options, kiln_device_properties(e->problem->device),
                                    &estimated);
    free(defines);
    if (!status) {
        e->samples[candidate].modelled_ns = estimated.nanoseconds;
        e->has_estimate = true;
    }
    return status;
}

// Estimates the candidates of a structure.
static kiln_status_t estimate_structure(estimation_t *e, size_t structure)
{
    kiln_workload_t *workload = NULL;
    const size_t first = e->firsts[structure];
    KILN_TRY(
        measure(e, &e->candidates[e->places[first].candidate], e->works[structure], &workload));
    kiln_status_t status = KILN_OK;
    for (size_t i = first; i < e->ends[structure] && !status; i++)
        status = note_failure(e, estimate(e, e->places[i].candidate, workload));
    kiln_workload_release(workload);
    return status;
}

// Takes the next structures to visit; few if there is a limit of time.
static void begin_batch(estimation_t *e)
{
    const size_t few = 4 * e->session_count, size = e->end_ms > 0 && few < BATCH ? few : BATCH;
    e->batch_count = e->next = e->session_next = 0;
    for (; e->visited < e->structure_count && e->batch_count < size; e->visited++) {
        const size_t i = e->batch_count++, structure = e->visited * e->stride % e->structure_count;
        e->works[i] = NULL;
        e->failures[i] = KILN_OK;
        e->firsts[i] = e->starts[structure];
        e->ends[i] = e->starts[structure + 1];
    }
}

static bool is_cancelled(const kiln_tune_problem_t *problem)
{
    return problem->is_cancelled && problem->is_cancelled(problem->user);
}

static bool must_end(const estimation_t *e)
{
    const bool is_late = e->end_ms > 0 && kiln_now_ms() > e->end_ms;
    return e->visited == e->structure_count || is_cancelled(e->problem) || (e->visited && is_late);
}

static kiln_status_t estimate_batch(estimation_t *e, size_t jobs)
{
    kiln_status_t status = KILN_OK;
    kiln_parallel(jobs, e->batch_count, work, e);
    for (size_t i = 0; i < e->batch_count; i++) {
        kiln_status_t failure = e->failures[i];
        if (!failure && !status && !is_cancelled(e->problem))
            failure = estimate_structure(e, i);
        failure = note_failure(e, failure);
        if (status)
            kiln_status_free(failure);
        else
            status = failure;
        kiln_work_release(e->works[i]);
    }
    return status;
}

// Finds the structures in the sorted places; `starts` has room for all.
static void find_structures(estimation_t *e)
{
    for (size_t i = 0; i < e->count; i++)
        if (i == 0 || e->places[i].structure != e->places[i - 1].structure)
            e->starts[e->structure_count++] = i;
    e->starts[e->structure_count] = e->count;
}

static kiln_status_t estimate_all(estimation_t *e, size_t jobs)
{
    kiln_status_t status = KILN_OK;
    sort_places(e);
    find_structures(e);
    if (e->problem->strategy == KILN_TUNE_GUIDED && e->structure_count > MAX_GUIDED)
        return KILN_OK;
    e->stride = kiln_space_stride(e->structure_count);
    while (!status && !must_end(e)) {
        begin_batch(e);
        status = estimate_batch(e, jobs);
        if (!status && e->problem->estimated)
            e->problem->estimated(e->visited, e->structure_count, e->problem->user);
    }
    // A guided search can do without, and will find the same failures.
    if (!status && !e->has_estimate && e->first_failure &&
        e->problem->strategy == KILN_TUNE_MODEL) {
        status = kiln_status_annotate(e->first_failure, "while estimating candidates by the model");
        e->first_failure = KILN_OK;
    }
    return status;
}

kiln_status_t kiln_tune_estimate_all(const kiln_tune_problem_t *problem,
                                     const kiln_tune_candidate_t *candidates, size_t count,
                                     double end_ms, kiln_tune_sample_t *samples)
{
    if (!problem->plan)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "kiln_tune: the strategy KILN_TUNE_MODEL needs problem->plan");
    if (problem->then_count)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "the model does not estimate sequences of kernels; choose another "
                                "strategy");
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t wanted = problem->jobs > 0 ? (size_t)problem->jobs
                          : cores > 0       ? (size_t)cores
                                            : 1,
                 jobs = wanted < BATCH ? wanted : BATCH;
    estimation_t e = {.problem = problem,
                      .candidates = candidates,
                      .samples = samples,
                      .places = calloc(count + 1, sizeof *e.places),
                      .count = count,
                      .starts = calloc(count + 1, sizeof *e.starts),
                      .end_ms = end_ms,
                      .sessions = calloc(jobs, sizeof(kiln_session_t *)),
                      .session_count = jobs};
    pthread_mutex_init(&e.mutex, NULL);
    kiln_status_t status =
        e.places && e.starts && e.sessions ? estimate_all(&e, jobs) : kiln_status_out_of_memory();
    for (size_t i = 0; e.sessions && i < jobs; i++)
        kiln_session_release(e.sessions[i]);
    pthread_mutex_destroy(&e.mutex);
    kiln_status_free(e.first_failure);
    free(e.places);
    free(e.starts);
    free(e.sessions);
    return status;
}
