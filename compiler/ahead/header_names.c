// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names, types and expressions of a header. Note that two names may map to the same identifier.
#include "header_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/string.h"
#include "identifier.h"
#include "kiln/ahead.h"

static const struct {
    const char *c;
    bool is_exact; // the name states the type fully
} types[KILN_ELEMENT_TYPE_COUNT] = {
    [KILN_ELEMENT_I1] = {"bool", true},
    [KILN_ELEMENT_I8] = {"int8_t", true},
    [KILN_ELEMENT_I16] = {"int16_t", true},
    [KILN_ELEMENT_I32] = {"int32_t", true},
    [KILN_ELEMENT_I64] = {"int64_t", true},
    [KILN_ELEMENT_U8] = {"uint8_t", true},
    [KILN_ELEMENT_U16] = {"uint16_t", true},
    [KILN_ELEMENT_U32] = {"uint32_t", true},
    [KILN_ELEMENT_U64] = {"uint64_t", true},
    [KILN_ELEMENT_F16] = {"uint16_t", false},
    [KILN_ELEMENT_BF16] = {"uint16_t", false},
    [KILN_ELEMENT_F32] = {"float", true},
    [KILN_ELEMENT_F64] = {"double", true},
    [KILN_ELEMENT_F8E4M3FNUZ] = {"uint8_t", false},
    [KILN_ELEMENT_F8E5M2FNUZ] = {"uint8_t", false},
    [KILN_ELEMENT_F8E4M3FN] = {"uint8_t", false},
    [KILN_ELEMENT_F8E5M2] = {"uint8_t", false},
};

static bool ends_in(const char *name, const char *end)
{
    const size_t length = strlen(name), size = strlen(end);
    return length >= size && strcmp(name + length - size, end) == 0;
}

// Whether a header that the launcher includes may define the name as a macro, or the launcher may
// use it: types, names that C or a library reserves, and words in capitals (NULL, INT32_MAX).
static bool is_reserved(const char *name)
{
    static const char *const words[] = {"linux", "unix", "errno", "stdin", "stdout", "stderr"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i]) == 0)
            return true;
    bool has_lower = false;
    for (const char *c = name; *c; c++)
        has_lower |= *c >= 'a' && *c <= 'z';
    return (name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'))) ||
           strncmp(name, "hip", 3) == 0 || strncmp(name, "kiln_", 5) == 0 || ends_in(name, "_t") ||
           (!has_lower && strlen(name) > 2);
}

static bool is_taken(const kiln_c_argument_t *arguments, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(arguments[i].name, name) == 0)
            return true;
    return false;
}

static char *identifier_of(const char *name)
{
    char *symbol = kiln_symbol_of(name);
    if (!symbol || !is_reserved(symbol))
        return symbol;
    char *text = kiln_string_print("arg_%s", symbol);
    free(symbol);
    return text;
}

static char *free_name(const kiln_c_argument_t *arguments, size_t count, const char *name)
{
    char *text = identifier_of(name);
    for (size_t number = 2; text && is_taken(arguments, count, text); number++) {
        free(text);
        char *plain = identifier_of(name);
        text = plain ? kiln_string_print("%s_%zu", plain, number) : NULL;
        free(plain);
    }
    return text;
}

kiln_status_t kiln_c_arguments_make(const kiln_description_t *d, kiln_c_argument_t **out_arguments)
{
    kiln_c_argument_t *all = *out_arguments = calloc(d->argument_count + 1, sizeof *all);
    if (!all)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < d->argument_count; i++) {
        const kiln_described_argument_t *from = &d->arguments[i];
        all[i].type = from->is_known ? types[from->element].c : "void";
        all[i].note = from->is_known && !types[from->element].is_exact
                          ? kiln_element_type_name(from->element)
                          : NULL;
        if (!from->is_known && !from->is_pointer)
            return kiln_status_make(
                KILN_STATUS_UNSUPPORTED,
                "argument '%s' of kernel '%s' has type '%s', which has no C equivalent", from->name,
                d->kernel, from->type);
        all[i].name = free_name(all, i, from->name);
        if (!all[i].name)
            return kiln_status_out_of_memory();
    }
    return KILN_OK;
}

void kiln_c_arguments_free(kiln_c_argument_t *arguments, size_t count)
{
    for (size_t i = 0; arguments && i < count; i++)
        free(arguments[i].name);
    free(arguments);
}

static char *literal(int64_t value)
{
    return value == INT64_MIN ? strdup("INT64_MIN")
                              : kiln_string_print("%" PRId64, value); // C has no literal for -2^63
}

static char *leaf(const kiln_expression_t *expression, const kiln_expression_step_t *step,
                  const kiln_description_t *d, const kiln_c_argument_t *arguments)
{
    if (step->op == KILN_EXPRESSION_NUMBER)
        return literal(step->number);
    const char *name = expression->text + step->begin;
    const kiln_described_argument_t *argument = kiln_description_argument(d, name, step->length);
    if (argument)
        return kiln_string_print("(int64_t)%s", arguments[argument - d->arguments].name);
    return literal(kiln_description_constant(d, name, step->length)->integer);
}

char *kiln_c_expression(const kiln_expression_t *expression, const kiln_description_t *d,
                        const kiln_c_argument_t *arguments)
{
    static const char operators[] = "\0\0+-*/%c<>"; // by kiln_expression_op_t
    char *stack[KILN_EXPRESSION_STACK] = {NULL};
    size_t count = 0;
    for (size_t i = 0; i < expression->count; i++) {
        const kiln_expression_step_t *step = &expression->steps[i];
        if (step->op <= KILN_EXPRESSION_NAME) {
            stack[count++] = leaf(expression, step, d, arguments);
            continue;
        }
        char *a = stack[count - 2], *b = stack[count - 1];
        stack[count - 2] = a && b ? kiln_string_print("kiln_launcher_op('%c', %s, %s, &kiln_bad_)",
                                                      operators[step->op], a, b)
                                  : NULL;
        count--;
        free(a);
        free(b);
    }
    return stack[0];
}

char *kiln_c_string(const char *text)
{
    kiln_string_t out = {0};
    kiln_string_append_char(&out, '"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c >= ' ' && c < 0x7f && c != '"' && c != '\\' && c != '?')
            kiln_string_append_char(&out, *text);
        else
            kiln_string_appendf(&out, "\\%03o", c);
    }
    kiln_string_append_char(&out, '"');
    return kiln_string_take(&out);
}
