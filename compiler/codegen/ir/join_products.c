// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes both halves of a product by one instruction. Random number generators (Philox) need the
// lower and the upper 32 bits of the same products, and LLVM selects one multiplication for each
// half, because nothing connects them:
//
//   %l = mul i32 %a, %b                        %w = mul i64 (zext %a), (zext %b)
//   %w = mul i64 (zext %a), (zext %b)    →     %l = trunc %w
//
// Both are then one v_mad_u64_u32. This runs after LLVM's passes, which would separate the halves.
//
// Note that a block may contain the same product several times, because passes after LLVM's last
// CSE create some. A lower half after a wide product, which may be one that this pass has made of
// two others, becomes the lower half of that one.
#include <llvm-c/Core.h>

#include "codegen/codegen_internal.h"
#include "codegen/ir/walk.h"
#include "codegen/llvm_shim.h"

typedef struct product {
    LLVMValueRef a, b; // i32
    bool is_wide;      // all 64 bits
} product_t;

static bool is_integer(LLVMValueRef value, unsigned bits)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == bits;
}

// The 32 bits that a value of 64 bits extends by zeros, or NULL.
static LLVMValueRef extended(LLVMValueRef value)
{
    if (LLVMIsAZExtInst(value)) {
        LLVMValueRef from = LLVMGetOperand(value, 0);
        return is_integer(from, 32) ? from : NULL;
    }
    if (!LLVMIsAConstantInt(value) || LLVMConstIntGetZExtValue(value) > UINT32_MAX)
        return NULL;
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(value)));
    return LLVMConstInt(word, LLVMConstIntGetZExtValue(value), 0);
}

static bool is_product(LLVMValueRef instruction, product_t *out)
{
    if (LLVMGetInstructionOpcode(instruction) != LLVMMul)
        return false;
    LLVMValueRef a = LLVMGetOperand(instruction, 0), b = LLVMGetOperand(instruction, 1);
    out->is_wide = is_integer(instruction, 64);
    if (!out->is_wide && !is_integer(instruction, 32))
        return false;
    out->a = out->is_wide ? extended(a) : a;
    out->b = out->is_wide ? extended(b) : b;
    return out->a && out->b;
}

static bool is_other_half(LLVMValueRef user, LLVMValueRef of, const product_t *half)
{
    product_t other;
    return LLVMIsAInstruction(user) &&
           LLVMGetInstructionParent(user) == LLVMGetInstructionParent(of) &&
           is_product(user, &other) && other.is_wide != half->is_wide &&
           ((other.a == half->a && other.b == half->b) ||
            (other.a == half->b && other.b == half->a));
}

// The product of the same numbers and of the other width in the same block, or NULL.
static LLVMValueRef find_other_half(LLVMValueRef of, const product_t *half)
{
    LLVMValueRef shared = LLVMIsAConstant(half->a) ? half->b : half->a;
    if (LLVMIsAConstant(shared))
        return NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(shared); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (is_other_half(user, of, half))
            return user;
        if (!LLVMIsAZExtInst(user))
            continue;
        for (LLVMUseRef wide = LLVMGetFirstUse(user); wide; wide = LLVMGetNextUse(wide))
            if (is_other_half(LLVMGetUser(wide), of, half))
                return LLVMGetUser(wide);
    }
    return NULL;
}

static void replace(LLVMValueRef old, LLVMValueRef by)
{
    LLVMReplaceAllUsesWith(old, by);
    LLVMInstructionEraseFromParent(old);
}

// Replaces both by one product at the place of `first`.
static void join(LLVMBuilderRef builder, LLVMValueRef first, LLVMValueRef other,
                 const product_t *half)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(first));
    LLVMTypeRef wide = LLVMInt64TypeInContext(context), word = LLVMInt32TypeInContext(context);
    LLVMPositionBuilderBefore(builder, first);
    LLVMValueRef product = LLVMBuildNUWMul(builder, LLVMBuildZExt(builder, half->a, wide, ""),
                                           LLVMBuildZExt(builder, half->b, wide, ""), "");
    LLVMValueRef lower = LLVMBuildTrunc(builder, product, word, "");
    replace(first, half->is_wide ? product : lower);
    replace(other, half->is_wide ? lower : product);
}

// Replaces a lower half by that of a wide product before it. A wide product after a lower half does
// not occur: the lower half would have been joined with it.
static void take_lower_half(LLVMBuilderRef builder, LLVMValueRef lower, LLVMValueRef wide,
                            const product_t *half)
{
    if (half->is_wide)
        return;
    LLVMPositionBuilderBefore(builder, lower);
    replace(lower, LLVMBuildTrunc(builder, wide, LLVMTypeOf(lower), ""));
}

void kiln_codegen_join_products(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef i = kiln_first_instruction(module), next; i; i = next) {
        product_t half;
        LLVMValueRef other = is_product(i, &half) ? find_other_half(i, &half) : NULL;
        next = kiln_next_instruction(i);
        if (!other)
            continue;
        if (kiln_shim_precedes(other, i)) {
            take_lower_half(builder, i, other, &half);
            continue;
        }
        if (other == next)
            next = kiln_next_instruction(next);
        join(builder, i, other, &half);
    }
    LLVMDisposeBuilder(builder);
}
