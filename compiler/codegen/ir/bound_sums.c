// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows reduced_sums and compared_sums of workarounds.def: bounds the time that LLVM's code
// generation takes for sums of integers and addresses. It splits each sum of a loop in as many ways
// as the sum has pairs of terms, and subtracts each sum from all others that share a term with it.
// A scan leaves sums of hundreds of terms:
//
//   %s1 = add %x0, %x1                                         %s1 = add %x0, %x1
//   …                                                 →        …
//   %s8 = add %s7, %x8                                         %cut = freeze %s7
//                                                              %s8 = add %cut, %x8
//
// A frozen value is a single term, different from all others; it costs no instruction.
//
// Note that this must run after the optimization passes, which move and drop freezes and
// reassociate.
#include <stdint.h>

#include <llvm-c/Core.h>

#include "analysis/pointer_map.h"
#include "codegen/codegen_internal.h"
#include "codegen/ir/walk.h"

// Kernels of the corpus have sums of at most 7 terms. Loop strength reduction takes up to 1 ms for
// a sum of 8, 8 ms for one of 14; straight-line strength reduction 0.1 s for 256 sums that share a
// term, 9 s for 2000.
enum { MAX_TERMS = 8, MAX_SUMS = 256 };

typedef struct sums {
    LLVMBuilderRef builder;
    kiln_pointer_map_t terms;  // of sums that have more than one
    kiln_pointer_map_t shared; // number of sums that a value is a term of
} sums_t;

static unsigned terms_of(const sums_t *sums, LLVMValueRef value)
{
    if (LLVMIsAConstant(value))
        return 0;
    int known = kiln_pointer_map_get(&sums->terms, value);
    return known > 0 ? (unsigned)known : 1;
}

static bool is_scalar(LLVMValueRef value)
{
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(value));
    return kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind;
}

// Whether ScalarEvolution adds the operands, directly or multiplied by a constant.
static bool is_sum(LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMGetElementPtr:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMBitCast:
        return is_scalar(instruction);
    case LLVMOr:
        return is_scalar(instruction) && LLVMGetIsDisjoint(instruction);
    case LLVMShl:
    case LLVMMul:
        return is_scalar(instruction) && (LLVMIsAConstant(LLVMGetOperand(instruction, 0)) ||
                                          LLVMIsAConstant(LLVMGetOperand(instruction, 1)));
    default:
        return false;
    }
}

static LLVMValueRef frozen(LLVMBuilderRef builder, LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
        if (LLVMIsAFreezeInst(LLVMGetUser(use)))
            return LLVMGetUser(use);
    LLVMValueRef next = LLVMGetNextInstruction(value);
    while (LLVMIsAPHINode(next))
        next = LLVMGetNextInstruction(next);
    LLVMPositionBuilderBefore(builder, next);
    return LLVMBuildFreeze(builder, value, "");
}

// The terms of a sum. Its longest operands are frozen until the terms are few enough.
static unsigned bound_terms(sums_t *sums, LLVMValueRef sum)
{
    int count = LLVMGetNumOperands(sum);
    for (;;) {
        unsigned all = 0, max = 1, longest = 0;
        for (int i = 0; i < count; i++) {
            unsigned own = terms_of(sums, LLVMGetOperand(sum, (unsigned)i));
            all += own;
            if (own > max) {
                max = own;
                longest = (unsigned)i;
            }
        }
        if (all <= MAX_TERMS || max == 1)
            return all;
        LLVMSetOperand(sum, longest, frozen(sums->builder, LLVMGetOperand(sum, longest)));
    }
}

// Freezes operands shared by many other sums, with a new freeze for each use. Returns false if
// memory is exhausted.
static bool bound_shared(sums_t *sums, LLVMValueRef sum)
{
    int count = LLVMGetNumOperands(sum), variable = 0;
    for (int i = 0; i < count; i++)
        variable += !LLVMIsAConstant(LLVMGetOperand(sum, (unsigned)i));
    for (int i = 0; i < count && variable > 1; i++) {
        LLVMValueRef operand = LLVMGetOperand(sum, (unsigned)i);
        if (LLVMIsAConstant(operand))
            continue;
        int others = kiln_pointer_map_get(&sums->shared, operand);
        others = others < 0 ? 0 : others;
        if (others < MAX_SUMS) {
            if (!kiln_pointer_map_put(&sums->shared, operand, others + 1))
                return false;
            continue;
        }
        LLVMPositionBuilderBefore(sums->builder, sum);
        LLVMSetOperand(sum, (unsigned)i, LLVMBuildFreeze(sums->builder, operand, ""));
    }
    return true;
}

// A loop variable counts as the most terms of its incoming values, plus one.
static unsigned terms_of_phi(const sums_t *sums, LLVMValueRef phi)
{
    unsigned max = 0;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        unsigned own = terms_of(sums, LLVMGetIncomingValue(phi, i));
        max = own > max ? own : max;
    }
    return max + 1;
}

static bool bound(sums_t *sums, LLVMValueRef instruction)
{
    unsigned count = 1;
    if (LLVMIsAPHINode(instruction) && is_scalar(instruction))
        count = terms_of_phi(sums, instruction);
    else if (is_sum(instruction)) {
        if (!bound_shared(sums, instruction))
            return false;
        count = bound_terms(sums, instruction);
    }
    return count <= 1 || kiln_pointer_map_put(&sums->terms, instruction, (int)count);
}

bool kiln_codegen_bound_sums(LLVMModuleRef module)
{
    sums_t sums = {.builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module))};
    bool ok = true;
    for (LLVMValueRef i = kiln_first_instruction(module); ok && i; i = kiln_next_instruction(i))
        ok = bound(&sums, i);
    kiln_pointer_map_free(&sums.terms);
    kiln_pointer_map_free(&sums.shared);
    LLVMDisposeBuilder(sums.builder);
    return ok;
}
