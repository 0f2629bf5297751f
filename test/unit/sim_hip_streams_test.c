// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams that work beside the host and beside each other, in the order that HIP promises, on two devices; what processes share; memory that is mapped; and
// memory of graphs. Streams are held up by words in memory that they wait for, so nothing here depends on how fast the host is.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hip/engine.h"
#include "hip/entry.h"

#define NOT_READY 600
#define GATE 1u // what a gate's word is when it is open

static hipModule_t module;
static hipFunction_t reverse, bad_word; // reverse: out[i] = in[255 - i], 256 work-items
static int *a, *b;
static uint32_t *gate;

static void shut(hipStream_t stream)
{
    __atomic_store_n(gate, 0, __ATOMIC_RELEASE);
    assert_int_equal(hipStreamWaitValue32(stream, gate, GATE, 1, UINT32_MAX), 0);
}

static void open_gate(void)
{
    __atomic_store_n(gate, GATE, __ATOMIC_RELEASE);
}

static int launch(hipFunction_t function, hipStream_t stream, int *out, int *in)
{
    void *arguments[] = {out, in};
    size_t size = sizeof arguments;
    void *extra[] = {(void *)1, arguments, (void *)2, &size, (void *)3};
    return hipModuleLaunchKernel(function, 1, 1, 1, 256, 1, 1, 0, stream, NULL, extra);
}

static void fill(int *values)
{
    for (int i = 0; i < 256; i++)
        values[i] = i;
}

// ---- order

static void streams_work_beside_each_other(void **state)
{
    (void)state;
    hipStream_t one, two;
    hipEvent_t first, second;
    assert_int_equal(hipStreamCreateWithFlags(&one, 1), 0);
    assert_int_equal(hipStreamCreateWithFlags(&two, 1), 0);
    assert_int_equal(hipEventCreate(&first), 0);
    assert_int_equal(hipEventCreate(&second), 0);
    fill(a);
    memset(b, 0, 1024);
    assert_int_equal(hipStreamQuery(one), 0);
    shut(one);
    assert_int_equal(hipEventRecord(first, one), 0);
    assert_int_equal(launch(reverse, two, b, a), 0);
    assert_int_equal(hipEventRecord(second, two), 0);
    assert_int_equal(hipStreamSynchronize(two), 0);
    assert_int_equal(b[0], 255);
    assert_int_equal(hipEventQuery(second), 0);
    assert_int_equal(hipStreamQuery(one), NOT_READY);
    assert_int_equal(hipEventQuery(first), NOT_READY);
    assert_int_equal(hipGetLastError(), NOT_READY);
    assert_int_equal(hipPeekAtLastError(), 0);
    float ms;
    assert_int_equal(hipEventElapsedTime(&ms, first, second), NOT_READY);
    open_gate();
    assert_int_equal(hipEventSynchronize(first), 0);
    assert_int_equal(hipEventElapsedTime(&ms, first, second), 0);
    assert_true(ms > 0); // the kernel, which had no need to wait
    assert_int_equal(hipEventDestroy(first), 0);
    assert_int_equal(hipEventDestroy(second), 0);
    assert_int_equal(hipStreamDestroy(one), 0);
    assert_int_equal(hipStreamDestroy(two), 0);
    assert_int_equal(hipStreamDestroy(two), 709); // hipErrorContextIsDestroyed
    assert_int_equal(hipStreamQuery(two), 709);
}

typedef struct note {
    pthread_t thread;
    int seen, calls;
} note_t;

static void take_note(void *data)
{
    note_t *note = data;
    note->thread = pthread_self();
    note->seen = b[0];
    note->calls++;
}

static void call_back(hipStream_t stream, hipError_t status, void *data)
{
    (void)stream;
    assert_int_equal(status, 0);
    ((note_t *)data)->calls += 10;
}

