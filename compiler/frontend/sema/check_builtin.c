// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of built-in functions: shared helpers, the grid, shapes, promises, and the table. The
// other checks are in check_math.c, check_memory.c and check_reduce.c.
//
// Some functions need no operation of their own and become other nodes here (where, full, zeros,
// broadcast).
#include "frontend/sema/check_builtin.h"

#include <string.h>

kiln_node_t *kiln_call_fail(const kiln_call_t *call)
{
    return kiln_node_error(call->checker, call->expr->span);
}

kiln_node_t *kiln_call_argument(const kiln_call_t *call, size_t index)
{
    const kiln_expr_t *expr = index < call->expr->count ? call->expr->list[index] : NULL;
    if (!expr)
        return NULL;
    kiln_node_t *node = kiln_check_expr(call->checker, expr);
    if (!kiln_tile_is_struct(&node->type))
        return node;
    kiln_check_fail(call->checker, node->span, "%s cannot be applied to %s", call->builtin->name,
                    KILN_TYPE_TEXT(call->checker, &node->type));
    kiln_check_note_declaration(call->checker, node);
    return kiln_call_fail(call);
}

kiln_span_t kiln_call_place(const kiln_call_t *call, size_t index)
{
    return call->expr->list[index]->span;
}

kiln_node_t *kiln_call_make(const kiln_call_t *call, const kiln_tile_type_t *type, kiln_node_t *a,
                            kiln_node_t *b, kiln_node_t *c)
{
    if ((a && kiln_node_is_error(a)) || (b && kiln_node_is_error(b)) ||
        (c && kiln_node_is_error(c)))
        return kiln_call_fail(call);
    kiln_node_t *node =
        kiln_node_make(call->checker, KILN_NODE_BUILTIN, type, call->expr->span, call->expr->at);
    node->builtin = call->builtin;
    node->arguments[0] = a;
    node->arguments[1] = b;
    node->arguments[2] = c;
    return node;
}

kiln_node_t *kiln_call_make_row(const kiln_call_t *call, kiln_builtin_id_t id,
                                const kiln_tile_type_t *type, kiln_node_t *a)
{
    kiln_call_t other = *call;
    other.builtin = kiln_builtin_row(id);
    return kiln_call_make(&other, type, a, NULL, NULL);
}

bool kiln_call_axis(const kiln_call_t *call, size_t index, int rank, int *out)
{
    int64_t axis;
    if (!kiln_check_constant_int(call->checker, call->expr->list[index], "an axis", &axis))
        return false;
    if (axis < -rank || axis >= rank) {
        kiln_check_fail(call->checker, kiln_call_place(call, index),
                        "axis %lld is out of range: the tile has %d dimension%s", (long long)axis,
                        rank, rank == 1 ? "" : "s");
        return false;
    }
    *out = (int)(axis < 0 ? axis + rank : axis);
    return true;
}

bool kiln_call_sizes(const kiln_call_t *call, size_t first, kiln_tile_type_t *type)
{
    if (call->expr->count - first > KILN_TILE_RANK_LIMIT) {
        kiln_check_fail(call->checker, call->expr->span, "a tile has at most %d dimensions",
                        KILN_TILE_RANK_LIMIT);
        return false;
    }
    type->rank = (int)(call->expr->count - first);
    for (size_t i = first; i < call->expr->count; i++)
        if (!kiln_check_constant_int(call->checker, call->expr->list[i], "a tile's size",
                                     &type->shape[i - first]))
            return false;
    return kiln_check_shape(call->checker, type, call->expr->span);
}

bool kiln_call_needs_tile(const kiln_call_t *call, const kiln_node_t *node)
{
    if (kiln_node_is_error(node))
        return false;
    if (node->type.rank)
        return true;
    if (!strcmp(call->builtin->name, "max") || !strcmp(call->builtin->name, "min"))
        kiln_check_fail(call->checker, node->span,
                        "%s reduces a tile along an axis; for two values write %simum(a, b)",
                        call->builtin->name, call->builtin->name);
    else
        kiln_check_fail(call->checker, node->span, "%s needs a tile, got %s", call->builtin->name,
                        KILN_TYPE_TEXT(call->checker, &node->type));
    return false;
}

bool kiln_call_needs_arithmetic(const kiln_call_t *call, const kiln_node_t *node)
{
    if (kiln_node_is_error(node))
        return false;
    if (kiln_tile_is_integer(&node->type) || kiln_tile_is_float(&node->type))
        return true;
    kiln_check_fail(call->checker, node->span, "%s cannot be applied to %s", call->builtin->name,
                    KILN_TYPE_TEXT(call->checker, &node->type));
    kiln_check_note_declaration(call->checker, node);
    return false;
}

