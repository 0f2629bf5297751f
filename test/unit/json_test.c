// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln-base: JSON with named errors, whole files, strings, hashes and element types.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/json_string.h"
#include "base/string.h"
#include "kiln/element.h"

static void expect_message(kiln_status_t status, kiln_status_code_t code, const char *message)
{
    assert_int_equal(kiln_status_code(status), code);
    assert_non_null(strstr(kiln_status_message(status), message));
    kiln_status_free(status);
}

static json_t *parse(const char *text)
{
    json_t *json;
    assert_null(kiln_json_parse("test.json", text, strlen(text), &json));
    return json;
}

static void members_are_checked_by_name_and_type(void **state)
{
    (void)state;
    json_t *json = parse("{\"name\": \"gemm\", \"n\": 4, \"list\": []}");
    const char *name;
    int64_t n;
    json_t *list;
    assert_null(kiln_json_string(json, "name", &name));
    assert_string_equal(name, "gemm");
    assert_null(kiln_json_integer(json, "n", &n));
    assert_int_equal(n, 4);
    assert_null(kiln_json_array(json, "list", &list));
    assert_null(kiln_json_integer_or(json, "absent", 7, &n));
    assert_int_equal(n, 7);
    expect_message(kiln_json_integer(json, "absent", &n), KILN_STATUS_INVALID_INPUT,
                   "'absent' (an integer) is missing");
    expect_message(kiln_json_integer_or(json, "name", 1, &n), KILN_STATUS_INVALID_INPUT,
                   "'name' is not an integer");
    expect_message(kiln_json_string(json, "n", &name), KILN_STATUS_INVALID_INPUT,
                   "'n' is not a string");
    expect_message(kiln_json_array(json, "n", &list), KILN_STATUS_INVALID_INPUT,
                   "'n' is not an array");
    json_decref(json);
}

static void broken_json_has_a_position(void **state)
{
    (void)state;
    json_t *json;
    const char *text = "{\n \"a\": 1,\n \"b\" 2}";
    kiln_status_t status = kiln_json_parse("x.json", text, strlen(text), &json);
    assert_null(json);
    assert_string_equal(kiln_status_file(status), "x.json");
    assert_int_equal(kiln_status_line(status), 3);
    expect_message(status, KILN_STATUS_INVALID_INPUT, "invalid JSON");
    expect_message(kiln_json_parse("x", "{\"a\":1,\"a\":2}", 13, &json), KILN_STATUS_INVALID_INPUT,
                   "duplicate");
}

// Texts that RFC 8259 accepts, and how jansson prints them.
static void json_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *printed;
    } cases[] = {
        {"[]", "[]"},
        {" {\t\r\n} ", "{}"},
        {"[1, -2 ,0,-0, 9223372036854775807, -9223372036854775808]",
         "[1, -2, 0, 0, 9223372036854775807, -9223372036854775808]"},
        {"[0.5, -1e3, 2E-1, 1.25e+2]", "[0.5, -1000.0, 0.20000000000000001, 125.0]"},
        {"[true,false,null]", "[true, false, null]"},
        {"[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]", "[\"\\\"\\\\/\\b\\f\\n\\r\\t\"]"},
        {"[\"\\u0041\\u00fc\\u20AC\\ud83d\\ude00 \xc3\xbc\"]",
         "[\"A\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80 \xc3\xbc\"]"},
        {"{\"\": {\"a\": [[]]}}", "{\"\": {\"a\": [[]]}}"},
        {"[\"a string that is longer than whatever room it was first given by whoever reads it\"]",
         "[\"a string that is longer than whatever room it was first given by whoever reads it\"]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *json = parse(cases[i].text);
        char *printed = json_dumps(json, 0);
        assert_string_equal(printed, cases[i].printed);
        free(printed);
        json_decref(json);
    }
}

