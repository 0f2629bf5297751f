// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports each warning once, identified by the text "flag file line column". A note belongs to the
// preceding warning and is reported with it; a note without a warning (static_print) is identified
// by its text.
#include "diagnostic_filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/string.h"

static bool is_new(kiln_diagnostic_filter_t *filter, const kiln_diagnostic_t *d)
{
    const bool is_note = d->severity == KILN_SEVERITY_NOTE;
    char *text =
        kiln_string_print("%s\n%s\n%u\n%u\n%s", d->flag ? d->flag : "", d->file ? d->file : "",
                          d->line, d->column, is_note || !d->flag ? d->message : "");
    for (size_t i = 0; text && i < filter->known_count; i++)
        if (strcmp(filter->known[i], text) == 0) {
            free(text);
            return false;
        }
    if (!text ||
        !KILN_ARRAY_RESERVE(&filter->known, &filter->known_capacity, filter->known_count + 1)) {
        free(text);
        filter->out_of_memory = true;
        return true;
    }
    filter->known[filter->known_count++] = text;
    return true;
}

static void report_new(const kiln_diagnostic_t *diagnostic, void *user)
{
    kiln_diagnostic_filter_t *filter = user;
    const bool is_note = diagnostic->severity == KILN_SEVERITY_NOTE;
    if (!is_note || !filter->follows)
        filter->was_new = is_new(filter, diagnostic);
    filter->follows |= !is_note;
    if (filter->was_new)
        filter->handler(diagnostic, filter->user);
}

kiln_status_t kiln_diagnostic_filter_replay(kiln_diagnostic_filter_t *filter,
                                            const char *diagnostics)
{
    filter->follows = false;
    KILN_TRY(kiln_diagnostics_replay(diagnostics, report_new, filter));
    return filter->out_of_memory ? kiln_status_out_of_memory() : KILN_OK;
}

void kiln_diagnostic_filter_free(kiln_diagnostic_filter_t *filter)
{
    for (size_t i = 0; i < filter->known_count; i++)
        free(filter->known[i]);
    free(filter->known);
    *filter = (kiln_diagnostic_filter_t){0};
}
