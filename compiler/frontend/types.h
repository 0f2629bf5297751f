// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of Tile C: an element (scalar, or pointer to scalar) and a shape, rank 0 being a scalar; or a struct of such.
// They are plain values: compare with kiln_tile_type_equal.
//
// `is_const` speaks of what a pointer points to, as in `const f16 *`.
#ifndef KILN_FRONTEND_TYPES_H
#define KILN_FRONTEND_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/suggest.h"
#include "kiln/builder.h"

#define KILN_TILE_RANK_LIMIT KILN_BUILDER_RANK_LIMIT

typedef enum kiln_scalar {
    KILN_SCALAR_NONE, // no type: an error was reported, or a type that is still to be found
    KILN_SCALAR_VOID,
    KILN_SCALAR_STRUCT, // `structure` says which; neither pointer nor tile
    KILN_SCALAR_VIEW,   // a block pointer or tensor descriptor of `block`s; neither pointer nor tile
#define KILN_SCALAR(id, spelling, bits, class, element) KILN_SCALAR_##id,
#include "scalars.def"
#undef KILN_SCALAR
    KILN_SCALAR_COUNT
} kiln_scalar_t;

typedef enum kiln_scalar_class {
    KILN_CLASS_NONE,
    KILN_CLASS_BOOL,
    KILN_CLASS_SIGNED,
    KILN_CLASS_UNSIGNED,
    KILN_CLASS_FLOAT8,
    KILN_CLASS_FLOAT,
} kiln_scalar_class_t;

typedef struct kiln_scalar_row {
    const char *spelling;
    int bits;
    kiln_scalar_class_t class;
    kiln_element_t element;
} kiln_scalar_row_t;

const kiln_scalar_row_t *kiln_scalar_row(kiln_scalar_t scalar);
// "; did you mean 'f32'?", or nothing.
kiln_advice_t kiln_scalar_advice(const char *name);

kiln_scalar_t kiln_scalar_by_name(const char *name); // KILN_SCALAR_NONE where there is none; "i1" is bool too
kiln_scalar_t
kiln_scalar_of_caller(const char *name); // as buffers, manifests and Triton call it: kiln_element_type_parse

typedef struct kiln_tile_type {
    kiln_scalar_t scalar; // of the element, or of what it points to
    bool is_pointer, is_const;
    int rank;
    int64_t shape[KILN_TILE_RANK_LIMIT];
    const struct kiln_struct *structure; // of KILN_SCALAR_STRUCT
    const struct kiln_tile_type *block;  // of KILN_SCALAR_VIEW; const where it is not to be stored to
    bool is_descriptor;
} kiln_tile_type_t;

// A member of an open struct may leave its type (`auto`) or some sizes (0) to the value that it gets first.
typedef struct kiln_struct_member {
    const char *name; // interned
    kiln_tile_type_t type;
    bool is_open, is_auto;
} kiln_struct_member_t;

// One struct type; equal ones are one object (the checker sees to it). `definition` is the statement that defines it:
// two structs are the same where the statement and all members' types are.
typedef struct kiln_struct {
    const char *name; // "struct pair", or the typedef's name where it has no tag
    const void *definition;
    bool is_anonymous, is_open;       // open: a member is, so no variable has this very type
    const struct kiln_struct *origin; // the open struct that this one fills; else itself
    size_t member_count, leaf_count;  // leaf_count: scalars, pointers and tiles, nested structs' included
    kiln_struct_member_t *members;
} kiln_struct_t;

static inline kiln_tile_type_t kiln_tile_scalar(kiln_scalar_t scalar)
{
    return (kiln_tile_type_t){.scalar = scalar};
}

static inline bool kiln_tile_type_is_error(const kiln_tile_type_t *type)
{
    return type->scalar == KILN_SCALAR_NONE;
}

static inline bool kiln_tile_is_struct(const kiln_tile_type_t *type)
{
    return type->scalar == KILN_SCALAR_STRUCT;
}

// Neither computed with nor converted: only assigned as it is.
static inline bool kiln_tile_is_opaque(const kiln_tile_type_t *type)
{
    return type->scalar == KILN_SCALAR_STRUCT || type->scalar == KILN_SCALAR_VIEW;
}

bool kiln_tile_type_equal(const kiln_tile_type_t *a, const kiln_tile_type_t *b); // const of pointees does not matter
bool kiln_tile_shape_equal(const kiln_tile_type_t *a, const kiln_tile_type_t *b);
kiln_tile_type_t kiln_tile_type_with_shape(const kiln_tile_type_t *element, const kiln_tile_type_t *shape);
kiln_tile_type_t kiln_tile_with_scalar(const kiln_tile_type_t *type, kiln_scalar_t scalar); // same shape, no pointer
kiln_tile_type_t kiln_tile_without_axis(const kiln_tile_type_t *type, int axis);
int64_t kiln_tile_type_count(const kiln_tile_type_t *type);

bool kiln_tile_is_bool(const kiln_tile_type_t *type);
bool kiln_tile_is_integer(const kiln_tile_type_t *type);  // bool included, pointers not
bool kiln_tile_is_unsigned(const kiln_tile_type_t *type); // bool included
bool kiln_tile_is_float(const kiln_tile_type_t *type);    // a float that can be computed with
bool kiln_tile_is_float8(const kiln_tile_type_t *type);
bool kiln_tile_is_arithmetic(const kiln_tile_type_t *type); // integer, float or float8

// C's usual arithmetic conversions: integers narrower than 32 bits become i32; a float wins over an integer, the wider
// over the narrower, unsigned over signed of the same width; f16 with bf16 gives f32. KILN_SCALAR_NONE for an 8-bit
// float beside another type.
kiln_scalar_t kiln_scalar_promote(kiln_scalar_t scalar);
kiln_scalar_t kiln_scalar_common(kiln_scalar_t a, kiln_scalar_t b);

// "const f16 *[128][64]", "f32", "struct pair", in one of a few static-size buffers that the caller owns.
typedef struct kiln_type_text {
    char text[192];
} kiln_type_text_t;
kiln_type_text_t kiln_tile_type_text(const kiln_tile_type_t *type);
#define KILN_TYPE_TEXT(type) kiln_tile_type_text(type).text

kiln_value_type_t kiln_tile_to_value_type(const kiln_tile_type_t *type); // as the builder sees it

#endif
