// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln tune: sweeps a kernel's constexpr values and compile options, verifies each candidate, ranks
// them, and stores the best for `kiln run`. tune/arguments.c sorts the arguments, tune/progress.c
// and tune/table.c print, and tune/store.c implements `kiln tune list` and the other verbs of a
// store.
//
// On the simulator a cost is predicted or estimated, never measured; the table's head shows which.
// ^C and SIGTERM end the search after the current candidate, and the table so far is printed.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/string.h"
#include "cli/input.h"
#include "cli/launch/call.h"
#include "cli/launch/complete.h"
#include "cli/launch/sequence.h"
#include "cli/option_flags.h"
#include "cli/pages.h"
#include "cli/prediction/prediction.h"
#include "cli/tune/arguments.h"
#include "cli/tune/confirm.h"
#include "cli/tune/findings.h"
#include "cli/tune/flags.h"
#include "cli/tune/from.h"
#include "cli/tune/mpi.h"
#include "cli/tune/progress.h"
#include "cli/tune/report.h"
#include "cli/tune/size_rows.h"
#include "cli/tune/space.h"
#include "cli/tune/store.h"
#include "cli/tune/stored.h"
#include "cli/tune/table.h"
#include "cli/verbs.h"
#include "kiln/tune_runner.h"
#include "tune_space.h"

// Signals -----------------------------------------------------------------------------------------

static volatile sig_atomic_t stop_signal;

static void stop(int signal)
{
    stop_signal = signal;
}

static bool is_stopped(void *user)
{
    (void)user;
    return stop_signal != 0;
}

