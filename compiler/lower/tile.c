// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles: the LLVM values of one MLIR value, one per register of its layout, made as late as
// possible.
//
// Note that when a tile is materialized after the builder left the block in which the tile was
// made, the instructions go before that block's terminator. So code that opens new blocks must have
// terminated the old one by then.
#include "tile.h"
#include "emit.h"

#include <string.h>

kiln_status_t kiln_lower_fail(kiln_lowering_t *l, kiln_status_t status)
{
    if (l->failure)
        kiln_status_free(status);
    else
        l->failure = status;
    return KILN_OK;
}

// Types -------------------------------------------------------------------------------------------

LLVMTypeRef kiln_lower_element_type(kiln_lowering_t *l, MlirType type)
{
    type = kiln_type_element(type);
    if (kiln_type_is_ptr(type)) {
        int space = kiln_ptr_address_space(type);
        return space == KILN_LLVM_AS_GLOBAL ? l->global_ptr
                                            : LLVMPointerTypeInContext(l->context, (unsigned)space);
    }
    if (kiln_type_is_async_token(type))
        return l->i1; // holds nothing, and is always false
    if (mlirTypeIsAIndex(type))
        return l->i64;
    if (mlirTypeIsAInteger(type))
        return LLVMIntTypeInContext(l->context, mlirIntegerTypeGetWidth(type));
    if (mlirTypeIsAF32(type))
        return l->f32;
    if (mlirTypeIsAF16(type))
        return l->f16;
    if (mlirTypeIsABF16(type))
        return l->bf16;
    if (mlirTypeIsAF64(type))
        return l->f64;
    if (mlirTypeIsAFloat8E4M3FN(type) || mlirTypeIsAFloat8E4M3FNUZ(type) ||
        mlirTypeIsAFloat8E5M2(type) || mlirTypeIsAFloat8E5M2FNUZ(type))
        return l->i8; // LLVM has no 8-bit floats; conversions know the format from the MLIR type
    return NULL;
}

const kiln_layout_t *kiln_lower_layout(kiln_lowering_t *l, MlirType type)
{
    kiln_layout_t *layout = kiln_lower_map_get(l->layouts, type.ptr);
    if (layout)
        return layout;
    layout = kiln_lower_arena_alloc(l->arena, sizeof *layout);
    kiln_status_t status = kiln_layout_of_type(type, l->num_waves, layout);
    if (status) {
        kiln_lower_fail(l, status);
        return NULL;
    }
    if (!kiln_lower_map_set(l->layouts, type.ptr, layout))
        kiln_lower_fail(l, kiln_status_out_of_memory());
    return layout;
}

// Creation ----------------------------------------------------------------------------------------

uint32_t kiln_memdesc_parts(MlirType type)
{
    int rank = kiln_memdesc_rank(type), outer = kiln_memdesc_alloc_rank(type) - rank;
    for (int d = 0; d < rank; d++)
        if (outer < 0 || kiln_memdesc_dim(type, d) != kiln_memdesc_alloc_dim(type, outer + d))
            return 2;
    return 1;
}

kiln_tile_t *kiln_tile_create(kiln_lowering_t *l, MlirType type)
{
    kiln_tile_t *tile = kiln_lower_arena_alloc(l->arena, sizeof *tile);
    tile->type = type;
    tile->count = 1;
    tile->divergent = l->scalars_diverge;
    if (kiln_type_is_memdesc(type)) {
        tile->element = l->i32;
        tile->count = kiln_memdesc_parts(type);
    } else {
        tile->element = kiln_lower_element_type(l, type);
        if (!tile->element) {
            kiln_lower_fail(
                l, kiln_status_make(KILN_STATUS_UNSUPPORTED, "a type without registers on gfx942"));
            return NULL;
        }
    }
    if (kiln_type_is_tensor(type)) {
        tile->layout = kiln_lower_layout(l, type);
        if (!tile->layout)
            return NULL;
        tile->count = kiln_layout_registers(tile->layout);
    }
    tile->values = KILN_LOWER_ARRAY(l, LLVMValueRef, tile->count);
    tile->block = LLVMGetInsertBlock(l->builder);
    return tile;
}

