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

// Advice for lines of Python, by the names of triton.language.
static const word_t python_words[] = {
    {"put [[num_stages(", ")]] before the loop", "tl.range(…, num_stages=", ")"},
    {"[[unroll(", ")]]", "tl.range(…, loop_unroll_factor=", ")"},
    {"--num-stages", NULL, "num_stages", NULL},
    {"--num-warps", NULL, "num_warps", NULL},
    {"--waves-per-eu", NULL, "waves_per_eu", NULL},
    {"--kpack", NULL, "kpack", NULL},
    {".order = relaxed", NULL, "sem=\"relaxed\"", NULL},
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

static char *rewrite(const char *message, const word_t *own, size_t count)
{
    kiln_string_t text = {0};
    kiln_string_append(&text, "");
    for (const char *at = message; *at;) {
        const char *next = NULL;
        for (size_t i = 0; i < count && !next; i++)
            next = take_word(&own[i], at, &text);
        if (!next)
            kiln_string_append_char(&text, *at);
        at = next ? next : at + 1;
    }
    return kiln_string_take(&text);
}

char *kiln_cli_words(const char *message)
{
    return rewrite(message, words, sizeof words / sizeof *words);
}

char *kiln_cli_words_at(const char *message, const char *file)
{
    static const char suffix[] = ".py";
    const size_t length = file ? strlen(file) : 0, end = sizeof suffix - 1;
    char *text = kiln_cli_words(message);
    if (!text || length < end || strcmp(file + length - end, suffix) != 0)
        return text;
    char *python = rewrite(text, python_words, sizeof python_words / sizeof *python_words);
    free(text);
    return python;
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
