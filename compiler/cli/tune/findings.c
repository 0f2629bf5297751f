// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches the best combination once more for its findings (findings.h).
#include "findings.h"

#include <stdlib.h>
#include <string.h>

#include "cli/findings/clock.h"
#include "cli/launch/grid.h"
#include "cli/option_flags.h"
#include "kiln/tune.h"

kiln_status_t kiln_tune_findings_begin(kiln_warnings_t *out_enabled)
{
    kiln_status_t status = kiln_findings_enabled(out_enabled);
    kiln_remark_flags_drop();
    return status;
}

// Warnings were reported in the search.
static bool take(const kiln_diagnostic_t *diagnostic, void *findings)
{
    return kiln_findings_take(findings, diagnostic) || diagnostic->severity != KILN_SEVERITY_ERROR;
}

typedef struct launch {
    const kiln_jit_kernel_t *kernel;
    const kiln_jit_call_t *call;
} launch_t;

static kiln_status_t launch_once(void *user)
{
    const launch_t *launch = user;
    return kiln_jit_launch_kernel(launch->kernel, launch->call);
}

static bool predicts(void)
{
    kiln_status_t status = kiln_flag_requires_prediction("");
    kiln_status_free(status);
    return !status;
}

// A kiln_launch_fn. In a sequence only the compiler's findings are known, as in kiln bench --then.
static kiln_status_t find(kiln_jit_t *jit, kiln_device_t *device, kiln_arguments_t *arguments,
                          const kiln_jit_call_t *calls, size_t call_count, const char *const *grids,
                          void *user)
{
    kiln_findings_t *findings = user;
    const bool is_predicted =
        kiln_device_properties(device)->kind == KILN_DEVICE_SIM && predicts() && call_count == 1;
    for (size_t i = 0; i < call_count; i++) {
        kiln_jit_kernel_t *kernel;
        kiln_jit_call_t call = calls[i];
        kiln_cost_t cost = {.struct_size = sizeof cost};
        KILN_TRY(kiln_jit_prepare(jit, &call, &kernel, NULL));
        KILN_TRY(kiln_launch_complete_grid(arguments, grids[i], kernel, &call));
        launch_t launch = {kernel, &call};
        if (!is_predicted)
            continue;
        KILN_TRY(kiln_cost_of_launch(device, call.stream, launch_once, &launch, &cost));
        if (cost.kind == KILN_COST_PREDICTED_NANOSECONDS)
            KILN_TRY(
                kiln_clock_findings(device, kernel, call.source.name, call.source.text, findings));
    }
    kiln_findings_sort(findings);
    return findings->out_of_memory ? kiln_status_out_of_memory() : KILN_OK;
}

static kiln_status_t add_settings(kiln_launch_flags_t *launch,
                                  const kiln_tune_candidate_t *candidate)
{
    for (size_t i = 0; i < candidate->setting_count; i++)
        KILN_TRY(kiln_launch_add_setting(launch, &candidate->settings[i]));
    return KILN_OK;
}

static bool enable(const kiln_findings_t *findings)
{
    bool good = true;
    for (int i = 0; i < KILN_WARNING_COUNT; i++) {
        const kiln_warning_id_t id = (kiln_warning_id_t)i;
        const kiln_finding_row_t *row = kiln_finding_row(id);
        if (row && kiln_warning_is_enabled(&findings->warnings, id))
            good = kiln_warning_flag_take('R', row->name) && good;
    }
    return good;
}

kiln_status_t kiln_tune_findings(const kiln_device_t *device, const kiln_launch_flags_t *flags,
                                 const kiln_source_t *source, const kiln_tune_candidate_t *best,
                                 char **words, size_t word_count, kiln_findings_t *io_findings)
{
    static const char STALLS[] = "KILN_SIM_STALLS";
    kiln_launch_flags_t launch = *flags;
    if (!io_findings->warnings.enabled)
        return KILN_OK;
    launch.take_diagnostic = take;
    launch.diagnostic_user = io_findings;
    launch.is_of_search = true;
    KILN_TRY(add_settings(&launch, best));
    const char *stalls = kiln_environment(STALLS);
    kiln_status_t status = enable(io_findings) ? KILN_OK : kiln_status_out_of_memory();
    if (kiln_device_properties(device)->kind == KILN_DEVICE_SIM) // a GPU refuses it
        kiln_flag_override(STALLS, "1");
    if (!status)
        status = kiln_launch_call_source(&launch, source, words, word_count, find, io_findings);
    kiln_flag_override(STALLS, stalls);
    kiln_remark_flags_drop();
    return kiln_status_annotate(status, "while looking for findings of the best combination");
}
