// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of many units: Tile C, tt text, bytecode and built IR in one code object, loaded once
// and launched on the simulator. With a file name as argument it writes the code object of many
// kernels there, for other readers.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include <mlir-c/IR.h>

#include "artifact/code_object.h"
#include "artifact/findings_section.h"
#include "base/file.h"
#include "base/string.h"
#include "builder/ir_text.h"
#include "driver/session.h"
#include "expect_status.h"
#include "kiln/ahead.h"
#include "kiln/builder.h"
#include "kiln/compile_program.h"
#include "kiln/load.h"

enum { COUNT = 64 };

// Kernels that add a number to each element.
static const char add_text[] = "kernel void add(i32 *x, i32 n, constexpr i32 ADDEND = 1)\n"
                               "{\n"
                               "    i32 i[64] = range(64);\n"
                               "    store(x + i, load(x + i, i < n, 0) + ADDEND, i < n);\n"
                               "}\n";
static const kiln_source_t add = {KILN_STAGE_TILE, "add.tile.c", add_text, sizeof add_text - 1};

// tt text of a kernel `name` that adds `addend`.
static char *tt_of(const char *name, int addend)
{
    char *text = kiln_string_print("kernel void %s(i32 *x, i32 n)\n{\n    i32 i[64] = range(64);\n"
                                   "    store(x + i, load(x + i, i < n, 0) + %d, i < n);\n}\n",
                                   name, addend);
    kiln_session_t *session;
    kiln_kernel_t *kernel;
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    options.last_stage = KILN_STAGE_TT;
    const kiln_source_t source = {KILN_STAGE_TILE, "t", text, strlen(text)};
    expect_ok(kiln_session_create(&session));
    expect_ok(kiln_compile(session, &source, &options, &kernel));
    char *tt = strdup(kiln_kernel_text(kernel, KILN_STAGE_TT));
    kiln_kernel_release(kernel);
    kiln_session_release(session);
    free(text);
    return tt;
}

static kiln_string_t bytecode_of(const char *tt)
{
    kiln_string_t bytes = {0};
    kiln_session_t *session;
    expect_ok(kiln_session_create(&session));
    MlirModule module = mlirModuleCreateParse(session->mlir, mlirStringRefCreateFromCString(tt));
    assert_false(mlirModuleIsNull(module));
    mlirOperationWriteBytecode(mlirModuleGetOperation(module), kiln_ir_append, &bytes);
    mlirModuleDestroy(module);
    kiln_session_release(session);
    assert_memory_equal(bytes.data, "ML\xefR", 4);
    return bytes;
}

static kiln_builder_t *build(const char *name, int addend, kiln_source_t *out_source)
{
    kiln_builder_t *b;
    expect_ok(kiln_builder_create(&b));
    const kiln_value_type_t i32 = {.element = KILN_VALUE_I32},
                            tile = {.element = KILN_VALUE_I32, .rank = 1, .shape = {64}};
    const kiln_kernel_parameter_t parameters[] = {
        {"x", {.element = KILN_VALUE_I32, .is_pointer = true}, 16, false}, {"n", i32, 0, false}};
    const int64_t shape[] = {64};
    const kiln_value_t none = {NULL};
    kiln_value_t arguments[2];
    kiln_build_kernel_begin(b, name, parameters, 2, arguments);
    kiln_value_t i = kiln_build_range(b, 0, 64);
    kiln_value_t mask =
        kiln_build_compare(b, KILN_COMPARE_SLT, i, kiln_build_splat(b, arguments[1], 1, shape));
    kiln_value_t place = kiln_build_addptr(b, kiln_build_splat(b, arguments[0], 1, shape), i);
    kiln_value_t loaded = kiln_build_load(b, place, mask, none);
    kiln_build_store(
        b, place, kiln_build_binary(b, KILN_BINARY_ADDI, loaded, kiln_build_int(b, tile, addend)),
        mask);
    kiln_build_kernel_end(b);
    expect_ok(kiln_builder_finish(b, out_source));
    return b;
}

static kiln_device_t *open_simulator(void)
{
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_SIM;
    options.sim_library = KILN_BINARY_DIR "/lib/libkiln-sim.so";
    kiln_device_t *device;
    expect_ok(kiln_device_open(&options, &device));
    return device;
}

