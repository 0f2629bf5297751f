// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix sums that are chains of fused multiply-adds in k order, starting from C: f64 and f32
// always, all others in the fast mode. i8 is the same chain starting from zero, because its sums
// stay below 2^24 and are exact in f32.
//
// The kernel is an outer product: each element of a column of A is broadcast and multiplied with a
// row of B, which is a vector. D's rows are vectors, too, and stay in host registers over all k.
//
// Pitfalls: products of 8- and 16-bit formats are exact in f32, but their sums are rounded at every
// step. The bits of a NaN would depend on its position among the operands of the host's
// instruction, so every NaN is made canonical.
#ifdef __FMA__
#include <immintrin.h>
#endif

#include "core/numeric.h"
#include "exec/mfma.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { NAN_BITS = 0x7fc00000 };

#if defined(__AVX512F__)
typedef __m512 vector_t;
enum { VECTOR = 16, ROWS_OF_16 = 16, ROWS_OF_32 = 8 }; // rows of D in host registers at a time
#define ZERO() _mm512_setzero_ps()
#define LOAD(p) _mm512_loadu_ps(p)
#define STORE(p, v) _mm512_storeu_ps(p, v)
#define FUSED(a, b, c) _mm512_fmadd_ps(_mm512_set1_ps(a), b, c)
#define QUADS_FUSED(a, i, b, c) _mm512_fmadd_ps(_mm512_permute_ps(a, (i) * 0x55), b, c)

// The table has four bits for each class of values: NaNs of both kinds select the canonical one;
// all other values are copied.
ALWAYS_INLINE vector_t canonical(vector_t v)
{
    return _mm512_fixupimm_ps(_mm512_castsi512_ps(_mm512_set1_epi32(NAN_BITS)), v,
                              _mm512_set1_epi32(0x11111100), 0);
}

ALWAYS_INLINE vector_t add_integers(vector_t sum, vector_t c)
{
    return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_cvttps_epi32(sum), _mm512_castps_si512(c)));
}
#elif defined(__FMA__)
typedef __m256 vector_t;
enum { VECTOR = 8, ROWS_OF_16 = 4, ROWS_OF_32 = 2 };
#define ZERO() _mm256_setzero_ps()
#define LOAD(p) _mm256_loadu_ps(p)
#define STORE(p, v) _mm256_storeu_ps(p, v)
#define FUSED(a, b, c) _mm256_fmadd_ps(_mm256_set1_ps(a), b, c)
#define QUADS_FUSED(a, i, b, c) _mm256_fmadd_ps(_mm256_permute_ps(a, (i) * 0x55), b, c)

ALWAYS_INLINE vector_t canonical(vector_t v)
{
    return _mm256_blendv_ps(v, _mm256_castsi256_ps(_mm256_set1_epi32(NAN_BITS)),
                            _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
}

ALWAYS_INLINE vector_t add_integers(vector_t sum, vector_t c)
{
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_cvttps_epi32(sum), _mm256_castps_si256(c)));
}
#endif

typedef float __attribute__((may_alias)) register_f32_t;

// A chain to add: the elements of a block's row 0 and column 0, and the position of each k.
#define EACH_K(c)                                                                                  \
    for (size_t k_group = 0; k_group < (c).groups; k_group++)                                      \
        for (size_t at = k_group * (c).width, end = at + (size_t)(c).per_lane * KILN_GFX942_LANES; \
             at < end; at += KILN_GFX942_LANES)

typedef struct chain {
    const float *a, *b;
    unsigned per_lane, groups,
        width;     // k = group * per_lane + inside is at offset inside * 64 + group * width
    bool integers; // start from zero and add to C as integers
} chain_t;

