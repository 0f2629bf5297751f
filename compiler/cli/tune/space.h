// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The space that kiln tune searches: --axis, --where, and the source's declarations.
#ifndef KILN_CLI_TUNE_SPACE_H
#define KILN_CLI_TUNE_SPACE_H

#include <stdbool.h>

#include "kiln/tune_space.h"

enum { KILN_TUNE_MAX_AXES = 32, KILN_TUNE_MAX_CONDITIONS = 32 };

// --space
typedef enum kiln_tune_space_use {
    KILN_TUNE_SPACE_ANY,      // --axis and the source's declarations; without any, DERIVED
    KILN_TUNE_SPACE_GIVEN,    // only --axis
    KILN_TUNE_SPACE_DECLARED, // --axis and the source's declarations, of which there must be some
    KILN_TUNE_SPACE_DERIVED   // --axis and the axes derived from the program
} kiln_tune_space_use_t;

typedef struct kiln_tune_space_flags {
    const char *axes[KILN_TUNE_MAX_AXES], *conditions[KILN_TUNE_MAX_CONDITIONS];
    size_t axis_count, condition_count;
    kiln_tune_space_use_t use;
    const char *configs; // file of configurations to try; NULL: none
    bool is_quiet;       // prints nothing
} kiln_tune_space_flags_t;

// These return false if a word is invalid or there are too many.
bool kiln_tune_space_take_axis(kiln_tune_space_flags_t *flags, const char *word);
bool kiln_tune_space_take_condition(kiln_tune_space_flags_t *flags, const char *word);
bool kiln_tune_space_take_use(kiln_tune_space_flags_t *flags, const char *word);

// Whether --axis has an axis of this name.
bool kiln_tune_space_is_given(const kiln_tune_space_flags_t *flags, const char *name);

// Creates the space of a problem, whose axes are not used, and prints the origin of its axes unless
// all are given. Settings in `fixed` do not vary. *out_shown: whether an error was printed; it is
// also the diagnostic_user of the problem.
kiln_status_t kiln_tune_space_make(const kiln_tune_space_flags_t *flags,
                                   const kiln_tune_problem_t *problem,
                                   kiln_tune_space_t **out_space, bool *out_shown);

// Whether axes must be derived for the space.
bool kiln_tune_space_needs_derived(const kiln_tune_space_flags_t *flags,
                                   const kiln_tune_space_t *space);

// Derives axes (kiln_tune_space_derive), and prints them and their sources.
kiln_status_t kiln_tune_space_make_derived(const kiln_tune_space_flags_t *flags,
                                           kiln_tune_space_t *space,
                                           const kiln_tune_problem_t *problem,
                                           bool *out_lost_device);

#endif
