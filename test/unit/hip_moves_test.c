// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies, fills, streams and events, and objects that the program provides: the same tests on a
// fake HIP library and on the simulator, which must behave alike.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "expect_status.h"
#include "kiln/runtime.h"

#define FAKE KILN_FAKE_HIP_DIR "/fake_gfx942.so"
#define SECOND KILN_FAKE_HIP_DIR "/fake_second.so"
#define SIMULATOR KILN_BINARY_DIR "/lib/libkiln-sim.so"

static kiln_device_t *open_library(const char *library, kiln_device_kind_t kind)
{
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = kind;
    options.hip_library = library;
    options.sim_library = library;
    kiln_device_t *device;
    expect_ok(kiln_device_open(&options, &device));
    return device;
}

// Runs a body on both devices.
static void on_both(void (*body)(kiln_device_t *device))
{
    kiln_device_t *devices[] = {open_library(FAKE, KILN_DEVICE_HIP),
                                open_library(SIMULATOR, KILN_DEVICE_SIM)};
    for (size_t i = 0; i < 2; i++) {
        body(devices[i]);
        kiln_device_release(devices[i]);
    }
}

static void expect_bytes(const kiln_buffer_t *buffer, const void *bytes, size_t size)
{
    unsigned char read[256];
    expect_ok(kiln_buffer_read(buffer, 0, read, size));
    assert_memory_equal(read, bytes, size);
}

static void copy(kiln_device_t *device)
{
    kiln_buffer_t *a, *b;
    kiln_stream_t *stream;
    expect_ok(kiln_buffer_create(device, 16, &a));
    expect_ok(kiln_buffer_create(device, 32, &b));
    expect_ok(kiln_stream_create(device, &stream));
    expect_ok(kiln_buffer_write(a, 0, "0123456789abcdef", 16));
    expect_ok(kiln_buffer_fill(b, 0, '.', 32));
    expect_ok(kiln_buffer_copy(b, 3, a, 10, 6));
    expect_bytes(b, "...abcdef.......................", 32);
    expect_ok(kiln_buffer_copy_async(b, 20, a, 0, 4, stream));
    expect_ok(kiln_buffer_copy_async(b, 24, b, 20, 4, stream)); // adjacent ranges
    expect_ok(kiln_stream_synchronize(device, stream));
    expect_bytes(b, "...abcdef...........01230123....", 32);
    expect_ok(kiln_buffer_copy(b, 32, a, 16, 0)); // nothing
    expect_failure(kiln_buffer_copy(b, 30, a, 0, 4), KILN_STATUS_USAGE,
                   "kiln_buffer_copy: 4 bytes at offset 30 exceed the buffer of 32 bytes");
    expect_failure(kiln_buffer_copy(b, 0, a, 14, 4), KILN_STATUS_USAGE,
                   "4 bytes at offset 14 exceed the buffer of 16 bytes");
    expect_failure(kiln_buffer_copy(b, 0, b, 3, 4), KILN_STATUS_USAGE,
                   "to and from overlap in these 4 bytes");
    expect_failure(kiln_buffer_copy_async(b, 3, b, 0, 4, stream), KILN_STATUS_USAGE,
                   "kiln_buffer_copy_async: to and from overlap");
    kiln_stream_release(stream);
    kiln_buffer_release(a);
    kiln_buffer_release(b);
}

static void buffers_are_copied_to_buffers(void **state)
{
    (void)state;
    on_both(copy);
}

static void fill(kiln_device_t *device)
{
    kiln_buffer_t *buffer;
    kiln_stream_t *stream;
    expect_ok(kiln_buffer_create(device, 16, &buffer));
    expect_ok(kiln_stream_create(device, &stream));
    expect_ok(kiln_buffer_fill_async(buffer, 0, "x", 1, 16, stream));
    expect_ok(kiln_buffer_fill_async(buffer, 2, "ab", 2, 6, stream));
    expect_ok(kiln_buffer_fill_async(buffer, 8, "1234", 4, 4, NULL));
    expect_ok(kiln_buffer_fill_async(buffer, 16, "1234", 4, 0, NULL));
    expect_ok(kiln_device_synchronize(device));
    expect_bytes(buffer, "xxababab1234xxxx", 16);
    expect_failure(kiln_buffer_fill_async(buffer, 0, "123", 3, 3, NULL), KILN_STATUS_USAGE,
                   "pattern_size is 3; expected 1, 2 or 4");
    expect_failure(kiln_buffer_fill_async(buffer, 0, "12", 2, 3, NULL), KILN_STATUS_USAGE,
                   "size is 3, which is not a multiple of pattern_size, 2");
    expect_failure(kiln_buffer_fill_async(buffer, 2, "1234", 4, 4, NULL), KILN_STATUS_USAGE,
                   "offset is 2, which is misaligned for patterns of 4 bytes");
    expect_failure(kiln_buffer_fill_async(buffer, 12, "1234", 4, 8, NULL), KILN_STATUS_USAGE,
                   "exceed the buffer");
    kiln_stream_release(stream);
    kiln_buffer_release(buffer);
}