kiln_tile_t *kiln_tile_create_sums(kiln_lowering_t *l, MlirType type)
{
    kiln_tile_t *tile = kiln_tile_create(l, type);
    if (!tile)
        return NULL;
    tile->sums = KILN_LOWER_ARRAY(l, kiln_sum_t, tile->count);
    if (LLVMGetTypeKind(tile->element) == LLVMIntegerTypeKind)
        tile->sum_bits = LLVMGetIntTypeWidth(tile->element);
    return tile;
}

kiln_tile_t *kiln_tile_like(kiln_lowering_t *l, const kiln_tile_t *source, MlirType type)
{
    kiln_tile_t *tile = source->sums ? kiln_tile_create_sums(l, type) : kiln_tile_create(l, type);
    if (!tile)
        return NULL;
    tile->base = source->base;
    tile->sum_bits = source->sum_bits;
    tile->range32 = source->range32;
    tile->shifted = source->shifted;
    tile->is_after = source->is_after;
    // Registers may be materialized where the source was made.
    return tile;
}

void kiln_tile_copy_register(kiln_tile_t *to, uint32_t to_reg, const kiln_tile_t *from,
                             uint32_t from_reg)
{
    if (from->sums)
        to->sums[to_reg] = from->sums[from_reg];
    to->values[to_reg] = from->values[from_reg];
}

// Sums --------------------------------------------------------------------------------------------

static int64_t sign_extend(int64_t value, unsigned bits)
{
    if (bits >= 64)
        return value;
    uint64_t shifted = (uint64_t)value << (64 - bits);
    return (int64_t)shifted >> (64 - bits);
}

kiln_sum_t kiln_sum_of(LLVMValueRef value, bool uniform)
{
    int64_t imm;
    if (kiln_llvm_const_int(value, &imm))
        return (kiln_sum_t){NULL, NULL, imm};
    return uniform ? (kiln_sum_t){NULL, value, 0} : (kiln_sum_t){value, NULL, 0};
}

kiln_sum_t kiln_sum_add(kiln_lowering_t *l, kiln_sum_t a, kiln_sum_t b, unsigned bits)
{
    return (kiln_sum_t){kiln_emit_add(l, a.lane, b.lane), kiln_emit_add(l, a.uniform, b.uniform),
                        sign_extend((int64_t)((uint64_t)a.imm + (uint64_t)b.imm), bits)};
}

kiln_sum_t kiln_sum_scale(kiln_lowering_t *l, kiln_sum_t a, int64_t factor, LLVMTypeRef type)
{
    if (factor == 1)
        return a;
    LLVMValueRef scale = LLVMConstInt(type, (uint64_t)factor, 1);
    kiln_sum_t result = {
        NULL, NULL,
        sign_extend((int64_t)((uint64_t)a.imm * (uint64_t)factor), LLVMGetIntTypeWidth(type))};
    if (a.lane)
        result.lane = LLVMBuildMul(l->builder, a.lane, scale, "");
    if (a.uniform)
        result.uniform = LLVMBuildMul(l->builder, a.uniform, scale, "");
    return result;
}

LLVMValueRef kiln_sum_value(kiln_lowering_t *l, kiln_sum_t sum, LLVMTypeRef type)
{
    LLVMValueRef value = kiln_emit_add(l, sum.lane, sum.uniform);
    if (!value)
        return LLVMConstInt(type, (uint64_t)sum.imm, 1);
    return sum.imm ? LLVMBuildAdd(l->builder, value, LLVMConstInt(type, (uint64_t)sum.imm, 1), "")
                   : value;
}

// Materialization ---------------------------------------------------------------------------------

typedef struct place {
    LLVMBasicBlockRef block;
    LLVMMetadataRef debug_location;
} place_t;

// Moves the builder to the insertion point for values of the tile; `leave` moves it back.
static place_t enter_tile(kiln_lowering_t *l, const kiln_tile_t *tile)
{
    place_t place = {LLVMGetInsertBlock(l->builder), NULL};
    if (tile->block == place.block)
        return (place_t){NULL, NULL};
    place.debug_location = LLVMGetCurrentDebugLocation2(l->builder);
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(tile->block);
    if (terminator)
        LLVMPositionBuilderBefore(l->builder, terminator);
    else
        LLVMPositionBuilderAtEnd(l->builder, tile->block);
    LLVMSetCurrentDebugLocation2(l->builder, place.debug_location);
    return place;
}

