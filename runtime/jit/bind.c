// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts named arguments to the bits of a kernel's parameters. Nothing is matched by position,
// and nothing is truncated to fit.
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/require.h"
#include "jit/bind.h"
#include "kiln/element.h"

// In Triton's type names, i32 is both int32 and uint32: without a sign, values in the signed or the
// unsigned range are accepted.
static bool integer_fits(const kiln_parameter_t *parameter, kiln_element_type_t type,
                         const kiln_jit_argument_t *argument)
{
    const bool is_large = argument->kind == KILN_JIT_UNSIGNED,
               is_unsigned = kiln_element_kind(type) == KILN_ELEMENT_UNSIGNED ||
                             parameter->sign == KILN_SIGN_UNSIGNED;
    const int64_t value = argument->integer;
    if (type == KILN_ELEMENT_I1)
        return !is_large && (value == 0 || value == 1);
    const size_t bits = 8 * kiln_element_size(type);
    if (bits == 64)
        return is_large ? parameter->sign != KILN_SIGN_SIGNED : value >= 0 || !is_unsigned;
    const int64_t half = INT64_C(1) << (bits - 1);
    return !is_large && value >= (is_unsigned ? 0 : -half) &&
           value < (parameter->sign == KILN_SIGN_SIGNED ? half : 2 * half);
}

static kiln_status_t refuse_integer(const kiln_parameter_t *parameter,
                                    const kiln_jit_argument_t *argument)
{
    const char *type = parameter->type;
    const bool is_unsigned = parameter->sign == KILN_SIGN_UNSIGNED && *type == 'i';
    if (argument->kind == KILN_JIT_UNSIGNED)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "argument '%s' = %" PRIu64 " does not fit in %s%s", parameter->name,
                                (uint64_t)argument->integer, is_unsigned ? "u" : "",
                                type + is_unsigned);
    return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                            "argument '%s' = %" PRId64 " does not fit in %s%s", parameter->name,
                            argument->integer, is_unsigned ? "u" : "", type + is_unsigned);
}

kiln_cell_t kiln_cell_of(const kiln_parameter_t *parameter)
{
    kiln_element_type_t type;
    if (parameter->type[0] == '*')
        return KILN_CELL_POINTER;
    return kiln_element_type_parse(parameter->type, &type) ? (kiln_cell_t)type
                                                           : (kiln_cell_t)KILN_CELL_UNKNOWN;
}

kiln_status_t kiln_bind_one(const kiln_parameter_t *parameter, kiln_cell_t cell,
                            const kiln_jit_argument_t *argument, uint64_t *out_cell)
{
    *out_cell = 0;
    if ((unsigned)argument->kind > KILN_JIT_UNSIGNED)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "argument '%s' has the kind %d, which is not a "
                                "kiln_jit_argument_kind_t",
                                parameter->name, (int)argument->kind);
    bool is_pointer = cell == KILN_CELL_POINTER, is_real = argument->kind == KILN_JIT_REAL;
    if (is_pointer != (argument->kind == KILN_JIT_POINTER))
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "argument '%s' is a %s, expected %s",
                                parameter->name,
                                argument->kind == KILN_JIT_POINTER ? "pointer" : "scalar",
                                is_pointer ? "a pointer" : parameter->type);
    if (is_pointer) {
        *out_cell = argument->address;
        return KILN_OK;
    }
    if (cell == KILN_CELL_UNKNOWN)
        return kiln_status_make(
            KILN_STATUS_UNSUPPORTED,
            "parameter '%s' has the type '%s', which cannot be passed to a launch", parameter->name,
            parameter->type);
    kiln_element_type_t type = (kiln_element_type_t)cell;
    if (!kiln_element_is_float(type) && is_real)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "argument '%s' is the floating-point number %g, expected %s",
                                parameter->name, argument->real, parameter->type);
    if (!kiln_element_is_float(type) && !integer_fits(parameter, type, argument))
        return refuse_integer(parameter, argument);
    if (is_real)
        kiln_element_from_double(type, argument->real, out_cell);
    else if (argument->kind == KILN_JIT_UNSIGNED && kiln_element_is_float(type))
        kiln_element_from_double(type, (double)(uint64_t)argument->integer, out_cell);
    else
        kiln_element_from_int64(type, argument->integer, out_cell);
    return KILN_OK;
}

static const kiln_jit_argument_t *find(const kiln_jit_argument_t *arguments, size_t count,
                                       const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(arguments[i].name, name) == 0)
            return &arguments[i];
    return NULL;
}

static kiln_status_t refuse_argument(const char *kernel, const kiln_parameter_t *parameters,
                                     size_t parameter_count, const kiln_jit_argument_t *arguments,
                                     size_t argument_count)
{
    for (size_t i = 0; i < argument_count; i++) {
        bool known = false;
        for (size_t j = 0; j < parameter_count && !known; j++)
            known = strcmp(arguments[i].name, parameters[j].name) == 0;
        if (!known)
            return kiln_status_make(KILN_STATUS_INVALID_INPUT, "kernel '%s' has no parameter '%s'",
                                    kernel, arguments[i].name);
    }
    size_t twice = 1;
    while (twice < argument_count && find(arguments, twice, arguments[twice].name) == NULL)
        twice++;
    return kiln_status_make(KILN_STATUS_INVALID_INPUT, "duplicate argument '%s' of kernel '%s'",
                            arguments[twice < argument_count ? twice : 0].name, kernel);
}

kiln_status_t kiln_bind_cells(const char *kernel, const kiln_parameter_t *parameters,
                              const kiln_cell_t *cells, size_t parameter_count,
                              const kiln_jit_argument_t *arguments, size_t argument_count,
                              uint64_t *out_cells)
{
    for (size_t i = 0; i < parameter_count; i++) {
        // Most callers pass arguments in the parameters' order.
        bool in_order = i < argument_count && strcmp(arguments[i].name, parameters[i].name) == 0;
        const kiln_jit_argument_t *argument =
            in_order ? &arguments[i] : find(arguments, argument_count, parameters[i].name);
        if (!argument)
            return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                    "missing argument of kernel '%s': '%s'", kernel,
                                    parameters[i].name);
        KILN_TRY(kiln_bind_one(&parameters[i], cells ? cells[i] : kiln_cell_of(&parameters[i]),
                               argument, &out_cells[i]));
    }
    if (argument_count != parameter_count)
        return refuse_argument(kernel, parameters, parameter_count, arguments, argument_count);
    return KILN_OK;
}

kiln_status_t kiln_jit_bind(const char *kernel, const kiln_parameter_t *parameters,
                            size_t parameter_count, const kiln_jit_argument_t *arguments,
                            size_t argument_count, uint64_t *out_cells)
{
    KILN_REQUIRE(kernel);
    KILN_REQUIRE_ARRAY(parameters, parameter_count);
    KILN_REQUIRE_ARRAY(arguments, argument_count);
    KILN_REQUIRE_ARRAY(out_cells, parameter_count);
    for (size_t i = 0; i < parameter_count; i++)
        KILN_REQUIRE_THAT(parameters[i].name && parameters[i].type, "parameters[%zu].%s is NULL", i,
                          parameters[i].name ? "type" : "name");
    for (size_t i = 0; i < argument_count; i++)
        KILN_REQUIRE_THAT(arguments[i].name, "arguments[%zu].name is NULL", i);
    return kiln_bind_cells(kernel, parameters, NULL, parameter_count, arguments, argument_count,
                           out_cells);
}
