// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Feeds arbitrary bytes, as a file or as rows, to what reads tuning stores. They must be rejected
// with a reason or accepted, without a crash, a hang or a leak, and what a merge has read must be
// what it wrote.
//
// An input that begins as SQLite's files do is a database. All others are rows of text, which are
// inserted as they are, past the checks of kiln_tune_store_add: a line with a column's value for
// each field, fields separated by tabs. '=' stands for the value that the lookups here ask for.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/file.h"
#include "kiln/tune.h"
#include "kiln/tune_space.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

static const char MAGIC[] = "SQLite format 3";
static const kiln_tune_key_t key = {"k", "p", "d", "M=16,N=32", ""};

static char directory[] = "/dev/shm/kiln-store-fuzz-XXXXXX", path[64], other_path[64];
static char *database; // a valid one
static size_t database_size;

// The compiler and the rest of the autotuner are not linked: lookups need them only for the
// conditions that a source declares, if their request has a call.

const char *kiln_code_id(void)
{
    return "fuzzed";
}

void kiln_compile_options_initialize_sized(kiln_compile_options_t *options, size_t size)
{
    (void)options;
    (void)size;
    abort();
}

kiln_status_t kiln_tune_space_create(kiln_tune_space_t **out_space)
{
    (void)out_space;
    abort();
}

void kiln_tune_space_release(kiln_tune_space_t *space)
{
    if (space)
        abort();
}

kiln_status_t kiln_tune_space_declare(kiln_tune_space_t *space, const kiln_source_t *source,
                                      const kiln_compile_options_t *options,
                                      const kiln_setting_t *fixed, size_t fixed_count,
                                      kiln_diagnostic_handler_t handler, void *user,
                                      size_t *out_count)
{
    (void)space, (void)source, (void)options, (void)fixed, (void)fixed_count, (void)handler;
    (void)user, (void)out_count;
    abort();
}

void kiln_tune_space_bind(kiln_tune_space_t *space, const kiln_arguments_t *arguments,
                          const kiln_setting_t *fixed, size_t fixed_count)
{
    (void)space, (void)arguments, (void)fixed, (void)fixed_count;
    abort();
}

kiln_status_t kiln_tune_space_admits(const kiln_tune_candidate_t *candidate, bool *out_admits,
                                     void *user)
{
    (void)candidate, (void)out_admits, (void)user;
    abort();
}

static void must(kiln_status_t status)
{
    if (!status)
        return;
    fprintf(stderr, "%s\n", kiln_status_message(status));
    abort();
}

// Frees a status and returns whether it is KILN_OK. A failure must have a message.
static bool taken(kiln_status_t status)
{
    if (status && !*kiln_status_message(status))
        abort();
    kiln_status_free(status);
    return !status;
}

static void remove_files(void)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char name[80];
        snprintf(name, sizeof name, "%s%s", path, suffixes[i]);
        unlink(name);
        snprintf(name, sizeof name, "%s%s", other_path, suffixes[i]);
        unlink(name);
    }
}

static void clean_up(void)
{
    remove_files();
    rmdir(directory);
}

// Rows ---------------------------------------------------------------------------------------------

static const char *const tables[] = {"tuned", "samples"};
static const char *const wanted[] = {"k", "p", "d", "M=16,N=32", ""};
enum { CODE = 5 };

// Inserts a line's fields into the table of its first character.
static void insert(sqlite3 *db, const char *line)
{
    const char *table = tables[*line == 's'];
    sqlite3_stmt *columns = NULL, *insertion = NULL;
    char sql[2048], values[256] = "";
    int count = 0;
    snprintf(sql, sizeof sql, "SELECT * FROM %s", table);
    if (sqlite3_prepare_v2(db, sql, -1, &columns, NULL) != SQLITE_OK)
        abort();
    count = sqlite3_column_count(columns);
    sqlite3_finalize(columns);
    for (int i = 0; i < count; i++)
        strcat(values, i ? ",?" : "?");
    snprintf(sql, sizeof sql, "INSERT OR REPLACE INTO %s VALUES (%s)", table, values);
    if (sqlite3_prepare_v2(db, sql, -1, &insertion, NULL) != SQLITE_OK)
        abort();
    for (int i = 0; i < count; i++) {
        const char *field = *line ? line + 1 : line;
        const size_t length = strcspn(field, "\t");
        const bool is_wanted = length == 1 && *field == '=' && i <= CODE;
        const char *value = !is_wanted ? field : i == CODE ? kiln_code_id() : wanted[i];
        sqlite3_bind_text(insertion, i + 1, value, is_wanted ? -1 : (int)length, SQLITE_TRANSIENT);
        line = field + length;
    }
    sqlite3_step(insertion);
    sqlite3_finalize(insertion);
}

static void write_rows(const uint8_t *data, size_t size)
{
    kiln_tune_store_t *store;
    sqlite3 *db;
    must(kiln_tune_store_open(path, &store));
    kiln_tune_store_release(store);
    char *text = malloc(size + 1);
    if (!text || sqlite3_open(path, &db) != SQLITE_OK)
        abort();
    memcpy(text, data, size);
    text[size] = 0;
    sqlite3_exec(db, "PRAGMA synchronous=OFF; BEGIN", NULL, NULL, NULL);
    for (char *line = text; *line;) {
        char *end = line + strcspn(line, "\n");
        const bool is_last = !*end;
        *end = 0;
        insert(db, line);
        line = is_last ? end : end + 1;
    }
    sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    sqlite3_close(db);
    free(text);
}

