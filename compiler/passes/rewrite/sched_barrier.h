// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scheduling barriers (rocdl.sched.barrier): points in a block across which LLVM's scheduler moves
// only some kinds of instructions. Waves do not wait there.
#ifndef KILN_SCHED_BARRIER_H
#define KILN_SCHED_BARRIER_H

#include "builder/ir.h"

// Instructions that may cross, in LLVM's bits (llvm.amdgcn.sched.barrier).
enum {
    KILN_MAY_CROSS_NOTHING = 0,
    KILN_MAY_CROSS_ARITHMETIC = 0x1, // all that does not access memory
};

void kiln_put_sched_barrier(const kiln_ir_t *ir, int may_cross);

#endif
