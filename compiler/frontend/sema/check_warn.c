// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warnings given while checking, when both the syntax tree and the types are available.
#include "frontend/sema/check_warn.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_new(kiln_checker_t *checker, kiln_warning_id_t id, kiln_span_t at,
                   const char *message)
{
    const kiln_warned_t entry = {id, at.begin, message};
    for (size_t i = 0; i < checker->warned_count; i++) {
        const kiln_warned_t *warned = &checker->warned[i];
        if (warned->id == id && warned->at == at.begin && strcmp(warned->message, message) == 0)
            return false;
    }
    KILN_ARENA_PUSH(checker->arena, checker->warned, checker->warned_count,
                    checker->warned_capacity, entry);
    return true;
}

bool kiln_check_warn(kiln_checker_t *checker, kiln_warning_id_t id, kiln_span_t at,
                     const char *format, ...)
{
    if (checker->unreachable || kiln_span_is_prelude(at) ||
        !kiln_warning_is_enabled(&checker->reporter->warnings, id))
        return false;
    va_list arguments;
    va_start(arguments, format);
    const char *message = kiln_arena_vprint(checker->arena, format, arguments);
    va_end(arguments);
    if (!is_new(checker, id, at, message))
        return false;
    kiln_report_warning(checker->reporter, id, at, "%s", message);
    kiln_check_note_calls(checker);
    return true;
}

// Form --------------------------------------------------------------------------------------------

void kiln_warn_condition(kiln_checker_t *checker, const kiln_expr_t *expr)
{
    if (expr->kind != KILN_EXPR_ASSIGN || expr->op || expr->is_enclosed)
        return;
    if (kiln_check_warn(checker, KILN_WARNING_PARENTHESES, expr->at,
                        "the result of an assignment is used as a condition"))
        KILN_REPORT_NOTE(
            checker->reporter, expr->at,
            "use '==' to compare, or parentheses around the assignment to silence this warning");
}

static bool is_bare(const kiln_expr_t *expr, kiln_operator_t first, kiln_operator_t last)
{
    return expr->kind == KILN_EXPR_BINARY && !expr->is_enclosed && expr->op >= first &&
           expr->op <= last;
}

// The operand that binds tighter than this operator although one might expect the opposite.
static const kiln_expr_t *tighter(const kiln_expr_t *expr, kiln_operator_t first,
                                  kiln_operator_t last)
{
    return is_bare(expr->a, first, last) ? expr->a : is_bare(expr->b, first, last) ? expr->b : NULL;
}

void kiln_warn_precedence(kiln_checker_t *checker, const kiln_expr_t *expr, const kiln_node_t *a,
                          const kiln_node_t *b)
{
    bool is_bitwise = expr->op == KILN_OPERATOR_AND || expr->op == KILN_OPERATOR_OR ||
                      expr->op == KILN_OPERATOR_XOR;
    bool is_shift = expr->op == KILN_OPERATOR_SHL || expr->op == KILN_OPERATOR_SHR;
    const kiln_expr_t *inner = NULL;
    // Combining two masks needs no parentheses: `m & i < n`.
    if (is_bitwise && !(kiln_tile_is_bool(&a->type) && kiln_tile_is_bool(&b->type)))
        inner = tighter(expr, KILN_OPERATOR_LT, KILN_OPERATOR_NE);
    else if (is_shift)
        inner = tighter(expr, KILN_OPERATOR_ADD, KILN_OPERATOR_SUB);
    if (inner)
        kiln_check_warn(
            checker, KILN_WARNING_PARENTHESES, expr->at,
            "'%s' has lower precedence than '%s', which is evaluated first; use parentheses",
            kiln_operator_spelling(expr->op), kiln_operator_spelling(inner->op));
    bool is_order = expr->op >= KILN_OPERATOR_LT && expr->op <= KILN_OPERATOR_GE;
    if (is_order && is_bare(expr->a, KILN_OPERATOR_LT, KILN_OPERATOR_GE))
        kiln_check_warn(checker, KILN_WARNING_PARENTHESES, expr->at,
                        "'a %s b %s c' compares a bool with c; write 'a %s b && b %s c'",
                        kiln_operator_spelling(expr->a->op), kiln_operator_spelling(expr->op),
                        kiln_operator_spelling(expr->a->op), kiln_operator_spelling(expr->op));
}

