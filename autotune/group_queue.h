// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The candidates of a group's search, which rank 0 gives out one by one by the search's strategy.
// Not thread-safe.
#ifndef KILN_AUTOTUNE_GROUP_QUEUE_H
#define KILN_AUTOTUNE_GROUP_QUEUE_H

#include "kiln/tune.h"

typedef struct kiln_group_queue kiln_group_queue_t;

// `candidates` are borrowed until the release; `samples` are copied.
kiln_status_t kiln_group_queue_create(const kiln_tune_problem_t *problem,
                                      const kiln_tune_candidate_t *candidates,
                                      const kiln_tune_sample_t *samples, size_t count,
                                      kiln_group_queue_t **out_queue);
void kiln_group_queue_release(kiln_group_queue_t *queue);

// The next candidate; *out_index is the number of candidates if there is none.
kiln_status_t kiln_group_queue_next(kiln_group_queue_t *queue, size_t *out_index);

// The verdict and cost of a candidate, by which a guided search chooses.
void kiln_group_queue_report(kiln_group_queue_t *queue, size_t index, kiln_tune_verdict_t verdict,
                             double cost);

size_t kiln_group_queue_count(const kiln_group_queue_t *queue);   // of candidates
size_t kiln_group_queue_done(const kiln_group_queue_t *queue);    // reported and recalled ones
size_t kiln_group_queue_planned(const kiln_group_queue_t *queue); // at the end

#endif
