// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks MLIR bytecode before MLIR's reader sees it. That reader trusts counts, types and use-list
// orders, and crashes if they are wrong. Input that passes these checks is read to its end or
// rejected with a message.
//
// The file, as MLIR documents it: magic bytes, a version, the producer's name, and sections
// (check_bytecode.c): strings, dialects with operation names, attributes and types with their
// lengths (check_entries.c), properties and operations with their regions (check_ir.c).
//
// Note that a number may be of any size until it is compared. Everything counted takes at least one
// byte, so a count cannot exceed the bytes left in its section; indices are compared with the sizes
// of their tables.
#ifndef KILN_BYTECODE_H
#define KILN_BYTECODE_H

#include "base/limits.h"
#include "driver/compile_internal.h"

enum {
    KILN_BYTECODE_DEPTH = KILN_DEPTH_LIMIT
}; // of attributes, types and regions, as of brackets in text

typedef struct kiln_bytes {
    const unsigned char *at, *end;
} kiln_bytes_t;

typedef struct kiln_bytecode_string {
    const char *text; // not terminated
    size_t length;
} kiln_bytecode_string_t;

typedef enum kiln_bytecode_state {
    KILN_ENTRY_NEW,
    KILN_ENTRY_OPEN,
    KILN_ENTRY_DONE
} kiln_bytecode_state_t;

// An attribute or a type.
typedef struct kiln_bytecode_entry {
    kiln_bytes_t bytes;
    bool is_encoded; // in its dialect's encoding; else it is text
    size_t dialect;
    kiln_bytecode_state_t state;
    unsigned depth, size;        // of the whole value, nested entries included
    MlirAttribute attribute;     // where it is text
    MlirType type;               // of a type
    kiln_bytecode_string_t name; // of a string attribute; else its text is NULL
} kiln_bytecode_entry_t;

typedef struct kiln_bytecode_entries {
    const char *what; // "attribute" or "type"
    kiln_bytecode_entry_t *list;
    size_t count;
} kiln_bytecode_entries_t;

typedef struct kiln_bytecode {
    const kiln_source_t *source;
    MlirContext mlir;
    uint64_t version;
    kiln_bytecode_string_t *strings;
    size_t string_count;
    size_t *dialects; // their names among the strings
    size_t dialect_count;
    size_t operation_count; // names of operations
    size_t property_count;
    kiln_bytecode_entries_t attributes, types;
    kiln_status_t diagnostic; // MLIR's first diagnostic on the current entry
} kiln_bytecode_t;

// An error about the bytes at `at`, with their offset.
kiln_status_t kiln_bytecode_refuse(const kiln_bytecode_t *code, const unsigned char *at,
                                   const char *format, ...) __attribute__((format(printf, 3, 4)));

kiln_status_t kiln_bytecode_byte(const kiln_bytecode_t *code, kiln_bytes_t *bytes, const char *what,
                                 unsigned *out);
kiln_status_t kiln_bytecode_number(const kiln_bytecode_t *code, kiln_bytes_t *bytes,
                                   const char *what, uint64_t *out);

// Reads the number of `what` that follow, which is at most the number of bytes left.
kiln_status_t kiln_bytecode_count(const kiln_bytecode_t *code, kiln_bytes_t *bytes,
                                  const char *what, size_t *out);

// Reads an index below `limit`.
kiln_status_t kiln_bytecode_index(const kiln_bytecode_t *code, kiln_bytes_t *bytes,
                                  const char *what, size_t limit, size_t *out);

// Splits off the next `length` bytes.
kiln_status_t kiln_bytecode_take(const kiln_bytecode_t *code, kiln_bytes_t *bytes, const char *what,
                                 uint64_t length, kiln_bytes_t *out);

// Reads a section: its kind and contents.
kiln_status_t kiln_bytecode_section(const kiln_bytecode_t *code, kiln_bytes_t *bytes,
                                    unsigned *out_kind, kiln_bytes_t *out);

kiln_status_t kiln_bytecode_end(const kiln_bytecode_t *code, const kiln_bytes_t *bytes,
                                const char *what);

// Checks all attributes and types, whose bytes and dialects are already known.
kiln_status_t kiln_bytecode_check_entries(kiln_bytecode_t *code);

// Checks the section of operations.
kiln_status_t kiln_bytecode_check_ir(const kiln_bytecode_t *code, kiln_bytes_t section);

#endif
