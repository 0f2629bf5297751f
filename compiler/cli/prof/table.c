// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the output of `kiln prof`. Note that copies and fills overlap with kernels of other
// streams, so the sum of all may exceed the time from the first to the last.
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/number.h"
#include "cli/json_text.h"

// Other work --------------------------------------------------------------------------------------

typedef struct other {
    const char *title, *kind, *from, *to; // of lines; NULL: any
    size_t count;
    double total, bytes;
} other_t;

enum { OTHERS = 9 };

static void add_others(const kiln_prof_log_t *log, other_t others[OTHERS])
{
    static const other_t rows[OTHERS] = {
        {.title = "copies host to device", .kind = "copy", .from = "host", .to = "device"},
        {.title = "copies device to host", .kind = "copy", .from = "device", .to = "host"},
        {.title = "copies on devices", .kind = "copy", .from = "device", .to = "device"},
        {.title = "copies on the host", .kind = "copy", .from = "host", .to = "host"},
        {.title = "copies between any", .kind = "copy", .from = "any", .to = "any"},
        {.title = "fills", .kind = "fill"},
        {.title = "launches of graphs", .kind = "graph"},
        {.title = "host functions", .kind = "host"},
        {.title = "waits of the host", .kind = "wait"}};
    memcpy(others, rows, sizeof rows);
    for (size_t i = 0; i < log->count; i++) {
        const json_t *line = log->lines[i];
        for (size_t k = 0; k < OTHERS; k++) {
            other_t *other = &others[k];
            if (strcmp(kiln_prof_text(line, "kind"), other->kind) != 0 ||
                (other->from && strcmp(kiln_prof_text(line, "from"), other->from) != 0) ||
                (other->from && strcmp(kiln_prof_text(line, "to"), other->to) != 0))
                continue;
            other->count++;
            other->total += kiln_prof_time(line);
            other->bytes += kiln_prof_number(line, "bytes");
        }
    }
}

// The time from the first work's begin to the last work's end, in the process that took longest.
static double elapsed(const kiln_prof_log_t *log)
{
    double longest = 0;
    for (size_t i = 0; i < log->count; i++) {
        const double end = kiln_prof_number(log->lines[i], "end");
        longest = end > longest ? end : longest;
    }
    return longest;
}

static void count(const kiln_prof_sums_t *sums, kiln_prof_sum_t *all)
{
    *all = (kiln_prof_sum_t){0};
    for (size_t i = 0; i < sums->count; i++) {
        all->calls += sums->all[i].calls;
        all->predicted += sums->all[i].predicted;
        all->repeated += sums->all[i].repeated;
        all->launch += sums->all[i].launch;
        all->host_ms += sums->all[i].host_ms;
    }
}

// Text --------------------------------------------------------------------------------------------

static void shape_text(const json_t *line, char *out, size_t size)
{
    size_t length = 0;
    const char *const members[] = {"grid", "block"};
    for (unsigned m = 0; m < 2; m++) {
        const json_t *array = json_object_get(line, members[m]);
        length += (size_t)snprintf(out + length, size - length, m ? " of (" : "(");
        for (size_t i = 0; i < json_array_size(array) && length < size; i++)
            length += (size_t)snprintf(out + length, size - length, i ? ",%lld" : "%lld",
                                       (long long)json_integer_value(json_array_get(array, i)));
        length += (size_t)snprintf(out + length, size - length, ")");
    }
}

