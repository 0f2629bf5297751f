// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks and shifts bytes that become f32 as words. LLVM 22 does it byte by byte, also where one or
// two instructions do it for all bytes of a register, as for 4-bit weights:
//
//   uitofp (and i8 (byte 0 of %w), 15) to float       →       %low = and i32 %w, 0x0f0f0f0f
//   uitofp (and i8 (byte 1 of %w), 15) to float               v_cvt_f32_ubyte0 %low, v_cvt_f32_ubyte1 %low, …
//
// So are bytes that the program extends to 32 bits first. A constant that is added to a byte is
// added to the float, which is exact: two sums take one instruction then. A word is masked if at
// least two bytes of a block need it.
//
// Note that LLVM would mask the bytes of %low one by one again if it knew the mask. So the mask is
// a constant that passed through llvm.arithmetic.fence, which is no instruction. Not the word: a
// fence of a uniform value is in a scalar register, where LLVM cannot copy what a vector load read.
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "base/array.h"
#include "codegen/codegen_internal.h"
#include "codegen/ir/walk.h"
#include "codegen/ir/word_bytes.h"

enum { EVERY_BYTE = 0x01010101, MAX_ADDEND = 1 << 16 };

typedef struct number {
    kiln_byte_t byte;
    int64_t addend;
} number_t;

// A conversion of one or more bytes.
typedef struct conversion {
    LLVMValueRef instruction;
    unsigned first, count; // of its numbers
} conversion_t;

typedef struct word {
    kiln_byte_t byte; // the first of its bytes in the block
    unsigned users;
    LLVMValueRef value; // NULL until it is created
} word_t;

typedef struct block {
    LLVMBuilderRef builder;
    number_t *numbers;
    conversion_t *conversions;
    word_t *words;
    unsigned number_count, conversion_count, word_count;
    size_t number_capacity, conversion_capacity, word_capacity;
    LLVMValueRef masks[KILN_BYTE_MAX + 1]; // of the function's words; NULL until it is created
} block_t;

// The number that becomes a float: a byte, or the sum of a byte and a constant.
static bool find_number(LLVMValueRef conversion, unsigned at, number_t *out)
{
    LLVMValueRef value = LLVMGetOperand(conversion, 0);
    LLVMBasicBlockRef block = LLVMGetInstructionParent(conversion);
    out->addend = 0;
    if (LLVMIsAUIToFPInst(conversion))
        return kiln_find_byte(value, at, block, &out->byte);
    LLVMValueRef constant = LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == LLVMAdd
                                ? LLVMGetOperand(value, 1)
                                : NULL;
    if (constant && LLVMGetTypeKind(LLVMTypeOf(constant)) == LLVMVectorTypeKind)
        constant = LLVMIsConstant(constant) ? LLVMGetAggregateElement(constant, at) : NULL;
    if (!constant || !LLVMIsAConstantInt(constant) ||
        !kiln_find_byte(LLVMGetOperand(value, 0), at, block, &out->byte))
        return false;
    const int64_t max = INT64_MAX >> (64 - LLVMGetIntTypeWidth(LLVMTypeOf(constant)));
    out->addend = LLVMConstIntGetSExtValue(constant);
    return out->addend > -MAX_ADDEND && out->addend < MAX_ADDEND && out->byte.mask <= max &&
           out->addend <= max - out->byte.mask; // the sum does not wrap
}

static bool share_word(const kiln_byte_t *a, const kiln_byte_t *b)
{
    return a->vector == b->vector && a->at / KILN_WORD_BYTES == b->at / KILN_WORD_BYTES &&
           a->shift == b->shift && a->mask == b->mask;
}

static word_t *find_word(const block_t *b, const kiln_byte_t *byte)
{
    for (unsigned w = b->word_count; w-- > 0;)
        if (share_word(&b->words[w].byte, byte))
            return &b->words[w];
    return NULL;
}

// False if memory is exhausted.
static bool add_conversion(block_t *b, LLVMValueRef instruction)
{
    LLVMValueRef from = LLVMGetOperand(instruction, 0);
    LLVMTypeRef type = LLVMTypeOf(from);
    const bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    const unsigned count = is_vector ? LLVMGetVectorSize(type) : 1, first = b->number_count;
    if ((!kiln_llvm_is_integer(kiln_llvm_element(type), KILN_BYTE_BITS) &&
         !kiln_llvm_is_integer(kiln_llvm_element(type), KILN_WORD_BITS)) ||
        LLVMGetTypeKind(kiln_llvm_element(LLVMTypeOf(instruction))) != LLVMFloatTypeKind)
        return true;
    if (!KILN_ARRAY_RESERVE(&b->numbers, &b->number_capacity, (size_t)first + count) ||
        !KILN_ARRAY_RESERVE(&b->words, &b->word_capacity, (size_t)b->word_count + count) ||
        !KILN_ARRAY_RESERVE(&b->conversions, &b->conversion_capacity,
                            (size_t)b->conversion_count + 1))
        return false;
    for (unsigned e = 0; e < count; e++)
        if (!find_number(instruction, e, &b->numbers[first + e]))
            return true;
    for (unsigned e = 0; e < count; e++) {
        word_t *word = find_word(b, &b->numbers[first + e].byte);
        if (word)
            word->users++;
        else
            b->words[b->word_count++] = (word_t){.byte = b->numbers[first + e].byte, .users = 1};
    }
    b->number_count += count;
    b->conversions[b->conversion_count++] = (conversion_t){instruction, first, count};
    return true;
}

