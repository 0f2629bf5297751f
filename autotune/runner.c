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

#include "base/array.h"
#include "base/require.h"
#include "base/string.h"

enum { MAX_SETTINGS = 1024 };

kiln_status_t kiln_runner_read(const kiln_named_buffer_t *buffer, char **io_data)
{
    free(*io_data);
    *io_data = malloc(buffer->size + 1);
    return *io_data ? kiln_named_buffer_read(buffer, *io_data) : kiln_status_out_of_memory();
}

kiln_status_t kiln_runner_keep(const kiln_named_buffer_t *buffer, char **io_initial)
{
    if (!kiln_named_buffer_is_initial(buffer))
        return kiln_runner_read(buffer, io_initial);
    free(*io_initial);
    *io_initial = NULL;
    return KILN_OK;
}

kiln_status_t kiln_runner_reset(const kiln_named_buffer_t *buffer, const char *initial)
{
    if (initial)
        return kiln_named_buffer_write(buffer, initial);
    return kiln_named_buffer_is_initial(buffer) ? KILN_OK : kiln_named_buffer_restore(buffer);
}

kiln_status_t kiln_runner_initial(const kiln_named_buffer_t *buffer, char **io_initial)
{
    if (*io_initial)
        return KILN_OK;
    *io_initial = malloc(buffer->size + 1);
    return *io_initial ? kiln_named_buffer_make(buffer, *io_initial) : kiln_status_out_of_memory();
}

kiln_status_t kiln_tune_runner_add_step(kiln_tune_runner_t *runner, const char *grid)
{
    KILN_REQUIRE(runner);
    if (!KILN_ARRAY_RESERVE(&runner->launches, &runner->launch_capacity, runner->launch_count + 1))
        return kiln_status_out_of_memory();
    runner->launches[runner->launch_count++] = (struct kiln_runner_step){.grid = grid};
    return KILN_OK;
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
                                   .fixed = fixed,
                                   .fixed_count = fixed_count,
                                   .buffer_count = kiln_arguments_buffer_count(arguments)};
    runner->initial = calloc(runner->buffer_count + 1, sizeof *runner->initial);
    runner->settings = calloc(MAX_SETTINGS, sizeof *runner->settings);
    kiln_status_t status = kiln_tune_runner_add_step(runner, grid);
    runner->scalars = calloc(value_count + 1, sizeof *runner->scalars);
    if (!status && (!runner->initial || !runner->settings || !runner->scalars))
        status = kiln_status_out_of_memory();
    for (size_t i = 0; i < runner->buffer_count && !status; i++)
        status = kiln_runner_keep(kiln_arguments_buffer(arguments, i), &runner->initial[i]);
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
    for (size_t i = 0; i < runner->varying_count; i++) {
        free(runner->varying[i].text);
        free(runner->varying[i].name);
    }
    kiln_runner_begin(runner);
    kiln_runner_rotation_free(runner);
    kiln_runner_cold_code_free(runner);
    kiln_arguments_release(runner->own);
    kiln_runner_sizes_clear(runner);
    free(runner->sizes);
    free(runner->varying);
    free(runner->planned);
    free(runner->initial);
    free(runner->settings);
    free(runner->scalars);
    free(runner->reference);
    free(runner->given);
    for (size_t i = 0; i < runner->launch_count; i++) {
        free(runner->launches[i].values);
        free(runner->launches[i].storage);
        free(runner->launches[i].is_pointer);
    }
    free(runner->launches);
    kiln_steps_free(&runner->steps);
    kiln_settings_free(&runner->constants);
    free(runner);
}

kiln_status_t kiln_tune_runner_add(kiln_tune_runner_t *runner, const char *text)
{
    KILN_REQUIRE(runner);
    KILN_REQUIRE(text);
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return kiln_status_make(KILN_STATUS_USAGE, "expected NAME=VALUE, got '%s'", text);
    const size_t count = runner->varying_count + 1;
    if (!KILN_ARRAY_RESERVE(&runner->varying, &runner->varying_capacity, count) ||
        !KILN_ARRAY_RESERVE(&runner->planned, &runner->planned_capacity, count))
        return kiln_status_out_of_memory();
    struct kiln_runner_varying *added = &runner->varying[runner->varying_count++];
    *added = (struct kiln_runner_varying){.text = strdup(text),
                                          .name = strndup(text, (size_t)(equals - text)),
                                          .is_pointer = equals[1] == '&' || equals[1] == '@' ||
                                                        strchr(equals, '[')};
    return added->text && added->name ? KILN_OK : kiln_status_out_of_memory();
}

