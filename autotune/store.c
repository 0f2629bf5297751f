// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tuning store: one SQLite table of the best configuration per key.
//
// A result is only offered to the Kiln build that made it: another build makes other code, so its ranking may differ.
// So rows of an older build, whatever its keys looked like, are neither read nor in the way; they stay. SQLite in WAL
// mode gives the concurrency between processes; within a process one mutex guards the connection.
#include <libgen.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "base/file.h"
#include "base/require.h"
#include "kiln/tune.h"

struct kiln_tune_store {
    sqlite3 *db;
    pthread_mutex_t mutex;
};

enum { BUSY_TIMEOUT_MS = 10000 };

static const char SCHEMA[] =
    "CREATE TABLE IF NOT EXISTS best ("
    " kernel TEXT NOT NULL, source_hash TEXT NOT NULL, device TEXT NOT NULL, arguments TEXT NOT NULL,"
    " build TEXT NOT NULL, kind INTEGER NOT NULL, config TEXT NOT NULL, cost REAL NOT NULL,"
    " PRIMARY KEY (kernel, source_hash, device, arguments, build, kind)) WITHOUT ROWID";

// Keeps the cheaper of the stored and the offered row.
static const char PUT[] =
    "INSERT INTO best (kernel, source_hash, device, arguments, build, kind, config, cost) VALUES "
    "(?1,?2,?3,?4,?5,?6,?7,?8)"
    " ON CONFLICT DO UPDATE SET config = excluded.config, cost = excluded.cost WHERE excluded.cost < best.cost";

// Kinds stand as numbers (kiln_cost_kind_t): measured, then predicted, then estimated.
static const char GET[] = "SELECT config, kind, cost FROM best WHERE (kernel = ?1 OR ?1 = '') AND source_hash = ?2 AND "
                          "device = ?3 AND arguments = ?4"
                          " AND build = ?5 ORDER BY CASE kind WHEN 1 THEN 0 WHEN 2 THEN 1 ELSE 2 END LIMIT 1";

const char *kiln_cost_kind_name(kiln_cost_kind_t kind)
{
    static const char *const NAMES[] = {[KILN_COST_ESTIMATED_CYCLES] = "estimated cycles",
                                        [KILN_COST_MEASURED_NANOSECONDS] = "measured ns",
                                        [KILN_COST_PREDICTED_NANOSECONDS] = "predicted ns"};
    return (size_t)kind < sizeof NAMES / sizeof *NAMES ? NAMES[kind] : NULL;
}

static kiln_status_t database_error(sqlite3 *db, const char *what)
{
    return kiln_status_make(KILN_STATUS_IO, "tuning store: %s: %s", what, db ? sqlite3_errmsg(db) : "out of memory");
}

static kiln_status_t make_parent_directory(const char *path)
{
    char *copy = strdup(path);
    if (!copy)
        return kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "no memory for a path");
    kiln_status_t status = kiln_directory_make(dirname(copy), 0700);
    free(copy);
    return status;
}

