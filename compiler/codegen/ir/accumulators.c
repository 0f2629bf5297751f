// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registers in which matrix instructions keep their accumulators: architectural registers (v)
// or accumulation registers (a).
//
// Both halves of gfx942's register file feed the matrix cores alike, but all other instructions
// read only v. By default LLVM puts accumulators into a and copies them in and out, in a loop often
// once per iteration; it does neither if the kernel is declared to have no a registers. The price
// is that a wave then has 256 registers instead of 512, which kernels with large tiles need.
#include <llvm-c/Core.h>

#include "base/string.h"
#include "codegen/codegen.h"
#include "codegen/ir/walk.h"

static const char ATTRIBUTE[] = "amdgpu-agpr-alloc"; // the number of a registers a function may use

static bool has_matrix_instructions(LLVMModuleRef module)
{
    for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
         function = LLVMGetNextFunction(function)) {
        size_t length;
        const char *name = LLVMGetValueName2(function, &length);
        if (kiln_string_starts_with(name, "llvm.amdgcn.mfma."))
            return true;
    }
    return false;
}

bool kiln_codegen_place_accumulators(LLVMModuleRef module, kiln_accumulators_t where)
{
    if (!has_matrix_instructions(module))
        return false;
    LLVMAttributeRef none = LLVMCreateStringAttribute(LLVMGetModuleContext(module), ATTRIBUTE,
                                                      sizeof ATTRIBUTE - 1, "0", 1);
    for (LLVMValueRef f = kiln_first_definition(module); f; f = kiln_next_definition(f)) {
        if (where == KILN_ACCUMULATORS_IN_VGPRS)
            LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, none);
        else
            LLVMRemoveStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                             ATTRIBUTE, sizeof ATTRIBUTE - 1);
    }
    return true;
}
