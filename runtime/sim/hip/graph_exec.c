// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: executable graphs.
//
// What a reader gets wrong: a launch gives a copy of each node's work to the stream, so that what is changed afterwards changes later launches only.
#include <stdlib.h>
#include <string.h>

#include "hip/engine.h"
#include "hip/entry.h"
#include "hip/graph_node.h"
#include "hip/handle.h"

enum { AUTO_FREE = 1, UPLOAD = 2, DEVICE_LAUNCH = 4, USE_NODE_PRIORITY = 8 }; // hipGraphInstantiateFlag*
enum {
    UPDATED,
    UPDATE_ERROR,
    TOPOLOGY_CHANGED,
    TYPE_CHANGED,
    FUNCTION_CHANGED,
    PARAMETERS_CHANGED
}; // hipGraphExecUpdate*

static hipError_t invalid(void)
{
    return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}

static bool is_exec(hipGraphExec_t exec)
{
    return kiln_sim_handle_is(exec, KILN_SIM_HANDLE_EXEC);
}

// A kernel's node may outlive the module.
static bool is_without_module(const struct kiln_sim_node *node)
{
    return node->work.kind == KILN_SIM_WORK_KERNEL && !kiln_sim_module_of(node->work.kernel.kernel);
}

static hipError_t no_module(void)
{
    return kiln_sim_hip_fail(HIP_INVALID_HANDLE, "the function is of no module that is loaded");
}

hipError_t hipGraphExecDestroy(hipGraphExec_t exec)
{
    if (!is_exec(exec))
        return invalid();
    kiln_sim_handle_drop(exec, KILN_SIM_HANDLE_EXEC);
    if (exec->instances) {
        exec->instances->count--;
        kiln_sim_instances_drop(exec->instances);
    }
    kiln_sim_graph_free(exec->graph);
    free(exec->list);
    free(exec->disabled);
    free(exec);
    return 0;
}

hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *exec, hipGraph_t graph, unsigned long long flags)
{
    if (exec && kiln_sim_graph_is(graph) && graph->instances->count && kiln_sim_graph_has_blocks(graph))
        return kiln_sim_hip_fail(KILN_SIM_NOT_SUPPORTED, "a graph that makes memory can be executable once");
    if (!exec || !kiln_sim_graph_is(graph) || (flags & (flags - 1)) || flags > 8)
        return invalid();
    for (size_t i = 0; i < graph->count; i++) {
        if (is_without_module(graph->nodes[i]))
            return no_module();
    }
    struct kiln_sim_graph_exec *made = calloc(1, sizeof *made);
    if (made && !kiln_sim_handle_add(made, KILN_SIM_HANDLE_EXEC)) {
        free(made);
        made = NULL;
    }
    if (made) {
        made->flags = flags;
        made->graph = kiln_sim_graph_copy(graph);
        made->disabled = calloc(graph->count + 1, sizeof(*made->disabled));
        made->list = made->graph ? kiln_sim_graph_order(made->graph) : NULL;
        made->count = graph->count;
    }
    if (!made || !made->graph || !made->disabled) {
        if (made)
            hipGraphExecDestroy(made);
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    }
    if (!made->list) {
        hipGraphExecDestroy(made);
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "the graph has a ring");
    }
    made->instances = graph->instances;
    made->instances->count++;
    made->instances->holders++;
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

hipError_t hipGraphInstantiateWithParams(hipGraphExec_t *exec, hipGraph_t graph, hipGraphInstantiateParams *p)
{
    if (!p)
        return invalid();
    p->bad = NULL;
    hipError_t error = hipGraphInstantiateWithFlags(exec, graph, p->flags);
    p->result = error ? 1 : 0; // hipGraphInstantiateError
    if (!error && p->flags & UPLOAD)
        error = hipGraphUpload(*exec, p->upload);
    return error;
}

hipError_t hipGraphExecGetFlags(hipGraphExec_t exec, unsigned long long *flags)
{
    if (!is_exec(exec) || !flags)
        return invalid();
    *flags = exec->flags;
    return 0;
}

