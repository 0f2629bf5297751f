// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two halves of conversion planning: the choice of a conversion (convert.c) and the swizzle of
// conversions through LDS (swizzle.c).
//
// Note that cycles here are estimates of one wave's share, useful only for comparing plans of one
// conversion.
#ifndef KILN_LAYOUT_CONVERT_H
#define KILN_LAYOUT_CONVERT_H

#include "layout/layout.h"

// Fills the LDS part of the plan. Returns false if even the smallest round is too large.
bool kiln_plan_lds(const kiln_layout_t *source, const kiln_layout_t *destination, int element_bits,
                   kiln_conversion_t *plan);

// A layout nearer to the destination, which the source reaches in rounds that fit.
kiln_layout_t kiln_layout_step_towards(const kiln_layout_t *source,
                                       const kiln_layout_t *destination, int element_bits);

// Cycles that one wave's LDS accesses of all its registers take.
long kiln_lds_side_cycles(const kiln_layout_t *side, const kiln_layout_t *lds, int element_bits,
                          kiln_lds_direction_t direction);

#endif
