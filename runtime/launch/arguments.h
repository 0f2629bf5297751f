// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files behind kiln/arguments.h share.
#ifndef KILN_LAUNCH_ARGUMENTS_H
#define KILN_LAUNCH_ARGUMENTS_H

#include "kiln/arguments.h"

struct kiln_arguments {
    kiln_device_t *device;         // retained; NULL: the host
    const kiln_setting_t *defines; // borrowed
    size_t define_count;
    kiln_jit_argument_t *values; // names are owned
    size_t count;
    kiln_named_buffer_t *buffers; // names, memory and host are owned
    size_t buffer_count;
};

// The bytes that ":zeros", ":iota", ":random:7", ":fill:VALUE" or "@file" puts into a buffer of that type and size, from
// malloc.
kiln_status_t kiln_contents_make(const kiln_named_buffer_t *buffer, const char *how, char **out_data);

#endif
