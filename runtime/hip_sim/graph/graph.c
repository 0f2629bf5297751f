// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: graphs. A graph is a list of nodes with their dependencies. An executable graph
// is a copy of it in a topological order; a launch enqueues its nodes in that order in a stream.
//
// A captured stream needs no analysis, since the order of the calls is already topological.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "hip_sim/device/handle.h"
#include "hip_sim/entry.h"
#include "hip_sim/graph/graph_node.h"

static uint64_t nodes_made;

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
    kiln_sim_stream_end_captures(graph);
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

static bool reserve_dependencies(struct kiln_sim_node *node, size_t more)
{
    return KILN_ARRAY_RESERVE(&node->after, &node->after_capacity, node->after_count + more);
}

static bool add_dependency(struct kiln_sim_node *node, struct kiln_sim_node *after)
{
    if (!reserve_dependencies(node, 1))
        return false;
    node->after[node->after_count++] = after;
    return true;
}

static void remove_dependency(struct kiln_sim_node *node, const struct kiln_sim_node *after)
{
    for (size_t i = 0; i < node->after_count; i++) {
        if (node->after[i] != after)
            continue;
        memmove(node->after + i, node->after + i + 1,
                (node->after_count - i - 1) * sizeof(*node->after));
        node->after_count--;
        return;
    }
}

static bool is_reached(struct kiln_sim_node *const *after, size_t count,
                       const struct kiln_sim_node *node)
{
    for (size_t i = 0; i < count; i++) {
        if (after[i] == node)
            return true;
    }
    return false;
}

hipError_t kiln_sim_graph_add(hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *after,
                              size_t after_count, const kiln_sim_work_t *work)
{
    if (!out || !kiln_sim_graph_is(graph) || (after_count && !after))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    for (size_t i = 0; i < after_count; i++) {
        if (!kiln_sim_graph_has(graph, after[i]))
            return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE,
                                     "a dependency is not a node of this graph");
        if (is_reached(after, i, after[i]))
            return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "duplicate dependency");
    }
    kiln_sim_error_t error = {0};
    struct kiln_sim_node *node = calloc(1, sizeof *node);
    const bool has_room = node &&
                          KILN_ARRAY_RESERVE(&graph->nodes, &graph->capacity, graph->count + 1) &&
                          reserve_dependencies(node, after_count);
    const bool known = has_room && kiln_sim_handle_add(node, KILN_SIM_HANDLE_NODE);
    if (!known || !kiln_sim_work_copy(&node->work, work, &error)) {
        if (known)
            kiln_sim_handle_drop(node, KILN_SIM_HANDLE_NODE);
        if (has_room)
            free(node->after);
        free(node);
        return known ? kiln_sim_hip_error(&error) : kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    }
    node->graph = graph;
    node->number = __atomic_add_fetch(&nodes_made, 1, __ATOMIC_RELAXED);
    if (node->work.kind == KILN_SIM_WORK_GRAPH)
        node->work.graph->parent = node;
    graph->nodes[graph->count++] = node;
    for (size_t i = 0; i < after_count; i++)
        node->after[node->after_count++] = after[i];
    *out = node;
    return 0;
}

