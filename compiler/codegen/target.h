// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target: its names, and LLVM's machine for it.
//
// Note that LLVM's target registry is global; it is filled once per process and only read
// afterwards.
#ifndef KILN_CODEGEN_TARGET_H
#define KILN_CODEGEN_TARGET_H

#include <llvm-c/TargetMachine.h>

#include "kiln/status.h"

#define KILN_TARGET_TRIPLE "amdgcn-amd-amdhsa"
enum {
    KILN_TARGET_ISA_VERSION = 9402,        // major·1000 + minor·100 + stepping, as ocml expects it
    KILN_TARGET_CODE_OBJECT_VERSION = 500, // v5
};

kiln_status_t kiln_target_machine_create(const char *arch, LLVMTargetMachineRef *out_machine);

#endif
