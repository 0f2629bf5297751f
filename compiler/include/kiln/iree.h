// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wraps a kernel in an IREE executable, to dispatch it alongside IREE's own code (custom dispatch).
//
// IREE passes the addresses of a dispatch's bindings first, followed by its constants as 32-bit
// words. The option `iree_abi` compiles a kernel for this convention; --emit=iree of the command
// does both.
#ifndef KILN_IREE_H
#define KILN_IREE_H

#include <stdbool.h>
#include <stddef.h>

#include "kiln/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_iree_options {
    size_t struct_size;
    const char *object_path; // path of the code object in the executable; NULL: "KERNEL.hsaco"
    const char *name;        // of the executable; NULL: the kernel's symbol
    bool replaces;           // replaces the executable of this name that IREE would compile
} kiln_iree_options_t;
KILN_VERSIONED(kiln_iree_options)

// An executable with the code object, in the syntax of IREE 3.13: text from malloc. It is a
// `hal.executable.source` for an IREE module, or, with `replaces`, a `hal.executable` for
// --iree-hal-substitute-executable-source, in which the kernel's symbol is the name of IREE's
// export. Its only export has the symbol's name, a binding for each pointer, read-only if the
// kernel only reads it, a constant for each other argument, and the workgroup count: from the
// manifest's grid, with the grid's integer arguments as workload, in the order of the arguments;
// or, without a grid, the workload x, y and z itself. Thread-safe. INVALID_INPUT if the manifest is
// invalid; UNSUPPORTED if the arguments are not in IREE's order.
KILN_API kiln_status_t kiln_iree_executable_make(const char *manifest,
                                                 const kiln_iree_options_t *options,
                                                 char **out_text);

#ifdef __cplusplus
}
#endif
#endif
