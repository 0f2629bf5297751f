// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which candidates a search tries, and in which order. It sees candidates and costs only.
#ifndef KILN_AUTOTUNE_SEARCH_H
#define KILN_AUTOTUNE_SEARCH_H

#include "kiln/tune.h"

typedef struct kiln_search kiln_search_t;

// A search of `count` candidates by problem->strategy, seed and budget. `samples` are those of the
// candidates; ones that are not KILN_TUNE_UNTRIED, from earlier searches, are known. Arguments are
// borrowed until the release.
kiln_status_t kiln_search_create(const kiln_tune_problem_t *problem,
                                 const kiln_tune_candidate_t *candidates,
                                 const kiln_tune_sample_t *samples, size_t count,
                                 kiln_search_t **out_search);
void kiln_search_release(kiln_search_t *search);

// Number of candidates that the search tries at the most.
size_t kiln_search_budget(const kiln_search_t *search);

// Chooses the next candidates by the samples so far: sets chosen[i] for each of them, and clears
// the others. *out_count is their number; 0 ends the search. Fails only without memory.
kiln_status_t kiln_search_next(kiln_search_t *search, bool *chosen, size_t *out_count);

#endif
