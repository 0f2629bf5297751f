// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Works around a bug of LLVM 22 with f16 converted from integers. LLVM treats the conversion as
// exact if the integer, without its trailing zeros, is known to have no more significant bits than
// f16, and then skips the f16 if that is converted in turn; it does not check whether the integer
// is in the range of f16:
//
//   fpext (uitofp (shl i32 %x, 31) to half) to double       →       uitofp i32 2147483648 to double, out of the range of f16
//
// So in a module that converts f16 to something else, integers that may exceed the largest f16 are
// bounded by a number that is just larger, and odd: it has more significant bits than f16, and
// becomes an infinity.
//
// Note that where LLVM drops the bound as redundant, no value exceeds it.
#include <llvm-c/Core.h>

#include "codegen/codegen_internal.h"
#include "codegen/ir/walk.h"

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
    return (LLVMIsAFPExtInst(i) || LLVMIsAFPToUIInst(i) || LLVMIsAFPToSIInst(i)) &&
           is_half(LLVMGetOperand(i, 0));
}

static bool makes_half(LLVMValueRef i)
{
    return (LLVMIsAUIToFPInst(i) || LLVMIsASIToFPInst(i)) && is_half(i) &&
           LLVMGetIntTypeWidth(element_type(LLVMGetOperand(i, 0))) > BOUND_BITS;
}

// The number, repeated for each element of `like`.
static LLVMValueRef repeated(LLVMBuilderRef builder, long long number, LLVMValueRef like)
{
    LLVMTypeRef type = LLVMTypeOf(like), element = element_type(like);
    LLVMValueRef constant = LLVMConstInt(element, (unsigned long long)number, true);
    if (type == element)
        return constant;
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    LLVMValueRef first =
        LLVMBuildInsertElement(builder, LLVMGetPoison(type), constant, LLVMConstNull(word), "");
    LLVMValueRef lanes = LLVMConstNull(LLVMVectorType(word, LLVMGetVectorSize(type)));
    return LLVMBuildShuffleVector(builder, first, LLVMGetPoison(type), lanes, "");
}

// The integer, or the bound if the integer is beyond it.
static LLVMValueRef bounded(LLVMBuilderRef builder, LLVMValueRef integer, LLVMIntPredicate beyond,
                            long long bound)
{
    LLVMValueRef max = repeated(builder, bound, integer);
    return LLVMBuildSelect(builder, LLVMBuildICmp(builder, beyond, integer, max, ""), max, integer,
                           "");
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
    for (LLVMValueRef i = kiln_first_instruction(module); i; i = kiln_next_instruction(i))
        if (converts_half(i))
            return true;
    return false;
}

void kiln_codegen_bound_integers(LLVMModuleRef module)
{
    if (!has_such_conversion(module))
        return;
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef i = kiln_first_instruction(module); i; i = kiln_next_instruction(i))
        if (makes_half(i))
            bound(builder, i);
    LLVMDisposeBuilder(builder);
}
