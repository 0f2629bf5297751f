// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading JSON by jansson, with Kiln's errors: what is missing or of the wrong type is named, with the file.
//
// What is easily got wrong: the strings handed out belong to the JSON value and die with it.
#ifndef KILN_BASE_JSON_H
#define KILN_BASE_JSON_H

#include <jansson.h>
#include <stdint.h>

#include "kiln/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Parses text; `name` is for messages. The caller owns *out_json (json_decref). Duplicate keys are errors.
kiln_status_t kiln_json_parse(const char *name, const char *text, size_t length, json_t **out_json);
kiln_status_t kiln_json_read(const char *path, json_t **out_json);

// Members of an object. Without the member: INVALID_INPUT for the plain form, the default for the _or form. A member of
// the wrong type is INVALID_INPUT in both.
kiln_status_t kiln_json_string(const json_t *object, const char *key, const char **out);
kiln_status_t kiln_json_string_or(const json_t *object, const char *key, const char *otherwise, const char **out);
kiln_status_t kiln_json_integer(const json_t *object, const char *key, int64_t *out);
kiln_status_t kiln_json_integer_or(const json_t *object, const char *key, int64_t otherwise, int64_t *out);
kiln_status_t kiln_json_array(const json_t *object, const char *key, json_t **out); // borrowed

// Text with sorted keys and a two-space indent, ending in a newline; the caller frees it. NULL when memory is short.
char *kiln_json_print(const json_t *json);

#ifdef __cplusplus
}
#endif
#endif
