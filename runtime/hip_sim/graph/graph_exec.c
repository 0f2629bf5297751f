// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: executable graphs.
//
// A launch enqueues a copy of each node's work, so later changes of a node affect only later
// launches.
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "hip_sim/device/handle.h"
#include "hip_sim/entry.h"
#include "hip_sim/graph/graph_node.h"
#include "hip_sim/stream/activity.h"
#include "hip_sim/stream/engine.h"
#include "hip_sim/stream/event.h"

enum {
    AUTO_FREE = 1,
    UPLOAD = 2,
    DEVICE_LAUNCH = 4,
    USE_NODE_PRIORITY = 8
}; // hipGraphInstantiateFlag*
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

// Whether the node launches a kernel whose module was unloaded.
static bool is_without_module(const struct kiln_sim_node *node)
{
    return node->work.kind == KILN_SIM_WORK_KERNEL && !kiln_sim_module_of(node->work.kernel.kernel);
}

static hipError_t no_module(void)
{
    return kiln_sim_hip_fail(HIP_INVALID_HANDLE, "the function belongs to no loaded module");
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

// Whether all kernels have modules, and all child graphs can be ordered.
static hipError_t check_nodes(const struct kiln_sim_graph *graph)
{
    hipError_t error = 0;
    for (size_t i = 0; !error && i < graph->count; i++) {
        struct kiln_sim_node **list;
        const kiln_sim_work_t *work = &graph->nodes[i]->work;
        if (is_without_module(graph->nodes[i]))
            return no_module();
        if (work->kind != KILN_SIM_WORK_GRAPH)
            continue;
        error = kiln_sim_graph_order(work->graph, &list);
        free(list);
        error = error ? error : check_nodes(work->graph);
    }
    return error;
}

hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *exec, hipGraph_t graph,
                                        unsigned long long flags)
{
    if (exec && kiln_sim_graph_is(graph) && graph->instances->count &&
        kiln_sim_graph_has_blocks(graph))
        return kiln_sim_hip_fail(KILN_SIM_NOT_SUPPORTED,
                                 "a graph that allocates memory can be instantiated only once");
    if (!exec || !kiln_sim_graph_is(graph) || (flags & (flags - 1)) || flags > 8)
        return invalid();
    struct kiln_sim_graph_exec *made = calloc(1, sizeof *made);
    if (made && !kiln_sim_handle_add(made, KILN_SIM_HANDLE_EXEC)) {
        free(made);
        made = NULL;
    }
    if (!made)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    made->flags = flags;
    made->graph = kiln_sim_graph_copy(graph);
    made->disabled = calloc(graph->count + 1, sizeof(*made->disabled));
    made->count = graph->count;
    hipError_t error = made->graph && made->disabled
                           ? kiln_sim_graph_order(made->graph, &made->list)
                           : kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    error = error ? error : check_nodes(made->graph);
    if (error) {
        hipGraphExecDestroy(made);
        return error;
    }
    made->instances = graph->instances;
    made->instances->count++;
    made->instances->holders++;
    *exec = made;
    return 0;
}

hipError_t hipGraphInstantiate(hipGraphExec_t *exec, hipGraph_t graph, hipGraphNode_t *bad,
                               char *log, size_t log_size)
{
    if (bad)
        *bad = NULL;
    if (log && log_size)
        *log = 0;
    return hipGraphInstantiateWithFlags(exec, graph, 0);
}

hipError_t hipGraphInstantiateWithParams(hipGraphExec_t *exec, hipGraph_t graph,
                                         hipGraphInstantiateParams *p)
{
    if (!p)
        return invalid();
    p->bad = NULL;
    hipError_t error = hipGraphInstantiateWithFlags(exec, graph, p->flags);
    p->result = error ? 1 : 0; // hipGraphInstantiateError
    if (!error && p->flags & UPLOAD && (error = hipGraphUpload(*exec, p->upload))) {
        hipGraphExecDestroy(*exec);
        p->result = 1;
    }
    return error;
}

