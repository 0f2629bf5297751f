// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of HIP around a call whose allocations fail: streams, events, graphs, pools and memory
// of each kind, created before each call, and their observable state afterwards. Include cmocka's
// headers before this one.
//
// Results of a call (new_*) are not part of the state that must stay unchanged.
#ifndef TEST_SIM_HIP_SHORT_STATE_H
#define TEST_SIM_HIP_SHORT_STATE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "hip_sim/entry.h"

#define CODE KILN_BINARY_DIR "/test/sim_kernels/launch.hsaco"

static void *image; // the code object's bytes
static hipModule_t module;
static hipFunction_t reverse; // out[i] = in[255 - i], 256 work-items
static int *in, *out, pageable[256];
static uint32_t *word;

static hipStream_t stream, fresh, captured; // fresh: it has no thread yet
static hipEvent_t event, recorded, in_capture, timed[2];
static hipGraph_t graph, child, made_graph, others;
static hipGraphNode_t nodes[3], memory_node, kernel_node, child_node, event_node, waiting_node;
static hipGraphExec_t exec, memory_exec;
static hipUserObject_t object;
static hipMemPool_t pool;
static void *pooled, *pooled_too, *reserved, *block;
static hipMemGenericAllocationHandle_t physical;
static unsigned objects_destroyed, calls;
// Results of calls.
static void *pointer;
static hipStream_t new_stream;
static hipEvent_t new_event;
static hipGraph_t new_graph;
static hipGraphNode_t new_node;
static hipGraphExec_t new_exec;
static hipUserObject_t new_object;
static hipMemPool_t new_pool;
static hipModule_t new_module;
static hipMemGenericAllocationHandle_t new_physical;

static inline void count_call(void *data)
{
    (void)data;
    __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
}

static inline void count_object(void *data)
{
    (void)data;
    objects_destroyed++;
}

static inline void call_back(hipStream_t ignored, hipError_t status, void *data)
{
    (void)ignored, (void)status;
    count_call(data);
}

static void *arguments[2];
static inline void *const *arguments_of_reverse(void)
{
    static size_t size = sizeof arguments;
    static void *extra[] = {(void *)1, arguments, (void *)2, &size, (void *)3};
    arguments[0] = out;
    arguments[1] = in;
    return extra;
}

static inline hip_kernel_node_t kernel_params(void)
{
    return (hip_kernel_node_t){.block = {256, 1, 1},
                               .grid = {1, 1, 1},
                               .function = reverse,
                               .extra = (void **)(uintptr_t)arguments_of_reverse()};
}

#define OK(call) assert_int_equal((call), 0)

static inline void begin(bool captures)
{
    const hip_kernel_node_t kernel = kernel_params();
    const hip_host_node_t host = {count_call, NULL};
    const hipMemPoolProps properties = {.type = 1, .location = {1, 0}};
    const hipMemAllocationProp pinned = {.type = 1, .location = {1, 0}};
    hipMemAllocNodeParams memory = {.pool = {.type = 1, .location = {1, 0}}, .size = 1024};
    objects_destroyed = calls = 0;
    for (int i = 0; i < 256; i++) {
        in[i] = i;
        out[i] = pageable[i] = -1;
    }
    *word = 0;
    OK(hipStreamCreateWithFlags(&stream, 1));
    OK(hipStreamCreateWithFlags(&fresh, 1));
    OK(hipStreamCreateWithFlags(&captured, 1));
    OK(hipEventCreateWithFlags(&event, 0));
    OK(hipEventCreate(&recorded));
    OK(hipEventCreate(&in_capture));
    OK(hipEventCreate(&timed[0]));
    OK(hipEventCreate(&timed[1]));
    OK(hipEventRecord(recorded, stream));
    OK(hipStreamSynchronize(stream));
    OK(hipGraphCreate(&child, 0));
    OK(hipGraphAddHostNode(&new_node, child, NULL, 0, &host));
    OK(hipGraphCreate(&graph, 0));
    OK(hipGraphAddEmptyNode(&nodes[0], graph, NULL, 0));
    OK(hipGraphAddHostNode(&nodes[1], graph, nodes, 1, &host));
    OK(hipGraphAddEmptyNode(&nodes[2], graph, NULL, 0));
    OK(hipGraphAddKernelNode(&kernel_node, graph, nodes, 2, &kernel));
    OK(hipGraphAddChildGraphNode(&child_node, graph, &kernel_node, 1, child));
    OK(hipGraphAddEventRecordNode(&event_node, graph, &child_node, 1, event));
    OK(hipGraphAddEventWaitNode(&waiting_node, graph, &event_node, 1, recorded));
    OK(hipUserObjectCreate(&object, NULL, count_object, 3, 1));
    OK(hipGraphRetainUserObject(graph, object, 1, 1));
    OK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    OK(hipGraphClone(&others, graph));
    OK(hipGraphCreate(&made_graph, 0));
    OK(hipGraphAddMemAllocNode(&memory_node, made_graph, NULL, 0, &memory));
    block = memory.pointer;
    OK(hipGraphAddMemFreeNode(&new_node, made_graph, &memory_node, 1, block));
    OK(hipGraphInstantiate(&memory_exec, made_graph, NULL, NULL, 0));
    OK(hipMemPoolCreate(&pool, &properties));
    OK(hipMallocFromPoolAsync(&pooled, 4096, pool, stream));
    OK(hipMalloc(&pooled_too, 4096));
    OK(hipMemAddressReserve(&reserved, 2 << 20, 0, NULL, 0));
    OK(hipMemCreate(&physical, 2 << 20, &pinned, 0));
    if (captures) {
        OK(hipStreamBeginCapture(captured, 2));
        OK(hipLaunchHostFunc(captured, count_call, NULL));
        OK(hipEventRecord(in_capture, captured));
    }
    pointer = NULL;
    new_node = NULL;
}

