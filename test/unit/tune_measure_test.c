// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How kiln_tune measures on a GPU that a fake library imitates: the test decides how long a launch
// takes. Slower candidates are given up early, the best ones are measured in turn, so that a drift
// of the clock affects all of them, the launches of a sequence are measured as one, and the clock
// that was held is a part of each sample.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kiln/tune_runner.h"

#define FAKE KILN_BINARY_DIR "/lib/fake_hip/fake_gfx942.so"

// Names end with the number of parameters, which the fake library reads.
static const char KERNELS[] = "kernel void first1(f32 *x) { store(x + range(256), 1.0); }\n"
                              "kernel void second1(f32 *x) { store(x + range(256), 2.0); }\n";

static kiln_device_t *device;
static float (**duration)(const char *kernel, unsigned grid, unsigned block);
static int launches[17]; // by number of warps
static char order[4096]; // of the launches
static size_t order_length;

static unsigned note(unsigned block)
{
    const unsigned warps = block / 64;
    launches[warps]++;
    if (order_length + 1 < sizeof order)
        order[order_length++] = (char)('0' + warps);
    return warps;
}

static kiln_status_t verify(const kiln_tune_candidate_t *candidate, double *out_error, void *user)
{
    (void)candidate, (void)user;
    *out_error = 0;
    return KILN_OK;
}

typedef struct tuned {
    kiln_arguments_t *arguments;
    kiln_tune_runner_t *runner;
    kiln_compile_options_t options;
    kiln_tune_axis_t axis;
    kiln_tune_problem_t problem;
    kiln_tune_result_t *result;
} tuned_t;

// Tunes num_warps of the first kernel.
static void tune(tuned_t *tuned, const char *const *warps, size_t count)
{
    tuned->axis = (kiln_tune_axis_t){"num_warps", warps, count};
    kiln_compile_options_initialize(&tuned->options);
    tuned->options.kernel = "first1";
    memset(launches, 0, sizeof launches);
    memset(order, 0, sizeof order);
    order_length = 0;
    assert_null(kiln_arguments_create(device, &tuned->arguments));
    assert_null(kiln_arguments_add(tuned->arguments, "x=f32[256]"));
    assert_null(kiln_tune_runner_create(tuned->arguments, NULL, NULL, 0, &tuned->runner));
    kiln_tune_problem_t *problem = &tuned->problem;
    for (size_t i = 0; i < problem->then_count; i++)
        assert_null(kiln_tune_runner_add_step(tuned->runner, NULL));
    problem->options = &tuned->options;
    problem->source = (kiln_source_t){KILN_STAGE_TILE, "kernels", KERNELS, strlen(KERNELS)};
    problem->device = device;
    problem->axes = &tuned->axis;
    problem->axis_count = 1;
    problem->prepare = kiln_tune_runner_prepare;
    problem->prepare_step = kiln_tune_runner_prepare_step;
    problem->restore = kiln_tune_runner_restore;
    problem->verify = verify;
    problem->user = tuned->runner;
    assert_null(kiln_tune(problem, &tuned->result));
    assert_int_equal(kiln_tune_result_cost_kind(tuned->result), KILN_COST_MEASURED_NANOSECONDS);
}

static const kiln_tune_sample_t *sample_of(const tuned_t *tuned, const char *config)
{
    for (size_t i = 0; i < kiln_tune_result_count(tuned->result); i++) {
        const kiln_tune_sample_t *sample = kiln_tune_result_sample(tuned->result, i);
        if (strcmp(sample->candidate->config, config) == 0)
            return sample;
    }
    fail();
    return NULL;
}

static void release(tuned_t *tuned)
{
    kiln_tune_result_release(tuned->result);
    kiln_tune_runner_release(tuned->runner);
    kiln_arguments_release(tuned->arguments);
}

// Two warps take twice as long, with a noise of a tenth.
static float twice(const char *kernel, unsigned grid, unsigned block)
{
    (void)kernel, (void)grid;
    const unsigned warps = note(block);
    return (warps == 2 ? 2.0f : 1.0f) + 0.1f * (float)(launches[warps] % 2);
}