static void leave_tile(kiln_lowering_t *l, place_t place)
{
    if (!place.block)
        return;
    LLVMPositionBuilderAtEnd(l->builder, place.block);
    LLVMSetCurrentDebugLocation2(l->builder, place.debug_location);
}

LLVMValueRef kiln_tile_value(kiln_lowering_t *l, kiln_tile_t *tile, uint32_t reg)
{
    if (tile->values[reg])
        return tile->values[reg];
    place_t place = enter_tile(l, tile);
    LLVMValueRef value;
    if (tile->vectors) {
        value =
            kiln_emit_extract(l, tile->vectors[reg / tile->vector_width], reg % tile->vector_width);
    } else if (tile->base) {
        LLVMValueRef offset;
        int64_t constant;
        if (tile->sum_bits == 32)
            value = kiln_range32_pointer(l, tile, reg, tile->is_after);
        else if (offset = kiln_sum_value(l, tile->sums[reg], l->i64),
                 kiln_llvm_const_int(offset, &constant) && constant == 0)
            value = tile->base;
        else
            value = LLVMBuildGEP2(l->builder, l->i8, tile->base, &offset, 1, "");
    } else {
        kiln_sum_t sum = tile->sums[reg];
        LLVMValueRef shared = NULL;
        // Registers with the same variable parts share their addition.
        for (uint32_t other = reg < 4 ? 0 : reg - 4;
             sum.lane && sum.uniform && !shared && other < reg; other++) {
            const kiln_sum_t *near = &tile->sums[other];
            if (tile->values[other] && near->lane == sum.lane && near->uniform == sum.uniform &&
                near->imm == 0)
                shared = tile->values[other];
        }
        value = shared ? kiln_sum_value(l, (kiln_sum_t){shared, NULL, sum.imm}, tile->element)
                       : kiln_sum_value(l, sum, tile->element);
    }
    leave_tile(l, place);
    tile->values[reg] = value;
    return value;
}

LLVMValueRef kiln_tile_vector(kiln_lowering_t *l, kiln_tile_t *tile, uint32_t first, uint32_t count)
{
    if (count == 1)
        return kiln_tile_value(l, tile, first);
    if (tile->vectors && tile->vector_width == count && first % count == 0)
        return tile->vectors[first / count];
    LLVMValueRef *values = KILN_LOWER_ARRAY(l, LLVMValueRef, count);
    for (uint32_t i = 0; i < count; i++)
        values[i] = kiln_tile_value(l, tile, first + i);
    return kiln_emit_vector(l, tile->element, values, count);
}

kiln_sum_t kiln_tile_sum(kiln_lowering_t *l, kiln_tile_t *tile, uint32_t reg)
{
    if (tile->sums)
        return tile->sums[reg];
    return kiln_sum_of(kiln_tile_value(l, tile, reg), !tile->layout && !tile->divergent);
}

bool kiln_tile_is_uniform(const kiln_tile_t *tile, uint32_t reg)
{
    if (!tile->layout)
        return !tile->divergent;
    return tile->sums && !tile->sums[reg].lane;
}

// Binding -----------------------------------------------------------------------------------------

kiln_tile_t *kiln_lower_value(kiln_lowering_t *l, MlirValue value)
{
    kiln_tile_t *tile = mlirValueIsNull(value) ? NULL : kiln_lower_map_get(l->values, value.ptr);
    if (!tile)
        kiln_lower_fail(
            l, kiln_status_make(KILN_STATUS_INTERNAL, "a value is used before it is lowered"));
    return tile;
}

kiln_tile_t *kiln_lower_operand(kiln_lowering_t *l, MlirOperation op, int index)
{
    return kiln_lower_value(l, mlirOperationGetOperand(op, index));
}

LLVMValueRef kiln_lower_scalar(kiln_lowering_t *l, MlirOperation op, int index)
{
    kiln_tile_t *tile = kiln_lower_operand(l, op, index);
    return tile ? kiln_tile_value(l, tile, 0) : NULL;
}

void kiln_lower_bind(kiln_lowering_t *l, MlirValue value, kiln_tile_t *tile)
{
    if (tile && !kiln_lower_map_set(l->values, value.ptr, tile))
        kiln_lower_fail(l, kiln_status_out_of_memory());
}

void kiln_lower_bind_result(kiln_lowering_t *l, MlirOperation op, int index, kiln_tile_t *tile)
{
    kiln_lower_bind(l, mlirOperationGetResult(op, index), tile);
}