static void events_and_the_host_have_their_turn(void **state)
{
    (void)state;
    hipStream_t one, two;
    hipEvent_t event;
    note_t before = {.seen = -1}, behind = {.seen = -1};
    assert_int_equal(hipStreamCreate(&one), 0);
    assert_int_equal(hipStreamCreate(&two), 0);
    assert_int_equal(hipEventCreateWithFlags(&event, 2), 0);
    fill(a);
    memset(b, 0, 1024);
    shut(one);
    assert_int_equal(launch(reverse, one, b, a), 0);
    assert_int_equal(hipEventRecord(event, one), 0);
    assert_int_equal(hipLaunchHostFunc(two, take_note, &before), 0);
    assert_int_equal(hipStreamSynchronize(two), 0);
    assert_int_equal(hipStreamWaitEvent(two, event, 0), 0);
    assert_int_equal(hipEventRecord(event, two), 0); // whoever waits for the first time goes on doing that
    assert_int_equal(hipLaunchHostFunc(two, take_note, &behind), 0);
    assert_int_equal(hipStreamAddCallback(two, call_back, &behind, 0), 0);
    assert_int_equal(hipStreamQuery(two), NOT_READY);
    assert_int_equal(b[0], 0);
    open_gate();
    assert_int_equal(hipStreamSynchronize(two), 0);
    assert_int_equal(before.seen, 0);
    assert_int_equal(behind.seen, 255);
    assert_int_equal(behind.calls, 11);
    assert_false(pthread_equal(behind.thread, pthread_self()));
    hipGetLastError();
    assert_int_equal(hipEventDestroy(event), 0);
    assert_int_equal(hipStreamDestroy(one), 0);
    assert_int_equal(hipStreamDestroy(two), 0);
}

// The null stream and streams that take part in it wait for each other; hipStreamPerThread is another thread's no business.
static void null_stream_waits(void **state)
{
    (void)state;
    hipStream_t blocking, free_one;
    note_t note = {.seen = -1}, own = {.seen = -1};
    assert_int_equal(hipStreamCreate(&blocking), 0);
    assert_int_equal(hipStreamCreateWithFlags(&free_one, 1), 0);
    shut(blocking);
    assert_int_equal(hipLaunchHostFunc(NULL, take_note, &note), 0);
    assert_int_equal(hipLaunchHostFunc(free_one, take_note, &own), 0);
    assert_int_equal(hipStreamSynchronize(free_one), 0);
    assert_int_equal(own.calls, 1);
    assert_int_equal(hipStreamQuery(NULL), NOT_READY);
    assert_int_equal(hipStreamQuery((hipStream_t)1), NOT_READY);       // hipStreamLegacy
    assert_int_equal(hipLaunchHostFunc_spt(NULL, take_note, &own), 0); // waits for the null stream, too
    assert_int_equal(hipStreamQuery((hipStream_t)2), NOT_READY);
    assert_int_equal(note.calls, 0);
    open_gate();
    assert_int_equal(hipStreamSynchronize_spt(NULL), 0);
    assert_int_equal(note.calls, 1);
    assert_int_equal(own.calls, 2);
    assert_int_equal(hipStreamSynchronize(NULL), 0);
    hipGetLastError();
    assert_int_equal(hipStreamDestroy(blocking), 0);
    assert_int_equal(hipStreamDestroy(free_one), 0);
}

// What goes wrong in a kernel is told by the next call that waits, once; what can be known before, by the launch.
static void errors_come_late(void **state)
{
    (void)state;
    assert_int_equal(launch(bad_word, NULL, b, a), 0);
    assert_int_equal(hipDeviceSynchronize(), 719);
    assert_non_null(strstr(hipGetErrorString(719), "no instruction of gfx942"));
    assert_int_equal(hipPeekAtLastError(), 719);
    assert_int_equal(hipGetLastError(), 719);
    assert_int_equal(hipGetLastError(), 0);
    assert_int_equal(hipDeviceSynchronize(), 0);
    assert_int_equal(hipModuleLaunchKernel(reverse, 1, 1, 1, 4096, 1, 1, 0, NULL, NULL, NULL), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipMemcpyAsync(b, a, 1 << 20, 3, NULL), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipMemsetAsync(b, 0, 1 << 20, NULL), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipExtGetLastError(), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipDeviceSynchronize(), 0);
}

static void *work_of_a_thread(void *data)
{
    int *out = data, in[256], back[256];
    hipStream_t stream;
    bool good = hipStreamCreateWithFlags(&stream, 1) == 0;
    for (int i = 0; i < 256; i++)
        in[i] = 7 * i;
    for (int round = 0; good && round < 20; round++) {
        good = hipMemcpyAsync(out, in, sizeof in, 1, stream) == 0 && launch(reverse, stream, out + 256, out) == 0 &&
               hipMemcpyAsync(back, out + 256, sizeof back, 2, stream) == 0 && hipStreamSynchronize(stream) == 0;
        good = good && back[0] == 7 * 255 && back[255] == 0;
    }
    good = good && hipStreamDestroy(stream) == 0;
    return good ? data : NULL;
}

static void threads_have_streams(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    int *memory;
    assert_int_equal(hipMalloc((void **)&memory, THREADS * 2048), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work_of_a_thread, memory + 512 * i), 0);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        assert_non_null(result);
    }
    assert_int_equal(hipFree(memory), 0);
}

// ---- devices

