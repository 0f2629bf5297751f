// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits built-in functions as tt, one function per kind; builtins.def lists which.
//
// A bool occupies a byte in memory: loads and stores of bool use pointers to i8.
#include "frontend/emit/emit.h"

#include <stdio.h>

typedef struct call {
    kiln_emitter_t *emitter;
    kiln_builder_t *builder;
    const kiln_node_t *node;
    const kiln_tile_type_t *type; // of the first argument
    kiln_value_t a, b, c, d;
    kiln_value_t *inputs;
} call_t;

static kiln_value_t emit_none(const call_t *call)
{
    return kiln_builder_fail(call->builder, "%s has no operation", call->node->builtin->name);
}

static kiln_value_t emit_program_id(const call_t *call)
{
    return kiln_build_program_id(call->builder, call->node->axes[0]);
}

static kiln_value_t emit_num_programs(const call_t *call)
{
    return kiln_build_num_programs(call->builder, call->node->axes[0]);
}

static kiln_value_t emit_range(const call_t *call)
{
    return kiln_build_range(call->builder, call->node->start, call->node->end);
}

static kiln_value_t emit_reshape(const call_t *call)
{
    return kiln_build_reshape(call->builder, call->a, call->node->type.rank,
                              call->node->type.shape);
}

static kiln_value_t emit_trans(const call_t *call)
{
    int32_t order[KILN_TILE_RANK_LIMIT];
    for (int i = 0; i < call->node->type.rank; i++)
        order[i] = call->node->axes[i];
    return kiln_build_trans(call->builder, call->a, order);
}

static kiln_value_t emit_join(const call_t *call)
{
    return kiln_build_join(call->builder, call->a, call->b);
}

static kiln_value_t emit_item(const call_t *call)
{
    return kiln_build_unsplat(call->builder, call->a);
}

static kiln_value_t emit_split(const call_t *call)
{
    kiln_variable_t *const *outputs = call->node->outputs;
    kiln_build_split(call->builder, call->a, &outputs[0]->value, &outputs[1]->value);
    return outputs[0]->value;
}

static kiln_value_t emit_histogram(const call_t *call)
{
    return kiln_build_histogram(call->builder, call->a, call->b, call->node->type.shape[0]);
}

static kiln_value_t emit_gather(const call_t *call)
{
    return kiln_build_gather(call->builder, call->a, call->b, call->node->axes[0]);
}

// Memory ------------------------------------------------------------------------------------------

static bool points_to_bool(const call_t *call)
{
    return call->type->scalar == KILN_SCALAR_BOOL;
}

static kiln_tile_type_t bytes_like(const kiln_tile_type_t *type)
{
    kiln_tile_type_t bytes = *type;
    bytes.scalar = KILN_SCALAR_U8;
    bytes.is_pointer = false;
    return bytes;
}

static kiln_tile_type_t bools_like(const kiln_tile_type_t *type)
{
    kiln_tile_type_t bools = *type;
    bools.scalar = KILN_SCALAR_BOOL;
    bools.is_pointer = false;
    return bools;
}

static kiln_value_t byte_pointer(const call_t *call)
{
    return kiln_build_convert_pointer(call->builder, KILN_CONVERT_BITCAST, call->a, KILN_VALUE_I8);
}

static kiln_access_hints_t hints_of(const kiln_node_t *node)
{
    return (kiln_access_hints_t){(kiln_cache_t)node->settings[0], (kiln_evict_t)node->settings[1],
                                 node->settings[2] != 0};
}

static kiln_value_t emit_load(const call_t *call)
{
    const kiln_access_hints_t hints = hints_of(call->node);
    if (!points_to_bool(call))
        return kiln_build_load_with(call->builder, call->a, call->b, call->c, &hints);
    kiln_tile_type_t bytes = bytes_like(call->type), bools = bools_like(call->type);
    kiln_value_t other = call->c;
    if (other.handle)
        other = kiln_emit_convert(call->emitter, other, &bools, &bytes);
    kiln_value_t loaded =
        kiln_build_load_with(call->builder, byte_pointer(call), call->b, other, &hints);
    return kiln_emit_convert(call->emitter, loaded, &bytes, &bools);
}

