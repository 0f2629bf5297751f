// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measured kernels as test/bench/clock/*/ describes them, one JSON object a line: docs/timing-model.md gives the format.
#ifndef KILN_BENCH_CLOCK_POINTS_H
#define KILN_BENCH_CLOCK_POINTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct clock_point {
    json_t *json;                                     // the whole line
    const char *name, *family, *set, *source, *cache; // of it
    const char *folder;                               // that its paths start from
    double measured_us;
    double predicted_us; // 0: it could not be predicted; `problem` says why
    double seconds;      // that predicting took
    char problem[256];
    bool held_back; // of the half that is not looked at while the model is worked on
} clock_point_t;

typedef struct clock_points {
    clock_point_t *points;
    size_t count, capacity;
} clock_points_t;

// Reads DIRECTORY/points.jsonl behind what is there. False, with a message on stderr, where it cannot.
bool clock_points_read(clock_points_t *points, const char *directory);
void clock_points_free(clock_points_t *points);

// Runs the point's launches on a machine of their own that executes only what the prediction needs (KILN_SIM_CLOCK=only), or all
// workgroups where that fails.
void clock_point_predict(clock_point_t *point);

#endif
