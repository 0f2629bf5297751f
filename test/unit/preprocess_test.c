// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The preprocessor as embedders use it: headers in memory, files that must not be read, the list of
// files that were read, and keys of a JIT that include them.
//
// A JIT queries a call's dependencies only when the call is new, so the same JIT sees a changed
// header only after kiln_jit_refresh.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "expect_status.h"
#include "frontend/lex/preprocess.h"
#include "kiln/jit_compile.h"

static char folder[] = "/tmp/kiln-preprocess-test.XXXXXX";

static const char *path_of(const char *name)
{
    static char path[2][128];
    static int next;
    next = !next;
    snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static const char source[] = "#include \"number.h\"\n"
                             "kernel void put(f32 *x)\n"
                             "{\n"
                             "    x[range(64)] = NUMBER;\n"
                             "}\n";

static kiln_source_t source_of(const char *text)
{
    static char name[128];
    snprintf(name, sizeof name, "%s", path_of("put.tile.c"));
    return (kiln_source_t){KILN_STAGE_TILE, name, text, strlen(text)};
}

static kiln_status_t compile(const char *text, const kiln_compile_options_t *options,
                             kiln_kernel_t **out_kernel)
{
    kiln_session_t *session;
    expect_ok(kiln_session_create(&session));
    kiln_source_t program = source_of(text);
    kiln_status_t status = kiln_compile(session, &program, options, out_kernel);
    kiln_session_release(session);
    return status;
}

static kiln_compile_options_t to_tt(void)
{
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    options.last_stage = KILN_STAGE_TT;
    return options;
}

// Whether the program's text in tt contains this part.
static bool compiles_to(const char *text, const kiln_compile_options_t *options, const char *part)
{
    kiln_kernel_t *kernel = NULL;
    expect_ok(compile(text, options, &kernel));
    bool found = strstr(kiln_kernel_text(kernel, KILN_STAGE_TT), part);
    kiln_kernel_release(kernel);
    return found;
}

// Headers -----------------------------------------------------------------------------------------

static void headers_in_memory_come_first(void **state)
{
    (void)state;
    static const char text[] = "#define NUMBER 2.0";
    static const kiln_header_t headers[] = {{"number.h", text, sizeof text - 1}};
    kiln_compile_options_t options = to_tt();
    write_file("number.h", "#define NUMBER 1.0\n");
    assert_true(compiles_to(source, &options, "dense<1.0"));
    // For "…", the including file's folder is searched first, as in C.
    options.headers = headers;
    options.header_count = 1;
    assert_true(compiles_to(source, &options, "dense<1.0"));
    static const char angled[] =
        "#include <number.h>\nkernel void put(f32 *x) { x[range(64)] = NUMBER; }\n";
    const char *dirs[] = {folder};
    options.include_dirs = dirs;
    options.include_dir_count = 1;
    assert_true(compiles_to(angled, &options, "dense<2.0"));
    options.header_count = 0;
    assert_true(compiles_to(angled, &options, "dense<1.0"));
    options.header_count = 1;
    options.no_include_files = true;
    assert_true(compiles_to(source, &options, "dense<2.0"));
}

static void headers_include_headers(void **state)
{
    (void)state;
    static const char outer[] =
        "#pragma once\n#include \"inner.h\"\nstatic_assert(__LINE__ == 3, __FILE__);\n",
                      inner[] = "#define NUMBER __LINE__ + missing\n",
                      top[] = "#include <lib/outer.h>\n";
    static const kiln_header_t headers[] = {{"lib/outer.h", outer, sizeof outer - 1},
                                            {"lib/inner.h", inner, sizeof inner - 1},
                                            {"number.h", top, sizeof top - 1}};
    kiln_compile_options_t options = to_tt();
    options.headers = headers;
    options.header_count = 3;
    options.no_include_files = true;
    kiln_kernel_t *kernel;
    expect_failure(compile(source, &options, &kernel), KILN_STATUS_INVALID_INPUT,
                   "use of undeclared identifier 'missing'");
    options.header_count = 1;
    expect_failure(compile("#include <lib/outer.h>\n", &options, &kernel),
                   KILN_STATUS_INVALID_INPUT,
                   "lib/outer.h:2:10: 'inner.h' file not found among the in-memory headers");
}

static void files_are_not_read_when_disabled(void **state)
{
    (void)state;
    kiln_compile_options_t options = to_tt();
    kiln_kernel_t *kernel;
    options.no_include_files = true;
    write_file("number.h", "#define NUMBER 1.0\n");
    expect_failure(compile(source, &options, &kernel), KILN_STATUS_INVALID_INPUT,
                   "'number.h' file not found");
    expect_failure(compile("#include \"/etc/passwd\"\n", &options, &kernel),
                   KILN_STATUS_INVALID_INPUT, "not found");
    expect_failure(compile("#include <../../etc/passwd>\n", &options, &kernel),
                   KILN_STATUS_INVALID_INPUT, "not found");
    expect_failure(
        compile("#if __has_include(\"/etc/passwd\")\n#error read\n#endif\n", &options, &kernel),
        KILN_STATUS_INVALID_INPUT, "the file has no kernel");
    expect_failure(compile("#embed \"/etc/passwd\"\n", &options, &kernel),
                   KILN_STATUS_INVALID_INPUT, "not found");
    options.no_include_files = false;
    char embeds[192];
    snprintf(embeds, sizeof embeds, "constexpr i32 X =\n#embed \"%s\"\n;", path_of("number.h"));
    expect_failure(compile(embeds, &options, &kernel), KILN_STATUS_INVALID_INPUT,
                   "directive is not supported in Tile C");
}

static void a_kernel_lists_its_includes(void **state)
{
    (void)state;
    static const char text[] =
        "#include \"number.h\"\n#include \"number.h\"\n#include \"twice.h\"\n#include <memory.h>\n"
        "kernel void put(f32 *x) { x[range(64)] = NUMBER; }\n";
    static const kiln_header_t headers[] = {{"memory.h", "", 0}};
    kiln_compile_options_t options = to_tt();
    options.headers = headers;
    options.header_count = 1;
    write_file("number.h", "#undef NUMBER\n#define NUMBER 1.0\n");
    write_file("twice.h", "#include \"number.h\"\n");
    kiln_kernel_t *kernel;
    expect_ok(compile(text, &options, &kernel));
    assert_int_equal(kiln_kernel_include_count(kernel), 2);
    assert_string_equal(kiln_kernel_include(kernel, 0), path_of("number.h"));
    assert_string_equal(kiln_kernel_include(kernel, 1), path_of("twice.h"));
    assert_null(kiln_kernel_include(kernel, 2));
    assert_int_equal(kiln_kernel_include_count(NULL), 0);
    assert_null(kiln_kernel_include(NULL, 0));
    kiln_kernel_release(kernel);
}

static void only_what_has_directives_is_preprocessed(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_needed;
    } cases[] = {{"", false},           {"kernel void k(f32 *p) {}\n", false},
                 {"x = a # b;", false}, {"#", true},
                 {"\n  #if 1", true},   {"i32 a__b = c_d;", false},
                 {"__LINE__", true},    {"a __x", true},
                 {"_Pragma", true},     {"a\n\t#x", true},
                 {"_x __", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (kiln_preprocess_is_needed(cases[i].text, strlen(cases[i].text)) != cases[i].is_needed)
            fail_msg("'%s'", cases[i].text);
}

// Nesting that would overflow the stack in clang's recursion.
static void deep_nesting_is_an_error(void **state)
{
    (void)state;
    static const struct {
        const char *begin, *again, *end;
    } cases[] = {{"#if ", "(", "1\n#endif\n"},
                 {"#if 1", " - ! ~", "1\n#endif\n"},
                 {"#if 1", "?1:1", "\n#endif\n"},
                 {"#define f(x) x\nconstexpr i32 n = ", "f(", "1;\n"}};
    enum { TIMES = 100000 };
    kiln_compile_options_t options = to_tt();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t length = strlen(cases[i].again);
        char *text = calloc(1, TIMES * length + 100),
             *at = text + sprintf(text, "%s", cases[i].begin);
        for (int j = 0; j < TIMES; j++, at += length)
            memcpy(at, cases[i].again, length);
        sprintf(at, "%s", cases[i].end);
        kiln_kernel_t *kernel;
        expect_failure(compile(text, &options, &kernel), KILN_STATUS_INVALID_INPUT,
                       "nested more than 500 levels deep");
        write_file("deep.h", text);
        expect_failure(compile("#include \"deep.h\"\n#include \"deep.h\"\n", &options, &kernel),
                       KILN_STATUS_INVALID_INPUT,
                       "put.tile.c:1:10: 'deep.h' is nested more than 500 levels deep");
        free(text);
    }
    // Parentheses in comments and strings do not count, and closed ones are few.
    assert_true(compiles_to(
        "// ((((\n/* (((( */\n#define a \"((((\"\nkernel void put(f32 *x) { x[0] = (1); }\n",
        &options, "k"));
    size_t offset;
    assert_false(kiln_preprocess_find_nesting("()()/**/(\"(\\\"(\"'\\''", 20, &offset));
}

// The JIT -----------------------------------------------------------------------------------------

static kiln_device_t *device;

static kiln_status_t prepare(kiln_jit_t *jit, kiln_jit_origin_t *out_origin)
{
    kiln_jit_call_t call;
    kiln_jit_call_initialize(&call);
    kiln_jit_argument_t argument = {
        .name = "x", .kind = KILN_JIT_POINTER, .address = 4096, .address_size = 256};
    call.source = source_of(source);
    call.arguments = &argument;
    call.argument_count = 1;
    kiln_jit_kernel_t *kernel;
    return kiln_jit_prepare(jit, &call, &kernel, out_origin);
}

static kiln_jit_t *make_jit(kiln_jit_depend_fn depend)
{
    static char cache[128];
    snprintf(cache, sizeof cache, "%s/cache", folder);
    kiln_jit_options_t options;
    kiln_jit_options_initialize(&options);
    options.compile = kiln_jit_compile;
    options.identify = kiln_jit_identify;
    options.depend = depend;
    options.cache_directory = cache;
    kiln_jit_t *jit;
    expect_ok(kiln_jit_create(device, &options, &jit));
    return jit;
}

static void a_changed_header_is_another_kernel(void **state)
{
    (void)state;
    kiln_jit_origin_t origin;
    write_file("number.h", "#include \"deep.h\"\n");
    write_file("deep.h", "#define NUMBER 1.0\n");
    kiln_jit_t *jit = make_jit(kiln_jit_depend);
    expect_ok(prepare(jit, &origin));
    assert_int_equal(origin, KILN_JIT_COMPILED);
    expect_ok(prepare(jit, &origin));
    assert_int_equal(origin, KILN_JIT_FROM_MEMORY);
    write_file("deep.h", "#define NUMBER 2.0\n");
    expect_ok(prepare(jit, &origin));
    assert_int_equal(origin, KILN_JIT_FROM_MEMORY); // a known call needs no lookup
    kiln_jit_refresh(jit);
    expect_ok(prepare(jit, &origin));
    assert_int_equal(origin, KILN_JIT_COMPILED);
    kiln_jit_release(jit);

    jit = make_jit(kiln_jit_depend);
    expect_ok(prepare(jit, &origin));
    assert_int_equal(origin, KILN_JIT_FROM_DISK);
    kiln_jit_release(jit);
    write_file("deep.h", "#define NUMBER 1.0\n");
    jit = make_jit(kiln_jit_depend);
    expect_ok(prepare(jit, &origin));
    assert_int_equal(origin, KILN_JIT_FROM_DISK);
    kiln_jit_release(jit);
}

static void without_its_key_a_file_is_not_included(void **state)
{
    (void)state;
    kiln_jit_origin_t origin;
    write_file("number.h", "#define NUMBER 1.0\n");
    kiln_jit_t *jit = make_jit(NULL);
    expect_failure(prepare(jit, &origin), KILN_STATUS_INVALID_INPUT,
                   "needs kiln_jit_depend as options.depend");
    kiln_jit_release(jit);
}

static void dependencies_are_of_what_is_included(void **state)
{
    (void)state;
    static const char plain[] = "kernel void put(f32 *x) { x[range(64)] = 1; }\n";
    kiln_jit_request_t request = {
        .struct_size = sizeof request, .source = source_of(plain), .arch = "gfx942"};
    char *texts[4] = {NULL};
    expect_ok(kiln_jit_depend(&request, NULL, &texts[0]));
    assert_null(texts[0]);
    request.source = source_of(source);
    write_file("number.h", "#if N > 1\n#define NUMBER 1.0\n#else\n#define NUMBER 2.0\n#endif\n");
    expect_ok(kiln_jit_depend(&request, NULL, &texts[1]));
    const kiln_setting_t settings[] = {{"N", "2"}};
    request.settings = settings;
    request.setting_count = 1;
    expect_ok(kiln_jit_depend(&request, NULL, &texts[2]));
    assert_string_not_equal(texts[1], texts[2]);
    unlink(path_of("number.h"));
    expect_ok(kiln_jit_depend(&request, NULL, &texts[3])); // the compilation reports the error
    assert_string_not_equal(texts[2], texts[3]);
    for (int i = 0; i < 4; i++)
        free(texts[i]);
    expect_failure(kiln_jit_depend(NULL, NULL, &texts[0]), KILN_STATUS_USAGE,
                   "kiln_jit_depend: request is NULL");
    expect_failure(kiln_jit_depend(&request, NULL, NULL), KILN_STATUS_USAGE,
                   "kiln_jit_depend: out_dependencies is NULL");
}

static int begin(void **state)
{
    (void)state;
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_SIM;
    options.sim_library = KILN_BINARY_DIR "/lib/libkiln-sim.so";
    expect_ok(kiln_device_open(&options, &device));
    return !mkdtemp(folder);
}

static int end(void **state)
{
    (void)state;
    char command[64];
    kiln_device_release(device);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_in_memory_come_first),
        cmocka_unit_test(headers_include_headers),
        cmocka_unit_test(files_are_not_read_when_disabled),
        cmocka_unit_test(a_kernel_lists_its_includes),
        cmocka_unit_test(only_what_has_directives_is_preprocessed),
        cmocka_unit_test(deep_nesting_is_an_error),
        cmocka_unit_test(a_changed_header_is_another_kernel),
        cmocka_unit_test(without_its_key_a_file_is_not_included),
        cmocka_unit_test(dependencies_are_of_what_is_included),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
