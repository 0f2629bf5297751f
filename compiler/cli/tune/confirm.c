// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies what a search has only predicted.
//
// Note that candidates are compiled for the problem's own arguments: what the compiler assumes
// about them, such as divisibility by 16, also holds for the smaller ones.
#include "confirm.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/string.h"
#include "build.h"
#include "kiln/tune_runner.h"
#include "problem.h"
#include "progress.h"

enum { MIN_UNIT = 16 }; // the divisibility of integers by it is all that the compiler uses

// Sizes -------------------------------------------------------------------------------------------

static void take_larger(int64_t *io_max, const char *text)
{
    int64_t value;
    if (kiln_integer_parse_all(text, 0, &value) && value > *io_max)
        *io_max = value;
}

// The largest constant of the candidate's kernels.
static kiln_status_t find_constants(const kiln_tune_problem_t *problem,
                                    const kiln_tune_candidate_t *candidate, int64_t *io_max)
{
    kiln_tune_problem_t taken;
    kiln_compile_options_t options;
    kiln_steps_t steps = {0};
    kiln_tune_builder_t *builder = NULL;
    kiln_tune_build_t build = {0};
    const bool skipped[1] = {false};
    kiln_setting_t constant;
    kiln_status_t status = kiln_tune_take(__func__, problem, &taken, &options);
    taken.jobs = 1;
    if (!status)
        status = kiln_steps_make(__func__, &taken, &steps);
    if (!status)
        status = kiln_tune_builder_create(&taken, &steps, candidate, skipped, 1, &builder);
    if (!status)
        status = kiln_tune_builder_take(builder, 0, &build);
    for (size_t i = 0; build.kernels && i < build.count; i++)
        for (size_t k = 0; (constant = kiln_kernel_constant(build.kernels[i], k)).name; k++)
            take_larger(io_max, constant.value);
    kiln_tune_build_free(&build);
    kiln_tune_builder_release(builder);
    kiln_steps_free(&steps);
    return status;
}

// A power of two that no constant exceeds.
static kiln_status_t find_unit(const kiln_tune_problem_t *problem,
                               const kiln_tune_candidate_t *candidate, int64_t *out_unit)
{
    int64_t max = MIN_UNIT;
    for (size_t i = 0; i < problem->axis_count; i++)
        for (size_t v = 0; v < problem->axes[i].value_count; v++)
            take_larger(&max, problem->axes[i].values[v]);
    KILN_TRY(find_constants(problem, candidate, &max));
    *out_unit = MIN_UNIT;
    while (*out_unit < max && *out_unit < INT64_MAX / 8)
        *out_unit *= 2;
    return KILN_OK;
}

// NAME=VALUE with a smaller value, or a copy of the word; NULL if out of memory.
static char *shrink(const char *word, int64_t unit)
{
    const char *equals = strchr(word, '=');
    int64_t value;
    if (!equals || !kiln_integer_parse_all(equals + 1, 0, &value) || value <= 3 * unit)
        return strdup(word);
    return kiln_string_print("%.*s=%" PRId64, (int)(equals - word), word, value % unit + 2 * unit);
}

// Set-up ------------------------------------------------------------------------------------------

// A simulator that also executes.
static kiln_status_t open_device(kiln_device_t **out_device)
{
    static const char *const clock = "KILN_SIM_CLOCK";
    const char *given = kiln_environment(clock);
    kiln_flag_override(clock, "model");
    kiln_status_t status = kiln_device_from_environment(out_device);
    kiln_flag_override(clock, given);
    return status;
}

static kiln_status_t make_runner(kiln_tune_confirmation_t *c)
{
    KILN_TRY(kiln_tune_words_sort(c->small, c->word_count, c->problem, c->defaults, &c->sorted));
    KILN_TRY(kiln_launch_arguments(c->launch, c->device, c->sorted.fixed, c->sorted.fixed_count,
                                   &c->arguments));
    c->sizes = kiln_arguments_tuning_key(c->arguments, NULL);
    if (!c->sizes)
        return kiln_status_out_of_memory();
    return kiln_tune_words_runner(c->launch, &c->sorted, c->defaults, c->arguments, &c->runner);
}

// A problem with one candidate, on the simulator that executes.
static kiln_tune_problem_t problem_of(const kiln_tune_confirmation_t *c,
                                      const kiln_tune_candidate_t *candidate,
                                      kiln_tune_axis_t *axes)
{
    for (size_t i = 0; i < candidate->setting_count; i++)
        axes[i] = (kiln_tune_axis_t){candidate->settings[i].name, &candidate->settings[i].value, 1};
    kiln_tune_problem_t problem =
        kiln_tune_inner_problem(c->problem, axes, candidate->setting_count);
    problem.device = c->device;
    problem.jobs = 1;
    problem.user = c->runner;
    problem.confirm = NULL;
    return problem;
}

