// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses types and definitions: struct, enum and typedef.
//
// As in C, parsing depends on whether a name is a type, so the parser tracks the scopes of such
// names: a typedef or type parameter hides a variable's name and vice versa. Tags are exempt, as
// they follow the keyword.
#include "frontend/parse/parser.h"

#include <stdio.h>
#include <string.h>

// Names of types ----------------------------------------------------------------------------------

static bool is_type_name(const kiln_parser_t *parser, const char *name)
{
    for (size_t i = parser->type_name_count; i > 0; i--)
        if (parser->type_names[i - 1].name == name)
            return parser->type_names[i - 1].is_type;
    return false;
}

void kiln_parser_declare(kiln_parser_t *parser, const char *name, bool is_type)
{
    if (!is_type && !is_type_name(parser, name))
        return; // nothing to hide
    kiln_type_name_t entry = {name, is_type};
    KILN_ARENA_PUSH(parser->arena, parser->type_names, parser->type_name_count,
                    parser->type_name_capacity, entry);
}

bool kiln_parser_at_type(const kiln_parser_t *parser)
{
    const kiln_token_t *token = kiln_parser_peek(parser);
    return token->kind == KILN_TOKEN_SCALAR || token->kind == KILN_TOKEN_CONST ||
           token->kind == KILN_TOKEN_AUTO || token->kind == KILN_TOKEN_VOID ||
           token->kind == KILN_TOKEN_STRUCT || token->kind == KILN_TOKEN_ENUM ||
           (token->kind == KILN_TOKEN_NAME && is_type_name(parser, token->name));
}

const char *kiln_parser_foreign_advice(const kiln_parser_t *parser)
{
    const kiln_token_t *token = kiln_parser_peek(parser);
    return token->kind == KILN_TOKEN_NAME && !is_type_name(parser, token->name)
               ? kiln_foreign_word_advice(token->name)
               : NULL;
}

// Types -------------------------------------------------------------------------------------------

static const char *tag_name(kiln_parser_t *parser, kiln_token_kind_t word, const char *tag)
{
    const char *name = kiln_arena_print(parser->arena, "%s %s",
                                        word == KILN_TOKEN_STRUCT ? "struct" : "enum", tag);
    return kiln_names_intern(parser->names, name, strlen(name));
}

// `struct pair`, `enum color`
static void parse_tag(kiln_parser_t *parser, kiln_type_syntax_t *type)
{
    const kiln_token_t *word = kiln_parser_peek(parser), *tag = &parser->tokens[parser->at + 1];
    if (kiln_parser_at_definition(parser)) {
        kiln_parser_fail(parser, word->span,
                         "a %s cannot be defined here; define it at file scope or in a block",
                         word->kind == KILN_TOKEN_STRUCT ? "struct" : "enum");
        while (!kiln_parser_accept(parser, KILN_TOKEN_LEFT_BRACE))
            parser->at++;
        kiln_parser_skip_braces(parser);
    } else if (tag->kind != KILN_TOKEN_NAME) {
        parser->at++;
        kiln_parser_expect(parser, KILN_TOKEN_NAME,
                           word->kind == KILN_TOKEN_STRUCT ? "after 'struct'" : "after 'enum'");
    } else {
        type->name = tag_name(parser, word->kind, tag->name);
        parser->at++;
    }
}

// The element types and the names of visible types.
static kiln_advice_t advise_type(const kiln_parser_t *parser, const char *name)
{
    kiln_suggestion_t near = kiln_suggestion(name);
    for (size_t i = 0; i < parser->type_name_count; i++)
        if (parser->type_names[i].is_type)
            kiln_suggestion_consider(&near, parser->type_names[i].name);
    return near.best ? kiln_suggestion_advice(&near) : kiln_scalar_advice(name);
}

