// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cache files. Layout, little endian:
//
//     0   magic "KILNJIT" and a NUL      8   version      12  size of this header
//     16  key, 16 bytes                  32  code object's size    40  manifest's size
//     48  size of the diagnostics of the compilation
//     56  XXH3-128 over the header before it and the XXH3-128 of everything after it
//     72  code object, then manifest, then diagnostics (no NULs)
//
// Files are written under a temporary name and renamed, so a reader never sees an incomplete one.
// They are not synced to disk: a file torn by a machine crash fails the checksum and is compiled
// again.
#include "jit/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/require.h"
#include "base/string.h"

enum { VERSION = 2, CHECKSUM_OFFSET = 56, HEADER_SIZE = 72 };

typedef struct header {
    char magic[8];
    uint32_t version, header_size;
    uint64_t key_low, key_high;
    uint64_t code_object_size, manifest_size, diagnostics_size;
    uint64_t checksum_low, checksum_high;
} header_t;
_Static_assert(sizeof(header_t) == HEADER_SIZE, "the header is as described");
_Static_assert(offsetof(header_t, checksum_low) == CHECKSUM_OFFSET, "the header is as described");

static const char magic[8] = "KILNJIT";

static const char *const mode_names[] = {[KILN_CACHE_READWRITE] = "readwrite",
                                         [KILN_CACHE_READONLY] = "readonly",
                                         [KILN_CACHE_REQUIRE] = "require",
                                         [KILN_CACHE_OFF] = "off"};

kiln_status_t kiln_cache_mode_parse(const char *text, kiln_cache_mode_t *out_mode)
{
    KILN_REQUIRE_OUT(out_mode);
    KILN_REQUIRE(text);
    for (size_t i = 0; i < sizeof mode_names / sizeof *mode_names; i++)
        if (strcmp(text, mode_names[i]) == 0) {
            *out_mode = (kiln_cache_mode_t)i;
            return KILN_OK;
        }
    return kiln_status_make(KILN_STATUS_USAGE,
                            "unknown cache mode '%s'; expected readwrite, readonly, require or off",
                            text);
}

const char *kiln_cache_mode_name(kiln_cache_mode_t mode)
{
    return (unsigned)mode < sizeof mode_names / sizeof *mode_names ? mode_names[mode] : NULL;
}

// The device executes the code in this directory, so nobody else may be able to write to it.
static kiln_status_t check_directory(const char *directory, kiln_cache_mode_t mode)
{
    struct stat info;
    if (stat(directory, &info) != 0) {
        if (errno == ENOENT)
            return KILN_OK; // only in modes that don't write: everything is a miss
        return kiln_status_make(KILN_STATUS_IO, "cannot use the cache directory '%s': %s",
                                directory, strerror(errno));
    }
    if (!S_ISDIR(info.st_mode))
        return kiln_status_make(KILN_STATUS_IO,
                                "cannot use the cache directory '%s': it is not a directory",
                                directory);
    bool own = info.st_uid == geteuid() || (mode != KILN_CACHE_READWRITE && info.st_uid == 0);
    if (!own)
        return kiln_status_make(
            KILN_STATUS_IO,
            "refusing the cache directory '%s': it is owned by user %u, not by user %u", directory,
            (unsigned)info.st_uid, (unsigned)geteuid());
    if (info.st_mode & (S_IWGRP | S_IWOTH))
        return kiln_status_make(KILN_STATUS_IO,
                                "refusing the cache directory '%s': it is writable by others (mode "
                                "%04o); use chmod go-w",
                                directory, (unsigned)(info.st_mode & 07777));
    return KILN_OK;
}

kiln_status_t kiln_cache_check(const char *directory)
{
    KILN_REQUIRE(directory);
    return check_directory(directory, KILN_CACHE_READWRITE);
}

kiln_status_t kiln_cache_open(const char *directory, kiln_cache_mode_t mode, uint64_t limit,
                              kiln_cache_t *out_cache)
{
    out_cache->directory = NULL;
    out_cache->mode = directory ? mode : KILN_CACHE_OFF;
    out_cache->limit = limit;
    atomic_init(&out_cache->unchecked, limit); // includes what others wrote before
    if (out_cache->mode == KILN_CACHE_OFF)
        return KILN_OK;
    if (mode == KILN_CACHE_READWRITE)
        KILN_TRY_NOTE(kiln_directory_make(directory, 0700),
                      "for the kernel cache; set the cache mode to off to disable it");
    KILN_TRY(check_directory(directory, mode));
    out_cache->directory = strdup(directory);
    return out_cache->directory ? KILN_OK : kiln_status_out_of_memory();
}

