// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The disk cache: entries come back whole, every flipped bit and every cut is found, modes and directory rights hold.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "jit/cache.h"

static const kiln_hash_t KEY = {.low = 0x1122334455667788, .high = 0x99AABBCCDDEEFF00};
static const char CODE[] = "\x7f"
                           "ELF code\0with zeros";
static const char MANIFEST[] = "{\"kernel\":\"k\"}";

typedef struct fixture {
    char directory[64];
    kiln_cache_t cache;
} fixture_t;

static int set_up(void **state)
{
    fixture_t *fixture = calloc(1, sizeof *fixture);
    strcpy(fixture->directory, "/tmp/kiln-cache-test.XXXXXX");
    assert_non_null(mkdtemp(fixture->directory));
    assert_null(kiln_cache_open(fixture->directory, KILN_CACHE_READWRITE, &fixture->cache));
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    fixture_t *fixture = *state;
    char *path = kiln_cache_path(&fixture->cache, KEY);
    unlink(path);
    free(path);
    kiln_cache_close(&fixture->cache);
    int left = rmdir(fixture->directory); // fails if a temporary file is left
    free(fixture);
    return left;
}

static void put(const kiln_cache_t *cache)
{
    assert_null(kiln_cache_put(cache, KEY, CODE, sizeof CODE, MANIFEST));
}

static kiln_cache_result_t get(const kiln_cache_t *cache)
{
    void *code;
    size_t size;
    char *manifest;
    kiln_cache_result_t result = kiln_cache_get(cache, KEY, &code, &size, &manifest);
    if (result == KILN_CACHE_HIT) {
        assert_int_equal(size, sizeof CODE);
        assert_memory_equal(code, CODE, size);
        assert_string_equal(manifest, MANIFEST);
    } else {
        assert_null(code);
        assert_null(manifest);
    }
    free(code);
    free(manifest);
    return result;
}

static void entries_come_back(void **state)
{
    fixture_t *fixture = *state;
    assert_int_equal(get(&fixture->cache), KILN_CACHE_MISS);
    put(&fixture->cache);
    assert_int_equal(get(&fixture->cache), KILN_CACHE_HIT);
    char *path = kiln_cache_path(&fixture->cache, KEY);
    assert_string_equal(kiln_path_base(path), "99aabbccddeeff001122334455667788.kiln");
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    free(path);
}

// Rewrites the entry's file with the given bytes.
static void overwrite(const char *path, const char *data, size_t size)
{
    assert_null(kiln_file_write(path, data, size, 0600, KILN_FILE_NO_SYNC));
}

static void every_flipped_byte_is_found(void **state)
{
    fixture_t *fixture = *state;
    put(&fixture->cache);
    char *path = kiln_cache_path(&fixture->cache, KEY), *file;
    size_t size;
    assert_null(kiln_file_read(path, &file, &size));
    for (size_t i = 0; i < size; i++) {
        file[i] ^= 0x10;
        overwrite(path, file, size);
        assert_int_equal(get(&fixture->cache), KILN_CACHE_CORRUPT);
        assert_false(kiln_file_exists(path)); // deleted, so that the next writer mends it
        file[i] ^= 0x10;
    }
    overwrite(path, file, size);
    assert_int_equal(get(&fixture->cache), KILN_CACHE_HIT);
    free(file);
    free(path);
}

static void every_cut_and_tail_is_found(void **state)
{
    fixture_t *fixture = *state;
    put(&fixture->cache);
    char *path = kiln_cache_path(&fixture->cache, KEY), *file;
    size_t size;
    assert_null(kiln_file_read(path, &file, &size));
    for (size_t length = 0; length <= size + 1; length++) { // one more: the NUL that kiln_file_read adds
        overwrite(path, file, length);
        assert_int_equal(get(&fixture->cache), length == size ? KILN_CACHE_HIT : KILN_CACHE_CORRUPT);
    }
    free(file);
    free(path);
}

