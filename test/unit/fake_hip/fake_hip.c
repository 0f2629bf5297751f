// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A HIP library without a device. Kernels named "fail" fail, "die" ends the process, as faults do
// on a GPU; the kernel "missing" is never found; allocations over 1 GiB are refused.
//
// A launch with args has no count, so the fake copies the number of arguments that ends the
// kernel's name ("add3": three). With FAKE_FORGETS, for benchmarks, a launch records nothing for
// tests, and the functions that Triton's driver looks up exist, too.
#include "fake_hip.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NO_DEVICE = 100,
    INVALID_IMAGE = 200,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    NOT_READY = 600,
    LAUNCH_FAILURE = 719
};

#ifdef FAKE_NO_DEVICE
static const char *const archs[] = {""};
enum { ARCH_COUNT = 0 };
#else
static const char *const archs[] = {FAKE_ARCHS};
enum { ARCH_COUNT = sizeof archs / sizeof *archs };
#endif

static fake_launch_t last;
static int last_error;

EXPORT const fake_launch_t *fakeHipLastLaunch(void)
{
    return &last;
}

// If set, called at the start of each launch, to read clocks.
EXPORT void (*fakeHipOnLaunch)(void);

// If set, returns the milliseconds that a launch takes, which is the last one already; otherwise
// each takes one.
EXPORT float (*fakeHipDuration)(const char *kernel, unsigned grid, unsigned block);
static float now; // milliseconds

// Core cycles of the compute units, which kiln_read_clock1 of autotune/held_clock.c reads.
EXPORT double fakeHipClock = 1500; // MHz

// Each XCD began to count at another time.
static void read_clock(int64_t *rows, unsigned programs)
{
    enum { XCDS = 8 };
    for (unsigned i = 0; i < programs; i++) {
        rows[3 * i] = (int64_t)(now * 1e3 * fakeHipClock) + 1000000 * (i % XCDS);
        rows[3 * i + 1] = (int64_t)(now * 1e5) + 1;
        rows[3 * i + 2] = i % XCDS;
    }
}

static int answer(int error)
{
    if (error)
        last_error = error;
    return error;
}

// If set, the call of this name fails, for tests of its callers.
EXPORT const char *fakeHipFails;
#define MAY_FAIL                                                                                   \
    do {                                                                                           \
        if (fakeHipFails && strcmp(fakeHipFails, __func__) == 0)                                   \
            return answer(LAUNCH_FAILURE);                                                         \
    } while (0)

EXPORT int hipInit(unsigned flags)
{
    MAY_FAIL;
    (void)flags;
    return SUCCESS;
}
EXPORT const char *hipGetErrorName(int error)
{
    return error == OUT_OF_MEMORY    ? "hipErrorOutOfMemory"
           : error == LAUNCH_FAILURE ? "hipErrorLaunchFailure"
                                     : "hipErrorOther";
}
EXPORT const char *hipGetErrorString(int error)
{
    return error == OUT_OF_MEMORY ? "out of memory"
           : error == NO_DEVICE   ? "no ROCm-capable device is detected"
                                  : "other error";
}
EXPORT int hipGetLastError(void)
{
    int error = last_error;
    last_error = SUCCESS;
    return error;
}
EXPORT int hipDriverGetVersion(int *version)
{
    MAY_FAIL;
    *version = 60342131;
    return SUCCESS;
}
EXPORT int hipGetDeviceCount(int *count)
{
    MAY_FAIL;
    *count = ARCH_COUNT;
    return answer(ARCH_COUNT ? SUCCESS : NO_DEVICE);
}
EXPORT int hipSetDevice(int ordinal)
{
    MAY_FAIL;
    return answer(ordinal >= 0 && ordinal < ARCH_COUNT ? SUCCESS : INVALID_VALUE);
}

static void put_int(char *properties, size_t offset, int value)
{
    memcpy(properties + offset, &value, sizeof value);
}

static void put_size(char *properties, size_t offset, size_t value)
{
    memcpy(properties + offset, &value, sizeof value);
}

