// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a compiled kernel's manifest that a launch needs: the symbol, the block, and the
// parameters with their types, and the grid if there is one.
//
//     { "kernel": "gemm", "block_size": 256, "arguments": [ { "name": "a", "type": "*f16" }, { "name": "n", "type":
//     "i32" } ], … }
//
// The launch's arguments are matched by name, not by position.
#ifndef KILN_JIT_MANIFEST_H
#define KILN_JIT_MANIFEST_H

#include <stdbool.h>

#include "base/expression.h"
#include "kiln/element.h"
#include "kiln/jit.h"

typedef struct kiln_manifest {
    char *kernel;
    unsigned block_size;
    kiln_parameter_t *parameters;
    size_t parameter_count;
    kiln_setting_t *constants; // values in the syntax of -D; a manifest without any is from an
                               // older version
    size_t constant_count;
    bool has_grid; // declared, or of the option `grid`
    kiln_expression_t grid[3];
} kiln_manifest_t;

kiln_status_t kiln_manifest_parse(const char *text, kiln_manifest_t *out_manifest);
void kiln_manifest_free(kiln_manifest_t *manifest);

#endif
