// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tunes a call: makes the problem from its source, settings, and the sizes and types of its
// arguments. The grid is the call's own: its callback, its extents, or that of the source.
//
// The key must be the one that the JIT looks up, so the candidates are compiled for the hints about
// the call's arguments, not about the new ones.
#include "tune_call.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/number.h"
#include "base/require.h"
#include "base/string.h"
#include "key.h"
#include "kiln/tune_runner.h"
#include "kiln/tune_space.h"
#include "model_choice.h"
#include "problem.h"
#include "runner.h"

typedef struct call_search {
    const kiln_tuner_options_t *tuner;
    const kiln_jit_tune_request_t *request;
    const kiln_jit_call_t *call;
    kiln_compile_options_t options;
    kiln_tune_problem_t problem;
    kiln_tune_space_t *space;
    kiln_arguments_t *arguments;
    kiln_tune_runner_t *runner;
    kiln_arg_hint_t *hints;
    char *words; // of the arguments, separated by blanks
    char *grid;  // NULL: that of the source
    char *conditions;
    double end_ms; // 0: unlimited
    bool is_lost;
    bool is_planned; // launches are planned with the call's own buffers, not made
} call_search_t;

// The program -------------------------------------------------------------------------------------

static kiln_status_t take_options(call_search_t *search)
{
    kiln_compile_options_t *options = &search->options;
    const kiln_jit_call_t *call = search->call;
    kiln_compile_options_initialize(options);
    if (search->tuner->base)
        KILN_TRY(kiln_struct_take("kiln_tuner_create", "options->base", "kiln_compile_options_t",
                                  options, sizeof *options, search->tuner->base));
    // Only the JIT's own compilations are observed.
    options->dump = NULL;
    options->dump_points = options->keep_stages = 0;
    options->last_stage = KILN_STAGE_HSACO;
    options->kernel = call->kernel;
    search->hints = calloc(call->argument_count + 1, sizeof *search->hints);
    if (!search->hints)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < call->argument_count; i++)
        search->hints[i] = kiln_jit_argument_hint(&call->arguments[i]);
    options->args = search->hints;
    options->arg_count = call->argument_count;
    return KILN_OK;
}

static kiln_status_t declare_axes(call_search_t *search)
{
    const kiln_jit_tune_request_t *request = search->request;
    kiln_tune_problem_t *problem = &search->problem;
    KILN_TRY(kiln_tune_space_create(&search->space));
    KILN_TRY(kiln_tune_space_declare(search->space, &problem->source, problem->options,
                                     request->settings, request->setting_count, NULL, NULL, NULL));
    problem->axes = kiln_tune_space_axes(search->space, &problem->axis_count);
    problem->admit = kiln_tune_space_admits;
    problem->admit_user = search->space;
    return KILN_OK;
}

static void set_problem(call_search_t *search, kiln_device_t *device, kiln_tune_store_t *store)
{
    const kiln_tuner_options_t *tuner = search->tuner;
    const kiln_jit_tune_request_t *request = search->request;
    kiln_tune_problem_t *problem = &search->problem;
    kiln_tune_problem_initialize(problem);
    problem->source = search->call->source;
    if (!problem->source.length)
        problem->source.length = strlen(problem->source.text);
    problem->options = &search->options;
    problem->device = device;
    problem->jobs = tuner->jobs;
    problem->store = store;
    problem->arguments = request->arguments;
    problem->fixed = request->settings;
    problem->fixed_count = request->setting_count;
    problem->strategy = KILN_TUNE_GUIDED;
    problem->seed = tuner->seed;
    problem->budget = tuner->budget;
    problem->launch_limit_ms = tuner->launch_limit_ms;
    problem->recall =
        tuner->use == KILN_TUNE_USE_SEARCH ? KILN_TUNE_RECALL_NONE : KILN_TUNE_RECALL_ALL;
    problem->diagnostic = tuner->diagnostic;
    problem->diagnostic_user = tuner->diagnostic_user;
}

// The results of a search are of no use if the JIT looks up another key.
static kiln_status_t check_key(const call_search_t *search)
{
    kiln_tune_own_key_t own = {0};
    kiln_steps_t steps;
    kiln_status_t status = kiln_steps_make(__func__, &search->problem, &steps);
    if (!status)
        status = kiln_tune_key_make(&search->problem, &steps, &own);
    kiln_steps_free(&steps);
    KILN_TRY(status);
    const bool is_same = strcmp(own.problem, search->request->problem) == 0;
    kiln_tune_key_free(&own);
    return is_same ? KILN_OK
                   : kiln_status_make(KILN_STATUS_USAGE,
                                      "the JIT would not find the results of a search: the tuner's "
                                      "`base` differs from the options of the JIT's compiler");
}

