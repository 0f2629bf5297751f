// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cases of kiln/tune.h and kiln/tune_runner.h.
#ifndef API_CASES_TUNE_H
#define API_CASES_TUNE_H

static kiln_status_t launch_nothing(void *user)
{
    (void)user;
    return KILN_OK;
}

static void stores(void)
{
    kiln_tune_store_t *store;
    const kiln_tune_key_t key = {"k", "0", "device", "n=1"}, no_key = {"k", NULL, "device", "n=1"};
    char *config;
    kiln_cost_kind_t kind;
    double cost;
    const char *path = path_of("store.sqlite"), *file = write_file("notadirectory", "x", 1);
    char *below = kiln_string_print("%s/store.sqlite", file);
    NULLS(kiln_tune_store_open(NULL, &store), "path is NULL");
    NULLS(kiln_tune_store_open(path, NULL), "out_store is NULL");
    CASE(IO, kiln_tune_store_open(below, &store), "notadirectory");
    free(below);
    const char *broken =
        write_file("broken.sqlite", "this is no database, and long enough to be seen as none of it", 60);
    NULLS(kiln_tune_store_open_existing(NULL, &store), "path is NULL");
    NULLS(kiln_tune_store_open_existing(path, NULL), "out_store is NULL");
    CASE(IO, kiln_tune_store_open_existing(broken, &store), "broken.sqlite");
    ok(kiln_tune_store_open(path, &store));
    NULLS(kiln_tune_store_put(NULL, &key, "", KILN_COST_ESTIMATED_CYCLES, 1), "store is NULL");
    NULLS(kiln_tune_store_put(store, NULL, "", KILN_COST_ESTIMATED_CYCLES, 1), "key is NULL");
    NULLS(kiln_tune_store_put(store, &no_key, "", KILN_COST_ESTIMATED_CYCLES, 1), "key->source_hash is NULL");
    NULLS(kiln_tune_store_put(store, &key, NULL, KILN_COST_ESTIMATED_CYCLES, 1), "config is NULL");
    NULLS(kiln_tune_store_get(NULL, &key, &config, &kind, &cost), "store is NULL");
    NULLS(kiln_tune_store_get(store, NULL, &config, &kind, &cost), "key is NULL");
    NULLS(kiln_tune_store_get(store, &no_key, &config, &kind, &cost), "key->source_hash is NULL");
    NULLS(kiln_tune_store_get(store, &key, NULL, &kind, &cost), "out_config is NULL");
    NULLS(kiln_tune_store_get(store, &key, &config, NULL, &cost), "out_kind is NULL");
    NULLS(kiln_tune_store_get(store, &key, &config, &kind, NULL), "out_cost is NULL");
    CASE(NOT_FOUND, kiln_tune_store_get(store, &key, &config, &kind, &cost), "no tuning result");
    NULLS(kiln_tune_lookup("k", NULL, "d", "n", store, &config), "source_hash is NULL");
    NULLS(kiln_tune_lookup("k", "0", NULL, "n", store, &config), "device is NULL");
    NULLS(kiln_tune_lookup("k", "0", "d", NULL, store, &config), "arguments is NULL");
    NULLS(kiln_tune_lookup("k", "0", "d", "n", NULL, &config), "user is NULL");
    NULLS(kiln_tune_lookup("k", "0", "d", "n", store, NULL), "out_config is NULL");
    CASE(NOT_FOUND, kiln_tune_lookup("k", "0", "d", "n", store, &config), "no tuning result");
    // Somebody takes the table away.
    sqlite3 *database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, "DROP TABLE best", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
    CASE(IO, kiln_tune_store_put(store, &key, "a=1", KILN_COST_ESTIMATED_CYCLES, 1), "no such table");
    CASE(IO, kiln_tune_store_get(store, &key, &config, &kind, &cost), "no such table");
    kiln_tune_store_release(store);
    SURVIVES(kiln_tune_store_release(NULL));
}

