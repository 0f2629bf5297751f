// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursive descent parser for declarations, statements and functions, with error recovery.
//
// After an error the parser panics: nothing more is reported until it resumes at the end of a
// statement or function. So each mistake gives one message, and later statements are still checked.
#include "frontend/parse/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

kiln_token_kind_t kiln_parser_ahead(const kiln_parser_t *parser, size_t distance)
{
    for (size_t i = 0; i < distance; i++)
        if (parser->tokens[parser->at + i].kind == KILN_TOKEN_END)
            return KILN_TOKEN_END;
    return parser->tokens[parser->at + distance].kind;
}

bool kiln_parser_accept(kiln_parser_t *parser, kiln_token_kind_t kind)
{
    if (!kiln_parser_is(parser, kind))
        return false;
    if (kind != KILN_TOKEN_END)
        parser->at++;
    return true;
}

kiln_span_t kiln_parser_previous(const kiln_parser_t *parser)
{
    return parser->tokens[parser->at ? parser->at - 1 : 0].span;
}

void kiln_parser_fail(kiln_parser_t *parser, kiln_span_t span, const char *format, ...)
{
    if (parser->panicking || parser->gave_up)
        return;
    parser->panicking = true;
    va_list arguments;
    va_start(arguments, format);
    const char *message = kiln_arena_vprint(parser->arena, format, arguments);
    va_end(arguments);
    KILN_REPORT_ERROR(parser->reporter, span, "%s", message);
}

bool kiln_parser_expect(kiln_parser_t *parser, kiln_token_kind_t kind, const char *where)
{
    if (parser->panicking)
        return false;
    if (kiln_parser_accept(parser, kind))
        return true;
    // If something is missing, the error is reported at the end of the previous token.
    kiln_span_t before = kiln_parser_previous(parser);
    const kiln_token_t *token = kiln_parser_peek(parser);
    const char *advice =
        token->kind == KILN_TOKEN_NAME ? kiln_foreign_word_advice(token->name) : NULL;
    if (advice)
        kiln_parser_fail(parser, token->span, "'%s' is not supported in Tile C; %s", token->name,
                         advice);
    else if (kind == KILN_TOKEN_SEMICOLON || kind == KILN_TOKEN_RIGHT_PAREN ||
             kind == KILN_TOKEN_RIGHT_BRACKET)
        kiln_parser_fail(parser, (kiln_span_t){before.end ? before.end - 1 : 0, before.end},
                         "expected %s %s", kiln_token_kind_name(kind), where);
    else if (kind == KILN_TOKEN_NAME) // a word that looks like one may be a type, as i1 is
        kiln_parser_fail(parser, token->span, "expected a name %s, got %s", where,
                         kiln_token_kind_name(token->kind));
    else
        kiln_parser_fail(parser, token->span, "expected %s %s", kiln_token_kind_name(kind), where);
    return false;
}

void kiln_parser_skip_braces(kiln_parser_t *parser)
{
    unsigned braces = 1;
    for (; braces && !kiln_parser_is(parser, KILN_TOKEN_END) &&
           !kiln_parser_is(parser, KILN_TOKEN_KERNEL);
         parser->at++) {
        braces += kiln_parser_is(parser, KILN_TOKEN_LEFT_BRACE);
        braces -= kiln_parser_is(parser, KILN_TOKEN_RIGHT_BRACE);
    }
}

bool kiln_parser_enter(kiln_parser_t *parser)
{
    if (parser->depth++ < KILN_NESTING_LIMIT)
        return true;
    kiln_parser_fail(parser, kiln_parser_peek(parser)->span, "nested more than %d levels deep",
                     KILN_NESTING_LIMIT);
    // Later errors would only repeat this one.
    while (!kiln_parser_is(parser, KILN_TOKEN_END))
        parser->at++;
    parser->gave_up = true;
    return false;
}

void kiln_parser_leave(kiln_parser_t *parser)
{
    parser->depth--;
}

// Statements --------------------------------------------------------------------------------------

static kiln_stmt_t *parse_statement(kiln_parser_t *parser);

static kiln_stmt_t *make(kiln_parser_t *parser, kiln_stmt_kind_t kind)
{
    kiln_stmt_t *stmt = KILN_ARENA_NEW(parser->arena, kiln_stmt_t);
    stmt->kind = kind;
    stmt->span = stmt->at = kiln_parser_peek(parser)->span;
    return stmt;
}

