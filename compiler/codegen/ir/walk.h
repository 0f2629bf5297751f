// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the instructions of all functions of a module, or the functions that have a body:
//
//     for (LLVMValueRef i = kiln_first_instruction(module); i; i = kiln_next_instruction(i))
//     for (LLVMValueRef f = kiln_first_definition(module); f; f = kiln_next_definition(f))
//
// A loop that erases `i` or `f` must get the next one first.
#ifndef KILN_CODEGEN_WALK_H
#define KILN_CODEGEN_WALK_H

#include <llvm-c/Core.h>

// NULL if there is none.
LLVMValueRef kiln_first_instruction(LLVMModuleRef module);
LLVMValueRef kiln_next_instruction(LLVMValueRef instruction);
LLVMValueRef kiln_first_definition(LLVMModuleRef module);
LLVMValueRef kiln_next_definition(LLVMValueRef function);

#endif
