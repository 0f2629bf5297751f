// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Progress of `kiln tune` on stderr: a line per candidate, and the state of the search: in the last
// line of a terminal, elsewhere as a line from time to time.
#ifndef KILN_CLI_TUNE_PROGRESS_H
#define KILN_CLI_TUNE_PROGRESS_H

#include "kiln/tune.h"

// The progress callback of a kiln_tune_problem_t.
void kiln_tune_show_progress(const kiln_tune_sample_t *sample, size_t done, size_t total,
                             void *user);

// The `estimated` callback: a line each second.
void kiln_tune_show_estimates(size_t done, size_t total, void *user);

// Removes the state from a terminal; before anything else is printed there.
void kiln_tune_end_progress(void);

#endif