static void patterns_fill_buffers(void **state)
{
    (void)state;
    on_both(fill);
}

static void query(kiln_device_t *device)
{
    kiln_stream_t *stream;
    kiln_event_t *start, *stop;
    bool done = false;
    double milliseconds;
    expect_ok(kiln_stream_create(device, &stream));
    expect_ok(kiln_event_create(device, &start));
    expect_ok(kiln_event_create(device, &stop));
    expect_ok(kiln_event_record(start, stream));
    expect_ok(kiln_event_record(stop, stream));
    expect_ok(kiln_stream_wait(NULL, stop));
    expect_ok(kiln_stream_synchronize(device, stream));
    expect_ok(kiln_stream_query(device, stream, &done));
    assert_true(done);
    done = false;
    expect_ok(kiln_event_query(stop, &done));
    assert_true(done);
    done = false;
    expect_ok(kiln_stream_query(device, NULL, &done));
    assert_true(done);
    expect_ok(kiln_event_elapsed(start, stop, &milliseconds));
    assert_true(milliseconds >= 0);
    kiln_event_release(start);
    kiln_event_release(stop);
    kiln_stream_release(stream);
}

static void streams_and_events_are_queried(void **state)
{
    (void)state;
    on_both(query);
    // "Not ready" is a result, a failed stream is an error; the fake library has streams of both
    // kinds.
    kiln_device_t *device = open_library(FAKE, KILN_DEVICE_HIP);
    char busy[8] = "busy", broken[8] = "broken";
    kiln_stream_t *stream;
    kiln_event_t *event;
    bool done = true;
    expect_ok(kiln_stream_wrap(device, busy, &stream));
    expect_ok(kiln_event_wrap(device, busy, &event));
    expect_ok(kiln_stream_query(device, stream, &done));
    assert_false(done);
    done = true;
    expect_ok(kiln_event_query(event, &done));
    assert_false(done);
    kiln_stream_release(stream);
    kiln_event_release(event);
    expect_ok(kiln_stream_wrap(device, broken, &stream));
    expect_ok(kiln_event_wrap(device, broken, &event));
    expect_failure(kiln_stream_query(device, stream, &done), KILN_STATUS_DEVICE,
                   "hipStreamQuery failed");
    expect_failure(kiln_event_query(event, &done), KILN_STATUS_DEVICE, "hipEventQuery failed");
    kiln_stream_release(stream);
    kiln_event_release(event);
    kiln_device_release(device);
}

static void capture(kiln_device_t *device)
{
    kiln_buffer_t *buffer;
    kiln_stream_t *stream;
    kiln_graph_t *graph;
    expect_ok(kiln_buffer_create(device, 8, &buffer));
    expect_ok(kiln_stream_create(device, &stream));
    expect_ok(kiln_buffer_fill(buffer, 0, '.', 8));
    expect_ok(kiln_graph_begin(stream));
    expect_ok(kiln_buffer_fill_async(buffer, 0, "a", 1, 4, stream));
    expect_ok(kiln_buffer_fill_async(buffer, 2, "b", 1, 4, stream));
    expect_ok(kiln_graph_end(stream, &graph));
    assert_int_equal(kiln_graph_node_count(graph), 2);
    assert_non_null(kiln_graph_native(graph));
    expect_ok(kiln_device_synchronize(device));
    expect_bytes(buffer, "........", 8); // nothing was executed
    for (int i = 0; i < 2; i++) {
        expect_ok(kiln_buffer_fill(buffer, 0, '.', 8));
        expect_ok(kiln_graph_launch(graph, stream));
        expect_ok(kiln_stream_synchronize(device, stream));
        expect_bytes(buffer, "aabbbb..", 8);
    }
    // The stream works again, and a graph does not need its own stream.
    expect_ok(kiln_buffer_fill_async(buffer, 0, "c", 1, 8, stream));
    expect_ok(kiln_stream_synchronize(device, stream));
    expect_bytes(buffer, "cccccccc", 8);
    kiln_stream_release(stream);
    expect_ok(kiln_graph_launch(graph, NULL));
    expect_ok(kiln_device_synchronize(device));
    expect_bytes(buffer, "aabbbbcc", 8);
    kiln_graph_release(graph);
    kiln_buffer_release(buffer);
}

