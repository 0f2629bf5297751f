// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: nodes of graphs: creation, queries and changes.
//
// The node of a kernel is created from either a host function that represents the kernel or a
// result of hipModuleGetFunction; the work records which of the two.
#include <stdlib.h>
#include <string.h>

#include "hip_sim/entry.h"
#include "hip_sim/graph/graph_node.h"

static hipError_t invalid(void)
{
    return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}

// ---- work described by HIP's structs

hipError_t kiln_sim_kernel_work(const hip_kernel_node_t *p, kiln_sim_work_t *work)
{
    hipFunction_t function;
    if (!p || !p->function)
        return p ? kiln_sim_hip_fail(98, "a kernel node needs a function") : invalid();
    if (!p->params && !p->extra)
        return invalid();
    if (kiln_sim_is_function(p->function))
        function = p->function;
    else if (hipGetFuncBySymbol(&function, p->function))
        return kiln_sim_hip_fail(98, "not a kernel"); // hipErrorInvalidDeviceFunction
    *work = (kiln_sim_work_t){.kind = KILN_SIM_WORK_KERNEL,
                              .named = p->function,
                              .kernel = {.struct_size = sizeof(kiln_sim_dispatch_t),
                                         .kernel = function,
                                         .grid = {p->grid.x, p->grid.y, p->grid.z},
                                         .block = {p->block.x, p->block.y, p->block.z},
                                         .dynamic_lds = p->dynamic_lds,
                                         .params = p->params}};
    if (!kiln_sim_read_extra(p->extra, &work->kernel))
        return invalid();
    kiln_sim_error_t error = {0};
    return kiln_sim_work_check(kiln_sim_device(), work, &error) ? 0 : kiln_sim_hip_error(&error);
}

hipError_t kiln_sim_fill_work(const hip_fill_node_t *p, kiln_sim_work_t *work)
{
    if (!p || !p->to || !p->width || !p->height ||
        (p->element != 1 && p->element != 2 && p->element != 4) ||
        (p->height > 1 && p->pitch < p->width * p->element))
        return invalid();
    *work = (kiln_sim_work_t){.kind = KILN_SIM_WORK_FILL,
                              .fill = {p->to, p->pitch, 0, p->width, p->height, 1, p->element,
                                       p->value, "hipGraphLaunch"}};
    kiln_sim_error_t error = {0};
    return kiln_sim_work_check(kiln_sim_device(), work, &error) ? 0 : kiln_sim_hip_error(&error);
}

hip_fill_node_t kiln_sim_driver_fill(const hip_fill_node_t *p)
{
    hip_driver_fill_node_t old;
    if (kiln_sim_hip_major() >= 7)
        return *p;
    memcpy(&old, p, sizeof old);
    return (hip_fill_node_t){old.to, old.element, old.height, old.pitch, old.value, old.width};
}

static hipError_t check_copy(kiln_sim_work_t *work)
{
    kiln_sim_error_t error = {0};
    return kiln_sim_work_check(kiln_sim_device(), work, &error) ? 0 : kiln_sim_hip_error(&error);
}

hipError_t kiln_sim_copy_work(const hip_copy_3d_t *p, kiln_sim_work_t *work)
{
    *work = (kiln_sim_work_t){.kind = KILN_SIM_WORK_COPY, .copy_kind = p ? p->kind : 0};
    if (!p)
        return invalid();
    if (p->from_array || p->to_array)
        return kiln_sim_hip_fail(KILN_SIM_NOT_SUPPORTED, "the simulator does not support arrays");
    hipError_t error = kiln_sim_copy_3d_check(p);
    return error ? error : kiln_sim_box_from_3d(p, &work->copy) ? check_copy(work) : invalid();
}

hipError_t kiln_sim_driver_work(const hip_driver_copy_3d_t *p, kiln_sim_work_t *work)
{
    *work = (kiln_sim_work_t){.kind = KILN_SIM_WORK_COPY, .copy_kind = 4};
    if (!p)
        return invalid();
    hipError_t error = kiln_sim_copy_driver_check(p);
    if (error)
        return error;
    return kiln_sim_box_from_driver(p, &work->copy)
               ? check_copy(work)
               : kiln_sim_hip_fail(KILN_SIM_NOT_SUPPORTED, "the simulator does not support arrays");
}

