// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The public builder: a whole kernel, each kind of control flow, and the rule that the first
// failure is the one reported.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kiln/builder.h"

static const kiln_value_type_t I32 = {.element = KILN_VALUE_I32}, F32 = {.element = KILN_VALUE_F32},
                               F32_POINTER = {.element = KILN_VALUE_F32, .is_pointer = true};

static kiln_builder_t *make(void **state)
{
    kiln_builder_t *builder;
    assert_null(kiln_builder_create(&builder));
    *state = builder;
    return builder;
}

static int release(void **state)
{
    kiln_builder_release(*state);
    return 0;
}

static void begin(kiln_builder_t *builder, kiln_value_t *arguments)
{
    const kiln_kernel_parameter_t parameters[] = {{"p", F32_POINTER, 16, true},
                                                  {"n", I32, 0, false}};
    kiln_build_kernel_begin(builder, "k", parameters, 2, arguments);
}

static const char *finish(kiln_builder_t *builder)
{
    kiln_source_t source;
    kiln_build_kernel_end(builder);
    kiln_status_t status = kiln_builder_finish(builder, &source);
    if (status)
        print_error("%s\n", kiln_status_message(status));
    assert_null(status);
    assert_int_equal(source.stage, KILN_STAGE_TT);
    assert_int_equal(strlen(source.text), source.length);
    return source.text;
}

static void expect_failure(kiln_builder_t *builder, const char *message)
{
    kiln_source_t source;
    kiln_status_t status = kiln_builder_finish(builder, &source);
    assert_non_null(status);
    assert_null(source.text);
    if (!strstr(kiln_status_message(status), message))
        print_error("expected: %s\ngot: %s\n", message, kiln_status_message(status));
    assert_non_null(strstr(kiln_status_message(status), message));
    kiln_status_free(status);
}

static void builds_a_masked_copy(void **state)
{
    kiln_builder_t *b = make(state);
    kiln_value_t argument[2], null = {NULL};
    const int64_t shape[] = {64};
    kiln_builder_set_location(b, "graph.c", 12, 3);
    begin(b, argument);
    kiln_value_t start = kiln_build_binary(b, KILN_BINARY_MULI, kiln_build_program_id(b, 0),
                                           kiln_build_int(b, I32, 64));
    kiln_value_t index = kiln_build_binary(
        b, KILN_BINARY_ADDI, kiln_build_splat(b, start, 1, shape), kiln_build_range(b, 0, 64));
    kiln_value_t mask = kiln_build_compare(b, KILN_COMPARE_SLT, index,
                                           kiln_build_broadcast(b, argument[1], 1, shape));
    kiln_value_t pointer =
        kiln_build_addptr(b, kiln_build_broadcast(b, argument[0], 1, shape), index);
    kiln_value_t x = kiln_build_load(b, pointer, mask, null);
    kiln_value_type_t type = kiln_value_type(b, x);
    assert_int_equal(type.element, KILN_VALUE_F32);
    assert_int_equal(type.rank, 1);
    assert_int_equal(type.shape[0], 64);
    kiln_build_store(b, pointer, kiln_build_unary(b, KILN_UNARY_NEGF, x), mask);
    const char *text = finish(b);
    assert_non_null(strstr(text, "{tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}"));
    assert_non_null(strstr(text, "tt.get_program_id x : i32"));
    assert_non_null(strstr(text, "tt.store"));
    assert_non_null(strstr(text, "loc(\"graph.c\":12:3)"));
}

static void builds_loops_and_branches(void **state)
{
    kiln_builder_t *b = make(state);
    kiln_value_t argument[2], i, sum, next, result, none = {NULL};
    begin(b, argument);
    kiln_value_t zero = kiln_build_int(b, I32, 0), one = kiln_build_int(b, I32, 1),
                 initial = kiln_build_float(b, F32, 0);
    kiln_build_for_begin(b, zero, argument[1], one, &initial, 1, &i, &sum);
    kiln_build_for_attribute(b, "tt.num_stages", 3);
    kiln_value_t x = kiln_build_load(b, kiln_build_addptr(b, argument[0], i), none, none);
    kiln_build_if_begin(b, kiln_build_compare(b, KILN_COMPARE_OGT, x, initial));
    next = kiln_build_binary(b, KILN_BINARY_ADDF, sum, x);
    kiln_build_if_else(b, &next, 1);
    kiln_build_if_end(b, &sum, 1, &next);
    kiln_build_for_end(b, &next, &result);

    kiln_build_while_begin(b, &argument[1], 1, &i);
    kiln_build_while_condition(b, kiln_build_compare(b, KILN_COMPARE_SGT, i, zero), &i, 1, &next);
    next = kiln_build_binary(b, KILN_BINARY_DIVSI, next, kiln_build_int(b, I32, 2));
    kiln_build_while_end(b, &next, &i);
    kiln_build_if_begin(b, kiln_build_compare(b, KILN_COMPARE_EQ, i, zero));
    kiln_build_store(b, argument[0], result, none);
    kiln_build_if_end(b, NULL, 0, NULL);
    const char *text = finish(b);
    assert_non_null(strstr(text, "scf.for"));
    assert_non_null(strstr(text, "{tt.num_stages = 3 : i32}"));
    assert_non_null(strstr(text, "scf.while"));
    assert_non_null(strstr(text, "scf.yield"));
}

