// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel as an executable of IREE's, to be dispatched beside what IREE compiles itself (custom dispatch).
//
// IREE passes the addresses of a dispatch's bindings first and its constants behind them, as words of 32 bits. The option
// `iree_abi` compiles a kernel for that; --emit=iree of the command does both.
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
    const char *object_path; // of the code object, as IREE is to look for it; NULL: "KERNEL.hsaco"
    const char *name;        // of the executable; NULL: the kernel's symbol
    bool replaces;           // it stands for the executable of this name that IREE would compile
} kiln_iree_options_t;
KILN_VERSIONED(kiln_iree_options)

// An executable with the code object, in the syntax of IREE 3.13: text from malloc. It is a `hal.executable.source`, to stand
// in a module of IREE's, or, with `replaces`, a `hal.executable` for --iree-hal-substitute-executable-source, whose kernel's
// symbol is that of IREE's export. Its one export has the symbol's name, a binding for each pointer, read-only where the
// kernel only reads, a constant for each other argument, and the workgroups: by the manifest's grid, whose workload is the
// integers that the grid is made of, in the order of the arguments; or, where it tells none, as the workload says, x, y and
// z. Any thread may call it. INVALID_INPUT where the manifest is wrong; UNSUPPORTED where the arguments are not in IREE's
// order.
KILN_API kiln_status_t kiln_iree_executable_make(const char *manifest, const kiln_iree_options_t *options,
                                                 char **out_text);

#ifdef __cplusplus
}
#endif
#endif
