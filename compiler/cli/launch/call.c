// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags of a launch, and calls through the JIT.
#include "call.h"

#include <stdlib.h>
#include <string.h>

#include "base/string.h"
#include "cli/dump.h"
#include "cli/input.h"
#include "cli/option_flags.h"
#include "cli/pages.h"
#include "cli/prediction/prediction.h"
#include "cli/report/report.h"
#include "cli/tune/arguments.h"
#include "cli/tune/progress.h"
#include "cli/words.h"
#include "complete.h"
#include "key.h"
#include "kiln/jit_compile.h"
#include "kiln/tuner.h"
#include "loaded.h"
#include "sequence.h"
#include "tune_call.h"

// Flags -------------------------------------------------------------------------------------------

kiln_status_t kiln_launch_add_setting(kiln_launch_flags_t *flags, const kiln_setting_t *setting)
{
    if (flags->setting_count == KILN_LAUNCH_MAX_SETTINGS)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "more than %d constants and options are set; '%s' is one too many",
                                KILN_LAUNCH_MAX_SETTINGS, setting->name);
    flags->settings[flags->setting_count++] = *setting;
    return KILN_OK;
}

static bool add_setting(kiln_launch_flags_t *flags, const char *name, const char *value)
{
    kiln_status_t full = kiln_launch_add_setting(flags, &(kiln_setting_t){name, value});
    const bool is_added = !full;
    kiln_status_free(full);
    return is_added;
}

// NAME=VALUE; NAME alone means NAME=1.
static bool add_define(kiln_launch_flags_t *flags, char *word)
{
    char *equals = strchr(word, '=');
    if (equals)
        *equals = '\0';
    return *word && add_setting(flags, word, equals ? equals + 1 : "1");
}

static bool allows(const kiln_option_t *option, const char *value)
{
    kiln_compile_options_t any;
    kiln_compile_options_initialize(&any);
    kiln_status_t wrong = kiln_compile_option_set(&any, option, value);
    kiln_status_free(wrong);
    return !wrong;
}

static bool take_override(const char *value)
{
    kiln_status_t status = kiln_override_take(value);
    const bool good = !status;
    kiln_status_free(status);
    return good;
}

bool kiln_launch_flag_take(kiln_launch_flags_t *flags, int flag, char *value)
{
    const char *text = value;
    const kiln_option_t *option = kiln_option_of_flag(flag, &text);
    if (option)
        return allows(option, text) && add_setting(flags, option->name, text);
    if (kiln_warning_flag_take(flag, value))
        return true;
    if (flag == KILN_FLAG_launch_DEFINE)
        return add_define(flags, value);
    if (flag == KILN_FLAG_launch_INCLUDE_DIR)
        return kiln_include_dir_take(value);
    if (flag == KILN_FLAG_launch_LINK_BITCODE)
        return kiln_bitcode_take(value);
    if (flag == KILN_FLAG_launch_OVERRIDE)
        return take_override(value);
    if (flag == KILN_FLAG_launch_GRID)
        *(flags->then_count ? &flags->then[flags->then_count - 1].grid : &flags->grid) = value;
    else if (flag == KILN_FLAG_launch_KERNEL)
        flags->kernel = value;
    else
        return kiln_flag_take(flag, value);
    return true;
}

kiln_status_t kiln_launch_set_options(const kiln_launch_flags_t *flags,
                                      kiln_setting_t defines[KILN_LAUNCH_MAX_SETTINGS],
                                      kiln_compile_options_t *options)
{
    KILN_TRY(kiln_source_flags_set(options));
    return kiln_compile_options_apply(options, flags->settings, flags->setting_count, defines);
}

kiln_status_t kiln_launch_arguments(const kiln_launch_flags_t *flags, kiln_device_t *device,
                                    char **words, size_t word_count,
                                    kiln_arguments_t **out_arguments)
{
    KILN_TRY(kiln_arguments_create(device, out_arguments));
    kiln_arguments_define(*out_arguments, flags->settings, flags->setting_count);
    kiln_status_t status = KILN_OK;
    for (size_t i = 0; i < word_count && !status; i++)
        status = kiln_arguments_add(*out_arguments, words[i]);
    if (status) {
        kiln_arguments_release(*out_arguments);
        *out_arguments = NULL;
    }
    return status;
}

// Errors ------------------------------------------------------------------------------------------

