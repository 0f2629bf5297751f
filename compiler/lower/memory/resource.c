// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffer resources: base, length and format of memory in four scalar registers, with a 32-bit
// offset for each lane.
//
// Two kinds of pointers use them. Pointers based on an argument with tt.pointer_range = 32 always
// do: any offset is below 2^31. Other masked accesses do if the parts of their addresses that
// differ between lanes are provably small, such as the columns of a row: the resource then begins
// at the uniform part,
//
//     base + uniform  →  resource          lane + imm  →  offset, or 2^31 if the mask is false
//
// Note that the hardware compares the lane's offset with the length before it adds the scalar
// offset, so the sum must not move a masked lane back into the buffer.
#include "lower/emit.h"
#include "memory.h"

enum { RESOURCE_WORD3 = 7 << 12 | 4 << 15 }; // raw 32-bit data, as in Triton and LLVM's tests

// A resource's length, and the offset of a lane that is masked off. Neither wraps if a scalar
// offset is added (less than KILN_RANGE_SLACK if the base was lowered).
static const int64_t records_at_base = INT64_C(0x80000000),
                     records_below = INT64_C(0x100000000) - KILN_RANGE_SLACK;

// The offsets at which an access ends before 2^31, where lanes that are masked off begin.
static uint64_t offsets_within(const kiln_access_t *access)
{
    return (uint64_t)records_at_base - (access->vector * access->bytes - access->alignment);
}

static bool is_small(uint64_t max, int64_t imm, uint64_t limit)
{
    return imm >= 0 && max < limit && (uint64_t)imm < limit - max;
}

// Each distinct uniform part needs its own resource, which pays off only for few of them.
static bool has_many_uniforms(const kiln_access_t *access)
{
    const kiln_tile_t *pointers = access->pointers;
    LLVMValueRef distinct[2];
    unsigned count = 0;
    for (uint32_t r = 0; r < pointers->count; r += access->span) {
        unsigned i = 0;
        while (i < count && distinct[i] != pointers->sums[r].uniform)
            i++;
        if (i < count)
            continue;
        if (count == 2)
            return true;
        distinct[count++] = pointers->sums[r].uniform;
    }
    return false;
}

static bool all_are_small(const kiln_access_t *access)
{
    const kiln_sum_t *sums = access->pointers->sums;
    uint64_t max = 0;
    for (uint32_t r = 0; r < access->pointers->count; r += access->span) {
        if (!r || sums[r].lane != sums[r - access->span].lane)
            max = kiln_known_maximum(sums[r].lane);
        if (!is_small(max, sums[r].imm, offsets_within(access)))
            return false;
    }
    return true;
}

void kiln_access_choose_resource(kiln_access_t *access)
{
    const kiln_tile_t *pointers = access->pointers;
    if (!pointers->base || !pointers->layout)
        return;
    access->many_uniforms = has_many_uniforms(access);
    if (pointers->range32)
        access->resource = KILN_RESOURCE_ALWAYS;
    else if (pointers->sum_bits == 64 && !access->many_uniforms && all_are_small(access))
        access->resource = KILN_RESOURCE_MASKED;
}

static LLVMValueRef make_resource(kiln_lowering_t *l, LLVMBuilderRef builder, LLVMValueRef base,
                                  int64_t records)
{
    LLVMTypeRef types[2] = {l->resource_ptr, l->global_ptr};
    LLVMValueRef args[4] = {base, LLVMConstInt(l->i16, 0, 0), kiln_emit_i64(l, records),
                            kiln_emit_i32(l, RESOURCE_WORD3)};
    LLVMBuilderRef current = l->builder;
    l->builder = builder;
    LLVMValueRef resource =
        kiln_emit_intrinsic(l, "llvm.amdgcn.make.buffer.rsrc", types, 2, args, 4);
    l->builder = current;
    return resource;
}

// The resource of an argument, shared by the whole function.
static LLVMValueRef resource_of_argument(kiln_lowering_t *l, LLVMValueRef base)
{
    kiln_base_t *known = kiln_lower_base(l, base);
    if (!known->resource)
        known->resource = make_resource(l, l->entry, base, records_at_base);
    return known->resource;
}

// The same for offsets that may be negative.
static LLVMValueRef resource_below(kiln_lowering_t *l, LLVMValueRef base)
{
    LLVMValueRef lowered = kiln_lowered_base(l, base);
    kiln_base_t *known = kiln_lower_base(l, base);
    if (!known->resource_below)
        known->resource_below = make_resource(l, l->entry, lowered, records_below);
    return known->resource_below;
}

