// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared declarations of the checker: check.c (kernels, functions, options), check_type.c,
// check_stmt.c, check_expr.c, check_struct.c, check_builtin.c, convert.c.
//
// A node with the error type marks an error that was reported; code that receives one propagates it
// without another report.
#ifndef KILN_FRONTEND_CHECK_H
#define KILN_FRONTEND_CHECK_H

#include "base/expression.h"
#include "base/suggest.h"
#include "frontend/lex/prelude.h"
#include "frontend/parse/tree.h"

// A reference is a helper's parameter to which a variable's address was passed: `*name` is that
// variable.
typedef enum kiln_symbol_kind {
    KILN_SYMBOL_VARIABLE,
    KILN_SYMBOL_CONSTANT,
    KILN_SYMBOL_TYPE,
    KILN_SYMBOL_REFERENCE
} kiln_symbol_kind_t;

typedef struct kiln_symbol {
    kiln_symbol_kind_t kind;
    const char *name;
    kiln_span_t at;
    kiln_variable_t *variable;
    kiln_constant_t constant;
    bool is_enumerator;    // CONSTANT: not a setting
    kiln_tile_type_t tile; // TYPE
    bool is_const;         // REFERENCE: read only
    bool is_unknown;       // added after the report that it is undeclared
} kiln_symbol_t;

// The function being checked: the kernel, or a helper expanded at a call.
typedef struct kiln_frame {
    struct kiln_frame *outer;
    const kiln_function_syntax_t *function;
    size_t first_symbol;          // the function sees the symbols from here on, and the globals
    kiln_variable_t *result;      // NULL for void, or while an `auto` result is not known yet
    bool result_is_open;          // `auto` or an open struct: determined by the first return
    kiln_tile_type_t open_result; // that struct; else no type
    unsigned loop_depth;
} kiln_frame_t;

// A reported error in an expansion, where `prelude` is the call of a prelude function that led to
// it, or NULL; and a reported warning.
typedef struct kiln_reported {
    uint32_t at;
    const kiln_call_site_t *prelude;
    const char *message;
} kiln_reported_t;

typedef struct kiln_warned {
    kiln_warning_id_t id;
    uint32_t at;
    const char *message;
} kiln_warned_t;

typedef struct kiln_checker {
    kiln_reporter_t *reporter;
    kiln_arena_t *arena;
    kiln_names_t *names;
    const kiln_unit_t *unit, *prelude; // the prelude: NULL until one of its functions is looked up
    const kiln_compile_options_t *options;
    kiln_symbol_t *symbols;
    size_t symbol_count, symbol_capacity, global_count, scope_begin;
    kiln_struct_t **structs; // all struct types, without duplicates
    size_t struct_count, struct_capacity;
    kiln_frame_t *frame;
    const kiln_call_site_t *site;
    size_t failures;       // errors found, reported or not
    const char *combining; // the function of the reduction or scan being checked, or NULL
    unsigned depth;        // the checker's recursion depth
    size_t node_count;     // nodes created so far
    bool is_exhausted;     // the program is too large; reported
    kiln_program_constant_t *constants; // those with a value
    size_t constant_count, constant_capacity;
    kiln_reported_t *reported; // errors inside expansions, each reported once
    size_t reported_count, reported_capacity;
    kiln_warned_t *warned; // without duplicates
    size_t warned_count, warned_capacity;
    unsigned unreachable; // number of enclosing branches whose condition is known to be false
} kiln_checker_t;

#define KILN_CHECK_DEPTH_LIMIT 1200      // recursion depth of the checker, including expansions
#define KILN_CHECK_NODE_LIMIT (1u << 19) // nodes after expansion
// Nodes to which the iterations of a constant loop may expand.
#define KILN_UNROLL_LIMIT (1u << 16)
// Nodes in all copies of an unrolled loop's body; same limit as in the pass.
#define KILN_COPIES_LIMIT (1u << 14)

// The text of a kernel's [[grid(…)]], checked; NULL if it has none or after an error.
const char *kiln_check_grid(kiln_checker_t *checker, const kiln_function_syntax_t *kernel);
// Check a kernel's declared arguments and tuning.
void kiln_check_arguments(kiln_checker_t *checker, const kiln_function_syntax_t *kernel);
void kiln_check_tune(kiln_checker_t *checker, const kiln_function_syntax_t *kernel);
bool kiln_check_has_parameter(const kiln_function_syntax_t *kernel, const char *name,
                              bool is_constexpr);
