// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector instructions of the three-operand encoding: isa/vop3.def, and the helpers its expressions
// use.
//
// Pitfall: shifts and field positions use only the low bits of their operand, and a field of width
// 0 is 0, not the whole value.
#include "exec/valu_div.h"
#include "exec/valu_dot.h"

#define LESS(a, b) ((a) < (b) ? (a) : (b))
#define MORE(a, b) ((a) > (b) ? (a) : (b))
#define MEDIAN(a, b, c) MORE(LESS(a, b), LESS(MORE(a, b), c))
#define WIDE(a) ((int64_t)(a))
#define ADD(a, b) (WIDE(a) + (b))
#define SUB(a, b) (WIDE(a) - (b))

// The median of three; if one of them is a NaN, their minimum.
static inline float median_f32(float a, float b, float c, uint32_t ieee)
{
    const float low = kiln_min_f32(a, b, ieee), high = kiln_max_f32(a, b, ieee);
    const float middle = kiln_max_f32(low, kiln_min_f32(high, c, ieee), ieee);
    const uint32_t unordered = (a != a) | (b != b) | (c != c);
    return unordered ? kiln_min_f32(low, c, ieee) : middle;
}

// One byte of {high, low} per selector: 0-7 select a byte, 8-11 the sign of a word, 12 zeros,
// others ones.
static inline uint32_t permute_bytes(uint32_t high, uint32_t low, uint32_t selectors)
{
    uint32_t result = 0;
#pragma GCC unroll 4
    for (unsigned i = 0; i < 32; i += 8) {
        const uint32_t sel = selectors >> i & 0xff;
        const uint32_t byte = (sel & 4 ? high : low) >> (sel & 3) * 8 & 0xff;
        const uint32_t sign = 0 - ((sel & 2 ? high : low) >> ((sel & 1) * 16 + 15) & 1);
        result |= ((sel < 8 ? byte : sel < 12 ? sign : sel == 12 ? 0 : 0xff) & 0xff) << i;
    }
    return result;
}

// permute_bytes of 64 lanes. Sign selectors, which compilers never emit, are executed lane by lane.
static void permute_rows(const uint32_t *high, const uint32_t *low, const uint32_t *selectors,
                         uint32_t *d)
{
    unsigned i = 0;
#ifdef __AVX512BW__
    const __m512i lanes = _mm512_set4_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0);
    for (; i < KILN_GFX942_LANES; i += 16) {
        const __m512i sel = _mm512_loadu_si512(selectors + i);
        const __mmask64 constants = _mm512_cmpge_epu8_mask(sel, _mm512_set1_epi8(8));
        const __m512i from = _mm512_or_si512(_mm512_and_si512(sel, _mm512_set1_epi8(3)), lanes);
        const __m512i bytes = _mm512_mask_shuffle_epi8(
            _mm512_shuffle_epi8(_mm512_loadu_si512(low + i), from),
            _mm512_test_epi8_mask(sel, _mm512_set1_epi8(4)), _mm512_loadu_si512(high + i), from);
        const __mmask64 ones = _mm512_cmpgt_epu8_mask(sel, _mm512_set1_epi8(12));
        if (constants & ~ones & ~_mm512_cmpeq_epu8_mask(sel, _mm512_set1_epi8(12)))
            break;
        const __m512i fixed = _mm512_maskz_set1_epi8(ones, -1);
        _mm512_storeu_si512(d + i, _mm512_mask_mov_epi8(bytes, constants, fixed));
    }
#elif defined(__AVX2__)
    const __m256i lanes = _mm256_setr_epi32(0, 0x04040404, 0x08080808, 0x0c0c0c0c, 0, 0x04040404,
                                            0x08080808, 0x0c0c0c0c);
    for (; i < KILN_GFX942_LANES; i += 8) {
        const __m256i sel = _mm256_loadu_si256((const __m256i *)(const void *)(selectors + i));
        const __m256i inside = _mm256_cmpeq_epi8(_mm256_min_epu8(sel, _mm256_set1_epi8(7)), sel);
        if (_mm256_movemask_epi8(inside) != -1)
            break;
        const __m256i from = _mm256_or_si256(_mm256_and_si256(sel, _mm256_set1_epi8(3)), lanes);
        const __m256i a =
            _mm256_shuffle_epi8(_mm256_loadu_si256((const __m256i *)(const void *)(low + i)), from);
        const __m256i b = _mm256_shuffle_epi8(
            _mm256_loadu_si256((const __m256i *)(const void *)(high + i)), from);
        const __m256i upper = _mm256_cmpgt_epi8(sel, _mm256_set1_epi8(3));
        _mm256_storeu_si256((__m256i *)(void *)(d + i), _mm256_blendv_epi8(a, b, upper));
    }
