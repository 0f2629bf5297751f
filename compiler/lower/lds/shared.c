// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on shared memory: buffers (memory descriptors), their parts, and accesses by tiles
// (transfer.c). A memory descriptor is one uniform byte offset.
#include "layout/rearrange.h"
#include "lds.h"
#include "lower/emit.h"
#include "lower/tile.h"

#include <string.h>

#include "analysis/plan/allocation.h"
#include "layout/padding.h"

// `flip` counts for parts of buffers only.
static kiln_tile_t *descriptor(kiln_lowering_t *l, MlirType type, kiln_sum_t offset,
                               kiln_sum_t flip)
{
    kiln_tile_t *tile = kiln_tile_create(l, type);
    if (!tile)
        return NULL;
    tile->sums = KILN_LOWER_ARRAY(l, kiln_sum_t, tile->count);
    tile->sum_bits = 32;
    tile->sums[0] = offset;
    if (tile->count > 1)
        tile->sums[1] = flip;
    return tile;
}

static const kiln_sum_t NO_FLIP = {NULL, NULL, 0};

static kiln_sum_t flip_of(const kiln_tile_t *buffer)
{
    return buffer->count > 1 ? buffer->sums[1] : NO_FLIP;
}

// The layout of a whole buffer, of which the descriptor may be a part.
static kiln_status_t buffer_layout(kiln_lowering_t *l, MlirType type, kiln_layout_t *out)
{
    int rank = kiln_memdesc_rank(type), alloc_rank = kiln_memdesc_alloc_rank(type);
    int64_t shape[KILN_MAX_RANK];
    for (int d = 0; d < rank; d++)
        shape[d] = kiln_memdesc_alloc_dim(type, alloc_rank - rank + d);
    return kiln_layout_of_encoding(kiln_memdesc_encoding(type), rank, shape, l->num_waves, out);
}

// The offset, in elements, of the element with these coordinates.
static uint32_t offset_at(const kiln_layout_t *lds, const int32_t *coordinates)
{
    uint32_t flat = 0, reg, lane, wave;
    for (int d = 0; d < lds->rank; d++)
        flat |= (uint32_t)coordinates[d] << kiln_layout_shift(lds, d);
    kiln_layout_locate(lds, flat, &reg, &lane, &wave);
    return reg;
}

// The bits of an offset that corners of aligned parts of this shape can have.
static uint32_t corner_bits(const kiln_layout_t *lds, MlirType part)
{
    uint32_t bits = 0;
    for (int d = 0; d < lds->rank; d++)
        for (int64_t step = kiln_memdesc_dim(part, d); step < INT64_C(1) << lds->log2_shape[d];
             step *= 2) {
            int32_t corner[KILN_MAX_RANK] = {0};
            corner[d] = (int32_t)step;
            bits |= offset_at(lds, corner);
        }
    return bits;
}

// In LDS a mask bit takes a byte and a pointer eight.
static LLVMTypeRef stored_type(kiln_lowering_t *l, LLVMTypeRef element)
{
    if (LLVMGetTypeKind(element) == LLVMPointerTypeKind)
        return l->i64;
    return kiln_llvm_bits(element) < 8 ? l->i8 : element;
}

LLVMValueRef kiln_to_stored(kiln_lowering_t *l, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
        return LLVMBuildPtrToInt(l->builder, value, l->i64, "");
    return kiln_llvm_bits(type) < 8 ? LLVMBuildZExt(l->builder, value, l->i8, "") : value;
}

LLVMValueRef kiln_from_stored(kiln_lowering_t *l, LLVMValueRef value, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
        return LLVMBuildIntToPtr(l->builder, value, type, "");
    return kiln_llvm_bits(type) < 8 ? LLVMBuildTrunc(l->builder, value, type, "") : value;
}

LLVMTypeRef kiln_stored_type(kiln_lowering_t *l, LLVMTypeRef element)
{
    return stored_type(l, element);
}

