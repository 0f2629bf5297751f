// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The configuration that a model of the device expects to be the cheapest.
#ifndef KILN_AUTOTUNE_MODEL_CHOICE_H
#define KILN_AUTOTUNE_MODEL_CHOICE_H

#include "kiln/tune.h"

// Chooses the combination of the problem's axes with the least estimate, of those that it admits,
// by its `plan`; nothing is compiled or launched. `problem` is complete (problem.h). *out_config is
// from malloc. UNSUPPORTED if it has no axes, or if the model cannot estimate the program.
kiln_status_t kiln_tune_model_choose(const kiln_tune_problem_t *problem, char **out_config);

#endif