void kiln_cache_close(kiln_cache_t *cache)
{
    free(cache->directory);
    cache->directory = NULL;
    cache->mode = KILN_CACHE_OFF;
}

char *kiln_cache_path(const kiln_cache_t *cache, kiln_hash_t key)
{
    char text[33];
    kiln_hash_format(key, text);
    return kiln_string_print("%s/%s.kiln", cache->directory, text);
}

// Allocates no memory, so that a check can only fail because of the file's contents.
static kiln_hash_t checksum(const char *file, size_t size)
{
    kiln_hash_t payload = kiln_hash_bytes(file + HEADER_SIZE, size - HEADER_SIZE);
    char covered[CHECKSUM_OFFSET + sizeof payload];
    memcpy(covered, file, CHECKSUM_OFFSET);
    memcpy(covered + CHECKSUM_OFFSET, &payload, sizeof payload);
    return kiln_hash_bytes(covered, sizeof covered);
}

static bool is_intact(const char *file, size_t size, kiln_hash_t key, header_t *out_header)
{
    if (size < HEADER_SIZE)
        return false;
    memcpy(out_header, file, HEADER_SIZE);
    if (memcmp(out_header->magic, magic, sizeof magic) != 0 || out_header->version != VERSION ||
        out_header->header_size != HEADER_SIZE)
        return false;
    if (out_header->key_low != key.low || out_header->key_high != key.high)
        return false;
    uint64_t payload = size - HEADER_SIZE;
    if (out_header->code_object_size > payload ||
        out_header->manifest_size > payload - out_header->code_object_size ||
        out_header->diagnostics_size !=
            payload - out_header->code_object_size - out_header->manifest_size)
        return false;
    kiln_hash_t sum = checksum(file, size);
    return sum.low == out_header->checksum_low && sum.high == out_header->checksum_high;
}

kiln_cache_result_t kiln_cache_read(const char *path, kiln_hash_t key, kiln_cache_file_t *out_file,
                                    kiln_status_t *out_why)
{
    *out_file = (kiln_cache_file_t){0};
    *out_why = KILN_OK;
    char *bytes = NULL;
    size_t size = 0;
    kiln_status_t status = kiln_file_read_regular(path, &bytes, &size);
    if (kiln_status_code(status) == KILN_STATUS_NOT_FOUND) {
        kiln_status_free(status);
        return KILN_CACHE_MISS;
    }
    if (status) { // a file that the user chose may be the user's mistake, a cache entry is not
        bool is_short = kiln_status_code(status) == KILN_STATUS_OUT_OF_RESOURCES;
        *out_why =
            is_short ? status : kiln_status_make(KILN_STATUS_IO, "%s", kiln_status_message(status));
        if (!is_short)
            kiln_status_free(status);
        return KILN_CACHE_UNREADABLE;
    }
    header_t header;
    if (!is_intact(bytes, size, key, &header)) {
        free(bytes);
        out_file->size = size;
        *out_why = kiln_status_make(KILN_STATUS_IO, "the file '%s' is corrupt", path);
        return KILN_CACHE_CORRUPT;
    }
    *out_file = (kiln_cache_file_t){.bytes = bytes,
                                    .size = size,
                                    .code_object = bytes + HEADER_SIZE,
                                    .code_object_size = header.code_object_size,
                                    .manifest = bytes + HEADER_SIZE + header.code_object_size,
                                    .manifest_size = header.manifest_size,
                                    .diagnostics_size = header.diagnostics_size};
    out_file->diagnostics = out_file->manifest + out_file->manifest_size;
    return KILN_CACHE_HIT;
}

// Sets a file's access time, which records an entry's last use, explicitly, because most file
// systems do not update it.
static void note_use(const char *path)
{
    const struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_OMIT}};
    utimensat(AT_FDCWD, path, times, 0);
}

// False if out of memory.
static bool copy(const kiln_cache_file_t *file, kiln_cache_item_t *out)
{
    out->code_object = malloc(file->code_object_size ? file->code_object_size : 1);
    out->code_object_size = file->code_object_size;
    out->manifest = strndup(file->manifest, file->manifest_size);
    out->diagnostics =
        file->diagnostics_size ? strndup(file->diagnostics, file->diagnostics_size) : NULL;
    if (!out->code_object || !out->manifest || (file->diagnostics_size && !out->diagnostics))
        return false;
    memcpy(out->code_object, file->code_object, file->code_object_size);
    return true;
}

