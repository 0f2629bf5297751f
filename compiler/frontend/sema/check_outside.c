// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions with output or foreign code: print, printf, assert, static_print, and inline assembly;
// and map, scalar code on each element.
//
// tt prints one value per line, so each of printf's conversions becomes a line, with the text that
// precedes it; the last line also has the text after its conversion.
#include "frontend/sema/check_builtin.h"

#include <stdio.h>
#include <string.h>

#include "builder/print_format.h"

// A string with C's escapes replaced; NULL after a report.
static const char *read_string(const kiln_call_t *call, const kiln_expr_t *expr, const char *what)
{
    static const char from[] = "ntr0\\\"'", to[] = "\n\t\r\0\\\"'";
    if (!expr || expr->kind != KILN_EXPR_STRING) {
        kiln_check_fail(call->checker, expr ? expr->span : call->expr->at,
                        "expected a string for %s: %s", what, call->builtin->usage);
        return NULL;
    }
    size_t length = strlen(expr->name), used = 0;
    char *text = kiln_arena_copy(call->checker->arena, expr->name, length);
    for (size_t i = 0; i < length; i++) {
        const char *escape =
            expr->name[i] == '\\' && i + 1 < length ? strchr(from, expr->name[i + 1]) : NULL;
        if (expr->name[i] == '\\' && (!escape || *escape == '0')) {
            kiln_check_fail(call->checker, expr->span, "invalid escape '\\%c' in a string",
                            expr->name[i + 1]);
            return NULL;
        }
        text[used++] = escape ? to[escape - from] : expr->name[i];
        i += escape != NULL;
    }
    text[used] = '\0';
    return text;
}

static kiln_node_t *make_void(const kiln_call_t *call, kiln_builtin_id_t id)
{
    kiln_tile_type_t nothing = kiln_tile_scalar(KILN_SCALAR_VOID);
    kiln_node_t *node = kiln_call_make(call, &nothing, NULL, NULL, NULL);
    node->builtin = kiln_builtin_row(id);
    return node;
}

// Values to print, of any type that tt prints. Literals get their default type.
static kiln_node_t *check_printed(const kiln_call_t *call, size_t index)
{
    kiln_node_t *x = kiln_call_argument(call, index);
    if (kiln_node_is_error(x))
        return x;
    if (x->type.scalar == KILN_SCALAR_VOID && !x->type.is_pointer) {
        kiln_check_fail(call->checker, x->span, "this has no value");
        return kiln_call_fail(call);
    }
    return x->is_flexible ? kiln_convert_element(call->checker, x, x->type.scalar) : x;
}

// One line for each element of the values; settings: hexadecimal.
static kiln_node_t *make_print(const kiln_call_t *call, const char *prefix, kiln_node_t **values,
                               size_t count, bool hex)
{
    kiln_node_t *node = make_void(call, KILN_BUILTIN_PRINT);
    node->text = prefix;
    node->inputs = values;
    node->input_count = count;
    node->settings[0] = hex;
    return node;
}

kiln_node_t *kiln_check_builtin_print(const kiln_call_t *call)
{
    bool hex;
    size_t count = call->expr->count - 1;
    const char *label = read_string(call, call->expr->list[0], "the label of print");
    kiln_node_t **values = KILN_ARENA_ARRAY(call->checker->arena, kiln_node_t *, count + 1);
    if (!label || !kiln_call_flag(call, KILN_BUILTIN_OPTION_HEX, false, &hex))
        return kiln_call_fail(call);
    for (size_t i = 0; i < count; i++)
        if (kiln_node_is_error(values[i] = check_printed(call, i + 1)))
            return values[i];
    char *prefix = KILN_ARENA_ARRAY(call->checker->arena, char, strlen(label) + 4);
    snprintf(prefix, strlen(label) + 4, count ? " %s: " : " %s", label);
    return make_print(call, prefix, values, count, hex);
}

// printf ------------------------------------------------------------------------------------------

