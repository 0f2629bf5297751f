// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JIT with a fake device and a fake compiler: what requires a new kernel and what does not, and
// what a launch receives.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect_status.h"
#include "fake_hip/fake_hip.h"
#include "jit/specialize.h"
#include "jit_fixture.h"
#include "kiln/element.h"
#include "kiln/jit.h"

// Each change leads to another kernel; undoing it finds the first one again.
#define EXPECT_OTHER_KERNEL(fixture, place, changed)                                               \
    do {                                                                                           \
        __typeof__(place) before = place;                                                          \
        place = changed;                                                                           \
        assert_int_equal(prepare(fixture), KILN_JIT_COMPILED);                                     \
        place = before;                                                                            \
        assert_int_equal(prepare(fixture), KILN_JIT_FROM_MEMORY);                                  \
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
    EXPECT_OTHER_KERNEL(fixture, fixture->arguments[0].address, 0x700010008);
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

// A known call is recognized by its contents, wherever they are in memory.
static void every_byte_distinguishes_known_calls(void **state)
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
    fixture->arguments[0].address = 0x700020000;
    fixture->arguments[1].integer = 1001;
    fixture->arguments[2].real = 3.25;
    assert_int_equal(prepare(fixture), KILN_JIT_FROM_MEMORY);
    // Settings are compared sorted, so their order does not matter.
    const kiln_setting_t one[] = {{"BLOCK", "64"}, {"A", "1"}},
                         other[] = {{"A", "1"}, {"BLOCK", "64"}};
    fixture->call.settings = one;
    fixture->call.setting_count = 2;
    assert_int_equal(prepare(fixture), KILN_JIT_COMPILED);
    fixture->call.settings = other;
    assert_int_equal(prepare(fixture), KILN_JIT_FROM_MEMORY);
}

// The size of the whole storage counts, including the part before the pointer: the promise is made
// for all pointers into a storage or for none.
static void pointers_have_a_range_by_their_storage(void **state)
{
    (void)state;
    const size_t limit = (size_t)KILN_POINTER_RANGE_LIMIT;
    kiln_jit_argument_t element = kiln_jit_storage("x", 0x700010040, 4096);
    element.integer += 1 + (int64_t)KILN_ELEMENT_F16;
    assert_true(kiln_jit_argument_hint(&element).pointer_range_32);
    assert_string_equal(kiln_jit_argument_hint(&element).type, "*f16");
    const struct {
        kiln_jit_argument_t argument;
        bool has_range;
    } cases[] = {
        {kiln_jit_storage("x", 0x700010040, 4096), true},
        {kiln_jit_storage("x", 0x700010040, limit), true},
        {kiln_jit_storage("x", 0x700010040, limit + 1), false},
        {kiln_jit_storage("x", 0x700010040, (size_t)1 << 32), false},
        {kiln_jit_storage("x", 0x700010040, 0), false},
        // Offsets count from 2 GiB before the pointer.
        {kiln_jit_storage("x", 0x80000000, 4096), true},
        {kiln_jit_storage("x", 0x7ffffff0, 4096), false},
        {kiln_jit_address("x", 0x700010040, 4096), false},
        {kiln_jit_address("x", 0x700010040, 0), false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(kiln_jit_argument_hint(&cases[i].argument).pointer_range_32,
                         cases[i].has_range);
        assert_null(kiln_jit_argument_hint(&cases[i].argument).type);
    }
}

static void the_compiler_gets_the_specialisation(void **state)
{
    fixture_t *fixture = *state;
    const kiln_setting_t settings[] = {{"num_warps", "8"}, {"BLOCK", "64"}, {"num_warps", "4"}};
    fixture->call.settings = settings;
    fixture->call.setting_count = 3;
    fixture->arguments[1].integer = 992;
    prepare(fixture);
    assert_string_equal(fixture->compiler.seen,
                        "add3 gfx942 | BLOCK=64 num_warps=4 | x:16:1 n:16:0 scale:0:0");
}

static const fake_launch_t *last_launch(void)
{
    void *library = dlopen(FAKE, RTLD_NOW | RTLD_NOLOAD),
         *symbol = dlsym(library, "fakeHipLastLaunch");
    fake_last_launch_fn get;
    memcpy(&get, &symbol, sizeof get);
    dlclose(library);
    return get();
}

static kiln_status_t grid_of(const kiln_setting_t *settings, size_t count, unsigned out_grid[3],
                             void *user)
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
    assert_int_equal(address, 0x700010000);
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
    kiln_jit_argument_t swap = fixture->arguments[0]; // arguments may be in any order
    fixture->arguments[0] = fixture->arguments[2];
    fixture->arguments[2] = swap;
    fixture->arguments[1].integer = -1;
    for (int i = 0; i < 2; i++) { // the second launch takes the fast path
        memset((void *)(uintptr_t)last_launch(), 0, sizeof(fake_launch_t));
        expect_ok(kiln_jit_launch(fixture->jit, &fixture->call));
        expect_add3_launch();
    }
}

