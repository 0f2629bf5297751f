// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the waves of a predicted launch stood: by instruction, by source line and by loop.
#ifndef KILN_CLI_STALLS_H
#define KILN_CLI_STALLS_H

#include <jansson.h>

#include "kiln/runtime.h"

// Prints three tables of the calling thread's last launch, which the option `stalls` watched.
kiln_status_t kiln_stalls_print(kiln_device_t *device);

// The same by instruction, as an array of JSON.
kiln_status_t kiln_stalls_json(kiln_device_t *device, json_t **out_array);

#endif
