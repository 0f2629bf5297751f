// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// THE list of LLVM passes between lowering and code generation.
//
// It is short because the lowering folds as it builds and has no memory variables: the remaining
// work is redundancies between tiles, loop invariants, pairs of f32 operations, and the bodies of
// inlined device functions.
//
// Note that the order matters. Reassociation must come after licm, or invariant parts of addresses
// are split again; the SLP vectorizer needs the last instcombine before it, not after. With this
// order the corpus' kernels have as many instructions as with default<O3> (docs/compile.md); code
// generation adds its own loop strength reduction, address splitting and load/store vectorizer.
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "codegen/codegen.h"
#include "codegen/codegen_internal.h"
#include "codegen/ir/walk.h"
#include "codegen/llvm_shim.h"

// clang-format off
#define COMBINE "instcombine<no-verify-fixpoint;max-iterations=1>," // selects, casts and shifts for the back end to match
#define SCALAR                                                                                                \
    "always-inline,"         /* device functions; nothing else is inlined */                                  \
    "globaldce,"             /* their emptied bodies and unused declarations */                               \
    "function<eager-inv>("                                                                                    \
      "early-cse<memssa>,"   /* equal addresses and conversions that tiles share */                           \
      COMBINE                                                                                                 \
      "simplifycfg,"         /* small masked branches become selects, empty blocks go */                      \
      "loop-mssa(licm),"     /* hoists invariants out of loops */                                             \
      "reassociate,"         /* sums of indices in one order, which exposes equal parts */                    \
      "early-cse,"           /* and are merged */                                                             \
      COMBINE
#define DIVISIONS "div-rem-pairs," // computes a remainder from the quotient if that is needed anyway
#define VECTOR                                                                                                \
      DIVISIONS                                                                                               \
      "slp-vectorizer,"      /* two f32 operations become one v_pk_* */                                       \
      "dce"
static const char PIPELINE[] = SCALAR VECTOR ")";

// For a module without operations that could be packed. The vectorizer takes a twelfth of the time
// of a product of matrices to find none.
static const char UNPACKED_PIPELINE[] = SCALAR DIVISIONS "dce)";

// The same pipeline in two parts.
static const char FIRST_PART[] = SCALAR "no-op-function)", SECOND_PART[] = "function<eager-inv>(" VECTOR ")";
static const char WITHOUT_VECTORS[] = "function<eager-inv>(dce)";

// For a module whose tiles exceed the registers: only passes whose time is linear in the code size.
static const char QUICK_PIPELINE[] =
    "always-inline,"
    "globaldce,"
    "function<eager-inv>(early-cse,simplifycfg,dce,break-crit-edges)";
// clang-format on

kiln_status_t kiln_codegen_run_passes(LLVMTargetMachineRef machine, LLVMModuleRef module,
                                      const char *passes)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, passes, machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error)
        return KILN_OK;
    char *message = LLVMGetErrorMessage(error);
    kiln_status_t status =
        kiln_status_make(KILN_STATUS_INTERNAL, "LLVM's passes failed: %s", message);
    LLVMDisposeErrorMessage(message);
    return status;
}

// LLVM 22 vectorizes unsigned conversions of sums and extensions in fewer bits than they have, and
// so reads a negative integer as a 32-bit one: float (uitofp (sext i32 -1 to i64)) was 2^32.
// `narrow`: only those that are narrowed.
static bool has_unsigned_conversions(LLVMModuleRef module, bool narrow)
{
    for (LLVMValueRef i = kiln_first_instruction(module); i; i = kiln_next_instruction(i))
        if (LLVMIsAUIToFPInst(i) && (!narrow || kiln_shim_has_copied_sign(LLVMGetOperand(i, 0), i)))
            return true;
    return false;
}

// Whether an integer of this type could be half of a packed one.
static bool is_narrow(LLVMTypeRef type)
{
    enum { WORD = 32 };
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) > 1 &&
           LLVMGetIntTypeWidth(type) < WORD;
}