static void a_declared_grid_can_use_sizes_of_buffers(void **state)
{
    fixture_t *fixture = *state;
    unsigned grid[3];
    fixture->compiler.manifest =
        "{\"kernel\": \"add3\", \"block_size\": 256, \"grid\": [\"elements(x)/8\", \"elements( x "
        ")\", \"1\"], \"constants\": [], \"arguments\": [{\"name\": \"x\", \"type\": \"*f16\"}, "
        "{\"name\": \"n\", \"type\": \"i32\"}, {\"name\": \"scale\", \"type\": \"f32\"}]}";
    fixture->call.uses_declared_grid = true;
    kiln_jit_kernel_t *kernel;
    expect_ok(kiln_jit_prepare(fixture->jit, &fixture->call, &kernel, NULL));
    fixture->arguments[0] = kiln_jit_address("x", 4096, 64);
    expect_ok(kiln_jit_kernel_grid(kernel, &fixture->call, grid));
    assert_true(grid[0] == 4 && grid[1] == 32 && grid[2] == 1);
    fixture->arguments[0] = kiln_jit_address("x", 4096, 0);
    expect_failure(kiln_jit_kernel_grid(kernel, &fixture->call, grid), KILN_STATUS_USAGE,
                   "in the expression 'elements(x)/8', column 1: unknown buffer, or its size is "
                   "unknown");
}

static void a_call_can_use_the_declared_grid(void **state)
{
    static const char declared[] =
        "{\"kernel\": \"add3\", \"block_size\": 256, \"grid\": [\"cdiv(n, BLOCK)\", \"n - 127\", "
        "\"1\"], \"constants\": [{\"name\": \"BLOCK\", \"type\": \"i32\", \"value\": \"32\"}], "
        "\"arguments\": [{\"name\": \"x\", \"type\": \"*f32\"}, {\"name\": \"n\", \"type\": "
        "\"i32\"}, {\"name\": \"scale\", \"type\": \"f32\"}]}";
    fixture_t *fixture = *state;
    fixture->call.uses_declared_grid = true;
    expect_failure(kiln_jit_launch(fixture->jit, &fixture->call), KILN_STATUS_NOT_FOUND,
                   "kernel 'add3' declares no grid");
    fixture->compiler.manifest = declared;
    fixture->call.kernel = "another"; // so that it is compiled again
    fixture->arguments[1].integer = 130;
    for (int i = 0; i < 2; i++) { // the second launch takes the fast path
        memset((void *)(uintptr_t)last_launch(), 0, sizeof(fake_launch_t));
        expect_ok(kiln_jit_launch(fixture->jit, &fixture->call));
        assert_int_equal(last_launch()->grid[0], 5);
        assert_int_equal(last_launch()->grid[1], 3);
        assert_int_equal(last_launch()->grid[2], 1);
    }
    fixture->arguments[1].integer = 100;
    expect_failure(kiln_jit_launch(fixture->jit, &fixture->call), KILN_STATUS_INVALID_INPUT,
                   "is -27; expected 0 to 2147483647");
}

static void wrong_arguments_are_named(void **state)
{
    fixture_t *fixture = *state;
    fixture->arguments[1].name = "m";
    expect_failure(kiln_jit_launch(fixture->jit, &fixture->call), KILN_STATUS_INVALID_INPUT,
                   "missing argument of kernel 'add3': 'n'");
    fixture->arguments[1] = kiln_jit_integer("n", INT64_C(1) << 32);
    expect_failure(kiln_jit_launch(fixture->jit, &fixture->call), KILN_STATUS_INVALID_INPUT,
                   "'n' = 4294967296 does not fit in i32");
    fixture->arguments[1] = kiln_jit_real("n", 1.5);
    expect_failure(kiln_jit_launch(fixture->jit, &fixture->call), KILN_STATUS_INVALID_INPUT,
                   "'n' is the floating-point number 1.5");
    fixture->arguments[1] = (kiln_jit_argument_t){.name = "n", .kind = KILN_JIT_POINTER};
    expect_failure(kiln_jit_launch(fixture->jit, &fixture->call), KILN_STATUS_INVALID_INPUT,
                   "'n' is a pointer, expected i32");
    fixture->arguments[1] = kiln_jit_integer("n", 1);
    kiln_jit_argument_t four[4] = {fixture->arguments[0], fixture->arguments[1],
                                   fixture->arguments[2], kiln_jit_integer("k", 1)};
    fixture->call.arguments = four;
    fixture->call.argument_count = 4;
    expect_failure(kiln_jit_launch(fixture->jit, &fixture->call), KILN_STATUS_INVALID_INPUT,
                   "has no parameter 'k'");
}

