// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups results by one size, as a table of its own or as vLLM's for mixtures of experts. They must
// be equal in kernel, device, settings and all other arguments; their problems may differ, as code
// may depend on the divisibility of a size.
#include "sizes.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/number.h"
#include "base/settings.h"
#include "base/string.h"
#include "formats.h"
#include "kiln/kiln.h"

typedef struct sizes {
    const char *kernel, *by;
    bool with_fixed;      // rows also have the settings that were not varied
    json_t *rows, *ranks; // by size: the configuration; how much its cost is to be preferred
    json_t *buffers;      // by size: the sizes of buffers, which follow from it
    char *problem;        // what the rows have in common; NULL: no row yet
} sizes_t;

// The sizes of buffers, "elements(x)=8", which are the last arguments, and their length.
static const char *find_buffers(const char *arguments, size_t *out_length)
{
    const char *found = strstr(arguments, "elements(");
    *out_length = found ? strcspn(found, " ") : 0;
    return found ? found : arguments + strcspn(arguments, " ");
}

// What rows must have in common, from malloc.
static char *describe(const kiln_tune_record_t *record, const char *size)
{
    const kiln_tune_key_t *key = &record->key;
    size_t length;
    const char *rest = size + strcspn(size, ", "), *buffers = find_buffers(key->arguments, &length);
    rest += *rest == ',';
    char *text =
        kiln_string_print("%s with %.*s%.*s%s%s%s on %s", key->kernel, (int)(size - key->arguments),
                          key->arguments, rest < buffers ? (int)(buffers - rest) : 0, rest,
                          buffers + length, *key->fixed ? " " : "", key->fixed, key->device);
    for (char *c = text; c && *c; c++)
        *c = *c == '\n' ? ' ' : *c;
    return text;
}

static kiln_status_t check_problem(sizes_t *sizes, const kiln_tune_record_t *record,
                                   const char *size)
{
    char *problem = describe(record, size);
    if (!problem)
        return kiln_status_out_of_memory();
    if (!sizes->problem) {
        sizes->problem = problem;
        return KILN_OK;
    }
    kiln_status_t status =
        strcmp(problem, sizes->problem) == 0
            ? KILN_OK
            : kiln_status_make(KILN_STATUS_USAGE,
                               "results differ in more than %s: '%s' and '%s'; name a kernel after "
                               "FILE, or export from a store with fewer results",
                               sizes->by, sizes->problem, problem);
    free(problem);
    return status;
}

static int rank_of(const kiln_tune_record_t *record)
{
    const int kind = record->kind == KILN_COST_MEASURED_NANOSECONDS    ? 2
                     : record->kind == KILN_COST_PREDICTED_NANOSECONDS ? 1
                                                                       : 0;
    return 3 * (record->trust == KILN_TUNE_VERIFIED) + kind;
}

static kiln_status_t config_json(const sizes_t *sizes, const kiln_tune_record_t *record,
                                 json_t **out_json)
{
    kiln_setting_list_t settings = {0};
    json_t *json = *out_json = json_object();
    kiln_status_t status = json ? KILN_OK : kiln_status_out_of_memory();
    if (!status && sizes->with_fixed)
        status = kiln_settings_put_text(&settings, record->key.fixed);
    if (!status)
        status = kiln_settings_put_text(&settings, record->config);
    for (size_t i = 0; i < settings.count && !status; i++) {
        int64_t value;
        json_t *item = kiln_integer_parse_all(settings.items[i].value, 10, &value)
                           ? json_integer(value)
                           : kiln_json_text(settings.items[i].value);
        if (json_object_set_new(json, settings.items[i].name, item) != 0)
            status = kiln_status_out_of_memory();
    }
    kiln_settings_free(&settings);
    if (status) {
        json_decref(json);
        *out_json = NULL;
    }
    return status;
}

// Two results of one size have buffers of the same sizes.
static kiln_status_t check_buffers(sizes_t *sizes, const char *size,
                                   const kiln_tune_record_t *record)
{
    size_t length;
    const char *text = find_buffers(record->key.arguments, &length);
    char *buffers = strndup(text, length);
    if (!buffers)
        return kiln_status_out_of_memory();
    const char *earlier = json_string_value(json_object_get(sizes->buffers, size));
    kiln_status_t status = KILN_OK;
    if (earlier && strcmp(earlier, buffers) != 0)
        status = kiln_status_make(KILN_STATUS_USAGE,
                                  "two results with %s=%s differ in '%s' and '%s'; export from a "
                                  "store with fewer results",
                                  sizes->by, size, earlier, buffers);
    else if (json_object_set_new(sizes->buffers, size, kiln_json_text(buffers)) != 0)
        status = kiln_status_out_of_memory();
    free(buffers);
    return status;
}

static kiln_status_t put_row(sizes_t *sizes, const char *size, const kiln_tune_record_t *record)
{
    json_t *config;
    const int rank = rank_of(record);
    KILN_TRY(check_buffers(sizes, size, record));
    const json_t *earlier = json_object_get(sizes->ranks, size);
    if (earlier && json_integer_value(earlier) >= rank)
        return KILN_OK;
    KILN_TRY(config_json(sizes, record, &config));
    const int failed = json_object_set_new(sizes->rows, size, config);
    return failed || json_object_set_new(sizes->ranks, size, json_integer(rank))
               ? kiln_status_out_of_memory()
               : KILN_OK;
}

