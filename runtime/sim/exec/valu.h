// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts a row's expression to a handler: how isa/vop*.def become loops over 64 lanes.
//
// A row has types and one expression in a, b, c. It becomes a loop that reads whole rows, ignores
// EXEC, and writes whole rows. The code around it (exec/valu.c) fetches sources, applies modifiers,
// denormal flushing and rounding, and stores the lanes in EXEC.
//
// Pitfall: a loop may overwrite its own sources, lane by lane. It is therefore marked free of
// loop-carried dependences rather than `restrict`.
#ifndef KILN_SIM_VALU_H
#define KILN_SIM_VALU_H

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "core/numeric.h"
#include "decode/isa.h"

// Promises gcc that lanes do not depend on each other. clang checks this itself, at run time.
#ifdef __clang__
#define KILN_VALU_INDEPENDENT
#else
#define KILN_VALU_INDEPENDENT _Pragma("GCC ivdep")
#endif

// The parts of MODE and the instruction that an expression may use.
typedef struct kiln_valu {
    kiln_round_t round16;       // rounding of f16 (and f64) results
    kiln_overflow_t overflow16; // MODE.FP16_OVFL
    uint32_t ieee;              // MODE.IEEE: min, max and the like quiet signalling NaN inputs
    uint32_t dx10_clamp;
    uint32_t clamp;
    uint64_t vcc;   // v_div_fmas
    uint8_t *carry; // second result of carry rows: 0 or 1 per lane
    const kiln_sim_inst_t *inst;
} kiln_valu_t;

typedef void (*kiln_valu_loop_t)(const kiln_valu_t *x, const uint32_t *a, const uint32_t *b,
                                 const uint32_t *c, uint32_t *d);

enum {
    KILN_VALU_FLOAT = 1 << 0,  // an operand is a float: MODE's denormal and rounding fields apply
    KILN_VALU_KEEP16 = 1 << 1, // 16-bit results go to one half of the destination and keep the
                               // other (VOP3 with op_sel)
    KILN_VALU_CARRY = 1 << 2,  // writes kiln_valu_t.carry, which goes to inst->sdst
    KILN_VALU_MASK = 1 << 3,   // the result is a mask: the loop writes 64 bytes of 0 or 1
    KILN_VALU_KEEP8 = 1 << 4,  // the same for bytes
    KILN_VALU_HALVES = 1 << 5, // VOP3P: op_sel and neg rearrange the halves of packed sources
                               // before a loop over whole registers
};

typedef struct kiln_valu_core {
    kiln_valu_loop_t loop;
    kiln_valu_loop_t saturate; // integer rows with clamp; NULL elsewhere
    uint32_t flags;
} kiln_valu_core_t;

// Handlers for rows whose core is cores[row->info]; both check MODE themselves.
void KILN_SIM_V(kiln_valu_run)(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                               const kiln_valu_core_t *core);
void KILN_SIM_V(kiln_valu_run_modified)(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                        const kiln_valu_core_t *core);
// The same for VOP3P, whose loop is called once for each half.
void KILN_SIM_V(kiln_valu_run_packed)(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                      const kiln_valu_core_t *core);

// ---- parts of the plain path of all rows

enum {
    KILN_VALU_DEFAULT_FLOAT_MODE =
        3 << KILN_SIM_MODE_DENORM_F32_SHIFT | 3 << KILN_SIM_MODE_DENORM_F64_F16_SHIFT
};

// Whether MODE requires nothing beyond what a loop does by itself.
static inline bool kiln_valu_is_plain(const kiln_sim_wave_t *wave, uint32_t flags)
{
    return !(flags & KILN_VALU_FLOAT) || (wave->mode & 0xff) == KILN_VALU_DEFAULT_FLOAT_MODE;
}