static bool is_masked(const kiln_byte_t *byte)
{
    return byte->shift || byte->mask != KILN_BYTE_MAX;
}

// The mask in each byte of a word, hidden from LLVM at the beginning of the function.
static LLVMValueRef create_mask(LLVMBuilderRef builder, unsigned mask)
{
    static const char FENCE[] = "llvm.arithmetic.fence";
    LLVMBasicBlockRef block = LLVMGetInsertBlock(builder);
    LLVMValueRef function = LLVMGetBasicBlockParent(block);
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
    LLVMTypeRef type = LLVMInt32TypeInContext(context), number = LLVMFloatTypeInContext(context);
    LLVMValueRef fence = LLVMGetIntrinsicDeclaration(
        LLVMGetGlobalParent(function), LLVMLookupIntrinsicID(FENCE, sizeof FENCE - 1), &number, 1);
    LLVMValueRef word =
        LLVMConstBitCast(LLVMConstInt(type, (unsigned long long)mask * EVERY_BYTE, false), number);
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
    LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(entry));
    word = LLVMBuildCall2(builder, LLVMGlobalGetValueType(fence), fence, &word, 1, "");
    return LLVMBuildBitCast(builder, word, type, "");
}

static LLVMValueRef create_word(block_t *b, const kiln_byte_t *byte, LLVMValueRef before)
{
    LLVMBuilderRef builder = b->builder;
    if (is_masked(byte) && !b->masks[byte->mask]) {
        b->masks[byte->mask] = create_mask(builder, byte->mask);
        LLVMPositionBuilderBefore(builder, before);
    }
    LLVMValueRef word = kiln_build_word(builder, byte);
    if (byte->shift)
        word = LLVMBuildLShr(builder, word, LLVMConstInt(LLVMTypeOf(word), byte->shift, false), "");
    return is_masked(byte) ? LLVMBuildAnd(builder, word, b->masks[byte->mask], "") : word;
}

static LLVMValueRef convert_byte(LLVMBuilderRef builder, LLVMValueRef word, unsigned at)
{
    LLVMTypeRef type = LLVMTypeOf(word);
    LLVMValueRef shift = LLVMConstInt(type, (unsigned long long)at * KILN_BYTE_BITS, false);
    LLVMValueRef byte = at ? LLVMBuildLShr(builder, word, shift, "") : word;
    if (at + 1 < KILN_WORD_BYTES)
        byte = LLVMBuildAnd(builder, byte, LLVMConstInt(type, KILN_BYTE_MAX, false), "");
    return LLVMBuildUIToFP(builder, byte, LLVMFloatTypeInContext(LLVMGetTypeContext(type)), "");
}

static void rewrite(block_t *b, const conversion_t *c)
{
    bool gains = false;
    for (unsigned e = c->first; e < c->first + c->count; e++) {
        const kiln_byte_t *byte = &b->numbers[e].byte;
        gains |= is_masked(byte) || b->numbers[e].addend;
        if (is_masked(byte) && find_word(b, byte)->users < 2)
            return;
    }
    if (!gains)
        return;
    LLVMTypeRef type = LLVMTypeOf(c->instruction);
    const bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    LLVMPositionBuilderBefore(b->builder, c->instruction);
    LLVMTypeRef index = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    LLVMValueRef all = is_vector ? LLVMGetPoison(type) : NULL;
    for (unsigned e = 0; e < c->count; e++) {
        const number_t *number = &b->numbers[c->first + e];
        const kiln_byte_t *byte = &number->byte;
        word_t *word = find_word(b, byte);
        if (!word->value) // the first user comes first in the block
            word->value = create_word(b, byte, c->instruction);
        LLVMValueRef value = convert_byte(b->builder, word->value, byte->at % KILN_WORD_BYTES);
        if (number->addend)
            value = LLVMBuildFAdd(b->builder, value,
                                  LLVMConstReal(LLVMTypeOf(value), (double)number->addend), "");
        all = is_vector ? LLVMBuildInsertElement(b->builder, all, value,
                                                 LLVMConstInt(index, e, false), "")
                        : value;
    }
    LLVMReplaceAllUsesWith(c->instruction, all);
    LLVMInstructionEraseFromParent(c->instruction);
}

bool kiln_codegen_mask_words(LLVMModuleRef module)
{
    block_t b = {.builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module))};
    bool fits = true;
    for (LLVMValueRef f = kiln_first_definition(module); f && fits; f = kiln_next_definition(f)) {
        memset(b.masks, 0, sizeof b.masks);
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block && fits;
             block = LLVMGetNextBasicBlock(block)) {
            b.number_count = b.conversion_count = b.word_count = 0;
            for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && fits;
                 i = LLVMGetNextInstruction(i))
                fits = (!LLVMIsAUIToFPInst(i) && !LLVMIsASIToFPInst(i)) || add_conversion(&b, i);
            for (unsigned c = 0; c < b.conversion_count && fits; c++)
                rewrite(&b, &b.conversions[c]);
        }
    }
    free(b.numbers);
    free(b.conversions);
    free(b.words);
    LLVMDisposeBuilder(b.builder);
    return fits;
}
