// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads precompiled kernels from files or memory and launches them by name. Needs no
// compiler.
//
// Conventions are those of kiln/runtime.h with these additions:
//
// Nouns       A program is what was loaded. A variant is one compiled kernel in it: a code object
//             and its manifest (docs/manifest.schema.json). Variants of one name are
//             specializations of one kernel for different argument types, divisibility, ranges or
//             constants.
// Choice      A call selects a variant whose types and requirements in the manifest its arguments
//             satisfy. Of several, the most specialized one, whose requirements imply the others';
//             if there is none, the one loaded first.
// Must hit    If none matches, the call fails with KILN_STATUS_NOT_FOUND and a note per variant
//             with the argument and the violated requirement; there is no fallback. The same
//             strictness for the JIT is KILN_CACHE_REQUIRE.
// Loading     Files are read and checked when loading; code is uploaded when a variant is first
//             launched, or by kiln_program_prepare.
#ifndef KILN_LOAD_H
#define KILN_LOAD_H

#include "kiln/jit.h"

#ifdef __cplusplus
extern "C" {
#endif

// Loading -----------------------------------------------------------------------------------------

typedef struct kiln_program kiln_program_t;
typedef struct kiln_variant kiln_variant_t; // belongs to its program

// Each path is a bundle (kiln bundle), or a code object or its manifest (.json), which must be in
// the same directory. INVALID_INPUT: a file is corrupt or of the wrong kind; NOT_FOUND: a file, or
// a manifest's kernel in its code object, is missing; UNSUPPORTED: another format version, or a
// processor other than the device's.
KILN_API kiln_status_t kiln_program_load(kiln_device_t *device, const char *const *paths,
                                         size_t path_count, kiln_program_t **out_program);

// Bytes of a bundle (manifest NULL) or a code object with its manifest. They are copied.
typedef struct kiln_program_part {
    const void *data;
    size_t size;
    const char *manifest;
} kiln_program_part_t;
KILN_API kiln_status_t kiln_program_load_memory(kiln_device_t *device,
                                                const kiln_program_part_t *parts, size_t part_count,
                                                kiln_program_t **out_program);

KILN_API void
kiln_program_release(kiln_program_t *program); // unloads; no launched kernel may still be running

// Uploads all code to the device now.
KILN_API kiln_status_t kiln_program_prepare(kiln_program_t *program);

KILN_API size_t kiln_program_variant_count(const kiln_program_t *program);
KILN_API const kiln_variant_t *kiln_program_variant(const kiln_program_t *program,
                                                    size_t index); // NULL after the last
KILN_API const char *
kiln_variant_name(const kiln_variant_t *variant); // of the kernel, which specializations share
KILN_API const char *kiln_variant_manifest(const kiln_variant_t *variant); // JSON

// Calls -------------------------------------------------------------------------------------------

// An argument and its type, spelled as in a manifest: "*f16", "i32" (also for u32), "f32".
// A type that differs from the kernel's does not match, even if the value would fit. NULL: not
// checked; the value is converted as in the JIT.
typedef struct kiln_typed_argument {
    kiln_jit_argument_t value;
    const char *type;
} kiln_typed_argument_t;

static inline kiln_typed_argument_t kiln_typed_buffer(const char *name, const char *type,
                                                      const kiln_buffer_t *buffer)
{
    kiln_typed_argument_t argument = {kiln_jit_buffer(name, buffer), type};
    return argument;
}

static inline kiln_typed_argument_t kiln_typed_address(const char *name, const char *type,
                                                       uint64_t address, size_t size)
{
    kiln_typed_argument_t argument = {kiln_jit_address(name, address, size), type};
    return argument;
}

// Like kiln_jit_storage.
static inline kiln_typed_argument_t kiln_typed_storage(const char *name, const char *type,
                                                       uint64_t address, size_t size)
{
    kiln_typed_argument_t argument = {kiln_jit_storage(name, address, size), type};
    return argument;
}

static inline kiln_typed_argument_t kiln_typed_integer(const char *name, const char *type,
                                                       int64_t value)
{
    kiln_typed_argument_t argument = {kiln_jit_integer(name, value), type};
    return argument;
}

static inline kiln_typed_argument_t kiln_typed_real(const char *name, const char *type,
                                                    double value)
{
    kiln_typed_argument_t argument = {kiln_jit_real(name, value), type};
    return argument;
}

typedef struct kiln_program_call {
    size_t struct_size;
    const char *kernel;                     // NULL: the only one
    const kiln_typed_argument_t *arguments; // all of the kernel's, by name, in any order
    size_t argument_count;
    const kiln_setting_t
        *constants; // required values of the variant's constants; others may have any value
    size_t constant_count;
    const unsigned *grid; // three extents in workgroups; NULL: from the manifest's expressions
    kiln_stream_t *stream;
} kiln_program_call_t;
KILN_VERSIONED(kiln_program_call)

KILN_API kiln_status_t kiln_program_launch(kiln_program_t *program,
                                           const kiln_program_call_t *call);

// Selects the variant for a call without launching it.
KILN_API kiln_status_t kiln_program_choose(const kiln_program_t *program,
                                           const kiln_program_call_t *call,
                                           const kiln_variant_t **out_variant);

// Evaluates the grid in a variant's manifest for a call. KILN_STATUS_NOT_FOUND if it has none.
KILN_API kiln_status_t kiln_variant_grid(const kiln_variant_t *variant,
                                         const kiln_program_call_t *call, unsigned out_grid[3]);

#ifdef __cplusplus
}
#endif
#endif
