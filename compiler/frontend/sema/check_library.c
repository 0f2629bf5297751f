// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the device library under their C names (library.def): computed in f32 or f64, like
// other float functions.
#include "frontend/sema/check_builtin.h"

#include <string.h>

static const kiln_library_t rows[] = {
#define KILN_LIBRARY(name, symbol, signature, count)                                               \
    {name, symbol, KILN_LIBRARY_##signature, count},
#include "frontend/core/library.def"
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

const kiln_library_t *kiln_library_find(const char *name)
{
    for (int i = 0; i < ROW_COUNT; i++)
        if (!strcmp(rows[i].name, name))
            return &rows[i];
    return NULL;
}

const kiln_library_t *kiln_library_row(size_t index)
{
    return index < ROW_COUNT ? &rows[index] : NULL;
}

// Converts all floats to one type that the library supports, and to one shape.
static bool check_floats(const kiln_call_t *call, const kiln_library_t *row, kiln_node_t **list,
                         kiln_scalar_t *own)
{
    kiln_checker_t *checker = call->checker;
    for (size_t i = 0; i < row->count; i++) {
        list[i] = kiln_check_expr(checker, call->expr->list[i]);
        if (kiln_node_is_error(list[i]))
            return false;
        if (!kiln_tile_is_integer(&list[i]->type) && !kiln_tile_is_float(&list[i]->type)) {
            kiln_check_fail(checker, list[i]->span, "%s cannot be applied to %s", row->name,
                            KILN_TYPE_TEXT(checker, &list[i]->type));
            kiln_check_note_declaration(checker, list[i]);
            return false;
        }
    }
    for (int round = 0; round < 2; round++)
        for (size_t i = 1; i < row->count; i++)
            if (!kiln_convert_usual(checker, &list[0], &list[i], call->expr->at, row->name) ||
                !kiln_convert_common_shape(checker, &list[0], &list[i], call->expr->at))
                return false;
    *own = kiln_tile_is_float(&list[0]->type) ? list[0]->type.scalar : KILN_SCALAR_F32;
    for (size_t i = 0; i < row->count; i++)
        list[i] = kiln_convert_element(checker, list[i],
                                       *own == KILN_SCALAR_F64 ? KILN_SCALAR_F64 : KILN_SCALAR_F32);
    return true;
}

kiln_node_t *kiln_check_library_call(kiln_checker_t *checker, const kiln_library_t *row,
                                     const kiln_expr_t *expr)
{
    const kiln_call_t call = {
        .checker = checker, .builtin = kiln_builtin_row(KILN_BUILTIN_EXTERN), .expr = expr};
    size_t count = row->count + (row->signature == KILN_LIBRARY_AND_INT);
    kiln_scalar_t own;
    for (size_t i = 0; i < expr->count; i++)
        if (expr->list[i]->kind == KILN_EXPR_DESIGNATED) {
            kiln_check_fail(checker, expr->list[i]->span, "%s takes no named arguments", row->name);
            return kiln_call_fail(&call);
        }
    if (expr->count != count) {
        kiln_check_fail(checker, expr->at, "wrong number of arguments; %s takes %zu", row->name,
                        count);
        return kiln_call_fail(&call);
    }
    kiln_node_t **list = KILN_ARENA_ARRAY(checker->arena, kiln_node_t *, count);
    if (!check_floats(&call, row, list, &own))
        return kiln_call_fail(&call);
    if (row->signature == KILN_LIBRARY_AND_INT) {
        list[1] = kiln_check_expr(checker, expr->list[1]);
        if (kiln_node_is_error(list[1]))
            return list[1];
        if (!kiln_tile_is_integer(&list[1]->type)) {
            kiln_check_fail(checker, list[1]->span, "%s needs an integer here, got %s", row->name,
                            KILN_TYPE_TEXT(checker, &list[1]->type));
            return kiln_call_fail(&call);
        }
        list[1] = kiln_convert_element(checker, list[1], KILN_SCALAR_I32);
        if (!kiln_convert_common_shape(checker, &list[0], &list[1], expr->at))
            return kiln_call_fail(&call);
    }
    bool to_int = row->signature == KILN_LIBRARY_TO_INT || row->signature == KILN_LIBRARY_TO_BOOL;
    kiln_tile_type_t type =
        kiln_tile_with_scalar(&list[0]->type, to_int ? KILN_SCALAR_I32 : list[0]->type.scalar);
    kiln_node_t *node = kiln_call_make(&call, &type, NULL, NULL, NULL);
    node->inputs = list;
    node->input_count = count;
    node->library = row;
    if (row->signature == KILN_LIBRARY_TO_BOOL)
        return kiln_convert_to_bool(checker, node);
    return to_int ? node : kiln_convert_element(checker, node, own);
}

kiln_node_t *kiln_check_builtin_extern(const kiln_call_t *call)
{
    kiln_check_fail(call->checker, call->expr->at,
                    "device library functions must be called by name");
    return kiln_call_fail(call);
}

// Casts and operations with explicit rounding -----------------------------------------------------

static bool needs_float(const kiln_call_t *call, const kiln_node_t *x)
{
    if (kiln_node_is_error(x))
        return false;
    if (kiln_tile_is_float(&x->type))
        return true;
    kiln_check_fail(call->checker, x->span, "%s needs floats, got %s", call->builtin->name,
                    KILN_TYPE_TEXT(call->checker, &x->type));
    kiln_check_note_declaration(call->checker, x);
    return false;
}

kiln_node_t *kiln_check_builtin_cast(const kiln_call_t *call)
{
    kiln_checker_t *checker = call->checker;
    kiln_tile_type_t type;
    int rounding;
    kiln_node_t *x = kiln_call_type(call, &type) ? kiln_call_argument(call, 1) : NULL;
    if (!x || kiln_node_is_error(x) ||
        !kiln_call_word(call, KILN_BUILTIN_OPTION_ROUNDING, KILN_ROUNDING_NEAREST_EVEN, &rounding))
        return kiln_call_fail(call);
    kiln_node_t *plain = kiln_cast(checker, x, &type, call->expr->at);
    if (kiln_node_is_error(plain) || rounding == KILN_ROUNDING_NEAREST_EVEN)
        return plain;
    int bits = type.is_pointer ? 64 : kiln_scalar_row(type.scalar)->bits;
    bool is_float = !type.is_pointer && (kiln_tile_is_float(&type) || kiln_tile_is_float8(&type));
    if (!is_float || !kiln_tile_is_float(&x->type) ||
        bits >= kiln_scalar_row(x->type.scalar)->bits) {
        kiln_check_fail(checker, call->options[KILN_BUILTIN_OPTION_ROUNDING]->span,
                        ".rounding applies to casts to a smaller float, not from %s to %s",
                        KILN_TYPE_TEXT(checker, &x->type), KILN_TYPE_TEXT(checker, &type));
        return kiln_call_fail(call);
    }
    x = kiln_convert_element(checker, x, x->type.scalar); // the literal's default type
    if (x->type.scalar == KILN_SCALAR_F64) {
        kiln_check_fail(checker, call->options[KILN_BUILTIN_OPTION_ROUNDING]->span,
                        "casts from f64 always round to nearest; cast to f32 first");
        return kiln_call_fail(call);
    }
    kiln_tile_type_t result = kiln_tile_with_scalar(&x->type, type.scalar);
    kiln_node_t *node = kiln_call_make(call, &result, x, NULL, NULL);
    node->settings[0] = rounding;
    return node;
}

kiln_node_t *kiln_check_builtin_sqrt_rn(const kiln_call_t *call)
{
    kiln_node_t *x = kiln_call_argument(call, 0);
    if (!needs_float(call, x))
        return kiln_call_fail(call);
    kiln_scalar_t own = x->type.scalar;
    x = kiln_convert_element(call->checker, x, own == KILN_SCALAR_F64 ? own : KILN_SCALAR_F32);
    return kiln_convert_element(call->checker, kiln_call_make(call, &x->type, x, NULL, NULL), own);
}

// Divisions of floats, correctly rounded and others.
kiln_node_t *kiln_check_builtin_divide(const kiln_call_t *call)
{
    kiln_checker_t *checker = call->checker;
    kiln_node_t *a = kiln_call_argument(call, 0), *b = kiln_call_argument(call, 1);
    bool is_exact = call->builtin->id == KILN_BUILTIN_DIV_RN;
    if ((!is_exact && !kiln_call_flag(call, KILN_BUILTIN_OPTION_IEEE_ROUNDING, false, &is_exact)) ||
        !needs_float(call, a) || !needs_float(call, b) ||
        !kiln_convert_usual(checker, &a, &b, call->expr->at, call->builtin->name) ||
        !kiln_convert_common_shape(checker, &a, &b, call->expr->at))
        return kiln_call_fail(call);
    if (!is_exact)
        return kiln_check_binary(checker, KILN_OPERATOR_DIV, a, b, call->expr->span,
                                 call->expr->at);
    kiln_scalar_t own = a->type.scalar, computed = own == KILN_SCALAR_F64 ? own : KILN_SCALAR_F32;
    a = kiln_convert_element(checker, a, computed);
    b = kiln_convert_element(checker, b, computed);
    kiln_call_t exact = *call;
    exact.builtin = kiln_builtin_row(KILN_BUILTIN_DIV_RN);
    return kiln_convert_element(checker, kiln_call_make(&exact, &a->type, a, b, NULL), own);
}
