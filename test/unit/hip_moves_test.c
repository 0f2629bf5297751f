// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies, fills, streams and events, and objects that the program brings: one body over a HIP library of AMD's interface
// and over the simulator, which must answer alike.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "kiln/runtime.h"

#define FAKE KILN_FAKE_HIP_DIR "/fake_gfx942.so"
#define SECOND KILN_FAKE_HIP_DIR "/fake_second.so"
#define SIMULATOR KILN_BINARY_DIR "/lib/libkiln-sim.so"

static void ok(kiln_status_t status)
{
    char *text = status ? kiln_status_format(status) : NULL;
    if (status)
        print_error("%s", text);
    assert_null(status);
}

static void refused(kiln_status_t status, kiln_status_code_t code, const char *part)
{
    char *text = kiln_status_format(status);
    if (kiln_status_code(status) != code || !strstr(text, part))
        print_error("wanted code %d with '%s', got code %d:\n%s", code, part, kiln_status_code(status), text);
    assert_int_equal(kiln_status_code(status), code);
    assert_non_null(strstr(text, part));
    free(text);
    kiln_status_free(status);
}

static kiln_device_t *open_library(const char *library, kiln_device_kind_t kind)
{
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = kind;
    options.hip_library = library;
    options.sim_library = library;
    kiln_device_t *device;
    ok(kiln_device_open(&options, &device));
    return device;
}

// Runs a body on both.
static void on_both(void (*body)(kiln_device_t *device))
{
    kiln_device_t *devices[] = {open_library(FAKE, KILN_DEVICE_HIP), open_library(SIMULATOR, KILN_DEVICE_SIM)};
    for (size_t i = 0; i < 2; i++) {
        body(devices[i]);
        kiln_device_release(devices[i]);
    }
}

static void expect_bytes(const kiln_buffer_t *buffer, const void *bytes, size_t size)
{
    unsigned char read[256];
    ok(kiln_buffer_read(buffer, 0, read, size));
    assert_memory_equal(read, bytes, size);
}

