// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists a cache's directory, measures it, and deletes the least recently used entries if it is too
// large.
//
// Other processes write and delete here at the same time, so a file that disappeared is not an
// error. The directory also holds files other than kernels (tuning results), which are never
// touched here.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "base/require.h"
#include "base/string.h"
#include "jit/cache.h"
#include "jit/manifest.h"

enum { KEY_DIGITS = 32, ABANDONED_SECONDS = 3600 };

typedef struct item {
    char name[KEY_DIGITS + 6]; // KEY.kiln
    uint64_t size;
    struct timespec used;
} item_t;

typedef struct listing {
    DIR *directory; // NULL if there is none
    item_t *items;
    size_t count, capacity;
    uint64_t bytes;
} listing_t;

static bool is_entry(const char *name)
{
    return strspn(name, "0123456789abcdef") == KEY_DIGITS &&
           strcmp(name + KEY_DIGITS, ".kiln") == 0;
}

// Whether a writer that died left this file behind: KEY.kiln.SALT.tmp.
static bool is_abandoned(const char *name, const struct stat *info)
{
    return strspn(name, "0123456789abcdef") == KEY_DIGITS &&
           strncmp(name + KEY_DIGITS, ".kiln.", 6) == 0 && kiln_string_ends_with(name, ".tmp") &&
           time(NULL) - info->st_mtime > ABANDONED_SECONDS;
}

static kiln_status_t add_item(listing_t *listing, const char *name, const struct stat *info)
{
    if (!KILN_ARRAY_RESERVE(&listing->items, &listing->capacity, listing->count + 1))
        return kiln_status_out_of_memory();
    item_t *item = &listing->items[listing->count++];
    *item = (item_t){.size = (uint64_t)info->st_size, .used = info->st_atim};
    // An entry that was written and never read counts as used when it was written.
    if (info->st_mtim.tv_sec > item->used.tv_sec ||
        (info->st_mtim.tv_sec == item->used.tv_sec && info->st_mtim.tv_nsec > item->used.tv_nsec))
        item->used = info->st_mtim;
    memcpy(item->name, name, KEY_DIGITS + 5);
    listing->bytes += item->size;
    return KILN_OK;
}

