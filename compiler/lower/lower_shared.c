// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory: buffers (memory descriptors), and the accesses of LDS by tiles.
//
// A memory descriptor is one uniform byte offset. Which offset an element has follows from layouts: the composition of
// the tile's layout with the inverse of the buffer's (kiln_layout_to_lds) is again a linear map over F2, whose lane
// part is computed once and whose register parts mostly become the instruction's immediate offset.
//
// The thing one gets wrong: the map is linear by XOR, so a register's part may be added instead only where it shares no
// bit with the lane's part; kiln_emit_layout_sums sees to that.
#include "emit.h"
#include "layout/rearrange.h"
#include "lds.h"
#include "tile.h"

#include <string.h>

#include "analysis/allocation.h"
#include "layout/padding.h"

LLVMValueRef kiln_lds_pointer(kiln_lowering_t *l, kiln_sum_t bytes)
{
    LLVMValueRef pointer = l->lds, offset = kiln_emit_add(l, bytes.lane, bytes.uniform);
    if (offset)
        pointer = LLVMBuildGEP2(l->builder, l->i8, pointer, &offset, 1, "");
    LLVMValueRef imm = kiln_emit_i32(l, bytes.imm);
    return bytes.imm ? LLVMBuildGEP2(l->builder, l->i8, pointer, &imm, 1, "") : pointer;
}

// The register that is step `i` of the vector which starts at register `first`.
static uint32_t vector_register(const kiln_lds_access_t *access, uint32_t first, uint32_t i)
{
    for (int bit = 0; access->vector >> bit > 1; bit++)
        if (i >> bit & 1)
            first |= 1u << access->vector_bits[bit];
    return first;
}

static uint32_t vector_mask(const kiln_lds_access_t *access)
{
    uint32_t mask = 0;
    for (int bit = 0; access->vector >> bit > 1; bit++)
        mask |= 1u << access->vector_bits[bit];
    return mask;
}

typedef struct kiln_lds_walk {
    kiln_lds_access_t access;
    kiln_sum_t *sums;  // of each register, in bytes
    uint32_t *windows; // of each register; NULL: there is one
    uint32_t count, in_vector, copies;
    unsigned bytes;
    LLVMTypeRef type;                                   // of one access
    LLVMValueRef last_lane, last_uniform, last_pointer; // the variable part emitted last
} lds_walk_t;

// A byte offset with what the gaps before it add.
static LLVMValueRef pad_value(kiln_lowering_t *l, LLVMBuilderRef builder, const kiln_padding_t *padding,
                              LLVMValueRef offset, unsigned bytes)
{
    LLVMValueRef padded = offset;
    for (int i = 0; offset && i < padding->count; i++) {
        int interval = __builtin_ctz((unsigned)padding->intervals[i] * bytes),
            pad = __builtin_ctz((unsigned)padding->pads[i] * bytes); // both are powers of two
        LLVMValueRef gaps = LLVMBuildLShr(builder, offset, kiln_emit_i32(l, interval), "");
        padded = LLVMBuildAdd(builder, padded, LLVMBuildShl(builder, gaps, kiln_emit_i32(l, pad), ""), "");
    }
    return padded;
}

// The parts of a sum have no bits in common, so each may be padded by itself. Registers share their variable parts.
static void pad_sums(kiln_lowering_t *l, LLVMBuilderRef builder, const kiln_padding_t *padding, lds_walk_t *walk)
{
    if (!padding->count)
        return;
    kiln_sum_t *plain = KILN_LOWER_ARRAY(l, kiln_sum_t, walk->count);
    memcpy(plain, walk->sums, walk->count * sizeof *plain);
    for (uint32_t r = 0; r < walk->count; r++) {
        kiln_sum_t *sum = &walk->sums[r];
        uint32_t twin = 0;
        while (plain[twin].lane != plain[r].lane || plain[twin].uniform != plain[r].uniform)
            twin++;
        sum->lane = twin < r ? walk->sums[twin].lane : pad_value(l, builder, padding, sum->lane, walk->bytes);
        sum->uniform = twin < r ? walk->sums[twin].uniform : pad_value(l, builder, padding, sum->uniform, walk->bytes);
        sum->imm += (int64_t)(kiln_padding_shift(padding, (uint64_t)sum->imm / walk->bytes) * walk->bytes);
    }
}