static kiln_value_t emit_store(const call_t *call)
{
    const kiln_access_hints_t hints = hints_of(call->node);
    if (points_to_bool(call)) {
        kiln_tile_type_t bytes = bytes_like(call->type), bools = bools_like(call->type);
        kiln_value_t value = kiln_emit_convert(call->emitter, call->b, &bools, &bytes);
        kiln_build_store_with(call->builder, byte_pointer(call), value, call->c, &hints);
    } else {
        kiln_build_store_with(call->builder, call->a, call->b, call->c, &hints);
    }
    return (kiln_value_t){NULL};
}

static kiln_value_t emit_atomic_of(const call_t *call, kiln_atomic_t op)
{
    return kiln_build_atomic_rmw_with(call->builder, op, call->a, call->b, call->c,
                                      (kiln_memory_order_t)call->node->settings[0],
                                      (kiln_memory_scope_t)call->node->settings[1]);
}

static kiln_value_t emit_atomic(const call_t *call)
{
    return emit_atomic_of(call, (kiln_atomic_t)call->node->builtin->detail);
}

static kiln_value_t emit_atomic_add(const call_t *call)
{
    return emit_atomic_of(call, kiln_tile_is_float(&call->node->type) ? KILN_ATOMIC_FADD
                                                                      : KILN_ATOMIC_ADD);
}

static kiln_value_t emit_atomic_max(const call_t *call)
{
    return emit_atomic_of(call, kiln_tile_is_unsigned(&call->node->type) ? KILN_ATOMIC_UMAX
                                                                         : KILN_ATOMIC_MAX);
}

static kiln_value_t emit_atomic_min(const call_t *call)
{
    return emit_atomic_of(call, kiln_tile_is_unsigned(&call->node->type) ? KILN_ATOMIC_UMIN
                                                                         : KILN_ATOMIC_MIN);
}

static kiln_value_t emit_atomic_cas(const call_t *call)
{
    return kiln_build_atomic_cas_with(call->builder, call->a, call->b, call->c,
                                      (kiln_memory_order_t)call->node->settings[0],
                                      (kiln_memory_scope_t)call->node->settings[1]);
}

static kiln_value_t emit_atomic_poll(const call_t *call)
{
    return kiln_build_atomic_poll(call->builder, call->a, call->b, call->c,
                                  (kiln_memory_order_t)call->node->settings[0],
                                  (kiln_memory_scope_t)call->node->settings[1]);
}

// Blocks of tensors -------------------------------------------------------------------------------

static kiln_value_t emit_block_ptr(const call_t *call)
{
    const kiln_tile_type_t *block = call->node->type.block;
    int32_t order[KILN_TILE_RANK_LIMIT];
    for (int i = 0; i < block->rank; i++)
        order[i] = call->node->axes[i];
    const kiln_value_t *sizes = call->inputs + 1, *strides = sizes + block->rank,
                       *offsets = strides + block->rank;
    return kiln_build_block_pointer(call->builder, call->inputs[0], block->rank, sizes, strides,
                                    offsets, block->shape, order);
}

static kiln_value_t emit_advance(const call_t *call)
{
    return kiln_build_advance(call->builder, call->inputs[0], call->inputs + 1);
}

static kiln_access_hints_t cache_of(const kiln_node_t *node)
{
    return (kiln_access_hints_t){.cache = (kiln_cache_t)node->settings[0],
                                 .evict = (kiln_evict_t)node->settings[1]};
}

static kiln_value_t emit_block_load(const call_t *call)
{
    const kiln_access_hints_t hints = cache_of(call->node);
    return kiln_build_block_load(call->builder, call->inputs[0], (unsigned)call->node->settings[2],
                                 (kiln_block_padding_t)call->node->settings[3], &hints);
}

static kiln_value_t emit_block_store(const call_t *call)
{
    const kiln_access_hints_t hints = cache_of(call->node);
    kiln_build_block_store(call->builder, call->inputs[0], call->inputs[1],
                           (unsigned)call->node->settings[2], &hints);
    return (kiln_value_t){NULL};
}

static kiln_value_t emit_descriptor(const call_t *call)
{
    const kiln_tile_type_t *block = call->node->type.block;
    const kiln_value_t *sizes = call->inputs + 1, *strides = sizes + block->rank;
    return kiln_build_descriptor(call->builder, call->inputs[0], block->rank, sizes, strides,
                                 block->shape, (kiln_block_padding_t)call->node->settings[0]);
}

static kiln_value_t emit_descriptor_load(const call_t *call)
{
    const kiln_access_hints_t hints = cache_of(call->node);
    return kiln_build_descriptor_load(call->builder, call->inputs[0], call->inputs + 1, &hints);
}

