// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// "did you mean 'x'?": of the words that would have been right, the one that is nearest to what was written.
//
//     kiln_suggestion_t near = kiln_suggestion("nmu_warps");
//     for (each name) kiln_suggestion_consider(&near, name);
//     … "there is no option 'nmu_warps'%s", kiln_suggestion_advice(&near).text
//
// What is easily got wrong: the best word is only pointed to, so it must live until the advice is made.
#ifndef KILN_BASE_SUGGEST_H
#define KILN_BASE_SUGGEST_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_suggestion {
    const char *word; // as written
    const char *best; // NULL while nothing is near
    unsigned distance, limit;
} kiln_suggestion_t;

typedef struct kiln_advice {
    char text[96];
} kiln_advice_t;

kiln_suggestion_t kiln_suggestion(const char *word);

// Insertions, deletions, exchanges of a letter and of two neighbours count one each; the case of letters counts nothing.
// About a third of the word may be wrong. The first of several equally near ones stays.
void kiln_suggestion_consider(kiln_suggestion_t *suggestion, const char *candidate);

// "; did you mean 'x'?", or nothing where no word is near.
kiln_advice_t kiln_suggestion_advice(const kiln_suggestion_t *suggestion);

#ifdef __cplusplus
}
#endif
#endif
