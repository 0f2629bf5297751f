// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the bits of every float format to double, exactly, and back.
#include "number.h"

#include <math.h>
#include <string.h>

#include <mlir-c/BuiltinTypes.h>

#include "base/float_format.h"
#include "kiln/dialects.h"

// A row of the table of element types.
#define NUMBER(id)                                                                                 \
    {(kiln_number_class_t)KILN_ELEMENT_##id##_KIND, KILN_ELEMENT_##id##_BITS,                      \
     KILN_ELEMENT_##id##_EXPONENT, KILN_ELEMENT_##id##_MANTISSA, KILN_ELEMENT_##id##_BIAS}

const kiln_number_t kiln_number_f16 = NUMBER(F16), kiln_number_bf16 = NUMBER(BF16),
                    kiln_number_e4m3 = NUMBER(F8E4M3FN), kiln_number_e5m2 = NUMBER(F8E5M2);
static const kiln_number_t f32 = NUMBER(F32), f64 = NUMBER(F64), e4m3fnuz = NUMBER(F8E4M3FNUZ),
                           e5m2fnuz = NUMBER(F8E5M2FNUZ);

// The formats below 8 bits have only finite values. They share the class with a NaN, but none of
// their codes decodes to it.
const kiln_number_t kiln_number_e2m3 = {KILN_NUMBER_FLOAT_FNUZ, 6, 2, 3, 1},
                    kiln_number_e3m2 = {KILN_NUMBER_FLOAT_FNUZ, 6, 3, 2, 3},
                    kiln_number_e2m1 = {KILN_NUMBER_FLOAT_FNUZ, 4, 2, 1, 1};

bool kiln_number_of(MlirType type, kiln_number_t *out)
{
    if (mlirTypeIsAInteger(type) &&
        (mlirIntegerTypeGetWidth(type) > 64 || !mlirIntegerTypeGetWidth(type)))
        return false;
    if (mlirTypeIsAInteger(type))
        *out = (kiln_number_t){KILN_NUMBER_INTEGER, (int)mlirIntegerTypeGetWidth(type), 0, 0, 0};
    else if (mlirTypeIsAIndex(type))
        *out = (kiln_number_t){KILN_NUMBER_INTEGER, 64, 0, 0, 0};
    else if (kiln_type_is_ptr(type))
        *out = (kiln_number_t){KILN_NUMBER_POINTER, 64, 0, 0, 0};
    else if (mlirTypeIsAF32(type))
        *out = f32;
    else if (mlirTypeIsAF16(type))
        *out = kiln_number_f16;
    else if (mlirTypeIsABF16(type))
        *out = kiln_number_bf16;
    else if (mlirTypeIsAF64(type))
        *out = f64;
    else if (mlirTypeIsAFloat8E4M3FN(type))
        *out = kiln_number_e4m3;
    else if (mlirTypeIsAFloat8E5M2(type))
        *out = kiln_number_e5m2;
    else if (mlirTypeIsAFloat8E4M3FNUZ(type))
        *out = e4m3fnuz;
    else if (mlirTypeIsAFloat8E5M2FNUZ(type))
        *out = e5m2fnuz;
    else
        return false;
    return out->bits >= 1 && out->bits <= 64;
}

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t to_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

double kiln_number_decode(kiln_number_t n, uint64_t bits)
{
    if (n.bits == 64)
        return from_bits(bits);
    if (n.bits == 32) {
        uint32_t word = (uint32_t)bits;
        float value;
        memcpy(&value, &word, sizeof value);
        return (double)value;
    }
    uint64_t sign = (bits >> (n.bits - 1) & 1) << 63,
             magnitude = bits & ((UINT64_C(1) << (n.bits - 1)) - 1);
    uint64_t top = ((UINT64_C(1) << n.exponent_bits) - 1) << n.mantissa_bits;
    if (n.kind == KILN_NUMBER_FLOAT && magnitude >= top)
        return from_bits(sign | to_bits(magnitude > top
                                            ? (double)NAN
                                            : (double)INFINITY)); // copysign needs a NaN's sign
    if (n.kind == KILN_NUMBER_FLOAT_FN && magnitude == (UINT64_C(1) << (n.bits - 1)) - 1)
        return (double)NAN;
    if (n.kind == KILN_NUMBER_FLOAT_FNUZ && n.bits == 8 && sign && !magnitude)
        return (double)NAN;
    if (magnitude >> n.mantissa_bits == 0)
        return from_bits(sign | to_bits(ldexp((double)magnitude, 1 - n.bias - n.mantissa_bits)));
    uint64_t exponent = (magnitude >> n.mantissa_bits) + (uint64_t)(1023 - n.bias);
    uint64_t mantissa = magnitude & ((UINT64_C(1) << n.mantissa_bits) - 1);
    return from_bits(sign | exponent << 52 | mantissa << (52 - n.mantissa_bits));
}

static uint64_t encode(kiln_number_t n, double value, kiln_float_rounding_t rounding)
{
    const kiln_float_format_t format = {(kiln_element_kind_t)n.kind, n.exponent_bits,
                                        n.mantissa_bits, n.bias};
    return kiln_float_encode(format, value, rounding, n.bits <= 8);
}

uint64_t kiln_number_encode(kiln_number_t n, double value)
{
    if (n.bits == 64)
        return to_bits(value);
    if (n.bits == 32) {
        float narrow = (float)value;
        uint32_t word;
        memcpy(&word, &narrow, sizeof word);
        return word;
    }
    return encode(n, value, KILN_FLOAT_NEAREST_EVEN);
}

uint64_t kiln_number_convert(kiln_number_t n, double value, kiln_float_rounding_t rounding)
{
    return n.bits == 64 ? to_bits(value) : encode(n, value, rounding);
}

// Below 64 bits the product is exact in double, and a sum rounded to odd (the last bit set if the
// sum is inexact) can be rounded again without double rounding.
uint64_t kiln_number_fma(kiln_number_t n, uint64_t a, uint64_t b, uint64_t c)
{
    double x = kiln_number_decode(n, a), y = kiln_number_decode(n, b), z = kiln_number_decode(n, c);
    if (n.bits == 64)
        return to_bits(fma(x, y, z));
    double product = x * y, sum = product + z;
    if (isfinite(sum) && isfinite(product)) {
        double back = sum - product, lost = (product - (sum - back)) + (z - back);
        if (lost != 0 && !(to_bits(sum) & 1))
            sum = nextafter(sum, lost > 0 ? (double)INFINITY : -(double)INFINITY);
    }
    return encode(n, sum, KILN_FLOAT_NEAREST_EVEN);
}
