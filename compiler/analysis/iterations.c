// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides from the ranges of a loop's bounds which sums of them may wrap.
#include "analysis/iterations.h"

#include "analysis/range/integer_range.h"

enum { LOWER, UPPER, STEP, WORD = 64 };

// 0 if not supported: other types, and integers wider than 64 bits.
static int width_of(MlirValue value)
{
    MlirType type = mlirValueGetType(value);
    unsigned width = mlirTypeIsAInteger(type) ? mlirIntegerTypeGetWidth(type)
                     : mlirTypeIsAIndex(type) ? WORD
                                              : 0;
    return width <= WORD ? (int)width : 0;
}

int64_t kiln_loop_trip_count(MlirOperation loop)
{
    int64_t bounds[3];
    uint64_t count;
    int bits = width_of(kiln_op_operand(loop, LOWER));
    for (int i = LOWER; i <= STEP; i++)
        if (!bits || !kiln_ir_constant_int(kiln_op_operand(loop, i), &bounds[i]))
            return -1;
    bool fits =
        kiln_count_iterations((uint64_t)bounds[LOWER], (uint64_t)bounds[UPPER],
                              (uint64_t)bounds[STEP], bits, kiln_for_is_unsigned(loop), &count);
    return fits && count <= INT64_MAX ? (int64_t)count : -1;
}

// Queries -----------------------------------------------------------------------------------------

typedef __int128 wide_t; // sums of bounds do not wrap in it

kiln_sum_fits_t kiln_for_sum_fits(MlirOperation loop, int times)
{
    if (times == 0)
        return KILN_SUM_FITS;
    MlirValue first = kiln_op_operand(loop, LOWER);
    const kiln_range_t all = kiln_range_full(mlirValueGetType(first)),
                       lower = kiln_range_nearby(first),
                       step = kiln_range_nearby(kiln_op_operand(loop, STEP));
    if (!all.bits)
        return KILN_SUM_MAY_WRAP;
    if (kiln_for_is_unsigned(loop))
        return (wide_t)lower.unsigned_max + times * (wide_t)step.unsigned_max <= all.unsigned_max
                   ? KILN_SUM_FITS
                   : KILN_SUM_MAY_WRAP;
    const wide_t sum = lower.signed_max + times * (wide_t)step.signed_max;
    if (sum <= all.signed_max)
        return KILN_SUM_FITS;
    return lower.signed_min >= 0 && sum <= all.unsigned_max ? KILN_SUM_FITS_UNSIGNED
                                                            : KILN_SUM_MAY_WRAP;
}

kiln_for_test_t kiln_for_test(MlirOperation loop)
{
    MlirValue first = kiln_op_operand(loop, LOWER);
    const kiln_range_t all = kiln_range_full(mlirValueGetType(first)),
                       lower = kiln_range_nearby(first),
                       upper = kiln_range_nearby(kiln_op_operand(loop, UPPER)),
                       step = kiln_range_nearby(kiln_op_operand(loop, STEP));
    if (!all.bits)
        return KILN_FOR_TESTS_REST;
    // The induction variable is at most upper − 1.
    if (kiln_for_is_unsigned(loop))
        return (wide_t)upper.unsigned_max - 1 + step.unsigned_max <= all.unsigned_max
                   ? KILN_FOR_TESTS_NEXT
                   : KILN_FOR_TESTS_REST;
    if ((wide_t)upper.signed_max - 1 + step.signed_max <= all.signed_max)
        return KILN_FOR_TESTS_NEXT;
    return lower.signed_min >= 0 ? KILN_FOR_TESTS_NEXT_UNSIGNED : KILN_FOR_TESTS_REST;
}