static bool is_float(LLVMTypeRef type)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind != LLVMIntegerTypeKind && kind != LLVMPointerTypeKind &&
           kind != LLVMVectorTypeKind && kind != LLVMStructTypeKind && kind != LLVMVoidTypeKind;
}

// Whether the target has instructions of its own for two such operations at once, or LLVM believes
// so. Those of the target's intrinsics are none of LLVM's vector operations.
static bool can_be_packed(LLVMValueRef instruction)
{
    const LLVMTypeRef type = LLVMTypeOf(instruction);
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMLoad:
    case LLVMPHI:
    case LLVMExtractElement:
    case LLVMExtractValue:
    case LLVMBitCast:
    case LLVMFPTrunc:
        return false;
    case LLVMSIToFP:
    case LLVMUIToFP:
    case LLVMFPToSI:
    case LLVMFPToUI:
        return true;
    case LLVMCall: {
        size_t length;
        const LLVMValueRef callee = LLVMGetCalledValue(instruction);
        const char *name = LLVMGetValueName2(callee, &length);
        static const char OWN[] = "llvm.amdgcn.";
        return (is_float(type) || is_narrow(type)) && strncmp(name, OWN, sizeof OWN - 1) != 0;
    }
    default:
        return is_float(type) || is_narrow(type);
    }
}

static bool has_pairs(LLVMModuleRef module)
{
    for (LLVMValueRef i = kiln_first_instruction(module); i; i = kiln_next_instruction(i))
        if (can_be_packed(i))
            return true;
    return false;
}

static kiln_status_t optimize_fully(LLVMTargetMachineRef machine, LLVMModuleRef module)
{
    kiln_codegen_carry_distinct(module);
    kiln_codegen_widen_bfloats(module);
    kiln_codegen_freeze_integers(module);
    kiln_codegen_bound_integers(module);
    kiln_codegen_fence_conversions(module);
    if (has_unsigned_conversions(module, false)) {
        KILN_TRY(kiln_codegen_run_passes(machine, module, FIRST_PART));
        KILN_TRY(kiln_codegen_run_passes(machine, module,
                                         has_unsigned_conversions(module, true) ? WITHOUT_VECTORS
                                                                                : SECOND_PART));
    } else {
        KILN_TRY(kiln_codegen_run_passes(machine, module,
                                         has_pairs(module) ? PIPELINE : UNPACKED_PIPELINE));
    }
    kiln_codegen_unfence_conversions(module);
    kiln_codegen_round_bfloats(module);
    kiln_codegen_join_products(module);
    kiln_codegen_carry_bytes(module);
    kiln_codegen_pair_bytes(module);
    if (!kiln_codegen_mask_words(module) || !kiln_codegen_bound_sums(module) ||
        !kiln_codegen_share_lines(module))
        return kiln_status_out_of_memory();
    return KILN_OK;
}

kiln_status_t kiln_codegen_optimize(kiln_codegen_t *codegen, LLVMModuleRef module,
                                    const kiln_register_plan_t *plan)
{
    if (!plan->exceeds_registers) {
        KILN_TRY(optimize_fully(codegen->machine, module));
    } else {
        KILN_TRY(kiln_codegen_run_passes(codegen->machine, module, QUICK_PIPELINE));
        KILN_TRY(kiln_codegen_demote_values(codegen, module));
    }
    kiln_codegen_divide_doubles(module);
    kiln_codegen_split_bitcasts(module);
    kiln_codegen_fence_constants(module);
    KILN_TRY(kiln_codegen_fence_zeros(module));
    kiln_codegen_freeze_loads(module);
    KILN_TRY(kiln_codegen_take_error(codegen));
#ifdef KILN_VERIFY_IR // in builds with sanitizers; every compilation verifies the pass's input
    return kiln_codegen_verify(module);
#else
    return KILN_OK;
#endif
}
