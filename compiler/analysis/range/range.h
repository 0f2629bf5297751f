// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges of integers. A range bounds every element of a value, both as a signed and as an unsigned
// number of the element's width, and holds how many of the low bits are zero. Neither pair of
// bounds can replace the other: [−1, 1] contains every number when read as unsigned, [0, 2^32 − 2]
// every number when read as signed.
//
// The parts of a range bound each other. After a change of one part, `kiln_range_settle` makes them
// consistent again.
#ifndef KILN_RANGE_H
#define KILN_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include <mlir-c/IR.h>

#include "builder/compare.h"

// Numbers of 1 … 64 bits.
static inline int64_t kiln_signed_min(int bits)
{
    return INT64_MIN >> (64 - bits);
}

static inline int64_t kiln_signed_max(int bits)
{
    return INT64_MAX >> (64 - bits);
}

static inline uint64_t kiln_unsigned_max(int bits)
{
    return UINT64_MAX >> (64 - bits);
}

static inline int64_t kiln_as_signed(int bits, uint64_t value) // the number with the same bits
{
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

typedef struct kiln_range {
    int bits;  // width of the elements, 1 … 64; 0: not an integer, the other fields are unused
    int zeros; // low bits that are zero in every element, 0 … bits
    int64_t signed_min, signed_max;
    uint64_t unsigned_min, unsigned_max;
} kiln_range_t;

// The full range of integers and index, scalars or tensors; `bits` is 0 for other types.
kiln_range_t kiln_range_full(MlirType type);

kiln_range_t kiln_range_of_bits(int bits); // all numbers of that width
kiln_range_t kiln_range_of_signed(int bits, int64_t min, int64_t max);
kiln_range_t kiln_range_of_unsigned(int bits, uint64_t min, uint64_t max);

// Intersects with these bounds, which may be wider than the range's. Settle the range afterwards.
void kiln_range_limit_signed(kiln_range_t *range, int64_t min, int64_t max);
void kiln_range_limit_unsigned(kiln_range_t *range, uint64_t min, uint64_t max);

// Tightens the bounds by the zeros and by each other: if a pair has one sign, the signed and
// unsigned readings differ by a constant. An empty range contains no value, so any result would be
// correct; it becomes the full range to be safe.
kiln_range_t kiln_range_settle(kiln_range_t range);

// The union: every value of either.
kiln_range_t kiln_range_join(const kiln_range_t *a, const kiln_range_t *b);

// The intersection; `a` if that is empty, since no such value exists.
kiln_range_t kiln_range_meet(const kiln_range_t *a, const kiln_range_t *b);

bool kiln_range_equal(const kiln_range_t *a, const kiln_range_t *b);

// Widens to the type's bounds each bound of `now` that differs from `before`, so a range can be
// widened only a few times.
kiln_range_t kiln_range_widen(const kiln_range_t *before, const kiln_range_t *now);

// The values for which `value predicate other` holds; the predicate is numbered as in arith.cmpi.
kiln_range_t kiln_range_where(const kiln_range_t *value, kiln_cmpi_t predicate,
                              const kiln_range_t *other);

#endif
