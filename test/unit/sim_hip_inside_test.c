// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls into the library from the program's code that a stream executes: host functions, callbacks,
// host nodes of graphs and of their children, destructors. HIP forbids them. Here calls that need
// not wait work as usual, and those that would wait for themselves fail without effect; a stream
// may be destroyed there. Also tests calls in a forked child, which has none of the threads.
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hip_sim/entry.h"
#include "hip_sim/stream/engine.h"
#include "sanitized.h"

#define WAITS HIP_ILLEGAL_STATE

static hipModule_t module, spare_module;
static hipStream_t own, other;
static hipEvent_t before, after;
static int *device, *pinned, pageable[64];
static hipMemPool_t pool;
static atomic_uint called;

static void count(void *data)
{
    (void)data;
    called++;
}

// ---- calls and their expected results

static hipError_t synchronize_own(void)
{
    return hipStreamSynchronize(own);
}
static hipError_t synchronize_null(void)
{
    return hipStreamSynchronize(NULL);
}
static hipError_t synchronize_other(void)
{
    return hipStreamSynchronize(other);
}
static hipError_t synchronize_before(void)
{
    return hipEventSynchronize(before);
}
static hipError_t synchronize_after(void)
{
    return hipEventSynchronize(after);
}
static hipError_t query_own(void)
{
    return hipStreamQuery(own);
}
static hipError_t free_device(void)
{
    return hipFree(device);
}
static hipError_t free_pinned(void)
{
    return hipHostFree(pinned);
}
static hipError_t unload(void)
{
    return hipModuleUnload(spare_module);
}
static hipError_t destroy_pool(void)
{
    return hipMemPoolDestroy(pool);
}
static hipError_t share(void)
{
    hipIpcMemHandle_t handle;
    return hipIpcGetMemHandle(&handle, device);
}
static hipError_t unmap(void)
{
    return hipMemUnmap(device, 4096);
}
static hipError_t copy_and_wait(void)
{
    return hipMemcpy(device, pinned, 4, 4); // in the null stream, which waits for all streams
}
static hipError_t fill_and_wait(void)
{
    return hipMemset(device, 0, 4);
}
static hipError_t copy_pageable(void)
{
    return hipMemcpyAsync(device, pageable, 4, 4, own);
}
static hipError_t copy_pinned(void)
{
    return hipMemcpyAsync(device, pinned, 4, 4, own);
}
static hipError_t copy_pageable_elsewhere(void)
{
    return hipMemcpyAsync(device, pageable, 4, 4, other);
}
static hipError_t call_later(void)
{
    return hipLaunchHostFunc(own, count, NULL);
}
static hipError_t record_again(void)
{
    return hipEventRecord(before, own);
}
static hipError_t allocate(void)
{
    void *pointer;
    return hipMalloc(&pointer, 64);
}

typedef struct expected {
    const char *name;
    hipError_t (*call)(void);
    hipError_t error, in_nonblocking; // in a stream that the null stream waits
                                      // for, and in another
} expected_t;

static const expected_t table[] = {
    {"hipStreamSynchronize of the stream", synchronize_own, WAITS, WAITS},
    {"hipStreamSynchronize of the null stream", synchronize_null, WAITS, 0},
    {"hipStreamSynchronize of another stream", synchronize_other, 0, 0},
    {"hipDeviceSynchronize", hipDeviceSynchronize, WAITS, WAITS},
    {"hipCtxSynchronize", hipCtxSynchronize, WAITS, WAITS},
    {"hipDeviceReset", hipDeviceReset, WAITS, WAITS},
    {"hipEventSynchronize of what is before it", synchronize_before, 0, 0},
    {"hipEventSynchronize of what comes after it", synchronize_after, WAITS, WAITS},
    {"hipStreamQuery", query_own, HIP_NOT_READY, HIP_NOT_READY},
    {"hipFree", free_device, WAITS, WAITS},
    {"hipHostFree", free_pinned, WAITS, WAITS},
    {"hipModuleUnload", unload, WAITS, WAITS},
    {"hipMemPoolDestroy", destroy_pool, WAITS, WAITS},
    {"hipIpcGetMemHandle", share, WAITS, WAITS},
    {"hipMemUnmap", unmap, WAITS, WAITS},
    {"hipMemcpy", copy_and_wait, WAITS, 0},
    {"hipMemset", fill_and_wait, WAITS, 0},
    {"hipMemcpyAsync of pageable memory", copy_pageable, WAITS, WAITS},
    {"hipMemcpyAsync of pinned memory", copy_pinned, 0, 0},
    {"hipMemcpyAsync in another stream", copy_pageable_elsewhere, 0, 0},
    {"hipLaunchHostFunc", call_later, 0, 0},
    {"hipEventRecord", record_again, 0, 0},
    {"hipMalloc", allocate, 0, 0},
};
enum { CALLS = sizeof table / sizeof *table };

