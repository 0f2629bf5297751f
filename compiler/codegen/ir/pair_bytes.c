// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts bytes, or parts of them, to pairs of f16 with three instructions instead of up to seven.
// LLVM 22 extracts, masks and converts each number by itself:
//
//   {uitofp (and %b, 15), uitofp (lshr %b, 4)}    →   %two = %b in the lower byte of each half            v_perm_b32
//   of a byte %b of a word                            %f   = %two & 0x00f0000f | 0x54006400               v_and_or_b32
//                                                     %f - {1024, 64}                                     v_pk_add_f16
//
// The bits n << s below the exponent of 2^(10 - s) are the f16 2^(10 - s) + n, as long as n << s
// has at most ten bits; all numbers of eight bits have. If the pair is only the minuend of integers
// from 0 to 1024, as zero points are, the offset is added to these, once where many numbers have
// the same one:
//
//   fsub {…}, %zero                               →   fsub %f, (%zero + {1024, 64})
//
// That is exact, since all integers up to 2048 are f16 numbers. LLVM makes differences of integers
// of such differences of floats, which are subtracted as floats again.
#include <string.h>

#include <llvm-c/Core.h>

#include "codegen/codegen_internal.h"
#include "codegen/ir/constant_index.h"
#include "codegen/ir/walk.h"
#include "codegen/ir/word_bytes.h"

enum {
    MANTISSA_BITS = 10,
    BIAS = 15,
    HALF_BITS = 16,
    WIDEST = 64, // integers of which LLVM's C interface gives the value
    MAX_ELEMENTS = 64,
    MAX_SUBTRAHEND = 1024,       // so that its sum with an offset is exact
    PERM_ZERO_HIGH = 0x0c000c00, // zeros in the upper byte of each half
};

// A number of the pair: a byte less `less`, an integer from 0 to 1024, or less nothing if NULL.
typedef struct number {
    kiln_byte_t byte;
    LLVMValueRef less;
} number_t;

// A vector of such numbers, which fills registers.
typedef struct numbers {
    LLVMValueRef instruction; // which makes the vector
    unsigned count;
    number_t at[MAX_ELEMENTS];
} numbers_t;

typedef struct rewriter {
    LLVMBuilderRef builder;
    LLVMValueRef exponents[KILN_BYTE_BITS]
                          [KILN_BYTE_BITS]; // of a pair by its shifts; NULL if unused
} rewriter_t;

static LLVMValueRef i32(LLVMValueRef context_of, unsigned value)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(context_of));
    return LLVMConstInt(LLVMInt32TypeInContext(context), value, false);
}

static bool is_vector_of_halves(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
           LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMHalfTypeKind;
}

// Element `at` of a vector of constants or of elements that are inserted at constant indices, also
// of a shuffle of such vectors; NULL if it is another value. A scalar is its own element.
static LLVMValueRef element_of(LLVMValueRef vector, unsigned at)
{
    unsigned index;
    if (LLVMGetTypeKind(LLVMTypeOf(vector)) != LLVMVectorTypeKind)
        return vector;
    if (LLVMIsAShuffleVectorInst(vector)) {
        const unsigned count = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(vector, 0)));
        const int element = LLVMGetMaskValue(vector, at);
        if (element < 0)
            return NULL;
        vector = LLVMGetOperand(vector, (unsigned)element >= count);
        at = (unsigned)element % count;
    }
    for (; LLVMIsAInsertElementInst(vector); vector = LLVMGetOperand(vector, 0)) {
        const unsigned count = LLVMGetVectorSize(LLVMTypeOf(vector));
        if (!kiln_constant_index(LLVMGetOperand(vector, 2), count, &index))
            return NULL;
        if (index == at)
            return LLVMGetOperand(vector, 1);
    }
    return LLVMIsConstant(vector) ? LLVMGetAggregateElement(vector, at) : NULL;
}

// A number that the integer is known not to exceed: of its mask, or of its type.
static unsigned long long largest(LLVMValueRef integer)
{
    while (LLVMIsAZExtInst(integer) || LLVMIsATruncInst(integer))
        integer = LLVMGetOperand(integer, 0);
    const unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(integer));
    if (bits > WIDEST)
        return UINT64_MAX;
    if (LLVMIsAConstantInt(integer))
        return LLVMConstIntGetZExtValue(integer);
    LLVMValueRef mask = LLVMIsAInstruction(integer) && LLVMGetInstructionOpcode(integer) == LLVMAnd
                            ? LLVMGetOperand(integer, 1)
                            : NULL;
    if (mask && LLVMIsAConstantInt(mask))
        return LLVMConstIntGetZExtValue(mask);
    return bits < HALF_BITS ? (1ull << bits) - 1 : UINT64_MAX;
}

