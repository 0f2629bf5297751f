// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix instructions: every shape's layout against the published tables (reference/gfx942.md, section 2.2), the sums
// against the published arithmetic (section 2.3) done in 128-bit integers, and the modifiers.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "mfma.h"
#include "sim_reference.h"

typedef void (*execute_t)(const kiln_mfma_shape_t *shape, const kiln_mfma_options_t *options, const uint32_t *a,
                          const uint32_t *b, uint32_t *d);

#define DECLARE(variant)                                                                                               \
    void kiln_mfma_execute_##variant(const kiln_mfma_shape_t *shape, const kiln_mfma_options_t *options,               \
                                     const uint32_t *a, const uint32_t *b, uint32_t *d);
DECLARE(generic)
#ifdef __x86_64__
DECLARE(avx2)
DECLARE(avx512)
#endif

static execute_t executes[3] = {kiln_mfma_execute_generic};
static unsigned execute_count = 1;
static uint64_t seed = 1442695040888963407ull;

static const kiln_mfma_shape_t shapes[] = {
#define MFMA(name, n, k, blocks, a, b, d, passes) {n, k, blocks, KILN_MFMA_##a, KILN_MFMA_##b, 0},
#define SMFMAC(name, n, k, blocks, a, b, d, passes) {n, k, blocks, KILN_MFMA_##a, KILN_MFMA_##b, 1},
#include "isa/mfma.def"
#undef MFMA
#undef SMFMAC
};
enum { SHAPE_COUNT = sizeof shapes / sizeof shapes[0] };

// One operand's element: where the tables put it. `k` counts stored elements for a sparse A.
typedef struct place {
    unsigned lane, reg, bit;
} place_t;

static unsigned width_of(kiln_mfma_type_t type)
{
    return type == KILN_MFMA_F64                             ? 64
           : type == KILN_MFMA_F32 || type == KILN_MFMA_XF32 ? 32
           : type == KILN_MFMA_F16 || type == KILN_MFMA_BF16 ? 16
                                                             : 8;
}

// Section 2.2, column A (and B), solved for the place. `length` is the number of elements along k that are stored.
static place_t place_of_input(const kiln_mfma_shape_t *s, kiln_mfma_type_t type, unsigned length, unsigned block,
                              unsigned i, unsigned k)
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

// Section 2.2, last column.
static place_t place_of_output(const kiln_mfma_shape_t *s, unsigned block, unsigned i, unsigned j)
{
    if (s->a == KILN_MFMA_F64)
        return s->n == 16 ? (place_t){i % 4 * 16 + j, i / 4 * 2, 0} : (place_t){i * 16 + block * 4 + j, 0, 0};
    if (s->n == 4)
        return (place_t){block * 4 + j, i, 0};
    if (s->n == 16)
        return (place_t){i / 4 * 16 + j, block * 4 + i % 4, 0};
    return (place_t){i / 4 % 2 * 32 + j, block * 16 + i / 8 * 4 + i % 4, 0};
}

static uint64_t get(const uint32_t *registers, place_t p, unsigned bits)
{
    const uint32_t word = registers[p.reg * 64 + p.lane];
    if (bits == 64)
        return (uint64_t)registers[(p.reg + 1) * 64 + p.lane] << 32 | word;
    return bits == 32 ? word : word >> p.bit & ((1u << bits) - 1);
}

// ---- The published arithmetic, in integers ----

// value = significand · 2^(exponent - fraction_bits), exponent not renormalised.
typedef struct number {
    bool special;
    double value;
    int64_t significand;
    int exponent, fraction_bits;
} number_t;

static number_t number_of(uint64_t bits, kiln_mfma_type_t type)
{
    static const struct {
        int exponent_bits, fraction_bits, bias;
    } formats[] = {[KILN_MFMA_F16] = {5, 10, 15},  [KILN_MFMA_BF16] = {8, 7, 127}, [KILN_MFMA_XF32] = {8, 10, 127},
                   [KILN_MFMA_F32] = {8, 23, 127}, [KILN_MFMA_FP8] = {4, 3, 8},    [KILN_MFMA_BF8] = {5, 2, 16}};
    if (type == KILN_MFMA_XF32)
        bits >>= 13;
    const int e = formats[type].exponent_bits, f = formats[type].fraction_bits;
    const int field = (int)(bits >> f & ((1u << e) - 1));
    const int64_t fraction = (int64_t)(bits & ((1u << f) - 1));
    const bool negative = bits >> (e + f) & 1, is_8bit = e + f == 7;
    number_t n = {.fraction_bits = f, .exponent = (field ? field : 1) - formats[type].bias};
    n.significand = (field ? (int64_t)1 << f : 0) + fraction;
    n.significand = negative ? -n.significand : n.significand;
    n.special = is_8bit ? bits == 0x80 : field == (1 << e) - 1;
    n.value = n.special ? (is_8bit || fraction ? (double)NAN
                           : negative          ? -(double)INFINITY
                                               : (double)INFINITY)
                        : ldexp((double)n.significand, n.exponent - f);
    return n;
}

