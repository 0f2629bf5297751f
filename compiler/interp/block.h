// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements that a block pointer or a descriptor stands for: their addresses, and which lie outside of the tensor.
//
// What is easily got wrong: a block pointer is bounded only in the dimensions that the access checks, a descriptor in all.
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

// The window of a block pointer in operand 0; `checked` comes from the operation's list.
kiln_status_t kiln_window_of_pointer(kiln_iframe_t *frame, const kiln_iop_t *op, kiln_iwindow_t *out);

// The address of the element at the row-major index; false where it lies outside.
bool kiln_window_element(const kiln_iwindow_t *window, size_t index, uint64_t *out_address);

// What an element outside has: 0, or NaN for floats where the padding says so.
uint64_t kiln_window_padding(kiln_number_t number, bool is_nan);

#endif
