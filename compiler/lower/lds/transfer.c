// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores of tiles in LDS.
//
// The offset of an element follows from layouts: the composition of the tile's layout with the
// inverse of the buffer's (kiln_layout_to_lds) is again a linear map over F2, whose lane part is
// computed once and whose register parts mostly become the instruction's immediate offset.
//
// Note that the map is linear under XOR, so a register's part may be added instead only if it
// shares no bit with the lane's part; kiln_emit_layout_sums ensures this.
#include "layout/rearrange.h"
#include "lds.h"
#include "lower/emit.h"
#include "lower/tile.h"

#include <string.h>

#include "analysis/plan/allocation.h"
#include "layout/padding.h"

enum { WIDEST_PAIRED = 8 }; // bytes of each half of a ds_write2

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

LLVMValueRef kiln_lds_pad(kiln_lowering_t *l, LLVMBuilderRef builder, const kiln_padding_t *padding,
                          LLVMValueRef offset, unsigned bytes)
{
    LLVMValueRef padded = offset;
    for (int i = 0; offset && i < padding->count; i++) {
        int interval = __builtin_ctz((unsigned)padding->intervals[i] * bytes),
            pad = __builtin_ctz((unsigned)padding->pads[i] * bytes); // both are powers of two
        LLVMValueRef gaps = LLVMBuildLShr(builder, offset, kiln_emit_i32(l, interval), "");
        padded = LLVMBuildAdd(builder, padded,
                              LLVMBuildShl(builder, gaps, kiln_emit_i32(l, pad), ""), "");
    }
    return padded;
}

// The parts of a sum have no bits in common, so each may be padded by itself. Registers share their
// variable parts.
static void pad_sums(kiln_lowering_t *l, LLVMBuilderRef builder, const kiln_padding_t *padding,
                     lds_walk_t *walk)
{
    if (!padding->count)
        return;
    kiln_sum_t *plain = KILN_LOWER_ARRAY(l, kiln_sum_t, walk->count);
    memcpy(plain, walk->sums, walk->count * sizeof *plain);
    for (uint32_t r = 0; r < walk->count; r++) {
        kiln_sum_t *sum = &walk->sums[r];
        uint32_t duplicate = 0;
        while (plain[duplicate].lane != plain[r].lane ||
               plain[duplicate].uniform != plain[r].uniform)
            duplicate++;
        sum->lane = duplicate < r ? walk->sums[duplicate].lane
                                  : kiln_lds_pad(l, builder, padding, sum->lane, walk->bytes);
        sum->uniform = duplicate < r ? walk->sums[duplicate].uniform
                                     : kiln_lds_pad(l, builder, padding, sum->uniform, walk->bytes);
        sum->imm +=
            (int64_t)(kiln_padding_shift(padding, (uint64_t)sum->imm / walk->bytes) * walk->bytes);
    }
}

// After XOR with a run-time value, an offset has no constant part.
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

// A register's window: no lane or wave changes it.
static uint32_t *find_windows(kiln_lowering_t *l, const kiln_lds_transfer_t *transfer,
                              uint32_t count)
{
    if (!transfer->window)
        return NULL;
    uint32_t shift = (uint32_t)__builtin_ctz(transfer->window),
             *windows = KILN_LOWER_ARRAY(l, uint32_t, count);
    for (uint32_t r = 0; r < count; r++)
        windows[r] = kiln_layout_apply(transfer->map, r, 0, 0) >> shift;
    return windows;
}

static lds_walk_t begin_walk(kiln_lowering_t *l, const kiln_lds_transfer_t *transfer)
{
    const kiln_layout_t *map = transfer->map;
    kiln_layout_t window = *map;
    lds_walk_t walk = {.count = kiln_layout_registers(map),
                       .bytes = kiln_llvm_bits(transfer->element) / 8};
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
    // The flip acts like one more register bit that is always set.
    if (transfer->flip)
        window.basis[KILN_REGISTER][window.bits[KILN_REGISTER]++] = transfer->flip;
    kiln_sum_t *sums = KILN_LOWER_ARRAY(l, kiln_sum_t, kiln_layout_registers(&window));
    kiln_emit_layout_sums(l, &window, walk.bytes, sums);
    walk.sums = transfer->flip ? sums + walk.count : sums;
    if (transfer->flip_value)
        flip_sums(l, transfer->flip_value, &walk);
    pad_sums(l, transfer->flip_value ? l->builder : l->positions, &transfer->padding, &walk);
    for (uint32_t r = 0; r < walk.count; r++)
        walk.sums[r].imm += transfer->base.imm;
    walk.type = walk.access.vector > 1
                    ? LLVMVectorType(transfer->element, (unsigned)walk.access.vector)
                    : transfer->element;
    return walk;
}

