// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads clang's offload bundles. Clang Offload Bundler, "Bundled Binary File Layout"; the
// compressed header is defined in clang's OffloadBundler.
//
//   __CLANG_OFFLOAD_BUNDLE__  u64 entries  { u64 offset  u64 bytes  u64 length  name }...  code objects
//   CCOB  u16 version  u16 method  sizes  u64 hash  the same, compressed
//
// Sizes: version 1 has the decompressed size (u32); version 2 has the bundle's own size before it
// (u32 each); version 3 is like version 2 with u64 each. The method is LLVM's number, 0 for zlib
// and 1 for zstd. The hash is not checked; HIP does not check it either.
//
// The input is untrusted. Decompression stops at the size in the header and at the end of the
// wanted code object, and only that code object is kept.
#include "load/bundle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/string.h"

#define PLAIN_MAGIC "__CLANG_OFFLOAD_BUNDLE__"
#define PACKED_MAGIC "CCOB"
#define OBJECT_LIMIT (1ull << 30)
#define UNPACKED_LIMIT (16ull << 30)

enum {
    PLAIN_MAGIC_BYTES = sizeof PLAIN_MAGIC - 1,
    ENTRY_LIMIT = 1024,
    BUNDLE_LIMIT = 4096,
    GAP_LIMIT = 4096
};

// One bundle of a source.
typedef struct bundle {
    kiln_sim_packing_t packing;
    uint64_t data,
        end; // offsets of the plain or compressed data in the source; end is UINT64_MAX if no
             // header gives it
    uint64_t unpacked; // upper limit of its decompressed size
} bundle_t;

// The best entry so far.
typedef struct choice {
    uint64_t offset, bytes;
    unsigned suits;
} choice_t;

// ---- names

// <kind>-<triple>-<processor>[:feature+|:feature-]..., where kind is hip or hipv4, and triples have
// three parts or four.
unsigned kiln_sim_suits(const char *entry)
{
    static const char *const mine[] = {"sramecc+", "xnack-"};
    if (!kiln_string_starts_with(entry, "hip-amdgcn-") &&
        !kiln_string_starts_with(entry, "hipv4-amdgcn-"))
        return 0;
    size_t name = strcspn(entry, ":"), at = name;
    while (at > 0 && strncmp(entry + at, "-gfx", 4) != 0)
        at--;
    const char *processor = entry + at + 1;
    size_t length = name - at - 1;
    bool exact = length == strlen("gfx942") && kiln_string_starts_with(processor, "gfx942");
    if (at == 0 || (!exact && (length != strlen("gfx9-4-generic") ||
                               !kiln_string_starts_with(processor, "gfx9-4-generic"))))
        return 0;
    unsigned named = 0;
    for (const char *feature = entry + name; *feature;) {
        size_t bytes = strcspn(++feature, ":"), i = 0;
        while (i < 2 && (strlen(mine[i]) != bytes || strncmp(mine[i], feature, bytes) != 0))
            i++;
        if (i == 2)
            return 0;
        named++;
        feature += bytes;
    }
    return 1 + named + (exact ? 100 : 0);
}

// ---- headers

static bool damaged(kiln_sim_error_t *error, const char *what)
{
    return kiln_sim_fail(error, KILN_SIM_INVALID_IMAGE, "not a loadable offload bundle: %s", what);
}

static bool has_magic(const kiln_sim_source_t *source, uint64_t at, const char *magic, size_t bytes)
{
    char there[PLAIN_MAGIC_BYTES];
    return kiln_sim_source_read(source, at, there, bytes) && memcmp(there, magic, bytes) == 0;
}

static bool is_bundle_at(const kiln_sim_source_t *source, uint64_t at)
{
    return has_magic(source, at, PACKED_MAGIC, sizeof PACKED_MAGIC - 1) ||
           has_magic(source, at, PLAIN_MAGIC, PLAIN_MAGIC_BYTES);
}

bool kiln_sim_is_bundle(const kiln_sim_source_t *source)
{
    return is_bundle_at(source, 0);
}

