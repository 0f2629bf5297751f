// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The results of a replay by executed instruction: its text, its source line, and its waves'
// stalls.
#ifndef KILN_TIMING_LINES_H
#define KILN_TIMING_LINES_H

#include "run/launch.h"

struct kiln_timing_clock;

typedef struct kiln_timing_line {
    kiln_sim_line_t line;
    char instruction[192], source[512];
} kiln_timing_line_t;

typedef struct kiln_timing_lines {
    kiln_timing_line_t *all; // by address
    size_t count;
} kiln_timing_lines_t;

// For the clock's last launch, which must have a prediction. False if memory is exhausted.
bool kiln_timing_lines_make(kiln_timing_lines_t *lines, const struct kiln_timing_clock *clock,
                            const kiln_sim_launch_t *launch);
// The line at that address, which must exist.
const kiln_sim_line_t *kiln_timing_lines_find(const kiln_timing_lines_t *lines, uint64_t address);
void kiln_timing_lines_free(kiln_timing_lines_t *lines);

#endif
