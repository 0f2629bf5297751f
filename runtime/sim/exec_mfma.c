// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix instructions: from registers to arrays of elements and back.
//
// All dense operands share one layout: lane l holds row (column) l % n of block l / n % blocks, and the k of lane group
// l / (n · blocks), where consecutive k fill a lane's registers from the lowest bits up. What a reader gets wrong: EXEC
// does not matter here, and the order of reads: A and B are unpacked before C is moved to D, so that any overlap works.
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "mfma.h"
#include "numeric.h"

static unsigned bits_of(kiln_mfma_type_t type)
{
    switch (type) {
    case KILN_MFMA_F64:
        return 64;
    case KILN_MFMA_F32:
    case KILN_MFMA_XF32:
        return 32;
    case KILN_MFMA_F16:
    case KILN_MFMA_BF16:
        return 16;
    default:
        return 8;
    }
}

// The exponent of a finite f32 as the sums want it: subnormals have that of the smallest normal number.
static inline int32_t exponent_f32(uint32_t bits)
{
    const int32_t field = (int32_t)(bits >> 23 & 0xff);
    return (bits & 0x7fffffffu) == 0 ? KILN_MFMA_ZERO : (field > 1 ? field : 1) - 127;
}

static inline int32_t exponent_f16(uint32_t bits)
{
    const int32_t field = (int32_t)(bits >> 10 & 0x1f);
    return (bits & 0x7fffu) == 0 ? KILN_MFMA_ZERO : (field > 1 ? field : 1) - 15;
}

static inline int32_t exponent_fp8(uint32_t bits, kiln_fp8_format_t format)
{
    const int32_t field = (int32_t)(format == KILN_FP8 ? bits >> 3 & 0xf : bits >> 2 & 0x1f);
    return (bits & 0x7fu) == 0 ? KILN_MFMA_ZERO : (field > 1 ? field : 1) - (format == KILN_FP8 ? 8 : 16);
}

// One element of every lane of a register. The exponents are separate loops: the fast mode does not want them.

static void take_f16(const uint32_t *restrict lanes, unsigned shift, float *restrict value)
{
#if defined(__AVX512F__)
    for (unsigned i = 0; i < KILN_SIM_LANES; i += 16) {
        const __m512i bits = _mm512_srl_epi32(_mm512_loadu_si512(lanes + i), _mm_cvtsi32_si128((int)shift));
        _mm512_storeu_ps(value + i, _mm512_cvtph_ps(_mm512_cvtepi32_epi16(bits)));
    }
#else
    for (unsigned i = 0; i < KILN_SIM_LANES; i++)
        value[i] = kiln_f16_to_f32((uint16_t)(lanes[i] >> shift));
#endif
}

static bool exponents_f16(const uint32_t *restrict lanes, unsigned shift, int32_t *restrict exponent)
{
    uint32_t special = 0;
    for (unsigned i = 0; i < KILN_SIM_LANES; i++) {
        const uint32_t bits = lanes[i] >> shift & 0xffffu;
        exponent[i] = exponent_f16(bits);
        special |= (bits & 0x7c00u) == 0x7c00u;
    }
    return !special;
}

// f32 bits, of bf16 or xf32 too.
static void take_f32(const uint32_t *restrict lanes, unsigned left, uint32_t mask, float *restrict value)
{
    for (unsigned i = 0; i < KILN_SIM_LANES; i++)
        value[i] = kiln_f32_of_bits(lanes[i] << left & mask);
}

// Plain: products and their alignment stay inside f32.
static bool exponents_f32(const float *restrict value, int32_t *restrict exponent)
{
    uint32_t special = 0;
    for (unsigned i = 0; i < KILN_SIM_LANES; i++) {
        const int32_t e = exponent_f32(kiln_bits_of_f32(value[i]));
        exponent[i] = e;
        special |= (e < -48 || e > 48) && e != KILN_MFMA_ZERO;
    }
    return !special;
}

static void take_fp8(const uint32_t *restrict lanes, unsigned shift, kiln_fp8_format_t format, float *restrict value)
{
    for (unsigned i = 0; i < KILN_SIM_LANES; i++)
        value[i] = kiln_fp8_to_f32((uint8_t)(lanes[i] >> shift), format);
}

static bool exponents_fp8(const uint32_t *restrict lanes, unsigned shift, kiln_fp8_format_t format,
                          int32_t *restrict exponent)
{
    uint32_t special = 0;
    for (unsigned i = 0; i < KILN_SIM_LANES; i++) {
        const uint32_t bits = lanes[i] >> shift & 0xffu;
        exponent[i] = exponent_fp8(bits, format);
        special |= bits == 0x80u;
    }
    return !special;
}

