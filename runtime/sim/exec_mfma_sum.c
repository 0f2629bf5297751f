// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the matrix cores sum products. f64 and f32: a chain of fused multiply-adds. i8: exactly. All others: in groups
// along k, each of which is aligned to its largest exponent and cut off below, then added to the accumulator with one
// rounding:
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

// One group for a row of n accumulators where all elements are plain: products are exact in f32, cutting is conversion
// to integer.
ALWAYS_INLINE void add_group(unsigned n, unsigned count, unsigned stride, const float *restrict a,
                             const int32_t *restrict ea, const float *restrict b, const int32_t *restrict eb,
                             float *restrict row)
{
    for (unsigned j = 0; j < n; j++) {
        int32_t e = -126;
#pragma GCC unroll 16
        for (unsigned k = 0; k < count; k++) {
            const int32_t sum = ea[k * stride] + eb[k * stride + j];
            e = sum > e ? sum : e;
        }
        const float scale = kiln_f32_of_bits((uint32_t)(24 + 127 - (e > -100 ? e : -100)) << 23);
        int32_t sum = 0;
#pragma GCC unroll 16
        for (unsigned k = 0; k < count; k++)
            sum += (int32_t)(a[k * stride] * b[k * stride + j] * scale);
        row[j] = add_to_accumulator((double)sum, e, row[j], false);
    }
}

// The same for 8-bit formats: products of even and odd k are aligned apart, then joined with floor.
ALWAYS_INLINE void add_group_8bit(unsigned n, unsigned count, unsigned stride, const float *restrict a,
                                  const int32_t *restrict ea, const float *restrict b, const int32_t *restrict eb,
                                  float *restrict row)
{
    for (unsigned j = 0; j < n; j++) {
        int32_t e0 = -126, e1 = -126;
#pragma GCC unroll 16
        for (unsigned k = 0; k < count; k += 2) {
            const int32_t even = ea[k * stride] + eb[k * stride + j];
            const int32_t odd = ea[(k + 1) * stride] + eb[(k + 1) * stride + j];
            e0 = even > e0 ? even : e0;
            e1 = odd > e1 ? odd : e1;
        }
        const float scale0 = kiln_f32_of_bits((uint32_t)(24 + 127 - (e0 > -100 ? e0 : -100)) << 23);
        const float scale1 = kiln_f32_of_bits((uint32_t)(24 + 127 - (e1 > -100 ? e1 : -100)) << 23);
        int32_t sum0 = 0, sum1 = 0;
#pragma GCC unroll 16
        for (unsigned k = 0; k < count; k += 2) {
            sum0 += (int32_t)(a[k * stride] * b[k * stride + j] * scale0);
            sum1 += (int32_t)(a[(k + 1) * stride] * b[(k + 1) * stride + j] * scale1);
        }
        const int32_t e = e0 > e1 ? e0 : e1;
        const int32_t shift0 = e - e0 < 31 ? e - e0 : 31, shift1 = e - e1 < 31 ? e - e1 : 31;
        row[j] = add_to_accumulator((double)((sum0 >> shift0) + (sum1 >> shift1)), e, row[j], true);
    }
}

// The general case, one element: infinities, NaN, and exponents anywhere.
static float add_group_any(unsigned count, unsigned stride, const float *a, const int32_t *ea, const float *b,
                           const int32_t *eb, float accumulator, bool is_8bit)
{
    double all = (double)accumulator;
    bool positive = false, negative = false;
    int32_t e[2] = {-4096, -4096};
    for (unsigned k = 0; k < count; k++) {
        const double product = (double)a[k * stride] * (double)b[k * stride];
        all += product;
        positive |= product >= 0x1p128;
        negative |= product <= -0x1p128;
        const int32_t exponent = product == 0.0 ? -126 : ea[k * stride] + eb[k * stride];
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
        const double product = (double)a[k * stride] * (double)b[k * stride];
        sums[part] += trunc(ldexp(product, 24 - e[part]));
    }
    int32_t largest = e[0];
    if (is_8bit) {
        largest = e[0] > e[1] ? e[0] : e[1];
        sums[0] = floor(ldexp(sums[0], e[0] - largest)) + floor(ldexp(sums[1], e[1] - largest));
    }
    return add_to_accumulator(sums[0], largest, accumulator, is_8bit);
}

