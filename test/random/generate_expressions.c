// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs of random expressions: a kernel that computes hundreds of small ones, of all types of numbers, each on its own
// place in memory, from inputs full of extremes. An expression is on tiles, on scalars that a wave shares, or on
// the elements in a region of tt.map_elementwise, where lanes part at branches and loops.
//
// What is easily got wrong: nothing undefined may be computed (divisions by zero, wide shifts, floats that an integer
// doesn't hold), and nothing that the two sides may round differently: a product goes into no sum, for they may be fused,
// and bits are taken only of floats whose sign and payload are certain.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "generate.h"

enum { PROGRAMS = 8, DEEPEST = 4 };

// Ids of what an expression starts from.
enum {
    FIRST_ARGUMENT = 1,
    PROGRAM_ID = FIRST_ARGUMENT + MAX_SCALARS + MAX_OTHERS,
    RANGE,
    OFFSET,        // of this program's tiles
    SECOND_OFFSET, // of its second ones
    FIRST_TILE,    // two of each type
    FIRST_SCALAR = FIRST_TILE + 64,
    FIRST_ELEMENT = FIRST_SCALAR + 64,
    FIRST_TEMPORARY = FIRST_ELEMENT + 64
};

static const type_t types[] = {KILN_ELEMENT_I32, KILN_ELEMENT_I64, KILN_ELEMENT_F32,  KILN_ELEMENT_I1, KILN_ELEMENT_I16,
                               KILN_ELEMENT_I8,  KILN_ELEMENT_F16, KILN_ELEMENT_BF16, KILN_ELEMENT_F64};
enum { TYPE_COUNT = sizeof types / sizeof *types };

typedef enum place { ON_TILES, ON_SCALARS, ON_ELEMENTS } place_t;

typedef struct maker {
    generator_t *g;
    place_t place;
    shape_t tile;
    uint64_t used_tiles, used_scalars, used_elements; // bit 2 · type + which
    int outputs[TYPE_COUNT];                          // buffer of the results of a type; 0: none yet
} maker_t;

static value_t operand(maker_t *m, type_t type, int depth);
static value_t operation(maker_t *m, type_t type, int depth);

static shape_t shape_of(const maker_t *m)
{
    return m->place == ON_TILES ? m->tile : (shape_t){0};
}

static int index_of(type_t type)
{
    int i = 0;
    while (types[i] != type)
        i++;
    return i;
}

static type_t integer_type(generator_t *g)
{
    static const type_t integers[] = {KILN_ELEMENT_I32, KILN_ELEMENT_I64, KILN_ELEMENT_I16, KILN_ELEMENT_I8};
    return integers[draw(g, 4)];
}

static type_t float_type(generator_t *g)
{
    static const type_t floats[] = {KILN_ELEMENT_F32, KILN_ELEMENT_F16, KILN_ELEMENT_BF16, KILN_ELEMENT_F64};
    return floats[draw(g, 4)];
}

static const char *text_of(const maker_t *m, type_t type)
{
    return type_text(type, shape_of(m));
}

// A line that makes a value: `%v = <format> : <type>` where the operation has the type of its result.
static value_t make(maker_t *m, type_t type, const char *format, ...) __attribute__((format(printf, 3, 4)));
static value_t make(maker_t *m, type_t type, const char *format, ...)
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

static value_t binary(maker_t *m, const char *name, value_t a, value_t b)
{
    return make(m, a.type, "%s %%v%d, %%v%d : %s", name, a.id, b.id, text_of(m, a.type));
}

static value_t unary(maker_t *m, const char *name, value_t a)
{
    return make(m, a.type, "%s %%v%d : %s", name, a.id, text_of(m, a.type));
}

static value_t cast(maker_t *m, const char *name, value_t a, type_t type)
{
    return make(m, type, "%s %%v%d : %s %s %s", name, a.id, text_of(m, a.type),
                strcmp(name, "tt.bitcast") ? "to" : "->", text_of(m, type));
}

// Constants and leaves --------------------------------------------------------------------------------------------------

