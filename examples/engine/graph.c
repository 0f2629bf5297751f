// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds graphs: each function checks shapes and appends a node. A value's index remains valid when
// the graph grows, a pointer to its node does not.
#include "graph.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define OP(id, name) name,
#include "ops.def"
};

const char *op_name(op_t op)
{
    return op < OP_COUNT ? names[op] : "none";
}

void graph_free(graph_t *graph)
{
    kiln_status_free(graph->error);
    free(graph->nodes);
    *graph = (graph_t){0};
}

kiln_status_t graph_finish(graph_t *graph)
{
    kiln_status_t error = graph->error;
    graph->error = KILN_OK;
    return error;
}

static value_t fail(graph_t *graph, op_t op, const char *format, ...)
{
    char text[160];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (!graph->error)
        graph->error = kiln_status_make(KILN_STATUS_INVALID_INPUT, "graph: node %d, %s: %s",
                                        graph->count, op_name(op), text);
    return NONE;
}

// The node of an operand. If the operand does not exist, that error is already recorded, and a
// harmless stand-in is returned.
static const node_t *get(graph_t *graph, value_t x)
{
    static const node_t nothing = {.op = OP_COUNT, .batch = 1, .rows = 1, .columns = 1};
    if (x >= 0 && x < graph->count)
        return &graph->nodes[x];
    fail(graph, OP_COUNT, "an operand is not a value");
    return &nothing;
}

static value_t append(graph_t *graph, node_t node)
{
    if (graph->error)
        return NONE;
    if (graph->count == graph->capacity) {
        int capacity = graph->capacity ? 2 * graph->capacity : 64;
        node_t *nodes = realloc(graph->nodes, (size_t)capacity * sizeof *nodes);
        if (!nodes) {
            graph->error = kiln_status_out_of_memory();
            return NONE;
        }
        graph->nodes = nodes;
        graph->capacity = capacity;
    }
    graph->nodes[graph->count] = node;
    return graph->count++;
}

// A node with an f16 result computed from up to three values.
static node_t make(op_t op, value_t a, value_t b, value_t c, int batch, int rows, int columns)
{
    return (node_t){.op = op,
                    .in = {a, b, c, NONE, NONE, NONE},
                    .batch = batch,
                    .rows = rows,
                    .columns = columns,
                    .element = KILN_ELEMENT_F16,
                    .activation = OP_COUNT};
}

static value_t append_named(graph_t *graph, node_t node, const char *name)
{
    if (strlen(name) >= NAME_SIZE)
        return fail(graph, node.op, "the name '%s' is longer than %d", name, NAME_SIZE - 1);
    strcpy(node.name, name);
    return append(graph, node);
}

value_t graph_input(graph_t *graph, const char *name, kiln_element_type_t element, int rows,
                    int columns)
{
    node_t node = make(OP_INPUT, NONE, NONE, NONE, 1, rows, columns);
    node.element = element;
    return append_named(graph, node, name);
}

value_t graph_state(graph_t *graph, const char *name, int rows, int columns)
{
    return append_named(graph, make(OP_STATE, NONE, NONE, NONE, 1, rows, columns), name);
}

value_t graph_parameter(graph_t *graph, int rows, int columns, const char *format, ...)
{
    char name[NAME_SIZE + 1];
    va_list list;
    va_start(list, format);
    vsnprintf(name, sizeof name, format, list);
    va_end(list);
    return append_named(graph, make(OP_PARAMETER, NONE, NONE, NONE, 1, rows, columns), name);
}

value_t graph_columns(graph_t *graph, value_t x, int first, int count)
{
    const node_t *from = get(graph, x);
    if (first < 0 || count < 1 || first + count > from->columns)
        return fail(graph, OP_COLUMNS, "%d columns from %d on of %d", count, first, from->columns);
    node_t node = make(OP_COLUMNS, x, NONE, NONE, 1, from->rows, count);
    node.first = first;
    return append(graph, node);
}

value_t graph_gather(graph_t *graph, value_t table, value_t numbers)
{
    const node_t *from = get(graph, table), *by = get(graph, numbers);
    if (by->element != KILN_ELEMENT_I32 || by->columns != 1)
        return fail(graph, OP_GATHER, "the numbers are a column of i32");
    return append(graph, make(OP_GATHER, table, numbers, NONE, 1, by->rows, from->columns));
}

value_t graph_matmul(graph_t *graph, value_t a, value_t b, bool transposed)
{
    const node_t *x = get(graph, a), *y = get(graph, b);
    int inner = transposed ? y->columns : y->rows, columns = transposed ? y->rows : y->columns;
    if (x->batch != y->batch || x->columns != inner)
        return fail(graph, OP_MATMUL, "%d times %d × %d with %d times %d × %d%s", x->batch, x->rows,
                    x->columns, y->batch, y->rows, y->columns, transposed ? ", transposed" : "");
    node_t node = make(OP_MATMUL, a, b, NONE, x->batch, x->rows, columns);
    node.transposed = transposed;
    return append(graph, node);
}

value_t graph_binary(graph_t *graph, op_t op, value_t a, value_t b)
{
    const node_t *x = get(graph, a), *y = get(graph, b);
    if ((y->batch != x->batch && y->batch != 1) || (y->rows != x->rows && y->rows != 1) ||
        (y->columns != x->columns && y->columns != 1))
        return fail(graph, op, "%d × %d with %d × %d", x->rows, x->columns, y->rows, y->columns);
    return append(graph, make(op, a, b, NONE, x->batch, x->rows, x->columns));
}

