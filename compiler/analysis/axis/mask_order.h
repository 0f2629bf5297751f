// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks whose true elements come first, or last, in each group of neighbours, as in i < n. If the
// last, or the first, element of such a group is true, all are, so that one access can move them
// all; and only a group in which the mask changes is accessed element by element.
#ifndef KILN_MASK_ORDER_H
#define KILN_MASK_ORDER_H

#include "analysis/axis/axis_info.h"

// Sizes of aligned groups, powers of two, in which no true element follows a false one (falls) or
// precedes one (rises).
typedef struct kiln_mask_order {
    int64_t falls, rises;
} kiln_mask_order_t;

kiln_mask_order_t kiln_mask_order(const kiln_axis_analysis_t *analysis, MlirValue mask, int dim);

// Elements that a split access has at least: of two, one access and a branch are no fewer
// instructions than two.
enum { KILN_SPLIT_MIN = 4 };

// The access of a load or store along `dim`, in any layout, if groups in which the mask changes are
// accessed by themselves; its repeat is 1. No wider than kiln_axis_access_along where that must not
// be done: in a loop with dots, whose body should stay one block of code, unless the access is in a
// branch there already.
kiln_axis_access_t kiln_split_access_along(const kiln_axis_analysis_t *analysis, MlirOperation op,
                                           int dim);

// The same in the layout of the pointers' type.
kiln_axis_access_t kiln_split_access(const kiln_axis_analysis_t *analysis, MlirOperation op,
                                     int num_warps);

// Whether the operation is the loop or the branch that peel_masks made for the iterations that need
// a mask: a branch where there is provably at most one.
bool kiln_is_peeled_rest(MlirOperation op);

#define KILN_PEELED_REST "kiln.rest" // its attribute

#endif
