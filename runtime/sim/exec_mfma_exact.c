// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the matrix cores sum products of f16, bf16, xf32, fp8 and bf8: in groups along k, each of which is aligned to its
// largest exponent and cut off below, then added to the accumulator with one rounding:
//
//   E = largest exponent sum in the group       every product, cut towards zero to 24 bits below 2^E, added exactly
//   M = max(E, exponent of the accumulator)     that sum rounded down to 31 bits below 2^M, the accumulator to 24
//   accumulator = their sum, rounded once to nearest even
//
// (measured on MI300 by MMA-Sim, arXiv 2511.10909; in our words in reference/gfx942.md, section 2.3.) What a reader
// gets wrong: "rounded down" is floor, not truncation, so the result is not symmetric in sign; and exponents are sums
// of the operands' exponents, so 1.5·1.5 counts as 2^0.
#include "mfma.h"
#include "numeric.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { ZERO_EXPONENT = -4096 };

// An operand's elements and their exponents, not renormalised: a subnormal has that of the format's smallest normal.
typedef struct operand {
    const float *f32;
    alignas(64) int32_t exponent[KILN_MFMA_MAX_ELEMENTS]; // ZERO_EXPONENT for zero
    bool plain; // all finite, and exponents so small that products and their alignment stay inside f32
} operand_t;

// Everything a sum needs to find its operands; `k` holds kiln_mfma_element of each k.
typedef struct sum {
    const kiln_mfma_shape_t *shape;
    operand_t *a, *b;
    uint32_t *d;
    size_t k[KILN_MFMA_MAX_K];
} sum_t;

typedef float __attribute__((may_alias)) register_f32_t;

ALWAYS_INLINE register_f32_t *row_of(const sum_t *s, unsigned block, unsigned i)
{
    return (register_f32_t *)(s->d + kiln_mfma_row_offset(s->shape, block, i));
}

// 2^n, n in the normal range of f64.
ALWAYS_INLINE double power_of_two(int32_t n)
{
    return kiln_f64_of_bits((uint64_t)((int64_t)n + 1023) << 52);
}

ALWAYS_INLINE int32_t exponent_of_f32(uint32_t bits)
{
    const int32_t field = (int32_t)(bits >> 23 & 0xff);
    return (field > 1 ? field : 1) - 127;
}

// Steps 3 and 4. `sum` is in units of 2^(e-24). In 8-bit forms a far smaller accumulator is dropped instead of rounded
// down.
ALWAYS_INLINE float add_to_accumulator(double sum, int32_t e, float accumulator, bool is_8bit)
{
    const int32_t exponent = exponent_of_f32(kiln_bits_of_f32(accumulator));
    const int32_t m = e > exponent ? e : exponent;
    const double products = floor(sum * power_of_two(e + 7 - m));
    double kept = floor((double)accumulator * power_of_two(24 - m));
    if (is_8bit)
        kept = exponent < m - 25 ? 0.0 : kept;
    return (float)((products + kept * 128.0) * power_of_two(m - 31));
}

ALWAYS_INLINE float scale_to_24_bits(int32_t e)
{
    return kiln_f32_of_bits((uint32_t)(24 + 127 - (e > -100 ? e : -100)) << 23);
}

// The shape of a group as constants, for the compiler to unroll: rows of n, `count` products, and where
// kiln_mfma_element puts product k of a group relative to the first.
typedef struct group {
    unsigned n, count, per_lane, width;
} group_t;

#define AT(k) (k % g.per_lane * KILN_SIM_LANES + k / g.per_lane * g.width)

// One group for a row of n accumulators where all elements are plain: products are exact in f32, cutting is conversion
// to integer. `a` and `b` point to the group's first element of the row and of the block.
ALWAYS_INLINE void add_group(group_t g, const float *restrict a, const int32_t *restrict ea, const float *restrict b,
                             const int32_t *restrict eb, float *restrict row)
{
    for (size_t j = 0; j < g.n; j++) {
        int32_t e = -126;
#pragma GCC unroll 16
        for (size_t k = 0; k < g.count; k++) {
            const int32_t sum = ea[AT(k)] + eb[AT(k) + j];
            e = sum > e ? sum : e;
        }
        const float scale = scale_to_24_bits(e);
        int32_t sum = 0;
#pragma GCC unroll 16
        for (size_t k = 0; k < g.count; k++)
            sum += (int32_t)(a[AT(k)] * b[AT(k) + j] * scale);
        row[j] = add_to_accumulator((double)sum, e, row[j], false);
    }
}

