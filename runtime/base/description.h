// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A manifest (docs/manifest.schema.json, version KILN_MANIFEST_SCHEMA), validated, as a struct.
// Loaders use it to select and launch kernels.
//
// The reader rejects members that the schema does not list. Adding a member therefore requires a
// new schema version, so that an old loader reports the version instead of ignoring what new code
// requires.
#ifndef KILN_BASE_DESCRIPTION_H
#define KILN_BASE_DESCRIPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/expression.h"
#include "kiln/element.h"
#include "kiln/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { KILN_MANIFEST_SCHEMA = 1 };

typedef struct kiln_described_argument {
    char *name, *type;           // "*f16", "i32"
    bool is_pointer, is_known;   // is_known: `element` is the argument's type or the type that it
                                 // points to
    kiln_element_type_t element; // integers are signless: i32 also for u32
    size_t offset, size;         // in the kernarg segment, bytes
    bool is_const;               // a pointer that the kernel only reads through
    // Demands of the code. A launch with other values computes wrong elements or accesses memory
    // out of bounds.
    unsigned divisibility; // of the integer or the address; 0: none required
    bool is_below_2g;      // the memory that it points to is smaller than 2 GiB
    bool has_range;        // the integer is at least `min` and at most `max`
    int64_t min, max;
    kiln_integer_sign_t sign;
} kiln_described_argument_t;

typedef struct kiln_hidden_argument { // filled in by the HIP library
    char *kind;                       // "hidden_hostcall_buffer", …
    size_t offset, size;
} kiln_hidden_argument_t;

typedef struct kiln_described_constant {
    char *name, *type, *value; // type: "i32", "bool", …; "type" if the value names a type
    bool is_integer;           // then `integer` is its value
    int64_t integer;
} kiln_described_constant_t;

typedef struct kiln_description {
    char *name, *kernel; // name in the source; symbol
    char *arch, *build_id, *source_hash, *source_stage;
    unsigned block[3];
    bool has_grid;
    kiln_expression_t grid[3]; // over integer arguments, constants and elements(pointer)
    size_t kernarg_size, kernarg_align;
    unsigned dynamic_lds_bytes, lds_bytes;
    kiln_described_argument_t *arguments;
    size_t argument_count;
    kiln_hidden_argument_t *hidden;
    size_t hidden_count;
    kiln_described_constant_t *constants;
    size_t constant_count;
} kiln_description_t;

// Reads a manifest's text; `name` is for messages. INVALID_INPUT names the member that is missing,
// wrong or unknown; UNSUPPORTED means another version of the schema. The caller frees the
// description with kiln_description_free, also after a failure.
kiln_status_t kiln_description_read(const char *name, const char *text, size_t length,
                                    kiln_description_t *out_description);
void kiln_description_free(kiln_description_t *description);

// Checks that the bytes are a code object for the manifest's processor and contain its kernel.
// INVALID_INPUT, UNSUPPORTED, NOT_FOUND.
kiln_status_t kiln_description_check_code(const kiln_description_t *description, const void *code,
                                          size_t size);

// Whether the grid depends on the size of a buffer, which a launcher that gets bare pointers does
// not know.
bool kiln_description_has_sized_grid(const kiln_description_t *description);

// NULL if there is no such argument.
const kiln_described_argument_t *kiln_description_argument(const kiln_description_t *description,
                                                           const char *name, size_t length);
const kiln_described_constant_t *kiln_description_constant(const kiln_description_t *description,
                                                           const char *name, size_t length);

// Whether a value or a buffer's elements of one type may be used as the other. Integers of the same
// size agree, because the kernel decides whether they are signed. i1 does not agree with integers
// of one byte, which may hold values other than 0 and 1.
bool kiln_element_types_agree(kiln_element_type_t a, kiln_element_type_t b);

#ifdef __cplusplus
}
#endif
#endif