// What is XORed by a value that only the program knows has no constant part any more.
static void flip_sums(kiln_lowering_t *l, LLVMValueRef flip, lds_walk_t *walk)
{
    flip = LLVMBuildMul(l->builder, flip, kiln_emit_i32(l, walk->bytes), "");
    for (uint32_t r = 0; r < walk->count; r++) {
        if (r & (walk->in_vector | walk->copies))
            continue;
        LLVMValueRef offset = kiln_sum_value(l, walk->sums[r], l->i32);
        walk->sums[r] = (kiln_sum_t){LLVMBuildXor(l->builder, offset, flip, ""), NULL, 0};
    }
}

// A register's window: no lane or warp changes it.
static uint32_t *find_windows(kiln_lowering_t *l, const kiln_lds_transfer_t *transfer, uint32_t count)
{
    if (!transfer->window)
        return NULL;
    uint32_t shift = (uint32_t)__builtin_ctz(transfer->window), *windows = KILN_LOWER_ARRAY(l, uint32_t, count);
    for (uint32_t r = 0; r < count; r++)
        windows[r] = kiln_layout_apply(transfer->map, r, 0, 0) >> shift;
    return windows;
}

static lds_walk_t begin_walk(kiln_lowering_t *l, const kiln_lds_transfer_t *transfer)
{
    const kiln_layout_t *map = transfer->map;
    kiln_layout_t window = *map;
    lds_walk_t walk = {.count = kiln_layout_registers(map), .bytes = kiln_llvm_bits(transfer->element) / 8};
    walk.access = kiln_layout_lds_access(map, (int)(8 * walk.bytes));
    walk.access.vector = kiln_padding_limit(&transfer->padding, walk.access.vector);
    while ((transfer->flip | transfer->flip_bits) % (uint32_t)walk.access.vector)
        walk.access.vector /= 2;
    walk.in_vector = vector_mask(&walk.access);
    walk.copies = kiln_layout_free_bits(map, KILN_REGISTER);
    walk.windows = find_windows(l, transfer, walk.count);
    if (transfer->window)
        for (int place = 0; place < KILN_PLACES; place++)
            for (int i = 0; i < map->bits[place]; i++)
                window.basis[place][i] &= transfer->window - 1;
    // The flip is what one more register bit would do that is always set.
    if (transfer->flip)
        window.basis[KILN_REGISTER][window.bits[KILN_REGISTER]++] = transfer->flip;
    kiln_sum_t *sums = KILN_LOWER_ARRAY(l, kiln_sum_t, kiln_layout_registers(&window));
    kiln_emit_layout_sums(l, &window, walk.bytes, sums);
    walk.sums = transfer->flip ? sums + walk.count : sums;
    if (transfer->flip_value)
        flip_sums(l, transfer->flip_value, &walk);
    pad_sums(l, transfer->flip_value ? l->builder : l->entry, &transfer->padding, &walk);
    for (uint32_t r = 0; r < walk.count; r++)
        walk.sums[r].imm += transfer->base.imm;
    walk.type =
        walk.access.vector > 1 ? LLVMVectorType(transfer->element, (unsigned)walk.access.vector) : transfer->element;
    return walk;
}