static value_t number(maker_t *m, type_t type, const char *text)
{
    if (m->place == ON_TILES)
        return make(m, type, "arith.constant dense<%s> : %s", text, text_of(m, type));
    return make(m, type, type == KILN_ELEMENT_I1 ? "arith.constant %s" : "arith.constant %s : %s", text,
                text_of(m, type));
}

static value_t integer_number(maker_t *m, type_t type, int64_t value)
{
    char text[32];
    if (type == KILN_ELEMENT_I1)
        return number(m, type, value & 1 ? "true" : "false");
    int unused = 64 - bits_of(type);
    snprintf(text, sizeof text, "%lld", (long long)((int64_t)((uint64_t)value << unused) >> unused));
    return number(m, type, text);
}

static value_t float_bits(maker_t *m, type_t type, uint64_t bits)
{
    char text[32];
    int digits = bits_of(type) / 4;
    snprintf(text, sizeof text, "0x%0*llX", digits, (unsigned long long)bits & (~0ull >> (64 - 4 * digits)));
    return number(m, type, text);
}

static value_t float_number(maker_t *m, type_t type, double value)
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

static value_t leaf(maker_t *m, type_t type)
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
        return m->place == ON_TILES
                   ? make(m, type, "tt.splat %%v%d : %s -> %s", v.id, type_text(type, (shape_t){0}), text_of(m, type))
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

// A value that is there already.
static value_t earlier(maker_t *m, type_t type)
{
    generator_t *g = m->g;
    int found[8], count = 0;
    for (int i = g->pool_count; i-- > MAX_SCALARS + MAX_OTHERS && count < 8;)
        if (g->pool[i].type == type && same_shape(g->pool[i].shape, shape_of(m)))
            found[count++] = i;
    return count ? g->pool[found[draw(g, (uint32_t)count)]] : leaf(m, type);
}

static value_t operand(maker_t *m, type_t type, int depth)
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

// Integers --------------------------------------------------------------------------------------------------------------

static value_t compare_integers(maker_t *m, const char *how, value_t a, value_t b)
{
    return make(m, KILN_ELEMENT_I1, "arith.cmpi %s, %%v%d, %%v%d : %s", how, a.id, b.id, text_of(m, a.type));
}

static value_t select_of(maker_t *m, value_t condition, value_t a, value_t b)
{
    if (m->place == ON_TILES)
        return make(m, a.type, "arith.select %%v%d, %%v%d, %%v%d : %s, %s", condition.id, a.id, b.id,
                    text_of(m, KILN_ELEMENT_I1), text_of(m, a.type));
    return make(m, a.type, "arith.select %%v%d, %%v%d, %%v%d : %s", condition.id, a.id, b.id, text_of(m, a.type));
}

static value_t shift(maker_t *m, type_t type, int depth)
{
    static const char *const names[] = {"arith.shli", "arith.shrsi", "arith.shrui"};
    generator_t *g = m->g;
    int bits = bits_of(type);
    const char *name = names[draw(g, 3)];
    value_t a = operand(m, type, depth), amount;
    switch (draw(g, 3)) {
    case 0:
        amount = integer_number(m, type, draw(g, (uint32_t)bits));
        break;
    case 1:
        amount = binary(m, "arith.andi", operand(m, type, depth), integer_number(m, type, bits - 1));
        break;
    default:
        amount = operand(m, type, depth);
        amount = select_of(m, compare_integers(m, "ult", amount, integer_number(m, type, bits)), amount,
                           integer_number(m, type, draw(g, (uint32_t)bits)));
    }
    return binary(m, name, a, amount);
}

