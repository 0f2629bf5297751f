// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled kernels as something to ship: a typed launcher for C, an object to link, a bundle of many.
//
// All of it is made from a code object and its manifest (kiln_kernel_code_object, kiln_kernel_manifest, or the two files
// of kiln compile), needs no session, and may be called by any thread. Equal inputs give equal bytes. What comes out is
// from malloc, and the caller's; inputs are only read during the call. kiln/load.h of the runtime reads bundles.
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
    const char *symbol; // what the header's names begin with, a C identifier; NULL: the kernel's name, made one
    kiln_launcher_t launcher;
} kiln_launcher_options_t;
KILN_VERSIONED(kiln_launcher_options)

// A C header (C99, and C++) with the code object inside and `static inline` functions SYMBOL_load, SYMBOL_launch, with the
// kernel's arguments in C's types, SYMBOL_refuses and SYMBOL_unload. What the manifest demands of arguments is checked at
// each launch, and the grid computed, where the manifest tells it. UNSUPPORTED: an argument has no type in C.
KILN_API kiln_status_t kiln_launcher_make(const void *code_object, size_t code_object_size, const char *manifest,
                                          const kiln_launcher_options_t *options, char **out_text);

// The name of a symbol in a C program for a kernel of that name, from malloc: what a C identifier can't have is '_'.
// NULL where memory is short.
KILN_API char *kiln_symbol_of(const char *name);

// Bytes that get the symbols NAME, aligned to 64 bytes, and NAME_size, a uint64_t. A zero byte that is not counted
// follows them, so that text is a string.
typedef struct kiln_object_part {
    const char *name; // a C identifier
    const void *data;
    size_t size;
} kiln_object_part_t;

// An ELF object for x86-64, to be linked into a program, with the parts in its .rodata.
KILN_API kiln_status_t kiln_object_make(const kiln_object_part_t *parts, size_t part_count, void **out_object,
                                        size_t *out_size);

// One file of many kernels (kiln/load.h reads it). INVALID_INPUT where a manifest is wrong, and where a kernel would never
// be taken, because one before it has its name, its constants, its types and its demands.
typedef struct kiln_compiled {
    const void *code_object;
    size_t code_object_size;
    const char *manifest;
} kiln_compiled_t;
KILN_API kiln_status_t kiln_bundle_make(const kiln_compiled_t *kernels, size_t kernel_count, void **out_bundle,
                                        size_t *out_size);

// The kernels of a bundle, for loaders of one's own: views into it, in an array from malloc. Those that share a code
// object, as those of kiln_program_compile do, have the same pointer to it. INVALID_INPUT: damaged; UNSUPPORTED: of
// another version.
KILN_API kiln_status_t kiln_bundle_kernels(const void *bundle, size_t size, kiln_compiled_t **out_kernels,
                                           size_t *out_count);

#ifdef __cplusplus
}
#endif
#endif
