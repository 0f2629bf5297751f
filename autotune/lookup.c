// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the stored configuration for a call: that of the call's own problem or, if the caller
// requests it, that of the nearest problem.
//
// Problems are near if they differ only in integers of their arguments, "M=512,N=512": the code,
// its options and the types are the same. Nothing proves that a configuration is right at another
// size, as a kernel may require BLOCK >= N; therefore the nearest one is used only on request, and
// only if it meets the conditions that the source declares.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/require.h"
#include "base/settings.h"
#include "near.h"
#include "store.h"

static const char EXACT[] =
    "SELECT config, fixed, verified, arguments FROM tuned WHERE (kernel = ?1 OR ?1 = '') AND "
    "problem = ?2 AND device = ?3 AND arguments = ?4 AND code = ?6" KILN_STORE_IN_ORDER;

static const char ANY[] =
    "SELECT config, fixed, verified, arguments FROM tuned WHERE (kernel = ?1 OR ?1 = '') AND "
    "problem = ?2 AND device = ?3 AND arguments <> ?4 AND code = ?6" KILN_STORE_IN_ORDER;

// Distance ----------------------------------------------------------------------------------------

// The length of the name, with '=', at the beginning of both texts; 0 if the names differ.
static size_t common_name(const char *a, const char *b)
{
    const size_t length = strcspn(a, "=, ");
    return a[length] == '=' && strncmp(a, b, length + 1) == 0 ? length + 1 : 0;
}

static bool take_integer(const char *text, size_t length, int64_t *out_value)
{
    char digits[24];
    if (length == 0 || length >= sizeof digits)
        return false;
    memcpy(digits, text, length);
    digits[length] = '\0';
    return kiln_integer_parse_all(digits, 10, out_value);
}

// Adds the distance of two values, |log2(a / b)|. Values for which it is undefined must be equal.
static bool add_distance(const char *a, size_t a_length, const char *b, size_t b_length,
                         double *distance)
{
    int64_t x, y;
    if (a_length == b_length && strncmp(a, b, a_length) == 0)
        return true;
    if (!take_integer(a, a_length, &x) || !take_integer(b, b_length, &y) || x <= 0 || y <= 0)
        return false;
    *distance += fabs(log2((double)x) - log2((double)y));
    return true;
}

// The sum of the distances of "NAME=VALUE,NAME=VALUE"; the text after a blank must be equal.
static bool measure(const char *a, const char *b, double *out_distance)
{
    *out_distance = 0;
    if (strcmp(a, b) == 0) // also for texts in another form
        return true;
    while (*a && *a != ' ') {
        const size_t name = common_name(a, b);
        if (!name)
            return false;
        a += name;
        b += name;
        const size_t a_length = strcspn(a, ", "), b_length = strcspn(b, ", ");
        if (!add_distance(a, a_length, b, b_length, out_distance))
            return false;
        a += a_length;
        b += b_length;
        if (*a != *b)
            return false;
        a += *a == ',';
        b += *b == ',';
    }
    return strcmp(a, b) == 0;
}

// Choice ------------------------------------------------------------------------------------------

static bool has_name(const kiln_setting_list_t *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0)
            return true;
    return false;
}

// Whether `fixed` equals the request's settings, apart from the names that `config` varies; the
// number of its settings; and whether the request sets any of those names.
static kiln_status_t fits(const kiln_jit_tune_request_t *request, const char *config,
                          const char *fixed, bool *out_fits, size_t *out_count, bool *out_overrides)
{
    kiln_setting_list_t varied = {0}, own = {0};
    kiln_status_t status = kiln_settings_put_text(&varied, config);
    for (size_t i = 0; i < request->setting_count && !status; i++) {
        const kiln_setting_t *setting = &request->settings[i];
        if (!has_name(&varied, setting->name))
            status = kiln_settings_put(&own, setting->name, strlen(setting->name), setting->value,
                                       strlen(setting->value));
    }
    char *text = status ? NULL : kiln_settings_text(own.items, own.count);
    if (!status && !text)
        status = kiln_status_out_of_memory();
    *out_fits = text && strcmp(text, fixed) == 0;
    *out_count = own.count;
    *out_overrides = own.count < request->setting_count;
    free(text);
    kiln_settings_free(&varied);
    kiln_settings_free(&own);
    return status;
}

typedef struct choice {
    kiln_tune_match_t match;
    size_t fixed_count;
    int trust;
    const char *reading; // file of the current row
    kiln_near_t near;    // the source's conditions
} choice_t;