static kiln_status_t refuse(const kiln_tune_candidate_t *candidate, const kiln_kernel_t *kernel, kiln_launch_t *launch,
                            void *user)
{
    (void)candidate, (void)kernel, (void)launch, (void)user;
    return kiln_status_make(KILN_STATUS_MISMATCH, "refused");
}

static void searches(void)
{
    kiln_cost_t cost = {.struct_size = sizeof cost}, no_cost = {0};
    NULLS(kiln_cost_of_launch(NULL, NULL, launch_nothing, NULL, &cost), "device is NULL");
    NULLS(kiln_cost_of_launch(world.device, NULL, NULL, NULL, &cost), "launch is NULL");
    NULLS(kiln_cost_of_launch(world.device, NULL, launch_nothing, NULL, NULL), "out_cost is NULL");
    NULLS(kiln_cost_of_launch(world.device, NULL, launch_nothing, NULL, &no_cost), "out_cost->struct_size is 0");
    FAILING("hipEventCreate", kiln_cost_of_launch(world.device, NULL, launch_nothing, NULL, &cost));
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
    problem.axis_count = 1;
    NULLS(kiln_tune(&problem, &found), "problem->axes is NULL");
    problem.axes = &axis;
    NULLS(kiln_tune(&problem, &found), "problem->axes[0].name is NULL");
    axis.name = "BLOCK";
    axis.values = NULL;
    NULLS(kiln_tune(&problem, &found), "the values of problem->axes[0]");
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
         *other_file = kiln_string_print("x=%s", write_file("other.bin", "\0\0\x80?\0\0\x80?\0\0\x80?\0\0\x80?", 16));
    NULLS(kiln_tune_runner_expect(NULL, "x=f"), "runner is NULL");
    NULLS(kiln_tune_runner_expect(runner, NULL), "text is NULL");
    CASE(NOT_FOUND, kiln_tune_runner_expect(runner, "x=/nowhere/file"), "/nowhere/file");
    CASE(INVALID_INPUT, kiln_tune_runner_expect(runner, short_file), "4 bytes");
    ok(kiln_tune_runner_expect(runner, other_file));
    kiln_tune_candidate_t candidate = {NULL, 0, ""};
    kiln_launch_initialize(&launch);
    NULLS(kiln_tune_runner_prepare(NULL, world.kernel, &launch, runner), "candidate is NULL");
    NULLS(kiln_tune_runner_prepare(&candidate, NULL, &launch, runner), "kernel is NULL");
    NULLS(kiln_tune_runner_prepare(&candidate, world.kernel, NULL, runner), "out_launch is NULL");
    NULLS(kiln_tune_runner_prepare(&candidate, world.kernel, &launch, NULL), "user is NULL");
    CASE(INVALID_INPUT, kiln_tune_runner_prepare(&candidate, world.kernel, &launch, runner), "wants an argument 'n'");
    NULLS(kiln_tune_runner_verify(&candidate, &error, NULL), "user is NULL");
    NULLS(kiln_tune_runner_verify(&candidate, NULL, runner), "out_error is NULL");
    CASE(MISMATCH, kiln_tune_runner_verify(&candidate, &error, runner), "in buffer 'x'");
    kiln_tune_problem_t problem, none = {0};
    kiln_tune_problem_initialize(&problem);
    problem.device = world.device;
    problem.source = (kiln_source_t){KILN_STAGE_TILE, "k", "nonsense", 8};
    NULLS(kiln_tune_runner_make_reference(NULL, &problem), "runner is NULL");
    NULLS(kiln_tune_runner_make_reference(runner, NULL), "problem is NULL");
    NULLS(kiln_tune_runner_make_reference(runner, &none), "problem->struct_size is 0");
    CASE(INVALID_INPUT, kiln_tune_runner_make_reference(runner, &problem), "while making the reference result");
    kiln_tune_runner_release(runner);
    SURVIVES(kiln_tune_runner_release(NULL));
    kiln_arguments_release(named);
    free(short_file);
    free(other_file);
}

static void tune(void)
{
    stores();
    searches();
    runners();
}

#endif
