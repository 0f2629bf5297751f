// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The origin of the JIT's code: the compiler, memory, or the cache on disk, whose entries may be
// damaged or unreadable.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect_status.h"
#include "fake_hip/fake_hip.h"
#include "jit_fixture.h"
#include "kiln/jit.h"

static void code_comes_from_compiler_then_memory_then_disk(void **state)
{
    fixture_t *fixture = *state;
    assert_int_equal(prepare(fixture), KILN_JIT_COMPILED);
    assert_int_equal(prepare(fixture), KILN_JIT_FROM_MEMORY);
    make_jit(fixture); // like a new process
    assert_int_equal(prepare(fixture), KILN_JIT_FROM_DISK);
    assert_int_equal(prepare(fixture), KILN_JIT_FROM_MEMORY);
    assert_int_equal(fixture->compiler.count, 1);
    kiln_jit_statistics_t statistics = {.struct_size = sizeof statistics};
    kiln_jit_get_statistics(fixture->jit, &statistics);
    assert_int_equal(statistics.disk_hits, 1);
    assert_int_equal(statistics.memory_hits, 1);
    assert_int_equal(statistics.compiles, 0);
}

static void a_damaged_entry_is_compiled_again(void **state)
{
    fixture_t *fixture = *state;
    prepare(fixture);
    char command[128];
    snprintf(command, sizeof command, "for f in %s/*.kiln; do echo junk > $f; done",
             fixture->directory);
    assert_int_equal(system(command), 0);
    make_jit(fixture);
    assert_int_equal(prepare(fixture), KILN_JIT_COMPILED);
    kiln_jit_statistics_t statistics = {.struct_size = sizeof statistics};
    kiln_jit_get_statistics(fixture->jit, &statistics);
    assert_int_equal(statistics.corrupt_entries, 1);
    make_jit(fixture);
    assert_int_equal(prepare(fixture), KILN_JIT_FROM_DISK); // the entry was replaced
}

// A file-system object in the place of an entry, and why it cannot be read, even by root.
typedef struct obstacle {
    const char *command, *why;
} obstacle_t;

static const obstacle_t obstacles[] = {
    {"for f in %s/*.kiln; do rm -rf $f; mkdir $f; done", "Is a directory"},
    {"for f in %s/*.kiln; do rm -rf $f; ln -s $f $f; done", "Too many levels of symbolic links"},
    {"for f in %s/*.kiln; do rm -rf $f; echo junk >$f; done", "is corrupt"},
    {"for f in %s/*.kiln; do rm -rf $f; ln -s /proc/self/mem $f; done", "Input/output error"},
};
enum { OBSTACLES = sizeof obstacles / sizeof *obstacles };

static void put_obstacle(const fixture_t *fixture, size_t which)
{
    char command[256];
    snprintf(command, sizeof command, obstacles[which].command, fixture->directory);
    assert_int_equal(system(command), 0);
}

static void remember_log(const char *message, void *user)
{
    char *log = user;
    snprintf(log + strlen(log), 2048 - strlen(log), "%s", message);
}

static void an_entry_that_cannot_be_read_is_no_miss(void **state)
{
    fixture_t *fixture = *state;
    static char log[2048];
    fixture->options.log = remember_log;
    fixture->options.log_user = log;
    for (size_t i = 0; i < OBSTACLES; i++) {
        fixture->options.cache_mode = KILN_CACHE_READWRITE;
        make_jit(fixture);
        prepare(fixture);
        put_obstacle(fixture, i);

        fixture->options.cache_mode = KILN_CACHE_REQUIRE;
        make_jit(fixture);
        kiln_jit_kernel_t *kernel;
        expect_failure(kiln_jit_prepare(fixture->jit, &fixture->call, &kernel, NULL),
                       KILN_STATUS_IO, obstacles[i].why);
        expect_failure(kiln_jit_prepare(fixture->jit, &fixture->call, &kernel, NULL),
                       KILN_STATUS_IO, ".kiln'");
        assert_null(kernel);

        static const kiln_cache_mode_t modes[] = {KILN_CACHE_READONLY, KILN_CACHE_READWRITE};
        for (size_t m = 0; m < 2; m++) {
            fixture->options.cache_mode = modes[m];
            make_jit(fixture);
            *log = '\0';
            assert_int_equal(prepare(fixture), KILN_JIT_COMPILED);
            assert_non_null(strstr(log, obstacles[i].why));
            assert_non_null(strstr(log, fixture->directory));
            assert_non_null(strstr(log, "recompiled"));
            kiln_jit_statistics_t statistics = {.struct_size = sizeof statistics};
            kiln_jit_get_statistics(fixture->jit, &statistics);
            assert_int_equal(statistics.corrupt_entries + statistics.unreadable_entries, 1);
            assert_int_equal(statistics.corrupt_entries,
                             strcmp(obstacles[i].why, "is corrupt") == 0);
        }
        char command[128];
        snprintf(command, sizeof command, "rm -rf %s/*.kiln", fixture->directory);
        assert_int_equal(system(command), 0);
    }
}

