// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that were compiled before: loaded from files and memory, on the simulator. Which variant a call takes, what it
// computes, and what is said where files are wrong or nothing fits.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bundle.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/string.h"
#include "kiln/ahead.h"
#include "kiln/kiln.h"
#include "kiln/load.h"

// y = x * by + TAG: the tag tells which variant ran.
static const char source[] = "kernel void scale(const auto *x, f32 *y, i32 n, f32 by, constexpr i32 TAG = 0,\n"
                             "                  constexpr i32 BLOCK = 64)\n"
                             "{\n"
                             "    i32 i[BLOCK] = program_id(0) * BLOCK + range(BLOCK);\n"
                             "    store(y + i, (f32)load(x + i, i < n) * by + TAG, i < n);\n"
                             "}\n"
                             "kernel void fill(f32 *y, constexpr f32 VALUE = 0.5)\n"
                             "{\n"
                             "    store(y + range(64), VALUE);\n"
                             "}\n";

enum { VARIANTS = 6, N = 256 };

typedef struct recipe {
    const char *kernel, *tag, *type;
    unsigned x_divisible, n_divisible;
    int64_t least, most; // of n; 0: no range
    const char *grid;
} recipe_t;

static const recipe_t recipes[VARIANTS] = {
    {"scale", "1", "*f32", 0, 0, 0, 0, "cdiv(n, BLOCK)"},    // anything
    {"scale", "2", "*f32", 0, 16, 0, 0, "cdiv(n, BLOCK)"},   // n in sixteens
    {"scale", "3", "*f32", 16, 16, 1, 64, "cdiv(n, BLOCK)"}, // and few of them
    {"scale", "4", "*f32", 0, 0, 1, 64, "cdiv(n, BLOCK)"},   // few
    {"scale", "5", "*f16", 0, 16, 0, 0, "cdiv(n, BLOCK)"},   // of halfs
    {"fill", NULL, NULL, 0, 0, 0, 0, NULL},                  // without a grid
};

static kiln_kernel_t *kernels[VARIANTS];
static kiln_compiled_t compiled[VARIANTS];
static void *bundle;
static size_t bundle_size;
static kiln_device_t *device;
static kiln_buffer_t *x, *halfs, *y;
static char directory[] = "/tmp/kiln-load-test.XXXXXX";

static void ok(kiln_status_t status)
{
    char *text = status ? kiln_status_format(status) : NULL;
    if (status)
        print_error("%s\n", text);
    free(text);
    assert_null(status);
}

// A failure of that code, whose whole text has all the parts.
static void expect(kiln_status_t status, kiln_status_code_t code, size_t count, const char *const *parts)
{
    char *text = status ? kiln_status_format(status) : strdup("success");
    for (size_t i = 0; i < count; i++) {
        if (kiln_status_code(status) != code || !strstr(text, parts[i]))
            print_error("wanted code %d and '%s', got code %d and:\n%s", (int)code, parts[i],
                        (int)kiln_status_code(status), text);
        assert_int_equal(kiln_status_code(status), code);
        assert_non_null(strstr(text, parts[i]));
    }
    free(text);
    kiln_status_free(status);
}
#define EXPECT(status, code, ...)                                                                                      \
    expect(status, code, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *),                                  \
           (const char *const[]){__VA_ARGS__})

static void compile_all(void)
{
    kiln_session_t *session;
    ok(kiln_session_create(&session));
    const kiln_source_t text = {KILN_STAGE_TILE, "load.tile.c", source, strlen(source)};
    for (size_t i = 0; i < VARIANTS; i++) {
        const recipe_t *recipe = &recipes[i];
        const kiln_setting_t define = {"TAG", recipe->tag};
        const kiln_arg_hint_t hints[] = {{"x", recipe->type, recipe->x_divisible, false, false},
                                         {"n", NULL, recipe->n_divisible, false, false}};
        const kiln_arg_range_t range = {"n", recipe->least, recipe->most};
        kiln_compile_options_t options;
        kiln_compile_options_initialize(&options);
        options.kernel = recipe->kernel;
        options.defines = &define;
        options.define_count = recipe->tag != NULL;
        options.args = hints;
        options.arg_count = recipe->tag ? 2 : 0;
        options.ranges = &range;
        options.range_count = recipe->most != 0;
        options.grid = recipe->grid;
        ok(kiln_compile(session, &text, &options, &kernels[i]));
        compiled[i].code_object = kiln_kernel_code_object(kernels[i], &compiled[i].code_object_size);
        compiled[i].manifest = kiln_kernel_manifest(kernels[i]);
    }
    kiln_session_release(session);
    ok(kiln_bundle_make(compiled, VARIANTS, &bundle, &bundle_size));
}

