// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulator options passed to kiln_device_open apply only to the opened device: neither other
// devices nor the process's own HIP calls are affected. All devices here, and the calls by dlsym,
// use one library and one simulated machine.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "expect_status.h"
#include "kiln/kiln.h"
#include "kiln/runtime.h"

#define LIBRARY KILN_BINARY_DIR "/lib/hip/libamdhip64.so"

static kiln_device_t *open_with(const char *name, const char *value)
{
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_SIM;
    options.sim_library = LIBRARY;
    const kiln_sim_setting_t setting = {name, value};
    options.sim_settings = &setting;
    options.sim_setting_count = name ? 1 : 0;
    kiln_device_t *opened = NULL;
    expect_ok(kiln_device_open(&options, &opened));
    return opened;
}

static void *symbol(const char *name)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    void *found = dlsym(library, name);
    assert_non_null(found);
    return found;
}

// Takes about 10 n instructions.
static const char text[] =
    "kernel void k(i32 *x, i32 n)\n{\n    i32 v = 0;\n    for (i32 i = 0; i < n; i += 1)\n"
    "        v += load(x + i % 16);\n    store(x, v);\n}\n";

static void *code;
static size_t code_size;

static int compile_once(void **state)
{
    (void)state;
    kiln_session_t *session;
    kiln_kernel_t *kernel;
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    options.num_warps = 1;
    const kiln_source_t source = {KILN_STAGE_TILE, "k.tile.c", text, sizeof text - 1};
    expect_ok(kiln_session_create(&session));
    expect_ok(kiln_compile(session, &source, &options, &kernel));
    const void *object = kiln_kernel_code_object(kernel, &code_size);
    code = malloc(code_size);
    assert_non_null(code);
    memcpy(code, object, code_size);
    kiln_kernel_release(kernel);
    kiln_session_release(session);
    return 0;
}

static int free_code(void **state)
{
    (void)state;
    free(code);
    return 0;
}

static kiln_status_t launch_on(kiln_device_t *on, int32_t n)
{
    kiln_module_t *module = NULL;
    kiln_function_t *function = NULL;
    kiln_buffer_t *buffer = NULL;
    expect_ok(kiln_module_load(on, code, code_size, &module));
    expect_ok(kiln_module_function(module, "k", &function));
    expect_ok(kiln_buffer_create(on, 64, &buffer));
    uint64_t address = kiln_buffer_address(buffer);
    void *const args[] = {&address, &n};
    kiln_launch_t launch;
    kiln_launch_initialize(&launch);
    launch.args = args;
    kiln_status_t status = kiln_function_launch(function, &launch);
    if (!status)
        expect_ok(kiln_device_synchronize(on));
    kiln_buffer_release(buffer);
    kiln_module_release(module);
    return status;
}

static void fails(kiln_status_t status, const char *part)
{
    assert_non_null(status);
    assert_non_null(strstr(kiln_status_message(status), part));
    kiln_status_free(status);
}

static void limits_are_each_devices_own(void **state)
{
    (void)state;
    kiln_device_t *free_one = open_with(NULL, NULL);
    expect_ok(launch_on(free_one, 100));
    kiln_device_t *limited = open_with("limit", "2");
    expect_ok(launch_on(free_one, 100));
    fails(launch_on(limited, 100), "has executed 2 instructions");
    expect_ok(launch_on(free_one, 100));
    kiln_device_t *wide = open_with("limit", "1000000");
    fails(launch_on(limited, 100), "has executed 2 instructions");
    expect_ok(launch_on(wide, 100));
    kiln_device_release(limited);
    expect_ok(launch_on(wide, 100));
    expect_ok(launch_on(free_one, 100));
    kiln_device_release(wide);
    kiln_device_release(free_one);
}

static void a_wrong_option_changes_nothing(void **state)
{
    (void)state;
    kiln_device_t *good = open_with(NULL, NULL), *bad = NULL;
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_SIM;
    options.sim_library = LIBRARY;
    const kiln_sim_setting_t settings[] = {{"limit", "2"}, {"mfma", "slow"}};
    options.sim_settings = settings;
    options.sim_setting_count = 2;
    kiln_status_t status = kiln_device_open(&options, &bad);
    assert_int_equal(kiln_status_code(status), KILN_STATUS_USAGE);
    fails(status, "expected exact or fast");
    assert_null(bad);
    const kiln_sim_setting_t devices = {"devices", "7"};
    options.sim_settings = &devices;
    options.sim_setting_count = 1;
    fails(kiln_device_open(&options, &bad), "the number of devices is fixed");
    expect_ok(launch_on(good, 100));
    kiln_device_release(good);
}