// How a tile accesses a buffer, except for the participating threads: the map from the tile's
// places to offsets, and the value that a part of a buffer adds to it by XOR.
static kiln_status_t begin_access(kiln_lowering_t *l, MlirType tensor, const kiln_tile_t *buffer,
                                  kiln_layout_t *map, kiln_lds_transfer_t *out)
{
    const kiln_layout_t *tile_layout = kiln_lower_layout(l, tensor);
    if (!tile_layout)
        return kiln_lower_take_failure(l);
    int rank = kiln_memdesc_rank(buffer->type);
    kiln_layout_t lds, widened = *tile_layout;
    KILN_TRY(buffer_layout(l, buffer->type, &lds));
    // A sub-slice's elements have the coordinates of the whole buffer.
    for (int d = 0; d < rank; d++)
        widened.log2_shape[d] = lds.log2_shape[d];
    for (int place = 0; place < KILN_PLACES; place++)
        for (int i = 0; i < tile_layout->bits[place]; i++) {
            uint32_t flat = 0;
            for (int d = 0; d < rank; d++)
                flat |= kiln_layout_coord(tile_layout, tile_layout->basis[place][i], d)
                        << kiln_layout_shift(&widened, d);
            widened.basis[place][i] = flat;
        }
    *map = kiln_layout_to_lds(&widened, &lds);
    kiln_sum_t flip = flip_of(buffer);
    *out =
        (kiln_lds_transfer_t){.map = map,
                              .base = buffer->sums[0],
                              .element = stored_type(l, kiln_lower_element_type(l, tensor)),
                              .padding = kiln_layout_padding(kiln_memdesc_encoding(buffer->type)),
                              .flip = (uint32_t)flip.imm,
                              .flip_value = flip.uniform};
    if (flip.uniform)
        out->flip_bits = corner_bits(&lds, buffer->type);
    return KILN_OK;
}

static kiln_status_t store_tile(kiln_lowering_t *l, kiln_tile_t *tile, kiln_tile_t *buffer)
{
    kiln_layout_t map;
    kiln_lds_transfer_t transfer;
    KILN_TRY(begin_access(l, tile->type, buffer, &map, &transfer));
    LLVMValueRef *values = KILN_LOWER_ARRAY(l, LLVMValueRef, tile->count);
    for (uint32_t r = 0; r < tile->count; r++)
        values[r] = kiln_to_stored(l, kiln_tile_value(l, tile, r));
    transfer.predicate = kiln_lds_writer(l, tile->layout);
    kiln_lds_store(l, &transfer, values);
    return KILN_OK;
}

kiln_status_t kiln_lower_scratch(MlirOperation op, uint32_t *out_offset)
{
    int64_t offset = kiln_ir_int_attr(op, "allocation.offset", -1);
    *out_offset = offset < 0 ? 0 : (uint32_t)offset;
    return offset < 0
               ? kiln_status_make(KILN_STATUS_INTERNAL, "no LDS was allocated for this operation")
               : KILN_OK;
}

uint32_t kiln_lower_call_lds(MlirOperation call)
{
    return (uint32_t)kiln_ir_int_attr(call, "allocation.offset", 0);
}

kiln_status_t kiln_lower_local_alloc(kiln_lowering_t *l, MlirOperation op)
{
    uint32_t offset;
    KILN_TRY(kiln_lower_scratch(op, &offset));
    kiln_tile_t *buffer = descriptor(l, mlirValueGetType(mlirOperationGetResult(op, 0)),
                                     (kiln_sum_t){NULL, NULL, offset}, NO_FLIP);
    if (!buffer)
        return KILN_OK;
    if (mlirOperationGetNumOperands(op)) {
        kiln_tile_t *tile = kiln_lower_operand(l, op, 0);
        if (!tile)
            return KILN_OK;
        KILN_TRY(store_tile(l, tile, buffer));
    }
    kiln_lower_bind_result(l, op, 0, buffer);
    return KILN_OK;
}

kiln_status_t kiln_lower_local_dealloc(kiln_lowering_t *l, MlirOperation op)
{
    (void)l, (void)op; // the allocation handles lifetimes
    return KILN_OK;
}

kiln_status_t kiln_lower_local_store(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *tile = kiln_lower_operand(l, op, 0), *buffer = kiln_lower_operand(l, op, 1);
    return tile && buffer ? store_tile(l, tile, buffer) : KILN_OK;
}

