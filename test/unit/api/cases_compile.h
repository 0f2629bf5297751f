// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cases for the compiler, its options, ahead-of-time compilation, and the interpreter.
#ifndef API_CASES_COMPILE_H
#define API_CASES_COMPILE_H

static void options_(void)
{
    kiln_compile_options_t options, none = {0};
    kiln_compile_options_initialize(&options);
    const kiln_option_t *warps = kiln_compile_option_find("num_warps", 9);
    const kiln_setting_t settings[] = {{NULL, "1"}}, wrong_[] = {{"num_warps", "3"}};
    kiln_setting_t defines[4];
    char *text;
    NULLS(kiln_compile_option_set(NULL, warps, "4"), "options is NULL");
    NULLS(kiln_compile_option_set(&none, warps, "4"), "options->struct_size is 0");
    NULLS(kiln_compile_option_set(&options, NULL, "4"), "option is NULL");
    NULLS(kiln_compile_option_set(&options, warps, NULL), "value is NULL");
    CASE(USAGE, kiln_compile_option_set(&options, warps, "3"), "num_warps is 3; it must be");
    NULLS(kiln_compile_options_apply(NULL, settings, 1, defines), "options is NULL");
    NULLS(kiln_compile_options_apply(&none, settings, 1, defines), "options->struct_size is 0");
    NULLS(kiln_compile_options_apply(&options, NULL, 1, defines), "settings is NULL");
    NULLS(kiln_compile_options_apply(&options, settings, 1, NULL), "out_defines is NULL");
    NULLS(kiln_compile_options_apply(&options, settings, 1, defines), "settings[0].name is NULL");
    CASE(USAGE, kiln_compile_options_apply(&options, wrong_, 1, defines), "num_warps is 3");
    NULLS(kiln_compile_options_text(&options, NULL), "out_text is NULL");
    NULLS(kiln_compile_options_text(&none, &text), "options->struct_size is 0");
    ANSWER_IS(kiln_compile_option(1000), == NULL);
    ANSWER_IS(kiln_compile_option_find(NULL, 0), == NULL);
    ANSWER_IS(kiln_compile_option_get(NULL, warps), == warps->initial);
    ANSWER_IS(kiln_compile_option_get(&options, NULL), == 0);
    size_t count;
    ANSWER_IS(kiln_optimize_passes(&count), != NULL);
    ANSWER_IS(kiln_optimize_passes(NULL), != NULL);
}

static void ignore_diagnostic(const kiln_diagnostic_t *diagnostic, void *user)
{
    (void)diagnostic;
    (void)user;
}

