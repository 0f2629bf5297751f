// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What LLVM's C API lacks, as C functions: copying a function between modules, inlining, emission with a say in its
// passes, and the in-process linker. Their code is C++ (*_shim.cpp).
#ifndef KILN_CODEGEN_LLVM_SHIM_H
#define KILN_CODEGEN_LLVM_SHIM_H

#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/TargetMachine.h>

#ifdef __cplusplus
extern "C" {
#endif

// Reads the body of a function of a lazily parsed module. False with LLVM's message, to be freed with
// LLVMDisposeMessage, where the bitcode is broken.
bool kiln_shim_materialize(LLVMValueRef function, char **out_message);

// Inlines one direct call into its function. False where LLVM can't.
bool kiln_shim_inline_call(LLVMValueRef call);

// Copies the body of `from` into the declaration `to` of another module of the same context. Functions it refers to
// become declarations there; global variables are copied with their values under their own names.
void kiln_shim_copy_body(LLVMValueRef from, LLVMValueRef to);

// Runs code generation as LLVM's machine does it, without passes that have nothing to do here; `quickly`: without
// optimising. *out_buffer is NULL where the machine can't emit that type.
void kiln_shim_emit(LLVMTargetMachineRef machine, LLVMModuleRef module, LLVMCodeGenFileType type, bool quickly,
                    LLVMMemoryBufferRef *out_buffer);

// Runs ld.lld with the arguments. False where it failed; *out_messages is what it printed, to be freed with free().
bool kiln_shim_lld(const char *const *arguments, size_t count, char **out_messages);

#ifdef __cplusplus
}
#endif
#endif
