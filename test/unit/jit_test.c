// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JIT over a fake device and a fake compiler: what makes another kernel and what doesn't, where code comes from,
// and what reaches a launch.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/string.h"
#include "expect_status.h"
#include "fake_hip/fake_hip.h"
#include "jit/specialize.h"
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

static kiln_status_t fake_compile(const kiln_jit_request_t *request, void *user, void **out_code, size_t *out_size,
                                  char **out_manifest)
{
    compiler_t *compiler = user;
    if (compiler->delay)
        usleep(compiler->delay);
    atomic_fetch_add(&compiler->count, 1);
    if (compiler->fails)
        return kiln_status_at(kiln_status_make(KILN_STATUS_INVALID_INPUT, "no such tile"), request->source.name, 3, 7);
    kiln_string_t seen = {0};
    kiln_string_appendf(&seen, "%s %s |", request->kernel, request->arch);
    for (size_t i = 0; i < request->setting_count; i++)
        kiln_string_appendf(&seen, " %s=%s", request->settings[i].name, request->settings[i].value);
    kiln_string_append(&seen, " |");
    for (size_t i = 0; i < request->argument_count; i++)
        kiln_string_appendf(&seen, " %s:%u:%d", request->arguments[i].name, request->arguments[i].divisibility,
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

static kiln_status_t fake_identify(void *user, char **out_identity)
{
    *out_identity = strdup(((const compiler_t *)user)->identity);
    return KILN_OK;
}

static void make_jit(fixture_t *fixture)
{
    kiln_jit_release(fixture->jit);
    expect_ok(kiln_jit_create(fixture->device, &fixture->options, &fixture->jit));
}

static int set_up(void **state)
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
    fixture->arguments[0] =
        (kiln_jit_argument_t){.name = "x", .kind = KILN_JIT_POINTER, .address = 0x10000, .address_size = 4096};
    fixture->arguments[1] = kiln_jit_integer("n", 1000);
    fixture->arguments[2] = kiln_jit_real("scale", 0.5);
    fixture->call.arguments = fixture->arguments;
    fixture->call.argument_count = 3;
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
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

static kiln_jit_origin_t prepare(fixture_t *fixture)
{
    kiln_jit_kernel_t *kernel;
    kiln_jit_origin_t origin;
    expect_ok(kiln_jit_prepare(fixture->jit, &fixture->call, &kernel, &origin));
    assert_string_equal(kiln_jit_kernel_name(kernel), "add3");
    assert_string_equal(kiln_jit_kernel_manifest(kernel), manifest);
    assert_int_equal(kiln_jit_kernel_block_size(kernel), 256);
    return origin;
}

static void code_comes_from_compiler_then_memory_then_disk(void **state)
{
    fixture_t *fixture = *state;
    assert_int_equal(prepare(fixture), KILN_JIT_COMPILED);
    assert_int_equal(prepare(fixture), KILN_JIT_FROM_MEMORY);
    make_jit(fixture); // another process would see the same
    assert_int_equal(prepare(fixture), KILN_JIT_FROM_DISK);
    assert_int_equal(prepare(fixture), KILN_JIT_FROM_MEMORY);
    assert_int_equal(fixture->compiler.count, 1);
    kiln_jit_statistics_t statistics = {.struct_size = sizeof statistics};
    kiln_jit_get_statistics(fixture->jit, &statistics);
    assert_int_equal(statistics.disk_hits, 1);
    assert_int_equal(statistics.memory_hits, 1);
    assert_int_equal(statistics.compiles, 0);
}

// Each change makes another kernel; undoing it finds the first again.
#define EXPECT_OTHER_KERNEL(fixture, place, changed)                                                                   \
    do {                                                                                                               \
        __typeof__(place) before = place;                                                                              \
        place = changed;                                                                                               \
        assert_int_equal(prepare(fixture), KILN_JIT_COMPILED);                                                         \
        place = before;                                                                                                \
        assert_int_equal(prepare(fixture), KILN_JIT_FROM_MEMORY);                                                      \
    } while (0)

static void everything_that_compiling_reads_is_in_the_key(void **state)
{
    fixture_t *fixture = *state;
    prepare(fixture);
    EXPECT_OTHER_KERNEL(fixture, fixture->call.source.text, "kernel void add3() { }");
    EXPECT_OTHER_KERNEL(fixture, fixture->call.source.length, fixture->call.source.length - 1);
    EXPECT_OTHER_KERNEL(fixture, fixture->call.source.name, "other.tile.c");
    EXPECT_OTHER_KERNEL(fixture, fixture->call.source.stage, KILN_STAGE_TT);
    EXPECT_OTHER_KERNEL(fixture, fixture->call.kernel, NULL);
    EXPECT_OTHER_KERNEL(fixture, fixture->arguments[0].address, 0x10008);
    EXPECT_OTHER_KERNEL(fixture, fixture->arguments[0].address_size, (size_t)1 << 31);
    EXPECT_OTHER_KERNEL(fixture, fixture->arguments[1].integer, 1024);
    const kiln_setting_t settings[] = {{"BLOCK", "64"}, {"num_warps", "8"}},
                         others[] = {{"BLOCK", "128"}, {"num_warps", "8"}};
    fixture->call.settings = settings;
    EXPECT_OTHER_KERNEL(fixture, fixture->call.setting_count, 2);
    EXPECT_OTHER_KERNEL(fixture, fixture->call.setting_count, 1);
    fixture->call.setting_count = 2;
    EXPECT_OTHER_KERNEL(fixture, fixture->call.settings, others);
    fixture->call.setting_count = 0;
    fixture->compiler.identity = "build 2";
    make_jit(fixture);
    assert_int_equal(prepare(fixture), KILN_JIT_COMPILED);
    fixture->compiler.identity = "build 1";
    make_jit(fixture);
    assert_int_equal(prepare(fixture), KILN_JIT_FROM_DISK);
}

static void a_compiler_that_changes_under_a_jit_makes_no_kernel(void **state)
{
    fixture_t *fixture = *state;
    prepare(fixture);
    fixture->compiler.identity = "build 2";
    assert_int_equal(prepare(fixture), KILN_JIT_FROM_MEMORY);
    fixture->arguments[1].integer = 1024;
    kiln_jit_kernel_t *kernel;
    expect_failure(kiln_jit_prepare(fixture->jit, &fixture->call, &kernel, NULL), KILN_STATUS_USAGE,
                   "has changed since kiln_jit_create");
    assert_int_equal(fixture->compiler.count, 1);
}

// A known call is known by what it holds, wherever that lies.
static void known_calls_are_told_apart_by_every_byte(void **state)
{
    fixture_t *fixture = *state;
    char text[300], setting[] = "64", name[] = "n", title[] = "add.tile.c";
    memset(text, ' ', sizeof text);
    fixture->call.source.text = text;
    fixture->call.source.length = sizeof text;
    fixture->call.source.name = title;
    fixture->arguments[1].name = name;
    const kiln_setting_t settings[] = {{"BLOCK", setting}};
    fixture->call.settings = settings;
    fixture->call.setting_count = 1;
    assert_int_equal(prepare(fixture), KILN_JIT_COMPILED);
    assert_int_equal(prepare(fixture), KILN_JIT_FROM_MEMORY);
    char *places[] = {&text[0], &text[7], &text[150], &text[299], &setting[1], &name[0], &title[3]};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char before = *places[i];
        *places[i] = '7';
        assert_int_equal(prepare(fixture), KILN_JIT_COMPILED);
        *places[i] = before;
        assert_int_equal(prepare(fixture), KILN_JIT_FROM_MEMORY);
    }
    char copy[sizeof text];
    memcpy(copy, text, sizeof text);
    fixture->call.source.text = copy;
    assert_int_equal(prepare(fixture), KILN_JIT_FROM_MEMORY);
    kiln_jit_statistics_t statistics = {.struct_size = sizeof statistics};
    kiln_jit_get_statistics(fixture->jit, &statistics);
    assert_int_equal(statistics.memory_hits, 9);
}

static void calls_too_long_for_the_short_way_work(void **state)
{
    fixture_t *fixture = *state;
    char value[2000];
    memset(value, 'v', sizeof value);
    value[sizeof value - 1] = '\0';
    const kiln_setting_t settings[] = {{"LONG", value}};
    fixture->call.settings = settings;
    fixture->call.setting_count = 1;
    assert_int_equal(prepare(fixture), KILN_JIT_COMPILED);
    assert_int_equal(prepare(fixture), KILN_JIT_FROM_MEMORY);
    value[1990] = 'w';
    assert_int_equal(prepare(fixture), KILN_JIT_COMPILED);
    expect_ok(kiln_jit_launch(fixture->jit, &fixture->call));
}

static void values_that_do_not_specialise_share_code(void **state)
{
    fixture_t *fixture = *state;
    prepare(fixture);
    fixture->arguments[0].address = 0x20000;
    fixture->arguments[1].integer = 1001;
    fixture->arguments[2].real = 3.25;
    assert_int_equal(prepare(fixture), KILN_JIT_FROM_MEMORY);
    // Settings are compared sorted, so their order is none.
    const kiln_setting_t one[] = {{"BLOCK", "64"}, {"A", "1"}}, other[] = {{"A", "1"}, {"BLOCK", "64"}};
    fixture->call.settings = one;
    fixture->call.setting_count = 2;
    assert_int_equal(prepare(fixture), KILN_JIT_COMPILED);
    fixture->call.settings = other;
    assert_int_equal(prepare(fixture), KILN_JIT_FROM_MEMORY);
}

static void the_compiler_is_told_the_specialisation(void **state)
{
    fixture_t *fixture = *state;
    const kiln_setting_t settings[] = {{"num_warps", "8"}, {"BLOCK", "64"}, {"num_warps", "4"}};
    fixture->call.settings = settings;
    fixture->call.setting_count = 3;
    fixture->arguments[1].integer = 992;
    prepare(fixture);
    assert_string_equal(fixture->compiler.seen, "add3 gfx942 | BLOCK=64 num_warps=4 | x:16:1 n:16:0 scale:0:0");
}

static const fake_launch_t *last_launch(void)
{
    void *library = dlopen(FAKE, RTLD_NOW | RTLD_NOLOAD), *symbol = dlsym(library, "fakeHipLastLaunch");
    fake_last_launch_fn get;
    memcpy(&get, &symbol, sizeof get);
    dlclose(library);
    return get();
}

static kiln_status_t grid_of(const kiln_setting_t *settings, size_t count, unsigned out_grid[3], void *user)
{
    (void)user;
    for (size_t i = 0; i < count; i++)
        if (strcmp(settings[i].name, "BLOCK") == 0)
            out_grid[0] = 1024u / (unsigned)atoi(settings[i].value);
    return KILN_OK;
}

static void expect_add3_launch(void)
{
    const fake_launch_t *last = last_launch();
    assert_int_equal(last->grid[0], 16);
    assert_int_equal(last->grid[1], 2);
    assert_int_equal(last->block[0], 256);
    uint64_t address;
    int32_t n;
    float scale;
    memcpy(&address, last->kernarg, 8);
    memcpy(&n, last->kernarg + 8, 4);
    memcpy(&scale, last->kernarg + 16, 4);
    assert_int_equal(address, 0x10000);
    assert_int_equal(n, -1);
    assert_true(scale == 0.5f);
}

static void launches_bind_by_name_and_convert(void **state)
{
    fixture_t *fixture = *state;
    const kiln_setting_t settings[] = {{"BLOCK", "64"}};
    fixture->call.settings = settings;
    fixture->call.setting_count = 1;
    fixture->call.grid_of = grid_of;
    fixture->call.grid[1] = 2;
    kiln_jit_argument_t swap = fixture->arguments[0]; // any order
    fixture->arguments[0] = fixture->arguments[2];
    fixture->arguments[2] = swap;
    fixture->arguments[1].integer = -1;
    for (int i = 0; i < 2; i++) { // the second one by the short way
        memset((void *)(uintptr_t)last_launch(), 0, sizeof(fake_launch_t));
        expect_ok(kiln_jit_launch(fixture->jit, &fixture->call));
        expect_add3_launch();
    }
}

static void wrong_arguments_are_named(void **state)
{
    fixture_t *fixture = *state;
    fixture->arguments[1].name = "m";
    expect_failure(kiln_jit_launch(fixture->jit, &fixture->call), KILN_STATUS_INVALID_INPUT,
                   "kernel 'add3' wants an argument 'n'");
    fixture->arguments[1] = kiln_jit_integer("n", INT64_C(1) << 32);
    expect_failure(kiln_jit_launch(fixture->jit, &fixture->call), KILN_STATUS_INVALID_INPUT,
                   "'n' = 4294967296 does not fit an i32");
    fixture->arguments[1] = kiln_jit_real("n", 1.5);
    expect_failure(kiln_jit_launch(fixture->jit, &fixture->call), KILN_STATUS_INVALID_INPUT,
                   "'n' is the real number 1.5");
    fixture->arguments[1] = (kiln_jit_argument_t){.name = "n", .kind = KILN_JIT_POINTER};
    expect_failure(kiln_jit_launch(fixture->jit, &fixture->call), KILN_STATUS_INVALID_INPUT,
                   "'n' is a pointer, the kernel wants a i32");
    fixture->arguments[1] = kiln_jit_integer("n", 1);
    kiln_jit_argument_t four[4] = {fixture->arguments[0], fixture->arguments[1], fixture->arguments[2],
                                   kiln_jit_integer("k", 1)};
    fixture->call.arguments = four;
    fixture->call.argument_count = 4;
    expect_failure(kiln_jit_launch(fixture->jit, &fixture->call), KILN_STATUS_INVALID_INPUT, "has no parameter 'k'");
}

static void a_damaged_entry_is_compiled_again(void **state)
{
    fixture_t *fixture = *state;
    prepare(fixture);
    char command[128];
    snprintf(command, sizeof command, "for f in %s/*.kiln; do echo junk > $f; done", fixture->directory);
    assert_int_equal(system(command), 0);
    make_jit(fixture);
    assert_int_equal(prepare(fixture), KILN_JIT_COMPILED);
    kiln_jit_statistics_t statistics = {.struct_size = sizeof statistics};
    kiln_jit_get_statistics(fixture->jit, &statistics);
    assert_int_equal(statistics.corrupt_entries, 1);
    make_jit(fixture);
    assert_int_equal(prepare(fixture), KILN_JIT_FROM_DISK); // mended
}

static void require_never_compiles(void **state)
{
    fixture_t *fixture = *state;
    fixture->options.cache_mode = KILN_CACHE_REQUIRE;
    make_jit(fixture);
    kiln_jit_kernel_t *kernel;
    expect_failure(kiln_jit_prepare(fixture->jit, &fixture->call, &kernel, NULL), KILN_STATUS_NOT_FOUND,
                   "kernel 'add3' of 'add.tile.c' is not in the cache");
    assert_null(kernel);
    assert_int_equal(fixture->compiler.count, 0);
    fixture->options.cache_mode = KILN_CACHE_READWRITE;
    make_jit(fixture);
    prepare(fixture);
    fixture->options.cache_mode = KILN_CACHE_REQUIRE;
    fixture->options.compile = NULL;
    make_jit(fixture);
    assert_int_equal(prepare(fixture), KILN_JIT_FROM_DISK);

    fixture->options.cache_mode = KILN_CACHE_READWRITE;
    kiln_jit_t *none;
    expect_failure(kiln_jit_create(fixture->device, &fixture->options, &none), KILN_STATUS_USAGE,
                   "options->compile is NULL");
    fixture->options.compile = fake_compile;
    fixture->options.identify = NULL;
    expect_failure(kiln_jit_create(fixture->device, &fixture->options, &none), KILN_STATUS_USAGE,
                   "options->identify is NULL");
}

static void failures_are_passed_on_and_not_kept(void **state)
{
    fixture_t *fixture = *state;
    fixture->compiler.fails = true;
    kiln_jit_kernel_t *kernel;
    for (int i = 0; i < 2; i++)
        expect_failure(kiln_jit_prepare(fixture->jit, &fixture->call, &kernel, NULL), KILN_STATUS_INVALID_INPUT,
                       "add.tile.c:3:7: no such tile");
    assert_int_equal(fixture->compiler.count, 2);
    fixture->compiler.fails = false;
    assert_int_equal(prepare(fixture), KILN_JIT_COMPILED);
    fixture->call.kernel = "other";
    fixture->compiler.manifest = "{\"kernel\": \"add3\"}";
    expect_failure(kiln_jit_prepare(fixture->jit, &fixture->call, &kernel, NULL), KILN_STATUS_INVALID_INPUT,
                   "while reading a kernel's manifest");
}

static kiln_status_t fake_tune(const char *kernel, const char *source_hash, const char *device, const char *arguments,
                               void *user, char **out)
{
    *out = NULL;
    assert_string_equal(kernel, "add3");
    assert_int_equal(strlen(source_hash), 32);
    assert_string_equal(device, "gfx942:Fake MI300X:304:hip");
    if (strcmp(arguments, "n=1000") != 0)
        return kiln_status_make(KILN_STATUS_NOT_FOUND, "none");
    *out = strdup(user);
    return KILN_OK;
}

static void tuned_settings_yield_to_given_ones(void **state)
{
    fixture_t *fixture = *state;
    char config[] = "BLOCK=128 num_warps=2";
    fixture->options.tune = fake_tune;
    fixture->options.tune_user = config;
    make_jit(fixture);
    fixture->call.tuning_arguments = "n=1000";
    const kiln_setting_t settings[] = {{"num_warps", "8"}};
    fixture->call.settings = settings;
    fixture->call.setting_count = 1;
    kiln_jit_kernel_t *kernel;
    expect_ok(kiln_jit_prepare(fixture->jit, &fixture->call, &kernel, NULL));
    assert_int_equal(kiln_jit_kernel_setting_count(kernel), 2);
    assert_string_equal(kiln_jit_kernel_settings(kernel)[0].name, "BLOCK");
    assert_string_equal(kiln_jit_kernel_settings(kernel)[0].value, "128");
    assert_string_equal(kiln_jit_kernel_settings(kernel)[1].value, "8");
    fixture->call.tuning_arguments = "n=7";
    expect_ok(kiln_jit_prepare(fixture->jit, &fixture->call, &kernel, NULL));
    assert_int_equal(kiln_jit_kernel_setting_count(kernel), 1);
    strcpy(config, "nonsense");
    fixture->call.tuning_arguments = "n=1000";
    expect_ok(kiln_jit_prepare(fixture->jit, &fixture->call, &kernel, NULL)); // looked up once
    assert_int_equal(kiln_jit_kernel_setting_count(kernel), 2);
    kiln_jit_refresh(fixture->jit);
    expect_failure(kiln_jit_prepare(fixture->jit, &fixture->call, &kernel, NULL), KILN_STATUS_INVALID_INPUT,
                   "'nonsense' is no NAME=VALUE");
}

static void *prepare_in_thread(void *data)
{
    prepare(data);
    return NULL;
}

static void threads_compile_a_kernel_once(void **state)
{
    fixture_t *fixture = *state;
    fixture->compiler.delay = 20000;
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, prepare_in_thread, fixture), 0);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(fixture->compiler.count, 1);
}