// The pointer for the access that starts at register `reg`. Accesses with equal variable parts share one GEP.
static LLVMValueRef walk_pointer(kiln_lowering_t *l, const kiln_lds_transfer_t *transfer, lds_walk_t *walk,
                                 uint32_t reg)
{
    kiln_sum_t sum = walk->sums[reg], base = transfer->base;
    if (!walk->last_pointer || walk->last_lane != sum.lane || walk->last_uniform != sum.uniform) {
        kiln_sum_t variable = {kiln_emit_add(l, sum.lane, base.lane), kiln_emit_add(l, sum.uniform, base.uniform), 0};
        walk->last_pointer = kiln_lds_pointer(l, variable);
        walk->last_lane = sum.lane;
        walk->last_uniform = sum.uniform;
    }
    LLVMValueRef imm = kiln_emit_i32(l, sum.imm);
    return sum.imm ? LLVMBuildGEP2(l->builder, l->i8, walk->last_pointer, &imm, 1, "") : walk->last_pointer;
}

// Opens a block that is entered where `predicate` holds; `end_predicate` closes it.
static LLVMBasicBlockRef begin_predicate(kiln_lowering_t *l, LLVMValueRef predicate)
{
    if (!predicate)
        return NULL;
    LLVMBasicBlockRef body = kiln_emit_block(l, "write"), after = kiln_emit_block(l, "written");
    LLVMBuildCondBr(l->builder, predicate, body, after);
    LLVMPositionBuilderAtEnd(l->builder, body);
    return after;
}

static void end_predicate(kiln_lowering_t *l, LLVMBasicBlockRef after)
{
    if (!after)
        return;
    LLVMBuildBr(l->builder, after);
    LLVMPositionBuilderAtEnd(l->builder, after);
}

void kiln_lds_begin(kiln_lowering_t *l, kiln_lds_transfer_t *transfer)
{
    transfer->walk = kiln_lower_arena_alloc(l->arena, sizeof *transfer->walk);
    *transfer->walk = begin_walk(l, transfer);
}

static bool takes_part(const kiln_lds_transfer_t *transfer, const lds_walk_t *walk, uint32_t reg)
{
    return !walk->windows || walk->windows[reg] == transfer->window_index;
}

void kiln_lds_store(kiln_lowering_t *l, const kiln_lds_transfer_t *transfer, LLVMValueRef *values)
{
    lds_walk_t walk = transfer->walk ? *transfer->walk : begin_walk(l, transfer);
    LLVMBasicBlockRef after = begin_predicate(l, transfer->predicate);
    LLVMValueRef parts[16];
    for (uint32_t r = 0; r < walk.count; r++) {
        if ((r & (walk.in_vector | walk.copies)) || !takes_part(transfer, &walk, r))
            continue;
        for (int i = 0; i < walk.access.vector; i++)
            parts[i] = values[vector_register(&walk.access, r, (uint32_t)i)];
        LLVMValueRef data = kiln_emit_vector(l, transfer->element, parts, (uint32_t)walk.access.vector);
        LLVMValueRef pointer = walk_pointer(l, transfer, &walk, r);
        LLVMSetAlignment(LLVMBuildStore(l->builder, data, pointer), (unsigned)walk.access.vector * walk.bytes);
    }
    end_predicate(l, after);
}

void kiln_lds_load(kiln_lowering_t *l, const kiln_lds_transfer_t *transfer, LLVMValueRef *values)
{
    lds_walk_t walk = transfer->walk ? *transfer->walk : begin_walk(l, transfer);
    for (uint32_t r = 0; r < walk.count; r++) {
        if ((r & walk.in_vector) || !takes_part(transfer, &walk, r))
            continue;
        LLVMValueRef load = NULL;
        if (!(r & walk.copies)) {
            load = LLVMBuildLoad2(l->builder, walk.type, walk_pointer(l, transfer, &walk, r), "");
            LLVMSetAlignment(load, (unsigned)walk.access.vector * walk.bytes);
        }
        for (int i = 0; i < walk.access.vector; i++) {
            uint32_t reg = vector_register(&walk.access, r, (uint32_t)i);
            values[reg] = load ? kiln_emit_extract(l, load, (uint32_t)i) : values[kiln_layout_twin(transfer->map, reg)];
        }
    }
}

