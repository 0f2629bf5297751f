// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stalls of the waves of a predicted launch: by instruction, by source line and by loop.
#ifndef KILN_CLI_STALLS_H
#define KILN_CLI_STALLS_H

#include <jansson.h>

#include "kiln/runtime.h"

// Reads the instructions of the calling thread's last launch, recorded by the option `stalls`. The
// caller frees *out_lines, also after a failure; strings are valid until the next launch.
kiln_status_t kiln_stalls_read(kiln_device_t *device, kiln_sim_line_t **out_lines,
                               size_t *out_count);

// Prints three tables of the calling thread's last launch, recorded by the option `stalls`.
kiln_status_t kiln_stalls_print(kiln_device_t *device);

// The stalls by instruction, as a JSON array.
kiln_status_t kiln_stalls_json(kiln_device_t *device, json_t **out_array);

#endif