static kiln_status_t start(call_search_t *search, const kiln_tuner_options_t *options,
                           kiln_device_t *device, kiln_tune_store_t *store,
                           const kiln_jit_tune_request_t *request)
{
    if (!request->call)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "the request has no call, so there is no source to compile");
    search->tuner = options;
    search->request = request;
    search->call = request->call;
    if (options->time_limit_ms > 0)
        search->end_ms = kiln_now_ms() + options->time_limit_ms;
    KILN_TRY(take_options(search));
    set_problem(search, device, store);
    KILN_TRY(check_key(search));
    return declare_axes(search);
}

// Arguments ---------------------------------------------------------------------------------------

// Compiles with the first value of each axis.
static kiln_status_t parse(const call_search_t *search, kiln_kernel_t **out_kernel)
{
    const kiln_tune_problem_t *problem = &search->problem;
    kiln_setting_t *settings = calloc(problem->axis_count + 1, sizeof *settings);
    if (!settings)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < problem->axis_count; i++)
        settings[i] = (kiln_setting_t){problem->axes[i].name, problem->axes[i].values[0]};
    const kiln_tune_candidate_t candidate = {.settings = settings,
                                             .setting_count = problem->axis_count};
    kiln_status_t status = kiln_tune_parse(problem, &candidate, out_kernel);
    free(settings);
    return status;
}

// The type that a parameter points to; NULL if it is unknown.
static const char *pointee_of(const kiln_kernel_t *kernel, const char *name)
{
    for (size_t i = 0; i < kiln_kernel_argument_count(kernel); i++) {
        const kiln_argument_t *argument = kiln_kernel_argument(kernel, i);
        if (strcmp(argument->name, name) == 0 && argument->type[0] == '*')
            return argument->type + 1;
    }
    return NULL;
}

static const char *earlier_alias(const kiln_jit_call_t *call, size_t index)
{
    const kiln_jit_argument_t *arguments = call->arguments;
    for (size_t i = 0; i < index; i++)
        if (arguments[i].kind == KILN_JIT_POINTER &&
            arguments[i].address == arguments[index].address)
            return arguments[i].name;
    return NULL;
}

static kiln_status_t buffer_word(const call_search_t *search, const kiln_kernel_t *kernel,
                                 size_t index, char **out_word)
{
    const kiln_jit_argument_t *argument = &search->call->arguments[index];
    const char *type = search->hints[index].type, *alias = earlier_alias(search->call, index);
    kiln_element_type_t element;
    *out_word = NULL;
    type = type ? type + 1 : pointee_of(kernel, argument->name);
    if (!type || !kiln_element_type_parse(type, &element))
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "the element type of buffer '%s' is unknown; pass it by "
                                "kiln_jit_elements",
                                argument->name);
    const size_t count = argument->address_size / kiln_element_size(element);
    if (count == 0)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED, "the size of buffer '%s' is %s",
                                argument->name,
                                argument->address_size ? "less than one element" : "unknown");
    if (alias)
        *out_word = kiln_string_print("%s=&%s", argument->name, alias);
    else if (kiln_element_is_float(element))
        *out_word =
            kiln_string_print("%s=%s[%zu]:random:%zu", argument->name, type, count, index + 1);
    else
        *out_word = kiln_string_print("%s=%s[%zu]", argument->name, type, count);
    return *out_word ? KILN_OK : kiln_status_out_of_memory();
}

static kiln_status_t make_word(const call_search_t *search, const kiln_kernel_t *kernel,
                               size_t index, char **out_word)
{
    const kiln_jit_argument_t *argument = &search->call->arguments[index];
    char number[64];
    if (argument->kind == KILN_JIT_POINTER)
        return buffer_word(search, kernel, index, out_word);
    if (argument->kind == KILN_JIT_INTEGER)
        snprintf(number, sizeof number, "%" PRId64, argument->integer);
    else if (argument->kind == KILN_JIT_UNSIGNED)
        snprintf(number, sizeof number, "%" PRIu64, (uint64_t)argument->integer);
    else
        kiln_format(number, sizeof number, "%#.17g", argument->real);
    *out_word = kiln_string_print("%s=%s", argument->name, number);
    return *out_word ? KILN_OK : kiln_status_out_of_memory();
}

