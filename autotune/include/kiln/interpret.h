// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter (kiln/interp.h) in the place of a device: over named arguments and over test cases.
//
// Conventions are those of kiln/kiln.h. A launch takes of `settings` how the interpreter goes about it (grid, limit, print,
// lenient; NULL: the defaults); arguments and buffers are set here.
#ifndef KILN_INTERPRET_H
#define KILN_INTERPRET_H

#include "kiln/arguments.h"
#include "kiln/case.h"
#include "kiln/interp.h"

#ifdef __cplusplus
extern "C" {
#endif

// Launches on arguments that were made without a device, bound to the kernel's parameters by name; their buffers hold the
// results afterwards. USAGE where one is missing, too many, or of another element type than its parameter.
KILN_API kiln_status_t kiln_interpret_arguments(kiln_interp_t *interp, kiln_arguments_t *arguments,
                                                const kiln_interp_launch_t *settings);

// Launches on a case's inputs and its grid. results[i], for each i below argument_count, gets what buffer argument i holds
// after the call, from malloc, and NULL for scalars; after a failure what was made is the caller's to free, too.
KILN_API kiln_status_t kiln_interpret_case(kiln_interp_t *interp, const kiln_case_t *test_case,
                                           const kiln_interp_launch_t *settings, void **results);

#ifdef __cplusplus
}
#endif
#endif
