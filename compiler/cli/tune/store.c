// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verbs `kiln tune list`, `show`, `export`, `import`, `merge` and `prune`.
#include "store.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/json.h"
#include "base/string.h"
#include "cli/device_flags.h"
#include "cli/json_text.h"
#include "cli/pages.h"
#include "csv.h"
#include "formats.h"
#include "json.h"
#include "kiln/kiln.h"
#include "sizes.h"

enum { SECONDS_OF_A_DAY = 86400 };

typedef struct store_flags {
    const char *store;
    char **words; // after the verb
    int word_count;
    const char *by;     // NULL: not given
    const char *format; // NULL: by the file's name
    long older_than;    // days; 0: not given
    bool json;
} store_flags_t;

kiln_status_t kiln_tune_store_path(const char *given, char **out_path)
{
    *out_path = NULL;
    if (given && kiln_flag_given("--cache-dir"))
        return kiln_status_make(
            KILN_STATUS_USAGE, "--cache-dir has no effect here: --store names the file of results");
    *out_path = given ? strdup(given) : kiln_tuned_path();
    return given && !*out_path ? kiln_status_out_of_memory() : KILN_OK;
}

static kiln_status_t open_store(const store_flags_t *flags, bool writes,
                                kiln_tune_store_t **out_store)
{
    char *path;
    *out_store = NULL;
    KILN_TRY(kiln_tune_store_path(flags->store, &path));
    kiln_status_t status = KILN_OK;
    if (path)
        status = writes ? kiln_tune_store_open(path, out_store)
                        : kiln_tune_store_open_existing(path, out_store);
    if (!status && writes && !path)
        status = kiln_status_make(KILN_STATUS_USAGE, "there is no cache directory; give --store");
    if (!status && !writes && !*out_store && flags->store)
        status = kiln_status_make(KILN_STATUS_NOT_FOUND, "there is no store '%s'", flags->store);
    free(path);
    return status;
}

// Visits the rows of a store, which need not exist.
static kiln_status_t visit(kiln_tune_store_t *store, kiln_tune_table_t table,
                           kiln_status_t (*row)(const kiln_tune_record_t *, void *), void *user)
{
    return store ? kiln_tune_store_visit(store, table, row, user) : KILN_OK;
}

static bool is_current(const kiln_tune_record_t *record)
{
    return strcmp(record->code, kiln_code_id()) == 0;
}

// "MODE=1\nnum_warps=4\n" in one line.
static void print_fixed(const char *fixed)
{
    for (const char *at = fixed; *at; at++)
        if (*at != '\n')
            fputc(*at, stdout);
        else if (at[1])
            fputc(' ', stdout);
}

// Rows as JSON ------------------------------------------------------------------------------------

typedef struct rows {
    json_t *array;
    kiln_tune_table_t table;
    const char *kernel; // NULL: all
} rows_t;

static bool is_of_kernel(const kiln_tune_record_t *record, const char *kernel)
{
    return !kernel || strcmp(record->key.kernel, kernel) == 0 ||
           (record->symbol && strcmp(record->symbol, kernel) == 0);
}

static kiln_status_t append(const kiln_tune_record_t *record, void *user)
{
    const rows_t *rows = user;
    if (!is_of_kernel(record, rows->kernel))
        return KILN_OK;
    return json_array_append_new(rows->array, kiln_tune_record_json(record, rows->table))
               ? kiln_status_out_of_memory()
               : KILN_OK;
}

static kiln_status_t collect(kiln_tune_store_t *store, kiln_tune_table_t table, const char *kernel,
                             json_t **out_array)
{
    const rows_t rows = {.array = *out_array = json_array(), .table = table, .kernel = kernel};
    return rows.array ? visit(store, table, append, (void *)(uintptr_t)&rows)
                      : kiln_status_out_of_memory();
}

static kiln_status_t print_rows(kiln_tune_store_t *store, kiln_tune_table_t table,
                                const char *kernel)
{
    json_t *array;
    kiln_status_t status = collect(store, table, kernel, &array);
    if (!status)
        kiln_cli_print_json(array);
    json_decref(array);
    return status;
}