static int set_up(void **state)
{
    (void)state;
    compile_all();
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_SIM;
    options.sim_library = KILN_BINARY_DIR "/lib/libkiln-sim.so";
    ok(kiln_device_open(&options, &device));
    static float values[N];
    static uint16_t half_values[N];
    for (int i = 0; i < N; i++) {
        values[i] = (float)i;
        half_values[i] = 0x3c00; // 1
    }
    ok(kiln_buffer_create(device, sizeof values, &x));
    ok(kiln_buffer_create(device, sizeof half_values, &halfs));
    ok(kiln_buffer_create(device, sizeof values, &y));
    ok(kiln_buffer_write(x, 0, values, sizeof values));
    ok(kiln_buffer_write(halfs, 0, half_values, sizeof half_values));
    assert_non_null(mkdtemp(directory));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", directory);
    for (size_t i = 0; i < VARIANTS; i++)
        kiln_kernel_release(kernels[i]);
    free(bundle);
    kiln_buffer_release(x);
    kiln_buffer_release(halfs);
    kiln_buffer_release(y);
    kiln_device_release(device);
    return system(command);
}

static kiln_status_t load_bytes(const void *data, size_t size, const char *manifest, kiln_program_t **out_program)
{
    const kiln_program_part_t part = {data, size, manifest};
    return kiln_program_load_memory(device, &part, 1, out_program);
}

static kiln_program_t *load_bundle(void)
{
    kiln_program_t *program;
    ok(load_bytes(bundle, bundle_size, NULL, &program));
    return program;
}

// Calls --------------------------------------------------------------------------------------------------------------

typedef struct scale_call {
    kiln_typed_argument_t arguments[4];
    kiln_program_call_t call;
} scale_call_t;

static kiln_program_call_t *scale(scale_call_t *c, kiln_buffer_t *from, int64_t n)
{
    c->arguments[0] = kiln_typed_buffer("x", from == halfs ? "*f16" : "*f32", from);
    c->arguments[1] = kiln_typed_buffer("y", "*f32", y);
    c->arguments[2] = kiln_typed_integer("n", "i32", n);
    c->arguments[3] = kiln_typed_real("by", "f32", 2);
    kiln_program_call_initialize(&c->call);
    c->call.kernel = "scale";
    c->call.arguments = c->arguments;
    c->call.argument_count = 4;
    return &c->call;
}

// Launches, and tells by the tag which variant it was; all n elements have to be right.
static int run(kiln_program_t *program, const kiln_program_call_t *call, bool is_half)
{
    float out[N], zeros[N] = {0};
    const int n = (int)call->arguments[2].value.integer;
    ok(kiln_buffer_write(y, 0, zeros, sizeof zeros));
    ok(kiln_program_launch(program, call));
    ok(kiln_buffer_read(y, 0, out, sizeof out));
    const int tag = (int)(is_half ? out[0] - 2 : out[0]);
    for (int i = 0; i < N; i++)
        if (out[i] != (i >= n ? 0 : (is_half ? 2 : 2 * (float)i) + (float)tag))
            fail_msg("element %d is %g", i, (double)out[i]);
    return tag;
}

