// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans memory: computes when each value is live, and assigns offsets so that values which are
// never live at the same time share memory.
//
// Large values are placed first, each at the lowest offset where it overlaps no value that is live
// at the same time. That is not optimal, since the optimum is hard to find, but for chains of
// layers the result reaches the lower bound, the maximum of the live bytes.
#include "graph.h"

enum {
    ALIGNMENT = 256
}; // alignment of device memory, and required by code for pointers that are multiples of 16
static const size_t unplaced = (size_t)-1; // an offset

static size_t size_of(const node_t *node)
{
    size_t bytes = (size_t)node->batch * (size_t)node->rows * (size_t)node->columns *
                   kiln_element_size(node->element);
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void find_lives(const graph_t *graph, place_t *places)
{
    for (int i = 0; i < graph->count; i++) {
        const node_t *node = &graph->nodes[i];
        int column;
        bool is_elsewhere = node->op == OP_PARAMETER || node->op == OP_STATE ||
                            graph_storage(graph, i, &column) != i;
        places[i] = (place_t){is_elsewhere ? 0 : unplaced, is_elsewhere ? 0 : size_of(node), i, i};
        if (node->op == OP_INPUT || node->is_output)
            places[i] = (place_t){unplaced, size_of(node), 0, graph->count};
        for (int k = 0; k < OPERANDS; k++) {
            place_t *operand =
                node->in[k] == NONE ? NULL : &places[graph_storage(graph, node->in[k], &column)];
            if (operand && operand->last < i)
                operand->last = i;
        }
    }
}

static bool meet(const place_t *a, const place_t *b)
{
    return a->first <= b->last && b->first <= a->last;
}

// The lowest offset that is free, among the values placed so far, during this value's lifetime.
static size_t find_offset(const place_t *places, int count, const place_t *wanted)
{
    size_t offset = 0;
    for (int i = 0; i < count; i++) {
        const place_t *other = &places[i];
        if (meet(other, wanted) && other->offset < offset + wanted->size &&
            offset < other->offset + other->size) {
            offset = other->offset + other->size;
            i = -1; // start over: the new offset may overlap values checked before
        }
    }
    return offset;
}

size_t plan_memory(const graph_t *graph, place_t *places)
{
    size_t end = 0;
    find_lives(graph, places);
    for (;;) {
        place_t *largest = NULL;
        for (int i = 0; i < graph->count; i++)
            if (places[i].offset == unplaced && (!largest || places[i].size > largest->size))
                largest = &places[i];
        if (!largest)
            return end;
        largest->offset = find_offset(places, graph->count, largest);
        end = largest->offset + largest->size > end ? largest->offset + largest->size : end;
    }
}
