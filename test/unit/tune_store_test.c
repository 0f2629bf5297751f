// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The meaning of settings, and the store of what was tuned.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <sqlite3.h>

#include "kiln/tune.h"

static void expect(kiln_status_t status, kiln_status_code_t code)
{
    assert_int_equal(kiln_status_code(status), code);
    kiln_status_free(status);
}

static char directory[] = "/tmp/kiln-tune-test-XXXXXX";
static const kiln_tune_key_t KEY = {
    "gemm", "0123", "gfx942:AMD Instinct MI300X (Kiln simulator):304:sim", "K=64,M=64", ""};

static void expect_best(kiln_tune_store_t *store, const kiln_tune_key_t *key, const char *config,
                        double cost)
{
    char *found = NULL;
    kiln_cost_kind_t kind;
    double value;
    expect(kiln_tune_store_get(store, key, &found, &kind, &value),
           config ? KILN_STATUS_OK : KILN_STATUS_NOT_FOUND);
    if (config) {
        assert_string_equal(found, config);
        assert_true(value == cost);
    } else {
        assert_null(found);
    }
    free(found);
}

static void store_keeps_the_cheapest_of_a_kind_and_prefers_measured_ones(void **state)
{
    kiln_tune_store_t *store = *state;
    expect_best(store, &KEY, NULL, 0);
    expect(kiln_tune_store_put(store, &KEY, "BLOCK=32", KILN_COST_ESTIMATED_CYCLES, 200,
                               KILN_TUNE_VERIFIED),
           KILN_STATUS_OK);
    expect_best(store, &KEY, "BLOCK=32", 200);
    expect(kiln_tune_store_put(store, &KEY, "BLOCK=64", KILN_COST_ESTIMATED_CYCLES, 300,
                               KILN_TUNE_VERIFIED),
           KILN_STATUS_OK);
    expect_best(store, &KEY, "BLOCK=32", 200);
    expect(kiln_tune_store_put(store, &KEY, "BLOCK=16", KILN_COST_ESTIMATED_CYCLES, 100,
                               KILN_TUNE_VERIFIED),
           KILN_STATUS_OK);
    expect_best(store, &KEY, "BLOCK=16", 100);
    expect(kiln_tune_store_put(store, &KEY, "BLOCK=128", KILN_COST_MEASURED_NANOSECONDS, 9000,
                               KILN_TUNE_VERIFIED),
           KILN_STATUS_OK);
    expect_best(store, &KEY, "BLOCK=128", 9000);
    kiln_tune_key_t other = KEY;
    other.arguments = "K=65,M=64";
    expect_best(store, &other, NULL, 0);
    kiln_tune_key_t only_kernel = KEY;
    only_kernel.kernel = ""; // the source's only kernel
    expect_best(store, &only_kernel, "BLOCK=128", 9000);
}

// An unusually low measurement can be corrected, and noise does not change the winner.
static void a_stored_cost_can_be_corrected(void **state)
{
    kiln_tune_store_t *store = *state;
    const kiln_cost_kind_t kind = KILN_COST_MEASURED_NANOSECONDS;
    const struct {
        const char *config;
        double cost;
        const char *best;
        double best_cost;
    } puts[] = {{"BLOCK=32", 10, "BLOCK=32", 10},
                {"BLOCK=64", 100, "BLOCK=32", 10},
                {"BLOCK=32", 120, "BLOCK=32", 120},
                {"BLOCK=64", 118, "BLOCK=32", 120},
                {"BLOCK=64", 116, "BLOCK=64", 116}};
    for (size_t i = 0; i < sizeof puts / sizeof *puts; i++) {
        expect(kiln_tune_store_put(store, &KEY, puts[i].config, kind, puts[i].cost,
                                   KILN_TUNE_VERIFIED),
               KILN_STATUS_OK);
        expect_best(store, &KEY, puts[i].best, puts[i].best_cost);
    }
}

static kiln_status_t see_sample(const kiln_tune_record_t *record, void *user)
{
    kiln_tune_record_t *seen = user;
    assert_string_equal(record->config, "BLOCK=32");
    assert_string_equal(record->conditions, "cold");
    assert_string_equal(record->reason, "it \"fails\"");
    assert_string_equal(record->key.fixed, "");
    assert_int_equal(record->resources.scratch_bytes_per_lane, 7);
    assert_int_equal(record->resources.occupancy, 8);
    *seen = *record;
    return KILN_OK;
}

