// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules of HIP that ROCm's own tests (docs/hip-tests.md) require: errors of calls and of destroyed
// handles; cooperative launches; and the effects of hipDeviceReset.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "hip_sim/entry.h"

#define INVALID KILN_SIM_INVALID_VALUE

static hipModule_t launches;
static hipFunction_t reverse; // out[i] = in[255 - i], 256 work-items
static int *out;

static void destroyed_handles(void **state)
{
    (void)state;
    hipGraph_t graph;
    hipGraphNode_t node, other;
    hipGraphExec_t exec;
    hipModule_t module;
    hipMemPool_t pool;
    const hipMemPoolProps p = {.type = 1, .location = {1, 0}};
    hip_fill_node_t fill = {.to = out, .element = 4, .height = 1, .value = 7, .width = 4};
    unsigned enabled;
    assert_int_equal(hipGraphCreate(&graph, 0), 0);
    assert_int_equal(hipGraphAddMemsetNode(&node, graph, NULL, 0, &fill), 0);
    assert_int_equal(hipGraphAddMemsetNode(&other, graph, NULL, 0, &fill), 0);
    assert_int_equal(hipGraphInstantiate(&exec, graph, NULL, NULL, 0), 0);
    assert_int_equal(hipGraphNodeSetEnabled(exec, other, 0), 0);
    assert_int_equal(hipGraphDestroyNode(other), 0);
    assert_int_equal(hipGraphNodeGetEnabled(exec, other, &enabled), INVALID);
    assert_int_equal(hipGraphNodeGetEnabled(exec, node, &enabled), 0);
    assert_int_equal(enabled, 1);
    assert_int_equal(hipGraphDestroy(graph), 0);
    assert_int_equal(hipGraphDestroy(graph), INVALID);
    assert_int_equal(hipGraphNodeGetEnabled(exec, node, &enabled), INVALID);
    assert_int_equal(hipGraphNodeSetEnabled(exec, node, 0), INVALID);
    assert_int_equal(hipGraphExecMemsetNodeSetParams(exec, node, &fill), INVALID);
    assert_int_equal(hipGraphLaunch(exec, NULL), 0);
    assert_int_equal(hipGraphExecDestroy(exec), 0);
    assert_int_equal(hipGraphLaunch(exec, NULL), INVALID);
    assert_int_equal(hipModuleLoad(&module, KILN_BINARY_DIR "/test/sim_kernels/sync.hsaco"), 0);
    hipFunction_t function;
    hipStream_t stream;
    int value, grid;
    assert_int_equal(hipModuleGetFunction(&function, module, "returns"), 0);
    assert_int_equal(hipModuleUnload(module), 0);
    assert_int_equal(hipModuleUnload(module), KILN_SIM_NOT_FOUND);
    // The function of an unloaded module, and addresses that were never functions.
    const hipFunction_t destroyed[] = {function, (hipFunction_t)(uintptr_t)3,
                                       (hipFunction_t)(void *)&node};
    for (size_t i = 0; i < sizeof destroyed / sizeof *destroyed; i++) {
        for (int attribute = 0; attribute < 10; attribute++)
            assert_int_equal(hipFuncGetAttribute(&value, attribute, destroyed[i]),
                             HIP_INVALID_HANDLE);
        assert_int_equal(
            hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&value, destroyed[i], 64, 0),
            HIP_INVALID_HANDLE);
        assert_int_equal(
            hipModuleOccupancyMaxPotentialBlockSize(&grid, &value, destroyed[i], 0, 64),
            HIP_INVALID_HANDLE);
        assert_null(hipKernelNameRef(destroyed[i]));
    }
    assert_int_equal(hipStreamCreate(&stream), 0);
    assert_int_equal(hipStreamBeginCaptureToGraph(stream, graph, &node, NULL, 1, 0), INVALID);
    assert_int_equal(
        hipStreamBeginCaptureToGraph(stream, (hipGraph_t)(void *)&node, NULL, NULL, 0, 0), INVALID);
    assert_int_equal(hipStreamDestroy(stream), 0);
    assert_int_equal(hipMemPoolCreate(&pool, &p), 0);
    assert_int_equal(hipMemPoolDestroy(pool), 0);
    assert_int_equal(hipMemPoolDestroy(pool), INVALID);
    hipGetLastError();
}