// The same for 8-bit formats: products of even and odd k are aligned apart, then joined with floor.
ALWAYS_INLINE void add_group_8bit(group_t g, const float *restrict a, const int32_t *restrict ea,
                                  const float *restrict b, const int32_t *restrict eb, float *restrict row)
{
    for (size_t j = 0; j < g.n; j++) {
        int32_t e0 = -126, e1 = -126;
#pragma GCC unroll 16
        for (size_t k = 0; k < g.count; k += 2) {
            const int32_t even = ea[AT(k)] + eb[AT(k) + j], odd = ea[AT((k + 1))] + eb[AT((k + 1)) + j];
            e0 = even > e0 ? even : e0;
            e1 = odd > e1 ? odd : e1;
        }
        const float scale0 = scale_to_24_bits(e0), scale1 = scale_to_24_bits(e1);
        int32_t sum0 = 0, sum1 = 0;
#pragma GCC unroll 16
        for (size_t k = 0; k < g.count; k += 2) {
            sum0 += (int32_t)(a[AT(k)] * b[AT(k) + j] * scale0);
            sum1 += (int32_t)(a[AT((k + 1))] * b[AT((k + 1)) + j] * scale1);
        }
        const int32_t e = e0 > e1 ? e0 : e1;
        const int32_t shift0 = e - e0 < 31 ? e - e0 : 31, shift1 = e - e1 < 31 ? e - e1 : 31;
        row[j] = add_to_accumulator((double)((sum0 >> shift0) + (sum1 >> shift1)), e, row[j], true);
    }
}

// The general case, one element: infinities, NaN, and exponents anywhere.
static float add_group_any(unsigned count, const size_t *at, const float *a, const int32_t *ea, const float *b,
                           const int32_t *eb, float accumulator, bool is_8bit)
{
    double all = (double)accumulator;
    bool positive = false, negative = false;
    int32_t e[2] = {ZERO_EXPONENT, ZERO_EXPONENT};
    for (unsigned k = 0; k < count; k++) {
        const double product = (double)a[at[k]] * (double)b[at[k]];
        all += product;
        positive |= product >= 0x1p128;
        negative |= product <= -0x1p128;
        const int32_t exponent = product == 0.0 ? -126 : ea[at[k]] + eb[at[k]];
        int32_t *const largest = &e[is_8bit ? k & 1 : 0];
        *largest = exponent > *largest ? exponent : *largest;
    }
    if (all != all || isinf(all))
        return (float)all;
    if (positive || negative)
        return positive && negative ? NAN : positive ? INFINITY : -INFINITY;
    double sums[2] = {0.0, 0.0};
    for (unsigned k = 0; k < count; k++) {
        const unsigned part = is_8bit ? k & 1 : 0;
        const double product = (double)a[at[k]] * (double)b[at[k]];
        sums[part] += trunc(ldexp(product, 24 - e[part]));
    }
    int32_t largest = e[0];
    if (is_8bit) {
        largest = e[0] > e[1] ? e[0] : e[1];
        sums[0] = floor(ldexp(sums[0], e[0] - largest)) + floor(ldexp(sums[1], e[1] - largest));
    }
    return add_to_accumulator(sums[0], largest, accumulator, is_8bit);
}

ALWAYS_INLINE void sum_plain(const sum_t *s, group_t g, bool is_8bit)
{
    for (unsigned block = 0; block < s->shape->blocks; block++)
        for (unsigned i = 0; i < g.n; i++) {
            float row[32];
            float *const place = row_of(s, block, i);
            memcpy(row, place, g.n * sizeof *row);
            for (unsigned k = 0; k < s->shape->k; k += g.count) {
                const size_t column = s->k[k] + block * g.n, line = column + i;
                if (is_8bit)
                    add_group_8bit(g, s->a->f32 + line, s->a->exponent + line, s->b->f32 + column,
                                   s->b->exponent + column, row);
                else
                    add_group(g, s->a->f32 + line, s->a->exponent + line, s->b->f32 + column, s->b->exponent + column,
                              row);
            }
            memcpy(place, row, g.n * sizeof *row);
        }
}

