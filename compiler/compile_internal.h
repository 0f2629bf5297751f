// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One run of kiln_compile. The thing one gets wrong: the kernel is half-filled until compile.c has come to its end.
#ifndef KILN_COMPILE_INTERNAL_H
#define KILN_COMPILE_INTERNAL_H

#include <llvm-c/Types.h>
#include <mlir-c/IR.h>

#include "analysis/register_plan.h"
#include "kernel.h"
#include "session.h"

typedef struct kiln_compilation {
    kiln_session_t *session;
    const kiln_source_t *source;
    const char *symbol_suffix;      // of a program's unit, whose object is kept; else NULL
    kiln_compile_options_t options; // complete, whatever the caller's struct_size was
    kiln_kernel_t *kernel;
    MlirModule module;              // of the source; null before it is loaded
    kiln_register_plan_t registers; // of the module that is lowered
    LLVMModuleRef llvm;             // NULL before it is lowered
} kiln_compilation_t;

// Reads the options and the source, and selects the kernel: what compiling and interpreting begin with.
kiln_status_t kiln_compile_begin(kiln_compilation_t *compilation, const kiln_compile_options_t *options);

// Refuses what no parser should be given, with its place: what is no text, what is empty, what is nested too deep.
kiln_status_t kiln_compile_check_source(const kiln_source_t *source);

// MLIR bytecode in the place of tt or ttg text.
bool kiln_source_is_bytecode(const kiln_source_t *source);

// The same for bytecode (compiler/bytecode/): whatever MLIR's reader would not survive.
kiln_status_t kiln_compile_check_bytecode(MlirContext mlir, const kiln_source_t *source);

// Makes the module from Tile C.
kiln_status_t kiln_compile_tile(kiln_compilation_t *compilation);

// Finds the kernel that is asked for, drops the functions that it does not reach, and notes its name and arguments.
kiln_status_t kiln_compile_select_kernel(kiln_compilation_t *compilation);

// -Rkiln: tells of accesses in the module, whose passes before coalesce have run, that promises would make wider.
kiln_status_t kiln_compile_remark_narrow_accesses(kiln_compilation_t *compilation);

// Warns where the code object tells that registers spilled.
void kiln_compile_warn_of_spills(kiln_compilation_t *compilation);

// kiln_compile_unit but for kiln_compile_locate; `options` is complete, `symbol_suffix` may be NULL.
kiln_status_t kiln_compile_once(kiln_session_t *session, const kiln_source_t *source,
                                const kiln_compile_options_t *options, const char *symbol_suffix,
                                kiln_kernel_t **out_kernel);

// kiln_compile for a program: the kernel's symbol has a suffix, and its relocatable object is kept.
kiln_status_t kiln_compile_unit(kiln_session_t *session, const kiln_source_t *source,
                                const kiln_compile_options_t *options, const char *symbol_suffix,
                                kiln_kernel_t **out_kernel);

// After a failure: tells the handler where in the source the session's first error is, if its location is elsewhere.
void kiln_compile_locate(kiln_session_t *session, const kiln_source_t *source, const kiln_compile_options_t *options);

// Fills in what the code object tells: resources, argument offsets; checks them against the machine's limits, and makes
// the manifest.
kiln_status_t kiln_compile_describe(kiln_compilation_t *compilation);

#endif
