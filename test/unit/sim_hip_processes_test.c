// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory, events and pools shared by processes. The other process is this program with an option.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hip_sim/entry.h"
#include "sim_hip_streams.h"

static int other_process(char **argv)
{
    hipIpcMemHandle_t memory;
    hipIpcEventHandle_t event_handle;
    hipEvent_t event;
    int *shared;
    for (size_t i = 0; i < sizeof memory; i++) {
        memory.bytes[i] = (char)strtol((char[]){argv[2][2 * i], argv[2][2 * i + 1], 0}, NULL, 16);
        event_handle.bytes[i] =
            (char)strtol((char[]){argv[3][2 * i], argv[3][2 * i + 1], 0}, NULL, 16);
    }
    if (hipIpcOpenMemHandle((void **)&shared, memory, 1) ||
        hipIpcOpenEventHandle(&event, event_handle) || hipEventSynchronize(event))
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

// A shared event may be destroyed before streams have reached it, and released memory does not keep
// a file open.
static void shared_memory_is_released(void **state)
{
    (void)state;
    hipStream_t stream;
    hipEvent_t event;
    hipIpcMemHandle_t handle;
    struct rlimit before, few;
    void *pointer;
    assert_int_equal(hipStreamCreateWithFlags(&stream, 1), 0);
    assert_int_equal(hipEventCreateWithFlags(&event, 6), 0);
    block_stream(stream);
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

// ---- waiting for the event of a process that ends before it has reached its recording

static void pass_time(void *seconds)
{
    sleep((unsigned)(uintptr_t)seconds);
}

// Records an event behind a host function, writes its handle to descriptor 3, and then ends as the
// test tells it through descriptor 4.
static int record_and_end(void)
{
    hipStream_t stream;
    hipEvent_t event;
    hipIpcEventHandle_t handle;
    char how;
    alarm(120); // in case that the test ends before it kills this process
    if (kilnSimSetOption("async", "1") || hipStreamCreate(&stream) ||
        hipEventCreateWithFlags(&event, 6) || hipIpcGetEventHandle(&handle, event) ||
        read(4, &how, 1) != 1 ||
        hipLaunchHostFunc(stream, pass_time, (void *)(uintptr_t)(how == 't' ? 1 : 1000)) ||
        hipEventRecord(event, stream) || write(3, &handle, sizeof handle) != sizeof handle ||
        read(4, &how, 1) != 1)
        return 1;
    if (how == 'p')
        execlp("sleep", "sleep", "1000", (char *)NULL);
    if (how == 't')
        pthread_exit(NULL);
    pause();
    return 1;
}

// Whether the recording is reached when the wait for it has ended.
static bool wait_for_ended(char how)
{
    int from[2], to[2], status;
    hipIpcEventHandle_t handle;
    hipEvent_t event;
    assert_int_equal(pipe(from) | pipe(to), 0);
    const pid_t child = fork();
    if (child == 0) {
        const int out = dup(from[1]), in = dup(to[0]); // neither is 3 or 4: those are open
        dup2(out, 3);
        dup2(in, 4);
        for (int file = 5; file < 64; file++)
            close(file);
        execl("/proc/self/exe", "child", "--record", (char *)NULL);
        _exit(9);
    }
    assert_int_equal(write(to[1], &how, 1), 1);
    assert_int_equal(read(from[0], &handle, sizeof handle), sizeof handle);
    assert_int_equal(hipIpcOpenEventHandle(&event, handle), 0);
    assert_int_equal(hipEventQuery(event), HIP_NOT_READY);
    assert_int_equal(write(to[1], &how, 1), 1);
    if (how == 'k')
        assert_int_equal(kill(child, SIGKILL), 0);
    alarm(60); // nothing else ends a wait that does not notice
    assert_int_equal(hipEventSynchronize(event), 0);
    alarm(0);
    const bool reached = hipEventQuery(event) == 0;
    assert_int_equal(hipEventDestroy(event), 0);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(close(from[0]) | close(from[1]) | close(to[0]) | close(to[1]), 0);
    hipGetLastError();
    return reached;
}

// The number of a process that was killed exists until its parent has waited for it.
static void killed_process_ends_wait(void **state)
{
    (void)state;
    assert_false(wait_for_ended('k'));
}

// As with a number that the system has given to another process, the number exists.
static void other_program_ends_wait(void **state)
{
    (void)state;
    assert_false(wait_for_ended('p'));
}

// A process whose first thread has ended executes its work in the others.
static void ended_thread_does_not(void **state)
{
    (void)state;
    assert_true(wait_for_ended('t'));
}

static int import_pool(int file, const hipMemPoolPtrExportData *data)
{
    hipMemPool_t pool;
    hipMemAccessFlags flags;
    hipMemLocation location = {1, 0};
    int *shared;
    if (hipMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)file, 1, 0) ||
        hipMemPoolGetAccess(&flags, pool, &location) || flags != 3 ||
        hipMemPoolImportPointer((void **)&shared, pool, (void *)(uintptr_t)data))
        return 1;
    const bool good = shared[0] == 77;
    shared[1] += 1;
    if (!good || hipFreeAsync(shared, NULL) || hipStreamSynchronize(NULL))
        return 2;
    return hipMemPoolDestroy(pool) ? 3 : 0;
}

