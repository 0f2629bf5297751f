// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divides f64 in one step more than LLVM (workarounds.def: subnormal_ties). LLVM's last step
// corrects an estimate that may be off by one unit, so that its sum is close to the quotient n / d,
// but not the quotient. If that is subnormal, v_div_fmas rounds the sum to fewer bits than 53, and
// a tie goes to the side that the sum lies on. Here, the last step corrects n / d rounded to 53
// bits:
//
//   %r   = 1 / %d by Newton's method                       (%n, %d: scaled by v_div_scale)
//   %q0  = %n * %r
//   %q   = fma(fma(-%d, %q0, %n), %r, %q0)                 added; n / d rounded
//   v_div_fmas(fma(-%d, %q, %n), %r, %q)
//
// A tie has at most 53 bits. If %q is not the tie, n / d lies on the same side of it, and the
// correction is less than the distance. If %q is the tie, the remainder is exact, and has the sign
// of n / d - %q, or is zero.
#include <llvm-c/Core.h>
#include <string.h>

#include "codegen/codegen_internal.h"
#include "codegen/ir/walk.h"

typedef struct {
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMTypeRef type; // f64
} divider_t;

static LLVMValueRef call(divider_t *d, const char *name, LLVMValueRef *args, unsigned count)
{
    LLVMContextRef context = LLVMGetModuleContext(d->module);
    const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMTypeRef type = LLVMIntrinsicGetType(context, id, &d->type, 1);
    return LLVMBuildCall2(d->builder, type, LLVMGetIntrinsicDeclaration(d->module, id, &d->type, 1),
                          args, count, "");
}

static LLVMValueRef fused(divider_t *d, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    return call(d, "llvm.fma", (LLVMValueRef[]){a, b, c}, 3);
}

static LLVMValueRef quotient(divider_t *d, LLVMValueRef numerator, LLVMValueRef denominator)
{
    LLVMBuilderRef b = d->builder;
    LLVMTypeRef bit = LLVMInt1TypeInContext(LLVMGetModuleContext(d->module));
    LLVMValueRef of_denominator =
        call(d, "llvm.amdgcn.div.scale",
             (LLVMValueRef[]){numerator, denominator, LLVMConstInt(bit, 0, false)}, 3);
    LLVMValueRef of_numerator =
        call(d, "llvm.amdgcn.div.scale",
             (LLVMValueRef[]){numerator, denominator, LLVMConstInt(bit, 1, false)}, 3);
    LLVMValueRef n = LLVMBuildExtractValue(b, of_numerator, 0, "");
    LLVMValueRef is_scaled = LLVMBuildExtractValue(b, of_numerator, 1, "");
    LLVMValueRef positive = LLVMBuildExtractValue(b, of_denominator, 0, "");
    LLVMValueRef negative = LLVMBuildFNeg(b, positive, "");

    LLVMValueRef one = LLVMConstReal(d->type, 1.0);
    LLVMValueRef inverse = call(d, "llvm.amdgcn.rcp", &positive, 1);
    inverse = fused(d, inverse, fused(d, negative, inverse, one), inverse);
    inverse = fused(d, inverse, fused(d, negative, inverse, one), inverse);

    LLVMValueRef q = LLVMBuildFMul(b, n, inverse, "");
    q = fused(d, fused(d, negative, q, n), inverse, q);
    q = call(d, "llvm.amdgcn.div.fmas",
             (LLVMValueRef[]){fused(d, negative, q, n), inverse, q, is_scaled}, 4);
    return call(d, "llvm.amdgcn.div.fixup", (LLVMValueRef[]){q, denominator, numerator}, 3);
}

static LLVMValueRef quotients(divider_t *d, LLVMValueRef numerators, LLVMValueRef denominators)
{
    LLVMTypeRef type = LLVMTypeOf(numerators);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return quotient(d, numerators, denominators);
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetModuleContext(d->module));
    LLVMValueRef all = LLVMGetPoison(type);
    for (unsigned e = 0; e < LLVMGetVectorSize(type); ++e) {
        LLVMValueRef at = LLVMConstInt(word, e, false);
        LLVMValueRef one = quotient(d, LLVMBuildExtractElement(d->builder, numerators, at, ""),
                                    LLVMBuildExtractElement(d->builder, denominators, at, ""));
        all = LLVMBuildInsertElement(d->builder, all, one, at, "");
    }
    return all;
}

static bool is_exact_division(LLVMValueRef i, LLVMTypeRef type)
{
    if (LLVMGetInstructionOpcode(i) != LLVMFDiv)
        return false;
    LLVMTypeRef own = LLVMTypeOf(i);
    if (LLVMGetTypeKind(own) == LLVMVectorTypeKind)
        own = LLVMGetElementType(own);
    return own == type && !(LLVMGetFastMathFlags(i) & LLVMFastMathApproxFunc);
}

void kiln_codegen_divide_doubles(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    divider_t d = {module, LLVMCreateBuilderInContext(context), LLVMDoubleTypeInContext(context)};
    for (LLVMValueRef i = kiln_first_instruction(module), next; i; i = next) {
        next = kiln_next_instruction(i);
        if (!is_exact_division(i, d.type))
            continue;
        LLVMPositionBuilderBefore(d.builder, i);
        LLVMReplaceAllUsesWith(i, quotients(&d, LLVMGetOperand(i, 0), LLVMGetOperand(i, 1)));
        LLVMInstructionEraseFromParent(i);
    }
    LLVMDisposeBuilder(d.builder);
}
