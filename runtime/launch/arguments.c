// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A set of named arguments, and the expressions over them.
#include "launch/arguments.h"
#include "base/array.h"
#include "base/description.h"
#include "base/require.h"
#include "launch/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "base/string.h"
#include "base/suggest.h"
#include "hip/device.h"

static const uint64_t FIRST_ADDRESS = UINT64_C(0x100000000), ADDRESS_GAP = UINT64_C(1) << 38,
                      ADDRESS_STEP = UINT64_C(1) << 21;
enum { ADDRESS_DRAWS = 1 << 16 };

kiln_status_t kiln_arguments_create(kiln_device_t *device, kiln_arguments_t **out_arguments)
{
    KILN_REQUIRE_OUT(out_arguments);
    *out_arguments = calloc(1, sizeof **out_arguments);
    if (!*out_arguments)
        return kiln_status_out_of_memory();
    (*out_arguments)->device = device ? kiln_device_retain(device) : NULL;
    return KILN_OK;
}

kiln_device_t *kiln_arguments_device(const kiln_arguments_t *arguments)
{
    return arguments ? arguments->device : NULL;
}

static void free_buffer(kiln_named_buffer_t *buffer)
{
    free((char *)(uintptr_t)buffer->name);
    free(buffer->host);
    free(buffer->contents);
    kiln_buffer_release(buffer->memory);
}

void kiln_arguments_release(kiln_arguments_t *arguments)
{
    if (!arguments)
        return;
    for (size_t i = 0; i < arguments->count; i++)
        free((char *)(uintptr_t)arguments->values[i].name);
    for (size_t i = 0; i < arguments->buffer_count; i++)
        free_buffer(&arguments->buffers[i]);
    free(arguments->values);
    free(arguments->pointees);
    free(arguments->buffers);
    kiln_device_release(arguments->device);
    free(arguments);
}

void kiln_arguments_define(kiln_arguments_t *arguments, const kiln_setting_t *defines, size_t count)
{
    if (!arguments)
        return;
    arguments->defines = defines;
    arguments->define_count = defines ? count : 0;
}

const kiln_jit_argument_t *kiln_arguments_values(const kiln_arguments_t *arguments,
                                                 size_t *out_count)
{
    if (out_count)
        *out_count = arguments ? arguments->count : 0;
    return arguments ? arguments->values : NULL;
}

size_t kiln_arguments_buffer_count(const kiln_arguments_t *arguments)
{
    return arguments ? arguments->buffer_count : 0;
}

const kiln_named_buffer_t *kiln_arguments_buffer(const kiln_arguments_t *arguments, size_t index)
{
    return index < kiln_arguments_buffer_count(arguments) ? &arguments->buffers[index] : NULL;
}

// Expressions -------------------------------------------------------------------------------------

static bool name_is(const char *name, const char *text, size_t length)
{
    return strncmp(name, text, length) == 0 && name[length] == '\0';
}

// The number of elements, of the pointer's type, of the buffer that a pointer points into.
static bool elements_of(const kiln_arguments_t *arguments, const char *name, size_t length,
                        int64_t *out_value)
{
    size_t at = 0;
    while (at < arguments->count && !(arguments->values[at].kind == KILN_JIT_POINTER &&
                                      name_is(arguments->values[at].name, name, length)))
        at++;
    for (size_t i = 0; at < arguments->count && i < arguments->buffer_count; i++) {
        const kiln_named_buffer_t *buffer = &arguments->buffers[i];
        if (arguments->values[at].address - buffer->address > buffer->size) // past the end is in it
            continue;
        const unsigned pointee = arguments->pointees[at];
        const kiln_element_type_t type =
            pointee ? (kiln_element_type_t)(pointee - 1) : buffer->type;
        *out_value = (int64_t)(buffer->size / kiln_element_size(type));
        return true;
    }
    return false;
}

// Whether a define has the name, in which "elements( x )" is "elements(x)".
static bool is_called(const char *define, const char *name, size_t length)
{
    const char *a, *b;
    size_t a_length, b_length;
    if (!kiln_expression_buffer(define, strlen(define), &a, &a_length) ||
        !kiln_expression_buffer(name, length, &b, &b_length))
        return name_is(define, name, length);
    return a_length == b_length && strncmp(a, b, a_length) == 0;
}

