// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of built-in functions, a row of builtins.def each: what arguments they take and what type they give.
//
// Some rows need no operation of their own and become other nodes here (where, cdiv, full, zeros, broadcast).
#include "check.h"

#include <string.h>

typedef struct call {
    kiln_checker_t *checker;
    const kiln_builtin_t *builtin;
    const kiln_expr_t *expr;
} call_t;

static kiln_node_t *fail(const call_t *call)
{
    return kiln_node_error(call->checker, call->expr->span);
}

static kiln_node_t *argument(const call_t *call, size_t index)
{
    return kiln_check_expr(call->checker, call->expr->list[index]);
}

static kiln_span_t place(const call_t *call, size_t index)
{
    return call->expr->list[index]->span;
}

static kiln_node_t *make(const call_t *call, const kiln_tile_type_t *type, kiln_node_t *a, kiln_node_t *b,
                         kiln_node_t *c)
{
    if ((a && kiln_node_is_error(a)) || (b && kiln_node_is_error(b)) || (c && kiln_node_is_error(c)))
        return fail(call);
    kiln_node_t *node = kiln_node_make(call->checker, KILN_NODE_BUILTIN, type, call->expr->span, call->expr->at);
    node->builtin = call->builtin;
    node->arguments[0] = a;
    node->arguments[1] = b;
    node->arguments[2] = c;
    return node;
}

static kiln_node_t *make_row(const call_t *call, kiln_builtin_id_t id, const kiln_tile_type_t *type, kiln_node_t *a)
{
    call_t other = *call;
    other.builtin = kiln_builtin_row(id);
    return make(&other, type, a, NULL, NULL);
}

static kiln_tile_type_t with_scalar(const kiln_tile_type_t *type, kiln_scalar_t scalar)
{
    kiln_tile_type_t result = *type;
    result.scalar = scalar;
    result.is_pointer = result.is_const = false;
    return result;
}

// An axis of a tile as a constant argument; negative ones count from the end.
static bool axis_argument(const call_t *call, size_t index, int rank, int *out)
{
    int64_t axis;
    if (!kiln_check_constant_int(call->checker, call->expr->list[index], "an axis", &axis))
        return false;
    if (axis < -rank || axis >= rank) {
        kiln_check_fail(call->checker, place(call, index), "there is no axis %lld: the tile has %d dimension%s",
                        (long long)axis, rank, rank == 1 ? "" : "s");
        return false;
    }
    *out = (int)(axis < 0 ? axis + rank : axis);
    return true;
}

// The sizes from argument `first` on.
static bool sizes_argument(const call_t *call, size_t first, kiln_tile_type_t *type)
{
    if (call->expr->count - first > KILN_TILE_RANK_LIMIT) {
        kiln_check_fail(call->checker, call->expr->span, "a tile has at most %d dimensions", KILN_TILE_RANK_LIMIT);
        return false;
    }
    type->rank = (int)(call->expr->count - first);
    for (size_t i = first; i < call->expr->count; i++)
        if (!kiln_check_constant_int(call->checker, call->expr->list[i], "a tile's size", &type->shape[i - first]))
            return false;
    return kiln_check_shape(call->checker, type, call->expr->span);
}

static bool needs_tile(const call_t *call, const kiln_node_t *node)
{
    if (kiln_node_is_error(node))
        return false;
    if (node->type.rank)
        return true;
    if (!strcmp(call->builtin->name, "max") || !strcmp(call->builtin->name, "min"))
        kiln_check_fail(call->checker, node->span, "%s reduces a tile along an axis; for two values write %simum(a, b)",
                        call->builtin->name, call->builtin->name);
    else
        kiln_check_fail(call->checker, node->span, "%s needs a tile, and this is %s", call->builtin->name,
                        KILN_TYPE_TEXT(&node->type));
    return false;
}

static bool needs_arithmetic(const call_t *call, const kiln_node_t *node)
{
    if (kiln_node_is_error(node))
        return false;
    if (kiln_tile_is_integer(&node->type) || kiln_tile_is_float(&node->type))
        return true;
    kiln_check_fail(call->checker, node->span, "%s cannot be applied to %s", call->builtin->name,
                    KILN_TYPE_TEXT(&node->type));
    kiln_check_note_declaration(call->checker, node);
    return false;
}

// The grid ------------------------------------------------------------------------------------------------------