// Skips past the ';' or to the '}' that ends the statement, over balanced braces.
static void recover(kiln_parser_t *parser)
{
    unsigned braces = 0;
    parser->panicking = false;
    for (;; parser->at++) {
        kiln_token_kind_t kind = kiln_parser_peek(parser)->kind;
        if (kind == KILN_TOKEN_END || (kind == KILN_TOKEN_RIGHT_BRACE && !braces))
            return;
        if (kind == KILN_TOKEN_KERNEL && parser->at > 0)
            return; // a brace is missing: do not skip the next kernel
        if (kind == KILN_TOKEN_LEFT_BRACE)
            braces++;
        if (kind == KILN_TOKEN_RIGHT_BRACE && --braces == 0) {
            parser->at++;
            return;
        }
        if (kind == KILN_TOKEN_SEMICOLON && !braces) {
            parser->at++;
            return;
        }
    }
}

static kiln_stmt_t *parse_block(kiln_parser_t *parser)
{
    kiln_stmt_t *block = make(parser, KILN_STMT_BLOCK);
    size_t capacity = 0, type_names = parser->type_name_count;
    if (!kiln_parser_expect(parser, KILN_TOKEN_LEFT_BRACE, "to begin a block"))
        return block;
    while (!kiln_parser_is(parser, KILN_TOKEN_RIGHT_BRACE) &&
           !kiln_parser_is(parser, KILN_TOKEN_END) && !kiln_parser_is(parser, KILN_TOKEN_KERNEL)) {
        if (kiln_parser_accept(parser, KILN_TOKEN_SEMICOLON))
            continue;
        size_t before = parser->at;
        kiln_stmt_t *stmt = parse_statement(parser);
        KILN_ARENA_PUSH(parser->arena, block->list, block->count, capacity, stmt);
        if (parser->panicking)
            recover(parser);
        if (parser->at == before)
            parser->at++; // always make progress
    }
    if (!kiln_parser_accept(parser, KILN_TOKEN_RIGHT_BRACE)) {
        if (!parser->panicking && !parser->gave_up) {
            kiln_parser_fail(parser, kiln_parser_peek(parser)->span, "expected '}' at %s",
                             kiln_parser_is(parser, KILN_TOKEN_END) ? "end of file"
                                                                    : "end of function");
            KILN_REPORT_NOTE(parser->reporter, block->at, "to match this '{'");
        }
    }
    parser->type_name_count = type_names;
    block->span = kiln_span_join(block->span, kiln_parser_previous(parser));
    return block;
}

// The type has been parsed up to its element; one declarator with its initializer follows.
static kiln_stmt_t *parse_declarator(kiln_parser_t *parser, const kiln_type_syntax_t *base,
                                     bool is_constexpr)
{
    kiln_stmt_t *stmt = make(parser, KILN_STMT_DECLARE);
    stmt->is_constexpr = is_constexpr;
    stmt->type = KILN_ARENA_NEW(parser->arena, kiln_type_syntax_t);
    *stmt->type = *base;
    kiln_parse_pointer(parser, stmt->type);
    stmt->at = kiln_parser_peek(parser)->span;
    stmt->name = kiln_parser_peek(parser)->name;
    if (!kiln_parser_expect(parser, KILN_TOKEN_NAME, "in the declaration"))
        return stmt;
    if (kiln_parser_is(parser, KILN_TOKEN_LEFT_PAREN)) {
        kiln_parser_fail(parser, stmt->at, "functions cannot be nested");
        return stmt;
    }
    kiln_parser_declare(parser, stmt->name, false);
    kiln_parse_dims(parser, stmt->type);
    if (kiln_parser_accept(parser, KILN_TOKEN_ASSIGN))
        stmt->value = kiln_parse_initializer(parser);
    else if (is_constexpr)
        kiln_parser_fail(parser, stmt->at, "constant '%s' needs a value", stmt->name);
    stmt->span = kiln_span_join(stmt->type->span, kiln_parser_previous(parser));
    return stmt;
}

