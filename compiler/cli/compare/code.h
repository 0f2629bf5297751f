// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The comparison of `kiln inspect --compare`: two code objects, without a launch.
#ifndef KILN_CLI_COMPARE_CODE_H
#define KILN_CLI_COMPARE_CODE_H

#include <jansson.h>
#include <stdbool.h>

#include "kiln/status.h"

// A number of a kernel, and its name in the text.
typedef struct kiln_code_row {
    const char *member, *title; // of "resources"
} kiln_code_row_t;

// Prints the differences between two arrays of kernels in the form of `kiln inspect --json`:
// resources, instructions in total and by loop, and findings. Kernels are matched by name; if each
// side has only one, the two are matched. With `some`, `kernels` are only some of the object's, so
// missing ones are not reported as removed.
void kiln_code_compare(const json_t *base, const json_t *kernels, bool some,
                       const kiln_code_row_t *rows, size_t row_count);

#endif