// Warps that hold copies of others need not write: NULL, or an i1 that is the same in a wave.
LLVMValueRef kiln_lds_writer(kiln_lowering_t *l, const kiln_layout_t *layout)
{
    uint32_t copies = l->warp ? kiln_layout_free_bits(layout, KILN_WARP) : 0;
    if (!copies)
        return NULL;
    return LLVMBuildICmp(l->builder, LLVMIntEQ, LLVMBuildAnd(l->builder, l->warp, kiln_emit_i32(l, copies), ""),
                         kiln_emit_i32(l, 0), "");
}

// Memory descriptors -------------------------------------------------------------------------------------------------

// `flip` counts for parts of buffers only.
static kiln_tile_t *descriptor(kiln_lowering_t *l, MlirType type, kiln_sum_t offset, kiln_sum_t flip)
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
    return kiln_layout_of_encoding(kiln_memdesc_encoding(type), rank, shape, l->num_warps, out);
}

// The offset, in elements, of the element with these coordinates.
static uint32_t offset_at(const kiln_layout_t *lds, const int32_t *coordinates)
{
    uint32_t flat = 0, reg, lane, warp;
    for (int d = 0; d < lds->rank; d++)
        flat |= (uint32_t)coordinates[d] << kiln_layout_shift(lds, d);
    kiln_layout_locate(lds, flat, &reg, &lane, &warp);
    return reg;
}