kiln_status_t kiln_tune_store_open(const char *path, kiln_tune_store_t **out_store)
{
    KILN_REQUIRE_OUT(out_store);
    KILN_REQUIRE(path);
    if (!*kiln_build_id())
        return kiln_status_make(
            KILN_STATUS_UNSUPPORTED,
            "this compiler has no build id, so results of another could not be told from its own: link "
            "it with -Wl,--build-id");
    KILN_TRY(make_parent_directory(path));
    kiln_tune_store_t *store = calloc(1, sizeof *store);
    if (!store)
        return kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "no memory for the tuning store");
    pthread_mutex_init(&store->mutex, NULL);

    kiln_status_t status = KILN_OK;
    if (sqlite3_open_v2(path, &store->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX, NULL) !=
        SQLITE_OK)
        status = database_error(store->db, path);
    if (!status)
        sqlite3_busy_timeout(store->db, BUSY_TIMEOUT_MS);
    if (!status &&
        sqlite3_exec(store->db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL", NULL, NULL, NULL) != SQLITE_OK)
        status = database_error(store->db, path);
    if (!status && sqlite3_exec(store->db, SCHEMA, NULL, NULL, NULL) != SQLITE_OK)
        status = database_error(store->db, path);
    if (status) {
        kiln_tune_store_release(store);
        return status;
    }
    *out_store = store;
    return KILN_OK;
}

kiln_status_t kiln_tune_store_open_existing(const char *path, kiln_tune_store_t **out_store)
{
    KILN_REQUIRE_OUT(out_store);
    KILN_REQUIRE(path);
    return kiln_file_exists(path) ? kiln_tune_store_open(path, out_store) : KILN_OK;
}

void kiln_tune_store_release(kiln_tune_store_t *store)
{
    if (!store)
        return;
    sqlite3_close(store->db);
    pthread_mutex_destroy(&store->mutex);
    free(store);
}

static kiln_status_t check_key(const char *function, const kiln_tune_key_t *key)
{
    const char *missing = !key->kernel        ? "kernel"
                          : !key->source_hash ? "source_hash"
                          : !key->device      ? "device"
                          : !key->arguments   ? "arguments"
                                              : NULL;
    return missing ? kiln_status_make(KILN_STATUS_USAGE, "%s: key->%s is NULL", function, missing) : KILN_OK;
}

// Prepares `sql` and binds the five columns that name a row's key.
static kiln_status_t prepare_for_key(kiln_tune_store_t *store, const char *sql, const kiln_tune_key_t *key,
                                     sqlite3_stmt **out)
{
    if (sqlite3_prepare_v2(store->db, sql, -1, out, NULL) != SQLITE_OK)
        return database_error(store->db, "prepare");
    const char *columns[] = {key->kernel, key->source_hash, key->device, key->arguments, kiln_build_id()};
    for (int i = 0; i < 5; ++i)
        sqlite3_bind_text(*out, i + 1, columns[i], -1, SQLITE_STATIC);
    return KILN_OK;
}

kiln_status_t kiln_tune_store_put(kiln_tune_store_t *store, const kiln_tune_key_t *key, const char *config,
                                  kiln_cost_kind_t kind, double cost)
{
    KILN_REQUIRE(store);
    KILN_REQUIRE(key);
    KILN_REQUIRE(config);
    KILN_TRY(check_key(__func__, key));
    sqlite3_stmt *statement = NULL;
    pthread_mutex_lock(&store->mutex);
    kiln_status_t status = prepare_for_key(store, PUT, key, &statement);
    if (!status) {
        sqlite3_bind_int(statement, 6, (int)kind);
        sqlite3_bind_text(statement, 7, config, -1, SQLITE_STATIC);
        sqlite3_bind_double(statement, 8, cost);
        if (sqlite3_step(statement) != SQLITE_DONE)
            status = database_error(store->db, "write");
    }
    sqlite3_finalize(statement);
    pthread_mutex_unlock(&store->mutex);
    return status;
}

kiln_status_t kiln_tune_store_get(kiln_tune_store_t *store, const kiln_tune_key_t *key, char **out_config,
                                  kiln_cost_kind_t *out_kind, double *out_cost)
{
    KILN_REQUIRE_OUT(out_config);
    KILN_REQUIRE_OUT(out_kind);
    KILN_REQUIRE_OUT(out_cost);
    KILN_REQUIRE(store);
    KILN_REQUIRE(key);
    KILN_TRY(check_key(__func__, key));
    sqlite3_stmt *statement = NULL;
    pthread_mutex_lock(&store->mutex);
    kiln_status_t status = prepare_for_key(store, GET, key, &statement);
    if (!status) {
        int step = sqlite3_step(statement);
        if (step == SQLITE_ROW) {
            *out_config = strdup((const char *)sqlite3_column_text(statement, 0));
            *out_kind = (kiln_cost_kind_t)sqlite3_column_int(statement, 1);
            *out_cost = sqlite3_column_double(statement, 2);
            if (!*out_config)
                status = kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "no memory for a tuning result");
        } else if (step == SQLITE_DONE) {
            status = kiln_status_make(KILN_STATUS_NOT_FOUND, "no tuning result for kernel '%s' with %s on %s",
                                      key->kernel, key->arguments, key->device);
        } else {
            status = database_error(store->db, "read");
        }
    }
    sqlite3_finalize(statement);
    pthread_mutex_unlock(&store->mutex);
    return status;
}

kiln_status_t kiln_tune_lookup(const char *kernel, const char *source_hash, const char *device, const char *arguments,
                               void *user, char **out_config)
{
    KILN_REQUIRE_OUT(out_config);
    KILN_REQUIRE(source_hash);
    KILN_REQUIRE(device);
    KILN_REQUIRE(arguments);
    KILN_REQUIRE(user);
    kiln_tune_key_t key = {
        .kernel = kernel ? kernel : "", .source_hash = source_hash, .device = device, .arguments = arguments};
    kiln_cost_kind_t kind;
    double cost;
    return kiln_tune_store_get(user, &key, out_config, &kind, &cost);
}
