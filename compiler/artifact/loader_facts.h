// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts that a manifest contains for loaders and that compilation itself does not need.
//
// kiln_note_access must run while the MLIR module exists, the rest after the code object is linked.
#ifndef KILN_LOADER_FACTS_H
#define KILN_LOADER_FACTS_H

#include "artifact/code_object.h"
#include "driver/compile_internal.h"

// Record whether the module, that is, the kernel and the functions that it calls, reads a program
// id, and through which pointers the kernel only reads.
void kiln_note_program_ids(kiln_compilation_t *compilation);
kiln_status_t kiln_note_access(kiln_compilation_t *compilation);

// Records the kernarg segment with its hidden arguments, the source's hash, and the options' grid.
// Names in grids and ranges must be integer arguments or constants of the kernel: else USAGE.
kiln_status_t kiln_note_loader_facts(kiln_compilation_t *compilation,
                                     const kiln_code_kernel_t *found);

#endif
