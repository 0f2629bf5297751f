// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The disk cache: key → (code object, manifest, diagnostics of the compilation), one file per
// entry.
//
// Nothing in a file is trusted before its checksum, which covers everything else in the file, has
// been verified. A file that fails is deleted if the mode allows writing. Only a file that does not
// exist is a miss; if a file cannot be read, the caller gets the reason.
#ifndef KILN_JIT_CACHE_H
#define KILN_JIT_CACHE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/hash.h"
#include "kiln/jit.h"

typedef struct kiln_cache {
    char *directory; // NULL in mode off
    kiln_cache_mode_t mode;
    uint64_t limit;             // of all files together; 0: none
    _Atomic uint64_t unchecked; // bytes written since the limit was last checked
} kiln_cache_t;

// Creates the directory (0700) if the mode writes. Rejects a directory that others can write to or
// that the user does not own.
kiln_status_t kiln_cache_open(const char *directory, kiln_cache_mode_t mode, uint64_t limit,
                              kiln_cache_t *out_cache);
void kiln_cache_close(kiln_cache_t *cache);

typedef enum kiln_cache_result {
    KILN_CACHE_MISS,
    KILN_CACHE_HIT,
    KILN_CACHE_CORRUPT,
    KILN_CACHE_UNREADABLE // a system error, or out of memory (OUT_OF_RESOURCES)
} kiln_cache_result_t;

// The contents of an entry, from malloc.
typedef struct kiln_cache_item {
    void *code_object;
    size_t code_object_size;
    char *manifest, *diagnostics; // diagnostics: NULL if none
} kiln_cache_item_t;

// Looks up an entry. On a hit the caller frees the item; otherwise it is zero. If the file is
// CORRUPT or UNREADABLE, *out_why names it and the reason; the caller frees it.
kiln_cache_result_t kiln_cache_get(const kiln_cache_t *cache, kiln_hash_t key,
                                   kiln_cache_item_t *out_item, kiln_status_t *out_why);
void kiln_cache_item_free(kiln_cache_item_t *item);

// Stores an entry if the mode writes, and then deletes the least recently used ones while the total
// exceeds the limit. OUT_OF_RESOURCES if the entry alone exceeds it.
kiln_status_t kiln_cache_put(kiln_cache_t *cache, kiln_hash_t key, const kiln_cache_item_t *item);

// Reads a file and checks it against the key. On a hit the caller frees *out_file, which contains
// code object and manifest.
typedef struct kiln_cache_file {
    char *bytes;
    size_t size;
    const char *code_object, *manifest, *diagnostics; // not NUL-terminated
    size_t code_object_size, manifest_size, diagnostics_size;
} kiln_cache_file_t;
kiln_cache_result_t kiln_cache_read(const char *path, kiln_hash_t key, kiln_cache_file_t *out_file,
                                    kiln_status_t *out_why);

// The path of a key's file; the caller frees it. NULL if out of memory.
char *kiln_cache_path(const kiln_cache_t *cache, kiln_hash_t key);

#endif