static kiln_status_t take_entry(const kiln_cache_entry_t *entry, void *user)
{
    assert_true(entry->is_damaged);
    assert_null(entry->kernel);
    assert_non_null(strstr(entry->why, *(const char **)user));
    *(const char **)user = NULL;
    return KILN_OK;
}

static void what_cannot_be_read_is_listed_with_why(void **state)
{
    fixture_t *fixture = *state;
    prepare(fixture);
    for (size_t i = 0; i < OBSTACLES; i++) {
        put_obstacle(fixture, i);
        const char *why = obstacles[i].why;
        expect_ok(kiln_cache_visit(fixture->directory, take_entry, &why));
        assert_null(why);
    }
}

static void require_never_compiles(void **state)
{
    fixture_t *fixture = *state;
    fixture->options.cache_mode = KILN_CACHE_REQUIRE;
    make_jit(fixture);
    kiln_jit_kernel_t *kernel;
    expect_failure(kiln_jit_prepare(fixture->jit, &fixture->call, &kernel, NULL),
                   KILN_STATUS_NOT_FOUND, "kernel 'add3' of 'add.tile.c' is not in the cache");
    assert_null(kernel);
    assert_int_equal(fixture->compiler.count, 0);
    fixture->options.cache_mode = KILN_CACHE_READWRITE;
    make_jit(fixture);
    prepare(fixture);
    fixture->options.cache_mode = KILN_CACHE_REQUIRE;
    fixture->options.compile = NULL;
    make_jit(fixture);
    assert_int_equal(prepare(fixture), KILN_JIT_FROM_DISK);

    fixture->options.cache_mode = KILN_CACHE_READWRITE;
    kiln_jit_t *none;
    expect_failure(kiln_jit_create(fixture->device, &fixture->options, &none), KILN_STATUS_USAGE,
                   "options->compile is NULL");
    fixture->options.compile = fake_compile;
    fixture->options.identify = NULL;
    expect_failure(kiln_jit_create(fixture->device, &fixture->options, &none), KILN_STATUS_USAGE,
                   "options->identify is NULL");
}

static void failures_are_passed_on_and_not_kept(void **state)
{
    fixture_t *fixture = *state;
    fixture->compiler.fails = true;
    kiln_jit_kernel_t *kernel;
    for (int i = 0; i < 2; i++)
        expect_failure(kiln_jit_prepare(fixture->jit, &fixture->call, &kernel, NULL),
                       KILN_STATUS_INVALID_INPUT, "add.tile.c:3:7: no such tile");
    assert_int_equal(fixture->compiler.count, 2);
    fixture->compiler.fails = false;
    assert_int_equal(prepare(fixture), KILN_JIT_COMPILED);
    fixture->call.kernel = "other";
    fixture->compiler.manifest = "{\"kernel\": \"add3\"}";
    expect_failure(kiln_jit_prepare(fixture->jit, &fixture->call, &kernel, NULL),
                   KILN_STATUS_INVALID_INPUT, "while reading a kernel's manifest");
}

int main(void)
{
#define JIT_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        JIT_TEST(code_comes_from_compiler_then_memory_then_disk),
        JIT_TEST(a_damaged_entry_is_compiled_again),
        JIT_TEST(an_entry_that_cannot_be_read_is_no_miss),
        JIT_TEST(what_cannot_be_read_is_listed_with_why),
        JIT_TEST(require_never_compiles),
        JIT_TEST(failures_are_passed_on_and_not_kept),
    };
    return cmocka_run_group_tests_name("jit_cache", tests, NULL, NULL);
}
