// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cases for kiln/jit.h, the compiler's side of it, and kiln/load.h.
#ifndef API_CASES_JIT_H
#define API_CASES_JIT_H

static kiln_status_t stop(const kiln_cache_entry_t *entry, void *user)
{
    (void)entry, (void)user;
    return KILN_OK;
}

static void caches(void)
{
    kiln_cache_mode_t mode;
    uint64_t size;
    NULLS(kiln_cache_mode_parse(NULL, &mode), "text is NULL");
    NULLS(kiln_cache_mode_parse("off", NULL), "out_mode is NULL");
    CASE(USAGE, kiln_cache_mode_parse("sometimes", &mode), "unknown cache mode");
    ANSWER_IS(kiln_cache_mode_name((kiln_cache_mode_t)9), == NULL);
    NULLS(kiln_cache_size_parse(NULL, &size), "text is NULL");
    NULLS(kiln_cache_size_parse("1g", NULL), "out_size is NULL");
    CASE(USAGE, kiln_cache_size_parse("much", &size), "invalid size");
    const char *unsafe = path_of("unsafe");
    assert_int_equal(mkdir(unsafe, 0700), 0);
    assert_int_equal(chmod(unsafe, 0777), 0);
    const char *file = write_file("file", "x", 1);
    NULLS(kiln_cache_check(NULL), "directory is NULL");
    CASE(IO, kiln_cache_check(unsafe), "it is writable by others");
    NULLS(kiln_cache_visit(NULL, stop, NULL), "directory is NULL");
    NULLS(kiln_cache_visit(unsafe, NULL, NULL), "visit is NULL");
    CASE(IO, kiln_cache_visit(file, stop, NULL), "cannot read the cache directory");
    NULLS(kiln_cache_trim(NULL, 0, NULL, NULL), "directory is NULL");
    CASE(IO, kiln_cache_trim(unsafe, 0, NULL, NULL), "it is writable by others");
    NULLS(kiln_cache_clear(NULL, NULL, NULL), "directory is NULL");
    CASE(IO, kiln_cache_clear(unsafe, NULL, NULL), "it is writable by others");
}

static void binding(void)
{
    const kiln_parameter_t parameters[] = {{.name = "n", .type = "i8"}},
                           with_sign[] = {{"n", "i8", KILN_SIGN_SIGNED}},
                           without_sign[] = {{"n", "i64", KILN_SIGN_UNSIGNED}},
                           unknown_type[] = {{.name = "n", .type = "q7"}},
                           unnamed[] = {{.name = NULL, .type = "i8"}};
    kiln_jit_argument_t n = kiln_jit_integer("n", 300), nameless = kiln_jit_integer(NULL, 1);
    uint64_t cell;
    char of_problem[33];
    kiln_jit_request_t wanted = {
        .struct_size = sizeof wanted, .source.text = "", .argument_count = 1};
    NULLS(kiln_jit_problem(&wanted, "id", NULL), "out_problem is NULL");
    NULLS(kiln_jit_problem(&wanted, NULL, of_problem), "identity is NULL");
    NULLS(kiln_jit_problem(NULL, "id", of_problem), "request is NULL");
    NULLS(kiln_jit_problem(&wanted, "id", of_problem), "arguments is NULL and argument_count is 1");
    wanted.source.text = NULL;
    NULLS(kiln_jit_problem(&wanted, "id", of_problem), "request->source.text is NULL");
    NULLS(kiln_jit_bind(NULL, parameters, 1, &n, 1, &cell), "kernel is NULL");
    NULLS(kiln_jit_bind("k", NULL, 1, &n, 1, &cell), "parameters is NULL");
    NULLS(kiln_jit_bind("k", parameters, 1, NULL, 1, &cell), "arguments is NULL");
    NULLS(kiln_jit_bind("k", parameters, 1, &n, 1, NULL), "out_cells is NULL");
    NULLS(kiln_jit_bind("k", unnamed, 1, &n, 1, &cell), "parameters[0].name is NULL");
    NULLS(kiln_jit_bind("k", parameters, 1, &nameless, 1, &cell), "arguments[0].name is NULL");
    CASE(INVALID_INPUT, kiln_jit_bind("k", parameters, 1, &n, 1, &cell), "does not fit in i8");
    n = kiln_jit_integer("n", 128);
    assert_null(kiln_jit_bind("k", parameters, 1, &n, 1, &cell));
    CASE(INVALID_INPUT, kiln_jit_bind("k", with_sign, 1, &n, 1, &cell), "does not fit in i8");
    n = kiln_jit_integer("n", -1);
    CASE(INVALID_INPUT, kiln_jit_bind("k", without_sign, 1, &n, 1, &cell),
         "= -1 does not fit in u64");
    n = kiln_jit_unsigned("n", UINT64_MAX);
    assert_null(kiln_jit_bind("k", without_sign, 1, &n, 1, &cell));
    assert_true(cell == UINT64_MAX);
    CASE(INVALID_INPUT, kiln_jit_bind("k", parameters, 1, &n, 1, &cell),
         "= 18446744073709551615 does not fit in i8");
    kiln_jit_argument_t no_kind = n;
    no_kind.kind = (kiln_jit_argument_kind_t)77;
    CASE(USAGE, kiln_jit_bind("k", parameters, 1, &no_kind, 1, &cell), "has the kind 77");
    CASE(UNSUPPORTED, kiln_jit_bind("k", unknown_type, 1, &n, 1, &cell), "'q7'");
}

