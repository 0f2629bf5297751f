// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the checks of built-in functions share. A check gets the call and gives its node; builtins.def says which check
// a function has.
#ifndef KILN_FRONTEND_CHECK_BUILTIN_H
#define KILN_FRONTEND_CHECK_BUILTIN_H

#include "check.h"

typedef struct kiln_call {
    kiln_checker_t *checker;
    const kiln_builtin_t *builtin;
    const kiln_expr_t *expr;
} kiln_call_t;

#define KILN_BUILTIN(id, name, least, most, check, emit, detail, usage)                                                \
    kiln_node_t *kiln_check_builtin_##check(const kiln_call_t *call);
#include "builtins.def"
#undef KILN_BUILTIN

kiln_node_t *kiln_call_fail(const kiln_call_t *call); // an error node; the report has been made
kiln_node_t *kiln_call_argument(const kiln_call_t *call, size_t index);
kiln_span_t kiln_call_place(const kiln_call_t *call, size_t index);

// The call's node, or an error node where an argument is one; arguments may be NULL.
kiln_node_t *kiln_call_make(const kiln_call_t *call, const kiln_tile_type_t *type, kiln_node_t *a, kiln_node_t *b,
                            kiln_node_t *c);
kiln_node_t *kiln_call_make_row(const kiln_call_t *call, kiln_builtin_id_t id, const kiln_tile_type_t *type,
                                kiln_node_t *a); // of another function

// Constant arguments and demands on values; false after a report.
bool kiln_call_axis(const kiln_call_t *call, size_t index, int rank, int *out); // negative ones count from the end
bool kiln_call_sizes(const kiln_call_t *call, size_t first,
                     kiln_tile_type_t *type); // the sizes from argument `first` on
bool kiln_call_needs_tile(const kiln_call_t *call, const kiln_node_t *node);
bool kiln_call_needs_arithmetic(const kiln_call_t *call, const kiln_node_t *node);

#endif
