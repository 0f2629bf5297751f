// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program built for an older Kiln: its headers are the current ones with shorter structs
// (shorten.py). It compiles, launches, interprets, tunes and queries counts, with each struct that
// has a struct_size.
//
// The test watches the bytes after the structs: a library that fills its own version of a struct
// instead of the caller's writes there.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kiln/interp.h"
#include "kiln/jit_compile.h"
#include "kiln/tune.h"

enum { COUNT = 64, GUARD = 0xa5 };

#define GUARDED(type)                                                                              \
    struct {                                                                                       \
        type it;                                                                                   \
        unsigned char guard[256];                                                                  \
    }

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define WATCH(guarded) memset((guarded).guard, GUARD, sizeof(guarded).guard)
#define CHECK_GUARD(guarded)                                                                       \
    do {                                                                                           \
        for (size_t i_ = 0; i_ < sizeof(guarded).guard; i_++)                                      \
            CHECK((guarded).guard[i_] == GUARD);                                                   \
    } while (0)

static void ok(kiln_status_t status)
{
    if (!status)
        return;
    fprintf(stderr, "%s\n", kiln_status_format(status));
    exit(1);
}

static const char text[] = "kernel void add_one(i32 *x, i32 n)\n"
                           "{\n"
                           "    i32 i[64] = range(64);\n"
                           "    store(x + i, load(x + i, i < n, 0) + 1, i < n);\n"
                           "}\n";
static const kiln_source_t source = {KILN_STAGE_TILE, "add_one.tile.c", text, sizeof text - 1};

static kiln_device_t *device;
static kiln_buffer_t *buffer;

static void fill(int32_t *data)
{
    for (int i = 0; i < COUNT; i++)
        data[i] = 10 * i;
    ok(kiln_buffer_write(buffer, 0, data, COUNT * sizeof *data));
}

static void check_result(const int32_t *data)
{
    for (int i = 0; i < COUNT; i++)
        CHECK(data[i] == 10 * i + 1);
}

static void open_device(void)
{
    GUARDED(kiln_device_options_t) options;
    WATCH(options);
    kiln_device_options_initialize(&options.it);
    CHECK_GUARD(options);
    CHECK(options.it.ordinal == -1 && strcmp(options.it.arch, "gfx942") == 0);
    options.it.kind = KILN_DEVICE_SIM;
    options.it.sim_library = KILN_BINARY_DIR "/lib/libkiln-sim.so";
    ok(kiln_device_open(&options.it, &device));
    ok(kiln_buffer_create(device, COUNT * sizeof(int32_t), &buffer));
    CHECK_GUARD(options);
}

static void compile_and_launch(void)
{
    GUARDED(kiln_compile_options_t) options;
    WATCH(options);
    kiln_compile_options_initialize(&options.it);
    CHECK_GUARD(options);
    CHECK(options.it.num_warps == 0 && options.it.kpack == 1 &&
          options.it.last_stage == KILN_STAGE_HSACO);
    options.it.num_warps = 1;
    kiln_session_t *session;
    kiln_kernel_t *kernel;
    ok(kiln_session_create(&session));
    ok(kiln_compile(session, &source, &options.it, &kernel));
    CHECK(kiln_kernel_block_size(kernel) == 64);

    size_t size;
    const void *code = kiln_kernel_code_object(kernel, &size);
    kiln_module_t *module;
    kiln_function_t *function;
    ok(kiln_module_load(device, code, size, &module));
    ok(kiln_module_function(module, "add_one", &function));
    int32_t data[COUNT], n = COUNT;
    fill(data);
    uint64_t address = kiln_buffer_address(buffer);
    void *args[] = {&address, &n};
    GUARDED(kiln_launch_t) launch;
    WATCH(launch);
    kiln_launch_initialize(&launch.it);
    CHECK_GUARD(launch);
    launch.it.args = args;
    ok(kiln_function_launch(function, &launch.it));
    ok(kiln_buffer_read(buffer, 0, data, sizeof data));
    check_result(data);

    GUARDED(kiln_sim_launch_stats_t) stats;
    WATCH(stats);
    stats.it.struct_size = sizeof stats.it;
    ok(kiln_device_launch_stats(device, &stats.it));
    CHECK_GUARD(stats);
    CHECK(stats.it.workgroups == 1 && stats.it.waves == 1);
    kiln_module_release(module);
    kiln_kernel_release(kernel);
    kiln_session_release(session);
}