static inline kiln_valu_t kiln_valu_mode(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                         uint8_t *carry)
{
    const uint32_t mode = wave->mode;
    return (kiln_valu_t){
        .round16 = (kiln_round_t)(mode >> KILN_SIM_MODE_ROUND_F64_F16_SHIFT & 3),
        .overflow16 = mode & KILN_SIM_MODE_FP16_OVFL ? KILN_OVERFLOW_CLAMP : KILN_OVERFLOW_IEEE,
        .ieee = (mode & KILN_SIM_MODE_IEEE) != 0,
        .dx10_clamp = (mode & KILN_SIM_MODE_DX10_CLAMP) != 0,
        .clamp = inst->clamp,
        .vcc = wave->vcc,
        .carry = carry,
        .inst = inst,
    };
}

static inline void kiln_valu_expand_mask(uint64_t mask, uint32_t *row)
{
#ifdef __AVX512F__
    for (unsigned i = 0; i < KILN_GFX942_LANES; i += 16)
        _mm512_storeu_si512(row + i, _mm512_maskz_set1_epi32((__mmask16)(mask >> i), 1));
#else
    const uint32_t low = (uint32_t)mask, high = (uint32_t)(mask >> 32);
    for (unsigned i = 0; i < 32; i++)
        row[i] = low >> i & 1;
    for (unsigned i = 0; i < 32; i++)
        row[i + 32] = high >> i & 1;
#endif
}

// Packs 64 bytes of 0 or 1 into a mask. Without vectors, a multiplication gathers the low bits of
// eight bytes in the highest one.
static inline uint64_t kiln_valu_compress_mask(const uint8_t *bytes)
{
#ifdef __AVX512F__
    const __m512i all = _mm512_loadu_si512(bytes);
    return _mm512_test_epi8_mask(all, all);
#else
    uint64_t mask = 0;
    for (unsigned i = 0; i < 8; i++) {
        uint64_t eight;
        memcpy(&eight, bytes + 8 * i, sizeof eight);
        mask |= (eight * 0x0102040810204080u >> 56) << (8 * i);
    }
    return mask;
#endif
}

// Writes a row of results to the lanes of `mask`.
static inline void kiln_valu_write(uint32_t *row, const uint32_t *result, uint64_t mask)
{
#ifdef __AVX512F__
    for (unsigned i = 0; i < KILN_GFX942_LANES; i += 16)
        _mm512_mask_storeu_epi32(row + i, (__mmask16)(mask >> i), _mm512_loadu_si512(result + i));
#else
    const uint32_t low = (uint32_t)mask, high = (uint32_t)(mask >> 32);
    for (unsigned i = 0; i < 32; i++)
        row[i] = low >> i & 1 ? result[i] : row[i];
    for (unsigned i = 0; i < 32; i++)
        row[i + 32] = high >> i & 1 ? result[i + 32] : row[i + 32];
#endif
}

// Returns a source as one row or, for 64 bits, two: the register's rows, the constant's, or `temp`
// filled with a scalar.
static inline const uint32_t *kiln_valu_fetch(const kiln_sim_wave_t *wave,
                                              const kiln_sim_operand_t *op, uint32_t *temp)
{
    if (op->kind == KILN_SIM_OP_VGPR)
        return wave->vgpr[op->reg];
    if (op->type == KILN_SIM_T_B1) {
        kiln_valu_expand_mask(kiln_sim_scalar_u64(wave, op), temp);
        return temp;
    }
    if (op->kind == KILN_SIM_OP_CONST)
        return op->row;
    if (op->kind == KILN_SIM_OP_NONE)
        return temp;
    const uint64_t value =
        op->dwords > 1 ? kiln_sim_scalar_u64(wave, op) : kiln_sim_scalar_u32(wave, op);
    for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
        temp[i] = (uint32_t)value;
    if (op->dwords > 1)
        for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
            temp[i + KILN_GFX942_LANES] = (uint32_t)(value >> 32);
    return temp;
}

static inline void kiln_valu_write_comparison(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                              const uint32_t *result)
{
    const uint64_t mask = kiln_valu_compress_mask((const uint8_t *)result) & wave->exec;
    kiln_sim_sgpr_write_u64(wave, inst->dst.reg, mask);
    if (inst->row->flags & KILN_SIM_ROW_CMPX)
        wave->exec = mask;
}

