// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter's interface inside the compiler; kiln/interp.h is the public one.
#ifndef KILN_INTERP_INTERP_H
#define KILN_INTERP_INTERP_H

#include "interp/program.h"
#include "kiln/interp.h"

// Executes a kernel of the program on every point of the grid.
kiln_status_t kiln_interp_execute(const kiln_iprogram_t *program, const kiln_ifunction_t *kernel,
                                  const kiln_interp_launch_t *launch);

#endif