void kiln_launch_diagnostic(const kiln_diagnostic_t *diagnostic, void *user)
{
    bool *shown = user;
    if (diagnostic->severity == KILN_SEVERITY_REMARK && !diagnostic->flag) // not requested
        return;
    kiln_cli_print_diagnostic(diagnostic, stderr);
    *shown |= diagnostic->severity == KILN_SEVERITY_ERROR;
}

int kiln_launch_report(kiln_status_t status, bool shown)
{
    if (!shown)
        return kiln_cli_report(status);
    int code = kiln_exit_code(kiln_status_code(status)); // the compiler has reported the errors
    kiln_status_free(status);
    return code;
}

// The call ----------------------------------------------------------------------------------------

static void print_log(const char *message, void *user)
{
    (void)user;
    fprintf(stderr, "kiln: warning: %.*s\n",
            (int)(strlen(message) - kiln_string_ends_with(message, "\n")), message);
}

// A kiln_jit_grid_fn that evaluates --grid for a request; settings are names in its expressions.
typedef struct launch_grid {
    const char *text;
    kiln_arguments_t *arguments;
} launch_grid_t;

void kiln_launch_report_empty(const unsigned grid[3])
{
    static bool is_reported;
    if (is_reported || (grid[0] && grid[1] && grid[2]))
        return;
    fprintf(stderr, "kiln: warning: the grid %u,%u,%u is empty; nothing is launched\n", grid[0],
            grid[1], grid[2]);
    is_reported = true;
}

static kiln_status_t grid_of(const kiln_setting_t *settings, size_t setting_count,
                             unsigned out_grid[3], void *user)
{
    launch_grid_t *request = user;
    kiln_arguments_define(request->arguments, settings, setting_count);
    KILN_TRY(kiln_arguments_grid(request->arguments, request->text, out_grid));
    kiln_launch_report_empty(out_grid);
    return KILN_OK;
}

static bool is_cache_mode(const char *name)
{
    const char *mode = kiln_environment("KILN_CACHE_MODE");
    return mode && strcmp(mode, name) == 0;
}

// Unreadable tuning results are ignored, like unreadable kernels in the cache. If a kernel must
// come from the cache, they are an error, since the cached kernel might differ from the tuned one.
static kiln_status_t continue_untuned(kiln_status_t status)
{
    const kiln_status_code_t code = kiln_status_code(status);
    if (code != KILN_STATUS_IO || is_cache_mode("require"))
        return status;
    status = kiln_status_annotate(status, "so the kernel runs without tuned settings");
    char *text = kiln_status_format(status);
    print_log(text ? text : kiln_status_message(status), NULL);
    free(text);
    kiln_status_free(status);
    return KILN_OK;
}

typedef struct tuned {
    kiln_tuner_t *tuner; // NULL: none
    const kiln_launch_flags_t *flags;
    kiln_tune_recorder_t *recorder;    // NULL: none
    const kiln_launch_plan_t *planned; // what was looked up already; NULL: nothing
    bool skips_notes;                  // they belong to a finding of a candidate
} tuned_t;

static const char *variable(const char *name, void *user)
{
    (void)user;
    return kiln_environment(name);
}

// Whether a launch may begin with a search (--tuned). A word that is not one of the mode's is
// reported later.
static bool may_search(void)
{
    const char *word = kiln_environment("KILN_TUNED");
    return word && (strcmp(word, "search") == 0 || strcmp(word, "use-or-search") == 0);
}

// Rejects flags that have no effect, and a search whose results could not be kept.
static kiln_status_t check_tuned(kiln_tune_use_t use)
{
    const bool searches = may_search();
    const char *idle = searches                               ? NULL
                       : kiln_flag_given("--tune-budget")     ? "--tune-budget"
                       : kiln_flag_given("--tune-time-limit") ? "--tune-time-limit"
                                                              : NULL;
    if (idle)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "%s has no effect here: it requires --tuned=search or "
                                "use-or-search",
                                idle);
    if (use == KILN_TUNE_USE_DEFAULT && kiln_flag_given("--tune-stores"))
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--tune-stores has no effect here: --tuned=default uses no tuned "
                                "settings");
    const char *mode = kiln_environment("KILN_CACHE_MODE");
    if (searches && mode && strcmp(mode, "readwrite") != 0)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--tuned=%s (KILN_TUNED) stores what it finds, which "
                                "--cache-mode=%s (KILN_CACHE_MODE) forbids",
                                kiln_environment("KILN_TUNED"), mode);
    return KILN_OK;
}

