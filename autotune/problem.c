// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A problem's defaults and checks, and its program.
#include "problem.h"

#include <stdlib.h>
#include <string.h>

#include "base/require.h"
#include "base/string.h"
#include "steps.h"

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

// Whether a name can be that of a setting. Those of a sequence may be those of a kernel in another
// file; steps.c checks them.
static bool can_name(const kiln_tune_problem_t *problem, const char *name)
{
    return problem->source.stage == KILN_STAGE_TILE || problem->then_count > 0 ||
           kiln_compile_option_find(name, strlen(name));
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
    if (!can_name(problem, name))
        return kiln_status_make(KILN_STATUS_USAGE,
                                "the axis '%s' has no effect: it is not a compile option, and only "
                                "Tile C has constexpr parameters",
                                name);
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
    for (size_t i = 0; i < problem->fixed_count; i++)
        if (!can_name(problem, problem->fixed[i].name))
            return kiln_status_make(KILN_STATUS_USAGE,
                                    "the setting `%s` has no effect here: it is not a compile "
                                    "option, and only Tile C has constexpr parameters",
                                    problem->fixed[i].name);
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

static kiln_status_t parse(const kiln_source_t *source, kiln_compile_options_t *options,
                           kiln_kernel_t **out_kernel)
{
    kiln_session_t *session = NULL;
    *out_kernel = NULL;
    // A module that is only read and printed has no chosen kernel.
    options->last_stage = source->stage == KILN_STAGE_TILE ? KILN_STAGE_TT
                          : source->stage == KILN_STAGE_TT ? KILN_STAGE_TTG
                                                           : KILN_STAGE_LLVM;
    options->warning_count = 0;
    kiln_status_t status = kiln_session_create(&session);
    if (!status)
        status = kiln_compile(session, source, options, out_kernel);
    kiln_session_release(session);
    return status;
}

kiln_status_t kiln_tune_parse(const kiln_tune_problem_t *problem,
                              const kiln_tune_candidate_t *candidate, kiln_kernel_t **out_kernel)
{
    kiln_compile_options_t options;
    kiln_setting_t *defines;
    *out_kernel = NULL;
    KILN_TRY(kiln_tune_candidate_options(problem, candidate, &options, &defines));
    kiln_status_t status = parse(&problem->source, &options, out_kernel);
    free(defines);
    return status;
}

// Constants ---------------------------------------------------------------------------------------

static bool has_constant(const kiln_setting_list_t *constants, const char *name)
{
    for (size_t i = 0; i < constants->count; i++)
        if (strcmp(constants->items[i].name, name) == 0)
            return true;
    return false;
}

static kiln_status_t add_constant(const kiln_setting_t *constant, kiln_setting_list_t *constants)
{
    if (has_constant(constants, constant->name))
        return KILN_OK;
    return kiln_settings_put(constants, constant->name, strlen(constant->name), constant->value,
                             strlen(constant->value));
}

// Adds KERNEL.NAME.
static kiln_status_t add_own_constant(const char *kernel, const kiln_setting_t *constant,
                                      kiln_setting_list_t *constants)
{
    char *name = kiln_string_print("%s.%s", kernel, constant->name);
    const kiln_setting_t own = {name, constant->value};
    kiln_status_t status = name ? add_constant(&own, constants) : kiln_status_out_of_memory();
    free(name);
    return status;
}

static kiln_status_t add_constants(const kiln_steps_t *steps, size_t step,
                                   const kiln_tune_problem_t *problem,
                                   const kiln_tune_candidate_t *candidate,
                                   kiln_setting_list_t *constants)
{
    kiln_compile_options_t options;
    kiln_setting_t *defines, constant;
    kiln_kernel_t *kernel = NULL;
    kiln_status_t status = kiln_steps_options(steps, step, problem, candidate, &options, &defines);
    if (!status)
        status = parse(&steps->items[step].source, &options, &kernel);
    for (size_t i = 0; !status && (constant = kiln_kernel_constant(kernel, i)).name; i++) {
        status = add_constant(&constant, constants);
        if (!status && kiln_steps_is_sequence(steps))
            status = add_own_constant(kiln_kernel_name(kernel), &constant, constants);
    }
    kiln_kernel_release(kernel);
    free(defines);
    return status;
}

kiln_status_t kiln_tune_constants(const kiln_tune_problem_t *given,
                                  const kiln_tune_candidate_t *candidate,
                                  kiln_setting_list_t *out_constants)
{
    kiln_tune_problem_t problem;
    kiln_compile_options_t options;
    kiln_steps_t steps = {0};
    *out_constants = (kiln_setting_list_t){0};
    KILN_TRY(kiln_tune_take(__func__, given, &problem, &options));
    kiln_status_t status = kiln_steps_make(__func__, &problem, &steps);
    for (size_t i = 0; i < steps.count && !status; i++)
        status = add_constants(&steps, i, &problem, candidate, out_constants);
    kiln_steps_free(&steps);
    if (status)
        kiln_settings_free(out_constants);
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
