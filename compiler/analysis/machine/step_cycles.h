// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates for how many cycles one iteration of a loop occupies the units of a SIMD, for passes
// that choose its schedule: the least time between the starts of two iterations is that of the
// busiest unit.
#ifndef KILN_STEP_CYCLES_H
#define KILN_STEP_CYCLES_H

#include <stdint.h>

#include <mlir-c/IR.h>

// Of one wave; of LDS, the accesses of one wave of each SIMD.
typedef struct kiln_step_cycles {
    int64_t matrix, vector, lds;
} kiln_step_cycles_t;

kiln_step_cycles_t kiln_op_cycles(MlirOperation op, int num_warps);
kiln_step_cycles_t kiln_step_cycles(MlirOperation loop, int num_warps);

// Returns the cycles of the busiest unit.
int64_t kiln_step_cycles_least(const kiln_step_cycles_t *cycles);

#endif
