// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The manifest that the compiler writes, the schema in docs/ and the loaders' reader must agree:
// every member is omitted, changed to every other type, and accompanied by an unknown member. The
// reader must reject whatever the schema rejects.
//
// The reader rejects more than the schema can express (an argument beyond the kernarg segment, a
// grid with unknown names); each of those has its own test.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/description.h"
#include "base/json.h"
#include "expect_status.h"
#include "kiln/kiln.h"

static const char source[] =
    "constexpr i32 UNIT = 2;\n"
    "kernel void scale(const f16 *x, f32 *y, i32 n, f32 by, constexpr i32 BLOCK = 128,\n"
    "                  constexpr bool TWICE = false, constexpr type T = f32,\n"
    "                  constexpr f32 PLUS = 0.5)\n"
    "{\n"
    "    i32 i[BLOCK] = program_id(0) * BLOCK + range(BLOCK);\n"
    "    f32 v[BLOCK] = load(x + i, i < n) * by + PLUS;\n"
    "    if constexpr (TWICE) v = v * UNIT;\n"
    "    store(y + i, v, i < n);\n"
    "}\n";

static kiln_status_t compile(const kiln_compile_options_t *options, kiln_kernel_t **out_kernel)
{
    kiln_session_t *session;
    expect_ok(kiln_session_create(&session));
    const kiln_source_t program = {KILN_STAGE_TILE, "scale.tile.c", source, strlen(source)};
    kiln_status_t status = kiln_compile(session, &program, options, out_kernel);
    kiln_session_release(session);
    return status;
}

static const kiln_arg_hint_t hints[] = {{.name = "x", .divisibility = 16, .pointer_range_32 = true},
                                        {.name = "n", .divisibility = 16}};
static const kiln_arg_range_t ranges[] = {{"n", 1, 4096}};

static kiln_compile_options_t all_options(void)
{
    static const kiln_setting_t defines[] = {{"TWICE", "true"}};
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    options.defines = defines;
    options.define_count = 1;
    options.args = hints;
    options.arg_count = 2;
    options.ranges = ranges;
    options.range_count = 1;
    options.num_warps = 4;
    options.grid = "cdiv(n, BLOCK), max(1, 1)";
    return options;
}

static kiln_status_t read(const char *text, kiln_description_t *out)
{
    return kiln_description_read("scale.json", text, strlen(text), out);
}

static void manifests_describe_what_was_compiled(void **state)
{
    (void)state;
    kiln_compile_options_t options = all_options();
    kiln_kernel_t *kernel, *again;
    expect_ok(compile(&options, &kernel));
    expect_ok(compile(&options, &again));
    assert_string_equal(kiln_kernel_manifest(kernel), kiln_kernel_manifest(again));
    kiln_description_t d;
    expect_ok(read(kiln_kernel_manifest(kernel), &d));
    assert_string_equal(d.kernel, "scale");
    assert_string_equal(d.name, "scale");
    assert_string_equal(d.arch, "gfx942");
    assert_string_equal(d.build_id, kiln_build_id());
    assert_string_equal(d.source_stage, "tile");
    assert_int_equal(strlen(d.source_hash), 32);
    assert_int_equal(d.block[0], 256);
    assert_int_equal(d.kernarg_size, 24);
    assert_int_equal(d.kernarg_align, 8);
    assert_int_equal(d.argument_count, 4);
    const kiln_described_argument_t *x = &d.arguments[0], *y = &d.arguments[1],
                                    *n = &d.arguments[2];
    assert_true(x->is_const && x->is_pointer && x->is_below_2g && x->element == KILN_ELEMENT_F16);
    assert_int_equal(x->divisibility, 16);
    assert_false(y->is_const || y->is_below_2g || y->divisibility);
    assert_true(n->has_range && n->min == 1 && n->max == 4096 && n->offset == 16 && n->size == 4);
    static const struct {
        const char *name, *type, *value;
    } constants[] = {{"UNIT", "i32", "2"},
                     {"BLOCK", "i32", "128"},
                     {"TWICE", "bool", "true"},
                     {"T", "type", "f32"},
                     {"PLUS", "f32", "0.5"}};
    assert_int_equal(d.constant_count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(d.constants[i].name, constants[i].name);
        assert_string_equal(d.constants[i].type, constants[i].type);
        assert_string_equal(d.constants[i].value, constants[i].value);
    }
    assert_true(d.constants[2].is_integer && d.constants[2].integer == 1 &&
                !d.constants[3].is_integer);
    assert_true(d.has_grid);
    assert_string_equal(d.grid[0].text, "cdiv(n, BLOCK)");
    assert_string_equal(d.grid[1].text, "max(1, 1)");
    assert_string_equal(d.grid[2].text, "1");
    kiln_description_free(&d);
    kiln_kernel_release(kernel);
    kiln_kernel_release(again);
}

