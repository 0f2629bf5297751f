// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predicts how fast a compute unit executes the steps of a loop by a schedule.
//
// In a step, an operation waits for those whose results it uses in the same step, for its unit
// (matrix, vector or LDS), and where waves exchange values through LDS for the other waves: within
// operations, and at barriers between the accesses of buffers. The waves that fit on the compute
// unit, by registers and LDS, hide each other's latencies. All numbers are those of gfx942.def.
#ifndef KILN_STEP_MODEL_H
#define KILN_STEP_MODEL_H

#include "analysis/machine/step_cycles.h"
#include "passes/pipelining/modulo.h"
#include "passes/pipelining/schedule.h"

enum { KILN_UNIT_MATRIX, KILN_UNIT_VECTOR, KILN_UNIT_LDS };

// Returns the unit, the cycles and the latency of an operation on tiles.
kiln_modulo_op_t kiln_step_op(MlirOperation op, int num_warps);

// Whether the instructions of `user` use the value of `op`, which kiln_step_op has measured,
// register by register as these are computed.
bool kiln_step_flows(const kiln_loop_schedule_t *schedule, int op, const kiln_modulo_op_t *measured,
                     int user, MlirValue value);

// What a schedule takes in addition to its operations.
typedef struct kiln_step_need {
    unsigned registers;    // of a lane, if dots' operands are read early (loop_registers.h)
    unsigned least;        // of a lane, if they are read late
    uint64_t lds_bytes;    // of a workgroup
    int64_t vector_cycles; // of a step: copies, addresses
    int waves_per_simd;    // that the program asks for (waves_per_eu), or 0
} kiln_step_need_t;

// Sets *out; its waves are 0 if LDS does not suffice. Fails only when out of memory.
kiln_status_t kiln_step_pace(const kiln_loop_schedule_t *schedule, int num_warps,
                             const kiln_step_need_t *need, kiln_step_pace_t *out);

#endif
