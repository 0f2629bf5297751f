// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cases for kiln/tune.h, kiln/tune_space.h and kiln/tune_runner.h.
#ifndef API_CASES_TUNE_H
#define API_CASES_TUNE_H

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

static kiln_status_t launch_nothing(void *user)
{
    (void)user;
    return KILN_OK;
}

static kiln_status_t count_row(const kiln_tune_record_t *record, void *user)
{
    (void)record;
    ++*(size_t *)user;
    return KILN_OK;
}

// Functions that read and write the rows of a store.
static void store_rows(kiln_tune_store_t *store, const char *path)
{
    kiln_tune_store_t *other, *reader, *broken;
    size_t count = 0;
    kiln_tune_record_t record = {.struct_size = sizeof record,
                                 .key = {"k", "0", "device", "n=1", "A=1\n"},
                                 .code = "another",
                                 .config = "B=1",
                                 .kind = KILN_COST_PREDICTED_NANOSECONDS},
                       none = {0};
    char *other_path = kiln_string_print("%s-rows", path),
         *broken_path = kiln_string_print("%s-broken", path);
    ok(kiln_tune_store_open(other_path, &other));
    ok(kiln_tune_store_open(broken_path, &broken));
    ok(kiln_tune_store_open_existing(path, &reader));
    NULLS(kiln_tune_store_add(NULL, KILN_TUNE_BEST, &record), "store is NULL");
    NULLS(kiln_tune_store_add(other, KILN_TUNE_BEST, NULL), "record is NULL");
    NULLS(kiln_tune_store_add(other, KILN_TUNE_BEST, &none), "record->struct_size is 0");
    record.config = NULL;
    NULLS(kiln_tune_store_add(other, KILN_TUNE_BEST, &record), "record->config is NULL");
    record.config = "B";
    CASE(INVALID_INPUT, kiln_tune_store_add(other, KILN_TUNE_BEST, &record), "expected NAME=VALUE");
    record.config = "B=1";
    ok(kiln_tune_store_add(other, KILN_TUNE_BEST, &record));
    ok(kiln_tune_store_add(other, KILN_TUNE_SAMPLES, &record));
    NULLS(kiln_tune_store_visit(NULL, KILN_TUNE_BEST, count_row, &count), "store is NULL");
    NULLS(kiln_tune_store_visit(other, KILN_TUNE_BEST, NULL, &count), "visit is NULL");
    ok(kiln_tune_store_visit(other, KILN_TUNE_BEST, count_row, &count));
    ok(kiln_tune_store_visit(other, KILN_TUNE_SAMPLES, count_row, &count));
    assert_int_equal(count, 2);
    NULLS(kiln_tune_store_merge(NULL, other, &count), "store is NULL");
    NULLS(kiln_tune_store_merge(store, NULL, &count), "other is NULL");
    NULLS(kiln_tune_store_merge(other, other, &count), "store and other are the same");
    ok(kiln_tune_store_merge(store, other, &count));
    assert_int_equal(count, 2);
    NULLS(kiln_tune_store_prune(NULL, 0, &count), "store is NULL");
    ok(kiln_tune_store_prune(store, 0, &count));
    assert_int_equal(count, 2);
    sqlite3 *database;
    assert_int_equal(sqlite3_open(broken_path, &database), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(database, "DROP TABLE tuned; DROP TABLE samples", NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(database);
    CASE(IO, kiln_tune_store_add(broken, KILN_TUNE_SAMPLES, &record), "no such table");
    CASE(IO, kiln_tune_store_visit(broken, KILN_TUNE_BEST, count_row, &count), "no such table");
    CASE(IO, kiln_tune_store_merge(broken, other, &count), "no such table");
    CASE(IO, kiln_tune_store_prune(broken, 0, &count), "no such table");
    kiln_tune_store_release(reader);
    kiln_tune_store_release(broken);
    kiln_tune_store_release(other);
    free(other_path);
    free(broken_path);
    ANSWER_IS(kiln_tune_verdict_name((kiln_tune_verdict_t)9), == NULL);
}

static void stores(void)
{
    kiln_tune_store_t *store;
    const kiln_tune_key_t key = {"k", "0", "device", "n=1", "A=1\n"},
                          no_key = {"k", NULL, "device", "n=1", NULL};
    char *config;
    kiln_cost_kind_t kind;
    double cost;
    const char *path = path_of("store.sqlite"), *file = write_file("notadirectory", "x", 1);
    char *below = kiln_string_print("%s/store.sqlite", file);
    NULLS(kiln_tune_store_open(NULL, &store), "path is NULL");
    NULLS(kiln_tune_store_open(path, NULL), "out_store is NULL");
    CASE(USAGE, kiln_tune_store_open("", &store), "path is empty");
    CASE(IO, kiln_tune_store_open(below, &store), "notadirectory");
    free(below);
    const char *broken = write_file(
        "broken.sqlite", "this is no database, and long enough to be seen as none of it", 60);
    NULLS(kiln_tune_store_open_existing(NULL, &store), "path is NULL");
    NULLS(kiln_tune_store_open_existing(path, NULL), "out_store is NULL");
    CASE(IO, kiln_tune_store_open_existing(broken, &store), "broken.sqlite");
    ok(kiln_tune_store_open(path, &store));
    NULLS(kiln_tune_store_put(NULL, &key, "", KILN_COST_ESTIMATED_CYCLES, 1, KILN_TUNE_VERIFIED),
          "store is NULL");
    NULLS(kiln_tune_store_put(store, NULL, "", KILN_COST_ESTIMATED_CYCLES, 1, KILN_TUNE_VERIFIED),
          "key is NULL");
    NULLS(
        kiln_tune_store_put(store, &no_key, "", KILN_COST_ESTIMATED_CYCLES, 1, KILN_TUNE_VERIFIED),
        "key->problem is NULL");
    NULLS(kiln_tune_store_put(store, &key, NULL, KILN_COST_ESTIMATED_CYCLES, 1, KILN_TUNE_VERIFIED),
          "config is NULL");
    NULLS(kiln_tune_store_get(NULL, &key, &config, &kind, &cost), "store is NULL");
    NULLS(kiln_tune_store_get(store, NULL, &config, &kind, &cost), "key is NULL");
    NULLS(kiln_tune_store_get(store, &no_key, &config, &kind, &cost), "key->problem is NULL");
    NULLS(kiln_tune_store_get(store, &key, NULL, &kind, &cost), "out_config is NULL");
    NULLS(kiln_tune_store_get(store, &key, &config, NULL, &cost), "out_kind is NULL");
    NULLS(kiln_tune_store_get(store, &key, &config, &kind, NULL), "out_cost is NULL");
    CASE(NOT_FOUND, kiln_tune_store_get(store, &key, &config, &kind, &cost), "no tuning result");
    NULLS(kiln_tune_store_reject(NULL, &key, ""), "store is NULL");
    NULLS(kiln_tune_store_reject(store, NULL, ""), "key is NULL");
    NULLS(kiln_tune_store_reject(store, &no_key, ""), "key->problem is NULL");
    NULLS(kiln_tune_store_reject(store, &key, NULL), "config is NULL");
    ok(kiln_tune_store_reject(store, &key, "never=1"));
    kiln_jit_tune_request_t request = {
        .struct_size = sizeof request, .problem = "0", .device = "d", .arguments = "n"};
    NULLS(kiln_tune_lookup(NULL, store, &config), "request is NULL");
    NULLS(kiln_tune_lookup(&request, NULL, &config), "user is NULL");
    NULLS(kiln_tune_lookup(&request, store, NULL), "out_config is NULL");
    CASE(NOT_FOUND, kiln_tune_lookup(&request, store, &config), "no tuning result");
    kiln_tune_match_t match = {.struct_size = sizeof match}, no_match = {0};
    kiln_tune_use_t use;
    NULLS(kiln_tune_lookup_near(NULL, store, &config), "request is NULL");
    NULLS(kiln_tune_lookup_near(&request, NULL, &config), "user is NULL");
    NULLS(kiln_tune_lookup_near(&request, store, NULL), "out_config is NULL");
    CASE(NOT_FOUND, kiln_tune_lookup_near(&request, store, &config), "no tuning result");
    NULLS(kiln_tune_find(NULL, store, KILN_TUNE_USE_NEAR, &match), "request is NULL");
    NULLS(kiln_tune_find(&request, NULL, KILN_TUNE_USE_NEAR, &match), "store is NULL");
    NULLS(kiln_tune_find(&request, store, KILN_TUNE_USE_NEAR, NULL), "out_match is NULL");
    NULLS(kiln_tune_find(&request, store, KILN_TUNE_USE_NEAR, &no_match),
          "out_match->struct_size is 0");
    CASE(NOT_FOUND, kiln_tune_find(&request, store, KILN_TUNE_USE_NEAR, &match),
         "no tuning result");
    recorded_problems(store);
    kiln_tune_recorder_t *recorder;
    NULLS(kiln_tune_recorder_open(NULL, NULL, NULL, &recorder), "path is NULL");
    NULLS(kiln_tune_recorder_open("/dev/null", NULL, NULL, NULL), "out_recorder is NULL");
    CASE(IO, kiln_tune_recorder_open("/nowhere/file", NULL, NULL, &recorder), "/nowhere/file");
    SURVIVES(kiln_tune_recorder_release(NULL));
    ok(kiln_tune_recorder_open("/dev/full", NULL, NULL, &recorder));
    NULLS(kiln_tune_record(NULL, recorder, &config), "request is NULL");
    NULLS(kiln_tune_record(&request, NULL, &config), "user is NULL");
    NULLS(kiln_tune_record(&request, recorder, NULL), "out_config is NULL");
    NULLS(kiln_tune_record(&request, recorder, &config), "request->call is NULL");
    kiln_jit_call_t call;
    kiln_jit_call_initialize(&call);
    call.source = world.source;
    kiln_jit_tune_request_t launched = request;
    launched.call = &call;
    CASE(IO, kiln_tune_record(&launched, recorder, &config), "cannot record to '/dev/full'");
    kiln_tune_recorder_release(recorder);
    ok(kiln_tune_recorder_open("/dev/null", NULL, NULL, &recorder));
    CASE(NOT_FOUND, kiln_tune_record(&launched, recorder, &config), "only recorded");
    kiln_tune_recorder_release(recorder);
    NULLS(kiln_tune_use_parse(NULL, &use), "text is NULL");
    NULLS(kiln_tune_use_parse("near", NULL), "out_use is NULL");
    CASE(USAGE, kiln_tune_use_parse("nearby", &use), "expected exact, use, near, default, search");
    request.setting_count = 1;
    NULLS(kiln_tune_lookup(&request, store, &config), "settings is NULL");
    NULLS(kiln_tune_lookup_near(&request, store, &config), "settings is NULL");
    NULLS(kiln_tune_find(&request, store, KILN_TUNE_USE_NEAR, &match), "settings is NULL");
    request.setting_count = 0;
    request.problem = NULL;
    NULLS(kiln_tune_lookup(&request, store, &config), "key->problem is NULL");
    request.problem = "0";
    request.struct_size = 0;
    CASE(USAGE, kiln_tune_lookup(&request, store, &config), "struct_size is 0");
    request.struct_size = sizeof request;
    store_rows(store, path);
    // Another program removes the table.
    sqlite3 *database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, "DROP TABLE tuned", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
    CASE(IO,
         kiln_tune_store_put(store, &key, "a=1", KILN_COST_ESTIMATED_CYCLES, 1, KILN_TUNE_VERIFIED),
         "no such table");
    CASE(IO, kiln_tune_store_get(store, &key, &config, &kind, &cost), "no such table");
    CASE(IO, kiln_tune_store_reject(store, &key, "a=1"), "no such table");
    CASE(IO, kiln_tune_lookup(&request, store, &config), "no such table");
    CASE(IO, kiln_tune_lookup_near(&request, store, &config), "no such table");
    CASE(IO, kiln_tune_find(&request, store, KILN_TUNE_USE_NEAR, &match), "no such table");
    CASE(IO,
         kiln_tune_find_recorded(FULL, strlen(FULL), world.device, NULL, store, KILN_TUNE_USE_EXACT,
                                 &match),
         "no such table");
    kiln_tune_store_release(store);
    // A store that was opened for reading only and has no table.
    ok(kiln_tune_store_open_existing(path, &store));
    assert_non_null(store);
    CASE(NOT_FOUND, kiln_tune_store_get(store, &key, &config, &kind, &cost), "no tuning result");
    CASE(NOT_FOUND, kiln_tune_lookup(&request, store, &config), "no tuning result");
    CASE(USAGE,
         kiln_tune_store_put(store, &key, "a=1", KILN_COST_ESTIMATED_CYCLES, 1, KILN_TUNE_VERIFIED),
         "open for reading only");
    CASE(USAGE, kiln_tune_store_reject(store, &key, "a=1"), "open for reading only");
    kiln_tune_store_release(store);
    SURVIVES(kiln_tune_store_release(NULL));
}

static kiln_status_t refuse(const kiln_tune_candidate_t *candidate, const kiln_kernel_t *kernel,
                            kiln_launch_t *launch, void *user)
{
    (void)candidate, (void)kernel, (void)launch, (void)user;
    return kiln_status_make(KILN_STATUS_MISMATCH, "refused");
}

static kiln_status_t agree(const kiln_tune_candidate_t *candidate, double *out_error, void *user)
{
    (void)candidate, (void)user;
    *out_error = 0;
    return KILN_OK;
}

static void searches(void)
{
    kiln_cost_t cost = {.struct_size = sizeof cost}, no_cost = {0};
    NULLS(kiln_cost_of_launch(NULL, NULL, launch_nothing, NULL, &cost), "device is NULL");
    NULLS(kiln_cost_of_launch(world.device, NULL, NULL, NULL, &cost), "launch is NULL");
    NULLS(kiln_cost_of_launch(world.device, NULL, launch_nothing, NULL, NULL), "out_cost is NULL");
    NULLS(kiln_cost_of_launch(world.device, NULL, launch_nothing, NULL, &no_cost),
          "out_cost->struct_size is 0");
    FAILING("hipEventCreate", kiln_cost_of_launch(world.device, NULL, launch_nothing, NULL, &cost));
    NULLS(kiln_cost_of_restored_launch(NULL, NULL, launch_nothing, launch_nothing, NULL, &cost),
          "device is NULL");
    NULLS(kiln_cost_of_restored_launch(world.device, NULL, NULL, launch_nothing, NULL, &cost),
          "restore_arguments is NULL");
    NULLS(kiln_cost_of_restored_launch(world.device, NULL, launch_nothing, NULL, NULL, &cost),
          "launch is NULL");
    NULLS(kiln_cost_of_restored_launch(world.device, NULL, launch_nothing, launch_nothing, NULL,
                                       NULL),
          "out_cost is NULL");
    NULLS(kiln_cost_of_restored_launch(world.device, NULL, launch_nothing, launch_nothing, NULL,
                                       &no_cost),
          "out_cost->struct_size is 0");
    FAILING("hipEventCreate", kiln_cost_of_restored_launch(world.device, NULL, launch_nothing,
                                                           launch_nothing, NULL, &cost));
    NULLS(
        kiln_cost_of_repeated_launch(NULL, NULL, 0, 1, launch_nothing, launch_nothing, NULL, &cost),
        "device is NULL");
    NULLS(kiln_cost_of_repeated_launch(world.device, NULL, 0, 1, NULL, launch_nothing, NULL, &cost),
          "restore_arguments is NULL");
    NULLS(kiln_cost_of_repeated_launch(world.device, NULL, 0, 1, launch_nothing, NULL, NULL, &cost),
          "launch is NULL");
    NULLS(kiln_cost_of_repeated_launch(world.device, NULL, 0, 1, launch_nothing, launch_nothing,
                                       NULL, NULL),
          "out_cost is NULL");
    NULLS(kiln_cost_of_repeated_launch(world.device, NULL, 0, 0, launch_nothing, launch_nothing,
                                       NULL, &cost),
          "launches is 0; it must be 1 to");
    FAILING("hipEventCreate", kiln_cost_of_repeated_launch(world.device, NULL, 0, 1, launch_nothing,
                                                           launch_nothing, NULL, &cost));
    kiln_tune_problem_t problem, none = {0};
    kiln_tune_result_t *found;
    const char *const blocks[] = {"64"};
    kiln_tune_axis_t axis = {NULL, blocks, 1};
    kiln_tune_problem_initialize(&problem);
    NULLS(kiln_tune(NULL, &found), "problem is NULL");
    NULLS(kiln_tune(&none, &found), "problem->struct_size is 0");
    NULLS(kiln_tune(&problem, NULL), "out_result is NULL");
    NULLS(kiln_tune(&problem, &found), "problem->source.text is NULL");
    problem.source = world.source;
    NULLS(kiln_tune(&problem, &found), "problem->device is NULL");
    problem.device = world.device;
    problem.shard = 2;
    CASE(USAGE, kiln_tune(&problem, &found), "problem->shard is 2; expected 1 to");
    problem.shard_count = 1;
    CASE(USAGE, kiln_tune(&problem, &found), "problem->shard is 2; expected 1 to");
    problem.shard = problem.shard_count = 0;
    problem.axis_count = 1;
    NULLS(kiln_tune(&problem, &found), "problem->axes is NULL");
    problem.axes = &axis;
    NULLS(kiln_tune(&problem, &found), "problem->axes[0].name is NULL");
    axis.name = "BLOCK";
    axis.values = NULL;
    NULLS(kiln_tune(&problem, &found), "a value of problem->axes[0]");
    axis.values = blocks;
    NULLS(kiln_tune(&problem, &found), "problem->prepare is NULL");
    problem.prepare = refuse;
    NULLS(kiln_tune(&problem, &found), "problem->verify is NULL");
    problem.verify = kiln_tune_runner_verify;
    CASE(MISMATCH, kiln_tune(&problem, &found), "refused");
    ANSWER_IS(kiln_cost_kind_name((kiln_cost_kind_t)9), == NULL);
    ANSWER_IS(kiln_tune_result_count(NULL), == 0);
    ANSWER_IS(kiln_tune_result_sample(NULL, 0), == NULL);
    ANSWER_IS(kiln_tune_result_cost_kind(NULL), == KILN_COST_ESTIMATED_CYCLES);
    SURVIVES(kiln_tune_result_release(NULL));
}

// A launch whose argument does not fit its parameter.
static void wrong_arguments(void)
{
    kiln_arguments_t *named;
    kiln_tune_runner_t *runner;
    kiln_launch_t launch;
    const kiln_tune_candidate_t candidate = {NULL, 0, ""};
    kiln_launch_initialize(&launch);
    ok(kiln_arguments_create(world.device, &named));
    ok(kiln_arguments_add(named, "x=f32[4]"));
    ok(kiln_arguments_add(named, "n=99999999999"));
    ok(kiln_tune_runner_create(named, NULL, NULL, 0, &runner));
    ok(kiln_tune_runner_add_step(runner, "1"));
    CASE(INVALID_INPUT, kiln_tune_runner_prepare(&candidate, world.kernel, &launch, runner), "'n'");
    CASE(INVALID_INPUT, kiln_tune_runner_plan(&candidate, world.kernel, &launch, runner), "'n'");
    CASE(INVALID_INPUT, kiln_tune_runner_prepare_step(&candidate, 1, world.kernel, &launch, runner),
         "'n'");
    kiln_tune_runner_release(runner);
    kiln_arguments_release(named);
}

static void runners(void)
{
    kiln_arguments_t *named;
    kiln_tune_runner_t *runner;
    kiln_launch_t launch;
    double error;
    ok(kiln_arguments_create(world.device, &named));
    ok(kiln_arguments_add(named, "x=f32[4]"));
    NULLS(kiln_tune_runner_create(NULL, NULL, NULL, 0, &runner), "arguments is NULL");
    NULLS(kiln_tune_runner_create(named, NULL, NULL, 1, &runner), "fixed is NULL");
    NULLS(kiln_tune_runner_create(named, NULL, NULL, 0, NULL), "out_runner is NULL");
    FAILING("hipMemcpyDtoH", kiln_tune_runner_create(named, NULL, NULL, 0, &runner));
    ok(kiln_tune_runner_create(named, NULL, NULL, 0, &runner));
    char *short_file = kiln_string_print("x=%s", write_file("short.bin", "1234", 4)),
         *other_file = kiln_string_print(
             "x=%s", write_file("other.bin", "\0\0\x80?\0\0\x80?\0\0\x80?\0\0\x80?", 16));
    NULLS(kiln_tune_runner_expect(NULL, "x=f"), "runner is NULL");
    NULLS(kiln_tune_runner_expect(runner, NULL), "text is NULL");
    CASE(NOT_FOUND, kiln_tune_runner_expect(runner, "x=/nowhere/file"), "/nowhere/file");
    CASE(INVALID_INPUT, kiln_tune_runner_expect(runner, short_file), "4 bytes");
    ok(kiln_tune_runner_expect(runner, other_file));
    kiln_tune_candidate_t candidate = {NULL, 0, ""};
    kiln_launch_initialize(&launch);
    NULLS(kiln_tune_runner_restore(NULL), "user is NULL");
    ok(kiln_tune_runner_restore(runner)); // before the first launch
    FAILING("hipMemcpyDtoH", kiln_tune_runner_restore(runner));
    NULLS(kiln_tune_runner_prepare(NULL, world.kernel, &launch, runner), "candidate is NULL");
    NULLS(kiln_tune_runner_prepare(&candidate, NULL, &launch, runner), "kernel is NULL");
    NULLS(kiln_tune_runner_prepare(&candidate, world.kernel, NULL, runner), "out_launch is NULL");
    NULLS(kiln_tune_runner_prepare(&candidate, world.kernel, &launch, NULL), "user is NULL");
    CASE(USAGE, kiln_tune_runner_prepare(&candidate, world.kernel, &launch, runner),
         "missing argument of kernel 'k3': 'n'");
    NULLS(kiln_tune_runner_plan(NULL, world.kernel, &launch, runner), "candidate is NULL");
    NULLS(kiln_tune_runner_plan(&candidate, NULL, &launch, runner), "kernel is NULL");
    NULLS(kiln_tune_runner_plan(&candidate, world.kernel, NULL, runner), "out_launch is NULL");
    NULLS(kiln_tune_runner_plan(&candidate, world.kernel, &launch, NULL), "user is NULL");
    CASE(USAGE, kiln_tune_runner_plan(&candidate, world.kernel, &launch, runner),
         "missing argument of kernel 'k3': 'n'");
    NULLS(kiln_tune_runner_verify(&candidate, &error, NULL), "user is NULL");
    NULLS(kiln_tune_runner_verify(&candidate, NULL, runner), "out_error is NULL");
    CASE(MISMATCH, kiln_tune_runner_verify(&candidate, &error, runner), "in buffer 'x'");
    kiln_tune_problem_t problem, none = {0};
    kiln_tune_problem_initialize(&problem);
    problem.device = world.device;
    problem.source = (kiln_source_t){KILN_STAGE_TILE, "k", "nonsense", 8};
    NULLS(kiln_tune_runner_add(NULL, "y=f32[A]"), "runner is NULL");
    NULLS(kiln_tune_runner_add(runner, NULL), "text is NULL");
    CASE(USAGE, kiln_tune_runner_add(runner, "y"), "expected NAME=VALUE, got 'y'");
    NULLS(kiln_tune_runner_accept(NULL), "user is NULL");
    ANSWER_IS(kiln_tune_runner_reference(NULL), == NULL);
    ANSWER_IS(kiln_tune_runner_lost_device(NULL), == false);
    ANSWER_IS(kiln_tune_runner_address(NULL, 8), == 8);
    NULLS(kiln_tune_runner_rotate(NULL, 0), "runner is NULL");
    NULLS(kiln_tune_runner_cold_code(NULL), "runner is NULL");
    FAILING("hipModuleLoadData", kiln_tune_runner_cold_code(runner));
    NULLS(kiln_tune_runner_name_reference(NULL, &problem, "A=1"), "runner is NULL");
    NULLS(kiln_tune_runner_name_reference(runner, NULL, "A=1"), "problem is NULL");
    NULLS(kiln_tune_runner_name_reference(runner, &problem, NULL), "config is NULL");
    CASE(USAGE, kiln_tune_runner_name_reference(runner, &problem, "A=1"), "is not an axis");
    CASE(INVALID_INPUT, kiln_tune_runner_name_reference(runner, &problem, ""),
         "while computing the reference");
    NULLS(kiln_tune_runner_make_reference(NULL, &problem), "runner is NULL");
    NULLS(kiln_tune_runner_make_reference(runner, NULL), "problem is NULL");
    NULLS(kiln_tune_runner_make_reference(runner, &none), "problem->struct_size is 0");
    CASE(INVALID_INPUT, kiln_tune_runner_make_reference(runner, &problem),
         "while computing the reference result");
    kiln_tune_runner_release(runner);
    SURVIVES(kiln_tune_runner_release(NULL));
    kiln_arguments_release(named);
    free(short_file);
    free(other_file);
}

static kiln_status_t prepare_any(const kiln_tune_candidate_t *candidate,
                                 const kiln_kernel_t *kernel, kiln_launch_t *launch, void *user)
{
    (void)candidate, (void)kernel;
    launch->args = user;
    return KILN_OK;
}

// A launch that does not end, so that the device is lost: the search ends with the samples so far.
static void endless_launches(void)
{
    uint64_t values[9] = {0};
    void *args[9];
    for (int i = 0; i < 9; i++)
        args[i] = &values[i];
    const char *const warps[] = {"1", "2"};
    const kiln_tune_axis_t axis = {"num_warps", warps, 2};
    kiln_tune_problem_t problem;
    kiln_tune_result_t *found;
    kiln_tune_problem_initialize(&problem);
    problem.source = world.source;
    problem.device = world.device;
    problem.axes = &axis;
    problem.axis_count = 1;
    problem.jobs = 1;
    problem.launch_limit_ms = 5;
    problem.prepare = prepare_any;
    problem.verify = kiln_tune_runner_verify; // not reached
    problem.user = args;
    setenv("FAKE_HIP_BUSY", "1", 1);
    // The launch's module and events are never released, since that would wait for the launch.
#ifdef __SANITIZE_ADDRESS__
    __lsan_disable();
#endif
    ok(kiln_tune(&problem, &found));
#ifdef __SANITIZE_ADDRESS__
    __lsan_enable();
#endif
    unsetenv("FAKE_HIP_BUSY");
    assert_int_equal(kiln_tune_result_count(found), 2);
    const kiln_tune_sample_t *first = kiln_tune_result_sample(found, 0),
                             *second = kiln_tune_result_sample(found, 1);
    assert_string_equal(first->candidate->config, "num_warps=1");
    assert_int_equal(first->verdict, KILN_TUNE_REJECTED);
    assert_non_null(strstr(first->reason, "did not end within 0.005 s"));
    assert_int_equal(second->verdict, KILN_TUNE_UNTRIED);
    assert_true(kiln_tune_result_lost_device(found));
    ANSWER_IS(kiln_tune_result_lost_device(NULL), == false);
    kiln_tune_result_release(found);
}

// Candidates that compute different results, executed.
static void disagreements(void)
{
    kiln_arguments_t *named;
    kiln_tune_runner_t *runner;
    kiln_tune_problem_t problem;
    ok(kiln_arguments_create(world.simulated, &named));
    ok(kiln_arguments_add(named, "x=f32[4]"));
    ok(kiln_tune_runner_create(named, NULL, NULL, 0, &runner));
    kiln_tune_problem_initialize(&problem);
    problem.device = world.simulated;
    const char *const factors[] = {"2", "3"};
    const kiln_tune_axis_t axis = {"F", factors, 2};
    static const char TIMES[] = "kernel void times(f32 *x, constexpr i32 F)\n"
                                "{\n    store(x + range(4), load(x + range(4)) + F);\n}\n";
    problem.source = (kiln_source_t){KILN_STAGE_TILE, "times", TIMES, sizeof TIMES - 1};
    problem.axes = &axis;
    problem.axis_count = 1;
    problem.prepare = kiln_tune_runner_prepare;
    problem.verify = kiln_tune_runner_verify;
    problem.accept = kiln_tune_runner_accept;
    problem.user = runner;
    kiln_tune_result_t *found;
    ok(kiln_tune_runner_make_reference(runner, &problem));
    CASE(MISMATCH, kiln_tune(&problem, &found), "2 different results");
    problem.strategy = KILN_TUNE_MODEL;
    CASE(USAGE, kiln_tune(&problem, &found), "needs problem->plan");
    problem.strategy = KILN_TUNE_EXHAUSTIVE;
    CASE(MISMATCH, kiln_tune_runner_accept(runner), "'F=2'; 'F=3'");
    kiln_tune_runner_release(runner);
    kiln_arguments_release(named);
}

static const char declaring[] = "[[tune(B = 1..4, num_warps = 1, 2), where(B <= 2 * num_warps)]]\n"
                                "[[arguments(x = f32[B])]]\n"
                                "kernel void k(f32 *x, constexpr i32 B, constexpr i32 C = 3) {}";

static void declarations(void)
{
    kiln_tuning_t *tuning;
    kiln_source_t none = {KILN_STAGE_TILE, "k", NULL, 5},
                  bad = {KILN_STAGE_TILE, "k", "[[tune(", 7},
                  good = {KILN_STAGE_TILE, "k", declaring, sizeof declaring - 1},
                  tt = {KILN_STAGE_TT, "k", "module {}", 9};
    const kiln_compile_options_t empty = {0};
    size_t count;
    NULLS(kiln_tuning_read(NULL, NULL, NULL, NULL, &tuning), "source is NULL");
    NULLS(kiln_tuning_read(&none, NULL, NULL, NULL, &tuning), "source->text is NULL");
    NULLS(kiln_tuning_read(&good, &empty, NULL, NULL, &tuning), "options->struct_size is 0");
    NULLS(kiln_tuning_read(&good, NULL, NULL, NULL, NULL), "out_tuning is NULL");
    CASE(INVALID_INPUT, kiln_tuning_read(&bad, NULL, NULL, NULL, &tuning), "k:1:");
    ok(kiln_tuning_read(&tt, NULL, NULL, NULL, &tuning));
    ANSWER_IS(kiln_tuning_axes(tuning, &count), != NULL);
    assert_int_equal(count, 0);
    kiln_tuning_release(tuning);
    ok(kiln_tuning_read(&good, NULL, NULL, NULL, &tuning));
    ANSWER_IS(kiln_tuning_axes(tuning, NULL)[0].value_count, == 4);
    ANSWER_IS(kiln_tuning_conditions(tuning, &count)[0][0], == 'B');
    assert_int_equal(count, 1);
    unsigned line, column;
    ANSWER_IS(kiln_tuning_condition_place(tuning, 0, &line, &column)[0], == 'k');
    assert_int_equal(line, 1);
    assert_int_equal(column, strstr(declaring, "where(") + strlen("where(") - declaring + 1);
    ANSWER_IS(kiln_tuning_condition_place(tuning, 1, &line, &column), == NULL);
    assert_int_equal(line, 0);
    ANSWER_IS(kiln_tuning_condition_place(NULL, 0, NULL, NULL), == NULL);
    kiln_tuning_release(tuning);
    SURVIVES(kiln_tuning_release(NULL));
    ANSWER_IS(kiln_tuning_axes(NULL, &count), == NULL);
    ANSWER_IS(kiln_tuning_conditions(NULL, NULL), == NULL);
}

static void derivations(kiln_tune_space_t *space)
{
    kiln_tune_problem_t problem, none = {0};
    char *summary;
    bool lost;
    kiln_tune_problem_initialize(&problem);
    NULLS(kiln_tune_space_derive(NULL, &problem, &summary, &lost), "space is NULL");
    NULLS(kiln_tune_space_derive(space, NULL, &summary, &lost), "problem is NULL");
    NULLS(kiln_tune_space_derive(space, &none, &summary, &lost), "problem->struct_size is 0");
    NULLS(kiln_tune_space_derive(space, &problem, NULL, &lost), "out_summary is NULL");
    NULLS(kiln_tune_space_derive(space, &problem, &summary, NULL), "out_lost_device is NULL");
    problem.source = (kiln_source_t){KILN_STAGE_TILE, "k", "nonsense", 8};
    problem.device = world.device;
    NULLS(kiln_tune_space_derive(space, &problem, &summary, &lost), "problem->prepare is NULL");
    problem.prepare = refuse;
    problem.verify = agree;
    CASE(INVALID_INPUT, kiln_tune_space_derive(space, &problem, &summary, &lost), "k:1:1");
    problem.source.stage = KILN_STAGE_TTG;
    CASE(UNSUPPORTED, kiln_tune_space_derive(space, &problem, &summary, &lost), "ttg");
    ANSWER_IS(kiln_kernel_program_facts(NULL), == NULL);
}

static void spaces(void)
{
    kiln_tune_space_t *space;
    kiln_source_t none = {KILN_STAGE_TILE, "k", NULL, 5},
                  bad = {KILN_STAGE_TILE, "k", "[[tune(", 7},
                  good = {KILN_STAGE_TILE, "k", declaring, sizeof declaring - 1};
    const kiln_setting_t fixed = {"num_warps", "2"};
    const kiln_setting_t settings[] = {{"B", "4"}, {"A", "1"}};
    const kiln_tune_candidate_t candidate = {settings, 2, "A=1 B=4"},
                                less = {&settings[1], 1, "A=1"};
    size_t count;
    bool admits;
    NULLS(kiln_tune_space_create(NULL), "out_space is NULL");
    ok(kiln_tune_space_create(&space));
    NULLS(kiln_tune_space_add(NULL, "A=1"), "space is NULL");
    NULLS(kiln_tune_space_add(space, NULL), "text is NULL");
    CASE(USAGE, kiln_tune_space_add(space, "A"), "expected NAME=V1,V2,…");
    CASE(USAGE, kiln_tune_space_add(space, "A=1,,2"), "expected a value or a range");
    ok(kiln_tune_space_add(space, "A=1..2"));
    CASE(USAGE, kiln_tune_space_add(space, "A=3"), "duplicate axis 'A'");
    NULLS(kiln_tune_space_require(NULL, "A < 1"), "space is NULL");
    NULLS(kiln_tune_space_require(space, NULL), "condition is NULL");
    CASE(USAGE, kiln_tune_space_require(space, "A"), "expected a comparison");
    NULLS(kiln_tune_space_declare(NULL, &good, NULL, NULL, 0, NULL, NULL, &count), "space is NULL");
    NULLS(kiln_tune_space_declare(space, NULL, NULL, NULL, 0, NULL, NULL, &count),
          "source is NULL");
    NULLS(kiln_tune_space_declare(space, &good, NULL, NULL, 1, NULL, NULL, &count),
          "fixed is NULL");
    NULLS(kiln_tune_space_declare(space, &none, NULL, NULL, 0, NULL, NULL, &count),
          "source->text is NULL");
    CASE(INVALID_INPUT, kiln_tune_space_declare(space, &bad, NULL, NULL, 0, NULL, NULL, &count),
         "k:1:");
    ok(kiln_tune_space_declare(space, &good, NULL, &fixed, 1, NULL, NULL, &count));
    assert_int_equal(count, 1);
    ANSWER_IS(kiln_tune_space_axes(space, &count)[1].value_count, == 4);
    assert_int_equal(count, 2);
    ANSWER_IS(kiln_tune_space_axes(NULL, NULL), == NULL);
    ANSWER_IS(kiln_tune_space_origin(space, 1), == KILN_TUNE_DECLARED);
    ANSWER_IS(kiln_tune_space_origin(NULL, 1), == KILN_TUNE_GIVEN);
    ANSWER_IS(kiln_tune_space_conditions(NULL, &count), == NULL);
    ANSWER_IS(kiln_tune_space_conditions(space, &count)[0][0], == 'B');
    assert_int_equal(count, 1);
    NULLS(kiln_tune_space_admits(NULL, &admits, space), "candidate is NULL");
    NULLS(kiln_tune_space_admits(&candidate, NULL, space), "out_admits is NULL");
    NULLS(kiln_tune_space_admits(&candidate, &admits, NULL), "user is NULL");
    CASE(USAGE, kiln_tune_space_admits(&less, &admits, space), "unknown name");
    ok(kiln_tune_space_admits(&candidate, &admits, space)); // with the option's default
    SURVIVES(kiln_tune_space_bind(NULL, NULL, NULL, 0));
    kiln_tune_space_bind(space, NULL, &fixed, 1);
    ok(kiln_tune_space_admits(&candidate, &admits, space));
    assert_true(admits);
    ok(kiln_tune_space_require(space, "A > 1"));
    ok(kiln_tune_space_admits(&candidate, &admits, space));
    assert_false(admits);
    NULLS(kiln_tune_space_allow(NULL, "A=1"), "space is NULL");
    NULLS(kiln_tune_space_allow(space, NULL), "config is NULL");
    const kiln_setting_t passing[] = {{"B", "4"}, {"A", "2"}};
    const kiln_tune_candidate_t other = {passing, 2, "A=2 B=4"};
    ok(kiln_tune_space_require(space, "1/(A-2) > 1"));
    CASE(INVALID_INPUT, kiln_tune_space_admits(&other, &admits, space), "division by zero");
    derivations(space);
    kiln_tune_space_release(space);
    SURVIVES(kiln_tune_space_release(NULL));
}

#include "api/cases_sequence.h"

static void tune(void)
{
    declarations();
    spaces();
    stores();
    searches();
    runners();
    wrong_arguments();
    disagreements();
    endless_launches();
    sequences();
}

#endif
