// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsing, filling, showing and saving the arguments of `kiln run`.
#include "run_arguments.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/string.h"
#include "expression.h"
#include "run_interp.h"

static kiln_status_t out_of_memory(void)
{
    return kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "out of memory");
}

static bool name_is(const char *name, const char *text, size_t length)
{
    return strncmp(name, text, length) == 0 && name[length] == '\0';
}

static bool lookup(const char *name, size_t length, void *user, int64_t *out_value)
{
    const kiln_run_arguments_t *arguments = user;
    for (size_t i = 0; i < arguments->count; i++)
        if (arguments->arguments[i].kind == KILN_JIT_INTEGER && name_is(arguments->arguments[i].name, name, length)) {
            *out_value = arguments->arguments[i].integer;
            return true;
        }
    for (size_t i = 0; i < arguments->define_count; i++)
        if (name_is(arguments->defines[i].name, name, length)) {
            char *end;
            *out_value = strtoll(arguments->defines[i].value, &end, 0);
            return end != arguments->defines[i].value && *end == '\0';
        }
    return false;
}

kiln_status_t kiln_run_evaluate(kiln_run_arguments_t *arguments, const char *text, int64_t *out_value)
{
    return kiln_expression_evaluate(text, lookup, arguments, out_value);
}

kiln_status_t kiln_run_grid(kiln_run_arguments_t *arguments, const char *text, unsigned out_grid[3])
{
    size_t dimension = 0;
    int depth = 0;
    for (const char *start = text, *c = start;; c++) {
        depth += (*c == '(') - (*c == ')');
        if (*c && !(*c == ',' && depth == 0)) // commas inside cdiv(a, b) separate nothing
            continue;
        if (dimension == 3)
            return kiln_status_make(KILN_STATUS_USAGE, "the grid '%s' has more than three extents", text);
        char *expression = strndup(start, (size_t)(c - start));
        int64_t extent = 0;
        kiln_status_t status = expression ? kiln_run_evaluate(arguments, expression, &extent) : out_of_memory();
        free(expression);
        if (!status && (extent < 0 || extent > INT32_MAX))
            status = kiln_status_make(KILN_STATUS_USAGE,
                                      "the grid '%s' has the extent %" PRId64 "; 0 to 2147483647 are possible", text,
                                      extent);
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
    return strcmp((*(const kiln_jit_argument_t *const *)a)->name, (*(const kiln_jit_argument_t *const *)b)->name);
}

char *kiln_run_tuning_arguments(const kiln_run_arguments_t *arguments)
{
    const kiln_jit_argument_t **sorted = calloc(arguments->count + 1, sizeof *sorted);
    if (!sorted)
        return NULL;
    for (size_t i = 0; i < arguments->count; i++)
        sorted[i] = &arguments->arguments[i];
    qsort(sorted, arguments->count, sizeof *sorted, by_name);
    kiln_string_t text = {0};
    kiln_string_append(&text, "");
    for (size_t i = 0; i < arguments->count; i++) {
        const char *comma = text.length ? "," : "";
        if (sorted[i]->kind == KILN_JIT_INTEGER)
            kiln_string_appendf(&text, "%s%s=%" PRId64, comma, sorted[i]->name, sorted[i]->integer);
        else if (sorted[i]->kind == KILN_JIT_REAL)
            kiln_string_appendf(&text, "%s%s=%.17g", comma, sorted[i]->name, sorted[i]->real);
    }
    free(sorted);
    return kiln_string_take(&text);
}

static kiln_status_t add_argument(kiln_run_arguments_t *arguments, kiln_jit_argument_t argument)
{
    kiln_jit_argument_t *grown = realloc(arguments->arguments, (arguments->count + 1) * sizeof *grown);
    char *name = strdup(argument.name);
    if (grown)
        arguments->arguments = grown;
    if (!grown || !name) {
        free(name);
        return out_of_memory();
    }
    argument.name = name;
    grown[arguments->count++] = argument;
    return KILN_OK;
}

static kiln_status_t add_scalar(kiln_run_arguments_t *arguments, const char *name, const char *value)
{
    char *end;
    double real = strtod(value, &end);
    bool is_real = *value && *end == '\0' && (strpbrk(value, ".eEnN") != NULL) && !kiln_string_starts_with(value, "0x");
    if (is_real)
        return add_argument(arguments, kiln_jit_real(name, real));
    int64_t integer;
    KILN_TRY(kiln_run_evaluate(arguments, value, &integer));
    return add_argument(arguments, kiln_jit_integer(name, integer));
}

// Reads "f32[M,K]" at *text into the buffer; *text moves behind it.
static kiln_status_t parse_shape(kiln_run_arguments_t *arguments, const char **text, kiln_run_buffer_t *buffer)
{
    const char *open = strchr(*text, '['), *close = strchr(*text, ']');
    char type[16];
    snprintf(type, sizeof type, "%.*s", (int)(open - *text), *text);
    if (!kiln_element_type_parse(type, &buffer->type))
        return kiln_status_make(KILN_STATUS_USAGE, "unknown element type '%s'", type);
    if (!close)
        return kiln_status_make(KILN_STATUS_USAGE, "']' is wanted in '%s'", *text);
    buffer->element_count = 1;
    int depth = 0;
    for (const char *start = open + 1, *c = start; c <= close; c++) {
        depth += (*c == '(') - (*c == ')');
        if (c != close && !(*c == ',' && depth == 0)) // commas inside cdiv(a, b) separate nothing
            continue;
        if (buffer->dimension_count == KILN_RUN_MAX_DIMENSIONS)
            return kiln_status_make(KILN_STATUS_USAGE, "more than %d dimensions in '%s'", KILN_RUN_MAX_DIMENSIONS,
                                    *text);
        char *expression = strndup(start, (size_t)(c - start));
        int64_t extent = 0;
        kiln_status_t status = expression ? kiln_run_evaluate(arguments, expression, &extent) : out_of_memory();
        free(expression);
        if (status)
            return status;
        if (extent < 0 || __builtin_mul_overflow(buffer->element_count, (size_t)extent, &buffer->element_count) ||
            buffer->element_count > SIZE_MAX / 16)
            return kiln_status_make(KILN_STATUS_USAGE, "'%s' has no possible size", *text);
        buffer->extents[buffer->dimension_count++] = (size_t)extent;
        start = c + 1;
    }
    *text = close + 1;
    return KILN_OK;
}

// splitmix64: a bijection of a counter, good enough for test data and the same everywhere.
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

// Floats get a uniform value in [−1, 1), integers one in [−8, 7], or [0, 15] where unsigned and a bit for i1.
static void put_random(kiln_element_type_t type, uint64_t *state, void *element)
{
    uint64_t bits = next_random(state);
    if (kiln_element_is_float(type))
        kiln_element_from_double(type, (double)(bits >> 11) * 0x1p-52 - 1.0, element);
    else if (type == KILN_ELEMENT_I1)
        kiln_element_from_int64(type, (int64_t)(bits & 1), element);
    else
        kiln_element_from_int64(type, (int64_t)(bits & 15) - (kiln_element_kind(type) == KILN_ELEMENT_INTEGER ? 8 : 0),
                                element);
}

static kiln_status_t parse_number(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    if (!*text || *end)
        return kiln_status_make(KILN_STATUS_USAGE, "'%s' is no number", text);
    return KILN_OK;
}

// Fills host bytes as ":zeros", ":iota", ":random[:seed]" or ":fill:VALUE" says.
static kiln_status_t fill(const kiln_run_buffer_t *buffer, const char *how, char *data)
{
    size_t size = kiln_element_size(buffer->type);
    double value = 0;
    if (strcmp(how, "") == 0 || strcmp(how, ":zeros") == 0) {
        memset(data, 0, buffer->element_count * size);
    } else if (strcmp(how, ":iota") == 0) {
        for (size_t i = 0; i < buffer->element_count; i++)
            kiln_element_from_int64(buffer->type, (int64_t)i, data + i * size);
    } else if (strcmp(how, ":random") == 0 || kiln_string_starts_with(how, ":random:")) {
        if (how[7])
            KILN_TRY(parse_number(how + 8, &value));
        uint64_t state = (uint64_t)(int64_t)value;
        for (size_t i = 0; i < buffer->element_count; i++)
            put_random(buffer->type, &state, data + i * size);
    } else if (kiln_string_starts_with(how, ":fill:")) {
        KILN_TRY(parse_number(how + 6, &value));
        for (size_t i = 0; i < buffer->element_count; i++)
            kiln_element_from_double(buffer->type, value, data + i * size);
    } else {
        return kiln_status_make(KILN_STATUS_USAGE,
                                "unknown contents '%s': :zeros, :iota, :random[:seed], :fill:VALUE or @file is wanted",
                                how);
    }
    return KILN_OK;
}

static kiln_status_t make_contents(const kiln_run_buffer_t *buffer, const char *how, char **out_data)
{
    size_t wanted = buffer->element_count * kiln_element_size(buffer->type), size;
    if (how[0] != '@') {
        *out_data = malloc(wanted + 1);
        return *out_data ? fill(buffer, how, *out_data) : out_of_memory();
    }
    KILN_TRY(kiln_file_read(how + 1, out_data, &size));
    if (size != wanted)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "'%s' has %zu bytes, the buffer %zu", how + 1, size, wanted);
    return KILN_OK;
}

