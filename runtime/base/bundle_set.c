// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects kernels from files and memory. Given the path of a manifest, loads the code object next
// to it, too.
#include "base/bundle_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/string.h"

// The set takes ownership of the bytes, even on failure.
static kiln_status_t keep(kiln_bundle_set_t *set, void *bytes)
{
    if (!bytes || !KILN_ARRAY_RESERVE(&set->blobs, &set->blob_capacity, set->blob_count + 1)) {
        free(bytes);
        return kiln_status_out_of_memory();
    }
    set->blobs[set->blob_count++] = bytes;
    return KILN_OK;
}

// `manifest` names the file of the manifest; NULL: it is in the bundle, or in memory.
static kiln_status_t add_item(kiln_bundle_set_t *set, const char *name, size_t index,
                              const char *manifest, const kiln_bundle_item_t *item)
{
    size_t items = set->capacity, origins = set->capacity;
    if (!KILN_ARRAY_RESERVE(&set->items, &items, set->count + 1) ||
        !KILN_ARRAY_RESERVE(&set->origins, &origins, set->count + 1) ||
        !KILN_ARRAY_RESERVE(&set->manifests, &set->capacity, set->count + 1))
        return kiln_status_out_of_memory();
    char *origin = kiln_string_print("'%s', kernel %zu", name, index);
    char *text = manifest ? strdup(manifest) : kiln_string_print("%s, kernel %zu", name, index);
    if (!origin || !text) {
        free(origin);
        free(text);
        return kiln_status_out_of_memory();
    }
    set->origins[set->count] = origin;
    set->manifests[set->count] = text;
    set->items[set->count++] = *item;
    return KILN_OK;
}

static kiln_status_t add_bundle(kiln_bundle_set_t *set, const char *name, const void *bytes,
                                size_t size)
{
    kiln_bundle_item_t *items;
    size_t count;
    KILN_TRY_NOTE(kiln_bundle_read(bytes, size, &items, &count), "while reading the bundle '%s'",
                  name);
    kiln_status_t status = KILN_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = add_item(set, name, i, NULL, &items[i]);
    free(items);
    return status;
}

static char *with_suffix(const char *path, const char *suffix)
{
    const char *base = kiln_path_base(path), *dot = strrchr(base, '.');
    const size_t length = dot && dot != base ? (size_t)(dot - path) : strlen(path);
    return kiln_string_print("%.*s%s", (int)length, path, suffix);
}

static kiln_status_t add_pair(kiln_bundle_set_t *set, const char *path, char *bytes, size_t size)
{
    const bool is_manifest = kiln_string_ends_with(path, ".json");
    char *sibling = with_suffix(path, is_manifest ? ".hsaco" : ".json"), *other = NULL;
    size_t other_size;
    if (!sibling)
        return kiln_status_out_of_memory();
    kiln_status_t status = kiln_status_annotate(
        kiln_file_read(sibling, &other, &other_size),
        "'%s' is %s, which is read together with its counterpart in the same directory", path,
        is_manifest ? "a manifest" : "a code object, not a bundle");
    if (!status)
        status = keep(set, other);
    const kiln_bundle_item_t item = is_manifest
                                        ? (kiln_bundle_item_t){other, other_size, bytes, size}
                                        : (kiln_bundle_item_t){bytes, size, other, other_size};
    if (!status)
        status = add_item(set, path, 0, is_manifest ? path : sibling, &item);
    free(sibling);
    return status;
}

kiln_status_t kiln_bundle_set_add_file(kiln_bundle_set_t *set, const char *path)
{
    char *bytes;
    size_t size;
    KILN_TRY(kiln_file_read(path, &bytes, &size));
    KILN_TRY(keep(set, bytes));
    return kiln_bundle_is(bytes, size) ? add_bundle(set, path, bytes, size)
                                       : add_pair(set, path, bytes, size);
}

kiln_status_t kiln_bundle_set_add_memory(kiln_bundle_set_t *set, const char *name,
                                         const void *bytes, size_t size, const char *manifest)
{
    char *copy = malloc(size + 1);
    if (copy)
        memcpy(copy, bytes, size);
    KILN_TRY(keep(set, copy));
    if (!manifest)
        return add_bundle(set, name, copy, size);
    char *text = strdup(manifest);
    KILN_TRY(keep(set, text));
    const kiln_bundle_item_t item = {copy, size, text, strlen(text)};
    return add_item(set, name, 0, NULL, &item);
}

void kiln_bundle_set_free(kiln_bundle_set_t *set)
{
    for (size_t i = 0; i < set->blob_count; i++)
        free(set->blobs[i]);
    for (size_t i = 0; i < set->count; i++)
        free(set->origins[i]);
    for (size_t i = 0; i < set->count; i++)
        free(set->manifests[i]);
    free(set->blobs);
    free(set->items);
    free(set->origins);
    free(set->manifests);
    *set = (kiln_bundle_set_t){0};
}
