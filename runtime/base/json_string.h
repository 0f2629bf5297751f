// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Escapes strings for JSON that is written to a stream, without jansson (base/json.h).
#ifndef KILN_BASE_JSON_STRING_H
#define KILN_BASE_JSON_STRING_H

#include <stdio.h>

// Writes text as a JSON string with its quotes. Bytes that are not ASCII are written unchanged.
void kiln_json_write_string(FILE *file, const char *text);

#endif
