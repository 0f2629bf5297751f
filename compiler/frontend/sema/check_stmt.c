// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements: scopes, declarations, control flow, and the exits of each.
//
// `exits` and `always_exits` are all that the emitter needs for break, continue and return: they
// determine after which actions the rest may not run.
#include "frontend/sema/check_warn.h"

#include <string.h>

kiln_action_t *kiln_action_make(kiln_checker_t *checker, kiln_action_kind_t kind, kiln_span_t span)
{
    kiln_action_t *action = KILN_ARENA_NEW(checker->arena, kiln_action_t);
    action->kind = kind;
    action->span = span;
    action->site = checker->site;
    return action;
}

void kiln_action_append(kiln_checker_t *checker, kiln_action_t *block, kiln_action_t *action)
{
    if (!action || block->always_exits) // unreachable code is checked, but dropped
        return;
    KILN_ARENA_PUSH(checker->arena, block->list, block->count, block->capacity, action);
    block->exits |= action->exits;
    block->always_exits = action->always_exits;
}

// An expression whose value is discarded: i++ is then ++i.
static kiln_node_t *check_discarded(kiln_checker_t *checker, const kiln_expr_t *expr)
{
    kiln_expr_t plain = *expr;
    plain.is_postfix = false;
    // (void)x: marks x as used.
    if (expr->kind == KILN_EXPR_CAST && expr->type->scalar == KILN_SCALAR_VOID &&
        !expr->type->is_pointer)
        return kiln_check_expr(checker, expr->a);
    kiln_node_t *node = kiln_check_expr(checker, &plain);
    kiln_warn_discarded(checker, expr, node);
    return node;
}

static kiln_action_t *evaluate(kiln_checker_t *checker, kiln_node_t *node)
{
    kiln_action_t *action = kiln_action_make(checker, KILN_ACTION_EVALUATE, node->span);
    action->value = node;
    return action;
}

// Declarations ------------------------------------------------------------------------------------

static kiln_action_t *check_constant(kiln_checker_t *checker, const kiln_stmt_t *stmt)
{
    kiln_symbol_t symbol = {.kind = KILN_SYMBOL_CONSTANT, .name = stmt->name, .at = stmt->at};
    kiln_tile_type_t type;
    if (stmt->value->kind == KILN_EXPR_LIST) {
        kiln_check_fail(checker, stmt->type->span,
                        "a constant must be an integer, a float or a bool");
        kiln_symbol_declare(checker, &symbol);
        return NULL;
    }
    kiln_node_t *value = kiln_check_expr(checker, stmt->value);
    if (stmt->type->is_auto)
        type = value->type;
    else if (!kiln_resolve_element(checker, stmt->type, &type))
        type = kiln_tile_scalar(KILN_SCALAR_NONE);
    if (stmt->type->dim_count || type.is_pointer || type.rank || kiln_tile_is_struct(&type)) {
        kiln_check_fail(checker, stmt->type->span,
                        "a constant must be an integer, a float or a bool");
    } else {
        value = kiln_convert_implicitly(checker, value, &type, stmt->value->span,
                                        "initialise a constant");
        if (!kiln_node_is_error(value) && !kiln_node_is_constant(value)) {
            kiln_check_fail(checker, stmt->value->span,
                            "the value of constant '%s' is not known at compile time", stmt->name);
            kiln_check_note_declaration(checker, value);
        } else if (!kiln_node_is_error(value)) {
            symbol.constant = value->constant;
        }
    }
    kiln_symbol_declare(checker, &symbol);
    return NULL;
}

