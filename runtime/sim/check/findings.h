// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch's checks found, in the words that programs ask for.
#ifndef KILN_SIM_CHECK_FINDINGS_H
#define KILN_SIM_CHECK_FINDINGS_H

#include "kiln/sim.h"

// One finding with all its texts.
typedef struct kiln_sim_told {
    kiln_sim_finding_t is;
    char message[400], kernel[256], texts[2][192], sources[2][512];
} kiln_sim_told_t;

typedef struct kiln_sim_findings {
    size_t count, capacity;
    kiln_sim_told_t **all; // they stay where they are: programs hold pointers to their texts
    bool unwritten;        // the report could not be written
} kiln_sim_findings_t;

// A new one at the end, all zero; NULL without memory.
kiln_sim_told_t *kiln_sim_findings_add(kiln_sim_findings_t *findings);
// NULL where there are fewer.
const kiln_sim_finding_t *kiln_sim_findings_at(const kiln_sim_findings_t *findings, size_t index);
void kiln_sim_findings_clear(kiln_sim_findings_t *findings);

#endif