static void devices_are_apart(void **state)
{
    (void)state;
    int count, device, can, *far;
    hipStream_t there;
    hip_uuid_t uuids[2];
    assert_int_equal(hipGetDeviceCount(&count), 0);
    assert_int_equal(count, 2);
    assert_int_equal(hipSetDevice(2), 101);
    assert_int_equal(hipDeviceGetUuid(&uuids[0], 0), 0);
    assert_int_equal(hipDeviceGetUuid(&uuids[1], 1), 0);
    assert_memory_not_equal(&uuids[0], &uuids[1], sizeof uuids[0]);
    assert_int_equal(hipSetDevice(1), 0);
    assert_int_equal(hipMalloc((void **)&far, 1024), 0);
    assert_int_equal(hipStreamCreate(&there), 0);
    assert_int_equal(hipStreamGetDevice(there, &device), 0);
    assert_int_equal(device, 1);
    assert_int_equal(hipSetDevice(0), 0);
    fill(a);
    assert_int_equal(hipMemcpyPeer(far, 1, a, 0, 1024), 0);
    assert_int_equal(far[200], 200);
    // Code of device 0 on a stream of device 1; then memory of device 1 without, and with, access.
    assert_int_equal(launch(reverse, there, b, a), 400);
    assert_int_equal(launch(reverse, NULL, b, far), 0);
    assert_int_equal(hipDeviceSynchronize(), 700);
    assert_int_equal(hipDeviceCanAccessPeer(&can, 0, 1), 0);
    assert_int_equal(can, 1);
    assert_int_equal(hipDeviceEnablePeerAccess(0, 0), 101);
    assert_int_equal(hipDeviceEnablePeerAccess(1, 0), 0);
    assert_int_equal(hipDeviceEnablePeerAccess(1, 0), 704);
    assert_int_equal(launch(reverse, NULL, b, far), 0);
    assert_int_equal(hipDeviceSynchronize(), 0);
    assert_int_equal(b[0], 255);
    assert_int_equal(hipDeviceDisablePeerAccess(1), 0);
    assert_int_equal(hipDeviceDisablePeerAccess(1), 705);
    assert_int_equal(hipStreamDestroy(there), 0);
    assert_int_equal(hipFree(far), 0);
    hipGetLastError();
}

static void *use_other_device(void *data)
{
    int *device = data;
    return hipGetDevice(device) == 0 && *device == 0 && hipSetDevice(1) == 0 && hipGetDevice(device) == 0 ? data : NULL;
}

static void each_thread_has_its_device(void **state)
{
    (void)state;
    int there = -1, here = -1;
    pthread_t thread;
    void *result;
    hipCtx_t context, current;
    assert_int_equal(pthread_create(&thread, NULL, use_other_device, &there), 0);
    pthread_join(thread, &result);
    assert_non_null(result);
    assert_int_equal(there, 1);
    assert_int_equal(hipGetDevice(&here), 0);
    assert_int_equal(here, 0);
    assert_int_equal(hipDevicePrimaryCtxRetain(&context, 1), 0);
    assert_int_equal(hipCtxPushCurrent(context), 0);
    assert_int_equal(hipCtxGetDevice(&here), 0);
    assert_int_equal(here, 1);
    assert_int_equal(hipCtxPopCurrent(&current), 0);
    assert_ptr_equal(current, context);
    assert_int_equal(hipCtxGetDevice(&here), 0);
    assert_int_equal(here, 0);
}

// ---- memory

