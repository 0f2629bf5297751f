// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one thing about writing JSON that is easily got wrong.
#ifndef KILN_SIM_JSON_H
#define KILN_SIM_JSON_H

#include <stdio.h>

// Writes text as a string of JSON, with its quotes. What is not ASCII is passed on as it is.
void kiln_sim_json_string(FILE *file, const char *text);

#endif
