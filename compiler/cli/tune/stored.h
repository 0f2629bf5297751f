// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The space of `kiln tune verify`: the stored result of a problem, as axes of one value each.
#ifndef KILN_CLI_TUNE_STORED_H
#define KILN_CLI_TUNE_STORED_H

#include "kiln/tune_space.h"

// Finds the result that `kiln run` would use for a problem whose store is set, and makes it the
// problem's axes, which are those of *out_space. NOT_FOUND if there is none.
kiln_status_t kiln_tune_stored_space(kiln_tune_problem_t *problem, kiln_tune_space_t **out_space);

#endif
