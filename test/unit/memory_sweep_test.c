// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Complete uses of Kiln whose allocations fail one by one (memory_sweep.h): building, compiling,
// interpreting, launching, the JIT and the tuner.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "kiln/ahead.h"
#include "kiln/arguments.h"
#include "kiln/builder.h"
#include "kiln/compile_program.h"
#include "kiln/interpret.h"
#include "kiln/jit_compile.h"
#include "kiln/load.h"
#include "kiln/tune_model.h"
#include "kiln/tune_space.h"
#include "memory_sweep.h"
#include "small_code_object.h"

#define FAKE KILN_BINARY_DIR "/lib/fake_hip/fake_gfx942.so"

static char directory[64];
static kiln_device_t *device;

static const char tile[] = "kernel void k2(f32 *x, i32 n, constexpr i32 BLOCK = 64)\n"
                           "{\n"
                           "    i32 i[BLOCK] = program_id(0) * BLOCK + range(BLOCK);\n"
                           "    f32 sum[BLOCK] = 0.0;\n"
                           "    for (i32 j = 0; j < n; j += 1)\n"
                           "        sum = sum + load(x + i + j, i < n, 0.0);\n"
                           "    if (n > 3)\n"
                           "        store(x + i, exp(sum) / 3.0, i < n);\n"
                           "}\n";

static kiln_source_t source_of(const char *text)
{
    return (kiln_source_t){KILN_STAGE_TILE, "k.tile.c", text, strlen(text)};
}

static kiln_source_t gemm; // examples/gemm.tile.c

static kiln_status_t build(void)
{
    kiln_builder_t *b = NULL;
    KILN_TRY(kiln_builder_create(&b));
    const kiln_value_type_t pointer = {.element = KILN_VALUE_F32, .is_pointer = true},
                            i32 = {.element = KILN_VALUE_I32};
    const kiln_kernel_parameter_t parameters[] = {{"x", pointer, 16, true}, {"n", i32, 0, false}};
    kiln_value_t arguments[2], i, carried, results[1];
    const int64_t shape[] = {64};
    kiln_build_kernel_begin(b, "k", parameters, 2, arguments);
    kiln_value_t range = kiln_build_range(b, 0, 64), zero = kiln_build_int(b, i32, 0),
                 one = kiln_build_int(b, i32, 1);
    kiln_value_t places_ = kiln_build_addptr(b, kiln_build_splat(b, arguments[0], 1, shape), range);
    kiln_value_t initial = kiln_build_load(b, places_, (kiln_value_t){NULL}, (kiln_value_t){NULL});
    kiln_build_for_begin(b, zero, arguments[1], one, &initial, 1, &i, &carried);
    carried = kiln_build_binary(b, KILN_BINARY_ADDF, carried, carried);
    kiln_build_for_end(b, &carried, results);
    kiln_build_if_begin(b, kiln_build_compare(b, KILN_COMPARE_SGT, arguments[1], one));
    kiln_build_store(b, places_, results[0], (kiln_value_t){NULL});
    kiln_build_if_end(b, NULL, 0, NULL);
    kiln_value_t best = kiln_build_arg_reduce(b, KILN_COMPARE_OGT, results[0], 0);
    kiln_build_store(b, arguments[0],
                     kiln_build_convert(b, KILN_CONVERT_SITOFP, best, KILN_VALUE_F32),
                     (kiln_value_t){NULL});
    kiln_build_kernel_end(b);
    kiln_source_t source;
    kiln_status_t status = kiln_builder_finish(b, &source);
    if (!status)
        add_result(source.text, source.length);
    kiln_builder_release(b);
    return status;
}