static kiln_status_t make_reference(const kiln_tune_confirmation_t *c,
                                    const kiln_tune_candidate_t *candidate, kiln_tune_axis_t *axes)
{
    kiln_tune_problem_t problem = problem_of(c, candidate, axes);
    if (!c->reference) // later the runner needs the problem's source and options, not its axes
        return kiln_tune_runner_make_reference(c->runner, &problem);
    problem.axes = c->problem->axes;
    problem.axis_count = c->problem->axis_count;
    return kiln_tune_runner_name_reference(c->runner, &problem, c->reference);
}

static kiln_status_t set_up(kiln_tune_confirmation_t *c, const kiln_tune_candidate_t *candidate)
{
    int64_t unit = 0;
    kiln_tune_axis_t *axes = calloc(candidate->setting_count + 1, sizeof *axes);
    if (!axes)
        return kiln_status_out_of_memory();
    kiln_status_t status = find_unit(c->problem, candidate, &unit);
    if (!status && !(c->small = calloc(c->word_count + 1, sizeof *c->small)))
        status = kiln_status_out_of_memory();
    for (size_t i = 0; i < c->word_count && !status; i++)
        if (!(c->small[i] = shrink(c->words[i], unit)))
            status = kiln_status_out_of_memory();
    if (!status)
        status = open_device(&c->device);
    if (!status)
        status = make_runner(c);
    kiln_tune_end_progress();
    if (!status && !c->is_quiet)
        fprintf(stderr, "kiln: verifying the best candidates%s%s\n", *c->sizes ? " at " : "",
                c->sizes);
    if (!status)
        status = make_reference(c, candidate, axes);
    free(axes);
    return status;
}

// Verification ------------------------------------------------------------------------------------

// Warns once that nothing can be verified.
static kiln_status_t give_up(kiln_tune_confirmation_t *c, kiln_status_t why)
{
    c->is_hopeless = true;
    if (kiln_tune_is_host_failure(why))
        return why;
    char *text = kiln_status_format(why);
    if (!c->is_quiet)
        fprintf(stderr, "kiln: warning: the best candidates cannot be verified%s%s: %s\n",
                c->sizes && *c->sizes ? " at " : "", c->sizes ? c->sizes : "",
                text ? text : kiln_status_message(why));
    free(text);
    kiln_status_free(why);
    return KILN_OK;
}

// Takes `why`, the reason why the candidate is wrong.
static kiln_status_t refute(const kiln_tune_confirmation_t *c, kiln_status_t why)
{
    kiln_status_t disagreement = kiln_tune_runner_accept(c->runner);
    if (!disagreement && !c->is_quiet)
        fprintf(stderr, "kiln: %s\n", kiln_status_message(why));
    if (!disagreement)
        return why;
    kiln_status_free(why);
    if (kiln_status_code(disagreement) != KILN_STATUS_MISMATCH)
        return disagreement;
    kiln_status_t status =
        kiln_status_make(KILN_STATUS_INVALID_INPUT, "%s%s%s", kiln_status_message(disagreement),
                         *c->sizes ? "; at " : "", c->sizes);
    kiln_status_free(disagreement);
    return status;
}

kiln_status_t kiln_tune_confirm(const kiln_tune_candidate_t *candidate, double *out_error,
                                void *confirmation)
{
    kiln_tune_confirmation_t *c = confirmation;
    *out_error = NAN;
    kiln_status_t status = c->device || c->is_hopeless ? KILN_OK : set_up(c, candidate);
    if (status)
        return give_up(c, status);
    if (c->is_hopeless)
        return KILN_OK;
    kiln_tune_axis_t *axes = calloc(candidate->setting_count + 1, sizeof *axes);
    if (!axes)
        return kiln_status_out_of_memory();
    const kiln_tune_problem_t problem = problem_of(c, candidate, axes);
    kiln_tune_result_t *result = NULL;
    status = kiln_tune(&problem, &result);
    if (!status)
        *out_error = kiln_tune_result_sample(result, 0)->error;
    kiln_tune_result_release(result);
    free(axes);
    return kiln_status_code(status) == KILN_STATUS_MISMATCH ? refute(c, status) : status;
}

void kiln_tune_confirmation_free(kiln_tune_confirmation_t *confirmation)
{
    kiln_tune_runner_release(confirmation->runner);
    kiln_arguments_release(confirmation->arguments);
    kiln_tune_words_free(&confirmation->sorted);
    for (size_t i = 0; i < confirmation->word_count && confirmation->small; i++)
        free(confirmation->small[i]);
    free(confirmation->small);
    free(confirmation->sizes);
    kiln_device_release(confirmation->device);
    *confirmation = (kiln_tune_confirmation_t){0};
}
