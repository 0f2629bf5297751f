// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares two launches by the output of `kiln bench --json --stalls`.
//
// A source line's time is the launch's time multiplied by the line's share of the cycles of all
// waves, so that the lines add up to the launch. Waves overlap, so removing a line saves its time
// only if no other wave's work hid it.
#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json.h"
#include "base/number.h"
#include "cli/json_text.h"

static double number(const json_t *object, const char *member)
{
    return json_number_value(json_object_get(object, member));
}

static const char *text(const json_t *object, const char *member)
{
    const char *found = json_string_value(json_object_get(object, member));
    return found ? found : "";
}

// JSON has twelve digits of each number, so smaller differences are noise.
static double percent(double before, double after)
{
    if (fabs(after - before) <= 1e-9 * before)
        return 0;
    return before > 0 ? 100 * (after - before) / before : after > 0 ? INFINITY : 0;
}

// Lines -------------------------------------------------------------------------------------------

typedef struct line {
    const char *source;    // "file:line"
    double time[2];        // microseconds, in the base and in the launch
    double max[2];         // cycles of the main stall reason
    const char *reason[2]; // NULL: none
} line_t;

typedef struct lines {
    line_t *all;
    size_t count, capacity;
} lines_t;

static line_t *line_of(lines_t *lines, const char *source)
{
    for (size_t i = 0; i < lines->count; i++) {
        if (strcmp(lines->all[i].source, source) == 0)
            return &lines->all[i];
    }
    if (!KILN_ARRAY_RESERVE(&lines->all, &lines->capacity, lines->count + 1))
        return NULL;
    lines->all[lines->count] = (line_t){.source = source};
    return &lines->all[lines->count++];
}

static double all_cycles(const json_t *cycles)
{
    const char *reason;
    json_t *value;
    double all = 0;
    json_object_foreach((json_t *)(uintptr_t)cycles, reason, value) all += json_number_value(value);
    return all;
}

// The reason with the most cycles among all instructions of a line, besides issuing.
static void find_reason(line_t *line, unsigned side, const json_t *rows)
{
    json_t *sums = json_object();
    const char *reason;
    json_t *value;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        if (strcmp(text(row, "source"), line->source) != 0)
            continue;
        json_object_foreach(json_object_get(row, "cycles"), reason, value)
        {
            const double sum = number(sums, reason) + json_number_value(value);
            json_object_set_new(sums, reason, json_real(sum));
            if (strcmp(reason, "issued") != 0 && sum > line->max[side]) {
                line->max[side] = sum;
                line->reason[side] = reason;
            }
        }
    }
    json_decref(sums);
}

static bool add_lines(lines_t *lines, const json_t *launch, unsigned side)
{
    const json_t *rows = json_object_get(launch, "lines");
    double whole = 0;
    for (size_t i = 0; i < json_array_size(rows); i++)
        whole += all_cycles(json_object_get(json_array_get(rows, i), "cycles"));
    const double us = number(launch, "value") * 1e-3;
    for (size_t i = 0; whole > 0 && i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        const char *source = text(row, "source");
        line_t *line = line_of(lines, source);
        if (!line)
            return false;
        line->time[side] += us * all_cycles(json_object_get(row, "cycles")) / whole;
    }
    for (size_t i = 0; i < lines->count; i++)
        find_reason(&lines->all[i], side, rows);
    return true;
}

static int by_change(const void *a, const void *b)
{
    const line_t *x = a, *y = b;
    const double one = fabs(x->time[1] - x->time[0]), two = fabs(y->time[1] - y->time[0]);
    return one < two ? 1 : one > two ? -1 : strcmp(x->source, y->source);
}

static bool make_lines(lines_t *lines, const json_t *base, const json_t *launch)
{
    *lines = (lines_t){0};
    if (!add_lines(lines, base, 0) || !add_lines(lines, launch, 1)) {
        free(lines->all);
        return false;
    }
    if (lines->count)
        qsort(lines->all, lines->count, sizeof *lines->all, by_change);
    return true;
}

// Text --------------------------------------------------------------------------------------------

typedef struct row {
    const char *object, *member, *title;
    double scale;
    bool always; // otherwise only if it differs
} row_t;

