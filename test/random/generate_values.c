// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element-wise statements: arithmetic, comparisons, selections, conversions. Masks make divisors
// and shift amounts valid; floats are used further only while they are exact.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "generate.h"

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static value_t binary(generator_t *g, const char *operation, value_t a, value_t b)
{
    value_t v = new_value(g, a.type, a.shape);
    line(g, "%%v%d = %s %%v%d, %%v%d : %s", v.id, operation, a.id, b.id,
         type_text(a.type, a.shape));
    return v;
}

static value_t unary(generator_t *g, const char *operation, value_t a)
{
    value_t v = new_value(g, a.type, a.shape);
    line(g, "%%v%d = %s %%v%d : %s", v.id, operation, a.id, type_text(a.type, a.shape));
    return v;
}

static bool pick_integer(generator_t *g, value_t *out)
{
    request_t request = {.any_type = true, .any_shape = true};
    for (int i = 0; i < 4; i++)
        if (pick(g, &request, out) && !is_float(out->type))
            return true;
    request = (request_t){.type = some_integer(g), .any_shape = true};
    return pick(g, &request, out);
}

static bool pick_float(generator_t *g, bool specials, value_t *out)
{
    request_t request = {.any_type = true, .any_shape = true, .specials = specials};
    for (int i = 0; i < 6; i++)
        if (pick(g, &request, out) && is_float(out->type) && !is_small_float(out->type))
            return true;
    static const type_t types[] = {KILN_ELEMENT_F32, KILN_ELEMENT_F16, KILN_ELEMENT_BF16,
                                   KILN_ELEMENT_F64};
    for (int i = 0; i < 4; i++) {
        request = (request_t){.type = types[i], .any_shape = true, .specials = specials};
        if (pick(g, &request, out))
            return true;
    }
    *out = load_new(g, some_float(g), some_shape(g, 2), 8, false);
    return true;
}

static value_t same_kind(generator_t *g, value_t like, bool specials)
{
    request_t request = {.type = like.type, .shape = like.shape, .specials = specials};
    return need(g, &request);
}

// Integers ----------------------------------------------------------------------------------------

bool make_integer(generator_t *g)
{
    static const char *const plain[] = {"arith.addi",  "arith.subi", "arith.muli",  "arith.andi",
                                        "arith.ori",   "arith.xori", "arith.minsi", "arith.maxsi",
                                        "arith.minui", "arith.maxui"};
    static const char *const divisions[] = {"arith.divsi",    "arith.remsi",      "arith.divui",
                                            "arith.remui",    "arith.floordivsi", "arith.ceildivsi",
                                            "arith.ceildivui"};
    static const char *const shifts[] = {"arith.shli", "arith.shrsi", "arith.shrui"};
    static const char *const counts[] = {"math.absi", "math.ctpop", "math.ctlz", "math.cttz"};
    value_t a, b, v;
    if (!pick_integer(g, &a)) {
        request_t request = {.type = some_integer(g), .shape = some_shape(g, 3)};
        a = need(g, &request);
    }
    uint32_t form = draw(g, 20);
    if (a.type == KILN_ELEMENT_I1) {
        v = binary(g, plain[3 + draw(g, 3)], a, same_kind(g, a, false));
    } else if (form < 12) {
        v = binary(g, plain[draw(g, 10)], a, same_kind(g, a, false));
    } else if (form < 15) { // a divisor from 1 to 63, signed or unsigned
        value_t low = constant(g, a.type, a.shape, 62), one = constant(g, a.type, a.shape, 1);
        b = binary(g, "arith.ori", binary(g, "arith.andi", same_kind(g, a, false), low), one);
        v = binary(g, divisions[draw(g, 7)], a, b);
    } else if (form < 17) {
        value_t low = constant(g, a.type, a.shape, bits_of(a.type) - 1);
        v = binary(g, shifts[draw(g, 3)], a, binary(g, "arith.andi", same_kind(g, a, false), low));
    } else if (form < 18) {
        v = unary(g, counts[draw(g, 4)], a);
    } else if (form < 19 && bits_of(a.type) >= 32) {
        v = binary(g, "tt.mulhiui", a, same_kind(g, a, false));
    } else {
        b = same_kind(g, a, false);
        v = new_value(g, a.type, a.shape);
        value_t high = new_value(g, a.type, a.shape);
        const char *tt = type_text(a.type, a.shape);
        if (chance(g, 3)) {
            high.type = KILN_ELEMENT_I1;
            line(g, "%%v%d, %%v%d = arith.addui_extended %%v%d, %%v%d : %s, %s", v.id, high.id,
                 a.id, b.id, tt, type_text(KILN_ELEMENT_I1, a.shape));
        } else {
            line(g, "%%v%d, %%v%d = arith.mul%ci_extended %%v%d, %%v%d : %s", v.id, high.id,
                 chance(g, 2) ? 's' : 'u', a.id, b.id, tt);
        }
        add_value(g, high);
    }
    add_value(g, v);
    return true;
}

