// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A JIT with a tuner, on the simulator: a call without stored settings is tuned on buffers of the
// tuner's own, once, whatever the number of threads, and the next JIT finds the result.
#include "run_kernel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "kiln/jit_compile.h"
#include "kiln/tuner.h"

// BLOCK=128 is the cheaper one; the last block of the grid is partial, and x is updated in place.
static const char ADD[] = "[[grid(cdiv(n, BLOCK))]]\n[[tune(BLOCK = 64, 128)]]\n"
                          "kernel void add(f32 *x, i32 n, constexpr i32 BLOCK = 32)\n"
                          "{\n"
                          "    i32 i[BLOCK] = program_id(0) * BLOCK + range(BLOCK);\n"
                          "    f32 v[BLOCK] = load(x + i, i < n);\n"
                          "    f32 w[BLOCK] = v;\n"
                          "    for (i32 k = 0; k < (BLOCK == 128 ? 2 : 200); k++)\n"
                          "        w = sin(w);\n"
                          "    store(x + i, w > 2.0 ? w : v + 1.0, i < n);\n"
                          "}\n";
enum { N = 1000, THREADS = 4 };

static char path[] = "/tmp/kiln-tuner-XXXXXX.db";
static atomic_int searches, warnings;

static void count_diagnostic(const kiln_diagnostic_t *diagnostic, void *user)
{
    (void)user;
    searches += diagnostic->severity == KILN_SEVERITY_REMARK &&
                strncmp(diagnostic->message, "tuning ", 7) == 0;
    warnings += diagnostic->severity == KILN_SEVERITY_WARNING;
}

static kiln_tuner_t *make_tuner_with(kiln_tune_use_t use, const char *store)
{
    kiln_tuner_options_t options;
    kiln_tuner_t *tuner;
    kiln_tuner_options_initialize(&options);
    options.use = use;
    options.store = store;
    options.jobs = 1;
    options.diagnostic = count_diagnostic;
    searches = warnings = 0;
    expect_ok(kiln_tuner_create(device, &options, &tuner));
    return tuner;
}

static kiln_tuner_t *make_tuner(kiln_tune_use_t use)
{
    return make_tuner_with(use, path);
}

static kiln_jit_t *make_jit(kiln_tuner_t *tuner)
{
    kiln_jit_options_t options;
    kiln_jit_t *jit;
    kiln_jit_options_initialize(&options);
    options.compile = kiln_jit_compile;
    options.identify = kiln_jit_identify;
    options.depend = kiln_jit_depend;
    options.tune = kiln_tuner_tune;
    options.tune_user = tuner;
    options.cache_mode = KILN_CACHE_OFF;
    expect_ok(kiln_jit_create(device, &options, &jit));
    return jit;
}

typedef struct caller {
    kiln_jit_t *jit;
    kiln_buffer_t *x;
    const char *text, *block; // BLOCK's tuned value
    bool has_elements;
} caller_t;

static const char *setting_of(const kiln_jit_kernel_t *kernel, const char *name)
{
    const kiln_setting_t *settings = kiln_jit_kernel_settings(kernel);
    for (size_t i = 0; i < kiln_jit_kernel_setting_count(kernel); i++)
        if (strcmp(settings[i].name, name) == 0)
            return settings[i].value;
    return NULL;
}

static kiln_status_t make_call(const caller_t *caller, kiln_jit_kernel_t **out_kernel)
{
    kiln_jit_call_t call;
    const kiln_jit_argument_t arguments[] = {
        caller->has_elements ? kiln_jit_elements("x", caller->x, KILN_ELEMENT_F32)
                             : kiln_jit_buffer("x", caller->x),
        kiln_jit_integer("n", N)};
    kiln_jit_call_initialize(&call);
    call.source = (kiln_source_t){KILN_STAGE_TILE, "add", caller->text, strlen(caller->text)};
    call.arguments = arguments;
    call.argument_count = 2;
    call.tuning_arguments = "n=1000";
    call.uses_declared_grid = true;
    KILN_TRY(kiln_jit_prepare(caller->jit, &call, out_kernel, NULL));
    return kiln_jit_launch(caller->jit, &call);
}

