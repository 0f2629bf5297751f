// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: graphs. A graph is a list of nodes with the nodes that each depends on; an executable graph is a copy of it, in an order
// that respects them, and launching it gives one after the other to a stream.
//
// What a reader gets wrong: a captured stream needs no analysis. The order of the calls is such an order already.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hip/entry.h"
#include "hip/graph_node.h"
#include "hip/handle.h"

static uint64_t made; // nodes so far

// ---- nodes

bool kiln_sim_graph_is(const struct kiln_sim_graph *graph)
{
    return kiln_sim_handle_is(graph, KILN_SIM_HANDLE_GRAPH);
}

bool kiln_sim_graph_has(const struct kiln_sim_graph *graph, const struct kiln_sim_node *node)
{
    for (size_t i = 0; node && i < graph->count; i++) {
        if (graph->nodes[i] == node)
            return true;
    }
    return false;
}

bool kiln_sim_node_is(const struct kiln_sim_node *node)
{
    return kiln_sim_handle_is(node, KILN_SIM_HANDLE_NODE);
}

struct kiln_sim_graph *kiln_sim_graph_new(void)
{
    struct kiln_sim_graph *graph = calloc(1, sizeof *graph);
    kiln_sim_instances_t *instances = graph ? calloc(1, sizeof *instances) : NULL;
    if (!instances || !kiln_sim_handle_add(graph, KILN_SIM_HANDLE_GRAPH)) {
        free(instances);
        free(graph);
        return NULL;
    }
    instances->holders = 1;
    graph->instances = instances;
    return graph;
}

void kiln_sim_instances_drop(kiln_sim_instances_t *instances)
{
    if (--instances->holders == 0)
        free(instances);
}

void kiln_sim_node_free(struct kiln_sim_node *node)
{
    kiln_sim_work_free(&node->work);
    free(node->params);
    free(node->after);
    kiln_sim_handle_drop(node, KILN_SIM_HANDLE_NODE);
    free(node);
}

void kiln_sim_graph_free(struct kiln_sim_graph *graph)
{
    if (!graph)
        return;
    kiln_sim_graph_drop_objects(graph);
    for (size_t i = 0; i < graph->count; i++)
        kiln_sim_node_free(graph->nodes[i]);
    free(graph->nodes);
    kiln_sim_handle_drop(graph, KILN_SIM_HANDLE_GRAPH);
    kiln_sim_instances_drop(graph->instances);
    free(graph);
}

static bool depends(const struct kiln_sim_node *node, const struct kiln_sim_node *after)
{
    for (size_t i = 0; i < node->after_count; i++) {
        if (node->after[i] == after)
            return true;
    }
    return false;
}

static bool add_dependency(struct kiln_sim_node *node, struct kiln_sim_node *after)
{
    struct kiln_sim_node **list = realloc(node->after, (node->after_count + 1) * sizeof *list);
    if (!list)
        return false;
    node->after = list;
    node->after[node->after_count++] = after;
    return true;
}

static void remove_dependency(struct kiln_sim_node *node, const struct kiln_sim_node *after)
{
    for (size_t i = 0; i < node->after_count; i++) {
        if (node->after[i] != after)
            continue;
        memmove(node->after + i, node->after + i + 1, (node->after_count - i - 1) * sizeof(*node->after));
        node->after_count--;
        return;
    }
}

static bool is_reached(struct kiln_sim_node *const *after, size_t count, const struct kiln_sim_node *node)
{
    for (size_t i = 0; i < count; i++) {
        if (after[i] == node)
            return true;
    }
    return false;
}

hipError_t kiln_sim_graph_add(hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *after, size_t after_count,
                              const kiln_sim_work_t *work)
{
    if (!out || !kiln_sim_graph_is(graph) || (after_count && !after))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    for (size_t i = 0; i < after_count; i++) {
        if (!kiln_sim_graph_has(graph, after[i]))
            return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "a dependency is no node of this graph");
        if (is_reached(after, i, after[i]))
            return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "a dependency is named twice");
    }
    kiln_sim_error_t error = {0};
    struct kiln_sim_node *node = calloc(1, sizeof *node);
    struct kiln_sim_node **nodes = node ? realloc(graph->nodes, (graph->count + 1) * sizeof *nodes) : NULL;
    if (nodes)
        graph->nodes = nodes;
    bool known = nodes && kiln_sim_handle_add(node, KILN_SIM_HANDLE_NODE);
    if (!known || !kiln_sim_work_copy(&node->work, work, &error)) {
        if (known)
            kiln_sim_handle_drop(node, KILN_SIM_HANDLE_NODE);
        free(node);
        return known ? kiln_sim_hip_error(&error) : kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    }
    node->graph = graph;
    node->number = __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
    if (node->work.kind == KILN_SIM_WORK_GRAPH)
        node->work.graph->parent = node;
    graph->nodes[graph->count++] = node;
    for (size_t i = 0; i < after_count; i++) {
        if (!add_dependency(node, after[i]))
            return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    }
    *out = node;
    return 0;
}

