// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each row is read from the JSON of a launch, so that all three forms say the same.
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/string.h"

enum { INTERNAL = 70 }; // exit code

kiln_status_t kiln_bench_rows_add(kiln_bench_rows_t *rows, const json_t *launch)
{
    if (!rows->all)
        rows->all = json_array();
    return json_array_append(rows->all, (json_t *)(uintptr_t)launch) ? kiln_status_out_of_memory()
                                                                     : KILN_OK;
}

kiln_status_t kiln_bench_rows_end(kiln_bench_rows_t *rows, const kiln_size_rows_t *sizes,
                                  size_t row, const char *path, int code)
{
    if (code)
        fprintf(stderr, "note: in line %zu of '%s'\n", sizes->lines[row], path);
    if (json_array_size(rows->all) <= row) {
        json_t *none = json_pack("{s:i}", "exit_code", code);
        kiln_status_t status = kiln_bench_rows_add(rows, none);
        json_decref(none);
        KILN_TRY(status);
    }
    json_t *of_row = json_object();
    for (size_t i = 0; i < sizes->name_count; i++)
        json_object_set_new(of_row, sizes->names[i],
                            json_integer((json_int_t)kiln_size_rows_value(sizes, row, i)));
    rows->failed += code != 0;
    rows->is_internal |= code == INTERNAL;
    return json_object_set_new(json_array_get(rows->all, row), "sizes", of_row)
               ? kiln_status_out_of_memory()
               : KILN_OK;
}

int kiln_bench_rows_code(const kiln_bench_rows_t *rows)
{
    return rows->is_internal ? INTERNAL : rows->failed ? 1 : 0;
}

void kiln_bench_rows_free(kiln_bench_rows_t *rows)
{
    json_decref(rows->all);
    *rows = (kiln_bench_rows_t){0};
}

// What a row says ---------------------------------------------------------------------------------

static double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

typedef struct facts {
    const json_t *prediction, *interval, *resources; // NULL: none
    double tflops, gbps;                             // if predicted
    double low, high;                                // ns
    bool has_interval;
} facts_t;

static facts_t facts_of(const json_t *launch)
{
    facts_t f = {.prediction = json_object_get(launch, "prediction"),
                 .interval = json_object_get(launch, "interval"),
                 .resources = json_object_get(launch, "resources")};
    const double us = number_of(f.prediction, "microseconds");
    if (us > 0) {
        f.tflops = number_of(f.prediction, "flops") / us / 1e6;
        f.gbps = number_of(f.prediction, "hbm_bytes") / us / 1e3;
    }
    f.has_interval = f.interval || f.prediction;
    f.low = f.interval ? number_of(f.interval, "low")
                       : 1e3 * number_of(f.prediction, "least_microseconds");
    f.high = f.interval ? number_of(f.interval, "high")
                        : 1e3 * number_of(f.prediction, "most_microseconds");
    return f;
}

// "gemm", or "gemm+sum" of a sequence; from malloc.
static char *name_of(const json_t *launch)
{
    kiln_string_t text = {0};
    const json_t *step;
    size_t i;
    kiln_string_append(&text, text_of(launch, "kernel"));
    json_array_foreach(json_object_get(launch, "kernels"), i, step)
        kiln_string_appendf(&text, "%s%s", i ? "+" : "", text_of(step, "kernel"));
    return kiln_string_take(&text);
}

// "BLOCK=64 num_warps=4" with `all`, else only those that are not by default; from malloc.
static char *settings_of(const json_t *launch, bool all)
{
    kiln_string_t text = {0};
    const json_t *setting;
    size_t i;
    kiln_string_append(&text, "");
    json_array_foreach(json_object_get(launch, "effective"), i, setting)
    {
        const char *origin = text_of(setting, "origin");
        if (all || (strcmp(origin, "default") != 0 && strcmp(origin, "chosen") != 0))
            kiln_string_appendf(&text, "%s%s=%s", text.length ? " " : "", text_of(setting, "name"),
                                text_of(setting, "value"));
    }
    return kiln_string_take(&text);
}

// CSV ---------------------------------------------------------------------------------------------

static void put_quoted(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    putchar('"');
}

