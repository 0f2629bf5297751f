// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles through which processes share memory and events are 64 bytes from another process.
// Whatever they contain, the process that opens them must survive: they are rejected, or the object
// that they open is usable until it is closed.
//
// The process that created a handle cannot open it, so all this happens in another process, which
// the test starts.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hip_sim/entry.h"
#include "sanitized.h"
#include "sim_reference.h"

enum { BYTES = 5000, OFFSET = 4000 }; // of the memory, of the handle's pointer in it

typedef struct handle { // hip_sim/memory/ipc.c
    uint64_t magic, size, offset;
    int32_t process, file;
    uint64_t device, inode;
} handle_t;

// ---- the other process

static unsigned opened, failures;

static void try_memory(hipIpcMemHandle_t handle, const char *what)
{
    uint8_t *pointer = NULL;
    handle_t content;
    memcpy(&content, &handle, sizeof content);
    const hipError_t error = hipIpcOpenMemHandle((void **)&pointer, handle, 1);
    if (error && error != KILN_SIM_INVALID_VALUE && error != HIP_INVALID_CONTEXT) {
        fprintf(stderr, "%s: %d\n", what, error);
        failures++;
    }
    if (error)
        return;
    opened++;
    volatile uint8_t *const first = pointer - content.offset;
    first[0] = first[0];
    first[content.size - 1] = first[content.size - 1];
    failures += hipMemset(pointer, 0, content.size - content.offset) != 0 ||
                hipIpcCloseMemHandle(pointer) != 0;
}

static void must_refuse(hipIpcMemHandle_t handle, const char *what)
{
    const unsigned before = opened;
    try_memory(handle, what);
    if (opened != before) {
        fprintf(stderr, "%s is opened\n", what);
        failures++;
    }
}

static void try_event(hipIpcEventHandle_t handle)
{
    hipEvent_t event;
    handle_t content;
    memcpy(&content, &handle, sizeof content);
    const hipError_t error = hipIpcOpenEventHandle(&event, handle);
    failures += !error && (content.size || content.offset); // events have neither
    if (!error)
        failures += (hipEventQuery(event) && hipGetLastError() != HIP_NOT_READY) ||
                    hipEventDestroy(event) != 0;
}

static hipIpcMemHandle_t changed(hipIpcMemHandle_t handle, handle_t content)
{
    memcpy(&handle, &content, sizeof content);
    return handle;
}

// Tries files of the parent, whose descriptors are arguments.
static void try_files(hipIpcMemHandle_t memory, char **files)
{
    for (; *files; files++) {
        handle_t content;
        struct stat file;
        char path[64];
        memcpy(&content, &memory, sizeof content);
        content.file = atoi(*files);
        snprintf(path, sizeof path, "/proc/%d/fd/%d", content.process, content.file);
        if (stat(path, &file) != 0) {
            failures++;
            continue;
        }
        content.device = (uint64_t)file.st_dev;
        content.inode = (uint64_t)file.st_ino;
        must_refuse(changed(memory, content), path);
        content.size = (uint64_t)file.st_size ? (uint64_t)file.st_size : 4096;
        content.offset = 0;
        must_refuse(changed(memory, content), path);
    }
}

static int other_process(char **argv)
{
    hipIpcMemHandle_t memory;
    hipIpcEventHandle_t event;
    uint64_t seed = 1;
    for (size_t i = 0; i < sizeof memory; i++) {
        memory.bytes[i] = (char)strtol((char[]){argv[2][2 * i], argv[2][2 * i + 1], 0}, NULL, 16);
        event.bytes[i] = (char)strtol((char[]){argv[3][2 * i], argv[3][2 * i + 1], 0}, NULL, 16);
    }
    alarm(KILN_TEST_SECONDS(60));
    try_memory(memory, "as it is");
    if (opened != 1)
        return 2;
    handle_t content;
    memcpy(&content, &memory, sizeof content);
    static const uint64_t sizes[] = {
        0,       1,        4096,       8192,      8193,       BYTES - 1,         BYTES + 1,
        1 << 20, 1u << 31, 1ull << 40, INT64_MAX, 1ull << 63, UINT64_MAX - 4095, UINT64_MAX};
    for (size_t held = 0; held < 2; held++) { // also while the memory is open
        void *pointer = NULL;
        if (held && hipIpcOpenMemHandle(&pointer, memory, 1))
            return 3;
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            handle_t other = content;
            other.size = sizes[i];
            must_refuse(changed(memory, other),
                        "another size"); // even if it has the same number of pages
            other = content;
            other.offset = sizes[i];
            if (sizes[i] >= BYTES)
                must_refuse(changed(memory, other), "an offset beyond the size");
        }
        for (unsigned bit = 0; bit < 8 * sizeof memory; bit++) {
            hipIpcMemHandle_t one = memory;
            hipIpcEventHandle_t two = event;
            one.bytes[bit / 8] ^= (char)(1 << bit % 8);
            two.bytes[bit / 8] ^= (char)(1 << bit % 8);
            try_memory(one, "one bit changed");
            try_event(two);
        }
        for (unsigned round = 0; round < 20000; round++) {
            hipIpcMemHandle_t one = memory;
            hipIpcEventHandle_t two = event;
            const unsigned max = round % 4 == 0 ? 64 : 4;
            for (unsigned i = 0; i < max; i++) {
                const uint64_t drawn = reference_random(&seed);
                one.bytes[8 + drawn % 56] = (char)(drawn >> 8);
                two.bytes[8 + (drawn >> 16) % 56] = (char)(drawn >> 24);
            }
            if (round % 8 == 0) // entirely random bytes
                for (unsigned i = 0; i < 64; i++)
                    one.bytes[i] = two.bytes[i] = (char)(reference_random(&seed) >> 8);
            try_memory(one, "random");
            try_event(two);
        }
        must_refuse((hipIpcMemHandle_t){{0}}, "nothing");
        if (held && hipIpcCloseMemHandle(pointer))
            return 4;
    }
    try_files(memory, argv + 4);
    return failures ? 5 : 0;
}

