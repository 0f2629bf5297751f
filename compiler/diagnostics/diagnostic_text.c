// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Serializes diagnostics as text, one JSON object per line, so that they can be stored with a
// kernel and reported again.
//
// A message may contain any bytes of the source, but JSON requires UTF-8; other bytes become '?'.
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/json.h"
#include "base/require.h"
#include "base/string.h"
#include "kiln/kiln.h"

enum { MAX_INCLUDERS = 1000 };

// Writing -----------------------------------------------------------------------------------------

static json_t *includers_json(const kiln_includer_t *includer)
{
    json_t *array = json_array();
    for (; includer && array; includer = includer->outer)
        if (json_array_append_new(
                array, json_pack("[o, i]", kiln_json_text(includer->file), (int)includer->line))) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static char *line_of(const kiln_diagnostic_t *d)
{
    json_t *json = json_pack(
        "{s:i, s:o, s:i, s:i, s:o, s:o, s:i, s:o, s:o, s:[i, i, i, i]}", "severity",
        (int)d->severity, "file", kiln_json_text(d->file), "line", (int)d->line, "column",
        (int)d->column, "message", kiln_json_text(d->message), "source",
        kiln_json_text(d->source_line), "range", (int)d->range, "flag", kiln_json_text(d->flag),
        "includers", includers_json(d->includer), "marks", (int)d->marks[0].column,
        (int)d->marks[0].length, (int)d->marks[1].column, (int)d->marks[1].length);
    char *line = json ? kiln_json_print_line(json) : NULL;
    json_decref(json);
    return line;
}

kiln_status_t kiln_diagnostic_serialize(const kiln_diagnostic_t *diagnostic, char **text)
{
    KILN_REQUIRE(diagnostic);
    KILN_REQUIRE(text);
    char *line = line_of(diagnostic);
    char *longer = line ? kiln_string_print("%s%s\n", *text ? *text : "", line) : NULL;
    free(line);
    if (!longer)
        return kiln_status_out_of_memory();
    free(*text);
    *text = longer;
    return KILN_OK;
}

// Reading -----------------------------------------------------------------------------------------

static const char *text_at(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static unsigned number(const json_t *json)
{
    const json_int_t value = json_integer_value(json);
    return value > 0 && value <= UINT32_MAX ? (unsigned)value : 0;
}

static kiln_status_t replay(const json_t *json, kiln_diagnostic_handler_t handler, void *user)
{
    const json_t *includers = json_object_get(json, "includers"),
                 *marks = json_object_get(json, "marks");
    const size_t count = json_array_size(includers);
    const unsigned severity = number(json_object_get(json, "severity"));
    kiln_diagnostic_t diagnostic = {.severity = (kiln_severity_t)severity,
                                    .file = text_at(json, "file"),
                                    .line = number(json_object_get(json, "line")),
                                    .column = number(json_object_get(json, "column")),
                                    .message = text_at(json, "message"),
                                    .source_line = text_at(json, "source"),
                                    .range = number(json_object_get(json, "range")),
                                    .flag = text_at(json, "flag")};
    if (!diagnostic.message || severity > KILN_SEVERITY_NOTE || count > MAX_INCLUDERS)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "corrupt cached diagnostic");
    for (size_t i = 0; i < 2; i++)
        diagnostic.marks[i] = (kiln_diagnostic_mark_t){number(json_array_get(marks, 2 * i)),
                                                       number(json_array_get(marks, 2 * i + 1))};
    kiln_includer_t *chain = calloc(count + 1, sizeof *chain);
    if (!chain)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < count; i++) {
        const json_t *one = json_array_get(includers, i);
        chain[i].file = json_string_value(json_array_get(one, 0));
        chain[i].line = number(json_array_get(one, 1));
        chain[i].outer = i + 1 < count ? &chain[i + 1] : NULL;
    }
    diagnostic.includer = count ? chain : NULL;
    handler(&diagnostic, user);
    free(chain);
    return KILN_OK;
}

kiln_status_t kiln_diagnostics_replay(const char *text, kiln_diagnostic_handler_t handler,
                                      void *user)
{
    KILN_REQUIRE(handler);
    for (size_t length; text && *text; text += length + (text[length] == '\n')) {
        json_t *json;
        length = strcspn(text, "\n");
        KILN_TRY(kiln_json_parse("cached diagnostic", text, length, &json));
        kiln_status_t status = replay(json, handler, user);
        json_decref(json);
        KILN_TRY(status);
    }
    return KILN_OK;
}
