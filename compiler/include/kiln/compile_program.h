// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles several kernels and their specializations in parallel into one code object, in
// one file that the runtime loads with kiln_program_load (kiln/load.h).
//
//     kiln_program_unit_t units[2] = {{gemm, &aligned}, {gemm, &any}};
//     kiln_program_compile(units, 2, NULL, &bundle, &size);
//     kiln_program_load_memory(device, &(kiln_program_part_t){bundle, size, NULL}, 1, &program);
//
// Conventions are those of kiln/kiln.h. The call creates its own sessions, one per thread.
#ifndef KILN_COMPILE_PROGRAM_H
#define KILN_COMPILE_PROGRAM_H

#include "kiln/kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

// A kernel to compile. The source is text of any stage that kiln_compile accepts, MLIR bytecode of
// tt or ttg, or the result of kiln_builder_finish. Options select the kernel and its
// specialization: constants, divisibility of arguments, warps. They determine the manifest's
// requirements on arguments, by which the loader selects a kernel.
typedef struct kiln_program_unit {
    kiln_source_t source;
    const kiln_compile_options_t *options; // NULL: the defaults
} kiln_program_unit_t;

typedef struct kiln_program_compile_options {
    size_t struct_size;
    unsigned jobs;                        // threads; 0 (default): one per core
    kiln_diagnostic_handler_t diagnostic; // called by any of the threads, one at a time; NULL: none
    void *diagnostic_user;
} kiln_program_compile_options_t;
KILN_VERSIONED(kiln_program_compile_options)

// A bundle of one manifest per unit, in order, and one code object for all. The kernel of units[3]
// has the symbol NAME.3, recorded as "kernel" in its manifest, so that specializations can coexist
// and a program is a single module. To load it without kiln/load.h, split it with
// kiln_bundle_kernels (kiln/ahead.h).
//
// The bundle is from malloc and does not depend on the number of threads. All units are compiled
// even if one fails; the returned failure is that of the first in order, with a note that names it.
// INVALID_INPUT also if a unit would never be selected because an earlier one has the same kernel
// name, constants and requirements.
KILN_API kiln_status_t kiln_program_compile(const kiln_program_unit_t *units, size_t unit_count,
                                            const kiln_program_compile_options_t *options,
                                            void **out_bundle, size_t *out_size);

#ifdef __cplusplus
}
#endif
#endif