static kiln_stmt_t *parse_declaration(kiln_parser_t *parser)
{
    bool is_constexpr = kiln_parser_accept(parser, KILN_TOKEN_CONSTEXPR);
    if (is_constexpr && kiln_parser_is(parser, KILN_TOKEN_TYPE)) {
        kiln_parser_fail(parser, kiln_parser_peek(parser)->span,
                         "'constexpr type' is allowed only for parameters of functions");
        return make(parser, KILN_STMT_GROUP);
    }
    kiln_type_syntax_t *base;
    kiln_stmt_t *definition = NULL;
    if (kiln_parser_at_definition(parser))
        definition = kiln_parse_definition(parser, &base);
    else
        base = kiln_parse_base_type(parser);
    if (definition &&
        (parser->panicking || (!is_constexpr && kiln_parser_accept(parser, KILN_TOKEN_SEMICOLON))))
        return definition;
    kiln_stmt_t *stmt = parse_declarator(parser, base, is_constexpr);
    if (definition || (kiln_parser_is(parser, KILN_TOKEN_COMMA) && !parser->panicking)) {
        kiln_stmt_t *group = make(parser, KILN_STMT_GROUP);
        size_t capacity = 0;
        if (definition)
            KILN_ARENA_PUSH(parser->arena, group->list, group->count, capacity, definition);
        KILN_ARENA_PUSH(parser->arena, group->list, group->count, capacity, stmt);
        while (!parser->panicking && kiln_parser_accept(parser, KILN_TOKEN_COMMA)) {
            stmt = parse_declarator(parser, base, is_constexpr);
            KILN_ARENA_PUSH(parser->arena, group->list, group->count, capacity, stmt);
        }
        stmt = group;
    }
    kiln_parser_expect(parser, KILN_TOKEN_SEMICOLON, "after the declaration");
    return stmt;
}

static bool at_declaration(const kiln_parser_t *parser)
{
    if (kiln_parser_is(parser, KILN_TOKEN_CONSTEXPR) || kiln_parser_at_type(parser))
        return true;
    // 'int x', 'f23 x': reported as an unknown type rather than as a missing semicolon.
    kiln_token_kind_t next = kiln_parser_ahead(parser, 1);
    return (kiln_parser_is(parser, KILN_TOKEN_NAME) && next == KILN_TOKEN_NAME) ||
           (kiln_parser_foreign_advice(parser) && next == KILN_TOKEN_STAR);
}

static kiln_expr_t *parse_condition(kiln_parser_t *parser, const char *after)
{
    char where[32];
    snprintf(where, sizeof where, "after '%s'", after);
    kiln_parser_expect(parser, KILN_TOKEN_LEFT_PAREN, where);
    kiln_expr_t *condition = parser->panicking ? NULL : kiln_parse_expression(parser);
    kiln_parser_expect(parser, KILN_TOKEN_RIGHT_PAREN, "after the condition");
    return condition;
}

static kiln_stmt_t *parse_if(kiln_parser_t *parser)
{
    kiln_stmt_t *stmt = make(parser, KILN_STMT_IF);
    parser->at++;
    stmt->is_constexpr = kiln_parser_accept(parser, KILN_TOKEN_CONSTEXPR);
    stmt->condition = parse_condition(parser, "if");
    if (!parser->panicking)
        stmt->body = parse_statement(parser);
    if (!parser->panicking && kiln_parser_accept(parser, KILN_TOKEN_ELSE))
        stmt->otherwise = parse_statement(parser);
    return stmt;
}

static kiln_stmt_t *parse_for(kiln_parser_t *parser)
{
    kiln_stmt_t *stmt = make(parser, KILN_STMT_FOR);
    parser->at++;
    kiln_parser_expect(parser, KILN_TOKEN_LEFT_PAREN, "after 'for'");
    if (parser->panicking)
        return stmt;
    if (at_declaration(parser)) {
        stmt->init = parse_declaration(parser);
    } else if (!kiln_parser_accept(parser, KILN_TOKEN_SEMICOLON)) {
        stmt->init = make(parser, KILN_STMT_EXPR);
        stmt->init->value = kiln_parse_expression(parser);
        kiln_parser_expect(parser, KILN_TOKEN_SEMICOLON, "in 'for'");
    }
    if (!parser->panicking && !kiln_parser_is(parser, KILN_TOKEN_SEMICOLON))
        stmt->condition = kiln_parse_expression(parser);
    kiln_parser_expect(parser, KILN_TOKEN_SEMICOLON, "after the condition of 'for'");
    if (!parser->panicking && !kiln_parser_is(parser, KILN_TOKEN_RIGHT_PAREN))
        stmt->step = kiln_parse_expression(parser);
    kiln_parser_expect(parser, KILN_TOKEN_RIGHT_PAREN, "after 'for'");
    if (!parser->panicking)
        stmt->body = parse_statement(parser);
    return stmt;
}

