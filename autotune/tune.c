// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search: compile all candidates on several threads, then launch, verify and cost each on the calling thread.
//
// What a reader gets wrong: a candidate is launched once on the simulator but many times on a GPU; see cost.c. A wrong
// answer is never ranked, however cheap; one that was not computed (the simulator's clock is only) is.
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/require.h"
#include "problem.h"
#include "space.h"
#include "tell.h"

struct kiln_tune_result {
    kiln_tune_sample_t *samples; // point into the following
    kiln_tune_candidate_t *candidates;
    kiln_resources_t *resources;
    size_t count;
    kiln_cost_kind_t kind;
};

void kiln_tune_problem_initialize_sized(kiln_tune_problem_t *problem, size_t struct_size)
{
    static const kiln_tune_problem_t defaults = {.arguments = ""};
    kiln_struct_initialize(problem, struct_size, &defaults, sizeof defaults);
}

static kiln_status_t check_axis(const char *function, const kiln_tune_axis_t *axis, size_t index)
{
    if (!axis->name)
        return kiln_status_make(KILN_STATUS_USAGE, "%s: problem->axes[%zu].name is NULL", function, index);
    for (size_t i = 0; i < axis->value_count; i++)
        if (!axis->values || !axis->values[i])
            return kiln_status_make(KILN_STATUS_USAGE, "%s: the values of problem->axes[%zu], '%s', hold a NULL",
                                    function, index, axis->name);
    return KILN_OK;
}

// What varies has no value of its own, and varies once.
static kiln_status_t check_name(const kiln_tune_problem_t *problem, size_t index)
{
    const char *name = problem->axes[index].name;
    const kiln_compile_options_t *options = problem->options;
    for (size_t i = 0; i < options->define_count; i++)
        if (strcmp(options->defines[i].name, name) == 0)
            return kiln_status_make(KILN_STATUS_USAGE, "'%s' is an axis, and has the value %s as well: leave one out",
                                    name, options->defines[i].value);
    for (size_t i = 0; i < index; i++)
        if (strcmp(problem->axes[i].name, name) == 0)
            return kiln_status_make(KILN_STATUS_USAGE, "there are two axes '%s'", name);
    return KILN_OK;
}

static kiln_status_t check_problem(const char *function, const kiln_tune_problem_t *problem)
{
    const char *missing = !problem->source.text                   ? "source.text"
                          : !problem->device                      ? "device"
                          : problem->axis_count && !problem->axes ? "axes"
                          : !problem->arguments                   ? "arguments"
                                                                  : NULL;
    if (missing)
        return kiln_status_make(KILN_STATUS_USAGE, "%s: problem->%s is NULL", function, missing);
    for (size_t i = 0; i < problem->axis_count; i++) {
        KILN_TRY(check_axis(function, &problem->axes[i], i));
        KILN_TRY(check_name(problem, i));
    }
    return KILN_OK;
}

kiln_status_t kiln_tune_take(const char *function, const kiln_tune_problem_t *given, kiln_tune_problem_t *out_problem,
                             kiln_compile_options_t *out_options)
{
    kiln_tune_problem_initialize(out_problem);
    kiln_compile_options_initialize(out_options);
    KILN_TRY(kiln_struct_take(function, "problem", "kiln_tune_problem_t", out_problem, sizeof *out_problem, given));
    if (out_problem->options)
        KILN_TRY(kiln_struct_take(function, "problem->options", "kiln_compile_options_t", out_options,
                                  sizeof *out_options, out_problem->options));
    out_problem->options = out_options;
    return check_problem(function, out_problem);
}

// Says why a sample is out, and takes the status.
static void reject(kiln_tune_sample_t *sample, kiln_tune_verdict_t verdict, kiln_status_t status)
{
    sample->verdict = verdict;
    const char *message = kiln_status_message(status);
    char *reason = strdup(message);
    sample->reason = reason ? reason : "";
    kiln_status_free(status);
}