#endif
    for (; i < KILN_GFX942_LANES; i++)
        d[i] = permute_bytes(high[i], low[i], selectors[i]);
}

// Averages of bytes, rounded up if the byte of c is odd.
static inline uint32_t lerp_u8(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t result = 0;
    for (unsigned i = 0; i < 32; i += 8)
        result |= ((a >> i & 0xff) + (b >> i & 0xff) + (c >> i & 1)) >> 1 << i;
    return result;
}

static inline uint32_t difference(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

static inline uint32_t sad_u8(uint32_t a, uint32_t b)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < 32; i += 8)
        sum += difference(a >> i & 0xff, b >> i & 0xff);
    return sum;
}

// Masked: bytes of the reference (b) that are 0 are skipped.
static inline uint32_t msad_u8(uint32_t a, uint32_t b)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < 32; i += 8)
        sum += b >> i & 0xff ? difference(a >> i & 0xff, b >> i & 0xff) : 0;
    return sum;
}

static inline uint32_t sad_u16(uint32_t a, uint32_t b)
{
    return difference(a & 0xffff, b & 0xffff) + difference(a >> 16, b >> 16);
}

// Four sums of differences of a's bytes i to i + 3 and b, each added to 16 bits of c.
static inline uint64_t quad_sad(uint64_t a, uint32_t b, uint64_t c,
                                uint32_t (*sad)(uint32_t, uint32_t), uint32_t clamp)
{
    uint64_t result = 0;
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t sum = sad((uint32_t)(a >> i * 8), b) + (uint32_t)(c >> i * 16 & 0xffff);
        result |= (uint64_t)(clamp && sum > 0xffff ? 0xffff : sum & 0xffff) << i * 16;
    }
    return result;
}

static inline uint32_t to_zero_f16(float a)
{
    return kiln_f32_to_f16_mode(a, KILN_ROUND_ZERO, KILN_OVERFLOW_IEEE);
}
static inline uint32_t norm_i16(float a)
{
    return (uint16_t)(int16_t)rint((double)kiln_bound_f32(a, -1.0f, 1.0f) * 32767.0);
}
static inline uint32_t norm_u16(float a)
{
    return (uint16_t)(int32_t)rint((double)kiln_bound_f32(a, 0.0f, 1.0f) * 65535.0);
}
static inline uint32_t to_u8(float a)
{
    return (uint32_t)(int32_t)rintf(kiln_bound_f32(a, 0.0f, 255.0f));
}

// 53 bits of 2/π starting at bit `segment` × 53, or further down for large arguments: the table for
// exact range reduction of f64 angles.
static double trig_preop(double a, uint32_t segment)
{
    static const uint64_t two_over_pi[] = {
        0xa2f9836e4e441529u, 0xfc2757d1f534ddc0u, 0xdb6295993c439041u, 0xfe5163abdebbc561u,
        0xb7246e3a424dd2e0u, 0x06492eea09d1921cu, 0xfe1deb1cb129a73eu, 0xe88235f52ebb4484u,
        0xe99c7026b45f7e41u, 0x3991d639835339f4u, 0x9c845f8bbdf9283bu, 0x1ff897ffde05980fu,
        0xef2f118b5a0a6d1fu, 0x6d367ecf27cb09b7u, 0x4f463f669e5fea2du, 0x7527bac7ebe5f17bu,
        0x3d0739f78a5292eau, 0x6bfb5fb11f8d5d08u, 0x56033046fc7b0000u, 0,
    };
    const unsigned words = sizeof two_over_pi / sizeof two_over_pi[0];
    const int exponent = (int)(kiln_bits_of_f64(a) >> 52 & 0x7ff);
    const int shift = (int)(segment & 31) * 53 + (exponent > 1077 ? exponent - 1077 : 0);
    const unsigned word = (unsigned)shift / 64, bit = (unsigned)shift % 64;
    if (word + 1 >= words)
        return 0.0;
    const uint64_t top =
        bit ? two_over_pi[word] << bit | two_over_pi[word + 1] >> (64 - bit) : two_over_pi[word];
    return ldexp((double)(top >> 11), -53 - shift + (exponent >= 1968 ? 128 : 0));
}

// The face of a cube map that a direction hits, and its coordinates there.
typedef struct cube {
    float id, sc, tc, ma;
} cube_t;

static inline cube_t cube_face(float x, float y, float z)
{
    if (fabsf(z) >= fabsf(x) && fabsf(z) >= fabsf(y))
        return (cube_t){z < 0.0f ? 5.0f : 4.0f, z < 0.0f ? -x : x, -y, 2.0f * z};
    if (fabsf(y) >= fabsf(x))
        return (cube_t){y < 0.0f ? 3.0f : 2.0f, x, y < 0.0f ? -z : z, 2.0f * y};
    return (cube_t){x < 0.0f ? 1.0f : 0.0f, x < 0.0f ? z : -z, -y, 2.0f * x};
}

