// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the files of other tuners. Their rows are for several sizes; all are candidates, since the
// clock, or the machine, decides.
#include "configs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "base/string.h"

typedef struct reading {
    const char *path;
    const kiln_source_t *source;
    json_t *axes;    // object: name → array of integers, ascending
    json_t *configs; // array of text "NAME=V NAME=V"
    json_t *unknown; // object: names that are left out
} reading_t;

// Names -------------------------------------------------------------------------------------------

static bool is_word_char(char c)
{
    return kiln_is_alphanumeric(c) || c == '_';
}

static bool has_word(const kiln_source_t *source, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = source->text; (at = strstr(at, word)); at += length)
        if ((at == source->text || !is_word_char(at[-1])) && !is_word_char(at[length]))
            return true;
    return false;
}

// The kernel's name for a name of the file, from malloc; NULL if it has none. *out_failed: out of
// memory.
static char *name_of(const reading_t *reading, const char *name, bool *out_failed)
{
    static const char SIZE[] = "_SIZE_";
    char *own = NULL;
    const char *size = strstr(name, SIZE);
    *out_failed = false;
    if (kiln_compile_option_find(name, strlen(name)) || has_word(reading->source, name))
        *out_failed = !(own = strdup(name));
    else if (size)
        *out_failed =
            !(own = kiln_string_print("%.*s%s", (int)(size - name), name, size + strlen("_SIZE")));
    if (own && !kiln_compile_option_find(own, strlen(own)) && !has_word(reading->source, own)) {
        free(own);
        own = NULL;
    }
    return own;
}

// Configurations ----------------------------------------------------------------------------------

// Inserts a value into an array in ascending order, once. False if out of memory.
static bool insert_value(json_t *values, json_int_t value)
{
    size_t at = 0;
    while (at < json_array_size(values) && json_integer_value(json_array_get(values, at)) < value)
        at++;
    if (at < json_array_size(values) && json_integer_value(json_array_get(values, at)) == value)
        return true;
    return json_array_insert_new(values, at, json_integer(value)) == 0;
}

static kiln_status_t add_value(reading_t *reading, const char *name, json_int_t value,
                               kiln_string_t *text)
{
    json_t *values = json_object_get(reading->axes, name);
    if (!values) {
        if (json_object_set_new(reading->axes, name, json_array()) != 0)
            return kiln_status_out_of_memory();
        values = json_object_get(reading->axes, name);
    }
    if (!insert_value(values, value))
        return kiln_status_out_of_memory();
    kiln_string_appendf(text, "%s%s=%" JSON_INTEGER_FORMAT, text->length ? " " : "", name, value);
    return KILN_OK;
}

static kiln_status_t add_member(reading_t *reading, const char *name, const json_t *value,
                                kiln_string_t *text)
{
    bool failed;
    char *own = name_of(reading, name, &failed);
    if (failed)
        return kiln_status_out_of_memory();
    if (!own)
        return json_object_set_new(reading->unknown, name, json_null())
                   ? kiln_status_out_of_memory()
                   : KILN_OK;
    kiln_status_t status =
        json_is_integer(value) || json_is_boolean(value)
            ? add_value(reading, own,
                        json_is_integer(value) ? json_integer_value(value) : json_is_true(value),
                        text)
            : kiln_status_make(KILN_STATUS_INVALID_INPUT, "'%s' is not an integer", name);
    free(own);
    return status;
}

static kiln_status_t add_members(reading_t *reading, json_t *config, kiln_string_t *text)
{
    const char *name;
    json_t *value;
    json_object_foreach(config, name, value)
    {
        if (strcmp(name, "kwargs") == 0 && json_is_object(value))
            KILN_TRY(add_members(reading, value, text));
        else
            KILN_TRY(add_member(reading, name, value, text));
    }
    return KILN_OK;
}

static kiln_status_t add_config(reading_t *reading, json_t *config)
{
    kiln_string_t text = {0};
    kiln_status_t status =
        json_is_object(config)
            ? add_members(reading, config, &text)
            : kiln_status_make(KILN_STATUS_INVALID_INPUT, "a configuration is not an object");
    if (!status && !text.length && !text.failed)
        status = kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                  "a configuration sets no constant or option of the kernel");
    char *config_text = status ? NULL : kiln_string_take(&text);
    kiln_string_free(&text);
    if (!status &&
        (!config_text || json_array_append_new(reading->configs, json_string(config_text)) != 0))
        status = kiln_status_out_of_memory();
    free(config_text);
    return status;
}

static kiln_status_t add_timings(reading_t *reading, const json_t *timings)
{
    size_t i;
    const json_t *row;
    if (!json_is_array(timings))
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "'configs_timings' is not an array");
    json_array_foreach(timings, i, row)
        KILN_TRY_NOTE(add_config(reading, json_array_get(row, 0)), "in configuration %zu", i);
    return KILN_OK;
}

static kiln_status_t add_table(reading_t *reading, json_t *root)
{
    const char *key;
    json_t *config;
    json_object_foreach(root, key, config)
    {
        if (strcmp(key, "triton_version") != 0) // next to vLLM's rows
            KILN_TRY_NOTE(add_config(reading, config), "in '%s'", key);
    }
    return KILN_OK;
}

