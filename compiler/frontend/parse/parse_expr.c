// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses expressions by precedence climbing over one table of binary operators.
//
// Left-associative chains are built in a loop, so a tree can be higher than the recursion of the
// parser was deep. `height` counts this, and new nodes do not grow beyond KILN_NESTING_LIMIT.
#include "frontend/parse/parser.h"

typedef struct binary_row {
    kiln_token_kind_t token, assign; // assign: the token of `op=`, or END
    kiln_operator_t op;
    int precedence;
    const char *spelling;
} binary_row_t;

static const binary_row_t binaries[] = {
    {KILN_TOKEN_STAR, KILN_TOKEN_MUL_ASSIGN, KILN_OPERATOR_MUL, 10, "*"},
    {KILN_TOKEN_SLASH, KILN_TOKEN_DIV_ASSIGN, KILN_OPERATOR_DIV, 10, "/"},
    {KILN_TOKEN_PERCENT, KILN_TOKEN_REM_ASSIGN, KILN_OPERATOR_REM, 10, "%"},
    {KILN_TOKEN_PLUS, KILN_TOKEN_ADD_ASSIGN, KILN_OPERATOR_ADD, 9, "+"},
    {KILN_TOKEN_MINUS, KILN_TOKEN_SUB_ASSIGN, KILN_OPERATOR_SUB, 9, "-"},
    {KILN_TOKEN_SHL, KILN_TOKEN_SHL_ASSIGN, KILN_OPERATOR_SHL, 8, "<<"},
    {KILN_TOKEN_SHR, KILN_TOKEN_SHR_ASSIGN, KILN_OPERATOR_SHR, 8, ">>"},
    {KILN_TOKEN_LT, KILN_TOKEN_END, KILN_OPERATOR_LT, 7, "<"},
    {KILN_TOKEN_GT, KILN_TOKEN_END, KILN_OPERATOR_GT, 7, ">"},
    {KILN_TOKEN_LE, KILN_TOKEN_END, KILN_OPERATOR_LE, 7, "<="},
    {KILN_TOKEN_GE, KILN_TOKEN_END, KILN_OPERATOR_GE, 7, ">="},
    {KILN_TOKEN_EQ, KILN_TOKEN_END, KILN_OPERATOR_EQ, 6, "=="},
    {KILN_TOKEN_NE, KILN_TOKEN_END, KILN_OPERATOR_NE, 6, "!="},
    {KILN_TOKEN_AMPERSAND, KILN_TOKEN_AND_ASSIGN, KILN_OPERATOR_AND, 5, "&"},
    {KILN_TOKEN_CARET, KILN_TOKEN_XOR_ASSIGN, KILN_OPERATOR_XOR, 4, "^"},
    {KILN_TOKEN_PIPE, KILN_TOKEN_OR_ASSIGN, KILN_OPERATOR_OR, 3, "|"},
    {KILN_TOKEN_LOGICAL_AND, KILN_TOKEN_END, KILN_OPERATOR_LOGICAL_AND, 2, "&&"},
    {KILN_TOKEN_LOGICAL_OR, KILN_TOKEN_END, KILN_OPERATOR_LOGICAL_OR, 1, "||"},
};