// Floats ------------------------------------------------------------------------------------------

static void inherit(value_t *v, value_t a, value_t b)
{
    v->is_special |= a.is_special || b.is_special;
    v->has_sign |= a.has_sign || b.has_sign;
    v->any_zero |= a.any_zero || b.any_zero;
    v->fraction = a.fraction > b.fraction ? a.fraction : b.fraction;
}

// One of the operations that never need more bits.
static value_t harmless(generator_t *g, value_t a)
{
    enum { COPYSIGN = 4 };
    static const char *const two[] = {"arith.maxnumf", "arith.minnumf", "arith.maximumf",
                                      "arith.minimumf", "math.copysign"};
    static const char *const one[] = {"arith.negf", "math.absf",  "math.floor",    "math.ceil",
                                      "math.trunc", "math.round", "math.roundeven"};
    value_t v;
    if (chance(g, 2)) {
        uint32_t which = draw(g, 5);
        value_t b = same_kind(g, a, which != COPYSIGN); // the sign of a computed NaN is unspecified
        v = binary(g, two[which], a, b);
        inherit(&v, a, b);
        v.any_zero |= which < 2;
        v.max = larger(a.max, b.max);
    } else {
        uint32_t which = draw(g, 7);
        v = unary(g, one[which], a);
        inherit(&v, a, a);
        v.max = which < 2 ? a.max : ceil(a.max);
        v.fraction = which < 2 ? a.fraction : 0;
    }
    v.has_sign = true;
    return v;
}

static value_t arithmetic(generator_t *g, value_t a)
{
    value_t b = same_kind(g, a, a.is_special), v;
    int fraction = a.fraction > b.fraction ? a.fraction : b.fraction;
    switch (draw(g, 6)) {
    case 0:
    case 1:
        if (!fits(a.type, a.max + b.max, fraction))
            return harmless(g, a);
        v = binary(g, chance(g, 2) ? "arith.subf" : "arith.addf", a, b);
        inherit(&v, a, b);
        v.max = a.max + b.max;
        return v;
    case 2:
        if (!fits(a.type, a.max * b.max, a.fraction + b.fraction))
            return harmless(g, a);
        v = binary(g, "arith.mulf", a, b);
        inherit(&v, a, b);
        v.max = a.max * b.max;
        v.fraction = a.fraction + b.fraction;
        v.has_sign = true;
        return v;
    case 3: {
        value_t c = same_kind(g, a, a.is_special);
        int wide = a.fraction + b.fraction > c.fraction ? a.fraction + b.fraction : c.fraction;
        if (!fits(a.type, a.max * b.max + c.max, wide) || a.is_special || b.is_special ||
            c.is_special)
            return harmless(g, a);
        v = new_value(g, a.type, a.shape);
        line(g, "%%v%d = math.fma %%v%d, %%v%d, %%v%d : %s", v.id, a.id, b.id, c.id,
             type_text(a.type, a.shape));
        v.max = a.max * b.max + c.max;
        v.fraction = wide;
        v.has_sign = true;
        v.any_zero = a.any_zero || b.any_zero || c.any_zero;
        return v;
    }
    case 4: { // by a power of two
        int shift = (int)draw(g, 3) + 1;
        if (!fits(a.type, a.max, a.fraction + shift))
            return harmless(g, a);
        v = binary(g, chance(g, 3) ? "tt.precise_divf" : "arith.divf", a,
                   constant(g, a.type, a.shape, 1 << shift));
        inherit(&v, a, a);
        v.max = a.max;
        v.fraction = a.fraction + shift;
        return v;
    }
    default: {
        value_t low = constant(g, a.type, a.shape, -(double)draw(g, 4)),
                high = constant(g, a.type, a.shape, 1 + draw(g, 5));
        v = new_value(g, a.type, a.shape);
        bool all = a.is_special || chance(g, 2);
        line(g, "%%v%d = tt.clampf %%v%d, %%v%d, %%v%d, propagateNan = %s : %s", v.id, a.id, low.id,
             high.id, all ? "all" : "none", type_text(a.type, a.shape));
        inherit(&v, a, a);
        v.max = larger(low.max, high.max);
        v.has_sign = v.any_zero = true;
        return v;
    }
    }
}

