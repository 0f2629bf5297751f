// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles programs: threads with one session each take units from a queue, and the results are
// linked to one code object and bundled.
//
// Results are in the order of the units, not of their completion, so that a bundle is the same for
// any number of threads. Likewise symbols are made unique by the units' numbers.
#include "kiln/compile_program.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "artifact/findings_section.h"
#include "base/parallel.h"
#include "base/require.h"
#include "base/string.h"
#include "codegen/codegen.h"
#include "driver/compile_internal.h"
#include "driver/options.h"
#include "kiln/ahead.h"

typedef struct work {
    const kiln_program_unit_t *units;
    size_t count, next;
    kiln_kernel_t **kernels; // one per unit, NULL after a failure
    kiln_status_t *statuses;
    const kiln_program_compile_options_t *options;
    pthread_mutex_t lock, handler_lock;
} work_t;

void kiln_program_compile_options_initialize_sized(kiln_program_compile_options_t *options,
                                                   size_t struct_size)
{
    static const kiln_program_compile_options_t defaults = {.jobs = 0};
    kiln_struct_initialize(options, struct_size, &defaults, sizeof defaults);
}

static void forward_diagnostic(const kiln_diagnostic_t *diagnostic, void *user)
{
    work_t *work = user;
    pthread_mutex_lock(&work->handler_lock);
    work->options->diagnostic(diagnostic, work->options->diagnostic_user);
    pthread_mutex_unlock(&work->handler_lock);
}

static bool take_next(work_t *work, size_t *out_index)
{
    pthread_mutex_lock(&work->lock);
    *out_index = work->next;
    bool some = work->next < work->count;
    work->next += some;
    pthread_mutex_unlock(&work->lock);
    return some;
}

static void *compile_units(void *user)
{
    work_t *work = user;
    kiln_session_t *session = NULL;
    for (size_t i; take_next(work, &i);) {
        const kiln_program_unit_t *unit = &work->units[i];
        kiln_status_t status = session ? KILN_OK : kiln_session_create(&session);
        if (!status && work->options->diagnostic)
            kiln_session_set_diagnostic_handler(session, forward_diagnostic, work);
        char suffix[24];
        snprintf(suffix, sizeof suffix, ".%zu", i);
        work->statuses[i] = status ? status
                                   : kiln_compile_unit(session, &unit->source, unit->options,
                                                       suffix, &work->kernels[i]);
    }
    kiln_session_release(session);
    return NULL;
}

// The first failure; the others are freed.
static kiln_status_t take_failure(work_t *work)
{
    kiln_status_t first = KILN_OK;
    for (size_t i = 0; i < work->count; i++) {
        if (!work->statuses[i])
            continue;
        if (first) {
            kiln_status_free(work->statuses[i]);
            continue;
        }
        const char *name = work->units[i].source.name;
        first = kiln_status_annotate(work->statuses[i], "while compiling units[%zu], %s", i,
                                     name ? name : "unnamed source");
    }
    return first;
}

// Lists the findings of all units for which they were looked for.
static kiln_status_t put_findings(const work_t *work, char **io_code, size_t *io_size)
{
    kiln_string_t text = {0};
    bool were_searched = false;
    for (size_t i = 0; i < work->count; i++) {
        const char *own = work->kernels[i]->findings;
        were_searched |= own != NULL;
        if (own)
            kiln_string_append(&text, own);
    }
    kiln_status_t status = text.failed ? kiln_status_out_of_memory() : KILN_OK;
    if (!status && were_searched)
        status = kiln_findings_section_add(text.data ? text.data : "", io_code, io_size);
    kiln_string_free(&text);
    return status;
}

// Links all units to one code object.
static kiln_status_t link_units(const work_t *work, char **out_code, size_t *out_size)
{
    kiln_codegen_object_t *objects = calloc(work->count, sizeof *objects);
    if (!objects)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < work->count; i++) { // no longer owned by the kernels
        objects[i] =
            (kiln_codegen_object_t){work->kernels[i]->object, work->kernels[i]->object_size};
        work->kernels[i]->object = NULL;
    }
    kiln_status_t status = kiln_codegen_merge_metadata(objects, work->count);
    if (!status)
        status = kiln_codegen_link(objects, work->count, out_code, out_size);
    if (!status)
        status = put_findings(work, out_code, out_size);
    for (size_t i = 0; i < work->count; i++)
        free(objects[i].data);
    free(objects);
    return kiln_status_annotate(status, "while linking the program's %zu kernels", work->count);
}

static kiln_status_t bundle(const work_t *work, void **out_bundle, size_t *out_size)
{
    char *code = NULL;
    size_t code_size;
    kiln_compiled_t *compiled = calloc(work->count, sizeof *compiled);
    kiln_status_t status =
        compiled ? link_units(work, &code, &code_size) : kiln_status_out_of_memory();
    for (size_t i = 0; i < work->count && !status; i++)
        compiled[i] = (kiln_compiled_t){code, code_size, kiln_kernel_manifest(work->kernels[i])};
    if (!status)
        status = kiln_bundle_make(compiled, work->count, out_bundle, out_size);
    free(compiled);
    free(code);
    return status;
}

static kiln_status_t check_unit(const char *function, const kiln_program_unit_t *unit, size_t index)
{
    if (!unit->source.text)
        return kiln_status_make(KILN_STATUS_USAGE, "%s: units[%zu].source.text is NULL", function,
                                index);
    if (!unit->options)
        return KILN_OK;
    kiln_compile_options_t options;
    KILN_TRY_NOTE(kiln_options_take(function, "units->options", unit->options, &options),
                  "of units[%zu]", index);
    if (options.last_stage != KILN_STAGE_HSACO)
        return kiln_status_make(
            KILN_STATUS_USAGE,
            "%s: the last_stage of units[%zu] must be hsaco; only code objects can be bundled",
            function, index);
    return KILN_OK;
}

kiln_status_t kiln_program_compile(const kiln_program_unit_t *units, size_t unit_count,
                                   const kiln_program_compile_options_t *options, void **out_bundle,
                                   size_t *out_size)
{
    KILN_REQUIRE_OUT(out_bundle);
    KILN_REQUIRE_OUT(out_size);
    KILN_REQUIRE(units);
    KILN_REQUIRE_THAT(unit_count, "unit_count is 0");
    kiln_program_compile_options_t taken;
    kiln_program_compile_options_initialize(&taken);
    if (options)
        KILN_REQUIRE_STRUCT(kiln_program_compile_options_t, &taken, options);
    for (size_t i = 0; i < unit_count; i++)
        KILN_TRY(check_unit(__func__, &units[i], i));
    work_t work = {.units = units,
                   .count = unit_count,
                   .options = &taken,
                   .kernels = calloc(unit_count, sizeof *work.kernels),
                   .statuses = calloc(unit_count, sizeof *work.statuses)};
    kiln_status_t status = work.kernels && work.statuses ? KILN_OK : kiln_status_out_of_memory();
    if (!status) {
        pthread_mutex_init(&work.lock, NULL);
        pthread_mutex_init(&work.handler_lock, NULL);
        kiln_parallel(work.options->jobs, work.count, compile_units, &work);
        pthread_mutex_destroy(&work.lock);
        pthread_mutex_destroy(&work.handler_lock);
        status = take_failure(&work);
    }
    if (!status)
        status = bundle(&work, out_bundle, out_size);
    for (size_t i = 0; work.kernels && i < unit_count; i++)
        kiln_kernel_release(work.kernels[i]);
    free(work.kernels);
    free(work.statuses);
    return status;
}
