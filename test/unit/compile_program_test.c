// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of many units: Tile C, tt text, bytecode and built IR in one bundle, loaded and launched on the simulator.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include <mlir-c/IR.h>

#include "base/string.h"
#include "expect_status.h"
#include "kiln/builder.h"
#include "kiln/compile_program.h"
#include "kiln/load.h"
#include "session.h"

enum { COUNT = 64 };

// Kernels that add a number to each element.
static const char add_text[] = "kernel void add(i32 *x, i32 n, constexpr i32 ADDEND = 1)\n"
                               "{\n"
                               "    i32 i[64] = range(64);\n"
                               "    store(x + i, load(x + i, i < n, 0) + ADDEND, i < n);\n"
                               "}\n";
static const kiln_source_t add = {KILN_STAGE_TILE, "add.tile.c", add_text, sizeof add_text - 1};

// tt of a kernel `name` that adds `addend`.
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

static void append(MlirStringRef piece, void *user)
{
    kiln_string_append_bytes(user, piece.data, piece.length);
}

static kiln_string_t bytecode_of(const char *tt)
{
    kiln_string_t bytes = {0};
    kiln_session_t *session;
    expect_ok(kiln_session_create(&session));
    MlirModule module = mlirModuleCreateParse(session->mlir, mlirStringRefCreateFromCString(tt));
    assert_false(mlirModuleIsNull(module));
    mlirOperationWriteBytecode(mlirModuleGetOperation(module), append, &bytes);
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
    const kiln_kernel_parameter_t parameters[] = {{"x", {.element = KILN_VALUE_I32, .is_pointer = true}, 16, false},
                                                  {"n", i32, 0, false}};
    const int64_t shape[] = {64};
    const kiln_value_t none = {NULL};
    kiln_value_t arguments[2];
    kiln_build_kernel_begin(b, name, parameters, 2, arguments);
    kiln_value_t i = kiln_build_range(b, 0, 64);
    kiln_value_t mask = kiln_build_compare(b, KILN_COMPARE_SLT, i, kiln_build_splat(b, arguments[1], 1, shape));
    kiln_value_t place = kiln_build_addptr(b, kiln_build_splat(b, arguments[0], 1, shape), i);
    kiln_value_t loaded = kiln_build_load(b, place, mask, none);
    kiln_build_store(b, place, kiln_build_binary(b, KILN_BINARY_ADDI, loaded, kiln_build_int(b, tile, addend)), mask);
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

// Launches a kernel of the program on zeros; gives what the first `n` elements, all equal, have become.
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
    const kiln_arg_hint_t hints[] = {{.name = "n", .divisibility = 16}, {.name = "x", .divisibility = 16}};
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

static void count_diagnostic(const kiln_diagnostic_t *diagnostic, void *user)
{
    (void)diagnostic;
    ++*(int *)user;
}

static void the_first_failure_is_told(void **state)
{
    (void)state;
    static const char wrong[] = "kernel void bad(i32 *x)\n{\n    store(y, 1);\n}\n";
    const kiln_source_t bad = {KILN_STAGE_TILE, "bad.tile.c", wrong, sizeof wrong - 1},
                        worse = {KILN_STAGE_TT, "worse.ttir", "ML\xefRubbish", 9};
    const kiln_program_unit_t units[] = {{add, NULL}, {bad, NULL}, {worse, NULL}}, twice[] = {{add, NULL}, {add, NULL}};
    int told = 0;
    void *bundle;
    size_t size;
    kiln_program_compile_options_t options, none = {0};
    kiln_program_compile_options_initialize(&options);
    options.diagnostic = count_diagnostic;
    options.diagnostic_user = &told;
    expect_failure(kiln_program_compile(units, 3, &options, &bundle, &size), KILN_STATUS_INVALID_INPUT,
                   "while compiling units[1], bad.tile.c");
    assert_null(bundle);
    assert_in_range(told, 2, 9); // of both
    expect_failure(kiln_program_compile(units + 2, 1, NULL, &bundle, &size), KILN_STATUS_INVALID_INPUT,
                   "units[0], worse.ttir");
    expect_failure(kiln_program_compile(twice, 2, NULL, &bundle, &size), KILN_STATUS_INVALID_INPUT, "never");
    expect_failure(kiln_program_compile(units, 1, &none, &bundle, &size), KILN_STATUS_USAGE,
                   "options->struct_size is 0");
    expect_failure(kiln_program_compile(units, 0, NULL, &bundle, &size), KILN_STATUS_USAGE, "unit_count is 0");
    kiln_compile_options_t asm_only;
    kiln_compile_options_initialize(&asm_only);
    asm_only.last_stage = KILN_STAGE_ASM;
    const kiln_program_unit_t text_only = {add, &asm_only};
    expect_failure(kiln_program_compile(&text_only, 1, NULL, &bundle, &size), KILN_STATUS_USAGE,
                   "the last_stage of units[0] is no code object");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(units_of_all_forms_make_one_program),
                                       cmocka_unit_test(the_first_failure_is_told)};
    return cmocka_run_group_tests_name("compile_program", tests, NULL, NULL);
}