static bool copy_node(struct kiln_sim_graph *into, struct kiln_sim_node *node)
{
    if (kiln_sim_graph_add(&node->copy, into, NULL, 0, &node->work))
        return false;
    node->copy->original = node->number;
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

hipError_t kiln_sim_graph_order(const struct kiln_sim_graph *graph, struct kiln_sim_node ***out)
{
    struct kiln_sim_node **list = calloc(graph->count + 1, sizeof(*list));
    size_t placed = 0;
    *out = NULL;
    if (!list)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    for (size_t i = 0; i < graph->count; i++)
        graph->nodes[i]->open = graph->nodes[i]->after_count;
    for (size_t before = SIZE_MAX; placed != before && placed < graph->count;) {
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
    if (placed == graph->count) {
        *out = list;
        return 0;
    }
    free(list);
    return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "the graph contains a cycle");
}

hipError_t kiln_sim_graph_run(struct kiln_sim_graph *graph)
{
    struct kiln_sim_node **list;
    hipError_t result = kiln_sim_graph_order(graph, &list);
    for (size_t i = 0; !result && i < graph->count; i++)
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
    hipError_t error =
        last ? kiln_sim_graph_add(&node, capture->graph, capture->last, capture->last_count, work)
             : kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    if (!error) {
        node->capture = capture->id;
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

bool kiln_sim_capture_mark(const kiln_sim_capture_t *capture, kiln_sim_capture_mark_t *mark)
{
    *mark = (kiln_sim_capture_mark_t){capture->graph->count,
                                      malloc((capture->last_count + 1) * sizeof *mark->last),
                                      capture->last_count};
    if (mark->last && mark->last_count)
        memcpy(mark->last, capture->last, mark->last_count * sizeof *mark->last);
    return mark->last;
}

void kiln_sim_capture_return(kiln_sim_capture_t *capture, kiln_sim_capture_mark_t *mark)
{
    pthread_mutex_lock(&capture_lock);
    while (capture->graph->count > mark->count)
        kiln_sim_node_free(capture->graph->nodes[--capture->graph->count]);
    free(capture->last);
    capture->last = mark->last;
    capture->last_count = mark->last_count;
    pthread_mutex_unlock(&capture_lock);
}

hipError_t kiln_sim_capture_join(kiln_sim_capture_t *capture, const kiln_sim_capture_t *other)
{
    pthread_mutex_lock(&capture_lock);
    struct kiln_sim_node **last =
        realloc(capture->last, (capture->last_count + other->last_count + 1) * sizeof(*last));
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

hipError_t kiln_sim_capture_set(kiln_sim_capture_t *place, const kiln_sim_capture_t *other)
{
    kiln_sim_capture_t made = {0};
    hipError_t error = kiln_sim_capture_join(&made, other);
    if (error)
        return error;
    pthread_mutex_lock(&capture_lock);
    for (size_t i = 0; i < place->last_count; i++)
        place->last[i]->released = true;
    free(place->last);
    place->last = made.last;
    place->last_count = made.last_count;
    pthread_mutex_unlock(&capture_lock);
    return 0;
}

size_t kiln_sim_graph_count(const struct kiln_sim_graph *graph)
{
    return graph->count;
}

bool kiln_sim_graph_is_joined(const kiln_sim_capture_t *place, size_t first)
{
    for (size_t i = first; i < place->graph->count; i++) {
        struct kiln_sim_node *node = place->graph->nodes[i];
        bool continues = node->released || (node->capture && node->capture != place->id) ||
                         is_reached(place->last, place->last_count, node);
        for (size_t k = 0; !continues && k < place->graph->count; k++)
            continues = depends(place->graph->nodes[k], node);
        if (!continues)
            return false;
    }
    return true;
}

// ---- entry points: graphs

hipError_t hipGraphCreate(hipGraph_t *graph, unsigned flags)
{
    if (!graph || flags)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    struct kiln_sim_graph *made = kiln_sim_graph_new();
    if (!made)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    *graph = made;
    return 0;
}

hipError_t hipGraphDestroy(hipGraph_t graph)
{
    if (!kiln_sim_graph_is(graph) || graph->parent)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    kiln_sim_graph_free(graph);
    return 0;
}

hipError_t hipGraphClone(hipGraph_t *copy, hipGraph_t graph)
{
    if (!copy || !kiln_sim_graph_is(graph))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (kiln_sim_graph_has_blocks(graph))
        return kiln_sim_hip_fail(KILN_SIM_NOT_SUPPORTED,
                                 "a graph that allocates memory cannot be cloned");
    struct kiln_sim_graph *made = kiln_sim_graph_copy(graph);
    if (!made)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    *copy = made;
    return 0;
}

hipError_t hipGraphNodeFindInClone(hipGraphNode_t *out, hipGraphNode_t original, hipGraph_t clone)
{
    if (!out || !kiln_sim_node_is(original) || !kiln_sim_graph_is(clone) || !clone->original)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    for (size_t i = 0; i < clone->count; i++) {
        if (clone->nodes[i]->original == original->number) {
            *out = clone->nodes[i];
            return 0;
        }
    }
    return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "the graph has no clone of the node");
}

// ---- entry points: queries of nodes

// Returns as many as fit and clears the rest of the array.
static hipError_t return_nodes(hipGraphNode_t *to, size_t *count,
                               struct kiln_sim_node *const *nodes, size_t found)
{
    const size_t room = to ? *count : 0;
    for (size_t i = 0; i < room; i++)
        to[i] = i < found ? nodes[i] : NULL;
    *count = to && found > room ? room : found;
    return 0;
}

// Returns the nodes of a graph that are selected with regard to `other`.
static hipError_t return_selected(hipGraphNode_t *to, size_t *count, hipGraph_t graph,
                                  bool (*is_chosen)(const struct kiln_sim_node *node,
                                                    const struct kiln_sim_node *other),
                                  const struct kiln_sim_node *other)
{
    struct kiln_sim_node **chosen = calloc(graph->count + 1, sizeof(*chosen));
    size_t found = 0;
    if (!chosen)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    for (size_t i = 0; i < graph->count; i++) {
        if (is_chosen(graph->nodes[i], other))
            chosen[found++] = graph->nodes[i];
    }
    return_nodes(to, count, chosen, found);
    free(chosen);
    return 0;
}

static bool is_root(const struct kiln_sim_node *node, const struct kiln_sim_node *other)
{
    (void)other;
    return !node->after_count;
}

hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count)
{
    if (!kiln_sim_graph_is(graph) || !count)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    return return_nodes(nodes, count, graph->nodes, graph->count);
}

hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count)
{
    if (!kiln_sim_graph_is(graph) || !count)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    return return_selected(nodes, count, graph, is_root, NULL);
}

hipError_t hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t *after, size_t *count)
{
    if (!kiln_sim_node_is(node) || !count)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    return return_nodes(after, count, node->after, node->after_count);
}

hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t node, hipGraphNode_t *before, size_t *count)
{
    if (!kiln_sim_node_is(node) || !count)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    return return_selected(before, count, node->graph, depends, node);
}

hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t *from, hipGraphNode_t *to,
                            size_t *count)
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

static bool are_edges(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to,
                      size_t count)
{
    bool good = kiln_sim_graph_is(graph) && (!count || (from && to));
    for (size_t i = 0; good && i < count; i++)
        good = kiln_sim_graph_has(graph, from[i]) && kiln_sim_graph_has(graph, to[i]) &&
               from[i] != to[i];
    return good;
}

static bool names_edge(const hipGraphNode_t *from, const hipGraphNode_t *to, size_t count,
                       const struct kiln_sim_node *a, const struct kiln_sim_node *b)
{
    for (size_t i = 0; i < count; i++) {
        if (from[i] == a && to[i] == b)
            return true;
    }
    return false;
}

hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t *from,
                                   const hipGraphNode_t *to, size_t count)
{
    if (!are_edges(graph, from, to, count))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    // Adds all dependencies or none.
    for (size_t i = 0; i < count; i++) {
        if (depends(to[i], from[i]) || names_edge(from, to, i, from[i], to[i]))
            return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "the dependency already exists");
    }
    for (size_t i = 0; i < count; i++) {
        if (!reserve_dependencies(to[i], count))
            return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    }
    for (size_t i = 0; i < count; i++)
        to[i]->after[to[i]->after_count++] = from[i];
    return 0;
}

hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t *from,
                                      const hipGraphNode_t *to, size_t count)
{
    if (!are_edges(graph, from, to, count))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    for (size_t i = 0; i < count; i++) {
        if (!depends(to[i], from[i]) || names_edge(from, to, i, from[i], to[i]))
            return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "the dependency does not exist");
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
        return kiln_sim_hip_fail(KILN_SIM_NOT_SUPPORTED,
                                 "nodes that allocate memory cannot be removed");
    if (kiln_sim_stream_captures_into(node->graph))
        return kiln_sim_hip_fail(HIP_ILLEGAL_STATE,
                                 "nodes cannot be removed while a stream is captured to the graph");
    struct kiln_sim_graph *graph = node->graph;
    for (size_t i = 0; i < graph->count; i++) {
        if (graph->nodes[i] != node)
            remove_dependency(graph->nodes[i], node);
    }
    for (size_t i = 0; i < graph->count; i++) {
        if (graph->nodes[i] == node) {
            memmove(graph->nodes + i, graph->nodes + i + 1,
                    (graph->count - i - 1) * sizeof(*graph->nodes));
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
        return kiln_sim_hip_fail(
            kiln_sim_graph_is(graph) && path ? HIP_OPERATING_SYSTEM : KILN_SIM_INVALID_VALUE, path);
    fprintf(file, "digraph graph_of_%zu_nodes {\n", graph->count);
    for (size_t i = 0; i < graph->count; i++) {
        const struct kiln_sim_node *node = graph->nodes[i];
        const bool is_kernel = node->work.kind == KILN_SIM_WORK_KERNEL;
        const char *name =
            is_kernel ? hipKernelNameRef((hipFunction_t)node->work.kernel.kernel) : NULL;
        fprintf(file, "  n%llu [label=\"%s%s%s\"];\n", (unsigned long long)node->number,
                name_of(node->work.kind), name ? " " : "", name ? name : "");
        for (size_t k = 0; k < node->after_count; k++)
            fprintf(file, "  n%llu -> n%llu;\n", (unsigned long long)node->after[k]->number,
                    (unsigned long long)node->number);
    }
    fputs("}\n", file);
    const bool failed = ferror(file) != 0;
    return fclose(file) == 0 && !failed ? 0 : kiln_sim_hip_fail(HIP_OPERATING_SYSTEM, path);
}