static void run_mqsad_u32_u8(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    uint32_t temp[2][2 * KILN_GFX942_LANES], result[4][KILN_GFX942_LANES];
    const uint32_t *const a = kiln_sim_source_row(wave, &inst->src[0], 0, temp[0]);
    const uint32_t *const a_high =
        kiln_sim_source_row(wave, &inst->src[0], 1, temp[0] + KILN_GFX942_LANES);
    const uint32_t *const b = kiln_sim_source_row(wave, &inst->src[1], 0, temp[1]);
    for (unsigned part = 0; part < 4; part++) {
        uint32_t scalar[KILN_GFX942_LANES];
        const uint32_t *const c = kiln_sim_source_row(wave, &inst->src[2], part, scalar);
        for (unsigned i = 0; i < KILN_GFX942_LANES; i++) {
            const uint64_t bytes = (uint64_t)a_high[i] << 32 | a[i];
            const uint64_t sum = (uint64_t)msad_u8((uint32_t)(bytes >> part * 8), b[i]) + c[i];
            result[part][i] = inst->clamp && sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
        }
    }
    for (unsigned part = 0; part < 4; part++)
        kiln_valu_write(wave->vgpr[inst->dst.reg + part], result[part], wave->exec);
}

static uint32_t lane_select(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    return kiln_sim_scalar_u32(wave, &inst->src[1]) % KILN_GFX942_LANES;
}

static void run_readlane(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    uint32_t temp[KILN_GFX942_LANES];
    wave->sgpr[inst->dst.reg] =
        kiln_sim_source_row(wave, &inst->src[0], 0, temp)[lane_select(wave, inst)];
}

// Ignores EXEC.
static void run_writelane(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    wave->vgpr[inst->dst.reg][lane_select(wave, inst)] = kiln_sim_scalar_u32(wave, &inst->src[0]);
}

#define VOP3(name, D, A, B, C, ...) KILN_VALU_LOOP(name, D, A, B, C, __VA_ARGS__)
#define VOP3_CLAMPED(name, D, A, B, C, ...)                                                        \
    KILN_VALU_LOOP(name, D, A, B, C, __VA_ARGS__)                                                  \
    KILN_VALU_SATURATING_LOOP(name, D, A, B, C, __VA_ARGS__)
#define VOP3_HALVES VOP3
#define VOP3_HALVES_CLAMPED VOP3_CLAMPED
#define VOP3_HALF VOP3
#define VOP3_BYTE VOP3
#define VOP3_ACCUMULATE VOP3
#define VOP3_HALF_CLAMPED VOP3_CLAMPED
#define VOP3_CARRY(name, D, A, B, C, type, ...)                                                    \
    KILN_VALU_STATEMENT_LOOP(name, D, A, B, C, type, __VA_ARGS__)
#define VOP3_WIDE(name, D, A, B, C, type, ...)                                                     \
    KILN_VALU_STATEMENT_LOOP(name, D, A, B, C, type, __VA_ARGS__)
