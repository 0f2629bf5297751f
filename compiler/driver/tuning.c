// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tuning declarations of Tile C source, with ranges expanded.
#include <stdlib.h>
#include <string.h>

#include "base/axis.h"
#include "base/require.h"
#include "driver/compile_internal.h"
#include "driver/options.h"
#include "frontend/frontend.h"

struct kiln_tuning {
    kiln_declared_tuning_t declared;
    kiln_tune_axis_t *axes; // point into the following
    kiln_axis_values_t *values;
};

static kiln_status_t expand(kiln_tuning_t *tuning)
{
    const kiln_declared_tuning_t *declared = &tuning->declared;
    tuning->axes = calloc(declared->axis_count + 1, sizeof *tuning->axes);
    tuning->values = calloc(declared->axis_count + 1, sizeof *tuning->values);
    if (!tuning->axes || !tuning->values)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < declared->axis_count; i++) {
        kiln_axis_values_t *values = &tuning->values[i];
        KILN_TRY(kiln_axis_values_add_all(values, declared->axes[i].values));
        tuning->axes[i] = (kiln_tune_axis_t){declared->axes[i].name,
                                             (const char *const *)values->items, values->count};
    }
    return KILN_OK;
}

kiln_status_t kiln_tuning_read(const kiln_source_t *source, const kiln_compile_options_t *options,
                               kiln_diagnostic_handler_t handler, void *user,
                               kiln_tuning_t **out_tuning)
{
    kiln_compile_options_t complete;
    KILN_REQUIRE_OUT(out_tuning);
    KILN_REQUIRE(source);
    KILN_REQUIRE_ARRAY(source->text, source->length);
    KILN_TRY(kiln_options_take(__func__, "options", options, &complete));
    kiln_tuning_t *tuning = calloc(1, sizeof *tuning);
    if (!tuning)
        return kiln_status_out_of_memory();
    kiln_status_t status = KILN_OK;
    if (source->stage == KILN_STAGE_TILE) {
        status = kiln_compile_check_source(source);
        if (!status)
            status = kiln_frontend_read_tuning(source, &complete, handler, user, &tuning->declared);
    }
    if (!status)
        status = expand(tuning);
    if (status)
        kiln_tuning_release(tuning);
    else
        *out_tuning = tuning;
    return status;
}

void kiln_tuning_release(kiln_tuning_t *tuning)
{
    if (!tuning)
        return;
    for (size_t i = 0; tuning->values && i < tuning->declared.axis_count; i++)
        kiln_axis_values_free(&tuning->values[i]);
    kiln_declared_tuning_free(&tuning->declared);
    free(tuning->values);
    free(tuning->axes);
    free(tuning);
}

static const char *name_at(char *const *names, size_t index)
{
    for (size_t i = 0; names && names[i]; i++)
        if (i == index)
            return names[i];
    return NULL;
}

const char *kiln_tuning_kernel(const kiln_tuning_t *tuning)
{
    return tuning ? tuning->declared.kernel : NULL;
}

const char *kiln_tuning_grid(const kiln_tuning_t *tuning)
{
    return tuning ? tuning->declared.grid : NULL;
}

const char *kiln_tuning_argument(const kiln_tuning_t *tuning, size_t index)
{
    return tuning ? name_at(tuning->declared.arguments, index) : NULL;
}

const char *kiln_tuning_declared_argument(const kiln_tuning_t *tuning, size_t index)
{
    return tuning ? name_at(tuning->declared.words, index) : NULL;
}

const char *kiln_tuning_constant(const kiln_tuning_t *tuning, size_t index)
{
    return tuning ? name_at(tuning->declared.constants, index) : NULL;
}

const kiln_tune_axis_t *kiln_tuning_axes(const kiln_tuning_t *tuning, size_t *out_count)
{
    if (out_count)
        *out_count = tuning ? tuning->declared.axis_count : 0;
    return tuning ? tuning->axes : NULL;
}

const char *const *kiln_tuning_conditions(const kiln_tuning_t *tuning, size_t *out_count)
{
    if (out_count)
        *out_count = tuning ? tuning->declared.condition_count : 0;
    return tuning ? (const char *const *)tuning->declared.conditions : NULL;
}

const char *kiln_tuning_condition_place(const kiln_tuning_t *tuning, size_t index,
                                        unsigned *out_line, unsigned *out_column)
{
    static const kiln_declared_place_t nowhere;
    const kiln_declared_place_t *place = tuning && index < tuning->declared.condition_count
                                             ? &tuning->declared.places[index]
                                             : &nowhere;
    if (out_line)
        *out_line = place->line;
    if (out_column)
        *out_column = place->column;
    return place->file;
}
