// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The comparison of `kiln bench --compare`: a launch against a base, which is another kernel, the
// same kernel with other flags, or an earlier launch saved with --json.
#ifndef KILN_CLI_COMPARE_H
#define KILN_CLI_COMPARE_H

#include <jansson.h>

#include "base/string.h"
#include "cli/pages.h"
#include "kiln/status.h"

typedef struct kiln_compare {
    const char
        *base; // value of --compare: FILE.json, another source or bundle, or flags; NULL: none
    double tolerance;           // percent that the launch may take longer; negative: any
    kiln_string_t words;        // flags that also apply to the base, each ended by a newline
    kiln_string_t source_words; // likewise, but only if the base is compiled from source
} kiln_compare_t;

// Applies a flag of the command line to the base, too.
void kiln_compare_add_flag(kiln_compare_t *compare, const kiln_words_t *words, int flag,
                           const char *value);
bool kiln_compare_tolerance(const char *value, double *out_percent); // false: not a percentage

// Obtains the base, by running `kiln bench` again unless it is a file. `operands`: the source and
// its arguments. The caller owns *out_base.
kiln_status_t kiln_compare_base(const kiln_compare_t *compare, char *const *operands, size_t count,
                                bool predicted, json_t **out_base);

// Prints the differences as text or JSON. MISMATCH if the launch takes longer than the tolerance
// allows.
kiln_status_t kiln_compare_print(const kiln_compare_t *compare, const json_t *base,
                                 const json_t *launch, bool as_json);

#endif
