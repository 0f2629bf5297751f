// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds chains of dots; see dot_chain.h.
#include "analysis/dot_chain.h"

#include <stdlib.h>

#include "base/array.h"
#include "builder/ir.h"

enum { MAX_VISITED = 512 };

static bool is_dot(kiln_op_t kind)
{
    return kind == KILN_OP_TT_DOT || kind == KILN_OP_TT_DOT_SCALED;
}

static MlirWalkResult find_dot(MlirOperation op, void *user)
{
    *(bool *)user |= is_dot(kiln_op_kind(op));
    return *(bool *)user ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool kiln_has_dot(MlirOperation op)
{
    bool has_dot = false;
    kiln_walk(op, MlirWalkPreOrder, find_dot, &has_dot);
    return has_dot;
}

static MlirWalkResult collect(MlirOperation op, void *user)
{
    kiln_dots_t *dots = user;
    if (!is_dot(kiln_op_kind(op)))
        return MlirWalkResultAdvance;
    if (!KILN_ARRAY_RESERVE(&dots->ops, &dots->capacity, dots->count + 1)) {
        dots->out_of_memory = true;
        return MlirWalkResultInterrupt;
    }
    dots->ops[dots->count++] = op;
    return MlirWalkResultAdvance;
}

kiln_dots_t kiln_dots_of_module(MlirModule module)
{
    kiln_dots_t dots = {.count = 0};
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, collect, &dots);
    return dots;
}

typedef struct slice_search {
    MlirBlock block;
    MlirOperation target;
    MlirOperation visited[MAX_VISITED];
    int count;
} slice_search_t;

// Whether `value` is computed in the block from the result of `target` (a null target: of any dot).
static bool comes_from_dot(slice_search_t *search, MlirValue value)
{
    MlirOperation op;
    kiln_op_t kind = kiln_value_op(value, &op);
    if (mlirOperationIsNull(op) || !mlirBlockEqual(mlirOperationGetBlock(op), search->block))
        return false;
    if (kind == KILN_OP_TT_TRANS)
        return false;
    if (is_dot(kind) &&
        (mlirOperationIsNull(search->target) || mlirOperationEqual(op, search->target)))
        return true;
    for (int i = 0; i < search->count; ++i)
        if (mlirOperationEqual(search->visited[i], op))
            return false;
    if (search->count == MAX_VISITED)
        return false;
    search->visited[search->count++] = op;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
        if (comes_from_dot(search, mlirOperationGetOperand(op, i)))
            return true;
    return false;
}

bool kiln_dot_is_chain_tail(MlirOperation dot)
{
    slice_search_t search = {.block = mlirOperationGetBlock(dot)};
    return comes_from_dot(&search, kiln_op_operand(dot, 0));
}

static bool is_chain_head(const kiln_dots_t *dots, MlirOperation dot)
{
    for (size_t i = 0; i < dots->count; ++i) {
        slice_search_t search = {.block = mlirOperationGetBlock(dot), .target = dot};
        if (!mlirOperationEqual(dots->ops[i], dot) &&
            mlirBlockEqual(mlirOperationGetBlock(dots->ops[i]), search.block) &&
            comes_from_dot(&search, kiln_op_operand(dots->ops[i], 0)))
            return true;
    }
    return false;
}

bool kiln_dot_is_chained(const kiln_dots_t *dots, MlirOperation dot)
{
    return kiln_dot_is_chain_tail(dot) || is_chain_head(dots, dot);
}
