// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The disk cache: key → (code object, manifest, what was told while compiling), one file per entry.
//
// What is easily got wrong: nothing in a file is trusted before its checksum over everything else in the file has been
// verified. A file that fails is a miss; it is counted, and deleted where the mode allows writing.
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
    _Atomic uint64_t unchecked; // bytes written since the limit was last looked after
} kiln_cache_t;

// Makes the directory (0700) where the mode writes, and refuses one that others could write or that is not the user's.
kiln_status_t kiln_cache_open(const char *directory, kiln_cache_mode_t mode, uint64_t limit, kiln_cache_t *out_cache);
void kiln_cache_close(kiln_cache_t *cache);

typedef enum kiln_cache_result { KILN_CACHE_MISS, KILN_CACHE_HIT, KILN_CACHE_CORRUPT } kiln_cache_result_t;

// What an entry holds, from malloc.
typedef struct kiln_cache_item {
    void *code_object;
    size_t code_object_size;
    char *manifest, *told; // told: NULL where nothing was
} kiln_cache_item_t;

// Looks an entry up. On a hit the caller frees the item; else it is zero.
kiln_cache_result_t kiln_cache_get(const kiln_cache_t *cache, kiln_hash_t key, kiln_cache_item_t *out_item);
void kiln_cache_item_free(kiln_cache_item_t *item);

// Stores an entry where the mode writes, and then deletes those that were not used for longest while all are more than the
// limit. OUT_OF_RESOURCES where the entry alone is.
kiln_status_t kiln_cache_put(kiln_cache_t *cache, kiln_hash_t key, const kiln_cache_item_t *item);

// Reads a file and checks it against the key. On a hit the caller frees *out_file; code object and manifest lie in it.
typedef struct kiln_cache_file {
    char *bytes;
    size_t size;
    const char *code_object, *manifest, *told; // no NUL behind any
    size_t code_object_size, manifest_size, told_size;
} kiln_cache_file_t;
kiln_cache_result_t kiln_cache_read(const char *path, kiln_hash_t key, kiln_cache_file_t *out_file);

// The file of a key; the caller frees it. NULL when memory is short.
char *kiln_cache_path(const kiln_cache_t *cache, kiln_hash_t key);

#endif
