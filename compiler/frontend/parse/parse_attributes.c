// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the attributes of a kernel: its grid, arguments and tuning declarations.
//
//     [[grid(cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N))]]
//     [[arguments(a = f16[M, K]:random:1, lda = K)]]
//     [[tune(BLOCK_M = 32..256*2, BLOCK_N = 64, 128, num_warps = 4, 8), where(BLOCK_M <= BLOCK_N)]]
//     kernel void gemm(…)
//
// Their expressions are in the language of loaders (base/expression.h) and not in Tile C's, so they
// are kept as text, without comments and line breaks. sema/check_grid.c, check_arguments.c and
// check_tune.c check it.
#include <string.h>

#include "base/number.h"
#include "frontend/parse/parser.h"

static bool is_word(char c)
{
    return kiln_is_alphanumeric(c) || c == '_';
}

static bool opens(kiln_token_kind_t kind)
{
    return kind == KILN_TOKEN_LEFT_PAREN || kind == KILN_TOKEN_LEFT_BRACKET;
}

static bool closes(kiln_token_kind_t kind)
{
    return kind == KILN_TOKEN_RIGHT_PAREN || kind == KILN_TOKEN_RIGHT_BRACKET;
}

// Whether a text of expressions ends here. The caller reports a missing separator.
static bool ends(const kiln_parser_t *parser, int depth, kiln_token_kind_t separator)
{
    const kiln_token_kind_t kind = kiln_parser_peek(parser)->kind;
    return kind == KILN_TOKEN_END || kind == KILN_TOKEN_LEFT_BRACE ||
           kind == KILN_TOKEN_SEMICOLON || (depth == 0 && (closes(kind) || kind == separator));
}

// The text of the tokens up to the matching parenthesis or, outside of further ones and of
// brackets, the separator.
static const char *take_text(kiln_parser_t *parser, kiln_token_kind_t separator,
                             kiln_span_t *out_span)
{
    const size_t first = parser->at;
    size_t size = 1;
    *out_span = kiln_parser_peek(parser)->span;
    for (int depth = 0; !ends(parser, depth, separator); parser->at++) {
        const kiln_token_t *token = kiln_parser_peek(parser);
        depth += opens(token->kind) - closes(token->kind);
        size += token->span.end - token->span.begin + 1;
        *out_span = kiln_span_join(*out_span, token->span);
    }
    char *text = kiln_arena_alloc(parser->arena, size), *to = text;
    for (size_t i = first; i < parser->at; i++) {
        const kiln_span_t span = parser->tokens[i].span;
        const char *from = parser->reporter->text + span.begin;
        if (to > text && is_word(to[-1]) && is_word(*from))
            *to++ = ' ';
        memcpy(to, from, span.end - span.begin);
        to += span.end - span.begin;
    }
    return text;
}

// X, Y, Z
static void parse_grid(kiln_parser_t *parser, kiln_function_syntax_t *function)
{
    const kiln_span_t at = parser->tokens[parser->at - 2].span; // grid (
    kiln_span_t span;
    if (function->grid)
        kiln_parser_fail(parser, at, "a kernel has one [[grid(…)]]");
    function->grid_at = at;
    function->grid = take_text(parser, KILN_TOKEN_END, &span);
}

static bool begins_assignment(const kiln_parser_t *parser)
{
    return kiln_parser_is(parser, KILN_TOKEN_NAME) &&
           kiln_parser_ahead(parser, 1) == KILN_TOKEN_ASSIGN;
}

// NAME = V1, V2, …
static void parse_axis(kiln_parser_t *parser, kiln_tune_syntax_t *axis)
{
    size_t capacity = 0;
    axis->name = kiln_parser_peek(parser)->name;
    axis->at = kiln_parser_peek(parser)->span;
    if (!begins_assignment(parser)) {
        kiln_parser_fail(parser, axis->at, "expected NAME = V1, V2, … in tune(…)");
        return;
    }
    parser->at += 2;
    do {
        kiln_text_syntax_t value;
        value.text = take_text(parser, KILN_TOKEN_COMMA, &value.span);
        if (!*value.text)
            kiln_parser_fail(parser, value.span, "expected a value of '%s'", axis->name);
        KILN_ARENA_PUSH(parser->arena, axis->values, axis->value_count, capacity, value);
        if (!kiln_parser_is(parser, KILN_TOKEN_COMMA))
            return;
        parser->at++;
    } while (!begins_assignment(parser) && !parser->panicking);
    parser->at--; // the comma before another axis
}

