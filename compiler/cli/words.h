// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of the libraries in the command's words: they speak of settings and hints where the command has flags.
#ifndef KILN_CLI_WORDS_H
#define KILN_CLI_WORDS_H

#include <stdio.h>

#include "kiln/kiln.h"

// The message from malloc; NULL when memory is short.
char *kiln_cli_words(const char *message);

// kiln_diagnostic_print in the command's words.
void kiln_cli_print_diagnostic(const kiln_diagnostic_t *diagnostic, FILE *stream);

#endif
