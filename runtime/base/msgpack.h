// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MessagePack, as code objects carry their metadata, element by element, which nobody need trust.
//
// What is easily got wrong: lengths in the bytes are claims. Every element consumes at least one byte, so a map of four
// billion entries fails when its bytes run out; whoever allocates does so per element read, not per element promised.
#ifndef KILN_BASE_MSGPACK_H
#define KILN_BASE_MSGPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct kiln_msgpack {
    const unsigned char *at, *end;
    bool failed; // the bytes ran out, or are no MessagePack; nothing more is read then
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
    const char *bytes; // of a string or binary, within what is read
    size_t size;
} kiln_msgpack_item_t;

kiln_msgpack_t kiln_msgpack_open(const void *bytes, size_t size);

// The head of the next element; an array or map leaves the reader at its first child. NIL after a failure.
kiln_msgpack_item_t kiln_msgpack_next(kiln_msgpack_t *reader);

// Reads over what is inside an item that was just read; nested too deep is a failure.
void kiln_msgpack_skip(kiln_msgpack_t *reader, kiln_msgpack_item_t item);

// Whether it is that string.
bool kiln_msgpack_is(kiln_msgpack_item_t item, const char *text);

#endif
