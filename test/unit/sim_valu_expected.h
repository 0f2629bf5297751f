// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names in which sim_valu_cases.def states expected values: the operands of a lane as bits,
// numbers and halves, and the operations of the machine in terms of arithmetic.
//
// The short names (A, B, C) are macros that use a `const lane_t *l` in scope; the includer
// undefines them.
#ifndef KILN_TEST_SIM_VALU_EXPECTED_H
#define KILN_TEST_SIM_VALU_EXPECTED_H

#include <stdlib.h>

#include "sim_reference.h"

typedef struct lane {
    uint64_t a64, b64, c64, old64;
    unsigned vcc, s8, index;
    uint32_t acc1;
} lane_t;

#define A ((uint32_t)l->a64)
#define B ((uint32_t)l->b64)
#define C ((uint32_t)l->c64)
#define A64 l->a64
#define B64 l->b64
#define C64 l->c64
#define OLD ((uint32_t)l->old64)
#define OLD64 l->old64
#define VCC l->vcc
#define S8 l->s8
#define LANE l->index
#define ACC1 l->acc1
#define FA ((long double)reference_as_f32(A))
#define FB ((long double)reference_as_f32(B))
#define FC ((long double)reference_as_f32(C))
#define FA1 ((long double)reference_as_f32((uint32_t)(A64 >> 32)))
#define FB1 ((long double)reference_as_f32((uint32_t)(B64 >> 32)))
#define FC1 ((long double)reference_as_f32((uint32_t)(C64 >> 32)))
#define FS 1.5L                                 // s4
#define DS reference_as_f64(0x400200003fc00000) // s[4:5]
#define DA reference_as_f64(A64)
#define DB reference_as_f64(B64)
#define DC reference_as_f64(C64)
#define HA ((long double)reference_as_f16(A & 0xffff))
#define HB ((long double)reference_as_f16(B & 0xffff))
#define HC ((long double)reference_as_f16(C & 0xffff))
#define HA1 ((long double)reference_as_f16(A >> 16))
#define HB1 ((long double)reference_as_f16(B >> 16))
#define HC1 ((long double)reference_as_f16(C >> 16))
#define R32(x)                                                                                     \
    ((uint64_t)reference_f32_bits((float)reference_round(x, &reference_f32, REFERENCE_NEAREST)))
#define R16(x) ((uint64_t)reference_f16_bits(reference_round(x, &reference_f16, REFERENCE_NEAREST)))
// The value of an f16 given by its bits.
#define VALUE16(bits) ((long double)reference_as_f16((uint32_t)(bits)))
#define RZ16(x) ((uint64_t)reference_f16_bits(reference_round(x, &reference_f16, REFERENCE_ZERO)))
#define D64(x) reference_f64_bits(x)
#define L64(x) reference_f64_bits((double)(x))
#define FMA32(a, b, c) ((uint64_t)reference_f32_bits(fmaf((float)(a), (float)(b), (float)(c))))
#define MINI(a, b) ((a) < (b) ? (a) : (b))
#define MAXI(a, b) ((a) > (b) ? (a) : (b))
#define SAT(x, low, high) saturate(x, low, high)
#define I24(x) ((int32_t)(((x) & 0xffffff) ^ 0x800000) - 0x800000)
#define POP(x) population(x)
#define FTZ(bits)                                                                                  \
    ((long double)(fabsf(reference_as_f32(bits)) < 0x1p-126f                                       \
                       ? copysignf(0.0f, reference_as_f32(bits))                                   \
                       : reference_as_f32(bits)))
#define TRANS32(x) flush_result(x)
#define CLAMP32(x) R32(clamped(x))
#define CLAMP16(x) R16(clamped(reference_round(x, &reference_f16, REFERENCE_NEAREST)))
#define TOINT(x, low, high) to_integer(x, low, high)
#define SNAN32(x) (((x) & 0x7fffffff) > 0x7f800000 && ((x) & 0x7fffffff) < 0x7fc00000)
#define SNAN64(x) (((x) & INT64_MAX) > 0x7ff0000000000000 && ((x) & INT64_MAX) < 0x7ff8000000000000)
#define SNAN16(x) (((x) & 0x7fff) > 0x7c00 && ((x) & 0x7fff) < 0x7e00)