// Unused values -----------------------------------------------------------------------------------

static bool has_effect(const kiln_node_t *node)
{
    bool is_atomic = node->builtin->options >> KILN_BUILTIN_OPTION_ORDER & 1;
    return node->type.scalar == KILN_SCALAR_VOID || node->output_count || is_atomic;
}

void kiln_warn_discarded(kiln_checker_t *checker, const kiln_expr_t *expr, const kiln_node_t *node)
{
    if (kiln_node_is_error(node))
        return;
    switch (expr->kind) {
    case KILN_EXPR_ASSIGN:
    case KILN_EXPR_STEP:
        return;
    case KILN_EXPR_CALL:
        // A helper may have effects; a built-in function without effects becomes a single node or
        // is folded.
        if (node->kind == KILN_NODE_BUILTIN && !has_effect(node))
            kiln_check_warn(checker, KILN_WARNING_UNUSED_VALUE, expr->at,
                            "the result of '%s' is unused, and it has no other effect", expr->name);
        return;
    case KILN_EXPR_BINARY:
        if (expr->op == KILN_OPERATOR_COMMA) // its left side has been checked
            return;
        if (expr->op == KILN_OPERATOR_LOGICAL_AND ||
            expr->op == KILN_OPERATOR_LOGICAL_OR) // c && f()
            if (expr->b->kind == KILN_EXPR_CALL || expr->b->kind == KILN_EXPR_ASSIGN)
                return;
        break;
    case KILN_EXPR_CONDITIONAL:
        if (node->type.scalar == KILN_SCALAR_VOID || expr->b->kind == KILN_EXPR_ASSIGN ||
            expr->c->kind == KILN_EXPR_ASSIGN)
            return;
        break;
    default:
        break;
    }
    if (expr->kind == KILN_EXPR_BINARY && expr->op == KILN_OPERATOR_EQ)
        kiln_check_warn(checker, KILN_WARNING_UNUSED_VALUE, expr->at,
                        "the result of this comparison is unused; did you mean '='?");
    else
        kiln_check_warn(checker, KILN_WARNING_UNUSED_VALUE, expr->at,
                        "the result of this expression is unused");
}

// Constants ---------------------------------------------------------------------------------------

static bool is_signed(kiln_scalar_t scalar)
{
    kiln_tile_type_t type = kiln_tile_scalar(scalar);
    return kiln_tile_is_integer(&type) && !kiln_tile_is_unsigned(&type);
}

void kiln_warn_overflow(kiln_checker_t *checker, kiln_operator_t op, kiln_constant_t a,
                        kiln_constant_t b, kiln_constant_t result, kiln_span_t at)
{
    int64_t exact = 0;
    bool overflows = false;
    if (!is_signed(a.scalar))
        return;
    if (op == KILN_OPERATOR_ADD)
        overflows = __builtin_add_overflow(a.integer, b.integer, &exact);
    else if (op == KILN_OPERATOR_SUB || op == KILN_OPERATOR_NEGATE) // −a: 0 − a
        overflows = __builtin_sub_overflow(a.integer, b.integer, &exact);
    else if (op == KILN_OPERATOR_MUL)
        overflows = __builtin_mul_overflow(a.integer, b.integer, &exact);
    else
        return;
    if (overflows || exact != result.integer)
        kiln_check_warn(checker, KILN_WARNING_INTEGER_OVERFLOW, at,
                        "this overflows %s: the result is %lld",
                        kiln_scalar_row(a.scalar)->spelling, (long long)result.integer);
}

