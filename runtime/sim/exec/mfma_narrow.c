// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exact matrix sums (defined in exec/mfma_exact.c) of 8-bit and sparse operands for hosts with
// AVX-512, if everything is finite and no exponent is extreme. This is nearly always the case;
// otherwise the function returns false, and exec/mfma_exact.c is used. (exec/mfma_fixed.c is
// faster, but limited to groups of eight products.)
//
// One fused multiply-add computes a product, truncates it and adds it. A double near 1.5 · 2^(E+28)
// has 2^(E-24) as its last place, so adding to it with rounding down floors to 24 bits below 2^E,
// and the low dword of its bits is the sum in these units. Products must be truncated towards zero
// instead of floored. To that end, B is scaled by 1 + 2^-30. This is less than the distance between
// products, so the floor of a positive product is unchanged, and the floor of a negative one is
// always one unit below its truncation. The sum starts from the number of negative products in the
// group, a count of sign bits. (A product has at most 22 significant bits and is a multiple of
// 2^-20 of its own 2^e <= 2^E, so 2^-30 of it is less than a unit of 2^(e-24) and than its own last
// bit.)
//
// The end of a group is computed in 32-bit integers. With x = max(E, c - 5), where c is the
// accumulator's exponent, products and accumulator together are an integer V below 2^31 in units of
// 2^(x-24), which is converted to f32 with the one rounding. If the accumulator's exponent is
// larger by more than five, products are shifted down: two bits more than V has are kept (31 bits
// below the accumulator's exponent, as in the machine) and folded into the last bit of V, which is
// below half a unit of the result.
//
// Notes: the rounding direction is encoded in the instructions, not in MXCSR. Exponents of groups
// are kept as 2^(E-24), the unit of their sums.
#include "exec/mfma.h"

#ifndef __AVX512F__
bool KILN_SIM_V(kiln_mfma_sum_narrow)(const kiln_mfma_shape_t *shape,
                                      const kiln_mfma_options_t *options, const uint32_t *a,
                                      const uint32_t *b, uint32_t *d)
{
    (void)shape, (void)options, (void)a, (void)b, (void)d;
    return false;
}
#else
#include <immintrin.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define DOWN (_MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)

// The lowest bit of the exponent field in f32, and in 16-bit words with the upper halves of f32.
enum { FIELD = 1 << 23, WORD_FIELD = 1 << 7, BIAS = 127 };
// Limits of the exponents of groups and of an operand's elements; a group of zeros counts as EMPTY.
enum { LARGEST = 100, SMALLEST = -96, EMPTY = -100 };
// Limits of the accumulator's magnitude as bits: zero, or between 2^-94 and 2^126.
#define SMALLEST_C ((uint32_t)(BIAS - 94) * FIELD)
#define LARGEST_C ((uint32_t)(BIAS + 126) * FIELD)

// How k is divided: into chains of `count` products, each with its own exponent. In 8-bit formats
// two chains, of the even and of the odd k, form a group. Element number `slot` along k is product
// slot % count of chain slot / count.
typedef struct plan {
    unsigned n, blocks, k, count;
    unsigned per_lane, width;
    bool is_8bit;
} plan_t;

// An operand: chunks of 16 rows (columns), each with its slots in sequence, so that all strides are
// constants.
enum { CHUNK = 16 };
typedef struct prepared {
    alignas(64) double f64[KILN_MFMA_MAX_ELEMENTS];
    // A: one word each, for 2^(e-24) and without bias. B: the word twice, so that one vector serves
    // two rows of A.
    alignas(64) uint32_t exponent[KILN_MFMA_MAX_ELEMENTS];
    // For each eight products or fewer: four bits in the low, four in the high byte of a word.
    alignas(64) uint32_t negative[KILN_MFMA_MAX_ELEMENTS / 4], nonzero[KILN_MFMA_MAX_ELEMENTS / 4];
    int largest, smallest; // exponents
} prepared_t;

typedef enum { IS_A, IS_B } side_t;

ALWAYS_INLINE void store_words(side_t side, uint32_t *rows, size_t at, __m512i words)
{
    if (side == IS_A)
        _mm256_storeu_si256((__m256i *)(void *)((uint16_t *)(void *)rows + at),
                            _mm512_cvtepi32_epi16(words));
    else
        _mm512_storeu_si512(rows + at, _mm512_or_si512(words, _mm512_slli_epi32(words, 16)));
}

