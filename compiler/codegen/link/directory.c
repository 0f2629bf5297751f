// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates private directories and sweeps abandoned ones. A directory is in use while a process
// holds a lock on it; the kernel releases the locks of a process that dies. A directory that nobody
// has locked is abandoned.
//
// Note that a directory is created before it is locked, and may be swept in between; so its creator
// checks again, and creates another. Earlier versions had no locks: their directories, whose names
// contain no process, are swept only if they are old.
#include "codegen/link/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/string.h"

#define PREFIX "kiln-link-"
enum { OLD_SECONDS = 600, ATTEMPTS = 16 };

static void remove_files(int directory)
{
    int again = dup(directory); // closedir closes it
    DIR *list = again < 0 ? NULL : fdopendir(again);
    if (!list) {
        if (again >= 0)
            close(again);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(list));)
        unlinkat(directory, entry->d_name, 0); // "." and ".." stay
    closedir(list);
}

static bool may_be_abandoned(const char *name, const struct stat *info)
{
    bool has_process = strchr(name + strlen(PREFIX), '-') != NULL;
    return info->st_uid == geteuid() && (has_process || time(NULL) - info->st_mtime > OLD_SECONDS);
}

void kiln_link_directory_sweep(const char *parent)
{
    DIR *list = opendir(parent);
    for (const struct dirent *entry; list && (entry = readdir(list));) {
        if (!kiln_string_starts_with(entry->d_name, PREFIX))
            continue;
        struct stat info;
        int at =
            openat(dirfd(list), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (at < 0)
            continue; // already gone, or owned by someone else
        if (fstat(at, &info) == 0 && may_be_abandoned(entry->d_name, &info) &&
            flock(at, LOCK_EX | LOCK_NB) == 0) {
            remove_files(at);
            unlinkat(dirfd(list), entry->d_name, AT_REMOVEDIR);
        }
        close(at);
    }
    if (list)
        closedir(list);
}

// In the order in which they are tried; the first in which a directory can be created is swept,
// once per process.
static const char *const parents[] = {"/dev/shm", P_tmpdir, "/var/tmp", "."};
enum { PARENTS = sizeof parents / sizeof *parents };
static atomic_bool swept[PARENTS];

// Opens and locks it. Returns false if that fails or if it was swept before; errno is ENOENT then.
static bool hold(kiln_link_directory_t *directory)
{
    struct stat held, named;
    directory->handle = open(directory->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory->handle < 0)
        return false;
    int ignored = flock(directory->handle, LOCK_EX); // without locks nothing is swept
    (void)ignored;
    if (fstat(directory->handle, &held) == 0 && stat(directory->path, &named) == 0 &&
        held.st_ino == named.st_ino && held.st_dev == named.st_dev)
        return true;
    close(directory->handle);
    directory->handle = -1;
    errno = ENOENT;
    return false;
}

kiln_status_t kiln_link_directory_make(kiln_link_directory_t *out)
{
    int error = 0;
    for (size_t i = 0; i < PARENTS; i++) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            *out = (kiln_link_directory_t){.handle = -1};
            snprintf(out->path, sizeof out->path, "%s/" PREFIX "%ld-XXXXXX", parents[i],
                     (long)getpid());
            bool is_made = mkdtemp(out->path) != NULL;
            if (!is_made || !hold(out)) {
                error = errno;
                if (is_made)
                    rmdir(out->path);
                if (is_made && error == ENOENT)
                    continue;
                break;
            }
            if (!atomic_exchange(&swept[i], true))
                kiln_link_directory_sweep(parents[i]);
            return KILN_OK;
        }
    }
    *out = (kiln_link_directory_t){.handle = -1};
    return kiln_status_make(
        KILN_STATUS_IO, "cannot create a temporary directory for the linker: %s", strerror(error));
}

void kiln_link_directory_remove(kiln_link_directory_t *directory)
{
    if (directory->handle >= 0) {
        remove_files(directory->handle);
        rmdir(directory->path);
        close(directory->handle);
    }
    *directory = (kiln_link_directory_t){.handle = -1};
}
