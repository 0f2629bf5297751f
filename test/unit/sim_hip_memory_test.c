// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP's rules about memory that ROCm's own tests (docs/hip-tests.md) check: registered host memory,
// hints per page, copies and fills of boxes, and the heap of kernels.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <sys/mman.h>

#include "hip_sim/entry.h"
#include "memory/heap.h"
#include "port/registered.h"

#define INVALID KILN_SIM_INVALID_VALUE

static hipModule_t launches;
static hipFunction_t reverse; // out[i] = in[255 - i], 256 work-items

static void what_is_not_mapped_cannot_be_registered(void **state)
{
    (void)state;
    char *pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    assert_int_equal(munmap(pages + 2 * 4096, 4096), 0);
    assert_int_equal(hipHostRegister(pages + 100, 4096 + 100, 0), 0);
    assert_int_equal(hipHostRegister(pages + 100, 100, 0),
                     0); // again, as by a program that forgot to unregister it
    assert_int_equal(hipHostRegister(pages + 110, 10, 0), 712);
    assert_int_equal(hipHostRegister(pages + 300, 100, 0), 0);
    assert_int_equal(hipHostUnregister(pages + 300), 0);
    assert_int_equal(hipHostUnregister(pages + 100), 0);
    assert_int_equal(hipHostRegister(pages + 100, 2 * 4096, 0), INVALID);
    assert_int_equal(hipHostRegister(pages, 1ull << 46, 0), INVALID);
    assert_int_equal(hipHostRegister(pages, SIZE_MAX, 0), INVALID);
    assert_int_equal(munmap(pages, 2 * 4096), 0);
    hipGetLastError();
}

// hipHostRegisterReadOnly, of write-protected pages: loads are allowed, stores fail the launch
// instead of ending the process.
static void what_is_registered_for_reading_is_not_written(void **state)
{
    (void)state;
    enum { READ_ONLY = 8, BYTES = 256 * sizeof(int) };
    int *from = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
        *to = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 256; i++)
        from[i] = i;
    assert_int_equal(mprotect(from, 4096, PROT_READ), 0);
    void *writes_to[] = {to, from}, *writes_from[] = {from, to};
    size_t size = sizeof writes_to;
    void *forth[] = {(void *)1, writes_to, (void *)2, &size, (void *)3};
    void *back[] = {(void *)1, writes_from, (void *)2, &size, (void *)3};
    assert_int_equal(kilnSimSetOption("async", "0"), 0);
    assert_int_equal(hipHostRegister(from, BYTES, READ_ONLY), 0);
    assert_int_equal(hipHostRegister(to, BYTES, 0), 0);
    for (int round = 0; round < 2; round++) {
        memset(to, 0, BYTES);
        assert_int_equal(hipModuleLaunchKernel(reverse, 1, 1, 1, 256, 1, 1, 0, NULL, NULL, forth),
                         0);
        assert_int_equal(hipDeviceSynchronize(), 0);
        assert_int_equal(to[0], 255);
        assert_int_equal(hipModuleLaunchKernel(reverse, 1, 1, 1, 256, 1, 1, 0, NULL, NULL, back),
                         700);
        assert_non_null(strstr(kilnSimGetLastErrorMessage(),
                               "in memory that kernels may only read (registered host"));
        hipGetLastError();
    }
    assert_int_equal(from[0], 0);
    assert_int_equal(hipHostUnregister(from), 0);
    assert_int_equal(hipHostUnregister(to), 0);
    assert_int_equal(munmap(from, 4096), 0);
    assert_int_equal(munmap(to, 4096), 0);
}

// The predicted microseconds of the kernel that reads one buffer and writes the other.
static double predicted_us(void *to, void *from)
{
    void *arguments[] = {to, from};
    size_t size = sizeof arguments;
    void *extra[] = {(void *)1, arguments, (void *)2, &size, (void *)3};
    kiln_sim_prediction_t predicted = {.struct_size = sizeof predicted};
    assert_int_equal(hipModuleLaunchKernel(reverse, 1, 1, 1, 256, 1, 1, 0, NULL, NULL, extra), 0);
    assert_int_equal(kilnSimGetPrediction(&predicted), 0);
    return predicted.microseconds;
}

