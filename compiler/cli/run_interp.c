// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the interpreter: arguments by name for kiln run, by position for kiln case.
//
// What is easily got wrong: a setting may be a compile option (num_warps), which is checked and means nothing here, or a
// constexpr of Tile C.
#include "run_interp.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "device_flags.h"

static void print_text(const char *text, void *user)
{
    (void)user;
    fputs(text, stdout);
}

// KILN_SIM_LIMIT bounds what a wave executes; here it bounds a launch.
static uint64_t operation_limit(void)
{
    const char *limit = kiln_environment("KILN_SIM_LIMIT");
    return limit ? strtoull(limit, NULL, 0) : 0;
}

static bool is_lenient(void)
{
    const char *mode = kiln_environment("KILN_INTERP");
    return mode && strcmp(mode, "lenient") == 0;
}

// By name ---------------------------------------------------------------------------------------------------------------

// Binds the arguments to the kernel's parameters, whose element types the buffers must have.
static kiln_status_t bind(const kiln_arguments_t *arguments, const kiln_interp_t *interp,
                          kiln_parameter_t *out_parameters, uint64_t *out_values)
{
    size_t given, count = kiln_interp_argument_count(interp);
    const kiln_jit_argument_t *values = kiln_arguments_values(arguments, &given);
    for (size_t i = 0; i < count; i++) {
        const kiln_argument_t *argument = kiln_interp_argument(interp, i);
        out_parameters[i] = (kiln_parameter_t){argument->name, argument->type};
    }
    KILN_TRY(kiln_jit_bind(kiln_interp_name(interp), out_parameters, count, values, given, out_values));
    for (size_t b = 0; b < kiln_arguments_buffer_count(arguments); b++)
        for (size_t i = 0; i < count; i++)
            if (strcmp(kiln_arguments_buffer(arguments, b)->name, out_parameters[i].name) == 0)
                KILN_TRY(kiln_named_buffer_check_type(kiln_arguments_buffer(arguments, b), out_parameters[i].type));
    return KILN_OK;
}

static kiln_status_t launch(kiln_interp_t *interp, kiln_arguments_t *arguments, const kiln_interp_call_t *call)
{
    size_t count = kiln_interp_argument_count(interp), buffer_count = kiln_arguments_buffer_count(arguments);
    uint64_t *values = calloc(count + 1, sizeof *values);
    kiln_parameter_t *parameters = calloc(count + 1, sizeof *parameters);
    kiln_interp_buffer_t *buffers = calloc(buffer_count + 1, sizeof *buffers);
    kiln_interp_launch_t config;
    kiln_interp_launch_initialize(&config);
    kiln_status_t status =
        values && parameters && buffers ? bind(arguments, interp, parameters, values) : kiln_status_out_of_memory();
    for (size_t i = 0; i < buffer_count && !status; i++) {
        const kiln_named_buffer_t *buffer = kiln_arguments_buffer(arguments, i);
        buffers[i] = (kiln_interp_buffer_t){buffer->name, buffer->address, buffer->host, buffer->size};
    }
    if (!status && call->grid_of)
        status = call->grid_of(call->settings, call->setting_count, config.grid, call->grid_user);
    if (!status) {
        config.arguments = values;
        config.argument_count = count;
        config.buffers = buffers;
        config.buffer_count = buffer_count;
        config.limit = operation_limit();
        config.lenient = is_lenient();
        config.print = print_text;
        status = kiln_interp_launch(interp, &config);
    }
    free(values);
    free(parameters);
    free(buffers);
    return status;
}

kiln_status_t kiln_run_interpret(kiln_arguments_t *arguments, const kiln_interp_call_t *call)
{
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    kiln_setting_t *defines = calloc(call->setting_count + 1, sizeof *defines);
    kiln_session_t *session = NULL;
    kiln_interp_t *interp = NULL;
    kiln_status_t status = defines ? kiln_session_create(&session) : kiln_status_out_of_memory();
    if (!status)
        status = kiln_compile_options_apply(&options, call->settings, call->setting_count, defines);
    if (!status) {
        options.kernel = call->kernel;
        kiln_session_set_diagnostic_handler(session, call->diagnostic, call->diagnostic_user);
        status = kiln_interp_create(session, &call->source, &options, &interp);
    }
    if (!status)
        status = launch(interp, arguments, call);
    kiln_interp_release(interp);
    kiln_session_release(session);
    free(defines);
    return status;
}

// By position -----------------------------------------------------------------------------------------------------------

static kiln_status_t interpret(const kiln_case_t *test_case, kiln_interp_t *interp, char **actual)
{
    size_t count = test_case->argument_count, buffer_count = 0;
    uint64_t *values = calloc(count + 1, sizeof *values), address = 0;
    kiln_interp_buffer_t *buffers = calloc(count + 1, sizeof *buffers);
    kiln_status_t status = values && buffers ? KILN_OK : kiln_status_out_of_memory();
    for (size_t i = 0; i < count && !status; i++) {
        const kiln_case_argument_t *argument = &test_case->arguments[i];
        values[i] = argument->value;
        if (!argument->is_pointer)
            continue;
        if (!(actual[i] = malloc(argument->size + 1))) {
            status = kiln_status_out_of_memory();
            break;
        }
        memcpy(actual[i], argument->input, argument->size);
        const kiln_interp_buffer_t *before = buffer_count ? &buffers[buffer_count - 1] : NULL;
        values[i] = address = kiln_host_address_after(address, before ? before->size : 0);
        buffers[buffer_count++] = (kiln_interp_buffer_t){argument->name, address, actual[i], argument->size};
    }
    if (!status) {
        kiln_interp_launch_t config;
        kiln_interp_launch_initialize(&config);
        memcpy(config.grid, test_case->grid, sizeof config.grid);
        config.arguments = values;
        config.argument_count = count;
        config.buffers = buffers;
        config.buffer_count = buffer_count;
        config.limit = operation_limit();
        config.lenient = is_lenient();
        config.print = print_text;
        status = kiln_interp_launch(interp, &config);
    }
    free(values);
    free(buffers);
    return status;
}

kiln_status_t kiln_case_interpret(const kiln_case_t *test_case, const kiln_compile_options_t *options,
                                  kiln_diagnostic_handler_t diagnostic, char **actual)
{
    kiln_session_t *session = NULL;
    kiln_interp_t *interp = NULL;
    char *text = NULL, *path = kiln_path_join(test_case->directory, "kernel.ttir");
    size_t length = 0;
    kiln_status_t status = path ? kiln_file_read(path, &text, &length) : kiln_status_out_of_memory();
    if (!status)
        status = kiln_session_create(&session);
    if (!status) {
        kiln_source_t source = {.stage = KILN_STAGE_TT, .name = path, .text = text, .length = length};
        kiln_session_set_diagnostic_handler(session, diagnostic, NULL);
        status = kiln_interp_create(session, &source, options, &interp);
    }
    if (!status)
        status = interpret(test_case, interp, actual);
    kiln_interp_release(interp);
    kiln_session_release(session);
    free(text);
    free(path);
    return status;
}