static void expect_usage(const kiln_compile_options_t *options, const char *part)
{
    kiln_kernel_t *kernel;
    kiln_status_t status = compile(options, &kernel);
    if (kiln_status_code(status) != KILN_STATUS_USAGE || !strstr(kiln_status_message(status), part))
        print_error("wanted '%s', got '%s'\n", part, kiln_status_message(status));
    assert_int_equal(kiln_status_code(status), KILN_STATUS_USAGE);
    assert_non_null(strstr(kiln_status_message(status), part));
    kiln_status_free(status);
}

static void wrong_grids_and_ranges_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *grid, *part;
    } grids[] = {{"cdiv(m, BLOCK)",
                  "column 6: the kernel has no integer argument or constant with this name"},
                 {"x", "column 1: the kernel has no integer"},
                 {"elements(z)", "column 1: the kernel has no integer"},
                 {"elements(n)", "column 1: the kernel has no integer"},
                 {"by", "column 1: the kernel has no integer"},
                 {"PLUS", "column 1: the kernel has no integer"},
                 {"T", "column 1: the kernel has no integer"},
                 {"1,cdiv(n", "column 7: expected ','"},
                 {"", "column 1: expected a number, a name or '('"},
                 {"1,1,1,n", "expected at most three expressions in a grid, got ',n' after them"}};
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        kiln_compile_options_t options = all_options();
        options.grid = grids[i].grid;
        expect_usage(&options, grids[i].part);
    }
    static const kiln_arg_range_t wrong[][2] = {
        {{"m", 1, 2}}, {{"x", 1, 2}}, {{"n", 2, 1}}, {{"n", 1, 2}, {"n", 3, 4}}};
    static const char *const parts[] = {"range of 'm': kernel 'scale' has no integer argument",
                                        "range of 'x'", "range of 'n' is empty: 2 > 1", "'n'"};
    for (size_t i = 0; i < 4; i++) {
        kiln_compile_options_t options = all_options();
        options.ranges = wrong[i];
        options.range_count = wrong[i][1].name ? 2 : 1;
        expect_usage(&options, parts[i]);
    }
}

// A validator of the part of JSON Schema that ours uses -------------------------------------------

static const json_t *root_schema;

static bool type_is(const json_t *value, const char *type)
{
    return (json_is_object(value) && !strcmp(type, "object")) ||
           (json_is_array(value) && !strcmp(type, "array")) ||
           (json_is_string(value) && !strcmp(type, "string")) ||
           (json_is_integer(value) && !strcmp(type, "integer")) ||
           (json_is_boolean(value) && !strcmp(type, "boolean")) ||
           (json_is_null(value) && !strcmp(type, "null"));
}

static bool type_fits(const json_t *value, const json_t *type)
{
    if (!type)
        return true;
    if (json_is_string(type))
        return type_is(value, json_string_value(type));
    for (size_t i = 0; i < json_array_size(type); i++)
        if (type_is(value, json_string_value(json_array_get(type, i))))
            return true;
    return false;
}

// Whether a number is within the schema's bounds, if it has any.
static bool bounded(const json_t *schema, const char *min, const char *max, json_int_t number)
{
    const json_t *low = json_object_get(schema, min), *high = json_object_get(schema, max);
    return (!low || number >= json_integer_value(low)) &&
           (!high || number <= json_integer_value(high));
}

static bool is_valid(const json_t *value, const json_t *schema);

