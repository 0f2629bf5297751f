// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a case directory. Unknown members of case.json are errors, so that no option is lost
// silently.
#include "kiln/case.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/require.h"
#include "base/string.h"

// The case owns its strings and bytes; its users only read them.
static void discard(const void *owned)
{
    free((void *)(uintptr_t)owned);
}

// Whether kiln/options.def has an option of that name that can be written as text.
static bool is_option(const char *name)
{
#define NAME_INT(name) #name,
#define NAME_FLAG(name) #name,
#define NAME_TEXT(name)
#define NAME_STAGE(name)
#define NAME_STAGES(name)
#define NAME_DUMP(name)
#define NAME_POINTS(name)
#define NAME_LIMIT(name)
#define NAME_USER(name)
    static const char *const names[] = {
#define KILN_OPTION(type, name, effect, values, initial, what) NAME_##type(name)
#define KILN_OPTION_LIST(type, name, count, effect, what)
#include "kiln/options.def"
#undef KILN_OPTION
#undef KILN_OPTION_LIST
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

// The compiler checks the option's value.
static kiln_status_t read_setting(const json_t *object, const char *key, kiln_setting_t *out)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value) && !json_is_boolean(value))
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "JSON member '%s' is missing or not an integer", key);
    out->name = strdup(key);
    out->value = json_is_integer(value)
                     ? kiln_string_print("%" PRId64, (int64_t)json_integer_value(value))
                     : strdup(json_is_true(value) ? "true" : "false");
    return out->name && out->value ? KILN_OK : kiln_status_out_of_memory();
}

static kiln_status_t read_options(const json_t *json, kiln_case_t *out)
{
    json_t *options = json_object_get(json, "options");
    const char *key;
    json_t *ignored;
    if (options && !json_is_object(options))
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "JSON member 'options' is not an object");
    kiln_setting_t *settings = calloc(json_object_size(options) + 2, sizeof *settings);
    if (!settings)
        return kiln_status_out_of_memory();
    out->settings = settings; // from here on freed with the case
    KILN_TRY(read_setting(json, "num_warps", &settings[out->setting_count++]));
    KILN_TRY(read_setting(json, "num_stages", &settings[out->setting_count++]));
    json_object_foreach(options, key, ignored)
    {
        if (!is_option(key))
            return kiln_status_make(KILN_STATUS_UNSUPPORTED, "unknown option '%s'", key);
        KILN_TRY(read_setting(options, key, &settings[out->setting_count++]));
    }
    return KILN_OK;
}

static kiln_status_t read_bytes(const char *directory, const char *name, const void **out_data,
                                size_t *out_size)
{
    char *data = NULL;
    char *path = kiln_path_join(directory, name);
    if (!path)
        return kiln_status_out_of_memory();
    kiln_status_t status = kiln_file_read(path, &data, out_size);
    *out_data = data;
    free(path);
    return status;
}

static kiln_status_t read_buffer(const json_t *json, const char *directory,
                                 kiln_case_argument_t *out)
{
    const char *elem, *in, *expected;
    KILN_TRY(kiln_json_string(json, "elem", &elem));
    KILN_TRY(kiln_json_string(json, "in", &in));
    KILN_TRY(kiln_json_string_or(json, "out", NULL, &expected));
    if (!kiln_element_type_parse(elem, &out->type))
        return kiln_status_make(KILN_STATUS_UNSUPPORTED, "unknown element type '%s'", elem);
    KILN_TRY(read_bytes(directory, in, &out->input, &out->size));
    if (out->size % kiln_element_size(out->type))
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "'%s' has %zu bytes, which is not a multiple of the size of %s", in,
                                out->size, elem);
    if (!expected)
        return KILN_OK;
    size_t size;
    KILN_TRY(read_bytes(directory, expected, &out->expected, &size));
    if (size != out->size)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "'%s' has %zu bytes, but '%s' has %zu",
                                in, out->size, expected, size);
    return KILN_OK;
}

// Whether an integer fits the type, either signed or unsigned.
static bool fits(kiln_element_type_t type, int64_t value)
{
    size_t bits = 8 * kiln_element_size(type);
    return kiln_element_is_float(type) || bits >= 64 ||
           (value >= -(INT64_C(1) << (bits - 1)) && value < INT64_C(1) << bits);
}