ALWAYS_INLINE float *row_of(const kiln_mfma_shape_t *shape, uint32_t *d, unsigned block, unsigned i)
{
    typedef float __attribute__((may_alias)) register_f32_t;
    return (register_f32_t *)(d + kiln_mfma_row_offset(shape, block, i));
}

ALWAYS_INLINE void sum_plain(const kiln_mfma_shape_t *shape, unsigned n, unsigned count, bool is_8bit,
                             const kiln_mfma_elements_t *a, const kiln_mfma_elements_t *b, uint32_t *d)
{
    const unsigned width = n * shape->blocks;
    for (unsigned block = 0; block < shape->blocks; block++)
        for (unsigned i = 0; i < n; i++) {
            float row[32];
            float *const place = row_of(shape, d, block, i);
            memcpy(row, place, n * sizeof *row);
            for (unsigned k = 0; k < shape->k; k += count) {
                const unsigned at = k * width + block * n + i, bt = k * width + block * n;
                if (is_8bit)
                    add_group_8bit(n, count, width, a->f32 + at, a->exponent + at, b->f32 + bt, b->exponent + bt, row);
                else
                    add_group(n, count, width, a->f32 + at, a->exponent + at, b->f32 + bt, b->exponent + bt, row);
            }
            memcpy(place, row, n * sizeof *row);
        }
}

static void sum_any(const kiln_mfma_shape_t *shape, unsigned count, bool is_8bit, const kiln_mfma_elements_t *a,
                    const kiln_mfma_elements_t *b, uint32_t *d)
{
    const unsigned n = shape->n, width = n * shape->blocks;
    for (unsigned block = 0; block < shape->blocks; block++)
        for (unsigned i = 0; i < n; i++) {
            float row[32];
            float *const place = row_of(shape, d, block, i);
            memcpy(row, place, n * sizeof *row);
            for (unsigned k = 0; k < shape->k; k += count)
                for (unsigned j = 0; j < n; j++) {
                    const unsigned at = k * width + block * n + i, bt = k * width + block * n + j;
                    row[j] = add_group_any(count, width, a->f32 + at, a->exponent + at, b->f32 + bt, b->exponent + bt,
                                           row[j], is_8bit);
                }
            memcpy(place, row, n * sizeof *row);
        }
}

static void sum_exact(const kiln_mfma_shape_t *shape, const kiln_mfma_elements_t *a, const kiln_mfma_elements_t *b,
                      uint32_t *d)
{
    const bool is_8bit = shape->a == KILN_MFMA_FP8 || shape->a == KILN_MFMA_BF8;
    unsigned count = is_8bit ? 16 : shape->a == KILN_MFMA_XF32 ? 4 : shape->k < 8 ? shape->k : 8;
    if (shape->sparse)
        count *= 2; // half of the dense elements are zeros that were not there
    if (!a->plain || !b->plain) {
        sum_any(shape, count, is_8bit, a, b, d);
        return;
    }
    if (is_8bit && count == 16 && shape->n == 16)
        sum_plain(shape, 16, 16, true, a, b, d);
    else if (is_8bit && count == 16 && shape->n == 32)
        sum_plain(shape, 32, 16, true, a, b, d);
    else if (is_8bit)
        sum_plain(shape, shape->n, count, true, a, b, d);
    else if (count == 8 && shape->n == 16)
        sum_plain(shape, 16, 8, false, a, b, d);
    else if (count == 8 && shape->n == 32)
        sum_plain(shape, 32, 8, false, a, b, d);
    else if (count == 4 && shape->n == 16)
        sum_plain(shape, 16, 4, false, a, b, d);
    else if (count == 4 && shape->n == 32)
        sum_plain(shape, 32, 4, false, a, b, d);
    else
        sum_plain(shape, shape->n, count, false, a, b, d);
}