static void mapped_memory(void **state)
{
    (void)state;
    const hipMemAllocationProp properties = {.type = 1, .handle_type = 1, .location = {1, 0}};
    const hipMemAccessDesc access = {{1, 0}, 3};
    hipMemGenericAllocationHandle_t handle, again;
    size_t size = 0, before, during, total;
    int *pointer, file = -1;
    unsigned long long flags = 0;
    assert_int_equal(hipMemGetAllocationGranularity(&size, &properties, 0), 0);
    assert_int_equal(hipMemGetInfo(&before, &total), 0);
    assert_int_equal(hipMemAddressReserve((void **)&pointer, 2 * size, 0, NULL, 0), 0);
    assert_int_equal(hipMemCreate(&handle, size, &properties, 0), 0);
    assert_int_equal(hipMemGetInfo(&during, &total), 0);
    assert_int_equal(before - during, size);
    assert_int_equal(hipMemMap(pointer, size, 0, handle, 0), 0);
    assert_int_equal(hipMemMap(pointer, size, 0, handle, 0), KILN_SIM_INVALID_VALUE);
    fill(a);
    assert_int_equal(launch(reverse, NULL, pointer, a), 0); // mapped, but nobody may use it
    assert_int_equal(hipDeviceSynchronize(), 700);
    assert_int_equal(hipMemSetAccess(pointer, SIZE_MAX, &access, 1), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipMemSetAccess(pointer, size, &access, 1), 0);
    assert_int_equal(hipMemGetAccess(&flags, &access.location, pointer), 0);
    assert_int_equal(flags, 3);
    assert_int_equal(launch(reverse, NULL, pointer, a), 0);
    assert_int_equal(hipDeviceSynchronize(), 0);
    assert_int_equal(pointer[0], 255);
    // The same memory at a second place, by way of its file.
    assert_int_equal(hipMemExportToShareableHandle(&file, handle, 1, 0), 0);
    assert_int_equal(hipMemImportFromShareableHandle(&again, (void *)(intptr_t)file, 1), 0);
    close(file);
    char *second = (char *)pointer + size;
    assert_int_equal(hipMemMap(second, size, 0, again, 0), 0);
    assert_int_equal(hipMemSetAccess(second, size, &access, 1), 0);
    assert_int_equal(*(int *)second, 255);
    assert_int_equal(hipMemRelease(handle), 0);
    assert_int_equal(hipMemRelease(again), 0);
    assert_int_equal(hipMemAddressFree(pointer, 2 * size), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipMemUnmap(second, size), 0);
    assert_int_equal(hipMemUnmap(pointer, size), 0);
    assert_int_equal(hipMemAddressFree(pointer, 2 * size), 0);
    assert_int_equal(hipMemGetInfo(&during, &total), 0);
    assert_int_equal(before, during);
    hipGetLastError();
}

static void pools_count(void **state)
{
    (void)state;
    const hipMemPoolProps properties = {.type = 1, .location = {1, 0}, .limit = 1 << 20};
    hipMemPool_t pool;
    hipStream_t stream;
    void *pointer, *more;
    uint64_t used = 0, most = 0, reserved = 0;
    assert_int_equal(hipStreamCreate(&stream), 0);
    assert_int_equal(hipMemPoolCreate(&pool, &properties), 0);
    assert_int_equal(hipMallocFromPoolAsync(&pointer, 1 << 19, pool, stream), 0);
    assert_int_equal(hipMallocFromPoolAsync(&more, 1 << 20, pool, stream), KILN_SIM_OUT_OF_MEMORY);
    shut(stream);
    assert_int_equal(hipFreeAsync(pointer, stream), 0);
    assert_int_equal(hipMemPoolGetAttribute(pool, 7, &used), 0);
    assert_int_equal(used, 0);
    assert_int_equal(hipMemPoolTrimTo(pool, 0), 0);
    assert_int_equal(hipMemPoolGetAttribute(pool, 5, &reserved), 0);
    assert_int_equal(reserved, 1 << 19); // the stream has not come to it
    assert_int_equal(hipFreeAsync(pointer, stream), KILN_SIM_INVALID_VALUE);
    open_gate();
    assert_int_equal(hipStreamSynchronize(stream), 0);
    assert_int_equal(hipMemPoolGetAttribute(pool, 7, &used), 0);
    assert_int_equal(hipMemPoolGetAttribute(pool, 8, &most), 0);
    assert_int_equal(used, 0);
    assert_int_equal(most, 1 << 19);
    assert_int_equal(hipMemPoolGetAttribute(pool, 5, &reserved), 0);
    assert_int_equal(reserved, 0);
    // The limit is of the most that it ever held, until that is set back.
    assert_int_equal(hipMallocFromPoolAsync(&more, (1 << 19) + 1, pool, stream), KILN_SIM_OUT_OF_MEMORY);
    assert_null(more);
    assert_int_equal(hipMallocFromPoolAsync(&more, 1 << 19, pool, stream), 0);
    assert_int_equal(hipFreeAsync(more, stream), 0);
    assert_int_equal(hipStreamSynchronize(stream), 0);
    assert_int_equal(hipMemPoolSetAttribute(pool, 6, &reserved), 0);
    assert_int_equal(hipMallocFromPoolAsync(&more, 1 << 20, pool, stream), 0);
    assert_int_equal(hipFreeAsync(more, stream), 0);
    assert_int_equal(hipStreamSynchronize(stream), 0);
    assert_int_equal(hipMemPoolDestroy(pool), 0);
    assert_int_equal(hipStreamDestroy(stream), 0);
    hipGetLastError();
}

static void *from_pool(hipMemPool_t pool, hipStream_t stream)
{
    void *pointer;
    assert_int_equal(hipMallocFromPoolAsync(&pointer, 5000, pool, stream), 0);
    return pointer;
}

