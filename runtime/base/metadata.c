// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts MessagePack to JSON. Unsigned integers above 2^63−1 do not fit into a JSON integer and
// are rejected.
#include "base/metadata.h"

#include "base/msgpack.h"

enum { DEPTH_LIMIT = 32 };

static json_t *read_value(kiln_msgpack_t *reader, unsigned depth);

static json_t *read_array(kiln_msgpack_t *reader, uint64_t count, unsigned depth)
{
    json_t *array = json_array();
    for (uint64_t i = 0; i < count; i++) {
        json_t *value = read_value(reader, depth + 1);
        if (!value || json_array_append_new(array, value)) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *read_map(kiln_msgpack_t *reader, uint64_t count, unsigned depth)
{
    json_t *object = json_object();
    for (uint64_t i = 0; i < count; i++) {
        json_t *key = read_value(reader, depth + 1);
        json_t *value = json_is_string(key) ? read_value(reader, depth + 1) : NULL;
        int failed = !value || json_object_set_new(object, json_string_value(key), value);
        json_decref(key);
        if (failed) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

static json_t *read_value(kiln_msgpack_t *reader, unsigned depth)
{
    const kiln_msgpack_item_t item = kiln_msgpack_next(reader);
    if (reader->failed || depth > DEPTH_LIMIT)
        return NULL;
    switch (item.kind) {
    case KILN_MSGPACK_NIL:
        return json_null();
    case KILN_MSGPACK_FALSE:
        return json_false();
    case KILN_MSGPACK_TRUE:
        return json_true();
    case KILN_MSGPACK_UNSIGNED:
        return item.integer <= INT64_MAX ? json_integer((json_int_t)item.integer) : NULL;
    case KILN_MSGPACK_NEGATIVE:
        return json_integer((json_int_t)item.integer);
    case KILN_MSGPACK_FLOAT:
        return json_real(item.real);
    case KILN_MSGPACK_STRING:
        return json_stringn(item.bytes, item.size); // NULL if it is not UTF-8
    case KILN_MSGPACK_ARRAY:
        return read_array(reader, item.integer, depth);
    case KILN_MSGPACK_MAP:
        return read_map(reader, item.integer, depth);
    case KILN_MSGPACK_BINARY:
        break;
    }
    return NULL;
}

kiln_status_t kiln_metadata_read(const void *bytes, size_t size, json_t **out_json)
{
    kiln_msgpack_t reader = kiln_msgpack_open(bytes, size);
    *out_json = read_value(&reader, 0);
    return *out_json ? KILN_OK : kiln_status_make(KILN_STATUS_INVALID_INPUT, "broken MessagePack");
}
