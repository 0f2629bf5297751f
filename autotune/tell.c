// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was told is a set of texts "flag file line column". What is easily got wrong: a note belongs to the warning before
// it, and goes where that goes; a note by itself (static_print) is one by its text.
#include "tell.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/string.h"

typedef struct teller {
    kiln_diagnostic_handler_t handler;
    void *user;
    char **known;
    size_t known_count;
    bool follows, was_new; // a warning of the same candidate; which was told
} teller_t;

// Where memory is short, it is told once more.
static bool is_new(teller_t *teller, const kiln_diagnostic_t *d)
{
    const bool is_note = d->severity == KILN_SEVERITY_NOTE;
    char *text = kiln_string_print("%s\n%s\n%u\n%u\n%s", d->flag ? d->flag : "", d->file ? d->file : "", d->line,
                                   d->column, is_note || !d->flag ? d->message : "");
    for (size_t i = 0; text && i < teller->known_count; i++)
        if (strcmp(teller->known[i], text) == 0) {
            free(text);
            return false;
        }
    char **known = text ? realloc(teller->known, (teller->known_count + 1) * sizeof *known) : NULL;
    if (!known) {
        free(text);
        return true;
    }
    teller->known = known;
    known[teller->known_count++] = text;
    return true;
}

static void tell(const kiln_diagnostic_t *diagnostic, void *user)
{
    teller_t *teller = user;
    const bool is_note = diagnostic->severity == KILN_SEVERITY_NOTE;
    if (!is_note || !teller->follows)
        teller->was_new = is_new(teller, diagnostic);
    teller->follows |= !is_note;
    if (teller->was_new)
        teller->handler(diagnostic, teller->user);
}

void kiln_tell_once(char *const *told, size_t count, kiln_diagnostic_handler_t handler, void *user)
{
    teller_t teller = {.handler = handler, .user = user};
    for (size_t i = 0; i < count; i++) {
        teller.follows = false;
        kiln_status_free(kiln_diagnostics_tell(told[i], tell, &teller));
    }
    for (size_t i = 0; i < teller.known_count; i++)
        free(teller.known[i]);
    free(teller.known);
}