static void work_is_captured_and_launched_again(void **state)
{
    (void)state;
    on_both(capture);
    kiln_device_t *device = open_library(SIMULATOR, KILN_DEVICE_SIM);
    kiln_stream_t *stream;
    kiln_graph_t *graph;
    expect_ok(kiln_stream_create(device, &stream));
    expect_failure(kiln_graph_end(stream, &graph), KILN_STATUS_DEVICE,
                   "the stream is not being captured");
    expect_ok(kiln_graph_begin(stream));
    expect_failure(kiln_graph_begin(stream), KILN_STATUS_DEVICE,
                   "the stream is already being captured");
    expect_ok(kiln_graph_end(stream, &graph));
    assert_int_equal(kiln_graph_node_count(graph), 0);
    kiln_graph_release(graph);
    kiln_stream_release(stream);
    kiln_device_release(device);
}

// Wrapped objects are used and outlive their wrappers.
static void wrap(kiln_device_t *device)
{
    kiln_buffer_t *own, *buffer;
    kiln_stream_t *own_stream, *stream;
    kiln_event_t *own_event, *event;
    expect_ok(kiln_buffer_create(device, 64, &own));
    expect_ok(kiln_stream_create(device, &own_stream));
    expect_ok(kiln_event_create(device, &own_event));
    expect_ok(kiln_buffer_wrap(device, kiln_buffer_address(own) + 3, 10, &buffer));
    expect_ok(kiln_stream_wrap(device, kiln_stream_native(own_stream), &stream));
    expect_ok(kiln_event_wrap(device, kiln_event_native(own_event), &event));
    assert_ptr_equal(kiln_stream_native(stream), kiln_stream_native(own_stream));
    assert_ptr_equal(kiln_event_native(event), kiln_event_native(own_event));
    assert_int_equal(kiln_buffer_size(buffer), 10);
    expect_ok(kiln_buffer_fill(own, 0, '.', 64));
    expect_ok(kiln_buffer_write_async(buffer, 1, "hello", 5, stream));
    expect_ok(kiln_event_record(event, stream));
    expect_ok(kiln_event_synchronize(event));
    expect_failure(kiln_buffer_write(buffer, 6, "hello", 5), KILN_STATUS_USAGE,
                   "exceed the buffer of 10 bytes");
    kiln_buffer_release(buffer);
    kiln_stream_release(stream);
    kiln_event_release(event);
    expect_ok(kiln_stream_synchronize(device, own_stream));
    expect_ok(kiln_event_record(own_event, own_stream));
    expect_bytes(own, "....hello.......", 16);
    expect_ok(kiln_stream_wrap(device, NULL, &stream)); // the default one
    expect_ok(kiln_buffer_fill_async(own, 0, "-", 1, 16, stream));
    expect_ok(kiln_stream_synchronize(device, stream));
    expect_bytes(own, "----------------", 16);
    kiln_stream_release(stream);
    expect_ok(kiln_buffer_wrap(device, 0, 0, &buffer));
    kiln_buffer_release(buffer);
    expect_failure(kiln_buffer_wrap(device, 0, 4, &buffer), KILN_STATUS_USAGE,
                   "kiln_buffer_wrap: address is 0, but size is 4");
    expect_failure(kiln_buffer_wrap(device, UINT64_MAX - 2, 4, &buffer), KILN_STATUS_USAGE,
                   "exceed the address space");
    kiln_buffer_release(own);
    kiln_stream_release(own_stream);
    kiln_event_release(own_event);
}

