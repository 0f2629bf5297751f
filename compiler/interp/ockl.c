// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ockl's integer functions. As in the instructions, only the low five bits of a shift amount or
// width count.
#include "interp/ockl.h"

#include "builder/device_function.h"

#define FUNCTION(name, expression)                                                                 \
    static uint64_t name(kiln_number_t n, const uint64_t *x)                                       \
    {                                                                                              \
        (void)n, (void)x;                                                                          \
        return (uint64_t)(expression);                                                             \
    }
#define S(i) kiln_number_signed(n, x[i])

static uint64_t clamp_signed(kiln_number_t n, __int128 value)
{
    __int128 max = (__int128)(kiln_number_mask(n) >> 1);
    return (uint64_t)(value > max ? max : value < -max - 1 ? -max - 1 : value);
}
static uint64_t clamp_unsigned(kiln_number_t n, __int128 value)
{
    __int128 max = (__int128)kiln_number_mask(n);
    return (uint64_t)(value > max ? max : value < 0 ? 0 : value);
}
static uint64_t low_bits(uint64_t count)
{
    return (UINT64_C(1) << count) - 1;
}
static int64_t extract_signed(const uint64_t *x)
{
    uint64_t width = x[2] & 31;
    int64_t value = (int32_t)x[0] >> (x[1] & 31);
    return width ? (int64_t)((uint64_t)value << (64 - width)) >> (64 - width) : 0;
}
static int64_t middle(int64_t a, int64_t b, int64_t c)
{
    int64_t low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}
static uint64_t sum_of_differences(const uint64_t *x, int bits, bool skips_zero)
{
    uint64_t sum = x[2], mask = low_bits((uint64_t)bits);
    for (int at = 0; at < 32; at += bits) {
        uint64_t a = x[0] >> at & mask, b = x[1] >> at & mask;
        sum += skips_zero && !b ? 0 : a > b ? a - b : b - a;
    }
    return sum;
}
static uint64_t average_of_bytes(const uint64_t *x)
{
    uint64_t result = 0;
    for (int at = 0; at < 32; at += 8)
        result |= ((x[0] >> at & 255) + (x[1] >> at & 255) + (x[2] >> at & 1)) >> 1 << at;
    return result;
}

FUNCTION(add_sat_signed, clamp_signed(n, (__int128)S(0) + S(1)))
FUNCTION(add_sat_unsigned, clamp_unsigned(n, (__int128)x[0] + x[1]))
FUNCTION(sub_sat_signed, clamp_signed(n, (__int128)S(0) - S(1)))
FUNCTION(sub_sat_unsigned, clamp_unsigned(n, (__int128)x[0] - x[1]))
FUNCTION(leading_zeros, x[0] ? __builtin_clzll(x[0]) - (64 - n.bits) : n.bits)
FUNCTION(trailing_zeros, x[0] ? __builtin_ctzll(x[0]) : n.bits)
FUNCTION(population, __builtin_popcountll(x[0]))
FUNCTION(field_mask, low_bits(x[0] & 31) << (x[1] & 31))
FUNCTION(field_unsigned, (x[0] >> (x[1] & 31)) & low_bits(x[2] & 31))
FUNCTION(field_signed, extract_signed(x))
FUNCTION(align_bits, (x[0] << 32 | x[1]) >> (x[2] & 31))
FUNCTION(align_bytes, (x[0] << 32 | x[1]) >> (8 * (x[2] & 3)))
FUNCTION(average, average_of_bytes(x))
FUNCTION(min_signed, S(0) < S(1) ? (S(0) < S(2) ? S(0) : S(2)) : (S(1) < S(2) ? S(1) : S(2)))
FUNCTION(max_signed, S(0) > S(1) ? (S(0) > S(2) ? S(0) : S(2)) : (S(1) > S(2) ? S(1) : S(2)))
FUNCTION(median_signed, middle(S(0), S(1), S(2)))
FUNCTION(min_unsigned, x[0] < x[1] ? (x[0] < x[2] ? x[0] : x[2]) : (x[1] < x[2] ? x[1] : x[2]))
FUNCTION(max_unsigned, x[0] > x[1] ? (x[0] > x[2] ? x[0] : x[2]) : (x[1] > x[2] ? x[1] : x[2]))
FUNCTION(median_unsigned, middle((int64_t)x[0], (int64_t)x[1], (int64_t)x[2]))
FUNCTION(differences_of_bytes, sum_of_differences(x, 8, false))
FUNCTION(masked_differences, sum_of_differences(x, 8, true))
FUNCTION(differences_of_halves, sum_of_differences(x, 16, false))
FUNCTION(difference, sum_of_differences(x, 32, false))
FUNCTION(high_differences,
         (sum_of_differences((const uint64_t[]){x[0], x[1], 0}, 8, false) << 16) + x[2])
FUNCTION(product_of_24_signed, (((int64_t)(x[0] << 40) >> 40) * ((int64_t)(x[1] << 40) >> 40)))
FUNCTION(product_of_24_unsigned, (x[0] & 0xffffff) * (x[1] & 0xffffff))
FUNCTION(high_signed, ((__int128)S(0) * S(1)) >> n.bits)
FUNCTION(high_unsigned, ((unsigned __int128)x[0] * x[1]) >> n.bits)

kiln_integer_function_t kiln_ockl_function(MlirStringRef symbol, int arity)
{
    static const kiln_integer_function_t functions[] = {
#define KILN_OCKL(name, types, arity, function) function,
#include "builder/ockl.def"
#undef KILN_OCKL
    };
    int row = kiln_ockl_find(symbol, arity);
    return row < 0 ? NULL : functions[row];
}
