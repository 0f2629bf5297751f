// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model of sim_memory_ops.def as a table: an instruction's effect on one lane's bytes,
// independent of their location.
//
// Float atomics add with round to nearest even regardless of MODE. L2 flushes denormals only of f32
// additions; LDS flushes by MODE (f32 by its f32 field, the others by the f64 and f16 field).
#ifndef KILN_TEST_SIM_MEMORY_OPS_H
#define KILN_TEST_SIM_MEMORY_OPS_H

#include "sim_machine.h"

typedef enum sim_memory_kind { SIM_LOAD, SIM_STORE, SIM_ATOMIC } sim_memory_kind_t;

typedef struct sim_memory_op {
    const char *vmem, *ds, *ds_rtn; // mnemonics without their prefix
    sim_memory_kind_t kind;
    sim_nan_t type;
    unsigned bytes, dwords; // in memory; in registers
    // LOAD: p to r. STORE: a to p. ATOMIC: p changes by a, and its old value goes to r.
    void (*act)(uint8_t *p, uint32_t *r, const uint32_t *a, bool flush);
} sim_memory_op_t;

static uint64_t flushed_f32(uint64_t bits, bool flush)
{
    return flush && fabsf(reference_as_f32((uint32_t)bits)) < 0x1p-126f ? bits & 0x80000000 : bits;
}

static uint64_t flushed_f64(uint64_t bits, bool flush)
{
    return flush && fabs(reference_as_f64(bits)) < 0x1p-1022 ? bits & 1ull << 63 : bits;
}

static uint64_t add_f32(uint64_t x, uint64_t y, bool flush)
{
    const long double sum = (long double)reference_as_f32((uint32_t)flushed_f32(x, flush)) +
                            reference_as_f32((uint32_t)flushed_f32(y, flush));
    return flushed_f32(
        reference_f32_bits((float)reference_round(sum, &reference_f32, REFERENCE_NEAREST)), flush);
}

static uint64_t add_f64(uint64_t x, uint64_t y, bool flush)
{
    return flushed_f64(reference_f64_bits(reference_as_f64(flushed_f64(x, flush)) +
                                          reference_as_f64(flushed_f64(y, flush))),
                       flush);
}

static long double half_value(uint64_t bits, bool flush)
{
    const double value = reference_as_f16((uint32_t)bits);
    return flush && fabs(value) < 0x1p-14 ? copysignl(0, value) : (long double)value;
}

static uint64_t add_f16(uint64_t x, uint64_t y, bool flush)
{
    const uint32_t sum = reference_f16_bits(reference_round(
        half_value(x, flush) + half_value(y, flush), &reference_f16, REFERENCE_NEAREST));
    return flush && sum % 0x8000 < 0x400 ? sum & 0x8000 : sum;
}

static uint64_t add_bf16(uint64_t x, uint64_t y, bool flush)
{
    const long double sum = (long double)reference_as_f32((uint32_t)flushed_f32(x << 16, flush)) +
                            reference_as_f32((uint32_t)flushed_f32(y << 16, flush));
    const float rounded = (float)reference_round(sum, &reference_bf16, REFERENCE_NEAREST);
    return isnan(rounded) ? 0x7fc0 : flushed_f32(reference_f32_bits(rounded), flush) >> 16;
}

// A number wins over NaN; -0 is below +0.
static uint64_t extreme_f64(uint64_t x, uint64_t y, int sign, bool flush)
{
    x = flushed_f64(x, flush);
    y = flushed_f64(y, flush);
    const double a = reference_as_f64(x), b = reference_as_f64(y);
    if (isnan(a) || isnan(b))
        return isnan(a) ? y : x;
    if (a == b)
        return (signbit(a) != 0) == (sign < 0) ? x : y;
    return (a < b) == (sign < 0) ? x : y;
}

static uint64_t extreme_f32(uint64_t x, uint64_t y, int sign, bool flush)
{
    x = flushed_f32(x, flush);
    y = flushed_f32(y, flush);
    const float a = reference_as_f32((uint32_t)x), b = reference_as_f32((uint32_t)y);
    if (isnan(a) || isnan(b))
        return isnan(a) ? y : x;
    if (a == b)
        return (signbit(a) != 0) == (sign < 0) ? x : y;
    return (a < b) == (sign < 0) ? x : y;
}

// One function per row, named by its line.
#define SIM_PASTE2(a, b) a##b
#define SIM_PASTE(a, b) SIM_PASTE2(a, b)
#define SIM_ACT                                                                                    \
    static void SIM_PASTE(act_, __LINE__)(uint8_t *p, uint32_t *r, const uint32_t *a_, bool flush)
#define LOAD(vmem, ds, bytes, dwords, ...)                                                         \
    SIM_ACT                                                                                        \
    {                                                                                              \
        (void)a_, (void)flush;                                                                     \
        for (unsigned d = 0; d < (dwords); d++)                                                    \
            r[d] = (__VA_ARGS__);                                                                  \
    }
#define STORE(vmem, ds, bytes, dwords, ...)                                                        \
    SIM_ACT                                                                                        \
    {                                                                                              \
        (void)r, (void)flush;                                                                      \
        const uint32_t *a = a_;                                                                    \
        for (unsigned n = 0; n < (bytes); n++)                                                     \
            p[n] = (uint8_t)(__VA_ARGS__);                                                         \
    }
