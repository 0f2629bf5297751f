// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common to the tests of the JIT: a device of the fake HIP library, a compiler that counts its
// calls, and a call to prepare. Include cmocka's headers before this one.
#ifndef TEST_JIT_FIXTURE_H
#define TEST_JIT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/string.h"
#include "expect_status.h"
#include "fake_hip/fake_hip.h"
#include "kiln/jit.h"

#define FAKE KILN_FAKE_HIP_DIR "/fake_gfx942.so"

typedef struct compiler {
    atomic_int count;
    useconds_t delay;
    bool fails;
    const char *manifest, *identity;
    char seen[512]; // the last request, as text
} compiler_t;

typedef struct fixture {
    kiln_device_t *device;
    char directory[64];
    compiler_t compiler;
    kiln_jit_options_t options;
    kiln_jit_t *jit;
    kiln_jit_call_t call;
    kiln_jit_argument_t arguments[3];
} fixture_t;

static const char manifest[] = "{\"kernel\": \"add3\", \"block_size\": 256, \"arguments\": ["
                               "{\"name\": \"x\", \"type\": \"*f16\"},"
                               "{\"name\": \"n\", \"type\": \"i32\"},"
                               "{\"name\": \"scale\", \"type\": \"f32\"}]}";

static inline kiln_status_t fake_compile(const kiln_jit_request_t *request, void *user,
                                         void **out_code, size_t *out_size, char **out_manifest)
{
    compiler_t *compiler = user;
    if (compiler->delay)
        usleep(compiler->delay);
    atomic_fetch_add(&compiler->count, 1);
    if (compiler->fails)
        return kiln_status_at(kiln_status_make(KILN_STATUS_INVALID_INPUT, "no such tile"),
                              request->source.name, 3, 7);
    kiln_string_t seen = {0};
    kiln_string_appendf(&seen, "%s %s |", request->kernel, request->arch);
    for (size_t i = 0; i < request->setting_count; i++)
        kiln_string_appendf(&seen, " %s=%s", request->settings[i].name, request->settings[i].value);
    kiln_string_append(&seen, " |");
    for (size_t i = 0; i < request->argument_count; i++)
        kiln_string_appendf(&seen, " %s:%u:%d", request->arguments[i].name,
                            request->arguments[i].divisibility,
                            request->arguments[i].pointer_range_32);
    snprintf(compiler->seen, sizeof compiler->seen, "%s", seen.data);
    kiln_string_free(&seen);
    *out_size = 128;
    *out_code = calloc(1, *out_size);
    memcpy(*out_code,
           "\x7f"
           "ELF\2\1\1",
           7);
    *out_manifest = strdup(compiler->manifest);
    return KILN_OK;
}

static inline kiln_status_t fake_identify(void *user, char **out_identity)
{
    *out_identity = strdup(((const compiler_t *)user)->identity);
    return KILN_OK;
}

static inline void make_jit(fixture_t *fixture)
{
    kiln_jit_release(fixture->jit);
    expect_ok(kiln_jit_create(fixture->device, &fixture->options, &fixture->jit));
}

static inline int set_up(void **state)
{
    fixture_t *fixture = calloc(1, sizeof *fixture);
    strcpy(fixture->directory, "/tmp/kiln-jit-test.XXXXXX");
    assert_non_null(mkdtemp(fixture->directory));
    kiln_device_options_t device_options;
    kiln_device_options_initialize(&device_options);
    device_options.kind = KILN_DEVICE_HIP;
    device_options.hip_library = FAKE;
    expect_ok(kiln_device_open(&device_options, &fixture->device));
    fixture->compiler.manifest = manifest;
    kiln_jit_options_initialize(&fixture->options);
    fixture->options.compile = fake_compile;
    fixture->options.compile_user = &fixture->compiler;
    fixture->options.identify = fake_identify;
    fixture->compiler.identity = "build 1";
    fixture->options.cache_directory = fixture->directory;
    make_jit(fixture);
    kiln_jit_call_initialize(&fixture->call);
    fixture->call.source.name = "add.tile.c";
    fixture->call.source.text = "kernel void add3() {}";
    fixture->call.source.length = strlen(fixture->call.source.text);
    fixture->call.kernel = "add3";
    fixture->arguments[0] = (kiln_jit_argument_t){.name = "x",
                                                  .kind = KILN_JIT_POINTER,
                                                  .address = 0x700010000,
                                                  .address_size = 4096,
                                                  .integer = KILN_JIT_STORAGE};
    fixture->arguments[1] = kiln_jit_integer("n", 1000);
    fixture->arguments[2] = kiln_jit_real("scale", 0.5);
    fixture->call.arguments = fixture->arguments;
    fixture->call.argument_count = 3;
    *state = fixture;
    return 0;
}

static inline int tear_down(void **state)
{
    fixture_t *fixture = *state;
    kiln_jit_release(fixture->jit);
    kiln_device_release(fixture->device);
    char command[96];
    snprintf(command, sizeof command, "rm -r %s", fixture->directory);
    int failed = system(command);
    free(fixture);
    return failed;
}

static inline kiln_jit_origin_t prepare(fixture_t *fixture)
{
    kiln_jit_kernel_t *kernel;
    kiln_jit_origin_t origin;
    expect_ok(kiln_jit_prepare(fixture->jit, &fixture->call, &kernel, &origin));
    assert_string_equal(kiln_jit_kernel_name(kernel), "add3");
    assert_string_equal(kiln_jit_kernel_manifest(kernel), manifest);
    assert_int_equal(kiln_jit_kernel_block_size(kernel), 256);
    return origin;
}

#endif