// Of two samples of one configuration under one condition, the newer one stays.
static void samples_are_kept_as_they_are(void **state)
{
    kiln_tune_store_t *store = *state;
    kiln_tune_record_t seen, record = {.struct_size = sizeof record,
                                       .key = KEY,
                                       .code = kiln_code_id(),
                                       .config = "BLOCK=32",
                                       .kind = KILN_COST_PREDICTED_NANOSECONDS,
                                       .conditions = "cold",
                                       .verdict = KILN_TUNE_REJECTED,
                                       .reason = "it \"fails\"",
                                       .error = 0.25,
                                       .resources = {.scratch_bytes_per_lane = 7, .occupancy = 8},
                                       .stages_made = 3,
                                       .time = 1000};
    expect(kiln_tune_store_add(store, KILN_TUNE_SAMPLES, &record), KILN_STATUS_OK);
    record.stages_made = 4;
    record.time = 999;
    expect(kiln_tune_store_add(store, KILN_TUNE_SAMPLES, &record), KILN_STATUS_OK);
    expect(kiln_tune_store_visit(store, KILN_TUNE_SAMPLES, see_sample, &seen), KILN_STATUS_OK);
    assert_true(seen.stages_made == 3 && seen.error == 0.25 && seen.time == 1000 &&
                seen.verdict == KILN_TUNE_REJECTED);
    size_t count;
    expect(kiln_tune_store_prune(store, 1000, &count), KILN_STATUS_OK);
    assert_int_equal(count, 0);
    expect(kiln_tune_store_prune(store, 1001, &count), KILN_STATUS_OK);
    assert_int_equal(count, 1);
}

static void lookup_fits_the_jit(void **state)
{
    kiln_tune_store_t *store = *state;
    char *config = NULL;
    expect(kiln_tune_store_put(store, &KEY, "BLOCK=16 num_warps=8", KILN_COST_ESTIMATED_CYCLES, 1,
                               KILN_TUNE_VERIFIED),
           KILN_STATUS_OK);
    kiln_jit_tune_request_t request = {.struct_size = sizeof request,
                                       .problem = KEY.problem,
                                       .device = KEY.device,
                                       .arguments = KEY.arguments};
    expect(kiln_tune_lookup(&request, store, &config), KILN_STATUS_OK);
    assert_string_equal(config, "BLOCK=16 num_warps=8");
    free(config);
    // A repeated lookup sees what was stored meanwhile.
    expect(kiln_tune_store_put(store, &KEY, "BLOCK=32 num_warps=8", KILN_COST_ESTIMATED_CYCLES, 0.5,
                               KILN_TUNE_VERIFIED),
           KILN_STATUS_OK);
    expect(kiln_tune_lookup(&request, store, &config), KILN_STATUS_OK);
    assert_string_equal(config, "BLOCK=32 num_warps=8");
    free(config);
    expect(kiln_tune_store_reject(store, &KEY, "BLOCK=32 num_warps=8"), KILN_STATUS_OK);
    expect(kiln_tune_lookup(&request, store, &config), KILN_STATUS_NOT_FOUND);
    request.kernel = "softmax";
    expect(kiln_tune_lookup(&request, store, &config), KILN_STATUS_NOT_FOUND);
}

