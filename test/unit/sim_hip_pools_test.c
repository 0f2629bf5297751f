// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that streams allocate and free: mapped memory, pools and their reuse, and memory of
// graphs. Streams are blocked by words in memory that they wait for (sim_hip_streams.h), so nothing
// here depends on the speed of the host.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <unistd.h>

#include "hip_sim/entry.h"
#include "sim_hip_streams.h"

static void mapped_memory(void **state)
{
    (void)state;
    const hipMemAllocationProp properties = {.type = 1, .handle_type = 1, .location = {1, 0}};
    const hipMemAccessDesc access = {{1, 0}, 3};
    hipMemGenericAllocationHandle_t handle, again;
    size_t size = 0, before, during, total;
    int *pointer, file = -1;
    unsigned long long flags = 0;
    fill(a);
    assert_int_equal(launch(reverse, NULL, b, a), 0); // the first launch allocates memory
    assert_int_equal(hipDeviceSynchronize(), 0);
    assert_int_equal(hipMemGetAllocationGranularity(&size, &properties, 0), 0);
    assert_int_equal(hipMemGetInfo(&before, &total), 0);
    assert_int_equal(hipMemAddressReserve((void **)&pointer, 2 * size, 0, NULL, 0), 0);
    assert_int_equal(hipMemCreate(&handle, size, &properties, 0), 0);
    assert_int_equal(hipMemGetInfo(&during, &total), 0);
    assert_int_equal(before - during, size);
    assert_int_equal(hipMemMap(pointer, size, 0, handle, 0), 0);
    assert_int_equal(hipMemMap(pointer, size, 0, handle, 0), KILN_SIM_INVALID_VALUE);
    assert_int_equal(launch(reverse, NULL, pointer, a), 0); // mapped, but not accessible
    assert_int_equal(hipDeviceSynchronize(), 700);
    assert_int_equal(hipMemSetAccess(pointer, SIZE_MAX, &access, 1), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipMemSetAccess(pointer, size, &access, 1), 0);
    assert_int_equal(hipMemGetAccess(&flags, &access.location, pointer), 0);
    assert_int_equal(flags, 3);
    assert_int_equal(launch(reverse, NULL, pointer, a), 0);
    assert_int_equal(hipDeviceSynchronize(), 0);
    assert_int_equal(pointer[0], 255);
    // Maps the same memory at a second address through its file descriptor.
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

// Adjacent mappings are one range, which ends with the last one; a handle is released once for each
// reference of the program.
static void ranges_end_and_handles_are_counted(void **state)
{
    (void)state;
    const hipMemAllocationProp properties = {.type = 1, .location = {1, 0}};
    const hipMemAccessDesc access = {{1, 0}, 3};
    hipMemGenericAllocationHandle_t handles[2], again;
    size_t size = 0;
    char *range, row[16] = {0};
    assert_int_equal(hipMemGetAllocationGranularity(&size, &properties, 0), 0);
    assert_int_equal(hipMemAddressReserve((void **)&range, 3 * size, 0, NULL, 0), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(hipMemCreate(&handles[i], size, &properties, 0), 0);
        assert_int_equal(hipMemMap(range + (size_t)i * size, size, 0, handles[i], 0), 0);
    }
    assert_int_equal(hipMemSetAccess(range, 3 * size, &access, 1), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipMemset(range, 1, 1), KILN_SIM_INVALID_VALUE); // nothing has changed
    assert_int_equal(hipMemSetAccess(range, 2 * size, &access, 1), 0);
    assert_int_equal(hipMemset(range, 1, 2 * size), 0);
    assert_int_equal(hipMemset(range, 2, 2 * size + 1), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipMemset2D(range, size, 2, 16, 3), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipMemcpy(range + 2 * size - 8, row, 16, 1), KILN_SIM_INVALID_VALUE);
    assert_int_equal(range[0] + range[2 * size - 1], 2);
    assert_int_equal(hipMemset2D(range, size, 3, 16, 2), 0);
    assert_int_equal(range[size], 3);
    assert_int_equal(hipMemRelease(handles[0]), 0);
    assert_int_equal(hipMemRelease(handles[0]),
                     KILN_SIM_INVALID_VALUE); // only its mapping still holds it
    assert_int_equal(hipMemRetainAllocationHandle(&again, range), 0);
    assert_ptr_equal(again, handles[0]);
    assert_int_equal(hipFree(range), KILN_SIM_INVALID_VALUE); // not from hipMalloc
    assert_int_equal(hipFree(range + size), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipMemset(range, 4, 2 * size), 0); // still mapped
    assert_int_equal(hipMemUnmap(range, 2 * size), 0);
    assert_int_equal(hipMemRelease(again), 0);
    assert_int_equal(hipMemRelease(again), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipMemMap(range, size, 0, again, 0), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipMemRelease(handles[1]), 0);
    assert_int_equal(hipMemAddressFree(range, 3 * size), 0);
    hipGetLastError();
}

// No call writes memory that a device may only read, and a range that no device may access does not
// count as the host's memory.
static void access_is_kept(void **state)
{
    (void)state;
    enum { BYTES = 64 };
    const hipMemAllocationProp properties = {.type = 1, .location = {1, 0}};
    const hipMemAccessDesc read = {{1, 0}, 1}, write = {{1, 0}, 3};
    hipMemGenericAllocationHandle_t handle;
    hipStream_t stream;
    size_t size = 0;
    char *range, host[BYTES] = {1}, *other;
    assert_int_equal(hipMemGetAllocationGranularity(&size, &properties, 0), 0);
    assert_int_equal(hipMemAddressReserve((void **)&range, 2 * size, 0, NULL, 0), 0);
    assert_int_equal(hipMemCreate(&handle, size, &properties, 0), 0);
    assert_int_equal(hipMalloc((void **)&other, BYTES), 0);
    assert_int_equal(hipStreamCreate(&stream), 0);
    for (int mapped = 0; mapped < 2; mapped++) {
        assert_int_equal(hipMemset(range, 1, BYTES), KILN_SIM_INVALID_VALUE);
        assert_int_equal(hipMemcpy(range, host, BYTES, 1), KILN_SIM_INVALID_VALUE);
        assert_int_equal(hipMemcpy(host, range, BYTES, 2), KILN_SIM_INVALID_VALUE);
        assert_int_equal(hipMemcpy(range, host, BYTES, 4), KILN_SIM_INVALID_VALUE);
        assert_int_equal(hipMemcpy(other, range, BYTES, 3), KILN_SIM_INVALID_VALUE);
        assert_int_equal(hipMemcpyAsync(range, host, BYTES, 1, stream), KILN_SIM_INVALID_VALUE);
        assert_int_equal(hipMemcpy2D(range, 16, host, 16, 16, 4, 1), KILN_SIM_INVALID_VALUE);
        assert_int_equal(hipHostRegister(range, BYTES, 0), KILN_SIM_INVALID_VALUE);
        if (!mapped)
            assert_int_equal(hipMemMap(range, size, 0, handle, 0), 0);
    }
    assert_int_equal(hipMemSetAccess(range, size, &read, 1), 0);
    assert_int_equal(hipMemset(range, 1, BYTES), KILN_SIM_ILLEGAL_ADDRESS);
    assert_int_equal(hipMemsetD32(range, 1, 4), KILN_SIM_ILLEGAL_ADDRESS);
    assert_int_equal(hipMemset2D(range, 16, 1, 16, 4), KILN_SIM_ILLEGAL_ADDRESS);
    assert_int_equal(hipMemcpy(range, host, BYTES, 1), KILN_SIM_ILLEGAL_ADDRESS);
    assert_int_equal(hipMemcpy(range, other, BYTES, 3), KILN_SIM_ILLEGAL_ADDRESS);
    assert_int_equal(hipMemcpy2D(range, 16, host, 16, 16, 4, 1), KILN_SIM_ILLEGAL_ADDRESS);
    assert_int_equal(hipStreamWriteValue32(stream, range, 1, 0), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipMemcpy(host, range, BYTES, 2), 0);
    assert_int_equal(host[0], 0);
    assert_int_equal(hipMemSetAccess(range, size, &write, 1), 0);
    assert_int_equal(hipMemset(range, 1, BYTES), 0);
    assert_int_equal(hipMemSetAccess(range, size, &read, 1), 0);
    assert_int_equal(hipMemset(range, 2, BYTES), KILN_SIM_ILLEGAL_ADDRESS);
    assert_int_equal(hipMemcpy(host, range, BYTES, 2), 0);
    assert_int_equal(host[0], 1);
    assert_int_equal(hipStreamDestroy(stream), 0);
    assert_int_equal(hipFree(other), 0);
    assert_int_equal(hipMemUnmap(range, size), 0);
    assert_int_equal(hipMemRelease(handle), 0);
    assert_int_equal(hipMemAddressFree(range, 2 * size), 0);
    hipGetLastError();
}

static void *open_later(void *unused)
{
    usleep(50000);
    open_gate();
    return unused;
}

// Like hipMemUnmap, which closes the same pages.
static void access_ends_behind_earlier_work(void **state)
{
    (void)state;
    const hipMemAllocationProp properties = {.type = 1, .location = {1, 0}};
    const hipMemAccessDesc write = {{1, 0}, 3}, none = {{1, 0}, 0};
    hipMemGenericAllocationHandle_t handle;
    hipStream_t stream;
    pthread_t opener;
    size_t size = 0;
    char *range, *copy;
    assert_int_equal(hipMemGetAllocationGranularity(&size, &properties, 0), 0);
    assert_int_equal(hipMemAddressReserve((void **)&range, size, 0, NULL, 0), 0);
    assert_int_equal(hipMemCreate(&handle, size, &properties, 0), 0);
    assert_int_equal(hipMemMap(range, size, 0, handle, 0), 0);
    assert_int_equal(hipMemSetAccess(range, size, &write, 1), 0);
    assert_int_equal(hipMalloc((void **)&copy, 64), 0);
    assert_int_equal(hipMemset(range, 7, 64), 0);
    assert_int_equal(hipStreamCreateWithFlags(&stream, 1), 0);
    block_stream(stream);
    assert_int_equal(hipMemcpyAsync(copy, range, 64, 3, stream), 0);
    assert_int_equal(hipMemSetAccess(range, size, &write, 1), 0); // does not wait
    assert_int_equal(hipStreamQuery(stream), NOT_READY);
    assert_int_equal(pthread_create(&opener, NULL, open_later, NULL), 0);
    assert_int_equal(hipMemSetAccess(range, size, &none, 1), 0);
    pthread_join(opener, NULL);
    assert_int_equal(hipStreamSynchronize(stream), 0);
    assert_int_equal(copy[0], 7);
    assert_int_equal(hipStreamDestroy(stream), 0);
    assert_int_equal(hipFree(copy), 0);
    assert_int_equal(hipMemUnmap(range, size), 0);
    assert_int_equal(hipMemRelease(handle), 0);
    assert_int_equal(hipMemAddressFree(range, size), 0);
}

// Programs built with ROCm 5.2 pass another struct of properties to the same functions.
static void old_properties_are_known(void **state)
{
    (void)state;
    for (int handle_type = 0; handle_type < 2; handle_type++) {
        for (int compression = 0; compression < 2; compression++) {
            hip_old_physical_properties_t old, back;
            memset(&old, 0xa5, sizeof old); // gaps may contain anything
            old.compression = (unsigned char)compression;
            old.location = (hipMemLocation){1, 0};
            old.handle_type = handle_type;
            old.type = 1;
            old.usage = 0;
            old.metadata = NULL;
            hipMemGenericAllocationHandle_t handle;
            size_t size = 0;
            void *as_new = &old;
            assert_int_equal(hipMemGetAllocationGranularity(&size, as_new, 0), 0);
            assert_int_equal(hipMemCreate(&handle, size, as_new, 0), 0);
            assert_int_equal(hipMemGetAllocationPropertiesFromHandle((void *)&back, handle), 0);
            assert_int_equal(back.type, 1);
            assert_int_equal(back.location.type, 1);
            assert_int_equal(back.location.id, 0);
            assert_int_equal(back.handle_type, handle_type);
            assert_int_equal(back.compression, compression);
            assert_int_equal(hipMemRelease(handle), 0);
            old.location.id = 99;
            assert_int_equal(hipMemCreate(&handle, size, as_new, 0), KILN_SIM_INVALID_VALUE);
        }
    }
    const hipMemAllocationProp properties = {.type = 1, .handle_type = 1, .location = {1, 0}};
    hipMemAllocationProp back;
    hipMemGenericAllocationHandle_t handle;
    assert_int_equal(hipMemCreate(&handle, 4096, &properties, 0), 0);
    assert_int_equal(hipMemGetAllocationPropertiesFromHandle(&back, handle), 0);
    assert_memory_equal(&back, &properties, sizeof back);
    assert_int_equal(hipMemRelease(handle), 0);
    hipGetLastError();
}

static void pools_count(void **state)
{
    (void)state;
    const hipMemPoolProps properties = {.type = 1, .location = {1, 0}, .limit = 1 << 20};
    hipMemPool_t pool;
    hipStream_t stream;
    void *pointer, *more;
    uint64_t used = 0, max = 0, reserved = 0;
    assert_int_equal(hipStreamCreate(&stream), 0);
    assert_int_equal(hipMemPoolCreate(&pool, &properties), 0);
    assert_int_equal(hipMallocFromPoolAsync(&pointer, 1 << 19, pool, stream), 0);
    assert_int_equal(hipMallocFromPoolAsync(&more, 1 << 20, pool, stream), KILN_SIM_OUT_OF_MEMORY);
    block_stream(stream);
    assert_int_equal(hipFreeAsync(pointer, stream), 0);
    assert_int_equal(hipMemPoolGetAttribute(pool, 7, &used), 0);
    assert_int_equal(used, 0);
    assert_int_equal(hipMemPoolTrimTo(pool, 0), 0);
    assert_int_equal(hipMemPoolGetAttribute(pool, 5, &reserved), 0);
    assert_int_equal(reserved, 1 << 19); // the stream has not executed the release
    assert_int_equal(hipFreeAsync(pointer, stream), KILN_SIM_INVALID_VALUE);
    open_gate();
    assert_int_equal(hipStreamSynchronize(stream), 0);
    assert_int_equal(hipMemPoolGetAttribute(pool, 7, &used), 0);
    assert_int_equal(hipMemPoolGetAttribute(pool, 8, &max), 0);
    assert_int_equal(used, 0);
    assert_int_equal(max, 1 << 19);
    assert_int_equal(hipMemPoolGetAttribute(pool, 5, &reserved), 0);
    assert_int_equal(reserved, 0);
    // The limit applies to the maximum that the pool ever held, until that is reset.
    assert_int_equal(hipMallocFromPoolAsync(&more, (1 << 19) + 1, pool, stream),
                     KILN_SIM_OUT_OF_MEMORY);
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

// Freed memory is reused for streams that may use it, and is released, down to the threshold, when
// the host waits.
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
    block_stream(one);
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
    void *small, *part; // small: not the memory freed by another stream; part: a part of memory
                        // freed by its own
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
    const hip_kernel_node_t node = {
        .block = {256, 1, 1}, .grid = {1, 1, 1}, .function = reverse, .extra = extra};
    assert_int_equal(hipGraphAddKernelNode(&kernel, graph, &make, 1, &node), 0);
    assert_int_equal(
        hipGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, out, params.pointer, sizeof out, 2), 0);
    assert_int_equal(hipGraphAddMemFreeNode(&end, graph, &copy, 1, params.pointer), 0);
    assert_int_equal(hipGraphAddMemFreeNode(&end, graph, &copy, 1, params.pointer),
                     KILN_SIM_INVALID_VALUE);
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

// A launch that is known to fail does nothing and owes nothing: once the event is valid, the graph
// runs.
static void a_failed_launch_owes_nothing(void **state)
{
    (void)state;
    hipMemAllocNodeParams params = {.pool = {.type = 1, .location = {1, 0}}, .size = 1024};
    hipGraph_t graph, child;
    hipGraphExec_t exec;
    hipGraphNode_t make, write, record, end, inner, last;
    hipEvent_t first, second, third;
    assert_int_equal(hipEventCreate(&first), 0);
    assert_int_equal(hipEventCreate(&second), 0);
    assert_int_equal(hipEventCreate(&third), 0);
    assert_int_equal(hipGraphCreate(&graph, 0), 0);
    assert_int_equal(hipGraphCreate(&child, 0), 0);
    assert_int_equal(hipGraphAddEventWaitNode(&inner, child, NULL, 0, third), 0);
    assert_int_equal(hipGraphAddMemAllocNode(&make, graph, NULL, 0, &params), 0);
    const hip_fill_node_t filled = {
        .to = a, .element = 4, .width = 1, .height = 1, .pitch = 4, .value = 5};
    assert_int_equal(hipGraphAddMemsetNode(&write, graph, &make, 1, &filled), 0);
    assert_int_equal(hipGraphAddEventRecordNode(&record, graph, &write, 1, first), 0);
    assert_int_equal(hipGraphAddMemFreeNode(&end, graph, &record, 1, params.pointer), 0);
    assert_int_equal(hipGraphAddChildGraphNode(&last, graph, &end, 1, child), 0);
    assert_int_equal(hipGraphInstantiate(&exec, graph, NULL, NULL, 0), 0);
    for (unsigned round = 0; round < 3; round++) {
        kilnSimSetOption("async", round == 1 ? "0" : "1");
        *a = 0;
        if (round == 0)
            assert_int_equal(hipEventDestroy(first), 0);
        if (round == 1)
            assert_int_equal(hipEventDestroy(third), 0);
        for (unsigned again = 0; again < 3 && round < 2; again++) {
            assert_int_equal(hipGraphLaunch(exec, NULL), HIP_INVALID_HANDLE);
            assert_int_equal(hipDeviceSynchronize(), 0);
            assert_int_equal(*a, 0);
        }
        if (round == 0)
            assert_int_equal(hipGraphExecEventRecordNodeSetEvent(exec, record, second), 0);
        if (round == 1) { // an event of the child
            assert_int_equal(hipEventCreate(&third), 0);
            assert_int_equal(hipGraphEventWaitNodeSetEvent(inner, third), 0);
            assert_int_equal(hipGraphExecChildGraphNodeSetParams(exec, last, child), 0);
        }
        assert_int_equal(hipGraphLaunch(exec, NULL), 0);
        assert_int_equal(hipDeviceSynchronize(), 0);
        assert_int_equal(*a, 5);
        assert_int_equal(hipEventQuery(second), 0);
    }
    kilnSimSetOption("async", "1");
    assert_int_equal(hipEventDestroy(second), 0);
    assert_int_equal(hipEventDestroy(third), 0);
    assert_int_equal(hipGraphExecDestroy(exec), 0);
    assert_int_equal(hipGraphDestroy(graph), 0);
    assert_int_equal(hipGraphDestroy(child), 0);
    hipGetLastError();
}

static hipGraphExec_t graph_with_memory(hipGraph_t *graph, bool frees, void **pointer)
{
    hipMemAllocNodeParams params = {.pool = {.type = 1, .location = {1, 0}}, .size = 1024};
    hipGraphExec_t exec;
    hipGraphNode_t make, fill_it, end;
    assert_int_equal(hipGraphCreate(graph, 0), 0);
    assert_int_equal(hipGraphAddMemAllocNode(&make, *graph, NULL, 0, &params), 0);
    const hip_fill_node_t filled = {
        .to = params.pointer, .element = 4, .width = 256, .height = 1, .pitch = 1024};
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
    const bool allocated = hipMemGetAddressRange(&base, NULL, pointer) == 0;
    hipGetLastError();
    return allocated;
}

// Whether a graph may be launched again depends on the order of the calls, not on the progress of
// streams; and memory stays until they have reached its release.
static void graphs_and_their_memory(void **state)
{
    (void)state;
    hipStream_t stream;
    hipGraph_t graph, other;
    void *pointer, *others;
    assert_int_equal(hipStreamCreateWithFlags(&stream, 1), 0);
    hipGraphExec_t exec = graph_with_memory(&graph, true, &pointer);
    block_stream(stream);
    assert_int_equal(hipGraphLaunch(exec, stream), 0);
    assert_int_equal(hipGraphLaunch(exec, stream), 0);
    assert_int_equal(hipGraphExecDestroy(exec), 0);
    assert_int_equal(hipGraphDestroy(graph), 0);
    assert_true(is_allocated(pointer));
    open_gate();
    assert_int_equal(hipStreamSynchronize(stream), 0);
    assert_false(is_allocated(pointer));
    // The program must free memory that the graph does not, and may do so when the stream reaches
    // it.
    exec = graph_with_memory(&graph, false, &pointer);
    block_stream(stream);
    assert_int_equal(hipGraphLaunch(exec, stream), 0);
    assert_int_equal(hipGraphLaunch(exec, stream), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipFreeAsync(pointer, stream), 0);
    assert_int_equal(hipGraphLaunch(exec, stream), 0);
    open_gate();
    assert_int_equal(hipStreamSynchronize(stream), 0);
    assert_int_equal(hipFree(pointer), 0);
    // An executable graph that is updated with another graph's work holds that graph's memory
    // instead of its own.
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

// Whether the kernel can read the byte: writing it to a pipe fails for pages that are closed.
static bool is_open(const void *pointer)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const bool good = write(ends[1], pointer, 1) == 1;
    close(ends[0]);
    close(ends[1]);
    return good;
}

// Launches and copies check an address and then access it; memory that another stream frees between
// the two must not crash them. Other processes no longer share it.
static void freed_pages_stay_open_for_their_users(void **state)
{
    (void)state;
    kiln_sim_memory_t *memory = kiln_sim_device()->memory;
    hipIpcMemHandle_t handle;
    char *byte;
    kiln_sim_memory_begin_use(memory);
    kiln_sim_memory_begin_use(memory);
    assert_int_equal(hipMalloc((void **)&byte, 4096), 0);
    assert_int_equal(hipMemset(byte, 7, 4096), 0);
    assert_int_equal(hipIpcGetMemHandle(&handle, byte), 0);
    assert_int_equal(hipFreeAsync(byte, NULL), 0);
    assert_int_equal(hipStreamSynchronize(NULL), 0);
    assert_true(is_open(byte));
    assert_int_equal(byte[0], 0);
    kiln_sim_memory_end_use(memory);
    assert_true(is_open(byte));
    kiln_sim_memory_end_use(memory);
    assert_false(is_open(byte));
}

// Whether the work was done depends on which came first; it never ends the program.
static void memory_is_freed_during_its_use(void **state)
{
    (void)state;
    enum { BYTES = 1 << 22 };
    hipStream_t using, freeing;
    void *there, *kept;
    assert_int_equal(hipStreamCreateWithFlags(&using, 1), 0);
    assert_int_equal(hipStreamCreateWithFlags(&freeing, 1), 0);
    assert_int_equal(hipMalloc(&kept, BYTES), 0);
    for (unsigned i = 0; i < 120; i++) {
        assert_int_equal(hipMalloc(&there, BYTES), 0);
        if (i % 3 == 0)
            assert_int_equal(hipMemcpyAsync(kept, there, BYTES, 3, using), 0);
        else if (i % 3 == 1)
            assert_int_equal(hipMemcpyAsync(there, kept, BYTES, 3, using), 0);
        else
            assert_int_equal(hipMemsetAsync(there, 1, BYTES, using), 0);
        usleep(i * 10);
        assert_int_equal(hipFreeAsync(there, freeing), 0);
        hipStreamSynchronize(freeing);
        hipStreamSynchronize(using);
    }
    assert_int_equal(hipFree(kept), 0);
    assert_int_equal(hipStreamDestroy(using), 0);
    assert_int_equal(hipStreamDestroy(freeing), 0);
    hipGetLastError();
}

// A kernel of another device, which waits for the memory's second word. Whether it sees that word
// depends on when it begins; it never ends the program.
static void memory_of_another_device_is_freed_during_its_use(void **state)
{
    (void)state;
    hipFunction_t waits;
    hipStream_t there;
    uint32_t *words;
    assert_int_equal(hipModuleGetFunction(&waits, module, "wait_for_next"), 0);
    assert_int_equal(hipSetDevice(1), 0);
    assert_int_equal(hipStreamCreateWithFlags(&there, 1), 0);
    assert_int_equal(hipSetDevice(0), 0);
    assert_int_equal(hipDeviceEnablePeerAccess(1, 0), 0);
    for (unsigned i = 1; i <= 4; i++) {
        assert_int_equal(hipSetDevice(1), 0);
        assert_int_equal(hipMalloc((void **)&words, 4096), 0);
        assert_int_equal(hipMemset(words, 0, 4096), 0);
        assert_int_equal(hipSetDevice(0), 0);
        assert_int_equal(launch(waits, NULL, (int *)words, a), 0);
        usleep(i * 1000);
        assert_int_equal(hipFreeAsync(words, there), 0);
        assert_int_equal(hipStreamSynchronize(there), 0);
        usleep(1000);
        if (is_open(words))
            __atomic_store_n(&words[1], 1, __ATOMIC_RELEASE);
        hipDeviceSynchronize();
    }
    assert_int_equal(hipDeviceDisablePeerAccess(1), 0);
    assert_int_equal(hipStreamDestroy(there), 0);
    hipGetLastError();
}

int main(void)
{
    setenv("KILN_SIM_DEVICES", "2", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mapped_memory),
        cmocka_unit_test(ranges_end_and_handles_are_counted),
        cmocka_unit_test(access_is_kept),
        cmocka_unit_test(access_ends_behind_earlier_work),
        cmocka_unit_test(old_properties_are_known),
        cmocka_unit_test(pools_count),
        cmocka_unit_test(pools_use_memory_again),
        cmocka_unit_test(graphs_make_memory),
        cmocka_unit_test(graphs_and_their_memory),
        cmocka_unit_test(a_failed_launch_owes_nothing),
        cmocka_unit_test(freed_pages_stay_open_for_their_users),
        cmocka_unit_test(memory_is_freed_during_its_use),
        cmocka_unit_test(memory_of_another_device_is_freed_during_its_use)};
    return cmocka_run_group_tests(tests, load, unload);
}
