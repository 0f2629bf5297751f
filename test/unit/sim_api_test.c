// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulator as a library (kiln/sim.h): independent machines, results that outlive later
// launches, options by name.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kiln/sim.h"

#define KERNELS KILN_BINARY_DIR "/test/sim_kernels/launch.hsaco"

enum { ITEMS = 256, ROUNDS = 20 };

static char *object;
static size_t object_size;

static int read_kernels(void **state)
{
    (void)state;
    FILE *file = fopen(KERNELS, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        return 1;
    object_size = (size_t)ftell(file);
    object = malloc(object_size);
    rewind(file);
    const bool good = object && fread(object, 1, object_size, file) == object_size;
    fclose(file);
    return good ? 0 : 1;
}

static int free_kernels(void **state)
{
    (void)state;
    free(object);
    return 0;
}

// A machine with the kernels, a buffer of ITEMS numbers and a second one.
typedef struct bench {
    kiln_sim_machine_t *machine;
    kiln_sim_code_object_t *object;
    uint32_t *out, *in;
} bench_t;

static bool open_bench(bench_t *b, const kiln_sim_setting_t *settings, size_t count,
                       kiln_sim_error_t *error)
{
    if (!kiln_sim_machine_create(settings, count, &b->machine, error) ||
        !kiln_sim_machine_load(b->machine, object, object_size, &b->object, error))
        return false;
    b->out = kiln_sim_machine_allocate(b->machine, 4 * ITEMS, error);
    b->in = kiln_sim_machine_allocate(b->machine, 4 * ITEMS, error);
    return b->out && b->in;
}

// Launches this number of workgroups of a kernel that takes the two buffers.
static bool launch(const bench_t *b, const char *kernel, unsigned groups,
                   kiln_sim_result_t **result, kiln_sim_error_t *error)
{
    void *buffers[] = {b->out, b->in};
    const kiln_sim_dispatch_t dispatch = {.struct_size = sizeof dispatch,
                                          .kernel = kiln_sim_object_kernel(b->object, kernel),
                                          .grid = {groups, 1, 1},
                                          .block = {ITEMS, 1, 1},
                                          .packed = buffers,
                                          .packed_size = sizeof buffers};
    return kiln_sim_machine_launch(b->machine, &dispatch, result, error);
}

// ---- two machines on two threads; errors are recorded, since only the main thread may fail a test

typedef struct task {
    const kiln_sim_setting_t *settings;
    size_t setting_count;
    bool limited, checked; // the options' expected effects on the same launches
    char wrong[1200];
} task_t;

static void expect(task_t *task, bool good, const char *what, const char *detail)
{
    if (!good && !task->wrong[0])
        snprintf(task->wrong, sizeof task->wrong, "%s: %s", what, detail);
}

static void expect_reversed(task_t *task, const bench_t *b)
{
    uint32_t out[ITEMS];
    kiln_sim_machine_copy(b->machine, out, b->out, sizeof out);
    for (uint32_t i = 0; i < ITEMS; i++)
        expect(task, out[i] == ITEMS - 1 - i, "reverse", "wrong numbers");
}

static void *run_task(void *data)
{
    task_t *task = data;
    bench_t b = {0};
    kiln_sim_error_t error = {0};
    kiln_sim_result_t *result;
    kiln_sim_finding_t finding = {.struct_size = sizeof finding};
    expect(task, open_bench(&b, task->settings, task->setting_count, &error), "open", error.text);
    for (unsigned round = 0; round < ROUNDS && !task->wrong[0]; round++) {
        uint32_t in[ITEMS];
        for (uint32_t i = 0; i < ITEMS; i++)
            in[i] = i;
        // A fresh buffer is undefined if the check for undefined values is on.
        uint32_t *fresh = kiln_sim_machine_allocate(b.machine, 4 * ITEMS, &error), *filled = b.in;
        expect(task, fresh != NULL, "allocate", error.text);
        b.in = fresh;
        expect(task, launch(&b, "reverse", 1, &result, &error), "reverse", error.text);
        expect(task, kiln_sim_result_finding(result, 0, &finding) == task->checked,
               "findings of reverse", "not as set");
        kiln_sim_result_free(result);
        b.in = filled;
        kiln_sim_machine_copy(b.machine, b.in, in, sizeof in);
        expect(task, launch(&b, "reverse", 1, &result, &error), "reverse", error.text);
        expect(task, !kiln_sim_result_finding(result, 0, &finding), "findings of reverse", "some");
        expect_reversed(task, &b);
        kiln_sim_result_free(result);
        expect(task, kiln_sim_machine_free(b.machine, fresh, &error), "free", error.text);
    }
    error = (kiln_sim_error_t){0};
    if (task->limited)
        expect(task,
               !launch(&b, "forever", 4, NULL, &error) &&
                   strstr(error.text, "executed 1000 instructions"),
               "forever", error.text);
    kiln_sim_machine_unload(b.machine, b.object);
    kiln_sim_machine_destroy(b.machine);
    return NULL;
}

static void two_machines_on_two_threads(void **state)
{
    (void)state;
    static const kiln_sim_setting_t watched[] = {
        {"check", "all"}, {"threads", "2"}, {"limit", "1000"}};
    static const kiln_sim_setting_t plain[] = {{"threads", "3"}, {"mfma", "fast"}};
    task_t tasks[] = {{.settings = watched, .setting_count = 3, .limited = true, .checked = true},
                      {.settings = plain, .setting_count = 2}};
    pthread_t threads[2];
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_task, &tasks[i]), 0);
    for (unsigned i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < 2; i++) {
        if (tasks[i].wrong[0])
            fail_msg("machine %u: %s", i, tasks[i].wrong);
    }
}