static bool lookup(const char *name, size_t length, void *user, int64_t *out_value)
{
    const kiln_arguments_t *arguments = user;
    const char *buffer;
    size_t buffer_length;
    if (kiln_expression_buffer(name, length, &buffer, &buffer_length) &&
        elements_of(arguments, buffer, buffer_length, out_value))
        return true;
    for (size_t i = 0; i < arguments->count; i++)
        if (arguments->values[i].kind == KILN_JIT_INTEGER &&
            name_is(arguments->values[i].name, name, length)) {
            *out_value = arguments->values[i].integer;
            return true;
        }
    for (size_t i = 0; i < arguments->define_count; i++)
        if (is_called(arguments->defines[i].name, name, length)) {
            const char *value = arguments->defines[i].value;
            *out_value = strcmp(value, "true") == 0;
            return *out_value || strcmp(value, "false") == 0 ||
                   kiln_integer_parse_all(value, 0, out_value);
        }
    return false;
}

kiln_status_t kiln_arguments_evaluate(const kiln_arguments_t *arguments, const char *text,
                                      int64_t *out_value)
{
    KILN_REQUIRE_OUT(out_value);
    KILN_REQUIRE(arguments);
    KILN_REQUIRE(text);
    return kiln_expression_evaluate(text, lookup, (void *)(uintptr_t)arguments, out_value);
}

kiln_status_t kiln_arguments_grid(const kiln_arguments_t *arguments, const char *text,
                                  unsigned out_grid[3])
{
    KILN_REQUIRE(arguments);
    KILN_REQUIRE(text);
    KILN_REQUIRE(out_grid);
    size_t dimension = 0;
    int depth = 0;
    for (const char *start = text, *c = start;; c++) {
        depth += (*c == '(') - (*c == ')');
        if (*c && !(*c == ',' && depth == 0)) // commas inside cdiv(a, b) don't separate expressions
            continue;
        if (dimension == 3)
            return kiln_status_make(KILN_STATUS_USAGE,
                                    "expected at most three extents in the grid '%s'", text);
        char *expression = strndup(start, (size_t)(c - start));
        int64_t extent = 0;
        kiln_status_t status = expression ? kiln_arguments_evaluate(arguments, expression, &extent)
                                          : kiln_status_out_of_memory();
        free(expression);
        if (!status && (extent < 0 || extent > INT32_MAX))
            status = kiln_status_make(
                KILN_STATUS_INVALID_INPUT,
                "the grid '%s' has the extent %" PRId64 "; expected 0 to 2147483647", text, extent);
        if (status)
            return status;
        out_grid[dimension++] = (unsigned)extent;
        if (!*c)
            return KILN_OK;
        start = c + 1;
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const kiln_jit_argument_t *const *)a)->name,
                  (*(const kiln_jit_argument_t *const *)b)->name);
}

// Appends ",elements(x)=8" for the buffers whose sizes an extent of a grid uses, once each. The
// grid itself is checked where it is evaluated.
static kiln_status_t append_elements(const kiln_arguments_t *arguments, const char *extent,
                                     kiln_string_t *text)
{
    kiln_expression_t parsed;
    kiln_status_t status = kiln_expression_parse(extent, &parsed);
    for (size_t i = 0; i < parsed.count && !status; i++) {
        const kiln_expression_step_t *step = &parsed.steps[i];
        const char *buffer;
        size_t length;
        int64_t count;
        if (step->op != KILN_EXPRESSION_NAME ||
            !kiln_expression_buffer(parsed.text + step->begin, step->length, &buffer, &length) ||
            !elements_of(arguments, buffer, length, &count))
            continue;
        char *name = kiln_string_print("elements(%.*s)=", (int)length, buffer);
        if (name && (!text->data || !strstr(text->data, name)))
            kiln_string_appendf(text, "%s%s%" PRId64, text->length ? "," : "", name, count);
        text->failed |= !name;
        free(name);
    }
    kiln_expression_free(&parsed);
    if (kiln_status_is_out_of_memory(status))
        return status;
    kiln_status_free(status);
    return KILN_OK;
}

// Of a grid "X,Y;Z": extents of one kernel, and of others.
static kiln_status_t append_all_elements(const kiln_arguments_t *arguments, const char *grid,
                                         kiln_string_t *text)
{
    int depth = 0;
    for (const char *start = grid, *c = start; start && strstr(start, "elements"); c++) {
        depth += (*c == '(') - (*c == ')');
        if (*c && !((*c == ',' || *c == ';') && depth == 0))
            continue;
        char *extent = strndup(start, (size_t)(c - start));
        kiln_status_t status =
            extent ? append_elements(arguments, extent, text) : kiln_status_out_of_memory();
        free(extent);
        if (status || !*c)
            return status;
        start = c + 1;
    }
    return KILN_OK;
}