static void launch_by_jit(void)
{
    GUARDED(kiln_jit_options_t) options;
    WATCH(options);
    kiln_jit_options_initialize(&options.it);
    CHECK_GUARD(options);
    kiln_jit_compiler_t compiler = {.struct_size = sizeof compiler};
    options.it.compile = kiln_jit_compile;
    options.it.identify = kiln_jit_identify;
    options.it.compile_user = &compiler;
    kiln_jit_t *jit;
    ok(kiln_jit_create(device, &options.it, &jit));
    GUARDED(kiln_jit_call_t) call;
    WATCH(call);
    kiln_jit_call_initialize(&call.it);
    CHECK_GUARD(call);
    CHECK(call.it.grid[0] == 1 && call.it.grid[2] == 1);
    int32_t data[COUNT];
    fill(data);
    const kiln_jit_argument_t arguments[] = {kiln_jit_buffer("x", buffer),
                                             kiln_jit_integer("n", COUNT)};
    call.it.source = source;
    call.it.arguments = arguments;
    call.it.argument_count = 2;
    ok(kiln_jit_launch(jit, &call.it));
    ok(kiln_buffer_read(buffer, 0, data, sizeof data));
    check_result(data);
    GUARDED(kiln_jit_statistics_t) statistics;
    WATCH(statistics);
    statistics.it.struct_size = sizeof statistics.it;
    kiln_jit_get_statistics(jit, &statistics.it);
    CHECK_GUARD(statistics);
    CHECK(statistics.it.compiles == 1);
    kiln_jit_release(jit);
}

static void interpret(void)
{
    kiln_session_t *session;
    kiln_interp_t *interp;
    ok(kiln_session_create(&session));
    ok(kiln_interp_create(session, &source, NULL, &interp));
    int32_t data[COUNT];
    for (int i = 0; i < COUNT; i++)
        data[i] = 10 * i;
    const uint64_t arguments[] = {4096, COUNT};
    const kiln_interp_buffer_t buffers[] = {{"x", 4096, data, sizeof data}};
    GUARDED(kiln_interp_launch_t) launch;
    WATCH(launch);
    kiln_interp_launch_initialize(&launch.it);
    CHECK_GUARD(launch);
    launch.it.arguments = arguments;
    launch.it.argument_count = 2;
    launch.it.buffers = buffers;
    launch.it.buffer_count = 1;
    ok(kiln_interp_launch(interp, &launch.it));
    check_result(data);
    kiln_interp_release(interp);
    kiln_session_release(session);
}

static kiln_status_t prepare(const kiln_tune_candidate_t *candidate, const kiln_kernel_t *kernel,
                             kiln_launch_t *out_launch, void *user)
{
    CHECK(candidate->setting_count == 1 && kiln_kernel_argument_count(kernel) == 2);
    out_launch->args = user;
    int32_t data[COUNT];
    fill(data);
    return KILN_OK;
}

static kiln_status_t verify(const kiln_tune_candidate_t *candidate, double *out_error, void *user)
{
    (void)candidate, (void)user;
    int32_t data[COUNT];
    ok(kiln_buffer_read(buffer, 0, data, sizeof data));
    check_result(data);
    *out_error = 0;
    return KILN_OK;
}

static void tune(void)
{
    const char *const values[] = {"1", "2"};
    const kiln_tune_axis_t axis = {"num_warps", values, 2};
    GUARDED(kiln_compile_options_t) options;
    GUARDED(kiln_tune_problem_t) problem;
    WATCH(options);
    WATCH(problem);
    kiln_compile_options_initialize(&options.it);
    kiln_tune_problem_initialize(&problem.it);
    CHECK_GUARD(problem);
    uint64_t address = kiln_buffer_address(buffer);
    int32_t n = COUNT;
    void *args[] = {&address, &n};
    problem.it.source = source;
    problem.it.options = &options.it;
    problem.it.axes = &axis;
    problem.it.axis_count = 1;
    problem.it.device = device;
    problem.it.prepare = prepare;
    problem.it.verify = verify;
    problem.it.user = args;
    kiln_tune_result_t *result;
    ok(kiln_tune(&problem.it, &result));
    CHECK(kiln_tune_result_count(result) == 2);
    CHECK(kiln_tune_result_sample(result, 1)->verdict == KILN_TUNE_OK);
    kiln_tune_result_release(result);
    CHECK_GUARD(problem);
    CHECK_GUARD(options);
}

int main(void)
{
    open_device();
    compile_and_launch();
    launch_by_jit();
    interpret();
    tune();
    kiln_buffer_release(buffer);
    kiln_device_release(device);
    return 0;
}
