// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The index operand of insertelement and extractelement.
#ifndef KILN_CODEGEN_CONSTANT_INDEX_H
#define KILN_CODEGEN_CONSTANT_INDEX_H

#include <stdbool.h>

#include <llvm-c/Core.h>

// False if the index is no constant, or none of a vector of `count` elements.
static inline bool kiln_constant_index(LLVMValueRef index, unsigned count, unsigned *out)
{
    if (!LLVMIsAConstantInt(index) || LLVMConstIntGetZExtValue(index) >= count)
        return false;
    *out = (unsigned)LLVMConstIntGetZExtValue(index);
    return true;
}

#endif
