// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings as the command shows them: those that the compiler reported as diagnostics, and those of
// a predicted launch (clock.h).
#ifndef KILN_CLI_FINDINGS_H
#define KILN_CLI_FINDINGS_H

#include <jansson.h>
#include <stdio.h>

#include "diagnostics/findings.h"
#include "kiln/kiln.h"

// The share of a launch below which gains mean nothing: predicted times are not as exact as that.
#define KILN_RESOLVED_GAIN 0.03

typedef enum kiln_gain_bound {
    KILN_GAIN_ABOUT,
    KILN_GAIN_AT_MOST,
    KILN_GAIN_AT_LEAST
} kiln_gain_bound_t;

// The predicted time saved by a launch without the cost, from a replay, or from parts of the
// launch's time and the machine's rates.
typedef struct kiln_gain {
    bool is_known;
    // What following the advice may gain instead, where the replay leaves out more or less than the
    // advice does.
    kiln_gain_bound_t bound;
    double microseconds, of; // saved; of the launch
    const char *without;     // "without bank conflicts in these reads"
    const char *unknown;     // why it is not known; NULL: the launch was not predicted
} kiln_gain_t;

typedef struct kiln_found {
    kiln_warning_id_t id;
    char *file, *source_line, *seen, *advice; // from malloc; file and source_line may be NULL
    unsigned line, column;                    // from 1; 0 unknown
    kiln_gain_t gain;
    size_t number; // in the order in which findings were added; set by kiln_findings_add
} kiln_found_t;

typedef struct kiln_findings {
    kiln_found_t *all;
    size_t count, capacity, added;
    kiln_warnings_t warnings; // the enabled ones
    bool notes_follow;        // the last diagnostic was a finding
    bool out_of_memory;
} kiln_findings_t;

// Takes a diagnostic that is a finding or a note of one; false for others.
bool kiln_findings_take(kiln_findings_t *findings, const kiln_diagnostic_t *diagnostic);
// Adds a finding with copies of its strings, unless it is disabled. NULL if it was not added.
kiln_found_t *kiln_findings_add(kiln_findings_t *findings, const kiln_found_t *found);

// Remove findings that do not matter: all of a kind; those of a kind whose known gain is less than
// this share of the launch; or those without a gain, except of a kind.
void kiln_findings_remove(kiln_findings_t *findings, kiln_warning_id_t id);
void kiln_findings_remove_small(kiln_findings_t *findings, kiln_warning_id_t id, double share);
void kiln_findings_remove_idle(kiln_findings_t *findings, kiln_warning_id_t except);

// Enables all findings, unless flags that follow disable them.
void kiln_findings_default(void);
// Returns which findings the flags enable; `enabled` has no other bits.
kiln_status_t kiln_findings_enabled(kiln_warnings_t *out);

// Largest gain first, then those without a gain in the order in which they were found.
void kiln_findings_sort(kiln_findings_t *findings);
// Prints each finding like a diagnostic, with why, advice and gain.
void kiln_findings_print(const kiln_findings_t *findings, FILE *stream);
// Says which findings a compiled kernel lacks.
void kiln_findings_print_compiled(FILE *stream);
// An array of objects (docs/json.md); NULL if out of memory.
json_t *kiln_findings_json(const kiln_findings_t *findings);
// Returns the failure of --fail-on-findings; KILN_OK if there are no findings.
kiln_status_t kiln_findings_fail(size_t count);
void kiln_findings_free(kiln_findings_t *findings);

#endif
