// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points that ordinary programs use in addition to launches and copies: graphs, built by
// hand and captured; boxes; pools; pointers; and the symbol versions that programs linked against
// AMD's library require.
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hip_sim/entry.h"
#include "hip_sim/graph/graph.h"
#include "timing/parameters.h"

static hipModule_t module;
static hipFunction_t reverse; // out[i] = in[255 - i], 256 work-items
static int *a, *b;

static void assert_reversed(const int *reversed, int times)
{
    for (int i = 0; i < 256; i++)
        assert_int_equal(reversed[i], times % 2 ? 3 * (255 - i) : 3 * i);
}

static void fill(int *values)
{
    for (int i = 0; i < 256; i++)
        values[i] = 3 * i;
}

static void launch(hipStream_t stream, int *out, int *in)
{
    void *arguments[] = {out, in};
    size_t size = sizeof arguments;
    void *extra[] = {(void *)1, arguments, (void *)2, &size, (void *)3};
    assert_int_equal(hipModuleLaunchKernel(reverse, 1, 1, 1, 256, 1, 1, 0, stream, NULL, extra), 0);
}

static void count(void *data)
{
    ++*(int *)data;
}

// Two streams that fork and join. Their work is executed only when the graph is launched, and
// completely each time.
static void captured_work_is_done_at_launch(void **state)
{
    (void)state;
    hipStream_t one, two;
    hipEvent_t fork, join;
    hipGraph_t graph;
    hipGraphExec_t exec;
    int in[256], out[256] = {0}, calls = 0, status;
    fill(in);
    assert_int_equal(hipStreamCreate(&one), 0);
    assert_int_equal(hipStreamCreate(&two), 0);
    assert_int_equal(hipEventCreate(&fork), 0);
    assert_int_equal(hipEventCreate(&join), 0);
    memset(b, 0x55, 1024);

    assert_int_equal(hipStreamBeginCapture(one, 0), 0);
    assert_int_equal(hipStreamBeginCapture(one, 0), 401);
    assert_int_equal(hipMemcpyAsync(a, in, sizeof in, 1, one), 0);
    assert_int_equal(hipEventRecord(fork, one), 0);
    assert_int_equal(hipStreamWaitEvent(two, fork, 0), 0);
    launch(two, b, a);
    assert_int_equal(hipEventRecord(join, two), 0);
    assert_int_equal(hipLaunchHostFunc(one, count, &calls), 0);
    assert_int_equal(hipStreamWaitEvent(one, join, 0), 0);
    assert_int_equal(hipMemcpyAsync(out, b, sizeof out, 2, one), 0);
    assert_int_equal(hipMemsetD32Async(b, 7, 256, one), 0);
    assert_int_equal(hipStreamIsCapturing(two, &status), 0);
    assert_int_equal(status, 1);
    assert_int_equal(hipStreamEndCapture(two, &graph), 903);
    assert_int_equal(hipStreamEndCapture(one, &graph), 0);
    assert_int_equal(hipStreamIsCapturing(two, &status), 0);
    assert_int_equal(status, 0);
    assert_int_equal(b[0], 0x55555555);
    assert_int_equal(calls, 0);

    assert_int_equal(hipStreamBeginCapture(one, 0),
                     0); // waiting cannot be captured, and invalidates a capture
    assert_int_equal(hipStreamSynchronize(one), 900);
    hipGraph_t none = graph;
    assert_int_equal(hipStreamEndCapture(one, &none), 901);
    assert_null(none);

    assert_int_equal(hipGraphInstantiate(&exec, graph, NULL, NULL, 0), 0);
    assert_int_equal(hipGraphDestroy(graph), 0);
    for (int round = 1; round <= 3; round++) {
        memset(out, 0, sizeof out);
        assert_int_equal(hipGraphLaunch(exec, two), 0);
        assert_reversed(out, 1);
        assert_int_equal(b[255], 7);
        assert_int_equal(calls, round);
    }
    assert_int_equal(hipGraphExecDestroy(exec), 0);
    hipStreamDestroy(one);
    hipStreamDestroy(two);
    hipEventDestroy(fork);
    hipEventDestroy(join);
}