static void graphs_outlive_modules(void **state)
{
    (void)state;
    hipModule_t module;
    hipFunction_t function;
    hipGraph_t graph;
    hipGraphNode_t node;
    hipGraphExec_t exec, other;
    int *memory;
    assert_int_equal(hipMalloc((void **)&memory, 2048), 0);
    assert_int_equal(hipModuleLoad(&module, KILN_BINARY_DIR "/test/sim_kernels/launch.hsaco"), 0);
    assert_int_equal(hipModuleGetFunction(&function, module, "reverse"), 0);
    void *arguments[] = {memory + 256, memory};
    size_t size = sizeof arguments;
    void *extra[] = {(void *)1, arguments, (void *)2, &size, (void *)3};
    const hip_kernel_node_t kernel = {
        .block = {256, 1, 1}, .grid = {1, 1, 1}, .function = function, .extra = extra};
    assert_int_equal(hipGraphCreate(&graph, 0), 0);
    assert_int_equal(hipGraphAddKernelNode(&node, graph, NULL, 0, &kernel), 0);
    assert_int_equal(hipGraphInstantiate(&exec, graph, NULL, NULL, 0), 0);
    assert_int_equal(hipGraphLaunch(exec, NULL), 0);
    assert_int_equal(hipModuleUnload(module), 0);
    hip_kernel_node_t back;
    assert_int_equal(hipGraphKernelNodeGetParams(node, &back), HIP_INVALID_HANDLE);
    assert_int_equal(hipGraphDebugDotPrint(graph, "/dev/null", 0), 0);
    assert_int_not_equal(hipGraphDebugDotPrint(graph, "/dev/full", 0), 0);
    assert_int_equal(hipGraphLaunch(exec, NULL), HIP_INVALID_HANDLE);
    assert_int_equal(hipGraphInstantiate(&other, graph, NULL, NULL, 0), HIP_INVALID_HANDLE);
    // Copies of the graph, and graphs that contain it.
    hipGraph_t copy, outer;
    hipGraphNode_t child, in_copy, wrong;
    int result;
    assert_int_equal(hipGraphClone(&copy, graph), 0);
    assert_int_equal(hipGraphNodeFindInClone(&in_copy, node, copy), 0);
    assert_int_equal(hipGraphKernelNodeGetParams(in_copy, &back), HIP_INVALID_HANDLE);
    assert_int_equal(hipGraphInstantiate(&other, copy, NULL, NULL, 0), HIP_INVALID_HANDLE);
    hipGraphExecUpdate(exec, copy, &wrong, &result);
    assert_int_equal(hipGraphLaunch(exec, NULL), HIP_INVALID_HANDLE);
    assert_int_equal(hipGraphCreate(&outer, 0), 0);
    assert_int_equal(hipGraphAddChildGraphNode(&child, outer, NULL, 0, copy), 0);
    assert_int_equal(hipGraphInstantiate(&other, outer, NULL, NULL, 0), HIP_INVALID_HANDLE);
    assert_int_equal(hipGraphDestroy(outer), 0);
    assert_int_equal(hipGraphDestroy(copy), 0);
    assert_int_equal(hipGraphExecDestroy(exec), 0);
    assert_int_equal(hipGraphDestroy(graph), 0);
    assert_int_equal(hipFree(memory), 0);
    hipGetLastError();
}

static void what_may_not_be_done_during_capture(void **state)
{
    (void)state;
    hipStream_t one, two;
    hipGraph_t graph;
    int *memory, host = 0, status;
    assert_int_equal(hipMalloc((void **)&memory, 64), 0);
    assert_int_equal(hipStreamCreate(&one), 0);
    assert_int_equal(hipStreamCreate(&two), 0);
    for (int mode = 0; mode < 3; mode++) {
        assert_int_equal(hipStreamBeginCapture(one, mode), 0);
        assert_int_equal(hipMemcpy(memory, &host, sizeof host, 1), HIP_CAPTURE_IMPLICIT);
        assert_int_equal(hipStreamIsCapturing(one, &status), 0);
        assert_int_equal(status, 2); // invalidated
        assert_int_equal(hipStreamEndCapture(one, &graph), HIP_CAPTURE_INVALIDATED);
        assert_int_equal(hipStreamBeginCapture(one, mode), 0);
        assert_int_equal(hipMemset(memory, 0, 64), HIP_CAPTURE_IMPLICIT);
        assert_int_equal(hipStreamEndCapture(one, &graph), HIP_CAPTURE_INVALIDATED);
        // Only a relaxed capture allows waiting for another stream.
        assert_int_equal(hipStreamBeginCapture(one, mode), 0);
        assert_int_equal(hipStreamSynchronize(two), mode == 2 ? 0 : HIP_CAPTURE_UNSUPPORTED);
        assert_int_equal(hipStreamEndCapture(one, &graph), mode == 2 ? 0 : HIP_CAPTURE_INVALIDATED);
        if (mode == 2)
            assert_int_equal(hipGraphDestroy(graph), 0);
    }
    assert_int_equal(hipStreamDestroy(one), 0);
    assert_int_equal(hipStreamDestroy(two), 0);
    assert_int_equal(hipFree(memory), 0);
    hipGetLastError();
}