// ---- results

static void results_live_side_by_side(void **state)
{
    (void)state;
    bench_t b;
    kiln_sim_error_t error = {0};
    kiln_sim_result_t *first, *second, *failed;
    if (!open_bench(&b, NULL, 0, &error))
        fail_msg("%s", error.text);
    assert_true(launch(&b, "reverse", 1, &first, &error));
    assert_true(launch(&b, "reverse", 5, &second, &error));
    assert_false(launch(&b, "trap", 1, &failed, &error));
    kiln_sim_machine_destroy(b.machine); // results outlive it
    kiln_sim_launch_stats_t stats = {.struct_size = sizeof stats}, part = {.workgroups = 77};
    assert_true(kiln_sim_result_stats(first, &stats));
    assert_int_equal(stats.workgroups, 1);
    const uint64_t instructions = stats.instructions;
    assert_true(kiln_sim_result_stats(second, &stats));
    assert_int_equal(stats.workgroups, 5);
    assert_int_equal(stats.instructions, 5 * instructions);
    assert_false(kiln_sim_result_stats(failed, &stats));
    // A program of an earlier version has a shorter struct.
    part.struct_size = offsetof(kiln_sim_launch_stats_t, waves);
    part.waves = 78;
    assert_true(kiln_sim_result_stats(first, &part));
    assert_int_equal(part.workgroups, 1);
    assert_int_equal(part.waves, 78);
    assert_int_equal(part.struct_size, offsetof(kiln_sim_launch_stats_t, waves));
    kiln_sim_result_free(first);
    kiln_sim_result_free(second);
    kiln_sim_result_free(failed);
}

// ---- options

static void wrong_options_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value, *message;
    } cases[] = {
        {"speed", "1", "unknown option 'speed'"},
        {"mfma", "exactly", "KILN_SIM_MFMA: got 'exactly', expected exact or fast"},
        {"mfma", "or", "KILN_SIM_MFMA: got 'or'"},
        {"threads", "0", "KILN_SIM_THREADS: got '0', expected a number from 1"},
        {"threads", "-1", "'-1'"},
        {"threads", "two", "'two'"},
        {"variant", "sse", "KILN_SIM_VARIANT: got 'sse', expected generic, avx2 or avx512"},
        {"limit", "18446744073709551616", "'18446744073709551616'"},
        {"check", "race,rave", "unknown check 'rave'; this simulator supports memory,"},
        {"trace", "wave=many", "'wave=many'"},
        {"stack", "131073", "131072 bytes"}};
    kiln_sim_machine_t *machine;
    kiln_sim_error_t error = {0};
    assert_true(kiln_sim_machine_create(NULL, 0, &machine, &error));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        error = (kiln_sim_error_t){0};
        if (kiln_sim_machine_set(machine, cases[i].name, cases[i].value, &error) ||
            !strstr(error.text, cases[i].message))
            fail_msg("%s=%s: '%s'", cases[i].name, cases[i].value, error.text);
        const kiln_sim_setting_t setting = {cases[i].name, cases[i].value};
        kiln_sim_machine_t *none;
        assert_false(kiln_sim_machine_create(&setting, 1, &none, NULL));
        assert_null(none);
    }
    kiln_sim_machine_destroy(machine);
}

// An option applies from the next launch on; memory that exists by then counts as written.
static void options_change_between_launches(void **state)
{
    (void)state;
    bench_t b;
    kiln_sim_error_t error = {0};
    kiln_sim_result_t *result;
    kiln_sim_finding_t finding = {.struct_size = sizeof finding};
    if (!open_bench(&b, NULL, 0, &error))
        fail_msg("%s", error.text);
    static const kiln_sim_setting_t steps[] = {
        {"check", "all"}, {"threads", "4"}, {"check", "all,global-race"}, {"check", ""}};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        if (!kiln_sim_machine_set(b.machine, steps[i].name, steps[i].value, &error))
            fail_msg("%s", error.text);
        if (!launch(&b, "reverse", 1, &result, &error))
            fail_msg("%s", error.text);
        assert_false(kiln_sim_result_finding(result, 0, &finding));
        kiln_sim_result_free(result);
    }
    kiln_sim_machine_destroy(b.machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_machines_on_two_threads),
                                       cmocka_unit_test(results_live_side_by_side),
                                       cmocka_unit_test(wrong_options_are_refused),
                                       cmocka_unit_test(options_change_between_launches)};
    return cmocka_run_group_tests(tests, read_kernels, free_kernels);
}
