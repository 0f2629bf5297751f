// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the report of `kiln verify` as text and as JSON.
#include "verify/report.h"

#include <inttypes.h>
#include <math.h>

#include "base/number.h"
#include "base/string.h"
#include "kiln/kiln.h"

size_t kiln_verify_count(const kiln_verify_run_t *run, kiln_verify_family_t family,
                         kiln_verify_verdict_t verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < run->item_count; i++)
        count += (family == KILN_VERIFY_FAMILIES || run->items[i].family == family) &&
                 run->results[i].verdict == verdict;
    return count;
}

static void print_counts(const kiln_verify_run_t *run, kiln_verify_family_t family, FILE *out)
{
    static const struct {
        kiln_verify_verdict_t verdict;
        const char *text;
    } words[] = {{KILN_VERIFY_IDENTICAL, "identical"},
                 {KILN_VERIFY_CLOSE, "within tolerance"},
                 {KILN_VERIFY_DIFFERS, "differ"},
                 {KILN_VERIFY_FAILED, "failed"},
                 {KILN_VERIFY_SKIPPED, "not run"}};
    const char *between = "";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t count = kiln_verify_count(run, family, words[i].verdict);
        if (count)
            fprintf(out, "%s%zu %s", between, count, words[i].text), between = ", ";
    }
    fprintf(out, "%s\n", *between ? "" : "nothing");
}

static void print_machine(const kiln_verify_run_t *run, FILE *out)
{
    const kiln_verify_machine_t *m = &run->machine;
    fprintf(out, "kiln %s (build %.12s), seed %" PRIu64 "\n", kiln_version(), kiln_build_id(),
            run->options->seed);
    fprintf(out, "GPU        %s, %s, %u compute units at %u MHz\n", m->name, m->target,
            m->compute_units, m->clock_khz / 1000);
    fprintf(out, "library    %s, runtime %d, driver %d%s\n", m->library, m->runtime_version,
            m->driver_version,
            m->is_simulated ? "\n           which is a simulator: this run measures no GPU" : "");
    fprintf(out, "simulator  %s\n", m->simulated_as);
}

// Prints the results with this verdict, and their texts.
static void print_those(const kiln_verify_run_t *run, kiln_verify_verdict_t verdict,
                        const char *title, FILE *out)
{
    for (size_t i = 0; i < run->item_count; i++) {
        const kiln_verify_result_t *result = &run->results[i];
        if (result->verdict == verdict && (verdict != KILN_VERIFY_CLOSE || !*result->unit))
            fprintf(out, "%s %s, %s: %s\n", title, kiln_verify_family_names[run->items[i].family],
                    run->items[i].name, result->text);
    }
}

// Times of a family: sums of |error| and of its logarithm.
typedef struct error {
    double mean, worst, ratio; // |predicted / measured - 1|; geometric mean of the quotient
    size_t count, worst_item;
} error_t;

static error_t error_of(const kiln_verify_run_t *run, kiln_verify_family_t family)
{
    error_t e = {0};
    double logarithms = 0;
    for (size_t i = 0; i < run->item_count; i++) {
        const kiln_verify_result_t *r = &run->results[i];
        if (run->items[i].family != family || !*r->unit || !(r->measured > 0) ||
            !(r->predicted > 0))
            continue;
        const double error = fabs(r->predicted / r->measured - 1);
        if (error >= e.worst)
            e.worst = error, e.worst_item = i;
        e.mean += error;
        logarithms += log(r->predicted / r->measured);
        e.count++;
    }
    if (e.count) {
        e.mean /= (double)e.count;
        e.ratio = exp(logarithms / (double)e.count);
    }
    return e;
}

static void print_times(const kiln_verify_run_t *run, kiln_verify_family_t family, FILE *out)
{
    const error_t e = error_of(run, family);
    if (!e.count)
        return;
    fprintf(out, "%s: predicted against measured\n", kiln_verify_family_names[family]);
    for (size_t i = 0; i < run->item_count; i++) {
        const kiln_verify_result_t *r = &run->results[i];
        if (run->items[i].family == family && *r->unit)
            kiln_format_file(out, "%+7.1f %% %11.4g %11.4g %-7s %s\n",
                             100 * (r->predicted / r->measured - 1), r->predicted, r->measured,
                             r->unit, run->items[i].name);
    }
    kiln_format_file(
        out,
        "the clock errs by %.1f %% in the mean, at most %.1f %% (%s); predicted is %.2f of "
        "measured in the geometric mean\n\n",
        100 * e.mean, 100 * e.worst, run->items[e.worst_item].name, e.ratio);
}

