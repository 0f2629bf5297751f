// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The barriers that a module lacks, with the analyses that find them.
#ifndef KILN_MODULE_BARRIERS_H
#define KILN_MODULE_BARRIERS_H

#include "analysis/barriers/membar.h"

typedef struct kiln_module_barriers {
    kiln_uniformity_t *uniformity;
    kiln_allocation_t *allocation;
    kiln_global_accesses_t *accesses;
    kiln_membar_t *membar;
    int rounds; // barriers in a row that order waves, which may be rounds - 1 barriers apart
} kiln_module_barriers_t;

// The module has the LDS offsets of allocate_lds. On failure, *out is empty.
kiln_status_t kiln_module_barriers_create(MlirModule module, kiln_module_barriers_t *out);
void kiln_module_barriers_destroy(kiln_module_barriers_t *barriers); // also of an empty one

#endif
