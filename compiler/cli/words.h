// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites messages of the libraries for the command, which has flags instead of settings and
// hints.
#ifndef KILN_CLI_WORDS_H
#define KILN_CLI_WORDS_H

#include <stdio.h>

#include "kiln/kiln.h"

// The message from malloc; NULL if out of memory.
char *kiln_cli_words(const char *message);

// The same of advice about a line of this file (NULL: unknown), in the terms of its language.
char *kiln_cli_words_at(const char *message, const char *file);

// kiln_diagnostic_print with the rewritten message.
void kiln_cli_print_diagnostic(const kiln_diagnostic_t *diagnostic, FILE *stream);

#endif
