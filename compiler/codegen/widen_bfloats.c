// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps LLVM 22 from computing with bf16 in f16. Its instcombine makes operations of f16 of those whose results are
// narrowed to f16 and whose operands are widened, where f16 has as many digits as these; their range it doesn't ask for:
//
//   fptrunc (fmul (fpext bfloat 1e38), 0.0) to half       →       fmul half (fptrunc 1e38 = ∞), 0.0, a NaN
//
// So in a module that narrows to f16, bf16 is widened by the shift that it comes to.
//
// The thing one gets wrong: an operation may get such an operand only while LLVM combines others, by a selection or a
// function that is inlined. So it is not enough to look at narrowed operations.
#include <llvm-c/Core.h>

#include "codegen/codegen_internal.h"

static LLVMTypeKind element_kind(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type);
}

static bool narrows_to_half(LLVMValueRef instruction)
{
    return LLVMIsAFPTruncInst(instruction) && element_kind(instruction) == LLVMHalfTypeKind;
}

static bool widens_bfloat(LLVMValueRef instruction)
{
    return LLVMIsAFPExtInst(instruction) && element_kind(LLVMGetOperand(instruction, 0)) == LLVMBFloatTypeKind;
}

// As many elements as `like` has.
static LLVMTypeRef shaped(LLVMTypeRef element, LLVMValueRef like)
{
    LLVMTypeRef type = LLVMTypeOf(like);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMVectorType(element, LLVMGetVectorSize(type)) : element;
}

static void widen_by_shift(LLVMBuilderRef builder, LLVMValueRef widening)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(widening));
    LLVMValueRef value = LLVMGetOperand(widening, 0);
    LLVMTypeRef bits = shaped(LLVMInt16TypeInContext(context), value);
    LLVMTypeRef word = LLVMInt32TypeInContext(context), words = shaped(word, value);
    LLVMValueRef sixteen = LLVMConstInt(word, 16, 0), shift = sixteen;
    LLVMPositionBuilderBefore(builder, widening);
    LLVMValueRef wide = LLVMBuildZExt(builder, LLVMBuildBitCast(builder, value, bits, ""), words, "");
    if (words != word) {
        LLVMValueRef lane = LLVMBuildInsertElement(builder, LLVMGetPoison(words), sixteen, LLVMConstNull(word), "");
        shift = LLVMBuildShuffleVector(builder, lane, LLVMGetPoison(words), LLVMConstNull(words), "");
    }
    wide = LLVMBuildShl(builder, wide, shift, "");
    wide = LLVMBuildBitCast(builder, wide, shaped(LLVMFloatTypeInContext(context), value), "");
    if (LLVMTypeOf(wide) != LLVMTypeOf(widening))
        wide = LLVMBuildFPExt(builder, wide, LLVMTypeOf(widening), "");
    LLVMReplaceAllUsesWith(widening, wide);
    LLVMInstructionEraseFromParent(widening);
}

static bool has_narrowing(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
                if (narrows_to_half(i))
                    return true;
    return false;
}

void kiln_codegen_widen_bfloats(LLVMModuleRef module)
{
    if (!has_narrowing(module))
        return;
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (widens_bfloat(i))
                    widen_by_shift(builder, i);
            }
    LLVMDisposeBuilder(builder);
}
