// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search space: the product of the axes, one candidate per combination that the problem admits.
//
// Combinations are numbered as nested loops in the order of the axes would visit them, so the last
// axis varies fastest.
#ifndef KILN_AUTOTUNE_SPACE_H
#define KILN_AUTOTUNE_SPACE_H

#include "kiln/tune.h"

// Number of combinations; fails (KILN_STATUS_USAGE) on an axis without values, a name that occurs
// twice, or more than KILN_SPACE_MAX combinations.
kiln_status_t kiln_space_size(const kiln_tune_axis_t *axes, size_t axis_count, size_t *out_size);
enum { KILN_SPACE_MAX = 1000000 };

// The combinations of a problem's axes, in order. Where the problem's space allows configurations
// (kiln_tune_space_allow), only those that equal one of them are visited, however many the axes
// have.
typedef struct kiln_space_walk {
    const kiln_tune_problem_t *problem; // borrowed
    size_t *numbers;                    // of the combinations, ascending; NULL: all below `count`
    size_t count, next;
} kiln_space_walk_t;

// Where there are more than KILN_SPACE_MAX combinations, an exhaustive search fails
// (KILN_STATUS_USAGE); any other visits up to as many that the problem admits, spread over all
// values, and reports this by the problem's `diagnostic`. The walk is freed with
// kiln_space_walk_free, also after a failure.
kiln_status_t kiln_space_walk_begin(const kiln_tune_problem_t *problem,
                                    kiln_space_walk_t *out_walk);
// All combinations, however many there are: for a caller that needs the first ones only.
kiln_status_t kiln_space_walk_in_order(const kiln_tune_problem_t *problem,
                                       kiln_space_walk_t *out_walk);
// A number near the golden section of `count` that has no divisor in common with it: multiples of
// it modulo `count` visit each number once, and the first ones are spread over all.
size_t kiln_space_stride(size_t count);
void kiln_space_walk_free(kiln_space_walk_t *walk);

// Makes the next candidate that the problem admits; *out_found is false after the last one.
kiln_status_t kiln_space_walk_next(kiln_space_walk_t *walk, kiln_tune_candidate_t *out_candidate,
                                   bool *out_found);

// Makes candidate number `index`. Settings and text belong to the candidate and are freed by
// kiln_space_candidate_free. Values are borrowed from the axes.
kiln_status_t kiln_space_candidate(const kiln_tune_axis_t *axes, size_t axis_count, size_t index,
                                   kiln_tune_candidate_t *out_candidate);
void kiln_space_candidate_free(kiln_tune_candidate_t *candidate);

// Keeps shard `shard` (1 … shard_count) of the candidates, in their order, and frees the others.
// Shards differ by at most one in size. A candidate's shard depends only on the set of candidates
// and is as good as random, so that expensive values of an axis are distributed over all shards.
// USAGE if no candidate is left.
kiln_status_t kiln_space_keep_shard(kiln_tune_candidate_t *candidates, size_t *io_count,
                                    size_t shard, size_t shard_count);

#endif
