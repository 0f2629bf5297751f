// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output of `kiln prof`: a program's time by kernel, as text, CSV or JSON.
#ifndef KILN_CLI_PROF_TABLE_H
#define KILN_CLI_PROF_TABLE_H

#include <stdio.h>

#include "cli/prof/findings.h"
#include "kiln/sim.h"
#include "log.h"

typedef enum kiln_prof_form { KILN_PROF_TEXT, KILN_PROF_CSV, KILN_PROF_JSON } kiln_prof_form_t;

// Writes kernels by time and, in text and JSON, the other work. With `kernel`, only this kernel, by
// grid and workgroup, with details of its launches, findings, and the stalls of their waves; `top`
// limits the latters' rows (cli/prediction/stalls.h).
kiln_status_t kiln_prof_write(FILE *out, const kiln_prof_log_t *log,
                              const kiln_prof_source_t *source, const char *kernel,
                              const kiln_prof_findings_t *findings, size_t top,
                              kiln_prof_form_t form);

// compare.c: prints kernels whose time differs from that in a file written by --json, which must
// have the same source. MISMATCH if all together take more than `tolerance` percent longer;
// negative: never.
kiln_status_t kiln_prof_compare(FILE *out, const kiln_prof_log_t *log,
                                const kiln_prof_source_t *source, const char *base_path,
                                double tolerance);

// stalls.c: the stalls that the launches of a kernel logged, by source line and by instruction, as
// text, or added to `root`.
kiln_status_t kiln_prof_stalls_print(FILE *out, const kiln_prof_log_t *log, const char *kernel,
                                     size_t top);
kiln_status_t kiln_prof_stalls_json(json_t *root, const kiln_prof_log_t *log, const char *kernel);
// The instructions of a launch's line. The caller frees *out_lines, also after a failure; texts are
// those of the log.
kiln_status_t kiln_prof_lines_read(const json_t *line, kiln_sim_line_t **out_lines,
                                   size_t *out_count);

#endif