static bool copy_node(struct kiln_sim_graph *into, struct kiln_sim_node *node)
{
    if (kiln_sim_graph_add(&node->copy, into, NULL, 0, &node->work))
        return false;
    node->copy->original = node;
    node->copy->has_given = node->has_given;
    node->copy->given = node->given;
    node->copy->attributes_set = node->attributes_set;
    memcpy(node->copy->attributes, node->attributes, sizeof node->attributes);
    return true;
}

struct kiln_sim_graph *kiln_sim_graph_copy(struct kiln_sim_graph *graph)
{
    struct kiln_sim_graph *copy = kiln_sim_graph_new();
    bool good = copy;
    for (size_t i = 0; good && i < graph->count; i++)
        good = copy_node(copy, graph->nodes[i]);
    for (size_t i = 0; good && i < graph->count; i++) {
        for (size_t k = 0; good && k < graph->nodes[i]->after_count; k++)
            good = add_dependency(graph->nodes[i]->copy, graph->nodes[i]->after[k]->copy);
    }
    good = good && kiln_sim_graph_hold_objects(copy, graph);
    if (good) {
        copy->original = graph;
        return copy;
    }
    kiln_sim_graph_free(copy);
    return NULL;
}

// The nodes in an order in which each comes behind those that it depends on; NULL where they form a ring.
struct kiln_sim_node **kiln_sim_graph_order(const struct kiln_sim_graph *graph)
{
    struct kiln_sim_node **list = calloc(graph->count + 1, sizeof(*list));
    size_t placed = 0;
    for (size_t i = 0; i < graph->count; i++)
        graph->nodes[i]->open = graph->nodes[i]->after_count;
    for (size_t before = SIZE_MAX; list && placed != before && placed < graph->count;) {
        before = placed;
        for (size_t i = 0; i < graph->count; i++) {
            struct kiln_sim_node *node = graph->nodes[i];
            bool ready = node->open != SIZE_MAX;
            for (size_t k = 0; ready && k < node->after_count; k++)
                ready = node->after[k]->open == SIZE_MAX;
            if (!ready)
                continue;
            node->open = SIZE_MAX; // placed
            list[placed++] = node;
        }
    }
    if (list && placed == graph->count)
        return list;
    free(list);
    return NULL;
}

hipError_t kiln_sim_graph_run(struct kiln_sim_graph *graph)
{
    struct kiln_sim_node **list = kiln_sim_graph_order(graph);
    hipError_t result = list ? 0 : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "the graph has a ring");
    for (size_t i = 0; list && !result && i < graph->count; i++)
        result = kiln_sim_work_run(&list[i]->work);
    free(list);
    return result;
}

// ---- capture

static pthread_mutex_t capture_lock = PTHREAD_MUTEX_INITIALIZER;

hipError_t kiln_sim_capture_work(kiln_sim_capture_t *capture, const kiln_sim_work_t *work)
{
    struct kiln_sim_node *node;
    pthread_mutex_lock(&capture_lock);
    struct kiln_sim_node **last = capture->last_count ? capture->last : malloc(sizeof(*last));
    hipError_t error = last ? kiln_sim_graph_add(&node, capture->graph, capture->last, capture->last_count, work)
                            : kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    if (!error) {
        if (last != capture->last)
            free(capture->last);
        last[0] = node;
        capture->last = last;
        capture->last_count = 1;
    } else if (last != capture->last) {
        free(last);
    }
    pthread_mutex_unlock(&capture_lock);
    return error;
}

