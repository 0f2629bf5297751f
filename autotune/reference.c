// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference of a search: expected files, or the results of a combination without optional
// passes.
//
// A wrong result has one of two causes. If a candidate without optional passes gives the
// reference's results, the compiler made it wrong. Otherwise the program itself computes something
// else with these constants, and it is unknown which combination is right: such candidates form a
// group of their own, and kiln_tune_runner_accept rejects a search with more than one group.
#include "runner.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/require.h"
#include "base/settings.h"
#include "base/string.h"
#include "build.h"
#include "evaluate.h"
#include "kiln/compare.h"
#include "problem.h"
#include "space.h"

enum {
    SHOWN_CONFIGS = 4,
    // A GEMM in tiles of 512×512×512 has 84000 LLVM instructions, and 572000 without optional
    // passes.
    UNOPTIMIZED_SIZE = 8
};

void kiln_runner_group_free(kiln_runner_group_t *group, size_t buffer_count)
{
    for (size_t i = 0; i < buffer_count && group->expected; i++)
        free(group->expected[i]);
    free(group->expected);
    free(group->configs);
    *group = (kiln_runner_group_t){0};
}

static kiln_status_t make_group(const kiln_tune_runner_t *runner, kiln_runner_group_t *group)
{
    *group = (kiln_runner_group_t){.expected =
                                       calloc(runner->buffer_count + 1, sizeof *group->expected)};
    return group->expected ? KILN_OK : kiln_status_out_of_memory();
}

static kiln_status_t add_config(kiln_runner_group_t *group, const char *config)
{
    if (group->config_count++ >= SHOWN_CONFIGS)
        return KILN_OK;
    char *text = kiln_string_print("%s%s'%s'", group->configs ? group->configs : "",
                                   group->configs ? ", " : "", config);
    if (!text)
        return kiln_status_out_of_memory();
    free(group->configs);
    group->configs = text;
    return KILN_OK;
}

// Reads the contents of the buffers.
static kiln_status_t read_results(const kiln_tune_runner_t *runner, kiln_runner_group_t *group)
{
    for (size_t i = 0; i < runner->buffer_count; i++)
        KILN_TRY(
            kiln_runner_read(kiln_arguments_buffer(runner->arguments, i), &group->expected[i]));
    return KILN_OK;
}

static kiln_status_t compare(const kiln_tune_runner_t *runner, const kiln_runner_group_t *actual,
                             const kiln_runner_group_t *wanted, double *out_error)
{
    *out_error = 0;
    for (size_t i = 0; i < runner->buffer_count; i++) {
        const kiln_named_buffer_t *buffer = kiln_arguments_buffer(runner->arguments, i);
        const bool is_given = wanted->expected && wanted->expected[i];
        if (!is_given)
            KILN_TRY(kiln_runner_initial(buffer, &runner->initial[i]));
        const char *expected = is_given ? wanted->expected[i] : runner->initial[i];
        double error = 0;
        kiln_status_t status = kiln_compare(buffer->type, actual->expected[i], expected,
                                            buffer->element_count, &error);
        if (status)
            return kiln_status_annotate(status, "in buffer '%s'", buffer->name);
        *out_error = error > *out_error ? error : *out_error;
    }
    return KILN_OK;
}

// Expected files ----------------------------------------------------------------------------------

kiln_status_t kiln_tune_runner_expect(kiln_tune_runner_t *runner, const char *text)
{
    KILN_REQUIRE(runner);
    KILN_REQUIRE(text);
    const char *equals = strchr(text, '=');
    if (!equals || !equals[1])
        return kiln_status_make(KILN_STATUS_USAGE, "expected BUFFER=FILE, got '%s'", text);
    size_t index;
    char *expected;
    KILN_TRY(kiln_arguments_find_buffer(runner->arguments, text, (size_t)(equals - text), &index));
    KILN_TRY(kiln_named_buffer_load(kiln_arguments_buffer(runner->arguments, index), equals + 1,
                                    &expected));
    kiln_runner_group_t *group = &runner->groups[0];
    kiln_status_t status = group->expected ? KILN_OK : make_group(runner, group);
    if (status) {
        free(expected);
        return status;
    }
    free(group->expected[index]);
    group->expected[index] = expected;
    runner->group_count = 1;
    runner->is_given = true;
    return KILN_OK;
}