static void other_text_is_refused_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned line, column;
        const char *what;
    } cases[] = {
        {"", 1, 1, "expected '{' or '['"},
        {"12", 1, 1, "expected '{' or '['"},
        {"[", 1, 2, "unexpected end of input"},
        {"[1", 1, 3, "expected ',' or ']'"},
        {"[1,]", 1, 4, "expected a value"},
        {"[1 2]", 1, 4, "expected ',' or ']'"},
        {"[] []", 1, 4, "unexpected text after the value"},
        {"{\"a\": 1,}", 1, 9, "expected a quoted key"},
        {"{a: 1}", 1, 2, "expected a quoted key"},
        {"{\"a\" 1}", 1, 6, "expected ':'"},
        {"{\"a\": 1 \"b\": 2}", 1, 9, "expected ',' or '}'"},
        {"{\"a\": 1,\n \"a\": 2}", 2, 2, "duplicate key"},
        {"[01]", 1, 2, "expected a value"},
        {"[-]", 1, 2, "expected a value"},
        {"[+1]", 1, 2, "expected a value"},
        {"[1.]", 1, 4, "expected a digit"},
        {"[1e+]", 1, 5, "expected a digit"},
        {"[.5]", 1, 2, "expected a value"},
        {"[1e999]", 1, 2, "number is too large"},
        {"[9223372036854775808]", 1, 2, "integer does not fit in 64 bits"},
        {"[nul]", 1, 2, "expected a value"},
        {"[nulls]", 1, 2, "expected a value"},
        {"[NaN]", 1, 2, "expected a value"},
        {"[\"a]", 1, 2, "unterminated string"},
        {"[\"a\nb\"]", 1, 4, "control character in a string"},
        {"[\"\\x\"]", 1, 3, "invalid escape"},
        {"[\"\\u12g4\"]", 1, 7, "expected four hexadecimal digits"},
        {"[\"\\u0000\"]", 1, 3, "\\u0000 is not allowed"},
        {"[\"\\ud83d\"]", 1, 3, "unpaired surrogate"},
        {"[\"\\ud83d\\u0041\"]", 1, 3, "unpaired surrogate"},
        {"[\"\\ude00\"]", 1, 3, "unpaired surrogate"},
        {"[\"\xc3\xbc\", \"\xff\"]", 1, 7, "string is not UTF-8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *json;
        kiln_status_t status = kiln_json_parse("x", cases[i].text, strlen(cases[i].text), &json);
        if (kiln_status_line(status) != cases[i].line ||
            kiln_status_column(status) != cases[i].column)
            print_error("%s: %u:%u: %s\n", cases[i].text, kiln_status_line(status),
                        kiln_status_column(status), kiln_status_message(status));
        assert_null(json);
        assert_int_equal(kiln_status_line(status), cases[i].line);
        assert_int_equal(kiln_status_column(status), cases[i].column);
        expect_message(status, KILN_STATUS_INVALID_INPUT, cases[i].what);
    }
    char deep[600];
    json_t *json;
    memset(deep, '[', sizeof deep);
    expect_message(kiln_json_parse("x", deep, sizeof deep, &json), KILN_STATUS_INVALID_INPUT,
                   "nested more than 256 deep");
    expect_message(kiln_json_parse("x", "[1\0]", 4, &json), KILN_STATUS_INVALID_INPUT,
                   "expected ',' or ']'");
    expect_message(kiln_json_parse("x", "[]\0", 3, &json), KILN_STATUS_INVALID_INPUT,
                   "unexpected text after the value");
}

static void printed_json_is_sorted(void **state)
{
    (void)state;
    json_t *json = parse("{\"b\": [1, 2], \"a\": \"x\"}");
    char *text = kiln_json_print(json);
    assert_string_equal(text, "{\n  \"a\": \"x\",\n  \"b\": [\n    1,\n    2\n  ]\n}\n");
    free(text);
    json_decref(json);
}

static int entry_count(const char *path)
{
    DIR *directory = opendir(path);
    int count = 0;
    while (readdir(directory))
        count++;
    closedir(directory);
    return count - 2;
}

