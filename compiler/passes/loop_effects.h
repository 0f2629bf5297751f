// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an operation, with all that is in it, does to memory: what must stay in order when a loop's iterations are
// overlapped.
//
// The thing one gets wrong: pointers of two different arguments of a kernel are taken not to meet, here as everywhere in
// Kiln; two pointers that come from the same argument may.
#ifndef KILN_LOOP_EFFECTS_H
#define KILN_LOOP_EFFECTS_H

#include <stdbool.h>

#include "builder/ir.h"

typedef enum kiln_effect {
    KILN_READS_GLOBAL = 1,
    KILN_WRITES_GLOBAL = 2,
    KILN_READS_LDS = 4,
    KILN_WRITES_LDS = 8,
    KILN_ORDERED = 16, // with every other effect: barriers, prints, calls, atomics, what is not known
    KILN_ASYNC = 32,   // commits a group of asynchronous copies, or waits for one
} kiln_effect_t;

typedef struct kiln_access {
    int effects;
    MlirValue global, lds; // pointer argument and buffer that are accessed; null where that is not known
} kiln_access_t;

// What the operation does, without what is in its regions.
kiln_access_t kiln_op_access(MlirOperation op);

// The effects of the operation and all that is in it.
int kiln_op_effects(MlirOperation op);

// Whether two accesses must stay in order: one writes, and they may meet.
bool kiln_accesses_conflict(const kiln_access_t *a, const kiln_access_t *b);

// Whether the operation makes a view of the memory that its first operand describes.
bool kiln_op_is_view(kiln_op_t kind);

// The operand group that is an operation's mask, and one whose type has the mask's shape; false for operations without a
// mask.
bool kiln_op_mask(kiln_op_t kind, int *out_mask, int *out_shape);

#endif
