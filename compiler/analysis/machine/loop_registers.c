// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates registers of loops; see loop_registers.h.
#include "analysis/machine/loop_registers.h"

#include "builder/ir.h"
#include "builder/op_facts.h"
#include "layout/layout.h"

// Estimate for addresses, counters and others, as in gemm.tile.c.
enum { OTHER_REGISTERS = 24 };

unsigned kiln_value_registers(MlirValue value, int num_warps)
{
    MlirType type = mlirValueGetType(value);
    kiln_layout_t layout;
    if (!kiln_type_is_tensor(type) || kiln_type_is_ptr(kiln_type_element(type)))
        return 0;
    kiln_status_t status = kiln_layout_of_type(type, num_warps, &layout);
    const unsigned bits =
        status ? 0 : kiln_layout_registers(&layout) * (unsigned)kiln_type_bits(type);
    kiln_status_free(status);
    return (bits + 31) / 32;
}

unsigned kiln_loop_registers(MlirOperation loop, int num_warps)
{
    unsigned count = OTHER_REGISTERS;
    for (MlirOperation op = mlirBlockGetFirstOperation(kiln_op_body(loop, 0));
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        if (kiln_op_kind(op) == KILN_OP_TT_DOT || kiln_op_loads_tensor(op))
            count += kiln_value_registers(kiln_op_result(op, 0), num_warps);
    }
    return count;
}
