// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps sums and differences of converted integers in floating point. LLVM 22 computes them as
// integers, which it can neither pack nor convert from bytes of a word, as weights and their zero
// points are:
//
//   fsub (uitofp %q), (uitofp %zero)   →   sitofp (sub %q, %zero)
//
// Its passes do not look through llvm.arithmetic.fence, which is no instruction:
//
//   %z = uitofp %zero
//   fsub (uitofp %q), %z               →   fsub (uitofp %q), (fence %z)
//
// After them all fences go. Selection does not make integers of the sums, and has no instruction
// for the fence of a value that is the same in all lanes.
#include <string.h>

#include <llvm-c/Core.h>

#include "codegen/codegen_internal.h"
#include "codegen/ir/walk.h"

static const char FENCE[] = "llvm.arithmetic.fence";

static bool is_conversion(LLVMValueRef value)
{
    return LLVMIsAUIToFPInst(value) || LLVMIsASIToFPInst(value);
}

static bool is_sum(LLVMValueRef i)
{
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    return (opcode == LLVMFSub || opcode == LLVMFAdd) && is_conversion(LLVMGetOperand(i, 0)) &&
           is_conversion(LLVMGetOperand(i, 1));
}

void kiln_codegen_fence_conversions(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef i = kiln_first_instruction(module); i; i = kiln_next_instruction(i)) {
        if (!is_sum(i))
            continue;
        LLVMValueRef number = LLVMGetOperand(i, 1);
        LLVMTypeRef type = LLVMTypeOf(number);
        LLVMValueRef fence = LLVMGetIntrinsicDeclaration(
            module, LLVMLookupIntrinsicID(FENCE, sizeof FENCE - 1), &type, 1);
        LLVMPositionBuilderBefore(builder, i);
        LLVMSetOperand(
            i, 1, LLVMBuildCall2(builder, LLVMGlobalGetValueType(fence), fence, &number, 1, ""));
    }
    LLVMDisposeBuilder(builder);
}

static bool is_fence(LLVMValueRef i)
{
    size_t length;
    if (!LLVMIsAIntrinsicInst(i))
        return false;
    const char *name = LLVMGetValueName2(LLVMGetCalledValue(i), &length);
    return length > sizeof FENCE && strncmp(name, FENCE, sizeof FENCE - 1) == 0;
}

void kiln_codegen_unfence_conversions(LLVMModuleRef module)
{
    for (LLVMValueRef i = kiln_first_instruction(module), next; i; i = next) {
        next = kiln_next_instruction(i);
        if (!is_fence(i))
            continue;
        LLVMReplaceAllUsesWith(i, LLVMGetOperand(i, 0));
        LLVMInstructionEraseFromParent(i);
    }
}