kiln_type_syntax_t *kiln_parse_base_type(kiln_parser_t *parser)
{
    kiln_type_syntax_t *type = KILN_ARENA_NEW(parser->arena, kiln_type_syntax_t);
    type->span = kiln_parser_peek(parser)->span;
    while (kiln_parser_accept(parser, KILN_TOKEN_CONST))
        type->is_const = true;
    const kiln_token_t *token = kiln_parser_peek(parser);
    if (token->kind == KILN_TOKEN_SCALAR)
        type->scalar = token->scalar;
    else if (token->kind == KILN_TOKEN_VOID)
        type->scalar = KILN_SCALAR_VOID;
    else if (token->kind == KILN_TOKEN_AUTO)
        type->is_auto = true;
    else if (token->kind == KILN_TOKEN_STRUCT || token->kind == KILN_TOKEN_ENUM)
        parse_tag(parser, type);
    else if (token->kind == KILN_TOKEN_NAME && is_type_name(parser, token->name))
        type->name = token->name;
    else if (kiln_parser_foreign_advice(parser))
        kiln_parser_fail(parser, token->span, "'%s' is not supported in Tile C; %s", token->name,
                         kiln_parser_foreign_advice(parser));
    else if (token->kind == KILN_TOKEN_NAME)
        kiln_parser_fail(parser, token->span, "unknown type '%s'%s", token->name,
                         advise_type(parser, token->name).text);
    else
        kiln_parser_fail(parser, token->span, "expected a type before %s",
                         kiln_token_kind_name(token->kind));
    if (parser->panicking)
        return type;
    parser->at++;
    while (kiln_parser_accept(parser, KILN_TOKEN_CONST))
        type->is_const = true;
    type->span = kiln_span_join(type->span, kiln_parser_previous(parser));
    return type;
}

void kiln_parse_pointer(kiln_parser_t *parser, kiln_type_syntax_t *type)
{
    if (!kiln_parser_accept(parser, KILN_TOKEN_STAR))
        return;
    type->is_pointer = true;
    while (kiln_parser_accept(parser, KILN_TOKEN_RESTRICT) ||
           kiln_parser_accept(parser, KILN_TOKEN_CONST))
        ;
    if (kiln_parser_is(parser, KILN_TOKEN_STAR))
        kiln_parser_fail(parser, kiln_parser_peek(parser)->span,
                         "a pointer to a pointer is not supported");
    type->span = kiln_span_join(type->span, kiln_parser_previous(parser));
}

void kiln_parse_dims(kiln_parser_t *parser, kiln_type_syntax_t *type)
{
    size_t capacity = 0;
    while (!parser->panicking && kiln_parser_accept(parser, KILN_TOKEN_LEFT_BRACKET)) {
        kiln_expr_t *dim = NULL;
        if (!kiln_parser_is(parser, KILN_TOKEN_RIGHT_BRACKET))
            dim = kiln_parse_assignment(parser);
        kiln_parser_expect(parser, KILN_TOKEN_RIGHT_BRACKET, "after the size");
        KILN_ARENA_PUSH(parser->arena, type->dims, type->dim_count, capacity, dim);
    }
}

// Definitions -------------------------------------------------------------------------------------

static kiln_stmt_t *make(kiln_parser_t *parser, kiln_stmt_kind_t kind)
{
    kiln_stmt_t *stmt = KILN_ARENA_NEW(parser->arena, kiln_stmt_t);
    stmt->kind = kind;
    stmt->span = stmt->at = kiln_parser_peek(parser)->span;
    return stmt;
}

// The declarator of a type definition: "*p[64]" of "f16 *p[64]".
static kiln_stmt_t *parse_name_of_type(kiln_parser_t *parser, kiln_stmt_kind_t kind,
                                       const kiln_type_syntax_t *base, const char *where)
{
    kiln_stmt_t *stmt = make(parser, kind);
    stmt->type = KILN_ARENA_NEW(parser->arena, kiln_type_syntax_t);
    *stmt->type = *base;
    kiln_parse_pointer(parser, stmt->type);
    stmt->at = kiln_parser_peek(parser)->span;
    stmt->name = kiln_parser_peek(parser)->name;
    if (kiln_parser_expect(parser, KILN_TOKEN_NAME, where))
        kiln_parse_dims(parser, stmt->type);
    stmt->span = kiln_span_join(stmt->type->span, kiln_parser_previous(parser));
    return stmt;
}

static void parse_members(kiln_parser_t *parser, kiln_stmt_t *definition)
{
    size_t capacity = 0;
    while (!parser->panicking && !kiln_parser_is(parser, KILN_TOKEN_RIGHT_BRACE)) {
        if (kiln_parser_accept(parser, KILN_TOKEN_SEMICOLON))
            continue;
        const kiln_type_syntax_t *base = kiln_parse_base_type(parser);
        do {
            kiln_stmt_t *member =
                parser->panicking
                    ? NULL
                    : parse_name_of_type(parser, KILN_STMT_DECLARE, base, "as a member's name");
            if (member)
                KILN_ARENA_PUSH(parser->arena, definition->list, definition->count, capacity,
                                member);
        } while (!parser->panicking && kiln_parser_accept(parser, KILN_TOKEN_COMMA));
        if (kiln_parser_is(parser, KILN_TOKEN_ASSIGN))
            kiln_parser_fail(
                parser, kiln_parser_peek(parser)->span,
                "a member cannot have an initial value; initialize variables of the struct");
        kiln_parser_expect(parser, KILN_TOKEN_SEMICOLON, "after the member");
    }
}