static value_t division(maker_t *m, type_t type, int depth)
{
    static const char *const names[] = {"arith.divui", "arith.remui",      "arith.ceildivui", "arith.divsi",
                                        "arith.remsi", "arith.floordivsi", "arith.ceildivsi"};
    static const int divisors[] = {3, 1, 2, 7, 10, 64, 100, 127, -3, -2, -128, 5};
    generator_t *g = m->g;
    uint32_t which = draw(g, 7);
    value_t a = operand(m, type, depth), b;
    switch (draw(g, 3)) {
    case 0:
        b = integer_number(m, type, divisors[draw(g, 12)]);
        break;
    case 1: // an odd one; the least number has no quotient by −1
        b = binary(m, "arith.ori", operand(m, type, depth), integer_number(m, type, 1));
        if (which >= 3)
            a = binary(m, "arith.shrsi", a, integer_number(m, type, 1));
        break;
    default: {
        b = operand(m, type, depth);
        value_t three = integer_number(m, type, 3);
        b = select_of(m, compare_integers(m, "eq", b, integer_number(m, type, 0)), three, b);
        if (which >= 3)
            b = select_of(m, compare_integers(m, "eq", b, integer_number(m, type, -1)), three, b);
    }
    }
    return binary(m, names[which], a, b);
}

// Two results, of which one is taken.
static value_t extended(maker_t *m, type_t type, int depth)
{
    generator_t *g = m->g;
    value_t a = operand(m, type, depth), b = operand(m, type, depth);
    value_t low = new_value(g, type, shape_of(m)), high = new_value(g, type, shape_of(m));
    if (chance(g, 3))
        line(g, "%%v%d, %%v%d = arith.addui_extended %%v%d, %%v%d : %s, %s", low.id, high.id, a.id, b.id,
             text_of(m, type), text_of(m, KILN_ELEMENT_I1));
    else {
        line(g, "%%v%d, %%v%d = arith.mul%ci_extended %%v%d, %%v%d : %s", low.id, high.id, chance(g, 2) ? 's' : 'u',
             a.id, b.id, text_of(m, type));
        if (chance(g, 2))
            return high;
    }
    return low;
}

// Of an integer of another size.
static value_t resized(maker_t *m, type_t type, int depth)
{
    generator_t *g = m->g;
    type_t from = chance(g, 4) ? KILN_ELEMENT_I1 : integer_type(g);
    if (from == type)
        from = type == KILN_ELEMENT_I64 ? KILN_ELEMENT_I32 : KILN_ELEMENT_I64;
    bool is_signed = chance(g, 2);
    return cast(m,
                bits_of(from) > bits_of(type) ? "arith.trunci"
                : is_signed                   ? "arith.extsi"
                                              : "arith.extui",
                operand(m, from, depth), type);
}

static value_t compare_floats(maker_t *m, const char *how, value_t a, value_t b)
{
    return make(m, KILN_ELEMENT_I1, "arith.cmpf %s, %%v%d, %%v%d : %s", how, a.id, b.id, text_of(m, a.type));
}

static value_t float_to_integer(maker_t *m, type_t type, int depth)
{
    generator_t *g = m->g;
    value_t x = operand(m, float_type(g), depth);
    bool is_signed = !chance(g, 3);
    double limit = ldexp(1, bits_of(type) - is_signed);
    const char *how = "olt";
    if (x.type == KILN_ELEMENT_F16 && limit > 65504) {
        limit = 65504;
        how = "ole";
    }
    value_t most = float_number(m, x.type, limit), zero = float_number(m, x.type, 0);
    if (is_signed) {
        x = select_of(m, compare_floats(m, how, unary(m, "math.absf", x), most), x, zero);
        return cast(m, "arith.fptosi", x, type);
    }
    x = select_of(m, compare_floats(m, how, x, most), x, zero);
    x = select_of(m, compare_floats(m, "ogt", x, float_number(m, x.type, -1)), x, zero);
    return cast(m, "arith.fptoui", x, type);
}

// The bits of a float: of a leaf as they are, else of one that is no NaN and no zero of unknown sign.
static value_t bits_of_float(maker_t *m, type_t type, int depth)
{
    generator_t *g = m->g;
    type_t from = type == KILN_ELEMENT_I64   ? KILN_ELEMENT_F64
                  : type == KILN_ELEMENT_I32 ? KILN_ELEMENT_F32
                  : chance(g, 2)             ? KILN_ELEMENT_BF16
                                             : KILN_ELEMENT_F16;
    if (chance(g, 2)) {
        value_t zero = float_number(m, from, 0), x = operand(m, from, depth);
        return cast(m, "tt.bitcast", select_of(m, compare_floats(m, "one", x, zero), x, zero), type);
    }
    return cast(m, "tt.bitcast", leaf(m, from), type);
}

