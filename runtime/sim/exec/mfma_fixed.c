// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exact matrix sums (defined in exec/mfma_exact.c) of dense f16, bf16 and xf32 for hosts with
// AVX-512, if A and B are finite and not extreme. This is nearly always the case; otherwise the
// function returns false, and exec/mfma_exact.c is used.
//
// A group is summed in doubles that serve as fixed-point numbers. A double near 2^(E+28) has U =
// 2^(E-24) as its last place, so a fused multiply-add that rounds down floors a product to units of
// U and adds it. The accumulator is added in the same way, floored to 24 bits below 2^E. This is
// correct while its exponent is at most E + 7: an accumulator above 2^E keeps all its bits, and
// only the products must be floored, to 31 bits below its exponent, but they are multiples of U.
// The result minus the double's initial value is exact and is rounded to f32 once.
//
// Products must be truncated towards zero instead of floored. To that end, B is scaled by 1 +
// 2^-30. This is less than the distance between products, so the floor of a positive product is
// unchanged, and the floor of a negative one is always one unit below its truncation. The number of
// products with a negative sign is counted and added. (A product has at most 22 significant bits
// and is below 2^(e+2), a multiple of 2^(e-20), e <= E: 2^-30 of it is less than U and than
// 2^(e-20).) A zero becomes 2^-300 of the same sign: its products are below U, so that they
// contribute nothing, or one negative unit that is counted, too.
//
// A double starts as [exponent E + 28][negative products + 4, a nibble] ... [2^31][low byte: rest
// of E, the nibble again]. The first nibble keeps the double away from the ends of its binade, the
// second one is the count. An accumulator beyond 2^31 units changes the upper half; products are
// then floored relative to the accumulator's exponent (floor_below). If it leaves the double's
// binade, sum and accumulator are added separately (add_apart).
//
// Notes: the rounding direction is encoded in the instructions, not in MXCSR. The exponents of four
// rows are in one vector, sixteen columns in four 128-bit lanes, so that spreading them to doubles
// never crosses a lane. The exponent of a zero counts as -126, the lower limit of all exponents.
#include "exec/mfma.h"

