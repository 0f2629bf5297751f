// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that change a tensor's shape or layout without computing: each is a conversion between
// two layouts of one set of elements.
//
// Note that the layouts are those of the elements that move, which need not have either tensor's
// shape: a broadcast moves only the source's elements, and a join's source is both operands side by
// side.
#ifndef KILN_PLAN_SHAPE_H
#define KILN_PLAN_SHAPE_H

#include "layout/layout.h"

// Returns the conversion of the first operand of convert_layout, expand_dims, trans, reshape,
// broadcast, join, split or cat. Fails if a tensor has no layout.
kiln_status_t kiln_plan_shape(MlirOperation op, int num_warps, kiln_layout_t *from,
                              kiln_layout_t *to);

#endif