static void jits(void)
{
    kiln_jit_options_t options, none = {0};
    kiln_jit_t *made;
    kiln_jit_kernel_t *kernel;
    kiln_jit_options_initialize(&options);
    NULLS(kiln_jit_create(NULL, &options, &made), "device is NULL");
    NULLS(kiln_jit_create(world.device, NULL, &made), "options is NULL");
    NULLS(kiln_jit_create(world.device, &none, &made), "options->struct_size is 0");
    NULLS(kiln_jit_create(world.device, &options, NULL), "out_jit is NULL");
    NULLS(kiln_jit_create(world.device, &options, &made), "options->compile is NULL");
    options.compile = kiln_jit_compile;
    NULLS(kiln_jit_create(world.device, &options, &made), "options->identify is NULL");
    options.identify = kiln_jit_identify;
    options.cache_mode = (kiln_cache_mode_t)9;
    NULLS(kiln_jit_create(world.device, &options, &made), "options->cache_mode is 9");
    options.cache_mode = KILN_CACHE_READWRITE;
    options.cache_directory = path_of("unsafe");
    CASE(IO, kiln_jit_create(world.device, &options, &made), "it is writable by others");
    options.cache_directory = NULL;
    ok(kiln_jit_create(world.device, &options, &made));

    kiln_jit_statistics_t statistics = {.struct_size = sizeof statistics}, no_statistics = {0};
    NULLS(kiln_jit_get_statistics(NULL, &statistics), "jit is NULL");
    NULLS(kiln_jit_get_statistics(made, NULL), "out_statistics is NULL");
    NULLS(kiln_jit_get_statistics(made, &no_statistics), "out_statistics->struct_size is 0");

    kiln_jit_argument_t arguments[] = {{"x", KILN_JIT_POINTER, 4096, 4096, 0, 0},
                                       kiln_jit_integer("n", 5)};
    kiln_setting_t setting = {NULL, "1"};
    kiln_jit_call_t call, no_call = {0};
    kiln_jit_call_initialize(&call);
    NULLS(kiln_jit_prepare(NULL, &call, &kernel, NULL), "jit is NULL");
    NULLS(kiln_jit_prepare(made, NULL, &kernel, NULL), "call is NULL");
    NULLS(kiln_jit_prepare(made, &no_call, &kernel, NULL), "call->struct_size is 0");
    NULLS(kiln_jit_prepare(made, &call, NULL, NULL), "out_kernel is NULL");
    NULLS(kiln_jit_prepare(made, &call, &kernel, NULL), "call->source.text is NULL");
    NULLS(kiln_jit_launch(NULL, &call), "jit is NULL");
    NULLS(kiln_jit_launch(made, NULL), "call is NULL");
    NULLS(kiln_jit_launch(made, &no_call), "call->struct_size is 0");
    NULLS(kiln_jit_launch(made, &call), "call->source.text is NULL");
    call.source = (kiln_source_t){KILN_STAGE_TILE, NULL, "nonsense", 8};
    CASE(INVALID_INPUT, kiln_jit_prepare(made, &call, &kernel, NULL), "kernel:1:1");
    CASE(INVALID_INPUT, kiln_jit_launch(made, &call), "kernel:1:1");
    call.source = world.source;
    call.argument_count = 2;
    NULLS(kiln_jit_prepare(made, &call, &kernel, NULL), "call->arguments is NULL");
    call.arguments = arguments;
    call.setting_count = 1;
    NULLS(kiln_jit_launch(made, &call), "call->settings is NULL");
    call.settings = &setting;
    NULLS(kiln_jit_launch(made, &call), "call->settings[0].name is NULL");
    call.setting_count = 0;
    arguments[1].name = NULL;
    NULLS(kiln_jit_launch(made, &call), "call->arguments[1].name is NULL");
    arguments[1].name = "n";
    FAILING("hipModuleLoadData", kiln_jit_prepare(made, &call, &kernel, NULL));
    ok(kiln_jit_prepare(made, &call, &kernel, NULL));
    FAILING("hipModuleLaunchKernel", kiln_jit_launch(made, &call));
    FAILING("hipModuleLaunchKernel", kiln_jit_launch_kernel(kernel, &call));
    NULLS(kiln_jit_launch_kernel(NULL, &call), "kernel is NULL");
    NULLS(kiln_jit_launch_kernel(kernel, NULL), "call is NULL");
    NULLS(kiln_jit_launch_kernel(kernel, &no_call), "call->struct_size is 0");
    arguments[0].name = NULL;
    NULLS(kiln_jit_launch_kernel(kernel, &call), "call->arguments[0].name is NULL");
    arguments[0].name = "y";
    CASE(INVALID_INPUT, kiln_jit_launch_kernel(kernel, &call),
         "missing argument of kernel 'k3': 'x'");
    arguments[0].name = "x";
    unsigned grid[3];
    call.grid[1] = 0;
    ok(kiln_jit_kernel_grid(kernel, &call, grid));
    assert_true(grid[0] == 1 && grid[1] == 0 && grid[2] == 1);
    NULLS(kiln_jit_kernel_grid(NULL, &call, grid), "kernel is NULL");
    NULLS(kiln_jit_kernel_grid(kernel, NULL, grid), "call is NULL");
    NULLS(kiln_jit_kernel_grid(kernel, &call, NULL), "out_grid is NULL");
    NULLS(kiln_jit_kernel_grid(kernel, &no_call, grid), "call->struct_size is 0");
    call.grid[1] = 1;
    call.uses_declared_grid = true;
    CASE(NOT_FOUND, kiln_jit_kernel_grid(kernel, &call, grid), "kernel 'k3' declares no grid");
    call.uses_declared_grid = false;
    kiln_jit_release(made);

    options.cache_directory = path_of("required");
    options.cache_mode = KILN_CACHE_REQUIRE;
    ok(kiln_jit_create(world.device, &options, &made));
    CASE(NOT_FOUND, kiln_jit_prepare(made, &call, &kernel, NULL), "is not in the cache");
    CASE(NOT_FOUND, kiln_jit_launch(made, &call), "is not in the cache");
    kiln_jit_release(made);
    SURVIVES(kiln_jit_release(NULL));
    SURVIVES(kiln_jit_refresh(NULL));
    ANSWER_IS(kiln_jit_argument_hint(&arguments[0]).divisibility, == 16);
    ANSWER_IS(kiln_jit_kernel_name(NULL), == NULL);
    ANSWER_IS(kiln_jit_kernel_key(NULL), == NULL);
    ANSWER_IS(kiln_jit_kernel_manifest(NULL), == NULL);
    ANSWER_IS(kiln_jit_kernel_block_size(NULL), == 0);
    ANSWER_IS(kiln_jit_kernel_setting_count(NULL), == 0);
    ANSWER_IS(kiln_jit_kernel_settings(NULL), == NULL);
}