static bool object_is_valid(const json_t *value, const json_t *schema)
{
    const json_t *properties = json_object_get(schema, "properties"),
                 *required = json_object_get(schema, "required");
    for (size_t i = 0; i < json_array_size(required); i++)
        if (!json_object_get(value, json_string_value(json_array_get(required, i))))
            return false;
    const char *key;
    json_t *one;
    json_object_foreach((json_t *)(uintptr_t)value, key, one)
    {
        const json_t *rule = json_object_get(properties, key);
        if (rule ? !is_valid(one, rule)
                 : json_is_false(json_object_get(schema, "additionalProperties")))
            return false;
    }
    return true;
}

static bool is_valid(const json_t *value, const json_t *schema)
{
    const char *reference = json_string_value(json_object_get(schema, "$ref"));
    if (reference) {
        schema =
            json_object_get(json_object_get(root_schema, "$defs"), reference + strlen("#/$defs/"));
        assert_non_null(schema);
    }
    const json_t *constant = json_object_get(schema, "const"),
                 *items = json_object_get(schema, "items");
    if (!type_fits(value, json_object_get(schema, "type")) ||
        (constant && !json_equal(value, constant)))
        return false;
    if (json_is_integer(value) && !bounded(schema, "minimum", "maximum", json_integer_value(value)))
        return false;
    if (json_is_string(value) &&
        !bounded(schema, "minLength", "maxLength", (json_int_t)json_string_length(value)))
        return false;
    if (json_is_array(value)) {
        if (!bounded(schema, "minItems", "maxItems", (json_int_t)json_array_size(value)))
            return false;
        for (size_t i = 0; items && i < json_array_size(value); i++)
            if (!is_valid(json_array_get(value, i), items))
                return false;
    }
    return !json_is_object(value) || object_is_valid(value, schema);
}

// Every change of every member --------------------------------------------------------------------

static json_t *manifest;
static size_t valid_count, invalid_count;

static void compare(const char *change)
{
    char *text = json_dumps(manifest, JSON_INDENT(1));
    kiln_description_t d;
    kiln_status_t status = read(text, &d);
    kiln_description_free(&d);
    bool valid = is_valid(manifest, root_schema);
    if (!valid && !status)
        fail_msg("the reader takes what the schema refuses: %s\n%s", change, text);
    valid_count += valid && !status;
    invalid_count += !valid;
    kiln_status_free(status);
    free(text);
}

static void try_values(json_t *holder, const char *key, size_t index, const char *change)
{
    json_t *others[] = {
        json_null(),      json_true(),      json_string("other"),    json_string(""),
        json_integer(-1), json_integer(12), json_integer(1ll << 40), json_real(0.5),
        json_array(),     json_object()};
    json_t *old = key ? json_object_get(holder, key) : json_array_get(holder, index);
    json_incref(old);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (key)
            json_object_set_new(holder, key, others[i]);
        else
            json_array_set_new(holder, index, others[i]);
        compare(change);
    }
    if (key)
        json_object_set_new(holder, key, old);
    else
        json_array_set_new(holder, index, old);
}

static void vary(json_t *value)
{
    if (json_is_object(value)) {
        json_object_set_new(value, "stranger", json_integer(1));
        compare("a stranger");
        json_object_del(value, "stranger");
        char *keys[64];
        size_t count = 0;
        const char *key;
        json_t *one;
        json_object_foreach(value, key, one) keys[count++] = strdup(key);
        for (size_t i = 0; i < count; i++) {
            one = json_incref(json_object_get(value, keys[i]));
            json_object_del(value, keys[i]);
            compare(keys[i]);
            json_object_set_new(value, keys[i], one);
            try_values(value, keys[i], 0, keys[i]);
            vary(json_object_get(value, keys[i]));
            free(keys[i]);
        }
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        try_values(value, NULL, i, "an element");
        vary(json_array_get(value, i));
    }
}

static void set_manifest(void)
{
    kiln_compile_options_t options = all_options();
    kiln_kernel_t *kernel;
    expect_ok(compile(&options, &kernel));
    manifest = json_loads(kiln_kernel_manifest(kernel), 0, NULL);
    assert_non_null(manifest);
    kiln_kernel_release(kernel);
    json_array_append_new(
        json_object_get(manifest, "hidden_arguments"),
        json_pack("{s:s, s:i, s:i}", "kind", "hidden_none", "offset", 16, "size", 8));
}