// Nodes run in the order of their dependencies, not of their creation; a cycle is an error.
static void nodes_run_in_order(void **state)
{
    (void)state;
    hipGraph_t graph, child;
    hipGraphNode_t copy_out, first, second, copy_in, nested;
    hipGraphExec_t exec;
    int in[256], out[256] = {0};
    size_t nodes = 0, roots = 0;
    fill(in);
    struct { // hipKernelNodeParams
        hip_dim3_t block;
        void **extra;
        void *function;
        hip_dim3_t grid;
        void **params;
        unsigned lds;
    } kernel = {.block = {256, 1, 1}, .function = reverse, .grid = {1, 1, 1}};
    void *arguments[] = {b, a};
    size_t size = sizeof arguments;
    void *extra[] = {(void *)1, arguments, (void *)2, &size, (void *)3};
    kernel.extra = extra;

    assert_int_equal(hipGraphCreate(&graph, 0), 0);
    assert_int_equal(hipGraphAddMemcpyNode1D(&copy_out, graph, NULL, 0, out, a, sizeof out, 2), 0);
    assert_int_equal(hipGraphAddKernelNode(&second, graph, NULL, 0, (void *)&kernel), 0);
    arguments[0] = a; // the first one has its own copy of {b, a}
    arguments[1] = b;
    assert_int_equal(hipGraphAddKernelNode(&first, graph, &second, 1, (void *)&kernel), 0);
    assert_int_equal(hipGraphAddMemcpyNode1D(&copy_in, graph, NULL, 0, a, in, sizeof in, 1), 0);
    assert_int_equal(hipGraphAddDependencies(graph, (hipGraphNode_t[]){first, copy_in},
                                             (hipGraphNode_t[]){copy_out, second}, 2),
                     0);
    assert_int_equal(hipGraphGetNodes(graph, NULL, &nodes), 0);
    assert_int_equal(hipGraphGetRootNodes(graph, NULL, &roots), 0);
    assert_int_equal(nodes, 4);
    assert_int_equal(roots, 1);

    assert_int_equal(hipGraphCreate(&child, 0), 0);
    assert_int_equal(hipGraphAddChildGraphNode(&nested, child, NULL, 0, graph), 0);
    assert_int_equal(hipGraphInstantiate(&exec, child, NULL, NULL, 0), 0);
    assert_int_equal(hipGraphLaunch(exec, NULL), 0);
    assert_reversed(out, 2);
    assert_int_equal(hipGraphExecDestroy(exec), 0);
    assert_int_equal(hipGraphDestroy(child), 0);

    assert_int_equal(hipGraphAddDependencies(graph, &copy_out, &copy_in, 1), 0);
    assert_int_equal(hipGraphInstantiate(&exec, graph, NULL, NULL, 0), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipGraphDestroy(graph), 0);
}

static void boxes_leave_what_is_around_them(void **state)
{
    (void)state;
    uint8_t *device, in[30 * 10], out[40 * 10];
    size_t pitch;
    assert_int_equal(hipMallocPitch((void **)&device, &pitch, 30, 10), 0);
    assert_int_equal(pitch, 256);
    memset(device, 0xee, pitch * 10);
    for (unsigned i = 0; i < sizeof in; i++)
        in[i] = (uint8_t)i;
    memset(out, 0x11, sizeof out);
    assert_int_equal(hipMemcpy2D(device, pitch, in, 30, 30, 10, 1), 0);
    assert_int_equal(device[30], 0xee);
    assert_int_equal(hipMemset2D(device + pitch + 5, pitch, 0x77, 3, 2), 0);
    assert_int_equal(hipMemcpy2D(out, 40, device, pitch, 30, 10, 2), 0);
    for (unsigned y = 0; y < 10; y++) {
        for (unsigned x = 0; x < 40; x++) {
            bool filled = x >= 5 && x < 8 && (y == 1 || y == 2);
            assert_int_equal(out[y * 40 + x], x >= 30  ? 0x11
                                              : filled ? 0x77
                                                       : (uint8_t)(y * 30 + x));
        }
    }
    // Only the address that a side's type selects counts; the other addresses may be anything.
    hip_copy_2d_t part = {.from_type = 1,
                          .to_type = 11,
                          .from_pitch = 30,
                          .to_pitch = pitch,
                          .width = 30,
                          .height = 10};
    part.from_host = in;
    part.to_device = device;
    part.from_array = part.to_array = part.from_device = part.to_host = out;
    memset(device, 0, pitch * 10);
    assert_int_equal(hipMemcpyParam2D(&part), 0);
    assert_memory_equal(device + 9 * pitch, in + 9 * 30, 30);
    part.to_type = 2;
    assert_int_equal(hipDrvMemcpy2DUnaligned(&part), 0);
    part.to_type = 10; // an array
    assert_int_equal(hipMemcpyParam2D(&part), KILN_SIM_NOT_SUPPORTED);
    part.to_type = 4;
    assert_int_equal(hipMemcpyParam2D(&part), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipMemcpy2D(out, 20, device, pitch, 30, 10, 2),
                     12); // rows that do not fit their pitch
    assert_int_equal(hipMemcpy2D(device, pitch, in, 30, 30, 11, 1), KILN_SIM_INVALID_VALUE);
    hipFree(device);
}

