// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source lines by "file:line", as line tables name them: of a text in memory, or of files, which
// may be missing or newer than the code.
#ifndef KILN_CLI_SOURCE_TEXT_H
#define KILN_CLI_SOURCE_TEXT_H

#include <stddef.h>

#include "kiln/program.h"

typedef struct kiln_source_file {
    char *name, *text; // text: NULL if it cannot be read
    size_t size;
} kiln_source_file_t;

typedef struct kiln_source_text {
    kiln_source_file_t *files;
    size_t count, capacity;
} kiln_source_text_t;

// Starts with a source that need not be a file (NULL: none).
void kiln_source_text_begin(kiln_source_text_t *texts, const kiln_source_t *source);
void kiln_source_text_free(kiln_source_text_t *texts);

// Splits "file:line"; returns the line, and the length of the file's name; 0 if it has no line.
unsigned kiln_source_place(const char *place, size_t *out_file_length);

// The line without its newline; *out_length is 0 if it is unknown or empty.
const char *kiln_source_line(kiln_source_text_t *texts, const char *place, size_t *out_length);

#endif