// Compiling ---------------------------------------------------------------------------------------------------------

typedef struct compile_queue {
    const kiln_tune_problem_t *problem;
    kiln_tune_sample_t *samples;
    kiln_resources_t *resources;
    kiln_kernel_t **kernels;
    char **told; // by the compiler, of each candidate; NULL: nothing
    size_t count, next;
    pthread_mutex_t mutex;
} compile_queue_t;

// What the compiler tells is kept until the calling thread can tell it. An error is the reason of a rejection; where
// memory is short, a warning is lost.
static void keep_warning(const kiln_diagnostic_t *diagnostic, void *told)
{
    if (diagnostic->severity != KILN_SEVERITY_ERROR)
        kiln_status_free(kiln_diagnostic_keep(diagnostic, told));
}

static kiln_status_t compile_candidate(kiln_session_t *session, const kiln_tune_problem_t *problem,
                                       const kiln_tune_candidate_t *candidate, kiln_kernel_t **out_kernel)
{
    kiln_compile_options_t options = *problem->options;
    kiln_setting_t *defines = malloc((options.define_count + candidate->setting_count + 1) * sizeof *defines);
    if (!defines)
        return kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "no memory for a candidate's definitions");
    kiln_status_t status = kiln_compile_options_apply(&options, candidate->settings, candidate->setting_count, defines);
    if (!status)
        status = kiln_compile(session, &problem->source, &options, out_kernel);
    free(defines);
    return status;
}

static bool take_next(compile_queue_t *queue, size_t *out_index)
{
    pthread_mutex_lock(&queue->mutex);
    *out_index = queue->next;
    bool some = queue->next < queue->count;
    queue->next += some;
    pthread_mutex_unlock(&queue->mutex);
    return some;
}

static void *compile_worker(void *argument)
{
    compile_queue_t *queue = argument;
    kiln_session_t *session = NULL;
    kiln_status_t status = kiln_session_create(&session);
    for (size_t i; take_next(queue, &i);) {
        kiln_tune_sample_t *sample = &queue->samples[i];
        double begin = kiln_now_ms();
        if (session && queue->problem->diagnostic)
            kiln_session_set_diagnostic_handler(session, keep_warning, &queue->told[i]);
        kiln_status_t one = session ? compile_candidate(session, queue->problem, sample->candidate, &queue->kernels[i])
                                    : kiln_status_make(kiln_status_code(status), "%s", kiln_status_message(status));
        sample->compile_ms = kiln_now_ms() - begin;
        if (one)
            reject(sample, KILN_TUNE_REJECTED, one);
        else
            queue->resources[i] = *kiln_kernel_resources(queue->kernels[i]);
    }
    kiln_status_free(status);
    kiln_session_release(session);
    return NULL;
}

static void compile_all(compile_queue_t *queue, int jobs)
{
    enum { MAX_JOBS = 64 };
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = jobs > 0 ? (size_t)jobs : cores > 0 ? (size_t)cores : 1;
    if (wanted > queue->count)
        wanted = queue->count;
    if (wanted > MAX_JOBS)
        wanted = MAX_JOBS;
    pthread_t threads[MAX_JOBS];
    size_t started = 0;
    while (started + 1 < wanted && pthread_create(&threads[started], NULL, compile_worker, queue) == 0)
        ++started;
    compile_worker(queue); // this thread works too, so a failed pthread_create only costs time
    for (size_t i = 0; i < started; ++i)
        pthread_join(threads[i], NULL);
}

// Running -----------------------------------------------------------------------------------------------------------

typedef struct candidate_launch {
    kiln_function_t *function;
    kiln_launch_t launch;
} candidate_launch_t;

static kiln_status_t launch_candidate(void *user)
{
    const candidate_launch_t *candidate = user;
    return kiln_function_launch(candidate->function, &candidate->launch);
}

