// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fusing, as a table of rules. Each examines one node, matches the pattern that ends there, and
// turns the node into one operation on the pattern's inputs. The nodes in between become unused and
// are removed at the end.
//
//     gelu(x · wᵀ + b)                        → linear     the additions happen while the sums are in registers
//     softmax(q · kᵀ · s, masked) · v         → attention  the scores are never stored
//     (x − mean) · rsqrt(variance + e) · w + b → layer_norm  a row is read once
//
// A value that is used elsewhere must stay, so patterns only match values with a single use.
#include "graph.h"

#include <stdlib.h>
#include <string.h>

static node_t *at(const graph_t *graph, value_t x)
{
    return &graph->nodes[x];
}

// The node of x if it has this operation and the pattern is its only use, otherwise NULL.
static node_t *only(const graph_t *graph, value_t x, op_t op)
{
    return x != NONE && at(graph, x)->op == op && graph_uses(graph, x) == 1 ? at(graph, x) : NULL;
}

static bool is_row(const graph_t *graph, value_t x, int columns)
{
    int first;
    bool is_parameter = at(graph, graph_storage(graph, x, &first))->op == OP_PARAMETER;
    return is_parameter && at(graph, x)->rows == 1 && at(graph, x)->columns == columns;
}

static void become(node_t *node, op_t op, const value_t in[OPERANDS])
{
    node->op = op;
    memcpy(node->in, in, sizeof node->in);
}

// Each application fuses one more operation into the product, so the rule applies up to five times
// along one chain.
static bool fuse_linear(graph_t *graph, value_t x)
{
    node_t *node = at(graph, x);
    if (node->op == OP_MATMUL && node->batch == 1) {
        node->op = OP_LINEAR;
        return true;
    }
    bool is_activation = node->op == OP_GELU || node->op == OP_GELU_TANH;
    if (!is_activation && node->op != OP_ADD && node->op != OP_APPEND)
        return false;
    bool is_swapped = node->op == OP_ADD && !only(graph, node->in[0], OP_LINEAR);
    value_t other = node->op == OP_ADD ? node->in[!is_swapped] : NONE;
    const node_t *linear = only(graph, node->in[node->op == OP_APPEND || is_swapped], OP_LINEAR);
    if (!linear || linear->in[4] != NONE ||
        (other != NONE && at(graph, other)->columns != node->columns))
        return false;
    node_t made = *linear;
    bool is_free =
        made.activation == OP_COUNT && made.in[3] == NONE; // nothing follows the bias yet
    if (is_activation && is_free)
        made.activation = node->op;
    else if (node->op == OP_ADD && is_row(graph, other, node->columns) && is_free &&
             made.in[2] == NONE)
        made.in[2] = other;
    else if (node->op == OP_ADD && at(graph, other)->rows == node->rows && made.in[3] == NONE)
        made.in[3] = other;
    else if (node->op == OP_APPEND) {
        made.in[4] = node->in[0];
        made.in[5] = node->in[2];
    } else
        return false;
    made.rows = node->rows;
    made.element = node->element;
    made.is_output = node->is_output;
    *node = made;
    return true;
}

static bool fuse_layer_norm(graph_t *graph, value_t x)
{
    node_t *node = at(graph, x);
    const node_t *scaled, *normal, *factor, *offset, *variance, *square, *centred, *mean;
    if (node->op != OP_ADD || !(scaled = only(graph, node->in[0], OP_MUL)) ||
        !(normal = only(graph, scaled->in[0], OP_MUL)) ||
        !(factor = only(graph, normal->in[1], OP_RSQRT)) ||
        !(offset = only(graph, factor->in[0], OP_OFFSET)) ||
        !(variance = only(graph, offset->in[0], OP_MEAN)) ||
        !(square = only(graph, variance->in[0], OP_MUL)))
        return false;
    value_t c = normal->in[0]; // used three times: twice squared, once normalized
    centred = at(graph, c);
    if (square->in[0] != c || square->in[1] != c || centred->op != OP_SUB ||
        graph_uses(graph, c) != 3 || !(mean = only(graph, centred->in[1], OP_MEAN)) ||
        mean->in[0] != centred->in[0] || !is_row(graph, scaled->in[1], node->columns) ||
        !is_row(graph, node->in[1], node->columns))
        return false;
    double epsilon = offset->number;
    become(node, OP_LAYER_NORM,
           (value_t[OPERANDS]){centred->in[0], scaled->in[1], node->in[1], NONE, NONE, NONE});
    node->number = epsilon;
    return true;
}