static int64_t saturate(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

static unsigned population(uint32_t x)
{
    unsigned count = 0;
    for (; x; x /= 2)
        count += x % 2;
    return count;
}

static uint64_t flush_result(long double x)
{
    return R32(x) & 0x7f800000 ? R32(x) : R32(x) & 0x80000000;
}
static long double clamped(long double x)
{
    return isnan(x) ? 0 : x < 0 ? 0 : x > 1 ? 1 : x == 0 ? 0 : x;
}

static uint32_t to_integer(long double x, long double low, long double high)
{
    return (uint32_t)(int64_t)(isnan(x) ? 0 : x < low ? low : x > high ? high : truncl(x));
}

// IEEE 754-2008 minNum and maxNum with -0 < +0, and IEEE mode's result for signalling NaNs.
static uint64_t extreme32(uint32_t a, uint32_t b, int sign)
{
    const float x = reference_as_f32(a), y = reference_as_f32(b);
    if (SNAN32(a) || SNAN32(b))
        return 0x7fc00000;
    if (isnan(x) || isnan(y))
        return isnan(x) ? b : a;
    if (x == y)
        return (signbit(x) != 0) == (sign < 0) ? a : b;
    return (x < y) == (sign < 0) ? a : b;
}
#define MIN32(a, b) extreme32((uint32_t)(a), (uint32_t)(b), -1)
#define MAX32(a, b) extreme32((uint32_t)(a), (uint32_t)(b), 1)

static uint64_t extreme16(uint32_t a, uint32_t b, int sign)
{
    const double x = reference_as_f16(a), y = reference_as_f16(b);
    if (SNAN16(a) || SNAN16(b))
        return 0x7e00;
    if (isnan(x) || isnan(y))
        return isnan(x) ? b : a;
    if (x == y)
        return (signbit(x) != 0) == (sign < 0) ? a : b;
    return (x < y) == (sign < 0) ? a : b;
}
#define MIN16(a, b) extreme16((uint32_t)(a), (uint32_t)(b), -1)
#define MAX16(a, b) extreme16((uint32_t)(a), (uint32_t)(b), 1)

static uint64_t MED32(uint32_t a, uint32_t b, uint32_t c)
{
    if (isnan(reference_as_f32(a)) || isnan(reference_as_f32(b)) || isnan(reference_as_f32(c)))
        return MIN32(MIN32(a, b), c);
    return MAX32(MIN32(a, b), MIN32(MAX32(a, b), c));
}

static uint64_t MED16(uint32_t a, uint32_t b, uint32_t c)
{
    if (isnan(reference_as_f16(a)) || isnan(reference_as_f16(b)) || isnan(reference_as_f16(c)))
        return MIN16(MIN16(a, b), c);
    return MAX16(MIN16(a, b), MIN16(MAX16(a, b), c));
}

static uint64_t extreme64(uint64_t a, uint64_t b, int sign)
{
    const double x = reference_as_f64(a), y = reference_as_f64(b);
    if (SNAN64(a) || SNAN64(b))
        return 0x7ff8000000000000;
    if (isnan(x) || isnan(y))
        return isnan(x) ? b : a;
    if (x == y)
        return (signbit(x) != 0) == (sign < 0) ? a : b;
    return (x < y) == (sign < 0) ? a : b;
}

static long double TURNS(long double x)
{
    return 6.28318530717958647692528676655900577L * (x - rintl(x));
}
static long double SINE(long double x)
{
    return isinf(x)               ? (long double)NAN
           : fabsl(x) > 256       ? 0
           : x == 0               ? x
           : fmodl(x * 2, 1) == 0 ? 0
                                  : sinl(TURNS(x));
}
static long double COSINE(long double x)
{
    return isinf(x)                      ? (long double)NAN
           : fabsl(x) > 256              ? 1
           : fmodl(fabsl(x) * 4, 2) == 1 ? 0
                                         : cosl(TURNS(x));
}

static uint32_t NORM(long double x, long double low, long double scale)
{
    return (uint32_t)(int32_t)rintl((isnan(x) ? 0 : x < low ? low : x > 1 ? 1 : x) * scale);
}

// The largest coordinate (z before y before x if they are equal) determines the face; the guide's
// table gives the other two.
static int cube_axis(long double x, long double y, long double z)
{
    return fabsl(z) >= fabsl(x) && fabsl(z) >= fabsl(y) ? 2 : fabsl(y) >= fabsl(x) ? 1 : 0;
}
static float cube_id(long double x, long double y, long double z)
{
    const long double major[] = {x, y, z};
    const int axis = cube_axis(x, y, z);
    return (float)(2 * axis + (major[axis] < 0));
}
static float cube_ma(long double x, long double y, long double z)
{
    const long double major[] = {x, y, z};
    return (float)(2 * major[cube_axis(x, y, z)]);
}
static float cube_sc(long double x, long double y, long double z)
{
    const long double table[] = {-z, z, x, x, x, -x};
    return (float)table[(int)cube_id(x, y, z)];
}
static float cube_tc(long double x, long double y, long double z)
{
    const long double table[] = {-y, -y, z, -z, -y, -y};
    return (float)table[(int)cube_id(x, y, z)];
}

// | in units of its last place in the format, plus noise below one unit, truncated.
static uint64_t STOCHASTIC8(long double x, uint32_t noise, int fraction_bits, int bias,
                            long double largest)
{
    if (isnan(x) || isinf(x))
        return 0x80;
    const int lowest = 1 - bias, exponent = x == 0 || ilogbl(x) < lowest ? lowest : ilogbl(x);
    const int noise_bits = 23 - fraction_bits;
    const long double unit = ldexpl(1, exponent - fraction_bits);
    const long double value =
        floorl(fabsl(x) / unit + ldexpl(noise >> (32 - noise_bits), -noise_bits)) * unit;
    if (value > largest)
        return 0x80;
    for (uint32_t byte = 1; byte < 128; byte++)
        if (reference_as_fp8(byte, fraction_bits, bias) == (double)value)
            return byte | (signbit(x) ? 0x80 : 0);
    return 0;
}

static uint64_t MEDI(int64_t a, int64_t b, int64_t c)
{
    return (uint64_t)(a + b + c - MAXI(MAXI(a, b), c) - MINI(MINI(a, b), c)) & 0xffffffff;
}

static uint64_t BFEI(uint32_t a, unsigned from, unsigned width)
{
    int64_t field = 0;
    for (unsigned i = 0; i < width; i++) // bits above 31 repeat the sign
        field += (int64_t)((a >> MINI(from + i, 31u)) & 1) << i;
    if (width && field >> (width - 1) & 1)
        field -= (int64_t)1 << width;
    return (uint32_t)field;
}

static uint64_t REV(uint32_t x)
{
    uint32_t result = 0;
    for (unsigned i = 0; i < 32; i++)
        result = result * 2 + (x >> i & 1);
    return result;
}

static uint64_t PERM(uint32_t a, uint32_t b, uint32_t selectors)
{
    uint8_t bytes[8], result[4];
    memcpy(bytes, &b, 4);
    memcpy(bytes + 4, &a, 4);
    for (unsigned i = 0; i < 4; i++) {
        const unsigned s = selectors >> 8 * i & 255;
        result[i] = s < 8     ? bytes[s]
                    : s < 12  ? (bytes[(s - 8) * 2 + 1] & 0x80 ? 255 : 0)
                    : s == 12 ? 0
                              : 255;
    }
    return (uint32_t)(result[0] | result[1] << 8 | result[2] << 16) | (uint32_t)result[3] << 24;
}

static uint32_t SAD8(uint32_t a, uint32_t b, int masked)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < 4; i++) {
        const int x = (int)(a >> 8 * i & 255), y = (int)(b >> 8 * i & 255);
        sum += masked && y == 0 ? 0 : (uint32_t)abs(x - y);
    }
    return sum;
}

