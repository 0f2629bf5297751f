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
#include "codegen/ir/constant_index.h"
#include "codegen/ir/walk.h"

enum {
    BYTE_BITS = 8,
    BYTE_MAX = 0xff,
    WORD_BYTES = 4,
    WORD_BITS = 32,
    EVERY_BYTE = 0x01010101,
    MAX_ADDEND = 1 << 16
};

// (element `at` of a vector of bytes >> shift) & mask; then, if the vector is made of words, `at`
// counts their bytes.
typedef struct byte {
    LLVMValueRef vector;
    unsigned at, shift, mask;
    int64_t addend; // to the number
} byte_t;

// A conversion of one or more bytes.
typedef struct conversion {
    LLVMValueRef instruction;
    unsigned first, count; // of its bytes
} conversion_t;

typedef struct word {
    byte_t byte; // the first of its bytes in the block
    unsigned users;
    LLVMValueRef value; // NULL until it is created
} word_t;

typedef struct block {
    LLVMBuilderRef builder;
    byte_t *bytes;
    conversion_t *conversions;
    word_t *words;
    unsigned byte_count, conversion_count, word_count;
    size_t byte_capacity, conversion_capacity, word_capacity;
    LLVMValueRef masks[BYTE_MAX + 1]; // of the function's words; NULL until it is created
} block_t;

static LLVMTypeRef element_type(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

static bool is_integer(LLVMTypeRef type, unsigned bits)
{
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == bits;
}

// The constant of element `at` of an operand.
static bool constant_of(LLVMValueRef operand, unsigned at, unsigned *out)
{
    if (LLVMGetTypeKind(LLVMTypeOf(operand)) == LLVMVectorTypeKind)
        operand = LLVMIsConstant(operand) ? LLVMGetAggregateElement(operand, at) : NULL;
    if (!operand || !LLVMIsAConstantInt(operand))
        return false;
    *out = (unsigned)LLVMConstIntGetZExtValue(operand);
    return true;
}

// Whether the value is bytes that fill words: words, or bytes that the block loads together. Loaded
// bytes would cross blocks one by one.
static bool holds_words(LLVMValueRef value, LLVMBasicBlockRef block)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    if (LLVMIsABitCastInst(value))
        return is_integer(element_type(LLVMTypeOf(LLVMGetOperand(value, 0))), WORD_BITS);
    return LLVMIsALoadInst(value) && LLVMGetInstructionParent(value) == block &&
           LLVMGetTypeKind(type) == LLVMVectorTypeKind && LLVMGetVectorSize(type) % WORD_BYTES == 0;
}

// Follows a byte, or a byte that is extended to a word, through masks and shifts by constants to
// the words that hold it.
static bool find_byte(LLVMValueRef value, unsigned at, LLVMBasicBlockRef block, byte_t *out)
{
    *out = (byte_t){.mask = UINT32_MAX};
    for (;;) {
        unsigned constant;
        LLVMValueRef vector;
        const bool is_byte = is_integer(element_type(LLVMTypeOf(value)), BYTE_BITS);
        const unsigned all = is_byte ? BYTE_MAX : UINT32_MAX;
        out->mask &= all >> out->shift;
        if (is_byte && holds_words(value, block)) {
            out->vector = LLVMIsABitCastInst(value) ? LLVMGetOperand(value, 0) : value;
            out->at = at;
            return true;
        }
        if (!LLVMIsAInstruction(value))
            return false;
        switch (LLVMGetInstructionOpcode(value)) {
        case LLVMZExt:
            value = LLVMGetOperand(value, 0);
            if (!is_integer(element_type(LLVMTypeOf(value)), BYTE_BITS))
                return false;
            break;
        case LLVMAnd:
            if (!constant_of(LLVMGetOperand(value, 1), at, &constant))
                return false;
            out->mask &= constant >> out->shift;
            value = LLVMGetOperand(value, 0);
            break;
        case LLVMLShr:
            if (!constant_of(LLVMGetOperand(value, 1), at, &constant) ||
                constant >= BYTE_BITS - out->shift)
                return false;
            out->shift += constant;
            value = LLVMGetOperand(value, 0);
            break;
        case LLVMShuffleVector: {
            unsigned count = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(value, 0)));
            int from = LLVMGetMaskValue(value, at);
            if (from < 0)
                return false;
            value = LLVMGetOperand(value, (unsigned)from >= count);
            at = (unsigned)from % count;
            break;
        }
        case LLVMInsertElement:
            if (!kiln_constant_index(LLVMGetOperand(value, 2), LLVMGetVectorSize(LLVMTypeOf(value)),
                                     &constant))
                return false;
            if (constant == at) {
                value = LLVMGetOperand(value, 1);
                at = 0;
            } else {
                value = LLVMGetOperand(value, 0);
            }
            break;
        case LLVMExtractElement:
            vector = LLVMGetOperand(value, 0);
            if (!kiln_constant_index(LLVMGetOperand(value, 1),
                                     LLVMGetVectorSize(LLVMTypeOf(vector)), &at))
                return false;
            value = vector;
            break;
        default:
            return false;
        }
    }
}

