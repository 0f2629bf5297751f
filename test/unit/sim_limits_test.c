// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workgroups that wait forever end with an error that names the limit that they reached.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hip_sim/entry.h"

#define KERNELS KILN_BINARY_DIR "/test/sim_kernels/launch.hsaco"

// Workgroups that sleep until an event that never happens: each wave is far from KILN_SIM_LIMIT. If
// they poll memory that the program could still write, a deadlock cannot be proved.
static void waiting_for_ever_ends(void **state)
{
    (void)state;
    hipModule_t module;
    hipFunction_t function;
    uint32_t *flags;
    void *shared;
    assert_int_equal(kilnSimSetOption("limit", "2000000"), 0);
    assert_int_equal(kilnSimSetOption("stall", "1000"), 0);
    assert_int_equal(kilnSimSetOption("patience", "600"),
                     0); // so that instructions decide, not seconds of a busy host
    assert_int_equal(hipMalloc((void **)&flags, 4096), 0);
    memset(flags, 0, 4096);
    assert_int_equal(hipModuleLoad(&module, KERNELS), 0);
    assert_int_equal(hipModuleGetFunction(&function, module, "wait_for_next"), 0);
    size_t bytes = sizeof flags;
    void *extra[] = {(void *)1, &flags, (void *)2, &bytes, (void *)3};
    assert_int_equal(hipHostMalloc(&shared, 4096, 0), 0);
    uint32_t *const own = flags;
    flags = memset(shared, 0, 4096);
    assert_int_equal(hipModuleLaunchKernel(function, 100, 1, 1, 64, 1, 1, 0, NULL, NULL, extra),
                     702);
    if (!strstr(kilnSimGetLastErrorMessage(), "no wave of 100 resident workgroups") ||
        !strstr(kilnSimGetLastErrorMessage(),
                "in kernel 'wait_for_next', workgroup (0, 0, 0), wave 0"))
        fail_msg("'%s'", kilnSimGetLastErrorMessage());
    assert_int_equal(kilnSimSetOption("limit", NULL), 0);
    assert_int_equal(kilnSimSetOption("stall", NULL), 0);
    assert_int_equal(kilnSimSetOption("patience", "0"), 0);
    assert_int_equal(hipModuleLaunchKernel(function, 100, 1, 1, 64, 1, 1, 0, NULL, NULL, extra),
                     702);
    if (!strstr(kilnSimGetLastErrorMessage(),
                "for the host to change memory; the host has not changed it for 0 s"))
        fail_msg("'%s'", kilnSimGetLastErrorMessage());
    assert_int_equal(kilnSimSetOption("patience", NULL), 0);
    hipHostFree(shared);
    flags = own;
    memset(flags, 0, 4096);
    assert_int_equal(hipModuleLaunchKernel(function, 100, 1, 1, 64, 1, 1, 0, NULL, NULL, extra),
                     702);
    if (!strstr(kilnSimGetLastErrorMessage(),
                "deadlock: the wave and every other runnable wave wait in a loop") ||
        !strstr(kilnSimGetLastErrorMessage(), "in kernel 'wait_for_next', workgroup ("))
        fail_msg("'%s'", kilnSimGetLastErrorMessage());
    hipModuleUnload(module);
    hipFree(flags);
}

int main(void)
{
    setenv("KILN_SIM_THREADS", "1", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(waiting_for_ever_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