#ifndef __AVX512F__
bool KILN_SIM_V(kiln_mfma_sum_fixed)(const kiln_mfma_shape_t *shape,
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
#define NEAREST (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)

enum { FIELD = 1 << 23, BIAS = 127 };
// Exponents as bytes: B's minus A's byte is E + 130, saturated to zero if one of the elements is
// zero.
enum {
    BYTE_A = 64,
    BYTE_B = 130 + BYTE_A,
    BYTE_OF_ZERO_A = 255,
    LARGEST = 60,
    SMALLEST_BYTE = 130 - 126
};
// The upper 16 bits of a double near 2^(E+28) are (byte << 4) plus this.
enum { UPPER = (1023 + 28 - 130) << 4 };

enum { CHUNK = 16, MAX_ELEMENTS = 4 * KILN_GFX942_LANES, MAX_CHAINS = 4 };

// How k is divided: into chains of `count` products, each with its own exponent.
typedef struct plan {
    unsigned n, blocks, k, count, chains;
    unsigned per_lane, width;
} plan_t;

// An operand: chunks of 16 rows (columns), each with its k in sequence. A has one byte for each
// element; B has it four times, in the order of `columns_in_lanes`.
typedef struct prepared {
    alignas(64) double f64[MAX_ELEMENTS];
    alignas(64) uint8_t exponent[4 * MAX_ELEMENTS];
    alignas(64) uint8_t
        negative[MAX_CHAINS][2][4 * CHUNK]; // by chunk and chain: one bit for each of four k, twice
    uint8_t zero[MAX_CHAINS];               // bit h: rows (columns) 8 · h to 8 · h + 7 are all zero
    int largest, smallest;                  // exponents
} prepared_t;

typedef enum { IS_A, IS_B } side_t;

// Stores sixteen dwords as bytes.
ALWAYS_INLINE void store_bytes(side_t side, uint8_t *to, __m512i dwords)
{
    const __m512i columns_in_lanes =
        _mm512_setr_epi32(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
    const __m512i four_times = _mm512_set4_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0);
    if (side == IS_A)
        _mm_storeu_si128((__m128i *)(void *)to, _mm512_cvtepi32_epi8(dwords));
    else
        _mm512_storeu_si512(
            to,
            _mm512_shuffle_epi8(_mm512_permutexvar_epi32(columns_in_lanes, dwords), four_times));
}

ALWAYS_INLINE void store_doubles(side_t side, double *to, __m256 f32, __mmask8 zero)
{
    const __m512i tiny = _mm512_set1_epi64((int64_t)(1023 - 300) << 52);
    const __m512i bits = _mm512_castpd_si512(_mm512_cvtps_pd(f32));
    const __m512d value = _mm512_castsi512_pd(_mm512_mask_or_epi64(bits, zero, bits, tiny));
    _mm512_store_pd(to, side == IS_A ? value : _mm512_mul_pd(value, _mm512_set1_pd(1.0 + 0x1p-30)));
}

ALWAYS_INLINE void prepare_chains(const plan_t *p, unsigned count, side_t side, const float *f32,
                                  int smallest, prepared_t *out)
{
    const __m512i floor_field = _mm512_set1_epi32((smallest + BIAS) * FIELD),
                  magnitude = _mm512_set1_epi32(INT32_MAX);
    __m512i max = _mm512_setzero_si512(), min = _mm512_set1_epi32(INT32_MAX);
    const unsigned chunks = p->width / CHUNK, shift = (unsigned)__builtin_ctz(p->per_lane);
    const size_t bytes = side == IS_A ? CHUNK : 4 * CHUNK;
    size_t to = 0;
    for (unsigned part = 0; part < chunks * p->chains; part++) {
        const unsigned chunk = part / p->chains;
        unsigned k = part % p->chains * count;
        __m512i negative[2] = {_mm512_setzero_si512(), _mm512_setzero_si512()}, any = negative[0];
#pragma GCC unroll 8
        for (unsigned t = 0; t < count; t++, k++, to++) {
            const float *const from = f32 + (size_t)(k & (p->per_lane - 1)) * KILN_GFX942_LANES +
                                      (size_t)(k >> shift) * p->width + (size_t)chunk * CHUNK;
            const __m512i bits = _mm512_load_si512(from), bit = _mm512_set1_epi32(1 << t % 4);
            const __mmask16 zero = _mm512_testn_epi32_mask(bits, magnitude);
            const __m512i own = _mm512_and_si512(bits, _mm512_set1_epi32(255 * FIELD));
            const __m512i field = _mm512_max_epi32(own, floor_field),
                          exponent = _mm512_srli_epi32(field, 23);
            any = _mm512_ternarylogic_epi32(any, bits, magnitude, 0xf8); // any | (bits & magnitude)
            max = _mm512_max_epi32(max, own);
            // (bits >> 31 & bit) | negative
            negative[t / 4] =
                _mm512_ternarylogic_epi32(_mm512_srai_epi32(bits, 31), bit, negative[t / 4], 0xea);
            if (side == IS_A) {
                const __m512i byte = _mm512_sub_epi32(_mm512_set1_epi32(BYTE_A + BIAS), exponent);
                min = _mm512_min_epi32(min, _mm512_mask_mov_epi32(field, zero, magnitude));
                store_bytes(IS_A, out->exponent + to * bytes,
                            _mm512_mask_mov_epi32(byte, zero, _mm512_set1_epi32(BYTE_OF_ZERO_A)));
            } else {
                const __m512i byte = _mm512_add_epi32(exponent, _mm512_set1_epi32(BYTE_B - BIAS));
                min = _mm512_min_epi32(min, _mm512_mask_mov_epi32(field, zero, magnitude));
                store_bytes(IS_B, out->exponent + to * bytes,
                            _mm512_mask_mov_epi32(byte, zero, _mm512_setzero_si512()));
            }
            store_doubles(side, out->f64 + to * CHUNK, _mm256_load_ps(from), (__mmask8)zero);
            store_doubles(side, out->f64 + to * CHUNK + 8, _mm256_load_ps(from + 8),
                          (__mmask8)_kshiftri_mask16(zero, 8));
        }
        store_bytes(side, out->negative[part][0], negative[0]);
        if (count > 4)
            store_bytes(side, out->negative[part][1], negative[1]);
        const __mmask16 nonzero_lanes = _mm512_test_epi32_mask(any, any);
        out->zero[part] = (uint8_t)((nonzero_lanes & 0xff ? 0 : 1) | (nonzero_lanes >> 8 ? 0 : 2));
    }
    out->largest = _mm512_reduce_max_epi32(max) / FIELD - BIAS;
    out->smallest = _mm512_reduce_min_epi32(min) / FIELD - BIAS;
}

static __attribute__((noinline)) void prepare(const plan_t *p, side_t side, const float *f32,
                                              int smallest, prepared_t *out)
{
    if (p->count == 4 && side == IS_A)
        prepare_chains(p, 4, IS_A, f32, smallest, out);
    else if (p->count == 4)
        prepare_chains(p, 4, IS_B, f32, smallest, out);
    else if (side == IS_A)
        prepare_chains(p, 8, IS_A, f32, smallest, out);
    else
        prepare_chains(p, 8, IS_B, f32, smallest, out);
}

// The bytes of four rows of A, repeated in every four bytes. (A copy through an integer would cost
// a vector port.)
ALWAYS_INLINE __m512i four_rows(const uint8_t *bytes)
{
    typedef int __attribute__((may_alias, aligned(1))) unaligned_t;
    return _mm512_set1_epi32(*(const unaligned_t *)(const void *)bytes);
}

// One chain of an operand, starting at a row of A or a chunk of columns of B.
typedef struct chain {
    const double *f64;
    const uint8_t *exponent, *negative[2];
} chain_t;

ALWAYS_INLINE chain_t chain_of(const plan_t *p, unsigned count, side_t side, const prepared_t *x,
                               size_t row, unsigned chain)
{
    const size_t part = row / CHUNK * p->chains + chain, inside = row % CHUNK;
    return (chain_t){
        .f64 = x->f64 + part * count * CHUNK + inside,
        .exponent = x->exponent + part * count * (side == IS_A ? CHUNK : 4 * CHUNK) + inside,
        .negative = {x->negative[part][0] + inside, x->negative[part][1] + inside},
    };
}

// E of four rows, as bytes.
ALWAYS_INLINE __m512i largest_exponents(unsigned count, const uint8_t *a, const uint8_t *b)
{
    __m512i largest = _mm512_set1_epi8(SMALLEST_BYTE);
#pragma GCC unroll 8
    for (unsigned t = 0; t < count; t++)
        largest =
            _mm512_max_epu8(largest, _mm512_subs_epu8(_mm512_loadu_si512(b + (size_t)t * 4 * CHUNK),
                                                      four_rows(a + t * CHUNK)));
    return largest;
}

// The initial doubles of a row of sixteen columns: two vectors.
ALWAYS_INLINE void spread(const __m512i words[2], unsigned row, __m512d out[2])
{
    const __m512i between = _mm512_set1_epi64(INT64_C(1) << 31);
    const int first = (int)row * 2, second = first + 8;
    const __m512i from = _mm512_set4_epi32((second + 1) << 24 | second << 16, second,
                                           (first + 1) << 24 | first << 16, first);
    for (unsigned half = 0; half < 2; half++)
        out[half] = _mm512_castsi512_pd(
            _mm512_mask_shuffle_epi8(between, 0xc1c1c1c1c1c1c1c1, words[half], from));
}

// For eight rows and sixteen columns: the initial doubles, and the same without the count.
enum { ROWS = 8 };

ALWAYS_INLINE void begin(unsigned count, chain_t a, chain_t b, __m512d start[ROWS][2],
                         __m512d zero[ROWS][2])
{
    // (number of ones in four bits + 2) << 4
    const __m512i ones = _mm512_set4_epi32(0x60505040, 0x50404030, 0x50404030, 0x40303020);
    const __m512i count_bits = _mm512_set1_epi64(15), four = _mm512_set1_epi64(4);
#pragma GCC unroll 2
    for (unsigned quad = 0; quad < ROWS / 4; quad++) {
        const __m512i largest = largest_exponents(count, a.exponent + quad * 4, b.exponent);
        __m512i negative =
            _mm512_shuffle_epi8(ones, _mm512_xor_si512(_mm512_loadu_si512(b.negative[0]),
                                                       four_rows(a.negative[0] + quad * 4)));
        negative = _mm512_add_epi8(
            negative, count > 4 ? _mm512_shuffle_epi8(
                                      ones, _mm512_xor_si512(_mm512_loadu_si512(b.negative[1]),
                                                             four_rows(a.negative[1] + quad * 4)))
                                : _mm512_set1_epi8(0x20));
        const __m512i upper = _mm512_set1_epi16(UPPER);
        const __m512i words[2] = {
            _mm512_add_epi16(_mm512_srli_epi16(_mm512_unpacklo_epi8(negative, largest), 4), upper),
            _mm512_add_epi16(_mm512_srli_epi16(_mm512_unpackhi_epi8(negative, largest), 4), upper),
        };
#pragma GCC unroll 4
        for (unsigned i = 0; i < 4; i++) {
            const unsigned row = quad * 4 + i;
            spread(words, i, start[row]);
            for (unsigned half = 0; half < 2; half++) // (start & ~15) | 4
                zero[row][half] = _mm512_castsi512_pd(_mm512_ternarylogic_epi64(
                    _mm512_castpd_si512(start[row][half]), count_bits, four, 0xba));
        }
    }
}

// Floors x to `bits` below the exponent of c, or to U if that is larger: bits above that place are
// kept.
ALWAYS_INLINE __m512d floor_below(__m512d x, unsigned bits, __m512d c, __m512d zero)
{
    const __m512i exponent =
        _mm512_and_si512(_mm512_castpd_si512(c), _mm512_set1_epi64(INT64_C(0x7ff) << 52));
    // 1.5 times the power of two that has that last place. (For infinities and NaN it wraps to a
    // negative number.)
    const __m512i up = _mm512_set1_epi64((int64_t)(52 - bits) << 52 | INT64_C(1) << 51);
    const __m512d grid = _mm512_max_pd(zero, _mm512_castsi512_pd(_mm512_add_epi64(exponent, up)));
    return _mm512_sub_round_pd(_mm512_add_round_pd(x, grid, DOWN), grid, NEAREST);
}

// Adds sums of products to accumulators of any size.
ALWAYS_INLINE __m256 add_apart(__m512d sum, __m512d zero, __m512d c)
{
    const __m512d total =
        _mm512_add_round_pd(floor_below(sum, 31, c, zero), floor_below(c, 24, c, zero), NEAREST);
    const __mmask8 is_nan = _mm512_cmp_pd_mask(total, total, _CMP_UNORD_Q);
    return _mm256_mask_mov_ps(_mm512_cvt_roundpd_ps(total, NEAREST), is_nan,
                              _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000)));
}

