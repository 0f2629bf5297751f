// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges of the values that an access uses where its mask is true.
//
//   %m = arith.cmpi slt, %i, %n           only elements with %i < %n are accessed: for them %i is below %n's maximum,
//   tt.load (%x + %i), %m                 %n above %i's minimum; program_bound.h derives the sign of %i = %pid · 1024
//
// Such a range holds only for the elements that an enabled element of the access depends on: a
// value with other uses may be anything there.
//
// Operations that mix elements (reductions, gathers, reshapes) must not be followed, nor may block
// arguments: a loop-carried value was computed in another iteration, to which this mask does not
// apply.
#ifndef KILN_MASKED_RANGE_H
#define KILN_MASKED_RANGE_H

#include "analysis/range/integer_range.h"
#include "analysis/range/place.h"

typedef struct kiln_mask_fact {
    MlirValue value;
    kiln_place_t place;
    kiln_range_t range;
} kiln_mask_fact_t;

enum { KILN_MASK_MAX_FACTS = 32 };

typedef struct kiln_masked_ranges {
    const kiln_range_analysis_t *ranges;
    kiln_mask_fact_t facts[KILN_MASK_MAX_FACTS];
    int count;
    int steps; // remaining in the current query
} kiln_masked_ranges_t;

// Collects the facts that the mask of an access implies where it is true; a null mask is always
// true.
void kiln_masked_ranges_begin(const kiln_range_analysis_t *ranges, MlirOperation access,
                              MlirValue mask, kiln_masked_ranges_t *out);

// The range of the elements of `value` at `place` on which enabled elements depend. Never larger
// than that of kiln_range_of.
kiln_range_t kiln_masked_range_of(kiln_masked_ranges_t *masked, MlirValue value,
                                  const kiln_place_t *place);

#endif
