// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws random operands.
#include "verify/draw.h"

#include <string.h>

// SplitMix64 by Sebastiano Vigna, from its published constants.
uint64_t kiln_verify_random(kiln_verify_random_t *io_random)
{
    uint64_t z = io_random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

kiln_verify_random_t kiln_verify_random_of(uint64_t seed, const char *name)
{
    kiln_verify_random_t random = {seed};
    for (; *name; name++)
        random.state = (random.state ^ (uint8_t)*name) * UINT64_C(0x100000001b3);
    return random;
}

// A format of floats, and how to draw its special values.
typedef struct format {
    unsigned exponent, mantissa; // bits
} format_t;

static uint64_t pack(format_t f, uint64_t sign, uint64_t exponent, uint64_t mantissa)
{
    return sign << (f.exponent + f.mantissa) | exponent << f.mantissa | mantissa;
}

// ±0, the smallest and largest denormal and normal, ±1, infinity, a quiet and a signalling NaN.
static uint64_t special_float(kiln_verify_random_t *io_random, format_t f)
{
    const uint64_t random = kiln_verify_random(io_random), sign = random >> 63;
    const uint64_t ones = (UINT64_C(1) << f.mantissa) - 1, top = (UINT64_C(1) << f.exponent) - 1,
                   bias = top >> 1, quiet = UINT64_C(1) << (f.mantissa - 1);
    const uint64_t values[][2] = {{0, 0},          {0, 1},           {0, ones}, {1, 0},
                                  {top - 1, ones}, {bias, 0},        {bias, 1}, {bias - 1, ones},
                                  {top, 0},        {top, quiet | 5}, {top, 3},  {bias + 1, ones}};
    const uint64_t *value = values[random % (sizeof values / sizeof *values)];
    return pack(f, sign, value[0], value[1]);
}

// Around 1, within a few powers of two.
static uint64_t ordinary_float(kiln_verify_random_t *io_random, format_t f)
{
    const uint64_t random = kiln_verify_random(io_random);
    const uint64_t bias = (UINT64_C(1) << (f.exponent - 1)) - 1;
    const unsigned spread = f.exponent >= 8 ? 8 : 3;
    return pack(f, random >> 63,
                bias + (random >> 32) % (2 * spread) - spread + (spread > 3 ? 0 : 1),
                kiln_verify_random(io_random) & ((UINT64_C(1) << f.mantissa) - 1));
}

static uint64_t draw_float(kiln_verify_random_t *io_random, format_t f)
{
    const unsigned how = kiln_verify_random(io_random) & 15;
    return how < 3   ? special_float(io_random, f)
           : how < 8 ? kiln_verify_random(io_random)
                     : ordinary_float(io_random, f);
}

static uint64_t draw_integer(kiln_verify_random_t *io_random, unsigned bits)
{
    static const uint64_t few[] = {0, 1, 2, UINT64_MAX, UINT64_MAX - 1, 31, 32, 63, 64};
    const uint64_t random = kiln_verify_random(io_random);
    const unsigned how = random & 15;
    const uint64_t top = UINT64_C(1) << (bits - 1);
    if (how < 3)
        return few[(random >> 8) % (sizeof few / sizeof *few)];
    if (how < 5)
        return how == 3 ? top : top - 1;
    const uint64_t value = kiln_verify_random(io_random);
    return how < 8 ? value & 63 : how < 9 ? value >> (64 - bits + (random >> 8) % bits) : value;
}

unsigned kiln_verify_type_dwords(const char *type)
{
    static const struct {
        const char *part;
        unsigned dwords;
    } rows[] = {{"none", 0}, {"NONE", 0}, {"v2f32", 2}, {"v2i32", 2},
                {"128", 4},  {"64", 2},   {"B96", 3},   {"", 1}};
    size_t i = 0;
    while (!strstr(type, rows[i].part))
        i++;
    return rows[i].dwords;
}

// The formats of a type's elements; elements fill the operand's dwords.
static const struct {
    const char *part;
    format_t format;
    unsigned bits;
} floats[] = {{"v2f16", {5, 10}, 16}, {"v2f32", {8, 23}, 32}, {"BF16", {8, 7}, 16},
              {"XF32", {8, 23}, 32},  {"f64", {11, 52}, 64},  {"F64", {11, 52}, 64},
              {"x64", {11, 52}, 64},  {"f32", {8, 23}, 32},   {"F32", {8, 23}, 32},
              {"f16", {5, 10}, 16},   {"F16", {5, 10}, 16},   {"x16", {5, 10}, 16},
              {"x32", {8, 23}, 32},   {"BF8", {5, 2}, 8},     {"FP8", {4, 3}, 8}};

static void put(uint32_t *out, unsigned at, unsigned bits, uint64_t value)
{
    uint8_t *bytes = (uint8_t *)out + at * bits / 8;
    memcpy(bytes, &value, bits / 8);
}

static void draw_elements(kiln_verify_random_t *io_random, const char *type, uint32_t *out,
                          uint64_t (*draw)(kiln_verify_random_t *io_random, format_t f))
{
    const unsigned dwords = kiln_verify_type_dwords(type);
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        if (!strstr(type, floats[i].part))
            continue;
        for (unsigned at = 0; at < dwords * 32 / floats[i].bits; at++)
            put(out, at, floats[i].bits, draw(io_random, floats[i].format));
        return;
    }
    const unsigned bits = dwords == 2 ? 64 : strstr(type, "16") ? 16 : strstr(type, "I8") ? 8 : 32;
    for (unsigned at = 0; at < dwords * 32 / bits; at++)
        put(out, at, bits, draw_integer(io_random, bits));
}

void kiln_verify_draw(kiln_verify_random_t *io_random, const char *type, uint32_t *out)
{
    draw_elements(io_random, type, out, draw_float);
}

void kiln_verify_draw_ordinary(kiln_verify_random_t *io_random, const char *type, uint32_t *out)
{
    draw_elements(io_random, type, out, ordinary_float);
}