// Remarks and warnings about a search. Findings are those of what is launched, not of candidates.
static void report_search(const kiln_diagnostic_t *diagnostic, void *user)
{
    bool shown = false;
    tuned_t *tuned = user;
    const bool is_note = diagnostic->severity == KILN_SEVERITY_NOTE;
    if (!is_note)
        tuned->skips_notes = diagnostic->severity == KILN_SEVERITY_REMARK && diagnostic->flag;
    if (tuned->skips_notes)
        return;
    if (diagnostic->file || is_note)
        kiln_launch_diagnostic(diagnostic, &shown);
    else if (diagnostic->severity == KILN_SEVERITY_REMARK)
        fprintf(stderr, "kiln: %s\n", diagnostic->message);
    else
        print_log(diagnostic->message, NULL);
}

// The tuner is NULL if no tuned settings are requested, if they cannot be read, or if the cache is
// off.
static kiln_status_t open_tuned(tuned_t *tuned, kiln_device_t *device,
                                const kiln_compile_options_t *base)
{
    kiln_tuner_options_t options;
    kiln_tuner_options_initialize(&options);
    KILN_TRY_NOTE(kiln_tuner_options_read(&options, variable, NULL), "of --tuned or --tune-…");
    KILN_TRY(check_tuned(options.use));
    if (options.use == KILN_TUNE_USE_DEFAULT || is_cache_mode("off"))
        return KILN_OK;
    char *path = kiln_tuned_path(), *conditions = kiln_tune_conditions(NULL, 0, NULL, 0, NULL);
    options.store = path;
    options.base = base;
    options.conditions = conditions;
    options.diagnostic = report_search;
    options.diagnostic_user = tuned;
    options.progress = kiln_environment("KILN_LOG") ? kiln_tune_show_progress : NULL;
    kiln_status_t status = KILN_OK;
    if (!conditions)
        status = kiln_status_out_of_memory();
    else if (!path && may_search())
        status = kiln_status_make(KILN_STATUS_USAGE, "there is no cache directory for the results "
                                                     "of a search; give --cache-dir");
    else
        status = kiln_tuner_create(device, &options, &tuned->tuner);
    free(path);
    free(conditions);
    return may_search() ? status : continue_untuned(status);
}

static void report_match(const kiln_tune_match_t *match)
{
    static const char *const how[] = {[KILN_TUNE_FOUND_EXACTLY] = "tuned settings",
                                      [KILN_TUNE_FOUND_BY_SEARCH] = "settings tuned just now",
                                      [KILN_TUNE_FOUND_BY_MODEL] = "settings that a model chose"};
    if (match->found == KILN_TUNE_FOUND_NEAR)
        fprintf(stderr, "kiln: tuned settings of the nearest problem, %s: %s", match->arguments,
                match->config);
    else
        fprintf(stderr, "kiln: %s: %s", how[match->found], match->config);
    if (match->store)
        fprintf(stderr, ", of '%s'", match->store);
    fputc('\n', stderr);
}

// A kiln_jit_tune_fn. --log reports the results it finds.
static kiln_status_t look_up_tuned(const kiln_jit_tune_request_t *request, void *user,
                                   char **out_config)
{
    const tuned_t *tuned = user;
    if (tuned->planned)
        return kiln_launch_plan_config(tuned->planned, request, out_config);
    if (!tuned->tuner)
        return kiln_status_make(KILN_STATUS_NOT_FOUND, "there is no store");
    kiln_tune_match_t match = {.struct_size = sizeof match};
    kiln_status_t status = kiln_tuner_find(tuned->tuner, request, &match);
    kiln_tune_end_progress();
    if (kiln_environment("KILN_LOG") && !status)
        report_match(&match);
    else if (kiln_environment("KILN_LOG") && kiln_status_code(status) == KILN_STATUS_NOT_FOUND)
        fprintf(stderr, "kiln: no tuned settings: %s\n", kiln_status_message(status));
    *out_config = match.config;
    if (tuned->flags->out_near && match.found == KILN_TUNE_FOUND_NEAR) {
        free(*tuned->flags->out_near);
        *tuned->flags->out_near = match.arguments;
    } else {
        free(match.arguments);
    }
    return continue_untuned(status);
}

static kiln_status_t start_recording(tuned_t *tuned)
{
    const char *path = kiln_environment("KILN_TUNE_RECORD");
    if (path && *path && tuned->flags->then_count)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--tune-record (KILN_TUNE_RECORD) has no effect here: sequences of "
                                "--then are not recorded");
    return path && *path ? kiln_tune_recorder_open(path, look_up_tuned, tuned, &tuned->recorder)
                         : KILN_OK;
}

