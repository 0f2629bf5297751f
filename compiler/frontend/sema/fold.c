// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds arithmetic on constants exactly as the kernel would compute it: integers wrap in their
// width, f32 rounds to f32.
//
// Undefined operations (divisions by zero and of the smallest number by -1, shifts beyond the
// width), 8-bit floats and quotients of narrow floats are left to the program: the fold returns
// false.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/float_format.h"
#include "kiln/element.h"

#include "frontend/parse/tree.h"

static bool is_integer(kiln_scalar_t scalar)
{
    kiln_tile_type_t type = kiln_tile_scalar(scalar);
    return kiln_tile_is_integer(&type);
}

static bool is_unsigned(kiln_scalar_t scalar)
{
    kiln_tile_type_t type = kiln_tile_scalar(scalar);
    return kiln_tile_is_unsigned(&type);
}

kiln_constant_t kiln_constant_int(kiln_scalar_t scalar, int64_t value)
{
    kiln_constant_t constant = {.scalar = scalar};
    int unused = 64 - kiln_scalar_row(scalar)->bits;
    uint64_t bits = (uint64_t)value << unused;
    constant.integer = is_unsigned(scalar) ? (int64_t)(bits >> unused) : (int64_t)bits >> unused;
    return constant;
}

static bool is_narrow(kiln_scalar_t scalar)
{
    return scalar == KILN_SCALAR_F16 || scalar == KILN_SCALAR_BF16;
}

// Formats of floats of at most 16 bits.
static bool narrow_format(kiln_scalar_t scalar, kiln_element_type_t *element,
                          kiln_float_format_t *format)
{
#define NARROW(id)                                                                                 \
    case KILN_SCALAR_##id:                                                                         \
        *element = KILN_ELEMENT_##id;                                                              \
        *format = (kiln_float_format_t){(kiln_element_kind_t)KILN_ELEMENT_##id##_KIND,             \
                                        KILN_ELEMENT_##id##_EXPONENT,                              \
                                        KILN_ELEMENT_##id##_MANTISSA, KILN_ELEMENT_##id##_BIAS};   \
        return true;
    switch (scalar) {
        NARROW(F8E4M3FN)
        NARROW(F8E4M3FNUZ)
        NARROW(F8E5M2)
        NARROW(F8E5M2FNUZ)
        NARROW(F16)
        NARROW(BF16)
    default:
        return false;
    }
#undef NARROW
}

static bool is_float8(kiln_scalar_t scalar)
{
    kiln_tile_type_t type = kiln_tile_scalar(scalar);
    return kiln_tile_is_float8(&type);
}

kiln_constant_t kiln_constant_float(kiln_scalar_t scalar, double value)
{
    kiln_constant_t constant = {
        .scalar = scalar, .floating = scalar == KILN_SCALAR_F32 ? (double)(float)value : value};
    kiln_element_type_t element;
    kiln_float_format_t format;
    if (narrow_format(scalar, &element, &format)) {
        bool saturates = is_float8(scalar); // infinities too
        if (saturates && isinf(value))
            value = copysign(DBL_MAX, value);
        uint16_t bits =
            (uint16_t)kiln_float_encode(format, value, KILN_FLOAT_NEAREST_EVEN, saturates);
        constant.floating = kiln_element_to_double(element, &bits);
    }
    return constant;
}

// Of the double and its neighbour beyond the number, the one whose last bit is set: rounding that
// to the fewer bits of another type equals rounding the number itself.
kiln_constant_t kiln_constant_literal(kiln_scalar_t scalar, double value, int rest)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (rest && scalar != KILN_SCALAR_F64 && !(bits & 1))
        value = nextafter(value, rest > 0 ? (double)INFINITY : -(double)INFINITY);
    return kiln_constant_float(scalar, value);
}

bool kiln_constant_is_true(kiln_constant_t a)
{
    return is_integer(a.scalar) ? a.integer != 0 : a.floating != 0;
}

static bool folds_as_float(kiln_scalar_t scalar)
{
    return scalar == KILN_SCALAR_F32 || scalar == KILN_SCALAR_F64 || is_narrow(scalar);
}

bool kiln_fold_unary(kiln_operator_t op, kiln_constant_t a, kiln_constant_t *out)
{
    if (op == KILN_OPERATOR_NOT && (is_integer(a.scalar) || folds_as_float(a.scalar)))
        *out = kiln_constant_int(KILN_SCALAR_BOOL, !kiln_constant_is_true(a));
    else if (op == KILN_OPERATOR_NEGATE && is_integer(a.scalar))
        *out = kiln_constant_int(a.scalar, (int64_t)(0 - (uint64_t)a.integer));
    else if (op == KILN_OPERATOR_NEGATE) // exact in every float type
        *out = (kiln_constant_t){.scalar = a.scalar, .floating = -a.floating, .rest = -a.rest};
    else if (op == KILN_OPERATOR_COMPLEMENT && is_integer(a.scalar))
        *out = kiln_constant_int(a.scalar, ~a.integer);
    else
        return false;
    return true;
}

