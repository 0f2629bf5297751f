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

// Prints how long the calling thread's last launch would take on the device, and what bounds it.
void kiln_prediction_print(const kiln_sim_prediction_t *prediction, kiln_device_t *device);

// The same as a JSON object; NULL if out of memory.
json_t *kiln_prediction_json(const kiln_sim_prediction_t *prediction);

// The busy shares of units that each compute unit has, over all compute units of the device, as
// rocprof-compute defines utilization; the prediction has those of the compute unit with the most
// work. NULL if out of memory.
json_t *kiln_prediction_device_json(const kiln_sim_prediction_t *prediction, kiln_device_t *device);

// The clock of the device without a limit of power, in MHz; 0 if unknown.
double kiln_prediction_full_mhz(const kiln_device_t *device);

#endif
