// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key of a problem's results. It depends only on the problem, not on a candidate.
#ifndef KILN_AUTOTUNE_KEY_H
#define KILN_AUTOTUNE_KEY_H

#include "base/settings.h"
#include "steps.h"

typedef struct kiln_tune_own_key {
    char problem[33];
    char *fixed;
    kiln_setting_list_t settings; // `fixed` is their text
    char *kernel;                 // the name of a sequence, or that of `options`, or ""
} kiln_tune_own_key_t;

// Requires a completed problem (problem.h).
kiln_status_t kiln_tune_key_make(const kiln_tune_problem_t *problem, const kiln_steps_t *steps,
                                 kiln_tune_own_key_t *out);
void kiln_tune_key_free(kiln_tune_own_key_t *key);

#endif
