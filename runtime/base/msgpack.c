// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes the formats by their first byte, as the MessagePack specification lists them. Integers
// are big-endian. An extension is one byte longer than its length states, due to the byte of its
// type.
#include "base/msgpack.h"

#include <string.h>

enum { DEPTH_LIMIT = 16 };

kiln_msgpack_t kiln_msgpack_open(const void *bytes, size_t size)
{
    return (kiln_msgpack_t){bytes, (const unsigned char *)bytes + size, false};
}

static uint64_t big_endian(kiln_msgpack_t *reader, unsigned bytes)
{
    uint64_t value = 0;
    if (reader->failed || (size_t)(reader->end - reader->at) < bytes) {
        reader->failed = true;
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++)
        value = value << 8 | *reader->at++;
    return value;
}

static kiln_msgpack_item_t take_bytes(kiln_msgpack_t *reader, kiln_msgpack_kind_t kind,
                                      uint64_t size)
{
    if (reader->failed || size > (uint64_t)(reader->end - reader->at)) {
        reader->failed = true;
        return (kiln_msgpack_item_t){0};
    }
    const kiln_msgpack_item_t item = {
        .kind = kind, .bytes = (const char *)reader->at, .size = (size_t)size};
    reader->at += size;
    return item;
}

static kiln_msgpack_item_t count_of(kiln_msgpack_kind_t kind, uint64_t count)
{
    return (kiln_msgpack_item_t){.kind = kind, .integer = count};
}

static kiln_msgpack_item_t signed_of(int64_t value)
{
    return (kiln_msgpack_item_t){.kind = value < 0 ? KILN_MSGPACK_NEGATIVE : KILN_MSGPACK_UNSIGNED,
                                 .integer = (uint64_t)value};
}

// Sign-extends a number of `bytes` bytes.
static int64_t extend(uint64_t value, unsigned bytes)
{
    unsigned shift = 64 - 8 * bytes;
    return (int64_t)(value << shift) >> shift;
}

static kiln_msgpack_item_t float_of(uint64_t bits, unsigned bytes)
{
    kiln_msgpack_item_t item = {.kind = KILN_MSGPACK_FLOAT};
    float narrow;
    uint32_t word = (uint32_t)bits;
    memcpy(&narrow, &word, sizeof narrow);
    memcpy(&item.real, &bits, sizeof item.real);
    if (bytes == 4)
        item.real = (double)narrow;
    return item;
}

// Reads formats whose value does not fit into the first byte.
static kiln_msgpack_item_t read_long(kiln_msgpack_t *reader, unsigned tag)
{
    if (tag == 0xc0)
        return (kiln_msgpack_item_t){.kind = KILN_MSGPACK_NIL};
    if (tag == 0xc2 || tag == 0xc3)
        return (kiln_msgpack_item_t){.kind = tag == 0xc3 ? KILN_MSGPACK_TRUE : KILN_MSGPACK_FALSE};
    if (tag >= 0xc4 && tag <= 0xc6)
        return take_bytes(reader, KILN_MSGPACK_BINARY, big_endian(reader, 1u << (tag - 0xc4)));
    if (tag >= 0xc7 && tag <= 0xc9)
        return take_bytes(reader, KILN_MSGPACK_BINARY, big_endian(reader, 1u << (tag - 0xc7)) + 1);
    if (tag == 0xca || tag == 0xcb)
        return float_of(big_endian(reader, 4u << (tag - 0xca)), 4u << (tag - 0xca));
    if (tag >= 0xcc && tag <= 0xcf)
        return count_of(KILN_MSGPACK_UNSIGNED, big_endian(reader, 1u << (tag - 0xcc)));
    if (tag >= 0xd0 && tag <= 0xd3)
        return signed_of(extend(big_endian(reader, 1u << (tag - 0xd0)), 1u << (tag - 0xd0)));
    if (tag >= 0xd4 && tag <= 0xd8)
        return take_bytes(reader, KILN_MSGPACK_BINARY, (1u << (tag - 0xd4)) + 1);
    if (tag >= 0xd9 && tag <= 0xdb)
        return take_bytes(reader, KILN_MSGPACK_STRING, big_endian(reader, 1u << (tag - 0xd9)));
    if (tag >= 0xdc && tag <= 0xdf)
        return count_of(tag <= 0xdd ? KILN_MSGPACK_ARRAY : KILN_MSGPACK_MAP,
                        big_endian(reader, tag & 1 ? 4 : 2));
    reader->failed = true; // 0xc1 is never used
    return (kiln_msgpack_item_t){0};
}

kiln_msgpack_item_t kiln_msgpack_next(kiln_msgpack_t *reader)
{
    unsigned tag = (unsigned)big_endian(reader, 1);
    kiln_msgpack_item_t item = {0};
    if (reader->failed)
        return item;
    if (tag < 0x80)
        item = count_of(KILN_MSGPACK_UNSIGNED, tag);
    else if (tag < 0x90)
        item = count_of(KILN_MSGPACK_MAP, tag & 15);
    else if (tag < 0xa0)
        item = count_of(KILN_MSGPACK_ARRAY, tag & 15);
    else if (tag < 0xc0)
        item = take_bytes(reader, KILN_MSGPACK_STRING, tag & 31);
    else if (tag >= 0xe0)
        item = signed_of(extend(tag, 1));
    else
        item = read_long(reader, tag);
    return reader->failed ? (kiln_msgpack_item_t){0} : item;
}

static void skip(kiln_msgpack_t *reader, kiln_msgpack_item_t item, unsigned depth)
{
    uint64_t children = item.kind == KILN_MSGPACK_MAP     ? 2 * item.integer
                        : item.kind == KILN_MSGPACK_ARRAY ? item.integer
                                                          : 0;
    if (children && depth > DEPTH_LIMIT)
        reader->failed = true;
    for (uint64_t i = 0; i < children && !reader->failed; i++)
        skip(reader, kiln_msgpack_next(reader), depth + 1);
}

void kiln_msgpack_skip(kiln_msgpack_t *reader, kiln_msgpack_item_t item)
{
    skip(reader, item, 0);
}

bool kiln_msgpack_is(kiln_msgpack_item_t item, const char *text)
{
    return item.kind == KILN_MSGPACK_STRING && item.size == strlen(text) &&
           memcmp(item.bytes, text, item.size) == 0;
}
