// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// May a 32-bit sum be extended to 64 bits part by part? In general not, since the addition may wrap. But lanes, waves
// and constants mostly count the elements of one block, and the number of the block is multiplied by the block's size:
//
//     program · 1024   +   (wave · 256 + lane · 4)   +   imm            with what follows the product below 1024
//
// Such a sum never carries into the product, so the sign extensions of its parts add up to its own. Then registers,
// which differ in imm alone, share one extension.
//
// The thing one gets wrong: only one term may have an unknown size, even if several are multiples of a large power of
// two; their sum wraps.
#include "emit.h"
#include "tile.h"

#include <string.h>

typedef struct range {
    uint64_t most; // the sum of the terms whose size is known, none of them negative, is at most this
    int zeros;     // low bits that are zero in the rest; 32: there is none
} range_t;

static const range_t UNKNOWN = {0, 0};

static bool is_bounded(range_t range)
{
    return range.zeros == 32;
}

static range_t bounded(uint64_t most)
{
    return most <= UINT32_MAX ? (range_t){most, 32} : UNKNOWN;
}

static range_t add_ranges(range_t a, range_t b)
{
    if (a.most + b.most > UINT32_MAX)
        return UNKNOWN;
    return (range_t){a.most + b.most, a.zeros < b.zeros ? a.zeros : b.zeros};
}

static range_t scale_range(range_t range, uint64_t factor)
{
    if (!factor || range.most * factor > UINT32_MAX)
        return factor ? UNKNOWN : bounded(0);
    int zeros = is_bounded(range) ? 32 : range.zeros + __builtin_ctzll(factor);
    return (range_t){range.most * factor, is_bounded(range) || zeros < 31 ? zeros : 31};
}

static range_t find_range(kiln_lowering_t *l, LLVMValueRef value, int depth);

static range_t range_of_call(kiln_lowering_t *l, LLVMValueRef call, int depth)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    size_t length = 0;
    const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
    if (!strncmp(name, "llvm.amdgcn.workitem.id", strlen("llvm.amdgcn.workitem.id")))
        return bounded(1023);
    if (!strncmp(name, "llvm.amdgcn.readfirstlane", strlen("llvm.amdgcn.readfirstlane")))
        return find_range(l, LLVMGetOperand(call, 0), depth);
    return UNKNOWN;
}

static range_t find_range(kiln_lowering_t *l, LLVMValueRef value, int depth)
{
    enum { DEEPEST = 12 };
    int64_t constant;
    if (kiln_llvm_const_int(value, &constant))
        return bounded((uint64_t)(uint32_t)constant);
    if (!LLVMIsAInstruction(value) || depth == DEEPEST)
        return UNKNOWN;
    int zeros = (int)(intptr_t)kiln_lower_map_get(l->multiples, value);
    if (zeros)
        return (range_t){0, zeros < 31 ? zeros : 31};
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    if (opcode == LLVMCall)
        return range_of_call(l, value, depth + 1);
    if (opcode == LLVMZExt) {
        LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(value, 0));
        unsigned bits = LLVMGetTypeKind(from) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(from) : 32;
        return bits < 32 ? bounded((UINT64_C(1) << bits) - 1) : UNKNOWN;
    }
    if (!LLVMIsABinaryOperator(value))
        return UNKNOWN;
    range_t a = find_range(l, LLVMGetOperand(value, 0), depth + 1),
            b = find_range(l, LLVMGetOperand(value, 1), depth + 1);
    bool by_constant = kiln_llvm_const_int(LLVMGetOperand(value, 1), &constant);
    switch (opcode) {
    case LLVMAdd:
        return add_ranges(a, b);
    case LLVMMul:
        return by_constant && constant > 0 ? scale_range(a, (uint64_t)constant) : UNKNOWN;
    case LLVMShl:
        return by_constant && constant >= 0 && constant < 32 ? scale_range(a, UINT64_C(1) << constant) : UNKNOWN;
    case LLVMLShr:
        return by_constant && constant >= 0 && constant < 32
                   ? bounded((is_bounded(a) ? a.most : UINT32_MAX) >> constant)
                   : UNKNOWN;
    case LLVMAnd:
        if (is_bounded(a) || is_bounded(b))
            return bounded(!is_bounded(b) || (is_bounded(a) && a.most < b.most) ? a.most : b.most);
        return UNKNOWN;
    case LLVMOr: // at most the sum
    case LLVMXor:
        return is_bounded(a) && is_bounded(b) ? add_ranges(a, b) : UNKNOWN;
    default:
        return UNKNOWN;
    }
}

bool kiln_sum_extends_by_parts(kiln_lowering_t *l, LLVMValueRef lane, LLVMValueRef uniform, int64_t least_imm,
                               int64_t most_imm)
{
    range_t a = lane ? find_range(l, lane, 0) : bounded(0), b = uniform ? find_range(l, uniform, 0) : bounded(0);
    if ((!is_bounded(a) && !is_bounded(b)) || least_imm < 0)
        return false;
    range_t sum = add_ranges(a, b);
    int zeros = sum.zeros > 31 ? 31 : sum.zeros;
    return sum.most + (uint64_t)most_imm < UINT64_C(1) << zeros;
}
