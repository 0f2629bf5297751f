// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measurements with cold caches: launches take turns on copies of the buffers, each of which has
// the initial contents, on a GPU that a fake library plays. Its launches execute nothing, so a hook
// plays the kernel.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fake_hip/fake_hip.h"
#include "kiln/tune_runner.h"

#define FAKE KILN_BINARY_DIR "/lib/fake_hip/fake_gfx942.so"

// The names end with the number of parameters, which the fake library reads.
static const char BUMP[] =
    "kernel void bump3(const f32 *x, f32 *y, f32 *tail, constexpr i32 STEP)\n"
    "{\n"
    "    i32 i[64] = range(64);\n"
    "    store(tail + i, load(y + i) + load(x + i) + STEP, i < 2);\n"
    "}\n"
    "kernel void next1(f32 *y) { store(y + range(64), 1.0); }\n";

enum { ELEMENTS = 1000, BYTES = 4 * ELEMENTS, STRIDE = 4096, MAX_LAUNCHES = 1024 };

static kiln_device_t *device;
static fake_last_launch_fn last_launch;
static struct launched {
    uint64_t x, y, tail; // pointers
    bool is_code_cold;
} launched[MAX_LAUNCHES];
static const char **failing_call; // of the fake library
static int launches, dirty, nexts, strays, refusals, invalidations;
static bool is_code_cold; // whether the caches were invalidated since the last launch
static uint64_t y_of_last;
static bool wants_cold_code;

// Checks that all contents are initial ones, and adds to the last element of y.
static float play(const char *kernel, unsigned grid, unsigned block)
{
    struct launched now;
    if (strcmp(kernel, "kiln_invalidate_code0") == 0) {
        invalidations++;
        is_code_cold = grid >= 304 && block == 64;
        return 1;
    }
    if (strcmp(kernel, "next1") == 0) {
        memcpy(&now.y, last_launch()->kernarg, sizeof now.y);
        nexts++;
        strays += now.y != y_of_last;
        return 1;
    }
    memcpy(&now, last_launch()->kernarg, 3 * sizeof now.x);
    const float *x = (const float *)(uintptr_t)now.x;
    float *y = (float *)(uintptr_t)now.y;
    for (int i = 0; i < ELEMENTS; i++)
        dirty += x[i] != 3 || y[i] != 5;
    strays += now.tail != now.y + BYTES - 8;
    *(float *)(uintptr_t)now.tail += 1;
    y_of_last = now.y;
    now.is_code_cold = is_code_cold;
    if (launches < MAX_LAUNCHES)
        launched[launches] = now;
    launches++;
    is_code_cold = false;
    return 1;
}

static kiln_arguments_t *make_arguments(void)
{
    kiln_arguments_t *arguments;
    assert_null(kiln_arguments_create(device, &arguments));
    assert_null(kiln_arguments_add(arguments, "x=f32[1000]:fill:3"));
    assert_null(kiln_arguments_add(arguments, "y=f32[1000]:fill:5"));
    assert_null(kiln_arguments_add(arguments, "tail=&y[998]"));
    launches = dirty = nexts = strays = invalidations = 0;
    is_code_cold = false;
    return arguments;
}

static const kiln_named_buffer_t *buffer(const kiln_arguments_t *arguments, size_t index)
{
    return kiln_arguments_buffer(arguments, index);
}

static kiln_status_t verify(const kiln_tune_candidate_t *candidate, double *out_error, void *user)
{
    float now;
    (void)candidate;
    *out_error = 0;
    const kiln_named_buffer_t *y = buffer(user ? *(kiln_arguments_t **)user : NULL, 1);
    assert_null(kiln_buffer_read(y->memory, BYTES - 8, &now, sizeof now));
    return now == 6 ? KILN_OK : kiln_status_make(KILN_STATUS_MISMATCH, "y is wrong");
}

// The callbacks of a search need the runner and the arguments.
static kiln_tune_runner_t *runner;

static kiln_status_t prepare(const kiln_tune_candidate_t *candidate, const kiln_kernel_t *kernel,
                             kiln_launch_t *out_launch, void *user)
{
    (void)user;
    return kiln_tune_runner_prepare(candidate, kernel, out_launch, runner);
}

