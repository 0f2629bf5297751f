// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the verbs say of the simulator's predicted time (docs/timing-model.md). On a GPU nothing is predicted.
#ifndef KILN_CLI_PREDICTION_H
#define KILN_CLI_PREDICTION_H

#include <jansson.h>

#include "kiln/runtime.h"

// For verbs that are about cost: the clock predicts, and a launch finds in the caches what it would leave there itself, as a
// benchmark that repeats it would see, unless the user says otherwise. Behind the flags.
void kiln_prediction_default(bool cold);

// Prints how long a launch would take on the device, and what it is busy with.
void kiln_prediction_print(const kiln_sim_prediction_t *prediction);

// The same as an object of JSON; NULL: out of memory.
json_t *kiln_prediction_json(const kiln_sim_prediction_t *prediction);

#endif
