// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps LLVM 22 from an error with f16 made of integers. It takes the conversion for exact where the integer is known to
// have as few digits, leaving out zeros behind them, and leaves the f16 out where that is converted in turn; whether it
// is in the range of f16, it doesn't ask:
//
//   fpext (uitofp (shl i32 %x, 31) to half) to double       →       uitofp i32 2147483648 to double, which f16 has not
//
// So in a module that converts f16 to something else, integers that may be larger than f16's numbers are bounded by one
// that is just larger, and odd: so it has more digits than f16, and becomes an infinity.
//
// The thing one gets wrong: where LLVM finds the bound useless and drops it, nothing is above it.
#include <llvm-c/Core.h>

#include "codegen/codegen_internal.h"

enum { BOUND = 65535, BOUND_BITS = 16 }; // 65520 and more are infinite

static LLVMTypeRef element_type(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

static bool is_half(LLVMValueRef value)
{
    return LLVMGetTypeKind(element_type(value)) == LLVMHalfTypeKind;
}

static bool converts_half(LLVMValueRef i)
{
    return (LLVMIsAFPExtInst(i) || LLVMIsAFPToUIInst(i) || LLVMIsAFPToSIInst(i)) && is_half(LLVMGetOperand(i, 0));
}

static bool makes_half(LLVMValueRef i)
{
    return (LLVMIsAUIToFPInst(i) || LLVMIsASIToFPInst(i)) && is_half(i) &&
           LLVMGetIntTypeWidth(element_type(LLVMGetOperand(i, 0))) > BOUND_BITS;
}

// As many of the number as `like` has elements.
static LLVMValueRef repeated(LLVMBuilderRef builder, long long number, LLVMValueRef like)
{
    LLVMTypeRef type = LLVMTypeOf(like), element = element_type(like);
    LLVMValueRef constant = LLVMConstInt(element, (unsigned long long)number, true);
    if (type == element)
        return constant;
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    LLVMValueRef first = LLVMBuildInsertElement(builder, LLVMGetPoison(type), constant, LLVMConstNull(word), "");
    LLVMValueRef lanes = LLVMConstNull(LLVMVectorType(word, LLVMGetVectorSize(type)));
    return LLVMBuildShuffleVector(builder, first, LLVMGetPoison(type), lanes, "");
}

// The integer, or the bound where it is beyond that.
static LLVMValueRef bounded(LLVMBuilderRef builder, LLVMValueRef integer, LLVMIntPredicate beyond, long long bound)
{
    LLVMValueRef most = repeated(builder, bound, integer);
    return LLVMBuildSelect(builder, LLVMBuildICmp(builder, beyond, integer, most, ""), most, integer, "");
}

static void bound(LLVMBuilderRef builder, LLVMValueRef conversion)
{
    LLVMPositionBuilderBefore(builder, conversion);
    LLVMValueRef integer = LLVMGetOperand(conversion, 0);
    if (LLVMIsAUIToFPInst(conversion)) {
        integer = bounded(builder, integer, LLVMIntUGT, BOUND);
    } else {
        integer = bounded(builder, integer, LLVMIntSGT, BOUND);
        integer = bounded(builder, integer, LLVMIntSLT, -BOUND);
    }
    LLVMSetOperand(conversion, 0, integer);
}

static bool has_such_conversion(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
                if (converts_half(i))
                    return true;
    return false;
}

void kiln_codegen_bound_integers(LLVMModuleRef module)
{
    if (!has_such_conversion(module))
        return;
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
                if (makes_half(i))
                    bound(builder, i);
    LLVMDisposeBuilder(builder);
}