// What the command stores under kiln_arguments_tuning_key's text is found by a program that writes
// the same values in another way.
static void arguments_are_one_problem_in_any_form(void **state)
{
    (void)state;
    static const struct {
        const char *stored, *given, *other;
    } cases[] = {{"M=5,n=10000", "n=10000,M=5", "M=10000,n=5"},
                 {"a=2,n=7 grid=cdiv(n,B),2", "n=7, a=2.0 grid=cdiv(n, B), 2", "a=2,n=7"},
                 {"a=0.10000000000000001,b=-3", " b=-3 ,a=0.1", "a=0.1,b=3"},
                 {"n=4,elements(x)=8", "elements( x )=8,n=4", "n=4"},
                 {"", "", "n=1"},
                 {"n=18446744073709551615", "n=18446744073709551615", "n=18446744073709551614"},
                 {"rows of 5", "rows of 5", "rowsof5"}}; // no list: any text is a key
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kiln_tune_store_t *store;
        char *config;
        kiln_tune_key_t key = {
            .kernel = "k", .problem = "p", .device = "d", .arguments = cases[i].stored};
        kiln_jit_tune_request_t request = {
            .struct_size = sizeof request, .problem = "p", .device = "d"};
        expect(kiln_tune_store_open(":memory:", &store), KILN_STATUS_OK);
        expect(kiln_tune_store_put(store, &key, "BLOCK=1", KILN_COST_PREDICTED_NANOSECONDS, 1,
                                   KILN_TUNE_VERIFIED),
               KILN_STATUS_OK);
        request.arguments = cases[i].given;
        expect(kiln_tune_lookup(&request, store, &config), KILN_STATUS_OK);
        free(config);
        request.arguments = cases[i].other;
        expect(kiln_tune_lookup(&request, store, &config), KILN_STATUS_NOT_FOUND);
        kiln_tune_store_release(store);
    }
}

static void expect_found(kiln_tune_store_t *store, const kiln_setting_t *settings, size_t count,
                         const char *wanted)
{
    char *config = NULL;
    const kiln_jit_tune_request_t request = {.struct_size = sizeof request,
                                             .kernel = KEY.kernel,
                                             .problem = KEY.problem,
                                             .device = KEY.device,
                                             .arguments = KEY.arguments,
                                             .settings = settings,
                                             .setting_count = count};
    expect(kiln_tune_lookup(&request, store, &config),
           wanted ? KILN_STATUS_OK : KILN_STATUS_NOT_FOUND);
    if (wanted)
        assert_string_equal(config, wanted);
    else
        assert_null(config);
    free(config);
}

static void a_result_is_for_what_was_fixed_with_it(void **state)
{
    kiln_tune_store_t *store = *state;
    kiln_tune_key_t key = KEY;
    const kiln_cost_kind_t kind = KILN_COST_PREDICTED_NANOSECONDS;
    const kiln_setting_t zero[] = {{"MODE", "0"}}, one[] = {{"MODE", "1"}},
                         given[] = {{"BLOCK", "8"}, {"MODE", "1"}, {"num_warps", "2"}},
                         more[] = {{"MODE", "1"}, {"num_stages", "3"}};
    expect_found(store, NULL, 0, NULL);
    key.fixed = "MODE=0\n";
    expect(kiln_tune_store_put(store, &key, "BLOCK=16 num_warps=1", kind, 10, KILN_TUNE_VERIFIED),
           KILN_STATUS_OK);
    expect_found(store, zero, 1, "BLOCK=16 num_warps=1");
    expect_found(store, one, 1, NULL);
    expect_found(store, NULL, 0, NULL);
    key.fixed = "MODE=1\n";
    expect(kiln_tune_store_put(store, &key, "BLOCK=32 num_warps=4", kind, 20, KILN_TUNE_VERIFIED),
           KILN_STATUS_OK);
    expect_found(store, zero, 1, "BLOCK=16 num_warps=1");
    expect_found(store, one, 1, "BLOCK=32 num_warps=4");
    expect_found(store, given, 3, "BLOCK=32 num_warps=4"); // the call's own settings override these
    expect_found(store, more, 2, NULL);
    key.fixed = "BLOCK=8\nMODE=1\n"; // one more fixed constant
    expect(kiln_tune_store_put(store, &key, "num_warps=2", kind, 30, KILN_TUNE_VERIFIED),
           KILN_STATUS_OK);
    expect_found(store, given, 3, "num_warps=2");
    expect_found(store, one, 1, "BLOCK=32 num_warps=4");
}

static void expect_near(kiln_tune_store_t *store, const char *arguments, kiln_tune_use_t use,
                        const char *wanted, double distance)
{
    kiln_tune_match_t match = {.struct_size = sizeof match};
    const kiln_jit_tune_request_t request = {.struct_size = sizeof request,
                                             .kernel = KEY.kernel,
                                             .problem = KEY.problem,
                                             .device = KEY.device,
                                             .arguments = arguments};
    expect(kiln_tune_find(&request, store, use, &match),
           wanted ? KILN_STATUS_OK : KILN_STATUS_NOT_FOUND);
    if (wanted) {
        assert_string_equal(match.arguments, wanted);
        assert_true(match.distance > distance - 1e-6 && match.distance < distance + 1e-6);
    } else {
        assert_true(!match.config && !match.arguments);
    }
    free(match.config);
    free(match.arguments);
}