static value_t integer_operation(maker_t *m, type_t type, int depth)
{
    static const char *const plain[] = {"arith.addi", "arith.subi",  "arith.muli",  "arith.andi",  "arith.ori",
                                        "arith.xori", "arith.minsi", "arith.maxsi", "arith.minui", "arith.maxui"};
    static const char *const counts[] = {"math.absi", "math.ctpop", "math.ctlz", "math.cttz"};
    generator_t *g = m->g;
    uint32_t form = draw(g, 24);
    if (form < 11) {
        const char *name = plain[draw(g, 10)];
        value_t a = operand(m, type, depth);
        return binary(m, name, a, operand(m, type, depth));
    }
    if (form < 13)
        return shift(m, type, depth);
    if (form < 14)
        return division(m, type, depth);
    if (form < 15)
        return unary(m, counts[draw(g, 4)], operand(m, type, depth));
    if (form < 18)
        return resized(m, type, depth);
    if (form < 19)
        return float_to_integer(m, type, depth);
    if (form < 20 && bits_of(type) >= 16)
        return bits_of_float(m, type, depth);
    if (form < 21)
        return extended(m, type, depth);
    if (form < 22 && bits_of(type) >= 32) {
        value_t a = operand(m, type, depth);
        return binary(m, "tt.mulhiui", a, operand(m, type, depth));
    }
    if (form < 23)
        return binary(m, "arith.xori", operand(m, type, depth), integer_number(m, type, -1));
    return binary(m, "arith.subi", integer_number(m, type, 0), operand(m, type, depth));
}

static value_t bool_operation(maker_t *m, int depth)
{
    static const char *const integers[] = {"slt", "eq", "ne", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};
    static const char *const floats[] = {"olt", "oeq", "one", "ogt", "oge", "ole", "ord",
                                         "ueq", "une", "ugt", "uge", "ult", "ule", "uno"};
    static const char *const plain[] = {"arith.andi", "arith.ori", "arith.xori"};
    generator_t *g = m->g;
    uint32_t form = draw(g, 8);
    if (form < 3) {
        const char *how = integers[draw(g, 10)];
        value_t a = operand(m, integer_type(g), depth);
        return compare_integers(m, how, a, operand(m, a.type, depth));
    }
    if (form < 5) {
        const char *how = floats[draw(g, 14)];
        value_t a = operand(m, float_type(g), depth);
        return compare_floats(m, how, a, operand(m, a.type, depth));
    }
    if (form < 7) {
        const char *name = plain[draw(g, 3)];
        value_t a = operand(m, KILN_ELEMENT_I1, depth);
        return binary(m, name, a, operand(m, KILN_ELEMENT_I1, depth));
    }
    return cast(m, "arith.trunci", operand(m, integer_type(g), depth), KILN_ELEMENT_I1);
}

// Floats ----------------------------------------------------------------------------------------------------------------

static value_t sum_or_greater(maker_t *m, value_t a, value_t b)
{
    bool is_exact = !a.is_product && !b.is_product;
    value_t v = binary(m, !is_exact ? "arith.maxnumf" : chance(m->g, 2) ? "arith.subf" : "arith.addf", a, b);
    v.is_product = true; // x + x is 2 · x
    return v;
}

static value_t float_cast(maker_t *m, type_t type, int depth)
{
    generator_t *g = m->g;
    type_t from = float_type(g);
    if (bits_of(from) == bits_of(type))
        from = type == KILN_ELEMENT_F32 ? KILN_ELEMENT_F64 : KILN_ELEMENT_F32;
    value_t a = operand(m, from, depth);
    bool narrows = bits_of(from) > bits_of(type);
    if (narrows && a.is_integer)
        a = leaf(m, from);
    value_t v = cast(m, narrows ? "arith.truncf" : "arith.extf", a, type);
    v.is_product = a.is_product;
    v.is_integer = a.is_integer;
    return v;
}

