// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by both kinds of dots (dot.c, dot_mfma.c).
//
// A corner is the first element, k = 0, of an operand's row or column for one register of the
// result, in lane 0 of wave 0. In other lanes and waves the elements have the same distances from
// their own corners.
#ifndef KILN_LOWER_DOTS_H
#define KILN_LOWER_DOTS_H

#include "lower/tile.h"

// Finds the corners of both operands for a register of the result (dot.c).
void kiln_lower_dot_corner(const kiln_tile_t *a, const kiln_tile_t *b, const kiln_tile_t *result,
                           uint32_t reg, uint32_t *flat_a, uint32_t *flat_b);
kiln_status_t kiln_lower_dot_mfma(kiln_lowering_t *l, MlirOperation op, kiln_tile_t *a,
                                  kiln_tile_t *b, kiln_tile_t *c, kiln_tile_t *result);

#endif
