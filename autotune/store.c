// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tuning store: an SQLite table of the best configuration per key; samples.c has the table of
// all tried configurations, and lookup.c finds the configuration for a call.
//
// A result is used only by the same code of Kiln (kiln_code_id), because other code may rank
// candidates differently. Rows of other code are kept. The table of old versions, which recorded
// less about a problem, is kept but not read. SQLite in WAL mode provides concurrency between
// processes; within a process a mutex guards the connection.
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/require.h"
#include "base/string.h"
#include "store.h"

enum { BUSY_TIMEOUT_MS = 10000 };

static const char SCHEMA[] =
    "CREATE TABLE IF NOT EXISTS tuned ("
    " kernel TEXT NOT NULL, problem TEXT NOT NULL, device TEXT NOT NULL, arguments TEXT NOT NULL, "
    "fixed TEXT NOT NULL,"
    " code TEXT NOT NULL, kind INTEGER NOT NULL, verified INTEGER NOT NULL, config TEXT NOT NULL, "
    "cost REAL NOT NULL,"
    " PRIMARY KEY (kernel, problem, device, arguments, fixed, code, kind, verified)) WITHOUT ROWID";

static const char HAS_TABLE[] =
    "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'tuned'";

// The marks of a store in the file's header: SQLite's application_id, "Kiln" in ASCII, and
// user_version. A later version of Kiln that adds columns with defaults keeps the format; one that
// changes what rows mean increases it. Files from before the marks have 0 for both.
#define APPLICATION_ID "1265200238"
enum { FORMAT = 1 };
// The version comes first: a file without the application_id is marked again.
static const char MARK[] = "PRAGMA user_version = 1; PRAGMA application_id = " APPLICATION_ID;
_Static_assert(FORMAT == 1, "MARK writes the format");

// Whether it is another program's database, its format, and whether it is unmarked. All tables of
// Kiln have a `kernel`; `best` is that of old versions.
static const char GET_MARKS[] =
    "SELECT application_id NOT IN (0, " APPLICATION_ID
    ") OR EXISTS (SELECT 1 FROM sqlite_master AS t WHERE type = 'table' AND name NOT LIKE "
    "'sqlite_%' AND NOT (name IN ('tuned', 'samples', 'best') AND EXISTS (SELECT 1 FROM "
    "pragma_table_info(t.name) WHERE name = 'kernel'))), user_version, application_id = 0 FROM "
    "pragma_application_id, pragma_user_version";

// Keeps the cheaper of the stored and the offered row. For the same configuration it keeps the
// offered cost; otherwise an outlier would never be corrected. Measurements (kind 1) differ from
// run to run, so another configuration must be 3 % better.
static const char PUT[] =
    "INSERT INTO tuned (kernel, problem, device, arguments, fixed, code, kind, verified, config, "
    "cost) VALUES (?1,?2,?3,?4,?5,?6,?8,?9,?7,?10)"
    " ON CONFLICT DO UPDATE SET config = excluded.config, cost = excluded.cost"
    " WHERE excluded.config = tuned.config OR"
    " excluded.cost < tuned.cost * CASE tuned.kind WHEN 1 THEN 0.97 ELSE 1 END";

#define REJECT                                                                                     \
    "DELETE FROM tuned WHERE kernel = ?1 AND problem = ?2 AND device = ?3 AND arguments = ?4 AND " \
    "fixed = ?5 AND code = ?6 AND config = ?7"

static const char GET[] =
    "SELECT config, kind, cost FROM tuned WHERE (kernel = ?1 OR ?1 = '') AND problem = ?2 AND "
    "device = ?3 AND arguments = ?4 AND fixed = ?5 AND code = ?6" KILN_STORE_IN_ORDER " LIMIT 1";

const char *kiln_cost_kind_name(kiln_cost_kind_t kind)
{
    static const char *const NAMES[] = {[KILN_COST_ESTIMATED_CYCLES] = "estimated cycles",
                                        [KILN_COST_MEASURED_NANOSECONDS] = "measured ns",
                                        [KILN_COST_PREDICTED_NANOSECONDS] = "predicted ns",
                                        [KILN_COST_MODELLED_NANOSECONDS] = "modelled ns"};
    return (size_t)kind < sizeof NAMES / sizeof *NAMES ? NAMES[kind] : NULL;
}