static kiln_status_t prepare_step(const kiln_tune_candidate_t *candidate, size_t step,
                                  const kiln_kernel_t *kernel, kiln_launch_t *out_launch,
                                  void *user)
{
    (void)user;
    return kiln_tune_runner_prepare_step(candidate, step, kernel, out_launch, runner);
}

static kiln_status_t restore(void *user)
{
    (void)user;
    return kiln_tune_runner_restore(runner);
}

// Counts the samples that are rejected because memory is exhausted.
static void count_refusals(const kiln_tune_sample_t *sample, size_t done, size_t total, void *user)
{
    (void)done, (void)total, (void)user;
    refusals += sample->verdict == KILN_TUNE_REJECTED &&
                strstr(sample->reason, "hipMalloc failed: out of memory");
}

// Tunes STEP with copies that have `bytes` bytes.
static kiln_status_t search(kiln_arguments_t **arguments, uint64_t bytes,
                            const kiln_tune_step_t *then, kiln_tune_result_t **out_result)
{
    const char *const steps[] = {"1", "2"};
    const kiln_tune_axis_t axis = {"STEP", steps, 2};
    kiln_compile_options_t options;
    kiln_tune_problem_t problem;
    kiln_compile_options_initialize(&options);
    options.kernel = "bump3";
    kiln_tune_problem_initialize(&problem);
    problem.options = &options;
    problem.source = (kiln_source_t){KILN_STAGE_TILE, "bump", BUMP, strlen(BUMP)};
    problem.device = device;
    problem.axes = &axis;
    problem.axis_count = 1;
    problem.then = &then;
    problem.then_count = then ? 1 : 0;
    assert_null(kiln_tune_runner_create(*arguments, NULL, NULL, 0, &runner));
    if (then)
        assert_null(kiln_tune_runner_add_step(runner, NULL));
    assert_null(kiln_tune_runner_rotate(runner, bytes));
    if (wants_cold_code)
        assert_null(kiln_tune_runner_cold_code(runner));
    problem.prepare = prepare;
    problem.prepare_step = prepare_step;
    problem.restore = restore;
    problem.verify = verify;
    problem.progress = count_refusals;
    problem.user = arguments;
    return kiln_tune(&problem, out_result);
}

static void tune(kiln_arguments_t **arguments, uint64_t bytes, const kiln_tune_step_t *then)
{
    kiln_tune_result_t *result;
    assert_null(search(arguments, bytes, then, &result));
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(kiln_tune_result_sample(result, i)->verdict, KILN_TUNE_OK);
    kiln_tune_result_release(result);
    assert_true(launches > 40 && launches <= MAX_LAUNCHES);
    assert_int_equal(dirty, 0);
    assert_int_equal(strays, 0);
}

// The launches, other than those that use the buffers themselves, take turns on the copies, across
// candidates too: no copy is used again before all others.
static void check_turns(const kiln_arguments_t *arguments, size_t copies)
{
    uint64_t x[MAX_LAUNCHES], y[MAX_LAUNCHES];
    size_t count = 0;
    for (int i = 0; i < launches; i++) {
        if (launched[i].x == buffer(arguments, 0)->address) {
            assert_int_equal(launched[i].y, buffer(arguments, 1)->address);
            continue;
        }
        x[count] = launched[i].x;
        y[count++] = launched[i].y;
    }
    assert_true(count > 40);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(x[i], x[0] + i % copies * STRIDE);
        assert_int_equal(y[i], y[0] + i % copies * STRIDE);
    }
}

static void launches_take_turns_on_copies(void **state)
{
    (void)state;
    kiln_arguments_t *arguments = make_arguments();
    tune(&arguments, (uint64_t)2 * 7 * STRIDE, NULL);
    check_turns(arguments, 7);
    kiln_tune_runner_release(runner);
    kiln_arguments_release(arguments);
}

