// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the log for `kiln prof` and sums it up.
#include "log.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/json.h"

const char *const kiln_prof_unit_names[KILN_PROF_UNITS] = {"MFMA", "VALU", "LDS",
                                                           "L1",   "L2",   "HBM"};
static const char *const busy_members[KILN_PROF_UNITS] = {"mfma_busy", "valu_busy", "lds_busy",
                                                          "l1_busy",   "l2_busy",   "hbm_busy"};

// Lines -------------------------------------------------------------------------------------------

static kiln_status_t read_lines(kiln_prof_log_t *log, const char *path, const char *text)
{
    for (const char *at = text; *at;) {
        const size_t length = strcspn(at, "\n");
        if (!KILN_ARRAY_RESERVE(&log->lines, &log->capacity, log->count + 1))
            return kiln_status_out_of_memory();
        KILN_TRY(kiln_json_parse(path, at, length, &log->lines[log->count]));
        log->count++;
        at += length + (at[length] == '\n');
    }
    return KILN_OK;
}

kiln_status_t kiln_prof_log_read(const char *path, kiln_prof_log_t *log)
{
    char *text;
    size_t size;
    *log = (kiln_prof_log_t){0};
    KILN_TRY(kiln_file_read(path, &text, &size));
    kiln_status_t status = read_lines(log, path, text);
    free(text);
    return status;
}

void kiln_prof_log_free(kiln_prof_log_t *log)
{
    for (size_t i = 0; i < log->count; i++)
        json_decref(log->lines[i]);
    free(log->lines);
    *log = (kiln_prof_log_t){0};
}

const char *kiln_prof_text(const json_t *line, const char *member)
{
    const char *text = json_string_value(json_object_get(line, member));
    return text ? text : "";
}

double kiln_prof_number(const json_t *line, const char *member)
{
    return json_number_value(json_object_get(line, member));
}

double kiln_prof_time(const json_t *line)
{
    const json_t *own = json_object_get(line, "predicted_us");
    own = own ? own : json_object_get(line, "measured_us");
    return own ? json_number_value(own)
               : kiln_prof_number(line, "end") - kiln_prof_number(line, "begin");
}

// Sums --------------------------------------------------------------------------------------------

static bool is_same(const json_t *a, const json_t *b, kiln_prof_by_t by)
{
    if (strcmp(kiln_prof_text(a, "name"), kiln_prof_text(b, "name")) != 0)
        return false;
    return by == KILN_PROF_BY_NAME ||
           (json_equal(json_object_get(a, "grid"), json_object_get(b, "grid")) &&
            json_equal(json_object_get(a, "block"), json_object_get(b, "block")));
}

static kiln_prof_sum_t *sum_of(kiln_prof_sums_t *sums, const json_t *line, kiln_prof_by_t by)
{
    for (size_t i = 0; i < sums->count; i++) {
        if (is_same(sums->all[i].first, line, by))
            return &sums->all[i];
    }
    if (!KILN_ARRAY_RESERVE(&sums->all, &sums->capacity, sums->count + 1))
        return NULL;
    kiln_prof_sum_t *made = &sums->all[sums->count++];
    *made = (kiln_prof_sum_t){.first = line, .min = kiln_prof_time(line)};
    return made;
}

// Averages are kept as sums, weighted with time, until all lines are added.
static void add_prediction(kiln_prof_sum_t *sum, const json_t *line, double time)
{
    sum->predicted++;
    sum->predicted_total += time;
    sum->repeated += json_is_true(json_object_get(line, "repeated"));
    sum->launch += kiln_prof_number(line, "launch_us");
    for (size_t i = 0; i < KILN_PROF_UNITS; i++)
        sum->busy[i] += time * kiln_prof_number(line, busy_members[i]);
    sum->waves_per_simd += time * kiln_prof_number(line, "waves_per_simd");
    sum->l1_hits += time * kiln_prof_number(line, "l1_hits");
    sum->l2_hits += time * kiln_prof_number(line, "l2_hits");
    sum->flops += kiln_prof_number(line, "flops");
    sum->l2_bytes += kiln_prof_number(line, "l2_bytes");
    sum->infinity_cache_bytes += kiln_prof_number(line, "infinity_cache_bytes");
    sum->hbm_bytes += kiln_prof_number(line, "hbm_bytes");
}

static void finish(kiln_prof_sum_t *sum)
{
    const double time = sum->predicted_total > 0 ? sum->predicted_total : 1;
    for (size_t i = 0; i < KILN_PROF_UNITS; i++)
        sum->busy[i] /= time;
    sum->waves_per_simd /= time;
    sum->l1_hits /= time;
    sum->l2_hits /= time;
}

static int by_total(const void *a, const void *b)
{
    const kiln_prof_sum_t *x = a, *y = b;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return strcmp(kiln_prof_text(x->first, "name"), kiln_prof_text(y->first, "name"));
}

kiln_status_t kiln_prof_summarize(const kiln_prof_log_t *log, kiln_prof_by_t by, const char *name,
                                  kiln_prof_sums_t *sums)
{
    *sums = (kiln_prof_sums_t){0};
    for (size_t i = 0; i < log->count; i++) {
        const json_t *line = log->lines[i];
        if (strcmp(kiln_prof_text(line, "kind"), "kernel") != 0 ||
            (name && strcmp(kiln_prof_text(line, "name"), name) != 0))
            continue;
        kiln_prof_sum_t *sum = sum_of(sums, line, by);
        if (!sum) {
            free(sums->all);
            *sums = (kiln_prof_sums_t){0};
            return kiln_status_out_of_memory();
        }
        const double time = kiln_prof_time(line);
        sum->calls++;
        sum->total += time;
        sum->min = time < sum->min ? time : sum->min;
        sum->max = time > sum->max ? time : sum->max;
        sum->host_ms += kiln_prof_number(line, "host_ms");
        if (json_object_get(line, "predicted_us"))
            add_prediction(sum, line, time);
        sums->total += time;
    }
    for (size_t i = 0; i < sums->count; i++)
        finish(&sums->all[i]);
    if (sums->count)
        qsort(sums->all, sums->count, sizeof *sums->all, by_total);
    return KILN_OK;
}

int kiln_prof_bound(const kiln_prof_sum_t *sum)
{
    int max = 0;
    for (int i = 1; i < KILN_PROF_UNITS; i++)
        max = sum->busy[i] >= sum->busy[max] ? i : max;
    return sum->busy[max] < 0.5 ? -1 : max;
}