// Types of a row's expression: token, decode type, whether it is a float, C type, how a lane is
// loaded and stored. x16, x32, x64 are the bits of floats, which denormal modes do not affect.
#define KILN_VALU_T_none KILN_SIM_T_NONE
#define KILN_VALU_T_b1 KILN_SIM_T_B1
#define KILN_VALU_T_u16 KILN_SIM_T_U16
#define KILN_VALU_T_i16 KILN_SIM_T_I16
#define KILN_VALU_T_x16 KILN_SIM_T_F16
#define KILN_VALU_T_f16 KILN_SIM_T_F16
#define KILN_VALU_T_f16d KILN_SIM_T_F16
#define KILN_VALU_T_u32 KILN_SIM_T_U32
#define KILN_VALU_T_i32 KILN_SIM_T_I32
#define KILN_VALU_T_x32 KILN_SIM_T_F32
#define KILN_VALU_T_f32 KILN_SIM_T_F32
#define KILN_VALU_T_f32d KILN_SIM_T_F32
#define KILN_VALU_T_u64 KILN_SIM_T_U64
#define KILN_VALU_T_i64 KILN_SIM_T_I64
#define KILN_VALU_T_x64 KILN_SIM_T_F64
#define KILN_VALU_T_f64 KILN_SIM_T_F64
#define KILN_VALU_T_v2f16 KILN_SIM_T_V2F16
#define KILN_VALU_T_v2i16 KILN_SIM_T_V2I16
#define KILN_VALU_T_v2f32 KILN_SIM_T_V2F32
#define KILN_VALU_T_v2i32 KILN_SIM_T_V2I32
#define KILN_VALU_T_b128 KILN_SIM_T_B128

#define KILN_VALU_IS_FLOAT_none 0
#define KILN_VALU_IS_FLOAT_b1 0
#define KILN_VALU_IS_FLOAT_u16 0
#define KILN_VALU_IS_FLOAT_i16 0
#define KILN_VALU_IS_FLOAT_x16 0
#define KILN_VALU_IS_FLOAT_f16 KILN_VALU_FLOAT
#define KILN_VALU_IS_FLOAT_f16d KILN_VALU_FLOAT
#define KILN_VALU_IS_FLOAT_u32 0
#define KILN_VALU_IS_FLOAT_i32 0
#define KILN_VALU_IS_FLOAT_x32 0
#define KILN_VALU_IS_FLOAT_f32 KILN_VALU_FLOAT
#define KILN_VALU_IS_FLOAT_f32d KILN_VALU_FLOAT
#define KILN_VALU_IS_FLOAT_u64 0
#define KILN_VALU_IS_FLOAT_i64 0
#define KILN_VALU_IS_FLOAT_x64 0
#define KILN_VALU_IS_FLOAT_f64 KILN_VALU_FLOAT
#define KILN_VALU_IS_FLOAT_v2f16 KILN_VALU_FLOAT
#define KILN_VALU_IS_FLOAT_v2i16 0
#define KILN_VALU_IS_FLOAT_v2f32 KILN_VALU_FLOAT
#define KILN_VALU_IS_FLOAT_b128 0