// ---- the process that shares

static void write_hex(char *text, const char *bytes)
{
    for (size_t i = 0; i < 64; i++)
        snprintf(text + 2 * i, 3, "%02x", (unsigned char)bytes[i]);
}

static void handles_are_validated(void **state)
{
    (void)state;
    hipIpcMemHandle_t memory;
    hipIpcEventHandle_t event_handle;
    hipEvent_t event;
    char texts[2][129], numbers[4][12];
    int status, pipes[2];
    void *shared;
    assert_int_equal(hipMalloc(&shared, BYTES), 0);
    assert_int_equal(hipEventCreateWithFlags(&event, 6), 0);
    assert_int_equal(hipEventRecord(event, NULL), 0);
    assert_int_equal(hipIpcGetMemHandle(&memory, (char *)shared + OFFSET), 0);
    assert_int_equal(hipIpcGetEventHandle(&event_handle, event), 0);
    write_hex(texts[0], memory.bytes);
    write_hex(texts[1], event_handle.bytes);
    // Files of other kinds, and a file with the right name that can be shrunk.
    const int same_name = memfd_create("kiln-sim-ipc", MFD_ALLOW_SEALING);
    assert_int_equal(pipe(pipes), 0);
    const int files[] = {open("/dev/null", O_RDWR), same_name, pipes[0],
                         open("/proc/self/exe", O_RDONLY)};
    assert_int_equal(ftruncate(same_name, 8192), 0);
    for (unsigned i = 0; i < 4; i++)
        snprintf(numbers[i], sizeof numbers[i], "%d", files[i]);
    const pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "child", "--open", texts[0], texts[1], numbers[0], numbers[1],
              numbers[2], numbers[3], (char *)NULL);
        _exit(9);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    for (unsigned i = 0; i < 4; i++)
        close(files[i]);
    close(pipes[1]);
    assert_int_equal(hipEventDestroy(event), 0);
    assert_int_equal(hipFree(shared), 0);
}

// A file that another process can shrink is rejected as physical memory, and a file that is not a
// pool is rejected as a pool.
static void descriptors_are_validated(void **state)
{
    (void)state;
    hipMemGenericAllocationHandle_t physical;
    hipMemPool_t pool;
    const int files[] = {memfd_create("x", MFD_ALLOW_SEALING), open("/dev/null", O_RDWR), -1,
                         12345};
    assert_int_equal(ftruncate(files[0], 1 << 20), 0);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_not_equal(
            hipMemImportFromShareableHandle(&physical, (void *)(intptr_t)files[i], 1), 0);
        assert_int_not_equal(
            hipMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)files[i], 1, 0), 0);
    }
    const struct {
        uint64_t magic;
        int device, access[64];
    } description = {0x6b6970636d706c01ull, 0, {3, 77}};
    assert_int_equal(pwrite(files[0], &description, sizeof description, 0), sizeof description);
    assert_int_not_equal(
        hipMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)files[0], 1, 0), 0);
    close(files[0]);
    close(files[1]);
    hipGetLastError();
}

int main(int argc, char **argv)
{
    if (argc > 4 && strcmp(argv[1], "--open") == 0)
        return other_process(argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(handles_are_validated),
                                       cmocka_unit_test(descriptors_are_validated)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
