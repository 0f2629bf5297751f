// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions and scans: the types in which they compute and the shapes of their results.
//
// Sums of narrow types are computed and returned in wider ones; maxima return their operand's type.
#include "frontend/sema/check_builtin.h"

kiln_node_t *kiln_call_as_row(const kiln_call_t *call, kiln_node_t *x)
{
    kiln_tile_type_t row = x->type;
    if (row.rank == 1)
        return x;
    row.shape[0] = kiln_tile_type_count(&x->type);
    row.rank = 1;
    return kiln_call_make_row(call, KILN_BUILTIN_RESHAPE, &row, x);
}

kiln_node_t *kiln_call_keep_dims(const kiln_call_t *call, kiln_node_t *reduced, int axis, int rank)
{
    if (kiln_node_is_error(reduced))
        return reduced;
    kiln_node_t *node = kiln_node_make(call->checker, KILN_NODE_EXPAND, &reduced->type,
                                       call->expr->span, call->expr->at);
    node->a = reduced;
    node->type.rank = rank;
    for (int i = 0, own = 0; i < rank; i++) {
        bool is_new = axis < 0 || i == axis;
        node->type.shape[i] = is_new ? 1 : reduced->type.shape[own++];
        if (is_new)
            node->axes[node->axis_count++] = i;
    }
    return node;
}

// The arguments of a reduction besides its tile. The axis is 0 if all elements are reduced, as one
// row.
typedef struct reduction {
    bool has_axis, keeps, any_of_equals;
    int axis, rank;
} reduction_t;

static bool read_reduction(const kiln_call_t *call, const kiln_node_t *x, reduction_t *out)
{
    int ties;
    *out = (reduction_t){.has_axis = call->expr->count > 1, .rank = x->type.rank};
    if ((out->has_axis && !kiln_call_axis(call, 1, x->type.rank, &out->axis)) ||
        !kiln_call_flag(call, KILN_BUILTIN_OPTION_KEEP_DIMS, false, &out->keeps) ||
        !kiln_call_word(call, KILN_BUILTIN_OPTION_TIES, 0, &ties))
        return false;
    out->any_of_equals = ties;
    return true;
}

static kiln_node_t *keep_dims(const kiln_call_t *call, const reduction_t *reduction,
                              kiln_node_t *node)
{
    return reduction->keeps
               ? kiln_call_keep_dims(call, node, reduction->has_axis ? reduction->axis : -1,
                                     reduction->rank)
               : node;
}

static kiln_node_t *check_reduce_of(const kiln_call_t *call, kiln_node_t *x, kiln_scalar_t computed,
                                    kiln_scalar_t result)
{
    reduction_t reduction;
    if (!read_reduction(call, x, &reduction))
        return kiln_call_fail(call);
    x = kiln_convert_element(call->checker, x, computed);
    if (!reduction.has_axis)
        x = kiln_call_as_row(call, x);
    kiln_tile_type_t type = kiln_tile_without_axis(&x->type, reduction.axis);
    kiln_node_t *node = kiln_call_make(call, &type, x, NULL, NULL);
    node->axes[0] = reduction.axis;
    return keep_dims(call, &reduction, kiln_convert_element(call->checker, node, result));
}

// The index of the best element, and with `with_element` the element too: then the node's value is
// the element, and the index goes to a variable.
static kiln_node_t *check_best(const kiln_call_t *call, kiln_node_t *x, bool with_element)
{
    kiln_checker_t *checker = call->checker;
    kiln_variable_t *target = NULL;
    kiln_scalar_t own = x->type.scalar;
    reduction_t reduction;
    if (!read_reduction(call, x, &reduction))
        return kiln_call_fail(call);
    if (with_element &&
        !(target = kiln_check_address(checker, call->options[KILN_BUILTIN_OPTION_INDEX])))
        return kiln_call_fail(call);
    if (own == KILN_SCALAR_BF16)
        x = kiln_convert_element(checker, x, KILN_SCALAR_F32);
    if (!reduction.has_axis)
        x = kiln_call_as_row(call, x);
    kiln_tile_type_t types[2] = {kiln_tile_without_axis(&x->type, reduction.axis)};
    types[1] = kiln_tile_with_scalar(&types[0], KILN_SCALAR_I32);
    kiln_node_t *node = kiln_call_make(call, &types[1], x, NULL, NULL);
    node->axes[0] = reduction.axis;
    node->settings[0] = reduction.any_of_equals;
    if (!with_element)
        return keep_dims(call, &reduction, node);
    kiln_call_outputs(call, node, types, 2);
    kiln_span_t place = call->options[KILN_BUILTIN_OPTION_INDEX]->span;
    kiln_node_t *index =
        keep_dims(call, &reduction, kiln_node_variable(checker, node->outputs[1], place));
    kiln_node_t *element = kiln_node_variable(checker, node->outputs[0], call->expr->span);
    element = keep_dims(call, &reduction, kiln_convert_element(checker, element, own));
    return kiln_node_sequence(
        checker, kiln_check_results(checker, node, &index, &target, &place, 1), element);
}

