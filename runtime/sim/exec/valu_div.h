// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of a division of f32, for 64 lanes: v_div_scale, v_div_fmas, v_div_fixup.
//
// Of most rows all operands are far from the limits of f32, so that no lane is a special case and
// the loop has no branches. Other rows are executed lane by lane.
#ifndef KILN_SIM_VALU_DIV_H
#define KILN_SIM_VALU_DIV_H

#include "exec/valu.h"

static inline float div_operand(const uint32_t *row, unsigned lane)
{
    return kiln_f32_of_bits(row[lane]);
}

static inline bool div_rows_are_plain(const uint32_t *denominator, const uint32_t *numerator)
{
    uint32_t plain = 1;
    for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
        plain &= kiln_div_is_plain_f32(div_operand(denominator, i), div_operand(numerator, i));
    return plain;
}

static void div_scale_rows(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d,
                           uint8_t *carry)
{
    if (div_rows_are_plain(b, c)) {
        memset(carry, 0, KILN_GFX942_LANES);
        memmove(d, a, KILN_GFX942_LANES * sizeof *d);
        return;
    }
    for (unsigned i = 0; i < KILN_GFX942_LANES; i++) {
        bool scaled;
        d[i] = kiln_bits_of_f32(
            kiln_div_scale_f32(div_operand(a, i), div_operand(b, i), div_operand(c, i), &scaled));
        carry[i] = scaled;
    }
}

static void div_fmas_rows(uint64_t scaled, const uint32_t *a, const uint32_t *b, const uint32_t *c,
                          uint32_t *d)
{
    if (!scaled) {
        KILN_VALU_INDEPENDENT for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
        {
            d[i] = kiln_bits_of_f32(
                kiln_div_fmas_f32(div_operand(a, i), div_operand(b, i), div_operand(c, i), false));
        }
        return;
    }
    for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
        d[i] = kiln_bits_of_f32(kiln_div_fmas_f32(div_operand(a, i), div_operand(b, i),
                                                  div_operand(c, i), scaled >> i & 1));
}

static inline bool div_has_nan(const uint32_t *row)
{
    uint32_t nans = 0;
    for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
        nans |= (row[i] & 0x7fffffffu) > 0x7f800000u;
    return nans;
}

static void div_fixup_rows(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d)
{
    if (div_rows_are_plain(b, c) && !div_has_nan(a)) {
        KILN_VALU_INDEPENDENT for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
        {
            d[i] = ((b[i] ^ c[i]) & 0x80000000u) | (a[i] & 0x7fffffffu);
        }
        return;
    }
    for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
        d[i] = kiln_bits_of_f32(
            kiln_div_fixup_f32(div_operand(a, i), div_operand(b, i), div_operand(c, i)));
}

#endif