static void the_nearest_problem_is_found_on_demand(void **state)
{
    kiln_tune_store_t *store = *state;
    const kiln_cost_kind_t kind = KILN_COST_PREDICTED_NANOSECONDS;
    const struct {
        const char *arguments, *config, *fixed;
        kiln_tune_trust_t trust;
    } rows[] = {
        {"K=64,M=64,s=0.5 grid=cdiv(M,B)", "B=1", "", KILN_TUNE_VERIFIED},
        {"K=64,M=1024,s=0.5 grid=cdiv(M,B)", "B=2", "", KILN_TUNE_VERIFIED},
        {"K=64,M=2048,s=0.5 grid=cdiv(M,B)", "B=3", "", KILN_TUNE_UNVERIFIED},
        {"K=64,M=3072,s=0.5 grid=cdiv(M,B)", "B=4", "MODE=1\n", KILN_TUNE_VERIFIED},
        {"K=64,M=3072,s=0.25 grid=cdiv(M,B)", "B=5", "", KILN_TUNE_VERIFIED},
        {"K=64,M=3072,s=0.5 grid=M", "B=6", "", KILN_TUNE_VERIFIED},
        {"K=64,M=3072,N=8,s=0.5 grid=cdiv(M,B)", "B=7", "", KILN_TUNE_VERIFIED},
        {"K=64,M=-3072,s=0.5 grid=cdiv(M,B)", "B=8", "", KILN_TUNE_VERIFIED},
        {"K=64,M=99999999999999999999,s=0.5 grid=cdiv(M,B)", "B=9", "", KILN_TUNE_VERIFIED}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_tune_key_t key = KEY;
        key.arguments = rows[i].arguments;
        key.fixed = rows[i].fixed;
        expect(kiln_tune_store_put(store, &key, rows[i].config, kind, 5, rows[i].trust),
               KILN_STATUS_OK);
    }
    const char *far = "K=64,M=3072,s=0.5 grid=cdiv(M,B)";
    expect_near(store, far, KILN_TUNE_USE_EXACT, NULL, 0);
    expect_near(store, far, KILN_TUNE_USE_NEAR, rows[1].arguments, 1.5849625);
    expect_near(store, "K=128,M=64,s=0.5 grid=cdiv(M,B)", KILN_TUNE_USE_NEAR, rows[0].arguments, 1);
    expect_near(store, "K=128,M=512,s=0.5 grid=cdiv(M,B)", KILN_TUNE_USE_NEAR, rows[1].arguments,
                2);
    expect_near(store, rows[1].arguments, KILN_TUNE_USE_NEAR, rows[1].arguments, 0);
    expect_near(store, rows[2].arguments, KILN_TUNE_USE_NEAR, rows[2].arguments, 0);
    expect_near(store, rows[1].arguments, KILN_TUNE_USE_DEFAULT, NULL, 0);
    expect_near(store, "K=64,M=0,s=0.5 grid=cdiv(M,B)", KILN_TUNE_USE_NEAR, NULL, 0);
    expect_near(store, "K=64,M=64,s=0.75 grid=cdiv(M,B)", KILN_TUNE_USE_NEAR, NULL, 0);
    expect_near(store, "K=64", KILN_TUNE_USE_NEAR, NULL, 0);
    expect_near(store, "", KILN_TUNE_USE_NEAR, NULL, 0);
}

static void expect_of(kiln_tune_store_t *store, const char *arguments, kiln_tune_use_t use,
                      const char *config, const char *file)
{
    kiln_tune_match_t match = {.struct_size = sizeof match};
    const kiln_jit_tune_request_t request = {.struct_size = sizeof request,
                                             .kernel = KEY.kernel,
                                             .problem = KEY.problem,
                                             .device = KEY.device,
                                             .arguments = arguments};
    expect(kiln_tune_find(&request, store, use, &match), KILN_STATUS_OK);
    assert_string_equal(match.config, config);
    assert_true(file ? match.store && strstr(match.store, file) : !match.store);
    assert_int_equal(match.found,
                     match.distance > 0 ? KILN_TUNE_FOUND_NEAR : KILN_TUNE_FOUND_EXACTLY);
    free(match.config);
    free(match.arguments);
}

