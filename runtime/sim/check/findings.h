// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The findings of a launch's checks in the form in which the API returns them.
#ifndef KILN_SIM_CHECK_FINDINGS_H
#define KILN_SIM_CHECK_FINDINGS_H

#include "kiln/sim.h"

// A finding with the storage of its texts.
typedef struct kiln_sim_stored_finding {
    kiln_sim_finding_t finding;
    char message[400], texts[2][192], sources[2][512];
    char *kernel; // NULL if memory was exhausted
} kiln_sim_stored_finding_t;

typedef struct kiln_sim_findings {
    size_t count, capacity;
    kiln_sim_stored_finding_t **all; // never move: programs hold pointers to their texts
    bool unwritten;                  // the report could not be written
    bool lost; // atomic; memory was exhausted for some findings, so a clean result is not reliable
} kiln_sim_findings_t;

// Appends a zeroed finding; NULL if memory is exhausted.
kiln_sim_stored_finding_t *kiln_sim_findings_add(kiln_sim_findings_t *findings);
void kiln_sim_findings_mark_lost(kiln_sim_findings_t *findings);
// NULL if there are not that many findings.
const kiln_sim_finding_t *kiln_sim_findings_at(const kiln_sim_findings_t *findings, size_t index);
void kiln_sim_findings_clear(kiln_sim_findings_t *findings);

#endif
