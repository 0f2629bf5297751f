// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a stored result the only candidate of a search, which then verifies it like any other: a
// wrong one is deleted, and the cost of a right one replaces the old cost.
#include "stored.h"

#include <stdlib.h>

#include "base/settings.h"
#include "base/string.h"

static kiln_status_t add_axes(kiln_tune_space_t *space, const char *config)
{
    kiln_setting_list_t settings = {0};
    kiln_status_t status = kiln_settings_put_text(&settings, config);
    for (size_t i = 0; i < settings.count && !status; i++) {
        char *axis = kiln_string_print("%s=%s", settings.items[i].name, settings.items[i].value);
        status = axis ? kiln_tune_space_add(space, axis) : kiln_status_out_of_memory();
        free(axis);
    }
    kiln_settings_free(&settings);
    return status;
}

kiln_status_t kiln_tune_stored_space(kiln_tune_problem_t *problem, kiln_tune_space_t **out_space)
{
    kiln_tune_match_t match = {.struct_size = sizeof match};
    *out_space = NULL;
    if (!problem->store)
        return kiln_status_make(KILN_STATUS_USAGE, "there is no cache directory; give --store");
    KILN_TRY(kiln_tune_find_problem(problem, KILN_TUNE_USE_EXACT, &match));
    kiln_status_t status = kiln_tune_space_create(out_space);
    if (!status)
        status = add_axes(*out_space, match.config);
    free(match.config);
    free(match.arguments);
    problem->axes = kiln_tune_space_axes(*out_space, &problem->axis_count);
    problem->admit = NULL;
    problem->strategy = KILN_TUNE_EXHAUSTIVE;
    problem->recall = KILN_TUNE_RECALL_NONE;
    problem->budget = problem->shard = problem->shard_count = 0;
    return status;
}