// The grid ----------------------------------------------------------------------------------------

kiln_node_t *kiln_check_builtin_axis(const kiln_call_t *call)
{
    int64_t axis;
    kiln_tile_type_t type = kiln_tile_scalar(KILN_SCALAR_I32);
    if (!kiln_check_constant_int(call->checker, call->expr->list[0], "an axis of the grid", &axis))
        return kiln_call_fail(call);
    if (axis < 0 || axis > 2) {
        kiln_check_fail(call->checker, kiln_call_place(call, 0),
                        "the axis of a grid must be 0, 1 or 2");
        return kiln_call_fail(call);
    }
    kiln_node_t *node = kiln_call_make(call, &type, NULL, NULL, NULL);
    node->axes[0] = (int)axis;
    return node;
}

// Creating and reshaping --------------------------------------------------------------------------

kiln_node_t *kiln_check_builtin_range(const kiln_call_t *call)
{
    int64_t bounds[2] = {0, 0};
    bool is_setting = false;
    for (size_t i = 0; i < call->expr->count; i++) {
        kiln_node_t *bound = kiln_call_argument(call, i);
        if (kiln_node_is_error(bound))
            return bound;
        if (!kiln_node_is_constant(bound) || !kiln_tile_is_integer(&bound->type)) {
            kiln_check_fail(call->checker, kiln_call_place(call, i),
                            "range's bounds must be integer constants; for a variable start write "
                            "start + range(count)");
            return kiln_call_fail(call);
        }
        bounds[i] = bound->constant.integer;
        is_setting |= bound->constant.is_setting;
    }
    int64_t start = call->expr->count == 2 ? bounds[0] : 0,
            end = call->expr->count == 2 ? bounds[1] : bounds[0];
    kiln_tile_type_t type = {.scalar = KILN_SCALAR_I32, .rank = 1};
    if (start < INT32_MIN || end > INT32_MAX || start >= end) {
        kiln_check_fail(call->checker, call->expr->span,
                        "range(%lld, %lld) is empty or exceeds i32", (long long)start,
                        (long long)end);
        return kiln_call_fail(call);
    }
    type.shape[0] = end - start;
    if (!kiln_check_shape(call->checker, &type, call->expr->span))
        return kiln_call_fail(call);
    kiln_node_t *node = kiln_call_make(call, &type, NULL, NULL, NULL);
    node->start = start;
    node->end = end;
    node->is_setting = is_setting;
    return node;
}

// The element type given as the first argument.
bool kiln_call_type(const kiln_call_t *call, kiln_tile_type_t *out)
{
    const kiln_expr_t *expr = call->expr->list[0];
    if (expr->kind != KILN_EXPR_TYPE) {
        kiln_check_fail(call->checker, expr->span, "the first argument of %s must be a type: %s",
                        call->builtin->name, call->builtin->usage);
        return false;
    }
    return kiln_resolve_element(call->checker, expr->type, out);
}

kiln_node_t *kiln_check_builtin_zeros(const kiln_call_t *call)
{
    kiln_tile_type_t type;
    if (!kiln_call_type(call, &type) || !kiln_call_sizes(call, 1, &type))
        return kiln_call_fail(call);
    if (!kiln_tile_is_arithmetic(&type)) {
        kiln_check_fail(call->checker, kiln_call_place(call, 0), "expected a numeric type, got %s",
                        KILN_TYPE_TEXT(call->checker, &type));
        return kiln_call_fail(call);
    }
    kiln_node_t *zero = kiln_node_int(call->checker, KILN_SCALAR_I32, 0, call->expr->span);
    return kiln_convert_shape(call->checker, kiln_convert_element(call->checker, zero, type.scalar),
                              &type);
}

kiln_node_t *kiln_check_builtin_full(const kiln_call_t *call)
{
    kiln_node_t *value = kiln_call_argument(call, 0);
    kiln_tile_type_t type = value->type;
    if (kiln_node_is_error(value) || !kiln_call_sizes(call, 1, &type))
        return kiln_call_fail(call);
    return kiln_convert_implicitly(call->checker, value, &type, kiln_call_place(call, 0),
                                   "broadcast this");
}

