// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads clang's offload bundles. Clang Offload Bundler, "Bundled Binary File Layout"; the compressed header is defined in
// clang's OffloadBundler.
//
//   __CLANG_OFFLOAD_BUNDLE__  u64 entries  { u64 offset  u64 bytes  u64 length  name }...  code objects
//   CCOB  u16 version  u16 method  sizes  u64 hash  the same, compressed
//
// The sizes: version 1 has that of what comes out (u32), 2 the bundle's own in front of it (u32 each), 3 the same (u64
// each). The method is LLVM's number, 0 for zlib and 1 for zstd. HIP doesn't check the hash, nor is it checked here.
//
// What a reader gets wrong: nothing here is believed. No more is decompressed than the header says, only up to the end of
// the wanted code object, and only that one is kept.
#include "core/bundle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLAIN_MAGIC "__CLANG_OFFLOAD_BUNDLE__"
#define PACKED_MAGIC "CCOB"
#define OBJECT_LIMIT (1ull << 30)
#define UNPACKED_LIMIT (16ull << 30)

enum { PLAIN_MAGIC_BYTES = sizeof PLAIN_MAGIC - 1, ENTRY_LIMIT = 1024, BUNDLE_LIMIT = 4096, GAP_LIMIT = 4096 };

// One bundle of a source.
typedef struct bundle {
    kiln_sim_packing_t packing;
    uint64_t data,
        end;           // offsets in the source: what is plain or compressed; end is UINT64_MAX where no header tells it
    uint64_t unpacked; // bytes that it holds at most
} bundle_t;

// The best entry so far.
typedef struct choice {
    uint64_t offset, bytes;
    unsigned suits;
} choice_t;

// ---- names

static bool starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

// <kind>-<triple>-<processor>[:feature+|:feature-]..., where kind is hip or hipv4, and triples have three parts or four.
unsigned kiln_sim_suits(const char *entry)
{
    static const char *const mine[] = {"sramecc+", "xnack-"};
    if (!starts(entry, "hip-amdgcn-") && !starts(entry, "hipv4-amdgcn-"))
        return 0;
    size_t name = strcspn(entry, ":"), at = name;
    while (at > 0 && strncmp(entry + at, "-gfx", 4) != 0)
        at--;
    const char *processor = entry + at + 1;
    size_t length = name - at - 1;
    bool exact = length == strlen("gfx942") && starts(processor, "gfx942");
    if (at == 0 || (!exact && (length != strlen("gfx9-4-generic") || !starts(processor, "gfx9-4-generic"))))
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

static bool read_packed_header(const kiln_sim_source_t *source, uint64_t at, bundle_t *bundle, kiln_sim_error_t *error)
{
    uint16_t kind[2]; // version, method
    uint32_t narrow[2] = {0};
    uint64_t wide[2] = {0}; // bytes of all of it, and of what comes out
    uint64_t sizes = at + sizeof PACKED_MAGIC - 1 + sizeof kind, hash = sizeof(uint64_t);
    if (!kiln_sim_source_read(source, at + sizeof PACKED_MAGIC - 1, kind, sizeof kind))
        return damaged(error, "it ends in its header");
    if (kind[0] < 1 || kind[0] > 3)
        return kiln_sim_fail(error, KILN_SIM_INVALID_IMAGE,
                             "not a loadable offload bundle: compressed form of version %u; 1 to 3 are known", kind[0]);
    if (kind[1] > 1)
        return kiln_sim_fail(error, KILN_SIM_INVALID_IMAGE,
                             "not a loadable offload bundle: compressed by method %u; 0 (zlib) and 1 (zstd) are known",
                             kind[1]);
    size_t bytes = kind[0] == 1 ? 4 : kind[0] == 2 ? 8 : 16;
    if (!kiln_sim_source_read(source, sizes, kind[0] == 3 ? (void *)wide : (void *)narrow, bytes))
        return damaged(error, "it ends in its header");
    if (kind[0] == 1)
        wide[1] = narrow[0];
    else if (kind[0] == 2)
        wide[0] = narrow[0], wide[1] = narrow[1];
    bundle->packing = kind[1] ? KILN_SIM_ZSTD : KILN_SIM_ZLIB;
    bundle->data = sizes + bytes + hash;
    bundle->unpacked = wide[1];
    if (wide[0] > UNPACKED_LIMIT || wide[1] > UNPACKED_LIMIT)
        return damaged(error, "it claims to have or to hold more than 16 GiB");
    bundle->end = kind[0] > 1 ? at + wide[0] : UINT64_MAX;
    return bundle->end >= bundle->data || damaged(error, "it is shorter than its header");
}

// ---- entries

static void add_name(char *names, size_t room, const char *name)
{
    size_t used = strlen(names);
    if (used + strlen(name) + 3 < room)
        snprintf(names + used, room - used, "%s%s", used ? ", " : "", name);
}

// Reads the table. *used: where the bundle's last code object ends, counted from its start.
static bool choose(kiln_sim_stream_t *stream, choice_t *choice, uint64_t *used, char *names, size_t room,
                   kiln_sim_error_t *error)
{
    char magic[PLAIN_MAGIC_BYTES];
    uint64_t count;
    if (!kiln_sim_stream_read(stream, magic, sizeof magic) || memcmp(magic, PLAIN_MAGIC, sizeof magic) != 0)
        return damaged(error, "what was compressed is no bundle");
    if (!kiln_sim_stream_read(stream, &count, sizeof count) || count > ENTRY_LIMIT)
        return damaged(error, "it has no table of entries, or more than 1024 of them");
    *used = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t entry[3]; // offset, bytes, length of the name
        char name[256] = "";
        if (!kiln_sim_stream_read(stream, entry, sizeof entry) || entry[2] >= sizeof name ||
            !kiln_sim_stream_read(stream, name, entry[2]))
            return damaged(error, "its table of entries ends early");
        if (entry[0] > UNPACKED_LIMIT || entry[1] > UNPACKED_LIMIT)
            return damaged(error, "an entry of absurd size");
        *used = entry[0] + entry[1] > *used ? entry[0] + entry[1] : *used;
        if (!starts(name, "host-"))
            add_name(names, room, name);
        unsigned suits = entry[1] ? kiln_sim_suits(name) : 0;
        if (suits > choice->suits)
            *choice = (choice_t){entry[0], entry[1], suits};
    }
    *used = *used > stream->out ? *used : stream->out;
    return true;
}

