// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequences of kernels as one candidate: kiln/tune.h, kiln/tune_space.h and kiln/tune_runner.h.
#ifndef API_CASES_SEQUENCE_H
#define API_CASES_SEQUENCE_H

static const char two_kernels[] =
    "[[tune(B = 1, 2, num_warps = 1, 2), where(B <= num_warps)]]\n"
    "kernel void first(f32 *x, constexpr i32 B = 1) {}\n"
    "[[tune(B = 4, C = 3, num_warps = 4)]]\n"
    "kernel void second(f32 *x, f32 *y, constexpr i32 B = 1, constexpr i32 C = 2) {}\n";

// Problems that no function accepts, and the status of each.
typedef struct sequence_cases {
    kiln_tune_problem_t good, no_then, no_step, no_size, bad_source, no_tile;
    kiln_compile_options_t options;
    kiln_tune_step_t second, empty, bad, tt;
    const kiln_tune_step_t *steps[5];
} sequence_cases_t;

static void make_sequences(sequence_cases_t *cases)
{
    memset(cases, 0, sizeof *cases);
    kiln_compile_options_initialize(&cases->options);
    cases->options.kernel = "first";
    kiln_tune_step_initialize(&cases->second);
    cases->second.kernel = "second";
    cases->bad = cases->tt = cases->second;
    cases->bad.source = (kiln_source_t){KILN_STAGE_TILE, "k", "nonsense", 8};
    cases->tt.source = (kiln_source_t){KILN_STAGE_TT, "k", "module {}", 9};
    const kiln_tune_step_t *const steps[] = {&cases->second, NULL, &cases->empty, &cases->bad,
                                             &cases->tt};
    memcpy(cases->steps, steps, sizeof steps);
    kiln_tune_problem_t *good = &cases->good;
    kiln_tune_problem_initialize(good);
    good->source = (kiln_source_t){KILN_STAGE_TILE, "two", two_kernels, sizeof two_kernels - 1};
    good->device = world.device;
    good->options = &cases->options;
    good->then = &cases->steps[0];
    good->then_count = 1;
    good->prepare = refuse;
    good->verify = agree;
    cases->no_then = cases->no_step = cases->no_size = cases->bad_source = cases->no_tile = *good;
    cases->no_then.then = NULL;
    cases->no_step.then = &cases->steps[1];
    cases->no_size.then = &cases->steps[2];
    cases->bad_source.then = &cases->steps[3];
    cases->no_tile.then = &cases->steps[4];
}

static kiln_status_t refuse_step(const kiln_tune_candidate_t *candidate, size_t step,
                                 const kiln_kernel_t *kernel, kiln_launch_t *launch, void *user)
{
    (void)candidate, (void)step, (void)kernel, (void)launch, (void)user;
    return kiln_status_make(KILN_STATUS_MISMATCH, "refused the second");
}

static kiln_status_t accept_first(const kiln_tune_candidate_t *candidate,
                                  const kiln_kernel_t *kernel, kiln_launch_t *launch, void *user)
{
    (void)candidate, (void)kernel, (void)launch, (void)user;
    return KILN_OK;
}

static void sequence_searches(const sequence_cases_t *cases)
{
    kiln_tune_result_t *found;
    kiln_tune_problem_t problem = cases->good;
    NULLS(kiln_tune(&problem, &found), "problem->prepare_step is NULL");
    problem.prepare_step = refuse_step;
    problem.prepare = accept_first;
    CASE(MISMATCH, kiln_tune(&problem, &found), "refused the second");
    const kiln_setting_t fixed = {"third.B", "1"};
    problem.fixed = &fixed;
    problem.fixed_count = 1;
    CASE(MISMATCH, kiln_tune(&problem, &found), "'third.B' is for kernel 'third'");
    NULLS(kiln_tune(&cases->no_then, &found), "problem->then is NULL");
    problem = cases->no_step;
    problem.prepare_step = refuse_step;
    NULLS(kiln_tune(&problem, &found), "problem->then[i] is NULL");
    problem.then = cases->no_size.then;
    NULLS(kiln_tune(&problem, &found), "problem->then[i]->struct_size is 0");
    problem.then = cases->bad_source.then;
    CASE(INVALID_INPUT, kiln_tune(&problem, &found), "k:1:1");
    problem.then = cases->no_tile.then;
    CASE(UNSUPPORTED, kiln_tune(&problem, &found), "'k' is not Tile C");
}

