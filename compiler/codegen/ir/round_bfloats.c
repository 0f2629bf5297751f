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
// A NaN must not go through the sum if its carry may turn it into a zero. If the lower half of
// every NaN is 0, nothing is carried, and two instructions suffice. That holds for numbers widened
// from bf16 and for what is computed from them: an operation's NaN is 0x7fc00000 of either sign, or
// an operand's with the quiet bit set (CDNA3 ISA guide, section 6.3).
//
// Integers of at most 8 bits are bf16 numbers. They are converted to f32, whose lower half is then
// 0, and need no rounding, which LLVM would add:
//
//   sitofp i8 %n to bfloat       →   the upper half of sitofp i8 %n to float            v_cvt_f32_i32
//
// Note that a NaN widened from f16 has bits in the lower half.
#include <string.h>

#include <llvm-c/Core.h>

#include "codegen/codegen_internal.h"
#include "codegen/ir/walk.h"

enum { QUIET_NAN = 0x7fc00000, HALF_LESS_ONE = 0x7fff, UPPER = 16, EXACT = 8, MAX_VISITS = 64 };

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

static bool is_exact_as_bfloat(LLVMValueRef i)
{
    return (LLVMIsASIToFPInst(i) || LLVMIsAUIToFPInst(i)) &&
           LLVMGetTypeKind(element_of(LLVMTypeOf(i))) == LLVMBFloatTypeKind &&
           LLVMGetIntTypeWidth(element_of(LLVMTypeOf(LLVMGetOperand(i, 0)))) <= EXACT;
}

// NaNs --------------------------------------------------------------------------------------------

static bool is_never_nan(LLVMValueRef value)
{
    LLVMBool loses_info;
    if (LLVMIsAConstantFP(value)) {
        double number = LLVMConstRealGetDouble(value, &loses_info);
        return number == number;
    }
    return LLVMIsASIToFPInst(value) || LLVMIsAUIToFPInst(value);
}

static bool is_call_of(LLVMValueRef value, const char *intrinsic)
{
    size_t length;
    if (!LLVMIsAIntrinsicInst(value))
        return false;
    const char *name = LLVMGetValueName2(LLVMGetCalledValue(value), &length);
    size_t prefix = strlen(intrinsic);
    return length > prefix && strncmp(name, intrinsic, prefix) == 0 && name[prefix] == '.';
}

// Whether a NaN in `value` comes from an operand, its quiet bit and its sign aside, or is the
// default one.
static bool passes_nans_on(LLVMValueRef value)
{
    if (!LLVMIsAInstruction(value))
        return false;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMFNeg:
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMShuffleVector:
    case LLVMPHI:
        return true;
    default:
        return is_call_of(value, "llvm.fma") || is_call_of(value, "llvm.fmuladd") ||
               is_call_of(value, "llvm.fabs");
    }
}

static int operands_with_numbers(LLVMValueRef value)
{
    return LLVMIsACallInst(value) ? (int)LLVMGetNumArgOperands(value) : LLVMGetNumOperands(value);
}

// Whether the lower half of every NaN in `value` is 0. `visits` bounds the search, in which a
// loop's value is proved by what it starts from and what an iteration computes from it.
static bool has_short_nans(LLVMValueRef value, LLVMValueRef *visited, int *visits)
{
    for (int i = 0; i < *visits; ++i)
        if (visited[i] == value)
            return true;
    if (*visits == MAX_VISITS)
        return false;
    visited[(*visits)++] = value;
    if (is_never_nan(value) || LLVMIsUndef(value)) // poison, too
        return true;
    if (LLVMIsAConstantDataVector(value)) {
        unsigned count = LLVMGetVectorSize(LLVMTypeOf(value)), ordinary = 0;
        while (ordinary < count && is_never_nan(LLVMGetAggregateElement(value, ordinary)))
            ++ordinary;
        return ordinary == count;
    }
    if (LLVMIsAFPExtInst(value))
        return LLVMGetTypeKind(element_of(LLVMTypeOf(LLVMGetOperand(value, 0)))) ==
               LLVMBFloatTypeKind;
    if (LLVMIsAPHINode(value)) {
        for (unsigned i = 0; i < LLVMCountIncoming(value); ++i)
            if (!has_short_nans(LLVMGetIncomingValue(value, i), visited, visits))
                return false;
        return true;
    }
    if (LLVMIsAExtractElementInst(value))
        return has_short_nans(LLVMGetOperand(value, 0), visited, visits);
    if (LLVMIsAInsertElementInst(value))
        return has_short_nans(LLVMGetOperand(value, 0), visited, visits) &&
               has_short_nans(LLVMGetOperand(value, 1), visited, visits);
    if (LLVMIsASelectInst(value))
        return has_short_nans(LLVMGetOperand(value, 1), visited, visits) &&
               has_short_nans(LLVMGetOperand(value, 2), visited, visits);
    if (!passes_nans_on(value))
        return false;
    for (int i = 0; i < operands_with_numbers(value); ++i)
        if (!has_short_nans(LLVMGetOperand(value, (unsigned)i), visited, visits))
            return false;
    return true;
}

