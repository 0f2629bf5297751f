// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carries bytes across blocks packed four to a register. LLVM 22 gives each byte of a vector phi
// its own register:
//
//   %q = phi <8 x i8> [ %first, %before ], [ %next, %loop ]
//
// So the bytes that a loop loads for its next iteration are waited for and unpacked in this one.
// Here the phi becomes
//
//   %w = phi <2 x i32> [ %first as words, %before ], [ %next as words, %loop ]
//   %q = bitcast <2 x i32> %w to <8 x i8>
//
// Note that the conversion between a word and its bytes must not be carried itself. So words are
// created where the bytes are defined, and bytes that come from words use those. LLVM still moves a
// bitcast to the block of the phi's predecessor, so what loads bytes loads words. And a switch may
// reach a block from one predecessor by several cases: a phi has an entry for each, which must all
// be the same value.
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "codegen/codegen_internal.h"
#include "codegen/ir/walk.h"

// The words that bytes of this type fill; NULL if they do not fill whole words.
static LLVMTypeRef words_of(LLVMTypeRef type)
{
    enum { BYTES = 4 };
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || LLVMGetVectorSize(type) % BYTES)
        return NULL;
    LLVMTypeRef element = LLVMGetElementType(type);
    if (LLVMGetTypeKind(element) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(element) != 8)
        return NULL;
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    unsigned count = LLVMGetVectorSize(type) / BYTES;
    return count == 1 ? word : LLVMVectorType(word, count);
}

static LLVMValueRef first_after_phis(LLVMBasicBlockRef block)
{
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(at))
        at = LLVMGetNextInstruction(at);
    return at;
}

// Loads words in place of bytes, whose uses get them back.
static LLVMValueRef load_words(LLVMBuilderRef builder, LLVMValueRef bytes, LLVMTypeRef words)
{
    size_t count;
    LLVMValueMetadataEntry *metadata =
        LLVMInstructionGetAllMetadataOtherThanDebugLoc(bytes, &count);
    LLVMPositionBuilderBefore(builder, bytes);
    LLVMValueRef load = LLVMBuildLoad2(builder, words, LLVMGetOperand(bytes, 0), "");
    LLVMSetAlignment(load, LLVMGetAlignment(bytes));
    for (unsigned i = 0; i < count; i++)
        LLVMSetMetadata(load, LLVMValueMetadataEntriesGetKind(metadata, i),
                        LLVMMetadataAsValue(LLVMGetTypeContext(words),
                                            LLVMValueMetadataEntriesGetMetadata(metadata, i)));
    LLVMInstructionSetDebugLoc(load, LLVMInstructionGetDebugLoc(bytes));
    LLVMDisposeValueMetadataEntries(metadata);
    LLVMReplaceAllUsesWith(bytes, LLVMBuildBitCast(builder, load, LLVMTypeOf(bytes), ""));
    LLVMInstructionEraseFromParent(bytes);
    return load;
}

static LLVMValueRef as_words(LLVMBuilderRef builder, LLVMValueRef bytes, LLVMTypeRef words,
                             LLVMBasicBlockRef from)
{
    if (LLVMIsABitCastInst(bytes) && LLVMTypeOf(LLVMGetOperand(bytes, 0)) == words)
        return LLVMGetOperand(bytes, 0);
    if (LLVMIsALoadInst(bytes) && !LLVMGetVolatile(bytes) &&
        LLVMGetOrdering(bytes) == LLVMAtomicOrderingNotAtomic)
        return load_words(builder, bytes, words);
    if (LLVMIsConstant(bytes) || !LLVMIsAInstruction(bytes) || LLVMIsATerminatorInst(bytes))
        LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(from));
    else if (LLVMIsAPHINode(bytes))
        LLVMPositionBuilderBefore(builder, first_after_phis(LLVMGetInstructionParent(bytes)));
    else
        LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(bytes));
    return LLVMBuildBitCast(builder, bytes, words, "");
}

// Creates a phi of words, still without incoming values, in place of a phi of bytes, whose uses it
// takes over.
static LLVMValueRef begin_words(LLVMBuilderRef builder, LLVMValueRef phi, LLVMTypeRef words)
{
    LLVMPositionBuilderBefore(builder, phi);
    LLVMValueRef carried = LLVMBuildPhi(builder, words, "");
    LLVMPositionBuilderBefore(builder, first_after_phis(LLVMGetInstructionParent(phi)));
    LLVMReplaceAllUsesWith(phi, LLVMBuildBitCast(builder, carried, LLVMTypeOf(phi), ""));
    return carried;
}

// The value of the first entry of a phi for that block; NULL if no entry is from there.
static LLVMValueRef known_words(LLVMValueRef carried, LLVMBasicBlockRef from)
{
    for (unsigned i = 0; i < LLVMCountIncoming(carried); i++)
        if (LLVMGetIncomingBlock(carried, i) == from)
            return LLVMGetIncomingValue(carried, i);
    return NULL;
}

// Each phi of words is placed before the phi of bytes that it replaces, whose incoming values are
// final now.
static void finish_words(LLVMBuilderRef builder, LLVMValueRef carried, LLVMValueRef phi)
{
    LLVMTypeRef words = LLVMTypeOf(carried);
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
        LLVMValueRef value = known_words(carried, from);
        if (!value)
            value = as_words(builder, LLVMGetIncomingValue(phi, i), words, from);
        LLVMAddIncoming(carried, &value, &from, 1);
    }
    LLVMInstructionEraseFromParent(phi);
}

void kiln_codegen_carry_bytes(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = kiln_first_definition(module); f; f = kiln_next_definition(f)) {
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
             block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && LLVMIsAPHINode(i);
                 i = LLVMGetNextInstruction(i)) {
                LLVMTypeRef words = words_of(LLVMTypeOf(i));
                if (words)
                    begin_words(builder, i, words);
            }
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
             block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i && LLVMIsAPHINode(i);
                 i = next) {
                next = LLVMGetNextInstruction(i);
                if (words_of(LLVMTypeOf(i)))
                    finish_words(builder, LLVMGetPreviousInstruction(i), i);
            }
    }
    LLVMDisposeBuilder(builder);
}
