// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Number formats of the vector ALU: f16, bf16, fp8/bf8 (FNUZ), the division helpers, and the
// transcendental functions.
//
// Everything that an instruction row calls for each lane is a branch-free inline function, so that
// a loop over 64 lanes vectorizes. Conversions take the rounding mode in MODE's encoding and work
// on bits, independently of the host's rounding mode. The functions here keep denormals; the code
// around the rows (exec/valu.c) flushes them as MODE requires.
#ifndef KILN_SIM_NUMERIC_H
#define KILN_SIM_NUMERIC_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/float_format.h"

// MODE's encoding of rounding.
typedef enum kiln_round {
    KILN_ROUND_NEAREST_EVEN = 0,
    KILN_ROUND_PLUS_INF = 1,
    KILN_ROUND_MINUS_INF = 2,
    KILN_ROUND_ZERO = 3,
} kiln_round_t;

// The result for a finite value that is too large for its format: that of the rounding mode, or
// ±max under MODE.FP16_OVFL.
typedef enum kiln_overflow {
    KILN_OVERFLOW_IEEE = 0,
    KILN_OVERFLOW_CLAMP = 1,
} kiln_overflow_t;

// The 8-bit formats of gfx942. Both are FNUZ: no infinity, no negative zero, and 0x80 is the only
// NaN.
typedef enum kiln_fp8_format {
    KILN_FP8 = 0, // e4m3, max 240
    KILN_BF8 = 1, // e5m2, max 57344
} kiln_fp8_format_t;

static inline uint32_t kiln_fp8_mantissa(kiln_fp8_format_t format)
{
    return format == KILN_FP8 ? KILN_ELEMENT_F8E4M3FNUZ_MANTISSA : KILN_ELEMENT_F8E5M2FNUZ_MANTISSA;
}

static inline uint32_t kiln_fp8_bias(kiln_fp8_format_t format)
{
    return format == KILN_FP8 ? KILN_ELEMENT_F8E4M3FNUZ_BIAS : KILN_ELEMENT_F8E5M2FNUZ_BIAS;
}

static inline float kiln_f32_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t kiln_bits_of_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double kiln_f64_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t kiln_bits_of_f64(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// 2^n for n in the normal range of f64; saturates outside [-1022, 1023].
static inline double kiln_f64_power_of_two(int n)
{
    n = n < -1022 ? -1022 : n > 1023 ? 1023 : n;
    return kiln_f64_of_bits((uint64_t)(unsigned)(n + 1023) << 52);
}

static inline float kiln_f16_to_f32(uint16_t half)
{
    const uint32_t magnitude = half & 0x7fffu;
    const uint32_t normal = (magnitude << 13) + (112u << 23);
    const uint32_t special = (magnitude << 13) | 0x7f800000u;
    const uint32_t subnormal = kiln_bits_of_f32((float)(int32_t)magnitude * 0x1p-24f);
    const uint32_t bits = magnitude < 0x400u ? subnormal : magnitude < 0x7c00u ? normal : special;
    return kiln_f32_of_bits(bits | (uint32_t)(half & 0x8000u) << 16);
}

// Whether a discarded remainder rounds the magnitude up by one unit. `above` and `at` compare the
// remainder with one half; `odd` is the lowest kept bit.
static inline uint32_t kiln_round_up(kiln_round_t round, uint32_t negative, uint32_t odd,
                                     uint32_t inexact, uint32_t above, uint32_t at)
{
    return round == KILN_ROUND_NEAREST_EVEN ? above | (at & odd)
           : round == KILN_ROUND_PLUS_INF   ? inexact & (negative ^ 1)
           : round == KILN_ROUND_MINUS_INF  ? inexact & negative
                                            : 0;
}

static inline uint16_t kiln_f32_to_f16_mode(float value, kiln_round_t round,
                                            kiln_overflow_t overflow)
{
    const uint32_t bits = kiln_bits_of_f32(value);
    const uint32_t negative = bits >> 31;
    const uint32_t magnitude = bits & 0x7fffffffu;
    const uint32_t exponent = magnitude >> 23;
    const uint32_t significand = (magnitude & 0x7fffffu) | (exponent ? 0x800000u : 0u);
    const uint32_t shift = exponent >= 113 ? 13 : exponent >= 96 ? 126 - exponent : 31;
    const uint32_t kept = significand >> shift;
    const uint32_t rest = significand & ((1u << shift) - 1);
    const uint32_t half = 1u << (shift - 1);
    const uint32_t up =
        kiln_round_up(round, negative, kept & 1, rest != 0, rest > half, rest == half);
    const uint32_t finite = (exponent >= 113 ? (exponent - 113) << 10 : 0) + kept + up;
    const bool to_max = overflow == KILN_OVERFLOW_CLAMP || round == KILN_ROUND_ZERO ||
                        (round == KILN_ROUND_PLUS_INF && negative) ||
                        (round == KILN_ROUND_MINUS_INF && !negative);
    const uint32_t rounded = finite < 0x7c00u ? finite : to_max ? 0x7bffu : 0x7c00u;
    const uint32_t nan = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
    const uint32_t result = magnitude > 0x7f800000u    ? nan
                            : magnitude == 0x7f800000u ? 0x7c00u
                                                       : rounded;
    return (uint16_t)(result | negative << 15);
}

static inline uint16_t kiln_f32_to_f16(float value)
{
    return kiln_f32_to_f16_mode(value, KILN_ROUND_NEAREST_EVEN, KILN_OVERFLOW_IEEE);
}

// f64 to f32 rounded to odd: if bits are lost, the last bit becomes 1, so that a later rounding to
// f16 in any mode is the only rounding.
static inline float kiln_f64_to_f32_odd(double value)
{
    const float nearest = (float)value;
    const double lost = value - (double)nearest; // exact, or infinite where f32 overflows
    const uint32_t bits = kiln_bits_of_f32(nearest);
    const uint32_t towards = (lost > 0.0) == (bits >> 31 == 0) ? bits + 1 : bits - 1;
    const uint32_t is_rounded = (uint32_t)(lost > 0.0 || lost < 0.0) & (bits & 1 ? 0u : 1u);
    return kiln_f32_of_bits(is_rounded && value - value == 0.0 ? towards : bits);
}

static inline float kiln_bf16_to_f32(uint16_t bits)
{
    return kiln_f32_of_bits((uint32_t)bits << 16);
}

// Rounds to nearest even; NaN stays a (quiet) NaN. The packed bf16 atomics round this way.
static inline uint16_t kiln_f32_to_bf16(float value)
{
    const uint32_t bits = kiln_bits_of_f32(value);
    const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? (bits >> 16) | 0x40u : rounded);
}

