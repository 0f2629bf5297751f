// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modes: finds settings in the stores, else searches or lets a model choose.
//
// A problem that was searched, or could not be, is not searched again by the same tuner: a JIT
// looks up each call that it does not know, and calls that differ may have one problem.
#include "kiln/tuner.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "base/require.h"
#include "base/settings.h"
#include "base/string.h"
#include "store.h"
#include "tune_call.h"

#define DEFAULT_TIME_LIMIT_MS 60000
#define DEFAULT_LAUNCH_LIMIT_MS 10000

struct kiln_tuner {
    kiln_device_t *device;        // borrowed
    kiln_tuner_options_t options; // owns `conditions`
    kiln_tune_store_t *store;     // NULL: none
    pthread_mutex_t searching;    // also guards the following members
    struct known {
        char *name;   // of a problem that was searched, or could not be estimated
        char *config; // that a search found; NULL: none
    } *known;
    size_t known_count, known_capacity;
};

static bool is_searching(kiln_tune_use_t use)
{
    return use == KILN_TUNE_USE_SEARCH || use == KILN_TUNE_USE_OR_SEARCH;
}

// Options -----------------------------------------------------------------------------------------

void kiln_tuner_options_initialize_sized(kiln_tuner_options_t *options, size_t struct_size)
{
    static const kiln_tuner_options_t defaults = {.use = KILN_TUNE_USE_EXACT,
                                                  .time_limit_ms = DEFAULT_TIME_LIMIT_MS,
                                                  .launch_limit_ms = DEFAULT_LAUNCH_LIMIT_MS,
                                                  .conditions = ""};
    kiln_struct_initialize(options, struct_size, &defaults, sizeof defaults);
}

static const char *value_of(kiln_tuner_variable_fn variable, const char *name, void *user)
{
    const char *value = variable(name, user);
    return value && *value ? value : NULL;
}

static kiln_status_t take_count(const char *name, const char *text, uint64_t *out_count)
{
    if (kiln_unsigned_parse_all(text, 10, out_count) && *out_count > 0)
        return KILN_OK;
    return kiln_status_make(KILN_STATUS_USAGE, "expected a number of at least 1, got '%s' (%s)",
                            text, name);
}

static kiln_status_t read_variables(kiln_tuner_options_t *options, kiln_tuner_variable_fn variable,
                                    void *user)
{
    uint64_t count;
    const char *text = value_of(variable, "KILN_TUNED", user);
    if (text)
        KILN_TRY_NOTE(kiln_tune_use_parse(text, &options->use), "of KILN_TUNED");
    if ((text = value_of(variable, "KILN_TUNE_STORES", user)))
        options->further = text;
    if ((text = value_of(variable, "KILN_TUNE_BUDGET", user))) {
        KILN_TRY(take_count("KILN_TUNE_BUDGET", text, &count));
        options->budget = (size_t)count;
    }
    if ((text = value_of(variable, "KILN_TUNE_TIME_LIMIT", user))) {
        KILN_TRY(take_count("KILN_TUNE_TIME_LIMIT", text, &count));
        options->time_limit_ms = 1e3 * (double)count;
    }
    return KILN_OK;
}

static kiln_status_t take_options(const char *function, const kiln_tuner_options_t *options,
                                  kiln_tuner_options_t *out_options)
{
    kiln_tuner_options_initialize(out_options);
    return kiln_struct_take(function, "options", "kiln_tuner_options_t", out_options,
                            sizeof *out_options, options);
}

kiln_status_t kiln_tuner_options_read(kiln_tuner_options_t *options,
                                      kiln_tuner_variable_fn variable, void *user)
{
    kiln_tuner_options_t taken;
    KILN_TRY(take_options(__func__, options, &taken));
    KILN_REQUIRE(variable);
    KILN_TRY(read_variables(&taken, variable, user));
    kiln_struct_copy_out(options, &taken, sizeof taken);
    return KILN_OK;
}

// The tuner ---------------------------------------------------------------------------------------

static void report(const kiln_tuner_options_t *options, kiln_severity_t severity, char *text)
{
    const kiln_diagnostic_t diagnostic = {.severity = severity, .message = text};
    if (options->diagnostic && text)
        options->diagnostic(&diagnostic, options->diagnostic_user);
    free(text);
}