static void builds_matrices_and_reductions(void **state)
{
    kiln_builder_t *b = make(state);
    kiln_value_t argument[2], none = {NULL};
    const kiln_value_type_t a_type = {.element = KILN_VALUE_F16, .rank = 2, .shape = {32, 16}};
    const kiln_value_type_t c_type = {.element = KILN_VALUE_F32, .rank = 2, .shape = {32, 32}};
    const int32_t order[] = {1, 0};
    begin(b, argument);
    kiln_value_t a = kiln_build_float(b, a_type, 1.5);
    kiln_value_t c =
        kiln_build_dot(b, a, kiln_build_trans(b, a, order), kiln_build_float(b, c_type, 0));
    kiln_value_t row = kiln_build_reduce(b, KILN_REDUCE_MAXNUMF, c, 1);
    assert_int_equal(kiln_value_type(b, row).rank, 1);
    kiln_value_t best = kiln_build_arg_reduce(b, KILN_COMPARE_OGT, row, 0);
    assert_int_equal(kiln_value_type(b, best).element, KILN_VALUE_I32);
    assert_int_equal(kiln_value_type(b, best).rank, 0);
    kiln_value_t sums = kiln_build_scan(b, KILN_REDUCE_ADDF, row, 0);
    kiln_value_t total = kiln_build_reduce(b, KILN_REDUCE_ADDF, sums, 0);
    kiln_build_atomic_rmw(b, KILN_ATOMIC_FADD, kiln_build_addptr(b, argument[0], best), total,
                          none);
    const char *text = finish(b);
    assert_non_null(strstr(text, "tt.dot"));
    assert_non_null(strstr(text, "tt.reduce.return"));
    assert_non_null(strstr(text, "tt.scan.return"));
    assert_non_null(strstr(text, "tt.atomic_rmw fadd, acq_rel, gpu"));
}

static void the_first_failure_is_reported(void **state)
{
    kiln_builder_t *b = make(state);
    kiln_value_t argument[2], none = {NULL};
    const int64_t shape[] = {48};
    kiln_builder_set_location(b, "graph.c", 7, 1);
    begin(b, argument);
    kiln_value_t bad = kiln_build_splat(b, argument[1], 1, shape); // not a power of two
    assert_null(bad.handle);
    kiln_build_store(b, bad, bad, none); // a consequence, which must not be reported instead
    kiln_build_kernel_end(b);
    expect_failure(b, "a tile's sizes must be powers of two");
}

static void a_second_kernel_of_one_name_is_a_failure(void **state)
{
    kiln_builder_t *b = make(state);
    kiln_value_t argument[2];
    for (int i = 0; i < 2; i++) {
        begin(b, argument);
        kiln_build_kernel_end(b);
    }
    expect_failure(b, "kiln_build_kernel_begin: duplicate kernel 'k'");
}

static void wrong_calls_are_failures(void **state)
{
    kiln_value_t argument[2], none = {NULL}, out, carried;
    const int64_t shape[] = {64};
    static const char *const messages[] = {
        "operand 1 of arith.addi is the null value",
        "the operands of arith.addi have different types",
        "1 unterminated loops or branches",
        "the end of a while loop is not allowed here",
        "load needs a pointer",
        "unterminated kernel",
        "tt.reduce has no axis 1",
        "broadcast to an incompatible shape",
        "value 0 of a for loop must have the same type as before",
        "a float constant must have a float type",
        "a program id outside of a kernel",
    };
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        kiln_builder_t *b = make(state);
        bool outside = i + 1 == sizeof messages / sizeof *messages;
        if (outside)
            kiln_build_program_id(b, 0);
        else
            begin(b, argument);
        kiln_value_t n = argument[1], tile = outside ? none : kiln_build_broadcast(b, n, 1, shape);
        switch (i) {
        case 0:
            kiln_build_binary(b, KILN_BINARY_ADDI, n, none);
            break;
        case 1:
            kiln_build_binary(b, KILN_BINARY_ADDI, n, kiln_build_float(b, F32, 1));
            break;
        case 2:
            kiln_build_for_begin(b, n, n, n, NULL, 0, &out, NULL);
            break;
        case 3:
            kiln_build_while_end(b, NULL, NULL);
            break;
        case 4:
            kiln_build_load(b, n, none, none);
            break;
        case 6:
            kiln_build_reduce(b, KILN_REDUCE_ADDI, tile, 1);
            break;
        case 7:
            kiln_build_broadcast(b, tile, 0, shape);
            break;
        case 8:
            kiln_build_for_begin(b, n, n, n, &n, 1, &out, &carried);
            kiln_build_for_end(b, &tile, &out);
            break;
        case 9:
            kiln_build_float(b, I32, 1);
            break;
        default:
            break;
        }
        expect_failure(b, messages[i]);
        kiln_builder_release(b);
    }
    *state = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(builds_a_masked_copy, release),
        cmocka_unit_test_teardown(builds_loops_and_branches, release),
        cmocka_unit_test_teardown(builds_matrices_and_reductions, release),
        cmocka_unit_test_teardown(the_first_failure_is_reported, release),
        cmocka_unit_test_teardown(a_second_kernel_of_one_name_is_a_failure, release),
        cmocka_unit_test_teardown(wrong_calls_are_failures, release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
