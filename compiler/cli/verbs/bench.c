// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln bench: the cost of one launch of a kernel, for the same call as `kiln run`, including tuned
// settings.
//
// On a GPU the kernel is launched many times, each time from the same contents of buffers. On the
// simulator nothing is measured; the table says whether a cost is predicted or estimated.
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/number.h"
#include "cli/bench/measure.h"
#include "cli/bench/rows.h"
#include "cli/compare/compare.h"
#include "cli/findings/clock.h"
#include "cli/findings/findings.h"
#include "cli/input.h"
#include "cli/json_text.h"
#include "cli/launch/call.h"
#include "cli/launch/facts.h"
#include "cli/launch/grid.h"
#include "cli/option_flags.h"
#include "cli/pages.h"
#include "cli/prediction/prediction.h"
#include "cli/prediction/roofline.h"
#include "cli/prediction/stalls.h"
#include "cli/report/report.h"
#include "cli/verbs.h"
#include "kiln/tune.h"

enum { MAX_EXPECTED = 16 };

typedef struct bench_flags {
    kiln_launch_flags_t launch;
    bool stalls, json, csv, fail_on_findings;
    long top; // rows of --stalls; 0: all
    kiln_bench_plan_t plan;
    const char *sizes;      // a file
    kiln_bench_rows_t rows; // of --sizes and --csv
    kiln_findings_t findings;
    bool has_compiled;             // the code object lists the compiler's findings
    const char *roofline, *report; // file names
    kiln_report_stages_t stages;
    char *near; // the problem that was tuned, if it is another one
    const char *expected[MAX_EXPECTED];
    size_t expected_count;
    kiln_compare_t compare;
    char **operands; // the source and its arguments
    size_t operand_count;
} bench_flags_t;

static void print_measured(const kiln_cost_t *cost)
{
    printf("  %-24s %12.0f\n", kiln_cost_kind_name(cost->kind), cost->value);
    if (cost->kind == KILN_COST_MEASURED_NANOSECONDS)
        printf("  %-24s %12.0f   to %.0f (%s; %u launches)\n", "interval ns", cost->low, cost->high,
               cost->timed < 6 ? "fastest to slowest" : "contains the median with 95 %",
               cost->timed);
}

static json_t *interval_json(const kiln_cost_t *cost)
{
    return cost->kind == KILN_COST_MEASURED_NANOSECONDS
               ? json_pack("{s:f,s:f,s:i}", "low", cost->low, "high", cost->high, "launches",
                           (int)cost->timed)
               : NULL;
}

static void print_text(const kiln_jit_kernel_t *kernel, kiln_device_t *device,
                       const kiln_cost_t *cost, const kiln_sim_prediction_t *prediction,
                       const json_t *facts)
{
    printf("kernel %s on %s\n", kiln_jit_kernel_name(kernel), kiln_device_key(device));
    if (prediction)
        kiln_prediction_print(prediction, device);
    else
        print_measured(cost);
    if (cost->bound)
        printf("  %-24s %12s\n", "bound by", cost->bound);
    kiln_launch_facts_print(facts);
}