hipError_t kiln_sim_bytes_work(void *to, const void *from, size_t bytes, int kind,
                               kiln_sim_work_t *work)
{
    *work =
        (kiln_sim_work_t){.kind = KILN_SIM_WORK_COPY,
                          .copy_kind = kind,
                          .copy = {to, from, bytes, 0, bytes, 0, bytes, 1, 1, "hipGraphLaunch"}};
    if (!to || !from || !bytes ||
        (to<from ? (const char *)to + bytes > (const char *)from : (const char *)from + bytes>(
            const char *) to))
        return invalid(); // source and destination overlap
    hipError_t error = kiln_sim_copy_kind_check(to, from, kind);
    return error ? error : check_copy(work);
}

hipError_t kiln_sim_symbol_work(void *to, const void *from, const void *symbol, size_t bytes,
                                size_t offset, int kind, kiln_sim_work_t *work)
{
    void *address;
    size_t size;
    if (!symbol)
        return kiln_sim_hip_fail(HIP_INVALID_SYMBOL, NULL);
    hipError_t error = hipGetSymbolAddress(&address, symbol);
    if (!error)
        error = hipGetSymbolSize(&size, symbol);
    if (error)
        return error;
    if (offset > size || bytes > size - offset || (!to && !from))
        return invalid();
    if (kind == (to ? 1 : 2) || kind == 0 || kind < 0 || kind > 4)
        return kiln_sim_hip_fail(HIP_INVALID_DIRECTION, NULL);
    char *place = (char *)address + offset;
    const void *other = to ? to : from;
    const kiln_sim_allocation_t *in;
    if (kiln_sim_is_variable(other)) // the host's shadow of a variable is not valid memory
        return invalid();
    if (kind == 3 /* from device to device */ && !kiln_sim_device_of(other, &in))
        return invalid();
    return kiln_sim_bytes_work(to ? to : place, to ? place : from, bytes, kind, work);
}

hipError_t kiln_sim_host_work(const hip_host_node_t *p, kiln_sim_work_t *work)
{
    if (!p || !p->function)
        return invalid();
    *work = (kiln_sim_work_t){.kind = KILN_SIM_WORK_HOST, .host = {p->function, p->data}};
    return 0;
}

static hipError_t event_work(kiln_sim_work_kind_t kind, hipEvent_t event, kiln_sim_work_t *work)
{
    *work = (kiln_sim_work_t){.kind = kind, .event = event};
    return event ? 0 : invalid();
}

hipError_t kiln_sim_values_work(const hipBatchMemOpNodeParams *p, kiln_sim_work_t *work)
{
    if (!p)
        return invalid();
    *work = (kiln_sim_work_t){.kind = KILN_SIM_WORK_VALUES, .values = {p->all, p->count, p->flags}};
    return kiln_sim_values_check(p->all, p->count);
}

// ---- adding

hipError_t hipGraphAddEmptyNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *after,
                                size_t count)
{
    const kiln_sim_work_t work = {.kind = KILN_SIM_WORK_EMPTY};
    return kiln_sim_graph_add(node, graph, after, count, &work);
}

// Invalid graphs and dependencies are reported before invalid parameters.
#define ADD(describe)                                                                              \
    kiln_sim_work_t work;                                                                          \
    if (!node || !kiln_sim_graph_is(graph) || (count && !after))                                   \
        return invalid();                                                                          \
    hipError_t error = describe;                                                                   \
    return error ? error : kiln_sim_graph_add(node, graph, after, count, &work)

hipError_t hipGraphAddKernelNode(hipGraphNode_t *node, hipGraph_t graph,
                                 const hipGraphNode_t *after, size_t count,
                                 const hip_kernel_node_t *p)
{
    ADD(kiln_sim_kernel_work(p, &work));
}

static hipError_t add_3d(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *after,
                         size_t count, const hip_copy_3d_t *p)
{
    ADD(kiln_sim_copy_work(p, &work));
}

