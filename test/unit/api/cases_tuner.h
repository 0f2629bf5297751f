// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cases for kiln/tuner.h, kiln/tune_group.h and kiln_tune_store_extend. Included by api_test.c.
#ifndef KILN_TEST_API_CASES_TUNER_H
#define KILN_TEST_API_CASES_TUNER_H

static void extended_stores(void)
{
    kiln_tune_store_t *store = NULL, *made;
    const char *path = path_of("further.sqlite"),
               *broken = write_file("further_broken.sqlite",
                                    "this is no database, and long enough to be seen as none", 55);
    ok(kiln_tune_store_open(path, &made));
    kiln_tune_store_release(made);
    NULLS(kiln_tune_store_extend(NULL, path), "io_store is NULL");
    NULLS(kiln_tune_store_extend(&store, NULL), "paths is NULL");
    CASE(NOT_FOUND, kiln_tune_store_extend(&store, "/nowhere/t.db"), "no store '/nowhere/t.db'");
    CASE(IO, kiln_tune_store_extend(&store, broken), "further_broken.sqlite");
    assert_null(store);
    ok(kiln_tune_store_extend(&store, path));
    assert_non_null(store);
    CASE(NOT_FOUND, kiln_tune_store_extend(&store, "/nowhere/t.db"), "no store '/nowhere/t.db'");
    kiln_tune_store_release(store);
}

static const char *tuner_variable(const char *name, void *user)
{
    const char *const *pair = user;
    return strcmp(name, pair[0]) == 0 ? pair[1] : NULL;
}

static void tuner_options(void)
{
    kiln_tuner_options_t options, none = {0};
    SURVIVES(kiln_tuner_options_initialize_sized(&options, sizeof options));
    const char *word[] = {"KILN_TUNED", "never"}, *count[] = {"KILN_TUNE_BUDGET", "0"},
               *seconds[] = {"KILN_TUNE_TIME_LIMIT", "1.5"},
               *good[] = {"KILN_TUNE_TIME_LIMIT", "7"};
    NULLS(kiln_tuner_options_read(NULL, tuner_variable, word), "options is NULL");
    NULLS(kiln_tuner_options_read(&none, tuner_variable, word), "options->struct_size is 0");
    NULLS(kiln_tuner_options_read(&options, NULL, word), "variable is NULL");
    CASE(USAGE, kiln_tuner_options_read(&options, tuner_variable, word), "of KILN_TUNED");
    CASE(USAGE, kiln_tuner_options_read(&options, tuner_variable, count), "(KILN_TUNE_BUDGET)");
    CASE(USAGE, kiln_tuner_options_read(&options, tuner_variable, seconds), "got '1.5'");
    ok(kiln_tuner_options_read(&options, tuner_variable, good));
    assert_true(options.time_limit_ms == 7000);
}

// Open MPI is not needed to refuse these.
static void groups(void)
{
    kiln_tune_group_t *group;
    NULLS(kiln_tune_group_join(NULL, &group), "store is NULL");
    NULLS(kiln_tune_group_join("tune.db", NULL), "out_group is NULL");
    ANSWER_IS(kiln_tune_group_rank(NULL), == 0);
    ANSWER_IS(kiln_tune_group_size(NULL), == 1);
    ANSWER_IS(kiln_tune_group_store(NULL), == NULL);
    ANSWER_IS(kiln_tune_group_lost(NULL), == 0);
    NULLS(kiln_tune_group_gather(NULL, KILN_OK), "group is NULL");
    SURVIVES(kiln_tune_group_leave(NULL));
}