static void the_most_special_variant_that_fits_is_taken(void **state)
{
    (void)state;
    kiln_program_t *program = load_bundle();
    assert_int_equal(kiln_program_variant_count(program), VARIANTS);
    assert_string_equal(kiln_variant_name(kiln_program_variant(program, 5)), "fill");
    assert_string_equal(kiln_variant_manifest(kiln_program_variant(program, 2)), compiled[2].manifest);
    assert_null(kiln_program_variant(program, VARIANTS));
    scale_call_t c;
    assert_int_equal(run(program, scale(&c, x, 100), false), 1);
    assert_int_equal(run(program, scale(&c, x, 128), false), 2);
    assert_int_equal(run(program, scale(&c, x, 48), false), 3);
    assert_int_equal(run(program, scale(&c, x, 33), false), 4);
    assert_int_equal(run(program, scale(&c, halfs, 128), true), 5);

    // The third wants x in sixteens of bytes; then the second and the fourth fit, neither implies the other, and the second
    // is the earlier.
    scale(&c, x, 48);
    c.arguments[0].value.address += 4;
    const kiln_variant_t *variant;
    ok(kiln_program_choose(program, &c.call, &variant));
    assert_ptr_equal(variant, kiln_program_variant(program, 1));

    // Constants choose, too.
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
    EXPECT(kiln_variant_grid(kiln_program_variant(program, 0), scale(&c, x, -640), grid), KILN_STATUS_INVALID_INPUT,
           "the grid 'cdiv(n, BLOCK)' of kernel 'scale' is -9 here; 0 to 2147483647 are possible");
    assert_int_equal(run(program, scale(&c, x, 0), false), 0); // nothing is launched, which is no error

    const kiln_typed_argument_t target = kiln_typed_buffer("y", "*f32", y);
    kiln_program_call_t call;
    kiln_program_call_initialize(&call);
    call.kernel = "fill";
    call.arguments = &target;
    call.argument_count = 1;
    EXPECT(kiln_program_launch(program, &call), KILN_STATUS_NOT_FOUND,
           "the manifest of kernel 'fill' tells no grid: give one with the call, or compile with `grid`");
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
    EXPECT(kiln_program_launch(program, &call), KILN_STATUS_NOT_FOUND, "constant 'VALUE' is 0.5, and not 0.25");
    kiln_program_release(program);
}

static void what_fits_nothing_is_told_of_each_variant(void **state)
{
    (void)state;
    kiln_program_t *program = load_bundle();
    scale_call_t c;
    EXPECT(kiln_program_launch(program, scale(&c, halfs, 100)), KILN_STATUS_NOT_FOUND,
           "no variant of kernel 'scale' in 'memory' takes this call; 5 are there",
           "variant 0 with TAG=1 BLOCK=64: argument 'x' is *f16, and *f32 is wanted",
           "variant 4 with TAG=5 BLOCK=64: argument 'n' = 100 is not a multiple of 16");
    const kiln_setting_t tag = {"TAG", "3"}, unknown = {"TOG", "3"}, block = {"BLOCK", "6x"};
    scale(&c, x, 128)->constants = &tag;
    c.call.constant_count = 1;
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_NOT_FOUND, "constant 'TAG' is 1, and not 3",
           "variant 2 with TAG=3 BLOCK=64: argument 'n' = 128 is above 64");
    c.arguments[2].value.integer = 0;
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_NOT_FOUND, "argument 'n' = 0 is below 1");
    c.arguments[2].value.integer = 16;
    c.arguments[0].value.address = 0x10001;
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_NOT_FOUND,
           "argument 'x' = 0x10001 is not a multiple of 16");
    c.call.constants = &unknown;
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_NOT_FOUND, "there is no constant 'TOG'");
    c.call.constants = &block;
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_NOT_FOUND, "constant 'BLOCK' is 64, and not 6x");

    scale(&c, x, 100)->argument_count = 3;
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_NOT_FOUND, "argument 'by' is missing");
    scale(&c, x, 1ll << 40);
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_NOT_FOUND, "argument 'n' = 1099511627776 does not fit");
    scale(&c, x, 100);
    c.arguments[3] = kiln_typed_integer("by", "i32", 2);
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_NOT_FOUND, "argument 'by' is i32, and f32 is wanted");
    c.arguments[3] = kiln_typed_buffer("by", NULL, x);
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_NOT_FOUND,
           "argument 'by' is a pointer, the kernel wants a f32");
    kiln_typed_argument_t five[5] = {c.arguments[0], c.arguments[1], c.arguments[2], kiln_typed_real("by", "f32", 2),
                                     kiln_typed_integer("m", "i32", 1)};
    c.call.arguments = five;
    c.call.argument_count = 5;
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_NOT_FOUND, "it has no argument 'm'");
    five[4] = five[3];
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_NOT_FOUND, "an argument is given twice");

    scale(&c, x, 100)->kernel = "scan";
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_NOT_FOUND,
           "there is no kernel 'scan' in 'memory'; it has 'fill', 'scale'");
    c.call.kernel = NULL;
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_USAGE, "'memory' has 'fill', 'scale': name one");
    kiln_program_release(program);
}

