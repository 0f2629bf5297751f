// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the best candidates of a search in turn: A B C A B C …
//
// A GPU's clock drifts with its temperature and its other load. Candidates that were measured
// minutes apart are therefore compared once more, so that a drift affects all of them. They share
// the buffers, so each turn begins with the candidate's contents and arguments: the candidate is
// prepared once more.
#include "contend.h"

#include <stdlib.h>

#include "build.h"
#include "evaluate.h"

typedef struct contender {
    kiln_tune_build_t build;
    kiln_loaded_t loaded;
} contender_t;

static kiln_status_t begin(void *user)
{
    contender_t *contender = user;
    return kiln_loaded_prepare_again(&contender->loaded);
}

static kiln_status_t launch(void *user, size_t step)
{
    contender_t *contender = user;
    return kiln_loaded_launch(&contender->loaded, step);
}

// Compiles and loads a candidate, which succeeded before.
static kiln_status_t load(const kiln_tune_problem_t *problem, kiln_tune_builder_t *builder,
                          const kiln_tune_candidate_t *candidate, size_t index,
                          contender_t *contender)
{
    KILN_TRY(kiln_tune_builder_take(builder, index, &contender->build));
    if (contender->build.failure) {
        kiln_status_t failure = contender->build.failure;
        contender->build.failure = KILN_OK;
        return failure;
    }
    KILN_TRY(kiln_loaded_prepare(problem, candidate, contender->build.kernels,
                                 contender->build.count, &contender->loaded));
    return kiln_loaded_load(&contender->loaded);
}

static kiln_status_t measure(const kiln_tune_problem_t *problem, contender_t *contenders,
                             size_t count, kiln_held_clock_t *clock, kiln_cost_t *costs,
                             bool *out_is_lost)
{
    kiln_cost_launch_t launches[KILN_CONTENDERS];
    for (size_t i = 0; i < count; i++)
        launches[i] = (kiln_cost_launch_t){.launch = launch,
                                           .user = &contenders[i],
                                           .step_count = contenders[i].loaded.count,
                                           .begin = begin,
                                           .restore = problem->restore,
                                           .restore_user = problem->user,
                                           .clock = clock};
    return kiln_cost_in_turn(problem->launch_limit_ms, problem->device,
                             kiln_loaded_stream(&contenders[0].loaded), launches, count, costs,
                             out_is_lost);
}

kiln_status_t kiln_contend(const kiln_tune_problem_t *problem, const kiln_steps_t *steps,
                           const kiln_tune_candidate_t *const *candidates, size_t count,
                           kiln_held_clock_t *clock, kiln_cost_t *costs, bool *out_is_lost)
{
    contender_t contenders[KILN_CONTENDERS] = {0};
    kiln_tune_candidate_t copies[KILN_CONTENDERS] = {0};
    const bool skipped[KILN_CONTENDERS] = {0};
    kiln_tune_builder_t *builder = NULL;
    for (size_t i = 0; i < count; i++)
        copies[i] = *candidates[i];
    kiln_status_t status =
        kiln_tune_builder_create(problem, steps, copies, skipped, count, &builder);
    for (size_t i = 0; i < count && !status; i++)
        status = load(problem, builder, &copies[i], i, &contenders[i]);
    kiln_tune_builder_release(builder);
    if (!status)
        status = measure(problem, contenders, count, clock, costs, out_is_lost);
    for (size_t i = 0; i < count; i++) {
        kiln_loaded_free(&contenders[i].loaded,
                         *out_is_lost ? KILN_LOADED_LEAVE : KILN_LOADED_UNLOAD);
        kiln_tune_build_free(&contenders[i].build);
    }
    return status;
}
