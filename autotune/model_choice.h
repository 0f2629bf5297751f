// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The configuration that a model of the device expects to be the cheapest.
#ifndef KILN_AUTOTUNE_MODEL_CHOICE_H
#define KILN_AUTOTUNE_MODEL_CHOICE_H

#include "kiln/tune.h"

// Chooses among the combinations of the problem's axes that it admits, without compiling or
// launching any. `problem` is complete, and its `user` is a runner. *out_config is from malloc.
// UNSUPPORTED if the model cannot judge the program.
kiln_status_t kiln_tune_model_choose(const kiln_tune_problem_t *problem, char **out_config);

#endif