static void print_rows(FILE *out, const kiln_prof_sums_t *sums, bool shapes)
{
    fprintf(out,
            "   share   calls    total us     mean us      min us      max us  bound by    %s\n",
            shapes ? "grid of workgroup" : "kernel");
    for (size_t i = 0; i < sums->count; i++) {
        const kiln_prof_sum_t *sum = &sums->all[i];
        const int bound = kiln_prof_bound(sum);
        char by[24] = "-", shape[128];
        if (sum->predicted && bound < 0)
            snprintf(by, sizeof by, "latency");
        else if (sum->predicted)
            kiln_format(by, sizeof by, "%s %.0f %%", kiln_prof_unit_names[bound],
                        100 * sum->busy[bound]);
        shape_text(sum->first, shape, sizeof shape);
        kiln_format_file(out, "%6.1f %% %7zu %11.1f %11.2f %11.2f %11.2f  %-10s  %s\n",
                         sums->total > 0 ? 100 * sum->total / sums->total : 0, sum->calls,
                         sum->total, sum->total / (double)sum->calls, sum->min, sum->max, by,
                         shapes ? shape : kiln_prof_text(sum->first, "name"));
    }
}

static void print_others(FILE *out, const kiln_prof_log_t *log, const kiln_prof_sums_t *sums,
                         const kiln_prof_source_t *source)
{
    other_t others[OTHERS];
    kiln_prof_sum_t all;
    add_others(log, others);
    count(sums, &all);
    kiln_format_file(out, "\n  %-24s %7zu %11.1f us\n", "kernels", all.calls, sums->total);
    if (all.predicted)
        kiln_format_file(out, "  %-24s %7zu %11.1f us\n", "their launches", all.predicted,
                         all.launch);
    for (size_t i = 0; i < OTHERS; i++) {
        if (!others[i].count)
            continue;
        kiln_format_file(out, "  %-24s %7zu %11.1f us", others[i].title, others[i].count,
                         others[i].total);
        if (others[i].bytes > 0)
            kiln_format_file(out, "%12.3f MB", others[i].bytes * 1e-6);
        fputc('\n', out);
    }
    kiln_format_file(out, "  %-24s %7s %11.1f us\n", "from start to end", "", elapsed(log));
    if (source->is_measured) {
        fprintf(out, "\n%zu launches, each timed by two events; kernels of graphs are not\n",
                all.calls);
        return;
    }
    fprintf(
        out,
        "\n%zu launches: %zu predicted, %zu equal to an earlier one, %zu without a prediction\n",
        all.calls, all.predicted - all.repeated, all.repeated, all.calls - all.predicted);
}

static double workgroups_of(const json_t *line)
{
    const json_t *grid = json_object_get(line, "grid");
    double all = 1;
    for (size_t i = 0; i < json_array_size(grid); i++)
        all *= json_number_value(json_array_get(grid, i));
    return all;
}

// The shares of the units that each compute unit has, over all of the device.
static void print_of_device(FILE *out, const kiln_prof_sum_t *sum, double workgroups, double units)
{
    enum { OF_COMPUTE_UNIT = 4 };
    const double part =
        units > 0 && workgroups > 0 ? workgroups / (units * ceil(workgroups / units)) : 1;
    kiln_format_file(out, "\n  %-24s", "busy, of the device");
    for (size_t i = 0; i < OF_COMPUTE_UNIT; i++) {
        const double share = 100 * part * sum->busy[i];
        kiln_format_file(out, " %s %.*f %%", kiln_prof_unit_names[i], share > 0 && share < 10,
                         share);
    }
}