// Freed memory is given again to who may have it, and goes back when the host waits, down to the threshold.
static void pools_use_memory_again(void **state)
{
    (void)state;
    const hipMemPoolProps properties = {.type = 1, .location = {1, 0}};
    hipMemPool_t pool;
    hipStream_t one, two, three;
    hipEvent_t early, late;
    uint64_t reserved, threshold = 6000;
    int no = 0;
    assert_int_equal(hipStreamCreateWithFlags(&one, 1), 0);
    assert_int_equal(hipStreamCreateWithFlags(&two, 1), 0);
    assert_int_equal(hipStreamCreateWithFlags(&three, 1), 0);
    assert_int_equal(hipEventCreate(&early), 0);
    assert_int_equal(hipEventCreate(&late), 0);
    assert_int_equal(hipMemPoolCreate(&pool, &properties), 0);
    void *a0 = from_pool(pool, one);
    shut(one);
    assert_int_equal(hipEventRecord(early, one), 0);
    assert_int_equal(hipFreeAsync(a0, one), 0);
    assert_int_equal(hipEventRecord(late, one), 0);
    assert_int_equal(hipStreamWaitEvent(three, early, 0), 0);
    void *other = from_pool(pool, two), *third = from_pool(pool, three);
    assert_ptr_not_equal(other, a0);
    assert_ptr_not_equal(third, a0);
    assert_int_equal(hipStreamWaitEvent(three, late, 0), 0);
    assert_ptr_equal(from_pool(pool, three), a0);
    assert_int_equal(hipFreeAsync(a0, one), 0);
    assert_ptr_equal(from_pool(pool, one), a0);
    assert_int_equal(hipFreeAsync(a0, one), 0);
    open_gate();
    while (hipStreamQuery(one) == NOT_READY)
        usleep(100);
    assert_int_equal(hipMemPoolSetAttribute(pool, 2, &no), 0); // hipMemPoolReuseAllowOpportunistic
    void *fresh = from_pool(pool, two);
    assert_ptr_not_equal(fresh, a0);
    no = 1;
    assert_int_equal(hipMemPoolSetAttribute(pool, 2, &no), 0);
    assert_ptr_equal(from_pool(pool, two), a0);
    assert_int_equal(hipFreeAsync(a0, two), 0);
    void *small, *part; // nothing of what another stream freed, and a part of what its own did
    assert_int_equal(hipMallocFromPoolAsync(&small, 1000, pool, one), 0);
    assert_ptr_not_equal(small, a0);
    assert_int_equal(hipMallocFromPoolAsync(&part, 4000, pool, two), 0);
    assert_ptr_equal(part, a0);
    assert_int_equal(hipFreeAsync(part, two), 0);
    assert_int_equal(hipFreeAsync(other, two), 0);
    assert_int_equal(hipFreeAsync(third, two), 0);
    assert_int_equal(hipFreeAsync(fresh, two), 0);
    assert_int_equal(hipMemPoolSetAttribute(pool, 4, &threshold), 0);
    assert_int_equal(hipMemPoolGetAttribute(pool, 5, &reserved), 0);
    assert_int_equal(reserved, 4 * 5000 + 1000);
    assert_int_equal(hipStreamSynchronize(two), 0);
    assert_int_equal(hipMemPoolGetAttribute(pool, 5, &reserved), 0);
    assert_int_equal(reserved, 5000 + 1000);
    assert_int_equal(hipFreeAsync(small, two), 0);
    assert_int_equal(hipStreamSynchronize(two), 0);
    assert_int_equal(hipMemPoolTrimTo(pool, 0), 0);
    assert_int_equal(hipMemPoolGetAttribute(pool, 5, &reserved), 0);
    assert_int_equal(reserved, 0);
    assert_int_equal(hipMemPoolDestroy(pool), 0);
    assert_int_equal(hipEventDestroy(early), 0);
    assert_int_equal(hipEventDestroy(late), 0);
    assert_int_equal(hipStreamDestroy(one), 0);
    assert_int_equal(hipStreamDestroy(two), 0);
    assert_int_equal(hipStreamDestroy(three), 0);
    hipGetLastError();
}

