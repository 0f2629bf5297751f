// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers a search as one JSON object, which report.html draws and --json prints.
#include "report.h"

#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/number.h"
#include "base/string.h"
#include "cli/json_text.h"
#include "cli/report/page_write.h"
#include "winners.h"

// The command -------------------------------------------------------------------------------------

static bool is_plain(const char *word)
{
    for (const char *c = word; *c; c++)
        if (!kiln_is_alphanumeric(*c) && !strchr("_-+=.,:/%@", *c))
            return false;
    return *word != '\0';
}

static void append_word(kiln_string_t *text, const char *word)
{
    if (is_plain(word)) {
        kiln_string_append(text, word);
        return;
    }
    kiln_string_append_char(text, '\'');
    for (; *word; word++)
        if (*word == '\'')
            kiln_string_append(text, "'\\''");
        else
            kiln_string_append_char(text, *word);
    kiln_string_append_char(text, '\'');
}

char *kiln_tune_command_text(int argc, char **argv)
{
    kiln_string_t text = {0};
    kiln_string_append(&text, "kiln tune");
    for (int i = 1; i < argc; i++) {
        kiln_string_append_char(&text, ' ');
        append_word(&text, argv[i]);
    }
    return kiln_string_take(&text);
}

// JSON --------------------------------------------------------------------------------------------

static json_t *axes_json(const kiln_tune_report_t *report, json_int_t *out_combinations)
{
    static const char *const origins[] = {[KILN_TUNE_GIVEN] = "given",
                                          [KILN_TUNE_DECLARED] = "declared",
                                          [KILN_TUNE_DERIVED] = "derived"};
    json_t *all = json_array();
    *out_combinations = 1;
    for (size_t i = 0; i < report->problem->axis_count; i++) {
        const kiln_tune_axis_t *axis = &report->problem->axes[i];
        json_t *values = json_array();
        for (size_t j = 0; j < axis->value_count; j++)
            json_array_append_new(values, kiln_json_text(axis->values[j]));
        if (__builtin_mul_overflow(*out_combinations, (json_int_t)axis->value_count,
                                   out_combinations))
            *out_combinations = INT64_MAX;
        json_array_append_new(
            all, json_pack("{s:o,s:s,s:o}", "name", kiln_json_text(axis->name), "origin",
                           origins[kiln_tune_space_origin(report->space, i)], "values", values));
    }
    return all;
}

static json_t *conditions_json(const kiln_tune_space_t *space)
{
    size_t count;
    json_t *all = json_array();
    const char *const *conditions = kiln_tune_space_conditions(space, &count);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(all, kiln_json_text(conditions[i]));
    return all;
}

static json_t *real_json(double value, bool is_known)
{
    return is_known && isfinite(value) ? json_real(value) : json_null();
}

static json_t *sample_json(const kiln_tune_sample_t *sample)
{
    const bool is_ok = sample->verdict == KILN_TUNE_OK,
               is_tried = sample->verdict != KILN_TUNE_UNTRIED;
    const kiln_resources_t *resources = sample->resources;
    json_t *settings = json_object();
    for (size_t i = 0; i < sample->candidate->setting_count; i++)
        json_object_set_new(settings, sample->candidate->settings[i].name,
                            kiln_json_text(sample->candidate->settings[i].value));
    return json_pack(
        "{s:o,s:o,s:s,s:o,s:s,s:o,s:o,s:o,s:o,s:i,s:i,s:i,s:i,s:i,s:o,s:b,s:o,s:o}", "config",
        kiln_json_text(sample->candidate->config), "settings", settings, "verdict",
        kiln_tune_verdict_name(sample->verdict), "reason", kiln_json_text(sample->reason), "bound",
        sample->bound, "cost", real_json(sample->cost, is_ok), "model",
        real_json(sample->modelled_ns, sample->modelled_ns > 0), "error",
        real_json(sample->error, is_ok), "compile_ms", real_json(sample->compile_ms, is_tried),
        "vgprs", (int)(resources->vgprs + resources->agprs), "lds_bytes", (int)resources->lds_bytes,
        "occupancy", (int)resources->occupancy, "vgpr_spills", (int)resources->vgpr_spills,
        "stages", sample->stages_made, "same_as",
        sample->same_as ? kiln_json_text(sample->same_as->config) : json_null(), "recalled",
        (int)sample->is_recalled, "order",
        is_tried ? json_integer((json_int_t)sample->order) : json_null(), "clock_mhz",
        real_json(sample->clock_mhz, sample->clock_mhz > 0));
}

