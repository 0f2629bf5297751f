// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches candidates over named arguments.
//
// Arguments that depend on the candidate are created anew for each; the others keep their memory.
#include "runner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/require.h"
#include "base/string.h"

enum { MAX_SETTINGS = 256 };

kiln_status_t kiln_runner_read(const kiln_named_buffer_t *buffer, char **io_data)
{
    free(*io_data);
    *io_data = malloc(buffer->size + 1);
    return *io_data ? kiln_named_buffer_read(buffer, *io_data) : kiln_status_out_of_memory();
}

kiln_status_t kiln_tune_runner_create(kiln_arguments_t *arguments, const char *grid,
                                      const kiln_setting_t *fixed, size_t fixed_count,
                                      kiln_tune_runner_t **out_runner)
{
    KILN_REQUIRE_OUT(out_runner);
    KILN_REQUIRE(arguments);
    KILN_REQUIRE_ARRAY(fixed, fixed_count);
    kiln_tune_runner_t *runner = *out_runner = calloc(1, sizeof *runner);
    if (!runner)
        return kiln_status_out_of_memory();
    size_t value_count;
    kiln_arguments_values(arguments, &value_count);
    *runner = (kiln_tune_runner_t){.arguments = arguments,
                                   .grid = grid,
                                   .fixed = fixed,
                                   .fixed_count = fixed_count,
                                   .buffer_count = kiln_arguments_buffer_count(arguments)};
    runner->initial = calloc(runner->buffer_count + 1, sizeof *runner->initial);
    runner->settings = calloc(MAX_SETTINGS, sizeof *runner->settings);
    runner->scalars = calloc(value_count + 1, sizeof *runner->scalars);
    kiln_status_t status = runner->initial && runner->settings && runner->scalars
                               ? KILN_OK
                               : kiln_status_out_of_memory();
    for (size_t i = 0; i < runner->buffer_count && !status; i++)
        status = kiln_runner_read(kiln_arguments_buffer(arguments, i), &runner->initial[i]);
    if (status) {
        kiln_tune_runner_release(runner);
        *out_runner = NULL;
    }
    return status;
}

void kiln_tune_runner_release(kiln_tune_runner_t *runner)
{
    if (!runner)
        return;
    for (size_t i = 0; i < runner->buffer_count && runner->initial; i++)
        free(runner->initial[i]);
    for (size_t i = 0; i < KILN_RUNNER_GROUPS; i++)
        kiln_runner_group_free(&runner->groups[i], runner->buffer_count);
    for (size_t i = 0; i < runner->varying_count; i++)
        free(runner->varying[i]);
    kiln_runner_begin(runner);
    kiln_arguments_release(runner->own);
    free(runner->varying);
    free(runner->initial);
    free(runner->settings);
    free(runner->scalars);
    free(runner->reference);
    free(runner->given);
    free(runner->values);
    free(runner->storage);
    free(runner);
}

kiln_status_t kiln_tune_runner_add(kiln_tune_runner_t *runner, const char *text)
{
    KILN_REQUIRE(runner);
    KILN_REQUIRE(text);
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return kiln_status_make(KILN_STATUS_USAGE, "expected NAME=VALUE, got '%s'", text);
    char **grown = realloc(runner->varying, (runner->varying_count + 1) * sizeof *grown);
    if (!grown)
        return kiln_status_out_of_memory();
    runner->varying = grown;
    if (!(grown[runner->varying_count] = strdup(text)))
        return kiln_status_out_of_memory();
    runner->varying_count++;
    return KILN_OK;
}

// Sets the names: the settings of a candidate, and the constants that it leaves at their defaults.
static kiln_status_t set_names(kiln_tune_runner_t *runner, const kiln_tune_candidate_t *candidate,
                               const kiln_kernel_t *kernel, size_t *out_count)
{
    size_t count = 0;
    if (runner->fixed_count + candidate->setting_count > MAX_SETTINGS)
        return kiln_status_make(KILN_STATUS_USAGE, "more than %d settings", MAX_SETTINGS);
    for (size_t i = 0; i < runner->fixed_count; i++)
        runner->settings[count++] = runner->fixed[i];
    for (size_t i = 0; i < candidate->setting_count; i++)
        runner->settings[count++] = candidate->settings[i];
    kiln_setting_t constant;
    for (size_t i = 0; count < MAX_SETTINGS && (constant = kiln_kernel_constant(kernel, i)).name;
         i++)
        runner->settings[count++] = constant;
    *out_count = count;
    return KILN_OK;
}

