// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page of `kiln tune --report`: all samples of a search in a table, and pictures of them
// (docs/tuning.md).
#ifndef KILN_CLI_TUNE_REPORT_H
#define KILN_CLI_TUNE_REPORT_H

#include "cli/findings/findings.h"
#include "kiln/tune_space.h"

// The command as given, quoted for a shell, from malloc; NULL if out of memory. Call it before
// flags are read, as these are split in place.
char *kiln_tune_command_text(int argc, char **argv);

typedef struct kiln_tune_report {
    const char *command; // the command line that repeats the search
    const kiln_tune_problem_t *problem;
    const kiln_tune_space_t *space;
    const kiln_tune_result_t *result;
    const kiln_findings_t *findings; // of the best
} kiln_tune_report_t;

// Fails where the page could not be written, before a search that may take long.
kiln_status_t kiln_tune_report_check(const char *path);

kiln_status_t kiln_tune_report_write(const kiln_tune_report_t *report, const char *path);

// Prints the same as JSON, without the launches of the best.
kiln_status_t kiln_tune_report_print(const kiln_tune_report_t *report);

#endif
