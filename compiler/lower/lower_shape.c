// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that make tensors from scalars or change their shape. None computes: each says where an element of the
// result sits in the source, as a layout over the source's elements, and leaves the rest to kiln_lower_convert, which
// mostly finds that only registers are renamed.
//
// The thing one gets wrong: a slice layout has fewer registers than its parent, so even expand_dims must map registers.
#include "lowering.h"

#include <stdlib.h>
#include <string.h>

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

kiln_status_t kiln_lower_splat(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *source = kiln_lower_operand(l, op, 0);
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
    if (!source)
        return KILN_OK;
    kiln_tile_t *result = source->base ? kiln_tile_like(l, source, type) : kiln_tile_create_result(l, type);
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
    kiln_tile_t *result = kiln_tile_like(l, source, mlirValueGetType(mlirOperationGetResult(op, 0)));
    if (!result)
        return KILN_OK;
    KILN_TRY(kiln_lower_convert(l, op, source, from, result, to));
    kiln_lower_bind_result(l, op, 0, result);
    return KILN_OK;
}

// The two layouts between which a shape operation converts its first operand; also what decides its scratch. False
// where it converts nothing.
bool kiln_lower_shape_conversion(kiln_lowering_t *l, MlirOperation op, kiln_layout_t *from, kiln_layout_t *to)
{
    MlirType source_type = mlirValueGetType(mlirOperationGetOperand(op, 0));
    MlirType result_type = mlirValueGetType(mlirOperationGetResult(op, 0));
    const kiln_layout_t *source = kiln_type_is_tensor(source_type) ? kiln_lower_layout(l, source_type) : NULL;
    const kiln_layout_t *result = kiln_type_is_tensor(result_type) ? kiln_lower_layout(l, result_type) : NULL;
    if (!source || !result)
        return false;
    int64_t shape[KILN_MAX_RANK];
    int32_t order[KILN_MAX_RANK];
    *from = *source;
    *to = *result;
    switch (kiln_op_kind(op)) {
    case KILN_OP_TTG_CONVERT_LAYOUT:
        return true;
    case KILN_OP_TT_EXPAND_DIMS:
        *from = kiln_layout_expand_dims(source, (int)kiln_ir_int_attr(op, "axis", 0));
        return true;
    case KILN_OP_TT_TRANS: {
        MlirAttribute attribute = kiln_ir_attr(op, "order");
        for (int d = 0; d < source->rank; d++)
            order[d] = mlirDenseI32ArrayGetElement(attribute, d);
        *from = kiln_layout_transpose(source, order);
        return true;
    }
    case KILN_OP_TT_RESHAPE:
        for (int d = 0; d < result->rank; d++)
            shape[d] = INT64_C(1) << result->log2_shape[d];
        *from = kiln_layout_reshape(source, result->rank, shape);
        return true;
    case KILN_OP_TT_BROADCAST: // the result's layout without the coordinates that the source lacks
        *to = kiln_layout_project(result, source);
        return true;
    case KILN_OP_TT_JOIN:
        *from = kiln_layout_append_pair(source);
        return true;
    case KILN_OP_TT_SPLIT:
        *to = kiln_layout_append_pair(result);
        return true;
    case KILN_OP_TT_CAT: // the second tensor follows as one more register bit, along dimension 0
        from->log2_shape[0]++;
        from->basis[KILN_REGISTER][from->bits[KILN_REGISTER]++] =
            1u << (kiln_layout_shift(from, 0) + from->log2_shape[0] - 1);
        return true;
    default:
        return false;
    }
}

// The layout `wide` with those coordinates dropped in which `narrow` has size 1.
kiln_layout_t kiln_layout_project(const kiln_layout_t *wide, const kiln_layout_t *narrow)
{
    kiln_layout_t result = *narrow;
    for (int place = 0; place < KILN_PLACES; place++) {
        result.bits[place] = wide->bits[place];
        for (int i = 0; i < wide->bits[place]; i++) {
            uint32_t basis = 0;
            for (int d = 0; d < wide->rank; d++)
                if (narrow->log2_shape[d])
                    basis |= kiln_layout_coord(wide, wide->basis[place][i], d) << kiln_layout_shift(narrow, d);
            result.basis[place][i] = basis;
        }
    }
    return result;
}

// A layout of the same places in which each place bit steps along one dimension: lanes, then warps along the flat index
// from its lowest bit, what is left in registers.
kiln_layout_t kiln_layout_straighten(const kiln_layout_t *given)
{
    kiln_layout_t layout = *given;
    int bits = 0, next = 0;
    for (int d = 0; d < given->rank; d++)
        bits += given->log2_shape[d];
    for (int place = KILN_LANE; place <= KILN_WARP; place++)
        for (int i = 0; i < layout.bits[place]; i++)
            layout.basis[place][i] = next < bits ? 1u << next++ : 0;
    layout.bits[KILN_REGISTER] = 0;
    while (next < bits)
        layout.basis[KILN_REGISTER][layout.bits[KILN_REGISTER]++] = 1u << next++;
    return layout;
}