#define KILN_VALU_FLOATNESS(D, A, B, C)                                                            \
    (KILN_VALU_IS_FLOAT_##D | KILN_VALU_IS_FLOAT_##A | KILN_VALU_IS_FLOAT_##B |                    \
     KILN_VALU_IS_FLOAT_##C)

#define KILN_VALU_C_none uint32_t
#define KILN_VALU_C_b1 uint32_t
#define KILN_VALU_C_u16 uint16_t
#define KILN_VALU_C_i16 int16_t
#define KILN_VALU_C_x16 uint16_t
#define KILN_VALU_C_f16 float
#define KILN_VALU_C_u32 uint32_t
#define KILN_VALU_C_i32 int32_t
#define KILN_VALU_C_x32 uint32_t
#define KILN_VALU_C_f32 float
#define KILN_VALU_C_u64 uint64_t
#define KILN_VALU_C_i64 int64_t
#define KILN_VALU_C_x64 uint64_t
#define KILN_VALU_C_f64 double

#define KILN_VALU_LOAD_none(p, i) 0u
#define KILN_VALU_LOAD_b1(p, i) ((p)[i])
#define KILN_VALU_LOAD_u16(p, i) ((uint16_t)(p)[i])
#define KILN_VALU_LOAD_i16(p, i) ((int16_t)(p)[i])
#define KILN_VALU_LOAD_x16(p, i) ((uint16_t)(p)[i])
#define KILN_VALU_LOAD_f16(p, i) kiln_f16_to_f32((uint16_t)(p)[i])
#define KILN_VALU_LOAD_u32(p, i) ((p)[i])
#define KILN_VALU_LOAD_i32(p, i) ((int32_t)(p)[i])
#define KILN_VALU_LOAD_x32(p, i) ((p)[i])
#define KILN_VALU_LOAD_f32(p, i) kiln_f32_of_bits((p)[i])
#define KILN_VALU_LOAD_u64(p, i) ((uint64_t)(p)[(i) + 64] << 32 | (p)[i])
#define KILN_VALU_LOAD_i64(p, i) ((int64_t)KILN_VALU_LOAD_u64(p, i))
#define KILN_VALU_LOAD_x64(p, i) KILN_VALU_LOAD_u64(p, i)
#define KILN_VALU_LOAD_f64(p, i) kiln_f64_of_bits(KILN_VALU_LOAD_u64(p, i))

static inline void kiln_valu_store_u64(uint32_t *d, unsigned i, uint64_t value)
{
    d[i] = (uint32_t)value;
    d[i + 64] = (uint32_t)(value >> 32);
}

// 16-bit results clear the upper half, as on GFX9.
#define KILN_VALU_STORE_u16(d, i, value) ((d)[i] = (uint16_t)(value))
#define KILN_VALU_STORE_i16(d, i, value) ((d)[i] = (uint16_t)(value))
#define KILN_VALU_STORE_x16(d, i, value) ((d)[i] = (uint16_t)(value))
#define KILN_VALU_STORE_f16(d, i, value)                                                           \
    (staged[i] = (value)) // rounded for all lanes at once: KILN_VALU_FINISH_f16
#define KILN_VALU_STORE_f16d(d, i, value) (staged[i] = kiln_f64_to_f32_odd(value))
#define KILN_VALU_STORE_u32(d, i, value) ((d)[i] = (uint32_t)(value))
#define KILN_VALU_STORE_i32(d, i, value) ((d)[i] = (uint32_t)(value))
#define KILN_VALU_STORE_x32(d, i, value) ((d)[i] = (uint32_t)(value))
#define KILN_VALU_STORE_f32(d, i, value) ((d)[i] = kiln_bits_of_f32(value))
#define KILN_VALU_STORE_f32d(d, i, value) ((d)[i] = kiln_bits_of_f32((float)(value)))
#define KILN_VALU_STORE_u64(d, i, value) kiln_valu_store_u64(d, i, (uint64_t)(value))
#define KILN_VALU_STORE_i64(d, i, value) kiln_valu_store_u64(d, i, (uint64_t)(value))
#define KILN_VALU_STORE_x64(d, i, value) kiln_valu_store_u64(d, i, (uint64_t)(value))
#define KILN_VALU_STORE_f64(d, i, value) kiln_valu_store_u64(d, i, kiln_bits_of_f64(value))

// Code before and after a loop, by kind of result.
void KILN_SIM_V(kiln_valu_round_f16_mode)(const float *values, uint32_t *d,
                                          const kiln_valu_t *mode);

static inline void kiln_valu_round_f16(const float *values, uint32_t *d, const kiln_valu_t *mode)
{
#ifdef __AVX2__
    if (mode->round16 == KILN_ROUND_NEAREST_EVEN && mode->overflow16 == KILN_OVERFLOW_IEEE) {
        for (unsigned i = 0; i < KILN_GFX942_LANES; i += 8) {
            const __m128i half =
                _mm256_cvtps_ph(_mm256_load_ps(values + i), _MM_FROUND_TO_NEAREST_INT);
            _mm256_storeu_si256((__m256i *)(void *)(d + i), _mm256_cvtepu16_epi32(half));
        }
        return;
    }
#endif
    KILN_SIM_V(kiln_valu_round_f16_mode)(values, d, mode);
}
#define KILN_VALU_STAGE_none
#define KILN_VALU_STAGE_u16
#define KILN_VALU_STAGE_i16
#define KILN_VALU_STAGE_x16
#define KILN_VALU_STAGE_f16 alignas(64) float staged[KILN_GFX942_LANES];
#define KILN_VALU_STAGE_f16d KILN_VALU_STAGE_f16
#define KILN_VALU_STAGE_u32
#define KILN_VALU_STAGE_i32
#define KILN_VALU_STAGE_x32
#define KILN_VALU_STAGE_f32
#define KILN_VALU_STAGE_f32d
#define KILN_VALU_STAGE_u64
#define KILN_VALU_STAGE_i64
#define KILN_VALU_STAGE_x64
#define KILN_VALU_STAGE_f64
#define KILN_VALU_FINISH_none
#define KILN_VALU_FINISH_u16
#define KILN_VALU_FINISH_i16
#define KILN_VALU_FINISH_x16
#define KILN_VALU_FINISH_f16 kiln_valu_round_f16(staged, pd, mode);
#define KILN_VALU_FINISH_f16d KILN_VALU_FINISH_f16
#define KILN_VALU_FINISH_u32
#define KILN_VALU_FINISH_i32
#define KILN_VALU_FINISH_x32
#define KILN_VALU_FINISH_f32
#define KILN_VALU_FINISH_f32d
#define KILN_VALU_FINISH_u64
#define KILN_VALU_FINISH_i64
#define KILN_VALU_FINISH_x64
#define KILN_VALU_FINISH_f64

// Saturating stores: the expression is evaluated in 64 bits.
static inline int64_t kiln_bound(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}
#define KILN_VALU_SATURATE_u16(d, i, value) ((d)[i] = (uint16_t)kiln_bound(value, 0, UINT16_MAX))
#define KILN_VALU_SATURATE_i16(d, i, value)                                                        \
    ((d)[i] = (uint16_t)kiln_bound(value, INT16_MIN, INT16_MAX))
#define KILN_VALU_SATURATE_u32(d, i, value) ((d)[i] = (uint32_t)kiln_bound(value, 0, UINT32_MAX))
#define KILN_VALU_SATURATE_i32(d, i, value)                                                        \
    ((d)[i] = (uint32_t)kiln_bound(value, INT32_MIN, INT32_MAX))

#define KILN_VALU_UNUSED __attribute__((unused))
#define KILN_VALU_ARGUMENTS                                                                        \
    const kiln_valu_t *mode, const uint32_t *pa, const uint32_t *pb, const uint32_t *pc,           \
        uint32_t *pd
#define KILN_VALU_BEGIN                                                                            \
    KILN_VALU_UNUSED const kiln_valu_t x = *mode;                                                  \
    (void)pa, (void)pb, (void)pc;

#define KILN_VALU_OPERANDS(A, B, C)                                                                \
    KILN_VALU_UNUSED const KILN_VALU_C_##A a = KILN_VALU_LOAD_##A(pa, i);                          \
    KILN_VALU_UNUSED const KILN_VALU_C_##B b = KILN_VALU_LOAD_##B(pb, i);                          \
    KILN_VALU_UNUSED const KILN_VALU_C_##C c = KILN_VALU_LOAD_##C(pc, i);

// The common path for all rows and modes, used in kiln_sim_row_t. Every file that includes rows
// defines it.
#ifndef KILN_VALU_NO_ROWS
static void run(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst);
#endif

#define KILN_VALU_FETCH_none(n) NULL
#define KILN_VALU_FETCH(n) kiln_valu_fetch(wave, &inst->src[n], temp[n])
#define KILN_VALU_FETCH_b1 KILN_VALU_FETCH
#define KILN_VALU_FETCH_u16 KILN_VALU_FETCH
#define KILN_VALU_FETCH_i16 KILN_VALU_FETCH
#define KILN_VALU_FETCH_x16 KILN_VALU_FETCH
#define KILN_VALU_FETCH_f16 KILN_VALU_FETCH
#define KILN_VALU_FETCH_u32 KILN_VALU_FETCH
#define KILN_VALU_FETCH_i32 KILN_VALU_FETCH
#define KILN_VALU_FETCH_x32 KILN_VALU_FETCH
#define KILN_VALU_FETCH_f32 KILN_VALU_FETCH
#define KILN_VALU_FETCH_u64 KILN_VALU_FETCH
#define KILN_VALU_FETCH_i64 KILN_VALU_FETCH
#define KILN_VALU_FETCH_x64 KILN_VALU_FETCH
#define KILN_VALU_FETCH_f64 KILN_VALU_FETCH

// A handler of one row with its loop inlined, for the default MODE. Other modes take the common
// path.
#define KILN_VALU_RUN_BEGIN(name, D, A, B, C)                                                      \
    static KILN_VALU_UNUSED void run_##name(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)    \
    {                                                                                              \
        if (!kiln_valu_is_plain(wave, KILN_VALU_FLOATNESS(D, A, B, C))) {                          \
            run(wave, inst);                                                                       \
            return;                                                                                \
        }                                                                                          \
        alignas(64) uint32_t temp[3][2 * KILN_GFX942_LANES], result[2 * KILN_GFX942_LANES];        \
        alignas(64) uint8_t carry[KILN_GFX942_LANES];                                              \
        (void)temp;                                                                                \
        const kiln_valu_t x = kiln_valu_mode(wave, inst, carry);                                   \
        const uint32_t *const a = KILN_VALU_FETCH_##A(0), *const b = KILN_VALU_FETCH_##B(1),       \
                              *const c = KILN_VALU_FETCH_##C(2);

#define KILN_VALU_RUN_LOOP(name)                                                                   \
    uint32_t *const d = wave->vgpr[inst->dst.reg];                                                 \
    const uint64_t exec = wave->exec;                                                              \
    loop_##name(&x, a, b, c, exec == UINT64_MAX ? d : result);                                     \
    if (exec != UINT64_MAX)                                                                        \
        for (unsigned part = 0; part < inst->dst.dwords; part++)                                   \
            kiln_valu_write(d + part * KILN_GFX942_LANES, result + part * KILN_GFX942_LANES, exec);

#define KILN_VALU_RUN(name, D, A, B, C)                                                            \
    KILN_VALU_RUN_BEGIN(name, D, A, B, C)                                                          \
    KILN_VALU_RUN_LOOP(name)                                                                       \
    }

#define KILN_VALU_RUN_CARRY(name, D, A, B, C)                                                      \
    KILN_VALU_RUN_BEGIN(name, D, A, B, C)                                                          \
    KILN_VALU_RUN_LOOP(name)                                                                       \
    kiln_sim_sgpr_write_u64(wave, inst->sdst.reg, kiln_valu_compress_mask(carry) & exec);          \
    }

