// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each allocation of each of HIP's entry points fails once. The call must then return
// hipErrorOutOfMemory and leave everything unchanged, or succeed without the memory; once memory is
// available again, it must work.
//
// The linker's --wrap redirects each call of malloc and related functions in the simulator's
// objects to this file. Only the calling thread's allocations fail, so each call is made twice: as
// programs make it, with the stream's own thread, and in a form that waits for its work.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <unistd.h>

#include "hip_sim/entry.h"
#include "hip_sim/stream/engine.h"
#include "sanitized.h"
#include "sim_hip_short_state.h"

// ---- which allocation fails

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);

static __thread bool counts;
static __thread long number, failing, failed; // from 1; failing 0: none

static bool must_fail(void)
{
    if (!counts || ++number != failing)
        return false;
    failed++;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return must_fail() ? NULL : __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size)
{
    return must_fail() ? NULL : __real_calloc(count, size);
}
void *__wrap_realloc(void *memory, size_t size)
{
    return must_fail() ? NULL : __real_realloc(memory, size);
}
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return must_fail() ? NULL : __real_aligned_alloc(alignment, size);
}
char *__wrap_strdup(const char *text)
{
    return must_fail() ? NULL : __real_strdup(text);
}
char *__wrap_strndup(const char *text, size_t size)
{
    return must_fail() ? NULL : __real_strndup(text, size);
}

// ---- the calls

static hipError_t then_destroy_stream(hipError_t error)
{
    return error ? error : (counts = false, hipStreamDestroy(new_stream));
}
static hipError_t then_destroy_event(hipError_t error)
{
    return error ? error : (counts = false, hipEventDestroy(new_event));
}
static hipError_t then_destroy_graph(hipError_t error)
{
    return error ? error : (counts = false, hipGraphDestroy(new_graph));
}
static hipError_t then_destroy_exec(hipError_t error)
{
    return error ? error : (counts = false, hipGraphExecDestroy(new_exec));
}
static hipError_t then_free(hipError_t error)
{
    return error ? error : (counts = false, hipFree(pointer));
}
static hipError_t then_unload(hipError_t error)
{
    return error ? error : (counts = false, hipModuleUnload(new_module));
}

static const hip_host_node_t host_params = {count_call, NULL};
static const uint32_t mask = 15;

static hipError_t call_add_kernel(void)
{
    const hip_kernel_node_t p = kernel_params();
    return hipGraphAddKernelNode(&new_node, graph, nodes, 2, &p);
}
static hipError_t call_set_kernel(void)
{
    const hip_kernel_node_t p = kernel_params();
    return hipGraphKernelNodeSetParams(kernel_node, &p);
}
static hipError_t call_set_exec_kernel(void)
{
    const hip_kernel_node_t p = kernel_params();
    return hipGraphExecKernelNodeSetParams(exec, kernel_node, &p);
}
static hipError_t call_get_kernel(void)
{
    hip_kernel_node_t p;
    return hipGraphKernelNodeGetParams(kernel_node, &p);
}
static hipError_t call_add_memory(void)
{
    hipMemAllocNodeParams p = {.pool = {.type = 1, .location = {1, 0}}, .size = 1024};
    return hipGraphAddMemAllocNode(&new_node, made_graph, &memory_node, 1, &p);
}
static hipError_t call_roots(void)
{
    hipGraphNode_t found[4];
    size_t count = 4;
    return hipGraphGetRootNodes(graph, found, &count);
}
static hipError_t call_dependents(void)
{
    hipGraphNode_t found[4];
    size_t count = 4;
    return hipGraphNodeGetDependentNodes(nodes[0], found, &count);
}
static hipError_t call_make_pool(void)
{
    const hipMemPoolProps p = {.type = 1, .location = {1, 0}};
    hipError_t error = hipMemPoolCreate(&new_pool, &p);
    return error ? error : (counts = false, hipMemPoolDestroy(new_pool));
}
static hipError_t call_make_physical(void)
{
    const hipMemAllocationProp p = {.type = 1, .location = {1, 0}};
    hipError_t error = hipMemCreate(&new_physical, 2 << 20, &p, 0);
    return error ? error : (counts = false, hipMemRelease(new_physical));
}
static hipError_t call_reserve_range(void)
{
    hipError_t error = hipMemAddressReserve(&pointer, 2 << 20, 0, NULL, 0);
    return error ? error : (counts = false, hipMemAddressFree(pointer, 2 << 20));
}
static hipError_t call_register_host(void)
{
    hipError_t error = hipHostRegister(pageable, sizeof pageable, 0);
    return error ? error : (counts = false, hipHostUnregister(pageable));
}