static void nodes_refuse(void **state)
{
    (void)state;
    enum { DEVICE = 2 }; // hipMemoryTypeDevice of HIP 6
    hipGraph_t graph;
    hipGraphNode_t node;
    char *memory;
    assert_int_equal(hipMalloc((void **)&memory, 65536), 0);
    assert_int_equal(hipGraphCreate(&graph, 0), 0);
    const hip_driver_copy_3d_t good = {.from_type = DEVICE,
                                       .from_device = memory,
                                       .from_pitch = 256,
                                       .from_height = 8,
                                       .to_type = DEVICE,
                                       .to_device = memory + 32768,
                                       .to_pitch = 256,
                                       .to_height = 8,
                                       .width = 128,
                                       .height = 8,
                                       .depth = 2};
    hip_driver_copy_3d_t bad[7];
    for (int i = 0; i < 7; i++)
        bad[i] = good;
    bad[0].from_device = NULL;
    bad[1].to_device = NULL;
    bad[2].from_pitch = 127;
    bad[3].to_pitch = INT32_MAX;
    bad[4].to_x = 129;
    bad[5].from_y = 1;
    bad[6].to_z = 100;
    assert_int_equal(hipDrvGraphAddMemcpyNode(&node, graph, NULL, 0, &good, NULL), 0);
    for (int i = 0; i < 7; i++)
        assert_int_equal(hipDrvGraphAddMemcpyNode(&node, graph, NULL, 0, &bad[i], NULL), INVALID);
    int in = 3;
    size_t bytes;
    void *address;
    hip_kernel_node_t kernel = {.block = {256, 1, 1},
                                .function = reverse,
                                .grid = {1, 1, 1},
                                .params = (void *[]){&memory, &memory}};
    assert_int_equal(hipGraphAddKernelNode(&node, graph, NULL, 0, &kernel), 0);
    struct { // hipAccessPolicyWindow
        void *base;
        int hit;
        float ratio;
        int miss;
        size_t bytes;
    } window = {memory, 2, 0.5f, 1, 0};
    hipLaunchAttributeValue value = {{0}};
    memcpy(&value, &window, sizeof window);
    assert_int_equal(hipGraphKernelNodeSetAttribute(node, 1, &value), 0);
    window.bytes = 1; // persisting lines are not supported
    memcpy(&value, &window, sizeof window);
    assert_int_equal(hipGraphKernelNodeSetAttribute(node, 1, &value), INVALID);
    assert_int_equal(hipGraphMemcpyNodeSetParamsToSymbol(node, NULL, &in, 4, 0, 3), INVALID);
    assert_int_equal(hipMemGetAddressRange(&address, &bytes, NULL), KILN_SIM_NOT_FOUND);
    unsigned type, hops;
    assert_int_equal(hipExtGetLinkTypeAndHopCount(0, 0, &type, &hops), INVALID);
    assert_int_equal(hipExtGetLinkTypeAndHopCount(0, 7, NULL, &hops), INVALID);
    assert_int_equal(hipExtGetLinkTypeAndHopCount(0, 7, &type, &hops), HIP_INVALID_DEVICE);
    void *range;
    assert_int_equal(hipMemAddressReserve(&range, 4095, 0, NULL, 0), KILN_SIM_OUT_OF_MEMORY);
    assert_int_equal(hipMemAddressReserve(NULL, 4096, 0, NULL, 0), INVALID);
    assert_int_equal(hipGraphDestroy(graph), 0);
    assert_int_equal(hipFree(memory), 0);
    hipGetLastError();
}

