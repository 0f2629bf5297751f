// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads JSON with jansson and Kiln's errors, which name the file and the member that is missing or
// of the wrong type.
//
// Strings returned here belong to the JSON value and are valid as long as it is.
#ifndef KILN_BASE_JSON_H
#define KILN_BASE_JSON_H

#include <jansson.h>
#include <stdint.h>

#include "kiln/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Parses text; `name` is for messages. The caller owns *out_json (json_decref). Duplicate keys are
// errors.
kiln_status_t kiln_json_parse(const char *name, const char *text, size_t length, json_t **out_json);
kiln_status_t kiln_json_read(const char *path, json_t **out_json);

// Members of an object. If the member is missing, the plain form returns INVALID_INPUT and the _or
// form the default. A member of the wrong type is INVALID_INPUT in both.
kiln_status_t kiln_json_string(const json_t *object, const char *key, const char **out);
kiln_status_t kiln_json_string_or(const json_t *object, const char *key, const char *otherwise,
                                  const char **out);
kiln_status_t kiln_json_integer(const json_t *object, const char *key, int64_t *out);
kiln_status_t kiln_json_integer_or(const json_t *object, const char *key, int64_t otherwise,
                                   int64_t *out);
kiln_status_t kiln_json_array(const json_t *object, const char *key, json_t **out); // borrowed

// A string of any bytes, for names of files and what users write: JSON requires UTF-8, so other
// bytes become '?'. Null for NULL; NULL if out of memory.
json_t *kiln_json_text(const char *text);

// Text with sorted keys and a two-space indent, ending in a newline; the caller frees it. NULL if
// out of memory.
char *kiln_json_print(const json_t *json);

// The same on one line, with keys in insertion order and without a newline.
char *kiln_json_print_line(const json_t *json);

#ifdef __cplusplus
}
#endif
#endif
