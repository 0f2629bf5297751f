// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The store's table of samples: every configuration that was tried, with its cost or the reason for
// its rejection. A search writes each sample as soon as it exists, and a later search can recall
// it.
//
// Costs depend on more than the key: `conditions` are compared, too.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/require.h"
#include "base/settings.h"
#include "store.h"

const char KILN_STORE_SAMPLES_SCHEMA[] =
    "CREATE TABLE IF NOT EXISTS samples ("
    " kernel TEXT NOT NULL, problem TEXT NOT NULL, device TEXT NOT NULL, arguments TEXT NOT NULL,"
    " fixed TEXT NOT NULL, code TEXT NOT NULL, conditions TEXT NOT NULL, config TEXT NOT NULL,"
    " verdict INTEGER NOT NULL, kind INTEGER NOT NULL, cost REAL NOT NULL, verified INTEGER NOT "
    "NULL, error REAL, reason TEXT NOT NULL, bound TEXT NOT NULL, compile_ms REAL NOT NULL,"
    " vgprs INTEGER NOT NULL, agprs INTEGER NOT NULL, sgprs INTEGER NOT NULL,"
    " vgpr_spills INTEGER NOT NULL, sgpr_spills INTEGER NOT NULL, lds INTEGER NOT NULL,"
    " scratch INTEGER NOT NULL, occupancy INTEGER NOT NULL, stages INTEGER NOT NULL,"
    " launch TEXT NOT NULL, time INTEGER NOT NULL, symbol TEXT NOT NULL,"
    " clock_mhz REAL NOT NULL DEFAULT 0,"
    " PRIMARY KEY (kernel, problem, device, arguments, fixed, code, conditions, config)) WITHOUT "
    "ROWID";

// The last column came later: a file of an older version that cannot be written lacks it. Therefore
// rows are read as they are, with its columns in this order.
const char KILN_STORE_SAMPLES_LACK_CLOCK[] =
    "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM pragma_table_info('samples') WHERE name = "
    "'clock_mhz')";
const char KILN_STORE_SAMPLES_ADD_CLOCK[] =
    "ALTER TABLE samples ADD COLUMN clock_mhz REAL NOT NULL DEFAULT 0";
enum { CLOCK_COLUMN = 28 };

#define COLUMNS                                                                                    \
    "kernel, problem, device, arguments, fixed, code, conditions, config, verdict, kind, cost, "   \
    "verified, error, reason, bound, compile_ms, vgprs, agprs, sgprs, vgpr_spills, sgpr_spills, "  \
    "lds, scratch, occupancy, stages, launch, time, symbol, clock_mhz"

static const char PUT[] =
    "INSERT INTO samples (" COLUMNS ") VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,"
    "?16,?17,?18,?19,?20,?21,?22,?23,?24,?25,?26,?27,?28,?29) ON CONFLICT DO UPDATE SET "
    "verdict=excluded.verdict, kind=excluded.kind, cost=excluded.cost, verified=excluded.verified, "
    "error=excluded.error, reason=excluded.reason, bound=excluded.bound, "
    "compile_ms=excluded.compile_ms, vgprs=excluded.vgprs, agprs=excluded.agprs, "
    "sgprs=excluded.sgprs, vgpr_spills=excluded.vgpr_spills, sgpr_spills=excluded.sgpr_spills, "
    "lds=excluded.lds, scratch=excluded.scratch, occupancy=excluded.occupancy, "
    "stages=excluded.stages, launch=excluded.launch, time=excluded.time, symbol=excluded.symbol, "
    "clock_mhz=excluded.clock_mhz "
    "WHERE excluded.time >= samples.time";

static const char FIND[] =
    "SELECT * FROM samples WHERE kernel = ?1 AND problem = ?2 AND device = ?3 AND "
    "arguments = ?4 AND fixed = ?5 AND code = ?6 AND conditions = ?7";

static const char ALL_SAMPLES[] =
    "SELECT * FROM samples ORDER BY kernel, problem, device, arguments, fixed, code, "
    "conditions, verdict, cost, config";

static const char ALL_BEST[] =
    "SELECT kernel, problem, device, arguments, fixed, code, '', config, 0, kind, cost, verified "
    "FROM tuned ORDER BY kernel, problem, device, arguments, fixed, code, verified DESC, kind";

