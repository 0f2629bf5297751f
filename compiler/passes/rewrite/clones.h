// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clones of operations that use each other's results, such as the body of a loop.
#ifndef KILN_CLONES_H
#define KILN_CLONES_H

#include "builder/ir.h"
#include "passes/rewrite/value_map.h"

// Maps values to their replacements in clones. Zero-initialized.
typedef struct kiln_clones {
    kiln_value_map_t map;
    bool out_of_memory;
} kiln_clones_t;

void kiln_clones_put(kiln_clones_t *clones, MlirValue from, MlirValue to);
// Returns the value's replacement, or null.
MlirValue kiln_clones_find(const kiln_clones_t *clones, MlirValue from);
// Returns the value's replacement, or the value itself if it has none, since it is defined outside.
MlirValue kiln_clones_get(const kiln_clones_t *clones, MlirValue from);
// Clones an operation with its regions at `ir` and adds its results to `clones`.
MlirOperation kiln_clone(const kiln_ir_t *ir, MlirOperation op, kiln_clones_t *clones);
// Returns false if memory ran out when a value was added.
bool kiln_clones_free(kiln_clones_t *clones);

#endif
