// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: graphs. A graph is a list of nodes with the nodes that each depends on; an executable graph is the
// same work in an order that respects them, and launching it does one after the other.
//
// What a reader gets wrong: a captured stream needs no analysis. The order of the calls is such an order already.
#include "hip/graph.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "hip/entry.h"

struct kiln_sim_node {
    struct kiln_sim_graph *graph;
    kiln_sim_work_t work;
    struct kiln_sim_node **after; // the nodes that it depends on
    size_t after_count;
    struct kiln_sim_node *copy; // while the graph is being copied
    size_t open;                // while it is being ordered: dependencies not placed yet
};

struct kiln_sim_graph {
    struct kiln_sim_node **nodes;
    size_t count;
};

struct kiln_sim_graph_exec {
    kiln_sim_work_t *work;
    struct kiln_sim_node **node; // which node each came from: a name only, it may be gone
    size_t count;
};

// ---- nodes

struct kiln_sim_graph *kiln_sim_graph_new(void)
{
    return calloc(1, sizeof(struct kiln_sim_graph));
}

void kiln_sim_graph_free(struct kiln_sim_graph *graph)
{
    for (size_t i = 0; graph && i < graph->count; i++) {
        kiln_sim_work_free(&graph->nodes[i]->work);
        free(graph->nodes[i]->after);
        free(graph->nodes[i]);
    }
    if (graph)
        free(graph->nodes);
    free(graph);
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

static hipError_t add_node(hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *after, size_t after_count,
                           const kiln_sim_work_t *work)
{
    if (!out || !graph || (after_count && !after))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    for (size_t i = 0; i < after_count; i++) {
        if (!after[i] || after[i]->graph != graph)
            return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "a dependency is no node of this graph");
    }
    struct kiln_sim_node *node = calloc(1, sizeof *node);
    struct kiln_sim_node **nodes = node ? realloc(graph->nodes, (graph->count + 1) * sizeof *nodes) : NULL;
    if (nodes)
        graph->nodes = nodes;
    if (!nodes || !kiln_sim_work_copy(&node->work, work)) {
        free(node);
        return kiln_sim_hip_fail(nodes ? KILN_SIM_INVALID_VALUE : KILN_SIM_OUT_OF_MEMORY,
                                 nodes ? "the node's parameters are not complete" : NULL);
    }
    node->graph = graph;
    graph->nodes[graph->count++] = node;
    for (size_t i = 0; i < after_count; i++) {
        if (!add_dependency(node, after[i]))
            return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    }
    *out = node;
    return 0;
}

struct kiln_sim_graph *kiln_sim_graph_copy(struct kiln_sim_graph *graph)
{
    struct kiln_sim_graph *made = kiln_sim_graph_new();
    bool good = made;
    for (size_t i = 0; good && i < graph->count; i++)
        good = add_node(&graph->nodes[i]->copy, made, NULL, 0, &graph->nodes[i]->work) == 0;
    for (size_t i = 0; good && i < graph->count; i++) {
        for (size_t k = 0; good && k < graph->nodes[i]->after_count; k++)
            good = add_dependency(graph->nodes[i]->copy, graph->nodes[i]->after[k]->copy);
    }
    if (good)
        return made;
    kiln_sim_graph_free(made);
    return NULL;
}

// The nodes in an order in which each comes behind those that it depends on; NULL where they form a ring.
static struct kiln_sim_node **order(const struct kiln_sim_graph *graph)
{
    struct kiln_sim_node **list = calloc(graph->count + 1, sizeof *list);
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
    struct kiln_sim_node **list = order(graph);
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
    hipError_t error = add_node(&node, capture->graph, &capture->last, capture->last ? 1 : 0, work);
    if (!error)
        capture->last = node;
    pthread_mutex_unlock(&capture_lock);
    return error;
}

hipError_t kiln_sim_capture_join(kiln_sim_capture_t *capture, const kiln_sim_capture_t *other)
{
    if (!capture->graph)
        *capture = (kiln_sim_capture_t){other->graph, NULL};
    if (capture->graph != other->graph)
        return kiln_sim_hip_fail(905, "the event belongs to another capture"); // hipErrorStreamCaptureIsolation
    if (!capture->last || capture->last == other->last) {
        capture->last = other->last;
        return 0;
    }
    const kiln_sim_work_t nothing = {.kind = KILN_SIM_WORK_EMPTY};
    hipError_t error = kiln_sim_capture_work(capture, &nothing);
    if (!error && other->last && !add_dependency(capture->last, other->last))
        error = kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    return error;
}

// ---- entry points: graphs

hipError_t hipGraphCreate(hipGraph_t *graph, unsigned flags)
{
    (void)flags;
    if (!graph)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *graph = kiln_sim_graph_new();
    return *graph ? 0 : kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
}

hipError_t hipGraphDestroy(hipGraph_t graph)
{
    if (!graph)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    kiln_sim_stream_end_captures(graph);
    kiln_sim_graph_free(graph);
    return 0;
}

hipError_t hipGraphClone(hipGraph_t *copy, hipGraph_t graph)
{
    if (!copy || !graph)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *copy = kiln_sim_graph_copy(graph);
    return *copy ? 0 : kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
}

