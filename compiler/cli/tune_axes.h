// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The axes of a search as --axis gives them: NAME=V1,V2,… where a value may be a range of integers.
#ifndef KILN_CLI_TUNE_AXES_H
#define KILN_CLI_TUNE_AXES_H

#include <stdbool.h>

#include "kiln/tune.h"

enum { KILN_TUNE_MAX_AXES = 32, KILN_TUNE_MAX_VALUES = 64, KILN_TUNE_VALUE_SIZE = 24 };

typedef struct kiln_tune_axes {
    kiln_tune_axis_t axes[KILN_TUNE_MAX_AXES]; // point into the following
    const char *values[KILN_TUNE_MAX_AXES][KILN_TUNE_MAX_VALUES];
    char numbers[KILN_TUNE_MAX_AXES][KILN_TUNE_MAX_VALUES][KILN_TUNE_VALUE_SIZE]; // of ranges
    size_t count;
} kiln_tune_axes_t;

// Adds NAME=V1,V2,…, where a value may be FIRST..LAST (by 1), FIRST..LAST+STEP or
// FIRST..LAST*FACTOR. Splits the word in place. False if it is invalid or has too many values.
bool kiln_tune_axes_add(kiln_tune_axes_t *axes, char *word);

#endif