static kiln_value_t emit_descriptor_store(const call_t *call)
{
    kiln_build_descriptor_store(call->builder, call->inputs[0], call->inputs + 1,
                                call->inputs[call->node->input_count - 1]);
    return (kiln_value_t){NULL};
}

static kiln_value_t emit_descriptor_reduce(const call_t *call)
{
    kiln_build_descriptor_reduce(call->builder, (kiln_view_reduce_t)call->node->settings[2],
                                 call->inputs[0], call->inputs + 1,
                                 call->inputs[call->node->input_count - 1]);
    return (kiln_value_t){NULL};
}

static kiln_value_t emit_descriptor_gather(const call_t *call)
{
    return kiln_build_descriptor_gather(call->builder, call->inputs[0], call->inputs[1],
                                        call->inputs[2]);
}

static kiln_value_t emit_descriptor_scatter(const call_t *call)
{
    kiln_build_descriptor_scatter(call->builder, call->inputs[0], call->inputs[1], call->inputs[2],
                                  call->inputs[3]);
    return (kiln_value_t){NULL};
}

static kiln_value_t emit_barrier(const call_t *call)
{
    kiln_build_barrier(call->builder);
    return (kiln_value_t){NULL};
}

// Matrix product and reductions -------------------------------------------------------------------

static kiln_value_t emit_dot(const call_t *call)
{
    return kiln_build_dot_with(call->builder, call->a, call->b, call->c,
                               (kiln_precision_t)call->node->settings[0], call->node->settings[1]);
}

// settings of an operand: its format, plus 16 if it is not packed along K, plus 32 if it has a
// scale
static kiln_value_t emit_dot_scaled(const call_t *call)
{
    const kiln_value_t *scale = call->inputs;
    kiln_scaled_operand_t operands[2] = {{.tile = call->a}, {.tile = call->b}};
    for (int i = 0; i < 2; i++) {
        int setting = call->node->settings[i];
        operands[i].format = (kiln_scaled_format_t)(setting & 15);
        operands[i].packs_other = setting & 16;
        if (setting & 32)
            operands[i].scale = *scale++;
    }
    return kiln_build_dot_scaled(call->builder, &operands[0], &operands[1], call->c,
                                 call->node->settings[2]);
}

// Selects by the class of the element type.
static int by_class(const kiln_tile_type_t *type, int on_signed, int on_unsigned, int on_float)
{
    return kiln_tile_is_float(type)      ? on_float
           : kiln_tile_is_unsigned(type) ? on_unsigned
                                         : on_signed;
}

static kiln_value_t emit_reduce(const call_t *call)
{
    return kiln_build_reduce(call->builder, (kiln_reduce_t)call->node->builtin->detail, call->a,
                             call->node->axes[0]);
}

static kiln_value_t emit_reduce_by(const call_t *call, int on_signed, int on_unsigned, int on_float)
{
    kiln_reduce_t op = (kiln_reduce_t)by_class(call->type, on_signed, on_unsigned, on_float);
    return kiln_build_reduce(call->builder, op, call->a, call->node->axes[0]);
}

static kiln_value_t emit_sum(const call_t *call)
{
    return emit_reduce_by(call, KILN_REDUCE_ADDI, KILN_REDUCE_ADDI, KILN_REDUCE_ADDF);
}

static kiln_value_t emit_prod(const call_t *call)
{
    return emit_reduce_by(call, KILN_REDUCE_MULI, KILN_REDUCE_MULI, KILN_REDUCE_MULF);
}

// The element if the node has a variable for the index, else the index.
static kiln_value_t emit_best(const call_t *call, int on_signed, int on_unsigned, int on_float)
{
    kiln_value_t element, index;
    kiln_compare_t better = (kiln_compare_t)by_class(call->type, on_signed, on_unsigned, on_float);
    kiln_build_best(call->builder, better, call->node->settings[0], call->a, call->node->axes[0],
                    &element, &index);
    if (!call->node->output_count)
        return index;
    call->node->outputs[0]->value = element;
    return call->node->outputs[1]->value = index;
}

static kiln_value_t emit_argmax(const call_t *call)
{
    return emit_best(call, KILN_COMPARE_SGT, KILN_COMPARE_UGT, KILN_COMPARE_OGT);
}

static kiln_value_t emit_argmin(const call_t *call)
{
    return emit_best(call, KILN_COMPARE_SLT, KILN_COMPARE_ULT, KILN_COMPARE_OLT);
}