static kiln_stmt_t *parse_while(kiln_parser_t *parser)
{
    kiln_stmt_t *stmt = make(parser, KILN_STMT_WHILE);
    parser->at++;
    stmt->condition = parse_condition(parser, "while");
    if (!parser->panicking)
        stmt->body = parse_statement(parser);
    return stmt;
}

static kiln_stmt_t *parse_do(kiln_parser_t *parser)
{
    kiln_stmt_t *stmt = make(parser, KILN_STMT_DO);
    parser->at++;
    stmt->body = parse_statement(parser);
    kiln_parser_expect(parser, KILN_TOKEN_WHILE, "after the body of 'do'");
    if (!parser->panicking)
        stmt->condition = parse_condition(parser, "while");
    kiln_parser_expect(parser, KILN_TOKEN_SEMICOLON, "after 'do … while'");
    return stmt;
}

static kiln_stmt_t *parse_static_assert(kiln_parser_t *parser)
{
    kiln_stmt_t *stmt = make(parser, KILN_STMT_STATIC_ASSERT);
    parser->at++;
    kiln_parser_expect(parser, KILN_TOKEN_LEFT_PAREN, "after 'static_assert'");
    if (!parser->panicking)
        stmt->value = kiln_parse_assignment(parser);
    if (!parser->panicking && kiln_parser_accept(parser, KILN_TOKEN_COMMA)) {
        stmt->name = kiln_parser_peek(parser)->name;
        kiln_parser_expect(parser, KILN_TOKEN_STRING, "as the message");
    }
    kiln_parser_expect(parser, KILN_TOKEN_RIGHT_PAREN, "after 'static_assert'");
    kiln_parser_expect(parser, KILN_TOKEN_SEMICOLON, "after 'static_assert'");
    return stmt;
}

// [[num_stages(2), unroll(4)]] for …
static kiln_stmt_t *parse_attributed(kiln_parser_t *parser)
{
    kiln_attribute_syntax_t *attributes = NULL;
    size_t count = 0, capacity = 0;
    parser->at += 2;
    do {
        const kiln_token_t *token = kiln_parser_peek(parser);
        kiln_attribute_syntax_t attribute = {.name = token->name, .span = token->span};
        if (!kiln_parser_expect(parser, KILN_TOKEN_NAME, "as an attribute"))
            break;
        if (kiln_parser_accept(parser, KILN_TOKEN_LEFT_PAREN)) {
            attribute.value = kiln_parse_assignment(parser);
            kiln_parser_expect(parser, KILN_TOKEN_RIGHT_PAREN, "after the attribute's value");
        }
        KILN_ARENA_PUSH(parser->arena, attributes, count, capacity, attribute);
    } while (!parser->panicking && kiln_parser_accept(parser, KILN_TOKEN_COMMA));
    kiln_parser_expect(parser, KILN_TOKEN_RIGHT_BRACKET, "after the attributes");
    kiln_parser_expect(parser, KILN_TOKEN_RIGHT_BRACKET, "after the attributes");
    if (!parser->panicking && !kiln_parser_is(parser, KILN_TOKEN_FOR) &&
        !kiln_parser_is(parser, KILN_TOKEN_WHILE) && !kiln_parser_is(parser, KILN_TOKEN_DO))
        kiln_parser_fail(parser, kiln_parser_peek(parser)->span,
                         "attributes are allowed only on loops");
    kiln_stmt_t *stmt = parser->panicking ? make(parser, KILN_STMT_GROUP) : parse_statement(parser);
    stmt->attributes = attributes;
    stmt->attribute_count = count;
    return stmt;
}

static kiln_stmt_t *parse_jump(kiln_parser_t *parser, kiln_stmt_kind_t kind)
{
    kiln_stmt_t *stmt = make(parser, kind);
    parser->at++;
    if (kind == KILN_STMT_RETURN && !kiln_parser_is(parser, KILN_TOKEN_SEMICOLON))
        stmt->value = kiln_parse_expression(parser);
    kiln_parser_expect(parser, KILN_TOKEN_SEMICOLON, "at the end of the statement");
    return stmt;
}