static void an_entry_under_another_key_is_corrupt(void **state)
{
    fixture_t *fixture = *state;
    put(&fixture->cache);
    kiln_hash_t other = {.low = 1, .high = 2};
    char *path = kiln_cache_path(&fixture->cache, KEY), *other_path = kiln_cache_path(&fixture->cache, other);
    assert_int_equal(rename(path, other_path), 0);
    void *code;
    size_t size;
    char *manifest;
    assert_int_equal(kiln_cache_get(&fixture->cache, other, &code, &size, &manifest), KILN_CACHE_CORRUPT);
    free(path);
    free(other_path);
}

static void modes_write_or_do_not(void **state)
{
    fixture_t *fixture = *state;
    kiln_cache_t readonly, off;
    assert_null(kiln_cache_open(fixture->directory, KILN_CACHE_READONLY, &readonly));
    put(&readonly);
    assert_int_equal(get(&readonly), KILN_CACHE_MISS);
    put(&fixture->cache);
    assert_int_equal(get(&readonly), KILN_CACHE_HIT);

    char *path = kiln_cache_path(&readonly, KEY);
    overwrite(path, "junk", 4);
    assert_int_equal(get(&readonly), KILN_CACHE_CORRUPT);
    assert_true(kiln_file_exists(path)); // not ours to delete
    free(path);
    kiln_cache_close(&readonly);

    assert_null(kiln_cache_open(fixture->directory, KILN_CACHE_OFF, &off));
    put(&off);
    assert_int_equal(get(&off), KILN_CACHE_MISS);
    kiln_cache_close(&off);
    assert_null(kiln_cache_open(NULL, KILN_CACHE_READWRITE, &off)); // no directory: off
    assert_int_equal(off.mode, KILN_CACHE_OFF);
    kiln_cache_close(&off);

    // A directory that is not there is all misses where nothing is written.
    assert_null(kiln_cache_open("/nowhere/cache", KILN_CACHE_REQUIRE, &off));
    assert_int_equal(get(&off), KILN_CACHE_MISS);
    kiln_cache_close(&off);
}

static void mode_names_round_trip(void **state)
{
    (void)state;
    for (int i = KILN_CACHE_READWRITE; i <= KILN_CACHE_OFF; i++) {
        kiln_cache_mode_t mode;
        assert_null(kiln_cache_mode_parse(kiln_cache_mode_name((kiln_cache_mode_t)i), &mode));
        assert_int_equal(mode, i);
    }
    kiln_cache_mode_t mode;
    kiln_status_t status = kiln_cache_mode_parse("sometimes", &mode);
    assert_int_equal(kiln_status_code(status), KILN_STATUS_USAGE);
    kiln_status_free(status);
}

static void directories_are_private_or_refused(void **state)
{
    fixture_t *fixture = *state;
    char *fresh = kiln_path_join(fixture->directory, "fresh");
    kiln_cache_t cache;
    assert_null(kiln_cache_open(fresh, KILN_CACHE_READWRITE, &cache));
    kiln_cache_close(&cache);
    struct stat info;
    assert_int_equal(stat(fresh, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);

    assert_int_equal(chmod(fresh, 0770), 0);
    kiln_status_t status = kiln_cache_open(fresh, KILN_CACHE_READWRITE, &cache);
    assert_non_null(status);
    assert_non_null(strstr(kiln_status_message(status), "others may write it (mode 0770)"));
    kiln_status_free(status);
    kiln_cache_close(&cache);
    rmdir(fresh);
    free(fresh);
}

// Many writers and readers of one entry: a reader gets all of it or a miss.
static void *hammer(void *data)
{
    const kiln_cache_t *cache = data;
    for (int i = 0; i < 300; i++) {
        put(cache);
        assert_int_equal(get(cache), KILN_CACHE_HIT);
    }
    return NULL;
}

static void concurrent_use_never_tears(void **state)
{
    fixture_t *fixture = *state;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, hammer, &fixture->cache), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(entries_come_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_flipped_byte_is_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_cut_and_tail_is_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_entry_under_another_key_is_corrupt, set_up, tear_down),
        cmocka_unit_test_setup_teardown(modes_write_or_do_not, set_up, tear_down),
        cmocka_unit_test(mode_names_round_trip),
        cmocka_unit_test_setup_teardown(directories_are_private_or_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(concurrent_use_never_tears, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("cache", tests, NULL, NULL);
}
