// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launching and verifying candidates over named arguments.
#include "kiln/tune_runner.h"

#include <stdlib.h>
#include <string.h>

#include "base/require.h"
#include "base/string.h"
#include "kiln/compare.h"
#include "problem.h"
#include "space.h"

enum { MAX_SETTINGS = 256 };

struct kiln_tune_runner {
    kiln_arguments_t *arguments; // borrowed
    const char *grid;            // borrowed
    const kiln_setting_t *fixed; // borrowed
    size_t fixed_count, buffer_count;
    char **initial, **expected; // per buffer: bytes before a launch, and after the right one
    kiln_setting_t *settings;   // of the candidate at hand, fixed ones included
    void **values;              // of the launch at hand
    uint64_t *storage;
};

static kiln_status_t read_buffer(const kiln_named_buffer_t *buffer, char **out_data)
{
    free(*out_data);
    *out_data = malloc(buffer->size + 1);
    return *out_data ? kiln_named_buffer_read(buffer, *out_data) : kiln_status_out_of_memory();
}

kiln_status_t kiln_tune_runner_create(kiln_arguments_t *arguments, const char *grid, const kiln_setting_t *fixed,
                                      size_t fixed_count, kiln_tune_runner_t **out_runner)
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
    runner->expected = calloc(runner->buffer_count + 1, sizeof *runner->expected);
    runner->settings = calloc(MAX_SETTINGS, sizeof *runner->settings);
    runner->values = calloc(value_count + 1, sizeof *runner->values);
    runner->storage = calloc(value_count + 1, sizeof *runner->storage);
    kiln_status_t status = runner->initial && runner->expected && runner->settings && runner->values && runner->storage
                               ? KILN_OK
                               : kiln_status_out_of_memory();
    for (size_t i = 0; i < runner->buffer_count && !status; i++)
        status = read_buffer(kiln_arguments_buffer(arguments, i), &runner->initial[i]);
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
    for (size_t i = 0; i < runner->buffer_count; i++) {
        if (runner->initial)
            free(runner->initial[i]);
        if (runner->expected)
            free(runner->expected[i]);
    }
    free(runner->initial);
    free(runner->expected);
    free(runner->settings);
    free(runner->values);
    free(runner->storage);
    free(runner);
}

kiln_status_t kiln_tune_runner_expect(kiln_tune_runner_t *runner, const char *text)
{
    KILN_REQUIRE(runner);
    KILN_REQUIRE(text);
    const char *equals = strchr(text, '=');
    if (!equals || !equals[1])
        return kiln_status_make(KILN_STATUS_USAGE, "'%s' is no BUFFER=FILE", text);
    size_t index;
    char *expected;
    KILN_TRY(kiln_arguments_find_buffer(runner->arguments, text, (size_t)(equals - text), &index));
    KILN_TRY(kiln_named_buffer_load(kiln_arguments_buffer(runner->arguments, index), equals + 1, &expected));
    free(runner->expected[index]);
    runner->expected[index] = expected;
    return KILN_OK;
}

static kiln_status_t set_arguments(kiln_tune_runner_t *runner, const kiln_kernel_t *kernel)
{
    size_t value_count, count = kiln_kernel_argument_count(kernel);
    const kiln_jit_argument_t *values = kiln_arguments_values(runner->arguments, &value_count);
    kiln_parameter_t *parameters = calloc(count + 1, sizeof *parameters);
    if (!parameters)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < count; i++) {
        const kiln_argument_t *argument = kiln_kernel_argument(kernel, i);
        parameters[i] = (kiln_parameter_t){argument->name, argument->type};
    }
    kiln_status_t status =
        kiln_jit_bind(kiln_kernel_name(kernel), parameters, count, values, value_count, runner->storage);
    for (size_t i = 0; i < count && !status; i++)
        runner->values[i] = &runner->storage[i];
    free(parameters);
    return status;
}

kiln_status_t kiln_tune_runner_prepare(const kiln_tune_candidate_t *candidate, const kiln_kernel_t *kernel,
                                       kiln_launch_t *out_launch, void *user)
{
    KILN_REQUIRE(candidate);
    KILN_REQUIRE(kernel);
    KILN_REQUIRE(out_launch);
    KILN_REQUIRE(user);
    kiln_tune_runner_t *runner = user;
    if (runner->fixed_count + candidate->setting_count > MAX_SETTINGS)
        return kiln_status_make(KILN_STATUS_USAGE, "more than %d settings", MAX_SETTINGS);
    for (size_t i = 0; i < runner->buffer_count; i++)
        KILN_TRY(kiln_named_buffer_write(kiln_arguments_buffer(runner->arguments, i), runner->initial[i]));
    KILN_TRY(set_arguments(runner, kernel));
    size_t count = 0;
    for (size_t i = 0; i < runner->fixed_count; i++)
        runner->settings[count++] = runner->fixed[i];
    for (size_t i = 0; i < candidate->setting_count; i++)
        runner->settings[count++] = candidate->settings[i];
    kiln_setting_t constant;
    for (size_t i = 0; count < MAX_SETTINGS && (constant = kiln_kernel_constant(kernel, i)).name; i++)
        runner->settings[count++] = constant; // those that nothing above sets have their defaults
    kiln_arguments_define(runner->arguments, runner->settings, count);
    out_launch->args = runner->values;
    return runner->grid ? kiln_arguments_grid(runner->arguments, runner->grid, out_launch->grid) : KILN_OK;
}

