// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams run concurrently with the host and with each other, in the order that HIP guarantees, on
// two devices; where errors are reported; and calls after the library has shut down. Streams are
// blocked by words in memory that they wait for (sim_hip_streams.h), so nothing here depends on the
// speed of the host.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hip_sim/entry.h"
#include "hip_sim/stream/engine.h"
#include "sanitized.h"
#include "sim_hip_streams.h"

static void streams_run_concurrently(void **state)
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
    block_stream(one);
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
    assert_true(ms > 0); // the kernel's duration; it did not have to wait
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
    note_t before = {.seen = -1}, after = {.seen = -1};
    assert_int_equal(hipStreamCreate(&one), 0);
    assert_int_equal(hipStreamCreate(&two), 0);
    assert_int_equal(hipEventCreateWithFlags(&event, 2), 0);
    fill(a);
    memset(b, 0, 1024);
    block_stream(one);
    assert_int_equal(launch(reverse, one, b, a), 0);
    assert_int_equal(hipEventRecord(event, one), 0);
    assert_int_equal(hipLaunchHostFunc(two, take_note, &before), 0);
    assert_int_equal(hipStreamSynchronize(two), 0);
    assert_int_equal(hipStreamWaitEvent(two, event, 0), 0);
    assert_int_equal(hipEventRecord(event, two),
                     0); // recording again does not affect earlier waits
    assert_int_equal(hipLaunchHostFunc(two, take_note, &after), 0);
    assert_int_equal(hipStreamAddCallback(two, call_back, &after, 0), 0);
    assert_int_equal(hipStreamQuery(two), NOT_READY);
    assert_int_equal(b[0], 0);
    open_gate();
    assert_int_equal(hipStreamSynchronize(two), 0);
    assert_int_equal(before.seen, 0);
    assert_int_equal(after.seen, 255);
    assert_int_equal(after.calls, 11);
    assert_false(pthread_equal(after.thread, pthread_self()));
    hipGetLastError();
    assert_int_equal(hipEventDestroy(event), 0);
    assert_int_equal(hipStreamDestroy(one), 0);
    assert_int_equal(hipStreamDestroy(two), 0);
}

// The null stream and blocking streams wait for each other; hipStreamPerThread does not affect
// other threads.
static void null_stream_waits(void **state)
{
    (void)state;
    hipStream_t blocking, free_one;
    note_t note = {.seen = -1}, own = {.seen = -1};
    assert_int_equal(hipStreamCreate(&blocking), 0);
    assert_int_equal(hipStreamCreateWithFlags(&free_one, 1), 0);
    block_stream(blocking);
    assert_int_equal(hipLaunchHostFunc(NULL, take_note, &note), 0);
    assert_int_equal(hipLaunchHostFunc(free_one, take_note, &own), 0);
    assert_int_equal(hipStreamSynchronize(free_one), 0);
    assert_int_equal(own.calls, 1);
    assert_int_equal(hipStreamQuery(NULL), NOT_READY);
    assert_int_equal(hipStreamQuery((hipStream_t)1), NOT_READY); // hipStreamLegacy
    assert_int_equal(hipLaunchHostFunc_spt(NULL, take_note, &own),
                     0); // also waits for the null stream
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

// The next call that waits reports an error in a kernel, once; the launch reports errors that are
// known before.
static void errors_come_late(void **state)
{
    (void)state;
    assert_int_equal(launch(bad_word, NULL, b, a), 0);
    assert_int_equal(hipDeviceSynchronize(), 719);
    assert_non_null(strstr(hipGetErrorString(719), "invalid gfx942 instruction"));
    assert_int_equal(hipPeekAtLastError(), 719);
    assert_int_equal(hipGetLastError(), 719);
    assert_int_equal(hipGetLastError(), 0);
    assert_int_equal(hipDeviceSynchronize(), 0);
    assert_int_equal(hipModuleLaunchKernel(reverse, 1, 1, 1, 4096, 1, 1, 0, NULL, NULL, NULL),
                     KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipMemcpyAsync(b, a, 1 << 20, 3, NULL), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipMemsetAsync(b, 0, 1 << 20, NULL), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipExtGetLastError(), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipDeviceSynchronize(), 0);
}

// Every call that waits for the kernel reports its error, whenever the error occurred.
static void blocked_waiters_are_reported(void **state)
{
    (void)state;
    hipStream_t stream;
    hipEvent_t event;
    void *pinned;
    int pageable[16];
    assert_int_equal(hipStreamCreate(&stream), 0);
    assert_int_equal(hipEventCreate(&event), 0);
    assert_int_equal(hipHostMalloc(&pinned, 64, 0), 0);
    for (unsigned i = 0; i < 400; i++) {
        const bool is_held = i % 40 >= 20;
        if (is_held)
            block_stream(stream);
        assert_int_equal(launch(bad_word, stream, b, a), 0);
        assert_int_equal(hipEventRecord(event, stream), 0);
        if (is_held) // by another stream while the host waits
            open_gate();
        hipError_t error = 0;
        switch (i % 10) {
        case 0:
            error = hipDeviceSynchronize();
            break;
        case 1:
            error = hipStreamSynchronize(stream);
            break;
        case 2:
            error = hipEventSynchronize(event);
            break;
        case 3:
            error = hipMemcpy(pageable, a, sizeof pageable, 2);
            break;
        case 4:
            error = hipMemcpyDtoH(pinned, a, 64);
            break;
        case 5:
            error = hipMemset(a, 0, 64);
            break;
        case 6:
            error = hipStreamSynchronize(NULL);
            break;
        case 7:
            error = hipMemcpyAsync(pageable, a, sizeof pageable, 2, stream); // not pinned: it waits
            break;
        case 8:
            while ((error = hipEventQuery(event)) == NOT_READY)
                ;
            break;
        default:
            while ((error = hipStreamQuery(stream)) == NOT_READY)
                ;
        }
        if (error != 719)
            fail_msg("way %u, round %u: %d", i % 10, i, error);
        assert_int_equal(hipDeviceSynchronize(), 0); // reported only once
    }
    assert_int_equal(hipHostFree(pinned), 0);
    assert_int_equal(hipEventDestroy(event), 0);
    assert_int_equal(hipStreamDestroy(stream), 0);
    hipGetLastError();
}

static void *synchronize(void *error)
{
    *(hipError_t *)error = hipDeviceSynchronize();
    return NULL;
}

// A thread that waits and gets the error does not hide it from other threads.
static void each_thread_gets_a_late_error(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 50; i++) {
        hipError_t errors[2] = {-1, -1};
        pthread_t thread;
        assert_int_equal(launch(bad_word, NULL, b, a), 0);
        for (unsigned k = 0; k < 2; k++) {
            assert_int_equal(pthread_create(&thread, NULL, synchronize, &errors[k]), 0);
            pthread_join(thread, NULL);
        }
        assert_int_equal(errors[0], 719);
        assert_int_equal(errors[1], 0); // it began after all errors had been reported
        assert_int_equal(hipDeviceSynchronize(), 719);
        assert_int_equal(hipDeviceSynchronize(), 0);
    }
    hipGetLastError();
}

