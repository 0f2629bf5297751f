// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hides the constants of `one` and `ueq` comparisons from LLVM (workarounds.def:
// compared_constants):
//
//   fcmp one float %x, 3.0    →   %k = call float @llvm.arithmetic.fence(float 3.0)
//                                 fcmp one float %x, %k
//
// Where such a comparison selects between its constant and another value, LLVM replaces the
// constant by %x, as if both were equal there; but %x may also be a NaN.
#include <llvm-c/Core.h>
#include <string.h>

#include "codegen/codegen_internal.h"
#include "codegen/ir/walk.h"

static const char FENCE[] = "llvm.arithmetic.fence";

static bool may_be_mistaken(LLVMValueRef i)
{
    if (!LLVMIsAFCmpInst(i))
        return false;
    const LLVMRealPredicate predicate = LLVMGetFCmpPredicate(i);
    return predicate == LLVMRealONE || predicate == LLVMRealUEQ;
}

void kiln_codegen_fence_constants(LLVMModuleRef module)
{
    const unsigned id = LLVMLookupIntrinsicID(FENCE, sizeof FENCE - 1);
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    for (LLVMValueRef i = kiln_first_instruction(module); i; i = kiln_next_instruction(i))
        for (unsigned o = 0; may_be_mistaken(i) && o < 2; ++o) {
            LLVMValueRef operand = LLVMGetOperand(i, o);
            if (!LLVMIsConstant(operand))
                continue;
            LLVMTypeRef type = LLVMTypeOf(operand);
            LLVMPositionBuilderBefore(builder, i);
            LLVMValueRef fenced =
                LLVMBuildCall2(builder, LLVMIntrinsicGetType(context, id, &type, 1),
                               LLVMGetIntrinsicDeclaration(module, id, &type, 1), &operand, 1, "");
            LLVMSetOperand(i, o, fenced);
        }
    LLVMDisposeBuilder(builder);
}