static bool is_better(const choice_t *choice, int trust, double distance, size_t fixed_count)
{
    if (!choice->match.config || trust != choice->trust)
        return !choice->match.config || trust > choice->trust;
    if (distance != choice->match.distance)
        return distance < choice->match.distance;
    return fixed_count > choice->fixed_count;
}

static kiln_status_t take(choice_t *choice, const char *config, const char *arguments)
{
    free(choice->match.config);
    free(choice->match.arguments);
    choice->match.config = strdup(config);
    choice->match.arguments = strdup(arguments);
    return choice->match.config && choice->match.arguments ? KILN_OK : kiln_status_out_of_memory();
}

// Whether the source's conditions admit a configuration for a request that differs from the tuned
// one.
static kiln_status_t admits(const kiln_jit_tune_request_t *request, choice_t *choice,
                            const char *config, bool *out_admits)
{
    if (!choice->near.is_read)
        KILN_TRY(kiln_near_read(request, &choice->near));
    return kiln_near_admits(&choice->near, config, out_admits);
}

// Chooses a row: a verified one, then the nearest, then the one with the most fixed settings, then
// the first one. A row of an earlier store stays where these are equal.
static kiln_status_t choose(sqlite3_stmt *statement, const kiln_jit_tune_request_t *request,
                            sqlite3 *db, choice_t *choice)
{
    kiln_status_t status = KILN_OK;
    int step;
    while (!status && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        bool is_fit = false, is_admitted = true, overrides = false;
        size_t count = 0;
        double distance;
        const int trust = sqlite3_column_int(statement, 2);
        const char *config = kiln_store_text(statement, 0, &status),
                   *fixed = kiln_store_text(statement, 1, &status),
                   *arguments = kiln_store_text(statement, 3, &status);
        if (status || !measure(request->arguments, arguments, &distance))
            continue;
        status = fits(request, config, fixed, &is_fit, &count, &overrides);
        if (status || !is_fit || !is_better(choice, trust, distance, count))
            continue;
        if (distance > 0 || overrides)
            status = admits(request, choice, config, &is_admitted);
        if (status || !is_admitted)
            continue;
        status = take(choice, config, arguments);
        choice->match.distance = distance;
        choice->match.store = choice->reading;
        choice->match.found = distance > 0 ? KILN_TUNE_FOUND_NEAR : KILN_TUNE_FOUND_EXACTLY;
        choice->trust = trust;
        choice->fixed_count = count;
    }
    if (!status && step != SQLITE_DONE)
        status = kiln_store_error(db, "read");
    return status;
}

static kiln_status_t query_one(kiln_tune_store_t *store, const char *sql,
                               const kiln_tune_key_t *key, const kiln_jit_tune_request_t *request,
                               choice_t *choice)
{
    sqlite3_stmt *statement;
    if (!store->db)
        return KILN_OK;
    choice->reading = store->path;
    pthread_mutex_lock(&store->mutex);
    kiln_status_t status = kiln_store_prepare(store, sql, key, kiln_code_id(), &statement);
    if (!status)
        status = choose(statement, request, store->db, choice);
    sqlite3_finalize(statement);
    pthread_mutex_unlock(&store->mutex);
    return status;
}

// Reads the store and then those that it is extended by.
static kiln_status_t query(kiln_tune_store_t *store, const char *sql, const kiln_tune_key_t *key,
                           const kiln_jit_tune_request_t *request, choice_t *choice)
{
    kiln_status_t status = query_one(store, sql, key, request, choice);
    for (size_t i = 0; i < store->further_count && !status; i++)
        status = query_one(store->further[i], sql, key, request, choice);
    return status;
}

// Finds the result for a complete request.
static kiln_status_t find(const char *function, const kiln_jit_tune_request_t *given,
                          kiln_tune_store_t *store, kiln_tune_use_t use, choice_t *choice)
{
    const kiln_tune_key_t key = {.kernel = given->kernel ? given->kernel : "",
                                 .problem = given->problem,
                                 .device = given->device,
                                 .arguments = given->arguments};
    KILN_TRY(kiln_store_check_key(function, &key));
    if (use == KILN_TUNE_USE_DEFAULT)
        return kiln_store_not_found(&key);
    char *arguments = kiln_store_arguments(given->arguments);
    if (!arguments)
        return kiln_status_out_of_memory();
    kiln_jit_tune_request_t stored = *given, *request = &stored;
    stored.arguments = arguments;
    kiln_status_t status = query(store, EXACT, &key, request, choice);
    if (!status && !choice->match.config && use == KILN_TUNE_USE_NEAR)
        status = query(store, ANY, &key, request, choice);
    kiln_near_free(&choice->near);
    free(arguments);
    if (!status && choice->match.config)
        return KILN_OK;
    free(choice->match.config);
    free(choice->match.arguments);
    return status ? status : kiln_store_not_found(&key);
}

