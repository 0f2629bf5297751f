// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations common to the files that implement kiln/arguments.h.
#ifndef KILN_LAUNCH_ARGUMENTS_H
#define KILN_LAUNCH_ARGUMENTS_H

#include "kiln/arguments.h"

struct kiln_arguments {
    kiln_device_t *device;         // retained; NULL: the host
    const kiln_setting_t *defines; // borrowed
    size_t define_count;
    kiln_jit_argument_t *values; // names are owned
    size_t count, capacity;
    unsigned char *pointees; // of each value, 1 + kiln_element_type_t that grids count; 0: its own
    size_t pointee_capacity;
    kiln_named_buffer_t *buffers; // names, memory and host are owned
    size_t buffer_count, buffer_capacity;
};

// What ":zeros", ":iota", ":random:7" or ":fill:VALUE" stands for, for a buffer of that type and
// size. Owns nothing.
typedef struct kiln_contents {
    enum { KILN_CONTENTS_ZEROS, KILN_CONTENTS_IOTA, KILN_CONTENTS_FILL, KILN_CONTENTS_DRAWN } kind;
    kiln_element_type_t type;
    size_t count;
    uint64_t element; // FILL
    uint64_t seed;    // DRAWN
    void (*put)(kiln_element_type_t type, uint64_t *state, void *element);
} kiln_contents_t;

kiln_status_t kiln_contents_parse(const kiln_named_buffer_t *buffer, const char *how,
                                  kiln_contents_t *out_contents);
// Writes the whole buffer's bytes.
void kiln_contents_fill(const kiln_contents_t *contents, void *to);

#endif
