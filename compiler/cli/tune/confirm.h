// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies what a search has only predicted (--sim-clock=only): executes candidates on another
// simulator, at smaller sizes.
//
// Scalars of the command line become smaller, and with them all that is computed from them, such as
// the extents of buffers. The code is that of the search. A size keeps its remainder modulo a power
// of two that no value of an axis or constant exceeds, and is at least twice that power. So whole
// and partial tiles, and several iterations of loops over tiles, are executed as at the full size.
// Sizes that are already small, or are not scalars of the command line, do not change.
#ifndef KILN_CLI_TUNE_CONFIRM_H
#define KILN_CLI_TUNE_CONFIRM_H

#include "arguments.h"

// Zeroed with the first members set, which are borrowed. Freed by kiln_tune_confirmation_free.
typedef struct kiln_tune_confirmation {
    const kiln_launch_flags_t *launch;
    const kiln_tune_problem_t *problem; // of the search
    char **words;                       // all arguments
    size_t word_count;
    const kiln_setting_list_t *defaults; // of constants
    const char *reference; // combination with the right results; NULL: the first candidate
    bool is_quiet;
    // The rest is made by the first call.
    kiln_device_t *device;
    char **small; // words
    kiln_tune_words_t sorted;
    kiln_arguments_t *arguments;
    struct kiln_tune_runner *runner;
    char *sizes;      // the scalars as text
    bool is_hopeless; // nothing can be verified
} kiln_tune_confirmation_t;

// The `confirm` callback of a kiln_tune_problem_t. Compares a candidate with what the reference
// computes without optimization. If there is none and candidates disagree, also without
// optimization, it is unknown which are right: a failure (INVALID_INPUT).
kiln_status_t kiln_tune_confirm(const kiln_tune_candidate_t *candidate, double *out_error,
                                void *confirmation);
void kiln_tune_confirmation_free(kiln_tune_confirmation_t *confirmation);

#endif
