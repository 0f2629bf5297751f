// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of a launch: those of the command line, and those that the source declares for
// arguments that are not among them.
#ifndef KILN_CLI_LAUNCH_COMPLETE_H
#define KILN_CLI_LAUNCH_COMPLETE_H

#include "call.h"

typedef struct kiln_launch_words {
    char **items; // the given ones first, then scalars, then buffers
    size_t count, given;
} kiln_launch_words_t;

// Copies the words and adds what the source's kernel, and those of --then, declare with
// [[arguments(…)]]. Without words for all arguments of a kernel that declares some it fails. A
// source with errors declares nothing: they are reported when it is compiled. Must be freed also
// after a failure.
kiln_status_t kiln_launch_words_make(const kiln_launch_flags_t *flags, const kiln_source_t *source,
                                     char **given, size_t count, kiln_launch_words_t *out_words);
// Fails if the words are not those of the kernel's arguments: one is missing, unknown or there
// twice. For those who launch many candidates, of which none could have such arguments.
kiln_status_t kiln_launch_words_check(const kiln_launch_flags_t *flags, const kiln_source_t *source,
                                      const kiln_launch_words_t *words);
void kiln_launch_words_free(kiln_launch_words_t *words);

#endif
