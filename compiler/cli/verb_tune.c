// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln tune: sweeps a kernel's constexpr values and compile options, verifies each candidate, ranks them, and remembers
// the best for `kiln run`.
//
// What is easily got wrong: on the simulator a cost is predicted or estimated, never measured; the table's head says which
// of them it shows.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/string.h"
#include "kiln/tune_runner.h"
#include "launch_call.h"
#include "option_flags.h"
#include "pages.h"
#include "prediction.h"
#include "verbs.h"

enum { MAX_AXES = 32, MAX_VALUES = 64, MAX_EXPECTED = 32, DEFAULT_TOP = 10 };

typedef struct tune_flags {
    kiln_tune_axis_t axes[MAX_AXES];
    const char *values[MAX_AXES][MAX_VALUES];
    size_t axis_count;
    kiln_launch_flags_t launch; // its settings do not vary
    const char *expected[MAX_EXPECTED];
    size_t expected_count;
    const char *store;
    long jobs, top;
} tune_flags_t;

// Results -----------------------------------------------------------------------------------------------------------

static const char *const VERDICTS[] = {
    [KILN_TUNE_OK] = "ok", [KILN_TUNE_REJECTED] = "rejected", [KILN_TUNE_WRONG] = "wrong"};

static void show_progress(const kiln_tune_sample_t *sample, size_t done, size_t total, void *user)
{
    (void)user;
    fprintf(stderr, "[%zu/%zu] %s: %s%s%s\n", done, total, sample->candidate->config, VERDICTS[sample->verdict],
            *sample->reason ? ": " : "", sample->reason);
}

static void print_table(const kiln_tune_result_t *result, long top)
{
    size_t count = kiln_tune_result_count(result);
    printf("%16s %7s %9s %6s %5s %6s  %s\n", kiln_cost_kind_name(kiln_tune_result_cost_kind(result)), "bound", "error",
           "vgprs", "lds", "occup.", "configuration");
    size_t right = 0, unverified = 0;
    for (size_t i = 0; i < count; i++) {
        const kiln_tune_sample_t *sample = kiln_tune_result_sample(result, i);
        char error[16] = "-";
        if (sample->verdict != KILN_TUNE_OK)
            continue;
        if (isnan(sample->error)) {
            unverified++;
        } else {
            right++;
            snprintf(error, sizeof error, "%.2g", sample->error);
        }
        if ((long)i < top)
            printf("%16.0f %7s %9s %6u %5u %6u  %s\n", sample->cost, sample->bound, error,
                   sample->resources->vgprs + sample->resources->agprs, sample->resources->lds_bytes,
                   sample->resources->occupancy, sample->candidate->config);
    }
    printf("%zu candidates, %zu right, %zu rejected or wrong", count, right, count - right - unverified);
    if (unverified)
        printf(", %zu not executed, so nobody knows whether they are right", unverified);
    printf("\n");
    printf("best: %s\n", kiln_tune_result_sample(result, 0)->candidate->config);
}

// The run -----------------------------------------------------------------------------------------------------------

static kiln_status_t open_store(const tune_flags_t *flags, kiln_tune_store_t **out_store)
{
    *out_store = NULL;
    if (flags->store && kiln_flag_given("--cache-dir"))
        return kiln_status_make(KILN_STATUS_USAGE, "--cache-dir does nothing here: --store names the results' file");
    if (flags->store)
        return kiln_tune_store_open(flags->store, out_store);
    char *path = kiln_tuned_path();
    kiln_status_t status = path ? kiln_tune_store_open(path, out_store) : KILN_OK;
    free(path);
    return status;
}

static kiln_status_t search(kiln_tune_runner_t *runner, kiln_tune_problem_t *problem, const tune_flags_t *flags)
{
    for (size_t i = 0; i < flags->expected_count; i++)
        KILN_TRY(kiln_tune_runner_expect(runner, flags->expected[i]));
    const char *clock = kiln_environment("KILN_SIM_CLOCK");
    if (flags->expected_count == 0 && strcmp(clock ? clock : "", "only") != 0) // which executes nothing to refer to
        KILN_TRY(kiln_tune_runner_make_reference(runner, problem));
    problem->prepare = kiln_tune_runner_prepare;
    problem->verify = kiln_tune_runner_verify;
    problem->progress = show_progress;
    problem->user = runner;
    kiln_tune_result_t *result = NULL;
    KILN_TRY(kiln_tune(problem, &result));
    print_table(result, flags->top);
    kiln_tune_result_release(result);
    return KILN_OK;
}

// Of what the command line gives as well: options of the compiler, which kiln_tune does not see as settings.
static kiln_status_t check_axes(const tune_flags_t *flags)
{
    for (size_t i = 0; i < flags->axis_count; i++)
        for (size_t j = 0; j < flags->launch.setting_count; j++)
            if (strcmp(flags->axes[i].name, flags->launch.settings[j].name) == 0)
                return kiln_status_make(KILN_STATUS_USAGE,
                                        "'%s' is an axis, and has the value %s as well: leave one out",
                                        flags->axes[i].name, flags->launch.settings[j].value);
    return KILN_OK;
}