hipError_t kiln_sim_capture_join(kiln_sim_capture_t *capture, const kiln_sim_capture_t *other)
{
    pthread_mutex_lock(&capture_lock);
    struct kiln_sim_node **last = realloc(capture->last, (capture->last_count + other->last_count + 1) * sizeof(*last));
    if (last) {
        capture->last = last;
        for (size_t i = 0; i < other->last_count; i++) {
            if (!is_reached(last, capture->last_count, other->last[i]))
                last[capture->last_count++] = other->last[i];
        }
    }
    pthread_mutex_unlock(&capture_lock);
    return last ? 0 : kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
}

void kiln_sim_capture_release(kiln_sim_capture_t *place)
{
    pthread_mutex_lock(&capture_lock);
    for (size_t i = 0; i < place->last_count; i++)
        place->last[i]->released = true;
    place->last_count = 0;
    pthread_mutex_unlock(&capture_lock);
}

size_t kiln_sim_graph_count(const struct kiln_sim_graph *graph)
{
    return graph->count;
}

bool kiln_sim_graph_is_joined(const kiln_sim_capture_t *place, size_t first)
{
    for (size_t i = first; i < place->graph->count; i++) {
        struct kiln_sim_node *node = place->graph->nodes[i];
        bool goes_on = node->released || is_reached(place->last, place->last_count, node);
        for (size_t k = 0; !goes_on && k < place->graph->count; k++)
            goes_on = depends(place->graph->nodes[k], node);
        if (!goes_on)
            return false;
    }
    return true;
}

// ---- entry points: graphs

hipError_t hipGraphCreate(hipGraph_t *graph, unsigned flags)
{
    if (!graph || flags)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *graph = kiln_sim_graph_new();
    return *graph ? 0 : kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
}

hipError_t hipGraphDestroy(hipGraph_t graph)
{
    if (!kiln_sim_graph_is(graph) || graph->parent)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    kiln_sim_stream_end_captures(graph);
    kiln_sim_graph_free(graph);
    return 0;
}

hipError_t hipGraphClone(hipGraph_t *copy, hipGraph_t graph)
{
    if (!copy || !kiln_sim_graph_is(graph))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (kiln_sim_graph_has_blocks(graph))
        return kiln_sim_hip_fail(KILN_SIM_NOT_SUPPORTED, "a graph that makes memory cannot be copied");
    *copy = kiln_sim_graph_copy(graph);
    return *copy ? 0 : kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
}

hipError_t hipGraphNodeFindInClone(hipGraphNode_t *out, hipGraphNode_t original, hipGraph_t clone)
{
    if (!out || !original || !kiln_sim_graph_is(clone) || !clone->original)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    for (size_t i = 0; i < clone->count; i++) {
        if (clone->nodes[i]->original == original) {
            *out = clone->nodes[i];
            return 0;
        }
    }
    return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "the graph has no copy of that node");
}

// ---- entry points: which nodes

// As many as there is room for; the rest of the room is cleared.
static hipError_t give(hipGraphNode_t *to, size_t *count, struct kiln_sim_node *const *nodes, size_t found)
{
    const size_t room = to ? *count : 0;
    for (size_t i = 0; i < room; i++)
        to[i] = i < found ? nodes[i] : NULL;
    *count = to && found > room ? room : found;
    return 0;
}

hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count)
{
    if (!kiln_sim_graph_is(graph) || !count)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    return give(nodes, count, graph->nodes, graph->count);
}

hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count)
{
    struct kiln_sim_node **roots = kiln_sim_graph_is(graph) && count ? calloc(graph->count + 1, sizeof(*roots)) : NULL;
    size_t found = 0;
    if (!roots)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    for (size_t i = 0; i < graph->count; i++) {
        if (!graph->nodes[i]->after_count)
            roots[found++] = graph->nodes[i];
    }
    give(nodes, count, roots, found);
    free(roots);
    return 0;
}

hipError_t hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t *after, size_t *count)
{
    if (!kiln_sim_node_is(node) || !count)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    return give(after, count, node->after, node->after_count);
}

hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t node, hipGraphNode_t *before, size_t *count)
{
    struct kiln_sim_node **list =
        kiln_sim_node_is(node) && count ? calloc(node->graph->count + 1, sizeof(*list)) : NULL;
    size_t found = 0;
    if (!list)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    for (size_t i = 0; i < node->graph->count; i++) {
        if (depends(node->graph->nodes[i], node))
            list[found++] = node->graph->nodes[i];
    }
    give(before, count, list, found);
    free(list);
    return 0;
}

hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t *from, hipGraphNode_t *to, size_t *count)
{
    if (!kiln_sim_graph_is(graph) || !count || !from != !to)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    const size_t room = from ? *count : 0;
    size_t found = 0;
    for (size_t i = 0; i < graph->count; i++) {
        struct kiln_sim_node *node = graph->nodes[i];
        for (size_t k = 0; k < node->after_count; k++, found++) {
            if (found < room) {
                from[found] = node->after[k];
                to[found] = node;
            }
        }
    }
    for (size_t i = found; i < room; i++)
        from[i] = to[i] = NULL;
    *count = from && found > room ? room : found;
    return 0;
}

static bool are_edges(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to, size_t count)
{
    bool good = kiln_sim_graph_is(graph) && (!count || (from && to));
    for (size_t i = 0; good && i < count; i++)
        good = kiln_sim_graph_has(graph, from[i]) && kiln_sim_graph_has(graph, to[i]) && from[i] != to[i];
    return good;
}

hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to, size_t count)
{
    if (!are_edges(graph, from, to, count))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    for (size_t i = 0; i < count; i++) {
        if (depends(to[i], from[i]))
            return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "the node depends on the other already");
        if (!add_dependency(to[i], from[i]))
            return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    }
    return 0;
}

hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to,
                                      size_t count)
{
    if (!are_edges(graph, from, to, count))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    for (size_t i = 0; i < count; i++) {
        if (!depends(to[i], from[i]))
            return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "the node does not depend on the other");
    }
    for (size_t i = 0; i < count; i++)
        remove_dependency(to[i], from[i]);
    return 0;
}

hipError_t hipGraphDestroyNode(hipGraphNode_t node)
{
    if (!kiln_sim_node_is(node))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (node->work.kind == KILN_SIM_WORK_ALLOCATE || node->work.kind == KILN_SIM_WORK_FREE)
        return kiln_sim_hip_fail(KILN_SIM_NOT_SUPPORTED, "a graph's memory cannot be taken out of it");
    struct kiln_sim_graph *graph = node->graph;
    for (size_t i = 0; i < graph->count; i++) {
        if (graph->nodes[i] != node)
            remove_dependency(graph->nodes[i], node);
    }
    for (size_t i = 0; i < graph->count; i++) {
        if (graph->nodes[i] == node) {
            memmove(graph->nodes + i, graph->nodes + i + 1, (graph->count - i - 1) * sizeof(*graph->nodes));
            break;
        }
    }
    graph->count--;
    kiln_sim_node_free(node);
    return 0;
}

hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType *type)
{
    if (!kiln_sim_node_is(node) || !type)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *type = (int)node->work.kind - (kiln_sim_hip_is_old() ? 0 : 1);
    return 0;
}

// ---- a picture

static const char *name_of(kiln_sim_work_kind_t kind)
{
    static const char *const names[] = {"",
                                        "kernel",
                                        "copy",
                                        "fill",
                                        "host function",
                                        "graph",
                                        "empty",
                                        "wait for event",
                                        "record event",
                                        "",
                                        "",
                                        "allocate",
                                        "free",
                                        "",
                                        "",
                                        "words"};
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "";
}

hipError_t hipGraphDebugDotPrint(hipGraph_t graph, const char *path, unsigned flags)
{
    (void)flags;
    FILE *file = kiln_sim_graph_is(graph) && path ? fopen(path, "we") : NULL;
    if (!file)
        return kiln_sim_hip_fail(kiln_sim_graph_is(graph) && path ? HIP_OPERATING_SYSTEM : KILN_SIM_INVALID_VALUE,
                                 path);
    fprintf(file, "digraph graph_of_%zu_nodes {\n", graph->count);
    for (size_t i = 0; i < graph->count; i++) {
        const struct kiln_sim_node *node = graph->nodes[i];
        const bool is_kernel = node->work.kind == KILN_SIM_WORK_KERNEL;
        fprintf(file, "  n%llu [label=\"%s%s%s\"];\n", (unsigned long long)node->number, name_of(node->work.kind),
                is_kernel ? " " : "", is_kernel ? node->work.kernel.kernel->name : "");
        for (size_t k = 0; k < node->after_count; k++)
            fprintf(file, "  n%llu -> n%llu;\n", (unsigned long long)node->after[k]->number,
                    (unsigned long long)node->number);
    }
    fputs("}\n", file);
    return fclose(file) == 0 ? 0 : kiln_sim_hip_fail(HIP_OPERATING_SYSTEM, path);
}
