// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transfer functions of axis information: the facts about an operation's result, given those of
// its operands. axis_info.c propagates facts through control flow.
//
// Note that a group may shrink, and its divisibility with it: if [16, 17, 18, 19 | …] is split into
// pairs, their first elements are 16 and 18.
#ifndef KILN_AXIS_TRANSFER_H
#define KILN_AXIS_TRANSFER_H

#include "analysis/axis/facts.h"
#include "analysis/range/integer_range.h"

// Facts about result 0 of an operation without regions, given those of its operands (in operand
// order). Only the ranges decide whether numbers are negative or wrap.
kiln_axis_info_t kiln_axis_transfer(MlirOperation op, const kiln_axis_info_t *operands,
                                    const kiln_range_analysis_t *ranges);

#endif
