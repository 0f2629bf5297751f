// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads manifests. Strings are copied, because the JSON is freed.
#include "jit/manifest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

static kiln_status_t parse_parameter(const json_t *json, kiln_parameter_t *out)
{
    const char *name, *type;
    KILN_TRY(kiln_json_string(json, "name", &name));
    KILN_TRY(kiln_json_string(json, "type", &type));
    out->name = strdup(name);
    out->type = strdup(type);
    const json_t *sign = json_object_get(json, "signed");
    if (json_is_boolean(sign))
        out->sign = json_is_true(sign) ? KILN_SIGN_SIGNED : KILN_SIGN_UNSIGNED;
    return out->name && out->type ? KILN_OK : kiln_status_out_of_memory();
}

static kiln_status_t parse_constants(const json_t *json, kiln_manifest_t *out)
{
    const json_t *list = json_object_get(json, "constants");
    out->constants = calloc(json_array_size(list) + 1, sizeof *out->constants);
    if (!out->constants)
        return kiln_status_out_of_memory();
    for (; out->constant_count < json_array_size(list); out->constant_count++) {
        const json_t *one = json_array_get(list, out->constant_count);
        const char *name, *value;
        KILN_TRY(kiln_json_string(one, "name", &name));
        KILN_TRY(kiln_json_string(one, "value", &value));
        kiln_setting_t *constant = &out->constants[out->constant_count];
        *constant = (kiln_setting_t){strdup(name), strdup(value)};
        if (!constant->name || !constant->value) {
            out->constant_count++;
            return kiln_status_out_of_memory();
        }
    }
    return KILN_OK;
}

static kiln_status_t parse_grid(const json_t *json, kiln_manifest_t *out)
{
    const json_t *grid = json_object_get(json, "grid");
    out->has_grid = json_is_array(grid) && json_array_size(grid) == 3;
    for (size_t i = 0; i < 3 && out->has_grid; i++) {
        const char *text = json_string_value(json_array_get(grid, i));
        KILN_TRY(kiln_expression_parse(text ? text : "", &out->grid[i]));
    }
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
    out->parameters = calloc(json_array_size(arguments) + 1, sizeof *out->parameters);
    if (!out->kernel || !out->parameters)
        return kiln_status_out_of_memory();
    out->parameter_count = json_array_size(arguments);
    for (size_t i = 0; i < out->parameter_count; i++)
        KILN_TRY(parse_parameter(json_array_get(arguments, i), &out->parameters[i]));
    KILN_TRY(parse_grid(json, out));
    return parse_constants(json, out);
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
    for (size_t i = 0; i < manifest->parameter_count; i++) {
        free((char *)(uintptr_t)manifest->parameters[i].name);
        free((char *)(uintptr_t)manifest->parameters[i].type);
    }
    for (size_t i = 0; i < manifest->constant_count; i++) {
        free((char *)(uintptr_t)manifest->constants[i].name);
        free((char *)(uintptr_t)manifest->constants[i].value);
    }
    for (int i = 0; i < 3; i++)
        kiln_expression_free(&manifest->grid[i]);
    free(manifest->constants);
    free(manifest->parameters);
    free(manifest->kernel);
    *manifest = (kiln_manifest_t){0};
}