// A number if it is known, after a comma.
static void put_number(bool is_known, const char *format, double value)
{
    char text[64] = "";
    if (is_known)
        kiln_format(text, sizeof text, format, value);
    printf(",%s", text);
}

static void put_launch(const json_t *launch)
{
    static const char *const resources[] = {"vgprs",       "agprs",     "sgprs",
                                            "vgpr_spills", "lds_bytes", "occupancy"};
    const facts_t f = facts_of(launch);
    const bool failed = json_object_get(launch, "exit_code");
    char *name = name_of(launch), *settings = settings_of(launch, true);
    put_quoted(name ? name : "");
    printf(",");
    put_quoted(text_of(launch, "device"));
    printf(",%s", text_of(launch, "cost"));
    put_number(!failed, "%.0f", number_of(launch, "value"));
    put_number(f.has_interval, "%.0f", f.low);
    put_number(f.has_interval, "%.0f", f.high);
    put_number(f.interval, "%.0f", number_of(f.interval, "launches"));
    printf(",%s", text_of(launch, "bound"));
    put_number(f.prediction, "%.3f", f.tflops);
    put_number(f.prediction, "%.3f", f.gbps);
    for (size_t i = 0; i < sizeof resources / sizeof *resources; i++)
        put_number(f.resources, "%.0f", number_of(f.resources, resources[i]));
    put_number(!failed, "%.0f", (double)json_array_size(json_object_get(launch, "findings")));
    printf(",");
    put_quoted(settings ? settings : "");
    printf("\n");
    free(name);
    free(settings);
}

void kiln_bench_rows_print_csv(const kiln_bench_rows_t *rows, const kiln_size_rows_t *sizes)
{
    const json_t *launch;
    size_t i;
    for (size_t c = 0; c < sizes->name_count; c++)
        printf("%s,", sizes->names[c]);
    printf("kernel,device,cost,value,low,high,launches,bound,tflops,hbm_gbps,vgprs,agprs,sgprs,"
           "vgpr_spills,lds_bytes,occupancy,findings,settings\n");
    json_array_foreach(rows->all, i, launch)
    {
        for (size_t c = 0; c < sizes->name_count; c++)
            printf("%lld,", (long long)kiln_size_rows_value(sizes, i, c));
        put_launch(launch);
    }
}

// Text --------------------------------------------------------------------------------------------

static void print_row(const json_t *launch)
{
    const facts_t f = facts_of(launch);
    char *settings = settings_of(launch, false);
    if (json_object_get(launch, "exit_code")) {
        printf(" %12s\n", "failed");
    } else {
        kiln_format_file(stdout, " %12.0f", number_of(launch, "value"));
        if (f.has_interval)
            kiln_format_file(stdout, " %12.0f %12.0f", f.low, f.high);
        else
            printf(" %12s %12s", "", "");
        printf(" %9s", text_of(launch, "bound"));
        if (f.prediction)
            kiln_format_file(stdout, " %9.2f %9.1f", f.tflops, f.gbps);
        else
            printf(" %9s %9s", "", "");
        printf(" %8zu  %s\n", json_array_size(json_object_get(launch, "findings")),
               settings ? settings : "");
    }
    free(settings);
}

void kiln_bench_rows_print_text(const kiln_bench_rows_t *rows, const kiln_size_rows_t *sizes)
{
    const json_t *launch, *first = NULL;
    size_t i;
    json_array_foreach(rows->all, i, launch)
    {
        if (!first && !json_object_get(launch, "exit_code"))
            first = launch;
    }
    if (first) {
        char *name = name_of(first);
        printf("kernel %s on %s\n", name ? name : "", text_of(first, "device"));
        free(name);
    }
    for (size_t c = 0; c < sizes->name_count; c++)
        printf(" %8s", sizes->names[c]);
    printf(" %12s %12s %12s %9s %9s %9s %8s  %s\n", first ? text_of(first, "cost") : "cost", "low",
           "high", "bound by", "TFLOP/s", "HBM GB/s", "findings", "given or tuned settings");
    json_array_foreach(rows->all, i, launch)
    {
        for (size_t c = 0; c < sizes->name_count; c++)
            printf(" %8lld", (long long)kiln_size_rows_value(sizes, i, c));
        print_row(launch);
    }
}
