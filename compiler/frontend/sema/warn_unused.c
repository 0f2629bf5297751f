// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warns of variables, constants and parameters that are never read, in every function of the file.
//
// This works on the syntax tree, not on the checked program: a name in a branch that `if constexpr`
// discards counts as used, and so does one in a helper that is never called.
#include "frontend/sema/check_warn.h"

typedef enum kind { VARIABLE, PARAMETER } kind_t;

typedef struct entry {
    const char *name;
    kiln_span_t at;
    kind_t kind;
    bool is_read, is_set;
} entry_t;

typedef struct walk {
    kiln_checker_t *checker;
    entry_t *entries; // innermost last
    size_t count, capacity;
} walk_t;

static void walk_expr(walk_t *walk, const kiln_expr_t *expr, bool is_discarded);

static void declare(walk_t *walk, const char *name, kiln_span_t at, kind_t kind)
{
    if (!name)
        return;
    entry_t entry = {.name = name, .at = at, .kind = kind};
    KILN_ARENA_PUSH(walk->checker->arena, walk->entries, walk->count, walk->capacity, entry);
}

static entry_t *find(walk_t *walk, const char *name)
{
    for (size_t i = walk->count; i > 0; i--)
        if (walk->entries[i - 1].name == name)
            return &walk->entries[i - 1];
    return NULL; // a constant of the file, or a function
}

static void mark_read(walk_t *walk, const char *name)
{
    entry_t *entry = find(walk, name);
    if (entry)
        entry->is_read = true;
}

static void close_scope(walk_t *walk, size_t opened)
{
    for (size_t i = opened; i < walk->count; i++) {
        const entry_t *entry = &walk->entries[i];
        if (entry->is_read)
            continue;
        if (entry->kind == PARAMETER)
            kiln_check_warn(walk->checker, KILN_WARNING_UNUSED_PARAMETER, entry->at,
                            "unused parameter '%s'", entry->name);
        else if (entry->is_set)
            kiln_check_warn(walk->checker, KILN_WARNING_UNUSED_BUT_SET_VARIABLE, entry->at,
                            "'%s' is set but never read", entry->name);
        else
            kiln_check_warn(walk->checker, KILN_WARNING_UNUSED_VARIABLE, entry->at,
                            "unused variable '%s'", entry->name);
    }
    walk->count = opened;
}

// Expressions -------------------------------------------------------------------------------------

static void walk_type(walk_t *walk, const kiln_type_syntax_t *type)
{
    if (!type)
        return;
    if (type->name)
        mark_read(walk, type->name);
    for (size_t i = 0; i < type->dim_count; i++)
        if (type->dims[i])
            walk_expr(walk, type->dims[i], false);
}

// The left side of = is not read; that of += and ++ only if the result is used.
static void walk_target(walk_t *walk, const kiln_expr_t *target, bool is_read)
{
    while (target->kind == KILN_EXPR_MEMBER && !is_read)
        target = target->a;
    entry_t *entry = target->kind == KILN_EXPR_NAME ? find(walk, target->name) : NULL;
    if (!entry || is_read)
        walk_expr(walk, target, false);
    if (entry)
        entry->is_set = true;
}

static void walk_expr(walk_t *walk, const kiln_expr_t *expr, bool is_discarded)
{
    if (!expr)
        return;
    walk_type(walk, expr->type);
    switch (expr->kind) {
    case KILN_EXPR_NAME:
        mark_read(walk, expr->name);
        return;
    case KILN_EXPR_ASSIGN:
        walk_expr(walk, expr->b, false);
        walk_target(walk, expr->a, expr->op && !is_discarded);
        return;
    case KILN_EXPR_STEP:
        walk_target(walk, expr->a, !is_discarded);
        return;
    case KILN_EXPR_BINARY:
        walk_expr(walk, expr->a, expr->op == KILN_OPERATOR_COMMA);
        walk_expr(walk, expr->b, expr->op == KILN_OPERATOR_COMMA && is_discarded);
        return;
    default:
        break;
    }
    walk_expr(walk, expr->a, false);
    walk_expr(walk, expr->b, false);
    walk_expr(walk, expr->c, false);
    for (size_t i = 0; i < expr->count; i++)
        walk_expr(walk, expr->list[i], false);
}

// Statements --------------------------------------------------------------------------------------

static void walk_stmt(walk_t *walk, const kiln_stmt_t *stmt)
{
    if (!stmt || stmt->kind == KILN_STMT_ENUM)
        return;
    if (stmt->kind == KILN_STMT_STRUCT) { // its members are not variables
        for (size_t i = 0; i < stmt->count; i++)
            walk_type(walk, stmt->list[i]->type);
        return;
    }
    size_t opened = walk->count;
    for (size_t i = 0; i < stmt->attribute_count; i++)
        walk_expr(walk, stmt->attributes[i].value, false);
    walk_type(walk, stmt->type);
    walk_stmt(walk, stmt->init);
    walk_expr(walk, stmt->value, stmt->kind == KILN_STMT_EXPR);
    walk_expr(walk, stmt->condition, false);
    for (size_t i = 0; i < stmt->count; i++)
        walk_stmt(walk, stmt->list[i]);
    size_t body = walk->count;
    walk_stmt(walk, stmt->body);
    close_scope(walk, body);
    walk_stmt(walk, stmt->otherwise);
    close_scope(walk, body);
    walk_expr(walk, stmt->step, true);
    if (stmt->kind == KILN_STMT_DECLARE)
        declare(walk, stmt->name, stmt->at, VARIABLE);
    else if (stmt->kind != KILN_STMT_GROUP) // a group has no scope
        close_scope(walk, opened);
}

void kiln_warn_unused(kiln_checker_t *checker)
{
    walk_t walk = {.checker = checker};
    for (size_t i = 0; i < checker->unit->function_count; i++) {
        const kiln_function_syntax_t *function = checker->unit->functions[i];
        walk_type(&walk, function->result);
        for (size_t j = 0; j < function->parameter_count; j++) {
            const kiln_parameter_syntax_t *parameter = &function->parameters[j];
            walk_type(&walk, parameter->type);
            walk_expr(&walk, parameter->value, false);
            declare(&walk, parameter->name, parameter->at, PARAMETER);
        }
        // A result's sizes are written before the parameters that they refer to.
        walk_type(&walk, function->result);
        walk_stmt(&walk, function->body);
        close_scope(&walk, 0);
    }
}