static void *work_of_a_thread(void *data)
{
    int *out = data, in[256], back[256];
    hipStream_t stream;
    bool good = hipStreamCreateWithFlags(&stream, 1) == 0;
    for (int i = 0; i < 256; i++)
        in[i] = 7 * i;
    for (int round = 0; good && round < 20; round++) {
        good = hipMemcpyAsync(out, in, sizeof in, 1, stream) == 0 &&
               launch(reverse, stream, out + 256, out) == 0 &&
               hipMemcpyAsync(back, out + 256, sizeof back, 2, stream) == 0 &&
               hipStreamSynchronize(stream) == 0;
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
    return hipGetDevice(device) == 0 && *device == 0 && hipSetDevice(1) == 0 &&
                   hipGetDevice(device) == 0
               ? data
               : NULL;
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

// The host's side writes and reads whole words, in valid memory only.
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
    assert_int_equal(hipStreamWaitValue64(stream, page + PAGE - 4, 1, 0, UINT64_MAX),
                     KILN_SIM_INVALID_VALUE);
    hipStreamBatchMemOpParams words[2] = {{.operation = WRITE_32}, {.operation = WAIT_32}};
    hipBatchMemOpNodeParams batch = {.count = 2, .all = words};
    words[0].value.address = words[1].value.address = page + PAGE - 3;
    assert_int_equal(hipGraphCreate(&graph, 0), 0);
    assert_int_equal(hipGraphAddBatchMemOpNode(&node, graph, NULL, 0, &batch),
                     KILN_SIM_INVALID_VALUE);
    // HIP's `alias` has no effect: it does not mask bits.
    words[0].value.address = words[1].value.address = page;
    words[0].value.u.value = words[1].value.u.value = 5;
    words[1].value.alias = (void *)2;
    assert_int_equal(hipGraphAddBatchMemOpNode(&node, graph, NULL, 0, &batch), 0);
    assert_int_equal(hipGraphInstantiate(&exec, graph, NULL, NULL, 0), 0);
    batch.count = 257;
    assert_int_equal(hipGraphExecBatchMemOpNodeSetParams(exec, node, &batch),
                     KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipGraphLaunch(exec, stream), 0);
    assert_int_equal(hipStreamSynchronize(stream), 0);
    assert_int_equal(*(int *)page, 5);
    assert_int_equal(hipGraphExecDestroy(exec), 0);
    assert_int_equal(hipGraphDestroy(graph), 0);
    assert_int_equal(hipStreamDestroy(stream), 0);
    assert_int_equal(hipFree(page), 0);
    hipGetLastError();
}

static void wait_for_go(void *go)
{
    while (!__atomic_load_n((int *)go, __ATOMIC_ACQUIRE))
        usleep(100);
}

// Memory that is freed between a call and its work is an error of the stream, not a crash.
static void words_may_be_freed_before_their_work(void **state)
{
    (void)state;
    enum { WRITE_32 = 2, WAIT_32 = 1, WRITE_64 = 5, WAIT_64 = 4 };
    static const int operations[] = {WRITE_32, WAIT_32, WRITE_64, WAIT_64};
    for (unsigned i = 0; i < 4; i++) {
        char *word;
        int go = 0;
        hipStream_t stream;
        hipGraph_t graph;
        hipGraphNode_t node;
        hipGraphExec_t exec;
        hipStreamBatchMemOpParams one = {.operation = operations[i]};
        hipBatchMemOpNodeParams batch = {.count = 1, .all = &one};
        assert_int_equal(hipStreamCreateWithFlags(&stream, 1), 0);
        // freed by earlier work of the stream
        assert_int_equal(hipMalloc((void **)&word, 4096), 0);
        one.value.address = word;
        assert_int_equal(hipLaunchHostFunc(stream, wait_for_go, &go), 0);
        assert_int_equal(hipFreeAsync(word, stream), 0);
        assert_int_equal(hipStreamBatchMemOp(stream, 1, &one, 0), 0);
        __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
        assert_int_equal(hipStreamSynchronize(stream), KILN_SIM_INVALID_VALUE);
        // freed between the creation and the launch of a graph
        assert_int_equal(hipMalloc((void **)&word, 4096), 0);
        one.value.address = word;
        assert_int_equal(hipGraphCreate(&graph, 0), 0);
        assert_int_equal(hipGraphAddBatchMemOpNode(&node, graph, NULL, 0, &batch), 0);
        assert_int_equal(hipGraphInstantiate(&exec, graph, NULL, NULL, 0), 0);
        assert_int_equal(hipFree(word), 0);
        hipError_t error = hipGraphLaunch(exec, stream), later = hipStreamSynchronize(stream);
        assert_int_equal(error ? error : later, KILN_SIM_INVALID_VALUE);
        assert_int_equal(hipGraphExecDestroy(exec), 0);
        assert_int_equal(hipGraphDestroy(graph), 0);
        assert_int_equal(hipStreamDestroy(stream), 0);
    }
    hipGetLastError();
}

// A wait for a value that can no longer be written ends.
static void a_wait_ends_when_its_word_is_freed(void **state)
{
    (void)state;
    hipStream_t waiting, freeing;
    char *word;
    assert_int_equal(hipStreamCreateWithFlags(&waiting, 1), 0);
    assert_int_equal(hipStreamCreateWithFlags(&freeing, 1), 0);
    assert_int_equal(hipMalloc((void **)&word, 4096), 0);
    assert_int_equal(hipStreamWaitValue32(waiting, word, 7, 1, UINT32_MAX), 0);
    usleep(20000);
    assert_int_equal(hipFreeAsync(word, freeing), 0);
    assert_int_equal(hipStreamSynchronize(waiting), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipStreamDestroy(waiting), 0);
    assert_int_equal(hipStreamDestroy(freeing), 0);
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

static void short_sleep(void *data)
{
    (void)data;
    usleep(50000);
}

// After the library has shut down, destructors of the program may still call it: nothing waits for
// work that will never be done, and work that is ready is executed.
static void calls_after_the_end(void **state)
{
    (void)state;
    KILN_TEST_SKIP_IF(KILN_TEST_FINDS_RACES, KILN_TEST_FORKS_THREADS);
    const pid_t child = fork();
    int status;
    if (child == 0) {
        hipStream_t stream;
        alarm(KILN_TEST_SECONDS(20));
        bool good = !hipStreamCreateWithFlags(&stream, 1) &&
                    !hipLaunchHostFunc(stream, short_sleep, NULL) &&
                    !hipLaunchHostFunc(stream, short_sleep, NULL);
        kiln_sim_engine_stop();
        good = good && !hipDeviceSynchronize() && !hipStreamSynchronize(stream) &&
               !hipStreamSynchronize(NULL);
        good = good && hipMemsetAsync(a, 1, 4, stream) == HIP_DEINITIALIZED;
        good = good && !hipStreamDestroy(stream) && !hipMemsetAsync(a, 2, 4, NULL) &&
               *a == 0x02020202 && !hipFree(b);
        _exit(good ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    setenv("KILN_SIM_DEVICES", "2", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(streams_run_concurrently),
                                       cmocka_unit_test(events_and_the_host_have_their_turn),
                                       cmocka_unit_test(null_stream_waits),
                                       cmocka_unit_test(errors_come_late),
                                       cmocka_unit_test(blocked_waiters_are_reported),
                                       cmocka_unit_test(each_thread_gets_a_late_error),
                                       cmocka_unit_test(threads_have_streams),
                                       cmocka_unit_test(devices_are_apart),
                                       cmocka_unit_test(each_thread_has_its_device),
                                       cmocka_unit_test(words_lie_in_memory),
                                       cmocka_unit_test(words_may_be_freed_before_their_work),
                                       cmocka_unit_test(a_wait_ends_when_its_word_is_freed),
                                       cmocka_unit_test(refused),
                                       cmocka_unit_test(calls_after_the_end)};
    return cmocka_run_group_tests(tests, load, unload);
}