static bool fits(const kiln_print_format_t *format, const kiln_tile_type_t *type)
{
    bool is_integer = !type->is_pointer && kiln_tile_is_integer(type);
    switch (kiln_print_format_kind(format)) {
    case KILN_PRINT_SIGNED:
        return is_integer &&
               (!kiln_tile_is_unsigned(type) || kiln_scalar_row(type->scalar)->bits < 32);
    case KILN_PRINT_UNSIGNED: // C prints the bits of a negative number with %x, too
        return is_integer && (format->conversion != 'u' || kiln_tile_is_unsigned(type));
    case KILN_PRINT_REAL:
        return !type->is_pointer && (kiln_tile_is_float(type) || kiln_tile_is_float8(type));
    case KILN_PRINT_POINTER:
        return type->is_pointer;
    }
    return false;
}

// Whether tt.print has the same format by default.
static bool is_plain(const kiln_print_format_t *format)
{
    return !*format->flags && format->width < 0 && format->precision < 0 &&
           strchr("diufp", format->conversion);
}

// Reads the text up to a conversion, and the conversion, whose letter is '\0' at the end; false
// after a report.
static bool read_format(const kiln_call_t *call, const char **at, char *out,
                        kiln_print_format_t *format)
{
    char *begin = out;
    *out++ = ' ';
    for (; **at; ++*at) {
        if (**at != '%') {
            *out++ = **at;
            continue;
        }
        if ((*at)[1] == '%') {
            *out++ = '%';
            ++*at;
            continue;
        }
        ++*at;
        const size_t length = kiln_print_format_read(*at, strlen(*at), format);
        if (!length) {
            kiln_check_fail(call->checker, kiln_call_place(call, 0),
                            "invalid conversion '%%%.*s'; printf supports %%d %%i %%o %%u %%x %%f "
                            "%%e %%g %%a %%p with "
                            "C's flags, a width and a precision of at most 99 (%%p: only a width)",
                            (int)strcspn(*at, " \n"), *at);
            return false;
        }
        *out = '\0';
        *at += length;
        return true;
    }
    while (out > begin + 1 && out[-1] == '\n') // tt.print ends every line itself
        out--;
    *out = '\0';
    *format = (kiln_print_format_t){0};
    return true;
}

// Sets the conversion of a line's value, and the text after it.
static void set_format(const kiln_call_t *call, kiln_node_t *line,
                       const kiln_print_format_t *format, const char *suffix)
{
    char conversion[KILN_PRINT_TEXT];
    const size_t room = sizeof conversion + strlen(suffix);
    kiln_print_format_text(format, "", conversion);
    char *text = KILN_ARENA_ARRAY(call->checker->arena, char, room);
    snprintf(text, room, "%s%s", conversion, suffix);
    line->more_text = text;
}

kiln_node_t *kiln_check_builtin_printf(const kiln_call_t *call)
{
    kiln_checker_t *checker = call->checker;
    const char *at = read_string(call, call->expr->list[0], "printf's format");
    kiln_node_t *all = NULL, *last = NULL;
    kiln_print_format_t last_format = {0};
    size_t used = 1;
    if (!at)
        return kiln_call_fail(call);
    for (;;) {
        char *text = KILN_ARENA_ARRAY(checker->arena, char, strlen(at) + 4);
        kiln_print_format_t format;
        if (!read_format(call, &at, text, &format))
            return kiln_call_fail(call);
        const char conversion = format.conversion;
        if (!conversion && used < call->expr->count) {
            kiln_check_fail(checker, kiln_call_place(call, used),
                            "more values than conversions in the format");
            return kiln_call_fail(call);
        }
        if (!conversion && all && !text[1])
            return all;
        if (!conversion && all) {
            set_format(call, last, &last_format, text + 1);
            return all;
        }
        kiln_node_t **values = KILN_ARENA_ARRAY(checker->arena, kiln_node_t *, 1);
        if (conversion) {
            if (used >= call->expr->count) {
                kiln_check_fail(checker, kiln_call_place(call, 0), "no value for '%%%c'",
                                conversion);
                return kiln_call_fail(call);
            }
            values[0] = check_printed(call, used++);
            if (kiln_node_is_error(values[0]))
                return values[0];
            if (!fits(&format, &values[0]->type)) {
                kiln_check_fail(checker, values[0]->span, "'%%%c' cannot print %s", conversion,
                                KILN_TYPE_TEXT(checker, &values[0]->type));
                return kiln_call_fail(call);
            }
        }
        last = make_print(call, text, values, conversion != 0, false);
        last_format = format;
        if (conversion && !is_plain(&format))
            set_format(call, last, &format, "");
        all = all ? kiln_node_sequence(checker, all, last) : last;
        if (!conversion)
            return all;
    }
}