// Gathers all facts about the launch; `lines` only if requested.
static kiln_status_t gather(const kiln_jit_kernel_t *kernel, kiln_device_t *device,
                            const kiln_cost_t *cost, const kiln_sim_prediction_t *prediction,
                            json_t *facts, const bench_flags_t *flags, json_t **out_root)
{
    json_t *lines = NULL, *settings = json_object();
    if (flags->stalls || flags->report || (flags->compare.base && prediction))
        KILN_TRY(kiln_stalls_json(device, &lines));
    const kiln_setting_t *all = kiln_jit_kernel_settings(kernel);
    for (size_t i = 0; i < kiln_jit_kernel_setting_count(kernel); i++)
        json_object_set_new(settings, all[i].name, kiln_json_text(all[i].value));
    json_t *root =
        json_pack("{s:o,s:s,s:s,s:f,s:o*,s:s*,s:o,s:o*,s:o*,s:o*,s:o,s:o*}", "kernel",
                  kiln_json_text(kiln_jit_kernel_name(kernel)), "device", kiln_device_key(device),
                  "cost", kiln_cost_kind_name(cost->kind), "value", cost->value, "interval",
                  interval_json(cost), "bound", cost->bound, "settings", settings, "prediction",
                  prediction ? kiln_prediction_json(prediction) : NULL, "busy_of_device",
                  prediction ? kiln_prediction_device_json(prediction, device) : NULL,
                  "full_clock_mhz", prediction ? json_real(kiln_prediction_full_mhz(device)) : NULL,
                  "findings", kiln_findings_json(&flags->findings), "lines", lines);
    if (!root || json_object_update(root, facts) != 0) {
        json_decref(root);
        return kiln_status_out_of_memory();
    }
    *out_root = root;
    return KILN_OK;
}

// Prints the launch, or its differences from the base.
static kiln_status_t print(const kiln_jit_kernel_t *kernel, kiln_device_t *device,
                           const kiln_cost_t *cost, const kiln_sim_prediction_t *prediction,
                           const json_t *facts, const json_t *root, kiln_stage_t stage,
                           const bench_flags_t *flags)
{
    if (!flags->compare.base) {
        print_text(kernel, device, cost, prediction, facts);
        kiln_findings_print(&flags->findings, stdout);
        if (prediction && stage == KILN_STAGE_HSACO && !flags->has_compiled &&
            flags->findings.warnings.enabled)
            kiln_findings_print_compiled(stdout);
        return KILN_OK;
    }
    json_t *base;
    KILN_TRY(kiln_compare_base(&flags->compare, flags->operands, flags->operand_count,
                               prediction != NULL, &base));
    kiln_status_t status = kiln_compare_print(&flags->compare, base, root, flags->json);
    json_decref(base);
    return status;
}

static kiln_status_t write_files(const kiln_source_t *source, json_t *root, bench_flags_t *flags)
{
    if (flags->csv || flags->sizes)
        return kiln_bench_rows_add(&flags->rows, root);
    if (flags->json && !flags->compare.base)
        kiln_cli_print_json(root);
    if (!flags->report)
        return KILN_OK;
    return kiln_report_write(root, source, &flags->stages, flags->report);
}

static kiln_status_t refuse_unused_flags(const bench_flags_t *flags, const kiln_device_t *device)
{
    const struct {
        bool given;
        const char *flag;
    } predicted[] = {{flags->stalls, "--stalls"},
                     {flags->report != NULL, "--report"},
                     {flags->roofline != NULL, "--roofline"}};
    for (size_t i = 0; i < sizeof predicted / sizeof *predicted; i++)
        if (predicted[i].given) {
            KILN_TRY(kiln_flag_requires_simulator(predicted[i].flag, device));
            KILN_TRY(kiln_flag_requires_prediction(predicted[i].flag));
        }
    KILN_TRY(kiln_bench_plan_check(&flags->plan, device));
    if (flags->plan.cold && kiln_flag_given("--sim-caches"))
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--cold implies --sim-caches=cold; give only one of them");
    if (flags->top && (!flags->stalls || flags->json))
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--top has no effect here: it limits the text of --stalls");
    const char *stalls = kiln_environment("KILN_SIM_STALLS");
    if ((flags->stalls || flags->report) && stalls && strcmp(stalls, "1") != 0)
        return kiln_status_make(KILN_STATUS_USAGE, "%s requires --sim-stalls=1 (KILN_SIM_STALLS)",
                                flags->stalls ? "--stalls" : "--report");
    return flags->expected_count ? kiln_flag_requires_execution("--expect") : KILN_OK;
}

static bool records_stalls(void)
{
    const char *stalls = kiln_environment("KILN_SIM_STALLS");
    return stalls && strcmp(stalls, "1") == 0;
}

