// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launch arguments as text, by name:
//
//     n=1000  n=M*K  scale=0.5                 scalars: an integer expression or a floating-point number
//     x=f32[1000]  a=f16[M,K]:random:7         buffers: element type, extents (expressions), then contents:
//                                              :zeros (default), :iota, :random[:seed] (uniform in [-1, 1), integers
//                                              in [-8, 7]), :normal[:seed] (of mean 0 and deviation 1), :integers[:seed]
//                                              (in [-8, 7], of any type), :sin[:seed] and :cos[:seed]
//                                              (of seed, seed + 1, …, in radians), :fill:VALUE (a number or an integer
//                                              expression), or @file for a file's bytes, or a .npy
//                                              file's elements
//     x=@file.npy                              a buffer with the type and extents of a NumPy file
//
// Expressions are + - * / % ( ), cdiv(a, b), min(a, b) and max(a, b) of 64-bit integers; / rounds
// toward zero. Names are resolved from left to right: a size may use the scalars before it and all
// defines.
//
// Conventions are those of kiln/runtime.h. A set of arguments belongs to one thread at a time.
#ifndef KILN_ARGUMENTS_H
#define KILN_ARGUMENTS_H

#include "kiln/element.h"
#include "kiln/jit.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { KILN_ARGUMENTS_MAX_DIMENSIONS = 4 };

// A buffer among the arguments. Belongs to the set; valid until the next one is added.
typedef struct kiln_named_buffer {
    const char *name;
    kiln_element_type_t type;
    size_t element_count, size; // size in bytes
    size_t dimension_count, extents[KILN_ARGUMENTS_MAX_DIMENSIONS];
    uint64_t address;      // for the kernel
    kiln_buffer_t *memory; // on the device; NULL where there is none:
    void *host;            // then the bytes are here, else NULL
    void *contents;        // private: what its argument asks for; NULL: a file's
} kiln_named_buffer_t;

typedef struct kiln_arguments kiln_arguments_t;

// Without a device, buffers are host memory at synthetic addresses for the interpreter, which are
// equal in all runs, multiples of 2 MiB, and at least 2^38 bytes apart, at irregular distances: an
// out-of-bounds access hits another buffer only if its 64-bit offset is the exact distance between
// the two.
KILN_API kiln_status_t kiln_arguments_create(kiln_device_t *device,
                                             kiln_arguments_t **out_arguments);
KILN_API void kiln_arguments_release(kiln_arguments_t *arguments);
// The device that the set was created for; NULL: none.
KILN_API kiln_device_t *kiln_arguments_device(const kiln_arguments_t *arguments);

// The synthetic address of the buffer after one of `size` bytes at `address`; 0 gives the first.
// Returns 0 if no addresses are left.
KILN_API uint64_t kiln_host_address_after(uint64_t address, size_t size);

// Sets names with integer values for expressions, in addition to the scalars, replacing earlier
// ones. Borrowed.
KILN_API void kiln_arguments_define(kiln_arguments_t *arguments, const kiln_setting_t *defines,
                                    size_t count);

// Adds one NAME=…; allocates and fills a buffer.
KILN_API kiln_status_t kiln_arguments_add(kiln_arguments_t *arguments, const char *text);

// The arguments for a call, in the order of adding. Valid until the next one is added.
KILN_API const kiln_jit_argument_t *kiln_arguments_values(const kiln_arguments_t *arguments,
                                                          size_t *out_count);

KILN_API kiln_status_t kiln_arguments_evaluate(const kiln_arguments_t *arguments, const char *text,
                                               int64_t *out_value);

// The number of elements that the buffer of a text "x=f32[M,K]" would have.
KILN_API kiln_status_t kiln_arguments_elements(const kiln_arguments_t *arguments, const char *text,
                                               size_t *out_count);

// Evaluates a grid "X", "X,Y" or "X,Y,Z"; omitted extents are left unchanged.
KILN_API kiln_status_t kiln_arguments_grid(const kiln_arguments_t *arguments, const char *text,
                                           unsigned out_grid[3]);

