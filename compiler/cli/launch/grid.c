// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Determines the grid if the command line does not have one.
//
// A manifest does not record whether a kernel reads a program id, and the kernel may come from the
// cache, so the source is parsed again. This takes a few milliseconds, and only without --grid.
#include "grid.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/option_flags.h"
#include "kiln/kiln.h"

kiln_status_t kiln_launch_require_grid(const char *kernel, bool reads_program_id)
{
    if (!reads_program_id)
        return KILN_OK;
    return kiln_status_make(KILN_STATUS_USAGE,
                            "kernel '%s' reads a program id, but its grid is unknown; give "
                            "--grid=X[,Y[,Z]] (--grid=1 is one workgroup), or declare it before "
                            "the kernel: [[grid(cdiv(n, BLOCK))]]",
                            kernel);
}

static kiln_status_t has_grid(const kiln_jit_kernel_t *kernel, bool *out_has_grid)
{
    const char *text = kiln_jit_kernel_manifest(kernel);
    json_t *json;
    KILN_TRY(kiln_json_parse("manifest", text, strlen(text), &json));
    *out_has_grid = json_is_array(json_object_get(json, "grid"));
    json_decref(json);
    return KILN_OK;
}

// Parses the source with the kernel's settings.
static kiln_status_t reads_program_id(const kiln_jit_call_t *call, const kiln_jit_kernel_t *kernel,
                                      bool *out_reads)
{
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    const size_t setting_count = kiln_jit_kernel_setting_count(kernel);
    kiln_setting_t *defines = calloc(setting_count + 1, sizeof *defines);
    kiln_arg_hint_t *hints = calloc(call->argument_count + 1, sizeof *hints);
    kiln_session_t *session = NULL;
    kiln_kernel_t *parsed = NULL;
    kiln_status_t status = defines && hints ? KILN_OK : kiln_status_out_of_memory();
    if (!status)
        status = kiln_source_flags_set(&options);
    if (!status)
        status = kiln_compile_options_apply(&options, kiln_jit_kernel_settings(kernel),
                                            setting_count, defines);
    if (!status)
        status = kiln_session_create(&session);
    if (!status) {
        for (size_t i = 0; i < call->argument_count; i++)
            hints[i] = kiln_jit_argument_hint(&call->arguments[i]);
        options.warnings = NULL; // they were reported
        options.warning_count = 0;
        options.override_count = 0; // of stages that are not reached, perhaps
        options.kernel = call->kernel;
        if (call->source.stage == KILN_STAGE_TILE) {
            options.args = hints;
            options.arg_count = call->argument_count;
        }
        // A module that is only parsed and printed has no chosen kernel.
        options.last_stage = call->source.stage == KILN_STAGE_TILE ? KILN_STAGE_TT
                             : call->source.stage == KILN_STAGE_TT ? KILN_STAGE_TTG
                                                                   : KILN_STAGE_LLVM;
        status = kiln_compile(session, &call->source, &options, &parsed);
    }
    *out_reads = kiln_kernel_reads_program_id(parsed);
    kiln_kernel_release(parsed);
    kiln_session_release(session);
    free(hints);
    free(defines);
    return status;
}

kiln_status_t kiln_launch_complete_grid(kiln_arguments_t *arguments, const char *grid,
                                        const kiln_jit_kernel_t *kernel, kiln_jit_call_t *io_call)
{
    bool reads = false;
    KILN_TRY(kiln_arguments_check_types(arguments, kiln_jit_kernel_manifest(kernel)));
    if (grid)
        return KILN_OK;
    KILN_TRY(has_grid(kernel, &io_call->uses_declared_grid));
    if (io_call->uses_declared_grid)
        return KILN_OK;
    if (io_call->source.stage == KILN_STAGE_HSACO) // nothing tells whether it reads a program id
        reads = true;
    else
        KILN_TRY(reads_program_id(io_call, kernel, &reads));
    return kiln_launch_require_grid(kiln_jit_kernel_name(kernel), reads);
}
