// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types as values: predicates, C's conversions between element types, spelling.
#include "frontend/core/types.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kiln/element.h"

static const kiln_scalar_row_t rows[KILN_SCALAR_COUNT] = {
    [KILN_SCALAR_NONE] = {"<error>", 0, KILN_CLASS_NONE, KILN_VALUE_I1},
    [KILN_SCALAR_VOID] = {"void", 0, KILN_CLASS_NONE, KILN_VALUE_I1},
    [KILN_SCALAR_STRUCT] = {"struct", 0, KILN_CLASS_NONE, KILN_VALUE_I1},
    [KILN_SCALAR_VIEW] = {"tensor descriptor", 0, KILN_CLASS_NONE, KILN_VALUE_I1},
#define KILN_SCALAR(id, spelling, bits, class, element)                                            \
    [KILN_SCALAR_##id] = {spelling, bits, class, element},
#include "frontend/core/scalars.def"
#undef KILN_SCALAR
};

const kiln_scalar_row_t *kiln_scalar_row(kiln_scalar_t scalar)
{
    return &rows[scalar];
}

kiln_scalar_t kiln_scalar_by_name(const char *name)
{
    for (int i = KILN_SCALAR_VIEW + 1; i < KILN_SCALAR_COUNT; i++)
        if (!strcmp(rows[i].spelling, name))
            return (kiln_scalar_t)i;
    return strcmp(name, "i1") ? KILN_SCALAR_NONE : KILN_SCALAR_BOOL;
}

kiln_scalar_t kiln_scalar_of_caller(const char *name)
{
    kiln_element_type_t element;
    if (!kiln_element_type_parse(name, &element))
        return KILN_SCALAR_NONE;
    static const kiln_scalar_t scalars[] = {
        [KILN_ELEMENT_I1] = KILN_SCALAR_BOOL,
        [KILN_ELEMENT_I8] = KILN_SCALAR_I8,
        [KILN_ELEMENT_I16] = KILN_SCALAR_I16,
        [KILN_ELEMENT_I32] = KILN_SCALAR_I32,
        [KILN_ELEMENT_I64] = KILN_SCALAR_I64,
        [KILN_ELEMENT_U8] = KILN_SCALAR_U8,
        [KILN_ELEMENT_U16] = KILN_SCALAR_U16,
        [KILN_ELEMENT_U32] = KILN_SCALAR_U32,
        [KILN_ELEMENT_U64] = KILN_SCALAR_U64,
        [KILN_ELEMENT_F16] = KILN_SCALAR_F16,
        [KILN_ELEMENT_BF16] = KILN_SCALAR_BF16,
        [KILN_ELEMENT_F32] = KILN_SCALAR_F32,
        [KILN_ELEMENT_F64] = KILN_SCALAR_F64,
        [KILN_ELEMENT_F8E4M3FNUZ] = KILN_SCALAR_F8E4M3FNUZ,
        [KILN_ELEMENT_F8E5M2FNUZ] = KILN_SCALAR_F8E5M2FNUZ,
        [KILN_ELEMENT_F8E4M3FN] = KILN_SCALAR_F8E4M3FN,
        [KILN_ELEMENT_F8E5M2] = KILN_SCALAR_F8E5M2,
    };
    return scalars[element];
}

kiln_advice_t kiln_scalar_advice(const char *name)
{
    kiln_suggestion_t near = kiln_suggestion(name);
    for (int i = KILN_SCALAR_VOID; i < KILN_SCALAR_COUNT; i++)
        kiln_suggestion_consider(&near, rows[i].spelling);
    return kiln_suggestion_advice(&near);
}

bool kiln_tile_shape_equal(const kiln_tile_type_t *a, const kiln_tile_type_t *b)
{
    return a->rank == b->rank && !memcmp(a->shape, b->shape, sizeof a->shape[0] * (size_t)a->rank);
}

bool kiln_tile_type_equal(const kiln_tile_type_t *a, const kiln_tile_type_t *b)
{
    return a->scalar == b->scalar && a->is_pointer == b->is_pointer &&
           kiln_tile_shape_equal(a, b) &&
           (a->scalar != KILN_SCALAR_STRUCT || a->structure == b->structure) &&
           (a->scalar != KILN_SCALAR_VIEW ||
            (a->is_descriptor == b->is_descriptor && a->block->is_const == b->block->is_const &&
             kiln_tile_type_equal(a->block, b->block)));
}

kiln_tile_type_t kiln_tile_type_with_shape(const kiln_tile_type_t *element,
                                           const kiln_tile_type_t *shape)
{
    kiln_tile_type_t type = *shape;
    type.scalar = element->scalar;
    type.is_pointer = element->is_pointer;
    type.is_const = element->is_const;
    type.structure = element->structure;
    type.block = element->block;
    type.is_descriptor = element->is_descriptor;
    return type;
}

kiln_tile_type_t kiln_tile_with_scalar(const kiln_tile_type_t *type, kiln_scalar_t scalar)
{
    kiln_tile_type_t result = *type;
    result.scalar = scalar;
    result.is_pointer = result.is_const = false;
    result.structure = NULL;
    return result;
}

kiln_tile_type_t kiln_tile_without_axis(const kiln_tile_type_t *type, int axis)
{
    kiln_tile_type_t result = *type;
    for (int i = axis; i + 1 < result.rank; i++)
        result.shape[i] = result.shape[i + 1];
    result.rank--;
    return result;
}

int64_t kiln_tile_type_count(const kiln_tile_type_t *type)
{
    int64_t count = 1;
    for (int i = 0; i < type->rank; i++)
        count *= type->shape[i];
    return count;
}

static kiln_scalar_class_t class_of(const kiln_tile_type_t *type)
{
    return type->is_pointer ? KILN_CLASS_NONE : rows[type->scalar].class;
}

bool kiln_tile_is_bool(const kiln_tile_type_t *type)
{
    return class_of(type) == KILN_CLASS_BOOL;
}

bool kiln_tile_is_integer(const kiln_tile_type_t *type)
{
    kiln_scalar_class_t class = class_of(type);
    return class == KILN_CLASS_BOOL || class == KILN_CLASS_SIGNED || class == KILN_CLASS_UNSIGNED;
}

bool kiln_tile_is_unsigned(const kiln_tile_type_t *type)
{
    kiln_scalar_class_t class = class_of(type);
    return class == KILN_CLASS_BOOL || class == KILN_CLASS_UNSIGNED;
}

bool kiln_tile_is_float(const kiln_tile_type_t *type)
{
    return class_of(type) == KILN_CLASS_FLOAT;
}

bool kiln_tile_is_float8(const kiln_tile_type_t *type)
{
    return class_of(type) == KILN_CLASS_FLOAT8;
}

bool kiln_tile_is_arithmetic(const kiln_tile_type_t *type)
{
    return class_of(type) != KILN_CLASS_NONE;
}

kiln_scalar_t kiln_scalar_promote(kiln_scalar_t scalar)
{
    kiln_scalar_class_t class = rows[scalar].class;
    bool is_integer =
        class == KILN_CLASS_BOOL || class == KILN_CLASS_SIGNED || class == KILN_CLASS_UNSIGNED;
    return is_integer && rows[scalar].bits < 32 ? KILN_SCALAR_I32 : scalar;
}

kiln_scalar_t kiln_scalar_common(kiln_scalar_t a, kiln_scalar_t b)
{
    if (rows[a].class == KILN_CLASS_FLOAT8 || rows[b].class == KILN_CLASS_FLOAT8)
        return a == b ? a : KILN_SCALAR_NONE;
    a = kiln_scalar_promote(a);
    b = kiln_scalar_promote(b);
    if (a == b)
        return a;
    bool float_a = rows[a].class == KILN_CLASS_FLOAT, float_b = rows[b].class == KILN_CLASS_FLOAT;
    if (float_a != float_b)
        return float_a ? a : b;
    if (rows[a].bits != rows[b].bits)
        return rows[a].bits > rows[b].bits ? a : b;
    if (float_a)
        return KILN_SCALAR_F32; // neither type can represent the other
    return rows[a].class == KILN_CLASS_UNSIGNED ? a : b;
}

// Adds the member types of a struct that completes an open one: otherwise two such types would look
// the same in messages.
static const char *struct_text(kiln_arena_t *arena, const kiln_struct_t *structure)
{
    const char *text = structure->name;
    if (structure->origin == structure)
        return text;
    for (size_t i = 0; i < structure->member_count; i++) {
        const kiln_struct_member_t *member = &structure->members[i];
        text = kiln_arena_print(arena, "%s%s%s %s", text, i ? ", " : " {",
                                kiln_tile_type_text(arena, &member->type), member->name);
    }
    return kiln_arena_print(arena, "%s}", text);
}

const char *kiln_tile_type_text(kiln_arena_t *arena, const kiln_tile_type_t *type)
{
    if (kiln_tile_is_struct(type))
        return struct_text(arena, type->structure);
    if (type->scalar == KILN_SCALAR_VIEW)
        return kiln_arena_print(arena, "%s %s",
                                type->is_descriptor ? "tensor descriptor of" : "block pointer to",
                                kiln_tile_type_text(arena, type->block));
    const char *text = kiln_arena_print(arena, "%s%s%s", type->is_const ? "const " : "",
                                        rows[type->scalar].spelling, type->is_pointer ? " *" : "");
    for (int i = 0; i < type->rank; i++)
        text = kiln_arena_print(arena, "%s[%lld]", text, (long long)type->shape[i]);
    return text;
}

kiln_value_type_t kiln_tile_to_value_type(const kiln_tile_type_t *type)
{
    if (type->scalar == KILN_SCALAR_VIEW) {
        kiln_value_type_t view = kiln_tile_to_value_type(type->block);
        view.view = type->is_descriptor ? KILN_VIEW_DESCRIPTOR : KILN_VIEW_BLOCK_POINTER;
        return view;
    }
    kiln_value_type_t result = {
        .element = rows[type->scalar].element, .is_pointer = type->is_pointer, .rank = type->rank};
    for (int i = 0; i < type->rank; i++)
        result.shape[i] = type->shape[i];
    return result;
}
