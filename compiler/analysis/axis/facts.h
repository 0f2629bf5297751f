// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts about the elements of one value: functions that create, join and weaken them.
// transfer.c derives the facts about results from those about operands.
#ifndef KILN_AXIS_FACTS_H
#define KILN_AXIS_FACTS_H

#include "analysis/axis/axis_info.h"

#define KILN_AXIS_MAX ((int64_t)1 << 40)          // the divisibility of zero
#define KILN_AXIS_MAX_MULTIPLE ((int32_t)1 << 30) // the same of steps

static const kiln_axis_steps_t kiln_axis_no_steps = {1, 1, 1};

static inline int64_t kiln_axis_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t kiln_axis_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

// The largest power of two that divides a number, at most KILN_AXIS_MAX, which is the result for
// 0.
int64_t kiln_axis_power_in(int64_t value);
// The largest power of two that is not above a number; 1 for numbers below 1.
int64_t kiln_axis_floor_power(int64_t value);
// Number of bytes between elements of a contiguous group of pointers; 1 for integers.
int64_t kiln_axis_step(MlirType type);
// Elements of a tensor along `dim`; 1 of a scalar.
int64_t kiln_axis_size(MlirType type, int dim);

// The facts about an unknown value of this type, and about a number.
kiln_axis_info_t kiln_axis_unknown(MlirType type);
kiln_axis_info_t kiln_axis_constant(MlirType type, int64_t value);

// The facts that hold for both values, of type `type`.
kiln_axis_info_t kiln_axis_join(const kiln_axis_info_t *a, const kiln_axis_info_t *b,
                                MlirType type);

bool kiln_axis_equal(const kiln_axis_info_t *a, const kiln_axis_info_t *b);

// Divisibility of the first elements of groups of `contiguity`, which may be smaller than the
// value's own groups.
int64_t kiln_axis_divisibility_in(const kiln_axis_info_t *info, int dim, int64_t contiguity,
                                  int64_t step);

// At most `count` steps of each group; the first of the smaller groups are multiples of less.
// `unit` is the distance between steps.
kiln_axis_steps_t kiln_axis_fewer_steps(kiln_axis_steps_t steps, int64_t count, int64_t unit);
// The steps that remain if other facts hold only within groups of `group` elements.
kiln_axis_steps_t kiln_axis_steps_within(kiln_axis_steps_t steps, int64_t group, int64_t unit);
// Steps whose first elements are multiples of `multiple` only.
kiln_axis_steps_t kiln_axis_steps_of_multiples(kiln_axis_steps_t steps, int64_t multiple);

// Strengthens the facts about a value of this type by the user's hints (tt.divisibility,
// tt.contiguity, tt.constancy), each an integer or a list with one entry per dimension. Hints imply
// nothing about signs.
void kiln_axis_apply_hints(kiln_axis_info_t *info, MlirType type, MlirAttribute divisibility,
                           MlirAttribute contiguity, MlirAttribute constancy);

#endif
