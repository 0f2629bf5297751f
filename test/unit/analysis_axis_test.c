// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Axis information on small programs. The last test compares claims with values: a random tensor
// program is evaluated, and every claim must hold.
//
// A claim that is too weak only costs speed; one that is too strong is a bug. Therefore strong
// claims are asserted where speed needs them, and all claims are checked against values.
#include <stdio.h>

#include "analysis_module.h"

#include <mlir-c/BuiltinTypes.h>

#include "analysis/axis/axis_info.h"

static kiln_axis_info_t info_at(const test_module_t *test, const kiln_axis_analysis_t *analysis,
                                int tag)
{
    return kiln_axis_info(analysis, kiln_op_result(tagged(test, tag), 0));
}

static void assert_info(const test_module_t *test, const kiln_axis_analysis_t *analysis, int tag,
                        int dim, int64_t contiguity, int64_t divisibility, int64_t constancy)
{
    kiln_axis_info_t info = info_at(test, analysis, tag);
    assert_int_equal(info.contiguity[dim], contiguity);
    assert_int_equal(info.divisibility[dim], divisibility);
    assert_int_equal(info.constancy[dim], constancy);
}

#define ENCODING                                                                                   \
    "#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = "   \
    "[0]}>\n"

static void assert_access(kiln_axis_access_t access, int elements, int repeat, int alignment)
{
    assert_int_equal(access.elements, elements);
    assert_int_equal(access.repeat, repeat);
    assert_int_equal(access.alignment, alignment);
}

static void vector_addition_is_vectorised(void **state)
{
    (void)state;
    test_module_t test = parse_module(
        ENCODING "module attributes {\"ttg.num-warps\" = 4 : i32} {\n"
                 "tt.func @f(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 "
                 "{tt.divisibility = 16 : i32}, %m: i32) {\n"
                 "  %c = arith.constant 1024 : i32\n"
                 "  %pid = tt.get_program_id x : i32\n"
                 "  %start = arith.muli %pid, %c {tag = 1 : i32} : i32\n"
                 "  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #b>\n"
                 "  %s = tt.splat %start : i32 -> tensor<1024xi32, #b>\n"
                 "  %o = arith.addi %s, %r {tag = 2 : i32} : tensor<1024xi32, #b>\n"
                 "  %sn = tt.splat %n : i32 -> tensor<1024xi32, #b>\n"
                 "  %sm = tt.splat %m : i32 -> tensor<1024xi32, #b>\n"
                 "  %mask = arith.cmpi slt, %o, %sn {tag = 3 : i32} : tensor<1024xi32, #b>\n"
                 "  %le = arith.cmpi sle, %o, %sn {tag = 4 : i32} : tensor<1024xi32, #b>\n"
                 "  %odd = arith.cmpi slt, %o, %sm {tag = 5 : i32} : tensor<1024xi32, #b>\n"
                 "  %sp = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>\n"
                 "  %a = tt.addptr %sp, %o {tag = 6 : i32} : tensor<1024x!tt.ptr<f32>, #b>, "
                 "tensor<1024xi32, #b>\n"
                 "  %x = tt.load %a, %mask {tag = 7 : i32} : tensor<1024x!tt.ptr<f32>, #b>\n"
                 "  tt.return\n}}\n");
    kiln_axis_analysis_t *analysis;
    assert_null(kiln_axis_analysis_create(mlirModuleGetOperation(test.module), &analysis));
    assert_info(&test, analysis, 1, 0, 1, 1024, 1);
    assert_info(&test, analysis, 2, 0, 1024, 1024, 1);
    assert_int_equal(info_at(&test, analysis, 3).constancy[0], 16);
    assert_int_equal(info_at(&test, analysis, 4).constancy[0], 1);
    assert_int_equal(info_at(&test, analysis, 5).constancy[0], 1);
    MlirValue pointers = kiln_op_result(tagged(&test, 6), 0);
    MlirValue mask = kiln_op_result(tagged(&test, 3), 0), odd = kiln_op_result(tagged(&test, 5), 0);
    const MlirValue none = {NULL};
    assert_int_equal(kiln_axis_pointer_alignment(analysis, pointers, 0), 16);
    assert_access(kiln_axis_access_along(analysis, pointers, none, KILN_AXIS_DISTINCT, 0), 4, 1,
                  16);
    assert_access(kiln_axis_access(analysis, pointers, mask, KILN_AXIS_SHARED, 4), 4, 1, 16);
    assert_access(kiln_axis_access(analysis, pointers, none, KILN_AXIS_SHARED, 4), 4, 1, 16);
    assert_access(kiln_axis_access(analysis, pointers, odd, KILN_AXIS_SHARED, 4), 1, 1, 4);
    kiln_axis_analysis_destroy(analysis);
    free_module(&test);
}

