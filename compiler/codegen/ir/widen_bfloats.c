// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Works around two bugs of LLVM 22 with bf16. Its instcombine turns operations with widened
// operands and results narrowed to f16 into operations on f16 if f16 has at least the precision of
// the operands; it does not check their range:
//
//   fptrunc (fmul (fpext bfloat 1e38), 0.0) to half       →       fmul half (fptrunc 1e38 = ∞), 0.0, a NaN
//
// And it compares a value narrowed to bf16 with a constant by comparing the wide value with the
// mean of that constant and the next one. Their sum is an infinity in f32 if they are 2^127 or
// more:
//
//   fcmp olt (fptrunc x to bfloat), 3.39e38               →       fcmp one x, ∞
//
// So in a module that narrows to f16, or narrows to bf16 and has such constants, bf16 is widened by
// the equivalent shift; in the latter case, before it is compared.
//
// Note that an operation may get such an operand only while LLVM combines others, through a select
// or an inlined function. So it is not enough to look at narrowed operations.
#include <math.h>

#include <llvm-c/Core.h>

#include "codegen/codegen_internal.h"
#include "codegen/ir/walk.h"

static LLVMTypeKind element_kind(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type)
                                                                       : type);
}

static bool widens_bfloat(LLVMValueRef instruction)
{
    return LLVMIsAFPExtInst(instruction) &&
           element_kind(LLVMGetOperand(instruction, 0)) == LLVMBFloatTypeKind;
}

static bool compares_bfloats(LLVMValueRef instruction)
{
    return LLVMIsAFCmpInst(instruction) &&
           element_kind(LLVMGetOperand(instruction, 0)) == LLVMBFloatTypeKind;
}

// `element`, or a vector of it with as many elements as `like`.
static LLVMTypeRef shaped(LLVMTypeRef element, LLVMValueRef like)
{
    LLVMTypeRef type = LLVMTypeOf(like);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind
               ? LLVMVectorType(element, LLVMGetVectorSize(type))
               : element;
}

// The value in f32, built at the builder's position.
static LLVMValueRef shifted(LLVMBuilderRef builder, LLVMValueRef value)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(value));
    LLVMTypeRef bits = shaped(LLVMInt16TypeInContext(context), value);
    LLVMTypeRef word = LLVMInt32TypeInContext(context), words = shaped(word, value);
    LLVMValueRef sixteen = LLVMConstInt(word, 16, 0), shift = sixteen;
    LLVMValueRef wide =
        LLVMBuildZExt(builder, LLVMBuildBitCast(builder, value, bits, ""), words, "");
    if (words != word) {
        LLVMValueRef lane =
            LLVMBuildInsertElement(builder, LLVMGetPoison(words), sixteen, LLVMConstNull(word), "");
        shift =
            LLVMBuildShuffleVector(builder, lane, LLVMGetPoison(words), LLVMConstNull(words), "");
    }
    wide = LLVMBuildShl(builder, wide, shift, "");
    return LLVMBuildBitCast(builder, wide, shaped(LLVMFloatTypeInContext(context), value), "");
}

static void replace(LLVMValueRef old, LLVMValueRef by)
{
    LLVMReplaceAllUsesWith(old, by);
    LLVMInstructionEraseFromParent(old);
}

static void widen_by_shift(LLVMBuilderRef builder, LLVMValueRef widening)
{
    LLVMPositionBuilderBefore(builder, widening);
    LLVMValueRef wide = shifted(builder, LLVMGetOperand(widening, 0));
    if (LLVMTypeOf(wide) != LLVMTypeOf(widening))
        wide = LLVMBuildFPExt(builder, wide, LLVMTypeOf(widening), "");
    replace(widening, wide);
}

static void compare_shifted(LLVMBuilderRef builder, LLVMValueRef comparison)
{
    LLVMPositionBuilderBefore(builder, comparison);
    LLVMValueRef a = shifted(builder, LLVMGetOperand(comparison, 0)),
                 b = shifted(builder, LLVMGetOperand(comparison, 1));
    LLVMValueRef made = LLVMBuildFCmp(builder, LLVMGetFCmpPredicate(comparison), a, b, "");
    if (LLVMCanValueUseFastMathFlags(made))
        LLVMSetFastMathFlags(made, LLVMGetFastMathFlags(comparison));
    replace(comparison, made);
}

static bool is_huge(LLVMValueRef value)
{
    LLVMBool loses;
    if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind) {
        for (unsigned i = 0; LLVMIsConstant(value) && i < LLVMGetVectorSize(LLVMTypeOf(value));
             i++) {
            LLVMValueRef element = LLVMGetAggregateElement(value, i);
            if (element && is_huge(element))
                return true;
        }
        return false;
    }
    double number = LLVMIsAConstantFP(value) ? fabs(LLVMConstRealGetDouble(value, &loses)) : 0;
    return number >= 0x1p127 && number < (double)INFINITY;
}

enum { TO_HALF = 1, TO_BFLOAT = 2, HUGE_NUMBER = 4, COMPARED_WRONGLY = TO_BFLOAT | HUGE_NUMBER };

static unsigned traits_of(LLVMValueRef instruction)
{
    unsigned traits = 0;
    if (LLVMIsAFPTruncInst(instruction))
        traits |= element_kind(instruction) == LLVMHalfTypeKind     ? TO_HALF
                  : element_kind(instruction) == LLVMBFloatTypeKind ? TO_BFLOAT
                                                                    : 0;
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++)
        traits |= is_huge(LLVMGetOperand(instruction, (unsigned)i)) ? HUGE_NUMBER : 0;
    return traits;
}

static unsigned find_traits(LLVMModuleRef module)
{
    unsigned traits = 0;
    for (LLVMValueRef i = kiln_first_instruction(module); i; i = kiln_next_instruction(i))
        traits |= traits_of(i);
    return traits;
}

void kiln_codegen_widen_bfloats(LLVMModuleRef module)
{
    unsigned traits = find_traits(module);
    bool is_compared = (traits & COMPARED_WRONGLY) == COMPARED_WRONGLY;
    if (!(traits & TO_HALF) && !is_compared)
        return;
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef i = kiln_first_instruction(module), next; i; i = next) {
        next = kiln_next_instruction(i);
        if (widens_bfloat(i))
            widen_by_shift(builder, i);
        else if (is_compared && compares_bfloats(i))
            compare_shifted(builder, i);
    }
    LLVMDisposeBuilder(builder);
}
