// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads recorded problems and creates their arguments. Contents were not recorded, so floats are
// random, and integers, which may be indices, are 0.
#include "from.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "base/string.h"

// Arguments ---------------------------------------------------------------------------------------

static kiln_status_t refuse(const char *name, const char *what)
{
    return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                            "the record of argument '%s' is inconsistent: %s", name, what);
}

static kiln_status_t buffer_word(const json_t *argument, const char *name, size_t index,
                                 char **out_word)
{
    int64_t bytes;
    const char *type;
    kiln_element_type_t element;
    KILN_TRY(kiln_json_integer(argument, "bytes", &bytes));
    type = json_string_value(json_object_get(argument, "type"));
    if (bytes < 0)
        return refuse(name, "'bytes' is negative");
    if (!type || type[0] != '*')
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "the element type of buffer '%s' was not recorded; pass it by "
                                "kiln_jit_elements",
                                name);
    if (!kiln_element_type_parse(type + 1, &element))
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "unknown element type '%s'", type + 1);
    if (bytes % (int64_t)kiln_element_size(element))
        return refuse(name, "'bytes' is not a multiple of the element's size");
    *out_word = kiln_element_is_float(element)
                    ? kiln_string_print("%s=%s[%" PRId64 "]:random:%zu", name, type + 1,
                                        bytes / (int64_t)kiln_element_size(element), index + 1)
                    : kiln_string_print("%s=%s[%" PRId64 "]", name, type + 1,
                                        bytes / (int64_t)kiln_element_size(element));
    return *out_word ? KILN_OK : kiln_status_out_of_memory();
}

// Candidates are compiled for the recorded hints without a check, so these must be what the
// recorder writes for such an argument (kiln_jit_argument_hint). Addresses are not recorded, so a
// buffer may have any divisibility, and `below_2g` unless it is larger.
static kiln_status_t check_argument(const json_t *argument, const char *name)
{
    const json_t *integer = json_object_get(argument, "integer"),
                 *real = json_object_get(argument, "real"),
                 *bytes = json_object_get(argument, "bytes"),
                 *below_2g = json_object_get(argument, "below_2g");
    int64_t divisibility;
    KILN_TRY(kiln_json_integer(argument, "divisibility", &divisibility));
    if ((integer != NULL) + (real != NULL) + (bytes != NULL) != 1)
        return refuse(name, "expected exactly one of 'integer', 'real' and 'bytes'");
    if (!json_is_boolean(below_2g))
        return refuse(name, "expected true or false for 'below_2g'");
    if (divisibility != 0 && divisibility != 16)
        return refuse(name, "expected 0 or 16 for 'divisibility'");
    if (bytes)
        return json_is_true(below_2g) && json_integer_value(bytes) > KILN_POINTER_RANGE_LIMIT
                   ? refuse(name, "'below_2g' is true, but the buffer is larger")
                   : KILN_OK;
    if (json_is_true(below_2g))
        return refuse(name, "'below_2g' is true, but the argument is a scalar");
    if ((integer && !json_is_integer(integer)) || (real && !json_is_number(real)))
        return refuse(name, "its value is not a number");
    const bool is_divisible = integer && json_integer_value(integer) % 16 == 0;
    return is_divisible == (divisibility == 16)
               ? KILN_OK
               : refuse(name, "'divisibility' does not match the value");
}

static kiln_status_t make_word(const json_t *argument, size_t index, char **out_word)
{
    const char *name;
    KILN_TRY(kiln_json_string(argument, "name", &name));
    KILN_TRY(check_argument(argument, name));
    const json_t *integer = json_object_get(argument, "integer"),
                 *real = json_object_get(argument, "real");
    if (!integer && !real)
        return buffer_word(argument, name, index, out_word);
    kiln_string_t text = {0};
    kiln_string_appendf(&text, "%s=", name);
    char *value = kiln_json_print_line(integer ? integer : real);
    kiln_string_append(&text, value ? value : "");
    *out_word = kiln_string_take(&text);
    const bool is_whole = value && *out_word;
    free(value);
    return is_whole ? KILN_OK : kiln_status_out_of_memory();
}

static kiln_status_t make_words(const json_t *arguments, kiln_tune_recorded_t *out)
{
    size_t i;
    const json_t *argument;
    if (!(out->words = calloc(json_array_size(arguments) + 1, sizeof *out->words)))
        return kiln_status_out_of_memory();
    json_array_foreach(arguments, i, argument)
    {
        KILN_TRY(make_word(argument, i, &out->words[i]));
        out->word_count++;
    }
    return KILN_OK;
}

