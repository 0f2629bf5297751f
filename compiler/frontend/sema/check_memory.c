// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and atomics: pointer, mask and value are broadcast to one shape.
//
// The pointer and the mask are broadcast to each other, and the value to both. The pointer is not
// broadcast to the value: storing a tile through one pointer is an error.
#include "frontend/sema/check_builtin.h"

#include <string.h>

static bool needs_pointer(kiln_checker_t *checker, const kiln_node_t *node, const char *what)
{
    if (kiln_node_is_error(node))
        return false;
    if (checker->combining) {
        kiln_check_fail(checker, node->span,
                        "'%s' combines two elements, so it cannot access memory",
                        checker->combining);
        return false;
    }
    if (node->type.is_pointer)
        return true;
    kiln_check_fail(checker, node->span, "%s needs a pointer, got %s", what,
                    KILN_TYPE_TEXT(checker, &node->type));
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
                    KILN_TYPE_TEXT(checker, &pointer->type));
    kiln_check_note_declaration(checker, pointer);
    return false;
}

// Broadcasts mask and pointer to one shape and converts the mask to bool.
static bool fit_mask(kiln_checker_t *checker, kiln_node_t **pointer, kiln_node_t **mask)
{
    if (!*mask)
        return true;
    *mask = kiln_convert_to_bool(checker, *mask);
    return kiln_convert_common_shape(checker, mask, pointer, (*mask)->span);
}

// Converts the value to one element for each address of the pointer.
static kiln_node_t *fit_value(kiln_checker_t *checker, const kiln_node_t *pointer,
                              kiln_node_t *value, const char *what)
{
    kiln_tile_type_t type = kiln_tile_with_scalar(&pointer->type, pointer->type.scalar);
    return kiln_convert_implicitly(checker, value, &type, value->span, what);
}

static kiln_node_t *make_memory(kiln_checker_t *checker, kiln_builtin_id_t id,
                                const kiln_tile_type_t *type, kiln_node_t *pointer, kiln_node_t *b,
                                kiln_node_t *c, kiln_span_t span, kiln_span_t at)
{
    kiln_node_t *node = kiln_node_make(checker, KILN_NODE_BUILTIN, type, span, at);
    node->builtin = kiln_builtin_row(id);
    node->arguments[0] = pointer;
    node->arguments[1] = b;
    node->arguments[2] = c;
    return node;
}

kiln_node_t *kiln_check_load(kiln_checker_t *checker, kiln_node_t *pointer, kiln_node_t *mask,
                             kiln_node_t *other, kiln_span_t span, kiln_span_t at)
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

kiln_node_t *kiln_check_store(kiln_checker_t *checker, kiln_node_t *pointer, kiln_node_t *value,
                              kiln_node_t *mask, kiln_span_t span, kiln_span_t at)
{
    if (!needs_writable(checker, pointer, "store") || !fit_mask(checker, &pointer, &mask))
        return kiln_node_error(checker, span);
    value = fit_value(checker, pointer, value, "store this");
    if (kiln_node_is_error(value))
        return value;
    kiln_tile_type_t type = kiln_tile_scalar(KILN_SCALAR_VOID);
    return make_memory(checker, KILN_BUILTIN_STORE, &type, pointer, value, mask, span, at);
}

// settings: cache modifier, eviction policy, volatile
static bool read_hints(const kiln_call_t *call, int *settings)
{
    bool is_volatile;
    if (!kiln_call_word(call, KILN_BUILTIN_OPTION_CACHE, KILN_CACHE_NONE, &settings[0]) ||
        !kiln_call_word(call, KILN_BUILTIN_OPTION_EVICT, KILN_EVICT_NORMAL, &settings[1]) ||
        !kiln_call_flag(call, KILN_BUILTIN_OPTION_VOLATILE, false, &is_volatile))
        return false;
    settings[2] = is_volatile;
    return true;
}

static bool has_boundary(const kiln_call_t *call)
{
    const kiln_expr_t *given = call->options[KILN_BUILTIN_OPTION_BOUNDARY_CHECK]
                                   ? call->options[KILN_BUILTIN_OPTION_BOUNDARY_CHECK]
                                   : call->options[KILN_BUILTIN_OPTION_PADDING];
    if (given)
        kiln_check_fail(call->checker, given->span,
                        ".boundary_check applies to block pointers; use a mask");
    return given;
}

kiln_node_t *kiln_check_builtin_load(const kiln_call_t *call)
{
    int settings[3];
    kiln_node_t *pointer = kiln_call_argument(call, 0), *mask = kiln_call_argument(call, 1);
    kiln_node_t *other = kiln_call_argument(call, 2);
    if (!read_hints(call, settings))
        return kiln_call_fail(call);
    if (pointer->type.scalar == KILN_SCALAR_VIEW)
        return kiln_check_block_access(call, pointer, NULL, settings);
    if (has_boundary(call))
        return kiln_call_fail(call);
    if (other && !mask) {
        kiln_check_fail(call->checker, kiln_call_place(call, 2),
                        "'other' needs a mask: it is the value where the mask is false");
        return kiln_call_fail(call);
    }
    kiln_node_t *node =
        kiln_check_load(call->checker, pointer, mask, other, call->expr->span, call->expr->at);
    memcpy(node->settings, settings, sizeof settings);
    return node;
}

kiln_node_t *kiln_check_builtin_store(const kiln_call_t *call)
{
    kiln_node_t *pointer = kiln_call_argument(call, 0), *value = kiln_call_argument(call, 1);
    kiln_node_t *mask = kiln_call_argument(call, 2);
    int settings[3];
    if (!read_hints(call, settings))
        return kiln_call_fail(call);
    if (pointer->type.scalar == KILN_SCALAR_VIEW)
        return kiln_check_block_access(call, pointer, value, settings);
    if (has_boundary(call))
        return kiln_call_fail(call);
    kiln_node_t *node =
        kiln_check_store(call->checker, pointer, value, mask, call->expr->span, call->expr->at);
    memcpy(node->settings, settings, sizeof settings);
    return node;
}