// Adds every fact about a kernel to the result.
static void add_kernel(const kiln_kernel_t *kernel)
{
    size_t size;
    const void *code = kiln_kernel_code_object(kernel, &size);
    add_result(code, size);
    add_text(kiln_kernel_name(kernel));
    add_text(kiln_kernel_manifest(kernel));
    for (int stage = 0; stage <= KILN_STAGE_HSACO; stage++)
        add_text(kiln_kernel_text(kernel, (kiln_stage_t)stage));
    for (size_t i = 0; i < kiln_kernel_argument_count(kernel); i++) {
        add_text(kiln_kernel_argument(kernel, i)->name);
        add_text(kiln_kernel_argument(kernel, i)->type);
    }
    for (size_t i = 0; kiln_kernel_constant(kernel, i).name; i++) {
        add_text(kiln_kernel_constant(kernel, i).name);
        add_text(kiln_kernel_constant(kernel, i).value);
    }
    for (size_t i = 0; i < kiln_kernel_include_count(kernel); i++)
        add_text(kiln_kernel_include(kernel, i));
    for (size_t i = 0; i < kiln_kernel_timing_count(kernel); i++)
        add_text(kiln_kernel_timing(kernel, i)->phase);
}

static void take_diagnostic(const kiln_diagnostic_t *diagnostic, void *user)
{
    (void)user;
    add_text(diagnostic->file);
    add_result(&diagnostic->line, sizeof diagnostic->line);
    add_text(diagnostic->message);
    add_text(diagnostic->source_line);
    for (const kiln_includer_t *from = diagnostic->includer; from; from = from->outer)
        add_text(from->file);
}

static void take_dump(kiln_dump_point_t point, const char *pass, const char *text, size_t length,
                      void *user)
{
    (void)user;
    add_result(&point, sizeof point);
    add_text(pass);
    add_result(text, length);
}

static kiln_status_t compile_with(const kiln_source_t *source,
                                  const kiln_compile_options_t *options)
{
    kiln_session_t *session = NULL;
    kiln_kernel_t *kernel = NULL;
    kiln_status_t status = kiln_session_create(&session);
    if (!status)
        kiln_session_set_diagnostic_handler(session, take_diagnostic, NULL);
    if (!status)
        status = kiln_compile(session, source, options, &kernel);
    if (!status)
        add_kernel(kernel);
    kiln_kernel_release(kernel);
    kiln_session_release(session);
    return status;
}

static kiln_status_t compile(void)
{
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    const kiln_arg_hint_t hints[] = {{.name = "x", .divisibility = 16, .pointer_range_32 = true}};
    const kiln_setting_t defines[] = {{"BLOCK", "128"}};
    options.args = hints;
    options.arg_count = 1;
    options.defines = defines;
    options.define_count = 1;
    kiln_source_t source = source_of(tile);
    return compile_with(&source, &options);
}

static kiln_status_t compile_gemm(void)
{
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    const kiln_arg_hint_t hints[] = {{.name = "a", .divisibility = 16, .pointer_range_32 = true},
                                     {.name = "b", .divisibility = 16, .pointer_range_32 = true},
                                     {.name = "lda", .divisibility = 16}};
    const kiln_setting_t defines[] = {{"BLOCK_M", "32"}, {"BLOCK_N", "32"}};
    options.args = hints;
    options.arg_count = 3;
    options.defines = defines;
    options.define_count = 2;
    options.num_warps = 1;
    return compile_with(&gemm, &options);
}

// Requests everything from a compilation: every stage's text, dumps around passes and of LLVM IR
// and ISA, warnings, remarks, notes, and the files that were read.
static kiln_status_t compile_for_texts(void)
{
    char path[96];
    static const char header[] = "#pragma once\n#define TWICE(x) ((x) + (x))\n"
                                 "f32 half(f32 v) { f32 unused = 1.0; return v / 2.0; }\n";
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    snprintf(path, sizeof path, "%s/half.h", directory);
    kiln_status_t status =
        kiln_file_write(path, header, sizeof header - 1, 0600, KILN_FILE_NO_SYNC);
    const char *const directories[] = {directory}, *const warnings[] = {"-Wall", "-Rkiln"};
    options.include_dirs = directories;
    options.include_dir_count = 1;
    options.warnings = warnings;
    options.warning_count = 2;
    options.keep_stages =
        1u << KILN_STAGE_TT | 1u << KILN_STAGE_TTG | 1u << KILN_STAGE_LLVM | 1u << KILN_STAGE_ASM;
    options.dump = take_dump;
    options.dump_points = 1u << KILN_DUMP_BEFORE_PASS | 1u << KILN_DUMP_AFTER_PASS |
                          1u << KILN_DUMP_LLVM_IR | 1u << KILN_DUMP_ISA;
    options.num_warps = 1;
    kiln_source_t source =
        source_of("#include \"half.h\"\n"
                  "kernel void k2(f32 *x, i32 n, constexpr i32 BLOCK = 64)\n{\n"
                  "    i32 i[BLOCK] = range(BLOCK), unused = TWICE(n) / 2;\n"
                  "    static_print(\"block\", BLOCK);\n"
                  "    store(x + i * n, load(x + i * n) * half(3.0), i < n);\n}\n");
    return status ? status : compile_with(&source, &options);
}