static void jit_compilers(void)
{
    kiln_jit_request_t request = {.struct_size = sizeof request,
                                  .source = world.source,
                                  .arch = "gfx942"},
                       none = {0};
    kiln_jit_compiler_t compiler = {0};
    void *code;
    size_t size;
    char *manifest, *identity;
    NULLS(kiln_jit_compile(NULL, NULL, &code, &size, &manifest), "request is NULL");
    NULLS(kiln_jit_compile(&none, NULL, &code, &size, &manifest), "request->struct_size is 0");
    NULLS(kiln_jit_compile(&request, &compiler, &code, &size, &manifest),
          "compiler->struct_size is 0");
    NULLS(kiln_jit_compile(&request, NULL, NULL, &size, &manifest), "out_code_object is NULL");
    NULLS(kiln_jit_compile(&request, NULL, &code, NULL, &manifest), "out_code_object_size is NULL");
    NULLS(kiln_jit_compile(&request, NULL, &code, &size, NULL), "out_manifest is NULL");
    char *dependencies;
    NULLS(kiln_jit_depend(NULL, NULL, &dependencies), "request is NULL");
    NULLS(kiln_jit_depend(&none, NULL, &dependencies), "request->struct_size is 0");
    NULLS(kiln_jit_depend(&request, NULL, NULL), "out_dependencies is NULL");
    NULLS(kiln_jit_depend(&request, &compiler, &dependencies), "compiler->struct_size is 0");
    SURVIVES(kiln_jit_replay_diagnostics(NULL, NULL));
    SURVIVES(kiln_jit_replay_diagnostics("x", &compiler)); // its struct_size is 0
    NULLS(kiln_jit_identify(NULL, NULL), "out_identity is NULL");
    NULLS(kiln_jit_identify(&compiler, &identity), "compiler->struct_size is 0");
    request.source.length = 9;
    CASE(INVALID_INPUT, kiln_jit_compile(&request, NULL, &code, &size, &manifest), "k3.tile.c:1");
    request.setting_count = 1;
    NULLS(kiln_jit_compile(&request, NULL, &code, &size, &manifest), "request->settings is NULL");
}

