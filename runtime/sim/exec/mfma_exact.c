// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the matrix cores sum products of f16, bf16, xf32, fp8 and bf8: in groups along k. Each group
// is aligned to its largest exponent, truncated, and added to the accumulator with one rounding:
//
//   E = largest exponent sum in the group
//       every product is truncated towards zero to 24 bits below 2^E, and added exactly
//   M = max(E, exponent of the accumulator)
//       that sum is rounded down to 31 bits below 2^M, the accumulator to 24
//   accumulator = their sum, rounded once to nearest even
//
// (Measured on MI300 by MMA-Sim, arXiv 2511.10909; see docs/gfx942.md, 2.3.)
//
// Pitfalls: "rounded down" is floor, not truncation, so the result is not symmetric in sign.
// Exponents are sums of the operands' exponents, so 1.5·1.5 counts as 2^0.
#include "core/numeric.h"
#include "exec/mfma.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { ZERO_EXPONENT = -4096 };

// An operand's elements and their exponents, not normalized: a subnormal has the exponent of the
// format's smallest normal number.
typedef struct operand {
    const float *f32;
    alignas(64) int32_t exponent[KILN_MFMA_MAX_ELEMENTS]; // ZERO_EXPONENT for zero
    bool plain; // all finite, with exponents so small that products and their alignment fit in f32
} operand_t;

// The operands of a sum; `k` holds kiln_mfma_element of each k.
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

// 2^n for n in the normal range of f64.
ALWAYS_INLINE double power_of_two(int64_t n)
{
    return kiln_f64_of_bits((uint64_t)(n + 1023) << 52);
}

ALWAYS_INLINE int32_t exponent_of_f32(uint32_t bits)
{
    const int32_t field = (int32_t)(bits >> 23 & 0xff);
    return (field > 1 ? field : 1) - 127;
}

// The last two steps of the formula above. `sum` is in units of 2^(e-24). 8-bit forms drop a much
// smaller accumulator instead of rounding it down.
ALWAYS_INLINE float add_to_accumulator(double sum, int32_t e, float accumulator, bool is_8bit)
{
    const int32_t exponent = exponent_of_f32(kiln_bits_of_f32(accumulator));
    const int32_t m = e > exponent ? e : exponent;
    const double products = floor(sum * power_of_two(e + 7 - m));
    double kept = floor((double)accumulator * power_of_two(24 - m));
    if (is_8bit)
        kept = exponent < m - 25 ? 0.0 : kept;
    const float result = (float)((products + kept * 128.0) * power_of_two(m - 31));
    return result == result ? result : NAN; // the canonical NaN, not the accumulator's
}

ALWAYS_INLINE float scale_to_24_bits(int32_t e)
{
    return kiln_f32_of_bits((uint32_t)(24 + 127 - (e > -100 ? e : -100)) << 23);
}

// A group's operands for some columns of one row: `at` are the offsets of its products from the
// row's and the columns' first element.
typedef struct group {
    const size_t *at;
    const float *a, *b;
    const int32_t *ea, *eb;
} group_t;

// Adds a group of plain elements: products are exact in f32, and conversion to integer truncates
// them.
ALWAYS_INLINE void add_plain(unsigned columns, unsigned count, group_t g, float *restrict row)
{
    for (size_t j = 0; j < columns; j++) {
        int32_t e = -126;
#pragma GCC unroll 16
        for (size_t k = 0; k < count; k++) {
            const int32_t sum = g.ea[g.at[k]] + g.eb[g.at[k] + j];
            e = sum > e ? sum : e;
        }
        const float scale = scale_to_24_bits(e);
        int32_t sum = 0;
#pragma GCC unroll 16
        for (size_t k = 0; k < count; k++)
            sum += (int32_t)(g.a[g.at[k]] * g.b[g.at[k] + j] * scale);
        row[j] = add_to_accumulator((double)sum, e, row[j], false);
    }
}