kiln_status_t kiln_tune_use_parse(const char *text, kiln_tune_use_t *out_use)
{
    KILN_REQUIRE(out_use);
    KILN_REQUIRE(text);
    static const struct {
        const char *name;
        kiln_tune_use_t use;
    } names[] = {{"exact", KILN_TUNE_USE_EXACT},        {"use", KILN_TUNE_USE_EXACT},
                 {"near", KILN_TUNE_USE_NEAR},          {"default", KILN_TUNE_USE_DEFAULT},
                 {"search", KILN_TUNE_USE_SEARCH},      {"use-or-search", KILN_TUNE_USE_OR_SEARCH},
                 {"model-only", KILN_TUNE_USE_OR_MODEL}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i].name) == 0) {
            *out_use = names[i].use;
            return KILN_OK;
        }
    return kiln_status_make(KILN_STATUS_USAGE,
                            "expected exact, use, near, default, search, use-or-search or "
                            "model-only, got '%s'",
                            text);
}

static kiln_status_t take_request(const char *function, const kiln_jit_tune_request_t *request,
                                  kiln_jit_tune_request_t *out_request)
{
    *out_request = (kiln_jit_tune_request_t){.struct_size = sizeof *out_request};
    KILN_TRY(kiln_struct_take(function, "request", "kiln_jit_tune_request_t", out_request,
                              sizeof *out_request, request));
    if (out_request->setting_count && !out_request->settings)
        return kiln_status_make(KILN_STATUS_USAGE, "%s: settings is NULL and setting_count is %zu",
                                function, out_request->setting_count);
    return KILN_OK;
}

kiln_status_t kiln_tune_find(const kiln_jit_tune_request_t *request, kiln_tune_store_t *store,
                             kiln_tune_use_t use, kiln_tune_match_t *out_match)
{
    KILN_REQUIRE_OUT_STRUCT(kiln_tune_match_t, out_match);
    kiln_jit_tune_request_t taken;
    choice_t choice = {0};
    kiln_struct_copy_out(out_match, &choice.match, sizeof choice.match);
    KILN_TRY(take_request(__func__, request, &taken));
    KILN_REQUIRE(store);
    KILN_TRY(find(__func__, &taken, store, use, &choice));
    kiln_struct_copy_out(out_match, &choice.match, sizeof choice.match);
    return KILN_OK;
}

// Implements a kiln_jit_tune_fn.
static kiln_status_t look_up(const char *function, const kiln_jit_tune_request_t *request,
                             kiln_tune_store_t *store, kiln_tune_use_t use, char **out_config)
{
    choice_t choice = {0};
    kiln_hash_t key;
    const bool is_hashed = kiln_recent_hash(request, use, &key);
    if (is_hashed)
        KILN_TRY(kiln_recent_find(store, key, out_config));
    if (*out_config)
        return KILN_OK;
    KILN_TRY(find(function, request, store, use, &choice));
    free(choice.match.arguments);
    kiln_status_t status = is_hashed ? kiln_recent_put(store, key, choice.match.config) : KILN_OK;
    if (status)
        free(choice.match.config);
    else
        *out_config = choice.match.config;
    return status;
}

kiln_status_t kiln_tune_lookup(const kiln_jit_tune_request_t *request, void *user,
                               char **out_config)
{
    KILN_REQUIRE_OUT(out_config);
    kiln_jit_tune_request_t taken;
    KILN_TRY(take_request(__func__, request, &taken));
    KILN_REQUIRE(user);
    return look_up(__func__, &taken, user, KILN_TUNE_USE_EXACT, out_config);
}

kiln_status_t kiln_tune_lookup_near(const kiln_jit_tune_request_t *request, void *user,
                                    char **out_config)
{
    KILN_REQUIRE_OUT(out_config);
    kiln_jit_tune_request_t taken;
    KILN_TRY(take_request(__func__, request, &taken));
    KILN_REQUIRE(user);
    return look_up(__func__, &taken, user, KILN_TUNE_USE_NEAR, out_config);
}