// ---- launching

static hipError_t give_graph(hipStream_t stream, struct kiln_sim_node *const *list, const bool *disabled, size_t count);

static hipError_t give_node(hipStream_t stream, const struct kiln_sim_node *node)
{
    if (node->work.kind == KILN_SIM_WORK_EVENT_RECORD)
        return hipEventRecord(node->work.event, stream);
    if (node->work.kind == KILN_SIM_WORK_EVENT_WAIT)
        return hipStreamWaitEvent(stream, node->work.event, 0);
    if (is_without_module(node))
        return no_module();
    // Host memory that is not pinned is copied while the host waits, as by a call of its own.
    const bool waits = node->work.kind == KILN_SIM_WORK_COPY && !(kiln_sim_place_is_pinned(node->work.copy.to) &&
                                                                  kiln_sim_place_is_pinned(node->work.copy.from));
    if (node->work.kind != KILN_SIM_WORK_GRAPH)
        return waits ? kiln_sim_submit_waiting(stream, &node->work) : kiln_sim_submit(stream, &node->work);
    struct kiln_sim_node **list = kiln_sim_graph_order(node->work.graph);
    hipError_t error = list ? give_graph(stream, list, NULL, node->work.graph->count)
                            : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "a child of the graph has a ring");
    free(list);
    return error;
}

static hipError_t give_graph(hipStream_t stream, struct kiln_sim_node *const *list, const bool *disabled, size_t count)
{
    hipError_t error = 0;
    for (size_t i = 0; !error && i < count; i++) {
        if (!disabled || !disabled[i])
            error = give_node(stream, list[i]);
    }
    return error;
}

hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream)
{
    if (!is_exec(exec))
        return invalid();
    if (!kiln_sim_stream_find(stream))
        return kiln_sim_hip_fail(HIP_CONTEXT_DESTROYED, "there is no such stream");
    hipError_t error = kiln_sim_graph_memory_begin(exec->graph, exec->flags & AUTO_FREE);
    return error ? error : give_graph(stream, exec->list, exec->disabled, exec->count);
}

hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream)
{
    if (!is_exec(exec))
        return invalid();
    return kiln_sim_stream_find(stream) ? 0 : kiln_sim_hip_fail(HIP_CONTEXT_DESTROYED, "there is no such stream");
}

// ---- changing

// The node of the executable graph that was made from one that still lives.
static struct kiln_sim_node *find(hipGraphExec_t exec, hipGraphNode_t node, size_t *index)
{
    const bool lives = is_exec(exec) && kiln_sim_node_is(node);
    for (size_t i = 0; lives && i < exec->count; i++) {
        if (exec->list[i]->original == node) {
            if (index)
                *index = i;
            return exec->list[i];
        }
    }
    return NULL;
}

static hipError_t replace(hipGraphExec_t exec, hipGraphNode_t node, kiln_sim_work_kind_t kind, hipError_t error,
                          const kiln_sim_work_t *work)
{
    struct kiln_sim_node *found = find(exec, node, NULL);
    if (!found || found->work.kind != kind)
        return invalid();
    // A copy keeps its direction.
    if (!error && kind == KILN_SIM_WORK_COPY && found->work.copy_kind != work->copy_kind)
        return invalid();
    return error ? error : kiln_sim_work_replace(&found->work, work);
}

#define CHANGE(kind, describe)                                                                                         \
    kiln_sim_work_t work;                                                                                              \
    return is_exec(exec) && node ? replace(exec, node, kind, describe, &work) : invalid()

hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hip_kernel_node_t *p)
{
    CHANGE(KILN_SIM_WORK_KERNEL, kiln_sim_kernel_work(p, &work));
}

static hipError_t change_3d(hipGraphExec_t exec, hipGraphNode_t node, hip_copy_3d_t *p)
{
    CHANGE(KILN_SIM_WORK_COPY, kiln_sim_copy_work(p, &work));
}