kiln_status_t kiln_lower_local_load(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *buffer = kiln_lower_operand(l, op, 0),
                *result = kiln_tile_create(l, mlirValueGetType(mlirOperationGetResult(op, 0)));
    if (!buffer || !result)
        return KILN_OK;
    kiln_layout_t map;
    kiln_lds_transfer_t transfer;
    KILN_TRY(begin_access(l, result->type, buffer, &map, &transfer));
    kiln_lds_load(l, &transfer, result->values);
    if (transfer.element != result->element)
        for (uint32_t r = 0; r < result->count; r++)
            result->values[r] = kiln_from_stored(l, result->values[r], result->element);
    kiln_lower_bind_result(l, op, 0, result);
    return KILN_OK;
}

// The value that an index adds to offsets by XOR: columns[i] if its bit i is set.
static kiln_sum_t index_sum(kiln_lowering_t *l, LLVMValueRef index, int bits,
                            const uint32_t *columns)
{
    bool is_stride = bits > 0;
    for (int i = 0; i < bits; i++)
        is_stride &= columns[i] == columns[0] << i;
    if (is_stride)
        return kiln_sum_scale(l, kiln_sum_of(index, false), columns[0], l->i32);
    LLVMValueRef value = kiln_emit_i32(l, 0);
    for (int i = 0; i < bits; i++) {
        LLVMValueRef shifted = LLVMBuildLShr(l->builder, index, kiln_emit_i32(l, i), ""),
                     bit = LLVMBuildAnd(l->builder, shifted, kiln_emit_i32(l, 1), "");
        value = LLVMBuildXor(l->builder, value,
                             LLVMBuildMul(l->builder, bit, kiln_emit_i32(l, columns[i]), ""), "");
    }
    return kiln_sum_of(value, false);
}

static uint32_t offset_apart(const kiln_layout_t *lds, const kiln_layout_t *tile, uint32_t flat,
                             int axis)
{
    int32_t coordinates[KILN_MAX_RANK] = {0};
    for (int d = 0; d < tile->rank; d++)
        coordinates[d] = d == axis ? 0 : (int32_t)kiln_layout_coord(tile, flat, d);
    return offset_at(lds, coordinates);
}

// Offsets are linear by XOR in each coordinate, so the index along the axis is XORed with the part
// of the other coordinates. If the two have no bit in common, they are added instead, and registers
// share both.
kiln_status_t kiln_lower_local_gather(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *buffer = kiln_lower_operand(l, op, 0), *indices = kiln_lower_operand(l, op, 1),
                *result = kiln_tile_create(l, mlirValueGetType(mlirOperationGetResult(op, 0)));
    if (!buffer || !indices || !result)
        return KILN_OK;
    kiln_layout_t lds, apart = *indices->layout;
    KILN_TRY(buffer_layout(l, buffer->type, &lds));
    int axis = (int)kiln_ir_int_attr(op, "axis", 0), bits = lds.log2_shape[axis];
    LLVMTypeRef stored = stored_type(l, result->element);
    uint32_t bytes = kiln_llvm_bits(stored) / 8, columns[KILN_LAYOUT_MAX_BITS], along = 0,
             across = 0;
    for (int i = 0; i < bits; i++) {
        int32_t corner[KILN_MAX_RANK] = {0};
        corner[axis] = 1 << i;
        columns[i] = offset_at(&lds, corner) * bytes;
        along |= columns[i];
    }
    for (int place = 0; place < KILN_PLACES; place++)
        for (int i = 0; i < apart.bits[place]; i++) {
            apart.basis[place][i] =
                offset_apart(&lds, indices->layout, apart.basis[place][i], axis);
            across |= apart.basis[place][i] * bytes;
        }
    kiln_padding_t padding = kiln_layout_padding(kiln_memdesc_encoding(buffer->type));
    kiln_sum_t flip = flip_of(buffer), *sums = KILN_LOWER_ARRAY(l, kiln_sum_t, indices->count);
    bool adds = !(along & across) && !flip.imm && !flip.uniform && !padding.count;
    kiln_emit_layout_sums(l, &apart, bytes, sums);
    for (uint32_t r = 0; r < result->count; r++) {
        LLVMValueRef index =
            LLVMBuildIntCast2(l->builder, kiln_tile_value(l, indices, r), l->i32, 1, "");
        kiln_sum_t chosen = index_sum(l, index, bits, columns), place = sums[r];
        if (adds) {
            place = kiln_sum_add(l, place, chosen, 32);
        } else {
            LLVMValueRef offset = LLVMBuildXor(l->builder, kiln_sum_value(l, place, l->i32),
                                               kiln_sum_value(l, chosen, l->i32), ""),
                         corner = kiln_sum_value(l, kiln_sum_scale(l, flip, bytes, l->i32), l->i32);
            offset = LLVMBuildXor(l->builder, offset, corner, "");
            place = kiln_sum_of(kiln_lds_pad(l, l->builder, &padding, offset, bytes), false);
        }
        LLVMValueRef load =
            LLVMBuildLoad2(l->builder, stored,
                           kiln_lds_pointer(l, kiln_sum_add(l, buffer->sums[0], place, 32)), "");
        LLVMSetAlignment(load, bytes);
        result->values[r] = kiln_from_stored(l, load, result->element);
    }
    kiln_lower_bind_result(l, op, 0, result);
    return KILN_OK;
}

