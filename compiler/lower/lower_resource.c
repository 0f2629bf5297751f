// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffer resources: base, length and format of memory in four scalar registers, with a 32-bit offset for each lane.
//
// Two kinds of pointers are accessed so. Those that count from an argument with tt.pointer_range = 32, always: any
// offset is below 2^31. And of all others those whose parts that differ between lanes are small by how they are computed,
// as the columns of a row are, where there is a mask: the resource begins where the uniform part leads,
//
//     base + uniform  →  resource          lane + imm  →  offset, or 2^31 where the mask is false
//
// The thing one gets wrong: what the scalar offset adds, the hardware adds after the lane's offset was compared with the
// length, so it must not lead a masked lane back into the buffer.
#include "emit.h"
#include "lower_memory.h"

enum {
    RESOURCE_WORD3 = 7 << 12 | 4 << 15, // what Triton and LLVM's tests use for raw 32-bit data
    SEARCH_DEPTH = 10,
};
static const int64_t masked_offset = INT64_C(-0x80000000), resource_records = INT64_C(0x80000000); // bytes

// An upper bound of an i32 or i64 taken as unsigned, from how it was computed; the type's largest where nothing is known.
static uint64_t known_maximum(LLVMValueRef value, int depth)
{
    const unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(value));
    const uint64_t unknown = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    if (bits > 64)
        return UINT64_MAX;
    if (LLVMIsAConstantInt(value))
        return LLVMConstIntGetZExtValue(value);
    if (!LLVMIsAInstruction(value) || depth == 0)
        return unknown;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    if (opcode == LLVMCall) {
        static const char thread[] = "llvm.amdgcn.workitem.id.x";
        return LLVMGetIntrinsicID(LLVMGetCalledValue(value)) == LLVMLookupIntrinsicID(thread, sizeof thread - 1)
                   ? 1023
                   : unknown;
    }
    if (opcode == LLVMZExt || opcode == LLVMSExt) {
        LLVMValueRef from = LLVMGetOperand(value, 0);
        uint64_t a = known_maximum(from, depth - 1);
        bool positive = a < UINT64_C(1) << (LLVMGetIntTypeWidth(LLVMTypeOf(from)) - 1);
        return opcode == LLVMZExt || positive ? a : unknown;
    }
    if (LLVMGetNumOperands(value) != 2 || LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(value, 0))) != LLVMIntegerTypeKind)
        return unknown;
    LLVMValueRef right = LLVMGetOperand(value, 1);
    const uint64_t constant = LLVMIsAConstantInt(right) ? LLVMConstIntGetZExtValue(right) : 0;
    const uint64_t a = known_maximum(LLVMGetOperand(value, 0), depth - 1),
                   b = LLVMIsAConstantInt(right) ? constant : known_maximum(right, depth - 1);
    switch (opcode) {
    case LLVMAnd:
        return a < b ? a : b;
    case LLVMLShr:
        return constant < bits ? a >> constant : unknown;
    case LLVMURem:
        return constant && constant - 1 < a ? constant - 1 : a;
    case LLVMShl:
        return LLVMIsAConstantInt(right) && constant < bits && a <= unknown >> constant ? a << constant : unknown;
    case LLVMMul:
        return !b || a <= unknown / b ? a * b : unknown;
    case LLVMAdd:
        return a <= unknown - b ? a + b : unknown;
    case LLVMOr:
    case LLVMXor:
        return a | b ? UINT64_MAX >> __builtin_clzll(a | b) : 0;
    default:
        return unknown;
    }
}

static bool is_small(uint64_t most, int64_t imm)
{
    const uint64_t limit = UINT64_C(0x80000000);
    return imm >= 0 && most < limit && (uint64_t)imm < limit - most;
}

static uint64_t lane_maximum(LLVMValueRef lane)
{
    return lane ? known_maximum(lane, SEARCH_DEPTH) : 0;
}