// Reads an entry's bytes, into memory that grows with what there is.
static uint8_t *extract(kiln_sim_stream_t *stream, const choice_t *choice, kiln_sim_error_t *error)
{
    if (choice->offset < stream->out || !kiln_sim_stream_read(stream, NULL, choice->offset - stream->out) ||
        choice->bytes > OBJECT_LIMIT) {
        damaged(error, "the code object is not where its table says");
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
                damaged(error, "it ends in the code object, or is not what was compressed");
            else
                kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY, "no memory for a code object");
            free(object);
            return NULL;
        }
        done = next;
    }
    return object;
}

// One bundle. NULL without an error where it has nothing for this device; then *next is where it ends, 0 where that
// cannot be told.
static uint8_t *unbundle_one(const kiln_sim_source_t *source, uint64_t at, uint64_t *next, size_t *size, char *names,
                             size_t room, kiln_sim_error_t *error)
{
    bundle_t bundle = {KILN_SIM_PLAIN, at, UINT64_MAX, UNPACKED_LIMIT};
    kiln_sim_stream_t stream;
    choice_t choice = {0};
    uint64_t used = 0;
    uint8_t *object = NULL;
    *next = 0;
    if (has_magic(source, at, PACKED_MAGIC, sizeof PACKED_MAGIC - 1) && !read_packed_header(source, at, &bundle, error))
        return NULL;
    if (!kiln_sim_stream_open(&stream, source, bundle.packing, bundle.data, bundle.end, bundle.unpacked)) {
        kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY, "no memory to decompress an offload bundle");
    } else if (choose(&stream, &choice, &used, names, room, error)) {
        if (choice.suits)
            object = extract(&stream, &choice, error);
        else if (bundle.end != UINT64_MAX)
            *next = bundle.end;
        else if (bundle.packing == KILN_SIM_PLAIN)
            *next = at + used;
        else if (kiln_sim_stream_read(&stream, NULL, bundle.unpacked - stream.out)) // where it ends, only it can tell
            *next = kiln_sim_stream_used(&stream);
        *size = (size_t)choice.bytes;
    }
    kiln_sim_stream_close(&stream);
    return object;
}

// Where the next bundle begins, behind zeros that align it; 0 where there is none.
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
                  "the offload bundle holds no code object for gfx942:sramecc+:xnack-; it has %s",
                  names[0] ? names : "none at all");
    return NULL;
}