static void parse_enumerators(kiln_parser_t *parser, kiln_stmt_t *definition)
{
    size_t capacity = 0;
    while (!parser->panicking && !kiln_parser_is(parser, KILN_TOKEN_RIGHT_BRACE)) {
        kiln_stmt_t *constant = make(parser, KILN_STMT_DECLARE);
        constant->name = kiln_parser_peek(parser)->name;
        if (!kiln_parser_expect(parser, KILN_TOKEN_NAME, "as a constant of the enum"))
            return;
        kiln_parser_declare(parser, constant->name, false);
        if (kiln_parser_accept(parser, KILN_TOKEN_ASSIGN))
            constant->value = kiln_parse_assignment(parser);
        KILN_ARENA_PUSH(parser->arena, definition->list, definition->count, capacity, constant);
        if (!kiln_parser_accept(parser, KILN_TOKEN_COMMA))
            break;
    }
}

bool kiln_parser_at_definition(const kiln_parser_t *parser)
{
    if (!kiln_parser_is(parser, KILN_TOKEN_STRUCT) && !kiln_parser_is(parser, KILN_TOKEN_ENUM))
        return false;
    size_t tag = kiln_parser_ahead(parser, 1) == KILN_TOKEN_NAME ? 1 : 0;
    return kiln_parser_ahead(parser, 1 + tag) == KILN_TOKEN_LEFT_BRACE;
}

kiln_stmt_t *kiln_parse_definition(kiln_parser_t *parser, kiln_type_syntax_t **out_type)
{
    kiln_token_kind_t word = kiln_parser_peek(parser)->kind;
    kiln_stmt_t *definition =
        make(parser, word == KILN_TOKEN_STRUCT ? KILN_STMT_STRUCT : KILN_STMT_ENUM);
    char made_up[32];
    snprintf(made_up, sizeof made_up, "<%u>", definition->at.begin);
    parser->at++;
    const char *tag =
        kiln_parser_is(parser, KILN_TOKEN_NAME) ? kiln_parser_peek(parser)->name : NULL;
    if (tag) {
        definition->at = kiln_parser_peek(parser)->span;
        parser->at++;
    }
    definition->is_anonymous = !tag;
    definition->name = tag_name(parser, word, tag ? tag : made_up);
    parser->at++; // the '{'
    if (word == KILN_TOKEN_STRUCT)
        parse_members(parser, definition);
    else
        parse_enumerators(parser, definition);
    kiln_parser_expect(parser, KILN_TOKEN_RIGHT_BRACE,
                       word == KILN_TOKEN_STRUCT ? "after the members" : "after the constants");
    if (parser->panicking)
        kiln_parser_skip_braces(parser);
    definition->span = kiln_span_join(definition->span, kiln_parser_previous(parser));
    *out_type = KILN_ARENA_NEW(parser->arena, kiln_type_syntax_t);
    (*out_type)->name = definition->name;
    (*out_type)->span = definition->at;
    return definition;
}

kiln_stmt_t *kiln_parse_typedef(kiln_parser_t *parser)
{
    kiln_stmt_t *group = make(parser, KILN_STMT_GROUP);
    kiln_type_syntax_t *base;
    size_t capacity = 0;
    parser->at++;
    if (kiln_parser_at_definition(parser))
        KILN_ARENA_PUSH(parser->arena, group->list, group->count, capacity,
                        kiln_parse_definition(parser, &base));
    else
        base = kiln_parse_base_type(parser);
    if (parser->panicking)
        return group;
    kiln_stmt_t *stmt =
        parse_name_of_type(parser, KILN_STMT_TYPEDEF, base, "as the new type's name");
    if (parser->panicking)
        return group;
    kiln_parser_declare(parser, stmt->name, true);
    KILN_ARENA_PUSH(parser->arena, group->list, group->count, capacity, stmt);
    kiln_parser_expect(parser, KILN_TOKEN_SEMICOLON, "after the typedef");
    return group;
}
