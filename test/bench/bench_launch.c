// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's cost of a launch: nanoseconds from the call to HIP's hipModuleLaunchKernel, and the
// allocations in between: ./dev bench launch [COUNT]
//
// The HIP library is the unit tests' fake, which only calls back. The clock is read before the call
// and in that callback, and the time of reading it twice is subtracted. Note that the figures
// exclude the time of a real library's hipSetDevice.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../unit/small_code_object.h"
#include "base/file.h"
#include "base/string.h"
#include "kiln/jit.h"
#include "kiln/load.h"

enum { DEFAULT_COUNT = 200000, ARGUMENT_LIMIT = 16, VARIANT_LIMIT = 8 };

// Counts every allocation of the process.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
static long allocations;

KILN_API void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}
KILN_API void *calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}
KILN_API void *realloc(void *memory, size_t size)
{
    allocations++;
    return __libc_realloc(memory, size);
}

static void check(kiln_status_t status)
{
    if (!status)
        return;
    char *text = kiln_status_format(status);
    fprintf(stderr, "bench_launch: %s", text ? text : "out of memory\n");
    exit(1);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double arrived;
static long allocations_then;

static void on_launch(void)
{
    arrived = now();
    allocations_then = allocations;
}

// A fake compiler: the manifest describes the arguments that the benchmark creates; the code is a
// header that the library doesn't read.
typedef struct compiler {
    const char *manifest;
} compiler_t;

static kiln_status_t compile(const kiln_jit_request_t *request, void *user, void **out_code,
                             size_t *out_size, char **out_manifest)
{
    (void)request;
    *out_size = 128;
    *out_code = calloc(1, *out_size);
    *out_manifest = strdup(((const compiler_t *)user)->manifest);
    if (!*out_code || !*out_manifest)
        abort();
    memcpy(*out_code,
           "\x7f"
           "ELF\2\1\1",
           7);
    return KILN_OK;
}

static kiln_status_t identify(void *user, char **out_identity)
{
    (void)user;
    *out_identity = strdup("bench_launch");
    return *out_identity ? KILN_OK : kiln_status_out_of_memory();
}

typedef enum kind { LAUNCH_FUNCTION, LAUNCH_KERNEL, LAUNCH_CALL, LAUNCH_LOADED } kind_t;

typedef struct subject {
    kind_t kind;
    kiln_function_t *function;
    const kiln_launch_t *launch;
    kiln_jit_t *jit;
    const kiln_jit_kernel_t *kernel;
    const kiln_jit_call_t *call;
    kiln_program_t *program;
    const kiln_program_call_t *program_call;
} subject_t;

static void go(const subject_t *subject)
{
    switch (subject->kind) {
    case LAUNCH_FUNCTION:
        check(kiln_function_launch(subject->function, subject->launch));
        break;
    case LAUNCH_KERNEL:
        check(kiln_jit_launch_kernel(subject->kernel, subject->call));
        break;
    case LAUNCH_CALL:
        check(kiln_jit_launch(subject->jit, subject->call));
        break;
    case LAUNCH_LOADED:
        check(kiln_program_launch(subject->program, subject->program_call));
        break;
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The median and the 99th percentile of the time between `begin` and the callback.
static void measure(const char *name, const subject_t *subject, size_t count)
{
    double *samples = malloc(count * sizeof *samples), *clocks = malloc(count * sizeof *clocks);
    if (!samples || !clocks)
        abort();
    long allocated = 0;
    for (size_t i = 0; i < 1000; i++) // warm up
        go(subject);
    for (size_t i = 0; i < count; i++) {
        double before = now();
        clocks[i] = now() - before;
        long allocations_before = allocations;
        double begin = now();
        go(subject);
        samples[i] = arrived - begin;
        allocated += allocations_then - allocations_before;
    }
    qsort(samples, count, sizeof *samples, ascending);
    qsort(clocks, count, sizeof *clocks, ascending);
    double clock = clocks[count / 2];
    printf("%-58s %7.0f %7.0f %12.2f\n", name, samples[count / 2] - clock,
           samples[count / 100 * 99] - clock, (double)allocated / (double)count);
    free(samples);
    free(clocks);
}

// A manifest with pointers p0, p1, … and integers n0, n1, …, and the arguments for it.
static char *make_arguments(size_t pointers, size_t integers, char names[][8],
                            kiln_jit_argument_t *out_arguments)
{
    kiln_string_t manifest = {0};
    kiln_string_appendf(&manifest,
                        "{\"kernel\": \"bench%zu\", \"block_size\": 256, \"arguments\": [",
                        (size_t)0); // the library copies no arguments
    for (size_t i = 0; i < pointers + integers; i++) {
        bool is_pointer = i < pointers;
        snprintf(names[i], sizeof names[i], "%s%zu", is_pointer ? "ptr_" : "n", i);
        out_arguments[i] =
            is_pointer
                ? (kiln_jit_argument_t){names[i], KILN_JIT_POINTER, 0x10000 * (i + 1), 4096, 0, 0}
                : kiln_jit_integer(names[i], 1000 + (int64_t)i);
        kiln_string_appendf(&manifest, "%s{\"name\": \"%s\", \"type\": \"%s\"}", i ? ", " : "",
                            names[i], is_pointer ? "*f16" : "i32");
    }
    kiln_string_append(&manifest, "]}");
    return kiln_string_take(&manifest);
}

static void measure_program(kiln_device_t *device, const char *file, size_t pointers,
                            size_t integers, const kiln_setting_t *settings, size_t setting_count,
                            size_t count)
{
    kiln_jit_argument_t arguments[ARGUMENT_LIMIT];
    char names[ARGUMENT_LIMIT][8], title[128];
    char *path = kiln_string_print("%s/%s", KILN_EXAMPLES_DIR, file);
    kiln_jit_call_t call;
    kiln_jit_call_initialize(&call);
    char *text;
    check(kiln_file_read(path, &text, &call.source.length));
    call.source.text = text;
    call.source.name = file;
    char *manifest = make_arguments(pointers, integers, names, arguments);
    call.settings = settings;
    call.setting_count = setting_count;
    call.arguments = arguments;
    call.argument_count = pointers + integers;
    compiler_t compiler = {manifest};
    kiln_jit_options_t options;
    kiln_jit_options_initialize(&options);
    options.compile = compile;
    options.identify = identify;
    options.compile_user = &compiler;
    kiln_jit_t *jit;
    kiln_jit_kernel_t *kernel;
    check(kiln_jit_create(device, &options, &jit));
    check(kiln_jit_prepare(jit, &call, &kernel, NULL));
    snprintf(title, sizeof title, "kiln_jit_launch, %s (%zu bytes, %zu arguments)", file,
             call.source.length, call.argument_count);
    measure(title, &(subject_t){.kind = LAUNCH_CALL, .jit = jit, .call = &call}, count);
    snprintf(title, sizeof title, "kiln_jit_launch_kernel, %zu arguments", call.argument_count);
    measure(title, &(subject_t){.kind = LAUNCH_KERNEL, .kernel = kernel, .call = &call}, count);
    kiln_jit_release(jit);
    free(manifest);
    free(text);
    free(path);
}

// A call for which the selection examines `variants`: each has another range of n, and most fit.
static void measure_loaded(kiln_device_t *device, size_t variants, size_t count)
{
    const small_code_object_t code = small_code_object();
    kiln_program_part_t parts[VARIANT_LIMIT];
    char *manifests[VARIANT_LIMIT], range[8], title[64];
    for (size_t i = 0; i < variants; i++) {
        manifests[i] = strdup(small_manifest);
        snprintf(range, sizeof range, "%zu", 9000 - 1000 * i);
        memcpy(strstr(manifests[i], "4096"), range, 4);
        parts[i] = (kiln_program_part_t){&code, sizeof code, manifests[i]};
    }
    subject_t subject = {.kind = LAUNCH_LOADED};
    kiln_buffer_t *buffer;
    check(kiln_buffer_create(device, 64, &buffer));
    check(kiln_program_load_memory(device, parts, variants, &subject.program));
    const kiln_typed_argument_t arguments[] = {kiln_typed_buffer("x", "*f16", buffer),
                                               kiln_typed_integer("n", "i32", 1024),
                                               kiln_typed_real("by", "f32", 1)};
    kiln_program_call_t call;
    kiln_program_call_initialize(&call);
    call.arguments = arguments;
    call.argument_count = 3;
    subject.program_call = &call;
    snprintf(title, sizeof title, "kiln_program_launch, one of %zu variants, 3 arguments",
             variants);
    measure(title, &subject, count);
    kiln_program_release(subject.program);
    kiln_buffer_release(buffer);
    for (size_t i = 0; i < variants; i++)
        free(manifests[i]);
}

static void measure_function(kiln_device_t *device, size_t count)
{
    char code[128] = "\x7f"
                     "ELF\2\1\1";
    kiln_module_t *module;
    kiln_launch_t launch;
    subject_t subject = {.kind = LAUNCH_FUNCTION, .launch = &launch};
    check(kiln_module_load(device, code, sizeof code, &module));
    check(kiln_module_function(module, "bench0", &subject.function));
    kiln_launch_initialize(&launch);
    launch.block[0] = 256;
    measure("kiln_function_launch", &subject, count);
    kiln_module_release(module);
}

static void set_callback(void)
{
    void *library = dlopen(KILN_FAKE_HIP, RTLD_NOW),
         *symbol = library ? dlsym(library, "fakeHipOnLaunch") : NULL;
    if (!symbol) {
        fprintf(stderr, "bench_launch: %s\n", dlerror());
        exit(3);
    }
    *(void (**)(void))symbol = on_launch;
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : DEFAULT_COUNT;
    if (count < 100) {
        fprintf(stderr, "usage: bench_launch [COUNT], at least 100\n");
        return 2;
    }
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_HIP;
    options.hip_library = KILN_FAKE_HIP;
    kiln_device_t *device;
    check(kiln_device_open(&options, &device));
    set_callback();
    printf("%-58s %7s %7s %12s\n", "from the call to hipModuleLaunchKernel", "ns", "99th",
           "allocations");
    measure_function(device, (size_t)count);
    static const kiln_setting_t block[] = {{"BLOCK", "256"}};
    static const kiln_setting_t tiles[] = {{"BLOCK_M", "128"},
                                           {"BLOCK_N", "128"},
                                           {"BLOCK_K", "64"},
                                           {"num_warps", "8"},
                                           {"num_stages", "2"}};
    measure_program(device, "vec_add.tile.c", 3, 1, block, 1, (size_t)count);
    measure_program(device, "gemm.tile.c", 3, 6, tiles, 5, (size_t)count);
    measure_loaded(device, 1, (size_t)count);
    measure_loaded(device, VARIANT_LIMIT, (size_t)count);
    kiln_device_release(device);
    return 0;
}