// Element `sub` of every lane of the register at `lanes` to place `at`.
static void take(kiln_mfma_elements_t *out, unsigned at, kiln_mfma_type_t type, const uint32_t *lanes, unsigned sub,
                 const kiln_mfma_options_t *options, uint64_t negate)
{
    const bool exact = options->mode == KILN_MFMA_EXACT;
    const kiln_fp8_format_t format = type == KILN_MFMA_FP8 ? KILN_FP8 : KILN_BF8;
    float *const value = out->f32 + at;
    int32_t *const exponent = out->exponent + at;
    switch (type) {
    case KILN_MFMA_F16:
        take_f16(lanes, sub * 16, value);
        if (exact)
            out->plain &= exponents_f16(lanes, sub * 16, exponent);
        break;
    case KILN_MFMA_BF16:
    case KILN_MFMA_XF32:
        if (type == KILN_MFMA_BF16)
            take_f32(lanes, sub ? 0 : 16, 0xffff0000u, value);
        else
            take_f32(lanes, 0, 0xffffe000u, value);
        if (exact)
            out->plain &= exponents_f32(value, exponent);
        break;
    case KILN_MFMA_FP8:
    case KILN_MFMA_BF8:
        take_fp8(lanes, sub * 8, format, value);
        if (exact)
            out->plain &= exponents_fp8(lanes, sub * 8, format, exponent);
        break;
    case KILN_MFMA_I8:
        for (unsigned i = 0; i < KILN_SIM_LANES; i++)
            out->i32[at + i] = (int8_t)(lanes[i] >> sub * 8);
        break;
    case KILN_MFMA_F64:
        for (unsigned i = 0; i < KILN_SIM_LANES; i++)
            out->f64[at + i] = kiln_f64_of_bits(((uint64_t)lanes[i + KILN_SIM_LANES] << 32 | lanes[i]) ^ negate);
        break;
    case KILN_MFMA_F32:
        for (unsigned i = 0; i < KILN_SIM_LANES; i++) {
            const bool flush = options->flush_f32_inputs && (lanes[i] & 0x7f800000u) == 0;
            value[i] = kiln_f32_of_bits(flush ? lanes[i] & 0x80000000u : lanes[i]);
        }
        break;
    }
}

// `count` elements a lane.
static void unpack_lanes(kiln_mfma_elements_t *out, unsigned count, kiln_mfma_type_t type, const uint32_t *registers,
                         const kiln_mfma_options_t *options, uint64_t negate)
{
    const unsigned bits = bits_of(type), per_register = bits >= 32 ? 1 : 32 / bits;
    const unsigned stride = bits == 64 ? 2 * KILN_SIM_LANES : KILN_SIM_LANES;
    out->plain = true;
    for (unsigned n = 0; n < count; n++)
        take(out, n * KILN_SIM_LANES, type, registers + n / per_register * stride, n % per_register, options, negate);
}

// Spreads the kept elements of a sparse A over their places along k; the rest is zero.
static void unpack_sparse(kiln_mfma_elements_t *out, const kiln_mfma_shape_t *shape, kiln_mfma_type_t type,
                          const uint32_t *registers, const kiln_mfma_options_t *options)
{
    kiln_mfma_elements_t kept;
    const unsigned per_lane = kiln_mfma_per_lane(shape), fours = per_lane / 4;
    // One set of indices is a nibble for every four elements of the lane; ABID picks the set unless CBSZ says the
    // first.
    const unsigned set = options->cbsz ? 0 : options->abid % (8 / fours);
    unpack_lanes(&kept, per_lane / 2, type, registers, options, 0);
    memset(out->f32, 0, sizeof out->f32[0] * per_lane * KILN_SIM_LANES);
    for (unsigned i = 0; i < per_lane * KILN_SIM_LANES; i++)
        out->exponent[i] = KILN_MFMA_ZERO;
    out->plain = kept.plain;
    for (unsigned n = 0; n < per_lane / 2; n++)
        for (unsigned lane = 0; lane < KILN_SIM_LANES; lane++) {
            const uint32_t index = options->index[lane] >> (set * fours * 4 + n / 2 * 4 + n % 2 * 2) & 3;
            const unsigned from = n * KILN_SIM_LANES + lane, to = (n / 2 * 4 + index) * KILN_SIM_LANES + lane;
            out->i32[to] = kept.i32[from];
            out->exponent[to] = kept.exponent[from];
        }
}

static unsigned registers_of(const kiln_mfma_shape_t *shape, kiln_mfma_type_t type)
{
    return (unsigned)shape->n * shape->k * shape->blocks * bits_of(type) / (32 * KILN_SIM_LANES);
}