static __int128 shift_floor(__int128 value, int left)
{
    if (value == 0)
        return 0; // whatever its exponent
    return left >= 0 ? value * ((__int128)1 << left) : left < -126 ? (value < 0 ? -1 : 0) : value >> -left;
}

static __int128 shift_to_zero(__int128 value, int left)
{
    return value < 0 ? -shift_floor(-value, left) : shift_floor(value, left);
}

static float add_group(const number_t *a, const number_t *b, unsigned count, float accumulator, bool is_8bit)
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
        const int exponent = a[k].significand && b[k].significand ? a[k].exponent + b[k].exponent : -126;
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
    return (float)reference_round(ldexpl((long double)(int64_t)total, m - 31), &reference_f32, REFERENCE_NEAREST);
}

static float dot_exact(const kiln_mfma_shape_t *s, const uint64_t *a, const uint64_t *b, float accumulator)
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

static uint64_t dot(const kiln_mfma_shape_t *s, const kiln_mfma_options_t *o, const uint64_t *a, const uint64_t *b,
                    uint64_t c)
{
    if (s->a == KILN_MFMA_I8) {
        int64_t sum = (int32_t)c;
        for (unsigned k = 0; k < s->k; k++)
            sum += (int8_t)a[k] * (int8_t)b[k];
        return (uint32_t)(!o->clamp ? sum : sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
    }
    if (s->a == KILN_MFMA_F64) {
        double sum = reference_as_f64(c);
        for (unsigned k = 0; k < s->k; k++)
            sum = fma(reference_as_f64(a[k]), reference_as_f64(b[k]), sum);
        return reference_f64_bits(sum);
    }
    if (s->a == KILN_MFMA_F32) {
        float sum = reference_as_f32((uint32_t)c);
        for (unsigned k = 0; k < s->k; k++)
            sum = fmaf(reference_as_f32((uint32_t)a[k]), reference_as_f32((uint32_t)b[k]), sum);
        return reference_f32_bits(sum);
    }
    return reference_f32_bits(dot_exact(s, a, b, reference_as_f32((uint32_t)c)));
}

// ---- Test data ----

// ordinary: near 1 with both signs, so that sums cancel; wide: any exponent; raw: any bits at all.
typedef enum { ORDINARY, WIDE, RAW } flavour_t;

static uint64_t random_element(kiln_mfma_type_t type, flavour_t flavour)
{
    const uint64_t r = reference_random(&seed);
    if (r % 11 == 0)
        return 0;
    if (flavour == RAW)
        return type == KILN_MFMA_F64 ? r : r & (~0ull >> (64 - width_of(type)));
    const int spread = flavour == WIDE ? (type == KILN_MFMA_FP8                            ? 15
                                          : type == KILN_MFMA_BF8 || type == KILN_MFMA_F16 ? 29
                                                                                           : 80)
                                       : 4;
    const uint64_t e = r >> 8 & 0xffff;
    switch (type) {
    case KILN_MFMA_F16:
        return (r >> 40 & 0x83ff) | (flavour == WIDE ? e % 31 : 13 + e % 4) << 10;
    case KILN_MFMA_BF16:
        return (r >> 40 & 0x807f) | (127 - (uint64_t)spread / 2 + e % (uint64_t)spread) << 7;
    case KILN_MFMA_XF32:
    case KILN_MFMA_F32:
        return (r >> 30 & 0x807fffff) | (127 - (uint64_t)spread / 2 + e % (uint64_t)spread) << 23;
    case KILN_MFMA_F64:
        return (r & 0x800fffffffffffff) | (1021 + e % 4) << 52;
    case KILN_MFMA_FP8:
        return r >> 40 & 0xff & (flavour == WIDE ? 0xff : 0xc7);
    case KILN_MFMA_BF8:
        return r >> 40 & 0xff & (flavour == WIDE ? 0xff : 0xc3);
    default:
        return r >> 40 & 0xff;
    }
}

static void fill(uint32_t *registers, unsigned count, kiln_mfma_type_t type, flavour_t flavour)
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

static bool same(uint64_t got, uint64_t want, kiln_mfma_type_t type)
{
    if (type == KILN_MFMA_I8)
        return got == want;
    if (type == KILN_MFMA_F64)
        return got == want || (isnan(reference_as_f64(got)) && isnan(reference_as_f64(want)));
    return got == want || (isnan(reference_as_f32((uint32_t)got)) && isnan(reference_as_f32((uint32_t)want)));
}

typedef struct machine {
    uint32_t a[16 * 64], b[16 * 64], c[33 * 64], d[33 * 64], index[64];
} machine_t;

static unsigned lane_of_a(unsigned lane, const kiln_mfma_options_t *o, const kiln_mfma_shape_t *s)
{
    const unsigned size = 64u >> o->cbsz;
    return o->cbsz && s->a != KILN_MFMA_F64 && !s->sparse ? lane % size + size * o->abid : lane;
}

static unsigned lane_of_b(unsigned lane, const kiln_mfma_options_t *o, const kiln_mfma_shape_t *s)
{
    if (!o->blgp || s->a == KILN_MFMA_F64)
        return lane;
    const unsigned table[] = {lane,      lane % 32,      lane % 32 + 32, (lane + 16) % 64,
                              lane % 16, lane % 16 + 16, lane % 16 + 32, lane % 16 + 48};
    return table[o->blgp];
}

static void elements_of_row(const kiln_mfma_shape_t *s, const kiln_mfma_options_t *o, const machine_t *m,
                            unsigned block, unsigned i, uint64_t *a)
{
    const unsigned bits = width_of(s->a);
    memset(a, 0, 64 * sizeof *a);
    if (!s->sparse) {
        for (unsigned k = 0; k < s->k; k++) {
            place_t p = place_of_input(s, s->a, s->k, block, i, k);
            p.lane = lane_of_a(p.lane, o, s);
            a[k] = get(m->a, p, bits);
            a[k] ^= s->a == KILN_MFMA_F64 && (o->blgp & 1) ? 1ull << 63 : 0;
        }
        return;
    }
    // Two of every four: stored element 2q and 2q + 1 belong to the four q, at the places that their two bits say.
    for (unsigned kept = 0; kept < s->k / 2u; kept++) {
        const place_t p = place_of_input(s, s->a, s->k / 2u, 0, i, kept);
        const unsigned nibbles = s->k / 4u / (64u / s->n), set = o->cbsz ? 0 : o->abid;
        const unsigned nibble = m->index[p.lane] >> (set * nibbles * 4 + kept / 2 % nibbles * 4) & 15;
        a[kept / 2 * 4 + (kept % 2 ? nibble >> 2 : nibble & 3)] = get(m->a, p, bits);
    }
}

static void check(const kiln_mfma_shape_t *s, kiln_mfma_options_t o, machine_t *m)
{
    o.index = m->index;
    for (unsigned e = 0; e < execute_count; e++) {
        memcpy(m->d, m->c, sizeof m->d);
        executes[e](s, &o, m->a, m->b, m->d);
        for (unsigned block = 0; block < s->blocks; block++)
            for (unsigned i = 0; i < s->n; i++) {
                uint64_t a[64], b[64];
                elements_of_row(s, &o, m, block, i, a);
                for (unsigned j = 0; j < s->n; j++) {
                    for (unsigned k = 0; k < s->k; k++) {
                        place_t p = place_of_input(s, s->b, s->k, block, j, k);
                        p.lane = lane_of_b(p.lane, &o, s);
                        b[k] = get(m->b, p, width_of(s->b)) ^ (s->a == KILN_MFMA_F64 && (o.blgp & 2) ? 1ull << 63 : 0);
                    }
                    const place_t p = place_of_output(s, block, i, j);
                    const unsigned bits = s->a == KILN_MFMA_F64 ? 64 : 32;
                    const uint64_t want = dot(s, &o, a, b, get(m->c, p, bits)), got = get(m->d, p, bits);
                    if (!same(got, want, s->a))
                        fail_msg("shape %ux%ux%u type %u/%u sparse %u build %u: [%u][%u][%u] is %llx, not %llx", s->n,
                                 s->n, s->k, s->a, s->b, s->sparse, e, block, i, j, (unsigned long long)got,
                                 (unsigned long long)want);
                }
            }
    }
}

// Indices as the machine wants them: in each nibble two different places, the lower one first.
static void fill_index(uint32_t *index)
{
    static const uint32_t pairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
    for (unsigned lane = 0; lane < 64; lane++) {
        index[lane] = 0;
        for (unsigned n = 0; n < 8; n++)
            index[lane] |= pairs[reference_random(&seed) % 6] << n * 4;
    }
}

static void fill_all(const kiln_mfma_shape_t *s, machine_t *m, flavour_t flavour)
{
    fill(m->a, 16, s->a, flavour);
    fill(m->b, 16, s->b, flavour);
    fill(m->c, 33,
         s->a == KILN_MFMA_F64  ? KILN_MFMA_F64
         : s->a == KILN_MFMA_I8 ? KILN_MFMA_I8
                                : KILN_MFMA_F32,
         s->a == KILN_MFMA_I8 ? RAW : flavour);
    fill_index(m->index);
}

static void every_shape_multiplies_bit_for_bit(void **state)
{
    machine_t *const m = *state;
    for (unsigned n = 0; n < SHAPE_COUNT; n++)
        for (unsigned round = 0; round < 6; round++) {
            fill_all(&shapes[n], m, (flavour_t)(round % 3));
            check(&shapes[n], (kiln_mfma_options_t){0}, m);
        }
}

static void infinities_and_nans_are_found(void **state)
{
    machine_t *const m = *state;
    for (unsigned n = 0; n < SHAPE_COUNT; n++) {
        const kiln_mfma_shape_t *const s = &shapes[n];
        if (s->a != KILN_MFMA_F16 && s->a != KILN_MFMA_BF16 && s->a != KILN_MFMA_XF32)
            continue;
        const uint32_t one = s->a == KILN_MFMA_F16 ? 0x3c003c00 : s->a == KILN_MFMA_BF16 ? 0x3f803f80 : 0x3f800000;
        const uint32_t infinite = s->a == KILN_MFMA_F16 ? 0x7c003c00 : s->a == KILN_MFMA_BF16 ? 0x7f803f80 : 0x7f800000;
        fill_all(s, m, ORDINARY);
        m->a[3] = infinite;
        m->b[5] = infinite | 0x80000000u;
        m->b[7] = one;
        m->c[64] = 0xff800000u;
        check(s, (kiln_mfma_options_t){0}, m);
    }
}

static void broadcasts_move_lanes(void **state)
{
    machine_t *const m = *state;
    for (unsigned n = 0; n < SHAPE_COUNT; n++) {
        const kiln_mfma_shape_t *const s = &shapes[n];
        for (unsigned cbsz = 0; cbsz <= 4 && (1u << cbsz) <= s->blocks; cbsz++) {
            fill_all(s, m, ORDINARY);
            const uint8_t abid = (uint8_t)(reference_random(&seed) % (1u << cbsz));
            check(s,
                  (kiln_mfma_options_t){.cbsz = (uint8_t)cbsz,
                                        .abid = abid,
                                        .blgp = (uint8_t)(reference_random(&seed) % (s->sparse               ? 1
                                                                                     : s->a == KILN_MFMA_F64 ? 4
                                                                                                             : 8))},
                  m);
        }
        for (unsigned abid = 0; s->sparse && abid < (width_of(s->a) == 16 ? 4u : 2u); abid++) {
            fill_all(s, m, ORDINARY);
            check(s, (kiln_mfma_options_t){.abid = (uint8_t)abid}, m);
            check(s, (kiln_mfma_options_t){.cbsz = 1, .abid = (uint8_t)abid}, m);
        }
    }
}

static void integers_wrap_or_saturate(void **state)
{
    machine_t *const m = *state;
    for (unsigned n = 0; n < SHAPE_COUNT; n++)
        if (shapes[n].a == KILN_MFMA_I8)
            for (unsigned clamp = 0; clamp < 2; clamp++) {
                fill_all(&shapes[n], m, RAW);
                for (unsigned at = 0; at < 33 * 64; at++)
                    m->c[at] = at & 1 ? 0x7ffffff0u : 0x80000010u;
                check(&shapes[n], (kiln_mfma_options_t){.clamp = (uint8_t)clamp}, m);
            }
}

static void the_sum_is_biased_downwards_as_published(void **state)
{
    // One product of 2^-25 beside 1·1, accumulator 0: cut towards zero it vanishes. The same below the accumulator's
    // last bit is floored: -2^-40 takes a unit of 2^-31 away, which the final rounding still sees only if it reaches
    // half a unit of f32.
    machine_t *const m = *state;
    const kiln_mfma_shape_t s = {16, 16, 1, KILN_MFMA_F16, KILN_MFMA_F16, 0};
    memset(m, 0, sizeof *m);
    m->a[0] = 0x3c00;                  // A[0][0] = 1
    m->b[0] = 0x3c00;                  // B[0][0] = 1
    m->a[0] |= (uint32_t)0x0800 << 16; // A[0][1] = 2^-13
    m->b[0] |= (uint32_t)0x8c00 << 16; // B[0][1] = -2^-12
    m->d[0] = 0;
    executes[0](&s, &(kiln_mfma_options_t){0}, m->a, m->b, m->d);
    assert_int_equal(m->d[0], 0x3f800000);
    m->d[0] = 0xb3800000; // -2^-24: kept to 24 bits below 2^0; 1 - 2^-24 is representable
    executes[0](&s, &(kiln_mfma_options_t){0}, m->a, m->b, m->d);
    assert_int_equal(m->d[0], 0x3f7fffff);
    m->d[0] = 0x80000001; // a negative accumulator far below floors to -2^-24: the published asymmetry
    executes[0](&s, &(kiln_mfma_options_t){0}, m->a, m->b, m->d);
    assert_int_equal(m->d[0], 0x3f7fffff);
    m->d[0] = 0x00000001; // its positive twin vanishes
    executes[0](&s, &(kiln_mfma_options_t){0}, m->a, m->b, m->d);
    assert_int_equal(m->d[0], 0x3f800000);
}

static void f32_inputs_flush_when_asked(void **state)
{
    machine_t *const m = *state;
    const kiln_mfma_shape_t s = {16, 4, 1, KILN_MFMA_F32, KILN_MFMA_F32, 0};
    memset(m, 0, sizeof *m);
    m->a[0] = 0x00400000;
    m->b[0] = 0x7e800000; // 2^126
    executes[0](&s, &(kiln_mfma_options_t){0}, m->a, m->b, m->d);
    assert_int_equal(m->d[0], 0x3f000000);
    m->d[0] = 0x00000005;
    executes[0](&s, &(kiln_mfma_options_t){.flush_f32_inputs = 1}, m->a, m->b, m->d);
    assert_int_equal(m->d[0], 0x00000005); // C is never flushed
}

static void fast_mode_is_close(void **state)
{
    machine_t *const m = *state;
    for (unsigned n = 0; n < SHAPE_COUNT; n++) {
        const kiln_mfma_shape_t *const s = &shapes[n];
        if (s->a == KILN_MFMA_F64 || s->a == KILN_MFMA_I8)
            continue;
        fill_all(s, m, ORDINARY);
        static uint32_t exact[33 * 64], fast[33 * 64];
        memcpy(exact, m->c, sizeof exact);
        memcpy(fast, m->c, sizeof fast);
        executes[execute_count - 1](s, &(kiln_mfma_options_t){.index = m->index}, m->a, m->b, exact);
        executes[execute_count - 1](s, &(kiln_mfma_options_t){.mode = KILN_MFMA_FAST, .index = m->index}, m->a, m->b,
                                    fast);
        for (unsigned at = 0; at < (unsigned)s->n * s->n * s->blocks; at++)
            assert_true(fabsf(reference_as_f32(exact[at]) - reference_as_f32(fast[at])) <=
                            2e-4f * (1.0f + fabsf(reference_as_f32(exact[at]))) ||
                        exact[at] == fast[at] ||
                        (isnan(reference_as_f32(exact[at])) && isnan(reference_as_f32(fast[at]))));
    }
}

static int set_up(void **state)
{
#ifdef __x86_64__
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        executes[execute_count++] = kiln_mfma_execute_avx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        executes[execute_count++] = kiln_mfma_execute_avx512;
#endif
    *state = calloc(1, sizeof(machine_t));
    return *state == NULL;
}

static int tear_down(void **state)
{
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_multiplies_bit_for_bit),
        cmocka_unit_test(infinities_and_nans_are_found),
        cmocka_unit_test(broadcasts_move_lanes),
        cmocka_unit_test(integers_wrap_or_saturate),
        cmocka_unit_test(the_sum_is_biased_downwards_as_published),
        cmocka_unit_test(f32_inputs_flush_when_asked),
        cmocka_unit_test(fast_mode_is_close),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
