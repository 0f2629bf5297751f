// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows a pointer back to its origin, through arithmetic and loops that advance it.
#include "interp/root_argument.h"

#include <mlir-c/BuiltinAttributes.h>

#include "builder/ir.h"

enum { MAX_STEPS = 1000, FOR_BOUNDS = 3 };

// The initial value of a loop's iteration argument; null for other operations.
static MlirValue initial(MlirOperation loop, intptr_t index)
{
    const bool is_for = kiln_op_kind(loop) == KILN_OP_SCF_FOR;
    return is_for && index >= 0 && index + FOR_BOUNDS < mlirOperationGetNumOperands(loop)
               ? mlirOperationGetOperand(loop, index + FOR_BOUNDS)
               : (MlirValue){NULL};
}

static bool is_kernel(MlirOperation op)
{
    return kiln_op_kind(op) == KILN_OP_TT_FUNC && kiln_func_is_public(op);
}

static bool keeps_pointer(kiln_op_t kind)
{
    return kind == KILN_OP_TT_ADDPTR || kind == KILN_OP_TT_SPLAT || kind == KILN_OP_TT_BROADCAST ||
           kind == KILN_OP_TT_EXPAND_DIMS || kind == KILN_OP_TT_RESHAPE ||
           kind == KILN_OP_TT_TRANS || kind == KILN_OP_TT_BITCAST;
}

unsigned kiln_root_argument(MlirOperation access)
{
    MlirValue value = mlirOperationGetNumOperands(access) ? mlirOperationGetOperand(access, 0)
                                                          : (MlirValue){NULL};
    for (int step = 0; step < MAX_STEPS && !mlirValueIsNull(value); step++) {
        if (mlirValueIsABlockArgument(value)) {
            MlirOperation owner = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
            const intptr_t number = mlirBlockArgumentGetArgNumber(value);
            if (is_kernel(owner))
                return (unsigned)number + 1;
            value = initial(owner, number - 1); // argument 0 is the counter
            continue;
        }
        MlirOperation op = mlirOpResultGetOwner(value);
        value = keeps_pointer(kiln_op_kind(op)) ? mlirOperationGetOperand(op, 0)
                                                : initial(op, mlirOpResultGetResultNumber(value));
    }
    return 0;
}
