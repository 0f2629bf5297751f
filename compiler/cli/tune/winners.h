// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulator's predictions for the best combinations of a search, for their roofline.
#ifndef KILN_CLI_TUNE_WINNERS_H
#define KILN_CLI_TUNE_WINNERS_H

#include <jansson.h>

#include "kiln/tune.h"

// Launches the best combinations once more, and returns an array of
// {"config": …, "kernels": [{"kernel": …, "prediction": …}]}: empty unless costs are predicted.
kiln_status_t kiln_tune_winners_json(const kiln_tune_problem_t *problem,
                                     const kiln_tune_result_t *result, json_t **out_winners);

#endif