// The bits of an offset that corners of aligned parts of this shape can have.
static uint32_t corner_bits(const kiln_layout_t *lds, MlirType part)
{
    uint32_t bits = 0;
    for (int d = 0; d < lds->rank; d++)
        for (int64_t step = kiln_memdesc_dim(part, d); step < INT64_C(1) << lds->log2_shape[d]; step *= 2) {
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

// How a tile's accesses of a buffer go, but for who takes part: the map from the tile's places to offsets, and what a
// part of a buffer adds to it by XOR.
static kiln_status_t begin_access(kiln_lowering_t *l, MlirType tensor, const kiln_tile_t *buffer, kiln_layout_t *map,
                                  kiln_lds_transfer_t *out)
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
    *out = (kiln_lds_transfer_t){.map = map,
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
    return offset < 0 ? kiln_status_make(KILN_STATUS_INTERNAL, "no LDS was allocated for this operation") : KILN_OK;
}

uint32_t kiln_lower_call_lds(MlirOperation call)
{
    return (uint32_t)kiln_ir_int_attr(call, "allocation.offset", 0);
}

kiln_status_t kiln_lower_local_alloc(kiln_lowering_t *l, MlirOperation op)
{
    uint32_t offset;
    KILN_TRY(kiln_lower_scratch(op, &offset));
    kiln_tile_t *buffer =
        descriptor(l, mlirValueGetType(mlirOperationGetResult(op, 0)), (kiln_sum_t){NULL, NULL, offset}, NO_FLIP);
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
    (void)l, (void)op; // lifetimes are the allocation's business
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

// What an index adds to offsets by XOR: columns[i] where its bit i is set.
static kiln_sum_t index_sum(kiln_lowering_t *l, LLVMValueRef index, int bits, const uint32_t *columns)
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
        value = LLVMBuildXor(l->builder, value, LLVMBuildMul(l->builder, bit, kiln_emit_i32(l, columns[i]), ""), "");
    }
    return kiln_sum_of(value, false);
}

static uint32_t offset_apart(const kiln_layout_t *lds, const kiln_layout_t *tile, uint32_t flat, int axis)
{
    int32_t coordinates[KILN_MAX_RANK] = {0};
    for (int d = 0; d < tile->rank; d++)
        coordinates[d] = d == axis ? 0 : (int32_t)kiln_layout_coord(tile, flat, d);
    return offset_at(lds, coordinates);
}

// Offsets are linear by XOR in each coordinate, so the index along the axis joins what the other coordinates say. Where
// the two have no bit in common the one is added to the other, and registers share both.
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
    uint32_t bytes = kiln_llvm_bits(stored) / 8, columns[KILN_LAYOUT_MAX_BITS], along = 0, across = 0;
    for (int i = 0; i < bits; i++) {
        int32_t corner[KILN_MAX_RANK] = {0};
        corner[axis] = 1 << i;
        columns[i] = offset_at(&lds, corner) * bytes;
        along |= columns[i];
    }
    for (int place = 0; place < KILN_PLACES; place++)
        for (int i = 0; i < apart.bits[place]; i++) {
            apart.basis[place][i] = offset_apart(&lds, indices->layout, apart.basis[place][i], axis);
            across |= apart.basis[place][i] * bytes;
        }
    kiln_padding_t padding = kiln_layout_padding(kiln_memdesc_encoding(buffer->type));
    kiln_sum_t flip = flip_of(buffer), *sums = KILN_LOWER_ARRAY(l, kiln_sum_t, indices->count);
    bool adds = !(along & across) && !flip.imm && !flip.uniform && !padding.count;
    kiln_emit_layout_sums(l, &apart, bytes, sums);
    for (uint32_t r = 0; r < result->count; r++) {
        LLVMValueRef index = LLVMBuildIntCast2(l->builder, kiln_tile_value(l, indices, r), l->i32, 1, "");
        kiln_sum_t chosen = index_sum(l, index, bits, columns), place = sums[r];
        if (adds) {
            place = kiln_sum_add(l, place, chosen, 32);
        } else {
            LLVMValueRef offset = LLVMBuildXor(l->builder, kiln_sum_value(l, place, l->i32),
                                               kiln_sum_value(l, chosen, l->i32), ""),
                         corner = kiln_sum_value(l, kiln_sum_scale(l, flip, bytes, l->i32), l->i32);
            offset = LLVMBuildXor(l->builder, offset, corner, "");
            place = kiln_sum_of(pad_value(l, l->builder, &padding, offset, bytes), false);
        }
        LLVMValueRef load =
            LLVMBuildLoad2(l->builder, stored, kiln_lds_pointer(l, kiln_sum_add(l, buffer->sums[0], place, 32)), "");
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
    int64_t bytes = kiln_llvm_bits(stored_type(l, kiln_lower_element_type(l, kiln_memdesc_element(type)))) / 8;
    int64_t shape[KILN_MAX_RANK];
    for (int d = 0; d < kiln_memdesc_rank(type); d++)
        shape[d] = kiln_memdesc_alloc_dim(type, kiln_memdesc_alloc_rank(type) - kiln_memdesc_rank(type) + d);
    bytes *= (int64_t)kiln_lds_buffer_elements(kiln_memdesc_encoding(type), kiln_memdesc_rank(type), shape);
    kiln_sum_t step = kiln_sum_scale(l, kiln_tile_sum(l, index, 0), bytes, l->i32);
    if (index->element != l->i32) {
        LLVMValueRef value = LLVMBuildIntCast2(l->builder, kiln_tile_value(l, index, 0), l->i32, 1, "");
        step = kiln_sum_scale(l, kiln_sum_of(value, true), bytes, l->i32);
    }
    kiln_lower_bind_result(l, op, 0, descriptor(l, type, kiln_sum_add(l, buffer->sums[0], step, 32), flip_of(buffer)));
    return KILN_OK;
}

// Corners of nested parts have no coordinate bit in common, and offsets are linear, so they join by XOR.
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
    kiln_lower_bind_result(l, op, 0,
                           descriptor(l, mlirValueGetType(mlirOperationGetResult(op, 0)), buffer->sums[0], flip));
    return KILN_OK;
}

// The same bytes seen with other coordinates: the result's encoding says how.
kiln_status_t kiln_lower_memdesc_trans(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *buffer = kiln_lower_operand(l, op, 0);
    if (buffer)
        kiln_lower_bind_result(
            l, op, 0, descriptor(l, mlirValueGetType(mlirOperationGetResult(op, 0)), buffer->sums[0], flip_of(buffer)));
    return KILN_OK;
}

