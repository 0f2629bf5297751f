// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the manifest: symbol, arguments, block, resources, options, versions. docs/compile.md
// describes its members.
//
// jansson's setters accept NULL values and fail. Every failure makes the result NULL, as a manifest
// without some of its members would be misleading.
#include "artifact/manifest.h"

#include <jansson.h>
#include <string.h>

#include "base/hash.h"
#include "base/json.h"

// If the value cannot be added, the object is freed and becomes NULL.
static void put(json_t **object, const char *name, json_t *value)
{
    json_t *key = kiln_json_text(name);
    if (json_object_set_new(*object, json_string_value(key), value) != 0) {
        json_decref(*object);
        *object = NULL;
    }
    json_decref(key);
}

static json_t *range_json(const char *name, const kiln_compile_options_t *options)
{
    for (size_t i = 0; i < options->range_count; i++)
        if (strcmp(options->ranges[i].name, name) == 0)
            return json_pack("[I, I]", (json_int_t)options->ranges[i].min,
                             (json_int_t)options->ranges[i].max);
    return NULL;
}

static json_t *argument_json(const kiln_argument_t *argument, const kiln_compile_options_t *options)
{
    json_t *json =
        json_pack("{s:s, s:s, s:I, s:I}", "name", argument->name, "type", argument->type, "offset",
                  (json_int_t)argument->offset, "size", (json_int_t)argument->size);
    if (json && argument->divisibility)
        put(&json, "divisibility", json_integer((json_int_t)argument->divisibility));
    if (json && argument->is_const)
        put(&json, "const", json_true());
    if (json && argument->sign != KILN_SIGN_UNKNOWN)
        put(&json, "signed", json_boolean(argument->sign == KILN_SIGN_SIGNED));
    if (json && argument->pointer_range_32)
        put(&json, "pointer_range", json_integer(32));
    json_t *range = range_json(argument->name, options);
    if (json && range)
        put(&json, "range", range);
    return json;
}

static json_t *arguments_json(const kiln_kernel_t *kernel, const kiln_compile_options_t *options)
{
    json_t *array = json_array();
    for (size_t i = 0; i < kernel->argument_count; i++)
        if (json_array_append_new(array, argument_json(&kernel->arguments[i], options))) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static json_t *hidden_json(const kiln_kernel_t *kernel)
{
    json_t *array = json_array();
    for (size_t i = 0; i < kernel->hidden_count; i++)
        if (json_array_append_new(array,
                                  json_pack("{s:s, s:I, s:I}", "kind", kernel->hidden[i].kind,
                                            "offset", (json_int_t)kernel->hidden[i].offset, "size",
                                            (json_int_t)kernel->hidden[i].size))) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static json_t *constants_json(const kiln_named_constants_t *constants)
{
    json_t *array = json_array();
    for (size_t i = 0; i < constants->count; i++) {
        const kiln_named_constant_t *one = &constants->items[i];
        if (json_array_append_new(array, json_pack("{s:s, s:s, s:s}", "name", one->name, "type",
                                                   one->type, "value", one->value))) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *grid_json(const kiln_kernel_t *kernel)
{
    return kernel->grid[0].text ? json_pack("[s, s, s]", kernel->grid[0].text, kernel->grid[1].text,
                                            kernel->grid[2].text)
                                : json_null();
}

static json_t *resources_json(const kiln_resources_t *r)
{
    return json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "vgprs", (int)r->vgprs, "agprs",
                     (int)r->agprs, "sgprs", (int)r->sgprs, "vgpr_spills", (int)r->vgpr_spills,
                     "sgpr_spills", (int)r->sgpr_spills, "lds_bytes", (int)r->lds_bytes,
                     "scratch_bytes_per_lane", (int)r->scratch_bytes_per_lane, "occupancy",
                     (int)r->occupancy);
}

// Options -----------------------------------------------------------------------------------------

static json_t *json_of_INT(int value)
{
    return json_integer(value);
}

static json_t *json_of_FLAG(bool value)
{
    return json_boolean(value);
}

static json_t *json_of_TEXT(const char *value)
{
    return kiln_json_text(value);
}

static json_t *json_of_NAMES(const char *const *names, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        if (json_array_append_new(array, kiln_json_text(names[i]))) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static json_t *json_of_DEFINES(const kiln_setting_t *defines, size_t count)
{
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++)
        put(&object, defines[i].name, kiln_json_text(defines[i].value));
    return object;
}

static json_t *json_of_HINTS(const kiln_arg_hint_t *hints, size_t count)
{
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++)
        put(&object, hints[i].name,
            json_pack("{s:o, s:i, s:b}", "type", kiln_json_text(hints[i].type), "divisibility",
                      (int)hints[i].divisibility, "pointer_range_32", hints[i].pointer_range_32));
    return object;
}

static json_t *json_of_RANGES(const kiln_arg_range_t *ranges, size_t count)
{
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++)
        put(&object, ranges[i].name,
            json_pack("[I, I]", (json_int_t)ranges[i].min, (json_int_t)ranges[i].max));
    return object;
}

static json_t *json_of_HEADERS(const kiln_header_t *headers, size_t count)
{
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++) {
        char hash[33];
        kiln_hash_format(kiln_hash_bytes(headers[i].text, headers[i].length), hash);
        put(&object, headers[i].name, json_string(hash));
    }
    return object;
}

