// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What both kinds of dots share (lower_dot.c, lower_dot_mfma.c).
//
// The thing one gets wrong: corners are of lane and warp 0; the others' operands lie as far from theirs.
#ifndef KILN_LOWER_DOTS_H
#define KILN_LOWER_DOTS_H

#include "tile.h"

// The elements of a and b with k = 0 that a register of the result, in lane and warp 0, is computed from (lower_dot.c).
void kiln_lower_dot_corner(const kiln_tile_t *a, const kiln_tile_t *b, const kiln_tile_t *result, uint32_t reg,
                           uint32_t *flat_a, uint32_t *flat_b);
kiln_status_t kiln_lower_dot_mfma(kiln_lowering_t *l, MlirOperation op, kiln_tile_t *a, kiln_tile_t *b, kiln_tile_t *c,
                                  kiln_tile_t *result);

#endif
