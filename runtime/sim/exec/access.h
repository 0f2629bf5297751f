// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Execution of vector memory instructions once each lane's address is known.
//
// An addressing mode (flat, buffer, LDS) yields a kiln_sim_lanes_t of checked host addresses; the
// data movement of isa/memory.def and isa/atomic.def is written once for all of them. In the common
// case of lanes at 32-bit offsets from one base, it yields a kiln_sim_span_t instead, which is
// checked, counted and moved 16 lanes at a time.
//
// Pitfall: a lane whose buffer load is out of range stays in the mask and reads zeros from a
// constant block; a lane whose store is out of range leaves the mask.
#ifndef KILN_SIM_ACCESS_H
#define KILN_SIM_ACCESS_H

#include "core/numeric.h"
#include "run/cost.h"
#include "run/observe.h"

typedef struct kiln_sim_lanes {
    alignas(64) uint64_t at[KILN_GFX942_LANES]; // host addresses of lanes in mask
    uint64_t mask;
} kiln_sim_lanes_t;

// Whether an observer wants the wave's accesses, which are then reported before any byte is moved.
static inline bool is_watched(const kiln_sim_wave_t *wave)
{
    return __builtin_expect(wave->thread->watch != NULL, 0);
}

#define KILN_SIM_FOR_LANES(lane, lanes_mask)                                                       \
    for (uint64_t left_ = (lanes_mask), lane = 0;                                                  \
         left_ && (lane = (uint64_t)__builtin_ctzll(left_), 1); left_ &= left_ - 1)

static inline uint32_t read_u8(uint64_t at)
{
    return *(const uint8_t *)(uintptr_t)at;
}

static inline uint32_t read_u16(uint64_t at)
{
    uint16_t value;
    memcpy(&value, (const void *)(uintptr_t)at, sizeof value);
    return value;
}

static inline uint32_t read_u32(uint64_t at)
{
    uint32_t value;
    memcpy(&value, (const void *)(uintptr_t)at, sizeof value);
    return value;
}

static inline void write_u8(uint64_t at, uint32_t value)
{
    *(uint8_t *)(uintptr_t)at = (uint8_t)value;
}

static inline void write_u16(uint64_t at, uint32_t value)
{
    uint16_t half = (uint16_t)value;
    memcpy((void *)(uintptr_t)at, &half, sizeof half);
}

static inline void write_u32(uint64_t at, uint32_t value)
{
    memcpy((void *)(uintptr_t)at, &value, sizeof value);
}

static inline void load_dwords(kiln_sim_wave_t *wave, unsigned row, const kiln_sim_lanes_t *lanes,
                               unsigned dwords)
{
    KILN_SIM_FOR_LANES(lane, lanes->mask)
    {
        for (unsigned part = 0; part < dwords; part++)
            wave->vgpr[row + part][lane] = read_u32(lanes->at[lane] + 4 * part);
    }
}

static inline void store_dwords(const kiln_sim_wave_t *wave, unsigned row,
                                const kiln_sim_lanes_t *lanes, unsigned dwords)
{
    KILN_SIM_FOR_LANES(lane, lanes->mask)
    {
        for (unsigned part = 0; part < dwords; part++)
            write_u32(lanes->at[lane] + 4 * part, wave->vgpr[row + part][lane]);
    }
}

// ---- spans: the common case, 64 lanes at once

// Accesses at 32-bit offsets from a common base.
typedef struct kiln_sim_span {
    uint64_t base;
    const uint32_t *offset; // arbitrary in lanes that are not live
    uint64_t live;          // lanes whose bytes are accessed; all of them were checked
    uint64_t empty;         // active lanes that are out of range: loads return 0
} kiln_sim_span_t;