static inline float kiln_fp8_to_f32(uint8_t byte, kiln_fp8_format_t format)
{
    const uint32_t mantissa_bits = kiln_fp8_mantissa(format), bias = kiln_fp8_bias(format);
    const uint32_t magnitude = byte & 0x7fu;
    const uint32_t normal = (magnitude << (23 - mantissa_bits)) + ((127 - bias) << 23);
    const float unit = format == KILN_FP8 ? 0x1p-10f : 0x1p-17f;
    const uint32_t subnormal = kiln_bits_of_f32((float)(int32_t)magnitude * unit);
    const uint32_t bits = (magnitude >> mantissa_bits) == 0 ? subnormal : normal;
    return kiln_f32_of_bits(byte == 0x80 ? 0x7fc00000u : bits | (uint32_t)(byte & 0x80u) << 24);
}

// Rounds to nearest even. Overflow and infinity give NaN (0x80), or ±max with KILN_OVERFLOW_CLAMP.
// -0 and values that round to it give 0.
uint8_t kiln_f32_to_fp8(float value, kiln_fp8_format_t format, kiln_overflow_t overflow);

// Stochastic rounding: adds the top bits of `noise` below the kept mantissa (20 bits for fp8, 21
// for bf8), then truncates.
uint8_t kiln_f32_to_fp8_stochastic(float value, uint32_t noise, kiln_fp8_format_t format,
                                   kiln_overflow_t overflow);

// Float to integer as v_cvt does it: truncates and saturates; NaN gives 0.
static inline int32_t kiln_f64_to_i32(double value)
{
    const double bounded = value >= 2147483647.0    ? 2147483647.0
                           : value <= -2147483648.0 ? -2147483648.0
                                                    : value;
    return value != value ? 0 : (int32_t)bounded;
}

static inline uint32_t kiln_f64_to_u32(double value)
{
    const double bounded = value >= 4294967295.0 ? 4294967295.0
                           : value >= 0.0        ? value
                                                 : 0.0; // NaN compares false: 0
    return (uint32_t)(int64_t)bounded;
}

