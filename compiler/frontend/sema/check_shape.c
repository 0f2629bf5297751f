// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built-in functions that query a tile's shape or rearrange its elements. Most become other nodes:
// concatenating two tiles is a join, a transposition and a reshape.
#include "frontend/sema/check_builtin.h"

kiln_node_t *kiln_check_builtin_rank(const kiln_call_t *call)
{
    kiln_node_t *x = kiln_call_argument(call, 0);
    return kiln_node_is_error(x)
               ? x
               : kiln_node_int(call->checker, KILN_SCALAR_I32, x->type.rank, call->expr->span);
}

kiln_node_t *kiln_check_builtin_size(const kiln_call_t *call)
{
    kiln_node_t *x = kiln_call_argument(call, 0);
    int axis = 0;
    if (kiln_node_is_error(x))
        return x;
    if (call->expr->count < 2)
        return kiln_node_int(call->checker, KILN_SCALAR_I32, kiln_tile_type_count(&x->type),
                             call->expr->span);
    if (!kiln_call_needs_tile(call, x) || !kiln_call_axis(call, 1, x->type.rank, &axis))
        return kiln_call_fail(call);
    return kiln_node_int(call->checker, KILN_SCALAR_I32, x->type.shape[axis], call->expr->span);
}

kiln_node_t *kiln_check_builtin_is_float(const kiln_call_t *call)
{
    kiln_node_t *x = kiln_call_argument(call, 0);
    return kiln_node_is_error(x) ? x
                                 : kiln_node_int(call->checker, KILN_SCALAR_BOOL,
                                                 kiln_tile_is_float(&x->type), call->expr->span);
}

kiln_node_t *kiln_check_builtin_width(const kiln_call_t *call)
{
    kiln_node_t *x = kiln_call_argument(call, 0);
    if (kiln_node_is_error(x))
        return x;
    int bits = x->type.is_pointer ? 64 : kiln_scalar_row(x->type.scalar)->bits;
    return kiln_node_int(call->checker, KILN_SCALAR_I32, bits, call->expr->span);
}

static kiln_scalar_t unsigned_like(const kiln_tile_type_t *type)
{
    switch (kiln_scalar_row(type->scalar)->bits) {
    case 8:
        return KILN_SCALAR_U8;
    case 16:
        return KILN_SCALAR_U16;
    case 32:
        return KILN_SCALAR_U32;
    default:
        return KILN_SCALAR_U64;
    }
}

// The bits of each element as an unsigned integer.
kiln_node_t *kiln_check_builtin_bits(const kiln_call_t *call)
{
    kiln_node_t *x = kiln_call_argument(call, 0);
    if (kiln_node_is_error(x))
        return x;
    if (x->type.is_pointer || !kiln_tile_is_arithmetic(&x->type) || kiln_tile_is_bool(&x->type)) {
        kiln_check_fail(call->checker, x->span, "%s cannot be applied to %s", call->builtin->name,
                        KILN_TYPE_TEXT(call->checker, &x->type));
        return kiln_call_fail(call);
    }
    x = kiln_convert_element(call->checker, x, x->type.scalar);
    kiln_tile_type_t type = kiln_tile_with_scalar(&x->type, unsigned_like(&x->type));
    kiln_node_t *node =
        kiln_node_make(call->checker, KILN_NODE_BITCAST, &type, call->expr->span, call->expr->at);
    node->a = x;
    return node;
}

// The low bits of the first argument, an integer, in the element type of the second.
kiln_node_t *kiln_check_builtin_bits_as(const kiln_call_t *call)
{
    kiln_node_t *x = kiln_call_argument(call, 0), *like = kiln_call_argument(call, 1);
    if (kiln_node_is_error(x) || kiln_node_is_error(like))
        return kiln_call_fail(call);
    x = kiln_convert_element(call->checker, x, unsigned_like(&like->type));
    kiln_tile_type_t type = kiln_tile_with_scalar(&x->type, like->type.scalar);
    kiln_node_t *node =
        kiln_node_make(call->checker, KILN_NODE_BITCAST, &type, call->expr->span, call->expr->at);
    node->a = x;
    return node;
}