#define PLACE(r) (d + (r) / 4 * far + (size_t)((r) % 4) * KILN_GFX942_LANES + half * 8)
#define EACH_HALF_ROW                                                                              \
    _Pragma("GCC unroll 8") for (unsigned r = 0; r < ROWS; r++)                                    \
        _Pragma("GCC unroll 2") for (unsigned half = 0; half < 2; half++)

ALWAYS_INLINE void add_products(unsigned count, chain_t a, chain_t b, __m512d total[ROWS][2])
{
#pragma GCC unroll 8
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
}

// Adds one chain to eight rows with accumulators of any size; groups of four rows are `far` apart.
static __attribute__((noinline)) void add_chain_apart(unsigned count, chain_t a, chain_t b,
                                                      float *d, size_t far)
{
    __m512d total[ROWS][2], zero[ROWS][2];
    begin(count, a, b, total, zero);
    add_products(count, a, b, total);
    EACH_HALF_ROW
    {
        const __m512d sum = _mm512_sub_round_pd(total[r][half], zero[r][half], NEAREST);
        _mm256_storeu_ps(PLACE(r),
                         add_apart(sum, zero[r][half], _mm512_cvtps_pd(_mm256_loadu_ps(PLACE(r)))));
    }
}

ALWAYS_INLINE void add_chain(unsigned count, chain_t a, chain_t b, float *d, size_t far)
{
    const __m512i sign_and_exponent = _mm512_set1_epi64((int64_t)0xfff0000000000000);
    const __m512i upper_half = _mm512_set1_epi64((int64_t)0xffffffff00000000);
    __m512d total[ROWS][2], zero[ROWS][2];
    begin(count, a, b, total, zero);
    __m512i changed = _mm512_setzero_si512();
    EACH_HALF_ROW
    {
        total[r][half] =
            _mm512_add_round_pd(total[r][half], _mm512_cvtps_pd(_mm256_loadu_ps(PLACE(r))), DOWN);
        changed = _mm512_ternarylogic_epi64(changed, _mm512_castpd_si512(total[r][half]),
                                            _mm512_castpd_si512(zero[r][half]), 0xf6);
    }
    const __mmask8 large = _mm512_test_epi64_mask(changed, upper_half);
    if (__builtin_expect(_mm512_test_epi64_mask(changed, sign_and_exponent), 0)) {
        add_chain_apart(count, a, b, d, far);
        return;
    }
    add_products(count, a, b, total);
    EACH_HALF_ROW
    total[r][half] = _mm512_sub_round_pd(total[r][half], zero[r][half], NEAREST);
    if (large) // the sum already includes the accumulator, which has no bits below that place
        EACH_HALF_ROW
    total[r][half] =
        floor_below(total[r][half], 31, _mm512_cvtps_pd(_mm256_loadu_ps(PLACE(r))), zero[r][half]);
    EACH_HALF_ROW
    _mm256_storeu_ps(PLACE(r), _mm512_cvt_roundpd_ps(total[r][half], NEAREST));
}
#undef PLACE
#undef EACH_HALF_ROW

