// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of Tile C: an element (a scalar or a pointer to one) with a shape, where rank 0 is a
// scalar, or a struct of such types. Types are plain values: compare them with
// kiln_tile_type_equal.
//
// `is_const` qualifies the pointee, as in `const f16 *`.
#ifndef KILN_FRONTEND_TYPES_H
#define KILN_FRONTEND_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/suggest.h"
#include "frontend/core/arena.h"
#include "kiln/builder.h"

#define KILN_TILE_RANK_LIMIT KILN_BUILDER_RANK_LIMIT

typedef enum kiln_scalar {
    KILN_SCALAR_NONE, // no type: an error was reported, or the type is not known yet
    KILN_SCALAR_VOID,
    KILN_SCALAR_STRUCT, // see `structure`; neither pointer nor tile
    KILN_SCALAR_VIEW, // a block pointer or tensor descriptor of `block`s; neither pointer nor tile
#define KILN_SCALAR(id, spelling, bits, class, element) KILN_SCALAR_##id,
#include "frontend/core/scalars.def"
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
// "; did you mean 'f32'?", or an empty advice.
kiln_advice_t kiln_scalar_advice(const char *name);

// Returns KILN_SCALAR_NONE if unknown; "i1" is bool too.
kiln_scalar_t kiln_scalar_by_name(const char *name);
// By the name in buffers, manifests and Triton: kiln_element_type_parse.
kiln_scalar_t kiln_scalar_of_caller(const char *name);

typedef struct kiln_tile_type {
    kiln_scalar_t scalar; // of the element or the pointee
    bool is_pointer, is_const;
    int rank;
    int64_t shape[KILN_TILE_RANK_LIMIT];
    const struct kiln_struct *structure; // of KILN_SCALAR_STRUCT
    const struct kiln_tile_type *block;  // of KILN_SCALAR_VIEW; const if stores are not allowed
    bool is_descriptor;
} kiln_tile_type_t;

// A member of an open struct may leave its type (`auto`) or some sizes (0) open until the first
// value is assigned to it.
typedef struct kiln_struct_member {
    const char *name; // interned
    kiln_tile_type_t type;
    bool is_open, is_auto;
} kiln_struct_member_t;

// A struct type. Equal types are one object, which the checker ensures. `definition` is the
// statement that defines the struct: two structs are the same type if this statement and the types
// of all members are equal.
typedef struct kiln_struct {
    const char *name; // "struct pair", or the typedef's name if there is no tag
    const void *definition;
    bool is_anonymous, is_open;       // open: a member is, so no variable has exactly this type
    const struct kiln_struct *origin; // the open struct that this one fills; else itself
    // leaf_count: scalars, pointers and tiles, including those of nested structs.
    size_t member_count, leaf_count;
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

// Values that can only be assigned, neither computed with nor converted.
static inline bool kiln_tile_is_opaque(const kiln_tile_type_t *type)
{
    return type->scalar == KILN_SCALAR_STRUCT || type->scalar == KILN_SCALAR_VIEW;
}

// Ignores const of pointees.
bool kiln_tile_type_equal(const kiln_tile_type_t *a, const kiln_tile_type_t *b);
bool kiln_tile_shape_equal(const kiln_tile_type_t *a, const kiln_tile_type_t *b);
kiln_tile_type_t kiln_tile_type_with_shape(const kiln_tile_type_t *element,
                                           const kiln_tile_type_t *shape);
// Same shape, not a pointer.
kiln_tile_type_t kiln_tile_with_scalar(const kiln_tile_type_t *type, kiln_scalar_t scalar);
kiln_tile_type_t kiln_tile_without_axis(const kiln_tile_type_t *type, int axis);
int64_t kiln_tile_type_count(const kiln_tile_type_t *type);

bool kiln_tile_is_bool(const kiln_tile_type_t *type);
bool kiln_tile_is_integer(const kiln_tile_type_t *type);  // including bool, excluding pointers
bool kiln_tile_is_unsigned(const kiln_tile_type_t *type); // including bool
bool kiln_tile_is_float(const kiln_tile_type_t *type);    // a float that can be computed with
bool kiln_tile_is_float8(const kiln_tile_type_t *type);
bool kiln_tile_is_arithmetic(const kiln_tile_type_t *type); // integer, float or float8

// C's usual arithmetic conversions: integers narrower than 32 bits become i32; a float wins over an
// integer, the wider over the narrower, unsigned over signed of the same width; f16 with bf16 gives
// f32. KILN_SCALAR_NONE for an 8-bit float with another type.
kiln_scalar_t kiln_scalar_promote(kiln_scalar_t scalar);
kiln_scalar_t kiln_scalar_common(kiln_scalar_t a, kiln_scalar_t b);

// "const f16 *[128][64]", "f32", "struct pair", in the arena.
const char *kiln_tile_type_text(kiln_arena_t *arena, const kiln_tile_type_t *type);
#define KILN_TYPE_TEXT(checker, type) kiln_tile_type_text((checker)->arena, (type))

kiln_value_type_t kiln_tile_to_value_type(const kiln_tile_type_t *type); // the builder's type

#endif