static void sequence_lookups(const sequence_cases_t *cases)
{
    char *path = kiln_string_print("%s/sequences.sqlite", world.directory), *text;
    kiln_tune_store_t *store;
    kiln_tune_match_t match = {.struct_size = sizeof match}, no_match = {0};
    kiln_tune_problem_t problem = cases->good;
    ok(kiln_tune_store_open(path, &store));
    NULLS(kiln_tune_find_problem(NULL, KILN_TUNE_USE_EXACT, &match), "problem is NULL");
    NULLS(kiln_tune_find_problem(&problem, KILN_TUNE_USE_EXACT, NULL), "out_match is NULL");
    NULLS(kiln_tune_find_problem(&problem, KILN_TUNE_USE_EXACT, &no_match),
          "out_match->struct_size is 0");
    NULLS(kiln_tune_find_problem(&problem, KILN_TUNE_USE_EXACT, &match), "problem->store is NULL");
    problem.store = store;
    CASE(NOT_FOUND, kiln_tune_find_problem(&problem, KILN_TUNE_USE_EXACT, &match),
         "no tuning result for kernel 'first+second'");
    CASE(INVALID_INPUT, kiln_tune_find_problem(&cases->bad_source, KILN_TUNE_USE_EXACT, &match),
         "k:1:1");
    CASE(UNSUPPORTED, kiln_tune_find_problem(&cases->no_tile, KILN_TUNE_USE_EXACT, &match),
         "'k' is not Tile C");
    sqlite3 *database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, "DROP TABLE tuned", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
    CASE(IO, kiln_tune_find_problem(&problem, KILN_TUNE_USE_EXACT, &match), "no such table");
    kiln_tune_store_release(store);
    free(path);

    NULLS(kiln_tune_step_settings(NULL, 0, "", &text), "problem is NULL");
    NULLS(kiln_tune_step_settings(&problem, 0, NULL, &text), "config is NULL");
    NULLS(kiln_tune_step_settings(&problem, 0, "", NULL), "out_config is NULL");
    NULLS(kiln_tune_step_settings(&problem, 2, "", &text), "step is 2, but there are 2 kernels");
    CASE(INVALID_INPUT, kiln_tune_step_settings(&cases->bad_source, 0, "", &text), "k:1:1");
    CASE(UNSUPPORTED, kiln_tune_step_settings(&cases->no_tile, 0, "", &text), "'k' is not Tile C");
    const kiln_setting_t fixed = {"second.B", "7"};
    problem.fixed = &fixed;
    problem.fixed_count = 1;
    static const char config[] = "B=3 C=4 MACRO=1 first.num_warps=2 num_warps=1";
    ok(kiln_tune_step_settings(&problem, 0, config, &text));
    assert_string_equal(text, "B=3 MACRO=1 num_warps=2");
    free(text);
    ok(kiln_tune_step_settings(&problem, 1, config, &text));
    assert_string_equal(text, "B=7 C=4 MACRO=1 num_warps=1");
    free(text);
}

