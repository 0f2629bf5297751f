// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registers in which matrix instructions keep their accumulators: architectural registers (v)
// or accumulation registers (a).
//
// Both halves of gfx942's register file feed the matrix cores alike, but all other instructions
// read only v. By default LLVM puts accumulators into a and copies them in and out, in a loop often
// once per iteration; it does neither if the kernel is declared to have no a registers. The price
// is that a wave then has 256 registers instead of 512, which kernels with large tiles need.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/string.h"
#include "codegen/codegen.h"
#include "codegen/ir/walk.h"
#include "codegen/llvm_shim.h"

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

static void set_attribute(LLVMValueRef function, const char *name, const char *value, bool has)
{
    const LLVMAttributeIndex index = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    if (has)
        LLVMAddAttributeAtIndex(function, index,
                                LLVMCreateStringAttribute(context, name, (unsigned)strlen(name),
                                                          value, (unsigned)strlen(value)));
    else
        LLVMRemoveStringAttributeAtIndex(function, index, name, (unsigned)strlen(name));
}

bool kiln_codegen_place_accumulators(LLVMModuleRef module, kiln_accumulators_t where)
{
    if (!has_matrix_instructions(module))
        return false;
    for (LLVMValueRef f = kiln_first_definition(module); f; f = kiln_next_definition(f)) {
        set_attribute(f, ATTRIBUTE, "0", where != KILN_ACCUMULATORS_ANYWHERE);
        set_attribute(f, KILN_CARRIED_SUMS, "", where == KILN_ACCUMULATORS_CARRIED_IN_AGPRS);
    }
    return true;
}