// The lanes whose value in a row is at most `limit`.
static inline uint64_t lanes_up_to(const uint32_t row[KILN_GFX942_LANES], uint32_t limit)
{
    uint64_t lanes = 0;
#ifdef __AVX512F__
    const __m512i max = _mm512_set1_epi32((int)limit);
    for (unsigned i = 0; i < KILN_GFX942_LANES; i += 16)
        lanes |= (uint64_t)_mm512_cmple_epu32_mask(_mm512_loadu_si512(row + i), max) << i;
#elif defined(__AVX2__)
    const __m256i max = _mm256_set1_epi32((int)limit);
    for (unsigned i = 0; i < KILN_GFX942_LANES; i += 8) {
        const __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(row + i));
        const __m256i good = _mm256_cmpeq_epi32(_mm256_max_epu32(x, max), max);
        lanes |= (uint64_t)(uint8_t)_mm256_movemask_ps(_mm256_castsi256_ps(good)) << i;
    }
#else
    for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
        lanes |= (uint64_t)(row[i] <= limit) << i;
#endif
    return lanes;
}

// The lowest and highest value in the lanes of mask, which must not be empty.
static inline void row_range(const uint32_t row[KILN_GFX942_LANES], uint64_t mask, uint32_t *lowest,
                             uint32_t *highest)
{
#ifdef __AVX512F__
    __m512i low = _mm512_set1_epi32(-1), high = _mm512_setzero_si512();
    for (unsigned i = 0; i < KILN_GFX942_LANES; i += 16) {
        const __m512i x = _mm512_loadu_si512(row + i);
        low = _mm512_mask_min_epu32(low, (__mmask16)(mask >> i), low, x);
        high = _mm512_mask_max_epu32(high, (__mmask16)(mask >> i), high, x);
    }
    *lowest = _mm512_reduce_min_epu32(low);
    *highest = _mm512_reduce_max_epu32(high);
#else
    uint32_t low = UINT32_MAX, high = 0;
    if (mask == UINT64_MAX) {
        for (unsigned i = 0; i < KILN_GFX942_LANES; i++) {
            low = row[i] < low ? row[i] : low;
            high = row[i] > high ? row[i] : high;
        }
    } else {
        KILN_SIM_FOR_LANES(lane, mask)
        {
            low = row[lane] < low ? row[lane] : low;
            high = row[lane] > high ? row[lane] : high;
        }
    }
    *lowest = low;
    *highest = high;
#endif
}

// Returns offsets that are readable in every lane: other lanes get the offset of the first live
// lane.
static inline const uint32_t *safe_offsets(const kiln_sim_span_t *span,
                                           uint32_t storage[KILN_GFX942_LANES])
{
    if (span->live == UINT64_MAX)
        return span->offset;
    const uint32_t first = span->offset[__builtin_ctzll(span->live)];
    for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
        storage[i] = span->live >> i & 1 ? span->offset[i] : first;
    return storage;
}

#ifdef __AVX512F__
// Gathers take signed indices, so 2 GB are added to the base and subtracted from the offsets.
static inline const void *gather_base(uint64_t base)
{
    return (const void *)(uintptr_t)(base + 0x80000000u);
}

static inline __m512i gather_dwords(uint64_t base, const uint32_t offset[16])
{
    const __m512i at = _mm512_loadu_si512(offset);
    const __m512i steps =
        _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60);
    const __m512i row = _mm512_add_epi32(_mm512_set1_epi32((int)offset[0]), steps);
    if (_mm512_cmpneq_epi32_mask(at, row) == 0 && offset[0] <= UINT32_MAX - 60)
        return _mm512_loadu_si512((const void *)(uintptr_t)(base + offset[0]));
    return _mm512_i32gather_epi32(_mm512_xor_si512(at, _mm512_set1_epi32(INT32_MIN)),
                                  gather_base(base), 1);
}

