// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common to the tests of loading: kernels in several variants, compiled to a bundle, the device
// that loads them, and calls. Include cmocka's headers before this one.
#ifndef TEST_LOAD_PROGRAM_H
#define TEST_LOAD_PROGRAM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/string.h"
#include "kiln/ahead.h"
#include "kiln/kiln.h"
#include "kiln/load.h"

// y = x * by + TAG: the tag identifies the variant that ran.
static const char source[] =
    "kernel void scale(const auto *x, f32 *y, i32 n, f32 by, constexpr i32 TAG = 0,\n"
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
    int64_t min, max; // of n; 0: no range
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

static inline void ok(kiln_status_t status)
{
    char *text = status ? kiln_status_format(status) : NULL;
    if (status)
        print_error("%s\n", text);
    free(text);
    assert_null(status);
}

// Expects a failure with this code whose whole text contains all the parts.
static inline void expect(kiln_status_t status, kiln_status_code_t code, size_t count,
                          const char *const *parts)
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
#define EXPECT(status, code, ...)                                                                  \
    expect(status, code, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *),              \
           (const char *const[]){__VA_ARGS__})

static inline void compile_all(void)
{
    kiln_session_t *session;
    ok(kiln_session_create(&session));
    const kiln_source_t text = {KILN_STAGE_TILE, "load.tile.c", source, strlen(source)};
    for (size_t i = 0; i < VARIANTS; i++) {
        const recipe_t *recipe = &recipes[i];
        const kiln_setting_t define = {"TAG", recipe->tag};
        const kiln_arg_hint_t hints[] = {{"x", recipe->type, recipe->x_divisible, false, false},
                                         {"n", NULL, recipe->n_divisible, false, false}};
        const kiln_arg_range_t range = {"n", recipe->min, recipe->max};
        kiln_compile_options_t options;
        kiln_compile_options_initialize(&options);
        options.kernel = recipe->kernel;
        options.defines = &define;
        options.define_count = recipe->tag != NULL;
        options.args = hints;
        options.arg_count = recipe->tag ? 2 : 0;
        options.ranges = &range;
        options.range_count = recipe->max != 0;
        options.grid = recipe->grid;
        ok(kiln_compile(session, &text, &options, &kernels[i]));
        compiled[i].code_object =
            kiln_kernel_code_object(kernels[i], &compiled[i].code_object_size);
        compiled[i].manifest = kiln_kernel_manifest(kernels[i]);
    }
    kiln_session_release(session);
    ok(kiln_bundle_make(compiled, VARIANTS, &bundle, &bundle_size));
}

static inline int set_up(void **state)
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

static inline int tear_down(void **state)
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

static inline kiln_status_t load_bytes(const void *data, size_t size, const char *manifest,
                                       kiln_program_t **out_program)
{
    const kiln_program_part_t part = {data, size, manifest};
    return kiln_program_load_memory(device, &part, 1, out_program);
}

typedef struct scale_call {
    kiln_typed_argument_t arguments[4];
    kiln_program_call_t call;
} scale_call_t;

static inline kiln_program_call_t *scale(scale_call_t *c, kiln_buffer_t *from, int64_t n)
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

// Launches, and returns the variant, read from the tag; all n elements must be correct.
static inline int run(kiln_program_t *program, const kiln_program_call_t *call, bool is_half)
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

// Returns `manifest` with the first `from` replaced by `to`.
static inline char *with(const char *manifest, const char *from, const char *to)
{
    const char *at = strstr(manifest, from);
    assert_non_null(at);
    return kiln_string_print("%.*s%s%s", (int)(at - manifest), manifest, to, at + strlen(from));
}

#endif