static void the_reader_refuses_what_the_schema_refuses(void **state)
{
    (void)state;
    json_t *schema;
    expect_ok(kiln_json_read(KILN_SOURCE_DIR "/docs/manifest.schema.json", &schema));
    root_schema = schema;
    set_manifest();
    assert_true(is_valid(manifest, root_schema));
    compare("nothing");
    assert_int_equal(valid_count, 1);
    vary(manifest);
    print_message("%zu changes refused by both, %zu taken by both\n", invalid_count, valid_count);
    assert_in_range(invalid_count, 400, 10000);
    assert_in_range(valid_count, 50, 10000); // such as another architecture, or without a range
    json_decref(manifest);
    json_decref(schema);
}

// Rules that the schema cannot express ------------------------------------------------------------

static void expect_refusal(kiln_status_code_t code, const char *part)
{
    char *text = json_dumps(manifest, 0);
    kiln_description_t d;
    kiln_status_t status = read(text, &d);
    if (kiln_status_code(status) != code || !strstr(kiln_status_message(status), part))
        print_error("wanted '%s', got '%s'\n", part, kiln_status_message(status));
    assert_int_equal(kiln_status_code(status), code);
    assert_non_null(strstr(kiln_status_message(status), part));
    kiln_status_free(status);
    kiln_description_free(&d);
    free(text);
    json_decref(manifest);
    set_manifest();
}

static void set(json_t *object, const char *key, json_t *value)
{
    assert_int_equal(json_object_set_new(object, key, value), 0);
}

static void what_contradicts_itself_is_refused(void **state)
{
    (void)state;
    set_manifest();
#define ARGUMENT(i) json_array_get(json_object_get(manifest, "arguments"), i)
    set(ARGUMENT(3), "offset", json_integer(21));
    expect_refusal(KILN_STATUS_INVALID_INPUT,
                   "4 bytes at offset 21 reach past the end of the kernarg segment");
    set(manifest, "block_size", json_integer(128));
    expect_refusal(KILN_STATUS_INVALID_INPUT, "'block_size' is not the product of 'block'");
    set(manifest, "block", json_pack("[i, i, i]", 64, 64, 1));
    expect_refusal(KILN_STATUS_INVALID_INPUT, "'block' is 4096; expected 0 to 1024");
    set(manifest, "constants", json_array());
    expect_refusal(KILN_STATUS_USAGE, "column 9: the kernel has no integer argument or constant");
    set(ARGUMENT(2), "const", json_true());
    expect_refusal(KILN_STATUS_INVALID_INPUT, "'const' must be true, on a pointer");
    set(ARGUMENT(2), "pointer_range", json_integer(32));
    expect_refusal(KILN_STATUS_INVALID_INPUT, "'pointer_range' requires a pointer");
    set(ARGUMENT(3), "signed", json_true());
    expect_refusal(KILN_STATUS_INVALID_INPUT, "'signed' must be true or false, on an integer");
    set(ARGUMENT(3), "range", json_pack("[i, i]", 1, 2));
    expect_refusal(KILN_STATUS_INVALID_INPUT, "'range' requires an integer argument");
    set(manifest, "workspace_bytes", json_integer(64));
    expect_refusal(KILN_STATUS_UNSUPPORTED, "the kernel needs a workspace");
    set(manifest, "schema", json_integer(2));
    expect_refusal(KILN_STATUS_UNSUPPORTED,
                   "schema 2; this runtime supports 1: use a newer runtime");
    set(manifest, "schema", json_integer(0));
    expect_refusal(KILN_STATUS_UNSUPPORTED, "recompile the kernel");
    json_object_del(manifest, "schema");
    expect_refusal(KILN_STATUS_INVALID_INPUT, "'schema' (an integer) is missing");
    set(manifest, "later", json_true());
    expect_refusal(KILN_STATUS_INVALID_INPUT,
                   "the manifest has an unknown member 'later' in schema 1");
    json_decref(manifest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(manifests_describe_what_was_compiled),
        cmocka_unit_test(wrong_grids_and_ranges_are_refused),
        cmocka_unit_test(the_reader_refuses_what_the_schema_refuses),
        cmocka_unit_test(what_contradicts_itself_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