kiln_status_t kiln_runner_define(kiln_tune_runner_t *runner, const kiln_setting_list_t *constants)
{
    return kiln_settings_put_all(&runner->constants, constants->items, constants->count);
}

kiln_status_t kiln_runner_add_name(kiln_tune_runner_t *runner, const char *name, const char *value,
                                   size_t *io_count)
{
    if (*io_count == MAX_SETTINGS)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "arguments and the grid may use %d names; '%s' is one too many",
                                MAX_SETTINGS, name);
    runner->settings[(*io_count)++] = (kiln_setting_t){name, value};
    return KILN_OK;
}

// Adds the plain names of those settings that are of this kernel alone, KERNEL.NAME.
static kiln_status_t add_own_names(kiln_tune_runner_t *runner, const kiln_setting_t *settings,
                                   size_t count, const kiln_kernel_t *kernel, size_t *io_count)
{
    const char *name = kiln_kernel_name(kernel);
    const size_t length = strlen(name);
    for (size_t i = 0; i < count; i++)
        if (strncmp(settings[i].name, name, length) == 0 && settings[i].name[length] == '.')
            KILN_TRY(kiln_runner_add_name(runner, settings[i].name + length + 1, settings[i].value,
                                          io_count));
    return KILN_OK;
}

// A constant KERNEL.NAME has the value that the settings give to NAME in all kernels, if they do.
static void take_common_value(kiln_setting_t *io_constant, const kiln_setting_t *settings,
                              size_t count)
{
    const char *dot = strrchr(io_constant->name, '.');
    for (size_t i = 0; dot && i < count; i++)
        if (strcmp(settings[i].name, dot + 1) == 0)
            io_constant->value = settings[i].value;
}

// Sets the names: the settings of a candidate, and constants that it leaves at their defaults. The
// first of a name counts.
static kiln_status_t set_names(kiln_tune_runner_t *runner, const kiln_tune_candidate_t *candidate,
                               const kiln_kernel_t *kernel, size_t *out_count)
{
    size_t count = 0;
    KILN_TRY(add_own_names(runner, candidate->settings, candidate->setting_count, kernel, &count));
    KILN_TRY(add_own_names(runner, runner->fixed, runner->fixed_count, kernel, &count));
    for (size_t i = 0; i < runner->fixed_count; i++)
        KILN_TRY(
            kiln_runner_add_name(runner, runner->fixed[i].name, runner->fixed[i].value, &count));
    for (size_t i = 0; i < candidate->setting_count; i++)
        KILN_TRY(kiln_runner_add_name(runner, candidate->settings[i].name,
                                      candidate->settings[i].value, &count));
    kiln_setting_t constant;
    for (size_t i = 0; (constant = kiln_kernel_constant(kernel, i)).name; i++)
        KILN_TRY(kiln_runner_add_name(runner, constant.name, constant.value, &count));
    for (size_t i = 0; i < runner->constants.count; i++) {
        constant = runner->constants.items[i];
        take_common_value(&constant, candidate->settings, candidate->setting_count);
        take_common_value(&constant, runner->fixed, runner->fixed_count);
        KILN_TRY(kiln_runner_add_name(runner, constant.name, constant.value, &count));
    }
    *out_count = count;
    return KILN_OK;
}

typedef enum purpose { TO_PLAN, TO_LAUNCH } purpose_t;

// Sets pointers to buffers that are not created: each far from the others, and aligned.
static void plan_pointers(kiln_tune_runner_t *runner)
{
    enum { ADDRESS_BITS = 40, SIZE = 16 };
    for (size_t i = 0; i < runner->varying_count; i++)
        if (runner->varying[i].is_pointer)
            runner->planned[runner->planned_count++] =
                kiln_jit_storage(runner->varying[i].name, (uint64_t)(i + 1) << ADDRESS_BITS, SIZE);
}