hipError_t hipGraphAddMemcpyNode(hipGraphNode_t *node, hipGraph_t graph,
                                 const hipGraphNode_t *after, size_t count, const hip_copy_3d_t *p)
{
    hipError_t error = add_3d(node, graph, after, count, p);
    if (error)
        return error;
    (*node)->has_given = GIVEN_3D;
    (*node)->given.copy = *p;
    return 0;
}

static hipError_t add_driver(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *after,
                             size_t count, const hip_driver_copy_3d_t *p)
{
    ADD(kiln_sim_driver_work(p, &work));
}

hipError_t hipDrvGraphAddMemcpyNode(hipGraphNode_t *node, hipGraph_t graph,
                                    const hipGraphNode_t *after, size_t count,
                                    const hip_driver_copy_3d_t *p, hipCtx_t context)
{
    (void)context;
    hipError_t error = add_driver(node, graph, after, count, p);
    if (error)
        return error;
    (*node)->has_given = GIVEN_DRIVER;
    (*node)->given.driver = *p;
    return 0;
}

hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t *node, hipGraph_t graph,
                                   const hipGraphNode_t *after, size_t count, void *to,
                                   const void *from, size_t bytes, int kind)
{
    ADD(kiln_sim_bytes_work(to, from, bytes, kind, &work));
}

hipError_t hipGraphAddMemcpyNodeToSymbol(hipGraphNode_t *node, hipGraph_t graph,
                                         const hipGraphNode_t *after, size_t count,
                                         const void *symbol, const void *from, size_t bytes,
                                         size_t offset, int kind)
{
    ADD(kiln_sim_symbol_work(NULL, from, symbol, bytes, offset, kind, &work));
}

hipError_t hipGraphAddMemcpyNodeFromSymbol(hipGraphNode_t *node, hipGraph_t graph,
                                           const hipGraphNode_t *after, size_t count, void *to,
                                           const void *symbol, size_t bytes, size_t offset,
                                           int kind)
{
    ADD(kiln_sim_symbol_work(to, NULL, symbol, bytes, offset, kind, &work));
}

hipError_t hipGraphAddMemsetNode(hipGraphNode_t *node, hipGraph_t graph,
                                 const hipGraphNode_t *after, size_t count,
                                 const hip_fill_node_t *p)
{
    ADD(kiln_sim_fill_work(p, &work));
}

hipError_t hipDrvGraphAddMemsetNode(hipGraphNode_t *node, hipGraph_t graph,
                                    const hipGraphNode_t *after, size_t count,
                                    const hip_fill_node_t *p, hipCtx_t context)
{
    (void)context;
    const hip_fill_node_t fill = p ? kiln_sim_driver_fill(p) : (hip_fill_node_t){0};
    return hipGraphAddMemsetNode(node, graph, after, count, p ? &fill : NULL);
}

hipError_t hipGraphAddHostNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *after,
                               size_t count, const hip_host_node_t *p)
{
    ADD(kiln_sim_host_work(p, &work));
}

hipError_t hipGraphAddEventRecordNode(hipGraphNode_t *node, hipGraph_t graph,
                                      const hipGraphNode_t *after, size_t count, hipEvent_t event)
{
    ADD(event_work(KILN_SIM_WORK_EVENT_RECORD, event, &work));
}

hipError_t hipGraphAddEventWaitNode(hipGraphNode_t *node, hipGraph_t graph,
                                    const hipGraphNode_t *after, size_t count, hipEvent_t event)
{
    ADD(event_work(KILN_SIM_WORK_EVENT_WAIT, event, &work));
}

hipError_t hipGraphAddBatchMemOpNode(hipGraphNode_t *node, hipGraph_t graph,
                                     const hipGraphNode_t *after, size_t count,
                                     const hipBatchMemOpNodeParams *p)
{
    ADD(kiln_sim_values_work(p, &work));
}

hipError_t hipGraphAddChildGraphNode(hipGraphNode_t *node, hipGraph_t graph,
                                     const hipGraphNode_t *after, size_t count, hipGraph_t child)
{
    const kiln_sim_work_t work = {.kind = KILN_SIM_WORK_GRAPH, .graph = child};
    return kiln_sim_graph_is(child) ? kiln_sim_graph_add(node, graph, after, count, &work)
                                    : invalid();
}

