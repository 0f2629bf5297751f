// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes and reads bundles. Offsets and sizes come from an untrusted file, so range checks
// subtract: a sum of two of them may overflow.
#include "base/bundle.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/string.h"

enum { ALIGNMENT = 64 };

static const char magic[8] = {'K', 'I', 'L', 'N', 'B', 'N', 'D', 'L'};

typedef struct bundle_header {
    char magic[8];
    uint32_t version, count;
    uint64_t size;
    uint64_t hash_low, hash_high;
    uint64_t zeros[3];
} bundle_header_t;
_Static_assert(sizeof(bundle_header_t) == 64, "the header of a bundle has 64 bytes");

typedef struct bundle_entry {
    uint64_t code_offset, code_size, manifest_offset, manifest_size;
} bundle_entry_t;
_Static_assert(sizeof(bundle_entry_t) == 32, "an entry of a bundle's table has 32 bytes");

// Hash of all bytes except those of the hash itself.
static kiln_status_t hash_of(const unsigned char *bytes, size_t size, kiln_hash_t *out_hash)
{
    kiln_hasher_t *hasher = kiln_hasher_create();
    if (!hasher)
        return kiln_status_out_of_memory();
    const size_t before = offsetof(bundle_header_t, hash_low),
                 after = offsetof(bundle_header_t, zeros);
    kiln_hasher_field(hasher, bytes, before);
    kiln_hasher_field(hasher, bytes + after, size - after);
    *out_hash = kiln_hasher_finish(hasher);
    kiln_hasher_release(hasher);
    return KILN_OK;
}

static size_t append_aligned(kiln_string_t *bytes, const void *data, size_t size)
{
    static const char zeros[ALIGNMENT];
    kiln_string_append_bytes(bytes, zeros, (ALIGNMENT - bytes->length % ALIGNMENT) % ALIGNMENT);
    const size_t offset = bytes->length;
    kiln_string_append_bytes(bytes, data, size);
    return offset;
}

// The first item with the same code as `index`; `index` itself if there is none before it.
static size_t same_code(const kiln_bundle_item_t *items, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (items[i].code_object_size == items[index].code_object_size &&
            (items[i].code_object == items[index].code_object ||
             memcmp(items[i].code_object, items[index].code_object,
                    items[index].code_object_size) == 0))
            return i;
    return index;
}

kiln_status_t kiln_bundle_write(const kiln_bundle_item_t *items, size_t count, void **out_bytes,
                                size_t *out_size)
{
    *out_bytes = NULL;
    *out_size = 0;
    bundle_header_t header = {.version = KILN_BUNDLE_VERSION, .count = (uint32_t)count};
    memcpy(header.magic, magic, sizeof magic);
    bundle_entry_t *entries = calloc(count + 1, sizeof *entries);
    if (!entries)
        return kiln_status_out_of_memory();
    kiln_string_t bytes = {0};
    kiln_string_append_bytes(&bytes, &header, sizeof header);
    kiln_string_append_bytes(&bytes, entries, count * sizeof *entries);
    for (size_t i = 0; i < count; i++) {
        const size_t same = same_code(items, i);
        entries[i].code_size = items[i].code_object_size;
        entries[i].code_offset =
            same < i ? entries[same].code_offset
                     : append_aligned(&bytes, items[i].code_object, items[i].code_object_size);
        entries[i].manifest_size = items[i].manifest_size;
        entries[i].manifest_offset =
            append_aligned(&bytes, items[i].manifest, items[i].manifest_size);
        kiln_string_append_char(&bytes, '\0');
    }
    kiln_status_t status = bytes.failed ? kiln_status_out_of_memory() : KILN_OK;
    if (!status) {
        kiln_hash_t hash = {0};
        header.size = bytes.length;
        memcpy(bytes.data, &header, sizeof header);
        memcpy(bytes.data + sizeof header, entries, count * sizeof *entries);
        status = hash_of((const unsigned char *)bytes.data, bytes.length, &hash);
        header.hash_low = hash.low;
        header.hash_high = hash.high;
        memcpy(bytes.data, &header, sizeof header);
    }
    free(entries);
    if (!status) {
        *out_size = bytes.length;
        *out_bytes = kiln_string_take(&bytes);
    }
    kiln_string_free(&bytes);
    return status;
}

// Reading -----------------------------------------------------------------------------------------

bool kiln_bundle_is(const void *bytes, size_t size)
{
    return size >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

static kiln_status_t check_header(const unsigned char *bytes, size_t size, bundle_header_t *header)
{
    kiln_hash_t hash;
    if (!kiln_bundle_is(bytes, size))
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "not a bundle: missing magic KILNBNDL");
    if (size < sizeof *header)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "the bundle is truncated: %zu bytes",
                                size);
    memcpy(header, bytes, sizeof *header);
    if (header->version != KILN_BUNDLE_VERSION)
        return kiln_status_make(
            KILN_STATUS_UNSUPPORTED,
            "unsupported bundle version %" PRIu32 "; this runtime supports version %d: %s",
            header->version, (int)KILN_BUNDLE_VERSION,
            header->version > KILN_BUNDLE_VERSION ? "use a newer runtime" : "rebuild the bundle");
    if (header->size != size)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "the bundle is %s: expected %" PRIu64 " bytes, got %zu",
                                header->size > size ? "truncated" : "too long", header->size, size);
    if (header->count > (size - sizeof *header) / sizeof(bundle_entry_t))
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "the bundle is corrupt: it is too small for %" PRIu32 " kernels",
                                header->count);
    KILN_TRY(hash_of(bytes, size, &hash));
    if (hash.low != header->hash_low || hash.high != header->hash_high)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "the bundle is corrupt: checksum mismatch");
    return KILN_OK;
}

static bool is_inside(uint64_t offset, uint64_t size, size_t whole)
{
    return offset <= whole && size <= whole - offset;
}

static kiln_status_t read_entry(const unsigned char *bytes, size_t size, size_t index,
                                kiln_bundle_item_t *out)
{
    bundle_entry_t entry;
    memcpy(&entry, bytes + sizeof(bundle_header_t) + index * sizeof entry, sizeof entry);
    if (!is_inside(entry.code_offset, entry.code_size, size) ||
        !is_inside(entry.manifest_offset, entry.manifest_size, size - 1) ||
        bytes[entry.manifest_offset + entry.manifest_size])
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "the bundle is corrupt: kernel %zu is out of bounds", index);
    *out = (kiln_bundle_item_t){bytes + entry.code_offset, entry.code_size,
                                (const char *)bytes + entry.manifest_offset, entry.manifest_size};
    return KILN_OK;
}

kiln_status_t kiln_bundle_read(const void *bytes, size_t size, kiln_bundle_item_t **out_items,
                               size_t *out_count)
{
    bundle_header_t header;
    *out_items = NULL;
    *out_count = 0;
    KILN_TRY(check_header(bytes, size, &header));
    kiln_bundle_item_t *items = calloc((size_t)header.count + 1, sizeof *items);
    if (!items)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < header.count; i++) {
        kiln_status_t status = read_entry(bytes, size, i, &items[i]);
        if (status) {
            free(items);
            return status;
        }
    }
    *out_items = items;
    *out_count = header.count;
    return KILN_OK;
}
