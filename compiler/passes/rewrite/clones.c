// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's C interface clones an operation with its original operands; this file then replaces them
// by the clones made so far.
#include "passes/rewrite/clones.h"

void kiln_clones_put(kiln_clones_t *clones, MlirValue from, MlirValue to)
{
    clones->out_of_memory |= !kiln_value_map_put(&clones->map, from, (MlirAttribute){NULL}, to.ptr);
}

MlirValue kiln_clones_find(const kiln_clones_t *clones, MlirValue from)
{
    return (MlirValue){kiln_value_map_get(&clones->map, from, (MlirAttribute){NULL})};
}

MlirValue kiln_clones_get(const kiln_clones_t *clones, MlirValue from)
{
    MlirValue to = kiln_clones_find(clones, from);
    return mlirValueIsNull(to) ? from : to;
}

static MlirWalkResult take_clones(MlirOperation op, void *user)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirValue to = kiln_clones_find(user, mlirOperationGetOperand(op, i));
        if (!mlirValueIsNull(to))
            mlirOperationSetOperand(op, i, to);
    }
    return MlirWalkResultAdvance;
}

MlirOperation kiln_clone(const kiln_ir_t *ir, MlirOperation op, kiln_clones_t *clones)
{
    MlirOperation copy = mlirOperationClone(op);
    mlirBlockInsertOwnedOperationBefore(ir->block, ir->before, copy);
    kiln_walk(copy, MlirWalkPreOrder, take_clones, clones);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        kiln_clones_put(clones, mlirOperationGetResult(op, i), mlirOperationGetResult(copy, i));
    return copy;
}

bool kiln_clones_free(kiln_clones_t *clones)
{
    kiln_value_map_free(&clones->map);
    return !clones->out_of_memory;
}
