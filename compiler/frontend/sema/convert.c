// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes conversions between types explicit: C's usual arithmetic conversions, NumPy's broadcasting,
// assignment, casts.
//
// Shapes and elements convert independently: (f16)acc keeps acc's shape, acc = 0 keeps acc's
// element type.
#include "frontend/sema/check_warn.h"

static kiln_node_t *wrap(kiln_checker_t *checker, kiln_node_kind_t kind, kiln_node_t *node,
                         const kiln_tile_type_t *type)
{
    kiln_node_t *outer = kiln_node_make(checker, kind, type, node->span, node->at);
    outer->a = node;
    return outer;
}

kiln_node_t *kiln_convert_element(kiln_checker_t *checker, kiln_node_t *node, kiln_scalar_t to)
{
    bool is_same = node->type.scalar == to && !node->type.is_pointer;
    if (kiln_node_is_error(node) || (is_same && !node->is_flexible))
        return node;
    if (node->kind == KILN_NODE_CONSTANT) {
        kiln_constant_t folded;
        if (kiln_fold_convert(node->constant, to, &folded)) {
            // A literal takes its float type from the other operand without double rounding: 0.1
            // with an f64 is not first rounded to f32.
            folded.is_setting = node->constant.is_setting;
            return kiln_node_constant(checker, folded, node->span);
        }
    }
    if (node->kind == KILN_NODE_BROADCAST) // convert before broadcasting
        return kiln_convert_shape(checker, kiln_convert_element(checker, node->a, to), &node->type);
    kiln_tile_type_t type = node->type;
    type.scalar = to;
    type.is_pointer = type.is_const = false;
    return wrap(checker, KILN_NODE_CONVERT, node, &type);
}

bool kiln_shape_broadcasts(const kiln_tile_type_t *from, const kiln_tile_type_t *to)
{
    if (from->rank > to->rank)
        return false;
    int missing = to->rank - from->rank;
    for (int i = 0; i < from->rank; i++)
        if (from->shape[i] != to->shape[i + missing] && from->shape[i] != 1)
            return false;
    return true;
}

kiln_node_t *kiln_convert_shape(kiln_checker_t *checker, kiln_node_t *node,
                                const kiln_tile_type_t *shape)
{
    if (kiln_node_is_error(node) || kiln_tile_shape_equal(&node->type, shape))
        return node;
    kiln_tile_type_t type = kiln_tile_type_with_shape(&node->type, shape);
    if (node->kind == KILN_NODE_BROADCAST && node->a->type.rank == 0)
        node = node->a; // splat directly to the final shape
    return wrap(checker, KILN_NODE_BROADCAST, node, &type);
}

kiln_node_t *kiln_convert_to_bool(kiln_checker_t *checker, kiln_node_t *node)
{
    if (kiln_node_is_error(node) || kiln_tile_is_bool(&node->type))
        return node;
    if (kiln_tile_is_integer(&node->type) || kiln_tile_is_float(&node->type))
        return kiln_convert_element(checker, node, KILN_SCALAR_BOOL);
    kiln_check_fail(checker, node->span, "a value of type %s cannot be converted to bool",
                    KILN_TYPE_TEXT(checker, &node->type));
    return kiln_node_error(checker, node->span);
}

kiln_node_t *kiln_convert_implicitly(kiln_checker_t *checker, kiln_node_t *node,
                                     const kiln_tile_type_t *to, kiln_span_t at, const char *what)
{
    if (kiln_node_is_error(node) || kiln_tile_type_is_error(to))
        return kiln_node_error(checker, node->span);
    if (node->type.scalar == KILN_SCALAR_VOID && !node->type.is_pointer) {
        kiln_check_fail(checker, node->span, "this has no value");
        return kiln_node_error(checker, node->span);
    }
    bool is_opaque = kiln_tile_is_opaque(&node->type) || kiln_tile_is_opaque(to);
    if (is_opaque && (kiln_tile_type_equal(&node->type, to) || kiln_struct_fills(&node->type, to)))
        return node;
    if (is_opaque || node->type.is_pointer != to->is_pointer ||
        (to->is_pointer && node->type.scalar != to->scalar)) {
        kiln_check_fail(checker, at, "cannot %s: got %s, expected %s", what,
                        KILN_TYPE_TEXT(checker, &node->type), KILN_TYPE_TEXT(checker, to));
        kiln_check_note_declaration(checker, node);
        return kiln_node_error(checker, node->span);
    }
    if (to->is_pointer && node->type.is_const && !to->is_const) {
        kiln_check_fail(checker, at, "cannot %s: that would drop the 'const' of %s", what,
                        KILN_TYPE_TEXT(checker, &node->type));
        kiln_check_note_declaration(checker, node);
        return kiln_node_error(checker, node->span);
    }
    if (!kiln_shape_broadcasts(&node->type, to)) {
        kiln_check_fail(checker, at, "cannot %s: %s does not broadcast to %s", what,
                        KILN_TYPE_TEXT(checker, &node->type), KILN_TYPE_TEXT(checker, to));
        kiln_check_note_declaration(checker, node);
        return kiln_node_error(checker, node->span);
    }
    if (!to->is_pointer) {
        kiln_warn_conversion(checker, node, to->scalar);
        node = kiln_convert_element(checker, node, to->scalar);
    }
    return kiln_convert_shape(checker, node, to);
}