static void put_in(const char *path, const char *arguments, const char *config, double cost,
                   kiln_tune_trust_t trust)
{
    kiln_tune_store_t *store;
    kiln_tune_key_t key = KEY;
    key.arguments = arguments;
    expect(kiln_tune_store_open(path, &store), KILN_STATUS_OK);
    expect(kiln_tune_store_put(store, &key, config, KILN_COST_PREDICTED_NANOSECONDS, cost, trust),
           KILN_STATUS_OK);
    kiln_tune_store_release(store);
}

// The first store that has a result, even a more expensive one; but a verified result, and one for
// the same problem, before others.
// With SQLite's own files, which a connection for reading leaves behind.
static void remove_store(const char *path)
{
    static const char *const SUFFIXES[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < sizeof SUFFIXES / sizeof *SUFFIXES; i++) {
        char file[128];
        snprintf(file, sizeof file, "%s%s", path, SUFFIXES[i]);
        unlink(file);
    }
}

static void further_stores_are_read_in_order(void **state)
{
    kiln_tune_store_t *store = *state, *other = NULL;
    char project[96], system[96], paths[200];
    snprintf(project, sizeof project, "%s/project.db", directory);
    snprintf(system, sizeof system, "%s/system.db", directory);
    snprintf(paths, sizeof paths, "%s::%s:", project, system);
    put_in(project, "M=64", "B=1", 20, KILN_TUNE_UNVERIFIED);
    put_in(project, "M=32", "B=2", 20, KILN_TUNE_VERIFIED);
    put_in(system, "M=64", "B=3", 90, KILN_TUNE_VERIFIED);
    put_in(system, "M=32", "B=4", 10, KILN_TUNE_VERIFIED);
    put_in(system, "M=16", "B=5", 10, KILN_TUNE_VERIFIED);
    expect(kiln_tune_store_extend(&store, paths), KILN_STATUS_OK);
    assert_ptr_equal(store, *state);
    expect_of(store, "M=64", KILN_TUNE_USE_EXACT, "B=3", "system.db");
    expect_of(store, "M=32", KILN_TUNE_USE_EXACT, "B=2", "project.db");
    expect_of(store, "M=16", KILN_TUNE_USE_NEAR, "B=5", "system.db");
    expect_of(store, "M=48", KILN_TUNE_USE_NEAR, "B=3", "system.db");
    kiln_tune_key_t key = KEY;
    key.arguments = "M=32";
    expect(kiln_tune_store_put(store, &key, "B=6", KILN_COST_PREDICTED_NANOSECONDS, 99,
                               KILN_TUNE_VERIFIED),
           KILN_STATUS_OK);
    expect_of(store, "M=32", KILN_TUNE_USE_EXACT, "B=6", NULL);
    // Files that others wrote are not changed, nor merged.
    size_t count;
    expect(kiln_tune_store_open_existing(project, &other), KILN_STATUS_OK);
    expect(kiln_tune_store_merge(store, other, &count), KILN_STATUS_OK);
    assert_int_equal(count, 2);
    kiln_tune_store_release(other);
    other = NULL;
    expect(kiln_tune_store_extend(&other, system), KILN_STATUS_OK); // without a store of the user
    expect_of(other, "M=16", KILN_TUNE_USE_EXACT, "B=5", "system.db");
    kiln_tune_store_release(other);
    remove_store(project);
    remove_store(system);
}

