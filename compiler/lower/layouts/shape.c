// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that create tensors from scalars or change their shape. They compute nothing: each
// describes where an element of the result is in the source, as a layout over the source's elements
// (analysis/plan/shape.h), and calls kiln_lower_convert, which usually only renames registers.
//
// Note that a join's two operands may have different bases, so the result holds whole pointers.
#include "analysis/plan/shape.h"
#include "convert.h"
#include "lower/emit.h"
#include "lower/tile.h"

#include <stdlib.h>
#include <string.h>

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

// An empty result that has the operand's base, if it has one; NULL without an operand.
static kiln_tile_t *result_like(kiln_lowering_t *l, MlirOperation op, const kiln_tile_t *source)
{
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
    if (!source)
        return NULL;
    return source->base ? kiln_tile_like(l, source, type) : kiln_tile_create_result(l, type);
}

kiln_status_t kiln_lower_splat(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *source = kiln_lower_operand(l, op, 0), *result = result_like(l, op, source);
    if (!result)
        return KILN_OK;
    kiln_sum_t sum = result->sums ? kiln_tile_sum(l, source, 0) : (kiln_sum_t){NULL, NULL, 0};
    LLVMValueRef value = source->base ? NULL : kiln_tile_value(l, source, 0);
    for (uint32_t r = 0; r < result->count; r++) {
        result->values[r] = value;
        if (result->sums)
            result->sums[r] = sum;
    }
    kiln_lower_bind_result(l, op, 0, result);
    return KILN_OK;
}

kiln_status_t kiln_lower_make_range(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *result = kiln_tile_create_sums(l, mlirValueGetType(mlirOperationGetResult(op, 0)));
    if (!result)
        return KILN_OK;
    int64_t start = kiln_ir_int_attr(op, "start", 0);
    kiln_emit_layout_sums(l, result->layout, 1, result->sums);
    for (uint32_t r = 0; r < result->count; r++)
        result->sums[r].imm += start;
    kiln_lower_bind_result(l, op, 0, result);
    return KILN_OK;
}

static kiln_status_t convert_into_result(kiln_lowering_t *l, MlirOperation op, kiln_tile_t *source,
                                         const kiln_layout_t *from, const kiln_layout_t *to)
{
    kiln_tile_t *result =
        kiln_tile_like(l, source, mlirValueGetType(mlirOperationGetResult(op, 0)));
    if (!result)
        return KILN_OK;
    KILN_TRY(kiln_lower_convert(l, op, source, from, result, to));
    kiln_lower_bind_result(l, op, 0, result);
    return KILN_OK;
}

kiln_status_t kiln_lower_reshaped(kiln_lowering_t *l, MlirOperation op)
{
    kiln_layout_t from, to;
    kiln_tile_t *source = kiln_lower_operand(l, op, 0);
    if (!source)
        return KILN_OK;
    KILN_TRY(kiln_plan_shape(op, l->num_waves, &from, &to));
    return convert_into_result(l, op, source, &from, &to);
}

// A tile of `count` registers without a type's layout: the registers of a join's two operands side
// by side, or those of a split's operand.
static kiln_tile_t *bare_tile(kiln_lowering_t *l, const kiln_tile_t *like, uint32_t count)
{
    kiln_tile_t *tile = kiln_lower_arena_alloc(l->arena, sizeof *tile);
    *tile = *like;
    tile->count = count;
    tile->vectors = NULL;
    tile->block = LLVMGetInsertBlock(l->builder);
    tile->values = KILN_LOWER_ARRAY(l, LLVMValueRef, count);
    if (like->sums)
        tile->sums = KILN_LOWER_ARRAY(l, kiln_sum_t, count);
    return tile;
}

kiln_status_t kiln_lower_paired(kiln_lowering_t *l, MlirOperation op)
{
    kiln_layout_t from, to;
    kiln_tile_t *a = kiln_lower_operand(l, op, 0), *b = kiln_lower_operand(l, op, 1);
    if (!a || !b)
        return KILN_OK;
    KILN_TRY(kiln_plan_shape(op, l->num_waves, &from, &to));
    bool sums = a->sums && b->sums && a->base == b->base &&
                !a->range32; // other uses than addresses are possible from here on
    kiln_tile_t *pair = bare_tile(l, a, 2 * a->count);
    if (!sums) { // includes pointers with different bases
        pair->sums = NULL;
        pair->base = NULL;
    }
    for (uint32_t r = 0; r < pair->count; r++) {
        kiln_tile_t *source = r < a->count ? a : b;
        uint32_t reg = r < a->count ? r : r - a->count;
        if (sums)
            pair->sums[r] = source->sums[reg];
        else
            pair->values[r] = kiln_tile_value(l, source, reg);
    }
    return convert_into_result(l, op, pair, &from, &to);
}

kiln_status_t kiln_lower_split(kiln_lowering_t *l, MlirOperation op)
{
    kiln_layout_t from, to;
    kiln_tile_t *source = kiln_lower_operand(l, op, 0);
    if (!source)
        return KILN_OK;
    KILN_TRY(kiln_plan_shape(op, l->num_waves, &from, &to));
    kiln_tile_t *pair = bare_tile(l, source, kiln_layout_registers(&to));
    KILN_TRY(kiln_lower_convert(l, op, source, &from, pair, &to));
    for (int i = 0; i < 2; i++) {
        kiln_tile_t *result =
            kiln_tile_like(l, pair, mlirValueGetType(mlirOperationGetResult(op, i)));
        if (!result)
            return KILN_OK;
        for (uint32_t r = 0; r < result->count; r++) {
            uint32_t half = r + (uint32_t)i * result->count;
            if (!pair->sums) // was loaded as a vector
                kiln_tile_value(l, pair, half);
            kiln_tile_copy_register(result, r, pair, half);
        }
        kiln_lower_bind_result(l, op, i, result);
    }
    return KILN_OK;
}

// The single element of a tensor of size one, which every place holds.
kiln_status_t kiln_lower_unsplat(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *source = kiln_lower_operand(l, op, 0), *result = result_like(l, op, source);
    if (!result)
        return KILN_OK;
    bool is_shared = !kiln_lanes_differ(l, kiln_op_result(op, 0));
    if (source->base) {
        LLVMValueRef offset =
            kiln_sum_value(l, source->sums[0], source->sum_bits == 32 ? l->i32 : l->i64);
        result->sums[0] = kiln_sum_of(is_shared ? kiln_emit_uniform(l, offset) : offset, is_shared);
        kiln_lower_bind_result(l, op, 0, result);
        return KILN_OK;
    }
    LLVMValueRef element = kiln_tile_value(l, source, 0);
    kiln_tile_set(result, 0, is_shared ? kiln_emit_uniform(l, element) : element, is_shared);
    if (kiln_type_is_ptr(result->type))
        kiln_lower_root_pointer(l, result, result->values[0], false);
    kiln_lower_bind_result(l, op, 0, result);
    return KILN_OK;
}
