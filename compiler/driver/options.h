// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access to compile options. A caller's struct may be an older, shorter version, so options are
// only read from a copy made by kiln_options_take.
#ifndef KILN_OPTIONS_H
#define KILN_OPTIONS_H

#include "kiln/kiln.h"

// Copies a caller's options and adds defaults for missing fields. NULL: the defaults. The names of
// function and argument are for errors.
kiln_status_t kiln_options_take(const char *function, const char *argument,
                                const kiln_compile_options_t *from,
                                kiln_compile_options_t *out_options);

// Rejects values that kiln/options.def does not allow; `options` is complete.
kiln_status_t kiln_options_check(const kiln_compile_options_t *options, kiln_stage_t from);

#endif