static bool fuse_attention(graph_t *graph, value_t x)
{
    node_t *node = at(graph, x);
    const node_t *product, *softmax, *mask, *scale, *scores, *q, *k, *v;
    if (node->op != OP_MERGE_HEADS || !(product = only(graph, node->in[0], OP_MATMUL)) ||
        product->transposed || !(softmax = only(graph, product->in[0], OP_SOFTMAX)) ||
        !(v = only(graph, product->in[1], OP_SPLIT_HEADS)))
        return false;
    mask = at(graph, softmax->in[0]);
    if ((mask->op != OP_MASK_LENGTH && mask->op != OP_MASK_CAUSAL) ||
        graph_uses(graph, softmax->in[0]) != 1 || !(scale = only(graph, mask->in[0], OP_SCALE)) ||
        !(scores = only(graph, scale->in[0], OP_MATMUL)) || !scores->transposed ||
        !(q = only(graph, scores->in[0], OP_SPLIT_HEADS)) ||
        !(k = only(graph, scores->in[1], OP_SPLIT_HEADS)))
        return false;
    // The kernel's rows are those of whole sequences with the same heads; only causal attention may
    // have keys of another length.
    bool is_causal = mask->op == OP_MASK_CAUSAL;
    int columns = at(graph, q->in[0])->columns; // heads · d
    if (q->rows * node->sequences != node->rows || columns != node->columns ||
        at(graph, k->in[0])->columns != columns || at(graph, v->in[0])->columns != columns ||
        (is_causal ? node->sequences != 1 : k->rows != q->rows))
        return false;
    node->causal = is_causal;
    node->number = scale->number;
    become(node, OP_ATTENTION,
           (value_t[OPERANDS]){q->in[0], k->in[0], v->in[0], mask->in[1], NONE, NONE});
    return true;
}

static bool fuse_embed(graph_t *graph, value_t x)
{
    node_t *node = at(graph, x);
    const node_t *first, *second;
    if (node->op != OP_ADD)
        return false;
    if ((first = only(graph, node->in[0], OP_GATHER)) &&
        (second = only(graph, node->in[1], OP_GATHER))) {
        become(node, OP_EMBED,
               (value_t[OPERANDS]){first->in[0], first->in[1], second->in[0], second->in[1], NONE,
                                   NONE});
        return true;
    }
    if ((first = only(graph, node->in[0], OP_EMBED)) && first->in[4] == NONE &&
        is_row(graph, node->in[1], node->columns)) {
        become(node, OP_EMBED,
               (value_t[OPERANDS]){first->in[0], first->in[1], first->in[2], first->in[3],
                                   node->in[1], NONE});
        return true;
    }
    return false;
}

const char *const fuse_rule_names[FUSE_RULES] = {"attention", "layer_norm", "embed", "linear"};
static bool (*const rules[FUSE_RULES])(graph_t *, value_t) = {fuse_attention, fuse_layer_norm,
                                                              fuse_embed, fuse_linear};

// Keeps the nodes that outputs need, in their order.
static void sweep(graph_t *graph)
{
    enum { UNUSED, NEEDED };
    value_t *renamed = calloc((size_t)graph->count + 1,
                              sizeof *renamed); // first whether the node is needed, then its new
                                                // index
    int kept = 0;
    if (!renamed)
        graph->error = kiln_status_out_of_memory();
    for (int i = graph->count - 1; renamed && i >= 0; i--)
        for (int k = 0; k < OPERANDS && (renamed[i] == NEEDED || at(graph, i)->is_output); k++) {
            renamed[i] = NEEDED;
            if (at(graph, i)->in[k] != NONE)
                renamed[at(graph, i)->in[k]] = NEEDED;
        }
    for (int i = 0; renamed && i < graph->count; i++) {
        if (renamed[i] == UNUSED)
            continue;
        node_t node = *at(graph, i);
        for (int k = 0; k < OPERANDS; k++)
            node.in[k] = node.in[k] == NONE ? NONE : renamed[node.in[k]];
        renamed[i] = kept;
        graph->nodes[kept++] = node;
    }
    if (renamed)
        graph->count = kept;
    free(renamed);
}

void graph_fuse(graph_t *graph, int out_counts[FUSE_RULES])
{
    for (int rule = 0; rule < FUSE_RULES; rule++) {
        int count = 0;
        for (value_t x = 0; x < graph->count; x++)
            while (!graph->error && rules[rule](graph, x))
                count++;
        if (out_counts)
            out_counts[rule] = count;
        sweep(graph); // before the next rule counts uses
    }
}
