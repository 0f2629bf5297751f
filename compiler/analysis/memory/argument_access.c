// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the pointer arguments through which a kernel only reads. A pointer is read-only if it is
// used only by pointer arithmetic, control flow and loads, including atomic ones. Any other use (a
// store, an atomic, a call, a conversion to an integer, an operation not listed here) counts as a
// write through the argument that the pointer comes from, or through all arguments if that is
// unknown.
#include "analysis/memory/argument_access.h"

#include "analysis/memory/pointer_root.h"

typedef struct access_search {
    MlirBlock body;
    bool *is_const;
} access_search_t;

static bool only_reads(MlirOperation op)
{
    switch (kiln_op_kind(op)) {
    case KILN_OP_TT_LOAD:
    case KILN_OP_TT_ATOMIC_LOAD:
    case KILN_OP_TT_ATOMIC_POLL:
    case KILN_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL:
    case KILN_OP_AMDG_BUFFER_LOAD:
    case KILN_OP_AMDG_BUFFER_LOAD_TO_LOCAL:
        return true;
    default:
        return kiln_op_passes_pointers(op);
    }
}

static void write_all(access_search_t *search)
{
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(search->body); i++)
        search->is_const[i] = false;
}

static void write_through(access_search_t *search, MlirValue pointer)
{
    MlirValue root = kiln_pointer_root(pointer);
    if (mlirValueIsNull(root) || !mlirValueIsABlockArgument(root)) {
        write_all(search);
        return;
    }
    MlirBlock block = mlirBlockArgumentGetOwner(root);
    if (mlirBlockEqual(block, search->body))
        search->is_const[mlirBlockArgumentGetArgNumber(root)] = false;
    else if (kiln_op_kind(mlirBlockGetParentOperation(block)) != KILN_OP_TT_FUNC ||
             !mlirBlockEqual(block, mlirRegionGetFirstBlock(mlirBlockGetParentRegion(block))))
        write_all(search); // an argument of another function, whose call counts
}

static MlirWalkResult visit(MlirOperation op, void *user)
{
    if (!only_reads(op))
        for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
            MlirValue operand = mlirOperationGetOperand(op, i);
            if (kiln_type_is_ptr(kiln_type_element(mlirValueGetType(operand))))
                write_through(user, operand);
        }
    return MlirWalkResultAdvance;
}

void kiln_constant_arguments(MlirModule module, MlirOperation kernel, bool *out_const)
{
    access_search_t search = {.body = kiln_op_body(kernel, 0), .is_const = out_const};
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(search.body); i++)
        out_const[i] = kiln_type_is_ptr(mlirValueGetType(mlirBlockGetArgument(search.body, i)));
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, visit, &search);
}