// Prints details of one set of launches, averaged over their time.
static void print_details(FILE *out, const kiln_prof_sum_t *sum)
{
    char shape[128];
    const double us = sum->predicted_total;
    shape_text(sum->first, shape, sizeof shape);
    kiln_format_file(out,
                     "\n%s: %.0f registers, %.0f bytes of LDS, %.0f bytes of scratch per lane\n",
                     shape, kiln_prof_number(sum->first, "vgprs"),
                     kiln_prof_number(sum->first, "lds"), kiln_prof_number(sum->first, "scratch"));
    if (us <= 0)
        return;
    const double workgroups = workgroups_of(sum->first),
                 units = kiln_prof_number(sum->first, "compute_units");
    kiln_format_file(out, "  %-24s %.0f of %.0f\n", "compute units with work",
                     workgroups < units ? workgroups : units, units);
    fprintf(out, "  %-24s", "busy");
    for (size_t i = 0; i < KILN_PROF_UNITS; i++)
        kiln_format_file(out, " %s %.0f %%", kiln_prof_unit_names[i], 100 * sum->busy[i]);
    print_of_device(out, sum, workgroups, units);
    kiln_format_file(out, "\n  %-24s L1 %.0f %% L2 %.0f %%\n", "hits", 100 * sum->l1_hits,
                     100 * sum->l2_hits);
    kiln_format_file(out, "  %-24s %.2f of %.0f that fit\n", "waves per SIMD", sum->waves_per_simd,
                     kiln_prof_number(sum->first, "occupancy"));
    kiln_format_file(out, "  %-24s L2 %.1f, Infinity Cache %.1f, HBM %.1f\n", "GB/s",
                     sum->l2_bytes / us * 1e-3, sum->infinity_cache_bytes / us * 1e-3,
                     sum->hbm_bytes / us * 1e-3);
    if (sum->flops > 0)
        kiln_format_file(out, "  %-24s %.2f\n", "TFLOP/s", sum->flops / us * 1e-6);
    kiln_format_file(out, "  %-24s %.1f ms for %zu launches\n", "simulated in", sum->host_ms,
                     sum->calls);
}

// Returns, for each cost, the time of the replayed launches without it.
static json_t *add_without(const kiln_prof_log_t *log, const char *kernel, double *out_whole)
{
    json_t *sums = json_object();
    *out_whole = 0;
    for (size_t i = 0; i < log->count; i++) {
        json_t *without = json_object_get(log->lines[i], "without"), *value;
        if (!without || strcmp(kiln_prof_text(log->lines[i], "name"), kernel) != 0)
            continue;
        const char *cost;
        *out_whole += kiln_prof_time(log->lines[i]);
        json_object_foreach(without, cost, value)
        {
            const double sum = kiln_prof_number(sums, cost) + json_number_value(value);
            json_object_set_new(sums, cost, json_real(sum));
        }
    }
    return sums;
}

static void print_without(FILE *out, const kiln_prof_log_t *log, const char *kernel)
{
    double whole;
    json_t *sums = add_without(log, kernel, &whole), *value;
    const char *cost;
    bool some = false;
    json_object_foreach(sums, cost, value)
    {
        const double gain = whole - json_number_value(value);
        if (gain < 0.005 * whole)
            continue;
        if (!some)
            kiln_format_file(
                out,
                "\nsavings in %.1f us of distinct launches, with one cost left out at a time\n",
                whole);
        some = true;
        kiln_format_file(out, "  %-44s %10.1f us %5.0f %%\n", cost, gain, 100 * gain / whole);
    }
    json_decref(sums);
}

// Whether the code objects list the compiler's findings.
static bool has_compiled(const kiln_prof_findings_t *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        if (json_object_get(findings->shapes[i].line, "findings"))
            return true;
    return false;
}

static void print_findings(FILE *out, const kiln_prof_findings_t *findings,
                           const kiln_prof_sum_t *sum)
{
    const kiln_prof_shape_t *shape = findings ? kiln_prof_findings_of(findings, sum->first) : NULL;
    if (shape)
        kiln_findings_print(&shape->findings, out);
}

static kiln_status_t print_text(FILE *out, const kiln_prof_log_t *log,
                                const kiln_prof_source_t *source, const char *kernel,
                                const kiln_prof_findings_t *findings, size_t top,
                                const kiln_prof_sums_t *sums)
{
    fprintf(out, kernel ? "kernel %s, %s %s%s\n" : "kernels by time%s, %s %s%s\n",
            kernel ? kernel : "", source->is_measured ? "measured by events on" : "predicted for",
            source->device,
            source->is_simulator ? ", which is a simulator: this run measures no GPU" : "");
    print_rows(out, sums, kernel != NULL);
    if (!kernel) {
        print_others(out, log, sums, source);
        return KILN_OK;
    }
    if (source->is_measured) {
        fprintf(out, "\n--device=sim predicts how busy the units are, and where waves stall\n");
        return KILN_OK;
    }
    for (size_t i = 0; i < sums->count; i++) {
        print_details(out, &sums->all[i]);
        print_findings(out, findings, &sums->all[i]);
    }
    if (findings && findings->warnings.enabled && !has_compiled(findings))
        kiln_findings_print_compiled(out);
    print_without(out, log, kernel);
    return kiln_prof_stalls_print(out, log, kernel, top);
}