kiln_node_t *kiln_check_builtin_reshape(const kiln_call_t *call)
{
    kiln_node_t *x = kiln_call_argument(call, 0);
    kiln_tile_type_t type = x->type;
    if (!kiln_call_needs_tile(call, x) || !kiln_call_sizes(call, 1, &type))
        return kiln_call_fail(call);
    if (kiln_tile_type_count(&type) != kiln_tile_type_count(&x->type)) {
        kiln_check_fail(
            call->checker, call->expr->span,
            "cannot reshape %s to %s: %lld elements do not fit %lld",
            KILN_TYPE_TEXT(call->checker, &x->type), KILN_TYPE_TEXT(call->checker, &type),
            (long long)kiln_tile_type_count(&x->type), (long long)kiln_tile_type_count(&type));
        return kiln_call_fail(call);
    }
    return kiln_call_make(call, &type, x, NULL, NULL);
}

kiln_node_t *kiln_check_builtin_trans(const kiln_call_t *call)
{
    kiln_node_t *x = kiln_call_argument(call, 0);
    if (!kiln_call_needs_tile(call, x))
        return kiln_call_fail(call);
    int rank = x->type.rank, order[KILN_TILE_RANK_LIMIT];
    unsigned seen = 0;
    if (call->expr->count == 1) { // swaps the last two dimensions
        if (rank < 2) {
            kiln_check_fail(call->checker, kiln_call_place(call, 0),
                            "cannot exchange dimensions of %s: it has fewer than two",
                            KILN_TYPE_TEXT(call->checker, &x->type));
            return kiln_call_fail(call);
        }
        for (int i = 0; i < rank; i++)
            order[i] = i < rank - 2 ? i : i == rank - 2 ? rank - 1 : rank - 2;
    } else if (call->expr->count != (size_t)rank + 1) {
        kiln_check_fail(call->checker, call->expr->span, "the order of %s has %d entries",
                        KILN_TYPE_TEXT(call->checker, &x->type), rank);
        return kiln_call_fail(call);
    } else {
        for (int i = 0; i < rank; i++) {
            if (!kiln_call_axis(call, (size_t)i + 1, rank, &order[i]))
                return kiln_call_fail(call);
            seen |= 1u << order[i];
        }
        if (seen != (1u << rank) - 1) {
            kiln_check_fail(call->checker, call->expr->span,
                            "the order must name each dimension exactly once");
            return kiln_call_fail(call);
        }
    }
    kiln_node_t *node = kiln_call_make(call, &x->type, x, NULL, NULL);
    for (int i = 0; i < rank; i++) {
        node->axes[i] = order[i];
        node->type.shape[i] = x->type.shape[order[i]];
    }
    return node;
}

kiln_node_t *kiln_check_builtin_join(const kiln_call_t *call)
{
    kiln_node_t *a = kiln_call_argument(call, 0), *b = kiln_call_argument(call, 1);
    if (kiln_node_is_error(a) || kiln_node_is_error(b))
        return kiln_call_fail(call);
    if (!kiln_tile_type_equal(&a->type, &b->type) &&
        !kiln_convert_usual(call->checker, &a, &b, call->expr->at, "join"))
        return kiln_call_fail(call);
    if (!kiln_convert_common_shape(call->checker, &a, &b, call->expr->at) ||
        !kiln_call_needs_tile(call, a))
        return kiln_call_fail(call);
    kiln_tile_type_t type = a->type;
    if (type.rank == KILN_TILE_RANK_LIMIT) {
        kiln_check_fail(call->checker, call->expr->span, "a tile has at most %d dimensions",
                        KILN_TILE_RANK_LIMIT);
        return kiln_call_fail(call);
    }
    type.shape[type.rank++] = 2;
    return kiln_check_shape(call->checker, &type, call->expr->span)
               ? kiln_call_make(call, &type, a, b, NULL)
               : kiln_call_fail(call);
}

kiln_node_t *kiln_check_builtin_gather(const kiln_call_t *call)
{
    kiln_node_t *x = kiln_call_argument(call, 0), *indices = kiln_call_argument(call, 1);
    int axis;
    if (!kiln_call_needs_tile(call, x) || !kiln_call_needs_tile(call, indices) ||
        !kiln_call_axis(call, 2, x->type.rank, &axis))
        return kiln_call_fail(call);
    bool fits = kiln_tile_is_integer(&indices->type) && indices->type.rank == x->type.rank;
    for (int i = 0; fits && i < x->type.rank; i++)
        fits = i == axis || indices->type.shape[i] <= x->type.shape[i];
    if (!fits) {
        kiln_check_fail(call->checker, kiln_call_place(call, 1), "%s cannot index %s along axis %d",
                        KILN_TYPE_TEXT(call->checker, &indices->type),
                        KILN_TYPE_TEXT(call->checker, &x->type), axis);
        return kiln_call_fail(call);
    }
    kiln_tile_type_t type = kiln_tile_type_with_shape(&x->type, &indices->type);
    kiln_node_t *node = kiln_call_make(
        call, &type, x, kiln_convert_element(call->checker, indices, KILN_SCALAR_I32), NULL);
    node->axes[0] = axis;
    return node;
}

