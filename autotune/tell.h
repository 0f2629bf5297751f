// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warnings of many candidates. The numbers in a message (of spilled registers) differ between
// candidates, so messages do not identify warnings.
#ifndef KILN_AUTOTUNE_TELL_H
#define KILN_AUTOTUNE_TELL_H

#include <stdbool.h>

#include "kiln/kiln.h"

typedef struct kiln_teller {
    kiln_diagnostic_handler_t handler;
    void *user;
    char **known; // warnings that were reported
    size_t known_count;
    bool follows, was_new; // after a warning of the same candidate; whether that was reported
    bool lacks_memory;
} kiln_teller_t;

// Reports what kiln_diagnostic_keep kept of a candidate (NULL: nothing). Of warnings with the same
// flag at the same place, only the first is reported, with its notes. Fails if memory is
// insufficient. `teller` begins with its handler and user alone.
kiln_status_t kiln_tell_new(kiln_teller_t *teller, const char *told);
void kiln_teller_free(kiln_teller_t *teller);

#endif
