// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Works around a bug of LLVM 22 with integers converted from floats. If such an integer is
// converted back to a float, LLVM treats the conversion as exact if the result has at least one
// significant bit more than the first float, and skips the result if that is converted in turn. A
// negative number that is read as unsigned has as many significant bits as the integer has bits:
//
//   fpext (uitofp (fptosi half −666 to i32) to float) to double       →       uitofp i32 4294966630 to double, where the
//                                                                             f32 in between is 4294966528
//
// So in a module with such conversions from unsigned integers, signed integers that come from
// floats are frozen, because LLVM does not look through freeze.
//
// Note that all users of the integer must use the frozen one: if another user shows that it is not
// poison, LLVM drops the freeze.
#include <llvm-c/Core.h>

#include "codegen/codegen_internal.h"
#include "codegen/ir/walk.h"

static LLVMTypeRef element_type(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

static unsigned digits_of(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMBFloatTypeKind:
        return 8;
    case LLVMHalfTypeKind:
        return 11;
    case LLVMFloatTypeKind:
        return 24;
    case LLVMDoubleTypeKind:
        return 53;
    default:
        return 0;
    }
}

enum { WIDEST = 64 };

// The largest number of significant bits of floats that are converted from unsigned integers of
// this width and cannot represent all of them.
typedef struct digits {
    unsigned of_width[WIDEST + 1];
} digits_t;

static unsigned *digits_for(digits_t *digits, LLVMValueRef integer)
{
    unsigned width = LLVMGetIntTypeWidth(element_type(integer));
    return &digits->of_width[width < WIDEST ? width : WIDEST];
}

static void note_unsigned(digits_t *digits, LLVMValueRef conversion)
{
    LLVMValueRef integer = LLVMGetOperand(conversion, 0);
    unsigned *max = digits_for(digits, integer), made = digits_of(element_type(conversion));
    if (made < LLVMGetIntTypeWidth(element_type(integer)) && made > *max)
        *max = made;
}

static void freeze(LLVMBuilderRef builder, LLVMValueRef integer)
{
    LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(integer));
    LLVMValueRef frozen = LLVMBuildFreeze(builder, integer, "");
    LLVMReplaceAllUsesWith(integer, frozen);
    LLVMSetOperand(frozen, 0, integer);
}

static digits_t find_unsigned(LLVMModuleRef module)
{
    digits_t digits = {0};
    for (LLVMValueRef i = kiln_first_instruction(module); i; i = kiln_next_instruction(i))
        if (LLVMIsAUIToFPInst(i))
            note_unsigned(&digits, i);
    return digits;
}

void kiln_codegen_freeze_integers(LLVMModuleRef module)
{
    digits_t digits = find_unsigned(module);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef i = kiln_first_instruction(module); i; i = kiln_next_instruction(i))
        if (LLVMIsAFPToSIInst(i) &&
            digits_of(element_type(LLVMGetOperand(i, 0))) < *digits_for(&digits, i))
            freeze(builder, i);
    LLVMDisposeBuilder(builder);
}
