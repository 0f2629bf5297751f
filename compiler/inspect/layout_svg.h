// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts as pictures: the tile with the thread and the registers that hold each of its parts, or
// with the banks of LDS.
#ifndef KILN_INSPECT_LAYOUT_SVG_H
#define KILN_INSPECT_LAYOUT_SVG_H

#include "inspect/layout_text.h"

// Layouts below each other. Begin with {0}.
typedef struct kiln_layout_picture {
    kiln_string_t shapes;
    unsigned width, height; // in pixels
} kiln_layout_picture_t;

// Adds a layout of elements of this number of bits, under a title. The last dimension goes from
// left to right, all others downwards. Fails with KILN_STATUS_UNSUPPORTED if it would be too large.
kiln_status_t kiln_layout_picture_add(kiln_layout_picture_t *picture, const kiln_layout_t *layout,
                                      kiln_layout_memory_t memory, int element_bits,
                                      const char *title);

// Appends the picture as SVG.
void kiln_layout_picture_write(const kiln_layout_picture_t *picture, kiln_string_t *out);
void kiln_layout_picture_free(kiln_layout_picture_t *picture);

#endif