#define KILN_VALU_RUN_COMPARE(name, A, B)                                                          \
    KILN_VALU_RUN_BEGIN(name, none, A, B, none)                                                    \
    loop_##name(&x, a, b, c, result);                                                              \
    kiln_valu_write_comparison(wave, inst, result);                                                \
    }

// name: D = expression of A, B, C
#define KILN_VALU_LOOP(name, D, A, B, C, ...)                                                      \
    static void loop_##name(KILN_VALU_ARGUMENTS)                                                   \
    {                                                                                              \
        KILN_VALU_BEGIN                                                                            \
        KILN_VALU_STAGE_##D KILN_VALU_INDEPENDENT for (unsigned i = 0; i < KILN_GFX942_LANES; i++) \
        {                                                                                          \
            KILN_VALU_OPERANDS(A, B, C)                                                            \
            KILN_VALU_STORE_##D(pd, i, (__VA_ARGS__));                                             \
        }                                                                                          \
        KILN_VALU_FINISH_##D                                                                       \
    }                                                                                              \
    KILN_VALU_RUN(name, D, A, B, C)

// The same with operands widened to 64 bits and a saturating result: integer instructions with
// clamp.
#define KILN_VALU_SATURATING_LOOP(name, D, A, B, C, ...)                                           \
    static void saturate_##name(KILN_VALU_ARGUMENTS)                                               \
    {                                                                                              \
        KILN_VALU_BEGIN                                                                            \
        for (unsigned i = 0; i < KILN_GFX942_LANES; i++) {                                         \
            KILN_VALU_UNUSED const int64_t a = (int64_t)KILN_VALU_LOAD_##A(pa, i);                 \
            KILN_VALU_UNUSED const int64_t b = (int64_t)KILN_VALU_LOAD_##B(pb, i);                 \
            KILN_VALU_UNUSED const int64_t c = (int64_t)KILN_VALU_LOAD_##C(pc, i);                 \
            KILN_VALU_SATURATE_##D(pd, i, (__VA_ARGS__));                                          \
        }                                                                                          \
    }