kiln_node_t *kiln_check_builtin_cast_like(const kiln_call_t *call)
{
    kiln_node_t *x = kiln_call_argument(call, 0), *like = kiln_call_argument(call, 1);
    if (kiln_node_is_error(x) || kiln_node_is_error(like))
        return kiln_call_fail(call);
    return kiln_convert_element(call->checker, x, like->type.scalar);
}

kiln_node_t *kiln_check_builtin_zeros_like(const kiln_call_t *call)
{
    kiln_node_t *x = kiln_call_argument(call, 0);
    if (kiln_node_is_error(x))
        return x;
    if (x->type.is_pointer || !kiln_tile_is_arithmetic(&x->type)) {
        kiln_check_fail(call->checker, x->span, "expected a tile of a numeric type, got %s",
                        KILN_TYPE_TEXT(call->checker, &x->type));
        return kiln_call_fail(call);
    }
    kiln_node_t *zero = kiln_node_int(call->checker, KILN_SCALAR_I32, 0, call->expr->span);
    return kiln_convert_shape(call->checker,
                              kiln_convert_element(call->checker, zero, x->type.scalar), &x->type);
}

// 0, 1, … along an axis, in the shape of a tile.
kiln_node_t *kiln_check_builtin_indices(const kiln_call_t *call)
{
    kiln_checker_t *checker = call->checker;
    kiln_node_t *x = kiln_call_argument(call, 0);
    int axis;
    if (!kiln_call_needs_tile(call, x) || !kiln_call_axis(call, 1, x->type.rank, &axis))
        return kiln_call_fail(call);
    kiln_tile_type_t type = {.scalar = KILN_SCALAR_I32, .rank = 1, .shape = {x->type.shape[axis]}};
    kiln_node_t *row = kiln_call_make_row(call, KILN_BUILTIN_RANGE, &type, NULL);
    row->end = x->type.shape[axis];
    kiln_node_t *node = row;
    if (x->type.rank > 1) {
        node = kiln_node_make(checker, KILN_NODE_EXPAND, &type, call->expr->span, call->expr->at);
        node->a = row;
        node->type.rank = x->type.rank;
        for (int i = 0; i < x->type.rank; i++) {
            node->type.shape[i] = i == axis ? type.shape[0] : 1;
            if (i != axis)
                node->axes[node->axis_count++] = i;
        }
    }
    kiln_tile_type_t shape = kiln_tile_with_scalar(&x->type, KILN_SCALAR_I32);
    return kiln_convert_shape(checker, node, &shape);
}

kiln_node_t *kiln_check_builtin_expand_dims(const kiln_call_t *call)
{
    kiln_node_t *x = kiln_call_argument(call, 0);
    int axis;
    if (kiln_node_is_error(x))
        return x;
    if (x->type.rank == KILN_TILE_RANK_LIMIT) {
        kiln_check_fail(call->checker, call->expr->span, "a tile has at most %d dimensions",
                        KILN_TILE_RANK_LIMIT);
        return kiln_call_fail(call);
    }
    if (!kiln_call_axis(call, 1, x->type.rank + 1, &axis))
        return kiln_call_fail(call);
    return kiln_call_keep_dims(call, x, axis, x->type.rank + 1);
}

kiln_node_t *kiln_check_builtin_ravel(const kiln_call_t *call)
{
    kiln_node_t *x = kiln_call_argument(call, 0);
    return kiln_call_needs_tile(call, x) ? kiln_call_as_row(call, x) : kiln_call_fail(call);
}

kiln_node_t *kiln_check_builtin_reshape_like(const kiln_call_t *call)
{
    kiln_node_t *x = kiln_call_argument(call, 0), *like = kiln_call_argument(call, 1);
    if (!kiln_call_needs_tile(call, x) || !kiln_call_needs_tile(call, like))
        return kiln_call_fail(call);
    kiln_tile_type_t type = kiln_tile_type_with_shape(&x->type, &like->type);
    if (kiln_tile_shape_equal(&x->type, &like->type))
        return x;
    if (kiln_tile_type_count(&type) != kiln_tile_type_count(&x->type)) {
        kiln_check_fail(
            call->checker, call->expr->span,
            "cannot reshape %s to %s: %lld elements do not fit %lld",
            KILN_TYPE_TEXT(call->checker, &x->type), KILN_TYPE_TEXT(call->checker, &type),
            (long long)kiln_tile_type_count(&x->type), (long long)kiln_tile_type_count(&type));
        return kiln_call_fail(call);
    }
    return kiln_call_make_row(call, KILN_BUILTIN_RESHAPE, &type, x);
}

