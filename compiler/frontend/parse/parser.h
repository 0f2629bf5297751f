// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared declarations of the parser: parser.c (functions, statements), parse_attributes.c,
// parse_type.c, parse_expr.c.
//
// A parse function that fails has reported an error and left `panicking` set; it still returns a
// tree (or NULL for a missing expression), and the statement level skips to a point where it can
// continue.
#ifndef KILN_FRONTEND_PARSER_H
#define KILN_FRONTEND_PARSER_H

#include "frontend/parse/ast.h"

// A name that is a type in some scope, or that hides one.
typedef struct kiln_type_name {
    const char *name;
    bool is_type;
} kiln_type_name_t;

typedef struct kiln_parser {
    kiln_reporter_t *reporter;
    kiln_names_t *names;
    kiln_arena_t *arena;
    const kiln_token_t *tokens;
    size_t at;
    unsigned depth;
    bool panicking;               // an error was reported and the parser has not recovered yet
    bool gave_up;                 // and will not: the rest has been skipped
    kiln_type_name_t *type_names; // in scope, innermost last; a scope ends by resetting the count
    size_t type_name_count, type_name_capacity;
} kiln_parser_t;

static inline const kiln_token_t *kiln_parser_peek(const kiln_parser_t *parser)
{
    return &parser->tokens[parser->at];
}

static inline bool kiln_parser_is(const kiln_parser_t *parser, kiln_token_kind_t kind)
{
    return kiln_parser_peek(parser)->kind == kind;
}

// END past the end.
kiln_token_kind_t kiln_parser_ahead(const kiln_parser_t *parser, size_t distance);
bool kiln_parser_accept(kiln_parser_t *parser, kiln_token_kind_t kind);
// Reports once per panic.
bool kiln_parser_expect(kiln_parser_t *parser, kiln_token_kind_t kind, const char *where);
void kiln_parser_fail(kiln_parser_t *parser, kiln_span_t span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
kiln_span_t kiln_parser_previous(const kiln_parser_t *parser); // the span of the previous token

// After an error between braces: skips past the closing '}', so that it does not end anything else.
void kiln_parser_skip_braces(kiln_parser_t *parser);

// Guards one level of nesting: kiln_parser_enter reports and returns false beyond
// KILN_NESTING_LIMIT; each successful enter needs a leave.
bool kiln_parser_enter(kiln_parser_t *parser);
void kiln_parser_leave(kiln_parser_t *parser);

bool kiln_parser_at_type(const kiln_parser_t *parser);           // whether a type begins here
kiln_type_syntax_t *kiln_parse_base_type(kiln_parser_t *parser); // `const f16`, without '*'
// Parses '*' and qualifiers, if any.
void kiln_parse_pointer(kiln_parser_t *parser, kiln_type_syntax_t *type);
void kiln_parse_dims(kiln_parser_t *parser, kiln_type_syntax_t *type); // '[n]'s, if any
// Records that a name becomes a type, or stops being one.
void kiln_parser_declare(kiln_parser_t *parser, const char *name, bool is_type);
// Returns NULL unless the token is a word of C that Tile C lacks.
const char *kiln_parser_foreign_advice(const kiln_parser_t *parser);

// Parses `struct pair {…}` or `enum {…}` where kiln_parser_at_definition returns true. *out_type is
// the type that was defined.
bool kiln_parser_at_definition(const kiln_parser_t *parser);
kiln_stmt_t *kiln_parse_definition(kiln_parser_t *parser, kiln_type_syntax_t **out_type);
kiln_stmt_t *kiln_parse_typedef(kiln_parser_t *parser);

// Parses the [[…]] before a kernel, if any.
void kiln_parse_kernel_attributes(kiln_parser_t *parser, kiln_function_syntax_t *function);

kiln_expr_t *kiln_parse_expression(kiln_parser_t *parser);  // including the comma operator
kiln_expr_t *kiln_parse_assignment(kiln_parser_t *parser);  // excluding it
kiln_expr_t *kiln_parse_initializer(kiln_parser_t *parser); // the same, or a list in braces

#endif