bool kiln_check_is_global_constant(const kiln_checker_t *checker, const char *name);
const kiln_symbol_t *kiln_check_global_constant(const kiln_checker_t *checker,
                                                const char *name); // NULL: there is none
// Whether a setting's text is a value of a type: a number, true, false, or an enumerator.
bool kiln_check_reads(const kiln_checker_t *checker, const char *text, kiln_scalar_t scalar);

// Names of an expression of a kernel's declarations: refuses the first that is not known.
typedef bool kiln_check_is_known_fn(const kiln_checker_t *checker,
                                    const kiln_function_syntax_t *kernel, const char *name);
kiln_status_t kiln_check_names(const kiln_checker_t *checker, const kiln_function_syntax_t *kernel,
                               const kiln_expression_t *expression,
                               kiln_check_is_known_fn *is_known, const char *message);
// The length of the first of several expressions, up to a comma or bracket outside of parentheses.
size_t kiln_check_extent_length(const char *text);
// Whether an argument or constant has this name.
bool kiln_check_is_value(const kiln_checker_t *checker, const kiln_function_syntax_t *kernel,
                         const char *name);
// Reports and frees a status. The caller may own nothing: a report may jump out (core/arena.h).
void kiln_check_fail_status(kiln_checker_t *checker, kiln_span_t at, kiln_status_t status);