static void kernels(void)
{
    kiln_kernel_t *kernel;
    kiln_source_t none = {KILN_STAGE_TILE, "k", NULL, 5}, late = {KILN_STAGE_ASM, "k", "x", 1},
                  bad = {KILN_STAGE_TILE, "k", "nonsense", 8};
    kiln_compile_options_t options, empty = {0};
    kiln_compile_options_initialize(&options);
    NULLS(kiln_session_create(NULL), "out_session is NULL");
    NULLS(kiln_compile(NULL, &world.source, NULL, &kernel), "session is NULL");
    NULLS(kiln_compile(world.session, NULL, NULL, &kernel), "source is NULL");
    NULLS(kiln_compile(world.session, &world.source, NULL, NULL), "out_kernel is NULL");
    NULLS(kiln_compile(world.session, &none, NULL, &kernel), "source->text is NULL");
    NULLS(kiln_compile(world.session, &world.source, &empty, &kernel), "options->struct_size is 0");
    CASE(USAGE, kiln_compile(world.session, &late, NULL, &kernel), "unsupported source stage");
    CASE(INVALID_INPUT, kiln_compile(world.session, &bad, NULL, &kernel), "k:1:1");
    options.define_count = 1;
    CASE(USAGE, kiln_compile(world.session, &world.source, &options, &kernel), "defines is NULL");
    const kiln_setting_t define = {"A", "1"};
    const kiln_source_t tt = {KILN_STAGE_TT, "k", "module {}", 9};
    options.defines = &define;
    CASE(USAGE, kiln_compile(world.session, &tt, &options, &kernel),
         "the setting `A` has no effect here");
    options.define_count = 0;
    options.arg_count = 1;
    CASE(USAGE, kiln_compile(world.session, &world.source, &options, &kernel), "args is NULL");
    options.arg_count = 0;
    options.disabled_pass_count = 1;
    CASE(USAGE, kiln_compile(world.session, &world.source, &options, &kernel),
         "disabled_passes contains a NULL");
    options.disabled_pass_count = 0;
    options.num_warps = 32;
    CASE(OUT_OF_RESOURCES, kiln_compile(world.session, &world.source, &options, &kernel),
         "num_warps is 32");
    options.num_warps = 0;
    options.arch = NULL;
    CASE(USAGE, kiln_compile(world.session, &world.source, &options, &kernel), "arch is NULL");
    options.arch = "gfx90a";
    CASE(UNSUPPORTED, kiln_compile(world.session, &world.source, &options, &kernel), "gfx90a");
    SURVIVES(kiln_session_set_diagnostic_handler(NULL, NULL, NULL));
    SURVIVES(kiln_session_release(NULL));
    SURVIVES(kiln_diagnostic_print(NULL, NULL));
    const kiln_diagnostic_t diagnostic = {.message = "m"};
    char *kept = NULL;
    NULLS(kiln_diagnostic_serialize(NULL, &kept), "diagnostic is NULL");
    NULLS(kiln_diagnostic_serialize(&diagnostic, NULL), "text is NULL");
    NULLS(kiln_diagnostics_replay("", NULL, NULL), "handler is NULL");
    CASE(INVALID_INPUT, kiln_diagnostics_replay("{}\n", ignore_diagnostic, NULL),
         "corrupt cached diagnostic");
    CASE(INVALID_INPUT, kiln_diagnostics_replay("no JSON", ignore_diagnostic, NULL),
         "cached diagnostic");
    SURVIVES(kiln_kernel_release(NULL));
    size_t size;
    ANSWER_IS(kiln_kernel_name(NULL), == NULL);
    ANSWER_IS(kiln_kernel_code_object(NULL, &size), == NULL);
    ANSWER_IS(kiln_kernel_text(NULL, KILN_STAGE_TT), == NULL);
    ANSWER_IS(kiln_kernel_manifest(NULL), == NULL);
    ANSWER_IS(kiln_kernel_block_size(NULL), == 0);
    ANSWER_IS(kiln_kernel_argument_count(NULL), == 0);
    ANSWER_IS(kiln_kernel_argument(NULL, 0), == NULL);
    ANSWER_IS(kiln_kernel_include_count(NULL), == 0);
    ANSWER_IS(kiln_kernel_include(NULL, 0), == NULL);
    ANSWER_IS(kiln_kernel_constant(NULL, 0).name, == NULL);
    ANSWER_IS(kiln_kernel_pipeline_stages(NULL), == 0);
    ANSWER_IS(kiln_kernel_reads_program_id(NULL), == false);
    ANSWER_IS(kiln_kernel_declared_grid(NULL), == NULL);
    ANSWER_IS(kiln_kernel_resources(NULL), == NULL);
    ANSWER_IS(kiln_kernel_timing_count(NULL), == 0);
    ANSWER_IS(kiln_kernel_timing(NULL, 0), == NULL);
}

static void iree_executables(const char *manifest)
{
    kiln_iree_options_t options, none = {0};
    kiln_iree_options_initialize(&options);
    char *text;
    NULLS(kiln_iree_executable_make(NULL, &options, &text), "manifest is NULL");
    NULLS(kiln_iree_executable_make(manifest, &options, NULL), "out_text is NULL");
    NULLS(kiln_iree_executable_make(manifest, &none, &text), "options->struct_size is 0");
    CASE(INVALID_INPUT, kiln_iree_executable_make("{}", &options, &text), "manifest");
    char *wide = strdup(manifest), *type = strstr(wide, "\"*f32\"");
    assert_non_null(type);
    memcpy(type, "\"i64\" ", 6);
    CASE(UNSUPPORTED, kiln_iree_executable_make(wide, &options, &text), "compile with `iree_abi`");
    free(wide);
}