// Each distinct uniform part needs a resource of its own, so that is worth it for few of them only.
static bool has_many_uniforms(const kiln_access_t *access)
{
    const kiln_tile_t *pointers = access->pointers;
    LLVMValueRef distinct[2];
    unsigned count = 0;
    for (uint32_t r = 0; r < pointers->count; r += access->vector) {
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
    uint64_t most = 0;
    for (uint32_t r = 0; r < access->pointers->count; r += access->vector) {
        if (!r || sums[r].lane != sums[r - access->vector].lane)
            most = lane_maximum(sums[r].lane);
        if (!is_small(most, sums[r].imm))
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

static LLVMValueRef make_resource(kiln_lowering_t *l, LLVMBuilderRef builder, LLVMValueRef base)
{
    LLVMTypeRef types[2] = {l->resource_ptr, l->global_ptr};
    LLVMValueRef args[4] = {base, LLVMConstInt(l->i16, 0, 0), kiln_emit_i64(l, resource_records),
                            kiln_emit_i32(l, RESOURCE_WORD3)};
    LLVMBuilderRef current = l->builder;
    l->builder = builder;
    LLVMValueRef resource = kiln_emit_intrinsic(l, "llvm.amdgcn.make.buffer.rsrc", types, 2, args, 4);
    l->builder = current;
    return resource;
}

// Of an argument: one for the whole function.
static LLVMValueRef resource_of_argument(kiln_lowering_t *l, LLVMValueRef base)
{
    LLVMValueRef resource = kiln_lower_map_get(l->resources, base);
    if (!resource) {
        resource = make_resource(l, l->entry, base);
        if (!kiln_lower_map_set(l->resources, base, resource))
            kiln_lower_fail(l, kiln_status_out_of_memory());
    }
    return resource;
}

// From the base moved by a uniform offset, or by none: NULL.
static LLVMValueRef resource_at(kiln_lowering_t *l, kiln_access_t *access, LLVMValueRef by)
{
    LLVMValueRef base = access->pointers->base;
    if (!by && LLVMIsAArgument(base))
        return resource_of_argument(l, base);
    int i = access->moved[0].resource && access->moved[0].by != by;
    if (!access->moved[i].resource || access->moved[i].by != by) {
        LLVMValueRef wide = by ? LLVMBuildSExt(l->builder, by, l->i64, "") : NULL;
        access->moved[i].resource =
            make_resource(l, l->builder, wide ? LLVMBuildGEP2(l->builder, l->i8, base, &wide, 1, "") : base);
        access->moved[i].by = by;
    }
    return access->moved[i].resource;
}

void kiln_access_resource_address(kiln_lowering_t *l, kiln_access_t *access, uint32_t reg, LLVMValueRef predicate,
                                  LLVMValueRef *args)
{
    kiln_sum_t sum = access->pointers->sums[reg];
    LLVMValueRef uniform = sum.uniform;
    if (!access->narrow_lane || access->wide_lane != sum.lane) {
        access->wide_lane = sum.lane;
        access->narrow_lane = sum.lane ? LLVMBuildTrunc(l->builder, sum.lane, l->i32, "") : kiln_emit_i32(l, 0);
        access->lane_maximum = lane_maximum(sum.lane);
    }
    sum.lane = access->narrow_lane;
    // A small part for each lane can count from a moved base, which is scalar arithmetic.
    bool small = is_small(access->lane_maximum, sum.imm), moves = uniform && !access->many_uniforms && small;
    args[0] = resource_at(l, access, moves ? uniform : NULL);
    args[2] = kiln_emit_i32(l, 0);
    if (moves)
        uniform = NULL;
    if (uniform && access->last_lane == sum.lane && access->last_uniform == uniform) {
        sum.lane = access->last_sum;
    } else if (uniform) {
        access->last_lane = sum.lane;
        access->last_uniform = uniform;
        sum.lane = access->last_sum = LLVMBuildAdd(l->builder, sum.lane, uniform, "");
    }
    // The constant goes where it costs nothing: last, into the instruction's immediate, or, since a selection below
    // would hide it there, into the scalar offset. It must not move a masked lane's offset back into the buffer.
    bool in_range = sum.imm > 0 && sum.imm < (1 << 30);
    if (predicate && in_range && small && !uniform) {
        args[2] = kiln_emit_i32(l, sum.imm);
        sum.imm = 0;
    } else if (sum.imm && (predicate || !in_range)) {
        sum.lane = LLVMBuildAdd(l->builder, sum.lane, kiln_emit_i32(l, sum.imm), "");
        sum.imm = 0;
    }
    if (predicate) {
        if (access->last_predicate != predicate || access->last_unmasked != sum.lane) {
            access->last_predicate = predicate;
            access->last_unmasked = sum.lane;
            access->last_masked = LLVMBuildSelect(l->builder, predicate, sum.lane, kiln_emit_i32(l, masked_offset), "");
        }
        sum.lane = access->last_masked;
    }
    args[1] = sum.imm ? LLVMBuildAdd(l->builder, sum.lane, kiln_emit_i32(l, sum.imm), "") : sum.lane;
}