static void attributes_have_the_width_of_amds(void **state)
{
    (void)state;
    hipGraph_t graph;
    hipGraphNode_t node;
    void *memory, *address;
    uint8_t bytes[72];
    assert_int_equal(hipMalloc(&memory, 5000), 0);
    hip_kernel_node_t kernel = {.block = {256, 1, 1},
                                .function = reverse,
                                .grid = {1, 1, 1},
                                .params = (void *[]){&memory, &memory}};
    assert_int_equal(hipGraphCreate(&graph, 0), 0);
    assert_int_equal(hipGraphAddKernelNode(&node, graph, NULL, 0, &kernel), 0);
    memset(bytes, 0xcc, sizeof bytes);
    assert_int_equal(hipGraphKernelNodeGetAttribute(node, 1, (void *)bytes),
                     0); // hipAccessPolicyWindow
    assert_int_equal(bytes[31], 0);
    assert_int_equal(bytes[32], 0xcc);
    static const struct {
        int id;
        size_t width;
    } attributes[] = {{6, 1},
                      {7, 4},
                      {8, 1},
                      {12, 4},
                      {13, 1}}; // whether copies wait, number, managed, size, mapped
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++) {
        memset(bytes, 0xcc, sizeof bytes);
        assert_int_equal(hipPointerGetAttribute(bytes, attributes[i].id, memory), 0);
        assert_int_not_equal(bytes[attributes[i].width - 1], 0xcc);
        assert_int_equal(bytes[attributes[i].width], 0xcc);
    }
    assert_int_equal(hipPointerGetAttribute(bytes, 1, memory), KILN_SIM_NOT_SUPPORTED);
    assert_int_equal(hipGetSymbolAddress(NULL, bytes), INVALID);
    assert_int_equal(hipGetSymbolSize(NULL, bytes), INVALID);
    assert_int_equal(hipGetSymbolAddress(&address, NULL), HIP_INVALID_SYMBOL);
    assert_int_equal(hipGraphDestroy(graph), 0);
    assert_int_equal(hipFree(memory), 0);
    hipGetLastError();
}

static void executable_copies_keep_their_direction(void **state)
{
    (void)state;
    hipGraph_t graph;
    hipGraphNode_t node;
    hipGraphExec_t exec;
    char *memory;
    assert_int_equal(hipMalloc((void **)&memory, 512), 0);
    assert_int_equal(hipGraphCreate(&graph, 0), 0);
    assert_int_equal(hipGraphAddMemcpyNode1D(&node, graph, NULL, 0, memory, memory + 256, 256, 3),
                     0);
    assert_int_equal(hipGraphInstantiate(&exec, graph, NULL, NULL, 0), 0);
    assert_int_equal(hipGraphExecMemcpyNodeSetParams1D(exec, node, memory, memory + 256, 128, 3),
                     0);
    assert_int_equal(hipGraphExecMemcpyNodeSetParams1D(exec, node, memory, memory + 256, 128, 4),
                     INVALID);
    hip_copy_3d_t box = {.from = {memory, 256, 256, 1},
                         .to = {memory + 256, 256, 256, 1},
                         .extent = {256, 1, 1},
                         .kind = 3};
    assert_int_equal(hipGraphExecMemcpyNodeSetParams(exec, node, &box), 0);
    box.from.pitch = 255;
    assert_int_equal(hipGraphExecMemcpyNodeSetParams(exec, node, &box), INVALID);
    assert_int_equal(hipGraphExecDestroy(exec), 0);
    assert_int_equal(hipGraphDestroy(graph), 0);
    assert_int_equal(hipFree(memory), 0);
    hipGetLastError();
}

// Work that a program removes from a capture deliberately does not count as unjoined.
static void captures_continue_after_set_dependencies(void **state)
{
    (void)state;
    hipStream_t stream;
    hipGraph_t graph, into;
    hipGraphNode_t node;
    int *memory, status;
    unsigned long long id;
    assert_int_equal(hipMalloc((void **)&memory, 64), 0);
    hip_fill_node_t fill = {.to = memory, .element = 4, .height = 1, .value = 7, .width = 4};
    assert_int_equal(hipStreamCreate(&stream), 0);
    assert_int_equal(hipStreamBeginCapture(stream, 0), 0);
    assert_int_equal(hipMemsetAsync(memory, 1, 64, stream), 0);
    assert_int_equal(hipStreamGetCaptureInfo_v2(stream, &status, &id, &into, NULL, NULL), 0);
    assert_int_equal(hipGraphAddMemsetNode(&node, into, NULL, 0, &fill), 0);
    assert_int_equal(hipStreamUpdateCaptureDependencies(stream, &node, 1, 1), 0);
    assert_int_equal(hipStreamEndCapture(stream, &graph), 0);
    assert_int_equal(hipGraphDestroy(graph), 0);
    assert_int_equal(hipStreamDestroy(stream), 0);
    assert_int_equal(hipFree(memory), 0);
}

