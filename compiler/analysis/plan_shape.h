// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that change a tensor's shape or layout and compute nothing: each is a conversion between two layouts of one
// set of elements.
//
// The thing one gets wrong: the layouts are those of the elements that move, which need not have either tensor's shape;
// a broadcast moves the source's elements only, a join's source is both operands side by side.
#ifndef KILN_PLAN_SHAPE_H
#define KILN_PLAN_SHAPE_H

#include "layout/layout.h"

// The conversion that convert_layout, expand_dims, trans, reshape, broadcast, join, split or cat makes of its first
// operand. Fails where a tensor has no layout.
kiln_status_t kiln_plan_shape(MlirOperation op, int num_warps, kiln_layout_t *from, kiln_layout_t *to);

#endif
