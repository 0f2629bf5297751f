// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grid of a launch without --grid: the source's declaration, or one workgroup for a kernel
// whose programs cannot differ.
#ifndef KILN_CLI_LAUNCH_GRID_H
#define KILN_CLI_LAUNCH_GRID_H

#include <stdbool.h>

#include "call.h"

// Completes a call for a kernel that kiln_jit_prepare returned, whose parameters must have the
// arguments' types, by which its grid counts elements. USAGE if the grid is unknown.
kiln_status_t kiln_launch_complete_grid(kiln_arguments_t *arguments, const char *grid,
                                        const kiln_jit_kernel_t *kernel, kiln_jit_call_t *io_call);

// Fails with USAGE if the kernel reads a program id.
kiln_status_t kiln_launch_require_grid(const char *kernel, bool reads_program_id);

#endif