static kiln_node_t *check_axis(const call_t *call)
{
    int64_t axis;
    kiln_tile_type_t type = kiln_tile_scalar(KILN_SCALAR_I32);
    if (!kiln_check_constant_int(call->checker, call->expr->list[0], "an axis of the grid", &axis))
        return fail(call);
    if (axis < 0 || axis > 2) {
        kiln_check_fail(call->checker, place(call, 0), "the grid has the axes 0, 1 and 2");
        return fail(call);
    }
    kiln_node_t *node = make(call, &type, NULL, NULL, NULL);
    node->axes[0] = (int)axis;
    return node;
}

// Making and shaping --------------------------------------------------------------------------------------------

static kiln_node_t *check_range(const call_t *call)
{
    int64_t bounds[2] = {0, 0};
    for (size_t i = 0; i < call->expr->count; i++) {
        kiln_node_t *bound = argument(call, i);
        if (kiln_node_is_error(bound))
            return bound;
        if (!kiln_node_is_constant(bound) || !kiln_tile_is_integer(&bound->type)) {
            kiln_check_fail(call->checker, place(call, i),
                            "range's bounds are integer constants; add a start that is not: start + range(count)");
            return fail(call);
        }
        bounds[i] = bound->constant.integer;
    }
    int64_t start = call->expr->count == 2 ? bounds[0] : 0, end = call->expr->count == 2 ? bounds[1] : bounds[0];
    kiln_tile_type_t type = {.scalar = KILN_SCALAR_I32, .rank = 1};
    if (start < INT32_MIN || end > INT32_MAX || start >= end) {
        kiln_check_fail(call->checker, call->expr->span, "range(%lld, %lld) is empty or beyond i32", (long long)start,
                        (long long)end);
        return fail(call);
    }
    type.shape[0] = end - start;
    if (!kiln_check_shape(call->checker, &type, call->expr->span))
        return fail(call);
    kiln_node_t *node = make(call, &type, NULL, NULL, NULL);
    node->start = start;
    node->end = end;
    return node;
}

// The element type that is the first argument.
static bool type_argument(const call_t *call, kiln_tile_type_t *out)
{
    const kiln_expr_t *expr = call->expr->list[0];
    if (expr->kind != KILN_EXPR_TYPE) {
        kiln_check_fail(call->checker, expr->span, "the first argument of %s is a type: %s", call->builtin->name,
                        call->builtin->usage);
        return false;
    }
    return kiln_resolve_element(call->checker, expr->type, out);
}

static kiln_node_t *check_zeros(const call_t *call)
{
    kiln_tile_type_t type;
    if (!type_argument(call, &type) || !sizes_argument(call, 1, &type))
        return fail(call);
    if (!kiln_tile_is_arithmetic(&type)) {
        kiln_check_fail(call->checker, place(call, 0), "there is no zero of type %s", KILN_TYPE_TEXT(&type));
        return fail(call);
    }
    kiln_node_t *zero = kiln_node_int(call->checker, KILN_SCALAR_I32, 0, call->expr->span);
    return kiln_convert_shape(call->checker, kiln_convert_element(call->checker, zero, type.scalar), &type);
}

static kiln_node_t *check_full(const call_t *call)
{
    kiln_node_t *value = argument(call, 0);
    kiln_tile_type_t type = value->type;
    if (kiln_node_is_error(value) || !sizes_argument(call, 1, &type))
        return fail(call);
    return kiln_convert_implicitly(call->checker, value, &type, place(call, 0), "broadcast this");
}

static kiln_node_t *check_reshape(const call_t *call)
{
    kiln_node_t *x = argument(call, 0);
    kiln_tile_type_t type = x->type;
    if (!needs_tile(call, x) || !sizes_argument(call, 1, &type))
        return fail(call);
    if (kiln_tile_type_count(&type) != kiln_tile_type_count(&x->type)) {
        kiln_check_fail(call->checker, call->expr->span, "cannot reshape %s to %s: it has %lld elements and not %lld",
                        KILN_TYPE_TEXT(&x->type), KILN_TYPE_TEXT(&type), (long long)kiln_tile_type_count(&x->type),
                        (long long)kiln_tile_type_count(&type));
        return fail(call);
    }
    return make(call, &type, x, NULL, NULL);
}

