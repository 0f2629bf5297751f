// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of sim_valu_cases.def, the values of its operands, and the comparison of results; for
// the tests of vector arithmetic.
#ifndef KILN_TEST_SIM_VALU_CASES_H
#define KILN_TEST_SIM_VALU_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decode/program.h"
#include "sim_valu_expected.h"
#include "sim_variants.h"
#include "sim_vectors.h"

// The type of the values in v[0:5]; the B, C and D endings name the sources that are not of the
// first type.
typedef enum { INT, F16, F32, F64, F16B, F16C, F16D, F8, F32C, F64C, F16CC, CUBE } input_t;
// The type of the result. KEEP16 and KEEPHI: one half of v6, the other is unchanged. MASK, CARRY:
// also a scalar pair.
typedef enum {
    U32,
    U64,
    F16_,
    F32_,
    F64_,
    V2F16,
    V2F32,
    KEEP16,
    KEEPHI,
    BYTE0,
    BYTE1,
    BYTE2,
    BYTE3,
    ULP32,
    CARRY_VCC,
    CARRY_S10,
    MASK_VCC,
    MASK_S10,
    ACC3
} output_t;

static uint64_t seed = 6364136223846793005ull;

// ---- Cases ----

#define OUT_F16 F16_
#define OUT_F32 F32_
#define OUT_F64 F64_
#define OUT_U32 U32
#define OUT_U64 U64
#define OUT_V2F16 V2F16
#define OUT_V2F32 V2F32
#define OUT_KEEP16 KEEP16
#define OUT_KEEPHI KEEPHI
#define OUT_BYTE0 BYTE0
#define OUT_BYTE1 BYTE1
#define OUT_BYTE2 BYTE2
#define OUT_BYTE3 BYTE3
#define OUT_ULP32 ULP32
#define OUT_CARRY_VCC CARRY_VCC
#define OUT_CARRY_S10 CARRY_S10
#define OUT_MASK_VCC MASK_VCC
#define OUT_MASK_S10 MASK_S10
#define OUT_ACC3 ACC3

#define CASE(n, text, low, high, kind, out, ...)                                                   \
    static uint64_t expected_##n(__attribute__((unused)) const lane_t *l)                          \
    {                                                                                              \
        return (uint64_t)(__VA_ARGS__);                                                            \
    }
#include "sim_valu_cases.def"
#undef CASE

typedef struct valu_case {
    const char *text;
    uint32_t words[2];
    input_t input;
    output_t output;
    uint64_t (*expected)(const lane_t *l);
} valu_case_t;

static const valu_case_t cases[] = {
#define CASE(n, text, low, high, kind, out, ...) {text, {low, high}, kind, OUT_##out, expected_##n},
#include "sim_valu_cases.def"
#undef CASE
};
enum { CASE_COUNT = sizeof cases / sizeof cases[0], ROUNDS = 12 };

#undef A
#undef B
#undef C

static inline uint64_t random_value(input_t kind, unsigned source)
{
    static const uint32_t f32[] = {
        0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x3f800000,
        0xbf800000, 0x3f000000, 0x40490fdb, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
        0x7fc00000, 0xffc00001, 0x7f800001, 0xffa00000, 0x4b000000, 0x4b7fffff, 0x4effffff,
        0x4f000000, 0x4f7fffff, 0x4f800000, 0xcf000000, 0xbfc00000, 0x3fffffff};
    static const uint64_t f64[] = {0,
                                   1ull << 63,
                                   1,
                                   0x800fffffffffffff,
                                   0x0010000000000000,
                                   0x3ff0000000000000,
                                   0xbff8000000000000,
                                   0x7fefffffffffffff,
                                   0x7ff0000000000000,
                                   0xfff0000000000000,
                                   0x7ff8000000000000,
                                   0x7ff0000000000001,
                                   0x41dfffffffc00000,
                                   0x41e0000000000000,
                                   0xc1e0000000000000,
                                   0x41efffffffe00000,
                                   0x41f0000000000000,
                                   0x3fdfffffffffffff,
                                   0x4330000000000001};
    static const uint16_t f16[] = {0,      0x8000, 1,      0x8001, 0x03ff, 0x0400, 0x3c00,
                                   0xbc00, 0x3800, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00,
                                   0x7c01, 0xfd00, 0x4248, 0x6400, 0xe400};
    static const uint64_t integers[] = {0,
                                        1,
                                        2,
                                        31,
                                        32,
                                        63,
                                        64,
                                        0x7f,
                                        0x80,
                                        0xff,
                                        0x7fff,
                                        0x8000,
                                        0xffff,
                                        0x7fffff,
                                        0x800000,
                                        0xffffff,
                                        0x7fffffff,
                                        0x80000000,
                                        0xffffffff,
                                        0x100000000,
                                        INT64_MAX,
                                        1ull << 63,
                                        UINT64_MAX,
                                        0x8000800080008000,
                                        0x7fff7fff7fff7fff,
                                        5};
    const uint64_t r = reference_random(&seed), pick = reference_random(&seed) >> 20;
    const bool special = r >> 60 < 8;
#define PICK(table) table[pick % (sizeof table / sizeof table[0])]
    if ((kind == F16B && source == 1) || (kind == F16C && source == 2) ||
        (kind == F16D && source == 2))
        kind = F32;
    if ((kind == F32C || kind == F64C || kind == F16CC) && source == 2)
        return 1u << pick % 10;
    switch (kind) {
    case F32:
    case F32C:
        return special ? PICK(f32) | (uint64_t)f32[(pick >> 8) % 27] << 32
                       : (r & 1 ? r : (r & 0x87ffffff87ffffff) | 0x3c0000003c000000);
    case F64:
    case F64C:
        return special ? PICK(f64) : (r & 1 ? r : (r & 0x801fffffffffffff) | 0x3ff0000000000000);
    case CUBE: // finite
        return (r & 1 ? r & 0x80000000u : r & 0x87c00000u) | 0x3c000000;
    case F8: // around the values of 8-bit floats
        return special ? PICK(f32) : (r & 0x87ffffff) | 0x3c000000;
    case INT:
        return special ? PICK(integers) : r;
    default:
        return special ? PICK(f16) | (uint64_t)f16[(pick >> 8) % 19] << 16
                       : (r & 1 ? r & 0xffffffff : (r & 0x8fff8fff) | 0x30003000);
    }
}