// A cycle is found when the graph is instantiated, in child graphs too.
static void cycles_are_not_instantiated(void **state)
{
    (void)state;
    hipGraph_t graph, parent;
    hipGraphNode_t nodes[2], child;
    hipGraphExec_t exec;
    assert_int_equal(hipGraphCreate(&graph, 0), 0);
    assert_int_equal(hipGraphCreate(&parent, 0), 0);
    assert_int_equal(hipGraphAddEmptyNode(&nodes[0], graph, NULL, 0), 0);
    assert_int_equal(hipGraphAddEmptyNode(&nodes[1], graph, nodes, 1), 0);
    assert_int_equal(hipGraphAddDependencies(graph, &nodes[1], &nodes[0], 1), 0);
    assert_int_equal(hipGraphAddChildGraphNode(&child, parent, NULL, 0, graph), 0);
    assert_int_equal(hipGraphInstantiate(&exec, graph, NULL, NULL, 0), INVALID);
    assert_int_equal(hipGraphInstantiate(&exec, parent, NULL, NULL, 0), INVALID);
    assert_int_equal(hipGraphDestroy(graph), 0);
    assert_int_equal(hipGraphDestroy(parent), 0);
    hipGetLastError();
}

// A graph that is captured into belongs to the program, even if the stream is destroyed.
static void graphs_outlive_streams_that_capture_into_them(void **state)
{
    (void)state;
    hipStream_t stream;
    hipGraph_t graph;
    assert_int_equal(hipStreamCreate(&stream), 0);
    assert_int_equal(hipGraphCreate(&graph, 0), 0);
    assert_int_equal(hipStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 0, 0), 0);
    assert_int_equal(hipStreamDestroy(stream), 0);
    assert_int_equal(hipGraphDestroy(graph), 0);
}

// Two captures into one graph end separately, and each has to join only its own nodes.
static void captures_into_one_graph_are_two(void **state)
{
    (void)state;
    hipStream_t streams[2];
    hipGraph_t graph, captured;
    hipGraphNode_t node;
    hipStreamCaptureStatus status;
    size_t count;
    assert_int_equal(hipGraphCreate(&graph, 0), 0);
    assert_int_equal(hipGraphAddEmptyNode(&node, graph, NULL, 0), 0);
    const hipGraphNode_t twice[] = {node, node};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(hipStreamCreate(&streams[i]), 0);
        assert_int_equal(hipStreamBeginCaptureToGraph(streams[i], graph, twice, NULL, 2, 0),
                         INVALID);
        assert_int_equal(hipStreamBeginCaptureToGraph(streams[i], graph, twice, NULL, 1, 0), 0);
        assert_int_equal(hipMemsetAsync(out, 0, 64, streams[i]), 0);
    }
    assert_int_equal(hipStreamEndCapture(streams[0], &captured), 0);
    assert_int_equal(hipStreamIsCapturing(streams[1], &status), 0);
    assert_int_equal(status, 1);
    assert_int_equal(hipMemsetAsync(out, 0, 64, streams[1]), 0);
    assert_int_equal(hipStreamEndCapture(streams[1], &captured), 0);
    assert_int_equal(hipGraphGetNodes(graph, NULL, &count), 0);
    assert_int_equal(count, 4);
    for (int i = 0; i < 2; i++)
        assert_int_equal(hipStreamDestroy(streams[i]), 0);
    assert_int_equal(hipGraphDestroy(graph), 0);
    hipGetLastError();
}

// No capture continues from a destroyed node, or into a destroyed child graph.
static void captures_refuse_destroyed_nodes(void **state)
{
    (void)state;
    hipStream_t stream;
    hipGraph_t graph, child, empty;
    hipGraphNode_t node;
    const hipGraphNode_t *last;
    hipStreamCaptureStatus status;
    unsigned long long id;
    size_t count;
    assert_int_equal(hipStreamCreate(&stream), 0);
    assert_int_equal(hipStreamBeginCapture(stream, 0), 0);
    assert_int_equal(hipMemsetAsync(out, 0, 64, stream), 0);
    assert_int_equal(hipStreamGetCaptureInfo_v2(stream, &status, &id, &graph, &last, &count), 0);
    assert_int_equal(count, 1);
    node = last[0];
    assert_int_equal(hipGraphDestroyNode(node), HIP_ILLEGAL_STATE);
    assert_int_equal(hipMemsetAsync(out, 0, 64, stream), 0);
    assert_int_equal(hipStreamEndCapture(stream, &graph), 0);
    assert_int_equal(hipGraphDestroyNode(node), 0);
    assert_int_equal(hipGraphDestroy(graph), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(hipGraphCreate(&graph, 0), 0);
        assert_int_equal(hipGraphCreate(&empty, 0), 0);
        assert_int_equal(hipGraphAddChildGraphNode(&node, graph, NULL, 0, empty), 0);
        assert_int_equal(hipGraphChildGraphNodeGetGraph(node, &child), 0);
        assert_int_equal(hipStreamBeginCaptureToGraph(stream, child, NULL, NULL, 0, 0), 0);
        if (i)
            assert_int_equal(hipGraphDestroyNode(node), 0);
        assert_int_equal(hipGraphDestroy(graph), 0);
        assert_int_equal(hipStreamIsCapturing(stream, &status), 0);
        assert_int_equal(status, 0);
        assert_int_equal(hipGraphDestroy(empty), 0);
    }
    assert_int_equal(hipStreamDestroy(stream), 0);
    hipGetLastError();
}

