// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of built-in functions, generated from builtins.def and options.def.
#include <string.h>

#include "frontend/parse/tree.h"

enum { KILN_BUILTIN_IMPURE = false, KILN_BUILTIN_PURE = true }; // words used in the table

static const kiln_builtin_t rows[KILN_BUILTIN_COUNT] = {
#define O(id) (UINT64_C(1) << KILN_BUILTIN_OPTION_##id)
#define KILN_BUILTIN(id, name, min, max, check, emit, detail, usage, options, purity)              \
    [KILN_BUILTIN_##                                                                               \
        id] = {KILN_BUILTIN_##id, name, usage, min, max, detail, options, KILN_BUILTIN_##purity},
#include "frontend/core/builtins.def"
#undef KILN_BUILTIN
#undef O
};

static const kiln_builtin_option_row_t option_rows[KILN_BUILTIN_OPTION_COUNT] = {
#define KILN_BUILTIN_OPTION(id, name, kind) {name, KILN_BUILTIN_OPTION_IS_##kind},
#include "frontend/core/options.def"
};

static const kiln_builtin_option_word_t words[] = {
#define KILN_BUILTIN_OPTION_WORD(option, word, value) {KILN_BUILTIN_OPTION_##option, word, value},
#include "frontend/core/options.def"
};

const kiln_builtin_t *kiln_builtin_row(kiln_builtin_id_t id)
{
    return &rows[id];
}

const kiln_builtin_t *kiln_builtin_find(const char *name)
{
    for (int i = 0; i < KILN_BUILTIN_COUNT; i++)
        if (!strcmp(rows[i].name, name))
            return &rows[i];
    return NULL;
}

const kiln_builtin_option_row_t *kiln_builtin_option_row(kiln_builtin_option_t option)
{
    return &option_rows[option];
}

const kiln_builtin_option_word_t *kiln_builtin_option_words(kiln_builtin_option_t option,
                                                            size_t *out_count)
{
    size_t first = 0, count = sizeof words / sizeof *words;
    while (first < count && words[first].option != option)
        first++;
    *out_count = 0;
    while (first + *out_count < count && words[first + *out_count].option == option)
        ++*out_count;
    return &words[first];
}
