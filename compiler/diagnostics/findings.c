// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of findings, generated from findings.def.
#include "diagnostics/findings.h"

#include <string.h>

static const kiln_finding_row_t rows[KILN_WARNING_COUNT] = {
#define KILN_FINDING(id, name, side, what, why, advice)                                            \
    [KILN_WARNING_##id] = {name, KILN_FINDING_##side, what, why, advice},
#include "diagnostics/findings.def"
#undef KILN_FINDING
};

const kiln_finding_row_t *kiln_finding_row(kiln_warning_id_t id)
{
    return rows[id].name ? &rows[id] : NULL;
}

bool kiln_finding_is_enabled(const kiln_warnings_t *warnings, kiln_finding_side_t side)
{
    for (int i = 0; i < KILN_WARNING_COUNT; i++)
        if (rows[i].name && rows[i].side == side &&
            kiln_warning_is_enabled(warnings, (kiln_warning_id_t)i))
            return true;
    return false;
}

void kiln_findings_search_all(kiln_warnings_t *io_warnings)
{
    for (int i = 0; i < KILN_WARNING_COUNT; i++)
        if (rows[i].name && rows[i].side != KILN_FINDING_CLOCK)
            io_warnings->enabled |= (uint64_t)1 << i;
}

bool kiln_finding_of_flag(const char *flag, kiln_warning_id_t *out_id)
{
    if (!flag || strncmp(flag, "-R", 2) != 0)
        return false;
    for (int i = 0; i < KILN_WARNING_COUNT; i++)
        if (rows[i].name && strcmp(rows[i].name, flag + 2) == 0) {
            *out_id = (kiln_warning_id_t)i;
            return true;
        }
    return false;
}
