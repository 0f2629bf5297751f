// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the position of an error in the given text if its location names another file, as all of
// Triton's locations do.
//
// MLIR keeps only the contents of `loc(...)`, not the position of the operation itself. So after
// such an error the text is compiled again with all locations blanked out, which yields the same
// error with its position. This costs a second compilation, but only for invalid programs.
//
// Lines and columns must not change, so locations are replaced by blanks.
#include <stdlib.h>
#include <string.h>

#include "driver/compile_internal.h"

typedef struct found {
    const char *file, *message; // what to find
    unsigned line, column;      // 0 until found
} found_t;

static void look(const kiln_diagnostic_t *diagnostic, void *user)
{
    found_t *found = user;
    if (found->line || diagnostic->severity != KILN_SEVERITY_ERROR || !diagnostic->file ||
        strcmp(diagnostic->file, found->file) != 0 ||
        strcmp(diagnostic->message, found->message) != 0)
        return;
    found->line = diagnostic->line;
    found->column = diagnostic->column;
}

// The end of the string or of the parentheses that begin at `at`.
static char *skip(char *at, char *end)
{
    int depth = 0;
    bool quoted = false;
    for (; at < end; at++) {
        if (quoted && *at == '\\' && at + 1 < end)
            at++;
        else if (*at == '"')
            quoted = !quoted;
        else if (!quoted && *at == '(')
            depth++;
        else if (!quoted && *at == ')')
            depth--;
        if (!quoted && depth <= 0)
            return at + 1;
    }
    return end;
}

// Blanks ` loc(...)` after operations and arguments, but not in `#loc3 = loc(...)`, which is
// harmless when unused.
static bool blank_locations(char *text, size_t length)
{
    bool any = false;
    char *end = text + length;
    for (char *at = text; at < end;) {
        bool begins_line = at == text || at[-1] == '\n';
        if (begins_line && *at == '#') {
            char *newline = memchr(at, '\n', (size_t)(end - at));
            at = newline ? newline + 1 : end;
        } else if (*at == '"') {
            at = skip(at, end);
        } else if (end - at > 5 && memcmp(at, " loc(", 5) == 0) {
            for (char *stop = skip(at + 4, end); at < stop; at++)
                *at = *at == '\n' ? '\n' : ' ';
            any = true;
        } else {
            at++;
        }
    }
    return any;
}

void kiln_compile_locate(kiln_session_t *session, const kiln_source_t *source,
                         const kiln_compile_options_t *options, kiln_diagnostics_t *diagnostics)
{
    const kiln_status_t error = diagnostics->first_error;
    if (source->stage == KILN_STAGE_TILE || kiln_source_is_bytecode(source) || !source->name ||
        !session->handler || !error || !kiln_status_file(error) ||
        strcmp(kiln_status_file(error), source->name) == 0)
        return;
    char *text = malloc(source->length + 1);
    if (!text)
        return;
    memcpy(text, source->text, source->length);
    text[source->length] = '\0'; // MLIR's lexer reads it
    if (blank_locations(text, source->length)) {
        found_t found = {.file = source->name, .message = kiln_status_message(error)};
        kiln_diagnostic_handler_t handler = session->handler;
        void *user = session->user;
        kiln_session_set_diagnostic_handler(session, look, &found);
        kiln_source_t blanked = *source;
        blanked.text = text;
        kiln_compile_options_t quiet = *options;
        quiet.dump = NULL;
        kiln_diagnostics_t own = {0};
        kiln_kernel_t *kernel = NULL;
        kiln_status_free(kiln_compile_once(session, &blanked, &quiet, NULL, &own, &kernel));
        kiln_kernel_release(kernel);
        kiln_diagnostics_free(&own);
        kiln_session_set_diagnostic_handler(session, handler, user);
        kiln_diagnostic_t note = {.severity = KILN_SEVERITY_NOTE,
                                  .file = found.file,
                                  .line = found.line,
                                  .column = found.column,
                                  .message = "the corresponding line of the compiled program"};
        kiln_session_begin(session, diagnostics, source);
        if (found.line)
            kiln_session_emit(session, &note);
        kiln_session_end(session);
    }
    free(text);
}
