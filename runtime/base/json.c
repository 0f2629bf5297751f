// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON helpers over jansson.
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "base/string.h"

kiln_status_t kiln_json_read(const char *path, json_t **out_json)
{
    *out_json = NULL;
    char *text;
    size_t length;
    KILN_TRY(kiln_file_read(path, &text, &length));
    kiln_status_t status = kiln_json_parse(path, text, length, out_json);
    free(text);
    return status;
}

static kiln_status_t missing(const char *key, const char *type)
{
    return kiln_status_make(KILN_STATUS_INVALID_INPUT, "JSON member '%s' (%s) is missing", key,
                            type);
}

static kiln_status_t mistyped(const char *key, const char *type)
{
    return kiln_status_make(KILN_STATUS_INVALID_INPUT, "JSON member '%s' is not %s", key, type);
}

kiln_status_t kiln_json_string_or(const json_t *object, const char *key, const char *otherwise,
                                  const char **out)
{
    *out = otherwise;
    const json_t *member = json_object_get(object, key);
    if (!member)
        return KILN_OK;
    if (!json_is_string(member))
        return mistyped(key, "a string");
    *out = json_string_value(member);
    return KILN_OK;
}

kiln_status_t kiln_json_string(const json_t *object, const char *key, const char **out)
{
    *out = NULL;
    return json_object_get(object, key) ? kiln_json_string_or(object, key, NULL, out)
                                        : missing(key, "a string");
}

kiln_status_t kiln_json_integer_or(const json_t *object, const char *key, int64_t otherwise,
                                   int64_t *out)
{
    *out = otherwise;
    const json_t *member = json_object_get(object, key);
    if (!member)
        return KILN_OK;
    if (!json_is_integer(member))
        return mistyped(key, "an integer");
    *out = json_integer_value(member);
    return KILN_OK;
}

kiln_status_t kiln_json_integer(const json_t *object, const char *key, int64_t *out)
{
    *out = 0;
    return json_object_get(object, key) ? kiln_json_integer_or(object, key, 0, out)
                                        : missing(key, "an integer");
}

kiln_status_t kiln_json_array(const json_t *object, const char *key, json_t **out)
{
    *out = NULL;
    json_t *member = json_object_get(object, key);
    if (!member)
        return missing(key, "an array");
    if (!json_is_array(member))
        return mistyped(key, "an array");
    *out = member;
    return KILN_OK;
}

static int append_to_string(const char *buffer, size_t size, void *data)
{
    kiln_string_append_bytes(data, buffer, size);
    return 0;
}

static kiln_string_t print(const json_t *json, size_t flags)
{
    kiln_string_t text = {0};
    void *locale = kiln_c_locale_enter(); // jansson prints reals with the locale's decimal point
    if (json_dump_callback(json, append_to_string, &text, flags) != 0)
        text.failed = true;
    kiln_c_locale_leave(locale);
    return text;
}

// Bytes of the UTF-8 character that begins at `at`; 0 if none does, according to jansson.
static size_t character(const char *at)
{
    for (size_t length = 1; length <= 4 && at[length - 1]; length++) {
        json_t *json = json_stringn(at, length);
        json_decref(json);
        if (json)
            return length;
    }
    return 0;
}

json_t *kiln_json_text(const char *text)
{
    if (!text)
        return json_null();
    json_t *json = json_string(text);
    char *copy = json ? NULL : strdup(text);
    for (char *at = copy; at && *at;) {
        const size_t length = character(at);
        if (!length)
            *at = '?';
        at += length ? length : 1;
    }
    if (copy)
        json = json_string(copy);
    free(copy);
    return json;
}

char *kiln_json_print(const json_t *json)
{
    kiln_string_t text = print(json, JSON_INDENT(2) | JSON_SORT_KEYS | JSON_ENCODE_ANY);
    kiln_string_append_char(&text, '\n');
    return kiln_string_take(&text);
}

char *kiln_json_print_line(const json_t *json)
{
    kiln_string_t text = print(json, JSON_COMPACT | JSON_ENCODE_ANY);
    return kiln_string_take(&text);
}