// The declared type, completed by the initial value.
static kiln_tile_type_t declared_type(kiln_checker_t *checker, const kiln_stmt_t *stmt,
                                      const kiln_node_t *value)
{
    kiln_tile_type_t type = kiln_tile_scalar(KILN_SCALAR_NONE);
    bool has_type = value || (stmt->value && !stmt->type->is_auto);
    if (stmt->type->is_auto && (!has_type || stmt->type->is_pointer || stmt->type->dim_count)) {
        kiln_check_fail(checker, stmt->at,
                        "'auto %s' takes its type from an initial value, without sizes or '*'",
                        stmt->name);
    } else if (stmt->type->is_auto) {
        type = value->type;
        if (type.scalar == KILN_SCALAR_VOID)
            kiln_check_fail(checker, value->span, "this has no value");
    } else if (kiln_resolve_type(checker, stmt->type, value ? &value->type : NULL, &type)) {
        if (type.scalar == KILN_SCALAR_VOID)
            kiln_check_fail(checker, stmt->type->span, "a variable cannot be void");
        if (kiln_tile_is_struct(&type) && type.structure->is_open && !stmt->value) {
            kiln_check_fail(
                checker, stmt->at,
                "'%s' needs an initial value, which determines the types of 'auto' members of %s",
                stmt->name, KILN_TYPE_TEXT(checker, &type));
            type = kiln_tile_scalar(KILN_SCALAR_NONE);
        }
    }
    return type.scalar == KILN_SCALAR_VOID ? kiln_tile_scalar(KILN_SCALAR_NONE) : type;
}

static kiln_action_t *check_declaration(kiln_checker_t *checker, const kiln_stmt_t *stmt)
{
    if (stmt->is_constexpr)
        return check_constant(checker, stmt);
    bool is_list = stmt->value && stmt->value->kind == KILN_EXPR_LIST;
    kiln_node_t *value = stmt->value && !is_list ? kiln_check_expr(checker, stmt->value) : NULL;
    kiln_tile_type_t type = declared_type(checker, stmt, value);
    if (is_list) {
        value = kiln_check_struct_list(checker, &type, stmt->value);
        type = value->type;
    } else if (value) {
        value = kiln_convert_implicitly(checker, value, &type, stmt->value->span,
                                        "initialise the variable");
        if (kiln_node_is_error(value) && kiln_tile_is_struct(&type))
            type = value->type;
    }
    kiln_variable_t *variable = kiln_variable_make(checker, stmt->name, &type, stmt->at);
    variable->is_const = stmt->type->is_const && !stmt->type->is_pointer && !stmt->type->is_auto;
    kiln_symbol_declare(checker, &(kiln_symbol_t){.kind = KILN_SYMBOL_VARIABLE,
                                                  .name = stmt->name,
                                                  .at = stmt->at,
                                                  .variable = variable});
    kiln_action_t *block = kiln_action_make(checker, KILN_ACTION_BLOCK, stmt->at);
    kiln_declare_variable(checker, block, variable, value);
    return block->count == 1 ? block->list[0] : block;
}

// Control flow ------------------------------------------------------------------------------------

static kiln_action_t *check_block(kiln_checker_t *checker, const kiln_stmt_t *stmt)
{
    kiln_action_t *block = kiln_action_make(checker, KILN_ACTION_BLOCK, stmt->span);
    size_t opened = stmt->kind == KILN_STMT_BLOCK ? kiln_scope_open(checker) : 0;
    for (size_t i = 0; i < stmt->count && !checker->is_exhausted; i++)
        kiln_action_append(checker, block, kiln_check_stmt(checker, stmt->list[i]));
    if (stmt->kind == KILN_STMT_BLOCK)
        kiln_scope_close(checker, opened);
    return block;
}

// A statement with its own scope, even if it is not a block: `if (c) i32 x = 1;`
static kiln_action_t *check_body(kiln_checker_t *checker, const kiln_stmt_t *stmt)
{
    size_t opened = kiln_scope_open(checker);
    kiln_action_t *action = kiln_check_stmt(checker, stmt);
    kiln_scope_close(checker, opened);
    return action ? action : kiln_action_make(checker, KILN_ACTION_BLOCK, stmt->span);
}

