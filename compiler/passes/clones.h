// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of operations that use each other's results, as a loop's body has them when it is copied.
#ifndef KILN_CLONES_H
#define KILN_CLONES_H

#include "builder/ir.h"
#include "passes/value_map.h"

// From values to those that take their places in copies. Begins as zero.
typedef struct kiln_clones {
    kiln_value_map_t map;
    bool out_of_memory;
} kiln_clones_t;

void kiln_clones_put(kiln_clones_t *clones, MlirValue from, MlirValue to);
// What takes the value's place, or null.
MlirValue kiln_clones_find(const kiln_clones_t *clones, MlirValue from);
// What takes the value's place: itself where nothing does, since it was defined outside.
MlirValue kiln_clones_get(const kiln_clones_t *clones, MlirValue from);
// Copies an operation with all that is in it to where `ir` is; its results are in `clones` then.
MlirOperation kiln_clone(const kiln_ir_t *ir, MlirOperation op, kiln_clones_t *clones);
// False when memory was short for something put in.
bool kiln_clones_free(kiln_clones_t *clones);

#endif
