// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses outside of allocations, descriptors and alignment, and HIP calls with wrong pointers.
//
// Findings of HIP calls are listed after those of the last launch; the next launch clears both.
#include "sim_check_run.h"

static void wrong_accesses_are_found(void **state)
{
    (void)state;
    static const check_bug_t bugs[] = {
        {"torn", "torn_records", "memory", "buffer_load_dword v2",
         "range of 0x3fe bytes ends within the access"},
        {"both", "both_offset", "memory", "buffer_load_dword v2",
         "exceeds its allocation (device allocation"},
        {"masked", "masked_offset", "clamp", "buffer_store_dword v0",
         "exceed the descriptor's 0x200 bytes"},
        {"bent", "bent_mask", "align-global", "buffer_store_dwordx2",
         "misaligned access of 8 bytes at 0x"},
        {"bent_format", "bent_format_mask", "memory", "tbuffer_load_format_x",
         "with a format of 4 bytes"},
        {"bent_atomic", "bent_atomic_mask", "memory", "buffer_atomic_add", "misaligned atomic"},
        {"aligned", "aligned_mask", "memory", "ds_add_u32",
         "misaligned atomic of 4 bytes at LDS offset 0x2"},
        {"direct_end", "direct_mask", "memory", "global_load_lds_dword", "LDS offset 0x400"},
        {"private", "private_mask", "memory", "scratch_store_dword",
         "a lane has 16 bytes of scratch"},
        {"private_bytes", "private_bytes_mask", "align-global", "scratch_store_short",
         "misaligned access of 2 bytes at scratch offset 0x1"},
        {"multiples", "multiples_lds", "align", "ds_read_b128 v[4:7]",
         "misaligned access of 16 bytes at LDS offset 0x2"},
        {"multiples", "multiples_memory", "align-global", "global_load_dwordx2 v[8:9]",
         "misaligned access of 8 bytes at 0x"},
        {"arguments", "arguments_offset", "memory", "s_load_dword s5",
         "at offset 0x10 of the kernel's arguments"},
        {"halves", "halves_mask", "memory", "s_load_dword s5", "misaligned scalar access at 0x"},
        {"reversed", "reversed_address", "memory", "ds_read_b32 v3",
         "4 bytes at LDS offset 0xfffffffc"},
        {"typed_long", "typed_offset", "memory", "tbuffer_load_format_x",
         "past the end of the nearest allocation"},
        {"atomic", "atomic_mask", "memory", "global_atomic_add_x2", "misaligned atomic"},
    };
    check_bugs("memory.s", bugs, sizeof bugs / sizeof bugs[0]);
}

static void freed_memory_has_a_history(void **state)
{
    (void)state;
    hipModule_t module = check_load("memory.s", NULL);
    void *first = check_device_bytes(1024), *second = check_device_bytes(1024);
    assert_int_equal(check_launch(module, "copy", 1, first, second), 0);
    check_silent("copy");
    hipFree(first);
    assert_int_not_equal(check_launch(module, "copy", 1, first, second), 0);
    check_find("copy", "memory", "global_load_dword v2",
               "a freed allocation (device allocation, 1024 bytes at");
    hipFree(second);
    hipModuleUnload(module);
}

static void wrong_calls_are_found(void **state)
{
    (void)state;
    char *memory = check_device_bytes(1000), *other = check_device_bytes(64), host[2000] = {0};
    assert_int_not_equal(hipMemcpy(memory, host, 1001, 1), 0);
    check_find("", "memory", "hipMemcpy",
               "has 1000 bytes to the end of its allocation (device allocation, 1000 bytes");
    assert_int_not_equal(hipMemcpyDtoH(host, (hipDeviceptr_t)(memory + 600), 401), 0);
    check_find("", "memory", "hipMemcpyDtoH", "the source");
    assert_int_not_equal(hipMemset(memory + 1000, 0, 4), 0);
    check_find("", "memory", "hipMemset", "0 bytes past the end of the nearest allocation");
    assert_int_not_equal(hipFree(memory + 8), 0);
    check_find("", "memory", "hipFree", "8 bytes into device allocation, 1000 bytes");
    assert_int_equal(hipFree(memory), 0);
    assert_int_not_equal(hipFree(memory), 0);
    kiln_sim_finding_t f = check_find("", "memory", "hipFree", "double free");
    assert_string_equal(f.kernel, "");
    assert_int_equal(f.lane, -1);
    assert_int_not_equal(hipMemset(memory, 0, 4), 0);
    check_find("", "memory", "hipMemset", "a freed allocation");
    assert_int_not_equal(hipFree(host), 0);
    check_find("", "memory", "hipFree", "is freed, which is not an allocation");
    assert_int_equal(hipFree(other), 0);
    assert_int_equal(hipFree(NULL), 0);
}

int main(void)
{
    setenv("KILN_SIM_CHECK", "all,clamp,align-global", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_accesses_are_found),
        cmocka_unit_test(freed_memory_has_a_history),
        cmocka_unit_test(wrong_calls_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