#ifdef __FMA__
// Adds to `rows` rows of n columns. Rows i and i + 4 are `far` apart; rows within four are a
// register apart.
ALWAYS_INLINE void add_rows(chain_t c, unsigned n, unsigned rows, size_t far, float *d)
{
    register_f32_t *const place = d;
    vector_t sum[16][4];
#define EACH_VECTOR                                                                                \
    _Pragma("GCC unroll 16") for (unsigned i = 0; i < rows; i++)                                   \
        _Pragma("GCC unroll 4") for (unsigned v = 0; v < n / VECTOR; v++)
#define PLACE (place + i / 4 * far + i % 4 * KILN_GFX942_LANES + v * VECTOR)
    EACH_VECTOR
    sum[i][v] = c.integers ? ZERO() : LOAD(PLACE);
    EACH_K(c)
    {
        vector_t row[4];
#pragma GCC unroll 4
        for (unsigned v = 0; v < n / VECTOR; v++)
            row[v] = LOAD(c.b + at + v * VECTOR);
        EACH_VECTOR
        sum[i][v] = FUSED(c.a[at + i], row[v], sum[i][v]);
    }
    EACH_VECTOR
    STORE(PLACE, c.integers ? add_integers(sum[i][v], LOAD(PLACE)) : canonical(sum[i][v]));
#undef PLACE
#undef EACH_VECTOR
}

ALWAYS_INLINE void add_block(chain_t c, const kiln_mfma_shape_t *shape, unsigned n, unsigned rows,
                             unsigned block, uint32_t *d)
{
    // For n = 16, rows i and i + 4 are adjacent. For n = 32, this holds for every other four rows,
    // so a step is eight rows.
    const size_t far = n == 16 ? 16 : 32;
    for (unsigned i = 0; i < n; i += rows) {
        float *const place = (float *)(void *)(d + kiln_mfma_row_offset(shape, block, i));
        chain_t part = c;
        part.a += i;
        add_rows(part, n, rows, far, place);
    }
}

// Sixteen products of 4 x 4: a register row holds one row of D of each, and each four lanes use
// their own four elements of A.
ALWAYS_INLINE void add_quads(chain_t c, float *d)
{
    register_f32_t *const place = d;
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane += VECTOR) {
        vector_t sum[4];
#pragma GCC unroll 4
        for (unsigned i = 0; i < 4; i++)
            sum[i] = c.integers ? ZERO() : LOAD(place + i * KILN_GFX942_LANES + lane);
        EACH_K(c)
        {
            const vector_t column = LOAD(c.a + at + lane), row = LOAD(c.b + at + lane);
            sum[0] = QUADS_FUSED(column, 0, row, sum[0]);
            sum[1] = QUADS_FUSED(column, 1, row, sum[1]);
            sum[2] = QUADS_FUSED(column, 2, row, sum[2]);
            sum[3] = QUADS_FUSED(column, 3, row, sum[3]);
        }
#pragma GCC unroll 4
        for (unsigned i = 0; i < 4; i++) {
            register_f32_t *const at = place + i * KILN_GFX942_LANES + lane;
            STORE(at, c.integers ? add_integers(sum[i], LOAD(at)) : canonical(sum[i]));
        }
    }
}
#else
// The same in plain C, for hosts without fused multiply-adds (`fmaf` is a function there).
ALWAYS_INLINE void add_rows_scalar(chain_t c, const kiln_mfma_shape_t *shape, unsigned block,
                                   uint32_t *d)
{
    const unsigned n = shape->n;
    for (unsigned i = 0; i < n; i++) {
        float sum[32];
        uint32_t *const row = d + kiln_mfma_row_offset(shape, block, i);
        for (unsigned j = 0; j < n; j++)
            sum[j] = c.integers ? 0.0f : kiln_f32_of_bits(row[j]);
        EACH_K(c)
        {
            const float a = c.a[at + i], *const b = c.b + at;
            for (unsigned j = 0; j < n; j++)
                sum[j] = c.integers ? a * b[j] + sum[j] : fmaf(a, b[j], sum[j]);
        }
        for (unsigned j = 0; j < n; j++)
            row[j] = c.integers         ? row[j] + (uint32_t)(int32_t)sum[j]
                     : sum[j] != sum[j] ? (uint32_t)NAN_BITS
                                        : kiln_bits_of_f32(sum[j]);
    }
}
#endif

ALWAYS_INLINE void add_products(const kiln_mfma_shape_t *shape, chain_t c, uint32_t *d)
{
    const float *const a = c.a, *const b = c.b;
#ifdef __FMA__
    if (shape->n == 4) {
        add_quads(c, (float *)(void *)d);
        return;
    }
#endif
    for (unsigned block = 0; block < shape->blocks; block++) {
        c.a = a + (size_t)block * shape->n;
        c.b = b + (size_t)block * shape->n;
#ifdef __FMA__
        if (shape->n == 16)
            add_block(c, shape, 16, ROWS_OF_16, block, d);
        else
            add_block(c, shape, 32, ROWS_OF_32, block, d);
#else
        add_rows_scalar(c, shape, block, d);
#endif
    }
}

