// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the closest word by the restricted Damerau-Levenshtein distance (no letter is moved twice),
// computed with three rows of the usual table.
#include "base/suggest.h"
#include "base/number.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 64 }; // longer words are not compared

static int letter(const char *word, size_t index)
{
    return kiln_lower(word[index]);
}

static unsigned min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned distance(const char *a, const char *b)
{
    unsigned rows[3][LONGEST + 1];
    size_t m = strlen(a), n = strlen(b);
    for (size_t j = 0; j <= n; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= m; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= n; j++) {
            unsigned differs = letter(a, i - 1) != letter(b, j - 1);
            row[j] = min(min(above[j], row[j - 1]) + 1, above[j - 1] + differs);
            if (i > 1 && j > 1 && letter(a, i - 1) == letter(b, j - 2) &&
                letter(a, i - 2) == letter(b, j - 1))
                row[j] = min(row[j], before[j - 2] + 1);
        }
    }
    return rows[m % 3][n];
}

kiln_suggestion_t kiln_suggestion(const char *word)
{
    size_t length = strlen(word);
    return (kiln_suggestion_t){.word = word, .limit = length < 3 ? 0 : (unsigned)(length + 1) / 3};
}

void kiln_suggestion_consider(kiln_suggestion_t *suggestion, const char *candidate)
{
    if (strlen(suggestion->word) > LONGEST || strlen(candidate) > LONGEST)
        return;
    unsigned found = distance(suggestion->word, candidate);
    if (found > suggestion->limit || (suggestion->best && found >= suggestion->distance))
        return;
    suggestion->best = candidate;
    suggestion->distance = found;
}

kiln_advice_t kiln_suggestion_advice(const kiln_suggestion_t *suggestion)
{
    kiln_advice_t advice = {""};
    if (suggestion->best)
        snprintf(advice.text, sizeof advice.text, "; did you mean '%s'?", suggestion->best);
    return advice;
}
