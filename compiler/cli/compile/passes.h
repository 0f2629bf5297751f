// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words about passes that `kiln compile` and `kiln opt` share: --passes, --list-passes, --time.
#ifndef KILN_CLI_COMPILE_PASSES_H
#define KILN_CLI_COMPILE_PASSES_H

#include "kiln/kiln.h"

enum { KILN_MAX_PASSES = 256 };

// The ids of --passes; those that are not of the list of passes are copies that the words own.
typedef struct kiln_pass_words {
    const char *ids[KILN_MAX_PASSES];
    char *owned[KILN_MAX_PASSES];
    size_t count, owned_count;
} kiln_pass_words_t;

// Appends "a,b,c". A stage's name (tt, ttg, external, final) stands for all its passes in order.
// Unknown ids are kept; kiln_compile rejects them.
kiln_status_t kiln_pass_words_take(kiln_pass_words_t *words, const char *list);
void kiln_pass_words_free(kiln_pass_words_t *words);

// Prints the passes in order, each with its stage.
void kiln_pass_list_print(void);

// Prints the time of each phase to stderr.
void kiln_pass_times_print(const kiln_kernel_t *kernel);

#endif