static inline bool both_nan(uint64_t x, uint64_t y, output_t type)
{
    if (type == F64_)
        return isnan(reference_as_f64(x)) && isnan(reference_as_f64(y));
    if (type == F16_)
        return isnan(reference_as_f16((uint32_t)x & 0xffff)) &&
               isnan(reference_as_f16((uint32_t)y & 0xffff));
    return isnan(reference_as_f32((uint32_t)x)) && isnan(reference_as_f32((uint32_t)y));
}

static inline bool agrees(uint64_t got, uint64_t want, output_t type)
{
    switch (type) {
    case F16_:
        return got == want || (got <= 0xffff && both_nan(got, want, F16_));
    case F32_:
    case F64_:
        return got == want || both_nan(got, want, type);
    case ULP32:
        return llabs((int64_t)got - (int64_t)want) <= 1 || both_nan(got, want, F32_);
    case V2F16:
        return agrees(got & 0xffff, want & 0xffff, F16_) && agrees(got >> 16, want >> 16, F16_);
    case V2F32:
        return agrees(got & 0xffffffff, want & 0xffffffff, F32_) &&
               agrees(got >> 32, want >> 32, F32_);
    default:
        return got == want;
    }
}

static kiln_sim_wave_t *wave;

static inline uint64_t vgpr64(unsigned reg, unsigned lane)
{
    return (uint64_t)wave->vgpr[reg + 1][lane] << 32 | wave->vgpr[reg][lane];
}

static inline void set_vgpr64(unsigned reg, unsigned lane, uint64_t value)
{
    wave->vgpr[reg][lane] = (uint32_t)value;
    wave->vgpr[reg + 1][lane] = (uint32_t)(value >> 32);
}

static inline uint64_t s64(unsigned reg)
{
    return (uint64_t)wave->sgpr[reg + 1] << 32 | wave->sgpr[reg];
}

// The source lane of each control, as drawn in the guide: rows of 16.
static inline int dpp_lane(uint32_t control, int lane)
{
    const int row = lane / 16 * 16, at = lane % 16, n = (int)(control & 15);
    if (control < 0x100)
        return lane / 4 * 4 + (int)(control >> 2 * (lane % 4) & 3);
    switch (control & 0x1f0) {
    case 0x100:
        return at + n > 15 ? -1 : lane + n;
    case 0x110:
        return at - n < 0 ? -1 : lane - n;
    case 0x120:
        return row + (at - n + 16) % 16;
    case 0x150:
        return row + n;
    default:
        break;
    }
    return control == 0x130   ? (lane == 63 ? -1 : lane + 1)
           : control == 0x134 ? (lane + 1) % 64
           : control == 0x138 ? lane - 1
           : control == 0x13c ? (lane + 63) % 64
           : control == 0x140 ? row + 15 - at
           : control == 0x141 ? lane / 8 * 8 + 7 - lane % 8
           : control == 0x142 ? (lane < 16 ? -1 : row - 1)
                              : (lane < 32 ? -1 : 31);
}

// Adds to the checksum everything that an instruction of the table may have written.
static inline void observe_wave(void)
{
    sim_observe(wave->vgpr, sizeof wave->vgpr[0] * 8);
    sim_observe(wave->vgpr[KILN_SIM_ACC_ROW], sizeof wave->vgpr[0] * 4);
    sim_observe(wave->sgpr, sizeof wave->sgpr[0] * KILN_SIM_SGPR_SINK);
}

typedef struct code {
    uint32_t *words;
    kiln_sim_program_t *program;
    const kiln_sim_inst_t *first;
} code_t;

// Assembles instructions of the given size one after the other, and s_endpgm.
static inline void assemble(code_t *code, const uint32_t *words, size_t bytes)
{
    static const uint32_t s_endpgm = 0xbf810000;
    code->words = malloc(bytes + 4);
    memcpy(code->words, words, bytes);
    memcpy((uint8_t *)code->words + bytes, &s_endpgm, 4);
    kiln_sim_error_t error = {0};
    const kiln_sim_range_t range = {0, bytes + 4};
    code->program = kiln_sim_program_create((const uint8_t *)code->words, &range, 1,
                                            kiln_sim_variant_find(sim_variant), &error);
    assert_non_null(code->program);
    code->first = kiln_sim_program_at(code->program, 0, &error);
    if (!code->first)
        fail_msg("%s", error.text);
}

static inline void discard(code_t *code)
{
    kiln_sim_program_destroy(code->program);
    free(code->words);
}

static inline int set_up(void **state)
{
    (void)state;
    wave = aligned_alloc(64, (sizeof *wave + 63) / 64 * 64);
    if (!wave)
        return 1;
    memset(wave, 0, sizeof *wave);
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    free(wave);
    return 0;
}

#endif
