// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parser's files share: parser.c (functions, statements), parse_type.c, parse_expr.c.
//
// A parse function that fails has reported an error and left `panicking` set; it still returns a tree (or NULL for a
// missing expression), and the statement level skips to where it can go on.
#ifndef KILN_FRONTEND_PARSER_H
#define KILN_FRONTEND_PARSER_H

#include "ast.h"

// A name that is a type in some scope, or hides one that is.
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
    bool panicking;               // an error was reported and the parser has not found its feet yet
    bool gave_up;                 // and won't: the rest has been skipped
    kiln_type_name_t *type_names; // in scope, the innermost last; a scope ends by setting the count back
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

kiln_token_kind_t kiln_parser_ahead(const kiln_parser_t *parser, size_t distance); // END beyond the end
bool kiln_parser_accept(kiln_parser_t *parser, kiln_token_kind_t kind);
bool kiln_parser_expect(kiln_parser_t *parser, kiln_token_kind_t kind, const char *where); // reports once per panic
void kiln_parser_fail(kiln_parser_t *parser, kiln_span_t span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
kiln_span_t kiln_parser_previous(const kiln_parser_t *parser); // the span of the token before

// After an error between braces: to behind the '}' that closes them, so that it ends nothing else.
void kiln_parser_skip_braces(kiln_parser_t *parser);

// Guards one level of nesting: kiln_parser_enter reports and returns false beyond KILN_NESTING_LIMIT; every enter has
// its leave.
bool kiln_parser_enter(kiln_parser_t *parser);
void kiln_parser_leave(kiln_parser_t *parser);

bool kiln_parser_at_type(const kiln_parser_t *parser);                    // does a type begin here?
kiln_type_syntax_t *kiln_parse_base_type(kiln_parser_t *parser);          // `const f16`, without '*'
void kiln_parse_pointer(kiln_parser_t *parser, kiln_type_syntax_t *type); // '*' and qualifiers, if any
void kiln_parse_dims(kiln_parser_t *parser, kiln_type_syntax_t *type);    // '[n]'s, if any
void kiln_parser_declare(kiln_parser_t *parser, const char *name,
                         bool is_type); // a name begins to be, or not to be, a type
const char *
kiln_parser_foreign_advice(const kiln_parser_t *parser); // NULL unless here is a word of C that is none of Tile C

// `struct pair {…}` or `enum {…}`, where kiln_parser_at_definition says that one stands here. The type is the one that
// was defined.
bool kiln_parser_at_definition(const kiln_parser_t *parser);
kiln_stmt_t *kiln_parse_definition(kiln_parser_t *parser, kiln_type_syntax_t **out_type);
kiln_stmt_t *kiln_parse_typedef(kiln_parser_t *parser);

kiln_expr_t *kiln_parse_expression(kiln_parser_t *parser);  // with commas
kiln_expr_t *kiln_parse_assignment(kiln_parser_t *parser);  // without
kiln_expr_t *kiln_parse_initializer(kiln_parser_t *parser); // the same, or a list in braces

#endif