// Assertions and constants ------------------------------------------------------------------------

kiln_node_t *kiln_check_builtin_assert(const kiln_call_t *call)
{
    kiln_checker_t *checker = call->checker;
    kiln_node_t *condition = kiln_convert_to_bool(checker, kiln_call_argument(call, 0));
    const kiln_expr_t *given = call->expr->count > 1 ? call->expr->list[1] : NULL;
    kiln_node_t *mask = kiln_call_argument(call, 2);
    const char *message = given ? read_string(call, given, "the message") : NULL;
    if (kiln_node_is_error(condition) || (given && !message))
        return kiln_call_fail(call);
    if (!given) {
        kiln_span_t span = call->expr->list[0]->span;
        message =
            kiln_span_is_prelude(span) ? "assertion" : kiln_reporter_text(checker->reporter, span);
    }
    if (mask) { // the assertion holds where the mask is false
        mask = kiln_convert_to_bool(checker, mask);
        if (!kiln_convert_common_shape(checker, &condition, &mask, call->expr->at))
            return kiln_call_fail(call);
        kiln_node_t *one = kiln_node_int(checker, KILN_SCALAR_BOOL, 1, mask->span);
        mask = kiln_check_binary(checker, KILN_OPERATOR_XOR, mask, one, mask->span, call->expr->at);
        condition = kiln_check_binary(checker, KILN_OPERATOR_OR, condition, mask, call->expr->span,
                                      call->expr->at);
    }
    kiln_node_t *node = make_void(call, KILN_BUILTIN_ASSERT);
    node->arguments[0] = condition;
    node->text = message;
    return node;
}

kiln_node_t *kiln_check_builtin_static_print(const kiln_call_t *call)
{
    kiln_checker_t *checker = call->checker;
    kiln_arena_t *arena = checker->arena;
    const char *line = "";
    for (size_t i = 0; i < call->expr->count; i++) {
        const kiln_expr_t *expr = call->expr->list[i];
        const char *text;
        if (expr->kind == KILN_EXPR_STRING) {
            if (!(text = read_string(call, expr, "this")))
                return kiln_call_fail(call);
        } else {
            kiln_node_t *x = kiln_call_argument(call, i);
            if (kiln_node_is_error(x))
                return x;
            if (!kiln_node_is_constant(x))
                text = KILN_TYPE_TEXT(checker, &x->type);
            else if (!kiln_tile_is_integer(&x->type))
                text = kiln_arena_print(arena, "%.9g", x->constant.floating);
            else if (kiln_tile_is_bool(&x->type))
                text = x->constant.integer ? "true" : "false";
            else if (kiln_tile_is_unsigned(&x->type))
                text = kiln_arena_print(arena, "%llu", (unsigned long long)x->constant.integer);
            else
                text = kiln_arena_print(arena, "%lld", (long long)x->constant.integer);
        }
        line = kiln_arena_print(arena, "%s%s%s", line, i ? " " : "", text);
    }
    KILN_REPORT_NOTE(checker->reporter, call->expr->at, "%s", line);
    kiln_tile_type_t nothing = kiln_tile_scalar(KILN_SCALAR_VOID);
    kiln_node_t *node =
        kiln_node_make(checker, KILN_NODE_EXPANSION, &nothing, call->expr->span, call->expr->at);
    node->body = kiln_action_make(checker, KILN_ACTION_BLOCK, call->expr->span);
    return node;
}

// Code for each element ---------------------------------------------------------------------------