// The same for a number that becomes a float, which may be the sum of a byte and a constant.
static bool find_number(LLVMValueRef conversion, unsigned at, byte_t *out)
{
    LLVMValueRef value = LLVMGetOperand(conversion, 0);
    LLVMBasicBlockRef block = LLVMGetInstructionParent(conversion);
    if (LLVMIsAUIToFPInst(conversion))
        return find_byte(value, at, block, out);
    LLVMValueRef constant = LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == LLVMAdd
                                ? LLVMGetOperand(value, 1)
                                : NULL;
    if (constant && LLVMGetTypeKind(LLVMTypeOf(constant)) == LLVMVectorTypeKind)
        constant = LLVMIsConstant(constant) ? LLVMGetAggregateElement(constant, at) : NULL;
    if (!constant || !LLVMIsAConstantInt(constant) ||
        !find_byte(LLVMGetOperand(value, 0), at, block, out))
        return false;
    const int64_t max = INT64_MAX >> (64 - LLVMGetIntTypeWidth(LLVMTypeOf(constant)));
    out->addend = LLVMConstIntGetSExtValue(constant);
    return out->addend > -MAX_ADDEND && out->addend < MAX_ADDEND && out->mask <= max &&
           out->addend <= max - out->mask; // the sum does not wrap
}

static bool share_word(const byte_t *a, const byte_t *b)
{
    return a->vector == b->vector && a->at / WORD_BYTES == b->at / WORD_BYTES &&
           a->shift == b->shift && a->mask == b->mask;
}

static word_t *find_word(const block_t *b, const byte_t *byte)
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
    const unsigned count = is_vector ? LLVMGetVectorSize(type) : 1, first = b->byte_count;
    if ((!is_integer(element_type(type), BYTE_BITS) &&
         !is_integer(element_type(type), WORD_BITS)) ||
        LLVMGetTypeKind(element_type(LLVMTypeOf(instruction))) != LLVMFloatTypeKind)
        return true;
    if (!KILN_ARRAY_RESERVE(&b->bytes, &b->byte_capacity, (size_t)first + count) ||
        !KILN_ARRAY_RESERVE(&b->words, &b->word_capacity, (size_t)b->word_count + count) ||
        !KILN_ARRAY_RESERVE(&b->conversions, &b->conversion_capacity,
                            (size_t)b->conversion_count + 1))
        return false;
    for (unsigned e = 0; e < count; e++)
        if (!find_number(instruction, e, &b->bytes[first + e]))
            return true;
    for (unsigned e = 0; e < count; e++) {
        word_t *word = find_word(b, &b->bytes[first + e]);
        if (word)
            word->users++;
        else
            b->words[b->word_count++] = (word_t){.byte = b->bytes[first + e], .users = 1};
    }
    b->byte_count += count;
    b->conversions[b->conversion_count++] = (conversion_t){instruction, first, count};
    return true;
}