// Atomics -----------------------------------------------------------------------------------------

// settings: order, scope
static bool read_order(const kiln_call_t *call, kiln_memory_order_t otherwise, int *settings)
{
    return kiln_call_word(call, KILN_BUILTIN_OPTION_ORDER, (int)otherwise, &settings[0]) &&
           kiln_call_word(call, KILN_BUILTIN_OPTION_SCOPE, KILN_SCOPE_GPU, &settings[1]);
}

static kiln_node_t *no_atomic(const kiln_call_t *call, const kiln_tile_type_t *type)
{
    kiln_check_fail(call->checker, kiln_call_place(call, 0), "%s does not support %s",
                    call->builtin->name, kiln_scalar_row(type->scalar)->spelling);
    return kiln_call_fail(call);
}

kiln_node_t *kiln_check_builtin_atomic(const kiln_call_t *call)
{
    kiln_node_t *pointer = kiln_call_argument(call, 0), *value = kiln_call_argument(call, 1);
    kiln_node_t *mask = kiln_call_argument(call, 2);
    int settings[2];
    if (!read_order(call, KILN_ORDER_ACQ_REL, settings) ||
        !needs_writable(call->checker, pointer, call->builtin->name) ||
        !fit_mask(call->checker, &pointer, &mask))
        return kiln_call_fail(call);
    kiln_tile_type_t type = kiln_tile_with_scalar(&pointer->type, pointer->type.scalar);
    if (kiln_tile_is_bool(&type) || (!kiln_tile_is_float(&type) && !kiln_tile_is_integer(&type)))
        return no_atomic(call, &type);
    kiln_node_t *node =
        kiln_call_make(call, &type, pointer,
                       fit_value(call->checker, pointer, value, "combine this with memory"), mask);
    memcpy(node->settings, settings, sizeof settings);
    return node;
}

kiln_node_t *kiln_check_builtin_atomic_integer(const kiln_call_t *call)
{
    kiln_node_t *node = kiln_check_builtin_atomic(call);
    return kiln_node_is_error(node) || kiln_tile_is_integer(&node->type)
               ? node
               : no_atomic(call, &node->type);
}

kiln_node_t *kiln_check_builtin_atomic_cas(const kiln_call_t *call)
{
    kiln_node_t *pointer = kiln_call_argument(call, 0), *compare = kiln_call_argument(call, 1),
                *value = kiln_call_argument(call, 2);
    int settings[2];
    if (!read_order(call, KILN_ORDER_ACQ_REL, settings) ||
        !needs_writable(call->checker, pointer, call->builtin->name))
        return kiln_call_fail(call);
    kiln_tile_type_t type = kiln_tile_with_scalar(&pointer->type, pointer->type.scalar);
    if (kiln_tile_is_bool(&type) || (!kiln_tile_is_float(&type) && !kiln_tile_is_integer(&type)))
        return no_atomic(call, &type);
    kiln_node_t *node =
        kiln_call_make(call, &type, pointer,
                       fit_value(call->checker, pointer, compare, "compare this with memory"),
                       fit_value(call->checker, pointer, value, "store this"));
    memcpy(node->settings, settings, sizeof settings);
    return node;
}

// Only a single integer can be polled.
kiln_node_t *kiln_check_builtin_atomic_poll(const kiln_call_t *call)
{
    kiln_node_t *pointer = kiln_call_argument(call, 0), *expected = kiln_call_argument(call, 1);
    kiln_node_t *timeout = kiln_call_argument(call, 2);
    kiln_tile_type_t wide = kiln_tile_scalar(KILN_SCALAR_I64),
                     result = kiln_tile_scalar(KILN_SCALAR_BOOL);
    int settings[2];
    if (!read_order(call, KILN_ORDER_ACQUIRE, settings) ||
        !needs_pointer(call->checker, pointer, call->builtin->name))
        return kiln_call_fail(call);
    if (settings[0] != KILN_ORDER_ACQUIRE && settings[0] != KILN_ORDER_RELAXED) {
        kiln_check_fail(call->checker, call->options[KILN_BUILTIN_OPTION_ORDER]->span,
                        "the order of atomic_poll must be acquire or relaxed");
        return kiln_call_fail(call);
    }
    kiln_tile_type_t type = kiln_tile_with_scalar(&pointer->type, pointer->type.scalar);
    if (kiln_tile_is_bool(&type) || !kiln_tile_is_integer(&type))
        return no_atomic(call, &type);
    if (pointer->type.rank) {
        kiln_check_fail(call->checker, kiln_call_place(call, 0),
                        "atomic_poll waits for a scalar integer, got %s",
                        KILN_TYPE_TEXT(call->checker, &pointer->type));
        return kiln_call_fail(call);
    }
    if (timeout)
        timeout =
            kiln_convert_implicitly(call->checker, timeout, &wide, timeout->span, "wait for this");
    kiln_node_t *node =
        kiln_call_make(call, &result, pointer,
                       fit_value(call->checker, pointer, expected, "wait for this"), timeout);
    memcpy(node->settings, settings, sizeof settings);
    return node;
}

kiln_node_t *kiln_check_builtin_barrier(const kiln_call_t *call)
{
    kiln_tile_type_t type = kiln_tile_scalar(KILN_SCALAR_VOID);
    return kiln_call_make(call, &type, NULL, NULL, NULL);
}