static inline void gather_pairs(uint64_t base, const uint32_t offset[16], __m512i part[2])
{
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i at = _mm512_xor_si512(_mm512_loadu_si512(offset), _mm512_set1_epi32(INT32_MIN));
    const __m512i low = _mm512_i32gather_epi64(_mm512_castsi512_si256(at), gather_base(base), 1);
    const __m512i high =
        _mm512_i32gather_epi64(_mm512_extracti64x4_epi64(at, 1), gather_base(base), 1);
    part[0] = _mm512_permutex2var_epi32(low, even, high);
    part[1] = _mm512_permutex2var_epi32(low, _mm512_add_epi32(even, _mm512_set1_epi32(1)), high);
}

// Lanes n, 4 + n, 8 + n and 12 + n.
static inline __m512i four_quads(uint64_t base, const uint32_t *offset)
{
#define QUAD(n) _mm_loadu_si128((const __m128i *)(uintptr_t)(base + offset[n]))
    __m512i quads = _mm512_castsi128_si512(QUAD(0));
    quads = _mm512_inserti32x4(quads, QUAD(4), 1);
    quads = _mm512_inserti32x4(quads, QUAD(8), 2);
    return _mm512_inserti32x4(quads, QUAD(12), 3);
#undef QUAD
}

static inline void gather_quads(uint64_t base, const uint32_t offset[16], __m512i part[4])
{
    const __m512i a = four_quads(base, offset), b = four_quads(base, offset + 1),
                  c = four_quads(base, offset + 2), d = four_quads(base, offset + 3);
    const __m512i ab_low = _mm512_unpacklo_epi32(a, b), ab_high = _mm512_unpackhi_epi32(a, b);
    const __m512i cd_low = _mm512_unpacklo_epi32(c, d), cd_high = _mm512_unpackhi_epi32(c, d);
    part[0] = _mm512_unpacklo_epi64(ab_low, cd_low);
    part[1] = _mm512_unpackhi_epi64(ab_low, cd_low);
    part[2] = _mm512_unpacklo_epi64(ab_high, cd_high);
    part[3] = _mm512_unpackhi_epi64(ab_high, cd_high);
}

// The offsets may be one of the rows: 16 lanes are read before they are written.
static inline void load_span(uint32_t (*rows)[KILN_GFX942_LANES], const kiln_sim_span_t *span,
                             unsigned dwords)
{
    alignas(64) uint32_t storage[KILN_GFX942_LANES];
    const uint64_t written = span->live | span->empty;
    const uint32_t *offset = span->live ? safe_offsets(span, storage) : NULL;
    for (unsigned i = 0; i < KILN_GFX942_LANES; i += 16) {
        __m512i part[4] = {0};
        if (offset && dwords == 4) {
            gather_quads(span->base, offset + i, part);
        } else if (offset && dwords == 2) {
            gather_pairs(span->base, offset + i, part);
        } else if (offset) {
            part[0] = gather_dwords(span->base, offset + i);
            for (unsigned n = 1; n < dwords; n++)
                part[n] = gather_dwords(span->base + 4 * n, offset + i);
        }
        for (unsigned n = 0; n < dwords; n++)
            _mm512_mask_storeu_epi32(rows[n] + i, (__mmask16)(written >> i),
                                     _mm512_maskz_mov_epi32((__mmask16)(span->live >> i), part[n]));
    }
}
#else
static inline void load_span(uint32_t (*rows)[KILN_GFX942_LANES], const kiln_sim_span_t *span,
                             unsigned dwords)
{
    const uint64_t base = span->base;
    const uint32_t *offset = span->offset;
    if (span->live == UINT64_MAX) {
        for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
            uint64_t at = base + offset[lane]; // before the row with the offsets is overwritten
            for (unsigned part = 0; part < dwords; part++)
                rows[part][lane] = read_u32(at + 4 * part);
        }
        return;
    }
    KILN_SIM_FOR_LANES(live, span->live)
    {
        uint64_t at = base + offset[live];
        for (unsigned part = 0; part < dwords; part++)
            rows[part][live] = read_u32(at + 4 * part);
    }
    KILN_SIM_FOR_LANES(lane, span->empty)
    {
        for (unsigned part = 0; part < dwords; part++)
            rows[part][lane] = 0;
    }
}
#endif