static void pools_and_pointers(void **state)
{
    (void)state;
    hipMemPool_t pool;
    void *pointer, *pinned;
    uint64_t value = 77;
    size_t range = 0;
    unsigned type;
    assert_int_equal(hipDeviceGetDefaultMemPool(&pool, 0), 0);
    assert_int_equal(hipMemPoolSetAttribute(pool, 4, &value), 0);
    value = 0;
    assert_int_equal(hipMemPoolGetAttribute(pool, 4, &value), 0);
    assert_int_equal(value, 77);
    assert_int_equal(hipMallocFromPoolAsync(&pointer, 1000, pool, NULL), 0);
    assert_int_equal(hipHostMalloc(&pinned, 64, 0), 0);
    assert_int_equal(hipPointerGetAttribute(&range, 12, (char *)pointer + 5), 0);
    assert_int_equal(range, 1000);
    assert_int_equal(hipPointerGetAttribute(&type, 2, pointer), 0);
    assert_int_equal(type, 2);
    assert_int_equal(hipPointerGetAttribute(&type, 2, pinned), 0);
    assert_int_equal(type, 1);
    assert_int_equal(hipFreeAsync(pointer, NULL), 0);
    assert_int_equal(hipHostFree(pinned), 0);
    assert_int_equal(hipPointerGetAttribute(&type, 2, pointer), KILN_SIM_INVALID_VALUE);
}

static uint8_t *read_object(void)
{
    FILE *file = fopen(KILN_BINARY_DIR "/test/sim_kernels/launch.hsaco", "rb");
    uint8_t *bytes = calloc(1, 1 << 20);
    assert_non_null(file);
    assert_non_null(bytes);
    assert_true(fread(bytes, 1, 1 << 20, file) > 0);
    fclose(file);
    return bytes;
}