kiln_node_t *kiln_check_builtin_bitcast(const kiln_call_t *call)
{
    kiln_tile_type_t type;
    bool is_type = kiln_call_type(call, &type);
    kiln_node_t *x = kiln_call_argument(call, 1);
    if (!is_type || kiln_node_is_error(x))
        return kiln_call_fail(call);
    if (type.is_pointer || x->type.is_pointer || !kiln_tile_is_arithmetic(&x->type) ||
        !kiln_tile_is_arithmetic(&type) ||
        kiln_scalar_row(type.scalar)->bits != kiln_scalar_row(x->type.scalar)->bits) {
        kiln_check_fail(
            call->checker, call->expr->span, "cannot bitcast between %s and %s of different sizes",
            KILN_TYPE_TEXT(call->checker, &x->type), KILN_TYPE_TEXT(call->checker, &type));
        return kiln_call_fail(call);
    }
    kiln_tile_type_t result = kiln_tile_with_scalar(&x->type, type.scalar);
    kiln_node_t *node =
        kiln_node_make(call->checker, KILN_NODE_BITCAST, &result, call->expr->span, call->expr->at);
    node->a = x;
    return node;
}

// Promises ----------------------------------------------------------------------------------------

kiln_node_t *kiln_check_builtin_assume(const kiln_call_t *call)
{
    kiln_node_t *condition = kiln_convert_to_bool(call->checker, kiln_call_argument(call, 0));
    kiln_tile_type_t type = kiln_tile_scalar(KILN_SCALAR_VOID);
    if (kiln_node_is_error(condition))
        return condition;
    if (condition->type.rank) {
        kiln_check_fail(call->checker, kiln_call_place(call, 0), "assume needs a scalar condition");
        return kiln_call_fail(call);
    }
    return kiln_call_make(call, &type, condition, NULL, NULL);
}

kiln_node_t *kiln_check_builtin_hint(const kiln_call_t *call)
{
    kiln_node_t *x = kiln_call_argument(call, 0);
    if (kiln_node_is_error(x))
        return x;
    int count = (int)call->expr->count - 1, expected = x->type.rank ? x->type.rank : 1;
    if (count != expected) {
        kiln_check_fail(call->checker, call->expr->span, "%s of %s takes %d value%s",
                        call->builtin->name, KILN_TYPE_TEXT(call->checker, &x->type), expected,
                        expected == 1 ? "" : "s");
        return kiln_call_fail(call);
    }
    kiln_node_t *node = kiln_call_make(call, &x->type, x, NULL, NULL);
    for (int i = 0; i < count; i++) {
        int64_t value;
        if (!kiln_check_constant_int(call->checker, call->expr->list[i + 1], "a hint", &value))
            return kiln_call_fail(call);
        if (value < 1 || value > INT32_MAX) {
            kiln_check_fail(call->checker, kiln_call_place(call, (size_t)i + 1),
                            "a hint must be at least 1");
            return kiln_call_fail(call);
        }
        node->axes[i] = (int)value;
    }
    node->axis_count = count;
    return node;
}

// The table ---------------------------------------------------------------------------------------

static kiln_node_t *(*const checks[KILN_BUILTIN_COUNT])(const kiln_call_t *) = {
#define KILN_BUILTIN(id, name, min, max, check, emit, detail, usage, options, purity)              \
    [KILN_BUILTIN_##id] = kiln_check_builtin_##check,
#include "frontend/core/builtins.def"
#undef KILN_BUILTIN
};

kiln_node_t *kiln_check_builtin_call(kiln_checker_t *checker, const kiln_builtin_t *builtin,
                                     const kiln_expr_t *expr)
{
    kiln_call_t call = {.checker = checker, .builtin = builtin, .expr = expr};
    kiln_expr_t arranged;
    bool is_elementwise = builtin->id >= KILN_BUILTIN_EXP && builtin->id <= KILN_BUILTIN_WHERE;
    if (checker->combining && !is_elementwise && builtin->id != KILN_BUILTIN_BITCAST &&
        builtin->id != KILN_BUILTIN_CAST_LIKE) {
        kiln_check_fail(
            checker, expr->at,
            "'%s' combines two elements, so it cannot call %s; only scalar arithmetic is allowed",
            checker->combining, builtin->name);
        return kiln_call_fail(&call);
    }
    if (!kiln_call_arrange(&call, &arranged))
        return kiln_call_fail(&call);
    return kiln_fold_call(checker, checks[builtin->id](&call));
}