ALWAYS_INLINE void prepare_chains(const plan_t *p, unsigned count, bool is_8bit, side_t side,
                                  const float *f32, int smallest, prepared_t *out)
{
    const __m512d more = _mm512_set1_pd(1.0 + 0x1p-30);
    const __m512i floor_field = _mm512_set1_epi32((smallest + BIAS) * FIELD);
    __m512i max = _mm512_setzero_si512(), min = _mm512_set1_epi32(INT32_MAX);
    const unsigned chunks = p->width / CHUNK, chains = p->k / count,
                   shift = (unsigned)__builtin_ctz(p->per_lane);
    size_t to = 0, octets = 0;
    for (unsigned part = 0; part < chunks * chains; part++) {
        const unsigned chunk = part / chains, chain = part % chains;
        // A chain consists of consecutive k, or of every other one.
        unsigned k = is_8bit ? (chain & ~1u) * count + chain % 2 : chain * count;
        for (unsigned octet = 0; octet < (count + 7) / 8; octet++, octets++) {
            __m512i negative = _mm512_setzero_si512(), nonzero = negative;
#pragma GCC unroll 8
            for (unsigned t = 0; t < (count < 8 ? count : 8);
                 t++, k += is_8bit ? 2 : 1, to += CHUNK) {
                const float *const from = f32 +
                                          (size_t)(k & (p->per_lane - 1)) * KILN_GFX942_LANES +
                                          (size_t)(k >> shift) * p->width + (size_t)chunk * CHUNK;
                const __m512i bits = _mm512_loadu_si512(from),
                              bit = _mm512_set1_epi32(1 << (t < 4 ? t : t + 4));
                const __mmask16 nonzero_lanes =
                    _mm512_test_epi32_mask(bits, _mm512_set1_epi32(INT32_MAX));
                const __m512i own = _mm512_and_si512(bits, _mm512_set1_epi32(255 * FIELD));
                const __m512i field = _mm512_max_epi32(own, floor_field);
                max = _mm512_max_epi32(max, field);
                min = _mm512_mask_min_epi32(min, nonzero_lanes, min, field);
                // (bits >> 31 & bit) | negative
                negative =
                    _mm512_ternarylogic_epi32(_mm512_srai_epi32(bits, 31), bit, negative, 0xea);
                nonzero = _mm512_mask_or_epi32(nonzero, nonzero_lanes, nonzero, bit);
                if (side == IS_A) {
                    const __m512i word = _mm512_mask_sub_epi32(
                        _mm512_set1_epi32(INT16_MIN), nonzero_lanes, _mm512_srli_epi32(field, 16),
                        _mm512_set1_epi32((BIAS + 24) * WORD_FIELD));
                    store_words(IS_A, out->exponent, to, word);
                    _mm512_storeu_pd(out->f64 + to, _mm512_cvtps_pd(_mm256_loadu_ps(from)));
                    _mm512_storeu_pd(out->f64 + to + 8, _mm512_cvtps_pd(_mm256_loadu_ps(from + 8)));
                } else {
                    const __m512i twice = _mm512_or_si512(field, _mm512_srli_epi32(field, 16));
                    _mm512_storeu_si512(out->exponent + to,
                                        _mm512_mask_mov_epi32(_mm512_set1_epi32((int)0x80008000u),
                                                              nonzero_lanes, twice));
                    const __m512d low = _mm512_cvtps_pd(_mm256_loadu_ps(from));
                    const __m512d high = _mm512_cvtps_pd(_mm256_loadu_ps(from + 8));
                    _mm512_storeu_pd(out->f64 + to, _mm512_mul_pd(low, more));
                    _mm512_storeu_pd(out->f64 + to + 8, _mm512_mul_pd(high, more));
                }
            }
            store_words(side, out->negative, (size_t)octets * CHUNK, negative);
            store_words(side, out->nonzero, (size_t)octets * CHUNK, nonzero);
        }
    }
    out->largest = _mm512_reduce_max_epi32(max) / FIELD - BIAS;
    out->smallest = _mm512_reduce_min_epi32(min) / FIELD - BIAS;
}

static __attribute__((noinline)) void prepare(const plan_t *p, side_t side, const float *f32,
                                              int smallest, prepared_t *out)
{
    if (p->is_8bit && p->count == 8)
        prepare_chains(p, 8, true, side, f32, smallest, out);
    else if (p->is_8bit)
        prepare_chains(p, 16, true, side, f32, smallest, out);
    else
        prepare_chains(p, 16, false, side, f32, smallest, out);
}