static kiln_status_t read_argument(const json_t *json, const char *directory,
                                   kiln_case_argument_t *out)
{
    const char *name, *type;
    KILN_TRY(kiln_json_string(json, "name", &name));
    KILN_TRY(kiln_json_string(json, "type", &type));
    if (!(out->name = strdup(name)))
        return kiln_status_out_of_memory();
    out->is_pointer = strcmp(type, "ptr") == 0;
    if (out->is_pointer)
        return read_buffer(json, directory, out);
    if (!kiln_element_type_parse(type, &out->type))
        return kiln_status_make(KILN_STATUS_UNSUPPORTED, "unknown argument type '%s'", type);
    const json_t *value = json_object_get(json, "value");
    if (json_is_integer(value) && !fits(out->type, json_integer_value(value)))
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "JSON member 'value' is %" PRId64 ", which is not a valid %s",
                                (int64_t)json_integer_value(value), type);
    if (json_is_integer(value))
        kiln_element_from_int64(out->type, json_integer_value(value), &out->value);
    else if (json_is_boolean(value))
        kiln_element_from_int64(out->type, json_is_true(value), &out->value);
    else if (json_is_real(value) && kiln_element_is_float(out->type))
        kiln_element_from_double(out->type, json_real_value(value), &out->value);
    else
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "JSON member 'value' is missing or not a valid %s", type);
    return KILN_OK;
}

static kiln_status_t read_json(const json_t *json, kiln_case_t *out)
{
    const char *name, *entry;
    int64_t number;
    json_t *grid, *arguments;
    KILN_TRY(kiln_json_string_or(json, "name", out->name, &name));
    KILN_TRY(kiln_json_string(json, "entry", &entry));
    char *copy = strdup(name);
    out->entry = strdup(entry);
    if (!copy || !out->entry) {
        free(copy);
        return kiln_status_out_of_memory();
    }
    discard(out->name);
    out->name = copy;
    KILN_TRY(kiln_json_array(json, "grid", &grid));
    if (json_array_size(grid) < 1 || json_array_size(grid) > 3)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "'grid' has %zu extents; expected 1 to 3", json_array_size(grid));
    for (size_t i = 0; i < 3; i++) {
        const json_t *extent = json_array_get(grid, i);
        out->grid[i] = extent ? (unsigned)json_integer_value(extent) : 1;
        if (extent && (!json_is_integer(extent) || json_integer_value(extent) < 0 ||
                       json_integer_value(extent) > INT32_MAX))
            return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                    "'grid' must contain workgroup counts");
    }
    KILN_TRY(kiln_json_integer_or(json, "triton_lds_bytes", 0, &number));
    out->triton_lds_bytes = (unsigned)number;
    KILN_TRY(read_options(json, out));
    KILN_TRY(kiln_json_array(json, "args", &arguments));
    kiln_case_argument_t *values = calloc(json_array_size(arguments) + 1, sizeof *values);
    if (!values)
        return kiln_status_out_of_memory();
    out->arguments = values; // from here on freed with the case
    out->argument_count = json_array_size(arguments);
    for (size_t i = 0; i < out->argument_count; i++)
        KILN_TRY_NOTE(read_argument(json_array_get(arguments, i), out->directory, &values[i]),
                      "in argument %zu", i);
    return KILN_OK;
}

kiln_status_t kiln_case_read(const char *directory, kiln_case_t **out_case)
{
    KILN_REQUIRE_OUT(out_case);
    KILN_REQUIRE(directory);
    kiln_case_t *test_case = *out_case = calloc(1, sizeof *test_case);
    if (!test_case)
        return kiln_status_out_of_memory();
    size_t length = strlen(directory);
    while (length > 1 && directory[length - 1] == '/')
        length--;
    test_case->directory = strndup(directory, length);
    test_case->name = test_case->directory ? strdup(kiln_path_base(test_case->directory)) : NULL;
    char *path = test_case->directory ? kiln_path_join(test_case->directory, "case.json") : NULL;
    if (!test_case->name || !path) {
        free(path);
        kiln_case_release(test_case);
        *out_case = NULL;
        return kiln_status_out_of_memory();
    }
    json_t *json;
    kiln_status_t status = kiln_json_read(path, &json);
    if (!status) {
        status = kiln_status_annotate(read_json(json, test_case), "while reading '%s'", path);
        json_decref(json);
    }
    free(path);
    return status;
}

void kiln_case_release(kiln_case_t *test_case)
{
    if (!test_case)
        return;
    for (size_t i = 0; i < test_case->argument_count; i++) {
        discard(test_case->arguments[i].name);
        discard(test_case->arguments[i].input);
        discard(test_case->arguments[i].expected);
    }
    for (size_t i = 0; i < test_case->setting_count; i++) {
        discard(test_case->settings[i].name);
        discard(test_case->settings[i].value);
    }
    discard(test_case->settings);
    discard(test_case->arguments);
    discard(test_case->directory);
    discard(test_case->name);
    discard(test_case->entry);
    free(test_case);
}