// Comparisons: one byte per lane.
#define KILN_VALU_COMPARE_LOOP(name, A, B, ...)                                                    \
    static void loop_##name(KILN_VALU_ARGUMENTS)                                                   \
    {                                                                                              \
        KILN_VALU_BEGIN                                                                            \
        uint8_t result[KILN_GFX942_LANES];                                                         \
        for (unsigned i = 0; i < KILN_GFX942_LANES; i++) {                                         \
            KILN_VALU_OPERANDS(A, B, none)                                                         \
            result[i] = (uint8_t)((__VA_ARGS__) ? 1 : 0);                                          \
        }                                                                                          \
        memcpy(pd, result, sizeof result);                                                         \
    }                                                                                              \
    KILN_VALU_RUN_COMPARE(name, A, B)

// For rows too long for one expression: statements assign d and perhaps carry[i].
#define KILN_VALU_STATEMENT_LOOP(name, D, A, B, C, type, ...)                                      \
    static void loop_##name(KILN_VALU_ARGUMENTS)                                                   \
    {                                                                                              \
        KILN_VALU_BEGIN                                                                            \
        KILN_VALU_UNUSED uint8_t *const carry = x.carry;                                           \
        for (unsigned i = 0; i < KILN_GFX942_LANES; i++) {                                         \
            KILN_VALU_OPERANDS(A, B, C)                                                            \
            type d;                                                                                \
            __VA_ARGS__;                                                                           \
            KILN_VALU_STORE_##D(pd, i, d);                                                         \
        }                                                                                          \
    }