static kiln_node_t *check_trans(const call_t *call)
{
    kiln_node_t *x = argument(call, 0);
    if (!needs_tile(call, x))
        return fail(call);
    int rank = x->type.rank, order[KILN_TILE_RANK_LIMIT];
    unsigned seen = 0;
    if (call->expr->count == 1) { // the last two dimensions change places
        if (rank < 2) {
            kiln_check_fail(call->checker, place(call, 0), "%s has no two dimensions to exchange",
                            KILN_TYPE_TEXT(&x->type));
            return fail(call);
        }
        for (int i = 0; i < rank; i++)
            order[i] = i < rank - 2 ? i : i == rank - 2 ? rank - 1 : rank - 2;
    } else if (call->expr->count != (size_t)rank + 1) {
        kiln_check_fail(call->checker, call->expr->span, "the order of %s has %d entries", KILN_TYPE_TEXT(&x->type),
                        rank);
        return fail(call);
    } else {
        for (int i = 0; i < rank; i++) {
            if (!axis_argument(call, (size_t)i + 1, rank, &order[i]))
                return fail(call);
            seen |= 1u << order[i];
        }
        if (seen != (1u << rank) - 1) {
            kiln_check_fail(call->checker, call->expr->span, "the order names each dimension once");
            return fail(call);
        }
    }
    kiln_node_t *node = make(call, &x->type, x, NULL, NULL);
    for (int i = 0; i < rank; i++) {
        node->axes[i] = order[i];
        node->type.shape[i] = x->type.shape[order[i]];
    }
    return node;
}

static kiln_node_t *check_join(const call_t *call)
{
    kiln_node_t *a = argument(call, 0), *b = argument(call, 1);
    if (kiln_node_is_error(a) || kiln_node_is_error(b))
        return fail(call);
    if (!kiln_tile_type_equal(&a->type, &b->type) && !kiln_convert_usual(call->checker, &a, &b, call->expr->at, "join"))
        return fail(call);
    if (!kiln_convert_common_shape(call->checker, &a, &b, call->expr->at) || !needs_tile(call, a))
        return fail(call);
    kiln_tile_type_t type = a->type;
    if (type.rank == KILN_TILE_RANK_LIMIT) {
        kiln_check_fail(call->checker, call->expr->span, "a tile has at most %d dimensions", KILN_TILE_RANK_LIMIT);
        return fail(call);
    }
    type.shape[type.rank++] = 2;
    return kiln_check_shape(call->checker, &type, call->expr->span) ? make(call, &type, a, b, NULL) : fail(call);
}

static kiln_node_t *check_gather(const call_t *call)
{
    kiln_node_t *x = argument(call, 0), *indices = argument(call, 1);
    int axis;
    if (!needs_tile(call, x) || !needs_tile(call, indices) || !axis_argument(call, 2, x->type.rank, &axis))
        return fail(call);
    bool fits = kiln_tile_is_integer(&indices->type) && indices->type.rank == x->type.rank;
    for (int i = 0; fits && i < x->type.rank; i++)
        fits = i == axis || indices->type.shape[i] <= x->type.shape[i];
    if (!fits) {
        kiln_check_fail(call->checker, place(call, 1), "%s cannot index %s along axis %d",
                        KILN_TYPE_TEXT(&indices->type), KILN_TYPE_TEXT(&x->type), axis);
        return fail(call);
    }
    kiln_tile_type_t type = kiln_tile_type_with_shape(&x->type, &indices->type);
    kiln_node_t *node = make(call, &type, x, kiln_convert_element(call->checker, indices, KILN_SCALAR_I32), NULL);
    node->axes[0] = axis;
    return node;
}

static kiln_node_t *check_bitcast(const call_t *call)
{
    kiln_tile_type_t type;
    bool is_type = type_argument(call, &type);
    kiln_node_t *x = argument(call, 1);
    if (!is_type || kiln_node_is_error(x))
        return fail(call);
    if (type.is_pointer || x->type.is_pointer || !kiln_tile_is_arithmetic(&x->type) ||
        !kiln_tile_is_arithmetic(&type) ||
        kiln_scalar_row(type.scalar)->bits != kiln_scalar_row(x->type.scalar)->bits) {
        kiln_check_fail(call->checker, call->expr->span, "the bits of %s are not those of %s", KILN_TYPE_TEXT(&x->type),
                        KILN_TYPE_TEXT(&type));
        return fail(call);
    }
    kiln_tile_type_t result = with_scalar(&x->type, type.scalar);
    kiln_node_t *node = kiln_node_make(call->checker, KILN_NODE_BITCAST, &result, call->expr->span, call->expr->at);
    node->a = x;
    return node;
}

// Memory --------------------------------------------------------------------------------------------------------