static void checks_are_each_devices_own(void **state)
{
    (void)state;
    kiln_device_t *checked = open_with("check", "undefined"), *plain = open_with(NULL, NULL);
    expect_ok(launch_on(plain, 8)); // reads a buffer that was never written
    expect_ok(kiln_device_checked(plain));
    kiln_status_free(launch_on(checked, 8));
    fails(kiln_device_checked(checked), "undefined");
    expect_ok(launch_on(plain, 8));
    expect_ok(kiln_device_checked(plain));
    kiln_device_release(checked);
    kiln_device_release(plain);
}

static void clocks_are_each_devices_own(void **state)
{
    (void)state;
    kiln_device_t *predicts = open_with("clock", "model"), *plain = open_with("clock", "off");
    kiln_sim_prediction_t prediction = {.struct_size = sizeof prediction};
    expect_ok(launch_on(predicts, 8));
    expect_ok(kiln_device_launch_prediction(predicts, &prediction));
    assert_true(prediction.microseconds > 0);
    expect_ok(launch_on(plain, 8));
    fails(kiln_device_launch_prediction(plain, &prediction), "no prediction");
    expect_ok(launch_on(predicts, 8));
    expect_ok(kiln_device_launch_prediction(predicts, &prediction));
    kiln_device_release(predicts);
    kiln_device_release(plain);
}

static void properties_are_each_devices_own(void **state)
{
    (void)state;
    kiln_device_t *plain = open_with(NULL, NULL), *a = open_with("device", "mi300a"),
                  *large = open_with("lds", "160k"), *again = open_with(NULL, NULL);
    assert_int_equal(kiln_device_properties(plain)->compute_units, 304);
    assert_int_equal(kiln_device_properties(a)->compute_units, 228);
    assert_non_null(strstr(kiln_device_key(a), ":228:"));
    assert_int_equal(kiln_device_properties(large)->lds_bytes_per_group, 160 << 10);
    assert_int_equal(kiln_device_properties(again)->compute_units, 304);
    assert_int_equal(kiln_device_properties(again)->lds_bytes_per_group, 64 << 10);
    assert_string_equal(kiln_device_key(plain), kiln_device_key(again));
    expect_ok(launch_on(a, 4));
    expect_ok(launch_on(large, 4));
    kiln_device_release(plain);
    kiln_device_release(a);
    kiln_device_release(large);
    kiln_device_release(again);
}

static void files_are_each_devices_own(void **state)
{
    (void)state;
    char folder[] = "/tmp/kiln-device-options.XXXXXX", report[64], trace[80], path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/trace", folder);
    snprintf(trace, sizeof trace, "file=%s", path);
    snprintf(report, sizeof report, "%s/report", folder);
    kiln_device_t *traced = open_with("trace", trace), *plain = open_with("report", report);
    expect_ok(launch_on(plain, 4));
    expect_ok(launch_on(traced, 4));
    kiln_device_release(traced);
    char *bytes = NULL;
    size_t size = 0, before = 0;
    expect_ok(kiln_file_read(path, &bytes, &before));
    free(bytes);
    assert_true(before > 0);
    expect_ok(launch_on(plain, 4));
    expect_ok(kiln_file_read(path, &bytes, &size));
    free(bytes);
    assert_int_equal(size, before);
    kiln_device_release(plain);
    unlink(path);
    unlink(report);
    rmdir(folder);
}

// Options without an override follow the process's options, even if those change.
static void the_process_keeps_its_options(void **state)
{
    (void)state;
    int (*set_option)(const char *, const char *) = NULL;
    *(void **)&set_option = symbol("kilnSimSetOption");
    kiln_device_t *plain = open_with(NULL, NULL), *own = open_with("limit", "1000000");
    assert_int_equal(set_option("limit", "2"), 0);
    fails(launch_on(plain, 100), "has executed 2 instructions");
    expect_ok(launch_on(own, 100));
    assert_int_equal(set_option("limit", NULL), 0);
    expect_ok(launch_on(plain, 100));
    kiln_device_release(plain);
    kiln_device_release(own);
}

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static void wait_a_while(void *data)
{
    (void)data;
    usleep(400000);
}