// Memory that is registered as the device's costs what the device's own costs; other registered
// memory is beyond the link to the host.
static void what_is_registered_as_device_memory_costs_as_much(void **state)
{
    (void)state;
    enum { BYTES = 256 * sizeof(int), NO_SUCH_FLAG = 0x20000000 };
    int *from = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    _Alignas(4096) int to[BYTES / sizeof(int)] = {0};
    void *device_from, *device_to;
    assert_int_equal(kilnSimSetOption("clock", "model"), 0);
    assert_int_equal(kilnSimSetOption("caches", "cold"), 0);
    assert_int_equal(hipMalloc(&device_from, BYTES), 0);
    assert_int_equal(hipMalloc(&device_to, BYTES), 0);
    double us[2];
    for (int as_device = 0; as_device < 2; as_device++) {
        const unsigned flags = as_device ? KILN_SIM_REGISTER_AS_DEVICE : 0;
        assert_int_equal(hipHostRegister(from, BYTES, flags), 0);
        assert_int_equal(hipHostRegister(to, BYTES, flags), 0);
        us[as_device] = predicted_us(to, from);
        assert_int_equal(hipHostUnregister(from), 0);
        assert_int_equal(hipHostUnregister(to), 0);
    }
    assert_true(us[0] > us[1] + 1);
    const double own = predicted_us(device_to, device_from);
    assert_true(0.97 * own < us[1] && us[1] < 1.03 * own);
    assert_int_equal(hipHostRegister(from, BYTES, NO_SUCH_FLAG), INVALID);
    assert_int_equal(hipFree(device_from), 0);
    assert_int_equal(hipFree(device_to), 0);
    assert_int_equal(munmap(from, 4096), 0);
    assert_int_equal(kilnSimSetOption("clock", "bounds"), 0);
    assert_int_equal(kilnSimSetOption("caches", "kept"), 0);
    hipGetLastError();
}

static int accessed_by(const void *pointer, size_t bytes)
{
    int device = 77;
    assert_int_equal(hipMemRangeGetAttribute(&device, sizeof device, 3, pointer, bytes), 0);
    return device;
}

static void hints_are_for_pages(void **state)
{
    (void)state;
    enum { ACCESSED = 5, NOT_ACCESSED = 6, COARSE = 100, NOWHERE = -2 };
    char *memory;
    int *device, coherence = 77;
    assert_int_equal(hipMallocManaged((void **)&memory, 3 * 4096, 1), 0);
    assert_int_equal(hipMemAdvise(memory + 2048, 4096, ACCESSED, 0), 0);
    assert_int_equal(accessed_by(memory, 2 * 4096), 0);
    assert_int_equal(accessed_by(memory, 3 * 4096), NOWHERE);
    assert_int_equal(accessed_by(memory + 2 * 4096, 4096), NOWHERE);
    assert_int_equal(hipMemAdvise(memory, 1, NOT_ACCESSED, 0), 0);
    assert_int_equal(accessed_by(memory, 4096), NOWHERE);
    assert_int_equal(accessed_by(memory + 4096, 4096), 0);
    assert_int_equal(hipMemAdvise(memory, 4096, COARSE, 0), 0);
    assert_int_equal(hipMemRangeGetAttribute(&coherence, sizeof coherence, 100, memory, 4096), 0);
    assert_int_equal(coherence, 1);
    assert_int_equal(hipMemRangeGetAttribute(&coherence, sizeof coherence, 100, memory, 4097), 0);
    assert_int_equal(coherence, 2);
    assert_int_equal(hipFree(memory), 0);
    assert_int_equal(hipMalloc((void **)&device, 64), 0);
    assert_int_equal(hipMemRangeGetAttribute(&coherence, sizeof coherence, 100, device, 64), 0);
    assert_int_equal(coherence, 1);
    assert_int_equal(hipFree(device), 0);
}

