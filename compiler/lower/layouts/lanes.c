// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves between the 64 lanes of a wave, by the cheapest instruction that does each: DPP inside rows
// of 16, ds_swizzle inside halves of 32, ds_bpermute anywhere.
//
// Note that DPP and LDS moves work on 32-bit registers, so other widths are split or extended to
// 32-bit integers.
#include "lower/emit.h"

enum {
    DPP_QUAD_PERM = 0x000, // + four 2-bit selectors
    DPP_ROW_ROR = 0x120,
    DPP_ROW_MIRROR = 0x140,
    DPP_ROW_HALF_MIRROR = 0x141,
    SWIZZLE_XOR_SHIFT = 10, // and-mask in bits 0–4, or-mask in 5–9, xor-mask in 10–14
    SWIZZLE_ALL = 0x1f,
};

typedef LLVMValueRef (*move_word_t)(kiln_lowering_t *l, LLVMValueRef word, const void *how);

// Applies a move of 32-bit words to a value of any type.
static LLVMValueRef move_value(kiln_lowering_t *l, LLVMValueRef value, move_word_t move,
                               const void *how)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    unsigned bits = kiln_llvm_bits(type);
    LLVMValueRef raw = kiln_emit_bits(l, value);
    if (bits <= 32) {
        LLVMValueRef word = bits < 32 ? LLVMBuildZExt(l->builder, raw, l->i32, "") : raw;
        word = move(l, word, how);
        if (bits < 32)
            word = LLVMBuildTrunc(l->builder, word, LLVMIntTypeInContext(l->context, bits), "");
        return kiln_emit_from_bits(l, word, type);
    }
    LLVMTypeRef words_type = LLVMVectorType(l->i32, bits / 32);
    LLVMValueRef words = LLVMBuildBitCast(l->builder, raw, words_type, ""),
                 moved = LLVMGetPoison(words_type);
    for (unsigned i = 0; i < bits / 32; i++)
        moved =
            LLVMBuildInsertElement(l->builder, moved, move(l, kiln_emit_extract(l, words, i), how),
                                   kiln_emit_i32(l, i), "");
    return kiln_emit_from_bits(l, LLVMBuildBitCast(l->builder, moved, LLVMTypeOf(raw), ""), type);
}

static LLVMValueRef gather_word(kiln_lowering_t *l, LLVMValueRef word, const void *how)
{
    LLVMValueRef args[2] = {(LLVMValueRef)(uintptr_t)how, word};
    return kiln_emit_intrinsic(l, "llvm.amdgcn.ds.bpermute", NULL, 0, args, 2);
}

LLVMValueRef kiln_emit_gather_lane(kiln_lowering_t *l, LLVMValueRef value, LLVMValueRef source_lane)
{
    if (LLVMIsConstant(value))
        return value;
    LLVMValueRef bytes = LLVMBuildShl(l->builder, source_lane, kiln_emit_i32(l, 2), "");
    return move_value(l, value, gather_word, bytes);
}

// One DPP move; lanes whose source does not exist get zero.
static LLVMValueRef dpp_word(kiln_lowering_t *l, LLVMValueRef word, const void *how)
{
    enum { ALL = 0xf }; // rows, and banks of them
    LLVMValueRef args[6] = {LLVMGetPoison(l->i32),
                            word,
                            kiln_emit_i32(l, *(const int *)how),
                            kiln_emit_i32(l, ALL),
                            kiln_emit_i32(l, ALL),
                            kiln_emit_i1(l, true)};
    return kiln_emit_intrinsic(l, "llvm.amdgcn.update.dpp", &l->i32, 1, args, 6);
}

LLVMValueRef kiln_emit_dpp(kiln_lowering_t *l, LLVMValueRef value, int control)
{
    return move_value(l, value, dpp_word, &control);
}

static LLVMValueRef swizzle_word(kiln_lowering_t *l, LLVMValueRef word, const void *how)
{
    LLVMValueRef args[2] = {word, kiln_emit_i32(l, *(const int *)how)};
    return kiln_emit_intrinsic(l, "llvm.amdgcn.ds.swizzle", NULL, 0, args, 2);
}

LLVMValueRef kiln_emit_xor_lane(kiln_lowering_t *l, LLVMValueRef value, uint32_t mask)
{
    if (!mask || LLVMIsConstant(value))
        return value;
    if (mask < 4) {
        int control = DPP_QUAD_PERM;
        for (uint32_t lane = 0; lane < 4; lane++)
            control |= (int)(lane ^ mask) << (2 * lane);
        return kiln_emit_dpp(l, value, control);
    }
    if (mask == 7)
        return kiln_emit_dpp(l, value, DPP_ROW_HALF_MIRROR);
    if (mask == 8)
        return kiln_emit_dpp(l, value, DPP_ROW_ROR + 8);
    if (mask == 15)
        return kiln_emit_dpp(l, value, DPP_ROW_MIRROR);
    if (mask < 32) {
        int control = (int)mask << SWIZZLE_XOR_SHIFT | SWIZZLE_ALL;
        return move_value(l, value, swizzle_word, &control);
    }
    return kiln_emit_gather_lane(l, value,
                                 LLVMBuildXor(l->builder, l->lane, kiln_emit_i32(l, mask), ""));
}

static LLVMValueRef read_word(kiln_lowering_t *l, LLVMValueRef word, const void *how)
{
    LLVMValueRef args[2] = {word, kiln_emit_i32(l, *(const int *)how)};
    return kiln_emit_intrinsic(l, "llvm.amdgcn.readlane", &l->i32, 1, args, 2);
}

LLVMValueRef kiln_emit_read_lane(kiln_lowering_t *l, LLVMValueRef value, uint32_t lane)
{
    int number = (int)lane;
    return LLVMIsConstant(value) ? value : move_value(l, value, read_word, &number);
}