// Three to warm up, five to decide, and one more whose results are verified.
static void a_slower_candidate_is_given_up_early(void **state)
{
    (void)state;
    const char *const warps[] = {"1", "2"};
    tuned_t tuned = {0};
    kiln_tune_problem_initialize(&tuned.problem);
    *duration = twice;
    tune(&tuned, warps, 2);
    assert_int_equal(launches[1], 3 + 20 + 1);
    assert_int_equal(launches[2], 3 + 5 + 1);
    const kiln_tune_sample_t *slow = sample_of(&tuned, "num_warps=2");
    assert_int_equal(slow->verdict, KILN_TUNE_OK);
    assert_true(slow->cost > 1.9e6 && slow->cost < 2.2e6);
    assert_true(fabs(slow->clock_mhz - 1500) < 1);
    assert_string_equal(kiln_tune_result_sample(tuned.result, 0)->candidate->config, "num_warps=1");
    release(&tuned);
}

// Each launch is slower than the one before it, so the first candidate seems to be the best,
// although the second one takes a tenth less. In a turn the first launch is not timed.
static float drift(const char *kernel, unsigned grid, unsigned block)
{
    (void)kernel, (void)grid;
    const unsigned warps = note(block);
    const float slowness = 1 + 0.02f * (float)order_length;
    return (warps == 2 ? 0.9f : 1.0f) * slowness;
}

static void contenders_are_measured_in_turn(void **state)
{
    (void)state;
    const char *const warps[] = {"1", "2"};
    tuned_t tuned = {0};
    kiln_tune_problem_initialize(&tuned.problem);
    *duration = drift;
    tune(&tuned, warps, 2);
    assert_non_null(strstr(order, "11221122112211221122112211221122112211221122"));
    assert_string_equal(kiln_tune_result_sample(tuned.result, 0)->candidate->config, "num_warps=2");
    const double ratio =
        sample_of(&tuned, "num_warps=1")->cost / sample_of(&tuned, "num_warps=2")->cost;
    assert_true(ratio > 1.08 && ratio < 1.13);
    release(&tuned);
}

// Everything is slower after the first measurements: those of one and two warps, which cannot be
// told apart, take longer in turn than four warps did before, which had clearly lost.
static float slower_later(const char *kernel, unsigned grid, unsigned block)
{
    (void)kernel, (void)grid;
    enum { BEFORE = 24 + 24 + 9 };
    const unsigned warps = note(block);
    if (order_length > BEFORE)
        return warps == 1 ? 1.5f : warps == 2 ? 1.4f : 1.6f;
    return warps == 4 ? 1.1f : 1.0f + 0.01f * (float)(launches[warps] % 2);
}

static void the_best_one_is_measured_in_turn(void **state)
{
    (void)state;
    const char *const warps[] = {"1", "2", "4"};
    tuned_t tuned = {0};
    kiln_tune_problem_initialize(&tuned.problem);
    *duration = slower_later;
    tune(&tuned, warps, 3);
    assert_int_equal(launches[1], 24 + 2 * 2 * 23);
    assert_int_equal(launches[4], 9 + 2 * 23);
    assert_string_equal(kiln_tune_result_sample(tuned.result, 0)->candidate->config, "num_warps=2");
    assert_true(fabs(sample_of(&tuned, "num_warps=4")->cost - 1.6e6) < 1e3);
    release(&tuned);
}

// The second kernel takes three milliseconds with any number of warps.
static float one_and_three(const char *kernel, unsigned grid, unsigned block)
{
    (void)grid;
    if (strcmp(kernel, "second1") == 0)
        return 3;
    return note(block) == 2 ? 1 : 2;
}

static void a_sequence_is_measured_as_one(void **state)
{
    (void)state;
    const char *const warps[] = {"1", "2"};
    kiln_tune_step_t step;
    kiln_tune_step_initialize(&step);
    step.kernel = "second1";
    const kiln_tune_step_t *const then[] = {&step};
    tuned_t tuned = {0};
    kiln_tune_problem_initialize(&tuned.problem);
    tuned.problem.then = then;
    tuned.problem.then_count = 1;
    *duration = one_and_three;
    char path[] = "/tmp/kiln-measure-XXXXXX.db", *text;
    close(mkstemps(path, 3));
    unlink(path);
    assert_null(kiln_tune_store_open(path, &tuned.problem.store));
    tune(&tuned, warps, 2);
    assert_true(fabs(sample_of(&tuned, "num_warps=1")->cost - 5e6) < 1e3);
    assert_true(fabs(sample_of(&tuned, "num_warps=2")->cost - 4e6) < 1e3);
    // A program finds it for the same kernels, but not for the first one alone.
    kiln_tune_match_t match = {.struct_size = sizeof match};
    assert_null(kiln_tune_find_problem(&tuned.problem, KILN_TUNE_USE_EXACT, &match));
    assert_string_equal(match.config, "num_warps=2");
    assert_null(kiln_tune_step_settings(&tuned.problem, 1, match.config, &text));
    assert_string_equal(text, "num_warps=2");
    free(text);
    free(match.config);
    free(match.arguments);
    tuned.problem.then_count = 0;
    kiln_status_t status = kiln_tune_find_problem(&tuned.problem, KILN_TUNE_USE_EXACT, &match);
    assert_int_equal(kiln_status_code(status), KILN_STATUS_NOT_FOUND);
    kiln_status_free(status);
    kiln_tune_store_release(tuned.problem.store);
    unlink(path);
    release(&tuned);
}