// Lanes store in order: if two overlap, the last one wins.
static inline void store_span(uint32_t (*rows)[KILN_GFX942_LANES], const kiln_sim_span_t *span,
                              unsigned dwords)
{
    alignas(64) uint32_t lanes[KILN_GFX942_LANES][4];
    const uint64_t base = span->base;
    const uint32_t *offset = span->offset;
    if (dwords == 1) {
        const uint32_t first = offset[0];
        uint32_t gaps = 0;
        for (uint32_t i = 0; i < KILN_GFX942_LANES; i++)
            gaps |= offset[i] ^ (first + 4 * i);
        if (gaps == 0 && span->live == UINT64_MAX && first <= UINT32_MAX - 4 * KILN_GFX942_LANES)
            memcpy((void *)(uintptr_t)(base + first), rows[0], sizeof rows[0]);
        else
            KILN_SIM_FOR_LANES(lane, span->live) write_u32(base + offset[lane], rows[0][lane]);
        return;
    }
    for (unsigned i = 0; i < KILN_GFX942_LANES; i++) {
        for (unsigned part = 0; part < dwords; part++)
            lanes[i][part] = rows[part][i];
    }
    if (span->live == UINT64_MAX) {
        for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
            memcpy((void *)(uintptr_t)(base + offset[i]), lanes[i], 4 * dwords);
        return;
    }
    KILN_SIM_FOR_LANES(lane, span->live)
    memcpy((void *)(uintptr_t)(base + offset[lane]), lanes[lane], 4 * dwords);
}

// Counts the memory costs of lanes at arbitrary addresses.
static inline void count_lines(kiln_sim_wave_t *wave, kiln_sim_access_t access,
                               const uint64_t at[KILN_GFX942_LANES], uint64_t mask, unsigned bytes)
{
    while (mask) { // once, unless lanes are more than 2 GB apart
        const uint64_t window = at[__builtin_ctzll(mask)] >> 31;
        uint64_t near = 0;
        alignas(64) uint32_t offset[KILN_GFX942_LANES];
        for (unsigned i = 0; i < KILN_GFX942_LANES; i++) {
            offset[i] = (uint32_t)(at[i] - (window << 31));
            near |= (uint64_t)(at[i] >> 31 == window) << i;
        }
        kiln_sim_count_lines(wave, access, window << 31, offset, mask & near, bytes);
        mask &= ~near;
    }
}

// ---- atomics: C types, and arithmetic that is not a C operator

typedef uint32_t atomic_u32;
typedef int32_t atomic_i32;
typedef uint64_t atomic_u64;
typedef int64_t atomic_i64;
typedef float atomic_f32;
typedef double atomic_f64;
enum {
    TYPE_OF_u32 = KILN_SIM_T_U32,
    TYPE_OF_i32 = KILN_SIM_T_U32,
    TYPE_OF_f32 = KILN_SIM_T_U32,
    TYPE_OF_u64 = KILN_SIM_T_U64,
    TYPE_OF_i64 = KILN_SIM_T_U64,
    TYPE_OF_f64 = KILN_SIM_T_U64
};

// A sum whose NaN is the first operand's if that is a NaN, otherwise the second's. The host would
// choose by the order in which the compiler places the operands.
static inline float add_f32(float a, float b)
{
    uint32_t sum = kiln_bits_of_f32(a + b);
    sum = b != b ? kiln_bits_of_f32(b) | 0x400000u : sum;
    return kiln_f32_of_bits(a != a ? kiln_bits_of_f32(a) | 0x400000u : sum);
}

static inline double add_f64(double a, double b)
{
    uint64_t sum = kiln_bits_of_f64(a + b);
    sum = b != b ? kiln_bits_of_f64(b) | 0x8000000000000u : sum;
    return kiln_f64_of_bits(a != a ? kiln_bits_of_f64(a) | 0x8000000000000u : sum);
}

