// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products, reductions and scans: which types they compute in and which shapes they give.
//
// Sums of small types are computed and returned in wider ones; maxima return the type that they got.
#include "check_builtin.h"

// The accumulator's type where none is given; NONE where dot does not take these elements.
static kiln_scalar_t dot_result(const kiln_tile_type_t *a, const kiln_tile_type_t *b)
{
    if (kiln_tile_is_float8(a) && kiln_tile_is_float8(b))
        return KILN_SCALAR_F32;
    if (a->is_pointer || b->is_pointer || a->scalar != b->scalar)
        return KILN_SCALAR_NONE;
    if (a->scalar == KILN_SCALAR_I8)
        return KILN_SCALAR_I32;
    if (a->scalar == KILN_SCALAR_F64)
        return KILN_SCALAR_F64;
    return kiln_tile_is_float(a) ? KILN_SCALAR_F32 : KILN_SCALAR_NONE;
}

kiln_node_t *kiln_check_builtin_dot(const kiln_call_t *call)
{
    kiln_node_t *a = kiln_call_argument(call, 0), *b = kiln_call_argument(call, 1);
    kiln_node_t *accumulator = call->expr->count > 2 ? kiln_call_argument(call, 2) : NULL;
    if (!kiln_call_needs_tile(call, a) || !kiln_call_needs_tile(call, b) ||
        (accumulator && kiln_node_is_error(accumulator)))
        return kiln_call_fail(call);
    int rank = a->type.rank;
    bool is_matrix =
        rank == b->type.rank && (rank == 2 || rank == 3) && (rank == 2 || a->type.shape[0] == b->type.shape[0]);
    if (!is_matrix || a->type.shape[rank - 1] != b->type.shape[rank - 2]) {
        if (is_matrix)
            kiln_check_fail_between(call->checker, call->expr->at, a, b,
                                    "cannot multiply %s by %s: the inner dimensions are %lld and %lld",
                                    KILN_TYPE_TEXT(&a->type), KILN_TYPE_TEXT(&b->type),
                                    (long long)a->type.shape[rank - 1], (long long)b->type.shape[rank - 2]);
        else
            kiln_check_fail_between(call->checker, call->expr->at, a, b,
                                    "dot multiplies two matrices, or two stacks of as many matrices, not %s and %s",
                                    KILN_TYPE_TEXT(&a->type), KILN_TYPE_TEXT(&b->type));
        kiln_check_note_declarations(call->checker, a, b);
        return kiln_call_fail(call);
    }
    kiln_scalar_t natural = dot_result(&a->type, &b->type);
    if (!natural) {
        kiln_check_fail_between(call->checker, call->expr->at, a, b,
                                "dot takes two tiles of f16, bf16, f32, f64, i8 or of 8-bit floats, not %s and %s",
                                KILN_TYPE_TEXT(&a->type), KILN_TYPE_TEXT(&b->type));
        return kiln_call_fail(call);
    }
    kiln_tile_type_t type = kiln_tile_with_scalar(&a->type, natural);
    type.shape[rank - 1] = b->type.shape[rank - 1];
    if (!kiln_check_shape(call->checker, &type, call->expr->span))
        return kiln_call_fail(call);
    if (!accumulator) {
        accumulator = kiln_node_int(call->checker, KILN_SCALAR_I32, 0, call->expr->span);
    } else if (accumulator->type.rank && a->type.scalar == KILN_SCALAR_F16 &&
               accumulator->type.scalar == KILN_SCALAR_F16) {
        type.scalar = KILN_SCALAR_F16;
    } else if (accumulator->type.rank && accumulator->type.scalar != natural) {
        kiln_check_fail(call->checker, kiln_call_place(call, 2), "dot of %s accumulates in %s, not in %s",
                        kiln_scalar_row(a->type.scalar)->spelling, kiln_scalar_row(natural)->spelling,
                        KILN_TYPE_TEXT(&accumulator->type));
        kiln_check_note_declaration(call->checker, accumulator);
        return kiln_call_fail(call);
    }
    kiln_span_t at = call->expr->count > 2 ? kiln_call_place(call, 2) : call->expr->at;
    accumulator = kiln_convert_implicitly(call->checker, accumulator, &type, at, "accumulate in this");
    return kiln_call_make(call, &type, a, b, accumulator);
}

// One axis; without it all elements, as one row.
static kiln_node_t *check_reduce_of(const kiln_call_t *call, kiln_node_t *x, kiln_scalar_t computed,
                                    kiln_scalar_t result)
{
    int axis = 0;
    if (call->expr->count > 1 && !kiln_call_axis(call, 1, x->type.rank, &axis))
        return kiln_call_fail(call);
    x = kiln_convert_element(call->checker, x, computed);
    if (call->expr->count == 1 && x->type.rank > 1) {
        kiln_tile_type_t row = x->type;
        row.shape[0] = kiln_tile_type_count(&x->type);
        row.rank = 1;
        x = kiln_call_make_row(call, KILN_BUILTIN_RESHAPE, &row, x);
    }
    kiln_tile_type_t type = x->type;
    for (int i = axis; i + 1 < type.rank; i++)
        type.shape[i] = type.shape[i + 1];
    type.rank--;
    kiln_node_t *node = kiln_call_make(call, &type, x, NULL, NULL);
    node->axes[0] = axis;
    return kiln_convert_element(call->checker, node, result);
}

// Sums and products of small types are wider than their elements; maxima are not.
kiln_node_t *kiln_check_builtin_reduce(const kiln_call_t *call)
{
    kiln_node_t *x = kiln_call_argument(call, 0);
    if (!kiln_call_needs_tile(call, x) || !kiln_call_needs_arithmetic(call, x))
        return kiln_call_fail(call);
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
    kiln_check_fail(call->checker, x->span, "%s needs integers, and this is %s", call->builtin->name,
                    KILN_TYPE_TEXT(&x->type));
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
    int axis;
    if (!kiln_call_needs_tile(call, x) || !kiln_call_needs_arithmetic(call, x) ||
        !kiln_call_axis(call, 1, x->type.rank, &axis))
        return kiln_call_fail(call);
    if (x->type.scalar == KILN_SCALAR_BF16)
        x = kiln_convert_element(call->checker, x, KILN_SCALAR_F32);
    kiln_tile_type_t type = kiln_tile_with_scalar(&x->type, KILN_SCALAR_I32);
    for (int i = axis; i + 1 < type.rank; i++)
        type.shape[i] = type.shape[i + 1];
    type.rank--;
    kiln_node_t *node = kiln_call_make(call, &type, x, NULL, NULL);
    node->axes[0] = axis;
    return node;
}

kiln_node_t *kiln_check_builtin_scan(const kiln_call_t *call)
{
    kiln_node_t *x = kiln_call_argument(call, 0);
    int axis;
    if (!kiln_call_needs_tile(call, x) || !kiln_call_needs_arithmetic(call, x) ||
        !kiln_call_axis(call, 1, x->type.rank, &axis))
        return kiln_call_fail(call);
    kiln_scalar_t computed = kiln_scalar_promote(x->type.scalar);
    if (computed == KILN_SCALAR_BF16 || computed == KILN_SCALAR_F16)
        computed = KILN_SCALAR_F32;
    x = kiln_convert_element(call->checker, x, computed);
    kiln_node_t *node = kiln_call_make(call, &x->type, x, NULL, NULL);
    node->axes[0] = axis;
    return node;
}