static bool take_finding(const kiln_diagnostic_t *diagnostic, void *findings)
{
    return kiln_findings_take(findings, diagnostic);
}

static kiln_status_t bench_kernel(kiln_jit_t *jit, kiln_device_t *device,
                                  kiln_arguments_t *arguments, const kiln_jit_call_t *call,
                                  const char *grid, bench_flags_t *flags)
{
    double error;
    kiln_jit_kernel_t *kernel;
    kiln_cost_t cost = {.struct_size = sizeof cost};
    kiln_sim_prediction_t prediction = {.struct_size = sizeof prediction};
    kiln_bench_launch_t request = {.call = *call};
    KILN_TRY(refuse_unused_flags(flags, device));
    KILN_TRY(kiln_jit_prepare(jit, call, &kernel, NULL));
    KILN_TRY(kiln_launch_complete_grid(arguments, grid, kernel, &request.call));
    request.kernel = kernel;
    KILN_TRY(kiln_bench_launch_check(&request));
    KILN_TRY(kiln_device_properties(device)->kind == KILN_DEVICE_SIM
                 ? kiln_bench_simulate(device, &request, &cost)
                 : kiln_bench_measure(device, arguments, &request, 1, &flags->plan, &cost));
    KILN_TRY(kiln_device_checked(device));
    for (size_t i = 0; i < flags->expected_count; i++)
        KILN_TRY(kiln_arguments_expect(arguments, flags->expected[i], &error));
    const bool predicted = cost.kind == KILN_COST_PREDICTED_NANOSECONDS;
    if (predicted || flags->roofline || flags->stalls || flags->report)
        KILN_TRY(kiln_device_launch_prediction(device, &prediction));
    if (predicted && records_stalls() && flags->findings.warnings.enabled)
        KILN_TRY(kiln_clock_findings(
            device, kernel, call->source.name,
            call->source.stage == KILN_STAGE_HSACO ? NULL : call->source.text, &flags->findings));
    if (flags->findings.out_of_memory)
        return kiln_status_out_of_memory();
    kiln_findings_sort(&flags->findings);
    json_t *facts = NULL, *root = NULL;
    kiln_status_t status = kiln_launch_facts(kernel, call, device, flags->near, &facts);
    const kiln_sim_prediction_t *warnings = predicted ? &prediction : NULL;
    const bool has_rows = flags->csv || flags->sizes;
    if (!status && (flags->json || flags->report || flags->compare.base || has_rows))
        status = gather(kernel, device, &cost, warnings, facts, flags, &root);
    if (!status && !has_rows && (!flags->json || flags->compare.base))
        status = print(kernel, device, &cost, warnings, facts, root, call->source.stage, flags);
    if (!status && root)
        status = write_files(&call->source, root, flags);
    json_decref(facts);
    json_decref(root);
    KILN_TRY(status);
    if (flags->stalls && !flags->json)
        KILN_TRY(kiln_stalls_print(device, (size_t)flags->top,
                                   call->source.stage == KILN_STAGE_HSACO ? NULL : &call->source));
    if (flags->roofline)
        KILN_TRY(kiln_roofline_write(&prediction, kiln_jit_kernel_name(kernel), device,
                                     flags->roofline));
    return flags->fail_on_findings ? kiln_findings_fail(flags->findings.count) : KILN_OK;
}

// Sequences ---------------------------------------------------------------------------------------

typedef struct sequence {
    kiln_bench_launch_t requests[1 + KILN_LAUNCH_MAX_STEPS];
    size_t count;
} sequence_t;

static kiln_status_t refuse_flags_of_one_kernel(const bench_flags_t *flags)
{
    const struct {
        bool given;
        const char *flag;
    } single[] = {{flags->stalls, "--stalls"},
                  {flags->report != NULL, "--report"},
                  {flags->roofline != NULL, "--roofline"},
                  {flags->compare.base != NULL, "--compare"}};
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        if (single[i].given)
            return kiln_status_make(
                KILN_STATUS_USAGE, "%s is about one launch; use it without --then", single[i].flag);
    return KILN_OK;
}