// CBSZ and ABID: every lane reads A from the same place of one block of lanes.
static const uint32_t *broadcast_a(const uint32_t *a, unsigned registers, const kiln_mfma_options_t *options,
                                   uint32_t *moved)
{
    const unsigned size = KILN_SIM_LANES >> (options->cbsz < 6 ? options->cbsz : 6); // above 4 is undefined
    for (unsigned r = 0; r < registers; r++)
        for (unsigned lane = 0; lane < KILN_SIM_LANES; lane++)
            moved[r * KILN_SIM_LANES + lane] =
                a[r * KILN_SIM_LANES + (lane % size + size * options->abid) % KILN_SIM_LANES];
    return moved;
}

static const uint32_t *permute_b(const uint32_t *b, unsigned registers, unsigned blgp, uint32_t *moved)
{
    for (unsigned r = 0; r < registers; r++)
        for (unsigned lane = 0; lane < KILN_SIM_LANES; lane++) {
            const unsigned from = blgp < 3    ? lane % 32 + (blgp - 1) * 32
                                  : blgp == 3 ? (lane + 16) % KILN_SIM_LANES
                                              : lane % 16 + (blgp - 4) * 16;
            moved[r * KILN_SIM_LANES + lane] = b[r * KILN_SIM_LANES + from];
        }
    return moved;
}

static void unpack(const kiln_mfma_shape_t *shape, const kiln_mfma_options_t *options, const uint32_t *a,
                   const uint32_t *b, kiln_mfma_elements_t *left, kiln_mfma_elements_t *right)
{
    uint32_t moved[4 * KILN_SIM_LANES];
    const bool is_f64 = shape->a == KILN_MFMA_F64;
    const uint64_t sign = 1ull << 63;
    if (shape->sparse) {
        unpack_sparse(left, shape, shape->a, a, options);
    } else {
        if (options->cbsz && !is_f64)
            a = broadcast_a(a, registers_of(shape, shape->a), options, moved);
        unpack_lanes(left, kiln_mfma_per_lane(shape), shape->a, a, options, is_f64 && (options->blgp & 1) ? sign : 0);
    }
    if (options->blgp && !is_f64 && !shape->sparse)
        b = permute_b(b, registers_of(shape, shape->b), options->blgp, moved);
    unpack_lanes(right, kiln_mfma_per_lane(shape), shape->b, b, options, is_f64 && (options->blgp & 2) ? sign : 0);
}

void KILN_SIM_V(kiln_mfma_execute)(const kiln_mfma_shape_t *shape, const kiln_mfma_options_t *options,
                                   const uint32_t *a, const uint32_t *b, uint32_t *d)
{
    kiln_mfma_elements_t left, right;
    unpack(shape, options, a, b, &left, &right);
    KILN_SIM_V(kiln_mfma_sum)(shape, options, &left, &right, d);
}

static const kiln_mfma_shape_t shapes[] = {
#define MFMA(name, n, k, blocks, a, b, d, passes) {n, k, blocks, KILN_MFMA_##a, KILN_MFMA_##b, 0},
#define SMFMAC(name, n, k, blocks, a, b, d, passes) {n, k, blocks, KILN_MFMA_##a, KILN_MFMA_##b, 1},
#include "isa/mfma.def"
#undef MFMA
#undef SMFMAC
};

static void move_accumulator(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    const kiln_sim_operand_t *const c = &inst->src[2];
    uint32_t *const d = wave->vgpr[inst->dst.reg];
    const bool is_f64 = shapes[inst->row->info].a == KILN_MFMA_F64;
    if (c->kind == KILN_SIM_OP_VGPR) {
        if (c->reg != inst->dst.reg)
            memmove(d, wave->vgpr[c->reg], sizeof(uint32_t) * KILN_SIM_LANES * inst->dst.dwords);
    } else {
        for (unsigned r = 0; r < inst->dst.dwords; r++)
            for (unsigned lane = 0; lane < KILN_SIM_LANES; lane++)
                d[r * KILN_SIM_LANES + lane] = (uint32_t)(is_f64 && (r & 1) ? c->value >> 32 : c->value);
    }
    if (is_f64 && (inst->blgp & 4))
        for (unsigned r = 1; r < inst->dst.dwords; r += 2)
            for (unsigned lane = 0; lane < KILN_SIM_LANES; lane++)
                d[r * KILN_SIM_LANES + lane] ^= 0x80000000u;
}

static void clamp_overflow(uint32_t *d, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        d[i] = (d[i] & 0x7fffffffu) == 0x7f800000u ? d[i] - 1 : d[i];
}