static void jit(void)
{
    caches();
    binding();
    jits();
    jit_compilers();
}

static void program(void)
{
    kiln_program_t *made;
    const kiln_variant_t *variant;
    size_t size;
    const void *code = kiln_kernel_code_object(world.kernel, &size);
    const char *manifest = kiln_kernel_manifest(world.kernel);
    const kiln_program_part_t part = {code, size, manifest}, damaged = {code, size, "{}"},
                              nothing = {NULL, 0, NULL};
    char *other = kiln_string_print("%s", manifest), *version = strstr(other, "\"schema\"");
    const char *paths[] = {path_of("no.hsaco")}, *no_path[] = {NULL};
    NULLS(kiln_program_load(NULL, paths, 1, &made), "device is NULL");
    NULLS(kiln_program_load(world.device, NULL, 1, &made), "paths is NULL");
    NULLS(kiln_program_load(world.device, no_path, 1, &made), "path 0 is NULL");
    NULLS(kiln_program_load(world.device, paths, 1, NULL), "out_program is NULL");
    CASE(NOT_FOUND, kiln_program_load(world.device, paths, 1, &made), "no.");
    paths[0] = write_file("bad.hsaco", "junk", 4);
    write_file("bad.json", "{}", 2);
    CASE(INVALID_INPUT, kiln_program_load(world.device, paths, 1, &made), "bad");
    NULLS(kiln_program_load_memory(NULL, &part, 1, &made), "device is NULL");
    NULLS(kiln_program_load_memory(world.device, NULL, 1, &made), "parts is NULL");
    NULLS(kiln_program_load_memory(world.device, &part, 1, NULL), "out_program is NULL");
    NULLS(kiln_program_load_memory(world.device, &nothing, 1, &made), "part 0 has no data");
    CASE(INVALID_INPUT, kiln_program_load_memory(world.device, &damaged, 1, &made), "manifest");
    if (version)
        version = strpbrk(version, "0123456789");
    assert_non_null(version);
    *version = '9'; // of a future version
    const kiln_program_part_t newer = {code, size, other};
    CASE(UNSUPPORTED, kiln_program_load_memory(world.device, &newer, 1, &made), "9");
    ok(kiln_file_write(path_of("new.hsaco"), code, size, 0600, KILN_FILE_NO_SYNC));
    write_file("new.json", other, strlen(other));
    paths[0] = path_of("new.hsaco");
    CASE(UNSUPPORTED, kiln_program_load(world.device, paths, 1, &made), "9");
    free(other);

    ok(kiln_program_load_memory(world.device, &part, 1, &made));
    NULLS(kiln_program_prepare(NULL), "program is NULL");
    FAILING("hipModuleLoadData", kiln_program_prepare(made));
    const kiln_typed_argument_t arguments[] = {{{"x", KILN_JIT_POINTER, 4096, 4096, 0, 0}, "*f32"},
                                               kiln_typed_integer("n", "i32", 5)};
    const unsigned grid[3] = {1, 1, 1};
    unsigned found[3];
    kiln_program_call_t call, none = {0};
    kiln_program_call_initialize(&call);
    call.arguments = arguments;
    call.argument_count = 2;
    call.grid = grid;
    NULLS(kiln_program_launch(NULL, &call), "program is NULL");
    NULLS(kiln_program_launch(made, NULL), "call is NULL");
    NULLS(kiln_program_launch(made, &none), "call->struct_size is 0");
    NULLS(kiln_program_choose(NULL, &call, &variant), "program is NULL");
    NULLS(kiln_program_choose(made, NULL, &variant), "call is NULL");
    NULLS(kiln_program_choose(made, &none, &variant), "call->struct_size is 0");
    NULLS(kiln_program_choose(made, &call, NULL), "out_variant is NULL");
    FAILING("hipModuleLaunchKernel", kiln_program_launch(made, &call));
    ok(kiln_program_choose(made, &call, &variant));
    NULLS(kiln_variant_grid(NULL, &call, found), "variant is NULL");
    NULLS(kiln_variant_grid(variant, NULL, found), "call is NULL");
    NULLS(kiln_variant_grid(variant, &none, found), "call->struct_size is 0");
    NULLS(kiln_variant_grid(variant, &call, NULL), "out_grid is NULL");
    CASE(NOT_FOUND, kiln_variant_grid(variant, &call, found), "grid");
    call.kernel = "other";
    CASE(NOT_FOUND, kiln_program_launch(made, &call), "other");
    CASE(NOT_FOUND, kiln_program_choose(made, &call, &variant), "other");
    call.arguments = NULL;
    NULLS(kiln_program_choose(made, &call, &variant), "call->arguments is NULL");
    NULLS(kiln_program_launch(made, &call), "call->arguments is NULL");
    kiln_program_release(made);
    SURVIVES(kiln_program_release(NULL));
    ANSWER_IS(kiln_program_variant_count(NULL), == 0);
    ANSWER_IS(kiln_program_variant(NULL, 0), == NULL);
    ANSWER_IS(kiln_variant_name(NULL), == NULL);
    ANSWER_IS(kiln_variant_manifest(NULL), == NULL);
}

