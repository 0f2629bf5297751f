// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form that the store gives the tuner's key of a problem, so that what the command stores is
// found by programs, which write the text themselves: "n=10000, a=2.0 grid=cdiv(n, BLOCK)" is
// "a=2,n=10000 grid=cdiv(n,BLOCK)". A text that is not a list of NAME=VALUE is kept.
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "base/string.h"
#include "store.h"

typedef struct items {
    char **texts; // "NAME=VALUE"
    size_t count, capacity;
} items_t;

// By names; sizes of buffers, elements(x), last.
static int by_name(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    const size_t x_length = strcspn(x, "="), y_length = strcspn(y, "=");
    const bool x_is_size = memchr(x, '(', x_length), y_is_size = memchr(y, '(', y_length);
    if (x_is_size != y_is_size)
        return x_is_size - y_is_size;
    const int order = strncmp(x, y, x_length < y_length ? x_length : y_length);
    return order ? order : (x_length > y_length) - (x_length < y_length);
}

// The number that a value is, as kiln_arguments_tuning_key prints it.
static void append_value(const char *value, kiln_string_t *out)
{
    int64_t integer;
    uint64_t large;
    char *end, number[64];
    const double real = kiln_real_parse(value, &end);
    if (!*value || *end || kiln_integer_parse_all(value, 10, &integer) ||
        kiln_unsigned_parse_all(value, 10, &large)) {
        kiln_string_append(out, value);
        return;
    }
    kiln_format(number, sizeof number, "%.17g", real);
    kiln_string_append(out, number);
}

static char *without_blanks(const char *text, size_t length)
{
    char *copy = malloc(length + 1), *to = copy;
    for (size_t i = 0; copy && i < length; i++)
        if (!kiln_is_blank(text[i]))
            *to++ = text[i];
    if (copy)
        *to = '\0';
    return copy;
}

// Appends an item; false if memory is exhausted.
static bool add(items_t *items, const char *text, size_t length)
{
    if (!KILN_ARRAY_RESERVE(&items->texts, &items->capacity, items->count + 1))
        return false;
    items->texts[items->count] = without_blanks(text, length);
    return items->texts[items->count++] != NULL;
}

static const char GRID[] = " grid=";

// Splits the text before the grid; *out_is_list is false if it is not a list of NAME=VALUE.
static bool split(const char *text, size_t length, items_t *items, bool *out_is_list)
{
    *out_is_list = true;
    for (size_t start = 0; start < length;) {
        const char *comma = memchr(text + start, ',', length - start);
        const size_t end = comma ? (size_t)(comma - text) : length;
        if (!add(items, text + start, end - start))
            return false;
        const char *item = items->texts[items->count - 1], *equals = strchr(item, '=');
        *out_is_list &= equals && equals != item && equals[1];
        start = end + 1;
    }
    return true;
}

static void print(const items_t *items, const char *grid, kiln_string_t *out)
{
    kiln_string_append(out, "");
    for (size_t i = 0; i < items->count; i++) {
        const char *equals = strchr(items->texts[i], '=');
        kiln_string_appendf(out, "%s%.*s", i ? "," : "", (int)(equals + 1 - items->texts[i]),
                            items->texts[i]);
        append_value(equals + 1, out);
    }
    if (grid)
        kiln_string_append(out, GRID);
    for (const char *c = grid ? grid + sizeof GRID - 1 : ""; *c; c++)
        if (!kiln_is_blank(*c))
            kiln_string_append_char(out, *c);
}

char *kiln_store_arguments(const char *text)
{
    const char *grid = strstr(text, GRID);
    items_t items = {0};
    bool is_list = false;
    char *result = NULL;
    if (split(text, grid ? (size_t)(grid - text) : strlen(text), &items, &is_list)) {
        if (items.count)
            qsort(items.texts, items.count, sizeof *items.texts, by_name);
        kiln_string_t out = {0};
        if (is_list)
            print(&items, grid, &out);
        result = is_list ? kiln_string_take(&out) : strdup(text);
    }
    for (size_t i = 0; i < items.count; i++)
        free(items.texts[i]);
    free(items.texts);
    return result;
}