char *kiln_arguments_tuning_key(const kiln_arguments_t *arguments, const char *grid)
{
    return kiln_arguments_tuning_key_of(arguments, grid, NULL);
}

char *kiln_arguments_tuning_key_of(const kiln_arguments_t *arguments, const char *grid,
                                   const char *declared_grid)
{
    if (!arguments)
        return NULL;
    const kiln_jit_argument_t **sorted = calloc(arguments->count + 1, sizeof *sorted);
    if (!sorted)
        return NULL;
    for (size_t i = 0; i < arguments->count; i++)
        sorted[i] = &arguments->values[i];
    qsort(sorted, arguments->count, sizeof *sorted, by_name);
    kiln_string_t text = {0};
    kiln_string_append(&text, "");
    for (size_t i = 0; i < arguments->count; i++) {
        const char *comma = text.length ? "," : "";
        if (sorted[i]->kind == KILN_JIT_INTEGER)
            kiln_string_appendf(&text, "%s%s=%" PRId64, comma, sorted[i]->name, sorted[i]->integer);
        else if (sorted[i]->kind == KILN_JIT_UNSIGNED)
            kiln_string_appendf(&text, "%s%s=%" PRIu64, comma, sorted[i]->name,
                                (uint64_t)sorted[i]->integer);
        else if (sorted[i]->kind == KILN_JIT_REAL)
            kiln_string_appendf(&text, "%s%s=%.17g", comma, sorted[i]->name, sorted[i]->real);
    }
    free(sorted);
    kiln_status_t status = append_all_elements(arguments, grid, &text);
    if (!status)
        status = append_all_elements(arguments, declared_grid, &text);
    text.failed |= status != KILN_OK; // only of memory
    kiln_status_free(status);
    if (grid)
        kiln_string_append(&text, " grid=");
    for (; grid && *grid; grid++)
        if (!kiln_is_blank(*grid))
            kiln_string_append_char(&text, *grid);
    return kiln_string_take(&text);
}

// Adding ------------------------------------------------------------------------------------------

static kiln_status_t add_argument(kiln_arguments_t *arguments, kiln_jit_argument_t argument)
{
    char *name = strdup(argument.name);
    if (!name ||
        !KILN_ARRAY_RESERVE(&arguments->pointees, &arguments->pointee_capacity,
                            arguments->count + 1) ||
        !KILN_ARRAY_RESERVE(&arguments->values, &arguments->capacity, arguments->count + 1)) {
        free(name);
        return kiln_status_out_of_memory();
    }
    argument.name = name;
    arguments->pointees[arguments->count] = 0;
    arguments->values[arguments->count++] = argument;
    return KILN_OK;
}

static kiln_status_t add_scalar(kiln_arguments_t *arguments, const char *name, const char *value)
{
    char *end;
    double real = kiln_real_parse(value, &end);
    bool is_real = *value && *end == '\0' && (strpbrk(value, ".eEnN") != NULL) &&
                   !kiln_string_starts_with(value, "0x");
    if (is_real)
        return add_argument(arguments, kiln_jit_real(name, real));
    uint64_t large; // what expressions cannot hold
    if (kiln_unsigned_parse_all(value, kiln_string_starts_with(value, "0x") ? 16 : 10, &large) &&
        large > INT64_MAX)
        return add_argument(arguments, kiln_jit_unsigned(name, large));
    int64_t integer;
    KILN_TRY(kiln_arguments_evaluate(arguments, value, &integer));
    return add_argument(arguments, kiln_jit_integer(name, integer));
}

static kiln_status_t unknown_type(const char *type)
{
    kiln_suggestion_t near = kiln_suggestion(type);
    for (int i = 0; i < KILN_ELEMENT_TYPE_COUNT; i++)
        kiln_suggestion_consider(&near, kiln_element_type_name((kiln_element_type_t)i));
    return kiln_status_make(KILN_STATUS_USAGE, "unknown element type '%s'%s", type,
                            kiln_suggestion_advice(&near).text);
}