// Creates the arguments that depend on the candidate. Their expressions may use the scalars.
static kiln_status_t make_own(kiln_tune_runner_t *runner, size_t setting_count)
{
    size_t value_count, count = setting_count;
    const kiln_jit_argument_t *values = kiln_arguments_values(runner->arguments, &value_count);
    kiln_arguments_release(runner->own);
    runner->own = NULL;
    if (runner->varying_count == 0)
        return KILN_OK;
    for (size_t i = 0; i < value_count && count < MAX_SETTINGS; i++)
        if (values[i].kind == KILN_JIT_INTEGER) {
            snprintf(runner->scalars[i], sizeof runner->scalars[i], "%" PRId64, values[i].integer);
            runner->settings[count++] = (kiln_setting_t){values[i].name, runner->scalars[i]};
        }
    KILN_TRY(kiln_arguments_create(kiln_arguments_device(runner->arguments), &runner->own));
    kiln_arguments_define(runner->own, runner->settings, count);
    for (size_t i = 0; i < runner->varying_count; i++)
        KILN_TRY(kiln_arguments_add(runner->own, runner->varying[i]));
    return KILN_OK;
}

static kiln_status_t gather(kiln_tune_runner_t *runner, size_t *out_count)
{
    size_t count, own_count;
    const kiln_jit_argument_t *values = kiln_arguments_values(runner->arguments, &count),
                              *own = kiln_arguments_values(runner->own, &own_count);
    kiln_jit_argument_t *given = realloc(runner->given, (count + own_count + 1) * sizeof *given);
    if (!given)
        return kiln_status_out_of_memory();
    runner->given = given;
    if (count)
        memcpy(given, values, count * sizeof *given);
    if (own_count)
        memcpy(given + count, own, own_count * sizeof *given);
    *out_count = count + own_count;
    return KILN_OK;
}

static kiln_status_t bind(kiln_tune_runner_t *runner, const kiln_kernel_t *kernel)
{
    size_t value_count = 0, count = kiln_kernel_argument_count(kernel);
    KILN_TRY(gather(runner, &value_count));
    uint64_t *storage = realloc(runner->storage, (count + value_count + 1) * sizeof *storage);
    if (!storage)
        return kiln_status_out_of_memory();
    runner->storage = storage;
    void **cells = realloc(runner->values, (count + 1) * sizeof *cells);
    if (!cells)
        return kiln_status_out_of_memory();
    runner->values = cells;
    kiln_parameter_t *parameters = calloc(count + 1, sizeof *parameters);
    if (!parameters)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < count; i++) {
        const kiln_argument_t *argument = kiln_kernel_argument(kernel, i);
        parameters[i] = (kiln_parameter_t){argument->name, argument->type};
    }
    kiln_status_t status = kiln_jit_bind(kiln_kernel_name(kernel), parameters, count, runner->given,
                                         value_count, runner->storage);
    for (size_t i = 0; i < count && !status; i++)
        runner->values[i] = &runner->storage[i];
    free(parameters);
    return status;
}

void kiln_runner_set_grid(kiln_tune_runner_t *runner, kiln_jit_grid_fn grid_of, void *user)
{
    runner->grid_of = grid_of;
    runner->grid_user = user;
}

// `setting_count` settings are the names that a grid may use.
static kiln_status_t set_grid(const kiln_tune_runner_t *runner, const kiln_kernel_t *kernel,
                              size_t setting_count, unsigned out_grid[3])
{
    if (runner->grid_of)
        return runner->grid_of(runner->settings, setting_count, out_grid, runner->grid_user);
    const char *grid = runner->grid ? runner->grid : kiln_kernel_declared_grid(kernel);
    if (grid)
        return kiln_arguments_grid(runner->arguments, grid, out_grid);
    if (!kiln_kernel_reads_program_id(kernel))
        return KILN_OK;
    return kiln_status_make(KILN_STATUS_USAGE,
                            "kernel '%s' reads a program id, but its grid is unknown; set `grid`, "
                            "or declare it before the kernel: [[grid(cdiv(n, BLOCK))]]",
                            kiln_kernel_name(kernel));
}

kiln_status_t kiln_tune_runner_prepare(const kiln_tune_candidate_t *candidate,
                                       const kiln_kernel_t *kernel, kiln_launch_t *out_launch,
                                       void *user)
{
    KILN_REQUIRE(candidate);
    KILN_REQUIRE(kernel);
    KILN_REQUIRE(out_launch);
    KILN_REQUIRE(user);
    kiln_tune_runner_t *runner = user;
    size_t count = 0;
    KILN_TRY(set_names(runner, candidate, kernel, &count));
    kiln_arguments_define(runner->arguments, runner->settings, count);
    KILN_TRY(set_grid(runner, kernel, count, out_launch->grid));
    kiln_runner_begin(runner);
    KILN_TRY(make_own(runner, count));
    for (size_t i = 0; i < runner->buffer_count; i++)
        KILN_TRY(kiln_named_buffer_write(kiln_arguments_buffer(runner->arguments, i),
                                         runner->initial[i]));
    KILN_TRY(bind(runner, kernel));
    out_launch->args = runner->values;
    return KILN_OK;
}