static bool fold_float(kiln_operator_t op, double a, double b, kiln_scalar_t scalar,
                       kiln_constant_t *out)
{
    bool truth;
    double value;
    switch (op) {
    case KILN_OPERATOR_ADD:
        value = a + b;
        break;
    case KILN_OPERATOR_SUB:
        value = a - b;
        break;
    case KILN_OPERATOR_MUL:
        value = a * b;
        break;
    case KILN_OPERATOR_DIV:
        value = a / b;
        break;
    case KILN_OPERATOR_LT:
        truth = a < b;
        goto comparison;
    case KILN_OPERATOR_GT:
        truth = a > b;
        goto comparison;
    case KILN_OPERATOR_LE:
        truth = a <= b;
        goto comparison;
    case KILN_OPERATOR_GE:
        truth = a >= b;
        goto comparison;
    case KILN_OPERATOR_EQ:
        truth = a == b;
        goto comparison;
    case KILN_OPERATOR_NE:
        truth = a != b;
        goto comparison;
    default:
        return false;
    }
    // In double, then rounded: for + − · ÷ of two floats this gives the same result as computing in
    // float.
    *out = kiln_constant_float(scalar, value);
    return folds_as_float(scalar) && !(op == KILN_OPERATOR_DIV && is_narrow(scalar));
comparison:
    *out = kiln_constant_int(KILN_SCALAR_BOOL, truth);
    return true;
}

bool kiln_fold_binary(kiln_operator_t op, kiln_constant_t a, kiln_constant_t b,
                      kiln_constant_t *out)
{
    if (!is_integer(a.scalar))
        return fold_float(op, a.floating, b.floating, a.scalar, out);
    uint64_t x = (uint64_t)a.integer, y = (uint64_t)b.integer, value;
    bool without_sign = is_unsigned(a.scalar), less = without_sign ? x < y : a.integer < b.integer,
         truth;
    uint64_t width = (uint64_t)kiln_scalar_row(a.scalar)->bits;
    switch (op) {
    case KILN_OPERATOR_ADD:
        value = x + y;
        break;
    case KILN_OPERATOR_SUB:
        value = x - y;
        break;
    case KILN_OPERATOR_MUL:
        value = x * y;
        break;
    case KILN_OPERATOR_DIV:
    case KILN_OPERATOR_REM:
        if (!y || (!without_sign && b.integer == -1 && a.integer == INT64_MIN >> (64 - width)))
            return false;
        if (without_sign)
            value = op == KILN_OPERATOR_DIV ? x / y : x % y;
        else
            value =
                (uint64_t)(op == KILN_OPERATOR_DIV ? a.integer / b.integer : a.integer % b.integer);
        break;
    case KILN_OPERATOR_SHL:
        if (y >= width)
            return false;
        value = x << y;
        break;
    case KILN_OPERATOR_SHR:
        if (y >= width)
            return false;
        value = without_sign ? x >> y : (uint64_t)(a.integer >> y);
        break;
    case KILN_OPERATOR_AND:
        value = x & y;
        break;
    case KILN_OPERATOR_OR:
        value = x | y;
        break;
    case KILN_OPERATOR_XOR:
        value = x ^ y;
        break;
    case KILN_OPERATOR_LT:
        truth = less;
        goto comparison;
    case KILN_OPERATOR_GE:
        truth = !less;
        goto comparison;
    case KILN_OPERATOR_GT:
        truth = !less && x != y;
        goto comparison;
    case KILN_OPERATOR_LE:
        truth = less || x == y;
        goto comparison;
    case KILN_OPERATOR_EQ:
        truth = x == y;
        goto comparison;
    case KILN_OPERATOR_NE:
        truth = x != y;
        goto comparison;
    default:
        return false;
    }
    *out = kiln_constant_int(a.scalar, (int64_t)value);
    return true;
comparison:
    *out = kiln_constant_int(KILN_SCALAR_BOOL, truth);
    return true;
}

bool kiln_fold_convert(kiln_constant_t a, kiln_scalar_t to, kiln_constant_t *out)
{
    bool from_integer = is_integer(a.scalar);
    if (!from_integer && !folds_as_float(a.scalar)) // an 8-bit float's constant is not rounded yet
        return false;
    if (to == KILN_SCALAR_BOOL) {
        *out = kiln_constant_int(to, kiln_constant_is_true(a));
    } else if (from_integer && is_integer(to)) {
        *out = kiln_constant_int(to, a.integer);
    } else if (from_integer) {
        // Rounded once; to bf16 and 8 bits through f32, as the program does.
        bool by_float = to == KILN_SCALAR_F32 || to == KILN_SCALAR_BF16 || is_float8(to);
        uint64_t number = (uint64_t)a.integer;
        double value = a.scalar == KILN_SCALAR_U64
                           ? (by_float ? (double)(float)number : (double)number)
                           : (by_float ? (double)(float)a.integer : (double)a.integer);
        *out = kiln_constant_float(to, value);
    } else if (is_integer(to)) {
        // Out of range is undefined in C, so the program computes it.
        int bits = kiln_scalar_row(to)->bits;
        double whole = trunc(a.floating);
        double low = is_unsigned(to) ? 0.0 : -ldexp(1.0, bits - 1),
               high = ldexp(1.0, is_unsigned(to) ? bits : bits - 1);
        if (!(whole >= low && whole < high))
            return false;
        *out = kiln_constant_int(to, whole >= 0x1p63 ? (int64_t)(uint64_t)whole : (int64_t)whole);
    } else {
        // Rounded once; to 8 bits through f32, as the program does.
        bool by_float = a.scalar == KILN_SCALAR_F64 && is_float8(to);
        *out = kiln_constant_literal(to, by_float ? (double)(float)a.floating : a.floating, a.rest);
    }
    return true;
}