static void memory_above_2g_is_not_for_what_assumes_less(void **state)
{
    (void)state;
    char *manifest = strdup(compiled[5].manifest), *at = strstr(manifest, "\"name\": \"y\",");
    assert_non_null(at);
    char *text = kiln_string_print("%.*s\"pointer_range\": 32, %s", (int)(at - manifest), manifest, at);
    kiln_program_t *program;
    ok(load_bytes(compiled[5].code_object, compiled[5].code_object_size, text, &program));
    kiln_typed_argument_t target = kiln_typed_buffer("y", "*f32", y);
    const unsigned one[3] = {1, 1, 1};
    kiln_program_call_t call;
    kiln_program_call_initialize(&call);
    call.arguments = &target;
    call.argument_count = 1;
    call.grid = one;
    ok(kiln_program_launch(program, &call)); // and the only kernel needs no name
    target.value.address_size = 1ull << 31;
    EXPECT(kiln_program_launch(program, &call), KILN_STATUS_NOT_FOUND,
           "argument 'y' has to be memory below 2 GiB, and has 2147483648 bytes");
    target.value.address_size = 0;
    EXPECT(kiln_program_launch(program, &call), KILN_STATUS_NOT_FOUND, "and its size is not told");
    kiln_program_release(program);
    free(manifest);
    free(text);
}

// Files --------------------------------------------------------------------------------------------------------------

static const char *write_file(const char *name, const void *bytes, size_t size)
{
    static char paths[4][96];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    ok(kiln_file_write(path, bytes, size, 0666, KILN_FILE_NO_SYNC));
    return path;
}

static void programs_are_loaded_from_files(void **state)
{
    (void)state;
    kiln_program_t *program;
    scale_call_t c;
    const char *const both[] = {write_file("a.hsaco", compiled[0].code_object, compiled[0].code_object_size),
                                write_file("a.json", compiled[0].manifest, strlen(compiled[0].manifest)),
                                write_file("all.kbundle", bundle, bundle_size)};
    for (int i = 0; i < 2; i++) { // by either name
        ok(kiln_program_load(device, &both[i], 1, &program));
        assert_int_equal(kiln_program_variant_count(program), 1);
        assert_int_equal(run(program, scale(&c, x, 100), false), 1);
        kiln_program_release(program);
    }
    ok(kiln_program_load(device, &both[1], 2, &program)); // and several together
    assert_int_equal(kiln_program_variant_count(program), 1 + VARIANTS);
    ok(kiln_program_prepare(program));
    assert_int_equal(run(program, scale(&c, x, 48), false), 3);
    kiln_program_release(program);

    const char *missing = "/nowhere/x.kbundle";
    EXPECT(kiln_program_load(device, &missing, 1, &program), KILN_STATUS_NOT_FOUND, "/nowhere/x.kbundle");
    assert_null(program);
    const char *lonely = write_file("lonely.hsaco", compiled[0].code_object, compiled[0].code_object_size);
    EXPECT(kiln_program_load(device, &lonely, 1, &program), KILN_STATUS_NOT_FOUND, "lonely.json",
           "lonely.hsaco' is no bundle, so a code object, and is read with the other beside it");
    lonely = write_file("only.json", compiled[0].manifest, strlen(compiled[0].manifest));
    EXPECT(kiln_program_load(device, &lonely, 1, &program), KILN_STATUS_NOT_FOUND, "only.hsaco",
           "only.json' is a manifest");
    const char *cut = write_file("cut.kbundle", bundle, bundle_size - 1);
    EXPECT(kiln_program_load(device, &cut, 1, &program), KILN_STATUS_INVALID_INPUT, "the bundle is cut short",
           "while reading the bundle", "cut.kbundle");
}

