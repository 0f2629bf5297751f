// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds what is cut with a dot; see dot_slices.h.
#include "passes/steps/dot_slices.h"

#include "passes/steps/step_schedule.h"

bool kiln_dot_reads(MlirOperation dot, MlirOperation out_reads[2])
{
    for (int o = 0; o < 2; o++) {
        int operand;
        kiln_value_op(kiln_op_operand(dot, o), &out_reads[o]);
        if (mlirOperationIsNull(out_reads[o]) ||
            mlirOperationIsNull(kiln_step_dot_of_read(out_reads[o], &operand)) || operand != o ||
            !mlirBlockEqual(mlirOperationGetBlock(out_reads[o]), mlirOperationGetBlock(dot)))
            return false;
        MlirType memory = mlirValueGetType(kiln_op_operand(out_reads[o], 0));
        if (kiln_memdesc_rank(memory) != 2 || kiln_memdesc_alloc_rank(memory) != 2)
            return false;
    }
    return true;
}

bool kiln_dot_may_be_cut(const kiln_dot_measure_t *dot, int slices)
{
    return slices <= KILN_MAX_SLICES && slices * dot->min_k <= dot->k && dot->k % slices == 0;
}
