// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formats by their first byte, as the MessagePack specification lists them.
//
// What is easily got wrong: integers are big-endian, and unsigned ones above 2^63-1 do not fit a JSON integer.
#include "msgpack.h"

#include <stdint.h>
#include <string.h>

enum { DEPTH_LIMIT = 32 };

typedef struct reader {
    const unsigned char *at, *end;
} reader_t;

static int take(reader_t *r, unsigned count, uint64_t *out)
{
    if ((size_t)(r->end - r->at) < count)
        return 0;
    *out = 0;
    for (unsigned i = 0; i < count; i++)
        *out = *out << 8 | *r->at++;
    return 1;
}

static json_t *read_value(reader_t *r, unsigned depth);

static json_t *read_string(reader_t *r, uint64_t length)
{
    if ((uint64_t)(r->end - r->at) < length)
        return NULL;
    json_t *string = json_stringn((const char *)r->at, (size_t)length); // NULL where it is not UTF-8
    r->at += length;
    return string;
}

static json_t *read_array(reader_t *r, uint64_t count, unsigned depth)
{
    json_t *array = json_array();
    for (uint64_t i = 0; i < count; i++) {
        json_t *value = read_value(r, depth + 1);
        if (!value || json_array_append_new(array, value)) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *read_map(reader_t *r, uint64_t count, unsigned depth)
{
    json_t *object = json_object();
    for (uint64_t i = 0; i < count; i++) {
        json_t *key = read_value(r, depth + 1);
        json_t *value = json_is_string(key) ? read_value(r, depth + 1) : NULL;
        int failed = !value || json_object_set_new(object, json_string_value(key), value);
        json_decref(key);
        if (failed) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

static json_t *read_float(uint64_t bits, unsigned size)
{
    if (size == 4) {
        uint32_t word = (uint32_t)bits;
        float value;
        memcpy(&value, &word, sizeof value);
        return json_real((double)value);
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return json_real(value);
}

static json_t *read_value(reader_t *r, unsigned depth)
{
    uint64_t first, n;
    if (depth > DEPTH_LIMIT || !take(r, 1, &first))
        return NULL;
    if (first < 0x80)
        return json_integer((json_int_t)first);
    if (first < 0x90)
        return read_map(r, first & 15, depth);
    if (first < 0xa0)
        return read_array(r, first & 15, depth);
    if (first < 0xc0)
        return read_string(r, first & 31);
    if (first >= 0xe0)
        return json_integer((json_int_t)(int8_t)first);
    switch (first) {
    case 0xc0:
        return json_null();
    case 0xc2:
        return json_false();
    case 0xc3:
        return json_true();
    case 0xca:
    case 0xcb: {
        unsigned size = 4u << (first - 0xca);
        return take(r, size, &n) ? read_float(n, size) : NULL;
    }
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf:
        return take(r, 1u << (first - 0xcc), &n) && n <= INT64_MAX ? json_integer((json_int_t)n) : NULL;
    case 0xd0:
        return take(r, 1, &n) ? json_integer((int8_t)n) : NULL;
    case 0xd1:
        return take(r, 2, &n) ? json_integer((int16_t)n) : NULL;
    case 0xd2:
        return take(r, 4, &n) ? json_integer((int32_t)n) : NULL;
    case 0xd3:
        return take(r, 8, &n) ? json_integer((json_int_t)n) : NULL;
    case 0xd9:
    case 0xda:
    case 0xdb:
        return take(r, 1u << (first - 0xd9), &n) ? read_string(r, n) : NULL;
    case 0xdc:
    case 0xdd:
        return take(r, 2u << (first - 0xdc), &n) ? read_array(r, n, depth) : NULL;
    case 0xde:
    case 0xdf:
        return take(r, 2u << (first - 0xde), &n) ? read_map(r, n, depth) : NULL;
    default:
        return NULL;
    }
}

kiln_status_t kiln_msgpack_read(const void *bytes, size_t size, json_t **out_json)
{
    reader_t reader = {bytes, (const unsigned char *)bytes + size};
    *out_json = read_value(&reader, 0);
    return *out_json ? KILN_OK : kiln_status_make(KILN_STATUS_INVALID_INPUT, "broken MessagePack");
}