// Two words of A, for two rows, in every lane.
ALWAYS_INLINE __m512i two_rows(const uint16_t *words)
{
    int pair;
    memcpy(&pair, words, sizeof pair);
    return _mm512_set1_epi32(pair);
}

// The start of an operand's chain: at a row of A, or at a chunk of columns of B.
typedef struct start {
    const double *f64;
    const uint32_t *exponent, *negative, *nonzero;                // of B
    const uint16_t *exponent_word, *negative_word, *nonzero_word; // of A
} start_t;

ALWAYS_INLINE start_t start_of(const plan_t *p, unsigned count, const prepared_t *x, size_t row,
                               unsigned chain)
{
    const size_t octets = (count + 7) / 8, inside = row % CHUNK;
    const size_t slot = (row / CHUNK * p->k + (size_t)chain * count) * CHUNK + inside;
    const size_t octet = (row / CHUNK * (p->k / count * octets) + chain * octets) * CHUNK + inside;
    return (start_t){
        .f64 = x->f64 + slot,
        .exponent = x->exponent + slot,
        .negative = x->negative + octet,
        .nonzero = x->nonzero + octet,
        .exponent_word = (const uint16_t *)(const void *)x->exponent + slot,
        .negative_word = (const uint16_t *)(const void *)x->negative + octet,
        .nonzero_word = (const uint16_t *)(const void *)x->nonzero + octet,
    };
}

// The sums of one chain for ROWS rows and sixteen columns, and their units 2^(E-24) as the bits of
// an f32.
enum { ROWS = 8 };
typedef struct sums {
    __m512i sum[ROWS], unit[ROWS];
} sums_t;

ALWAYS_INLINE sums_t sum_chain(unsigned count, start_t a, start_t b)
{
    // Permutations of dwords to and from doubles: columns 0 to 7 and 8 to 15.
    const __m512i first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i second =
        _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    const __m512i low_dwords =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i ones_in_four = _mm512_set4_epi32(0x04030302, 0x03020201, 0x03020201, 0x02010100);
    const __m512i upper = _mm512_set1_epi32((int)0xffff0000u),
                  empty = _mm512_set1_epi16((EMPTY + BIAS - 24) * WORD_FIELD);
    sums_t out;
    __m512i largest[ROWS / 2], ones[ROWS / 2];
#pragma GCC unroll 8
    for (unsigned pair = 0; pair < ROWS / 2; pair++) {
        largest[pair] = empty;
        ones[pair] = _mm512_setzero_si512();
    }
#pragma GCC unroll 16
    for (unsigned t = 0; t < count; t++) {
        const __m512i exponent = _mm512_loadu_si512(b.exponent + t * CHUNK);
#pragma GCC unroll 8
        for (unsigned pair = 0; pair < ROWS / 2; pair++) {
            const __m512i rows = two_rows(a.exponent_word + t * CHUNK + pair * 2);
            largest[pair] = _mm512_max_epi16(largest[pair], _mm512_adds_epi16(rows, exponent));
        }
    }
#pragma GCC unroll 2
    for (unsigned octet = 0; octet < (count + 7) / 8; octet++)
#pragma GCC unroll 8
        for (unsigned pair = 0; pair < ROWS / 2; pair++) {
            const __m512i differ =
                _mm512_xor_si512(two_rows(a.negative_word + octet * CHUNK + pair * 2),
                                 _mm512_loadu_si512(b.negative + octet * CHUNK));
            const __m512i found = _mm512_ternarylogic_epi32(
                differ, two_rows(a.nonzero_word + octet * CHUNK + pair * 2),
                _mm512_loadu_si512(b.nonzero + octet * CHUNK), 0x80);
            ones[pair] = _mm512_add_epi16(
                ones[pair], _mm512_maddubs_epi16(_mm512_shuffle_epi8(ones_in_four, found),
                                                 _mm512_set1_epi8(1)));
        }
    __m512d total[ROWS][2];
#pragma GCC unroll 8
    for (unsigned r = 0; r < ROWS; r++) {
        const __m512i own = largest[r / 2], count_of_two = ones[r / 2];
        out.unit[r] = r % 2 ? _mm512_and_si512(own, upper) : _mm512_slli_epi32(own, 16);
        const __m512i low =
            r % 2 ? _mm512_srli_epi32(count_of_two, 16) : _mm512_andnot_si512(upper, count_of_two);
        // The upper dword of 1.5 · 2^52 units.
        const __m512i high =
            _mm512_add_epi32(_mm512_srli_epi32(out.unit[r], 3),
                             _mm512_set1_epi32((1023 - BIAS + 52) << 20 | 1 << 19));
        total[r][0] = _mm512_castsi512_pd(_mm512_permutex2var_epi32(low, first, high));
        total[r][1] = _mm512_castsi512_pd(_mm512_permutex2var_epi32(low, second, high));
    }
#pragma GCC unroll 16
    for (unsigned t = 0; t < count; t++) {
        const __m512d low = _mm512_loadu_pd(b.f64 + t * CHUNK),
                      high = _mm512_loadu_pd(b.f64 + t * CHUNK + 8);
#pragma GCC unroll 8
        for (unsigned r = 0; r < ROWS; r++) {
            const __m512d left = _mm512_set1_pd(a.f64[t * CHUNK + r]);
            total[r][0] = _mm512_fmadd_round_pd(left, low, total[r][0], DOWN);
            total[r][1] = _mm512_fmadd_round_pd(left, high, total[r][1], DOWN);
        }
    }
#pragma GCC unroll 8
    for (unsigned r = 0; r < ROWS; r++)
        out.sum[r] = _mm512_permutex2var_epi32(_mm512_castpd_si512(total[r][0]), low_dwords,
                                               _mm512_castpd_si512(total[r][1]));
    return out;
}