static bool read_packed_header(const kiln_sim_source_t *source, uint64_t at, bundle_t *bundle,
                               kiln_sim_error_t *error)
{
    uint16_t kind[2]; // version, method
    uint32_t narrow[2] = {0};
    uint64_t wide[2] = {0}; // sizes of the whole bundle and of the decompressed data
    uint64_t sizes = at + sizeof PACKED_MAGIC - 1 + sizeof kind, hash = sizeof(uint64_t);
    if (!kiln_sim_source_read(source, at + sizeof PACKED_MAGIC - 1, kind, sizeof kind))
        return damaged(error, "truncated header");
    if (kind[0] < 1 || kind[0] > 3)
        return kiln_sim_fail(
            error, KILN_SIM_INVALID_IMAGE,
            "not a loadable offload bundle: unsupported compressed version %u; expected 1 to 3",
            kind[0]);
    if (kind[1] > 1)
        return kiln_sim_fail(error, KILN_SIM_INVALID_IMAGE,
                             "not a loadable offload bundle: unsupported compression method %u; "
                             "expected 0 (zlib) or 1 (zstd)",
                             kind[1]);
    size_t bytes = kind[0] == 1 ? 4 : kind[0] == 2 ? 8 : 16;
    if (!kiln_sim_source_read(source, sizes, kind[0] == 3 ? (void *)wide : (void *)narrow, bytes))
        return damaged(error, "truncated header");
    if (kind[0] == 1)
        wide[1] = narrow[0];
    else if (kind[0] == 2)
        wide[0] = narrow[0], wide[1] = narrow[1];
    bundle->packing = kind[1] ? KILN_SIM_ZSTD : KILN_SIM_ZLIB;
    bundle->data = sizes + bytes + hash;
    bundle->unpacked = wide[1];
    if (wide[0] > UNPACKED_LIMIT || wide[1] > UNPACKED_LIMIT)
        return damaged(error, "its compressed or uncompressed size exceeds 16 GiB");
    bundle->end = kind[0] > 1 ? at + wide[0] : UINT64_MAX;
    return bundle->end >= bundle->data || damaged(error, "it is shorter than its header's size");
}

// ---- entries

static void add_name(char *names, size_t room, const char *name)
{
    size_t used = strlen(names);
    if (used + strlen(name) + 3 < room)
        snprintf(names + used, room - used, "%s%s", used ? ", " : "", name);
}

// Reads the table. *used is the end of the bundle's last code object, relative to the bundle's
// start.
static bool choose(kiln_sim_stream_t *stream, choice_t *choice, uint64_t *used, char *names,
                   size_t room, kiln_sim_error_t *error)
{
    char magic[PLAIN_MAGIC_BYTES];
    uint64_t count;
    if (!kiln_sim_stream_read(stream, magic, sizeof magic) ||
        memcmp(magic, PLAIN_MAGIC, sizeof magic) != 0)
        return damaged(error, "the decompressed data is not a bundle");
    if (!kiln_sim_stream_read(stream, &count, sizeof count) || count > ENTRY_LIMIT)
        return damaged(error, "it has no entries, or more than 1024");
    *used = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t entry[3]; // offset, bytes, length of the name
        char name[256] = "";
        if (!kiln_sim_stream_read(stream, entry, sizeof entry) || entry[2] >= sizeof name ||
            !kiln_sim_stream_read(stream, name, entry[2]))
            return damaged(error, "its table of entries is truncated");
        if (entry[0] > UNPACKED_LIMIT || entry[1] > UNPACKED_LIMIT)
            return damaged(error, "an entry with an invalid size");
        *used = entry[0] + entry[1] > *used ? entry[0] + entry[1] : *used;
        if (!kiln_string_starts_with(name, "host-"))
            add_name(names, room, name);
        unsigned suits = entry[1] ? kiln_sim_suits(name) : 0;
        if (suits > choice->suits)
            *choice = (choice_t){entry[0], entry[1], suits};
    }
    *used = *used > stream->out ? *used : stream->out;
    return true;
}

