// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From an LLVM module to a code object: target, device libraries, optimisation, machine code, link. Each step is a
// function, so that the driver can time, dump and leave the road between any two of them.
//
// The thing one gets wrong: emission changes the module (LLVM's last IR passes run inside), so whoever wants assembly
// text and an object emits the text from a clone, which kiln_codegen_emit does.
#ifndef KILN_CODEGEN_H
#define KILN_CODEGEN_H

#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/TargetMachine.h>
#include <llvm-c/Types.h>

#include "kiln/program.h"
#include "kiln/status.h"

#include "analysis/register_plan.h"

// What is kept from kernel to kernel: the target machine and the device libraries' parsed functions. Belongs to one
// LLVM context and so to one thread at a time.
typedef struct kiln_codegen kiln_codegen_t;

typedef enum kiln_codegen_severity {
    KILN_CODEGEN_ERROR,
    KILN_CODEGEN_WARNING,
    KILN_CODEGEN_REMARK
} kiln_codegen_severity_t;
typedef void (*kiln_codegen_handler_t)(kiln_codegen_severity_t severity, const char *message, void *user);

// `arch` is "gfx942", the only one so far (else UNSUPPORTED). LLVM's own diagnostics go to `handler` (may be NULL);
// errors come as statuses as well.
kiln_status_t kiln_codegen_create(LLVMContextRef context, const char *arch, kiln_codegen_handler_t handler, void *user,
                                  kiln_codegen_t **out_codegen);
void kiln_codegen_release(kiln_codegen_t *codegen);

// Gives the module its triple, data layout and code object version, links the functions of ocml and ockl that it
// declares, makes everything but the kernels internal, and promises the hidden arguments away that nothing reads.
kiln_status_t kiln_codegen_prepare(kiln_codegen_t *codegen, LLVMModuleRef module);

// Before that: links what the module calls of bitcode files, the first that has it. INVALID_INPUT where a file is no
// bitcode for the target, a function has another type, or none of the files has it.
kiln_status_t kiln_codegen_link_bitcode(kiln_codegen_t *codegen, LLVMModuleRef module, const kiln_header_t *files,
                                        size_t count);

// Whether LLVM can be given such inline assembly: INVALID_INPUT where it would end the process.
kiln_status_t kiln_codegen_check_assembly(LLVMTypeRef type, const char *text, size_t length, const char *constraints,
                                          size_t constraints_length);
void kiln_codegen_place_assembly(LLVMValueRef call); // lets the assembler's errors find their place

// Gives a failure the place of the inline assembly whose diagnostic had that number, else of the first in the module.
kiln_status_t kiln_codegen_at_assembly(kiln_status_t status, LLVMModuleRef module, uint64_t place);

kiln_status_t kiln_codegen_verify(LLVMModuleRef module); // INTERNAL with LLVM's message
kiln_status_t kiln_codegen_optimize(kiln_codegen_t *codegen, LLVMModuleRef module, const kiln_register_plan_t *plan);

// Says which registers matrix instructions may keep their sums in (codegen/accumulators.c). Returns whether the module
// has such instructions; without any it changes nothing.
typedef enum kiln_accumulators { KILN_ACCUMULATORS_IN_VGPRS, KILN_ACCUMULATORS_ANYWHERE } kiln_accumulators_t;
bool kiln_codegen_place_accumulators(LLVMModuleRef module, kiln_accumulators_t where);

typedef enum kiln_codegen_effect {
    KILN_CODEGEN_CONSUME,
    KILN_CODEGEN_PRESERVE
} kiln_codegen_effect_t; // what may become of the module
kiln_status_t kiln_codegen_emit(kiln_codegen_t *codegen, LLVMModuleRef module, LLVMCodeGenFileType type,
                                kiln_codegen_effect_t effect, const kiln_register_plan_t *plan,
                                LLVMMemoryBufferRef *out_buffer);

typedef struct kiln_codegen_object { // relocatable
    char *data;
    size_t size;
} kiln_codegen_object_t;

// Links relocatable objects to a shared one, which is what a HIP runtime loads. The caller frees *out_data. Objects of
// more than one kernel module go through kiln_codegen_merge_metadata first.
kiln_status_t kiln_codegen_link(const kiln_codegen_object_t *objects, size_t count, char **out_data, size_t *out_size);

// Gives the first object the metadata of all, and takes it from the others. The objects' data is from malloc.
kiln_status_t kiln_codegen_merge_metadata(kiln_codegen_object_t *objects, size_t count);

#endif