EXPORT int hipGetDeviceProperties(void *properties, int ordinal)
{
    MAY_FAIL;
    memset(properties, 0, 792);
    strcpy(properties, "Fake MI300X");
    put_size(properties, 256, (size_t)192 << 30);
    put_size(properties, 264, 65536);
    put_int(properties, 276, 64);
    put_int(properties, 280, 1024);
    put_int(properties, 272, 65536);
    put_int(properties, 336, 304);
    put_int(properties, 344, 2048);
    put_int(properties, 368, 11 + ordinal);
    strcpy((char *)properties + 396, archs[ordinal]);
    return SUCCESS;
}
#ifndef FAKE_OLD_PROPERTIES
EXPORT int hipGetDevicePropertiesR0600(void *properties, int ordinal)
{
    MAY_FAIL;
    memset(properties, 0, 1472);
    strcpy(properties, "Fake MI300X");
    put_size(properties, 288, (size_t)192 << 30);
    put_size(properties, 296, 65536);
    put_int(properties, 308, 64);
    put_int(properties, 320, 1024);
    put_int(properties, 304, 65536);
    put_int(properties, 388, 304);
    put_int(properties, 624, 2048);
    put_int(properties, 584, 11 + ordinal);
    strcpy((char *)properties + 1160, archs[ordinal]);
    return SUCCESS;
}
#endif
EXPORT int hipDeviceSynchronize(void)
{
    MAY_FAIL;
    return SUCCESS;
}
EXPORT int hipMalloc(void **pointer, size_t size)
{
    MAY_FAIL;
    *pointer = size > (size_t)1 << 30 ? NULL : aligned_alloc(256, (size + 255) & ~(size_t)255);
    return answer(*pointer ? SUCCESS : OUT_OF_MEMORY);
}
EXPORT int hipFree(void *pointer)
{
    MAY_FAIL;
    free(pointer);
    return SUCCESS;
}
EXPORT int hipMemcpyHtoD(void *to, const void *from, size_t size)
{
    MAY_FAIL;
    memcpy(to, from, size);
    return SUCCESS;
}
EXPORT int hipMemcpyDtoH(void *to, const void *from, size_t size)
{
    MAY_FAIL;
    memcpy(to, from, size);
    return SUCCESS;
}
EXPORT int hipMemcpyHtoDAsync(void *to, const void *from, size_t size, void *stream)
{
    MAY_FAIL;
    (void)stream;
    return hipMemcpyHtoD(to, from, size);
}
EXPORT int hipMemcpyDtoHAsync(void *to, const void *from, size_t size, void *stream)
{
    MAY_FAIL;
    (void)stream;
    return hipMemcpyDtoH(to, from, size);
}
EXPORT int hipMemcpyDtoD(void *to, const void *from, size_t size)
{
    MAY_FAIL;
    memcpy(to, from, size);
    return SUCCESS;
}
EXPORT int hipMemcpyDtoDAsync(void *to, const void *from, size_t size, void *stream)
{
    MAY_FAIL;
    (void)stream;
    return hipMemcpyDtoD(to, from, size);
}

// A graph of byte fills, the only work that the fake captures, and of one stream at a time.
typedef struct fake_graph {
    size_t count;
    struct {
        void *to;
        size_t size;
        unsigned char value;
    } fills[4];
} fake_graph_t;
static fake_graph_t graph;
static void *captured; // the stream

