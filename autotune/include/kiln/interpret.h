// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the interpreter (kiln/interp.h) on named arguments and on test cases.
//
// Conventions are those of kiln/kiln.h. `settings` supplies the interpreter's options (grid, limit,
// print, lenient; NULL: the defaults); arguments and buffers are set here.
#ifndef KILN_INTERPRET_H
#define KILN_INTERPRET_H

#include "kiln/arguments.h"
#include "kiln/case.h"
#include "kiln/interp.h"

#ifdef __cplusplus
extern "C" {
#endif

// Launches on arguments that were created without a device, bound to the kernel's parameters by
// name; their buffers hold the results afterwards. USAGE if one is missing, superfluous, or of the
// wrong element type.
KILN_API kiln_status_t kiln_interpret_arguments(kiln_interp_t *interp, kiln_arguments_t *arguments,
                                                const kiln_interp_launch_t *settings);

// Launches on a case's inputs and grid. results[i], for each i below argument_count, receives the
// final contents of buffer argument i, from malloc, and NULL for scalars. The caller frees the
// results, also after a failure.
KILN_API kiln_status_t kiln_interpret_case(kiln_interp_t *interp, const kiln_case_t *test_case,
                                           const kiln_interp_launch_t *settings, void **results);

#ifdef __cplusplus
}
#endif
#endif