// Unoptimized runs --------------------------------------------------------------------------------

// Compiles the kernels of a candidate; *out_kernels is from calloc, also after a failure.
static kiln_status_t compile_unoptimized(const kiln_tune_runner_t *runner,
                                         const kiln_tune_candidate_t *candidate,
                                         kiln_kernel_t ***out_kernels)
{
    const kiln_steps_t *steps = &runner->steps;
    kiln_session_t *session = NULL;
    kiln_kernel_t **kernels = *out_kernels = calloc(steps->count, sizeof *kernels);
    kiln_status_t status = kernels ? kiln_session_create(&session) : kiln_status_out_of_memory();
    for (size_t i = 0; i < steps->count && !status; i++) {
        kiln_compile_options_t options;
        kiln_setting_t *defines;
        status = kiln_steps_options(steps, i, &runner->problem, candidate, &options, &defines);
        options.disabled_passes = kiln_optimize_passes(&options.disabled_pass_count);
        if (__builtin_mul_overflow(options.max_instructions, UNOPTIMIZED_SIZE,
                                   &options.max_instructions))
            options.max_instructions = UINT32_MAX;
        if (!status)
            status = kiln_compile(session, &steps->items[i].source, &options, &kernels[i]);
        free(defines);
    }
    kiln_session_release(session);
    return status;
}

static void free_kernels(kiln_kernel_t **kernels, size_t count)
{
    for (size_t i = 0; i < count && kernels; i++)
        kiln_kernel_release(kernels[i]);
    free(kernels);
}

static kiln_status_t launch_unoptimized(kiln_tune_runner_t *runner,
                                        const kiln_tune_candidate_t *candidate,
                                        kiln_kernel_t *const *kernels, bool *out_is_prepared)
{
    const size_t count = runner->steps.count;
    kiln_tune_problem_t problem = runner->problem;
    kiln_loaded_t loaded;
    problem.prepare = kiln_tune_runner_prepare;
    problem.prepare_step = kiln_tune_runner_prepare_step;
    problem.user = runner;
    kiln_status_t status = kiln_loaded_prepare(&problem, candidate, kernels, count, &loaded);
    *out_is_prepared = !status;
    if (!status)
        status = kiln_loaded_load(&loaded);
    for (size_t i = 0; i < count && !status; i++) {
        status = kiln_loaded_launch(&loaded, i);
        if (!status)
            status = kiln_tune_wait(runner->problem.launch_limit_ms, runner->problem.device, NULL,
                                    &runner->lost_device);
    }
    kiln_loaded_free(&loaded, runner->lost_device ? KILN_LOADED_LEAVE : KILN_LOADED_UNLOAD);
    return status;
}

// Computes a candidate's results without optional passes. *out_is_usage: the call itself is wrong,
// so no other candidate can be launched either.
static kiln_status_t run_unoptimized(kiln_tune_runner_t *runner,
                                     const kiln_tune_candidate_t *candidate,
                                     kiln_runner_group_t *out_group, bool *out_is_usage)
{
    kiln_kernel_t **kernels;
    bool is_prepared = true;
    *out_group = (kiln_runner_group_t){0};
    kiln_status_t status = compile_unoptimized(runner, candidate, &kernels);
    if (!status)
        status = launch_unoptimized(runner, candidate, kernels, &is_prepared);
    *out_is_usage = !is_prepared && kiln_status_code(status) == KILN_STATUS_USAGE;
    if (!status)
        status = make_group(runner, out_group);
    if (!status)
        status = read_results(runner, out_group);
    if (status)
        kiln_runner_group_free(out_group, runner->buffer_count);
    free_kernels(kernels, runner->steps.count);
    return status;
}