static void ahead_of_time(void)
{
    size_t size, code_size;
    const void *code = kiln_kernel_code_object(world.kernel, &code_size);
    const char *manifest = kiln_kernel_manifest(world.kernel);
    void *bytes;
    char *text;
    kiln_launcher_options_t options, none = {0};
    kiln_launcher_options_initialize(&options);
    NULLS(kiln_launcher_make(NULL, code_size, manifest, &options, &text), "code_object is NULL");
    NULLS(kiln_launcher_make(code, code_size, NULL, &options, &text), "manifest is NULL");
    NULLS(kiln_launcher_make(code, code_size, manifest, &none, &text), "options->struct_size is 0");
    NULLS(kiln_launcher_make(code, code_size, manifest, &options, NULL), "out_text is NULL");
    CASE(INVALID_INPUT, kiln_launcher_make(code, code_size, "{}", &options, &text), "manifest");
    char *unknown_type = kiln_string_print("%s", manifest), *type = strstr(unknown_type, "\"i32\"");
    assert_non_null(type);
    memcpy(type, "\"q32\"", 5);
    CASE(UNSUPPORTED, kiln_launcher_make(code, code_size, unknown_type, &options, &text), "q32");
    free(unknown_type);
    const kiln_object_part_t nameless = {NULL, "x", 1}, wrong_name = {"no-name", "x", 1},
                             dataless = {"x", NULL, 1};
    NULLS(kiln_object_make(NULL, 1, &bytes, &size), "parts is NULL");
    NULLS(kiln_object_make(&nameless, 1, &bytes, &size), "parts[0].name is NULL");
    NULLS(kiln_object_make(&dataless, 1, &bytes, &size), "parts[0].data is NULL");
    NULLS(kiln_object_make(&dataless, 1, NULL, &size), "out_object is NULL");
    NULLS(kiln_object_make(&dataless, 1, &bytes, NULL), "out_size is NULL");
    CASE(USAGE, kiln_object_make(&wrong_name, 1, &bytes, &size), "no-name");
    const kiln_program_unit_t unit = {world.source, NULL}, textless = {.options = NULL},
                              bad_unit = {{KILN_STAGE_TILE, "k", "nonsense", 8}, NULL};
    kiln_program_compile_options_t jobs = {0};
    NULLS(kiln_program_compile(NULL, 1, NULL, &bytes, &size), "units is NULL");
    NULLS(kiln_program_compile(&unit, 0, NULL, &bytes, &size), "unit_count is 0");
    NULLS(kiln_program_compile(&unit, 1, &jobs, &bytes, &size), "options->struct_size is 0");
    NULLS(kiln_program_compile(&unit, 1, NULL, NULL, &size), "out_bundle is NULL");
    NULLS(kiln_program_compile(&unit, 1, NULL, &bytes, NULL), "out_size is NULL");
    NULLS(kiln_program_compile(&textless, 1, NULL, &bytes, &size), "units[0].source.text is NULL");
    CASE(INVALID_INPUT, kiln_program_compile(&bad_unit, 1, NULL, &bytes, &size),
         "while compiling units[0], k");
    const kiln_compiled_t one = {code, code_size, manifest}, bad = {code, code_size, "{}"},
                          no_code = {NULL, 1, manifest}, no_manifest = {code, code_size, NULL};
    NULLS(kiln_bundle_make(NULL, 1, &bytes, &size), "kernels is NULL");
    NULLS(kiln_bundle_make(&no_code, 1, &bytes, &size), "kernels[0].code_object is NULL");
    NULLS(kiln_bundle_make(&no_manifest, 1, &bytes, &size), "kernels[0].manifest is NULL");
    NULLS(kiln_bundle_make(&one, 1, NULL, &size), "out_bundle is NULL");
    NULLS(kiln_bundle_make(&one, 1, &bytes, NULL), "out_size is NULL");
    CASE(INVALID_INPUT, kiln_bundle_make(&bad, 1, &bytes, &size), "manifest");
    static const char other_version[64] = "KILNBNDL\x63";
    kiln_compiled_t *kernels;
    NULLS(kiln_bundle_kernels(NULL, 1, &kernels, &size), "bundle is NULL");
    NULLS(kiln_bundle_kernels("x", 1, NULL, &size), "out_kernels is NULL");
    NULLS(kiln_bundle_kernels("x", 1, &kernels, NULL), "out_count is NULL");
    CASE(INVALID_INPUT, kiln_bundle_kernels("x", 1, &kernels, &size), "not a bundle");
    CASE(UNSUPPORTED, kiln_bundle_kernels(other_version, sizeof other_version, &kernels, &size),
         "version 99");
    ANSWER_IS(kiln_symbol_of(NULL), == NULL);
    iree_executables(manifest);
}

