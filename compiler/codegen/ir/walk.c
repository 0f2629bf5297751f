// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the next instruction or function of a module; see walk.h.
#include "codegen/ir/walk.h"

#include <stddef.h>

// The first instruction of this block and those after it in its function.
static LLVMValueRef first_from(LLVMBasicBlockRef block)
{
    LLVMValueRef first = NULL;
    for (; block && !first; block = LLVMGetNextBasicBlock(block))
        first = LLVMGetFirstInstruction(block);
    return first;
}

static LLVMValueRef first_of_functions(LLVMValueRef function)
{
    LLVMValueRef first = NULL;
    for (; function && !first; function = LLVMGetNextFunction(function))
        first = first_from(LLVMGetFirstBasicBlock(function));
    return first;
}

LLVMValueRef kiln_first_instruction(LLVMModuleRef module)
{
    return first_of_functions(LLVMGetFirstFunction(module));
}

LLVMValueRef kiln_next_instruction(LLVMValueRef instruction)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(instruction);
    LLVMValueRef next = LLVMGetNextInstruction(instruction);
    if (!next)
        next = first_from(LLVMGetNextBasicBlock(block));
    return next ? next : first_of_functions(LLVMGetNextFunction(LLVMGetBasicBlockParent(block)));
}

static LLVMValueRef definition_from(LLVMValueRef function)
{
    while (function && LLVMIsDeclaration(function))
        function = LLVMGetNextFunction(function);
    return function;
}

LLVMValueRef kiln_first_definition(LLVMModuleRef module)
{
    return definition_from(LLVMGetFirstFunction(module));
}

LLVMValueRef kiln_next_definition(LLVMValueRef function)
{
    return definition_from(LLVMGetNextFunction(function));
}