static kiln_status_t add_buffer(kiln_run_arguments_t *arguments, const char *name, const char *text)
{
    kiln_run_buffer_t *grown = realloc(arguments->buffers, (arguments->buffer_count + 1) * sizeof *grown);
    if (!grown)
        return out_of_memory();
    arguments->buffers = grown;
    kiln_run_buffer_t *buffer = &grown[arguments->buffer_count];
    *buffer = (kiln_run_buffer_t){.name = strdup(name)};
    if (!buffer->name)
        return out_of_memory();
    arguments->buffer_count++; // from here on freed with the others
    KILN_TRY(parse_shape(arguments, &text, buffer));
    size_t size = buffer->element_count * kiln_element_size(buffer->type);
    char *data = NULL;
    kiln_status_t status = make_contents(buffer, text, &data);
    if (!status && !arguments->device) {
        const kiln_run_buffer_t *before = arguments->buffer_count > 1 ? buffer - 1 : NULL;
        buffer->host = data;
        buffer->address = kiln_interp_place(before ? before->address : 0, before ? kiln_run_buffer_size(before) : 0);
        kiln_jit_argument_t argument = {.name = name, .kind = KILN_JIT_POINTER, .address = buffer->address};
        return add_argument(arguments, argument);
    }
    if (!status)
        status = kiln_buffer_create(arguments->device, size, &buffer->memory);
    if (!status)
        status = kiln_buffer_write(buffer->memory, 0, data, size);
    free(data);
    if (status)
        return status;
    return add_argument(arguments, kiln_jit_buffer(name, buffer->memory));
}

