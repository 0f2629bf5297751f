// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole files: read at once, or written so that a reader sees the old file or the new one, never half of either.
//
// What is easily got wrong: kiln_file_write replaces a file by rename, so it needs the right to write into the
// directory, not into the file.
#ifndef KILN_BASE_FILE_H
#define KILN_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "kiln/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Reads a whole file. One NUL follows the bytes and is not counted, so that text may be used as a string. The caller
// frees *out_data. NOT_FOUND where there is no such file, IO otherwise.
kiln_status_t kiln_file_read(const char *path, char **out_data, size_t *out_size);

typedef enum kiln_file_sync { KILN_FILE_NO_SYNC, KILN_FILE_SYNC } kiln_file_sync_t;

// Writes aside in the same directory, syncs to the disk if asked, and renames over `path`. `mode` is filtered by the
// umask. What is neither a file nor a directory (/dev/null, a pipe) is written to and stays what it is.
kiln_status_t kiln_file_write(const char *path, const void *data, size_t size, mode_t mode, kiln_file_sync_t sync);

// Makes a directory and its missing parents; those that exist stay as they are.
kiln_status_t kiln_directory_make(const char *path, mode_t mode);

bool kiln_file_exists(const char *path);

// Whether `path` leads to a device, a pipe or a socket, or is a name of one of the process's streams.
bool kiln_file_is_special(const char *path);

// "dir/name" in memory that the caller frees; an absolute name stays itself. NULL when memory is short.
char *kiln_path_join(const char *directory, const char *name);

// The part after the last '/'; within `path`. Trailing slashes are not looked through.
const char *kiln_path_base(const char *path);

#ifdef __cplusplus
}
#endif
#endif