// Prints one kernel of a sequence or, with --json, adds it to the array. A GPU measures the whole
// sequence, so its kernels have no cost of their own.
static kiln_status_t show_step(const kiln_bench_launch_t *request, kiln_device_t *device,
                               const kiln_cost_t *cost, const bench_flags_t *flags, json_t *kernels)
{
    const bool predicted = cost->kind == KILN_COST_PREDICTED_NANOSECONDS;
    kiln_sim_prediction_t prediction = {.struct_size = sizeof prediction};
    json_t *facts = NULL, *root = NULL;
    if (predicted)
        KILN_TRY(kiln_device_launch_prediction(device, &prediction));
    KILN_TRY(kiln_launch_facts(request->kernel, &request->call, device, flags->near, &facts));
    kiln_status_t status = KILN_OK;
    if (flags->json || flags->csv || flags->sizes) {
        status = gather(request->kernel, device, cost, predicted ? &prediction : NULL, facts, flags,
                        &root);
        json_object_del(root, "findings"); // those of all kernels are next to them
        if (!status && json_array_append_new(kernels, root) != 0)
            status = kiln_status_out_of_memory();
    } else if (cost->kind == KILN_COST_MEASURED_NANOSECONDS) {
        printf("kernel %s on %s\n", kiln_jit_kernel_name(request->kernel), kiln_device_key(device));
        kiln_launch_facts_print(facts);
    } else {
        print_text(request->kernel, device, cost, predicted ? &prediction : NULL, facts);
    }
    json_decref(facts);
    return status;
}

// The simulator launches and costs one kernel after the other.
static kiln_status_t simulate_sequence(kiln_device_t *device, sequence_t *sequence,
                                       const bench_flags_t *flags, json_t *kernels,
                                       kiln_cost_t *total)
{
    for (size_t i = 0; i < sequence->count; i++) {
        kiln_bench_launch_t *request = &sequence->requests[i];
        kiln_cost_t cost = {.struct_size = sizeof cost};
        KILN_TRY(kiln_bench_simulate(device, request, &cost));
        if (i && cost.kind != total->kind)
            return kiln_status_make(
                KILN_STATUS_UNSUPPORTED,
                "not all kernels' times can be predicted, so they cannot be added up");
        total->kind = cost.kind;
        total->value += cost.value;
        KILN_TRY(show_step(request, device, &cost, flags, kernels));
    }
    return KILN_OK;
}

static kiln_status_t measure_sequence(kiln_device_t *device, kiln_arguments_t *arguments,
                                      sequence_t *sequence, const bench_flags_t *flags,
                                      json_t *kernels, kiln_cost_t *total)
{
    KILN_TRY(kiln_bench_measure(device, arguments, sequence->requests, sequence->count,
                                &flags->plan, total));
    for (size_t i = 0; i < sequence->count; i++)
        KILN_TRY(show_step(&sequence->requests[i], device, total, flags, kernels));
    return KILN_OK;
}

static kiln_status_t show_sequence(const kiln_device_t *device, const sequence_t *sequence,
                                   const kiln_cost_t *total, bench_flags_t *flags, json_t *kernels)
{
    if (!flags->json && !flags->csv && !flags->sizes) {
        printf("sequence of %zu kernels\n", sequence->count);
        print_measured(total);
        kiln_findings_print(&flags->findings, stdout);
        return KILN_OK;
    }
    json_t *root = json_pack("{s:s,s:s,s:f,s:o*,s:O,s:o}", "device", kiln_device_key(device),
                             "cost", kiln_cost_kind_name(total->kind), "value", total->value,
                             "interval", interval_json(total), "kernels", kernels, "findings",
                             kiln_findings_json(&flags->findings));
    if (!root)
        return kiln_status_out_of_memory();
    kiln_status_t status = KILN_OK;
    if (flags->csv || flags->sizes)
        status = kiln_bench_rows_add(&flags->rows, root);
    else
        kiln_cli_print_json(root);
    json_decref(root);
    return status;
}

