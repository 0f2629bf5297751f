// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the files that count a launch.
#ifndef KILN_ANALYSIS_WORK_MEASURE_H
#define KILN_ANALYSIS_WORK_MEASURE_H

#include "analysis/work/program.h"

typedef struct kiln_work_measurement {
    const kiln_work_program_t *program;
    const kiln_work_launch_t *launch;
    double programs;
    kiln_point_t point;
    const int64_t *promised; // the arguments as the compiler knows them: odd, unless they are
                             // multiples of 16, which is what a JIT promises
    double *entries, *trips; // of each place, for one program
} kiln_work_measurement_t;

// Moves the point to a program, by its number in the order of dispatch.
void kiln_work_go_to(kiln_work_measurement_t *measurement, double program);

// Fills in what depends on the addresses of accesses. False if memory is exhausted.
bool kiln_work_look_at_accesses(kiln_work_measurement_t *measurement,
                                const kiln_work_region_t *regions, kiln_work_step_t *steps);

#endif
