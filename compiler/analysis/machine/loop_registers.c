// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates registers of loops; see loop_registers.h.
#include "analysis/machine/loop_registers.h"

#include "builder/ir.h"
#include "builder/op_facts.h"
#include "layout/infer.h"
#include "layout/layout.h"

// Addresses, counters and temporaries. LLVM uses registers that are free, so this is the least it
// was seen to get by with: .vgpr_count of the corpus's 9 kernels with a dot in a loop is 26 to 48
// above the tiles that are counted here (2026-11-29, 66d8fc4b), and registers are allocated by 8.
enum { OTHER_REGISTERS = 24 };

// Integers that are computed from thread and program numbers are sums of a lane's, a uniform and a
// constant part in lowered code, and take hardly any registers (lower/tile.h).
static bool is_affine(MlirValue value, int depth)
{
    MlirOperation op;
    const kiln_op_t kind = kiln_value_op(value, &op);
    if (!mlirTypeIsAInteger(kiln_type_element(mlirValueGetType(value))))
        return false;
    if (kind == KILN_OP_TT_MAKE_RANGE || kind == KILN_OP_TT_SPLAT ||
        kind == KILN_OP_ARITH_CONSTANT || depth == 0)
        return true;
    bool all = kind == KILN_OP_TT_EXPAND_DIMS || kind == KILN_OP_TT_BROADCAST ||
               kind == KILN_OP_TTG_CONVERT_LAYOUT || kiln_op_is_elementwise(kind);
    for (intptr_t i = 0; all && i < mlirOperationGetNumOperands(op); i++)
        all = is_affine(mlirOperationGetOperand(op, i), depth - 1);
    return all;
}

unsigned kiln_value_registers(MlirValue value, int num_warps)
{
    MlirType type = mlirValueGetType(value);
    kiln_layout_t layout;
    enum { DEPTH = 12 };
    if (!kiln_type_is_tensor(type) || kiln_type_is_ptr(kiln_type_element(type)) ||
        is_affine(value, DEPTH))
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

static bool is_dot_operand_before(MlirOperation dot, MlirValue operand)
{
    for (MlirOperation op = mlirBlockGetFirstOperation(mlirOperationGetBlock(dot));
         !mlirOperationEqual(op, dot); op = mlirOperationGetNextInBlock(op))
        for (int o = 0; o < 2 && kiln_op_kind(op) == KILN_OP_TT_DOT; o++)
            if (mlirValueEqual(kiln_op_operand(op, o), operand))
                return true;
    return false;
}

unsigned kiln_loop_registers_with_operands(MlirOperation loop, int num_warps)
{
    unsigned inside = 0, sum = kiln_loop_registers(loop, num_warps);
    for (MlirOperation op = mlirBlockGetFirstOperation(kiln_op_body(loop, 0));
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
        for (int o = 0; o < 2 && kiln_op_kind(op) == KILN_OP_TT_DOT; o++) {
            MlirValue operand = kiln_op_operand(op, o);
            const unsigned own = kiln_value_registers(operand, num_warps);
            MlirOperation from;
            kiln_value_op(operand, &from);
            if (mlirOperationIsNull(from) || mlirOperationEqual(kiln_op_parent(from), loop))
                inside = own > inside ? own : inside;
            else if (!(o == 1 && mlirValueEqual(operand, kiln_op_operand(op, 0))) &&
                     !is_dot_operand_before(op, operand))
                sum += own;
        }
    return sum + inside;
}
