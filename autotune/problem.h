// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A caller's problem converted to this version of the struct. Its options are a struct with a
// version of their own.
#ifndef KILN_AUTOTUNE_PROBLEM_H
#define KILN_AUTOTUNE_PROBLEM_H

#include "kiln/tune.h"

// Fills in the defaults of a problem and its options. Afterwards out_problem->options is
// `out_options`.
kiln_status_t kiln_tune_take(const char *function, const kiln_tune_problem_t *given,
                             kiln_tune_problem_t *out_problem, kiln_compile_options_t *out_options);

#endif