// A store that cannot be written is read, if it exists; searches then store nothing.
static kiln_status_t open_for_search(const kiln_tuner_options_t *options,
                                     kiln_tune_store_t **out_store)
{
    kiln_status_t why = kiln_tune_store_open(options->store, out_store);
    if (kiln_status_code(why) != KILN_STATUS_IO)
        return why;
    kiln_status_t status = kiln_tune_store_open_existing(options->store, out_store);
    if (!status && !*out_store)
        status = kiln_store_create(out_store);
    if (status) {
        kiln_status_free(why);
        return status;
    }
    report(options, KILN_SEVERITY_WARNING,
           kiln_string_print("results are not stored: %s", kiln_status_message(why)));
    kiln_status_free(why);
    return KILN_OK;
}

static kiln_status_t open_stores(const kiln_tuner_options_t *options, kiln_tune_store_t **out_store)
{
    if (options->use == KILN_TUNE_USE_DEFAULT)
        return KILN_OK;
    if (is_searching(options->use) && !options->store)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "kiln_tuner_create: options->store is NULL, but the results of "
                                "searches must be stored");
    if (is_searching(options->use))
        KILN_TRY(open_for_search(options, out_store));
    else if (options->store)
        KILN_TRY(kiln_tune_store_open_existing(options->store, out_store));
    return options->further && *options->further
               ? kiln_tune_store_extend(out_store, options->further)
               : KILN_OK;
}

kiln_status_t kiln_tuner_create(kiln_device_t *device, const kiln_tuner_options_t *options,
                                kiln_tuner_t **out_tuner)
{
    KILN_REQUIRE_OUT(out_tuner);
    KILN_REQUIRE(device);
    kiln_tuner_options_t taken;
    KILN_TRY(take_options(__func__, options, &taken));
    kiln_tuner_t *tuner = calloc(1, sizeof *tuner);
    if (!tuner)
        return kiln_status_out_of_memory();
    tuner->device = device;
    pthread_mutex_init(&tuner->searching, NULL);
    tuner->options = taken;
    tuner->options.conditions = strdup(taken.conditions ? taken.conditions : "");
    kiln_status_t status = tuner->options.conditions ? KILN_OK : kiln_status_out_of_memory();
    if (!status)
        status = open_stores(&taken, &tuner->store);
    tuner->options.store = tuner->options.further = NULL;
    if (status)
        kiln_tuner_release(tuner);
    else
        *out_tuner = tuner;
    return status;
}

void kiln_tuner_release(kiln_tuner_t *tuner)
{
    if (!tuner)
        return;
    for (size_t i = 0; i < tuner->known_count; i++) {
        free(tuner->known[i].name);
        free(tuner->known[i].config);
    }
    free(tuner->known);
    free((char *)(uintptr_t)tuner->options.conditions);
    kiln_tune_store_release(tuner->store);
    pthread_mutex_destroy(&tuner->searching);
    free(tuner);
}

bool kiln_tuner_is_useful(const kiln_tuner_t *tuner)
{
    return tuner && (tuner->store || tuner->options.use == KILN_TUNE_USE_OR_MODEL);
}

kiln_tune_store_t *kiln_tuner_store(const kiln_tuner_t *tuner)
{
    return tuner ? tuner->store : NULL;
}

kiln_tune_use_t kiln_tuner_use(const kiln_tuner_t *tuner)
{
    return tuner ? tuner->options.use : KILN_TUNE_USE_DEFAULT;
}

// Finding -----------------------------------------------------------------------------------------

// Reads the stores as the mode does.
static kiln_status_t look_up(const kiln_tuner_t *tuner, const kiln_jit_tune_request_t *request,
                             kiln_tune_match_t *match)
{
    if (!tuner->store)
        return kiln_status_make(KILN_STATUS_NOT_FOUND, "there are no stored settings");
    return kiln_tune_find(request, tuner->store, tuner->options.use, match);
}

static char *name_problem(const kiln_jit_tune_request_t *request)
{
    char *settings = kiln_settings_text(request->settings, request->setting_count);
    char *name =
        settings
            ? kiln_string_print("%s\n%s\n%s\n%s\n%s", request->kernel ? request->kernel : "",
                                request->problem, request->device, request->arguments, settings)
            : NULL;
    free(settings);
    return name;
}