static uint64_t QSAD(uint64_t a, uint32_t b, uint64_t c, int masked)
{
    uint64_t result = 0;
    for (unsigned i = 0; i < 4; i++)
        result |= (uint64_t)(uint16_t)(SAD8((uint32_t)(a >> 8 * i), b, masked) + (c >> 16 * i))
                  << 16 * i;
    return result;
}

static uint64_t LERP(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t result = 0;
    for (unsigned i = 0; i < 32; i += 8)
        result += (uint64_t)(((a >> i) % 256 + (b >> i) % 256 + (c >> i) % 2) / 2) << i;
    return result;
}

static int64_t DOTI(uint32_t a, uint32_t b, unsigned bits)
{
    int64_t sum = 0;
    for (unsigned i = 0; i < 32; i += bits) {
        const int64_t x = a >> i & ((1u << bits) - 1), y = b >> i & ((1u << bits) - 1),
                      half = 1 << (bits - 1);
        sum += (x >= half ? x - 2 * half : x) * (y >= half ? y - 2 * half : y);
    }
    return sum;
}

static uint64_t DOTU(uint32_t a, uint32_t b, unsigned bits)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < 32; i += bits)
        sum += (uint64_t)(a >> i & ((1u << bits) - 1)) * (b >> i & ((1u << bits) - 1));
    return sum;
}

