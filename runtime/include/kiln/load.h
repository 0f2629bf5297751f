// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that were compiled before: from files or memory, to be launched by name. Nothing is compiled here, and no
// compiler is needed.
//
// Conventions are those of kiln/runtime.h with these additions:
//
// Nouns       A program is what was loaded. A variant is one compiled kernel in it: a code object and its manifest
//             (docs/manifest.schema.json). Variants of one name are specialisations of one kernel, each for arguments of
//             its own: divisible by something, in a range, of a type, or for constants of its own.
// Choice      A call takes a variant that its arguments fit: each has the type and keeps the demands that the manifest
//             tells. Of several, the most special one: one is more special than another if its demands imply the
//             other's. Where neither does, the one that was loaded earlier.
// Must hit    Where none fits, the call fails with KILN_STATUS_NOT_FOUND and a note for each variant that names the argument
//             and the demand; nothing else is tried. The same strictness for the JIT is KILN_CACHE_REQUIRE.
// Loading     Files are read and checked at once, whole; code reaches the device when a variant is first launched, or by
//             kiln_program_prepare.
#ifndef KILN_LOAD_H
#define KILN_LOAD_H

#include "kiln/jit.h"

#ifdef __cplusplus
extern "C" {
#endif

// Loading ------------------------------------------------------------------------------------------------------------

typedef struct kiln_program kiln_program_t;
typedef struct kiln_variant kiln_variant_t; // belongs to its program

// Each path is a bundle (kiln bundle), or a code object with its manifest beside it as .json, either of which may be
// named. INVALID_INPUT: a file is damaged or not what it should be; NOT_FOUND: a file, or a manifest's kernel in its code
// object, is missing; UNSUPPORTED: made by another version, or for another processor than the device's.
KILN_API kiln_status_t kiln_program_load(kiln_device_t *device, const char *const *paths, size_t path_count,
                                         kiln_program_t **out_program);

// Bytes of a bundle (manifest NULL) or a code object with its manifest, which are copied.
typedef struct kiln_program_part {
    const void *data;
    size_t size;
    const char *manifest;
} kiln_program_part_t;
KILN_API kiln_status_t kiln_program_load_memory(kiln_device_t *device, const kiln_program_part_t *parts,
                                                size_t part_count, kiln_program_t **out_program);

KILN_API void kiln_program_release(kiln_program_t *program); // unloads: nothing launched may still run

// Brings all code to the device now.
KILN_API kiln_status_t kiln_program_prepare(kiln_program_t *program);

KILN_API size_t kiln_program_variant_count(const kiln_program_t *program);
KILN_API const kiln_variant_t *kiln_program_variant(const kiln_program_t *program,
                                                    size_t index);         // NULL behind the last
KILN_API const char *kiln_variant_name(const kiln_variant_t *variant);     // of the kernel, which specialisations share
KILN_API const char *kiln_variant_manifest(const kiln_variant_t *variant); // JSON

// Calls --------------------------------------------------------------------------------------------------------------

// An argument with the type that the caller takes it to have, in a manifest's words: "*f16", "i32" (for u32, too), "f32".
// Another type than the kernel's does not fit, even where the value would. NULL: not checked; the value is converted as
// the JIT does it.
typedef struct kiln_typed_argument {
    kiln_jit_argument_t value;
    const char *type;
} kiln_typed_argument_t;

static inline kiln_typed_argument_t kiln_typed_buffer(const char *name, const char *type, const kiln_buffer_t *buffer)
{
    kiln_typed_argument_t argument = {kiln_jit_buffer(name, buffer), type};
    return argument;
}

static inline kiln_typed_argument_t kiln_typed_address(const char *name, const char *type, uint64_t address,
                                                       size_t size)
{
    kiln_typed_argument_t argument = {kiln_jit_address(name, address, size), type};
    return argument;
}

static inline kiln_typed_argument_t kiln_typed_integer(const char *name, const char *type, int64_t value)
{
    kiln_typed_argument_t argument = {kiln_jit_integer(name, value), type};
    return argument;
}

static inline kiln_typed_argument_t kiln_typed_real(const char *name, const char *type, double value)
{
    kiln_typed_argument_t argument = {kiln_jit_real(name, value), type};
    return argument;
}

typedef struct kiln_program_call {
    size_t struct_size;
    const char *kernel;                     // NULL: the only one
    const kiln_typed_argument_t *arguments; // each of the kernel's once, by name, in any order
    size_t argument_count;
    const kiln_setting_t *constants; // values that constants of the variant must have; others may have any
    size_t constant_count;
    const unsigned *grid; // three extents, workgroups; NULL: by the manifest's expressions
    kiln_stream_t *stream;
} kiln_program_call_t;
KILN_VERSIONED(kiln_program_call)

KILN_API kiln_status_t kiln_program_launch(kiln_program_t *program, const kiln_program_call_t *call);

// The variant that a call takes, without launching it.
KILN_API kiln_status_t kiln_program_choose(const kiln_program_t *program, const kiln_program_call_t *call,
                                           const kiln_variant_t **out_variant);

// The grid that a variant's manifest gives for a call. KILN_STATUS_NOT_FOUND where it tells none.
KILN_API kiln_status_t kiln_variant_grid(const kiln_variant_t *variant, const kiln_program_call_t *call,
                                         unsigned out_grid[3]);

#ifdef __cplusplus
}
#endif
#endif
