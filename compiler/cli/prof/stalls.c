// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stalls of all launches of a kernel, from the log. Equal launches are replayed once, so each
// distinct launch counts once.
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/prediction/stalls.h"
#include "table.h"

typedef struct lines {
    kiln_sim_line_t *all; // texts are those of the log
    size_t count, capacity;
} lines_t;

static uint64_t count_of(const json_t *row, const char *member)
{
    return (uint64_t)json_integer_value(json_object_get(row, member));
}

static bool add(lines_t *lines, const json_t *row)
{
    if (!KILN_ARRAY_RESERVE(&lines->all, &lines->capacity, lines->count + 1))
        return false;
    kiln_sim_line_t *line = &lines->all[lines->count++];
    const json_t *stalls = json_object_get(row, "stalls");
    *line = (kiln_sim_line_t){
        .struct_size = sizeof *line,
        .address = count_of(row, "address"),
        .instruction = kiln_prof_text(row, "instruction"),
        .source = kiln_prof_text(row, "source"),
        .loop = json_integer_value(json_object_get(row, "loop")),
        .issued = count_of(row, "issued"),
        .column = (uint32_t)count_of(row, "column"),
#define KILN_LINE_FIGURE(name) .name = count_of(row, #name),
#include "base/line.def"
#undef KILN_LINE_FIGURE
    };
    const char *reason;
    for (size_t r = 0; (reason = kiln_stalls_reason(r)); r++)
        line->cycles[r] = count_of(stalls, reason);
    return true;
}

kiln_status_t kiln_prof_lines_read(const json_t *line, kiln_sim_line_t **out_lines,
                                   size_t *out_count)
{
    lines_t lines = {0};
    const json_t *rows = json_object_get(line, "lines");
    bool good = true;
    for (size_t i = 0; good && i < json_array_size(rows); i++)
        good = add(&lines, json_array_get(rows, i));
    *out_lines = lines.all;
    *out_count = lines.count;
    return good ? KILN_OK : kiln_status_out_of_memory();
}

static int by_instruction(const void *a, const void *b)
{
    const kiln_sim_line_t *x = *(const kiln_sim_line_t *const *)a,
                          *y = *(const kiln_sim_line_t *const *)b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    const int order = strcmp(x->instruction, y->instruction);
    return order ? order : x < y ? -1 : x > y;
}

// Adds up the rows of each instruction, in order of their addresses; the last row of each gives its
// source location.
static bool merge(lines_t *lines)
{
    lines_t merged = {.all = calloc(lines->count + 1, sizeof *merged.all)};
    const kiln_sim_line_t **sorted = calloc(lines->count + 1, sizeof(const kiln_sim_line_t *));
    const bool good = merged.all && sorted;
    for (size_t i = 0; good && i < lines->count; i++)
        sorted[i] = &lines->all[i];
    if (good)
        qsort(sorted, lines->count, sizeof *sorted, by_instruction);
    for (size_t i = 0; good && i < lines->count; i++) {
        kiln_sim_line_t *last = merged.count ? &merged.all[merged.count - 1] : NULL;
        const kiln_sim_line_t *line = sorted[i];
        if (!last || last->address != line->address ||
            strcmp(last->instruction, line->instruction) != 0) {
            merged.all[merged.count++] = *line;
            continue;
        }
        last->source = line->source;
        last->loop = line->loop;
        last->issued += line->issued;
        for (size_t r = 0; r < KILN_SIM_STALLS; r++)
            last->cycles[r] += line->cycles[r];
    }
    free(sorted);
    free(lines->all);
    *lines = merged;
    return good;
}

static kiln_status_t gather(const kiln_prof_log_t *log, const char *kernel, lines_t *lines)
{
    *lines = (lines_t){0};
    for (size_t i = 0; i < log->count; i++) {
        const json_t *rows = json_object_get(log->lines[i], "lines");
        if (!rows || strcmp(kiln_prof_text(log->lines[i], "name"), kernel) != 0)
            continue;
        for (size_t k = 0; k < json_array_size(rows); k++) {
            if (!add(lines, json_array_get(rows, k))) {
                free(lines->all);
                return kiln_status_out_of_memory();
            }
        }
    }
    if (!merge(lines)) {
        free(lines->all);
        return kiln_status_out_of_memory();
    }
    return KILN_OK;
}

kiln_status_t kiln_prof_stalls_print(FILE *out, const kiln_prof_log_t *log, const char *kernel,
                                     size_t top)
{
    lines_t lines;
    KILN_TRY(gather(log, kernel, &lines));
    kiln_status_t status =
        lines.count ? kiln_stalls_print_lines(out, lines.all, lines.count, top) : KILN_OK;
    free(lines.all);
    return status;
}

kiln_status_t kiln_prof_stalls_json(json_t *root, const kiln_prof_log_t *log, const char *kernel)
{
    lines_t lines;
    json_t *array = NULL;
    KILN_TRY(gather(log, kernel, &lines));
    kiln_status_t status = kiln_stalls_json_lines(lines.all, lines.count, &array);
    if (!status && json_object_set_new(root, "lines", array) != 0)
        status = kiln_status_out_of_memory();
    free(lines.all);
    return status;
}