static kiln_status_t bench_sequence(kiln_device_t *device, kiln_arguments_t *arguments,
                                    sequence_t *sequence, bench_flags_t *flags, json_t *kernels)
{
    double error;
    kiln_cost_t total = {.struct_size = sizeof total};
    KILN_TRY(kiln_device_properties(device)->kind == KILN_DEVICE_SIM
                 ? simulate_sequence(device, sequence, flags, kernels, &total)
                 : measure_sequence(device, arguments, sequence, flags, kernels, &total));
    KILN_TRY(kiln_device_checked(device));
    for (size_t i = 0; i < flags->expected_count; i++)
        KILN_TRY(kiln_arguments_expect(arguments, flags->expected[i], &error));
    if (flags->findings.out_of_memory)
        return kiln_status_out_of_memory();
    kiln_findings_sort(&flags->findings);
    KILN_TRY(show_sequence(device, sequence, &total, flags, kernels));
    return flags->fail_on_findings ? kiln_findings_fail(flags->findings.count) : KILN_OK;
}

static kiln_status_t bench(kiln_jit_t *jit, kiln_device_t *device, kiln_arguments_t *arguments,
                           const kiln_jit_call_t *calls, size_t call_count,
                           const char *const *grids, void *user)
{
    bench_flags_t *flags = user;
    if (call_count == 1)
        return bench_kernel(jit, device, arguments, &calls[0], grids[0], flags);
    KILN_TRY(refuse_flags_of_one_kernel(flags));
    KILN_TRY(refuse_unused_flags(flags, device));
    sequence_t sequence = {.count = call_count};
    for (size_t i = 0; i < call_count; i++) {
        kiln_jit_kernel_t *kernel;
        sequence.requests[i].call = calls[i];
        KILN_TRY(kiln_jit_prepare(jit, &calls[i], &kernel, NULL));
        KILN_TRY(
            kiln_launch_complete_grid(arguments, grids[i], kernel, &sequence.requests[i].call));
        sequence.requests[i].kernel = kernel;
        KILN_TRY(kiln_bench_launch_check(&sequence.requests[i]));
    }
    json_t *kernels = json_array();
    kiln_status_t status = kernels ? bench_sequence(device, arguments, &sequence, flags, kernels)
                                   : kiln_status_out_of_memory();
    json_decref(kernels);
    return status;
}

// Words -------------------------------------------------------------------------------------------

static bool take_number(const char *value, uint64_t least, uint64_t *out)
{
    enum { MOST = 1 << 20 };
    return kiln_unsigned_parse_all(value, 10, out) && *out >= least && *out <= MOST;
}

static bool take_flag(bench_flags_t *flags, int flag, char *value)
{
    if (flag == KILN_FLAG_bench_THEN)
        return kiln_launch_then_take(&flags->launch, value);
    flags->plan.cold |= flag == KILN_FLAG_bench_COLD;
    flags->plan.cold_code |= flag == KILN_FLAG_bench_COLD_CODE;
    flags->stalls |= flag == KILN_FLAG_bench_STALLS;
    flags->json |= flag == KILN_FLAG_bench_JSON;
    flags->csv |= flag == KILN_FLAG_bench_CSV;
    if (flag == KILN_FLAG_bench_SIZES)
        flags->sizes = value;
    if (flag == KILN_FLAG_bench_ITERS)
        return take_number(value, 1, &flags->plan.iters);
    if (flag == KILN_FLAG_bench_ROTATING)
        return take_number(value, 1, &flags->plan.rotating);
    if (flag == KILN_FLAG_bench_WARMUP)
        return flags->plan.has_warmup = take_number(value, 0, &flags->plan.warmup);
    flags->fail_on_findings |= flag == KILN_FLAG_bench_FAIL_ON_FINDINGS;
    if (flag == KILN_FLAG_bench_TOP && !kiln_flag_count(value, &flags->top))
        return false;
    if (flag == KILN_FLAG_bench_ROOFLINE)
        flags->roofline = value;
    if (flag == KILN_FLAG_bench_REPORT)
        flags->report = value;
    if (flag == KILN_FLAG_bench_COMPARE)
        flags->compare.base = value;
    if (flag == KILN_FLAG_bench_TOLERANCE &&
        !kiln_compare_tolerance(value, &flags->compare.tolerance))
        return false;
    if (flag == KILN_FLAG_bench_EXPECT) {
        if (flags->expected_count == MAX_EXPECTED)
            return false;
        flags->expected[flags->expected_count++] = value;
        return true;
    }
    bool taken = flag >= KILN_FLAG_bench_COLD && flag <= KILN_FLAG_bench_TOLERANCE;
    return taken || kiln_launch_flag_take(&flags->launch, flag, value);
}

