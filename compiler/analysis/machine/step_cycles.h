// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates for how many cycles one iteration of a loop occupies the units of a SIMD, for passes
// that choose its schedule: the least time between the starts of two iterations is that of the
// busiest unit. And predicts from that how fast the waves of a compute unit execute steps.
#ifndef KILN_STEP_CYCLES_H
#define KILN_STEP_CYCLES_H

#include <stdbool.h>
#include <stdint.h>

#include <mlir-c/IR.h>

// Of one wave; of LDS, the accesses of one wave of each SIMD.
typedef struct kiln_step_cycles {
    int64_t matrix, vector, lds;
    int64_t waits; // in which the wave issues nothing: it exchanges values with others through LDS
} kiln_step_cycles_t;

kiln_step_cycles_t kiln_op_cycles(MlirOperation op, int num_warps);
kiln_step_cycles_t kiln_step_cycles(MlirOperation loop, int num_warps);

// Returns the cycles of the busiest unit.
int64_t kiln_step_cycles_least(const kiln_step_cycles_t *cycles);

// How the waves of a compute unit execute the steps of a loop.
typedef struct kiln_step_pace {
    int64_t alone;  // cycles of a step of a wave that has its SIMD to itself
    int64_t busy;   // cycles of its busiest unit in it
    unsigned waves; // on the compute unit
} kiln_step_pace_t;

// Whether a compute unit executes more steps per time by `a` than by `b`, by more than the 3 % that
// the simulator's clock resolves (docs/results.md). Waves of a SIMD hide each other's latencies:
// each further one adds only what the busiest unit has to do for it. If `a` is no slower, but gains
// less than these 3 %, it is faster if waves alone are, as those of a launch's last workgroups.
bool kiln_step_pace_is_faster(const kiln_step_pace_t *a, const kiln_step_pace_t *b);

#endif