// One access of 16 bytes covers 32 pointers to bytes at i / 2. A mask, or elements that cannot
// share registers, make accesses smaller.
static void equal_neighbours_share_an_access(void **state)
{
    (void)state;
    test_module_t test = parse_module(
        "#b = #ttg.blocked<{sizePerThread = [32], threadsPerWarp = [64], warpsPerCTA = [1], order "
        "= [0]}>\n"
        "module attributes {\"ttg.num-ctas\" = 1 : i32, \"ttg.num-warps\" = 1 : i32, ttg.target = "
        "\"hip:gfx942\", \"ttg.threads-per-warp\" = 64 : i32} {\n"
        "tt.func @f(%p: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : "
        "i32}, %any: i32) {\n"
        "  %r = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32, #b>\n"
        "  %two = arith.constant dense<2> : tensor<2048xi32, #b>\n"
        "  %h = arith.divsi %r, %two {tag = 1 : i32} : tensor<2048xi32, #b>\n"
        "  %s = tt.splat %p : !tt.ptr<i8> -> tensor<2048x!tt.ptr<i8>, #b>\n"
        "  %a = tt.addptr %s, %h {tag = 2 : i32} : tensor<2048x!tt.ptr<i8>, #b>, "
        "tensor<2048xi32, #b>\n"
        "  %sn = tt.splat %n : i32 -> tensor<2048xi32, #b>\n"
        "  %mask = arith.cmpi slt, %r, %sn {tag = 3 : i32} : tensor<2048xi32, #b>\n"
        "  %sa = tt.splat %any : i32 -> tensor<2048xi32, #b>\n"
        "  %b = tt.addptr %a, %sa {tag = 4 : i32} : tensor<2048x!tt.ptr<i8>, #b>, "
        "tensor<2048xi32, #b>\n"
        "  %odd = arith.cmpi slt, %r, %sa {tag = 5 : i32} : tensor<2048xi32, #b>\n"
        "  %w = arith.addi %h, %sa {tag = 6 : i32} : tensor<2048xi32, #b>\n"
        "  %c = tt.addptr %s, %w {tag = 7 : i32} : tensor<2048x!tt.ptr<i8>, #b>, "
        "tensor<2048xi32, #b>\n"
        "  tt.return\n}}\n");
    kiln_axis_analysis_t *analysis;
    assert_null(kiln_axis_analysis_create(mlirModuleGetOperation(test.module), &analysis));
    const kiln_axis_steps_t steps = info_at(&test, analysis, 1).steps[0];
    assert_int_equal(steps.width, 2);
    assert_int_equal(steps.count, 1024);
    assert_int_equal(steps.multiple, 1024);
    MlirValue value[8], none = {NULL};
    for (int tag = 2; tag < 8; tag++)
        value[tag] = kiln_op_result(tagged(&test, tag), 0);
    assert_access(kiln_axis_access(analysis, value[2], none, KILN_AXIS_SHARED, 1), 16, 2, 16);
    assert_access(kiln_axis_access(analysis, value[2], none, KILN_AXIS_DISTINCT, 1), 1, 1, 1);
    assert_access(kiln_axis_access(analysis, value[2], value[3], KILN_AXIS_SHARED, 1), 8, 2, 8);
    assert_access(kiln_axis_access(analysis, value[2], value[5], KILN_AXIS_SHARED, 1), 1, 1, 1);
    assert_access(kiln_axis_access(analysis, value[4], none, KILN_AXIS_SHARED, 1), 16, 2, 1);
    // The 32-bit sum may wrap before it is extended.
    assert_access(kiln_axis_access(analysis, value[7], none, KILN_AXIS_SHARED, 1), 1, 1, 1);
    kiln_axis_analysis_destroy(analysis);
    free_module(&test);
}