// Adds only zeros: a negative zero becomes positive, a NaN canonical.
ALWAYS_INLINE void add_nothing(float *d, size_t far)
{
    for (unsigned r = 0; r < ROWS; r++) {
        float *const place = d + r / 4 * far + (size_t)(r % 4) * KILN_GFX942_LANES;
        const __m512 c = _mm512_add_round_ps(_mm512_loadu_ps(place), _mm512_setzero_ps(), NEAREST);
        const __mmask16 is_nan = _mm512_cmp_ps_mask(c, c, _CMP_UNORD_Q);
        _mm512_storeu_ps(place, _mm512_mask_mov_ps(
                                    c, is_nan, _mm512_castsi512_ps(_mm512_set1_epi32(0x7fc00000))));
    }
}

ALWAYS_INLINE void sum_all(const plan_t *p, const kiln_mfma_shape_t *shape, unsigned count,
                           const prepared_t *a, const prepared_t *b, uint32_t *d)
{
    const size_t far = p->n == 16 ? 16 : 32; // distance from row i to row i + 4 within eight rows
    for (unsigned block = 0; block < p->blocks; block++)
        for (unsigned i = 0; i < p->n; i += ROWS)
            for (unsigned j = 0; j < p->n; j += CHUNK) {
                const size_t row = block * p->n + i, column = block * p->n + j;
                float *const place =
                    (float *)(void *)(d + kiln_mfma_row_offset(shape, block, i) + j);
                for (unsigned chain = 0; chain < p->chains; chain++) {
                    const bool zero =
                        a->zero[row / CHUNK * p->chains + chain] >> row / ROWS % 2 & 1 ||
                        b->zero[column / CHUNK * p->chains + chain] == 3;
                    if (zero)
                        add_nothing(place, far);
                    else
                        add_chain(count, chain_of(p, count, IS_A, a, row, chain),
                                  chain_of(p, count, IS_B, b, column, chain), place, far);
                }
            }
}