hipError_t hipGraphExecGetFlags(hipGraphExec_t exec, unsigned long long *flags)
{
    if (!is_exec(exec) || !flags)
        return invalid();
    *flags = exec->flags;
    return 0;
}

// ---- launching: all operations are prepared before the first is committed, so that a launch with
// a known error does nothing

typedef struct staged {
    const struct kiln_sim_node *node; // NULL: the end, which releases objects
    kiln_sim_operation_t *operation;
} staged_t;

typedef struct stage {
    hipStream_t stream;
    staged_t *all;
    size_t count, capacity;
} stage_t;

// A copy of host memory that is not pinned waits, like the corresponding call.
static kiln_sim_wait_t wait_of(const struct kiln_sim_node *node)
{
    return node->work.kind == KILN_SIM_WORK_COPY &&
                   !(kiln_sim_place_is_pinned(node->work.copy.to) &&
                     kiln_sim_place_is_pinned(node->work.copy.from))
               ? KILN_SIM_WAITED
               : KILN_SIM_QUEUED;
}

static hipError_t prepare_work(hipStream_t handle, const struct kiln_sim_node *node,
                               kiln_sim_operation_t **made)
{
    const kiln_sim_wait_t wait = wait_of(node);
    if (wait == KILN_SIM_WAITED) {
        const struct kiln_sim_hip_stream *stream = kiln_sim_stream_find(handle);
        kiln_sim_error_t wrong = {0};
        if (stream && !kiln_sim_work_check(stream->device, &node->work, &wrong))
            return kiln_sim_hip_error(&wrong);
        hipError_t error = stream ? kiln_sim_engine_may_wait(stream) : 0;
        if (error)
            return error;
    }
    return kiln_sim_engine_prepare(handle, &node->work, wait, made);
}

static hipError_t stage_graph(stage_t *stage, struct kiln_sim_node *const *list,
                              const bool *disabled, size_t count);

static bool make_room(stage_t *stage)
{
    return KILN_ARRAY_RESERVE(&stage->all, &stage->capacity, stage->count + 1);
}

static hipError_t stage_operation(stage_t *stage, const struct kiln_sim_node *node,
                                  kiln_sim_operation_t *made)
{
    stage->all[stage->count++] = (staged_t){node, made};
    return kiln_sim_engine_reserve(made) ? 0 : kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
}

static hipError_t stage_end(stage_t *stage, const struct kiln_sim_graph *graph)
{
    kiln_sim_work_t work;
    kiln_sim_operation_t *made;
    if (!make_room(stage))
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    hipError_t error = kiln_sim_graph_objects_work(graph, &work);
    if (error || work.kind == KILN_SIM_WORK_EMPTY)
        return error;
    error = kiln_sim_engine_prepare(stage->stream, &work, KILN_SIM_QUEUED, &made);
    if (error)
        work.call.drop(work.call.data);
    return error ? error : stage_operation(stage, NULL, made);
}

static hipError_t stage_node(stage_t *stage, const struct kiln_sim_node *node)
{
    if (node->work.kind == KILN_SIM_WORK_GRAPH) {
        struct kiln_sim_node **list;
        hipError_t error = kiln_sim_graph_order(node->work.graph, &list);
        error = error ? error : stage_graph(stage, list, NULL, node->work.graph->count);
        free(list);
        return error;
    }
    if (is_without_module(node))
        return no_module();
    if (!make_room(stage))
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    kiln_sim_operation_t *made;
    hipError_t error = node->work.kind == KILN_SIM_WORK_EVENT_RECORD
                           ? kiln_sim_event_prepare(node->work.event, stage->stream,
                                                    KILN_SIM_EVENT_RECORDED, &made)
                       : node->work.kind == KILN_SIM_WORK_EVENT_WAIT
                           ? kiln_sim_event_prepare(node->work.event, stage->stream,
                                                    KILN_SIM_EVENT_WAITED_FOR, &made)
                           : prepare_work(stage->stream, node, &made);
    return error ? error : stage_operation(stage, node, made);
}

static hipError_t stage_graph(stage_t *stage, struct kiln_sim_node *const *list,
                              const bool *disabled, size_t count)
{
    hipError_t error = 0;
    for (size_t i = 0; !error && i < count; i++) {
        if (!disabled || !disabled[i])
            error = stage_node(stage, list[i]);
    }
    return error;
}