static bool needs_pointer(kiln_checker_t *checker, const kiln_node_t *node, const char *what)
{
    if (kiln_node_is_error(node))
        return false;
    if (node->type.is_pointer)
        return true;
    kiln_check_fail(checker, node->span, "%s needs a pointer, and this is %s", what, KILN_TYPE_TEXT(&node->type));
    kiln_check_note_declaration(checker, node);
    return false;
}

static bool needs_writable(kiln_checker_t *checker, const kiln_node_t *pointer, const char *what)
{
    if (!needs_pointer(checker, pointer, what))
        return false;
    if (!pointer->type.is_const)
        return true;
    kiln_check_fail(checker, pointer->span, "cannot %s through a pointer to const, %s", what,
                    KILN_TYPE_TEXT(&pointer->type));
    kiln_check_note_declaration(checker, pointer);
    return false;
}

// Mask and pointer to one shape; the mask to bool.
static bool fit_mask(kiln_checker_t *checker, kiln_node_t **pointer, kiln_node_t **mask)
{
    if (!*mask)
        return true;
    *mask = kiln_convert_to_bool(checker, *mask);
    return kiln_convert_common_shape(checker, mask, pointer, (*mask)->span);
}

// A value for each element that the pointer names.
static kiln_node_t *fit_value(kiln_checker_t *checker, const kiln_node_t *pointer, kiln_node_t *value, const char *what)
{
    kiln_tile_type_t type = with_scalar(&pointer->type, pointer->type.scalar);
    return kiln_convert_implicitly(checker, value, &type, value->span, what);
}

static kiln_node_t *make_memory(kiln_checker_t *checker, kiln_builtin_id_t id, const kiln_tile_type_t *type,
                                kiln_node_t *pointer, kiln_node_t *b, kiln_node_t *c, kiln_span_t span, kiln_span_t at)
{
    kiln_node_t *node = kiln_node_make(checker, KILN_NODE_BUILTIN, type, span, at);
    node->builtin = kiln_builtin_row(id);
    node->arguments[0] = pointer;
    node->arguments[1] = b;
    node->arguments[2] = c;
    return node;
}

kiln_node_t *kiln_check_load(kiln_checker_t *checker, kiln_node_t *pointer, kiln_node_t *mask, kiln_node_t *other,
                             kiln_span_t span, kiln_span_t at)
{
    if (!needs_pointer(checker, pointer, "load") || !fit_mask(checker, &pointer, &mask))
        return kiln_node_error(checker, span);
    if (other) {
        other = fit_value(checker, pointer, other, "load this where the mask is false");
        if (kiln_node_is_error(other))
            return other;
    }
    kiln_tile_type_t type = with_scalar(&pointer->type, pointer->type.scalar);
    return make_memory(checker, KILN_BUILTIN_LOAD, &type, pointer, mask, other, span, at);
}

kiln_node_t *kiln_check_store(kiln_checker_t *checker, kiln_node_t *pointer, kiln_node_t *value, kiln_node_t *mask,
                              kiln_span_t span, kiln_span_t at)
{
    if (!needs_writable(checker, pointer, "store") || !fit_mask(checker, &pointer, &mask))
        return kiln_node_error(checker, span);
    value = fit_value(checker, pointer, value, "store this");
    if (kiln_node_is_error(value))
        return value;
    kiln_tile_type_t type = kiln_tile_scalar(KILN_SCALAR_VOID);
    return make_memory(checker, KILN_BUILTIN_STORE, &type, pointer, value, mask, span, at);
}

static kiln_node_t *check_load(const call_t *call)
{
    size_t count = call->expr->count;
    kiln_node_t *pointer = argument(call, 0), *mask = count > 1 ? argument(call, 1) : NULL;
    kiln_node_t *other = count > 2 ? argument(call, 2) : NULL;
    return kiln_check_load(call->checker, pointer, mask, other, call->expr->span, call->expr->at);
}

static kiln_node_t *check_store(const call_t *call)
{
    kiln_node_t *pointer = argument(call, 0), *value = argument(call, 1);
    kiln_node_t *mask = call->expr->count > 2 ? argument(call, 2) : NULL;
    return kiln_check_store(call->checker, pointer, value, mask, call->expr->span, call->expr->at);
}

