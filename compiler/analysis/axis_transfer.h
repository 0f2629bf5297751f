// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of axis information: what an operation makes of what is known of its operands. How facts travel around
// loops is axis_info.c's part.
//
// The thing one gets wrong: a group may shrink, and its divisibility with it: of [16, 17, 18, 19 | …] cut into pairs,
// the first elements are 16 and 18.
#ifndef KILN_AXIS_TRANSFER_H
#define KILN_AXIS_TRANSFER_H

#include "analysis/axis_info.h"

// Nothing known of a value of this type.
kiln_axis_info_t kiln_axis_unknown(MlirType type);

// What holds of a value that is one of the two. `type` is the type of both.
kiln_axis_info_t kiln_axis_join(const kiln_axis_info_t *a, const kiln_axis_info_t *b, MlirType type);

bool kiln_axis_equal(const kiln_axis_info_t *a, const kiln_axis_info_t *b);

// Result 0 of an operation without regions from its operands' information (in the operands' order).
kiln_axis_info_t kiln_axis_transfer(MlirOperation op, const kiln_axis_info_t *operands);

// Raises the information by the user's hints (tt.divisibility, tt.contiguity, tt.constancy), each an integer or a list
// with one entry per dimension.
void kiln_axis_apply_hints(kiln_axis_info_t *info, MlirAttribute divisibility, MlirAttribute contiguity,
                           MlirAttribute constancy);

#endif