// HIP's node types; this function's struct numbers them from 0 in every version.
hipError_t hipGraphAddNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *after,
                           size_t count, hipGraphNodeParams *p)
{
    if (!p)
        return invalid();
    switch (p->type) {
    case 0:
        return hipGraphAddKernelNode(node, graph, after, count, &p->u.kernel);
    case 1:
        return hipGraphAddMemcpyNode(node, graph, after, count, &p->u.copy.copy);
    case 2:
        return hipGraphAddMemsetNode(node, graph, after, count, &p->u.fill);
    case 3:
        return hipGraphAddHostNode(node, graph, after, count, &p->u.host);
    case 4:
        return hipGraphAddChildGraphNode(node, graph, after, count, p->u.graph);
    case 5:
        return hipGraphAddEmptyNode(node, graph, after, count);
    case 6:
        return hipGraphAddEventWaitNode(node, graph, after, count, p->u.event);
    case 7:
        return hipGraphAddEventRecordNode(node, graph, after, count, p->u.event);
    case 10:
        return hipGraphAddMemAllocNode(node, graph, after, count, &p->u.allocate);
    case 11:
        return hipGraphAddMemFreeNode(node, graph, after, count, p->u.pointer);
    default:
        return kiln_sim_hip_fail(
            p->type < 0 || p->type > 14 ? KILN_SIM_INVALID_VALUE : KILN_SIM_NOT_SUPPORTED, NULL);
    }
}

// ---- queries

static bool is_kind(hipGraphNode_t node, kiln_sim_work_kind_t kind)
{
    return kiln_sim_node_is(node) && node->work.kind == kind;
}

hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hip_kernel_node_t *p)
{
    if (!p || !is_kind(node, KILN_SIM_WORK_KERNEL))
        return invalid();
    const kiln_sim_dispatch_t *d = &node->work.kernel;
    if (!kiln_sim_is_function(
            d->kernel)) // its module was unloaded, and its arguments' offsets gone
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE, NULL);
    uint8_t *packed = (uint8_t *)(uintptr_t)d->packed;
    void **params = calloc(d->kernel->arg_count + 1, sizeof(*node->params));
    if (!params)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    free(node->params);
    node->params = params;
    size_t count = 0;
    for (size_t i = 0; i < d->kernel->arg_count; i++) {
        if (d->kernel->args[i].kind == KILN_SIM_ARG_EXPLICIT)
            node->params[count++] = packed + d->kernel->args[i].offset;
    }
    *p = (hip_kernel_node_t){{d->block[0], d->block[1], d->block[2]},
                             NULL,
                             (void *)(uintptr_t)(node->work.named ? node->work.named : d->kernel),
                             {d->grid[0], d->grid[1], d->grid[2]},
                             node->params,
                             d->dynamic_lds};
    return 0;
}

hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t node, hip_copy_3d_t *p)
{
    if (!p || !is_kind(node, KILN_SIM_WORK_COPY))
        return invalid();
    const kiln_sim_box_copy_t *box = &node->work.copy;
    if (node->has_given == GIVEN_3D)
        *p = node->given.copy;
    else
        *p = (hip_copy_3d_t){
            .from = {(void *)(uintptr_t)box->from, box->from_pitch, box->width, box->height},
            .to = {box->to, box->to_pitch, box->width, box->height},
            .extent = {box->width, box->height, box->depth},
            .kind = node->work.copy_kind};
    return 0;
}

hipError_t hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t node, hip_driver_copy_3d_t *p)
{
    if (!p || !is_kind(node, KILN_SIM_WORK_COPY) || node->has_given != GIVEN_DRIVER)
        return invalid();
    *p = node->given.driver;
    return 0;
}

hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hip_fill_node_t *p)
{
    if (!p || !is_kind(node, KILN_SIM_WORK_FILL))
        return invalid();
    const kiln_sim_box_fill_t *box = &node->work.fill;
    *p = (hip_fill_node_t){box->to, box->element, box->height, box->pitch, box->value, box->width};
    return 0;
}

hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hip_host_node_t *p)
{
    if (!p || !is_kind(node, KILN_SIM_WORK_HOST))
        return invalid();
    *p = (hip_host_node_t){node->work.host.function, node->work.host.data};
    return 0;
}

static hipError_t return_event(hipGraphNode_t node, kiln_sim_work_kind_t kind, hipEvent_t *event)
{
    if (!event || !is_kind(node, kind))
        return invalid();
    *event = node->work.event;
    return 0;
}

hipError_t hipGraphEventRecordNodeGetEvent(hipGraphNode_t node, hipEvent_t *event)
{
    return return_event(node, KILN_SIM_WORK_EVENT_RECORD, event);
}

hipError_t hipGraphEventWaitNodeGetEvent(hipGraphNode_t node, hipEvent_t *event)
{
    return return_event(node, KILN_SIM_WORK_EVENT_WAIT, event);
}

hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t *graph)
{
    if (!graph || !is_kind(node, KILN_SIM_WORK_GRAPH))
        return invalid();
    *graph = node->work.graph;
    return 0;
}

hipError_t hipGraphBatchMemOpNodeGetParams(hipGraphNode_t node, hipBatchMemOpNodeParams *p)
{
    if (!p || !is_kind(node, KILN_SIM_WORK_VALUES))
        return invalid();
    *p = (hipBatchMemOpNodeParams){NULL, node->work.values.count, node->work.values.all,
                                   node->work.values.flags};
    return 0;
}

// ---- changes

static hipError_t replace(hipGraphNode_t node, hipError_t error, const kiln_sim_work_t *work)
{
    if (!error && !(error = kiln_sim_work_replace(&node->work, work)))
        node->has_given = NOTHING_GIVEN;
    return error;
}

#define CHANGE(kind, describe)                                                                     \
    kiln_sim_work_t work;                                                                          \
    return is_kind(node, kind) ? replace(node, describe, &work) : invalid()

hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hip_kernel_node_t *p)
{
    CHANGE(KILN_SIM_WORK_KERNEL, kiln_sim_kernel_work(p, &work));
}

static hipError_t set_3d(hipGraphNode_t node, const hip_copy_3d_t *p)
{
    CHANGE(KILN_SIM_WORK_COPY, kiln_sim_copy_work(p, &work));
}

hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t node, const hip_copy_3d_t *p)
{
    hipError_t error = set_3d(node, p);
    if (error)
        return error;
    node->has_given = GIVEN_3D;
    node->given.copy = *p;
    return 0;
}

static hipError_t set_driver(hipGraphNode_t node, const hip_driver_copy_3d_t *p)
{
    CHANGE(KILN_SIM_WORK_COPY, kiln_sim_driver_work(p, &work));
}

hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t node, const hip_driver_copy_3d_t *p)
{
    hipError_t error = set_driver(node, p);
    if (error)
        return error;
    node->has_given = GIVEN_DRIVER;
    node->given.driver = *p;
    return 0;
}

hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void *to, const void *from,
                                         size_t bytes, int kind)
{
    CHANGE(KILN_SIM_WORK_COPY, kiln_sim_bytes_work(to, from, bytes, kind, &work));
}

hipError_t hipGraphMemcpyNodeSetParamsToSymbol(hipGraphNode_t node, const void *symbol,
                                               const void *from, size_t bytes, size_t offset,
                                               int kind)
{
    CHANGE(KILN_SIM_WORK_COPY,
           kiln_sim_symbol_work(NULL, from, symbol, bytes, offset, kind, &work));
}

hipError_t hipGraphMemcpyNodeSetParamsFromSymbol(hipGraphNode_t node, void *to, const void *symbol,
                                                 size_t bytes, size_t offset, int kind)
{
    CHANGE(KILN_SIM_WORK_COPY, kiln_sim_symbol_work(to, NULL, symbol, bytes, offset, kind, &work));
}

hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hip_fill_node_t *p)
{
    CHANGE(KILN_SIM_WORK_FILL, kiln_sim_fill_work(p, &work));
}

hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node, const hip_host_node_t *p)
{
    CHANGE(KILN_SIM_WORK_HOST, kiln_sim_host_work(p, &work));
}

hipError_t hipGraphEventRecordNodeSetEvent(hipGraphNode_t node, hipEvent_t event)
{
    CHANGE(KILN_SIM_WORK_EVENT_RECORD, event_work(KILN_SIM_WORK_EVENT_RECORD, event, &work));
}

hipError_t hipGraphEventWaitNodeSetEvent(hipGraphNode_t node, hipEvent_t event)
{
    CHANGE(KILN_SIM_WORK_EVENT_WAIT, event_work(KILN_SIM_WORK_EVENT_WAIT, event, &work));
}

hipError_t hipGraphBatchMemOpNodeSetParams(hipGraphNode_t node, hipBatchMemOpNodeParams *p)
{
    CHANGE(KILN_SIM_WORK_VALUES, kiln_sim_values_work(p, &work));
}

hipError_t hipGraphNodeSetParams(hipGraphNode_t node, hipGraphNodeParams *p)
{
    if (!p || !kiln_sim_node_is(node) || p->type != (int)node->work.kind - 1)
        return invalid();
    switch (node->work.kind) {
    case KILN_SIM_WORK_KERNEL:
        return hipGraphKernelNodeSetParams(node, &p->u.kernel);
    case KILN_SIM_WORK_COPY:
        return hipGraphMemcpyNodeSetParams(node, &p->u.copy.copy);
    case KILN_SIM_WORK_FILL:
        return hipGraphMemsetNodeSetParams(node, &p->u.fill);
    case KILN_SIM_WORK_HOST:
        return hipGraphHostNodeSetParams(node, &p->u.host);
    case KILN_SIM_WORK_EVENT_RECORD:
        return hipGraphEventRecordNodeSetEvent(node, p->u.event);
    case KILN_SIM_WORK_EVENT_WAIT:
        return hipGraphEventWaitNodeSetEvent(node, p->u.event);
    default:
        return invalid();
    }
}

// ---- attributes of kernels' nodes: stored and returned; all but `cooperative` have no effect

// Size of an attribute in the program: before HIP 7 the union was smaller.
static size_t attribute_size(hipLaunchAttributeID id)
{
    enum { ACCESS_POLICY_WINDOW = 1, CLUSTER = 4 };
    return id == ACCESS_POLICY_WINDOW ? 32 : id == CLUSTER ? 12 : 4;
}

hipError_t hipGraphKernelNodeSetAttribute(hipGraphNode_t node, hipLaunchAttributeID id,
                                          const hipLaunchAttributeValue *value)
{
    if (!value || !is_kind(node, KILN_SIM_WORK_KERNEL) || id < 1 || id > 10)
        return invalid();
    struct { // hipAccessPolicyWindow
        void *base;
        int hit;
        float ratio;
        int miss;
        size_t bytes;
    } window = {0};
    memcpy(&window, value, id == 1 ? sizeof window : 0);
    if (id == 1 && (window.ratio < 0 || window.ratio > 1 || window.miss == 2 /* persisting */ ||
                    window.bytes > 0 /* the most */))
        return invalid();
    memcpy(&node->attributes[id], value, attribute_size(id));
    node->attributes_set |= 1u << id;
    if (id == 2)
        node->work.kernel.cooperative = value->cooperative != 0;
    return 0;
}

hipError_t hipGraphKernelNodeGetAttribute(hipGraphNode_t node, hipLaunchAttributeID id,
                                          hipLaunchAttributeValue *value)
{
    if (!value || !is_kind(node, KILN_SIM_WORK_KERNEL) || id < 1 || id > 10)
        return invalid();
    memcpy(value, &node->attributes[id], attribute_size(id));
    return 0;
}

hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t from, hipGraphNode_t to)
{
    if (!is_kind(from, KILN_SIM_WORK_KERNEL) || !is_kind(to, KILN_SIM_WORK_KERNEL))
        return invalid();
    to->attributes_set = from->attributes_set;
    memcpy(to->attributes, from->attributes, sizeof to->attributes);
    to->work.kernel.cooperative = from->work.kernel.cooperative;
    return 0;
}