// Whether a group has neither a zero nor a product of at least 2^-126, so that its E is less than
// the assumed minimum.
static bool has_tiny_group(const plan_t *p, const prepared_t *a, const prepared_t *b)
{
    for (unsigned row = 0; row < p->width; row += 4)
        for (unsigned j = 0; j < p->n; j += CHUNK)
            for (unsigned chain = 0; chain < p->chains; chain++) {
                const chain_t left = chain_of(p, p->count, IS_A, a, row, chain);
                const chain_t right = chain_of(p, p->count, IS_B, b, row / p->n * p->n + j, chain);
                __mmask64 tiny = UINT64_MAX;
                for (unsigned t = 0; t < p->count; t++) {
                    const __m512i x = four_rows(left.exponent + t * CHUNK);
                    const __m512i y = _mm512_loadu_si512(right.exponent + (size_t)t * 4 * CHUNK);
                    tiny = _mm512_mask_cmple_epu8_mask(tiny, _mm512_subs_epu8(y, x),
                                                       _mm512_set1_epi8(SMALLEST_BYTE));
                    tiny = _mm512_mask_cmpneq_epu8_mask(tiny, x,
                                                        _mm512_set1_epi8((char)BYTE_OF_ZERO_A));
                    tiny = _mm512_mask_test_epi8_mask(tiny, y, y);
                }
                if (tiny)
                    return true;
            }
    return false;
}