// jansson's parser would take a zero byte for a blank, and what a variant tells as its manifest would end there.
static void zeros_in_manifests_are_refused(void **state)
{
    (void)state;
    char *manifest = strdup(compiled[0].manifest);
    const kiln_bundle_item_t item = {compiled[0].code_object, compiled[0].code_object_size, manifest, strlen(manifest)};
    kiln_program_t *program;
    void *bytes;
    size_t size;
    *strchr(manifest, '\n') = '\0';
    ok(kiln_bundle_write(&item, 1, &bytes, &size));
    EXPECT(load_bytes(bytes, size, NULL, &program), KILN_STATUS_INVALID_INPUT,
           "not valid JSON: a key in quotes is wanted", "'memory', kernel 0");
    free(bytes);
    free(manifest);
}

static void damaged_bundles_are_refused(void **state)
{
    (void)state;
    kiln_program_t *program = NULL;
    char *bytes = malloc(bundle_size + 1);
    memcpy(bytes, bundle, bundle_size);
    bytes[bundle_size] = 0;
    for (size_t size = 0; size < bundle_size; size += size < 512 ? 1 : 997) {
        kiln_status_t status = load_bytes(bytes, size, NULL, &program);
        assert_int_equal(kiln_status_code(status), KILN_STATUS_INVALID_INPUT);
        kiln_status_free(status);
    }
    for (size_t at = 0; at < bundle_size; at += at < 512 ? 1 : 499) {
        bytes[at] = (char)(bytes[at] ^ 0x10);
        kiln_status_t status = load_bytes(bytes, bundle_size, NULL, &program);
        if (!status)
            fail_msg("byte %zu may be anything", at);
        kiln_status_free(status);
        bytes[at] = (char)(bytes[at] ^ 0x10);
    }
    EXPECT(load_bytes(bytes, bundle_size + 1, NULL, &program), KILN_STATUS_INVALID_INPUT, "the bundle is too long");
    EXPECT(load_bytes("nothing", 7, NULL, &program), KILN_STATUS_INVALID_INPUT, "not a bundle");
    bytes[bundle_size - 9] ^= 1;
    EXPECT(load_bytes(bytes, bundle_size, NULL, &program), KILN_STATUS_INVALID_INPUT,
           "the bundle is damaged: its checksum is of other bytes");
    bytes[8] = 2; // the version
    EXPECT(load_bytes(bytes, bundle_size, NULL, &program), KILN_STATUS_UNSUPPORTED,
           "the bundle is of version 2, and this runtime reads version 1: use a newer runtime");
    bytes[8] = 0;
    EXPECT(load_bytes(bytes, bundle_size, NULL, &program), KILN_STATUS_UNSUPPORTED, "make the bundle anew");
    free(bytes);
}

// A bundle whose checksum is right, and whose table leads outside.
static void bundles_that_lead_outside_are_refused(void **state)
{
    (void)state;
    static const uint64_t wrong[] = {UINT64_MAX, UINT64_MAX - 63, 1ull << 40, 0};
    for (size_t field = 0; field < 4; field++)
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            unsigned char *bytes = malloc(bundle_size);
            memcpy(bytes, bundle, bundle_size);
            const uint64_t value = i == 3 ? bundle_size : wrong[i];
            memcpy(bytes + 64 + 32 + 8 * field, &value, 8);
            kiln_hasher_t *hasher = kiln_hasher_create();
            kiln_hasher_field(hasher, bytes, 24);
            kiln_hasher_field(hasher, bytes + 40, bundle_size - 40);
            const kiln_hash_t hash = kiln_hasher_finish(hasher);
            memcpy(bytes + 24, &hash.low, 8);
            memcpy(bytes + 32, &hash.high, 8);
            kiln_hasher_release(hasher);
            kiln_program_t *program;
            EXPECT(load_bytes(bytes, bundle_size, NULL, &program), KILN_STATUS_INVALID_INPUT,
                   "the bundle is damaged: kernel 1 is not inside");
            free(bytes);
        }
}