// Here HIP tells a bad pitch as any other bad value.
hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, hip_copy_3d_t *p)
{
    hipError_t error = change_3d(exec, node, p);
    return error == HIP_INVALID_PITCH ? invalid() : error;
}

hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hip_driver_copy_3d_t *p,
                                              hipCtx_t context)
{
    (void)context;
    CHANGE(KILN_SIM_WORK_COPY, kiln_sim_driver_work(p, &work));
}

hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node, void *to, const void *from,
                                             size_t bytes, int kind)
{
    CHANGE(KILN_SIM_WORK_COPY, kiln_sim_bytes_work(to, from, bytes, kind, &work));
}

hipError_t hipGraphExecMemcpyNodeSetParamsToSymbol(hipGraphExec_t exec, hipGraphNode_t node, const void *symbol,
                                                   const void *from, size_t bytes, size_t offset, int kind)
{
    CHANGE(KILN_SIM_WORK_COPY, kiln_sim_symbol_work(NULL, from, symbol, bytes, offset, kind, &work));
}

hipError_t hipGraphExecMemcpyNodeSetParamsFromSymbol(hipGraphExec_t exec, hipGraphNode_t node, void *to,
                                                     const void *symbol, size_t bytes, size_t offset, int kind)
{
    CHANGE(KILN_SIM_WORK_COPY, kiln_sim_symbol_work(to, NULL, symbol, bytes, offset, kind, &work));
}

hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hip_fill_node_t *p)
{
    CHANGE(KILN_SIM_WORK_FILL, kiln_sim_fill_work(p, &work));
}

hipError_t hipDrvGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hip_fill_node_t *p,
                                              hipCtx_t context)
{
    (void)context;
    const hip_fill_node_t fill = p ? kiln_sim_driver_fill(p) : (hip_fill_node_t){0};
    return hipGraphExecMemsetNodeSetParams(exec, node, p ? &fill : NULL);
}

hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hip_host_node_t *p)
{
    CHANGE(KILN_SIM_WORK_HOST, kiln_sim_host_work(p, &work));
}

static hipError_t set_event(hipGraphExec_t exec, hipGraphNode_t node, kiln_sim_work_kind_t kind, hipEvent_t event)
{
    const kiln_sim_work_t work = {.kind = kind, .event = event};
    return event ? replace(exec, node, kind, 0, &work) : invalid();
}

hipError_t hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t exec, hipGraphNode_t node, hipEvent_t event)
{
    return set_event(exec, node, KILN_SIM_WORK_EVENT_RECORD, event);
}

hipError_t hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t exec, hipGraphNode_t node, hipEvent_t event)
{
    return set_event(exec, node, KILN_SIM_WORK_EVENT_WAIT, event);
}

hipError_t hipGraphExecBatchMemOpNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                               const hipBatchMemOpNodeParams *p)
{
    CHANGE(KILN_SIM_WORK_VALUES, kiln_sim_values_work(p, &work));
}

hipError_t hipGraphExecNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, hipGraphNodeParams *p)
{
    const struct kiln_sim_node *found = p ? find(exec, node, NULL) : NULL;
    if (!found || p->type != (int)found->work.kind - 1)
        return invalid();
    switch (found->work.kind) {
    case KILN_SIM_WORK_KERNEL:
        return hipGraphExecKernelNodeSetParams(exec, node, &p->is.kernel);
    case KILN_SIM_WORK_COPY:
        return hipGraphExecMemcpyNodeSetParams(exec, node, &p->is.copy.copy);
    case KILN_SIM_WORK_FILL:
        return hipGraphExecMemsetNodeSetParams(exec, node, &p->is.fill);
    case KILN_SIM_WORK_HOST:
        return hipGraphExecHostNodeSetParams(exec, node, &p->is.host);
    case KILN_SIM_WORK_GRAPH:
        return hipGraphExecChildGraphNodeSetParams(exec, node, p->is.graph);
    case KILN_SIM_WORK_EVENT_RECORD:
    case KILN_SIM_WORK_EVENT_WAIT:
        return set_event(exec, node, found->work.kind, p->is.event);
    default:
        return invalid();
    }
}

