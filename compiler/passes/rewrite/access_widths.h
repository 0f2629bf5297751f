// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many elements each load and store of a function accesses together: what a pass that makes
// versions of code compares, with and without the facts of a version.
#ifndef KILN_ACCESS_WIDTHS_H
#define KILN_ACCESS_WIDTHS_H

#include "analysis/axis/axis_info.h"

enum { KILN_ACCESS_WIDTHS_MAX = 64 };

typedef enum kiln_access_width {
    KILN_WIDTH_OF_MEMORY, // consecutive elements
    KILN_WIDTH_OR_EQUAL,  // or, of a load, equal addresses, which are loaded once
} kiln_access_width_t;

// Of the function's first accesses, in order.
typedef struct kiln_access_widths {
    int64_t of[KILN_ACCESS_WIDTHS_MAX];
    MlirOperation access[KILN_ACCESS_WIDTHS_MAX];
    int count;
    kiln_access_width_t kind;
    const kiln_axis_analysis_t *axis; // NULL once measured
} kiln_access_widths_t;

kiln_status_t kiln_access_widths_measure(MlirOperation function, kiln_access_width_t kind,
                                         kiln_access_widths_t *out);

// Whether some access is wider than before, or none is narrower than wanted.
bool kiln_access_widths_gain(const kiln_access_widths_t *now, const kiln_access_widths_t *before);
bool kiln_access_widths_suffice(const kiln_access_widths_t *now,
                                const kiln_access_widths_t *wanted);

#endif
