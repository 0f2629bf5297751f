// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches the best combinations of a search once more. A search keeps costs only, and some of them
// may come from the store, so the bytes and operations of the winners are predicted here.
#include "winners.h"

#include "base/json.h"
#include "build.h"
#include "cli/prediction/prediction.h"
#include "evaluate.h"
#include "problem.h"

enum { WINNERS = 4 };

static kiln_status_t add_kernel(kiln_loaded_t *loaded, size_t step, json_t *kernels)
{
    kiln_device_t *device = loaded->problem->device;
    kiln_sim_prediction_t prediction = {.struct_size = sizeof prediction};
    KILN_TRY(kiln_loaded_launch(loaded, step));
    KILN_TRY(kiln_stream_synchronize(device, kiln_loaded_stream(loaded)));
    KILN_TRY(kiln_device_launch_prediction(device, &prediction));
    json_t *kernel =
        json_pack("{s:o,s:o}", "kernel", kiln_json_text(kiln_kernel_name(loaded->kernels[step])),
                  "prediction", kiln_prediction_json(&prediction));
    return json_array_append_new(kernels, kernel) == 0 ? KILN_OK : kiln_status_out_of_memory();
}

static kiln_status_t launch(const kiln_tune_problem_t *problem,
                            const kiln_tune_candidate_t *candidate, const kiln_tune_build_t *build,
                            json_t *kernels)
{
    kiln_loaded_t loaded;
    kiln_status_t status =
        kiln_loaded_prepare(problem, candidate, build->kernels, build->count, &loaded);
    if (!status)
        status = kiln_loaded_load(&loaded);
    for (size_t i = 0; i < build->count && !status; i++)
        status = add_kernel(&loaded, i, kernels);
    kiln_loaded_free(&loaded, KILN_LOADED_UNLOAD);
    return status;
}

static kiln_status_t add_winner(const kiln_tune_problem_t *problem,
                                const kiln_tune_candidate_t *candidate,
                                kiln_tune_builder_t *builder, size_t index, json_t *winners)
{
    kiln_tune_build_t build;
    KILN_TRY(kiln_tune_builder_take(builder, index, &build));
    json_t *kernels = json_array();
    kiln_status_t status = kernels ? build.failure : kiln_status_out_of_memory();
    build.failure = kernels ? KILN_OK : build.failure;
    if (!status)
        status = launch(problem, candidate, &build, kernels);
    json_t *winner =
        json_pack("{s:o,s:o}", "config", kiln_json_text(candidate->config), "kernels", kernels);
    if (json_array_append_new(winners, winner) != 0 && !status)
        status = kiln_status_out_of_memory();
    kiln_tune_build_free(&build);
    return status;
}

// The best combinations with code of their own.
static size_t choose(const kiln_tune_result_t *result, kiln_tune_candidate_t *candidates)
{
    size_t count = 0;
    for (size_t i = 0; i < kiln_tune_result_count(result) && count < WINNERS; i++) {
        const kiln_tune_sample_t *sample = kiln_tune_result_sample(result, i);
        if (sample->verdict == KILN_TUNE_OK && !sample->same_as)
            candidates[count++] = *sample->candidate;
    }
    return count;
}

kiln_status_t kiln_tune_winners_json(const kiln_tune_problem_t *problem,
                                     const kiln_tune_result_t *result, json_t **out_winners)
{
    kiln_tune_problem_t taken;
    kiln_compile_options_t options;
    kiln_steps_t steps = {0};
    kiln_tune_builder_t *builder = NULL;
    kiln_tune_candidate_t candidates[WINNERS];
    const bool skipped[WINNERS] = {0};
    if (!(*out_winners = json_array()))
        return kiln_status_out_of_memory();
    if (kiln_tune_result_cost_kind(result) != KILN_COST_PREDICTED_NANOSECONDS)
        return KILN_OK;
    const size_t count = choose(result, candidates);
    kiln_status_t status = kiln_tune_take(__func__, problem, &taken, &options);
    if (!status)
        status = kiln_steps_make(__func__, &taken, &steps);
    if (!status)
        status = kiln_tune_builder_create(&taken, &steps, candidates, skipped, count, &builder);
    for (size_t i = 0; i < count && !status; i++)
        status = add_winner(&taken, &candidates[i], builder, i, *out_winners);
    kiln_tune_builder_release(builder);
    kiln_steps_free(&steps);
    return status;
}