kiln_status_t kiln_run_argument_add(kiln_run_arguments_t *arguments, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return kiln_status_make(KILN_STATUS_USAGE, "'%s' is no NAME=VALUE", text);
    char *name = strndup(text, (size_t)(equals - text));
    if (!name)
        return out_of_memory();
    kiln_status_t status =
        strchr(equals, '[') ? add_buffer(arguments, name, equals + 1) : add_scalar(arguments, name, equals + 1);
    free(name);
    return kiln_status_annotate(status, "in the argument '%s'", text);
}

kiln_status_t kiln_run_find_buffer(kiln_run_arguments_t *arguments, const char *name, size_t length,
                                   kiln_run_buffer_t **out_buffer)
{
    *out_buffer = NULL;
    for (size_t i = 0; i < arguments->buffer_count; i++)
        if (name_is(arguments->buffers[i].name, name, length)) {
            *out_buffer = &arguments->buffers[i];
            return KILN_OK;
        }
    return kiln_status_make(KILN_STATUS_USAGE, "there is no buffer '%.*s'", (int)length, name);
}

// Integers of one size count as one type: whether they have a sign is the kernel's matter.
static bool same_elements(kiln_element_type_t a, kiln_element_type_t b)
{
    return a == b ||
           (!kiln_element_is_float(a) && !kiln_element_is_float(b) && kiln_element_size(a) == kiln_element_size(b));
}