static void files_are_replaced_whole(void **state)
{
    (void)state;
    char directory[] = "/tmp/kiln-base-test.XXXXXX";
    assert_non_null(mkdtemp(directory));
    char *deep = kiln_path_join(directory, "a/b/c");
    assert_null(kiln_directory_make(deep, 0700));
    assert_null(kiln_directory_make(deep, 0700)); // already exists, not an error
    char *path = kiln_path_join(deep, "file.bin");
    assert_null(kiln_file_write(path, "one\0two", 7, 0600, KILN_FILE_SYNC));
    assert_null(kiln_file_write(path, "three", 5, 0600, KILN_FILE_NO_SYNC));
    assert_int_equal(entry_count(deep), 1); // no temporary file is left
    char *data;
    size_t size;
    assert_null(kiln_file_read(path, &data, &size));
    assert_int_equal(size, 5);
    assert_string_equal(data, "three");
    free(data);

    // Larger than the first guess for a file without a size.
    assert_null(kiln_file_read("/proc/self/status", &data, &size));
    assert_int_equal(strlen(data), size);
    free(data);

    expect_message(kiln_file_read("/nowhere/x", &data, &size), KILN_STATUS_NOT_FOUND,
                   "cannot open '/nowhere/x'");
    char *below = kiln_path_join(path, "below");
    expect_message(kiln_directory_make(below, 0700), KILN_STATUS_IO, "cannot make the directory");
    expect_message(kiln_directory_make(path, 0700), KILN_STATUS_IO, "is not a directory");
    unlink(path);
    assert_string_equal(kiln_path_base(path), "file.bin");
    free(below);
    free(path);
    for (int i = 0; i < 3; i++) {
        rmdir(deep);
        *strrchr(deep, '/') = '\0';
    }
    rmdir(directory);
    free(deep);
}

static void strings_grow(void **state)
{
    (void)state;
    kiln_string_t text = {0};
    for (int i = 0; i < 1000; i++)
        kiln_string_appendf(&text, "%d,", i);
    assert_int_equal(text.length, 10 * 2 + 90 * 3 + 900 * 4);
    char *taken = kiln_string_take(&text);
    assert_true(kiln_string_starts_with(taken, "0,1,2,"));
    assert_true(kiln_string_ends_with(taken, "998,999,"));
    assert_false(kiln_string_ends_with("a", "aa"));
    free(taken);
    taken = kiln_string_take(&text); // empty, but a string
    assert_string_equal(taken, "");
    free(taken);
}

static kiln_hash_t hash_of_two(const char *a, const char *b)
{
    kiln_hasher_t *hasher = kiln_hasher_create();
    kiln_hasher_string(hasher, a);
    kiln_hasher_string(hasher, b);
    kiln_hash_t hash = kiln_hasher_finish(hasher);
    kiln_hasher_release(hasher);
    return hash;
}

static void hashes_keep_fields_apart(void **state)
{
    (void)state;
    char text[33];
    kiln_hash_format(kiln_hash_bytes("", 0), text);
    assert_string_equal(
        text, "99aa06d3014798d86001c324468d497f"); // XXH3-128's published value of the empty input
    assert_int_not_equal(hash_of_two("ab", "c").low, hash_of_two("a", "bc").low);
    assert_int_not_equal(hash_of_two("a", NULL).low, hash_of_two("a", "").low);
    assert_int_equal(hash_of_two("ab", "c").low, hash_of_two("ab", "c").low);
}

// Every bit pattern of every small float is unchanged after a conversion to double and back, except
// for NaNs, which become the type's default NaN.
static void small_floats_round_trip(void **state)
{
    (void)state;
    static const kiln_element_type_t types[] = {KILN_ELEMENT_F16,        KILN_ELEMENT_BF16,
                                                KILN_ELEMENT_F8E4M3FNUZ, KILN_ELEMENT_F8E5M2FNUZ,
                                                KILN_ELEMENT_F8E4M3FN,   KILN_ELEMENT_F8E5M2};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (uint32_t bits = 0; bits < 1u << (8 * kiln_element_size(types[t])); bits++) {
            double value = kiln_element_to_double(types[t], &bits);
            uint32_t back = 0;
            kiln_element_from_double(types[t], value, &back);
            if (isnan(value))
                assert_true(isnan(kiln_element_to_double(types[t], &back)));
            else
                assert_int_equal(back, bits);
        }
}

static uint16_t f16_of(double value)
{
    uint16_t bits;
    kiln_element_from_double(KILN_ELEMENT_F16, value, &bits);
    return bits;
}

