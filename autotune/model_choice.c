// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the candidate with the least estimate (estimates.h). Equal ones are taken in the order of
// the axes.
#include "model_choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "estimates.h"
#include "space.h"

typedef struct choice {
    kiln_tune_candidate_t *candidates;
    kiln_tune_sample_t *samples;
    size_t count;
} choice_t;

// Makes the candidates: the combinations of the axes that the problem admits.
static kiln_status_t make_candidates(kiln_space_walk_t *walk, choice_t *choice)
{
    choice->candidates = calloc(walk->count + 1, sizeof *choice->candidates);
    choice->samples = calloc(walk->count + 1, sizeof *choice->samples);
    if (!choice->candidates || !choice->samples)
        return kiln_status_out_of_memory();
    for (bool found = walk->count > 0; found;) {
        kiln_tune_candidate_t *candidate = &choice->candidates[choice->count];
        KILN_TRY(kiln_space_walk_next(walk, candidate, &found));
        if (found)
            choice->samples[choice->count++].candidate = candidate;
    }
    return choice->count
               ? KILN_OK
               : kiln_status_make(KILN_STATUS_USAGE, "no combination of the axes is admitted");
}

static kiln_status_t take_best(const choice_t *choice, char **out_config)
{
    const kiln_tune_sample_t *best = NULL;
    for (size_t i = 0; i < choice->count; i++) {
        const kiln_tune_sample_t *sample = &choice->samples[i];
        if (sample->modelled_ns > 0 && (!best || sample->modelled_ns < best->modelled_ns))
            best = sample;
    }
    if (!best)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "the model cannot estimate any of its %zu candidates",
                                choice->count);
    *out_config = strdup(best->candidate->config);
    return *out_config ? KILN_OK : kiln_status_out_of_memory();
}

kiln_status_t kiln_tune_model_choose(const kiln_tune_problem_t *problem, char **out_config)
{
    kiln_tune_problem_t modelled = *problem;
    choice_t choice = {0};
    *out_config = NULL;
    if (problem->axis_count == 0)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "it declares nothing to tune, and a model chooses only among "
                                "declared values; declare some before the kernel: "
                                "[[tune(NAME = V1, V2, …)]]");
    modelled.strategy = KILN_TUNE_MODEL; // a failure to estimate is an error
    kiln_space_walk_t walk;
    kiln_status_t status = kiln_space_walk_begin(&modelled, &walk);
    if (!status)
        status = make_candidates(&walk, &choice);
    kiln_space_walk_free(&walk);
    if (!status)
        status = kiln_tune_estimate_all(
            &modelled, choice.candidates, choice.count,
            modelled.time_limit_ms > 0 ? kiln_now_ms() + modelled.time_limit_ms : 0,
            choice.samples);
    if (!status)
        status = take_best(&choice, out_config);
    for (size_t i = 0; i < choice.count; i++)
        kiln_space_candidate_free(&choice.candidates[i]);
    free(choice.candidates);
    free(choice.samples);
    return status;
}
