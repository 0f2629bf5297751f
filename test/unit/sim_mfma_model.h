// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix instructions as published: the positions of elements in registers (docs/gfx942.md,
// 2.2) and the summation of products (2.3), step by step in 128-bit integers. Has only the rows of
// base/gfx942.def in common with the code under test.
//
// Exponents are those of the operands, not renormalized, and a zero counts as 2^-126.
#ifndef KILN_TEST_SIM_MFMA_MODEL_H
#define KILN_TEST_SIM_MFMA_MODEL_H

#include "exec/mfma.h"
#include "sim_reference.h"

typedef struct model_row {
    const char *name;
    kiln_mfma_shape_t shape;
} model_row_t;

static const model_row_t model_rows[] = {
#define GFX942_MFMA(name, n, k, blocks, a, b, d, passes)                                           \
    {#name, {n, k, blocks, KILN_MFMA_##a, KILN_MFMA_##b, 0}},
#define GFX942_SMFMAC(name, n, k, blocks, a, b, d, passes)                                         \
    {#name, {n, k, blocks, KILN_MFMA_##a, KILN_MFMA_##b, 1}},
#include "base/gfx942.def"
};
enum { MODEL_ROWS = sizeof model_rows / sizeof model_rows[0] };

static uint64_t model_seed = 1442695040888963407ull;

// ---- Layouts

// The place of an operand's element according to the tables. `k` counts stored elements for a
// sparse A.
typedef struct place {
    unsigned lane, reg, bit;
} place_t;

static inline unsigned width_of(kiln_mfma_type_t type)
{
    return type == KILN_MFMA_F64                             ? 64
           : type == KILN_MFMA_F32 || type == KILN_MFMA_XF32 ? 32
           : type == KILN_MFMA_F16 || type == KILN_MFMA_BF16 ? 16
                                                             : 8;
}

// Table 2.2, column A (and B), solved for the place. `length` is the number of elements along k
// that are stored.
static inline place_t place_of_input(const kiln_mfma_shape_t *s, kiln_mfma_type_t type,
                                     unsigned length, unsigned block, unsigned i, unsigned k)
{
    const unsigned bits = width_of(type), per_register = bits < 32 ? 32 / bits : 1;
    unsigned lane, inside;
    if (s->n == 4 && type == KILN_MFMA_F64) { // i = l%4; block = (l/4)%4; k = l/16
        lane = i + 4 * block + 16 * k;
        inside = 0;
    } else if (s->blocks == 16) { // i = l%4; block = l/4
        lane = i + 4 * block;
        inside = k;
    } else if (s->blocks == 4) { // i = l%16; block = l/16
        lane = i + 16 * block;
        inside = k;
    } else if (s->blocks == 2) { // i = l%32; block = l/32
        lane = i + 32 * block;
        inside = k;
    } else { // i = l%n; k = per lane * (l/n) + what is inside
        const unsigned groups = 64 / s->n, per_lane = length / groups;
        lane = i + s->n * (k / per_lane);
        inside = k % per_lane;
    }
    if (bits == 64)
        return (place_t){lane, inside * 2, 0};
    return (place_t){lane, inside / per_register, inside % per_register * bits};
}

// Table 2.2, last column.
static inline place_t place_of_output(const kiln_mfma_shape_t *s, unsigned block, unsigned i,
                                      unsigned j)
{
    if (s->a == KILN_MFMA_F64)
        return s->n == 16 ? (place_t){i % 4 * 16 + j, i / 4 * 2, 0}
                          : (place_t){i * 16 + block * 4 + j, 0, 0};
    if (s->n == 4)
        return (place_t){block * 4 + j, i, 0};
    if (s->n == 16)
        return (place_t){i / 4 * 16 + j, block * 4 + i % 4, 0};
    return (place_t){i / 4 % 2 * 32 + j, block * 16 + i / 8 * 4 + i % 4, 0};
}

static inline uint64_t get(const uint32_t *registers, place_t p, unsigned bits)
{
    const uint32_t word = registers[p.reg * 64 + p.lane];
    if (bits == 64)
        return (uint64_t)registers[(p.reg + 1) * 64 + p.lane] << 32 | word;
    return bits == 32 ? word : word >> p.bit & ((1u << bits) - 1);
}

// ---- Sums

// value = significand · 2^(exponent - fraction_bits), exponent not renormalized.
typedef struct number {
    bool special;
    double value;
    int64_t significand;
    int exponent, fraction_bits;
} number_t;

static inline number_t number_of(uint64_t bits, kiln_mfma_type_t type)
{
    static const struct {
        int exponent_bits, fraction_bits, bias;
    } formats[] = {[KILN_MFMA_F16] = {5, 10, 15},   [KILN_MFMA_BF16] = {8, 7, 127},
                   [KILN_MFMA_XF32] = {8, 10, 127}, [KILN_MFMA_F32] = {8, 23, 127},
                   [KILN_MFMA_FP8] = {4, 3, 8},     [KILN_MFMA_BF8] = {5, 2, 16}};
    if (type == KILN_MFMA_XF32) // a NaN stays a NaN whichever of its bits are truncated
        bits = bits >> 13 | ((bits & INT32_MAX) > 0x7f800000 ? 1 << 9 : 0);
    const int e = formats[type].exponent_bits, f = formats[type].fraction_bits;
    const int field = (int)(bits >> f & ((1u << e) - 1));
    const int64_t fraction = (int64_t)(bits & ((1u << f) - 1));
    const bool negative = bits >> (e + f) & 1, is_8bit = e + f == 7;
    number_t n = {.fraction_bits = f, .exponent = (field ? field : 1) - formats[type].bias};
    n.significand = (field ? (int64_t)1 << f : 0) + fraction;
    n.significand = negative ? -n.significand : n.significand;
    n.special = is_8bit ? bits == 0x80 : field == (1 << e) - 1;
    n.value = n.special
                  ? (is_8bit || fraction ? (double)NAN
                     : negative          ? -(double)INFINITY
                                         : (double)INFINITY)
                  : copysign(ldexp((double)n.significand, n.exponent - f), negative ? -1.0 : 1.0);
    return n;
}

static inline __int128 shift_floor(__int128 value, int left)
{
    if (value == 0)
        return 0; // a zero is 0 at any exponent
    return left >= 0     ? value * ((__int128)1 << left)
           : left < -126 ? (value < 0 ? -1 : 0)
                         : value >> -left;
}

static inline __int128 shift_to_zero(__int128 value, int left)
{
    return value < 0 ? -shift_floor(-value, left) : shift_floor(value, left);
}

static inline float add_group(const number_t *a, const number_t *b, unsigned count,
                              float accumulator, bool is_8bit)
{
    double sum = (double)accumulator;
    bool positive = false, negative = false;
    for (unsigned k = 0; k < count; k++) {
        sum += a[k].value * b[k].value;
        positive |= a[k].value * b[k].value >= 0x1p128;
        negative |= a[k].value * b[k].value <= -0x1p128;
    }
    if (isnan(sum) || isinf(sum))
        return (float)sum;
    if (positive || negative)
        return positive && negative ? NAN : positive ? INFINITY : -INFINITY;
    __int128 part[2] = {0, 0};
    int largest[2] = {-4000, -4000};
    for (unsigned k = 0; k < count; k++) {
        const unsigned p = is_8bit ? k % 2 : 0;
        const int exponent =
            a[k].significand && b[k].significand ? a[k].exponent + b[k].exponent : -126;
        largest[p] = exponent > largest[p] ? exponent : largest[p];
    }
    for (unsigned k = 0; k < count; k++) {
        const unsigned p = is_8bit ? k % 2 : 0;
        const int down = largest[p] - a[k].exponent - b[k].exponent;
        part[p] += shift_to_zero((__int128)a[k].significand * b[k].significand,
                                 24 - a[k].fraction_bits - b[k].fraction_bits - down);
    }
    int e = largest[0];
    __int128 products = part[0];
    if (is_8bit) {
        e = largest[0] > largest[1] ? largest[0] : largest[1];
        products = shift_floor(part[0], largest[0] - e) + shift_floor(part[1], largest[1] - e);
    }
    const number_t c = number_of(reference_f32_bits(accumulator), KILN_MFMA_F32);
    const int m = e > c.exponent ? e : c.exponent;
    __int128 total = shift_floor(products, 7 + e - m);
    if (!is_8bit || c.exponent >= m - 25)
        total += shift_floor(c.significand, 24 - 23 + c.exponent - m) * 128;
    return (float)reference_round(ldexpl((long double)(int64_t)total, m - 31), &reference_f32,
                                  REFERENCE_NEAREST);
}

static inline float dot_exact(const kiln_mfma_shape_t *s, const uint64_t *a, const uint64_t *b,
                              float accumulator)
{
    const bool is_8bit = width_of(s->a) == 8;
    unsigned group = s->a == KILN_MFMA_XF32 ? 4 : is_8bit ? 16 : s->k < 8 ? s->k : 8;
    group = s->sparse ? group * 2 : group;
    for (unsigned start = 0; start < s->k; start += group) {
        number_t left[32], right[32];
        for (unsigned k = 0; k < group; k++) {
            left[k] = number_of(a[start + k], s->a);
            right[k] = number_of(b[start + k], s->b);
        }
        accumulator = add_group(left, right, group, accumulator, is_8bit);
    }
    return accumulator;
}

static inline int leading_bit(unsigned __int128 value)
{
    const uint64_t high = (uint64_t)(value >> 64);
    return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((uint64_t)value);
}

// value · 2^exponent rounded to nearest even; `sticky`: a little more in magnitude. Bits of an f32
// or f64.
static inline uint64_t round_bits(bool negative, unsigned __int128 value, int exponent, bool sticky,
                                  bool is_f64)
{
    const int fraction = is_f64 ? 52 : 23, bias = is_f64 ? 1023 : 127,
              exponent_bits = is_f64 ? 11 : 8;
    const uint64_t sign = (uint64_t)negative << (fraction + exponent_bits);
    if (value == 0)
        return sign;
    const int top = leading_bit(value);
    // The last place: below the leading bit, but not below the smallest subnormal.
    int drop = top - fraction;
    if (exponent + drop < 1 - bias - fraction)
        drop = 1 - bias - fraction - exponent;
    uint64_t kept;
    if (drop <= 0) {
        kept = (uint64_t)(value << -drop);
    } else if (drop > 126) {
        kept = 0;
    } else {
        const unsigned __int128 half = (unsigned __int128)1 << (drop - 1),
                                lost = value & (2 * half - 1);
        kept = (uint64_t)(value >> drop);
        kept += lost > half || (lost == half && (sticky || (kept & 1)));
    }
    // kept is in units of 2^(exponent + drop) and at most 2^(fraction + 1).
    if (kept >> (fraction + 1)) {
        kept >>= 1;
        drop++;
    }
    const int field = kept >> fraction ? exponent + drop + fraction + bias : 0;
    const int infinite = (1 << exponent_bits) - 1;
    if (field >= infinite)
        return sign | (uint64_t)infinite << fraction;
    return sign | (uint64_t)field << fraction | (kept & ((1ull << fraction) - 1));
}

// a · b + c with one rounding.
static inline uint64_t fused(uint64_t a, uint64_t b, uint64_t c, bool is_f64)
{
    const int fraction = is_f64 ? 52 : 23, bias = is_f64 ? 1023 : 127,
              exponent_bits = is_f64 ? 11 : 8;
    const uint64_t operands[3] = {a, b, c}, infinite = (1ull << exponent_bits) - 1;
    uint64_t significand[3];
    int exponent[3];
    bool negative[3], inf[3], nan = false;
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t field = operands[i] >> fraction & infinite,
                       low = operands[i] & ((1ull << fraction) - 1);
        negative[i] = operands[i] >> (fraction + exponent_bits) & 1;
        inf[i] = field == infinite && low == 0;
        nan = nan || (field == infinite && low != 0);
        significand[i] = field ? low | 1ull << fraction : low;
        exponent[i] = (int)(field ? field : 1) - bias - fraction;
    }
    const uint64_t sign = 1ull << (fraction + exponent_bits), infinity = infinite << fraction;
    const bool minus = negative[0] != negative[1];
    nan = nan || (inf[0] && significand[1] == 0) || (inf[1] && significand[0] == 0);
    if (nan || ((inf[0] || inf[1]) && inf[2] && minus != negative[2]))
        return infinity | 1;
    if (inf[0] || inf[1])
        return infinity | (minus ? sign : 0);
    if (inf[2])
        return c;
    unsigned __int128 x = (unsigned __int128)significand[0] * significand[1], y = significand[2];
    int ex = exponent[0] + exponent[1], ey = exponent[2];
    if (x == 0 && y == 0)
        return minus && negative[2] ? sign : 0;
    if (x == 0)
        return c;
    if (y == 0)
        return round_bits(minus, x, ex, false, is_f64);
    // Shifts both leading bits to bit 124, then shifts the smaller number down to the larger one's
    // place; the lost bits are sticky.
    const int up_x = 124 - leading_bit(x), up_y = 124 - leading_bit(y);
    x <<= up_x, ex -= up_x;
    y <<= up_y, ey -= up_y;
    const int distance = ex > ey ? ex - ey : ey - ex;
    unsigned __int128 *const smaller = ex > ey ? &y : &x;
    const bool sticky =
        distance > 124 || (*smaller & (((unsigned __int128)1 << distance) - 1)) != 0;
    *smaller = distance > 124 ? 0 : *smaller >> distance;
    const int e = ex > ey ? ex : ey;
    if (minus == negative[2])
        return round_bits(minus, x + y, e, sticky, is_f64);
    if (x == y && !sticky)
        return 0;
    // The truncated bits make the difference smaller: subtract one, and set sticky.
    const bool x_wins = x > y;
    return round_bits(x_wins ? minus : negative[2], (x_wins ? x - y : y - x) - sticky, e, sticky,
                      is_f64);
}

static inline uint64_t dot(const kiln_mfma_shape_t *s, const kiln_mfma_options_t *o,
                           const uint64_t *a, const uint64_t *b, uint64_t c)
{
    if (s->a == KILN_MFMA_I8) {
        int64_t sum = (int32_t)c;
        for (unsigned k = 0; k < s->k; k++)
            sum += (int8_t)a[k] * (int8_t)b[k];
        return (uint32_t)(!o->clamp         ? sum
                          : sum > INT32_MAX ? INT32_MAX
                          : sum < INT32_MIN ? INT32_MIN
                                            : sum);
    }
    const bool is_chain =
        s->a == KILN_MFMA_F32 || s->a == KILN_MFMA_F64 || o->mode == KILN_MFMA_FAST;
    if (!is_chain)
        return reference_f32_bits(dot_exact(s, a, b, reference_as_f32((uint32_t)c)));
    for (unsigned k = 0; k < s->k; k++) {
        uint64_t left = a[k], right = b[k];
        if (s->a == KILN_MFMA_F32 && o->flush_f32_inputs) {
            left &= left << 1 >> 24 & 255 ? UINT32_MAX : 1u << 31;
            right &= right << 1 >> 24 & 255 ? UINT32_MAX : 1u << 31;
        } else if (s->a != KILN_MFMA_F64) { // every value is an f32
            left = reference_f32_bits((float)number_of(left, s->a).value);
            right = reference_f32_bits((float)number_of(right, s->b).value);
        }
        c = fused(left, right, c, s->a == KILN_MFMA_F64);
    }
    return c;
}

// ---- Test data

// ordinary: near 1 with both signs, so that sums cancel; wide: any exponent; raw: any bits at all;
// edge: near zero, the ends of the range, infinities and NaN; tiny, huge: exponents about a third
// of the range from the middle.
typedef enum { ORDINARY, WIDE, RAW, EDGE, TINY, HUGE_, FLAVOURS } flavour_t;

static inline uint64_t edge_element(kiln_mfma_type_t type, uint64_t r)
{
    static const struct {
        int exponent_bits, fraction_bits;
    } formats[] = {[KILN_MFMA_F16] = {5, 10},  [KILN_MFMA_BF16] = {8, 7},
                   [KILN_MFMA_XF32] = {8, 23}, [KILN_MFMA_F32] = {8, 23},
                   [KILN_MFMA_F64] = {11, 52}, [KILN_MFMA_FP8] = {4, 3},
                   [KILN_MFMA_BF8] = {5, 2}};
    if (type == KILN_MFMA_I8)
        return r & 1 ? 0x80 : 0x7f;
    const int f = formats[type].fraction_bits;
    const uint64_t top = (1ull << formats[type].exponent_bits) - 1, last = (1ull << f) - 1;
    const uint64_t fields[] = {0, 0, 1, top - 1, top, top / 2, top / 2, top / 2 + 1};
    const uint64_t fractions[] = {0, last, 1, r >> 20 & last};
    // Too many infinities and NaNs would hide the rest: one element of sixty has the largest
    // exponent field.
    uint64_t field = fields[r >> 8 & 7];
    field = field == top && r % 8 ? top - 1 : field;
    return (r >> 7 & 1) << (f + formats[type].exponent_bits) | field << f | fractions[r >> 16 & 3];
}

static inline uint64_t random_element(kiln_mfma_type_t type, flavour_t flavour)
{
    const uint64_t r = reference_random(&model_seed);
    if (r % 11 == 0)
        return 0;
    if (flavour == RAW)
        return type == KILN_MFMA_F64 ? r : r & (~0ull >> (64 - width_of(type)));
    if (flavour == EDGE)
        return edge_element(type, r);
    const bool wide = flavour != ORDINARY;
    const int spread = wide ? (type == KILN_MFMA_FP8                            ? 15
                               : type == KILN_MFMA_BF8 || type == KILN_MFMA_F16 ? 29
                                                                                : 80)
                            : 4;
    const uint64_t middle = flavour == TINY ? 70 : flavour == HUGE_ ? 180 : 127;
    const uint64_t e = r >> 8 & 0xffff, from = middle - (uint64_t)spread / 2;
    switch (type) {
    case KILN_MFMA_F16:
        return (r >> 40 & 0x83ff) | (wide ? e % 31 : 13 + e % 4) << 10;
    case KILN_MFMA_BF16:
        return (r >> 40 & 0x807f) | (from + e % (uint64_t)spread) << 7;
    case KILN_MFMA_XF32:
    case KILN_MFMA_F32:
        return (r >> 30 & 0x807fffff) | (from + e % (uint64_t)spread) << 23;
    case KILN_MFMA_F64:
        return (r & 0x800fffffffffffff) | (wide ? from * 8 + e % 600 : 1021 + e % 4) << 52;
    case KILN_MFMA_FP8:
        return r >> 40 & 0xff & (wide ? 0xff : 0xc7);
    case KILN_MFMA_BF8:
        return r >> 40 & 0xff & (wide ? 0xff : 0xc3);
    default:
        return r >> 40 & 0xff;
    }
}

static inline void fill(uint32_t *registers, unsigned count, kiln_mfma_type_t type,
                        flavour_t flavour)
{
    const unsigned bits = width_of(type);
    for (unsigned at = 0; at < count * 64; at++) {
        registers[at] = 0;
        if (bits == 64)
            continue;
        for (unsigned bit = 0; bit < 32; bit += bits)
            registers[at] |= (uint32_t)random_element(type, flavour) << bit;
    }
    for (unsigned reg = 0; bits == 64 && reg + 1 < count; reg += 2)
        for (unsigned lane = 0; lane < 64; lane++) {
            const uint64_t value = random_element(type, flavour);
            registers[reg * 64 + lane] = (uint32_t)value;
            registers[(reg + 1) * 64 + lane] = (uint32_t)(value >> 32);
        }
}

static inline bool same(uint64_t got, uint64_t want, kiln_mfma_type_t type)
{
    if (type == KILN_MFMA_I8)
        return got == want;
    if (type == KILN_MFMA_F64)
        return got == want || (isnan(reference_as_f64(got)) && isnan(reference_as_f64(want)));
    return got == want ||
           (isnan(reference_as_f32((uint32_t)got)) && isnan(reference_as_f32((uint32_t)want)));
}

// ---- Operands

static inline unsigned lane_of_a(unsigned lane, const kiln_mfma_options_t *o,
                                 const kiln_mfma_shape_t *s)
{
    const unsigned size = 64u >> o->cbsz;
    return o->cbsz && s->a != KILN_MFMA_F64 && !s->sparse ? lane % size + size * o->abid : lane;
}

static inline unsigned lane_of_b(unsigned lane, const kiln_mfma_options_t *o,
                                 const kiln_mfma_shape_t *s)
{
    if (!o->blgp || s->a == KILN_MFMA_F64)
        return lane;
    const unsigned table[] = {lane,      lane % 32,      lane % 32 + 32, (lane + 16) % 64,
                              lane % 16, lane % 16 + 16, lane % 16 + 32, lane % 16 + 48};
    return table[o->blgp];
}

static inline void elements_of_row(const kiln_mfma_shape_t *s, const kiln_mfma_options_t *o,
                                   const uint32_t *registers, unsigned block, unsigned i,
                                   uint64_t *a)
{
    const unsigned bits = width_of(s->a);
    memset(a, 0, 64 * sizeof *a);
    if (!s->sparse) {
        for (unsigned k = 0; k < s->k; k++) {
            place_t p = place_of_input(s, s->a, s->k, block, i, k);
            p.lane = lane_of_a(p.lane, o, s);
            a[k] = get(registers, p, bits);
            a[k] ^= s->a == KILN_MFMA_F64 && (o->blgp & 1) ? 1ull << 63 : 0;
        }
        return;
    }
    // Two of every four: stored element 2q and 2q + 1 belong to the four q, at the places that
    // their two bits say.
    for (unsigned kept = 0; kept < s->k / 2u; kept++) {
        const place_t p = place_of_input(s, s->a, s->k / 2u, 0, i, kept);
        const unsigned nibbles = s->k / 4u / (64u / s->n), set = o->cbsz ? 0 : o->abid;
        const unsigned nibble =
            o->index[p.lane] >> (set * nibbles * 4 + kept / 2 % nibbles * 4) & 15;
        a[kept / 2 * 4 + (kept % 2 ? nibble >> 2 : nibble & 3)] = get(registers, p, bits);
    }
}

// Indices as the machine wants them: in each nibble two different places, the lower one first.
static inline void fill_index(uint32_t *index)
{
    static const uint32_t pairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
    for (unsigned lane = 0; lane < 64; lane++) {
        index[lane] = 0;
        for (unsigned n = 0; n < 8; n++)
            index[lane] |= pairs[reference_random(&model_seed) % 6] << n * 4;
    }
}

static inline void elements_of_column(const kiln_mfma_shape_t *s, const kiln_mfma_options_t *o,
                                      const uint32_t *registers, unsigned block, unsigned j,
                                      uint64_t *b)
{
    for (unsigned k = 0; k < s->k; k++) {
        place_t p = place_of_input(s, s->b, s->k, block, j, k);
        p.lane = lane_of_b(p.lane, o, s);
        b[k] = get(registers, p, width_of(s->b)) ^
               (s->a == KILN_MFMA_F64 && (o->blgp & 2) ? 1ull << 63 : 0);
    }
}

#endif
