// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row signed_loads of workarounds.def: prevents LLVM 22 from moving 8- and 16-bit buffer loads past
// stores. If the result is sign-extended, instruction selection merges both into another load
// (performSignExtendInRegCombine), and drops the order between the first load and later accesses:
//
//   %v = raw.ptr.buffer.load.i16 %r, %o                          raw.ptr.buffer.store.i16 7, %r, %o
//   raw.ptr.buffer.store.i16 7, %r, %o                    →      %w = buffer_load_sshort %r, %o        (reads 7)
//   %w = sext %v
//
// So a result that may be read with its sign is frozen, because selection does not look through
// freeze, if anything after the load in its block writes memory. (In other blocks the value is in a
// register.)
//
// Note that a barrier writes, too.
#include <llvm-c/Core.h>
#include <string.h>

#include "codegen/codegen_internal.h"
#include "codegen/ir/walk.h"
#include "codegen/llvm_shim.h"

static bool is_narrow_load(LLVMValueRef instruction)
{
    static const char *const names[] = {"llvm.amdgcn.raw.ptr.buffer.load.i16",
                                        "llvm.amdgcn.raw.ptr.buffer.load.i8"};
    if (!LLVMIsACallInst(instruction) || !LLVMIsAFunction(LLVMGetCalledValue(instruction)))
        return false;
    const char *name = LLVMGetValueName(LLVMGetCalledValue(instruction));
    return strcmp(name, names[0]) == 0 || strcmp(name, names[1]) == 0;
}

// Whether a user of the load's result ignores its sign.
static bool ignores_sign(LLVMValueRef user)
{
    if (!LLVMIsAInstruction(user))
        return false;
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMBitCast:
    case LLVMUIToFP:
    case LLVMStore:
    case LLVMPHI:
    case LLVMInsertElement:
    case LLVMFreeze:
        return true;
    case LLVMICmp:
        return LLVMGetICmpPredicate(user) < LLVMIntSGT;
    default:
        return false;
    }
}

static bool may_be_signed(LLVMValueRef load)
{
    for (LLVMUseRef use = LLVMGetFirstUse(load); use; use = LLVMGetNextUse(use))
        if (!ignores_sign(LLVMGetUser(use)))
            return true;
    return false;
}

static void freeze(LLVMBuilderRef builder, LLVMValueRef load)
{
    LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(load));
    LLVMValueRef frozen = LLVMBuildFreeze(builder, load, "");
    LLVMReplaceAllUsesWith(load, frozen);
    LLVMSetOperand(frozen, 0, load);
}

void kiln_codegen_freeze_loads(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = kiln_first_definition(module); f; f = kiln_next_definition(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
             block = LLVMGetNextBasicBlock(block)) {
            bool is_written = false;
            for (LLVMValueRef i = LLVMGetLastInstruction(block); i;
                 i = LLVMGetPreviousInstruction(i)) {
                if (is_written && is_narrow_load(i) && may_be_signed(i))
                    freeze(builder, i);
                is_written |= kiln_shim_has_effects(i);
            }
        }
    LLVMDisposeBuilder(builder);
}