// clang's code for kernel<<<...>>> drops the launch's result; the next call that waits for the
// device reports the error, once.
static void lost_errors_are_reported_again(void **state)
{
    (void)state;
    static const char bad = 0, missing = 0,
                      bounded = 0; // host addresses that represent the kernels
    struct {
        uint32_t magic, version;
        const void *binary;
        void *unused;
    } header = {0x48495046, 1, read_object(), NULL};
    char name[] = "bad_word", wrong[] = "no_such_kernel", small[] = "bounded";
    const hip_dim3_t one = {1, 1, 1}, too_many = {1025, 1, 1}, max = {16, 8, 1}, more = {129, 1, 1},
                     none = {64, 0, 1};
    void **owner = __hipRegisterFatBinary(&header);
    __hipRegisterFunction(owner, &bad, name, name, 0, NULL, NULL, NULL, NULL, NULL);
    __hipRegisterFunction(owner, &bounded, small, small, 0, NULL, NULL, NULL, NULL, NULL);
    __hipRegisterFunction(owner, &missing, wrong, wrong, 0, NULL, NULL, NULL, NULL, NULL);
    assert_int_equal(hipDeviceSynchronize(), 0);
    assert_int_equal(hipLaunchKernel(&bad, one, one, NULL, 0, NULL), 719);
    assert_int_equal(hipGetLastError(), 719);
    assert_int_equal(hipGetLastError(), 0);
    assert_int_equal(hipMemcpy(a, b, 4, 3), 719);
    assert_non_null(strstr(hipGetErrorString(719), "invalid gfx942 instruction"));
    assert_int_equal(hipMemcpy(a, b, 4, 3), 0);
    assert_int_equal(hipLaunchKernel(&bad, one, one, NULL, 0, NULL), 719);
    assert_int_equal(hipDeviceSynchronize(), 719);
    assert_int_equal(hipDeviceSynchronize(), 0);
    assert_int_equal(hipLaunchKernel(&missing, one, one, NULL, 0, NULL), KILN_SIM_NOT_FOUND);
    assert_int_equal(hipLaunchKernel(&bad, one, too_many, NULL, 0, NULL),
                     KILN_SIM_INVALID_CONFIGURATION);
    assert_int_equal(hipLaunchKernel(&bounded, one, max, NULL, 0, NULL), 0);
    assert_int_equal(hipLaunchKernel(&bounded, one, more, NULL, 0, NULL), KILN_SIM_LAUNCH_FAILURE);
    assert_non_null(strstr(hipGetErrorString(719), "up to 128 work-items, got 129"));
    assert_int_equal(hipLaunchKernel(&bounded, one, too_many, NULL, 0, NULL),
                     KILN_SIM_INVALID_CONFIGURATION);
    assert_int_equal(hipLaunchKernel(&bounded, one, none, NULL, 0, NULL), KILN_SIM_INVALID_VALUE);
    assert_int_equal(hipLaunchCooperativeKernel(&bounded, one, one, NULL, 65537, NULL), 720);
    assert_int_equal(hipDeviceSynchronize(), 0); // these never ran
    __hipUnregisterFatBinary(owner);
    free((void *)(uintptr_t)header.binary);
}

static void symbols_have_their_versions(void **state)
{
    (void)state;
    static const char *const symbols[][2] = {{"hipMalloc", "hip_4.2"},
                                             {"hipGetDeviceProperties", "hip_4.2"},
                                             {"hipGraphAddEmptyNode", "hip_4.4"},
                                             {"hipMallocAsync", "hip_5.1"},
                                             {"hipLaunchHostFunc", "hip_5.3"},
                                             {"hipGetDevicePropertiesR0600", "hip_6.0"},
                                             {"__hipRegisterFatBinary", "hip_4.2"},
                                             {"kilnSimGetLaunchStats", "kiln_sim"}};
    void *library = dlopen(KILN_BINARY_DIR "/lib/hip/libamdhip64.so.6", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        skip();
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        if (!dlvsym(library, symbols[i][0], symbols[i][1]) || !dlsym(library, symbols[i][0]))
            fail_msg("no %s@@%s", symbols[i][0], symbols[i][1]);
    }
    dlclose(library);
}

static int load(void **state)
{
    (void)state;
    return hipModuleLoad(&module, KILN_BINARY_DIR "/test/sim_kernels/launch.hsaco") ||
           hipModuleGetFunction(&reverse, module, "reverse") || hipMalloc((void **)&a, 1024) ||
           hipMalloc((void **)&b, 1024);
}

static int unload(void **state)
{
    (void)state;
    return hipFree(a) || hipFree(b) || hipModuleUnload(module);
}