// What is subtracted from element `at` of the integer's first operand; NULL if it is no such
// difference.
static LLVMValueRef subtrahend(LLVMValueRef integer, unsigned at)
{
    if (!LLVMIsAInstruction(integer))
        return NULL;
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(integer);
    if (opcode != LLVMSub && opcode != LLVMAdd)
        return NULL;
    LLVMValueRef operand = element_of(LLVMGetOperand(integer, 1), at);
    if (opcode == LLVMSub)
        return operand;
    return operand && LLVMIsAConstantInt(operand) ? LLVMConstNeg(operand) : NULL;
}

// Element `at` of what is converted.
static bool find_number(LLVMValueRef conversion, unsigned at, number_t *out)
{
    LLVMValueRef integer = LLVMGetOperand(conversion, 0);
    LLVMBasicBlockRef block = LLVMGetInstructionParent(conversion);
    out->less = NULL;
    if (LLVMIsAUIToFPInst(conversion))
        return kiln_find_byte(integer, at, block, &out->byte);
    out->less = LLVMIsASIToFPInst(conversion) ? subtrahend(integer, at) : NULL;
    if (!out->less || !kiln_find_byte(LLVMGetOperand(integer, 0), at, block, &out->byte))
        return false;
    // The difference does not wrap if both are numbers of its type that have no sign.
    const unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(out->less));
    const unsigned long long positive = bits > WIDEST ? 0 : (1ull << (bits - 1)) - 1;
    return out->byte.mask <= positive && largest(out->less) <= positive &&
           largest(out->less) <= MAX_SUBTRAHEND;
}

static bool find_numbers(LLVMValueRef i, numbers_t *out)
{
    if (!is_vector_of_halves(LLVMTypeOf(i)))
        return false;
    out->instruction = i;
    out->count = LLVMGetVectorSize(LLVMTypeOf(i));
    if (out->count % 2 || out->count > MAX_ELEMENTS)
        return false;
    for (unsigned e = 0; e < out->count; e++) {
        LLVMValueRef number = LLVMIsAUIToFPInst(i) || LLVMIsASIToFPInst(i) ? i : element_of(i, e);
        if (!number || !LLVMIsAInstruction(number) ||
            !find_number(number, number == i ? e : 0, &out->at[e]) ||
            !out->at[e].less != !out->at[0].less)
            return false;
    }
    return true;
}

static bool is_small(LLVMValueRef number)
{
    LLVMBool loses;
    if (number && LLVMIsAConstantFP(number)) {
        double value = LLVMConstRealGetDouble(number, &loses);
        return value >= 0 && value <= MAX_SUBTRAHEND && value == (double)(int)value;
    }
    return number && LLVMIsAUIToFPInst(number) &&
           LLVMGetTypeKind(LLVMTypeOf(number)) == LLVMHalfTypeKind &&
           largest(LLVMGetOperand(number, 0)) <= MAX_SUBTRAHEND;
}

// Whether all elements are integers from 0 to 1024.
static bool are_small(LLVMValueRef vector)
{
    for (unsigned e = 0; e < LLVMGetVectorSize(LLVMTypeOf(vector)); e++)
        if (!is_small(element_of(vector, e)))
            return false;
    return true;
}

static LLVMValueRef build_perm(LLVMBuilderRef builder, LLVMValueRef high, LLVMValueRef low,
                               unsigned selector)
{
    static const char NAME[] = "llvm.amdgcn.perm";
    LLVMModuleRef module =
        LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(builder)));
    LLVMValueRef perm =
        LLVMGetIntrinsicDeclaration(module, LLVMLookupIntrinsicID(NAME, sizeof NAME - 1), NULL, 0);
    LLVMValueRef args[3] = {high, low, i32(low, selector)};
    return LLVMBuildCall2(builder, LLVMGlobalGetValueType(perm), perm, args, 3, "");
}

// The exponents of a pair, from the beginning of the function on in a vector register: of constants
// v_and_or_b32 reads only one. LLVM keeps a count of lanes there, here of none.
static LLVMValueRef build_exponents(LLVMBuilderRef builder, LLVMValueRef function,
                                    const number_t *pair)
{
    static const char NAME[] = "llvm.amdgcn.mbcnt.lo";
    LLVMValueRef count = LLVMGetIntrinsicDeclaration(
        LLVMGetGlobalParent(function), LLVMLookupIntrinsicID(NAME, sizeof NAME - 1), NULL, 0);
    unsigned bits = 0;
    for (unsigned e = 0; e < 2; e++)
        bits |= (BIAS + MANTISSA_BITS - pair[e].byte.shift) << MANTISSA_BITS << e * HALF_BITS;
    LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
    LLVMValueRef args[2] = {i32(function, 0), i32(function, bits)};
    return LLVMBuildCall2(builder, LLVMGlobalGetValueType(count), count, args, 2, "");
}