static kiln_value_t emit_max(const call_t *call)
{
    if (call->node->output_count)
        return emit_argmax(call);
    return emit_reduce_by(call, KILN_REDUCE_MAXSI, KILN_REDUCE_MAXUI, KILN_REDUCE_MAXNUMF);
}

static kiln_value_t emit_min(const call_t *call)
{
    if (call->node->output_count)
        return emit_argmin(call);
    return emit_reduce_by(call, KILN_REDUCE_MINSI, KILN_REDUCE_MINUI, KILN_REDUCE_MINNUMF);
}

static kiln_value_t emit_scan_of(const call_t *call, kiln_reduce_t op, kiln_binary_t binary)
{
    kiln_value_t elements[2], combined, result = {NULL};
    if (!call->node->settings[0])
        return kiln_build_scan(call->builder, op, call->a, call->node->axes[0]);
    kiln_build_scan_begin(call->builder, &call->a, 1, call->node->axes[0], true, elements);
    combined = kiln_build_binary(call->builder, binary, elements[0], elements[1]);
    kiln_build_scan_end(call->builder, &combined, 1, &result);
    return result;
}

static kiln_value_t emit_cumsum(const call_t *call)
{
    bool is_float = kiln_tile_is_float(call->type);
    return emit_scan_of(call, is_float ? KILN_REDUCE_ADDF : KILN_REDUCE_ADDI,
                        is_float ? KILN_BINARY_ADDF : KILN_BINARY_ADDI);
}

static kiln_value_t emit_cumprod(const call_t *call)
{
    bool is_float = kiln_tile_is_float(call->type);
    return emit_scan_of(call, is_float ? KILN_REDUCE_MULF : KILN_REDUCE_MULI,
                        is_float ? KILN_BINARY_MULF : KILN_BINARY_MULI);
}

// Emits a function's body into the operation's region.
static void emit_region(const call_t *call, const kiln_value_t *elements, kiln_value_t *out_results)
{
    const kiln_region_t *region = call->node->region;
    kiln_emitter_t *emitter = call->emitter;
    for (size_t i = 0; i < region->parameter_count; i++) {
        region->parameters[i]->value = elements[i];
        region->parameters[i]->is_declared = true;
    }
    // Variables that the body returns by address are declared around it.
    for (size_t i = 0; i < region->result_count; i++)
        if (region->results[i]->kind == KILN_NODE_VARIABLE)
            region->results[i]->variable->is_declared = true;
    const char *name = emitter->name;
    emitter->name = NULL;
    if (region->body)
        kiln_emit_action(emitter, region->body);
    for (size_t i = 0; i < region->result_count; i++)
        out_results[i] = kiln_emit_node(emitter, region->results[i]);
    emitter->name = name;
    kiln_emit_locate(emitter, call->node->at, call->node->site);
}

// reduce and scan: the function's body goes into the operation's region.
static kiln_value_t emit_combine(const call_t *call)
{
    const kiln_node_t *node = call->node;
    bool is_scan = node->builtin->detail;
    kiln_value_t elements[2 * KILN_BUILDER_COMBINE_LIMIT],
        results[KILN_BUILDER_COMBINE_LIMIT] = {{NULL}};
    if (is_scan)
        kiln_build_scan_begin(call->builder, call->inputs, node->input_count, node->axes[0],
                              node->settings[0], elements);
    else
        kiln_build_reduce_begin(call->builder, call->inputs, node->input_count, node->axes[0],
                                elements);
    emit_region(call, elements, results);
    if (is_scan)
        kiln_build_scan_end(call->builder, results, node->input_count, results);
    else
        kiln_build_reduce_end(call->builder, results, node->input_count, results);
    for (size_t i = 0; i < node->output_count; i++)
        node->outputs[i]->value = results[i];
    return results[0];
}

// Elementwise functions ---------------------------------------------------------------------------

static kiln_value_t emit_unary(const call_t *call)
{
    return kiln_build_unary(call->builder, (kiln_unary_t)call->node->builtin->detail, call->a);
}

static kiln_value_t emit_binary(const call_t *call)
{
    return kiln_build_binary(call->builder, (kiln_binary_t)call->node->builtin->detail, call->a,
                             call->b);
}

static kiln_value_t emit_cast(const call_t *call)
{
    return kiln_build_round(call->builder, call->a,
                            kiln_scalar_row(call->node->type.scalar)->element,
                            (kiln_rounding_t)call->node->settings[0]);
}