// `manifest` with the first `from` made `to`.
static char *with(const char *manifest, const char *from, const char *to)
{
    const char *at = strstr(manifest, from);
    assert_non_null(at);
    return kiln_string_print("%.*s%s%s", (int)(at - manifest), manifest, to, at + strlen(from));
}

static void expect_wrong(const void *code, size_t size, const char *from, const char *to, kiln_status_code_t status,
                         const char *part)
{
    kiln_program_t *program = NULL;
    char *manifest = with(compiled[0].manifest, from, to);
    EXPECT(load_bytes(code, size, manifest, &program), status, part);
    assert_null(program);
    free(manifest);
}

static void what_does_not_belong_together_is_refused(void **state)
{
    (void)state;
    const size_t size = compiled[0].code_object_size;
    unsigned char *code = malloc(size);
    memcpy(code, compiled[0].code_object, size);
    expect_wrong(code, size, "\"arch\": \"gfx942\"", "\"arch\": \"gfx90a\"", KILN_STATUS_UNSUPPORTED,
                 "kernel 'scale' was compiled for gfx90a, and the device is gfx942");
    expect_wrong(code, size, "\"kernel\": \"scale\"", "\"kernel\": \"skale\"", KILN_STATUS_NOT_FOUND,
                 "the code object has no kernel 'skale', of which its manifest speaks");
    expect_wrong(code, size, "\"schema\": 1", "\"schema\": 7", KILN_STATUS_UNSUPPORTED,
                 "the manifest is of schema 7, and this runtime knows 1: use a newer runtime");
    expect_wrong(code, size, "\"kernarg\"", "\"karnerg\"", KILN_STATUS_INVALID_INPUT, "'karnerg'");
    expect_wrong(code, size, "{", "[", KILN_STATUS_INVALID_INPUT, "not valid JSON");
    expect_wrong("text", 4, "{", "{", KILN_STATUS_INVALID_INPUT, "not a code object");
    expect_wrong(code, 100, "{", "{", KILN_STATUS_NOT_FOUND, "has no kernel 'scale'");
    code[48] = 0x3f; // e_flags
    expect_wrong(code, size, "{", "{", KILN_STATUS_UNSUPPORTED,
                 "the code object is for gfx90a, and its manifest for gfx942");
    code[48] = 0x01;
    expect_wrong(code, size, "{", "{", KILN_STATUS_UNSUPPORTED, "another processor than gfx942");
    code[18] = 62; // e_machine: x86-64
    expect_wrong(code, size, "{", "{", KILN_STATUS_INVALID_INPUT, "an ELF file, but not for AMD GPUs");
    free(code);
}

static void kernels_that_would_never_be_taken_are_refused(void **state)
{
    (void)state;
    const kiln_compiled_t twice[] = {compiled[1], compiled[0], compiled[1]};
    void *bytes;
    size_t size;
    EXPECT(kiln_bundle_make(twice, 3, &bytes, &size), KILN_STATUS_INVALID_INPUT,
           "kernels 0 and 2 of the bundle are 'scale' with the same constants, types and demands");
    assert_null(bytes);
    const kiln_compiled_t wrong = {compiled[0].code_object, compiled[0].code_object_size, "{}"};
    EXPECT(kiln_bundle_make(&wrong, 1, &bytes, &size), KILN_STATUS_INVALID_INPUT, "in kernel 0 of the bundle");
    const kiln_compiled_t text = {"text", 4, compiled[0].manifest};
    EXPECT(kiln_bundle_make(&text, 1, &bytes, &size), KILN_STATUS_INVALID_INPUT, "not a code object: no ELF file");
    const kiln_compiled_t none = {NULL, 0, "{}"};
    EXPECT(kiln_bundle_make(&none, 1, &bytes, &size), KILN_STATUS_USAGE, "kernels[0].code_object is NULL");
}