static void rounding_is_to_nearest_even(void **state)
{
    (void)state;
    assert_int_equal(f16_of(1.0 + 0x1p-11), 0x3C00);           // a tie, down to even
    assert_int_equal(f16_of(1.0 + 3 * 0x1p-11), 0x3C02);       // a tie, up to even
    assert_int_equal(f16_of(1.0 + 0x1p-11 + 0x1p-40), 0x3C01); // just above
    assert_int_equal(f16_of(0x1p-25), 0);                      // half the smallest subnormal
    assert_int_equal(f16_of(0x1p-24 * 1.5), 2);
    assert_int_equal(f16_of(65519.0), 0x7BFF); // the largest value that does not overflow
    assert_int_equal(f16_of(65520.0), 0x7C00);
    assert_int_equal(f16_of(-INFINITY), 0xFC00);
    assert_int_equal(f16_of(1.0 - 0x1p-12), 0x3C00); // carries into the next binade
    uint8_t bits;
    kiln_element_from_double(KILN_ELEMENT_F8E4M3FNUZ, 1.0, &bits);
    assert_int_equal(bits, 0x40);
    kiln_element_from_double(KILN_ELEMENT_F8E4M3FNUZ, 240.0, &bits);
    assert_int_equal(bits, 0x7F);
    kiln_element_from_double(KILN_ELEMENT_F8E4M3FNUZ, 1e9, &bits);
    assert_int_equal(bits, 0x80);
    kiln_element_from_double(KILN_ELEMENT_F8E4M3FN, 448.0, &bits);
    assert_int_equal(bits, 0x7E);
}

static void integers_extend_by_their_sign(void **state)
{
    (void)state;
    uint64_t ones = UINT64_MAX;
    assert_int_equal(kiln_element_to_int64(KILN_ELEMENT_I8, &ones), -1);
    assert_int_equal(kiln_element_to_int64(KILN_ELEMENT_U8, &ones), 255);
    assert_int_equal(kiln_element_to_int64(KILN_ELEMENT_I32, &ones), -1);
    assert_true(kiln_element_to_double(KILN_ELEMENT_U64, &ones) == 0x1p64);
    kiln_element_type_t type;
    assert_true(kiln_element_type_parse("fp16", &type));
    assert_int_equal(type, KILN_ELEMENT_F16);
    assert_false(kiln_element_type_parse("f17", &type));
}

// Names of files and users' words may contain any bytes, and these do not cause "out of memory".
static void any_bytes_become_text(void **state)
{
    (void)state;
    const char *const cases[][2] = {
        {"", ""},
        {"plain", "plain"},
        {"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x94\xa5", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x94\xa5"},
        {"a\xff"
         "b",
         "a?b"},
        {"\xc3\xa4\xe4", "\xc3\xa4?"},
        {"\xf0\x9f\x94", "???"},
        {"\xed\xa0\x80", "???"}, // a surrogate
        {"\xc0\x80", "??"},      // longer than needed
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *json = kiln_json_text(cases[i][0]);
        assert_string_equal(json_string_value(json), cases[i][1]);
        json_decref(json);
    }
    assert_true(json_is_null(kiln_json_text(NULL)));
}

static void written_strings_are_escaped(void **state)
{
    (void)state;
    static const char text[] = "a \"b\" c\\d\n\x01 \xc3\xa4";
    char *written = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&written, &size);
    assert_non_null(file);
    fputc('[', file);
    kiln_json_write_string(file, text);
    fputc(']', file);
    fclose(file);
    assert_string_equal(written, "[\"a \\\"b\\\" c\\\\d\\u000a\\u0001 \xc3\xa4\"]");
    json_t *json;
    assert_null(kiln_json_parse("test.json", written, size, &json));
    assert_string_equal(json_string_value(json_array_get(json, 0)), text);
    json_decref(json);
    free(written);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_checked_by_name_and_type),
        cmocka_unit_test(broken_json_has_a_position),
        cmocka_unit_test(json_is_read),
        cmocka_unit_test(other_text_is_refused_with_its_place),
        cmocka_unit_test(printed_json_is_sorted),
        cmocka_unit_test(any_bytes_become_text),
        cmocka_unit_test(written_strings_are_escaped),
        cmocka_unit_test(files_are_replaced_whole),
        cmocka_unit_test(strings_grow),
        cmocka_unit_test(hashes_keep_fields_apart),
        cmocka_unit_test(small_floats_round_trip),
        cmocka_unit_test(rounding_is_to_nearest_even),
        cmocka_unit_test(integers_extend_by_their_sign),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