// Before each launch but a candidate's first the instruction caches are invalidated, once.
static void launches_find_cold_code_on_request(void **state)
{
    (void)state;
    kiln_arguments_t *arguments = make_arguments();
    wants_cold_code = true;
    tune(&arguments, (uint64_t)2 * 7 * STRIDE, NULL);
    wants_cold_code = false;
    check_turns(arguments, 7);
    int cold = 0;
    for (int i = 0; i < launches; i++) { // those that use the buffers themselves are not timed
        assert_int_equal(launched[i].is_code_cold, launched[i].x != buffer(arguments, 0)->address);
        cold += launched[i].is_code_cold;
    }
    assert_int_equal(invalidations, cold);
    kiln_tune_runner_release(runner);
    kiln_arguments_release(arguments);
}

static void a_sequence_uses_one_copy(void **state)
{
    (void)state;
    kiln_tune_step_t step;
    kiln_tune_step_initialize(&step);
    step.kernel = "next1";
    kiln_arguments_t *arguments = make_arguments();
    tune(&arguments, (uint64_t)2 * 5 * STRIDE, &step);
    check_turns(arguments, 5);
    assert_int_equal(nexts, launches);
    kiln_tune_runner_release(runner);
    kiln_arguments_release(arguments);
}

// Without a number, the copies have 512 MiB.
static void the_copies_are_larger_than_the_cache(void **state)
{
    (void)state;
    kiln_arguments_t *arguments;
    assert_null(kiln_arguments_create(device, &arguments));
    assert_null(kiln_arguments_add(arguments, "x=f32[33554432]"));
    assert_null(kiln_tune_runner_create(arguments, NULL, NULL, 0, &runner));
    assert_null(kiln_tune_runner_rotate(runner, 0));
    const uint64_t x = buffer(arguments, 0)->address;
    uint64_t places[8];
    assert_int_equal(kiln_tune_runner_address(runner, x + 8), x + 8);
    for (int i = 0; i < 8; i++) {
        assert_null(kiln_tune_runner_restore(runner));
        places[i] = kiln_tune_runner_address(runner, x + 8);
    }
    assert_int_equal(places[0], x + 8);
    assert_int_equal(places[5], places[1]);
    for (int i = 2; i < 5; i++)
        assert_int_equal(places[i], places[1] + (uint64_t)(i - 1) * (UINT64_C(128) << 20));
    assert_int_equal(kiln_tune_runner_address(runner, 8), 8);
    kiln_status_t late = kiln_tune_runner_rotate(runner, 0);
    assert_int_equal(kiln_status_code(late), KILN_STATUS_USAGE);
    kiln_status_free(late);
    kiln_tune_runner_release(runner);
    kiln_arguments_release(arguments);
}

// A large buffer has two copies, so that restoring one does not move the next launch's data into
// the caches.
static void large_buffers_have_two_copies(void **state)
{
    (void)state;
    const uint64_t sizes[] = {1, STRIDE - 1, STRIDE, STRIDE + 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        kiln_arguments_t *arguments = make_arguments();
        tune(&arguments, sizes[i], NULL);
        check_turns(arguments, 2);
        kiln_tune_runner_release(runner);
        kiln_arguments_release(arguments);
    }
}

// So do copies of small buffers, however many they are.
static void small_buffers_have_many_copies(void **state)
{
    (void)state;
    enum { SIZE = 256, COPIES = (512 << 20) / SIZE };
    kiln_arguments_t *arguments;
    assert_null(kiln_arguments_create(device, &arguments));
    assert_null(kiln_arguments_add(arguments, "x=f32[50]:fill:3"));
    assert_null(kiln_tune_runner_create(arguments, NULL, NULL, 0, &runner));
    assert_null(kiln_tune_runner_rotate(runner, 0));
    assert_null(kiln_tune_runner_restore(runner));
    const uint64_t x = buffer(arguments, 0)->address;
    uint64_t first = 0;
    for (size_t i = 0; i <= COPIES; i++) {
        assert_null(kiln_tune_runner_restore(runner));
        const uint64_t now = kiln_tune_runner_address(runner, x);
        if (i == 0)
            first = now;
        if (now != first + i % COPIES * SIZE)
            fail_msg("turn %zu is at %+lld", i, (long long)(now - first));
        const float *values = (const float *)(uintptr_t)now;
        if (values[0] != 3 || values[49] != 3)
            fail_msg("copy %zu has %g and %g", i, values[0], values[49]);
    }
    kiln_tune_runner_release(runner);
    kiln_arguments_release(arguments);
}

