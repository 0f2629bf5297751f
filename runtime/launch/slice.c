// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints a part of a buffer: "c[0:4,0:4]".
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/require.h"
#include "base/string.h"
#include "launch/arguments.h"

typedef struct range {
    size_t begin, end;
} range_t;

// Parses one of "a:b", ":b", "a:", ":" or "a" up to `end`.
static kiln_status_t parse_range(const kiln_arguments_t *arguments, const char *text,
                                 const char *end, size_t extent, range_t *out)
{
    const char *colon = memchr(text, ':', (size_t)(end - text));
    char *first = strndup(text, (size_t)((colon ? colon : end) - text)),
         *second = colon ? strndup(colon + 1, (size_t)(end - colon - 1)) : NULL;
    int64_t begin = 0, stop = (int64_t)extent;
    kiln_status_t status = first && (!colon || second) ? KILN_OK : kiln_status_out_of_memory();
    if (!status && !*first && !colon)
        status = kiln_status_make(KILN_STATUS_USAGE, "expected an index or a range, got '%.*s'",
                                  (int)(end - text), text);
    if (!status && *first)
        status = kiln_arguments_evaluate(arguments, first, &begin);
    if (!status && second && *second)
        status = kiln_arguments_evaluate(arguments, second, &stop);
    if (!status && !colon)
        stop = begin < stop ? begin + 1 : INT64_MAX;
    if (!status && (begin < 0 || stop < begin || stop > (int64_t)extent))
        status = kiln_status_make(KILN_STATUS_USAGE, "the range '%.*s' exceeds the extent %zu",
                                  (int)(end - text), text, extent);
    *out = (range_t){(size_t)begin, (size_t)stop};
    free(first);
    free(second);
    return status;
}

static void append_element(kiln_string_t *text, kiln_element_type_t type, const char *element)
{
    if (kiln_element_is_float(type))
        kiln_string_appendf(text, "%.7g", kiln_element_to_double(type, element));
    else if (type == KILN_ELEMENT_U64)
        kiln_string_appendf(text, "%" PRIu64, (uint64_t)kiln_element_to_int64(type, element));
    else
        kiln_string_appendf(text, "%" PRId64, kiln_element_to_int64(type, element));
}

// Appends the selected rows; `extents` and `ranges` begin at the current dimension.
static void append_rows(kiln_string_t *text, const kiln_named_buffer_t *buffer, const char *data,
                        size_t start, const size_t *extents, const range_t *ranges,
                        size_t dimension_count)
{
    size_t size = kiln_element_size(buffer->type);
    if (dimension_count == 1) {
        kiln_string_append(text, "  ");
        for (size_t i = ranges[0].begin; i < ranges[0].end; i++) {
            kiln_string_append(text, i == ranges[0].begin ? "" : " ");
            append_element(text, buffer->type, data + (start + i) * size);
        }
        kiln_string_append(text, "\n");
        return;
    }
    size_t stride = 1;
    for (size_t d = 1; d < dimension_count; d++)
        stride *= extents[d];
    for (size_t i = ranges[0].begin; i < ranges[0].end; i++)
        append_rows(text, buffer, data, start + i * stride, extents + 1, ranges + 1,
                    dimension_count - 1);
}

static kiln_status_t parse_ranges(const kiln_arguments_t *arguments,
                                  const kiln_named_buffer_t *buffer, const char *text,
                                  size_t *extents, range_t *ranges, size_t *out_count)
{
    size_t count = 0;
    if (*text == '[') {
        const char *start = text + 1;
        for (const char *c = start;; c++) {
            if (!*c)
                return kiln_status_make(KILN_STATUS_USAGE, "expected ']' in '%s'", text);
            if (*c != ',' && *c != ']')
                continue;
            if (count && count == buffer->dimension_count)
                return kiln_status_make(KILN_STATUS_USAGE,
                                        "'%s' has more ranges than the buffer's %zu dimensions",
                                        text, count);
            if (*c == ']' && c[1])
                return kiln_status_make(KILN_STATUS_USAGE, "unexpected text in '%s' after ']'",
                                        text);
            // One range over a buffer of several dimensions counts elements in memory order.
            bool flat = count == 0 && *c == ']';
            size_t extent = flat                              ? buffer->element_count
                            : count < buffer->dimension_count ? buffer->extents[count]
                                                              : 0;
            KILN_TRY(parse_range(arguments, start, c, extent, &ranges[count]));
            extents[count++] = extent;
            start = c + 1;
            if (*c == ']')
                break;
        }
        if (count != 1 && count != buffer->dimension_count)
            return kiln_status_make(KILN_STATUS_USAGE,
                                    "'%s' has %zu ranges, but the buffer has %zu dimensions", text,
                                    count, buffer->dimension_count);
    } else {
        for (count = 0; count < buffer->dimension_count; count++) {
            extents[count] = buffer->extents[count];
            ranges[count] = (range_t){0, extents[count]};
        }
    }
    *out_count = count;
    return KILN_OK;
}

kiln_status_t kiln_arguments_show(const kiln_arguments_t *arguments, const char *text,
                                  char **out_shown)
{
    KILN_REQUIRE_OUT(out_shown);
    KILN_REQUIRE(arguments);
    KILN_REQUIRE(text);
    size_t length = strcspn(text, "["), extents[KILN_ARGUMENTS_MAX_DIMENSIONS], count = 0, index;
    range_t ranges[KILN_ARGUMENTS_MAX_DIMENSIONS];
    KILN_TRY(kiln_arguments_find_buffer(arguments, text, length, &index));
    const kiln_named_buffer_t *buffer = &arguments->buffers[index];
    KILN_TRY(parse_ranges(arguments, buffer, text + length, extents, ranges, &count));
    char *data = malloc(buffer->size + 1);
    kiln_status_t status =
        data ? kiln_named_buffer_read(buffer, data) : kiln_status_out_of_memory();
    if (!status) {
        kiln_string_t shown = {0};
        kiln_string_appendf(&shown, "%s =\n", text);
        append_rows(&shown, buffer, data, 0, extents, ranges, count);
        *out_shown = kiln_string_take(&shown);
        status = *out_shown ? KILN_OK : kiln_status_out_of_memory();
    }
    free(data);
    return status;
}