kiln_status_t kiln_lower_memdesc_reshape(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *buffer = kiln_lower_operand(l, op, 0);
    if (!buffer)
        return KILN_OK;
    if (buffer->count > 1)
        return kiln_op_unsupported(op, "a reshaped part of a buffer");
    kiln_lower_bind_result(l, op, 0,
                           descriptor(l, mlirValueGetType(mlirOperationGetResult(op, 0)), buffer->sums[0], NO_FLIP));
    return KILN_OK;
}

// Where a part's first element is, in bytes from the start of its buffer, and the last such place that it can be.
static kiln_status_t start_of_part(kiln_lowering_t *l, MlirOperation op, const kiln_tile_t *buffer, kiln_sum_t *out,
                                   uint64_t *out_last)
{
    kiln_sum_t flip = flip_of(buffer);
    kiln_padding_t padding = kiln_layout_padding(kiln_memdesc_encoding(buffer->type));
    unsigned bytes = kiln_llvm_bits(stored_type(l, kiln_lower_element_type(l, kiln_memdesc_element(buffer->type)))) / 8;
    uint64_t first = (uint64_t)flip.imm, last = first;
    if (flip.uniform) {
        kiln_layout_t lds;
        if (padding.count)
            return kiln_op_unsupported(op, "a view of a padded part that only the program knows");
        KILN_TRY(buffer_layout(l, buffer->type, &lds));
        last = corner_bits(&lds, buffer->type);
        LLVMValueRef offset = LLVMBuildXor(l->builder, flip.uniform, kiln_emit_i32(l, flip.imm), "");
        *out = (kiln_sum_t){NULL, LLVMBuildMul(l->builder, offset, kiln_emit_i32(l, bytes), ""), 0};
    } else {
        last = first + kiln_padding_shift(&padding, first);
        *out = (kiln_sum_t){NULL, NULL, (int64_t)(last * bytes)};
    }
    *out_last = last * bytes;
    return KILN_OK;
}

// The same bytes seen as other elements. What they are is no claim of ours; that they are inside is.
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
    if (!kiln_memdesc_bytes(buffer->type, &from) || !kiln_memdesc_bytes(type, &to) || last + to > from)
        return kiln_op_unsupported(op, "a view of more bytes than the buffer has");
    kiln_lower_bind_result(l, op, 0, descriptor(l, type, kiln_sum_add(l, buffer->sums[0], start, 32), NO_FLIP));
    return KILN_OK;
}

// "kiln.rounds" is how often waves meet that may be some barriers apart; the program's own barriers stand once.
kiln_status_t kiln_lower_barrier(kiln_lowering_t *l, MlirOperation op)
{
    kiln_op_t kind = kiln_op_kind(op);
    int rounds = (int)kiln_ir_int_attr(op, "kiln.rounds", 1), skew = l->skew;
    int64_t spaces = kind == KILN_OP_TTG_BARRIER         ? kiln_ir_int_attr(op, "addrSpace", 31)
                     : kind == KILN_OP_TTG_LOCAL_BARRIER ? 1
                                                         : 31;
    if (spaces & ~INT64_C(1)) { // global memory too: what this workgroup wrote is seen by all of it
        unsigned scope = LLVMGetSyncScopeID(l->context, "workgroup", 9);

        kiln_emit_no_sinking(l);
        LLVMBuildFenceSyncScope(l->builder, LLVMAtomicOrderingRelease, scope, "");
        kiln_emit_release_wait(l, KILN_WAIT_MEMORY);
        for (int i = 0; i < rounds; i++)
            kiln_emit_wave_barrier(l);
        LLVMBuildFenceSyncScope(l->builder, LLVMAtomicOrderingAcquire, scope, "");
        return KILN_OK;
    }
    l->skew = rounds - 1;
    kiln_emit_barrier(l);
    l->skew = skew;
    return KILN_OK;
}
