// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts matrix operands from registers to arrays of f32 (or f64), with the elements of all lanes
// side by side.
//
// All dense operands share one layout: lane l holds row (column) l % n of block l / n % blocks, and
// the k of lane group l / (n · blocks), where consecutive k fill a lane's registers from the lowest
// bits up.
//
// Pitfall: CBSZ and ABID move lanes of a dense A, but select the set of indices of a sparse one.
#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "core/numeric.h"
#include "exec/mfma.h"

// Each of these converts one register row to as many rows of elements as a register holds.

static void unpack_f16(const uint32_t *restrict lanes, float *restrict value)
{
#if defined(__AVX512F__)
    // Conversion directly from memory leaves both halves of a lane side by side; two permutations
    // separate them.
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    for (unsigned i = 0; i < KILN_GFX942_LANES; i += 16) {
        const __m512 first =
            _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)(lanes + i)));
        const __m512 second =
            _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)(lanes + i + 8)));
        _mm512_storeu_ps(value + i, _mm512_permutex2var_ps(first, even, second));
        _mm512_storeu_ps(value + KILN_GFX942_LANES + i, _mm512_permutex2var_ps(first, odd, second));
    }
#elif defined(__AVX2__)
    const __m256i part = _mm256_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15, 0,
                                          1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
    for (unsigned i = 0; i < KILN_GFX942_LANES; i += 8) {
        const __m256i bits = _mm256_loadu_si256((const __m256i *)(const void *)(lanes + i));
        const __m256i parted = _mm256_permute4x64_epi64(_mm256_shuffle_epi8(bits, part), 0xd8);
        _mm256_storeu_ps(value + i, _mm256_cvtph_ps(_mm256_castsi256_si128(parted)));
        _mm256_storeu_ps(value + KILN_GFX942_LANES + i,
                         _mm256_cvtph_ps(_mm256_extracti128_si256(parted, 1)));
    }
#else
    for (unsigned i = 0; i < KILN_GFX942_LANES; i++) {
        value[i] = kiln_f16_to_f32((uint16_t)lanes[i]);
        value[KILN_GFX942_LANES + i] = kiln_f16_to_f32((uint16_t)(lanes[i] >> 16));
    }
#endif
}

static void unpack_bf16(const uint32_t *restrict lanes, float *restrict value)
{
    for (unsigned i = 0; i < KILN_GFX942_LANES; i++) {
        value[i] = kiln_f32_of_bits(lanes[i] << 16);
        value[KILN_GFX942_LANES + i] = kiln_f32_of_bits(lanes[i] & 0xffff0000u);
    }
}

// Truncates the 13 low bits. A NaN stays a NaN even if its payload has no other bits: it becomes
// quiet.
static void unpack_xf32(const uint32_t *restrict lanes, float *restrict value)
{
    for (unsigned i = 0; i < KILN_GFX942_LANES; i++) {
        const uint32_t quiet = (lanes[i] & 0x7fffffffu) > 0x7f800000u ? 0x00400000u : 0;
        value[i] = kiln_f32_of_bits((lanes[i] & 0xffffe000u) | quiet);
    }
}

static void unpack_f32(const uint32_t *restrict lanes, bool flush, float *restrict value)
{
    for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
        value[i] = kiln_f32_of_bits(flush && (lanes[i] & 0x7f800000u) == 0 ? lanes[i] & 0x80000000u
                                                                           : lanes[i]);
}