kiln_status_t kiln_run_check_type(const kiln_run_buffer_t *buffer, const char *parameter_type)
{
    kiln_element_type_t wanted;
    // A scalar, or a pointer to something that no buffer of ours holds, is for the launch to judge.
    if (parameter_type[0] != '*' || !kiln_element_type_parse(parameter_type + 1, &wanted) ||
        same_elements(wanted, buffer->type))
        return KILN_OK;
    return kiln_status_make(KILN_STATUS_INVALID_INPUT, "buffer '%s' holds %s, the kernel wants %s", buffer->name,
                            kiln_element_type_name(buffer->type), parameter_type + 1);
}

static kiln_status_t check_type(const kiln_run_buffer_t *buffer, const json_t *parameters)
{
    size_t index;
    json_t *parameter;
    json_array_foreach(parameters, index, parameter)
    {
        const char *name, *type;
        KILN_TRY(kiln_json_string(parameter, "name", &name));
        KILN_TRY(kiln_json_string(parameter, "type", &type));
        if (strcmp(name, buffer->name) == 0)
            KILN_TRY(kiln_run_check_type(buffer, type));
    }
    return KILN_OK;
}

kiln_status_t kiln_run_check_types(const kiln_run_arguments_t *arguments, const char *manifest)
{
    json_t *json, *parameters;
    KILN_TRY(kiln_json_parse("manifest", manifest, strlen(manifest), &json));
    kiln_status_t status = kiln_json_array(json, "arguments", &parameters);
    for (size_t i = 0; i < arguments->buffer_count && !status; i++)
        status = check_type(&arguments->buffers[i], parameters);
    json_decref(json);
    return status;
}

size_t kiln_run_buffer_size(const kiln_run_buffer_t *buffer)
{
    return buffer->element_count * kiln_element_size(buffer->type);
}

static kiln_status_t read_back(const kiln_run_buffer_t *buffer, char **out_data, size_t *out_size)
{
    *out_size = kiln_run_buffer_size(buffer);
    *out_data = malloc(*out_size + 1);
    if (*out_data && buffer->host) {
        memcpy(*out_data, buffer->host, *out_size);
        return KILN_OK;
    }
    return *out_data ? kiln_buffer_read(buffer->memory, 0, *out_data, *out_size) : out_of_memory();
}

typedef struct range {
    size_t begin, end;
} range_t;

// One of "a:b", ":b", "a:", ":" or "a" up to `end`.
static kiln_status_t parse_range(kiln_run_arguments_t *arguments, const char *text, const char *end, size_t extent,
                                 range_t *out)
{
    const char *colon = memchr(text, ':', (size_t)(end - text));
    char *first = strndup(text, (size_t)((colon ? colon : end) - text)),
         *second = colon ? strndup(colon + 1, (size_t)(end - colon - 1)) : NULL;
    int64_t begin = 0, stop = (int64_t)extent;
    kiln_status_t status = first && (!colon || second) ? KILN_OK : out_of_memory();
    if (!status && *first)
        status = kiln_run_evaluate(arguments, first, &begin);
    if (!status && second && *second)
        status = kiln_run_evaluate(arguments, second, &stop);
    if (!status && !colon)
        stop = begin + 1;
    if (!status && (begin < 0 || stop < begin || stop > (int64_t)extent))
        status = kiln_status_make(KILN_STATUS_USAGE, "the range '%.*s' leaves the extent %zu", (int)(end - text), text,
                                  extent);
    *out = (range_t){(size_t)begin, (size_t)stop};
    free(first);
    free(second);
    return status;
}

static void print_element(kiln_element_type_t type, const char *element)
{
    if (kiln_element_is_float(type))
        printf("%.7g", kiln_element_to_double(type, element));
    else if (type == KILN_ELEMENT_U64)
        printf("%" PRIu64, (uint64_t)kiln_element_to_int64(type, element));
    else
        printf("%" PRId64, kiln_element_to_int64(type, element));
}

