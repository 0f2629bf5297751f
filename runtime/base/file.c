// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads whole files and replaces files atomically, over POSIX.
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/string.h"

#define MAX_READ ((size_t)1 << 30) // Linux reads less than 2 GiB at once

static kiln_status_t system_error(int error, const char *doing, const char *path)
{
    if (error == ENOMEM) // also if an allocation in this file failed, which sets errno
        return kiln_status_out_of_memory();
    char text[128];
    const char *reason = strerror_r(error, text, sizeof text);
    return kiln_status_make(KILN_STATUS_IO, "cannot %s '%s': %s", doing, path, reason);
}

// The status for a failed read. A missing file, a directory or a lack of permission is an error of
// the caller who named the file.
static kiln_status_t read_error(int error, const char *doing, const char *path)
{
    kiln_status_t status = system_error(error, doing, path);
    if (kiln_status_is_out_of_memory(status))
        return status;
    kiln_status_code_t code = error == ENOENT || error == ENOTDIR ? KILN_STATUS_NOT_FOUND
                              : error == EISDIR || error == EACCES || error == EPERM ||
                                      error == ENAMETOOLONG || error == ELOOP
                                  ? KILN_STATUS_INVALID_INPUT
                                  : KILN_STATUS_IO;
    if (code == KILN_STATUS_IO)
        return status;
    kiln_status_t named = kiln_status_make(code, "%s", kiln_status_message(status));
    kiln_status_free(status);
    return named;
}

static kiln_status_t not_regular(const char *path)
{
    return kiln_status_make(KILN_STATUS_INVALID_INPUT, "cannot read '%s': it is not a regular file",
                            path);
}

// Whether a pipe that reads as empty is at its end. It also reads as empty until its first writer
// opens it; poll distinguishes the two. Waits a little for a writer.
static kiln_status_t find_end(int fd, const char *path, int *waited, bool *out_is_at_end)
{
    struct pollfd pipe = {.fd = fd, .events = POLLIN};
    const int slice = 10;
    const int ready = poll(&pipe, 1, slice);
    *out_is_at_end = ready > 0 && !(pipe.revents & POLLIN);
    if (ready <= 0 && (*waited += slice) > KILN_FILE_WAIT_MS)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "cannot read '%s': it is a pipe that no program has opened to "
                                "write to it",
                                path);
    return KILN_OK;
}

// Bytes of the host's memory. A file larger than this is an error of the input, not of the host.
static size_t host_memory(void)
{
    return (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
}

// Reads to the end and closes the file.
static kiln_status_t read_all(int fd, const struct stat *info, const char *path, char **out_data,
                              size_t *out_size)
{
    kiln_status_t status = KILN_OK;
    // The size is only a first guess: pipes have none and files may grow.
    const bool is_regular = S_ISREG(info->st_mode);
    size_t capacity = is_regular && info->st_size > 0 ? (size_t)info->st_size + 1 : 4096;
    size_t size = 0;
    char *data = NULL;
    bool is_at_end = false;
    for (int waited = 0; !is_at_end && !status;) {
        char *grown = !data || size + 1 >= capacity
                          ? realloc(data, capacity = data ? capacity * 2 : capacity)
                          : data;
        if (!grown) {
            status = capacity > host_memory()
                         ? kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES,
                                            "cannot read '%s': %zu bytes do not fit in memory",
                                            path, capacity)
                         : kiln_status_out_of_memory();
            break;
        }
        data = grown;
        const size_t room = capacity - size - 1;
        ssize_t count = read(fd, data + size, room < MAX_READ ? room : MAX_READ);
        if (count > 0) {
            size += (size_t)count;
            if (!is_regular && size > KILN_FILE_STREAM_LIMIT)
                status = kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                          "cannot read '%s': it is not a regular file and has more "
                                          "than %zu MiB; write them to a file first",
                                          path, KILN_FILE_STREAM_LIMIT >> 20);
        } else if (count == 0) {
            is_at_end = size || !S_ISFIFO(info->st_mode);
            if (!is_at_end)
                status = find_end(fd, path, &waited, &is_at_end);
        } else if (errno == EAGAIN && !is_regular) { // a silent writer, or a terminal
            fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
        } else if (errno != EINTR) {
            status = read_error(errno, "read", path);
        }
    }
    if (status) {
        free(data);
    } else {
        data[size] = '\0';
        *out_data = data;
        *out_size = size;
    }
    close(fd);
    return status;
}

typedef enum kinds { ANY_FILE, REGULAR_FILE } kinds_t;

static kiln_status_t open_and_read(const char *path, kinds_t kinds, char **out_data,
                                   size_t *out_size)
{
    *out_data = NULL;
    *out_size = 0;
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return read_error(errno, "open", path);
    struct stat info;
    if (fstat(fd, &info) != 0) {
        kiln_status_t status = read_error(errno, "read", path);
        close(fd);
        return status;
    }
    if (kinds == REGULAR_FILE && !S_ISREG(info.st_mode) &&
        !S_ISDIR(info.st_mode)) { // for a directory, reading reports the error
        close(fd);
        return not_regular(path);
    }
    return read_all(fd, &info, path, out_data, out_size);
}

