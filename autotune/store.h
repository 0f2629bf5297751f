// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State that the files of the tuning store share: the connection, and statements bound to a key.
#ifndef KILN_AUTOTUNE_STORE_H
#define KILN_AUTOTUNE_STORE_H

#include <pthread.h>

#include <sqlite3.h>

#include "kiln/tune.h"
#include "recent.h"

struct kiln_tune_store {
    sqlite3 *db; // NULL if there is nothing to read yet
    pthread_mutex_t mutex;
    char *path;                  // only of a store in `further`
    kiln_tune_store_t **further; // that lookups also read, in order
    size_t further_count, further_capacity;
    kiln_recent_t recent[KILN_RECENT_COUNT]; // lookups
};

// Creates a store without a database.
kiln_status_t kiln_store_create(kiln_tune_store_t **out_store);

// The first parameters of a statement: the columns of a row's key and its code.
enum { KILN_STORE_KEY_COLUMNS = 6 };

// The table of samples (samples.c).
extern const char KILN_STORE_SAMPLES_SCHEMA[];
// Has a row if the table is of an older version, and what adds the missing column.
extern const char KILN_STORE_SAMPLES_LACK_CLOCK[], KILN_STORE_SAMPLES_ADD_CLOCK[];

// Kinds are stored as numbers (kiln_cost_kind_t): measured, then predicted, then estimated.
#define KILN_STORE_IN_ORDER                                                                        \
    " ORDER BY verified DESC, CASE kind WHEN 1 THEN 0 WHEN 2 THEN 1 WHEN 0 THEN 2 ELSE 3 END, "    \
    "cost"

kiln_status_t kiln_store_not_found(const kiln_tune_key_t *key);
kiln_status_t kiln_store_error(sqlite3 *db, const char *what);
kiln_status_t kiln_store_check_key(const char *function, const kiln_tune_key_t *key);

// Whether it was opened for writing, too.
bool kiln_store_is_writable(const kiln_tune_store_t *store);

// The form in which arguments are stored and looked up: names in order, numbers in one form. From
// malloc; NULL if out of memory.
char *kiln_store_arguments(const char *text);

// Prepares `sql` and binds the columns of a row's key with that of `code`, as far as the statement
// uses them. The caller finalizes *out, also after a failure.
kiln_status_t kiln_store_prepare(kiln_tune_store_t *store, const char *sql,
                                 const kiln_tune_key_t *key, const char *code, sqlite3_stmt **out);

// Executes a statement that changes rows and returns none, if `status` is not a failure. What is
// written to a file that was moved or deleted would be lost, so that is an error, too.
kiln_status_t kiln_store_end_write(kiln_tune_store_t *store, kiln_status_t status,
                                   sqlite3_stmt *statement);

// Deletes the unverified results of a configuration.
kiln_status_t kiln_store_doubt(kiln_tune_store_t *store, const kiln_tune_key_t *key,
                               const char *config);

// A column's text; NULL, with a status, if memory is exhausted.
const char *kiln_store_text(sqlite3_stmt *statement, int column, kiln_status_t *status);

// Visits the samples of a problem under these conditions, found by this code. A record is valid
// during the call, which must not use the store.
kiln_status_t kiln_store_find_samples(kiln_tune_store_t *store, const kiln_tune_key_t *key,
                                      const char *conditions,
                                      kiln_status_t (*visit)(const kiln_tune_record_t *, void *),
                                      void *user);
// Copies the fields that a search needs, without key, code, conditions and configuration. The
// strings are from malloc and freed by kiln_store_sample_free; empty after a failure.
kiln_status_t kiln_store_sample_copy(const kiln_tune_record_t *from, kiln_tune_record_t *to);
void kiln_store_sample_free(kiln_tune_record_t *sample);

// Stores a row whose code is record->code: a sample, or a result as kiln_tune_store_put does.
kiln_status_t kiln_store_put_sample(kiln_tune_store_t *store, const kiln_tune_record_t *record);
kiln_status_t kiln_store_put_best(kiln_tune_store_t *store, const kiln_tune_record_t *record);

#endif
