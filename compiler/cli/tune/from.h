// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The problems for `kiln tune --from`, as written by kiln_tune_record.
#ifndef KILN_CLI_TUNE_FROM_H
#define KILN_CLI_TUNE_FROM_H

#include <jansson.h>

#include "kiln/tune.h"

// A recorded problem. Its strings are valid during the call that it is passed to.
typedef struct kiln_tune_recorded {
    kiln_source_t source;
    const char *kernel;    // NULL: the only one
    const char *arguments; // the key's
    const char *grid;      // NULL: not recorded, so the source's own
    kiln_setting_t *settings;
    size_t setting_count;
    char **words; // "n=1000", "x=f32[1000]:random:1"
    size_t word_count;
    const json_t *hints; // the recorded hints about each argument
} kiln_tune_recorded_t;

// Called with a problem, or with NULL and why a line has none, which it takes ownership of.
typedef kiln_status_t (*kiln_tune_recorded_fn_t)(const kiln_tune_recorded_t *recorded,
                                                 kiln_status_t why, void *user);

// Calls `visit` with each line of the file; equal lines count once. A failure of `visit` ends the
// search and is returned.
kiln_status_t kiln_tune_from(const char *path, kiln_tune_recorded_fn_t visit, void *user);

// Replaces the hints about the new buffers by those about the recorded ones, on which the key
// depends.
kiln_status_t kiln_tune_recorded_hints(const kiln_tune_recorded_t *recorded, kiln_arg_hint_t *hints,
                                       size_t count);

#endif