static kiln_node_t *check_atomic(const call_t *call)
{
    kiln_node_t *pointer = argument(call, 0), *value = argument(call, 1);
    kiln_node_t *mask = call->expr->count > 2 ? argument(call, 2) : NULL;
    if (!needs_writable(call->checker, pointer, call->builtin->name) || !fit_mask(call->checker, &pointer, &mask))
        return fail(call);
    kiln_tile_type_t type = with_scalar(&pointer->type, pointer->type.scalar);
    if (!kiln_tile_is_float(&type) && (!kiln_tile_is_integer(&type) || kiln_scalar_row(type.scalar)->bits < 32)) {
        kiln_check_fail(call->checker, place(call, 0), "there is no %s on %s", call->builtin->name,
                        kiln_scalar_row(type.scalar)->spelling);
        return fail(call);
    }
    return make(call, &type, pointer, fit_value(call->checker, pointer, value, "combine this with memory"), mask);
}

static kiln_node_t *check_atomic_integer(const call_t *call)
{
    kiln_node_t *node = check_atomic(call);
    if (kiln_node_is_error(node) || kiln_tile_is_integer(&node->type))
        return node;
    kiln_check_fail(call->checker, place(call, 0), "there is no %s on %s", call->builtin->name,
                    kiln_scalar_row(node->type.scalar)->spelling);
    return fail(call);
}

static kiln_node_t *check_atomic_cas(const call_t *call)
{
    kiln_node_t *pointer = argument(call, 0), *compare = argument(call, 1), *value = argument(call, 2);
    if (!needs_writable(call->checker, pointer, call->builtin->name))
        return fail(call);
    kiln_tile_type_t type = with_scalar(&pointer->type, pointer->type.scalar);
    if (!kiln_tile_is_integer(&type) || kiln_scalar_row(type.scalar)->bits < 32) {
        kiln_check_fail(call->checker, place(call, 0), "there is no atomic_cas on %s",
                        kiln_scalar_row(type.scalar)->spelling);
        return fail(call);
    }
    return make(call, &type, pointer, fit_value(call->checker, pointer, compare, "compare this with memory"),
                fit_value(call->checker, pointer, value, "store this"));
}

static kiln_node_t *check_barrier(const call_t *call)
{
    kiln_tile_type_t type = kiln_tile_scalar(KILN_SCALAR_VOID);
    return make(call, &type, NULL, NULL, NULL);
}

// Matrix product and reductions ---------------------------------------------------------------------------------

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

static kiln_node_t *check_dot(const call_t *call)
{
    kiln_node_t *a = argument(call, 0), *b = argument(call, 1);
    kiln_node_t *accumulator = call->expr->count > 2 ? argument(call, 2) : NULL;
    if (!needs_tile(call, a) || !needs_tile(call, b) || (accumulator && kiln_node_is_error(accumulator)))
        return fail(call);
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
        return fail(call);
    }
    kiln_scalar_t natural = dot_result(&a->type, &b->type);
    if (!natural) {
        kiln_check_fail_between(call->checker, call->expr->at, a, b,
                                "dot takes two tiles of f16, bf16, f32, f64, i8 or of 8-bit floats, not %s and %s",
                                KILN_TYPE_TEXT(&a->type), KILN_TYPE_TEXT(&b->type));
        return fail(call);
    }
    kiln_tile_type_t type = with_scalar(&a->type, natural);
    type.shape[rank - 1] = b->type.shape[rank - 1];
    if (!kiln_check_shape(call->checker, &type, call->expr->span))
        return fail(call);
    if (!accumulator) {
        accumulator = kiln_node_int(call->checker, KILN_SCALAR_I32, 0, call->expr->span);
    } else if (accumulator->type.rank && a->type.scalar == KILN_SCALAR_F16 &&
               accumulator->type.scalar == KILN_SCALAR_F16) {
        type.scalar = KILN_SCALAR_F16;
    } else if (accumulator->type.rank && accumulator->type.scalar != natural) {
        kiln_check_fail(call->checker, place(call, 2), "dot of %s accumulates in %s, not in %s",
                        kiln_scalar_row(a->type.scalar)->spelling, kiln_scalar_row(natural)->spelling,
                        KILN_TYPE_TEXT(&accumulator->type));
        kiln_check_note_declaration(call->checker, accumulator);
        return fail(call);
    }
    kiln_span_t at = call->expr->count > 2 ? place(call, 2) : call->expr->at;
    accumulator = kiln_convert_implicitly(call->checker, accumulator, &type, at, "accumulate in this");
    return make(call, &type, a, b, accumulator);
}

