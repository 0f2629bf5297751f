// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 8-bit floats to wider ones, four at a time: the four bytes of one 32-bit register.
//
//   FNUZ formats   one instruction converts two to f32
//   f8E5M2         is the upper half of an f16: one instruction moves two
//   f8E4M3FN       shifted one bit further to the right, its bits are the value / 256 as an f16
//
// For all of them bf16 is exactly the upper half of the f32.
//
// Note that f8E4M3FN's only NaN (all ones) would become 480. Adding one unit in the last place
// carries, for this code only, into the one bit of f16's exponent that the format leaves clear;
// with that bit also set the value is NaN.
#include "elements.h"
#include "lower/emit.h"
#include "lower/tile.h"

#include <mlir-c/BuiltinTypes.h>

enum { AT_ONCE = 4 };

// Byte selectors of v_perm_b32: 0 to 3 select from the second operand, 4 to 7 from the first.
enum {
    PERM_LOW_BYTES = 0x010c000c,  // 0 and 1 to the upper bytes of two halves; 0x0c gives zero
    PERM_HIGH_BYTES = 0x030c020c, // 2 and 3
    PERM_UPPER_HALVES = 0x07060302,
};

static LLVMValueRef permute(kiln_lowering_t *l, LLVMValueRef high, LLVMValueRef low,
                            int64_t selector)
{
    LLVMValueRef args[3] = {high, low, kiln_emit_i32(l, selector)};
    return kiln_emit_intrinsic(l, "llvm.amdgcn.perm", NULL, 0, args, 3);
}

static LLVMValueRef cast(kiln_lowering_t *l, LLVMValueRef value, LLVMTypeRef element,
                         unsigned count)
{
    return LLVMBuildBitCast(l->builder, value, LLVMVectorType(element, count), "");
}

static LLVMValueRef splat(LLVMValueRef value)
{
    LLVMValueRef values[2] = {value, value};
    return LLVMConstVector(values, 2);
}

// Two OCP bytes as <2 x half>.
static LLVMValueRef pair_of_f16(kiln_lowering_t *l, MlirType format, LLVMValueRef word,
                                bool is_high)
{
    LLVMBuilderRef b = l->builder;
    LLVMValueRef halves = permute(l, word, word, is_high ? PERM_HIGH_BYTES : PERM_LOW_BYTES);
    if (mlirTypeIsAFloat8E5M2(format))
        return cast(l, halves, l->f16, 2);
    LLVMValueRef one = LLVMConstInt(l->i16, 1, 0);
    LLVMValueRef shifted = LLVMBuildAShr(b, cast(l, halves, l->i16, 2), splat(one), "");
    LLVMValueRef bits = LLVMBuildAnd(b, LLVMBuildBitCast(b, shifted, l->i32, ""),
                                     kiln_emit_i32(l, (int32_t)0xbfffbfffu), "");
    LLVMValueRef carried = LLVMBuildAdd(b, bits, kiln_emit_i32(l, 0x00800080), "");
    LLVMValueRef is_nan = LLVMBuildAnd(b, carried, kiln_emit_i32(l, 0x40004000), "");
    bits = LLVMBuildOr(b, bits, is_nan, "");
    return LLVMBuildFMul(b, cast(l, bits, l->f16, 2), splat(LLVMConstReal(l->f16, 256)), "");
}

static LLVMValueRef pair_of_f32(kiln_lowering_t *l, MlirType format, LLVMValueRef word,
                                bool is_high)
{
    const char *instruction = mlirTypeIsAFloat8E4M3FNUZ(format)   ? "llvm.amdgcn.cvt.pk.f32.fp8"
                              : mlirTypeIsAFloat8E5M2FNUZ(format) ? "llvm.amdgcn.cvt.pk.f32.bf8"
                                                                  : NULL;
    LLVMValueRef args[2] = {word, kiln_emit_i1(l, is_high)};
    if (instruction)
        return kiln_emit_intrinsic(l, instruction, NULL, 0, args, 2);
    LLVMValueRef halves = pair_of_f16(l, format, word, is_high);
    return LLVMBuildFPExt(l->builder, halves, LLVMVectorType(l->f32, 2), "");
}

