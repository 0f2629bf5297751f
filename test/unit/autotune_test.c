// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tuner's parts that need no device: the space, what a setting means, and the store.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kiln/tune.h"
#include "space.h"

#define VALUES(...)                                                                                                    \
    (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)

static void expect(kiln_status_t status, kiln_status_code_t code)
{
    assert_int_equal(kiln_status_code(status), code);
    kiln_status_free(status);
}

static void space_visits_every_combination_once(void **state)
{
    (void)state;
    const kiln_tune_axis_t axes[] = {{"num_warps", VALUES("4", "8")}, {"BLOCK", VALUES("16", "32", "64")}};
    const char *const wanted[] = {"BLOCK=16 num_warps=4", "BLOCK=32 num_warps=4", "BLOCK=64 num_warps=4",
                                  "BLOCK=16 num_warps=8", "BLOCK=32 num_warps=8", "BLOCK=64 num_warps=8"};
    size_t size;
    expect(kiln_space_size(axes, 2, &size), KILN_STATUS_OK);
    assert_int_equal(size, 6);
    for (size_t i = 0; i < size; i++) {
        kiln_tune_candidate_t candidate;
        expect(kiln_space_candidate(axes, 2, i, &candidate), KILN_STATUS_OK);
        assert_string_equal(candidate.config, wanted[i]);
        assert_string_equal(candidate.settings[0].name, "num_warps"); // settings keep the order of the axes
        kiln_space_candidate_free(&candidate);
    }
}

static void space_refuses_what_is_no_space(void **state)
{
    (void)state;
    size_t size;
    const kiln_tune_axis_t empty[] = {{"BLOCK", NULL, 0}};
    const kiln_tune_axis_t twice[] = {{"BLOCK", VALUES("1")}, {"BLOCK", VALUES("2")}};
    expect(kiln_space_size(empty, 1, &size), KILN_STATUS_USAGE);
    expect(kiln_space_size(twice, 2, &size), KILN_STATUS_USAGE);
    const char *many[1024];
    for (size_t i = 0; i < 1024; i++)
        many[i] = "1";
    const kiln_tune_axis_t huge[] = {{"A", many, 1024}, {"B", many, 1024}, {"C", many, 1024}};
    expect(kiln_space_size(huge, 3, &size), KILN_STATUS_USAGE);
}

static const kiln_tune_key_t KEY = {"gemm", "0123", "gfx942:AMD Instinct MI300X (Kiln simulator):304:sim", "K=64,M=64"};

static void expect_best(kiln_tune_store_t *store, const kiln_tune_key_t *key, const char *config, double cost)
{
    char *found = NULL;
    kiln_cost_kind_t kind;
    double value;
    expect(kiln_tune_store_get(store, key, &found, &kind, &value), config ? KILN_STATUS_OK : KILN_STATUS_NOT_FOUND);
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
    expect(kiln_tune_store_put(store, &KEY, "BLOCK=32", KILN_COST_ESTIMATED_CYCLES, 200), KILN_STATUS_OK);
    expect_best(store, &KEY, "BLOCK=32", 200);
    expect(kiln_tune_store_put(store, &KEY, "BLOCK=64", KILN_COST_ESTIMATED_CYCLES, 300), KILN_STATUS_OK);
    expect_best(store, &KEY, "BLOCK=32", 200);
    expect(kiln_tune_store_put(store, &KEY, "BLOCK=16", KILN_COST_ESTIMATED_CYCLES, 100), KILN_STATUS_OK);
    expect_best(store, &KEY, "BLOCK=16", 100);
    expect(kiln_tune_store_put(store, &KEY, "BLOCK=128", KILN_COST_MEASURED_NANOSECONDS, 9000), KILN_STATUS_OK);
    expect_best(store, &KEY, "BLOCK=128", 9000);
    kiln_tune_key_t other = KEY;
    other.arguments = "K=65,M=64";
    expect_best(store, &other, NULL, 0);
    kiln_tune_key_t only_kernel = KEY;
    only_kernel.kernel = ""; // the source's only kernel
    expect_best(store, &only_kernel, "BLOCK=128", 9000);
}

static void lookup_fits_the_jit(void **state)
{
    kiln_tune_store_t *store = *state;
    char *config = NULL;
    expect(kiln_tune_store_put(store, &KEY, "BLOCK=16 num_warps=8", KILN_COST_ESTIMATED_CYCLES, 1), KILN_STATUS_OK);
    expect(kiln_tune_lookup(NULL, KEY.source_hash, KEY.device, KEY.arguments, store, &config), KILN_STATUS_OK);
    assert_string_equal(config, "BLOCK=16 num_warps=8");
    free(config);
    expect(kiln_tune_lookup("softmax", KEY.source_hash, KEY.device, KEY.arguments, store, &config),
           KILN_STATUS_NOT_FOUND);
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

static char directory[] = "/tmp/kiln-tune-test-XXXXXX";
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
        cmocka_unit_test(space_visits_every_combination_once),
        cmocka_unit_test(space_refuses_what_is_no_space),

        cmocka_unit_test_setup_teardown(store_keeps_the_cheapest_of_a_kind_and_prefers_measured_ones, open_store,
                                        close_store),
        cmocka_unit_test_setup_teardown(lookup_fits_the_jit, open_store, close_store),
        cmocka_unit_test(store_refuses_a_file_that_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
