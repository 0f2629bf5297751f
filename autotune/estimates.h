// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first level of a search: an estimate for every candidate, without compiling any.
#ifndef KILN_AUTOTUNE_ESTIMATES_H
#define KILN_AUTOTUNE_ESTIMATES_H

#include "kiln/tune.h"

// Whether the strategy of the problem uses estimates that it can have.
bool kiln_tune_uses_estimates(const kiln_tune_problem_t *problem);

// Sets samples[i].modelled_ns of each candidate that can be estimated, by the problem's `plan`.
// Programs are read once for each combination of constants, on the problem's number of threads. A
// candidate whose program cannot be read, or whose launch cannot be planned, has no estimate; if
// none has one, the strategy KILN_TUNE_MODEL fails with the first reason. Ends early if the problem
// is cancelled, and at `end_ms` (kiln_now_ms; 0: no limit), but not before some programs were read;
// combinations of constants are visited in an order that spreads over all of them, so that the
// estimates made by then cover the whole space. Reports to the problem's `estimated`. A guided
// search of more than 2048 combinations of constants has no estimates.
kiln_status_t kiln_tune_estimate_all(const kiln_tune_problem_t *problem,
                                     const kiln_tune_candidate_t *candidates, size_t count,
                                     double end_ms, kiln_tune_sample_t *samples);

#endif
