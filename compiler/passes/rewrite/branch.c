// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds an scf.if with both of its branches; see branch.h.
#include "passes/rewrite/branch.h"

#include <stdlib.h>

bool kiln_branch_open(kiln_branch_t *b, const kiln_ir_t *ir, MlirValue condition, intptr_t room)
{
    *b = (kiln_branch_t){.condition = condition,
                         .then_ir = kiln_ir_at_end(mlirBlockCreate(0, NULL, NULL), ir->loc),
                         .else_ir = kiln_ir_at_end(mlirBlockCreate(0, NULL, NULL), ir->loc)};
    b->values[0] = calloc((size_t)room + 1, sizeof *b->values[0]);
    b->values[1] = calloc((size_t)room + 1, sizeof *b->values[1]);
    b->types = calloc((size_t)room + 1, sizeof *b->types);
    if (b->values[0] && b->values[1] && b->types)
        return true;
    free(b->types);
    free(b->values[0]);
    free(b->values[1]);
    mlirBlockDestroy(b->then_ir.block);
    mlirBlockDestroy(b->else_ir.block);
    return false;
}

void kiln_branch_yield(kiln_branch_t *b, MlirValue then_value, MlirValue else_value)
{
    b->values[0][b->count] = then_value;
    b->types[b->count] = mlirValueGetType(then_value);
    b->values[1][b->count++] = else_value;
}

MlirOperation kiln_branch_close(kiln_branch_t *b, const kiln_ir_t *ir)
{
    MlirRegion regions[] = {mlirRegionCreate(), mlirRegionCreate()};
    const kiln_ir_t *sides[] = {&b->then_ir, &b->else_ir};
    for (int w = 0; w < 2; w++) {
        kiln_ir_op_t yield = {
            .kind = KILN_OP_SCF_YIELD, .operand_count = (int)b->count, .operands = b->values[w]};
        kiln_ir_create(sides[w], &yield);
        mlirRegionAppendOwnedBlock(regions[w], sides[w]->block);
    }
    kiln_ir_op_t op = {.kind = KILN_OP_SCF_IF,
                       .operand_count = 1,
                       .operands = &b->condition,
                       .result_count = (int)b->count,
                       .results = b->types,
                       .region_count = 2,
                       .regions = regions};
    MlirOperation made = kiln_ir_create(ir, &op);
    free(b->types);
    free(b->values[0]);
    free(b->values[1]);
    return made;
}
