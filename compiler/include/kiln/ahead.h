// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Deployable forms of compiled kernels: a typed C launcher, an object to link, a bundle of many
// kernels.
//
// All functions take a code object and its manifest (kiln_kernel_code_object, kiln_kernel_manifest,
// or the two files of kiln compile), need no session, and may be called by any thread. Equal inputs
// give equal bytes. Results are from malloc and owned by the caller; inputs are only read during
// the call. The runtime's kiln/load.h reads bundles.
#ifndef KILN_AHEAD_H
#define KILN_AHEAD_H

#include <stddef.h>

#include "kiln/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kiln_launcher {
    KILN_LAUNCHER_HIP,  // on hip_runtime_api.h alone
    KILN_LAUNCHER_KILN, // on kiln/runtime.h
} kiln_launcher_t;

typedef struct kiln_launcher_options {
    size_t struct_size;
    const char *symbol; // prefix of the header's names, a C identifier; NULL: derived from the
                        // kernel's name
    kiln_launcher_t launcher;
} kiln_launcher_options_t;
KILN_VERSIONED(kiln_launcher_options)

// A C header (C99, and C++) with the code object inside and `static inline` functions SYMBOL_load,
// SYMBOL_launch, with the kernel's arguments in C's types, SYMBOL_refuses and SYMBOL_unload. Each
// launch checks the manifest's requirements on arguments and computes the grid, if the manifest has
// one. UNSUPPORTED: an argument's type has no C equivalent.
KILN_API kiln_status_t kiln_launcher_make(const void *code_object, size_t code_object_size,
                                          const char *manifest,
                                          const kiln_launcher_options_t *options, char **out_text);

// A C identifier for a kernel's name, from malloc: invalid characters become '_', and one is added
// to keywords and to names that begin with kiln_.
// NULL if out of memory.
KILN_API char *kiln_symbol_of(const char *name);

// Data with the symbols NAME, aligned to 64 bytes, and NAME_size, a uint64_t. It is followed by a
// zero byte, not included in the size, so that text is a string.
typedef struct kiln_object_part {
    const char *name; // a C identifier
    const void *data;
    size_t size;
} kiln_object_part_t;

// An x86-64 ELF object, to link into a program, with the parts in its .rodata.
KILN_API kiln_status_t kiln_object_make(const kiln_object_part_t *parts, size_t part_count,
                                        void **out_object, size_t *out_size);

// One file with many kernels, read by kiln/load.h. INVALID_INPUT if a manifest is invalid, or if a
// kernel would never be selected because an earlier one has the same name, constants, types and
// requirements.
typedef struct kiln_compiled {
    const void *code_object;
    size_t code_object_size;
    const char *manifest;
} kiln_compiled_t;
KILN_API kiln_status_t kiln_bundle_make(const kiln_compiled_t *kernels, size_t kernel_count,
                                        void **out_bundle, size_t *out_size);

// The kernels of a bundle, for custom loaders: views into the bundle, in an array from malloc.
// Kernels that share a code object, as those of kiln_program_compile do, have the same pointer.
// INVALID_INPUT: corrupt; UNSUPPORTED: different version.
KILN_API kiln_status_t kiln_bundle_kernels(const void *bundle, size_t size,
                                           kiln_compiled_t **out_kernels, size_t *out_count);

#ifdef __cplusplus
}
#endif
#endif