static void what_the_program_brings_is_borrowed(void **state)
{
    (void)state;
    on_both(wrap);
}

static void two_libraries_share_no_memory(void **state)
{
    (void)state;
    kiln_device_t *fake = open_library(FAKE, KILN_DEVICE_HIP),
                  *simulated = open_library(SIMULATOR, KILN_DEVICE_SIM);
    kiln_buffer_t *a, *b;
    expect_ok(kiln_buffer_create(fake, 16, &a));
    expect_ok(kiln_buffer_create(simulated, 16, &b));
    expect_failure(kiln_buffer_copy(a, 0, b, 0, 16), KILN_STATUS_USAGE,
                   "belong to different HIP libraries");
    kiln_buffer_release(a);
    kiln_buffer_release(b);
    kiln_device_release(fake);
    kiln_device_release(simulated);
}

static size_t seen; // libraries that were reported
static void count_library(const char *path, const char *result, void *user)
{
    (void)path, (void)result, (void)user;
    seen++;
}

static void all_devices_are_listed(void **state)
{
    (void)state;
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.hip_library = SECOND; // has a gfx90a and a gfx942
    options.sim_library = SIMULATOR;
    options.trace = count_library;
    kiln_device_list_t *list;
    expect_ok(kiln_device_list_create(&options, &list));
    assert_int_equal(kiln_device_list_count(list), 3);
    assert_int_equal(seen, 2);
    static const struct {
        kiln_device_kind_t kind;
        const char *arch, *library;
        int ordinal;
        unsigned bus;
    } wanted[] = {{KILN_DEVICE_HIP, "gfx90a", SECOND, 0, 11},
                  {KILN_DEVICE_HIP, "gfx942", SECOND, 1, 12},
                  {KILN_DEVICE_SIM, "gfx942", SIMULATOR, 0, 1}};
    for (size_t i = 0; i < 3; i++) {
        const kiln_device_properties_t *item = kiln_device_list_item(list, i);
        assert_int_equal(item->kind, wanted[i].kind);
        assert_string_equal(item->arch, wanted[i].arch);
        assert_string_equal(item->library, wanted[i].library);
        assert_int_equal(item->ordinal, wanted[i].ordinal);
        assert_int_equal(item->pci_bus, wanted[i].bus);
        assert_int_equal(item->max_threads_per_compute_unit, 2048);
        assert_int_equal(item->registers_per_group, 65536);
        // Each of them can be opened with the values from the list.
        kiln_device_options_t one;
        kiln_device_options_initialize(&one);
        one.kind = item->kind;
        one.hip_library = one.sim_library = item->library;
        one.arch = item->arch;
        one.ordinal = item->ordinal;
        kiln_device_t *device;
        expect_ok(kiln_device_open(&one, &device));
        assert_string_equal(kiln_device_properties(device)->target_id, item->target_id);
        kiln_device_release(device);
    }
    assert_null(kiln_device_list_item(list, 3));
    kiln_device_list_release(list);

    options.kind = KILN_DEVICE_HIP;
    options.hip_library = KILN_FAKE_HIP_DIR "/fake_no_device.so";
    expect_ok(kiln_device_list_create(&options, &list));
    assert_int_equal(kiln_device_list_count(list), 0);
    kiln_device_list_release(list);
    options.hip_library = "/nowhere/libamdhip64.so";
    expect_ok(kiln_device_list_create(&options, &list));
    assert_int_equal(kiln_device_list_count(list), 0);
    kiln_device_list_release(list);

    const kiln_sim_setting_t wrong[] = {{"check", "nonsense"}};
    options.kind = KILN_DEVICE_SIM;
    options.sim_settings = wrong;
    options.sim_setting_count = 1;
    expect_failure(kiln_device_list_create(&options, &list), KILN_STATUS_USAGE, "nonsense");
    assert_null(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_are_copied_to_buffers),
        cmocka_unit_test(patterns_fill_buffers),
        cmocka_unit_test(streams_and_events_are_queried),
        cmocka_unit_test(what_the_program_brings_is_borrowed),
        cmocka_unit_test(two_libraries_share_no_memory),
        cmocka_unit_test(all_devices_are_listed),
        cmocka_unit_test(work_is_captured_and_launched_again),
    };
    return cmocka_run_group_tests_name("hip_moves", tests, NULL, NULL);
}