static kiln_status_t compile_program(void)
{
    const kiln_setting_t defines[] = {{"BLOCK", "64"}, {"BLOCK", "128"}};
    kiln_compile_options_t options[2];
    kiln_program_unit_t units[2];
    for (int i = 0; i < 2; i++) {
        kiln_compile_options_initialize(&options[i]);
        options[i].defines = &defines[i];
        options[i].define_count = 1;
        units[i] = (kiln_program_unit_t){source_of(tile), &options[i]};
    }
    kiln_program_compile_options_t program;
    kiln_program_compile_options_initialize(&program);
    program.jobs = 1; // only this thread's allocations are counted
    void *bundle;
    size_t size;
    kiln_status_t status = kiln_program_compile(units, 2, &program, &bundle, &size);
    if (!status)
        add_result(bundle, size);
    free(bundle);
    return status;
}

static kiln_status_t fail_to_compile(void)
{
    kiln_session_t *session = NULL;
    kiln_kernel_t *kernel = NULL;
    kiln_source_t source = source_of("kernel void k(f32 *x)\n{\n    store(y, 1.0);\n}\n");
    KILN_TRY(kiln_session_create(&session));
    kiln_status_t status = kiln_compile(session, &source, NULL, &kernel);
    kiln_session_release(session);
    if (!status)
        return kiln_status_make(KILN_STATUS_INTERNAL, "a wrong program was compiled");
    if (kiln_status_code(status) == KILN_STATUS_OUT_OF_RESOURCES)
        return status;
    kiln_status_free(status); // the expected error
    return KILN_OK;
}

static kiln_status_t interpret(void)
{
    kiln_session_t *session = NULL;
    kiln_interp_t *interp = NULL;
    kiln_arguments_t *arguments = NULL;
    char *shown = NULL;
    kiln_source_t source = source_of(tile);
    kiln_status_t status = kiln_session_create(&session);
    if (!status)
        status = kiln_arguments_create(NULL, &arguments);
    if (!status)
        status = kiln_arguments_add(arguments, "n=5");
    if (!status)
        status = kiln_arguments_add(arguments, "x=f32[n*20]:iota");
    if (!status)
        status = kiln_interp_create(session, &source, NULL, &interp);
    if (!status)
        status = kiln_interpret_arguments(interp, arguments, NULL);
    if (!status)
        status = kiln_arguments_show(arguments, "x[0:8]", &shown);
    if (!status)
        add_text(shown);
    free(shown);
    kiln_interp_release(interp);
    kiln_arguments_release(arguments);
    kiln_session_release(session);
    return status;
}

static kiln_status_t launch(void)
{
    static const char code[128] = "\x7f"
                                  "ELF\2\1\1";
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_HIP;
    options.hip_library = FAKE;
    kiln_device_t *own = NULL;
    kiln_device_list_t *list = NULL;
    kiln_module_t *module = NULL;
    kiln_function_t *function = NULL;
    kiln_buffer_t *buffer = NULL;
    kiln_stream_t *stream = NULL;
    kiln_event_t *event = NULL;
    kiln_launch_t call;
    kiln_launch_initialize(&call);
    call.block[0] = 64;
    kiln_status_t status = kiln_device_list_create(&options, &list);
    if (!status && kiln_device_list_count(list) != 1)
        status =
            kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "a device is missing from the list");
    if (!status)
        status = kiln_device_open(&options, &own);
    if (!status)
        status = kiln_buffer_create(own, 64, &buffer);
    if (!status)
        status = kiln_stream_create(own, &stream);
    if (!status)
        status = kiln_event_create(own, &event);
    if (!status)
        status = kiln_module_load(own, code, sizeof code, &module);
    if (!status)
        status = kiln_module_function(module, "nop0", &function);
    call.stream = stream;
    if (!status)
        status = kiln_function_launch(function, &call);
    if (!status)
        status = kiln_event_record(event, stream);
    kiln_event_release(event);
    kiln_stream_release(stream);
    kiln_buffer_release(buffer);
    kiln_module_release(module);
    kiln_device_release(own);
    kiln_device_list_release(list);
    return status;
}

