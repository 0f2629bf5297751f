// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy's .npy files: a header that tells elements and shape, then the elements (numpy.lib.format, versions 1 to 3).
//
// What is easily got wrong: NumPy has no bf16 and no 8-bit floats. What holds them (ml_dtypes) writes elements without a
// kind, "V2", and reads these: their type must be told beside the file.
#ifndef KILN_LAUNCH_NPY_H
#define KILN_LAUNCH_NPY_H

#include "kiln/arguments.h"

typedef struct kiln_npy {
    bool has_type; // false: elements of element_size bytes, of whatever type
    kiln_element_type_t type;
    size_t element_size, element_count, dimension_count, extents[KILN_ARGUMENTS_MAX_DIMENSIONS];
    size_t offset; // of the elements in the file
} kiln_npy_t;

// Whether the bytes begin as such a file does.
bool kiln_npy_is(const char *data, size_t size);

// Reads the header. INVALID_INPUT, naming `path`, for what is damaged, and for elements, byte order, order or rank that
// no buffer has.
kiln_status_t kiln_npy_parse(const char *path, const char *data, size_t size, kiln_npy_t *out_npy);

// Gives a buffer, whose name is set, the type and extents of the file.
kiln_status_t kiln_npy_shape(const char *path, kiln_named_buffer_t *buffer);

// The header for a buffer's elements, from malloc; NULL when memory is short.
char *kiln_npy_header(const kiln_named_buffer_t *buffer, size_t *out_size);

#endif
