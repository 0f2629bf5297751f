// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report of `kiln bench --report` and `kiln compile --report`: one self-contained HTML file
// with findings, source, stages and instructions side by side, and pictures of the launch.
//
// The report is report.html, whose script draws everything from one JSON object: that of
// `kiln bench --json --stalls`, with the members `source` and `stages` (docs/report.md). It shows
// the members that the object has; without `prediction` there was no launch.
#ifndef KILN_CLI_REPORT_H
#define KILN_CLI_REPORT_H

#include <jansson.h>

#include "kiln/kiln.h"

// The texts of a compilation: each stage that differs from the one before it.
typedef struct kiln_report_stages {
    json_t *all;       // array of {"name", "kind", "text"}
    json_t *lds;       // array of lines (KILN_DUMP_LDS); NULL: none
    json_t *registers; // array of {"source", "vgprs", "agprs"}, of code; NULL: none
    char *waves;       // file with the timeline of waves (--timeline=FILE.waves); NULL: none
    bool out_of_memory;
    kiln_dump_handler_t next; // also called, at the points `next_points`; may be NULL
    void *next_user;
    unsigned next_points;
} kiln_report_stages_t;

// A kiln_dump_handler_t; `user` is a kiln_report_stages_t.
void kiln_report_take(kiln_dump_point_t point, const char *pass, const char *text, size_t length,
                      void *user);

// Makes a compilation keep its stages; handlers that were set before are called, too. Call once.
void kiln_report_keep(kiln_report_stages_t *stages, kiln_compile_options_t *options);
// Lets the simulator write a timeline of waves for the report, unless the flags ask for another
// one. Called before the device is opened.
kiln_status_t kiln_report_keep_waves(kiln_report_stages_t *stages);
void kiln_report_stages_free(kiln_report_stages_t *stages);

// Adds a launch's source and stages to the facts about it, and writes the report.
kiln_status_t kiln_report_write(json_t *root, const kiln_source_t *source,
                                const kiln_report_stages_t *stages, const char *path);

#endif
