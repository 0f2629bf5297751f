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
    const kiln_expr_t *expr;                       // with each argument in its place, NULL where it was left out
    const kiln_expr_t *options[KILN_OPTION_COUNT]; // values, or NULL
} kiln_call_t;

#define KILN_BUILTIN(id, name, least, most, check, emit, detail, usage, options)                                       \
    kiln_node_t *kiln_check_builtin_##check(const kiln_call_t *call);
#include "builtins.def"
#undef KILN_BUILTIN

kiln_node_t *kiln_call_fail(const kiln_call_t *call);                   // an error node; the report has been made
kiln_node_t *kiln_call_argument(const kiln_call_t *call, size_t index); // NULL where it was left out
kiln_span_t kiln_call_place(const kiln_call_t *call, size_t index);

// The call's node, or an error node where an argument is one; arguments may be NULL.
kiln_node_t *kiln_call_make(const kiln_call_t *call, const kiln_tile_type_t *type, kiln_node_t *a, kiln_node_t *b,
                            kiln_node_t *c);
kiln_node_t *kiln_call_make_row(const kiln_call_t *call, kiln_builtin_id_t id, const kiln_tile_type_t *type,
                                kiln_node_t *a); // of another function

bool kiln_call_type(const kiln_call_t *call, kiln_tile_type_t *out); // the first argument, an element type

// Constant arguments and demands on values; false after a report.
bool kiln_call_axis(const kiln_call_t *call, size_t index, int rank, int *out); // negative ones count from the end
bool kiln_call_sizes(const kiln_call_t *call, size_t first,
                     kiln_tile_type_t *type); // the sizes from argument `first` on
bool kiln_call_needs_tile(const kiln_call_t *call, const kiln_node_t *node);
bool kiln_call_needs_arithmetic(const kiln_call_t *call, const kiln_node_t *node);

// Arguments and options (check_options.c). All but the first two report at most once and return false then.
bool kiln_call_arrange(kiln_call_t *call, kiln_expr_t *arranged); // puts the call's arguments into their places
bool kiln_call_number(const kiln_call_t *call, kiln_builtin_option_t option, int64_t otherwise, int64_t *out);
bool kiln_call_flag(const kiln_call_t *call, kiln_builtin_option_t option, bool otherwise, bool *out);
bool kiln_call_word(const kiln_call_t *call, kiln_builtin_option_t option, int otherwise, int *out);

// Several results. The node of the call gets a variable of the checker's own for each; values made of these are then
// given to the user's, converted as an assignment would. The whole has no value.
void kiln_call_outputs(const kiln_call_t *call, kiln_node_t *node, const kiln_tile_type_t *types, size_t count);
kiln_node_t *kiln_check_results(kiln_checker_t *checker, kiln_node_t *call, kiln_node_t *const *values,
                                kiln_variable_t *const *targets, const kiln_span_t *places, size_t count);

// Reductions: all elements as one row; and what is left with dimensions of 1 for the axis, or with axis -1 for each of
// `rank` dimensions.
kiln_node_t *kiln_call_as_row(const kiln_call_t *call, kiln_node_t *x);
kiln_node_t *kiln_call_keep_dims(const kiln_call_t *call, kiln_node_t *reduced, int axis, int rank);

// A load or store through a block pointer (check_view.c); settings: cache, eviction, volatile.
kiln_node_t *kiln_check_block_access(const kiln_call_t *call, kiln_node_t *view, kiln_node_t *value,
                                     const int *settings);
// A call of a function of the prelude on values.
kiln_node_t *kiln_call_prelude(const kiln_call_t *call, const char *function, kiln_node_t *const *values, size_t count);
// A call, checked as if written at `at`, whose arguments are variables, `reference_count` of them by address.
kiln_node_t *kiln_check_call_of(kiln_checker_t *checker, const char *function, const kiln_expr_t *at,
                                kiln_variable_t *const *variables, size_t first_reference, size_t reference_count,
                                size_t count);
bool kiln_check_names_function(kiln_checker_t *checker, const kiln_expr_t *expr); // of any kind

#endif
