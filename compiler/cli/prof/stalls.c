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

static kiln_sim_line_t *line_at(lines_t *lines, uint64_t address, const char *instruction)
{
    for (size_t i = 0; i < lines->count; i++) {
        if (lines->all[i].address == address && strcmp(lines->all[i].instruction, instruction) == 0)
            return &lines->all[i];
    }
    if (!KILN_ARRAY_RESERVE(&lines->all, &lines->capacity, lines->count + 1))
        return NULL;
    kiln_sim_line_t *made = &lines->all[lines->count++];
    *made = (kiln_sim_line_t){
        .struct_size = sizeof *made, .address = address, .instruction = instruction};
    return made;
}

static bool add(lines_t *lines, const json_t *row)
{
    kiln_sim_line_t *line =
        line_at(lines, (uint64_t)json_integer_value(json_object_get(row, "address")),
                kiln_prof_text(row, "instruction"));
    if (!line)
        return false;
    const json_t *stalls = json_object_get(row, "stalls");
    line->source = kiln_prof_text(row, "source");
    line->loop = json_integer_value(json_object_get(row, "loop"));
    line->issued += (uint64_t)json_integer_value(json_object_get(row, "issued"));
    const char *reason;
    for (size_t r = 0; (reason = kiln_stalls_reason(r)); r++)
        line->cycles[r] += (uint64_t)json_integer_value(json_object_get(stalls, reason));
    return true;
}

static int by_address(const void *a, const void *b)
{
    const kiln_sim_line_t *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
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
    if (lines->count)
        qsort(lines->all, lines->count, sizeof *lines->all, by_address);
    return KILN_OK;
}

kiln_status_t kiln_prof_stalls_print(FILE *out, const kiln_prof_log_t *log, const char *kernel)
{
    lines_t lines;
    KILN_TRY(gather(log, kernel, &lines));
    kiln_status_t status =
        lines.count ? kiln_stalls_print_lines(out, lines.all, lines.count) : KILN_OK;
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
