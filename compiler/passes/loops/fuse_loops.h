// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuses a loop with the loop inside it. fuse_loops.c chooses the loops, fuse_bounds.c handles inner
// bounds that change, fuse_pair.c fuses two loops.
#ifndef KILN_FUSE_LOOPS_H
#define KILN_FUSE_LOOPS_H

#include "builder/ir.h"

#define KILN_LOOP_FLATTEN "tt.flatten"

// Whether the inner loop's bounds are scalar arithmetic of the outer index and of values defined
// before the outer loop.
bool kiln_bounds_follow(MlirOperation outer, MlirOperation inner);

typedef struct kiln_bounds {
    MlirValue lower, rounds; // rounds: trip count of the inner loop, i64
} kiln_bounds_t;

// Computes the inner loop's bounds, which follow the outer index, for the value `index` of it.
// `index` must be one that the outer loop has. Returns false when out of memory.
bool kiln_bounds_at(const kiln_ir_t *ir, MlirOperation outer, MlirOperation inner, MlirValue index,
                    kiln_bounds_t *out);

// Trip counts of the inner loop over all iterations of the outer one, i64. If the outer loop has no
// iterations, the least is greater than the greatest.
typedef struct kiln_bounds_counts {
    MlirValue total, min, greatest;
} kiln_bounds_counts_t;

// Computes them in a loop before the outer one. Returns false when out of memory.
bool kiln_bounds_count(const kiln_ir_t *ir, MlirOperation outer, MlirOperation inner,
                       kiln_bounds_counts_t *out);

// Fuses the inner loop, directly in the outer one, with it. The inner loop runs `rounds` times in
// each outer iteration, at least once; if `rounds` is null its bounds follow the outer index, and
// the outer loop has iterations. `total` is the number of inner iterations altogether; both are
// i64. `before` inserts before the whole nest, so that a loop around these two can be fused with
// the result. Returns the loop that replaces the outer one, or null when out of memory.
MlirOperation kiln_fuse_pair(MlirOperation outer, MlirOperation inner, MlirValue rounds,
                             MlirValue total, const kiln_ir_t *before);

#endif
