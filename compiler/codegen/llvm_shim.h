// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What LLVM's C API lacks, as C functions: copying a function between modules, inlining, facts about inline assembly,
// emission with a say in its passes, and the in-process linker. Their code is C++ (*_shim.cpp).
#ifndef KILN_CODEGEN_LLVM_SHIM_H
#define KILN_CODEGEN_LLVM_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/TargetMachine.h>

#ifdef __cplusplus
extern "C" {
#endif

// Reads the body of a function of a lazily parsed module. False with LLVM's message, to be freed with
// LLVMDisposeMessage, where the bitcode is broken.
bool kiln_shim_materialize(LLVMValueRef function, char **out_message);

// Inlines one direct call into its function. False where LLVM can't.
bool kiln_shim_inline_call(LLVMValueRef call);

// Moves what `to` calls and `from`, which is released, has. False where they don't fit; the context's handler has why.
bool kiln_shim_link_needed(LLVMModuleRef to, LLVMModuleRef from);

// Begins a new block with the instruction.
void kiln_shim_split_block(LLVMValueRef before);

// Does the instruction anything but compute a value: may it write memory, or not come back?
bool kiln_shim_has_effects(LLVMValueRef instruction);

// May an integer that an instruction uses be negative, and has it copies of its sign?
bool kiln_shim_has_copied_sign(LLVMValueRef integer, LLVMValueRef user);

// Moves an instruction within its function; it keeps its debug location.
void kiln_shim_move_before(LLVMValueRef instruction, LLVMValueRef place);

// Copies the body of `from` into the declaration `to` of another module of the same context. Functions it refers to
// become declarations there; global variables are copied with their values under their own names.
void kiln_shim_copy_body(LLVMValueRef from, LLVMValueRef to);

// What LLVM finds wrong with the constraints of inline assembly of that function type, or what Kiln has no use for; a
// message to be freed with LLVMDisposeMessage, or NULL. *out_operands is how many operands the text can name.
char *kiln_shim_check_constraints(LLVMTypeRef type, const char *constraints, size_t length, unsigned *out_operands);

// The first number of `!srcloc` of the inline assembly that a diagnostic is about, UINT64_MAX where LLVM has lost it; 0
// where it is about something else.
uint64_t kiln_shim_assembly_place(LLVMDiagnosticInfoRef info);

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
