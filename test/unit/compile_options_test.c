// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of options, row by row: the texts set and read the fields, limits are enforced, and
// every option that affects code is in the JIT's key.
//
// The sweeps include kiln/options.def themselves, so a new row is tested automatically, and a row
// of a new type does not compile until CHANGE_… below defines how to change one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kiln/jit_compile.h"
#include "open_device.h"

static void expect(kiln_status_t status, kiln_status_code_t code, const char *part)
{
    if (kiln_status_code(status) != code || !strstr(kiln_status_message(status), part))
        print_error("wanted '%s', got '%s'\n", part, kiln_status_message(status));
    assert_int_equal(kiln_status_code(status), code);
    assert_non_null(strstr(kiln_status_message(status), part));
    kiln_status_free(status);
}

// Sweeps ------------------------------------------------------------------------------------------

static void ignore_dump(kiln_dump_point_t point, const char *pass, const char *text, size_t length,
                        void *user)
{
    (void)point, (void)pass, (void)text, (void)length, (void)user;
}

// The smallest valid value of the option other than its default.
static int other_int(const char *name)
{
    const kiln_option_t *option = kiln_compile_option_find(name, strlen(name));
    assert_non_null(option);
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    for (int value = 0; value < 1000; value++) {
        char text[16];
        snprintf(text, sizeof text, "%d", value);
        kiln_status_t status = kiln_compile_option_set(&options, option, text);
        bool refused = status;
        kiln_status_free(status);
        if (!refused && value != option->initial)
            return value;
    }
    fail_msg("%s can have no other value", name);
    return 0;
}

static const kiln_setting_t other_defines[] = {{"BLOCK", "64"}};
static const kiln_arg_hint_t other_hints[] = {{.name = "x", .divisibility = 16}};
static const kiln_arg_range_t other_ranges[] = {{"n", 1, 64}};
static const char *const other_names[] = {"coalesce"}, *const other_warnings[] = {"-Wall"};
static int other_user;

#define CHANGE_INT(name) options->name = other_int(#name)
#define CHANGE_FLAG(name) options->name = !options->name
#define CHANGE_TEXT(name) options->name = "other"
#define CHANGE_STAGE(name) options->name = KILN_STAGE_TTG
#define CHANGE_STAGES(name) options->name = ~0u
#define CHANGE_POINTS(name) options->name = ~0u
#define CHANGE_LIMIT(name) options->name = ~0u
#define CHANGE_DUMP(name) options->name = ignore_dump
#define CHANGE_USER(name) options->name = &other_user
#define CHANGE_DEFINES(name) options->name = other_defines
#define CHANGE_HINTS(name) options->name = other_hints
#define CHANGE_RANGES(name) options->name = other_ranges
static const kiln_header_t other_headers[] = {{"x.tile.h", "// nothing", 10}};
#define CHANGE_HEADERS(name) options->name = other_headers
#define CHANGE_NAMES(name) options->name = strcmp(#name, "warnings") ? other_names : other_warnings

#define KILN_OPTION(type, name, effect, values, initial, what)                                     \
    static void change_##name(kiln_compile_options_t *options)                                     \
    {                                                                                              \
        CHANGE_##type(name);                                                                       \
    }
#define KILN_OPTION_LIST(type, name, count, effect, what)                                          \
    static void change_##name(kiln_compile_options_t *options)                                     \
    {                                                                                              \
        CHANGE_##type(name);                                                                       \
        options->count = 1;                                                                        \
    }
#include "kiln/options.def"
#undef KILN_OPTION
#undef KILN_OPTION_LIST

typedef enum effect { WATCHES, WARNS, CODE } effect_t;

