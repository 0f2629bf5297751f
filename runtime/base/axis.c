// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the values of a tuning axis.
#include "base/axis.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "base/string.h"

typedef struct range {
    int64_t first, last, by;
    bool multiplies;
} range_t;

// FIRST..LAST, FIRST..LAST+STEP, FIRST..LAST*FACTOR; `dots` is where the two dots are. Splits the
// word in place.
static bool parse_range(char *word, char *dots, range_t *out)
{
    char *last = dots + 2, *by = last + strcspn(last, "+*");
    const char how = *by;
    *out = (range_t){.by = 1, .multiplies = how == '*'};
    *dots = *by = '\0';
    return kiln_integer_parse_all(word, 10, &out->first) &&
           kiln_integer_parse_all(last, 10, &out->last) && out->first <= out->last &&
           (!how || kiln_integer_parse_all(by + 1, 10, &out->by)) &&
           out->by >= (how == '*' ? 2 : 1) && (how != '*' || out->first >= 1);
}

static bool has(const kiln_axis_values_t *values, const char *text)
{
    for (size_t i = 0; i < values->count; i++)
        if (strcmp(values->items[i], text) == 0)
            return true;
    return false;
}

// Appends the text, if it is not among the values, and takes ownership of it.
static kiln_status_t push(kiln_axis_values_t *values, char *text)
{
    kiln_status_t status = KILN_OK;
    if (text && has(values, text)) {
        free(text);
        return KILN_OK;
    }
    if (!text || !KILN_ARRAY_RESERVE(&values->items, &values->capacity, values->count + 1))
        status = kiln_status_out_of_memory();
    else if (values->count == KILN_AXIS_MAX_VALUES)
        status = kiln_status_make(KILN_STATUS_USAGE, "an axis has at most %d values",
                                  KILN_AXIS_MAX_VALUES);
    if (status) {
        free(text);
        return status;
    }
    values->items[values->count++] = text;
    return KILN_OK;
}

static kiln_status_t push_range(kiln_axis_values_t *values, const range_t *range)
{
    for (int64_t value = range->first; value <= range->last;) {
        KILN_TRY(push(values, kiln_string_print("%" PRId64, value)));
        if (range->multiplies ? __builtin_mul_overflow(value, range->by, &value)
                              : __builtin_add_overflow(value, range->by, &value))
            break;
    }
    return KILN_OK;
}

kiln_status_t kiln_axis_values_add(kiln_axis_values_t *values, const char *text, size_t length)
{
    char *word = strndup(text, length);
    if (!word)
        return kiln_status_out_of_memory();
    char *dots = strstr(word, "..");
    range_t range;
    if (length && !dots)
        return push(values, word);
    kiln_status_t status =
        dots && parse_range(word, dots, &range)
            ? push_range(values, &range)
            : kiln_status_make(KILN_STATUS_USAGE,
                               "expected a value or a range such as 1..8, 16..64+16 or 32..256*2, "
                               "got '%.*s'",
                               (int)length, text);
    free(word);
    return status;
}

kiln_status_t kiln_axis_values_add_all(kiln_axis_values_t *values, const char *text)
{
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        KILN_TRY(kiln_axis_values_add(values, at, length));
        at += length;
        if (!*at)
            return KILN_OK;
    }
}

void kiln_axis_values_free(kiln_axis_values_t *values)
{
    for (size_t i = 0; i < values->count; i++)
        free(values->items[i]);
    free(values->items);
    *values = (kiln_axis_values_t){0};
}