// The library was loaded by HIP's name, so the process's own calls return before their work is
// done.
static void the_process_stays_asynchronous(void **state)
{
    (void)state;
    int (*launch_host)(void *, void (*)(void *), void *) = NULL, (*synchronize)(void) = NULL;
    *(void **)&launch_host = symbol("hipLaunchHostFunc");
    *(void **)&synchronize = symbol("hipDeviceSynchronize");
    for (int round = 0; round < 3; round++) {
        kiln_device_t *opened = round ? open_with(NULL, NULL) : NULL;
        if (round == 2)
            expect_ok(launch_on(opened, 100));
        const double begun = now();
        assert_int_equal(launch_host(NULL, wait_a_while, NULL), 0);
        assert_true(now() - begun < 0.2);
        assert_int_equal(synchronize(), 0);
        assert_true(now() - begun > 0.3);
        kiln_device_release(opened);
    }
    // Kiln's own launches return their errors.
    kiln_device_t *limited = open_with("limit", "2");
    fails(launch_on(limited, 100), "has executed 2 instructions");
    kiln_device_release(limited);
}

typedef struct worker {
    kiln_device_t *device;
    bool is_limited;
    int wrong;
} worker_t;

static void *launch_often(void *data)
{
    worker_t *worker = data;
    for (int i = 0; i < 20; i++) {
        kiln_status_t status = launch_on(worker->device, 50);
        worker->wrong += (status != NULL) != worker->is_limited;
        kiln_status_free(status);
    }
    return NULL;
}

static void threads_use_their_devices_options(void **state)
{
    (void)state;
    worker_t workers[4] = {{open_with("limit", "2"), true, 0},
                           {open_with(NULL, NULL), false, 0},
                           {open_with("limit", "3"), true, 0},
                           {open_with("check", "memory,race"), false, 0}};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, launch_often, &workers[i]), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].wrong, 0);
        kiln_device_release(workers[i].device);
    }
}

// Work that a stream executes later, on its own thread, uses the overrides that were active when it
// was enqueued, even if they have been released since.
static void late_work_goes_by_its_overrides(void **state)
{
    (void)state;
    int (*create)(int, void **) = NULL, (*set)(void *, const char *, const char *) = NULL,
                            (*synchronize)(void) = NULL;
    int (*load)(void **, const void *) = NULL, (*function)(void **, void *, const char *) = NULL,
                                    (*allocate)(void **, size_t) = NULL,
                                    (*launch_host)(void *, void (*)(void *), void *) = NULL;
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void *, void **, void **) = NULL;
    void *(*use)(void *) = NULL;
    void (*release)(void *) = NULL;
    *(void **)&create = symbol("kilnSimOverridesCreate");
    *(void **)&set = symbol("kilnSimOverridesSet");
    *(void **)&use = symbol("kilnSimOverridesUse");
    *(void **)&release = symbol("kilnSimOverridesRelease");
    *(void **)&synchronize = symbol("hipDeviceSynchronize");
    *(void **)&load = symbol("hipModuleLoadData");
    *(void **)&function = symbol("hipModuleGetFunction");
    *(void **)&allocate = symbol("hipMalloc");
    *(void **)&launch = symbol("hipModuleLaunchKernel");
    *(void **)&launch_host = symbol("hipLaunchHostFunc");
    void *module, *kernel, *memory, *overrides;
    int n = 100;
    assert_int_equal(load(&module, code), 0);
    assert_int_equal(function(&kernel, module, "k"), 0);
    assert_int_equal(allocate(&memory, 64), 0);
    void *params[] = {&memory, &n};
    assert_int_equal(create(0, &overrides), 0);
    assert_int_equal(set(overrides, "limit", "2"), 0);
    assert_int_not_equal(set(overrides, "limit", "none"), 0);
    assert_int_not_equal(set(overrides, "no such", "1"), 0);
    assert_int_not_equal(create(99, &params[0]), 0);
    params[0] = &memory;
    assert_int_equal(launch_host(NULL, wait_a_while, NULL), 0);
    assert_null(use(overrides));
    assert_int_equal(launch(kernel, 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL), 0);
    assert_ptr_equal(use(NULL), overrides);
    release(overrides);
    assert_int_not_equal(synchronize(), 0);
    assert_int_equal(launch(kernel, 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL), 0);
    assert_int_equal(synchronize(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_process_stays_asynchronous),
        cmocka_unit_test(limits_are_each_devices_own),
        cmocka_unit_test(a_wrong_option_changes_nothing),
        cmocka_unit_test(checks_are_each_devices_own),
        cmocka_unit_test(clocks_are_each_devices_own),
        cmocka_unit_test(properties_are_each_devices_own),
        cmocka_unit_test(files_are_each_devices_own),
        cmocka_unit_test(the_process_keeps_its_options),
        cmocka_unit_test(threads_use_their_devices_options),
        cmocka_unit_test(late_work_goes_by_its_overrides),
    };
    return cmocka_run_group_tests_name("device_options", tests, compile_once, free_code);
}
