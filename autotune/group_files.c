// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks by flock, which the system releases on every kind of death; SQLite's own locks on a store
// are of another kind, so the locked file is a separate one.
#include "group_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/number.h"
#include "base/string.h"
#include "kiln/tune.h"

static const char RANK[] = ".rank";

char *kiln_group_store_path(const char *store, size_t rank)
{
    return rank ? kiln_string_print("%s%s%zu", store, RANK, rank) : strdup(store);
}

// Locks -------------------------------------------------------------------------------------------

static char *lock_path(const char *store, size_t rank)
{
    return kiln_string_print("%s%s%zu.lock", store, RANK, rank);
}

static kiln_status_t make_directory(const char *store)
{
    char *copy = strdup(store);
    if (!copy)
        return kiln_status_out_of_memory();
    kiln_status_t status = kiln_directory_make(dirname(copy), 0700);
    free(copy);
    return status;
}

// Whether a locked file still is the one that the path names: its last owner may have deleted it.
static bool is_linked(int file)
{
    struct stat info;
    return fstat(file, &info) == 0 && info.st_nlink > 0;
}

// Tries to take the lock. *out_is_taken is false if another process has it now.
static kiln_status_t try_lock(const char *path, int *out_file, bool *out_is_taken)
{
    *out_is_taken = false;
    *out_file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (*out_file < 0)
        return kiln_status_make(KILN_STATUS_IO, "cannot open '%s': %s", path, strerror(errno));
    const int result = flock(*out_file, LOCK_EX | LOCK_NB), error = errno;
    *out_is_taken = result == 0 && is_linked(*out_file);
    if (*out_is_taken)
        return KILN_OK;
    close(*out_file);
    *out_file = -1;
    return result == 0 || error == EWOULDBLOCK
               ? KILN_OK
               : kiln_status_make(KILN_STATUS_IO, "cannot lock '%s': %s", path, strerror(error));
}

// Others hold the lock for a moment when they examine its state.
static kiln_status_t take_lock(const char *path, int *out_file)
{
    enum { TRIES = 20, PAUSE_US = 10000 };
    for (int i = 0; i < TRIES; i++) {
        bool is_taken;
        KILN_TRY(try_lock(path, out_file, &is_taken));
        if (is_taken)
            return KILN_OK;
        usleep(PAUSE_US);
    }
    return kiln_status_make(KILN_STATUS_USAGE,
                            "'%s' is locked: another group of processes tunes with this store",
                            path);
}

kiln_status_t kiln_group_lock(const char *store, size_t rank, int *out_file)
{
    *out_file = -1;
    KILN_TRY(make_directory(store));
    char *path = lock_path(store, rank);
    kiln_status_t status = path ? take_lock(path, out_file) : kiln_status_out_of_memory();
    free(path);
    return status;
}

kiln_group_lock_state_t kiln_group_lock_state(const char *store, size_t rank)
{
    char *path = lock_path(store, rank);
    const int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1, reason = errno;
    const bool is_missing = path && file < 0 && reason == ENOENT;
    free(path);
    if (file < 0)
        return is_missing ? KILN_GROUP_LOCK_MISSING : KILN_GROUP_LOCK_UNKNOWN;
    // A shared lock, so that processes that examine the lock at the same time do not take each
    // other for its owner.
    const int result = flock(file, LOCK_SH | LOCK_NB), error = errno;
    close(file);
    return result == 0            ? KILN_GROUP_LOCK_FREE
           : error == EWOULDBLOCK ? KILN_GROUP_LOCK_HELD
                                  : KILN_GROUP_LOCK_UNKNOWN;
}

void kiln_group_unlock(const char *store, size_t rank, int file)
{
    char *path = file >= 0 ? lock_path(store, rank) : NULL;
    if (path)
        unlink(path);
    free(path);
    if (file >= 0)
        close(file);
}

// Stores ------------------------------------------------------------------------------------------

static kiln_status_t add_store(kiln_tune_store_t *store, const char *path)
{
    kiln_tune_store_t *other;
    KILN_TRY(kiln_tune_store_open_existing(path, &other));
    // Without a table, its rank died before it could write.
    kiln_status_t status = other ? kiln_tune_store_merge(store, other, NULL) : KILN_OK;
    kiln_tune_store_release(other);
    if (status)
        return status;
    static const char *const ends[] = {"-shm", "-wal", ""};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char *file = kiln_string_print("%s%s", path, ends[i]);
        if (!file)
            return kiln_status_out_of_memory();
        unlink(file);
        free(file);
    }
    return KILN_OK;
}

// Whether a name in the store's directory is that of a rank's store.
static bool is_rank_store(const char *name, const char *base)
{
    uint64_t rank;
    const size_t length = strlen(base), rest = length + strlen(RANK);
    return strncmp(name, base, length) == 0 && strlen(name) > rest &&
           strncmp(name + length, RANK, strlen(RANK)) == 0 &&
           kiln_unsigned_parse_all(name + rest, 10, &rank);
}

static kiln_status_t add_all(kiln_tune_store_t *store, DIR *directory, const char *path,
                             const char *base)
{
    kiln_status_t status = KILN_OK;
    for (const struct dirent *entry; !status && (entry = readdir(directory));) {
        if (!is_rank_store(entry->d_name, base))
            continue;
        char *file = kiln_path_join(path, entry->d_name);
        status = file ? kiln_status_annotate(add_store(store, file), "while adding '%s'", file)
                      : kiln_status_out_of_memory();
        free(file);
    }
    return status;
}

kiln_status_t kiln_group_add_stores(const char *path)
{
    kiln_tune_store_t *store = NULL;
    char *copy = strdup(path);
    if (!copy)
        return kiln_status_out_of_memory();
    const char *parent = dirname(copy);
    DIR *directory = opendir(parent);
    kiln_status_t status = directory ? kiln_tune_store_open(path, &store)
                                     : kiln_status_make(KILN_STATUS_IO, "cannot read '%s': %s",
                                                        parent, strerror(errno));
    if (!status)
        status = add_all(store, directory, parent, kiln_path_base(path));
    kiln_tune_store_release(store);
    if (directory)
        closedir(directory);
    free(copy);
    return status;
}
