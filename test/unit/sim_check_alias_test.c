// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The alias check: stores through one argument and loads through another, with different paths of
// each pointer from its argument to the access; paths on which the pointer cannot be tracked, where
// nothing may be reported; and separate buffers, or parts that do not overlap.
#include "sim_check_run.h"

static const struct {
    const char *kernel, *instruction, *message; // NULL: the origin is unknown
} ways[] = {
    {"saddr", "global_store_dword v1, v3", "stores through argument 'y' device memory at "},
    {"flat", "flat_store_dword v[4:5]",
     "that was read through argument 'x'; buffers of different arguments must not alias"},
    {"descriptor", "buffer_atomic_add v3", "updates through argument 'y' device memory at "},
    {"scalar", "global_store_dword v1, v2", "that was read through argument 'x'"},
    {"lanes", NULL, NULL},
    {"chosen", NULL, NULL}};

static void what_two_arguments_reach_is_found(void **state)
{
    (void)state;
    char *buffer = check_device_bytes(CHECK_BYTES), *other = check_device_bytes(CHECK_BYTES);
    hipModule_t module = check_load("alias.s", NULL);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        assert_int_equal(check_launch(module, ways[i].kernel, 1, buffer, other), 0);
        check_silent(ways[i].kernel);
        assert_int_equal(check_launch(module, ways[i].kernel, 1, buffer, buffer + 1024),
                         0); // 256 dwords each
        check_silent(ways[i].kernel);
        assert_int_equal(check_launch(module, ways[i].kernel, 1, buffer, buffer), 0);
        if (ways[i].message)
            check_find(ways[i].kernel, "alias", ways[i].instruction, ways[i].message);
        else
            check_silent(ways[i].kernel);
    }
    hipModuleUnload(module);
    hipFree(buffer);
    hipFree(other);
}

int main(void)
{
    setenv("KILN_SIM_CHECK", "all,alias", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_two_arguments_reach_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