// Reshapes to the shape of another tile except for the last dimension, which takes the remaining
// elements.
kiln_node_t *kiln_check_builtin_with_last_of(const kiln_call_t *call)
{
    kiln_node_t *x = kiln_call_argument(call, 0), *like = kiln_call_argument(call, 1);
    if (!kiln_call_needs_tile(call, x) || !kiln_call_needs_tile(call, like))
        return kiln_call_fail(call);
    kiln_tile_type_t type = kiln_tile_type_with_shape(&x->type, &like->type);
    int64_t *last = &type.shape[type.rank - 1];
    *last = kiln_tile_type_count(&x->type) / (kiln_tile_type_count(&type) / *last);
    return kiln_tile_shape_equal(&type, &x->type)
               ? x
               : kiln_call_make_row(call, KILN_BUILTIN_RESHAPE, &type, x);
}

// Swaps the axis with the last one.
kiln_node_t *kiln_check_builtin_exchange_last(const kiln_call_t *call)
{
    kiln_node_t *x = kiln_call_argument(call, 0);
    int axis;
    if (!kiln_call_needs_tile(call, x) || !kiln_call_axis(call, 1, x->type.rank, &axis))
        return kiln_call_fail(call);
    const int last = x->type.rank - 1;
    if (axis == last)
        return x;
    kiln_node_t *node = kiln_call_make_row(call, KILN_BUILTIN_TRANS, &x->type, x);
    for (int i = 0; i <= last; i++) {
        node->axes[i] = i == axis ? last : i == last ? axis : i;
        node->type.shape[i] = x->type.shape[node->axes[i]];
    }
    return node;
}

kiln_node_t *kiln_check_builtin_item(const kiln_call_t *call)
{
    kiln_node_t *x = kiln_call_argument(call, 0);
    if (!kiln_call_needs_tile(call, x))
        return kiln_call_fail(call);
    if (kiln_tile_type_count(&x->type) != 1) {
        kiln_check_fail(call->checker, x->span, "item takes a tile of one element, got %s",
                        KILN_TYPE_TEXT(call->checker, &x->type));
        return kiln_call_fail(call);
    }
    kiln_tile_type_t type = x->type;
    type.rank = 0;
    return kiln_call_make(call, &type, x, NULL, NULL);
}

// Two tiles to one --------------------------------------------------------------------------------

// Joins both, converted to one type, in a new last dimension of 2.
static kiln_node_t *join(const kiln_call_t *call)
{
    kiln_call_t plain = *call;
    kiln_expr_t expr = *call->expr;
    expr.count = 2;
    plain.expr = &expr;
    kiln_node_t *joined = kiln_check_builtin_join(&plain);
    if (!kiln_node_is_error(joined))
        joined->builtin = kiln_builtin_row(KILN_BUILTIN_JOIN);
    return joined;
}

// The joined tile with its last dimension moved after or before `axis` and merged with it.
static kiln_node_t *merge(const kiln_call_t *call, kiln_node_t *joined, int axis, bool is_outer)
{
    int rank = joined->type.rank - 1, at = is_outer ? axis : axis + 1;
    kiln_node_t *moved = joined;
    if (at != rank) {
        moved = kiln_call_make_row(call, KILN_BUILTIN_TRANS, &joined->type, joined);
        for (int i = 0; i <= rank; i++) {
            moved->axes[i] = i < at ? i : i == at ? rank : i - 1;
            moved->type.shape[i] = joined->type.shape[moved->axes[i]];
        }
    }
    kiln_tile_type_t type = joined->type;
    type.rank = rank;
    type.shape[axis] *= 2;
    return kiln_call_make_row(call, KILN_BUILTIN_RESHAPE, &type, moved);
}