ALWAYS_INLINE void sum_fused(const kiln_mfma_shape_t *shape, unsigned n, const kiln_mfma_elements_t *a,
                             const kiln_mfma_elements_t *b, uint32_t *d)
{
    const unsigned width = n * shape->blocks;
    for (unsigned block = 0; block < shape->blocks; block++)
        for (unsigned i = 0; i < n; i++) {
            float row[32];
            float *const place = row_of(shape, d, block, i);
            memcpy(row, place, n * sizeof *row);
            for (unsigned k = 0; k < shape->k; k++) {
                const float left = a->f32[k * width + block * n + i];
                const float *const right = b->f32 + k * width + block * n;
                for (unsigned j = 0; j < n; j++)
                    row[j] = fmaf(left, right[j], row[j]);
            }
            memcpy(place, row, n * sizeof *row);
        }
}

static void sum_f32(const kiln_mfma_shape_t *shape, const kiln_mfma_elements_t *a, const kiln_mfma_elements_t *b,
                    uint32_t *d)
{
    if (shape->n == 32)
        sum_fused(shape, 32, a, b, d);
    else if (shape->n == 16)
        sum_fused(shape, 16, a, b, d);
    else
        sum_fused(shape, 4, a, b, d);
}

static void sum_f64(const kiln_mfma_shape_t *shape, const kiln_mfma_elements_t *a, const kiln_mfma_elements_t *b,
                    uint32_t *d)
{
    const unsigned n = shape->n, width = n * shape->blocks;
    for (unsigned block = 0; block < shape->blocks; block++)
        for (unsigned i = 0; i < n; i++) {
            uint32_t *const low = d + kiln_mfma_row_offset(shape, block, i), *const high = low + KILN_SIM_LANES;
            for (unsigned j = 0; j < n; j++) {
                double sum = kiln_f64_of_bits((uint64_t)high[j] << 32 | low[j]);
                for (unsigned k = 0; k < shape->k; k++)
                    sum = fma(a->f64[k * width + block * n + i], b->f64[k * width + block * n + j], sum);
                low[j] = (uint32_t)kiln_bits_of_f64(sum);
                high[j] = (uint32_t)(kiln_bits_of_f64(sum) >> 32);
            }
        }
}

ALWAYS_INLINE void sum_integers(const kiln_mfma_shape_t *shape, unsigned n, unsigned clamp,
                                const kiln_mfma_elements_t *a, const kiln_mfma_elements_t *b, uint32_t *d)
{
    const unsigned width = n * shape->blocks;
    for (unsigned block = 0; block < shape->blocks; block++)
        for (unsigned i = 0; i < n; i++) {
            int32_t sum[32] = {0}; // at most 64 products of 16 bits
            for (unsigned k = 0; k < shape->k; k++) {
                const int32_t left = a->i32[k * width + block * n + i];
                const int32_t *const right = b->i32 + k * width + block * n;
                for (unsigned j = 0; j < n; j++)
                    sum[j] += left * right[j];
            }
            uint32_t *const row = d + kiln_mfma_row_offset(shape, block, i);
            for (unsigned j = 0; j < n; j++) {
                const int64_t total = (int64_t)(int32_t)row[j] + sum[j];
                const int64_t bounded = total > INT32_MAX ? INT32_MAX : total < INT32_MIN ? INT32_MIN : total;
                row[j] = (uint32_t)(clamp ? bounded : total);
            }
        }
}

static void sum_i8(const kiln_mfma_shape_t *shape, unsigned clamp, const kiln_mfma_elements_t *a,
                   const kiln_mfma_elements_t *b, uint32_t *d)
{
    if (shape->n == 32)
        sum_integers(shape, 32, clamp, a, b, d);
    else if (shape->n == 16)
        sum_integers(shape, 16, clamp, a, b, d);
    else
        sum_integers(shape, 4, clamp, a, b, d);
}

void KILN_SIM_V(kiln_mfma_sum)(const kiln_mfma_shape_t *shape, const kiln_mfma_options_t *options,
                               const kiln_mfma_elements_t *a, const kiln_mfma_elements_t *b, uint32_t *d)
{
    if (shape->a == KILN_MFMA_F64)
        sum_f64(shape, a, b, d);
    else if (shape->a == KILN_MFMA_I8)
        sum_i8(shape, options->clamp, a, b, d);
    else if (shape->a == KILN_MFMA_F32 || options->mode == KILN_MFMA_FAST)
        sum_f32(shape, a, b, d);
    else
        sum_exact(shape, a, b, d);
}
