// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes Triton's autotune cache and AITER's tables.
//
// Triton's cache has constants and AMD's options in "kwargs", and num_warps and num_stages beside
// them. Where a configuration leaves num_warps to Kiln, the member is left out, and Triton takes
// its default.
#include "formats.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/number.h"
#include "base/settings.h"
#include "base/string.h"
#include "kiln/kiln.h"

// Selection ---------------------------------------------------------------------------------------

kiln_status_t kiln_tune_selection_check(const kiln_tune_selection_t *selection)
{
    for (size_t i = 1; i < selection->word_count; i++)
        if (!strchr(selection->words[i], '='))
            return kiln_status_make(KILN_STATUS_USAGE,
                                    "expected NAME=VALUE after the kernel's name, got '%s'",
                                    selection->words[i]);
    return KILN_OK;
}

const char *kiln_tune_find_argument(const char *arguments, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = arguments; *at && *at != ' ';) {
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return at;
        at += strcspn(at, ", ");
        at += *at == ',';
    }
    return NULL;
}

// Whether the arguments have exactly this NAME=VALUE.
static bool has_argument(const char *arguments, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = arguments; *at && *at != ' ';) {
        const size_t own = strcspn(at, ", ");
        if (own == length && strncmp(at, word, length) == 0)
            return true;
        at += own;
        at += *at == ',';
    }
    return false;
}

bool kiln_tune_selects(const kiln_tune_selection_t *selection, const kiln_tune_record_t *record)
{
    if (strcmp(record->code, kiln_code_id()) != 0)
        return false;
    for (size_t i = 0; i < selection->word_count; i++) {
        const char *word = selection->words[i];
        const bool is_meant = strchr(word, '=')
                                  ? has_argument(record->key.arguments, word)
                                  : strcmp(record->key.kernel, word) == 0 ||
                                        (record->symbol && strcmp(record->symbol, word) == 0);
        if (!is_meant)
            return false;
    }
    return true;
}

static kiln_status_t nothing_selected(const kiln_tune_selection_t *selection, const char *what)
{
    kiln_string_t words = {0};
    kiln_string_append(&words, "");
    for (size_t i = 0; i < selection->word_count; i++)
        kiln_string_appendf(&words, " %s", selection->words[i]);
    char *text = kiln_string_take(&words);
    kiln_status_t status = text
                               ? kiln_status_make(KILN_STATUS_NOT_FOUND,
                                                  "the store has no %s of this version of Kiln%s%s",
                                                  what, *text ? " for" : "", text)
                               : kiln_status_out_of_memory();
    free(text);
    return status;
}

// Triton's cache ----------------------------------------------------------------------------------

typedef struct cache {
    const kiln_tune_selection_t *selection;
    char *problem; // of the rows so far; NULL: no row yet
    char *arguments;
    int rank;        // of the costs so far: kinds do not mix
    json_t *rows;    // by configuration: [configuration, [ms, ms, ms]]
    json_t *newest;  // by configuration: seconds since 1970
    bool has_cycles; // a row whose cost is no time
} cache_t;

// "k with M=16 MODE=1 on DEVICE", from malloc.
static char *describe(const kiln_tune_record_t *record)
{
    kiln_string_t text = {0};
    const char *kernel = record->symbol && *record->symbol ? record->symbol : record->key.kernel;
    kiln_string_appendf(&text, "%s with %s ", kernel, record->key.arguments);
    for (const char *c = record->key.fixed; *c; c++)
        kiln_string_append_char(&text, *c == '\n' ? ' ' : *c);
    kiln_string_appendf(&text, "on %s", record->key.device);
    return kiln_string_take(&text);
}

static kiln_status_t check_problem(cache_t *cache, const kiln_tune_record_t *record)
{
    char *problem = describe(record);
    if (!problem)
        return kiln_status_out_of_memory();
    if (!cache->problem) {
        cache->problem = problem;
        cache->arguments = strdup(record->key.arguments);
        return cache->arguments ? KILN_OK : kiln_status_out_of_memory();
    }
    kiln_status_t status =
        strcmp(problem, cache->problem) == 0
            ? KILN_OK
            : kiln_status_make(KILN_STATUS_USAGE,
                               "the format has one problem, but there are '%s' and '%s'; name a "
                               "kernel and arguments, such as M=512, after FILE",
                               cache->problem, problem);
    free(problem);
    return status;
}

static json_t *value_json(const char *text)
{
    int64_t value;
    if (kiln_integer_parse_all(text, 10, &value))
        return json_integer(value);
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        return json_boolean(*text == 't');
    return kiln_json_text(text);
}

// Adds a setting: num_warps and num_stages have members of their own, the rest are kwargs.
static kiln_status_t add_setting(json_t *config, json_t *kwargs, const kiln_setting_t *setting)
{
    const bool is_warps = strcmp(setting->name, "num_warps") == 0;
    if (strchr(setting->name, '.'))
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "'%s' is of a sequence of kernels; the format has single ones",
                                setting->name);
    if (is_warps && strcmp(setting->value, "0") == 0)
        return KILN_OK;
    const bool is_own = is_warps || strcmp(setting->name, "num_stages") == 0;
    return json_object_set_new(is_own ? config : kwargs, setting->name, value_json(setting->value))
               ? kiln_status_out_of_memory()
               : KILN_OK;
}

