// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A caller's problem as this version knows it. What is easily got wrong: its options are a struct of their own version.
#ifndef KILN_AUTOTUNE_PROBLEM_H
#define KILN_AUTOTUNE_PROBLEM_H

#include "kiln/tune.h"

// Completes a problem and its options by the defaults; out_problem->options is `out_options` afterwards.
kiln_status_t kiln_tune_take(const char *function, const kiln_tune_problem_t *given, kiln_tune_problem_t *out_problem,
                             kiln_compile_options_t *out_options);

#endif
