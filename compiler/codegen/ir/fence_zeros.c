// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps the sign of 0 - x (workarounds.def: zero_minus). LLVM takes +0 - x for -x where an
// operation with a negation modifier uses it; but for x = +0 it is +0. So the zero is hidden:
//
//   %d = fsub float 0.0, %x       →       %z = call float @llvm.arithmetic.fence(float 0.0)
//   %e = fmul float %d, %y                %d = fsub float %z, %x
//                                         %e = fmul float %d, %y
//
// and so is that of sums that LLVM may turn into such a difference, (-x) + 0. Triton's unary minus
// is 0 - x; it remains free where the sign of a zero has no effect on the results, as in exp(-x).
//
// Note that only constants may be fenced: LLVM gives a uniform result of a fence a scalar register,
// to which it cannot copy what vector instructions have computed.
#include <llvm-c/Core.h>
#include <string.h>

#include "codegen/codegen_internal.h"
#include "codegen/ir/walk.h"
#include "codegen/llvm_shim.h"

enum { MAX_DEPTH = 6 }; // operations between a zero and the one that ignores its sign

static const char FENCE[] = "llvm.arithmetic.fence";

static bool is_number(LLVMValueRef value, double number)
{
    return LLVMIsAConstantFP(value) && value == LLVMConstReal(LLVMTypeOf(value), number);
}

// Whether the value is a constant of which an element is `number`; +0 and -0 are different.
static bool has_constant(LLVMValueRef value, double number)
{
    if (!LLVMIsConstant(value) || LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMVectorTypeKind)
        return is_number(value, number);
    for (unsigned e = 0; e < LLVMGetVectorSize(LLVMTypeOf(value)); ++e) {
        LLVMValueRef element = LLVMGetAggregateElement(value, e);
        if (!element || is_number(element, number))
            return true;
    }
    return false;
}

static bool is_intrinsic(LLVMValueRef value, const char *name)
{
    LLVMValueRef callee = LLVMIsACallInst(value) ? LLVMGetCalledValue(value) : NULL;
    const unsigned id = callee && LLVMIsAFunction(callee) ? LLVMGetIntrinsicID(callee) : 0;
    return id != 0 && id == LLVMLookupIntrinsicID(name, strlen(name));
}

static bool is_fused(LLVMValueRef i)
{
    return is_intrinsic(i, "llvm.fma") || is_intrinsic(i, "llvm.fmuladd");
}

// Whether LLVM may take the value for the negation of another one.
static bool may_be_mistaken(LLVMValueRef i)
{
    if (LLVMIsABinaryOperator(i) && LLVMGetInstructionOpcode(i) == LLVMFSub)
        return has_constant(LLVMGetOperand(i, 0), 0.0);
    if (LLVMIsABinaryOperator(i) && LLVMGetInstructionOpcode(i) == LLVMFAdd)
        return has_constant(LLVMGetOperand(i, 0), 0.0) || has_constant(LLVMGetOperand(i, 1), 0.0);
    return LLVMIsACallInst(i) && LLVMGetNumArgOperands(i) == 3 &&
           has_constant(LLVMGetOperand(i, 2), 0.0) &&
           (has_constant(LLVMGetOperand(i, 0), -1.0) || has_constant(LLVMGetOperand(i, 1), -1.0)) &&
           is_fused(i);
}

static bool is_even_at_zero(LLVMValueRef i)
{
    static const char *const names[] = {"llvm.exp",         "llvm.exp2", "llvm.exp10",
                                        "llvm.amdgcn.exp2", "llvm.cos",  "llvm.amdgcn.cos"};
    for (size_t n = 0; n < sizeof names / sizeof *names; ++n)
        if (is_intrinsic(i, names[n]))
            return true;
    return false;
}

static bool shows_sign_of_zero(LLVMValueRef value, int depth);

// Whether the sign of a zero that is this operand can have an effect. A sum of it and a value that
// is not -0 is that value, or +0.
static bool use_shows_sign(LLVMUseRef use, int depth)
{
    LLVMValueRef user = LLVMGetUser(use), value = LLVMGetUsedValue(use);
    if (kiln_shim_ignores_sign_of_zero(use) || is_even_at_zero(user))
        return false;
    if (is_fused(user))
        return value == LLVMGetOperand(user, 2) ||
               kiln_shim_may_be_negative_zero(LLVMGetOperand(user, 2), user);
    if (!LLVMIsAInstruction(user))
        return true;
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMFAdd:
        return kiln_shim_may_be_negative_zero(
            LLVMGetOperand(user, value == LLVMGetOperand(user, 0)), user);
    case LLVMFSub:
        return value != LLVMGetOperand(user, 1) ||
               kiln_shim_may_be_negative_zero(LLVMGetOperand(user, 0), user);
    case LLVMFDiv:
        return value == LLVMGetOperand(user, 1) || shows_sign_of_zero(user, depth - 1);
    case LLVMFMul:
    case LLVMFPExt:
    case LLVMFPTrunc:
    case LLVMSelect:
    case LLVMPHI:
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector:
        return shows_sign_of_zero(user, depth - 1);
    default:
        return true;
    }
}

static bool shows_sign_of_zero(LLVMValueRef value, int depth)
{
    if (depth == 0)
        return true;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
        if (use_shows_sign(use, depth))
            return true;
    return false;
}

static LLVMValueRef fence(LLVMBuilderRef builder, LLVMModuleRef module, LLVMValueRef number)
{
    const unsigned id = LLVMLookupIntrinsicID(FENCE, sizeof FENCE - 1);
    LLVMTypeRef type = LLVMTypeOf(number);
    return LLVMBuildCall2(builder, LLVMIntrinsicGetType(LLVMGetModuleContext(module), id, &type, 1),
                          LLVMGetIntrinsicDeclaration(module, id, &type, 1), &number, 1, "");
}

// Fences the zeros of a vector by one scalar, which needs one register.
static LLVMValueRef fence_elements(LLVMBuilderRef builder, LLVMModuleRef module,
                                   LLVMValueRef constant)
{
    LLVMTypeRef type = LLVMTypeOf(constant),
                word = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return fence(builder, module, constant);
    LLVMValueRef zero = fence(builder, module, LLVMConstNull(LLVMGetElementType(type))),
                 all = LLVMGetPoison(type);
    for (unsigned e = 0; e < LLVMGetVectorSize(type); ++e) {
        LLVMValueRef element = LLVMGetAggregateElement(constant, e);
        if (!element)
            return fence(builder, module, constant);
        all = LLVMBuildInsertElement(builder, all, is_number(element, 0.0) ? zero : element,
                                     LLVMConstInt(word, e, false), "");
    }
    return all;
}

void kiln_codegen_fence_zeros(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef i = kiln_first_instruction(module); i; i = kiln_next_instruction(i)) {
        if (!may_be_mistaken(i) || !shows_sign_of_zero(i, MAX_DEPTH))
            continue;
        LLVMPositionBuilderBefore(builder, i);
        for (unsigned o = 0; o < 3 && o < (unsigned)LLVMGetNumOperands(i); ++o)
            if (has_constant(LLVMGetOperand(i, o), 0.0))
                LLVMSetOperand(i, o, fence_elements(builder, module, LLVMGetOperand(i, o)));
    }
    LLVMDisposeBuilder(builder);
}
