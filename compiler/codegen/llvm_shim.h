// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C functions that LLVM's C API lacks: copying a function between modules, inlining, facts about
// inline assembly, emission with control over its passes, and the in-process linker. They are
// implemented in C++ (*_shim.cpp).
#ifndef KILN_CODEGEN_LLVM_SHIM_H
#define KILN_CODEGEN_LLVM_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/TargetMachine.h>

#ifdef __cplusplus
extern "C" {
#endif

// For the command only, since it is a state of the process: the function is called when LLVM or C++
// code runs out of memory. It must not return.
void kiln_shim_on_no_memory(void (*function)(void));

// Reads the body of a function of a lazily parsed module. Returns false with LLVM's message, to be
// freed with LLVMDisposeMessage, if the bitcode is broken.
bool kiln_shim_materialize(LLVMValueRef function, char **out_message);

// Inlines one direct call into its function. Returns false if LLVM cannot.
bool kiln_shim_inline_call(LLVMValueRef call);

// Moves the functions that `to` calls and `from` defines into `to`, and releases `from`. Returns
// false if the modules do not fit together; the context's handler receives the reason.
bool kiln_shim_link_needed(LLVMModuleRef to, LLVMModuleRef from);

// Splits the block before the instruction.
void kiln_shim_split_block(LLVMValueRef before);

// Whether the instruction does more than compute a value: it may write memory, or not return.
bool kiln_shim_has_effects(LLVMValueRef instruction);

// Whether instruction `a` comes before `b` in their block.
bool kiln_shim_precedes(LLVMValueRef a, LLVMValueRef b);

// Whether an integer that an instruction uses may be negative and has copies of its sign bit.
bool kiln_shim_has_copied_sign(LLVMValueRef integer, LLVMValueRef user);

// Whether an operation gives the same for a zero of either sign as this operand, and whether a
// float that an instruction uses may be -0.
bool kiln_shim_ignores_sign_of_zero(LLVMUseRef use);
bool kiln_shim_may_be_negative_zero(LLVMValueRef number, LLVMValueRef user);

// Moves an instruction within its function; it keeps its debug location.
void kiln_shim_move_before(LLVMValueRef instruction, LLVMValueRef place);

// Copies the body of `from` into the declaration `to` of another module of the same context.
// Functions it refers to become declarations there; global variables are copied with their values
// under their own names.
void kiln_shim_copy_body(LLVMValueRef from, LLVMValueRef to);

// LLVM's complaint about the constraints of inline assembly of that function type, or Kiln's if it
// does not support them: a message to be freed with LLVMDisposeMessage, or NULL. *out_operands is
// the number of operands that the text can refer to.
char *kiln_shim_check_constraints(LLVMTypeRef type, const char *constraints, size_t length,
                                  unsigned *out_operands);

// The subject of a diagnostic. It is derived from the diagnostic's kind and fields, never from its
// text, which quotes users' text.
typedef enum kiln_shim_subject {
    KILN_SHIM_SUBJECT_UNKNOWN, // any kind without a row in kiln_shim_diagnostic_subject
    KILN_SHIM_SUBJECT_ASSEMBLY,
    KILN_SHIM_SUBJECT_LDS,       // more than a workgroup can have
    KILN_SHIM_SUBJECT_REGISTERS, // and the stack that holds spilled values
    KILN_SHIM_SUBJECT_BITCODE,   // modules that do not fit together
} kiln_shim_subject_t;

kiln_shim_subject_t kiln_shim_diagnostic_subject(LLVMDiagnosticInfoRef info);

// The first number of `!srcloc` of the inline assembly that a diagnostic is about; UINT64_MAX if
// LLVM has lost it; 0 if it is about something else.
uint64_t kiln_shim_assembly_place(LLVMDiagnosticInfoRef info);

// LLVM's message without the place, to be freed with LLVMDisposeMessage.
char *kiln_shim_diagnostic_message(LLVMDiagnosticInfoRef info);

// The attribute of Kiln's own calls of inline assembly; users cannot set it.
#define KILN_SHIM_OWN_ASSEMBLY "kiln-own"

// A metadata node that is distinct from all others, so that users cannot write the same mark. It
// lives as long as the context.
LLVMMetadataRef kiln_shim_create_mark(LLVMContextRef context);

// Receives lines "VGPRS AGPRS FILE:LINE": the most registers that are alive at each source line.
typedef struct kiln_shim_live_registers {
    void (*take)(const char *text, size_t length, void *user);
    void *user;
} kiln_shim_live_registers_t;

// Attribute of functions whose carried sums kiln_shim_emit keeps in accumulation registers.
#define KILN_CARRIED_SUMS "kiln-carried-sums"

// Runs code generation as LLVM's machine does, without passes that have nothing to do here;
// `quickly`: without optimization. `mark` is from kiln_shim_create_mark; `live` may be NULL.
// *out_buffer is NULL if the machine cannot emit that type.
void kiln_shim_emit(LLVMTargetMachineRef machine, LLVMModuleRef module, LLVMCodeGenFileType type,
                    bool quickly, LLVMMetadataRef mark, const kiln_shim_live_registers_t *live,
                    LLVMMemoryBufferRef *out_buffer);

// Runs ld.lld with the arguments. Returns false if it failed; *out_messages is its output, to be
// freed with free().
bool kiln_shim_lld(const char *const *arguments, size_t count, char **out_messages);

#ifdef __cplusplus
}
#endif
#endif
