// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values and ranges of a tuning axis: "1,2,32..256*2" is 1, 2, 32, 64, 128, 256.
//
// Ranges are counted in integers that do not wrap: the last value may be INT64_MAX.
#ifndef KILN_BASE_AXIS_H
#define KILN_BASE_AXIS_H

#include <stddef.h>

#include "kiln/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { KILN_AXIS_MAX_VALUES = 64 };

// Values in their order. A zeroed list is empty.
typedef struct kiln_axis_values {
    char **items; // owned
    size_t count, capacity;
} kiln_axis_values_t;

// Adds one value, which may be FIRST..LAST (by 1), FIRST..LAST+STEP or FIRST..LAST*FACTOR.
// Each value is kept once, so that lists and ranges may overlap. KILN_STATUS_USAGE says what was
// expected; values that were added before it stay.
kiln_status_t kiln_axis_values_add(kiln_axis_values_t *values, const char *text, size_t length);
// Adds all values of a comma-separated list.
kiln_status_t kiln_axis_values_add_all(kiln_axis_values_t *values, const char *text);
void kiln_axis_values_free(kiln_axis_values_t *values);

#ifdef __cplusplus
}
#endif
#endif
