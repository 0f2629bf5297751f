// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output of the simulator's predicted time (docs/timing-model.md). On a GPU nothing is predicted.
#ifndef KILN_CLI_PREDICTION_H
#define KILN_CLI_PREDICTION_H

#include <jansson.h>

#include "kiln/runtime.h"

// Sets the defaults of verbs that show costs, unless the user sets others: the clock predicts, and
// the caches hold what the launch itself would leave there, as in a benchmark that repeats it. Call
// after the flags are parsed.
void kiln_prediction_default(bool cold);

// Prints how long a launch would take on the device, and what bounds it.
void kiln_prediction_print(const kiln_sim_prediction_t *prediction);

// The same as a JSON object; NULL if out of memory.
json_t *kiln_prediction_json(const kiln_sim_prediction_t *prediction);

#endif
