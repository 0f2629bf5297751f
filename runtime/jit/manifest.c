// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Manifests, and the conversion of a call's arguments to the parameters' types.
#include "jit/manifest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

static kiln_status_t out_of_memory(void)
{
    return kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "out of memory");
}

static kiln_status_t parse_argument(const json_t *json, kiln_manifest_argument_t *out)
{
    const char *name, *type;
    KILN_TRY(kiln_json_string(json, "name", &name));
    KILN_TRY(kiln_json_string(json, "type", &type));
    out->name = strdup(name);
    if (!out->name)
        return out_of_memory();
    out->is_pointer = type[0] == '*';
    if (!out->is_pointer && !kiln_element_type_parse(type, &out->type))
        return kiln_status_make(KILN_STATUS_UNSUPPORTED, "parameter '%s' has the type '%s', which no launch can pass",
                                name, type);
    return KILN_OK;
}

static kiln_status_t parse_json(const json_t *json, kiln_manifest_t *out)
{
    const char *kernel;
    int64_t block_size;
    json_t *arguments;
    KILN_TRY(kiln_json_string(json, "kernel", &kernel));
    KILN_TRY(kiln_json_integer(json, "block_size", &block_size));
    KILN_TRY(kiln_json_array(json, "arguments", &arguments));
    if (block_size < 1 || block_size > 1024)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "'block_size' is %" PRId64, block_size);
    out->block_size = (unsigned)block_size;
    out->kernel = strdup(kernel);
    out->arguments = calloc(json_array_size(arguments) + 1, sizeof *out->arguments);
    if (!out->kernel || !out->arguments)
        return out_of_memory();
    out->argument_count = json_array_size(arguments);
    for (size_t i = 0; i < out->argument_count; i++)
        KILN_TRY(parse_argument(json_array_get(arguments, i), &out->arguments[i]));
    return KILN_OK;
}

kiln_status_t kiln_manifest_parse(const char *text, kiln_manifest_t *out_manifest)
{
    *out_manifest = (kiln_manifest_t){0};
    json_t *json;
    kiln_status_t status = kiln_json_parse("manifest", text, strlen(text), &json);
    if (!status) {
        status = parse_json(json, out_manifest);
        json_decref(json);
    }
    if (status)
        kiln_manifest_free(out_manifest);
    return kiln_status_annotate(status, "while reading a kernel's manifest");
}

void kiln_manifest_free(kiln_manifest_t *manifest)
{
    for (size_t i = 0; i < manifest->argument_count; i++)
        free(manifest->arguments[i].name);
    free(manifest->arguments);
    free(manifest->kernel);
    *manifest = (kiln_manifest_t){0};
}

// A type of n bits takes what either its signed or its unsigned reading holds: i32 is both in Triton's type names.
static bool integer_fits(kiln_element_type_t type, int64_t value)
{
    if (type == KILN_ELEMENT_I1)
        return value == 0 || value == 1;
    size_t bits = 8 * kiln_element_size(type);
    if (bits == 64)
        return true;
    int64_t low = kiln_element_kind(type) == KILN_ELEMENT_UNSIGNED ? 0 : -(INT64_C(1) << (bits - 1));
    return value >= low && value < INT64_C(1) << bits;
}

static kiln_status_t bind_one(const kiln_manifest_argument_t *parameter, const kiln_jit_argument_t *argument,
                              uint64_t *out_cell)
{
    *out_cell = 0;
    if (parameter->is_pointer != (argument->kind == KILN_JIT_POINTER))
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "argument '%s' is a %s, the kernel wants a %s",
                                parameter->name, argument->kind == KILN_JIT_POINTER ? "pointer" : "scalar",
                                parameter->is_pointer ? "pointer" : kiln_element_type_name(parameter->type));
    if (parameter->is_pointer) {
        *out_cell = argument->address;
        return KILN_OK;
    }
    if (argument->kind == KILN_JIT_REAL) {
        if (!kiln_element_is_float(parameter->type))
            return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                    "argument '%s' is the real number %g, the kernel wants an %s", parameter->name,
                                    argument->real, kiln_element_type_name(parameter->type));
        kiln_element_from_double(parameter->type, argument->real, out_cell);
        return KILN_OK;
    }
    if (!kiln_element_is_float(parameter->type) && !integer_fits(parameter->type, argument->integer))
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "argument '%s' = %" PRId64 " does not fit an %s",
                                parameter->name, argument->integer, kiln_element_type_name(parameter->type));
    kiln_element_from_int64(parameter->type, argument->integer, out_cell);
    return KILN_OK;
}

static const kiln_jit_argument_t *find(const kiln_jit_argument_t *arguments, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(arguments[i].name, name) == 0)
            return &arguments[i];
    return NULL;
}

static kiln_status_t unknown_argument(const kiln_manifest_t *manifest, const kiln_jit_argument_t *arguments,
                                      size_t argument_count)
{
    for (size_t i = 0; i < argument_count; i++) {
        bool known = false;
        for (size_t j = 0; j < manifest->argument_count && !known; j++)
            known = strcmp(arguments[i].name, manifest->arguments[j].name) == 0;
        if (!known)
            return kiln_status_make(KILN_STATUS_INVALID_INPUT, "kernel '%s' has no parameter '%s'", manifest->kernel,
                                    arguments[i].name);
    }
    return kiln_status_make(KILN_STATUS_INVALID_INPUT, "an argument of kernel '%s' is given twice", manifest->kernel);
}

kiln_status_t kiln_manifest_bind(const kiln_manifest_t *manifest, const kiln_jit_argument_t *arguments,
                                 size_t argument_count, uint64_t *out_cells)
{
    for (size_t i = 0; i < manifest->argument_count; i++) {
        const kiln_jit_argument_t *argument = find(arguments, argument_count, manifest->arguments[i].name);
        if (!argument)
            return kiln_status_make(KILN_STATUS_INVALID_INPUT, "kernel '%s' wants an argument '%s'", manifest->kernel,
                                    manifest->arguments[i].name);
        KILN_TRY(bind_one(&manifest->arguments[i], argument, &out_cells[i]));
    }
    if (argument_count != manifest->argument_count)
        return unknown_argument(manifest, arguments, argument_count);
    return KILN_OK;
}