// Launches a kernel of the program on zeros; returns the value of the first `n` elements, which
// must be equal.
static int32_t launch(kiln_program_t *program, kiln_buffer_t *buffer, const char *kernel, int n,
                      const kiln_setting_t *constants, size_t constant_count)
{
    int32_t data[COUNT];
    const kiln_typed_argument_t arguments[] = {kiln_typed_buffer("x", "*i32", buffer),
                                               kiln_typed_integer("n", "i32", n)};
    const unsigned grid[3] = {1, 1, 1};
    kiln_program_call_t call;
    kiln_program_call_initialize(&call);
    call.kernel = kernel;
    call.arguments = arguments;
    call.argument_count = 2;
    call.constants = constants;
    call.constant_count = constant_count;
    call.grid = grid;
    expect_ok(kiln_buffer_fill(buffer, 0, 0, sizeof data));
    expect_ok(kiln_program_launch(program, &call));
    expect_ok(kiln_buffer_read(buffer, 0, data, sizeof data));
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(data[i], i < n ? data[0] : 0);
    return data[0];
}

static void units_of_all_forms_make_one_program(void **state)
{
    (void)state;
    char *text = tt_of("from_text", 30), *other = tt_of("from_bytecode", 40);
    kiln_string_t bytes = bytecode_of(other);
    kiln_source_t built;
    kiln_builder_t *builder = build("from_builder", 50, &built);
    kiln_compile_options_t any, aligned, twenty;
    kiln_compile_options_initialize(&any);
    kiln_compile_options_initialize(&aligned);
    kiln_compile_options_initialize(&twenty);
    const kiln_arg_hint_t hints[] = {{.name = "n", .divisibility = 16},
                                     {.name = "x", .divisibility = 16}};
    const kiln_setting_t defines[] = {{"ADDEND", "20"}};
    aligned.args = hints;
    aligned.arg_count = 2;
    twenty.defines = defines;
    twenty.define_count = 1;
    const kiln_program_unit_t units[] = {
        {add, &any},
        {add, &aligned},
        {add, &twenty},
        {{KILN_STAGE_TT, "text.ttir", text, strlen(text)}, NULL},
        {{KILN_STAGE_TT, "bytes.mlirbc", bytes.data, bytes.length}, NULL},
        {built, NULL},
    };
    enum { UNITS = sizeof units / sizeof *units };
    void *bundle, *again;
    size_t size, again_size;
    kiln_program_compile_options_t options;
    kiln_program_compile_options_initialize(&options);
    options.jobs = 4;
    expect_ok(kiln_program_compile(units, UNITS, &options, &bundle, &size));
    options.jobs = 1;
    expect_ok(kiln_program_compile(units, UNITS, &options, &again, &again_size));
    assert_int_equal(size, again_size);
    assert_memory_equal(bundle, again, size);
    free(again);

    kiln_device_t *device = open_simulator();
    kiln_program_t *program;
    kiln_buffer_t *buffer;
    const kiln_program_part_t part = {bundle, size, NULL};
    expect_ok(kiln_program_load_memory(device, &part, 1, &program));
    expect_ok(kiln_buffer_create(device, COUNT * sizeof(int32_t), &buffer));
    assert_int_equal(kiln_program_variant_count(program), UNITS);
    const kiln_setting_t one = {"ADDEND", "1"}, more = {"ADDEND", "20"};
    assert_int_equal(launch(program, buffer, "add", 48, &one, 1), 1);
    assert_int_equal(launch(program, buffer, "add", 47, &one, 1), 1);
    assert_int_equal(launch(program, buffer, "add", 47, &more, 1), 20);
    assert_int_equal(launch(program, buffer, "from_text", 5, NULL, 0), 30);
    assert_int_equal(launch(program, buffer, "from_bytecode", 5, NULL, 0), 40);
    assert_int_equal(launch(program, buffer, "from_builder", 5, NULL, 0), 50);
    kiln_buffer_release(buffer);
    kiln_program_release(program);
    kiln_device_release(device);
    free(bundle);
    kiln_builder_release(builder);
    kiln_string_free(&bytes);
    free(text);
    free(other);
}

// One code object of many kernels -----------------------------------------------------------------

// Each kernel has its own LDS (the sum over four waves), a function of the device libraries, a
// function that is called, and texts. n programs: out[i] = FACTOR * sum over the row of |x| + i.
static const char rows_text[] =
    "kernel void rows(const f32 *x, f32 *out, i32 n, constexpr i32 FACTOR = 1, constexpr i32 WIDTH "
    "= 256)\n"
    "{\n"
    "    f32 row[WIDTH] = load(x + range(WIDTH));\n"
    "    assert(program_id(0) < n, \"too many programs\");\n"
    "    store(out + program_id(0), FACTOR * rint(sum(hypot(row, 0))) + program_id(0));\n"
    "}\n"
    "kernel void count(i32 *out)\n"
    "{\n"
    "    atomic_add(out, 1);\n"
    "}\n";

enum { MANY = 37 }; // more than the shortest array form of MessagePack can hold

typedef struct many {
    char numbers[MANY][2][8];
    kiln_setting_t defines[MANY][2];
    kiln_compile_options_t options[MANY];
    kiln_program_unit_t units[MANY];
} many_t;