// Parses "f32[M,K]" at *text into the buffer and advances *text past it.
static kiln_status_t parse_shape(const kiln_arguments_t *arguments, const char **text,
                                 kiln_named_buffer_t *buffer)
{
    const char *open = strchr(*text, '['), *close = strchr(*text, ']');
    char *type = strndup(*text, (size_t)(open - *text));
    if (!type)
        return kiln_status_out_of_memory();
    const bool is_known = kiln_element_type_parse(type, &buffer->type);
    kiln_status_t unknown = is_known ? KILN_OK : unknown_type(type);
    free(type);
    if (unknown)
        return unknown;
    if (!close)
        return kiln_status_make(KILN_STATUS_USAGE, "expected ']' in '%s'", *text);
    buffer->element_count = 1;
    int depth = 0;
    for (const char *start = open + 1, *c = start; c <= close; c++) {
        depth += (*c == '(') - (*c == ')');
        if (c != close && !(*c == ',' && depth == 0)) // commas inside cdiv(a, b) don't separate
                                                      // extents
            continue;
        if (buffer->dimension_count == KILN_ARGUMENTS_MAX_DIMENSIONS)
            return kiln_status_make(KILN_STATUS_USAGE, "more than %d dimensions in '%s'",
                                    KILN_ARGUMENTS_MAX_DIMENSIONS, *text);
        char *expression = strndup(start, (size_t)(c - start));
        int64_t extent = 0;
        kiln_status_t status = expression ? kiln_arguments_evaluate(arguments, expression, &extent)
                                          : kiln_status_out_of_memory();
        free(expression);
        if (status)
            return status;
        if (extent < 0 ||
            __builtin_mul_overflow(buffer->element_count, (size_t)extent, &buffer->element_count) ||
            buffer->element_count > SIZE_MAX / 16)
            return kiln_status_make(KILN_STATUS_INVALID_INPUT, "'%s' has an invalid size", *text);
        buffer->extents[buffer->dimension_count++] = (size_t)extent;
        start = c + 1;
    }
    *text = close + 1;
    return KILN_OK;
}

kiln_status_t kiln_arguments_elements(const kiln_arguments_t *arguments, const char *text,
                                      size_t *out_count)
{
    KILN_REQUIRE_OUT(out_count);
    KILN_REQUIRE(arguments);
    KILN_REQUIRE(text);
    kiln_named_buffer_t buffer = {0};
    const char *equals = strchr(text, '='), *shape = equals ? equals + 1 : "";
    if (*shape == '@')
        KILN_TRY_NOTE(kiln_npy_shape(shape + 1, &buffer), "in the argument '%s'", text);
    else if (*shape == '&' || !strchr(shape, '['))
        return kiln_status_make(KILN_STATUS_USAGE, "expected NAME=TYPE[SIZE,…], got '%s'", text);
    else
        KILN_TRY_NOTE(parse_shape(arguments, &shape, &buffer), "in the argument '%s'", text);
    *out_count = buffer.element_count;
    return KILN_OK;
}

// Offsets of 32 bits, in elements of 8 bytes, reach 2^35 bytes, so the gap covers sums of several.
// Wider offsets reach every buffer, so the distance between two must be one that index arithmetic
// does not yield by chance, as it may yield a power of two or a distance common to all buffers. A
// hash determines it, so that it is the same in every run.
uint64_t kiln_host_address_after(uint64_t address, size_t size)
{
    if (!address)
        return FIRST_ADDRESS;
    uint64_t next;
    const uint64_t drawn =
        (address * UINT64_C(0x9E3779B97F4A7C15) >> 40) % ADDRESS_DRAWS * ADDRESS_STEP;
    return __builtin_add_overflow(address, size, &next) ||
                   __builtin_add_overflow(next, ADDRESS_GAP + drawn + ADDRESS_STEP, &next)
               ? 0
               : next / ADDRESS_STEP * ADDRESS_STEP;
}

// Replaces the expression of ":fill:EXPRESSION" by its value. *out_text is NULL for other contents.
static kiln_status_t evaluate_contents(const kiln_arguments_t *arguments, const char *text,
                                       char **out_text)
{
    static const char FILL[] = ":fill:";
    double number;
    int64_t value;
    *out_text = NULL;
    if (!kiln_string_starts_with(text, FILL) || kiln_real_parse_all(text + strlen(FILL), &number))
        return KILN_OK;
    KILN_TRY(kiln_arguments_evaluate(arguments, text + strlen(FILL), &value));
    *out_text = kiln_string_print("%s%" PRId64, FILL, value);
    return *out_text ? KILN_OK : kiln_status_out_of_memory();
}

