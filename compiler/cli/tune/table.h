// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output of `kiln tune`: the table of the best on stdout.
#ifndef KILN_CLI_TUNE_TABLE_H
#define KILN_CLI_TUNE_TABLE_H

#include "kiln/tune.h"

// Candidates with the same code share one row, that of the first. `is_stopped`: a signal ended the
// search.
void kiln_tune_print_table(const kiln_tune_result_t *result, long top, bool is_stopped);

#endif