// An index that wraps within a group of elements would span more than 2 GiB, so the index of an
// access to a smaller buffer does not wrap. An address as an integer, a 16-bit index, and an index
// into a buffer of any size may wrap.
static void accessed_groups_do_not_wrap(void **state)
{
    (void)state;
    test_module_t test = parse_module(
        "module {\n"
        "tt.func @f(%near: !tt.ptr<i8> {tt.pointer_range = 32 : i32}, %far: !tt.ptr<i8>, %any: "
        "i32) {\n"
        "  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>\n"
        "  %s = tt.splat %any : i32 -> tensor<64xi32>\n"
        "  %o = arith.addi %r, %s : tensor<64xi32>\n"
        "  %o16 = arith.trunci %o : tensor<64xi32> to tensor<64xi16>\n"
        "  %n = tt.splat %near : !tt.ptr<i8> -> tensor<64x!tt.ptr<i8>>\n"
        "  %f = tt.splat %far : !tt.ptr<i8> -> tensor<64x!tt.ptr<i8>>\n"
        "  %a = tt.addptr %n, %o {tag = 1 : i32} : tensor<64x!tt.ptr<i8>>, tensor<64xi32>\n"
        "  %b = tt.addptr %f, %o {tag = 2 : i32} : tensor<64x!tt.ptr<i8>>, tensor<64xi32>\n"
        "  %c = tt.addptr %n, %o16 {tag = 3 : i32} : tensor<64x!tt.ptr<i8>>, tensor<64xi16>\n"
        "  %d = tt.ptr_to_int %a {tag = 4 : i32} : tensor<64x!tt.ptr<i8>> -> tensor<64xi64>\n"
        "  tt.return\n}}\n");
    kiln_axis_analysis_t *analysis;
    assert_null(kiln_axis_analysis_create(mlirModuleGetOperation(test.module), &analysis));
    static const int64_t contiguity[] = {64, 1, 1, 1};
    for (int tag = 1; tag <= 4; tag++)
        assert_int_equal(info_at(&test, analysis, tag).contiguity[0], contiguity[tag - 1]);
    kiln_axis_analysis_destroy(analysis);
    free_module(&test);
}