// Two numbers' bits below the exponents of their offsets, as an i32.
static LLVMValueRef build_pair(rewriter_t *r, LLVMValueRef before, const number_t *pair)
{
    unsigned mask = 0, selector = PERM_ZERO_HIGH;
    LLVMValueRef words[2], *exponents = &r->exponents[pair[0].byte.shift][pair[1].byte.shift];
    if (!*exponents)
        *exponents = build_exponents(
            r->builder, LLVMGetBasicBlockParent(LLVMGetInstructionParent(before)), pair);
    LLVMPositionBuilderBefore(r->builder, before);
    for (unsigned e = 0; e < 2; e++) {
        const kiln_byte_t *byte = &pair[e].byte;
        words[e] = kiln_build_word(r->builder, byte);
        mask |= (byte->mask << byte->shift) << e * HALF_BITS;
        selector |= (byte->at % KILN_WORD_BYTES + e * KILN_WORD_BYTES) << e * HALF_BITS;
    }
    LLVMValueRef bits = build_perm(r->builder, words[1], words[0], selector);
    bits = LLVMBuildAnd(r->builder, bits, i32(bits, mask), "");
    return LLVMBuildOr(r->builder, bits, *exponents, "");
}

// The numbers plus their offsets.
static LLVMValueRef build_numbers(rewriter_t *r, const numbers_t *numbers)
{
    LLVMValueRef i = numbers->instruction;
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(i)));
    LLVMValueRef all = LLVMGetPoison(LLVMVectorType(word, numbers->count / 2));
    for (unsigned e = 0; e < numbers->count; e += 2)
        all = LLVMBuildInsertElement(r->builder, all, build_pair(r, i, &numbers->at[e]),
                                     i32(i, e / 2), "");
    return LLVMBuildBitCast(r->builder, all, LLVMTypeOf(i), "");
}

static LLVMValueRef offsets_of(const numbers_t *numbers)
{
    LLVMTypeRef half = LLVMGetElementType(LLVMTypeOf(numbers->instruction));
    LLVMValueRef offsets[MAX_ELEMENTS];
    for (unsigned e = 0; e < numbers->count; e++)
        offsets[e] = LLVMConstReal(half, 1 << (MANTISSA_BITS - numbers->at[e].byte.shift));
    return LLVMConstVector(offsets, numbers->count);
}

static LLVMValueRef only_user(LLVMValueRef value)
{
    LLVMUseRef use = LLVMGetFirstUse(value);
    return use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
}

// What the numbers are less, as f16.
static LLVMValueRef build_subtrahend(LLVMBuilderRef builder, const numbers_t *numbers)
{
    LLVMTypeRef type = LLVMTypeOf(numbers->instruction);
    LLVMValueRef all = LLVMGetPoison(type);
    for (unsigned e = 0; e < numbers->count; e++) {
        LLVMValueRef number =
            LLVMBuildUIToFP(builder, numbers->at[e].less, LLVMGetElementType(type), "");
        all = LLVMBuildInsertElement(builder, all, number, i32(all, e), "");
    }
    return all;
}

static void rewrite(rewriter_t *r, const numbers_t *numbers)
{
    LLVMBuilderRef builder = r->builder;
    LLVMValueRef i = numbers->instruction, user = only_user(i), offsets = offsets_of(numbers);
    LLVMValueRef value = build_numbers(r, numbers);
    if (numbers->at[0].less) {
        offsets = LLVMBuildFAdd(builder, build_subtrahend(builder, numbers), offsets, "");
        value = LLVMBuildFSub(builder, value, offsets, "");
    } else if (user && LLVMGetInstructionOpcode(user) == LLVMFSub && LLVMGetOperand(user, 0) == i &&
               are_small(LLVMGetOperand(user, 1))) {
        LLVMPositionBuilderBefore(builder, user);
        LLVMSetOperand(user, 1, LLVMBuildFAdd(builder, LLVMGetOperand(user, 1), offsets, ""));
    } else {
        value = LLVMBuildFSub(builder, value, offsets, "");
    }
    LLVMReplaceAllUsesWith(i, value);
    LLVMInstructionEraseFromParent(i);
}

void kiln_codegen_pair_bytes(LLVMModuleRef module)
{
    rewriter_t r = {.builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module))};
    for (LLVMValueRef f = kiln_first_definition(module); f; f = kiln_next_definition(f)) {
        memset(r.exponents, 0, sizeof r.exponents);
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
             block = LLVMGetNextBasicBlock(block)) {
            for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
                numbers_t numbers;
                next = LLVMGetNextInstruction(i);
                if (find_numbers(i, &numbers))
                    rewrite(&r, &numbers);
            }
        }
    }
    LLVMDisposeBuilder(r.builder);
}
