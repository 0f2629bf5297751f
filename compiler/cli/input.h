// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an input file is: one answer for all verbs. Contents decide for some (code objects,
// bundles, bytecode), else the name's suffix. A verb states what it accepts; anything else is an
// error that names what is accepted and what the file is.
#ifndef KILN_CLI_INPUT_H
#define KILN_CLI_INPUT_H

#include "kiln/kiln.h"

typedef enum kiln_input_kind {
    KILN_INPUT_TILE = 1 << 0,
    KILN_INPUT_TT = 1 << 1,
    KILN_INPUT_TTG = 1 << 2,
    KILN_INPUT_OBJECT = 1 << 3,   // any ELF file
    KILN_INPUT_BUNDLE = 1 << 4,   // of kiln bundle
    KILN_INPUT_MANIFEST = 1 << 5, // any .json file
    KILN_INPUT_FOLDER = 1 << 6,
    KILN_INPUT_EMPTY = 1 << 7, // with a suffix that decides nothing
    KILN_INPUT_UNKNOWN = 1 << 8,
    KILN_INPUT_SOURCE = KILN_INPUT_TILE | KILN_INPUT_TT | KILN_INPUT_TTG
} kiln_input_kind_t;

typedef struct kiln_input {
    kiln_input_kind_t kind;
    char *bytes; // from malloc, with a NUL after them; NULL after a failure
    size_t size;
} kiln_input_t;

// Reads a file, or stdin if the path is "-", of one of the accepted kinds (bits of
// kiln_input_kind_t). INVALID_INPUT for others.
kiln_status_t kiln_input_read(const char *path, unsigned accepted, kiln_input_t *out);

// The same for a source, whose name becomes the path or "<stdin>". The error about a file of
// unknown kind ends with `unknown_advice`. The caller frees *out_text.
kiln_status_t kiln_input_read_source(const char *path, const char *unknown_advice, char **out_text,
                                     kiln_source_t *out_source);

// The same for tt or ttg under any name, as stdin has none.
kiln_status_t kiln_input_read_ir(const char *path, char **out_text, kiln_source_t *out_source);

// An input of a kind in KILN_INPUT_SOURCE as a source, which borrows path and bytes.
void kiln_input_source(const char *path, const kiln_input_t *input, kiln_source_t *out_source);

// A source of the given stage, of whatever kind it seems to be.
kiln_status_t kiln_input_read_stage(const char *path, kiln_stage_t stage, char **out_text,
                                    kiln_source_t *out_source);

// Fails if the path leads to anything but a directory; one that leads to nothing passes.
kiln_status_t kiln_input_check_folder(const char *path);

#endif