static void sequence_spaces(const sequence_cases_t *cases)
{
    kiln_tune_space_t *space;
    kiln_tune_problem_t single = cases->good;
    size_t count;
    single.then_count = 0;
    ok(kiln_tune_space_create(&space));
    NULLS(kiln_tune_space_declare_steps(NULL, &cases->good, &count), "space is NULL");
    NULLS(kiln_tune_space_declare_steps(space, NULL, &count), "problem is NULL");
    NULLS(kiln_tune_space_declare_steps(space, &single, &count), "problem->then_count is 0");
    CASE(INVALID_INPUT, kiln_tune_space_declare_steps(space, &cases->bad_source, &count), "k:1:1");
    CASE(UNSUPPORTED, kiln_tune_space_declare_steps(space, &cases->no_tile, &count),
         "'k' is not Tile C");
    ok(kiln_tune_space_declare_steps(space, &cases->good, &count));
    assert_int_equal(count, 4);
    static const char *const names[] = {"B", "first.num_warps", "C", "second.num_warps"};
    const kiln_tune_axis_t *axes = kiln_tune_space_axes(space, &count);
    assert_int_equal(count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(axes[i].name, names[i]);
    assert_int_equal(axes[0].value_count, 2); // those of the first kernel that has it
    // num_warps in the first kernel's condition is first.num_warps.
    kiln_setting_t settings[] = {{"B", "2"}, {"first.num_warps", "2"}, {"second.num_warps", "1"}};
    const kiln_tune_candidate_t candidate = {settings, 3, ""};
    bool admits;
    ok(kiln_tune_space_admits(&candidate, &admits, space));
    assert_true(admits);
    settings[1].value = "1";
    ok(kiln_tune_space_admits(&candidate, &admits, space));
    assert_false(admits);
    kiln_tune_space_release(space);
}

static void sequence_runners(void)
{
    kiln_arguments_t *named;
    kiln_tune_runner_t *runner;
    kiln_launch_t launch;
    const kiln_tune_candidate_t candidate = {NULL, 0, ""};
    kiln_launch_initialize(&launch);
    ok(kiln_arguments_create(world.device, &named));
    ok(kiln_arguments_add(named, "x=f32[4]"));
    ok(kiln_tune_runner_create(named, NULL, NULL, 0, &runner));
    NULLS(kiln_tune_runner_add_step(NULL, NULL), "runner is NULL");
    NULLS(kiln_tune_runner_prepare_step(&candidate, 1, world.kernel, &launch, runner),
          "step is 1; expected 1 to the number of calls");
    ok(kiln_tune_runner_add_step(runner, "1"));
    NULLS(kiln_tune_runner_prepare_step(NULL, 1, world.kernel, &launch, runner),
          "candidate is NULL");
    NULLS(kiln_tune_runner_prepare_step(&candidate, 1, NULL, &launch, runner), "kernel is NULL");
    NULLS(kiln_tune_runner_prepare_step(&candidate, 1, world.kernel, NULL, runner),
          "out_launch is NULL");
    NULLS(kiln_tune_runner_prepare_step(&candidate, 1, world.kernel, &launch, NULL),
          "user is NULL");
    CASE(USAGE, kiln_tune_runner_prepare_step(&candidate, 1, world.kernel, &launch, runner),
         "missing argument of kernel 'k3': 'n'");
    kiln_tune_runner_release(runner);
    kiln_arguments_release(named);
}

static void sequence_names(void)
{
    kiln_tuning_t *tuning;
    const kiln_source_t source = {KILN_STAGE_TILE, "k", declaring, sizeof declaring - 1},
                        tt = {KILN_STAGE_TT, "k", "module {}", 9};
    ok(kiln_tuning_read(&source, NULL, NULL, NULL, &tuning));
    ANSWER_IS(kiln_tuning_kernel(tuning)[0], == 'k');
    ANSWER_IS(kiln_tuning_grid(tuning), == NULL);
    ANSWER_IS(kiln_tuning_argument(tuning, 0)[0], == 'x');
    ANSWER_IS(kiln_tuning_argument(tuning, 1), == NULL);
    ANSWER_IS(kiln_tuning_declared_argument(tuning, 0)[0], == 'x');
    ANSWER_IS(kiln_tuning_declared_argument(tuning, 1), == NULL);
    ANSWER_IS(kiln_tuning_constant(tuning, 1)[0], == 'C');
    ANSWER_IS(kiln_tuning_constant(tuning, 2), == NULL);
    kiln_tuning_release(tuning);
    ok(kiln_tuning_read(&tt, NULL, NULL, NULL, &tuning));
    ANSWER_IS(kiln_tuning_kernel(tuning), == NULL);
    ANSWER_IS(kiln_tuning_argument(tuning, 0), == NULL);
    kiln_tuning_release(tuning);
    ANSWER_IS(kiln_tuning_kernel(NULL), == NULL);
    ANSWER_IS(kiln_tuning_grid(NULL), == NULL);
    ANSWER_IS(kiln_tuning_argument(NULL, 0), == NULL);
    ANSWER_IS(kiln_tuning_declared_argument(NULL, 0), == NULL);
    ANSWER_IS(kiln_tuning_constant(NULL, 0), == NULL);
}

static void sequences(void)
{
    sequence_cases_t cases;
    make_sequences(&cases);
    sequence_names();
    sequence_searches(&cases);
    sequence_lookups(&cases);
    sequence_spaces(&cases);
    sequence_runners();
}

#endif
