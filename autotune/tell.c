// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports each warning once, identified by the text "flag file line column". A note belongs to the
// preceding warning and is reported with it; a note without a warning (static_print) is identified
// by its text.
#include "tell.h"

#include <stdlib.h>
#include <string.h>

#include "base/string.h"

static bool is_new(kiln_teller_t *teller, const kiln_diagnostic_t *d)
{
    const bool is_note = d->severity == KILN_SEVERITY_NOTE;
    char *text =
        kiln_string_print("%s\n%s\n%u\n%u\n%s", d->flag ? d->flag : "", d->file ? d->file : "",
                          d->line, d->column, is_note || !d->flag ? d->message : "");
    for (size_t i = 0; text && i < teller->known_count; i++)
        if (strcmp(teller->known[i], text) == 0) {
            free(text);
            return false;
        }
    char **known = text ? realloc(teller->known, (teller->known_count + 1) * sizeof *known) : NULL;
    if (!known) {
        free(text);
        teller->lacks_memory = true;
        return true;
    }
    teller->known = known;
    known[teller->known_count++] = text;
    return true;
}

static void tell(const kiln_diagnostic_t *diagnostic, void *user)
{
    kiln_teller_t *teller = user;
    const bool is_note = diagnostic->severity == KILN_SEVERITY_NOTE;
    if (!is_note || !teller->follows)
        teller->was_new = is_new(teller, diagnostic);
    teller->follows |= !is_note;
    if (teller->was_new)
        teller->handler(diagnostic, teller->user);
}

kiln_status_t kiln_tell_new(kiln_teller_t *teller, const char *told)
{
    teller->follows = false;
    KILN_TRY(kiln_diagnostics_tell(told, tell, teller));
    return teller->lacks_memory ? kiln_status_out_of_memory() : KILN_OK;
}

void kiln_teller_free(kiln_teller_t *teller)
{
    for (size_t i = 0; i < teller->known_count; i++)
        free(teller->known[i]);
    free(teller->known);
    *teller = (kiln_teller_t){0};
}
