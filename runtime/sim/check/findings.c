// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores findings for the API (check/findings.h).
#include "check/findings.h"

#include <stdlib.h>

#include "base/array.h"

kiln_sim_stored_finding_t *kiln_sim_findings_add(kiln_sim_findings_t *findings)
{
    if (!KILN_ARRAY_RESERVE(&findings->all, &findings->capacity, findings->count + 1))
        return NULL;
    kiln_sim_stored_finding_t *stored = calloc(1, sizeof *stored);
    if (stored)
        findings->all[findings->count++] = stored;
    return stored;
}

void kiln_sim_findings_mark_lost(kiln_sim_findings_t *findings)
{
    __atomic_store_n(&findings->lost, true, __ATOMIC_RELAXED);
}

const kiln_sim_finding_t *kiln_sim_findings_at(const kiln_sim_findings_t *findings, size_t index)
{
    return index < findings->count ? &findings->all[index]->finding : NULL;
}

void kiln_sim_findings_clear(kiln_sim_findings_t *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        free(findings->all[i]->kernel);
        free(findings->all[i]);
    }
    free(findings->all);
    *findings = (kiln_sim_findings_t){0};
}
