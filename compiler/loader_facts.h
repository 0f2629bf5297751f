// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a manifest tells loaders beyond what compiling itself needs to know.
//
// What is easily got wrong: kiln_note_access has to run while there is MLIR, the rest after the code object is linked.
#ifndef KILN_LOADER_FACTS_H
#define KILN_LOADER_FACTS_H

#include "compile_internal.h"
#include "inspect/code_object.h"

// Which pointers the kernel only reads through.
kiln_status_t kiln_note_access(kiln_compilation_t *compilation);

// The kernarg segment and its hidden arguments, the source's hash, and the options' grid, whose names must be integer
// arguments or constants of the kernel, as must be those of ranges: else USAGE.
kiln_status_t kiln_note_loader_facts(kiln_compilation_t *compilation, const kiln_code_kernel_t *found);

#endif
