// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numeric helpers that are too long to inline in a lane loop: 8-bit conversions and the three steps
// of division.
//
// The division helpers only work together. v_div_scale scales the operands by 2^64 so that the
// Newton steps neither overflow nor lose bits, v_div_fmas undoes the scaling (by 2^64, not by 2^32
// as the guide prints; the direction follows from the exponent of the quotient), and v_div_fixup
// inserts the special cases.
#include "core/numeric.h"

static uint8_t fp8_overflow(uint32_t sign, kiln_fp8_format_t format, kiln_overflow_t overflow)
{
    if (overflow == KILN_OVERFLOW_IEEE)
        return 0x80;
    (void)format;
    return (uint8_t)(sign | 0x7fu); // 0x7f is 240 in fp8 and 57344 in bf8
}

// Splits a finite non-zero magnitude for an 8-bit format: `*significand` has 23 fractional bits,
// `*shift` is the number of bits to drop.
static void fp8_split(uint32_t magnitude, kiln_fp8_format_t format, uint64_t *significand,
                      uint32_t *shift, int *biased)
{
    const int mantissa_bits = (int)kiln_fp8_mantissa(format), bias = (int)kiln_fp8_bias(format);
    const int exponent = magnitude < 0x800000u ? -126 : (int)(magnitude >> 23) - 127;
    *significand = (magnitude & 0x7fffffu) | (magnitude < 0x800000u ? 0 : 0x800000u);
    *biased = exponent + bias;
    int drop = 23 - mantissa_bits;
    if (*biased < 1) {
        drop += 1 - *biased;
        *biased = 1;
    }
    *shift = (uint32_t)(drop > 60 ? 60 : drop); // with 60, the rest is less than half anyway
}

static uint8_t fp8_join(uint32_t sign, uint32_t kept, int biased, kiln_fp8_format_t format,
                        kiln_overflow_t overflow)
{
    const uint32_t mantissa_bits = kiln_fp8_mantissa(format);
    // `kept` includes the hidden bit, which adds one to the exponent; without it the number is
    // subnormal.
    const uint32_t magnitude = ((uint32_t)(biased - 1) << mantissa_bits) + kept;
    if (magnitude > 0x7f)
        return fp8_overflow(sign, format, overflow);
    return (uint8_t)(magnitude ? sign | magnitude : 0);
}

uint8_t kiln_f32_to_fp8(float value, kiln_fp8_format_t format, kiln_overflow_t overflow)
{
    const uint32_t bits = kiln_bits_of_f32(value);
    const uint32_t magnitude = bits & 0x7fffffffu, sign = bits >> 24 & 0x80u;
    if (magnitude > 0x7f800000u)
        return 0x80;
    if (magnitude == 0x7f800000u)
        return fp8_overflow(sign, format, overflow);
    uint64_t significand;
    uint32_t shift;
    int biased;
    fp8_split(magnitude, format, &significand, &shift, &biased);
    const uint64_t kept = significand >> shift, rest = significand & ((1ull << shift) - 1),
                   half = 1ull << (shift - 1);
    const uint32_t up = rest > half || (rest == half && (kept & 1));
    return fp8_join(sign, (uint32_t)kept + up, biased, format, overflow);
}

uint8_t kiln_f32_to_fp8_stochastic(float value, uint32_t noise, kiln_fp8_format_t format,
                                   kiln_overflow_t overflow)
{
    const uint32_t bits = kiln_bits_of_f32(value);
    const uint32_t magnitude = bits & 0x7fffffffu, sign = bits >> 24 & 0x80u;
    if (magnitude > 0x7f800000u)
        return 0x80;
    if (magnitude == 0x7f800000u)
        return fp8_overflow(sign, format, overflow);
    uint64_t significand;
    uint32_t shift;
    int biased;
    fp8_split(magnitude, format, &significand, &shift, &biased);
    // The noise covers exactly the bits that a normal result drops. A subnormal result drops more
    // bits; the noise is aligned to the top of them.
    const uint32_t normal_drop = KILN_ELEMENT_F32_MANTISSA - kiln_fp8_mantissa(format);
    const uint64_t added =
        significand + ((uint64_t)(noise >> (32 - normal_drop)) << (shift - normal_drop));
    return fp8_join(sign, (uint32_t)(added >> shift), biased, format, overflow);
}