// Every thread makes both calls, over and over, by the table that is read without a lock.
static void *prepare_two_in_thread(void *data)
{
    const fixture_t *fixture = data;
    kiln_jit_argument_t arguments[3];
    memcpy(arguments, fixture->arguments, sizeof arguments);
    kiln_jit_call_t call = fixture->call;
    call.arguments = arguments;
    const char *keys[2] = {NULL, NULL};
    for (int i = 0; i < 2000; i++) {
        arguments[1].integer = i % 2 ? 1024 : 1000 + 2 * i + 1;
        kiln_jit_kernel_t *kernel;
        kiln_status_t status = kiln_jit_prepare(fixture->jit, &call, &kernel, NULL);
        if (status || (keys[i % 2] && strcmp(keys[i % 2], kiln_jit_kernel_key(kernel)) != 0))
            return data;
        keys[i % 2] = kiln_jit_kernel_key(kernel);
    }
    return strcmp(keys[0], keys[1]) == 0 ? data : NULL;
}

static void threads_know_the_same_calls(void **state)
{
    fixture_t *fixture = *state;
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, prepare_two_in_thread, fixture), 0);
    for (int i = 0; i < 8; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    assert_int_equal(fixture->compiler.count, 2);
    kiln_jit_statistics_t statistics = {.struct_size = sizeof statistics};
    expect_ok(kiln_jit_get_statistics(fixture->jit, &statistics));
    assert_int_equal(statistics.memory_hits, 8 * 2000 - 2);
}

int main(void)
{
#define JIT_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        JIT_TEST(code_comes_from_compiler_then_memory_then_disk),
        JIT_TEST(everything_that_compiling_reads_is_in_the_key),
        JIT_TEST(a_compiler_that_changes_under_a_jit_makes_no_kernel),
        JIT_TEST(known_calls_are_told_apart_by_every_byte),
        JIT_TEST(calls_too_long_for_the_short_way_work),
        JIT_TEST(values_that_do_not_specialise_share_code),
        JIT_TEST(the_compiler_is_told_the_specialisation),
        JIT_TEST(launches_bind_by_name_and_convert),
        JIT_TEST(wrong_arguments_are_named),
        JIT_TEST(a_damaged_entry_is_compiled_again),
        JIT_TEST(require_never_compiles),
        JIT_TEST(failures_are_passed_on_and_not_kept),
        JIT_TEST(tuned_settings_yield_to_given_ones),
        JIT_TEST(threads_compile_a_kernel_once),
        JIT_TEST(threads_know_the_same_calls),
    };
    return cmocka_run_group_tests_name("jit", tests, NULL, NULL);
}
