// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions of integers, and conditions.
#include <math.h>

#include "generate_expressions.h"

static value_t compare_integers(maker_t *m, const char *how, value_t a, value_t b)
{
    return make(m, KILN_ELEMENT_I1, "arith.cmpi %s, %%v%d, %%v%d : %s", how, a.id, b.id,
                text_of(m, a.type));
}

value_t select_of(maker_t *m, value_t condition, value_t a, value_t b)
{
    value_t v = m->place == ON_TILES
                    ? make(m, a.type, "arith.select %%v%d, %%v%d, %%v%d : %s, %s", condition.id,
                           a.id, b.id, text_of(m, KILN_ELEMENT_I1), text_of(m, a.type))
                    : make(m, a.type, "arith.select %%v%d, %%v%d, %%v%d : %s", condition.id, a.id,
                           b.id, text_of(m, a.type));
    v.any_zero = a.any_zero || b.any_zero;
    return v;
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
        amount =
            binary(m, "arith.andi", operand(m, type, depth), integer_number(m, type, bits - 1));
        break;
    default:
        amount = operand(m, type, depth);
        amount = select_of(m, compare_integers(m, "ult", amount, integer_number(m, type, bits)),
                           amount, integer_number(m, type, draw(g, (uint32_t)bits)));
    }
    return binary(m, name, a, amount);
}

static value_t division(maker_t *m, type_t type, int depth)
{
    static const char *const names[] = {"arith.divui",    "arith.remui", "arith.ceildivui",
                                        "arith.divsi",    "arith.remsi", "arith.floordivsi",
                                        "arith.ceildivsi"};
    static const int divisors[] = {3, 1, 2, 7, 10, 64, 100, 127, -3, -2, -128, 5};
    generator_t *g = m->g;
    uint32_t which = draw(g, 7);
    value_t a = operand(m, type, depth), b;
    switch (draw(g, 3)) {
    case 0:
        b = integer_number(m, type, divisors[draw(g, 12)]);
        break;
    case 1: // an odd divisor; the minimum divided by −1 overflows
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

// An operation with two results, one of which is used.
static value_t extended(maker_t *m, type_t type, int depth)
{
    generator_t *g = m->g;
    value_t a = operand(m, type, depth), b = operand(m, type, depth);
    value_t low = new_value(g, type, shape_of(m)), high = new_value(g, type, shape_of(m));
    if (chance(g, 3))
        line(g, "%%v%d, %%v%d = arith.addui_extended %%v%d, %%v%d : %s, %s", low.id, high.id, a.id,
             b.id, text_of(m, type), text_of(m, KILN_ELEMENT_I1));
    else {
        line(g, "%%v%d, %%v%d = arith.mul%ci_extended %%v%d, %%v%d : %s", low.id, high.id,
             chance(g, 2) ? 's' : 'u', a.id, b.id, text_of(m, type));
        if (chance(g, 2))
            return high;
    }
    return low;
}

// Converted from an integer of another size.
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
    return make(m, KILN_ELEMENT_I1, "arith.cmpf %s, %%v%d, %%v%d : %s", how, a.id, b.id,
                text_of(m, a.type));
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

// The bits of a float: of a leaf unchanged, otherwise of a float that is neither a NaN nor a zero
// of unknown sign.
static value_t bits_of_float(maker_t *m, type_t type, int depth)
{
    generator_t *g = m->g;
    type_t from = type == KILN_ELEMENT_I64   ? KILN_ELEMENT_F64
                  : type == KILN_ELEMENT_I32 ? KILN_ELEMENT_F32
                  : chance(g, 2)             ? KILN_ELEMENT_BF16
                                             : KILN_ELEMENT_F16;
    if (chance(g, 2)) {
        value_t zero = float_number(m, from, 0), x = operand(m, from, depth);
        return cast(m, "tt.bitcast", select_of(m, compare_floats(m, "one", x, zero), x, zero),
                    type);
    }
    return cast(m, "tt.bitcast", leaf(m, from), type);
}

value_t integer_operation(maker_t *m, type_t type, int depth)
{
    static const char *const plain[] = {"arith.addi",  "arith.subi", "arith.muli",  "arith.andi",
                                        "arith.ori",   "arith.xori", "arith.minsi", "arith.maxsi",
                                        "arith.minui", "arith.maxui"};
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

value_t bool_operation(maker_t *m, int depth)
{
    static const char *const integers[] = {"slt", "eq",  "ne",  "sle", "sgt",
                                           "sge", "ult", "ule", "ugt", "uge"};
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