// The first signal ends the search after the current candidate, the second one at once.
static void watch_signals(void)
{
    const struct sigaction action = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

// Ends the process by the signal, as its parent expects.
static void raise_signal(void)
{
    if (!stop_signal)
        return;
    fflush(stdout);
    signal((int)stop_signal, SIG_DFL);
    raise((int)stop_signal);
}

// The run -----------------------------------------------------------------------------------------

// A store that cannot be written is read, and that of the cache directory may be missing.
static kiln_status_t open_without_writing(const char *path, bool is_needed, kiln_status_t why,
                                          kiln_tune_store_t **out_store)
{
    kiln_status_t unreadable = kiln_tune_store_open_existing(path, out_store);
    kiln_status_free(unreadable);
    if (is_needed && !*out_store)
        return why;
    fprintf(stderr, "kiln: warning: results are not stored: %s\n", kiln_status_message(why));
    kiln_status_free(why);
    return KILN_OK;
}

static kiln_status_t open_store(const kiln_tune_flags_t *flags, kiln_tune_store_t **out_store)
{
    char *path;
    *out_store = NULL;
    if (flags->group)
        return kiln_tune_store_open(kiln_tune_group_store(flags->group), out_store);
    KILN_TRY(kiln_tune_store_path(flags->store, &path));
    if (!path)
        fputs("kiln: warning: results are not stored, as there is no cache directory; give "
              "--store\n",
              stderr);
    kiln_status_t status = path ? kiln_tune_store_open(path, out_store) : KILN_OK;
    if (kiln_status_code(status) == KILN_STATUS_IO)
        status = open_without_writing(path, flags->store != NULL, status, out_store);
    free(path);
    return status;
}

static void print_limits(const kiln_device_t *device, const kiln_tune_flags_t *flags)
{
    if (flags->space.is_quiet)
        return;
    if (kiln_device_properties(device)->kind == KILN_DEVICE_SIM)
        fprintf(stderr, "kiln: a wave may execute %s instructions (--sim-limit)\n",
                kiln_environment("KILN_SIM_LIMIT"));
    else
        fprintf(stderr, "kiln: a launch may take %ld s (--launch-limit)\n", flags->launch_limit);
}

// HIP would wait for the launch if anything were released.
static void leave_lost_device(kiln_status_t status)
{
    fflush(stdout);
    _exit(kiln_cli_report(kiln_status_annotate(
        status ? status : kiln_status_make(KILN_STATUS_DEVICE, "a launch did not end"),
        "so the device cannot be used any more; give other axes, or the same command, which "
        "continues without the candidates that were tried")));
}

// `reference` is the combination with the correct results, or NULL.
static kiln_status_t set_expectations(kiln_tune_runner_t *runner,
                                      const kiln_tune_problem_t *problem,
                                      const kiln_tune_flags_t *flags, const char *reference)
{
    for (size_t i = 0; i < flags->expected_count; i++)
        KILN_TRY(kiln_tune_runner_expect(runner, flags->expected[i]));
    const char *clock = kiln_environment("KILN_SIM_CLOCK");
    // With `only` nothing is executed, so there is no reference.
    if (flags->expected_count || strcmp(clock ? clock : "", "only") == 0)
        return KILN_OK;
    if (!flags->space.is_quiet)
        fprintf(stderr, "kiln: computing the reference without optimization\n");
    kiln_status_t status = reference ? kiln_tune_runner_name_reference(runner, problem, reference)
                                     : kiln_tune_runner_make_reference(runner, problem);
    if (kiln_tune_runner_lost_device(runner))
        leave_lost_device(status);
    return status;
}

static void set_callbacks(kiln_tune_runner_t *runner, const kiln_tune_flags_t *flags,
                          kiln_tune_problem_t *problem)
{
    problem->launch_limit_ms = 1e3 * (double)flags->launch_limit;
    problem->time_limit_ms = 1e3 * (double)flags->time_limit;
    problem->budget = (size_t)flags->budget;
    problem->seed = flags->seed;
    problem->shard = (size_t)flags->shard;
    problem->shard_count = (size_t)flags->shard_count;
    problem->recall = flags->is_fresh ? KILN_TUNE_RECALL_NONE : KILN_TUNE_RECALL_ALL;
    problem->prepare = kiln_tune_runner_prepare;
    problem->plan = kiln_tune_runner_plan;
    problem->restore = kiln_tune_runner_restore;
    problem->prepare_step = kiln_tune_runner_prepare_step;
    problem->verify = kiln_tune_runner_verify;
    problem->accept = kiln_tune_runner_accept;
    problem->progress = flags->space.is_quiet ? NULL : kiln_tune_show_progress;
    problem->estimated = flags->space.is_quiet ? NULL : kiln_tune_show_estimates;
    problem->is_cancelled = is_stopped;
    problem->user = runner;
}

static kiln_status_t search(kiln_tune_runner_t *runner, const kiln_tune_space_t *space,
                            kiln_tune_problem_t *problem, const kiln_tune_flags_t *flags,
                            char **words, size_t word_count)
{
    const char *made = kiln_tune_runner_reference(runner);
    char *own = kiln_tune_conditions(words, word_count, flags->expected, flags->expected_count,
                                     made ? made : flags->reference);
    // A grid that only --from's --grid gives is not in the key.
    const char *grid = strstr(problem->arguments, " grid=") ? NULL : flags->launch.grid;
    char *conditions =
        own ? kiln_string_print("%s%s%s%s", own, flags->is_code_cold ? " code:cold" : "",
                                grid ? " grid:" : "", grid ? grid : "")
            : NULL;
    free(own);
    if (!conditions)
        return kiln_status_out_of_memory();
    problem->conditions = conditions;
    kiln_tune_result_t *result = NULL;
    problem->group = flags->group;
    kiln_status_t status =
        flags->group ? kiln_tune_mpi_search(problem, &result) : kiln_tune(problem, &result);
    kiln_tune_end_progress();
    if (flags->group)
        *flags->has_gathered = !kiln_tune_result_lost_device(result);
    kiln_findings_t findings = {.warnings = flags->findings};
    const kiln_tune_sample_t *best = status || !result || !kiln_tune_result_count(result)
                                         ? NULL
                                         : kiln_tune_result_sample(result, 0);
    if (best && best->verdict == KILN_TUNE_OK && !stop_signal && !flags->space.is_quiet &&
        !kiln_tune_result_lost_device(result))
        status = kiln_tune_findings(problem->device, &flags->launch, &problem->source,
                                    best->candidate, words, word_count, &findings);
    const kiln_tune_report_t report = {flags->command, problem, space, result, &findings};
    if (!status && result && flags->is_json) {
        status = kiln_tune_report_print(&report);
    } else if (!status && result) {
        kiln_tune_print_table(result, flags->top, stop_signal != 0);
        kiln_findings_print(&findings, stdout);
    }
    if (!status && result && flags->report)
        status = kiln_tune_report_write(&report, flags->report);
    if (kiln_tune_result_lost_device(result))
        leave_lost_device(status);
    if (!status && flags->fails_on_findings)
        status = kiln_findings_fail(findings.count);
    kiln_findings_free(&findings);
    kiln_tune_result_release(result);
    free(conditions);
    return status;
}

// The expected results are computed with the defaults before axes are derived, because derived axes
// keep the results of the defaults.
static kiln_status_t derive_axes(kiln_tune_runner_t *runner, kiln_tune_space_t *space,
                                 kiln_tune_problem_t *problem, const kiln_tune_flags_t *flags)
{
    bool is_lost = false;
    if (flags->reference)
        return kiln_status_make(KILN_STATUS_USAGE, "--reference is not supported with derived axes "
                                                   "(--space=derived), which are not known yet");
    kiln_tune_problem_t defaults = *problem;
    defaults.axis_count = 0;
    defaults.admit = NULL;
    KILN_TRY(set_expectations(runner, &defaults, flags, ""));
    kiln_status_t status = kiln_tune_space_make_derived(&flags->space, space, &defaults, &is_lost);
    if (is_lost)
        leave_lost_device(status);
    problem->axes = kiln_tune_space_axes(space, &problem->axis_count);
    return status;
}

// The expected results of kiln tune verify, whose only candidate is not known yet: those of the
// axes that a search would have, or of the defaults.
static kiln_status_t expect_stored(kiln_tune_runner_t *runner, const kiln_tune_space_t *space,
                                   const kiln_tune_problem_t *problem,
                                   const kiln_tune_flags_t *flags)
{
    if (!kiln_tune_space_needs_derived(&flags->space, space))
        return set_expectations(runner, problem, flags, flags->reference);
    kiln_tune_problem_t defaults = *problem;
    defaults.axis_count = 0;
    defaults.admit = NULL;
    return set_expectations(runner, &defaults, flags, "");
}

// Rejects axes that are also set on the command line.
static kiln_status_t check_axes(const kiln_tune_flags_t *flags)
{
    for (size_t i = 0; i < flags->launch.setting_count; i++)
        if (kiln_tune_space_is_given(&flags->space, flags->launch.settings[i].name))
            return kiln_status_make(
                KILN_STATUS_USAGE, "'%s' is both an axis and set to %s; remove one",
                flags->launch.settings[i].name, flags->launch.settings[i].value);
    return KILN_OK;
}

// By default a space whose axes are all given on the command line is tried as a whole; any other
// space may be large and is searched.
static kiln_status_t choose_strategy(const kiln_tune_flags_t *flags, const kiln_tune_space_t *space,
                                     kiln_tune_problem_t *problem)
{
    problem->strategy = flags->strategy;
    for (size_t i = 0; i < problem->axis_count && !flags->has_strategy; i++)
        if (kiln_tune_space_origin(space, i) != KILN_TUNE_GIVEN)
            problem->strategy = KILN_TUNE_GUIDED;
    if (flags->has_seed && problem->strategy == KILN_TUNE_EXHAUSTIVE)
        return kiln_status_make(
            KILN_STATUS_USAGE,
            "--seed has no effect here: an exhaustive search uses no random numbers");
    if (flags->has_seed && problem->strategy == KILN_TUNE_MODEL)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--seed has no effect here: the model uses no random numbers");
    return KILN_OK;
}

static void show_diagnostic(const kiln_diagnostic_t *diagnostic, void *user)
{
    kiln_tune_end_progress();
    kiln_launch_diagnostic(diagnostic, user);
}

static void say_nothing(const kiln_diagnostic_t *diagnostic, void *user)
{
    (void)diagnostic, (void)user;
}

// `recorded` is where the source comes from, or NULL. *out_shown: whether the error was printed.
static kiln_status_t tune_source(kiln_device_t *device, const kiln_tune_flags_t *flags,
                                 const kiln_source_t *source, const kiln_tune_recorded_t *recorded,
                                 char **words, size_t word_count, bool *out_shown)
{
    kiln_tune_input_t input = {0};
    kiln_tune_problem_t problem;
    kiln_tune_problem_initialize(&problem);
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    options.kernel = flags->launch.kernel;
    options.max_instructions = (uint32_t)flags->code_limit;
    problem.options = &options;
    problem.device = device;
    problem.jobs = (int)flags->jobs;
    kiln_tune_space_t *space = NULL, *stored = NULL;
    kiln_tune_store_t *store = NULL;
    kiln_launch_sequence_t sequence = {0};
    size_t condition_count;
    const char *clock = kiln_environment("KILN_SIM_CLOCK");
    kiln_tune_confirmation_t confirmation = {.launch = &flags->launch,
                                             .problem = &problem,
                                             .words = words,
                                             .word_count = word_count,
                                             .defaults = &input.defaults,
                                             .reference = flags->reference,
                                             .is_quiet = flags->space.is_quiet};
    if (clock && strcmp(clock, "only") == 0)
        problem.confirm = kiln_tune_confirm;
    problem.confirm_user = &confirmation;
    problem.diagnostic = flags->space.is_quiet ? say_nothing : show_diagnostic;
    problem.diagnostic_user = out_shown;
    problem.source = *source;
    problem.fixed = flags->launch.settings;
    problem.fixed_count = flags->launch.setting_count;
    kiln_status_t status = kiln_option_flags_check(source->stage, KILN_STAGE_HSACO);
    if (!status)
        status = kiln_override_expect_tt();
    if (!status && flags->report)
        status = kiln_tune_report_check(flags->report);
    if (!status)
        status = kiln_source_flags_set(&options);
    if (!status)
        status = kiln_launch_sequence_read(&flags->launch, &sequence);
    kiln_launch_sequence_set(&sequence, &problem);
    if (!status)
        status = kiln_launch_sequence_check(&problem, words, word_count);
    if (!status)
        status = kiln_tune_space_make(&flags->space, &problem, &space, out_shown);
    problem.axes = kiln_tune_space_axes(space, &problem.axis_count);
    if (!status)
        status = choose_strategy(flags, space, &problem);
    kiln_tune_space_conditions(space, &condition_count);
    input.reads_defaults = condition_count > 0;
    if (!status)
        status = kiln_tune_input_make(&flags->launch, &problem, words, word_count, &input);
    if (!status && recorded)
        status = kiln_tune_recorded_hints(recorded, input.hints, input.hint_count);
    if (!status && flags->is_cold)
        status = kiln_device_properties(device)->kind == KILN_DEVICE_SIM
                     ? kiln_flag_requires_prediction("--cold")
                     : kiln_tune_runner_rotate(input.runner, 0);
    if (!status && flags->is_code_cold)
        status = kiln_tune_runner_cold_code(input.runner);
    for (size_t i = 0; i < input.defaults.count && !status; i++)
        status = kiln_tune_space_default(space, input.defaults.items[i].name,
                                         input.defaults.items[i].value);
    options.args = input.hints;
    options.arg_count = input.hint_count;
    problem.arguments = recorded ? recorded->arguments : input.key;
    kiln_tune_space_bind(space, input.arguments, flags->launch.settings,
                         flags->launch.setting_count);
    problem.admit = kiln_tune_space_admits;
    problem.admit_user = space;
    if (!status) // before the reference, which may take long
        status = open_store(flags, &store);
    if (!status) {
        print_limits(device, flags);
        set_callbacks(input.runner, flags, &problem);
        watch_signals();
        status = flags->is_verified ? expect_stored(input.runner, space, &problem, flags)
                 : kiln_tune_space_needs_derived(&flags->space, space)
                     ? derive_axes(input.runner, space, &problem, flags)
                     : set_expectations(input.runner, &problem, flags, flags->reference);
    }
    if (!status)
        status = choose_strategy(flags, space, &problem);
    problem.store = store;
    if (!status && flags->is_verified)
        status = kiln_tune_stored_space(&problem, &stored);
    if (!status)
        status = search(input.runner, stored ? stored : space, &problem, flags, words, word_count);
    kiln_tune_store_release(problem.store); // not `store`, which a search of several ranks closes
    kiln_tune_confirmation_free(&confirmation);
    kiln_tune_input_free(&input);
    kiln_launch_sequence_free(&sequence);
    kiln_tune_space_release(space);
    kiln_tune_space_release(stored);
    return status;
}

// Several problems ---------------------------------------------------------------------------------

typedef struct searches {
    const kiln_tune_flags_t *flags;
    kiln_device_t *device;
    size_t count, failed;
} searches_t;

// Ends a search of several, whose failure does not end the others.
static kiln_status_t end_search(searches_t *all, kiln_status_t status, bool shown)
{
    fflush(stdout);
    if (!status || kiln_status_is_out_of_memory(status))
        return status;
    all->failed++;
    kiln_launch_report(status, shown);
    return KILN_OK;
}

static kiln_status_t end_searches(const searches_t *all)
{
    return all->failed
               ? kiln_status_make(KILN_STATUS_MISMATCH, "%zu of %zu problems could not be tuned",
                                  all->failed, all->count)
               : KILN_OK;
}

// "kiln: arguments that the source declares: lda=K a=f16[M,K]"
static void print_declared(const kiln_launch_words_t *words)
{
    if (words->count == words->given)
        return;
    fprintf(stderr, "kiln: arguments that the source declares:");
    for (size_t i = words->given; i < words->count; i++)
        fprintf(stderr, " %s", words->items[i]);
    fputc('\n', stderr);
}

static kiln_status_t tune_words_of(kiln_device_t *device, const kiln_tune_flags_t *flags,
                                   const kiln_source_t *source, char **words, size_t word_count,
                                   bool *out_shown)
{
    char **filled = NULL;
    kiln_launch_words_t all;
    kiln_status_t status = kiln_launch_words_make(&flags->launch, source, words, word_count, &all);
    if (!status && !flags->space.is_quiet)
        print_declared(&all);
    if (!status)
        status = kiln_launch_words_check(&flags->launch, source, &all);
    if (!status)
        status = kiln_tune_words_fill(all.items, all.count, &filled);
    if (!status)
        status = tune_source(device, flags, source, NULL, filled, all.count, out_shown);
    kiln_tune_words_release(filled, all.count);
    kiln_launch_words_free(&all);
    return status;
}

static kiln_status_t tune_size(searches_t *all, const kiln_source_t *source,
                               const kiln_size_rows_t *rows, size_t row, char **words,
                               size_t word_count)
{
    char **own, *text = kiln_size_rows_text(rows, row);
    bool shown = false;
    kiln_status_t status = kiln_size_rows_words(rows, row, words, word_count, &own);
    if (!status)
        fprintf(stderr, "kiln: sizes %zu of %zu: %s\n", row + 1, rows->row_count, text ? text : "");
    all->count++;
    if (!status)
        status = tune_words_of(all->device, all->flags, source, own, rows->name_count + word_count,
                               &shown);
    kiln_size_rows_free_words(rows, own);
    free(text);
    return end_search(all, status, shown);
}

static kiln_status_t tune_sizes(kiln_device_t *device, const kiln_tune_flags_t *flags,
                                const kiln_source_t *source, char **words, size_t word_count)
{
    searches_t all = {.flags = flags, .device = device};
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    options.kernel = flags->launch.kernel;
    kiln_size_rows_t rows = {0};
    kiln_status_t status = kiln_source_flags_set(&options);
    if (!status)
        status = kiln_size_rows_read(flags->sizes, flags->launch.then_count ? NULL : source,
                                     &options, &rows);
    if (!status && rows.left_out)
        fprintf(stderr, "kiln: '%s' has columns that are not arguments of the kernel: %s\n",
                flags->sizes, rows.left_out);
    for (size_t i = 0; i < rows.row_count && !status && !stop_signal; i++)
        status = tune_size(&all, source, &rows, i, words, word_count);
    kiln_size_rows_free(&rows);
    return status ? status : end_searches(&all);
}

static kiln_status_t tune_on(kiln_device_t *device, const kiln_tune_flags_t *flags,
                             const char *path, char **words, size_t word_count, bool *out_shown)
{
    kiln_source_t source;
    char *text;
    KILN_TRY(check_axes(flags));
    KILN_TRY(kiln_input_read_source(path, "", &text, &source));
    kiln_status_t status =
        flags->sizes ? tune_sizes(device, flags, &source, words, word_count)
                     : tune_words_of(device, flags, &source, words, word_count, out_shown);
    free(text);
    return status;
}

// Recorded problems -------------------------------------------------------------------------------

// Whether the problem has been launched on the grid that its source declares. Errors in the source
// are left to the search.
static kiln_status_t has_declared_grid(const kiln_tune_recorded_t *recorded, bool *out_has)
{
    kiln_tuning_t *tuning;
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    options.kernel = recorded->kernel;
    *out_has = false;
    KILN_TRY(kiln_source_flags_set(&options));
    kiln_status_t status = kiln_tuning_read(&recorded->source, &options, NULL, NULL, &tuning);
    *out_has = !status && kiln_tuning_grid(tuning);
    kiln_tuning_release(tuning);
    if (kiln_status_is_out_of_memory(status))
        return status;
    kiln_status_free(status);
    return KILN_OK;
}

// The search's flags with the problem's grid and settings; those of --axis vary. --grid is that of
// problems that have neither a recorded nor a declared one.
static kiln_status_t take_recorded(const kiln_tune_recorded_t *recorded, kiln_tune_flags_t *flags)
{
    kiln_launch_flags_t *launch = &flags->launch;
    const char *given = launch->grid;
    bool is_declared = false;
    launch->kernel = recorded->kernel;
    if (given && !recorded->grid)
        KILN_TRY(has_declared_grid(recorded, &is_declared));
    launch->grid = recorded->grid || is_declared ? recorded->grid : given;
    if (given && launch->grid != given)
        fprintf(stderr, "kiln: --grid is not used: the problem was launched on %s\n",
                recorded->grid ? recorded->grid : "the grid that its source declares");
    for (size_t i = 0; i < recorded->setting_count; i++)
        if (!kiln_tune_space_is_given(&flags->space, recorded->settings[i].name))
            KILN_TRY(kiln_launch_add_setting(launch, &recorded->settings[i]));
    return KILN_OK;
}

// Continues with the other problems if one cannot be tuned.
static kiln_status_t tune_recorded(const kiln_tune_recorded_t *recorded, kiln_status_t why,
                                   void *user)
{
    searches_t *all = user;
    if (stop_signal) {
        kiln_status_free(why);
        return KILN_OK;
    }
    kiln_tune_flags_t flags = *all->flags;
    all->count++;
    if (!recorded)
        return end_search(all, why, false);
    fprintf(stderr, "kiln: problem %zu: %s%s%s with %s\n", all->count, recorded->source.name,
            recorded->kernel ? ", kernel " : "", recorded->kernel ? recorded->kernel : "",
            *recorded->arguments ? recorded->arguments : "no scalar arguments");
    bool shown = false;
    kiln_status_t status = take_recorded(recorded, &flags);
    if (!status)
        status = tune_source(all->device, &flags, &recorded->source, recorded, recorded->words,
                             recorded->word_count, &shown);
    return end_search(all, status, shown);
}

static kiln_status_t tune_all(kiln_device_t *device, const kiln_tune_flags_t *flags)
{
    searches_t all = {.flags = flags, .device = device};
    KILN_TRY(kiln_tune_from(flags->from, tune_recorded, &all));
    if (all.count == 0)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "'%s' has no recorded problem",
                                flags->from);
    return end_searches(&all);
}

