// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the bits of 32-bit integers to vectors of floats element by element (workarounds.def:
// negated_words):
//
//   bitcast <2 x i32> %x to <2 x float>    →   %a = bitcast i32 (extractelement %x, 0) to float
//                                              %b = bitcast i32 (extractelement %x, 1) to float
//                                              the vector of %a and %b
//
// LLVM takes the negation of such a bitcast for one of a double, whose sign is in its last word,
// and negates the last element only, if that is selected.
#include <llvm-c/Core.h>
#include <string.h>

#include "codegen/codegen_internal.h"
#include "codegen/ir/walk.h"

enum { WORD = 32, MAX_DEPTH = 12 };

static const char TARGET[] = "llvm.amdgcn.";

// LLVM may compute its own intrinsics by selections, but neither the target's, as loads of buffers,
// nor functions and assembly.
static bool may_select(LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    size_t length;
    return LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee) != 0 &&
           strncmp(LLVMGetValueName2(callee, &length), TARGET, sizeof TARGET - 1) != 0;
}

// Whether an element of the value may be selected. Operations on selected values are included, as
// LLVM moves them into the selection.
static bool may_be_selected(LLVMValueRef value, unsigned depth)
{
    if (LLVMIsASelectInst(value) || depth == 0)
        return true;
    if (LLVMIsACallInst(value))
        return may_select(value);
    if (!LLVMIsAInstruction(value) || LLVMIsALoadInst(value) || LLVMIsAPHINode(value))
        return false;
    for (int o = 0; o < LLVMGetNumOperands(value); ++o) {
        LLVMValueRef operand = LLVMGetOperand(value, (unsigned)o);
        LLVMTypeRef type = LLVMTypeOf(operand);
        if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
            type = LLVMGetElementType(type);
        const bool is_bit =
            LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 1;
        if (is_bit || may_be_selected(operand, depth - 1)) // bits are extended by a selection
            return true;
    }
    return false;
}

// How many words each element of the result has; 0 if the instruction is not such a conversion.
static unsigned words_per_element(LLVMValueRef i)
{
    if (!LLVMIsABitCastInst(i))
        return 0;
    LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(i, 0)), to = LLVMTypeOf(i);
    if (LLVMGetTypeKind(from) != LLVMVectorTypeKind || LLVMGetTypeKind(to) != LLVMVectorTypeKind)
        return 0;
    LLVMTypeRef word = LLVMGetElementType(from);
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetElementType(to));
    if (LLVMGetTypeKind(word) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(word) != WORD)
        return 0;
    if ((kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind) ||
        !may_be_selected(LLVMGetOperand(i, 0), MAX_DEPTH))
        return 0;
    return kind == LLVMFloatTypeKind ? 1 : 2;
}

static LLVMValueRef split(LLVMBuilderRef builder, LLVMValueRef words, LLVMTypeRef type,
                          unsigned per_element)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    LLVMValueRef all = LLVMGetPoison(type);
    for (unsigned e = 0; e < LLVMGetVectorSize(type); ++e) {
        LLVMValueRef at[2] = {LLVMConstInt(word, e * per_element, false),
                              LLVMConstInt(word, e * per_element + 1, false)};
        LLVMValueRef bits =
            per_element == 1
                ? LLVMBuildExtractElement(builder, words, at[0], "")
                : LLVMBuildShuffleVector(builder, words, LLVMGetPoison(LLVMTypeOf(words)),
                                         LLVMConstVector(at, 2), "");
        LLVMValueRef element = LLVMBuildBitCast(builder, bits, LLVMGetElementType(type), "");
        all = LLVMBuildInsertElement(builder, all, element, LLVMConstInt(word, e, false), "");
    }
    return all;
}

void kiln_codegen_split_bitcasts(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef i = kiln_first_instruction(module), next; i; i = next) {
        next = kiln_next_instruction(i);
        const unsigned per_element = words_per_element(i);
        if (per_element == 0)
            continue;
        LLVMPositionBuilderBefore(builder, i);
        LLVMReplaceAllUsesWith(i, split(builder, LLVMGetOperand(i, 0), LLVMTypeOf(i), per_element));
        LLVMInstructionEraseFromParent(i);
    }
    LLVMDisposeBuilder(builder);
}
