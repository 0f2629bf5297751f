// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building blocks of all expressions: lines that define a value, constants, and leaves.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "generate_expressions.h"

const type_t expression_types[TYPE_COUNT] = {KILN_ELEMENT_I32, KILN_ELEMENT_I64,  KILN_ELEMENT_F32,
                                             KILN_ELEMENT_I1,  KILN_ELEMENT_I16,  KILN_ELEMENT_I8,
                                             KILN_ELEMENT_F16, KILN_ELEMENT_BF16, KILN_ELEMENT_F64};

shape_t shape_of(const maker_t *m)
{
    return m->place == ON_TILES ? m->tile : (shape_t){0};
}

int index_of(type_t type)
{
    int i = 0;
    while (expression_types[i] != type)
        i++;
    return i;
}

type_t integer_type(generator_t *g)
{
    static const type_t integers[] = {KILN_ELEMENT_I32, KILN_ELEMENT_I64, KILN_ELEMENT_I16,
                                      KILN_ELEMENT_I8};
    return integers[draw(g, 4)];
}

type_t float_type(generator_t *g)
{
    static const type_t floats[] = {KILN_ELEMENT_F32, KILN_ELEMENT_F16, KILN_ELEMENT_BF16,
                                    KILN_ELEMENT_F64};
    return floats[draw(g, 4)];
}

const char *text_of(const maker_t *m, type_t type)
{
    return type_text(type, shape_of(m));
}

// Writes a line that defines a value: `%v = <format> : <type>` if the operation's type is that of
// its result.
value_t make(maker_t *m, type_t type, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    value_t v = new_value(m->g, type, shape_of(m));
    line(m->g, "%%v%d = %s", v.id, text);
    return v;
}

value_t binary(maker_t *m, const char *name, value_t a, value_t b)
{
    value_t v = make(m, a.type, "%s %%v%d, %%v%d : %s", name, a.id, b.id, text_of(m, a.type));
    v.any_zero = a.any_zero || b.any_zero;
    return v;
}

value_t unary(maker_t *m, const char *name, value_t a)
{
    value_t v = make(m, a.type, "%s %%v%d : %s", name, a.id, text_of(m, a.type));
    v.any_zero = a.any_zero;
    return v;
}

value_t cast(maker_t *m, const char *name, value_t a, type_t type)
{
    value_t v = make(m, type, "%s %%v%d : %s %s %s", name, a.id, text_of(m, a.type),
                     strcmp(name, "tt.bitcast") ? "to" : "->", text_of(m, type));
    v.any_zero = is_float(type) && is_float(a.type) && a.any_zero;
    return v;
}

static value_t number(maker_t *m, type_t type, const char *text)
{
    if (m->place == ON_TILES)
        return make(m, type, "arith.constant dense<%s> : %s", text, text_of(m, type));
    return make(m, type, type == KILN_ELEMENT_I1 ? "arith.constant %s" : "arith.constant %s : %s",
                text, text_of(m, type));
}

value_t integer_number(maker_t *m, type_t type, int64_t value)
{
    char text[32];
    if (type == KILN_ELEMENT_I1)
        return number(m, type, value & 1 ? "true" : "false");
    int unused = 64 - bits_of(type);
    snprintf(text, sizeof text, "%lld",
             (long long)((int64_t)((uint64_t)value << unused) >> unused));
    return number(m, type, text);
}

static value_t float_bits(maker_t *m, type_t type, uint64_t bits)
{
    char text[32];
    int digits = bits_of(type) / 4;
    snprintf(text, sizeof text, "0x%0*llX", digits,
             (unsigned long long)bits & (~0ull >> (64 - 4 * digits)));
    return number(m, type, text);
}

value_t float_number(maker_t *m, type_t type, double value)
{
    uint64_t bits = 0;
    kiln_element_from_double(type, value, &bits);
    return float_bits(m, type, bits);
}

static value_t constant_of(maker_t *m, type_t type)
{
    generator_t *g = m->g;
    if (is_float(type))
        return float_bits(m, type, extreme_bits(type, draw(g, EXTREMES), draw(g, 64)));
    return integer_number(m, type, (int64_t)extreme_bits(type, draw(g, EXTREMES), draw(g, 64)));
}

value_t leaf(maker_t *m, type_t type)
{
    generator_t *g = m->g;
    int which = (int)draw(g, 2), place = 2 * index_of(type) + which;
    value_t v = {.type = type, .shape = shape_of(m)};
    bool shared = m->place == ON_SCALARS || chance(g, 4);
    if (shared) {
        v.id = FIRST_SCALAR + place;
        for (int i = 0; i < MAX_SCALARS + MAX_OTHERS; i++)
            if (g->pool[i].type == type && chance(g, 3))
                v.id = g->pool[i].id;
        if (v.id >= FIRST_SCALAR)
            m->used_scalars |= UINT64_C(1) << place;
        return m->place == ON_TILES ? make(m, type, "tt.splat %%v%d : %s -> %s", v.id,
                                           type_text(type, (shape_t){0}), text_of(m, type))
                                    : v;
    }
    if (m->place == ON_TILES) {
        m->used_tiles |= UINT64_C(1) << place;
        v.id = FIRST_TILE + place;
    } else {
        m->used_elements |= UINT64_C(1) << place;
        v.id = FIRST_ELEMENT + place;
    }
    return v;
}

// A value that already exists.
static value_t earlier(maker_t *m, type_t type)
{
    generator_t *g = m->g;
    int found[8], count = 0;
    for (int i = g->pool_count; i-- > MAX_SCALARS + MAX_OTHERS && count < 8;)
        if (g->pool[i].type == type && same_shape(g->pool[i].shape, shape_of(m)))
            found[count++] = i;
    return count ? g->pool[found[draw(g, (uint32_t)count)]] : leaf(m, type);
}

value_t operand(maker_t *m, type_t type, int depth)
{
    switch (draw(m->g, depth > 0 ? 9 : 5)) {
    case 0:
    case 1:
    case 2:
        return leaf(m, type);
    case 3:
        return constant_of(m, type);
    case 4:
        return earlier(m, type);
    default:
        return operation(m, type, depth - 1);
    }
}