#define VOP3_OWN(name, D, A, B, C, flags, handler)
#define VOP3_ROWS(name, D, A, B, C, ...)                                                           \
    static void loop_##name(KILN_VALU_ARGUMENTS)                                                   \
    {                                                                                              \
        (void)mode;                                                                                \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    KILN_VALU_RUN(name, D, A, B, C)
#define VOP3_ROWS_CARRY VOP3_ROWS
#include "isa/vop3.def"

enum {
#define VOP3(name, ...) INDEX_##name,
#define VOP3_CLAMPED VOP3
#define VOP3_ROWS VOP3
#define VOP3_CARRY VOP3
#define VOP3_ROWS_CARRY VOP3
#define VOP3_WIDE VOP3
#define VOP3_HALVES VOP3
#define VOP3_HALVES_CLAMPED VOP3
#define VOP3_HALF VOP3
#define VOP3_BYTE VOP3
#define VOP3_ACCUMULATE VOP3
#define VOP3_HALF_CLAMPED VOP3
#define VOP3_OWN(name, ...)
#include "isa/vop3.def"
};

static const kiln_valu_core_t cores[] = {
#define VOP3(name, D, A, B, C, ...) {loop_##name, NULL, KILN_VALU_FLOATNESS(D, A, B, C)},
#define VOP3_ACCUMULATE VOP3
#define VOP3_ROWS VOP3
#define VOP3_CLAMPED(name, ...) {loop_##name, saturate_##name, 0},
#define VOP3_HALVES VOP3
#define VOP3_HALVES_CLAMPED VOP3_CLAMPED
#define VOP3_CARRY(name, D, A, B, C, ...)                                                          \
    {loop_##name, NULL, KILN_VALU_CARRY | KILN_VALU_FLOATNESS(D, A, B, C)},
#define VOP3_ROWS_CARRY VOP3_CARRY
#define VOP3_WIDE(name, D, A, B, C, ...) {loop_##name, NULL, 0},
#define VOP3_HALF(name, D, A, B, C, ...)                                                           \
    {loop_##name, NULL, KILN_VALU_KEEP16 | KILN_VALU_FLOATNESS(D, A, B, C)},
#define VOP3_BYTE(name, D, A, B, C, ...)                                                           \
    {loop_##name, NULL, KILN_VALU_KEEP8 | KILN_VALU_FLOATNESS(D, A, B, C)},
#define VOP3_HALF_CLAMPED(name, ...) {loop_##name, saturate_##name, KILN_VALU_KEEP16},
#define VOP3_OWN(name, ...)
#include "isa/vop3.def"
};

static void run(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    KILN_SIM_V(kiln_valu_run)(wave, inst, &cores[inst->row->info]);
}

static void run_modified(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    KILN_SIM_V(kiln_valu_run_modified)(wave, inst, &cores[inst->row->info]);
}

static const kiln_sim_row_t rows[] = {
#define VOP3(name, D, A, B, C, ...)                                                                \
    KILN_VALU_ROW(#name, run_##name, INDEX_##name, KILN_SIM_VOP3, KILN_SIM_CLASS_VALU,             \
                  KILN_GFX942_VALU_CYCLES, D, A, B, C, 0)
#define VOP3_CLAMPED VOP3
#define VOP3_ROWS VOP3
#define VOP3_HALVES(name, D, A, B, C, ...)                                                         \
    KILN_VALU_ROW(#name, run_##name, INDEX_##name, KILN_SIM_VOP3, KILN_SIM_CLASS_VALU,             \
                  KILN_GFX942_VALU_CYCLES, D, A, B, C, KILN_SIM_ROW_OP_SEL)
#define VOP3_HALVES_CLAMPED VOP3_HALVES
#define VOP3_WIDE(name, D, A, B, C, ...)                                                           \
    KILN_VALU_ROW(#name, run, INDEX_##name, KILN_SIM_VOP3, KILN_SIM_CLASS_VALU,                    \
                  KILN_GFX942_VALU_CYCLES, D, A, B, C, 0)
#define VOP3_HALF(name, D, A, B, C, ...)                                                           \
    KILN_VALU_ROW(#name, run, INDEX_##name, KILN_SIM_VOP3, KILN_SIM_CLASS_VALU,                    \
                  KILN_GFX942_VALU_CYCLES, D, A, B, C,                                             \
                  KILN_SIM_ROW_OP_SEL | KILN_SIM_ROW_KEEPS_REST)
#define VOP3_BYTE VOP3_HALF
#define VOP3_HALF_CLAMPED VOP3_HALF
#define VOP3_ACCUMULATE(name, D, A, B, C, ...)                                                     \
    KILN_VALU_ROW(#name, run_##name, INDEX_##name, KILN_SIM_VOP3, KILN_SIM_CLASS_VALU,             \
                  KILN_GFX942_VALU_CYCLES, D, A, B, C, KILN_SIM_ROW_READS_DST)
#define VOP3_CARRY(name, D, A, B, C, ...)                                                          \
    KILN_VALU_ROW(#name, run, INDEX_##name, KILN_SIM_VOP3, KILN_SIM_CLASS_VALU,                    \
                  KILN_GFX942_VALU_CYCLES, D, A, B, C, KILN_SIM_ROW_CARRY_OUT)
#define VOP3_ROWS_CARRY VOP3_CARRY
#define VOP3_OWN(name, D, A, B, C, flags, handler)                                                 \
    {#name,                                                                                        \
     handler,                                                                                      \
     NULL,                                                                                         \
     KILN_SIM_VOP3,                                                                                \
     KILN_SIM_CLASS_VALU,                                                                          \
     KILN_GFX942_VALU_CYCLES,                                                                      \
     KILN_VALU_T_##D,                                                                              \
     {KILN_VALU_T_##A, KILN_VALU_T_##B, KILN_VALU_T_##C},                                          \
     flags,                                                                                        \
     0},
#include "isa/vop3.def"
};

extern const kiln_sim_rows_t KILN_SIM_V(kiln_sim_rows_vop3);
const kiln_sim_rows_t KILN_SIM_V(kiln_sim_rows_vop3) = {rows, sizeof rows / sizeof rows[0]};