kiln_status_t kiln_file_read(const char *path, char **out_data, size_t *out_size)
{
    return open_and_read(path, ANY_FILE, out_data, out_size);
}

kiln_status_t kiln_file_read_descriptor(int fd, const char *name, char **out_data, size_t *out_size)
{
    *out_data = NULL;
    *out_size = 0;
    struct stat info;
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0); // which is closed
    if (own < 0 || fstat(own, &info) != 0) {
        kiln_status_t status = read_error(errno, "read", name);
        if (own >= 0)
            close(own);
        return status;
    }
    return read_all(own, &info, name, out_data, out_size);
}

kiln_status_t kiln_file_read_regular(const char *path, char **out_data, size_t *out_size)
{
    return open_and_read(path, REGULAR_FILE, out_data, out_size);
}

kiln_status_t kiln_file_check_regular(const char *path)
{
    struct stat info;
    return stat(path, &info) != 0                           ? read_error(errno, "read", path)
           : S_ISREG(info.st_mode) || S_ISDIR(info.st_mode) ? KILN_OK
                                                            : not_regular(path);
}

static kiln_status_t write_all(int fd, const char *path, const void *data, size_t size)
{
    const char *next = data;
    while (size) {
        ssize_t count = write(fd, next, size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0) // retrying a write of 0 bytes without an error could loop forever
            return system_error(count < 0 ? errno : EIO, "write", path);
        next += count;
        size -= (size_t)count;
    }
    return KILN_OK;
}

// Opens a new file next to `path`, with a random name so that threads and processes do not collide.
static int open_temporary(const char *path, mode_t mode, char **out_name)
{
    for (int attempt = 0; attempt < 16; attempt++) {
        uint64_t salt = 0;
        if (getrandom(&salt, sizeof salt, 0) != sizeof salt)
            salt =
                ((uint64_t)(uintptr_t)&salt << 20) ^ (uint64_t)getpid() ^ ((uint64_t)attempt << 56);
        char *name = kiln_string_print("%s.%016llx.tmp", path, (unsigned long long)salt);
        if (!name) {
            errno = ENOMEM;
            return -1;
        }
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (fd >= 0) {
            *out_name = name;
            return fd;
        }
        int error = errno;
        free(name);
        errno = error;
        if (error != EEXIST)
            return -1;
    }
    return -1;
}

// Writes into devices and pipes: replacing /dev/null by a file would break the machine.
static kiln_status_t write_through(const char *path, const void *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return system_error(errno, "open", path);
    kiln_status_t status = write_all(fd, path, data, size);
    if (close(fd) != 0 && !status)
        status = system_error(errno, "close", path);
    return status;
}

bool kiln_file_is_special(const char *path)
{
    // The process's own streams may be redirected to files; a rename to such a name would remove
    // the name.
    if (kiln_string_starts_with(path, "/dev/std") || kiln_string_starts_with(path, "/dev/fd/") ||
        kiln_string_starts_with(path, "/proc/"))
        return true;
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

kiln_status_t kiln_file_write(const char *path, const void *data, size_t size, mode_t mode,
                              kiln_file_sync_t sync)
{
    if (kiln_file_is_special(path))
        return write_through(path, data, size);
    char *temporary = NULL;
    int fd = open_temporary(path, mode, &temporary);
    if (fd < 0)
        return system_error(errno, "create a file next to", path);
    kiln_status_t status = write_all(fd, path, data, size);
    if (!status && sync == KILN_FILE_SYNC && fsync(fd) != 0)
        status = system_error(errno, "sync", path);
    if (close(fd) != 0 && !status)
        status = system_error(errno, "close", path);
    if (!status && rename(temporary, path) != 0)
        status = system_error(errno, "replace", path);
    if (status)
        unlink(temporary);
    free(temporary);
    return status;
}

kiln_status_t kiln_directory_make(const char *path, mode_t mode)
{
    char *copy = strdup(path);
    if (!copy)
        return kiln_status_out_of_memory();
    kiln_status_t status = KILN_OK;
    for (char *slash = copy + 1; !status && *copy; slash++) {
        char end = *slash;
        if (end != '/' && end != '\0')
            continue;
        *slash = '\0';
        if (mkdir(copy, mode) != 0 && errno != EEXIST)
            status = system_error(errno, "make the directory", copy);
        *slash = end;
        if (end == '\0')
            break;
    }
    struct stat info;
    if (!status && (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)))
        status = kiln_status_make(KILN_STATUS_IO, "'%s' is not a directory", path);
    free(copy);
    return status;
}

kiln_status_t kiln_file_find(const char *path, bool *out_exists)
{
    struct stat info;
    *out_exists = lstat(path, &info) == 0;
    return *out_exists || errno == ENOENT || errno == ENOTDIR
               ? KILN_OK
               : system_error(errno, "look for", path);
}

char *kiln_path_join(const char *directory, const char *name)
{
    if (name[0] == '/' || !directory[0])
        return strdup(name);
    const char *between = kiln_string_ends_with(directory, "/") ? "" : "/";
    return kiln_string_print("%s%s%s", directory, between, name);
}

const char *kiln_path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