// Pointers that walk through a matrix keep their contiguity around the loop; the row index modulo M
// keeps the divisibility that M has.
static void loops_keep_what_every_iteration_keeps(void **state)
{
    (void)state;
    test_module_t test = parse_module(
        "module {\n"
        "tt.func @f(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = "
        "16 : i32}, %N: i32 "
        "{tt.divisibility = 16 : i32}, %any: i32, %count: i32) {\n"
        "  %c0 = arith.constant 0 : i32\n  %c1 = arith.constant 1 : i32\n  %c32 = arith.constant "
        "32 : i32\n"
        "  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>\n"
        "  %sN = tt.splat %N : i32 -> tensor<128xi32>\n"
        "  %rn = arith.remsi %r, %sN {tag = 1 : i32} : tensor<128xi32>\n"
        "  %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>\n"
        "  %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>\n"
        "  %ss = tt.splat %stride : i32 -> tensor<32x1xi32>\n"
        "  %km = arith.muli %k1, %ss : tensor<32x1xi32>\n"
        "  %sp = tt.splat %p : !tt.ptr<f16> -> tensor<32x1x!tt.ptr<f16>>\n"
        "  %pr = tt.addptr %sp, %km : tensor<32x1x!tt.ptr<f16>>, tensor<32x1xi32>\n"
        "  %pb = tt.broadcast %pr : tensor<32x1x!tt.ptr<f16>> -> tensor<32x128x!tt.ptr<f16>>\n"
        "  %n0 = tt.expand_dims %rn {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>\n"
        "  %nb = tt.broadcast %n0 : tensor<1x128xi32> -> tensor<32x128xi32>\n"
        "  %ptr = tt.addptr %pb, %nb {tag = 2 : i32} : tensor<32x128x!tt.ptr<f16>>, "
        "tensor<32x128xi32>\n"
        "  %step = arith.muli %stride, %c32 : i32\n"
        "  %steps = tt.splat %step : i32 -> tensor<32x128xi32>\n"
        "  %bad = tt.splat %any : i32 -> tensor<32x128xi32>\n"
        "  %e:3 = scf.for %i = %c0 to %count step %c32 iter_args(%a = %ptr, %b = %ptr, %z = %c0) "
        "-> "
        "(tensor<32x128x!tt.ptr<f16>>, tensor<32x128x!tt.ptr<f16>>, i32) : i32 {\n"
        "    %a1 = tt.addptr %a, %steps {tag = 3 : i32} : tensor<32x128x!tt.ptr<f16>>, "
        "tensor<32x128xi32>\n"
        "    %b1 = tt.addptr %b, %bad {tag = 4 : i32} : tensor<32x128x!tt.ptr<f16>>, "
        "tensor<32x128xi32>\n"
        "    %z1 = arith.addi %z, %c32 {tag = 5 : i32} : i32\n"
        "    %ii = arith.addi %i, %c0 {tag = 6 : i32} : i32\n"
        "    scf.yield %a1, %b1, %z1 : tensor<32x128x!tt.ptr<f16>>, tensor<32x128x!tt.ptr<f16>>, "
        "i32\n"
        "  }\n  tt.return\n}}\n");
    kiln_axis_analysis_t *analysis;
    assert_null(kiln_axis_analysis_create(mlirModuleGetOperation(test.module), &analysis));
    assert_int_equal(info_at(&test, analysis, 1).contiguity[0], 16);
    assert_int_equal(info_at(&test, analysis, 2).contiguity[1], 16);
    assert_int_equal(info_at(&test, analysis, 2).divisibility[1], 16);
    assert_int_equal(info_at(&test, analysis, 3).contiguity[1], 16);
    assert_int_equal(info_at(&test, analysis, 3).divisibility[1], 16);
    const MlirValue none = {NULL}, aligned = kiln_op_result(tagged(&test, 3), 0),
                    anywhere = kiln_op_result(tagged(&test, 4), 0);
    assert_access(kiln_axis_access_along(analysis, aligned, none, KILN_AXIS_SHARED, 1), 8, 1, 16);
    assert_int_equal(info_at(&test, analysis, 4).divisibility[1],
                     2); // the multiple of the element size, not more
    assert_access(kiln_axis_access_along(analysis, anywhere, none, KILN_AXIS_SHARED, 1), 8, 1, 2);
    assert_int_equal(info_at(&test, analysis, 5).divisibility[0], 32);
    assert_int_equal(info_at(&test, analysis, 6).divisibility[0], 32);
    kiln_axis_analysis_destroy(analysis);
    free_module(&test);
}

static void branches_join(void **state)
{
    (void)state;
    test_module_t test = parse_module("module {\n"
                                      "tt.func @f(%c: i1, %a: i32 {tt.divisibility = 16 : i32}, "
                                      "%b: i32 {tt.divisibility = 4 : i32}) {\n"
                                      "  %r = scf.if %c -> (i32) {\n    scf.yield %a : i32\n  } "
                                      "else {\n    scf.yield %b : i32\n  } {tag "
                                      "= 1 : i32}\n"
                                      "  cf.cond_br %c, ^one(%a : i32), ^one(%b : i32)\n"
                                      "^one(%x: i32):\n"
                                      "  %y = arith.addi %x, %a {tag = 2 : i32} : i32\n"
                                      "  cf.cond_br %c, ^one(%y : i32), ^two(%y : i32)\n"
                                      "^two(%z: i32):\n"
                                      "  %w = arith.addi %z, %a {tag = 3 : i32} : i32\n"
                                      "  tt.return\n}}\n");
    kiln_axis_analysis_t *analysis;
    assert_null(kiln_axis_analysis_create(mlirModuleGetOperation(test.module), &analysis));
    for (int tag = 1; tag <= 3; tag++)
        assert_int_equal(info_at(&test, analysis, tag).divisibility[0], 4);
    kiln_axis_analysis_destroy(analysis);
    free_module(&test);
}