// Opening -----------------------------------------------------------------------------------------

kiln_status_t kiln_store_error(sqlite3 *db, const char *what)
{
    int code = db ? sqlite3_errcode(db) : SQLITE_NOMEM;
    return kiln_status_make(code == SQLITE_NOMEM ? KILN_STATUS_OUT_OF_RESOURCES : KILN_STATUS_IO,
                            "tuning store: %s: %s", what,
                            db ? sqlite3_errmsg(db) : "out of memory");
}

static kiln_status_t make_parent_directory(const char *path)
{
    char *copy = strdup(path);
    if (!copy)
        return kiln_status_out_of_memory();
    kiln_status_t status = kiln_directory_make(dirname(copy), 0700);
    free(copy);
    return status;
}

kiln_status_t kiln_store_create(kiln_tune_store_t **out_store)
{
    if (!*kiln_code_id())
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "this compiler has no build ID, so its results cannot be "
                                "distinguished from another compiler's");
    kiln_tune_store_t *store = calloc(1, sizeof *store);
    if (!store)
        return kiln_status_out_of_memory();
    pthread_mutex_init(&store->mutex, NULL);
    *out_store = store;
    return KILN_OK;
}

// `name` is the path or, with SQLITE_OPEN_URI, a URI of it.
static kiln_status_t open_database(kiln_tune_store_t *store, const char *name, int flags,
                                   const char *path)
{
    if (sqlite3_open_v2(name, &store->db, flags | SQLITE_OPEN_FULLMUTEX, NULL) != SQLITE_OK)
        return kiln_store_error(store->db, path);
    sqlite3_busy_timeout(store->db, BUSY_TIMEOUT_MS);
    return KILN_OK;
}

static void close_database(kiln_tune_store_t *store)
{
    sqlite3_close(store->db);
    store->db = NULL;
}

static kiln_status_t execute(kiln_tune_store_t *store, const char *path, const char *sql)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK
               ? KILN_OK
               : kiln_store_error(store->db, path);
}

// Whether a query that tests something has a row; false if it fails.
static bool has_row(kiln_tune_store_t *store, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    const bool found = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) == SQLITE_OK &&
                       sqlite3_step(statement) == SQLITE_ROW;
    sqlite3_finalize(statement);
    return found;
}

// Another process may have added the column meanwhile.
static kiln_status_t complete_samples(kiln_tune_store_t *store, const char *path)
{
    if (!has_row(store, KILN_STORE_SAMPLES_LACK_CLOCK))
        return KILN_OK;
    kiln_status_t status = execute(store, path, KILN_STORE_SAMPLES_ADD_CLOCK);
    if (!status || has_row(store, KILN_STORE_SAMPLES_LACK_CLOCK))
        return status;
    kiln_status_free(status);
    return KILN_OK;
}