static kiln_status_t jit(void)
{
    kiln_jit_options_t options;
    kiln_jit_options_initialize(&options);
    options.compile = kiln_jit_compile;
    options.identify = kiln_jit_identify;
    options.cache_directory = directory;
    kiln_jit_t *made = NULL;
    const kiln_jit_argument_t arguments[] = {{"x", KILN_JIT_POINTER, 4096, 4096, 0, 0},
                                             kiln_jit_integer("n", 5)};
    const kiln_setting_t settings[] = {{"BLOCK", "64"}, {"num_warps", "2"}};
    kiln_jit_call_t call;
    kiln_jit_call_initialize(&call);
    call.source = source_of(tile);
    call.settings = settings;
    call.setting_count = 2;
    call.arguments = arguments;
    call.argument_count = 2;
    kiln_status_t status = kiln_cache_clear(directory, NULL, NULL);
    for (int round = 0; round < 2 && !status;
         round++) { // the second finds the first's code on disk, or compiles again
        kiln_jit_kernel_t *kernel;
        status = kiln_jit_create(device, &options, &made);
        if (!status)
            status = kiln_jit_launch(made, &call);
        if (!status)
            status = kiln_jit_prepare(made, &call, &kernel, NULL);
        if (!status)
            add_text(kiln_jit_kernel_manifest(kernel));
        kiln_jit_release(made);
        made = NULL;
    }
    return status;
}

static kiln_status_t prepare(const kiln_tune_candidate_t *candidate, const kiln_kernel_t *kernel,
                             kiln_launch_t *out_launch, void *user)
{
    (void)candidate, (void)kernel;
    out_launch->args = user;
    return KILN_OK;
}

static kiln_status_t verify(const kiln_tune_candidate_t *candidate, double *out_error, void *user)
{
    (void)candidate, (void)user;
    *out_error = 0;
    return KILN_OK;
}

// Looks up a stored kernel as a JIT does.
static kiln_status_t look_up(const char *path, const kiln_source_t *source,
                             const kiln_setting_t *fixed)
{
    char of_problem[33] = "", *identity = NULL, *config = NULL;
    kiln_tune_store_t *store = NULL;
    const kiln_jit_request_t request = {
        .struct_size = sizeof request, .source = *source, .arch = "gfx942"};
    kiln_status_t status = kiln_jit_identify(NULL, &identity);
    if (!status)
        status = kiln_jit_problem(&request, identity, of_problem);
    if (!status)
        status = kiln_tune_store_open_existing(path, &store);
    if (!status)
        status = kiln_tune_store_extend(&store, path);
    const kiln_jit_tune_request_t wanted = {.struct_size = sizeof wanted,
                                            .problem = of_problem,
                                            .device = kiln_device_key(device),
                                            .arguments = "n=1",
                                            .settings = fixed,
                                            .setting_count = 1};
    if (!status)
        status = kiln_tune_lookup(&wanted, store, &config);
    if (!status)
        add_text(config);
    free(config);
    config = NULL;
    kiln_jit_call_t call;
    kiln_jit_call_initialize(&call);
    call.source = *source;
    const kiln_jit_argument_t argument = kiln_jit_integer("n", 1);
    call.arguments = &argument;
    call.argument_count = 1;
    kiln_jit_tune_request_t recorded = wanted;
    recorded.call = &call;
    kiln_tune_recorder_t *recorder = NULL;
    if (!status)
        status = kiln_tune_recorder_open("/dev/null", kiln_tune_lookup_near, store, &recorder);
    if (!status)
        status = kiln_tune_record(&recorded, recorder, &config);
    kiln_tune_recorder_release(recorder);
    free(config);
    free(identity);
    kiln_tune_store_release(store);
    return status;
}

