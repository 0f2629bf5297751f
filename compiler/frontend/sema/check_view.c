// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block pointers and tensor descriptors: values that refer to a tensor in memory, accessed by
// blocks.
//
// These values have the type KILN_SCALAR_VIEW, which is neither tile nor pointer, so arithmetic,
// shapes and casts reject them; they can be assigned, passed, and carried by loops like others.
#include "frontend/sema/check_builtin.h"

#include <inttypes.h>
#include <string.h>

kiln_tile_type_t kiln_tile_view(kiln_checker_t *checker, const kiln_tile_type_t *block,
                                bool is_descriptor)
{
    kiln_tile_type_t *copy = KILN_ARENA_NEW(checker->arena, kiln_tile_type_t);
    *copy = *block;
    return (kiln_tile_type_t){
        .scalar = KILN_SCALAR_VIEW, .block = copy, .is_descriptor = is_descriptor};
}

static const kiln_expr_t *list_of(const kiln_call_t *call, const kiln_expr_t *expr,
                                  const char *what, int rank)
{
    if (expr && expr->kind == KILN_EXPR_LIST && (rank < 0 || expr->count == (size_t)rank))
        return expr;
    if (rank < 0)
        kiln_check_fail(call->checker, expr ? expr->span : call->expr->at,
                        "expected a list for %s, as in {M, N}: %s", what, call->builtin->usage);
    else
        kiln_check_fail(call->checker, expr ? expr->span : call->expr->at,
                        "%s must be a list of %d", what, rank);
    return NULL;
}

// Sizes of descriptors and offsets of blocks are i32 in tt; converting a wider one would wrap.
static bool fits_in_i32(kiln_checker_t *checker, const kiln_node_t *x, const char *what)
{
    bool is_narrow =
        x->type.scalar == KILN_SCALAR_I32 || kiln_scalar_row(x->type.scalar)->bits < 32;
    if (kiln_node_is_constant(x)
            ? x->constant.integer >= INT32_MIN && x->constant.integer <= INT32_MAX
            : is_narrow)
        return true;
    if (kiln_node_is_constant(x))
        kiln_check_fail(checker, x->span, "%s must be i32, and %" PRId64 " does not fit", what,
                        x->constant.integer);
    else
        kiln_check_fail(checker, x->span,
                        "%s must be i32, got %s; cast to i32 if the values fit, or use a pointer, "
                        "whose offsets may have 64 bits",
                        what, KILN_TYPE_TEXT(checker, &x->type));
    return false;
}

// Appends integers of one width, one for each dimension, to the inputs.
static bool read_integers(const kiln_call_t *call, const kiln_expr_t *expr, const char *what,
                          int rank, kiln_scalar_t scalar, kiln_node_t **inputs, size_t *count)
{
    const kiln_expr_t *list = list_of(call, expr, what, rank);
    for (size_t i = 0; list && i < list->count; i++) {
        kiln_node_t *x = kiln_check_expr(call->checker, list->list[i]);
        if (kiln_node_is_error(x))
            return false;
        if (x->type.rank || !kiln_tile_is_integer(&x->type)) {
            kiln_check_fail(call->checker, x->span, "%s must be integers, got %s", what,
                            KILN_TYPE_TEXT(call->checker, &x->type));
            return false;
        }
        if (scalar == KILN_SCALAR_I32 && !fits_in_i32(call->checker, x, what))
            return false;
        inputs[(*count)++] = kiln_convert_element(call->checker, x, scalar);
    }
    return list != NULL;
}

// Base and block, from arguments 0 and `block_index`; inputs begin with the base.
static bool read_base(const kiln_call_t *call, size_t block_index, kiln_tile_type_t *out_block,
                      kiln_node_t **inputs)
{
    kiln_checker_t *checker = call->checker;
    kiln_node_t *base = kiln_call_argument(call, 0);
    const kiln_expr_t *list = list_of(call, call->expr->list[block_index], "a block's sizes", -1);
    if (!list || kiln_node_is_error(base))
        return false;
    if (!base->type.is_pointer || base->type.rank) {
        kiln_check_fail(checker, base->span,
                        "the base of a tensor must be a scalar pointer, got %s",
                        KILN_TYPE_TEXT(checker, &base->type));
        return false;
    }
    if (base->type.scalar == KILN_SCALAR_BOOL) {
        kiln_check_fail(checker, base->span,
                        "blocks of bool are not supported; cast the pointer to u8 *");
        return false;
    }
    *out_block = base->type;
    out_block->is_pointer = false;
    out_block->rank = (int)list->count;
    if (!list->count || list->count > KILN_TILE_RANK_LIMIT) {
        kiln_check_fail(checker, list->span, "a tile has at most %d dimensions",
                        KILN_TILE_RANK_LIMIT);
        return false;
    }
    for (size_t i = 0; i < list->count; i++)
        if (!kiln_check_constant_int(checker, list->list[i], "a block's size",
                                     &out_block->shape[i]))
            return false;
    inputs[0] = base;
    return kiln_check_shape(checker, out_block, list->span);
}