// Whether an argument points into a buffer that does not depend on the candidate, y=&x[BLOCK];
// returns the buffer and its argument.
static bool points_outside(const kiln_tune_runner_t *runner,
                           const struct kiln_runner_varying *varying,
                           const kiln_named_buffer_t **out_buffer, kiln_jit_argument_t *out_base)
{
    const char *text = strchr(varying->text, '=') + 1;
    size_t count, index;
    if (*text != '&')
        return false;
    kiln_status_t unknown =
        kiln_arguments_find_buffer(runner->arguments, text + 1, strcspn(text + 1, "["), &index);
    kiln_status_free(unknown);
    if (unknown) // the buffer depends on the candidate, too
        return false;
    *out_buffer = kiln_arguments_buffer(runner->arguments, index);
    const kiln_jit_argument_t *values = kiln_arguments_values(runner->arguments, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(values[i].name, (*out_buffer)->name) == 0)
            *out_base = values[i];
    return true;
}

// Adds a pointer into such a buffer, which is restored and verified like all that do not depend on
// the candidate.
static kiln_status_t add_pointer(kiln_tune_runner_t *runner,
                                 const struct kiln_runner_varying *varying,
                                 const kiln_named_buffer_t *buffer, kiln_jit_argument_t argument)
{
    const char *open = strchr(varying->text, '[');
    int64_t offset = 0;
    if (open) {
        char *element = strndup(open + 1, strcspn(open + 1, "]"));
        kiln_status_t status = element ? kiln_arguments_evaluate(runner->own, element, &offset)
                                       : kiln_status_out_of_memory();
        free(element);
        KILN_TRY_NOTE(status, "in the argument '%s'", varying->text);
    }
    if (offset < 0 || (uint64_t)offset > buffer->element_count)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "buffer '%s' has %zu elements; element %" PRId64
                                " of the argument '%s' is out of range",
                                buffer->name, buffer->element_count, offset, varying->text);
    argument.name = varying->name;
    argument.address += (uint64_t)offset * kiln_element_size(buffer->type);
    runner->planned[runner->planned_count++] = argument;
    return kiln_runner_size_of(runner, varying->name, buffer->element_count);
}

// Creates the arguments that depend on the candidate. Their expressions may use the scalars.
static kiln_status_t make_own(kiln_tune_runner_t *runner, size_t setting_count, purpose_t purpose)
{
    size_t value_count, count = setting_count;
    const kiln_jit_argument_t *values = kiln_arguments_values(runner->arguments, &value_count);
    kiln_arguments_release(runner->own);
    runner->own = NULL;
    runner->planned_count = 0;
    kiln_runner_sizes_clear(runner);
    if (runner->varying_count == 0)
        return KILN_OK;
    for (size_t i = 0; i < value_count; i++)
        if (values[i].kind == KILN_JIT_INTEGER) {
            snprintf(runner->scalars[i], sizeof runner->scalars[i], "%" PRId64, values[i].integer);
            KILN_TRY(kiln_runner_add_name(runner, values[i].name, runner->scalars[i], &count));
        }
    KILN_TRY(kiln_arguments_create(kiln_arguments_device(runner->arguments), &runner->own));
    kiln_arguments_define(runner->own, runner->settings, count);
    if (purpose == TO_PLAN)
        plan_pointers(runner);
    for (size_t i = 0; i < runner->varying_count; i++) {
        const kiln_named_buffer_t *buffer;
        kiln_jit_argument_t base = {0};
        if (purpose == TO_LAUNCH && points_outside(runner, &runner->varying[i], &buffer, &base))
            KILN_TRY(add_pointer(runner, &runner->varying[i], buffer, base));
        else if (purpose == TO_LAUNCH || !runner->varying[i].is_pointer)
            KILN_TRY(kiln_arguments_add(runner->own, runner->varying[i].text));
        KILN_TRY(kiln_runner_size_add(runner, &runner->varying[i]));
    }
    return KILN_OK;
}

static bool has_argument(const char *name, const void *user)
{
    const kiln_kernel_t *kernel = user;
    for (size_t i = 0; i < kiln_kernel_argument_count(kernel); i++)
        if (strcmp(kiln_kernel_argument(kernel, i)->name, name) == 0)
            return true;
    return false;
}

