// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads MessagePack, the encoding of a code object's metadata, element by element. The bytes are
// not trusted.
//
// Lengths in the bytes are only claims. Every element consumes at least one byte, so a map of four
// billion entries fails when its bytes run out. Callers must allocate per element read, not per
// element promised.
#ifndef KILN_BASE_MSGPACK_H
#define KILN_BASE_MSGPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct kiln_msgpack {
    const unsigned char *at, *end;
    bool failed; // the bytes ended early or are not MessagePack; the reader stops
} kiln_msgpack_t;

typedef enum kiln_msgpack_kind {
    KILN_MSGPACK_NIL,
    KILN_MSGPACK_FALSE,
    KILN_MSGPACK_TRUE,
    KILN_MSGPACK_UNSIGNED,
    KILN_MSGPACK_NEGATIVE, // `integer` in two's complement
    KILN_MSGPACK_FLOAT,
    KILN_MSGPACK_STRING, // not checked to be UTF-8, not terminated
    KILN_MSGPACK_BINARY, // or an extension
    KILN_MSGPACK_ARRAY,  // `integer` elements follow
    KILN_MSGPACK_MAP,    // `integer` pairs of a key and a value follow
} kiln_msgpack_kind_t;

typedef struct kiln_msgpack_item {
    kiln_msgpack_kind_t kind;
    uint64_t integer;
    double real;
    const char *bytes; // of a string or binary, within the input
    size_t size;
} kiln_msgpack_item_t;

kiln_msgpack_t kiln_msgpack_open(const void *bytes, size_t size);

// Reads the head of the next element; after an array or map the reader is at its first child. NIL
// after a failure.
kiln_msgpack_item_t kiln_msgpack_next(kiln_msgpack_t *reader);

// Skips the contents of an item that was just read; too deep nesting is a failure.
void kiln_msgpack_skip(kiln_msgpack_t *reader, kiln_msgpack_item_t item);

// Whether the item is the string `text`.
bool kiln_msgpack_is(kiln_msgpack_item_t item, const char *text);

#endif