static value_t float_of_bits(maker_t *m, type_t type, int depth)
{
    type_t from = type == KILN_ELEMENT_F64   ? KILN_ELEMENT_I64
                  : type == KILN_ELEMENT_F32 ? KILN_ELEMENT_I32
                                             : KILN_ELEMENT_I16;
    return cast(m, "tt.bitcast", operand(m, from, depth), type);
}

static value_t clamped(maker_t *m, type_t type, int depth)
{
    generator_t *g = m->g;
    value_t x = operand(m, type, depth), low = float_number(m, type, -(double)draw(g, 4)),
            high = float_number(m, type, 1 + draw(g, 5));
    return make(m, type, "tt.clampf %%v%d, %%v%d, %%v%d, propagateNan = %s : %s", x.id, low.id, high.id,
                chance(g, 2) ? "all" : "none", text_of(m, type));
}

// An operand that is no product: by 1 it were one summand.
static value_t factor(maker_t *m, type_t type, int depth)
{
    value_t v = operand(m, type, depth);
    return v.is_product ? leaf(m, type) : v;
}

static value_t float_operation(maker_t *m, type_t type, int depth)
{
    static const char *const two[] = {"arith.maxnumf", "arith.minnumf", "arith.maximumf", "arith.minimumf"};
    static const char *const one[] = {"math.floor", "math.ceil", "math.trunc", "math.roundeven", "math.round"};
    generator_t *g = m->g;
    uint32_t form = draw(g, 24);
    if (form < 4) {
        value_t a = operand(m, type, depth);
        return sum_or_greater(m, a, operand(m, type, depth));
    }
    if (form < 7) {
        value_t a = operand(m, type, depth), v = binary(m, "arith.mulf", a, operand(m, type, depth));
        v.is_product = true;
        return v;
    }
    if (form < 9 && type != KILN_ELEMENT_BF16) { // LLVM computes it in f32 and rounds twice
        value_t a = factor(m, type, depth), b = factor(m, type, depth), c = leaf(m, type);
        value_t v = make(m, type, "math.fma %%v%d, %%v%d, %%v%d : %s", a.id, b.id, c.id, text_of(m, type));
        v.is_product = true;
        return v;
    }
    if (form < 11) {
        const char *name = two[draw(g, 4)];
        value_t a = operand(m, type, depth), b = operand(m, type, depth), v = binary(m, name, a, b);
        v.is_product = a.is_product || b.is_product; // it may be one of them
        return v;
    }
    if (form < 12)
        return unary(m, one[draw(g, 5)], operand(m, type, depth));
    if (form < 14) {
        value_t a = operand(m, type, depth), v = unary(m, chance(g, 2) ? "math.absf" : "arith.negf", a);
        v.is_product = a.is_product;
        return v;
    }
    if (form < 15) {
        value_t a = operand(m, type, depth);
        return binary(m, "math.copysign", a, leaf(m, type));
    }
    if (form < 17)
        return float_cast(m, type, depth);
    if (form < 20) {
        type_t from = chance(g, 5) ? KILN_ELEMENT_I1 : integer_type(g);
        if (type == KILN_ELEMENT_BF16 && bits_of(from) > 16) // goes by way of f32, as in Triton
            from = KILN_ELEMENT_I16;
        value_t a = operand(m, from, depth);
        value_t v = cast(m, chance(g, 2) ? "arith.sitofp" : "arith.uitofp", a, type);
        v.is_integer = true;
        return v;
    }
    if (form < 21)
        return float_of_bits(m, type, depth);
    if (form < 22)
        return clamped(m, type, depth);
    if (form < 23 && (type == KILN_ELEMENT_F32 || type == KILN_ELEMENT_F64)) {
        value_t a = operand(m, type, depth);
        return binary(m, type == KILN_ELEMENT_F32 ? "tt.precise_divf" : "arith.divf", a, leaf(m, type));
    }
    return type == KILN_ELEMENT_F32 ? unary(m, "tt.precise_sqrt", operand(m, type, depth)) : float_cast(m, type, depth);
}

// Control ---------------------------------------------------------------------------------------------------------------