static inline void end(void)
{
    hipStreamCaptureStatus status;
    for (hipStream_t *at = (hipStream_t[]){stream, fresh, captured, NULL}; *at; at++) {
        if (!hipStreamIsCapturing(*at, &status) && status) {
            hipGraph_t ended = NULL;
            hipStreamEndCapture(*at, &ended);
            if (ended && ended != graph)
                hipGraphDestroy(ended);
        }
    }
    OK(hipDeviceSynchronize());
    OK(hipStreamDestroy(stream));
    OK(hipStreamDestroy(fresh));
    OK(hipStreamDestroy(captured));
    OK(hipEventDestroy(event));
    OK(hipEventDestroy(recorded));
    OK(hipEventDestroy(in_capture));
    OK(hipEventDestroy(timed[0]));
    OK(hipEventDestroy(timed[1]));
    OK(hipGraphExecDestroy(exec));
    OK(hipGraphExecDestroy(memory_exec));
    OK(hipGraphDestroy(graph));
    OK(hipGraphDestroy(child));
    OK(hipGraphDestroy(others));
    OK(hipGraphDestroy(made_graph));
    hipFree(pooled); // a call may have freed it
    hipFree(pooled_too);
    OK(hipMemPoolDestroy(pool));
    hipMemUnmap(reserved, 2 << 20);
    OK(hipMemAddressFree(reserved, 2 << 20));
    OK(hipMemRelease(physical));
    hipUserObjectRelease(object, 2);
    hipGetLastError();
}

// ---- the observable state

typedef struct seen_graph {
    size_t nodes, edges, roots;
    struct {
        hipGraphNode_t node;
        size_t after;
    } all[16];
} seen_graph_t;

typedef struct seen {
    seen_graph_t graphs[5];
    int capturing[3], busy[2], event_errors[3], times[2];
    unsigned long long capture_ids[3];
    size_t capture_dependencies[3];
    void *captured_graphs[3];
    size_t left;
    uint64_t pool_used, pool_reserved, graph_used;
    int content[256];
    unsigned objects_destroyed, calls, word;
    bool is_allocated[3];
} seen_t;

static inline void see_graph(seen_graph_t *seen, hipGraph_t of)
{
    hipGraphNode_t all[16];
    size_t count = 16;
    OK(hipGraphGetNodes(of, NULL, &seen->nodes));
    OK(hipGraphGetEdges(of, NULL, NULL, &seen->edges));
    OK(hipGraphGetRootNodes(of, NULL, &seen->roots));
    OK(hipGraphGetNodes(of, all, &count));
    for (size_t i = 0; i < seen->nodes; i++) {
        seen->all[i].node = all[i];
        OK(hipGraphNodeGetDependencies(all[i], NULL, &seen->all[i].after));
    }
}

static inline bool is_allocated(void *memory)
{
    void *base;
    return hipMemGetAddressRange(&base, NULL, memory) == 0;
}

static inline void see(seen_t *seen)
{
    size_t total;
    const hipGraphNode_t *dependencies;
    memset(seen, 0, sizeof *seen);
    for (unsigned i = 0; i < 3; i++) {
        const hipStream_t at = ((hipStream_t[]){stream, fresh, captured})[i];
        hipGraph_t into = NULL;
        hipStreamGetCaptureInfo_v2(at, &seen->capturing[i], &seen->capture_ids[i], &into,
                                   &dependencies, &seen->capture_dependencies[i]);
        seen->captured_graphs[i] = into;
        if (into)
            see_graph(&seen->graphs[4], into);
    }
    seen->busy[0] = hipStreamSynchronize(stream);
    seen->busy[1] = seen->capturing[1] ? 0 : hipStreamSynchronize(fresh);
    seen->event_errors[0] = hipEventQuery(event);
    seen->event_errors[1] = hipEventQuery(recorded);
    seen->event_errors[2] = hipEventQuery(in_capture);
    float ms;
    seen->times[0] = hipEventElapsedTime(&ms, timed[0], timed[0]); // whether it was recorded
    seen->times[1] = hipEventElapsedTime(&ms, timed[1], timed[1]);
    see_graph(&seen->graphs[0], graph);
    see_graph(&seen->graphs[1], child);
    see_graph(&seen->graphs[2], made_graph);
    see_graph(&seen->graphs[3], others);
    OK(hipMemGetInfo(&seen->left, &total));
    OK(hipMemPoolGetAttribute(pool, 7, &seen->pool_used));
    OK(hipMemPoolGetAttribute(pool, 5, &seen->pool_reserved));
    OK(hipDeviceGetGraphMemAttribute(0, 0, &seen->graph_used));
    memcpy(seen->content, out, sizeof seen->content);
    seen->objects_destroyed = objects_destroyed;
    seen->calls = calls;
    seen->word = *word;
    seen->is_allocated[0] = is_allocated(pooled);
    seen->is_allocated[1] = is_allocated(pooled_too);
    seen->is_allocated[2] = is_allocated(block);
}

#endif