static hipError_t results[CALLS];
static char texts[CALLS][200];
static unsigned entered;

static void call_all(void *data)
{
    (void)data;
    for (unsigned i = 0; i < CALLS; i++) {
        results[i] = table[i].call();
        snprintf(texts[i], sizeof texts[i], "%s", kilnSimGetLastErrorMessage());
    }
    entered++;
}

static void call_back(hipStream_t stream, hipError_t status, void *data)
{
    assert_ptr_equal(stream, own);
    assert_int_equal(status, 0);
    call_all(data);
}

// ---- ways to run the program's code in a stream

static void by_function(void)
{
    assert_int_equal(hipLaunchHostFunc(own, call_all, NULL), 0);
}

static void by_callback(void)
{
    assert_int_equal(hipStreamAddCallback(own, call_back, NULL, 0), 0);
}

static void by_graph(void)
{
    hipGraph_t graph;
    hipGraphNode_t node;
    hipGraphExec_t exec;
    const hip_host_node_t host = {call_all, NULL};
    assert_int_equal(hipGraphCreate(&graph, 0), 0);
    assert_int_equal(hipGraphAddHostNode(&node, graph, NULL, 0, &host), 0);
    assert_int_equal(hipGraphInstantiate(&exec, graph, NULL, NULL, 0), 0);
    assert_int_equal(hipGraphLaunch(exec, own), 0);
    assert_int_equal(hipGraphExecDestroy(exec), 0);
    assert_int_equal(hipGraphDestroy(graph), 0);
}

static void by_child_graph(void)
{
    hipGraph_t graph, child;
    hipGraphNode_t node;
    hipGraphExec_t exec;
    const hip_host_node_t host = {call_all, NULL};
    assert_int_equal(hipGraphCreate(&child, 0), 0);
    assert_int_equal(hipGraphAddHostNode(&node, child, NULL, 0, &host), 0);
    assert_int_equal(hipGraphCreate(&graph, 0), 0);
    assert_int_equal(hipGraphAddChildGraphNode(&node, graph, NULL, 0, child), 0);
    assert_int_equal(hipGraphInstantiate(&exec, graph, NULL, NULL, 0), 0);
    assert_int_equal(hipGraphLaunch(exec, own), 0);
    assert_int_equal(hipGraphExecDestroy(exec), 0);
    assert_int_equal(hipGraphDestroy(graph), 0);
    assert_int_equal(hipGraphDestroy(child), 0);
}

// A destructor that is called when a host function destroys the graph that holds the object.
static void destroy_graph(void *graph)
{
    if (hipGraphDestroy(graph))
        entered = 100;
}

static void by_destructor(void)
{
    hipGraph_t graph;
    hipUserObject_t object;
    assert_int_equal(hipGraphCreate(&graph, 0), 0);
    assert_int_equal(hipUserObjectCreate(&object, NULL, call_all, 1, 1), 0);
    assert_int_equal(hipGraphRetainUserObject(graph, object, 1, 1), 0);
    assert_int_equal(hipLaunchHostFunc(own, destroy_graph, graph), 0);
}

