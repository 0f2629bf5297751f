// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR bytecode, read once before MLIR's reader: that one takes counts, types and the order of uses on trust, and crashes
// where they are wrong. What passes here it reads to the end or refuses in words.
//
// The file, as its own documentation has it: magic bytes, a version, the producer's name, and sections (check_bytecode.c):
// strings, dialects with the names of operations, attributes and types with their lengths (check_entries.c), properties
// and operations with their regions (check_ir.c).
//
// What is easily got wrong: a number is not known to be small before it is compared. Whatever is counted takes a byte at
// least, so that no count can be larger than what is left of its section; indices have their tables.
#ifndef KILN_BYTECODE_H
#define KILN_BYTECODE_H

#include "compile_internal.h"

enum { KILN_BYTECODE_DEPTH = 500 }; // of attributes, types and regions, as of brackets in text

typedef struct kiln_bytes {
    const unsigned char *at, *end;
} kiln_bytes_t;

typedef struct kiln_bytecode_string {
    const char *text; // not terminated
    size_t length;
} kiln_bytecode_string_t;

typedef enum kiln_bytecode_state { KILN_ENTRY_NEW, KILN_ENTRY_OPEN, KILN_ENTRY_DONE } kiln_bytecode_state_t;

// An attribute or a type.
typedef struct kiln_bytecode_entry {
    kiln_bytes_t bytes;
    bool is_encoded; // in its dialect's own way; else it is text
    size_t dialect;
    kiln_bytecode_state_t state;
    unsigned depth, size;        // of all that it stands for
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
    kiln_status_t told; // what MLIR said first of the entry at hand
} kiln_bytecode_t;

// The error of what stands at `at`, with its offset.
kiln_status_t kiln_bytecode_refuse(const kiln_bytecode_t *code, const unsigned char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

kiln_status_t kiln_bytecode_byte(const kiln_bytecode_t *code, kiln_bytes_t *bytes, const char *what, unsigned *out);
kiln_status_t kiln_bytecode_number(const kiln_bytecode_t *code, kiln_bytes_t *bytes, const char *what, uint64_t *out);

// How many of `what` follow: no more than bytes are left.
kiln_status_t kiln_bytecode_count(const kiln_bytecode_t *code, kiln_bytes_t *bytes, const char *what, size_t *out);

// One of `limit` things.
kiln_status_t kiln_bytecode_index(const kiln_bytecode_t *code, kiln_bytes_t *bytes, const char *what, size_t limit,
                                  size_t *out);

// The next `length` bytes, as something of their own.
kiln_status_t kiln_bytecode_take(const kiln_bytecode_t *code, kiln_bytes_t *bytes, const char *what, uint64_t length,
                                 kiln_bytes_t *out);

// A section's kind and contents.
kiln_status_t kiln_bytecode_section(const kiln_bytecode_t *code, kiln_bytes_t *bytes, unsigned *out_kind,
                                    kiln_bytes_t *out);

kiln_status_t kiln_bytecode_end(const kiln_bytecode_t *code, const kiln_bytes_t *bytes, const char *what);

// All attributes and types, whose bytes and dialects are known.
kiln_status_t kiln_bytecode_check_entries(kiln_bytecode_t *code);

// The section of operations.
kiln_status_t kiln_bytecode_check_ir(const kiln_bytecode_t *code, kiln_bytes_t section);

#endif
