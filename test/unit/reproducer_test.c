// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reproducers of commands that work on several inputs at once: each thread's has its own input and
// its own file, and setting inputs is thread-safe.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/reproducer.h"

enum { THREADS = 8, INPUTS = 4000 };

static pthread_barrier_t all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // one file at a time
static char directory[] = "/tmp/kiln-reproducer-test-XXXXXX";

static void name_file(char *path, size_t size, unsigned number)
{
    const int pid = (int)getpid();
    if (number == 1)
        snprintf(path, size, "%s/kiln-reproducer-%d.txt", directory, pid);
    else
        snprintf(path, size, "%s/kiln-reproducer-%d-%u.txt", directory, pid, number);
}

// Whether the reproducer that the calling thread writes has this input.
static bool writes(const char *input)
{
    char path[96], expected[64], *text;
    size_t length;
    snprintf(expected, sizeof expected, "// kiln case folder\n%s", input);
    kiln_reproducer_write();
    name_file(path, sizeof path, 1);
    kiln_status_t status = kiln_file_read(path, &text, &length);
    unlink(path);
    const bool same = !status && strcmp(text, expected) == 0;
    kiln_status_free(status);
    free(text);
    return same;
}

static void *work(void *number)
{
    char input[32] = "";
    bool good;
    pthread_barrier_wait(&all);
    pthread_mutex_lock(&lock);
    good = writes("of the main thread");
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < INPUTS; i++) {
        snprintf(input, sizeof input, "%zu: %d", (size_t)number, i);
        kiln_reproducer_set_input(input, strlen(input));
    }
    pthread_barrier_wait(&all);
    pthread_mutex_lock(&lock);
    good = good && writes(input);
    pthread_mutex_unlock(&lock);
    return (void *)(uintptr_t)good;
}

static void test_threads_have_their_own(void **state)
{
    pthread_t threads[THREADS];
    (void)state;
    assert_int_equal(pthread_barrier_init(&all, NULL, THREADS), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)i), 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *good;
        assert_int_equal(pthread_join(threads[i], &good), 0);
        assert_non_null(good);
    }
    pthread_barrier_destroy(&all);
    assert_true(writes("of the main thread"));
}

static void test_next_input_replaces(void **state)
{
    (void)state;
    kiln_reproducer_set_input("next", 4);
    assert_true(writes("next"));
}

// A second crash of a process leaves the first one's file alone, and so does that of a later
// process with its number.
static void test_files_stay(void **state)
{
    enum { FILES = 12 };
    (void)state;
    for (unsigned i = 1; i <= FILES; i++) {
        char input[16];
        snprintf(input, sizeof input, "crash %u", i);
        kiln_reproducer_set_input(input, strlen(input));
        kiln_reproducer_write();
    }
    for (unsigned i = 1; i <= FILES; i++) {
        char path[96], expected[64], *text;
        size_t length;
        snprintf(expected, sizeof expected, "// kiln case folder\ncrash %u", i);
        name_file(path, sizeof path, i);
        assert_null(kiln_file_read(path, &text, &length));
        assert_string_equal(text, expected);
        free(text);
        unlink(path);
    }
}

int main(void)
{
    char *words[] = {"case", "folder"};
    if (!mkdtemp(directory) || setenv("TMPDIR", directory, 1) != 0)
        return 1;
    kiln_reproducer_begin(2, words);
    kiln_reproducer_set_input("of the main thread", 18);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_have_their_own),
        cmocka_unit_test(test_next_input_replaces),
        cmocka_unit_test(test_files_stay),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(directory);
    return failed;
}