static const struct {
    const char *name;
    effect_t effect;
    void (*change)(kiln_compile_options_t *options);
} rows[] = {
#define KILN_OPTION(type, name, effect, values, initial, what) {#name, effect, change_##name},
#define KILN_OPTION_LIST(type, name, count, effect, what) {#name, effect, change_##name},
#include "kiln/options.def"
#undef KILN_OPTION
#undef KILN_OPTION_LIST
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

// Sets options with one row changed, and returns the identity of a compiler with these options.
static char *identity_with(size_t row, kiln_compile_options_t *out_options)
{
    kiln_compile_options_initialize(out_options);
    if (row < ROW_COUNT)
        rows[row].change(out_options);
    kiln_jit_compiler_t compiler = {.struct_size = sizeof compiler, .base = out_options};
    char *identity = NULL;
    expect_ok(kiln_jit_identify(&compiler, &identity));
    return identity;
}

static void identities_distinguish_what_code_depends_on(void **state)
{
    (void)state;
    kiln_compile_options_t options;
    char *all[ROW_COUNT + 1], *none = NULL;
    for (size_t i = 0; i <= ROW_COUNT; i++)
        all[i] = identity_with(i, &options);
    expect_ok(kiln_jit_identify(NULL, &none));
    assert_string_equal(none, all[ROW_COUNT]);
    for (size_t i = 0; i < ROW_COUNT; i++)
        for (size_t j = i + 1; j <= ROW_COUNT; j++)
            if ((strcmp(all[i], all[j]) != 0) !=
                (rows[i].effect != WATCHES || (j < ROW_COUNT && rows[j].effect != WATCHES)))
                fail_msg("%s and %s: identities are wrongly %s", rows[i].name,
                         j < ROW_COUNT ? rows[j].name : "defaults",
                         strcmp(all[i], all[j]) ? "different" : "equal");
    for (size_t i = 0; i <= ROW_COUNT; i++)
        free(all[i]);
    free(none);
}

static void lists_of_strings_do_not_run_together(void **state)
{
    (void)state;
    const char *const one[] = {"a b"}, *const two[] = {"a", "b"};
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    char *texts[3] = {NULL};
    options.disabled_passes = one;
    options.disabled_pass_count = 1;
    expect_ok(kiln_compile_options_text(&options, &texts[0]));
    options.disabled_passes = two;
    options.disabled_pass_count = 2;
    expect_ok(kiln_compile_options_text(&options, &texts[1]));
    options.disabled_pass_count = 1;
    options.only_passes = &two[1];
    options.only_pass_count = 1;
    expect_ok(kiln_compile_options_text(&options, &texts[2]));
    assert_string_not_equal(texts[0], texts[1]);
    assert_string_not_equal(texts[0], texts[2]);
    assert_string_not_equal(texts[1], texts[2]);
    for (int i = 0; i < 3; i++)
        free(texts[i]);
}

// The JIT -----------------------------------------------------------------------------------------

static const char source[] = "kernel void scale(f32 *x, i32 n) {\n"
                             "    i32 i[64] = program_id(0) * 64 + range(64);\n"
                             "    store(x + i, load(x + i, i < n) * 3.0 + 1.0, i < n);\n"
                             "}\n";

static void call_scale(kiln_jit_call_t *call, kiln_jit_argument_t arguments[2])
{
    kiln_jit_call_initialize(call);
    arguments[0] = (kiln_jit_argument_t){
        .name = "x", .kind = KILN_JIT_POINTER, .address = 4096, .address_size = 256};
    arguments[1] = kiln_jit_integer("n", 64);
    call->source = (kiln_source_t){KILN_STAGE_TILE, "scale.tile.c", source, strlen(source)};
    call->arguments = arguments;
    call->argument_count = 2;
}

static kiln_jit_origin_t prepare(const char *directory, const kiln_compile_options_t *base)
{
    kiln_jit_compiler_t compiler = {.struct_size = sizeof compiler, .base = base};
    kiln_jit_options_t options;
    kiln_jit_options_initialize(&options);
    options.compile = kiln_jit_compile;
    options.identify = kiln_jit_identify;
    options.compile_user = &compiler;
    options.cache_directory = directory;
    kiln_jit_t *jit;
    kiln_jit_kernel_t *kernel;
    kiln_jit_origin_t origin;
    kiln_jit_call_t call;
    kiln_jit_argument_t arguments[2];
    call_scale(&call, arguments);
    expect_ok(kiln_jit_create(device, &options, &jit));
    expect_ok(kiln_jit_prepare(jit, &call, &kernel, &origin));
    kiln_jit_release(jit);
    return origin;
}

static void jits_of_other_bases_share_a_directory_and_no_code(void **state)
{
    (void)state;
    char directory[] = "/tmp/kiln-options-test.XXXXXX", command[64];
    assert_non_null(mkdtemp(directory));
    kiln_compile_options_t base;
    kiln_compile_options_initialize(&base);
    assert_int_equal(prepare(directory, &base), KILN_JIT_COMPILED);
    assert_int_equal(prepare(directory, NULL), KILN_JIT_FROM_DISK);
    base.num_stages = 1;
    assert_int_equal(prepare(directory, &base), KILN_JIT_COMPILED);
    base.disabled_passes = other_names;
    base.disabled_pass_count = 1;
    assert_int_equal(prepare(directory, &base), KILN_JIT_COMPILED);
    assert_int_equal(prepare(directory, &base), KILN_JIT_FROM_DISK);
    base.dump = ignore_dump; // only observes
    assert_int_equal(prepare(directory, &base), KILN_JIT_FROM_DISK);
    snprintf(command, sizeof command, "rm -r %s", directory);
    assert_int_equal(system(command), 0);
}

// Options that only observe do not change the code.
static void watching_changes_no_code(void **state)
{
    (void)state;
    const kiln_arg_hint_t hints[] = {{.name = "x", .divisibility = 16}, {.name = "n"}};
    const kiln_jit_request_t request = {
        .struct_size = sizeof request,
        .source = {KILN_STAGE_TILE, "scale.tile.c", source, strlen(source)},
        .arch = "gfx942",
        .arguments = hints,
        .argument_count = 2};
    char *plain = NULL, *plain_manifest = NULL;
    size_t plain_size;
    expect_ok(kiln_jit_compile(&request, NULL, (void **)&plain, &plain_size, &plain_manifest));
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (rows[i].effect == CODE)
            continue;
        kiln_compile_options_t options;
        free(identity_with(i, &options));
        kiln_jit_compiler_t compiler = {.struct_size = sizeof compiler, .base = &options};
        char *code = NULL, *manifest = NULL;
        size_t size;
        expect_ok(kiln_jit_compile(&request, &compiler, (void **)&code, &size, &manifest));
        if (size != plain_size || memcmp(code, plain, size) != 0 ||
            strcmp(manifest, plain_manifest) != 0)
            fail_msg("%s changes code", rows[i].name);
        free(code);
        free(manifest);
    }
    free(plain);
    free(plain_manifest);
}