const char *kiln_tune_verdict_name(kiln_tune_verdict_t verdict)
{
    static const char *const NAMES[] = {[KILN_TUNE_OK] = "ok",
                                        [KILN_TUNE_REJECTED] = "rejected",
                                        [KILN_TUNE_WRONG] = "wrong",
                                        [KILN_TUNE_UNTRIED] = "untried"};
    return (size_t)verdict < sizeof NAMES / sizeof *NAMES ? NAMES[verdict] : NULL;
}

// Rows --------------------------------------------------------------------------------------------

// Strings in *out belong to the statement until its next step.
static kiln_status_t read_row(sqlite3_stmt *row, kiln_tune_table_t table, kiln_tune_record_t *out)
{
    kiln_status_t status = KILN_OK;
    const bool is_sample = table == KILN_TUNE_SAMPLES;
    *out = (kiln_tune_record_t){
        .struct_size = sizeof *out,
        .key = {kiln_store_text(row, 0, &status), kiln_store_text(row, 1, &status),
                kiln_store_text(row, 2, &status), kiln_store_text(row, 3, &status),
                kiln_store_text(row, 4, &status)},
        .code = kiln_store_text(row, 5, &status),
        .conditions = kiln_store_text(row, 6, &status),
        .config = kiln_store_text(row, 7, &status),
        .verdict = (kiln_tune_verdict_t)sqlite3_column_int(row, 8),
        .kind = (kiln_cost_kind_t)sqlite3_column_int(row, 9),
        .cost = sqlite3_column_double(row, 10),
        .trust = sqlite3_column_int(row, 11) ? KILN_TUNE_VERIFIED : KILN_TUNE_UNVERIFIED,
        .error = NAN,
        .reason = "",
        .bound = "",
        .launch = "",
        .symbol = ""};
    if (!is_sample || status)
        return status;
    if (sqlite3_column_type(row, 12) != SQLITE_NULL)
        out->error = sqlite3_column_double(row, 12);
    out->reason = kiln_store_text(row, 13, &status);
    out->bound = kiln_store_text(row, 14, &status);
    out->compile_ms = sqlite3_column_double(row, 15);
    unsigned *const resources[] = {&out->resources.vgprs,
                                   &out->resources.agprs,
                                   &out->resources.sgprs,
                                   &out->resources.vgpr_spills,
                                   &out->resources.sgpr_spills,
                                   &out->resources.lds_bytes,
                                   &out->resources.scratch_bytes_per_lane,
                                   &out->resources.occupancy};
    for (int i = 0; i < 8; i++)
        *resources[i] = (unsigned)sqlite3_column_int64(row, 16 + i);
    out->stages_made = sqlite3_column_int(row, 24);
    out->launch = kiln_store_text(row, 25, &status);
    out->time = sqlite3_column_int64(row, 26);
    out->symbol = kiln_store_text(row, 27, &status);
    if (sqlite3_column_count(row) > CLOCK_COLUMN)
        out->clock_mhz = sqlite3_column_double(row, CLOCK_COLUMN);
    return status;
}

static bool bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    return sqlite3_bind_text(statement, at, text ? text : "", -1, SQLITE_STATIC) == SQLITE_OK;
}

static bool bind_sample(sqlite3_stmt *statement, const kiln_tune_record_t *record)
{
    const kiln_resources_t *r = &record->resources;
    const sqlite3_int64 resources[] = {r->vgprs,
                                       r->agprs,
                                       r->sgprs,
                                       r->vgpr_spills,
                                       r->sgpr_spills,
                                       r->lds_bytes,
                                       r->scratch_bytes_per_lane,
                                       r->occupancy};
    bool good =
        bind_text(statement, 7, record->conditions) && bind_text(statement, 8, record->config) &&
        !sqlite3_bind_int(statement, 9, (int)record->verdict) &&
        !sqlite3_bind_int(statement, 10, (int)record->kind) &&
        !sqlite3_bind_double(statement, 11, record->cost) &&
        !sqlite3_bind_int(statement, 12, record->trust == KILN_TUNE_VERIFIED) &&
        (isnan(record->error) || !sqlite3_bind_double(statement, 13, record->error)) &&
        bind_text(statement, 14, record->reason) && bind_text(statement, 15, record->bound) &&
        !sqlite3_bind_double(statement, 16, record->compile_ms);
    for (int i = 0; i < 8 && good; i++)
        good = !sqlite3_bind_int64(statement, 17 + i, resources[i]);
    return good && !sqlite3_bind_int(statement, 25, record->stages_made) &&
           bind_text(statement, 26, record->launch) &&
           !sqlite3_bind_int64(statement, 27, record->time) &&
           bind_text(statement, 28, record->symbol) &&
           !sqlite3_bind_double(statement, 1 + CLOCK_COLUMN, record->clock_mhz);
}