static void shared_code_is_there_once(void **state)
{
    (void)state;
    char *other = with(compiled[0].manifest, "\"value\": \"1\"", "\"value\": \"9\"");
    const kiln_compiled_t two[] = {compiled[0], {compiled[0].code_object, compiled[0].code_object_size, other}};
    void *bytes;
    size_t size, count;
    ok(kiln_bundle_make(two, 2, &bytes, &size));
    kiln_bundle_item_t *items;
    ok(kiln_bundle_read(bytes, size, &items, &count));
    assert_int_equal(count, 2);
    assert_ptr_equal(items[0].code_object, items[1].code_object);
    kiln_program_t *program;
    scale_call_t c;
    const kiln_setting_t tag = {"TAG", "9"};
    ok(load_bytes(bytes, size, NULL, &program));
    scale(&c, x, 100)->constants = &tag;
    c.call.constant_count = 1;
    assert_int_equal(run(program, &c.call, false), 1); // the code of the first
    kiln_program_release(program);
    free(items);
    free(bytes);
    free(other);
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
    EXPECT(kiln_program_load(NULL, paths, 1, &other), KILN_STATUS_USAGE, "kiln_program_load: device is NULL");
    assert_null(other);
    EXPECT(kiln_program_load(device, NULL, 1, &other), KILN_STATUS_USAGE, "paths is NULL");
    EXPECT(kiln_program_load(device, paths, 0, &other), KILN_STATUS_USAGE, "no path is given");
    EXPECT(kiln_program_load(device, paths, 1, &other), KILN_STATUS_USAGE, "path 0 is NULL");
    EXPECT(kiln_program_load(device, paths, 1, NULL), KILN_STATUS_USAGE, "out_program is NULL");
    EXPECT(kiln_program_load_memory(device, NULL, 1, &other), KILN_STATUS_USAGE, "parts is NULL");
    EXPECT(kiln_program_load_memory(device, (kiln_program_part_t[1]){{0}}, 1, &other), KILN_STATUS_USAGE,
           "part 0 has no data");
    EXPECT(kiln_program_load_memory(NULL, NULL, 0, &other), KILN_STATUS_USAGE, "device is NULL");
    EXPECT(kiln_program_launch(NULL, scale(&c, x, 1)), KILN_STATUS_USAGE, "kiln_program_launch: program is NULL");
    EXPECT(kiln_program_launch(program, NULL), KILN_STATUS_USAGE, "call is NULL");
    EXPECT(kiln_program_prepare(NULL), KILN_STATUS_USAGE, "program is NULL");
    EXPECT(kiln_program_choose(program, scale(&c, x, 1), NULL), KILN_STATUS_USAGE, "out_variant is NULL");
    EXPECT(kiln_program_choose(NULL, scale(&c, x, 1), &variant), KILN_STATUS_USAGE, "program is NULL");
    EXPECT(kiln_variant_grid(NULL, scale(&c, x, 1), grid), KILN_STATUS_USAGE, "variant is NULL");
    EXPECT(kiln_variant_grid(kiln_program_variant(program, 0), NULL, grid), KILN_STATUS_USAGE, "call is NULL");
    EXPECT(kiln_variant_grid(kiln_program_variant(program, 0), &c.call, NULL), KILN_STATUS_USAGE, "out_grid is NULL");
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
    EXPECT(kiln_program_launch(program, &c.call), KILN_STATUS_USAGE, "a constant has no name or no value");
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
        cmocka_unit_test(what_fits_nothing_is_told_of_each_variant),
        cmocka_unit_test(memory_above_2g_is_not_for_what_assumes_less),
        cmocka_unit_test(programs_are_loaded_from_files),
        cmocka_unit_test(zeros_in_manifests_are_refused),
        cmocka_unit_test(damaged_bundles_are_refused),
        cmocka_unit_test(bundles_that_lead_outside_are_refused),
        cmocka_unit_test(what_does_not_belong_together_is_refused),
        cmocka_unit_test(kernels_that_would_never_be_taken_are_refused),
        cmocka_unit_test(shared_code_is_there_once),
        cmocka_unit_test(threads_launch_at_once),
        cmocka_unit_test(calls_are_checked),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
