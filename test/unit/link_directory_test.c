// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linker files of a killed process are removed by the next process. Files of live processes, and
// files of versions without locks, are not.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/string.h"
#include "codegen/link/directory.h"
#include "expect_status.h"

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

// Starts a child that creates a directory with two files, reports its name, and waits.
static pid_t start_child(char path[80])
{
    int path_pipe[2];
    assert_int_equal(pipe(path_pipe), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        kiln_link_directory_t own;
        char name[128];
        bool good = !kiln_link_directory_make(&own);
        for (int i = 0; good && i < 2; i++) {
            snprintf(name, sizeof name, "%s/%d.o", own.path, i);
            good = !kiln_file_write(name, "object", 6, 0600, KILN_FILE_NO_SYNC);
        }
        good = good && write(path_pipe[1], own.path, sizeof own.path) == (ssize_t)sizeof own.path;
        for (;;)
            pause();
    }
    close(path_pipe[1]);
    assert_int_equal(read(path_pipe[0], path, 80), 80);
    close(path_pipe[0]);
    assert_true(is_there(path));
    return child;
}

static char *parent_of(const char *path)
{
    char *parent = strdup(path);
    *strrchr(parent, '/') = '\0';
    return parent;
}

static void a_killed_processs_files_are_swept(void **state)
{
    (void)state;
    char killed_path[80], live_path[80];
    pid_t killed = start_child(killed_path), living = start_child(live_path);
    char *parent = parent_of(killed_path);
    kiln_link_directory_sweep(parent);
    assert_true(is_there(killed_path)); // both processes are alive
    assert_true(is_there(live_path));
    kill(killed, SIGKILL);
    waitpid(killed, NULL, 0);
    assert_true(is_there(killed_path));
    kiln_link_directory_sweep(parent);
    assert_false(is_there(killed_path));
    assert_true(is_there(live_path));
    kill(living, SIGKILL);
    waitpid(living, NULL, 0);
    kiln_link_directory_t next; // the first of this process
    expect_ok(kiln_link_directory_make(&next));
    assert_false(is_there(live_path));
    assert_true(is_there(next.path));
    char name[128];
    snprintf(name, sizeof name, "%s/code.hsaco.tmp1234",
             next.path); // lld's name for an unfinished file
    expect_ok(kiln_file_write(name, "x", 1, 0600, KILN_FILE_NO_SYNC));
    char path[80];
    strcpy(path, next.path);
    kiln_link_directory_remove(&next);
    assert_false(is_there(path));
    kiln_link_directory_remove(&next); // has no effect
    free(parent);
}

static void what_may_be_in_use_stays(void **state)
{
    (void)state;
    char folder[] = "/tmp/kiln-link-directory-test.XXXXXX", path[128];
    assert_non_null(mkdtemp(folder));
    static const struct {
        const char *name;
        bool is_old, goes;
    } cases[] = {
        {"kiln-link-abcdef", false, false},
        {"kiln-link-ghijkl", true, true},
        {"kiln-link-12-abcdef", false, true},
        {"kiln-linker", true, false},
        {"other", true, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, cases[i].name);
        assert_int_equal(mkdir(path, 0700), 0);
        const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
        if (cases[i].is_old)
            assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    }
    snprintf(path, sizeof path, "%s/kiln-link-9-file", folder); // not a directory
    expect_ok(kiln_file_write(path, "x", 1, 0600, KILN_FILE_NO_SYNC));
    snprintf(path, sizeof path, "%s/kiln-link-9-link", folder);
    assert_int_equal(symlink("/tmp", path), 0);
    kiln_link_directory_sweep(folder);
    assert_true(is_there(path));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, cases[i].name);
        assert_int_equal(is_there(path), !cases[i].goes);
    }
    kiln_link_directory_sweep("/nowhere/at/all");
    snprintf(path, sizeof path, "rm -r %s", folder);
    assert_int_equal(system(path), 0);
}

static void *make_and_sweep(void *user)
{
    for (int i = 0; i < 200; i++) {
        kiln_link_directory_t own;
        kiln_status_t status = kiln_link_directory_make(&own);
        if (!status) {
            char name[128];
            char *parent = parent_of(own.path);
            kiln_link_directory_sweep(parent);
            free(parent);
            snprintf(name, sizeof name, "%s/1.o", own.path);
            status = kiln_file_write(name, "object", 6, 0600, KILN_FILE_NO_SYNC);
        }
        __atomic_fetch_add((int *)user, status != NULL, __ATOMIC_RELAXED);
        kiln_status_free(status);
        kiln_link_directory_remove(&own);
    }
    return NULL;
}

static void makers_and_sweepers_do_not_meet(void **state)
{
    (void)state;
    pthread_t threads[4];
    int failures = 0;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, make_and_sweep, &failures), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_processs_files_are_swept),
        cmocka_unit_test(what_may_be_in_use_stays),
        cmocka_unit_test(makers_and_sweepers_do_not_meet),
    };
    return cmocka_run_group_tests_name("link_directory", tests, NULL, NULL);
}