// One buffer of a ring: the index times the bytes of one.
kiln_status_t kiln_lower_memdesc_index(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *buffer = kiln_lower_operand(l, op, 0), *index = kiln_lower_operand(l, op, 1);
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
    if (!buffer || !index)
        return KILN_OK;
    int64_t bytes =
        kiln_llvm_bits(stored_type(l, kiln_lower_element_type(l, kiln_memdesc_element(type)))) / 8;
    int64_t shape[KILN_MAX_RANK];
    for (int d = 0; d < kiln_memdesc_rank(type); d++)
        shape[d] = kiln_memdesc_alloc_dim(type, kiln_memdesc_alloc_rank(type) -
                                                    kiln_memdesc_rank(type) + d);
    bytes *= (int64_t)kiln_lds_buffer_elements(kiln_memdesc_encoding(type), kiln_memdesc_rank(type),
                                               shape);
    kiln_sum_t step = kiln_sum_scale(l, kiln_tile_sum(l, index, 0), bytes, l->i32);
    if (index->element != l->i32) {
        LLVMValueRef value =
            LLVMBuildIntCast2(l->builder, kiln_tile_value(l, index, 0), l->i32, 1, "");
        step = kiln_sum_scale(l, kiln_sum_of(value, true), bytes, l->i32);
    }
    kiln_lower_bind_result(
        l, op, 0, descriptor(l, type, kiln_sum_add(l, buffer->sums[0], step, 32), flip_of(buffer)));
    return KILN_OK;
}

// Corners of nested parts have no coordinate bit in common, and offsets are linear, so they are
// combined by XOR.
kiln_status_t kiln_lower_memdesc_subslice(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *buffer = kiln_lower_operand(l, op, 0);
    MlirAttribute offsets = kiln_ir_attr(op, "offsets");
    int32_t corner[KILN_MAX_RANK];
    kiln_layout_t lds;
    if (!buffer)
        return KILN_OK;
    KILN_TRY(buffer_layout(l, buffer->type, &lds));
    for (int d = 0; d < lds.rank; d++)
        corner[d] = mlirDenseI32ArrayGetElement(offsets, d);
    kiln_sum_t flip = flip_of(buffer);
    flip.imm ^= offset_at(&lds, corner);
    kiln_lower_bind_result(
        l, op, 0,
        descriptor(l, mlirValueGetType(mlirOperationGetResult(op, 0)), buffer->sums[0], flip));
    return KILN_OK;
}

// The same bytes with other coordinates, which the result's encoding defines.
kiln_status_t kiln_lower_memdesc_trans(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *buffer = kiln_lower_operand(l, op, 0);
    if (buffer)
        kiln_lower_bind_result(l, op, 0,
                               descriptor(l, mlirValueGetType(mlirOperationGetResult(op, 0)),
                                          buffer->sums[0], flip_of(buffer)));
    return KILN_OK;
}

kiln_status_t kiln_lower_memdesc_reshape(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *buffer = kiln_lower_operand(l, op, 0);
    if (!buffer)
        return KILN_OK;
    if (buffer->count > 1)
        return kiln_op_unsupported(op, "a reshaped part of a buffer");
    kiln_lower_bind_result(
        l, op, 0,
        descriptor(l, mlirValueGetType(mlirOperationGetResult(op, 0)), buffer->sums[0], NO_FLIP));
    return KILN_OK;
}