bool kiln_convert_usual(kiln_checker_t *checker, kiln_node_t **a, kiln_node_t **b, kiln_span_t at,
                        const char *op)
{
    const kiln_tile_type_t *ta = &(*a)->type, *tb = &(*b)->type;
    if (kiln_node_is_error(*a) || kiln_node_is_error(*b))
        return false;
    if (!kiln_tile_is_arithmetic(ta) || !kiln_tile_is_arithmetic(tb)) {
        kiln_check_fail_between(checker, at, *a, *b, "'%s' cannot be applied to %s and %s", op,
                                KILN_TYPE_TEXT(checker, ta), KILN_TYPE_TEXT(checker, tb));
        kiln_check_note_declarations(checker, *a, *b);
        return false;
    }
    if (kiln_tile_is_float8(ta) || kiln_tile_is_float8(tb)) {
        kiln_check_fail_between(checker, at, *a, *b,
                                "'%s' is not supported on 8-bit floats; convert to f32 first", op);
        return false;
    }
    if ((*a)->is_flexible && (*b)->is_flexible)
        return true;
    kiln_scalar_t common = kiln_scalar_common(ta->scalar, tb->scalar);
    if ((*a)->is_flexible && !(*b)->is_flexible && kiln_tile_is_float(tb))
        common = tb->scalar;
    if ((*b)->is_flexible && !(*a)->is_flexible && kiln_tile_is_float(ta))
        common = ta->scalar;
    *a = kiln_convert_element(checker, *a, common);
    *b = kiln_convert_element(checker, *b, common);
    return true;
}

bool kiln_convert_common_shape(kiln_checker_t *checker, kiln_node_t **a, kiln_node_t **b,
                               kiln_span_t at)
{
    const kiln_tile_type_t *ta = &(*a)->type, *tb = &(*b)->type;
    if (kiln_node_is_error(*a) || kiln_node_is_error(*b))
        return false;
    kiln_tile_type_t shape = ta->rank >= tb->rank ? *ta : *tb;
    for (int i = 1; i <= shape.rank; i++) { // starting with the last dimension
        int64_t da = i <= ta->rank ? ta->shape[ta->rank - i] : 1,
                db = i <= tb->rank ? tb->shape[tb->rank - i] : 1;
        if (da != db && da != 1 && db != 1) {
            kiln_check_fail_between(
                checker, at, *a, *b,
                "cannot broadcast %s with %s: dimension %d is %lld here and %lld there",
                KILN_TYPE_TEXT(checker, ta), KILN_TYPE_TEXT(checker, tb), shape.rank - i,
                (long long)da, (long long)db);
            kiln_check_note_declarations(checker, *a, *b);
            return false;
        }
        shape.shape[shape.rank - i] = da > db ? da : db;
    }
    if (!kiln_check_shape(checker, &shape, at))
        return false;
    *a = kiln_convert_shape(checker, *a, &shape);
    *b = kiln_convert_shape(checker, *b, &shape);
    return true;
}

kiln_node_t *kiln_cast(kiln_checker_t *checker, kiln_node_t *node, const kiln_tile_type_t *element,
                       kiln_span_t at)
{
    if (kiln_node_is_error(node))
        return node;
    const kiln_tile_type_t *from = &node->type;
    bool is_opaque = kiln_tile_is_opaque(from) || kiln_tile_is_opaque(element);
    if (is_opaque && kiln_tile_type_equal(from, element))
        return node;
    if (is_opaque || from->scalar == KILN_SCALAR_VOID ||
        (element->scalar == KILN_SCALAR_VOID && !element->is_pointer)) {
        kiln_check_fail(checker, at, "cannot convert %s to %s", KILN_TYPE_TEXT(checker, from),
                        KILN_TYPE_TEXT(checker, element));
        return kiln_node_error(checker, node->span);
    }
    if (!element->is_pointer && !from->is_pointer)
        return kiln_convert_element(checker, node, element->scalar);
    kiln_tile_type_t type = kiln_tile_type_with_shape(element, from);
    bool address = (element->is_pointer && !from->is_pointer && kiln_tile_is_integer(from)) ||
                   (!element->is_pointer && kiln_tile_is_integer(element));
    if (!address && !(element->is_pointer && from->is_pointer)) {
        kiln_check_fail(checker, at, "cannot convert %s to %s", KILN_TYPE_TEXT(checker, from),
                        KILN_TYPE_TEXT(checker, element));
        return kiln_node_error(checker, node->span);
    }
    if (element->is_pointer && from->is_pointer && element->scalar == from->scalar) {
        kiln_node_t *copy = kiln_node_make(checker, node->kind, &type, node->span, node->at);
        *copy = *node;
        copy->type.is_const = element->is_const;
        return copy;
    }
    if (element->is_pointer && !from->is_pointer)
        node = kiln_convert_element(checker, node, KILN_SCALAR_I64);
    return wrap(checker, KILN_NODE_CONVERT, node, &type);
}