static kiln_value_t emit_extern(const call_t *call)
{
    const kiln_node_t *node = call->node;
    char symbol[64];
    snprintf(symbol, sizeof symbol, "__ocml_%s_%s", node->library->symbol,
             kiln_scalar_row(node->inputs[0]->type.scalar)->spelling);
    return kiln_build_extern(call->builder, symbol, call->inputs, node->input_count,
                             kiln_scalar_row(node->type.scalar)->element);
}

static kiln_value_t emit_abs(const call_t *call)
{
    return kiln_build_unary(
        call->builder, kiln_tile_is_float(call->type) ? KILN_UNARY_ABSF : KILN_UNARY_ABSI, call->a);
}

static kiln_value_t maximum(const call_t *call, kiln_value_t a, kiln_value_t b)
{
    int op = by_class(call->type, KILN_BINARY_MAXSI, KILN_BINARY_MAXUI, KILN_BINARY_MAXNUMF);
    return kiln_build_binary(call->builder, (kiln_binary_t)op, a, b);
}

static kiln_value_t minimum(const call_t *call, kiln_value_t a, kiln_value_t b)
{
    int op = by_class(call->type, KILN_BINARY_MINSI, KILN_BINARY_MINUI, KILN_BINARY_MINNUMF);
    return kiln_build_binary(call->builder, (kiln_binary_t)op, a, b);
}

static kiln_value_t emit_maximum(const call_t *call)
{
    return maximum(call, call->a, call->b);
}

static kiln_value_t emit_minimum(const call_t *call)
{
    return minimum(call, call->a, call->b);
}

static kiln_value_t emit_clamp(const call_t *call)
{
    if (kiln_tile_is_float(call->type))
        return kiln_build_clamp(call->builder, call->a, call->b, call->c);
    return minimum(call, maximum(call, call->a, call->b), call->c);
}

// The quotient rounded up. If b is known to be positive: (a − t) / b + t, where t is 1 if a is
// positive, else 0. Otherwise a / b, plus 1 if there is a remainder and a and b have the same sign.
// Neither wraps.
static kiln_value_t emit_cdiv(const call_t *call)
{
    kiln_builder_t *builder = call->builder;
    const kiln_tile_type_t *type = call->type;
    const kiln_element_t element = kiln_scalar_row(type->scalar)->element;
    const bool is_unsigned = kiln_tile_is_unsigned(type);
    const kiln_binary_t divide = is_unsigned ? KILN_BINARY_DIVUI : KILN_BINARY_DIVSI;
    kiln_value_t zero = kiln_emit_int(call->emitter, type, 0), one_more, quotient;
    int64_t divisor;
    if (is_unsigned || (kiln_ir_constant_int(kiln_unwrap(call->b), &divisor) && divisor > 0)) {
        one_more = kiln_build_compare(builder, is_unsigned ? KILN_COMPARE_NE : KILN_COMPARE_SGT,
                                      call->a, zero);
        one_more = kiln_build_convert(builder, KILN_CONVERT_EXTUI, one_more, element);
        quotient = kiln_build_binary(builder, KILN_BINARY_SUBI, call->a, one_more);
        quotient = kiln_build_binary(builder, divide, quotient, call->b);
    } else {
        quotient = kiln_build_binary(builder, divide, call->a, call->b);
        kiln_value_t whole = kiln_build_binary(builder, KILN_BINARY_MULI, quotient, call->b);
        kiln_value_t has_rest = kiln_build_compare(builder, KILN_COMPARE_NE, whole, call->a);
        kiln_value_t signs = kiln_build_binary(builder, KILN_BINARY_XORI, call->a, call->b);
        one_more = kiln_build_compare(builder, KILN_COMPARE_SGE, signs, zero);
        one_more = kiln_build_binary(builder, KILN_BINARY_ANDI, has_rest, one_more);
        one_more = kiln_build_convert(builder, KILN_CONVERT_EXTUI, one_more, element);
    }
    return kiln_build_binary(builder, KILN_BINARY_ADDI, quotient, one_more);
}

static kiln_value_t emit_fma(const call_t *call)
{
    return kiln_build_fma(call->builder, call->a, call->b, call->c);
}

// Elementwise user functions, assembly and output -------------------------------------------------