static char seen_problem[33], seen_settings[128];

static kiln_status_t fake_tune(const kiln_jit_tune_request_t *request, void *user, char **out)
{
    *out = NULL;
    assert_string_equal(request->kernel, "add3");
    assert_int_equal(strlen(request->problem), 32);
    strcpy(seen_problem, request->problem);
    char *text = kiln_settings_text(request->settings, request->setting_count);
    snprintf(seen_settings, sizeof seen_settings, "%s", text);
    free(text);
    assert_string_equal(request->device, "gfx942:Fake MI300X:304:hip");
    if (strcmp(request->arguments, "n=1000") != 0)
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
    expect_failure(kiln_jit_prepare(fixture->jit, &fixture->call, &kernel, NULL),
                   KILN_STATUS_INVALID_INPUT, "expected NAME=VALUE, got 'nonsense'");
}

// The tuner's problem consists of exactly the inputs that code depends on, except for the settings,
// which are passed separately.
static void a_tuners_problem_is_what_code_depends_on(void **state)
{
    fixture_t *fixture = *state;
    char config[] = "BLOCK=128", first[33];
    fixture->options.tune = fake_tune;
    fixture->options.tune_user = config;
    fixture->compiler.identity = "build 1 -Wall\nnum_warps=4\n";
    fixture->options.cache_mode = KILN_CACHE_OFF;
    fixture->call.tuning_arguments = "n=1000";
    make_jit(fixture);
    prepare(fixture);
    strcpy(first, seen_problem);
#define EXPECT_PROBLEM(is_same, place, changed)                                                    \
    do {                                                                                           \
        __typeof__(place) before = place;                                                          \
        place = changed;                                                                           \
        make_jit(fixture);                                                                         \
        prepare(fixture);                                                                          \
        assert_int_equal(strcmp(seen_problem, first) == 0, is_same);                               \
        place = before;                                                                            \
    } while (0)
    EXPECT_PROBLEM(false, fixture->call.source.text, "kernel void add3() { }");
    EXPECT_PROBLEM(false, fixture->call.source.stage, KILN_STAGE_TT);
    EXPECT_PROBLEM(false, fixture->arguments[0].address, 0x700010008);
    EXPECT_PROBLEM(false, fixture->arguments[0].integer, 3);
    EXPECT_PROBLEM(false, fixture->arguments[1].integer, 1024);
    EXPECT_PROBLEM(false, fixture->compiler.identity, "build 1 -Wall\nnum_warps=8\n");
    EXPECT_PROBLEM(true, fixture->compiler.identity,
                   "build 2\nnum_warps=4\n"); // the store has a code id of its own
    EXPECT_PROBLEM(true, fixture->call.source.name, "other.tile.c");
    EXPECT_PROBLEM(true, fixture->arguments[2].real, 7.5);
    const kiln_setting_t settings[] = {{"num_warps", "8"}, {"MODE", "1"}, {"MODE", "2"}};
    fixture->call.settings = settings;
    EXPECT_PROBLEM(true, fixture->call.setting_count, 3);
    assert_string_equal(seen_settings, "MODE=2\nnum_warps=8\n");
#undef EXPECT_PROBLEM
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

// Every thread repeats both calls, through the table that is read without a lock.
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

static void threads_share_known_calls(void **state)
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
        JIT_TEST(everything_that_compiling_reads_is_in_the_key),
        JIT_TEST(a_compiler_that_changes_under_a_jit_makes_no_kernel),
        JIT_TEST(every_byte_distinguishes_known_calls),
        JIT_TEST(calls_too_long_for_the_short_way_work),
        JIT_TEST(values_that_do_not_specialise_share_code),
        JIT_TEST(the_compiler_gets_the_specialisation),
        cmocka_unit_test(pointers_have_a_range_by_their_storage),
        JIT_TEST(launches_bind_by_name_and_convert),
        JIT_TEST(a_call_can_use_the_declared_grid),
        JIT_TEST(a_declared_grid_can_use_sizes_of_buffers),
        JIT_TEST(wrong_arguments_are_named),
        JIT_TEST(tuned_settings_yield_to_given_ones),
        JIT_TEST(a_tuners_problem_is_what_code_depends_on),
        JIT_TEST(threads_compile_a_kernel_once),
        JIT_TEST(threads_share_known_calls),
    };
    return cmocka_run_group_tests_name("jit", tests, NULL, NULL);
}