EXPORT int hipMemsetD8Async(void *to, unsigned char value, size_t count, void *stream)
{
    MAY_FAIL;
    if (stream && stream == captured) {
        graph.fills[graph.count].to = to;
        graph.fills[graph.count].size = count;
        graph.fills[graph.count++].value = value;
        return SUCCESS;
    }
    memset(to, value, count);
    return SUCCESS;
}
EXPORT int hipMemsetD16Async(void *to, unsigned short value, size_t count, void *stream)
{
    MAY_FAIL;
    (void)stream;
    for (size_t i = 0; i < count; i++)
        memcpy((char *)to + 2 * i, &value, 2);
    return SUCCESS;
}
EXPORT int hipMemsetD32Async(void *to, int value, size_t count, void *stream)
{
    MAY_FAIL;
    (void)stream;
    for (size_t i = 0; i < count; i++)
        memcpy((char *)to + 4 * i, &value, 4);
    return SUCCESS;
}
EXPORT int hipMemset(void *to, int byte, size_t size)
{
    MAY_FAIL;
    memset(to, byte, size);
    return SUCCESS;
}
EXPORT int hipModuleLoadData(void **module, const void *image)
{
    MAY_FAIL;
    if (memcmp((const char *)image + 64, "BROKEN", 6) == 0)
        return answer(INVALID_IMAGE);
    *module = malloc(1);
    return SUCCESS;
}
EXPORT int hipModuleUnload(void *module)
{
    MAY_FAIL;
    free(module);
    return SUCCESS;
}
EXPORT int hipModuleGetFunction(void **function, void *module, const char *name)
{
    MAY_FAIL;
    static char names[64][64]; // a function's handle is its name
    static int count;
    (void)module;
    if (strcmp(name, "missing") == 0)
        return answer(NOT_FOUND);
    int i = 0;
    while (i < count && strcmp(names[i], name) != 0)
        i++;
    if (i == 64)
        return answer(NOT_FOUND);
    if (i == count)
        snprintf(names[count++], sizeof names[0], "%s", name);
    *function = names[i];
    return SUCCESS;
}
EXPORT int hipModuleLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                 unsigned by, unsigned bz, unsigned lds, void *stream,
                                 void **parameters, void **extra)
{
    MAY_FAIL;
    const char *name = function;
    if (strcmp(name, "kiln_read_clock1") == 0 && parameters) { // takes no time, and is no launch
        read_clock(*(int64_t **)parameters[0], gx);
        return SUCCESS;
    }
    if (fakeHipOnLaunch)
        fakeHipOnLaunch();
#ifdef FAKE_FORGETS
    return SUCCESS;
#endif
    if (strcmp(name, "fail") == 0)
        return answer(LAUNCH_FAILURE);
    if (strcmp(name, "die") == 0)
        abort();
    int count = last.count + 1;
    last = (fake_launch_t){
        .count = count, .grid = {gx, gy, gz}, .block = {bx, by, bz}, .lds = lds, .stream = stream};
    snprintf(last.function, sizeof last.function, "%s", name);
    if (extra) {
        last.kernarg_size = *(size_t *)extra[3];
        memcpy(last.kernarg, extra[1], last.kernarg_size);
    } else {
        int parameter_count = name[strlen(name) - 1] - '0';
        for (int i = 0; i < parameter_count; i++)
            memcpy(last.kernarg + 8 * i, parameters[i], 8);
        last.kernarg_size = (size_t)parameter_count * 8;
    }
    now += fakeHipDuration ? fakeHipDuration(name, gx, bx) : 1;
    return SUCCESS;
}

#ifndef FAKE_INCOMPLETE
EXPORT int hipStreamCreateWithFlags(void **stream, unsigned flags)
{
    MAY_FAIL;
    (void)flags;
    *stream = calloc(1, 8);
    return SUCCESS;
}
EXPORT int hipStreamDestroy(void *stream)
{
    MAY_FAIL;
    free(stream);
    return SUCCESS;
}
#endif
// Streams of the program: "busy" never ends, and "broken" has failed.
static int state_of(const void *stream)
{
    return !stream                            ? SUCCESS
           : memcmp(stream, "busy", 4) == 0   ? answer(NOT_READY)
           : memcmp(stream, "broken", 6) == 0 ? answer(LAUNCH_FAILURE)
                                              : SUCCESS;
}
EXPORT int hipStreamQuery(void *stream)
{
    MAY_FAIL;
    return state_of(stream);
}
EXPORT int hipEventQuery(void *event)
{
    MAY_FAIL;
    if (getenv("FAKE_HIP_BUSY")) // launched work does not end
        return answer(NOT_READY);
    return state_of(event);
}
#ifndef FAKE_OLD_PROPERTIES // an old library does not report properties, and has no graphs
EXPORT int hipStreamBeginCapture(void *stream, int mode)
{
    MAY_FAIL;
    graph.count = 0;
    captured = stream;
    return mode == 1 && stream ? SUCCESS : answer(INVALID_VALUE);
}
EXPORT int hipStreamEndCapture(void *stream, void **out_graph)
{
    MAY_FAIL;
    if (stream != captured)
        return answer(INVALID_VALUE);
    captured = NULL;
    *out_graph = &graph;
    return SUCCESS;
}
EXPORT int hipGraphGetNodes(void *of, void **nodes, size_t *count)
{
    MAY_FAIL;
    *count = ((const fake_graph_t *)of)->count;
    return nodes ? answer(INVALID_VALUE) : SUCCESS;
}
EXPORT int hipGraphInstantiate(void **executable, void *of, void **bad_node, char *log,
                               size_t log_size)
{
    MAY_FAIL;
    (void)bad_node, (void)log, (void)log_size;
    *executable = malloc(sizeof graph);
    memcpy(*executable, of, sizeof graph);
    return SUCCESS;
}
EXPORT int hipGraphLaunch(void *executable, void *stream)
{
    MAY_FAIL;
    (void)stream;
    const fake_graph_t *ready = executable;
    for (size_t i = 0; i < ready->count; i++)
        memset(ready->fills[i].to, ready->fills[i].value, ready->fills[i].size);
    return SUCCESS;
}
EXPORT int hipGraphExecDestroy(void *executable)
{
    MAY_FAIL;
    free(executable);
    return SUCCESS;
}
EXPORT int hipGraphDestroy(void *of)
{
    MAY_FAIL;
    return of == &graph ? SUCCESS : answer(INVALID_VALUE);
}
// It refuses events, as libraries do if those are of another device.
EXPORT int hipExtModuleLaunchKernel(void *function, unsigned ix, unsigned iy, unsigned iz,
                                    unsigned bx, unsigned by, unsigned bz, size_t lds, void *stream,
                                    void **parameters, void **extra, void *start, void *stop,
                                    unsigned flags)
{
    MAY_FAIL;
    (void)flags;
    return start || stop ? answer(INVALID_HANDLE)
                         : hipModuleLaunchKernel(function, ix / bx, iy / by, iz / bz, bx, by, bz,
                                                 (unsigned)lds, stream, parameters, extra);
}
EXPORT int hipFuncGetAttribute(int *value, int attribute, void *function)
{
    MAY_FAIL;
    if (strcmp(function, "fail") == 0)
        return answer(LAUNCH_FAILURE);
#ifdef FAKE_FORGETS
    attribute += 1024; // the maximum number of threads of a workgroup
#endif
    *value = 100 + attribute;
    return SUCCESS;
}
EXPORT int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function,
                                                              int block_size, size_t lds)
{
    MAY_FAIL;
    if (strcmp(function, "fail") == 0)
        return answer(LAUNCH_FAILURE);
    *blocks = lds > 32768 ? 0 : 2048 / block_size;
    return SUCCESS;
}
#endif
EXPORT int hipStreamSynchronize(void *stream)
{
    MAY_FAIL;
    (void)stream;
    return SUCCESS;
}
EXPORT int hipStreamWaitEvent(void *stream, void *event, unsigned flags)
{
    MAY_FAIL;
    (void)stream, (void)event, (void)flags;
    return SUCCESS;
}
EXPORT int fakeHipEvents; // that exist