value_t graph_number(graph_t *graph, op_t op, value_t x, double number)
{
    const node_t *from = get(graph, x);
    node_t node =
        make(op, x, NONE, NONE, from->batch, from->rows, op == OP_MEAN ? 1 : from->columns);
    node.number = number;
    return append(graph, node);
}

value_t graph_split_heads(graph_t *graph, value_t x, int sequences, int heads)
{
    const node_t *from = get(graph, x);
    if (from->batch != 1 || from->rows % sequences || from->columns % heads)
        return fail(graph, OP_SPLIT_HEADS, "%d × %d into %d sequences and %d heads", from->rows,
                    from->columns, sequences, heads);
    return append(graph, make(OP_SPLIT_HEADS, x, NONE, NONE, sequences * heads,
                              from->rows / sequences, from->columns / heads));
}

value_t graph_merge_heads(graph_t *graph, value_t x, int sequences)
{
    const node_t *from = get(graph, x);
    int heads = from->batch / sequences;
    if (from->batch % sequences)
        return fail(graph, OP_MERGE_HEADS, "%d matrices of %d sequences", from->batch, sequences);
    node_t node =
        make(OP_MERGE_HEADS, x, NONE, NONE, 1, sequences * from->rows, heads * from->columns);
    node.sequences = sequences;
    node.heads = heads;
    return append(graph, node);
}

value_t graph_mask(graph_t *graph, op_t op, value_t scores, value_t counts)
{
    const node_t *from = get(graph, scores);
    if (get(graph, counts)->element != KILN_ELEMENT_I32)
        return fail(graph, op, "the counts are i32");
    return append(graph, make(op, scores, counts, NONE, from->batch, from->rows, from->columns));
}

value_t graph_append(graph_t *graph, value_t state, value_t x, value_t row)
{
    const node_t *to = get(graph, state), *from = get(graph, x);
    if (to->op != OP_STATE || to->columns != from->columns || to->rows < from->rows ||
        get(graph, row)->element != KILN_ELEMENT_I32)
        return fail(graph, OP_APPEND, "%d × %d to a state of %d × %d", from->rows, from->columns,
                    to->rows, to->columns);
    return append(graph, make(OP_APPEND, state, x, row, 1, to->rows, to->columns));
}

value_t graph_pool(graph_t *graph, value_t x, value_t lengths)
{
    const node_t *from = get(graph, x), *of = get(graph, lengths);
    if (of->element != KILN_ELEMENT_I32 || from->rows % of->rows)
        return fail(graph, OP_POOL, "%d rows of %d sequences", from->rows, of->rows);
    return append(graph, make(OP_POOL, x, lengths, NONE, 1, of->rows, from->columns));
}

void graph_output(graph_t *graph, value_t x, kiln_element_type_t element)
{
    get(graph, x);
    if (graph->error)
        return;
    graph->nodes[x].is_output = true;
    graph->nodes[x].element = element;
}

value_t graph_dense(graph_t *graph, value_t x, value_t weight, value_t bias)
{
    return graph_binary(graph, OP_ADD, graph_matmul(graph, x, weight, true), bias);
}

value_t graph_layer_norm(graph_t *graph, value_t x, value_t weight, value_t bias, double epsilon)
{
    value_t centred = graph_binary(graph, OP_SUB, x, graph_unary(graph, OP_MEAN, x));
    value_t variance = graph_unary(graph, OP_MEAN, graph_binary(graph, OP_MUL, centred, centred));
    value_t factor =
        graph_unary(graph, OP_RSQRT, graph_number(graph, OP_OFFSET, variance, epsilon));
    value_t normal = graph_binary(graph, OP_MUL, centred, factor);
    return graph_binary(graph, OP_ADD, graph_binary(graph, OP_MUL, normal, weight), bias);
}

int graph_uses(const graph_t *graph, value_t x)
{
    int uses = graph->nodes[x].is_output;
    for (int i = 0; i < graph->count; i++)
        for (int k = 0; k < OPERANDS; k++)
            uses += graph->nodes[i].in[k] == x;
    return uses;
}

value_t graph_storage(const graph_t *graph, value_t x, int *out_first_column)
{
    *out_first_column = 0;
    for (;;) {
        const node_t *node = &graph->nodes[x];
        if (node->op == OP_COLUMNS)
            *out_first_column += node->first;
        if (node->op == OP_COLUMNS || node->op == OP_APPEND)
            x = node->in[0];
        else if (node->op == OP_LINEAR && node->in[4] != NONE)
            x = node->in[4];
        else
            return x;
    }
}

void graph_print(const graph_t *graph)
{
    for (int i = 0; i < graph->count; i++) {
        const node_t *node = &graph->nodes[i];
        printf("%%%d = %s", i, op_name(node->op));
        for (int k = 0; k < OPERANDS; k++)
            if (node->in[k] != NONE)
                printf(" %%%d", node->in[k]);
        if (node->activation != OP_COUNT)
            printf(" %s", op_name(node->activation));
        if (node->name[0])
            printf(" %s", node->name);
        if (node->batch > 1)
            printf(" : %d ×", node->batch);
        printf(" : %s[%d][%d]%s\n", kiln_element_type_name(node->element), node->rows,
               node->columns, node->is_output ? ", output" : "");
    }
}