bool make_float(generator_t *g)
{
    value_t a;
    pick_float(g, true, &a);
    value_t v = chance(g, 3) ? harmless(g, a) : arithmetic(g, a);
    add_value(g, v);
    return true;
}

// A function whose result is not exact is stored immediately, with a tolerance.
bool make_approximate(generator_t *g)
{
    static const char *const functions[] = {"math.exp", "math.exp2", "math.sqrt", "math.rsqrt",
                                            "math.log", "math.log2", "math.sin",  "math.cos",
                                            "math.erf", "math.tanh"};
    static const char *const library[] = {"exp", "log1p", "atan", "cbrt", "sinh", "tanh"};
    value_t a;
    if (!pick_float(g, false, &a) || g->in_function)
        return false;
    uint32_t which = draw(g, 14);
    double tolerance = a.type == KILN_ELEMENT_F64   ? 1e-6
                       : a.type == KILN_ELEMENT_F32 ? 2e-5
                       : a.type == KILN_ELEMENT_F16 ? 4e-3
                                                    : 3e-2;
    // From 1 to 9: away from poles and zeros.
    const char *tt = type_text(a.type, a.shape);
    value_t low = constant(g, a.type, a.shape, 1),
            high = constant(g, a.type, a.shape, which == 6 || which == 7 ? 1 : 8);
    value_t x = new_value(g, a.type, a.shape), v;
    line(g, "%%v%d = tt.clampf %%v%d, %%v%d, %%v%d, propagateNan = none : %s", x.id, a.id, low.id,
         high.id, tt);
    if (which < 10) {
        if (which == 4 || which == 5) { // log of 1 is 0
            value_t sum = binary(g, "arith.addf", x, low);
            x = sum;
        }
        v = unary(g, functions[which], x);
    } else if (a.type == KILN_ELEMENT_F32 || a.type == KILN_ELEMENT_F64) {
        v = new_value(g, a.type, a.shape);
        line(g,
             "%%v%d = tt.extern_elementwise %%v%d {libname = \"\", libpath = \"\", pure = true, "
             "symbol = "
             "\"__ocml_%s_f%d\"} : (%s) -> %s",
             v.id, x.id, library[draw(g, 6)], a.type == KILN_ELEMENT_F32 ? 32 : 64, tt, tt);
    } else {
        value_t seven = constant(g, a.type, a.shape, 7);
        v = binary(g, "arith.divf", x, seven);
    }
    store_value(g, v, tolerance);
    return true;
}

