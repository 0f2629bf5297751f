// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The block of a launch: the kernel's own by default. Another one is rejected, because it would
// silently compute only some elements.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "expect_status.h"
#include "hip/kernel_block.h"
#include "kiln/kiln.h"
#include "kiln/runtime.h"

enum { COUNT = 1000 };

static const char text[] = "kernel void number(i32 *x, i32 n)\n"
                           "{\n"
                           "    i32 i[1024] = range(1024);\n"
                           "    store(x + i, i + 1, i < n);\n"
                           "}\n";

static size_t count_right(kiln_buffer_t *buffer)
{
    int32_t data[COUNT];
    expect_ok(kiln_buffer_read(buffer, 0, data, sizeof data));
    size_t right = 0;
    for (int i = 0; i < COUNT; i++)
        right += data[i] == i + 1;
    return right;
}

static void kernels_are_launched_with_their_own_block(void **state)
{
    (void)state;
    kiln_device_options_t device_options;
    kiln_device_options_initialize(&device_options);
    device_options.kind = KILN_DEVICE_SIM;
    device_options.sim_library = KILN_BINARY_DIR "/lib/libkiln-sim.so";
    kiln_device_t *device;
    kiln_session_t *session;
    kiln_kernel_t *kernel;
    kiln_module_t *module;
    kiln_function_t *function;
    kiln_buffer_t *buffer;
    expect_ok(kiln_device_open(&device_options, &device));
    expect_ok(kiln_session_create(&session));
    const kiln_source_t source = {KILN_STAGE_TILE, "number.tile.c", text, strlen(text)};
    expect_ok(kiln_compile(session, &source, NULL, &kernel));
    size_t size;
    const void *code = kiln_kernel_code_object(kernel, &size);
    expect_ok(kiln_module_load(device, code, size, &module));
    expect_ok(kiln_module_function(module, "number", &function));
    expect_ok(kiln_buffer_create(device, COUNT * sizeof(int32_t), &buffer));
    expect_ok(kiln_buffer_fill(buffer, 0, 0, COUNT * sizeof(int32_t)));

    uint64_t address = kiln_buffer_address(buffer);
    int32_t n = COUNT;
    void *args[] = {&address, &n};
    kiln_launch_t launch;
    kiln_launch_initialize(&launch);
    launch.args = args;
    const unsigned wrong[][3] = {{1, 0, 0}, {64, 0, 0}, {512, 1, 1}, {16, 16, 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        memcpy(launch.block, wrong[i], sizeof launch.block);
        kiln_status_t status = kiln_function_launch(function, &launch);
        assert_int_equal(kiln_status_code(status), KILN_STATUS_USAGE);
        assert_non_null(strstr(kiln_status_message(status), "the kernel requires 256 × 1 × 1"));
        kiln_status_free(status);
        assert_int_equal(count_right(buffer), 0);
    }
    memset(launch.block, 0, sizeof launch.block);
    expect_ok(kiln_function_launch(function, &launch));
    assert_int_equal(count_right(buffer), COUNT);
    launch.block[0] = kiln_kernel_block_size(kernel);
    expect_ok(kiln_function_launch(function, &launch));

    // The simulator and the compiler agree: 8 workgroups of 4 waves with few registers fill a
    // compute unit.
    unsigned groups;
    expect_ok(kiln_function_occupancy(function, NULL, &groups));
    assert_int_equal(groups, 8 * 4 / 4);
    kiln_function_properties_t properties = {.struct_size = sizeof properties};
    expect_ok(kiln_function_get_properties(function, &properties));
    assert_int_equal(properties.max_threads_per_group, 256);
    assert_int_equal(properties.lds_bytes, kiln_kernel_resources(kernel)->lds_bytes);
    assert_in_range(properties.registers, 1, 64);

    // A module that the program has loaded by itself, with and without its code object.
    kiln_module_t *wrapped;
    kiln_function_t *same;
    expect_ok(kiln_module_wrap(device, kiln_module_native(module), code, size, &wrapped));
    expect_ok(kiln_module_function(wrapped, "number", &same));
    memset(launch.block, 0, sizeof launch.block);
    expect_ok(kiln_buffer_fill(buffer, 0, 0, COUNT * sizeof(int32_t)));
    expect_ok(kiln_function_launch(same, &launch));
    assert_int_equal(count_right(buffer), COUNT);
    kiln_module_release(wrapped);
    expect_ok(kiln_module_wrap(device, kiln_module_native(module), NULL, 0, &wrapped));
    expect_ok(kiln_module_function(wrapped, "number", &same));
    kiln_status_t status = kiln_function_launch(same, &launch);
    assert_non_null(strstr(kiln_status_message(status), "does not specify the kernel's block"));
    kiln_status_free(status);
    kiln_module_release(wrapped);

    kiln_buffer_release(buffer);
    kiln_module_release(module);
    kiln_kernel_release(kernel);
    kiln_session_release(session);
    kiln_device_release(device);
}

static void metadata_has_the_block_size(void **state)
{
    (void)state;
    static const struct {
        const char *kernel; // a row of amdhsa.kernels
        unsigned extents[3];
        bool is_required;
    } cases[] = {
        {"{\".name\": \"k\", \".reqd_workgroup_size\": [8, 4, 2], \".max_flat_workgroup_size\": "
         "64}",
         {8, 4, 2},
         true},
        {"{\".name\": \"k\", \".max_flat_workgroup_size\": 1024}",
         {1024, 1, 1},
         false}, // a HIP kernel's
        {"{\".name\": \"k\", \".max_flat_workgroup_size\": 4096}", {0, 0, 0}, false},
        {"{\".name\": \"k\", \".reqd_workgroup_size\": [8], \".max_flat_workgroup_size\": -1}",
         {0, 0, 0},
         false},
        {"{\".name\": \"other\", \".max_flat_workgroup_size\": 64}", {0, 0, 0}, false},
        {"17", {0, 0, 0}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *metadata = json_pack("{s:[o]}", "amdhsa.kernels",
                                     json_loads(cases[i].kernel, JSON_DECODE_ANY, NULL));
        assert_non_null(metadata);
        kiln_kernel_block_t block = kiln_kernel_block(metadata, "k");
        assert_memory_equal(block.extents, cases[i].extents, sizeof block.extents);
        assert_int_equal(block.is_required, cases[i].is_required);
        json_decref(metadata);
    }
    assert_null(kiln_code_metadata(
        "no ELF file at all, but as many bytes as a header would have, and some more", 72));
    assert_int_equal(kiln_kernel_block(NULL, "k").extents[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_are_launched_with_their_own_block),
                                       cmocka_unit_test(metadata_has_the_block_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