kiln_status_t kiln_store_put_sample(kiln_tune_store_t *store, const kiln_tune_record_t *record)
{
    sqlite3_stmt *statement;
    if (!store->db)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "kiln_tune_store_add: the store is open for reading only");
    pthread_mutex_lock(&store->mutex);
    kiln_status_t status = kiln_store_prepare(store, PUT, &record->key, record->code, &statement);
    if (!status && !bind_sample(statement, record))
        status = kiln_store_error(store->db, "bind");
    status = kiln_store_end_write(store, status, statement);
    sqlite3_finalize(statement);
    pthread_mutex_unlock(&store->mutex);
    return status;
}

// Finding -----------------------------------------------------------------------------------------

kiln_status_t kiln_store_sample_copy(const kiln_tune_record_t *from, kiln_tune_record_t *to)
{
    *to = *from;
    to->key = (kiln_tune_key_t){0};
    to->code = to->conditions = to->config = NULL;
    to->reason = strdup(from->reason);
    to->bound = strdup(from->bound);
    to->launch = strdup(from->launch);
    to->symbol = strdup(from->symbol);
    if (to->reason && to->bound && to->launch && to->symbol)
        return KILN_OK;
    kiln_store_sample_free(to);
    return kiln_status_out_of_memory();
}

void kiln_store_sample_free(kiln_tune_record_t *sample)
{
    free((char *)(uintptr_t)sample->reason);
    free((char *)(uintptr_t)sample->bound);
    free((char *)(uintptr_t)sample->launch);
    free((char *)(uintptr_t)sample->symbol);
    *sample = (kiln_tune_record_t){0};
}

kiln_status_t kiln_store_find_samples(kiln_tune_store_t *store, const kiln_tune_key_t *key,
                                      const char *conditions,
                                      kiln_status_t (*visit)(const kiln_tune_record_t *, void *),
                                      void *user)
{
    sqlite3_stmt *statement;
    int step = SQLITE_DONE;
    if (!store->db)
        return KILN_OK;
    pthread_mutex_lock(&store->mutex);
    kiln_status_t status = kiln_store_prepare(store, FIND, key, kiln_code_id(), &statement);
    if (!status && !bind_text(statement, 7, conditions))
        status = kiln_store_error(store->db, "bind");
    while (!status && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        kiln_tune_record_t row;
        status = read_row(statement, KILN_TUNE_SAMPLES, &row);
        if (!status)
            status = visit(&row, user);
    }
    if (!status && step != SQLITE_DONE)
        status = kiln_store_error(store->db, "read");
    sqlite3_finalize(statement);
    pthread_mutex_unlock(&store->mutex);
    return status;
}

// Whole stores ------------------------------------------------------------------------------------