static kiln_status_t run_candidate(const kiln_tune_problem_t *problem, kiln_kernel_t *kernel,
                                   kiln_tune_sample_t *sample, kiln_cost_t *out_cost)
{
    size_t size;
    const void *code = kiln_kernel_code_object(kernel, &size);
    kiln_module_t *module = NULL;
    candidate_launch_t candidate = {0};
    kiln_status_t status = kiln_module_load(problem->device, code, size, &module);
    if (!status)
        status = kiln_module_function(module, kiln_kernel_name(kernel), &candidate.function);
    kiln_launch_initialize(&candidate.launch);
    if (!status)
        status = problem->prepare(sample->candidate, kernel, &candidate.launch, problem->user);
    *out_cost = (kiln_cost_t){.struct_size = sizeof *out_cost};
    if (!status)
        status = kiln_cost_of_launch(problem->device, candidate.launch.stream, launch_candidate, &candidate, out_cost);
    // Timing launched the kernel many times over, which a kernel that updates its inputs does not survive: once more on
    // fresh buffers.
    if (!status && out_cost->kind == KILN_COST_MEASURED_NANOSECONDS) {
        status = problem->prepare(sample->candidate, kernel, &candidate.launch, problem->user);
        if (!status)
            status = launch_candidate(&candidate);
        if (!status)
            status = kiln_device_synchronize(problem->device);
    }
    if (!status && out_cost->unexecuted)
        sample->error = NAN;
    else if (!status)
        status = problem->verify(sample->candidate, &sample->error, problem->user);
    sample->cost = out_cost->value;
    sample->bound = out_cost->bound ? out_cost->bound : "";
    kiln_module_release(module);
    return status;
}