// A number of copies that is not a power of two.
static void all_copies_have_the_contents(void **state)
{
    (void)state;
    kiln_arguments_t *arguments = make_arguments();
    const uint64_t x = buffer(arguments, 0)->address, y = buffer(arguments, 1)->address;
    for (uint64_t copies = 2; copies < 14; copies++) {
        assert_null(kiln_tune_runner_create(arguments, NULL, NULL, 0, &runner));
        assert_null(kiln_tune_runner_rotate(runner, 2 * copies * STRIDE));
        assert_null(kiln_tune_runner_restore(runner));
        for (uint64_t i = 0; i < copies; i++) {
            assert_null(kiln_tune_runner_restore(runner));
            const float *of_x = (const float *)(uintptr_t)kiln_tune_runner_address(runner, x),
                        *of_y = (const float *)(uintptr_t)kiln_tune_runner_address(runner, y);
            for (int k = 0; k < ELEMENTS; k++)
                assert_true(of_x[k] == 3 && of_y[k] == 5);
        }
        kiln_tune_runner_release(runner);
    }
    kiln_arguments_release(arguments);
}

static void copies_that_do_not_fit_are_an_error(void **state)
{
    (void)state;
    kiln_arguments_t *arguments; // the fake library refuses more than 1 GiB
    assert_null(kiln_arguments_create(device, &arguments));
    assert_null(kiln_arguments_add(arguments, "x=f32[67108864]"));
    assert_null(kiln_tune_runner_create(arguments, NULL, NULL, 0, &runner));
    assert_null(kiln_tune_runner_rotate(runner, UINT64_C(4) << 30));
    assert_null(kiln_tune_runner_restore(runner));
    kiln_status_t status = kiln_tune_runner_restore(runner);
    assert_int_equal(kiln_status_code(status), KILN_STATUS_OUT_OF_RESOURCES);
    char *text = kiln_status_format(status);
    assert_non_null(text);
    assert_non_null(strstr(text, "for 16 copies of 'x'"));
    free(text);
    kiln_status_free(status);
    kiln_tune_runner_release(runner);
    kiln_arguments_release(arguments);
}

// Expects that a failed attempt to make copies leaves the launches at the buffers.
static void check_failure(kiln_status_t status, const kiln_arguments_t *arguments,
                          const char *expected)
{
    char *text = kiln_status_format(status);
    assert_non_null(text);
    if (!strstr(text, expected))
        fail_msg("expected '%s' in '%s'", expected, text);
    free(text);
    kiln_status_free(status);
    const uint64_t x = buffer(arguments, 0)->address;
    assert_int_equal(kiln_tune_runner_address(runner, x + 8), x + 8);
}

// Of two buffers the second one's copies cannot be made. Each attempt tells why.
static void a_failure_leaves_no_copies(void **state)
{
    (void)state;
    kiln_arguments_t *arguments;
    assert_null(kiln_arguments_create(device, &arguments));
    assert_null(kiln_arguments_add(arguments, "x=f32[64]:fill:3"));
    assert_null(kiln_arguments_add(arguments, "y=f32[67108864]"));
    assert_null(kiln_tune_runner_create(arguments, NULL, NULL, 0, &runner));
    assert_null(kiln_tune_runner_rotate(runner, UINT64_C(4) << 30));
    assert_null(kiln_tune_runner_restore(runner));
    for (int i = 0; i < 3; i++)
        check_failure(kiln_tune_runner_restore(runner), arguments, "for 16 copies of 'y'");
    kiln_tune_runner_release(runner);
    kiln_arguments_release(arguments);
}

