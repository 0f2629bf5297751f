// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that a manifest says (docs/manifest.schema.json, version KILN_MANIFEST_SCHEMA), checked and as a struct: what loaders
// go by.
//
// What is easily got wrong: the reader takes nothing that the schema does not list. A member that comes to manifests
// comes with another version, so that an old loader says so and does not overlook what the code now wants.
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
    bool is_pointer, is_known;   // is_known: `element` is what it is or points to
    kiln_element_type_t element; // integers are signless: i32 for u32, too
    size_t offset, size;         // in the kernarg segment, bytes
    bool is_const;               // a pointer that the kernel only reads through
    // What the code was made for; a launch with other values computes wrong elements or accesses foreign memory.
    unsigned divisibility; // of the integer or the address; 0: of no matter
    bool is_below_2g;      // the memory behind the pointer is smaller than 2 GiB
    bool has_range;        // the integer is at least `least` and at most `most`
    int64_t least, most;
} kiln_described_argument_t;

typedef struct kiln_hidden_argument { // that the HIP library fills in
    char *kind;                       // "hidden_hostcall_buffer", …
    size_t offset, size;
} kiln_hidden_argument_t;

typedef struct kiln_described_constant {
    char *name, *type, *value; // type: "i32", "bool", …; "type" where the value names one
    bool is_integer;           // and `integer` its value
    int64_t integer;
} kiln_described_constant_t;

typedef struct kiln_description {
    char *name, *kernel; // as the source calls it; the symbol
    char *arch, *build_id, *source_hash, *source_stage;
    unsigned block[3];
    bool has_grid;
    kiln_expression_t grid[3]; // over integer arguments and constants
    size_t kernarg_size, kernarg_align;
    unsigned dynamic_lds_bytes, lds_bytes;
    kiln_described_argument_t *arguments;
    size_t argument_count;
    kiln_hidden_argument_t *hidden;
    size_t hidden_count;
    kiln_described_constant_t *constants;
    size_t constant_count;
} kiln_description_t;

// Reads a manifest's text; `name` is for messages. INVALID_INPUT names the member that is missing, wrong or unknown;
// UNSUPPORTED tells of another version of the schema. Freed by kiln_description_free, also after a failure.
kiln_status_t kiln_description_read(const char *name, const char *text, size_t length,
                                    kiln_description_t *out_description);
void kiln_description_free(kiln_description_t *description);

// Whether these bytes are a code object for the manifest's processor with its kernel. INVALID_INPUT, UNSUPPORTED, NOT_FOUND.
kiln_status_t kiln_description_check_code(const kiln_description_t *description, const void *code, size_t size);

// NULL where there is none.
const kiln_described_argument_t *kiln_description_argument(const kiln_description_t *description, const char *name,
                                                           size_t length);
const kiln_described_constant_t *kiln_description_constant(const kiln_description_t *description, const char *name,
                                                           size_t length);

// Whether a value, or the elements of a buffer, of one type may stand for the other: integers of one size do, for whether
// they have a sign is the kernel's matter. A truth value is no integer of a byte, which may be something else than 0 and 1.
bool kiln_element_types_agree(kiln_element_type_t a, kiln_element_type_t b);

#ifdef __cplusplus
}
#endif
#endif