// Sets *out_was_known to whether the problem was searched before, or a model failed to choose for
// it, and records it as known, at *out_index. The caller holds `searching`.
static kiln_status_t mark_known(kiln_tuner_t *tuner, const kiln_jit_tune_request_t *request,
                                bool *out_was_known, size_t *out_index)
{
    *out_was_known = false;
    char *name = name_problem(request);
    if (!name)
        return kiln_status_out_of_memory();
    for (*out_index = 0; *out_index < tuner->known_count; ++*out_index)
        if (strcmp(tuner->known[*out_index].name, name) == 0) {
            *out_was_known = true;
            free(name);
            return KILN_OK;
        }
    if (!KILN_ARRAY_RESERVE(&tuner->known, &tuner->known_capacity, tuner->known_count + 1)) {
        free(name);
        return kiln_status_out_of_memory();
    }
    tuner->known[tuner->known_count++] = (struct known){.name = name};
    return KILN_OK;
}

static bool is_fault(kiln_status_t status)
{
    return kiln_status_is_out_of_memory(status) || kiln_status_code(status) == KILN_STATUS_DEVICE;
}

// Warns of a problem that cannot be tuned. The call then proceeds without tuned settings, as it
// would if there were no tuner. Faults of the host and of the device are errors of the call.
static kiln_status_t continue_untuned(const kiln_tuner_t *tuner,
                                      const kiln_jit_tune_request_t *request, kiln_status_t why)
{
    if (is_fault(why))
        return why;
    why = kiln_status_annotate(why, "so '%s' runs without tuned settings",
                               request->call ? request->call->source.name : request->problem);
    char *text = kiln_status_format(why);
    report(&tuner->options, KILN_SEVERITY_WARNING, text);
    kiln_status_t status = kiln_status_make(
        KILN_STATUS_NOT_FOUND, "the problem cannot be tuned: %s", kiln_status_message(why));
    kiln_status_free(why);
    return status;
}

static kiln_status_t search(const kiln_tuner_t *tuner, const kiln_jit_tune_request_t *request,
                            kiln_tune_match_t *match)
{
    size_t tried = 0;
    char *config = NULL;
    report(&tuner->options, KILN_SEVERITY_REMARK,
           kiln_string_print("tuning '%s' with %s",
                             request->call ? request->call->source.name : "?",
                             *request->arguments ? request->arguments : "no scalar arguments"));
    kiln_status_t status =
        kiln_tune_call(&tuner->options, tuner->device, tuner->store, request, &config, &tried);
    if (status)
        return continue_untuned(tuner, request, status);
    if (!(match->arguments = strdup(request->arguments))) {
        free(config);
        return kiln_status_out_of_memory();
    }
    match->config = config;
    match->found = KILN_TUNE_FOUND_BY_SEARCH;
    report(&tuner->options, KILN_SEVERITY_REMARK,
           kiln_string_print("tuned after %zu candidates: %s", tried, config));
    return KILN_OK;
}

// What an earlier search has found, whose result may not have been stored.
static kiln_status_t remember(const struct known *known, const kiln_jit_tune_request_t *request,
                              kiln_tune_match_t *match)
{
    if (!(match->config = strdup(known->config)) ||
        !(match->arguments = strdup(request->arguments))) {
        free(match->config);
        match->config = NULL;
        return kiln_status_out_of_memory();
    }
    match->found = KILN_TUNE_FOUND_BY_SEARCH;
    return KILN_OK;
}

static kiln_status_t search_known(kiln_tuner_t *tuner, const kiln_jit_tune_request_t *request,
                                  struct known *known, kiln_tune_match_t *match)
{
    KILN_TRY(search(tuner, request, match));
    known->config = strdup(match->config); // without it, a later call has what is stored
    return KILN_OK;
}

static kiln_status_t find_or_search(kiln_tuner_t *tuner, const kiln_jit_tune_request_t *request,
                                    kiln_tune_match_t *match)
{
    bool was_known;
    size_t index;
    pthread_mutex_lock(&tuner->searching);
    kiln_status_t status = mark_known(tuner, request, &was_known, &index);
    const bool is_read = was_known || tuner->options.use == KILN_TUNE_USE_OR_SEARCH;
    bool is_missing = !is_read;
    if (!status && is_read) {
        status = look_up(tuner, request, match);
        is_missing = kiln_status_code(status) == KILN_STATUS_NOT_FOUND;
    }
    if (is_missing && !was_known && (!status || is_read)) {
        kiln_status_free(status);
        status = search_known(tuner, request, &tuner->known[index], match);
    } else if (is_missing && was_known && tuner->known[index].config) {
        kiln_status_free(status);
        status = remember(&tuner->known[index], request, match);
    }
    pthread_mutex_unlock(&tuner->searching);
    return status;
}