static kiln_node_t *check_condition(kiln_checker_t *checker, const kiln_expr_t *expr,
                                    const char *of)
{
    kiln_node_t *node = kiln_check_expr(checker, expr);
    if (kiln_node_is_error(node))
        return node;
    kiln_warn_condition(checker, expr);
    if (node->type.rank) {
        kiln_check_fail(checker, expr->span,
                        "the condition of '%s' is a tile, %s; select per element with "
                        "where(condition, a, b), or "
                        "reduce it with any(…, axis)",
                        of, KILN_TYPE_TEXT(checker, &node->type));
        return kiln_node_error(checker, expr->span);
    }
    return kiln_convert_to_bool(checker, node);
}

static kiln_action_t *check_if(kiln_checker_t *checker, const kiln_stmt_t *stmt)
{
    kiln_node_t *condition = check_condition(checker, stmt->condition, "if");
    bool is_known = kiln_node_is_constant(condition) && !kiln_node_is_error(condition);
    if (stmt->is_constexpr && !is_known) {
        if (!kiln_node_is_error(condition))
            kiln_check_fail(checker, stmt->condition->span,
                            "the condition of 'if constexpr' is not known at compile time");
        return NULL;
    }
    bool is_true = is_known && kiln_constant_is_true(condition->constant);
    kiln_action_t *body = NULL, *otherwise = NULL;
    checker->unreachable += is_known && !is_true;
    if (!stmt->is_constexpr || is_true)
        body = check_body(checker, stmt->body);
    checker->unreachable -= is_known && !is_true;
    checker->unreachable += is_true;
    if (stmt->otherwise && (!stmt->is_constexpr || !is_true))
        otherwise = check_body(checker, stmt->otherwise);
    checker->unreachable -= is_true;
    if (is_known)
        return is_true ? body : otherwise;
    kiln_action_t *action = kiln_action_make(checker, KILN_ACTION_IF, stmt->at);
    action->value = condition;
    action->body = body;
    action->otherwise = otherwise;
    action->exits = body->exits | (otherwise ? otherwise->exits : 0);
    action->always_exits = body->always_exits && otherwise && otherwise->always_exits;
    return action;
}

static int loop_attribute(kiln_checker_t *checker, const kiln_stmt_t *stmt, const char *name,
                          int largest)
{
    int64_t value = 0;
    for (size_t i = 0; i < stmt->attribute_count; i++) {
        const kiln_attribute_syntax_t *attribute = &stmt->attributes[i];
        if (attribute->name != kiln_names_intern(checker->names, name, strlen(name)))
            continue;
        if (!attribute->value)
            kiln_check_fail(checker, attribute->span, "attribute '%s' needs a value", name);
        else if (kiln_check_constant_int(checker, attribute->value, "an attribute's value",
                                         &value) &&
                 (value < 1 || value > largest))
            kiln_check_fail(checker, attribute->value->span,
                            "attribute '%s' must be between 1 and %d", name, largest);
    }
    return value >= 1 && value <= largest ? (int)value : 0;
}

static void check_loop_attributes(kiln_checker_t *checker, const kiln_stmt_t *stmt,
                                  kiln_action_t *loop)
{
    enum { MAX_STAGES = 64, MAX_COPIES = 1024 }; // stages: as schedule_loops
    static const char *const known[] = {"num_stages", "unroll"};
    for (size_t i = 0; i < stmt->attribute_count; i++)
        if (strcmp(stmt->attributes[i].name, known[0]) &&
            strcmp(stmt->attributes[i].name, known[1]))
            kiln_check_fail(checker, stmt->attributes[i].span,
                            "unknown loop attribute '%s'; expected num_stages or unroll",
                            stmt->attributes[i].name);
    loop->num_stages = loop_attribute(checker, stmt, known[0], MAX_STAGES);
    loop->unroll = loop_attribute(checker, stmt, known[1], MAX_COPIES);
}

