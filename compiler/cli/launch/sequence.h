// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of --then: their sources, and their calls with the settings that were tuned for the
// whole sequence.
#ifndef KILN_CLI_LAUNCH_SEQUENCE_H
#define KILN_CLI_LAUNCH_SEQUENCE_H

#include "base/settings.h"
#include "call.h"
#include "kiln/tune.h"

// Sources -----------------------------------------------------------------------------------------

typedef struct kiln_launch_sequence {
    kiln_tune_step_t steps[KILN_LAUNCH_MAX_STEPS];
    const kiln_tune_step_t *then[KILN_LAUNCH_MAX_STEPS];
    char *texts[KILN_LAUNCH_MAX_STEPS]; // of sources in other files
    size_t count;
} kiln_launch_sequence_t;

// Reads the files of --then; must be freed also after a failure.
kiln_status_t kiln_launch_sequence_read(const kiln_launch_flags_t *flags,
                                        kiln_launch_sequence_t *out_sequence);
void kiln_launch_sequence_free(kiln_launch_sequence_t *sequence);

// Makes it the sequence of a problem, which borrows it.
void kiln_launch_sequence_set(kiln_launch_sequence_t *sequence, kiln_tune_problem_t *problem);

// Fails if an argument belongs to no kernel of the problem's sequence and no other argument points
// into it ("NAME=&BUFFER").
kiln_status_t kiln_launch_sequence_check(const kiln_tune_problem_t *problem, char **words,
                                         size_t count);

// Words -------------------------------------------------------------------------------------------

// Whether a word uses a name that neither the flags nor an earlier word define.
bool kiln_launch_has_open(const kiln_launch_flags_t *flags, char **words, size_t word_count);

// Of two failures, frees one and returns the other: `status` of creating arguments, and `unread` of
// reading the constants that their texts use, which is the cause if both failed. Either may be OK.
kiln_status_t kiln_launch_choose_error(kiln_status_t status, kiln_status_t unread);

// The hint about the argument of words[index], whatever names its text uses: a buffer has the type
// that the text says, and its divisibility by 16 and size below 2 GiB are assumed; a scalar is an
// integer of which nothing is known. Without a type if a file decides. `name` is borrowed.
kiln_status_t kiln_launch_word_hint(char **words, size_t index, const char *name,
                                    kiln_arg_hint_t *out_hint);

// Calls -------------------------------------------------------------------------------------------

// Calls for which the tuned settings are looked up before arguments are created: those of a
// sequence, and those with arguments that use tuned settings (parts=f32[SPLIT_K,M,N]). Constants
// that were not tuned have their defaults in arguments, too.
typedef struct kiln_launch_plan {
    kiln_jit_call_t calls[1 + KILN_LAUNCH_MAX_STEPS]; // without grids
    size_t count;
    kiln_tune_match_t match;     // config NULL: nothing was tuned
    kiln_arguments_t *arguments; // of all calls
    // What the calls and arguments point to, and their tuned settings:
    kiln_launch_flags_t flags;
    kiln_launch_sequence_t sequence;
    kiln_setting_list_t settings[1 + KILN_LAUNCH_MAX_STEPS], tuned;
    kiln_jit_argument_t *own[1 + KILN_LAUNCH_MAX_STEPS];
    char *configs[1 + KILN_LAUNCH_MAX_STEPS], *key;
} kiln_launch_plan_t;

// Whether the words need a plan.
bool kiln_launch_needs_plan(const kiln_launch_flags_t *flags, char **words, size_t word_count);

// Makes the plan of a problem whose source, options, device, store (NULL: none), fixed settings and
// diagnostic handler are set; those are borrowed. Must be freed also after a failure.
kiln_status_t kiln_launch_plan_make(const kiln_launch_flags_t *flags,
                                    const kiln_tune_problem_t *problem, kiln_tune_use_t use,
                                    char **words, size_t word_count, kiln_launch_plan_t *out_plan);
void kiln_launch_plan_free(kiln_launch_plan_t *plan);

// The tuned settings of a request's kernel as a kiln_jit_tune_fn returns them.
kiln_status_t kiln_launch_plan_config(const kiln_launch_plan_t *plan,
                                      const kiln_jit_tune_request_t *request, char **out_config);

#endif
