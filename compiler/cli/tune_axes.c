// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values and ranges of axes: "1,2,32..256*2" is 1, 2, 32, 64, 128, 256.
//
// Ranges are counted in integers that do not wrap: the last value may be INT64_MAX.
#include "tune_axes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

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

static bool add_value(kiln_tune_axes_t *axes, size_t axis, size_t *io_count, const char *value)
{
    if (*io_count == KILN_TUNE_MAX_VALUES)
        return false;
    axes->values[axis][(*io_count)++] = value;
    return true;
}

static bool add_range(kiln_tune_axes_t *axes, size_t axis, size_t *io_count, const range_t *range)
{
    for (int64_t value = range->first; value <= range->last;) {
        if (*io_count == KILN_TUNE_MAX_VALUES)
            return false;
        char *number = axes->numbers[axis][*io_count];
        snprintf(number, KILN_TUNE_VALUE_SIZE, "%" PRId64, value);
        add_value(axes, axis, io_count, number);
        if (range->multiplies ? __builtin_mul_overflow(value, range->by, &value)
                              : __builtin_add_overflow(value, range->by, &value))
            break;
    }
    return true;
}

bool kiln_tune_axes_add(kiln_tune_axes_t *axes, char *word)
{
    char *equals = strchr(word, '=');
    if (!equals || equals == word || axes->count == KILN_TUNE_MAX_AXES)
        return false;
    *equals = '\0';
    size_t axis = axes->count++, count = 0;
    char *rest = NULL;
    for (char *value = strtok_r(equals + 1, ",", &rest); value;
         value = strtok_r(NULL, ",", &rest)) {
        char *dots = strstr(value, "..");
        range_t range;
        if (dots ? !parse_range(value, dots, &range) || !add_range(axes, axis, &count, &range)
                 : !add_value(axes, axis, &count, value))
            return false;
    }
    axes->axes[axis] = (kiln_tune_axis_t){word, axes->values[axis], count};
    return count > 0;
}
