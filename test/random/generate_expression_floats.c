// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions of floats.
#include "generate_expressions.h"

static value_t sum_or_greater(maker_t *m, value_t a, value_t b)
{
    bool is_exact = !a.is_product && !b.is_product;
    value_t v = binary(m,
                       !is_exact         ? "arith.maxnumf"
                       : chance(m->g, 2) ? "arith.subf"
                                         : "arith.addf",
                       a, b);
    v.is_product = true; // x + x is 2 · x
    v.any_zero |= !is_exact;
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
    if (from == KILN_ELEMENT_F32 && type == KILN_ELEMENT_F16 && chance(g, 2)) { // v_fma_mix
        a = binary(m, "arith.mulf", a, leaf(m, from));
        a.is_product = true;
    }
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
    value_t v = make(m, type, "tt.clampf %%v%d, %%v%d, %%v%d, propagateNan = %s : %s", x.id, low.id,
                     high.id, chance(g, 2) ? "all" : "none", text_of(m, type));
    v.any_zero = true;
    return v;
}

// An operand that is not a product: a product times 1 would fold to a product that a sum may fuse.
static value_t factor(maker_t *m, type_t type, int depth)
{
    value_t v = operand(m, type, depth);
    return v.is_product ? leaf(m, type) : v;
}

value_t float_operation(maker_t *m, type_t type, int depth)
{
    static const char *const two[] = {"arith.maxnumf", "arith.minnumf", "arith.maximumf",
                                      "arith.minimumf"};
    static const char *const one[] = {"math.floor", "math.ceil", "math.trunc", "math.roundeven",
                                      "math.round"};
    generator_t *g = m->g;
    uint32_t form = draw(g, 24);
    if (form < 4) {
        value_t a = operand(m, type, depth);
        return sum_or_greater(m, a, operand(m, type, depth));
    }
    if (form < 7) {
        value_t a = operand(m, type, depth),
                v = binary(m, "arith.mulf", a, operand(m, type, depth));
        v.is_product = true;
        return v;
    }
    if (form < 9 && type != KILN_ELEMENT_BF16) { // LLVM computes it in f32 and rounds twice
        value_t a = factor(m, type, depth), b = factor(m, type, depth), c = leaf(m, type);
        value_t v =
            make(m, type, "math.fma %%v%d, %%v%d, %%v%d : %s", a.id, b.id, c.id, text_of(m, type));
        v.is_product = true;
        v.any_zero = a.any_zero || b.any_zero || c.any_zero;
        return v;
    }
    if (form < 11) {
        uint32_t which = draw(g, 4);
        value_t a = operand(m, type, depth), b = operand(m, type, depth),
                v = binary(m, two[which], a, b);
        v.any_zero |= which < 2;
        v.is_product = a.is_product || b.is_product; // it may be one of them
        return v;
    }
    if (form < 12)
        return unary(m, one[draw(g, 5)], operand(m, type, depth));
    if (form < 14) {
        value_t a = operand(m, type, depth), v;
        if (!a.is_product && chance(g, 2)) // Triton's unary minus
            return binary(m, "arith.subf", float_number(m, type, 0), a);
        v = unary(m, chance(g, 2) ? "math.absf" : "arith.negf", a);
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
        if (type == KILN_ELEMENT_BF16 && bits_of(from) > 16) // converts via f32, as Triton does
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
        return binary(m, type == KILN_ELEMENT_F32 ? "tt.precise_divf" : "arith.divf", a,
                      leaf(m, type));
    }
    return type == KILN_ELEMENT_F32 ? unary(m, "tt.precise_sqrt", operand(m, type, depth))
                                    : float_cast(m, type, depth);
}