// A resource at base + `by`, a uniform offset; NULL: none.
static LLVMValueRef resource_at(kiln_lowering_t *l, kiln_access_t *access, LLVMValueRef by)
{
    LLVMValueRef base = access->pointers->base;
    if (!by && LLVMIsAArgument(base))
        return resource_of_argument(l, base);
    int i = access->moved[0].resource && access->moved[0].by != by;
    if (!access->moved[i].resource || access->moved[i].by != by) {
        LLVMValueRef wide = by ? LLVMBuildSExt(l->builder, by, l->i64, "") : NULL;
        access->moved[i].resource = make_resource(
            l, l->builder, wide ? LLVMBuildGEP2(l->builder, l->i8, base, &wide, 1, "") : base,
            records_at_base);
        access->moved[i].by = by;
    }
    return access->moved[i].resource;
}

// lane + by, added once for all groups that share both.
static LLVMValueRef add_to_lane(kiln_lowering_t *l, kiln_access_t *access, LLVMValueRef lane,
                                LLVMValueRef uniform, bool below)
{
    if (access->last_sum && access->last_lane == lane && access->last_uniform == uniform &&
        access->last_below == below)
        return access->last_sum;
    LLVMValueRef up = below ? kiln_emit_i32(l, KILN_RANGE_SHIFT) : NULL;
    access->last_lane = lane;
    access->last_uniform = uniform;
    access->last_below = below;
    access->last_sum = kiln_emit_add(l, lane, kiln_emit_add(l, uniform, up));
    return access->last_sum;
}

void kiln_access_resource_address(kiln_lowering_t *l, kiln_access_t *access, uint32_t reg,
                                  LLVMValueRef predicate, LLVMValueRef *args)
{
    const bool range32 = access->pointers->range32;
    kiln_sum_t sum = access->pointers->sums[reg];
    LLVMValueRef uniform = sum.uniform;
    if (!access->narrow_lane || access->wide_lane != sum.lane) {
        access->wide_lane = sum.lane;
        access->narrow_lane =
            sum.lane ? LLVMBuildTrunc(l->builder, sum.lane, l->i32, "") : kiln_emit_i32(l, 0);
        access->lane_maximum = kiln_known_maximum(sum.lane);
    }
    // A small part for each lane can count from a moved base, which is scalar arithmetic.
    const uint64_t limit = range32 && !access->is_after ? KILN_RANGE_SLACK : offsets_within(access);
    const bool shifted = access->pointers->shifted;
    const bool moves = uniform && !shifted && !access->many_uniforms &&
                       is_small(access->lane_maximum, sum.imm, limit);
    const bool below = range32 && !moves &&
                       (shifted || !(access->is_after || kiln_sum_is_non_negative_offset(sum))),
               small = !below && (!uniform || moves) &&
                       is_small(access->lane_maximum, sum.imm, offsets_within(access));
    args[0] = below ? resource_below(l, access->pointers->base)
                    : resource_at(l, access, moves ? uniform : NULL);
    args[2] = kiln_emit_i32(l, 0);
    sum.lane = access->narrow_lane;
    if (below || (uniform && !moves))
        sum.lane = add_to_lane(l, access, sum.lane, uniform, below && !shifted);
    // The constant is free if it is added last, in the instruction's immediate, or, since the
    // selection below would hide it there, in the scalar offset. It must not move a masked lane's
    // offset back into the buffer.
    const bool in_range =
        sum.imm > 0 && sum.imm < (below ? KILN_RANGE_SLACK - KILN_WIDEST_ACCESS : 1 << 30);
    if (predicate && in_range && (small || below)) {
        args[2] = kiln_emit_i32(l, sum.imm);
        sum.imm = 0;
    } else if (sum.imm && (predicate || !in_range)) {
        sum.lane = LLVMBuildAdd(l->builder, sum.lane, kiln_emit_i32(l, sum.imm), "");
        sum.imm = 0;
    }
    if (predicate) {
        if (access->last_predicate != predicate || access->last_unmasked != sum.lane) {
            const int64_t beyond = below ? records_below : records_at_base;
            access->last_predicate = predicate;
            access->last_unmasked = sum.lane;
            access->last_masked = LLVMBuildSelect(l->builder, predicate, sum.lane,
                                                  kiln_emit_i32(l, (int32_t)(uint32_t)beyond), "");
        }
        sum.lane = access->last_masked;
    }
    args[1] =
        sum.imm ? LLVMBuildAdd(l->builder, sum.lane, kiln_emit_i32(l, sum.imm), "") : sum.lane;
}