// list and show -----------------------------------------------------------------------------------

static kiln_status_t print_best(const kiln_tune_record_t *record, void *user)
{
    size_t *count = user;
    ++*count;
    printf("%s %s", record->key.kernel, record->key.arguments);
    if (record->key.fixed && *record->key.fixed) {
        printf(" with ");
        print_fixed(record->key.fixed);
    }
    printf("\n  %s\n  %.0f %s, %s, %s%s\n", record->config, record->cost,
           kiln_cost_kind_name(record->kind),
           record->trust == KILN_TUNE_VERIFIED ? "verified" : "unverified", record->key.device,
           is_current(record) ? "" : ", of another version of Kiln: not used");
    return KILN_OK;
}

static kiln_status_t list(const store_flags_t *flags)
{
    kiln_tune_store_t *store;
    size_t count = 0;
    KILN_TRY(open_store(flags, false, &store));
    kiln_status_t status = flags->json ? print_rows(store, KILN_TUNE_BEST, NULL)
                                       : visit(store, KILN_TUNE_BEST, print_best, &count);
    if (!status && !flags->json)
        printf("%zu results\n", count);
    kiln_tune_store_release(store);
    return status;
}

typedef struct showing {
    const char *kernel; // NULL: all
    char *problem;      // of the last row
    size_t count;
} showing_t;

static kiln_status_t print_sample(const kiln_tune_record_t *record, void *user)
{
    showing_t *showing = user;
    if (!is_of_kernel(record, showing->kernel))
        return KILN_OK;
    char *problem =
        kiln_string_print("%s %s %s%s%s", *record->symbol ? record->symbol : record->key.kernel,
                          record->key.arguments, record->key.fixed, record->key.device,
                          is_current(record) ? "" : " (of another version of Kiln)");
    if (!problem)
        return kiln_status_out_of_memory();
    if (!showing->problem || strcmp(problem, showing->problem) != 0)
        printf("%s\n", problem);
    free(showing->problem);
    showing->problem = problem;
    showing->count++;
    if (record->verdict == KILN_TUNE_OK)
        printf("%16.0f %-16s %8s %9s  %s\n", record->cost, kiln_cost_kind_name(record->kind),
               record->bound, isnan(record->error) ? "unverified" : "ok", record->config);
    else
        printf("%16s %-16s %8s %9s  %s: %s\n", "-", "", "", kiln_tune_verdict_name(record->verdict),
               record->config, record->reason);
    return KILN_OK;
}

static kiln_status_t show(const store_flags_t *flags)
{
    kiln_tune_store_t *store;
    showing_t showing = {.kernel = flags->word_count ? flags->words[0] : NULL};
    KILN_TRY(open_store(flags, false, &store));
    kiln_status_t status = flags->json ? print_rows(store, KILN_TUNE_SAMPLES, showing.kernel)
                                       : visit(store, KILN_TUNE_SAMPLES, print_sample, &showing);
    if (!status && !flags->json)
        printf("%zu samples\n", showing.count);
    kiln_tune_store_release(store);
    free(showing.problem);
    return status;
}

// export and import -------------------------------------------------------------------------------

static kiln_status_t write_text(const json_t *root, FILE *stream)
{
    char *text = kiln_json_print(root);
    kiln_status_t status = text ? KILN_OK : kiln_status_out_of_memory();
    if (!status && fputs(text, stream) == EOF)
        status = kiln_status_make(KILN_STATUS_IO, "cannot write: %s", strerror(errno));
    free(text);
    return status;
}

static kiln_status_t write_json(kiln_tune_store_t *store, FILE *stream)
{
    json_t *best = NULL, *samples = NULL, *root = NULL;
    kiln_status_t status = collect(store, KILN_TUNE_BEST, NULL, &best);
    if (!status)
        status = collect(store, KILN_TUNE_SAMPLES, NULL, &samples);
    if (!status && !(root = json_pack("{s:s, s:O, s:O}", "format", "kiln-tune-1", "best", best,
                                      "samples", samples)))
        status = kiln_status_out_of_memory();
    if (!status)
        status = write_text(root, stream);
    json_decref(root);
    json_decref(best);
    json_decref(samples);
    return status;
}