// The register without free bits that holds what register `reg` of the same thread holds. A free bit's vector is a sum
// of those before it, not always zero.
uint32_t kiln_layout_twin(const kiln_layout_t *layout, uint32_t reg)
{
    uint32_t vectors[32] = {0}, registers[32] = {0}, wanted = 0, twin = 0; // by the highest bit of the vector
    for (int i = 0; i < layout->bits[KILN_REGISTER]; i++) {
        uint32_t vector = layout->basis[KILN_REGISTER][i], made_of = 1u << i;
        if (reg >> i & 1)
            wanted ^= vector;
        for (int top; vector; vector ^= vectors[top], made_of ^= registers[top]) {
            top = 31 - __builtin_clz(vector);
            if (!vectors[top]) {
                vectors[top] = vector;
                registers[top] = made_of;
                break;
            }
        }
    }
    for (int top; wanted; wanted ^= vectors[top], twin ^= registers[top])
        top = 31 - __builtin_clz(wanted);
    return twin;
}

// One more, fastest dimension of size 2 that is held in one more register bit, the highest.
kiln_layout_t kiln_layout_append_pair(const kiln_layout_t *layout)
{
    kiln_layout_t result = *layout;
    result.log2_shape[result.rank++] = 1;
    for (int place = 0; place < KILN_PLACES; place++)
        for (int i = 0; i < result.bits[place]; i++)
            result.basis[place][i] <<= 1;
    result.basis[KILN_REGISTER][result.bits[KILN_REGISTER]++] = 1;
    return result;
}

static kiln_status_t lower_reshaped(kiln_lowering_t *l, MlirOperation op)
{
    kiln_layout_t from, to;
    kiln_tile_t *source = kiln_lower_operand(l, op, 0);
    if (!source || !kiln_lower_shape_conversion(l, op, &from, &to))
        return KILN_OK;
    return convert_into_result(l, op, source, &from, &to);
}

kiln_status_t kiln_lower_expand_dims(kiln_lowering_t *l, MlirOperation op)
{
    return lower_reshaped(l, op);
}
kiln_status_t kiln_lower_broadcast(kiln_lowering_t *l, MlirOperation op)
{
    return lower_reshaped(l, op);
}
kiln_status_t kiln_lower_trans(kiln_lowering_t *l, MlirOperation op)
{
    return lower_reshaped(l, op);
}
kiln_status_t kiln_lower_reshape(kiln_lowering_t *l, MlirOperation op)
{
    return lower_reshaped(l, op);
}
kiln_status_t kiln_lower_convert_layout(kiln_lowering_t *l, MlirOperation op)
{
    return lower_reshaped(l, op);
}

// A tile of `count` registers with no type's layout of its own: registers of two operands side by side, or of a split
// before it is parted.
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

static kiln_status_t lower_paired(kiln_lowering_t *l, MlirOperation op)
{
    kiln_layout_t from, to;
    kiln_tile_t *a = kiln_lower_operand(l, op, 0), *b = kiln_lower_operand(l, op, 1);
    if (!a || !b || !kiln_lower_shape_conversion(l, op, &from, &to))
        return KILN_OK;
    bool sums = a->sums && b->sums && a->base == b->base;
    kiln_tile_t *pair = bare_tile(l, a, 2 * a->count);
    if (!sums) { // also pointers that count from different bases
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

kiln_status_t kiln_lower_join(kiln_lowering_t *l, MlirOperation op)
{
    return lower_paired(l, op);
}
kiln_status_t kiln_lower_cat(kiln_lowering_t *l, MlirOperation op)
{
    return lower_paired(l, op);
}

kiln_status_t kiln_lower_split(kiln_lowering_t *l, MlirOperation op)
{
    kiln_layout_t from, to;
    kiln_tile_t *source = kiln_lower_operand(l, op, 0);
    if (!source || !kiln_lower_shape_conversion(l, op, &from, &to))
        return KILN_OK;
    kiln_tile_t *pair = bare_tile(l, source, kiln_layout_registers(&to));
    KILN_TRY(kiln_lower_convert(l, op, source, &from, pair, &to));
    for (int i = 0; i < 2; i++) {
        kiln_tile_t *result = kiln_tile_like(l, pair, mlirValueGetType(mlirOperationGetResult(op, i)));
        if (!result)
            return KILN_OK;
        for (uint32_t r = 0; r < result->count; r++) {
            uint32_t half = r + (uint32_t)i * result->count;
            if (!pair->sums) // what was loaded as a vector
                kiln_tile_value(l, pair, half);
            kiln_tile_copy_register(result, r, pair, half);
        }
        kiln_lower_bind_result(l, op, i, result);
    }
    return KILN_OK;
}

// The one element of a tensor that has one: every place holds it.
kiln_status_t kiln_lower_unsplat(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *source = kiln_lower_operand(l, op, 0);
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
    if (!source)
        return KILN_OK;
    kiln_tile_t *result = source->base ? kiln_tile_like(l, source, type) : kiln_tile_create_result(l, type);
    if (!result)
        return KILN_OK;
    if (source->base) {
        LLVMValueRef offset = kiln_sum_value(l, source->sums[0], source->sum_bits == 32 ? l->i32 : l->i64);
        result->sums[0] = kiln_sum_of(kiln_emit_uniform(l, offset), true);
        kiln_lower_bind_result(l, op, 0, result);
        return KILN_OK;
    }
    kiln_tile_set(result, 0, kiln_emit_uniform(l, kiln_tile_value(l, source, 0)), true);
    if (kiln_type_is_ptr(result->type))
        kiln_lower_root_pointer(l, result, result->values[0], false);
    kiln_lower_bind_result(l, op, 0, result);
    return KILN_OK;
}
