// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The disk cache: entries are returned unchanged, every flipped bit and every truncation is
// detected, modes and permissions of directories are respected.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
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
    assert_null(kiln_cache_open(fixture->directory, KILN_CACHE_READWRITE, 0, &fixture->cache));
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

static kiln_status_t put_item(kiln_cache_t *cache, kiln_hash_t key, const void *code, size_t size,
                              const char *manifest)
{
    const kiln_cache_item_t item = {(void *)(uintptr_t)code, size, (char *)(uintptr_t)manifest,
                                    (char[]){"told"}};
    return kiln_cache_put(cache, key, &item);
}

static void put(kiln_cache_t *cache)
{
    assert_null(put_item(cache, KEY, CODE, sizeof CODE, MANIFEST));
}

static kiln_cache_result_t get(const kiln_cache_t *cache)
{
    kiln_cache_item_t item;
    kiln_status_t why;
    kiln_cache_result_t result = kiln_cache_get(cache, KEY, &item, &why);
    bool is_bad = result == KILN_CACHE_CORRUPT || result == KILN_CACHE_UNREADABLE;
    assert_int_equal(why != NULL, is_bad);
    if (is_bad)
        assert_non_null(strstr(kiln_status_message(why), "99aabbccddeeff001122334455667788.kiln'"));
    kiln_status_free(why);
    if (result == KILN_CACHE_HIT) {
        assert_int_equal(item.code_object_size, sizeof CODE);
        assert_memory_equal(item.code_object, CODE, sizeof CODE);
        assert_string_equal(item.manifest, MANIFEST);
        assert_string_equal(item.diagnostics, "told");
    } else {
        assert_null(item.code_object);
        assert_null(item.manifest);
        assert_null(item.diagnostics);
    }
    kiln_cache_item_free(&item);
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
        assert_false(access(path, F_OK) == 0); // deleted, so that the next writer replaces it
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
    for (size_t length = 0; length <= size + 1;
         length++) { // one more byte, the NUL that kiln_file_read adds
        overwrite(path, file, length);
        assert_int_equal(get(&fixture->cache),
                         length == size ? KILN_CACHE_HIT : KILN_CACHE_CORRUPT);
    }
    free(file);
    free(path);
}

static void an_entry_under_another_key_is_corrupt(void **state)
{
    fixture_t *fixture = *state;
    put(&fixture->cache);
    kiln_hash_t other = {.low = 1, .high = 2};
    char *path = kiln_cache_path(&fixture->cache, KEY),
         *other_path = kiln_cache_path(&fixture->cache, other);
    assert_int_equal(rename(path, other_path), 0);
    kiln_cache_item_t item;
    kiln_status_t why;
    assert_int_equal(kiln_cache_get(&fixture->cache, other, &item, &why), KILN_CACHE_CORRUPT);
    kiln_status_free(why);
    free(path);
    free(other_path);
}