// The pointer for the access that starts at register `reg`. Accesses with equal variable parts
// share one GEP.
static LLVMValueRef walk_pointer(kiln_lowering_t *l, const kiln_lds_transfer_t *transfer,
                                 lds_walk_t *walk, uint32_t reg)
{
    kiln_sum_t sum = walk->sums[reg], base = transfer->base;
    if (!walk->last_pointer || walk->last_lane != sum.lane || walk->last_uniform != sum.uniform) {
        kiln_sum_t variable = {kiln_emit_add(l, sum.lane, base.lane),
                               kiln_emit_add(l, sum.uniform, base.uniform), 0};
        walk->last_pointer = kiln_lds_pointer(l, variable);
        walk->last_lane = sum.lane;
        walk->last_uniform = sum.uniform;
    }
    LLVMValueRef imm = kiln_emit_i32(l, sum.imm);
    return sum.imm ? LLVMBuildGEP2(l->builder, l->i8, walk->last_pointer, &imm, 1, "")
                   : walk->last_pointer;
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

static void store_vector(kiln_lowering_t *l, const kiln_lds_transfer_t *transfer, lds_walk_t *walk,
                         uint32_t reg, LLVMValueRef *values)
{
    LLVMValueRef parts[16];
    for (int i = 0; i < walk->access.vector; i++)
        parts[i] = values[vector_register(&walk->access, reg, (uint32_t)i)];
    LLVMValueRef data =
        kiln_emit_vector(l, transfer->element, parts, (uint32_t)walk->access.vector);
    LLVMValueRef pointer = walk_pointer(l, transfer, walk, reg);
    LLVMSetAlignment(LLVMBuildStore(l->builder, data, pointer),
                     (unsigned)walk->access.vector * walk->bytes);
}

// Two stores at a constant distance become one ds_write2, but LLVM joins them only if no store to
// an address of another form is between them. So each store is followed by its partner.
void kiln_lds_store(kiln_lowering_t *l, const kiln_lds_transfer_t *transfer, LLVMValueRef *values)
{
    lds_walk_t walk = transfer->walk ? *transfer->walk : begin_walk(l, transfer);
    LLVMBasicBlockRef after = begin_predicate(l, transfer->predicate);
    bool *is_stored = KILN_LOWER_ARRAY(l, bool, walk.count);
    for (uint32_t r = 0; r < walk.count; r++)
        is_stored[r] = (r & (walk.in_vector | walk.copies)) || !takes_part(transfer, &walk, r);
    for (uint32_t r = 0; r < walk.count; r++) {
        if (is_stored[r])
            continue;
        store_vector(l, transfer, &walk, r, values);
        uint32_t partner = r + 1;
        while (partner < walk.count &&
               (is_stored[partner] || walk.sums[partner].lane != walk.sums[r].lane ||
                walk.sums[partner].uniform != walk.sums[r].uniform))
            partner++;
        if (partner < walk.count && (unsigned)walk.access.vector * walk.bytes <= WIDEST_PAIRED) {
            store_vector(l, transfer, &walk, partner, values);
            is_stored[partner] = true;
        }
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
            values[reg] = load ? kiln_emit_extract(l, load, (uint32_t)i)
                               : values[kiln_layout_canonical_register(transfer->map, reg)];
        }
    }
}

// Warps that hold copies of others need not write: NULL, or an i1 that is the same in a wave.
LLVMValueRef kiln_lds_writer(kiln_lowering_t *l, const kiln_layout_t *layout)
{
    uint32_t copies = l->wave ? kiln_layout_free_bits(layout, KILN_WARP) : 0;
    if (!copies)
        return NULL;
    return LLVMBuildICmp(l->builder, LLVMIntEQ,
                         LLVMBuildAnd(l->builder, l->wave, kiln_emit_i32(l, copies), ""),
                         kiln_emit_i32(l, 0), "");
}