// malloc on the device: hipLimitMallocHeapSize is the heap's initial size, not its maximum.
static void heaps_grow(void **state)
{
    (void)state;
    enum { HEAP = 2, MEGABYTE = 1 << 20 };
    kiln_sim_memory_t memory;
    kiln_sim_error_t error = {0};
    kiln_sim_heap_t heap = {.lock = PTHREAD_MUTEX_INITIALIZER};
    size_t limit, free_bytes, total;
    assert_true(kiln_sim_memory_open(&memory, &error));
    const uint64_t large = kiln_sim_heap_allocate(&heap, &memory, 0, 64 * MEGABYTE);
    assert_true(large != 0);
    assert_true(heap.used == 64 * MEGABYTE);
    assert_int_equal(kiln_sim_heap_allocate(&heap, &memory, 65 * MEGABYTE, 2 * MEGABYTE + 1), 0);
    assert_true(kiln_sim_heap_free(&heap, &memory, large));
    assert_true(heap.used == 0);
    // The program's own allocations are kept.
    void *programs = kiln_sim_memory_allocate(&memory, MEGABYTE, KILN_SIM_MEMORY_DEVICE, 0, &error);
    assert_false(kiln_sim_heap_free(&heap, &memory, (uint64_t)(uintptr_t)programs));
    assert_non_null(kiln_sim_memory_find(&memory, (uint64_t)(uintptr_t)programs));
    kiln_sim_memory_close(&memory);
    assert_int_equal(hipDeviceGetLimit(&limit, HEAP), 0);
    assert_int_equal(limit, 8 * MEGABYTE);
    assert_int_equal(hipMemGetInfo(&free_bytes, &total), 0);
    assert_int_equal(hipDeviceSetLimit(HEAP, total + 1), INVALID);
    assert_int_equal(hipDeviceSetLimit(HEAP, 16 * MEGABYTE), 0);
    assert_int_equal(hipDeviceGetLimit(&limit, HEAP), 0);
    assert_int_equal(limit, 16 * MEGABYTE);
    assert_int_equal(hipDeviceSetLimit(HEAP, 8 * MEGABYTE), 0);
    hipGetLastError();
}

// Rows and slices must stay inside one allocation, and their addresses must not wrap: a rejected
// call changes nothing.
enum { PLACE = 4096, ROW = 16 };
static const size_t HUGE_PITCH = (size_t)1 << 32;

static char *filled_place(void)
{
    char *place;
    assert_int_equal(hipMalloc((void **)&place, PLACE), 0);
    assert_int_equal(hipMemset(place, 0x11, PLACE), 0);
    return place;
}

static void assert_untouched(const char *place)
{
    for (int i = 0; i < PLACE; i++)
        assert_int_equal(place[i], 0x11);
}