EXPORT int hipEventCreate(void **event)
{
    MAY_FAIL;
    fakeHipEvents++;
    *event = calloc(1, 8);
    return SUCCESS;
}
EXPORT int hipEventDestroy(void *event)
{
    MAY_FAIL;
    fakeHipEvents -= event != NULL;
    free(event);
    return SUCCESS;
}
EXPORT int hipEventRecord(void *event, void *stream)
{
    MAY_FAIL;
    (void)stream;
    *(float *)event = now;
    return SUCCESS;
}
EXPORT int hipEventSynchronize(void *event)
{
    MAY_FAIL;
    (void)event;
    return SUCCESS;
}
EXPORT int hipEventElapsedTime(float *milliseconds, void *start, void *stop)
{
    MAY_FAIL;
    *milliseconds = *(float *)stop - *(float *)start;
    return SUCCESS;
}

#ifdef FAKE_FORGETS
EXPORT int hipModuleLoadDataEx(void **module, const void *image, unsigned count, int *options,
                               void **values)
{
    (void)count, (void)options, (void)values;
    return hipModuleLoadData(module, image);
}
EXPORT int hipModuleLaunchCooperativeKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                                            unsigned bx, unsigned by, unsigned bz, unsigned lds,
                                            void *stream, void **parameters)
{
    return hipModuleLaunchKernel(function, gx, gy, gz, bx, by, bz, lds, stream, parameters, NULL);
}
EXPORT int hipPointerGetAttribute(void *out, int attribute, void *pointer)
{
    (void)attribute;
    memcpy(out, &pointer, sizeof pointer);
    return SUCCESS;
}
EXPORT int hipGetProcAddress(const char *name, void **out, int version, uint64_t flags, int *status)
{
    Dl_info self;
    (void)version, (void)flags, (void)status;
    void *library = dladdr((void *)hipGetProcAddress, &self)
                        ? dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
                        : NULL;
    *out = library ? dlsym(library, strcmp(name, "hipGetDeviceProperties") == 0
                                        ? "hipGetDevicePropertiesR0600"
                                        : name)
                   : NULL;
    return *out ? SUCCESS : NOT_FOUND;
}
#endif