// A file that was written before this table existed has no samples.
static bool lacks_samples(kiln_tune_store_t *store)
{
    static const char HAS_TABLE[] =
        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'samples'";
    sqlite3_stmt *statement = NULL;
    const bool lacks =
        sqlite3_prepare_v2(store->db, HAS_TABLE, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_finalize(statement);
    return lacks;
}

static kiln_status_t visit_rows(kiln_tune_store_t *store, kiln_tune_table_t table,
                                kiln_status_t (*visit)(const kiln_tune_record_t *, void *),
                                void *user)
{
    sqlite3_stmt *statement = NULL;
    if (table == KILN_TUNE_SAMPLES && lacks_samples(store))
        return KILN_OK;
    if (sqlite3_prepare_v2(store->db, table == KILN_TUNE_SAMPLES ? ALL_SAMPLES : ALL_BEST, -1,
                           &statement, NULL) != SQLITE_OK)
        return kiln_store_error(store->db, "prepare");
    kiln_status_t status = KILN_OK;
    int step = SQLITE_DONE;
    while (!status && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        kiln_tune_record_t record;
        status = read_row(statement, table, &record);
        if (!status)
            status = visit(&record, user);
    }
    if (!status && step != SQLITE_DONE)
        status = kiln_store_error(store->db, "read");
    sqlite3_finalize(statement);
    return status;
}

kiln_status_t kiln_tune_store_visit(kiln_tune_store_t *store, kiln_tune_table_t table,
                                    kiln_status_t (*visit)(const kiln_tune_record_t *, void *),
                                    void *user)
{
    KILN_REQUIRE(store);
    KILN_REQUIRE(visit);
    if (!store->db)
        return KILN_OK;
    pthread_mutex_lock(&store->mutex);
    kiln_status_t status = visit_rows(store, table, visit, user);
    pthread_mutex_unlock(&store->mutex);
    return status;
}

// A lookup fails if the stored configuration is not a list of settings.
static kiln_status_t check_config(const char *config)
{
    kiln_setting_list_t settings = {0};
    kiln_status_t status = kiln_settings_put_text(&settings, config);
    kiln_settings_free(&settings);
    return status ? kiln_status_annotate(status, "in the configuration '%s'", config) : KILN_OK;
}

kiln_status_t kiln_tune_store_add(kiln_tune_store_t *store, kiln_tune_table_t table,
                                  const kiln_tune_record_t *record)
{
    KILN_REQUIRE(store);
    kiln_tune_record_t taken = {.struct_size = sizeof taken,
                                .conditions = "",
                                .reason = "",
                                .bound = "",
                                .launch = "",
                                .symbol = "",
                                .error = NAN};
    KILN_REQUIRE_STRUCT(kiln_tune_record_t, &taken, record);
    KILN_TRY(kiln_store_check_key(__func__, &taken.key));
    KILN_REQUIRE_THAT(taken.config && taken.code, "record->%s is NULL",
                      taken.config ? "code" : "config");
    KILN_TRY(check_config(taken.config));
    return table == KILN_TUNE_SAMPLES ? kiln_store_put_sample(store, &taken)
                                      : kiln_store_put_best(store, &taken);
}

static kiln_status_t execute(kiln_tune_store_t *store, const char *sql)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK
               ? KILN_OK
               : kiln_store_error(store->db, sql);
}

typedef struct addition {
    kiln_tune_store_t *to;
    kiln_tune_table_t table;
    size_t count;
} addition_t;

static kiln_status_t add_row(const kiln_tune_record_t *record, void *user)
{
    addition_t *addition = user;
    addition->count++;
    return kiln_tune_store_add(addition->to, addition->table, record);
}

kiln_status_t kiln_tune_store_merge(kiln_tune_store_t *store, kiln_tune_store_t *other,
                                    size_t *out_count)
{
    KILN_REQUIRE(store);
    KILN_REQUIRE(other);
    KILN_REQUIRE_THAT(store != other, "%s", "store and other are the same");
    if (out_count)
        *out_count = 0;
    KILN_REQUIRE_THAT(store->db, "%s", "the store is open for reading only");
    KILN_TRY(execute(store, "BEGIN IMMEDIATE"));
    addition_t addition = {.to = store, .table = KILN_TUNE_BEST};
    kiln_status_t status = kiln_tune_store_visit(other, KILN_TUNE_BEST, add_row, &addition);
    addition.table = KILN_TUNE_SAMPLES;
    if (!status)
        status = kiln_tune_store_visit(other, KILN_TUNE_SAMPLES, add_row, &addition);
    if (!status)
        status = execute(store, "COMMIT");
    if (status)
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    else if (out_count)
        *out_count = addition.count;
    return status;
}

static kiln_status_t delete_rows(kiln_tune_store_t *store, const char *sql, int64_t before,
                                 size_t *io_count)
{
    sqlite3_stmt *statement = NULL;
    kiln_status_t status = KILN_OK;
    if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK ||
        !bind_text(statement, 1, kiln_code_id()) ||
        (sqlite3_bind_parameter_count(statement) > 1 && sqlite3_bind_int64(statement, 2, before)) ||
        sqlite3_step(statement) != SQLITE_DONE)
        status = kiln_store_error(store->db, "delete");
    else
        *io_count += (size_t)sqlite3_changes(store->db);
    sqlite3_finalize(statement);
    return status;
}

kiln_status_t kiln_tune_store_prune(kiln_tune_store_t *store, int64_t before, size_t *out_count)
{
    KILN_REQUIRE(store);
    size_t count = 0;
    if (out_count)
        *out_count = 0;
    KILN_REQUIRE_THAT(store->db, "%s", "the store is open for reading only");
    pthread_mutex_lock(&store->mutex);
    kiln_status_t status = delete_rows(store, "DELETE FROM tuned WHERE code <> ?1", before, &count);
    if (!status)
        status =
            delete_rows(store, "DELETE FROM samples WHERE code <> ?1 OR time < ?2", before, &count);
    kiln_recent_forget(store);
    pthread_mutex_unlock(&store->mutex);
    if (!status && out_count)
        *out_count = count;
    return status;
}
