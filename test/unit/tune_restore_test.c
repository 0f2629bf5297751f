// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers that a launch changes are restored before the next launch, on a GPU that a fake library
// plays: its launches execute nothing, so a hook plays the kernel.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kiln/tune_runner.h"

#define FAKE KILN_BINARY_DIR "/lib/fake_hip/fake_gfx942.so"

// The name ends with the number of parameters, which the fake library reads.
static const char BUMP[] =
    "kernel void bump3(const f32 *x, f32 *y, f32 *work, constexpr i32 BLOCK)\n"
    "{\n"
    "    i32 i[64] = range(64);\n"
    "    store(work + i, load(work + i) + load(x + i));\n"
    "    store(y + i, load(y + i) + BLOCK);\n"
    "}\n";

static kiln_device_t *device;
static const kiln_named_buffer_t *x, *y;
static int launches, dirty, kept;

// Adds to y, and checks whether y had its initial contents, and whether x was left alone.
static void bump(void)
{
    float now[2];
    launches++;
    assert_null(kiln_buffer_read(y->memory, 0, &now[0], sizeof now[0]));
    assert_null(kiln_buffer_read(x->memory, 4, &now[1], sizeof now[1]));
    dirty += now[0] != 5;
    kept += now[1] == 9;
    now[0]++;
    assert_null(kiln_buffer_write(y->memory, 0, &now[0], sizeof now[0]));
}

static kiln_arguments_t *make_arguments(void)
{
    kiln_arguments_t *arguments;
    assert_null(kiln_arguments_create(device, &arguments));
    assert_null(kiln_arguments_add(arguments, "x=f32[64]"));
    assert_null(kiln_arguments_add(arguments, "y=f32[64]:fill:5"));
    x = kiln_arguments_buffer(arguments, 0);
    y = kiln_arguments_buffer(arguments, 1);
    launches = dirty = kept = 0;
    return arguments;
}

static kiln_status_t verify(const kiln_tune_candidate_t *candidate, double *out_error, void *user)
{
    float now;
    (void)candidate, (void)user;
    *out_error = 0;
    assert_null(kiln_buffer_read(y->memory, 0, &now, sizeof now));
    return now == 6 ? KILN_OK : kiln_status_make(KILN_STATUS_MISMATCH, "y is wrong");
}

static void every_measured_launch_starts_from_the_same_contents(void **state)
{
    (void)state;
    const char *const blocks[] = {"64", "128"};
    const kiln_tune_axis_t axis = {"BLOCK", blocks, 2};
    kiln_arguments_t *arguments = make_arguments();
    kiln_tune_problem_t problem;
    kiln_tune_result_t *result;
    kiln_tune_runner_t *runner;
    kiln_tune_problem_initialize(&problem);
    problem.source = (kiln_source_t){KILN_STAGE_TILE, "bump", BUMP, strlen(BUMP)};
    problem.device = device;
    problem.axes = &axis;
    problem.axis_count = 1;
    assert_null(kiln_tune_runner_create(arguments, NULL, NULL, 0, &runner));
    assert_null(kiln_tune_runner_add(runner, "work=f32[BLOCK]"));
    problem.prepare = kiln_tune_runner_prepare;
    problem.restore = kiln_tune_runner_restore;
    problem.verify = verify;
    problem.user = runner;
    assert_null(kiln_tune(&problem, &result));
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(kiln_tune_result_sample(result, i)->verdict, KILN_TUNE_OK);
    assert_true(launches > 40);
    assert_int_equal(dirty, 0);
    kiln_tune_result_release(result);
    kiln_tune_runner_release(runner);
    kiln_arguments_release(arguments);
}

typedef struct bench {
    kiln_tune_runner_t *runner;
} bench_t;

static kiln_status_t restore(void *user)
{
    return kiln_tune_runner_restore(((bench_t *)user)->runner);
}

static kiln_status_t launch(void *user)
{
    (void)user;
    bump();
    if (launches == 2) { // a change that is not the kernel's
        const float value = 9;
        assert_null(kiln_buffer_write(x->memory, 4, &value, sizeof value));
    }
    return KILN_OK;
}

static void only_what_a_launch_changes_is_written(void **state)
{
    (void)state;
    kiln_arguments_t *arguments = make_arguments();
    bench_t bench = {0};
    kiln_cost_t cost = {.struct_size = sizeof cost};
    assert_null(kiln_tune_runner_create(arguments, NULL, NULL, 0, &bench.runner));
    assert_null(kiln_cost_of_restored_launch(device, NULL, restore, launch, &bench, &cost));
    assert_int_equal(cost.kind, KILN_COST_MEASURED_NANOSECONDS);
    assert_int_equal(dirty, 0);
    assert_int_equal(kept, launches - 2);
    kiln_tune_runner_release(bench.runner);
    kiln_arguments_release(arguments);
}

static kiln_status_t launch_once(void *user)
{
    (void)user;
    launches++;
    return KILN_OK;
}

static void numbers_of_launches_are_the_callers(void **state)
{
    (void)state;
    static const struct {
        unsigned warmup, timed;
    } rows[] = {{0, 1}, {2, 7}, {0, 3000}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_arguments_t *arguments = make_arguments();
        bench_t bench = {0};
        kiln_cost_t cost = {.struct_size = sizeof cost};
        assert_null(kiln_tune_runner_create(arguments, NULL, NULL, 0, &bench.runner));
        launches = 0;
        assert_null(kiln_cost_of_repeated_launch(device, NULL, rows[i].warmup, rows[i].timed,
                                                 restore, launch_once, &bench, &cost));
        assert_int_equal(launches, rows[i].warmup + rows[i].timed);
        assert_int_equal(cost.timed, rows[i].timed);
        assert_true(cost.fastest <= cost.low && cost.low <= cost.value && cost.value <= cost.high &&
                    cost.high <= cost.slowest);
        kiln_tune_runner_release(bench.runner);
        kiln_arguments_release(arguments);
    }
}

static int set_up(void **state)
{
    (void)state;
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_HIP;
    options.hip_library = FAKE;
    void *library = dlopen(FAKE, RTLD_NOW);
    void (**on_launch)(void) = library ? dlsym(library, "fakeHipOnLaunch") : NULL;
    if (!on_launch || kiln_device_open(&options, &device))
        return -1;
    *on_launch = bump;
    return 0;
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
        cmocka_unit_test(every_measured_launch_starts_from_the_same_contents),
        cmocka_unit_test(only_what_a_launch_changes_is_written),
        cmocka_unit_test(numbers_of_launches_are_the_callers),
    };
    return cmocka_run_group_tests_name("tune_restore", tests, set_up, tear_down);
}
