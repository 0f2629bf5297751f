// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ockl's functions of integers. What they mean for amounts beyond a register's width is the instruction's: the low five
// bits count.
#include "interp/ockl.h"

#include <string.h>

#define FUNCTION(name, expression)                                                                                     \
    static uint64_t name(kiln_number_t n, const uint64_t *x)                                                           \
    {                                                                                                                  \
        (void)n, (void)x;                                                                                              \
        return (uint64_t)(expression);                                                                                 \
    }
#define S(i) kiln_number_signed(n, x[i])

static uint64_t clamp_signed(kiln_number_t n, __int128 value)
{
    __int128 most = (__int128)(kiln_number_mask(n) >> 1);
    return (uint64_t)(value > most ? most : value < -most - 1 ? -most - 1 : value);
}
static uint64_t clamp_unsigned(kiln_number_t n, __int128 value)
{
    __int128 most = (__int128)kiln_number_mask(n);
    return (uint64_t)(value > most ? most : value < 0 ? 0 : value);
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
FUNCTION(least_signed, S(0) < S(1) ? (S(0) < S(2) ? S(0) : S(2)) : (S(1) < S(2) ? S(1) : S(2)))
FUNCTION(most_signed, S(0) > S(1) ? (S(0) > S(2) ? S(0) : S(2)) : (S(1) > S(2) ? S(1) : S(2)))
FUNCTION(median_signed, middle(S(0), S(1), S(2)))
FUNCTION(least_unsigned, x[0] < x[1] ? (x[0] < x[2] ? x[0] : x[2]) : (x[1] < x[2] ? x[1] : x[2]))
FUNCTION(most_unsigned, x[0] > x[1] ? (x[0] > x[2] ? x[0] : x[2]) : (x[1] > x[2] ? x[1] : x[2]))
FUNCTION(median_unsigned, middle((int64_t)x[0], (int64_t)x[1], (int64_t)x[2]))
FUNCTION(differences_of_bytes, sum_of_differences(x, 8, false))
FUNCTION(masked_differences, sum_of_differences(x, 8, true))
FUNCTION(differences_of_halves, sum_of_differences(x, 16, false))
FUNCTION(difference, sum_of_differences(x, 32, false))
FUNCTION(high_differences, (sum_of_differences((const uint64_t[]){x[0], x[1], 0}, 8, false) << 16) + x[2])
FUNCTION(product_of_24_signed, (((int64_t)(x[0] << 40) >> 40) * ((int64_t)(x[1] << 40) >> 40)))
FUNCTION(product_of_24_unsigned, (x[0] & 0xffffff) * (x[1] & 0xffffff))
FUNCTION(high_signed, ((__int128)S(0) * S(1)) >> n.bits)
FUNCTION(high_unsigned, ((unsigned __int128)x[0] * x[1]) >> n.bits)

// `types` are the endings that the name may have.
static const struct {
    const char *name, *types;
    int arity;
    kiln_integer_function_t function;
} rows[] = {
    {"add_sat", "i32 i64", 2, add_sat_signed},
    {"add_sat", "u32 u64", 2, add_sat_unsigned},
    {"sub_sat", "i32 i64", 2, sub_sat_signed},
    {"sub_sat", "u32 u64", 2, sub_sat_unsigned},
    {"clz", "u8 u16 u32 u64", 1, leading_zeros},
    {"ctz", "u8 u16 u32 u64", 1, trailing_zeros},
    {"popcount", "u32 u64", 1, population},
    {"bfm", "u32", 2, field_mask},
    {"bfe", "u32", 3, field_unsigned},
    {"bfe", "i32", 3, field_signed},
    {"bitalign", "u32", 3, align_bits},
    {"bytealign", "u32", 3, align_bytes},
    {"lerp", "u32", 3, average},
    {"min3", "i32", 3, least_signed},
    {"max3", "i32", 3, most_signed},
    {"median3", "i32", 3, median_signed},
    {"min3", "u32", 3, least_unsigned},
    {"max3", "u32", 3, most_unsigned},
    {"median3", "u32", 3, median_unsigned},
    {"sad", "u32", 3, differences_of_bytes},
    {"msad", "u32", 3, masked_differences},
    {"sadw", "u32", 3, differences_of_halves},
    {"sadd", "u32", 3, difference},
    {"sadhi", "u32", 3, high_differences},
    {"mul24", "i32", 2, product_of_24_signed},
    {"mul24", "u32", 2, product_of_24_unsigned},
    {"mul_hi", "i32 i64", 2, high_signed},
    {"mul_hi", "u32 u64", 2, high_unsigned},
};

static bool has_word(const char *words, const char *word, size_t length)
{
    for (const char *at = words; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == length && memcmp(at, word, length) == 0)
            return true;
    return false;
}

kiln_integer_function_t kiln_ockl_function(MlirStringRef symbol, int arity)
{
    static const char prefix[] = "__ockl_";
    size_t start = sizeof prefix - 1, end = symbol.length;
    if (end <= start || memcmp(symbol.data, prefix, start) != 0)
        return NULL;
    while (end > start && symbol.data[end - 1] != '_')
        end--;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].arity == arity && end - start == strlen(rows[i].name) + 1 &&
            memcmp(rows[i].name, symbol.data + start, end - start - 1) == 0 &&
            has_word(rows[i].types, symbol.data + end, symbol.length - end))
            return rows[i].function;
    return NULL;
}
