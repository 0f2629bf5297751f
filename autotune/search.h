// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which candidates a search tries, and in which order. Only candidates and costs matter.
#ifndef KILN_AUTOTUNE_SEARCH_H
#define KILN_AUTOTUNE_SEARCH_H

#include "kiln/tune.h"

typedef struct kiln_search kiln_search_t;

// Creates a search of `count` candidates by problem->strategy, seed and budget. `samples` are those
// of the candidates; those other than KILN_TUNE_UNTRIED are known from earlier searches. Arguments
// are borrowed until the release.
kiln_status_t kiln_search_create(const kiln_tune_problem_t *problem,
                                 const kiln_tune_candidate_t *candidates,
                                 const kiln_tune_sample_t *samples, size_t count,
                                 kiln_search_t **out_search);
void kiln_search_release(kiln_search_t *search);

// From now on, candidates i with excluded[i] are not chosen: other processes are trying them.
// `excluded` is borrowed until the release.
void kiln_search_exclude(kiln_search_t *search, const bool *excluded);

// A guided search tries this candidate before all others, unless it is known.
void kiln_search_begin_with(kiln_search_t *search, size_t candidate);

// Of the chosen candidates one was compiled and not launched: it has the same code as an earlier
// one, or keeps registers in memory. In a guided search it does not count in the budget, unless as
// many as the budget have not been counted already. Whether it does not count.
bool kiln_search_refund(kiln_search_t *search);

// Maximum number of candidates that the search tries, besides refunded ones.
size_t kiln_search_budget(const kiln_search_t *search);

// Chooses the next candidates by the samples so far: sets chosen[i] for each of them, and clears
// the others. *out_count is their number; 0 ends the search. Fails only if memory is exhausted.
kiln_status_t kiln_search_next(kiln_search_t *search, bool *chosen, size_t *out_count);

#endif