// Rejects a database that Kiln would misread, or write its tables into.
static kiln_status_t check_marks(kiln_tune_store_t *store, const char *path, bool *out_is_unmarked)
{
    sqlite3_stmt *statement = NULL;
    kiln_status_t status = KILN_OK;
    *out_is_unmarked = false;
    if (sqlite3_prepare_v2(store->db, GET_MARKS, -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW) {
        status = kiln_store_error(store->db, path);
    } else if (sqlite3_column_int(statement, 0)) {
        status = kiln_status_make(KILN_STATUS_IO, "'%s' is a database of another program", path);
    } else if (sqlite3_column_int(statement, 1) > FORMAT) {
        status =
            kiln_status_make(KILN_STATUS_IO,
                             "'%s' is a tuning store of a newer version of Kiln: its format is "
                             "%d, and this version knows those up to %d",
                             path, sqlite3_column_int(statement, 1), FORMAT);
    } else {
        *out_is_unmarked = sqlite3_column_int(statement, 2);
    }
    sqlite3_finalize(statement);
    return status;
}

static kiln_status_t open_for_writing(kiln_tune_store_t *store, const char *path)
{
    KILN_TRY(open_database(store, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, path));
    if (sqlite3_db_readonly(store->db, "main")) // SQLite reads what it cannot write
        return kiln_status_make(KILN_STATUS_IO, "tuning store: %s: the file is not writable", path);
    bool is_unmarked;
    KILN_TRY(check_marks(store, path, &is_unmarked));
    KILN_TRY(execute(store, path, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL"));
    KILN_TRY(execute(store, path, SCHEMA));
    KILN_TRY(execute(store, path, KILN_STORE_SAMPLES_SCHEMA));
    if (is_unmarked)
        KILN_TRY(execute(store, path, MARK));
    return complete_samples(store, path);
}

// Looks for the table; returns SQLite's result.
static int find_table(sqlite3 *db)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db, HAS_TABLE, -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    sqlite3_finalize(statement);
    return code;
}

// Whether the write-ahead log is empty or absent, so that the database file is complete.
static bool has_empty_log(const char *path)
{
    char *log = kiln_string_print("%s-wal", path);
    struct stat info;
    const bool is_empty = log && (stat(log, &info) == 0 ? info.st_size == 0 : errno == ENOENT);
    free(log);
    return is_empty;
}

// Opens "file:PATH?immutable=1".
static kiln_status_t open_as_immutable(kiln_tune_store_t *store, const char *path)
{
    kiln_string_t uri = {0};
    kiln_string_append(&uri, path[0] == '/' ? "file://" : "file:");
    for (const char *at = path; *at; at++) {
        if (*at == '%' || *at == '?' || *at == '#')
            kiln_string_appendf(&uri, "%%%02x", (unsigned)*at);
        else
            kiln_string_append_char(&uri, *at);
    }
    kiln_string_append(&uri, "?immutable=1");
    char *name = kiln_string_take(&uri);
    if (!name)
        return kiln_status_out_of_memory();
    close_database(store);
    kiln_status_t status = open_database(store, name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, path);
    free(name);
    return status;
}

// A reader in WAL mode also writes files next to the database. If the directory is not writable,
// the database is opened as immutable, provided that its log is empty. A file of an older version,
// or one that was just created, has no table and therefore no results.
static kiln_status_t open_for_reading(kiln_tune_store_t *store, const char *path)
{
    KILN_TRY(open_database(store, path, SQLITE_OPEN_READONLY, path));
    int found = find_table(store->db);
    bool is_unmarked;
    if ((found == SQLITE_CANTOPEN || found == SQLITE_READONLY) && has_empty_log(path)) {
        KILN_TRY(open_as_immutable(store, path));
        found = find_table(store->db);
    }
    if (found == SQLITE_ROW || found == SQLITE_DONE)
        KILN_TRY(check_marks(store, path, &is_unmarked));
    if (found == SQLITE_DONE)
        close_database(store);
    return found == SQLITE_ROW || found == SQLITE_DONE ? KILN_OK
                                                       : kiln_store_error(store->db, path);
}

// A file that is not a database is an error of the store, not of the user.
static kiln_status_t check_regular(const char *path)
{
    kiln_status_t status = kiln_file_check_regular(path);
    if (!status)
        return KILN_OK;
    kiln_status_t failure = kiln_status_make(KILN_STATUS_IO, "%s", kiln_status_message(status));
    kiln_status_free(status);
    return failure;
}

static kiln_status_t open_by(kiln_status_t (*open)(kiln_tune_store_t *, const char *),
                             const char *path, kiln_tune_store_t **out_store)
{
    kiln_tune_store_t *store = NULL;
    KILN_TRY(kiln_store_create(&store));
    kiln_status_t status = open(store, path);
    if (status)
        kiln_tune_store_release(store);
    else
        *out_store = store;
    return status;
}

kiln_status_t kiln_tune_store_open(const char *path, kiln_tune_store_t **out_store)
{
    KILN_REQUIRE_OUT(out_store);
    KILN_REQUIRE(path);
    if (!*path) // SQLite would make a temporary database
        return kiln_status_make(KILN_STATUS_USAGE, "%s: path is empty", __func__);
    KILN_TRY(make_parent_directory(path));
    return open_by(open_for_writing, path, out_store);
}

kiln_status_t kiln_tune_store_open_existing(const char *path, kiln_tune_store_t **out_store)
{
    KILN_REQUIRE_OUT(out_store);
    KILN_REQUIRE(path);
    bool exists;
    KILN_TRY_NOTE(kiln_file_find(path, &exists), "for tuning results");
    if (exists) // SQLite would wait for the other end of a pipe
        KILN_TRY_NOTE(check_regular(path), "for tuning results");
    return exists ? open_by(open_for_reading, path, out_store) : KILN_OK;
}

void kiln_tune_store_release(kiln_tune_store_t *store)
{
    if (!store)
        return;
    for (size_t i = 0; i < store->further_count; i++)
        kiln_tune_store_release(store->further[i]);
    sqlite3_close(store->db);
    kiln_recent_forget(store);
    pthread_mutex_destroy(&store->mutex);
    free(store->further);
    free(store->path);
    free(store);
}

kiln_status_t kiln_store_end_write(kiln_tune_store_t *store, kiln_status_t status,
                                   sqlite3_stmt *statement)
{
    int has_moved = 0;
    if (!status && sqlite3_step(statement) != SQLITE_DONE)
        status = kiln_store_error(store->db, "write");
    if (!status &&
        sqlite3_file_control(store->db, "main", SQLITE_FCNTL_HAS_MOVED, &has_moved) == SQLITE_OK &&
        has_moved)
        status = kiln_status_make(KILN_STATUS_IO,
                                  "tuning store: '%s' was moved or deleted while it was open",
                                  sqlite3_db_filename(store->db, "main"));
    return status;
}

bool kiln_store_is_writable(const kiln_tune_store_t *store)
{
    return store->db && sqlite3_db_readonly(store->db, "main") == 0;
}

// Statements --------------------------------------------------------------------------------------

kiln_status_t kiln_store_check_key(const char *function, const kiln_tune_key_t *key)
{
    const char *missing = !key->kernel      ? "kernel"
                          : !key->problem   ? "problem"
                          : !key->device    ? "device"
                          : !key->arguments ? "arguments"
                                            : NULL;
    return missing ? kiln_status_make(KILN_STATUS_USAGE, "%s: key->%s is NULL", function, missing)
                   : KILN_OK;
}

kiln_status_t kiln_store_not_found(const kiln_tune_key_t *key)
{
    const bool is_named = *key->kernel != '\0'; // a search for a problem's result need not know it
    return kiln_status_make(KILN_STATUS_NOT_FOUND, "no tuning result for %s%s%s with %s on %s",
                            is_named ? "kernel '" : "this problem", key->kernel,
                            is_named ? "'" : "", key->arguments, key->device);
}

kiln_status_t kiln_store_prepare(kiln_tune_store_t *store, const char *sql,
                                 const kiln_tune_key_t *key, const char *code, sqlite3_stmt **out)
{
    *out = NULL;
    if (sqlite3_prepare_v2(store->db, sql, -1, out, NULL) != SQLITE_OK)
        return kiln_store_error(store->db, "prepare");
    char *arguments = kiln_store_arguments(key->arguments);
    if (!arguments)
        return kiln_status_out_of_memory();
    const char *columns[KILN_STORE_KEY_COLUMNS] = {
        key->kernel, key->problem, key->device, arguments, key->fixed ? key->fixed : "", code};
    kiln_status_t status = KILN_OK;
    for (int i = 0; i < KILN_STORE_KEY_COLUMNS && !status; ++i)
        if (i < sqlite3_bind_parameter_count(*out) &&
            sqlite3_bind_text(*out, i + 1, columns[i], -1,
                              columns[i] == arguments ? SQLITE_TRANSIENT : SQLITE_STATIC))
            status = kiln_store_error(store->db, "bind");
    free(arguments);
    return status;
}

typedef struct outcome {
    kiln_cost_kind_t kind;
    double cost;
    kiln_tune_trust_t trust;
} outcome_t;

// Executes PUT or REJECT, which return no rows.
static kiln_status_t write_row(const char *function, kiln_tune_store_t *store, const char *sql,
                               const kiln_tune_key_t *key, const char *code, const char *config,
                               const outcome_t *outcome)
{
    KILN_TRY(kiln_store_check_key(function, key));
    if (!store->db)
        return kiln_status_make(KILN_STATUS_USAGE, "%s: the store is open for reading only",
                                function);
    sqlite3_stmt *statement;
    pthread_mutex_lock(&store->mutex);
    kiln_status_t status = kiln_store_prepare(store, sql, key, code, &statement);
    if (!status && sqlite3_bind_text(statement, 7, config, -1, SQLITE_STATIC))
        status = kiln_store_error(store->db, "bind");
    if (!status && outcome &&
        (sqlite3_bind_int(statement, 8, (int)outcome->kind) ||
         sqlite3_bind_int(statement, 9, outcome->trust == KILN_TUNE_VERIFIED) ||
         sqlite3_bind_double(statement, 10, outcome->cost)))
        status = kiln_store_error(store->db, "bind");
    status = kiln_store_end_write(store, status, statement);
    sqlite3_finalize(statement);
    kiln_recent_forget(store);
    pthread_mutex_unlock(&store->mutex);
    return status;
}

kiln_status_t kiln_tune_store_put(kiln_tune_store_t *store, const kiln_tune_key_t *key,
                                  const char *config, kiln_cost_kind_t kind, double cost,
                                  kiln_tune_trust_t trust)
{
    KILN_REQUIRE(store);
    KILN_REQUIRE(key);
    KILN_REQUIRE(config);
    return write_row(__func__, store, PUT, key, kiln_code_id(), config,
                     &(outcome_t){kind, cost, trust});
}

kiln_status_t kiln_store_put_best(kiln_tune_store_t *store, const kiln_tune_record_t *record)
{
    return write_row("kiln_tune_store_add", store, PUT, &record->key, record->code, record->config,
                     &(outcome_t){record->kind, record->cost, record->trust});
}

kiln_status_t kiln_tune_store_reject(kiln_tune_store_t *store, const kiln_tune_key_t *key,
                                     const char *config)
{
    KILN_REQUIRE(store);
    KILN_REQUIRE(key);
    KILN_REQUIRE(config);
    return write_row(__func__, store, REJECT, key, kiln_code_id(), config, NULL);
}

kiln_status_t kiln_store_doubt(kiln_tune_store_t *store, const kiln_tune_key_t *key,
                               const char *config)
{
    return write_row(__func__, store, REJECT " AND verified = 0", key, kiln_code_id(), config,
                     NULL);
}

const char *kiln_store_text(sqlite3_stmt *statement, int column, kiln_status_t *status)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    if (!text)
        *status = kiln_status_out_of_memory();
    return text;
}

kiln_status_t kiln_tune_store_get(kiln_tune_store_t *store, const kiln_tune_key_t *key,
                                  char **out_config, kiln_cost_kind_t *out_kind, double *out_cost)
{
    KILN_REQUIRE_OUT(out_config);
    KILN_REQUIRE_OUT(out_kind);
    KILN_REQUIRE_OUT(out_cost);
    KILN_REQUIRE(store);
    KILN_REQUIRE(key);
    KILN_TRY(kiln_store_check_key(__func__, key));
    if (!store->db)
        return kiln_store_not_found(key);
    sqlite3_stmt *statement;
    pthread_mutex_lock(&store->mutex);
    kiln_status_t status = kiln_store_prepare(store, GET, key, kiln_code_id(), &statement);
    int step = status ? SQLITE_DONE : sqlite3_step(statement);
    if (step == SQLITE_ROW) {
        const char *config = kiln_store_text(statement, 0, &status);
        *out_config = config ? strdup(config) : NULL;
        *out_kind = (kiln_cost_kind_t)sqlite3_column_int(statement, 1);
        *out_cost = sqlite3_column_double(statement, 2);
        if (!status && !*out_config)
            status = kiln_status_out_of_memory();
    } else if (!status) {
        status =
            step == SQLITE_DONE ? kiln_store_not_found(key) : kiln_store_error(store->db, "read");
    }
    sqlite3_finalize(statement);
    pthread_mutex_unlock(&store->mutex);
    return status;
}