// Exact functions of the device libraries.
bool make_extern(generator_t *g)
{
    static const struct {
        const char *symbol;
        type_t type;
        int arity;
    } rows[] = {
        {"__ockl_popcount_u32", KILN_ELEMENT_I32, 1}, {"__ockl_add_sat_i32", KILN_ELEMENT_I32, 2},
        {"__ockl_sub_sat_u32", KILN_ELEMENT_I32, 2},  {"__ockl_mul24_i32", KILN_ELEMENT_I32, 2},
        {"__ockl_mul_hi_i64", KILN_ELEMENT_I64, 2},   {"__ockl_add_sat_u64", KILN_ELEMENT_I64, 2},
        {"__ockl_clz_u16", KILN_ELEMENT_I16, 1},      {"__ockl_median3_i32", KILN_ELEMENT_I32, 3},
        {"__ockl_sad_u32", KILN_ELEMENT_I32, 3},      {"__ockl_bfe_i32", KILN_ELEMENT_I32, 3},
        {"__ocml_floor_f32", KILN_ELEMENT_F32, 1},    {"__ocml_rint_f64", KILN_ELEMENT_F64, 1},
        {"__ocml_ceil_f16", KILN_ELEMENT_F16, 1},     {"__ocml_fmax_f32", KILN_ELEMENT_F32, 2},
        {"__ocml_fmin_f16", KILN_ELEMENT_F16, 2},     {"__ocml_maxmag_f64", KILN_ELEMENT_F64, 2},
    };
    size_t which = draw(g, sizeof rows / sizeof *rows);
    value_t operands[3], v = {0};
    request_t request = {.type = rows[which].type, .any_shape = true};
    if (!pick(g, &request, &operands[0])) {
        request = (request_t){.type = rows[which].type, .shape = some_shape(g, 2)};
        operands[0] = need(g, &request);
    }
    v = new_value(g, operands[0].type, operands[0].shape);
    kiln_string_t ids = {0}, types = {0};
    for (int i = 0; i < rows[which].arity; i++) {
        if (i)
            operands[i] = same_kind(g, operands[0], false);
        kiln_string_appendf(&ids, "%s%%v%d", i ? ", " : "", operands[i].id);
        kiln_string_appendf(&types, "%s%s", i ? ", " : "", type_text(v.type, v.shape));
        if (is_float(v.type)) {
            inherit(&v, v, operands[i]);
            v.max = larger(v.max, ceil(operands[i].max));
            v.has_sign = true;
            v.any_zero |= rows[which].arity > 1;
        }
    }
    line(g,
         "%%v%d = tt.extern_elementwise %s {libname = \"\", libpath = \"\", pure = %s, symbol = "
         "\"%s\"} : (%s) -> %s",
         v.id, ids.data, chance(g, 4) ? "false" : "true", rows[which].symbol, types.data,
         type_text(v.type, v.shape));
    kiln_string_free(&ids);
    kiln_string_free(&types);
    add_value(g, v);
    return true;
}

bool make_compare(generator_t *g)
{
    static const char *const integers[] = {"slt", "eq",  "ne",  "sle", "sgt",
                                           "sge", "ult", "ule", "ugt", "uge"};
    static const char *const floats[] = {"olt", "oeq", "one", "ogt", "oge", "ole", "ord",
                                         "ueq", "une", "ugt", "uge", "ult", "ule", "uno"};
    value_t a;
    bool of_floats = chance(g, 3);
    if (of_floats ? !pick_float(g, true, &a) : !pick_integer(g, &a))
        return false;
    value_t b = same_kind(g, a, true), v = new_value(g, KILN_ELEMENT_I1, a.shape);
    const char *tt = type_text(a.type, a.shape);
    if (of_floats)
        line(g, "%%v%d = arith.cmpf %s, %%v%d, %%v%d : %s", v.id, floats[draw(g, 14)], a.id, b.id,
             tt);
    else
        line(g, "%%v%d = arith.cmpi %s, %%v%d, %%v%d : %s", v.id, integers[draw(g, 10)], a.id, b.id,
             tt);
    add_value(g, v);
    return true;
}

bool make_select(generator_t *g)
{
    request_t request = {.any_type = true, .any_shape = true, .specials = true};
    value_t a;
    if (!pick(g, &request, &a))
        return false;
    value_t b = same_kind(g, a, true), v = new_value(g, a.type, a.shape);
    bool scalar = a.shape.rank && chance(g, 6);
    request_t condition = {.type = KILN_ELEMENT_I1, .shape = scalar ? (shape_t){0} : a.shape};
    value_t c = need(g, &condition);
    const char *tt = type_text(a.type, a.shape);
    if (a.shape.rank && !scalar)
        line(g, "%%v%d = arith.select %%v%d, %%v%d, %%v%d : %s, %s", v.id, c.id, a.id, b.id,
             type_text(KILN_ELEMENT_I1, a.shape), tt);
    else
        line(g, "%%v%d = arith.select %%v%d, %%v%d, %%v%d : %s", v.id, c.id, a.id, b.id, tt);
    if (is_float(a.type))
        inherit(&v, a, b);
    v.max = larger(a.max, b.max);
    add_value(g, v);
    return true;
}