// Rounding ----------------------------------------------------------------------------------------

static LLVMValueRef upper_half(LLVMBuilderRef builder, LLVMValueRef bits)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(bits));
    LLVMValueRef upper =
        LLVMBuildLShr(builder, bits, LLVMConstInt(LLVMTypeOf(bits), UPPER, false), "");
    return LLVMBuildBitCast(builder,
                            LLVMBuildTrunc(builder, upper, LLVMInt16TypeInContext(context), ""),
                            LLVMBFloatTypeInContext(context), "");
}

static LLVMValueRef rounded(LLVMBuilderRef builder, LLVMValueRef number, bool nans_are_short)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(number));
    LLVMTypeRef word = LLVMInt32TypeInContext(context);
    LLVMValueRef bits = LLVMBuildBitCast(builder, number, word, "");
    LLVMValueRef even =
        LLVMBuildAnd(builder, LLVMBuildLShr(builder, bits, LLVMConstInt(word, UPPER, false), ""),
                     LLVMConstInt(word, 1, false), "");
    LLVMValueRef sum = LLVMBuildAdd(
        builder, LLVMBuildAdd(builder, bits, LLVMConstInt(word, HALF_LESS_ONE, false), ""), even,
        "");
    if (!nans_are_short) {
        LLVMValueRef is_nan =
            LLVMBuildFCmp(builder, LLVMRealUNO, number, LLVMConstNull(LLVMTypeOf(number)), "");
        sum = LLVMBuildSelect(builder, is_nan, LLVMConstInt(word, QUIET_NAN, false), sum, "");
    }
    return upper_half(builder, sum);
}

static LLVMValueRef converted(LLVMBuilderRef builder, LLVMValueRef number, bool is_signed)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(number));
    LLVMTypeRef type = LLVMFloatTypeInContext(context);
    LLVMValueRef value = is_signed ? LLVMBuildSIToFP(builder, number, type, "")
                                   : LLVMBuildUIToFP(builder, number, type, "");
    return upper_half(builder,
                      LLVMBuildBitCast(builder, value, LLVMInt32TypeInContext(context), ""));
}

// What replaces the instruction for one of its operand's elements.
static LLVMValueRef of_element(LLVMBuilderRef builder, LLVMValueRef i, LLVMValueRef number,
                               bool nans_are_short)
{
    return LLVMIsAFPTruncInst(i) ? rounded(builder, number, nans_are_short)
                                 : converted(builder, number, LLVMIsASIToFPInst(i));
}

static LLVMValueRef of_elements(LLVMBuilderRef builder, LLVMValueRef i)
{
    LLVMValueRef visited[MAX_VISITS], numbers = LLVMGetOperand(i, 0);
    LLVMTypeRef type = LLVMTypeOf(i);
    int visits = 0;
    bool nans_are_short = LLVMIsAFPTruncInst(i) && has_short_nans(numbers, visited, &visits);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return of_element(builder, i, numbers, nans_are_short);
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    LLVMValueRef all = LLVMGetPoison(type);
    for (unsigned e = 0; e < LLVMGetVectorSize(type); ++e) {
        LLVMValueRef at = LLVMConstInt(word, e, false);
        LLVMValueRef number = LLVMBuildExtractElement(builder, numbers, at, "");
        all = LLVMBuildInsertElement(builder, all, of_element(builder, i, number, nans_are_short),
                                     at, "");
    }
    return all;
}

void kiln_codegen_round_bfloats(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef i = kiln_first_instruction(module), next; i; i = next) {
        next = kiln_next_instruction(i);
        if (!rounds_to_bfloat(i) && !is_exact_as_bfloat(i))
            continue;
        LLVMPositionBuilderBefore(builder, i);
        LLVMReplaceAllUsesWith(i, of_elements(builder, i));
        LLVMInstructionEraseFromParent(i);
    }
    LLVMDisposeBuilder(builder);
}