kiln_cache_result_t kiln_cache_get(const kiln_cache_t *cache, kiln_hash_t key,
                                   kiln_cache_item_t *out_item, kiln_status_t *out_why)
{
    *out_item = (kiln_cache_item_t){0};
    *out_why = KILN_OK;
    if (cache->mode == KILN_CACHE_OFF)
        return KILN_CACHE_MISS;
    char *path = kiln_cache_path(cache, key);
    if (!path) {
        *out_why = kiln_status_out_of_memory();
        return KILN_CACHE_UNREADABLE;
    }
    kiln_cache_file_t file;
    kiln_cache_result_t result = kiln_cache_read(path, key, &file, out_why);
    bool writes = cache->mode == KILN_CACHE_READWRITE;
    if (result == KILN_CACHE_CORRUPT && writes)
        unlink(path);
    if (result == KILN_CACHE_HIT) {
        if (writes)
            note_use(path);
        if (!copy(&file, out_item)) {
            kiln_cache_item_free(out_item);
            *out_why = kiln_status_out_of_memory();
            result = KILN_CACHE_UNREADABLE;
        }
    }
    free(file.bytes);
    free(path);
    return result;
}

void kiln_cache_item_free(kiln_cache_item_t *item)
{
    free(item->code_object);
    free(item->manifest);
    free(item->diagnostics);
    *item = (kiln_cache_item_t){0};
}

// Deletes entries if the cache exceeds its limit. Scanning the directory is expensive, so this
// happens once per sixteenth of the limit written, and more than that is deleted.
static kiln_status_t look_after_limit(kiln_cache_t *cache, size_t written)
{
    if (!cache->limit || atomic_fetch_add(&cache->unchecked, written) + written < cache->limit / 16)
        return KILN_OK;
    atomic_store(&cache->unchecked, 0);
    KILN_TRY_NOTE(kiln_cache_trim(cache->directory, cache->limit, NULL, NULL),
                  "while enforcing the limit of the kernel cache");
    return KILN_OK;
}

kiln_status_t kiln_cache_put(kiln_cache_t *cache, kiln_hash_t key, const kiln_cache_item_t *item)
{
    if (cache->mode != KILN_CACHE_READWRITE)
        return KILN_OK;
    const char *diagnostics = item->diagnostics ? item->diagnostics : "";
    size_t size =
        HEADER_SIZE + item->code_object_size + strlen(item->manifest) + strlen(diagnostics);
    if (cache->limit && size > cache->limit)
        return kiln_status_make(
            KILN_STATUS_OUT_OF_RESOURCES,
            "a kernel of %zu bytes is not cached: the limit of the cache '%s' is %llu", size,
            cache->directory, (unsigned long long)cache->limit);
    header_t header = {.version = VERSION,
                       .header_size = HEADER_SIZE,
                       .key_low = key.low,
                       .key_high = key.high,
                       .code_object_size = item->code_object_size,
                       .manifest_size = strlen(item->manifest),
                       .diagnostics_size = strlen(diagnostics)};
    memcpy(header.magic, magic, sizeof magic);
    kiln_string_t file = {0};
    kiln_string_append_bytes(&file, &header, sizeof header);
    kiln_string_append_bytes(&file, item->code_object, item->code_object_size);
    kiln_string_append(&file, item->manifest);
    kiln_string_append(&file, diagnostics);
    char *path = kiln_cache_path(cache, key);
    kiln_status_t status;
    if (file.failed || !path) {
        status = kiln_status_out_of_memory();
    } else if (kiln_file_is_special(path)) { // kiln_file_write would write into it
        status =
            kiln_status_make(KILN_STATUS_IO, "cannot replace '%s': it is not a regular file", path);
    } else {
        kiln_hash_t sum = checksum(file.data, file.length);
        memcpy(file.data + CHECKSUM_OFFSET, &sum.low, 8);
        memcpy(file.data + CHECKSUM_OFFSET + 8, &sum.high, 8);
        status = kiln_file_write(path, file.data, file.length, 0600, KILN_FILE_NO_SYNC);
        if (!status)
            status = look_after_limit(cache, file.length);
    }
    free(path);
    kiln_string_free(&file);
    return status;
}