// Computes the offset of a part's first element, in bytes from the start of its buffer, and the
// largest value that this offset can have.
static kiln_status_t start_of_part(kiln_lowering_t *l, MlirOperation op, const kiln_tile_t *buffer,
                                   kiln_sum_t *out, uint64_t *out_last)
{
    kiln_sum_t flip = flip_of(buffer);
    kiln_padding_t padding = kiln_layout_padding(kiln_memdesc_encoding(buffer->type));
    unsigned bytes = kiln_llvm_bits(stored_type(
                         l, kiln_lower_element_type(l, kiln_memdesc_element(buffer->type)))) /
                     8;
    uint64_t first = (uint64_t)flip.imm, last = first;
    if (flip.uniform) {
        kiln_layout_t lds;
        if (padding.count)
            return kiln_op_unsupported(op, "a view of a padded buffer at a variable offset");
        KILN_TRY(buffer_layout(l, buffer->type, &lds));
        last = corner_bits(&lds, buffer->type);
        LLVMValueRef offset =
            LLVMBuildXor(l->builder, flip.uniform, kiln_emit_i32(l, flip.imm), "");
        *out = (kiln_sum_t){NULL, LLVMBuildMul(l->builder, offset, kiln_emit_i32(l, bytes), ""), 0};
    } else {
        last = first + kiln_padding_shift(&padding, first);
        *out = (kiln_sum_t){NULL, NULL, (int64_t)(last * bytes)};
    }
    *out_last = last * bytes;
    return KILN_OK;
}

// The same bytes as other elements. Only the bounds are checked, not the contents.
kiln_status_t kiln_lower_memdesc_reinterpret(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *buffer = kiln_lower_operand(l, op, 0);
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
    uint64_t from, to;
    if (!buffer)
        return KILN_OK;
    kiln_sum_t start = NO_FLIP;
    uint64_t last = 0;
    KILN_TRY(start_of_part(l, op, buffer, &start, &last));
    if (!kiln_memdesc_bytes(buffer->type, &from) || !kiln_memdesc_bytes(type, &to) ||
        last + to > from)
        return kiln_op_unsupported(op, "a view larger than its buffer");
    kiln_lower_bind_result(
        l, op, 0, descriptor(l, type, kiln_sum_add(l, buffer->sums[0], start, 32), NO_FLIP));
    return KILN_OK;
}

// "kiln.rounds" is the number of barriers to emit for waves that may be some barriers apart; the
// program's own barriers are emitted once.
kiln_status_t kiln_lower_barrier(kiln_lowering_t *l, MlirOperation op)
{
    kiln_op_t kind = kiln_op_kind(op);
    int64_t rounds = kiln_ir_int_attr(op, "kiln.rounds", 1);
    const int skew = l->skew;
    int64_t spaces = kind == KILN_OP_TTG_BARRIER         ? kiln_ir_int_attr(op, "addrSpace", 31)
                     : kind == KILN_OP_TTG_LOCAL_BARRIER ? 1
                                                         : 31;
    if (rounds < 1 || rounds > skew + 1) // in text not written by place_barriers
        return kiln_status_at_op(kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                                  "\"kiln.rounds\" is %lld; expected 1 to %d",
                                                  (long long)rounds, skew + 1),
                                 op);
    if (spaces & ~INT64_C(1)) { // global memory, too: the workgroup sees its own writes
        unsigned scope = LLVMGetSyncScopeID(l->context, "workgroup", 9);

        kiln_emit_no_sinking(l);
        if (l->num_waves == 1) { // the hardware keeps a wave's order, and LLVM must
            scope = LLVMGetSyncScopeID(l->context, "wavefront", 9);
            LLVMBuildFenceSyncScope(l->builder, LLVMAtomicOrderingAcquireRelease, scope, "");
            return KILN_OK;
        }
        LLVMBuildFenceSyncScope(l->builder, LLVMAtomicOrderingRelease, scope, "");
        // The waves of a workgroup share an L1, which takes their accesses in order. Only a wave
        // that releases what the others did needs these to have completed: its own wait does not
        // cover them.
        kiln_emit_release_wait(l, l->waves_release_alone ? KILN_WAIT_MEMORY : KILN_WAIT_LDS);
        for (int64_t i = 0; i < rounds; i++)
            kiln_emit_wave_barrier(l);
        LLVMBuildFenceSyncScope(l->builder, LLVMAtomicOrderingAcquire, scope, "");
        return KILN_OK;
    }
    kiln_emit_barriers(l, (int)rounds);
    return KILN_OK;
}
