// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The syntax tree: the source as parsed, before names and types are resolved.
//
// A helper function is checked once per call, with that call's types and constants, so the tree is
// read-only after parsing.
#ifndef KILN_FRONTEND_AST_H
#define KILN_FRONTEND_AST_H

#include "frontend/lex/lexer.h"

// Operators, from the tightest binding to the loosest within the binary ones (see the parser's
// table).
typedef enum kiln_operator {
    KILN_OPERATOR_NONE,
    KILN_OPERATOR_MUL,
    KILN_OPERATOR_DIV,
    KILN_OPERATOR_REM,
    KILN_OPERATOR_ADD,
    KILN_OPERATOR_SUB,
    KILN_OPERATOR_SHL,
    KILN_OPERATOR_SHR,
    KILN_OPERATOR_LT,
    KILN_OPERATOR_GT,
    KILN_OPERATOR_LE,
    KILN_OPERATOR_GE,
    KILN_OPERATOR_EQ,
    KILN_OPERATOR_NE,
    KILN_OPERATOR_AND,
    KILN_OPERATOR_XOR,
    KILN_OPERATOR_OR,
    KILN_OPERATOR_LOGICAL_AND,
    KILN_OPERATOR_LOGICAL_OR,
    KILN_OPERATOR_COMMA,
    // unary
    KILN_OPERATOR_PLUS,
    KILN_OPERATOR_NEGATE,
    KILN_OPERATOR_COMPLEMENT,
    KILN_OPERATOR_NOT,
    KILN_OPERATOR_DEREFERENCE,
} kiln_operator_t;

const char *kiln_operator_spelling(kiln_operator_t op);

typedef struct kiln_expr kiln_expr_t;

// A type as written: element, pointer, and dimensions that are constant expressions.
typedef struct kiln_type_syntax {
    kiln_span_t span;
    kiln_scalar_t scalar; // NONE for a name or auto
    const char *name; // of a `constexpr type` parameter or a typedef; "struct pair", "enum color";
                      // else NULL
    bool is_auto, is_pointer, is_const;
    size_t dim_count;
    kiln_expr_t **dims; // in order; a NULL dimension is taken from the initializer
} kiln_type_syntax_t;

typedef enum kiln_expr_kind {
    KILN_EXPR_INTEGER,
    KILN_EXPR_FLOAT,
    KILN_EXPR_BOOL,
    KILN_EXPR_STRING,
    KILN_EXPR_NAME,
    KILN_EXPR_TYPE,        // a type as an argument
    KILN_EXPR_UNARY,       // op a
    KILN_EXPR_BINARY,      // a op b
    KILN_EXPR_ASSIGN,      // a = b; a op= b
    KILN_EXPR_STEP,        // ++a, a++, --a, a--: op is ADD or SUB
    KILN_EXPR_CONDITIONAL, // a ? b : c
    KILN_EXPR_CAST,
    KILN_EXPR_SIZEOF,
    KILN_EXPR_CALL,       // name(list)
    KILN_EXPR_INDEX,      // a[list]
    KILN_EXPR_ALL,        // ':' in a subscript
    KILN_EXPR_NONE,       // 'None' in a subscript
    KILN_EXPR_MEMBER,     // a.name
    KILN_EXPR_LIST,       // {list}: the initial value of a struct, alone or after a CAST
    KILN_EXPR_DESIGNATED, // .name = a, in a LIST
    KILN_EXPR_ADDRESS,    // &a, as an argument, or &a[list]
} kiln_expr_kind_t;

struct kiln_expr {
    kiln_expr_kind_t kind;
    kiln_operator_t op;
    bool is_postfix;  // STEP: a++ or a--
    bool is_enclosed; // in its own parentheses
    unsigned height;  // of the tree below it, for the limit on nesting
    kiln_span_t span; // the whole expression
    kiln_span_t at;   // the operator or name, where the caret goes
    kiln_expr_t *a, *b, *c;
    kiln_expr_t **list;
    size_t count;
    const char *name;
    kiln_scalar_t scalar; // of a literal
    uint64_t integer;
    double floating;
    int rest; // of a float: see kiln_real_parse_with_rest
    kiln_type_syntax_t *type;
};

