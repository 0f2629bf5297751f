// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What vector memory instructions do once it is known where each lane's bytes are.
//
// Idea: an addressing mode (flat, buffer, LDS) yields a kiln_sim_lanes_t of checked host addresses; the data movement
// of isa/memory.def and isa/atomic.def is written once for all of them.
//
// What a reader gets wrong: a lane whose buffer load is out of range stays in the mask and reads zeros from a constant
// block; a lane whose store is out of range leaves the mask.
#ifndef KILN_SIM_ACCESS_H
#define KILN_SIM_ACCESS_H

#include "machine.h"
#include "numeric.h"

typedef struct kiln_sim_lanes {
    alignas(64) uint64_t at[KILN_SIM_LANES]; // host addresses of lanes in mask
    uint64_t mask;
} kiln_sim_lanes_t;

#define KILN_SIM_FOR_LANES(lane, lanes_mask)                                                                           \
    for (uint64_t left_ = (lanes_mask), lane = 0; left_ && (lane = (uint64_t)__builtin_ctzll(left_), 1);               \
         left_ &= left_ - 1)

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

static inline void load_dwords(kiln_sim_wave_t *wave, unsigned row, const kiln_sim_lanes_t *lanes, unsigned dwords)
{
    if (lanes->mask == UINT64_MAX) {
        for (unsigned lane = 0; lane < KILN_SIM_LANES; lane++) {
            for (unsigned part = 0; part < dwords; part++)
                wave->vgpr[row + part][lane] = read_u32(lanes->at[lane] + 4 * part);
        }
        return;
    }
    KILN_SIM_FOR_LANES(lane, lanes->mask)
    {
        for (unsigned part = 0; part < dwords; part++)
            wave->vgpr[row + part][lane] = read_u32(lanes->at[lane] + 4 * part);
    }
}

static inline void store_dwords(const kiln_sim_wave_t *wave, unsigned row, const kiln_sim_lanes_t *lanes,
                                unsigned dwords)
{
    KILN_SIM_FOR_LANES(lane, lanes->mask)
    {
        for (unsigned part = 0; part < dwords; part++)
            write_u32(lanes->at[lane] + 4 * part, wave->vgpr[row + part][lane]);
    }
}

// ---- atomics: C types, and the arithmetic that is not an operator

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

static inline uint32_t pk_add_f16(uint32_t a, uint32_t b)
{
    uint32_t low = kiln_f32_to_f16(kiln_f16_to_f32((uint16_t)a) + kiln_f16_to_f32((uint16_t)b));
    uint32_t high = kiln_f32_to_f16(kiln_f16_to_f32((uint16_t)(a >> 16)) + kiln_f16_to_f32((uint16_t)(b >> 16)));
    return low | high << 16;
}

static inline uint32_t pk_add_bf16(uint32_t a, uint32_t b)
{
    uint32_t low = kiln_f32_to_bf16(kiln_bf16_to_f32((uint16_t)a) + kiln_bf16_to_f32((uint16_t)b));
    uint32_t high = kiln_f32_to_bf16(kiln_bf16_to_f32((uint16_t)(a >> 16)) + kiln_bf16_to_f32((uint16_t)(b >> 16)));
    return low | high << 16;
}

// The number, where one operand is a NaN; -0 is below +0.
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

// Float atomics of LDS flush denormals by MODE: f32 by one of its fields, all the others by the other.
static inline bool lds_flushes(const kiln_sim_wave_t *wave, unsigned field)
{
    return (wave->mode >> field & 3) != 3;
}

static inline float lds_flush_f32(const kiln_sim_wave_t *wave, float value)
{
    return lds_flushes(wave, KILN_SIM_MODE_DENORM_F32_SHIFT) && fabsf(value) < 0x1p-126f ? copysignf(0.0f, value)
                                                                                         : value;
}

static inline double lds_flush_f64(const kiln_sim_wave_t *wave, double value)
{
    return lds_flushes(wave, KILN_SIM_MODE_DENORM_F64_F16_SHIFT) && fabs(value) < 0x1p-1022 ? copysign(0.0, value)
                                                                                            : value;
}

static inline uint32_t lds_flush_halves(const kiln_sim_wave_t *wave, uint32_t value, uint32_t exponent)
{
    if (!lds_flushes(wave, KILN_SIM_MODE_DENORM_F64_F16_SHIFT))
        return value;
    uint32_t low = value & exponent ? 0xffffu : 0x8000u, high = value >> 16 & exponent ? 0xffffu : 0x8000u;
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

// A lane's operand of 1 or 2 dwords.
static inline uint64_t lane_value(const kiln_sim_wave_t *wave, unsigned row, uint64_t lane, unsigned bytes)
{
    uint64_t value = wave->vgpr[row][lane];
    if (bytes == 8)
        value |= (uint64_t)wave->vgpr[row + 1][lane] << 32;
    return value;
}

static inline void lane_set(kiln_sim_wave_t *wave, unsigned row, uint64_t lane, unsigned bytes, uint64_t value)
{
    wave->vgpr[row][lane] = (uint32_t)value;
    if (bytes == 8)
        wave->vgpr[row + 1][lane] = (uint32_t)(value >> 32);
}

#endif