// Texts -------------------------------------------------------------------------------------------

static void values_are_what_the_table_allows(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value;
        int wanted; // -1: rejected
    } cases[] = {{"num_warps", "16", 16},
                 {"num_warps", "3", -1},
                 {"num_warps", "0", 0},
                 {"num_warps", "32", -1},
                 {"num_stages", "16", 16},
                 {"num_stages", "0", -1},
                 {"num_stages", "17", -1},
                 {"waves_per_eu", "0", 0},
                 {"waves_per_eu", "8", 8},
                 {"waves_per_eu", "9", -1},
                 {"kpack", "3", -1},
                 {"matrix_instr_nonkdim", "32", 32},
                 {"kpack", "", -1},
                 {"matrix_instr_nonkdim", "8", -1},
                 {"kpack", "two", -1},
                 {"kpack", "2x", -1},
                 {"kpack", "-1", -1},
                 {"kpack", "99999999999999999999", -1},
                 {"enable_fp_fusion", "false", 0},
                 {"enable_fp_fusion", "1", 1},
                 {"no_line_info", "true", 1},
                 {"no_line_info", "2", -1},
                 {"num_warps", "true", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const kiln_option_t *option =
            kiln_compile_option_find(cases[i].name, strlen(cases[i].name));
        kiln_compile_options_t options;
        kiln_compile_options_initialize(&options);
        kiln_status_t status = kiln_compile_option_set(&options, option, cases[i].value);
        if (cases[i].wanted < 0) {
            expect(status, KILN_STATUS_USAGE, option->values);
            assert_int_equal(kiln_compile_option_get(&options, option), option->initial);
            continue;
        }
        expect_ok(status);
        assert_int_equal(kiln_compile_option_get(&options, option), cases[i].wanted);
    }
    assert_null(kiln_compile_option_find("num_warp", 8));
    assert_null(kiln_compile_option_find("num_warps_", 10));
    assert_non_null(kiln_compile_option_find("num_warps=4", 9));
}