static bool lacks_types(const call_search_t *search)
{
    for (size_t i = 0; i < search->call->argument_count; i++)
        if (search->call->arguments[i].kind == KILN_JIT_POINTER && !search->hints[i].type)
            return true;
    return false;
}

static kiln_status_t add_words(call_search_t *search, const kiln_kernel_t *kernel)
{
    kiln_string_t words = {0};
    kiln_status_t status = KILN_OK;
    kiln_string_append(&words, "");
    for (size_t i = 0; i < search->call->argument_count && !status; i++) {
        char *word;
        if (search->is_planned && search->call->arguments[i].kind == KILN_JIT_POINTER)
            continue;
        status = make_word(search, kernel, i, &word);
        if (status)
            break;
        kiln_string_appendf(&words, "%s%s", i ? " " : "", word);
        status = kiln_arguments_add(search->arguments, word);
        free(word);
    }
    search->words = kiln_string_take(&words);
    return !status && !search->words ? kiln_status_out_of_memory() : status;
}

static kiln_status_t make_arguments(call_search_t *search)
{
    kiln_kernel_t *kernel = NULL;
    KILN_TRY(kiln_arguments_create(search->problem.device, &search->arguments));
    if (!search->is_planned && lacks_types(search))
        KILN_TRY(parse(search, &kernel));
    kiln_status_t status = add_words(search, kernel);
    kiln_kernel_release(kernel);
    if (!status)
        kiln_tune_space_bind(search->space, search->arguments, search->request->settings,
                             search->request->setting_count);
    return status;
}

// The search --------------------------------------------------------------------------------------

static kiln_status_t make_runner(call_search_t *search)
{
    const kiln_jit_call_t *call = search->call;
    const bool has_extents = call->grid[0] != 1 || call->grid[1] != 1 || call->grid[2] != 1;
    if (!call->uses_declared_grid && !call->grid_of && has_extents &&
        !(search->grid =
              kiln_string_print("%u,%u,%u", call->grid[0], call->grid[1], call->grid[2])))
        return kiln_status_out_of_memory();
    KILN_TRY(kiln_tune_runner_create(search->arguments, search->grid, search->request->settings,
                                     search->request->setting_count, &search->runner));
    if (!call->uses_declared_grid && call->grid_of)
        kiln_runner_set_grid(search->runner, call->grid_of, call->grid_user);
    if (search->is_planned)
        kiln_runner_bind_to(search->runner, call->arguments, call->argument_count);
    kiln_tune_problem_t *problem = &search->problem;
    problem->prepare = kiln_tune_runner_prepare;
    problem->plan = kiln_tune_runner_plan;
    problem->restore = kiln_tune_runner_restore;
    problem->verify = kiln_tune_runner_verify;
    problem->accept = kiln_tune_runner_accept;
    problem->user = search->runner;
    return KILN_OK;
}

// What is left of the time limit, for the next search.
static void limit_time(call_search_t *search)
{
    if (search->end_ms == 0)
        return;
    const double left = search->end_ms - kiln_now_ms();
    search->problem.time_limit_ms = left > 1 ? left : 1;
}

// Computes the expected results of the defaults, and derives axes that keep them.
static kiln_status_t derive_axes(call_search_t *search)
{
    char *summary = NULL;
    kiln_tune_problem_t *problem = &search->problem;
    kiln_tune_problem_t defaults = *problem;
    defaults.admit = NULL;
    KILN_TRY(kiln_tune_runner_name_reference(search->runner, &defaults, ""));
    limit_time(search);
    defaults.time_limit_ms = problem->time_limit_ms;
    KILN_TRY(kiln_tune_space_derive(search->space, &defaults, &summary, &search->is_lost));
    problem->axes = kiln_tune_space_axes(search->space, &problem->axis_count);
    kiln_status_t status =
        problem->axis_count
            ? KILN_OK
            : kiln_status_make(KILN_STATUS_UNSUPPORTED,
                               "it declares nothing to tune, and no axis can be derived from the "
                               "program (%s); declare some before the kernel: [[tune(NAME = V1, "
                               "V2, …)]]",
                               summary);
    free(summary);
    return status;
}