// A fill of 64 MB writes at 91 % of 5324.8 GB/s; a copy also reads at 79 % of it; the host's link
// has 55 GB/s. Each operation is a launch.
static void copies_and_fills_take_time(void **state)
{
    (void)state;
    enum { BYTES = 64 << 20 };
    const double fixed = (KILN_TIMING_LAUNCH_NS + KILN_TIMING_END_NS) * 1e-6;
    const double hbm = 1300 * 4.0 * 8192 / 8 * 1e3, // bytes per millisecond
        write = BYTES / (hbm * KILN_TIMING_HBM_WRITE_PERCENT / 100),
                 read = BYTES / (hbm * KILN_TIMING_HBM_READ_PERCENT / 100),
                 link = BYTES / (KILN_TIMING_HOST_LINK * 1e6);
    const double expected[] = {fixed + write, fixed + read + write, fixed + link,
                               fixed + read + write};
    char *x, *y, *host = malloc(BYTES);
    hipEvent_t events[5];
    assert_non_null(host);
    assert_int_equal(hipMalloc((void **)&x, BYTES), 0);
    assert_int_equal(hipMalloc((void **)&y, BYTES), 0);
    for (int i = 0; i < 5; i++)
        assert_int_equal(hipEventCreate(&events[i]), 0);
    assert_int_equal(kilnSimSetOption("clock", "model"), 0);
    assert_int_equal(hipEventRecord(events[0], NULL), 0);
    assert_int_equal(hipMemset(x, 1, BYTES), 0);
    assert_int_equal(hipEventRecord(events[1], NULL), 0);
    assert_int_equal(hipMemcpy(y, x, BYTES, 3), 0);
    assert_int_equal(hipEventRecord(events[2], NULL), 0);
    memset(host, 0, BYTES);
    assert_int_equal(hipMemcpy(x, host, BYTES, 1), 0);
    assert_int_equal(hipEventRecord(events[3], NULL), 0);
    // Half of each row, with row pitches of twice that: one copy, not one for each row.
    assert_int_equal(hipMemcpy2D(y, 1 << 13, x, 1 << 13, 1 << 12, 1 << 13, 3), 0);
    assert_int_equal(hipEventRecord(events[4], NULL), 0);
    for (int i = 0; i < 4; i++) {
        float ms;
        assert_int_equal(hipEventElapsedTime(&ms, events[i], events[i + 1]), 0);
        const double wanted = i == 3 ? fixed + (expected[3] - fixed) / 2 : expected[i];
        assert_true(fabs((double)ms - wanted) < 1e-4 * wanted);
    }
    assert_int_equal(kilnSimSetOption("clock", NULL), 0);
    for (int i = 0; i < 5; i++)
        assert_int_equal(hipEventDestroy(events[i]), 0);
    assert_int_equal(hipFree(x), 0);
    assert_int_equal(hipFree(y), 0);
    free(host);
}

// hipDrvLaunchKernelEx is a launch with stream, LDS and attributes in a struct; attributes that
// gfx942 does not support are errors.
static void launches_by_configuration(void **state)
{
    (void)state;
    int in[256], out[256] = {0};
    fill(in);
    assert_int_equal(hipMemcpy(a, in, sizeof in, 1), 0);
    hip_launch_attribute_t attributes[2] = {{.id = 8}, {.id = 4, .value.cluster = {1, 1, 1}}};
    hip_launch_config_t config = {
        .grid = {1, 1, 1}, .block = {256, 1, 1}, .attributes = attributes};
    void *arguments[] = {b, a};
    size_t size = sizeof arguments;
    void *extra[] = {(void *)1, arguments, (void *)2, &size, (void *)3};
    for (config.attribute_count = 0; config.attribute_count <= 2; config.attribute_count++) {
        assert_int_equal(hipMemset(b, 0, sizeof out), 0);
        assert_int_equal(hipDrvLaunchKernelEx(&config, reverse, NULL, extra), 0);
        assert_int_equal(hipMemcpy(out, b, sizeof out, 2), 0);
        assert_reversed(out, 1);
    }
    // A cooperative launch needs all workgroups at once, and a million don't fit.
    attributes[0] = (hip_launch_attribute_t){.id = 2, .value.cooperative = 1};
    config.attribute_count = 1;
    config.grid[0] = 1 << 20;
    assert_int_equal(hipDrvLaunchKernelEx(&config, reverse, NULL, NULL), 720);
    config.attribute_count = 2;
    attributes[1].value.cluster[0] = 2;
    assert_int_equal(hipDrvLaunchKernelEx(&config, reverse, NULL, extra), 801);
    config.attributes = NULL;
    assert_int_equal(hipDrvLaunchKernelEx(&config, reverse, NULL, extra), 1);
    // An LDS size above 32 bits must not be truncated.
    const hipLaunchConfig_t large = {.grid = {1, 1, 1},
                                     .block = {256, 1, 1},
                                     .dynamic_lds = (size_t)1 << 32,
                                     .attributes = attributes,
                                     .attribute_count = 1};
    assert_int_equal(hipLaunchKernelExC(&large, &reverse, extra), 1);
    assert_int_equal(hipDrvLaunchKernelEx(NULL, reverse, NULL, extra), 1);
}