// kiln/arguments.h --------------------------------------------------------------------------------

static void arguments(void)
{
    kiln_arguments_t *made, *here;
    int64_t value;
    unsigned grid[3];
    size_t index, count;
    char *text, *data;
    double error;
    uint32_t words[4] = {0};
    NULLS(kiln_arguments_create(world.device, NULL), "out_arguments is NULL");
    ok(kiln_arguments_create(world.device, &made));
    ok(kiln_arguments_create(NULL, &here));
    ANSWER_IS(kiln_arguments_device(NULL), == NULL);
    ANSWER_IS(kiln_arguments_device(made), == world.device);
    NULLS(kiln_arguments_add(NULL, "n=1"), "arguments is NULL");
    NULLS(kiln_arguments_add(made, NULL), "text is NULL");
    CASE(USAGE, kiln_arguments_add(made, "nonsense"), "expected NAME=VALUE");
    CASE(NOT_FOUND, kiln_arguments_add(made, "y=f32[4]@/nowhere/file"), "/nowhere/file");
    FAILING("hipMalloc", kiln_arguments_add(made, "z=f32[4]"));
    ok(kiln_arguments_add(made, "x=f32[4]"));
    NULLS(kiln_arguments_evaluate(NULL, "1", &value), "arguments is NULL");
    NULLS(kiln_arguments_evaluate(made, NULL, &value), "text is NULL");
    NULLS(kiln_arguments_evaluate(made, "1", NULL), "out_value is NULL");
    CASE(USAGE, kiln_arguments_evaluate(made, "unknown", &value), "unknown");
    CASE(INVALID_INPUT, kiln_arguments_evaluate(made, "1/(1-1)", &value), "division by zero");
    NULLS(kiln_arguments_elements(NULL, "x=f32[4]", &count), "arguments is NULL");
    NULLS(kiln_arguments_elements(made, NULL, &count), "text is NULL");
    NULLS(kiln_arguments_elements(made, "x=f32[4]", NULL), "out_count is NULL");
    CASE(USAGE, kiln_arguments_elements(made, "n=4", &count), "expected NAME=TYPE[SIZE,…]");
    CASE(INVALID_INPUT, kiln_arguments_elements(made, "x=f32[1/(1-1)]", &count),
         "division by zero");
    CASE(NOT_FOUND, kiln_arguments_elements(made, "x=@/nowhere/x.npy", &count), "/nowhere/x.npy");
    NULLS(kiln_arguments_grid(NULL, "1", grid), "arguments is NULL");
    NULLS(kiln_arguments_grid(made, NULL, grid), "text is NULL");
    NULLS(kiln_arguments_grid(made, "1", NULL), "out_grid is NULL");
    CASE(USAGE, kiln_arguments_grid(made, "1,2,3,4", grid), "at most three extents");
    CASE(INVALID_INPUT, kiln_arguments_grid(made, "1,1/(1-1)", grid), "division by zero");
    NULLS(kiln_arguments_find_buffer(NULL, "x", 1, &index), "arguments is NULL");
    NULLS(kiln_arguments_find_buffer(made, NULL, 1, &index), "name is NULL");
    NULLS(kiln_arguments_find_buffer(made, "x", 1, NULL), "out_index is NULL");
    CASE(USAGE, kiln_arguments_find_buffer(made, "q", 1, &index), "unknown buffer 'q'");
    ok(kiln_arguments_find_buffer(made, "x", 1, &index));
    const kiln_named_buffer_t *x = kiln_arguments_buffer(made, index);
    NULLS(kiln_named_buffer_read(NULL, words), "buffer is NULL");
    NULLS(kiln_named_buffer_read(x, NULL), "out_data is NULL");
    FAILING("hipMemcpyDtoH", kiln_named_buffer_read(x, words));
    NULLS(kiln_named_buffer_write(NULL, words), "buffer is NULL");
    NULLS(kiln_named_buffer_write(x, NULL), "data is NULL");
    FAILING("hipMemcpyHtoD", kiln_named_buffer_write(x, words));
    NULLS(kiln_named_buffer_restore(NULL), "buffer is NULL");
    FAILING("hipMemcpyHtoD", kiln_named_buffer_restore(x));
    NULLS(kiln_named_buffer_make(NULL, words), "buffer is NULL");
    NULLS(kiln_named_buffer_make(x, NULL), "out_data is NULL");
    NULLS(kiln_named_buffer_check_type(NULL, "*f32"), "buffer is NULL");
    NULLS(kiln_named_buffer_check_type(x, NULL), "parameter_type is NULL");
    CASE(INVALID_INPUT, kiln_named_buffer_check_type(x, "*f16"), "has elements f32");
    NULLS(kiln_arguments_set_type(NULL, "x", "*f32"), "arguments is NULL");
    NULLS(kiln_arguments_set_type(made, NULL, "*f32"), "name is NULL");
    NULLS(kiln_arguments_set_type(made, "x", NULL), "parameter_type is NULL");
    CASE(INVALID_INPUT, kiln_arguments_set_type(made, "x", "*f16"), "has elements f32");
    NULLS(kiln_arguments_check_types(NULL, "{}"), "arguments is NULL");
    NULLS(kiln_arguments_check_types(made, NULL), "manifest is NULL");
    CASE(INVALID_INPUT, kiln_arguments_check_types(made, "{"), "manifest");
    NULLS(kiln_arguments_show(NULL, "x", &text), "arguments is NULL");
    NULLS(kiln_arguments_show(made, NULL, &text), "text is NULL");
    NULLS(kiln_arguments_show(made, "x", NULL), "out_shown is NULL");
    FAILING("hipMemcpyDtoH", kiln_arguments_show(made, "x", &text));
    NULLS(kiln_arguments_save(NULL, "x=f"), "arguments is NULL");
    NULLS(kiln_arguments_save(made, NULL), "text is NULL");
    CASE(IO, kiln_arguments_save(made, "x=/nowhere/file"), "/nowhere/file");
    FAILING("hipMemcpyDtoH", kiln_arguments_save(made, "x=/tmp/none"));
    NULLS(kiln_arguments_expect(NULL, "x=f", &error), "arguments is NULL");
    NULLS(kiln_arguments_expect(made, NULL, &error), "text is NULL");
    NULLS(kiln_arguments_expect(made, "x=f", NULL), "out_error is NULL");
    CASE(NOT_FOUND, kiln_arguments_expect(made, "x=/nowhere/file", &error), "/nowhere/file");
    const char *right = write_file("short.bin", "1234", 4);
    char *words_of = kiln_string_print("x=%s", right);
    CASE(INVALID_INPUT, kiln_arguments_expect(made, words_of, &error), "4 bytes");
    free(words_of);
    words_of = kiln_string_print("f=f32[1]@%s", right);
    ok(kiln_arguments_add(here, words_of));
    free(words_of);
    const kiln_named_buffer_t *of_file = kiln_arguments_buffer(here, 0);
    CASE(UNSUPPORTED, kiln_named_buffer_restore(of_file), "the contents of a file");
    CASE(UNSUPPORTED, kiln_named_buffer_make(of_file, words), "the contents of a file");
    static const float others[] = {1, 2, 3, 4};
    right = write_file("others.bin", others, sizeof others);
    words_of = kiln_string_print("x=%s", right);
    CASE(MISMATCH, kiln_arguments_expect(made, words_of, &error), "expected");
    FAILING("hipMemcpyDtoH", kiln_arguments_expect(made, words_of, &error));
    free(words_of);
    NULLS(kiln_named_buffer_load(NULL, "f", &data), "buffer is NULL");
    NULLS(kiln_named_buffer_load(x, NULL, &data), "path is NULL");
    NULLS(kiln_named_buffer_load(x, "f", NULL), "out_data is NULL");
    CASE(NOT_FOUND, kiln_named_buffer_load(x, "/nowhere/file", &data), "/nowhere/file");
    CASE(INVALID_INPUT, kiln_named_buffer_load(x, path_of("short.bin"), &data), "4 bytes");
    SURVIVES(kiln_arguments_define(NULL, NULL, 0));
    ANSWER_IS(kiln_named_buffer_is_initial(NULL), == false);
    ANSWER_IS(kiln_arguments_values(NULL, &count), == NULL);
    ANSWER_IS(kiln_arguments_tuning_key(NULL, NULL), == NULL);
    ANSWER_IS(kiln_arguments_tuning_key_of(NULL, NULL, NULL), == NULL);
    ANSWER_IS(kiln_arguments_buffer_count(NULL), == 0);
    ANSWER_IS(kiln_arguments_buffer(NULL, 0), == NULL);
    const uint64_t first = kiln_host_address_after(0, 0),
                   second = kiln_host_address_after(first, 12),
                   third = kiln_host_address_after(second, 12);
    ANSWER_IS(kiln_host_address_after(0, 0), != 0);
    assert_true(second - first - 12 >= UINT64_C(1) << 38 && second % (2 << 20) == 0);
    assert_true(third - second - 12 >= UINT64_C(1) << 38 && third - second != second - first);
    assert_true(kiln_host_address_after(first, 12) == second);
    ANSWER_IS(kiln_host_address_after(UINT64_MAX - 4096, 12), == 0);
    SURVIVES(kiln_arguments_release(NULL));
    kiln_arguments_release(made);
    kiln_arguments_release(here);
}

#endif