// Conversions -------------------------------------------------------------------------------------

static bool cast(generator_t *g, const char *operation, const char *between, value_t a, value_t v)
{
    line(g, "%%v%d = %s %%v%d : %s %s %s", v.id, operation, a.id, type_text(a.type, a.shape),
         between, type_text(v.type, v.shape));
    add_value(g, v);
    return true;
}

static bool resize_integer(generator_t *g, value_t a)
{
    type_t type = chance(g, 8) ? KILN_ELEMENT_I1 : some_integer(g);
    value_t v = new_value(g, type, a.shape);
    if (bits_of(type) == bits_of(a.type))
        return false;
    if (bits_of(type) < bits_of(a.type))
        return cast(g, "arith.trunci", "to", a, v);
    bool is_signed = chance(g, 2);
    if (is_signed || a.type == KILN_ELEMENT_I1)
        v.max = a.type == KILN_ELEMENT_I1 ? 1 : a.max;
    return cast(g, is_signed ? "arith.extsi" : "arith.extui", "to", a, v);
}

static bool integer_to_float(generator_t *g, value_t a)
{
    type_t type = some_float(g);
    if (a.type != KILN_ELEMENT_I1 && !fits(type, a.max, 0)) { // keep the low bits
        value_t low = constant(g, a.type, a.shape, 63);
        a = binary(g, "arith.andi", a, low);
        a.max = 63;
        add_value(g, a);
    }
    value_t v = new_value(g, type, a.shape);
    v.max = a.type == KILN_ELEMENT_I1 ? 1 : a.max;
    bool is_signed = a.type == KILN_ELEMENT_I1 || chance(g, 2);
    // Interpreted as unsigned, a negative number with a known bound would exceed it.
    if (!is_signed && a.max != 63)
        is_signed = true;
    return cast(g, is_signed ? "arith.sitofp" : "arith.uitofp", "to", a, v);
}

static bool float_to_integer(generator_t *g, value_t a)
{
    type_t type = some_integer(g);
    if (a.is_special || a.max >= ldexp(1, bits_of(type) - 1))
        return false;
    value_t v = new_value(g, type, a.shape);
    v.max = a.max;
    if (!chance(g, 3))
        return cast(g, "arith.fptosi", "to", a, v);
    value_t positive = unary(g, "math.absf", a);
    return cast(g, "arith.fptoui", "to", positive, v);
}

static bool float_to_float(generator_t *g, value_t a)
{
    static const type_t types[] = {KILN_ELEMENT_F32,        KILN_ELEMENT_F16,
                                   KILN_ELEMENT_BF16,       KILN_ELEMENT_F64,
                                   KILN_ELEMENT_F8E4M3FNUZ, KILN_ELEMENT_F8E5M2FNUZ,
                                   KILN_ELEMENT_F8E4M3FN,   KILN_ELEMENT_F8E5M2};
    type_t type = types[draw(g, 8)];
    bool narrow = is_small_float(type) || is_small_float(a.type);
    if (type == a.type || !fits(type, a.max, a.fraction) || (narrow && a.is_special))
        return false;
    // 8-bit floats convert to and from f16, bf16 and f32.
    if (narrow && (type == KILN_ELEMENT_F64 || a.type == KILN_ELEMENT_F64 ||
                   (is_small_float(type) && is_small_float(a.type))))
        return false;
    value_t v = new_value(g, type, a.shape);
    inherit(&v, a, a);
    v.max = a.max;
    int from = bits_of(a.type), to = bits_of(type);
    if (narrow || (from == 32 && to == 16 && chance(g, 3))) {
        v.has_sign = true;
        line(g, "%%v%d = tt.fp_to_fp %%v%d%s : %s -> %s", v.id, a.id,
             to < from ? chance(g, 3) ? ", rounding = rtz" : ", rounding = rtne" : "",
             type_text(a.type, a.shape), type_text(type, a.shape));
        add_value(g, v);
        return true;
    }
    if (from == to)
        return false;
    return cast(g, to > from ? "arith.extf" : "arith.truncf", "to", a, v);
}

