// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A problem's defaults and checks, and its program.
#include "problem.h"

#include <stdlib.h>
#include <string.h>

#include "base/require.h"

void kiln_tune_problem_initialize_sized(kiln_tune_problem_t *problem, size_t struct_size)
{
    static const kiln_tune_problem_t defaults = {.arguments = "", .conditions = ""};
    kiln_struct_initialize(problem, struct_size, &defaults, sizeof defaults);
}

static kiln_status_t check_axis(const char *function, const kiln_tune_axis_t *axis, size_t index)
{
    if (!axis->name)
        return kiln_status_make(KILN_STATUS_USAGE, "%s: problem->axes[%zu].name is NULL", function,
                                index);
    for (size_t i = 0; i < axis->value_count; i++)
        if (!axis->values || !axis->values[i])
            return kiln_status_make(KILN_STATUS_USAGE,
                                    "%s: a value of problem->axes[%zu] ('%s') is NULL", function,
                                    index, axis->name);
    return KILN_OK;
}

// Checks that an axis has no fixed value and occurs once.
static kiln_status_t check_name(const kiln_tune_problem_t *problem, size_t index)
{
    const char *name = problem->axes[index].name;
    const kiln_compile_options_t *options = problem->options;
    for (size_t i = 0; i < options->define_count; i++)
        if (strcmp(options->defines[i].name, name) == 0)
            return kiln_status_make(KILN_STATUS_USAGE,
                                    "'%s' is both an axis and set to %s; remove one", name,
                                    options->defines[i].value);
    for (size_t i = 0; i < problem->fixed_count; i++)
        if (strcmp(problem->fixed[i].name, name) == 0)
            return kiln_status_make(KILN_STATUS_USAGE,
                                    "'%s' is both an axis and set to %s; remove one", name,
                                    problem->fixed[i].value);
    for (size_t i = 0; i < index; i++)
        if (strcmp(problem->axes[i].name, name) == 0)
            return kiln_status_make(KILN_STATUS_USAGE, "duplicate axis '%s'", name);
    return KILN_OK;
}

static kiln_status_t check_problem(const char *function, const kiln_tune_problem_t *problem)
{
    const char *missing = !problem->source.text                     ? "source.text"
                          : !problem->device                        ? "device"
                          : problem->axis_count && !problem->axes   ? "axes"
                          : !problem->arguments                     ? "arguments"
                          : !problem->conditions                    ? "conditions"
                          : problem->fixed_count && !problem->fixed ? "fixed"
                          : problem->then_count && !problem->then   ? "then"
                                                                    : NULL;
    if (missing)
        return kiln_status_make(KILN_STATUS_USAGE, "%s: problem->%s is NULL", function, missing);
    if (problem->shard_count ? problem->shard < 1 || problem->shard > problem->shard_count
                             : problem->shard > 0)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "%s: problem->shard is %zu; expected 1 to problem->shard_count, "
                                "which is %zu",
                                function, problem->shard, problem->shard_count);
    for (size_t i = 0; i < problem->fixed_count; i++)
        if (!problem->fixed[i].name || !problem->fixed[i].value)
            return kiln_status_make(KILN_STATUS_USAGE, "%s: problem->fixed[%zu] contains a NULL",
                                    function, i);
    for (size_t i = 0; i < problem->axis_count; i++) {
        KILN_TRY(check_axis(function, &problem->axes[i], i));
        KILN_TRY(check_name(problem, i));
    }
    return KILN_OK;
}

kiln_status_t kiln_tune_take(const char *function, const kiln_tune_problem_t *given,
                             kiln_tune_problem_t *out_problem, kiln_compile_options_t *out_options)
{
    kiln_tune_problem_initialize(out_problem);
    kiln_compile_options_initialize(out_options);
    KILN_TRY(kiln_struct_take(function, "problem", "kiln_tune_problem_t", out_problem,
                              sizeof *out_problem, given));
    if (out_problem->options)
        KILN_TRY(kiln_struct_take(function, "problem->options", "kiln_compile_options_t",
                                  out_options, sizeof *out_options, out_problem->options));
    if (!out_options->max_instructions)
        out_options->max_instructions = KILN_TUNE_MAX_INSTRUCTIONS;
    out_problem->options = out_options;
    return check_problem(function, out_problem);
}

kiln_status_t kiln_tune_parse(const kiln_tune_problem_t *problem,
                              const kiln_tune_candidate_t *candidate, kiln_kernel_t **out_kernel)
{
    kiln_compile_options_t options;
    kiln_setting_t *defines;
    kiln_session_t *session = NULL;
    const kiln_stage_t stage = problem->source.stage;
    *out_kernel = NULL;
    KILN_TRY(kiln_tune_candidate_options(problem, candidate, &options, &defines));
    // A module that is only read and printed has no chosen kernel.
    options.last_stage = stage == KILN_STAGE_TILE ? KILN_STAGE_TT
                         : stage == KILN_STAGE_TT ? KILN_STAGE_TTG
                                                  : KILN_STAGE_LLVM;
    options.warning_count = 0;
    kiln_status_t status = kiln_session_create(&session);
    if (!status)
        status = kiln_compile(session, &problem->source, &options, out_kernel);
    kiln_session_release(session);
    free(defines);
    return status;
}

kiln_tune_problem_t kiln_tune_inner_problem(const kiln_tune_problem_t *problem,
                                            const kiln_tune_axis_t *axes, size_t axis_count)
{
    kiln_tune_problem_t inner = *problem;
    inner.axes = axes;
    inner.axis_count = axis_count;
    inner.strategy = KILN_TUNE_EXHAUSTIVE;
    inner.budget = inner.shard = inner.shard_count = 0;
    inner.time_limit_ms = 0;
    inner.store = NULL;
    inner.group = NULL;
    inner.plan = NULL;
    inner.admit = NULL;
    inner.accept = NULL;
    inner.progress = NULL;
    inner.is_cancelled = NULL;
    inner.diagnostic = NULL; // the outer search reports warnings
    return inner;
}
