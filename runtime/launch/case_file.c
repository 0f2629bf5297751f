// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading a case directory. Whatever case.json says and Kiln does not know is an error, so that no option is lost
// silently.
#include "kiln/case.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"

static kiln_status_t out_of_memory(void)
{
    return kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "out of memory");
}

// The strings and bytes of a case are its own; its users only read them.
static void discard(const void *owned)
{
    free((void *)(uintptr_t)owned);
}

static kiln_status_t read_small(const json_t *object, const char *key, int64_t low, int64_t high, int64_t *out)
{
    KILN_TRY(kiln_json_integer(object, key, out));
    if (*out < low || *out > high)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "JSON member '%s' is %lld, not within %lld to %lld", key,
                                (long long)*out, (long long)low, (long long)high);
    return KILN_OK;
}

static kiln_status_t read_options(const json_t *json, kiln_case_t *out)
{
    json_t *options = json_object_get(json, "options");
    const char *key;
    json_t *ignored;
    if (options && !json_is_object(options))
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "JSON member 'options' is not an object");
    json_object_foreach(options, key, ignored)
    {
        static const char *const names[] = {"matrix_instr_nonkdim", "waves_per_eu", "kpack"};
        int *const fields[] = {&out->matrix_instr_nonkdim, &out->waves_per_eu, &out->kpack};
        int64_t value;
        KILN_TRY(read_small(options, key, 0, 1024, &value));
        size_t i = 0;
        while (i < 3 && strcmp(key, names[i]) != 0)
            i++;
        if (i == 3)
            return kiln_status_make(KILN_STATUS_UNSUPPORTED, "the option '%s' is unknown", key);
        *fields[i] = (int)value;
    }
    return KILN_OK;
}

static kiln_status_t read_bytes(const char *directory, const char *name, const void **out_data, size_t *out_size)
{
    char *data = NULL;
    char *path = kiln_path_join(directory, name);
    if (!path)
        return out_of_memory();
    kiln_status_t status = kiln_file_read(path, &data, out_size);
    *out_data = data;
    free(path);
    return status;
}

static kiln_status_t read_buffer(const json_t *json, const char *directory, kiln_case_argument_t *out)
{
    const char *elem, *in, *expected;
    KILN_TRY(kiln_json_string(json, "elem", &elem));
    KILN_TRY(kiln_json_string(json, "in", &in));
    KILN_TRY(kiln_json_string_or(json, "out", NULL, &expected));
    if (!kiln_element_type_parse(elem, &out->type))
        return kiln_status_make(KILN_STATUS_UNSUPPORTED, "the element type '%s' is unknown", elem);
    KILN_TRY(read_bytes(directory, in, &out->input, &out->size));
    if (out->size % kiln_element_size(out->type))
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "'%s' has %zu bytes, no whole number of %s", in, out->size,
                                elem);
    if (!expected)
        return KILN_OK;
    size_t size;
    KILN_TRY(read_bytes(directory, expected, &out->expected, &size));
    if (size != out->size)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "'%s' has %zu bytes, '%s' has %zu", in, out->size, expected,
                                size);
    return KILN_OK;
}

// Whether an integer has so many bits, be they meant with a sign or without.
static bool fits(kiln_element_type_t type, int64_t value)
{
    size_t bits = 8 * kiln_element_size(type);
    return kiln_element_is_float(type) || bits >= 64 ||
           (value >= -(INT64_C(1) << (bits - 1)) && value < INT64_C(1) << bits);
}

static kiln_status_t read_argument(const json_t *json, const char *directory, kiln_case_argument_t *out)
{
    const char *name, *type;
    KILN_TRY(kiln_json_string(json, "name", &name));
    KILN_TRY(kiln_json_string(json, "type", &type));
    if (!(out->name = strdup(name)))
        return out_of_memory();
    out->is_pointer = strcmp(type, "ptr") == 0;
    if (out->is_pointer)
        return read_buffer(json, directory, out);
    if (!kiln_element_type_parse(type, &out->type))
        return kiln_status_make(KILN_STATUS_UNSUPPORTED, "the argument type '%s' is unknown", type);
    const json_t *value = json_object_get(json, "value");
    if (json_is_integer(value) && !fits(out->type, json_integer_value(value)))
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "JSON member 'value' is %" PRId64 ", which is no %s",
                                (int64_t)json_integer_value(value), type);
    if (json_is_integer(value))
        kiln_element_from_int64(out->type, json_integer_value(value), &out->value);
    else if (json_is_boolean(value))
        kiln_element_from_int64(out->type, json_is_true(value), &out->value);
    else if (json_is_real(value) && kiln_element_is_float(out->type))
        kiln_element_from_double(out->type, json_real_value(value), &out->value);
    else
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "JSON member 'value' is missing or no %s", type);
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
        return out_of_memory();
    }
    discard(out->name);
    out->name = copy;
    KILN_TRY(kiln_json_array(json, "grid", &grid));
    if (json_array_size(grid) < 1 || json_array_size(grid) > 3)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "'grid' has %zu extents; 1 to 3 are possible",
                                json_array_size(grid));
    for (size_t i = 0; i < 3; i++) {
        const json_t *extent = json_array_get(grid, i);
        out->grid[i] = extent ? (unsigned)json_integer_value(extent) : 1;
        if (extent &&
            (!json_is_integer(extent) || json_integer_value(extent) < 0 || json_integer_value(extent) > INT32_MAX))
            return kiln_status_make(KILN_STATUS_INVALID_INPUT, "'grid' does not hold workgroup counts");
    }
    KILN_TRY(read_small(json, "num_warps", 1, 16, &number));
    out->num_warps = (int)number;
    KILN_TRY(read_small(json, "num_stages", 1, 64, &number));
    out->num_stages = (int)number;
    KILN_TRY(kiln_json_integer_or(json, "triton_lds_bytes", 0, &number));
    out->triton_lds_bytes = (unsigned)number;
    KILN_TRY(read_options(json, out));
    KILN_TRY(kiln_json_array(json, "args", &arguments));
    kiln_case_argument_t *values = calloc(json_array_size(arguments) + 1, sizeof *values);
    if (!values)
        return out_of_memory();
    out->arguments = values; // from here on freed with the case
    out->argument_count = json_array_size(arguments);
    for (size_t i = 0; i < out->argument_count; i++)
        KILN_TRY_NOTE(read_argument(json_array_get(arguments, i), out->directory, &values[i]), "in argument %zu", i);
    return KILN_OK;
}

kiln_status_t kiln_case_read(const char *directory, kiln_case_t **out_case)
{
    kiln_case_t *test_case = *out_case = calloc(1, sizeof *test_case);
    if (!test_case)
        return out_of_memory();
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
        return out_of_memory();
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
    discard(test_case->arguments);
    discard(test_case->directory);
    discard(test_case->name);
    discard(test_case->entry);
    free(test_case);
}
