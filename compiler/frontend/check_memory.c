// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and atomics: pointer, mask and value are brought to one shape.
//
// The pointer and the mask spread over each other; the value spreads over them, but never the other way: storing a tile
// through one pointer is an error.
#include "check_builtin.h"

static bool needs_pointer(kiln_checker_t *checker, const kiln_node_t *node, const char *what)
{
    if (kiln_node_is_error(node))
        return false;
    if (checker->combining) {
        kiln_check_fail(checker, node->span, "'%s' combines two elements, so it cannot touch memory",
                        checker->combining);
        return false;
    }
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
    kiln_tile_type_t type = kiln_tile_with_scalar(&pointer->type, pointer->type.scalar);
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
    kiln_tile_type_t type = kiln_tile_with_scalar(&pointer->type, pointer->type.scalar);
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

kiln_node_t *kiln_check_builtin_load(const kiln_call_t *call)
{
    size_t count = call->expr->count;
    kiln_node_t *pointer = kiln_call_argument(call, 0), *mask = count > 1 ? kiln_call_argument(call, 1) : NULL;
    kiln_node_t *other = count > 2 ? kiln_call_argument(call, 2) : NULL;
    return kiln_check_load(call->checker, pointer, mask, other, call->expr->span, call->expr->at);
}

kiln_node_t *kiln_check_builtin_store(const kiln_call_t *call)
{
    kiln_node_t *pointer = kiln_call_argument(call, 0), *value = kiln_call_argument(call, 1);
    kiln_node_t *mask = call->expr->count > 2 ? kiln_call_argument(call, 2) : NULL;
    return kiln_check_store(call->checker, pointer, value, mask, call->expr->span, call->expr->at);
}

kiln_node_t *kiln_check_builtin_atomic(const kiln_call_t *call)
{
    kiln_node_t *pointer = kiln_call_argument(call, 0), *value = kiln_call_argument(call, 1);
    kiln_node_t *mask = call->expr->count > 2 ? kiln_call_argument(call, 2) : NULL;
    if (!needs_writable(call->checker, pointer, call->builtin->name) || !fit_mask(call->checker, &pointer, &mask))
        return kiln_call_fail(call);
    kiln_tile_type_t type = kiln_tile_with_scalar(&pointer->type, pointer->type.scalar);
    if (!kiln_tile_is_float(&type) && (!kiln_tile_is_integer(&type) || kiln_scalar_row(type.scalar)->bits < 32)) {
        kiln_check_fail(call->checker, kiln_call_place(call, 0), "there is no %s on %s", call->builtin->name,
                        kiln_scalar_row(type.scalar)->spelling);
        return kiln_call_fail(call);
    }
    return kiln_call_make(call, &type, pointer, fit_value(call->checker, pointer, value, "combine this with memory"),
                          mask);
}

kiln_node_t *kiln_check_builtin_atomic_integer(const kiln_call_t *call)
{
    kiln_node_t *node = kiln_check_builtin_atomic(call);
    if (kiln_node_is_error(node) || kiln_tile_is_integer(&node->type))
        return node;
    kiln_check_fail(call->checker, kiln_call_place(call, 0), "there is no %s on %s", call->builtin->name,
                    kiln_scalar_row(node->type.scalar)->spelling);
    return kiln_call_fail(call);
}

kiln_node_t *kiln_check_builtin_atomic_cas(const kiln_call_t *call)
{
    kiln_node_t *pointer = kiln_call_argument(call, 0), *compare = kiln_call_argument(call, 1),
                *value = kiln_call_argument(call, 2);
    if (!needs_writable(call->checker, pointer, call->builtin->name))
        return kiln_call_fail(call);
    kiln_tile_type_t type = kiln_tile_with_scalar(&pointer->type, pointer->type.scalar);
    if (!kiln_tile_is_integer(&type) || kiln_scalar_row(type.scalar)->bits < 32) {
        kiln_check_fail(call->checker, kiln_call_place(call, 0), "there is no atomic_cas on %s",
                        kiln_scalar_row(type.scalar)->spelling);
        return kiln_call_fail(call);
    }
    return kiln_call_make(call, &type, pointer, fit_value(call->checker, pointer, compare, "compare this with memory"),
                          fit_value(call->checker, pointer, value, "store this"));
}

kiln_node_t *kiln_check_builtin_barrier(const kiln_call_t *call)
{
    kiln_tile_type_t type = kiln_tile_scalar(KILN_SCALAR_VOID);
    return kiln_call_make(call, &type, NULL, NULL, NULL);
}