kiln_node_t *kiln_check_builtin_cat(const kiln_call_t *call)
{
    int axis = 0;
    kiln_node_t *joined = join(call);
    if (kiln_node_is_error(joined))
        return joined;
    if (call->expr->count > 2 && !kiln_call_axis(call, 2, joined->type.rank - 1, &axis))
        return kiln_call_fail(call);
    return merge(call, joined, axis, true);
}

kiln_node_t *kiln_check_builtin_interleave(const kiln_call_t *call)
{
    kiln_node_t *joined = join(call);
    return kiln_node_is_error(joined) ? joined : merge(call, joined, joined->type.rank - 2, false);
}

// One tile to two ---------------------------------------------------------------------------------

kiln_node_t *kiln_check_builtin_split(const kiln_call_t *call)
{
    kiln_checker_t *checker = call->checker;
    kiln_node_t *x = kiln_call_argument(call, 0), *values[2];
    kiln_variable_t *targets[2];
    kiln_span_t places[2];
    if (!kiln_call_needs_tile(call, x))
        return kiln_call_fail(call);
    for (size_t i = 0; i < 2; i++) {
        places[i] = kiln_call_place(call, i + 1);
        if (!(targets[i] = kiln_check_address(checker, call->expr->list[i + 1])))
            return kiln_call_fail(call);
    }
    int rank = x->type.rank;
    if (x->type.shape[rank - 1] != 2) {
        kiln_check_fail(checker, x->span, "split takes a tile whose last dimension is 2, got %s",
                        KILN_TYPE_TEXT(checker, &x->type));
        return kiln_call_fail(call);
    }
    if (rank == 1) // the halves have one element each, so they are scalars
        x = kiln_call_keep_dims(call, x, 0, 2);
    kiln_tile_type_t types[2] = {kiln_tile_without_axis(&x->type, x->type.rank - 1)};
    types[1] = types[0];
    kiln_node_t *node = kiln_call_make(call, &types[0], x, NULL, NULL);
    kiln_call_outputs(call, node, types, 2);
    for (size_t i = 0; i < 2; i++) {
        values[i] = kiln_node_variable(checker, node->outputs[i], places[i]);
        kiln_tile_type_t scalar = types[i];
        scalar.rank = 0;
        if (rank == 1)
            values[i] = kiln_call_make_row(call, KILN_BUILTIN_ITEM, &scalar, values[i]);
    }
    return kiln_check_results(checker, node, values, targets, places, 2);
}

kiln_node_t *kiln_check_builtin_histogram(const kiln_call_t *call)
{
    kiln_checker_t *checker = call->checker;
    kiln_node_t *x = kiln_call_argument(call, 0), *mask = kiln_call_argument(call, 2);
    kiln_tile_type_t type = {.scalar = KILN_SCALAR_I32, .rank = 1};
    if (!kiln_call_needs_tile(call, x) ||
        !kiln_check_constant_int(checker, call->expr->list[1], "the number of bins",
                                 &type.shape[0]) ||
        !kiln_check_shape(checker, &type, kiln_call_place(call, 1)))
        return kiln_call_fail(call);
    if (x->type.is_pointer || !kiln_tile_is_integer(&x->type)) {
        kiln_check_fail(checker, x->span, "histogram needs integers, got %s",
                        KILN_TYPE_TEXT(checker, &x->type));
        return kiln_call_fail(call);
    }
    if (kiln_scalar_row(x->type.scalar)->bits < 32) // wider ones would wrap into the bins
        x = kiln_convert_element(checker, x, KILN_SCALAR_I32);
    if (mask) {
        mask = kiln_convert_to_bool(checker, mask);
        kiln_tile_type_t wanted = kiln_tile_with_scalar(&x->type, KILN_SCALAR_BOOL);
        mask =
            kiln_convert_implicitly(checker, mask, &wanted, mask->span, "count where this is true");
        if (kiln_node_is_error(mask))
            return mask;
        mask = kiln_call_as_row(call, mask);
    }
    return kiln_call_make(call, &type, kiln_call_as_row(call, x), mask, NULL);
}
