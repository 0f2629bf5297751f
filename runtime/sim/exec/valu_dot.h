// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of small vectors inside a register: code shared by v_dot* and packed f16 rows.
//
// Pitfall: v_dot2_f32_f16 flushes denormals of its operands and result regardless of MODE.
#ifndef KILN_SIM_VALU_DOT_H
#define KILN_SIM_VALU_DOT_H

#include "exec/valu.h"

static inline int32_t low_24(uint32_t a)
{
    return (int32_t)(a << 8) >> 8;
}

static inline float round_f16(float a, const kiln_valu_t *x)
{
    return kiln_f16_to_f32(kiln_f32_to_f16_mode(a, x->round16, x->overflow16));
}

static inline uint32_t fma_f16(uint32_t a, uint32_t b, uint32_t c, const kiln_valu_t *x)
{
    const float first = kiln_f16_to_f32((uint16_t)a), second = kiln_f16_to_f32((uint16_t)b);
    const float product = first * (first != first ? first : second); // exact
    return kiln_f32_to_f16_mode(kiln_sum_odd(product, kiln_f16_to_f32((uint16_t)c)), x->round16,
                                x->overflow16);
}

static inline double flushed_f16(uint32_t bits)
{
    return (double)kiln_f16_to_f32((uint16_t)(bits & 0x7c00u ? bits : bits & 0x8000u));
}

static inline double product_f64(double a, double b)
{
    return a * NAN_OR(a, b);
}

static inline double sum_f64(double a, double b)
{
    return a + NAN_OR(a, b);
}

// Both products are exact in f64, and their sum is nearly exact.
static inline float dot2_f32_f16(uint32_t a, uint32_t b, float c)
{
    const double low = product_f64(flushed_f16(a), flushed_f16(b));
    const double high = product_f64(flushed_f16(a >> 16), flushed_f16(b >> 16));
    return kiln_flush_f32((float)sum_f64(sum_f64(low, high), (double)kiln_flush_f32(c)));
}

// The two products alone can exceed 32 bits. Only the whole sum wraps or saturates.
static inline int64_t dot2_i16(uint32_t a, uint32_t b)
{
    return (int64_t)((int16_t)a * (int16_t)b) + (int16_t)(a >> 16) * (int16_t)(b >> 16);
}

static inline uint64_t dot2_u16(uint32_t a, uint32_t b)
{
    return (uint64_t)(a & 0xffff) * (b & 0xffff) + (uint64_t)(a >> 16) * (b >> 16);
}

static inline int32_t dot4_i8(uint32_t a, uint32_t b)
{
    int32_t sum = 0;
    for (unsigned i = 0; i < 32; i += 8)
        sum += (int8_t)(a >> i) * (int8_t)(b >> i);
    return sum;
}

static inline uint32_t dot4_u8(uint32_t a, uint32_t b)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < 32; i += 8)
        sum += (a >> i & 0xff) * (b >> i & 0xff);
    return sum;
}

static inline int32_t dot8_i4(uint32_t a, uint32_t b)
{
    int32_t sum = 0;
    for (unsigned i = 0; i < 32; i += 4)
        sum += ((int32_t)(a << (28 - i)) >> 28) * ((int32_t)(b << (28 - i)) >> 28);
    return sum;
}

static inline uint32_t dot8_u4(uint32_t a, uint32_t b)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < 32; i += 4)
        sum += (a >> i & 0xf) * (b >> i & 0xf);
    return sum;
}

#endif