static const row_t rows[] = {
    {NULL, "value", NULL, 1, true}, // titled by the cost's kind
    {"prediction", "cycles", "cycles", 1, false},
    {"prediction", "clock_mhz", "MHz", 1, false},
    {"prediction", "mfma_busy", "MFMA busy, %", 100, false},
    {"prediction", "valu_busy", "VALU busy, %", 100, false},
    {"prediction", "lds_busy", "LDS busy, %", 100, false},
    {"prediction", "l1_busy", "L1 busy, %", 100, false},
    {"prediction", "l2_busy", "L2 busy, %", 100, false},
    {"prediction", "hbm_busy", "HBM busy, %", 100, false},
    {"prediction", "l1_hits", "L1 hits, %", 100, false},
    {"prediction", "l2_hits", "L2 hits, %", 100, false},
    {"prediction", "waves_per_simd", "waves per SIMD", 1, false},
    {"prediction", "l2_bytes", "MB from L2", 1e-6, false},
    {"prediction", "infinity_cache_bytes", "MB from Infinity Cache", 1e-6, false},
    {"prediction", "hbm_bytes", "MB from HBM", 1e-6, false},
    {"resources", "vgprs", "vector registers", 1, false},
    {"resources", "agprs", "accumulation registers", 1, false},
    {"resources", "sgprs", "scalar registers", 1, false},
    {"resources", "vgpr_spills", "spilled", 1, false},
    {"resources", "lds_bytes", "LDS bytes", 1, false},
    {"resources", "occupancy", "occupancy", 1, false},
    {"compute_units", "with_work", "compute units with work", 1, false},
    {"compute_units", "rounds", "rounds", 1, false},
};

// Shares differ by percentage points.
static void print_change(double before, double after, bool is_share)
{
    const double change = percent(before, after);
    if (is_share)
        kiln_format_file(stdout, " %+8.1f pt\n", after - before);
    else if (isinf(change))
        kiln_format_file(stdout, " %10s\n", "new");
    else
        kiln_format_file(stdout, " %+8.1f %%\n", change);
}

static void print_rows(const json_t *base, const json_t *launch)
{
    kiln_format_file(stdout, "  %-24s %12s %12s %10s\n", "", "base", "this", "change");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const row_t *row = &rows[i];
        const json_t *one = row->object ? json_object_get(base, row->object) : base,
                     *two = row->object ? json_object_get(launch, row->object) : launch;
        const double before = number(one, row->member) * row->scale,
                     after = number(two, row->member) * row->scale;
        char shown[2][32];
        const int digits = before == floor(before) && after == floor(after) ? 0 : 2;
        kiln_format(shown[0], sizeof shown[0], "%.*f", digits, before);
        kiln_format(shown[1], sizeof shown[1], "%.*f", digits, after);
        if (!row->always && strcmp(shown[0], shown[1]) == 0)
            continue;
        printf("  %-24s %12s %12s", row->title ? row->title : text(launch, "cost"), shown[0],
               shown[1]);
        print_change(before, after, row->scale == 100);
    }
    if (strcmp(text(base, "bound"), text(launch, "bound")) != 0)
        printf("  %-24s %12s %12s\n", "bound by", text(base, "bound"), text(launch, "bound"));
}

static const json_t *setting(const json_t *launch, const char *name)
{
    const json_t *all = json_object_get(launch, "effective");
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *one = json_array_get(all, i);
        if (strcmp(text(one, "name"), name) == 0)
            return one;
    }
    return NULL;
}

// Prints settings with different values, and those that only one of the two has.
static void print_settings(const json_t *base, const json_t *launch)
{
    const json_t *const sides[2] = {base, launch};
    for (unsigned s = 0; s < 2; s++) {
        const json_t *all = json_object_get(sides[s], "effective");
        for (size_t i = 0; i < json_array_size(all); i++) {
            const json_t *one = json_array_get(all, i),
                         *other = setting(sides[1 - s], text(one, "name"));
            if (other && (s == 1 || strcmp(text(one, "value"), text(other, "value")) == 0))
                continue;
            const char *const value = text(one, "value"), *const second = text(other, "value");
            printf("  %-24s %12s %12s\n", text(one, "name"), s ? "" : value, s ? value : second);
        }
    }
}

