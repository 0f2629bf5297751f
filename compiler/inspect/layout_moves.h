// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a conversion between two layouts in registers moves where.
#ifndef KILN_INSPECT_LAYOUT_MOVES_H
#define KILN_INSPECT_LAYOUT_MOVES_H

#include "inspect/layout_text.h"

// How far an element moves, to the nearest copy.
typedef enum kiln_distance {
    KILN_DISTANCE_NONE, // it is in this register already
    KILN_DISTANCE_REGISTER,
    KILN_DISTANCE_LANE,
    KILN_DISTANCE_WARP,
    KILN_DISTANCES
} kiln_distance_t;
extern const char *const kiln_distance_names[KILN_DISTANCES];

// An element's way to the first place of the destination that holds it.
typedef struct kiln_move {
    uint32_t from_thread, from_register, to_thread, to_register;
    kiln_distance_t distance;
    bool is_copied; // to further places
} kiln_move_t;

// The moves of all elements, in the order of their flat indices. Counts are those of all places of
// the destination. KILN_STATUS_UNSUPPORTED if there are too many. The caller frees *out_moves.
kiln_status_t kiln_layout_moves(const kiln_layout_t *source, const kiln_layout_t *destination,
                                kiln_move_t **out_moves, size_t out_counts[KILN_DISTANCES]);

// Appends how the conversion of elements of this number of bits is done and how far elements move;
// with the view KILN_LAYOUT_ELEMENTS, each element's places.
kiln_status_t kiln_layout_moves_write(const kiln_layout_t *source, const kiln_layout_t *destination,
                                      int element_bits, kiln_layout_view_t view,
                                      kiln_string_t *out);
// The first line of this text, without a newline.
void kiln_layout_conversion_describe(const kiln_layout_t *source, const kiln_layout_t *destination,
                                     int element_bits, kiln_string_t *out);

#endif