static void xla_calls(void)
{
    static const char good[] = "{name = \"k\", ir = \"module {}\", num_stages = 1 : i32, num_warps "
                               "= 4 : i32, grid_x = 2 : i32, "
                               "grid_y = 1 : i32, grid_z = 1 : i32, zeroed_outputs = [1 : i32]}",
                      clusters[] = "{name = \"k\", ir = \"\", num_stages = 1, num_warps = 4, "
                                   "grid_x = 1, grid_y = 1, grid_z = 1, "
                                   "num_ctas = 2}";
    kiln_xla_call_t *call;
    NULLS(kiln_xla_call_read(NULL, NULL, good, strlen(good), &call), "session is NULL");
    NULLS(kiln_xla_call_read(world.session, NULL, NULL, 1, &call), "text is NULL");
    NULLS(kiln_xla_call_read(world.session, NULL, good, strlen(good), NULL), "out_call is NULL");
    CASE(INVALID_INPUT, kiln_xla_call_read(world.session, "k", "{", 1, &call), "k:1:1");
    CASE(INVALID_INPUT, kiln_xla_call_read(world.session, "k", "{name = 1}", 10, &call),
         "`name` is not a string");
    CASE(UNSUPPORTED, kiln_xla_call_read(world.session, NULL, clusters, strlen(clusters), &call),
         "num_ctas");
    ok(kiln_xla_call_read(world.session, NULL, good, strlen(good), &call));
    kiln_compile_options_t options, none = {0};
    kiln_compile_options_initialize(&options);
    NULLS(kiln_xla_call_apply(NULL, &options), "call is NULL");
    NULLS(kiln_xla_call_apply(call, NULL), "options is NULL");
    NULLS(kiln_xla_call_apply(call, &none), "options->struct_size is 0");
    ok(kiln_xla_call_apply(call, &options));
    assert_int_equal(options.num_warps, 4);
    assert_string_equal(options.grid, "2,1,1");
    size_t count;
    ANSWER_IS(kiln_xla_call_source(NULL), == NULL);
    ANSWER_IS(kiln_xla_call_source(call)->length, == strlen("module {}"));
    ANSWER_IS(kiln_xla_call_zeroed_outputs(NULL, NULL), == NULL);
    ANSWER_IS(kiln_xla_call_zeroed_outputs(call, &count), [0] == 1);
    SURVIVES(kiln_xla_call_release(NULL));
    kiln_xla_call_release(call);
}