static int by_rank(const void *a, const void *b)
{
    const kiln_tune_sample_t *x = a, *y = b;
    if (x->verdict != y->verdict)
        return x->verdict < y->verdict ? -1 : 1;
    if (x->verdict == KILN_TUNE_OK && x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    if (x->resources->occupancy != y->resources->occupancy) // more waves hide what a bound does not count
        return x->resources->occupancy > y->resources->occupancy ? -1 : 1;
    return strcmp(x->candidate->config, y->candidate->config);
}

static kiln_status_t remember(const kiln_tune_problem_t *problem, const kiln_tune_result_t *result, const char *kernel)
{
    char hash[33];
    kiln_hash_format(kiln_hash_bytes(problem->source.text, problem->source.length), hash);
    kiln_tune_key_t key = {.kernel = kernel,
                           .source_hash = hash,
                           .device = kiln_device_key(problem->device),
                           .arguments = problem->arguments};
    const kiln_tune_sample_t *best = &result->samples[0];
    return kiln_tune_store_put(problem->store, &key, best->candidate->config, result->kind, best->cost);
}

static kiln_status_t search(const kiln_tune_problem_t *problem, kiln_tune_result_t **out_result)
{
    size_t count = 0;
    KILN_TRY(kiln_space_size(problem->axes, problem->axis_count, &count));
    kiln_tune_result_t *result = calloc(1, sizeof *result);
    kiln_kernel_t **kernels = calloc(count, sizeof *kernels);
    char **told = calloc(count, sizeof *told);
    char *kernel_name = NULL;
    kiln_status_t status = KILN_OK;
    if (result) {
        result->samples = calloc(count, sizeof *result->samples);
        result->candidates = calloc(count, sizeof *result->candidates);
        result->resources = calloc(count, sizeof *result->resources);
    }
    if (!result || !kernels || !told || !result->samples || !result->candidates || !result->resources) {
        status = kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "no memory for %zu tuning candidates", count);
        goto done;
    }
    result->count = count;
    for (size_t i = 0; i < count && !status; ++i) {
        result->samples[i] = (kiln_tune_sample_t){
            .candidate = &result->candidates[i], .resources = &result->resources[i], .reason = "", .bound = ""};
        status = kiln_space_candidate(problem->axes, problem->axis_count, i, &result->candidates[i]);
    }
    if (status)
        goto done;

    compile_queue_t queue = {.problem = problem,
                             .samples = result->samples,
                             .resources = result->resources,
                             .kernels = kernels,
                             .told = told,
                             .count = count};
    pthread_mutex_init(&queue.mutex, NULL);
    compile_all(&queue, problem->jobs);
    pthread_mutex_destroy(&queue.mutex);
    if (problem->diagnostic)
        kiln_tell_once(told, count, problem->diagnostic, problem->diagnostic_user);

    size_t good = 0;
    for (size_t i = 0; i < count; ++i) {
        kiln_tune_sample_t *sample = &result->samples[i];
        if (kernels[i]) {
            kiln_cost_t cost;
            kiln_status_t one = run_candidate(problem, kernels[i], sample, &cost);
            if (!one && good == 0)
                result->kind = cost.kind;
            else if (!one && cost.kind != result->kind)
                one = kiln_status_make(
                    KILN_STATUS_UNSUPPORTED,
                    "its cost is in %s, which is not compared with others' in %s: the simulator cannot "
                    "predict the time of workgroups that wait for others",
                    kiln_cost_kind_name(cost.kind), kiln_cost_kind_name(result->kind));
            if (one)
                reject(sample, kiln_status_code(one) == KILN_STATUS_MISMATCH ? KILN_TUNE_WRONG : KILN_TUNE_REJECTED,
                       one);
            else
                ++good;
            if (!kernel_name)
                kernel_name = strdup(kiln_kernel_name(kernels[i]));
        }
        if (problem->progress)
            problem->progress(sample, i + 1, count, problem->user);
    }
    // With nothing left the first reason tells most.
    if (good == 0) {
        status = kiln_status_make(KILN_STATUS_MISMATCH,
                                  "none of %zu candidates compiled and computed the right result; %s: %s", count,
                                  result->samples[0].candidate->config, result->samples[0].reason);
        goto done;
    }
    qsort(result->samples, count, sizeof *result->samples, by_rank);
    if (problem->store)
        status = remember(problem, result, kernel_name ? kernel_name : "");
    if (!status) {
        *out_result = result;
        result = NULL;
    }

done:
    for (size_t i = 0; kernels && i < count; ++i)
        kiln_kernel_release(kernels[i]);
    for (size_t i = 0; told && i < count; ++i)
        free(told[i]);
    free(kernels);
    free(told);
    free(kernel_name);
    kiln_tune_result_release(result);
    return status;
}

kiln_status_t kiln_tune(const kiln_tune_problem_t *problem, kiln_tune_result_t **out_result)
{
    KILN_REQUIRE_OUT(out_result);
    kiln_tune_problem_t taken;
    kiln_compile_options_t options;
    KILN_TRY(kiln_tune_take(__func__, problem, &taken, &options));
    KILN_REQUIRE_THAT(taken.prepare && taken.verify, "problem->%s is NULL", taken.prepare ? "verify" : "prepare");
    return search(&taken, out_result);
}

size_t kiln_tune_result_count(const kiln_tune_result_t *result)
{
    return result ? result->count : 0;
}

const kiln_tune_sample_t *kiln_tune_result_sample(const kiln_tune_result_t *result, size_t index)
{
    return index < kiln_tune_result_count(result) ? &result->samples[index] : NULL;
}

kiln_cost_kind_t kiln_tune_result_cost_kind(const kiln_tune_result_t *result)
{
    return result ? result->kind : KILN_COST_ESTIMATED_CYCLES;
}

void kiln_tune_result_release(kiln_tune_result_t *result)
{
    if (!result)
        return;
    for (size_t i = 0; i < result->count; ++i) {
        kiln_space_candidate_free(&result->candidates[i]);
        if (result->samples[i].reason && *result->samples[i].reason)
            free((void *)result->samples[i].reason);
    }
    free(result->samples);
    free(result->candidates);
    free(result->resources);
    free(result);
}
