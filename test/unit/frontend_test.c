// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The front end through its entry point: robustness (nesting, expansion, odd bytes), folding,
// source ranges of diagnostics, argument hints.
//
// The text of each diagnostic is tested in test/lit/frontend; this file covers inputs that text
// files express badly.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frontend/frontend.h"
#include "frontend/parse/tree.h"
#include "kiln/dialects.h"

typedef struct seen {
    unsigned errors, notes, line, column, range, mark_columns[2], mark_lengths[2];
    char message[256]; // of the first error
} seen_t;

static void see(const kiln_diagnostic_t *diagnostic, void *user)
{
    seen_t *seen = user;
    if (diagnostic->severity == KILN_SEVERITY_NOTE)
        seen->notes++;
    if (diagnostic->severity != KILN_SEVERITY_ERROR || seen->errors++)
        return;
    seen->line = diagnostic->line;
    seen->column = diagnostic->column;
    seen->range = diagnostic->range;
    for (int i = 0; i < 2; i++) {
        seen->mark_columns[i] = diagnostic->marks[i].column;
        seen->mark_lengths[i] = diagnostic->marks[i].length;
    }
    snprintf(seen->message, sizeof seen->message, "%s", diagnostic->message);
}

static void collect(MlirStringRef piece, void *user)
{
    char **text = user;
    size_t old = *text ? strlen(*text) : 0;
    *text = realloc(*text, old + piece.length + 1);
    assert_non_null(*text);
    memcpy(*text + old, piece.data, piece.length);
    (*text)[old + piece.length] = '\0';
}

// The printed module, or NULL after errors, which are in *seen.
static char *compile_with(const char *text, size_t length, const kiln_compile_options_t *options,
                          seen_t *seen)
{
    kiln_source_t source = {KILN_STAGE_TILE, "test.tile.c", text, length};
    MlirContext context = mlirContextCreateWithThreading(false);
    kiln_context_load_dialects(context);
    MlirModule module;
    memset(seen, 0, sizeof *seen);
    kiln_status_t status =
        kiln_frontend_parse(context, &source, options, see, seen, NULL, NULL, &module);
    char *printed = NULL;
    if (status) {
        assert_true(mlirModuleIsNull(module));
        assert_int_not_equal(kiln_status_code(status), KILN_STATUS_INTERNAL);
        assert_true(seen->errors > 0 || kiln_status_code(status) == KILN_STATUS_OUT_OF_RESOURCES);
        kiln_status_free(status);
    } else {
        mlirOperationPrint(mlirModuleGetOperation(module), collect, &printed);
        mlirModuleDestroy(module);
    }
    mlirContextDestroy(context);
    return printed;
}

static char *compile(const char *text, seen_t *seen)
{
    kiln_compile_options_t options = {.struct_size = sizeof options};
    return compile_with(text, strlen(text), &options, seen);
}

static void expect_error(const char *text, const char *message)
{
    seen_t seen;
    char *printed = compile(text, &seen);
    if (printed || !strstr(seen.message, message))
        print_error("source: %.200s\nexpected: %s\ngot: %s\n", text, message,
                    printed ? printed : seen.message);
    assert_null(printed);
    assert_non_null(strstr(seen.message, message));
}

static void expect_output(const char *text, const char *pattern)
{
    seen_t seen;
    char *printed = compile(text, &seen);
    if (!printed || !strstr(printed, pattern))
        print_error("source: %.200s\nexpected: %s\ngot: %s\n", text, pattern,
                    printed ? printed : seen.message);
    assert_non_null(printed);
    assert_non_null(strstr(printed, pattern));
    free(printed);
}

static char *repeat(const char *before, const char *middle, size_t count, const char *after)
{
    size_t length = strlen(middle);
    char *text = malloc(strlen(before) + count * length + strlen(after) + 1), *at = text;
    assert_non_null(text);
    at += sprintf(at, "%s", before);
    for (size_t i = 0; i < count; i++, at += length)
        memcpy(at, middle, length);
    sprintf(at, "%s", after);
    return text;
}

