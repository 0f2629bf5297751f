// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words about passes that `kiln compile` and `kiln opt` share: --passes, --list-passes, --time
// and others.
#ifndef KILN_CLI_COMPILE_PASSES_H
#define KILN_CLI_COMPILE_PASSES_H

#include "cli/pages.h"
#include "kiln/kiln.h"

enum { KILN_MAX_PASSES = 256 };

// The ids of --passes, static, and other flags.
typedef struct kiln_pass_words {
    const char *ids[KILN_MAX_PASSES];
    size_t count;
    bool lists_passes, prints_time, is_help;
} kiln_pass_words_t;

// Takes a flag of these by its name, also --print-changed and --print-after, --help, and all flags
// that verbs share; others are an error of the caller's.
kiln_status_t kiln_pass_words_take_flag(kiln_pass_words_t *words, const kiln_words_t *reader,
                                        int flag, const char *value);

// Appends "a,b,c". A stage's name (tt, ttg, external, final) stands for all its passes in order.
kiln_status_t kiln_pass_words_take(kiln_pass_words_t *words, const char *list);

// Rejects given compile options that none of these passes reads, for a module of this stage.
kiln_status_t kiln_pass_words_check_options(const kiln_pass_words_t *words, kiln_stage_t from);

// Fails for an unknown id, with advice.
kiln_status_t kiln_pass_id_check(const char *id);

// Prints the passes in order, each with its stage.
void kiln_pass_list_print(void);

// Prints the time of each phase to stderr.
void kiln_pass_times_print(const kiln_kernel_t *kernel);

#endif