// All arguments, or those of this kernel in a sequence, of which each kernel takes some.
static kiln_status_t gather(kiln_tune_runner_t *runner, const kiln_kernel_t *kernel,
                            size_t *out_count)
{
    size_t count, own_count;
    const kiln_jit_argument_t *values = kiln_arguments_values(runner->arguments, &count),
                              *own = kiln_arguments_values(runner->own, &own_count);
    if (runner->bound) {
        values = runner->bound;
        count = runner->bound_count;
    }
    const size_t planned_count = runner->planned_count, all = count + own_count + planned_count;
    if (!KILN_ARRAY_RESERVE(&runner->given, &runner->given_capacity, all + 1))
        return kiln_status_out_of_memory();
    kiln_jit_argument_t *given = runner->given;
    if (count)
        memcpy(given, values, count * sizeof *given);
    if (own_count)
        memcpy(given + count, own, own_count * sizeof *given);
    if (planned_count)
        memcpy(given + count + own_count, runner->planned, planned_count * sizeof *given);
    *out_count = all;
    if (runner->launch_count == 1)
        return KILN_OK;
    kiln_jit_argument_t *chosen = calloc(*out_count + 1, sizeof *chosen);
    if (!chosen)
        return kiln_status_out_of_memory();
    kiln_step_choose_arguments(kiln_kernel_name(kernel), has_argument, kernel, given, *out_count,
                               chosen, out_count);
    memcpy(given, chosen, *out_count * sizeof *given);
    free(chosen);
    return KILN_OK;
}

// Fails with USAGE where no candidate can be launched: names are the same for all.
static kiln_status_t check_given(const kiln_tune_runner_t *runner, const kiln_kernel_t *kernel,
                                 size_t given_count)
{
    const char *name = kiln_kernel_name(kernel);
    for (size_t i = 0; i < kiln_kernel_argument_count(kernel); i++) {
        const char *parameter = kiln_kernel_argument(kernel, i)->name;
        size_t at = 0;
        while (at < given_count && strcmp(runner->given[at].name, parameter) != 0)
            at++;
        if (at == given_count)
            return kiln_status_make(KILN_STATUS_USAGE, "missing argument of kernel '%s': '%s'",
                                    name, parameter);
    }
    for (size_t i = 0; i < given_count && runner->launch_count == 1; i++)
        if (!has_argument(runner->given[i].name, kernel))
            return kiln_status_make(KILN_STATUS_USAGE, "kernel '%s' has no parameter '%s'", name,
                                    runner->given[i].name);
    return KILN_OK;
}

// Buffers must have the parameters' types: a kernel would read other numbers, or beyond the end.
static kiln_status_t check_types(const kiln_tune_runner_t *runner, const kiln_kernel_t *kernel)
{
    for (size_t i = 0; i < kiln_kernel_argument_count(kernel); i++) {
        const kiln_argument_t *argument = kiln_kernel_argument(kernel, i);
        KILN_TRY(kiln_arguments_set_type(runner->arguments, argument->name, argument->type));
        if (runner->own)
            KILN_TRY(kiln_arguments_set_type(runner->own, argument->name, argument->type));
    }
    return KILN_OK;
}

static kiln_status_t bind(kiln_tune_runner_t *runner, const kiln_kernel_t *kernel,
                          struct kiln_runner_step *launch)
{
    size_t value_count = 0, count = kiln_kernel_argument_count(kernel);
    KILN_TRY(check_types(runner, kernel));
    KILN_TRY(gather(runner, kernel, &value_count));
    KILN_TRY(check_given(runner, kernel, value_count));
    if (!KILN_ARRAY_RESERVE(&launch->storage, &launch->storage_capacity, count + value_count + 1) ||
        !KILN_ARRAY_RESERVE(&launch->values, &launch->value_capacity, count + 1) ||
        !KILN_ARRAY_RESERVE(&launch->is_pointer, &launch->pointer_capacity, count + 1))
        return kiln_status_out_of_memory();
    uint64_t *storage = launch->storage;
    void **cells = launch->values;
    kiln_parameter_t *parameters = calloc(count + 1, sizeof *parameters);
    if (!parameters)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < count; i++) {
        const kiln_argument_t *argument = kiln_kernel_argument(kernel, i);
        parameters[i] = (kiln_parameter_t){argument->name, argument->type, argument->sign};
        launch->is_pointer[i] = argument->type[0] == '*';
    }
    kiln_status_t status = kiln_jit_bind(kiln_kernel_name(kernel), parameters, count, runner->given,
                                         value_count, storage);
    for (size_t i = 0; i < count && !status; i++)
        cells[i] = &storage[i];
    launch->value_count = status ? 0 : count;
    free(parameters);
    return status;
}

