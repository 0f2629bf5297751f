// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// "did you mean 'x'?": finds the valid word that is closest to what the user wrote.
//
//     kiln_suggestion_t near = kiln_suggestion("nmu_warps");
//     for (each name) kiln_suggestion_consider(&near, name);
//     … "there is no option 'nmu_warps'%s", kiln_suggestion_advice(&near).text
//
// The best word is not copied, so it must live until the advice is made.
#ifndef KILN_BASE_SUGGEST_H
#define KILN_BASE_SUGGEST_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_suggestion {
    const char *word; // as written
    const char *best; // NULL until a close word was found
    unsigned distance, limit;
} kiln_suggestion_t;

typedef struct kiln_advice {
    char text[96];
} kiln_advice_t;

kiln_suggestion_t kiln_suggestion(const char *word);

// Considers a candidate. Insertions, deletions, substitutions of a letter and swaps of two
// neighbours cost 1 each; differences of case cost nothing. About a third of the word may be wrong.
// Of several equally close words the first wins.
void kiln_suggestion_consider(kiln_suggestion_t *suggestion, const char *candidate);

// "; did you mean 'x'?", or "" if no word is close.
kiln_advice_t kiln_suggestion_advice(const kiln_suggestion_t *suggestion);

#ifdef __cplusplus
}
#endif
#endif
