// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measured kernels as test/bench/clock/*/ describes them, one JSON object per line:
// docs/timing-model.md documents the format.
#ifndef KILN_BENCH_CLOCK_POINTS_H
#define KILN_BENCH_CLOCK_POINTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct clock_point {
    json_t *json;                                     // the whole line
    const char *name, *family, *set, *source, *cache; // of it
    const char *folder;                               // base of its paths
    double measured_us;
    double predicted_us; // 0: prediction failed, for the reason in `problem`
    double seconds;      // duration of the prediction
    unsigned bound;      // kiln_timing_bound_t of the longest predicted launch
    double bound_us;     // and its time
    char problem[256];
    bool held_back; // in the half that is not used while working on the model
    bool detailed;  // each launch is printed (clock_launch.h)
} clock_point_t;

typedef struct clock_points {
    clock_point_t *points;
    size_t count, capacity;
} clock_points_t;

// Appends the points of DIRECTORY/points.jsonl. False, with a message on stderr, on failure.
bool clock_points_read(clock_points_t *points, const char *directory);
void clock_points_free(clock_points_t *points);

// Runs the point's launches on a machine of their own that executes only what the prediction needs
// (KILN_SIM_CLOCK=only), or all workgroups if that fails.
void clock_point_predict(clock_point_t *point);

#endif
