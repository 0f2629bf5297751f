// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers the contents of the report of `kiln compile --report`.
#include "report.h"

#include <string.h>

#include "base/gfx942.h"
#include "base/json.h"
#include "cli/launch/facts.h"

kiln_status_t kiln_compile_report_begin(kiln_compile_report_t *report,
                                        kiln_compile_options_t *options)
{
    kiln_report_keep(&report->stages, options);
    return kiln_findings_enabled(&report->findings.warnings);
}

// Adds settings and resources, which only a code object's manifest has.
static kiln_status_t add_facts(json_t *root, const kiln_setting_t *given, size_t given_count,
                               const kiln_kernel_t *kernel)
{
    const char *manifest = kiln_kernel_manifest(kernel);
    const kiln_launch_settings_t settings = {.given = given, .given_count = given_count};
    json_t *facts;
    if (!manifest)
        return KILN_OK;
    KILN_TRY(kiln_kernel_facts(manifest, &settings,
                               kiln_kernel_block_size(kernel) / KILN_GFX942_LANES, &facts));
    const bool good = json_object_update(root, facts) == 0;
    json_decref(facts);
    return good ? KILN_OK : kiln_status_out_of_memory();
}

static json_t *times_json(const kiln_kernel_t *kernel)
{
    json_t *all = json_array();
    for (size_t i = 0; i < kiln_kernel_timing_count(kernel); i++) {
        const kiln_timing_t *timing = kiln_kernel_timing(kernel, i);
        json_array_append_new(
            all, json_pack("{s:s,s:f}", "phase", timing->phase, "ms", timing->milliseconds));
    }
    return all;
}

kiln_status_t kiln_compile_report_write(kiln_compile_report_t *report, const kiln_source_t *source,
                                        const char *arch, const kiln_setting_t *given,
                                        size_t given_count, const kiln_kernel_t *kernel)
{
    const char *name = kiln_kernel_name(kernel);
    if (report->findings.out_of_memory)
        return kiln_status_out_of_memory();
    kiln_findings_sort(&report->findings);
    json_t *root = json_pack("{s:o,s:s,s:o,s:o}", "kernel",
                             kiln_json_text(name && *name ? name : source->name), "device",
                             arch ? arch : "gfx942", "findings",
                             kiln_findings_json(&report->findings), "times", times_json(kernel));
    if (!root)
        return kiln_status_out_of_memory();
    kiln_status_t status = add_facts(root, given, given_count, kernel);
    if (!status)
        status = kiln_report_write(root, source, &report->stages, report->path);
    json_decref(root);
    return status;
}

void kiln_compile_report_free(kiln_compile_report_t *report)
{
    kiln_findings_free(&report->findings);
    kiln_report_stages_free(&report->stages);
}
