// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes and reads tables by way of JSON, so that both formats have the same members.
#include "csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/number.h"
#include "base/string.h"
#include "json.h"

typedef enum column_kind { TEXT, WHOLE, REAL, RESOURCE } column_kind_t;

// RESOURCE: a whole number, and a member of `resources`. Whole-number and real cells are empty
// where JSON has null or no member.
static const struct {
    const char *name;
    column_kind_t kind;
} COLUMNS[] = {{"table", TEXT},
               {"kernel", TEXT},
               {"symbol", TEXT},
               {"arguments", TEXT},
               {"fixed", TEXT},
               {"device", TEXT},
               {"config", TEXT},
               {"verdict", TEXT},
               {"reason", TEXT},
               {"kind", TEXT},
               {"trust", TEXT},
               {"bound", TEXT},
               {"cost", REAL},
               {"error", REAL},
               {"compile_ms", REAL},
               {"vgprs", RESOURCE},
               {"agprs", RESOURCE},
               {"sgprs", RESOURCE},
               {"vgpr_spills", RESOURCE},
               {"sgpr_spills", RESOURCE},
               {"lds_bytes", RESOURCE},
               {"scratch_bytes_per_lane", RESOURCE},
               {"occupancy", RESOURCE},
               {"stages_made", WHOLE},
               {"time", WHOLE},
               {"clock_mhz", REAL},
               {"launch", TEXT},
               {"conditions", TEXT},
               {"problem", TEXT},
               {"code", TEXT}};
enum { COLUMN_COUNT = sizeof COLUMNS / sizeof *COLUMNS };

static const char *const TABLES[] = {[KILN_TUNE_BEST] = "best", [KILN_TUNE_SAMPLES] = "samples"};
enum { TABLE_COUNT = sizeof TABLES / sizeof *TABLES };

static const json_t *member(const json_t *row, int column)
{
    return json_object_get(COLUMNS[column].kind == RESOURCE ? json_object_get(row, "resources")
                                                            : row,
                           COLUMNS[column].name);
}

// Writing -----------------------------------------------------------------------------------------

void kiln_tune_csv_write_names(FILE *stream)
{
    for (int i = 0; i < COLUMN_COUNT; i++)
        fprintf(stream, "%s%s", i ? "," : "", COLUMNS[i].name);
    fputc('\n', stream);
}

static void write_quoted(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

static void write_cell(FILE *stream, const json_t *value)
{
    if (json_is_string(value))
        write_quoted(stream, json_string_value(value));
    else if (json_is_integer(value))
        fprintf(stream, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        kiln_format_file(stream, "%.17g", json_real_value(value));
}

kiln_status_t kiln_tune_csv_write_row(FILE *stream, const kiln_tune_record_t *record,
                                      kiln_tune_table_t table)
{
    json_t *row = kiln_tune_record_json(record, table);
    if (!row || json_object_set_new(row, "table", json_string(TABLES[table]))) {
        json_decref(row);
        return kiln_status_out_of_memory();
    }
    for (int i = 0; i < COLUMN_COUNT; i++) {
        if (i)
            fputc(',', stream);
        write_cell(stream, member(row, i));
    }
    fputc('\n', stream);
    json_decref(row);
    return KILN_OK;
}

// Reading -----------------------------------------------------------------------------------------

typedef struct reader {
    const char *at;
    size_t line;
    int columns[COLUMN_COUNT]; // indices in COLUMNS, by position in the file
    int column_count;
} reader_t;

static bool is_line_end(const char *at)
{
    return !*at || *at == '\n' || strncmp(at, "\r\n", 2) == 0;
}

static void skip_line_end(reader_t *reader)
{
    reader->at += *reader->at == '\r';
    reader->line += *reader->at == '\n';
    reader->at += *reader->at == '\n';
}

static bool is_cell_end(const char *at)
{
    return *at == ',' || is_line_end(at);
}

// Moves behind the text in quotation marks; a mark inside it is doubled.
static kiln_status_t read_quoted(reader_t *reader, kiln_string_t *text)
{
    reader->at++;
    for (; *reader->at; kiln_string_append_char(text, *reader->at++)) {
        if (*reader->at == '"' && *++reader->at != '"')
            return is_cell_end(reader->at)
                       ? KILN_OK
                       : kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                          "expected a comma behind the quotation mark, got '%c'",
                                          *reader->at);
        reader->line += *reader->at == '\n';
    }
    return kiln_status_make(KILN_STATUS_INVALID_INPUT, "the quotation mark is not closed");
}

// Reads a cell, from malloc, up to the comma or the end of the line behind it.
static kiln_status_t read_cell(reader_t *reader, char **out_text)
{
    kiln_string_t text = {0};
    *out_text = NULL;
    kiln_status_t status = KILN_OK;
    if (*reader->at == '"')
        status = read_quoted(reader, &text);
    else
        for (; !is_cell_end(reader->at); reader->at++)
            kiln_string_append_char(&text, *reader->at);
    if (!status && !(*out_text = kiln_string_take(&text)))
        status = kiln_status_out_of_memory();
    kiln_string_free(&text);
    return status;
}

// Reads the cells of a line and calls `take` with each and its position.
static kiln_status_t read_line(reader_t *reader,
                               kiln_status_t (*take)(reader_t *reader, int position,
                                                     const char *cell, json_t *row),
                               json_t *row)
{
    int position = 0;
    for (bool is_last = false; !is_last; position++) {
        char *cell;
        KILN_TRY(read_cell(reader, &cell));
        kiln_status_t status = take(reader, position, cell, row);
        free(cell);
        KILN_TRY(status);
        is_last = *reader->at != ',';
        reader->at += !is_last;
    }
    skip_line_end(reader);
    return position >= reader->column_count
               ? KILN_OK
               : kiln_status_make(KILN_STATUS_INVALID_INPUT, "expected %d values, got %d",
                                  reader->column_count, position);
}

static kiln_status_t take_name(reader_t *reader, int position, const char *cell, json_t *row)
{
    (void)row;
    for (int i = 0; i < position; i++)
        if (strcmp(COLUMNS[reader->columns[i]].name, cell) == 0)
            return kiln_status_make(KILN_STATUS_INVALID_INPUT, "there are two columns '%s'", cell);
    for (int i = 0; i < COLUMN_COUNT; i++)
        if (strcmp(COLUMNS[i].name, cell) == 0) {
            reader->columns[reader->column_count++] = i;
            return KILN_OK;
        }
    return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                            "unknown column '%s'; kiln tune export writes the names", cell);
}