static void check(unsigned flags, void (*enter)(void))
{
    static uint32_t *gate;
    void *pointer;
    const hipMemPoolProps properties = {.type = 1, .location = {1, 0}};
    if (!gate) {
        assert_int_equal(hipHostMalloc(&pointer, 64, 0), 0);
        gate = pointer;
    }
    entered = called = 0;
    memset(results, 0xff, sizeof results);
    assert_int_equal(hipMalloc((void **)&device, 4096), 0);
    assert_int_equal(hipHostMalloc((void **)&pinned, 4096, 0), 0);
    assert_int_equal(hipModuleLoad(&spare_module, KILN_BINARY_DIR "/test/sim_kernels/launch.hsaco"),
                     0);
    assert_int_equal(hipMemPoolCreate(&pool, &properties), 0);
    assert_int_equal(hipStreamCreateWithFlags(&own, flags), 0);
    assert_int_equal(hipStreamCreateWithFlags(&other, 1), 0);
    assert_int_equal(hipEventCreate(&before), 0);
    assert_int_equal(hipEventCreate(&after), 0);
    const bool async = kiln_sim_engine_is_async();
    assert_int_equal(hipEventRecord(before, own), 0);
    if (async) { // blocks the stream until all work is enqueued
        *gate = 0;
        assert_int_equal(hipStreamWaitValue32(own, gate, 1, 1, UINT32_MAX), 0);
    }
    enter();
    assert_int_equal(hipEventRecord(after, own), 0);
    __atomic_store_n(gate, 1, __ATOMIC_RELEASE);
    assert_int_equal(hipStreamSynchronize(own), 0);
    assert_int_equal(hipDeviceSynchronize(), 0);
    assert_int_equal(entered, 1);
    assert_int_equal(called, 1);
    for (unsigned i = 0; i < CALLS; i++) {
        hipError_t wanted = flags & 1 ? table[i].in_nonblocking : table[i].error;
        if (!async && table[i].call == synchronize_after)
            wanted = 0; // the event is not recorded yet
        if (results[i] != wanted)
            fail_msg("%s%s: came %d, wanted %d", async ? "" : "blocking: ", table[i].name,
                     results[i], wanted);
        if (results[i] == WAITS && !strstr(texts[i], "host function"))
            fail_msg("%s says '%s'", table[i].name, texts[i]);
    }
    assert_int_equal(hipEventDestroy(before), 0);
    assert_int_equal(hipEventDestroy(after), 0);
    assert_int_equal(hipStreamDestroy(own), 0);
    assert_int_equal(hipStreamDestroy(other), 0);
    assert_int_equal(hipMemPoolDestroy(pool), 0);
    assert_int_equal(hipModuleUnload(spare_module), 0);
    assert_int_equal(hipHostFree(pinned), 0); // it still exists
    assert_int_equal(hipFree(device), 0);
    hipGetLastError();
}

static void calls_that_wait_for_themselves_fail(void **state)
{
    (void)state;
    static void (*const ways[])(void) = {by_function, by_callback, by_graph, by_child_graph,
                                         by_destructor};
    for (unsigned async = 0; async < 2; async++) {
        kilnSimSetOption("async", async ? "1" : "0");
        for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
            check(0, ways[i]);
            check(1, ways[i]);
        }
    }
    kilnSimSetOption("async", "1");
}

// ---- streams that are destroyed there

static hipError_t destroyed;

static void destroy_stream(void *stream)
{
    destroyed = hipStreamDestroy(stream);
}

static void destroy_stream_back(hipStream_t stream, hipError_t status, void *data)
{
    (void)status, (void)data;
    destroy_stream(stream);
}

static void a_stream_is_destroyed_by_its_own_function(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 64; i++) {
        hipStream_t stream;
        kilnSimSetOption("async", i % 4 ? "1" : "0");
        called = 0;
        destroyed = -1;
        assert_int_equal(hipStreamCreateWithFlags(&stream, i & 1), 0);
        if (i & 2)
            assert_int_equal(hipStreamAddCallback(stream, destroy_stream_back, NULL, 0), 0);
        else
            assert_int_equal(hipLaunchHostFunc(stream, destroy_stream, stream), 0);
        hipLaunchHostFunc(stream, count, NULL); // the stream may be gone already
        assert_int_equal(hipDeviceSynchronize(), 0);
        assert_int_equal(destroyed, 0);
        assert_int_equal(hipStreamQuery(stream), HIP_CONTEXT_DESTROYED);
        assert_int_equal(hipStreamDestroy(stream), HIP_CONTEXT_DESTROYED);
    }
    kilnSimSetOption("async", "1");
    hipGetLastError();
}