// One axis; without it all elements, as one row.
static kiln_node_t *check_reduce_of(const call_t *call, kiln_node_t *x, kiln_scalar_t computed, kiln_scalar_t result)
{
    int axis = 0;
    if (call->expr->count > 1 && !axis_argument(call, 1, x->type.rank, &axis))
        return fail(call);
    x = kiln_convert_element(call->checker, x, computed);
    if (call->expr->count == 1 && x->type.rank > 1) {
        kiln_tile_type_t row = x->type;
        row.shape[0] = kiln_tile_type_count(&x->type);
        row.rank = 1;
        x = make_row(call, KILN_BUILTIN_RESHAPE, &row, x);
    }
    kiln_tile_type_t type = x->type;
    for (int i = axis; i + 1 < type.rank; i++)
        type.shape[i] = type.shape[i + 1];
    type.rank--;
    kiln_node_t *node = make(call, &type, x, NULL, NULL);
    node->axes[0] = axis;
    return kiln_convert_element(call->checker, node, result);
}

// Sums and products of small types are wider than their elements; maxima are not.
static kiln_node_t *check_reduce(const call_t *call)
{
    kiln_node_t *x = argument(call, 0);
    if (!needs_tile(call, x) || !needs_arithmetic(call, x))
        return fail(call);
    bool widens = call->builtin->id == KILN_BUILTIN_SUM || call->builtin->id == KILN_BUILTIN_PROD;
    kiln_scalar_t own = x->type.scalar, computed = own;
    if (widens)
        computed = kiln_scalar_promote(own);
    if (own == KILN_SCALAR_BF16 || (widens && own == KILN_SCALAR_F16))
        computed = KILN_SCALAR_F32;
    return check_reduce_of(call, x, computed, widens ? computed : own);
}

static kiln_node_t *check_reduce_integer(const call_t *call)
{
    kiln_node_t *x = argument(call, 0);
    if (!needs_tile(call, x))
        return fail(call);
    if (kiln_tile_is_integer(&x->type))
        return check_reduce_of(call, x, x->type.scalar, x->type.scalar);
    kiln_check_fail(call->checker, x->span, "%s needs integers, and this is %s", call->builtin->name,
                    KILN_TYPE_TEXT(&x->type));
    return fail(call);
}

static kiln_node_t *check_reduce_bool(const call_t *call)
{
    kiln_node_t *x = argument(call, 0);
    if (!needs_tile(call, x))
        return fail(call);
    x = kiln_convert_to_bool(call->checker, x);
    return kiln_node_is_error(x) ? x : check_reduce_of(call, x, KILN_SCALAR_BOOL, KILN_SCALAR_BOOL);
}

static kiln_node_t *check_arg_reduce(const call_t *call)
{
    kiln_node_t *x = argument(call, 0);
    int axis;
    if (!needs_tile(call, x) || !needs_arithmetic(call, x) || !axis_argument(call, 1, x->type.rank, &axis))
        return fail(call);
    if (x->type.scalar == KILN_SCALAR_BF16)
        x = kiln_convert_element(call->checker, x, KILN_SCALAR_F32);
    kiln_tile_type_t type = with_scalar(&x->type, KILN_SCALAR_I32);
    for (int i = axis; i + 1 < type.rank; i++)
        type.shape[i] = type.shape[i + 1];
    type.rank--;
    kiln_node_t *node = make(call, &type, x, NULL, NULL);
    node->axes[0] = axis;
    return node;
}

static kiln_node_t *check_scan(const call_t *call)
{
    kiln_node_t *x = argument(call, 0);
    int axis;
    if (!needs_tile(call, x) || !needs_arithmetic(call, x) || !axis_argument(call, 1, x->type.rank, &axis))
        return fail(call);
    kiln_scalar_t computed = kiln_scalar_promote(x->type.scalar);
    if (computed == KILN_SCALAR_BF16 || computed == KILN_SCALAR_F16)
        computed = KILN_SCALAR_F32;
    x = kiln_convert_element(call->checker, x, computed);
    kiln_node_t *node = make(call, &x->type, x, NULL, NULL);
    node->axes[0] = axis;
    return node;
}

// Element by element --------------------------------------------------------------------------------------------

// Functions of floats are computed in f32 or f64; integers become f32 first, f16 and bf16 are given back as they came.
static kiln_node_t *check_math(const call_t *call)
{
    kiln_node_t *x = argument(call, 0);
    if (!needs_arithmetic(call, x))
        return fail(call);
    kiln_scalar_t own = kiln_tile_is_float(&x->type) ? x->type.scalar : KILN_SCALAR_F32;
    x = kiln_convert_element(call->checker, x, own == KILN_SCALAR_F64 ? own : KILN_SCALAR_F32);
    return kiln_convert_element(call->checker, make(call, &x->type, x, NULL, NULL), own);
}

