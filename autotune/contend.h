// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the best candidates of a search in turn.
#ifndef KILN_AUTOTUNE_CONTEND_H
#define KILN_AUTOTUNE_CONTEND_H

#include "held_clock.h"
#include "steps.h"

enum { KILN_CONTENDERS = 8 }; // at most

// Compiles the candidates, which were measured before, and measures their launches on a GPU in
// turn; costs[i] is that of candidates[i]. *out_is_lost: a launch exceeded the
// problem's limit, and the call fails.
kiln_status_t kiln_contend(const kiln_tune_problem_t *problem, const kiln_steps_t *steps,
                           const kiln_tune_candidate_t *const *candidates, size_t count,
                           kiln_held_clock_t *clock, kiln_cost_t *costs, bool *out_is_lost);

#endif
