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

// Prints what differs between two arrays of kernels as `kiln inspect --json` has them: resources,
// instructions in total and by loop, and findings. Kernels are matched by name, or if there is only
// one on each side, with each other. With `some`, `kernels` are not all of the object, so that
// others are not gone.
void kiln_code_compare(const json_t *base, const json_t *kernels, bool some,
                       const kiln_code_row_t *rows, size_t row_count);

#endif