typedef enum kiln_stmt_kind {
    KILN_STMT_EXPR,
    KILN_STMT_DECLARE,
    KILN_STMT_BLOCK,
    KILN_STMT_GROUP, // several declarators in one declaration: a block without a scope
    KILN_STMT_IF,
    KILN_STMT_FOR,
    KILN_STMT_WHILE,
    KILN_STMT_DO,
    KILN_STMT_BREAK,
    KILN_STMT_CONTINUE,
    KILN_STMT_RETURN,
    KILN_STMT_STATIC_ASSERT,
    KILN_STMT_TYPEDEF,
    KILN_STMT_STRUCT, // struct name {list}: its members are DECLAREs
    KILN_STMT_ENUM,   // enum name {list}: its constants are DECLAREs, with or without values
} kiln_stmt_kind_t;

// [[name(value)]] before a loop.
typedef struct kiln_attribute_syntax {
    const char *name;
    kiln_span_t span;
    kiln_expr_t *value; // NULL if absent
} kiln_attribute_syntax_t;

typedef struct kiln_stmt kiln_stmt_t;
struct kiln_stmt {
    kiln_stmt_kind_t kind;
    bool is_constexpr; // DECLARE: a constant; IF: the branch not taken is not checked
    kiln_span_t span, at;
    bool is_anonymous; // STRUCT, ENUM: the name was generated
    const char *name;  // DECLARE, TYPEDEF; STRUCT, ENUM: including that word; STATIC_ASSERT: the
                       // message or NULL
    kiln_type_syntax_t *type;
    kiln_expr_t *value;            // DECLARE: initializer or NULL; EXPR, RETURN, STATIC_ASSERT
    kiln_expr_t *condition, *step; // NULL if absent
    kiln_stmt_t *init, *body, *otherwise;
    kiln_stmt_t **list;
    size_t count;
    kiln_attribute_syntax_t *attributes;
    size_t attribute_count;
};

typedef struct kiln_parameter_syntax {
    const char *name;
    kiln_span_t at;
    kiln_type_syntax_t *type;
    bool is_constexpr, is_type; // is_type: `constexpr type T`
    kiln_expr_t *value;         // default of a constexpr parameter; NULL: it must be set
} kiln_parameter_syntax_t;

// Text that is not in Tile C, without comments and line breaks.
typedef struct kiln_text_syntax {
    const char *text;
    kiln_span_t span;
} kiln_text_syntax_t;

// NAME = V1, V2, … of [[tune(…)]].
typedef struct kiln_tune_syntax {
    const char *name;
    kiln_span_t at;
    kiln_text_syntax_t *values; // each a value or a range (base/axis.h)
    size_t value_count;
} kiln_tune_syntax_t;

// NAME = VALUE of [[arguments(…)]].
typedef struct kiln_argument_syntax {
    const char *name;
    kiln_span_t at;
    kiln_text_syntax_t value; // as kiln/arguments.h has it
} kiln_argument_syntax_t;

typedef struct kiln_function_syntax {
    const char *name;
    kiln_span_t at;
    bool is_kernel;
    kiln_type_syntax_t *result;
    kiln_parameter_syntax_t *parameters;
    size_t parameter_count;
    kiln_stmt_t *body;
    const char *grid; // of [[grid(…)]]: expressions as kiln/options.def has them; NULL: none
    kiln_span_t grid_at;
    kiln_tune_syntax_t *tune; // axes of [[tune(…)]]
    size_t tune_count, tune_capacity;
    kiln_text_syntax_t *where; // conditions of [[where(…)]] (base/condition.h)
    size_t where_count, where_capacity;
    kiln_argument_syntax_t *arguments; // of [[arguments(…)]]
    size_t argument_count, argument_capacity;
} kiln_function_syntax_t;

typedef struct kiln_unit {
    kiln_function_syntax_t **functions;
    size_t function_count;
    kiln_stmt_t **globals; // constexpr declarations, types and static_asserts, in order
    size_t global_count;
} kiln_unit_t;

// Deeper nesting of expressions or statements is an error, so that no stage overflows its stack.
#define KILN_NESTING_LIMIT 200

kiln_unit_t *kiln_parse(kiln_reporter_t *reporter, kiln_names_t *names, const kiln_token_t *tokens,
                        size_t count);

// The functions of the prelude (lex/prelude.h); NULL after an error, which would be a bug in Kiln.
kiln_unit_t *kiln_prelude_parse(kiln_arena_t *arena, kiln_names_t *names);

#endif