// Words -------------------------------------------------------------------------------------------

// The words, which are read in place.
static int tune_words(int argc, char **argv, const char *command, bool is_verified)
{
    kiln_words_t words;
    kiln_words_begin(&words, "tune");
    kiln_tune_flags_t flags;
    kiln_tune_flags_initialize(&flags);
    flags.command = command;
    flags.is_verified = is_verified;
    kiln_findings_default();
    for (int flag; (flag = kiln_words_next(&words, argc, argv)) != -1;) {
        if (flag == KILN_FLAG_HELP)
            return kiln_usage(stdout, "tune");
        if (!kiln_tune_flags_take(&flags, flag, optarg))
            return kiln_words_refuse(&words, flag);
    }
    if (flags.from && optind < argc)
        return kiln_cli_report(
            kiln_status_make(KILN_STATUS_USAGE,
                             "unexpected '%s': --from takes no words, as sources "
                             "and arguments are recorded",
                             argv[optind]));
    if (!flags.from && optind == argc)
        return kiln_usage(stderr, "tune");
    kiln_prediction_default(flags.is_cold);
    kiln_flag_default("KILN_SIM_LIMIT", KILN_LAUNCH_SEARCH_LIMIT);
    kiln_device_t *device = NULL;
    bool shown = false, has_gathered = false;
    kiln_status_t status = command ? kiln_tune_flags_check(&flags) : kiln_status_out_of_memory();
    if (!status)
        status = kiln_tune_findings_begin(&flags.findings);
    flags.has_gathered = &has_gathered;
    if (!status && flags.is_shared)
        status = kiln_tune_mpi_join(flags.store, &flags.group);
    flags.space.is_quiet = kiln_tune_group_rank(flags.group) > 0;
    if (!status)
        status = kiln_device_from_environment(&device);
    if (!status)
        status = flags.from ? tune_all(device, &flags)
                            : tune_on(device, &flags, argv[optind], argv + optind + 1,
                                      (size_t)(argc - optind - 1), &shown);
    kiln_device_release(device);
    status = kiln_tune_mpi_leave(flags.group, has_gathered, status);
    return kiln_launch_report(status, shown);
}

int kiln_verb_tune(int argc, char **argv)
{
    if (kiln_tune_store_verb_is(argc, argv))
        return kiln_tune_store_verb(argc - 1, argv + 1);
    char *command = kiln_tune_command_text(argc, argv);
    const int skipped = argc > 1 && strcmp(argv[1], "verify") == 0;
    const int code = tune_words(argc - skipped, argv + skipped, command, skipped);
    free(command);
    raise_signal();
    return code;
}