// A new node may get the address of a destroyed one; the copy of the latter is not a copy of the
// former.
static void copies_refer_to_their_originals(void **state)
{
    (void)state;
    const hip_fill_node_t fill = {.to = out, .element = 4, .height = 1, .value = 7, .width = 4};
    hipGraph_t graph, clone;
    hipGraphExec_t exec;
    hipGraphNode_t node, found;
    unsigned enabled;
    assert_int_equal(hipGraphCreate(&graph, 0), 0);
    assert_int_equal(hipGraphAddMemsetNode(&node, graph, NULL, 0, &fill), 0);
    assert_int_equal(hipGraphInstantiate(&exec, graph, NULL, NULL, 0), 0);
    assert_int_equal(hipGraphClone(&clone, graph), 0);
    const hipGraphNode_t first = node;
    for (int i = 0; i < 100 && (i == 0 || node != first); i++) {
        assert_int_equal(hipGraphDestroyNode(node), 0);
        assert_int_equal(hipGraphAddMemsetNode(&node, graph, NULL, 0, &fill), 0);
        assert_int_equal(hipGraphNodeGetEnabled(exec, node, &enabled), INVALID);
        assert_int_equal(hipGraphNodeFindInClone(&found, node, clone), INVALID);
    }
    assert_int_equal(hipGraphExecDestroy(exec), 0);
    assert_int_equal(hipGraphDestroy(clone), 0);
    assert_int_equal(hipGraphDestroy(graph), 0);
    hipGetLastError();
}

// Contiguous rows are copied as one piece, unless their size exceeds size_t.
static void copies_are_not_larger_than_memory(void **state)
{
    (void)state;
    const size_t width = ((size_t)1 << 52) + 1, height = 1 << 12; // 2^64 + 4096 bytes
    char *to, *from;
    assert_int_equal(hipMalloc((void **)&to, 4096), 0);
    assert_int_equal(hipMalloc((void **)&from, 4096), 0);
    assert_int_equal(hipMemcpy2D(to, width, from, width, width, height, 3), INVALID);
    assert_int_equal(hipFree(to), 0);
    assert_int_equal(hipFree(from), 0);
    hipGetLastError();
}

static void requests_are_stored(void **state)
{
    (void)state;
    int value, before;
    assert_int_equal(hipFuncGetAttribute(&before, 8, reverse), 0);
    assert_true(before > 1024);
    assert_int_equal(hipFuncGetAttribute(&value, 9, reverse), 0);
    assert_int_equal(value, 0);
    unsigned flags;
    hipCtx_t context;
    assert_int_equal(hipGetDeviceFlags(&flags), 0);
    assert_int_equal(flags, 0);
    assert_int_equal(hipCtxCreate(&context, 4 | 16, 0), 0);
    assert_int_equal(hipGetDeviceFlags(&flags), 0);
    assert_int_equal(flags, 4 | 16);
    assert_int_equal(hipCtxDestroy(context), 0);
    assert_int_equal(hipSetDeviceFlags(2 | 16), 0);
    assert_int_equal(hipGetDeviceFlags(&flags), 0);
    assert_int_equal(flags, 2);
    assert_int_equal(hipSetDeviceFlags(0), 0);
}