static hipError_t commit(staged_t *staged)
{
    static const kiln_sim_work_t none = {.kind = KILN_SIM_WORK_EMPTY};
    const kiln_sim_work_t *work = staged->node ? &staged->node->work : &none;
    const kiln_sim_work_kind_t kind = work->kind;
    const void *freed = kind == KILN_SIM_WORK_FREE ? work->freed : NULL;
    const void *made = kind == KILN_SIM_WORK_ALLOCATE ? work->allocate.pointer : NULL;
    kiln_sim_operation_t *operation = staged->operation;
    staged->operation = NULL;
    hipError_t error =
        kind == KILN_SIM_WORK_EVENT_RECORD
            ? kiln_sim_event_commit(work->event, KILN_SIM_EVENT_RECORDED, operation)
        : kind == KILN_SIM_WORK_EVENT_WAIT
            ? kiln_sim_event_commit(work->event, KILN_SIM_EVENT_WAITED_FOR, operation)
            : kiln_sim_engine_commit(operation, NULL, 0, NULL);
    if (!error && made)
        kiln_sim_graph_memory_set_live(made);
    if (!error && freed)
        kiln_sim_graph_memory_clear_live(freed);
    return error;
}

// Commits all operations. Some errors are only detected here. In that case the operations that free
// memory of this launch are still committed.
static hipError_t commit_all(stage_t *stage)
{
    hipError_t error = 0;
    for (size_t i = 0; i < stage->count; i++) {
        staged_t *staged = &stage->all[i];
        if (!error)
            error = commit(staged);
        else if (!staged->node || (staged->node->work.kind == KILN_SIM_WORK_FREE &&
                                   kiln_sim_graph_memory_is_live(staged->node->work.freed)))
            commit(staged);
    }
    return error;
}

static hipError_t launch(hipGraphExec_t exec, hipStream_t stream)
{
    stage_t stage = {.stream = stream};
    hipError_t error = kiln_sim_graph_memory_check(exec->graph, exec->flags & AUTO_FREE);
    kiln_sim_activity_graph = kiln_sim_activity_next_graph();
    error = error ? error : stage_graph(&stage, exec->list, exec->disabled, exec->count);
    error = error ? error : stage_end(&stage, exec->graph);
    kiln_sim_activity_graph = 0;
    error = error ? error : commit_all(&stage);
    for (size_t i = 0; i < stage.count; i++)
        kiln_sim_operation_release(stage.all[i].operation);
    free(stage.all);
    return error;
}

// Adds the work of nodes to the graph of a captured stream.
static hipError_t capture_node(hipStream_t stream, const struct kiln_sim_node *node);

static hipError_t capture_list(hipStream_t stream, struct kiln_sim_node *const *list,
                               const bool *disabled, size_t count)
{
    hipError_t error = 0;
    for (size_t i = 0; !error && i < count; i++) {
        if (!disabled || !disabled[i])
            error = capture_node(stream, list[i]);
    }
    return error;
}

static hipError_t capture_node(hipStream_t stream, const struct kiln_sim_node *node)
{
    if (is_without_module(node))
        return no_module();
    if (node->work.kind != KILN_SIM_WORK_GRAPH) // including events, which are recorded and waited
                                                // for when that graph is launched
        return kiln_sim_submit(stream, &node->work);
    struct kiln_sim_node **list;
    hipError_t error = kiln_sim_graph_order(node->work.graph, &list);
    error = error ? error : capture_list(stream, list, NULL, node->work.graph->count);
    free(list);
    return error;
}

static hipError_t capture_launch(hipGraphExec_t exec, hipStream_t stream,
                                 kiln_sim_capture_t *capture)
{
    kiln_sim_capture_mark_t mark;
    if (!kiln_sim_capture_mark(capture, &mark))
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    hipError_t error = capture_list(stream, exec->list, exec->disabled, exec->count);
    if (error)
        kiln_sim_capture_return(capture, &mark);
    else
        free(mark.last);
    return error;
}

hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream)
{
    KILN_SIM_CALL();
    if (!is_exec(exec))
        return invalid();
    if (!kiln_sim_stream_find(stream))
        return kiln_sim_hip_fail(HIP_CONTEXT_DESTROYED, "invalid stream");
    kiln_sim_capture_t *capture = kiln_sim_stream_capture(stream);
    return capture ? capture_launch(exec, stream, capture) : launch(exec, stream);
}

hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream)
{
    if (!is_exec(exec))
        return invalid();
    return kiln_sim_stream_find(stream)
               ? 0
               : kiln_sim_hip_fail(HIP_CONTEXT_DESTROYED, "invalid stream");
}

// ---- changing nodes

// The node of the executable graph that was copied from an existing node.
static struct kiln_sim_node *find(hipGraphExec_t exec, hipGraphNode_t node, size_t *index)
{
    const bool lives = is_exec(exec) && kiln_sim_node_is(node);
    for (size_t i = 0; lives && i < exec->count; i++) {
        if (exec->list[i]->original == node->number) {
            if (index)
                *index = i;
            return exec->list[i];
        }
    }
    return NULL;
}

static hipError_t replace(hipGraphExec_t exec, hipGraphNode_t node, kiln_sim_work_kind_t kind,
                          hipError_t error, const kiln_sim_work_t *work)
{
    struct kiln_sim_node *found = find(exec, node, NULL);
    if (!found || found->work.kind != kind)
        return invalid();
    // The direction of a copy cannot change.
    if (!error && kind == KILN_SIM_WORK_COPY && found->work.copy_kind != work->copy_kind)
        return invalid();
    return error ? error : kiln_sim_work_replace(&found->work, work);
}

#define CHANGE(kind, describe)                                                                     \
    kiln_sim_work_t work;                                                                          \
    return is_exec(exec) && node ? replace(exec, node, kind, describe, &work) : invalid()

hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           const hip_kernel_node_t *p)
{
    CHANGE(KILN_SIM_WORK_KERNEL, kiln_sim_kernel_work(p, &work));
}

static hipError_t change_3d(hipGraphExec_t exec, hipGraphNode_t node, hip_copy_3d_t *p)
{
    CHANGE(KILN_SIM_WORK_COPY, kiln_sim_copy_work(p, &work));
}

// HIP returns the generic error for a bad pitch here.
hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           hip_copy_3d_t *p)
{
    hipError_t error = change_3d(exec, node, p);
    return error == HIP_INVALID_PITCH ? invalid() : error;
}

hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                              const hip_driver_copy_3d_t *p, hipCtx_t context)
{
    (void)context;
    CHANGE(KILN_SIM_WORK_COPY, kiln_sim_driver_work(p, &work));
}

hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node, void *to,
                                             const void *from, size_t bytes, int kind)
{
    CHANGE(KILN_SIM_WORK_COPY, kiln_sim_bytes_work(to, from, bytes, kind, &work));
}

hipError_t hipGraphExecMemcpyNodeSetParamsToSymbol(hipGraphExec_t exec, hipGraphNode_t node,
                                                   const void *symbol, const void *from,
                                                   size_t bytes, size_t offset, int kind)
{
    CHANGE(KILN_SIM_WORK_COPY,
           kiln_sim_symbol_work(NULL, from, symbol, bytes, offset, kind, &work));
}

hipError_t hipGraphExecMemcpyNodeSetParamsFromSymbol(hipGraphExec_t exec, hipGraphNode_t node,
                                                     void *to, const void *symbol, size_t bytes,
                                                     size_t offset, int kind)
{
    CHANGE(KILN_SIM_WORK_COPY, kiln_sim_symbol_work(to, NULL, symbol, bytes, offset, kind, &work));
}

hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           const hip_fill_node_t *p)
{
    CHANGE(KILN_SIM_WORK_FILL, kiln_sim_fill_work(p, &work));
}

