// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transfer functions of axis information: the facts about an operation's result, given those of
// its operands. axis_info.c propagates facts through control flow.
//
// Note that a group may shrink, and its divisibility with it: if [16, 17, 18, 19 | …] is split into
// pairs, their first elements are 16 and 18.
#ifndef KILN_AXIS_TRANSFER_H
#define KILN_AXIS_TRANSFER_H

#include "analysis/axis_info.h"
#include "analysis/integer_range.h"

// The facts about an unknown value of this type.
kiln_axis_info_t kiln_axis_unknown(MlirType type);

// The facts that hold for both values, of type `type`.
kiln_axis_info_t kiln_axis_join(const kiln_axis_info_t *a, const kiln_axis_info_t *b,
                                MlirType type);

bool kiln_axis_equal(const kiln_axis_info_t *a, const kiln_axis_info_t *b);

// Facts about result 0 of an operation without regions, given those of its operands (in operand
// order). Only the ranges decide whether numbers are negative or wrap.
kiln_axis_info_t kiln_axis_transfer(MlirOperation op, const kiln_axis_info_t *operands,
                                    const kiln_range_analysis_t *ranges);

// Strengthens the facts about a value of this type by the user's hints (tt.divisibility,
// tt.contiguity, tt.constancy), each an integer or a list with one entry per dimension. Hints imply
// nothing about signs.
void kiln_axis_apply_hints(kiln_axis_info_t *info, MlirType type, MlirAttribute divisibility,
                           MlirAttribute contiguity, MlirAttribute constancy);

#endif
