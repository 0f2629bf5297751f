// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The source of a kernel that came as machine code, by its line table.
#ifndef KILN_CLI_LINES_SOURCE_H
#define KILN_CLI_LINES_SOURCE_H

#include "kiln/runtime.h"

// The file that most instructions have in their line tables; NULL: none. The caller frees it.
char *kiln_lines_source(const kiln_sim_line_t *lines, size_t count);

// The text of a source file; NULL if it cannot be read, which is no failure: line tables name files
// of the machine on which a kernel was compiled. The caller frees it.
char *kiln_lines_source_text(const char *name);

#endif
