// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a group that need no Open MPI: the candidates that rank 0 gives out, and the files
// beside the store. lit's run/tune_mpi.test has whole groups.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "group_files.h"
#include "group_queue.h"
#include "space.h"

#define VALUES(...)                                                                                \
    (const char *const[]){__VA_ARGS__},                                                            \
        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)

enum { COUNT = 16 };

static const kiln_tune_axis_t axes[] = {{"A", VALUES("1", "2", "3", "4")},
                                        {"B", VALUES("1", "2", "3", "4")}};

typedef struct space {
    kiln_tune_problem_t problem;
    kiln_tune_candidate_t candidates[COUNT];
    kiln_tune_sample_t samples[COUNT];
    kiln_group_queue_t *queue;
} space_t;

static void begin(space_t *space, kiln_tune_strategy_t strategy, size_t budget, size_t recalled)
{
    *space = (space_t){0};
    kiln_tune_problem_initialize(&space->problem);
    space->problem.axes = axes;
    space->problem.axis_count = 2;
    space->problem.strategy = strategy;
    space->problem.budget = budget;
    for (size_t i = 0; i < COUNT; i++) {
        assert_null(kiln_space_candidate(axes, 2, i, &space->candidates[i]));
        space->samples[i] =
            (kiln_tune_sample_t){.candidate = &space->candidates[i],
                                 .verdict = i < recalled ? KILN_TUNE_OK : KILN_TUNE_UNTRIED,
                                 .cost = 100};
    }
    assert_null(kiln_group_queue_create(&space->problem, space->candidates, space->samples, COUNT,
                                        &space->queue));
}

static void end(space_t *space)
{
    kiln_group_queue_release(space->queue);
    for (size_t i = 0; i < COUNT; i++)
        kiln_space_candidate_free(&space->candidates[i]);
}

static void an_exhaustive_queue_gives_out_each_candidate_once_in_order(void **state)
{
    (void)state;
    space_t space;
    size_t index;
    begin(&space, KILN_TUNE_EXHAUSTIVE, 0, 3);
    assert_int_equal(kiln_group_queue_count(space.queue), COUNT);
    assert_int_equal(kiln_group_queue_done(space.queue), 3);
    assert_int_equal(kiln_group_queue_planned(space.queue), COUNT);
    for (size_t i = 3; i < COUNT; i++) {
        assert_null(kiln_group_queue_next(space.queue, &index));
        assert_int_equal(index, i);
    }
    // None of them has been reported, and none is given out again.
    assert_null(kiln_group_queue_next(space.queue, &index));
    assert_int_equal(index, COUNT);
    kiln_group_queue_report(space.queue, 5, KILN_TUNE_REJECTED, 0);
    kiln_group_queue_report(space.queue, 5, KILN_TUNE_OK, 1); // once
    kiln_group_queue_report(space.queue, COUNT, KILN_TUNE_OK, 1);
    assert_int_equal(kiln_group_queue_done(space.queue), 4);
    end(&space);
}

// With four ranks that are as fast as each other, and results that come late.
static void a_guided_queue_repeats_nothing_while_others_are_busy(void **state)
{
    (void)state;
    enum { RANKS = 4, BUDGET = 14 };
    space_t space;
    bool given[COUNT] = {false};
    size_t hands[RANKS], index, total = 0;
    begin(&space, KILN_TUNE_GUIDED, BUDGET, 0);
    assert_int_equal(kiln_group_queue_planned(space.queue), BUDGET);
    for (size_t i = 0; i < RANKS; i++)
        hands[i] = COUNT;
    for (size_t turn = 0; turn < 64; turn++) {
        size_t *hand = &hands[turn % RANKS];
        if (*hand < COUNT)
            kiln_group_queue_report(space.queue, *hand, KILN_TUNE_OK, 100 + (double)*hand);
        assert_null(kiln_group_queue_next(space.queue, &index));
        *hand = index;
        if (index == COUNT)
            continue;
        assert_false(given[index]);
        given[index] = true;
        total++;
    }
    assert_int_equal(total, BUDGET);
    assert_int_equal(kiln_group_queue_done(space.queue), BUDGET);
    end(&space);
}

// Files -------------------------------------------------------------------------------------------

static char directory[] = "/tmp/kiln-group-XXXXXX";