// Since HIP 6, two names denote functions that headers spell with a suffix.
static void addresses_go_by_version(void **state)
{
    (void)state;
    void *library = dlopen(KILN_BINARY_DIR "/lib/hip/libamdhip64.so.6", RTLD_NOW | RTLD_LOCAL);
    hipError_t (*get)(const char *, void **, int, uint64_t, int *);
    if (!library)
        skip();
    *(void **)&get = dlsym(library, "hipGetProcAddress");
    static const char *const names[] = {"hipGetDeviceProperties", "hipChooseDevice"};
    void *old, *now;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(get(names[i], &old, 504, 0, NULL), 0);
        assert_int_equal(get(names[i], &now, 70125424, 0, NULL), 0);
        assert_ptr_equal(old, dlsym(library, names[i]));
        assert_ptr_not_equal(old, now);
    }
    assert_int_equal(get("hipMalloc", &now, 600, 0, NULL), 0);
    assert_int_not_equal(get("hipNoSuchThing", &now, 600, 0, NULL), 0);
    dlclose(library);
}

// ---- a library that is unloaded before its threads end

static void *library_of_thread;
static pthread_barrier_t rendezvous;

static void *use_and_outlive(void *data)
{
    hipError_t (*synchronize)(hipStream_t);
    int (*stats)(kiln_sim_launch_stats_t *);
    kiln_sim_launch_stats_t none = {.struct_size = sizeof none};
    *(void **)&synchronize = dlsym(library_of_thread, "hipStreamSynchronize");
    *(void **)&stats = dlsym(library_of_thread, "kilnSimGetLaunchStats");
    *(bool *)data = synchronize((hipStream_t)2) == 0 &&
                    stats(&none) != 0; // initializes the thread's own stream and its last launch
    pthread_barrier_wait(&rendezvous);
    pthread_barrier_wait(&rendezvous);
    return NULL;
}

// In a separate process, so that memory that the library never frees, or keeps for a thread, is
// released with it.
static void threads_outlive_the_library(void **state)
{
    (void)state;
    int status;
    void *library = dlopen(KILN_BINARY_DIR "/lib/hip/libamdhip64.so.6", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        skip();
    assert_int_equal(dlclose(library), 0);
    const pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        bool good = false;
        library_of_thread =
            dlopen(KILN_BINARY_DIR "/lib/hip/libamdhip64.so.6", RTLD_NOW | RTLD_LOCAL);
        if (!library_of_thread || pthread_barrier_init(&rendezvous, NULL, 2) ||
            pthread_create(&thread, NULL, use_and_outlive, &good))
            _exit(2);
        pthread_barrier_wait(&rendezvous);
        dlclose(library_of_thread);
        pthread_barrier_wait(&rendezvous);
        pthread_join(thread, NULL);
        _exit(good ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(copies_and_fills_take_time),
                                       cmocka_unit_test(captured_work_is_done_at_launch),
                                       cmocka_unit_test(nodes_run_in_order),
                                       cmocka_unit_test(boxes_leave_what_is_around_them),
                                       cmocka_unit_test(pools_and_pointers),
                                       cmocka_unit_test(lost_errors_are_reported_again),
                                       cmocka_unit_test(symbols_have_their_versions),
                                       cmocka_unit_test(launches_by_configuration),
                                       cmocka_unit_test(addresses_go_by_version),
                                       cmocka_unit_test(threads_outlive_the_library)};
    return cmocka_run_group_tests(tests, load, unload);
}
