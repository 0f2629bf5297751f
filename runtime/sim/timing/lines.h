// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What replaying told of each instruction that was executed: its text, its source line, and where waves stood in front of it.
#ifndef KILN_TIMING_LINES_H
#define KILN_TIMING_LINES_H

#include "core/launch.h"

struct kiln_timing_clock;

typedef struct kiln_timing_line {
    kiln_sim_line_t is;
    char instruction[192], source[512];
} kiln_timing_line_t;

typedef struct kiln_timing_lines {
    kiln_timing_line_t *all; // by address
    size_t count;
} kiln_timing_lines_t;

// Of the clock's last launch, which was predicted. False: out of memory.
bool kiln_timing_lines_make(kiln_timing_lines_t *lines, const struct kiln_timing_clock *clock,
                            const kiln_sim_launch_t *launch);
// The line at that address, which must be there.
const kiln_sim_line_t *kiln_timing_lines_find(const kiln_timing_lines_t *lines, uint64_t address);
void kiln_timing_lines_free(kiln_timing_lines_t *lines);

#endif