// Two elements of 16 bits as an i32.
static LLVMValueRef pair_of_16_bits(kiln_lowering_t *l, MlirType format, LLVMTypeRef to,
                                    LLVMValueRef word, bool is_high)
{
    bool is_ocp = mlirTypeIsAFloat8E5M2(format) || mlirTypeIsAFloat8E4M3FN(format);
    LLVMValueRef pair = is_ocp && to == l->f16 ? pair_of_f16(l, format, word, is_high)
                                               : pair_of_f32(l, format, word, is_high);
    if (is_ocp && to == l->f16)
        return LLVMBuildBitCast(l->builder, pair, l->i32, "");
    LLVMValueRef low = kiln_emit_extract(l, pair, 0), high = kiln_emit_extract(l, pair, 1);
    if (to == l->bf16)
        return permute(l, kiln_emit_bits(l, high), kiln_emit_bits(l, low), PERM_UPPER_HALVES);
    LLVMValueRef args[2] = {low, high}; // rounds towards zero, but all values are exact in f16
    return LLVMBuildBitCast(
        l->builder, kiln_emit_intrinsic(l, "llvm.amdgcn.cvt.pkrtz", NULL, 0, args, 2), l->i32, "");
}

// Registers first … first + 3 as one i32, taken from the load's vector if they are neighbours
// there.
static LLVMValueRef word_of(kiln_lowering_t *l, kiln_tile_t *tile, uint32_t first)
{
    LLVMValueRef vector = NULL;
    uint32_t index = 0;
    if (tile->vectors && tile->vector_width % AT_ONCE == 0) {
        vector = tile->vectors[first / tile->vector_width];
        index = first % tile->vector_width;
    } else {
        for (uint32_t i = 0; i < AT_ONCE; i++) {
            LLVMValueRef value = kiln_tile_value(l, tile, first + i);
            if (!LLVMIsAExtractElementInst(value) || !LLVMIsAConstantInt(LLVMGetOperand(value, 1)))
                break;
            LLVMValueRef from = LLVMGetOperand(value, 0);
            uint32_t at = (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(value, 1));
            if (i == 0 && at % AT_ONCE == 0 && LLVMGetVectorSize(LLVMTypeOf(from)) % AT_ONCE == 0) {
                vector = from;
                index = at;
            }
            if (from != vector || at != index + i) {
                vector = NULL;
                break;
            }
        }
    }
    if (!vector)
        return LLVMBuildBitCast(l->builder, kiln_tile_vector(l, tile, first, AT_ONCE), l->i32, "");
    unsigned words = LLVMGetVectorSize(LLVMTypeOf(vector)) / AT_ONCE;
    if (words == 1)
        return LLVMBuildBitCast(l->builder, vector, l->i32, "");
    return kiln_emit_extract(l, cast(l, vector, l->i32, words), index / AT_ONCE);
}

// False if registers hold the same values, which are converted once, or constants, which are
// folded.
bool kiln_lower_registers_differ(kiln_lowering_t *l, kiln_tile_t *tile)
{
    if (kiln_layout_free_bits(tile->layout, KILN_REGISTER))
        return false;
    if (tile->vectors)
        return true;
    LLVMValueRef first = kiln_tile_value(l, tile, 0);
    for (uint32_t bit = 1; bit < tile->count; bit *= 2)
        if (kiln_tile_value(l, tile, bit) == first)
            return false;
    return !LLVMIsConstant(first);
}

bool kiln_lower_widen_in_words(kiln_lowering_t *l, kiln_tile_t *from, kiln_tile_t *result)
{
    MlirType format = kiln_type_element(from->type);
    LLVMTypeRef to = result->element;
    if (!mlirTypeIsAFloat(format) || mlirFloatTypeGetWidth(format) != 8 ||
        (to != l->f16 && to != l->bf16 && to != l->f32) || from->count < AT_ONCE ||
        !kiln_lower_registers_differ(l, from))
        return false;
    if (to != l->f32) {
        result->vectors = KILN_LOWER_ARRAY(l, LLVMValueRef, result->count / AT_ONCE);
        result->vector_width = AT_ONCE;
    }
    for (uint32_t r = 0; r < from->count; r += AT_ONCE) {
        LLVMValueRef word = word_of(l, from, r);
        LLVMValueRef pairs = LLVMGetPoison(LLVMVectorType(l->i32, 2));
        for (uint32_t half = 0; half < 2; half++) {
            if (to == l->f32) {
                LLVMValueRef pair = pair_of_f32(l, format, word, half);
                for (uint32_t i = 0; i < 2; i++)
                    kiln_tile_set(result, r + 2 * half + i, kiln_emit_extract(l, pair, i), false);
                continue;
            }
            LLVMValueRef pair = pair_of_16_bits(l, format, to, word, half);
            pairs = LLVMBuildInsertElement(l->builder, pairs, pair, kiln_emit_i32(l, half), "");
        }
        if (to != l->f32)
            result->vectors[r / AT_ONCE] = cast(l, pairs, to, AT_ONCE);
    }
    return true;
}