// Results with a carry: the expression is 64 bits wide, and bit 32 is the carry or borrow.
#define KILN_VALU_CARRY_LOOP(name, SATURATED, A, B, C, ...)                                        \
    static void loop_##name(KILN_VALU_ARGUMENTS)                                                   \
    {                                                                                              \
        KILN_VALU_BEGIN                                                                            \
        uint8_t *const carry = x.carry;                                                            \
        KILN_VALU_INDEPENDENT for (unsigned i = 0; i < KILN_GFX942_LANES; i++)                     \
        {                                                                                          \
            const uint64_t a = KILN_VALU_LOAD_##A(pa, i);                                          \
            const uint64_t b = KILN_VALU_LOAD_##B(pb, i);                                          \
            KILN_VALU_UNUSED const uint64_t c = KILN_VALU_LOAD_##C(pc, i);                         \
            const uint64_t wide = (__VA_ARGS__);                                                   \
            const uint32_t out = (uint32_t)(wide >> 32) & 1u;                                      \
            pd[i] = x.clamp && out ? SATURATED : (uint32_t)wide;                                   \
            carry[i] = (uint8_t)out;                                                               \
        }                                                                                          \
    }                                                                                              \
    KILN_VALU_RUN_CARRY(name, u32, A, B, C)

// One line of a kiln_sim_row_t table whose core is number INDEX_<name>.
#define KILN_VALU_ROW(text, handler, index, format, class_, cycles, D, A, B, C, flags)             \
    {text,   handler, run_modified,    format,                                                     \
     class_, cycles,  KILN_VALU_T_##D, {KILN_VALU_T_##A, KILN_VALU_T_##B, KILN_VALU_T_##C},        \
     flags,  index},

// ---- Pieces of expressions that many rows share ----

// Of several NaNs, the first operand's is the result, quieted. The host's result depends on the
// order in which the compiler places the operands, so the first NaN replaces the other operands.
#define NAN_OR(a, b) ((a) != (a) ? (a) : (b))

