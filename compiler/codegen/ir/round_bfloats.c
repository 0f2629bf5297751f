// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounds f32 to bf16, for which gfx942 lacks an instruction, with four instructions instead of
// LLVM's five:
//
//   fptrunc float %x to bfloat   →   %even = (%x >> 16) & 1                             v_bfe_u32
//                                    %sum  = %x + 0x7fff + %even                        v_add3_u32
//                                    %safe = %x is a NaN ? 0x7fc00000 : %sum            v_cmp_u_f32, v_cndmask_b32
//                                    the upper half of %safe
//
// LLVM keeps a NaN's sign and payload, which no program may rely on, with one v_or_b32 per number.
//
// Note that a NaN must not go through the sum, whose carry may turn it into a zero.
#include <llvm-c/Core.h>

#include "codegen/codegen_internal.h"
#include "codegen/ir/walk.h"

enum { QUIET_NAN = 0x7fc00000, HALF_LESS_ONE = 0x7fff, UPPER = 16 };

static LLVMTypeRef element_of(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

static bool rounds_to_bfloat(LLVMValueRef i)
{
    return LLVMIsAFPTruncInst(i) &&
           LLVMGetTypeKind(element_of(LLVMTypeOf(i))) == LLVMBFloatTypeKind &&
           LLVMGetTypeKind(element_of(LLVMTypeOf(LLVMGetOperand(i, 0)))) == LLVMFloatTypeKind;
}

static LLVMValueRef rounded(LLVMBuilderRef builder, LLVMValueRef number)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(number));
    LLVMTypeRef word = LLVMInt32TypeInContext(context);
    LLVMValueRef is_nan =
        LLVMBuildFCmp(builder, LLVMRealUNO, number, LLVMConstNull(LLVMTypeOf(number)), "");
    LLVMValueRef bits = LLVMBuildBitCast(builder, number, word, "");
    LLVMValueRef even =
        LLVMBuildAnd(builder, LLVMBuildLShr(builder, bits, LLVMConstInt(word, UPPER, false), ""),
                     LLVMConstInt(word, 1, false), "");
    LLVMValueRef sum = LLVMBuildAdd(
        builder, LLVMBuildAdd(builder, bits, LLVMConstInt(word, HALF_LESS_ONE, false), ""), even,
        "");
    LLVMValueRef safe =
        LLVMBuildSelect(builder, is_nan, LLVMConstInt(word, QUIET_NAN, false), sum, "");
    LLVMValueRef upper = LLVMBuildLShr(builder, safe, LLVMConstInt(word, UPPER, false), "");
    return LLVMBuildBitCast(builder,
                            LLVMBuildTrunc(builder, upper, LLVMInt16TypeInContext(context), ""),
                            LLVMBFloatTypeInContext(context), "");
}

static LLVMValueRef rounded_elements(LLVMBuilderRef builder, LLVMValueRef numbers, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return rounded(builder, numbers);
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    LLVMValueRef all = LLVMGetPoison(type);
    for (unsigned e = 0; e < LLVMGetVectorSize(type); ++e) {
        LLVMValueRef at = LLVMConstInt(word, e, false);
        LLVMValueRef number = LLVMBuildExtractElement(builder, numbers, at, "");
        all = LLVMBuildInsertElement(builder, all, rounded(builder, number), at, "");
    }
    return all;
}

void kiln_codegen_round_bfloats(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef i = kiln_first_instruction(module), next; i; i = next) {
        next = kiln_next_instruction(i);
        if (!rounds_to_bfloat(i))
            continue;
        LLVMPositionBuilderBefore(builder, i);
        LLVMReplaceAllUsesWith(i, rounded_elements(builder, LLVMGetOperand(i, 0), LLVMTypeOf(i)));
        LLVMInstructionEraseFromParent(i);
    }
    LLVMDisposeBuilder(builder);
}