static void interpreters(void)
{
    kiln_interp_t *interp;
    kiln_source_t none = {KILN_STAGE_TILE, "k", NULL, 5}, late = {KILN_STAGE_TTG, "k", "x", 1},
                  bad = {KILN_STAGE_TILE, "k", "nonsense", 8};
    kiln_compile_options_t empty = {0};
    NULLS(kiln_interp_create(NULL, &world.source, NULL, &interp), "session is NULL");
    NULLS(kiln_interp_create(world.session, NULL, NULL, &interp), "source is NULL");
    NULLS(kiln_interp_create(world.session, &none, NULL, &interp), "source->text is NULL");
    NULLS(kiln_interp_create(world.session, &world.source, NULL, NULL), "out_interp is NULL");
    NULLS(kiln_interp_create(world.session, &world.source, &empty, &interp),
          "options->struct_size is 0");
    CASE(UNSUPPORTED, kiln_interp_create(world.session, &late, NULL, &interp), "not later stages");
    CASE(INVALID_INPUT, kiln_interp_create(world.session, &bad, NULL, &interp), "k:1:1");
    ok(kiln_interp_create(world.session, &world.source, NULL, &interp));
    kiln_interp_launch_t launch, no_launch = {0};
    kiln_interp_launch_initialize(&launch);
    const uint64_t values_[] = {4096, 64};
    NULLS(kiln_interp_launch(NULL, &launch), "interp is NULL");
    NULLS(kiln_interp_launch(interp, NULL), "launch is NULL");
    NULLS(kiln_interp_launch(interp, &no_launch), "launch->struct_size is 0");
    launch.argument_count = 2;
    NULLS(kiln_interp_launch(interp, &launch), "launch->arguments is NULL");
    launch.arguments = values_;
    launch.buffer_count = 1;
    NULLS(kiln_interp_launch(interp, &launch), "launch->buffers is NULL");
    const kiln_interp_buffer_t nowhere = {"x", 4096, NULL, 4};
    launch.buffers = &nowhere;
    NULLS(kiln_interp_launch(interp, &launch), "launch->buffers[0].data is NULL");
    launch.buffer_count = 0;
    CASE(INVALID_INPUT, kiln_interp_launch(interp, &launch), "k3.tile.c:4");

    kiln_arguments_t *named;
    ok(kiln_arguments_create(NULL, &named));
    ok(kiln_arguments_add(named, "n=64"));
    NULLS(kiln_interpret_arguments(NULL, named, NULL), "interp is NULL");
    NULLS(kiln_interpret_arguments(interp, NULL, NULL), "arguments is NULL");
    NULLS(kiln_interpret_arguments(interp, named, &no_launch), "settings->struct_size is 0");
    CASE(INVALID_INPUT, kiln_interpret_arguments(interp, named, NULL),
         "missing argument of kernel 'k3': 'x'");
    kiln_arguments_release(named);
    const kiln_case_argument_t inputs[] = {{"x", true, KILN_ELEMENT_F32, 0, "1234", 4, NULL},
                                           {"n", false, KILN_ELEMENT_I32, 64, NULL, 0, NULL}};
    const kiln_case_t test_case = {.grid = {1, 1, 1}, .arguments = inputs, .argument_count = 2};
    void *results[2];
    NULLS(kiln_interpret_case(NULL, &test_case, NULL, results), "interp is NULL");
    NULLS(kiln_interpret_case(interp, NULL, NULL, results), "test_case is NULL");
    NULLS(kiln_interpret_case(interp, &test_case, NULL, NULL), "results is NULL");
    NULLS(kiln_interpret_case(interp, &test_case, &no_launch, results),
          "settings->struct_size is 0");
    CASE(INVALID_INPUT, kiln_interpret_case(interp, &test_case, NULL, results), "k3.tile.c:4");
    free(results[0]);
    ANSWER_IS(kiln_interp_name(NULL), == NULL);
    ANSWER_IS(kiln_interp_constant(NULL, 0).name, == NULL);
    ANSWER_IS(kiln_interp_reads_program_id(NULL), == false);
    ANSWER_IS(kiln_interp_declared_grid(NULL), == NULL);
    ANSWER_IS(kiln_interp_argument_count(NULL), == 0);
    ANSWER_IS(kiln_interp_argument(NULL, 0), == NULL);
    SURVIVES(kiln_interp_release(NULL));
    kiln_interp_release(interp);
}

