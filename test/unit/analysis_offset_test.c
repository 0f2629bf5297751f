// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparison of pointers' expressions: they are equal only if their types are equal, too.
#include "analysis_module.h"

#include <stdio.h>

#include "analysis/memory/global_offset.h"

static MlirValue value_of(const test_module_t *test, int tag)
{
    return kiln_op_result(tagged(test, tag), 0);
}

static void expressions_of_other_types_differ(void **state)
{
    (void)state;
    test_module_t test =
        parse_module("module {\n"
                     "tt.func @f(%p: !tt.ptr<i32>, %x: i32) {\n"
                     "  %b = arith.trunci %x {tag = 1 : i32} : i32 to i8\n"
                     "  %h = arith.trunci %x {tag = 2 : i32} : i32 to i16\n"
                     "  %h2 = arith.trunci %x {tag = 3 : i32} : i32 to i16\n"
                     "  %sb = arith.extsi %b {tag = 4 : i32} : i8 to i32\n"
                     "  %sh = arith.extsi %h {tag = 5 : i32} : i16 to i32\n"
                     "  %sh2 = arith.extsi %h2 {tag = 6 : i32} : i16 to i32\n"
                     "  %uh = arith.extui %h {tag = 7 : i32} : i16 to i32\n"
                     "  %c8 = arith.constant {tag = 8 : i32} -1 : i8\n"
                     "  %c16 = arith.constant {tag = 9 : i32} -1 : i16\n"
                     "  %u8 = arith.extui %c8 {tag = 10 : i32} : i8 to i32\n"
                     "  %u16 = arith.extui %c16 {tag = 11 : i32} : i16 to i32\n"
                     "  %pb = tt.bitcast %p : !tt.ptr<i32> -> !tt.ptr<i8>\n"
                     "  %q = tt.addptr %p, %x {tag = 12 : i32} : !tt.ptr<i32>, i32\n"
                     "  %qb = tt.addptr %pb, %x {tag = 13 : i32} : !tt.ptr<i8>, i32\n"
                     "  %q2 = tt.addptr %p, %x {tag = 14 : i32} : !tt.ptr<i32>, i32\n"
                     "  %mb = arith.extui %b {tag = 15 : i32} : i8 to i32\n"
                     "  tt.return\n}}\n");
    const struct {
        int a, b;
        bool equal;
    } pairs[] = {{1, 2, false}, {2, 3, true},    {4, 5, false},   {5, 6, true},   {5, 7, false},
                 {8, 9, false}, {10, 11, false}, {12, 13, false}, {12, 14, true}, {15, 7, false}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_int_equal(
            kiln_offset_equal(value_of(&test, pairs[i].a), value_of(&test, pairs[i].b)),
            pairs[i].equal);
    free_module(&test);
}

// Whether the store of an iteration never overlaps a load of a later one, for loops with all kinds
// of counters.
static void counters_that_wrap_come_back(void **state)
{
    (void)state;
    const struct {
        const char *type, *from, *to, *step, *offset;
        bool is_unsigned, differ;
    } loops[] = {
        {"i32", "0", "4096", "64", "arith.addi %i, %z : i32", false, true},
        {"i32", "0", "4096", "64", "arith.addi %i, %z : i32", true, true},
        {"i32", "0", "4096", "32", "arith.addi %i, %z : i32", false, false},
        {"i32", "0", "1073741824", "64", "arith.addi %i, %i : i32", false, true},
        {"i32", "0", "2147483647", "64", "arith.muli %i, %four : i32", false, false},
        // A signed comparison would find the loop empty; it has four iterations, and 4 · 2^30 is 0.
        {"i32", "0", "-16", "1073741824", "arith.muli %i, %four : i32", true, false},
        {"i32", "0", "-16", "64", "arith.addi %i, %z : i32", true, false},
        {"i32", "0", "-4096", "64", "arith.addi %i, %z : i32", true, true},
    };
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "module {\n"
                 "tt.func public @f(%%p: !tt.ptr<i32>) {\n"
                 "  %%from = arith.constant %s : %s\n  %%to = arith.constant %s : %s\n"
                 "  %%step = arith.constant %s : %s\n  %%z = arith.constant 0 : i32\n"
                 "  %%four = arith.constant 4 : i32\n"
                 "  %%r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>\n"
                 "  %%ps = tt.splat %%p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>\n"
                 "  %%pr = tt.addptr %%ps, %%r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>\n"
                 "  scf.for %%i = %%from to %%to step %%step : %s {\n"
                 "    %%o = %s\n    %%os = tt.splat %%o : i32 -> tensor<64xi32>\n"
                 "    %%q = tt.addptr %%pr, %%os {tag = 1 : i32} : tensor<64x!tt.ptr<i32>>, "
                 "tensor<64xi32>\n"
                 "    scf.yield\n  } {tag = 2 : i32%s}\n"
                 "  tt.return\n}}\n",
                 loops[i].from, loops[i].type, loops[i].to, loops[i].type, loops[i].step,
                 loops[i].type, loops[i].type, loops[i].offset,
                 loops[i].is_unsigned ? ", unsignedCmp" : "");
        test_module_t test = parse_module(text);
        MlirValue pointer = value_of(&test, 1);
        if (kiln_offsets_differ_across_iterations(pointer, pointer, tagged(&test, 2)) !=
            loops[i].differ)
            fail_msg("loop %zu: expected %d", i, loops[i].differ);
        free_module(&test);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_of_other_types_differ),
        cmocka_unit_test(counters_that_wrap_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