static inline uint32_t pk_add_f16(uint32_t a, uint32_t b)
{
    uint32_t low =
        kiln_f32_to_f16(add_f32(kiln_f16_to_f32((uint16_t)a), kiln_f16_to_f32((uint16_t)b)));
    uint32_t high = kiln_f32_to_f16(
        add_f32(kiln_f16_to_f32((uint16_t)(a >> 16)), kiln_f16_to_f32((uint16_t)(b >> 16))));
    return low | high << 16;
}

static inline uint32_t pk_add_bf16(uint32_t a, uint32_t b)
{
    uint32_t low =
        kiln_f32_to_bf16(add_f32(kiln_bf16_to_f32((uint16_t)a), kiln_bf16_to_f32((uint16_t)b)));
    uint32_t high = kiln_f32_to_bf16(
        add_f32(kiln_bf16_to_f32((uint16_t)(a >> 16)), kiln_bf16_to_f32((uint16_t)(b >> 16))));
    return low | high << 16;
}

// Returns the number if one operand is a NaN; -0 is less than +0.
static inline double fmin_number(double a, double b)
{
    if (a != a || b != b)
        return a != a ? b : a;
    return a < b || (a == b && signbit(a)) ? a : b;
}

static inline double fmax_number(double a, double b)
{
    if (a != a || b != b)
        return a != a ? b : a;
    return a > b || (a == b && !signbit(a)) ? a : b;
}

static inline bool is_lds_place(const kiln_sim_wave_t *wave, uint64_t host_address)
{
    return host_address - (uint64_t)(uintptr_t)wave->group->lds < wave->group->lds_size;
}

// Float atomics of LDS flush denormals by MODE: f32 by one of its fields, all others by the other
// one.
static inline bool lds_flushes(const kiln_sim_wave_t *wave, unsigned field)
{
    return (wave->mode >> field & 3) != 3;
}

static inline float lds_flush_f32(const kiln_sim_wave_t *wave, float value)
{
    return lds_flushes(wave, KILN_SIM_MODE_DENORM_F32_SHIFT) && fabsf(value) < 0x1p-126f
               ? copysignf(0.0f, value)
               : value;
}

static inline double lds_flush_f64(const kiln_sim_wave_t *wave, double value)
{
    return lds_flushes(wave, KILN_SIM_MODE_DENORM_F64_F16_SHIFT) && fabs(value) < 0x1p-1022
               ? copysign(0.0, value)
               : value;
}

static inline uint32_t lds_flush_halves(const kiln_sim_wave_t *wave, uint32_t value,
                                        uint32_t exponent)
{
    if (!lds_flushes(wave, KILN_SIM_MODE_DENORM_F64_F16_SHIFT))
        return value;
    uint32_t low = value & exponent ? 0xffffu : 0x8000u,
             high = value >> 16 & exponent ? 0xffffu : 0x8000u;
    return value & (low | high << 16);
}

static inline uint32_t lds_flush_pk_f16(const kiln_sim_wave_t *wave, uint32_t value)
{
    return lds_flush_halves(wave, value, 0x7c00);
}

static inline uint32_t lds_flush_pk_bf16(const kiln_sim_wave_t *wave, uint32_t value)
{
    return lds_flush_halves(wave, value, 0x7f80);
}

// Reads a lane's operand of 1 or 2 dwords.
static inline uint64_t lane_value(const kiln_sim_wave_t *wave, unsigned row, uint64_t lane,
                                  unsigned bytes)
{
    uint64_t value = wave->vgpr[row][lane];
    if (bytes == 8)
        value |= (uint64_t)wave->vgpr[row + 1][lane] << 32;
    return value;
}

static inline void lane_set(kiln_sim_wave_t *wave, unsigned row, uint64_t lane, unsigned bytes,
                            uint64_t value)
{
    wave->vgpr[row][lane] = (uint32_t)value;
    if (bytes == 8)
        wave->vgpr[row + 1][lane] = (uint32_t)(value >> 32);
}

#endif