// All options that code depends on, from kiln/options.def.
static json_t *options_json(const kiln_compile_options_t *options)
{
    json_t *json = json_object();
#define IF_CODE(statement) statement;
#define IF_WATCHES(statement)
#define IF_WARNS(statement)
#define KILN_OPTION(type, name, effect, values, initial, what)                                     \
    IF_##effect(put(&json, #name, json_of_##type(options->name)))
#define KILN_OPTION_LIST(type, name, count, effect, what)                                          \
    IF_##effect(put(&json, #name, json_of_##type(options->name, options->count)))
#include "kiln/options.def"
#undef KILN_OPTION
#undef KILN_OPTION_LIST
    return json;
}

// Facts for loaders.
static json_t *loader_json(const kiln_kernel_t *kernel, const kiln_compile_options_t *options)
{
    return json_pack(
        "{s:i, s:s, s:s, s:s, s:[i, i, i], s:i, s:o, s:o, s:o, s:{s:I, s:I}, s:i, s:i, s:o}",
        "schema", (int)KILN_MANIFEST_SCHEMA, "name", kernel->name, "kernel", kernel->symbol, "arch",
        options->arch, "block", (int)kernel->block_size, 1, 1, "block_size",
        (int)kernel->block_size, "grid", grid_json(kernel), "arguments",
        arguments_json(kernel, options), "hidden_arguments", hidden_json(kernel), "kernarg", "size",
        (json_int_t)kernel->kernarg_size, "align", (json_int_t)kernel->kernarg_align,
        "dynamic_lds_bytes", 0, "workspace_bytes", 0, "constants",
        constants_json(&kernel->constants));
}

char *kiln_manifest_make(const kiln_kernel_t *kernel, const kiln_compile_options_t *options)
{
    json_t *json = loader_json(kernel, options);
    json_t *origin =
        json_pack("{s:s, s:{s:s, s:s}, s:o, s:o, s:{s:s, s:s}}", "build_id", kiln_build_id(),
                  "source", "hash", kernel->source_hash, "stage", kernel->source_stage, "resources",
                  resources_json(&kernel->resources), "options", options_json(options), "versions",
                  "kiln", kiln_version(), "llvm", kiln_llvm_version());
    bool whole = json && origin && json_object_update(json, origin) == 0;
    char *text = whole ? kiln_json_print(json) : NULL;
    json_decref(json);
    json_decref(origin);
    return text;
}