static void deep_nesting_is_an_error(void **state)
{
    static const struct {
        const char *before, *middle, *after, *message;
    } cases[] = {
        {"kernel void k(i32 n) { n = ", "(", "", "nested more than"},
        {"kernel void k(i32 n) { n = ", "-", "n; }", "nested more than"},
        {"kernel void k(i32 n) { n = n", "+n", "; }", "nested more than"},
        {"kernel void k(i32 n) { ", "{", "", "nested more than"},
        {"kernel void k(i32 n) { ", "if (n) n = 1; else ", "n = 2; }", "nested more than"},
        {"kernel void k(i32 n) { n = n", " ? n : n", "; }", "nested more than"},
        {"kernel void k(i32 n) { ", "while (n > 3) ", "n--; }", "nested more than"},
        {"kernel void k(i32 n) { n = ", "(i32)", "n; }", "nested more than"},
        {"kernel void k(i32 *p) { i32 n = p", "[0]", "; }", "nested more than"},
        {"kernel void k(i32 n) { n ", "= n ", "; }", "nested more than"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = repeat(cases[i].before, cases[i].middle, 100000, cases[i].after);
        expect_error(text, cases[i].message);
        free(text);
    }
}

static void expansion_is_bounded(void **state)
{
    // 2^40 calls.
    char text[4096];
    int length = sprintf(text, "i32 g0(i32 x) { return x + 1; }\n");
    (void)state;
    for (int i = 1; i <= 40; i++)
        length +=
            sprintf(text + length, "i32 g%d(i32 x) { return g%d(x) + g%d(x); }\n", i, i - 1, i - 1);
    sprintf(text + length, "kernel void k(i32 *p) { *p = g40(1); }\n");
    expect_error(text, "the program is too large");
    expect_error("kernel void k(i32 *p) { for (constexpr i32 i = 0; i < 1000000000; i++) *p = i; }",
                 "expands to more than 65536 operations");
}

static void odd_bytes_do_no_harm(void **state)
{
    static const char zero[] = "kernel void k(i32 n) { n = 3; \0 }";
    kiln_compile_options_t options = {.struct_size = sizeof options};
    seen_t seen;
    (void)state;
    assert_null(compile_with(zero, sizeof zero - 1, &options, &seen));
    assert_null(compile_with("", 0, &options, &seen));
    for (int byte = 1; byte < 256; byte++) {
        char text[] = "kernel void k(i32 *p) { *p = 3? ; }";
        *strchr(text, '?') = (char)byte;
        free(compile(text, &seen));
    }
    // Every prefix of a program, so that the input ends in every construct.
    static const char whole[] =
        "constexpr i32 A = 3;\nf32[8] f(auto x, constexpr type T) { return (T)x[:, None]; }\n"
        "kernel void k(const f16 *a, f32 *p, i32 n, constexpr i32 B = 0x20'0 >> 1) {\n"
        "  [[unroll(2)]] for (i32 i = 0, j = 3; i < n; i += 2) { if (i == 3) break; else continue; "
        "}\n"
        "  do { p[range(8)] = n ? 1.5e+3f : -INFINITY; } while (n-- > 0x1p3); /* c */ // d\n"
        "  static_assert(sizeof(f16) == 2, \"two\"); return; }\n";
    for (size_t i = 0; i < sizeof whole; i++)
        free(compile_with(whole, i, &options, &seen));
}

static void at_most_twenty_errors_are_reported(void **state)
{
    char *text = repeat("kernel void k(i32 n) {", "f32 x = ;\n", 50, "}");
    seen_t seen;
    (void)state;
    assert_null(compile(text, &seen));
    assert_int_equal(seen.errors, 20);
    assert_int_equal(seen.notes, 1);
    free(text);
}

static void places_are_lines_columns_and_marks(void **state)
{
    seen_t seen;
    (void)state;
    assert_null(
        compile("kernel void k(f32 *p)\n{\n\tf32 a[32] = 0, b[64] = 0;\n\ta = aa * b;\n}", &seen));
    assert_int_equal(seen.line, 4);
    assert_int_equal(seen.column, 6);
    assert_int_equal(seen.range, 2);
    assert_null(compile(
        "kernel void k(f32 *p)\n{\n f32 a[32] = 0, b[64] = 0;\n p[range(64)] = a[:] * b;\n}",
        &seen));
    assert_int_equal(seen.line, 4);
    assert_int_equal(seen.column, 22);
    assert_int_equal(seen.range, 1);
    assert_int_equal(seen.mark_columns[0], 17);
    assert_int_equal(seen.mark_lengths[0], 4);
    assert_int_equal(seen.mark_columns[1], 24);
    assert_int_equal(seen.mark_lengths[1], 1);
    assert_int_equal(seen.notes, 2);
}

static void constants_fold_as_the_kernel_computes(void **state)
{
    static const struct {
        const char *expression, *printed;
    } cases[] = {
        {"2147483647 + 1 < 0 ? 1 : 2", "constant 1 : i32"}, // i32 wraps
        {"(i8)200", "constant -56 : i32"},                  // and stays i8 until it is stored
        {"(u8)200 + 100", "constant 300 : i32"},            // promoted
        {"-7 / 2", "constant -3 : i32"},                    // towards zero
        {"-7 % 2", "constant -1 : i32"},                    //
        {"-8 >> 1", "constant -4 : i32"},                   // arithmetic
        {"(i32)(0xFFFFFFF8u >> 28)", "constant 15 : i32"},  // logical
        {"cdiv(100, 32)", "constant 4 : i32"},              //
        {"cdiv(-8, 2)", "constant -4 : i32"},               // rounded up
        {"cdiv(-7, 2)", "constant -3 : i32"},               //
        {"cdiv(7, -2)", "constant -3 : i32"},               //
        {"cdiv(-7, -2)", "constant 4 : i32"},               //
        {"cdiv(2147483647, 2)", "constant 1073741824 : i32"},
        {"(i32)(cdiv(4294967295u, 2u) >> 31)", "constant 1 : i32"},
        {"(i32)(cdiv(9223372036854775807l, 2l) >> 62)", "constant 1 : i32"},
        {"cdiv((u8)255, (u8)2)", "constant 128 : i32"},    // promoted
        {"maximum(3, minimum(9, 5))", "constant 5 : i32"}, //
        {"(i32)2.9", "constant 2 : i32"},                  //
        {"(i32)(16777217.0f)", "constant 16777216 : i32"}, // f32 has 24 bits
        {"(i32)(16777217.0 + 0.0f)", "constant 16777216 : i32"},
        {"1 << 4 | 3 & ~1 ^ 8", "constant 26 : i32"}, // C's precedence
        {"true + true", "constant 2 : i32"},          //
        {"3 > 2 && 0 || !5", "constant 0 : i32"},     //
        {"'\\0' == 0", NULL},                         // no characters
        {"sizeof(f64) + sizeof(bool) + sizeof(f16 *)", "constant 17 : i32"},
        {"4294967295 > 0", "constant 1 : i32"}, // an i64 literal
        {"-1 < 1u", "constant 0 : i32"},        // as in C
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        snprintf(text, sizeof text, "kernel void k(i32 *p) { constexpr auto v = %s; *p = v; }",
                 cases[i].expression);
        if (cases[i].printed)
            expect_output(text, cases[i].printed);
        else
            expect_error(text, "stray");
    }
    expect_error("kernel void k(i32 *p) { *p = 1 / 0; }", "division by zero");
    expect_error("kernel void k(i32 *p) { constexpr i32 v = 1 << 40; }",
                 "not known at compile time");
}

static void hints_become_attributes(void **state)
{
    static const char text[] = "kernel void k(const f16 *x, f16 *y, i32 n) { *y = x[n]; }";
    kiln_arg_hint_t hints[] = {
        {.name = "x", .type = "*f16", .divisibility = 16, .pointer_range_32 = true},
        {.name = "n", .divisibility = 16}};
    kiln_compile_options_t options = {.struct_size = sizeof options, .args = hints, .arg_count = 2};
    seen_t seen;
    (void)state;
    char *printed = compile_with(text, sizeof text - 1, &options, &seen);
    assert_non_null(printed);
    assert_non_null(strstr(
        printed, "%arg0: !tt.ptr<f16> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, "
                 "%arg1: !tt.ptr<f16>, %arg2: i32 {tt.divisibility = 16 : i32}"));
    free(printed);
    // A hint in the program is combined with the caller's hints.
    expect_output("kernel void k(f16 *y, i32 n) { n = multiple_of(n, 8); y[n] = 1; }",
                  "%arg1: i32 {tt.divisibility = 8 : i32}");
}

static void statements_see_their_own_scope(void **state)
{
    (void)state;
    expect_output("kernel void k(i32 *p, i32 n) { { i32 n = 4; *p = n; } *p = n; }",
                  "tt.store %arg0, %arg1");
    expect_output(
        "i32 f(i32 p) { i32 n = p; return n; } kernel void k(i32 *p, i32 n) { *p = f(7) + n; }",
        "constant 7");
    expect_error("i32 f(i32 x) { return x + n; } kernel void k(i32 *p, i32 n) { *p = f(7); }",
                 "use of undeclared identifier 'n'");
    // Unreachable code is checked but not emitted.
    expect_error("kernel void k(i32 *p) { return; *p = unknown; }",
                 "use of undeclared identifier 'unknown'");
    expect_output("kernel void k(i32 *p) { *p = 1; return; *p = 2; }", "tt.return");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deep_nesting_is_an_error),
        cmocka_unit_test(expansion_is_bounded),
        cmocka_unit_test(odd_bytes_do_no_harm),
        cmocka_unit_test(at_most_twenty_errors_are_reported),
        cmocka_unit_test(places_are_lines_columns_and_marks),
        cmocka_unit_test(constants_fold_as_the_kernel_computes),
        cmocka_unit_test(hints_become_attributes),
        cmocka_unit_test(statements_see_their_own_scope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
