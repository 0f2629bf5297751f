// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a verb says of a flag that it does not know or whose value is wrong: the flag's name, and its own line of the
// verb's help.
//
// What is easily got wrong: getopt is told (in main) to say nothing itself.
#ifndef KILN_CLI_FLAG_ERRORS_H
#define KILN_CLI_FLAG_ERRORS_H

#include <getopt.h>
#include <stdio.h>

// Writes a verb's help.
typedef int (*kiln_usage_fn)(FILE *stream);

// Refuses the flag that getopt_long has just given back: '?' where it knows none such, or one whose value the verb did
// not take. Returns the exit code, 2.
int kiln_flag_refuse(int flag, char **argv, const struct option *rows, kiln_usage_fn usage);

// Writes the lines of a help that tell of --NAME to stderr, none where there are none.
void kiln_flag_help(const char *name, kiln_usage_fn usage);

#endif
