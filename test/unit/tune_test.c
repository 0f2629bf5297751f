// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln_tune with named arguments, on the simulator: rejected candidates, wrong results, ranking;
// and the unit that a launch is bound by.
//
// A wrong candidate may be the cheapest; FACTOR=2 costs the same as FACTOR=3.
#include "run_kernel.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/hash.h"
#include "kiln/jit_compile.h"
#include "kiln/tune_runner.h"

#define VALUES(...)                                                                                \
    (const char *const[]){__VA_ARGS__},                                                            \
        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)

// Writes REPEAT rows of FACTOR · x, of which only the first is compared.
static const char SCALE[] =
    "kernel void scale(const f32 *x, f32 *y, i32 n, constexpr i32 BLOCK, constexpr i32 FACTOR,\n"
    "                  constexpr i32 REPEAT)\n"
    "{\n"
    "    i32 i[BLOCK] = program_id(0) * BLOCK + range(BLOCK);\n"
    "    for (constexpr i32 k = 0; k < REPEAT; k++)\n"
    "        store(y + i + k * n, FACTOR * load(x + i, i < n), i < n);\n"
    "}\n";
enum { N = 1000 };

typedef struct seen {
    kiln_tune_runner_t *runner;
    const kiln_named_buffer_t *x, *y;
    size_t progress, prepared;
} seen_t;

static kiln_status_t prepare(const kiln_tune_candidate_t *candidate, const kiln_kernel_t *kernel,
                             kiln_launch_t *out_launch, void *user)
{
    seen_t *seen = user;
    seen->prepared++;
    return kiln_tune_runner_prepare(candidate, kernel, out_launch, seen->runner);
}

static kiln_status_t verify(const kiln_tune_candidate_t *candidate, double *out_error, void *user)
{
    const seen_t *seen = user;
    static float x[N], y[8 * N];
    (void)candidate;
    *out_error = 0.125;
    expect_ok(kiln_named_buffer_read(seen->x, x));
    expect_ok(kiln_named_buffer_read(seen->y, y));
    for (int i = 0; i < N; i++)
        if (y[i] != 3 * x[i])
            return kiln_status_make(KILN_STATUS_MISMATCH, "y[%d] is wrong", i);
    return KILN_OK;
}

static void progress(const kiln_tune_sample_t *sample, size_t done, size_t total, void *user)
{
    seen_t *seen = user;
    assert_int_equal(done, ++seen->progress);
    assert_int_equal(total, 8);
    assert_non_null(sample->candidate->config);
}

static void count_diagnostics(const kiln_diagnostic_t *diagnostic, void *user)
{
    print_error("%s\n", diagnostic->message);
    ++*(unsigned *)user;
}

static kiln_arguments_t *make_arguments(void)
{
    kiln_arguments_t *arguments;
    expect_ok(kiln_arguments_create(device, &arguments));
    expect_ok(kiln_arguments_add(arguments, "n=1000"));
    expect_ok(kiln_arguments_add(arguments, "x=f32[n]:random:1"));
    expect_ok(kiln_arguments_add(arguments, "y=f32[8,n]"));
    return arguments;
}

static kiln_tune_problem_t make_problem(const kiln_tune_axis_t *axes, size_t axis_count)
{
    kiln_tune_problem_t problem;
    kiln_tune_problem_initialize(&problem);
    problem.source = (kiln_source_t){
        .stage = KILN_STAGE_TILE, .name = "scale", .text = SCALE, .length = strlen(SCALE)};
    problem.device = device;
    problem.axes = axes;
    problem.axis_count = axis_count;
    problem.jobs = 2;
    return problem;
}