static void print_lines(const lines_t *lines, double whole)
{
    bool some = false;
    for (size_t i = 0; i < lines->count; i++) {
        const line_t *line = &lines->all[i];
        if (fabs(line->time[1] - line->time[0]) < 0.01 * whole)
            continue;
        if (!some)
            printf("\n%10s %10s %10s  %-21s  %s\n", "base us", "this us", "change",
                   "main stall reason", "source line");
        some = true;
        char reason[64];
        const char *before = line->reason[0] ? line->reason[0] : "-",
                   *after = line->reason[1] ? line->reason[1] : "-";
        snprintf(reason, sizeof reason, strcmp(before, after) == 0 ? "%s" : "%s to %s", before,
                 after);
        kiln_format_file(stdout, "%10.2f %10.2f %+10.2f  %-21s  %s\n", line->time[0], line->time[1],
                         line->time[1] - line->time[0], reason,
                         *line->source ? line->source : "(no source line)");
    }
}

// Whether a launch has a finding of this kind and line.
static bool has_finding(const json_t *launch, const json_t *finding)
{
    const json_t *all = json_object_get(launch, "findings");
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *one = json_array_get(all, i);
        if (strcmp(text(one, "id"), text(finding, "id")) == 0 &&
            strcmp(text(one, "file"), text(finding, "file")) == 0 &&
            number(one, "line") == number(finding, "line"))
            return true;
    }
    return false;
}

static void print_findings(const json_t *of, const json_t *other, const char *what)
{
    const json_t *all = json_object_get(of, "findings");
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *one = json_array_get(all, i);
        if (has_finding(other, one))
            continue;
        printf("%s finding: ", what);
        if (number(one, "line") > 0)
            printf("%s:%lld: ", text(one, "file"),
                   (long long)json_integer_value(json_object_get(one, "line")));
        printf("%s [-R%s]\n", text(one, "seen"), text(one, "id"));
    }
}

// JSON --------------------------------------------------------------------------------------------

static kiln_status_t print_json(const json_t *base, const json_t *launch, const lines_t *lines)
{
    json_t *array = json_array();
    for (size_t i = 0; i < lines->count; i++) {
        const line_t *line = &lines->all[i];
        json_array_append_new(array, json_pack("{s:s,s:f,s:f}", "source", line->source, "base_us",
                                               line->time[0], "this_us", line->time[1]));
    }
    json_t *root =
        json_pack("{s:O,s:O,s:f,s:o}", "base", base, "this", launch, "change_percent",
                  percent(number(base, "value"), number(launch, "value")), "source_lines", array);
    if (!root)
        return kiln_status_out_of_memory();
    kiln_cli_print_json(root);
    json_decref(root);
    return KILN_OK;
}

// The verdict -------------------------------------------------------------------------------------

static kiln_status_t judge(const kiln_compare_t *compare, double before, double after)
{
    const double change = percent(before, after);
    char limit[40], seen[40];
    kiln_format(limit, sizeof limit, "%g %%", compare->tolerance);
    kiln_format(seen, sizeof seen, "%.1f %%", change);
    if (compare->tolerance < 0 || change <= compare->tolerance)
        return KILN_OK;
    return kiln_status_make(KILN_STATUS_MISMATCH,
                            "the launch takes %s longer than the base; the tolerance is %s", seen,
                            limit);
}

kiln_status_t kiln_compare_print(const kiln_compare_t *compare, const json_t *base,
                                 const json_t *launch, bool as_json)
{
    lines_t lines;
    const double before = number(base, "value"), after = number(launch, "value");
    if (strcmp(text(base, "cost"), text(launch, "cost")) != 0)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "cannot compare %s of the base with %s of the launch",
                                text(base, "cost"), text(launch, "cost"));
    if (!make_lines(&lines, base, launch))
        return kiln_status_out_of_memory();
    kiln_status_t status = KILN_OK;
    if (as_json) {
        status = print_json(base, launch, &lines);
    } else {
        printf("kernel %s against %s of %s\n", text(launch, "kernel"), text(base, "kernel"),
               compare->base);
        print_rows(base, launch);
        print_settings(base, launch);
        print_lines(&lines, (before > after ? before : after) * 1e-3);
        print_findings(launch, base, "new");
        print_findings(base, launch, "no more");
    }
    free(lines.all);
    fflush(stdout); // the verdict, on stderr, comes last
    return status ? status : judge(compare, before, after);
}
