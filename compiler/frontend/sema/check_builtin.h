// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared declarations of the checks of built-in functions. A check receives the call and returns
// its node; builtins.def lists the check of each function.
#ifndef KILN_FRONTEND_CHECK_BUILTIN_H
#define KILN_FRONTEND_CHECK_BUILTIN_H

#include "frontend/sema/check.h"

typedef struct kiln_call {
    kiln_checker_t *checker;
    const kiln_builtin_t *builtin;
    const kiln_expr_t *expr; // each argument at its position, NULL if omitted
    const kiln_expr_t *options[KILN_BUILTIN_OPTION_COUNT]; // values, or NULL
} kiln_call_t;

#define KILN_BUILTIN(id, name, min, max, check, emit, detail, usage, options, purity)              \
    kiln_node_t *kiln_check_builtin_##check(const kiln_call_t *call);
#include "frontend/core/builtins.def"
#undef KILN_BUILTIN

// Returns an error node; the error has been reported.
kiln_node_t *kiln_call_fail(const kiln_call_t *call);
// Returns NULL if omitted.
kiln_node_t *kiln_call_argument(const kiln_call_t *call, size_t index);
kiln_span_t kiln_call_place(const kiln_call_t *call, size_t index);

// The call's node, or an error node if an argument is one; arguments may be NULL.
kiln_node_t *kiln_call_make(const kiln_call_t *call, const kiln_tile_type_t *type, kiln_node_t *a,
                            kiln_node_t *b, kiln_node_t *c);
// The call's node with another function.
kiln_node_t *kiln_call_make_row(const kiln_call_t *call, kiln_builtin_id_t id,
                                const kiln_tile_type_t *type, kiln_node_t *a);

// Reads the first argument, an element type.
bool kiln_call_type(const kiln_call_t *call, kiln_tile_type_t *out);

// Constant arguments and requirements on values; false after a report.

// Negative axes count from the end.
bool kiln_call_axis(const kiln_call_t *call, size_t index, int rank, int *out);
// Reads the sizes from argument `first` on.
bool kiln_call_sizes(const kiln_call_t *call, size_t first, kiln_tile_type_t *type);
bool kiln_call_needs_tile(const kiln_call_t *call, const kiln_node_t *node);
bool kiln_call_needs_arithmetic(const kiln_call_t *call, const kiln_node_t *node);

// The position of a name among the arguments of the usage "f(a, b, c)", or -1. Arguments that may
// be repeated ("sizes…") have no name.
int kiln_builtin_parameter(const kiln_builtin_t *builtin, const char *name);

// Arguments and options (check_options.c). All but the first two report at most one error and then
// return false.

// Puts the call's arguments at their positions.
bool kiln_call_arrange(kiln_call_t *call, kiln_expr_t *arranged);
bool kiln_call_number(const kiln_call_t *call, kiln_builtin_option_t option, int64_t otherwise,
                      int64_t *out);
bool kiln_call_flag(const kiln_call_t *call, kiln_builtin_option_t option, bool otherwise,
                    bool *out);
bool kiln_call_word(const kiln_call_t *call, kiln_builtin_option_t option, int otherwise, int *out);

// Several results. The call's node gets an internal variable for each; values that read these are
// then assigned to the user's variables, converted as in an assignment. The node itself has no
// value.
void kiln_call_outputs(const kiln_call_t *call, kiln_node_t *node, const kiln_tile_type_t *types,
                       size_t count);
kiln_node_t *kiln_check_results(kiln_checker_t *checker, kiln_node_t *call,
                                kiln_node_t *const *values, kiln_variable_t *const *targets,
                                const kiln_span_t *places, size_t count);

// Reductions: all elements as one row; and the result with a dimension of 1 for the axis, or with
// axis -1 for each of `rank` dimensions.
kiln_node_t *kiln_call_as_row(const kiln_call_t *call, kiln_node_t *x);
kiln_node_t *kiln_call_keep_dims(const kiln_call_t *call, kiln_node_t *reduced, int axis, int rank);

// A load or store through a block pointer (check_view.c); settings: cache, eviction, volatile.
kiln_node_t *kiln_check_block_access(const kiln_call_t *call, kiln_node_t *view, kiln_node_t *value,
                                     const int *settings);
// A call of a prelude function on values.
kiln_node_t *kiln_call_prelude(const kiln_call_t *call, const char *function,
                               kiln_node_t *const *values, size_t count);
// A call, checked as if written at `at`, whose arguments are variables, `reference_count` of them
// passed by address.
kiln_node_t *kiln_check_call_of(kiln_checker_t *checker, const char *function,
                                const kiln_expr_t *at, kiln_variable_t *const *variables,
                                size_t first_reference, size_t reference_count, size_t count);
bool kiln_check_names_function(kiln_checker_t *checker, const kiln_expr_t *expr); // of any kind

#endif