static const struct {
    kiln_token_kind_t token;
    kiln_operator_t op;
    const char *spelling;
} unaries[] = {
    {KILN_TOKEN_PLUS, KILN_OPERATOR_PLUS, "+"},
    {KILN_TOKEN_MINUS, KILN_OPERATOR_NEGATE, "-"},
    {KILN_TOKEN_TILDE, KILN_OPERATOR_COMPLEMENT, "~"},
    {KILN_TOKEN_BANG, KILN_OPERATOR_NOT, "!"},
    {KILN_TOKEN_STAR, KILN_OPERATOR_DEREFERENCE, "*"},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

const char *kiln_operator_spelling(kiln_operator_t op)
{
    for (size_t i = 0; i < COUNT(binaries); i++)
        if (binaries[i].op == op)
            return binaries[i].spelling;
    for (size_t i = 0; i < COUNT(unaries); i++)
        if (unaries[i].op == op)
            return unaries[i].spelling;
    return ",";
}

static kiln_expr_t *make(kiln_parser_t *parser, kiln_expr_kind_t kind, kiln_span_t span)
{
    kiln_expr_t *expr = KILN_ARENA_NEW(parser->arena, kiln_expr_t);
    expr->kind = kind;
    expr->span = expr->at = span;
    return expr;
}

static unsigned height_of(const kiln_expr_t *expr)
{
    return expr ? expr->height : 0;
}

// Sets the height from the children. A tree that is too high is reported and replaced by its first
// child.
static kiln_expr_t *finish(kiln_parser_t *parser, kiln_expr_t *expr)
{
    unsigned height = height_of(expr->a);
    height = height_of(expr->b) > height ? height_of(expr->b) : height;
    height = height_of(expr->c) > height ? height_of(expr->c) : height;
    for (size_t i = 0; i < expr->count; i++)
        height = height_of(expr->list[i]) > height ? height_of(expr->list[i]) : height;
    expr->height = height + 1;
    if (expr->height <= KILN_NESTING_LIMIT)
        return expr;
    kiln_parser_fail(parser, expr->at, "expression is nested more than %d levels deep",
                     KILN_NESTING_LIMIT);
    return make(parser, KILN_EXPR_INTEGER, expr->span);
}

static kiln_expr_t *parse_unary(kiln_parser_t *parser);

// &variable, as an argument that the call modifies, or &p[i]
static kiln_expr_t *parse_address(kiln_parser_t *parser)
{
    kiln_expr_t *expr = make(parser, KILN_EXPR_ADDRESS, kiln_parser_peek(parser)->span);
    parser->at++;
    expr->a = parse_unary(parser);
    if (!expr->a)
        return NULL;
    expr->span = kiln_span_join(expr->span, expr->a->span);
    return finish(parser, expr);
}

// .name = value
static kiln_expr_t *parse_option(kiln_parser_t *parser)
{
    kiln_expr_t *option = make(parser, KILN_EXPR_DESIGNATED, kiln_parser_peek(parser)->span);
    parser->at++;
    const kiln_token_t *name = kiln_parser_peek(parser);
    option->name = name->name;
    option->at = name->span;
    kiln_parser_expect(parser, KILN_TOKEN_NAME, "as an argument's name");
    if (!parser->panicking)
        kiln_parser_expect(parser, KILN_TOKEN_ASSIGN, "after an argument's name");
    if (parser->panicking)
        return NULL;
    option->a = kiln_parse_initializer(parser);
    if (!option->a)
        return NULL;
    option->span = kiln_span_join(option->span, option->a->span);
    return finish(parser, option);
}

// One argument of a call: a value, or one of the forms that only calls accept.
static kiln_expr_t *parse_argument(kiln_parser_t *parser)
{
    if (kiln_parser_is(parser, KILN_TOKEN_DOT))
        return parse_option(parser);
    return kiln_parse_initializer(parser);
}

static kiln_expr_t *parse_list(kiln_parser_t *parser, kiln_expr_t *expr, kiln_token_kind_t close,
                               bool in_subscript)
{
    size_t capacity = 0;
    while (!kiln_parser_is(parser, close) && !parser->panicking) {
        kiln_expr_t *item;
        kiln_span_t span = kiln_parser_peek(parser)->span;
        if (in_subscript && kiln_parser_accept(parser, KILN_TOKEN_COLON))
            item = make(parser, KILN_EXPR_ALL, span);
        else if (in_subscript && kiln_parser_accept(parser, KILN_TOKEN_NONE))
            item = make(parser, KILN_EXPR_NONE, span);
        else
            item = in_subscript ? kiln_parse_assignment(parser) : parse_argument(parser);
        if (!item)
            break;
        KILN_ARENA_PUSH(parser->arena, expr->list, expr->count, capacity, item);
        if (!kiln_parser_accept(parser, KILN_TOKEN_COMMA))
            break;
    }
    kiln_parser_expect(parser, close, in_subscript ? "after the subscript" : "after the arguments");
    expr->span = kiln_span_join(expr->span, kiln_parser_previous(parser));
    return finish(parser, expr);
}

static kiln_expr_t *parse_parenthesized(kiln_parser_t *parser)
{
    kiln_parser_accept(parser, KILN_TOKEN_LEFT_PAREN);
    kiln_expr_t *expr = kiln_parse_expression(parser);
    kiln_parser_expect(parser, KILN_TOKEN_RIGHT_PAREN, "to match '('");
    if (expr)
        expr->is_enclosed = true;
    return expr;
}

static kiln_expr_t *parse_primary(kiln_parser_t *parser)
{
    const kiln_token_t *token = kiln_parser_peek(parser);
    kiln_expr_t *expr;
    switch (token->kind) {
    case KILN_TOKEN_LEFT_PAREN:
        return parse_parenthesized(parser);
    case KILN_TOKEN_INTEGER:
        expr = make(parser, KILN_EXPR_INTEGER, token->span);
        expr->scalar = token->scalar;
        expr->integer = token->integer;
        break;
    case KILN_TOKEN_FLOAT:
        expr = make(parser, KILN_EXPR_FLOAT, token->span);
        expr->scalar = token->scalar;
        expr->floating = token->floating;
        expr->rest = token->rest;
        break;
    case KILN_TOKEN_INFINITY:
    case KILN_TOKEN_NAN:
        expr = make(parser, KILN_EXPR_FLOAT, token->span);
        expr->floating = token->kind == KILN_TOKEN_NAN ? __builtin_nan("") : __builtin_inf();
        break;
    case KILN_TOKEN_TRUE:
    case KILN_TOKEN_FALSE:
        expr = make(parser, KILN_EXPR_BOOL, token->span);
        expr->integer = token->kind == KILN_TOKEN_TRUE;
        break;
    case KILN_TOKEN_STRING:
        expr = make(parser, KILN_EXPR_STRING, token->span);
        expr->name = token->name;
        break;
    case KILN_TOKEN_NAME:
        expr = make(parser, KILN_EXPR_NAME, token->span);
        expr->name = token->name;
        break;
    case KILN_TOKEN_LEFT_BRACE:
        kiln_parser_fail(parser, token->span,
                         "a list in braces is allowed only to initialize a struct, in a "
                         "declaration or after its type: "
                         "(struct pair){…}");
        return NULL;
    case KILN_TOKEN_NONE:
        kiln_parser_fail(parser, token->span,
                         "'None' is allowed only in subscripts, as in x[:, None]");
        return NULL;
    default:
        kiln_parser_fail(parser, token->span, "expected an expression before %s",
                         kiln_token_kind_name(token->kind));
        return NULL;
    }
    parser->at++;
    expr->height = 1;
    return expr;
}

static kiln_expr_t *parse_step(kiln_parser_t *parser, kiln_expr_t *target, bool is_postfix)
{
    kiln_token_kind_t kind = kiln_parser_peek(parser)->kind;
    kiln_span_t at = kiln_parser_peek(parser)->span;
    parser->at++;
    if (!is_postfix)
        target = parse_unary(parser);
    if (!target)
        return NULL;
    kiln_expr_t *expr = make(parser, KILN_EXPR_STEP, kiln_span_join(at, target->span));
    expr->at = at;
    expr->op = kind == KILN_TOKEN_INCREMENT ? KILN_OPERATOR_ADD : KILN_OPERATOR_SUB;
    expr->is_postfix = is_postfix;
    expr->a = target;
    return finish(parser, expr);
}

static kiln_expr_t *parse_member(kiln_parser_t *parser, kiln_expr_t *base)
{
    bool is_arrow = kiln_parser_is(parser, KILN_TOKEN_ARROW);
    parser->at++;
    const kiln_token_t *token = kiln_parser_peek(parser);
    if (!kiln_parser_expect(parser, KILN_TOKEN_NAME, is_arrow ? "after '->'" : "after '.'"))
        return base;
    kiln_expr_t *expr = make(parser, KILN_EXPR_MEMBER, kiln_span_join(base->span, token->span));
    expr->at = token->span;
    expr->name = token->name;
    expr->a = base;
    return finish(parser, expr);
}

// Parses what may follow a value: subscripts, arguments, members, ++ and --.
static kiln_expr_t *parse_suffixes(kiln_parser_t *parser, kiln_expr_t *expr)
{
    while (expr && !parser->panicking) {
        const kiln_token_t *token = kiln_parser_peek(parser);
        if (token->kind == KILN_TOKEN_LEFT_BRACKET) {
            parser->at++;
            kiln_expr_t *index = make(parser, KILN_EXPR_INDEX, expr->span);
            index->at = token->span;
            index->a = expr;
            expr = parse_list(parser, index, KILN_TOKEN_RIGHT_BRACKET, true);
        } else if (token->kind == KILN_TOKEN_LEFT_PAREN) {
            if (expr->kind != KILN_EXPR_NAME) {
                kiln_parser_fail(parser, expr->span, "called expression is not a function name");
                return expr;
            }
            parser->at++;
            expr->kind = KILN_EXPR_CALL;
            expr = parse_list(parser, expr, KILN_TOKEN_RIGHT_PAREN, false);
        } else if (token->kind == KILN_TOKEN_INCREMENT || token->kind == KILN_TOKEN_DECREMENT) {
            expr = parse_step(parser, expr, true);
        } else if (token->kind == KILN_TOKEN_DOT) {
            expr = parse_member(parser, expr);
        } else if (token->kind == KILN_TOKEN_ARROW) {
            kiln_expr_t *whole = make(parser, KILN_EXPR_UNARY, expr->span); // a->x is (*a).x
            whole->op = KILN_OPERATOR_DEREFERENCE;
            whole->a = expr;
            expr = parse_member(parser, finish(parser, whole));
        } else {
            break;
        }
    }
    return expr;
}

static kiln_expr_t *parse_cast(kiln_parser_t *parser)
{
    kiln_span_t begin = kiln_parser_peek(parser)->span;
    parser->at++;
    kiln_type_syntax_t *type = kiln_parse_base_type(parser);
    kiln_parse_pointer(parser, type);
    kiln_parser_expect(parser, KILN_TOKEN_RIGHT_PAREN, "after the type of a cast");
    kiln_span_t close = kiln_parser_previous(parser);
    kiln_expr_t *operand = NULL;
    if (kiln_parser_is(parser, KILN_TOKEN_LEFT_BRACE) && !parser->panicking)
        operand = kiln_parse_initializer(parser);
    else if (!parser->panicking)
        operand = parse_unary(parser);
    if (!operand)
        return NULL;
    kiln_expr_t *expr = make(parser, KILN_EXPR_CAST, kiln_span_join(begin, operand->span));
    expr->at = kiln_span_join(begin, close);
    expr->type = type;
    expr->a = operand;
    expr = finish(parser, expr);
    return operand->kind == KILN_EXPR_LIST ? parse_suffixes(parser, expr)
                                           : expr; // (struct pair){1, 2}.x
}

static kiln_expr_t *parse_sizeof(kiln_parser_t *parser)
{
    kiln_expr_t *expr = make(parser, KILN_EXPR_SIZEOF, kiln_parser_peek(parser)->span);
    parser->at++;
    kiln_parser_expect(parser, KILN_TOKEN_LEFT_PAREN, "after 'sizeof'");
    if (!parser->panicking && !kiln_parser_at_type(parser))
        kiln_parser_fail(parser, kiln_parser_peek(parser)->span,
                         "sizeof takes a type, as in sizeof(f16)");
    if (parser->panicking)
        return NULL;
    expr->type = kiln_parse_base_type(parser);
    kiln_parse_pointer(parser, expr->type);
    kiln_parser_expect(parser, KILN_TOKEN_RIGHT_PAREN, "after the type");
    expr->span = kiln_span_join(expr->span, kiln_parser_previous(parser));
    return finish(parser, expr);
}

static kiln_expr_t *parse_unary_level(kiln_parser_t *parser)
{
    const kiln_token_t *token = kiln_parser_peek(parser);
    if (token->kind == KILN_TOKEN_INCREMENT || token->kind == KILN_TOKEN_DECREMENT)
        return parse_step(parser, NULL, false);
    if (token->kind == KILN_TOKEN_AMPERSAND)
        return parse_address(parser);
    if (token->kind == KILN_TOKEN_SIZEOF)
        return parse_sizeof(parser);
    if (token->kind == KILN_TOKEN_LEFT_PAREN) {
        parser->at++;
        bool is_cast = kiln_parser_at_type(parser);
        parser->at--;
        if (is_cast)
            return parse_cast(parser);
    }
    if (kiln_parser_at_type(parser)) { // zeros(f32, 64): a type as an argument
        kiln_expr_t *expr = make(parser, KILN_EXPR_TYPE, token->span);
        expr->type = kiln_parse_base_type(parser);
        kiln_parse_pointer(parser, expr->type);
        expr->span = expr->at = expr->type->span;
        return finish(parser, expr);
    }
    for (size_t i = 0; i < COUNT(unaries); i++) {
        if (unaries[i].token != token->kind)
            continue;
        parser->at++;
        kiln_expr_t *operand = parse_unary(parser);
        if (!operand)
            return NULL;
        kiln_expr_t *expr =
            make(parser, KILN_EXPR_UNARY, kiln_span_join(token->span, operand->span));
        expr->at = token->span;
        expr->op = unaries[i].op;
        expr->a = operand;
        return finish(parser, expr);
    }
    return parse_suffixes(parser, parse_primary(parser));
}

static kiln_expr_t *parse_unary(kiln_parser_t *parser)
{
    kiln_expr_t *expr = kiln_parser_enter(parser) ? parse_unary_level(parser) : NULL;
    kiln_parser_leave(parser);
    return expr;
}

static const binary_row_t *find_binary(kiln_token_kind_t kind)
{
    for (size_t i = 0; i < COUNT(binaries); i++)
        if (binaries[i].token == kind)
            return &binaries[i];
    return NULL;
}

static kiln_expr_t *parse_binary(kiln_parser_t *parser, int min)
{
    kiln_expr_t *left = parse_unary(parser);
    while (left && !parser->panicking) {
        const kiln_token_t *token = kiln_parser_peek(parser);
        const binary_row_t *row = find_binary(token->kind);
        if (!row || row->precedence < min)
            break;
        parser->at++;
        kiln_expr_t *right = parse_binary(parser, row->precedence + 1);
        if (!right)
            break;
        kiln_expr_t *expr = make(parser, KILN_EXPR_BINARY, kiln_span_join(left->span, right->span));
        expr->at = token->span;
        expr->op = row->op;
        expr->a = left;
        expr->b = right;
        left = finish(parser, expr);
    }
    return left;
}

static kiln_expr_t *parse_conditional(kiln_parser_t *parser)
{
    kiln_expr_t *condition = parse_binary(parser, 1);
    if (!condition || parser->panicking || !kiln_parser_is(parser, KILN_TOKEN_QUESTION))
        return condition;
    kiln_expr_t *expr = make(parser, KILN_EXPR_CONDITIONAL, condition->span);
    expr->at = kiln_parser_peek(parser)->span;
    parser->at++;
    expr->a = condition;
    expr->b = kiln_parse_expression(parser);
    kiln_parser_expect(parser, KILN_TOKEN_COLON, "between the values of '?:'");
    expr->c = parser->panicking ? NULL : kiln_parse_assignment(parser);
    if (!expr->b || !expr->c)
        return NULL;
    expr->span = kiln_span_join(condition->span, expr->c->span);
    return finish(parser, expr);
}

// Whether this is an assignment operator, and which operation it applies first.
static bool find_assignment(kiln_token_kind_t kind, kiln_operator_t *out_op)
{
    *out_op = KILN_OPERATOR_NONE;
    if (kind == KILN_TOKEN_ASSIGN)
        return true;
    for (size_t i = 0; i < COUNT(binaries); i++) {
        if (binaries[i].assign != kind || kind == KILN_TOKEN_END)
            continue;
        *out_op = binaries[i].op;
        return true;
    }
    return false;
}

static kiln_expr_t *parse_assignment_level(kiln_parser_t *parser)
{
    kiln_expr_t *target = parse_conditional(parser);
    const kiln_token_t *token = kiln_parser_peek(parser);
    kiln_operator_t op;
    if (!target || parser->panicking || !find_assignment(token->kind, &op))
        return target;
    parser->at++;
    kiln_expr_t *value = kiln_parse_assignment(parser);
    if (!value)
        return NULL;
    kiln_expr_t *expr = make(parser, KILN_EXPR_ASSIGN, kiln_span_join(target->span, value->span));
    expr->at = token->span;
    expr->op = op;
    expr->a = target;
    expr->b = value;
    return finish(parser, expr);
}

kiln_expr_t *kiln_parse_assignment(kiln_parser_t *parser)
{
    kiln_expr_t *expr = kiln_parser_enter(parser) ? parse_assignment_level(parser) : NULL;
    kiln_parser_leave(parser);
    return expr;
}

// An item of a list: an expression or a list, optionally after `.member =`.
static kiln_expr_t *parse_list_item(kiln_parser_t *parser)
{
    if (!kiln_parser_is(parser, KILN_TOKEN_DOT))
        return kiln_parse_initializer(parser);
    parser->at++;
    const kiln_token_t *token = kiln_parser_peek(parser);
    kiln_parser_expect(parser, KILN_TOKEN_NAME, "after '.'");
    kiln_parser_expect(parser, KILN_TOKEN_ASSIGN, "after the member's name");
    kiln_expr_t *value = parser->panicking ? NULL : kiln_parse_initializer(parser);
    if (!value)
        return NULL;
    kiln_expr_t *expr =
        make(parser, KILN_EXPR_DESIGNATED, kiln_span_join(token->span, value->span));
    expr->at = token->span;
    expr->name = token->name;
    expr->a = value;
    return finish(parser, expr);
}

static kiln_expr_t *parse_initializer_list(kiln_parser_t *parser)
{
    kiln_expr_t *expr = make(parser, KILN_EXPR_LIST, kiln_parser_peek(parser)->span);
    size_t capacity = 0;
    parser->at++;
    while (!kiln_parser_is(parser, KILN_TOKEN_RIGHT_BRACE) && !parser->panicking) {
        kiln_expr_t *item = parse_list_item(parser);
        if (!item)
            break;
        KILN_ARENA_PUSH(parser->arena, expr->list, expr->count, capacity, item);
        if (!kiln_parser_accept(parser, KILN_TOKEN_COMMA))
            break;
    }
    kiln_parser_expect(parser, KILN_TOKEN_RIGHT_BRACE, "after the initial values");
    if (parser->panicking)
        kiln_parser_skip_braces(parser);
    expr->span = kiln_span_join(expr->span, kiln_parser_previous(parser));
    return finish(parser, expr);
}

kiln_expr_t *kiln_parse_initializer(kiln_parser_t *parser)
{
    if (!kiln_parser_is(parser, KILN_TOKEN_LEFT_BRACE))
        return kiln_parse_assignment(parser);
    kiln_expr_t *expr = kiln_parser_enter(parser) ? parse_initializer_list(parser) : NULL;
    kiln_parser_leave(parser);
    return expr;
}

kiln_expr_t *kiln_parse_expression(kiln_parser_t *parser)
{
    kiln_expr_t *left = kiln_parse_assignment(parser);
    while (left && !parser->panicking && kiln_parser_is(parser, KILN_TOKEN_COMMA)) {
        kiln_span_t at = kiln_parser_peek(parser)->span;
        parser->at++;
        kiln_expr_t *right = kiln_parse_assignment(parser);
        if (!right)
            break;
        kiln_expr_t *expr = make(parser, KILN_EXPR_BINARY, kiln_span_join(left->span, right->span));
        expr->at = at;
        expr->op = KILN_OPERATOR_COMMA;
        expr->a = left;
        expr->b = right;
        left = finish(parser, expr);
    }
    return left;
}