static kiln_node_t *check_numeric1(const call_t *call)
{
    kiln_node_t *x = argument(call, 0);
    if (!needs_arithmetic(call, x))
        return fail(call);
    if (kiln_tile_is_integer(&x->type))
        x = kiln_convert_element(call->checker, x, kiln_scalar_promote(x->type.scalar));
    else if (x->is_flexible)
        x = kiln_convert_element(call->checker, x, KILN_SCALAR_F32);
    return kiln_tile_is_unsigned(&x->type) ? x : make(call, &x->type, x, NULL, NULL);
}

// All arguments to one type and shape.
static bool common_arguments(const call_t *call, kiln_node_t **list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        list[i] = argument(call, i);
    for (int round = 0; round < 2; round++) // the second time spreads what the last one brought
        for (size_t i = 1; i < count; i++)
            if (!kiln_convert_usual(call->checker, &list[0], &list[i], call->expr->at, call->builtin->name) ||
                !kiln_convert_common_shape(call->checker, &list[0], &list[i], call->expr->at))
                return false;
    for (size_t i = 0; i < count; i++) // literals only
        list[i] = kiln_convert_element(call->checker, list[i], list[i]->type.scalar);
    return true;
}

static kiln_node_t *check_numeric2(const call_t *call)
{
    kiln_node_t *list[2];
    if (!common_arguments(call, list, 2))
        return fail(call);
    if (kiln_node_is_constant(list[0]) && kiln_node_is_constant(list[1])) {
        kiln_constant_t less;
        if (kiln_fold_binary(KILN_OPERATOR_LT, list[0]->constant, list[1]->constant, &less))
            return list[(less.integer != 0) == (call->builtin->id == KILN_BUILTIN_MAXIMUM)];
    }
    return make(call, &list[0]->type, list[0], list[1], NULL);
}

static kiln_node_t *check_numeric3(const call_t *call)
{
    kiln_node_t *list[3];
    if (!common_arguments(call, list, 3))
        return fail(call);
    return make(call, &list[0]->type, list[0], list[1], list[2]);
}

static kiln_node_t *check_fma(const call_t *call)
{
    kiln_node_t *node = check_numeric3(call);
    if (kiln_node_is_error(node) || kiln_tile_is_float(&node->type))
        return node;
    kiln_check_fail(call->checker, call->expr->span, "fma needs floats, and these are %s", KILN_TYPE_TEXT(&node->type));
    return fail(call);
}

static kiln_node_t *check_umulhi(const call_t *call)
{
    kiln_node_t *list[2];
    if (!common_arguments(call, list, 2))
        return fail(call);
    if (kiln_tile_is_integer(&list[0]->type))
        return make(call, &list[0]->type, list[0], list[1], NULL);
    kiln_check_fail(call->checker, call->expr->span, "umulhi needs integers");
    return fail(call);
}

// (a + (b − 1)) / b
static kiln_node_t *check_cdiv(const call_t *call)
{
    kiln_checker_t *checker = call->checker;
    kiln_span_t span = call->expr->span, at = call->expr->at;
    kiln_node_t *a = argument(call, 0), *b = argument(call, 1), *kept = NULL;
    if (kiln_node_is_error(a) || kiln_node_is_error(b))
        return fail(call);
    if (!kiln_tile_is_integer(&a->type) || !kiln_tile_is_integer(&b->type)) {
        kiln_check_fail(checker, span, "cdiv needs integers, not %s and %s", KILN_TYPE_TEXT(&a->type),
                        KILN_TYPE_TEXT(&b->type));
        return fail(call);
    }
    kiln_node_t *divisor = b;
    if (!kiln_node_is_constant(b) && b->kind != KILN_NODE_VARIABLE) {
        kiln_variable_t *variable = kiln_variable_make(checker, NULL, &b->type, b->span);
        kept = kiln_node_assign(checker, variable, b, b->at);
        b = kiln_node_variable(checker, variable, b->span);
        divisor = kiln_node_variable(checker, variable, b->span);
    } else if (b->kind == KILN_NODE_VARIABLE) {
        divisor = kiln_node_variable(checker, b->variable, b->span);
    }
    kiln_node_t *one = kiln_node_int(checker, KILN_SCALAR_I32, 1, span);
    kiln_node_t *less = kiln_check_binary(checker, KILN_OPERATOR_SUB, b, one, span, at);
    kiln_node_t *sum = kiln_check_binary(checker, KILN_OPERATOR_ADD, a, less, span, at);
    kiln_node_t *quotient = kiln_check_binary(checker, KILN_OPERATOR_DIV, sum, divisor, span, at);
    if (!kept || kiln_node_is_error(quotient))
        return quotient;
    kiln_node_t *node = kiln_node_make(checker, KILN_NODE_SEQUENCE, &quotient->type, span, at);
    node->a = kept;
    node->b = quotient;
    return node;
}