// Enqueued work of a destroyed stream is still done, and the null stream and the host wait for it.
static void work_left_is_done(void **state)
{
    (void)state;
    hipStream_t stream, waiting;
    hipEvent_t event;
    void *pointer;
    uint32_t *gate;
    assert_int_equal(hipHostMalloc(&pointer, 64, 0), 0);
    gate = pointer;
    for (unsigned round = 0; round < 3; round++) {
        *gate = 0;
        called = 0;
        assert_int_equal(hipStreamCreate(&stream), 0);
        assert_int_equal(hipStreamCreateWithFlags(&waiting, 1), 0);
        assert_int_equal(hipEventCreate(&event), 0);
        assert_int_equal(hipStreamWaitValue32(stream, gate, 1, 1, UINT32_MAX), 0);
        assert_int_equal(hipLaunchHostFunc(stream, destroy_stream, stream), 0);
        assert_int_equal(hipLaunchHostFunc(stream, destroy_stream, waiting),
                         0); // waits for the end of `stream`
        for (unsigned i = 0; i < 10; i++)
            assert_int_equal(hipLaunchHostFunc(stream, count, NULL), 0);
        assert_int_equal(hipEventRecord(event, stream), 0);
        assert_int_equal(hipStreamWaitEvent(waiting, event, 0), 0);
        assert_int_equal(hipLaunchHostFunc(waiting, count, NULL), 0);
        __atomic_store_n(gate, 1, __ATOMIC_RELEASE);
        if (round == 0)
            assert_int_equal(hipDeviceSynchronize(), 0);
        else if (round == 1)
            assert_int_equal(hipEventSynchronize(event), 0);
        else
            assert_int_equal(hipMemset(pinned = pointer, 1, 4), 0); // in the null stream
        assert_true(called >= 10);
        assert_int_equal(hipDeviceSynchronize(), 0);
        assert_int_equal(called, 11);
        assert_int_equal(destroyed, 0);
        assert_int_equal(hipEventDestroy(event), 0);
    }
    assert_int_equal(hipHostFree(pointer), 0);
}

// ---- objects of graphs

static unsigned objects_destroyed, objects_destroyed_early;

static void release_object(void *data)
{
    (void)data;
    objects_destroyed++;
}

static void use_object(void *data)
{
    (void)data;
    objects_destroyed_early += objects_destroyed;
}

// Objects that a graph's work may use live until its last launch has ended, even if the program has
// destroyed the graph.
static void objects_outlive_launches(void **state)
{
    (void)state;
    void *pointer;
    assert_int_equal(hipHostMalloc(&pointer, 64, 0), 0);
    for (unsigned i = 0; i < 4;
         i++) { // objects of the graph or of a child; with and without threads
        uint32_t *gate = pointer;
        hipStream_t stream;
        hipGraph_t graph, child;
        hipGraphExec_t exec;
        hipGraphNode_t node;
        hipUserObject_t object;
        const hip_host_node_t host = {use_object, NULL};
        const bool async = i < 2;
        kilnSimSetOption("async", async ? "1" : "0");
        objects_destroyed = objects_destroyed_early = 0;
        *gate = !async;
        assert_int_equal(hipStreamCreateWithFlags(&stream, 1), 0);
        assert_int_equal(hipUserObjectCreate(&object, NULL, release_object, 1, 1), 0);
        assert_int_equal(hipGraphCreate(&graph, 0), 0);
        assert_int_equal(hipGraphCreate(&child, 0), 0);
        assert_int_equal(hipGraphAddHostNode(&node, child, NULL, 0, &host), 0);
        assert_int_equal(hipGraphRetainUserObject(i % 2 ? child : graph, object, 1, 1), 0);
        assert_int_equal(hipGraphAddChildGraphNode(&node, graph, NULL, 0, child), 0);
        assert_int_equal(hipGraphInstantiate(&exec, graph, NULL, NULL, 0), 0);
        if (async)
            assert_int_equal(hipStreamWaitValue32(stream, gate, 1, 1, UINT32_MAX), 0);
        assert_int_equal(hipGraphLaunch(exec, stream), 0);
        assert_int_equal(hipGraphLaunch(exec, stream), 0);
        assert_int_equal(hipGraphExecDestroy(exec), 0);
        assert_int_equal(hipGraphDestroy(graph), 0);
        assert_int_equal(hipGraphDestroy(child), 0);
        assert_int_equal(objects_destroyed, !async);
        __atomic_store_n(gate, 1, __ATOMIC_RELEASE);
        assert_int_equal(hipStreamSynchronize(stream), 0);
        assert_int_equal(objects_destroyed, 1);
        assert_int_equal(objects_destroyed_early, 0);
        assert_int_equal(hipStreamDestroy(stream), 0);
    }
    kilnSimSetOption("async", "1");
    assert_int_equal(hipHostFree(pointer), 0);
}

// ---- two functions that wait for each other

typedef struct pair {
    hipStream_t stream;
    pthread_barrier_t *both;
    hipError_t error;
} pair_t;

static void wait_for_other(void *data)
{
    pair_t *pair = data;
    pthread_barrier_wait(pair->both);
    pair->error = hipStreamSynchronize(pair->stream);
}