static void copy(kiln_device_t *device)
{
    kiln_buffer_t *a, *b;
    kiln_stream_t *stream;
    ok(kiln_buffer_create(device, 16, &a));
    ok(kiln_buffer_create(device, 32, &b));
    ok(kiln_stream_create(device, &stream));
    ok(kiln_buffer_write(a, 0, "0123456789abcdef", 16));
    ok(kiln_buffer_fill(b, 0, '.', 32));
    ok(kiln_buffer_copy(b, 3, a, 10, 6));
    expect_bytes(b, "...abcdef.......................", 32);
    ok(kiln_buffer_copy_async(b, 20, a, 0, 4, stream));
    ok(kiln_buffer_copy_async(b, 24, b, 20, 4, stream)); // they only touch
    ok(kiln_stream_synchronize(device, stream));
    expect_bytes(b, "...abcdef...........01230123....", 32);
    ok(kiln_buffer_copy(b, 32, a, 16, 0)); // nothing
    refused(kiln_buffer_copy(b, 30, a, 0, 4), KILN_STATUS_USAGE,
            "kiln_buffer_copy: 4 bytes at offset 30 leave the buffer of 32 bytes");
    refused(kiln_buffer_copy(b, 0, a, 14, 4), KILN_STATUS_USAGE, "4 bytes at offset 14 leave the buffer of 16 bytes");
    refused(kiln_buffer_copy(b, 0, b, 3, 4), KILN_STATUS_USAGE, "to and from overlap in these 4 bytes");
    refused(kiln_buffer_copy_async(b, 3, b, 0, 4, stream), KILN_STATUS_USAGE,
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
    ok(kiln_buffer_create(device, 16, &buffer));
    ok(kiln_stream_create(device, &stream));
    ok(kiln_buffer_fill_async(buffer, 0, "x", 1, 16, stream));
    ok(kiln_buffer_fill_async(buffer, 2, "ab", 2, 6, stream));
    ok(kiln_buffer_fill_async(buffer, 8, "1234", 4, 4, NULL));
    ok(kiln_buffer_fill_async(buffer, 16, "1234", 4, 0, NULL));
    ok(kiln_device_synchronize(device));
    expect_bytes(buffer, "xxababab1234xxxx", 16);
    refused(kiln_buffer_fill_async(buffer, 0, "123", 3, 3, NULL), KILN_STATUS_USAGE,
            "pattern_size is 3; it must be 1, 2 or 4");
    refused(kiln_buffer_fill_async(buffer, 0, "12", 2, 3, NULL), KILN_STATUS_USAGE,
            "size is 3, which is no multiple of pattern_size, 2");
    refused(kiln_buffer_fill_async(buffer, 2, "1234", 4, 4, NULL), KILN_STATUS_USAGE,
            "offset is 2, which is not aligned for patterns of 4 bytes");
    refused(kiln_buffer_fill_async(buffer, 12, "1234", 4, 8, NULL), KILN_STATUS_USAGE, "leave the buffer");
    kiln_stream_release(stream);
    kiln_buffer_release(buffer);
}

static void patterns_fill_buffers(void **state)
{
    (void)state;
    on_both(fill);
}

static void ask(kiln_device_t *device)
{
    kiln_stream_t *stream;
    kiln_event_t *start, *stop;
    bool done = false;
    double milliseconds;
    ok(kiln_stream_create(device, &stream));
    ok(kiln_event_create(device, &start));
    ok(kiln_event_create(device, &stop));
    ok(kiln_event_record(start, stream));
    ok(kiln_event_record(stop, stream));
    ok(kiln_stream_wait(NULL, stop));
    ok(kiln_stream_synchronize(device, stream));
    ok(kiln_stream_query(device, stream, &done));
    assert_true(done);
    done = false;
    ok(kiln_event_query(stop, &done));
    assert_true(done);
    done = false;
    ok(kiln_stream_query(device, NULL, &done));
    assert_true(done);
    ok(kiln_event_elapsed(start, stop, &milliseconds));
    assert_true(milliseconds >= 0);
    kiln_event_release(start);
    kiln_event_release(stop);
    kiln_stream_release(stream);
}

static void streams_and_events_are_asked(void **state)
{
    (void)state;
    on_both(ask);
    // What is not done is an answer, and what failed is a failure: the fake library's streams say so of themselves.
    kiln_device_t *device = open_library(FAKE, KILN_DEVICE_HIP);
    char busy[8] = "busy", broken[8] = "broken";
    kiln_stream_t *stream;
    kiln_event_t *event;
    bool done = true;
    ok(kiln_stream_wrap(device, busy, &stream));
    ok(kiln_event_wrap(device, busy, &event));
    ok(kiln_stream_query(device, stream, &done));
    assert_false(done);
    done = true;
    ok(kiln_event_query(event, &done));
    assert_false(done);
    kiln_stream_release(stream);
    kiln_event_release(event);
    ok(kiln_stream_wrap(device, broken, &stream));
    ok(kiln_event_wrap(device, broken, &event));
    refused(kiln_stream_query(device, stream, &done), KILN_STATUS_DEVICE, "hipStreamQuery failed");
    refused(kiln_event_query(event, &done), KILN_STATUS_DEVICE, "hipEventQuery failed");
    kiln_stream_release(stream);
    kiln_event_release(event);
    kiln_device_release(device);
}

// What is wrapped is used and outlives its wrapper.
static void wrap(kiln_device_t *device)
{
    kiln_buffer_t *own, *buffer;
    kiln_stream_t *own_stream, *stream;
    kiln_event_t *own_event, *event;
    ok(kiln_buffer_create(device, 64, &own));
    ok(kiln_stream_create(device, &own_stream));
    ok(kiln_event_create(device, &own_event));
    ok(kiln_buffer_wrap(device, kiln_buffer_address(own) + 3, 10, &buffer));
    ok(kiln_stream_wrap(device, kiln_stream_native(own_stream), &stream));
    ok(kiln_event_wrap(device, kiln_event_native(own_event), &event));
    assert_ptr_equal(kiln_stream_native(stream), kiln_stream_native(own_stream));
    assert_ptr_equal(kiln_event_native(event), kiln_event_native(own_event));
    assert_int_equal(kiln_buffer_size(buffer), 10);
    ok(kiln_buffer_fill(own, 0, '.', 64));
    ok(kiln_buffer_write_async(buffer, 1, "hello", 5, stream));
    ok(kiln_event_record(event, stream));
    ok(kiln_event_synchronize(event));
    refused(kiln_buffer_write(buffer, 6, "hello", 5), KILN_STATUS_USAGE, "leave the buffer of 10 bytes");
    kiln_buffer_release(buffer);
    kiln_stream_release(stream);
    kiln_event_release(event);
    ok(kiln_stream_synchronize(device, own_stream));
    ok(kiln_event_record(own_event, own_stream));
    expect_bytes(own, "....hello.......", 16);
    ok(kiln_stream_wrap(device, NULL, &stream)); // the default one
    ok(kiln_buffer_fill_async(own, 0, "-", 1, 16, stream));
    ok(kiln_stream_synchronize(device, stream));
    expect_bytes(own, "----------------", 16);
    kiln_stream_release(stream);
    ok(kiln_buffer_wrap(device, 0, 0, &buffer));
    kiln_buffer_release(buffer);
    refused(kiln_buffer_wrap(device, 0, 4, &buffer), KILN_STATUS_USAGE, "kiln_buffer_wrap: address is 0 and size is 4");
    refused(kiln_buffer_wrap(device, UINT64_MAX - 2, 4, &buffer), KILN_STATUS_USAGE, "leave the address space");
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
    kiln_device_t *fake = open_library(FAKE, KILN_DEVICE_HIP), *simulated = open_library(SIMULATOR, KILN_DEVICE_SIM);
    kiln_buffer_t *a, *b;
    ok(kiln_buffer_create(fake, 16, &a));
    ok(kiln_buffer_create(simulated, 16, &b));
    refused(kiln_buffer_copy(a, 0, b, 0, 16), KILN_STATUS_USAGE, "memory of two HIP libraries");
    kiln_buffer_release(a);
    kiln_buffer_release(b);
    kiln_device_release(fake);
    kiln_device_release(simulated);
}

static size_t seen; // libraries that were told of
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
    options.hip_library = SECOND; // a gfx90a and a gfx942
    options.sim_library = SIMULATOR;
    options.trace = count_library;
    kiln_device_list_t *list;
    ok(kiln_device_list_create(&options, &list));
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
        // Each of them can be opened by what the list says.
        kiln_device_options_t one;
        kiln_device_options_initialize(&one);
        one.kind = item->kind;
        one.hip_library = one.sim_library = item->library;
        one.arch = item->arch;
        one.ordinal = item->ordinal;
        kiln_device_t *device;
        ok(kiln_device_open(&one, &device));
        assert_string_equal(kiln_device_properties(device)->target_id, item->target_id);
        kiln_device_release(device);
    }
    assert_null(kiln_device_list_item(list, 3));
    kiln_device_list_release(list);

    options.kind = KILN_DEVICE_HIP;
    options.hip_library = KILN_FAKE_HIP_DIR "/fake_no_device.so";
    ok(kiln_device_list_create(&options, &list));
    assert_int_equal(kiln_device_list_count(list), 0);
    kiln_device_list_release(list);
    options.hip_library = "/nowhere/libamdhip64.so";
    ok(kiln_device_list_create(&options, &list));
    assert_int_equal(kiln_device_list_count(list), 0);
    kiln_device_list_release(list);

    const kiln_sim_setting_t wrong[] = {{"check", "nonsense"}};
    options.kind = KILN_DEVICE_SIM;
    options.sim_settings = wrong;
    options.sim_setting_count = 1;
    refused(kiln_device_list_create(&options, &list), KILN_STATUS_USAGE, "nonsense");
    assert_null(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_are_copied_to_buffers), cmocka_unit_test(patterns_fill_buffers),
        cmocka_unit_test(streams_and_events_are_asked),  cmocka_unit_test(what_the_program_brings_is_borrowed),
        cmocka_unit_test(two_libraries_share_no_memory), cmocka_unit_test(all_devices_are_listed),
    };
    return cmocka_run_group_tests_name("hip_moves", tests, NULL, NULL);
}