static void graphs_make_memory(void **state)
{
    (void)state;
    hipMemAllocNodeParams params = {.pool = {.type = 1, .location = {1, 0}}, .size = 1024};
    hipGraph_t graph;
    hipGraphExec_t exec;
    hipGraphNode_t make, kernel, copy, end;
    int out[256];
    uint64_t used = 1;
    assert_int_equal(hipGraphCreate(&graph, 0), 0);
    assert_int_equal(hipGraphAddMemAllocNode(&make, graph, NULL, 0, &params), 0);
    void *arguments[] = {params.pointer, a};
    size_t size = sizeof arguments;
    void *extra[] = {(void *)1, arguments, (void *)2, &size, (void *)3};
    const hip_kernel_node_t node = {.block = {256, 1, 1}, .grid = {1, 1, 1}, .function = reverse, .extra = extra};
    assert_int_equal(hipGraphAddKernelNode(&kernel, graph, &make, 1, &node), 0);
    assert_int_equal(hipGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, out, params.pointer, sizeof out, 2), 0);
    assert_int_equal(hipGraphAddMemFreeNode(&end, graph, &copy, 1, params.pointer), 0);
    assert_int_equal(hipGraphAddMemFreeNode(&end, graph, &copy, 1, params.pointer), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipGraphInstantiate(&exec, graph, NULL, NULL, 0), 0);
    fill(a);
    for (int i = 0; i < 2; i++) {
        memset(out, 0, sizeof out);
        assert_int_equal(hipGraphLaunch(exec, NULL), 0);
        assert_int_equal(hipStreamSynchronize(NULL), 0);
        assert_int_equal(out[0], 255);
    }
    assert_int_equal(hipDeviceGetGraphMemAttribute(0, 0, &used), 0);
    assert_int_equal(used, 0);
    assert_int_equal(hipDeviceGetGraphMemAttribute(0, 1, &used), 0);
    assert_int_equal(used, 1024);
    assert_int_equal(hipGraphExecDestroy(exec), 0);
    assert_int_equal(hipGraphDestroy(graph), 0);
    hipGetLastError();
}

static hipGraphExec_t graph_with_memory(hipGraph_t *graph, bool frees, void **pointer)
{
    hipMemAllocNodeParams params = {.pool = {.type = 1, .location = {1, 0}}, .size = 1024};
    hipGraphExec_t exec;
    hipGraphNode_t make, fill_it, end;
    assert_int_equal(hipGraphCreate(graph, 0), 0);
    assert_int_equal(hipGraphAddMemAllocNode(&make, *graph, NULL, 0, &params), 0);
    const hip_fill_node_t filled = {.to = params.pointer, .element = 4, .width = 256, .height = 1, .pitch = 1024};
    assert_int_equal(hipGraphAddMemsetNode(&fill_it, *graph, &make, 1, &filled), 0);
    if (frees)
        assert_int_equal(hipGraphAddMemFreeNode(&end, *graph, &fill_it, 1, params.pointer), 0);
    assert_int_equal(hipGraphInstantiate(&exec, *graph, NULL, NULL, 0), 0);
    *pointer = params.pointer;
    return exec;
}

static bool is_allocated(void *pointer)
{
    void *base;
    const bool is = hipMemGetAddressRange(&base, NULL, pointer) == 0;
    hipGetLastError();
    return is;
}

// What may be launched again is known from the order of the calls, not by how far streams have come; and memory stays until they have come to it.
static void graphs_and_their_memory(void **state)
{
    (void)state;
    hipStream_t stream;
    hipGraph_t graph, other;
    void *pointer, *others;
    assert_int_equal(hipStreamCreateWithFlags(&stream, 1), 0);
    hipGraphExec_t exec = graph_with_memory(&graph, true, &pointer);
    shut(stream);
    assert_int_equal(hipGraphLaunch(exec, stream), 0);
    assert_int_equal(hipGraphLaunch(exec, stream), 0);
    assert_int_equal(hipGraphExecDestroy(exec), 0);
    assert_int_equal(hipGraphDestroy(graph), 0);
    assert_true(is_allocated(pointer));
    open_gate();
    assert_int_equal(hipStreamSynchronize(stream), 0);
    assert_false(is_allocated(pointer));
    // What the graph doesn't free the program has to, and may when the stream comes to it.
    exec = graph_with_memory(&graph, false, &pointer);
    shut(stream);
    assert_int_equal(hipGraphLaunch(exec, stream), 0);
    assert_int_equal(hipGraphLaunch(exec, stream), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipFreeAsync(pointer, stream), 0);
    assert_int_equal(hipGraphLaunch(exec, stream), 0);
    open_gate();
    assert_int_equal(hipStreamSynchronize(stream), 0);
    assert_int_equal(hipFree(pointer), 0);
    // An executable graph that takes over another graph's work holds that one's memory instead of its own.
    hipGraphExec_t unused = graph_with_memory(&other, false, &others);
    hipGraphNode_t bad;
    hipGraphExecUpdateResult result;
    assert_int_equal(hipGraphExecUpdate(exec, other, &bad, &result), 0);
    assert_int_equal(hipGraphExecDestroy(unused), 0);
    assert_int_equal(hipGraphExecDestroy(exec), 0);
    assert_true(is_allocated(pointer) && is_allocated(others));
    assert_int_equal(hipGraphDestroy(other), 0);
    assert_true(is_allocated(pointer) && !is_allocated(others));
    assert_int_equal(hipGraphDestroy(graph), 0);
    assert_false(is_allocated(pointer));
    assert_int_equal(hipStreamDestroy(stream), 0);
    hipGetLastError();
}