kiln_status_t kiln_tune_runner_verify(const kiln_tune_candidate_t *candidate, double *out_error, void *user)
{
    KILN_REQUIRE_OUT(out_error);
    KILN_REQUIRE(user);
    (void)candidate;
    kiln_tune_runner_t *runner = user;
    for (size_t i = 0; i < runner->buffer_count; i++) {
        const kiln_named_buffer_t *buffer = kiln_arguments_buffer(runner->arguments, i);
        const char *expected = runner->expected[i] ? runner->expected[i] : runner->initial[i];
        char *actual = NULL;
        double error = 0;
        kiln_status_t status = read_buffer(buffer, &actual);
        if (!status)
            status = kiln_compare(buffer->type, actual, expected, buffer->element_count, &error);
        free(actual);
        if (status)
            return kiln_status_annotate(status, "in buffer '%s'", buffer->name);
        *out_error = error > *out_error ? error : *out_error;
    }
    return KILN_OK;
}

static kiln_status_t compile_plainly(const kiln_tune_problem_t *problem, const kiln_tune_candidate_t *candidate,
                                     kiln_kernel_t **out_kernel)
{
    kiln_compile_options_t options = *problem->options;
    kiln_setting_t defines[MAX_SETTINGS];
    KILN_TRY(kiln_compile_options_apply(&options, candidate->settings, candidate->setting_count, defines));
    options.disabled_passes = kiln_faster_passes(&options.disabled_pass_count);
    kiln_session_t *session = NULL;
    kiln_status_t status = kiln_session_create(&session);
    if (!status)
        status = kiln_compile(session, &problem->source, &options, out_kernel);
    kiln_session_release(session);
    return status;
}

static kiln_status_t run_reference(kiln_tune_runner_t *runner, const kiln_tune_problem_t *problem,
                                   const kiln_tune_candidate_t *candidate, const kiln_kernel_t *kernel)
{
    size_t size;
    const void *code = kiln_kernel_code_object(kernel, &size);
    kiln_module_t *module = NULL;
    kiln_function_t *function = NULL;
    kiln_launch_t launch;
    kiln_launch_initialize(&launch);
    kiln_status_t status = kiln_module_load(problem->device, code, size, &module);
    if (!status)
        status = kiln_module_function(module, kiln_kernel_name(kernel), &function);
    if (!status)
        status = kiln_tune_runner_prepare(candidate, kernel, &launch, runner);
    if (!status)
        status = kiln_function_launch(function, &launch);
    if (!status)
        status = kiln_device_synchronize(problem->device);
    for (size_t i = 0; i < runner->buffer_count && !status; i++)
        status = read_buffer(kiln_arguments_buffer(runner->arguments, i), &runner->expected[i]);
    kiln_module_release(module);
    return status;
}

static kiln_status_t make_reference(kiln_tune_runner_t *runner, const kiln_tune_problem_t *problem)
{
    size_t size;
    KILN_TRY(kiln_space_size(problem->axes, problem->axis_count, &size));
    if (problem->axis_count + problem->options->define_count > MAX_SETTINGS)
        return kiln_status_make(KILN_STATUS_USAGE, "more than %d settings", MAX_SETTINGS);
    kiln_status_t status = KILN_OK;
    kiln_kernel_t *kernel = NULL;
    for (size_t i = 0; i < size && !kernel; i++) {
        kiln_tune_candidate_t candidate;
        kiln_status_free(status);
        KILN_TRY(kiln_space_candidate(problem->axes, problem->axis_count, i, &candidate));
        status = compile_plainly(problem, &candidate, &kernel);
        if (!status)
            status = run_reference(runner, problem, &candidate, kernel);
        kiln_space_candidate_free(&candidate);
    }
    kiln_kernel_release(kernel);
    return kiln_status_annotate(status, "while making the reference result without optimisation");
}

kiln_status_t kiln_tune_runner_make_reference(kiln_tune_runner_t *runner, const kiln_tune_problem_t *problem)
{
    KILN_REQUIRE(runner);
    kiln_tune_problem_t taken;
    kiln_compile_options_t options;
    KILN_TRY(kiln_tune_take(__func__, problem, &taken, &options));
    return make_reference(runner, &taken);
}
