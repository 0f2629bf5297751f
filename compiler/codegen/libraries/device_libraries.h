// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AMD's device libraries ocml and ockl, function by function.
//
// A library's bitcode is part of Kiln's binary and is parsed lazily, once per session, when first
// needed. A function that a module declares is simplified for the target once (its calls inlined,
// the library's control constants folded) and then copied into the module.
//
// Note that a copied function must not keep its old target attributes, because they would prevent
// inlining.
#ifndef KILN_CODEGEN_DEVICE_LIBRARIES_H
#define KILN_CODEGEN_DEVICE_LIBRARIES_H

#include <llvm-c/TargetMachine.h>
#include <llvm-c/Types.h>

#include "kiln/status.h"

typedef struct kiln_device_libraries kiln_device_libraries_t;

// Cheap: nothing is parsed yet. The machine is borrowed.
kiln_status_t kiln_device_libraries_create(LLVMContextRef context, LLVMTargetMachineRef machine,
                                           kiln_device_libraries_t **out_libraries);
void kiln_device_libraries_release(kiln_device_libraries_t *libraries);

// Sets the control constants that a module reads (__oclc_…) to gfx942's values.
void kiln_device_constants_define(LLVMModuleRef module);

// Retargets a function of another compiler's bitcode to gfx942, to be inlined unless it is marked
// otherwise.
void kiln_device_function_adopt(LLVMValueRef function);

// Defines every function that `module` declares and a library defines, as internal and always
// inlined.
kiln_status_t kiln_device_libraries_link(kiln_device_libraries_t *libraries, LLVMModuleRef module);

#endif