static void what_was_not_verified_never_wins(void **state)
{
    kiln_tune_store_t *store = *state;
    const kiln_cost_kind_t predicted = KILN_COST_PREDICTED_NANOSECONDS;
    expect(kiln_tune_store_put(store, &KEY, "BLOCK=16", predicted, 1, KILN_TUNE_UNVERIFIED),
           KILN_STATUS_OK);
    expect_best(store, &KEY, "BLOCK=16", 1);
    expect_found(store, NULL, 0, "BLOCK=16");
    expect(kiln_tune_store_put(store, &KEY, "BLOCK=32", KILN_COST_ESTIMATED_CYCLES, 900,
                               KILN_TUNE_VERIFIED),
           KILN_STATUS_OK);
    expect_best(store, &KEY, "BLOCK=32", 900);
    expect_found(store, NULL, 0, "BLOCK=32");
    expect(kiln_tune_store_put(store, &KEY, "BLOCK=64", KILN_COST_MEASURED_NANOSECONDS, 1,
                               KILN_TUNE_UNVERIFIED),
           KILN_STATUS_OK);
    expect_best(store, &KEY, "BLOCK=32", 900);
    // A rejected configuration is removed, whatever its rank was.
    expect(kiln_tune_store_reject(store, &KEY, "BLOCK=32"), KILN_STATUS_OK);
    expect_best(store, &KEY, "BLOCK=64", 1);
    expect(kiln_tune_store_reject(store, &KEY, "BLOCK=64"), KILN_STATUS_OK);
    expect(kiln_tune_store_reject(store, &KEY, "BLOCK=16"), KILN_STATUS_OK);
    expect_best(store, &KEY, NULL, 0);
}

