// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens files whose names come from outside. Only regular files are accepted: opening a pipe would
// wait for a writer, and reading a device may never end.
#ifndef KILN_BASE_OPEN_REGULAR_H
#define KILN_BASE_OPEN_REGULAR_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

// Returns NULL with errno on failure; EINVAL if the path is not a regular file.
static inline FILE *kiln_open_regular(const char *path)
{
    struct stat info;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    int error = fstat(fd, &info) != 0   ? errno
                : S_ISDIR(info.st_mode) ? EISDIR
                : S_ISREG(info.st_mode) ? 0
                                        : EINVAL;
    FILE *file = error ? NULL : fdopen(fd, "r");
    if (file)
        return file;
    error = error ? error : errno;
    close(fd);
    errno = error;
    return NULL;
}

#endif
