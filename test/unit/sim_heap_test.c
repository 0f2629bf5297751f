// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// malloc and free in kernels. Only allocated memory may be freed, and only once: everything else
// fails the launch, with the location in the kernel. The kernels are in sim_kernels/heap.hip.
//
// Addresses that are not multiples of 4096 belong to slabs of the device library itself, which
// handles invalid ones in its own way, as on the machine.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hip_sim/entry.h"

enum { LANES = 64 };

static hipModule_t module;
static uint64_t *places; // LANES of them
static const size_t sizes[] = {4096,    100000,        1 << 20,
                               2 << 20, (2 << 20) + 1, 5 << 20}; // too large for slabs

static hipError_t run(const char *name, unsigned items, uint64_t argument)
{
    hipFunction_t function;
    const uint64_t arguments[] = {(uint64_t)(uintptr_t)places, argument};
    size_t size = sizeof arguments;
    void *extra[] = {(void *)1, (void *)(uintptr_t)arguments, (void *)2, &size, (void *)3};
    assert_int_equal(hipModuleGetFunction(&function, module, name), 0);
    return hipModuleLaunchKernel(function, 1, 1, 1, items, 1, 1, 0, NULL, NULL, extra);
}

static void must_run(const char *name, unsigned items, uint64_t argument)
{
    if (run(name, items, argument) != 0)
        fail_msg("%s: %s", name, kilnSimGetLastErrorMessage());
}

static void must_fail(unsigned items, uint64_t offset, const char *part)
{
    assert_int_equal(run("heap_free", items, offset), KILN_SIM_LAUNCH_FAILURE);
    const char *message = kilnSimGetLastErrorMessage();
    if (!strstr(message, "free of memory that was not allocated by a kernel") ||
        !strstr(message, part) ||
        !strstr(message, "in kernel 'heap_free', workgroup (0, 0, 0), wave 0, lane"))
        fail_msg("'%s'", message);
    hipGetLastError();
}

static void memory_comes_and_goes(void **state)
{
    (void)state;
    static const size_t small[] = {16, 24, 500, 3000};
    for (unsigned round = 0; round < 3; round++)
        for (size_t i = 0; i < 10; i++) {
            must_run("heap_allocate", i < 4 ? LANES : 3, i < 4 ? small[i] : sizes[i - 4]);
            for (unsigned lane = 0; lane < (i < 4 ? LANES : 3); lane++) {
                assert_int_not_equal(places[lane], 0);
                memset((void *)(uintptr_t)places[lane], 1, i < 4 ? small[i] : sizes[i - 4]);
                for (unsigned other = 0; other < lane; other++)
                    assert_int_not_equal(places[lane], places[other]);
            }
            must_run("heap_free", i < 4 ? LANES : 3, 0);
        }
}

static void freed_twice(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        must_run("heap_allocate", 1, sizes[i]);
        must_run("heap_free", 1, 0);
        must_fail(1, 0, "lane 0"); // in another launch
        must_run("heap_allocate", 5, sizes[i]);
        const uint64_t last = places[3];
        places[3] = places[2];
        must_fail(4, 0, "lane 3"); // in the same
        places[0] = last;
        places[1] = places[4];
        must_run("heap_free", 2, 0); // correct frees still work afterwards
    }
}

static void not_what_was_allocated(void **state)
{
    (void)state;
    void *device, *host, *managed;
    assert_int_equal(hipMalloc(&device, 1 << 20), 0);
    assert_int_equal(hipHostMalloc(&host, 1 << 20, 0), 0);
    assert_int_equal(hipMallocManaged(&managed, 1 << 20, 1), 0);
    const uint64_t wild[] = {0x123456000,
                             4096,
                             0x7fff00000000,
                             UINT64_MAX - 4095,
                             (uint64_t)(uintptr_t)device,
                             (uint64_t)(uintptr_t)device + 4096,
                             (uint64_t)(uintptr_t)host,
                             (uint64_t)(uintptr_t)managed,
                             (uint64_t)(uintptr_t)&wild & ~UINT64_C(4095)};
    for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
        places[0] = wild[i];
        must_fail(1, 0, "0x");
    }
    places[0] = (uint64_t)(uintptr_t)device;
    must_fail(1, 4096, ", 4096 bytes into an allocation (device allocation, 1048576 bytes");
    assert_int_equal(hipMemset(device, 1, 1 << 20), 0); // still allocated
    assert_int_equal(hipFree(device), 0);
    assert_int_equal(hipHostFree(host), 0);
    assert_int_equal(hipFree(managed), 0);
    for (size_t i = 1; i < sizeof sizes / sizeof *sizes; i++) { // the middle of an allocation
        must_run("heap_allocate", 1, sizes[i]);
        must_fail(1, 4096, "lane 0");
        must_run("heap_free", 1, 0);
    }
}

static void used_after_free(void **state)
{
    (void)state;
    for (size_t i = 1; i < sizeof sizes / sizeof *sizes; i++) {
        if (sizes[i] == 2 << 20) // a slab, which the library keeps
            continue;
        assert_int_equal(run("heap_use_freed", 1, sizes[i]), KILN_SIM_ILLEGAL_ADDRESS);
        const char *message = kilnSimGetLastErrorMessage();
        if (!strstr(message, "memory violation: store of 8 bytes") || !strstr(message, "freed"))
            fail_msg("'%s'", message);
        hipGetLastError();
    }
}

static int load(void **state)
{
    (void)state;
    return hipModuleLoad(&module, KILN_BINARY_DIR "/test/sim_kernels/heap.hsaco") ||
           hipMalloc((void **)&places, LANES * sizeof *places);
}

static int unload(void **state)
{
    (void)state;
    return hipFree(places) || hipModuleUnload(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_comes_and_goes), cmocka_unit_test(freed_twice),
        cmocka_unit_test(not_what_was_allocated), cmocka_unit_test(used_after_free)};
    return cmocka_run_group_tests(tests, load, unload);
}