// A triton.Config of a configuration and, of what was not varied, the compile options.
static kiln_status_t config_json(const kiln_tune_record_t *record, json_t **out_config)
{
    kiln_setting_list_t settings = {0}, fixed = {0};
    json_t *kwargs = json_object();
    json_t *config = json_pack("{s:O?, s:i, s:i, s:n}", "kwargs", kwargs, "num_stages", 2,
                               "num_ctas", 1, "maxnreg");
    kiln_status_t status = config && kwargs ? kiln_settings_put_text(&settings, record->config)
                                            : kiln_status_out_of_memory();
    if (!status)
        status = kiln_settings_put_text(&fixed, record->key.fixed);
    for (size_t i = 0; i < fixed.count && !status; i++)
        if (kiln_compile_option_find(fixed.items[i].name, strlen(fixed.items[i].name)))
            status = add_setting(config, kwargs, &fixed.items[i]);
    for (size_t i = 0; i < settings.count && !status; i++)
        status = add_setting(config, kwargs, &settings.items[i]);
    kiln_settings_free(&settings);
    kiln_settings_free(&fixed);
    json_decref(kwargs);
    if (status)
        json_decref(config);
    *out_config = status ? NULL : config;
    return status;
}

static int rank_of(kiln_cost_kind_t kind)
{
    return kind == KILN_COST_MEASURED_NANOSECONDS ? 2 : 1;
}

static kiln_status_t put_row(cache_t *cache, const kiln_tune_record_t *record)
{
    json_t *config;
    KILN_TRY(config_json(record, &config));
    const double ms = record->cost * 1e-6;
    json_t *row = json_pack("[o,[f,f,f]]", config, ms, ms, ms); // median, and 20 % and 80 %
    return !row || json_object_set_new(cache->rows, record->config, row) ||
                   json_object_set_new(cache->newest, record->config,
                                       json_integer((json_int_t)record->time))
               ? kiln_status_out_of_memory()
               : KILN_OK;
}

static kiln_status_t take_sample(const kiln_tune_record_t *record, void *user)
{
    cache_t *cache = user;
    if (record->verdict != KILN_TUNE_OK || !kiln_tune_selects(cache->selection, record))
        return KILN_OK;
    if (record->kind != KILN_COST_MEASURED_NANOSECONDS &&
        record->kind != KILN_COST_PREDICTED_NANOSECONDS) {
        cache->has_cycles = true;
        return KILN_OK;
    }
    KILN_TRY(check_problem(cache, record));
    const int rank = rank_of(record->kind);
    if (rank < cache->rank)
        return KILN_OK;
    if (rank > cache->rank) {
        json_object_clear(cache->rows);
        json_object_clear(cache->newest);
    }
    cache->rank = rank;
    const json_t *time = json_object_get(cache->newest, record->config);
    return time && json_integer_value(time) > record->time ? KILN_OK : put_row(cache, record);
}

// The values of the scalar arguments, as Triton has those of its `key`.
static json_t *key_json(const char *arguments)
{
    json_t *key = json_array();
    for (const char *at = arguments; key && *at && *at != ' ';) {
        const size_t length = strcspn(at, ", ");
        json_array_append_new(key, json_stringn(at, length));
        at += length;
        at += *at == ',';
    }
    return key;
}

kiln_status_t kiln_tune_triton_json(kiln_tune_store_t *store,
                                    const kiln_tune_selection_t *selection, json_t **out_cache)
{
    cache_t cache = {.selection = selection, .rows = json_object(), .newest = json_object()};
    const char *config;
    json_t *row, *timings = json_array();
    *out_cache = NULL;
    kiln_status_t status =
        cache.rows && cache.newest && timings ? KILN_OK : kiln_status_out_of_memory();
    if (!status && store)
        status = kiln_tune_store_visit(store, KILN_TUNE_SAMPLES, take_sample, &cache);
    if (!status && json_object_size(cache.rows) == 0)
        status = cache.has_cycles
                     ? kiln_status_make(KILN_STATUS_USAGE, "costs are cycles (--sim-clock=bounds), "
                                                           "but Triton's cache has times")
                     : nothing_selected(selection, "correct sample");
    json_object_foreach(cache.rows, config, row)
    {
        if (!status && json_array_append(timings, row) != 0)
            status = kiln_status_out_of_memory();
    }
    if (!status && !(*out_cache = json_pack("{s:o, s:O}", "key", key_json(cache.arguments),
                                            "configs_timings", timings)))
        status = kiln_status_out_of_memory();
    json_decref(timings);
    json_decref(cache.rows);
    json_decref(cache.newest);
    free(cache.problem);
    free(cache.arguments);
    return status;
}

// AITER's tables ----------------------------------------------------------------------------------

