// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the interpreter: arguments by name, and by position for cases.
//
// The caller chooses the addresses of buffers. Named arguments already have addresses; a case's
// buffers get them here, far enough apart that an access beyond the end of one does not hit
// another.
#include "kiln/interpret.h"

#include <stdlib.h>
#include <string.h>

#include "base/require.h"

// A launch: the caller's settings, and the values and buffers that are freed after the launch.
typedef struct call {
    kiln_interp_launch_t launch;
    uint64_t *values;
    kiln_interp_buffer_t *buffers;
} call_t;

static kiln_status_t begin(const char *function, const kiln_interp_launch_t *settings,
                           size_t value_count, size_t buffer_count, call_t *call)
{
    *call = (call_t){0};
    kiln_interp_launch_initialize(&call->launch);
    if (settings)
        KILN_TRY(kiln_struct_take(function, "settings", "kiln_interp_launch_t", &call->launch,
                                  sizeof call->launch, settings));
    call->values = calloc(value_count + 1, sizeof *call->values);
    call->buffers = calloc(buffer_count + 1, sizeof *call->buffers);
    if (!call->values || !call->buffers)
        return kiln_status_out_of_memory();
    call->launch.arguments = call->values;
    call->launch.argument_count = value_count;
    call->launch.buffers = call->buffers;
    call->launch.buffer_count = buffer_count;
    return KILN_OK;
}

static void end(call_t *call)
{
    free(call->values);
    free(call->buffers);
}

// Binds the arguments to the kernel's parameters. Buffers must have the parameters' element types.
static kiln_status_t bind(const kiln_interp_t *interp, const kiln_arguments_t *arguments,
                          uint64_t *out_values)
{
    size_t given, count = kiln_interp_argument_count(interp);
    const kiln_jit_argument_t *values = kiln_arguments_values(arguments, &given);
    kiln_parameter_t *parameters = calloc(count + 1, sizeof *parameters);
    if (!parameters)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < count; i++) {
        const kiln_argument_t *argument = kiln_interp_argument(interp, i);
        parameters[i] = (kiln_parameter_t){argument->name, argument->type, argument->sign};
    }
    kiln_status_t status =
        kiln_jit_bind(kiln_interp_name(interp), parameters, count, values, given, out_values);
    for (size_t b = 0; b < kiln_arguments_buffer_count(arguments); b++)
        for (size_t i = 0; i < count && !status; i++)
            if (strcmp(kiln_arguments_buffer(arguments, b)->name, parameters[i].name) == 0)
                status = kiln_named_buffer_check_type(kiln_arguments_buffer(arguments, b),
                                                      parameters[i].type);
    free(parameters);
    return status;
}

kiln_status_t kiln_interpret_arguments(kiln_interp_t *interp, kiln_arguments_t *arguments,
                                       const kiln_interp_launch_t *settings)
{
    KILN_REQUIRE(interp);
    KILN_REQUIRE(arguments);
    call_t call;
    kiln_status_t status = begin(__func__, settings, kiln_interp_argument_count(interp),
                                 kiln_arguments_buffer_count(arguments), &call);
    if (!status)
        status = bind(interp, arguments, call.values);
    for (size_t i = 0; i < call.launch.buffer_count && !status; i++) {
        const kiln_named_buffer_t *buffer = kiln_arguments_buffer(arguments, i);
        if (buffer->host)
            call.buffers[i] =
                (kiln_interp_buffer_t){buffer->name, buffer->address, buffer->host, buffer->size};
        else
            status = kiln_status_make(
                KILN_STATUS_USAGE,
                "buffer '%s' is in device memory, which the interpreter cannot access",
                buffer->name);
    }
    if (!status)
        status = kiln_interp_launch(interp, &call.launch);
    end(&call);
    return status;
}

// Copies the inputs, because the kernel changes them, and assigns each buffer an address.
static kiln_status_t place_buffers(const kiln_case_t *test_case, call_t *call, void **results)
{
    size_t count = 0;
    uint64_t address = 0;
    for (size_t i = 0; i < test_case->argument_count; i++) {
        const kiln_case_argument_t *argument = &test_case->arguments[i];
        call->values[i] = argument->value;
        if (!argument->is_pointer)
            continue;
        if (!(results[i] = malloc(argument->size + 1)))
            return kiln_status_out_of_memory();
        memcpy(results[i], argument->input, argument->size);
        call->values[i] = address =
            kiln_host_address_after(address, count ? call->buffers[count - 1].size : 0);
        if (!address)
            return kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "no addresses are left for '%s'",
                                    argument->name);
        call->buffers[count++] =
            (kiln_interp_buffer_t){argument->name, address, results[i], argument->size};
    }
    call->launch.buffer_count = count;
    memcpy(call->launch.grid, test_case->grid, sizeof call->launch.grid);
    return KILN_OK;
}

kiln_status_t kiln_interpret_case(kiln_interp_t *interp, const kiln_case_t *test_case,
                                  const kiln_interp_launch_t *settings, void **results)
{
    KILN_REQUIRE(interp);
    KILN_REQUIRE(test_case);
    KILN_REQUIRE(results);
    call_t call;
    memset(results, 0, test_case->argument_count * sizeof *results);
    kiln_status_t status =
        begin(__func__, settings, test_case->argument_count, test_case->argument_count, &call);
    if (!status)
        status = place_buffers(test_case, &call, results);
    if (!status)
        status = kiln_interp_launch(interp, &call.launch);
    end(&call);
    return status;
}
