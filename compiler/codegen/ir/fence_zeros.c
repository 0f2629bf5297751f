// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps the sign of 0 - x (workarounds.def: zero_minus). LLVM treats +0 - x as -x where an
// operation with a negation modifier uses it; but for x = +0 it is +0. So the zero is hidden:
//
//   %d = fsub float 0.0, %x       →       %z = call float @llvm.arithmetic.fence(float 0.0)
//   %e = fmul float %d, %y                %d = fsub float %z, %x
//                                         %e = fmul float %d, %y
//
// and so is that of sums that LLVM may turn into such a difference, (-x) + 0. Triton's unary minus
// is 0 - x; it remains free where the sign of a zero has no effect on the results, as in exp(-x).
//
// Whether it has an effect is decided with every such zero replaced by -0, so that the differences
// are the negations that LLVM takes them for. Otherwise each operand of (0 - x) + (0 - y) would
// seem to make the sign of the other one irrelevant.
//
// Note that only constants may be fenced: LLVM gives a uniform result of a fence a scalar register,
// to which it cannot copy what vector instructions have computed.
#include <llvm-c/Core.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "codegen/codegen_internal.h"
#include "codegen/ir/walk.h"
#include "codegen/llvm_shim.h"

enum {
    MAX_DEPTH = 6,    // operations between a zero and the one that ignores its sign
    MAX_ELEMENTS = 64 // of a constant whose other elements are kept
};

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

// The constant with -0 in place of each +0.
static LLVMValueRef negate_zeros(LLVMValueRef constant)
{
    LLVMTypeRef type = LLVMTypeOf(constant);
    LLVMValueRef elements[MAX_ELEMENTS];
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return LLVMConstReal(type, -0.0);
    const unsigned count = LLVMGetVectorSize(type);
    for (unsigned e = 0; e < count; ++e) {
        elements[e] = count <= MAX_ELEMENTS ? LLVMGetAggregateElement(constant, e) : NULL;
        if (!elements[e])
            return LLVMGetUndef(type);
        if (is_number(elements[e], 0.0))
            elements[e] = LLVMConstReal(LLVMTypeOf(elements[e]), -0.0);
    }
    return LLVMConstVector(elements, count);
}

// An operand that is, or has, the zero of such an instruction.
typedef struct zero {
    LLVMValueRef instruction, constant;
    unsigned operand;
    bool shows;
} zero_t;

// Finds the zeros, and replaces them by what LLVM takes them for.
static bool take_zeros(LLVMModuleRef module, zero_t **out_all, size_t *out_count)
{
    size_t capacity = 0;
    for (LLVMValueRef i = kiln_first_instruction(module); i; i = kiln_next_instruction(i))
        for (unsigned o = 0; may_be_mistaken(i) && o < (unsigned)LLVMGetNumOperands(i); ++o) {
            LLVMValueRef constant = LLVMGetOperand(i, o);
            if (!has_constant(constant, 0.0))
                continue;
            if (!KILN_ARRAY_RESERVE(out_all, &capacity, *out_count + 1))
                return false;
            (*out_all)[(*out_count)++] = (zero_t){i, constant, o, false};
        }
    for (size_t z = 0; z < *out_count; ++z)
        LLVMSetOperand((*out_all)[z].instruction, (*out_all)[z].operand,
                       negate_zeros((*out_all)[z].constant));
    return true;
}

kiln_status_t kiln_codegen_fence_zeros(LLVMModuleRef module)
{
    zero_t *all = NULL;
    size_t count = 0;
    const bool done = take_zeros(module, &all, &count);
    for (size_t z = 0; z < count && done; ++z)
        all[z].shows = shows_sign_of_zero(all[z].instruction, MAX_DEPTH);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (size_t z = 0; z < count && done; ++z) {
        LLVMPositionBuilderBefore(builder, all[z].instruction);
        LLVMSetOperand(all[z].instruction, all[z].operand,
                       all[z].shows ? fence_elements(builder, module, all[z].constant)
                                    : all[z].constant);
    }
    LLVMDisposeBuilder(builder);
    free(all);
    return done ? KILN_OK : kiln_status_out_of_memory();
}