// FNUZ: shifts the magnitude's bits to their position in f32, then adjusts the exponent. Subnormals
// are integers times the smallest unit; 0x80 is the NaN.
static inline __attribute__((always_inline)) void
unpack_fp8(const uint32_t *restrict lanes, unsigned mantissa_bits, int bias, float *restrict value)
{
#if defined(__AVX512F__)
    // Converts to bf16, which can represent all values, two bytes of a lane at a time. The few
    // subnormals are looked up in a table.
    const int shift = 7 - (int)mantissa_bits, unit = (127 + 1 - bias - (int)mantissa_bits) << 7;
    const __m512i byte = _mm512_set1_epi16(0xff),
                  move = _mm512_set1_epi16((short)((127 - bias) << 7));
    const int two = unit + (1 << 7),
              four = unit + (2 << 7); // 3, 5, 6 and 7 units are 1.5, 1.25, 1.5 and 1.75 of these
    const __m512i small = _mm512_broadcast_i32x4(
        _mm_setr_epi16(0, (short)unit, (short)two, (short)(two + 64), (short)four,
                       (short)(four + 32), (short)(four + 64), (short)(four + 96)));
    for (unsigned i = 0; i < KILN_GFX942_LANES; i += 16) {
        const __m512i raw = _mm512_loadu_si512(lanes + i);
        for (unsigned odd = 0; odd < 2; odd++) {
            const __m512i bits = odd ? _mm512_srli_epi16(raw, 8) : _mm512_and_si512(raw, byte);
            const __m512i magnitude = _mm512_and_si512(bits, _mm512_set1_epi16(0x7f));
            const __m512i normal =
                _mm512_add_epi16(_mm512_sll_epi16(magnitude, _mm_cvtsi32_si128(shift)), move);
            const __mmask32 is_small =
                _mm512_cmplt_epu16_mask(magnitude, _mm512_set1_epi16((short)(1 << mantissa_bits)));
            const __m512i found = _mm512_mask_permutexvar_epi16(normal, is_small, magnitude, small);
            const __m512i sign =
                _mm512_slli_epi16(_mm512_andnot_si512(_mm512_set1_epi16(0x7f), bits), 8);
            const __mmask32 is_nan = _mm512_cmpeq_epi16_mask(bits, _mm512_set1_epi16(0x80));
            const __m512i bf16 = _mm512_mask_mov_epi16(_mm512_or_si512(found, sign), is_nan,
                                                       _mm512_set1_epi16(0x7fc0));
            _mm512_storeu_si512(value + odd * KILN_GFX942_LANES + i, _mm512_slli_epi32(bf16, 16));
            _mm512_storeu_si512(value + (2 + odd) * KILN_GFX942_LANES + i,
                                _mm512_and_si512(bf16, _mm512_set1_epi32((int)0xffff0000u)));
        }
    }
#else
    const uint32_t move = (uint32_t)(127 - bias) << 23;
    const float unit = kiln_f32_of_bits((uint32_t)(127 + 1 - bias - (int)mantissa_bits) << 23);
    for (unsigned byte = 0; byte < 4; byte++)
        for (unsigned i = 0; i < KILN_GFX942_LANES; i++) {
            const uint32_t bits = lanes[i] >> byte * 8 & 0xff, magnitude = bits & 0x7f;
            const uint32_t normal = (magnitude << (23 - mantissa_bits)) + move;
            const uint32_t small = kiln_bits_of_f32((float)(int32_t)magnitude * unit);
            const uint32_t found = magnitude >> mantissa_bits == 0 ? small : normal;
            const uint32_t sign = (bits & 0x80) << 24;
            value[byte * KILN_GFX942_LANES + i] =
                kiln_f32_of_bits(bits == 0x80 ? 0x7fc00000u : found | sign);
        }
#endif
}

static void unpack_i8(const uint32_t *restrict lanes, float *restrict value)
{
    for (unsigned byte = 0; byte < 4; byte++)
        for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
            value[byte * KILN_GFX942_LANES + i] =
                (float)((int32_t)(lanes[i] << (24 - byte * 8)) >> 24);
}

static void unpack_f64(const uint32_t *restrict lanes, bool negate, double *restrict value)
{
    uint32_t dwords[2 * KILN_GFX942_LANES];
    for (unsigned i = 0; i < KILN_GFX942_LANES; i++) {
        dwords[2 * i] = lanes[i];
        dwords[2 * i + 1] = lanes[KILN_GFX942_LANES + i] ^ (negate ? 0x80000000u : 0);
    }
    memcpy(value, dwords, sizeof dwords);
}

// Unpacks `count` elements per lane.
static void unpack_lanes(kiln_mfma_elements_t *out, unsigned count, kiln_mfma_type_t type,
                         const uint32_t *registers, const kiln_mfma_options_t *options, bool negate)
{
    const unsigned bits = kiln_mfma_bits(type), step = bits < 32 ? 32 / bits : 1;
    for (unsigned n = 0; n < count; n += step) {
        const uint32_t *const lanes = registers + (size_t)n * bits / 32 * KILN_GFX942_LANES;
        float *const value = out->f32 + (size_t)n * KILN_GFX942_LANES;
        switch (type) {
        case KILN_MFMA_F16:
            unpack_f16(lanes, value);
            break;
        case KILN_MFMA_BF16:
            unpack_bf16(lanes, value);
            break;
        case KILN_MFMA_XF32:
            unpack_xf32(lanes, value);
            break;
        case KILN_MFMA_F32:
            unpack_f32(lanes, options->flush_f32_inputs, value);
            break;
        case KILN_MFMA_FP8:
            unpack_fp8(lanes, KILN_ELEMENT_F8E4M3FNUZ_MANTISSA, KILN_ELEMENT_F8E4M3FNUZ_BIAS,
                       value);
            break;
        case KILN_MFMA_BF8:
            unpack_fp8(lanes, KILN_ELEMENT_F8E5M2FNUZ_MANTISSA, KILN_ELEMENT_F8E5M2FNUZ_BIAS,
                       value);
            break;
        case KILN_MFMA_I8:
            unpack_i8(lanes, value);
            break;
        case KILN_MFMA_F64:
            unpack_f64(lanes, negate, out->f64 + (size_t)n * KILN_GFX942_LANES);
            break;
        }
    }
}