// Gives the buffer its address and contents: those of `how`, or of a file.
static kiln_status_t make_contents(kiln_arguments_t *arguments, kiln_named_buffer_t *buffer,
                                   const char *how)
{
    char *data = NULL;
    if (*how == '@')
        KILN_TRY(kiln_named_buffer_load(buffer, how + 1, &data));
    else if (!(buffer->contents = malloc(sizeof(kiln_contents_t))))
        return kiln_status_out_of_memory();
    else
        KILN_TRY(kiln_contents_parse(buffer, how, buffer->contents));
    if (!arguments->device) {
        buffer->host = data ? data : malloc(buffer->size + 1);
        if (!buffer->host)
            return kiln_status_out_of_memory();
        if (buffer->contents)
            kiln_contents_fill(buffer->contents, buffer->host);
        return KILN_OK;
    }
    kiln_status_t status = kiln_buffer_create(arguments->device, buffer->size, &buffer->memory);
    if (!status)
        status = data ? kiln_buffer_write(buffer->memory, 0, data, buffer->size)
                      : kiln_named_buffer_restore(buffer);
    free(data);
    return status;
}

// Creates the last buffer and its argument.
static kiln_status_t make_buffer(kiln_arguments_t *arguments, const char *name, const char *text)
{
    kiln_named_buffer_t *buffer = &arguments->buffers[arguments->buffer_count - 1];
    if (*text == '@')
        KILN_TRY(kiln_npy_shape(text + 1, buffer));
    else
        KILN_TRY(parse_shape(arguments, &text, buffer));
    buffer->size = buffer->element_count * kiln_element_size(buffer->type);
    char *contents;
    KILN_TRY(evaluate_contents(arguments, text, &contents));
    kiln_status_t status = make_contents(arguments, buffer, contents ? contents : text);
    free(contents);
    if (status == kiln_status_out_of_memory())
        status = kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "out of memory: '%s' has %zu bytes",
                                  name, buffer->size);
    if (status)
        return status;
    if (!arguments->device) {
        const kiln_named_buffer_t *before = arguments->buffer_count > 1 ? buffer - 1 : NULL;
        buffer->address =
            kiln_host_address_after(before ? before->address : 0, before ? before->size : 0);
        if (!buffer->address)
            return kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "no addresses are left for '%s'",
                                    name);
        kiln_jit_argument_t argument = {.name = name,
                                        .kind = KILN_JIT_POINTER,
                                        .address = buffer->address,
                                        .integer = 1 + (int64_t)buffer->type};
        return add_argument(arguments, argument);
    }
    buffer->address = kiln_buffer_address(buffer->memory);
    return add_argument(arguments, kiln_jit_elements(name, buffer->memory, buffer->type));
}

static kiln_status_t add_buffer(kiln_arguments_t *arguments, const char *name, const char *text)
{
    if (!KILN_ARRAY_RESERVE(&arguments->buffers, &arguments->buffer_capacity,
                            arguments->buffer_count + 1))
        return kiln_status_out_of_memory();
    kiln_named_buffer_t *buffer = &arguments->buffers[arguments->buffer_count];
    *buffer = (kiln_named_buffer_t){.name = strdup(name)};
    if (!buffer->name)
        return kiln_status_out_of_memory();
    arguments->buffer_count++;
    kiln_status_t status = make_buffer(arguments, name, text);
    if (status) // it has no argument, and perhaps no memory
        free_buffer(&arguments->buffers[--arguments->buffer_count]);
    return status;
}

// "&x", "&x[8]": a pointer into the buffer of another argument.
static kiln_status_t add_address(kiln_arguments_t *arguments, const char *name, const char *text)
{
    const size_t length = strcspn(text, "[");
    const char *close = text[length] ? text + strlen(text) - 1 : NULL;
    size_t index;
    int64_t offset = 0;
    KILN_TRY(kiln_arguments_find_buffer(arguments, text, length, &index));
    const kiln_named_buffer_t buffer = arguments->buffers[index];
    if (close && *close != ']')
        return kiln_status_make(KILN_STATUS_USAGE,
                                "expected &BUFFER or &BUFFER[ELEMENT], got '&%s'", text);
    if (close) {
        char *element = strndup(text + length + 1, (size_t)(close - text) - length - 1);
        kiln_status_t status = element ? kiln_arguments_evaluate(arguments, element, &offset)
                                       : kiln_status_out_of_memory();
        free(element);
        KILN_TRY(status);
    }
    if (offset < 0 || (uint64_t)offset > buffer.element_count)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "buffer '%s' has %zu elements; element %lld is out of range",
                                buffer.name, buffer.element_count, (long long)offset);
    for (size_t i = 0; i < arguments->count; i++) {
        kiln_jit_argument_t argument = arguments->values[i];
        if (strcmp(argument.name, buffer.name) != 0)
            continue;
        const uint64_t bytes = (uint64_t)offset * kiln_element_size(buffer.type);
        argument.name = name;
        argument.address += bytes; // the storage stays the same
        return add_argument(arguments, argument);
    }
    return kiln_status_make(KILN_STATUS_INTERNAL, "buffer '%s' is not an argument", buffer.name);
}