static kiln_node_t *make_view(const kiln_call_t *call, const kiln_tile_type_t *type,
                              kiln_node_t **inputs, size_t count)
{
    kiln_node_t *node = kiln_call_make(call, type, NULL, NULL, NULL);
    node->inputs = inputs;
    node->input_count = count;
    return node;
}

static kiln_node_t **room(const kiln_call_t *call)
{
    return KILN_ARENA_ARRAY(call->checker->arena, kiln_node_t *, 2 + 3 * KILN_TILE_RANK_LIMIT);
}

kiln_node_t *kiln_check_builtin_block_ptr(const kiln_call_t *call)
{
    kiln_tile_type_t block;
    kiln_node_t **inputs = room(call);
    size_t count = 1;
    if (!read_base(call, 4, &block, inputs) ||
        !read_integers(call, call->expr->list[1], "a tensor's sizes", block.rank, KILN_SCALAR_I64,
                       inputs, &count) ||
        !read_integers(call, call->expr->list[2], "a tensor's strides", block.rank, KILN_SCALAR_I64,
                       inputs, &count) ||
        !read_integers(call, call->expr->list[3], "a block's offsets", block.rank, KILN_SCALAR_I32,
                       inputs, &count))
        return kiln_call_fail(call);
    kiln_tile_type_t type = kiln_tile_view(call->checker, &block, false);
    kiln_node_t *node = make_view(call, &type, inputs, count);
    const kiln_expr_t *order = call->expr->count > 5 ? call->expr->list[5] : NULL;
    if (order && !list_of(call, order, "the order of dimensions, fastest first,", block.rank))
        return kiln_call_fail(call);
    unsigned seen = 0;
    for (int i = 0; i < block.rank; i++) {
        int64_t dim = block.rank - 1 - i;
        if (order && !kiln_check_constant_int(call->checker, order->list[i], "a dimension", &dim))
            return kiln_call_fail(call);
        node->axes[i] = (int)dim;
        seen |= dim >= 0 && dim < block.rank ? 1u << dim : 0;
    }
    if (seen != (1u << block.rank) - 1) {
        kiln_check_fail(call->checker, order->span,
                        "the order must name each dimension exactly once");
        return kiln_call_fail(call);
    }
    return node;
}

kiln_node_t *kiln_check_builtin_descriptor(const kiln_call_t *call)
{
    kiln_tile_type_t block;
    kiln_node_t **inputs = room(call);
    size_t count = 1;
    int padding;
    if (!read_base(call, 3, &block, inputs) ||
        !read_integers(call, call->expr->list[1], "a tensor's sizes", block.rank, KILN_SCALAR_I32,
                       inputs, &count) ||
        !read_integers(call, call->expr->list[2], "a tensor's strides", block.rank, KILN_SCALAR_I64,
                       inputs, &count) ||
        !kiln_call_word(call, KILN_BUILTIN_OPTION_PADDING, KILN_PADDING_NONE, &padding))
        return kiln_call_fail(call);
    kiln_tile_type_t type = kiln_tile_view(call->checker, &block, true);
    kiln_node_t *node = make_view(call, &type, inputs, count);
    node->settings[0] = padding;
    return node;
}

// Returns the view's block, with the view as the first input; NULL after a report.
static const kiln_tile_type_t *accept_view(const kiln_call_t *call, kiln_node_t *view,
                                           bool is_descriptor, bool writes, kiln_node_t **inputs)
{
    if (kiln_node_is_error(view))
        return NULL;
    if (view->type.scalar != KILN_SCALAR_VIEW || view->type.is_descriptor != is_descriptor) {
        kiln_check_fail(call->checker, view->span, "%s needs a %s, got %s", call->builtin->name,
                        is_descriptor ? "tensor descriptor" : "block pointer",
                        KILN_TYPE_TEXT(call->checker, &view->type));
        kiln_check_note_declaration(call->checker, view);
        return NULL;
    }
    if (writes && view->type.block->is_const) {
        kiln_check_fail(call->checker, view->span, "cannot store through a pointer to const, %s",
                        KILN_TYPE_TEXT(call->checker, &view->type));
        return NULL;
    }
    inputs[0] = view;
    return view->type.block;
}