// Reads the axes that the source declares.
static kiln_status_t declare(const kiln_source_t *source)
{
    kiln_tune_space_t *space = NULL;
    size_t count = 0;
    kiln_status_t status = kiln_tune_space_create(&space);
    if (!status)
        status = kiln_tune_space_add(space, "A=1,2..3");
    if (!status)
        status = kiln_tune_space_require(space, "A < 3");
    if (!status)
        status = kiln_tune_space_declare(space, source, NULL, NULL, 0, NULL, NULL, &count);
    add_result(&count, sizeof count);
    kiln_tune_space_release(space);
    return status;
}

static kiln_status_t tune(void)
{
    char path[96];
    snprintf(path, sizeof path, "%s/tuned.sqlite", directory);
    unlink(path);
    kiln_tune_store_t *store = NULL;
    kiln_tune_result_t *tuned = NULL;
    uint64_t values[9] = {0};
    void *args[9];
    for (int i = 0; i < 9; i++)
        args[i] = &values[i];
    const char *const blocks[] = {"64", "128"};
    const kiln_tune_axis_t axes[] = {{"BLOCK", blocks, 2}};
    kiln_tune_problem_t problem;
    kiln_tune_problem_initialize(&problem);
    problem.source = source_of(
        "[[tune(BLOCK = 64..128*2, num_warps = 1), where(BLOCK <= 2 * n)]]\n"
        "kernel void k2(f32 *x, i32 n, constexpr i32 BLOCK)\n"
        "{\n    i32 i[BLOCK] = range(BLOCK), unused = n;\n    store(x + i, 1.0, i < n);\n}\n");
    const char *const warnings[] = {"-Wall"};
    const kiln_setting_t fixed[] = {{"num_warps", "1"}};
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    options.warnings = warnings;
    options.warning_count = 1;
    problem.options = &options;
    problem.fixed = fixed;
    problem.fixed_count = 1;
    problem.diagnostic = take_diagnostic;
    problem.axes = axes;
    problem.axis_count = 1;
    problem.device = device;
    problem.jobs = 1;
    problem.prepare = prepare;
    problem.verify = verify;
    problem.user = args;
    problem.arguments = "n=1";
    kiln_status_t status = kiln_tune_store_open(path, &store);
    problem.store = store;
    if (!status)
        status = declare(&problem.source);
    if (!status)
        status = kiln_tune(&problem, &tuned);
    for (size_t i = 0; i < kiln_tune_result_count(tuned); i++) {
        add_text(kiln_tune_result_sample(tuned, i)->candidate->config);
        add_result(&kiln_tune_result_sample(tuned, i)->verdict, sizeof(kiln_tune_verdict_t));
    }
    kiln_tune_result_release(tuned);
    kiln_tune_store_release(store);
    store = NULL;
    if (!status)
        status = look_up(path, &problem.source, fixed);
    return status;
}

static kiln_status_t estimate(void)
{
    kiln_session_t *session = NULL;
    kiln_work_t *work = NULL;
    kiln_workload_t *workload = NULL;
    kiln_compile_options_t options;
    kiln_work_launch_t counted;
    kiln_tune_estimate_t estimated = {.struct_size = sizeof estimated};
    uint64_t values[9] = {1 << 20, 2 << 20, 3 << 20, 256, 256, 256, 256, 256, 256};
    void *args[9];
    for (int i = 0; i < 9; i++)
        args[i] = &values[i];
    kiln_compile_options_initialize(&options);
    kiln_work_launch_initialize(&counted);
    counted.grid[0] = 4;
    counted.args = args;
    kiln_status_t status = kiln_session_create(&session);
    if (!status)
        status = kiln_work_create(session, &gemm, &options, &work);
    if (!status)
        status = kiln_work_measure(work, &counted, &workload);
    if (!status)
        status = kiln_tune_estimate(workload, &options, NULL, &estimated);
    add_result(&estimated.nanoseconds, sizeof estimated.nanoseconds);
    kiln_workload_release(workload);
    kiln_work_release(work);
    kiln_session_release(session);
    return status;
}

