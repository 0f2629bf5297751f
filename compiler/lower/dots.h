// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by both kinds of dots (lower_dot.c, lower_dot_mfma.c).
//
// Note that corners are those of lane 0 of wave 0; the operands of other lanes and waves have the
// same distances from their own corners.
#ifndef KILN_LOWER_DOTS_H
#define KILN_LOWER_DOTS_H

#include "tile.h"

// The operands' elements with k = 0 for a register of the result in lane and wave 0 (lower_dot.c).
void kiln_lower_dot_corner(const kiln_tile_t *a, const kiln_tile_t *b, const kiln_tile_t *result,
                           uint32_t reg, uint32_t *flat_a, uint32_t *flat_b);
kiln_status_t kiln_lower_dot_mfma(kiln_lowering_t *l, MlirOperation op, kiln_tile_t *a,
                                  kiln_tile_t *b, kiln_tile_t *c, kiln_tile_t *result);

#endif
