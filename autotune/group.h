// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a search needs of the group that it shares its candidates with.
#ifndef KILN_AUTOTUNE_GROUP_H
#define KILN_AUTOTUNE_GROUP_H

#include "kiln/tune_group.h"

// What to do next.
typedef struct kiln_group_turn {
    enum {
        KILN_GROUP_TRY,    // candidate `index`
        KILN_GROUP_REPORT, // rank 0: another rank has tried candidate `index`; show its progress
        KILN_GROUP_END
    } what;
    size_t index;
    size_t done, total; // candidates of the whole search, with those that are recalled
    // Of KILN_GROUP_REPORT:
    kiln_tune_verdict_t verdict;
    double cost;
    const char *reason; // valid until the next call
} kiln_group_turn_t;

// Begins a search of `count` candidates. The key, the problem's conditions and the candidates must
// be equal for all ranks. Arguments are borrowed until kiln_group_end; `samples` are those that
// rank 0 recalls from its store.
kiln_status_t kiln_group_begin(kiln_tune_group_t *group, const kiln_tune_problem_t *problem,
                               const kiln_tune_key_t *key, const kiln_tune_candidate_t *candidates,
                               const kiln_tune_sample_t *samples, size_t count);

// Reports the candidate that was tried since the last call (NULL: none), and requests the next
// turn. Rank 0 waits for candidates that other ranks are trying, and reports all of them.
kiln_status_t kiln_group_next(kiln_tune_group_t *group, const kiln_tune_sample_t *tried,
                              kiln_group_turn_t *out_turn);

// Gives out no further candidates: to this rank or, on rank 0, to any.
void kiln_group_end(kiln_tune_group_t *group);

#endif
