// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trip count of an scf.for, without arithmetic that wraps. Iterations are counted over exact
// integers: the loop runs for lower + k · step, k = 0, 1, …, as long as that is below upper, even
// if the sum overflows the type.
#ifndef KILN_COUNT_ITERATIONS_H
#define KILN_COUNT_ITERATIONS_H

#include "builder/ir.h"

// The lowest `bits` bits of a value as a signed and as an unsigned number.
static inline int64_t kiln_with_sign(uint64_t value, int bits)
{
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static inline uint64_t kiln_without_sign(uint64_t value, int bits)
{
    return value << (64 - bits) >> (64 - bits);
}

// Whether the loop's comparison is unsigned.
bool kiln_for_is_unsigned(MlirOperation loop);

// The trip count for bounds of `bits` bits (the upper bits are ignored). False if there is at least
// one iteration and the step is not positive.
bool kiln_count_iterations(uint64_t lower, uint64_t upper, uint64_t step, int bits,
                           bool is_unsigned, uint64_t *out);

#endif
