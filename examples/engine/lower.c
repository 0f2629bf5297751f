// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers a node to a launch: selects the kernel, its constants, and its arguments.
#include <stdio.h>

#include "kernels.h"

static const node_t *at_node(const graph_t *graph, value_t x)
{
    return &graph->nodes[x];
}

// Row stride of a value's memory, in elements.
static int stride_of(const graph_t *graph, value_t x)
{
    int column;
    return x == NONE ? 0 : at_node(graph, graph_storage(graph, x, &column))->columns;
}

static void pass(launch_t *launch, const graph_t *graph, const char *name, value_t x)
{
    static const char *const types[] = {
        [KILN_ELEMENT_F16] = "*f16", [KILN_ELEMENT_F32] = "*f32", [KILN_ELEMENT_I32] = "*i32"};
    if (x == NONE)
        return;
    argument_t *argument = &launch->arguments[launch->argument_count++];
    argument->name = name;
    argument->value = graph_storage(graph, x, &argument->first_column);
    argument->type = types[at_node(graph, argument->value)->element];
}

static void pass_number(launch_t *launch, const char *name, const char *type, double number)
{
    launch->arguments[launch->argument_count++] = (argument_t){name, type, NONE, 0, number};
}

static void lower_linear(const graph_t *graph, value_t x, launch_t *launch)
{
    const node_t *node = at_node(graph, x);
    int *c = launch->kernel.constant, rows = at_node(graph, node->in[0])->rows;
    launch->kernel.kind = KERNEL_LINEAR;
    c[LINEAR_BLOCK] = rows <= 16 ? 16 : rows <= 32 ? 32 : 64;
    c[LINEAR_N] = node->columns;
    c[LINEAR_K] = at_node(graph, node->in[0])->columns;
    c[LINEAR_X_STRIDE] = stride_of(graph, node->in[0]);
    c[LINEAR_W_STRIDE] = stride_of(graph, node->in[1]);
    c[LINEAR_RESIDUAL_STRIDE] = stride_of(graph, node->in[3]);
    c[LINEAR_Y_STRIDE] = stride_of(graph, x);
    c[LINEAR_TRANSPOSED] = node->transposed;
    c[LINEAR_ACTIVATION] = node->activation == OP_GELU        ? ACTIVATION_GELU
                           : node->activation == OP_GELU_TANH ? ACTIVATION_GELU_TANH
                                                              : ACTIVATION_NONE;
    c[LINEAR_PARTS] = (node->in[2] != NONE ? LINEAR_HAS_BIAS : 0) |
                      (node->in[3] != NONE ? LINEAR_HAS_RESIDUAL : 0) |
                      (node->in[4] != NONE ? LINEAR_APPENDS : 0);
    c[LINEAR_WIDE] = node->element == KILN_ELEMENT_F32;
    pass(launch, graph, "x", node->in[0]);
    pass(launch, graph, "w", node->in[1]);
    pass(launch, graph, "bias", node->in[2]);
    pass(launch, graph, "residual", node->in[3]);
    pass(launch, graph, "y", x);
    pass(launch, graph, "first_row", node->in[5]);
    pass_number(launch, "m", "i32", rows);
}

static kiln_status_t lower_attention(const graph_t *graph, value_t x, launch_t *launch)
{
    const node_t *node = at_node(graph, x);
    int *c = launch->kernel.constant, length = node->rows / node->sequences;
    launch->kernel.kind = KERNEL_ATTENTION;
    c[ATTENTION_BLOCK] = length <= 16 ? 16 : 32;
    c[ATTENTION_D] = node->columns / node->heads;
    c[ATTENTION_HEADS] = node->heads;
    c[ATTENTION_Q_STRIDE] = stride_of(graph, node->in[0]);
    c[ATTENTION_K_STRIDE] = stride_of(graph, node->in[1]);
    c[ATTENTION_V_STRIDE] = stride_of(graph, node->in[2]);
    c[ATTENTION_CAUSAL] = node->causal;
    if (c[ATTENTION_D] < 16 || power_of_two(c[ATTENTION_D]) != c[ATTENTION_D])
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "attention: heads of %d elements; they must be 16, 32, 64, …",
                                c[ATTENTION_D]);
    pass(launch, graph, "q", node->in[0]);
    pass(launch, graph, "k", node->in[1]);
    pass(launch, graph, "v", node->in[2]);
    pass(launch, graph, "counts", node->in[3]);
    pass(launch, graph, "y", x);
    pass_number(launch, "s", "i32", length);
    pass_number(launch, "sequences", "i32", node->sequences);
    pass_number(launch, "scale", "f32", node->number);
    return KILN_OK;
}

// Kernels with one program per row; `pointers` are their operands, whole rows.
static kiln_status_t lower_rows(const graph_t *graph, value_t x, kernel_kind_t kind,
                                const char *const *pointers, launch_t *launch)
{
    const node_t *node = at_node(graph, x);
    launch->kernel.kind = kind;
    launch->kernel.constant[ROW_N] = at_node(graph, node->in[0])->columns;
    for (int i = 0; i < OPERANDS && pointers[i]; i++) {
        value_t from = node->in[i];
        pass(launch, graph, pointers[i], from);
        if (from != NONE && at_node(graph, from)->rows > 1 &&
            stride_of(graph, from) != at_node(graph, from)->columns)
            return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                    "node %d, %s: an operand is some columns of a value", x,
                                    op_name(node->op));
    }
    pass(launch, graph, "y", x);
    pass_number(launch, "m", "i32", node->rows);
    return KILN_OK;
}

kiln_status_t lower_node(const graph_t *graph, value_t x, launch_t *launch, bool *out_has_launch)
{
    const node_t *node = at_node(graph, x);
    *launch = (launch_t){0};
    *out_has_launch = node->op > OP_COLUMNS; // earlier operations need no launch
    if (!*out_has_launch)
        return KILN_OK;
    switch (node->op) {
    case OP_LINEAR:
        lower_linear(graph, x, launch);
        break;
    case OP_ATTENTION:
        KILN_TRY(lower_attention(graph, x, launch));
        break;
    case OP_LAYER_NORM:
        KILN_TRY(lower_rows(graph, x, KERNEL_LAYER_NORM,
                            (const char *const[OPERANDS]){"x", "w", "bias"}, launch));
        pass_number(launch, "epsilon", "f32", node->number);
        break;
    case OP_EMBED:
        KILN_TRY(lower_rows(
            graph, x, KERNEL_EMBED,
            (const char *const[OPERANDS]){"words", "word", "places", "place", "extra"}, launch));
        launch->kernel.constant[ROW_EXTRA] = node->in[4] != NONE;
        break;
    case OP_POOL:
        KILN_TRY(lower_rows(graph, x, KERNEL_POOL, (const char *const[OPERANDS]){"x", "counts"},
                            launch));
        pass_number(launch, "s", "i32", at_node(graph, node->in[0])->rows / node->rows);
        break;
    default:
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "node %d: no kernel for '%s', and no rule fused it", x,
                                op_name(node->op));
    }
    kernel_set_name(&launch->kernel);
    return KILN_OK;
}
