// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole files: read at once, or replaced atomically, so that a reader sees either the old file or
// the new one.
//
// kiln_file_write replaces a file by rename, so it needs write permission for the directory, not
// for the file.
#ifndef KILN_BASE_FILE_H
#define KILN_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "kiln/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KILN_FILE_STREAM_LIMIT ((size_t)1 << 30) // bytes of a pipe or device, which may never end
#define KILN_FILE_WAIT_MS 3000                   // for a pipe's first writer

// Reads a whole file. A NUL follows the bytes and is not counted, so that text can be used as a
// string. The caller frees *out_data. NOT_FOUND if there is no such file, INVALID_INPUT if it
// cannot be read as a file (a directory, for example) or exceeds the limits, IO otherwise.
kiln_status_t kiln_file_read(const char *path, char **out_data, size_t *out_size);

// The same from an open file's current position; the file stays open. `name` is for messages.
kiln_status_t kiln_file_read_descriptor(int fd, const char *name, char **out_data,
                                        size_t *out_size);

// Like kiln_file_read, for files that this library keeps. A pipe or a device is INVALID_INPUT,
// since reading it may never end.
kiln_status_t kiln_file_read_regular(const char *path, char **out_data, size_t *out_size);

// The same check, for a file that other code will open; a directory passes.
kiln_status_t kiln_file_check_regular(const char *path);

typedef enum kiln_file_sync { KILN_FILE_NO_SYNC, KILN_FILE_SYNC } kiln_file_sync_t;

// Writes a temporary file in the same directory, syncs it to the disk if requested, and renames it
// over `path`. `mode` is filtered by the umask. Anything other than a file or directory (/dev/null,
// a pipe) is written to directly.
kiln_status_t kiln_file_write(const char *path, const void *data, size_t size, mode_t mode,
                              kiln_file_sync_t sync);

// Creates a directory and its missing parents; existing ones are not changed.
kiln_status_t kiln_directory_make(const char *path, mode_t mode);

// Whether `path` exists. IO if the system cannot determine that: unreadable is not absent.
kiln_status_t kiln_file_find(const char *path, bool *out_exists);

// Whether `path` leads to a device, a pipe or a socket, or names one of the process's streams.
bool kiln_file_is_special(const char *path);

// "dir/name", which the caller frees; an absolute name is returned unchanged. NULL if out of
// memory.
char *kiln_path_join(const char *directory, const char *name);

// The part after the last '/', a pointer into `path`. Trailing slashes are not stripped.
const char *kiln_path_base(const char *path);

#ifdef __cplusplus
}
#endif
#endif