typedef enum kind { PLAIN, NOT_CAPTURING, SEVERAL } kind_t; // sim_hip_short_calls.def

#define CALL(name, kind, ...)                                                                      \
    static hipError_t run_##name(void)                                                             \
    {                                                                                              \
        return __VA_ARGS__;                                                                        \
    }
#include "sim_hip_short_calls.def"
#undef CALL

static const struct row {
    const char *name;
    hipError_t (*call)(void);
    kind_t kind;
} table[] = {
#define CALL(name, kind, ...) {#name, run_##name, kind},
#include "sim_hip_short_calls.def"
#undef CALL
};

static long failures;

static void report(const char *mode, const char *name, long n, const char *what)
{
    print_error("%s, %s, allocation %ld: %s\n", mode, name, n, what);
    failures++;
}

static void compare(const char *mode, const char *name, long n, const seen_t *before,
                    const seen_t *after)
{
    char what[200] = "";
#define DIFFERS(field)                                                                             \
    if (memcmp(&before->field, &after->field, sizeof before->field) != 0)                          \
    snprintf(what + strlen(what), sizeof what - strlen(what), " " #field)
    DIFFERS(graphs[0]);
    DIFFERS(graphs[1]);
    DIFFERS(graphs[2]);
    DIFFERS(graphs[3]);
    DIFFERS(graphs[4]);
    DIFFERS(capturing);
    DIFFERS(capture_ids);
    DIFFERS(capture_dependencies);
    DIFFERS(captured_graphs);
    DIFFERS(busy);
    DIFFERS(event_errors);
    DIFFERS(times);
    DIFFERS(left);
    DIFFERS(pool_used);
    DIFFERS(pool_reserved);
    DIFFERS(graph_used);
    DIFFERS(content);
    DIFFERS(objects_destroyed);
    DIFFERS(calls);
    DIFFERS(word);
    DIFFERS(is_allocated);
    if (*what)
        report(mode, name, n, what);
}

static void sweep(const char *mode, const struct row *row)
{
    const char *const name = row->name;
    hipError_t (*const call)(void) = row->call;
    static seen_t before, after;
    bool reached = true;
    for (long n = 1; reached; n++) {
        begin(row->kind != NOT_CAPTURING);
        see(&before);
        hipGetLastError();
        number = failed = 0;
        failing = n;
        counts = true;
        hipError_t error = call();
        counts = false;
        reached = failed > 0;
        if (error && !reached) {
            report(mode, name, n, kilnSimGetLastErrorMessage());
            end();
            break;
        }
        if (error) {
            if (error != KILN_SIM_OUT_OF_MEMORY)
                report(mode, name, n, hipGetErrorName(error));
            if (hipGetLastError() != error)
                report(mode, name, n, "hipGetLastError tells another");
            see(&after);
            if (row->kind != SEVERAL || kiln_sim_engine_is_async())
                compare(mode, name, n, &before, &after);
            if (call())
                report(mode, name, n, "it fails again, with memory");
        }
        end();
    }
}

static void run(const char *mode)
{
    failures = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        sweep(mode, &table[i]);
    assert_int_equal(failures, 0);
}

static void calls_with_threads(void **state)
{
    (void)state;
    kilnSimSetOption("async", "1");
    run("with threads");
}

static void calls_that_wait(void **state)
{
    (void)state;
    kilnSimSetOption("async", "0");
    run("waiting");
}

static int load(void **state)
{
    (void)state;
    FILE *file = fopen(CODE, "rb");
    image = calloc(1, 1 << 20);
    if (!file || !image || !fread(image, 1, 1 << 20, file))
        return 1;
    fclose(file);
    return hipModuleLoad(&module, CODE) || hipModuleGetFunction(&reverse, module, "reverse") ||
           hipMalloc((void **)&in, 4096) || hipMalloc((void **)&out, 4096) ||
           hipHostMalloc((void **)&word, 64, 0);
}

static int unload(void **state)
{
    (void)state;
    free(image);
    return hipFree(in) || hipFree(out) || hipHostFree(word) || hipModuleUnload(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(calls_with_threads),
                                       cmocka_unit_test(calls_that_wait)};
    alarm(KILN_TEST_SECONDS(300));
    return cmocka_run_group_tests(tests, load, unload);
}