static void processes_share_pools(void **state)
{
    (void)state;
    hipMemPool_t pool, closed;
    hipMemPoolPtrExportData data;
    int file, status, *memory;
    hipMemPoolProps p = {.type = 1, .location = {1, 0}};
    assert_int_equal(hipMemPoolCreate(&closed, &p), 0);
    assert_int_equal(hipMemPoolExportToShareableHandle(&file, closed, 1, 0),
                     KILN_SIM_INVALID_VALUE);
    p.handle_types = 1;
    assert_int_equal(hipMemPoolCreate(&pool, &p), 0);
    assert_int_equal(hipMemPoolExportToShareableHandle(&file, pool, 0, 0), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipMemPoolExportToShareableHandle(&file, pool, 1, 0), 0);
    assert_int_equal(hipMallocFromPoolAsync((void **)&memory, 5000, pool, NULL), 0);
    memory[0] = 77;
    memory[1] = 0;
    assert_int_equal(hipMemPoolExportPointer(&data, memory), 0);
    assert_int_equal(import_pool(file, &data), 0); // a second mapping in the same process
    assert_int_equal(memory[1], 1);
    char texts[2][140];
    const int inherited = dup(file);
    snprintf(texts[0], sizeof texts[0], "%d", inherited);
    for (size_t i = 0; i < sizeof data; i++)
        snprintf(texts[1] + 2 * i, 3, "%02x", (unsigned char)data.bytes[i]);
    const pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "child", "--import", texts[0], texts[1], (char *)NULL);
        _exit(9);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(memory[1], 2);
    assert_int_equal(hipMemPoolImportPointer((void **)&memory, pool, NULL), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipFreeAsync(memory, NULL), 0);
    assert_int_equal(hipMemPoolDestroy(pool), 0);
    assert_int_equal(hipMemPoolDestroy(closed), 0);
    assert_int_equal(close(file) | close(inherited), 0);
    hipGetLastError();
}

int main(int argc, char **argv)
{
    setenv("KILN_SIM_DEVICES", "2", 1);
    if (argc == 4 && strcmp(argv[1], "--open") == 0)
        return other_process(argv);
    if (argc == 2 && strcmp(argv[1], "--record") == 0)
        return record_and_end();
    if (argc == 4 && strcmp(argv[1], "--import") == 0) {
        hipMemPoolPtrExportData data;
        for (size_t i = 0; i < sizeof data; i++)
            data.bytes[i] = (char)strtol((char[]){argv[3][2 * i], argv[3][2 * i + 1], 0}, NULL, 16);
        return import_pool((int)strtol(argv[2], NULL, 10), &data);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_share),          cmocka_unit_test(shared_memory_is_released),
        cmocka_unit_test(killed_process_ends_wait), cmocka_unit_test(other_program_ends_wait),
        cmocka_unit_test(ended_thread_does_not),    cmocka_unit_test(processes_share_pools)};
    return cmocka_run_group_tests(tests, load, unload);
}
