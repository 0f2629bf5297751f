// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts arguments to the 8-byte cells of parameters. Types are parsed once per kernel instead of
// once per launch.
#ifndef KILN_JIT_BIND_H
#define KILN_JIT_BIND_H

#include "kiln/jit.h"

// How a parameter's bits are encoded.
enum { KILN_CELL_POINTER = -1, KILN_CELL_UNKNOWN = -2 }; // otherwise a kiln_element_type_t
typedef signed char kiln_cell_t;

kiln_cell_t kiln_cell_of(const kiln_parameter_t *parameter);

kiln_status_t kiln_bind_one(const kiln_parameter_t *parameter, kiln_cell_t cell,
                            const kiln_jit_argument_t *argument, uint64_t *out_cell);

// kiln_jit_bind with the parameters' cells; if NULL, they are parsed here.
kiln_status_t kiln_bind_cells(const char *kernel, const kiln_parameter_t *parameters,
                              const kiln_cell_t *cells, size_t parameter_count,
                              const kiln_jit_argument_t *arguments, size_t argument_count,
                              uint64_t *out_cells);

#endif