// A file of an older version, whose keys contained less: its rows are not read and cause no error.
static void rows_of_older_versions_are_not_read(void **state)
{
    (void)state;
    char path[96];
    snprintf(path, sizeof path, "%s/old.db", directory);
    sqlite3 *old;
    assert_int_equal(sqlite3_open(path, &old), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(
            old,
            "CREATE TABLE best (kernel TEXT NOT NULL, source_hash TEXT NOT NULL, device TEXT NOT "
            "NULL, arguments TEXT NOT NULL, build TEXT NOT NULL, kind INTEGER NOT NULL, config "
            "TEXT "
            "NOT NULL, cost REAL NOT NULL, PRIMARY KEY (kernel, source_hash, device, arguments, "
            "build, kind)) WITHOUT ROWID; INSERT INTO best VALUES ('gemm', '0123', 'gfx942:AMD "
            "Instinct MI300X (Kiln simulator):304:sim', 'K=64,M=64', '', 2, 'BLOCK=1', 1)",
            NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(old);
    kiln_tune_store_t *store = NULL;
    expect(kiln_tune_store_open_existing(path, &store), KILN_STATUS_OK);
    expect_found(store, NULL, 0, NULL);
    kiln_tune_store_release(store);
    expect(kiln_tune_store_open(path, &store), KILN_STATUS_OK);
    expect_best(store, &KEY, NULL, 0);
    expect(kiln_tune_store_put(store, &KEY, "BLOCK=2", KILN_COST_ESTIMATED_CYCLES, 5,
                               KILN_TUNE_VERIFIED),
           KILN_STATUS_OK);
    expect_best(store, &KEY, "BLOCK=2", 5);
    kiln_tune_store_release(store);
    unlink(path);
}

// A store that exists but is unreadable or not a file is an error, not an empty store.
static void a_store_that_cannot_be_looked_at_is_not_absent(void **state)
{
    (void)state;
    char path[96], other[96];
    kiln_tune_store_t *store;
    snprintf(path, sizeof path, "%s/loop", directory);
    snprintf(other, sizeof other, "%s/loop/tune.db", directory);
    assert_int_equal(symlink(path, path), 0);
    expect(kiln_tune_store_open_existing(other, &store), KILN_STATUS_IO);
    assert_null(store);
    expect(kiln_tune_store_open_existing(path, &store), KILN_STATUS_IO);
    expect(kiln_tune_store_open_existing(directory, &store), KILN_STATUS_IO);
    snprintf(other, sizeof other, "%s/none/tune.db", directory);
    expect(kiln_tune_store_open_existing(other, &store), KILN_STATUS_OK);
    assert_null(store);
    unlink(path);
    // Opening a pipe would wait for its other end.
    assert_int_equal(mkfifo(path, 0600), 0);
    expect(kiln_tune_store_open_existing(path, &store), KILN_STATUS_IO);
    assert_null(store);
    unlink(path);
}

// SQLite's readers also write files next to the database, but this directory is not writable.
static void a_store_can_be_read_in_a_directory_for_reading_only(void **state)
{
    (void)state;
    char place[64], path[96], log[112];
    kiln_tune_store_t *store;
    snprintf(place, sizeof place, "%s/a %%25?#b", directory);
    snprintf(path, sizeof path, "%s/tune.db", place);
    snprintf(log, sizeof log, "%s-wal", path);
    expect(kiln_tune_store_open(path, &store), KILN_STATUS_OK);
    expect(kiln_tune_store_put(store, &KEY, "BLOCK=2", KILN_COST_ESTIMATED_CYCLES, 5,
                               KILN_TUNE_VERIFIED),
           KILN_STATUS_OK);
    kiln_tune_store_release(store);
    assert_int_equal(chmod(directory, 0755) | chmod(place, 0555) | chmod(path, 0444), 0);
    const uid_t user = geteuid();
    const uid_t other = user ? user : 65534; // since root may write everywhere
    assert_int_equal(seteuid(other), 0);
    kiln_status_t status = kiln_tune_store_open_existing(path, &store);
    assert_int_equal(seteuid(user), 0);
    expect(status, KILN_STATUS_OK);
    expect_best(store, &KEY, "BLOCK=2", 5);
    kiln_tune_store_release(store);
    // What is written to a file for reading only would be lost without a word.
    assert_int_equal(chmod(place, 0777) | seteuid(other), 0);
    status = kiln_tune_store_open(path, &store);
    assert_int_equal(seteuid(user), 0);
    expect(status, KILN_STATUS_IO);
    assert_null(store);
    // If there is an unread write-ahead log next to it, the database alone is out of date.
    assert_int_equal(chmod(place, 0755), 0);
    FILE *file = fopen(log, "w");
    assert_non_null(file);
    fputs("something", file);
    fclose(file);
    assert_int_equal(chmod(log, 0444) | chmod(place, 0555), 0);
    assert_int_equal(seteuid(other), 0);
    status = kiln_tune_store_open_existing(path, &store);
    assert_int_equal(seteuid(user), 0);
    expect(status, KILN_STATUS_IO);
    assert_null(store);
    assert_int_equal(chmod(place, 0755) | unlink(log) | unlink(path) | rmdir(place), 0);
}

static void store_refuses_a_file_that_is_none(void **state)
{
    (void)state;
    char path[] = "/tmp/kiln-tune-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    static const char text[4096] = "this is no database, and it is long enough to be seen as none";
    assert_int_equal(write(file, text, sizeof text), sizeof text);
    close(file);
    kiln_tune_store_t *store;
    expect(kiln_tune_store_open(path, &store), KILN_STATUS_IO);
    assert_null(store);
    unlink(path);
}

static char database[64];

static int open_store(void **state)
{
    strcpy(directory + strlen(directory) - 6, "XXXXXX");
    if (!mkdtemp(directory))
        return -1;
    snprintf(database, sizeof database, "%s/tune.db", directory);
    kiln_tune_store_t *store;
    expect(kiln_tune_store_open(database, &store), KILN_STATUS_OK);
    *state = store;
    return 0;
}

static int close_store(void **state)
{
    kiln_tune_store_release(*state);
    unlink(database);
    return rmdir(directory); // SQLite's own files are gone when the last connection closes
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            store_keeps_the_cheapest_of_a_kind_and_prefers_measured_ones, open_store, close_store),
        cmocka_unit_test_setup_teardown(a_stored_cost_can_be_corrected, open_store, close_store),
        cmocka_unit_test_setup_teardown(samples_are_kept_as_they_are, open_store, close_store),
        cmocka_unit_test(arguments_are_one_problem_in_any_form),
        cmocka_unit_test_setup_teardown(lookup_fits_the_jit, open_store, close_store),
        cmocka_unit_test_setup_teardown(a_result_is_for_what_was_fixed_with_it, open_store,
                                        close_store),
        cmocka_unit_test_setup_teardown(the_nearest_problem_is_found_on_demand, open_store,
                                        close_store),
        cmocka_unit_test_setup_teardown(further_stores_are_read_in_order, open_store, close_store),
        cmocka_unit_test_setup_teardown(what_was_not_verified_never_wins, open_store, close_store),
        cmocka_unit_test_setup_teardown(rows_of_older_versions_are_not_read, open_store,
                                        close_store),
        cmocka_unit_test_setup_teardown(a_store_that_cannot_be_looked_at_is_not_absent, open_store,
                                        close_store),
        cmocka_unit_test_setup_teardown(a_store_can_be_read_in_a_directory_for_reading_only,
                                        open_store, close_store),
        cmocka_unit_test(store_refuses_a_file_that_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
