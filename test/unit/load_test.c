// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Precompiled programs on the simulator: which variant a call selects, what it computes, and the
// errors if none fits.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/string.h"
#include "kiln/load.h"
#include "load_program.h"

static kiln_program_t *load_bundle(void)
{
    kiln_program_t *program;
    ok(load_bytes(bundle, bundle_size, NULL, &program));
    return program;
}

static void the_most_special_variant_that_fits_is_taken(void **state)
{
    (void)state;
    kiln_program_t *program = load_bundle();
    assert_int_equal(kiln_program_variant_count(program), VARIANTS);
    assert_string_equal(kiln_variant_name(kiln_program_variant(program, 5)), "fill");
    assert_string_equal(kiln_variant_manifest(kiln_program_variant(program, 2)),
                        compiled[2].manifest);
    assert_null(kiln_program_variant(program, VARIANTS));
    scale_call_t c;
    assert_int_equal(run(program, scale(&c, x, 100), false), 1);
    assert_int_equal(run(program, scale(&c, x, 128), false), 2);
    assert_int_equal(run(program, scale(&c, x, 48), false), 3);
    assert_int_equal(run(program, scale(&c, x, 33), false), 4);
    assert_int_equal(run(program, scale(&c, halfs, 128), true), 5);

    // The third variant demands that x is a multiple of 16 bytes. Without that, the second and the
    // fourth fit, neither implies the other, and the second was loaded first.
    scale(&c, x, 48);
    c.arguments[0].value.address += 4;
    const kiln_variant_t *variant;
    ok(kiln_program_choose(program, &c.call, &variant));
    assert_ptr_equal(variant, kiln_program_variant(program, 1));

    // The variant can also be selected by constants.
    const kiln_setting_t constants[] = {{"TAG", "0x1"}, {"BLOCK", "64"}};
    scale(&c, x, 48)->constants = constants;
    c.call.constant_count = 2;
    assert_int_equal(run(program, &c.call, false), 1);
    kiln_program_release(program);
}

static void arguments_go_by_name(void **state)
{
    (void)state;
    kiln_program_t *program = load_bundle();
    scale_call_t c;
    scale(&c, x, 100);
    const kiln_typed_argument_t first = c.arguments[0];
    c.arguments[0] = c.arguments[3];
    c.arguments[3] = first;
    assert_int_equal(run(program, &c.call, false), 1);
    c.arguments[2].type = "u32"; // signless, as i32
    assert_int_equal(run(program, &c.call, false), 1);
    c.arguments[2].type = NULL;
    assert_int_equal(run(program, &c.call, false), 1);
    kiln_program_release(program);
}

static void grids_come_from_the_manifest_or_the_call(void **state)
{
    (void)state;
    kiln_program_t *program = load_bundle();
    scale_call_t c;
    unsigned grid[3];
    ok(kiln_variant_grid(kiln_program_variant(program, 0), scale(&c, x, 129), grid));
    assert_true(grid[0] == 3 && grid[1] == 1 && grid[2] == 1);
    EXPECT(kiln_variant_grid(kiln_program_variant(program, 0), scale(&c, x, -640), grid),
           KILN_STATUS_INVALID_INPUT,
           "the grid 'cdiv(n, BLOCK)' of kernel 'scale' is -10; expected 0 to 2147483647");
    assert_int_equal(run(program, scale(&c, x, 0), false),
                     0); // nothing is launched, which is not an error

    const kiln_typed_argument_t target = kiln_typed_buffer("y", "*f32", y);
    kiln_program_call_t call;
    kiln_program_call_initialize(&call);
    call.kernel = "fill";
    call.arguments = &target;
    call.argument_count = 1;
    EXPECT(kiln_program_launch(program, &call), KILN_STATUS_NOT_FOUND,
           "the manifest of kernel 'fill' has no grid; pass one with the call, or compile with "
           "`grid`");
    const unsigned one[3] = {1, 1, 1};
    float out[2];
    call.grid = one;
    ok(kiln_program_launch(program, &call));
    ok(kiln_buffer_read(y, 0, out, sizeof out));
    assert_true(out[0] == 0.5f && out[1] == 0.5f);
    const kiln_setting_t same = {"VALUE", "5e-1"}, other = {"VALUE", "0.25"};
    call.constants = &same;
    call.constant_count = 1;
    ok(kiln_program_launch(program, &call));
    call.constants = &other;
    EXPECT(kiln_program_launch(program, &call), KILN_STATUS_NOT_FOUND,
           "constant 'VALUE' is 0.5, not 0.25");
    kiln_program_release(program);
}