typedef struct table {
    const kiln_tune_selection_t *selection;
    kiln_string_t text;
    json_t *seen; // by sizes: what the row is of
    char *source; // device and kind of the rows; NULL: no row yet
} table_t;

// An integer argument; false if there is none.
static bool take_size(const char *arguments, const char *name, int64_t *out_size)
{
    const char *at = kiln_tune_find_argument(arguments, name);
    if (!at)
        return false;
    at += strlen(name) + 1;
    char *digits = strndup(at, strcspn(at, ", "));
    const bool is_size = digits && kiln_integer_parse_all(digits, 10, out_size) && *out_size > 0;
    free(digits);
    return is_size;
}

// The compute units in a device's key, "gfx942:NAME:304:sim".
static void append_units(kiln_string_t *text, const char *device)
{
    const char *end = strrchr(device, ':'), *begin = end;
    while (begin && begin > device && begin[-1] != ':')
        begin--;
    kiln_string_appendf(text, "%.*s", begin ? (int)(end - begin) : 0, begin ? begin : "");
}

static void append_row(table_t *table, const kiln_tune_record_t *record, const int64_t sizes[3],
                       const char *split)
{
    const double us = record->cost * 1e-3;
    const double flops = 2.0 * (double)sizes[0] * (double)sizes[1] * (double)sizes[2];
    void *locale = kiln_c_locale_enter();
    append_units(&table->text, record->key.device);
    for (int i = 0; i < 3; i++)
        kiln_string_appendf(&table->text, ",%lld", (long long)sizes[i]);
    kiln_string_appendf(&table->text, ",,%s,%.4f,kiln:%s:%s,%.2f,,\n", split, us,
                        record->key.kernel, record->config, flops / us * 1e-6);
    kiln_c_locale_leave(locale);
}

// Rows are of one device and kind of cost, and sizes are theirs alone, as AITER looks them up.
static kiln_status_t check_row(table_t *table, const kiln_tune_record_t *record,
                               const int64_t sizes[3])
{
    char *source =
        kiln_string_print("%s on %s", kiln_cost_kind_name(record->kind), record->key.device);
    char *key = kiln_string_print("M=%lld N=%lld K=%lld", (long long)sizes[0], (long long)sizes[1],
                                  (long long)sizes[2]);
    char *problem = describe(record);
    kiln_status_t status = source && key && problem ? KILN_OK : kiln_status_out_of_memory();
    const char *earlier = status ? NULL : json_string_value(json_object_get(table->seen, key));
    if (!status && table->source && strcmp(source, table->source) != 0)
        status = kiln_status_make(KILN_STATUS_USAGE,
                                  "results are '%s' and '%s', which do not mix; export from a "
                                  "store with one of them",
                                  table->source, source);
    else if (earlier)
        status = kiln_status_make(KILN_STATUS_USAGE,
                                  "there are two results for %s: '%s' and '%s'; name a kernel or "
                                  "arguments after FILE",
                                  key, earlier, problem);
    else if (!status && json_object_set_new(table->seen, key, kiln_json_text(problem)))
        status = kiln_status_out_of_memory();
    if (!status && !table->source) {
        table->source = source;
        source = NULL;
    }
    free(source);
    free(key);
    free(problem);
    return status;
}

static kiln_status_t take_result(const kiln_tune_record_t *record, void *user)
{
    table_t *table = user;
    int64_t sizes[3];
    if (record->trust != KILN_TUNE_VERIFIED || !kiln_tune_selects(table->selection, record) ||
        (record->kind != KILN_COST_MEASURED_NANOSECONDS &&
         record->kind != KILN_COST_PREDICTED_NANOSECONDS))
        return KILN_OK;
    for (int i = 0; i < 3; i++)
        if (!take_size(record->key.arguments, (const char *[]){"M", "N", "K"}[i], &sizes[i]))
            return KILN_OK;
    KILN_TRY(check_row(table, record, sizes));
    kiln_setting_list_t settings = {0};
    const char *split = "0";
    KILN_TRY(kiln_settings_put_text(&settings, record->config));
    for (size_t i = 0; i < settings.count; i++)
        if (strcmp(settings.items[i].name, "SPLIT_K") == 0)
            split = settings.items[i].value;
    append_row(table, record, sizes, split);
    kiln_settings_free(&settings);
    return KILN_OK;
}

kiln_status_t kiln_tune_aiter_csv(kiln_tune_store_t *store, const kiln_tune_selection_t *selection,
                                  char **out_text)
{
    table_t table = {.selection = selection, .seen = json_object()};
    *out_text = NULL;
    kiln_string_append(&table.text,
                       "cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n");
    kiln_status_t status = table.seen ? KILN_OK : kiln_status_out_of_memory();
    if (!status && store)
        status = kiln_tune_store_visit(store, KILN_TUNE_BEST, take_result, &table);
    if (!status && json_object_size(table.seen) == 0)
        status = nothing_selected(selection, "verified result with arguments M, N and K");
    if (!status && !(*out_text = kiln_string_take(&table.text)))
        status = kiln_status_out_of_memory();
    kiln_string_free(&table.text);
    json_decref(table.seen);
    free(table.source);
    return status;
}