// The same for 8-bit formats: products of even and odd k are aligned separately, then joined with
// floor.
ALWAYS_INLINE void add_plain_8bit(unsigned columns, unsigned count, group_t g, float *restrict row)
{
    for (size_t j = 0; j < columns; j++) {
        int32_t e0 = -126, e1 = -126;
#pragma GCC unroll 16
        for (size_t k = 0; k < count; k += 2) {
            const int32_t even = g.ea[g.at[k]] + g.eb[g.at[k] + j],
                          odd = g.ea[g.at[k + 1]] + g.eb[g.at[k + 1] + j];
            e0 = even > e0 ? even : e0;
            e1 = odd > e1 ? odd : e1;
        }
        const float scale0 = scale_to_24_bits(e0), scale1 = scale_to_24_bits(e1);
        int32_t sum0 = 0, sum1 = 0;
#pragma GCC unroll 16
        for (size_t k = 0; k < count; k += 2) {
            sum0 += (int32_t)(g.a[g.at[k]] * g.b[g.at[k] + j] * scale0);
            sum1 += (int32_t)(g.a[g.at[k + 1]] * g.b[g.at[k + 1] + j] * scale1);
        }
        const int32_t e = e0 > e1 ? e0 : e1;
        const int32_t shift0 = e - e0 < 31 ? e - e0 : 31, shift1 = e - e1 < 31 ? e - e1 : 31;
        row[j] = add_to_accumulator((double)((sum0 >> shift0) + (sum1 >> shift1)), e, row[j], true);
    }
}

// The general case in f64: infinities, NaN, and any exponents. `parts` is 2 if even and odd k are
// aligned separately.
ALWAYS_INLINE void add_any(unsigned columns, unsigned count, unsigned parts, group_t g,
                           float *restrict row)
{
    double all[16], max[16] = {0}, min[16] = {0}, sum[2][16] = {{0}}, scale[2][16];
    int64_t e[2][16];
    for (unsigned j = 0; j < columns; j++) {
        all[j] = (double)row[j];
        e[0][j] = e[1][j] = 2 * ZERO_EXPONENT;
    }
    for (unsigned k = 0; k < count; k++) {
        const double left = (double)g.a[g.at[k]];
        const int64_t left_exponent = g.ea[g.at[k]];
        const float *const restrict b = g.b + g.at[k];
        const int32_t *const restrict eb = g.eb + g.at[k];
        int64_t *const restrict largest = e[k % parts];
        for (unsigned j = 0; j < columns; j++) {
            const double product = left * (double)b[j];
            all[j] += product;
            max[j] = product > max[j] ? product : max[j];
            min[j] = product < min[j] ? product : min[j];
            const int64_t exponents = left_exponent + (int64_t)eb[j];
            const int64_t exponent = exponents < ZERO_EXPONENT / 2 ? -126 : exponents;
            largest[j] = exponent > largest[j] ? exponent : largest[j];
        }
    }
    for (unsigned part = 0; part < parts; part++)
        for (unsigned j = 0; j < columns; j++)
            scale[part][j] = power_of_two(24 - e[part][j]);
    for (unsigned k = 0; k < count; k++) {
        const double left = (double)g.a[g.at[k]];
        const float *const restrict b = g.b + g.at[k];
        double *const restrict to = sum[k % parts], *const restrict by = scale[k % parts];
        for (unsigned j = 0; j < columns; j++)
            to[j] += trunc(left * (double)b[j] * by[j]);
    }
    for (unsigned j = 0; j < columns; j++) {
        int64_t largest = e[0][j];
        double products = sum[0][j];
        if (parts == 2) {
            largest = e[1][j] > largest ? e[1][j] : largest;
            products = floor(products * power_of_two(e[0][j] - largest)) +
                       floor(sum[1][j] * power_of_two(e[1][j] - largest));
        }
        // A product beyond f32 yields an infinity, unless A, B or C already contains an infinity or
        // NaN.
        const float finite = add_to_accumulator(products, (int32_t)largest, row[j], parts == 2);
        const bool up = max[j] >= 0x1p128, down = min[j] <= -0x1p128;
        const float found = up && down ? NAN : up ? INFINITY : down ? -INFINITY : finite;
        const bool is_number = all[j] == all[j], is_finite = all[j] - all[j] == 0.0;
        row[j] = is_finite ? found : is_number ? (float)all[j] : NAN;
    }
}