// Prints the chosen rows; `extents` and `ranges` hold the dimensions from the current one on.
static void print_rows(const kiln_run_buffer_t *buffer, const char *data, size_t start, const size_t *extents,
                       const range_t *ranges, size_t dimension_count)
{
    size_t size = kiln_element_size(buffer->type);
    if (dimension_count == 1) {
        printf("  ");
        for (size_t i = ranges[0].begin; i < ranges[0].end; i++) {
            printf(i == ranges[0].begin ? "" : " ");
            print_element(buffer->type, data + (start + i) * size);
        }
        printf("\n");
        return;
    }
    size_t stride = 1;
    for (size_t d = 1; d < dimension_count; d++)
        stride *= extents[d];
    for (size_t i = ranges[0].begin; i < ranges[0].end; i++)
        print_rows(buffer, data, start + i * stride, extents + 1, ranges + 1, dimension_count - 1);
}

static kiln_status_t parse_ranges(kiln_run_arguments_t *arguments, const kiln_run_buffer_t *buffer, const char *text,
                                  size_t *extents, range_t *ranges, size_t *out_count)
{
    size_t count = 0;
    if (*text == '[') {
        const char *start = text + 1;
        for (const char *c = start;; c++) {
            if (!*c)
                return kiln_status_make(KILN_STATUS_USAGE, "']' is wanted in '%s'", text);
            if (*c != ',' && *c != ']')
                continue;
            if (count && count == buffer->dimension_count)
                return kiln_status_make(KILN_STATUS_USAGE, "'%s' has more ranges than the buffer's %zu dimensions",
                                        text, count);
            if (*c == ']' && c[1])
                return kiln_status_make(KILN_STATUS_USAGE, "'%s' goes on behind its ']'", text);
            // One range over a buffer of several dimensions counts elements in memory order.
            bool flat = count == 0 && *c == ']';
            size_t extent = flat ? buffer->element_count : count < buffer->dimension_count ? buffer->extents[count] : 0;
            KILN_TRY(parse_range(arguments, start, c, extent, &ranges[count]));
            extents[count++] = extent;
            start = c + 1;
            if (*c == ']')
                break;
        }
        if (count != 1 && count != buffer->dimension_count)
            return kiln_status_make(KILN_STATUS_USAGE, "'%s' has %zu ranges, the buffer %zu dimensions", text, count,
                                    buffer->dimension_count);
    } else {
        for (count = 0; count < buffer->dimension_count; count++) {
            extents[count] = buffer->extents[count];
            ranges[count] = (range_t){0, extents[count]};
        }
    }
    *out_count = count;
    return KILN_OK;
}

kiln_status_t kiln_run_print(kiln_run_arguments_t *arguments, const char *text)
{
    size_t length = strcspn(text, "["), extents[KILN_RUN_MAX_DIMENSIONS], count = 0, size;
    range_t ranges[KILN_RUN_MAX_DIMENSIONS];
    kiln_run_buffer_t *buffer;
    KILN_TRY(kiln_run_find_buffer(arguments, text, length, &buffer));
    KILN_TRY(parse_ranges(arguments, buffer, text + length, extents, ranges, &count));
    char *data;
    kiln_status_t status = read_back(buffer, &data, &size);
    if (!status) {
        printf("%s =\n", text);
        print_rows(buffer, data, 0, extents, ranges, count);
    }
    free(data);
    return status;
}

kiln_status_t kiln_run_save(kiln_run_arguments_t *arguments, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals || !equals[1])
        return kiln_status_make(KILN_STATUS_USAGE, "'%s' is no NAME=FILE", text);
    kiln_run_buffer_t *buffer;
    KILN_TRY(kiln_run_find_buffer(arguments, text, (size_t)(equals - text), &buffer));
    char *data;
    size_t size;
    kiln_status_t status = read_back(buffer, &data, &size);
    if (!status)
        status = kiln_file_write(equals + 1, data, size, 0666, KILN_FILE_NO_SYNC);
    free(data);
    return status;
}

void kiln_run_arguments_free(kiln_run_arguments_t *arguments)
{
    for (size_t i = 0; i < arguments->count; i++)
        free((char *)(uintptr_t)arguments->arguments[i].name);
    for (size_t i = 0; i < arguments->buffer_count; i++) {
        free(arguments->buffers[i].name);
        free(arguments->buffers[i].host);
        kiln_buffer_release(arguments->buffers[i].memory);
    }
    free(arguments->arguments);
    free(arguments->buffers);
    *arguments = (kiln_run_arguments_t){0};
}
