// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports the warnings of many candidates without repetition. The numbers in a message (of spilled
// registers) differ between candidates, so messages do not identify warnings.
#ifndef KILN_AUTOTUNE_DIAGNOSTIC_FILTER_H
#define KILN_AUTOTUNE_DIAGNOSTIC_FILTER_H

#include <stdbool.h>

#include "kiln/kiln.h"

typedef struct kiln_diagnostic_filter {
    kiln_diagnostic_handler_t handler;
    void *user;
    char **known; // warnings that were reported
    size_t known_count, known_capacity;
    bool follows, was_new; // after a warning of the same candidate; whether it was reported
    bool out_of_memory;
} kiln_diagnostic_filter_t;

// Reports the diagnostics of a candidate that kiln_diagnostic_serialize kept (NULL: none). Of
// warnings with the same flag at the same place, only the first is reported, with its notes. Fails
// if memory is exhausted. Initialize `filter` with its handler and user alone.
kiln_status_t kiln_diagnostic_filter_replay(kiln_diagnostic_filter_t *filter,
                                            const char *diagnostics);
void kiln_diagnostic_filter_free(kiln_diagnostic_filter_t *filter);

#endif
