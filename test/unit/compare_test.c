// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The comparison rule at its limits: each clause holds just below its bound and fails just above.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "kiln/compare.h"

static void expect_equal(kiln_element_type_t type, const void *x, const void *r, size_t count)
{
    double error;
    kiln_status_t status = kiln_compare(type, x, r, count, &error);
    if (status)
        print_error("%s\n", kiln_status_message(status));
    assert_null(status);
}

static void expect_different(kiln_element_type_t type, const void *x, const void *r, size_t count,
                             const char *part)
{
    double error;
    kiln_status_t status = kiln_compare(type, x, r, count, &error);
    assert_int_equal(kiln_status_code(status), KILN_STATUS_MISMATCH);
    if (!strstr(kiln_status_message(status), part))
        print_error("%s\n", kiln_status_message(status));
    assert_non_null(strstr(kiln_status_message(status), part));
    kiln_status_free(status);
}

static void integers_are_equal_or_not(void **state)
{
    (void)state;
    const int32_t r[] = {1, -2, 3}, x[] = {1, -2, 4};
    expect_equal(KILN_ELEMENT_I32, r, r, 3);
    expect_equal(KILN_ELEMENT_I32, x, r, 2);
    expect_different(KILN_ELEMENT_I32, x, r, 3,
                     "1 of 3 elements differ, first [2] = 4, expected 3");
    expect_equal(KILN_ELEMENT_I32, x, r, 0);
}

static void specials_sit_in_the_same_places(void **state)
{
    (void)state;
    const float r[] = {1, NAN, INFINITY}, quiet[] = {1, -NAN, INFINITY},
                sign[] = {1, NAN, -INFINITY}, number[] = {1, 0, INFINITY},
                spread[] = {INFINITY, NAN, INFINITY};
    expect_equal(KILN_ELEMENT_F32, quiet, r, 3);
    expect_different(KILN_ELEMENT_F32, sign, r, 3, "[2] = -inf, expected inf");
    expect_different(KILN_ELEMENT_F32, number, r, 3, "[1] = 0, expected nan");
    expect_different(KILN_ELEMENT_F32, spread, r, 3, "[0] = inf, expected 1");
}

// One element of n off by d: the norm clause requires d ≤ tol·‖r‖, the element clause d ≤
// 16·tol·max(|r|, rms).
static void both_clauses_bound_f32(void **state)
{
    (void)state;
    enum { N = 10000 };
    static float r[N], x[N];
    for (int i = 0; i < N; i++)
        r[i] = x[i] = 1; // norm 100, rms 1
    x[7] = 1.0f + 0.0159f;
    expect_equal(KILN_ELEMENT_F32, x, r, N);
    x[7] = 1.0f + 0.0161f;
    expect_different(KILN_ELEMENT_F32, x, r, N,
                     "1 of 10000 elements are out of tolerance, first [7]");
    for (int i = 0; i < N; i++)
        x[i] = 1.00099f;
    expect_equal(KILN_ELEMENT_F32, x, r, N);
    for (int i = 0; i < N; i++)
        x[i] = 1.00101f;
    expect_different(KILN_ELEMENT_F32, x, r, N, "relative norm error 0.00101 is above 0.001");
}

static void small_elements_are_judged_by_the_rms(void **state)
{
    (void)state;
    float r[100], x[100];
    for (int i = 0; i < 100; i++)
        r[i] = x[i] = 1;
    r[5] = 0;
    x[5] = 0.009f; // rms is nearly 1
    expect_equal(KILN_ELEMENT_F32, x, r, 100);
    x[5] = 0.0165f;
    expect_different(KILN_ELEMENT_F32, x, r, 100, "[5]");
}

// For f16 an error of the smallest subnormal is always allowed, even if all elements are zero;
// other types have no such floor.
static void f16_has_a_floor(void **state)
{
    (void)state;
    const uint16_t zeros[4] = {0}, one[4] = {1, 0, 0, 0}, two[4] = {2, 0, 0, 0},
                   all[4] = {1, 0x8001, 1, 1};
    expect_equal(KILN_ELEMENT_F16, one, zeros, 4);
    expect_equal(KILN_ELEMENT_F16, all, zeros, 4);
    expect_different(KILN_ELEMENT_F16, two, zeros, 4, "[0]");
    expect_different(KILN_ELEMENT_BF16, one, zeros, 4, "[0]");
    const float tiny[1] = {1e-45f}, zero[1] = {0};
    expect_different(KILN_ELEMENT_F32, tiny, zero, 1, "[0]");
    const float minus[1] = {-0.0f};
    expect_equal(KILN_ELEMENT_F32, minus, zero, 1);
}

static void error_is_the_relative_norm_error(void **state)
{
    (void)state;
    const double r[] = {3, 4}, x[] = {3, 4.001};
    double error;
    assert_null(kiln_compare(KILN_ELEMENT_F64, x, r, 2, &error));
    assert_true(fabs(error - 0.0002) < 1e-12);
    assert_null(kiln_compare(KILN_ELEMENT_F64, r, r, 2, &error));
    assert_true(error == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_equal_or_not),
        cmocka_unit_test(specials_sit_in_the_same_places),
        cmocka_unit_test(both_clauses_bound_f32),
        cmocka_unit_test(small_elements_are_judged_by_the_rms),
        cmocka_unit_test(f16_has_a_floor),
        cmocka_unit_test(error_is_the_relative_norm_error),
    };
    return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