static kiln_status_t write_csv_best(const kiln_tune_record_t *record, void *stream)
{
    return kiln_tune_csv_write_row(stream, record, KILN_TUNE_BEST);
}

static kiln_status_t write_csv_sample(const kiln_tune_record_t *record, void *stream)
{
    return kiln_tune_csv_write_row(stream, record, KILN_TUNE_SAMPLES);
}

static kiln_status_t write_csv(kiln_tune_store_t *store, FILE *stream)
{
    kiln_tune_csv_write_names(stream);
    KILN_TRY(visit(store, KILN_TUNE_BEST, write_csv_best, stream));
    return visit(store, KILN_TUNE_SAMPLES, write_csv_sample, stream);
}

// What is exported, made before a file is overwritten: JSON, or text, or neither for all rows.
typedef struct exported {
    json_t *json;
    char *text;
} exported_t;

static kiln_status_t make_exported(const store_flags_t *flags, kiln_tune_store_t *store,
                                   exported_t *out)
{
    const kiln_tune_selection_t selection = {flags->words + 1, (size_t)flags->word_count - 1};
    if (flags->by)
        return (flags->format ? kiln_tune_vllm_json : kiln_tune_sizes_json)(
            store, flags->word_count > 1 ? flags->words[1] : NULL, flags->by, &out->json);
    if (!flags->format)
        return KILN_OK;
    KILN_TRY(kiln_tune_selection_check(&selection));
    return strcmp(flags->format, "triton") == 0
               ? kiln_tune_triton_json(store, &selection, &out->json)
               : kiln_tune_aiter_csv(store, &selection, &out->text);
}

static kiln_status_t export_to(kiln_tune_store_t *store, const char *path,
                               const exported_t *exported, FILE *stream)
{
    if (exported->json)
        return write_text(exported->json, stream);
    if (exported->text)
        return fputs(exported->text, stream) == EOF
                   ? kiln_status_make(KILN_STATUS_IO, "cannot write: %s", strerror(errno))
                   : KILN_OK;
    return kiln_string_ends_with(path, ".csv") ? write_csv(store, stream)
                                               : write_json(store, stream);
}

static kiln_status_t check_export(const store_flags_t *flags)
{
    const bool is_vllm = flags->format && strcmp(flags->format, "vllm") == 0;
    if (is_vllm && !flags->by)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--format=vllm needs --by=NAME, the argument with the number of "
                                "tokens, or --by=NAME/N");
    if (flags->by && flags->format && !is_vllm)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--by and --format name two kinds of table; remove one");
    if (flags->word_count > 1 && !flags->by && !flags->format)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "'%s' has no effect here: a kernel is named with --by or --format",
                                flags->words[1]);
    if (flags->word_count > 2 && flags->by)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "'%s' has no effect here: --by takes a kernel's name only",
                                flags->words[2]);
    return KILN_OK;
}

static kiln_status_t export_all(const store_flags_t *flags)
{
    kiln_tune_store_t *store;
    const char *path = flags->words[0];
    exported_t exported = {0};
    KILN_TRY(check_export(flags));
    KILN_TRY(open_store(flags, false, &store));
    kiln_status_t status = make_exported(flags, store, &exported);
    if (status) {
        kiln_tune_store_release(store);
        return status;
    }
    FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    status = file
                 ? export_to(store, path, &exported, file)
                 : kiln_status_make(KILN_STATUS_IO, "cannot write '%s': %s", path, strerror(errno));
    if (file && file != stdout && fclose(file) && !status)
        status = kiln_status_make(KILN_STATUS_IO, "cannot write '%s': %s", path, strerror(errno));
    json_decref(exported.json);
    free(exported.text);
    kiln_tune_store_release(store);
    return status;
}