static void boxes_stay_in_their_allocation(void **state)
{
    (void)state;
    char row[2 * ROW] = {0}, *one = filled_place(), *other = filled_place();
    char *first = one < other ? one : other;
    const size_t pitch = (size_t)(one < other ? other - one : one - other);
    hipGraph_t graph;
    hipGraphNode_t node;
    assert_int_equal(hipMemset2D(first, pitch, 5, ROW, 2), INVALID);
    assert_int_equal(hipMemcpy2D(first, pitch, row, ROW, ROW, 2, 1), INVALID);
    assert_int_equal(hipMemcpy2D(row, ROW, first, pitch, ROW, 2, 2), INVALID);
    hip_pitched_pointer_t slices = {first, pitch, ROW, 1};
    assert_int_equal(hipMemset3D(slices, 5, (hip_extent_t){ROW, 1, 2}), INVALID);
    hip_copy_3d_t box = {
        .from = {row, ROW, ROW, 1}, .to = slices, .extent = {ROW, 1, 2}, .kind = 1};
    assert_int_equal(hipMemcpy3D(&box), INVALID);
    box.extent.depth = 1;
    box.to_at[2] = 1;
    assert_int_equal(hipMemcpy3D(&box), INVALID);
    hip_fill_node_t fill = {
        .to = first, .element = 1, .height = 2, .pitch = pitch, .value = 5, .width = ROW};
    assert_int_equal(hipGraphCreate(&graph, 0), 0);
    assert_int_equal(hipGraphAddMemcpyNode(&node, graph, NULL, 0, &box), INVALID);
    assert_int_equal(hipGraphAddMemsetNode(&node, graph, NULL, 0, &fill), INVALID);
    assert_int_equal(hipGraphDestroy(graph), 0);
    assert_untouched(one);
    assert_untouched(other);
    assert_int_equal(hipFree(one), 0);
    assert_int_equal(hipFree(other), 0);
    hipGetLastError();
}

static void boxes_do_not_wrap(void **state)
{
    (void)state;
    char row[3 * ROW] = {0}, *place = filled_place();
    assert_int_equal(hipMemset2D(place, 2 * ROW, 0x11, ROW, PLACE / (2 * ROW)), 0);
    assert_int_equal(hipMemset2D(place, 2 * ROW, 5, ROW, PLACE / (2 * ROW) + 1), INVALID);
    assert_int_equal(hipMemset2D(place, (size_t)1 << 63, 5, ROW, 3), INVALID);
    assert_int_equal(hipMemset2D(place, (size_t)1 << 62, 5, ROW, (size_t)1 << 62), INVALID);
    assert_int_equal(hipMemcpy2D(place, (size_t)1 << 63, row, (size_t)1 << 63, ROW, 3, 1), INVALID);
    hip_pitched_pointer_t slices = {place, HUGE_PITCH, ROW, HUGE_PITCH}; // of 2^64 bytes
    assert_int_equal(hipMemset3D(slices, 5, (hip_extent_t){ROW, 1, 2}), INVALID);
    hip_copy_3d_t box = {.from = {row, ROW, ROW, 1},
                         .to_at = {0, 0, 1},
                         .to = slices,
                         .extent = {ROW, 1, 1},
                         .kind = 1};
    assert_int_equal(hipMemcpy3D(&box), INVALID);
    box.to = (hip_pitched_pointer_t){place + ROW, ROW, ROW, 1};
    box.to_at[2] = SIZE_MAX; // one slice back
    assert_int_equal(hipMemcpy3D(&box), INVALID);
    box.to_at[2] = 0;
    box.to_at[0] = SIZE_MAX;
    assert_int_equal(hipMemcpy3D(&box), INVALID);
    assert_int_equal(hipMemset(place, 5, SIZE_MAX), INVALID);
    assert_int_equal(hipMemcpy(place, row, SIZE_MAX, 1), INVALID);
    assert_untouched(place);
    assert_int_equal(hipFree(place), 0);
    hipGetLastError();
}

static int load(void **state)
{
    (void)state;
    return kilnSimSetOption("async", "0") ||
           hipModuleLoad(&launches, KILN_BINARY_DIR "/test/sim_kernels/launch.hsaco") ||
           hipModuleGetFunction(&reverse, launches, "reverse");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_mapped_cannot_be_registered),
        cmocka_unit_test(what_is_registered_for_reading_is_not_written),
        cmocka_unit_test(what_is_registered_as_device_memory_costs_as_much),
        cmocka_unit_test(hints_are_for_pages),
        cmocka_unit_test(boxes_stay_in_their_allocation),
        cmocka_unit_test(boxes_do_not_wrap),
        cmocka_unit_test(heaps_grow)};
    return cmocka_run_group_tests(tests, load, NULL);
}