static kiln_status_t make_jit(kiln_device_t *device, kiln_jit_compiler_t *compiler, tuned_t *tuned,
                              kiln_jit_t **out_jit)
{
    kiln_jit_options_t options;
    kiln_jit_options_initialize(&options);
    options.compile = kiln_jit_compile;
    options.compile_user = compiler;
    options.identify = kiln_jit_identify;
    options.depend = kiln_jit_depend;
    options.replay_diagnostics = kiln_jit_replay_diagnostics;
    options.tune = tuned->recorder                      ? kiln_tune_record
                   : kiln_tuner_is_useful(tuned->tuner) ? look_up_tuned
                                                        : NULL;
    options.tune_user = tuned->recorder ? (void *)tuned->recorder : tuned;
    const char *mode = kiln_environment("KILN_CACHE_MODE");
    if (mode)
        KILN_TRY(kiln_cache_mode_parse(mode, &options.cache_mode));
    const char *limit = kiln_environment("KILN_CACHE_SIZE");
    if (limit)
        KILN_TRY_NOTE(kiln_cache_size_parse(limit, &options.cache_limit),
                      "of --cache-size (KILN_CACHE_SIZE)");
    if (compiler->base->dump || tuned->flags->is_of_search)
        options.cache_mode = KILN_CACHE_OFF; // cached kernels cannot be dumped
    char *directory = kiln_cache_directory();
    options.cache_directory = directory;
    options.log = print_log;
    kiln_status_t status = kiln_jit_create(device, &options, out_jit);
    free(directory);
    return status;
}

typedef struct listener {
    const kiln_launch_flags_t *flags;
    bool shown; // an error was shown
} listener_t;

static void listen(const kiln_diagnostic_t *diagnostic, void *user)
{
    listener_t *listener = user;
    const kiln_launch_flags_t *flags = listener->flags;
    if (!flags->take_diagnostic || !flags->take_diagnostic(diagnostic, flags->diagnostic_user))
        kiln_launch_diagnostic(diagnostic, &listener->shown);
}

// A plan's calls, or the only one with the arguments of all words.
static kiln_status_t plan_calls(const kiln_launch_flags_t *flags,
                                const kiln_tune_problem_t *problem, tuned_t *tuned, char **words,
                                size_t word_count, kiln_launch_plan_t *plan)
{
    if (flags->then_count &&
        (may_search() || kiln_tuner_use(tuned->tuner) == KILN_TUNE_USE_OR_MODEL))
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--tuned=%s (KILN_TUNED) finds settings of single kernels; tune a "
                                "sequence with kiln tune --then",
                                kiln_environment("KILN_TUNED"));
    // A search needs the arguments, so they must be complete.
    kiln_tune_store_t *store = may_search() ? NULL : problem->store;
    if (!may_search() && kiln_launch_needs_plan(flags, words, word_count)) {
        KILN_TRY(kiln_launch_plan_make(flags, problem, kiln_tuner_use(tuned->tuner), words,
                                       word_count, plan));
        tuned->planned = plan;
        if (kiln_environment("KILN_LOG") && plan->match.config)
            report_match(&plan->match);
        else if (kiln_environment("KILN_LOG") && store)
            fprintf(stderr, "kiln: no tuned settings with %s\n", plan->key);
        if (flags->out_near && plan->match.distance > 0 &&
            !(*flags->out_near = strdup(plan->match.arguments)))
            return kiln_status_out_of_memory();
        return KILN_OK;
    }
    kiln_jit_call_t *call = plan->calls;
    plan->count = 1;
    KILN_TRY(kiln_launch_arguments(flags, problem->device, words, word_count, &plan->arguments));
    KILN_TRY(kiln_launch_key(flags, problem, plan->arguments, &plan->key));
    kiln_jit_call_initialize(call);
    call->tuning_arguments = plan->key;
    call->source = problem->source;
    call->kernel = flags->kernel;
    call->settings = flags->settings;
    call->setting_count = flags->setting_count;
    call->arguments = kiln_arguments_values(plan->arguments, &call->argument_count);
    return KILN_OK;
}