static void search_ranks_correct_candidates_and_explains_rejections(void **state)
{
    (void)state;
    const kiln_tune_axis_t axes[] = {{"BLOCK", VALUES("1000", "256")},
                                     {"FACTOR", VALUES("2", "3")},
                                     {"REPEAT", VALUES("8", "1")}};
    char path[] = "/tmp/kiln-tune-XXXXXX.db";
    close(mkstemps(path, 3));
    unlink(path);
    kiln_arguments_t *arguments = make_arguments();
    kiln_tune_problem_t problem = make_problem(axes, 3);
    seen_t seen = {.x = kiln_arguments_buffer(arguments, 0),
                   .y = kiln_arguments_buffer(arguments, 1)};
    expect_ok(kiln_tune_runner_create(arguments, "cdiv(n,BLOCK)", NULL, 0, &seen.runner));
    expect_ok(kiln_tune_store_open(path, &problem.store));
    problem.arguments = "n=1000";
    problem.prepare = prepare;
    problem.verify = verify;
    problem.progress = progress;
    problem.user = &seen;
    kiln_tune_result_t *result;
    expect_ok(kiln_tune(&problem, &result));

    assert_int_equal(seen.progress, 8);
    assert_int_equal(seen.prepared,
                     4); // those that compiled, once each, since the simulator's counts are exact
    assert_int_equal(kiln_tune_result_cost_kind(result), KILN_COST_ESTIMATED_CYCLES);
    assert_int_equal(kiln_tune_result_count(result), 8);
    const kiln_tune_sample_t *samples[8];
    for (size_t i = 0; i < 8; i++)
        samples[i] = kiln_tune_result_sample(result, i);
    assert_string_equal(samples[0]->candidate->config, "BLOCK=256 FACTOR=3 REPEAT=1");
    assert_string_equal(samples[1]->candidate->config, "BLOCK=256 FACTOR=3 REPEAT=8");
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(samples[i]->verdict, KILN_TUNE_OK);
        assert_string_equal(samples[i]->reason, "");
        assert_true(samples[i]->error == 0.125 && samples[i]->compile_ms > 0 &&
                    samples[i]->resources->vgprs > 0);
    }
    assert_true(samples[0]->cost > 0 && samples[0]->cost < samples[1]->cost);
    for (size_t i = 2; i < 8; i++) {
        bool fits = strstr(samples[i]->candidate->config, "BLOCK=256") != NULL;
        assert_int_equal(samples[i]->verdict, fits ? KILN_TUNE_WRONG : KILN_TUNE_REJECTED);
        assert_non_null(strstr(samples[i]->reason, fits ? "y[0] is wrong" : "1000"));
    }
    char hash[33], *config;
    kiln_cost_kind_t kind;
    double cost;
    char *identity;
    expect_ok(kiln_jit_identify(NULL, &identity));
    const kiln_jit_request_t request = {
        .struct_size = sizeof request, .source = problem.source, .arch = "gfx942"};
    expect_ok(kiln_jit_problem(&request, identity, hash));
    free(identity);
    const kiln_tune_key_t key = {.kernel = "scale",
                                 .problem = hash,
                                 .device = kiln_device_key(device),
                                 .arguments = "n=1000"};
    expect_ok(kiln_tune_store_get(problem.store, &key, &config, &kind, &cost));
    assert_string_equal(config, samples[0]->candidate->config);
    assert_true(cost == samples[0]->cost);
    free(config);
    kiln_tune_result_release(result);
    kiln_tune_store_release(problem.store);

    // A store that is open for reading only is read, and nothing is written, so nothing fails.
    unsigned diagnostics = 0;
    seen.progress = 0;
    problem.diagnostic = count_diagnostics;
    problem.diagnostic_user = &diagnostics;
    problem.recall = KILN_TUNE_RECALL_ALL;
    expect_ok(kiln_tune_store_open_existing(path, &problem.store));
    expect_ok(kiln_tune(&problem, &result));
    assert_int_equal(diagnostics, 0);
    assert_true(kiln_tune_result_sample(result, 0)->is_recalled);
    kiln_tune_result_release(result);
    kiln_tune_store_release(problem.store);
    kiln_tune_runner_release(seen.runner);
    kiln_arguments_release(arguments);
    unlink(path);
}

static void problem_of(const char *text, const kiln_arg_hint_t *hints, size_t count, char out[33])
{
    const kiln_jit_request_t request = {.struct_size = sizeof request,
                                        .source = {KILN_STAGE_TILE, "k", text, strlen(text)},
                                        .arch = "gfx942",
                                        .arguments = hints,
                                        .argument_count = count};
    expect_ok(kiln_jit_problem(&request, "id", out));
}

// `kiln tune` passes arguments in the order of its words, with element types; programs need not.
static void a_problem_depends_on_what_code_depends_on(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool needs_types;
    } sources[] = {
        {"auto twice(auto x) { return x + x; } kernel void k(f32 *x, i32 n) { *x = twice(n); }",
         false},
        {"kernel void k(auto *x, i32 n) { *x = n; }", true},
        {"kernel void j(i32 n) {} kernel /* { */ void k(auto *x, i32 n) { *x = n; }", true},
        {"kernel void automatic(f32 *auto_x, i32 n) { *auto_x = n; }", false},
        {"#define ANY auto\nkernel void k(ANY *x, i32 n) { *x = n; }", true}};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        const kiln_jit_argument_t n = kiln_jit_integer("n", 32), odd = kiln_jit_integer("n", 33);
        kiln_jit_argument_t x = kiln_jit_storage("x", UINT64_C(1) << 40, 64), typed = x;
        typed.integer += 1 + KILN_ELEMENT_F16;
        const kiln_arg_hint_t hints[] = {kiln_jit_argument_hint(&x), kiln_jit_argument_hint(&n)},
                              other[] = {hints[1], kiln_jit_argument_hint(&typed)},
                              odds[] = {hints[0], kiln_jit_argument_hint(&odd)};
        char first[33], second[33], third[33];
        problem_of(sources[i].text, hints, 2, first);
        problem_of(sources[i].text, other, 2, second);
        problem_of(sources[i].text, odds, 2, third);
        assert_int_equal(strcmp(first, second) != 0, sources[i].needs_types);
        assert_string_not_equal(first, third);
    }
}