static kiln_node_t *check_where(const call_t *call)
{
    kiln_checker_t *checker = call->checker;
    kiln_node_t *condition = kiln_convert_to_bool(checker, argument(call, 0));
    kiln_node_t *a = argument(call, 1), *b = argument(call, 2);
    kiln_span_t at = call->expr->at;
    if (kiln_node_is_error(condition) || kiln_node_is_error(a) || kiln_node_is_error(b))
        return fail(call);
    bool are_pointers = a->type.is_pointer && b->type.is_pointer && a->type.scalar == b->type.scalar;
    bool are_bools = kiln_tile_is_bool(&a->type) && kiln_tile_is_bool(&b->type);
    bool are_same = a->type.scalar == b->type.scalar && !a->is_flexible && kiln_tile_is_arithmetic(&a->type) &&
                    kiln_tile_is_arithmetic(&b->type);
    if (!are_pointers && !are_bools && !are_same && !kiln_convert_usual(checker, &a, &b, at, "where"))
        return fail(call);
    if (!kiln_convert_common_shape(checker, &a, &b, at) || !kiln_convert_common_shape(checker, &condition, &a, at) ||
        !kiln_convert_common_shape(checker, &b, &a, at))
        return fail(call);
    kiln_node_t *node = kiln_node_make(checker, KILN_NODE_SELECT, &a->type, call->expr->span, at);
    node->type.is_const = a->type.is_const || b->type.is_const;
    node->a = condition;
    node->b = a;
    node->c = b;
    return node;
}

// Promises ------------------------------------------------------------------------------------------------------

static kiln_node_t *check_assume(const call_t *call)
{
    kiln_node_t *condition = kiln_convert_to_bool(call->checker, argument(call, 0));
    kiln_tile_type_t type = kiln_tile_scalar(KILN_SCALAR_VOID);
    if (kiln_node_is_error(condition))
        return condition;
    if (condition->type.rank) {
        kiln_check_fail(call->checker, place(call, 0), "only a scalar condition can be assumed");
        return fail(call);
    }
    return make(call, &type, condition, NULL, NULL);
}

static kiln_node_t *check_hint(const call_t *call)
{
    kiln_node_t *x = argument(call, 0);
    if (kiln_node_is_error(x))
        return x;
    int count = (int)call->expr->count - 1, expected = x->type.rank ? x->type.rank : 1;
    if (count != expected) {
        kiln_check_fail(call->checker, call->expr->span, "%s of %s takes %d value%s", call->builtin->name,
                        KILN_TYPE_TEXT(&x->type), expected, expected == 1 ? "" : "s");
        return fail(call);
    }
    kiln_node_t *node = make(call, &x->type, x, NULL, NULL);
    for (int i = 0; i < count; i++) {
        int64_t value;
        if (!kiln_check_constant_int(call->checker, call->expr->list[i + 1], "a hint", &value))
            return fail(call);
        if (value < 1 || value > INT32_MAX) {
            kiln_check_fail(call->checker, place(call, (size_t)i + 1), "a hint is at least 1");
            return fail(call);
        }
        node->axes[i] = (int)value;
    }
    node->axis_count = count;
    return node;
}

// The table -----------------------------------------------------------------------------------------------------

static kiln_node_t *(*const checks[KILN_BUILTIN_COUNT])(const call_t *) = {
#define KILN_BUILTIN(id, name, least, most, check, emit, detail, usage) [KILN_BUILTIN_##id] = check_##check,
#include "builtins.def"
#undef KILN_BUILTIN
};

kiln_node_t *kiln_check_builtin_call(kiln_checker_t *checker, const kiln_builtin_t *builtin, const kiln_expr_t *expr)
{
    call_t call = {checker, builtin, expr};
    if (expr->count < builtin->least || expr->count > builtin->most) {
        kiln_check_fail(checker, expr->at, "wrong number of arguments: %s", builtin->usage);
        return fail(&call);
    }
    return checks[builtin->id](&call);
}
