// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts as text: the basis vectors, and pictures of which thread and register hold each element.
//
// Note that a buffer in LDS has a layout too, whose only place is the offset in elements. Offsets
// are shown with the gaps of a padded buffer before them.
#ifndef KILN_INSPECT_LAYOUT_TEXT_H
#define KILN_INSPECT_LAYOUT_TEXT_H

#include "base/string.h"
#include "layout/layout.h"
#include "layout/padding.h"

typedef enum kiln_layout_view {
    KILN_LAYOUT_VECTORS,  // a line per place: the element that each of its bits maps to
    KILN_LAYOUT_ELEMENTS, // a cell per element: the threads and registers that hold it,
                          // T<thread>:<register>
    KILN_LAYOUT_THREADS,  // a line per thread: the elements in its registers
} kiln_layout_view_t;

typedef enum kiln_layout_memory {
    KILN_LAYOUT_IN_REGISTERS,
    KILN_LAYOUT_IN_LDS
} kiln_layout_memory_t;

enum {
    KILN_LAYOUT_TEXT_BITS = 16
}; // pictures are limited to layouts with at most 2^16 places and elements

// Appends the view; `padding` has no gaps for a layout in registers. Fails with
// KILN_STATUS_UNSUPPORTED for a picture that would be too large.
kiln_status_t kiln_layout_write(const kiln_layout_t *layout, kiln_layout_memory_t memory,
                                const kiln_padding_t *padding, kiln_layout_view_t view,
                                kiln_string_t *out);

#endif