static value_t conditional(maker_t *m, type_t type, int depth)
{
    value_t condition = operand(m, KILN_ELEMENT_I1, depth), a = operand(m, type, depth), b = operand(m, type, depth);
    value_t v = select_of(m, condition, a, b);
    v.is_product = a.is_product || b.is_product;
    v.is_integer = a.is_integer || b.is_integer;
    return v;
}

// A condition and a count that are no tiles.
static value_t scalar_operand(maker_t *m, type_t type, int depth)
{
    place_t place = m->place;
    if (place == ON_TILES)
        m->place = ON_SCALARS;
    value_t v = operand(m, type, depth);
    m->place = place;
    return v;
}

// A value made in a region, with the line that yields it.
static value_t region(maker_t *m, type_t type, int depth)
{
    int outside = m->g->pool_count;
    m->g->depth++;
    value_t v = operand(m, type, depth);
    line(m->g, "scf.yield %%v%d : %s", v.id, text_of(m, type));
    m->g->depth--;
    m->g->pool_count = outside;
    return v;
}

static value_t branch(maker_t *m, type_t type, int depth)
{
    generator_t *g = m->g;
    value_t condition = scalar_operand(m, KILN_ELEMENT_I1, depth), v = new_value(g, type, shape_of(m));
    line(g, "%%v%d = scf.if %%v%d -> (%s) {", v.id, condition.id, text_of(m, type));
    value_t a = region(m, type, depth);
    line(g, "} else {");
    value_t b = region(m, type, depth);
    line(g, "}");
    v.is_product = a.is_product || b.is_product;
    return v;
}

// A loop of up to three rounds, whose body may use what it has so far.
static value_t loop(maker_t *m, type_t type, int depth)
{
    generator_t *g = m->g;
    value_t start = operand(m, type, depth), count = scalar_operand(m, KILN_ELEMENT_I32, depth);
    place_t place = m->place;
    m->place = place == ON_TILES ? ON_SCALARS : place;
    value_t zero = integer_number(m, KILN_ELEMENT_I32, 0), one = integer_number(m, KILN_ELEMENT_I32, 1);
    count = binary(m, "arith.andi", count, integer_number(m, KILN_ELEMENT_I32, 3));
    m->place = place;
    value_t v = new_value(g, type, shape_of(m)), turn = new_value(g, KILN_ELEMENT_I32, (shape_t){0}),
            sum = new_value(g, type, shape_of(m));
    line(g, "%%v%d = scf.for %%v%d = %%v%d to %%v%d step %%v%d iter_args(%%v%d = %%v%d) -> (%s) : i32 {", v.id, turn.id,
         zero.id, count.id, one.id, sum.id, start.id, text_of(m, type));
    int outside = g->pool_count;
    sum.is_product = v.is_product = is_float(type);
    add_value(g, sum);
    if (place != ON_TILES)
        add_value(g, turn);
    region(m, type, depth);
    line(g, "}");
    g->pool_count = outside;
    return v;
}

static value_t operation(maker_t *m, type_t type, int depth)
{
    generator_t *g = m->g;
    uint32_t form = draw(g, 24);
    value_t v;
    if (form < 20)
        v = is_float(type)            ? float_operation(m, type, depth)
            : type == KILN_ELEMENT_I1 ? bool_operation(m, depth)
                                      : integer_operation(m, type, depth);
    else if (form < 22)
        v = conditional(m, type, depth);
    else
        v = form == 22 ? branch(m, type, depth) : loop(m, type, depth);
    add_value(g, v);
    return v;
}

// Memory ----------------------------------------------------------------------------------------------------------------

// Elements `offset` and following of a buffer, as a tile of pointers.
static int tile_pointers(maker_t *m, int buffer, int offset)
{
    generator_t *g = m->g;
    type_t type = g->program->buffers[buffer].type;
    int first = ++g->next_id, all = ++g->next_id, pointers = ++g->next_id;
    const char *scalar = pointer_text(type, (shape_t){0}), *tile = pointer_text(type, m->tile);
    line(g, "%%v%d = tt.addptr %%b%d, %%v%d : %s, i32", first, buffer, offset, scalar);
    line(g, "%%v%d = tt.splat %%v%d : %s -> %s", all, first, scalar, tile);
    line(g, "%%v%d = tt.addptr %%v%d, %%v%d : %s, %s", pointers, all, RANGE, tile,
         type_text(KILN_ELEMENT_I32, m->tile));
    return pointers;
}