static hipError_t give_nodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count, bool only_roots)
{
    if (!graph || !count)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    size_t room = nodes ? *count : 0, found = 0;
    for (size_t i = 0; i < graph->count; i++) {
        if (only_roots && graph->nodes[i]->after_count)
            continue;
        if (found < room)
            nodes[found] = graph->nodes[i];
        found++;
    }
    for (size_t i = found; i < room; i++)
        nodes[i] = NULL;
    *count = nodes && found > room ? room : found;
    return 0;
}

hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count)
{
    return give_nodes(graph, nodes, count, false);
}

hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count)
{
    return give_nodes(graph, nodes, count, true);
}

hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!graph || !from || !to || !from[i] || !to[i] || from[i]->graph != graph || to[i]->graph != graph)
            return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
        if (!add_dependency(to[i], from[i]))
            return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    }
    return 0;
}

hipError_t hipGraphNodeGetType(hipGraphNode_t node, int *type)
{
    if (!node || !type)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *type = (int)node->work.kind;
    return 0;
}

// ---- entry points: nodes

// Byte layouts of HIP's structures.
struct hip_kernel_node {
    hip_dim3_t block;
    void **extra;
    void *function;
    hip_dim3_t grid;
    void **params;
    unsigned dynamic_lds;
};

struct hip_fill_node {
    void *to;
    unsigned element;
    size_t height, pitch;
    unsigned value;
    size_t width;
};

struct hip_host_node {
    void (*function)(void *);
    void *data;
};

hipError_t hipGraphAddEmptyNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *after, size_t count)
{
    const kiln_sim_work_t work = {.kind = KILN_SIM_WORK_EMPTY};
    return add_node(node, graph, after, count, &work);
}

// The function is a host function that stands for a kernel, or what hipModuleGetFunction gave.
static hipError_t kernel_work(const hip_kernel_node_t *p, kiln_sim_work_t *work)
{
    hipFunction_t function;
    if (!p || !p->function)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (hipGetFuncBySymbol(&function, p->function)) {
        hipGetLastError();
        function = p->function;
    }
    *work = (kiln_sim_work_t){.kind = KILN_SIM_WORK_KERNEL,
                              .kernel = {.struct_size = sizeof(kiln_sim_dispatch_t),
                                         .kernel = function,
                                         .grid = {p->grid.x, p->grid.y, p->grid.z},
                                         .block = {p->block.x, p->block.y, p->block.z},
                                         .dynamic_lds = p->dynamic_lds,
                                         .params = p->params}};
    return kiln_sim_read_extra(p->extra, &work->kernel) ? 0 : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}

hipError_t hipGraphAddKernelNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *after, size_t count,
                                 const hip_kernel_node_t *p)
{
    kiln_sim_work_t work;
    hipError_t error = kernel_work(p, &work);
    return error ? error : add_node(node, graph, after, count, &work);
}

hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hip_kernel_node_t *p)
{
    kiln_sim_work_t work;
    hipError_t error = node ? kernel_work(p, &work) : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    return error ? error : kiln_sim_work_replace(&node->work, &work);
}

hipError_t hipGraphAddMemcpyNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *after, size_t count,
                                 const hip_copy_3d_t *p)
{
    kiln_sim_work_t work = {.kind = KILN_SIM_WORK_COPY};
    return kiln_sim_box_from_3d(p, &work.copy) ? add_node(node, graph, after, count, &work)
                                               : kiln_sim_hip_fail(KILN_SIM_NOT_SUPPORTED, NULL);
}

hipError_t hipDrvGraphAddMemcpyNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *after, size_t count,
                                    const hip_driver_copy_3d_t *p, hipCtx_t context)
{
    (void)context;
    kiln_sim_work_t work = {.kind = KILN_SIM_WORK_COPY};
    return kiln_sim_box_from_driver(p, &work.copy) ? add_node(node, graph, after, count, &work)
                                                   : kiln_sim_hip_fail(KILN_SIM_NOT_SUPPORTED, NULL);
}

hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *after, size_t count,
                                   void *to, const void *from, size_t bytes, int kind)
{
    (void)kind;
    const kiln_sim_work_t work = {.kind = KILN_SIM_WORK_COPY, .copy = {to, from, bytes, 0, bytes, 0, bytes, 1, 1}};
    return add_node(node, graph, after, count, &work);
}

static kiln_sim_work_t fill_work(const hip_fill_node_t *p)
{
    return (kiln_sim_work_t){.kind = KILN_SIM_WORK_FILL,
                             .fill = {p->to, p->pitch, 0, p->width, p->height, 1, p->element, p->value}};
}

hipError_t hipGraphAddMemsetNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *after, size_t count,
                                 const hip_fill_node_t *p)
{
    if (!p || (p->element != 1 && p->element != 2 && p->element != 4))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    const kiln_sim_work_t work = fill_work(p);
    return add_node(node, graph, after, count, &work);
}