static inline float kiln_fma_f32(float a, float b, float c)
{
    b = NAN_OR(a, b);
    return fmaf(a, b, NAN_OR(b, c));
}

static inline double kiln_fma_f64(double a, double b, double c)
{
    b = NAN_OR(a, b);
    return fma(a, b, NAN_OR(b, c));
}

// The host's rounding functions may leave a signalling NaN unchanged.
static inline float kiln_quiet_f32(float value)
{
    return value != value ? kiln_f32_of_bits(kiln_bits_of_f32(value) | 0x400000u) : value;
}

static inline double kiln_quiet_f64(double value)
{
    return value != value ? kiln_f64_of_bits(kiln_bits_of_f64(value) | 0x8000000000000u) : value;
}

static inline float kiln_flush_f32(float value)
{
    const uint32_t bits = kiln_bits_of_f32(value);
    return kiln_f32_of_bits((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}

// NaN gives 0.
static inline float kiln_bound_f32(float a, float low, float high)
{
    return a >= high ? high : a > low ? a : a != a ? 0.0f : low;
}

static inline uint32_t kiln_is_snan_f32(float value)
{
    const uint32_t bits = kiln_bits_of_f32(value);
    return (uint32_t)((bits & 0x7fffffffu) > 0x7f800000u) & (uint32_t)((bits & 0x400000u) == 0);
}

// min and max, given the results for ordered and for equal operands. A number wins over a NaN; with
// IEEE set, a signalling NaN wins and is quieted.
static inline float kiln_extreme_f32(float a, float b, float ordered, uint32_t equal, uint32_t ieee)
{
    uint32_t value =
        a == b ? equal
               : kiln_bits_of_f32(ordered); // +0 and -0 are equal, but `equal` distinguishes them
    value = b != b ? kiln_bits_of_f32(a) : value;
    value = a != a ? kiln_bits_of_f32(b) : value;
    value = ieee & kiln_is_snan_f32(b) ? kiln_bits_of_f32(b) | 0x400000u : value;
    value = ieee & kiln_is_snan_f32(a) ? kiln_bits_of_f32(a) | 0x400000u : value;
    return kiln_f32_of_bits(value);
}

static inline float kiln_min_f32(float a, float b, uint32_t ieee)
{
    return kiln_extreme_f32(a, b, a < b ? a : b, kiln_bits_of_f32(a) | kiln_bits_of_f32(b), ieee);
}

static inline float kiln_max_f32(float a, float b, uint32_t ieee)
{
    return kiln_extreme_f32(a, b, a > b ? a : b, kiln_bits_of_f32(a) & kiln_bits_of_f32(b), ieee);
}

static inline uint32_t kiln_is_snan_f64(double value)
{
    const uint64_t bits = kiln_bits_of_f64(value);
    return (uint32_t)((bits & 0x7fffffffffffffffu) > 0x7ff0000000000000u) &
           (uint32_t)((bits & 0x8000000000000u) == 0);
}

static inline double kiln_extreme_f64(double a, double b, double ordered, uint64_t equal,
                                      uint32_t ieee)
{
    const uint64_t quiet = 0x8000000000000u;
    uint64_t value = a == b ? equal : kiln_bits_of_f64(ordered);
    value = b != b ? kiln_bits_of_f64(a) : value;
    value = a != a ? kiln_bits_of_f64(b) : value;
    value = ieee & kiln_is_snan_f64(b) ? kiln_bits_of_f64(b) | quiet : value;
    value = ieee & kiln_is_snan_f64(a) ? kiln_bits_of_f64(a) | quiet : value;
    return kiln_f64_of_bits(value);
}

static inline double kiln_min_f64(double a, double b, uint32_t ieee)
{
    return kiln_extreme_f64(a, b, a < b ? a : b, kiln_bits_of_f64(a) | kiln_bits_of_f64(b), ieee);
}

static inline double kiln_max_f64(double a, double b, uint32_t ieee)
{
    return kiln_extreme_f64(a, b, a > b ? a : b, kiln_bits_of_f64(a) & kiln_bits_of_f64(b), ieee);
}

#endif