static void store_result(maker_t *m, value_t v)
{
    generator_t *g = m->g;
    int type = index_of(v.type), of_programs = PROGRAMS * m->tile.dims[0];
    if (!m->outputs[type]) {
        m->outputs[type] = g->program->buffer_count;
        g->program->buffers[g->program->buffer_count++] = (buffer_t){.type = v.type, .is_output = true};
    }
    buffer_t *output = &g->program->buffers[m->outputs[type]];
    int slot = (int)output->count;
    output->count += (size_t)of_programs;
    int start = integer(g, "i32", slot), at = ++g->next_id;
    line(g, "%%v%d = arith.addi %%v%d, %%v%d : i32", at, start, OFFSET);
    if (v.shape.rank || chance(g, 2)) {
        int id = v.id;
        if (!v.shape.rank) {
            id = ++g->next_id;
            line(g, "%%v%d = tt.splat %%v%d : %s -> %s", id, v.id, type_text(v.type, v.shape),
                 type_text(v.type, m->tile));
        }
        line(g, "tt.store %%v%d, %%v%d : %s", tile_pointers(m, m->outputs[type], at), id,
             pointer_text(v.type, m->tile));
        return;
    }
    int pointer = ++g->next_id;
    line(g, "%%v%d = tt.addptr %%b%d, %%v%d : %s, i32", pointer, m->outputs[type], at, pointer_text(v.type, v.shape));
    line(g, "tt.store %%v%d, %%v%d : %s", pointer, v.id, pointer_text(v.type, v.shape));
}

// Around the elements' expression: what it needs of the tiles is known only behind it.
static value_t on_elements(maker_t *m, type_t type, int depth)
{
    generator_t *g = m->g;
    kiln_string_t inside = {0}, *outside = g->out;
    g->out = &inside;
    g->depth++;
    m->used_elements = 0;
    value_t result = operation(m, type, depth);
    if (!m->used_elements) // it needs one at least
        m->used_elements = 1;
    line(g, "tt.map_elementwise.return %%v%d : %s", result.id, type_text(type, (shape_t){0}));
    g->depth--;
    g->out = outside;
    kiln_string_t tiles = {0}, elements = {0}, tile_types = {0};
    for (int i = 0; i < 2 * TYPE_COUNT; i++)
        if (m->used_elements >> i & 1) {
            const char *comma = tiles.length ? ", " : "";
            kiln_string_appendf(&tiles, "%s%%v%d", comma, FIRST_TILE + i);
            kiln_string_appendf(&elements, "%s%%v%d: %s", comma, FIRST_ELEMENT + i,
                                kiln_element_type_name(types[i / 2]));
            kiln_string_appendf(&tile_types, "%s%s", comma, type_text(types[i / 2], m->tile));
        }
    m->used_tiles |= m->used_elements;
    value_t v = new_value(g, type, m->tile);
    line(g, "%%v%d = \"tt.map_elementwise\"(%s) <{pack = 1 : i32}> ({", v.id, tiles.data);
    line(g, "^bb0(%s):", elements.data);
    kiln_string_append(g->out, inside.data);
    line(g, "}) : (%s) -> %s", tile_types.data, type_text(type, m->tile));
    kiln_string_free(&inside);
    kiln_string_free(&tiles);
    kiln_string_free(&elements);
    kiln_string_free(&tile_types);
    return v;
}

static void expression(maker_t *m)
{
    generator_t *g = m->g;
    type_t type = types[draw(g, TYPE_COUNT)];
    int depth = 1 + (int)draw(g, DEEPEST);
    m->place = (place_t)draw(g, 3);
    g->pool_count = MAX_SCALARS + MAX_OTHERS;
    store_result(m, m->place == ON_ELEMENTS ? on_elements(m, type, depth) : operation(m, type, depth));
}