static kiln_status_t expect_clock(const kiln_tune_record_t *record, void *user)
{
    ++*(int *)user;
    assert_true(fabs(record->clock_mhz - 1200) < 1);
    return KILN_OK;
}

// The clock falls while the candidates are measured in turn, and stays in the store.
static double *clock_mhz;
static float slower_clock(const char *kernel, unsigned grid, unsigned block)
{
    enum { BEFORE = 24 + 24 };
    const float ms = drift(kernel, grid, block);
    *clock_mhz = order_length > BEFORE ? 1200 : 1500;
    return ms;
}

static void the_clock_is_stored(void **state)
{
    (void)state;
    const char *const warps[] = {"1", "2"};
    tuned_t tuned = {0};
    int count = 0;
    kiln_tune_problem_initialize(&tuned.problem);
    char path[] = "/tmp/kiln-measure-XXXXXX.db";
    close(mkstemps(path, 3));
    unlink(path);
    assert_null(kiln_tune_store_open(path, &tuned.problem.store));
    *duration = slower_clock;
    tune(&tuned, warps, 2);
    assert_true(fabs(sample_of(&tuned, "num_warps=1")->clock_mhz - 1200) < 1);
    assert_null(
        kiln_tune_store_visit(tuned.problem.store, KILN_TUNE_SAMPLES, expect_clock, &count));
    assert_int_equal(count, 2);
    release(&tuned);
    tuned.problem.recall = KILN_TUNE_RECALL_ALL;
    tune(&tuned, warps, 2);
    assert_true(sample_of(&tuned, "num_warps=1")->is_recalled);
    assert_true(fabs(sample_of(&tuned, "num_warps=1")->clock_mhz - 1200) < 1);
    kiln_tune_store_release(tuned.problem.store);
    unlink(path);
    release(&tuned);
    *clock_mhz = 1500;
}

static kiln_status_t launch_nothing(void *user)
{
    (void)user;
    return KILN_OK;
}

static void a_cost_has_an_interval(void **state)
{
    (void)state;
    kiln_cost_t cost = {.struct_size = sizeof cost};
    *duration = NULL;
    assert_null(kiln_cost_of_launch(device, NULL, launch_nothing, NULL, &cost));
    assert_int_equal(cost.kind, KILN_COST_MEASURED_NANOSECONDS);
    assert_int_equal(cost.timed, 20);
    assert_true(cost.fastest <= cost.low && cost.low <= cost.value && cost.value <= cost.high &&
                cost.high <= cost.slowest);
}

static int set_up(void **state)
{
    (void)state;
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_HIP;
    options.hip_library = FAKE;
    void *library = dlopen(FAKE, RTLD_NOW);
    duration = library ? dlsym(library, "fakeHipDuration") : NULL;
    clock_mhz = library ? dlsym(library, "fakeHipClock") : NULL;
    return duration && clock_mhz && !kiln_device_open(&options, &device) ? 0 : -1;
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
        cmocka_unit_test(a_slower_candidate_is_given_up_early),
        cmocka_unit_test(contenders_are_measured_in_turn),
        cmocka_unit_test(the_best_one_is_measured_in_turn),
        cmocka_unit_test(a_sequence_is_measured_as_one),
        cmocka_unit_test(the_clock_is_stored),
        cmocka_unit_test(a_cost_has_an_interval),
    };
    return cmocka_run_group_tests_name("tune_measure", tests, set_up, tear_down);
}