static void sum_any(const sum_t *s, unsigned count, bool is_8bit)
{
    const unsigned n = s->shape->n;
    for (unsigned block = 0; block < s->shape->blocks; block++)
        for (unsigned i = 0; i < n; i++) {
            float row[32];
            float *const place = row_of(s, block, i);
            memcpy(row, place, n * sizeof *row);
            for (unsigned k = 0; k < s->shape->k; k += count)
                for (unsigned j = 0; j < n; j++) {
                    const unsigned line = block * n + i, column = block * n + j;
                    row[j] = add_group_any(count, s->k + k, s->a->f32 + line, s->a->exponent + line, s->b->f32 + column,
                                           s->b->exponent + column, row[j], is_8bit);
                }
            memcpy(place, row, n * sizeof *row);
        }
}

static bool is_group(group_t g, unsigned n, unsigned count, unsigned per_lane, unsigned width)
{
    return g.n == n && g.count == count && g.per_lane == per_lane && g.width == width;
}

// The shapes that kernels use get their own copies of the loops.
#define FOR_GROUP(n, count, per_lane, width, is_8bit)                                                                  \
    if (is_group(g, n, count, per_lane, width)) {                                                                      \
        sum_plain(s, (group_t){n, count, per_lane, width}, is_8bit);                                                   \
        return;                                                                                                        \
    }

static void sum_exact_8bit(const sum_t *s, group_t g)
{
    FOR_GROUP(16, 16, 8, 16, true)
    FOR_GROUP(32, 16, 8, 32, true)
    sum_plain(s, g, true);
}

static void sum_exact(const sum_t *s)
{
    const kiln_mfma_shape_t *const shape = s->shape;
    const bool is_8bit = shape->a == KILN_MFMA_FP8 || shape->a == KILN_MFMA_BF8;
    unsigned count = is_8bit ? 16 : shape->a == KILN_MFMA_XF32 ? 4 : shape->k < 8 ? shape->k : 8;
    if (shape->sparse)
        count *= 2; // half of the dense elements are zeros that were not there
    const group_t g = {shape->n, count, kiln_mfma_per_lane(shape), (unsigned)shape->n * shape->blocks};
    if (!s->a->plain || !s->b->plain) {
        sum_any(s, count, is_8bit);
        return;
    }
    if (is_8bit) {
        sum_exact_8bit(s, g);
        return;
    }
    FOR_GROUP(16, 8, 4, 16, false)
    FOR_GROUP(32, 8, 4, 32, false)
    FOR_GROUP(16, 4, 2, 16, false)
    FOR_GROUP(32, 4, 2, 32, false)
    sum_plain(s, g, false);
}

static int32_t smallest_exponent(kiln_mfma_type_t type)
{
    return type == KILN_MFMA_F16 ? -14 : type == KILN_MFMA_FP8 ? -7 : type == KILN_MFMA_BF8 ? -15 : -126;
}

static void find_exponents(operand_t *out, unsigned count, int32_t smallest)
{
    uint32_t special = 0;
    for (unsigned i = 0; i < count; i++) {
        const uint32_t bits = kiln_bits_of_f32(out->f32[i]);
        const int32_t field = (int32_t)(bits >> 23 & 0xff) - 127, e = field > smallest ? field : smallest;
        const bool zero = (bits & 0x7fffffffu) == 0;
        out->exponent[i] = zero ? ZERO_EXPONENT : e;
        special |= (e < -48 || e > 48) && !zero;
    }
    out->plain = !special;
}

void KILN_SIM_V(kiln_mfma_sum_exact)(const kiln_mfma_shape_t *shape, const kiln_mfma_elements_t *a,
                                     const kiln_mfma_elements_t *b, uint32_t *d)
{
    operand_t left, right;
    sum_t s;
    s.shape = shape;
    s.a = &left;
    s.b = &right;
    s.d = d;
    left.f32 = a->f32;
    right.f32 = b->f32;
    for (unsigned k = 0; k < shape->k; k++)
        s.k[k] = kiln_mfma_element(shape, k);
    find_exponents(&left, kiln_mfma_per_lane(shape) * KILN_SIM_LANES, smallest_exponent(shape->a));
    find_exponents(&right, kiln_mfma_per_lane(shape) * KILN_SIM_LANES, smallest_exponent(shape->b));
    sum_exact(&s);
}
