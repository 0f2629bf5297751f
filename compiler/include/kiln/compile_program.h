// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program: several kernels, and specialisations of them, compiled at once on several threads into one code object, in
// one file that kiln_program_load of the runtime (kiln/load.h) takes and chooses from.
//
//     kiln_program_unit_t units[2] = {{gemm, &aligned}, {gemm, &any}};
//     kiln_program_compile(units, 2, NULL, &bundle, &size);
//     kiln_program_load_memory(device, &(kiln_program_part_t){bundle, size, NULL}, 1, &program);
//
// Conventions are those of kiln/kiln.h. The call makes its own sessions, one a thread.
#ifndef KILN_COMPILE_PROGRAM_H
#define KILN_COMPILE_PROGRAM_H

#include "kiln/kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

// A kernel to compile. The source is text of any stage that kiln_compile takes, MLIR bytecode of tt or ttg, or what
// kiln_builder_finish gives. Options say which kernel of it, and what it is specialised for: constants, arguments that
// are divisible, warps. What the manifest demands of arguments comes from them, and the loader goes by it.
typedef struct kiln_program_unit {
    kiln_source_t source;
    const kiln_compile_options_t *options; // NULL: the defaults
} kiln_program_unit_t;

typedef struct kiln_program_compile_options {
    size_t struct_size;
    unsigned jobs;                        // threads; 0 (default): one per core
    kiln_diagnostic_handler_t diagnostic; // called by any of them, by one at a time; NULL: none
    void *diagnostic_user;
} kiln_program_compile_options_t;
KILN_VERSIONED(kiln_program_compile_options)

// A bundle of one manifest a unit, in their order, and one code object for all. In it the kernel of units[3] has the symbol
// NAME.3, which its manifest tells as "kernel"; so specialisations stand side by side, and a program is one module to load.
// Who loads it without kiln/load.h takes it apart by kiln_bundle_kernels (kiln/ahead.h).
//
// The bundle is from malloc, and the same for the same units whatever the number of threads. All units are compiled,
// though one fails; the failure is that of the first in order, with a note that names it. INVALID_INPUT also where a unit
// would never be taken, because one before it has its kernel's name, its constants and its demands.
KILN_API kiln_status_t kiln_program_compile(const kiln_program_unit_t *units, size_t unit_count,
                                            const kiln_program_compile_options_t *options, void **out_bundle,
                                            size_t *out_size);

#ifdef __cplusplus
}
#endif
#endif
