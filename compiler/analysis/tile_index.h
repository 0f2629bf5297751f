// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How values vary with the index start + range of a tile's dimension: which elements of a tensor
// belong to which index, and whether the tensor's operations keep them apart, so that the tile
// could have other indices and each element would be computed as before from its own.
//
//     %i = splat(%start) + range(128)         INDEX along 0
//     %c = %i % splat(%n)                     REMAINDER along 0
//     %p = tt.addptr %row, %c                 AT_REMAINDER along its dimension 1
//     %y = tt.load %p                         WITH_INDEX along 1
//     %d = tt.dot %x, %y, %acc                WITH_INDEX along 1
#ifndef KILN_TILE_INDEX_H
#define KILN_TILE_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include <mlir-c/IR.h>

#include "kiln/status.h"

typedef enum kiln_variation {
    KILN_VARIES_UNKNOWN, // not reached
    KILN_VARIES_NOT,
    // The index is all that differs between elements along the dimension:
    KILN_IS_INDEX,
    KILN_IS_REMAINDER, // index % bound
    KILN_AT_REMAINDER, // a pointer, plus such a remainder once
    KILN_WITH_INDEX,   // another function of the index
    KILN_VARIES_OTHERWISE,
} kiln_variation_t;

static inline bool kiln_varies_with_index(kiln_variation_t v)
{
    return v >= KILN_IS_INDEX && v <= KILN_WITH_INDEX;
}

typedef struct kiln_tile_index kiln_tile_index_t;

// Looks at all of `root`, a function. `start` is a scalar, `bound` the scalar or the constant (null
// value) that remainders are of.
kiln_status_t kiln_tile_index_create(MlirOperation root, MlirValue start, int64_t size,
                                     MlirValue bound, int64_t constant, kiln_tile_index_t **out);
void kiln_tile_index_destroy(kiln_tile_index_t *index); // accepts NULL

kiln_variation_t kiln_variation_of(const kiln_tile_index_t *index, MlirValue value, int dim);

// The dimension along which the value varies with the index, or −1.
int kiln_dim_of_index(const kiln_tile_index_t *index, MlirValue value);

// Whether the operation adds `start` to a range.
bool kiln_makes_index(const kiln_tile_index_t *index, MlirOperation op);

// Whether the value is the bound, or a tensor of it.
bool kiln_is_index_bound(const kiln_tile_index_t *index, MlirValue value);

// Whether all operations keep elements of different indices apart. False if one is not known to.
bool kiln_keeps_indices_apart(const kiln_tile_index_t *index);

#endif
