// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output of `kiln tune`: a line per candidate on stderr, the table of the best on stdout.
#ifndef KILN_CLI_TUNE_TABLE_H
#define KILN_CLI_TUNE_TABLE_H

#include "kiln/tune.h"

// The progress callback of a kiln_tune_problem_t.
void kiln_tune_show_progress(const kiln_tune_sample_t *sample, size_t done, size_t total,
                             void *user);

// The `estimated` callback: a line each second.
void kiln_tune_show_estimates(size_t done, size_t total, void *user);

// Candidates with the same code share one row, that of the first. `is_stopped`: a signal ended the
// search.
void kiln_tune_print_table(const kiln_tune_result_t *result, long top, bool is_stopped);

#endif