static void run(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    const kiln_mfma_shape_t *const shape = &shapes[inst->row->info];
    if (inst->src[0].kind != KILN_SIM_OP_VGPR || inst->src[1].kind != KILN_SIM_OP_VGPR ||
        (shape->sparse && inst->src[2].kind != KILN_SIM_OP_VGPR)) {
        kiln_sim_wave_fault(wave, inst, -1, "a matrix operand must be in vector registers");
        return;
    }
    const kiln_mfma_options_t options = {
        .mode = wave->fast_mfma ? KILN_MFMA_FAST : KILN_MFMA_EXACT,
        .cbsz = inst->cbsz,
        .abid = inst->abid,
        .blgp = inst->blgp,
        .clamp = inst->clamp,
        .fp16_ovfl = (wave->mode & KILN_SIM_MODE_FP16_OVFL) != 0,
        .flush_f32_inputs = !(wave->mode >> KILN_SIM_MODE_DENORM_F32_SHIFT & 1),
        .index = shape->sparse ? wave->vgpr[inst->src[2].reg] : NULL,
    };
    kiln_mfma_elements_t left, right;
    unpack(shape, &options, wave->vgpr[inst->src[0].reg], wave->vgpr[inst->src[1].reg], &left, &right);
    if (!shape->sparse)
        move_accumulator(wave, inst);
    uint32_t *const d = wave->vgpr[inst->dst.reg];
    KILN_SIM_V(kiln_mfma_sum)(shape, &options, &left, &right, d);
    if (options.clamp && options.fp16_ovfl && shape->a != KILN_MFMA_F64 && shape->a != KILN_MFMA_I8)
        clamp_overflow(d, KILN_SIM_LANES * inst->dst.dwords);
}

enum {
#define MFMA(name, ...) INDEX_##name,
#define SMFMAC(name, ...) INDEX_##name,
#include "isa/mfma.def"
#undef MFMA
#undef SMFMAC
};

enum {
    BITS_F64 = 64,
    BITS_F32 = 32,
    BITS_XF32 = 32,
    BITS_I32 = 32,
    BITS_F16 = 16,
    BITS_BF16 = 16,
    BITS_I8 = 8,
    BITS_FP8 = 8,
    BITS_BF8 = 8
};

#define DWORDS(n, m, blocks, type) ((n) * (m) * (blocks) * BITS_##type / (32 * KILN_SIM_LANES))
#define TYPE_OF(dwords)                                                                                                \
    ((dwords) == 1    ? KILN_SIM_T_U32                                                                                 \
     : (dwords) == 2  ? KILN_SIM_T_U64                                                                                 \
     : (dwords) == 4  ? KILN_SIM_T_B128                                                                                \
     : (dwords) == 8  ? KILN_SIM_T_B256                                                                                \
     : (dwords) == 16 ? KILN_SIM_T_B512                                                                                \
                      : KILN_SIM_T_B1024)
// C may be an inline constant, whose form follows the type.
#define TYPE_OF_C(n, blocks, d)                                                                                        \
    (BITS_##d == 64 ? ((n) == 4 ? KILN_SIM_T_F64 : KILN_SIM_T_V4F64) : TYPE_OF(DWORDS(n, n, blocks, d)))

#define ROW(name, n, k, kept, blocks, a, b, d, c, passes, flags)                                                       \
    {#name,                                                                                                            \
     run,                                                                                                              \
     NULL,                                                                                                             \
     KILN_SIM_MAI,                                                                                                     \
     KILN_SIM_CLASS_MFMA,                                                                                              \
     4 * (passes),                                                                                                     \
     TYPE_OF_C(n, blocks, d),                                                                                          \
     {TYPE_OF(DWORDS(n, kept, blocks, a)), TYPE_OF(DWORDS(n, k, blocks, b)), c},                                       \
     flags,                                                                                                            \
     INDEX_##name},

static const kiln_sim_row_t rows[] = {
#define MFMA(name, n, k, blocks, a, b, d, passes)                                                                      \
    ROW(name, n, k, k, blocks, a, b, d, TYPE_OF_C(n, blocks, d), passes, 0)
#define SMFMAC(name, n, k, blocks, a, b, d, passes)                                                                    \
    ROW(name, n, k, (k) / 2, blocks, a, b, d, KILN_SIM_T_U32, passes, KILN_SIM_ROW_DST_IS_SRC)
#include "isa/mfma.def"
};

extern const kiln_sim_rows_t KILN_SIM_V(kiln_sim_rows_mfma);
const kiln_sim_rows_t KILN_SIM_V(kiln_sim_rows_mfma) = {rows, sizeof rows / sizeof rows[0]};