// Words are written and read by the host: whole, and in memory that is there.
static void words_lie_in_memory(void **state)
{
    (void)state;
    enum { PAGE = 4096, WRITE_32 = 2, WAIT_32 = 1 };
    char *page;
    hipStream_t stream;
    hipGraph_t graph;
    hipGraphNode_t node;
    hipGraphExec_t exec;
    assert_int_equal(hipStreamCreateWithFlags(&stream, 1), 0);
    assert_int_equal(hipMalloc((void **)&page, PAGE), 0);
    assert_int_equal(hipStreamWriteValue32(stream, page + PAGE - 4, 1, 0), 0);
    assert_int_equal(hipStreamWriteValue64(stream, page + PAGE - 4, 1, 0), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipStreamWaitValue64(stream, page + PAGE - 4, 1, 0, UINT64_MAX), KILN_SIM_INVALID_VALUE);
    hipStreamBatchMemOpParams words[2] = {{.operation = WRITE_32}, {.operation = WAIT_32}};
    hipBatchMemOpNodeParams batch = {.count = 2, .all = words};
    words[0].value.address = words[1].value.address = page + PAGE - 3;
    assert_int_equal(hipGraphCreate(&graph, 0), 0);
    assert_int_equal(hipGraphAddBatchMemOpNode(&node, graph, NULL, 0, &batch), KILN_SIM_INVALID_VALUE);
    // HIP's `alias` means nothing: no bits are masked by it.
    words[0].value.address = words[1].value.address = page;
    words[0].value.is.value = words[1].value.is.value = 5;
    words[1].value.alias = (void *)2;
    assert_int_equal(hipGraphAddBatchMemOpNode(&node, graph, NULL, 0, &batch), 0);
    assert_int_equal(hipGraphInstantiate(&exec, graph, NULL, NULL, 0), 0);
    batch.count = 257;
    assert_int_equal(hipGraphExecBatchMemOpNodeSetParams(exec, node, &batch), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipGraphLaunch(exec, stream), 0);
    assert_int_equal(hipStreamSynchronize(stream), 0);
    assert_int_equal(*(int *)page, 5);
    assert_int_equal(hipGraphExecDestroy(exec), 0);
    assert_int_equal(hipGraphDestroy(graph), 0);
    assert_int_equal(hipStreamDestroy(stream), 0);
    assert_int_equal(hipFree(page), 0);
    hipGetLastError();
}

static void refused(void **state)
{
    (void)state;
    hipArray_t array;
    assert_int_equal(hipMallocArray(&array, NULL, 1, 1, 0), KILN_SIM_NOT_SUPPORTED);
    assert_non_null(strstr(hipGetErrorString(KILN_SIM_NOT_SUPPORTED), "hipMallocArray"));
    hipGetLastError();
}

// ---- processes

static int other_process(char **argv)
{
    hipIpcMemHandle_t memory;
    hipIpcEventHandle_t event_handle;
    hipEvent_t event;
    int *shared;
    for (size_t i = 0; i < sizeof memory; i++) {
        memory.bytes[i] = (char)strtol((char[]){argv[2][2 * i], argv[2][2 * i + 1], 0}, NULL, 16);
        event_handle.bytes[i] = (char)strtol((char[]){argv[3][2 * i], argv[3][2 * i + 1], 0}, NULL, 16);
    }
    if (hipIpcOpenMemHandle((void **)&shared, memory, 1) || hipIpcOpenEventHandle(&event, event_handle) ||
        hipEventSynchronize(event))
        return 1;
    const bool good = shared[0] == 77;
    shared[1] = 78;
    return good && hipIpcCloseMemHandle(shared) == 0 && hipEventDestroy(event) == 0 ? 0 : 2;
}

static void write_hex(char *text, const char *bytes)
{
    for (size_t i = 0; i < 64; i++)
        snprintf(text + 2 * i, 3, "%02x", (unsigned char)bytes[i]);
}

