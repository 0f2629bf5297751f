// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected values for the simulator's tests, computed by arithmetic instead of bit operations: a
// format is a number of fraction bits and a smallest exponent, rounding is a floor and a comparison
// in long double. Independent of the code under test.
#ifndef KILN_TEST_SIM_REFERENCE_H
#define KILN_TEST_SIM_REFERENCE_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct reference_format {
    int fraction_bits, min_exponent, max_exponent;
} reference_format_t;

static const reference_format_t reference_f16 __attribute__((unused)) = {10, -14, 15};
static const reference_format_t reference_bf16 __attribute__((unused)) = {7, -126, 127};
static const reference_format_t reference_f32 __attribute__((unused)) = {23, -126, 127};
static const reference_format_t reference_f64 __attribute__((unused)) = {52, -1022, 1023};

enum { REFERENCE_NEAREST, REFERENCE_UP, REFERENCE_DOWN, REFERENCE_ZERO }; // as MODE encodes them

// A finite value rounded to a format; overflow gives infinity or the largest number, depending on
// the mode.
static inline long double reference_round(long double value, const reference_format_t *format,
                                          int mode)
{
    if (value == 0.0L || isnan(value) || isinf(value))
        return value;
    int exponent = ilogbl(value);
    if (exponent < format->min_exponent)
        exponent = format->min_exponent;
    const long double unit = ldexpl(1.0L, exponent - format->fraction_bits);
    const long double scaled = value / unit, down = floorl(scaled), rest = scaled - down;
    long double whole = down;
    if (mode == REFERENCE_NEAREST)
        whole = rest > 0.5L || (rest == 0.5L && fmodl(down, 2.0L) != 0.0L) ? down + 1 : down;
    else if (mode == REFERENCE_UP)
        whole = rest > 0.0L ? down + 1 : down;
    else if (mode == REFERENCE_ZERO)
        whole = truncl(scaled);
    const long double result = whole * unit;
    const long double largest =
        ldexpl(2.0L - ldexpl(1.0L, -format->fraction_bits), format->max_exponent);
    if (fabsl(result) > largest) {
        const bool stays = mode == REFERENCE_ZERO || (mode == REFERENCE_UP && value < 0) ||
                           (mode == REFERENCE_DOWN && value > 0);
        return copysignl(stays ? largest : (long double)INFINITY, value);
    }
    return copysignl(result, value);
}

static inline float reference_as_f32(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline double reference_as_f64(uint64_t bits)
{
    double f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint32_t reference_f32_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static inline uint64_t reference_f64_bits(double f)
{
    uint64_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

// The value of an f16 by its definition.
static inline double reference_as_f16(uint32_t bits)
{
    const int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
    const double magnitude = exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                             : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                            : ldexp(fraction, -24);
    return bits & 0x8000 ? -magnitude : magnitude;
}

// The bits of a value that an f16 holds exactly (or infinity or NaN).
static inline uint32_t reference_f16_bits(long double value)
{
    const uint32_t sign = signbit(value) ? 0x8000 : 0;
    if (isnan(value))
        return 0x7e00;
    if (isinf(value))
        return sign | 0x7c00;
    const long double magnitude = fabsl(value);
    if (magnitude == 0.0L)
        return sign;
    if (magnitude < 0x1p-14L)
        return sign | (uint32_t)(magnitude * 0x1p24L);
    const int exponent = ilogbl(magnitude);
    return sign | (uint32_t)(exponent + 15) << 10 |
           ((uint32_t)ldexpl(magnitude, 10 - exponent) - 1024);
}

static inline double reference_as_fp8(uint32_t byte, int fraction_bits, int bias)
{
    const int exponent = (int)(byte >> fraction_bits & (0x7fu >> fraction_bits)),
              fraction = (int)(byte & ((1u << fraction_bits) - 1));
    if (byte == 0x80)
        return (double)NAN;
    const double magnitude =
        exponent ? ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits)
                 : ldexp(fraction, 1 - bias - fraction_bits);
    return byte & 0x80 ? -magnitude : magnitude;
}

// A generator good enough for test data.
static inline uint64_t reference_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * 0x2545f4914f6cdd1dull;
}

#endif