static kiln_status_t tune_on(kiln_device_t *device, const tune_flags_t *flags, const char *path, char **words,
                             size_t word_count)
{
    kiln_arguments_t *arguments = NULL;
    kiln_tune_runner_t *runner = NULL;
    kiln_tune_problem_t problem;
    kiln_tune_problem_initialize(&problem);
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    options.kernel = flags->launch.kernel;
    problem.options = &options;
    problem.device = device;
    problem.axes = flags->axes;
    problem.axis_count = flags->axis_count;
    problem.jobs = (int)flags->jobs;
    bool shown = false;
    problem.diagnostic = kiln_launch_diagnostic;
    problem.diagnostic_user = &shown;
    problem.source.name = path;
    kiln_setting_t defines[KILN_LAUNCH_MAX_SETTINGS];
    kiln_arg_hint_t *hints = NULL;
    char *text = NULL, *tuning_arguments = NULL;
    kiln_status_t status = check_axes(flags);
    if (!status)
        status = kiln_launch_stage_of(path, &problem.source.stage);
    if (!status)
        status = kiln_option_flags_check(problem.source.stage, KILN_STAGE_HSACO);
    if (!status)
        status = kiln_file_read(path, &text, &problem.source.length);
    problem.source.text = text;
    if (!status)
        status = kiln_launch_arguments(&flags->launch, device, words, word_count, &arguments);
    if (!status)
        status = kiln_launch_set_options(&flags->launch, defines, &options);
    const kiln_jit_argument_t *values = NULL;
    size_t count = 0;
    if (!status) {
        values = kiln_arguments_values(arguments, &count);
        hints = calloc(count + 1, sizeof *hints);
        tuning_arguments = kiln_arguments_tuning_key(arguments);
        if (!hints || !tuning_arguments)
            status = kiln_status_out_of_memory();
    }
    for (size_t i = 0; i < count && !status; i++)
        hints[i] = kiln_jit_argument_hint(&values[i]);
    options.args = hints;
    options.arg_count = count;
    problem.arguments = tuning_arguments;
    if (!status)
        status = open_store(flags, &problem.store);
    if (!status)
        status = kiln_tune_runner_create(arguments, flags->launch.grid, flags->launch.settings,
                                         flags->launch.setting_count, &runner);
    if (!status)
        status = search(runner, &problem, flags);
    kiln_tune_runner_release(runner);
    kiln_tune_store_release(problem.store);
    kiln_arguments_release(arguments);
    free(hints);
    free(tuning_arguments);
    free(text);
    return status;
}

// Words -------------------------------------------------------------------------------------------------------------

// NAME=V1,V2,…; cuts the word at its separators.
static bool add_axis(tune_flags_t *flags, char *word)
{
    char *equals = strchr(word, '=');
    if (!equals || equals == word || flags->axis_count == MAX_AXES)
        return false;
    *equals = '\0';
    size_t axis = flags->axis_count++, count = 0;
    char *rest = NULL;
    for (char *value = strtok_r(equals + 1, ",", &rest); value; value = strtok_r(NULL, ",", &rest)) {
        if (count == MAX_VALUES)
            return false;
        flags->values[axis][count++] = value;
    }
    flags->axes[axis] = (kiln_tune_axis_t){word, flags->values[axis], count};
    return count > 0;
}

static bool add_expected(tune_flags_t *flags, const char *word)
{
    if (flags->expected_count == MAX_EXPECTED)
        return false;
    flags->expected[flags->expected_count++] = word;
    return true;
}

static bool take_flag(tune_flags_t *flags, int flag, char *value)
{
    switch (flag) {
    case KILN_FLAG_tune_AXIS:
        return add_axis(flags, value);
    case KILN_FLAG_tune_EXPECT:
        return add_expected(flags, value);
    case KILN_FLAG_tune_JOBS:
        return kiln_flag_count(value, &flags->jobs);
    case KILN_FLAG_tune_TOP:
        return kiln_flag_count(value, &flags->top);
    case KILN_FLAG_tune_STORE:
        flags->store = value;
        return true;
    default:
        return kiln_launch_flag_take(&flags->launch, flag, value);
    }
}

int kiln_verb_tune(int argc, char **argv)
{
    kiln_words_t words;
    kiln_words_begin(&words, "tune");
    tune_flags_t flags = {.top = DEFAULT_TOP};
    for (int flag; (flag = kiln_words_next(&words, argc, argv)) != -1;) {
        if (flag == KILN_FLAG_HELP)
            return kiln_usage(stdout, "tune");
        if (!take_flag(&flags, flag, optarg))
            return kiln_words_refuse(&words, flag);
    }
    if (optind == argc)
        return kiln_usage(stderr, "tune");
    if (flags.axis_count == 0)
        return kiln_cli_report(kiln_status_make(
            KILN_STATUS_USAGE,
            "there is nothing to tune: --axis NAME=V1,V2,… names values to try; see kiln tune --help"));
    kiln_prediction_default(false);
    kiln_device_t *device = NULL;
    kiln_status_t status = flags.expected_count ? kiln_flag_wants_execution("--expect") : KILN_OK;
    if (!status)
        status = kiln_device_from_environment(&device);
    if (!status)
        status = tune_on(device, &flags, argv[optind], argv + optind + 1, (size_t)(argc - optind - 1));
    kiln_device_release(device);
    return kiln_cli_report(status);
}