// Shifts down by `by`. Of the lost bits only the upper two count; they are folded into the lowest
// bit that remains.
ALWAYS_INLINE __m512i shift_down(__m512i sum, __m512i by, bool is_8bit)
{
    if (!is_8bit) { // sums are below 2^29
        const __m512i kept = _mm512_srav_epi32(_mm512_slli_epi32(sum, 2), by);
        const __mmask16 more = _mm512_test_epi32_mask(kept, _mm512_set1_epi32(3));
        const __m512i down = _mm512_srai_epi32(kept, 2);
        return _mm512_mask_or_epi32(down, more, down, _mm512_set1_epi32(1));
    }
    const __m512i last = _mm512_min_epi32(by, _mm512_set1_epi32(2));
    const __m512i kept = _mm512_srav_epi32(sum, _mm512_sub_epi32(by, last)),
                  down = _mm512_srav_epi32(kept, last);
    const __mmask16 more = _mm512_cmpneq_epi32_mask(_mm512_sllv_epi32(down, last), kept);
    return _mm512_mask_or_epi32(down, more, down, _mm512_set1_epi32(1));
}

// The lower bound of x due to the accumulator, c - 5: 2^(c-5-24) as the bits of an f32.
ALWAYS_INLINE __m512i own_unit(__m512 c)
{
    const __m512i own = _mm512_and_si512(_mm512_castps_si512(c), _mm512_set1_epi32(255 * FIELD));
    return _mm512_sub_epi32(own, _mm512_set1_epi32((24 + 5) * FIELD));
}

// `shifts`: whether x may differ from the products' exponent.
ALWAYS_INLINE __m512 add_to_accumulator(__m512i sum, __m512i unit, __m512 c, bool shifts,
                                        bool is_8bit)
{
    const __m512i own = own_unit(c), x = shifts ? _mm512_max_epi32(unit, own) : unit;
    const __m512i by = _mm512_srli_epi32(_mm512_sub_epi32(x, unit), 23);
    const __m512 inverse =
        _mm512_castsi512_ps(_mm512_sub_epi32(_mm512_set1_epi32((int)(2u * BIAS * FIELD)), x));
    // 8-bit forms drop an accumulator whose exponent is below E - 25 instead of rounding it down.
    const __mmask16 kept =
        is_8bit ? _mm512_cmpge_epi32_mask(
                      own, _mm512_sub_epi32(unit, _mm512_set1_epi32((5 + 25) * FIELD)))
                : 0xffff;
    const __m512i accumulator =
        _mm512_maskz_cvt_roundps_epi32(kept, _mm512_mul_ps(c, inverse), DOWN);
    const __m512i v = _mm512_add_epi32(accumulator, shifts ? shift_down(sum, by, is_8bit) : sum);
    return _mm512_mul_ps(_mm512_cvtepi32_ps(v), _mm512_castsi512_ps(x));
}

