// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements that a block pointer or a descriptor covers: their addresses, and which are out of
// the tensor's bounds.
//
// Note that bounds apply to a block pointer only in the dimensions of the access's boundaryCheck,
// to a descriptor in all dimensions.
#ifndef KILN_INTERP_BLOCK_H
#define KILN_INTERP_BLOCK_H

#include "interp/machine.h"

typedef struct kiln_iwindow {
    int rank;
    const size_t *dims; // of the block
    uint64_t base;
    int64_t sizes[KILN_MAX_RANK], strides[KILN_MAX_RANK], offsets[KILN_MAX_RANK];
    bool checked[KILN_MAX_RANK];
    unsigned bytes;           // of an element
    const kiln_itile_t *rows; // NULL, or the first coordinate of each row, for gathers and scatters
} kiln_iwindow_t;

// The window of the block pointer in operand 0; the operation's `list` gives `checked`.
kiln_status_t kiln_window_of_pointer(kiln_iframe_t *frame, const kiln_iop_t *op,
                                     kiln_iwindow_t *out);

// The address of the element at the row-major index; false if it is out of bounds.
bool kiln_window_element(const kiln_iwindow_t *window, size_t index, uint64_t *out_address);

// The value of an out-of-bounds element: 0, or NaN for floats with NaN padding.
uint64_t kiln_window_padding(kiln_number_t number, bool is_nan);

#endif