// Number of values before the results, which begin at the first address from argument `first` on.
static size_t count_values(const kiln_call_t *call, size_t first)
{
    size_t count = 0;
    while (first + count < call->expr->count &&
           (call->expr->list[first + count]->kind != KILN_EXPR_ADDRESS ||
            kiln_is_memory_address(call->checker, call->expr->list[first + count])))
        count++;
    return count;
}

typedef struct elements {
    kiln_node_t **values;
    kiln_variable_t **targets;
    kiln_span_t *places;
    size_t value_count, target_count;
} elements_t;

// Reads values of one shape, and variables of that shape.
static bool read_elements(const kiln_call_t *call, size_t first, size_t value_count,
                          size_t target_first, elements_t *out)
{
    kiln_checker_t *checker = call->checker;
    out->value_count = value_count;
    out->target_count = call->expr->count - target_first;
    out->values = KILN_ARENA_ARRAY(checker->arena, kiln_node_t *, value_count + 1);
    out->targets = KILN_ARENA_ARRAY(checker->arena, kiln_variable_t *, out->target_count + 1);
    out->places = KILN_ARENA_ARRAY(checker->arena, kiln_span_t, out->target_count + 1);
    for (size_t i = 0; i < value_count; i++) {
        kiln_node_t *x = out->values[i] = check_printed(call, first + i);
        if (kiln_node_is_error(x))
            return false;
        if (x->type.is_pointer || !kiln_tile_is_arithmetic(&x->type)) {
            kiln_check_fail(checker, x->span, "%s cannot be applied to %s", call->builtin->name,
                            KILN_TYPE_TEXT(checker, &x->type));
            return false;
        }
    }
    for (int round = 0; round < 2; round++)
        for (size_t i = 1; i < value_count; i++)
            if (!kiln_convert_common_shape(checker, &out->values[0], &out->values[i],
                                           call->expr->at))
                return false;
    for (size_t i = 0; i < out->target_count; i++) {
        out->places[i] = kiln_call_place(call, target_first + i);
        out->targets[i] = kiln_check_address(checker, call->expr->list[target_first + i]);
        if (!out->targets[i])
            return false;
        if (value_count && !kiln_tile_shape_equal(&out->targets[i]->type, &out->values[0]->type)) {
            kiln_check_fail(checker, out->places[i],
                            "expected a result with the shape of the values, %s, got %s",
                            KILN_TYPE_TEXT(checker, &out->values[0]->type),
                            KILN_TYPE_TEXT(checker, &out->targets[i]->type));
            return false;
        }
    }
    return true;
}

static kiln_node_t *build_results(const kiln_call_t *call, kiln_node_t *node,
                                  const elements_t *elements)
{
    kiln_node_t **values =
        KILN_ARENA_ARRAY(call->checker->arena, kiln_node_t *, elements->target_count + 1);
    for (size_t i = 0; i < elements->target_count; i++)
        values[i] = kiln_node_variable(call->checker, node->outputs[i], elements->places[i]);
    return kiln_check_results(call->checker, node, values, elements->targets, elements->places,
                              elements->target_count);
}

kiln_node_t *kiln_check_builtin_inline_asm(const kiln_call_t *call)
{
    elements_t elements;
    int64_t packed;
    bool pure;
    const char *text = read_string(call, call->expr->list[0], "the assembly");
    const char *constraints =
        text ? read_string(call, call->expr->list[1], "the list of constraints") : NULL;
    size_t count = count_values(call, 2);
    if (!constraints || !read_elements(call, 2, count, 2 + count, &elements) ||
        !kiln_call_number(call, KILN_BUILTIN_OPTION_PACKED, 1, &packed) ||
        !kiln_call_flag(call, KILN_BUILTIN_OPTION_PURE, true, &pure))
        return kiln_call_fail(call);
    if (packed < 1 || packed > 64 || (packed & (packed - 1))) {
        kiln_check_fail(call->checker, call->options[KILN_BUILTIN_OPTION_PACKED]->span,
                        ".packed must be a power of two of at most 64");
        return kiln_call_fail(call);
    }
    kiln_tile_type_t *types =
        KILN_ARENA_ARRAY(call->checker->arena, kiln_tile_type_t, elements.target_count);
    for (size_t i = 0; i < elements.target_count; i++) {
        types[i] = elements.targets[i]->type;
        if (types[i].is_pointer || !kiln_tile_is_arithmetic(&types[i])) {
            kiln_check_fail(call->checker, elements.places[i],
                            "assembly returns integers and floats, not %s",
                            KILN_TYPE_TEXT(call->checker, &types[i]));
            return kiln_call_fail(call);
        }
    }
    kiln_node_t *node = make_void(call, KILN_BUILTIN_INLINE_ASM);
    node->text = text;
    node->more_text = constraints;
    node->inputs = elements.values;
    node->input_count = elements.value_count;
    node->settings[0] = (int)packed;
    node->settings[1] = pure;
    kiln_call_outputs(call, node, types, elements.target_count);
    return build_results(call, node, &elements);
}

