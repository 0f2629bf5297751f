// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pairs of points that differ by one change: DIRECTORY/pairs.jsonl, one JSON object per line;
// docs/timing-model.md documents the format.
#ifndef KILN_BENCH_CLOCK_PAIRS_H
#define KILN_BENCH_CLOCK_PAIRS_H

#include "clock_points.h"

typedef struct clock_pair {
    json_t *json;       // the whole line
    const char *change; // of it
    const clock_point_t *before, *after;
    bool held_back; // if one of its points is: a pair shows the errors of both
} clock_pair_t;

typedef struct clock_pairs {
    clock_pair_t *pairs;
    size_t count;
} clock_pairs_t;

// Reads the pairs of all directories of the points, which must not move any more. A directory may
// have none. False, with a message on stderr, on failure, or if a pair names no point.
bool clock_pairs_read(clock_pairs_t *pairs, const clock_points_t *points);
void clock_pairs_free(clock_pairs_t *pairs);

// Prints one line for the seen pairs and, if `held_back`, one for the others: how many of those
// whose points were predicted have the right sign and the right size; first, if `all`, each pair.
void clock_pairs_print(const clock_pairs_t *pairs, bool held_back, bool all);

#endif
