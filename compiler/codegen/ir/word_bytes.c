// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See word_bytes.h. A byte is followed through what LLVM's passes leave between a load and a
// conversion: extractions, insertions, shuffles, extensions to 32 bits, and masks and right shifts
// by constants.
#include "codegen/ir/word_bytes.h"

#include <stddef.h>

#include "codegen/ir/constant_index.h"

LLVMTypeRef kiln_llvm_element(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

bool kiln_llvm_is_integer(LLVMTypeRef type, unsigned bits)
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
        return kiln_llvm_is_integer(kiln_llvm_element(LLVMTypeOf(LLVMGetOperand(value, 0))),
                                    KILN_WORD_BITS);
    return LLVMIsALoadInst(value) && LLVMGetInstructionParent(value) == block &&
           LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
           LLVMGetVectorSize(type) % KILN_WORD_BYTES == 0;
}

bool kiln_find_byte(LLVMValueRef value, unsigned at, LLVMBasicBlockRef block, kiln_byte_t *out)
{
    *out = (kiln_byte_t){.mask = UINT32_MAX};
    for (;;) {
        unsigned constant;
        LLVMValueRef vector;
        const bool is_byte =
            kiln_llvm_is_integer(kiln_llvm_element(LLVMTypeOf(value)), KILN_BYTE_BITS);
        const unsigned all = is_byte ? KILN_BYTE_MAX : UINT32_MAX;
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
            if (!kiln_llvm_is_integer(kiln_llvm_element(LLVMTypeOf(value)), KILN_BYTE_BITS))
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
                constant >= KILN_BYTE_BITS - out->shift)
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

LLVMValueRef kiln_build_word(LLVMBuilderRef builder, const kiln_byte_t *byte)
{
    LLVMValueRef word = byte->vector;
    LLVMTypeRef type = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(word)));
    if (kiln_llvm_is_integer(kiln_llvm_element(LLVMTypeOf(word)), KILN_BYTE_BITS))
        word = LLVMBuildBitCast(
            builder, word,
            LLVMVectorType(type, LLVMGetVectorSize(LLVMTypeOf(word)) / KILN_WORD_BYTES), "");
    if (LLVMGetTypeKind(LLVMTypeOf(word)) == LLVMVectorTypeKind)
        word = LLVMBuildExtractElement(builder, word,
                                       LLVMConstInt(type, byte->at / KILN_WORD_BYTES, false), "");
    return word;
}