// The loop: condition, body, step. The condition may be absent.
static kiln_action_t *check_loop(kiln_checker_t *checker, const kiln_stmt_t *stmt, const char *word)
{
    kiln_action_t *loop = kiln_action_make(checker, KILN_ACTION_LOOP, stmt->at);
    loop->tests_last = stmt->kind == KILN_STMT_DO;
    check_loop_attributes(checker, stmt, loop);
    if (stmt->condition)
        loop->value = check_condition(checker, stmt->condition, word);
    if (stmt->step)
        loop->step = check_discarded(checker, stmt->step);
    checker->frame->loop_depth++;
    size_t before = checker->node_count;
    loop->body = check_body(checker, stmt->body);
    checker->frame->loop_depth--;
    size_t size = checker->node_count - before;
    if (loop->unroll > 1 && size * (size_t)loop->unroll > KILN_COPIES_LIMIT)
        kiln_check_fail(checker, stmt->at,
                        "[[unroll(%d)]] of a body of %zu operations exceeds the limit of %u; at "
                        "most %zu copies fit",
                        loop->unroll, size, KILN_COPIES_LIMIT, KILN_COPIES_LIMIT / size);
    bool is_known =
        loop->value && kiln_node_is_constant(loop->value) && !kiln_node_is_error(loop->value);
    bool is_endless = !loop->value || (is_known && kiln_constant_is_true(loop->value->constant));
    if (is_known && !is_endless && !loop->tests_last)
        return NULL; // while (false)
    loop->exits = loop->body->exits & (unsigned)KILN_EXIT_RETURN;
    loop->always_exits = is_endless && !(loop->body->exits & KILN_EXIT_BREAK);
    if (loop->always_exits && !loop->exits)
        kiln_check_fail(checker, stmt->at, "this loop never ends");
    return loop;
}

// for (constexpr i32 i = 0; i < 4; i++): the body is checked once for each value.
static kiln_action_t *check_constant_loop(kiln_checker_t *checker, const kiln_stmt_t *stmt)
{
    kiln_action_t *block = kiln_action_make(checker, KILN_ACTION_BLOCK, stmt->span);
    size_t opened = kiln_scope_open(checker);
    kiln_check_stmt(checker, stmt->init);
    size_t counter = checker->symbol_count - 1;
    checker->symbols[counter].constant.is_setting = true;
    bool is_ok = stmt->init->kind == KILN_STMT_DECLARE && checker->symbols[counter].constant.scalar;
    if (stmt->init->kind != KILN_STMT_DECLARE)
        kiln_check_fail(checker, stmt->init->span, "a constant loop must have exactly one counter");
    if (is_ok && (!stmt->condition || !stmt->step)) {
        kiln_check_fail(checker, stmt->at, "a constant loop needs a condition and a step");
        is_ok = false;
    }
    checker->frame->loop_depth++;
    size_t before = checker->node_count;
    for (unsigned turns = 0; is_ok && !checker->is_exhausted; turns++) {
        if (checker->node_count - before > KILN_UNROLL_LIMIT && turns > 1) {
            kiln_check_fail(
                checker, stmt->at,
                "this constant loop expands to more than %u operations in %u iterations; remove "
                "'constexpr' or reduce its iterations",
                KILN_UNROLL_LIMIT, turns);
            checker->is_exhausted = true; // enclosing loops would repeat the error
            break;
        }
        kiln_node_t *condition = check_condition(checker, stmt->condition, "for");
        if (kiln_node_is_error(condition))
            break;
        if (!kiln_node_is_constant(condition)) {
            kiln_check_fail(checker, stmt->condition->span,
                            "the condition of a constant loop must be constant");
            break;
        }
        if (!kiln_constant_is_true(condition->constant))
            break;
        kiln_action_t *body = check_body(checker, stmt->body);
        if (body->exits & (KILN_EXIT_BREAK | KILN_EXIT_CONTINUE)) {
            kiln_check_fail(checker, stmt->at,
                            "break and continue are not allowed in a constant loop");
            break;
        }
        kiln_action_append(checker, block, body);
        // The step: a variable replaces the counter, so that i++ and i += 2 are checked as usual;
        // its new value is the constant.
        const kiln_expr_t *step = stmt->step;
        const char *name = checker->symbols[counter].name;
        bool names_counter = step->a && step->a->kind == KILN_EXPR_NAME && step->a->name == name;
        kiln_constant_t old = checker->symbols[counter].constant;
        kiln_node_t *value = NULL, *here = kiln_node_constant(checker, old, step->span);
        if (names_counter && step->kind == KILN_EXPR_STEP)
            value = kiln_check_binary(checker, step->op, here,
                                      kiln_node_int(checker, KILN_SCALAR_I32, 1, step->span),
                                      step->span, step->at);
        else if (names_counter && step->kind == KILN_EXPR_ASSIGN && step->op)
            value = kiln_check_binary(checker, step->op, here, kiln_check_expr(checker, step->b),
                                      step->span, step->at);
        else if (names_counter && step->kind == KILN_EXPR_ASSIGN)
            value = kiln_check_expr(checker, step->b);
        kiln_tile_type_t type = kiln_tile_scalar(old.scalar);
        if (value)
            value = kiln_convert_implicitly(checker, value, &type, step->span,
                                            "step the loop's counter");
        if (!value || kiln_node_is_error(value) || !kiln_node_is_constant(value)) {
            if (!value || !kiln_node_is_error(value))
                kiln_check_fail(
                    checker, step->span,
                    "the step of a constant loop must change its counter by a constant");
            break;
        }
        checker->symbols[counter].constant = value->constant;
        checker->symbols[counter].constant.is_setting = true;
    }
    checker->frame->loop_depth--;
    kiln_scope_close(checker, opened);
    return block;
}