// Distributes the kept elements of a sparse A to their positions along k; the rest is zero.
static void unpack_sparse(kiln_mfma_elements_t *out, const kiln_mfma_shape_t *shape,
                          const uint32_t *registers, const kiln_mfma_options_t *options)
{
    kiln_mfma_elements_t kept;
    const unsigned per_lane = kiln_mfma_per_lane(shape), fours = per_lane / 4;
    // A set of indices has a nibble for every four elements of the lane. ABID selects the set,
    // unless CBSZ selects the first.
    const unsigned set = options->cbsz ? 0 : options->abid % (8 / fours);
    unpack_lanes(&kept, per_lane / 2, shape->a, registers, options, false);
    for (unsigned four = 0; four < fours; four++) {
        const float *const restrict pair = kept.f32 + (size_t)four * 2 * KILN_GFX942_LANES;
        const unsigned shift = (set * fours + four) * 4;
        for (unsigned to = 0; to < 4; to++) {
            float *const restrict value = out->f32 + ((size_t)four * 4 + to) * KILN_GFX942_LANES;
            for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
                const uint32_t index = options->index[lane] >> shift;
                const float low = (index & 3) == to ? pair[lane] : 0.0f;
                value[lane] = (index >> 2 & 3) == to ? pair[KILN_GFX942_LANES + lane] : low;
            }
        }
    }
}

// CBSZ and ABID: every lane reads A from the same position of one block of lanes.
static const uint32_t *broadcast_a(const uint32_t *a, unsigned registers,
                                   const kiln_mfma_options_t *options, uint32_t *moved)
{
    const unsigned size =
        KILN_GFX942_LANES >> (options->cbsz < 6 ? options->cbsz : 6); // above 4 is undefined
    for (unsigned r = 0; r < registers; r++)
        for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
            moved[r * KILN_GFX942_LANES + lane] =
                a[r * KILN_GFX942_LANES + (lane % size + size * options->abid) % KILN_GFX942_LANES];
    return moved;
}

// BLGP: 1 and 2 repeat one half of the lanes, 3 rotates them by 16, 4 and more repeat one quarter.
// (The test is outside the loop because LLVM 22 generates wrong vector code otherwise, with AVX2.)
static const uint32_t *permute_b(const uint32_t *b, unsigned registers, unsigned blgp,
                                 uint32_t *moved)
{
    const unsigned size = blgp < 3 ? 32 : blgp == 3 ? KILN_GFX942_LANES : 16;
    const unsigned first = blgp < 3    ? (blgp - 1) * 32
                           : blgp == 3 ? 0
                                       : (blgp - 4) * 16,
                   turn = blgp == 3 ? 16 : 0;
    for (unsigned r = 0; r < registers; r++)
        for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
            moved[r * KILN_GFX942_LANES + lane] =
                b[r * KILN_GFX942_LANES + first + (lane + turn) % size];
    return moved;
}

void KILN_SIM_V(kiln_mfma_unpack_a)(const kiln_mfma_shape_t *shape,
                                    const kiln_mfma_options_t *options, const uint32_t *a,
                                    kiln_mfma_elements_t *left)
{
    uint32_t moved[4 * KILN_GFX942_LANES];
    const bool is_f64 = shape->a == KILN_MFMA_F64; // f64 uses BLGP to negate
    if (shape->sparse) {
        unpack_sparse(left, shape, a, options);
        return;
    }
    if (options->cbsz && !is_f64)
        a = broadcast_a(a, kiln_mfma_registers(shape, shape->a), options, moved);
    unpack_lanes(left, kiln_mfma_per_lane(shape), shape->a, a, options,
                 is_f64 && (options->blgp & 1));
}

void KILN_SIM_V(kiln_mfma_unpack_b)(const kiln_mfma_shape_t *shape,
                                    const kiln_mfma_options_t *options, const uint32_t *b,
                                    kiln_mfma_elements_t *right)
{
    uint32_t moved[4 * KILN_GFX942_LANES];
    const bool is_f64 = shape->a == KILN_MFMA_F64;
    if (options->blgp && !is_f64 && !shape->sparse)
        b = permute_b(b, kiln_mfma_registers(shape, shape->b), options->blgp, moved);
    unpack_lanes(right, kiln_mfma_per_lane(shape), shape->b, b, options,
                 is_f64 && (options->blgp & 2));
}