void kiln_warn_shift(kiln_checker_t *checker, const kiln_node_t *value, const kiln_node_t *count,
                     kiln_span_t at)
{
    if (!kiln_node_is_constant(count))
        return;
    kiln_scalar_t scalar = kiln_scalar_promote(value->type.scalar);
    int width = kiln_scalar_row(scalar)->bits;
    int64_t by = count->constant.integer;
    if (by < 0 && !kiln_tile_is_unsigned(&count->type))
        kiln_check_warn(checker, KILN_WARNING_SHIFT_COUNT, at, "shift by %lld is undefined",
                        (long long)by);
    else if (by >= width || by < 0)
        kiln_check_warn(checker, KILN_WARNING_SHIFT_COUNT, at,
                        "shift of %s by %llu, at least its width, is undefined",
                        kiln_scalar_row(scalar)->spelling, (unsigned long long)by);
}

static double largest(kiln_scalar_t scalar)
{
    switch (scalar) {
    case KILN_SCALAR_F16:
        return 65519.99; // larger values round to infinity
    case KILN_SCALAR_BF16:
        return 0x1.ffp127;
    case KILN_SCALAR_F32:
        return 0x1.ffffffp127;
    case KILN_SCALAR_F8E4M3FN:
        return 448;
    case KILN_SCALAR_F8E4M3FNUZ:
        return 240;
    case KILN_SCALAR_F8E5M2:
    case KILN_SCALAR_F8E5M2FNUZ:
        return 57344;
    default:
        return INFINITY;
    }
}

void kiln_warn_literal(kiln_checker_t *checker, kiln_scalar_t scalar, double value,
                       kiln_span_t span)
{
    if (isfinite(value) && fabs(value) > largest(scalar))
        kiln_check_warn(checker, KILN_WARNING_CONSTANT_CONVERSION, span, "%s cannot hold %g",
                        kiln_scalar_row(scalar)->spelling, value);
}

void kiln_warn_conversion(kiln_checker_t *checker, const kiln_node_t *node, kiln_scalar_t to)
{
    while (node->kind == KILN_NODE_BROADCAST)
        node = node->a;
    if (!kiln_node_is_constant(node) || (node->type.scalar == to && !node->is_flexible) ||
        to == KILN_SCALAR_BOOL)
        return;
    kiln_constant_t from = node->constant, result;
    kiln_tile_type_t own = kiln_tile_scalar(from.scalar), wanted = kiln_tile_scalar(to);
    bool from_integer = kiln_tile_is_integer(&own), to_integer = kiln_tile_is_integer(&wanted);
    const char *name = kiln_scalar_row(to)->spelling;
    if (!to_integer) {
        double value = !from_integer                 ? from.floating
                       : kiln_tile_is_unsigned(&own) ? (double)(uint64_t)from.integer
                                                     : (double)from.integer;
        if (isfinite(value) && fabs(value) > largest(to))
            kiln_check_warn(checker, KILN_WARNING_CONSTANT_CONVERSION, node->span,
                            "%s cannot hold %g", name, value);
        return;
    }
    if (!from_integer) {
        if (!kiln_fold_convert(from, to, &result))
            kiln_check_warn(checker, KILN_WARNING_CONSTANT_CONVERSION, node->span,
                            "%s cannot hold %g", name, from.floating);
        else if ((kiln_tile_is_unsigned(&wanted) ? (double)(uint64_t)result.integer
                                                 : (double)result.integer) != from.floating)
            kiln_check_warn(checker, KILN_WARNING_CONSTANT_CONVERSION, node->span,
                            "the conversion to %s changes %g to %lld", name, from.floating,
                            (long long)result.integer);
        return;
    }
    // For types of equal width, -1 as the largest number is common in C.
    if (kiln_scalar_row(to)->bits >= kiln_scalar_row(from.scalar)->bits ||
        !kiln_fold_convert(from, to, &result) || result.integer == from.integer)
        return;
    kiln_check_warn(checker, KILN_WARNING_CONSTANT_CONVERSION, node->span,
                    "the conversion to %s changes %lld to %lld", name, (long long)from.integer,
                    (long long)result.integer);
}