double kiln_fma_f32_odd(float a, float b, float c)
{
    const double product = (double)a * (double)b; // exact: 48 bits
    const double sum = product + (double)c;
    const double back = sum - product;
    const double lost = (product - (sum - back)) + ((double)c - back);
    uint64_t bits = kiln_bits_of_f64(sum);
    if (lost == 0.0 || lost != lost || (bits & 1))
        return sum;
    // The sum was rounded and is even: step towards the lost part, which makes it odd.
    const bool grow = (lost > 0.0) == (sum > 0.0);
    bits = grow ? bits + 1 : bits - 1;
    return kiln_f64_of_bits(bits);
}

static int biased_exponent_f32(float value)
{
    return (int)(kiln_bits_of_f32(value) >> 23 & 0xff);
}
static int biased_exponent_f64(double value)
{
    return (int)(kiln_bits_of_f64(value) >> 52 & 0x7ff);
}
static bool is_subnormal_f32(float value)
{
    return value != 0.0f && biased_exponent_f32(value) == 0;
}
static bool is_subnormal_f64(double value)
{
    return value != 0.0 && biased_exponent_f64(value) == 0;
}

const double kiln_exp2_limit = 1000.0;

// Whether |a / b| is below the smallest normal f32 but not zero. f64 is exact enough, since the
// bound is a power of two.
static bool quotient_is_subnormal_f32(float a, float b)
{
    const double quotient = fabs((double)a / (double)b);
    return quotient > 0.0 && quotient < 0x1p-126;
}

static bool quotient_is_subnormal_f64(double a, double b)
{
    const long double quotient = fabsl((long double)a / (long double)b);
    return quotient > 0.0L && quotient < 0x1p-1022L;
}

#define SAME_F32(a, b) (kiln_bits_of_f32(a) == kiln_bits_of_f32(b))
#define SAME_F64(a, b) (kiln_bits_of_f64(a) == kiln_bits_of_f64(b))

float kiln_div_scale_f32_any(float value, float denominator, float numerator, bool *needs_scaling)
{
    const int exponent_n = biased_exponent_f32(numerator),
              exponent_d = biased_exponent_f32(denominator);
    *needs_scaling = false;
    if (denominator == 0.0f || numerator == 0.0f)
        return NAN;
    const bool tiny_inverse = quotient_is_subnormal_f32(1.0f, denominator);
    const bool tiny_quotient = quotient_is_subnormal_f32(numerator, denominator);
    if (exponent_n - exponent_d >= 96) { // the quotient is close to the largest number
        *needs_scaling = true;
        return SAME_F32(value, denominator) ? ldexpf(value, 64) : value;
    }
    if (is_subnormal_f32(denominator))
        return ldexpf(value, 64);
    if (tiny_inverse && tiny_quotient) { // the guides print 64 here, which would overflow
        *needs_scaling = true;
        return SAME_F32(value, denominator) ? ldexpf(value, -64) : value;
    }
    if (tiny_inverse)
        return ldexpf(value, -64);
    if (tiny_quotient) {
        *needs_scaling = true;
        return SAME_F32(value, numerator) ? ldexpf(value, 64) : value;
    }
    if (exponent_n <= 23)
        return ldexpf(value, 64);
    return value;
}

double kiln_div_scale_f64(double value, double denominator, double numerator, bool *needs_scaling)
{
    const int exponent_n = biased_exponent_f64(numerator),
              exponent_d = biased_exponent_f64(denominator);
    *needs_scaling = false;
    if (denominator == 0.0 || numerator == 0.0)
        return (double)NAN;
    const bool tiny_inverse = quotient_is_subnormal_f64(1.0, denominator);
    const bool tiny_quotient = quotient_is_subnormal_f64(numerator, denominator);
    if (exponent_n - exponent_d >= 768) {
        *needs_scaling = true;
        return SAME_F64(value, denominator) ? ldexp(value, 128) : value;
    }
    if (is_subnormal_f64(denominator))
        return ldexp(value, 128);
    if (tiny_inverse && tiny_quotient) {
        *needs_scaling = true;
        return SAME_F64(value, denominator) ? ldexp(value, -128) : value;
    }
    if (tiny_inverse)
        return ldexp(value, -128);
    if (tiny_quotient) {
        *needs_scaling = true;
        return SAME_F64(value, numerator) ? ldexp(value, 128) : value;
    }
    if (exponent_n <= 53)
        return ldexp(value, 128);
    return value;
}

