// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of a search: those that depend on an axis (work=f32[SPLIT_K,M,N]) are created anew
// for each candidate, the others once.
#ifndef KILN_CLI_TUNE_ARGUMENTS_H
#define KILN_CLI_TUNE_ARGUMENTS_H

#include "base/settings.h"
#include "cli/launch/call.h"
#include "kiln/tune.h"
#include "kiln/tune_runner.h"

typedef struct kiln_tune_words {
    char **fixed, **varying; // borrowed words in their order
    size_t fixed_count, varying_count;
} kiln_tune_words_t;

// Copies the words. Buffers of floats whose contents are not given, "x=f32[n]", become random: with
// zeros, programs that compute different things may have equal results. Integers stay 0, as they
// may be indices. Freed by kiln_tune_words_release.
kiln_status_t kiln_tune_words_fill(char **words, size_t count, char ***out_words);
void kiln_tune_words_release(char **words, size_t count);

// A word depends on an axis or a default if its value names it, or another word that does.
kiln_status_t kiln_tune_words_sort(char **words, size_t count, const kiln_tune_problem_t *problem,
                                   const kiln_setting_list_t *defaults,
                                   kiln_tune_words_t *out_words);
void kiln_tune_words_free(kiln_tune_words_t *words);

// Creates a runner of the sorted words and the grids of the flags; `arguments` are those of the
// fixed words.
kiln_status_t kiln_tune_words_runner(const kiln_launch_flags_t *launch,
                                     const kiln_tune_words_t *sorted,
                                     const kiln_setting_list_t *defaults,
                                     kiln_arguments_t *arguments, kiln_tune_runner_t **out_runner);

// The words as arguments of a search: those that depend on an axis go to the runner. A zeroed one
// is empty; freed also after a failure.
typedef struct kiln_tune_input {
    bool reads_defaults;          // set by the caller: reads them even if no argument uses one
    kiln_setting_list_t defaults; // of constants that neither have axes nor are set; derived axes
                                  // may vary them
    kiln_tune_words_t sorted;
    kiln_arguments_t *arguments;
    kiln_tune_runner_t *runner;
    kiln_arg_hint_t *hints; // about all arguments, in the order of the words
    size_t hint_count;
    char *key; // of the tuner
} kiln_tune_input_t;
// The problem has its source, options, sequence, device and axes.
kiln_status_t kiln_tune_input_make(const kiln_launch_flags_t *launch,
                                   const kiln_tune_problem_t *problem, char **words, size_t count,
                                   kiln_tune_input_t *input);
void kiln_tune_input_free(kiln_tune_input_t *input);

// Returns the conditions that costs and verdicts depend on besides the key: the simulator's
// options, the contents of buffers, the expected results. From malloc; NULL if out of memory.
char *kiln_tune_conditions(char **words, size_t count, const char *const *expected,
                           size_t expected_count, const char *reference);

#endif