// ---- switching nodes off

static bool may_be_off(const struct kiln_sim_node *node)
{
    return node->work.kind == KILN_SIM_WORK_KERNEL || node->work.kind == KILN_SIM_WORK_COPY ||
           node->work.kind == KILN_SIM_WORK_FILL;
}

hipError_t hipGraphNodeSetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned enabled)
{
    size_t index;
    const struct kiln_sim_node *found = find(exec, node, &index);
    if (!found || !may_be_off(found))
        return invalid();
    exec->disabled[index] = !enabled;
    return 0;
}

hipError_t hipGraphNodeGetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned *enabled)
{
    size_t index;
    const struct kiln_sim_node *found = find(exec, node, &index);
    if (!found || !may_be_off(found) || !enabled)
        return invalid();
    *enabled = !exec->disabled[index];
    return 0;
}

// ---- the same graph with other parameters

static size_t place_of(const struct kiln_sim_graph *graph, const struct kiln_sim_node *node)
{
    size_t at = 0;
    while (at < graph->count && graph->nodes[at] != node)
        at++;
    return at;
}

// How a graph differs from one that it may stand for: nodes pair up by the order in which they were made. *bad is the node of `next`.
static int compare(const struct kiln_sim_graph *old, const struct kiln_sim_graph *next, hipGraphNode_t *bad)
{
    if (old->count != next->count)
        return TOPOLOGY_CHANGED;
    for (size_t i = 0; i < old->count; i++) {
        const struct kiln_sim_node *a = old->nodes[i], *b = next->nodes[i];
        *bad = next->nodes[i];
        if (a->work.kind != b->work.kind)
            return TYPE_CHANGED;
        if (a->after_count != b->after_count)
            return TOPOLOGY_CHANGED;
        for (size_t k = 0; k < a->after_count; k++) {
            bool found = false;
            for (size_t j = 0; !found && j < b->after_count; j++)
                found = place_of(old, a->after[k]) == place_of(next, b->after[j]);
            if (!found)
                return TOPOLOGY_CHANGED;
        }
        if (a->work.kind == KILN_SIM_WORK_GRAPH) {
            hipGraphNode_t inner;
            const int child = compare(a->work.graph, b->work.graph, &inner);
            if (child)
                return child;
        }
        if (a->work.kind == KILN_SIM_WORK_COPY && a->work.copy_kind != b->work.copy_kind)
            return PARAMETERS_CHANGED;
    }
    *bad = NULL;
    return UPDATED;
}

static hipError_t take_over(struct kiln_sim_graph *to, const struct kiln_sim_graph *from)
{
    hipError_t error = 0;
    for (size_t i = 0; !error && i < to->count; i++)
        error = kiln_sim_work_replace(&to->nodes[i]->work, &from->nodes[i]->work);
    return error;
}

hipError_t hipGraphExecUpdate(hipGraphExec_t exec, hipGraph_t graph, hipGraphNode_t *bad,
                              hipGraphExecUpdateResult *result)
{
    hipGraphNode_t node = NULL;
    if (!is_exec(exec) || !kiln_sim_graph_is(graph) || !bad || !result)
        return invalid();
    *result = compare(exec->graph, graph, &node);
    *bad = node;
    if (*result)
        return kiln_sim_hip_fail(910, "the graphs differ"); // hipErrorGraphExecUpdateFailure
    return take_over(exec->graph, graph);
}

hipError_t hipGraphExecChildGraphNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, hipGraph_t child)
{
    struct kiln_sim_node *found = find(exec, node, NULL);
    hipGraphNode_t bad;
    if (!found || found->work.kind != KILN_SIM_WORK_GRAPH || !kiln_sim_graph_is(child))
        return invalid();
    return compare(found->work.graph, child, &bad) == UPDATED
               ? take_over(found->work.graph, child)
               : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "the graphs differ");
}
