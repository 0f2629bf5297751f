// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stalls of the waves of a predicted launch: by instruction, by source line and by loop.
#ifndef KILN_CLI_STALLS_H
#define KILN_CLI_STALLS_H

#include <jansson.h>
#include <stdio.h>

#include "kiln/program.h"
#include "kiln/runtime.h"

// Reads the instructions of the calling thread's last launch, recorded by the option `stalls`. The
// caller frees *out_lines, also after a failure; strings are valid until the next launch.
kiln_status_t kiln_stalls_read(kiln_device_t *device, kiln_sim_line_t **out_lines,
                               size_t *out_count);

// Prints tables of the calling thread's last launch, recorded by the option `stalls`: loops, source
// lines with their text, the source with the cycles of each line, and instructions in their order;
// or, if `top` is not 0, that many loops, lines and instructions, with the most cycles. The texts
// are those of `source` (NULL: none) and of files.
kiln_status_t kiln_stalls_print(kiln_device_t *device, size_t top, const kiln_source_t *source);

// The stalls by instruction, as a JSON array.
kiln_status_t kiln_stalls_json(kiln_device_t *device, json_t **out_array);

// Likewise for lines from elsewhere.
kiln_status_t kiln_stalls_print_lines(FILE *out, const kiln_sim_line_t *lines, size_t count,
                                      size_t top);
kiln_status_t kiln_stalls_json_lines(const kiln_sim_line_t *lines, size_t count,
                                     json_t **out_array);
const char *kiln_stalls_reason(size_t index); // its name; NULL past the last

#endif