// Reporting. In an expansion, notes name the calls that led there.
void kiln_check_fail(kiln_checker_t *checker, kiln_span_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void kiln_check_fail_between(kiln_checker_t *checker, kiln_span_t at, const kiln_node_t *left,
                             const kiln_node_t *right, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
// Reports a division of integers that is undefined with these constants, and returns false.
bool kiln_check_division(kiln_checker_t *checker, const kiln_node_t *a, const kiln_node_t *b,
                         kiln_span_t at);
void kiln_check_note_calls(kiln_checker_t *checker);
// "note: 'x' is declared here as f32[64]" if the node is a variable, possibly sliced.
void kiln_check_note_declaration(kiln_checker_t *checker, const kiln_node_t *node);
void kiln_check_note_declarations(kiln_checker_t *checker, const kiln_node_t *a,
                                  const kiln_node_t *b);

// "; did you mean 'x'?", or an empty advice: from the visible variables and constants, the
// functions, or a kernel's parameters.
kiln_advice_t kiln_suggest_value(const kiln_checker_t *checker, const char *name);
kiln_advice_t kiln_suggest_function(const kiln_checker_t *checker, const char *name);
kiln_advice_t kiln_suggest_parameter(const kiln_checker_t *checker,
                                     const kiln_function_syntax_t *kernel, const char *name,
                                     bool is_constexpr);
kiln_advice_t kiln_suggest_kernel(const kiln_checker_t *checker, const char *name);

// Scopes
size_t kiln_scope_open(kiln_checker_t *checker); // returns the argument of kiln_scope_close
void kiln_scope_close(kiln_checker_t *checker, size_t opened);
// Returns NULL if not found.
kiln_symbol_t *kiln_symbol_find(kiln_checker_t *checker, const char *name);
// Reports duplicates in one scope.
void kiln_symbol_declare(kiln_checker_t *checker, const kiln_symbol_t *symbol);
kiln_variable_t *kiln_variable_make(kiln_checker_t *checker, const char *name,
                                    const kiln_tile_type_t *type, kiln_span_t at);
// Names the variable and, as "s.x", its members.
void kiln_variable_rename(kiln_checker_t *checker, kiln_variable_t *variable, const char *name);

// Nodes
kiln_node_t *kiln_node_make(kiln_checker_t *checker, kiln_node_kind_t kind,
                            const kiln_tile_type_t *type, kiln_span_t span, kiln_span_t at);
kiln_node_t *kiln_node_error(kiln_checker_t *checker, kiln_span_t span);
kiln_node_t *kiln_node_constant(kiln_checker_t *checker, kiln_constant_t constant,
                                kiln_span_t span);
kiln_node_t *kiln_node_int(kiln_checker_t *checker, kiln_scalar_t scalar, int64_t value,
                           kiln_span_t span);
kiln_node_t *kiln_node_variable(kiln_checker_t *checker, kiln_variable_t *variable,
                                kiln_span_t span);
// Evaluates a, then b.
kiln_node_t *kiln_node_sequence(kiln_checker_t *checker, kiln_node_t *a, kiln_node_t *b);
kiln_node_t *kiln_node_assign(kiln_checker_t *checker, kiln_variable_t *variable,
                              kiln_node_t *value, kiln_span_t at);
static inline bool kiln_node_is_error(const kiln_node_t *node)
{
    return kiln_tile_type_is_error(&node->type);
}
static inline bool kiln_node_is_constant(const kiln_node_t *node)
{
    return node->kind == KILN_NODE_CONSTANT;
}

// Conversions (convert.c). Impossible ones are reported and return an error node.

// Arithmetic types only.
kiln_node_t *kiln_convert_element(kiln_checker_t *checker, kiln_node_t *node, kiln_scalar_t to);
kiln_node_t *kiln_convert_shape(kiln_checker_t *checker, kiln_node_t *node,
                                const kiln_tile_type_t *shape); // must be broadcastable
bool kiln_shape_broadcasts(const kiln_tile_type_t *from, const kiln_tile_type_t *to);
// The value implicitly converted to something of type `to`; `what` completes "cannot … ".
kiln_node_t *kiln_convert_implicitly(kiln_checker_t *checker, kiln_node_t *node,
                                     const kiln_tile_type_t *to, kiln_span_t at, const char *what);
kiln_node_t *kiln_convert_to_bool(kiln_checker_t *checker, kiln_node_t *node);
// Converts both to their common element type / common shape; false after a report at `at`.
bool kiln_convert_usual(kiln_checker_t *checker, kiln_node_t **a, kiln_node_t **b, kiln_span_t at,
                        const char *op);
bool kiln_convert_common_shape(kiln_checker_t *checker, kiln_node_t **a, kiln_node_t **b,
                               kiln_span_t at);
kiln_node_t *kiln_cast(kiln_checker_t *checker, kiln_node_t *node, const kiln_tile_type_t *element,
                       kiln_span_t at);

// Types in the syntax tree (check_type.c). An element is a scalar, a pointer or a struct; a type
// may also be a tile, and takes unspecified sizes and types from its initial value (NULL: none).
bool kiln_resolve_element(kiln_checker_t *checker, const kiln_type_syntax_t *syntax,
                          kiln_tile_type_t *out);
bool kiln_resolve_scalar(kiln_checker_t *checker, const kiln_type_syntax_t *syntax,
                         kiln_tile_type_t *out);
bool kiln_resolve_type(kiln_checker_t *checker, const kiln_type_syntax_t *syntax,
                       const kiln_tile_type_t *initializer, kiln_tile_type_t *out);
void kiln_check_typedef(kiln_checker_t *checker, const kiln_stmt_t *stmt);
void kiln_check_struct(kiln_checker_t *checker, const kiln_stmt_t *stmt);
void kiln_check_enum(kiln_checker_t *checker, const kiln_stmt_t *stmt);
bool kiln_check_shape(kiln_checker_t *checker, const kiln_tile_type_t *type, kiln_span_t at);
bool kiln_check_constant_int(kiln_checker_t *checker, const kiln_expr_t *expr, const char *what,
                             int64_t *out);

// Structs as values (check_struct.c). A node of a struct type is KILN_NODE_STRUCT: a struct
// variable, whose members are read after the node's effects. Such nodes are created by
// kiln_node_variable, kiln_node_assign and these functions.
#define KILN_STRUCT_LEAF_LIMIT 256
// The type equal to this one.
kiln_struct_t *kiln_struct_intern(kiln_checker_t *checker, const kiln_struct_t *structure);
static inline bool kiln_struct_fills(const kiln_tile_type_t *type, const kiln_tile_type_t *open)
{
    return kiln_tile_is_struct(type) && kiln_tile_is_struct(open) && open->structure->is_open &&
           type->structure->origin == open->structure;
}
kiln_node_t *kiln_struct_member(kiln_checker_t *checker, kiln_node_t *node, size_t index,
                                kiln_span_t span);
// A new struct of these values, evaluated in the given order of members (NULL: as declared). Values
// have the members' types; open members take the type of their value.
kiln_node_t *kiln_struct_pack(kiln_checker_t *checker, const kiln_struct_t *structure,
                              kiln_node_t **values, const size_t *order, kiln_span_t span);
kiln_node_t *kiln_struct_assign(kiln_checker_t *checker, kiln_variable_t *variable,
                                kiln_node_t *value, kiln_span_t at);
kiln_node_t *kiln_struct_choose(kiln_checker_t *checker, kiln_node_t *condition, kiln_node_t *b,
                                kiln_node_t *c, kiln_span_t span, kiln_span_t at);
kiln_node_t *kiln_check_struct_list(kiln_checker_t *checker, const kiln_tile_type_t *type,
                                    const kiln_expr_t *list);
kiln_node_t *kiln_check_member(kiln_checker_t *checker, const kiln_expr_t *expr);
kiln_variable_t *kiln_find_member(kiln_checker_t *checker, const kiln_variable_t *variable,
                                  const kiln_expr_t *expr);
// Declares a variable, with a value or NULL: appended to the block, member by member for a struct.
void kiln_declare_variable(kiln_checker_t *checker, kiln_action_t *block, kiln_variable_t *variable,
                           kiln_node_t *value);

// Expressions and statements
kiln_node_t *kiln_check_expr(kiln_checker_t *checker, const kiln_expr_t *expr);
// The symbol that *name refers to if the name is a reference, else NULL.
kiln_symbol_t *kiln_find_reference(kiln_checker_t *checker, const kiln_expr_t *expr);
// Whether a subscript contains : or None, which memory does not have.
bool kiln_is_slice(const kiln_expr_t *expr);
// The pointer of *p or p[i]; NULL if the expression is neither.
kiln_node_t *kiln_check_place(kiln_checker_t *checker, const kiln_expr_t *expr);
// Whether an expression is &p[i] or &*p, a value, and no address of a variable.
bool kiln_is_memory_address(kiln_checker_t *checker, const kiln_expr_t *expr);
// The pointer &p[i] or &*p; addresses of variables are reported.
kiln_node_t *kiln_check_memory_address(kiln_checker_t *checker, const kiln_expr_t *expr);
// The variable that an expression denotes, if it can be assigned to; NULL after a report.
kiln_variable_t *kiln_check_target(kiln_checker_t *checker, const kiln_expr_t *target,
                                   kiln_span_t at);
// The variable of &name, or of a reference passed on.
kiln_variable_t *kiln_check_address(kiln_checker_t *checker, const kiln_expr_t *expr);
kiln_node_t *kiln_check_binary(kiln_checker_t *checker, kiln_operator_t op, kiln_node_t *a,
                               kiln_node_t *b, kiln_span_t span, kiln_span_t at);
kiln_node_t *kiln_check_builtin_call(kiln_checker_t *checker, const kiln_builtin_t *builtin,
                                     const kiln_expr_t *call);
// Folds a call with constant arguments (fold_builtin.c); otherwise returns the node.
kiln_node_t *kiln_fold_call(kiln_checker_t *checker, kiln_node_t *node);
kiln_node_t *kiln_check_load(kiln_checker_t *checker, kiln_node_t *pointer, kiln_node_t *mask,
                             kiln_node_t *other, kiln_span_t span, kiln_span_t at);
kiln_node_t *kiln_check_store(kiln_checker_t *checker, kiln_node_t *pointer, kiln_node_t *value,
                              kiln_node_t *mask, kiln_span_t span, kiln_span_t at);
kiln_tile_type_t kiln_tile_view(kiln_checker_t *checker, const kiln_tile_type_t *block,
                                bool is_descriptor);
kiln_node_t *kiln_check_library_call(kiln_checker_t *checker, const kiln_library_t *row,
                                     const kiln_expr_t *expr);
// The program's or the prelude's function of a name, or NULL. In the prelude's own functions, the
// prelude takes precedence.
const kiln_function_syntax_t *kiln_function_find(kiln_checker_t *checker, const char *name);
kiln_node_t *kiln_check_expansion(kiln_checker_t *checker, const kiln_function_syntax_t *function,
                                  const kiln_expr_t *call);
// Returns NULL if there is nothing to do.
kiln_action_t *kiln_check_stmt(kiln_checker_t *checker, const kiln_stmt_t *stmt);

// Actions
kiln_action_t *kiln_action_make(kiln_checker_t *checker, kiln_action_kind_t kind, kiln_span_t span);
// NULL appends nothing.
void kiln_action_append(kiln_checker_t *checker, kiln_action_t *block, kiln_action_t *action);

// Limits the checker's recursion; false after a report.
bool kiln_check_enter(kiln_checker_t *checker, kiln_span_t at);
void kiln_check_leave(kiln_checker_t *checker);

#endif
