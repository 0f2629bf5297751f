// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln tune export --format: results in the files of other tuners.
#ifndef KILN_CLI_TUNE_FORMATS_H
#define KILN_CLI_TUNE_FORMATS_H

#include <stdio.h>

#include <jansson.h>

#include "kiln/tune.h"

// Selects rows of this Kiln: those of a kernel (the first word, if it has no '='), whose problem
// has all arguments NAME=VALUE of the other words.
typedef struct kiln_tune_selection {
    char **words;
    size_t word_count;
} kiln_tune_selection_t;

// Fails if a word is neither a kernel's name nor an argument.
kiln_status_t kiln_tune_selection_check(const kiln_tune_selection_t *selection);
bool kiln_tune_selects(const kiln_tune_selection_t *selection, const kiln_tune_record_t *record);

// The text of NAME=VALUE in "K=64,M=16 grid=…"; NULL if there is none.
const char *kiln_tune_find_argument(const char *arguments, const char *name);

// The cache of triton.autotune, KERNEL.autotune.json: the correct configurations of one problem
// with their times. USAGE if the selected rows are of several problems, or their costs are no
// times; NOT_FOUND if there are none.
kiln_status_t kiln_tune_triton_json(kiln_tune_store_t *store,
                                    const kiln_tune_selection_t *selection, json_t **out_cache);

// A row of AITER's tables of tuned GEMMs for each verified result that has arguments M, N and K.
// NOT_FOUND if there are none.
kiln_status_t kiln_tune_aiter_csv(kiln_tune_store_t *store, const kiln_tune_selection_t *selection,
                                  char **out_text);

#endif
