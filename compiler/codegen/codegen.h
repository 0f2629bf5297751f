// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From an LLVM module to a code object: target, device libraries, optimization, machine code, link.
// Each step is a function, so that the driver can time, dump and stop between any two of them.
//
// Note that emission changes the module (LLVM's last IR passes run inside). To get both assembly
// text and an object, the text must be emitted from a clone, as kiln_codegen_emit does.
#ifndef KILN_CODEGEN_H
#define KILN_CODEGEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/TargetMachine.h>
#include <llvm-c/Types.h>

#include "kiln/program.h"
#include "kiln/status.h"

#include "analysis/machine/register_plan.h"

// State kept from kernel to kernel: the target machine and the device libraries' parsed functions.
// Belongs to one LLVM context and so to one thread at a time.
typedef struct kiln_codegen kiln_codegen_t;

typedef enum kiln_codegen_severity {
    KILN_CODEGEN_ERROR,
    KILN_CODEGEN_WARNING,
    KILN_CODEGEN_REMARK
} kiln_codegen_severity_t;
typedef void (*kiln_codegen_handler_t)(kiln_codegen_severity_t severity, const char *message,
                                       void *user);

// `arch` is "gfx942", the only one so far (else UNSUPPORTED). LLVM's own diagnostics go to
// `handler` (may be NULL); errors are also returned as statuses.
kiln_status_t kiln_codegen_create(LLVMContextRef context, const char *arch,
                                  kiln_codegen_handler_t handler, void *user,
                                  kiln_codegen_t **out_codegen);
void kiln_codegen_release(kiln_codegen_t *codegen);

// Sets the module's triple, data layout and code object version, links the functions of ocml and
// ockl that it declares, makes everything but the kernels internal, and marks hidden arguments
// without readers as unused.
kiln_status_t kiln_codegen_prepare(kiln_codegen_t *codegen, LLVMModuleRef module);

// Call before kiln_codegen_prepare: links the functions that the module calls from bitcode files;
// the first file that defines a function wins. INVALID_INPUT if a file is not bitcode for the
// target, a function has another type, or no file defines it.
kiln_status_t kiln_codegen_link_bitcode(kiln_codegen_t *codegen, LLVMModuleRef module,
                                        const kiln_header_t *files, size_t count);

// Whether LLVM can handle such inline assembly: INVALID_INPUT if it would end the process.
kiln_status_t kiln_codegen_check_assembly(LLVMTypeRef type, const char *text, size_t length,
                                          const char *constraints, size_t constraints_length);
void kiln_codegen_place_assembly(LLVMValueRef call); // lets the assembler's errors find their place
// Records which operands of a call of inline assembly with this many results are the same in all
// lanes. After LLVM's passes, kiln_codegen_give_scalars moves those to scalar registers for which
// the assembly requires one.
enum { KILN_MOST_ASSEMBLY_OPERANDS = 64 };
void kiln_codegen_mark_scalars(LLVMValueRef call, const bool *are_scalars, unsigned results);
void kiln_codegen_give_scalars(LLVMModuleRef module);

kiln_status_t kiln_codegen_verify(LLVMModuleRef module); // INTERNAL with LLVM's message

// OUT_OF_RESOURCES if the module has more instructions than the limit; 0: none. A basic block of
// tens of thousands takes LLVM minutes, and cannot be interrupted.
kiln_status_t kiln_codegen_check_size(LLVMModuleRef module, uint32_t limit);
kiln_status_t kiln_codegen_optimize(kiln_codegen_t *codegen, LLVMModuleRef module,
                                    const kiln_register_plan_t *plan);

// Chooses the registers in which matrix instructions may keep their accumulators
// (codegen/ir/accumulators.c). Returns whether the module has such instructions; without any it
// changes nothing.
typedef enum kiln_accumulators {
    KILN_ACCUMULATORS_IN_VGPRS,
    KILN_ACCUMULATORS_CARRIED_IN_AGPRS, // those that loops carry; others are in VGPRs
    KILN_ACCUMULATORS_ANYWHERE
} kiln_accumulators_t;
bool kiln_codegen_place_accumulators(LLVMModuleRef module, kiln_accumulators_t where);

// Whether a function asks for room for a number of waves on a SIMD; makes all of them ask for
// `waves`, or, if it is 0, for none (codegen/ir/request_waves.c).
bool kiln_codegen_requests_waves(LLVMModuleRef module);
void kiln_codegen_request_waves(LLVMModuleRef module, unsigned waves);

typedef enum kiln_codegen_effect {
    KILN_CODEGEN_CONSUME,
    KILN_CODEGEN_PRESERVE
} kiln_codegen_effect_t; // whether the module may change
// What kiln_codegen_emit passes to `take` from now on: lines "VGPRS AGPRS FILE:LINE", the most
// vector and accumulation registers that are alive at each source line. NULL: nothing.
void kiln_codegen_report_live(kiln_codegen_t *codegen,
                              void (*take)(const char *text, size_t length, void *user),
                              void *user);
kiln_status_t kiln_codegen_emit(kiln_codegen_t *codegen, LLVMModuleRef module,
                                LLVMCodeGenFileType type, kiln_codegen_effect_t effect,
                                const kiln_register_plan_t *plan, LLVMMemoryBufferRef *out_buffer);

typedef struct kiln_codegen_object { // relocatable
    char *data;
    size_t size;
} kiln_codegen_object_t;

// Links relocatable objects to a shared one, which a HIP runtime loads. The caller frees *out_data.
// Objects of more than one kernel module must first go through kiln_codegen_merge_metadata.
kiln_status_t kiln_codegen_link(const kiln_codegen_object_t *objects, size_t count, char **out_data,
                                size_t *out_size);

// The cause of lld's failure with the module's object: INVALID_INPUT, with its location, if the
// user's assembly or bitcode is at fault, else the given INTERNAL.
kiln_status_t kiln_codegen_explain_link(kiln_codegen_t *codegen, LLVMModuleRef module,
                                        const kiln_codegen_object_t *object, kiln_status_t status);

// Gives the first object the metadata of all, and removes it from the others. The objects' data is
// from malloc.
kiln_status_t kiln_codegen_merge_metadata(kiln_codegen_object_t *objects, size_t count);

#endif