static kiln_value_t emit_map(const call_t *call)
{
    const kiln_node_t *node = call->node;
    kiln_value_t elements[KILN_BUILDER_COMBINE_LIMIT],
        results[KILN_BUILDER_COMBINE_LIMIT] = {{NULL}};
    kiln_build_map_begin(call->builder, call->inputs, node->input_count, elements);
    emit_region(call, elements, results);
    kiln_build_map_end(call->builder, results, node->output_count, results);
    for (size_t i = 0; i < node->output_count; i++)
        node->outputs[i]->value = results[i];
    return results[0];
}

static kiln_value_t emit_inline_asm(const call_t *call)
{
    const kiln_node_t *node = call->node;
    kiln_value_type_t *types =
        KILN_ARENA_ARRAY(call->emitter->arena, kiln_value_type_t, node->output_count);
    kiln_value_t *results =
        KILN_ARENA_ARRAY(call->emitter->arena, kiln_value_t, node->output_count + 1);
    for (size_t i = 0; i < node->output_count; i++)
        types[i] = kiln_tile_to_value_type(&node->outputs[i]->type);
    const kiln_assembly_t assembly = {.text = node->text,
                                      .constraints = node->more_text,
                                      .packed = node->settings[0],
                                      .has_effects = !node->settings[1]};
    kiln_build_inline_asm(call->builder, &assembly, call->inputs, node->input_count, types,
                          node->output_count, results);
    for (size_t i = 0; i < node->output_count; i++)
        node->outputs[i]->value = results[i];
    return results[0];
}

static kiln_value_t emit_print(const call_t *call)
{
    const kiln_node_t *node = call->node;
    if (node->more_text) {
        kiln_build_printf(call->builder, node->text, node->more_text, call->inputs[0],
                          !kiln_tile_is_unsigned(&node->inputs[0]->type));
        return (kiln_value_t){NULL};
    }
    bool *are_signed = KILN_ARENA_ARRAY(call->emitter->arena, bool, node->input_count + 1);
    for (size_t i = 0; i < node->input_count; i++)
        are_signed[i] = !kiln_tile_is_unsigned(&node->inputs[i]->type);
    kiln_build_print(call->builder, node->text, node->settings[0], call->inputs, are_signed,
                     node->input_count);
    return (kiln_value_t){NULL};
}

static kiln_value_t emit_assert(const call_t *call)
{
    kiln_build_assert(call->builder, call->a, call->node->text);
    return (kiln_value_t){NULL};
}

// Promises ----------------------------------------------------------------------------------------

static kiln_value_t emit_assume(const call_t *call)
{
    kiln_build_assume(call->builder, call->a);
    return (kiln_value_t){NULL};
}

static kiln_value_t emit_hint(const call_t *call)
{
    int32_t values[KILN_TILE_RANK_LIMIT];
    for (int i = 0; i < call->node->axis_count; i++)
        values[i] = call->node->axes[i];
    return kiln_build_hint(call->builder, call->a, (kiln_hint_t)call->node->builtin->detail, values,
                           call->node->axis_count);
}

// The table ---------------------------------------------------------------------------------------

static kiln_value_t (*const emitters[KILN_BUILTIN_COUNT])(const call_t *) = {
#define KILN_BUILTIN(id, name, min, max, check, emit, detail, usage, options, purity)              \
    [KILN_BUILTIN_##id] = emit_##emit,
#include "frontend/core/builtins.def"
#undef KILN_BUILTIN
};

kiln_value_t kiln_emit_builtin(kiln_emitter_t *emitter, const kiln_node_t *node)
{
    call_t call = {.emitter = emitter, .builder = emitter->builder, .node = node};
    if (node->arguments[0]) {
        call.type = &node->arguments[0]->type;
        call.a = kiln_emit_node(emitter, node->arguments[0]);
    }
    if (node->arguments[1])
        call.b = kiln_emit_node(emitter, node->arguments[1]);
    if (node->arguments[2])
        call.c = kiln_emit_node(emitter, node->arguments[2]);
    if (node->arguments[3])
        call.d = kiln_emit_node(emitter, node->arguments[3]);
    call.inputs = KILN_ARENA_ARRAY(emitter->arena, kiln_value_t, node->input_count);
    for (size_t i = 0; i < node->input_count; i++)
        call.inputs[i] = kiln_emit_node(emitter, node->inputs[i]);
    kiln_emit_locate(emitter, node->at, node->site);
    return emitters[node->builtin->id](&call);
}