void kiln_runner_set_grid(kiln_tune_runner_t *runner, kiln_jit_grid_fn grid_of, void *user)
{
    runner->grid_of = grid_of;
    runner->grid_user = user;
}

void kiln_runner_bind_to(kiln_tune_runner_t *runner, const kiln_jit_argument_t *arguments,
                         size_t count)
{
    runner->bound = arguments;
    runner->bound_count = count;
}

// `setting_count` settings are the names that a grid may use.
static kiln_status_t set_grid(kiln_tune_runner_t *runner, const char *grid,
                              const kiln_kernel_t *kernel, size_t setting_count,
                              unsigned out_grid[3])
{
    if (runner->grid_of)
        return runner->grid_of(runner->settings, setting_count, out_grid, runner->grid_user);
    if (!grid)
        grid = kiln_kernel_declared_grid(kernel);
    if (grid) {
        KILN_TRY(kiln_runner_sizes_define(runner, grid, kernel, &setting_count));
        return kiln_arguments_grid(runner->arguments, grid, out_grid);
    }
    if (!kiln_kernel_reads_program_id(kernel))
        return KILN_OK;
    return kiln_status_make(KILN_STATUS_USAGE,
                            "kernel '%s' reads a program id, but its grid is unknown; set `grid`, "
                            "or declare it before the kernel: [[grid(cdiv(n, BLOCK))]]",
                            kiln_kernel_name(kernel));
}

// Everything of a launch but the contents of buffers that do not depend on the candidate.
static kiln_status_t make_launch(kiln_tune_runner_t *runner, const kiln_tune_candidate_t *candidate,
                                 const kiln_kernel_t *kernel, purpose_t purpose,
                                 kiln_launch_t *out_launch)
{
    size_t count = 0;
    KILN_TRY(set_names(runner, candidate, kernel, &count));
    kiln_arguments_define(runner->arguments, runner->settings, count);
    KILN_TRY(kiln_runner_clean(runner));
    kiln_runner_begin(runner);
    KILN_TRY(make_own(runner, count, purpose));
    KILN_TRY(bind(runner, kernel, &runner->launches[0])); // a missing size before the grid of it
    KILN_TRY(set_grid(runner, runner->launches[0].grid, kernel, count, out_launch->grid));
    out_launch->args = runner->launches[0].values;
    return KILN_OK;
}

kiln_status_t kiln_tune_runner_plan(const kiln_tune_candidate_t *candidate,
                                    const kiln_kernel_t *kernel, kiln_launch_t *out_launch,
                                    void *user)
{
    KILN_REQUIRE(candidate);
    KILN_REQUIRE(kernel);
    KILN_REQUIRE(out_launch);
    KILN_REQUIRE(user);
    return make_launch(user, candidate, kernel, TO_PLAN, out_launch);
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
    KILN_TRY(make_launch(runner, candidate, kernel, TO_LAUNCH, out_launch));
    for (size_t i = 0; i < runner->buffer_count; i++)
        KILN_TRY(
            kiln_runner_reset(kiln_arguments_buffer(runner->arguments, i), runner->initial[i]));
    return KILN_OK;
}

kiln_status_t kiln_tune_runner_prepare_step(const kiln_tune_candidate_t *candidate, size_t step,
                                            const kiln_kernel_t *kernel, kiln_launch_t *out_launch,
                                            void *user)
{
    KILN_REQUIRE(candidate);
    KILN_REQUIRE(kernel);
    KILN_REQUIRE(out_launch);
    KILN_REQUIRE(user);
    kiln_tune_runner_t *runner = user;
    size_t count = 0;
    KILN_REQUIRE_THAT(step && step < runner->launch_count,
                      "step is %zu; expected 1 to the number of calls of "
                      "kiln_tune_runner_add_step, which is %zu",
                      step, runner->launch_count - 1);
    KILN_TRY(set_names(runner, candidate, kernel, &count));
    kiln_arguments_define(runner->arguments, runner->settings, count);
    KILN_TRY(bind(runner, kernel, &runner->launches[step]));
    KILN_TRY(set_grid(runner, runner->launches[step].grid, kernel, count, out_launch->grid));
    out_launch->args = runner->launches[step].values;
    return KILN_OK;
}