// Sum of f32 rounded to odd: if bits are lost, the last bit becomes 1, so that a later rounding to
// f16 in any mode is the only rounding. The arguments are far from f32's limits: f16 numbers, or
// products of two.
static inline float kiln_sum_odd(float a, float b)
{
    b = a != a ? a : b; // of two NaNs, the first is the result in every build
    const float sum = a + b, back = sum - a;
    const float lost = (a - (sum - back)) + (b - back);
    const uint32_t bits = kiln_bits_of_f32(sum);
    const uint32_t towards = (lost > 0.0f) == (sum > 0.0f) ? bits + 1 : bits - 1;
    const bool is_rounded =
        (lost > 0.0f || lost < 0.0f) && !(bits & 1); // NaN where the sum is not finite
    return kiln_f32_of_bits(is_rounded ? towards : bits);
}

// Fused multiply-add of f32, rounded to odd in f64: a later rounding to f32, scaled or not, is then
// the only rounding.
double kiln_fma_f32_odd(float a, float b, float c);

// v_div_scale, v_div_fmas, v_div_fixup. In all three, `quotient`/`value` is S0, `denominator` S1
// and `numerator` S2, as in the guide.
float kiln_div_scale_f32_any(float value, float denominator, float numerator, bool *needs_scaling);
double kiln_div_scale_f64(double value, double denominator, double numerator, bool *needs_scaling);
float kiln_div_fmas_f32_scaled(float a, float b, float c);
double kiln_div_fmas_f64(double a, double b, double c, bool scaled);
float kiln_div_fixup_f32_any(float quotient, float denominator, float numerator);

// Whether both operands are normal, and they, their quotient and the denominator's inverse are far
// from the limits of f32: no scaling and no special case applies.
static inline bool kiln_div_is_plain_f32(float denominator, float numerator)
{
    const uint32_t n = kiln_bits_of_f32(numerator) >> 23 & 0xff,
                   d = kiln_bits_of_f32(denominator) >> 23 & 0xff;
    return (n - 24u <= 254u - 24u) & (d - 1u <= 250u - 1u) & (n - d + 124u <= 95u + 124u);
}

static inline float kiln_div_scale_f32(float value, float denominator, float numerator,
                                       bool *needs_scaling)
{
    if (!kiln_div_is_plain_f32(denominator, numerator))
        return kiln_div_scale_f32_any(value, denominator, numerator, needs_scaling);
    *needs_scaling = false;
    return value;
}

static inline float kiln_div_fmas_f32(float a, float b, float c, bool scaled)
{
    return scaled ? kiln_div_fmas_f32_scaled(a, b, c) : fmaf(a, b, c);
}

static inline float kiln_div_fixup_f32(float quotient, float denominator, float numerator)
{
    if (!kiln_div_is_plain_f32(denominator, numerator) || quotient != quotient)
        return kiln_div_fixup_f32_any(quotient, denominator, numerator);
    const uint32_t sign =
        (kiln_bits_of_f32(denominator) ^ kiln_bits_of_f32(numerator)) & 0x80000000u;
    return kiln_f32_of_bits(sign | (kiln_bits_of_f32(quotient) & 0x7fffffffu));
}

double kiln_div_fixup_f64(double quotient, double denominator, double numerator);
float kiln_div_fixup_f16(float quotient, float denominator,
                         float numerator); // operands are f16 values

// 2^x, log2 x, sin 2πx, cos 2πx by f64 polynomials, accurate to about 2^-46: all f32 results but a
// few in a million are the nearest. The hardware's tables are not public and are accurate to one
// unit in the last place.
static inline double kiln_exp2_part(double y) // e^y for |y| up to ln 2 / 2
{
    double sum = 1.0 / 479001600.0;
    sum = sum * y + 1.0 / 39916800.0;
    sum = sum * y + 1.0 / 3628800.0;
    sum = sum * y + 1.0 / 362880.0;
    sum = sum * y + 1.0 / 40320.0;
    sum = sum * y + 1.0 / 5040.0;
    sum = sum * y + 1.0 / 720.0;
    sum = sum * y + 1.0 / 120.0;
    sum = sum * y + 1.0 / 24.0;
    sum = sum * y + 1.0 / 6.0;
    sum = sum * y + 0.5;
    sum = sum * y + 1.0;
    return sum * y + 1.0;
}

static inline double kiln_exp2(double x)
{
    x = x > 1100.0 ? 1100.0 : x < -1100.0 ? -1100.0 : x; // NaN passes
    const double whole = rint(x != x ? 0.0 : x);
    const double sum = kiln_exp2_part((x - whole) * 0.693147180559945309417);
    const int half = (int)whole / 2;
    return sum * kiln_f64_power_of_two(half) * kiln_f64_power_of_two((int)whole - half);
}

