// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The number of waves for which LLVM leaves room on a SIMD when it allocates registers.
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "codegen/codegen.h"
#include "codegen/ir/walk.h"

static const char ATTRIBUTE[] = "amdgpu-waves-per-eu";

bool kiln_codegen_requests_waves(LLVMModuleRef module)
{
    for (LLVMValueRef f = kiln_first_definition(module); f; f = kiln_next_definition(f)) {
        if (LLVMGetStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                          ATTRIBUTE, sizeof ATTRIBUTE - 1))
            return true;
    }
    return false;
}

void kiln_codegen_request_waves(LLVMModuleRef module, unsigned waves)
{
    char text[32];
    snprintf(text, sizeof text, "%u,%u", waves, waves);
    LLVMAttributeRef attribute =
        LLVMCreateStringAttribute(LLVMGetModuleContext(module), ATTRIBUTE, sizeof ATTRIBUTE - 1,
                                  text, (unsigned)strlen(text));
    for (LLVMValueRef f = kiln_first_definition(module); f; f = kiln_next_definition(f)) {
        LLVMRemoveStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                         ATTRIBUTE, sizeof ATTRIBUTE - 1);
        if (waves)
            LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
    }
}