ALWAYS_INLINE void add_double_row(const chain_t *c, const double *a, const double *b, unsigned n,
                                  double *sum)
{
#ifdef __FMA__
    __m256d part[4];
#pragma GCC unroll 4
    for (unsigned v = 0; v < n / 4; v++)
        part[v] = _mm256_loadu_pd(sum + v * 4);
    EACH_K(*c)
    {
        const __m256d left = _mm256_set1_pd(a[at]);
#pragma GCC unroll 4
        for (unsigned v = 0; v < n / 4; v++)
            part[v] = _mm256_fmadd_pd(left, _mm256_loadu_pd(b + at + v * 4), part[v]);
    }
#pragma GCC unroll 4
    for (unsigned v = 0; v < n / 4; v++)
        _mm256_storeu_pd(sum + v * 4, part[v]);
#else
    EACH_K(*c)
    for (unsigned j = 0; j < n; j++)
        sum[j] = fma(a[at], b[at + j], sum[j]);
#endif
}

// The register file holds an f64 as a low and a high dword in two rows.
ALWAYS_INLINE void add_doubles(const kiln_mfma_elements_t *a, const kiln_mfma_elements_t *b,
                               const chain_t *c, const kiln_mfma_shape_t *shape, unsigned n,
                               uint32_t *d)
{
    for (unsigned block = 0; block < shape->blocks; block++)
        for (unsigned i = 0; i < n; i++) {
            uint32_t *const low = d + kiln_mfma_row_offset(shape, block, i), *const high =
                                                                                 low +
                                                                                 KILN_GFX942_LANES;
            uint32_t dwords[32];
            double sum[16];
            for (unsigned j = 0; j < n; j++) {
                dwords[2 * j] = low[j];
                dwords[2 * j + 1] = high[j];
            }
            memcpy(sum, dwords, n * sizeof *sum);
            add_double_row(c, a->f64 + block * n + i, b->f64 + block * n, n, sum);
            for (unsigned j = 0; j < n; j++)
                sum[j] = sum[j] != sum[j] ? (double)NAN : sum[j]; // 0x7ff8…
            memcpy(dwords, sum, n * sizeof *sum);
            for (unsigned j = 0; j < n; j++) {
                low[j] = dwords[2 * j];
                high[j] = dwords[2 * j + 1];
            }
        }
}

// i8 with CLAMP: the products are first summed into rows of zeros.
static void add_saturated(const kiln_mfma_shape_t *shape, chain_t c, uint32_t *d)
{
    uint32_t sum[32 * KILN_GFX942_LANES] = {0};
    add_products(shape, c, sum);
    for (unsigned i = 0; i < (unsigned)shape->n * shape->n * shape->blocks; i++) {
        const int64_t total = (int64_t)(int32_t)d[i] + (int32_t)sum[i];
        d[i] = (uint32_t)(total > INT32_MAX ? INT32_MAX : total < INT32_MIN ? INT32_MIN : total);
    }
}

void KILN_SIM_V(kiln_mfma_sum)(const kiln_mfma_shape_t *shape, const kiln_mfma_options_t *options,
                               const kiln_mfma_elements_t *a, const kiln_mfma_elements_t *b,
                               uint32_t *d)
{
    const unsigned width = (unsigned)shape->n * shape->blocks, per_lane = kiln_mfma_per_lane(shape);
    const unsigned groups = KILN_GFX942_LANES / width;
    const chain_t chain = {a->f32, b->f32, per_lane, groups, width, shape->a == KILN_MFMA_I8};
    if (shape->a == KILN_MFMA_F64 && shape->n == 16)
        add_doubles(a, b, &chain, shape, 16, d);
    else if (shape->a == KILN_MFMA_F64)
        add_doubles(a, b, &chain, shape, 4, d);
    else if (chain.integers && options->clamp)
        add_saturated(shape, chain, d);
    else if (chain.integers)
        add_products(shape, (chain_t){a->f32, b->f32, per_lane, groups, width, true}, d);
    else
        add_products(shape, (chain_t){a->f32, b->f32, per_lane, groups, width, false}, d);
}