static void parse_tune(kiln_parser_t *parser, kiln_function_syntax_t *function)
{
    do {
        kiln_tune_syntax_t axis = {0};
        parse_axis(parser, &axis);
        KILN_ARENA_PUSH(parser->arena, function->tune, function->tune_count,
                        function->tune_capacity, axis);
    } while (!parser->panicking && kiln_parser_accept(parser, KILN_TOKEN_COMMA));
}

// A <= B
static void parse_where(kiln_parser_t *parser, kiln_function_syntax_t *function)
{
    kiln_text_syntax_t condition;
    condition.text = take_text(parser, KILN_TOKEN_END, &condition.span);
    KILN_ARENA_PUSH(parser->arena, function->where, function->where_count, function->where_capacity,
                    condition);
}

// NAME = VALUE, …
static void parse_arguments(kiln_parser_t *parser, kiln_function_syntax_t *function)
{
    do {
        kiln_argument_syntax_t argument = {.name = kiln_parser_peek(parser)->name,
                                           .at = kiln_parser_peek(parser)->span};
        if (!begins_assignment(parser)) {
            kiln_parser_fail(parser, argument.at, "expected NAME = VALUE, … in arguments(…)");
            return;
        }
        parser->at += 2;
        argument.value.text = take_text(parser, KILN_TOKEN_COMMA, &argument.value.span);
        if (!*argument.value.text)
            kiln_parser_fail(parser, argument.value.span, "expected a value of '%s'",
                             argument.name);
        KILN_ARENA_PUSH(parser->arena, function->arguments, function->argument_count,
                        function->argument_capacity, argument);
    } while (!parser->panicking && kiln_parser_accept(parser, KILN_TOKEN_COMMA));
}

typedef struct attribute {
    const char *name;
    void (*parse)(kiln_parser_t *parser, kiln_function_syntax_t *function);
    const char *before, *after; // of what a missing parenthesis is
} attribute_t;

static const attribute_t attributes[] = {
    {"grid", parse_grid, "after 'grid'", "after the grid"},
    {"arguments", parse_arguments, "after 'arguments'", "after the arguments"},
    {"tune", parse_tune, "after 'tune'", "after the values"},
    {"where", parse_where, "after 'where'", "after the condition"},
};

static void parse_attribute(kiln_parser_t *parser, kiln_function_syntax_t *function)
{
    const kiln_token_t *name = kiln_parser_peek(parser);
    if (!kiln_parser_expect(parser, KILN_TOKEN_NAME, "as an attribute"))
        return;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        const attribute_t *attribute = &attributes[i];
        if (strcmp(attribute->name, name->name) != 0)
            continue;
        if (!kiln_parser_expect(parser, KILN_TOKEN_LEFT_PAREN, attribute->before))
            return;
        attribute->parse(parser, function);
        kiln_parser_expect(parser, KILN_TOKEN_RIGHT_PAREN, attribute->after);
        return;
    }
    kiln_parser_fail(parser, name->span,
                     "unknown attribute '%s' of a kernel; expected grid(X, Y, Z), "
                     "arguments(NAME = VALUE, …), tune(NAME = V1, V2, …) or where(A <= B)",
                     name->name);
}

static bool at_attributes(const kiln_parser_t *parser)
{
    return kiln_parser_is(parser, KILN_TOKEN_LEFT_BRACKET) &&
           kiln_parser_ahead(parser, 1) == KILN_TOKEN_LEFT_BRACKET;
}

void kiln_parse_kernel_attributes(kiln_parser_t *parser, kiln_function_syntax_t *function)
{
    const char *first = NULL;
    while (at_attributes(parser) && !parser->panicking) {
        parser->at += 2;
        if (!first && kiln_parser_is(parser, KILN_TOKEN_NAME))
            first = kiln_parser_peek(parser)->name;
        do
            parse_attribute(parser, function);
        while (!parser->panicking && kiln_parser_accept(parser, KILN_TOKEN_COMMA));
        kiln_parser_expect(parser, KILN_TOKEN_RIGHT_BRACKET, "after the attribute");
        kiln_parser_expect(parser, KILN_TOKEN_RIGHT_BRACKET, "after the attribute");
    }
    if (first && !parser->panicking && !kiln_parser_is(parser, KILN_TOKEN_KERNEL) &&
        !kiln_parser_is(parser, KILN_TOKEN_STATIC) && !kiln_parser_is(parser, KILN_TOKEN_INLINE))
        kiln_parser_fail(parser, kiln_parser_peek(parser)->span,
                         "[[%s(…)]] is allowed only on kernels", first);
}