static int latest_first(const void *a, const void *b)
{
    const item_t *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec > y->used.tv_sec ? -1 : 1;
    if (x->used.tv_nsec != y->used.tv_nsec)
        return x->used.tv_nsec > y->used.tv_nsec ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void close_listing(listing_t *listing)
{
    if (listing->directory)
        closedir(listing->directory);
    free(listing->items);
}

// Lists the entries, most recently used first. If `cleans`, deletes abandoned files.
static kiln_status_t list(const char *path, bool cleans, listing_t *out_listing)
{
    *out_listing = (listing_t){.directory = opendir(path)};
    if (!out_listing->directory)
        return errno == ENOENT
                   ? KILN_OK
                   : kiln_status_make(KILN_STATUS_IO, "cannot read the cache directory '%s': %s",
                                      path, strerror(errno));
    kiln_status_t status = KILN_OK;
    for (;;) {
        struct stat info;
        int at = dirfd(out_listing->directory);
        errno = 0;
        const struct dirent *entry = readdir(out_listing->directory);
        if (!entry && errno)
            status = kiln_status_make(KILN_STATUS_IO, "cannot read the cache directory '%s': %s",
                                      path, strerror(errno));
        if (!entry || status)
            break;
        bool is_kernel = is_entry(entry->d_name);
        if (fstatat(at, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
            if (is_kernel && errno != ENOENT)
                status = kiln_status_make(KILN_STATUS_IO,
                                          "cannot stat '%s' in the cache directory '%s': %s",
                                          entry->d_name, path, strerror(errno));
            continue;
        }
        if (is_kernel) // anything else of that name is reported as unreadable
            status = add_item(out_listing, entry->d_name, &info);
        else if (!S_ISREG(info.st_mode))
            continue;
        else if (cleans && is_abandoned(entry->d_name, &info))
            unlinkat(at, entry->d_name, 0);
    }
    if (status)
        close_listing(out_listing);
    else if (out_listing->count)
        qsort(out_listing->items, out_listing->count, sizeof *out_listing->items, latest_first);
    return status;
}

// Visiting ----------------------------------------------------------------------------------------

static kiln_hash_t key_of(const char *name)
{
    char high[17] = {0}, low[17] = {0};
    memcpy(high, name, 16);
    memcpy(low, name + 16, 16);
    return (kiln_hash_t){.low = strtoull(low, NULL, 16), .high = strtoull(high, NULL, 16)};
}

static kiln_status_t visit_item(const char *directory, const item_t *item,
                                kiln_status_t (*visit)(const kiln_cache_entry_t *entry, void *user),
                                void *user)
{
    kiln_cache_entry_t entry = {
        .struct_size = sizeof entry, .size = item->size, .used = item->used.tv_sec};
    memcpy(entry.key, item->name, KEY_DIGITS);
    char *path = kiln_path_join(directory, item->name), *manifest_text = NULL;
    kiln_cache_file_t file = {0};
    kiln_manifest_t manifest = {0};
    kiln_status_t why = KILN_OK, status = path ? KILN_OK : kiln_status_out_of_memory();
    kiln_cache_result_t result =
        path ? kiln_cache_read(path, key_of(item->name), &file, &why) : KILN_CACHE_MISS;
    entry.is_damaged = result == KILN_CACHE_CORRUPT || result == KILN_CACHE_UNREADABLE;
    entry.why = why ? kiln_status_message(why) : NULL;
    if (kiln_status_code(why) == KILN_STATUS_OUT_OF_RESOURCES) { // not the file's fault
        status = why;
        why = KILN_OK;
    }
    if (result == KILN_CACHE_HIT) {
        manifest_text = strndup(file.manifest, file.manifest_size);
        status = manifest_text ? KILN_OK : kiln_status_out_of_memory();
        entry.manifest = manifest_text;
        if (!status) {
            kiln_status_t parsed = kiln_manifest_parse(manifest_text, &manifest);
            entry.is_damaged = kiln_status_code(parsed) == KILN_STATUS_INVALID_INPUT;
            entry.why = entry.is_damaged ? "its manifest is invalid" : NULL;
            if (entry.is_damaged)
                kiln_status_free(parsed);
            else
                status = parsed;
            entry.kernel = manifest.kernel;
        }
    }
    if (!status && result != KILN_CACHE_MISS) // deleted in the meantime
        status = visit(&entry, user);
    kiln_status_free(why);
    kiln_manifest_free(&manifest);
    free(manifest_text);
    free(file.bytes);
    free(path);
    return status;
}

kiln_status_t kiln_cache_visit(const char *directory,
                               kiln_status_t (*visit)(const kiln_cache_entry_t *entry, void *user),
                               void *user)
{
    KILN_REQUIRE(directory);
    KILN_REQUIRE(visit);
    listing_t listing;
    KILN_TRY(list(directory, false, &listing));
    kiln_status_t status = KILN_OK;
    for (size_t i = 0; i < listing.count && !status; i++)
        status = visit_item(directory, &listing.items[i], visit, user);
    close_listing(&listing);
    return status;
}

// Deleting ----------------------------------------------------------------------------------------

kiln_status_t kiln_cache_trim(const char *directory, uint64_t limit, size_t *out_count,
                              uint64_t *out_bytes)
{
    KILN_REQUIRE(directory);
    if (out_count)
        *out_count = 0;
    if (out_bytes)
        *out_bytes = 0;
    bool exists;
    KILN_TRY(kiln_file_find(directory, &exists));
    if (exists)
        KILN_TRY(kiln_cache_check(directory));
    listing_t listing;
    KILN_TRY(list(directory, true, &listing));
    // Makes some room in advance, so that a full cache isn't scanned for each new kernel.
    uint64_t wanted = listing.bytes > limit ? limit - limit / 8 : listing.bytes;
    while (listing.bytes > wanted && listing.count) {
        const item_t *item = &listing.items[--listing.count];
        if (listing.count == 0 && item->size <= limit)
            break; // the most recent entry may use the whole limit
        if (unlinkat(dirfd(listing.directory), item->name, 0) == 0) {
            if (out_count)
                ++*out_count;
            if (out_bytes)
                *out_bytes += item->size;
        }
        listing.bytes -= item->size;
    }
    close_listing(&listing);
    return KILN_OK;
}

kiln_status_t kiln_cache_clear(const char *directory, size_t *out_count, uint64_t *out_bytes)
{
    KILN_REQUIRE(directory);
    return kiln_cache_trim(directory, 0, out_count, out_bytes);
}

kiln_status_t kiln_cache_size_parse(const char *text, uint64_t *out_size)
{
    KILN_REQUIRE_OUT(out_size);
    KILN_REQUIRE(text);
    static const char units[] = "kmgt";
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, *end | 0x20) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    bool is_number = text[0] >= '0' && text[0] <= '9' && !errno && (unit ? !end[1] : !*end);
    if (!is_number || number > UINT64_MAX >> shift)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "invalid size '%s'; expected bytes, or a number with suffix k, m, "
                                "g or t for 2^10 to 2^40 bytes",
                                text);
    *out_size = (uint64_t)number << shift;
    return KILN_OK;
}