static long double flushed16(uint32_t bits)
{
    return fabs(reference_as_f16(bits)) < 0x1p-14 ? copysignl(0, reference_as_f16(bits))
                                                  : (long double)reference_as_f16(bits);
}

static uint64_t DOT2(uint32_t a, uint32_t b, uint32_t c)
{
    return flush_result(flushed16(a & 0xffff) * flushed16(b & 0xffff) +
                        flushed16(a >> 16) * flushed16(b >> 16) + FTZ(c));
}

static uint64_t NEAR8(long double x, int fraction_bits, int bias, double largest)
{
    uint32_t best = 0;
    if (isnan(x) || fabsl(x) >= largest * (fraction_bits == 3 ? 31.0 / 30 : 15.0 / 14))
        return 0x80;
    for (uint32_t byte = 1; byte < 128; byte++) {
        const long double d = fabsl(reference_as_fp8(byte, fraction_bits, bias) - fabsl(x)),
                          e = fabsl(reference_as_fp8(best, fraction_bits, bias) - fabsl(x));
        best = d < e || (d == e && byte % 2 == 0) ? byte : best;
    }
    return best && signbit(x) ? best | 0x80 : best;
}

static long double FRACT(long double x, long double largest)
{
    const long double part = isinf(x) ? (long double)NAN : x - floorl(x);
    return part > largest ? largest : part;
}

static int FREXPE(long double x)
{
    int e = 0;
    if (isfinite(x))
        frexpl(x, &e);
    return e;
}

static long double FREXPM(long double x)
{
    int e;
    return isfinite(x) ? frexpl(x, &e) : x;
}

static uint32_t CLASS(long double x, bool signalling, int largest_subnormal_exponent)
{
    const bool negative = signbit(x);
    if (isnan(x))
        return signalling ? 1 : 2;
    if (isinf(x))
        return negative ? 4 : 512;
    if (x == 0)
        return negative ? 32 : 64;
    if (fabsl(x) < ldexpl(1, -largest_subnormal_exponent))
        return negative ? 16 : 128;
    return negative ? 8 : 256;
}

#endif