// Python writes Infinity and NaN, which JSON lacks, as Triton does for a configuration that failed.
// They become null, or 0 where null is too long; these values are not read.
static void replace_non_numbers(char *text)
{
    static const char *const words[] = {"-Infinity", "Infinity", "NaN"};
    bool is_string = false;
    for (; *text; text++) {
        if (is_string && *text == '\\' && text[1])
            text++;
        else if (*text == '"')
            is_string = !is_string;
        for (size_t i = 0; i < sizeof words / sizeof *words && !is_string; i++)
            if (strncmp(text, words[i], strlen(words[i])) == 0) {
                memset(text, ' ', strlen(words[i]));
                memcpy(text, i < 2 ? "null" : "0", i < 2 ? 4 : 1);
            }
    }
}

static kiln_status_t read_file(const char *path, json_t **out_root)
{
    char *text;
    size_t length;
    KILN_TRY(kiln_file_read(path, &text, &length));
    replace_non_numbers(text);
    kiln_status_t status = kiln_json_parse(path, text, length, out_root);
    free(text);
    return kiln_string_ends_with(path, ".csv")
               ? kiln_status_annotate(status,
                                      "the sizes of a table, such as AITER's of tuned GEMMs, "
                                      "are read by --sizes")
               : status;
}

// The space ---------------------------------------------------------------------------------------

static kiln_status_t add_axis(const char *name, const json_t *values, kiln_tune_space_t *space)
{
    kiln_string_t text = {0};
    kiln_string_appendf(&text, "%s=", name);
    for (size_t i = 0; i < json_array_size(values); i++)
        kiln_string_appendf(&text, "%s%" JSON_INTEGER_FORMAT, i ? "," : "",
                            json_integer_value(json_array_get(values, i)));
    char *axis = kiln_string_take(&text);
    kiln_status_t status = axis ? kiln_tune_space_add(space, axis) : kiln_status_out_of_memory();
    free(axis);
    return status;
}

// Whether a configuration, "NAME=V NAME=V", has the name.
static bool has_name(const char *config, const char *name)
{
    const size_t length = strlen(name);
    for (const char *word = config; word; word = strchr(word, ' ')) {
        word += *word == ' ';
        if (strncmp(word, name, length) == 0 && word[length] == '=')
            return true;
    }
    return false;
}

// Sets an option to its default in rows that omit it: those do not take the values of other rows.
static kiln_status_t complete(const reading_t *reading, const char *name, json_t *values)
{
    size_t i;
    const json_t *config;
    const kiln_option_t *option = kiln_compile_option_find(name, strlen(name));
    if (!option)
        return KILN_OK;
    json_array_foreach(reading->configs, i, config)
    {
        const char *text = json_string_value(config);
        if (has_name(text, name))
            continue;
        char *whole = kiln_string_print("%s %s=%d", text, name, (int)option->initial);
        json_t *json = whole ? json_string(whole) : NULL;
        free(whole);
        if (!json || json_array_set_new(reading->configs, i, json) != 0 ||
            !insert_value(values, (json_int_t)option->initial))
            return kiln_status_out_of_memory();
    }
    return KILN_OK;
}

static kiln_status_t fill_space(const reading_t *reading, kiln_tune_space_t *space)
{
    const char *name;
    json_t *value;
    size_t i;
    if (json_array_size(reading->configs) == 0)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "there are no configurations");
    json_object_foreach(reading->axes, name, value)
    {
        KILN_TRY(complete(reading, name, value));
        KILN_TRY(add_axis(name, value, space));
    }
    json_array_foreach(reading->configs, i, value)
        KILN_TRY(kiln_tune_space_allow(space, json_string_value(value)));
    return KILN_OK;
}

static void report(const reading_t *reading)
{
    const char *name;
    json_t *value;
    fprintf(stderr, "kiln: %zu configurations of '%s'", json_array_size(reading->configs),
            reading->path);
    if (json_object_size(reading->unknown))
        fprintf(stderr, ", without what the kernel does not have:");
    json_object_foreach(reading->unknown, name, value) fprintf(stderr, " %s", name);
    fputc('\n', stderr);
}

kiln_status_t kiln_tune_configs_add(const char *path, const kiln_source_t *source, bool is_quiet,
                                    kiln_tune_space_t *space)
{
    json_t *root = NULL;
    reading_t reading = {.path = path,
                         .source = source,
                         .axes = json_object(),
                         .configs = json_array(),
                         .unknown = json_object()};
    kiln_status_t status = reading.axes && reading.configs && reading.unknown
                               ? read_file(path, &root)
                               : kiln_status_out_of_memory();
    if (!status && !json_is_object(root))
        status = kiln_status_make(KILN_STATUS_INVALID_INPUT, "expected a JSON object");
    const json_t *timings = json_object_get(root, "configs_timings");
    if (!status)
        status = timings ? add_timings(&reading, timings) : add_table(&reading, root);
    if (!status)
        status = fill_space(&reading, space);
    if (!status && !is_quiet)
        report(&reading);
    json_decref(reading.axes);
    json_decref(reading.configs);
    json_decref(reading.unknown);
    json_decref(root);
    return kiln_status_annotate(status, "while reading configurations from '%s'", path);
}