static void hints_are_applied(void **state)
{
    (void)state;
    test_module_t test =
        parse_module("module {\n"
                     "tt.func @f(%x: tensor<64xi32>) {\n"
                     "  %c = arith.constant 3 : i32\n  %s = tt.splat %c : i32 -> tensor<64xi32>\n"
                     "  %y = arith.addi %x, %s {tag = 1 : i32, tt.contiguity = dense<16> : "
                     "tensor<1xi32>, tt.divisibility = "
                     "dense<8> : tensor<1xi32>} : tensor<64xi32>\n"
                     "  tt.return\n}}\n");
    kiln_axis_analysis_t *analysis;
    assert_null(kiln_axis_analysis_create(mlirModuleGetOperation(test.module), &analysis));
    assert_info(&test, analysis, 1, 0, 16, 8, 1);
    kiln_axis_analysis_destroy(analysis);
    free_module(&test);
}

// INT64_MIN is its own negative; its divisibility was once reported as negative.
static void least_number_has_a_divisor(void **state)
{
    (void)state;
    test_module_t test = parse_module(
        "module {\n"
        "tt.func @f() {\n"
        "  %c = arith.constant {tag = 1 : i32} dense<0x8000000000000000> : tensor<64xi64>\n"
        "  tt.return\n}}\n");
    kiln_axis_analysis_t *analysis;
    assert_null(kiln_axis_analysis_create(mlirModuleGetOperation(test.module), &analysis));
    assert_info(&test, analysis, 1, 0, 1, (int64_t)1 << 40, 64);
    kiln_axis_analysis_destroy(analysis);
    free_module(&test);
}

// Claims against values ---------------------------------------------------------------------------

enum { SIZE = 64, STEPS = 14 };
static uint32_t random_state;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % limit;
}

static int64_t evaluate(const char *op, int64_t a, int64_t b)
{
    if (strcmp(op, "addi") == 0)
        return a + b;
    if (strcmp(op, "subi") == 0)
        return a - b;
    if (strcmp(op, "muli") == 0)
        return a * b;
    if (strcmp(op, "divsi") == 0)
        return a / b;
    if (strcmp(op, "remsi") == 0)
        return a % b;
    if (strcmp(op, "minsi") == 0)
        return a < b ? a : b;
    if (strcmp(op, "maxsi") == 0)
        return a > b ? a : b;
    if (strcmp(op, "andi") == 0)
        return a & b;
    if (strcmp(op, "ori") == 0)
        return a | b;
    if (strcmp(op, "xori") == 0)
        return a ^ b;
    if (strcmp(op, "shli") == 0)
        return a * ((int64_t)1 << b);
    assert_string_equal(op, "shrsi");
    return a >> b;
}

static void check_claims(const kiln_axis_info_t *info, const int64_t *value, bool is_truth)
{
    int64_t c = info->contiguity[0], d = info->divisibility[0], k = info->constancy[0];
    for (int i = 0; i < SIZE; i++) {
        if (c > 1 && i % c != 0)
            assert_int_equal(value[i], value[i - 1] + 1);
        if (!is_truth && i % c == 0)
            assert_int_equal(value[i] & (d - 1), 0);
        if (i % k != 0)
            assert_int_equal(value[i], value[i - 1]);
        const int32_t width = info->steps[0].width, group = width * info->steps[0].count;
        if (width > 1 && i % group != 0)
            assert_int_equal(value[i], value[i - 1] + (i % width == 0));
        if (width > 1 && i % group == 0)
            assert_int_equal(value[i] & (info->steps[0].multiple - 1), 0);
        if (info->is_constant && !is_truth)
            assert_int_equal(value[i], info->constant);
    }
}

