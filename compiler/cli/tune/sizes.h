// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln tune export --by=M: a kernel's results as a table by one size, {"16": {"BLOCK_M": 16, …},
// …}, the form of vLLM's tables, which --configs reads.
#ifndef KILN_CLI_TUNE_SIZES_H
#define KILN_CLI_TUNE_SIZES_H

#include <jansson.h>

#include "kiln/tune.h"

// Returns the table of this Kiln's results in the store, by the integer argument `by`, of the
// kernel (NULL: the only one). Verified results come before others, and measured before predicted
// before estimated ones. USAGE if results differ in more than `by`, NOT_FOUND if there are none.
kiln_status_t kiln_tune_sizes_json(kiln_tune_store_t *store, const char *kernel, const char *by,
                                   json_t **out_table);

// The same as vLLM's table for a mixture of experts, by the number of tokens: `by` is an argument,
// or one divided by a number, "slot_count/2". Rows have vLLM's names, and also what was not varied.
kiln_status_t kiln_tune_vllm_json(kiln_tune_store_t *store, const char *kernel, const char *by,
                                  json_t **out_table);

#endif