// The work of a program, and the time that the model estimates for it.
static void works(void)
{
    kiln_work_t *work;
    kiln_workload_t *workload;
    kiln_source_t none = {KILN_STAGE_TILE, "k", NULL, 5}, late = {KILN_STAGE_TTG, "k", "x", 1},
                  bad = {KILN_STAGE_TILE, "k", "nonsense", 8};
    kiln_compile_options_t options, empty = {0};
    kiln_compile_options_initialize(&options);
    NULLS(kiln_work_create(NULL, &world.source, NULL, &work), "session is NULL");
    NULLS(kiln_work_create(world.session, NULL, NULL, &work), "source is NULL");
    NULLS(kiln_work_create(world.session, &none, NULL, &work), "source->text is NULL");
    NULLS(kiln_work_create(world.session, &world.source, NULL, NULL), "out_work is NULL");
    NULLS(kiln_work_create(world.session, &world.source, &empty, &work),
          "options->struct_size is 0");
    CASE(UNSUPPORTED, kiln_work_create(world.session, &late, NULL, &work), "not of later stages");
    CASE(INVALID_INPUT, kiln_work_create(world.session, &bad, NULL, &work), "k:1:1");
    ok(kiln_work_create(world.session, &world.source, NULL, &work));
    assert_string_equal(kiln_kernel_name(kiln_work_kernel(work)), "k3");
    ANSWER_IS(kiln_work_kernel(NULL), == NULL);
    kiln_work_launch_t launch, no_launch = {0};
    kiln_work_launch_initialize(&launch);
    uint64_t cells[8] = {0};
    void *args[8];
    for (size_t i = 0; i < 8; i++)
        args[i] = &cells[i];
    NULLS(kiln_work_measure(NULL, &launch, &workload), "work is NULL");
    NULLS(kiln_work_measure(work, NULL, &workload), "launch is NULL");
    NULLS(kiln_work_measure(work, &no_launch, &workload), "launch->struct_size is 0");
    NULLS(kiln_work_measure(work, &launch, NULL), "out_workload is NULL");
    NULLS(kiln_work_measure(work, &launch, &workload), "launch->args[0] is NULL");
    launch.args = args;
    launch.dies = 0;
    CASE(USAGE, kiln_work_measure(work, &launch, &workload), "launch has 0 dies");
    launch.dies = 8;
    launch.grid[0] = 0;
    CASE(INVALID_INPUT, kiln_work_measure(work, &launch, &workload), "a grid of 0 x 1 x 1");
    launch.grid[0] = 1;
    ok(kiln_work_measure(work, &launch, &workload));
    kiln_tune_estimate_t estimate = {.struct_size = sizeof estimate}, unset = {0};
    NULLS(kiln_tune_estimate(NULL, &options, NULL, &estimate), "workload is NULL");
    NULLS(kiln_tune_estimate(workload, NULL, NULL, &estimate), "options is NULL");
    NULLS(kiln_tune_estimate(workload, &empty, NULL, &estimate), "options->struct_size is 0");
    NULLS(kiln_tune_estimate(workload, &options, NULL, NULL), "out_estimate is NULL");
    NULLS(kiln_tune_estimate(workload, &options, NULL, &unset), "out_estimate->struct_size is 0");
    ok(kiln_tune_estimate(workload, &options, NULL, &estimate));
    assert_true(estimate.nanoseconds > 0);
    unsigned dies, units;
    SURVIVES(kiln_tune_device_dies(NULL, &dies, &units));
    assert_int_equal(dies * units, 304);
    SURVIVES(kiln_workload_release(NULL));
    SURVIVES(kiln_work_release(NULL));
    kiln_workload_release(workload);
    kiln_work_release(work);
}

static void compile(void)
{
    options_();
    kernels();
    ahead_of_time();
    xla_calls();
    interpreters();
    works();
}

#endif
