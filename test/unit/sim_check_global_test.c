// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Races in device memory, on request: within a workgroup, and between workgroups.
//
// Workgroups run one after another here, so the results are correct; the check finds the missing
// synchronization.
#include "sim_check_run.h"

static void races_are_found(void **state)
{
    (void)state;
    static const check_bug_t bugs[] = {
        {"exchange", "exchange_barrier", "global-race", "global_load_dword v3",
         "reads device memory"},
        {"exchange", "exchange_group", "global-race", "global_load_dword v3",
         "of workgroup number 0 writes"},
        {"last", "last_barrier", "global-race", "global_load_dword v8",
         "of workgroup number 0 writes"},
        {"last", "last_release", "global-race", "global_load_dword v8",
         "of workgroup number 0 writes"},
        {"last", "last_atomic", "global-race", "global_load_dword v8",
         "of workgroup number 0 writes"},
        {"last", "last_acquire", "global-race", "global_load_dword v8",
         "of workgroup number 0 writes"},
        {"shared", "shared_release", "global-race", "global_load_dword v8",
         "of workgroup number 0 writes"},
        {"shared", "shared_wait", "global-race", "global_load_dword v8",
         "of workgroup number 0 writes"},
        {"shared", "shared_barrier", "global-race", "global_load_dword v8",
         "of workgroup number 0 writes"},
        {"shared", "shared_acquire", "global-race", "global_load_dword v8",
         "of workgroup number 0 writes"},
        {"same", "same_value", "global-race", "global_store_dword v1, v2",
         "of workgroup number 0 writes"},
        {"bytes", "bytes_group", "global-race", "global_store_byte v1, v2",
         "of workgroup number 0 writes"},
        {"sum", NULL, "", "", ""},
        {"bump", "bump_barrier", "global-race", "s_load_dword s9",
         "which wave 0 of workgroup number 0 writes"},
        {"four", "four_barrier", "global-race", "global_store_dword v1, v2",
         "of workgroup number 0 reads"},
        {"scalar", "scalar_value", "global-race", "s_store_dword s9",
         "of workgroup number 0 writes"},
    };
    check_bugs("global.s", bugs, sizeof bugs / sizeof bugs[0]);
}

int main(void)
{
    setenv("KILN_SIM_CHECK", "all,global-race", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(races_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
