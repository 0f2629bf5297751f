// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites messages by the phrases of words.def. A message may contain a user's names, so only
// whole phrases are replaced.
#include "words.h"

#include <stdlib.h>
#include <string.h>

#include "base/string.h"

typedef struct word {
    const char *before, *after; // after: NULL for a phrase without a name
    const char *cli_before, *cli_after;
} word_t;

static const word_t words[] = {
#define KILN_WORD(before, after, cli_before, cli_after) {before, after, cli_before, cli_after},
#define KILN_PHRASE(library, command) {library, NULL, command, NULL},
#include "words.def"
#undef KILN_WORD
#undef KILN_PHRASE
};

// Writes the rewritten phrase if one begins at `at`, and returns the end of the original; else
// NULL.
static const char *take_word(const word_t *word, const char *at, kiln_string_t *text)
{
    size_t length = strlen(word->before);
    if (strncmp(at, word->before, length) != 0)
        return NULL;
    const char *name = at + length, *end = word->after ? strstr(name, word->after) : name;
    if (!end)
        return NULL;
    kiln_string_append(text, word->cli_before);
    kiln_string_append_bytes(text, name, (size_t)(end - name));
    kiln_string_append(text, word->cli_after ? word->cli_after : "");
    return end + (word->after ? strlen(word->after) : 0);
}

char *kiln_cli_words(const char *message)
{
    kiln_string_t text = {0};
    kiln_string_append(&text, "");
    for (const char *at = message; *at;) {
        const char *next = NULL;
        for (size_t i = 0; i < sizeof words / sizeof *words && !next; i++)
            next = take_word(&words[i], at, &text);
        if (!next)
            kiln_string_append_char(&text, *at);
        at = next ? next : at + 1;
    }
    return kiln_string_take(&text);
}

void kiln_cli_print_diagnostic(const kiln_diagnostic_t *diagnostic, FILE *stream)
{
    char *message = kiln_cli_words(diagnostic->message);
    kiln_diagnostic_t spoken = *diagnostic;
    if (message)
        spoken.message = message;
    kiln_diagnostic_print(&spoken, stream);
    free(message);
}