// Bundles all but the last of the kernels `rows`.
static void make_many(void **out_bundle, size_t *out_size)
{
    static many_t m;
    for (int i = 0; i < MANY; i++) {
        kiln_compile_options_initialize(&m.options[i]);
        m.options[i].kernel = i == MANY - 1 ? "count" : "rows";
        snprintf(m.numbers[i][0], sizeof m.numbers[i][0], "%d", i / 2 + 1);
        snprintf(m.numbers[i][1], sizeof m.numbers[i][1], "%d", i % 2 ? 512 : 256);
        m.defines[i][0] = (kiln_setting_t){"FACTOR", m.numbers[i][0]};
        m.defines[i][1] = (kiln_setting_t){"WIDTH", m.numbers[i][1]};
        m.options[i].defines = m.defines[i];
        m.options[i].define_count = i == MANY - 1 ? 0 : 2;
        m.options[i].num_warps = 4;
        m.units[i] = (kiln_program_unit_t){
            {KILN_STAGE_TILE, "rows.tile.c", rows_text, sizeof rows_text - 1}, &m.options[i]};
    }
    expect_ok(kiln_program_compile(m.units, MANY, NULL, out_bundle, out_size));
}

static void launch_rows(kiln_function_t *function, kiln_buffer_t *x, kiln_buffer_t *out,
                        float factor, int width)
{
    enum { PROGRAMS = 3 };
    float results[PROGRAMS];
    uint64_t x_address = kiln_buffer_address(x), out_address = kiln_buffer_address(out);
    int32_t n = PROGRAMS;
    void *arguments[] = {&x_address, &out_address, &n};
    kiln_launch_t launch_of;
    kiln_launch_initialize(&launch_of);
    launch_of.grid[0] = PROGRAMS;
    launch_of.block[0] = 256;
    launch_of.args = arguments;
    expect_ok(kiln_function_launch(function, &launch_of));
    expect_ok(kiln_buffer_read(out, 0, results, sizeof results));
    for (int i = 0; i < PROGRAMS; i++)
        assert_float_equal(results[i], factor * (float)(width * (width - 1) / 2) + (float)i, 0);
}

static void many_kernels_share_one_code_object(void **state)
{
    (void)state;
    void *bundle;
    size_t size, count;
    kiln_compiled_t *kernels;
    make_many(&bundle, &size);
    expect_ok(kiln_bundle_kernels(bundle, size, &kernels, &count));
    assert_int_equal(count, MANY);
    kiln_code_object_t object;
    expect_ok(kiln_code_object_read(kernels[0].code_object, kernels[0].code_object_size, &object));
    assert_int_equal(object.kernel_count, MANY);

    kiln_device_t *device = open_simulator();
    kiln_module_t *module;
    kiln_buffer_t *x, *out;
    float data[512];
    for (int i = 0; i < 512; i++)
        data[i] = (float)-i;
    expect_ok(
        kiln_module_load(device, kernels[0].code_object, kernels[0].code_object_size, &module));
    expect_ok(kiln_buffer_create(device, sizeof data, &x));
    expect_ok(kiln_buffer_create(device, sizeof data, &out));
    expect_ok(kiln_buffer_write(x, 0, data, sizeof data));
    for (int i = 0; i < MANY; i++) {
        char symbol[32], symbol_member[64];
        kiln_function_t *function;
        const bool is_last = i == MANY - 1;
        snprintf(symbol, sizeof symbol, "%s.%d", is_last ? "count" : "rows", i);
        snprintf(symbol_member, sizeof symbol_member, "\"kernel\": \"%s\"", symbol);
        assert_ptr_equal(kernels[i].code_object, kernels[0].code_object);
        assert_non_null(strstr(kernels[i].manifest, symbol_member));
        const kiln_code_kernel_t *found = kiln_code_object_find(&object, symbol);
        assert_non_null(found);
        assert_int_equal(found->resources.lds_bytes, is_last ? 0 : 16);
        expect_ok(kiln_module_function(module, symbol, &function));
        if (!is_last)
            launch_rows(function, x, out, (float)(i / 2 + 1), i % 2 ? 512 : 256);
    }
    kiln_buffer_release(x);
    kiln_buffer_release(out);
    kiln_module_release(module);
    kiln_device_release(device);
    kiln_code_object_free(&object);
    free(kernels);
    free(bundle);
}