static bool is_fit(const plan_t *p, const prepared_t *a, const prepared_t *b)
{
    if (a->largest > LARGEST || b->largest > LARGEST)
        return false;
    const bool none_is_zero = a->smallest <= LARGEST && b->smallest <= LARGEST; // throughout
    return !none_is_zero || a->smallest + b->smallest >= -126 || !has_tiny_group(p, a, b);
}

static int smallest_exponent(kiln_mfma_type_t type)
{
    return type == KILN_MFMA_F16 ? -14 : -126;
}

// The latest operand prepared from registers with this hash, which is reused if they still hold the
// same values.
typedef struct memo {
    kiln_mfma_shape_t shape;
    bool valid;
    alignas(64) uint32_t registers[2 * KILN_GFX942_LANES];
    prepared_t prepared;
} memo_t;
enum { MEMOS = 4 };
static _Thread_local memo_t memos[2][MEMOS];

static const prepared_t *prepared(const plan_t *p, side_t side, const kiln_mfma_shape_t *shape,
                                  const kiln_mfma_options_t *options, const uint32_t *registers)
{
    memo_t *const memo = &memos[side][kiln_mfma_memo_of(registers, MEMOS)];
    const size_t dwords = (size_t)kiln_mfma_registers(shape, shape->a) * KILN_GFX942_LANES;
    const bool plain = !(side == IS_A ? options->cbsz : options->blgp);
    if (plain && memo->valid && kiln_mfma_same_shape(shape, &memo->shape) &&
        kiln_mfma_same_dwords(registers, memo->registers, dwords))
        return &memo->prepared;
    kiln_mfma_elements_t elements;
    if (side == IS_A)
        KILN_SIM_V(kiln_mfma_unpack_a)(shape, options, registers, &elements);
    else
        KILN_SIM_V(kiln_mfma_unpack_b)(shape, options, registers, &elements);
    prepare(p, side, elements.f32, smallest_exponent(shape->a), &memo->prepared);
    memo->valid = plain;
    memo->shape = *shape;
    memcpy(memo->registers, registers, dwords * sizeof *registers);
    return &memo->prepared;
}

bool KILN_SIM_V(kiln_mfma_sum_fixed)(const kiln_mfma_shape_t *shape,
                                     const kiln_mfma_options_t *options, const uint32_t *a,
                                     const uint32_t *b, uint32_t *d)
{
    if (shape->n == 4 || shape->sparse || shape->a == KILN_MFMA_FP8 || shape->a == KILN_MFMA_BF8)
        return false;
    plan_t p = {.n = shape->n,
                .blocks = shape->blocks,
                .k = shape->k,
                .per_lane = kiln_mfma_per_lane(shape)};
    p.width = p.n * p.blocks;
    p.count = shape->a == KILN_MFMA_XF32 || p.k == 4 ? 4 : 8;
    p.chains = p.k / p.count;
    const prepared_t *const left = prepared(&p, IS_A, shape, options, a);
    const prepared_t *const right = prepared(&p, IS_B, shape, options, b);
    if (!is_fit(&p, left, right))
        return false;
    if (p.count == 4)
        sum_all(&p, shape, 4, left, right, d);
    else
        sum_all(&p, shape, 8, left, right, d);
    return true;
}
#endif
