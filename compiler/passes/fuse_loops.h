// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fusing a loop with the one in it. fuse_loops.c finds what is fused, fuse_pair.c does it.
#ifndef KILN_FUSE_LOOPS_H
#define KILN_FUSE_LOOPS_H

#include "builder/ir.h"

#define KILN_LOOP_FLATTEN "tt.flatten"

// Integer arithmetic that may be done where its result is not wanted, and that costs little.
bool kiln_is_plain_arithmetic(kiln_op_t kind);

bool kiln_is_inside(MlirOperation loop, MlirValue value);

// The inner loop, directly in the outer one, runs `rounds` times in each of its iterations, at least once; together they
// run `total` times; both i64. `before` is in front of the whole nest, so that a loop around these two can be fused with
// what comes out. Returns the loop that takes the outer one's place, or null when memory is short.
MlirOperation kiln_fuse_pair(MlirOperation outer, MlirOperation inner, MlirValue rounds, MlirValue total,
                             const kiln_ir_t *before);

#endif