typedef struct importing {
    kiln_tune_store_t *store;
    size_t count;
} importing_t;

static kiln_status_t add_row(kiln_tune_table_t table, const json_t *row, void *user)
{
    importing_t *importing = user;
    kiln_tune_record_t record;
    KILN_TRY(kiln_tune_record_read(row, table, &record));
    KILN_TRY(kiln_tune_store_add(importing->store, table, &record));
    importing->count++;
    return KILN_OK;
}

static kiln_status_t add_rows(importing_t *importing, const json_t *root, const char *member,
                              kiln_tune_table_t table)
{
    json_t *array;
    KILN_TRY(kiln_json_array(root, member, &array));
    for (size_t i = 0; i < json_array_size(array); i++)
        KILN_TRY_NOTE(add_row(table, json_array_get(array, i), importing), "in element %zu of '%s'",
                      i, member);
    return KILN_OK;
}

static kiln_status_t add_json(importing_t *importing, const char *path, const char *text,
                              size_t length)
{
    const char *format;
    json_t *root = NULL;
    kiln_status_t status = kiln_json_parse(path, text, length, &root);
    if (!status)
        status = kiln_status_annotate(kiln_json_string(root, "format", &format),
                                      "kiln tune export writes it without --by and --format; "
                                      "--configs reads tables of configurations");
    if (!status && strcmp(format, "kiln-tune-1") != 0)
        status =
            kiln_status_make(KILN_STATUS_UNSUPPORTED, "'%s' has the format '%s'", path, format);
    if (!status)
        status = add_rows(importing, root, "best", KILN_TUNE_BEST);
    if (!status)
        status = add_rows(importing, root, "samples", KILN_TUNE_SAMPLES);
    json_decref(root);
    return status;
}

static kiln_status_t add_csv(importing_t *importing, const char *text, size_t length)
{
    return strlen(text) == length
               ? kiln_tune_csv_read(text, add_row, importing)
               : kiln_status_make(KILN_STATUS_INVALID_INPUT, "byte %zu is NUL: not a text file",
                                  strlen(text));
}

static kiln_status_t import_from(importing_t *importing, const char *path)
{
    char *text;
    size_t length;
    KILN_TRY(kiln_file_read(path, &text, &length));
    kiln_status_t status = kiln_string_ends_with(path, ".csv")
                               ? add_csv(importing, text, length)
                               : add_json(importing, path, text, length);
    free(text);
    return kiln_status_annotate(status, "while importing '%s'", path);
}

static kiln_status_t import_all(const store_flags_t *flags)
{
    importing_t importing = {0};
    KILN_TRY(open_store(flags, true, &importing.store));
    kiln_status_t status = import_from(&importing, flags->words[0]);
    if (!status)
        printf("%zu rows imported\n", importing.count);
    kiln_tune_store_release(importing.store);
    return status;
}

// merge and prune ---------------------------------------------------------------------------------

static kiln_status_t merge_one(kiln_tune_store_t *store, const char *path)
{
    kiln_tune_store_t *other;
    size_t count;
    KILN_TRY(kiln_tune_store_open_existing(path, &other));
    kiln_status_t status =
        other ? kiln_tune_store_merge(store, other, &count)
              : kiln_status_make(KILN_STATUS_NOT_FOUND, "there is no store '%s'", path);
    if (!status)
        printf("%zu rows of %s\n", count, path);
    kiln_tune_store_release(other);
    return kiln_status_annotate(status, "while merging '%s'", path);
}

static kiln_status_t merge(const store_flags_t *flags)
{
    kiln_tune_store_t *store;
    KILN_TRY(open_store(flags, true, &store));
    kiln_status_t status = KILN_OK;
    for (int i = 0; i < flags->word_count && !status; i++)
        status = merge_one(store, flags->words[i]);
    kiln_tune_store_release(store);
    return status;
}

