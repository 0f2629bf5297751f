// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports the findings of code objects (compiled.h). A finding with an unknown name is one of
// another version of Kiln and is left out.
#include "compiled.h"

#include <stdlib.h>
#include <string.h>

#include "artifact/findings_section.h"
#include "base/string.h"

static kiln_status_t report(const json_t *finding, const kiln_warnings_t *enabled,
                            kiln_diagnostic_handler_t handler, void *user)
{
    kiln_warning_id_t id;
    char *flag = kiln_string_print("-R%s", json_string_value(json_object_get(finding, "id")));
    if (!flag || !kiln_finding_of_flag(flag, &id) || !kiln_warning_is_enabled(enabled, id)) {
        free(flag);
        return flag ? KILN_OK : kiln_status_out_of_memory();
    }
    const kiln_diagnostic_t seen = {
        .severity = KILN_SEVERITY_REMARK,
        .file = json_string_value(json_object_get(finding, "file")),
        .line = (unsigned)json_integer_value(json_object_get(finding, "line")),
        .column = (unsigned)json_integer_value(json_object_get(finding, "column")),
        .message = json_string_value(json_object_get(finding, "seen")),
        .range = 1,
        .flag = flag};
    char *why = kiln_string_print("why: %s", kiln_finding_row(id)->why),
         *advice =
             kiln_string_print("advice: %s", json_string_value(json_object_get(finding, "advice")));
    if (why && advice) {
        handler(&seen, user);
        handler(&(kiln_diagnostic_t){.severity = KILN_SEVERITY_NOTE, .message = why}, user);
        handler(&(kiln_diagnostic_t){.severity = KILN_SEVERITY_NOTE, .message = advice}, user);
    }
    kiln_status_t status = why && advice ? KILN_OK : kiln_status_out_of_memory();
    free(flag);
    free(why);
    free(advice);
    return status;
}

static kiln_status_t report_all(const json_t *findings, const char *symbol,
                                kiln_diagnostic_handler_t handler, void *user)
{
    const json_t *finding;
    size_t i;
    kiln_warnings_t enabled;
    KILN_TRY(kiln_findings_enabled(&enabled));
    json_array_foreach(findings, i, finding)
    {
        const char *kernel = json_string_value(json_object_get(finding, "kernel"));
        if (!symbol || strcmp(kernel, symbol) == 0)
            KILN_TRY(report(finding, &enabled, handler, user));
    }
    return KILN_OK;
}

kiln_status_t kiln_compiled_findings_of_object(const void *object, size_t size, const char *symbol,
                                               kiln_diagnostic_handler_t handler, void *user,
                                               bool *out_has)
{
    json_t *findings;
    KILN_TRY(kiln_findings_section_read(object, size, &findings));
    *out_has = findings != NULL;
    kiln_status_t status = report_all(findings, symbol, handler, user);
    json_decref(findings);
    return status;
}

kiln_status_t kiln_compiled_findings_of_text(const char *text, size_t length, const char *symbol,
                                             kiln_diagnostic_handler_t handler, void *user)
{
    json_t *findings;
    KILN_TRY(kiln_findings_section_parse(text, length, &findings));
    kiln_status_t status = report_all(findings, symbol, handler, user);
    json_decref(findings);
    return status;
}