// Rows --------------------------------------------------------------------------------------------

static kiln_status_t refuse_flags_of_one_launch(const bench_flags_t *flags)
{
    const struct {
        bool given;
        const char *flag;
    } single[] = {{flags->stalls, "--stalls"},
                  {flags->report != NULL, "--report"},
                  {flags->roofline != NULL, "--roofline"},
                  {flags->compare.base != NULL, "--compare"},
                  {flags->json && flags->csv, "--json"}};
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        if (single[i].given)
            return kiln_status_make(KILN_STATUS_USAGE, "%s cannot be combined with %s",
                                    single[i].flag, flags->csv ? "--csv" : "--sizes");
    return KILN_OK;
}

static kiln_status_t read_sizes(const bench_flags_t *flags, kiln_size_rows_t *sizes)
{
    kiln_compile_options_t options;
    kiln_source_t source;
    char *text;
    if (strcmp(flags->operands[0], "-") == 0)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--sizes reads the source for each line; expected a file, not "
                                "stdin");
    kiln_compile_options_initialize(&options);
    options.kernel = flags->launch.kernel;
    KILN_TRY(kiln_source_flags_set(&options));
    KILN_TRY(kiln_input_read_source(flags->operands[0], "", &text, &source));
    kiln_status_t status = kiln_size_rows_read(
        flags->sizes, flags->launch.then_count ? NULL : &source, &options, sizes);
    free(text);
    if (!status && sizes->left_out)
        fprintf(stderr, "kiln: '%s' has columns that are not arguments of the kernel: %s\n",
                flags->sizes, sizes->left_out);
    return status;
}

// Launches for one line of sizes; a failure is shown and ends only this line.
static kiln_status_t bench_size(const kiln_size_rows_t *sizes, size_t row, bench_flags_t *flags)
{
    char **words;
    KILN_TRY(
        kiln_size_rows_words(sizes, row, flags->operands + 1, flags->operand_count - 1, &words));
    const int code = kiln_launch_call(&flags->launch, flags->operands[0], words,
                                      sizes->name_count + flags->operand_count - 1, bench, flags);
    kiln_size_rows_free_words(sizes, words);
    kiln_findings_free(&flags->findings);
    free(flags->near);
    flags->near = NULL;
    return kiln_bench_rows_end(&flags->rows, sizes, row, flags->sizes, code);
}

// Refuses what would fail for each line of sizes.
static kiln_status_t check_once(const bench_flags_t *flags)
{
    kiln_device_t *device;
    KILN_TRY(kiln_device_from_environment(&device));
    kiln_status_t status = refuse_unused_flags(flags, device);
    kiln_device_release(device);
    return status;
}