hipError_t hipDrvGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                              const hip_fill_node_t *p, hipCtx_t context)
{
    (void)context;
    const hip_fill_node_t fill = p ? kiln_sim_driver_fill(p) : (hip_fill_node_t){0};
    return hipGraphExecMemsetNodeSetParams(exec, node, p ? &fill : NULL);
}

hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                         const hip_host_node_t *p)
{
    CHANGE(KILN_SIM_WORK_HOST, kiln_sim_host_work(p, &work));
}

static hipError_t set_event(hipGraphExec_t exec, hipGraphNode_t node, kiln_sim_work_kind_t kind,
                            hipEvent_t event)
{
    const kiln_sim_work_t work = {.kind = kind, .event = event};
    return event ? replace(exec, node, kind, 0, &work) : invalid();
}

hipError_t hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t exec, hipGraphNode_t node,
                                               hipEvent_t event)
{
    return set_event(exec, node, KILN_SIM_WORK_EVENT_RECORD, event);
}

hipError_t hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t exec, hipGraphNode_t node,
                                             hipEvent_t event)
{
    return set_event(exec, node, KILN_SIM_WORK_EVENT_WAIT, event);
}

hipError_t hipGraphExecBatchMemOpNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                               const hipBatchMemOpNodeParams *p)
{
    CHANGE(KILN_SIM_WORK_VALUES, kiln_sim_values_work(p, &work));
}

hipError_t hipGraphExecNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                     hipGraphNodeParams *p)
{
    const struct kiln_sim_node *found = p ? find(exec, node, NULL) : NULL;
    if (!found || p->type != (int)found->work.kind - 1)
        return invalid();
    switch (found->work.kind) {
    case KILN_SIM_WORK_KERNEL:
        return hipGraphExecKernelNodeSetParams(exec, node, &p->u.kernel);
    case KILN_SIM_WORK_COPY:
        return hipGraphExecMemcpyNodeSetParams(exec, node, &p->u.copy.copy);
    case KILN_SIM_WORK_FILL:
        return hipGraphExecMemsetNodeSetParams(exec, node, &p->u.fill);
    case KILN_SIM_WORK_HOST:
        return hipGraphExecHostNodeSetParams(exec, node, &p->u.host);
    case KILN_SIM_WORK_GRAPH:
        return hipGraphExecChildGraphNodeSetParams(exec, node, p->u.graph);
    case KILN_SIM_WORK_EVENT_RECORD:
    case KILN_SIM_WORK_EVENT_WAIT:
        return set_event(exec, node, found->work.kind, p->u.event);
    default:
        return invalid();
    }
}

// ---- disabling nodes

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

// ---- updates with the parameters of another graph

static size_t place_of(const struct kiln_sim_graph *graph, const struct kiln_sim_node *node)
{
    size_t at = 0;
    while (at < graph->count && graph->nodes[at] != node)
        at++;
    return at;
}

// Compares a graph with an update: nodes are paired by the order in which they were added. *bad is
// the differing node of `next`.
static int compare(const struct kiln_sim_graph *old, const struct kiln_sim_graph *next,
                   hipGraphNode_t *bad)
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
    // All are copied before any is replaced.
    kiln_sim_work_t *made = calloc(to->count + 1, sizeof *made);
    kiln_sim_error_t error = {0};
    size_t count = 0;
    if (!made)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    while (count < to->count && kiln_sim_work_copy(&made[count], &from->nodes[count]->work, &error))
        count++;
    const bool good = count == to->count;
    for (size_t i = 0; i < count; i++) {
        kiln_sim_work_free(good ? &to->nodes[i]->work : &made[i]);
        if (good)
            to->nodes[i]->work = made[i];
    }
    free(made);
    return good ? 0 : kiln_sim_hip_error(&error);
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

hipError_t hipGraphExecChildGraphNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                               hipGraph_t child)
{
    struct kiln_sim_node *found = find(exec, node, NULL);
    hipGraphNode_t bad;
    if (!found || found->work.kind != KILN_SIM_WORK_GRAPH || !kiln_sim_graph_is(child))
        return invalid();
    return compare(found->work.graph, child, &bad) == UPDATED
               ? take_over(found->work.graph, child)
               : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "the graphs differ");
}