// Making the reference ----------------------------------------------------------------------------

static kiln_status_t take_problem(const char *function, kiln_tune_runner_t *runner,
                                  const kiln_tune_problem_t *problem)
{
    KILN_TRY(kiln_tune_take(function, problem, &runner->problem, &runner->options));
    kiln_steps_free(&runner->steps);
    KILN_TRY(kiln_steps_make(function, &runner->problem, &runner->steps));
    for (size_t i = 0; i < KILN_RUNNER_GROUPS; i++)
        kiln_runner_group_free(&runner->groups[i], runner->buffer_count);
    runner->group_count = 0;
    return KILN_OK;
}

static kiln_status_t make_from(kiln_tune_runner_t *runner, const kiln_tune_candidate_t *candidate,
                               bool *out_is_usage)
{
    kiln_runner_group_t *group = &runner->groups[0];
    KILN_TRY(run_unoptimized(runner, candidate, group, out_is_usage));
    free(runner->reference);
    if (!(runner->reference = strdup(candidate->config)))
        return kiln_status_out_of_memory();
    runner->group_count = 1;
    return KILN_OK;
}

// The outcome of looking for the first candidate that can be the reference.
typedef struct attempt {
    kiln_status_t first; // the first candidate's reason, which is the most informative
    size_t failed;       // candidates
    bool is_over;        // no other candidate can be the reference either
} attempt_t;

// Warns after 8, 16, 32, … failures, because all combinations of a large space may fail.
static void warn_of_failures(const kiln_tune_problem_t *problem, const attempt_t *attempt)
{
    enum { FIRST_WARNING = 8 };
    const size_t count = attempt->failed;
    if (!problem->diagnostic || count < FIRST_WARNING || (count & (count - 1)) != 0)
        return;
    char *text = kiln_string_print("%zu combinations cannot be the reference, and the next ones "
                                   "are tried; the first: %s",
                                   count, kiln_status_message(attempt->first));
    const kiln_diagnostic_t warning = {.severity = KILN_SEVERITY_WARNING,
                                       .message = text ? text
                                                       : "no combination can be the "
                                                         "reference yet"};
    problem->diagnostic(&warning, problem->diagnostic_user);
    free(text);
}

// Tries the next candidate; returns failures that are not a property of it.
static kiln_status_t try_next(kiln_tune_runner_t *runner, kiln_space_walk_t *walk,
                              attempt_t *attempt)
{
    kiln_tune_candidate_t candidate;
    bool found, is_usage = false;
    KILN_TRY(kiln_space_walk_next(walk, &candidate, &found));
    attempt->is_over = !found;
    if (!found)
        return KILN_OK;
    kiln_status_t status = make_from(runner, &candidate, &is_usage);
    kiln_space_candidate_free(&candidate);
    if (is_usage || runner->lost_device || kiln_tune_is_host_failure(status))
        return status;
    attempt->is_over = !status;
    attempt->failed += status != NULL;
    if (attempt->first)
        kiln_status_free(status);
    else
        attempt->first = status;
    return KILN_OK;
}

static kiln_status_t check_cancelled(const kiln_tune_problem_t *problem, const attempt_t *attempt)
{
    if (!problem->is_cancelled || !problem->is_cancelled(problem->user))
        return KILN_OK;
    kiln_status_t status = kiln_status_make(
        KILN_STATUS_NOT_FOUND, "the search was stopped before a candidate could be the reference");
    return attempt->first
               ? kiln_status_annotate(status, "the first of %zu that could not: %s",
                                      attempt->failed, kiln_status_message(attempt->first))
               : status;
}

static bool is_late(const kiln_tune_problem_t *problem, double begin_ms)
{
    return problem->time_limit_ms > 0 && kiln_now_ms() - begin_ms > problem->time_limit_ms;
}

