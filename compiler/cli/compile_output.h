// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `kiln compile` leaves behind: text of a stage, a code object with its manifest, a header, an object, or a file for IREE.
//
// What is easily got wrong: nothing stands beside a stream, so a code object that goes to stdout has no manifest.
#ifndef KILN_CLI_COMPILE_OUTPUT_H
#define KILN_CLI_COMPILE_OUTPUT_H

#include "kiln/ahead.h"
#include "kiln/kiln.h"

typedef enum kiln_emit { KILN_EMIT_STAGE, KILN_EMIT_HEADER, KILN_EMIT_OBJECT, KILN_EMIT_IREE } kiln_emit_t;

typedef struct kiln_output {
    const char *input, *output; // output: NULL where -o is not given
    kiln_emit_t emit;
    kiln_stage_t stage;   // of KILN_EMIT_STAGE
    const char *symbol;   // NULL: the kernel's name
    const char *replaced; // the executable that KILN_EMIT_IREE replaces; NULL: none
    const char *depfile;  // NULL: none, or beside the output
    bool wants_depfile;
    const char *target; // what the depfile is about; NULL: the output
    kiln_launcher_t launcher;
} kiln_output_t;

kiln_status_t kiln_output_write(const kiln_output_t *output, const kiln_kernel_t *kernel);

// Bytes into a file; "-" is stdout.
kiln_status_t kiln_output_bytes(const char *path, const void *data, size_t size);

// `path` with its last suffix replaced, from malloc; NULL where memory is short.
char *kiln_path_with_suffix(const char *path, const char *suffix);

#endif