kiln_status_t kiln_arguments_add(kiln_arguments_t *arguments, const char *text)
{
    KILN_REQUIRE(arguments);
    KILN_REQUIRE(text);
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return kiln_status_make(KILN_STATUS_USAGE, "expected NAME=VALUE, got '%s'", text);
    char *name = strndup(text, (size_t)(equals - text));
    if (!name)
        return kiln_status_out_of_memory();
    bool is_buffer = equals[1] == '@' || strchr(equals, '[');
    kiln_status_t status = equals[1] == '&' ? add_address(arguments, name, equals + 2)
                           : is_buffer      ? add_buffer(arguments, name, equals + 1)
                                            : add_scalar(arguments, name, equals + 1);
    free(name);
    return kiln_status_annotate(status, "in the argument '%s'", text);
}

// Buffers -----------------------------------------------------------------------------------------

kiln_status_t kiln_arguments_find_buffer(const kiln_arguments_t *arguments, const char *name,
                                         size_t length, size_t *out_index)
{
    KILN_REQUIRE_OUT(out_index);
    KILN_REQUIRE(arguments);
    KILN_REQUIRE(name);
    for (size_t i = 0; i < arguments->buffer_count; i++)
        if (name_is(arguments->buffers[i].name, name, length)) {
            *out_index = i;
            return KILN_OK;
        }
    return kiln_status_make(KILN_STATUS_USAGE, "unknown buffer '%.*s'", (int)length, name);
}

kiln_status_t kiln_named_buffer_check_type(const kiln_named_buffer_t *buffer,
                                           const char *parameter_type)
{
    KILN_REQUIRE(buffer);
    KILN_REQUIRE(parameter_type);
    kiln_element_type_t wanted;
    // The launch itself checks scalars, and pointers to memory outside of these buffers.
    if (parameter_type[0] != '*' || !kiln_element_type_parse(parameter_type + 1, &wanted) ||
        kiln_element_types_agree(wanted, buffer->type))
        return KILN_OK;
    return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                            "buffer '%s' has elements %s, but the kernel expects %s", buffer->name,
                            kiln_element_type_name(buffer->type), parameter_type + 1);
}

kiln_status_t kiln_arguments_set_type(kiln_arguments_t *arguments, const char *name,
                                      const char *parameter_type)
{
    KILN_REQUIRE(arguments);
    KILN_REQUIRE(name);
    KILN_REQUIRE(parameter_type);
    kiln_element_type_t type;
    if (parameter_type[0] != '*' || !kiln_element_type_parse(parameter_type + 1, &type))
        return KILN_OK;
    for (size_t i = 0; i < arguments->buffer_count; i++)
        if (strcmp(arguments->buffers[i].name, name) == 0)
            return kiln_named_buffer_check_type(&arguments->buffers[i], parameter_type);
    // The value stays as it is: the JIT knows the call by it.
    for (size_t i = 0; i < arguments->count; i++)
        if (arguments->values[i].kind == KILN_JIT_POINTER &&
            strcmp(arguments->values[i].name, name) == 0)
            arguments->pointees[i] = (unsigned char)(1 + type);
    return KILN_OK;
}

kiln_status_t kiln_arguments_check_types(kiln_arguments_t *arguments, const char *manifest)
{
    KILN_REQUIRE(arguments);
    KILN_REQUIRE(manifest);
    json_t *json, *parameters, *parameter;
    size_t index;
    KILN_TRY(kiln_json_parse("manifest", manifest, strlen(manifest), &json));
    kiln_status_t status = kiln_json_array(json, "arguments", &parameters);
    json_array_foreach(parameters, index, parameter)
    {
        const char *name, *type;
        if (!status)
            status = kiln_json_string(parameter, "name", &name);
        if (!status)
            status = kiln_json_string(parameter, "type", &type);
        if (!status)
            status = kiln_arguments_set_type(arguments, name, type);
    }
    json_decref(json);
    return status;
}