typedef enum { PLAIN, PLAIN_8BIT, ANY, ANY_8BIT } path_t;

ALWAYS_INLINE void sum_rows(const sum_t *s, unsigned columns, unsigned count, path_t path)
{
    const unsigned n = s->shape->n;
    for (unsigned block = 0; block < s->shape->blocks; block++)
        for (unsigned i = 0; i < n; i++)
            for (unsigned j = 0; j < n; j += columns) {
                float row[16];
                register_f32_t *const place = row_of(s, block, i) + j;
                const size_t left = block * n + i, right = block * n + j;
                memcpy(row, place, columns * sizeof *row);
                for (unsigned k = 0; k < s->shape->k; k += count) {
                    const group_t g = {s->k + k, s->a->f32 + left, s->b->f32 + right,
                                       s->a->exponent + left, s->b->exponent + right};
                    if (path == PLAIN)
                        add_plain(columns, count, g, row);
                    else if (path == PLAIN_8BIT)
                        add_plain_8bit(columns, count, g, row);
                    else
                        add_any(columns, count, path == ANY_8BIT ? 2 : 1, g, row);
                }
                memcpy(place, row, columns * sizeof *row);
            }
}

// Constant arguments let the compiler vectorize.
static void sum_exact(const sum_t *s, bool plain)
{
    const kiln_mfma_shape_t *const shape = s->shape;
    const bool is_8bit = shape->a == KILN_MFMA_FP8 || shape->a == KILN_MFMA_BF8;
    unsigned count = is_8bit ? 16 : shape->a == KILN_MFMA_XF32 ? 4 : shape->k < 8 ? shape->k : 8;
    if (shape->sparse)
        count *= 2; // half of the dense elements are inserted zeros
    if (is_8bit && !plain)
        sum_rows(s, 16, count, ANY_8BIT);
    else if (is_8bit && count == 16)
        sum_rows(s, 16, 16, PLAIN_8BIT);
    else if (is_8bit)
        sum_rows(s, 16, 32, PLAIN_8BIT);
    else if (shape->n == 4)
        plain ? sum_rows(s, 4, 4, PLAIN) : sum_rows(s, 4, 4, ANY);
    else if (!plain)
        sum_rows(s, 16, count, ANY);
    else if (count == 4)
        sum_rows(s, 16, 4, PLAIN);
    else if (count == 8)
        sum_rows(s, 16, 8, PLAIN);
    else
        sum_rows(s, 16, 16, PLAIN);
}

static int32_t smallest_exponent(kiln_mfma_type_t type)
{
    return type == KILN_MFMA_F16   ? -14
           : type == KILN_MFMA_FP8 ? -7
           : type == KILN_MFMA_BF8 ? -15
                                   : -126;
}

static void find_exponents(operand_t *out, unsigned count, int32_t smallest)
{
    uint32_t special = 0;
    for (unsigned i = 0; i < count; i++) {
        const uint32_t bits = kiln_bits_of_f32(out->f32[i]);
        const int32_t field = (int32_t)(bits >> 23 & 0xff) - 127,
                      e = field > smallest ? field : smallest;
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
    find_exponents(&left, kiln_mfma_per_lane(shape) * KILN_GFX942_LANES,
                   smallest_exponent(shape->a));
    find_exponents(&right, kiln_mfma_per_lane(shape) * KILN_GFX942_LANES,
                   smallest_exponent(shape->b));
    sum_exact(&s, left.plain && right.plain);
}