static kiln_action_t *check_for(kiln_checker_t *checker, const kiln_stmt_t *stmt)
{
    const kiln_stmt_t *first =
        stmt->init && stmt->init->kind == KILN_STMT_GROUP && stmt->init->count ? stmt->init->list[0]
                                                                               : stmt->init;
    if (first && first->kind == KILN_STMT_DECLARE && first->is_constexpr)
        return check_constant_loop(checker, stmt);
    kiln_action_t *block = kiln_action_make(checker, KILN_ACTION_BLOCK, stmt->span);
    size_t opened = kiln_scope_open(checker);
    kiln_action_t *init = stmt->init ? kiln_check_stmt(checker, stmt->init) : NULL;
    kiln_action_append(checker, block, init);
    kiln_action_t *loop = check_loop(checker, stmt, "for");
    if (loop && init && init->kind == KILN_ACTION_DECLARE)
        loop->counter = init->variable;
    kiln_action_append(checker, block, loop);
    kiln_scope_close(checker, opened);
    return block;
}

static kiln_action_t *check_return(kiln_checker_t *checker, const kiln_stmt_t *stmt)
{
    kiln_frame_t *frame = checker->frame;
    kiln_action_t *block = kiln_action_make(checker, KILN_ACTION_BLOCK, stmt->span);
    if (stmt->value) {
        kiln_node_t *value = kiln_check_expr(checker, stmt->value);
        if (frame->result_is_open && !kiln_node_is_error(value)) {
            frame->result_is_open = false;
            if (kiln_tile_is_struct(&frame->open_result))
                value = kiln_convert_implicitly(checker, value, &frame->open_result,
                                                stmt->value->span, "return this");
            if (value->type.scalar != KILN_SCALAR_VOID)
                frame->result = kiln_variable_make(checker, NULL, &value->type, stmt->span);
        }
        if (frame->result) {
            value = kiln_convert_implicitly(checker, value, &frame->result->type, stmt->value->span,
                                            "return this");
            kiln_action_append(checker, block,
                               evaluate(checker, kiln_node_assign(checker, frame->result, value,
                                                                  stmt->value->at)));
        } else if (!kiln_node_is_error(value)) {
            kiln_check_fail(checker, stmt->value->span, "'%s' returns nothing",
                            frame->function->name);
        }
    } else if (frame->result || kiln_tile_is_struct(&frame->open_result)) {
        kiln_check_fail(checker, stmt->span, "'%s' returns a value", frame->function->name);
    } else {
        frame->result_is_open = false;
    }
    kiln_action_t *exit = kiln_action_make(checker, KILN_ACTION_EXIT, stmt->span);
    exit->exit = KILN_EXIT_RETURN;
    exit->exits = KILN_EXIT_RETURN;
    exit->always_exits = true;
    kiln_action_append(checker, block, exit);
    return block;
}

