// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses that count in 32 bits from an argument with tt.pointer_range = 32.
//
// Triton makes that promise if the storage that the pointer points into is smaller than 2 GiB, and
// the pointer may lie anywhere in it. So an offset is a signed number of 32 bits, exact modulo 2^32
// whatever the intermediate values were. The machine's 32-bit offsets are unsigned. If an offset is
// known to be non-negative, both are the same; otherwise offsets count from a lower base:
//
//     base + sext(offset)      =      (base - SHIFT) + zext(offset + SHIFT)
//
// An accessed range begins at most 2^31 - 2 SLACK bytes before the pointer and ends at most 2^31 -
// 1 bytes after it (KILN_POINTER_RANGE_LIMIT, the largest storage). Then offset + SHIFT lies in
// [SLACK, 2^32 - SLACK), and
//   - offsets of 2^32 - SLACK and more are left for lanes that are masked off;
//   - a part of an offset that is known to lie in [0, SLACK) can be taken off without a wrap of the rest.
//
// Note that only the sum of all parts of an offset lies in the range; a single part may not.
#include "lower/emit.h"
#include "lower/tile.h"

_Static_assert(KILN_POINTER_RANGE_LIMIT == INT64_C(0x80000000) - 2 * (int64_t)KILN_RANGE_SLACK,
               "what may lie before a pointer");
_Static_assert(KILN_RANGE_SHIFT == INT64_C(0x80000000) - (int64_t)KILN_RANGE_SLACK,
               "offsets end where slack begins");

enum { SEARCH_DEPTH = 10 };

// An upper bound of an i32 or i64 taken as unsigned, from how it was computed; the type's largest
// where nothing is known.
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
        return LLVMGetIntrinsicID(LLVMGetCalledValue(value)) ==
                       LLVMLookupIntrinsicID(thread, sizeof thread - 1)
                   ? 1023
                   : unknown;
    }
    if (opcode == LLVMZExt || opcode == LLVMSExt) {
        LLVMValueRef from = LLVMGetOperand(value, 0);
        uint64_t a = known_maximum(from, depth - 1);
        bool positive = a < UINT64_C(1) << (LLVMGetIntTypeWidth(LLVMTypeOf(from)) - 1);
        return opcode == LLVMZExt || positive ? a : unknown;
    }
    if (LLVMGetNumOperands(value) != 2 ||
        LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(value, 0))) != LLVMIntegerTypeKind)
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
        return LLVMIsAConstantInt(right) && constant < bits && a <= unknown >> constant
                   ? a << constant
                   : unknown;
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

uint64_t kiln_known_maximum(LLVMValueRef value)
{
    return value ? known_maximum(value, SEARCH_DEPTH) : 0;
}

bool kiln_sum_is_small(kiln_sum_t sum, uint64_t limit)
{
    return sum.imm >= 0 && (uint64_t)sum.imm < limit &&
           kiln_known_maximum(sum.lane) < limit - (uint64_t)sum.imm;
}

bool kiln_sum_is_non_negative_offset(kiln_sum_t sum)
{
    const uint64_t limit = UINT64_C(0x80000000);
    return kiln_sum_is_small(sum, limit) &&
           kiln_known_maximum(sum.uniform) <
               limit - (uint64_t)sum.imm - kiln_known_maximum(sum.lane);
}

kiln_base_t *kiln_lower_base(kiln_lowering_t *l, LLVMValueRef base)
{
    kiln_base_t *known = kiln_lower_map_get(l->bases, base);
    if (!known) {
        known = kiln_lower_arena_alloc(l->arena, sizeof *known);
        if (!kiln_lower_map_set(l->bases, base, known))
            kiln_lower_fail(l, kiln_status_out_of_memory());
    }
    return known;
}

LLVMValueRef kiln_lowered_base(kiln_lowering_t *l, LLVMValueRef base)
{
    kiln_base_t *known = kiln_lower_base(l, base);
    LLVMValueRef down = kiln_emit_i64(l, -(int64_t)KILN_RANGE_SHIFT);
    if (!known->lowered)
        known->lowered = LLVMBuildGEP2(l->entry, l->i8, base, &down, 1, "");
    return known->lowered;
}

kiln_sum_t kiln_shifted_sum(const kiln_tile_t *tile, uint32_t reg)
{
    kiln_sum_t sum = tile->sums[reg];
    if (!tile->shifted)
        sum.imm = (int32_t)(uint32_t)((uint64_t)sum.imm + KILN_RANGE_SHIFT);
    return sum;
}

static LLVMValueRef move(kiln_lowering_t *l, LLVMValueRef pointer, LLVMValueRef bytes)
{
    return LLVMBuildGEP2(l->builder, l->i8, pointer, &bytes, 1, "");
}

LLVMValueRef kiln_range32_pointer(kiln_lowering_t *l, const kiln_tile_t *tile, uint32_t reg,
                                  bool is_after)
{
    kiln_sum_t sum = tile->sums[reg];
    LLVMValueRef base = tile->base;
    if (!tile->shifted && (is_after || kiln_sum_is_non_negative_offset(sum))) {
        LLVMValueRef offset = kiln_sum_value(l, sum, l->i32);
        if (LLVMIsAConstantInt(offset) && LLVMConstIntGetZExtValue(offset) == 0)
            return base;
        return move(l, base, LLVMBuildZExt(l->builder, offset, l->i64, ""));
    }
    if (!tile->shifted && !sum.lane) // a scalar is extended at no cost
        return move(l, base, LLVMBuildSExt(l->builder, kiln_sum_value(l, sum, l->i32), l->i64, ""));
    if (!tile->shifted && kiln_sum_is_small(sum, KILN_RANGE_SLACK)) {
        if (sum.uniform)
            base = move(l, base, LLVMBuildSExt(l->builder, sum.uniform, l->i64, ""));
        base = move(l, base, LLVMBuildZExt(l->builder, sum.lane, l->i64, ""));
        return sum.imm ? move(l, base, kiln_emit_i64(l, sum.imm)) : base;
    }
    LLVMValueRef offset = kiln_sum_value(l, kiln_shifted_sum(tile, reg), l->i32);
    return move(l, kiln_lowered_base(l, base), LLVMBuildZExt(l->builder, offset, l->i64, ""));
}