// The pack --------------------------------------------------------------------------------------------------------------

static void load_leaves(maker_t *m)
{
    generator_t *g = m->g;
    const char *tile = type_text(KILN_ELEMENT_I32, m->tile);
    line(g, "%%v%d = tt.get_program_id x : i32", PROGRAM_ID);
    line(g, "%%v%d = tt.make_range {start = 0 : i32, end = %d : i32} : %s", RANGE, m->tile.dims[0], tile);
    line(g, "%%v%d = arith.muli %%v%d, %%v%d : i32", OFFSET, PROGRAM_ID, integer(g, "i32", m->tile.dims[0]));
    line(g, "%%v%d = arith.addi %%v%d, %%v%d : i32", SECOND_OFFSET, OFFSET,
         integer(g, "i32", m->tile.dims[0] * PROGRAMS));
    for (int i = 0; i < 2 * TYPE_COUNT; i++) {
        type_t type = types[i / 2];
        int offset = i % 2 ? SECOND_OFFSET : OFFSET;
        if (m->used_tiles >> i & 1)
            line(g, "%%v%d = tt.load %%v%d : %s", FIRST_TILE + i, tile_pointers(m, i / 2, offset),
                 pointer_text(type, m->tile));
        if (m->used_scalars >> i & 1) {
            int pointer = ++g->next_id;
            const char *text = pointer_text(type, (shape_t){0});
            line(g, "%%v%d = tt.addptr %%b%d, %%v%d : %s, i32", pointer, i / 2, offset, text);
            line(g, "%%v%d = tt.load %%v%d : %s", FIRST_SCALAR + i, pointer, text);
        }
    }
}

static void add_arguments(generator_t *g)
{
    static const int numbers[] = {0, 1, -1, INT32_MIN, INT32_MAX, 60000, -77, 31};
    static const type_t others[] = {KILN_ELEMENT_I64, KILN_ELEMENT_F32};
    program_t *p = g->program;
    p->scalar_count = MAX_SCALARS;
    p->other_count = MAX_OTHERS;
    for (int i = 0; i < MAX_SCALARS; i++) {
        p->scalars[i] = numbers[draw(g, 8)];
        add_value(g, new_value(g, KILN_ELEMENT_I32, (shape_t){0}));
    }
    for (int i = 0; i < MAX_OTHERS; i++) {
        p->others[i].type = others[i];
        p->others[i].value = (int)draw(g, 200) - 100;
        p->others[i].bits = (uint64_t)p->others[i].value;
        if (is_float(others[i])) {
            p->others[i].bits = 0;
            kiln_element_from_double(others[i], p->others[i].value, &p->others[i].bits);
        }
        add_value(g, new_value(g, others[i], (shape_t){0}));
    }
}

void program_generate_expressions(uint64_t pack, choices_t *expressions, int count, program_t *program)
{
    static const int sizes[] = {64, 128, 64, 256};
    *program = (program_t){.grid = {PROGRAMS, 1, 1}, .num_stages = 2, .kpack = 1, .data_seed = pack};
    choices_t options = {.state = pack};
    generator_t generator = {.choices = &options, .program = program}, *g = &generator;
    maker_t m = {.g = g, .tile = {.rank = 1, .dims = {sizes[draw(g, 4)]}}};
    program->num_warps = chance(g, 4) ? 2 : 1;
    program->checks = chance(g, 16);
    add_arguments(g);
    choices_free(&options);
    for (int i = 0; i < TYPE_COUNT; i++)
        program->buffers[program->buffer_count++] =
            (buffer_t){.type = types[i], .count = (size_t)(2 * PROGRAMS * m.tile.dims[0]), .is_wild = true};
    kiln_string_t body = {0};
    g->out = &body;
    g->next_id = FIRST_TEMPORARY;
    for (int i = 0; i < count; i++) {
        g->choices = &expressions[i];
        g->lines = 0;
        expression(&m);
    }
    g->out = &g->body;
    load_leaves(&m);
    kiln_string_append(&g->body, body.data);
    kiln_string_free(&body);
    program_write(g);
}
