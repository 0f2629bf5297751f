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
    unsigned top, column;   // of the last tile: where it begins, and the width of a column
} kiln_layout_picture_t;

// Adds a layout of elements of this number of bits, under a title; `padding` has no gaps for a
// layout in registers. The last dimension goes from left to right, all others downwards; a long
// layout of one dimension is wrapped. Fails with
// KILN_STATUS_UNSUPPORTED if it would be too large.
kiln_status_t kiln_layout_picture_add(kiln_layout_picture_t *picture, const kiln_layout_t *layout,
                                      kiln_layout_memory_t memory, const kiln_padding_t *padding,
                                      int element_bits, const char *title);

// Adds what a conversion of values in registers moves: each part of the tile with the place that it
// comes from and the one that it goes to, coloured by how far that is.
kiln_status_t kiln_layout_picture_add_moves(kiln_layout_picture_t *picture,
                                            const kiln_layout_t *source,
                                            const kiln_layout_t *destination, const char *title);

// Appends the picture as SVG.
void kiln_layout_picture_write(const kiln_layout_picture_t *picture, kiln_string_t *out);
void kiln_layout_picture_free(kiln_layout_picture_t *picture);

// For files that draw tiles: sizes in pixels; the rows and columns of a tile; the title and the
// numbers of columns, which end above `top`.
enum { KILN_PICTURE_ROW = 22, KILN_PICTURE_LEFT = 44, KILN_PICTURE_LETTER = 6 };
unsigned kiln_picture_rows(const kiln_layout_t *layout);
unsigned kiln_picture_columns(const kiln_layout_t *layout);
// The label of a row: the indices of its first element, without that of the last dimension, or of
// one dimension this one.
void kiln_picture_append_row(kiln_string_t *out, const kiln_layout_t *layout, unsigned row,
                             unsigned y);
void kiln_picture_append_escaped(kiln_string_t *out, const char *text);
void kiln_picture_begin(kiln_layout_picture_t *picture, const char *title, unsigned columns,
                        unsigned width, unsigned top);

#endif