static void a_call_without_variant_lists_why_each_does_not_fit(void **state)
{
    (void)state;
    kiln_program_t *program = load_bundle();
    scale_call_t c;
    EXPECT(kiln_program_launch(program, scale(&c, halfs, 100)), KILN_STATUS_NOT_FOUND,
           "no variant of kernel 'scale' in 'memory' matches this call; 5 candidates",
           "variant 0 with TAG=1 BLOCK=64: argument 'x' is *f16, expected *f32",
           "variant 4 with TAG=5 BLOCK=64: argument 'n' = 100 is not a multiple of 16");
    const kiln_setting_t tag = {"TAG", "3"}, unknown = {"TOG", "3"}, block = {"BLOCK", "6x"};
    scale(&c, x, 128)->constants = &tag;
    c.call.constant_count = 1;
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_NOT_FOUND,
           "constant 'TAG' is 1, not 3",
           "variant 2 with TAG=3 BLOCK=64: argument 'n' = 128 is above 64");
    c.arguments[2].value.integer = 0;
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_NOT_FOUND,
           "argument 'n' = 0 is below 1");
    c.arguments[2].value.integer = 16;
    c.arguments[0].value.address = 0x10001;
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_NOT_FOUND,
           "argument 'x' = 0x10001 is not a multiple of 16");
    c.call.constants = &unknown;
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_NOT_FOUND, "unknown constant 'TOG'");
    c.call.constants = &block;
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_NOT_FOUND,
           "constant 'BLOCK' is 64, not 6x");

    scale(&c, x, 100)->argument_count = 3;
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_NOT_FOUND,
           "argument 'by' is missing");
    scale(&c, x, 1ll << 40);
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_NOT_FOUND,
           "argument 'n' = 1099511627776 does not fit");
    scale(&c, x, 100);
    c.arguments[3] = kiln_typed_integer("by", "i32", 2);
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_NOT_FOUND,
           "argument 'by' is i32, expected f32");
    c.arguments[3] = kiln_typed_buffer("by", NULL, x);
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_NOT_FOUND,
           "argument 'by' is a pointer, expected f32");
    kiln_typed_argument_t five[5] = {c.arguments[0], c.arguments[1], c.arguments[2],
                                     kiln_typed_real("by", "f32", 2),
                                     kiln_typed_integer("m", "i32", 1)};
    c.call.arguments = five;
    c.call.argument_count = 5;
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_NOT_FOUND, "it has no argument 'm'");
    five[4] = five[3];
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_NOT_FOUND, "duplicate argument");

    scale(&c, x, 100)->kernel = "scan";
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_NOT_FOUND,
           "kernel 'scan' not found in 'memory'; it has 'fill', 'scale'");
    c.call.kernel = NULL;
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_USAGE,
           "'memory' has 'fill', 'scale'; choose one");
    kiln_program_release(program);
}

