// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads files of sizes.
#include "size_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/number.h"
#include "base/string.h"

void kiln_size_rows_free(kiln_size_rows_t *rows)
{
    for (size_t i = 0; i < rows->name_count; i++)
        free(rows->names[i]);
    free(rows->names);
    free(rows->values);
    free(rows->lines);
    free(rows->left_out);
    *rows = (kiln_size_rows_t){0};
}

bool kiln_size_rows_find(const kiln_size_rows_t *rows, const char *name, size_t *out_column)
{
    for (size_t i = 0; i < rows->name_count; i++)
        if (strcmp(rows->names[i], name) == 0) {
            *out_column = i;
            return true;
        }
    return false;
}

int64_t kiln_size_rows_value(const kiln_size_rows_t *rows, size_t row, size_t column)
{
    return rows->values[row * rows->name_count + column];
}

char *kiln_size_rows_text(const kiln_size_rows_t *rows, size_t row)
{
    kiln_string_t text = {0};
    for (size_t i = 0; i < rows->name_count; i++)
        kiln_string_appendf(&text, "%s%s=%" PRId64, i ? " " : "", rows->names[i],
                            kiln_size_rows_value(rows, row, i));
    return kiln_string_take(&text);
}

kiln_status_t kiln_size_rows_words(const kiln_size_rows_t *rows, size_t row, char **words,
                                   size_t count, char ***out_words)
{
    char **all = *out_words = calloc(rows->name_count + count + 1, sizeof *all);
    bool is_whole = all != NULL;
    for (size_t i = 0; i < rows->name_count && is_whole; i++) {
        all[i] =
            kiln_string_print("%s=%" PRId64, rows->names[i], kiln_size_rows_value(rows, row, i));
        is_whole = all[i] != NULL;
    }
    for (size_t i = 0; i < count && is_whole; i++)
        all[rows->name_count + i] = words[i];
    if (is_whole)
        return KILN_OK;
    kiln_size_rows_free_words(rows, all);
    *out_words = NULL;
    return kiln_status_out_of_memory();
}

void kiln_size_rows_free_words(const kiln_size_rows_t *rows, char **words)
{
    for (size_t i = 0; i < rows->name_count && words; i++)
        free(words[i]);
    free(words);
}

// Reading -----------------------------------------------------------------------------------------

// A field of a line, without blanks around it.
typedef struct field {
    const char *text;
    size_t length;
} field_t;

// Takes the field at *io_at, which ends at ',' or the line's end, and moves behind it; false past
// the last one, where *io_at is NULL.
static bool next_field(const char **io_at, const char *end, field_t *out)
{
    const char *at = *io_at;
    if (!at)
        return false;
    const char *comma = memchr(at, ',', (size_t)(end - at)), *stop = comma ? comma : end;
    *io_at = comma ? comma + 1 : NULL;
    while (at < stop && kiln_is_blank(*at))
        at++;
    while (stop > at && kiln_is_blank(stop[-1]))
        stop--;
    *out = (field_t){at, (size_t)(stop - at)};
    return true;
}

typedef struct reading {
    const char *path;
    kiln_size_rows_t *rows;
    kiln_tuning_t *signature; // NULL: all columns are taken
    bool *takes;              // by column of the file
    size_t column_count, line, value_capacity, line_capacity;
} reading_t;

static bool is_argument(const reading_t *reading, const char *name)
{
    const char *argument;
    for (size_t i = 0; (argument = kiln_tuning_argument(reading->signature, i)); i++)
        if (strcmp(argument, name) == 0)
            return true;
    return !reading->signature;
}

static kiln_status_t take_column(reading_t *reading, const field_t *field, kiln_string_t *left_out)
{
    kiln_size_rows_t *rows = reading->rows;
    size_t other;
    char *name = strndup(field->text, field->length);
    if (!name)
        return kiln_status_out_of_memory();
    const bool takes = *name && is_argument(reading, name);
    kiln_status_t status =
        takes && kiln_size_rows_find(rows, name, &other)
            ? kiln_status_make(KILN_STATUS_INVALID_INPUT, "there are two columns '%s'", name)
            : KILN_OK;
    if (!takes)
        kiln_string_appendf(left_out, "%s%s", left_out->length ? " " : "", name);
    if (!takes || status) {
        free(name);
        return status;
    }
    reading->takes[reading->column_count] = true;
    rows->names[rows->name_count++] = name;
    return KILN_OK;
}