// A cooperative launch passes its grid to ROCm's device library (grid_group::is_valid, and newer
// libraries' grid.sync).
static void cooperative_kernels_see_their_grid(void **state)
{
    (void)state;
    hipModule_t module;
    hipFunction_t function;
    uint32_t *written;
    assert_int_equal(hipModuleLoad(&module, KILN_BINARY_DIR "/test/sim_kernels/grid.hsaco"), 0);
    assert_int_equal(hipModuleGetFunction(&function, module, "grid_info"), 0);
    // A managed variable's address is that of its memory, which the host may use.
    int *shared;
    size_t bytes;
    assert_int_equal(hipModuleGetGlobal((void **)&shared, &bytes, module, "shared"), 0);
    assert_int_equal(bytes, 4);
    assert_int_equal(*shared, 10);
    void *none[] = {NULL};
    assert_int_equal(hipExtModuleLaunchKernel(function, 64, 1, 1, 2048, 1, 1, 0, NULL, none, NULL,
                                              NULL, NULL, 0),
                     INVALID);
    assert_int_equal(hipExtModuleLaunchKernel(function, 64, 1, 1, 64, 1, 1, SIZE_MAX, NULL, none,
                                              NULL, NULL, NULL, 0),
                     INVALID);
    assert_int_equal(
        hipExtModuleLaunchKernel(function, 64, 1, 1, 0, 1, 1, 0, NULL, none, NULL, NULL, NULL, 0),
        9);
    assert_int_equal(
        hipExtModuleLaunchKernel(function, 96, 1, 1, 64, 1, 1, 0, NULL, none, NULL, NULL, NULL, 0),
        INVALID);
    assert_int_equal(hipModuleLaunchCooperativeKernel(function, 1, 1, 1, 64, 0, 1, 0, NULL, none),
                     INVALID);
    assert_int_equal(hipModuleLaunchKernel(function, 1, 65537, 1, 1, 1, 1, 0, NULL, none, NULL),
                     INVALID);
    assert_int_equal(hipModuleLaunchKernel(function, 1, 1, 1, 32, 32, 2, 0, NULL, none, NULL),
                     INVALID);
    assert_int_equal(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, none, none),
                     INVALID);
    hipStream_t destroyed;
    assert_int_equal(hipStreamCreate(&destroyed), 0);
    assert_int_equal(hipStreamDestroy(destroyed), 0);
    assert_int_equal(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, destroyed, none, NULL),
                     INVALID);
    assert_int_equal(hipModuleGetGlobal(NULL, NULL, module, "shared"), INVALID);
    assert_int_equal(hipModuleGetGlobal((void **)&shared, &bytes, module, ""), INVALID);
    assert_int_equal(hipMalloc((void **)&written, 48), 0);
    memset(written, 0xff, 48);
    void *params[] = {&written};
    // Fewer work-items than a workgroup has make the workgroup smaller, and it must still be valid.
    assert_int_equal(hipExtModuleLaunchKernel(function, 1, 1, 1, 32, 32, 2, 0, NULL, params, NULL,
                                              NULL, NULL, 0),
                     INVALID);
    assert_int_equal(
        hipExtModuleLaunchKernel(function, 3, 1, 1, 64, 1, 1, 0, NULL, params, NULL, NULL, NULL, 0),
        0);
    assert_int_equal(hipModuleLaunchKernel(function, 3, 2, 1, 64, 2, 1, 0, NULL, params, NULL), 0);
    assert_int_equal(hipDeviceSynchronize(), 0);
    assert_int_equal(written[0], UINT32_MAX);
    assert_int_equal(hipModuleLaunchCooperativeKernel(function, 3, 2, 1, 64, 2, 1, 0, NULL, params),
                     0);
    assert_int_equal(hipDeviceSynchronize(), 0);
    const uint32_t wanted[12] = {0, 0, 0, 1, 0, 0, 3 * 2 * 64 * 2, 0, 0, 0, 3 * 2, 0};
    assert_memory_equal(written, wanted, sizeof wanted);
    assert_int_equal(hipFree(written), 0);
    assert_int_equal(hipModuleUnload(module), 0);
    assert_int_equal(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL),
                     HIP_INVALID_HANDLE);
    assert_int_equal(hipExtModuleLaunchKernel(function, 64, 1, 1, 64, 1, 1, 0, NULL, params, NULL,
                                              NULL, NULL, 0),
                     HIP_INVALID_HANDLE);
}

