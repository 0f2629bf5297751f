// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The HIP loader and the objects built on it, with fake libraries: what is found, what is rejected
// and why, and what a launch passes on.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect_status.h"
#include "fake_hip/fake_hip.h"
#include "kiln/runtime.h"

#define FAKE(name) KILN_FAKE_HIP_DIR "/" name ".so"

static kiln_status_t open_fake(const char *library, kiln_device_t **out_device)
{
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_HIP;
    options.hip_library = library;
    return kiln_device_open(&options, out_device);
}

static kiln_device_t *open_gfx942(void)
{
    kiln_device_t *device;
    expect_ok(open_fake(FAKE("fake_gfx942"), &device));
    return device;
}

static void check_properties(const char *library)
{
    kiln_device_t *device;
    expect_ok(open_fake(library, &device));
    const kiln_device_properties_t *properties = kiln_device_properties(device);
    assert_int_equal(properties->kind, KILN_DEVICE_HIP);
    assert_string_equal(properties->name, "Fake MI300X");
    assert_string_equal(properties->arch, "gfx942");
    assert_string_equal(properties->target_id, "gfx942:sramecc+:xnack-");
    assert_string_equal(properties->library, library);
    assert_int_equal(properties->compute_units, 304);
    assert_int_equal(properties->warp_size, 64);
    assert_int_equal(properties->max_threads_per_group, 1024);
    assert_int_equal(properties->lds_bytes_per_group, 65536);
    assert_int_equal(properties->memory_bytes, (size_t)192 << 30);
    kiln_device_release(device);
}

static void reads_both_layouts_of_properties(void **state)
{
    (void)state;
    check_properties(FAKE("fake_gfx942"));
    check_properties(FAKE("fake_gfx942_old"));
}

static void chooses_the_device_of_the_architecture(void **state)
{
    (void)state;
    kiln_device_t *device;
    expect_ok(open_fake(FAKE("fake_second"), &device));
    assert_int_equal(kiln_device_properties(device)->ordinal, 1);
    kiln_device_release(device);
}

static void a_refused_library_has_a_reason(void **state)
{
    (void)state;
    kiln_device_t *device;
    expect_failure(open_fake(FAKE("fake_gfx90a"), &device), KILN_STATUS_UNAVAILABLE,
                   "fake_gfx90a.so: no gfx942 device, only gfx90a:sramecc+:xnack-");
    assert_null(device);
    expect_failure(open_fake(FAKE("fake_no_device"), &device), KILN_STATUS_UNAVAILABLE,
                   "no ROCm-capable device is detected");
    expect_failure(open_fake(FAKE("fake_incomplete"), &device), KILN_STATUS_UNAVAILABLE,
                   "the symbol 'hipStreamCreateWithFlags' is missing");
    expect_failure(open_fake("/nowhere/libamdhip64.so", &device), KILN_STATUS_UNAVAILABLE,
                   "tried /nowhere/libamdhip64.so: cannot open shared object file");
}

static void refuses_an_absent_ordinal(void **state)
{
    (void)state;
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_HIP;
    options.hip_library = FAKE("fake_gfx942");
    options.ordinal = 3;
    kiln_device_t *device;
    expect_failure(kiln_device_open(&options, &device), KILN_STATUS_UNAVAILABLE,
                   "it has 1 device, but number 3 was requested");
}

static void trace_line(const char *path, const char *result, void *user)
{
    char *text = user;
    strcat(text, path);
    strcat(text, " -> ");
    strcat(text, result);
    strcat(text, "\n");
}

// With KILN_DEVICE_AUTO, a HIP library without the device is skipped, and the simulator's path is
// used, which here is another fake.
static void auto_falls_back_to_the_simulator(void **state)
{
    (void)state;
    char trace[2048] = "";
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.hip_library = FAKE("fake_no_device");
    options.sim_library = FAKE("fake_gfx942");
    options.trace = trace_line;
    options.trace_user = trace;
    kiln_device_t *device;
    expect_ok(kiln_device_open(&options, &device));
    assert_int_equal(kiln_device_properties(device)->kind, KILN_DEVICE_SIM);
    assert_non_null(
        strstr(trace, "fake_no_device.so -> hipGetDeviceCount failed: no ROCm-capable device"));
    assert_non_null(strstr(trace, "fake_gfx942.so -> found"));
    kiln_device_release(device);

    options.sim_library = "/nowhere/libkiln-sim.so";
    kiln_status_t status = kiln_device_open(&options, &device);
    assert_int_equal(kiln_status_note_count(status), 2); // both are named
    expect_failure(status, KILN_STATUS_UNAVAILABLE, "/nowhere/libkiln-sim.so");
}