static kiln_status_t read_head(reading_t *reading, const char *line, const char *end)
{
    kiln_string_t left_out = {0};
    field_t field;
    kiln_status_t status = KILN_OK;
    reading->takes = calloc((size_t)(end - line) + 1, sizeof *reading->takes);
    reading->rows->names = calloc((size_t)(end - line) + 1, sizeof *reading->rows->names);
    if (!reading->takes || !reading->rows->names)
        return kiln_status_out_of_memory();
    for (; !status && next_field(&line, end, &field); reading->column_count++)
        status = take_column(reading, &field, &left_out);
    if (!status && reading->rows->name_count == 0)
        status = kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                  "no column is an argument of the kernel: %s",
                                  left_out.data ? left_out.data : "");
    if (!status && left_out.length && !(reading->rows->left_out = kiln_string_take(&left_out)))
        status = kiln_status_out_of_memory();
    kiln_string_free(&left_out);
    return status;
}

static bool is_repeated(const kiln_size_rows_t *rows)
{
    const int64_t *last = rows->values + rows->row_count * rows->name_count;
    for (size_t i = 0; i < rows->row_count; i++)
        if (memcmp(rows->values + i * rows->name_count, last, rows->name_count * sizeof *last) == 0)
            return true;
    return false;
}

static kiln_status_t take_value(const reading_t *reading, const field_t *field, size_t index)
{
    kiln_size_rows_t *rows = reading->rows;
    char *text = strndup(field->text, field->length);
    if (!text)
        return kiln_status_out_of_memory();
    kiln_status_t status =
        kiln_integer_parse_all(text, 10, &rows->values[rows->row_count * rows->name_count + index])
            ? KILN_OK
            : kiln_status_make(KILN_STATUS_INVALID_INPUT, "expected an integer for '%s', got '%s'",
                               rows->names[index], text);
    free(text);
    return status;
}

static kiln_status_t read_row(reading_t *reading, const char *line, const char *end)
{
    kiln_size_rows_t *rows = reading->rows;
    size_t column = 0, index = 0;
    field_t field;
    if (!KILN_ARRAY_RESERVE(&rows->values, &reading->value_capacity,
                            (rows->row_count + 1) * rows->name_count) ||
        !KILN_ARRAY_RESERVE(&rows->lines, &reading->line_capacity, rows->row_count + 1))
        return kiln_status_out_of_memory();
    for (; next_field(&line, end, &field); column++)
        if (column < reading->column_count && reading->takes[column])
            KILN_TRY(take_value(reading, &field, index++));
    if (column != reading->column_count)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "expected %zu values, got %zu",
                                reading->column_count, column);
    rows->lines[rows->row_count] = reading->line;
    rows->row_count += !is_repeated(rows);
    return KILN_OK;
}

static kiln_status_t read_text(reading_t *reading, const char *text)
{
    static const char mark[] = "\xef\xbb\xbf"; // UTF-8's byte order mark
    const size_t skipped = strncmp(text, mark, strlen(mark)) == 0 ? strlen(mark) : 0;
    for (const char *line = text + skipped; *line;) {
        const size_t length = strcspn(line, "\n");
        const char *end = line + length;
        reading->line++;
        if (end > line && end[-1] == '\r')
            end--;
        if (strspn(line, " \t") < (size_t)(end - line) && *line != '#')
            KILN_TRY_NOTE(reading->takes ? read_row(reading, line, end)
                                         : read_head(reading, line, end),
                          "in line %zu of '%s'", reading->line, reading->path);
        line += length + (line[length] == '\n');
    }
    return reading->rows->row_count
               ? KILN_OK
               : kiln_status_make(KILN_STATUS_INVALID_INPUT, "'%s' has no sizes", reading->path);
}

kiln_status_t kiln_size_rows_read(const char *path, const kiln_source_t *source,
                                  const kiln_compile_options_t *options, kiln_size_rows_t *out_rows)
{
    reading_t reading = {.path = path, .rows = out_rows};
    char *text;
    size_t length;
    *out_rows = (kiln_size_rows_t){0};
    KILN_TRY(kiln_file_read(path, &text, &length));
    kiln_status_t status = source && source->stage == KILN_STAGE_TILE
                               ? kiln_tuning_read(source, options, NULL, NULL, &reading.signature)
                               : KILN_OK;
    if (!status)
        status = read_text(&reading, text);
    kiln_tuning_release(reading.signature);
    free(reading.takes);
    free(text);
    return status;
}