// Creates launchers, an object and a bundle from compiled kernels, then loads the bundle and
// selects a variant.
static kiln_status_t ship(void)
{
    const small_code_object_t code = small_code_object();
    const kiln_compiled_t kernel = {&code, sizeof code, small_manifest};
    const kiln_object_part_t part = {"scale_hsaco", &code, sizeof code};
    char *texts[2] = {NULL};
    void *object = NULL, *bundle = NULL;
    size_t object_size, bundle_size = 0;
    kiln_program_t *program = NULL;
    kiln_status_t status = KILN_OK;
    for (int i = 0; i < 2 && !status; i++) {
        kiln_launcher_options_t options;
        kiln_launcher_options_initialize(&options);
        options.launcher = (kiln_launcher_t)i;
        status = kiln_launcher_make(&code, sizeof code, small_manifest, &options, &texts[i]);
    }
    if (!status)
        status = kiln_object_make(&part, 1, &object, &object_size);
    if (!status)
        status = kiln_bundle_make(&kernel, 1, &bundle, &bundle_size);
    const kiln_program_part_t loaded = {bundle, bundle_size, NULL};
    kiln_compiled_t *kernels = NULL;
    size_t kernel_count;
    if (!status)
        status = kiln_bundle_kernels(bundle, bundle_size, &kernels, &kernel_count);
    free(kernels);
    if (!status)
        status = kiln_program_load_memory(device, &loaded, 1, &program);
    kiln_program_call_t call;
    kiln_program_call_initialize(&call);
    const kiln_variant_t *variant;
    if (!status) { // no arguments fit nothing
        status = kiln_program_choose(program, &call, &variant);
        if (kiln_status_code(status) == KILN_STATUS_NOT_FOUND) {
            kiln_status_free(status);
            status = KILN_OK;
        }
    }
    kiln_program_release(program);
    free(texts[0]);
    free(texts[1]);
    free(object);
    free(bundle);
    return status;
}

#define SWEEP(function)                                                                            \
    static void memory_runs_out_in_##function(void **state)                                        \
    {                                                                                              \
        (void)state;                                                                               \
        sweep(&(use_t){#function, function});                                                      \
    }
SWEEP(build)
SWEEP(compile)
SWEEP(compile_gemm)
SWEEP(compile_for_texts)
SWEEP(compile_program)
SWEEP(fail_to_compile)
SWEEP(interpret)
SWEEP(launch)
SWEEP(jit)
SWEEP(tune)
SWEEP(estimate)
SWEEP(ship)

static int set_up(void **state)
{
    (void)state;
    read_functions();
    strcpy(directory, "/tmp/kiln-sweep-test.XXXXXX");
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_HIP;
    options.hip_library = FAKE;
    char *text = NULL;
    gemm = (kiln_source_t){.stage = KILN_STAGE_TILE, .name = "gemm.tile.c"};
    assert_null(kiln_file_read(KILN_SOURCE_DIR "/examples/gemm.tile.c", &text, &gemm.length));
    gemm.text = text;
    return mkdtemp(directory) && !kiln_device_open(&options, &device) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    kiln_device_release(device);
    char command[96];
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_runs_out_in_build),
        cmocka_unit_test(memory_runs_out_in_compile),
        cmocka_unit_test(memory_runs_out_in_compile_gemm),
        cmocka_unit_test(memory_runs_out_in_fail_to_compile),
        cmocka_unit_test(memory_runs_out_in_interpret),
        cmocka_unit_test(memory_runs_out_in_launch),
        cmocka_unit_test(memory_runs_out_in_jit),
        cmocka_unit_test(memory_runs_out_in_tune),
        cmocka_unit_test(memory_runs_out_in_estimate),
        cmocka_unit_test(memory_runs_out_in_ship),
        cmocka_unit_test(memory_runs_out_in_compile_program),
        cmocka_unit_test(memory_runs_out_in_compile_for_texts),
    };
    return cmocka_run_group_tests_name("memory_sweep", tests, set_up, tear_down);
}