static void claims_hold_for_values(void **state)
{
    (void)state;
    static const char *const ops[] = {"addi",  "subi", "muli", "divsi", "remsi", "minsi",
                                      "maxsi", "andi", "ori",  "xori",  "shli",  "shrsi"};
    int stepped = 0;
    for (uint32_t seed = 1; seed <= 300; seed++) {
        random_state = seed;
        char text[8192];
        int64_t value[STEPS + 8][SIZE];
        int at = snprintf(text, sizeof text, "module {\ntt.func @f() {\n");
        // 0–3: ranges; 4–7: constants, all without negative numbers or zeros, so that division is
        // defined.
        for (int v = 0; v < 8; v++) {
            int64_t start = v < 4 ? 8 * random_below(9) : 1u << random_below(6);
            if (v == 7)
                start = 1 + random_below(40);
            for (int i = 0; i < SIZE; i++)
                value[v][i] = v < 4 ? start + i : start;
            if (v < 4)
                at += snprintf(text + at, sizeof text - (size_t)at,
                               "%%v%d = tt.make_range {end = %d : i32, start = %d : i32, tag = %d "
                               ": i32} : tensor<64xi32>\n",
                               v, (int)start + SIZE, (int)start, v);
            else
                at +=
                    snprintf(text + at, sizeof text - (size_t)at,
                             "%%v%d = arith.constant {tag = %d : i32} dense<%d> : tensor<64xi32>\n",
                             v, v, (int)start);
        }
        for (int v = 8; v < STEPS + 8; v++) {
            const char *op = ops[random_below(sizeof ops / sizeof *ops)];
            int a = (int)random_below((uint32_t)v), b = (int)random_below((uint32_t)v);
            if (op[0] == 'd' || op[0] == 'r' || op[0] == 's')
                b = op[1] == 'u' ? b : 4 + (int)random_below(4);
            bool shift = op[0] == 's' && op[1] == 'h';
            if (shift)
                b = 4; // limits the shift, as the constant may be up to 32
            bool fits = true;
            for (int i = 0; i < SIZE; i++) {
                fits &= !shift || value[b][i] < 20;
                value[v][i] = fits ? evaluate(op, value[a][i], value[b][i]) : 0;
                fits &= llabs(value[v][i]) < 1 << 24; // no claim holds after an overflow
            }
            if (!fits) {
                op = "addi";
                a = b = 0;
                for (int i = 0; i < SIZE; i++)
                    value[v][i] = 2 * value[0][i];
            }
            at += snprintf(text + at, sizeof text - (size_t)at,
                           "%%v%d = arith.%s %%v%d, %%v%d {tag = %d : i32} : tensor<64xi32>\n", v,
                           op, a, b, v);
        }
        static const char *const predicates[] = {"eq", "ne", "slt", "sle", "sgt", "sge"};
        int left[6], right[6];
        for (int p = 0; p < 6; p++) {
            left[p] = (int)random_below(STEPS + 8);
            right[p] = (int)random_below(STEPS + 8);
            at +=
                snprintf(text + at, sizeof text - (size_t)at,
                         "%%p%d = arith.cmpi %s, %%v%d, %%v%d {tag = %d : i32} : tensor<64xi32>\n",
                         p, predicates[p], left[p], right[p], 100 + p);
        }
        snprintf(text + at, sizeof text - (size_t)at, "tt.return\n}}\n");
        test_module_t test = parse_module(text);
        kiln_axis_analysis_t *analysis;
        assert_null(kiln_axis_analysis_create(mlirModuleGetOperation(test.module), &analysis));
        for (int v = 0; v < STEPS + 8; v++) {
            kiln_axis_info_t info = info_at(&test, analysis, v);
            check_claims(&info, value[v], false);
            stepped += info.steps[0].width > 1;
        }
        for (int p = 0; p < 6; p++) {
            int64_t truth[SIZE];
            for (int i = 0; i < SIZE; i++) {
                int64_t a = value[left[p]][i], b = value[right[p]][i];
                truth[i] = p == 0   ? a == b
                           : p == 1 ? a != b
                           : p == 2 ? a < b
                           : p == 3 ? a <= b
                           : p == 4 ? a > b
                                    : a >= b;
            }
            kiln_axis_info_t info = info_at(&test, analysis, 100 + p);
            check_claims(&info, truth, true);
        }
        kiln_axis_analysis_destroy(analysis);
        free_module(&test);
    }
    assert_true(stepped > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vector_addition_is_vectorised),
        cmocka_unit_test(equal_neighbours_share_an_access),
        cmocka_unit_test(accessed_groups_do_not_wrap),
        cmocka_unit_test(loops_keep_what_every_iteration_keeps),
        cmocka_unit_test(branches_join),
        cmocka_unit_test(hints_are_applied),
        cmocka_unit_test(least_number_has_a_divisor),
        cmocka_unit_test(claims_hold_for_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
