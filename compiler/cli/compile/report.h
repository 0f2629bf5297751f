// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `kiln compile --report`: the report of cli/report/report.h about a compilation, without a launch.
#ifndef KILN_CLI_COMPILE_REPORT_H
#define KILN_CLI_COMPILE_REPORT_H

#include "cli/findings/findings.h"
#include "cli/report/report.h"

typedef struct kiln_compile_report {
    const char *path; // of the report; NULL: none
    kiln_findings_t findings;
    kiln_report_stages_t stages;
} kiln_compile_report_t;

// Call before the compilation: makes it keep its stages and findings.
kiln_status_t kiln_compile_report_begin(kiln_compile_report_t *report,
                                        kiln_compile_options_t *options);
// After it: writes the report. `given`: the constants and options that the user has set. Texts
// without machine code have no resources.
kiln_status_t kiln_compile_report_write(kiln_compile_report_t *report, const kiln_source_t *source,
                                        const char *arch, const kiln_setting_t *given,
                                        size_t given_count, const kiln_kernel_t *kernel);
void kiln_compile_report_free(kiln_compile_report_t *report);

#endif