static void settings_are_options_or_definitions(void **state)
{
    (void)state;
    const kiln_setting_t settings[] = {
        {"num_stages", "3"}, {"BLOCK", "64"}, {"kpack", "2"}, {"num_warps", "five"}};
    kiln_setting_t defines[8];
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    options.defines = other_defines;
    options.define_count = 1;
    expect_ok(kiln_compile_options_apply(&options, settings, 3, defines));
    assert_int_equal(options.num_stages, 3);
    assert_int_equal(options.kpack, 2);
    assert_int_equal(options.define_count, 2);
    assert_ptr_equal(options.defines, defines);
    assert_string_equal(defines[0].name, "BLOCK");
    assert_ptr_equal(defines[1].value, settings[1].value);
    expect(kiln_compile_options_apply(&options, settings + 3, 1, defines), KILN_STATUS_USAGE,
           "num_warps is five; it must be 0, 1, 2, 4, 8 or 16");
}

static void structs_of_other_versions_are_taken(void **state)
{
    (void)state;
    struct {
        kiln_compile_options_t known;
        char more[16];
    } newer;
    kiln_compile_options_initialize_sized(&newer.known, sizeof newer);
    char *text = NULL;
    expect_ok(kiln_compile_options_text(&newer.known, &text));
    free(text);
    newer.more[15] = 1;
    expect(kiln_compile_options_text(&newer.known, &text), KILN_STATUS_USAGE,
           "the program requires a newer version");
    newer.known.struct_size = 0;
    expect(kiln_compile_options_text(&newer.known, &text), KILN_STATUS_USAGE,
           "initialize function");
    // An older program's struct ends before num_stages: Kiln must not write after its end.
    memset(&newer, 0x5a, sizeof newer);
    kiln_compile_options_initialize_sized(&newer.known,
                                          offsetof(kiln_compile_options_t, num_stages));
    assert_int_equal(newer.known.num_warps, 0);
    assert_int_equal(newer.known.num_stages, 0x5a5a5a5a);
    const kiln_option_t *stages = kiln_compile_option_find("num_stages", 10);
    expect(kiln_compile_option_set(&newer.known, stages, "3"), KILN_STATUS_USAGE,
           "newer than the program's");
    assert_int_equal(newer.known.num_stages, 0x5a5a5a5a);
    assert_int_equal(kiln_compile_option_get(&newer.known, stages), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identities_distinguish_what_code_depends_on),
        cmocka_unit_test(lists_of_strings_do_not_run_together),
        cmocka_unit_test(jits_of_other_bases_share_a_directory_and_no_code),
        cmocka_unit_test(watching_changes_no_code),
        cmocka_unit_test(values_are_what_the_table_allows),
        cmocka_unit_test(settings_are_options_or_definitions),
        cmocka_unit_test(structs_of_other_versions_are_taken)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