static kiln_status_t check_names(const reader_t *reader)
{
    for (int i = 0; i < COLUMN_COUNT; i++) {
        int position = 0;
        while (position < reader->column_count && reader->columns[position] != i)
            position++;
        if (position == reader->column_count)
            return kiln_status_make(KILN_STATUS_INVALID_INPUT, "column '%s' is missing",
                                    COLUMNS[i].name);
    }
    return KILN_OK;
}

static kiln_status_t make_value(column_kind_t kind, const char *cell, json_t **out_value)
{
    int64_t whole;
    double real;
    *out_value = NULL;
    if (kind == TEXT)
        *out_value = kiln_json_text(cell);
    else if (!*cell)
        *out_value = json_null();
    else if (kind == REAL && kiln_real_parse_all(cell, &real) && isfinite(real))
        *out_value = json_real(real);
    else if (kind != REAL && kiln_integer_parse_all(cell, 10, &whole))
        *out_value = json_integer(whole);
    else
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "expected %s, got '%s'",
                                kind == REAL ? "a number" : "a whole number", cell);
    return *out_value ? KILN_OK : kiln_status_out_of_memory();
}

static kiln_status_t take_value(reader_t *reader, int position, const char *cell, json_t *row)
{
    json_t *value;
    if (position >= reader->column_count)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "expected %d values, got more",
                                reader->column_count);
    const int column = reader->columns[position];
    KILN_TRY_NOTE(make_value(COLUMNS[column].kind, cell, &value), "in column '%s'",
                  COLUMNS[column].name);
    if (COLUMNS[column].kind == RESOURCE)
        row = json_object_get(row, "resources");
    return json_object_set_new(row, COLUMNS[column].name, value) ? kiln_status_out_of_memory()
                                                                 : KILN_OK;
}

static kiln_status_t find_table(const json_t *row, kiln_tune_table_t *out_table)
{
    const char *name;
    KILN_TRY(kiln_json_string(row, "table", &name));
    for (int i = 0; i < TABLE_COUNT; i++)
        if (strcmp(TABLES[i], name) == 0) {
            *out_table = (kiln_tune_table_t)i;
            return KILN_OK;
        }
    return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                            "column 'table' is 'best' or 'samples', got '%s'", name);
}

static kiln_status_t read_row(reader_t *reader, kiln_tune_csv_add_t add, void *user)
{
    kiln_tune_table_t table = KILN_TUNE_BEST;
    json_t *row = json_pack("{s:{}}", "resources");
    kiln_status_t status = row ? read_line(reader, take_value, row) : kiln_status_out_of_memory();
    if (!status)
        status = find_table(row, &table);
    if (!status)
        status = add(table, row, user);
    json_decref(row);
    return status;
}

kiln_status_t kiln_tune_csv_read(const char *text, kiln_tune_csv_add_t add, void *user)
{
    static const char MARK[] = "\xef\xbb\xbf"; // UTF-8's byte order mark, which spreadsheets write
    reader_t reader = {.at = text + (kiln_string_starts_with(text, MARK) ? strlen(MARK) : 0),
                       .line = 1};
    KILN_TRY_NOTE(read_line(&reader, take_name, NULL), "in line 1");
    KILN_TRY_NOTE(check_names(&reader), "in line 1");
    while (*reader.at) {
        const size_t line = reader.line;
        if (is_line_end(reader.at))
            skip_line_end(&reader);
        else
            KILN_TRY_NOTE(read_row(&reader, add, user), "in line %zu", line);
    }
    return KILN_OK;
}