// The tuner's key of a problem: the scalars by name and the grid's text, which may be NULL
// ("K=512,M=512 grid=cdiv(M,BLOCK)"). From malloc; NULL if out of memory.
KILN_API char *kiln_arguments_tuning_key(const kiln_arguments_t *arguments, const char *grid);
// The same for a launch without a grid of its own on the one that the source declares
// (kiln_tuning_grid), whose text is part of the source. What it uses of buffers' sizes is part of
// the problem: "columns=500,elements(x)=4000". The same holds of `grid`.
KILN_API char *kiln_arguments_tuning_key_of(const kiln_arguments_t *arguments, const char *grid,
                                            const char *declared_grid);

// Buffers -----------------------------------------------------------------------------------------

KILN_API size_t kiln_arguments_buffer_count(const kiln_arguments_t *arguments);
KILN_API const kiln_named_buffer_t *kiln_arguments_buffer(const kiln_arguments_t *arguments,
                                                          size_t index);

// The index of the buffer whose name is the first `length` characters of `name`, or USAGE.
KILN_API kiln_status_t kiln_arguments_find_buffer(const kiln_arguments_t *arguments,
                                                  const char *name, size_t length,
                                                  size_t *out_index);

// Reads or writes all bytes of a buffer, on device or host; synchronizes with the device's default
// stream.
KILN_API kiln_status_t kiln_named_buffer_read(const kiln_named_buffer_t *buffer, void *out_data);
KILN_API kiln_status_t kiln_named_buffer_write(const kiln_named_buffer_t *buffer, const void *data);

// The contents that a buffer's argument asks for, ":random:7". The simulator makes them when
// something needs them: a launch of which only the time is wanted mostly does not. _is_initial:
// whether it knows that nothing has read or written them yet; always false on a GPU, for files and
// on the host. _restore gives the buffer these contents again, and _make writes them to `out_data`,
// `size` bytes; both are UNSUPPORTED for a file's.
KILN_API bool kiln_named_buffer_is_initial(const kiln_named_buffer_t *buffer);
KILN_API kiln_status_t kiln_named_buffer_restore(const kiln_named_buffer_t *buffer);
KILN_API kiln_status_t kiln_named_buffer_make(const kiln_named_buffer_t *buffer, void *out_data);

// Fails if a buffer's element type differs from the pointee of a parameter type such as "*f16";
// ignores other types.
KILN_API kiln_status_t kiln_named_buffer_check_type(const kiln_named_buffer_t *buffer,
                                                    const char *parameter_type);

// Of a pointer parameter of a kernel, such as "*f16": fails if the buffer of that name has other
// elements. For a pointer into the buffer of another argument, y=&x, elements(y) of a grid counts
// elements of this type from now on, as in kiln/jit.h. Ignores other names and types.
KILN_API kiln_status_t kiln_arguments_set_type(kiln_arguments_t *arguments, const char *name,
                                               const char *parameter_type);
// The same for all parameters in the manifest of a kernel.
KILN_API kiln_status_t kiln_arguments_check_types(kiln_arguments_t *arguments,
                                                  const char *manifest);

// "x", "x[0:8]", "x[3]", "c[0:4,0:4]": the elements as text from malloc, one line per innermost
// row. A single range on a multi-dimensional buffer counts elements in memory order.
KILN_API kiln_status_t kiln_arguments_show(const kiln_arguments_t *arguments, const char *text,
                                           char **out_shown);

// "x=file": writes the buffer's bytes, or a NumPy file where the name ends in .npy.
KILN_API kiln_status_t kiln_arguments_save(const kiln_arguments_t *arguments, const char *text);

// "x=file": compares the buffer with a raw or NumPy file by the rule of kiln/compare.h.
KILN_API kiln_status_t kiln_arguments_expect(const kiln_arguments_t *arguments, const char *text,
                                             double *out_error);

// Reads a raw file, or the elements of a NumPy file, which must have the buffer's type and number
// of elements. The bytes are from malloc.
KILN_API kiln_status_t kiln_named_buffer_load(const kiln_named_buffer_t *buffer, const char *path,
                                              char **out_data);

#ifdef __cplusplus
}
#endif
#endif
