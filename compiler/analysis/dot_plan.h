// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a dot is computed: by which matrix instruction, and by which waves. accelerate_matmul
// follows the plan, and the estimate of a program's work counts by it.
#ifndef KILN_ANALYSIS_DOT_PLAN_H
#define KILN_ANALYSIS_DOT_PLAN_H

#include "analysis/dot_chain.h"
#include "analysis/machine/mfma.h"
#include "kiln/dialects.h"

typedef struct kiln_dot_plan {
    const kiln_mfma_instruction_t *instruction; // NULL: multiply-adds
    MlirType widen_to; // the element type that both operands are converted to; null: their own
    int32_t warps[KILN_MAX_RANK]; // along each dimension of the result
    int64_t k;                    // of the dot
} kiln_dot_plan_t;

// The plan of a tt.dot. `wanted_side` is the option matrix_instr_nonkdim, `dots` are those of the
// module.
kiln_dot_plan_t kiln_dot_plan(const kiln_dots_t *dots, MlirOperation dot, int wanted_side,
                              int waves);

#endif