ALWAYS_INLINE void add_to_accumulators(const sums_t *s, __m512 *c, bool is_8bit)
{
    __mmask16 none_shifts = 0xffff;
#pragma GCC unroll 8
    for (unsigned r = 0; r < ROWS; r++)
        none_shifts = _mm512_mask_cmple_epi32_mask(none_shifts, own_unit(c[r]), s->unit[r]);
    if (none_shifts == 0xffff) {
#pragma GCC unroll 8
        for (unsigned r = 0; r < ROWS; r++)
            c[r] = add_to_accumulator(s->sum[r], s->unit[r], c[r], false, is_8bit);
    } else {
#pragma GCC unroll 8
        for (unsigned r = 0; r < ROWS; r++)
            c[r] = add_to_accumulator(s->sum[r], s->unit[r], c[r], true, is_8bit);
    }
}

// Joins even and odd products: aligns both to the larger of their exponents, rounding down.
ALWAYS_INLINE void join(sums_t *even, const sums_t *odd)
{
#pragma GCC unroll 8
    for (unsigned r = 0; r < ROWS; r++) {
        const __m512i unit = _mm512_max_epi32(even->unit[r], odd->unit[r]);
        const __m512i by_even = _mm512_srli_epi32(_mm512_sub_epi32(unit, even->unit[r]), 23);
        const __m512i by_odd = _mm512_srli_epi32(_mm512_sub_epi32(unit, odd->unit[r]), 23);
        even->sum[r] = _mm512_add_epi32(_mm512_srav_epi32(even->sum[r], by_even),
                                        _mm512_srav_epi32(odd->sum[r], by_odd));
        even->unit[r] = unit;
    }
}

ALWAYS_INLINE void sum_all(const plan_t *p, const kiln_mfma_shape_t *shape, unsigned count,
                           bool is_8bit, const prepared_t *a, const prepared_t *b, uint32_t *d)
{
    const unsigned chains = p->k / count;
    const size_t far = p->n == 16 ? 16 : 32; // distance from row i to row i + 4 within eight rows
    for (unsigned block = 0; block < p->blocks; block++)
        for (unsigned i = 0; i < p->n; i += ROWS)
            for (unsigned j = 0; j < p->n; j += 16) {
                const size_t row = block * p->n + i, column = block * p->n + j;
                uint32_t *const place = d + kiln_mfma_row_offset(shape, block, i) + j;
                __m512 c[ROWS];
#pragma GCC unroll 8
                for (unsigned r = 0; r < ROWS; r++)
                    c[r] =
                        _mm512_loadu_ps(place + r / 4 * far + (size_t)(r % 4) * KILN_GFX942_LANES);
                for (unsigned chain = 0; chain < chains; chain += is_8bit ? 2 : 1) {
                    sums_t s = sum_chain(count, start_of(p, count, a, row, chain),
                                         start_of(p, count, b, column, chain));
                    if (is_8bit) {
                        const sums_t odd = sum_chain(count, start_of(p, count, a, row, chain + 1),
                                                     start_of(p, count, b, column, chain + 1));
                        join(&s, &odd);
                    }
                    add_to_accumulators(&s, c, is_8bit);
                }
#pragma GCC unroll 8
                for (unsigned r = 0; r < ROWS; r++)
                    _mm512_storeu_ps(place + r / 4 * far + (size_t)(r % 4) * KILN_GFX942_LANES,
                                     c[r]);
            }
}

// Whether a group has products other than zero, but none that is at least 2^SMALLEST.
static bool has_tiny_group(const plan_t *p, const prepared_t *a, const prepared_t *b)
{
    const __m512i min = _mm512_set1_epi16((SMALLEST + BIAS - 24) * WORD_FIELD);
    __mmask32 tiny = 0;
    for (unsigned row = 0; row < p->width; row += 2)
        for (unsigned j = 0; j < p->n; j += CHUNK)
            for (unsigned chain = 0; chain < p->k / p->count; chain++) {
                const start_t left = start_of(p, p->count, a, row, chain);
                const start_t right = start_of(p, p->count, b, row / p->n * p->n + j, chain);
                __m512i largest = _mm512_set1_epi16(INT16_MIN), nonzero = _mm512_setzero_si512();
                for (unsigned t = 0; t < p->count; t++)
                    largest = _mm512_max_epi16(
                        largest, _mm512_adds_epi16(two_rows(left.exponent_word + t * CHUNK),
                                                   _mm512_loadu_si512(right.exponent + t * CHUNK)));
                for (unsigned octet = 0; octet < (p->count + 7) / 8; octet++)
                    nonzero = _mm512_or_si512(
                        nonzero,
                        _mm512_and_si512(two_rows(left.nonzero_word + octet * CHUNK),
                                         _mm512_loadu_si512(right.nonzero + octet * CHUNK)));
                tiny |= _mm512_mask_cmplt_epi16_mask(_mm512_test_epi16_mask(nonzero, nonzero),
                                                     largest, min);
            }
    return tiny != 0;
}