kiln_status_t kiln_launch_make(kiln_jit_t *jit, kiln_device_t *device,
                               const kiln_launch_flags_t *flags, kiln_arguments_t *arguments,
                               kiln_jit_call_t *calls, size_t count, kiln_launch_fn make,
                               void *user)
{
    launch_grid_t grids[1 + KILN_LAUNCH_MAX_STEPS];
    const char *texts[1 + KILN_LAUNCH_MAX_STEPS];
    for (size_t i = 0; i < count; i++) {
        texts[i] = i ? flags->then[i - 1].grid : flags->grid;
        grids[i] = (launch_grid_t){.text = texts[i], .arguments = arguments};
        calls[i].grid_of = texts[i] ? grid_of : NULL;
        calls[i].grid_user = &grids[i];
    }
    return make(jit, device, arguments, calls, count, texts, user);
}

static kiln_status_t call_on(kiln_device_t *device, const kiln_launch_flags_t *flags,
                             const kiln_source_t *source, char **words, size_t word_count,
                             kiln_launch_fn make, void *user, bool *out_shown)
{
    kiln_compile_options_t base, options;
    kiln_compile_options_initialize(&base);
    kiln_dump_from_environment(&base);
    if (flags->stages)
        kiln_report_keep(flags->stages, &base);
    listener_t listener = {.flags = flags};
    kiln_jit_compiler_t compiler = {.struct_size = sizeof compiler,
                                    .diagnostic = listen,
                                    .diagnostic_user = &listener,
                                    .base = &base};
    kiln_jit_t *jit = NULL;
    tuned_t tuned = {.flags = flags};
    kiln_launch_plan_t plan = {0};
    kiln_launch_words_t all = {0};
    kiln_tune_problem_t problem;
    kiln_tune_problem_initialize(&problem);
    problem.source = *source;
    kiln_status_t status = kiln_source_flags_set(&base);
    if (!status)
        status = kiln_option_flags_check(problem.source.stage, KILN_STAGE_HSACO);
    if (!status)
        status = kiln_launch_words_make(flags, source, words, word_count, &all);
    if (!status && !flags->is_of_search)
        status = open_tuned(&tuned, device, &base);
    if (!status && !flags->is_of_search)
        status = start_recording(&tuned);
    if (!status) {
        options = base;
        options.kernel = flags->kernel;
        problem.options = &options;
        problem.device = device;
        problem.store = kiln_tuner_store(tuned.tuner);
        problem.fixed = flags->settings;
        problem.fixed_count = flags->setting_count;
        problem.diagnostic = kiln_launch_diagnostic;
        problem.diagnostic_user = &listener.shown;
        status = plan_calls(flags, &problem, &tuned, all.items, all.count, &plan);
    }
    if (!status)
        status = make_jit(device, &compiler, &tuned, &jit);
    if (!status)
        status = kiln_launch_make(jit, device, flags, plan.arguments, plan.calls, plan.count, make,
                                  user);
    kiln_jit_release(jit);
    kiln_tune_recorder_release(tuned.recorder);
    kiln_launch_plan_free(&plan);
    kiln_launch_words_free(&all);
    kiln_tuner_release(tuned.tuner);
    *out_shown = listener.shown;
    return status;
}

kiln_status_t kiln_launch_call_source(const kiln_launch_flags_t *flags, const kiln_source_t *source,
                                      char **words, size_t word_count, kiln_launch_fn make,
                                      void *user)
{
    kiln_device_t *device;
    bool shown;
    KILN_TRY(kiln_device_from_environment(&device));
    kiln_status_t status = call_on(device, flags, source, words, word_count, make, user, &shown);
    kiln_device_release(device);
    return status;
}

int kiln_launch_call(const kiln_launch_flags_t *flags, const char *path, char **words,
                     size_t word_count, kiln_launch_fn make, void *user)
{
    kiln_device_t *device;
    if (may_search()) { // as kiln tune does
        kiln_prediction_default(false);
        kiln_flag_default("KILN_SIM_LIMIT", KILN_LAUNCH_SEARCH_LIMIT);
    }
    kiln_status_t status = kiln_device_from_environment(&device);
    if (status)
        return kiln_cli_report(status);
    bool shown = false;
    if (kiln_launch_is_loaded(path)) {
        status = kiln_launch_loaded(device, flags, path, words, word_count, make, user);
    } else {
        kiln_source_t source;
        char *text;
        status = kiln_input_read_source(path, "", &text, &source);
        if (!status)
            status = call_on(device, flags, &source, words, word_count, make, user, &shown);
        free(text);
    }
    kiln_device_release(device);
    return kiln_launch_report(status, shown);
}
