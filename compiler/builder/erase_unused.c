// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Erases unused operations; see erase_unused.h. It walks backwards, so that users are erased before
// their operands, and the contents of an operation before the operation.
#include "builder/erase_unused.h"

#include <stdlib.h>

#include "base/array.h"
#include "builder/ir.h"
#include "builder/op_facts.h"

typedef struct candidates {
    MlirOperation *ops;
    size_t count, capacity;
    bool out_of_memory;
} candidates_t;

static MlirWalkResult collect(MlirOperation op, void *user)
{
    candidates_t *all = user;
    if (mlirOperationGetNumResults(op) == 0)
        return MlirWalkResultAdvance;
    all->out_of_memory = !KILN_ARRAY_RESERVE(&all->ops, &all->capacity, all->count + 1);
    if (all->out_of_memory)
        return MlirWalkResultInterrupt;
    all->ops[all->count++] = op;
    return MlirWalkResultAdvance;
}

static bool is_unused(MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        if (kiln_value_has_uses(mlirOperationGetResult(op, i)))
            return false;
    return kiln_op_may_be_erased(op);
}

bool kiln_erase_unused(MlirOperation root)
{
    candidates_t all = {0};
    kiln_walk(root, MlirWalkPreOrder, collect, &all);
    for (size_t i = all.out_of_memory ? 0 : all.count; i-- > 0;)
        if (is_unused(all.ops[i]))
            kiln_op_erase(all.ops[i]);
    free(all.ops);
    return !all.out_of_memory;
}