static const kiln_tile_type_t *read_view(const kiln_call_t *call, bool is_descriptor, bool writes,
                                         kiln_node_t **inputs)
{
    return accept_view(call, kiln_call_argument(call, 0), is_descriptor, writes, inputs);
}

kiln_node_t *kiln_check_builtin_advance(const kiln_call_t *call)
{
    kiln_node_t **inputs = room(call);
    size_t count = 1;
    const kiln_tile_type_t *block = read_view(call, false, false, inputs);
    if (!block || !read_integers(call, call->expr->list[1], "a block's offsets", block->rank,
                                 KILN_SCALAR_I32, inputs, &count))
        return kiln_call_fail(call);
    return make_view(call, &inputs[0]->type, inputs, count);
}

// Loads and stores through block pointers: settings[2] are the dimensions whose bounds are checked,
// settings[3] is the padding.
static bool read_boundary(const kiln_call_t *call, const kiln_tile_type_t *block, int *settings)
{
    const kiln_expr_t *expr = call->options[KILN_BUILTIN_OPTION_BOUNDARY_CHECK];
    settings[2] = 0;
    if (!kiln_call_word(call, KILN_BUILTIN_OPTION_PADDING, KILN_PADDING_NONE, &settings[3]))
        return false;
    const kiln_expr_t *list =
        expr ? list_of(call, expr, "the dimensions of .boundary_check", -1) : NULL;
    for (size_t i = 0; list && i < list->count; i++) {
        int64_t dim;
        if (!kiln_check_constant_int(call->checker, list->list[i], "a dimension", &dim))
            return false;
        if (dim < 0 || dim >= block->rank) {
            kiln_check_fail(call->checker, list->list[i]->span, "the block has no dimension %lld",
                            (long long)dim);
            return false;
        }
        settings[2] |= 1 << dim;
    }
    return !expr || list;
}

kiln_node_t *kiln_check_block_access(const kiln_call_t *call, kiln_node_t *view, kiln_node_t *value,
                                     const int *settings)
{
    bool is_store = call->builtin->id == KILN_BUILTIN_STORE;
    kiln_node_t **inputs = room(call);
    const kiln_tile_type_t *block = accept_view(call, view, false, is_store, inputs);
    int boundary[4];
    if (!block || !read_boundary(call, block, boundary))
        return kiln_call_fail(call);
    if (call->expr->count > (is_store ? 2 : 1)) {
        kiln_check_fail(call->checker, kiln_call_place(call, call->expr->count - 1),
                        "block pointers take no mask; use .boundary_check = {0, 1}");
        return kiln_call_fail(call);
    }
    if (settings[2]) {
        kiln_check_fail(call->checker, call->options[KILN_BUILTIN_OPTION_VOLATILE]->span,
                        ".volatile is not supported for loads through block pointers");
        return kiln_call_fail(call);
    }
    kiln_tile_type_t type = *block;
    type.is_const = false;
    if (is_store) {
        value = kiln_convert_implicitly(call->checker, value, &type, value->span, "store this");
        if (kiln_node_is_error(value))
            return value;
        inputs[1] = value;
        type = kiln_tile_scalar(KILN_SCALAR_VOID);
    }
    kiln_node_t *node = make_view(call, &type, inputs, is_store ? 2 : 1);
    node->builtin = kiln_builtin_row(is_store ? KILN_BUILTIN_BLOCK_STORE : KILN_BUILTIN_BLOCK_LOAD);
    node->settings[0] = settings[0];
    node->settings[1] = settings[1];
    node->settings[2] = boundary[2];
    node->settings[3] = boundary[3];
    return node;
}

