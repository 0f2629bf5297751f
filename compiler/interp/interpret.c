// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln/interp.h: reads a source as a compilation does, and executes it.
//
// Note that the program points into the module, so both live as long as the interpreter.
#include "kiln/interp.h"

#include <stdlib.h>
#include <string.h>

#include "base/require.h"
#include "builder/ir.h"
#include "driver/compile_internal.h"
#include "interp/interp.h"

struct kiln_interp {
    kiln_session_t *session;
    kiln_diagnostics_t diagnostics;
    kiln_source_t source; // a copy of the caller's text, for the lines that errors quote
    char *name, *text;
    MlirModule module;
    kiln_kernel_t *kernel; // name and arguments
    kiln_iprogram_t *program;
    const kiln_ifunction_t *function;
};

static kiln_status_t copy_source(kiln_interp_t *interp, const kiln_source_t *source)
{
    interp->name = strdup(source->name ? source->name : "-");
    interp->text = malloc(source->length + 1);
    if (!interp->name || !interp->text)
        return kiln_status_out_of_memory();
    memcpy(interp->text, source->text, source->length);
    interp->text[source->length] = '\0';
    interp->source = (kiln_source_t){.stage = source->stage,
                                     .name = interp->name,
                                     .text = interp->text,
                                     .length = source->length};
    return KILN_OK;
}

static kiln_status_t create(kiln_interp_t *interp, const kiln_source_t *source,
                            const kiln_compile_options_t *options)
{
    KILN_TRY(copy_source(interp, source));
    if (source->stage != KILN_STAGE_TILE && source->stage != KILN_STAGE_TT)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "the interpreter executes only Tile C and tt, not later stages");
    kiln_compilation_t c = {.session = interp->session,
                            .diagnostics = &interp->diagnostics,
                            .source = &interp->source,
                            .kernel = interp->kernel};
    kiln_status_t status = kiln_compile_begin("kiln_interp_create", &c, options);
    interp->module = c.module;
    if (!status && c.options.override_count)
        status = kiln_status_make(KILN_STATUS_USAGE,
                                  "`overrides` has no effect here: the program is interpreted");
    if (!status)
        status = kiln_iprogram_create(interp->module, &interp->program);
    if (!status && !(interp->function = kiln_iprogram_find(interp->program, interp->kernel->name)))
        status = kiln_status_make(KILN_STATUS_INTERNAL, "the program does not contain the kernel");
    return status;
}

kiln_status_t kiln_interp_create(kiln_session_t *session, const kiln_source_t *source,
                                 const kiln_compile_options_t *options, kiln_interp_t **out_interp)
{
    KILN_REQUIRE_OUT(out_interp);
    KILN_REQUIRE(session);
    KILN_REQUIRE(source);
    KILN_REQUIRE_ARRAY(source->text, source->length);
    kiln_interp_t *interp = calloc(1, sizeof *interp);
    if (!interp || !(interp->kernel = calloc(1, sizeof *interp->kernel))) {
        free(interp);
        return kiln_status_out_of_memory();
    }
    interp->session = session;
    kiln_session_begin(session, &interp->diagnostics, &interp->source);
    kiln_status_t status = kiln_session_report(session, create(interp, source, options));
    kiln_session_end(session);
    if (status)
        kiln_interp_release(interp);
    else
        *out_interp = interp;
    return status;
}

void kiln_interp_release(kiln_interp_t *interp)
{
    if (!interp)
        return;
    kiln_iprogram_release(interp->program);
    if (!mlirModuleIsNull(interp->module))
        mlirModuleDestroy(interp->module);
    kiln_kernel_release(interp->kernel);
    kiln_diagnostics_free(&interp->diagnostics);
    free(interp->name);
    free(interp->text);
    free(interp);
}

const char *kiln_interp_name(const kiln_interp_t *interp)
{
    return interp ? interp->kernel->name : NULL;
}

bool kiln_interp_reads_program_id(const kiln_interp_t *interp)
{
    return kiln_kernel_reads_program_id(interp ? interp->kernel : NULL);
}

const char *kiln_interp_declared_grid(const kiln_interp_t *interp)
{
    return kiln_kernel_declared_grid(interp ? interp->kernel : NULL);
}

kiln_setting_t kiln_interp_constant(const kiln_interp_t *interp, size_t index)
{
    return kiln_kernel_constant(interp ? interp->kernel : NULL, index);
}

size_t kiln_interp_argument_count(const kiln_interp_t *interp)
{
    return interp ? interp->kernel->argument_count : 0;
}

const kiln_argument_t *kiln_interp_argument(const kiln_interp_t *interp, size_t index)
{
    return index < kiln_interp_argument_count(interp) ? &interp->kernel->arguments[index] : NULL;
}

void kiln_interp_launch_initialize_sized(kiln_interp_launch_t *launch, size_t struct_size)
{
    static const kiln_interp_launch_t defaults = {.grid = {1, 1, 1}};
    kiln_struct_initialize(launch, struct_size, &defaults, sizeof defaults);
}

static kiln_status_t check_launch(const kiln_interp_t *interp, const kiln_interp_launch_t *launch)
{
    const kiln_iblock_t *entry = &interp->function->body.blocks[0];
    size_t wanted = 0;
    for (int i = 0; i < entry->argument_count; i++)
        wanted += kiln_itype_words(interp->function->slot_types[entry->arguments[i]]);
    if (launch->argument_count != wanted)
        return kiln_status_make(KILN_STATUS_USAGE, "kernel '%s' takes %zu arguments, got %zu",
                                interp->kernel->name, wanted, launch->argument_count);
    uint64_t programs = (uint64_t)launch->grid[0] * launch->grid[1];
    if (__builtin_mul_overflow(programs, launch->grid[2], &programs) || programs > UINT32_MAX)
        return kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES,
                                "the grid %u × %u × %u has 2^32 or more programs", launch->grid[0],
                                launch->grid[1], launch->grid[2]);
    for (size_t i = 1; i < launch->buffer_count; i++)
        if (launch->buffers[i].address - launch->buffers[i - 1].address <
                launch->buffers[i - 1].size ||
            launch->buffers[i].address < launch->buffers[i - 1].address)
            return kiln_status_make(KILN_STATUS_USAGE,
                                    "buffers must be disjoint and sorted by address");
    return KILN_OK;
}

kiln_status_t kiln_interp_launch(kiln_interp_t *interp, const kiln_interp_launch_t *launch)
{
    KILN_REQUIRE(interp);
    kiln_interp_launch_t full;
    kiln_interp_launch_initialize(&full);
    KILN_REQUIRE_STRUCT(kiln_interp_launch_t, &full, launch);
    KILN_REQUIRE_THAT(full.arguments || !full.argument_count,
                      "launch->arguments is NULL and argument_count is %zu", full.argument_count);
    KILN_REQUIRE_THAT(full.buffers || !full.buffer_count,
                      "launch->buffers is NULL and buffer_count is %zu", full.buffer_count);
    for (size_t i = 0; i < full.buffer_count; i++)
        KILN_REQUIRE_THAT(full.buffers[i].data || !full.buffers[i].size,
                          "launch->buffers[%zu].data is NULL", i);
    kiln_session_t *session = interp->session;
    kiln_status_free(interp->diagnostics.first_error);
    interp->diagnostics.first_error = KILN_OK;
    kiln_session_begin(session, &interp->diagnostics, &interp->source);
    kiln_status_t status = check_launch(interp, &full);
    if (!status)
        status = kiln_interp_execute(interp->program, interp->function, &full);
    status = kiln_session_report(session, status);
    kiln_session_end(session);
    return status;
}
