// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The findings of `kiln prof --kernel`: why the launches of a kernel take as long as they do.
//
// The profiled program stops after a launch until its causes are found, since only the process that
// predicted it can replay it (runtime/hip_sim/stream/activity_serve.c).
#ifndef KILN_CLI_PROF_FINDINGS_H
#define KILN_CLI_PROF_FINDINGS_H

#include "cli/findings/findings.h"
#include "log.h"

// Of the first launch with some grid and workgroup.
typedef struct kiln_prof_shape {
    json_t *line; // of the log
    kiln_findings_t findings;
} kiln_prof_shape_t;

enum { KILN_PROF_MAX_SHAPES = 8 }; // others have no findings

typedef struct kiln_prof_findings {
    const char *kernel;       // other launches are ignored
    kiln_warnings_t warnings; // the enabled ones
    kiln_prof_shape_t shapes[KILN_PROF_MAX_SHAPES];
    size_t count;
    char *path;   // of the socket; NULL: not listening
    int listener; // if listening
} kiln_prof_findings_t;

// Listens on a socket whose path begins with `prefix`.
kiln_status_t kiln_prof_findings_listen(kiln_prof_findings_t *findings, const char *prefix);
// Accepts one launch and finds its causes.
kiln_status_t kiln_prof_findings_accept(kiln_prof_findings_t *findings);
void kiln_prof_findings_free(kiln_prof_findings_t *findings);

// The findings of the launches with the line's kernel, grid and workgroup; NULL: not looked for.
const kiln_prof_shape_t *kiln_prof_findings_of(const kiln_prof_findings_t *findings,
                                               const json_t *line);

// Writes the report (cli/report/report.h) of a launch.
kiln_status_t kiln_prof_report_write(const kiln_prof_shape_t *shape, const char *device,
                                     const char *path);

#endif