// descriptor_load, _store and _reduce: inputs are the descriptor, the indices and the value.
kiln_node_t *kiln_check_builtin_descriptor_access(const kiln_call_t *call)
{
    bool is_load = call->builtin->id == KILN_BUILTIN_DESCRIPTOR_LOAD;
    kiln_node_t **inputs = room(call);
    size_t count = 1;
    int settings[3];
    const kiln_tile_type_t *block = read_view(call, true, !is_load, inputs);
    if (!block ||
        !read_integers(call, call->expr->list[1], "a block's place", block->rank, KILN_SCALAR_I32,
                       inputs, &count) ||
        !kiln_call_word(call, KILN_BUILTIN_OPTION_CACHE, KILN_CACHE_NONE, &settings[0]) ||
        !kiln_call_word(call, KILN_BUILTIN_OPTION_EVICT, KILN_EVICT_NORMAL, &settings[1]) ||
        !kiln_call_word(call, KILN_BUILTIN_OPTION_OP, KILN_VIEW_REDUCE_ADD, &settings[2]))
        return kiln_call_fail(call);
    kiln_tile_type_t type = *block;
    type.is_const = false;
    if (!is_load) {
        kiln_node_t *value = kiln_call_argument(call, 2);
        value = kiln_convert_implicitly(call->checker, value, &type, value->span, "store this");
        if (kiln_node_is_error(value))
            return value;
        inputs[count++] = value;
        bool needs_integers = call->builtin->id == KILN_BUILTIN_DESCRIPTOR_REDUCE &&
                              settings[2] > KILN_VIEW_REDUCE_MAX;
        if (needs_integers && !kiln_tile_is_integer(&type)) {
            kiln_check_fail(call->checker, call->options[KILN_BUILTIN_OPTION_OP]->span,
                            "this operation needs integers, got %s",
                            kiln_scalar_row(type.scalar)->spelling);
            return kiln_call_fail(call);
        }
        type = kiln_tile_scalar(KILN_SCALAR_VOID);
    }
    kiln_node_t *node = make_view(call, &type, inputs, count);
    memcpy(node->settings, settings, sizeof settings);
    return node;
}

// descriptor_gather and _scatter: inputs are the descriptor, the rows, the column and the value.
kiln_node_t *kiln_check_builtin_descriptor_rows(const kiln_call_t *call)
{
    kiln_checker_t *checker = call->checker;
    bool is_gather = call->builtin->id == KILN_BUILTIN_DESCRIPTOR_GATHER;
    kiln_node_t **inputs = room(call);
    const kiln_tile_type_t *block = read_view(call, true, !is_gather, inputs);
    kiln_node_t *rows = block ? kiln_call_argument(call, 1) : NULL,
                *column = block ? kiln_call_argument(call, 2) : NULL;
    if (!block || kiln_node_is_error(rows) || kiln_node_is_error(column))
        return kiln_call_fail(call);
    if (block->rank != 2 || block->shape[0] != 1) {
        kiln_check_fail(checker, kiln_call_place(call, 0),
                        "gather and scatter need a descriptor of one-row blocks, {1, N}, got %s",
                        KILN_TYPE_TEXT(checker, &inputs[0]->type));
        return kiln_call_fail(call);
    }
    if (rows->type.rank != 1 || !kiln_tile_is_integer(&rows->type) || column->type.rank ||
        !kiln_tile_is_integer(&column->type)) {
        kiln_check_fail(
            checker, rows->span,
            "the rows must be a one-dimensional tile of integers and the column an integer");
        return kiln_call_fail(call);
    }
    if (!fits_in_i32(checker, rows, "the rows") || !fits_in_i32(checker, column, "the column"))
        return kiln_call_fail(call);
    inputs[1] = kiln_convert_element(checker, rows, KILN_SCALAR_I32);
    inputs[2] = kiln_convert_element(checker, column, KILN_SCALAR_I32);
    kiln_tile_type_t type = *block;
    type.is_const = false;
    type.shape[0] = rows->type.shape[0];
    if (!kiln_check_shape(checker, &type, call->expr->span))
        return kiln_call_fail(call);
    if (!is_gather) {
        kiln_node_t *value = kiln_call_argument(call, 3);
        value = kiln_convert_implicitly(checker, value, &type, value->span, "store this");
        if (kiln_node_is_error(value))
            return value;
        inputs[3] = value;
        type = kiln_tile_scalar(KILN_SCALAR_VOID);
    }
    return make_view(call, &type, inputs, is_gather ? 3 : 4);
}

kiln_node_t *kiln_check_builtin_own(const kiln_call_t *call)
{
    kiln_check_fail(call->checker, call->expr->at, "reserved for Kiln's own use");
    return kiln_call_fail(call);
}
