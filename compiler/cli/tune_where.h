// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditions on combinations of axes: --where 'BLOCK_M * BLOCK_N <= 32768'.
#ifndef KILN_CLI_TUNE_WHERE_H
#define KILN_CLI_TUNE_WHERE_H

#include "kiln/arguments.h"
#include "kiln/tune.h"

enum { KILN_TUNE_MAX_CONDITIONS = 32 };

typedef struct kiln_tune_where {
    const char *conditions[KILN_TUNE_MAX_CONDITIONS]; // all must hold
    size_t count;
    const kiln_arguments_t *arguments; // whose scalars they may use
    const kiln_setting_t *fixed;       // and these settings
    size_t fixed_count;
} kiln_tune_where_t;

// The `admit` of a kiln_tune_problem_t; `user` is a kiln_tune_where_t. USAGE names what is wrong
// with a condition.
kiln_status_t kiln_tune_where_admits(const kiln_tune_candidate_t *candidate, bool *out_admits,
                                     void *user);

#endif