kiln_status_t kiln_tune_runner_make_reference(kiln_tune_runner_t *runner,
                                              const kiln_tune_problem_t *problem)
{
    KILN_REQUIRE(runner);
    KILN_TRY(take_problem(__func__, runner, problem));
    kiln_space_walk_t walk;
    attempt_t attempt = {0};
    const double begin_ms = kiln_now_ms();
    runner->is_given = false;
    kiln_status_t status = kiln_space_walk_in_order(&runner->problem, &walk);
    while (!status && !attempt.is_over) {
        status = check_cancelled(&runner->problem, &attempt);
        if (!status)
            status = try_next(runner, &walk, &attempt);
        if (!status && !attempt.is_over)
            warn_of_failures(&runner->problem, &attempt);
        attempt.is_over |= attempt.first && is_late(&runner->problem, begin_ms);
    }
    kiln_space_walk_free(&walk);
    if (status || runner->group_count) {
        kiln_status_free(attempt.first);
        return status;
    }
    if (!attempt.first)
        return kiln_status_make(KILN_STATUS_USAGE, "no combination of the axes is admitted");
    return kiln_status_annotate(attempt.first,
                                "while computing the reference result without optimization");
}

// Sets the named axes of the settings; the others keep their first values.
static kiln_status_t name_axes(const kiln_tune_problem_t *problem, const kiln_setting_list_t *named,
                               kiln_setting_t *settings)
{
    for (size_t i = 0; i < problem->axis_count; i++)
        settings[i] = (kiln_setting_t){problem->axes[i].name, problem->axes[i].values[0]};
    for (size_t n = 0; n < named->count; n++) {
        bool is_axis = false;
        for (size_t i = 0; i < problem->axis_count; i++)
            if (strcmp(settings[i].name, named->items[n].name) == 0) {
                settings[i].value = named->items[n].value;
                is_axis = true;
            }
        if (!is_axis)
            return kiln_status_make(KILN_STATUS_USAGE, "'%s' of the reference is not an axis",
                                    named->items[n].name);
    }
    return KILN_OK;
}

kiln_status_t kiln_tune_runner_name_reference(kiln_tune_runner_t *runner,
                                              const kiln_tune_problem_t *problem,
                                              const char *config)
{
    KILN_REQUIRE(runner);
    KILN_REQUIRE(config);
    KILN_TRY(take_problem(__func__, runner, problem));
    kiln_space_walk_t walk; // checks the axes
    kiln_status_t invalid = kiln_space_walk_in_order(&runner->problem, &walk);
    kiln_space_walk_free(&walk);
    KILN_TRY(invalid);
    kiln_setting_list_t named = {0};
    kiln_setting_t *settings = calloc(runner->problem.axis_count + 1, sizeof *settings);
    kiln_status_t status =
        settings ? kiln_settings_put_text(&named, config) : kiln_status_out_of_memory();
    if (!status)
        status = name_axes(&runner->problem, &named, settings);
    const kiln_tune_candidate_t candidate = {settings, runner->problem.axis_count, config};
    bool is_usage;
    if (!status)
        status = make_from(runner, &candidate, &is_usage);
    runner->is_given = true;
    kiln_settings_free(&named);
    free(settings);
    if (!*config)
        return kiln_status_annotate(
            status, "while computing the reference, of the defaults, without optimization");
    return kiln_status_annotate(status, "while computing the reference '%s' without optimization",
                                config);
}

bool kiln_tune_runner_lost_device(const kiln_tune_runner_t *runner)
{
    return runner && runner->lost_device;
}

const char *kiln_tune_runner_reference(const kiln_tune_runner_t *runner)
{
    return runner ? runner->reference : NULL;
}

// Verification ------------------------------------------------------------------------------------

// The group with these results; `count` if none has them. *out_status: the difference from the
// first.
static size_t find_group(const kiln_tune_runner_t *runner, const kiln_runner_group_t *actual,
                         double *out_error, kiln_status_t *out_status)
{
    *out_status = compare(runner, actual, &runner->groups[0], out_error);
    double error;
    for (size_t i = 1; i < runner->group_count && *out_status; i++) {
        kiln_status_t status = compare(runner, actual, &runner->groups[i], &error);
        if (!status)
            return i;
        kiln_status_free(status);
    }
    return *out_status ? runner->group_count : 0;
}