static void parses_kinds(void **state)
{
    (void)state;
    kiln_device_kind_t kind;
    expect_ok(kiln_device_kind_parse("sim", &kind));
    assert_int_equal(kind, KILN_DEVICE_SIM);
    expect_ok(kiln_device_kind_parse("hip", &kind));
    assert_int_equal(kind, KILN_DEVICE_HIP);
    expect_ok(kiln_device_kind_parse("auto", &kind));
    assert_int_equal(kind, KILN_DEVICE_AUTO);
    expect_failure(kiln_device_kind_parse("gpu", &kind), KILN_STATUS_USAGE, "unknown device 'gpu'");
}

static void buffers_keep_bytes_and_guard_their_ends(void **state)
{
    (void)state;
    kiln_device_t *device = open_gfx942();
    kiln_buffer_t *buffer;
    expect_ok(kiln_buffer_create(device, 1000, &buffer));
    assert_int_equal(kiln_buffer_address(buffer) % 256, 0);
    expect_ok(kiln_buffer_fill(buffer, 0, 0xA5, 1000));
    expect_ok(kiln_buffer_write(buffer, 10, "hello", 5));
    unsigned char bytes[8];
    expect_ok(kiln_buffer_read(buffer, 9, bytes, 7));
    assert_memory_equal(bytes, "\xA5hello\xA5", 7);
    expect_failure(kiln_buffer_write(buffer, 996, "hello", 5), KILN_STATUS_USAGE,
                   "5 bytes at offset 996 exceed the buffer of 1000 bytes");
    expect_failure(kiln_buffer_read(buffer, SIZE_MAX, bytes, 2), KILN_STATUS_USAGE,
                   "exceed the buffer");
    // A buffer keeps its device alive.
    kiln_device_release(device);
    expect_ok(kiln_buffer_read(buffer, 0, bytes, 1));
    kiln_buffer_release(buffer);
}

static void an_empty_buffer_has_no_address(void **state)
{
    (void)state;
    kiln_device_t *device = open_gfx942();
    kiln_buffer_t *buffer;
    expect_ok(kiln_buffer_create(device, 0, &buffer));
    assert_int_equal(kiln_buffer_address(buffer), 0);
    expect_ok(kiln_buffer_write(buffer, 0, "", 0));
    kiln_buffer_release(buffer);
    kiln_device_release(device);
}

static void out_of_memory_is_named(void **state)
{
    (void)state;
    kiln_device_t *device = open_gfx942();
    kiln_buffer_t *buffer;
    kiln_status_t status = kiln_buffer_create(device, (size_t)2 << 30, &buffer);
    assert_null(buffer);
    expect_failure(status, KILN_STATUS_OUT_OF_RESOURCES, "while allocating 2147483648 bytes");
    kiln_device_release(device);
}

// A minimal image that passes the header check: the fake reads only the first 64 bytes.
static const char image[128] = "\x7f"
                               "ELF\2\1\1";