#define ATOMIC(vmem, ds, ds_rtn, kind, bytes, ...)                                                 \
    SIM_ACT                                                                                        \
    {                                                                                              \
        uint64_t m = 0, a = 0;                                                                     \
        memcpy(&m, p, bytes);                                                                      \
        memcpy(&a, a_, bytes);                                                                     \
        const int64_t signed_m = (bytes) == 4 ? (int32_t)m : (int64_t)m,                           \
                      signed_a = (bytes) == 4 ? (int32_t)a : (int64_t)a;                           \
        (void)signed_m, (void)signed_a, (void)flush;                                               \
        const uint64_t changed = (__VA_ARGS__);                                                    \
        memcpy(r, &m, bytes);                                                                      \
        memcpy(p, &changed, bytes);                                                                \
    }
#include "sim_memory_ops.def"
#undef LOAD
#undef STORE
#undef ATOMIC

#define LOAD(vmem, ds, bytes, dwords, ...)                                                         \
    {vmem, ds, "", SIM_LOAD, SIM_BITS, bytes, dwords, SIM_PASTE(act_, __LINE__)},
#define STORE(vmem, ds, bytes, dwords, ...)                                                        \
    {vmem, ds, "", SIM_STORE, SIM_BITS, bytes, dwords, SIM_PASTE(act_, __LINE__)},
#define ATOMIC(vmem, ds, ds_rtn, kind, bytes, ...)                                                 \
    {vmem, ds, ds_rtn, SIM_ATOMIC, SIM_##kind, bytes, (bytes) / 4, SIM_PASTE(act_, __LINE__)},
static const sim_memory_op_t sim_memory_ops[] = {
#include "sim_memory_ops.def"
};
#undef LOAD
#undef STORE
#undef ATOMIC
enum { SIM_MEMORY_OPS = sizeof sim_memory_ops / sizeof sim_memory_ops[0] };

// Operands for additions: special values and random ones with similar exponents, in each 64 bits.
static inline uint64_t sim_operand(sim_nan_t type)
{
    static const uint32_t f32[] = {0,          0x80000000, 1,          0x807fffff, 0x00800000,
                                   0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
                                   0xff800000, 0x7fc00000, 0x33800000, 0x34000001};
    static const uint16_t f16[] = {0,      0x8000, 1,      0x83ff, 0x0400, 0x3c00, 0xbc00,
                                   0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x1000, 0x1400};
    static const uint64_t f64[] = {0,
                                   1ull << 63,
                                   1,
                                   0x800fffffffffffff,
                                   0x10000000000000,
                                   0x3ff0000000000000,
                                   0xbff0000000000000,
                                   0x7fefffffffffffff,
                                   0xffefffffffffffff,
                                   0x7ff0000000000000,
                                   0xfff0000000000000,
                                   0x7ff8000000000000,
                                   0x3ca0000000000000,
                                   0x3cb0000000000001};
    static const uint64_t integers[] = {0,
                                        1,
                                        UINT32_MAX,
                                        1ull << 31,
                                        INT32_MAX,
                                        1ull << 32,
                                        UINT64_MAX,
                                        INT64_MAX,
                                        1ull << 63,
                                        2,
                                        0xffffffff80000000,
                                        0x7fffffff00000000,
                                        0x80000000ffffffff,
                                        3};
    const uint64_t random = reference_random(&sim_seed), pick = reference_random(&sim_seed) >> 20;
    const bool special = random >> 62 == 0;
    switch (type) {
    case SIM_F32:
        return special ? f32[pick % 14] | (uint64_t)f32[pick / 16 % 14] << 32
                       : (random & 0x83ffffff83ffffff) | 0x3c0000003c000000;
    case SIM_F64:
        return special ? f64[pick % 14] : (random & 0x803fffffffffffff) | 0x3fc0000000000000;
    case SIM_F16: {
        const uint64_t halves = f16[pick % 14] | (uint64_t)f16[pick / 16 % 14] << 16;
        return special ? halves | halves << 32 : (random & 0x8fff8fff8fff8fff) | 0x3000300030003000;
    }
    case SIM_BF16:
        return special ? f32[pick % 14] >> 16 | (uint64_t)(f32[pick / 16 % 14] >> 16) << 16
                       : (random & 0x83ff83ff83ff83ff) | 0x3c003c003c003c00;
    default:
        return special ? integers[pick % 14] : pick % 3 ? random : random & 0x0000000700000007;
    }
}

// Fills memory, LDS and scratch, and the data registers v8 to v15 and a8 to a15, with operands of a
// type.
static inline void sim_fill_operands(sim_state_t *state, sim_nan_t type)
{
    uint8_t *const areas[] = {state->memory, state->lds, state->scratch};
    const size_t sizes[] = {sizeof state->memory, sizeof state->lds, sizeof state->scratch};
    for (unsigned area = 0; area < 3; area++) {
        for (size_t at = 0; at < sizes[area]; at += 8) {
            const uint64_t value = sim_operand(type);
            memcpy(areas[area] + at, &value, 8);
        }
    }
    for (unsigned reg = 8; reg < 16; reg += 2) {
        for (unsigned bank = 0; bank <= KILN_SIM_ACC_ROW; bank += KILN_SIM_ACC_ROW) {
            for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
                const uint64_t value = sim_operand(type);
                state->vgpr[bank + reg][lane] = (uint32_t)value;
                state->vgpr[bank + reg + 1][lane] = (uint32_t)(value >> 32);
            }
        }
    }
}

#endif
