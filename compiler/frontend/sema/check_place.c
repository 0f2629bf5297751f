// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places: the variable or the memory that an expression names, which is assigned to or whose
// address is taken.
//
// Only memory has an address that is a value, a pointer: &p[i] is p + i. That of a variable exists
// only as an argument of a call, which may then assign to it.
#include "frontend/sema/check_warn.h"

kiln_symbol_t *kiln_find_reference(kiln_checker_t *checker, const kiln_expr_t *expr)
{
    if (expr->kind != KILN_EXPR_UNARY || expr->op != KILN_OPERATOR_DEREFERENCE ||
        expr->a->kind != KILN_EXPR_NAME)
        return NULL;
    kiln_symbol_t *symbol = kiln_symbol_find(checker, expr->a->name);
    return symbol && symbol->kind == KILN_SYMBOL_REFERENCE ? symbol : NULL;
}

bool kiln_is_slice(const kiln_expr_t *expr)
{
    for (size_t i = 0; i < expr->count; i++)
        if (expr->list[i]->kind == KILN_EXPR_ALL || expr->list[i]->kind == KILN_EXPR_NONE)
            return true;
    return false;
}

kiln_node_t *kiln_check_place(kiln_checker_t *checker, const kiln_expr_t *expr)
{
    if (kiln_find_reference(checker, expr))
        return NULL;
    if (expr->kind == KILN_EXPR_UNARY && expr->op == KILN_OPERATOR_DEREFERENCE)
        return kiln_check_expr(checker, expr->a);
    if (expr->kind != KILN_EXPR_INDEX || kiln_is_slice(expr) || expr->count != 1)
        return NULL;
    kiln_node_t *base = kiln_check_expr(checker, expr->a);
    if (kiln_node_is_error(base))
        return base;
    if (!base->type.is_pointer) {
        if (kiln_tile_is_struct(&base->type))
            kiln_check_fail(checker, expr->span, "%s has members, not elements",
                            KILN_TYPE_TEXT(checker, &base->type));
        else
            kiln_check_fail(
                checker, expr->span,
                "cannot access a single element of %s; tiles are read and written as a whole",
                KILN_TYPE_TEXT(checker, &base->type));
        kiln_check_note_declaration(checker, base);
        return kiln_node_error(checker, expr->span);
    }
    return kiln_check_binary(checker, KILN_OPERATOR_ADD, base,
                             kiln_check_expr(checker, expr->list[0]), expr->span, expr->at);
}

bool kiln_is_memory_address(kiln_checker_t *checker, const kiln_expr_t *expr)
{
    if (expr->kind != KILN_EXPR_ADDRESS || kiln_find_reference(checker, expr->a))
        return false;
    const kiln_expr_t *place = expr->a;
    return place->kind == KILN_EXPR_INDEX ||
           (place->kind == KILN_EXPR_UNARY && place->op == KILN_OPERATOR_DEREFERENCE);
}

kiln_node_t *kiln_check_memory_address(kiln_checker_t *checker, const kiln_expr_t *expr)
{
    kiln_node_t *pointer = kiln_check_place(checker, expr->a);
    if (!pointer) {
        kiln_check_fail(
            checker, expr->span,
            "the address of a variable is allowed only as an argument of a call, as in f(&x)");
        return kiln_node_error(checker, expr->span);
    }
    if (!kiln_node_is_error(pointer) && !pointer->type.is_pointer) {
        kiln_check_fail(checker, expr->span, "expected the address of an element of memory, got %s",
                        KILN_TYPE_TEXT(checker, &pointer->type));
        return kiln_node_error(checker, expr->span);
    }
    return pointer;
}

kiln_variable_t *kiln_check_target(kiln_checker_t *checker, const kiln_expr_t *target,
                                   kiln_span_t at)
{
    if (target->kind == KILN_EXPR_MEMBER) {
        const kiln_variable_t *whole = kiln_check_target(checker, target->a, at);
        return whole ? kiln_find_member(checker, whole, target) : NULL;
    }
    const kiln_symbol_t *reference = kiln_find_reference(checker, target);
    if (reference && !reference->is_const)
        return reference->variable;
    if (reference) {
        kiln_check_fail(checker, target->span, "cannot assign through '%s', which points to const",
                        reference->name);
        KILN_REPORT_NOTE(checker->reporter, reference->at, "'%s' is declared here",
                         reference->name);
        return NULL;
    }
    if (target->kind != KILN_EXPR_NAME) {
        kiln_check_fail(
            checker, at,
            "expression is not assignable; expected a variable or a dereferenced pointer");
        return NULL;
    }
    kiln_symbol_t *symbol = kiln_symbol_find(checker, target->name);
    if (!symbol) {
        kiln_check_expr(checker, target); // reports the unknown name
        return NULL;
    }
    if (symbol->kind == KILN_SYMBOL_REFERENCE) {
        kiln_check_fail(checker, target->span, "'%s' points to a variable; assign to *%s",
                        target->name, target->name);
        return NULL;
    }
    if (symbol->kind != KILN_SYMBOL_VARIABLE || symbol->variable->is_const) {
        kiln_check_fail(checker, target->span, "cannot assign to constant '%s'", target->name);
        KILN_REPORT_NOTE(checker->reporter, symbol->at, "'%s' is declared here", target->name);
        return NULL;
    }
    return symbol->variable;
}