float kiln_div_fmas_f32_scaled(float a, float b, float c)
{
    const double fused = kiln_fma_f32_odd(a, b, c);
    return (float)(fused * (biased_exponent_f32(c) > 127 ? 0x1p64 : 0x1p-64));
}

double kiln_div_fmas_f64(double a, double b, double c, bool scaled)
{
    if (!scaled)
        return fma(a, b, c);
    const __float128 fused =
        (__float128)a * (__float128)b + (__float128)c; // the product is exact in 113 bits
    const __float128 scale = biased_exponent_f64(c) > 1023 ? 0x1p128 : 0x1p-128;
    return (double)(fused * scale);
}

// Whether zeros or infinities, not the significands, decide the quotient of two numbers.
static bool is_special_quotient(float denominator, float numerator, uint32_t sign, float *out)
{
    if ((denominator == 0.0f && numerator == 0.0f) || (isinf(denominator) && isinf(numerator)))
        *out = kiln_f32_of_bits(0xffc00000u);
    else if (denominator == 0.0f || isinf(numerator))
        *out = kiln_f32_of_bits(sign | 0x7f800000u);
    else if (isinf(denominator) || numerator == 0.0f)
        *out = kiln_f32_of_bits(sign);
    else
        return false;
    return true;
}

float kiln_div_fixup_f32_any(float quotient, float denominator, float numerator)
{
    const uint32_t sign =
        (kiln_bits_of_f32(denominator) ^ kiln_bits_of_f32(numerator)) & 0x80000000u;
    if (numerator != numerator)
        return kiln_f32_of_bits(kiln_bits_of_f32(numerator) | 0x400000u);
    if (denominator != denominator)
        return kiln_f32_of_bits(kiln_bits_of_f32(denominator) | 0x400000u);
    float special;
    if (is_special_quotient(denominator, numerator, sign, &special))
        return special;
    if (biased_exponent_f32(numerator) - biased_exponent_f32(denominator) < -150)
        return kiln_f32_of_bits(sign); // below half the smallest subnormal
    if (quotient != quotient)
        return kiln_f32_of_bits(
            sign | 0x7f800000u); // the scaled quotient overflowed, and inf - inf followed
    return kiln_f32_of_bits(sign | (kiln_bits_of_f32(quotient) & 0x7fffffffu));
}

double kiln_div_fixup_f64(double quotient, double denominator, double numerator)
{
    const uint64_t sign =
        (kiln_bits_of_f64(denominator) ^ kiln_bits_of_f64(numerator)) & 0x8000000000000000u;
    if (numerator != numerator)
        return kiln_f64_of_bits(kiln_bits_of_f64(numerator) | 0x8000000000000u);
    if (denominator != denominator)
        return kiln_f64_of_bits(kiln_bits_of_f64(denominator) | 0x8000000000000u);
    if ((denominator == 0.0 && numerator == 0.0) || (isinf(denominator) && isinf(numerator)))
        return kiln_f64_of_bits(0xfff8000000000000u);
    if (denominator == 0.0 || isinf(numerator))
        return kiln_f64_of_bits(sign | 0x7ff0000000000000u);
    if (isinf(denominator) || numerator == 0.0)
        return kiln_f64_of_bits(sign);
    if (biased_exponent_f64(numerator) - biased_exponent_f64(denominator) < -1075)
        return kiln_f64_of_bits(sign);
    if (quotient != quotient)
        return kiln_f64_of_bits(sign | 0x7ff0000000000000u);
    return kiln_f64_of_bits(sign | (kiln_bits_of_f64(quotient) & 0x7fffffffffffffffu));
}

float kiln_div_fixup_f16(float quotient, float denominator, float numerator)
{
    const uint32_t sign =
        (kiln_bits_of_f32(denominator) ^ kiln_bits_of_f32(numerator)) & 0x80000000u;
    if (numerator != numerator)
        return numerator;
    if (denominator != denominator)
        return denominator;
    float special;
    if (is_special_quotient(denominator, numerator, sign, &special))
        return special;
    return kiln_f32_of_bits(sign | (kiln_bits_of_f32(quotient) & 0x7fffffffu));
}