// No amount of bytes wraps to a small one.
static void copies_do_not_wrap(void **state)
{
    (void)state;
    const struct {
        uint64_t bytes;
        const char *expected;
    } cases[] = {
        {UINT64_MAX, "copies of 'x', 4096 bytes each, exceed the address space"},
        {UINT64_MAX - STRIDE + 1, "for 4503599627370495 copies of 'x'"},
        {UINT64_C(1) << 63, "for 2251799813685248 copies of 'x'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kiln_arguments_t *arguments;
        assert_null(kiln_arguments_create(device, &arguments));
        assert_null(kiln_arguments_add(arguments, "x=f32[1000]"));
        assert_null(kiln_tune_runner_create(arguments, NULL, NULL, 0, &runner));
        assert_null(kiln_tune_runner_rotate(runner, cases[i].bytes));
        assert_null(kiln_tune_runner_restore(runner));
        check_failure(kiln_tune_runner_restore(runner), arguments, cases[i].expected);
        kiln_tune_runner_release(runner);
        kiln_arguments_release(arguments);
    }
}

// What has been made when a copy cannot be written is not used, and later attempts may succeed.
static void copies_are_made_after_a_failure(void **state)
{
    (void)state;
    kiln_arguments_t *arguments = make_arguments();
    assert_null(kiln_tune_runner_create(arguments, NULL, NULL, 0, &runner));
    assert_null(kiln_tune_runner_rotate(runner, (uint64_t)2 * 3 * STRIDE));
    assert_null(kiln_tune_runner_restore(runner));
    *failing_call = "hipMemcpyHtoD";
    for (int i = 0; i < 2; i++)
        check_failure(kiln_tune_runner_restore(runner), arguments, "hipMemcpyHtoD");
    *failing_call = NULL;
    const uint64_t x = buffer(arguments, 0)->address;
    uint64_t places[4];
    for (int i = 0; i < 4; i++) {
        assert_null(kiln_tune_runner_restore(runner));
        places[i] = kiln_tune_runner_address(runner, x);
        assert_true(*(const float *)(uintptr_t)places[i] == 3);
    }
    assert_true(places[0] != x);
    assert_int_equal(places[1], places[0] + STRIDE);
    assert_int_equal(places[3], places[0]);
    kiln_tune_runner_release(runner);
    kiln_arguments_release(arguments);
}

// No candidate is measured with what earlier ones could not make.
static void each_candidate_gets_the_error(void **state)
{
    (void)state;
    kiln_arguments_t *arguments;
    assert_null(kiln_arguments_create(device, &arguments));
    assert_null(kiln_arguments_add(arguments, "x=f32[1000]:fill:3"));
    assert_null(kiln_arguments_add(arguments, "y=f32[67108864]:fill:5"));
    assert_null(kiln_arguments_add(arguments, "tail=&y[998]"));
    launches = dirty = nexts = strays = refusals = 0;
    kiln_tune_result_t *result = NULL;
    kiln_status_t status = search(&arguments, UINT64_C(4) << 30, NULL, &result);
    assert_int_equal(kiln_status_code(status), KILN_STATUS_MISMATCH);
    kiln_status_free(status);
    assert_int_equal(refusals, 2);
    kiln_tune_result_release(result);
    kiln_tune_runner_release(runner);
    kiln_arguments_release(arguments);
}

static int set_up(void **state)
{
    (void)state;
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_HIP;
    options.hip_library = FAKE;
    void *library = dlopen(FAKE, RTLD_NOW);
    float (**duration)(const char *, unsigned, unsigned) =
        library ? dlsym(library, "fakeHipDuration") : NULL;
    if (!duration || kiln_device_open(&options, &device))
        return -1;
    *(void **)&last_launch = dlsym(library, "fakeHipLastLaunch");
    failing_call = dlsym(library, "fakeHipFails");
    *duration = play;
    return last_launch && failing_call ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    kiln_device_release(device);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_take_turns_on_copies),
        cmocka_unit_test(launches_find_cold_code_on_request),
        cmocka_unit_test(a_sequence_uses_one_copy),
        cmocka_unit_test(the_copies_are_larger_than_the_cache),
        cmocka_unit_test(small_buffers_have_many_copies),
        cmocka_unit_test(large_buffers_have_two_copies),
        cmocka_unit_test(all_copies_have_the_contents),
        cmocka_unit_test(copies_that_do_not_fit_are_an_error),
        cmocka_unit_test(a_failure_leaves_no_copies),
        cmocka_unit_test(copies_do_not_wrap),
        cmocka_unit_test(copies_are_made_after_a_failure),
        cmocka_unit_test(each_candidate_gets_the_error),
    };
    return cmocka_run_group_tests_name("tune_rotate", tests, set_up, tear_down);
}