static void processes_share(void **state)
{
    (void)state;
    hipIpcMemHandle_t memory;
    hipIpcEventHandle_t event_handle;
    hipEvent_t event;
    int *shared, status;
    char texts[2][129];
    assert_int_equal(hipMalloc((void **)&shared, 5000), 0);
    shared[0] = 77;
    assert_int_equal(hipEventCreateWithFlags(&event, 6), 0);
    assert_int_equal(hipEventRecord(event, NULL), 0);
    assert_int_equal(hipIpcGetMemHandle(&memory, shared), 0);
    assert_int_equal(hipIpcGetEventHandle(&event_handle, event), 0);
    write_hex(texts[0], memory.bytes);
    write_hex(texts[1], event_handle.bytes);
    void *again;
    assert_int_equal(hipIpcOpenMemHandle(&again, memory, 1), 201); // not in the same process
    const pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "child", "--open", texts[0], texts[1], (char *)NULL);
        _exit(9);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(shared[1], 78);
    assert_int_equal(hipEventDestroy(event), 0);
    assert_int_equal(hipFree(shared), 0);
    hipGetLastError();
}

// A shared event may be destroyed before streams have come to it; and memory that is gone keeps no file open.
static void what_was_shared_goes(void **state)
{
    (void)state;
    hipStream_t stream;
    hipEvent_t event;
    hipIpcMemHandle_t handle;
    struct rlimit before, few;
    void *pointer;
    assert_int_equal(hipStreamCreateWithFlags(&stream, 1), 0);
    assert_int_equal(hipEventCreateWithFlags(&event, 6), 0);
    shut(stream);
    assert_int_equal(hipEventRecord(event, stream), 0);
    assert_int_equal(hipStreamWaitEvent(stream, event, 0), 0);
    assert_int_equal(hipEventDestroy(event), 0);
    open_gate();
    assert_int_equal(hipStreamSynchronize(stream), 0);
    assert_int_equal(hipStreamDestroy(stream), 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = 64;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(hipMalloc(&pointer, 64), 0);
        assert_int_equal(hipIpcGetMemHandle(&handle, pointer), 0);
        assert_int_equal(hipFree(pointer), 0);
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

static void doze(void *data)
{
    (void)data;
    usleep(50000);
}

// When the library has ended its work, destructors of the program may still call it: nothing waits for what nobody will do, and what has its turn is done.
static void calls_after_the_end(void **state)
{
    (void)state;
    const pid_t child = fork();
    int status;
    if (child == 0) {
        hipStream_t stream;
        alarm(20);
        bool good = !hipStreamCreateWithFlags(&stream, 1) && !hipLaunchHostFunc(stream, doze, NULL) &&
                    !hipLaunchHostFunc(stream, doze, NULL);
        kiln_sim_engine_stop();
        good = good && !hipDeviceSynchronize() && !hipStreamSynchronize(stream) && !hipStreamSynchronize(NULL);
        good = good && hipMemsetAsync(a, 1, 4, stream) == HIP_DEINITIALIZED;
        good = good && !hipStreamDestroy(stream) && !hipMemsetAsync(a, 2, 4, NULL) && *a == 0x02020202 && !hipFree(b);
        _exit(good ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static int load(void **state)
{
    (void)state;
    return kilnSimSetOption("async", "1") || hipModuleLoad(&module, KILN_BINARY_DIR "/test/sim_kernels/launch.hsaco") ||
           hipModuleGetFunction(&reverse, module, "reverse") || hipModuleGetFunction(&bad_word, module, "bad_word") ||
           hipMalloc((void **)&a, 1024) || hipMalloc((void **)&b, 1024) || hipHostMalloc((void **)&gate, 64, 0);
}

static int unload(void **state)
{
    (void)state;
    return hipFree(a) || hipFree(b) || hipHostFree(gate) || hipModuleUnload(module);
}

int main(int argc, char **argv)
{
    setenv("KILN_SIM_DEVICES", "2", 1);
    if (argc == 4 && strcmp(argv[1], "--open") == 0)
        return other_process(argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(streams_work_beside_each_other),
                                       cmocka_unit_test(events_and_the_host_have_their_turn),
                                       cmocka_unit_test(null_stream_waits),
                                       cmocka_unit_test(errors_come_late),
                                       cmocka_unit_test(threads_have_streams),
                                       cmocka_unit_test(devices_are_apart),
                                       cmocka_unit_test(each_thread_has_its_device),
                                       cmocka_unit_test(mapped_memory),
                                       cmocka_unit_test(pools_count),
                                       cmocka_unit_test(pools_use_memory_again),
                                       cmocka_unit_test(graphs_make_memory),
                                       cmocka_unit_test(graphs_and_their_memory),
                                       cmocka_unit_test(words_lie_in_memory),
                                       cmocka_unit_test(refused),
                                       cmocka_unit_test(processes_share),
                                       cmocka_unit_test(what_was_shared_goes),
                                       cmocka_unit_test(calls_after_the_end)};
    return cmocka_run_group_tests(tests, load, unload);
}
