// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warnings of many candidates. The thing one gets wrong: the figures in a message (of spilled registers) differ from
// candidate to candidate, so messages are no measure of sameness.
#ifndef KILN_AUTOTUNE_TELL_H
#define KILN_AUTOTUNE_TELL_H

#include "kiln/kiln.h"

// Tells what kiln_diagnostic_keep kept of each candidate (NULL: nothing): of warnings with the same flag at the same place
// the first one, with its notes.
void kiln_tell_once(char *const *told, size_t count, kiln_diagnostic_handler_t handler, void *user);

#endif