static void graphs_reserve_what_they_use(void **state)
{
    (void)state;
    hipGraph_t graph;
    hipGraphNode_t made, freed;
    hipGraphExec_t exec;
    hipMemAllocNodeParams p = {.pool = {.type = 1, .location = {1, 0}}, .size = 1 << 20};
    uint64_t bytes[4];
    assert_int_equal(hipGraphCreate(&graph, 0), 0);
    assert_int_equal(hipGraphAddMemAllocNode(&made, graph, NULL, 0, &p), 0);
    assert_int_equal(hipGraphAddMemFreeNode(&freed, graph, &made, 1, p.pointer), 0);
    assert_int_equal(hipGraphInstantiate(&exec, graph, NULL, NULL, 0), 0);
    for (int launched = 0; launched < 2; launched++) {
        for (int i = 0; i < 4; i++) {
            assert_int_equal(hipDeviceGetGraphMemAttribute(0, i, &bytes[i]), 0);
            assert_int_equal(bytes[i], i % 2 ? launched << 20 : 0);
        }
        assert_int_equal(hipGraphLaunch(exec, NULL), 0);
    }
    assert_int_equal(hipGraphExecDestroy(exec), 0);
    assert_int_equal(hipGraphDestroy(graph), 0);
}

// Must be the last test, since it destroys objects that the other tests use.
static void reset_frees(void **state)
{
    (void)state;
    void *device, *host, *managed, *pooled;
    hipStream_t stream;
    size_t before, free_bytes, total;
    assert_int_equal(hipDeviceReset(), 0);
    assert_int_equal(hipMemGetInfo(&before, &total), 0);
    assert_int_equal(hipMalloc(&device, 5000), 0);
    assert_int_equal(hipHostMalloc(&host, 5000, 0), 0);
    assert_int_equal(hipMallocManaged(&managed, 5000, 1), 0);
    assert_int_equal(hipMallocAsync(&pooled, 5000, NULL), 0);
    assert_int_equal(hipStreamCreate(&stream), 0);
    assert_int_equal(hipSetDeviceFlags(4), 0);
    assert_int_equal(hipDeviceReset(), 0);
    unsigned flags;
    assert_int_equal(hipGetDeviceFlags(&flags), 0);
    assert_int_equal(flags, 0);
    assert_int_equal(hipFree(device), INVALID);
    assert_int_equal(hipFree(managed), INVALID);
    assert_int_equal(hipHostFree(host), INVALID);
    assert_int_equal(hipFreeAsync(pooled, NULL), INVALID);
    assert_int_equal(hipStreamQuery(stream), HIP_CONTEXT_DESTROYED);
    assert_int_equal(hipMemGetInfo(&free_bytes, &total), 0);
    assert_int_equal(free_bytes, before);
    // Code is kept.
    int *in, *to;
    assert_int_equal(hipMalloc((void **)&in, 1024), 0);
    assert_int_equal(hipMalloc((void **)&to, 1024), 0);
    for (int i = 0; i < 256; i++)
        in[i] = i;
    void *arguments[] = {to, in};
    size_t size = sizeof arguments;
    void *extra[] = {(void *)1, arguments, (void *)2, &size, (void *)3};
    assert_int_equal(hipModuleLaunchKernel(reverse, 1, 1, 1, 256, 1, 1, 0, NULL, NULL, extra), 0);
    assert_int_equal(hipDeviceSynchronize(), 0);
    assert_int_equal(to[0], 255);
    hipGetLastError();
}

static int load(void **state)
{
    (void)state;
    return kilnSimSetOption("async", "0") ||
           hipModuleLoad(&launches, KILN_BINARY_DIR "/test/sim_kernels/launch.hsaco") ||
           hipModuleGetFunction(&reverse, launches, "reverse") || hipMalloc((void **)&out, 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(destroyed_handles),
        cmocka_unit_test(graphs_outlive_modules),
        cmocka_unit_test(what_may_not_be_done_during_capture),
        cmocka_unit_test(nodes_refuse),
        cmocka_unit_test(attributes_have_the_width_of_amds),
        cmocka_unit_test(executable_copies_keep_their_direction),
        cmocka_unit_test(captures_continue_after_set_dependencies),
        cmocka_unit_test(cycles_are_not_instantiated),
        cmocka_unit_test(graphs_outlive_streams_that_capture_into_them),
        cmocka_unit_test(captures_into_one_graph_are_two),
        cmocka_unit_test(captures_refuse_destroyed_nodes),
        cmocka_unit_test(copies_refer_to_their_originals),
        cmocka_unit_test(copies_are_not_larger_than_memory),
        cmocka_unit_test(requests_are_stored),
        cmocka_unit_test(cooperative_kernels_see_their_grid),
        cmocka_unit_test(graphs_reserve_what_they_use),
        cmocka_unit_test(reset_frees)};
    return cmocka_run_group_tests(tests, load, NULL);
}
