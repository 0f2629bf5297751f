// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides whether a sum of 8, 16 or 32 bits may be extended part by part. In general it may not,
// since the addition may wrap. But lanes, waves and constants mostly count the elements of one
// block, and the number of the block is multiplied by the block's size:
//
//     program · 1024   +   (wave · 256 + lane · 4)   +   imm            where the terms after the product are below 1024
//
// Such a sum never carries into the product, so the sign extensions of its parts add up to its own.
// Then registers, which differ in imm alone, share one extension.
//
// Note that only one term may have an unknown size, even if several are multiples of a large power
// of two, because their sum wraps. Wrapping depends on the type: each value's bounds are those of
// its own width.
#include "base/string.h"
#include "emit.h"
#include "tile.h"

enum { NO_REST = 64 };

typedef struct range {
    uint64_t
        max;   // the sum of the terms whose size is known, none of them negative, is at most this
    int zeros; // low bits that are zero in the rest; NO_REST: there is none
} range_t;

static const range_t UNKNOWN = {0, 0};

static bool is_bounded(range_t range)
{
    return range.zeros == NO_REST;
}

// The range of a value of `bits` bits, at most 32, that is at most `max`; unknown if it may have
// wrapped.
static range_t bounded(uint64_t max, unsigned bits)
{
    return max < UINT64_C(1) << bits ? (range_t){max, NO_REST} : UNKNOWN;
}

static range_t add_ranges(range_t a, range_t b, unsigned bits)
{
    if (a.max + b.max >= UINT64_C(1) << bits)
        return UNKNOWN;
    return (range_t){a.max + b.max, a.zeros < b.zeros ? a.zeros : b.zeros};
}

static range_t scale_range(range_t range, uint64_t factor, unsigned bits)
{
    const uint64_t end = UINT64_C(1) << bits;
    if (factor >= end || range.max * factor >= end)
        return UNKNOWN;
    if (!factor || is_bounded(range))
        return bounded(range.max * factor, bits);
    const int zeros = range.zeros + __builtin_ctzll(factor), max = (int)bits - 1;
    return (range_t){range.max * factor, zeros < max ? zeros : max};
}

static range_t find_range(kiln_lowering_t *l, LLVMValueRef value, int depth);

static range_t range_of_call(kiln_lowering_t *l, LLVMValueRef call, unsigned bits, int depth)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    size_t length = 0;
    const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
    if (kiln_string_starts_with(name, "llvm.amdgcn.workitem.id"))
        return bounded(1023, bits);
    if (kiln_string_starts_with(name, "llvm.amdgcn.readfirstlane"))
        return find_range(l, LLVMGetOperand(call, 0), depth);
    return UNKNOWN;
}

static range_t find_range(kiln_lowering_t *l, LLVMValueRef value, int depth)
{
    enum { DEEPEST = 12 };
    int64_t constant;
    const unsigned bits = LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind
                              ? LLVMGetIntTypeWidth(LLVMTypeOf(value))
                              : 64;
    if (bits > 32)
        return UNKNOWN;
    const uint64_t all = (UINT64_C(1) << bits) - 1;
    if (kiln_llvm_const_int(value, &constant))
        return bounded((uint64_t)constant & all, bits);
    if (!LLVMIsAInstruction(value) || depth == DEEPEST)
        return UNKNOWN;
    int zeros = (int)(intptr_t)kiln_lower_map_get(l->multiples, value);
    if (zeros)
        return (range_t){0, zeros < (int)bits ? zeros : (int)bits - 1};
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    if (opcode == LLVMCall)
        return range_of_call(l, value, bits, depth + 1);
    if (opcode == LLVMZExt) {
        LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(value, 0));
        return LLVMGetTypeKind(from) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(from) < bits
                   ? bounded((UINT64_C(1) << LLVMGetIntTypeWidth(from)) - 1, bits)
                   : UNKNOWN;
    }
    if (!LLVMIsABinaryOperator(value))
        return UNKNOWN;
    range_t a = find_range(l, LLVMGetOperand(value, 0), depth + 1),
            b = find_range(l, LLVMGetOperand(value, 1), depth + 1);
    bool by_constant = kiln_llvm_const_int(LLVMGetOperand(value, 1), &constant);
    switch (opcode) {
    case LLVMAdd:
        return add_ranges(a, b, bits);
    case LLVMMul:
        return by_constant && constant > 0 ? scale_range(a, (uint64_t)constant, bits) : UNKNOWN;
    case LLVMShl:
        return by_constant && constant >= 0 && constant < (int)bits
                   ? scale_range(a, UINT64_C(1) << constant, bits)
                   : UNKNOWN;
    case LLVMLShr:
        return by_constant && constant >= 0 && constant < (int)bits
                   ? bounded((is_bounded(a) ? a.max : all) >> constant, bits)
                   : UNKNOWN;
    case LLVMAnd:
        if (is_bounded(a) || is_bounded(b))
            return bounded(!is_bounded(b) || (is_bounded(a) && a.max < b.max) ? a.max : b.max,
                           bits);
        return UNKNOWN;
    case LLVMOr: // at most the sum
    case LLVMXor:
        return is_bounded(a) && is_bounded(b) ? add_ranges(a, b, bits) : UNKNOWN;
    default:
        return UNKNOWN;
    }
}

bool kiln_sum_extends_by_parts(kiln_lowering_t *l, LLVMValueRef lane, LLVMValueRef uniform,
                               int64_t min_imm, int64_t max_imm)
{
    if (!lane && !uniform)
        return false; // a constant is extended as it is
    const unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(lane ? lane : uniform));
    if (bits > 32)
        return false;
    range_t a = lane ? find_range(l, lane, 0) : bounded(0, bits),
            b = uniform ? find_range(l, uniform, 0) : bounded(0, bits);
    if ((!is_bounded(a) && !is_bounded(b)) || min_imm < 0)
        return false;
    range_t sum = add_ranges(a, b, bits);
    int zeros = sum.zeros >= (int)bits ? (int)bits - 1 : sum.zeros;
    return sum.max + (uint64_t)max_imm < UINT64_C(1) << zeros;
}