// 1000. A constant would be folded, and its power be rounded to nearest in every mode.
extern const double kiln_exp2_limit;

// The same of a number whose power is needed as an f32: the argument is limited so that 2^x is
// normal in f64, and the exponent is added to the sum's. Adding `shift` rounds x to an integer,
// which is in the sum's low bits.
static inline float kiln_exp2_f32(float argument)
{
    const double shift = 0x1.8p52;
    double x = (double)argument;
    x = x > kiln_exp2_limit    ? kiln_exp2_limit
        : x < -kiln_exp2_limit ? -kiln_exp2_limit
                               : x; // NaN passes
    const double rounded = x + shift;
    const double sum = kiln_exp2_part((x - (rounded - shift)) * 0.693147180559945309417);
    return (float)kiln_f64_of_bits(kiln_bits_of_f64(sum) + (kiln_bits_of_f64(rounded) << 52));
}

// The argument is an f32 or f16, so it is never subnormal in f64.
static inline double kiln_log2(double x)
{
    const uint64_t bits = kiln_bits_of_f64(x);
    int exponent = (int)((bits >> 52) & 0x7ff) - 1023;
    double m = kiln_f64_of_bits((bits & 0xfffffffffffffu) | 0x3ff0000000000000u);
    const int high = m > 1.41421356237309504880;
    m = high ? m * 0.5 : m;
    exponent += high;
    const double s = (m - 1.0) / (m + 1.0), z = s * s;
    double sum = 1.0 / 19.0;
    sum = sum * z + 1.0 / 17.0;
    sum = sum * z + 1.0 / 15.0;
    sum = sum * z + 1.0 / 13.0;
    sum = sum * z + 1.0 / 11.0;
    sum = sum * z + 1.0 / 9.0;
    sum = sum * z + 1.0 / 7.0;
    sum = sum * z + 1.0 / 5.0;
    sum = sum * z + 1.0 / 3.0;
    sum = sum * z + 1.0;
    const double result = (double)exponent + sum * s * (2.0 * 1.44269504088896340736);
    const double special = x == 0.0 ? -INFINITY : x < 0.0 ? NAN : x; // +inf and NaN pass through
    return x > 0.0 && x < INFINITY ? result : special;
}

// sin(2π(r + quarter/4)) for r = x - rint(4x)/4: the quarter selects the polynomial and the sign.
static inline double kiln_sine_of_turns(double x, int quarters)
{
    const double quarter = rint(x * 4.0);
    const double y = (x - quarter * 0.25) * 6.28318530717958647693, z = y * y;
    double sine = -1.0 / 1307674368000.0;
    sine = sine * z + 1.0 / 6227020800.0;
    sine = sine * z - 1.0 / 39916800.0;
    sine = sine * z + 1.0 / 362880.0;
    sine = sine * z - 1.0 / 5040.0;
    sine = sine * z + 1.0 / 120.0;
    sine = sine * z - 1.0 / 6.0;
    sine = sine * z * y + y;
    double cosine = 1.0 / 20922789888000.0;
    cosine = cosine * z - 1.0 / 87178291200.0;
    cosine = cosine * z + 1.0 / 479001600.0;
    cosine = cosine * z - 1.0 / 3628800.0;
    cosine = cosine * z + 1.0 / 40320.0;
    cosine = cosine * z - 1.0 / 720.0;
    cosine = cosine * z + 1.0 / 24.0;
    cosine = cosine * z - 0.5;
    cosine = cosine * z + 1.0;
    const int turn = (int)quarter + quarters;
    const double value = turn & 1 ? cosine : sine;
    return turn & 2 ? 0.0 - value : value; // zeros are positive
}

// Beyond ±256 turns the hardware gives sin = 0 and cos = 1; infinities give NaN.
static inline double kiln_sin_turns(double x)
{
    const bool inside = x >= -256.0 && x <= 256.0;
    const double value = kiln_sine_of_turns(inside ? x : 0.0, 0);
    return inside ? (x == 0.0 ? x : value) : x - x == 0.0 ? 0.0 : NAN;
}

static inline double kiln_cos_turns(double x)
{
    const bool inside = x >= -256.0 && x <= 256.0;
    const double value = kiln_sine_of_turns(inside ? x : 0.0, 1);
    return inside ? value : x - x == 0.0 ? 1.0 : NAN;
}

#endif
