// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output of --json, for all verbs that have it. docs/json.md lists the members.
#ifndef KILN_CLI_JSON_TEXT_H
#define KILN_CLI_JSON_TEXT_H

#include <jansson.h>
#include <stdio.h>

// Prints the value on stdout, or writes it, with members in the order in which they were set.
void kiln_cli_print_json(const json_t *value);
void kiln_cli_write_json(FILE *out, const json_t *value);

#endif