hipError_t hipGraphAddHostNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *after, size_t count,
                               const hip_host_node_t *p)
{
    if (!p || !p->function)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    const kiln_sim_work_t work = {.kind = KILN_SIM_WORK_HOST, .host = {p->function, p->data}};
    return add_node(node, graph, after, count, &work);
}

hipError_t hipGraphAddEventRecordNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *after, size_t count,
                                      hipEvent_t event)
{
    const kiln_sim_work_t work = {.kind = KILN_SIM_WORK_EVENT_RECORD, .event = event};
    return event ? add_node(node, graph, after, count, &work) : kiln_sim_hip_fail(HIP_INVALID_HANDLE, NULL);
}

hipError_t hipGraphAddEventWaitNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *after, size_t count,
                                    hipEvent_t event)
{
    const kiln_sim_work_t work = {.kind = KILN_SIM_WORK_EVENT_WAIT, .event = event};
    return event ? add_node(node, graph, after, count, &work) : kiln_sim_hip_fail(HIP_INVALID_HANDLE, NULL);
}

hipError_t hipGraphAddChildGraphNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *after, size_t count,
                                     hipGraph_t child)
{
    const kiln_sim_work_t work = {.kind = KILN_SIM_WORK_GRAPH, .graph = child};
    return child && child != graph ? add_node(node, graph, after, count, &work)
                                   : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}

// ---- entry points: executable graphs

hipError_t hipGraphExecDestroy(hipGraphExec_t exec)
{
    if (!exec)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    for (size_t i = 0; i < exec->count; i++)
        kiln_sim_work_free(&exec->work[i]);
    free(exec->work);
    free(exec->node);
    free(exec);
    return 0;
}

hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *exec, hipGraph_t graph, unsigned long long flags)
{
    (void)flags;
    if (!exec || !graph)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    struct kiln_sim_node **list = order(graph);
    if (!list)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "the graph has a ring");
    struct kiln_sim_graph_exec *made = calloc(1, sizeof *made);
    kiln_sim_work_t *work = calloc(graph->count + 1, sizeof *work);
    if (!made || !work) {
        free(list);
        free(made);
        free(work);
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    }
    *made = (struct kiln_sim_graph_exec){work, list, 0};
    while (made->count < graph->count && kiln_sim_work_copy(&work[made->count], &list[made->count]->work))
        made->count++;
    if (made->count < graph->count) {
        hipGraphExecDestroy(made);
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    }
    *exec = made;
    return 0;
}

hipError_t hipGraphInstantiate(hipGraphExec_t *exec, hipGraph_t graph, hipGraphNode_t *bad, char *log, size_t log_size)
{
    if (bad)
        *bad = NULL;
    if (log && log_size)
        *log = 0;
    return hipGraphInstantiateWithFlags(exec, graph, 0);
}

hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream)
{
    hipError_t error = exec ? 0 : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    for (size_t i = 0; exec && !error && i < exec->count; i++)
        error = kiln_sim_submit(stream, &exec->work[i]);
    return error;
}

hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream)
{
    (void)stream;
    return exec ? 0 : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}

static kiln_sim_work_t *find_work(hipGraphExec_t exec, hipGraphNode_t node)
{
    for (size_t i = 0; exec && node && i < exec->count; i++) {
        if (exec->node[i] == node)
            return &exec->work[i];
    }
    return NULL;
}

static hipError_t replace_in(hipGraphExec_t exec, hipGraphNode_t node, const kiln_sim_work_t *work)
{
    kiln_sim_work_t *old = find_work(exec, node);
    return old ? kiln_sim_work_replace(old, work) : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}

hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hip_kernel_node_t *p)
{
    kiln_sim_work_t work;
    hipError_t error = kernel_work(p, &work);
    return error ? error : replace_in(exec, node, &work);
}

hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node, void *to, const void *from,
                                             size_t bytes, int kind)
{
    (void)kind;
    const kiln_sim_work_t work = {.kind = KILN_SIM_WORK_COPY, .copy = {to, from, bytes, 0, bytes, 0, bytes, 1, 1}};
    return replace_in(exec, node, &work);
}

hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hip_fill_node_t *p)
{
    if (!p)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    const kiln_sim_work_t work = fill_work(p);
    return replace_in(exec, node, &work);
}

// result 0: hipGraphExecUpdateSuccess; 2: the topology changed.
hipError_t hipGraphExecUpdate(hipGraphExec_t exec, hipGraph_t graph, hipGraphNode_t *bad, int *result)
{
    hipGraphExec_t made;
    hipError_t error = exec ? hipGraphInstantiateWithFlags(&made, graph, 0) : kiln_sim_hip_fail(1, NULL);
    if (error)
        return error;
    bool same = made->count == exec->count;
    for (size_t i = 0; same && i < made->count; i++)
        same = made->work[i].kind == exec->work[i].kind;
    if (bad)
        *bad = NULL;
    if (result)
        *result = same ? 0 : 2;
    if (same) {
        struct kiln_sim_graph_exec swap = *exec;
        *exec = *made;
        *made = swap;
    }
    hipGraphExecDestroy(made);
    return same ? 0 : kiln_sim_hip_fail(910, "the graphs differ"); // hipErrorGraphExecUpdateFailure
}
