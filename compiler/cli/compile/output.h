// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output of `kiln compile`: text of a stage, a code object with its manifest, a header, an object,
// or a file for IREE.
//
// A code object written to stdout has no manifest, as a stream has no neighbouring files.
#ifndef KILN_CLI_COMPILE_OUTPUT_H
#define KILN_CLI_COMPILE_OUTPUT_H

#include "kiln/ahead.h"
#include "kiln/kiln.h"

typedef enum kiln_emit {
    KILN_EMIT_STAGE,
    KILN_EMIT_HEADER,
    KILN_EMIT_OBJECT,
    KILN_EMIT_IREE
} kiln_emit_t;

typedef struct kiln_output {
    const char *input, *output; // output: NULL without -o
    kiln_emit_t emit;
    kiln_stage_t stage;   // for KILN_EMIT_STAGE
    const char *symbol;   // NULL: the kernel's name
    const char *replaced; // the executable that KILN_EMIT_IREE replaces; NULL: none
    const char *depfile;  // NULL: none, or next to the output
    bool needs_depfile;
    const char *target; // the depfile's target; NULL: the output
    kiln_launcher_t launcher;
} kiln_output_t;

kiln_status_t kiln_output_write(const kiln_output_t *output, const kiln_kernel_t *kernel);

// Writes bytes to a file; "-" is stdout.
kiln_status_t kiln_output_bytes(const char *path, const void *data, size_t size);
// The same for tt or ttg, with places if --print-places was given.
kiln_status_t kiln_output_ir(const char *path, const char *text);

// `path` with its last suffix replaced, from malloc; NULL if out of memory.
char *kiln_path_with_suffix(const char *path, const char *suffix);

#endif