static void labels_of_inline_assembly_stay_apart(void **state)
{
    (void)state;
    static const char text[] =
        "kernel void label(i32 *x, constexpr i32 I)\n{\n    i32 y;\n"
        "    inline_asm(\"same:\\nv_add_u32 $0, $1, $2\", \"=v,v,v\", load(x), I, &y);\n"
        "    store(x, y);\n}\n";
    const kiln_setting_t defines[] = {{"I", "5"}, {"I", "6"}};
    kiln_compile_options_t options[2];
    kiln_program_unit_t units[2];
    for (int i = 0; i < 2; i++) {
        kiln_compile_options_initialize(&options[i]);
        options[i].defines = &defines[i];
        options[i].define_count = 1;
        units[i] = (kiln_program_unit_t){{KILN_STAGE_TILE, "label.tile.c", text, sizeof text - 1},
                                         &options[i]};
    }
    void *bundle;
    size_t size;
    expect_ok(kiln_program_compile(units, 2, NULL, &bundle, &size));
    free(bundle);
}

// As in the code object of a kernel alone: without line information nobody looks for findings.
static void findings_are_listed_if_there_are_lines(void **state)
{
    (void)state;
    for (int no_lines = 0; no_lines < 2; no_lines++) {
        kiln_compile_options_t options;
        kiln_compile_options_initialize(&options);
        options.no_line_info = no_lines;
        const kiln_program_unit_t unit = {add, &options};
        void *bundle;
        size_t size, count;
        kiln_compiled_t *kernels;
        json_t *findings;
        expect_ok(kiln_program_compile(&unit, 1, NULL, &bundle, &size));
        expect_ok(kiln_bundle_kernels(bundle, size, &kernels, &count));
        expect_ok(kiln_findings_section_read(kernels[0].code_object, kernels[0].code_object_size,
                                             &findings));
        assert_int_equal(findings == NULL, no_lines);
        json_decref(findings);
        free(kernels);
        free(bundle);
    }
}

static int write_many(const char *path)
{
    void *bundle;
    size_t size, count;
    kiln_compiled_t *kernels;
    make_many(&bundle, &size);
    kiln_status_t status = kiln_bundle_kernels(bundle, size, &kernels, &count);
    if (!status)
        status = kiln_file_write(path, kernels[0].code_object, kernels[0].code_object_size, 0644,
                                 KILN_FILE_NO_SYNC);
    free(kernels);
    free(bundle);
    return status != NULL;
}

// Failures ----------------------------------------------------------------------------------------

static void count_diagnostic(const kiln_diagnostic_t *diagnostic, void *user)
{
    (void)diagnostic;
    ++*(int *)user;
}

static void the_first_failure_is_returned(void **state)
{
    (void)state;
    static const char wrong[] = "kernel void bad(i32 *x)\n{\n    store(y, 1);\n}\n";
    const kiln_source_t bad = {KILN_STAGE_TILE, "bad.tile.c", wrong, sizeof wrong - 1},
                        worse = {KILN_STAGE_TT, "worse.ttir", "ML\xefRubbish", 9};
    const kiln_program_unit_t units[] = {{add, NULL}, {bad, NULL}, {worse, NULL}},
                              twice[] = {{add, NULL}, {add, NULL}};
    int diagnostic_count = 0;
    void *bundle;
    size_t size;
    kiln_program_compile_options_t options, none = {0};
    kiln_program_compile_options_initialize(&options);
    options.diagnostic = count_diagnostic;
    options.diagnostic_user = &diagnostic_count;
    expect_failure(kiln_program_compile(units, 3, &options, &bundle, &size),
                   KILN_STATUS_INVALID_INPUT, "while compiling units[1], bad.tile.c");
    assert_null(bundle);
    assert_in_range(diagnostic_count, 2, 9); // from both units
    expect_failure(kiln_program_compile(units + 2, 1, NULL, &bundle, &size),
                   KILN_STATUS_INVALID_INPUT, "units[0], worse.ttir");
    expect_failure(kiln_program_compile(twice, 2, NULL, &bundle, &size), KILN_STATUS_INVALID_INPUT,
                   "never");
    expect_failure(kiln_program_compile(units, 1, &none, &bundle, &size), KILN_STATUS_USAGE,
                   "options->struct_size is 0");
    expect_failure(kiln_program_compile(units, 0, NULL, &bundle, &size), KILN_STATUS_USAGE,
                   "unit_count is 0");
    kiln_compile_options_t asm_only;
    kiln_compile_options_initialize(&asm_only);
    asm_only.last_stage = KILN_STAGE_ASM;
    const kiln_program_unit_t text_only = {add, &asm_only};
    expect_failure(kiln_program_compile(&text_only, 1, NULL, &bundle, &size), KILN_STATUS_USAGE,
                   "the last_stage of units[0] must be hsaco");
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return write_many(argv[1]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(units_of_all_forms_make_one_program),
                                       cmocka_unit_test(many_kernels_share_one_code_object),
                                       cmocka_unit_test(labels_of_inline_assembly_stay_apart),
                                       cmocka_unit_test(findings_are_listed_if_there_are_lines),
                                       cmocka_unit_test(the_first_failure_is_returned)};
    return cmocka_run_group_tests_name("compile_program", tests, NULL, NULL);
}
