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

unsigned kiln_value_elements(MlirValue value, int num_warps)
{
    MlirType type = mlirValueGetType(value);
    kiln_layout_t layout;
    enum { DEPTH = 12 };
    if (!kiln_type_is_tensor(type) || kiln_type_is_ptr(kiln_type_element(type)) ||
        is_affine(value, DEPTH))
        return 0;
    kiln_status_t status = kiln_layout_of_type(type, num_warps, &layout);
    const unsigned elements = status ? 0 : kiln_layout_registers(&layout);
    kiln_status_free(status);
    return elements;
}

unsigned kiln_value_registers(MlirValue value, int num_warps)
{
    const unsigned elements = kiln_value_elements(value, num_warps);
    return elements ? (elements * (unsigned)kiln_type_bits(mlirValueGetType(value)) + 31) / 32 : 0;
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

// Registers of dots' operands.
typedef struct operands {
    unsigned outside;       // defined outside the loop
    unsigned inside, least; // of all that are defined in it; of the largest
} operands_t;

static operands_t registers_of_operands(MlirOperation loop, int num_warps)
{
    operands_t sum = {0, 0, 0};
    for (MlirOperation op = mlirBlockGetFirstOperation(kiln_op_body(loop, 0));
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
        for (int o = 0; o < 2 && kiln_op_kind(op) == KILN_OP_TT_DOT; o++) {
            MlirValue operand = kiln_op_operand(op, o);
            const unsigned own = kiln_value_registers(operand, num_warps);
            MlirOperation from;
            if ((o == 1 && mlirValueEqual(operand, kiln_op_operand(op, 0))) ||
                is_dot_operand_before(op, operand))
                continue;
            kiln_value_op(operand, &from);
            if (mlirOperationIsNull(from) || mlirOperationEqual(kiln_op_parent(from), loop)) {
                sum.inside += own;
                sum.least = own > sum.least ? own : sum.least;
            } else {
                sum.outside += own;
            }
        }
    return sum;
}

unsigned kiln_loop_registers_with_operands(MlirOperation loop, int num_warps)
{
    const operands_t operands = registers_of_operands(loop, num_warps);
    return kiln_loop_registers(loop, num_warps) + operands.outside + operands.least;
}

unsigned kiln_loop_registers_read_early(MlirOperation loop, int num_warps)
{
    const operands_t operands = registers_of_operands(loop, num_warps);
    return kiln_loop_registers(loop, num_warps) + operands.outside + operands.inside;
}