static const fake_launch_t *last_launch(void)
{
    void *library = dlopen(FAKE("fake_gfx942"), RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(library);
    fake_last_launch_fn get;
    void *symbol = dlsym(library, "fakeHipLastLaunch");
    memcpy(&get, &symbol, sizeof get);
    dlclose(library);
    return get();
}

static void launches_pass_arguments(void **state)
{
    (void)state;
    kiln_device_t *device = open_gfx942();
    kiln_module_t *module;
    kiln_function_t *function, *again;
    expect_ok(kiln_module_load(device, image, sizeof image, &module));
    expect_ok(kiln_module_function(module, "add3", &function));
    expect_ok(kiln_module_function(module, "add3", &again));
    assert_ptr_equal(function, again);
    assert_string_equal(kiln_function_name(function), "add3");

    uint64_t values[3] = {0x1122334455667788, 42, 7};
    void *args[3] = {&values[0], &values[1], &values[2]};
    kiln_launch_t launch;
    kiln_launch_initialize(&launch);
    launch.grid[0] = 5;
    launch.grid[2] = 2;
    launch.block[0] = 256;
    launch.dynamic_lds_bytes = 16384;
    launch.args = args;
    expect_ok(kiln_function_launch(function, &launch));
    const fake_launch_t *last = last_launch();
    int before = last->count;
    assert_string_equal(last->function, "add3");
    assert_int_equal(last->grid[0], 5);
    assert_int_equal(last->grid[1], 1);
    assert_int_equal(last->grid[2], 2);
    assert_int_equal(last->block[0], 256);
    assert_int_equal(last->lds, 16384);
    assert_memory_equal(last->kernarg, values, sizeof values);

    launch.args = NULL;
    launch.packed = "kernarg";
    launch.packed_size = 7;
    expect_ok(kiln_function_launch(function, &launch));
    assert_int_equal(last->kernarg_size, 7);
    assert_memory_equal(last->kernarg, "kernarg", 7);

    launch.grid[1] = 0; // launches nothing
    expect_ok(kiln_function_launch(function, &launch));
    assert_int_equal(last->count, before + 1);

    kiln_module_release(module);
    kiln_device_release(device);
}

static void launches_are_refused_in_words(void **state)
{
    (void)state;
    kiln_device_t *device = open_gfx942();
    kiln_module_t *module;
    kiln_function_t *function;
    expect_ok(kiln_module_load(device, image, sizeof image, &module));
    expect_failure(kiln_module_function(module, "missing", &function), KILN_STATUS_NOT_FOUND,
                   "while looking for the kernel 'missing'");
    expect_ok(kiln_module_function(module, "fail", &function));
    kiln_launch_t launch;
    kiln_launch_initialize(&launch);
    expect_failure(kiln_function_launch(function, &launch), KILN_STATUS_USAGE,
                   "does not specify the kernel's block");
    launch.block[0] = 64;
    expect_failure(kiln_function_launch(function, &launch), KILN_STATUS_DEVICE,
                   "hipErrorLaunchFailure");
    launch.block[0] = 2048;
    expect_failure(kiln_function_launch(function, &launch), KILN_STATUS_OUT_OF_RESOURCES,
                   "the block has 2048 work-items, but the limit is 1024");
    launch.block[0] = 64;
    launch.dynamic_lds_bytes = 65537;
    expect_failure(kiln_function_launch(function, &launch), KILN_STATUS_OUT_OF_RESOURCES,
                   "needs 65537 bytes of LDS");
    launch.dynamic_lds_bytes = 0;
    launch.args = (void *[]){NULL};
    launch.packed = "";
    expect_failure(kiln_function_launch(function, &launch), KILN_STATUS_USAGE,
                   "mutually exclusive");
    kiln_module_release(module);
    kiln_device_release(device);
}

static void kernels_have_properties_and_occupancy(void **state)
{
    (void)state;
    kiln_device_t *device = open_gfx942();
    kiln_module_t *module;
    kiln_function_t *function;
    expect_ok(kiln_module_load(device, image, sizeof image, &module));
    expect_ok(kiln_module_function(module, "add3", &function));
    kiln_function_properties_t properties = {.struct_size = sizeof properties};
    expect_ok(kiln_function_get_properties(function, &properties));
    assert_int_equal(properties.max_threads_per_group, 100);
    assert_int_equal(properties.lds_bytes, 101);
    assert_int_equal(properties.scratch_bytes_per_lane, 103);
    assert_int_equal(properties.registers, 104);
    kiln_launch_t launch;
    kiln_launch_initialize(&launch);
    unsigned groups;
    expect_failure(kiln_function_occupancy(function, NULL, &groups), KILN_STATUS_USAGE,
                   "set launch->block");
    launch.block[0] = 128;
    launch.block[1] = 2;
    expect_ok(kiln_function_occupancy(function, &launch, &groups));
    assert_int_equal(groups, 8);
    launch.dynamic_lds_bytes = 65536;
    expect_ok(kiln_function_occupancy(function, &launch, &groups));
    assert_int_equal(groups, 0);
    launch.dynamic_lds_bytes = 65537;
    expect_failure(kiln_function_occupancy(function, &launch, &groups),
                   KILN_STATUS_OUT_OF_RESOURCES,
                   "while querying the occupancy of the kernel 'add3'");
    launch.dynamic_lds_bytes = 0;
    expect_ok(kiln_module_function(module, "fail", &function));
    expect_failure(kiln_function_occupancy(function, &launch, &groups), KILN_STATUS_DEVICE,
                   "hipErrorLaunchFailure");
    expect_failure(kiln_function_get_properties(function, &properties), KILN_STATUS_DEVICE,
                   "hipErrorLaunchFailure");
    assert_int_equal(properties.registers, 0);
    kiln_module_release(module);
    kiln_device_release(device);

    expect_ok(open_fake(FAKE("fake_gfx942_old"), &device));
    expect_ok(kiln_module_load(device, image, sizeof image, &module));
    expect_ok(kiln_module_function(module, "add3", &function));
    expect_failure(kiln_function_occupancy(function, &launch, &groups), KILN_STATUS_UNSUPPORTED,
                   "has no hipModuleOccupancyMaxActiveBlocksPerMultiprocessor");
    expect_failure(kiln_function_get_properties(function, &properties), KILN_STATUS_UNSUPPORTED,
                   "has no hipFuncGetAttribute");
    kiln_module_release(module);
    kiln_device_release(device);
}

static void a_wrapped_module_is_borrowed(void **state)
{
    (void)state;
    kiln_device_t *device = open_gfx942();
    kiln_module_t *own, *module;
    kiln_function_t *function;
    expect_ok(kiln_module_load(device, image, sizeof image, &own));
    expect_ok(kiln_module_wrap(device, kiln_module_native(own), image, sizeof image, &module));
    assert_ptr_equal(kiln_module_native(module), kiln_module_native(own));
    expect_ok(kiln_module_function(module, "nop0", &function));
    assert_string_equal(kiln_function_native(function),
                        "nop0"); // a handle of the fake library is the function's name
    kiln_launch_t launch;
    kiln_launch_initialize(&launch);
    launch.block[0] = 64;
    expect_ok(kiln_function_launch(function, &launch));
    kiln_module_release(module); // freeing it twice would be a fault
    expect_failure(kiln_module_wrap(device, kiln_module_native(own), "short", 5, &module),
                   KILN_STATUS_INVALID_INPUT, "not a code object");
    kiln_module_release(own);
    kiln_device_release(device);
}

static void bad_code_objects_are_refused(void **state)
{
    (void)state;
    kiln_device_t *device = open_gfx942();
    kiln_module_t *module;
    expect_failure(kiln_module_load(device, "short", 5, &module), KILN_STATUS_INVALID_INPUT,
                   "not a code object");
    char broken[128];
    memcpy(broken, image, sizeof broken);
    memcpy(broken + 64, "BROKEN", 6);
    expect_failure(kiln_module_load(device, broken, sizeof broken, &module), KILN_STATUS_DEVICE,
                   "hipModuleLoadData");
    assert_null(module);
    kiln_device_release(device);
}

static void events_measure_between_launches(void **state)
{
    (void)state;
    kiln_device_t *device = open_gfx942();
    kiln_module_t *module;
    kiln_function_t *function;
    kiln_stream_t *stream;
    kiln_event_t *start, *stop;
    expect_ok(kiln_module_load(device, image, sizeof image, &module));
    expect_ok(kiln_module_function(module, "nop0", &function));
    expect_ok(kiln_stream_create(device, &stream));
    expect_ok(kiln_event_create(device, &start));
    expect_ok(kiln_event_create(device, &stop));
    expect_ok(kiln_event_record(start, stream));
    kiln_launch_t launch;
    kiln_launch_initialize(&launch);
    launch.block[0] = 64;
    launch.stream = stream;
    for (int i = 0; i < 3; i++)
        expect_ok(kiln_function_launch(function, &launch));
    assert_non_null(last_launch()->stream);
    expect_ok(kiln_event_record(stop, stream));
    expect_ok(kiln_stream_wait(stream, stop));
    expect_ok(kiln_event_synchronize(stop));
    expect_ok(kiln_stream_synchronize(device, stream));
    double milliseconds;
    expect_ok(kiln_event_elapsed(start, stop, &milliseconds));
    assert_true(milliseconds == 3.0);
    kiln_event_release(start);
    kiln_event_release(stop);
    kiln_stream_release(stream);
    kiln_module_release(module);
    kiln_device_release(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_both_layouts_of_properties),
        cmocka_unit_test(chooses_the_device_of_the_architecture),
        cmocka_unit_test(a_refused_library_has_a_reason),
        cmocka_unit_test(refuses_an_absent_ordinal),
        cmocka_unit_test(auto_falls_back_to_the_simulator),
        cmocka_unit_test(parses_kinds),
        cmocka_unit_test(buffers_keep_bytes_and_guard_their_ends),
        cmocka_unit_test(an_empty_buffer_has_no_address),
        cmocka_unit_test(out_of_memory_is_named),
        cmocka_unit_test(launches_pass_arguments),
        cmocka_unit_test(launches_are_refused_in_words),
        cmocka_unit_test(kernels_have_properties_and_occupancy),
        cmocka_unit_test(a_wrapped_module_is_borrowed),
        cmocka_unit_test(bad_code_objects_are_refused),
        cmocka_unit_test(events_measure_between_launches),
    };
    return cmocka_run_group_tests_name("hip", tests, NULL, NULL);
}
