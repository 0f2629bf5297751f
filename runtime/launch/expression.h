// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer expressions over named values, for grids and sizes: + - * / % ( ), cdiv(a, b), min(a, b),
// max(a, b).
//
// What is easily got wrong: / rounds toward zero as in C; grids mostly want cdiv, which rounds up.
#ifndef KILN_LAUNCH_EXPRESSION_H
#define KILN_LAUNCH_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "kiln/status.h"

// Gives a name's value; false where it has none. `name` is not NUL-terminated.
typedef bool (*kiln_expression_lookup_fn)(const char *name, size_t length, void *user, int64_t *out_value);

// Evaluates the whole text. Overflow, division by zero and unknown names are KILN_STATUS_USAGE with the column.
kiln_status_t kiln_expression_evaluate(const char *text, kiln_expression_lookup_fn lookup, void *user,
                                       int64_t *out_value);

#endif