static kiln_status_t make_settings(json_t *settings, kiln_tune_recorded_t *out)
{
    const char *name;
    json_t *value;
    if (!json_is_object(settings))
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "'settings' is not an object");
    if (!(out->settings = calloc(json_object_size(settings) + 1, sizeof *out->settings)))
        return kiln_status_out_of_memory();
    json_object_foreach(settings, name, value)
    {
        if (!json_is_string(value))
            return kiln_status_make(KILN_STATUS_INVALID_INPUT, "setting '%s' is not a string",
                                    name);
        out->settings[out->setting_count++] = (kiln_setting_t){name, json_string_value(value)};
    }
    return KILN_OK;
}

// Problems ----------------------------------------------------------------------------------------

static kiln_status_t read_problem(const json_t *json, kiln_tune_recorded_t *out)
{
    int64_t version, stage;
    json_t *arguments;
    KILN_TRY(kiln_json_integer(json, "version", &version));
    if (version != 1)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "unknown version %" PRId64 " of a recorded problem", version);
    KILN_TRY(kiln_json_integer(json, "stage", &stage));
    if (stage < KILN_STAGE_TILE || stage > KILN_STAGE_TTG)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "unknown stage %" PRId64, stage);
    out->source.stage = (kiln_stage_t)stage;
    KILN_TRY(kiln_json_string(json, "file", &out->source.name));
    KILN_TRY(kiln_json_string(json, "source", &out->source.text));
    out->source.length = strlen(out->source.text);
    const json_t *kernel = json_object_get(json, "kernel");
    if (!json_is_string(kernel) && !json_is_null(kernel))
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "'kernel' is neither a name nor null");
    out->kernel = json_string_value(kernel);
    KILN_TRY(kiln_json_string(json, "tuning_arguments", &out->arguments));
    const char *grid = strstr(out->arguments, " grid=");
    out->grid = grid ? grid + strlen(" grid=") : NULL;
    KILN_TRY(kiln_json_array(json, "arguments", &arguments));
    out->hints = arguments;
    KILN_TRY(make_words(arguments, out));
    return make_settings(json_object_get(json, "settings"), out);
}

static kiln_status_t visit_line(const char *path, const char *line, size_t length, size_t number,
                                kiln_tune_recorded_fn_t visit, void *user)
{
    json_t *json = NULL;
    kiln_tune_recorded_t recorded = {0};
    kiln_status_t status = kiln_json_parse(path, line, length, &json);
    if (kiln_status_line(status) == 1) // of the text, which is one line of the file
        status = kiln_status_at(status, path, (unsigned)number, kiln_status_column(status));
    if (!status)
        status = read_problem(json, &recorded);
    status = status ? visit(NULL, kiln_status_annotate(status, "in line %zu of '%s'", number, path),
                            user)
                    : visit(&recorded, KILN_OK, user);
    for (size_t i = 0; i < recorded.word_count; i++)
        free(recorded.words[i]);
    free(recorded.words);
    free(recorded.settings);
    json_decref(json);
    return status;
}

// Whether an earlier line of the text is the same.
static bool is_repeated(const char *text, const char *line, size_t length)
{
    while (text < line) {
        const size_t other = strcspn(text, "\n");
        if (other == length && memcmp(text, line, length) == 0)
            return true;
        text += other + 1;
    }
    return false;
}

kiln_status_t kiln_tune_from(const char *path, kiln_tune_recorded_fn_t visit, void *user)
{
    char *text;
    size_t size, number = 0;
    KILN_TRY(kiln_file_read(path, &text, &size));
    kiln_status_t status = KILN_OK;
    for (const char *line = text; *line && !status;) {
        const size_t length = strcspn(line, "\n");
        number++;
        if (length && !is_repeated(text, line, length))
            status = visit_line(path, line, length, number, visit, user);
        line += length + (line[length] == '\n');
    }
    free(text);
    return status;
}

kiln_status_t kiln_tune_recorded_hints(const kiln_tune_recorded_t *recorded, kiln_arg_hint_t *hints,
                                       size_t count)
{
    for (size_t i = 0; i < count && i < json_array_size(recorded->hints); i++) {
        const json_t *json = json_array_get(recorded->hints, i);
        int64_t divisibility;
        KILN_TRY(kiln_json_integer(json, "divisibility", &divisibility));
        hints[i].divisibility = (unsigned)divisibility;
        hints[i].pointer_range_32 = json_is_true(json_object_get(json, "below_2g"));
    }
    return KILN_OK;
}
