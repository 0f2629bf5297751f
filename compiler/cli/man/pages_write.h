// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writers of `kiln pages`: man pages (man.c) and completions (completion.c). Each writes a whole
// file; the caller chooses its name.
#ifndef KILN_CLI_PAGES_WRITE_H
#define KILN_CLI_PAGES_WRITE_H

#include "cli/pages.h"

void kiln_man_command(FILE *out);
void kiln_man_verb(FILE *out, const kiln_page_t *page);

void kiln_complete_bash(FILE *out);
void kiln_complete_zsh(FILE *out);
void kiln_complete_fish(FILE *out);

#endif
