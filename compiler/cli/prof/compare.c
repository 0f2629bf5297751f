// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln prof --compare: compares the kernels of a run with those of an earlier one, written by
// --json.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json.h"
#include "base/number.h"
#include "table.h"

typedef struct row {
    const char *name;
    double time[2], calls[2]; // of the base and of this run
} row_t;

typedef struct rows {
    row_t *all;
    size_t count, capacity;
} rows_t;

static row_t *row_of(rows_t *rows, const char *name)
{
    for (size_t i = 0; i < rows->count; i++) {
        if (strcmp(rows->all[i].name, name) == 0)
            return &rows->all[i];
    }
    if (!KILN_ARRAY_RESERVE(&rows->all, &rows->capacity, rows->count + 1))
        return NULL;
    rows->all[rows->count] = (row_t){.name = name};
    return &rows->all[rows->count++];
}

static bool add(rows_t *rows, const char *name, unsigned side, double time, double calls)
{
    row_t *row = row_of(rows, name);
    if (!row)
        return false;
    row->time[side] += time;
    row->calls[side] += calls;
    return true;
}

static int by_change(const void *a, const void *b)
{
    const row_t *x = a, *y = b;
    const double one = fabs(x->time[1] - x->time[0]), two = fabs(y->time[1] - y->time[0]);
    return one < two ? 1 : one > two ? -1 : strcmp(x->name, y->name);
}

// JSON has twelve digits of each number, so smaller differences are noise.
static double percent(double before, double after)
{
    if (fabs(after - before) <= 1e-9 * before)
        return 0;
    return before > 0 ? 100 * (after - before) / before : INFINITY;
}

static void print_row(FILE *out, double before, double after, const char *calls, const char *name)
{
    char change[24];
    const double by = percent(before, after);
    kiln_format(change, sizeof change, isinf(by) ? "new" : "%+.1f %%", by);
    kiln_format_file(out, "%11.1f %11.1f %10s  %-16s  %s\n", before, after, change, calls, name);
}

static void print(FILE *out, const rows_t *rows, double before, double after)
{
    fprintf(out, "%11s %11s %10s  %-16s  %s\n", "base us", "this us", "change", "calls", "kernel");
    print_row(out, before, after, "", "(all)");
    for (size_t i = 0; i < rows->count; i++) {
        const row_t *row = &rows->all[i];
        const bool same_calls = row->calls[0] == row->calls[1];
        char calls[64];
        if (same_calls && percent(row->time[0], row->time[1]) == 0)
            continue;
        kiln_format(calls, sizeof calls, same_calls ? "%.0f" : "%.0f to %.0f", row->calls[0],
                    row->calls[1]);
        print_row(out, row->time[0], row->time[1], calls, row->name);
    }
}

static kiln_status_t judge(double before, double after, double tolerance)
{
    const double change = percent(before, after);
    char seen[32], limit[32];
    if (tolerance < 0 || change <= tolerance)
        return KILN_OK;
    kiln_format(seen, sizeof seen, "%.1f %%", change);
    kiln_format(limit, sizeof limit, "%g %%", tolerance);
    return kiln_status_make(KILN_STATUS_MISMATCH,
                            "the kernels take %s longer than in the base; the tolerance is %s",
                            seen, limit);
}

static kiln_status_t compare(FILE *out, const char *path, const json_t *base,
                             const kiln_prof_sums_t *sums, double tolerance)
{
    rows_t rows = {0};
    json_t *kernels;
    double before = 0;
    KILN_TRY_NOTE(kiln_json_array(base, "kernels", &kernels),
                  "'%s' is not what `kiln prof --json` prints", path);
    bool good = true;
    for (size_t i = 0; good && i < json_array_size(kernels); i++) {
        const json_t *kernel = json_array_get(kernels, i);
        const double time = kiln_prof_number(kernel, "total_us");
        before += time;
        good =
            add(&rows, kiln_prof_text(kernel, "name"), 0, time, kiln_prof_number(kernel, "calls"));
    }
    for (size_t i = 0; good && i < sums->count; i++)
        good = add(&rows, kiln_prof_text(sums->all[i].first, "name"), 1, sums->all[i].total,
                   (double)sums->all[i].calls);
    if (good && rows.count)
        qsort(rows.all, rows.count, sizeof *rows.all, by_change);
    if (good)
        print(out, &rows, before, sums->total);
    free(rows.all);
    fflush(out); // the verdict, on stderr, comes last
    return good ? judge(before, sums->total, tolerance) : kiln_status_out_of_memory();
}

// Measured and predicted times are not comparable.
static kiln_status_t check_source(const json_t *base, const char *path,
                                  const kiln_prof_source_t *source)
{
    const char *times = kiln_prof_text(base, "times"),
               *own = source->is_measured ? "measured" : "predicted";
    return !*times || strcmp(times, own) == 0
               ? KILN_OK
               : kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                  "the times in '%s' are %s, those of this run %s", path, times,
                                  own);
}

kiln_status_t kiln_prof_compare(FILE *out, const kiln_prof_log_t *log,
                                const kiln_prof_source_t *source, const char *base_path,
                                double tolerance)
{
    json_t *base;
    kiln_prof_sums_t sums = {0};
    KILN_TRY(kiln_json_read(base_path, &base));
    kiln_status_t status = check_source(base, base_path, source);
    if (!status)
        status = kiln_prof_summarize(log, KILN_PROF_BY_NAME, NULL, &sums);
    if (!status) {
        status = compare(out, base_path, base, &sums, tolerance);
        free(sums.all);
    }
    json_decref(base);
    return status;
}
