// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transfer functions of ranges (range.h): the range of an operation's result, given those of
// its operands. integer_range.c propagates ranges through control flow.
//
// Note that a result that may exceed its type wraps, so if one bound of a reading does not fit the
// type, both become the type's.
#ifndef KILN_RANGE_TRANSFER_H
#define KILN_RANGE_TRANSFER_H

#include "analysis/range/range.h"

// The range of result `index` of an operation, given its operands' ranges in operand order; the
// full range without a rule. `num_warps` bounds the grid; regions are ignored.
kiln_range_t kiln_range_transfer(MlirOperation op, int index, const kiln_range_t *operands,
                                 int num_warps);

// The largest number of programs of a grid in a dimension: a dispatch has fewer than 2^32
// work-items in each, of which a program takes a wave's 64 in x for each of its warps, and HIP
// limits launches to maxGridSize.
uint64_t kiln_range_max_programs(int64_t axis, int num_warps);

// The sum of at least one and at most `count` numbers of this range.
kiln_range_t kiln_range_sum(const kiln_range_t *range, int64_t count);

// The induction variable of an scf.for.
kiln_range_t kiln_range_induction(const kiln_range_t *lower, const kiln_range_t *upper,
                                  const kiln_range_t *step, bool is_unsigned);

#endif