static void search_without_a_right_candidate_fails(void **state)
{
    (void)state;
    const kiln_tune_axis_t axes[] = {
        {"BLOCK", VALUES("256")}, {"FACTOR", VALUES("2")}, {"REPEAT", VALUES("1")}};
    kiln_arguments_t *arguments = make_arguments();
    kiln_tune_problem_t problem = make_problem(axes, 3);
    seen_t seen = {.x = kiln_arguments_buffer(arguments, 0),
                   .y = kiln_arguments_buffer(arguments, 1)};
    expect_ok(kiln_tune_runner_create(arguments, "cdiv(n,BLOCK)", NULL, 0, &seen.runner));
    problem.prepare = prepare;
    problem.verify = verify;
    problem.user = &seen;
    kiln_tune_result_t *result;
    kiln_status_t status = kiln_tune(&problem, &result);
    assert_int_equal(kiln_status_code(status), KILN_STATUS_MISMATCH);
    assert_non_null(strstr(kiln_status_message(status), "y[0] is wrong"));
    assert_null(result);
    kiln_status_free(status);
    kiln_tune_runner_release(seen.runner);
    kiln_arguments_release(arguments);
}

// The reference is the output of the first candidate that compiles: here FACTOR=2, so that FACTOR=3
// is wrong.
static void runner_verifies_against_its_reference(void **state)
{
    (void)state;
    const kiln_tune_axis_t axes[] = {
        {"BLOCK", VALUES("1000", "256")}, {"FACTOR", VALUES("2", "3")}, {"REPEAT", VALUES("1")}};
    kiln_arguments_t *arguments = make_arguments();
    kiln_tune_problem_t problem = make_problem(axes, 3);
    kiln_tune_runner_t *runner;
    expect_ok(kiln_tune_runner_create(arguments, "cdiv(n,BLOCK)", NULL, 0, &runner));
    expect_ok(kiln_tune_runner_make_reference(runner, &problem));
    problem.prepare = kiln_tune_runner_prepare;
    problem.verify = kiln_tune_runner_verify;
    problem.user = runner;
    kiln_tune_result_t *result;
    expect_ok(kiln_tune(&problem, &result));
    assert_string_equal(kiln_tune_result_sample(result, 0)->candidate->config,
                        "BLOCK=256 FACTOR=2 REPEAT=1");
    const kiln_tune_sample_t *wrong = kiln_tune_result_sample(result, 1);
    for (size_t i = 0; i < 4 && wrong->verdict != KILN_TUNE_WRONG; i++)
        wrong = kiln_tune_result_sample(result, i);
    assert_string_equal(wrong->candidate->config, "BLOCK=256 FACTOR=3 REPEAT=1");
    kiln_tune_result_release(result);
    kiln_tune_runner_release(runner);
    kiln_arguments_release(arguments);
}

// Without a place for the linker's files no candidate can be built; the candidates are not
// rejected.
static void failures_of_files_end_the_search(void **state)
{
    (void)state;
    const kiln_tune_axis_t axes[] = {
        {"BLOCK", VALUES("256")}, {"FACTOR", VALUES("2", "3")}, {"REPEAT", VALUES("1")}};
    kiln_arguments_t *arguments = make_arguments();
    kiln_tune_problem_t problem = make_problem(axes, 3);
    kiln_tune_runner_t *runner;
    expect_ok(kiln_tune_runner_create(arguments, "cdiv(n,BLOCK)", NULL, 0, &runner));
    problem.prepare = kiln_tune_runner_prepare;
    problem.verify = kiln_tune_runner_verify;
    problem.user = runner;
    struct rlimit before, none;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    none = before;
    none.rlim_cur = 0;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    kiln_tune_result_t *result = NULL;
    kiln_status_t status = kiln_tune(&problem, &result);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(kiln_status_code(status), KILN_STATUS_IO);
    kiln_status_free(status);
    kiln_tune_result_release(result);
    kiln_tune_runner_release(runner);
    kiln_arguments_release(arguments);
}

// Costs -------------------------------------------------------------------------------------------

typedef struct launched {
    kiln_function_t *function;
    kiln_launch_t launch;
} launched_t;

static kiln_status_t launch(void *user)
{
    const launched_t *launched = user;
    return kiln_function_launch(launched->function, &launched->launch);
}