static void tuner(void)
{
    groups();
    extended_stores();
    tuner_options();
    kiln_tuner_options_t options, none = {0};
    kiln_tuner_t *tuner;
    char *config;
    kiln_tuner_options_initialize(&options);
    NULLS(kiln_tuner_create(NULL, &options, &tuner), "device is NULL");
    NULLS(kiln_tuner_create(world.device, NULL, &tuner), "options is NULL");
    NULLS(kiln_tuner_create(world.device, &none, &tuner), "options->struct_size is 0");
    NULLS(kiln_tuner_create(world.device, &options, NULL), "out_tuner is NULL");
    options.further = "/nowhere/t.db";
    CASE(NOT_FOUND, kiln_tuner_create(world.device, &options, &tuner), "no store");
    options.further = path_of("further_broken.sqlite");
    CASE(IO, kiln_tuner_create(world.device, &options, &tuner), "further_broken.sqlite");
    options.further = NULL;
    options.use = KILN_TUNE_USE_OR_SEARCH;
    CASE(USAGE, kiln_tuner_create(world.device, &options, &tuner), "must be stored");

    // Without a store there is nothing to find, and without a call nothing to search.
    options.use = KILN_TUNE_USE_EXACT;
    ok(kiln_tuner_create(world.device, &options, &tuner));
    ANSWER_IS(kiln_tuner_is_useful(NULL), == false);
    ANSWER_IS(kiln_tuner_is_useful(tuner), == false);
    kiln_jit_tune_request_t request = {
        .struct_size = sizeof request, .problem = "0", .device = "d", .arguments = "n"};
    kiln_tune_match_t match = {.struct_size = sizeof match}, no_match = {0};
    NULLS(kiln_tuner_find(NULL, &request, &match), "tuner is NULL");
    NULLS(kiln_tuner_find(tuner, NULL, &match), "request is NULL");
    NULLS(kiln_tuner_find(tuner, &request, NULL), "out_match is NULL");
    NULLS(kiln_tuner_find(tuner, &request, &no_match), "out_match->struct_size is 0");
    NULLS(kiln_tuner_tune(NULL, tuner, &config), "request is NULL");
    NULLS(kiln_tuner_tune(&request, NULL, &config), "user is NULL");
    NULLS(kiln_tuner_tune(&request, tuner, NULL), "out_config is NULL");
    CASE(NOT_FOUND, kiln_tuner_find(tuner, &request, &match), "no stored settings");
    CASE(NOT_FOUND, kiln_tuner_tune(&request, tuner, &config), "no stored settings");
    request.problem = NULL;
    NULLS(kiln_tuner_find(tuner, &request, &match), "request->problem is NULL");
    request.problem = "0";
    kiln_tuner_release(tuner);
    SURVIVES(kiln_tuner_release(NULL));
    options.use = KILN_TUNE_USE_SEARCH;
    options.store = path_of("tuner.sqlite");
    ok(kiln_tuner_create(world.device, &options, &tuner));
    ANSWER_IS(kiln_tuner_is_useful(tuner), == true);
    CASE(NOT_FOUND, kiln_tuner_find(tuner, &request, &match),
         "cannot be tuned: the request has no");
    CASE(NOT_FOUND, kiln_tuner_find(tuner, &request, &match), "no tuning result"); // not again
    kiln_tuner_release(tuner);

    // A model needs the call, too, and the key that the JIT's compiler gives.
    options.use = KILN_TUNE_USE_OR_MODEL;
    ok(kiln_tuner_create(world.device, &options, &tuner));
    CASE(NOT_FOUND, kiln_tuner_find(tuner, &request, &match), "has no call");
    CASE(NOT_FOUND, kiln_tuner_find(tuner, &request, &match), "could not choose for the problem");
    request.problem = "1";
    kiln_jit_call_t call;
    kiln_jit_call_initialize(&call);
    call.source = world.source;
    request.call = &call;
    CASE(NOT_FOUND, kiln_tuner_find(tuner, &request, &match), "would not find the results");
    char problem[33], *identity;
    const kiln_jit_request_t compiled = {.struct_size = sizeof compiled,
                                         .source = world.source,
                                         .arch = kiln_device_properties(world.device)->arch};
    ok(kiln_jit_identify(NULL, &identity));
    ok(kiln_jit_problem(&compiled, identity, problem));
    request.problem = problem;
    CASE(NOT_FOUND, kiln_tuner_find(tuner, &request, &match), "declares nothing to tune");
    free(identity);
    kiln_tuner_release(tuner);
}

#endif