static kiln_status_t expect(call_search_t *search)
{
    limit_time(search);
    kiln_status_t status = search->problem.axis_count
                               ? kiln_tune_runner_make_reference(search->runner, &search->problem)
                               : derive_axes(search);
    search->is_lost |= kiln_tune_runner_lost_device(search->runner);
    return status;
}

static kiln_status_t set_conditions(call_search_t *search)
{
    const char *reference = kiln_tune_runner_reference(search->runner);
    search->conditions = kiln_string_print("%s reference:'%s'%s", search->words,
                                           reference ? reference : "", search->tuner->conditions);
    search->problem.conditions = search->conditions;
    return search->conditions ? KILN_OK : kiln_status_out_of_memory();
}

// Passes the progress on; the problem's own `user` is the runner.
static void pass_progress(const kiln_tune_sample_t *sample, size_t done, size_t total, void *user)
{
    const kiln_tune_runner_t *runner = user;
    const call_search_t *search = runner->owner;
    search->tuner->progress(sample, done, total, search->tuner->progress_user);
}

static kiln_status_t take_best(const kiln_tune_result_t *result, char **out_config,
                               size_t *out_tried)
{
    const size_t count = kiln_tune_result_count(result);
    for (size_t i = 0; i < count; i++)
        *out_tried += kiln_tune_result_sample(result, i)->verdict != KILN_TUNE_UNTRIED;
    const kiln_tune_sample_t *best = kiln_tune_result_sample(result, 0);
    if (best->verdict != KILN_TUNE_OK)
        return kiln_status_make(KILN_STATUS_NOT_FOUND,
                                "the time limit ended the search before a candidate was correct");
    *out_config = strdup(best->candidate->config);
    return *out_config ? KILN_OK : kiln_status_out_of_memory();
}

static kiln_status_t run(call_search_t *search, char **out_config, size_t *out_tried)
{
    kiln_tune_result_t *result = NULL;
    KILN_TRY(make_arguments(search));
    KILN_TRY(make_runner(search));
    KILN_TRY(expect(search));
    KILN_TRY(set_conditions(search));
    limit_time(search);
    search->runner->owner = search;
    search->problem.progress = search->tuner->progress ? pass_progress : NULL;
    kiln_status_t status = kiln_tune(&search->problem, &result);
    search->is_lost |= kiln_tune_result_lost_device(result);
    if (!status && !search->is_lost)
        status = take_best(result, out_config, out_tried);
    if (!search->is_lost) // its code would be waited for
        kiln_tune_result_release(result);
    return status;
}

static void end(call_search_t *search)
{
    kiln_tune_runner_release(search->runner);
    kiln_arguments_release(search->arguments);
    kiln_tune_space_release(search->space);
    free(search->hints);
    free(search->words);
    free(search->grid);
    free(search->conditions);
}

// The failure of a launch that crashed, which is a fault of the candidates and not of the call: the
// kernel's defaults may be correct. (If the device is unusable now, the call's own launch fails.)
static kiln_status_t blame_candidates(kiln_status_t status)
{
    if (kiln_status_code(status) != KILN_STATUS_DEVICE)
        return status;
    kiln_status_t failure =
        kiln_status_make(KILN_STATUS_MISMATCH, "%s", kiln_status_message(status));
    kiln_status_free(status);
    return failure;
}

kiln_status_t kiln_tune_call(const kiln_tuner_options_t *options, kiln_device_t *device,
                             kiln_tune_store_t *store, const kiln_jit_tune_request_t *request,
                             char **out_config, size_t *out_tried)
{
    call_search_t search = {0};
    kiln_status_t status = start(&search, options, device, store, request);
    if (!status)
        status = run(&search, out_config, out_tried);
    if (!search.is_lost) {
        end(&search);
        return blame_candidates(status);
    }
    kiln_status_free(status);
    return kiln_status_make(KILN_STATUS_DEVICE,
                            "a launch of a search did not end, so the device cannot be used any "
                            "more");
}

kiln_status_t kiln_tune_call_by_model(const kiln_tuner_options_t *options, kiln_device_t *device,
                                      const kiln_jit_tune_request_t *request, char **out_config)
{
    call_search_t search = {.is_planned = true};
    kiln_status_t status = start(&search, options, device, NULL, request);
    if (!status)
        status = make_arguments(&search);
    if (!status)
        status = make_runner(&search);
    if (!status)
        status = kiln_tune_model_choose(&search.problem, out_config);
    end(&search);
    return status;
}