// All launches as rows. Without --sizes the exit code is that of the launch.
static int bench_rows(bench_flags_t *flags)
{
    kiln_size_rows_t sizes = {0};
    kiln_status_t status = flags->sizes ? check_once(flags) : KILN_OK;
    if (!status && flags->sizes)
        status = read_sizes(flags, &sizes);
    int code = 0;
    for (size_t i = 0; i < sizes.row_count && !status; i++)
        status = bench_size(&sizes, i, flags);
    if (!status && !flags->sizes)
        code = kiln_launch_call(&flags->launch, flags->operands[0], flags->operands + 1,
                                flags->operand_count - 1, bench, flags);
    if (!status && json_array_size(flags->rows.all)) {
        if (flags->csv)
            kiln_bench_rows_print_csv(&flags->rows, &sizes);
        else if (flags->json)
            kiln_cli_print_json(flags->rows.all);
        else
            kiln_bench_rows_print_text(&flags->rows, &sizes);
    }
    code = status ? kiln_cli_report(status) : code ? code : kiln_bench_rows_code(&flags->rows);
    kiln_size_rows_free(&sizes);
    kiln_bench_rows_free(&flags->rows);
    return code;
}

static int bench_verb(int argc, char **argv, bench_flags_t *flags)
{
    kiln_words_t words;
    kiln_words_begin(&words, "bench");
    for (int flag; (flag = kiln_words_next(&words, argc, argv)) != -1;) {
        if (flag == KILN_FLAG_HELP)
            return kiln_usage(stdout, "bench");
        const bool is_own =
            flag > KILN_FLAG_bench_COLD && flag <= KILN_FLAG_bench_EXPECT; // of output
        if (!is_own) // before the value is split in place
            kiln_compare_add_flag(&flags->compare, &words, flag, optarg);
        if (!take_flag(flags, flag, optarg))
            return kiln_words_refuse(&words, flag);
    }
    if (optind == argc)
        return kiln_usage(stderr, "bench");
    flags->operands = argv + optind;
    flags->operand_count = (size_t)(argc - optind);
    const char *base = flags->compare.base;
    if ((base && !*base) || (!base && flags->compare.tolerance >= 0))
        return kiln_cli_report(kiln_status_make(
            KILN_STATUS_USAGE, base ? "--compare requires FILE.json, another source, or flags"
                                    : "--tolerance has no effect here: it requires --compare"));
    kiln_prediction_default(flags->plan.cold);
    kiln_status_t status = flags->csv || flags->sizes ? refuse_flags_of_one_launch(flags) : KILN_OK;
    if (!status)
        status = kiln_findings_enabled(&flags->findings.warnings);
    if (status)
        return kiln_cli_report(status);
    const char *mode = kiln_environment("KILN_CACHE_MODE");
    if (mode && strcmp(mode, "require") == 0)
        kiln_remark_flags_drop();
    const char *clock = kiln_environment("KILN_SIM_CLOCK");
    const bool predicts = clock && (strcmp(clock, "model") == 0 || strcmp(clock, "only") == 0);
    if (flags->report) {
        flags->launch.stages = &flags->stages;
        status = kiln_report_keep_waves(&flags->stages);
        if (status)
            return kiln_cli_report(status);
    }
    if (flags->stalls || flags->report || (predicts && (flags->findings.warnings.enabled || base)))
        kiln_flag_default("KILN_SIM_STALLS", "1");
    if (flags->csv || flags->sizes)
        return bench_rows(flags);
    return kiln_launch_call(&flags->launch, argv[optind], argv + optind + 1,
                            (size_t)(argc - optind - 1), bench, flags);
}

int kiln_verb_bench(int argc, char **argv)
{
    bench_flags_t flags = {.launch.take_diagnostic = take_finding, .compare.tolerance = -1};
    flags.launch.diagnostic_user = &flags.findings;
    flags.launch.has_findings = &flags.has_compiled;
    flags.launch.out_near = &flags.near;
    kiln_findings_default();
    const int code = bench_verb(argc, argv, &flags);
    kiln_findings_free(&flags.findings);
    kiln_string_free(&flags.compare.words);
    kiln_string_free(&flags.compare.source_words);
    kiln_report_stages_free(&flags.stages);
    free(flags.near);
    return code;
}