static bool is_narrow(const plan_t *p, const prepared_t *a, const prepared_t *b, const uint32_t *d)
{
    if (a->largest > LARGEST || b->largest > LARGEST || a->largest + b->largest > LARGEST)
        return false;
    const bool none_is_zero = a->smallest <= LARGEST && b->smallest <= LARGEST; // throughout
    if (none_is_zero && a->smallest + b->smallest < SMALLEST && has_tiny_group(p, a, b))
        return false;
    __mmask16 bad = 0;
    for (unsigned i = 0; i < p->n * p->width; i += 16) {
        const __m512i bits =
            _mm512_and_si512(_mm512_loadu_si512(d + i), _mm512_set1_epi32(INT32_MAX));
        bad |=
            _mm512_mask_cmpgt_epu32_mask(_mm512_test_epi32_mask(bits, bits),
                                         _mm512_sub_epi32(bits, _mm512_set1_epi32((int)SMALLEST_C)),
                                         _mm512_set1_epi32((int)(LARGEST_C - SMALLEST_C)));
    }
    return bad == 0;
}

static int smallest_exponent(kiln_mfma_type_t type)
{
    return type == KILN_MFMA_F16   ? -14
           : type == KILN_MFMA_FP8 ? -7
           : type == KILN_MFMA_BF8 ? -15
                                   : -126;
}

// Kernels multiply the same registers with several others. The latest operand prepared from
// registers with this hash is reused if they still hold the same values.
typedef struct memo {
    kiln_mfma_shape_t shape;
    bool valid;
    alignas(64) uint32_t registers[4 * KILN_GFX942_LANES];
    prepared_t prepared;
} memo_t;
enum { MEMOS = 8 };
static _Thread_local memo_t memos[2][MEMOS];

static const prepared_t *prepared(const plan_t *p, side_t side, const kiln_mfma_shape_t *shape,
                                  const kiln_mfma_options_t *options, const uint32_t *registers)
{
    const kiln_mfma_type_t type = side == IS_A ? shape->a : shape->b;
    memo_t *const memo = &memos[side][kiln_mfma_memo_of(registers, MEMOS)];
    const size_t dwords = (size_t)kiln_mfma_registers(shape, type) * KILN_GFX942_LANES;
    const bool plain =
        side == IS_A ? !options->cbsz && !shape->sparse : !options->blgp || shape->sparse;
    if (plain && memo->valid && kiln_mfma_same_shape(shape, &memo->shape) &&
        kiln_mfma_same_dwords(registers, memo->registers, dwords))
        return &memo->prepared;
    kiln_mfma_elements_t elements;
    if (side == IS_A)
        KILN_SIM_V(kiln_mfma_unpack_a)(shape, options, registers, &elements);
    else
        KILN_SIM_V(kiln_mfma_unpack_b)(shape, options, registers, &elements);
    prepare(p, side, elements.f32, smallest_exponent(type), &memo->prepared);
    memo->valid = plain;
    memo->shape = *shape;
    memcpy(memo->registers, registers, plain ? dwords * sizeof *registers : 0);
    return &memo->prepared;
}

bool KILN_SIM_V(kiln_mfma_sum_narrow)(const kiln_mfma_shape_t *shape,
                                      const kiln_mfma_options_t *options, const uint32_t *a,
                                      const uint32_t *b, uint32_t *d)
{
    const bool is_8bit = shape->a == KILN_MFMA_FP8 || shape->a == KILN_MFMA_BF8;
    if (shape->n == 4 || !(is_8bit || shape->sparse))
        return false;
    plan_t p = {.n = shape->n,
                .blocks = shape->blocks,
                .k = shape->k,
                .per_lane = kiln_mfma_per_lane(shape)};
    p.width = p.n * p.blocks;
    p.is_8bit = is_8bit;
    p.count = shape->sparse ? 16 : 8; // half of the dense elements are inserted zeros
    const prepared_t *const left = prepared(&p, IS_A, shape, options, a);
    const prepared_t *const right = prepared(&p, IS_B, shape, options, b);
    if (!is_narrow(&p, left, right, d))
        return false;
    if (p.is_8bit && p.count == 8)
        sum_all(&p, shape, 8, true, left, right, d);
    else if (p.is_8bit)
        sum_all(&p, shape, 16, true, left, right, d);
    else
        sum_all(&p, shape, 16, false, left, right, d);
    return true;
}
#endif
