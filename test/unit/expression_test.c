// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Command-line expressions: values, precedence, and every error with its column.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/expression.h"

static bool lookup(const char *name, size_t length, void *user, int64_t *out_value)
{
    (void)user;
    const char *buffer;
    size_t buffer_length;
    *out_value = 1000;
    if (kiln_expression_buffer(name, length, &buffer, &buffer_length))
        return buffer_length == 2 && strncmp(buffer, "in", 2) == 0;
    return length == 1 && *name == 'n';
}

static void expect_result(const char *text, int64_t value)
{
    int64_t result;
    kiln_status_t status = kiln_expression_evaluate(text, lookup, NULL, &result);
    if (status || result != value)
        print_error("%s: %s\n", text, kiln_status_message(status));
    assert_null(status);
    assert_int_equal(result, value);
}

static void expect_failure(kiln_status_code_t code, const char *text, const char *message)
{
    int64_t result;
    kiln_status_t status = kiln_expression_evaluate(text, lookup, NULL, &result);
    assert_int_equal(kiln_status_code(status), code);
    if (!strstr(kiln_status_message(status), message))
        print_error("%s: %s\n", text, kiln_status_message(status));
    assert_non_null(strstr(kiln_status_message(status), message));
    assert_int_equal(result, 0);
    kiln_status_free(status);
}

// The text is wrong.
static void expect_error(const char *text, const char *message)
{
    expect_failure(KILN_STATUS_USAGE, text, message);
}

// The text is right, but has no value.
static void expect_no_value(const char *text, const char *message)
{
    expect_failure(KILN_STATUS_INVALID_INPUT, text, message);
}

static void values(void **state)
{
    (void)state;
    expect_result("42", 42);
    expect_result(" 0x10 ", 16);
    expect_result("1+2*3", 7);
    expect_result("(1+2)*3", 9);
    expect_result("7-2-1", 4);
    expect_result("-7/2", -3);
    expect_result("7%4*2", 6);
    expect_result("--3", 3);
    expect_result("n/10", 100);
    expect_result("-9223372036854775808", INT64_MIN);
    expect_result("- 9223372036854775808", INT64_MIN);
    expect_result("--9223372036854775807", INT64_MAX);
    expect_result("-0x8000000000000000 + 1", -INT64_MAX);
    expect_result("5 - 3", 2);
    expect_result("5-3", 2);
    expect_result("-3 * -3", 9);
    expect_result("-7 % 4", -3);
    expect_result("-(3)", -3);
    expect_result("cdiv(n, 128)", 8);
    expect_result("cdiv(elements(in), 128) + 1", 9);
    expect_result("2 * elements ( in )/n", 2);
    expect_error("elements(x)", "column 1: unknown buffer, or its size is unknown");
    expect_error("elements(in, 2)", "column 12: expected ')'");
    expect_error("elements(2)", "column 10: expected the name of a buffer");
    expect_error("elements()", "column 10: expected the name of a buffer");
    expect_error("elements", "unknown name, or its value is not an integer");
    expect_result("cdiv(1024,128)", 8);
    expect_result("cdiv(0-8, 2)", -4);
    expect_result("cdiv(0-7, 2)", -3);
    expect_result("cdiv(7, 0-2)", -3);
    expect_result("cdiv(0-7, 0-2)", 4);
    expect_result("cdiv(0-8, 0-2)", 4);
    expect_result("cdiv(0, 0-2)", 0);
    expect_result("cdiv(9223372036854775807, 2)", 4611686018427387904);
    expect_result("cdiv(9223372036854775807, 9223372036854775807)", 1);
    expect_result("cdiv(0-9223372036854775807-1, 2)", -4611686018427387904);
    expect_result("cdiv(0-9223372036854775807-1, 9223372036854775807)", -1);
    expect_result("max(min(n, 3), 2) * cdiv(n,cdiv(n,3))", 9);
}

static void errors(void **state)
{
    (void)state;
    expect_error("", "column 1: expected a number, a name or '('");
    expect_error("1+", "column 3: expected a number");
    expect_error("(1", "column 3: expected ')'");
    expect_error("1 2", "column 3: unexpected text after the expression");
    expect_error("n*m", "column 3: unknown name, or its value is not an integer");
    expect_no_value("1/(n-1000)", "column 2: division by zero");
    expect_error("cdiv(1,0)", "column 1: division by zero");
    expect_error("m/0", "column 2: division by zero"); // reported although m is unknown
    expect_error("cdiv(1)", "column 7: expected ','");
    expect_error("sqrt(4,2)", "column 1: unknown function");
    expect_no_value("9223372036854775807+1", "column 20: the value does not fit");
    expect_error("99999999999999999999", "column 1: the number does not fit");
    expect_error("9223372036854775808", "column 1: the number does not fit");
    expect_error("-9223372036854775809", "column 1: the number does not fit");
    expect_error("0-9223372036854775808", "column 3: the number does not fit");
    expect_no_value("--9223372036854775808", "column 1: the value does not fit");
    expect_no_value("-9223372036854775808 - 1", "does not fit");
    expect_no_value("-9223372036854775808 * -1", "does not fit");
    expect_no_value("-9223372036854775808 % -1", "does not fit");
    expect_no_value("(0-9223372036854775807-1)/-1", "does not fit");
    expect_no_value("cdiv(0-9223372036854775807-1, -1)", "does not fit");
    char deep[300];
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    expect_error(deep, "nested too deep");
    memset(deep, '-', sizeof deep - 1);
    expect_error(deep, "nested too deep");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(errors)};
    return cmocka_run_group_tests_name("expression", tests, NULL, NULL);
}