static void *call_once(void *user)
{
    caller_t *caller = user;
    kiln_jit_kernel_t *kernel;
    kiln_status_t status = make_call(caller, &kernel);
    if (!status)
        caller->block = setting_of(kernel, "BLOCK");
    return status;
}

static kiln_buffer_t *make_x(void)
{
    float values[N];
    kiln_buffer_t *x;
    for (int i = 0; i < N; i++)
        values[i] = (float)i;
    expect_ok(kiln_buffer_create(device, sizeof values, &x));
    expect_ok(kiln_buffer_write(x, 0, values, sizeof values));
    return x;
}

// What `launches` launches alone leave.
static void expect_launched(kiln_buffer_t *x, int launches)
{
    float values[N];
    expect_ok(kiln_device_synchronize(device));
    expect_ok(kiln_buffer_read(x, 0, values, sizeof values));
    for (int i = 0; i < N; i++)
        assert_true(values[i] == (float)(i + launches));
}

static void a_problem_is_tuned_once_by_all_threads(void **state)
{
    (void)state;
    kiln_tuner_t *tuner = make_tuner(KILN_TUNE_USE_OR_SEARCH);
    assert_true(kiln_tuner_is_useful(tuner));
    kiln_jit_t *jit = make_jit(tuner);
    kiln_buffer_t *x = make_x();
    pthread_t threads[THREADS];
    caller_t callers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        callers[i] = (caller_t){.jit = jit, .x = x, .text = ADD, .has_elements = true};
        assert_int_equal(pthread_create(&threads[i], NULL, call_once, &callers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *status;
        assert_int_equal(pthread_join(threads[i], &status), 0);
        expect_ok(status);
        assert_string_equal(callers[i].block, "128");
    }
    assert_int_equal(searches, 1);
    assert_int_equal(warnings, 0);
    expect_launched(x, THREADS);
    kiln_jit_release(jit);
    kiln_tuner_release(tuner);
    kiln_buffer_release(x);
}

static void expect_call(kiln_tune_use_t use, const char *text, bool has_elements, const char *block,
                        int searched, int warned)
{
    kiln_tuner_t *tuner = make_tuner(use);
    kiln_jit_t *jit = make_jit(tuner);
    kiln_buffer_t *x = make_x();
    caller_t caller = {.jit = jit, .x = x, .text = text, .has_elements = has_elements};
    expect_ok(call_once(&caller));
    if (block)
        assert_string_equal(caller.block, block);
    else
        assert_null(caller.block);
    assert_int_equal(searches, searched);
    assert_int_equal(warnings, warned);
    expect_launched(x, 1);
    kiln_jit_release(jit);
    kiln_tuner_release(tuner);
    kiln_buffer_release(x);
}

static void later_jits_use_what_was_found(void **state)
{
    (void)state;
    expect_call(KILN_TUNE_USE_EXACT, ADD, true, "128", 0, 0);
    expect_call(KILN_TUNE_USE_OR_SEARCH, ADD, true, "128", 0, 0);
    expect_call(KILN_TUNE_USE_SEARCH, ADD, true, "128", 1, 0);
    expect_call(KILN_TUNE_USE_DEFAULT, ADD, true, NULL, 0, 0);
}

// A store that cannot be created: the problem is searched once all the same, and its result is used
// by other JITs with this tuner.
static void what_cannot_be_stored_is_remembered(void **state)
{
    (void)state;
    kiln_tuner_t *tuner = make_tuner_with(KILN_TUNE_USE_OR_SEARCH, "/proc/none/tune.db");
    assert_int_equal(warnings, 1);
    kiln_buffer_t *x = make_x();
    for (int i = 0; i < 2; i++) {
        kiln_jit_t *jit = make_jit(tuner);
        caller_t caller = {.jit = jit, .x = x, .text = ADD, .has_elements = true};
        expect_ok(call_once(&caller));
        assert_string_equal(caller.block, "128");
        kiln_jit_release(jit);
    }
    assert_int_equal(searches, 1);
    assert_int_equal(warnings, 1);
    expect_launched(x, 2);
    kiln_tuner_release(tuner);
    kiln_buffer_release(x);
}

// The element type comes from the parameter where the call does not have it.
static void types_of_parameters_are_known(void **state)
{
    (void)state;
    expect_call(KILN_TUNE_USE_SEARCH, ADD, false, "128", 1, 0);
}

// A model chooses without launching: the buffer changes only by the call. Nothing is stored, so a
// mode that reads only stores finds nothing.
static void a_model_chooses_where_nothing_is_stored(void **state)
{
    (void)state;
    static const char OTHER[] = "[[grid(cdiv(n, BLOCK))]]\n[[tune(BLOCK = 64, 256)]]\n"
                                "kernel void add(f32 *x, i32 n, constexpr i32 BLOCK = 32)\n"
                                "{\n"
                                "    i32 i[BLOCK] = program_id(0) * BLOCK + range(BLOCK);\n"
                                "    f32 v[BLOCK] = load(x + i, i < n);\n"
                                "    f32 w[BLOCK] = v;\n"
                                "    for (i32 k = 0; k < (BLOCK == 64 ? 2 : 200); k++)\n"
                                "        w = sin(w);\n"
                                "    store(x + i, w > 2.0 ? w : v + 1.0, i < n);\n"
                                "}\n";
    expect_call(KILN_TUNE_USE_OR_MODEL, OTHER, true, "64", 0, 0);
    expect_call(KILN_TUNE_USE_OR_MODEL, OTHER, false, "64", 0, 0);
    expect_call(KILN_TUNE_USE_EXACT, OTHER, true, NULL, 0, 0);
    expect_call(KILN_TUNE_USE_OR_MODEL, ADD, true, "128", 0, 0); // stored
}

// Without declared values there is nothing to choose from.
static void what_a_model_cannot_choose_runs_with_defaults(void **state)
{
    (void)state;
    static const char PLAIN[] = "[[grid(cdiv(n, 64))]]\n"
                                "kernel void add(f32 *x, i32 n)\n"
                                "{\n"
                                "    i32 i[64] = program_id(0) * 64 + range(64);\n"
                                "    store(x + i, load(x + i, i < n) + 1.0, i < n);\n"
                                "}\n";
    expect_call(KILN_TUNE_USE_OR_MODEL, PLAIN, true, NULL, 0, 1);
}

// Candidates that compute different results: a warning, and the call runs with its defaults.
static void what_cannot_be_tuned_runs_with_defaults(void **state)
{
    (void)state;
    static const char DIFFERS[] = "[[grid(cdiv(n, 64))]]\n[[tune(BLOCK = 1, 2)]]\n"
                                  "kernel void add(f32 *x, i32 n, constexpr i32 BLOCK = 1)\n"
                                  "{\n"
                                  "    i32 i[64] = program_id(0) * 64 + range(64);\n"
                                  "    store(x + i, load(x + i, i < n) + BLOCK, i < n);\n"
                                  "}\n";
    expect_call(KILN_TUNE_USE_OR_SEARCH, DIFFERS, true, NULL, 1, 1);
}

static int remove_store(void **state)
{
    char other[sizeof path + 8];
    for (int i = 0; i < 3; i++) {
        static const char *const ends[] = {"", "-wal", "-shm"};
        snprintf(other, sizeof other, "%s%s", path, ends[i]);
        unlink(other);
    }
    return close_device(state);
}

static int set_up(void **state)
{
    close(mkstemps(path, 3));
    unlink(path);
    return open_device(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_problem_is_tuned_once_by_all_threads),
        cmocka_unit_test(later_jits_use_what_was_found),
        cmocka_unit_test(what_cannot_be_stored_is_remembered),
        cmocka_unit_test(types_of_parameters_are_known),
        cmocka_unit_test(a_model_chooses_where_nothing_is_stored),
        cmocka_unit_test(what_a_model_cannot_choose_runs_with_defaults),
        cmocka_unit_test(what_cannot_be_tuned_runs_with_defaults),
    };
    return cmocka_run_group_tests(tests, set_up, remove_store);
}