static kiln_action_t *check_jump(kiln_checker_t *checker, const kiln_stmt_t *stmt)
{
    bool is_break = stmt->kind == KILN_STMT_BREAK;
    if (!checker->frame->loop_depth) {
        kiln_check_fail(checker, stmt->span, "'%s' outside of a loop",
                        is_break ? "break" : "continue");
        return NULL;
    }
    kiln_action_t *exit = kiln_action_make(checker, KILN_ACTION_EXIT, stmt->span);
    exit->exit = is_break ? KILN_EXIT_BREAK : KILN_EXIT_CONTINUE;
    exit->exits = exit->exit;
    exit->always_exits = true;
    return exit;
}

static kiln_action_t *check_static_assert(kiln_checker_t *checker, const kiln_stmt_t *stmt)
{
    kiln_node_t *node = kiln_convert_to_bool(checker, kiln_check_expr(checker, stmt->value));
    if (kiln_node_is_error(node))
        return NULL;
    if (!kiln_node_is_constant(node))
        kiln_check_fail(checker, stmt->value->span,
                        "the condition of static_assert is not known at compile time");
    else if (!kiln_constant_is_true(node->constant))
        kiln_check_fail(checker, stmt->value->span, "%s%s%s",
                        kiln_span_is_prelude(stmt->span) ? "" : "static assertion failed",
                        stmt->name && !kiln_span_is_prelude(stmt->span) ? ": " : "",
                        stmt->name ? stmt->name : "");
    return NULL;
}

static kiln_action_t *check_stmt_level(kiln_checker_t *checker, const kiln_stmt_t *stmt)
{
    switch (stmt->kind) {
    case KILN_STMT_EXPR:
        return evaluate(checker, check_discarded(checker, stmt->value));
    case KILN_STMT_DECLARE:
        return check_declaration(checker, stmt);
    case KILN_STMT_BLOCK:
    case KILN_STMT_GROUP:
        return check_block(checker, stmt);
    case KILN_STMT_IF:
        return check_if(checker, stmt);
    case KILN_STMT_FOR:
        return check_for(checker, stmt);
    case KILN_STMT_WHILE:
        return check_loop(checker, stmt, "while");
    case KILN_STMT_DO:
        return check_loop(checker, stmt, "do");
    case KILN_STMT_BREAK:
    case KILN_STMT_CONTINUE:
        return check_jump(checker, stmt);
    case KILN_STMT_RETURN:
        return check_return(checker, stmt);
    case KILN_STMT_STATIC_ASSERT:
        return check_static_assert(checker, stmt);
    case KILN_STMT_TYPEDEF:
        kiln_check_typedef(checker, stmt);
        return NULL;
    case KILN_STMT_STRUCT:
        kiln_check_struct(checker, stmt);
        return NULL;
    case KILN_STMT_ENUM:
        kiln_check_enum(checker, stmt);
        return NULL;
    }
    return NULL;
}

kiln_action_t *kiln_check_stmt(kiln_checker_t *checker, const kiln_stmt_t *stmt)
{
    kiln_action_t *action =
        kiln_check_enter(checker, stmt->span) ? check_stmt_level(checker, stmt) : NULL;
    kiln_check_leave(checker);
    return action;
}
