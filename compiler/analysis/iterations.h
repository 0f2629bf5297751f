// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts about the iterations of an scf.for before it runs: their number, and which tests of its
// induction variable do not wrap.
//
// Pitfall: i + step < upper does not test for another iteration if the sum wraps: near the type's
// end the loop would continue from its other end. Code that emits the test must prove that it
// cannot wrap.
#ifndef KILN_ITERATIONS_H
#define KILN_ITERATIONS_H

#include "builder/count_iterations.h"

// The number of iterations of a loop with constant bounds; −1 for others, and beyond INT64_MAX.
int64_t kiln_loop_trip_count(MlirOperation loop);

// How lower + times · step may be compared. The step is positive, otherwise the loop is undefined.
typedef enum kiln_sum_fits {
    KILN_SUM_FITS,          // the sum fits the type, with the loop's signedness
    KILN_SUM_FITS_UNSIGNED, // neither lower nor the sum is negative, and the sum fits as an
                            // unsigned number
    KILN_SUM_MAY_WRAP,
} kiln_sum_fits_t;
kiln_sum_fits_t kiln_for_sum_fits(MlirOperation loop, int times);

// How to test for another iteration after the one with induction variable i, which is below upper.
typedef enum kiln_for_test {
    KILN_FOR_TESTS_NEXT,          // i + step < upper
    KILN_FOR_TESTS_NEXT_UNSIGNED, // the same as unsigned, in a signed loop: i is not negative
    KILN_FOR_TESTS_REST,          // upper − i > step, as unsigned
} kiln_for_test_t;
kiln_for_test_t kiln_for_test(MlirOperation loop);

#endif
