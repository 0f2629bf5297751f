// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the tuner's key of a launch.
#include "key.h"

#include <stdlib.h>

#include "base/string.h"

// The grids of --grid; *out_grids is NULL without any.
static kiln_status_t given_grids(const kiln_launch_flags_t *flags, char **out_grids)
{
    bool has_grid = flags->grid != NULL;
    kiln_string_t text = {0};
    kiln_string_append(&text, flags->grid ? flags->grid : "");
    for (size_t i = 0; i < flags->then_count; i++) {
        const char *grid = flags->then[i].grid;
        kiln_string_appendf(&text, ";%s", grid ? grid : "");
        has_grid |= grid != NULL;
    }
    char *grids = kiln_string_take(&text);
    *out_grids = has_grid ? grids : NULL;
    if (!grids)
        return kiln_status_out_of_memory();
    if (!has_grid)
        free(grids);
    return KILN_OK;
}

// Appends the grid that the source of a kernel declares. A source that cannot be read has none; its
// errors are reported when it is compiled.
static kiln_status_t append_declared(const kiln_source_t *source,
                                     const kiln_compile_options_t *options, const char *kernel,
                                     kiln_string_t *text)
{
    kiln_tuning_t *tuning = NULL;
    kiln_compile_options_t own = *options;
    own.kernel = kernel;
    kiln_status_t status = kiln_tuning_read(source, &own, NULL, NULL, &tuning);
    if (!status && kiln_tuning_grid(tuning))
        kiln_string_appendf(text, "%s;", kiln_tuning_grid(tuning));
    kiln_tuning_release(tuning);
    if (kiln_status_is_out_of_memory(status))
        return status;
    kiln_status_free(status);
    return KILN_OK;
}

// Those of the kernels without --grid.
static kiln_status_t declared_grids(const kiln_launch_flags_t *flags,
                                    const kiln_tune_problem_t *problem, kiln_string_t *text)
{
    kiln_string_append(text, "");
    if (!flags->grid)
        KILN_TRY(append_declared(&problem->source, problem->options, flags->kernel, text));
    for (size_t i = 0; i < problem->then_count; i++) {
        const kiln_tune_step_t *step = problem->then[i];
        if (!flags->then[i].grid)
            KILN_TRY(append_declared(step->source.text ? &step->source : &problem->source,
                                     problem->options, step->kernel, text));
    }
    return KILN_OK;
}

kiln_status_t kiln_launch_key(const kiln_launch_flags_t *flags, const kiln_tune_problem_t *problem,
                              const kiln_arguments_t *arguments, char **out_key)
{
    kiln_string_t declared = {0};
    char *grids = NULL;
    kiln_status_t status = declared_grids(flags, problem, &declared);
    if (!status)
        status = given_grids(flags, &grids);
    char *text = kiln_string_take(&declared);
    *out_key = status || !text ? NULL : kiln_arguments_tuning_key_of(arguments, grids, text);
    free(grids);
    free(text);
    if (status)
        return status;
    return *out_key ? KILN_OK : kiln_status_out_of_memory();
}
