// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Escapes strings for JSON.
#ifndef KILN_SIM_JSON_H
#define KILN_SIM_JSON_H

#include <stdio.h>

// Writes text as a JSON string with its quotes. Bytes that are not ASCII are written unchanged.
void kiln_sim_json_string(FILE *file, const char *text);

#endif