// Readers ------------------------------------------------------------------------------------------

static kiln_status_t count_row(const kiln_tune_record_t *record, void *user)
{
    const char *const texts[] = {record->key.kernel,    record->key.problem, record->key.device,
                                 record->key.arguments, record->code,        record->config};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strlen(texts[i]) > 1u << 30)
            abort();
    ++*(size_t *)user;
    return KILN_OK;
}

static bool count_rows(kiln_tune_store_t *store, size_t *out_count)
{
    *out_count = 0;
    return taken(kiln_tune_store_visit(store, KILN_TUNE_BEST, count_row, out_count)) &&
           taken(kiln_tune_store_visit(store, KILN_TUNE_SAMPLES, count_row, out_count));
}

static void look_up(kiln_tune_store_t *store)
{
    kiln_cost_kind_t kind;
    double cost;
    char *config = NULL;
    if (taken(kiln_tune_store_get(store, &key, &config, &kind, &cost)))
        free(config);
    static const kiln_setting_t setting = {"num_warps", "4"};
    for (int use = KILN_TUNE_USE_EXACT; use <= KILN_TUNE_USE_NEAR; use++) {
        for (size_t settings = 0; settings < 2; settings++) {
            const kiln_jit_tune_request_t request = {.struct_size = sizeof request,
                                                     .kernel = key.kernel,
                                                     .problem = key.problem,
                                                     .device = key.device,
                                                     .arguments = key.arguments,
                                                     .settings = &setting,
                                                     .setting_count = settings};
            kiln_tune_match_t match = {.struct_size = sizeof match};
            if (!taken(kiln_tune_find(&request, store, (kiln_tune_use_t)use, &match)))
                continue;
            free(match.config);
            free(match.arguments);
        }
    }
}

// Reads without writing, then merges into a new store, adds a result and prunes.
static void use_store(void)
{
    kiln_tune_store_t *store = NULL, *other;
    if (taken(kiln_tune_store_open_existing(path, &store)) && store) {
        size_t count, merged, there;
        const bool is_whole = count_rows(store, &count);
        look_up(store);
        must(kiln_tune_store_open(other_path, &other));
        if (taken(kiln_tune_store_merge(other, store, &merged)) && is_whole && merged != count)
            abort();
        if (!count_rows(other, &there) || there > count + merged)
            abort();
        kiln_tune_store_release(other);
    }
    kiln_tune_store_release(store);
    store = NULL;
    if (taken(kiln_tune_store_open(path, &store))) {
        taken(kiln_tune_store_put(store, &key, "num_warps=8", KILN_COST_PREDICTED_NANOSECONDS, 1,
                                  KILN_TUNE_VERIFIED));
        taken(kiln_tune_store_reject(store, &key, "num_warps=8"));
        taken(kiln_tune_store_prune(store, 0, NULL));
        look_up(store);
        kiln_tune_store_release(store);
    }
}

// -------------------------------------------------------------------------------------------------

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    if (!mkdtemp(directory))
        abort();
    snprintf(path, sizeof path, "%s/a.db", directory);
    snprintf(other_path, sizeof other_path, "%s/b.db", directory);
    atexit(clean_up);
    static const char rows[] = "t=\t=\t=\t=\t=\t=\t2\t1\tnum_warps=4\t5.5\n"
                               "t=\t=\t=\tM=32,N=32\tnum_stages=2\n\t=\t1\t0\tnum_warps=8\t7\n"
                               "s=\t=\t=\t=\t=\t=\tc\tnum_warps=4\t0\t2\t5.5\t1\t0\tr\tLDS\t3\n";
    sqlite3 *db;
    if (sqlite3_open(path, &db) != SQLITE_OK ||
        sqlite3_exec(db, "PRAGMA page_size=512; PRAGMA user_version=1", NULL, NULL, NULL))
        abort();
    sqlite3_close(db);
    write_rows((const uint8_t *)rows, sizeof rows - 1);
    must(kiln_file_read(path, &database, &database_size));
    remove_files();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size >= sizeof MAGIC - 1 && memcmp(data, MAGIC, sizeof MAGIC - 1) == 0) {
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(data, 1, size, file) != size || fclose(file))
            abort();
    } else {
        write_rows(data, size);
    }
    use_store();
    remove_files();
    return 0;
}

// One input of sixteen begins anew with the valid database. The header's first bytes stay, or
// SQLite would read no further.
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    enum { HEADER = 24 };
    if (seed % 16 == 0 && database_size <= room) {
        memcpy(data, database, database_size);
        size = database_size;
    }
    if (size > HEADER && memcmp(data, MAGIC, sizeof MAGIC - 1) == 0)
        return HEADER + LLVMFuzzerMutate(data + HEADER, size - HEADER, room - HEADER);
    return LLVMFuzzerMutate(data, size, room);
}