// The failure of a model to choose, which is reported once for each problem.
static kiln_status_t fail_to_choose(kiln_tuner_t *tuner, const kiln_jit_tune_request_t *request,
                                    kiln_status_t why)
{
    bool was_known = false;
    size_t index;
    pthread_mutex_lock(&tuner->searching);
    kiln_status_t status = mark_known(tuner, request, &was_known, &index);
    pthread_mutex_unlock(&tuner->searching);
    if (!status && !was_known)
        return continue_untuned(tuner, request, why);
    kiln_status_free(why);
    return status ? status
                  : kiln_status_make(KILN_STATUS_NOT_FOUND,
                                     "the model could not choose for the problem earlier");
}

static kiln_status_t choose_by_model(kiln_tuner_t *tuner, const kiln_jit_tune_request_t *request,
                                     kiln_tune_match_t *match)
{
    char *config = NULL;
    kiln_status_t status =
        kiln_tune_call_by_model(&tuner->options, tuner->device, request, &config);
    if (status)
        return is_fault(status) ? status : fail_to_choose(tuner, request, status);
    if (!(match->arguments = strdup(request->arguments))) {
        free(config);
        return kiln_status_out_of_memory();
    }
    match->config = config;
    match->found = KILN_TUNE_FOUND_BY_MODEL;
    return KILN_OK;
}

static kiln_status_t find(kiln_tuner_t *tuner, const kiln_jit_tune_request_t *request,
                          kiln_tune_match_t *match)
{
    if (is_searching(tuner->options.use))
        return find_or_search(tuner, request, match);
    kiln_status_t status = look_up(tuner, request, match);
    if (tuner->options.use != KILN_TUNE_USE_OR_MODEL ||
        kiln_status_code(status) != KILN_STATUS_NOT_FOUND)
        return status;
    kiln_status_free(status);
    return choose_by_model(tuner, request, match);
}

static kiln_status_t take_request(const char *function, const kiln_jit_tune_request_t *request,
                                  kiln_jit_tune_request_t *out_request)
{
    *out_request = (kiln_jit_tune_request_t){.struct_size = sizeof *out_request};
    KILN_TRY(kiln_struct_take(function, "request", "kiln_jit_tune_request_t", out_request,
                              sizeof *out_request, request));
    const char *missing = !out_request->problem                                  ? "problem"
                          : !out_request->device                                 ? "device"
                          : !out_request->arguments                              ? "arguments"
                          : out_request->setting_count && !out_request->settings ? "settings"
                                                                                 : NULL;
    return missing
               ? kiln_status_make(KILN_STATUS_USAGE, "%s: request->%s is NULL", function, missing)
               : KILN_OK;
}

kiln_status_t kiln_tuner_find(kiln_tuner_t *tuner, const kiln_jit_tune_request_t *request,
                              kiln_tune_match_t *out_match)
{
    KILN_REQUIRE_OUT_STRUCT(kiln_tune_match_t, out_match);
    kiln_jit_tune_request_t taken;
    kiln_tune_match_t match = {.struct_size = sizeof match};
    kiln_struct_copy_out(out_match, &match, sizeof match);
    KILN_REQUIRE(tuner);
    KILN_TRY(take_request(__func__, request, &taken));
    KILN_TRY(find(tuner, &taken, &match));
    kiln_struct_copy_out(out_match, &match, sizeof match);
    return KILN_OK;
}

kiln_status_t kiln_tuner_tune(const kiln_jit_tune_request_t *request, void *user, char **out_config)
{
    KILN_REQUIRE_OUT(out_config);
    kiln_jit_tune_request_t taken;
    kiln_tune_match_t match = {.struct_size = sizeof match};
    KILN_TRY(take_request(__func__, request, &taken));
    KILN_REQUIRE(user);
    KILN_TRY(find(user, &taken, &match));
    free(match.arguments);
    *out_config = match.config;
    return KILN_OK;
}
