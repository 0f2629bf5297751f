// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options as the compiler takes them. The thing one gets wrong: a caller's struct may be an older, shorter one, so
// whatever reads options reads a copy that kiln_options_take made.
#ifndef KILN_OPTIONS_H
#define KILN_OPTIONS_H

#include "kiln/kiln.h"

// Completes a caller's options by the defaults. NULL: the defaults. The function and its argument are for errors.
kiln_status_t kiln_options_take(const char *function, const char *argument, const kiln_compile_options_t *from,
                                kiln_compile_options_t *out_options);

// Refuses what kiln/options.def does not allow; `options` is complete.
kiln_status_t kiln_options_check(const kiln_compile_options_t *options);

#endif
