// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds loops and their contents, and creates scf.for operations.
#include "passes/loops/for_loop.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "passes/rewrite/clones.h"

enum { FIRST_CARRIED = 3 }; // lower bound, upper bound, step

bool kiln_is_inside(MlirOperation outer, MlirValue value)
{
    MlirBlock block = mlirValueIsABlockArgument(value)
                          ? mlirBlockArgumentGetOwner(value)
                          : mlirOperationGetBlock(mlirOpResultGetOwner(value));
    for (MlirOperation op = mlirBlockGetParentOperation(block); !mlirOperationIsNull(op);
         op = kiln_op_parent(op))
        if (mlirOperationEqual(op, outer))
            return true;
    return false;
}

static MlirWalkResult collect(MlirOperation op, void *user)
{
    kiln_loops_t *loops = user;
    if (!loops->wanted(op))
        return MlirWalkResultAdvance;
    if (!KILN_ARRAY_RESERVE(&loops->ops, &loops->capacity, (size_t)loops->count + 1)) {
        loops->out_of_memory = true;
        return MlirWalkResultInterrupt;
    }
    loops->ops[loops->count++] = op;
    return MlirWalkResultAdvance;
}

kiln_status_t kiln_loops_collect(MlirModule module, MlirWalkOrder order,
                                 bool (*wanted)(MlirOperation op), kiln_loops_t *out)
{
    *out = (kiln_loops_t){.wanted = wanted};
    kiln_walk(mlirModuleGetOperation(module), order, collect, out);
    return out->out_of_memory ? kiln_status_out_of_memory() : KILN_OK;
}

kiln_cmpi_t kiln_for_less(MlirOperation loop)
{
    return kiln_for_is_unsigned(loop) ? KILN_CMPI_ULT : KILN_CMPI_SLT;
}

// (upper − lower − 1) / step + 1, or none.
MlirValue kiln_for_count_between(const kiln_ir_t *ir, MlirOperation loop, MlirValue lower,
                                 MlirValue upper)
{
    MlirValue step = kiln_op_operand(loop, 2);
    MlirValue one = kiln_ir_const_int(ir, mlirValueGetType(lower), 1),
              zero = kiln_ir_const_int(ir, mlirValueGetType(lower), 0);
    MlirValue min = kiln_ir_binary(ir, KILN_OP_ARITH_MAXUI, step, one);
    MlirValue span = kiln_ir_binary(ir, KILN_OP_ARITH_SUBI, upper, lower);
    MlirValue last = kiln_ir_binary(ir, KILN_OP_ARITH_SUBI, span, one);
    MlirValue count = kiln_ir_binary(ir, KILN_OP_ARITH_DIVUI, last, min);
    count = kiln_ir_binary(ir, KILN_OP_ARITH_ADDI, count, one);
    return kiln_tile_select(ir, kiln_ir_compare(ir, kiln_for_less(loop), lower, upper), count,
                            zero);
}

MlirValue kiln_for_count(const kiln_ir_t *ir, MlirOperation loop)
{
    return kiln_for_count_between(ir, loop, kiln_op_operand(loop, 0), kiln_op_operand(loop, 1));
}

bool kiln_for_copy_body(const kiln_ir_t *ir, MlirOperation loop, MlirValue at, MlirValue *values)
{
    kiln_clones_t clones = {0};
    MlirBlock body = kiln_op_body(loop, 0);
    MlirOperation terminator = kiln_block_terminator(body);
    intptr_t count = mlirOperationGetNumResults(loop);
    kiln_clones_put(&clones, mlirBlockGetArgument(body, 0), at);
    for (intptr_t i = 0; i < count; i++)
        kiln_clones_put(&clones, mlirBlockGetArgument(body, i + 1), values[i]);
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, terminator);
         op = mlirOperationGetNextInBlock(op))
        kiln_clone(ir, op, &clones);
    for (intptr_t i = 0; i < count; i++)
        values[i] = kiln_clones_get(&clones, mlirOperationGetOperand(terminator, i));
    return kiln_clones_free(&clones);
}

static bool is_left_out(const kiln_for_t *what, MlirStringRef name)
{
    for (const char *const *out = what->left_out; *out; out++)
        if (mlirStringRefEqual(name, mlirStringRefCreateFromCString(*out)))
            return true;
    return false;
}

static void copy_attributes(const kiln_for_t *what, MlirOperation to)
{
    if (mlirOperationIsNull(what->like))
        return;
    for (intptr_t i = 0; i < mlirOperationGetNumDiscardableAttributes(what->like); i++) {
        MlirNamedAttribute attribute = mlirOperationGetDiscardableAttribute(what->like, i);
        MlirStringRef name = mlirIdentifierStr(attribute.name);
        if (!is_left_out(what, name))
            mlirOperationSetDiscardableAttributeByName(to, name, attribute.attribute);
    }
}

MlirOperation kiln_for_create(const kiln_ir_t *ir, const kiln_for_t *what)
{
    MlirOperation made = {NULL};
    size_t count = (size_t)what->count;
    MlirType *types = calloc(count + 1, sizeof *types);
    MlirLocation *locs = calloc(count + 1, sizeof *locs);
    MlirValue *operands = calloc(count + FIRST_CARRIED, sizeof *operands);
    if (types && locs && operands) {
        const MlirValue bounds[FIRST_CARRIED] = {what->lower, what->upper, what->step};
        memcpy(operands, bounds, sizeof bounds);
        types[0] = mlirValueGetType(what->lower);
        locs[0] = ir->loc;
        for (size_t i = 0; i < count; i++) {
            operands[FIRST_CARRIED + i] = what->initial[i];
            types[1 + i] = mlirValueGetType(what->initial[i]);
            locs[1 + i] = ir->loc;
        }
        MlirBlock block = mlirBlockCreate(what->count + 1, types, locs);
        MlirRegion region = mlirRegionCreate();
        mlirRegionAppendOwnedBlock(region, block);
        MlirNamedAttribute unsigned_compare =
            kiln_ir_named(ir->context, "unsignedCmp", mlirUnitAttrGet(ir->context));
        kiln_ir_op_t op = {.kind = KILN_OP_SCF_FOR,
                           .operand_count = (int)count + FIRST_CARRIED,
                           .operands = operands,
                           .result_count = (int)count,
                           .results = types + 1,
                           .region_count = 1,
                           .regions = &region,
                           .attribute_count = what->is_unsigned ? 1 : 0,
                           .attributes = &unsigned_compare};
        made = kiln_ir_create(ir, &op);
        copy_attributes(what, made);
    }
    free(types);
    free(locs);
    free(operands);
    return made;
}