// Reads an entry's bytes into a buffer that grows with the data, not with the claimed size.
static uint8_t *extract(kiln_sim_stream_t *stream, const choice_t *choice, kiln_sim_error_t *error)
{
    if (choice->offset < stream->out ||
        !kiln_sim_stream_read(stream, NULL, choice->offset - stream->out) ||
        choice->bytes > OBJECT_LIMIT) {
        damaged(error, "the code object is out of bounds");
        return NULL;
    }
    uint8_t *object = NULL;
    for (uint64_t done = 0, room = 1 << 20; done < choice->bytes; room *= 2) {
        uint64_t next = room < choice->bytes ? room : choice->bytes;
        uint8_t *larger = realloc(object, (size_t)next);
        bool there = larger && kiln_sim_stream_read(stream, larger + done, next - done);
        object = larger ? larger : object;
        if (!there) {
            if (larger)
                damaged(error, "it is truncated within the code object, or corrupt");
            else
                kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY,
                              "out of host memory for a code object");
            free(object);
            return NULL;
        }
        done = next;
    }
    return object;
}

// Reads one bundle. Returns NULL without an error if it has nothing for this device; then *next is
// the offset of its end, or 0 if that is unknown.
static uint8_t *unbundle_one(const kiln_sim_source_t *source, uint64_t at, uint64_t *next,
                             size_t *size, char *names, size_t room, kiln_sim_error_t *error)
{
    bundle_t bundle = {KILN_SIM_PLAIN, at, UINT64_MAX, UNPACKED_LIMIT};
    kiln_sim_stream_t stream;
    choice_t choice = {0};
    uint64_t used = 0;
    uint8_t *object = NULL;
    *next = 0;
    if (has_magic(source, at, PACKED_MAGIC, sizeof PACKED_MAGIC - 1) &&
        !read_packed_header(source, at, &bundle, error))
        return NULL;
    if (!kiln_sim_stream_open(&stream, source, bundle.packing, bundle.data, bundle.end,
                              bundle.unpacked)) {
        kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY,
                      "out of host memory to decompress an offload bundle");
    } else if (choose(&stream, &choice, &used, names, room, error)) {
        if (choice.suits)
            object = extract(&stream, &choice, error);
        else if (bundle.end != UINT64_MAX)
            *next = bundle.end;
        else if (bundle.packing == KILN_SIM_PLAIN)
            *next = at + used;
        else if (kiln_sim_stream_read(&stream, NULL,
                                      bundle.unpacked -
                                          stream.out)) // only the stream knows where it ends
            *next = kiln_sim_stream_used(&stream);
        *size = (size_t)choice.bytes;
    }
    kiln_sim_stream_close(&stream);
    return object;
}

// The offset of the next bundle, after zeros that align it; 0 if there is none.
static uint64_t find_next(const kiln_sim_source_t *source, uint64_t at)
{
    for (uint64_t end = at + GAP_LIMIT; at && at < end; at++) {
        uint8_t byte;
        if (is_bundle_at(source, at))
            return at;
        if (!kiln_sim_source_read(source, at, &byte, 1) || byte != 0)
            return 0;
    }
    return 0;
}

uint8_t *kiln_sim_unbundle(const kiln_sim_source_t *source, size_t *size, kiln_sim_error_t *error)
{
    char names[512] = "";
    uint64_t at = 0, next;
    for (unsigned count = 0; count < BUNDLE_LIMIT; count++) {
        uint8_t *object = unbundle_one(source, at, &next, size, names, sizeof names, error);
        if (object || error->code)
            return object;
        if ((at = find_next(source, next)) == 0)
            break;
    }
    kiln_sim_fail(error, KILN_SIM_NO_BINARY_FOR_GPU,
                  "no code object for gfx942:sramecc+:xnack- in the offload bundle; it has %s",
                  names[0] ? names : "none");
    return NULL;
}