static void two_functions_wait_for_each_other(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 50; i++) {
        hipStream_t one, two;
        pthread_barrier_t both;
        pthread_barrier_init(&both, NULL, 2);
        assert_int_equal(hipStreamCreateWithFlags(&one, 1), 0);
        assert_int_equal(hipStreamCreateWithFlags(&two, 1), 0);
        pair_t first = {two, &both, -1}, second = {one, &both, -1};
        assert_int_equal(hipLaunchHostFunc(one, wait_for_other, &first), 0);
        assert_int_equal(hipLaunchHostFunc(two, wait_for_other, &second), 0);
        assert_int_equal(hipStreamSynchronize(one), 0);
        assert_int_equal(hipStreamSynchronize(two), 0);
        assert_true(first.error == WAITS || second.error == WAITS);
        assert_true((first.error == WAITS || !first.error) &&
                    (second.error == WAITS || !second.error));
        assert_int_equal(hipStreamDestroy(one), 0);
        assert_int_equal(hipStreamDestroy(two), 0);
        pthread_barrier_destroy(&both);
    }
    hipGetLastError();
}

// ---- forks

static void short_sleep(void *data)
{
    (void)data;
    usleep(200000);
}

// A child process does not have the parent's threads: their work is lost, everything else works,
// and the library shuts down.
static void a_child_has_no_threads(void **state)
{
    (void)state;
    KILN_TEST_SKIP_IF(KILN_TEST_FINDS_RACES, KILN_TEST_FORKS_THREADS);
    hipStream_t stream, ended;
    int status;
    called = 0;
    assert_int_equal(hipMalloc((void **)&device, 64), 0);
    assert_int_equal(hipStreamCreateWithFlags(&stream, 1), 0);
    assert_int_equal(hipStreamCreateWithFlags(&ended, 1), 0);
    assert_int_equal(hipLaunchHostFunc(stream, short_sleep, NULL), 0);
    assert_int_equal(hipLaunchHostFunc(stream, count, NULL), 0);
    assert_int_equal(hipLaunchHostFunc(ended, destroy_stream, ended), 0);
    assert_int_equal(hipLaunchHostFunc(NULL, count, NULL), 0);
    const pid_t child = fork();
    if (child == 0) {
        alarm(KILN_TEST_SECONDS(20));
        const unsigned calls_before = called;
        bool good = !hipStreamSynchronize(stream) && !hipDeviceSynchronize();
        good = good && !hipLaunchHostFunc(stream, count, NULL) && !hipStreamSynchronize(stream) &&
               called == calls_before + 1;
        good =
            good && !hipMemset(device, 3, 4) && *device == 0x03030303 && !hipStreamDestroy(stream);
        good = good && !hipFree(device);
        exit(good ? 0 : 1); // and unload the library
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(hipDeviceSynchronize(), 0);
    assert_int_equal(called, 2);
    assert_int_equal(hipStreamDestroy(stream), 0);
    assert_int_equal(hipFree(device), 0);
}

static void end_process(void *data)
{
    (void)data;
    exit(7);
}

// If a host function ends the process, nothing waits for that function.
static void a_function_ends_the_process(void **state)
{
    (void)state;
    KILN_TEST_SKIP_IF(KILN_TEST_FINDS_RACES, KILN_TEST_FORKS_THREADS);
    int status;
    const pid_t child = fork();
    if (child == 0) {
        hipStream_t stream;
        alarm(KILN_TEST_SECONDS(3));
        if (!hipStreamCreate(&stream) && !hipLaunchHostFunc(stream, end_process, NULL))
            hipStreamSynchronize(stream);
        for (;;)
            pause();
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
}

static int load(void **state)
{
    (void)state;
    alarm(KILN_TEST_SECONDS(300));
    return kilnSimSetOption("async", "1") ||
           hipModuleLoad(&module, KILN_BINARY_DIR "/test/sim_kernels/launch.hsaco");
}

static int unload_all(void **state)
{
    (void)state;
    return hipModuleUnload(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_that_wait_for_themselves_fail),
        cmocka_unit_test(a_stream_is_destroyed_by_its_own_function),
        cmocka_unit_test(work_left_is_done),
        cmocka_unit_test(objects_outlive_launches),
        cmocka_unit_test(two_functions_wait_for_each_other),
        cmocka_unit_test(a_child_has_no_threads),
        cmocka_unit_test(a_function_ends_the_process),
    };
    return cmocka_run_group_tests(tests, load, unload_all);
}