// False if out of memory.
static bool add_samples(json_t *array, const kiln_tune_result_t *result)
{
    for (size_t i = 0; i < kiln_tune_result_count(result); i++)
        if (json_array_append_new(array, sample_json(kiln_tune_result_sample(result, i))) != 0)
            return false;
    return true;
}

static const char *search_name(kiln_tune_strategy_t strategy)
{
    return strategy == KILN_TUNE_GUIDED   ? "guided"
           : strategy == KILN_TUNE_MODEL  ? "model"
           : strategy == KILN_TUNE_RANDOM ? "random"
                                          : "exhaustive";
}

// "split_k+split_k_sum"
static json_t *kernels_json(const kiln_tune_problem_t *problem)
{
    kiln_string_t text = {0};
    kiln_string_append(&text,
                       problem->options->kernel ? problem->options->kernel : problem->source.name);
    for (size_t i = 0; i < problem->then_count; i++) {
        const kiln_tune_step_t *step = problem->then[i];
        kiln_string_appendf(&text, "+%s", step->kernel ? step->kernel : step->source.name);
    }
    char *names = kiln_string_take(&text);
    json_t *json = names ? kiln_json_text(names) : NULL;
    free(names);
    return json;
}

// The search as an object; takes `winners`, which may be NULL. NULL if out of memory.
static json_t *search_json(const kiln_tune_report_t *report, json_t *winners)
{
    const kiln_tune_problem_t *problem = report->problem;
    const kiln_tune_sample_t *best = kiln_tune_result_sample(report->result, 0);
    const bool is_found = best && best->verdict == KILN_TUNE_OK;
    json_int_t combinations;
    char shard[48] = "";
    if (problem->shard_count)
        snprintf(shard, sizeof shard, "%zu/%zu", problem->shard, problem->shard_count);
    json_t *axes = axes_json(report, &combinations), *samples = json_array();
    const bool is_whole = add_samples(samples, report->result);
    json_t *data = json_pack(
        "{s:o,s:s,s:o,s:o,s:s,s:o,s:o,s:I,s:o,s:s,s:o,s:o,s:o}", "kernel", kernels_json(problem),
        "device", kiln_device_key(problem->device), "arguments", kiln_json_text(problem->arguments),
        "kind",
        is_found ? kiln_json_text(kiln_cost_kind_name(kiln_tune_result_cost_kind(report->result)))
                 : json_null(),
        "search", search_name(problem->strategy), "command", kiln_json_text(report->command),
        "axes", axes, "combinations", combinations, "conditions", conditions_json(report->space),
        "shard", shard, "best", is_found ? kiln_json_text(best->candidate->config) : json_null(),
        "samples", samples, "findings", kiln_findings_json(report->findings));
    if (data && winners && json_object_set(data, "winners", winners) != 0) {
        json_decref(data);
        data = NULL;
    }
    json_decref(winners);
    if (is_whole)
        return data;
    json_decref(data);
    return NULL;
}

kiln_status_t kiln_tune_report_check(const char *path)
{
    char *copy = strdup(path);
    if (!copy)
        return kiln_status_out_of_memory();
    const bool is_there = access(path, F_OK) == 0;
    const bool is_writable = access(is_there ? path : dirname(copy), W_OK) == 0;
    kiln_status_t status = is_writable ? KILN_OK
                                       : kiln_status_make(KILN_STATUS_IO, "cannot write '%s': %s",
                                                          path, strerror(errno));
    free(copy);
    return status;
}

kiln_status_t kiln_tune_report_write(const kiln_tune_report_t *report, const char *path)
{
    json_t *winners;
    kiln_status_t status = kiln_tune_winners_json(report->problem, report->result, &winners);
    if (status) {
        json_decref(winners);
        return status;
    }
    json_t *data = search_json(report, winners);
    status = data ? kiln_page_write(kiln_page_tune, data, path) : kiln_status_out_of_memory();
    json_decref(data);
    return status;
}

kiln_status_t kiln_tune_report_print(const kiln_tune_report_t *report)
{
    json_t *data = search_json(report, NULL);
    if (!data)
        return kiln_status_out_of_memory();
    kiln_cli_print_json(data);
    json_decref(data);
    return KILN_OK;
}