// Sums and products of narrow types are wider than their elements; maxima are not.
kiln_node_t *kiln_check_builtin_reduce(const kiln_call_t *call)
{
    kiln_node_t *x = kiln_call_argument(call, 0);
    if (!kiln_call_needs_tile(call, x) || !kiln_call_needs_arithmetic(call, x))
        return kiln_call_fail(call);
    if (call->options[KILN_BUILTIN_OPTION_INDEX])
        return check_best(call, x, true);
    if (call->options[KILN_BUILTIN_OPTION_TIES]) {
        kiln_check_fail(call->checker, call->options[KILN_BUILTIN_OPTION_TIES]->span,
                        ".ties has no effect without .index = &name");
        return kiln_call_fail(call);
    }
    bool widens = call->builtin->id == KILN_BUILTIN_SUM || call->builtin->id == KILN_BUILTIN_PROD;
    kiln_scalar_t own = x->type.scalar, computed = own;
    if (widens)
        computed = kiln_scalar_promote(own);
    if (own == KILN_SCALAR_BF16 || (widens && own == KILN_SCALAR_F16))
        computed = KILN_SCALAR_F32;
    return check_reduce_of(call, x, computed, widens ? computed : own);
}

kiln_node_t *kiln_check_builtin_reduce_integer(const kiln_call_t *call)
{
    kiln_node_t *x = kiln_call_argument(call, 0);
    if (!kiln_call_needs_tile(call, x))
        return kiln_call_fail(call);
    if (kiln_tile_is_integer(&x->type))
        return check_reduce_of(call, x, x->type.scalar, x->type.scalar);
    kiln_check_fail(call->checker, x->span, "%s needs integers, got %s", call->builtin->name,
                    KILN_TYPE_TEXT(call->checker, &x->type));
    return kiln_call_fail(call);
}

kiln_node_t *kiln_check_builtin_reduce_bool(const kiln_call_t *call)
{
    kiln_node_t *x = kiln_call_argument(call, 0);
    if (!kiln_call_needs_tile(call, x))
        return kiln_call_fail(call);
    x = kiln_convert_to_bool(call->checker, x);
    return kiln_node_is_error(x) ? x : check_reduce_of(call, x, KILN_SCALAR_BOOL, KILN_SCALAR_BOOL);
}

kiln_node_t *kiln_check_builtin_arg_reduce(const kiln_call_t *call)
{
    kiln_node_t *x = kiln_call_argument(call, 0);
    if (!kiln_call_needs_tile(call, x) || !kiln_call_needs_arithmetic(call, x))
        return kiln_call_fail(call);
    return check_best(call, x, false);
}

kiln_node_t *kiln_check_builtin_scan(const kiln_call_t *call)
{
    kiln_node_t *x = kiln_call_argument(call, 0);
    int axis;
    bool reverse;
    if (!kiln_call_needs_tile(call, x) || !kiln_call_needs_arithmetic(call, x) ||
        !kiln_call_axis(call, 1, x->type.rank, &axis) ||
        !kiln_call_flag(call, KILN_BUILTIN_OPTION_REVERSE, false, &reverse))
        return kiln_call_fail(call);
    kiln_scalar_t computed = kiln_scalar_promote(x->type.scalar);
    if (computed == KILN_SCALAR_BF16 || computed == KILN_SCALAR_F16)
        computed = KILN_SCALAR_F32;
    x = kiln_convert_element(call->checker, x, computed);
    kiln_node_t *node = kiln_call_make(call, &x->type, x, NULL, NULL);
    node->axes[0] = axis;
    node->settings[0] = reverse;
    return node;
}
