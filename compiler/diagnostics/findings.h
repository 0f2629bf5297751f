// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of findings.def. A finding is a remark with a location and numbers, followed by two
// notes: the reason for the cost, and advice.
//
// Rules of the compiler: passes/schedule_loops.c (loops), diagnostics/find_narrow.c (global
// accesses), find_layouts.c (conversions, LDS, waves), find_barriers.c, find_registers.c (spills,
// occupancy), find_stores.c, find_functions.c. Rules of the clock: cli/findings/clock_rules.c,
// clock_repeats.c, clock_whole.c.
#ifndef KILN_FINDINGS_H
#define KILN_FINDINGS_H

#include <stdbool.h>

#include "diagnostics/warnings.h"

typedef enum kiln_finding_side {
    KILN_FINDING_PASS,
    KILN_FINDING_COMPILER,
    KILN_FINDING_CLOCK
} kiln_finding_side_t;

// The findings that passes report: KILN_MISSED_NOT_PIPELINED has the value of the warning's id.
typedef enum kiln_missed {
#define KILN_MISSED_IF_PASS(id) KILN_MISSED_##id = KILN_WARNING_##id,
#define KILN_MISSED_IF_COMPILER(id)
#define KILN_MISSED_IF_CLOCK(id)
#define KILN_FINDING(id, name, side, what, why, advice) KILN_MISSED_IF_##side(id)
#include "diagnostics/findings.def"
#undef KILN_FINDING
#undef KILN_MISSED_IF_CLOCK
#undef KILN_MISSED_IF_COMPILER
#undef KILN_MISSED_IF_PASS
} kiln_missed_t;

typedef struct kiln_finding_row {
    const char *name; // "narrow-access": the flag is -Rnarrow-access
    kiln_finding_side_t side;
    const char *what, *why, *advice;
} kiln_finding_row_t;

// Text of findings that `kiln bench` reads numbers from; the JIT's cache keeps nothing else.
#define KILN_REDUNDANT_WAVES_SEEN "%u of %u waves compute what others do: "
#define KILN_RELOADED_SEEN                                                                         \
    "each iteration of the loop stores to the same addresses, and loads them again at %u:%u"
#define KILN_REWRITTEN_SEEN "is written to LDS for this gather"
#define KILN_COMBINES_SEEN "is spread over waves, so that partial results of this "

// NULL if the warning or remark is not a finding.
const kiln_finding_row_t *kiln_finding_row(kiln_warning_id_t id);
// Whether a finding of this side is enabled.
bool kiln_finding_is_enabled(const kiln_warnings_t *warnings, kiln_finding_side_t side);
// Enables all findings of the compiler.
void kiln_findings_search_all(kiln_warnings_t *io_warnings);
// Finds the finding with the flag "-R<name>"; false if there is none.
bool kiln_finding_of_flag(const char *flag, kiln_warning_id_t *out_id);

#endif