// CSV ---------------------------------------------------------------------------------------------

static void quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void print_csv(FILE *out, const kiln_prof_sums_t *sums, bool is_measured)
{
    fprintf(out, "kernel,grid_x,grid_y,grid_z,block_x,block_y,block_z,calls");
    for (size_t i = 0; i < 4; i++)
        fprintf(out, ",%s_%s_us", is_measured ? "measured" : "predicted",
                (const char *const[]){"total", "mean", "min", "max"}[i]);
    fprintf(out, is_measured ? ",share\n" : ",share,bound_by,predicted\n");
    for (size_t i = 0; i < sums->count; i++) {
        const kiln_prof_sum_t *sum = &sums->all[i];
        const int bound = kiln_prof_bound(sum);
        quoted(out, kiln_prof_text(sum->first, "name"));
        for (unsigned m = 0; m < 6; m++)
            fprintf(out, ",%lld",
                    (long long)json_integer_value(json_array_get(
                        json_object_get(sum->first, m < 3 ? "grid" : "block"), m % 3)));
        kiln_format_file(out, ",%zu,%.3f,%.3f,%.3f,%.3f,%.4f", sum->calls, sum->total,
                         sum->total / (double)sum->calls, sum->min, sum->max,
                         sums->total > 0 ? sum->total / sums->total : 0);
        if (!is_measured)
            fprintf(out, ",%s,%zu",
                    !sum->predicted ? ""
                    : bound < 0     ? "latency"
                                    : kiln_prof_unit_names[bound],
                    sum->predicted);
        fputc('\n', out);
    }
}

// JSON --------------------------------------------------------------------------------------------

static json_t *measured_json(const kiln_prof_sum_t *sum, double total)
{
    return json_pack("{s:O,s:O,s:O,s:I,s:f,s:f,s:f,s:f,s:f}", "name",
                     json_object_get(sum->first, "name"), "grid",
                     json_object_get(sum->first, "grid"), "block",
                     json_object_get(sum->first, "block"), "calls", (json_int_t)sum->calls,
                     "total_us", sum->total, "mean_us", sum->total / (double)sum->calls, "min_us",
                     sum->min, "max_us", sum->max, "share", total > 0 ? sum->total / total : 0);
}

static json_t *sum_json(const kiln_prof_sum_t *sum, double total)
{
    static const char *const busy[KILN_PROF_UNITS] = {"mfma", "valu", "lds", "l1", "l2", "hbm"};
    const int bound = kiln_prof_bound(sum);
    json_t *shares = json_object();
    for (size_t i = 0; i < KILN_PROF_UNITS; i++)
        json_object_set_new(shares, busy[i], json_real(sum->busy[i]));
    return json_pack(
        "{s:O,s:O,s:O,s:I,s:I,s:I,s:f,s:f,s:f,s:f,s:f,s:f,s:s?,s:o,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:O,"
        "s:O,s:O}",
        "name", json_object_get(sum->first, "name"), "grid", json_object_get(sum->first, "grid"),
        "block", json_object_get(sum->first, "block"), "calls", (json_int_t)sum->calls, "predicted",
        (json_int_t)sum->predicted, "repeated", (json_int_t)sum->repeated, "total_us", sum->total,
        "mean_us", sum->total / (double)sum->calls, "min_us", sum->min, "max_us", sum->max, "share",
        total > 0 ? sum->total / total : 0, "launch_us", sum->launch, "bound",
        !sum->predicted ? NULL
        : bound < 0     ? "latency"
                        : kiln_prof_unit_names[bound],
        "busy", shares, "waves_per_simd", sum->waves_per_simd, "l1_hits", sum->l1_hits, "l2_hits",
        sum->l2_hits, "flops", sum->flops, "l2_bytes", sum->l2_bytes, "hbm_bytes", sum->hbm_bytes,
        "host_ms", sum->host_ms, "vgprs", json_object_get(sum->first, "vgprs"), "lds_bytes",
        json_object_get(sum->first, "lds"), "scratch_bytes_per_lane",
        json_object_get(sum->first, "scratch"));
}