static kiln_stmt_t *parse_statement_level(kiln_parser_t *parser)
{
    switch (kiln_parser_peek(parser)->kind) {
    case KILN_TOKEN_LEFT_BRACE:
        return parse_block(parser);
    case KILN_TOKEN_IF:
        return parse_if(parser);
    case KILN_TOKEN_FOR:
        return parse_for(parser);
    case KILN_TOKEN_WHILE:
        return parse_while(parser);
    case KILN_TOKEN_DO:
        return parse_do(parser);
    case KILN_TOKEN_BREAK:
        return parse_jump(parser, KILN_STMT_BREAK);
    case KILN_TOKEN_CONTINUE:
        return parse_jump(parser, KILN_STMT_CONTINUE);
    case KILN_TOKEN_RETURN:
        return parse_jump(parser, KILN_STMT_RETURN);
    case KILN_TOKEN_STATIC_ASSERT:
        return parse_static_assert(parser);
    case KILN_TOKEN_TYPEDEF:
        return kiln_parse_typedef(parser);
    case KILN_TOKEN_SEMICOLON:
        parser->at++;
        return make(parser, KILN_STMT_GROUP);
    case KILN_TOKEN_LEFT_BRACKET:
        if (kiln_parser_ahead(parser, 1) == KILN_TOKEN_LEFT_BRACKET)
            return parse_attributed(parser);
        break;
    default:
        break;
    }
    if (at_declaration(parser))
        return parse_declaration(parser);
    if (kiln_parser_foreign_advice(parser) && kiln_parser_ahead(parser, 1) != KILN_TOKEN_ASSIGN) {
        const kiln_token_t *token = kiln_parser_peek(parser);
        kiln_parser_fail(parser, token->span, "'%s' is not supported in Tile C; %s", token->name,
                         kiln_parser_foreign_advice(parser));
        return make(parser, KILN_STMT_GROUP);
    }
    kiln_stmt_t *stmt = make(parser, KILN_STMT_EXPR);
    stmt->value = kiln_parse_expression(parser);
    kiln_parser_expect(parser, KILN_TOKEN_SEMICOLON, "at the end of the statement");
    return stmt;
}

static kiln_stmt_t *parse_statement(kiln_parser_t *parser)
{
    kiln_stmt_t *stmt =
        kiln_parser_enter(parser) ? parse_statement_level(parser) : make(parser, KILN_STMT_GROUP);
    kiln_parser_leave(parser);
    stmt->span = kiln_span_join(stmt->span, kiln_parser_previous(parser));
    return stmt;
}

// Functions ---------------------------------------------------------------------------------------

static kiln_parameter_syntax_t parse_parameter(kiln_parser_t *parser)
{
    kiln_parameter_syntax_t parameter = {0};
    parameter.is_constexpr = kiln_parser_accept(parser, KILN_TOKEN_CONSTEXPR);
    if (kiln_parser_is(parser, KILN_TOKEN_TYPE)) {
        if (!parameter.is_constexpr)
            kiln_parser_fail(parser, kiln_parser_peek(parser)->span,
                             "a type parameter must be declared 'constexpr type'");
        parameter.is_type = true;
        parser->at++;
    } else {
        parameter.type = kiln_parse_base_type(parser);
        kiln_parse_pointer(parser, parameter.type);
    }
    parameter.at = kiln_parser_peek(parser)->span;
    parameter.name = kiln_parser_peek(parser)->name;
    kiln_parser_expect(parser, KILN_TOKEN_NAME, "as the parameter's name");
    if (!parser->panicking)
        kiln_parser_declare(parser, parameter.name, parameter.is_type);
    if (!parser->panicking && !parameter.is_type)
        kiln_parse_dims(parser, parameter.type);
    if (!parser->panicking && kiln_parser_is(parser, KILN_TOKEN_ASSIGN)) {
        if (!parameter.is_constexpr)
            kiln_parser_fail(parser, kiln_parser_peek(parser)->span,
                             "only a constexpr parameter can have a default");
        parser->at++;
        parameter.value = kiln_parse_assignment(parser);
    }
    return parameter;
}