static kiln_status_t disagree(kiln_tune_runner_t *runner, size_t group,
                              const kiln_tune_candidate_t *candidate, kiln_status_t why)
{
    kiln_status_t status = add_config(&runner->groups[group], candidate->config);
    if (status) {
        kiln_status_free(why);
        return status;
    }
    status = kiln_status_make(KILN_STATUS_MISMATCH,
                              "computes something else than '%s', also without optimization: %s",
                              runner->reference, kiln_status_message(why));
    kiln_status_free(why);
    return status;
}

// Classifies a result that matches no group: runs the program without optional passes. Takes `why`.
static kiln_status_t settle(kiln_tune_runner_t *runner, const kiln_tune_candidate_t *candidate,
                            const kiln_runner_group_t *actual, kiln_status_t why)
{
    kiln_runner_group_t plain;
    kiln_status_t none;
    double error;
    bool is_usage;
    kiln_status_t status = run_unoptimized(runner, candidate, &plain, &is_usage);
    if (kiln_tune_is_host_failure(status)) {
        kiln_status_free(why);
        return status;
    }
    if (status) { // it cannot run without optional passes
        kiln_status_free(status);
        return why;
    }
    const size_t group = find_group(runner, &plain, &error, &none);
    kiln_status_free(none);
    status = group == runner->group_count ? compare(runner, actual, &plain, &error) : KILN_OK;
    if (group < runner->group_count || status || group == KILN_RUNNER_GROUPS) {
        kiln_runner_group_free(&plain, runner->buffer_count);
        kiln_status_free(status);
        return why; // the optimized code is wrong, or there are too many different results
    }
    runner->groups[runner->group_count++] = plain;
    return disagree(runner, group, candidate, why);
}

kiln_status_t kiln_tune_runner_verify(const kiln_tune_candidate_t *candidate, double *out_error,
                                      void *user)
{
    KILN_REQUIRE_OUT(out_error);
    KILN_REQUIRE(user);
    kiln_tune_runner_t *runner = user;
    kiln_runner_group_t actual;
    kiln_status_t why = KILN_OK, status = make_group(runner, &actual);
    if (!status)
        status = read_results(runner, &actual);
    if (!status) {
        const size_t group = find_group(runner, &actual, out_error, &why);
        if (!why)
            status =
                runner->group_count ? add_config(&runner->groups[0], candidate->config) : KILN_OK;
        else if (runner->is_given || runner->group_count == 0)
            status = why;
        else if (group < runner->group_count)
            status = disagree(runner, group, candidate, why);
        else
            status = settle(runner, candidate, &actual, why);
    }
    kiln_runner_group_free(&actual, runner->buffer_count);
    return status;
}

kiln_status_t kiln_tune_runner_accept(void *user)
{
    KILN_REQUIRE(user);
    const kiln_tune_runner_t *runner = user;
    if (runner->group_count < 2)
        return KILN_OK;
    kiln_string_t text = {0};
    for (size_t i = 0; i < runner->group_count; i++) {
        const kiln_runner_group_t *group = &runner->groups[i];
        if (group->configs)
            kiln_string_appendf(&text, "%s%s", i ? "; " : "", group->configs);
        else // all members of the group are recalled from the store
            kiln_string_appendf(&text, "'%s'", runner->reference);
        if (group->config_count > SHOWN_CONFIGS)
            kiln_string_appendf(&text, " and %zu more", group->config_count - SHOWN_CONFIGS);
    }
    char *groups = kiln_string_take(&text);
    if (!groups)
        return kiln_status_out_of_memory();
    kiln_status_t status = kiln_status_make(
        KILN_STATUS_MISMATCH,
        "the candidates compute %zu different results, also without optimization, so none is known "
        "to be correct: %s; name a correct one (`reference`) or give the expected contents of "
        "buffers",
        runner->group_count, groups);
    free(groups);
    return status;
}
