// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the result of a problem without a search, and distributes it among the kernels of a
// sequence.
#include <stdlib.h>
#include <string.h>

#include "base/require.h"
#include "base/string.h"
#include "key.h"
#include "problem.h"
#include "steps.h"

typedef struct taken {
    kiln_tune_problem_t problem;
    kiln_compile_options_t options;
    kiln_steps_t steps;
} taken_t;

static kiln_status_t take(const char *function, const kiln_tune_problem_t *problem, taken_t *out)
{
    *out = (taken_t){0};
    KILN_TRY(kiln_tune_take(function, problem, &out->problem, &out->options));
    kiln_status_t status = kiln_steps_make(function, &out->problem, &out->steps);
    if (status)
        kiln_steps_free(&out->steps);
    return status;
}

kiln_status_t kiln_tune_find_problem(const kiln_tune_problem_t *problem, kiln_tune_use_t use,
                                     kiln_tune_match_t *out_match)
{
    KILN_REQUIRE_OUT_STRUCT(kiln_tune_match_t, out_match);
    const kiln_tune_match_t none = {0};
    kiln_struct_copy_out(out_match, &none, sizeof none);
    taken_t taken;
    kiln_tune_own_key_t own = {0};
    KILN_TRY(take(__func__, problem, &taken));
    kiln_status_t status =
        taken.problem.store
            ? kiln_tune_key_make(&taken.problem, &taken.steps, &own)
            : kiln_status_make(KILN_STATUS_USAGE, "%s: problem->store is NULL", __func__);
    if (!status) {
        const kiln_jit_tune_request_t request = {.struct_size = sizeof request,
                                                 .kernel = own.kernel,
                                                 .problem = own.problem,
                                                 .device = kiln_device_key(taken.problem.device),
                                                 .arguments = taken.problem.arguments,
                                                 .settings = own.settings.items,
                                                 .setting_count = own.settings.count};
        status = kiln_tune_find(&request, taken.problem.store, use, out_match);
        kiln_tune_key_free(&own);
    }
    kiln_steps_free(&taken.steps);
    return status;
}

// The tuned settings and the problem's, which override them.
static kiln_status_t merge(const kiln_tune_problem_t *problem, const char *config,
                           kiln_setting_list_t *out)
{
    KILN_TRY(kiln_settings_put_text(out, config));
    return kiln_settings_put_all(out, problem->fixed, problem->fixed_count);
}

static kiln_status_t print(const kiln_setting_t *settings, size_t count, char **out_text)
{
    kiln_string_t text = {0};
    kiln_string_append(&text, "");
    for (size_t i = 0; i < count; i++)
        kiln_string_appendf(&text, "%s%s=%s", i ? " " : "", settings[i].name, settings[i].value);
    *out_text = kiln_string_take(&text);
    return *out_text ? KILN_OK : kiln_status_out_of_memory();
}

kiln_status_t kiln_tune_step_settings(const kiln_tune_problem_t *problem, size_t step,
                                      const char *config, char **out_config)
{
    KILN_REQUIRE_OUT(out_config);
    KILN_REQUIRE(config);
    taken_t taken;
    kiln_setting_list_t all = {0};
    kiln_setting_t *own = NULL;
    size_t count = 0;
    KILN_TRY(take(__func__, problem, &taken));
    kiln_status_t status = KILN_OK;
    if (step >= taken.steps.count)
        status = kiln_status_make(KILN_STATUS_USAGE, "%s: step is %zu, but there are %zu kernels",
                                  __func__, step, taken.steps.count);
    if (!status)
        status = merge(&taken.problem, config, &all);
    if (!status)
        status = kiln_steps_select(&taken.steps, step, all.items, all.count, &own, &count);
    if (!status)
        status = print(own, count, out_config);
    kiln_settings_free(&all);
    free(own);
    kiln_steps_free(&taken.steps);
    return status;
}