static bool bits_to_bits(generator_t *g, value_t a)
{
    static const struct {
        type_t from, to;
    } rows[] = {{KILN_ELEMENT_F32, KILN_ELEMENT_I32},       {KILN_ELEMENT_F16, KILN_ELEMENT_I16},
                {KILN_ELEMENT_BF16, KILN_ELEMENT_I16},      {KILN_ELEMENT_F64, KILN_ELEMENT_I64},
                {KILN_ELEMENT_F8E4M3FNUZ, KILN_ELEMENT_I8}, {KILN_ELEMENT_F8E5M2, KILN_ELEMENT_I8}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].from == a.type && !a.has_sign && !a.is_special)
            return cast(g, "tt.bitcast", "->", a, new_value(g, rows[i].to, a.shape));
    return false;
}

bool make_conversion(generator_t *g)
{
    request_t request = {.any_type = true, .any_shape = true, .specials = true};
    value_t a;
    if (!pick(g, &request, &a))
        return false;
    if (!is_float(a.type))
        return chance(g, 2) ? integer_to_float(g, a) : resize_integer(g, a);
    uint32_t form = draw(g, 4);
    if (is_small_float(a.type))
        return form == 3 ? bits_to_bits(g, a) : float_to_float(g, a);
    return form == 0   ? float_to_integer(g, a)
           : form == 3 ? bits_to_bits(g, a)
                       : float_to_float(g, a);
}

// Scalar code on each element.
bool make_map(generator_t *g)
{
    request_t request = {.type = KILN_ELEMENT_I32, .any_shape = true};
    value_t a;
    if (!pick(g, &request, &a) || !a.shape.rank)
        return false;
    value_t v = new_value(g, a.type, a.shape);
    int id = g->next_id;
    const char *tt = type_text(a.type, a.shape);
    // A pack passes several elements at once, each processed in the same way.
    int pack = chance(g, 3) ? 1 << draw(g, 4) : 1, first = id + 6;
    char arguments[512] = "", results[512] = "", types[256] = "";
    for (int e = 0, a_at = 0, r_at = 0, t_at = 0; e < pack; e++) {
        a_at += snprintf(arguments + a_at, sizeof arguments - (size_t)a_at, "%s%%v%d: i32",
                         e ? ", " : "", e ? first + 2 * e : id + 1);
        r_at += snprintf(results + r_at, sizeof results - (size_t)r_at, "%s%%v%d", e ? ", " : "",
                         e ? first + 2 * e + 1 : id + 4);
        t_at += snprintf(types + t_at, sizeof types - (size_t)t_at, "%si32", e ? ", " : "");
    }
    line(g, "%%v%d = \"tt.map_elementwise\"(%%v%d) <{pack = %d : i32}> ({", v.id, a.id, pack);
    line(g, "^bb0(%s):", arguments);
    g->depth++;
    line(g, "%%v%d = arith.constant %u : i32", id + 2, draw(g, 9));
    uint32_t kept = draw(g, 2);
    for (int e = 0; e < pack; e++) {
        int from = e ? first + 2 * e : id + 1, to = e ? first + 2 * e + 1 : id + 4,
            high = first + 2 * pack + 2 * e;
        line(g, "%%v%d = arith.cmpi sgt, %%v%d, %%v%d : i32", high, from, id + 2);
        line(g, "%%v%d = scf.if %%v%d -> (i32) {", to, high);
        line(g, "  %%v%d = arith.muli %%v%d, %%v%d : i32", high + 1, from, from);
        line(g, "  scf.yield %%v%d : i32", high + 1);
        line(g, "} else {");
        line(g, "  scf.yield %%v%d : i32", kept ? from : id + 2);
        line(g, "}");
    }
    line(g, "tt.map_elementwise.return %s : %s", results, types);
    g->depth--;
    line(g, "}) : (%s) -> %s", tt, tt);
    g->next_id = first + 4 * pack;
    add_value(g, v);
    return true;
}