char *kiln_verify_parameters(const kiln_verify_run_t *run)
{
    kiln_string_t out = {0};
    kiln_string_appendf(&out, "# measured by kiln %s verify on %s, %s, driver %d\n", kiln_version(),
                        run->machine.name, run->machine.target, run->machine.driver_version);
    for (size_t i = 0; i < run->item_count; i++)
        if (*run->results[i].parameter)
            kiln_string_appendf(&out, "%s %d\n", run->results[i].parameter, run->results[i].value);
    return kiln_string_take(&out);
}

void kiln_verify_print(const kiln_verify_run_t *run, FILE *out)
{
    print_machine(run, out);
    fprintf(out, "\n");
    for (int f = 0; f < KILN_VERIFY_FAMILIES; f++) {
        if (!run->options->families[f])
            continue;
        fprintf(out, "%-14s ", kiln_verify_family_names[f]);
        print_counts(run, (kiln_verify_family_t)f, out);
    }
    fprintf(out, "\n");
    print_times(run, KILN_VERIFY_micro, out);
    print_times(run, KILN_VERIFY_times, out);
    print_those(run, KILN_VERIFY_DIFFERS, "DIFFERS", out);
    print_those(run, KILN_VERIFY_FAILED, "FAILED", out);
    print_those(run, KILN_VERIFY_CLOSE, "CLOSE", out);
    kiln_format_file(out, "%zu comparisons in %.0f s: ", run->item_count, run->seconds);
    print_counts(run, KILN_VERIFY_FAMILIES, out);
}

static json_t *machine_json(const kiln_verify_machine_t *m)
{
    return json_pack("{s:s,s:s,s:s,s:b,s:i,s:i,s:i,s:i,s:s}", "name", m->name, "target_id",
                     m->target, "library", m->library, "library_is_simulator", m->is_simulated,
                     "runtime_version", m->runtime_version, "driver_version", m->driver_version,
                     "compute_units", (int)m->compute_units, "clock_khz", (int)m->clock_khz,
                     "simulated_as", m->simulated_as);
}

static json_t *item_json(const kiln_verify_item_t *item, const kiln_verify_result_t *result)
{
    json_t *json =
        json_pack("{s:s,s:s,s:s,s:I,s:I}", "family", kiln_verify_family_names[item->family], "name",
                  item->name, "verdict", kiln_verify_verdict_names[result->verdict], "compared",
                  (json_int_t)result->compared, "different", (json_int_t)result->different);
    if (json && *result->unit)
        json_object_update_new(json,
                               json_pack("{s:f,s:f,s:s}", "measured", result->measured, "predicted",
                                         result->predicted, "unit", result->unit));
    if (json && *result->parameter)
        json_object_update_new(
            json, json_pack("{s:s,s:i}", "parameter", result->parameter, "value", result->value));
    if (json && *result->text)
        json_object_set_new(json, "text", json_string(result->text));
    return json;
}

static json_t *error_json(const kiln_verify_run_t *run, kiln_verify_family_t family)
{
    const error_t e = error_of(run, family);
    return e.count ? json_pack("{s:I,s:f,s:f,s:s,s:f}", "count", (json_int_t)e.count, "mean",
                               e.mean, "worst", e.worst, "worst_name",
                               run->items[e.worst_item].name, "ratio", e.ratio)
                   : json_null();
}

json_t *kiln_verify_json(const kiln_verify_run_t *run)
{
    json_t *items = json_array(), *counts = json_object();
    for (size_t i = 0; i < run->item_count; i++)
        json_array_append_new(items, item_json(&run->items[i], &run->results[i]));
    for (int v = KILN_VERIFY_IDENTICAL; v < KILN_VERIFY_VERDICTS; v++)
        json_object_set_new(counts, kiln_verify_verdict_names[v],
                            json_integer((json_int_t)kiln_verify_count(run, KILN_VERIFY_FAMILIES,
                                                                       (kiln_verify_verdict_t)v)));
    return json_pack("{s:s,s:s,s:I,s:f,s:o*,s:o*,s:o*,s:o*,s:o*}", "kiln", kiln_version(), "build",
                     kiln_build_id(), "seed", (json_int_t)run->options->seed, "seconds",
                     run->seconds, "gpu", machine_json(&run->machine), "counts", counts,
                     "micro_error", error_json(run, KILN_VERIFY_micro), "times_error",
                     error_json(run, KILN_VERIFY_times), "items", items);
}