static bool is_masked(const byte_t *byte)
{
    return byte->shift || byte->mask != BYTE_MAX;
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

static LLVMValueRef create_word(block_t *b, const byte_t *byte, LLVMValueRef before)
{
    LLVMBuilderRef builder = b->builder;
    LLVMTypeRef type = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(byte->vector)));
    LLVMValueRef word = byte->vector;
    if (is_masked(byte) && !b->masks[byte->mask]) {
        b->masks[byte->mask] = create_mask(builder, byte->mask);
        LLVMPositionBuilderBefore(builder, before);
    }
    if (LLVMIsALoadInst(word) && is_integer(element_type(LLVMTypeOf(word)), BYTE_BITS))
        word = LLVMBuildBitCast(
            builder, word, LLVMVectorType(type, LLVMGetVectorSize(LLVMTypeOf(word)) / WORD_BYTES),
            "");
    if (LLVMGetTypeKind(LLVMTypeOf(word)) == LLVMVectorTypeKind)
        word = LLVMBuildExtractElement(builder, word,
                                       LLVMConstInt(type, byte->at / WORD_BYTES, false), "");
    if (byte->shift)
        word = LLVMBuildLShr(builder, word, LLVMConstInt(type, byte->shift, false), "");
    return is_masked(byte) ? LLVMBuildAnd(builder, word, b->masks[byte->mask], "") : word;
}

static LLVMValueRef convert_byte(LLVMBuilderRef builder, LLVMValueRef word, unsigned at)
{
    LLVMTypeRef type = LLVMTypeOf(word);
    LLVMValueRef shift = LLVMConstInt(type, (unsigned long long)at * BYTE_BITS, false);
    LLVMValueRef byte = at ? LLVMBuildLShr(builder, word, shift, "") : word;
    if (at + 1 < WORD_BYTES)
        byte = LLVMBuildAnd(builder, byte, LLVMConstInt(type, BYTE_MAX, false), "");
    return LLVMBuildUIToFP(builder, byte, LLVMFloatTypeInContext(LLVMGetTypeContext(type)), "");
}

static void rewrite(block_t *b, const conversion_t *c)
{
    bool gains = false;
    for (unsigned e = c->first; e < c->first + c->count; e++) {
        gains |= is_masked(&b->bytes[e]) || b->bytes[e].addend;
        if (is_masked(&b->bytes[e]) && find_word(b, &b->bytes[e])->users < 2)
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
        const byte_t *byte = &b->bytes[c->first + e];
        word_t *word = find_word(b, byte);
        if (!word->value) // the first user comes first in the block
            word->value = create_word(b, byte, c->instruction);
        LLVMValueRef number = convert_byte(b->builder, word->value, byte->at % WORD_BYTES);
        if (byte->addend)
            number = LLVMBuildFAdd(b->builder, number,
                                   LLVMConstReal(LLVMTypeOf(number), (double)byte->addend), "");
        all = is_vector ? LLVMBuildInsertElement(b->builder, all, number,
                                                 LLVMConstInt(index, e, false), "")
                        : number;
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
            b.byte_count = b.conversion_count = b.word_count = 0;
            for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && fits;
                 i = LLVMGetNextInstruction(i))
                fits = (!LLVMIsAUIToFPInst(i) && !LLVMIsASIToFPInst(i)) || add_conversion(&b, i);
            for (unsigned c = 0; c < b.conversion_count && fits; c++)
                rewrite(&b, &b.conversions[c]);
        }
    }
    free(b.bytes);
    free(b.conversions);
    free(b.words);
    LLVMDisposeBuilder(b.builder);
    return fits;
}