static void modes_write_or_do_not(void **state)
{
    fixture_t *fixture = *state;
    kiln_cache_t readonly, off;
    assert_null(kiln_cache_open(fixture->directory, KILN_CACHE_READONLY, 0, &readonly));
    put(&readonly);
    assert_int_equal(get(&readonly), KILN_CACHE_MISS);
    put(&fixture->cache);
    assert_int_equal(get(&readonly), KILN_CACHE_HIT);

    char *path = kiln_cache_path(&readonly, KEY);
    overwrite(path, "junk", 4);
    assert_int_equal(get(&readonly), KILN_CACHE_CORRUPT);
    assert_true(access(path, F_OK) == 0); // read-only mode does not delete
    free(path);
    kiln_cache_close(&readonly);

    assert_null(kiln_cache_open(fixture->directory, KILN_CACHE_OFF, 0, &off));
    put(&off);
    assert_int_equal(get(&off), KILN_CACHE_MISS);
    kiln_cache_close(&off);
    assert_null(kiln_cache_open(NULL, KILN_CACHE_READWRITE, 0, &off)); // no directory: off
    assert_int_equal(off.mode, KILN_CACHE_OFF);
    kiln_cache_close(&off);

    // If nothing is written, a directory that does not exist has only misses.
    assert_null(kiln_cache_open("/nowhere/cache", KILN_CACHE_REQUIRE, 0, &off));
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
    assert_null(kiln_cache_open(fresh, KILN_CACHE_READWRITE, 0, &cache));
    kiln_cache_close(&cache);
    struct stat info;
    assert_int_equal(stat(fresh, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);

    assert_int_equal(chmod(fresh, 0770), 0);
    kiln_status_t status = kiln_cache_open(fresh, KILN_CACHE_READWRITE, 0, &cache);
    assert_non_null(status);
    assert_non_null(strstr(kiln_status_message(status), "it is writable by others (mode 0770)"));
    kiln_status_free(status);
    kiln_cache_close(&cache);
    rmdir(fresh);
    free(fresh);
}

// Many writers and readers of one entry: a reader gets the whole entry or a miss.
static void *stress(void *data)
{
    kiln_cache_t *cache = data;
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
        assert_int_equal(pthread_create(&threads[i], NULL, stress, &fixture->cache), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

// Entries of equal size, by number. Entries with lower numbers have been unused for longer.
enum { ENTRY_SIZE = 72 + 1000 + sizeof MANIFEST - 1 + sizeof "told" - 1 };

static kiln_hash_t key_of(unsigned number)
{
    return (kiln_hash_t){.low = number, .high = 7};
}

static void put_number(kiln_cache_t *cache, unsigned number)
{
    char code[1000] = {(char)number};
    assert_null(put_item(cache, key_of(number), code, sizeof code, MANIFEST));
    char *path = kiln_cache_path(cache, key_of(number));
    const struct timespec times[2] = {{.tv_sec = 1000 + number}, {.tv_sec = 1000 + number}};
    if (access(path, F_OK) == 0)
        assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    free(path);
}

static bool holds(const kiln_cache_t *cache, unsigned number)
{
    char *path = kiln_cache_path(cache, key_of(number));
    bool there = access(path, F_OK) == 0;
    free(path);
    return there;
}

static void what_was_not_used_for_longest_goes_first(void **state)
{
    fixture_t *fixture = *state;
    kiln_cache_t cache;
    assert_null(kiln_cache_open(fixture->directory, KILN_CACHE_READWRITE, 10 * ENTRY_SIZE, &cache));
    for (unsigned i = 0; i < 10; i++)
        put_number(&cache, i);
    for (unsigned i = 0; i < 10; i++)
        assert_true(holds(&cache, i)); // exactly the limit
    // The first one is used again, so another one evicts the second and third: eviction frees an
    // eighth.
    kiln_cache_item_t item;
    kiln_status_t why;
    assert_int_equal(kiln_cache_get(&cache, key_of(0), &item, &why), KILN_CACHE_HIT);
    kiln_cache_item_free(&item);
    put_number(&cache, 10);
    assert_true(holds(&cache, 0));
    assert_false(holds(&cache, 1));
    assert_false(holds(&cache, 2));
    assert_false(holds(&cache, 3));
    for (unsigned i = 4; i <= 10; i++)
        assert_true(holds(&cache, i));
    kiln_cache_close(&cache);

    // Readers write nothing.
    assert_null(kiln_cache_open(fixture->directory, KILN_CACHE_READONLY, 1, &cache));
    assert_int_equal(kiln_cache_get(&cache, key_of(4), &item, &why), KILN_CACHE_HIT);
    kiln_cache_item_free(&item);
    kiln_cache_close(&cache);

    // A lower limit in another process also applies to existing entries, from its first kernel on.
    assert_null(kiln_cache_open(fixture->directory, KILN_CACHE_READWRITE, 2 * ENTRY_SIZE, &cache));
    put_number(&cache, 11);
    assert_true(holds(&cache, 11));
    for (unsigned i = 0; i <= 10; i++)
        assert_false(holds(&cache, i));
    kiln_cache_close(&cache);

    assert_null(kiln_cache_open(fixture->directory, KILN_CACHE_READWRITE, 100, &cache));
    kiln_status_t status = put_item(&cache, KEY, CODE, 200, MANIFEST);
    assert_int_equal(kiln_status_code(status), KILN_STATUS_OUT_OF_RESOURCES);
    assert_non_null(strstr(kiln_status_message(status), "is not cached"));
    kiln_status_free(status);
    kiln_cache_close(&cache);
    size_t count;
    uint64_t bytes;
    assert_null(kiln_cache_clear(fixture->directory, &count, &bytes));
    assert_int_equal(count, 1);
    assert_int_equal(bytes, ENTRY_SIZE);
}

typedef struct seen {
    size_t count, damaged;
    char keys[8][33];
} seen_t;

static kiln_status_t see(const kiln_cache_entry_t *entry, void *user)
{
    seen_t *seen = user;
    strcpy(seen->keys[seen->count++], entry->key);
    seen->damaged += entry->is_damaged;
    assert_int_equal(entry->struct_size, sizeof *entry);
    if (entry->is_damaged)
        assert_null(entry->kernel);
    return seen->count == 8 ? kiln_status_make(KILN_STATUS_UNSUPPORTED, "enough") : KILN_OK;
}

static void the_directory_is_listed_and_cleared(void **state)
{
    fixture_t *fixture = *state;
    kiln_cache_t *cache = &fixture->cache;
    static const char whole[] = "{\"kernel\":\"add\",\"block_size\":64,\"arguments\":[]}";
    assert_null(put_item(cache, key_of(1), CODE, sizeof CODE, whole));
    assert_null(put_item(cache, key_of(2), CODE, sizeof CODE, whole));
    char *path = kiln_cache_path(cache, key_of(2)), others[3][128];
    overwrite(path, "junk", 4);
    // Files that are not entries stay, except for old ones that a dead writer left.
    static const char *const names[] = {"tuned.sqlite",
                                        "00000000000000070000000000000001.kiln.5.tmp",
                                        "00000000000000070000000000000001.kiln.6.tmp"};
    for (int i = 0; i < 3; i++) {
        snprintf(others[i], sizeof others[i], "%s/%s", fixture->directory, names[i]);
        overwrite(others[i], "x", 1);
    }
    const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    assert_int_equal(utimensat(AT_FDCWD, others[1], old, 0), 0);
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    free(path);
    seen_t seen = {0};
    assert_null(kiln_cache_visit(fixture->directory, see, &seen));
    assert_int_equal(seen.count, 2);
    assert_int_equal(seen.damaged, 1);
    assert_string_equal(seen.keys[0], "00000000000000070000000000000001");
    assert_string_equal(seen.keys[1], "00000000000000070000000000000002");
    seen.count = 7; // `see` stops at the next one
    kiln_status_t status = kiln_cache_visit(fixture->directory, see, &seen);
    assert_int_equal(kiln_status_code(status), KILN_STATUS_UNSUPPORTED);
    kiln_status_free(status);
    assert_int_equal(seen.count, 8);

    size_t count;
    assert_null(kiln_cache_clear(fixture->directory, &count, NULL));
    assert_int_equal(count, 2);
    seen.count = 0;
    assert_null(kiln_cache_visit(fixture->directory, see, &seen));
    assert_int_equal(seen.count, 0);
    assert_int_equal(access(others[0], F_OK), 0);
    assert_int_equal(access(others[1], F_OK), -1);
    assert_int_equal(access(others[2], F_OK), 0);
    unlink(others[0]);
    unlink(others[2]);

    assert_null(kiln_cache_visit("/nowhere/cache", see, &seen));
    assert_null(kiln_cache_clear("/nowhere/cache", &count, NULL));
    assert_int_equal(count, 0);
    chmod(fixture->directory, 0777);
    status = kiln_cache_clear(fixture->directory, NULL, NULL);
    assert_int_equal(kiln_status_code(status), KILN_STATUS_IO);
    kiln_status_free(status);
    chmod(fixture->directory, 0700);
}

static void sizes_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t size;
    } good[] = {{"0", 0},        {"4096", 4096},  {"3k", 3 << 10},
                {"2M", 2 << 20}, {"1g", 1 << 30}, {"5t", UINT64_C(5) << 40}};
    static const char *const bad[] = {
        "", "k", "-1", " 1", "1kb", "1.5g", "18446744073709551616", "16777216t", "0x10"};
    uint64_t size;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_null(kiln_cache_size_parse(good[i].text, &size));
        assert_int_equal(size, good[i].size);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kiln_status_t status = kiln_cache_size_parse(bad[i], &size);
        assert_int_equal(kiln_status_code(status), KILN_STATUS_USAGE);
        kiln_status_free(status);
    }
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
        cmocka_unit_test_setup_teardown(what_was_not_used_for_longest_goes_first, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_directory_is_listed_and_cleared, set_up, tear_down),
        cmocka_unit_test(sizes_are_read),
    };
    return cmocka_run_group_tests_name("cache", tests, NULL, NULL);
}
