// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise built-in functions.
//
// Float functions are computed in f32 or f64 and rounded back; the others keep C's arithmetic
// conversions.
#include "frontend/sema/check_builtin.h"

// Float functions are computed in f32 or f64: integers are converted to f32, and results for f16
// and bf16 are converted back.
kiln_node_t *kiln_check_builtin_math(const kiln_call_t *call)
{
    kiln_node_t *x = kiln_call_argument(call, 0);
    if (!kiln_call_needs_arithmetic(call, x))
        return kiln_call_fail(call);
    kiln_scalar_t own = kiln_tile_is_float(&x->type) ? x->type.scalar : KILN_SCALAR_F32;
    x = kiln_convert_element(call->checker, x, own == KILN_SCALAR_F64 ? own : KILN_SCALAR_F32);
    return kiln_convert_element(call->checker, kiln_call_make(call, &x->type, x, NULL, NULL), own);
}

kiln_node_t *kiln_check_builtin_numeric1(const kiln_call_t *call)
{
    kiln_node_t *x = kiln_call_argument(call, 0);
    if (!kiln_call_needs_arithmetic(call, x))
        return kiln_call_fail(call);
    if (kiln_tile_is_integer(&x->type))
        x = kiln_convert_element(call->checker, x, kiln_scalar_promote(x->type.scalar));
    else if (x->is_flexible)
        x = kiln_convert_element(call->checker, x, KILN_SCALAR_F32);
    return kiln_tile_is_unsigned(&x->type) ? x : kiln_call_make(call, &x->type, x, NULL, NULL);
}

// Converts all arguments to one type and shape.
static bool common_arguments(const kiln_call_t *call, kiln_node_t **list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        list[i] = kiln_call_argument(call, i);
    for (int round = 0; round < 2; round++) // the second round propagates the last argument's type
                                            // and shape
        for (size_t i = 1; i < count; i++)
            if (!kiln_convert_usual(call->checker, &list[0], &list[i], call->expr->at,
                                    call->builtin->name) ||
                !kiln_convert_common_shape(call->checker, &list[0], &list[i], call->expr->at))
                return false;
    for (size_t i = 0; i < count; i++) // literals only
        list[i] = kiln_convert_element(call->checker, list[i], list[i]->type.scalar);
    return true;
}

kiln_node_t *kiln_check_builtin_numeric2(const kiln_call_t *call)
{
    kiln_node_t *list[2];
    if (!common_arguments(call, list, 2))
        return kiln_call_fail(call);
    return kiln_call_make(call, &list[0]->type, list[0], list[1], NULL);
}

kiln_node_t *kiln_check_builtin_numeric3(const kiln_call_t *call)
{
    kiln_node_t *list[3];
    if (!common_arguments(call, list, 3))
        return kiln_call_fail(call);
    return kiln_call_make(call, &list[0]->type, list[0], list[1], list[2]);
}

kiln_node_t *kiln_check_builtin_fma(const kiln_call_t *call)
{
    kiln_node_t *node = kiln_check_builtin_numeric3(call);
    if (kiln_node_is_error(node) || kiln_tile_is_float(&node->type))
        return node;
    kiln_check_fail(call->checker, call->expr->span, "fma needs floats, got %s",
                    KILN_TYPE_TEXT(call->checker, &node->type));
    return kiln_call_fail(call);
}

kiln_node_t *kiln_check_builtin_umulhi(const kiln_call_t *call)
{
    kiln_node_t *list[2];
    if (!common_arguments(call, list, 2))
        return kiln_call_fail(call);
    if (kiln_tile_is_integer(&list[0]->type))
        return kiln_call_make(call, &list[0]->type, list[0], list[1], NULL);
    kiln_check_fail(call->checker, call->expr->span, "umulhi needs integers");
    return kiln_call_fail(call);
}

bool kiln_check_division(kiln_checker_t *checker, const kiln_node_t *a, const kiln_node_t *b,
                         kiln_span_t at)
{
    // In `D != 0 ? n / D : 0` the division is not executed if D is 0.
    if (checker->unreachable || !kiln_tile_is_integer(&b->type) || !kiln_node_is_constant(b))
        return true;
    kiln_constant_t quotient;
    if (!b->constant.integer) {
        kiln_check_fail_between(checker, at, a, b, "division by zero");
        return false;
    }
    if (!kiln_node_is_constant(a) ||
        kiln_fold_binary(KILN_OPERATOR_DIV, a->constant, b->constant, &quotient))
        return true;
    kiln_check_fail_between(checker, at, a, b, "this division overflows %s",
                            KILN_TYPE_TEXT(checker, &a->type));
    return false;
}

kiln_node_t *kiln_check_builtin_cdiv(const kiln_call_t *call)
{
    kiln_checker_t *checker = call->checker;
    kiln_node_t *list[] = {kiln_call_argument(call, 0), kiln_call_argument(call, 1)};
    if (kiln_node_is_error(list[0]) || kiln_node_is_error(list[1]))
        return kiln_call_fail(call);
    if (!kiln_tile_is_integer(&list[0]->type) || !kiln_tile_is_integer(&list[1]->type)) {
        kiln_check_fail(checker, call->expr->span, "cdiv needs integers, got %s and %s",
                        KILN_TYPE_TEXT(checker, &list[0]->type),
                        KILN_TYPE_TEXT(checker, &list[1]->type));
        return kiln_call_fail(call);
    }
    if (!common_arguments(call, list, 2))
        return kiln_call_fail(call);
    if (!kiln_check_division(checker, list[0], list[1], call->expr->at))
        return kiln_call_fail(call);
    return kiln_call_make(call, &list[0]->type, list[0], list[1], NULL);
}

kiln_node_t *kiln_check_builtin_where(const kiln_call_t *call)
{
    kiln_checker_t *checker = call->checker;
    kiln_node_t *condition = kiln_convert_to_bool(checker, kiln_call_argument(call, 0));
    kiln_node_t *a = kiln_call_argument(call, 1), *b = kiln_call_argument(call, 2);
    kiln_span_t at = call->expr->at;
    if (kiln_node_is_error(condition) || kiln_node_is_error(a) || kiln_node_is_error(b))
        return kiln_call_fail(call);
    bool are_pointers =
        a->type.is_pointer && b->type.is_pointer && a->type.scalar == b->type.scalar;
    bool are_bools = kiln_tile_is_bool(&a->type) && kiln_tile_is_bool(&b->type);
    bool are_same = a->type.scalar == b->type.scalar && !a->is_flexible &&
                    kiln_tile_is_arithmetic(&a->type) && kiln_tile_is_arithmetic(&b->type);
    if (!are_pointers && !are_bools && !are_same &&
        !kiln_convert_usual(checker, &a, &b, at, "where"))
        return kiln_call_fail(call);
    if (!kiln_convert_common_shape(checker, &a, &b, at) ||
        !kiln_convert_common_shape(checker, &condition, &a, at) ||
        !kiln_convert_common_shape(checker, &b, &a, at))
        return kiln_call_fail(call);
    kiln_node_t *node = kiln_node_make(checker, KILN_NODE_SELECT, &a->type, call->expr->span, at);
    node->type.is_const = a->type.is_const || b->type.is_const;
    node->a = condition;
    node->b = a;
    node->c = b;
    return node;
}
