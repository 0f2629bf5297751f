// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's AMDGPU target, initialized once for the process, and a machine for gfx942.
//
// Note that xnack and sramecc stay unset, which means "any": the code object then loads in the mode
// that the driver has chosen.
#include "target.h"

#include <pthread.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

static void initialize_target(void)
{
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser(); // for inline assembly
}

kiln_status_t kiln_target_machine_create(const char *arch, LLVMTargetMachineRef *out_machine)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    *out_machine = NULL;
    if (strcmp(arch, "gfx942") != 0)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "unsupported architecture '%s'; expected gfx942", arch);
    pthread_once(&once, initialize_target);

    LLVMTargetRef target = NULL;
    char *message = NULL;
    if (LLVMGetTargetFromTriple(KILN_TARGET_TRIPLE, &target, &message)) {
        kiln_status_t status = kiln_status_make(KILN_STATUS_INTERNAL, "LLVM has no target %s: %s",
                                                KILN_TARGET_TRIPLE, message);
        LLVMDisposeMessage(message);
        return status;
    }
    LLVMTargetMachineOptionsRef options = LLVMCreateTargetMachineOptions();
    // LLVM 22 selects v_dot4_u32_u8 also for products of bytes that are added to other values, as
    // in a · b + (c · d >> 7), or in 64 bits (#198412, #216015).
    LLVMTargetMachineOptionsSetFeatures(options, "-dot7-insts");
    LLVMTargetMachineOptionsSetCPU(options, arch);
    // Aggressive would add two runs of GVN, which find nothing in code that is already clean: 12 %
    // of compile time.
    LLVMTargetMachineOptionsSetCodeGenOptLevel(options, LLVMCodeGenLevelDefault);
    LLVMTargetMachineOptionsSetRelocMode(options, LLVMRelocPIC);
    *out_machine = LLVMCreateTargetMachineWithOptions(target, KILN_TARGET_TRIPLE, options);
    LLVMDisposeTargetMachineOptions(options);
    if (!*out_machine)
        return kiln_status_make(KILN_STATUS_INTERNAL, "LLVM cannot create a target machine for %s",
                                arch);
    return KILN_OK;
}