static void memory_above_2g_is_not_for_what_assumes_less(void **state)
{
    (void)state;
    char *manifest = strdup(compiled[5].manifest), *at = strstr(manifest, "\"name\": \"y\",");
    assert_non_null(at);
    char *text =
        kiln_string_print("%.*s\"pointer_range\": 32, %s", (int)(at - manifest), manifest, at);
    kiln_program_t *program;
    ok(load_bytes(compiled[5].code_object, compiled[5].code_object_size, text, &program));
    kiln_typed_argument_t target = kiln_typed_buffer("y", "*f32", y);
    const unsigned one[3] = {1, 1, 1};
    kiln_program_call_t call;
    kiln_program_call_initialize(&call);
    call.arguments = &target;
    call.argument_count = 1;
    call.grid = one;
    ok(kiln_program_launch(program, &call)); // the only kernel needs no name
    target.value.address_size = 1ull << 31;
    EXPECT(kiln_program_launch(program, &call), KILN_STATUS_NOT_FOUND,
           "argument 'y' must be a buffer smaller than 2 GiB, but has 2147483648 bytes");
    target.value.address_size = 0;
    EXPECT(kiln_program_launch(program, &call), KILN_STATUS_NOT_FOUND, "but its size is unknown");
    // A pointer into the middle of a buffer: the size of the whole buffer counts.
    target = kiln_typed_storage("y", "*f32", kiln_buffer_address(y) + 16, kiln_buffer_size(y));
    const kiln_variant_t *variant;
    ok(kiln_program_choose(program, &call, &variant));
    target = kiln_typed_address("y", "*f32", kiln_buffer_address(y) + 16, kiln_buffer_size(y) - 16);
    EXPECT(kiln_program_launch(program, &call), KILN_STATUS_NOT_FOUND,
           "the start of its allocation is unknown; use kiln_typed_storage");
    kiln_program_release(program);
    free(manifest);
    free(text);
}

// strtoll returns 2^63 - 1 for larger numbers, and two 64-bit numbers may be the same double.
static void constants_beyond_their_bits_are_not_clamped(void **state)
{
    (void)state;
    static const struct {
        const char *constant, *requested;
        bool fits;
    } cases[] = {
        {"{\"name\": \"TAG\", \"type\": \"i64\", \"value\": \"9223372036854775807\"}",
         "9223372036854775808", false},
        {"{\"name\": \"TAG\", \"type\": \"i64\", \"value\": \"9223372036854775807\"}",
         "0x7fffffffffffffff", true},
        {"{\"name\": \"TAG\", \"type\": \"i64\", \"value\": \"-9223372036854775808\"}",
         "-9223372036854775809", false},
        {"{\"name\": \"TAG\", \"type\": \"u64\", \"value\": \"18446744073709551615\"}",
         "0xffffffffffffffff", true},
        {"{\"name\": \"TAG\", \"type\": \"u64\", \"value\": \"18446744073709551615\"}",
         "18446744073709551614", false},
        {"{\"name\": \"TAG\", \"type\": \"u64\", \"value\": \"18446744073709551615\"}",
         "18446744073709551616", false},
        {"{\"name\": \"TAG\", \"type\": \"u64\", \"value\": \"18446744073709551615\"}",
         "9223372036854775807", false},
        {"{\"name\": \"TAG\", \"type\": \"u64\", \"value\": \"18446744073709551615\"}", "-1",
         false},
    };
    const char *begin = strstr(compiled[0].manifest, "\"TAG\"");
    while (*begin != '{')
        begin--;
    char *original = strndup(begin, strcspn(begin, "}") + 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *manifest = with(compiled[0].manifest, original, cases[i].constant);
        kiln_program_t *program;
        ok(load_bytes(compiled[0].code_object, compiled[0].code_object_size, manifest, &program));
        const kiln_setting_t requested = {"TAG", cases[i].requested};
        const kiln_variant_t *variant;
        scale_call_t c;
        scale(&c, x, 100)->constants = &requested;
        c.call.constant_count = 1;
        if (cases[i].fits)
            ok(kiln_program_choose(program, &c.call, &variant));
        else
            EXPECT(kiln_program_choose(program, &c.call, &variant), KILN_STATUS_NOT_FOUND,
                   "constant 'TAG' is ", cases[i].requested);
        kiln_program_release(program);
        free(manifest);
    }
    free(original);
}

static void *launch_often(void *program)
{
    scale_call_t c;
    for (int64_t n = 1; n < 100; n += 7)
        if (kiln_program_launch(program, scale(&c, x, n)))
            return program;
    return NULL;
}

static void threads_launch_at_once(void **state)
{
    (void)state;
    kiln_program_t *program = load_bundle();
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, launch_often, program), 0);
    for (int i = 0; i < 4; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    ok(kiln_device_synchronize(device));
    kiln_program_release(program);
}