static kiln_status_t prune(const store_flags_t *flags)
{
    kiln_tune_store_t *store;
    size_t count;
    const int64_t before =
        flags->older_than ? (int64_t)time(NULL) - SECONDS_OF_A_DAY * (int64_t)flags->older_than : 0;
    KILN_TRY(open_store(flags, true, &store));
    kiln_status_t status = kiln_tune_store_prune(store, before, &count);
    if (!status)
        printf("%zu rows deleted\n", count);
    kiln_tune_store_release(store);
    return status;
}

// Words -------------------------------------------------------------------------------------------

static const struct {
    const char *name;
    kiln_status_t (*run)(const store_flags_t *flags);
    int min, max; // words after it
} VERBS[] = {
    {"list", list, 0, 0},         {"show", show, 0, 1},      {"export", export_all, 1, 1000},
    {"import", import_all, 1, 1}, {"merge", merge, 1, 1000}, {"prune", prune, 0, 0}};
enum { VERB_COUNT = sizeof VERBS / sizeof *VERBS };

static int find_verb(const char *word)
{
    for (int i = 0; i < VERB_COUNT; i++)
        if (strcmp(VERBS[i].name, word) == 0)
            return i;
    return -1;
}

bool kiln_tune_store_verb_is(int argc, char **argv)
{
    return argc > 1 && find_verb(argv[1]) >= 0;
}

static bool take_flag(store_flags_t *flags, int flag, char *value)
{
    switch (flag) {
    case KILN_FLAG_tune_STORE:
        flags->store = value;
        return true;
    case KILN_FLAG_tune_JSON:
        return flags->json = true;
    case KILN_FLAG_tune_BY:
        flags->by = value;
        return true;
    case KILN_FLAG_tune_FORMAT:
        flags->format = value;
        return strcmp(value, "triton") == 0 || strcmp(value, "aiter") == 0 ||
               strcmp(value, "vllm") == 0;
    case KILN_FLAG_tune_OLDER_THAN:
        return kiln_flag_count(value, &flags->older_than);
    default:
        return kiln_flag_take(flag, value);
    }
}

// Rejects flags without effect.
static kiln_status_t check_flags(const store_flags_t *flags, const char *verb)
{
    const bool prints = strcmp(verb, "list") == 0 || strcmp(verb, "show") == 0;
    const char *idle = flags->json && !prints                            ? "--json"
                       : flags->older_than && strcmp(verb, "prune") != 0 ? "--older-than"
                       : flags->by && strcmp(verb, "export") != 0        ? "--by"
                       : flags->format && strcmp(verb, "export") != 0    ? "--format"
                                                                         : NULL;
    return idle
               ? kiln_status_make(KILN_STATUS_USAGE, "%s has no effect on kiln tune %s", idle, verb)
               : KILN_OK;
}

static kiln_status_t check_words(const store_flags_t *flags, int verb)
{
    const char *name = VERBS[verb].name;
    const int max = VERBS[verb].max;
    if (flags->word_count < VERBS[verb].min)
        return kiln_status_make(KILN_STATUS_USAGE, "kiln tune %s needs a file", name);
    return flags->word_count <= max
               ? KILN_OK
               : kiln_status_make(KILN_STATUS_USAGE, "unexpected '%s': kiln tune %s takes %s",
                                  flags->words[max], name, max ? "one word" : "no words");
}

int kiln_tune_store_verb(int argc, char **argv)
{
    kiln_words_t words;
    const int verb = find_verb(argv[0]);
    store_flags_t flags = {0};
    kiln_words_begin(&words, "tune");
    for (int flag; (flag = kiln_words_next(&words, argc, argv)) != -1;) {
        if (flag == KILN_FLAG_HELP)
            return kiln_usage(stdout, "tune");
        if (!take_flag(&flags, flag, optarg))
            return kiln_words_refuse(&words, flag);
    }
    flags.words = argv + optind;
    flags.word_count = argc - optind;
    kiln_status_t status = check_words(&flags, verb);
    if (!status)
        status = check_flags(&flags, VERBS[verb].name);
    return kiln_cli_report(status ? status : VERBS[verb].run(&flags));
}