static void a_lock_ends_with_its_process(void **state)
{
    (void)state;
    char path[64];
    int file, other, code;
    snprintf(path, sizeof path, "%s/below/tune.db", directory);
    assert_int_equal(kiln_group_lock_state(path, 2), KILN_GROUP_LOCK_MISSING);
    assert_null(kiln_group_lock(path, 2, &file));
    assert_int_equal(kiln_group_lock_state(path, 2), KILN_GROUP_LOCK_HELD);
    assert_int_equal(kiln_group_lock_state(path, 1), KILN_GROUP_LOCK_MISSING);
    kiln_status_t status = kiln_group_lock(path, 2, &other);
    assert_int_equal(kiln_status_code(status), KILN_STATUS_USAGE);
    kiln_status_free(status);
    kiln_group_unlock(path, 2, file);
    assert_int_equal(kiln_group_lock_state(path, 2), KILN_GROUP_LOCK_MISSING);
    const pid_t child = fork();
    if (child == 0) {
        status = kiln_group_lock(path, 3, &file);
        _exit(status ? 1 : kiln_group_lock_state(path, 3) == KILN_GROUP_LOCK_HELD ? 0 : 2);
    }
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_int_equal(code, 0);
    assert_int_equal(kiln_group_lock_state(path, 3), KILN_GROUP_LOCK_FREE);
}

static void put(const char *path, const char *config, double cost)
{
    const kiln_tune_key_t key = {"k", "0", "d", "n=1", ""};
    const kiln_tune_record_t record = {.struct_size = sizeof record,
                                       .key = key,
                                       .code = kiln_code_id(),
                                       .config = config,
                                       .conditions = "",
                                       .reason = "",
                                       .bound = "",
                                       .launch = "",
                                       .symbol = "k",
                                       .cost = cost};
    kiln_tune_store_t *store;
    assert_null(kiln_tune_store_open(path, &store));
    assert_null(kiln_tune_store_add(store, KILN_TUNE_SAMPLES, &record));
    kiln_tune_store_release(store);
}

static kiln_status_t count_sample(const kiln_tune_record_t *record, void *user)
{
    (void)record;
    ++*(size_t *)user;
    return KILN_OK;
}

static size_t count_samples(const char *path)
{
    size_t count = 0;
    kiln_tune_store_t *store;
    assert_null(kiln_tune_store_open_existing(path, &store));
    assert_non_null(store);
    assert_null(kiln_tune_store_visit(store, KILN_TUNE_SAMPLES, count_sample, &count));
    kiln_tune_store_release(store);
    return count;
}

static bool exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

static void stores_of_ranks_are_added_and_deleted(void **state)
{
    (void)state;
    char path[64], other[64];
    snprintf(path, sizeof path, "%s/tune.db", directory);
    snprintf(other, sizeof other, "%s/tune.db.rank2x", directory); // not a rank's
    put(path, "A=1", 1);
    char *one = kiln_group_store_path(path, 1), *eleven = kiln_group_store_path(path, 11),
         *own = kiln_group_store_path(path, 0);
    assert_string_equal(own, path);
    put(one, "A=2", 2);
    put(eleven, "A=3", 3);
    put(other, "A=4", 4);
    assert_null(kiln_group_add_stores(path));
    assert_int_equal(count_samples(path), 3);
    assert_false(exists(one) || exists(eleven));
    assert_true(exists(other));
    assert_null(kiln_group_add_stores(path)); // nothing is left to add
    assert_int_equal(count_samples(path), 3);

    // A file that is not a store stays, and is an error.
    FILE *broken = fopen(one, "w");
    assert_non_null(broken);
    assert_true(fprintf(broken, "this is no database, and long enough to be seen as none\n") > 0);
    assert_int_equal(fclose(broken), 0);
    kiln_status_t status = kiln_group_add_stores(path);
    assert_int_equal(kiln_status_code(status), KILN_STATUS_IO);
    kiln_status_free(status);
    assert_true(exists(one));
    free(one);
    free(eleven);
    free(own);
}

static int make_directory(void **state)
{
    (void)state;
    return mkdtemp(directory) ? 0 : 1;
}

static int remove_directory(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exhaustive_queue_gives_out_each_candidate_once_in_order),
        cmocka_unit_test(a_guided_queue_repeats_nothing_while_others_are_busy),
        cmocka_unit_test(a_lock_ends_with_its_process),
        cmocka_unit_test(stores_of_ranks_are_added_and_deleted),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