static kiln_status_t take_row(const kiln_tune_record_t *record, void *user)
{
    sizes_t *sizes = user;
    const char *size = kiln_tune_find_argument(record->key.arguments, sizes->by);
    int64_t value;
    if (strcmp(record->code, kiln_code_id()) != 0 || !size ||
        (sizes->kernel && strcmp(record->key.kernel, sizes->kernel) != 0))
        return KILN_OK;
    KILN_TRY(check_problem(sizes, record, size));
    const char *text = size + strlen(sizes->by) + 1;
    char *number = strndup(text, strcspn(text, ", "));
    if (!number)
        return kiln_status_out_of_memory();
    kiln_status_t status =
        kiln_integer_parse_all(number, 10, &value)
            ? put_row(sizes, number, record)
            : kiln_status_make(KILN_STATUS_USAGE, "%s=%s is not an integer", sizes->by, number);
    free(number);
    return status;
}

static kiln_status_t collect(kiln_tune_store_t *store, sizes_t sizes, json_t **out_table)
{
    const char *kernel = sizes.kernel, *by = sizes.by;
    sizes.rows = json_object();
    sizes.ranks = json_object();
    sizes.buffers = json_object();
    kiln_status_t status =
        sizes.rows && sizes.ranks && sizes.buffers ? KILN_OK : kiln_status_out_of_memory();
    if (!status && store)
        status = kiln_tune_store_visit(store, KILN_TUNE_BEST, take_row, &sizes);
    if (!status && json_object_size(sizes.rows) == 0)
        status = kiln_status_make(KILN_STATUS_NOT_FOUND,
                                  "the store has no result of this version of Kiln%s%s with an "
                                  "argument %s",
                                  kernel ? " for " : "", kernel ? kernel : "", by);
    json_decref(sizes.ranks);
    json_decref(sizes.buffers);
    free(sizes.problem);
    if (status)
        json_decref(sizes.rows);
    *out_table = status ? NULL : sizes.rows;
    return status;
}

kiln_status_t kiln_tune_sizes_json(kiln_tune_store_t *store, const char *kernel, const char *by,
                                   json_t **out_table)
{
    return collect(store, (sizes_t){.kernel = kernel, .by = by}, out_table);
}

// vLLM's tables -----------------------------------------------------------------------------------

// vLLM's name of a setting, from malloc: BLOCK_SIZE_M of BLOCK_M, GROUP_SIZE_M of GROUP_M.
static char *vllm_name(const char *name)
{
    static const char *const prefixes[] = {"BLOCK_", "GROUP_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        const size_t length = strlen(prefixes[i]);
        if (strncmp(name, prefixes[i], length) == 0 && strlen(name) == length + 1)
            return kiln_string_print("%sSIZE_%s", prefixes[i], name + length);
    }
    return strdup(name);
}

static kiln_status_t vllm_row(const json_t *row, json_t **out_row)
{
    static const char *const needed[] = {"BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K"};
    const char *name;
    json_t *value, *own = json_pack("{s:i}", "GROUP_SIZE_M", 1); // programs in the order of rows
    kiln_status_t status = own ? KILN_OK : kiln_status_out_of_memory();
    json_object_foreach((json_t *)(uintptr_t)row, name, value)
    {
        if (strcmp(name, "num_warps") == 0 && json_integer_value(value) == 0)
            continue; // Kiln chooses
        char *theirs = vllm_name(name);
        if (!status && (!theirs || json_object_set(own, theirs, value) != 0))
            status = kiln_status_out_of_memory();
        free(theirs);
    }
    for (size_t i = 0; i < sizeof needed / sizeof *needed && !status; i++)
        if (!json_object_get(own, needed[i]))
            status = kiln_status_make(KILN_STATUS_USAGE,
                                      "vLLM's tables need %s, which the results do not have; tune "
                                      "with --axis or -D BLOCK_%s",
                                      needed[i], needed[i] + strlen("BLOCK_SIZE_"));
    if (status)
        json_decref(own);
    *out_row = status ? NULL : own;
    return status;
}

// Adds a row under the number of tokens: the size divided by `each`.
static kiln_status_t add_vllm_row(json_t *table, const char *size, const json_t *row,
                                  const char *by, int64_t each)
{
    int64_t value;
    json_t *own = NULL;
    if (!kiln_integer_parse_all(size, 10, &value) || value % each != 0)
        return kiln_status_make(KILN_STATUS_USAGE, "%s=%s is not a multiple of %lld", by, size,
                                (long long)each);
    char *key = kiln_string_print("%lld", (long long)(value / each));
    kiln_status_t status = key ? vllm_row(row, &own) : kiln_status_out_of_memory();
    if (!status && json_object_set_new(table, key, own) != 0)
        status = kiln_status_out_of_memory();
    free(key);
    return status;
}

kiln_status_t kiln_tune_vllm_json(kiln_tune_store_t *store, const char *kernel, const char *by,
                                  json_t **out_table)
{
    const char *slash = strchr(by, '/'), *size;
    json_t *rows = NULL, *row, *table = json_object();
    int64_t each = 1;
    *out_table = NULL;
    if (slash && (!kiln_integer_parse_all(slash + 1, 10, &each) || each < 1)) {
        json_decref(table);
        return kiln_status_make(KILN_STATUS_USAGE, "expected --by=NAME or NAME/N, got '%s'", by);
    }
    char *name = strndup(by, slash ? (size_t)(slash - by) : strlen(by));
    kiln_status_t status =
        name && table
            ? collect(store, (sizes_t){.kernel = kernel, .by = name, .with_fixed = true}, &rows)
            : kiln_status_out_of_memory();
    if (!status) {
        json_object_foreach(rows, size, row)
        {
            if (!status)
                status = add_vllm_row(table, size, row, name, each);
        }
        json_decref(rows);
    }
    free(name);
    if (status)
        json_decref(table);
    *out_table = status ? NULL : table;
    return status;
}
