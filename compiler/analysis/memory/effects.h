// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which memory an operation accesses, and which accesses must stay in order when a loop's
// iterations overlap. effects.def lists the effects of each operation (builder/op_facts.h).
//
// Pointers of two different kernel arguments are assumed not to alias, here as everywhere in Kiln.
// Pointers from the same argument may alias, and so may pointers from arguments of other functions.
//
// Note that an atomic operation is ordered with every access (KILN_ORDERED), except a relaxed
// read-modify-write whose result is unused: it is ordered only with accesses to the same object.
#ifndef KILN_ANALYSIS_EFFECTS_H
#define KILN_ANALYSIS_EFFECTS_H

#include <stdbool.h>

#include "builder/op_facts.h"

typedef struct kiln_access {
    int effects; // kiln_effect_t bits
    // The pointer argument and the buffer that are accessed; null if unknown.
    MlirValue global, lds;
} kiln_access_t;

// The accesses of the operation itself, without those in its regions.
kiln_access_t kiln_op_access(MlirOperation op);

// Whether two accesses must stay in order: one writes, and they may overlap.
bool kiln_accesses_conflict(const kiln_access_t *a, const kiln_access_t *b);

// Whether the operation creates a view of the memory that its first operand describes.
bool kiln_op_is_view(kiln_op_t kind);

// The operand group that is an operation's mask, and one whose type has the mask's shape; false for
// operations without a mask.
bool kiln_op_mask(kiln_op_t kind, int *out_mask, int *out_shape);

// The operation's mask; null if it has none.
MlirValue kiln_mask_of(MlirOperation op);

// The mask of a load or store, if it is a tensor and the access is not volatile; otherwise null.
MlirValue kiln_tile_mask(MlirOperation op);

#endif
