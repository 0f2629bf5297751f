// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of one run of kiln_compile. Note that the kernel is incomplete until compile.c is done.
#ifndef KILN_COMPILE_INTERNAL_H
#define KILN_COMPILE_INTERNAL_H

#include <llvm-c/Types.h>
#include <mlir-c/IR.h>

#include "analysis/machine/register_plan.h"
#include "artifact/kernel.h"
#include "driver/session.h"

typedef struct kiln_compilation {
    kiln_session_t *session;
    kiln_diagnostics_t *diagnostics;
    const kiln_source_t *source;
    const char *symbol_suffix;      // of a program's unit, whose object is kept; else NULL
    kiln_compile_options_t options; // complete for any struct_size of the caller
    kiln_kernel_t *kernel;
    MlirModule module;              // the source's; null before it is loaded
    kiln_register_plan_t registers; // of the module that is lowered
    LLVMModuleRef llvm;             // NULL before lowering
} kiln_compilation_t;

// Reads the options and the source, and selects the kernel: the common start of interpreting a
// program and of counting its work. `function` is the API function, for errors.
kiln_status_t kiln_compile_begin(const char *function, kiln_compilation_t *compilation,
                                 const kiln_compile_options_t *options);

// Rejects input that must not reach a parser, with its position: binary data, empty text, excessive
// nesting.
kiln_status_t kiln_compile_check_source(const kiln_source_t *source);

// Whether the source is MLIR bytecode instead of tt or ttg text.
bool kiln_source_is_bytecode(const kiln_source_t *source);

// The same for bytecode (compiler/bytecode/): rejects input that would crash MLIR's reader.
kiln_status_t kiln_compile_check_bytecode(MlirContext mlir, const kiln_source_t *source);

// Reads the source of any stage into `module`.
kiln_status_t kiln_compile_load_source(kiln_compilation_t *compilation);

// The option `overrides` (override.c): checks it, for itself and for the stages that there are;
// replaces the module of a stage, or the LLVM IR, if there is a text.
kiln_status_t kiln_override_check(const kiln_compile_options_t *options);
kiln_status_t kiln_override_check_stages(const kiln_compilation_t *compilation);
kiln_status_t kiln_override_mlir(kiln_compilation_t *compilation, kiln_stage_t stage);
kiln_status_t kiln_override_llvm(kiln_compilation_t *compilation);

// Creates the module from Tile C.
kiln_status_t kiln_compile_tile(kiln_compilation_t *compilation);

// Finds the requested kernel, removes functions that it does not reach, and records its name. The
// others are then private.
kiln_status_t kiln_compile_select_kernel(kiln_compilation_t *compilation,
                                         MlirOperation *out_kernel);

// Records the arguments of the selected kernel, after the INPUT passes, which may change them.
kiln_status_t kiln_compile_note_arguments(kiln_compilation_t *compilation, MlirOperation kernel);

// Findings, reported if they are enabled (diagnostics/findings.h).
// Accesses in the module that promises would make wider. The passes before coalesce have run on it.
kiln_status_t kiln_compile_find_narrow_accesses(kiln_compilation_t *compilation);
// Operations of the same module: repeated stores, and slow functions.
void kiln_compile_find_operations(kiln_compilation_t *compilation);
void kiln_compile_find_stores(kiln_compilation_t *compilation);
// Layouts of the module that is lowered: conversions, accesses of LDS, waves.
kiln_status_t kiln_compile_find_barriers(kiln_compilation_t *compilation);
kiln_status_t kiln_compile_find_layouts(kiln_compilation_t *compilation);
// Registers and LDS of the code object. `spills_cost`: spilled registers are worth a report.
void kiln_compile_find_registers(kiln_compilation_t *compilation, bool spills_cost);
// Puts the findings into the code object; those of a program's unit go into the program's. Without
// any, the section is empty, so that its absence says that nobody looked for them.
kiln_status_t kiln_compile_put_findings(kiln_compilation_t *compilation);

// Renames the kernel's function to its symbol in the code object.
kiln_status_t kiln_compile_name_symbol(kiln_compilation_t *compilation);

// The cost of the code object's instructions: mostly those of innermost loops with matrix
// instructions, and accesses of scratch.
kiln_status_t kiln_compile_cost(const kiln_compilation_t *c, size_t *out_cost);

// The number of waves on a SIMD for which code may be worth spilled registers: two, or those of two
// workgroups, if registers alone keep a kernel with matrix instructions to one, or three if it has
// only a few registers too many for that (driver/more_waves.c); 0: none.
unsigned kiln_compile_waves_to_try(const kiln_compilation_t *compilation);
// Whether the SIMD, or a compute unit with workgroups of more than four waves, has two in place of
// one then.
bool kiln_compile_waves_are_second(const kiln_compilation_t *compilation, unsigned waves);
// Whether a code object for that many waves is better than the one for fewer.
kiln_status_t kiln_compile_gains_by_waves(const kiln_compilation_t *compilation, unsigned waves,
                                          bool *out_gains);

// Warns if the code object reports spilled registers.
void kiln_compile_warn_of_spills(kiln_compilation_t *compilation);

// kiln_compile_unit without kiln_compile_locate; `options` is complete, `symbol_suffix` may be
// NULL, `io_diagnostics` is zeroed.
kiln_status_t kiln_compile_once(kiln_session_t *session, const kiln_source_t *source,
                                const kiln_compile_options_t *options, const char *symbol_suffix,
                                kiln_diagnostics_t *io_diagnostics, kiln_kernel_t **out_kernel);

// kiln_compile for a program: the kernel's symbol has a suffix, and its relocatable object is kept.
kiln_status_t kiln_compile_unit(kiln_session_t *session, const kiln_source_t *source,
                                const kiln_compile_options_t *options, const char *symbol_suffix,
                                kiln_kernel_t **out_kernel);

// After a failure: reports the position of the first error in the source to the handler if the
// error's location is in another file.
void kiln_compile_locate(kiln_session_t *session, const kiln_source_t *source,
                         const kiln_compile_options_t *options, kiln_diagnostics_t *diagnostics);

// Fills in the properties of the code object: resources, argument offsets; checks them against the
// machine's limits, and creates the manifest.
kiln_status_t kiln_compile_describe(kiln_compilation_t *compilation);

#endif