// Costs one workgroup of a kernel over one buffer; *out_stats gets the simulator's counts.
static kiln_cost_t cost_of(const char *text, void *data, size_t size,
                           kiln_sim_launch_stats_t *out_stats)
{
    kiln_session_t *session;
    kiln_kernel_t *kernel;
    kiln_module_t *module;
    kiln_buffer_t *buffer;
    launched_t launched;
    kiln_cost_t cost = {.struct_size = sizeof cost};
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    kiln_source_t source = {
        .stage = KILN_STAGE_TILE, .name = "cost", .text = text, .length = strlen(text)};
    expect_ok(kiln_session_create(&session));
    expect_ok(kiln_compile(session, &source, &options, &kernel));
    size_t code_size;
    const void *code = kiln_kernel_code_object(kernel, &code_size);
    expect_ok(kiln_module_load(device, code, code_size, &module));
    expect_ok(kiln_module_function(module, kiln_kernel_name(kernel), &launched.function));
    expect_ok(kiln_buffer_create(device, size, &buffer));
    expect_ok(kiln_buffer_write(buffer, 0, data, size));
    uint64_t address = kiln_buffer_address(buffer);
    void *args[] = {&address};
    kiln_launch_initialize(&launched.launch);
    launched.launch.block[0] = kiln_kernel_block_size(kernel);
    launched.launch.args = args;
    expect_ok(kiln_cost_of_launch(device, NULL, launch, &launched, &cost));
    *out_stats = (kiln_sim_launch_stats_t){.struct_size = sizeof *out_stats};
    expect_ok(kiln_device_launch_stats(device, out_stats));
    kiln_buffer_release(buffer);
    kiln_module_release(module);
    kiln_kernel_release(kernel);
    kiln_session_release(session);
    return cost;
}

static void a_cost_is_its_largest_bound(void **state)
{
    (void)state;
    // By hand, for one workgroup of four waves on a compute unit of four SIMDs: a SIMD's matrix
    // core does 512 operations of f16 a cycle; its vector ALU takes 4 cycles for a wave's packed
    // pair of multiply-adds; L1 moves 64 bytes a cycle.
    static const struct {
        const char *bound;
        double min, max;
        const char *text;
    } rows[] = {
        {"MFMA", 64 * 2.0 * 64 * 64 * 64 / (4 * 512), 64 * 2.0 * 64 * 64 * 64 / (4 * 512),
         "kernel void f(f16 *p)\n{\n    f16 a[64][64] = load(p + range(64)[:, None] * 64 + "
         "range(64)[None, :]);\n"
         "    f32 c[64][64] = 0;\n    for (i32 k = 0; k < 64; k++)\n        c = dot(a, a, c);\n"
         "    store(p + range(64)[:, None] * 64 + range(64)[None, :], (f16)c);\n}\n"},
        {"VALU", 64 * 2048 / 128 * 4 / 4, 1.2 * 64 * 2048 / 128 * 4 / 4,
         "kernel void f(f32 *p)\n{\n    f32 x[2048] = load((f32 *)p + range(2048));\n"
         "    for (i32 k = 0; k < 64; k++)\n        x = x * x + 0.5;\n    store(p + range(2048), "
         "x);\n}\n"},
        {"L1", 2 * 2048 * 4 / 64, 2 * 2048 * 4 / 64,
         "kernel void f(f32 *p)\n{\n    store(p + range(2048), load(p + range(2048)) + 1);\n}\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static char data[2048 * sizeof(float)];
        kiln_sim_launch_stats_t stats;
        kiln_cost_t cost = cost_of(rows[i].text, data, sizeof data, &stats);
        const double bounds[] = {stats.bound_mfma, stats.bound_valu, stats.bound_salu,
                                 stats.bound_lds,  stats.bound_l1,   stats.bound_l2};
        double largest = 0;
        for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++)
            largest = bounds[b] > largest ? bounds[b] : largest;
        assert_int_equal(cost.kind, KILN_COST_ESTIMATED_CYCLES);
        assert_true(cost.value == largest && largest == stats.estimated_cycles);
        assert_string_equal(cost.bound, rows[i].bound);
        assert_true(cost.value >= rows[i].min && cost.value <= rows[i].max);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(search_ranks_correct_candidates_and_explains_rejections),
        cmocka_unit_test(a_problem_depends_on_what_code_depends_on),
        cmocka_unit_test(search_without_a_right_candidate_fails),
        cmocka_unit_test(runner_verifies_against_its_reference),
        cmocka_unit_test(failures_of_files_end_the_search),
        cmocka_unit_test(a_cost_is_its_largest_bound),
    };
    return cmocka_run_group_tests_name("tune", tests, open_device, close_device);
}