static kiln_function_syntax_t *parse_function(kiln_parser_t *parser)
{
    kiln_function_syntax_t *function = KILN_ARENA_NEW(parser->arena, kiln_function_syntax_t);
    kiln_parse_kernel_attributes(parser, function);
    if (parser->panicking)
        return NULL;
    for (;;) {
        if (kiln_parser_accept(parser, KILN_TOKEN_KERNEL))
            function->is_kernel = true;
        else if (!kiln_parser_accept(parser, KILN_TOKEN_STATIC) &&
                 !kiln_parser_accept(parser, KILN_TOKEN_INLINE))
            break;
    }
    function->result = kiln_parse_base_type(parser);
    kiln_parse_pointer(parser, function->result);
    kiln_parse_dims(parser, function->result);
    function->at = kiln_parser_peek(parser)->span;
    function->name = kiln_parser_peek(parser)->name;
    kiln_parser_expect(parser, KILN_TOKEN_NAME, "as the function's name");
    kiln_parser_expect(parser, KILN_TOKEN_LEFT_PAREN, "after the function's name");
    if (parser->panicking)
        return NULL;
    size_t capacity = 0;
    if (kiln_parser_is(parser, KILN_TOKEN_VOID) &&
        kiln_parser_ahead(parser, 1) == KILN_TOKEN_RIGHT_PAREN)
        parser->at++;
    if (!kiln_parser_is(parser, KILN_TOKEN_RIGHT_PAREN)) {
        do {
            kiln_parameter_syntax_t parameter = parse_parameter(parser);
            KILN_ARENA_PUSH(parser->arena, function->parameters, function->parameter_count,
                            capacity, parameter);
        } while (!parser->panicking && kiln_parser_accept(parser, KILN_TOKEN_COMMA));
    }
    kiln_parser_expect(parser, KILN_TOKEN_RIGHT_PAREN, "after the parameters");
    if (parser->panicking)
        return NULL;
    function->body = parse_block(parser);
    return function;
}

// After an error outside a function's body: skips to the next function or constant.
static void recover_top_level(kiln_parser_t *parser)
{
    unsigned braces = 0;
    parser->panicking = false;
    for (;; parser->at++) {
        kiln_token_kind_t kind = kiln_parser_peek(parser)->kind;
        if (kind == KILN_TOKEN_END || (kind == KILN_TOKEN_KERNEL && parser->at))
            return;
        if (kind == KILN_TOKEN_LEFT_BRACE)
            braces++;
        if ((kind == KILN_TOKEN_RIGHT_BRACE && (!braces || --braces == 0)) ||
            (kind == KILN_TOKEN_SEMICOLON && !braces)) {
            parser->at++;
            return;
        }
    }
}

// Parses a file-scope item other than a function; returns NULL where a function begins.
static kiln_stmt_t *parse_global(kiln_parser_t *parser)
{
    if (kiln_parser_is(parser, KILN_TOKEN_STATIC_ASSERT))
        return parse_static_assert(parser);
    if (kiln_parser_is(parser, KILN_TOKEN_TYPEDEF))
        return kiln_parse_typedef(parser);
    if (kiln_parser_is(parser, KILN_TOKEN_CONSTEXPR))
        return parse_declaration(parser);
    if (!kiln_parser_at_definition(parser))
        return NULL;
    kiln_type_syntax_t *type;
    kiln_stmt_t *definition = kiln_parse_definition(parser, &type);
    if (kiln_parser_is(parser, KILN_TOKEN_NAME))
        kiln_parser_fail(parser, kiln_parser_peek(parser)->span,
                         "a variable at file scope must be constexpr and cannot be a struct");
    bool was_panicking = parser->panicking;
    if (!kiln_parser_expect(parser, KILN_TOKEN_SEMICOLON, "after the definition") && !was_panicking)
        parser->panicking = false; // the next token begins another declaration
    return definition;
}

kiln_unit_t *kiln_parse(kiln_reporter_t *reporter, kiln_names_t *names, const kiln_token_t *tokens,
                        size_t count)
{
    (void)count; // the last token is END, and nothing reads past it
    kiln_parser_t parser = {
        .reporter = reporter, .names = names, .arena = reporter->arena, .tokens = tokens};
    kiln_unit_t *unit = KILN_ARENA_NEW(reporter->arena, kiln_unit_t);
    size_t function_capacity = 0, global_capacity = 0;
    while (!kiln_parser_is(&parser, KILN_TOKEN_END)) {
        size_t before = parser.at;
        if (kiln_parser_accept(&parser, KILN_TOKEN_SEMICOLON))
            continue;
        kiln_stmt_t *global = parse_global(&parser);
        if (global) {
            KILN_ARENA_PUSH(reporter->arena, unit->globals, unit->global_count, global_capacity,
                            global);
        } else {
            size_t type_names = parser.type_name_count;
            kiln_function_syntax_t *function = parse_function(&parser);
            parser.type_name_count = type_names; // a type parameter is visible only in its function
            if (function)
                KILN_ARENA_PUSH(reporter->arena, unit->functions, unit->function_count,
                                function_capacity, function);
        }
        if (parser.panicking) {
            if (parser.at == before)
                parser.at++;
            recover_top_level(&parser);
        }
    }
    return unit;
}
