// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy's .npy files: a header with element type and shape, then the elements (numpy.lib.format,
// versions 1 to 3).
//
// NumPy has no bf16 and no 8-bit floats. The package that adds them (ml_dtypes) writes and reads
// elements without a kind, "V2", so their type must be given separately.
#ifndef KILN_LAUNCH_NPY_H
#define KILN_LAUNCH_NPY_H

#include "kiln/arguments.h"

typedef struct kiln_npy {
    bool has_type; // false: elements of element_size bytes of unknown type
    kiln_element_type_t type;
    size_t element_size, element_count, dimension_count, extents[KILN_ARGUMENTS_MAX_DIMENSIONS];
    size_t offset; // of the elements in the file
} kiln_npy_t;

// Whether the bytes begin with the magic of such a file.
bool kiln_npy_is(const char *data, size_t size);

// Reads the header. INVALID_INPUT, naming `path`, if the file is damaged, or if a buffer cannot
// have its element type, byte order, memory order or rank.
kiln_status_t kiln_npy_parse(const char *path, const char *data, size_t size, kiln_npy_t *out_npy);

// Sets the type and extents of a buffer, whose name is set, to those of the file.
kiln_status_t kiln_npy_shape(const char *path, kiln_named_buffer_t *buffer);

// The header for a buffer's elements, from malloc; NULL if out of memory.
char *kiln_npy_header(const kiln_named_buffer_t *buffer, size_t *out_size);

#endif
