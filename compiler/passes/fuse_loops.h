// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fusing a loop with the one in it. fuse_loops.c finds what is fused, fuse_bounds.c knows of an inner loop's bounds that
// change, fuse_pair.c fuses.
#ifndef KILN_FUSE_LOOPS_H
#define KILN_FUSE_LOOPS_H

#include "builder/ir.h"

#define KILN_LOOP_FLATTEN "tt.flatten"

// Integer arithmetic that may be done where its result is not wanted, and that costs little.
bool kiln_is_plain_arithmetic(kiln_op_t kind);

// Whether the inner loop's bounds are scalar arithmetic of the outer one's index and of what is known before it.
bool kiln_bounds_follow(MlirOperation outer, MlirOperation inner);

typedef struct kiln_bounds {
    MlirValue lower, rounds; // rounds: how often the inner loop runs, i64
} kiln_bounds_t;

// The inner loop's, which follow, where the outer one's index, one that it has, is `index`. False when memory is short.
bool kiln_bounds_at(const kiln_ir_t *ir, MlirOperation outer, MlirOperation inner, MlirValue index, kiln_bounds_t *out);

// Rounds of all iterations of the outer loop, i64. Of none, the least is greater than the greatest.
typedef struct kiln_bounds_counts {
    MlirValue total, least, greatest;
} kiln_bounds_counts_t;

// By a loop in front of the outer one. False when memory is short.
bool kiln_bounds_count(const kiln_ir_t *ir, MlirOperation outer, MlirOperation inner, kiln_bounds_counts_t *out);

// The inner loop, directly in the outer one, runs `rounds` times in each of its iterations, at least once; where `rounds`
// is null its bounds follow, and the outer loop runs. Together they run `total` times; both i64. `before` is in front of
// the whole nest, so that a loop around these two can be fused with what comes out. Returns the loop that takes the outer
// one's place, or null when memory is short.
MlirOperation kiln_fuse_pair(MlirOperation outer, MlirOperation inner, MlirValue rounds, MlirValue total,
                             const kiln_ir_t *before);

#endif
