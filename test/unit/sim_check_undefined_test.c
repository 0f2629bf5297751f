// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Undefined bytes of registers, LDS and device memory, from their origin to the use that matters.
// Nothing is reported while undefined bytes are only moved, masked off, or in inactive lanes.
#include "sim_check_run.h"

static void undefined_bytes_are_followed(void **state)
{
    (void)state;
    static const check_bug_t bugs[] = {
        {"d16", "d16_low", "undefined", "global_store_dword v1, v2", "v2 is used as stored data"},
        {"d16", "d16_high", "undefined", "global_store_dword v1, v2", "v2 is used as stored data"},
        {"half_used", "half_mask", "undefined", "global_store_dword v1, v5",
         "v5 is used as stored data"},
        {"bytes", "bytes_third", "undefined", "global_store_dword v1, v2",
         "v2 is used as stored data"},
        {"fp8", "fp8_low", "undefined", "global_store_dword v1, v3", "v3 is used as stored data"},
        {"fp8", "fp8_high", "undefined", "global_store_dword v1, v3", "v3 is used as stored data"},
        {"sdwa", "sdwa_rest", "undefined", "global_store_dword v1, v3",
         "v3 is used as stored data"},
        {"matrix", "matrix_mask", "undefined", "global_store_dword v1, v9",
         "v9 is used as stored data"},
        {"lanes", "lanes_value", "undefined", "global_store_dword v1, v6",
         "v6 is used as stored data"},
        {"indexed", "indexed_write", "undefined", "global_store_dword v1, v23",
         "v23 is used as stored data"},
        {"spilled", "spilled_value", "undefined", "global_store_dword v1, v6",
         "v6 is used as stored data"},
        {"spilled", "spilled_store", "undefined", "global_store_dword v1, v6",
         "v6 is used as stored data"},
        {"private_flat", "private_low", "undefined", "global_store_dword v1, v6",
         "v6 is used as stored data"},
        {"typed", "typed_x", "undefined", "tbuffer_store_format_xy v[4:5]",
         "v4 is used as stored data"},
        {"typed", "typed_y", "undefined", "tbuffer_store_format_xy v[4:5]",
         "v5 is used as stored data"},
        {"elsewhere", "elsewhere_data", "undefined", "global_store_dword v1, v3",
         "v3 is used as stored data"},
        {"elsewhere", "elsewhere_mode", "undefined", "s_setreg_b32", "s8 is used as state"},
        {"elsewhere", "elsewhere_m0", "undefined", "global_load_lds_dword",
         "m0 is used as an address"},
        {"structures", "structures_dword", "undefined", "global_store_dwordx3 v1, v[4:6]",
         "v4 is used as stored data"},
        {"wide", "wide_value", "undefined", "global_store_dword v1, v2",
         "v2 is used as stored data"},
        {"masks", NULL, NULL, NULL, NULL},
    };
    check_bugs("undefined.s", bugs, sizeof bugs / sizeof bugs[0]);
}

static void device_memory_is_undefined_until_written(void **state)
{
    (void)state;
    hipModule_t module = check_load("undefined.s", NULL);
    void *source, *destination = check_device_bytes(1024), *fresh;
    assert_int_equal(hipMalloc(&source, 1024), 0);
    assert_int_equal(hipMalloc(&fresh, 1024), 0);

    assert_int_equal(check_launch(module, "copy", 1, source, destination), 0);
    kiln_sim_finding_t f =
        check_find("copy", "undefined", "global_store_dword v1, v3", "v3 is used as stored data");
    assert_int_equal(f.wave, 0);
    assert_int_equal(check_launch(module, "direct", 1, source, destination), 0);
    check_find("direct", "undefined", "global_store_dword v1, v2", "v2 is used as stored data");
    assert_int_equal(check_launch(module, "decide", 1, source, destination), 0);
    check_find("decide", "undefined", "s_cbranch_scc1", "SCC");
    assert_int_equal(check_launch(module, "from_scalar_buffer", 1, source, destination), 0);
    check_find("from_scalar_buffer", "undefined", "s_cbranch_scc1", "SCC");
    assert_int_equal(check_launch(module, "from_typed", 1, source, destination), 0);
    check_find("from_typed", "undefined", "global_store_dword v1, v3", "v3 is used as stored data");
    assert_int_equal(check_launch(module, "from_swizzled", 1, source, destination), 0);
    check_find("from_swizzled", "undefined", "global_store_dword v1, v2",
               "v2 is used as stored data");
    assert_int_equal(check_launch(module, "add", 1, destination, fresh), 0);
    check_find("add", "undefined", "global_atomic_add", "never written");

    // A copy of undefined memory is undefined.
    assert_int_equal(hipMemcpyDtoD((hipDeviceptr_t)destination, (hipDeviceptr_t)source, 1024), 0);
    assert_int_equal(check_launch(module, "copy", 1, destination, fresh), 0);
    check_find("copy", "undefined", "global_store_dword v1, v3", "v3 is used as stored data");

    // One undefined byte is enough for a finding; lanes that do not use it have none.
    assert_int_equal(hipMemset(source, 0, 799), 0);
    assert_int_equal(check_launch(module, "copy", 1, source, destination), 0);
    f = check_find("copy", "undefined", "global_store_dword v1, v3", "v3 is used as stored data");
    assert_int_equal(f.wave, 3);
    assert_int_equal(f.lane, 7);
    assert_int_equal(f.count, 1);
    assert_int_equal(hipMemset(source, 0, 800), 0);
    assert_int_equal(check_launch(module, "copy", 1, source, destination), 0);
    check_silent("copy");
    assert_int_equal(check_launch(module, "decide", 1, source, destination), 0);
    check_silent("decide");
    assert_int_equal(check_launch(module, "from_scalar_buffer", 1, source, destination), 0);
    check_silent("from_scalar_buffer");
    // Lane 7 of wave 3 loads y from defined memory, x from undefined memory, and uses only y.
    assert_int_equal(hipMemset((char *)source + 802, 0, 222), 0);
    assert_int_equal(check_launch(module, "from_typed", 1, source, destination), 0);
    check_silent("from_typed");
    assert_int_equal(check_launch(module, "from_swizzled", 1, source, destination), 0);
    f = check_find("from_swizzled", "undefined", "global_store_dword v1, v2",
                   "v2 is used as stored data");
    assert_int_equal(f.count, 1);
    assert_int_equal(f.wave, 3);
    assert_int_equal(hipMemset(source, 0, 1024), 0);
    assert_int_equal(check_launch(module, "from_swizzled", 1, source, destination), 0);
    check_silent("from_swizzled");
    assert_int_equal(check_launch(module, "direct", 1, source, destination), 0);
    check_silent("direct");
    // Memory that a kernel has stored to is defined.
    assert_int_equal(check_launch(module, "copy", 1, source, fresh), 0);
    assert_int_equal(check_launch(module, "copy", 1, fresh, destination), 0);
    check_silent("copy");

    hipFree(source);
    hipFree(destination);
    hipFree(fresh);
    hipModuleUnload(module);
}

int main(void)
{
    setenv("KILN_SIM_CHECK", "all", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(undefined_bytes_are_followed),
        cmocka_unit_test(device_memory_is_undefined_until_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