static kiln_status_t print_json(FILE *out, const kiln_prof_log_t *log,
                                const kiln_prof_source_t *source, const char *kernel,
                                const kiln_prof_findings_t *findings, const kiln_prof_sums_t *sums)
{
    other_t others[OTHERS];
    add_others(log, others);
    json_t *kernels = json_array(), *rest = json_array();
    for (size_t i = 0; i < sums->count; i++) {
        json_t *sum = source->is_measured ? measured_json(&sums->all[i], sums->total)
                                          : sum_json(&sums->all[i], sums->total);
        if (!kernel && sum) { // of several launches, the first one's values
            json_object_del(sum, "grid");
            json_object_del(sum, "block");
        }
        const kiln_prof_shape_t *shape =
            findings ? kiln_prof_findings_of(findings, sums->all[i].first) : NULL;
        if (shape && sum)
            json_object_set_new(sum, "findings", kiln_findings_json(&shape->findings));
        json_array_append_new(kernels, sum);
    }
    for (size_t i = 0; i < OTHERS && !kernel; i++) {
        if (others[i].count)
            json_array_append_new(rest, json_pack("{s:s,s:I,s:f,s:f}", "what", others[i].title,
                                                  "count", (json_int_t)others[i].count, "total_us",
                                                  others[i].total, "bytes", others[i].bytes));
    }
    json_t *root =
        json_pack("{s:s,s:s,s:f,s:f,s:o,s:o}", "device", source->device, "times",
                  source->is_measured ? "measured" : "predicted", "total_us", sums->total,
                  "elapsed_us", elapsed(log), "kernels", kernels, "other", rest);
    if (!root)
        return kiln_status_out_of_memory();
    double whole;
    const bool has_stalls = kernel && !source->is_measured;
    if (source->is_measured)
        json_object_set_new(root, "device_is_simulator", json_boolean(source->is_simulator));
    if (has_stalls)
        json_object_set_new(root, "without_us", add_without(log, kernel, &whole));
    kiln_status_t status = has_stalls ? kiln_prof_stalls_json(root, log, kernel) : KILN_OK;
    if (!status)
        kiln_cli_write_json(out, root);
    json_decref(root);
    return status;
}

kiln_status_t kiln_prof_write(FILE *out, const kiln_prof_log_t *log,
                              const kiln_prof_source_t *source, const char *kernel,
                              const kiln_prof_findings_t *findings, size_t top,
                              kiln_prof_form_t form)
{
    kiln_prof_sums_t sums;
    const kiln_prof_by_t by =
        kernel || form == KILN_PROF_CSV ? KILN_PROF_BY_SHAPE : KILN_PROF_BY_NAME;
    KILN_TRY(kiln_prof_summarize(log, by, kernel, &sums));
    kiln_status_t status = KILN_OK;
    if (form == KILN_PROF_TEXT)
        status = print_text(out, log, source, kernel, findings, top, &sums);
    else if (form == KILN_PROF_CSV)
        print_csv(out, &sums, source->is_measured);
    else
        status = print_json(out, log, source, kernel, findings, &sums);
    free(sums.all);
    return status;
}