kiln_node_t *kiln_check_builtin_map(const kiln_call_t *call)
{
    kiln_checker_t *checker = call->checker;
    elements_t elements;
    size_t count = 0;
    while (count < call->expr->count &&
           !kiln_check_names_function(checker, call->expr->list[count]))
        count++;
    if (!count || count == call->expr->count || count > KILN_BUILDER_COMBINE_LIMIT ||
        call->expr->count - count - 1 > KILN_BUILDER_COMBINE_LIMIT) {
        kiln_check_fail(checker, call->expr->at,
                        "expected a function on the elements of 1 to %d tiles: %s",
                        KILN_BUILDER_COMBINE_LIMIT, call->builtin->usage);
        return kiln_call_fail(call);
    }
    const kiln_expr_t *function = call->expr->list[count];
    if (!read_elements(call, 0, count, count + 1, &elements) ||
        !kiln_call_needs_tile(call, elements.values[0]))
        return kiln_call_fail(call);
    size_t results = elements.target_count;
    kiln_region_t *region = KILN_ARENA_NEW(checker->arena, kiln_region_t);
    kiln_variable_t **variables =
        KILN_ARENA_ARRAY(checker->arena, kiln_variable_t *, count + results);
    for (size_t i = 0; i < count + results; i++) {
        const kiln_tile_type_t *type =
            i < count ? &elements.values[i]->type : &elements.targets[i - count]->type;
        kiln_tile_type_t scalar = kiln_tile_scalar(type->scalar);
        variables[i] = kiln_variable_make(checker, NULL, &scalar, function->span);
    }
    const char *outer = checker->combining;
    checker->combining = function->name;
    kiln_node_t *called = kiln_check_call_of(checker, function->name, function, variables, count,
                                             results, count + results);
    checker->combining = outer;
    if (kiln_node_is_error(called))
        return called;
    bool is_void = called->type.scalar == KILN_SCALAR_VOID;
    if (is_void != (results > 0) || called->type.rank ||
        (!is_void && !kiln_tile_is_arithmetic(&called->type))) {
        kiln_check_fail(checker, function->span,
                        results ? "'%s' writes its results through pointers, so it must return void"
                                : "'%s' must return one number per element",
                        function->name);
        return kiln_call_fail(call);
    }
    region->parameters = variables;
    region->parameter_count = count;
    region->result_count = results ? results : 1;
    region->results = KILN_ARENA_ARRAY(checker->arena, kiln_node_t *, region->result_count);
    kiln_tile_type_t *types =
        KILN_ARENA_ARRAY(checker->arena, kiln_tile_type_t, region->result_count);
    if (results) {
        region->body = kiln_action_make(checker, KILN_ACTION_EVALUATE, function->span);
        region->body->value = called;
    }
    for (size_t i = 0; i < region->result_count; i++) {
        region->results[i] =
            results ? kiln_node_variable(checker, variables[count + i], function->span) : called;
        types[i] =
            kiln_tile_with_scalar(&elements.values[0]->type, region->results[i]->type.scalar);
    }
    kiln_node_t *node = kiln_call_make(call, &types[0], NULL, NULL, NULL);
    node->inputs = elements.values;
    node->input_count = count;
    node->region = region;
    kiln_call_outputs(call, node, types, region->result_count);
    return results ? build_results(call, node, &elements) : node;
}