static void calls_are_checked(void **state)
{
    (void)state;
    kiln_program_t *program = load_bundle(), *other = program;
    const char *const paths[] = {NULL};
    scale_call_t c;
    const kiln_variant_t *variant;
    unsigned grid[3];
    const kiln_setting_t nameless = {NULL, "1"};
    EXPECT(kiln_program_load(NULL, paths, 1, &other), KILN_STATUS_USAGE,
           "kiln_program_load: device is NULL");
    assert_null(other);
    EXPECT(kiln_program_load(device, NULL, 1, &other), KILN_STATUS_USAGE, "paths is NULL");
    EXPECT(kiln_program_load(device, paths, 0, &other), KILN_STATUS_USAGE, "no paths");
    EXPECT(kiln_program_load(device, paths, 1, &other), KILN_STATUS_USAGE, "path 0 is NULL");
    EXPECT(kiln_program_load(device, paths, 1, NULL), KILN_STATUS_USAGE, "out_program is NULL");
    EXPECT(kiln_program_load_memory(device, NULL, 1, &other), KILN_STATUS_USAGE, "parts is NULL");
    EXPECT(kiln_program_load_memory(device, (kiln_program_part_t[1]){{0}}, 1, &other),
           KILN_STATUS_USAGE, "part 0 has no data");
    EXPECT(kiln_program_load_memory(NULL, NULL, 0, &other), KILN_STATUS_USAGE, "device is NULL");
    EXPECT(kiln_program_launch(NULL, scale(&c, x, 1)), KILN_STATUS_USAGE,
           "kiln_program_launch: program is NULL");
    EXPECT(kiln_program_launch(program, NULL), KILN_STATUS_USAGE, "call is NULL");
    EXPECT(kiln_program_prepare(NULL), KILN_STATUS_USAGE, "program is NULL");
    EXPECT(kiln_program_choose(program, scale(&c, x, 1), NULL), KILN_STATUS_USAGE,
           "out_variant is NULL");
    EXPECT(kiln_program_choose(NULL, scale(&c, x, 1), &variant), KILN_STATUS_USAGE,
           "program is NULL");
    EXPECT(kiln_variant_grid(NULL, scale(&c, x, 1), grid), KILN_STATUS_USAGE, "variant is NULL");
    EXPECT(kiln_variant_grid(kiln_program_variant(program, 0), NULL, grid), KILN_STATUS_USAGE,
           "call is NULL");
    EXPECT(kiln_variant_grid(kiln_program_variant(program, 0), &c.call, NULL), KILN_STATUS_USAGE,
           "out_grid is NULL");
    scale(&c, x, 1)->struct_size = 0;
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_USAGE, "kiln_program_call_t");
    scale(&c, x, 1)->arguments = NULL;
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_USAGE, "call->arguments is NULL");
    c.arguments[1].value.name = NULL;
    c.call.arguments = c.arguments;
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_USAGE, "an argument has no name");
    scale(&c, x, 1)->constant_count = 1;
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_USAGE, "call->constants is NULL");
    c.call.constants = &nameless;
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_USAGE,
           "a constant has no name or no value");
    assert_int_equal(kiln_program_variant_count(NULL), 0);
    assert_null(kiln_program_variant(NULL, 0));
    assert_null(kiln_variant_name(NULL));
    assert_null(kiln_variant_manifest(NULL));
    kiln_program_release(NULL);
    kiln_program_release(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_most_special_variant_that_fits_is_taken),
        cmocka_unit_test(arguments_go_by_name),
        cmocka_unit_test(grids_come_from_the_manifest_or_the_call),
        cmocka_unit_test(a_call_without_variant_lists_why_each_does_not_fit),
        cmocka_unit_test(memory_above_2g_is_not_for_what_assumes_less),
        cmocka_unit_test(constants_beyond_their_bits_are_not_clamped),
        cmocka_unit_test(threads_launch_at_once),
        cmocka_unit_test(calls_are_checked),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
